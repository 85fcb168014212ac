//! Sites whose folders have files of settings, which say in which order and how the pages in a folder are shown.
use super::address;
use super::navigation::{Entries, Files, Link, MAX_SECTIONS, Shown, Site};
use super::outline::natural;
use super::path::{self, is_markdown};
use super::source::SourceTree;
use super::summary::Item;
use crate::page::slugify;
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};

/// The settings of a folder.
#[derive(Debug, Default)]
pub(super) struct FolderSettings {
    /// Their file.
    pub path: String,
    /// The title of the folder.
    pub title: Option<String>,
    /// The name of its icon.
    pub icon: Option<String>,
    /// What they say, with line numbers.
    pub lines: Vec<(usize, Line)>,
}

/// A line of the settings of a folder.
#[derive(Debug, PartialEq)]
pub(super) enum Line {
    /// A page or folder.
    Page {
        /// Its path from the folder, without an extension.
        name: String,
        /// Its title in the navigation.
        title: Option<String>,
        /// How it is shown.
        display: Display,
    },
    /// The beginning of a section, or only the end of the one before.
    Separator {
        /// The title of the section.
        title: Option<String>,
    },
    /// A link.
    Link {
        /// Its address.
        href: String,
        /// Its title.
        title: String,
    },
    /// A section of links.
    Menu {
        /// Its title.
        title: String,
        /// Their addresses and titles.
        links: Vec<(String, String)>,
    },
    /// All pages and folders that no line names.
    Others {
        /// Whether the last name is the first.
        is_reversed: bool,
        /// How they are shown.
        display: Display,
    },
}

/// How a page or folder is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Display {
    /// As an entry.
    #[default]
    Shown,
    /// As a hidden page.
    Hidden,
    /// A folder without an entry of its own: its pages are in its place.
    Inline,
}

/// The folder of a site by its files of settings: the outermost folder with one of these names, the first names before
/// others, or a folder around it that has settings itself. Empty for the root of the repository.
pub(super) fn root<'s>(settings: &[&'s str], names: &[&[&str]]) -> &'s str {
    let with_settings: HashSet<&'s str> = settings.iter().copied().map(path::folder).collect();
    let found = names.iter().find_map(|names| {
        let is_named = |folder: &&str| {
            let around = |name: &str| folder.strip_suffix(name);
            names.iter().any(|name| around(name).is_some_and(|rest| rest.is_empty() || rest.ends_with('/')))
        };
        let mut counts: BTreeMap<&'s str, usize> = BTreeMap::new();
        for place in settings.iter().copied().map(path::folder) {
            if let Some(folder) = around(place).find(is_named) {
                *counts.entry(folder).or_default() += 1;
            }
        }
        let best = counts.into_iter().max_by_key(|(folder, count)| (*count, Reverse(folder.len())));
        best.map(|(folder, _)| folder)
    });
    let found = found.unwrap_or_default();
    around(found).find(|folder| with_settings.contains(folder)).unwrap_or(found)
}

/// The folders around a folder, from the root of the repository on, and the folder itself.
fn around(folder: &str) -> impl Iterator<Item = &str> {
    let ends = folder.match_indices('/').map(|(at, _)| at);
    [0].into_iter().chain(ends).chain(Some(folder.len()).filter(|end| *end > 0)).map(move |end| &folder[..end])
}

/// The Markdown files of a folder, and the folders in it.
#[derive(Default)]
struct Folder {
    page: Option<String>,
    files: Vec<String>,
    folders: Vec<String>,
}

/// The folders of a site with Markdown files, by their paths. Files that are deeper than [`MAX_SECTIONS`] are in the
/// last folder that is not. `is_page` says whether a file is the page of its folder.
fn folders(tree: &SourceTree, root: &str, is_page: &dyn Fn(&str) -> bool) -> HashMap<String, Folder> {
    let mut folders: HashMap<String, Folder> = HashMap::from([(root.to_owned(), Folder::default())]);
    for path in tree.paths().filter(|path| is_markdown(path)) {
        let rest = path::inside(root, path).filter(|rest| !rest.split('/').any(|name| name.starts_with('.')));
        let Some(rest) = rest else { continue };
        let from = path.len() - rest.len();
        let end = rest.match_indices('/').take(MAX_SECTIONS).last();
        let place = &path[..end.map_or(from.saturating_sub(1), |(at, _)| from + at)];
        add_folder(&mut folders, place);
        let folder = folders.entry(place.to_owned()).or_default();
        if folder.page.is_none() && path::folder(path) == place && is_page(path) {
            folder.page = Some(path.to_owned());
        } else {
            folder.files.push(path.to_owned());
        }
    }
    folders
}

