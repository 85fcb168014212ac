//! The navigation of site generators, as a table of contents.
use super::address::{self, Found};
use super::encoding::decode;
use super::literal::Literal;
use super::outline::{Outline, Place};
use super::path::{self, MARKDOWN, is_markdown};
use super::plan::{MAX_PAGES, Plan};
use super::report::Warning;
use super::source::SourceTree;
use super::summary::{Item, ItemKind, Summary};
use super::{docsify, docusaurus, fumadocs, jekyll, jupyter, mintlify, nextra, starlight, vitepress};
use crate::markdown::{FrontMatter, one_line};
use bytes::Bytes;
use serde_json::Value;
use std::cell::{Cell, RefCell};
use std::cmp::Ordering;

/// The size of the largest file of navigation that is read, and of all of them, in bytes.
const MAX_FILE: usize = 2 << 20;
const MAX_FILES: usize = 32 << 20;

/// The size of all literals in these files, in bytes. Constants that are used several times count each time.
const MAX_LITERALS: usize = 64 << 20;

/// How many warnings about a navigation are kept.
const MAX_WARNINGS: usize = 1_000;

/// How deep sections may nest.
pub(super) const MAX_SECTIONS: usize = 32;

/// The navigation of a site.
#[derive(Default)]
pub(super) struct Navigation {
    /// Its file.
    pub contents: String,
    /// The first page, if no entry has it.
    pub readme: Option<String>,
    /// Its title.
    pub title: Option<String>,
    /// Its entries.
    pub items: Vec<Item>,
    /// What it says besides.
    pub site: Site,
}

/// What the navigation of a site says besides the order of pages.
#[derive(Default)]
pub(super) struct Site {
    /// Names in front matter of a shorter title of a page.
    pub short_titles: &'static [&'static str],
    /// Markdown files that are no pages.
    pub non_pages: Vec<String>,
    /// What was not understood.
    pub warnings: Vec<Warning>,
}

impl Site {
    /// Adds a warning.
    pub(super) fn warn(&mut self, file: &str, line: usize, message: impl Into<String>) {
        let message = match self.warnings.len().cmp(&MAX_WARNINGS) {
            Ordering::Less => message.into(),
            Ordering::Equal => "there are more problems, which are not listed".to_owned(),
            Ordering::Greater => return,
        };
        self.warnings.push(Warning { file: Some(file.to_owned()), line: Some(line), message });
    }

    /// Adds a warning about a link that is left out.
    pub(super) fn warn_of_link(&mut self, file: &str, line: usize, href: &str) {
        self.warn(file, line, format!("{href} leads nowhere; the link is left out"));
    }
}

/// The files of a repository, for readers of navigation.
pub(super) struct Files<'f> {
    /// Their names.
    pub tree: &'f SourceTree,
    read: &'f dyn Fn(&str) -> Option<Bytes>,
    /// How many bytes may still be read.
    left: Cell<usize>,
    /// How many bytes literals may still take.
    left_for_literals: Cell<usize>,
    /// The files that were not understood, with the problems.
    failed: RefCell<Vec<Warning>>,
}

impl<'f> Files<'f> {
    /// `read` returns the bytes of a file.
    pub(super) fn new(tree: &'f SourceTree, read: &'f dyn Fn(&str) -> Option<Bytes>) -> Self {
        let (left, left_for_literals) = (Cell::new(MAX_FILES), Cell::new(MAX_LITERALS));
        Self { tree, read, left, left_for_literals, failed: RefCell::default() }
    }

    /// The bytes of a file.
    pub(super) fn bytes(&self, path: &str) -> Option<Bytes> {
        if self.tree.contains(path) { (self.read)(path) } else { None }
    }

    /// The text of a file of navigation. `None` if there is no such file, or if it is too large.
    pub(super) fn text(&self, path: &str) -> Option<String> {
        let left = self.left.get();
        let bytes = if left > 0 { self.bytes(path)? } else { return None };
        self.left.set(left.saturating_sub(bytes.len()));
        (bytes.len() <= MAX_FILE).then(|| decode(&bytes).0.trim_start_matches('\u{feff}').to_owned())
    }

