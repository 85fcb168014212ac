//! Resolves relative addresses in a repository.
use super::path::{self, MARKDOWN, is_readme};
use super::source::SourceTree;

/// Names of a folder's own page, without extensions, the most usual first.
const FOLDER_PAGES: [&str; 6] = ["README", "readme", "index", "_index", "Readme", "Index"];

/// A folder's own page in Next.js, which Nextra is made with.
const ROUTE_PAGE: &str = "page.mdx";

/// Folders whose files generators of sites put at the root of the site.
const SITE_FILES: [&str; 2] = ["static", "public"];

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
/// then percent-decoded); that name with `.md` or another extension of Markdown added, or in place of `.html`; the page
/// of the folder of that name. An address that begins with `/` is also one from the root of a site, which may be in any
/// folder around the file, and whose addresses may be in lower case.
pub(crate) fn find(tree: &SourceTree, from: &str, href: &str) -> Found {
    if is_elsewhere(href) {
        return Found::Elsewhere;
    }
    let (place, fragment) = match href.split_once('#') {
        Some((place, fragment)) => (place, Some(path::decode(fragment)).filter(|fragment| !fragment.is_empty())),
        None => (href, None),
    };
    if place.is_empty() {
        return match fragment {
            Some(fragment) => Found::Here { fragment },
            None => Found::Nowhere,
        };
    }
    let folder = path::folder(from);
    let at = |place: String| {
        let found = path::resolve(folder, &place).and_then(|path| file(tree, &path));
        found.or_else(|| of_site(tree, folder, place.strip_prefix('/')?))
    };
    let forms = forms(place);
    match forms.iter().cloned().find_map(at).or_else(|| of_site_without_case(tree, folder, &forms)) {
        Some(path) => Found::File { path, fragment },
        None => Found::Nowhere,
    }
}

/// The different forms of an address without its fragment: with and without a query, as it is written and
/// percent-decoded.
fn forms(place: &str) -> Vec<String> {
    let without_query = place.split_once('?').map_or(place, |(place, _)| place);
    let mut forms = Vec::with_capacity(4);
    for form in [place, without_query].into_iter().flat_map(|place| [place.to_owned(), path::decode(place)]) {
        if !forms.contains(&form) {
            forms.push(form);
        }
    }
    forms
}

/// Whether an address leads out of the repository, or is not one of a file. It says so itself.
pub(crate) fn is_elsewhere(href: &str) -> bool {
    has_scheme(href) || href.starts_with("//") || href == "#"
}

fn file(tree: &SourceTree, path: &str) -> Option<String> {
    // Most lookups find nothing, above all those in the folders around a file.
    let stem = path.strip_suffix(".html").or_else(|| path.strip_suffix(".md")).unwrap_or(path);
    if !tree.has_start(stem) {
        return None;
    }
    let exists = |path: String| tree.contains(&path).then_some(path);
    let markdown = |stem: &str| MARKDOWN.iter().find_map(|extension| exists(format!("{stem}.{extension}")));
    let beside = || [".html", ".md"].iter().find_map(|other| markdown(path.strip_suffix(other)?));
    let page = || FOLDER_PAGES.iter().find_map(|name| markdown(&path::join(path, name)));
    exists(path.to_owned())
        .or_else(|| if path.is_empty() { None } else { markdown(path) })
        .or_else(beside)
        .or_else(page)
        .or_else(|| exists(path::join(path, ROUTE_PAGE)))
        .filter(|found| !found.is_empty())
}

/// The file of an address from the root of a site. The site may be in any of the folders around a file in `folder`, the
/// outermost first.
fn of_site(tree: &SourceTree, folder: &str, place: &str) -> Option<String> {
    let place = path::resolve("", place).filter(|place| !place.is_empty())?;
    let ends = folder.match_indices('/').map(|(at, _)| at).chain([folder.len()]);
    [0].into_iter().chain(ends).find_map(|end| {
        let root = &folder[..end];
        let beside = || SITE_FILES.iter().find_map(|files| file(tree, &path::join(&path::join(root, files), &place)));
        file(tree, &path::join(root, &place)).or_else(beside)
    })
}

/// The same without regard to case, as some generators make addresses in lower case.
fn of_site_without_case(tree: &SourceTree, folder: &str, forms: &[String]) -> Option<String> {
    let mut places = forms.iter().filter_map(|form| form.strip_prefix('/')).peekable();
    places.peek()?;
    let (folded, folder) = (tree.folded(), path::fold(folder));
    let found = places.find_map(|place| of_site(&folded.tree, &folder, &path::fold(place)))?;
    folded.files.get(&found).cloned()
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
        ["r/page.mdx", "s/page.md"].into_iter().for_each(|path| tree.insert(path));
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
    #[case("../r", Some("r/page.mdx"))]
    #[case("../s", None)]
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

    #[rstest]
    #[case("/img/x.png", Some("static/img/x.png"))]
    #[case("/logo.png", Some("docs/public/logo.png"))]
    #[case("/guide/other", Some("docs/guide/other.mdx"))]
    #[case("/guide/other.html", Some("docs/guide/other.mdx"))]
    #[case("other.md", Some("docs/guide/other.mdx"))]
    #[case("/docs/guide", Some("docs/guide/_index.md"))]
    #[case("img/x.png", None)]
    #[case("/other", Some("docs/guide/other.mdx"))]
    #[case("/Guide/OTHER/", Some("docs/guide/other.mdx"))]
    #[case("/guide/titled", Some("docs/guide/Titled.md"))]
    #[case("titled.md", None)]
    #[case("/gone", None)]
    #[case("/../img/x.png", None)]
    fn an_address_from_the_root_of_a_site_leads_to_its_file(#[case] href: &str, #[case] expected: Option<&str>) {
        let mut tree = SourceTree::default();
        let files = ["docs/guide/other.mdx", "docs/guide/Titled.md", "docs/guide/_index.md"];
        let files = ["static/img/x.png", "docs/public/logo.png"].into_iter().chain(files);
        files.for_each(|path| tree.insert(path));
        let expected = expected.map_or(Found::Nowhere, |path| Found::File { path: path.to_owned(), fragment: None });
        assert_eq!(find(&tree, "docs/guide/_index.md", href), expected);
    }

    #[rstest]
    #[case("/q1", &["/q1"])]
    #[case("a%20b", &["a%20b", "a b"])]
    #[case("a?b", &["a?b", "a"])]
    #[case("a%20b?c%20d", &["a%20b?c%20d", "a b?c d", "a%20b", "a b"])]
    fn each_form_of_an_address_is_looked_up_once(#[case] place: &str, #[case] expected: &[&str]) {
        assert_eq!(forms(place), expected);
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
