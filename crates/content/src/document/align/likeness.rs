//! How much of their text two blocks share.
use super::super::Block;
use std::hash::{DefaultHasher, Hash, Hasher};
use unicode_segmentation::UnicodeSegmentation;

/// The words of a block and all inside it, as sorted hashes.
pub(super) struct Words(Vec<u64>);

impl Words {
    /// The first `most` words of a block; for one that says nothing, the words of its data.
    pub(super) fn of(block: &Block, most: usize) -> Self {
        let words = Self::split(&block.text(), most);
        if words.0.is_empty() {
            Self::split(&serde_json::to_string(&block.kind).expect("a kind is encoded as JSON"), most)
        } else {
            words
        }
    }

    fn split(text: &str, most: usize) -> Self {
        let hash = |word: &str| {
            let mut hasher = DefaultHasher::new();
            word.hash(&mut hasher);
            hasher.finish()
        };
        let mut words: Vec<u64> = text.unicode_words().take(most).map(hash).collect();
        words.sort_unstable();
        Self(words)
    }

    /// The share of words that both have, in percent of the words of both; a word counts as often as it occurs.
    pub(super) fn shared(&self, other: &Self) -> u32 {
        let (mut a, mut b) = (self.0.iter().peekable(), other.0.iter().peekable());
        let mut both = 0;
        while let (Some(x), Some(y)) = (a.peek(), b.peek()) {
            match x.cmp(y) {
                std::cmp::Ordering::Less => drop(a.next()),
                std::cmp::Ordering::Greater => drop(b.next()),
                std::cmp::Ordering::Equal => {
                    both += 2;
                    a.next();
                    b.next();
                }
            }
        }
        let all = self.0.len() + other.0.len();
        u32::try_from(100 * both / all.max(1)).unwrap_or(100)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("the quick brown fox", "the quick brown fox", 100)]
    #[case("the quick brown fox", "the slow brown fox", 75)]
    #[case("fox, the quick brown!", "the quick brown fox", 100)]
    #[case("a a a b", "a b b b", 50)]
    #[case("one", "two", 0)]
    #[case("", "", 0)]
    fn likeness_is_the_share_of_common_words(#[case] a: &str, #[case] b: &str, #[case] percent: u32) {
        assert_eq!(Words::split(a, 100).shared(&Words::split(b, 100)), percent);
    }
}
