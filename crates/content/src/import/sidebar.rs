//! The sidebars of sites whose settings are written in JavaScript: the entries of a navigation that also names whole
//! folders, and that may be understood only in part.
use super::address::{self, Found};
use super::encoding::decode;
use super::literal::Literal;
use super::navigation::{Entries, Files, Link, Navigation, Shown, Site};
use super::outline::{Outline, Place};
use super::path::{self, MAX_PATH, is_markdown};
use super::sibling::{self, Sibling, front_matter};
use super::source::SourceTree;
use crate::markdown::{FrontMatter, one_line};
use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};

/// Usual folders of a site in a repository.
pub(super) const SITES: &[&str] = &["", "docs", "website", "documentation", "site", "doc", "www"];

/// Extensions of settings.
const EXTENSIONS: &[&str] = &["js", "ts", "mjs", "mts", "cjs", "cts", "json"];

/// How many entries are read, without those of whole folders. A small file can have more, because it can use a constant
/// several times.
const MAX_ENTRIES: usize = 25_000;

/// How many entries of the bar at the top of a site are read. All of them are compared with each sidebar.
const MAX_BAR: usize = 100;

/// The problem of a sidebar without any entry that is understood.
const NOT_UNDERSTOOD: &str = "its navigation is not understood; folders and file names order the pages";

/// The file with these settings, given without its extension, in the first of these folders that has one.
pub(super) fn settings(tree: &SourceTree, folders: &[&str], name: &str) -> Option<String> {
    let mut paths = folders.iter().flat_map(|folder| {
        let path = move |extension: &&str| path::join(folder, &format!("{name}.{extension}"));
        EXTENSIONS.iter().map(path)
    });
    paths.find(|path| tree.contains(path))
}

/// Whether a folder has Markdown files.
pub(super) fn has_pages(tree: &SourceTree, folder: &str) -> bool {
    pages_in(tree, folder).next().is_some()
}

/// The paths of the Markdown files in a folder, from the root of the repository and from the folder.
fn pages_in<'t>(tree: &'t SourceTree, folder: &'t str) -> impl Iterator<Item = (&'t str, &'t str)> {
    let pages = tree.paths_in(folder).filter(|path| is_markdown(path));
    pages.filter_map(move |path| Some((path, path::inside(folder, path)?)))
}

/// A text of an object.
pub(super) fn text<'l>(literal: &'l Literal, key: &str) -> Option<&'l str> {
    literal.get(key).and_then(Literal::text)
}

/// The entries of the bar at the top of a site, and of the menus in it: their targets and titles, which have these
/// keys.
pub(super) fn bar<'l>(items: Option<&'l Literal>, target: &str, title: &str) -> Vec<(&'l str, &'l str)> {
    let items = items.and_then(Literal::list).unwrap_or_default();
    let inside = items.iter().filter_map(|item| item.get("items")?.list()).flatten();
    let entries = items.iter().chain(inside).take(MAX_BAR);
    let entries = entries.filter_map(|item| Some((text(item, target)?, text(item, title)?)));
    entries.filter(|(target, _)| target.len() <= MAX_PATH).collect()
}

/// An entry with a title, or with that of its page.
pub(super) fn titled(title: Option<&str>) -> Shown {
    Shown::titled(title.unwrap_or_default())
}

/// The pages of a site by their ids: those that follow from the names of files, and those in front matter.
pub(super) struct Pages<'f> {
    files: &'f Files<'f>,
    root: String,
    /// The paths of files by the ids that follow from their names.
    by_name: HashMap<String, String>,
    /// The paths of files by the ids in their front matter, after they were first needed.
    by_field: OnceCell<HashMap<String, String>>,
    of_name: fn(&str) -> String,
    of_field: fn(&str, &FrontMatter) -> Option<String>,
}

