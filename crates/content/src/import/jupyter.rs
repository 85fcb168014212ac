//! The navigation of a book in MyST, as a table of contents: `_toc.yml` of Jupyter Book and of Sphinx, and `myst.yml`.
use super::address::title_of;
use super::extends;
use super::finder::Finder;
use super::navigation::{Entries, Files, Link, MAX_SECTIONS, Navigation, Shown, Site};
use super::outline::natural;
use super::path::{self, is_markdown};
use super::patterns::Patterns;
use super::sphinx;
use super::syntaxes::{BOOK, BOOK_CONTENTS, MYST, SPHINX};
use crate::markdown::{FrontMatter, spelled};
use serde_json::{Map, Value};
use std::collections::HashSet;

/// How many files of a name are read, and how many folders can be around them. Deeper ones are examples and tests, as
/// are those in folders with these names.
const MAX_FILES: usize = 8;
const MAX_FOLDERS: usize = 2;
const EXAMPLES: [&str; 7] = ["example", "examples", "fixtures", "template", "templates", "test", "tests"];

/// Keys of lists of parts, each of which can have a caption.
const PARTS: [&str; 2] = ["parts", "subtrees"];

/// Keys of lists of entries.
const ENTRIES: [&str; 4] = ["entries", "chapters", "sections", "children"];

/// Extensions of pages in other languages.
const OTHERS: [&str; 4] = ["ipynb", "rst", "txt", "tex"];

/// What follows if a table of contents is not YAML.
const OTHER_ORDER: &str = "other files or the folders order the pages";

/// Reads `project.toc` of `myst.yml`, or of a file that it extends. `None` if there is none.
pub(super) fn of_myst(files: &Files<'_>) -> Option<Navigation> {
    named(files, MYST).into_iter().find_map(|first| {
        let read = |path: &str| {
            let effect = if path == first { OTHER_ORDER } else { "it has no effect" };
            yaml(files, path, effect)
        };
        let all = extends::settings(files, first, &read);
        let toc = |value: &Value| value.get("project")?.get("toc").filter(|toc| toc.is_array()).cloned();
        let (contents, toc) = all.iter().find_map(|settings| Some((settings, toc(&settings.value)?)))?;
        let title = |key: &str| all.iter().find_map(|each| text_of(each.value.get(key)?.as_object()?, "title"));
        let text = &contents.text;
        let start = text.find("toc:").unwrap_or(0);
        let finder = Finder::new(&text[start..], 1 + text[..start].matches('\n').count());
        // Paths are relative to `myst.yml`, whichever file has them.
        let mut reader = Reader::new(files, &contents.file, path::folder(first), &toc, finder);
        reader.list(&toc, At::default());
        Some(reader.finish(title("project").or_else(|| title("site"))))
    })
}

/// Reads `_toc.yml`. `None` if there is none, or if it names no first page.
pub(super) fn of_book(files: &Files<'_>) -> Option<Navigation> {
    named(files, BOOK_CONTENTS).into_iter().find_map(|contents| {
        let (text, toc) = yaml(files, contents, OTHER_ORDER)?;
        let mut reader = Reader::new(files, contents, path::folder(contents), &toc, Finder::new(&text, 1));
        match &toc {
            Value::Object(book) => {
                let root = text_of(book, "root")?;
                reader.file(&Map::new(), &root, At::default());
                reader.inside(book, At::default());
            }
            // In older files, the first entry is the first page.
            Value::Array(entries) if entries.first()?.get("file").is_some() => reader.list(&toc, At::default()),
            _ => return None,
        }
        Some(reader.finish(title(files, path::folder(contents))))
    })
}

/// The files of this name that can be of the documentation, the outermost first.
fn named<'f>(files: &Files<'f>, name: &str) -> Vec<&'f str> {
    let depth = |path: &str| path.matches('/').count();
    let is_example = |path: &str| path.split('/').any(|folder| EXAMPLES.contains(&folder));
    let is_one = |path: &&str| path::name(path) == name && depth(path) <= MAX_FOLDERS && !is_example(path);
    let mut found: Vec<&str> = files.tree.paths().filter(is_one).collect();
    found.sort_by_key(|path| (depth(path), *path));
    found.truncate(MAX_FILES);
    found
}

