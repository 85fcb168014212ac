//! Writing content: every change from one revision of a space or a change request to the next. Creating a space,
//! importing, applying a template, editing and merging all use it.
//!
//! A change is first computed in a read-only unit of work ([`prepare`]) and then stored ([`Prepared::store`]). So the
//! writer of the database is held for the statements only, not for the computation. Large results are stored ahead
//! ([`Prepared::send_ahead`]).
use super::ahead::Ahead;
use crate::actor::Actor;
use crate::content::document::Document;
use crate::content::object::{Hash, MemoryObjects, Read, Scratch, fetch};
use crate::content::order::OrderKey;
use crate::content::page::{PageEntry, PageKind};
use crate::content::revision::{GitCommit, Revision, RevisionKind};
use crate::content::snapshot::{EditError, Edits, Snapshot, SnapshotDiff};
use crate::content::text_of;
use crate::event::Change;
use crate::id::{ChangeRequestId, PageId, RevisionId, SpaceId, UserId};
use crate::job::Task;
use crate::ports::{Ids, Tx};
use crate::space::{EditMode, Space};
use crate::text::{Invalid, Language};
use crate::usecases::Error;
use crate::usecases::compute::compute;
use crate::usecases::record::record;
use crate::usecases::search::indexing::{INDEXED_AT_ONCE, Index, index, index_later, reindex};
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
    /// The content of a new space: one empty page, or nothing.
    pub(in crate::usecases) fn initial(ids: &dyn Ids, at: DateTime<Utc>, empty: bool) -> Self {
        let mut new = Self::default();
        if !empty {
            let order = OrderKey::sequence(1).remove(0);
            let page = PageEntry::new(PageKind::Document { document: None }, "Page", "page", order, at);
            new.edits.pages.insert(ids.make(), Some(page));
        }
        new
    }

    /// Computes the revision that results from applying this to `base`. `about` is the metadata of the revision;
    /// `primary` is as for [`prepare`].
    pub(in crate::usecases) async fn prepare(
        self,
        tx: &mut dyn Tx,
        base: &Base,
        about: About,
        primary: Option<Option<Language>>,
    ) -> Result<Prepared, Error> {
        let Self { edits, objects, git } = self;
        let mut at_hand = MemoryObjects::default();
        at_hand.extend(objects.clone());
        let next = move |scratch: &mut Scratch<'_>| Ok(base.snapshot.edit(scratch, &edits)?.map(|next| (next, ())));
        let worked_out = prepare(tx, &mut at_hand, &base.snapshot, primary, next).await?;
        let (mut prepared, ()) = worked_out.map_err(invalid)?;
        prepared.objects.extend(objects);
        prepared.revision = Some(Revision { git, ..about.revision(prepared.manifest) });
        Ok(prepared)
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
    pub(in crate::usecases) async fn load(tx: &mut dyn Tx, space: &SpaceId, id: &RevisionId) -> Result<Self, Error> {
        let found = tx.content().revision(space, id).await?;
        let found = found.ok_or_else(|| Error::Corrupt(format!("revision {id} is missing")))?;
        let mut objects = MemoryObjects::default();
        let snapshot = compute(tx, &mut objects, |objects| Snapshot::load(objects, &found.manifest)).await?;
        Ok(Self { revision: Some(found.id), snapshot })
    }
}

/// A revision's metadata: everything except its content.
#[derive(Clone, Debug)]
pub(in crate::usecases) struct About {
    pub(in crate::usecases) id: RevisionId,
    pub(in crate::usecases) space: SpaceId,
    pub(in crate::usecases) parents: Vec<RevisionId>,
    pub(in crate::usecases) kind: RevisionKind,
    pub(in crate::usecases) author: Option<UserId>,
    pub(in crate::usecases) at: DateTime<Utc>,
    pub(in crate::usecases) merged_from: Option<ChangeRequestId>,
}

impl About {
    /// The metadata of an edit of `base`.
    pub(in crate::usecases) fn edits(
        id: RevisionId,
        space: &SpaceId,
        base: &Base,
        actor: &Actor,
        at: DateTime<Utc>,
    ) -> Self {
        Self {
            id,
            space: space.clone(),
            parents: base.revision.iter().cloned().collect(),
            kind: RevisionKind::Edits,
            author: actor.user().cloned(),
            at,
            merged_from: None,
        }
    }

    fn revision(self, manifest: Hash) -> Revision {
        let Self { id, space, parents, kind, author, at, merged_from } = self;
        let (git, is_primary) = (None, false);
        Revision { id, space, parents, manifest, kind, author, created_at: at, git, merged_from, is_primary }
    }
}

/// A computed revision with everything to store for it.
#[derive(Debug)]
pub(in crate::usecases) struct Prepared {
    /// The object that refers to all content of the revision.
    manifest: Hash,
    revision: Option<Revision>,
    objects: BTreeMap<Hash, Bytes>,
    documents: Vec<Hash>,
    /// The changes of the search index; absent if a job makes them later because there are many.
    index: Option<Index>,
    /// The language for the search index, if this is primary content.
    primary: Option<Option<Language>>,
    /// The changes.
    pub(in crate::usecases) diff: SnapshotDiff,
}

impl Prepared {
    /// Adds the metadata of the revision.
    pub(in crate::usecases) fn described(mut self, about: About) -> Self {
        self.revision = Some(about.revision(self.manifest));
        self
    }

