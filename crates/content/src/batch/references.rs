//! References: the names that a batch gives to the pages and files that it inserts.
use super::{BatchError, Change, MAX_REFERENCE, NewFile, Step, Stop};
use crate::object::{Objects, together};
use crate::snapshot::Snapshot;
use std::collections::BTreeMap;
use values::id::{FileId, PageId};

/// The references of a batch.
#[derive(Default)]
pub(super) struct References<'a>(BTreeMap<&'a str, Named<'a>>);

/// The target of a reference.
#[derive(Clone, Copy)]
enum Named<'a> {
    Page(&'a PageId),
    File(&'a FileId),
}

impl<'a> References<'a> {
    /// Collects them. A reference must be unique, and must not be the path of an existing page.
    pub(super) fn of(changes: &'a [Change], head: &Snapshot, objects: &dyn Objects) -> Step<Self> {
        let mut all = Self::default();
        let mut places = Vec::new();
        for (index, change) in changes.iter().enumerate() {
            for (field, reference, named) in given(change) {
                let at_fault = |rule: &str| Err(refused(index, &field, rule));
                if !(1..=MAX_REFERENCE).contains(&reference.chars().count()) {
                    return at_fault(&format!("1 to {MAX_REFERENCE} characters"));
                }
                if all.0.insert(reference, named).is_some() {
                    return at_fault("it is used more than once in the batch");
                }
                places.push((index, field, reference));
            }
        }
        let found = together(places.iter().map(|(_, _, reference)| head.page_at(objects, reference)))?;
        match places.into_iter().zip(found).find(|(_, page)| page.is_some()) {
            None => Ok(all),
            Some(((index, field, _), _)) => Err(refused(index, &field, "it is the path of a page")),
        }
    }

    /// The page with this reference.
    pub(super) fn page(&self, reference: &str) -> Option<&'a PageId> {
        match self.0.get(reference) {
            Some(Named::Page(id)) => Some(id),
            _ => None,
        }
    }

    /// The file with this reference.
    pub(super) fn file(&self, reference: &str) -> Option<&'a FileId> {
        match self.0.get(reference) {
            Some(Named::File(id)) => Some(id),
            _ => None,
        }
    }
}

fn refused(index: usize, field: &str, rule: &str) -> Stop {
    Stop::Refused(BatchError { index: Some(index), field: field.to_owned(), rule: rule.to_owned() })
}

/// The references that a change defines, with their fields.
fn given<'c>(change: &'c Change) -> Vec<(String, &'c str, Named<'c>)> {
    match change {
        Change::InsertPage(page) => {
            page.reference.iter().map(|name| ("ref".to_owned(), name.as_str(), Named::Page(&page.id))).collect()
        }
        Change::InsertFiles(files) => {
            let named = |(at, file): (usize, &'c NewFile)| {
                let name = file.reference.as_deref()?;
                Some((format!("files[{at}].ref"), name, Named::File(&file.id)))
            };
            files.iter().enumerate().filter_map(named).collect()
        }
        _ => Vec::new(),
    }
}
