//! Writing content: every change from one revision of a space or a change request to the next. Creating a space,
//! importing, applying a template, editing and merging all use it.
//!
//! A change is first computed in a read-only unit of work ([`prepare`]), which gives a [`Draft`]. With the metadata of
//! its revision it is a [`Step`], which can be stored. So the database writer is occupied only for the statements, not
//! for the computation. Large results are stored ahead ([`Draft::send_ahead`]).
use super::ahead::Ahead;
use super::anchors::left_anchors;
use crate::content::changes::{FormerAnchor, left_paths};
use crate::content::object::{Hash, MemoryObjects, Read, Scratch, together};
use crate::content::order::OrderKey;
use crate::content::page::{PageEntry, PageKind};
use crate::content::revision::{GitCommit, Revision, RevisionKind};
use crate::content::snapshot::{EditError, Edits, Snapshot, SnapshotDiff};
use crate::event::Change;
use crate::id::{ChangeRequestId, OrganizationId, PageId, RevisionId, SpaceId, UserId};
use crate::job::Task;
use crate::space::NewSpace;
use crate::space::{EditMode, Space};
use crate::text::{Invalid, Language};
use crate::usecases::Error;
use crate::usecases::search::indexing::{Index, index_later, reindex};
use crate::usecases::translations::translate_later;
use crate::usecases::work::Work;
use bytes::Bytes;
use chrono::{DateTime, Utc};
use std::collections::{BTreeMap, BTreeSet};

/// The content of the next revision.
#[derive(Clone, Debug, Default)]
pub(in crate::usecases) struct NewContent {
    /// The changes.
    pub(in crate::usecases) edits: Edits,
    /// New objects that the edits refer to (documents, sources).
    pub(in crate::usecases) objects: BTreeMap<Hash, Bytes>,
    /// The Git commit that it comes from.
    pub(in crate::usecases) git: Option<GitCommit>,
}

impl NewContent {
    /// The content of a new space: one computed page, one empty page, or nothing.
    pub(in crate::usecases) fn initial(work: &Work<'_>, space: &NewSpace) -> Self {
        let mut new = Self::default();
        let order = OrderKey::first();
        let page = match &space.computed {
            Some(source) => {
                let kind = PageKind::Computed { computed: Box::new(source.clone()) };
                Some(PageEntry::new(kind, source.title(), "", order, work.now()))
            }
            None if space.empty => None,
            None => {
                let kind = PageKind::Document { document: None };
                Some(PageEntry::new(kind, "Page", "page", order, work.now()))
            }
        };
        if let Some(page) = page {
            new.edits.pages.insert(work.ids.make(), Some(page));
        }
        new
    }

    /// Computes the step that results from applying this to `base`, in a space of `organization`.
    ///
    /// # Errors
    /// [`Error::Forbidden`] if it adds pages that are generated from OpenAPI specs, and the caller may not read specs.
    pub(in crate::usecases) async fn prepare(
        self,
        work: &mut Work<'_>,
        organization: &OrganizationId,
        base: &Base,
        metadata: RevisionMetadata,
        indexed: Indexed,
    ) -> Result<Step, Error> {
        let Self { edits, objects, git } = self;
        let mut loaded = MemoryObjects::default();
        loaded.extend(objects.clone());
        let next = move |scratch: &mut Scratch<'_>| {
            let edited = base.snapshot.edit(scratch, &edits)?;
            Ok(edited.map(|next| (next, ())).map_err(invalid))
        };
        let (mut draft, ()) = prepare(work, &mut loaded, &base.snapshot, indexed, next).await?;
        // Taken out: the difference of a large import needs as much memory as the rest of the draft, and is not used
        // later.
        if adds_sources(&std::mem::take(&mut draft.diff)) {
            work.organization(organization, |may| may.read).await?;
        }
        draft.objects.extend(objects);
        let Step { revision, draft } = draft.with_metadata(metadata);
        Ok(Step { revision: Revision { git, ..revision }, draft })
    }
}

/// The revision that the next one is based on.
#[derive(Clone, Debug, Default)]
pub(in crate::usecases) struct Base {
    /// The revision; absent for a space's first.
    pub(in crate::usecases) revision: Option<RevisionId>,
    /// Its content.
    pub(in crate::usecases) snapshot: Snapshot,
}

