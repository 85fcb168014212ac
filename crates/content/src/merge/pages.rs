//! Merges the entries of pages, one by one. [`super::placing`] then makes a tree of them.
use super::conflict::{Conflict, Holder, PageValue, Subject, Value};
use super::entries::{Differing, Fate, differing};
use super::fields::{Entry, Fields, KIND, POSITION};
use super::provenance::join_provenance;
use super::texts::Texts;
use super::{Output, Sides};
use crate::object::{Objects, Read, Scratch, together};
use crate::page::{PageEntry, PageKind, slugify};
use crate::snapshot::Snapshot;
use std::collections::BTreeMap;
use values::id::PageId;

/// Pages that differ from the base on either side, and what they become.
pub(super) struct Pages {
    pub(super) merged: BTreeMap<PageId, Option<PageEntry>>,
    pub(super) differing: BTreeMap<PageId, Differing<PageEntry>>,
}

impl Output {
    /// Joins the entries of pages, with their texts.
    pub(super) fn pages(&mut self, scratch: &mut Scratch<'_>, sides: &Sides<'_>, texts: &Texts) -> Read<Pages> {
        let found = differing(&sides.of_primary.pages, &sides.of_change.pages);
        let found: BTreeMap<PageId, Differing<PageEntry>> =
            found.into_iter().filter_map(|(key, page)| Some((PageId::try_from(key).ok()?, page))).collect();
        let mut merged = BTreeMap::new();
        let mut kept = Vec::new();
        for (id, page) in &found {
            let joint = match (page.fate(), &page.primary, &page.change) {
                (Fate::Agreed(joint), ..) => joint,
                (Fate::Kept(left), ..) => {
                    let edited = page.base.as_ref().is_none_or(|base| is_edited(base, &left));
                    if edited {
                        kept.push((id, page));
                    }
                    edited.then_some(left)
                }
                (Fate::Edited, Some(primary), Some(change)) => {
                    Some(self.page(scratch, id, page, (primary, change), texts))
                }
                (Fate::Edited, ..) => None,
            };
            merged.insert(id.clone(), joint);
        }
        let conflicts = kept.into_iter().map(|(id, page)| page_conflict(scratch, sides, id, page));
        self.conflicts.extend(together(conflicts)?);
        Ok(Pages { merged, differing: found })
    }

    fn page(
        &mut self,
        scratch: &mut Scratch<'_>,
        id: &PageId,
        page: &Differing<PageEntry>,
        (primary, change): (&PageEntry, &PageEntry),
        texts: &Texts,
    ) -> PageEntry {
        let subject = Subject::Page { page: id.clone() };
        let of_field = |field| Subject::PageField { page: id.clone(), field };
        let value = |page: PageEntry| Value::Page(Box::new(PageValue { page, above: Vec::new() }));
        let Some(mut joint) = self.entry(page, subject, of_field, value) else { return change.clone() };
        let base = page.base.as_ref();
        let documents = [base.and_then(PageEntry::document), primary.document(), change.document()];
        let written = documents[1..].iter().any(|document| document.is_some() && *document != documents[0]);
        if !matches!(joint.kind, PageKind::Document { .. }) && written {
            // One side turned the page into a link, and the other one edited its text.
            self.conflicts.push(field_conflict(id, page, KIND));
            joint.kind = PageKind::Document { document: None };
        }
        if joint.slug.is_empty() && joint.kind.has_path() {
            let slugs = [Some(change), Some(primary), base].into_iter().flatten().map(|page| &page.slug);
            joint.slug = slugs.filter(|slug| !slug.is_empty()).max().cloned().unwrap_or_else(|| slugify(&joint.title));
        }
        if let PageKind::Document { document } = &mut joint.kind {
            *document = self.text(scratch, &Holder::Page(id.clone()), texts, documents);
        }
        join_provenance(&mut joint, base, primary, change);
        joint
    }
}

/// Whether a page differs in more than its metadata.
fn is_edited(base: &PageEntry, page: &PageEntry) -> bool {
    base.document() != page.document() || base.fields() != page.fields()
}

/// The conflict over the existence of a page.
pub(super) fn page_conflict(
    objects: &dyn Objects,
    sides: &Sides<'_>,
    id: &PageId,
    page: &Differing<PageEntry>,
) -> Read<Conflict> {
    let told = |snapshot: &Snapshot, page: &Option<PageEntry>| -> Read<Option<Value>> {
        let Some(page) = page else { return Ok(None) };
        let above = snapshot.ancestors(objects, page)?.into_iter().rev().map(|(id, _)| id).collect();
        Ok(Some(Value::Page(Box::new(PageValue { page: page.clone(), above }))))
    };
    let snapshots = [(sides.base, &page.base), (sides.primary, &page.primary), (sides.change, &page.change)];
    let mut values = together(snapshots.map(|(snapshot, page)| told(snapshot, page)))?.into_iter();
    let mut next = || values.next().flatten();
    Ok(Conflict { subject: Subject::Page { page: id.clone() }, base: next(), primary: next(), change: next() })
}

/// The conflict over a field of a page.
pub(super) fn field_conflict(id: &PageId, page: &Differing<PageEntry>, field: &str) -> Conflict {
    let told = |side: &Option<PageEntry>| side.as_ref()?.fields().remove(field).map(Value::Field);
    Conflict {
        subject: Subject::PageField { page: id.clone(), field: field.to_owned() },
        base: told(&page.base),
        primary: told(&page.primary),
        change: told(&page.change),
    }
}

/// The conflict over the position of a page.
pub(super) fn position_conflict(id: &PageId, page: &Differing<PageEntry>) -> Conflict {
    field_conflict(id, page, POSITION)
}

/// A page with another value of one field; `None` if that value is not valid for it.
pub(super) fn with_field(page: &PageEntry, field: &str, value: Option<serde_json::Value>) -> Option<PageEntry> {
    let mut fields: Fields = page.fields();
    match value {
        Some(value) => drop(fields.insert(field.to_owned(), value)),
        None => drop(fields.remove(field)),
    }
    page.with(fields)
}
