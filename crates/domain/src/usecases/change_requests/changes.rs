//! The changes of a change request or a revision, page by page and field by field.
use super::{ChangeRequests, LoadedChangeRequest, ShownChangeRequest, merged_from};
use crate::access::Granted;
use crate::actor::Actor;
use crate::change_request::ChangeRequestRef;
use crate::content::changes::{ContentChanges, changes};
use crate::content::object::MemoryObjects;
use crate::content::snapshot::Snapshot;
use crate::id::{RevisionId, SpaceId};
use crate::space::Space;
use crate::usecases::content::write::Base;
use crate::usecases::content::{self, At};
use crate::usecases::work::Work;
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

async fn between(
    work: &mut Work<'_>,
    before: &Snapshot,
    after: &Snapshot,
    limit: usize,
) -> Result<ContentChanges, Error> {
    work.compute(&mut MemoryObjects::default(), |objects| changes(objects, before, after, limit)).await
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
        let mut work = self.units.read(actor).await?;
        let opened = LoadedChangeRequest::find(&mut work, space, which, |may| may.view).await?;
        let limit = limit.read()?;
        let space = &opened.space.id;
        let before = Base::load(&mut work, space, opened.request.ancestor()).await?;
        let after = Base::load(&mut work, space, &opened.request.revision).await?;
        let found = between(&mut work, &before.snapshot, &after.snapshot, limit).await?;
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
        let mut work = self.units.read(actor).await?;
        let opened = content::LoadedRevision::find(&mut work, space, &At::Revision(revision.clone())).await?;
        let limit = limit.read()?;
        let before = match opened.revision.parents.first() {
            Some(parent) => Base::load(&mut work, space, parent).await?.snapshot,
            None => Snapshot::default(),
        };
        let found = between(&mut work, &before, &opened.snapshot, limit).await?;
        let merged_from = merged_from(&mut work, &opened.space, &opened.revision).await?;
        Ok(Changes { found, space: opened.space, merged_from })
    }
}