    /// The value that a file in JavaScript, TypeScript or JSON exports, with what it imports from other files. `None`
    /// if there is none, or if it is too large.
    pub(super) fn literal(&self, path: &str) -> Option<Literal> {
        if self.left_for_literals.get() == 0 {
            return None;
        }
        Literal::exported_by(path, &self.text(path)?, &self.left_for_literals, self)
    }

    /// Reports a file that is not understood: it has no effect.
    pub(super) fn fail(&self, path: &str, message: impl Into<String>) {
        let warning = Warning { file: Some(path.to_owned()), line: None, message: message.into() };
        let mut failed = self.failed.borrow_mut();
        if failed.len() < MAX_WARNINGS {
            failed.push(warning);
        }
    }

    /// The Markdown file that a navigation names with or without its extension.
    pub(super) fn markdown(&self, path: &str) -> Option<String> {
        if is_markdown(path) && self.tree.contains(path) {
            return Some(path.to_owned());
        }
        MARKDOWN.iter().map(|extension| format!("{path}.{extension}")).find(|path| self.tree.contains(path))
    }
}

/// Collects the entries of a navigation. Levels count from 0; a group is at level 0, and its entries at level 1.
#[derive(Default)]
pub(super) struct Entries {
    items: Vec<Item>,
    /// Whether a group may be open.
    is_in_group: bool,
}

/// What an entry shows.
#[derive(Clone, Debug, Default)]
pub(super) struct Shown {
    /// Its title.
    pub title: String,
    /// The name of its icon.
    pub icon: Option<String>,
    /// Whether it is hidden.
    pub is_hidden: bool,
    /// Its slug, if it does not follow from its title or file.
    pub slug: Option<String>,
}

impl Shown {
    /// An entry with only a title.
    pub(super) fn titled(title: impl Into<String>) -> Self {
        Self { title: title.into(), ..Self::default() }
    }

    fn fields(&self) -> FrontMatter {
        let mut fields = FrontMatter::default();
        // Other icons are addresses and drawings.
        let is_name = |icon: &&String| icon.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
        let icon = self.icon.as_ref().filter(is_name).filter(|icon| !icon.is_empty());
        fields.set("icon", icon.map(|icon| Value::String(icon.clone())));
        fields.set("hidden", self.is_hidden.then_some(Value::Bool(true)));
        fields.set("slug", self.slug.clone().map(Value::String));
        fields
    }
}

impl Entries {
    /// How many entries there are.
    pub(super) fn len(&self) -> usize {
        self.items.len()
    }

    /// Adds a section: a group at the outermost level, a page without text below it.
    pub(super) fn section(&mut self, level: usize, shown: &Shown, line: usize) {
        match level {
            0 => {
                self.is_in_group = true;
                self.push(0, ItemKind::Group { id: shown.slug.clone() }, shown, line);
            }
            _ => self.bare(level, shown, line),
        }
    }

    /// Adds a page without text.
    pub(super) fn bare(&mut self, level: usize, shown: &Shown, line: usize) {
        let depth = self.depth(level);
        self.push(depth, ItemKind::Bare, shown, line);
    }

    /// Adds the page of a file. Its title in the navigation becomes its shorter title.
    pub(super) fn page(&mut self, level: usize, path: &str, shown: &Shown, line: usize) {
        let depth = self.depth(level);
        let short = Some(one_line(&shown.title)).filter(|title| !title.is_empty());
        let shown = Shown { title: String::new(), ..shown.clone() };
        self.push(depth, ItemKind::Link { href: format!("/{}", path::encode(path)) }, &shown, line);
        if let Some(item) = self.items.last_mut() {
            item.link_title = short;
        }
    }