/// The text of a file and its value. `effect` says in a warning what follows if it is not YAML.
fn yaml(files: &Files<'_>, path: &str, effect: &str) -> Option<(String, Value)> {
    let text = files.text(path)?;
    match serde_saphyr::from_str::<Option<Value>>(&text) {
        Ok(value) => {
            let value = spelled(&text, &value?);
            Some((text, value))
        }
        Err(_not_yaml) => {
            files.fail(path, format!("it is not YAML; {effect}"));
            None
        }
    }
}

/// The title of the book with settings in this folder.
fn title(files: &Files<'_>, folder: &str) -> Option<String> {
    let text = |name: &str| files.text(&path::join(folder, name));
    let of_book = || Some(FrontMatter::of_yaml(&text(BOOK)?)?.text("title")?.trim().to_owned());
    of_book().or_else(|| sphinx::value(&text(SPHINX)?, "project").map(str::to_owned))
}

/// A text of an entry that is not empty.
fn text_of(entry: &Map<String, Value>, key: &str) -> Option<String> {
    let text = match entry.get(key)? {
        Value::String(text) => text.trim().to_owned(),
        Value::Number(number) => number.to_string(),
        _ => return None,
    };
    Some(text).filter(|text| !text.is_empty())
}

/// The place of an entry.
#[derive(Clone, Copy, Default)]
struct At {
    level: usize,
    /// How many entries and parts are around it. Parts without a caption have no level.
    depth: usize,
    is_hidden: bool,
}

impl At {
    /// The place of an entry below this one.
    fn below(self) -> Self {
        Self { level: self.level + 1, depth: self.depth + 1, ..self }
    }
}

struct Reader<'r> {
    files: &'r Files<'r>,
    contents: &'r str,
    /// The folder that paths are relative to.
    folder: &'r str,
    finder: Finder<'r>,
    entries: Entries,
    /// The files that an entry names, or that a pattern has found. Patterns stand for all others.
    named: HashSet<String>,
    patterns: Patterns,
    site: Site,
}

impl<'r> Reader<'r> {
    fn new(files: &'r Files<'r>, contents: &'r str, folder: &'r str, toc: &Value, finder: Finder<'r>) -> Self {
        let mut named = HashSet::new();
        let mut waiting = vec![toc];
        while let Some(value) = waiting.pop() {
            match value {
                Value::Array(items) => waiting.extend(items),
                Value::Object(entry) => {
                    let file = text_of(entry, "file").or_else(|| text_of(entry, "root"));
                    named.extend(file.and_then(|file| files.markdown(&path::resolve(folder, &file)?)));
                    waiting.extend(entry.values());
                }
                _ => {}
            }
        }
        let (entries, patterns, site) = (Entries::default(), Patterns::default(), Site::default());
        Self { files, contents, folder, finder, entries, named, patterns, site }
    }

    fn finish(self, title: Option<String>) -> Navigation {
        let (contents, items) = (self.contents.to_owned(), self.entries.into_items());
        Navigation { contents, readme: None, title, items, site: self.site }
    }

    /// Adds the parts and entries in an entry.
    fn inside(&mut self, entry: &Map<String, Value>, at: At) {
        if at.depth > MAX_SECTIONS {
            return;
        }
        for part in PARTS.iter().filter_map(|key| entry.get(*key)?.as_array()).flatten() {
            if let Value::Object(part) = part {
                self.part(part, at);
            }
        }
        ENTRIES.iter().filter_map(|key| entry.get(*key)).for_each(|entries| self.list(entries, at));
    }

    fn list(&mut self, entries: &Value, at: At) {
        for entry in entries.as_array().into_iter().flatten() {
            match entry {
                Value::Object(entry) => self.entry(entry, at),
                Value::String(file) => self.file(&Map::new(), file, at),
                _ => {}
            }
        }
    }

