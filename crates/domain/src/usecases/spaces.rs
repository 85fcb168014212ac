//! Spaces.
mod deletion;
mod duplicate;

use super::content::Apply;
use super::content::write::{About, Base, NewContent, Prepared};
use super::members::check_members;
use super::permissions::{carried, check_default, keep_hold};
use super::placing::{self, Move, Standpoint};
use super::record::record;
use super::search::{indexing, language};
use super::{Error, Input, Precondition, open};
use crate::access::{DefaultLevel, Granted, OrganizationAccess};
use crate::actor::Actor;
use crate::event::{Change, Differences};
use crate::id::{CollectionId, OrganizationId, SpaceId};
use crate::job::Task;
use crate::paging::{Page, PageRequest};
use crate::place::PlaceId;
use crate::ports::store::spaces::SpaceFilter;
use crate::ports::{Clock, Ids, Store, Tx};
use crate::retention::RETENTION;
use crate::space::{NewSpace, Space, SpacePatch};
use std::sync::Arc;

/// Creates, reads and updates spaces.
#[derive(Clone)]
#[expect(missing_docs, reason = "the ports it needs")]
pub struct Spaces {
    pub store: Arc<dyn Store>,
    pub clock: Arc<dyn Clock>,
    pub ids: Arc<dyn Ids>,
}

impl Spaces {
    /// The spaces of an organization that the caller may see, in order; if `deleted` is set, the deleted ones that the
    /// caller may restore.
    ///
    /// # Errors
    /// [`Error::NotFound`] for the organization, [`Error::Invalid`].
    pub async fn list(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        query: Input<(bool, PageRequest)>,
    ) -> Result<Page<Granted<Space>>, Error> {
        let mut tx = self.store.read().await?;
        let (_, organization_access) = open::within(&mut *tx, actor, organization, |may| may.view).await?;
        let (deleted, page) = query.read()?;
        let deleted_after = deleted.then(|| self.clock.now() - RETENTION);
        let all = SpaceFilter { deleted_after, ..SpaceFilter::of(organization, &organization_access) };
        // A caller who may not restore a space must not learn that it existed.
        let filter = if deleted { SpaceFilter { within: organization_access.manageable(), ..all } } else { all };
        listed(&mut *tx, actor, &organization_access, &filter, &page).await
    }

    /// The spaces directly in a collection that the caller may see, in order.
    ///
    /// # Errors
    /// [`Error::NotFound`] for the collection, [`Error::Invalid`].
    pub async fn in_collection(
        &self,
        actor: &Actor,
        collection: &CollectionId,
        page: Input<PageRequest>,
    ) -> Result<Page<Granted<Space>>, Error> {
        let mut tx = self.store.read().await?;
        let collection = open::collection(&mut *tx, actor, collection, |may| may.view).await?;
        let page = page.read()?;
        let organization_access = open::organization_access(&mut *tx, actor, &collection.organization).await?;
        let organization = SpaceFilter::of(&collection.organization, &organization_access);
        let filter = SpaceFilter { parent: Some(collection.id.clone()), ..organization };
        listed(&mut *tx, actor, &organization_access, &filter, &page).await
    }

