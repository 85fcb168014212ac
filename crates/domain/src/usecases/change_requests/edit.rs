//! Editing the content of a change request with a batch of changes, which is applied completely or not at all.
//!
//! Files by URL are fetched first. Then the batch is computed in a read-only unit of work, and only the result is
//! written. So no unit of work is open while the server waits for another host.
use super::conflicts::decided;
use super::{ChangeRequests, LoadedChangeRequest, ShownChangeRequest};
use crate::actor::Actor;
use crate::change_request::ChangeRequestRef;
use crate::content::batch::{
    Applied, BatchError, Body, Change, Editor, InsertPage, NewFile, Outcome, PageFields, RevertPage, Sources,
    UpdatePage, apply,
};
use crate::content::object::{MemoryObjects, Scratch};
use crate::content::page::FileEntry;
use crate::content::snapshot::Snapshot;
use crate::id::{FileId, RevisionId, SpaceId};
use crate::ports::fetch::FetchRequest;
use crate::text::{Invalid, Text};
use crate::usecases::content::ahead::{Ahead, Stored};
use crate::usecases::content::write::{Base, Bases, Draft, Indexed, RevisionMetadata, prepare};
use crate::usecases::work::Work;
use crate::usecases::{Error, Input, Precondition};
use crate::web_address::WebAddress;
use bytes::Bytes;
use chrono::TimeDelta;
use std::collections::BTreeMap;
use std::time::Duration;

/// Maximum size of one fetched file, in bytes.
const MAX_FETCHED: u64 = 10 * 1024 * 1024;
/// Maximum size of all fetched files of one batch, in bytes.
const MAX_FETCHED_TOGETHER: u64 = 64 * 1024 * 1024;
/// Maximum number of fetched files of one batch.
const MAX_FETCHES: usize = 20;
/// Timeout for one file.
const ONE_FETCH: Duration = Duration::from_secs(10);
/// Timeout for all files of a batch.
const FETCH_TIME: TimeDelta = TimeDelta::seconds(60);

/// A batch of changes.
#[derive(Clone, Debug)]
pub struct Write {
    /// The changes, 1 to 50.
    pub changes: Vec<NewChange>,
}

impl Write {
    /// Whether files come with it, or must be fetched for it.
    fn brings_files(&self) -> bool {
        self.changes.iter().any(|change| matches!(change, NewChange::InsertFiles(_)))
    }
}

/// A change as sent by the caller: new objects have no id yet.
#[derive(Clone, Debug)]
pub enum NewChange {
    /// Inserts a page.
    InsertPage {
        /// Its fields.
        fields: PageFields,
        /// Its text.
        document: Body,
        /// The parent page; absent for the top level.
        into: Option<String>,
        /// Its position among its siblings, from 0; absent for the end.
        at: Option<usize>,
        /// Its name within the batch.
        reference: Option<String>,
    },
    /// Updates a page.
    UpdatePage(UpdatePage),
    /// Deletes a page and those below it.
    DeletePage {
        /// The page.
        page: String,
    },
    /// Reverts a page to an earlier state.
    RevertPage(RevertPage),
    /// Inserts files.
    InsertFiles(Vec<IncomingFile>),
}

/// A file as sent by the caller.
#[derive(Clone, Debug)]
pub struct IncomingFile {
    /// Its name.
    pub name: Text<1, 256>,
    /// Its media type, if the caller sent it.
    pub content_type: Option<String>,
    /// Its name within the batch.
    pub reference: Option<String>,
    /// Its bytes.
    pub source: FileSource,
}

/// The source of the bytes of a file.
#[derive(Clone, Debug)]
pub enum FileSource {
    /// An address to fetch.
    Url(WebAddress),
    /// The bytes themselves.
    Bytes(Bytes),
}

/// The result of a batch.
#[derive(Debug)]
pub struct BatchOutcome {
    /// The change request after the batch.
    pub change_request: ShownChangeRequest,
    /// The outcomes for the pages in the batch.
    pub outcomes: Vec<Outcome>,
    /// The inserted files.
    pub files: Vec<(FileId, FileEntry)>,
}

/// A computed batch, for a change request at one revision.
struct ComputedBatch {
    head: RevisionId,
    ancestor: RevisionId,
    base: Base,
    draft: Draft,
    applied: Applied,
    loaded: MemoryObjects,
}

