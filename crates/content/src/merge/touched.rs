//! Detects edits of the place of a conflict.
use super::blocks::Layout;
use super::conflict::{Conflict, Part, Subject};
use super::fields::Entry;
use crate::document::{Document, Key};
use crate::import::Repository;
use crate::map::MapChange;
use crate::object::{Hash, Objects, Read, together};
use crate::page::{PageEntry, ReusableContent};
use crate::snapshot::SnapshotDiff;
use crate::text_of;

/// Whether an edit of the change request, with this difference, changed the place of a conflict. Then a user has
/// decided it by hand.
///
/// # Errors
/// [`ReadError::Missing`](crate::object::ReadError::Missing) until the texts that differ are loaded.
pub fn touched(objects: &dyn Objects, conflict: &Conflict, diff: &SnapshotDiff) -> Read<bool> {
    Ok(match &conflict.subject {
        Subject::Page { page } => change(&diff.pages, page.as_str()).is_some(),
        Subject::PageField { page, field } => field_differs(change(&diff.pages, page.as_str()), field),
        Subject::Block { page, block, part } => {
            let texts = change(&diff.pages, page.as_str()).map(|change| texts(change, PageEntry::document));
            return block_differs(objects, texts, block, *part);
        }
        Subject::Document { page } => {
            change(&diff.pages, page.as_str()).map(|change| texts(change, PageEntry::document)).is_some_and(differ)
        }
        Subject::File { file } => change(&diff.files, file.as_str()).is_some(),
        Subject::FileField { file, field } => field_differs(change(&diff.files, file.as_str()), field),
        Subject::ReusableContent { reusable_content } => {
            change(&diff.reusable_contents, reusable_content.as_str()).is_some()
        }
        Subject::ReusableContentField { reusable_content, field } => {
            field_differs(change(&diff.reusable_contents, reusable_content.as_str()), field)
        }
        Subject::ReusableContentBlock { reusable_content, block, part } => {
            let change = change(&diff.reusable_contents, reusable_content.as_str());
            return block_differs(objects, change.map(|change| texts(change, document_of)), block, *part);
        }
        Subject::ReusableContentDocument { reusable_content } => {
            let change = change(&diff.reusable_contents, reusable_content.as_str());
            change.map(|change| texts(change, document_of)).is_some_and(differ)
        }
        Subject::Variable { name } => change(&diff.variables, name).is_some(),
        Subject::Tag { slug } => change(&diff.tags, slug).is_some(),
        Subject::TagField { slug, field } => field_differs(change(&diff.tags, slug), field),
        Subject::Repository { field } => {
            let Some(sides) = diff.repository else { return Ok(false) };
            let load =
                |hash: Option<Hash>| hash.map_or(Ok(Repository::default()), |hash| Repository::load(objects, &hash));
            let sides = together(sides.map(load))?;
            let mut values = sides.iter().map(|side| side.fields().remove(field));
            values.next() != values.next()
        }
    })
}

fn change<'d, V>(changes: &'d [MapChange<V>], key: &str) -> Option<&'d MapChange<V>> {
    changes.iter().find(|change| change.key == key)
}

fn field_differs<E: Entry>(change: Option<&MapChange<E>>, field: &str) -> bool {
    let value = |side: &Option<Box<E>>| side.as_ref().map(|side| side.fields().remove(field));
    change.is_some_and(|change| value(&change.before) != value(&change.after))
}

fn document_of(content: &ReusableContent) -> Option<Hash> {
    content.document
}

/// The texts of both sides; `None` for a side that does not exist.
fn texts<V>(change: &MapChange<V>, text: impl Fn(&V) -> Option<Hash>) -> [Option<Option<Hash>>; 2] {
    [change.before.as_deref().map(&text), change.after.as_deref().map(&text)]
}

fn differ(texts: [Option<Option<Hash>>; 2]) -> bool {
    texts[0] != texts[1]
}

fn block_differs(objects: &dyn Objects, texts: Option<[Option<Option<Hash>>; 2]>, key: &Key, part: Part) -> Read<bool> {
    let Some(texts) = texts.filter(|texts| differ(*texts)) else { return Ok(false) };
    let [Some(before), Some(after)] = texts else { return Ok(true) };
    let read = together([before, after].map(|hash| text_of(objects, hash)))?;
    let [before, after] = &read[..] else { return Ok(true) };
    Ok(differs(before, after, key, part))
}

fn differs(before: &Document, after: &Document, key: &Key, part: Part) -> bool {
    let (before, after) = (Layout::of(before), Layout::of(after));
    if before.has(key) != after.has(key) {
        return true;
    }
    match part {
        Part::Own => !before.has_same_content(&after, key),
        Part::Whole => before.block(key) != after.block(key),
        Part::Place => {
            let place = |layout: &Layout<'_>| layout.value(key).map(|value| (value.parent, value.previous));
            place(&before) != place(&after)
        }
    }
}