    /// Creates a space after all others: with the pages of a template, otherwise with one empty page, or empty if
    /// requested.
    ///
    /// # Errors
    /// [`Error::NotFound`] for the organization; [`Error::Forbidden`] for the organization and the collection;
    /// [`Error::Invalid`], also for a collection that does not exist.
    pub async fn create(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        new: Input<(NewSpace, Option<Apply>)>,
    ) -> Result<Granted<Space>, Error> {
        let mut tx = open::write(&*self.store, &*self.clock, actor).await?;
        tx.lock(&[organization.into()]).await?;
        placing::somewhere(&mut *tx, actor, organization).await?;
        let (new, template) = new.read()?;
        let id: SpaceId = self.ids.make();
        let place = PlaceId::Space(id.clone());
        placing::check_parent(&mut *tx, actor, organization, new.parent.as_ref(), 0, &place).await?;
        let now = self.clock.now();
        let content = match template {
            Some(template) => template.content(&mut *tx, &*self.ids, actor, &Base::default(), now).await?,
            None => NewContent::initial(&*self.ids, now, new.empty),
        };
        let space = Space::new(id, organization.clone(), self.ids.make(), new, now);
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

    /// Updates the settings of a space.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Forbidden`], also if the old or the new default level is higher than the caller's
    /// own level; [`Error::Invalid`], [`Error::PreconditionFailed`]; [`Error::Conflict`] if another request changes the
    /// language of a large space at the same time.
    pub async fn update(
        &self,
        actor: &Actor,
        id: &SpaceId,
        precondition: Precondition<Granted<Space>>,
        patch: Input<SpacePatch>,
    ) -> Result<Granted<Space>, Error> {
        let mut tx = open::write(&*self.store, &*self.clock, actor).await?;
        tx.lock(&[id.into()]).await?;
        let space = open::space(&mut *tx, actor, id, |may| may.admin).await?;
        let patch = patch.read()?;
        precondition.check(&space)?;
        let before = (*space).clone();
        let updated = self.apply(&mut *tx, actor, space, patch.clone()).await?;
        if updated.language == before.language || language::reindex(&mut *tx, &updated).await? {
            tx.commit().await?;
            return Ok(updated);
        }
        // The change is valid, but indexing would hold the writer for too long.
        drop(tx);
        // A copied space may still be waiting to be indexed in its old language.
        let waiting = Task::index_space(id.clone(), None);
        let waiting = self.store.read().await?.jobs().find_task(&waiting).await?;
        language::reindex_by_parts(&*self.store, &before, updated.language).await?;
        let mut tx = open::write(&*self.store, &*self.clock, actor).await?;
        tx.lock(&[id.into()]).await?;
        let now = self.clock.now();
        let space = open::space(&mut *tx, actor, id, |may| may.admin).await?;
        if space.language != before.language {
            return Err(Error::Conflict(
                "language: another request changed it at the same time; send your change again".into(),
            ));
        }
        let updated = self.apply(&mut *tx, actor, space, patch).await?;
        if let Some(job) = waiting {
            indexing::index_later(&mut *tx, &*self.ids, job.task, now).await?;
        }
        language::catch_up(&mut *tx, &*self.ids, &updated, &before.revision, now).await?;
        tx.commit().await?;
        Ok(updated)
    }

    /// Moves a space within its organization, or among its siblings.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Forbidden`] for the space and the destination; [`Error::Invalid`] if the
    /// destination does not exist; [`Error::Conflict`] if the space is already there.
    pub async fn move_to(&self, actor: &Actor, id: &SpaceId, to: Input<Move>) -> Result<Granted<Space>, Error> {
        let organization = self.organization_of(actor, id).await?;
        let mut tx = open::write(&*self.store, &*self.clock, actor).await?;
        tx.lock(&[(&organization).into()]).await?;
        let space = open::space(&mut *tx, actor, id, |may| may.admin).await?;
        if space.organization != organization {
            return Err(placing::moved_meanwhile());
        }
        let wanted = to.read()?;
        let place = PlaceId::Space(id.clone());
        let (organization, parent) = (&space.organization, space.parent.as_ref());
        let from = Standpoint { id: place, organization, parent, levels: 0 };
        let (parent, position) = placing::destination(&mut *tx, actor, from, wanted).await?;
        let mut space = open::space(&mut *tx, actor, id, |may| may.admin).await?;
        let now = self.clock.now();
        space.entity_mut().put(parent.clone(), position, now);
        tx.spaces().save(&space).await?;
        let change = Change::SpaceMoved { space: id.clone(), parent };
        record(&mut *tx, &*self.ids, actor, Some(&space.organization), now, change).await?;
        let moved = open::space(&mut *tx, actor, id, |may| may.view).await?;
        tx.commit().await?;
        Ok(moved)
    }

    /// Transfers a space to the top level of another organization. Grants to users and teams of the old organization,
    /// requests for reviews, and reviews of unmerged change requests end.
    ///
    /// # Errors
    /// [`Error::NotFound`] and [`Error::Forbidden`] for the space and both organizations; [`Error::Conflict`] if it
    /// already belongs to the organization.
    pub async fn transfer(
        &self,
        actor: &Actor,
        id: &SpaceId,
        to: Input<OrganizationId>,
    ) -> Result<Granted<Space>, Error> {
        let from = self.organization_of(actor, id).await?;
        let to = to.read()?;
        let mut tx = open::write(&*self.store, &*self.clock, actor).await?;
        tx.lock(&[(&from).into(), (&to).into(), id.into()]).await?;
        let mut space = open::space(&mut *tx, actor, id, |may| may.admin).await?;
        if space.organization != from {
            return Err(placing::moved_meanwhile());
        }
        open::organization(&mut *tx, actor, &from, |may| may.create_content).await?;
        if from == to {
            return Err(Error::Conflict("the space already belongs to this organization".into()));
        }
        let target = open::organization(&mut *tx, actor, &to, |may| may.create_content).await?;
        let position = placing::behind_all(&mut *tx, &to, None).await?;
        let now = self.clock.now();
        tx.grants().clear(&[PlaceId::Space(id.clone())]).await?;
        tx.reviews().end(std::slice::from_ref(id), now).await?;
        space.entity_mut().transfer(to.clone(), position, now);
        space.entity_mut().default_level = carried(target.access(), space.default_level);
        tx.spaces().save(&space).await?;
        for organization in [&from, &to] {
            let change = Change::SpaceTransferred { space: id.clone(), from: from.clone(), to: to.clone() };
            record(&mut *tx, &*self.ids, actor, Some(organization), now, change).await?;
        }
        let default = (DefaultLevel::Inherit, space.default_level);
        keep_hold(&mut *tx, &*self.ids, actor, &to, &PlaceId::Space(id.clone()), default, now).await?;
        let handed_over = open::space(&mut *tx, actor, id, |may| may.view).await?;
        tx.commit().await?;
        Ok(handed_over)
    }

    /// The organization of a space that the caller may manage. It must be locked before the space.
    async fn organization_of(&self, actor: &Actor, id: &SpaceId) -> Result<OrganizationId, Error> {
        let mut tx = self.store.read().await?;
        Ok(open::space(&mut *tx, actor, id, |may| may.admin).await?.organization.clone())
    }

    /// Applies a change of settings in a unit of work.
    async fn apply(
        &self,
        tx: &mut dyn Tx,
        actor: &Actor,
        mut space: Granted<Space>,
        patch: SpacePatch,
    ) -> Result<Granted<Space>, Error> {
        let (id, organization) = (space.id.clone(), space.organization.clone());
        check_default(space.access(), space.default_level, patch.default_level)?;
        if let Some(rules) = &patch.merge_rules {
            check_members(tx, &organization, rules.named("mergeRules")).await?;
        }
        let (before, now) = ((*space).clone(), self.clock.now());
        space.entity_mut().update(patch, now);
        tx.spaces().save(&space).await?;
        let change = Change::SpaceUpdated { space: id.clone(), changes: Differences::between(&before, &space) };
        record(tx, &*self.ids, actor, Some(&organization), now, change).await?;
        let (place, default) = (PlaceId::Space(id.clone()), (before.default_level, space.default_level));
        keep_hold(tx, &*self.ids, actor, &organization, &place, default, now).await?;
        open::space(tx, actor, &id, |may| may.view).await
    }
}

/// A page of spaces that the caller may see.
async fn listed(
    tx: &mut dyn Tx,
    actor: &Actor,
    organization_access: &OrganizationAccess,
    filter: &SpaceFilter,
    page: &PageRequest,
) -> Result<Page<Granted<Space>>, Error> {
    let found = tx.spaces().list(filter, page).await?;
    Ok(found.filter_map(|space| open::grant_listed_space(actor, organization_access, space).ok()))
}

/// Computes the first revision of a new space. The space already has the id of the revision.
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

/// Stores a new space after all its siblings, with its first content.
pub(super) async fn create(
    tx: &mut dyn Tx,
    ids: &dyn Ids,
    actor: &Actor,
    mut space: Space,
    content: Prepared,
) -> Result<Granted<Space>, Error> {
    space.position = placing::behind_all(tx, &space.organization, space.parent.as_ref()).await?;
    tx.spaces().save(&space).await?;
    content.store_primary(tx, ids).await?;
    let change = Change::SpaceCreated { space: space.id.clone() };
    record(tx, ids, actor, Some(&space.organization), space.created_at, change).await?;
    open::space(tx, actor, &space.id, |may| may.view).await
}
