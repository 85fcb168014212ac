//! Patterns of the names of files in tables of contents: `guide/*`, `notes/**/*.md`.
use super::path;

/// How many patterns of a table of contents are read, and the longest of them, in bytes. Each takes time in proportion
/// to the number of files.
const MAX_PATTERNS: usize = 64;
const MAX_PATTERN: usize = 255;

/// How many characters all patterns may be compared with.
const MAX_STEPS: usize = 100_000_000;

/// Any number of folders, in a pattern.
const FOLDERS: &str = "**";

/// The patterns of a table of contents.
#[derive(Debug)]
pub(super) struct Patterns {
    /// How many more may be read.
    count: usize,
    /// How many characters they may still be compared with.
    steps: usize,
}

impl Default for Patterns {
    fn default() -> Self {
        Self { count: MAX_PATTERNS, steps: MAX_STEPS }
    }
}

impl Patterns {
    /// The files whose paths match a pattern, with or without their extensions, in their order. `None` if the pattern
    /// is too long, if there were too many before it, or if all of them take too long.
    pub(super) fn matching<'f>(
        &mut self,
        pattern: &str,
        files: impl IntoIterator<Item = &'f str>,
    ) -> Option<Vec<&'f str>> {
        if pattern.len() > MAX_PATTERN {
            return None;
        }
        self.count = self.count.checked_sub(1)?;
        let pattern: Vec<&str> = pattern.split('/').collect();
        let mut steps = self.steps;
        let mut found = Vec::new();
        for file in files {
            let stem = without_extension(file);
            if matches_path(&pattern, stem, &mut steps) || matches_path(&pattern, file, &mut steps) {
                found.push(file);
            }
        }
        self.steps = steps;
        (steps > 0).then_some(found)
    }
}

/// A path without the extension of its file.
fn without_extension(file: &str) -> &str {
    match path::name(file).rfind('.') {
        Some(at) => &file[..file.len() - path::name(file).len() + at],
        None => file,
    }
}

/// Whether a path matches the names of a pattern. `**` is any number of folders. Each name of the pattern is compared
/// with each name of the path at most once, so this takes time in proportion to the product of their lengths.
fn matches_path(pattern: &[&str], path: &str, steps: &mut usize) -> bool {
    let names: Vec<&str> = path.split('/').collect();
    let (mut at, mut place) = (0, 0);
    // After the last mark for folders: the name in the pattern, and the one in the path.
    let mut back: Option<(usize, usize)> = None;
    loop {
        let is_match = match (pattern.get(at), names.get(place)) {
            (Some(&FOLDERS), Some(_)) => {
                back = Some((at + 1, place));
                at += 1;
                continue;
            }
            (Some(pattern), Some(name)) => matches_name(pattern, name, steps),
            (None, None) => return true,
            (_, None) => return false,
            (None, Some(_)) => at > 0 && pattern[at - 1] == FOLDERS,
        };
        match back {
            _ if is_match => (at, place) = (at + usize::from(at < pattern.len()), place + 1),
            Some((after, from)) => {
                back = Some((after, from + 1));
                (at, place) = (after, from + 1);
            }
            None => return false,
        }
    }
}

/// Whether a name matches a pattern: `*` is any text, and `?` any character of one byte.
fn matches_name(pattern: &str, name: &str, steps: &mut usize) -> bool {
    let (pattern, name) = (pattern.as_bytes(), name.as_bytes());
    let (mut at, mut place) = (0, 0);
    // After the last star: the place in the pattern, and in the name.
    let mut back: Option<(usize, usize)> = None;
    while place < name.len() {
        if *steps == 0 {
            return false;
        }
        *steps -= 1;
        match pattern.get(at) {
            Some(b'*') => {
                back = Some((at + 1, place));
                at += 1;
            }
            Some(byte) if *byte == b'?' || *byte == name[place] => {
                at += 1;
                place += 1;
            }
            _ => match back {
                Some((after, from)) => {
                    back = Some((after, from + 1));
                    (at, place) = (after, from + 1);
                }
                None => return false,
            },
        }
    }
    pattern[at..].iter().all(|byte| *byte == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    fn is_match(pattern: &str, path: &str) -> bool {
        let mut steps = usize::MAX;
        matches_path(&pattern.split('/').collect::<Vec<_>>(), path, &mut steps)
    }

    #[rstest]
    #[case("guide/*", "guide/a", true)]
    #[case("guide/*", "guide/a/b", false)]
    #[case("a*c?", "abcd", true)]
    #[case("a*c?", "abc/", false)]
    #[case("*b*", "aabaa", true)]
    #[case("a", "b", false)]
    #[case("*", "", true)]
    #[case("a", "a/b", false)]
    #[case("a/b", "a", false)]
    fn a_star_matches_any_text_in_a_folder(#[case] pattern: &str, #[case] path: &str, #[case] expected: bool) {
        assert_eq!(is_match(pattern, path), expected);
    }

    #[rstest]
    #[case("**/a", "a", true)]
    #[case("**/a", "b/c/a", true)]
    #[case("**/a", "b/c/aa", false)]
    #[case("b/**", "b/c/a", true)]
    #[case("b/**", "c/a", false)]
    #[case("b/**/d/*", "b/c/d/e/d/f", true)]
    #[case("b/**/d/*", "b/c/d/e/f", false)]
    #[case("**/x/**/y", "a/x/b/c/y", true)]
    #[case("**", "a/b", true)]
    fn two_stars_match_any_folders(#[case] pattern: &str, #[case] path: &str, #[case] expected: bool) {
        assert_eq!(is_match(pattern, path), expected);
    }

    #[test]
    fn files_match_with_and_without_their_extensions() {
        let files = ["a.b/c", "a.b/d.md", "e.md"];
        let find = |pattern: &str| Patterns::default().matching(pattern, files).expect("a short pattern");
        assert_eq!(find("a.b/*"), ["a.b/c", "a.b/d.md"]);
        assert_eq!((find("*.md"), find("e"), find("a")), (vec!["e.md"], vec!["e.md"], vec![]));
    }

    #[test]
    fn patterns_are_limited_in_number_length_and_time() {
        let mut patterns = Patterns::default();
        assert!((0..MAX_PATTERNS).all(|_| patterns.matching("a", ["a"]).is_some()));
        assert_eq!(patterns.matching("a", ["a"]), None);
        assert_eq!(Patterns::default().matching(&"a".repeat(MAX_PATTERN + 1), ["a"]), None);
        let (slow, name) = ("*a".repeat(100) + "b", "a".repeat(255));
        let files = vec![name.as_str(); 20_000];
        let mut patterns = Patterns::default();
        assert!((0..MAX_PATTERNS).any(|_| patterns.matching(&slow, files.iter().copied()).is_none()));
        assert_eq!(patterns.steps, 0);
    }
}