impl Base {
    /// Loads a revision of a space.
    pub(in crate::usecases) async fn load(
        work: &mut Work<'_>,
        space: &SpaceId,
        id: &RevisionId,
    ) -> Result<Self, Error> {
        let found = work.content().revision(space, id).await?;
        let found = found.ok_or_else(|| Error::Corrupt(format!("revision {id} is missing")))?;
        let mut objects = MemoryObjects::default();
        let snapshot = work.compute(&mut objects, |objects| Snapshot::load(objects, &found.manifest)).await?;
        Ok(Self { revision: Some(found.id), snapshot })
    }
}

/// Several revisions of a space, loaded together.
pub(in crate::usecases) struct Bases(BTreeMap<RevisionId, Base>);

impl Bases {
    /// Loads revisions of a space in one query. They can be the same.
    pub(in crate::usecases) async fn load(
        work: &mut Work<'_>,
        space: &SpaceId,
        ids: &[&RevisionId],
    ) -> Result<Self, Error> {
        let distinct: BTreeSet<&RevisionId> = ids.iter().copied().collect();
        let distinct: Vec<RevisionId> = distinct.into_iter().cloned().collect();
        let found: Vec<Revision> = match distinct.as_slice() {
            [one] => work.content().revision(space, one).await?.into_iter().collect(),
            several => work.content().revisions(several).await?,
        };
        let own: Vec<Revision> = found.into_iter().filter(|revision| revision.space == *space).collect();
        let mut objects = MemoryObjects::default();
        let snapshots = work.compute(&mut objects, |objects| {
            together(own.iter().map(|revision| Snapshot::load(objects, &revision.manifest)))
        });
        let snapshots = snapshots.await?;
        let base = |(revision, snapshot): (Revision, Snapshot)| {
            (revision.id.clone(), Base { revision: Some(revision.id), snapshot })
        };
        Ok(Self(own.into_iter().zip(snapshots).map(base).collect()))
    }

    /// One of the revisions.
    ///
    /// # Errors
    /// [`Error::Corrupt`] if the space has no such revision.
    pub(in crate::usecases) fn get(&self, id: &RevisionId) -> Result<&Base, Error> {
        self.0.get(id).ok_or_else(|| Error::Corrupt(format!("revision {id} is missing")))
    }
}

/// A revision's metadata: everything except its content.
#[derive(Clone, Debug)]
pub(in crate::usecases) struct RevisionMetadata {
    pub(in crate::usecases) id: RevisionId,
    pub(in crate::usecases) space: SpaceId,
    pub(in crate::usecases) parents: Vec<RevisionId>,
    pub(in crate::usecases) kind: RevisionKind,
    pub(in crate::usecases) author: Option<UserId>,
    pub(in crate::usecases) at: DateTime<Utc>,
    pub(in crate::usecases) merged_from: Option<ChangeRequestId>,
}

impl RevisionMetadata {
    /// The metadata of a revision that the caller makes now, with a new id.
    pub(in crate::usecases) fn new(
        work: &Work<'_>,
        space: &SpaceId,
        kind: RevisionKind,
        parents: Vec<RevisionId>,
    ) -> Self {
        let (author, at) = (work.actor.user().cloned(), work.now());
        Self { id: work.ids.make(), space: space.clone(), parents, kind, author, at, merged_from: None }
    }

    /// The metadata of an edit of `base`.
    pub(in crate::usecases) fn edits(work: &Work<'_>, space: &SpaceId, base: &Base) -> Self {
        Self::new(work, space, RevisionKind::Edits, base.revision.iter().cloned().collect())
    }

    fn revision(self, manifest: Hash) -> Revision {
        let Self { id, space, parents, kind, author, at, merged_from } = self;
        let (git, is_primary) = (None, false);
        Revision { id, space, parents, manifest, kind, author, created_at: at, git, merged_from, is_primary }
    }
}

/// Whether a change updates the search index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::usecases) enum Indexed {
    /// No: it is not a change of primary content.
    No,
    /// Yes, as the first content of a space of this language.
    New(Option<Language>),
    /// Yes, in the index of this space, with the words of this language.
    In(SpaceId, Option<Language>),
}

