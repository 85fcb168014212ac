//! Finds pages that are similar to a path without a page.

/// The most characters of a segment that are compared.
const MAX_LENGTH: usize = 100;
/// The endings that do not belong to the name of a page.
const ENDINGS: [&str; 3] = [".md", ".html", ".htm"];

/// A path without a page. It has at least one segment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LostPath {
    folder: String,
    name: Vec<char>,
}

impl LostPath {
    /// The path, not encoded; `None` if it is empty.
    pub(crate) fn new(path: &str) -> Option<Self> {
        let (folder, last) = cut(path.trim_matches('/'));
        let name = name(last);
        (!name.is_empty()).then(|| Self { folder: folder.to_lowercase(), name })
    }

    /// The edit distance, ignoring case, between the last segments of the lost path and of a page's path. `None` if it
    /// is greater than 5 or than a third of the segment.
    pub(crate) fn edits(&self, page: &str) -> Option<usize> {
        let most = (self.name.len() / 3).clamp(1, 5);
        let other = name(cut(page).1);
        if self.name.len().abs_diff(other.len()) > most {
            return None;
        }
        Some(distance(&self.name, &other)).filter(|edits| *edits <= most)
    }

    /// Whether a page is below the same path, which is not that of the site.
    pub(crate) fn is_beside(&self, page: &str) -> bool {
        !self.folder.is_empty() && cut(page).0.to_lowercase() == self.folder
    }
}

/// The part before the last segment, and the last segment.
fn cut(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or(("", path))
}

fn name(segment: &str) -> Vec<char> {
    let segment = segment.to_lowercase();
    let name = ENDINGS.iter().find_map(|ending| segment.strip_suffix(ending)).unwrap_or(&segment);
    name.chars().map(|char| if char == '_' || char == ' ' { '-' } else { char }).take(MAX_LENGTH).collect()
}

/// The Levenshtein distance.
fn distance(one: &[char], other: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (at, char) in one.iter().enumerate() {
        let mut before = row[0];
        row[0] = at + 1;
        for (to, wanted) in other.iter().enumerate() {
            let replaced = before + usize::from(char != wanted);
            before = row[to + 1];
            row[to + 1] = replaced.min(row[to] + 1).min(before + 1);
        }
    }
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rstest::rstest;

    #[rstest]
    #[case("install", "install", Some(0))]
    #[case("guides/Instal", "reference/install", Some(1))]
    #[case("quick_start.html", "quickstart", Some(1))]
    #[case("quick start/", "quick-start", Some(0))]
    #[case("getting-started", "get-started", Some(4))]
    #[case("faq", "fax", Some(1))]
    #[case("faq", "api", None)]
    #[case("linux-install", "linux", None)]
    #[case("a", "", Some(1))]
    #[case("größe", "grösse", None)]
    fn a_name_is_near_if_few_characters_differ(
        #[case] lost: &str,
        #[case] page: &str,
        #[case] expected: Option<usize>,
    ) {
        assert_eq!(LostPath::new(lost).and_then(|lost| lost.edits(page)), expected);
    }

    #[rstest]
    #[case("install/bsd", "install/linux", true)]
    #[case("Install/bsd/", "install/linux", true)]
    #[case("install/bsd", "install/linux/arch", false)]
    #[case("bsd", "linux", false)]
    fn a_page_below_the_same_path_is_beside(#[case] lost: &str, #[case] page: &str, #[case] expected: bool) {
        assert_eq!(LostPath::new(lost).is_some_and(|lost| lost.is_beside(page)), expected);
    }

    #[test]
    fn an_empty_path_is_similar_to_no_page() {
        assert_eq!((LostPath::new(""), LostPath::new("//")), (None, None));
    }

    proptest! {
        #[test]
        fn the_distance_is_one_for_one_edit(text in "[a-z]{1,20}", at in 0usize..20, char in "[A-Z]") {
            let one: Vec<char> = text.chars().collect();
            let mut other = one.clone();
            other.insert(at.min(one.len()), char.chars().next().unwrap_or('X'));
            prop_assert_eq!((distance(&one, &other), distance(&other, &one), distance(&one, &one)), (1, 1, 0));
        }
    }
}
