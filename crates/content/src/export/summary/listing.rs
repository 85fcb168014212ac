//! What an import reads in a table of contents, compared with the pages that there are.
use crate::export::layout::Layout;
use crate::export::{Content, Unlisted};
use crate::import::config::Config;
use crate::import::links::FileLinks;
use crate::import::outline::{Entry, Outline, Place};
use crate::import::place::{Slugs, default_slug};
use crate::import::summary::{ItemKind, Span, Summary};
use crate::import::text::words;
use crate::import::{MAX_LINK_TITLE, SourceTree, metadata, path};
use crate::markdown::{LinkUse, Links};
use crate::page::{PageEntry, PageKind, read_slug};
use crate::reference::ContentRef;
use crate::tree::Node;
use std::collections::{BTreeMap, HashMap, HashSet};
use values::id::PageId;

/// A table of contents that was read.
pub(in crate::export) struct Kept {
    entries: Vec<Entry>,
    places: Vec<Level>,
    tokens: Vec<Token>,
}

/// An item of a table of contents in its text.
pub(super) struct Token {
    /// Its lines.
    pub span: Span,
    /// The index of its entry; absent for the end of a group.
    pub entry: Option<usize>,
}

/// The place of an entry without regard to its siblings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Level {
    /// How many entries are above it.
    pub above: usize,
    /// Whether the outermost of them, or the entry itself, is a group.
    pub is_in_group: bool,
}

impl Level {
    fn below(above: Option<Self>, is_group: bool) -> Self {
        match above {
            Some(above) => Self { above: above.above + 1, ..above },
            None => Self { above: 0, is_in_group: is_group },
        }
    }

    /// How many lists are around it.
    pub(super) fn depth(self) -> usize {
        self.above.saturating_sub(usize::from(self.is_in_group))
    }
}

impl Kept {
    /// Reads a table of contents as an import does. `tree` has the files that there are.
    pub(in crate::export) fn read(text: &str, tree: &SourceTree, config: &Config) -> Self {
        let (summary, spans) = Summary::with_spans(text);
        let is_entry = |kind: &ItemKind| !matches!(kind, ItemKind::EndOfGroup);
        let are_entries: Vec<bool> = summary.items.iter().map(|item| is_entry(&item.kind)).collect();
        let beside = || path::join(path::folder(&config.summary), "README.md");
        let readme = config.readme.clone().unwrap_or_else(beside);
        let entries = Outline::of_summary(tree, &config.summary, summary, Some(&readme)).entries;
        // The first page comes before all items if none of them is it.
        let mut next = entries.len() - are_entries.iter().filter(|is_entry| **is_entry).count().min(entries.len());
        let mut tokens = Vec::with_capacity(spans.len());
        for (span, is_entry) in spans.into_iter().zip(are_entries) {
            tokens.push(Token { span, entry: is_entry.then_some(next) });
            next += usize::from(is_entry);
        }
        let mut places: Vec<Level> = Vec::with_capacity(entries.len());
        for entry in &entries {
            places.push(Level::below(entry.parent.map(|parent| places[parent]), entry.place == Place::Group));
        }
        Self { entries, places, tokens }
    }

    /// Its entries.
    pub(super) fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The files of its pages.
    pub(in crate::export) fn files(&self) -> HashSet<&str> {
        let files = self.entries.iter().filter_map(|entry| match &entry.place {
            Place::Text(path) => Some(path.as_str()),
            _ => None,
        });
        files.collect()
    }

    /// Its items in their order.
    pub(super) fn tokens(&self) -> &[Token] {
        &self.tokens
    }

    /// An entry and its place.
    pub(super) fn entry(&self, at: usize) -> (&Entry, Level) {
        (&self.entries[at], self.places[at])
    }

    /// The first page, if no item is it.
    pub(super) fn implied(&self) -> Option<&Entry> {
        let first = self.tokens.iter().find_map(|token| token.entry);
        self.entries.first().filter(|_| first != Some(0))
    }

