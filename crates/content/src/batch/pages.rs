//! Inserting, changing and deleting pages.
use super::fields::PageFields;
use super::place::key_at;
use super::run::Batch;
use super::texts::{Pending, Text};
use super::{Body, DEFAULT_TITLE, InsertPage, MAX_TEXT_SENT, Step, UpdatePage, refuse};
use crate::document::Document;
use crate::import::text::words;
use crate::markdown::{self, Unresolved};
use crate::order::OrderKey;
use crate::page::{MAX_DEPTH, PageEntry, PageKind, free_slug, read_slug, slugify};
use crate::snapshot::Sibling;
use values::id::PageId;
use values::patch::Patch;
use values::text::{PageTitle, Rule};

pub(super) const NO_SUCH_PAGE: &str = "there is no such page";

impl Batch<'_> {
    pub(super) fn insert_page(&mut self, change: &InsertPage) -> Step<()> {
        let InsertPage { id, fields, document, into, at, reference } = change;
        if self.work.page(id)?.is_some() {
            return refuse("id", format!("there is a page {id} already"));
        }
        let parent = into.as_deref().map(|into| self.parent(into, None)).transpose()?;
        let first = OrderKey::sequence(1).remove(0);
        let kind = PageKind::Document { document: None };
        let mut page = PageEntry::new(kind, "", "", first, self.editor.at);
        page.parent = parent;
        page.created_by.clone_from(&self.editor.author);
        let (text, wanted) = read(document, fields, &mut page, None)?;
        if page.title.is_empty() {
            page.title = DEFAULT_TITLE.to_owned();
        }
        let siblings = self.siblings_without(page.parent.as_ref(), id)?;
        page.slug = slug(&siblings, wanted.as_deref(), &page.title)?;
        self.place(&mut page, &siblings, at.unwrap_or(usize::MAX))?;
        self.touch(id);
        self.created.insert(id.clone(), reference.clone());
        self.work.put(id, Some(page), self.index)?;
        self.texts.insert(id.clone(), Pending { by: self.index, text, old: Document::default() });
        Ok(())
    }

    pub(super) fn update_page(&mut self, change: &UpdatePage) -> Step<()> {
        let UpdatePage { page: name, fields, document, into, at } = change;
        let Some((id, before)) = self.named(name)? else { return refuse("page", NO_SUCH_PAGE) };
        let mut page = before.clone();
        match into {
            Patch::Keep => {}
            Patch::Clear => page.parent = None,
            Patch::Set(into) => page.parent = Some(self.parent(into, Some((&id, &before)))?),
        }
        let mut wanted = fields.slug.clone();
        let text = match document {
            None => {
                fields.set(&mut page)?;
                None
            }
            Some(_) if !matches!(before.kind, PageKind::Document { .. }) => {
                return refuse("document", format!("{} has no text", called(&before.kind)));
            }
            Some(body) => {
                let old = self.text(&id, &before)?;
                if matches!(body, Body::Markdown(source) if self.is_as_read(&id, &old, source)?) {
                    fields.set(&mut page)?;
                    None
                } else {
                    let (text, slug) = read(body, fields, &mut page, Some(&old))?;
                    wanted = slug;
                    Some(Pending { by: self.index, text, old })
                }
            }
        };
        self.place_again(&id, &before, &mut page, wanted, *at)?;
        self.touch(&id);
        if page != before {
            self.work.put(&id, Some(page), self.index)?;
        }
        if let Some(text) = text {
            self.texts.insert(id, text);
        }
        Ok(())
    }

    /// Sets the slug and the position of an existing page.
    fn place_again(
        &mut self,
        id: &PageId,
        before: &PageEntry,
        page: &mut PageEntry,
        wanted: Option<String>,
        at: Option<usize>,
    ) -> Step<()> {
        let moves = page.parent != before.parent;
        let link = !page.kind.has_path();
        if link && wanted.is_some() {
            return refuse("slug", format!("{} has no slug", called(&page.kind)));
        }
        if !moves && at.is_none() && wanted.is_none() {
            return Ok(());
        }
        let siblings = self.siblings_without(page.parent.as_ref(), id)?;
        if wanted.is_some() {
            page.slug = slug(&siblings, wanted.as_deref(), &page.title)?;
        } else if moves && !link && siblings.iter().any(|sibling| sibling.slug == page.slug) {
            let rule = format!("a page there has the slug {:?} already; give this one another", page.slug);
            return refuse("into", rule);
        }
        let now = siblings.partition_point(|sibling| (&sibling.order, &sibling.page) < (&page.order, id));
        match at {
            None if !moves => Ok(()),
            Some(at) if !moves && at.min(siblings.len()) == now => Ok(()),
            at => self.place(page, &siblings, at.unwrap_or(usize::MAX)),
        }
    }

    pub(super) fn delete_page(&mut self, name: &str) -> Step<()> {
        let Some((id, _)) = self.named(name)? else { return refuse("page", NO_SUCH_PAGE) };
        self.touch(&id);
        self.remove(&id)
    }

    /// Removes a page and all pages below it.
    pub(super) fn remove(&mut self, id: &PageId) -> Step<()> {
        let mut gone = self.work.below(id)?;
        gone.reverse();
        gone.push(id.clone());
        for id in gone {
            self.work.put(&id, None, self.index)?;
            self.texts.remove(&id);
        }
        Ok(())
    }

    /// The page that a change names, by id or by the reference of a page that was inserted earlier.
    pub(super) fn named(&self, name: &str) -> Step<Option<(PageId, PageEntry)>> {
        let by_id = name.parse::<PageId>().ok();
        for id in by_id.iter().chain(self.references.page(name)) {
            if let Some(page) = self.work.page(id)? {
                return Ok(Some((id.clone(), page)));
            }
        }
        Ok(None)
    }

    /// The parent that a change names; `moved` is the page that goes below it, if it exists already.
    fn parent(&self, into: &str, moved: Option<(&PageId, &PageEntry)>) -> Step<PageId> {
        let Some((id, page)) = self.named(into)? else { return refuse("into", NO_SUCH_PAGE) };
        if !page.kind.has_path() {
            return refuse("into", format!("{} holds no pages", called(&page.kind)));
        }
        let way = self.work.upwards(&id)?;
        if let Some((moved, page)) = moved {
            if page.kind == PageKind::Group {
                return refuse("into", "a group can only be at the root");
            }
            if way.contains(moved) {
                return refuse("into", "a page cannot be below itself");
            }
        }
        if way.len() >= MAX_DEPTH {
            return refuse("into", format!("pages must be nested at most {MAX_DEPTH} levels deep"));
        }
        Ok(id)
    }

    /// The pages below one, without `id`.
    pub(super) fn siblings_without(&mut self, parent: Option<&PageId>, id: &PageId) -> Step<Vec<Sibling>> {
        let siblings = self.work.siblings(parent)?;
        Ok(siblings.iter().filter(|sibling| sibling.page != *id).cloned().collect())
    }

    /// Sets the position of a page among its siblings.
    pub(super) fn place(&mut self, page: &mut PageEntry, siblings: &[Sibling], at: usize) -> Step<()> {
        let (order, tied) = key_at(siblings, at);
        page.order = order;
        for (id, order) in tied {
            if let Some(tied) = self.work.page(&id)? {
                self.work.put(&id, Some(PageEntry { order, ..tied }), self.index)?;
            }
        }
        Ok(())
    }
}