    /// Adds a part: a group if it has a caption.
    fn part(&mut self, part: &Map<String, Value>, at: At) {
        match text_of(part, "caption").or_else(|| text_of(part, "part")) {
            Some(caption) => self.section(part, &caption, at),
            None => self.inside(part, At { depth: at.depth + 1, ..at }),
        }
    }

    fn section(&mut self, section: &Map<String, Value>, title: &str, at: At) {
        let line = self.finder.find(title);
        let before = self.entries.len();
        let shown = Shown { is_hidden: at.is_hidden, ..Shown::titled(title) };
        self.entries.section(at.level, &shown, line);
        self.inside(section, at.below());
        self.entries.remove_empty(before);
    }

    fn entry(&mut self, entry: &Map<String, Value>, at: At) {
        let is_hidden = at.is_hidden || entry.get("hidden") == Some(&Value::Bool(true));
        let at = At { is_hidden, ..at };
        let title = text_of(entry, "title");
        if let Some(file) = text_of(entry, "file") {
            self.file(entry, &file, at);
        } else if let Some(href) = text_of(entry, "url") {
            let line = self.finder.find(&href);
            let title = title.unwrap_or_default();
            let link = Link { href: &href, title: &title, icon: None };
            if !self.entries.link(self.files.tree, self.contents, at.level, link, line) {
                self.site.warn_of_link(self.contents, line, &href);
            }
            // A link holds no pages, so they are beside it.
            self.inside(entry, at.below());
        } else if let Some(pattern) = text_of(entry, "glob").or_else(|| text_of(entry, "pattern")) {
            self.pattern(&pattern, at);
        } else if let Some(title) = title {
            self.section(entry, &title, at);
        } else {
            self.part(entry, at);
        }
    }

    /// Adds a page, with the entries below it.
    fn file(&mut self, entry: &Map<String, Value>, file: &str, at: At) {
        let line = self.finder.find(file);
        let title = text_of(entry, "title");
        let before = self.entries.len();
        let Some(path) = path::resolve(self.folder, file) else {
            self.site.warn(self.contents, line, format!("{file} is not in the repository; it is left out"));
            return;
        };
        if let Some(path) = self.files.markdown(&path) {
            let shown = Shown { is_hidden: at.is_hidden, ..Shown::titled(title.unwrap_or_default()) };
            self.entries.page(at.level, &path, &shown, line);
            return self.inside(entry, at.below());
        }
        if !self.is_other(&path) {
            let stem =
                if is_markdown(&path) { path.rsplit_once('.').map_or("", |(stem, _)| stem) } else { path.as_str() };
            self.entries.missing(at.level, stem, line);
            return self.inside(entry, at.below());
        }
        let title = title.unwrap_or_else(|| title_of(&path));
        self.entries.bare(at.level, &Shown { is_hidden: at.is_hidden, ..Shown::titled(title) }, line);
        self.inside(entry, at.below());
        let effect = if self.entries.remove_empty(before) { "it is left out" } else { "the entry has no text" };
        self.site.warn(self.contents, line, format!("{path} is not Markdown; {effect}"));
    }

    /// Whether a file with this path, with or without its extension, is in another language.
    fn is_other(&self, path: &str) -> bool {
        let tree = self.files.tree;
        tree.contains(path) || OTHERS.iter().any(|extension| tree.contains(&format!("{path}.{extension}")))
    }

    /// Adds the pages that match a pattern and that no entry names.
    fn pattern(&mut self, pattern: &str, at: At) {
        let line = self.finder.find(pattern);
        let pages = self.files.tree.paths().filter(|path| is_markdown(path));
        let found = path::resolve(self.folder, pattern).and_then(|place| self.patterns.matching(&place, pages));
        let Some(mut found) = found else {
            let message = format!("{pattern} is left out: patterns must be few, short and inside of the repository");
            return self.site.warn(self.contents, line, message);
        };
        found.sort_by(|a, b| natural(a, b));
        for path in found {
            if self.named.insert(path.to_owned()) {
                let shown = Shown { is_hidden: at.is_hidden, ..Shown::default() };
                self.entries.page(at.level, path, &shown, line);
            }
        }
    }
}