    /// Stores large parts ahead. No unit of work may be open.
    pub(in crate::usecases) async fn send_ahead(&mut self, ahead: &mut Ahead<'_>) -> Result<(), Error> {
        ahead.add(std::mem::take(&mut self.objects)).await?;
        self.objects = ahead.rest().await?;
        Ok(())
    }

    /// Stores the revision with all its objects.
    pub(in crate::usecases) async fn store(self, tx: &mut dyn Tx) -> Result<RevisionId, Error> {
        Ok(self.put(tx, false).await?.0.id)
    }

    /// Stores a revision that becomes the primary content, and updates the search index.
    pub(in crate::usecases) async fn store_primary(self, tx: &mut dyn Tx, ids: &dyn Ids) -> Result<RevisionId, Error> {
        let (revision, index) = self.put(tx, true).await?;
        let Revision { id, space, parents, created_at, .. } = revision;
        match index {
            Some(index) => reindex(tx, &space, index).await?,
            None => {
                let task = Task::index_space(space, parents.into_iter().next());
                index_later(tx, ids, task, created_at).await?;
            }
        }
        Ok(id)
    }

    async fn put(self, tx: &mut dyn Tx, is_primary: bool) -> Result<(Revision, Option<Index>), Error> {
        let revision =
            self.revision.ok_or_else(|| Error::Corrupt("a revision was stored without its metadata".into()))?;
        let revision = Revision { is_primary, ..revision };
        tx.content().put_objects(self.objects.into_iter().collect()).await?;
        tx.content().insert_revision(&revision).await?;
        tx.content().note_documents(&revision.space, &self.documents).await?;
        Ok((revision, self.index))
    }
}

/// Computes the change from `base` to the result of `next`. `primary` is the language for the search index if this is
/// primary content. An error of `next` is returned as it is.
pub(in crate::usecases) async fn prepare<T, E>(
    tx: &mut dyn Tx,
    at_hand: &mut MemoryObjects,
    base: &Snapshot,
    primary: Option<Option<Language>>,
    mut next: impl FnMut(&mut Scratch<'_>) -> Read<Result<(Snapshot, T), E>>,
) -> Result<Result<(Prepared, T), E>, Error> {
    let worked_out = compute(tx, at_hand, |objects| {
        let mut scratch = Scratch::new(objects);
        Ok(match next(&mut scratch)? {
            Err(refused) => Err(refused),
            Ok((snapshot, more)) => {
                let manifest = snapshot.store(&mut scratch);
                Ok((snapshot, manifest, scratch.into_written(), more))
            }
        })
    });
    let (snapshot, manifest, objects, more) = match worked_out.await? {
        Ok(worked_out) => worked_out,
        Err(refused) => return Ok(Err(refused)),
    };
    // With the edits in it, which are as large as the difference.
    drop(next);
    at_hand.extend(objects.clone());
    let diff = compute(tx, at_hand, |objects| base.diff(&snapshot, objects)).await?;
    let index = match primary {
        Some(_) if diff.pages.len() > INDEXED_AT_ONCE => None,
        Some(language) => Some(index(language, &changed_pages(tx, at_hand, &diff).await?)),
        None => Some(Index::default()),
    };
    let documents = documents(&diff);
    Ok(Ok((Prepared { manifest, revision: None, objects, documents, index, primary, diff }, more)))
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

/// Makes a prepared revision the primary content of a space.
///
/// # Errors
/// [`Error::Conflict`] if the space is locked, or if its language changed since the revision was prepared.
pub(in crate::usecases) async fn advance(
    tx: &mut dyn Tx,
    ids: &dyn Ids,
    actor: &Actor,
    space: &mut Space,
    prepared: Prepared,
    at: DateTime<Utc>,
) -> Result<RevisionId, Error> {
    unlocked(space)?;
    if prepared.primary != Some(space.language) {
        return Err(Error::Conflict("the language of the space changed at the same time: try again".into()));
    }
    let revision = prepared.store_primary(tx, ids).await?;
    space.advance(revision.clone(), at);
    tx.spaces().save(space).await?;
    let change = Change::SpaceContentUpdated { space: space.id.clone(), revision: revision.clone() };
    record(tx, ids, actor, Some(&space.organization), at, change).await?;
    Ok(revision)
}

/// The documents that a diff adds.
fn documents(diff: &SnapshotDiff) -> Vec<Hash> {
    let pages = diff.pages.iter().filter_map(|change| change.after.as_ref()?.document());
    let reusable = diff.reusable_contents.iter().filter_map(|change| change.after.as_ref()?.document);
    pages.chain(reusable).collect::<BTreeSet<_>>().into_iter().collect()
}

/// A changed page with its text; `None` if it was deleted.
pub(in crate::usecases) type ChangedPage = (PageId, Option<(PageEntry, Document)>);

/// The changed pages of a diff, with their texts.
pub(in crate::usecases) async fn changed_pages(
    tx: &mut dyn Tx,
    objects: &mut MemoryObjects,
    diff: &SnapshotDiff,
) -> Result<Vec<ChangedPage>, Error> {
    let after = |objects: &MemoryObjects| {
        let hashes = diff.pages.iter().filter_map(|change| change.after.as_ref()?.document());
        fetch(objects, hashes)?;
        let mut changed = Vec::with_capacity(diff.pages.len());
        for change in &diff.pages {
            let Ok(id) = PageId::try_from(change.key.clone()) else { continue };
            let now = match &change.after {
                Some(page) => Some((page.clone(), text_of(objects, page.document())?)),
                None => None,
            };
            changed.push((id, now));
        }
        Ok(changed)
    };
    compute(tx, objects, after).await
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