impl ChangeRequests {
    /// Changes the content of a change request. The whole batch becomes one revision, or nothing changes. Conflicts
    /// about edited content count as resolved.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Forbidden`]; [`Error::Invalid`] names the change and the field;
    /// [`Error::Conflict`] if the content cannot change; [`Error::PreconditionFailed`].
    pub async fn edit(
        &self,
        actor: &Actor,
        space: &SpaceId,
        which: &ChangeRequestRef,
        precondition: Precondition<ShownChangeRequest>,
        write: Input<Write>,
    ) -> Result<BatchOutcome, Error> {
        let (changes, editor, mut computed) = self.compute(actor, (space, which), &precondition, write).await?;
        let mut ahead = Ahead::new(&self.units);
        computed.draft.send_ahead(&mut ahead).await?;
        let mut work = self.units.write(actor).await?.at(editor.at);
        let mut opened = LoadedChangeRequest::lock(&mut work, space, which, |may| may.edit).await?;
        opened.check(&mut work, &precondition).await?;
        opened.check_writable()?;
        let is_current = computed.head == opened.request.revision && computed.ancestor == *opened.request.ancestor();
        let computed = if is_current { computed } else { compute_batch(&mut work, &opened, &changes, &editor).await? };
        ahead.check()?;
        let ComputedBatch { base, draft, applied, mut loaded, .. } = computed;
        let open = work.change_requests().conflicts(&opened.request.id).await?;
        let decided = decided(&mut work, &mut loaded, open, &draft.diff).await?;
        let metadata = RevisionMetadata::edits(&work, &opened.space.id, &base);
        let revision = draft.with_metadata(metadata).store(&mut work).await?;
        work.change_requests().remove_conflicts(&decided).await?;
        opened.advance(&mut work, revision).await?;
        let change_request = opened.shown(&mut work).await?;
        let stored = if is_current { ahead.into_stored() } else { Stored::default() };
        work.commit_and_release(stored).await?;
        let entries = inserted(&changes);
        let files = applied.files.iter().filter_map(|id| Some((id.clone(), (*entries.get(id)?).clone()))).collect();
        Ok(BatchOutcome { change_request, outcomes: applied.outcomes, files })
    }

    /// Checks a batch, assigns ids to its new objects, stores its files, and computes its result. No unit of work is
    /// open while files are stored and fetched.
    async fn compute(
        &self,
        actor: &Actor,
        (space, which): (&SpaceId, &ChangeRequestRef),
        precondition: &Precondition<ShownChangeRequest>,
        write: Input<Write>,
    ) -> Result<(Vec<Change>, Editor, ComputedBatch), Error> {
        let mut work = self.units.read(actor).await?;
        let opened = LoadedChangeRequest::find(&mut work, space, which, |may| may.edit).await?;
        let write = write.read()?;
        opened.check(&mut work, precondition).await?;
        opened.check_writable()?;
        let editor = Editor { author: actor.user().cloned(), at: self.units.clock.now() };
        if !write.brings_files() {
            let (changes, _no_files) = self.receive(write.changes).await?;
            let computed = compute_batch(&mut work, &opened, &changes, &editor).await?;
            return Ok((changes, editor, computed));
        }
        drop(work);
        let (mut changes, wanted) = self.receive(write.changes).await?;
        if !wanted.is_empty() {
            // Nothing is fetched for an invalid batch.
            self.try_out(actor, (space, which), &changes, &editor).await?;
            self.fetch(&mut changes, wanted).await?;
        }
        let computed = self.try_out(actor, (space, which), &changes, &editor).await?;
        Ok((changes, editor, computed))
    }

    /// Computes a batch without writing anything.
    async fn try_out(
        &self,
        actor: &Actor,
        (space, which): (&SpaceId, &ChangeRequestRef),
        changes: &[Change],
        editor: &Editor,
    ) -> Result<ComputedBatch, Error> {
        let mut work = self.units.read(actor).await?;
        let opened = LoadedChangeRequest::find(&mut work, space, which, |may| may.edit).await?;
        compute_batch(&mut work, &opened, changes, editor).await
    }

