//! Deciding a conflict for one side.
use super::conflict::{BlockValue, Conflict, Holder, Keep, PageValue, Part, Subject, Value};
use super::fields::{Entry, KIND, POSITION};
use super::pages::with_field;
use super::put_back::decided;
use super::slugs::{Wished, distinct};
use super::texts::stored;
use crate::document::{Document, Key};
use crate::import::Repository;
use crate::object::{Hash, Objects, Read, Scratch};
use crate::order::OrderKey;
use crate::page::{PageEntry, PageKind, slugify};
use crate::snapshot::{Edits, Snapshot};
use crate::text_of;
use serde_json::Value as Json;
use values::id::PageId;

/// What must change in `head`, the present content of a change request, so that a conflict is decided for one side.
///
/// Nothing where `head` has that side's version already, or where what the conflict is about is gone. A page that comes
/// back goes below the nearest page that is there of those that it stood below; pages below one that goes take its place;
/// slugs are made distinct. With these edits, `head` is a valid content, except where what comes back stands too deep by now:
/// [`Snapshot::edit`] says so.
///
/// # Errors
/// [`ReadError::Missing`](crate::object::ReadError::Missing) until what the conflict is about is at hand.
pub fn resolve(scratch: &mut Scratch<'_>, head: &Snapshot, conflict: &Conflict, keep: Keep) -> Read<Edits> {
    let value = conflict.side(keep);
    let mut edits = Edits::default();
    match &conflict.subject {
        Subject::Page { page } => match value {
            Some(Value::Page(value)) => edits.pages = come_back(scratch, head, page, value)?,
            _ => edits.pages = go(scratch, head, page)?,
        },
        Subject::PageField { page, field } => {
            let value = field_of(value);
            edits.pages = match field.as_str() {
                POSITION => place(scratch, head, page, value)?,
                KIND => turn(scratch, head, page, value)?,
                _ => set(scratch, head, page, field, value)?,
            };
        }
        Subject::Block { block, part, .. } | Subject::ReusableContentBlock { block, part, .. } => {
            let holder = holder(&conflict.subject);
            edits = block_edits(scratch, head, &holder, (block, *part), value)?;
        }
        Subject::Document { .. } | Subject::ReusableContentDocument { .. } => {
            let document = match value {
                Some(Value::Document(document)) => stored(scratch, document),
                _ => None,
            };
            edits = text_edits(scratch, head, &holder(&conflict.subject), document)?;
        }
        Subject::File { file } => {
            let head = head.file(scratch, file)?;
            match value {
                Some(Value::File(_)) if head.is_some() => {}
                Some(Value::File(value)) => drop(edits.files.insert(file.clone(), Some((**value).clone()))),
                _ => edits.files.extend(head.map(|_| (file.clone(), None))),
            }
        }
        Subject::FileField { file, field } => {
            let changed = changed(head.file(scratch, file)?, field, value);
            edits.files.extend(changed.map(|changed| (file.clone(), Some(changed))));
        }
        Subject::ReusableContent { reusable_content } => {
            let head = head.reusable_content(scratch, reusable_content)?;
            let id = reusable_content.clone();
            match value {
                Some(Value::ReusableContent(_)) if head.is_some() => {}
                Some(Value::ReusableContent(value)) => {
                    edits.reusable_contents.insert(id, Some((**value).clone()));
                }
                _ => edits.reusable_contents.extend(head.map(|_| (id, None))),
            }
        }
        Subject::ReusableContentField { reusable_content, field } => {
            let changed = changed(head.reusable_content(scratch, reusable_content)?, field, value);
            edits.reusable_contents.extend(changed.map(|changed| (reusable_content.clone(), Some(changed))));
        }
        Subject::Variable { name } => {
            let variable = match value {
                Some(Value::Variable(variable)) => Some(variable.clone()),
                _ => None,
            };
            if head.variable(scratch, name)? != variable {
                edits.variables.insert(name.clone(), variable);
            }
        }
        Subject::Tag { slug } => {
            let head = head.tag(scratch, slug)?;
            match value {
                Some(Value::Tag(_)) if head.is_some() => {}
                Some(Value::Tag(tag)) => drop(edits.tags.insert(slug.clone(), Some((**tag).clone()))),
                _ => edits.tags.extend(head.map(|_| (slug.clone(), None))),
            }
        }
        Subject::TagField { slug, field } => {
            let changed = changed(head.tag(scratch, slug)?, field, value);
            edits.tags.extend(changed.map(|changed| (slug.clone(), Some(changed))));
        }
        Subject::Repository { field } => {
            let repository = head.repository().map(|hash| Repository::load(scratch, &hash)).transpose()?;
            if let Some(changed) = changed(Some(repository.unwrap_or_default()), field, value) {
                edits.repository = Some(changed.store(scratch));
            }
        }
    }
    Ok(edits)
}