impl<'f> Pages<'f> {
    /// The pages in the folder `root`. `of_name` makes the id of a file from its path in the folder, without its
    /// extension. `of_field` makes it from that path and the front matter.
    pub(super) fn new(
        files: &'f Files<'f>,
        root: &str,
        of_name: fn(&str) -> String,
        of_field: fn(&str, &FrontMatter) -> Option<String>,
    ) -> Self {
        let mut by_name = HashMap::new();
        for (path, rest) in pages_in(files.tree, root) {
            by_name.entry(of_name(without_extension(rest))).or_insert_with(|| path.to_owned());
        }
        Self { files, root: root.to_owned(), by_name, by_field: OnceCell::new(), of_name, of_field }
    }

    /// The path of the file of a page.
    pub(super) fn find(&self, id: &str) -> Option<String> {
        let by_name = self.by_name.get(id).or_else(|| self.by_name.get(&(self.of_name)(id)));
        by_name.or_else(|| self.by_field.get_or_init(|| self.read()).get(id)).cloned()
    }

    fn read(&self) -> HashMap<String, String> {
        let mut by_field = HashMap::new();
        for (path, rest) in pages_in(self.files.tree, &self.root) {
            let front = self.files.bytes(path).and_then(|bytes| front_matter(&decode(&bytes).0));
            if let Some(id) = front.and_then(|front| (self.of_field)(without_extension(rest), &front)) {
                by_field.entry(id).or_insert_with(|| path.to_owned());
            }
        }
        by_field
    }
}

fn without_extension(path: &str) -> &str {
    path.rsplit_once('.').map_or(path, |(stem, _)| stem)
}

/// What an entry is.
#[derive(Debug, PartialEq)]
pub(super) enum Kind {
    /// A section without a page of its own: a group at the outermost level, a page without text below it.
    Section,
    /// A page without text.
    Bare,
    /// The page of the file at this path.
    Page(String),
    /// A link to the page of the file at this path, or the page itself if no other entry has it.
    Reference(String),
    /// A page whose file is not there, by its path without an extension.
    Missing(String),
    /// A link to this address.
    Link(String),
    /// All pages in this folder that have no entry of their own.
    Folder(String),
}

impl Kind {
    /// The same as a reference, if it is a page.
    pub(super) fn into_reference(self) -> Self {
        match self {
            Self::Page(path) => Self::Reference(path),
            other => other,
        }
    }
}

struct Entry {
    level: usize,
    kind: Kind,
    shown: Shown,
    line: usize,
}

/// Collects the entries of sidebars.
pub(super) struct Sidebar<'f> {
    files: &'f Files<'f>,
    /// The file with the sidebars.
    contents: String,
    /// The folder of the pages.
    root: String,
    entries: Vec<Entry>,
    site: Site,
    /// Whether a part is not understood.
    is_partial: bool,
    /// Whether entries are left out.
    is_full: bool,
}

impl<'f> Sidebar<'f> {
    /// Sidebars in the file `contents`, with pages in the folder `root`.
    pub(super) fn new(files: &'f Files<'f>, contents: &str, root: &str) -> Self {
        let (contents, root) = (contents.to_owned(), root.to_owned());
        let (entries, site) = (Vec::new(), Site::default());
        Self { files, contents, root, entries, site, is_partial: false, is_full: false }
    }

