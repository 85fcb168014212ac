//! Static vectors of English text: the mean of one small vector for each word piece.
//!
//! `dev/vectors` generates `vectors/english.bin`: little-endian counts of pieces and dimensions, the general mean, the
//! ends of the pieces' names, their scales, their vectors as signed bytes, and their names, sorted.
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// The dimensions of a vector.
pub(crate) const SIZE: usize = 128;
/// The maximum number of characters of a word that is cut into pieces; longer words are skipped.
const LONGEST_WORD: usize = 60;
/// The maximum number of words read from a text.
const MOST_WORDS: usize = 2_000;

static FILE: &[u8] = include_bytes!("../vectors/english.bin");

/// The parts of the file.
struct Table {
    count: usize,
    mean: &'static [u8],
    ends: &'static [u8],
    scales: &'static [u8],
    vectors: &'static [u8],
    names: &'static [u8],
}

impl Table {
    /// Opens the embedded file; `None` if its format is wrong, which a test excludes.
    fn open() -> Option<Self> {
        let (head, rest) = FILE.split_at_checked(8)?;
        let count = usize::try_from(number(head, 0)?).ok()?;
        if number(head, 1)? as usize != SIZE {
            return None;
        }
        let (mean, rest) = rest.split_at_checked(4 * SIZE)?;
        let (ends, rest) = rest.split_at_checked(4 * count)?;
        let (scales, rest) = rest.split_at_checked(4 * count)?;
        let (vectors, names) = rest.split_at_checked(SIZE * count)?;
        Some(Self { count, mean, ends, scales, vectors, names })
    }

    fn name(&self, at: usize) -> Option<&'static [u8]> {
        let start = if at == 0 { 0 } else { number(self.ends, at - 1)? as usize };
        self.names.get(start..number(self.ends, at)? as usize)
    }

    fn find(&self, piece: &[u8]) -> Option<usize> {
        let (mut low, mut high) = (0, self.count);
        while low < high {
            let middle = usize::midpoint(low, high);
            match self.name(middle)?.cmp(piece) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => return Some(middle),
            }
        }
        None
    }

    fn add(&self, piece: usize, sum: &mut [f32; SIZE]) {
        let scale = float(self.scales, piece).unwrap_or_default();
        let bytes = self.vectors.get(piece * SIZE..(piece + 1) * SIZE).unwrap_or_default();
        for (sum, byte) in sum.iter_mut().zip(bytes) {
            *sum += f32::from(i8::from_ne_bytes([*byte])) * scale;
        }
    }
}

fn bytes(of: &[u8], at: usize) -> Option<[u8; 4]> {
    of.get(4 * at..4 * at + 4)?.try_into().ok()
}

fn number(of: &[u8], at: usize) -> Option<u32> {
    bytes(of, at).map(u32::from_le_bytes)
}

fn float(of: &[u8], at: usize) -> Option<f32> {
    bytes(of, at).map(f32::from_le_bytes)
}

/// The vector of a text: the mean of the vectors of its pieces; `None` if no piece is known.
pub(crate) fn embed(text: &str) -> Option<[f32; SIZE]> {
    let table = Table::open()?;
    let mut sum = [0.0; SIZE];
    let mut count = 0.0;
    for word in words(text).take(MOST_WORDS) {
        for piece in pieces(&table, &word).into_iter().flatten() {
            table.add(piece, &mut sum);
            count += 1.0;
        }
    }
    if count == 0.0 {
        return None;
    }
    sum.iter_mut().for_each(|part| *part /= count);
    Some(sum)
}

/// The mean vector of requests on any topic.
pub(crate) fn general_mean() -> Vec<f32> {
    let Some(table) = Table::open() else { return Vec::new() };
    (0..SIZE).map(|at| float(table.mean, at).unwrap_or_default()).collect()
}

/// The words of a text: runs of letters and digits, in lower case and without accents.
fn words(text: &str) -> impl Iterator<Item = String> {
    let of_words = |char: char| !char.is_alphanumeric() && !is_combining_mark(char);
    text.split(of_words).filter(|word| !word.is_empty()).map(|word| {
        let plain = word.nfd().filter(|char| !is_combining_mark(*char));
        plain.flat_map(char::to_lowercase).take(LONGEST_WORD + 1).collect()
    })
}

/// Cuts a word into pieces, each the longest that matches; `None` if a part of it matches no piece.
fn pieces(table: &Table, word: &str) -> Option<Vec<usize>> {
    if word.len() > LONGEST_WORD || !word.is_ascii() {
        return None;
    }
    let mut found = Vec::new();
    let mut start = 0;
    let mut piece = Vec::with_capacity(word.len() + 2);
    while start < word.len() {
        let lead: &[u8] = if start == 0 { b"" } else { b"##" };
        let longest = (start + 1..=word.len()).rev().find_map(|end| {
            piece.clear();
            piece.extend_from_slice(lead);
            piece.extend_from_slice(&word.as_bytes()[start..end]);
            Some((table.find(&piece)?, end))
        });
        let (at, end) = longest?;
        found.push(at);
        start = end;
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    fn names(word: &str) -> Option<Vec<String>> {
        let table = Table::open().unwrap();
        let names = pieces(&table, word)?.into_iter().map(|at| table.name(at).unwrap());
        Some(names.map(|name| String::from_utf8(name.to_vec()).unwrap()).collect())
    }

    #[rstest]
    #[case("password", Some(vec!["password"]))]
    #[case("unsubscribe", Some(vec!["un", "##su", "##bs", "##cr", "##ibe"]))]
    #[case("日", None)]
    fn a_word_is_cut_into_the_longest_known_pieces(#[case] word: &str, #[case] expected: Option<Vec<&str>>) {
        assert_eq!(names(word), expected.map(|names| names.into_iter().map(str::to_owned).collect()));
    }

    #[test]
    fn the_file_is_sorted_and_complete() {
        let table = Table::open().unwrap();
        let names: Vec<_> = (0..table.count).map(|at| table.name(at).unwrap()).collect();
        assert!(names.is_sorted() && table.count > 25_000);
        assert_eq!(names.iter().map(|name| name.len()).sum::<usize>(), table.names.len());
        assert!((0..table.count).all(|at| float(table.scales, at).unwrap().is_finite()));
    }

    #[test]
    fn texts_on_one_topic_in_other_words_are_nearer_than_others() {
        let near = |one: &str, other: &str| -> f32 {
            let mean = general_mean();
            let of = |text| {
                let vector: Vec<f32> = embed(text).unwrap().iter().zip(&mean).map(|(part, mean)| part - mean).collect();
                let length = vector.iter().map(|part| part * part).sum::<f32>().sqrt();
                vector.into_iter().map(move |part| part / length)
            };
            of(one).zip(of(other)).map(|(one, other)| one * other).sum()
        };
        let same = near("I forgot my password", "cannot sign in to my account");
        assert!(same > near("I forgot my password", "how do I cook rice"), "{same}");
        assert!(embed("日本").is_none() && embed("").is_none());
    }

    #[test]
    fn a_long_text_takes_linear_time() {
        assert!(embed(&"x".repeat(100_000)).is_none());
        assert!(embed(&"ab ".repeat(50_000)).is_some());
    }
}
