//! `_sidebar.md` of docsify: a list like `SUMMARY.md`.
use super::navigation::{Files, Navigation, Site};
use super::path;
use super::summary::{Item, ItemKind, Summary};

const SIDEBAR: &str = "_sidebar.md";

/// The folders that a site may be in.
const FOLDERS: [&str; 2] = ["", "docs"];

/// Names of Markdown files that are parts of the site, and no pages.
const PARTS: [&str; 5] = [SIDEBAR, "_navbar.md", "_coverpage.md", "_footer.md", "_404.md"];

/// Reads the file. `None` if there is none, or if nothing beside it shows that it is one of docsify.
pub(super) fn read(files: &Files<'_>) -> Option<Navigation> {
    let is_of_docsify = |folder: &str| {
        let beside = |name: &str| path::join(folder, name);
        let is_page_of_docsify = || files.text(&beside("index.html")).is_some_and(|html| html.contains("docsify"));
        files.tree.contains(&beside(SIDEBAR)) && (files.tree.contains(&beside(".nojekyll")) || is_page_of_docsify())
    };
    let folder = FOLDERS.into_iter().find(|folder| is_of_docsify(folder))?;
    let contents = path::join(folder, SIDEBAR);
    let Some(text) = files.text(&contents) else {
        files.fail(&contents, "it is too large; the folders order the pages");
        return None;
    };
    let Summary { title, items } = Summary::parse(&text);
    let items = items.into_iter().map(|item| within(folder, item)).collect();
    let is_part = |path: &&str| PARTS.contains(&path::name(path)) && path::inside(folder, path).is_some();
    let non_pages = files.tree.paths().filter(is_part).map(str::to_owned).collect();
    let (readme, site) = (Some(path::join(folder, "README.md")), Site { non_pages, ..Site::default() });
    Some(Navigation { contents, readme, title, items, site })
}

/// An item with an address from the root of the repository. The title of a link is one for search engines.
fn within(folder: &str, item: Item) -> Item {
    let kind = match item.kind {
        ItemKind::Link { href } if !href.starts_with("//") => {
            let from_root = href.strip_prefix("#/").or_else(|| href.strip_prefix('/'));
            let moved = from_root.map(|rest| format!("/{}", path::join(folder, rest)));
            ItemKind::Link { href: moved.unwrap_or(href) }
        }
        kind => kind,
    };
    Item { kind, link_title: None, ..item }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("", "/guide", "/guide")]
    #[case("docs", "/guide", "/docs/guide")]
    #[case("docs", "#/guide?id=a", "/docs/guide?id=a")]
    #[case("docs", "/", "/docs/")]
    #[case("docs", "guide.md", "guide.md")]
    #[case("docs", "//example.org", "//example.org")]
    #[case("docs", "https://example.org", "https://example.org")]
    fn addresses_are_from_the_folder_of_the_site(#[case] folder: &str, #[case] href: &str, #[case] expected: &str) {
        let item = Summary::parse(&format!("* [A]({href} \"B\")\n")).items.remove(0);
        let item = within(folder, item);
        assert_eq!((item.kind, item.link_title), (ItemKind::Link { href: expected.to_owned() }, None));
    }
}