    /// Adds a page whose file is not there.
    pub(super) fn missing(&mut self, level: usize, path: &str, line: usize) {
        let depth = self.depth(level);
        let shown = Shown::titled(address::title_of(&format!("{path}.md")));
        self.push(depth, ItemKind::Link { href: format!("/{}", path::encode(path)) }, &shown, line);
    }

    /// Adds a link that is in the file `from`. Returns whether it leads anywhere.
    pub(super) fn link(&mut self, tree: &SourceTree, from: &str, level: usize, link: Link<'_>, line: usize) -> bool {
        let href = match address::find(tree, from, link.href) {
            Found::Elsewhere => link.href.to_owned(),
            // With a sign of an anchor, it is a link and not the page itself.
            Found::File { path, fragment } => {
                format!("/{}#{}", path::encode(&path), path::encode(&fragment.unwrap_or_default()))
            }
            Found::Here { .. } | Found::Nowhere => return false,
        };
        let depth = self.depth(level);
        let title = if link.title.is_empty() { link.href } else { link.title };
        self.push(depth, ItemKind::Link { href }, &Shown { icon: link.icon, ..Shown::titled(title) }, line);
        true
    }

    /// Removes a section that was added when there were `before` entries, if nothing is below it. Returns whether
    /// it was removed.
    pub(super) fn remove_empty(&mut self, before: usize) -> bool {
        let added = self.items.get(before..).unwrap_or_default();
        // A section at the outermost level can come after the end of a group, which stays.
        let ends_group = added.first().is_some_and(|first| matches!(first.kind, ItemKind::EndOfGroup));
        let is_empty = added.len() == 1 + usize::from(ends_group);
        if is_empty {
            self.items.pop();
        }
        is_empty
    }

    /// All entries.
    pub(super) fn into_items(self) -> Vec<Item> {
        self.items
    }

    /// The depth of an entry in the list. At the outermost level, it ends the open group.
    fn depth(&mut self, level: usize) -> usize {
        if level == 0 && self.is_in_group {
            self.push(0, ItemKind::EndOfGroup, &Shown::default(), 0);
            self.is_in_group = false;
        }
        level.saturating_sub(usize::from(self.is_in_group))
    }

    fn push(&mut self, depth: usize, kind: ItemKind, shown: &Shown, line: usize) {
        // More are refused, and need no memory.
        if self.items.len() <= 2 * MAX_PAGES {
            let (title, fields) = (one_line(&shown.title), shown.fields());
            self.items.push(Item { kind, title, link_title: None, depth, line, fields });
        }
    }
}

/// A link in a navigation.
pub(super) struct Link<'l> {
    /// Its address.
    pub href: &'l str,
    /// Its title.
    pub title: &'l str,
    /// The name of its icon.
    pub icon: Option<String>,
}