/// A computed change of content, with everything to store for it.
#[derive(Debug)]
pub(in crate::usecases) struct Draft {
    /// The object that refers to all content of the revision.
    manifest: Hash,
    objects: BTreeMap<Hash, Bytes>,
    documents: Vec<Hash>,
    /// The changes of the search index; absent if there are too many, so that a job indexes them later.
    index: Option<Index>,
    indexed: Indexed,
    /// Former paths of pages that were moved or deleted. Only for primary content.
    former_paths: Vec<(String, PageId)>,
    /// Anchors that headings of pages lost. Only for primary content.
    former_anchors: Vec<(PageId, Vec<FormerAnchor>)>,
    /// The changes.
    pub(in crate::usecases) diff: SnapshotDiff,
}

impl Draft {
    /// Adds the metadata of the revision.
    pub(in crate::usecases) fn with_metadata(self, metadata: RevisionMetadata) -> Step {
        Step { revision: metadata.revision(self.manifest), draft: self }
    }

    /// Adds objects that the content refers to.
    pub(in crate::usecases) fn add_objects(&mut self, objects: BTreeMap<Hash, Bytes>) {
        self.objects.extend(objects);
    }

    /// Stores large parts ahead. No unit of work may be open.
    pub(in crate::usecases) async fn send_ahead(&mut self, ahead: &mut Ahead<'_>) -> Result<(), Error> {
        ahead.add(std::mem::take(&mut self.objects)).await?;
        self.objects = ahead.rest().await?;
        Ok(())
    }
}

/// A computed revision: a draft with its metadata, ready to be stored.
#[derive(Debug)]
pub(in crate::usecases) struct Step {
    revision: Revision,
    draft: Draft,
}

impl Step {
    /// See [`Draft::send_ahead`].
    pub(in crate::usecases) async fn send_ahead(&mut self, ahead: &mut Ahead<'_>) -> Result<(), Error> {
        self.draft.send_ahead(ahead).await
    }

    /// Stores the revision with all its objects.
    pub(in crate::usecases) async fn store(self, work: &mut Work<'_>) -> Result<RevisionId, Error> {
        Ok(self.put(work).await?.0.id)
    }

    /// Stores a revision that becomes the primary content, and updates the search index. Former paths of pages are
    /// recorded, so that they redirect to the pages, and former anchors of headings, so that they lead to the headings.
    pub(in crate::usecases) async fn store_primary(mut self, work: &mut Work<'_>) -> Result<RevisionId, Error> {
        self.revision.is_primary = true;
        let former_paths = std::mem::take(&mut self.draft.former_paths);
        let former_anchors = std::mem::take(&mut self.draft.former_anchors);
        let (Revision { id, space, parents, .. }, index) = self.put(work).await?;
        if !former_paths.is_empty() {
            work.content().record_former_paths(&space, former_paths).await?;
        }
        if !former_anchors.is_empty() {
            work.content().record_former_anchors(&space, former_anchors).await?;
        }
        match index {
            Some(index) if index.is_complete(work, &space).await? => reindex(work, &space, index).await?,
            _ => index_later(work, Task::index_space(space, parents.into_iter().next())).await?,
        }
        Ok(id)
    }

    async fn put(self, work: &mut Work<'_>) -> Result<(Revision, Option<Index>), Error> {
        let Self { revision, draft: Draft { objects, documents, index, .. } } = self;
        work.content().put_objects(objects.into_iter().collect()).await?;
        work.content().insert_revision(&revision).await?;
        work.content().record_documents(&revision.space, &documents).await?;
        Ok((revision, index))
    }
}

