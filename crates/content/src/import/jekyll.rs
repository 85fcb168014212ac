//! Front matter of sites of Jekyll with a theme such as Just the Docs: the parent of a page, and its place there.
use super::address::title_of;
use super::encoding::decode;
use super::navigation::{Entries, Files, Link, Navigation, Shown, Site};
use super::outline::Rank;
use super::path::is_markdown;
use super::sibling::front_matter;
use super::syntaxes::BOOK_CONTENTS;
use crate::markdown::FrontMatter;
use serde_json::Value;
use std::collections::HashMap;

/// The settings of a site.
const CONFIG: &str = "_config.yml";

/// Folders without pages, besides those whose names begin with a dot.
const OTHER_FOLDERS: [&str; 8] = ["_data", "_drafts", "_includes", "_layouts", "_plugins", "_posts", "_sass", "_site"];

/// Reads the front matter of all pages. `None` if the repository is not one of Jekyll, or if no page has a parent.
pub(super) fn read(files: &Files<'_>) -> Option<Navigation> {
    // Jupyter Book has settings of the same name.
    if !files.tree.contains(CONFIG) || files.tree.contains(BOOK_CONTENTS) {
        return None;
    }
    let config = FrontMatter::of_yaml(&files.text(CONFIG)?).unwrap_or_default();
    let is_page = |path: &&str| {
        let is_other = |name: &str| name.starts_with('.') || OTHER_FOLDERS.contains(&name);
        is_markdown(path) && !path.split('/').any(is_other)
    };
    let read = |path: &str| Some(Page::read(path, &front_matter(&decode(&files.bytes(path)?).0)?));
    let pages: Vec<Page> = files.tree.paths().filter(is_page).filter_map(read).collect();
    let mut site = Site::default();
    let children = children(&pages, &mut site);
    if !children.keys().any(Option::is_some) {
        return None;
    }
    let mut entries = Entries::default();
    let mut seen = vec![false; pages.len()];
    add(&mut entries, &pages, &children, children.get(&None).cloned().unwrap_or_default(), &mut seen);
    for (at, page) in pages.iter().enumerate() {
        if !seen[at] {
            site.warn(&page.path, 1, "its parent is below it; it is at the root");
            add(&mut entries, &pages, &children, vec![at], &mut seen);
        }
    }
    links(&mut entries, files, &config, &mut site);
    let title = config.text("title").map(|title| title.trim().to_owned());
    Some(Navigation { contents: CONFIG.to_owned(), readme: None, title, items: entries.into_items(), site })
}

/// A page with its place.
struct Page {
    path: String,
    title: String,
    number: Option<f64>,
    parent: Option<String>,
    grand_parent: Option<String>,
    is_hidden: bool,
    /// Whether the pages below it are in the opposite order.
    is_reversed: bool,
}

impl Page {
    fn read(path: &str, front: &FrontMatter) -> Self {
        let text = |key: &str| match front.get(key)? {
            Value::String(text) => Some(text.trim().to_owned()).filter(|text| !text.is_empty()),
            Value::Number(number) => Some(front.written(key).map_or_else(|| number.to_string(), str::to_owned)),
            _ => None,
        };
        Self {
            path: path.to_owned(),
            title: text("title").unwrap_or_else(|| title_of(path)),
            number: front.get("nav_order").and_then(Value::as_f64),
            parent: text("parent"),
            grand_parent: text("grand_parent"),
            is_hidden: front.flag("nav_exclude") == Some(true),
            is_reversed: matches!(front.text("child_nav_order"), Some("desc" | "reversed")),
        }
    }

    fn compare(&self, other: &Self) -> std::cmp::Ordering {
        let rank = |page: &Self| Rank { number: page.number, name: page.title.clone() };
        rank(self).compare(&rank(other))
    }
}

/// The pages below each page, and those at the root, in order.
type Children = HashMap<Option<usize>, Vec<usize>>;

