//! Runs the changes of a batch.
use super::fields::checked;
use super::references::References;
use super::texts::{self, Pending};
use super::work::Work;
use super::{
    Applied, BatchError, Body, Change, Editor, MAX_CHANGES, MAX_FILES, NewFile, Outcome, Sources, Step, Stop,
    UpdatePage, refuse,
};
use crate::document::Document;
use crate::object::{Hash, Objects, Read, Scratch, fetch, together};
use crate::page::{FileEntry, PageEntry, PageKind};
use crate::snapshot::{EditError, Edits, Snapshot};
use crate::text_of;
use bytes::Bytes;
use std::collections::{BTreeMap, BTreeSet};
use values::id::{FileId, PageId};
use values::patch::Patch;
use values::text::FileName;

/// A running batch.
pub(super) struct Batch<'a> {
    pub(super) sources: Sources<'a>,
    pub(super) editor: &'a Editor,
    pub(super) work: Work<'a>,
    pub(super) references: References<'a>,
    /// The texts of changes that are not documents yet.
    pub(super) texts: BTreeMap<PageId, Pending>,
    /// Inserted pages, with their references.
    pub(super) created: BTreeMap<PageId, Option<String>>,
    /// The index of the current change.
    pub(super) index: usize,
    touched: Vec<PageId>,
    files: Vec<(FileId, FileEntry)>,
}

/// The result of a batch, before it is stored.
struct Outcomes {
    edits: Edits,
    documents: Vec<Bytes>,
    outcomes: Vec<Outcome>,
    files: Vec<FileId>,
}

pub(super) fn run(
    scratch: &mut Scratch<'_>,
    sources: Sources<'_>,
    changes: &[Change],
    editor: &Editor,
) -> Step<Applied> {
    if changes.is_empty() || changes.len() > MAX_CHANGES {
        return refuse("", format!("a batch has 1 to {MAX_CHANGES} changes"));
    }
    let result = {
        let objects: &dyn Objects = scratch;
        let references = References::of(changes, sources.head, objects)?;
        warm(objects, sources, changes)?;
        let mut batch = Batch {
            sources,
            editor,
            work: Work::new(objects, sources.head),
            references,
            texts: BTreeMap::new(),
            created: BTreeMap::new(),
            index: 0,
            touched: Vec::new(),
            files: Vec::new(),
        };
        for (index, change) in changes.iter().enumerate() {
            batch.index = index;
            batch.change(change).map_err(|stop| stop.of(index))?;
        }
        batch.finish(changes)?
    };
    let Outcomes { edits, documents, outcomes, files } = result;
    for document in documents {
        scratch.put(document);
    }
    let snapshot = match sources.head.edit(scratch, &edits)? {
        Ok(snapshot) => snapshot,
        Err(error) => return refuse("", error.to_string()),
    };
    Ok(Applied { snapshot, edits, outcomes, files })
}

/// Reads everything that the changes need, all at once.
fn warm(objects: &dyn Objects, sources: Sources<'_>, changes: &[Change]) -> Read<()> {
    let head = sources.head;
    let page = |name: &str, snapshot: &Snapshot| match name.parse::<PageId>() {
        Ok(id) => snapshot.page(objects, &id),
        Err(_) => Ok(None),
    };
    let reads = changes.iter().flat_map(|change| match change {
        Change::InsertPage(insert) => vec![page(insert.id.as_str(), head)],
        Change::UpdatePage(update) => vec![page(&update.page, head)],
        Change::DeletePage { page: name } => vec![page(name, head)],
        Change::RevertPage(revert) => {
            let target = sources.target(revert.revision.as_ref()).unwrap_or(sources.base);
            vec![page(&revert.page, head), page(&revert.page, target)]
        }
        Change::InsertFiles(_) => Vec::new(),
    });
    let found: Vec<PageEntry> = together(reads)?.into_iter().flatten().collect();
    let mut parents: Vec<Option<PageId>> = found.into_iter().map(|page| page.parent).collect();
    let into = changes.iter().filter_map(|change| match change {
        Change::InsertPage(insert) => Some(insert.into.as_ref()),
        Change::UpdatePage(update) => match &update.into {
            Patch::Keep => None,
            Patch::Clear => Some(None),
            Patch::Set(into) => Some(Some(into)),
        },
        _ => None,
    });
    parents.extend(into.map(|into| into.and_then(|into| into.parse().ok())));
    parents.sort();
    parents.dedup();
    let places = parents.iter().map(|parent| head.siblings(objects, parent.as_ref()).map(drop));
    let ways = parents.iter().flatten().map(|parent| head.path(objects, parent).map(drop));
    let texts = changes.iter().map(|change| match change {
        Change::UpdatePage(update) if update.document.is_some() => text(objects, &page(&update.page, head)?),
        Change::RevertPage(revert) if revert.blocks.is_some() => {
            let target = sources.target(revert.revision.as_ref()).unwrap_or(sources.base);
            let texts = [page(&revert.page, head)?, page(&revert.page, target)?];
            together(texts.iter().map(|page| text(objects, page))).map(drop)
        }
        Change::DeletePage { page } => match page.parse::<PageId>() {
            Ok(id) => head.descendants(objects, &id, usize::MAX).map(drop),
            Err(_) => Ok(()),
        },
        _ => Ok(()),
    });
    together(places.chain(ways).chain(texts))?;
    let addresses = changes.iter().map(|change| match change {
        Change::UpdatePage(UpdatePage { page: name, document: Some(Body::Markdown(_)), .. }) => {
            let (Some(page), Ok(id)) = (page(name, head)?, name.parse()) else { return Ok(()) };
            texts::as_read(objects, head, &id, &text_of(objects, page.document())?).map(drop)
        }
        _ => Ok(()),
    });
    together(addresses).map(drop)
}

