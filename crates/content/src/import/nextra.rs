//! `_meta.json` and `_meta.js` of Nextra: the order, the titles and the visibility of pages in each folder.
use super::folders::{self, Display, FolderSettings, Line};
use super::literal::Literal;
use super::navigation::{Files, MAX_SECTIONS, Navigation, Site};
use super::path::{self, MAX_PATH};
use super::sidebar::has_pages;
use super::source::SourceTree;
use std::collections::HashMap;

/// Names of the file in each folder, and of one file for all folders, without extensions.
const META: &str = "_meta";
const GLOBAL: &str = "_meta.global";

/// Extensions of the files.
const EXTENSIONS: [&str; 5] = ["json", "js", "jsx", "ts", "tsx"];

/// Usual names of the folder of the pages.
const FOLDERS: [&str; 3] = ["content", "pages", "app"];

/// The folder of routes, with pages of this name, if there is no folder of pages.
const ROUTES: &str = "app";
const ROUTE_PAGE: &str = "page";

/// The key of the settings of all others.
const ALL: &str = "*";

/// Reads the files. `None` if there are none.
pub(super) fn read(files: &Files<'_>) -> Option<Navigation> {
    let metas: Vec<&str> = files.tree.paths().filter(|path| is_meta(path, META) || is_meta(path, GLOBAL)).collect();
    let first = metas.first()?;
    let root = root(files.tree, &metas);
    let mut site = Site { short_titles: &["sidebarTitle"], ..Site::default() };
    let mut settings = HashMap::new();
    for meta in &metas {
        let place = if is_meta(meta, GLOBAL) { root.as_str() } else { path::folder(meta) };
        if place != root && path::inside(&root, place).is_none() {
            continue;
        }
        let literal = files.literal(meta);
        match literal.as_ref().map(Literal::unwrapped).filter(|literal| literal.entries().is_some()) {
            Some(literal) => collect(&mut settings, &mut site, meta, place, literal, 0),
            None => files.fail(meta, "it is not understood; names order the pages of the folder"),
        }
    }
    if settings.is_empty() {
        return None;
    }
    let contents = settings.get(&root).map_or_else(|| (*first).to_owned(), |settings| settings.path.clone());
    let has_routes = path::name(&root) == ROUTES;
    let is_page = |path: &str| {
        let stem = path::stem(path);
        stem.eq_ignore_ascii_case("index") || (has_routes && stem == ROUTE_PAGE)
    };
    let items = folders::entries(files, &root, &is_page, &settings, &mut site)?;
    Some(Navigation { contents, readme: None, title: None, items, site })
}

fn is_meta(path: &str, stem: &str) -> bool {
    let extension = path::name(path).strip_prefix(stem).and_then(|rest| rest.strip_prefix('.'));
    extension.is_some_and(|extension| EXTENSIONS.contains(&extension))
}

/// The folder of the pages. If only the routes have settings, the pages can be in a folder beside them.
fn root(tree: &SourceTree, metas: &[&str]) -> String {
    let found = folders::root(metas, &[&FOLDERS]);
    if has_pages(tree, found) {
        return found.to_owned();
    }
    let above = path::folder(found);
    let beside = [path::join(above, FOLDERS[0]), path::join(path::folder(above), FOLDERS[0])];
    beside.into_iter().find(|folder| has_pages(tree, folder)).unwrap_or_default()
}

