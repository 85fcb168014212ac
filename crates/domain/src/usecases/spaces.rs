//! Spaces.
use super::content::write::{About, Base, NewContent, Prepared};
use super::record::record;
use super::search::language;
use super::{Error, Input, Precondition, open};
use crate::access::{DefaultLevel, Granted, Role};
use crate::actor::Actor;
use crate::event::Change;
use crate::id::{OrganizationId, SpaceId};
use crate::paging::{Page, PageRequest};
use crate::ports::{Clock, Ids, Store, Tx};
use crate::space::{NewSpace, Space, SpacePatch};
use std::sync::Arc;

/// Makes, reads and changes spaces.
#[derive(Clone)]
#[expect(missing_docs, reason = "the ports it needs")]
pub struct Spaces {
    pub store: Arc<dyn Store>,
    pub clock: Arc<dyn Clock>,
    pub ids: Arc<dyn Ids>,
}

impl Spaces {
    /// The spaces of an organization that the caller may see, by id.
    ///
    /// # Errors
    /// [`Error::NotFound`] for the organization, [`Error::Invalid`].
    pub async fn list(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        page: Input<PageRequest>,
    ) -> Result<Page<Granted<Space>>, Error> {
        let mut tx = self.store.read().await?;
        open::organization(&mut *tx, actor, organization, |may| may.view).await?;
        let page = page.read()?;
        let found = tx.spaces().list(organization, actor.user(), &page).await?;
        let grant = |reach| open::grant_space(actor, reach, |may| may.view).ok();
        Ok(Page { items: found.items.into_iter().filter_map(grant).collect(), next: found.next })
    }

    /// Makes a space, with one empty page unless it is to be empty.
    ///
    /// # Errors
    /// [`Error::NotFound`] and [`Error::Forbidden`] for the organization, [`Error::Invalid`].
    pub async fn create(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        new: Input<NewSpace>,
    ) -> Result<Granted<Space>, Error> {
        let mut tx = open::write(&*self.store, &*self.clock, actor).await?;
        open::organization(&mut *tx, actor, organization, |may| may.create_content).await?;
        let new = new.read()?;
        let now = self.clock.now();
        let content = NewContent::initial(&*self.ids, now, new.empty);
        let space = Space::new(self.ids.make(), organization.clone(), self.ids.make(), new, now);
        let content = first(&mut *tx, actor, &space, content).await?;
        let created = create(&mut *tx, &*self.ids, actor, space, content).await?;
        tx.commit().await?;
        Ok(created)
    }

    /// A space.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    pub async fn get(&self, actor: &Actor, id: &SpaceId) -> Result<Granted<Space>, Error> {
        open::space(&mut *self.store.read().await?, actor, id, |may| may.view).await
    }

    /// Changes the settings of a space.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Forbidden`], [`Error::Invalid`], [`Error::PreconditionFailed`]; a default level
    /// that would take the caller's own right to change it away is refused as [`Error::Forbidden`]. [`Error::Conflict`]
    /// when two callers change the language of a large space at once.
    pub async fn update(
        &self,
        actor: &Actor,
        id: &SpaceId,
        precondition: Precondition<Space>,
        patch: Input<SpacePatch>,
    ) -> Result<Granted<Space>, Error> {
        let mut tx = open::write(&*self.store, &*self.clock, actor).await?;
        let space = open::space(&mut *tx, actor, id, |may| may.admin).await?;
        let patch = patch.read()?;
        precondition.check(&space)?;
        let before = (*space).clone();
        let updated = self.apply(&mut *tx, actor, space, patch.clone()).await?;
        if updated.language == before.language || language::reindex(&mut *tx, &updated).await? {
            tx.commit().await?;
            return Ok(updated);
        }
        // The change can be made, but the index takes longer than others should wait for their turn.
        drop(tx);
        language::reindex_by_parts(&*self.store, &before, updated.language).await?;
        let mut tx = open::write(&*self.store, &*self.clock, actor).await?;
        let space = open::space(&mut *tx, actor, id, |may| may.admin).await?;
        if space.language != before.language {
            return Err(Error::Conflict("language: it was changed at the same time; send your change again".into()));
        }
        let updated = self.apply(&mut *tx, actor, space, patch).await?;
        language::catch_up(&mut *tx, &updated, &before.revision).await?;
        tx.commit().await?;
        Ok(updated)
    }

    /// Changes the settings of a space in a unit of work.
    async fn apply(
        &self,
        tx: &mut dyn Tx,
        actor: &Actor,
        mut space: Granted<Space>,
        patch: SpacePatch,
    ) -> Result<Granted<Space>, Error> {
        let (id, organization) = (space.id.clone(), space.organization.clone());
        if patch.default_level == Some(DefaultLevel::Role(Role::Admin)) {
            // Nobody gives more than they have, and only administrators have this.
            let refused = |_| Error::Forbidden("defaultLevel: this is more than you have yourself".into());
            open::organization(tx, actor, &organization, |may| may.admin).await.map_err(refused)?;
        }
        let now = self.clock.now();
        space.entity_mut().update(patch, now);
        tx.spaces().save(&space).await?;
        record(tx, &*self.ids, actor, Some(&organization), now, Change::SpaceUpdated { space: id.clone() }).await?;
        open::space(tx, actor, &id, |may| may.admin).await.map_err(|error| match error {
            Error::NotFound(_) | Error::Forbidden(_) => {
                Error::Forbidden("defaultLevel: this would take away your own right to manage the space".into())
            }
            other => other,
        })
    }
}

/// Works out the first revision of a space that is being made. The space names it already.
pub(super) async fn first(
    tx: &mut dyn Tx,
    actor: &Actor,
    space: &Space,
    content: NewContent,
) -> Result<Prepared, Error> {
    let base = Base::default();
    let about = About::edits(space.revision.clone(), &space.id, &base, actor, space.created_at);
    content.prepare(tx, &base, about, Some(space.language)).await
}

/// Stores a new space with its first content.
pub(super) async fn create(
    tx: &mut dyn Tx,
    ids: &dyn Ids,
    actor: &Actor,
    space: Space,
    content: Prepared,
) -> Result<Granted<Space>, Error> {
    tx.spaces().save(&space).await?;
    content.store(tx).await?;
    let change = Change::SpaceCreated { space: space.id.clone() };
    record(tx, ids, actor, Some(&space.organization), space.created_at, change).await?;
    open::space(tx, actor, &space.id, |may| may.view).await
}