/// The wanted slug, which must be free; without one, a free slug from the title.
fn slug(siblings: &[Sibling], wanted: Option<&str>, title: &str) -> Step<String> {
    let taken = |slug: &str| siblings.iter().any(|sibling| sibling.slug == slug);
    match wanted.filter(|wanted| !wanted.is_empty()) {
        Some(wanted) => {
            let wanted = read_slug(wanted).map_err(|rule| rule.of("slug"))?;
            match taken(&wanted) {
                true => refuse("slug", format!("the slug {wanted:?} is taken by a sibling")),
                false => Ok(wanted),
            }
        }
        None => Ok(free_slug(&slugify(title), taken)),
    }
}

/// Rejects a text that is too large, before time is spent on it.
fn check_size(field: &str, size: usize) -> Step<()> {
    if size > MAX_TEXT_SENT {
        return refuse(field, format!("must have at most {MAX_TEXT_SENT} bytes, not {size}"));
    }
    Ok(())
}

/// Reads the text of a change, and sets the values of the page that the fields, and then the front matter, have. `old`
/// is the text that it replaces. Returns the text and the wanted slug.
///
/// A heading at the beginning of the text is the title of the page, unless the old text began with a heading too: then
/// it is part of the text.
fn read(
    body: &Body,
    fields: &PageFields,
    page: &mut PageEntry,
    old: Option<&Document>,
) -> Step<(Text, Option<String>)> {
    fields.set(page)?;
    let source = match body {
        Body::Empty => return Ok((Text::Ready(Document::default()), fields.slug.clone())),
        Body::Document(document) => {
            let size = match document.checked_size() {
                Ok(size) => size,
                Err(error) => return refuse("document.document", error.to_string()),
            };
            check_size("document.document", size)?;
            return match Document::from_blocks(document.blocks.clone()) {
                Ok(document) => Ok((Text::Ready(document), fields.slug.clone())),
                Err(error) => refuse("document.document", error.to_string()),
            };
        }
        Body::Markdown(source) => source,
    };
    check_size("document.markdown", source.len())?;
    let parsed = markdown::parse_whole(source, &Unresolved);
    let front = parsed.front_matter.unwrap_or_default();
    if front.is_malformed() {
        return refuse("document.markdown", "the front matter is neither a YAML mapping nor TOML");
    }
    let front = PageFields::of_front(&front);
    front.set_by_front(page)?;
    let own_heading = old.and_then(|old| markdown::title_in(&old.blocks)).is_some();
    let document = match parsed.document {
        Ok(document) => document,
        Err(error) => return refuse("document.markdown", error.to_string()),
    };
    let heading = markdown::title_in(&document.blocks).map(|(_, title)| title).filter(|_| !own_heading);
    let titled = match heading {
        None => false,
        Some(heading) if words(&heading) == words(&page.title) => true,
        Some(_) if front.title.is_some() => false,
        Some(heading) => {
            let title = PageTitle::try_from(heading);
            match title {
                Ok(title) => page.title = title.into(),
                Err(Rule(rule)) => return refuse("document.markdown", format!("its title: {rule}")),
            }
            true
        }
    };
    Ok((Text::Markdown { source: source.clone(), titled }, front.slug.or_else(|| fields.slug.clone())))
}

/// The kind of a page, for errors.
fn called(kind: &PageKind) -> &'static str {
    match kind {
        PageKind::Document { .. } => "a page with text",
        PageKind::Group => "a group",
        PageKind::Link { .. } => "a link",
        PageKind::Computed { .. } => "a computed page",
    }
}