    /// The titles of pages with files that differ from those of the pages: something in the file must replace them.
    pub(in crate::export) fn other_titles<'c>(
        &self,
        content: &'c Content,
        layout: &Layout,
    ) -> HashMap<&'c PageId, String> {
        let titles = self.entries.iter().filter_map(|entry| match &entry.place {
            Place::Text(path) => Some((path.as_str(), &entry.title)),
            _ => None,
        });
        let titles: HashMap<&str, &String> = titles.collect();
        let other = |node: &'c Node| {
            let title = *titles.get(layout.pages.get(&node.id)?.as_str())?;
            (words(title) != words(&node.page.title)).then(|| (&node.id, title.clone()))
        };
        content.tree.iter().filter_map(other).collect()
    }
}

/// A page in the table of contents.
#[derive(Clone, Copy)]
pub(super) struct Listed<'a> {
    /// The page.
    pub node: &'a Node,
    /// Its place.
    pub level: Level,
}

impl Listed<'_> {
    /// Whether it is a group.
    pub(super) fn is_group(&self) -> bool {
        self.node.page.kind == PageKind::Group
    }
}

/// The pages that a table of contents has to name.
pub(in crate::export) struct Listing<'a> {
    /// The content.
    pub(super) content: &'a Content,
    /// The paths of its files.
    pub(super) layout: &'a Layout,
    /// The pages that are in no table of contents.
    pub(super) unlisted: &'a Unlisted<'a>,
    /// The path of the table of contents.
    pub(super) place: &'a str,
    /// The pages in it, in their order.
    pub(super) pages: Vec<Listed<'a>>,
    config: &'a Config,
    slugs: &'a HashMap<&'a PageId, &'a str>,
    replaced: &'a HashMap<&'a PageId, String>,
}

impl<'a> Listing<'a> {
    /// The pages of this content. `slugs` are those that do not follow from files and titles. `replaced` has titles in
    /// the imported table of contents that the files of the pages replace with their own.
    pub(in crate::export) fn new(
        content: &'a Content,
        config: &'a Config,
        layout: &'a Layout,
        unlisted: &'a Unlisted<'a>,
        slugs: &'a HashMap<&'a PageId, &'a str>,
        replaced: &'a HashMap<&'a PageId, String>,
    ) -> Self {
        let mut levels: HashMap<&PageId, Level> = HashMap::new();
        let mut pages = Vec::new();
        for node in content.tree.iter().filter(|node| !unlisted.contains(&node.id)) {
            let above = node.page.parent.as_ref().and_then(|parent| levels.get(parent)).copied();
            let level = Level::below(above, node.page.kind == PageKind::Group);
            levels.insert(&node.id, level);
            pages.push(Listed { node, level });
        }
        Self { content, layout, unlisted, place: &config.summary, pages, config, slugs, replaced }
    }

    /// Reads a table of contents.
    pub(super) fn read(&self, text: &str) -> Kept {
        Kept::read(text, &self.layout.tree, self.config)
    }