fn holder(subject: &Subject) -> Holder {
    match subject {
        Subject::ReusableContentBlock { reusable_content, .. }
        | Subject::ReusableContentDocument { reusable_content } => Holder::ReusableContent(reusable_content.clone()),
        Subject::Block { page, .. } | Subject::Document { page } => Holder::Page(page.clone()),
        _ => unreachable!("only blocks and documents have a holder"),
    }
}

fn field_of(value: Option<&Value>) -> Option<Json> {
    match value {
        Some(Value::Field(value)) => Some(value.clone()),
        _ => None,
    }
}

/// An entry with the side's value of a field, where that is another one.
fn changed<E: Entry + PartialEq>(entry: Option<E>, field: &str, value: Option<&Value>) -> Option<E> {
    let entry = entry?;
    let mut fields = entry.fields();
    match field_of(value) {
        Some(value) => drop(fields.insert(field.to_owned(), value)),
        None => drop(fields.remove(field)),
    }
    entry.with(fields).filter(|changed| *changed != entry)
}

fn block_edits(
    scratch: &mut Scratch<'_>,
    head: &Snapshot,
    holder: &Holder,
    (block, part): (&Key, Part),
    value: Option<&Value>,
) -> Read<Edits> {
    let value: Option<&BlockValue> = match value {
        Some(Value::Block(value)) => Some(value),
        _ => None,
    };
    let document: Document = match holder {
        Holder::Page(page) => text_of(scratch, head.page(scratch, page)?.and_then(|page| page.document()))?,
        Holder::ReusableContent(id) => {
            text_of(scratch, head.reusable_content(scratch, id)?.and_then(|content| content.document))?
        }
    };
    match decided(&document, block, part, value) {
        Some(document) => {
            let document = stored(scratch, &document);
            text_edits(scratch, head, holder, document)
        }
        None => Ok(Edits::default()),
    }
}

/// Another text for a page or reusable content.
fn text_edits(objects: &dyn Objects, head: &Snapshot, holder: &Holder, text: Option<Hash>) -> Read<Edits> {
    let mut edits = Edits::default();
    match holder {
        Holder::Page(id) => {
            if let Some(page) = head.page(objects, id)?
                && let PageKind::Document { document } = page.kind
                && document != text
            {
                let page = PageEntry { kind: PageKind::Document { document: text }, source: None, ..page };
                edits.pages.insert(id.clone(), Some(page));
            }
        }
        Holder::ReusableContent(id) => {
            if let Some(mut content) = head.reusable_content(objects, id)?
                && content.document != text
            {
                (content.document, content.source) = (text, None);
                edits.reusable_contents.insert(id.clone(), Some(content));
            }
        }
    }
    Ok(edits)
}

fn set(objects: &dyn Objects, head: &Snapshot, id: &PageId, field: &str, value: Option<Json>) -> Read<Wished> {
    let page = head.page(objects, id)?;
    let changed = page.as_ref().and_then(|page| with_field(page, field, value)).map(with_fitting_slug);
    match changed.filter(|changed| Some(changed) != page.as_ref()) {
        Some(changed) => distinguished(objects, head, [(id.clone(), Some(changed))].into()),
        None => Ok(Wished::new()),
    }
}

/// The page with a slug if it is one that needs it, and with none if it has no path: what a page is and its slug may be
/// decided for different sides.
fn with_fitting_slug(mut page: PageEntry) -> PageEntry {
    if !page.kind.has_path() {
        page.slug.clear();
    } else if page.slug.is_empty() {
        page.slug = slugify(&page.title);
    }
    page
}

/// The edits with slugs that no two siblings share.
fn distinguished(objects: &dyn Objects, head: &Snapshot, wished: Wished) -> Read<Wished> {
    let ids: Vec<PageId> = wished.keys().cloned().collect();
    let before = head.pages_of(objects, &ids)?;
    distinct(objects, head, &wished, &|id| ids.iter().position(|other| other == id).and_then(|at| before[at].clone()))
}

