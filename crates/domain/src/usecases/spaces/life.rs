//! Deleting and restoring spaces.
use super::Spaces;
use crate::access::Granted;
use crate::actor::Actor;
use crate::event::Change;
use crate::id::{CollectionId, SpaceId};
use crate::place::PlaceId;
use crate::ports::Tx;
use crate::space::Space;
use crate::usecases::jobs::purge::{call_off, schedule};
use crate::usecases::record::record;
use crate::usecases::{Error, Precondition, open};
use chrono::{DateTime, Utc};

impl Spaces {
    /// Whether a space is there and not deleted, for what is reached without a caller.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn is_there(&self, id: &SpaceId) -> Result<bool, Error> {
        Ok(self.store.ask().await?.spaces().is_there(id).await?)
    }

    /// Deletes a space. It is gone for everybody, can be restored for seven days, and is purged then. Says whether it was
    /// there; one that is hidden from the caller was not, and stays.
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

    /// Brings a deleted space back as it was, with the collections around it.
    ///
    /// # Errors
    /// [`Error::NotFound`], also when it was deleted too long ago; [`Error::Forbidden`] and [`Error::Conflict`] for one
    /// that is not deleted.
    pub async fn restore(&self, actor: &Actor, id: &SpaceId) -> Result<Granted<Space>, Error> {
        let mut tx = open::write(&*self.store, &*self.clock, actor).await?;
        // The job first, then the space: in the order of whoever purges it.
        let called_off = call_off(&mut *tx, &PlaceId::Space(id.clone())).await?;
        let mut space = open::deleted_space(&mut *tx, actor, id).await?;
        let now = self.clock.now();
        if !called_off || !space.entity_mut().restore(now) {
            return Err(Error::NotFound("space"));
        }
        tx.spaces().save(&space).await?;
        let change = Change::SpaceRestored { space: id.clone() };
        record(&mut *tx, &*self.ids, actor, Some(&space.organization), now, change).await?;
        if let Some(parent) = &space.parent {
            self.restore_around(&mut *tx, actor, parent, now).await?;
        }
        let restored = open::space(&mut *tx, actor, id, |may| may.view).await?;
        tx.commit().await?;
        Ok(restored)
    }

    /// Brings back the collections around a space that comes back: without them it would stand elsewhere, and other people
    /// could reach it.
    async fn restore_around(
        &self,
        tx: &mut dyn Tx,
        actor: &Actor,
        parent: &CollectionId,
        now: DateTime<Utc>,
    ) -> Result<(), Error> {
        for (id, _) in tx.collections().around(parent).await? {
            call_off(tx, &PlaceId::Collection(id.clone())).await?;
            let Some(mut collection) = tx.collections().find(&id, None).await?.map(|reach| reach.entity) else {
                continue;
            };
            if collection.deleted_at.take().is_some() {
                tx.collections().save(&collection).await?;
                let change = Change::CollectionRestored { collection: id };
                record(tx, &*self.ids, actor, Some(&collection.organization), now, change).await?;
            }
        }
        Ok(())
    }
}