    /// Sets the names in front matter of a shorter title of a page.
    pub(super) fn set_short_titles(&mut self, names: &'static [&'static str]) {
        self.site.short_titles = names;
    }

    /// Adds an entry. Levels count from 0, and a section at level 0 holds those of level 1.
    pub(super) fn add(&mut self, level: usize, kind: Kind, shown: Shown, line: usize) {
        if self.entries.len() < MAX_ENTRIES {
            return self.entries.push(Entry { level, kind, shown, line });
        }
        if !self.is_full {
            (self.is_full, self.is_partial) = (true, true);
            let message = format!("more than {MAX_ENTRIES} entries are left out; pages without an entry come last");
            self.site.warn(&self.contents, line, message);
        }
    }

    /// An entry that leads to an address of the site: to a page, or elsewhere. `is_section` says whether others are
    /// below it.
    pub(super) fn kind_at(&mut self, href: &str, line: usize, is_section: bool) -> Kind {
        match self.page_at(href) {
            Some(path) => Kind::Page(path),
            None if is_section && !address::is_elsewhere(href) => {
                self.site.warn(&self.contents, line, format!("{href} leads nowhere; the entry has no text"));
                Kind::Bare
            }
            None => Kind::Link(href.to_owned()),
        }
    }

    /// Reports a part that is not understood. Pages without an entry then come last.
    pub(super) fn unknown(&mut self, line: usize) {
        self.is_partial = true;
        let message = "this part of the navigation is not understood; pages without an entry come last";
        self.site.warn(&self.contents, line, message);
    }

    /// The file of the page at an address of the site.
    fn page_at(&self, href: &str) -> Option<String> {
        if address::is_elsewhere(href) || href.contains('#') {
            return None;
        }
        let place = path::decode(href.split_once('?').map_or(href, |(place, _)| place));
        let named = path::resolve(&self.root, place.trim_start_matches('/'))?;
        let file = || self.files.markdown(named.strip_suffix(".html").unwrap_or(&named));
        let index = || ["index", "README"].iter().find_map(|name| self.files.markdown(&path::join(&named, name)));
        let found = if place.ends_with('/') { index().or_else(file) } else { file().or_else(index) };
        let elsewhere = || match address::find(self.files.tree, &self.start(), href) {
            Found::File { path, .. } => Some(path),
            Found::Elsewhere | Found::Here { .. } | Found::Nowhere => None,
        };
        let is_page = |path: &String| is_markdown(path) && path::inside(&self.root, path).is_some();
        found.or_else(elsewhere).filter(is_page)
    }

    /// The path of a file from which addresses of the site are looked up.
    fn start(&self) -> String {
        path::join(&self.root, "index.md")
    }

    /// The navigation. Without any entry that is understood, a warning and `None`. `index` has the names of the page of
    /// the outermost folder, which is the first page unless it has an entry.
    pub(super) fn finish(mut self, title: Option<&str>, index: &[&str]) -> Option<Navigation> {
        let names_pages = |entry: &Entry| matches!(entry.kind, Kind::Page(_) | Kind::Reference(_) | Kind::Folder(_));
        if !self.entries.iter().any(names_pages) {
            not_understood(self.files, &self.contents);
            return None;
        }
        if self.is_partial {
            let kind = Kind::Folder(self.root.clone());
            self.entries.push(Entry { level: 0, kind, shown: Shown::default(), line: 1 });
        }
        let readme = index.iter().find_map(|name| self.files.markdown(&path::join(&self.root, name)));
        let pages = self.entries.iter().filter_map(|entry| match &entry.kind {
            Kind::Page(path) => Some(path.clone()),
            _ => None,
        });
        let folders = self.entries.iter().filter_map(|entry| match &entry.kind {
            Kind::Folder(folder) => Some(folder.clone()),
            _ => None,
        });
        let (named, named_folders) = (pages.collect(), folders.collect());
        let files = self.files;
        let paths: Vec<&str> = files.tree.paths().collect();
        let mut placing = Placing { named, named_folders, paths, ..Placing::default() };
        for entry in std::mem::take(&mut self.entries) {
            self.place(entry, &mut placing, readme.as_deref());
        }
        let title = title.map(one_line).filter(|title| !title.is_empty());
        let items = placing.entries.into_items();
        Some(Navigation { contents: self.contents, readme, title, items, site: self.site })
    }

    fn place(&mut self, entry: Entry, placing: &mut Placing<'_>, readme: Option<&str>) {
        let Entry { level, kind, shown, line } = entry;
        match kind {
            Kind::Section => placing.entries.section(level, &shown, line),
            Kind::Bare => placing.entries.bare(level, &shown, line),
            Kind::Missing(path) => placing.entries.missing(level, &path, line),
            Kind::Page(path) => match placing.placed.insert(path.clone()) {
                true => placing.entries.page(level, &path, &shown, line),
                false => self.reference(level, &path, &shown, line, placing),
            },
            Kind::Reference(path) => match !placing.names(&path) && placing.placed.insert(path.clone()) {
                true => placing.entries.page(level, &path, &shown, line),
                false => self.reference(level, &path, &shown, line, placing),
            },
            Kind::Link(href) => {
                let link = Link { href: &href, title: &shown.title, icon: None };
                if !placing.entries.link(self.files.tree, &self.start(), level, link, line) {
                    self.site.warn_of_link(&self.contents, line, &href);
                }
            }
            Kind::Folder(folder) => {
                if placing.folders.insert(folder.clone()) {
                    self.folder(level, &folder, line, placing, readme);
                }
            }
        }
    }

    /// Adds a link to a page that has another entry.
    fn reference(&self, level: usize, path: &str, shown: &Shown, line: usize, placing: &mut Placing<'_>) {
        let own = address::title_of(path);
        let title = if shown.title.is_empty() { &own } else { &shown.title };
        let href = format!("/{}", path::encode(path));
        placing.entries.link(self.files.tree, &self.start(), level, Link { href: &href, title, icon: None }, line);
    }

    /// Adds the pages in a folder that have no entry, in the order of folders and names. Files and folders whose names
    /// begin with `_` are parts of other pages.
    fn folder(&mut self, level: usize, folder: &str, line: usize, placing: &mut Placing<'_>, readme: Option<&str>) {
        let inside = placing.inside(folder);
        if !inside.iter().any(|path| is_markdown(path)) {
            self.site.warn(&self.contents, line, format!("{folder} has no pages"));
        }
        let mut tree = SourceTree::default();
        for path in inside {
            let Some(rest) = path::inside(folder, path) else { continue };
            let is_part = rest.split('/').any(|name| name.starts_with('_'));
            let is_taken = || placing.named.contains(*path) || placing.placed.contains(*path) || readme == Some(*path);
            if sibling::is_settings(rest) || (is_markdown(rest) && !is_part && !is_taken()) {
                tree.insert(rest);
            }
        }
        let siblings = |rest: &str| {
            let path = path::join(folder, rest);
            Ok(self.files.bytes(&path).map(|bytes| Sibling::read(&path, &bytes)).unwrap_or_default())
        };
        let Ok(outline) = Outline::of_folders(&tree, "", None, &siblings) else { return };
        let mut levels: Vec<usize> = Vec::with_capacity(outline.entries.len());
        for entry in outline.entries {
            let level = entry.parent.map_or(level, |parent| levels[parent] + 1);
            levels.push(level);
            match entry.place {
                Place::Text(rest) => {
                    let path = path::join(folder, &rest);
                    placing.entries.page(level, &path, &Shown::default(), line);
                    placing.placed.insert(path);
                }
                _ => {
                    let shown = Shown { slug: entry.slug, ..titled(Some(&entry.title)) };
                    placing.entries.bare(level, &shown, line);
                }
            }
        }
    }
}