fn children(pages: &[Page], site: &mut Site) -> Children {
    // A page that is named with its own parent is the one below that; of several, the first one.
    let mut by_titles: HashMap<(&str, Option<&str>), usize> = HashMap::new();
    let mut by_title: HashMap<&str, usize> = HashMap::new();
    for (at, page) in pages.iter().enumerate() {
        by_titles.entry((page.title.as_str(), page.parent.as_deref())).or_insert(at);
        by_title.entry(page.title.as_str()).or_insert(at);
    }
    let mut children = Children::new();
    for (at, page) in pages.iter().enumerate() {
        let parent = page.parent.as_deref().and_then(|parent| {
            let named = by_titles.get(&(parent, page.grand_parent.as_deref()));
            let found = named.or_else(|| by_title.get(parent)).copied().filter(|found| *found != at);
            if found.is_none() {
                site.warn(&page.path, 1, format!("there is no page {parent:?} for it to be below; it is at the root"));
            }
            found
        });
        children.entry(parent).or_default().push(at);
    }
    for (parent, below) in &mut children {
        below.sort_by(|a, b| pages[*a].compare(&pages[*b]));
        if parent.is_some_and(|parent| pages[parent].is_reversed) {
            below.reverse();
        }
    }
    children
}

/// Adds pages at the root, with those below them.
fn add(entries: &mut Entries, pages: &[Page], children: &Children, roots: Vec<usize>, seen: &mut [bool]) {
    let mut waiting: Vec<(usize, usize)> = roots.into_iter().rev().map(|at| (at, 0)).collect();
    while let Some((at, level)) = waiting.pop() {
        if std::mem::replace(&mut seen[at], true) {
            continue;
        }
        let shown = Shown { is_hidden: pages[at].is_hidden, ..Shown::default() };
        entries.page(level, &pages[at].path, &shown, 1);
        let below = children.get(&Some(at)).map(Vec::as_slice).unwrap_or_default();
        waiting.extend(below.iter().rev().map(|at| (*at, level + 1)));
    }
}

/// Adds the links of the settings, after all pages.
fn links(entries: &mut Entries, files: &Files<'_>, config: &FrontMatter, site: &mut Site) {
    let links = config.get("nav_external_links").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    for link in links {
        let text = |key: &str| link.get(key).and_then(Value::as_str).map(str::trim).unwrap_or_default();
        let (href, title) = (text("url"), text("title"));
        if !entries.link(files.tree, CONFIG, 0, Link { href, title, icon: None }, 1) {
            site.warn_of_link(CONFIG, 1, href);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(title: &str, parents: &[&str]) -> Page {
        let parent = |at: usize| parents.get(at).map_or_else(|| "null".to_owned(), |title| format!("{title:?}"));
        let yaml = format!("title: {title}\nparent: {}\ngrand_parent: {}\n", parent(0), parent(1));
        let path = format!("{}{title}.md", parents.iter().map(|parent| format!("{parent}/")).collect::<String>());
        Page::read(&path, &FrontMatter::of_yaml(&yaml).expect("a front matter"))
    }

    #[test]
    fn a_page_is_below_the_page_with_the_title_of_its_parent() {
        let pages = [page("A", &[]), page("X", &["A"]), page("B", &[]), page("X", &["B"]), page("Z", &["X", "B"])];
        let mut site = Site::default();
        let children = children(&pages, &mut site);
        let below = [None, Some(0), Some(3)].map(|at| children[&at].clone());
        assert_eq!(below, [vec![0, 2], vec![1], vec![4]]);
        assert!(site.warnings.is_empty());
    }

    #[test]
    fn pages_below_each_other_are_all_added() {
        let pages = [page("A", &["B"]), page("B", &["A"]), page("C", &["C"]), page("D", &["Gone"])];
        let mut site = Site::default();
        let children = children(&pages, &mut site);
        assert_eq!(children[&None], [2, 3]);
        assert_eq!(site.warnings.len(), 2);
        let (mut entries, mut seen) = (Entries::default(), [false; 4]);
        add(&mut entries, &pages, &children, vec![0], &mut seen);
        assert_eq!(seen, [true, true, false, false]);
        assert_eq!(entries.len(), 2);
    }
}