    /// Assigns ids to new objects, and stores the bytes sent by the caller. A file that no revision refers to in the
    /// end is collected as garbage. An empty file represents a file that is fetched later.
    async fn receive(&self, sent: Vec<NewChange>) -> Result<(Vec<Change>, Vec<Wanted>), Error> {
        let mut changes = Vec::with_capacity(sent.len());
        let mut wanted = Vec::new();
        for (index, change) in sent.into_iter().enumerate() {
            changes.push(match change {
                NewChange::InsertPage { fields, document, into, at, reference } => {
                    Change::InsertPage(InsertPage { id: self.units.ids.make(), fields, document, into, at, reference })
                }
                NewChange::UpdatePage(update) => Change::UpdatePage(update),
                NewChange::DeletePage { page } => Change::DeletePage { page },
                NewChange::RevertPage(revert) => Change::RevertPage(revert),
                NewChange::InsertFiles(incoming) => {
                    let mut new = Vec::with_capacity(incoming.len());
                    for (at, IncomingFile { name, content_type, reference, source }) in incoming.into_iter().enumerate()
                    {
                        let bytes = match source {
                            FileSource::Bytes(bytes) => {
                                self.files.put(bytes.clone()).await?;
                                bytes
                            }
                            FileSource::Url(url) => {
                                wanted.push(Wanted { change: index, file: at, url, declared: content_type.is_some() });
                                Bytes::new()
                            }
                        };
                        let entry = FileEntry::uploaded(name.into(), content_type, &bytes);
                        new.push(NewFile { id: self.units.ids.make(), entry, reference });
                    }
                    Change::InsertFiles(new)
                }
            });
        }
        if wanted.len() > MAX_FETCHES {
            return Err(Invalid::new("changes", format!("must have at most {MAX_FETCHES} files by url")).into());
        }
        Ok((changes, wanted))
    }

    /// Fetches files, within the limits of one batch.
    async fn fetch(&self, changes: &mut [Change], wanted: Vec<Wanted>) -> Result<(), Error> {
        let deadline = self.units.clock.now() + FETCH_TIME;
        let mut left = MAX_FETCHED_TOGETHER;
        for Wanted { change, file, url, declared } in wanted {
            let field = format!("changes[{change}].files[{file}].url");
            let timeout = (deadline - self.units.clock.now()).to_std().unwrap_or_default().min(ONE_FETCH);
            let request = FetchRequest { url: url.into(), max_bytes: left.min(MAX_FETCHED), timeout: Some(timeout) };
            let fetched = self.fetcher.fetch(request).await.map_err(|error| Invalid::new(field, error.to_string()))?;
            left = left.saturating_sub(fetched.bytes.len() as u64);
            let Some(Change::InsertFiles(files)) = changes.get_mut(change) else { continue };
            let Some(NewFile { entry, .. }) = files.get_mut(file) else { continue };
            let content_type = if declared { Some(entry.content_type.clone()) } else { fetched.content_type };
            *entry = FileEntry::uploaded(std::mem::take(&mut entry.name), content_type, &fetched.bytes);
            self.files.put(fetched.bytes).await?;
        }
        Ok(())
    }
}

/// A file to be fetched, by its position in the batch.
struct Wanted {
    change: usize,
    file: usize,
    url: WebAddress,
    /// Whether the caller sent its media type.
    declared: bool,
}

/// The files that a batch inserts, by id.
fn inserted(changes: &[Change]) -> BTreeMap<&FileId, &FileEntry> {
    let files = changes.iter().filter_map(|change| match change {
        Change::InsertFiles(files) => Some(files),
        _ => None,
    });
    files.flatten().map(|file| (&file.id, &file.entry)).collect()
}

async fn compute_batch(
    work: &mut Work<'_>,
    opened: &LoadedChangeRequest,
    changes: &[Change],
    editor: &Editor,
) -> Result<ComputedBatch, Error> {
    let space = &opened.space.id;
    let (head, ancestor) = (&opened.request.revision, opened.request.ancestor());
    let bases = Bases::load(work, space, &[head, ancestor]).await?;
    let base = bases.get(head)?.clone();
    let revisions = named_revisions(work, space, changes).await?;
    let sources = Sources { head: &base.snapshot, base: &bases.get(ancestor)?.snapshot, revisions: &revisions };
    let mut loaded = MemoryObjects::default();
    let next = |scratch: &mut Scratch<'_>| {
        let applied = apply(scratch, sources, changes, editor)?;
        let refused = |error: BatchError| Error::Invalid(error.into());
        Ok(applied.map(|applied| (applied.snapshot.clone(), applied)).map_err(refused))
    };
    let (draft, applied) = prepare(work, &mut loaded, &base.snapshot, Indexed::No, next).await?;
    let (head, ancestor) = (head.clone(), ancestor.clone());
    Ok(ComputedBatch { head, ancestor, base, draft, applied, loaded })
}

/// The revisions that a batch reverts to, if the space has them; the batch reports missing ones.
async fn named_revisions(
    work: &mut Work<'_>,
    space: &SpaceId,
    changes: &[Change],
) -> Result<BTreeMap<RevisionId, Snapshot>, Error> {
    let mut found = BTreeMap::new();
    for change in changes {
        let Change::RevertPage(RevertPage { revision: Some(id), .. }) = change else { continue };
        if !found.contains_key(id) && work.content().revision(space, id).await?.is_some() {
            found.insert(id.clone(), Base::load(work, space, id).await?.snapshot);
        }
    }
    Ok(found)
}
