//! `meta.json` of Fumadocs: the order of pages in each folder, and the titles of folders.
use super::folders::{self, Display, FolderSettings, Line};
use super::literal::Literal;
use super::navigation::{Files, Navigation, Site};
use super::path;
use std::collections::HashMap;

/// The name of the file.
const META: &str = "meta.json";

/// Usual names of the folder of the pages, the first before others.
const FOLDERS: [&[&str]; 3] = [&["content/docs"], &["content"], &["docs"]];

/// The entry for all pages that no entry names, and for the same in the opposite order.
const OTHERS: &str = "...";
const OTHERS_REVERSED: &str = "z...a";

/// Reads the files. `None` if none of them has an order of pages.
pub(super) fn read(files: &Files<'_>) -> Option<Navigation> {
    let metas = files.tree.paths().filter(|path| path::name(path) == META);
    let metas: Vec<(&str, Literal)> = metas
        .filter_map(|meta| {
            let literal = files.literal(meta)?;
            literal.entries()?;
            Some((meta, literal))
        })
        .collect();
    let paths: Vec<&str> = metas.iter().map(|(meta, _)| *meta).collect();
    let first = *paths.first()?;
    let root = folders::root(&paths, &FOLDERS);
    let mut site = Site::default();
    let inside = metas.iter().filter(|(meta, _)| path::inside(root, meta).is_some());
    let settings: HashMap<String, FolderSettings> =
        inside.map(|(meta, literal)| (path::folder(meta).to_owned(), settings(meta, literal, &mut site))).collect();
    let contents = path::join(root, META);
    let contents = if files.tree.contains(&contents) { contents } else { first.to_owned() };
    let is_page = |path: &str| path::stem(path).eq_ignore_ascii_case("index");
    let title = settings.get(root).and_then(|settings| settings.title.clone());
    let items = folders::entries(files, root, &is_page, &settings, &mut site)?;
    Some(Navigation { contents, readme: None, title, items, site })
}

fn settings(meta: &str, literal: &Literal, site: &mut Site) -> FolderSettings {
    let text = |key: &str| {
        let text = literal.get(key).and_then(Literal::text).map(str::trim).filter(|text| !text.is_empty());
        text.map(str::to_owned)
    };
    let others = Line::Others { is_reversed: false, display: Display::Shown };
    let lines = match literal.get("pages").and_then(Literal::list) {
        Some(pages) => {
            let unknown = pages.iter().filter(|page| page.text().is_none());
            unknown.for_each(|page| site.warn(meta, page.line, "an entry is not a text; it is left out"));
            pages.iter().filter_map(|page| Some((page.line, line(page.text()?)?))).collect()
        }
        None => vec![(literal.line, others)],
    };
    FolderSettings { path: meta.to_owned(), title: text("title"), icon: text("icon"), lines }
}

/// An entry of a list of pages; `None` if it is empty.
fn line(entry: &str) -> Option<Line> {
    let entry = entry.trim();
    let page = |name: &str, display| Line::Page { name: name.trim().to_owned(), title: None, display };
    Some(if entry.is_empty() {
        return None;
    } else if entry == OTHERS || entry == OTHERS_REVERSED {
        Line::Others { is_reversed: entry == OTHERS_REVERSED, display: Display::Shown }
    } else if let Some(title) = entry.strip_prefix("---") {
        let title = without_icon(title.strip_suffix("---").unwrap_or(title).trim());
        Line::Separator { title: Some(title.to_owned()).filter(|title| !title.is_empty()) }
    } else if let Some((title, href)) = link(entry) {
        Line::Link { href: href.to_owned(), title: title.to_owned() }
    } else if let Some(name) = entry.strip_prefix(OTHERS) {
        page(name, Display::Inline)
    } else if let Some(name) = entry.strip_prefix('!') {
        page(name, Display::Hidden)
    } else {
        page(entry, Display::Shown)
    })
}

/// The title and the address of `[Title](address)`, also after `external:` and an icon.
fn link(entry: &str) -> Option<(&str, &str)> {
    let entry = entry.strip_prefix("external:").unwrap_or(entry);
    let (title, href) = entry.strip_suffix(')')?.split_once("](")?;
    Some((title.rsplit_once('[')?.1.trim(), href.trim())).filter(|(_, href)| !href.is_empty())
}

/// A title without the icon before it: `[Icon]Title`.
fn without_icon(title: &str) -> &str {
    let rest = title.strip_prefix('[').and_then(|title| Some(title.split_once(']')?.1));
    rest.map_or(title, str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    fn page(name: &str, display: Display) -> Option<Line> {
        Some(Line::Page { name: name.to_owned(), title: None, display })
    }

    #[rstest]
    #[case("guide", page("guide", Display::Shown))]
    #[case("./guide/start.mdx", page("./guide/start.mdx", Display::Shown))]
    #[case("...guide", page("guide", Display::Inline))]
    #[case("!guide", page("guide", Display::Hidden))]
    #[case("...", Some(Line::Others { is_reversed: false, display: Display::Shown }))]
    #[case("z...a", Some(Line::Others { is_reversed: true, display: Display::Shown }))]
    #[case("---First steps---", Some(Line::Separator { title: Some("First steps".to_owned()) }))]
    #[case("---[Star] First steps---", Some(Line::Separator { title: Some("First steps".to_owned()) }))]
    #[case("---", Some(Line::Separator { title: None }))]
    #[case("[A b](https://a.org)", Some(Line::Link { href: "https://a.org".to_owned(), title: "A b".to_owned() }))]
    #[case("external:[Star][A](/a)", Some(Line::Link { href: "/a".to_owned(), title: "A".to_owned() }))]
    #[case(" ", None)]
    fn each_kind_of_entry_is_read(#[case] entry: &str, #[case] expected: Option<Line>) {
        assert_eq!(line(entry), expected);
    }
}
