//! Resolves relative addresses in a repository.
use super::path::{self, is_readme};
use super::source::SourceTree;

/// Names of a folder's own page, the most usual first.
const FOLDER_PAGES: [&str; 4] = ["README.md", "readme.md", "index.md", "Readme.md"];

/// The target of an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// Out of the repository, or not a file: the address stays unchanged.
    Elsewhere,
    /// An anchor in the same file.
    Here {
        /// The anchor.
        fragment: String,
    },
    /// To a file.
    File {
        /// Its path.
        path: String,
        /// An anchor in it.
        fragment: Option<String>,
    },
    /// Nowhere.
    Nowhere,
}

/// Finds the target of an address in the file `from`. Tries in this order: the file of that name (as it is written,
/// then percent-decoded); that name with `.md` added, or in place of `.html`; the page of the folder of that name.
pub(crate) fn find(tree: &SourceTree, from: &str, href: &str) -> Found {
    if has_scheme(href) || href.starts_with("//") {
        return Found::Elsewhere;
    }
    let (place, fragment) = match href.split_once('#') {
        Some((place, fragment)) => (place, Some(path::decode(fragment)).filter(|fragment| !fragment.is_empty())),
        None => (href, None),
    };
    if place.is_empty() {
        return match fragment {
            Some(fragment) => Found::Here { fragment },
            None if href == "#" => Found::Elsewhere,
            None => Found::Nowhere,
        };
    }
    let without_query = place.split_once('?').map_or(place, |(place, _)| place);
    let folder = path::folder(from);
    for place in [place, without_query] {
        for place in [place.to_owned(), path::decode(place)] {
            if let Some(path) = path::resolve(folder, &place).and_then(|path| file(tree, &path)) {
                return Found::File { path, fragment };
            }
        }
    }
    Found::Nowhere
}

fn file(tree: &SourceTree, path: &str) -> Option<String> {
    let exists = |path: String| tree.contains(&path).then_some(path);
    let beside = || path.strip_suffix(".html").and_then(|stem| exists(format!("{stem}.md")));
    let page = || FOLDER_PAGES.iter().find_map(|name| exists(path::join(path, name)));
    exists(path.to_owned())
        .or_else(|| if path.is_empty() { None } else { exists(format!("{path}.md")) })
        .or_else(beside)
        .or_else(page)
        .filter(|found| !found.is_empty())
}

/// Whether an address names its scheme (RFC 3986, 3.1), such as `mailto:`.
pub(crate) fn has_scheme(href: &str) -> bool {
    href.split_once(':').is_some_and(|(scheme, _)| {
        scheme.starts_with(|first: char| first.is_ascii_alphabetic())
            && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'))
    })
}

/// The address of the file `to`, as it is written in the file `from`. The page of a folder is written as its file, as
/// the original service does.
pub(crate) fn write(from: &str, to: &str, fragment: Option<&str>) -> String {
    let way = path::relative(path::folder(from), to);
    // Otherwise a name such as "a:b.md" would begin with a scheme.
    let way = if has_scheme(&way) { format!("./{way}") } else { way };
    let fragment = fragment.map_or(String::new(), |fragment| format!("#{}", path::encode(fragment)));
    path::encode(&way) + &fragment
}

/// A title made from a file: its name, or that of the folder whose page it is, with spaces.
pub(crate) fn title_of(path: &str) -> String {
    let name = if is_readme(path) { path::name(path::folder(path)) } else { path::stem(path) };
    let words: Vec<&str> = name.split(['-', '_', ' ']).filter(|word| !word.is_empty()).collect();
    let title = words.join(" ");
    let mut letters = title.chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => "Introduction".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rstest::rstest;

    fn tree() -> SourceTree {
        let mut tree = SourceTree::default();
        for path in ["README.md", "a/README.md", "a/b.md", "a/c d (1).png", "a/100%25.md", "e/index.md", "q?x.md"] {
            tree.insert(path);
        }
        tree
    }

    #[rstest]
    #[case("b.md", Some("a/b.md"))]
    #[case("./b.md", Some("a/b.md"))]
    #[case("../a/b.md", Some("a/b.md"))]
    #[case("/a/b.md", Some("a/b.md"))]
    #[case("b", Some("a/b.md"))]
    #[case("b.html", Some("a/b.md"))]
    #[case("b.md?raw=true", Some("a/b.md"))]
    #[case("../", Some("README.md"))]
    #[case("/", Some("README.md"))]
    #[case(".", Some("a/README.md"))]
    #[case("../e/", Some("e/index.md"))]
    #[case("c%20d%20%281%29.png", Some("a/c d (1).png"))]
    #[case("c d (1).png", Some("a/c d (1).png"))]
    #[case("100%25.md", Some("a/100%25.md"))]
    #[case("100%2525.md", Some("a/100%25.md"))]
    #[case("/q?x.md", Some("q?x.md"))]
    #[case("gone.md", None)]
    #[case("../../../etc/passwd", None)]
    #[case("", None)]
    #[case("B.md", None)]
    fn a_relative_address_leads_to_a_file_that_is_there(#[case] href: &str, #[case] expected: Option<&str>) {
        let expected = expected.map_or(Found::Nowhere, |path| Found::File { path: path.to_owned(), fragment: None });
        assert_eq!(find(&tree(), "a/README.md", href), expected);
    }

    #[rstest]
    #[case("https://example.org/b.md")]
    #[case("mailto:ada@example.org")]
    #[case("//example.org/b.md")]
    #[case("#")]
    fn other_addresses_stay_as_they_are(#[case] href: &str) {
        assert_eq!(find(&tree(), "a/README.md", href), Found::Elsewhere);
    }

    #[test]
    fn a_fragment_is_a_place_in_a_file() {
        let fragment = Some("über".to_owned());
        assert_eq!(find(&tree(), "a/x.md", "b.md#%C3%BCber"), Found::File { path: "a/b.md".to_owned(), fragment });
        assert_eq!(find(&tree(), "a/x.md", "#here"), Found::Here { fragment: "here".to_owned() });
        assert_eq!(find(&tree(), "a/x.md", "b.md#"), Found::File { path: "a/b.md".to_owned(), fragment: None });
    }

    #[rstest]
    #[case("a/how-to_do.it.md", "How to do.it")]
    #[case("guides/README.md", "Guides")]
    #[case("README.md", "Introduction")]
    #[case("---.md", "Introduction")]
    fn a_file_gives_a_title(#[case] path: &str, #[case] title: &str) {
        assert_eq!(title_of(path), title);
    }

    proptest! {
        #[test]
        fn a_written_address_leads_back(from in "([a-c]/){0,3}[a-z]\\.md", to in "([a-c]/){0,3}[a-z #?%:()é]{1,8}\\.md") {
            let mut tree = SourceTree::default();
            tree.insert(to.clone());
            let href = write(&from, &to, Some("x y"));
            let fragment = Some("x y".to_owned());
            prop_assert_eq!(find(&tree, &from, &href), Found::File { path: to, fragment });
        }
    }
}