/// Computes the change from `base` to the result of `next`, which can also refuse the change with an error.
pub(in crate::usecases) async fn prepare<T>(
    work: &mut Work<'_>,
    loaded: &mut MemoryObjects,
    base: &Snapshot,
    indexed: Indexed,
    mut next: impl FnMut(&mut Scratch<'_>) -> Read<Result<(Snapshot, T), Error>>,
) -> Result<(Draft, T), Error> {
    let computed = work.compute(loaded, |objects| {
        let mut scratch = Scratch::new(objects);
        Ok(next(&mut scratch)?.map(|(snapshot, more)| {
            let manifest = snapshot.store(&mut scratch);
            (snapshot, manifest, scratch.into_written(), more)
        }))
    });
    let (snapshot, manifest, objects, more) = computed.await??;
    // Drops the edits, which are as large as the difference.
    drop(next);
    loaded.extend(objects.clone());
    let diff = work.compute(loaded, |objects| base.diff(&snapshot, objects)).await?;
    let former_anchors = match &indexed {
        // Before the index, which needs some of the same texts.
        Indexed::In(..) => left_anchors(work, loaded, &diff.pages).await?,
        Indexed::New(_) | Indexed::No => Vec::new(),
    };
    let index = match &indexed {
        Indexed::In(space, language) => {
            Index::of_change(work, loaded, Some(space), *language, (&snapshot, &diff)).await?
        }
        Indexed::New(language) => Index::of_change(work, loaded, None, *language, (&snapshot, &diff)).await?,
        Indexed::No => Some(Index::default()),
    };
    let former_paths = match &indexed {
        Indexed::In(..) => work.compute(loaded, |objects| left_paths(objects, base, &snapshot, &diff.pages)).await?,
        // A new space has no visitors yet, and a change request none.
        Indexed::New(_) | Indexed::No => Vec::new(),
    };
    let documents = documents(&diff);
    Ok((Draft { manifest, objects, documents, index, indexed, former_paths, former_anchors, diff }, more))
}

/// Checks that the content of a space is not locked.
///
/// # Errors
/// [`Error::Conflict`] if it is locked.
pub(in crate::usecases) fn unlocked(space: &Space) -> Result<(), Error> {
    if space.edit_mode == EditMode::Locked {
        return Err(Error::Conflict("the space is locked: its content cannot be edited".into()));
    }
    Ok(())
}

/// Makes a step the primary content of a space.
///
/// # Errors
/// [`Error::Conflict`] if the space is locked, or if its language changed since the step was prepared.
pub(in crate::usecases) async fn advance(
    work: &mut Work<'_>,
    space: &mut Space,
    step: Step,
) -> Result<RevisionId, Error> {
    unlocked(space)?;
    if step.draft.indexed != Indexed::In(space.id.clone(), space.language) {
        return Err(Error::Conflict("the language of the space changed at the same time: try again".into()));
    }
    let revision = step.store_primary(work).await?;
    translate_later(work, &space.id).await?;
    space.advance(revision.clone(), work.now());
    work.spaces().save(space).await?;
    let change = Change::SpaceContentUpdated { space: space.id.clone(), revision: revision.clone() };
    work.record(&space.organization, change).await?;
    Ok(revision)
}

/// Whether a diff adds pages that are generated from OpenAPI specs, or changes what they are generated from.
fn adds_sources(diff: &SnapshotDiff) -> bool {
    let source = |page: &Option<Box<PageEntry>>| match page.as_ref().map(|page| page.kind.clone()) {
        Some(PageKind::Computed { computed }) if computed.spec().is_some() => Some(computed),
        _ => None,
    };
    diff.pages.iter().any(|change| source(&change.after).is_some_and(|after| source(&change.before) != Some(after)))
}

/// The documents that a diff adds.
fn documents(diff: &SnapshotDiff) -> Vec<Hash> {
    let pages = diff.pages.iter().filter_map(|change| change.after.as_ref()?.document());
    let reusable = diff.reusable_contents.iter().filter_map(|change| change.after.as_ref()?.document);
    pages.chain(reusable).collect::<BTreeSet<_>>().into_iter().collect()
}

fn invalid(error: EditError) -> Error {
    let field = match &error {
        EditError::SlugTaken { page, .. } | EditError::SlugInvalid { page, .. } => format!("pages.{page}.slug"),
        EditError::NoSuchParent { page, .. }
        | EditError::Cycle { page }
        | EditError::TooDeep { page }
        | EditError::GroupNotAtRoot { page } => format!("pages.{page}.parent"),
    };
    Invalid::new(field, error.to_string()).into()
}