/// A page goes; those below it take its place.
fn go(objects: &dyn Objects, head: &Snapshot, id: &PageId) -> Read<Wished> {
    let Some(page) = head.page(objects, id)? else { return Ok(Wished::new()) };
    let mut wished = raised(objects, head, id, &page)?;
    wished.insert(id.clone(), None);
    distinguished(objects, head, wished)
}

/// The pages below one, in its place.
fn raised(objects: &dyn Objects, head: &Snapshot, id: &PageId, page: &PageEntry) -> Read<Wished> {
    let children = head.children(objects, Some(id))?;
    if children.is_empty() {
        return Ok(Wished::new());
    }
    let siblings = head.children(objects, page.parent.as_ref())?;
    let next = siblings.iter().skip_while(|sibling| *sibling != id).nth(1).cloned();
    let next = head.pages_of(objects, next.as_slice())?.pop().flatten().map(|next| next.order);
    let mut wished = Wished::new();
    let mut order = page.order.clone();
    for (child, entry) in children.iter().zip(head.pages_of(objects, &children)?) {
        let Some(entry) = entry else { continue };
        let below = OrderKey::between(Some(&order), next.as_ref()).unwrap_or_else(|_| order.clone());
        let entry = PageEntry { parent: page.parent.clone(), order: std::mem::replace(&mut order, below), ..entry };
        wished.insert(child.clone(), Some(entry));
    }
    Ok(wished)
}

/// A page that was taken away comes back.
fn come_back(objects: &dyn Objects, head: &Snapshot, id: &PageId, value: &PageValue) -> Read<Wished> {
    if head.page(objects, id)?.is_some() {
        return Ok(Wished::new());
    }
    let mut page = value.page.clone();
    let above: Vec<PageId> = page.parent.iter().chain(&value.above).cloned().collect();
    let found = head.pages_of(objects, &above)?;
    let holds = |page: &PageEntry| page.kind.has_path();
    page.parent = above.into_iter().zip(found).find(|(_, page)| page.as_ref().is_some_and(holds)).map(|(id, _)| id);
    if page.kind == PageKind::Group {
        page.parent = None;
    }
    distinguished(objects, head, [(id.clone(), Some(page))].into())
}

/// A page becomes what one side has: a document, a group, or a link or computed page, below which there are
/// no pages.
fn turn(objects: &dyn Objects, head: &Snapshot, id: &PageId, value: Option<Json>) -> Read<Wished> {
    let Some(page) = head.page(objects, id)? else { return Ok(Wished::new()) };
    let Some(mut turned) = with_field(&page, KIND, value).filter(|turned| *turned != page) else {
        return Ok(Wished::new());
    };
    let mut wished = Wished::new();
    match turned.kind {
        PageKind::Link { .. } | PageKind::Computed { .. } => wished = raised(objects, head, id, &page)?,
        PageKind::Group => turned.parent = None,
        PageKind::Document { .. } => {}
    }
    wished.insert(id.clone(), Some(with_fitting_slug(turned)));
    distinguished(objects, head, wished)
}

/// A page goes where one side has it. Where that is below itself now, what is in the way takes its place.
fn place(objects: &dyn Objects, head: &Snapshot, id: &PageId, value: Option<Json>) -> Read<Wished> {
    let Some(page) = head.page(objects, id)? else { return Ok(Wished::new()) };
    let Some(mut placed) = with_field(&page, POSITION, value) else { return Ok(Wished::new()) };
    if page.kind == PageKind::Group {
        placed.parent = None;
    }
    let mut wished = Wished::new();
    if let Some(parent) = placed.parent.clone() {
        match head.page(objects, &parent)? {
            Some(entry) if entry.kind.has_path() => {
                let mut way = head.ancestors(objects, &entry)?;
                way.push((parent, entry));
                if let Some(own) = way.iter().position(|(above, _)| above == id)
                    && let Some((child, entry)) = way.get(own + 1)
                {
                    let (parent, order) = (page.parent.clone(), page.order.clone());
                    wished.insert(child.clone(), Some(PageEntry { parent, order, ..entry.clone() }));
                }
            }
            _ => placed.parent = None,
        }
    }
    if placed != page {
        wished.insert(id.clone(), Some(placed));
    }
    distinguished(objects, head, wished)
}