/// Reads the settings of a folder, and those of the folders in it if they are in the same file.
fn collect(
    settings: &mut HashMap<String, FolderSettings>,
    site: &mut Site,
    meta: &str,
    place: &str,
    literal: &Literal,
    depth: usize,
) {
    let entries = literal.entries().unwrap_or_default();
    let is_hidden = |value: Option<&Literal>| text(value.and_then(|value| value.get("display"))) == Some("hidden");
    let all_are_hidden = is_hidden(literal.get(ALL));
    let mut lines = Vec::with_capacity(entries.len() + 1);
    for (key, value) in entries.iter().filter(|(key, _)| key != ALL) {
        if key.is_empty() {
            site.warn(meta, value.line, "an entry is computed; it is left out");
            continue;
        }
        let title = text(Some(value)).or_else(|| text(value.get("title"))).map(str::to_owned);
        let items = value.get("items").filter(|items| items.entries().is_some());
        let kind = text(value.get("type")).unwrap_or_default();
        let line = if kind == "separator" {
            Line::Separator { title }
        } else if let Some(href) = text(value.get("href")) {
            Line::Link { href: href.to_owned(), title: title.unwrap_or_else(|| key.clone()) }
        } else if let Some(items) = items.filter(|_| kind == "menu") {
            Line::Menu { title: title.unwrap_or_else(|| key.clone()), links: links(items) }
        } else {
            let place = path::join(place, key);
            // A longer path has no pages, and would be repeated for each folder in it.
            if let Some(items) = items.filter(|_| depth < MAX_SECTIONS && place.len() <= MAX_PATH) {
                collect(settings, site, meta, &place, items, depth + 1);
            }
            let display = match text(value.get("display")) {
                Some("hidden") => Display::Hidden,
                Some("children") => Display::Inline,
                None if all_are_hidden => Display::Hidden,
                _ => Display::Shown,
            };
            Line::Page { name: key.clone(), title, display }
        };
        lines.push((value.line, line));
    }
    let display = if all_are_hidden { Display::Hidden } else { Display::Shown };
    lines.push((literal.line, Line::Others { is_reversed: false, display }));
    let of_folder = FolderSettings { path: meta.to_owned(), lines, ..FolderSettings::default() };
    settings.entry(place.to_owned()).or_insert(of_folder);
}

/// A text that is not empty.
fn text(value: Option<&Literal>) -> Option<&str> {
    value?.text().map(str::trim).filter(|text| !text.is_empty())
}

/// The addresses and titles in a menu.
fn links(items: &Literal) -> Vec<(String, String)> {
    let link = |(key, value): &(String, Literal)| {
        let title = text(Some(value)).or_else(|| text(value.get("title"))).unwrap_or(key);
        Some((text(value.get("href"))?.to_owned(), title.to_owned()))
    };
    items.entries().unwrap_or_default().iter().filter_map(link).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("_meta.json", true)]
    #[case("a/_meta.tsx", true)]
    #[case("a/_meta.global.js", true)]
    #[case("a/_meta.en.json", false)]
    #[case("a/meta.json", false)]
    #[case("a/_metadata.json", false)]
    fn settings_are_recognized_by_their_names(#[case] path: &str, #[case] expected: bool) {
        assert_eq!(is_meta(path, META) || is_meta(path, GLOBAL), expected);
    }

    #[test]
    fn folders_with_a_path_that_is_too_long_have_no_settings() {
        let long = "x".repeat(MAX_PATH + 1);
        let text =
            format!("export default {{ {long}: {{ items: {{ a: {{ items: {{}} }} }} }}, b: {{ items: {{}} }} }}");
        let literal = Literal::exported(&text).expect("a value");
        let (mut settings, mut site) = (HashMap::new(), Site::default());
        collect(&mut settings, &mut site, "_meta.js", "", &literal, 0);
        assert!(settings.len() == 2 && settings.contains_key("b"), "{settings:?}");
    }

    #[test]
    fn each_kind_of_entry_is_read() {
        let text = "export default {\n  a: 'A',\n  b: { title: 'B', display: 'hidden' },\n  c: { display: 'children' },\n  '--': { type: 'separator', title: <b>x</b> },\n  d: { title: 'D', href: '/d', newWindow: true },\n  e: { type: 'menu', items: { f: { title: 'F', href: 'https://f.org' }, g: 'G' } },\n  [h]: 'H',\n  '*': { type: 'page' },\n}\n";
        let literal = Literal::exported(text).expect("a value");
        let (mut settings, mut site) = (HashMap::new(), Site::default());
        collect(&mut settings, &mut site, "_meta.js", "", &literal, 0);
        let page = |name: &str, title: Option<&str>, display| Line::Page {
            name: name.to_owned(),
            title: title.map(str::to_owned),
            display,
        };
        let expected = [
            (2, page("a", Some("A"), Display::Shown)),
            (3, page("b", Some("B"), Display::Hidden)),
            (4, page("c", None, Display::Inline)),
            (5, Line::Separator { title: None }),
            (6, Line::Link { href: "/d".to_owned(), title: "D".to_owned() }),
            (7, Line::Menu { title: "e".to_owned(), links: vec![("https://f.org".to_owned(), "F".to_owned())] }),
            (1, Line::Others { is_reversed: false, display: Display::Shown }),
        ];
        assert_eq!(settings[""].lines, expected);
        assert_eq!(site.warnings.len(), 1);
    }
}
