//! Deleting and restoring spaces.
use super::{ShownSpace, Spaces};
use crate::actor::Actor;
use crate::event::Change;
use crate::id::SpaceId;
use crate::place::PlaceId;
use crate::ports::store::Lockable;
use crate::space::Space;
use crate::usecases::jobs::purge::{cancel, schedule, task_of};
use crate::usecases::work::Work;
use crate::usecases::{Error, Precondition, placing};

impl Spaces {
    /// Whether a space exists and is not deleted. For requests without a caller, so it checks no permission.
    ///
    /// # Errors
    /// Errors of the store.
    pub async fn exists(&self, id: &SpaceId) -> Result<bool, Error> {
        Ok(self.units.store.query().await?.spaces().exists(id).await?)
    }

    /// Deletes a space. It is hidden from everyone; after seven days, in which it can be restored, it is purged.
    /// Returns whether it existed; a space that is hidden from the caller counts as missing and is not deleted.
    ///
    /// # Errors
    /// [`Error::Forbidden`], [`Error::PreconditionFailed`].
    pub async fn delete(
        &self,
        actor: &Actor,
        id: &SpaceId,
        precondition: Precondition<ShownSpace>,
    ) -> Result<bool, Error> {
        let mut work = self.units.write(actor).await?;
        work.lock(&[id.into()]).await?;
        let found = work.space(id, |may| may.admin).await;
        let Some(mut space) = precondition.found(found)? else { return Ok(false) };
        precondition.check_shown(work.shown_space(space.clone())).await?;
        space.entity_mut().delete(work.now());
        work.spaces().save(&space).await?;
        schedule(&mut work, &PlaceId::Space(id.clone())).await?;
        let change = Change::SpaceDeleted { space: id.clone() };
        work.record(&space.organization, change).await?;
        work.commit().await?;
        Ok(true)
    }

    /// Restores a deleted space, with the deleted collections around it.
    ///
    /// # Errors
    /// [`Error::NotFound`], also if it was deleted too long ago; [`Error::Forbidden`] and [`Error::Conflict`] for a
    /// space that is not deleted.
    pub async fn restore(&self, actor: &Actor, id: &SpaceId) -> Result<ShownSpace, Error> {
        let place = PlaceId::Space(id.clone());
        let mut work = self.units.write(actor).await?;
        let Space { organization, parent, .. } = (*work.deleted_space(id).await?).clone();
        // While the organization is locked, no collection can be moved.
        work.lock_shared(&[(&organization).into()]).await?;
        let around = match &parent {
            Some(parent) => work.collections().around(parent).await?,
            None => Vec::new(),
        };
        let around: Vec<PlaceId> = around.into_iter().map(|(id, _)| PlaceId::Collection(id)).collect();
        let places: Vec<&PlaceId> = around.iter().chain([&place]).collect();
        let purges = places.iter().map(|place| Lockable::from(&task_of(place)));
        work.lock(&places.iter().map(|place| Lockable::from(*place)).chain(purges).collect::<Vec<_>>()).await?;
        let cancelled = cancel(&mut work, &place).await?;
        let mut space = work.deleted_space(id).await?;
        if space.organization != organization {
            return Err(placing::transferred_concurrently());
        }
        if !cancelled || !space.entity_mut().restore(work.now()) {
            return Err(Error::NotFound("space"));
        }
        work.spaces().save(&space).await?;
        let change = Change::SpaceRestored { space: id.clone() };
        work.record(&space.organization, change).await?;
        restore_around(&mut work, &around).await?;
        let restored = work.space(id, |may| may.view).await?;
        let restored = work.shown_space(restored).await?;
        work.commit().await?;
        Ok(restored)
    }
}

/// Restores the collections around a restored space. Without them the space would be at another place, where other
/// users might have access. Locks the collections and their purge jobs.
async fn restore_around(work: &mut Work<'_>, around: &[PlaceId]) -> Result<(), Error> {
    for place in around {
        let PlaceId::Collection(id) = place else { continue };
        cancel(work, place).await?;
        let Some(mut collection) = work.collections().find(id, None).await?.map(|reach| reach.entity) else {
            continue;
        };
        if collection.deleted_at.take().is_some() {
            work.collections().save(&collection).await?;
            let change = Change::CollectionRestored { collection: id.clone() };
            work.record(&collection.organization, change).await?;
        }
    }
    Ok(())
}
