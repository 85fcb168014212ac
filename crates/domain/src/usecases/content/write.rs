//! Writing content: how the primary content of a space moves from one revision to the next. Written once; making a
//! space, importing, applying a template and merging all end here.
use crate::actor::Actor;
use crate::content::document::Document;
use crate::content::object::{Hash, MemoryObjects, Scratch, fetch};
use crate::content::order::OrderKey;
use crate::content::page::{PageEntry, PageKind};
use crate::content::revision::{GitCommit, Revision, RevisionKind};
use crate::content::snapshot::{EditError, Edits, Snapshot, SnapshotDiff};
use crate::content::text_of;
use crate::event::Change;
use crate::id::{PageId, RevisionId};
use crate::ports::{Ids, Tx};
use crate::space::{EditMode, Space};
use crate::text::Invalid;
use crate::usecases::Error;
use crate::usecases::compute::compute;
use crate::usecases::record::record;
use crate::usecases::search::reindex;
use bytes::Bytes;
use chrono::{DateTime, Utc};
use std::collections::{BTreeMap, BTreeSet};

/// What the next revision brings.
#[derive(Clone, Debug, Default)]
pub(in crate::usecases) struct NewContent {
    /// What changes.
    pub(in crate::usecases) edits: Edits,
    /// New objects that the edits name (documents, sources).
    pub(in crate::usecases) objects: BTreeMap<Hash, Bytes>,
    /// The commit it comes from.
    pub(in crate::usecases) git: Option<GitCommit>,
}

impl NewContent {
    /// What a new space starts with: one empty page, or nothing.
    pub(in crate::usecases) fn initial(ids: &dyn Ids, at: DateTime<Utc>, empty: bool) -> Self {
        let mut new = Self::default();
        if !empty {
            let order = OrderKey::sequence(1).remove(0);
            let page = PageEntry::new(PageKind::Document { document: None }, "Page", "page", order, at);
            new.edits.pages.insert(ids.make(), Some(page));
        }
        new
    }
}

/// Stores the first revision of a space that is being made. The space names it already.
pub(in crate::usecases) async fn begin(
    tx: &mut dyn Tx,
    actor: &Actor,
    space: &Space,
    new: NewContent,
) -> Result<(), Error> {
    let step =
        Step { id: space.revision.clone(), parents: Vec::new(), base: Snapshot::default(), at: space.created_at };
    step.take(tx, actor, space, new).await
}

/// Moves the primary content of a space to its next revision.
///
/// # Errors
/// [`Error::Conflict`] when the space is locked; [`Error::Invalid`] when the edits give no valid tree of pages.
pub(in crate::usecases) async fn advance(
    tx: &mut dyn Tx,
    ids: &dyn Ids,
    actor: &Actor,
    space: &mut Space,
    new: NewContent,
    at: DateTime<Utc>,
) -> Result<RevisionId, Error> {
    if space.edit_mode == EditMode::Locked {
        return Err(Error::Conflict("the space is locked: its content cannot be edited".into()));
    }
    let current = tx.content().revision(&space.id, &space.revision).await?;
    let current = current.ok_or_else(|| Error::Corrupt(format!("revision {} is missing", space.revision)))?;
    let base = compute(tx, &mut MemoryObjects::default(), |objects| Snapshot::load(objects, &current.manifest)).await?;
    let step = Step { id: ids.make(), parents: vec![current.id], base, at };
    let revision = step.id.clone();
    step.take(tx, actor, space, new).await?;
    space.advance(revision.clone(), at);
    tx.spaces().save(space).await?;
    let change = Change::SpaceContentUpdated { space: space.id.clone(), revision: revision.clone() };
    record(tx, ids, actor, Some(&space.organization), at, change).await?;
    Ok(revision)
}

/// One step from a snapshot to the next.
struct Step {
    id: RevisionId,
    parents: Vec<RevisionId>,
    base: Snapshot,
    at: DateTime<Utc>,
}

impl Step {
    async fn take(self, tx: &mut dyn Tx, actor: &Actor, space: &Space, new: NewContent) -> Result<(), Error> {
        let NewContent { edits, objects, git } = new;
        let mut at_hand = MemoryObjects::default();
        at_hand.extend(objects.clone());
        let next = compute(tx, &mut at_hand, |objects| {
            let mut scratch = Scratch::new(objects);
            match self.base.edit(&mut scratch, edits.clone())? {
                Err(error) => Ok(Err(error)),
                Ok(next) => {
                    let manifest = next.store(&mut scratch);
                    Ok(Ok((next, manifest, scratch.into_written())))
                }
            }
        });
        let (next, manifest, written) = next.await?.map_err(invalid)?;
        at_hand.extend(written.clone());
        tx.content().put_objects(objects.into_iter().chain(written).collect()).await?;
        let diff = compute(tx, &mut at_hand, |objects| self.base.diff(&next, objects)).await?;
        let revision = Revision {
            id: self.id,
            space: space.id.clone(),
            parents: self.parents,
            manifest,
            kind: RevisionKind::Edits,
            author: actor.user().cloned(),
            created_at: self.at,
            git,
            merged_from: None,
        };
        tx.content().insert_revision(&revision).await?;
        tx.content().note_documents(&space.id, &documents(&diff)).await?;
        let changed = changed_pages(tx, &mut at_hand, &diff).await?;
        reindex(tx, space, changed).await
    }
}

/// The documents that a difference brings.
fn documents(diff: &SnapshotDiff) -> Vec<Hash> {
    let pages = diff.pages.iter().filter_map(|change| change.after.as_ref()?.document());
    let reusable = diff.reusable_contents.iter().filter_map(|change| change.after.as_ref()?.document);
    pages.chain(reusable).collect::<BTreeSet<_>>().into_iter().collect()
}

/// A page that changed: what it is now, with its text; nothing when it is gone.
pub(in crate::usecases) type ChangedPage = (PageId, Option<(PageEntry, Document)>);

/// The pages of a difference, with their texts.
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
