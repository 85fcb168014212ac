//! Decides a conflict for one side.
use super::conflict::{BlockValue, Conflict, Holder, Keep, PageValue, Part, Subject, Value};
use super::fields::{Entry, KIND, POSITION};
use super::pages::with_field;
use super::put_back::decided;
use super::slugs::{PageEdits, distinct};
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

/// The edits of `head`, the present content of a change request, that decide a conflict for one side.
///
/// There are none if `head` has that side's value already, or if the subject of the conflict is gone. A restored page
/// goes below its nearest ancestor that exists; pages below a removed one take its place; slugs are made distinct. With
/// these edits, `head` is a valid content, unless a restored page would be too deep: then [`Snapshot::edit`] returns an
/// error.
///
/// # Errors
/// [`ReadError::Missing`](crate::object::ReadError::Missing) until the objects of the conflict's subject are loaded.
pub fn resolve(scratch: &mut Scratch<'_>, head: &Snapshot, conflict: &Conflict, keep: Keep) -> Read<Edits> {
    let value = conflict.side(keep);
    let mut edits = Edits::default();
    match &conflict.subject {
        Subject::Page { page } => match value {
            Some(Value::Page(value)) => edits.pages = restore(scratch, head, page, value)?,
            _ => edits.pages = remove(scratch, head, page)?,
        },
        Subject::PageField { page, field } => {
            let value = field_of(value);
            edits.pages = match field.as_str() {
                POSITION => place(scratch, head, page, value)?,
                KIND => change_kind(scratch, head, page, value)?,
                _ => set(scratch, head, page, field, value)?,
            };
        }
        Subject::Block { page, block, part } => {
            edits = block_edits(scratch, head, &Holder::Page(page.clone()), (block, *part), value)?;
        }
        Subject::ReusableContentBlock { reusable_content, block, part } => {
            let holder = Holder::ReusableContent(reusable_content.clone());
            edits = block_edits(scratch, head, &holder, (block, *part), value)?;
        }
        Subject::Document { page } => edits = document_edits(scratch, head, &Holder::Page(page.clone()), value)?,
        Subject::ReusableContentDocument { reusable_content } => {
            edits = document_edits(scratch, head, &Holder::ReusableContent(reusable_content.clone()), value)?;
        }
        Subject::File { file } => {
            let wanted = match value {
                Some(Value::File(file)) => Some(&**file),
                _ => None,
            };
            let edit = existence(head.file(scratch, file)?, wanted);
            edits.files.extend(edit.map(|edit| (file.clone(), edit)));
        }
        Subject::FileField { file, field } => {
            let changed = changed(head.file(scratch, file)?, field, value);
            edits.files.extend(changed.map(|changed| (file.clone(), Some(changed))));
        }
        Subject::ReusableContent { reusable_content } => {
            let wanted = match value {
                Some(Value::ReusableContent(content)) => Some(&**content),
                _ => None,
            };
            let edit = existence(head.reusable_content(scratch, reusable_content)?, wanted);
            edits.reusable_contents.extend(edit.map(|edit| (reusable_content.clone(), edit)));
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
            let wanted = match value {
                Some(Value::Tag(tag)) => Some(&**tag),
                _ => None,
            };
            let edit = existence(head.tag(scratch, slug)?, wanted);
            edits.tags.extend(edit.map(|edit| (slug.clone(), edit)));
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

/// The edit that adds or removes an entry, so that it exists if it is `wanted`. `None` if nothing changes: an entry that
/// exists keeps its value.
fn existence<E: Clone>(present: Option<E>, wanted: Option<&E>) -> Option<Option<E>> {
    match (present, wanted) {
        (None, Some(wanted)) => Some(Some(wanted.clone())),
        (Some(_), None) => Some(None),
        (Some(_), Some(_)) | (None, None) => None,
    }
}

fn field_of(value: Option<&Value>) -> Option<Json> {
    match value {
        Some(Value::Field(value)) => Some(value.clone()),
        _ => None,
    }
}

/// The entry with the side's value of a field, if that differs.
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

fn document_edits(scratch: &mut Scratch<'_>, head: &Snapshot, holder: &Holder, value: Option<&Value>) -> Read<Edits> {
    let document = match value {
        Some(Value::Document(document)) => stored(scratch, document),
        _ => None,
    };
    text_edits(scratch, head, holder, document)
}

/// The edit that gives a page or reusable content another text.
fn text_edits(objects: &dyn Objects, head: &Snapshot, holder: &Holder, text: Option<Hash>) -> Read<Edits> {
    let mut edits = Edits::default();
    match holder {
        Holder::Page(id) => {
            if let Some(page) = head.page(objects, id)?
                && let PageKind::Document { document } = page.kind
                && document != text
            {
                let kind = PageKind::Document { document: text };
                let page = PageEntry { kind, source: None, import_digest: None, ..page };
                edits.pages.insert(id.clone(), Some(page));
            }
        }
        Holder::ReusableContent(id) => {
            if let Some(mut content) = head.reusable_content(objects, id)?
                && content.document != text
            {
                (content.document, content.source, content.import_digest) = (text, None, None);
                edits.reusable_contents.insert(id.clone(), Some(content));
            }
        }
    }
    Ok(edits)
}

fn set(objects: &dyn Objects, head: &Snapshot, id: &PageId, field: &str, value: Option<Json>) -> Read<PageEdits> {
    let page = head.page(objects, id)?;
    let changed = page.as_ref().and_then(|page| with_field(page, field, value)).map(with_fitting_slug);
    match changed.filter(|changed| Some(changed) != page.as_ref()) {
        Some(changed) => distinguished(objects, head, [(id.clone(), Some(changed))].into()),
        None => Ok(PageEdits::new()),
    }
}

/// The page with a slug if it needs one, and without if it has no path: its kind and its slug may be decided for
/// different sides.
fn with_fitting_slug(mut page: PageEntry) -> PageEntry {
    if !page.kind.has_path() {
        page.slug.clear();
    } else if page.slug.is_empty() {
        page.slug = slugify(&page.title);
    }
    page
}

/// The edits with slugs that no two siblings share.
fn distinguished(objects: &dyn Objects, head: &Snapshot, edits: PageEdits) -> Read<PageEdits> {
    let ids: Vec<PageId> = edits.keys().cloned().collect();
    let before = head.pages_of(objects, &ids)?;
    distinct(objects, head, &edits, &|id| ids.iter().position(|other| other == id).and_then(|at| before[at].clone()))
}

/// Removes a page; the pages below it take its place.
fn remove(objects: &dyn Objects, head: &Snapshot, id: &PageId) -> Read<PageEdits> {
    let Some(page) = head.page(objects, id)? else { return Ok(PageEdits::new()) };
    let mut edits = raised(objects, head, id, &page)?;
    edits.insert(id.clone(), None);
    distinguished(objects, head, edits)
}

/// The pages below a page, moved to its place.
fn raised(objects: &dyn Objects, head: &Snapshot, id: &PageId, page: &PageEntry) -> Read<PageEdits> {
    let children = head.children(objects, Some(id))?;
    if children.is_empty() {
        return Ok(PageEdits::new());
    }
    let siblings = head.children(objects, page.parent.as_ref())?;
    let next = siblings.iter().skip_while(|sibling| *sibling != id).nth(1).cloned();
    let next = head.pages_of(objects, next.as_slice())?.pop().flatten().map(|next| next.order);
    let mut edits = PageEdits::new();
    let mut order = page.order.clone();
    for (child, entry) in children.iter().zip(head.pages_of(objects, &children)?) {
        let Some(entry) = entry else { continue };
        let below = OrderKey::between(Some(&order), next.as_ref()).unwrap_or_else(|_| order.clone());
        let entry = PageEntry { parent: page.parent.clone(), order: std::mem::replace(&mut order, below), ..entry };
        edits.insert(child.clone(), Some(entry));
    }
    Ok(edits)
}

/// Restores a deleted page.
fn restore(objects: &dyn Objects, head: &Snapshot, id: &PageId, value: &PageValue) -> Read<PageEdits> {
    if head.page(objects, id)?.is_some() {
        return Ok(PageEdits::new());
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

/// Gives a page the kind of one side: a document, a group, or a link or computed page, which have no pages below them.
fn change_kind(objects: &dyn Objects, head: &Snapshot, id: &PageId, value: Option<Json>) -> Read<PageEdits> {
    let Some(page) = head.page(objects, id)? else { return Ok(PageEdits::new()) };
    let Some(mut changed) = with_field(&page, KIND, value).filter(|changed| *changed != page) else {
        return Ok(PageEdits::new());
    };
    let mut edits = PageEdits::new();
    match changed.kind {
        PageKind::Link { .. } | PageKind::Computed { .. } => edits = raised(objects, head, id, &page)?,
        PageKind::Group => changed.parent = None,
        PageKind::Document { .. } => {}
    }
    edits.insert(id.clone(), Some(with_fitting_slug(changed)));
    distinguished(objects, head, edits)
}

/// Moves a page to its position on one side. If that is below the page itself, the child on the way there takes its
/// place.
fn place(objects: &dyn Objects, head: &Snapshot, id: &PageId, value: Option<Json>) -> Read<PageEdits> {
    let Some(page) = head.page(objects, id)? else { return Ok(PageEdits::new()) };
    let Some(mut placed) = with_field(&page, POSITION, value) else { return Ok(PageEdits::new()) };
    if page.kind == PageKind::Group {
        placed.parent = None;
    }
    let mut edits = PageEdits::new();
    if let Some(parent) = placed.parent.clone() {
        match head.page(objects, &parent)? {
            Some(entry) if entry.kind.has_path() => {
                let mut way = head.ancestors(objects, &entry)?;
                way.push((parent, entry));
                if let Some(own) = way.iter().position(|(above, _)| above == id)
                    && let Some((child, entry)) = way.get(own + 1)
                {
                    let (parent, order) = (page.parent.clone(), page.order.clone());
                    edits.insert(child.clone(), Some(PageEntry { parent, order, ..entry.clone() }));
                }
            }
            _ => placed.parent = None,
        }
    }
    if placed != page {
        edits.insert(id.clone(), Some(placed));
    }
    distinguished(objects, head, edits)
}