    /// The file of a page with text. That of a link or a group has no entry.
    pub(super) fn file(&self, node: &Node) -> Option<&'a String> {
        let has_text = matches!(node.page.kind, PageKind::Document { .. });
        self.layout.pages.get(&node.id).filter(|_| has_text)
    }

    fn links(&self) -> FileLinks<'_> {
        FileLinks { targets: self.layout, from: self.place }
    }

    fn target(&self, href: &str) -> ContentRef {
        self.links().resolve(href, LinkUse::Link).unwrap_or_else(|| ContentRef::Url { url: href.to_owned() })
    }

    /// Whether an import of these entries gives the pages that there are.
    pub(super) fn is_right(&self, entries: &[Entry]) -> bool {
        let mut slugs = Slugs::default();
        entries.len() == self.pages.len()
            && entries.iter().zip(&self.pages).all(|(entry, Listed { node, .. })| {
                let parent = entry.parent.map(|parent| &self.pages[parent].node.id);
                let wanted = match &entry.place {
                    // The file has the slug if it does not follow from its name.
                    Place::Text(_) => node.page.slug.clone(),
                    place => given_slug(entry).unwrap_or_else(|| default_slug(place, &node.page.title)),
                };
                let has_slug = !node.page.kind.has_path() || slugs.free(parent, wanted) == node.page.slug;
                slugs.take(parent, node.page.slug.clone());
                has_slug && parent == node.page.parent.as_ref() && self.says(entry, node)
            })
    }

    /// Whether an entry means a page, wherever it is, and says all about it except its slug.
    fn says(&self, entry: &Entry, node: &Node) -> bool {
        let page = &node.page;
        if short_title(entry).as_deref().map(words) != page.link_title.as_deref().map(words) {
            return false;
        }
        let file = self.file(node);
        if let Place::Text(path) = &entry.place {
            let is_titled =
                || words(&entry.title) == words(&page.title) || self.replaced.get(&node.id) == Some(&entry.title);
            return file == Some(path) && is_titled();
        }
        if file.is_some() {
            return false;
        }
        let kind = match &entry.place {
            Place::Link(href) => PageKind::Link { target: self.target(href) },
            Place::Computed(source) => PageKind::Computed { computed: source.clone() },
            Place::Group => PageKind::Group,
            Place::Bare | Place::Text(_) => PageKind::Document { document: None },
        };
        with_values(entry, PageEntry { kind, ..page.clone() }, &self.links()) == *page
    }

    /// Whether an entry is right for a page, also if other lines change.
    pub(super) fn is_same(&self, (entry, level): (&Entry, Level), listed: &Listed<'_>) -> bool {
        let Listed { node, level: wanted } = listed;
        // An entry without a title gets one from the number of its line.
        let is_titled = match &entry.place {
            Place::Text(_) | Place::Link(_) => true,
            _ => !entry.title.is_empty() || entry.fields.text("title").is_some(),
        };
        is_titled && level == *wanted && self.says(entry, node) && self.has_slug(entry, node)
    }

    fn has_slug(&self, entry: &Entry, node: &Node) -> bool {
        if !node.page.kind.has_path() || matches!(entry.place, Place::Text(_)) {
            return true;
        }
        let is_default = !self.slugs.contains_key(&node.id);
        given_slug(entry).map_or(is_default, |slug| {
            slug == node.page.slug || is_default && slug == default_slug(&entry.place, &node.page.title)
        })
    }

    /// Whether two lists of entries mean the same.
    pub(super) fn are_alike(&self, one: &[Entry], other: &[Entry]) -> bool {
        let says = |entry: &Entry| {
            let (target, leads) = match &entry.place {
                Place::Link(href) => (Some(self.target(href)), Place::Link(String::new())),
                place => (None, place.clone()),
            };
            let fields: BTreeMap<String, String> =
                entry.fields.entries().map(|(key, value)| (key.to_owned(), value.to_string())).collect();
            let slug = given_slug(entry).filter(|slug| *slug != default_slug(&Place::Bare, &entry.title));
            (entry.parent, leads, target, words(&entry.title), entry.link_title.clone(), slug, fields)
        };
        one.len() == other.len() && one.iter().zip(other).all(|(one, other)| says(one) == says(other))
    }
}

/// The shorter title that an import gives the page of an entry.
pub(super) fn short_title(entry: &Entry) -> Option<String> {
    entry.link_title.as_ref().map(|title| title.chars().take(MAX_LINK_TITLE).collect())
}

/// A page with the title and the values that an entry without a file gives it.
pub(super) fn with_values(entry: &Entry, page: PageEntry, links: &dyn Links) -> PageEntry {
    let mut said = PageEntry { title: entry.title.clone(), ..page };
    metadata::read(&entry.fields, &mut said, links);
    if said.title.is_empty() {
        said.title = match &entry.place {
            Place::Link(href) => href.clone(),
            _ => format!("Untitled {}", entry.line),
        };
    }
    said
}

/// The slug that an entry gives its page.
fn given_slug(entry: &Entry) -> Option<String> {
    metadata::slug(&entry.fields).or_else(|| read_slug(entry.slug.as_deref()?).ok())
}