/// Adds a folder to those around it, up to one that is known.
fn add_folder(folders: &mut HashMap<String, Folder>, place: &str) {
    let mut place = place;
    let mut is_new = !folders.contains_key(place);
    while is_new {
        folders.entry(place.to_owned()).or_default();
        let parent = path::folder(place);
        is_new = !folders.contains_key(parent);
        folders.entry(parent.to_owned()).or_default().folders.push(place.to_owned());
        place = parent;
    }
}

/// The entries of a site. `settings` are those of its folders, by their paths. `None` if these name no page or folder
/// with pages: other tools have files with the same names.
pub(super) fn entries(
    files: &Files<'_>,
    root: &str,
    is_page: &dyn Fn(&str) -> bool,
    settings: &HashMap<String, FolderSettings>,
    site: &mut Site,
) -> Option<Vec<Item>> {
    let folders = folders(files.tree, root, is_page);
    let taken = HashSet::from([root.to_owned()]);
    let mut walk = Walk { files, folders, settings, site, taken, entries: Entries::default(), is_used: false };
    let names_index = settings.get(root).is_some_and(|settings| settings.lines.iter().any(|(_, line)| is_index(line)));
    if !names_index {
        walk.own_page(root, None, At::default());
    }
    walk.folder(root, At::default());
    walk.is_used.then(|| walk.entries.into_items())
}

/// The name of the page of a folder in its settings.
const INDEX: &str = "index";

fn is_index(line: &Line) -> bool {
    matches!(line, Line::Page { name, .. } if name == INDEX)
}

/// The place of an entry.
#[derive(Clone, Copy, Default)]
struct At {
    level: usize,
    /// How many folders are around it.
    depth: usize,
    is_hidden: bool,
}

struct Walk<'w> {
    files: &'w Files<'w>,
    folders: HashMap<String, Folder>,
    settings: &'w HashMap<String, FolderSettings>,
    site: &'w mut Site,
    /// The files and folders that have an entry.
    taken: HashSet<String>,
    entries: Entries,
    /// Whether settings name a page or folder that is there.
    is_used: bool,
}

impl<'w> Walk<'w> {
    /// Adds what is in a folder.
    fn folder(&mut self, place: &str, at: At) {
        let settings: Option<&'w FolderSettings> = self.settings.get(place);
        let Some(FolderSettings { path, lines, .. }) = settings else {
            return self.others(place, &HashSet::new(), false, at);
        };
        let names = lines.iter().filter_map(|(_, line)| match line {
            Line::Page { name, .. } => path::resolve(place, name),
            _ => None,
        });
        let named: HashSet<String> = names.map(|path| without_extension(&path).to_owned()).collect();
        let (mut inner, mut section, mut has_others) = (at, None, false);
        for (number, line) in lines {
            match line {
                Line::Separator { title } => {
                    self.end(section.take());
                    inner.level = at.level + usize::from(title.is_some());
                    if let Some(title) = title {
                        section = Some(self.entries.len());
                        let shown = Shown { is_hidden: at.is_hidden, ..Shown::titled(title) };
                        self.entries.section(at.level, &shown, *number);
                    }
                }
                Line::Link { href, title } => self.link(path, href, title, *number, inner),
                Line::Menu { title, links } => {
                    let before = self.entries.len();
                    self.entries.bare(inner.level, &Shown::titled(title), *number);
                    for (href, title) in links {
                        self.link(path, href, title, *number, At { level: inner.level + 1, ..inner });
                    }
                    self.end(Some(before));
                }
                Line::Others { is_reversed, display } if !has_others => {
                    has_others = true;
                    let is_hidden = inner.is_hidden || *display == Display::Hidden;
                    self.others(place, &named, *is_reversed, At { is_hidden, ..inner });
                }
                Line::Others { .. } => {}
                Line::Page { name, title, display } => {
                    let is_there = self.child(place, name, title.as_deref(), *display, inner);
                    self.is_used |= is_there;
                    if !is_there && *display != Display::Hidden {
                        self.site.warn(path, *number, format!("{name} is not a page in Markdown; it is left out"));
                    }
                }
            }
        }
        self.end(section);
    }

    /// Ends a section that was added when there were so many entries.
    fn end(&mut self, section: Option<usize>) {
        if let Some(before) = section {
            self.entries.remove_empty(before);
        }
    }

    /// Adds the files and folders in a folder that are not `named`, in the order of their names.
    fn others(&mut self, place: &str, named: &HashSet<String>, is_reversed: bool, at: At) {
        let Some(folder) = self.folders.get(place) else { return };
        let is_other = |path: &&String| !self.taken.contains(*path) && !named.contains(without_extension(path));
        // Others come with the folder that has their name.
        let is_alone = |path: &&String| !self.folders.contains_key(without_extension(path));
        let files = folder.files.iter().filter(is_alone);
        let mut others: Vec<String> = files.chain(&folder.folders).filter(is_other).cloned().collect();
        others.sort_by(|a, b| natural(path::name(without_extension(a)), path::name(without_extension(b))));
        if is_reversed {
            others.reverse();
        }
        for path in others {
            self.child("", &path, None, Display::Shown, at);
        }
    }

