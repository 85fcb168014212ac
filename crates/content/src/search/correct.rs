//! Corrections of mistyped words.
//!
//! Two words within one edit of each other share a variant: the word itself, or the word without one of its letters. So
//! a store that indexes words by their variants finds all corrections by equality.
use std::collections::BTreeSet;

/// The shortest word that is corrected, in characters. Shorter words have too many neighbours.
pub const MIN_WORD: usize = 4;
/// The longest word that is corrected, in characters.
pub const MAX_WORD: usize = 20;
/// From this length on, two edits are allowed.
const LONG_WORD: usize = 8;

/// The word, and the word without each of its letters.
pub fn variants(word: &str) -> BTreeSet<String> {
    let mut variants = BTreeSet::from([word.to_owned()]);
    for (at, char) in word.char_indices() {
        let mut shorter = String::with_capacity(word.len());
        shorter.push_str(&word[..at]);
        shorter.push_str(&word[at + char.len_utf8()..]);
        variants.insert(shorter);
    }
    variants
}

/// The known words that `word` may mean, with the number of edits: one, or two for a long word.
pub(super) fn corrections(word: &str, known: impl IntoIterator<Item = String>) -> Vec<(String, usize)> {
    let letters: Vec<char> = word.chars().collect();
    let most = if letters.len() >= LONG_WORD { 2 } else { 1 };
    let mut near: Vec<(String, usize)> = known
        .into_iter()
        .map(|known| {
            let edits = edits(&letters, &known.chars().collect::<Vec<_>>());
            (known, edits)
        })
        .filter(|(_, edits)| (1..=most).contains(edits))
        .collect();
    near.sort_by(|(a, few), (b, many)| (few, a).cmp(&(many, b)));
    near.dedup();
    near
}

/// The number of insertions, deletions, replacements and swaps of neighbours that turn one word into the other.
fn edits(from: &[char], to: &[char]) -> usize {
    let width = to.len() + 1;
    let mut before_last: Vec<usize> = vec![0; width];
    let mut last: Vec<usize> = (0..width).collect();
    for (i, a) in from.iter().enumerate() {
        let mut row = vec![i + 1; width];
        for (j, b) in to.iter().enumerate() {
            let mut least = (last[j] + usize::from(a != b)).min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *a == to[j - 1] && from[i - 1] == *b {
                least = least.min(before_last[j - 1] + 1);
            }
            row[j + 1] = least;
        }
        before_last = std::mem::replace(&mut last, row);
    }
    last[width - 1]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rstest::rstest;

    fn distance(a: &str, b: &str) -> usize {
        edits(&a.chars().collect::<Vec<_>>(), &b.chars().collect::<Vec<_>>())
    }

    #[rstest]
    #[case("forward", "forward", 0)]
    #[case("forwad", "forward", 1)]
    #[case("forwarrd", "forward", 1)]
    #[case("forwerd", "forward", 1)]
    #[case("forwadr", "forward", 1)]
    #[case("frowadr", "forward", 2)]
    #[case("", "ab", 2)]
    fn edits_are_counted(#[case] a: &str, #[case] b: &str, #[case] expected: usize) {
        assert_eq!((distance(a, b), distance(b, a)), (expected, expected));
    }

    #[test]
    fn the_nearest_correction_is_first_and_only_long_words_are_two_edits_off() {
        let known = ["configurations", "configuration", "forward"].map(str::to_owned);
        let found = corrections("configuratin", known.clone());
        assert_eq!(found, [("configuration".to_owned(), 1), ("configurations".to_owned(), 2)]);
        assert_eq!(corrections("forw", known), []);
    }

    proptest! {
        #[test]
        fn words_within_one_edit_share_a_variant(
            word in "[a-dé]{4,12}", at in any::<prop::sample::Index>(), edit in 0usize..4, letter in prop::char::range('a', 'd'),
        ) {
            let mut letters: Vec<char> = word.chars().collect();
            let at = at.index(letters.len());
            match edit {
                0 => { letters.remove(at); }
                1 => letters.insert(at, letter),
                2 => letters[at] = letter,
                _ => letters.swap(at, (at + 1) % word.chars().count().max(1)),
            }
            let edited: String = letters.into_iter().collect();
            if distance(&word, &edited) <= 1 {
                prop_assert!(!variants(&word).is_disjoint(&variants(&edited)));
            }
        }

        #[test]
        fn the_count_of_edits_is_a_distance(a in "[abc]{0,7}", b in "[abc]{0,7}") {
            prop_assert_eq!(distance(&a, &b), distance(&b, &a));
            prop_assert_eq!(distance(&a, &b) == 0, a == b);
            prop_assert!(distance(&a, &b) <= a.len().max(b.len()));
        }
    }
}