/// Reads a navigation.
type Reader = fn(&Files<'_>) -> Option<Navigation>;

/// The readers of books in MyST. Their table of contents comes before those in texts.
const BOOKS: [Reader; 2] = [jupyter::of_myst, jupyter::of_book];

/// The readers of site generators.
const GENERATORS: [Reader; 8] = [
    mintlify::read,
    docusaurus::read,
    vitepress::read,
    starlight::read,
    docsify::read,
    nextra::read,
    fumadocs::read,
    jekyll::read,
];

impl Plan<'_> {
    /// The pages in the table of contents of a book in MyST, if any of them is there.
    pub(super) fn of_book(&mut self) -> Option<Outline> {
        self.of_readers(&BOOKS)
    }

    /// The pages in the navigation of a site generator, if any of them is there.
    pub(super) fn of_generator(&mut self) -> Option<Outline> {
        self.of_readers(&GENERATORS)
    }

    /// The pages in the first navigation that names any.
    fn of_readers(&mut self, readers: &[Reader]) -> Option<Outline> {
        let read = |path: &str| self.read(path).ok();
        let files = Files::new(&self.tree, &read);
        let found = readers.iter().find_map(|reader| {
            let Navigation { contents, readme, title, items, site } = reader(&files)?;
            let readme = self.config.readme.as_deref().or(readme.as_deref());
            let outline = Outline::of_summary(&self.tree, &contents, Summary { title: None, items }, readme);
            let has_pages = outline.entries.iter().any(|entry| matches!(entry.place, Place::Text(_)));
            has_pages.then_some((outline, contents, title, site))
        });
        let failed = files.failed.take();
        self.site.warnings.extend(failed);
        let (outline, contents, title, site) = found?;
        (self.contents, self.title) = (contents, title.filter(|title| !title.is_empty()));
        self.site.warnings.extend(site.warnings);
        (self.site.short_titles, self.site.non_pages) = (site.short_titles, site.non_pages);
        Some(outline)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(entries: Entries) -> Vec<String> {
        let shown = |item: &Item| {
            let kind = match &item.kind {
                ItemKind::Link { href } => href.clone(),
                kind => format!("{kind:?}"),
            };
            format!("{}{}: {kind}", "- ".repeat(item.depth), item.title)
        };
        entries.into_items().iter().map(shown).collect()
    }

    #[test]
    fn an_entry_at_the_outermost_level_ends_a_group() {
        let mut entries = Entries::default();
        entries.bare(0, &Shown::titled("A"), 1);
        entries.section(0, &Shown::titled("G"), 1);
        entries.section(1, &Shown::titled("B"), 1);
        entries.page(2, "c d.md", &Shown::default(), 1);
        entries.missing(0, "gone/e-f", 1);
        let expected =
            ["A: Bare", "G: Group { id: None }", "B: Bare", "- : /c%20d.md", ": EndOfGroup", "E f: /gone/e-f"];
        assert_eq!(shown(entries), expected);
    }

    #[test]
    fn an_empty_section_is_removed_and_the_end_of_a_group_before_it_stays() {
        let mut entries = Entries::default();
        entries.section(0, &Shown::titled("G"), 1);
        entries.bare(1, &Shown::titled("A"), 1);
        let before = entries.len();
        entries.bare(0, &Shown::titled("B"), 1);
        assert!(entries.remove_empty(before));
        let before = entries.len();
        entries.bare(0, &Shown::titled("C"), 1);
        entries.bare(1, &Shown::titled("D"), 1);
        assert!(!entries.remove_empty(before));
        assert_eq!(shown(entries), ["G: Group { id: None }", "A: Bare", ": EndOfGroup", "C: Bare", "- D: Bare"]);
    }

    #[test]
    fn a_link_to_a_page_is_not_the_page() {
        let mut tree = SourceTree::default();
        tree.insert("a/b.md");
        let mut entries = Entries::default();
        let mut link = |href| entries.link(&tree, "a/nav.json", 0, Link { href, title: "", icon: None }, 1);
        assert_eq!(["/b", "b.md#x", "https://e.org", "/gone", "#x"].map(&mut link), [true, true, true, false, false]);
        assert_eq!(shown(entries), ["/b: /a/b.md#", "b.md#x: /a/b.md#x", "https://e.org: https://e.org"]);
    }

    #[test]
    fn warnings_are_limited() {
        let mut site = Site::default();
        (0..2 * MAX_WARNINGS).for_each(|line| site.warn("a", line, "b"));
        assert_eq!(site.warnings.len(), MAX_WARNINGS + 1);
    }

    #[test]
    fn files_that_are_too_large_are_not_read() {
        let mut tree = SourceTree::default();
        ["a", "b"].into_iter().for_each(|path| tree.insert(path));
        let read = |path: &str| Some(if path == "a" { vec![b' '; MAX_FILE + 1].into() } else { Bytes::from("x") });
        let files = Files::new(&tree, &read);
        assert_eq!((files.text("a"), files.text("b").as_deref(), files.text("c")), (None, Some("x"), None));
        files.left.set(0);
        assert_eq!(files.text("b"), None);
    }
}