    /// Adds a page or folder. Returns whether it is there.
    fn child(&mut self, place: &str, name: &str, title: Option<&str>, display: Display, at: At) -> bool {
        let at = At { is_hidden: at.is_hidden || display == Display::Hidden, ..at };
        if name == INDEX && self.own_page(place, title, at) {
            return true;
        }
        let Some(path) = path::resolve(place, name) else { return false };
        let file = self.files.markdown(&path);
        if self.folders.contains_key(&path) {
            if self.taken.insert(path.clone()) {
                self.section(&path, file, title, display, at);
            }
            return true;
        }
        file.is_some_and(|file| {
            self.file(&file, title, None, at);
            true
        })
    }

    /// Adds a folder.
    fn section(&mut self, place: &str, beside: Option<String>, title: Option<&str>, display: Display, at: At) {
        let settings: Option<&'w FolderSettings> = self.settings.get(place);
        let title = title.or(settings.and_then(|settings| settings.title.as_deref()));
        let page = self.folders.get(place).and_then(|folder| folder.page.as_ref());
        let has_page = page.is_some_and(|page| !self.taken.contains(page));
        let name = path::name(place).trim_matches(['(', ')', '[', ']']);
        match beside {
            Some(beside) if has_page => {
                self.file(&beside, None, None, at);
                self.own_page(place, title, at);
            }
            Some(beside) if !self.taken.contains(&beside) => self.file(&beside, title, None, at),
            _ if has_page => {
                self.own_page(place, title, at);
            }
            _ if display == Display::Inline => {}
            _ => {
                let slug = title.map(|_| slugify(name));
                let title = title.map_or_else(|| address::title_of(&format!("{name}.md")), str::to_owned);
                let icon = settings.and_then(|settings| settings.icon.clone());
                self.entries.bare(at.level, &Shown { title, icon, is_hidden: at.is_hidden, slug }, 1);
            }
        }
        let level = at.level + usize::from(display != Display::Inline);
        if at.depth < MAX_SECTIONS {
            self.folder(place, At { level, depth: at.depth + 1, ..at });
        }
    }

    /// Adds the page of a folder. Returns whether it has one.
    fn own_page(&mut self, place: &str, title: Option<&str>, at: At) -> bool {
        let Some(page) = self.folders.get(place).and_then(|folder| folder.page.clone()) else { return false };
        // Another name than that of an index is not known to stand for the folder.
        let slug = (!path::is_readme(&page)).then(|| slugify(path::name(place)));
        self.file(&page, title, slug, at);
        true
    }

    fn file(&mut self, path: &str, title: Option<&str>, slug: Option<String>, at: At) {
        if self.taken.insert(path.to_owned()) {
            let title = title.unwrap_or_default().to_owned();
            self.entries.page(at.level, path, &Shown { title, slug, is_hidden: at.is_hidden, icon: None }, 1);
        }
    }

    /// Adds a link in the settings of this path.
    fn link(&mut self, settings: &str, href: &str, title: &str, line: usize, at: At) {
        let link = Link { href, title, icon: None };
        if !self.entries.link(self.files.tree, settings, at.level, link, line) {
            self.site.warn_of_link(settings, line, href);
        }
    }
}

/// The path of a Markdown file without its extension, or another path.
fn without_extension(path: &str) -> &str {
    if is_markdown(path) { path.rsplit_once('.').map_or(path, |(path, _)| path) } else { path }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case(&["content/_meta.js", "content/app/_meta.js"], "content")]
    #[case(&["docs/pages/a/_meta.js", "docs/pages/b/_meta.js", "examples/pages/_meta.js"], "docs/pages")]
    #[case(&["_meta.js", "app/_meta.js"], "")]
    #[case(&["guide/_meta.js"], "")]
    #[case(&[], "")]
    fn the_folder_of_a_site_has_a_usual_name(#[case] settings: &[&str], #[case] expected: &str) {
        assert_eq!(root(settings, &[&["content", "pages", "app"]]), expected);
    }

    #[test]
    fn deep_folders_are_one() {
        let mut tree = SourceTree::default();
        let deep = format!("site/{}", "f/".repeat(MAX_SECTIONS + 5));
        [format!("{deep}a.md").as_str(), "site/b.md", "c.md"].into_iter().for_each(|path| tree.insert(path));
        let folders = folders(&tree, "site", &|_| false);
        assert_eq!(folders.len(), MAX_SECTIONS + 1);
        assert_eq!((folders["site"].files.len(), folders["site"].folders.len()), (1, 1));
    }
}
