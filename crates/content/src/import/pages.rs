//! The pages of an import.
use super::config::SERVICE_FOLDER;
use super::digest::{self, Reading};
use super::file::git_id;
use super::links::{FileLinks, Targets};
use super::metadata;
use super::outline::{Entry, Outline, Place};
use super::path::is_markdown;
use super::place::{Slugs, default_slug, order_keys};
use super::plan::ImportError;
use super::reading::Importing;
use super::text::read_page;
use crate::markdown::{FrontMatter, LinkUse, Links};
use crate::object::Scratch;
use crate::order::OrderKey;
use crate::page::{GitBlob, PageEntry, PageKind, read_slug};
use crate::reference::ContentRef;
use std::collections::{BTreeMap, HashMap, HashSet};
use values::id::PageId;

/// The maximum length of a title in the table of contents, in characters.
pub(crate) const MAX_LINK_TITLE: usize = 100;

/// A page that was read, with the data that its slug and order depend on.
pub(super) struct ParsedPage {
    id: PageId,
    page: PageEntry,
    place: Place,
    slug: Option<String>,
}

impl Importing<'_> {
    /// Assigns the ids of all entries before the first text is read, since texts link to later pages.
    pub(super) fn begin(&self, outline: &Outline) -> Vec<PageId> {
        // In Sphinx, the table of contents is in a page.
        let is_contents = |entry: &Entry| matches!(&entry.place, Place::Text(path) if *path == self.plan.contents);
        if !outline.entries.iter().any(is_contents) {
            self.targets.mark_non_page(&self.plan.contents);
        }
        self.plan.site.non_pages.iter().for_each(|path| self.targets.mark_non_page(path));
        let mut ids: Vec<PageId> = Vec::with_capacity(outline.entries.len());
        for entry in &outline.entries {
            let parent = entry.parent.map(|parent| &ids[parent]);
            let titled = |kind: PageKind| self.previous.page_titled(parent, &kind, &entry.title);
            let url = ContentRef::Url { url: String::new() };
            ids.push(match &entry.place {
                Place::Text(path) => self.targets.add_page(path),
                Place::Bare => self.targets.add_bare(titled(PageKind::Document { document: None })),
                Place::Group => self.targets.add_bare(titled(PageKind::Group)),
                Place::Link(_) => self.targets.add_bare(titled(PageKind::Link { target: url })),
                Place::Computed(source) => {
                    self.targets.add_bare(titled(PageKind::Computed { computed: source.clone() }))
                }
            });
        }
        ids
    }

    /// Reads an entry of the table of contents.
    pub(super) fn page(
        &mut self,
        entry: Entry,
        id: PageId,
        parent: Option<PageId>,
        scratch: &mut Scratch<'_>,
    ) -> Result<ParsedPage, ImportError> {
        let Entry { place, title, link_title, mut slug, fields, line, .. } = entry;
        let link_title = link_title.map(|title| title.chars().take(MAX_LINK_TITLE).collect());
        let mut page = PageEntry { parent, link_title, ..self.blank(title) };
        let mut front = fields;
        match &place {
            Place::Text(path) => {
                let given = std::mem::replace(&mut front, self.text(path, &mut page, scratch)?);
                slug = self.of_navigation(&given, &front, &mut page);
            }
            Place::Bare | Place::Group | Place::Link(_) | Place::Computed(_) => {
                let links = FileLinks { targets: &self.targets, from: &self.plan.contents };
                metadata::read(&front, &mut page, &links);
                match &place {
                    Place::Link(href) => {
                        let target = links.resolve(href, LinkUse::Link);
                        self.report.links_resolved += usize::from(target.is_some());
                        page.kind = PageKind::Link { target: target.unwrap_or(ContentRef::Url { url: href.clone() }) };
                    }
                    Place::Computed(source) => page.kind = PageKind::Computed { computed: source.clone() },
                    Place::Group => page.kind = PageKind::Group,
                    Place::Bare | Place::Text(_) => {}
                }
            }
        }
        if page.title.is_empty() {
            page.title = match &place {
                Place::Link(href) => href.clone(),
                _ => format!("Untitled {line}"),
            };
        }
        let slug = metadata::slug(&front).or(slug.and_then(|slug| read_slug(&slug).ok()));
        Ok(ParsedPage { id, page, place, slug })
    }

    /// Sets the values that the navigation of a site generator has for a page with a file. `given` are those of its
    /// entry. Returns its slug.
    fn of_navigation(&self, given: &FrontMatter, front: &FrontMatter, page: &mut PageEntry) -> Option<String> {
        // The table of contents of this layout has such values only for pages without a file.
        if self.plan.repository.summary.is_some() {
            return None;
        }
        page.hidden |= given.flag("hidden") == Some(true);
        let short = self.plan.site.short_titles.iter().find_map(|key| front.text(key));
        let short = short.map(|title| title.trim().chars().take(MAX_LINK_TITLE).collect::<String>());
        let short = page.link_title.take().or(short);
        page.link_title = short.filter(|title| !title.is_empty() && *title != page.title);
        given.text("slug").map(str::to_owned)
    }

    /// A new page without content.
    fn blank(&self, title: String) -> PageEntry {
        let kind = PageKind::Document { document: None };
        let order = OrderKey::sequence(1).remove(0);
        PageEntry { created_by: self.author.clone(), ..PageEntry::new(kind, title, "", order, self.at) }
    }

    /// Reads the file of a page into it. Returns its front matter.
    fn text(
        &mut self,
        path: &str,
        page: &mut PageEntry,
        scratch: &mut Scratch<'_>,
    ) -> Result<FrontMatter, ImportError> {
        let (bytes, text) = self.bytes(path)?;
        let links = FileLinks { targets: &self.targets, from: path };
        let alone = page.title.is_empty();
        let mut read = read_page(&text.text, page, &links);
        let places = digest::places(Some(&*page), &mut read.document, &|target| self.targets.path_of(target));
        let before = self.page_before(path).and_then(PageEntry::document);
        let document = self.document(before, std::mem::take(&mut read.document), scratch)?;
        page.kind = PageKind::Document { document };
        page.git = Some(GitBlob { oid: git_id(&bytes), path: path.to_owned() });
        page.source = Some(self.put(bytes, scratch));
        let slug = metadata::slug(&read.front);
        let reading = Reading { path, slug: slug.as_deref(), alone };
        page.import_digest = Some(digest::of_page(page, reading, &places));
        Ok(self.account(path, &text, read))
    }

    /// Reads a Markdown file that is in no table of contents but linked to. These become hidden pages at the end of the
    /// root, in the order of their paths.
    pub(super) fn linked_page(&mut self, path: String, scratch: &mut Scratch<'_>) -> Result<(), ImportError> {
        let mut page = self.blank(String::new());
        let front = self.text(&path, &mut page, scratch)?;
        page.hidden = true;
        self.report.hidden += 1;
        let Some(id) = self.targets.page(&path) else { return Ok(()) };
        let slug = metadata::slug(&front);
        self.linked.insert(path.clone(), ParsedPage { id, page, place: Place::Text(path), slug });
        Ok(())
    }

    /// Reports the Markdown files that are not imported.
    pub(super) fn ignored(&mut self) {
        let listed: HashSet<&str> = (self.parsed.iter())
            .filter_map(|parsed| match &parsed.place {
                Place::Text(path) => Some(path.as_str()),
                _ => None,
            })
            .collect();
        let service = format!("{SERVICE_FOLDER}/");
        let ignored: Vec<&str> = (self.plan.tree.paths())
            .filter(|path| is_markdown(path) && !listed.contains(path) && !self.linked.contains_key(*path))
            .filter(|path| !path.starts_with(&service) && !self.targets.is_non_page(path))
            .collect();
        for path in ignored {
            self.report.warn(path, None, "it is in no table of contents and nothing links to it; it is left out");
        }
    }

    /// Sets the slugs and the order of pages, and takes over times and authors from before.
    pub(super) fn place(&mut self) {
        let mut parsed = std::mem::take(&mut self.parsed);
        parsed.extend(std::mem::take(&mut self.linked).into_values());
        let mut siblings: BTreeMap<Option<PageId>, Vec<usize>> = BTreeMap::new();
        for (at, page) in parsed.iter().enumerate() {
            siblings.entry(page.page.parent.clone()).or_default().push(at);
        }
        let mut orders: HashMap<usize, OrderKey> = HashMap::with_capacity(parsed.len());
        for (parent, places) in &siblings {
            let before = |at: &usize| {
                let before = self.previous.pages.get(&parsed[*at].id);
                before.filter(|before| before.parent == *parent).map(|before| before.order.clone())
            };
            let keys = order_keys(&places.iter().map(before).collect::<Vec<_>>());
            orders.extend(places.iter().copied().zip(keys));
        }
        let parents: Vec<Option<PageId>> = parsed.iter().map(|parsed| parsed.page.parent.clone()).collect();
        let mut slugs = Slugs::default();
        let parsed = parsed.into_iter().zip(&parents).enumerate();
        let pages = parsed.map(|(at, (ParsedPage { id, mut page, place, slug }, parent))| {
            match page.kind {
                PageKind::Document { .. } => self.report.pages += 1,
                PageKind::Group => self.report.groups += 1,
                PageKind::Link { .. } => self.report.links += 1,
                PageKind::Computed { .. } => self.report.computed += 1,
            }
            if page.kind.has_path() {
                let wanted = slug.unwrap_or_else(|| default_slug(&place, &page.title));
                page.slug = slugs.free(parent.as_ref(), wanted);
                slugs.take(parent.as_ref(), page.slug.clone());
            }
            page.order = orders.remove(&at).unwrap_or(page.order);
            let page = match self.previous.pages.get(&id) {
                Some(before) => page.since(before, self.at),
                None => page,
            };
            (id, Some(page))
        });
        // A map that is filled in the order of its keys takes almost twice the memory of one that is collected.
        self.edits.pages = pages.collect();
    }
}
