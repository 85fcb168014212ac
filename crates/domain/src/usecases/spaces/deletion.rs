//! Deleting and restoring spaces.
use super::Spaces;
use crate::access::Granted;
use crate::actor::Actor;
use crate::event::Change;
use crate::id::SpaceId;
use crate::place::PlaceId;
use crate::ports::Tx;
use crate::ports::store::Lockable;
use crate::space::Space;
use crate::usecases::jobs::purge::{call_off, schedule, task_of};
use crate::usecases::record::record;
use crate::usecases::{Error, Precondition, open, placing};
use chrono::{DateTime, Utc};

impl Spaces {
    /// Whether a space exists and is not deleted; for requests without a caller.
    ///
    /// # Errors
    /// Errors of the store.
    pub async fn is_there(&self, id: &SpaceId) -> Result<bool, Error> {
        Ok(self.store.ask().await?.spaces().is_there(id).await?)
    }

    /// Deletes a space. It is hidden from everyone, can be restored for seven days, and is then purged. Returns whether
    /// it existed; a space that is hidden from the caller counts as missing and is not deleted.
    ///
    /// # Errors
    /// [`Error::Forbidden`], [`Error::PreconditionFailed`].
    pub async fn delete(
        &self,
        actor: &Actor,
        id: &SpaceId,
        precondition: Precondition<Granted<Space>>,
    ) -> Result<bool, Error> {
        let mut tx = open::write(&*self.store, &*self.clock, actor).await?;
        tx.lock(&[id.into()]).await?;
        let mut space = match open::space(&mut *tx, actor, id, |may| may.admin).await {
            Err(Error::NotFound(_)) => return precondition.nothing_there(),
            found => found?,
        };
        precondition.check(&space)?;
        let now = self.clock.now();
        space.entity_mut().delete(now);
        tx.spaces().save(&space).await?;
        schedule(&mut *tx, &*self.ids, &PlaceId::Space(id.clone()), now).await?;
        let change = Change::SpaceDeleted { space: id.clone() };
        record(&mut *tx, &*self.ids, actor, Some(&space.organization), now, change).await?;
        tx.commit().await?;
        Ok(true)
    }

    /// Restores a deleted space, with the deleted collections around it.
    ///
    /// # Errors
    /// [`Error::NotFound`], also if it was deleted too long ago; [`Error::Forbidden`] and [`Error::Conflict`] for a
    /// space that is not deleted.
    pub async fn restore(&self, actor: &Actor, id: &SpaceId) -> Result<Granted<Space>, Error> {
        let place = PlaceId::Space(id.clone());
        let mut tx = open::write(&*self.store, &*self.clock, actor).await?;
        let Space { organization, parent, .. } = (*open::deleted_space(&mut *tx, actor, id).await?).clone();
        // While the organization is locked, the collections around cannot be moved.
        tx.keep(&[(&organization).into()]).await?;
        let around = match &parent {
            Some(parent) => tx.collections().around(parent).await?,
            None => Vec::new(),
        };
        let around: Vec<PlaceId> = around.into_iter().map(|(id, _)| PlaceId::Collection(id)).collect();
        let places: Vec<&PlaceId> = around.iter().chain([&place]).collect();
        let purges = places.iter().map(|place| Lockable::from(&task_of(place)));
        tx.lock(&places.iter().map(|place| Lockable::from(*place)).chain(purges).collect::<Vec<_>>()).await?;
        let called_off = call_off(&mut *tx, &place).await?;
        let mut space = open::deleted_space(&mut *tx, actor, id).await?;
        if space.organization != organization {
            return Err(placing::moved_meanwhile());
        }
        let now = self.clock.now();
        if !called_off || !space.entity_mut().restore(now) {
            return Err(Error::NotFound("space"));
        }
        tx.spaces().save(&space).await?;
        let change = Change::SpaceRestored { space: id.clone() };
        record(&mut *tx, &*self.ids, actor, Some(&space.organization), now, change).await?;
        self.restore_around(&mut *tx, actor, &around, now).await?;
        let restored = open::space(&mut *tx, actor, id, |may| may.view).await?;
        tx.commit().await?;
        Ok(restored)
    }

    /// Restores the collections around a restored space: without them it would be elsewhere, where other users might
    /// have access. Locks them and the jobs that would purge them.
    async fn restore_around(
        &self,
        tx: &mut dyn Tx,
        actor: &Actor,
        around: &[PlaceId],
        now: DateTime<Utc>,
    ) -> Result<(), Error> {
        for place in around {
            let PlaceId::Collection(id) = place else { continue };
            call_off(tx, place).await?;
            let Some(mut collection) = tx.collections().find(id, None).await?.map(|reach| reach.entity) else {
                continue;
            };
            if collection.deleted_at.take().is_some() {
                tx.collections().save(&collection).await?;
                let change = Change::CollectionRestored { collection: id.clone() };
                record(tx, &*self.ids, actor, Some(&collection.organization), now, change).await?;
            }
        }
        Ok(())
    }
}