fn text(objects: &dyn Objects, page: &Option<PageEntry>) -> Read<()> {
    fetch(objects, page.as_ref().and_then(PageEntry::document)).map(drop)
}

impl Batch<'_> {
    fn change(&mut self, change: &Change) -> Step<()> {
        match change {
            Change::InsertPage(change) => self.insert_page(change),
            Change::UpdatePage(change) => self.update_page(change),
            Change::DeletePage { page } => self.delete_page(page),
            Change::RevertPage(change) => self.revert_page(change),
            Change::InsertFiles(files) => self.insert_files(files),
        }
    }

    fn insert_files(&mut self, files: &[NewFile]) -> Step<()> {
        if files.is_empty() || files.len() > MAX_FILES {
            return refuse("files", format!("1 to {MAX_FILES} files"));
        }
        for (at, NewFile { id, entry, .. }) in files.iter().enumerate() {
            checked::<FileName>(&format!("files[{at}].name"), &entry.name)?;
            let taken = self.files.iter().any(|(other, _)| other == id);
            if taken || self.sources.head.file(self.work.objects, id)?.is_some() {
                return refuse(format!("files[{at}].id"), format!("there is a file {id} already"));
            }
            self.files.push((id.clone(), entry.clone()));
        }
        Ok(())
    }

    /// Records that a change names a page.
    pub(super) fn touch(&mut self, id: &PageId) {
        if !self.touched.contains(id) {
            self.touched.push(id.clone());
        }
    }

    /// The text of a page after the changes so far. Addresses in new Markdown are not resolved yet.
    pub(super) fn text(&self, id: &PageId, page: &PageEntry) -> Read<Document> {
        match self.texts.get(id) {
            Some(pending) => Ok(pending.document()),
            None => text_of(self.work.objects, page.document()),
        }
    }

    fn finish(self, changes: &[Change]) -> Step<Outcomes> {
        let objects = self.work.objects;
        let head = self.sources.head;
        let touched = self.work.touched();
        let pages = touched.iter().map(|(id, touched)| (id.clone(), touched.page.clone()));
        let files: BTreeMap<FileId, Option<FileEntry>> =
            self.files.iter().map(|(id, file)| (id.clone(), Some(file.clone()))).collect();
        let structure = Edits { pages: pages.collect(), files: files.clone(), ..Edits::default() };
        let mut aside = Scratch::new(objects);
        let end = match head.edit(&mut aside, &structure)? {
            Ok(end) => end,
            Err(error) => return Err(self.fault(error, changes)),
        };
        let mut texts = texts::finish(&self, &aside, &end)?;
        let mut edits = Edits { files, ..Edits::default() };
        let mut documents = Vec::new();
        let ids: BTreeSet<PageId> = touched.keys().chain(texts.keys()).cloned().collect();
        for id in ids {
            let before = head.page(objects, &id)?;
            let mut now = self.work.page(&id)?;
            let text = texts.remove(&id);
            let verbatim = text.is_none() && touched.get(&id).is_some_and(|touched| touched.verbatim);
            if let (Some(page), Some(text)) = (&mut now, text)
                && text_of(objects, page.document())? != text
            {
                let bytes = Bytes::from(text.encode());
                let hash = (!text.blocks.is_empty()).then(|| Hash::of(&bytes));
                page.kind = PageKind::Document { document: hash };
                documents.extend(hash.map(|_| bytes));
            }
            let now = now.map(|page| match &before {
                _ if verbatim => page,
                Some(before) => page.since(before, self.editor.at),
                None if self.created.contains_key(&id) => page,
                None => PageEntry { updated_at: Some(self.editor.at), ..page },
            });
            if now != before {
                edits.pages.insert(id, now);
            }
        }
        let mut outcomes = Vec::new();
        for page in self.touched {
            let there = self.work.page(&page)?.is_some();
            outcomes.extend(match (head.page(objects, &page)?.is_some(), there) {
                (false, true) => {
                    let reference = self.created.get(&page).cloned().flatten();
                    Some(Outcome::Created { reference, page })
                }
                (true, true) => Some(Outcome::Updated { page }),
                (true, false) => Some(Outcome::Deleted { page }),
                (false, false) => None,
            });
        }
        let files = self.files.into_iter().map(|(id, _)| id).collect();
        Ok(Outcomes { edits, documents, outcomes, files })
    }

    /// Names the change that makes the tree invalid.
    fn fault(&self, error: EditError, changes: &[Change]) -> Stop {
        let (page, parent, field) = match &error {
            EditError::SlugTaken { page, .. } | EditError::SlugInvalid { page, .. } => (page, None, "slug"),
            EditError::NoSuchParent { page, parent } => (page, Some(parent), "into"),
            EditError::Cycle { page } | EditError::TooDeep { page } | EditError::GroupNotAtRoot { page } => {
                (page, None, "into")
            }
        };
        let touched = self.work.touched();
        let by = parent.into_iter().chain([page]).find_map(|id| touched.get(id)).map(|touched| touched.by);
        let field = match by.and_then(|by| changes.get(by)) {
            Some(Change::InsertPage(_) | Change::UpdatePage(_)) => field,
            _ => "page",
        };
        Stop::Refused(BatchError { index: by, field: field.to_owned(), rule: error.to_string() })
    }
}
