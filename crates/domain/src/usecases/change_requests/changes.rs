//! The changes of a change request or a revision, page by page and field by field.
use super::{ChangeRequests, Opened, ShownChangeRequest, merged_from};
use crate::access::Granted;
use crate::actor::Actor;
use crate::change_request::ChangeRequestRef;
use crate::content::changes::{ContentChanges, changes};
use crate::content::object::MemoryObjects;
use crate::content::snapshot::Snapshot;
use crate::id::{RevisionId, SpaceId};
use crate::ports::Tx;
use crate::space::Space;
use crate::usecases::compute::compute;
use crate::usecases::content::write::Base;
use crate::usecases::content::{At, open_at};
use crate::usecases::{Error, Input};

/// A semantic diff.
#[derive(Debug)]
pub struct Changes {
    /// The first changes, up to the requested number.
    pub found: ContentChanges,
    /// The space.
    pub space: Granted<Space>,
    /// The change request that the revision merged.
    pub merged_from: Option<ShownChangeRequest>,
}

async fn between(tx: &mut dyn Tx, before: &Snapshot, after: &Snapshot, limit: usize) -> Result<ContentChanges, Error> {
    compute(tx, &mut MemoryObjects::default(), |objects| changes(objects, before, after, limit)).await
}

impl ChangeRequests {
    /// The changes of a change request, compared with the primary content that it was last updated to.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Invalid`].
    pub async fn changes(
        &self,
        actor: &Actor,
        space: &SpaceId,
        which: &ChangeRequestRef,
        limit: Input<usize>,
    ) -> Result<Changes, Error> {
        let mut tx = self.store.read().await?;
        let opened = Opened::find(&mut *tx, actor, space, which, |may| may.view).await?;
        let limit = limit.read()?;
        let space = &opened.space.id;
        let before = Base::load(&mut *tx, space, opened.request.ancestor()).await?;
        let after = Base::load(&mut *tx, space, &opened.request.revision).await?;
        let found = between(&mut *tx, &before.snapshot, &after.snapshot, limit).await?;
        Ok(Changes { found, space: opened.space, merged_from: None })
    }

    /// The changes of a revision, compared with the one before it. For a merge, these are the changes of the change
    /// request.
    ///
    /// # Errors
    /// [`Error::NotFound`] for the space or the revision, [`Error::Invalid`].
    pub async fn changes_of_revision(
        &self,
        actor: &Actor,
        space: &SpaceId,
        revision: &RevisionId,
        limit: Input<usize>,
    ) -> Result<Changes, Error> {
        let mut tx = self.store.read().await?;
        let opened = open_at(&mut *tx, actor, space, &At::Revision(revision.clone())).await?;
        let limit = limit.read()?;
        let before = match opened.revision.parents.first() {
            Some(parent) => Base::load(&mut *tx, space, parent).await?.snapshot,
            None => Snapshot::default(),
        };
        let found = between(&mut *tx, &before, &opened.snapshot, limit).await?;
        let merged_from = merged_from(&mut *tx, actor, &opened.space, &opened.revision).await?;
        Ok(Changes { found, space: opened.space, merged_from })
    }
}