/// The entries of a navigation, and the files that have one.
#[derive(Default)]
struct Placing<'f> {
    /// The files that an entry names.
    named: HashSet<String>,
    /// The folders that an entry names.
    named_folders: HashSet<String>,
    /// The files that have their entry.
    placed: HashSet<String>,
    /// The folders whose pages have their entries.
    folders: HashSet<String>,
    /// The paths of all files, in order.
    paths: Vec<&'f str>,
    entries: Entries,
}

impl<'f> Placing<'f> {
    /// Whether an entry names a file, or a folder around it.
    fn names(&self, path: &str) -> bool {
        let mut folders = path.match_indices('/').map(|(at, _)| &path[..at]).chain([""]);
        self.named.contains(path) || folders.any(|folder| self.named_folders.contains(folder))
    }

    /// The paths of the files in a folder.
    fn inside(&self, folder: &str) -> &[&'f str] {
        let start = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        let from = self.paths.partition_point(|path| *path < start.as_str());
        let paths = &self.paths[from..];
        &paths[..paths.partition_point(|path| path.starts_with(&start))]
    }
}

/// Reports a file without any entry that is understood.
pub(super) fn not_understood(files: &Files<'_>, contents: &str) {
    files.fail(contents, NOT_UNDERSTOOD);
}
