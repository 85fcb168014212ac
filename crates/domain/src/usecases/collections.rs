//! Collections.
use super::jobs::purge::{schedule, task_of};
use super::permissions::{check_default, default_after_transfer};
use super::placing::{self, Move, MovedItem};
use super::search::indexing::index_transferred;
use super::work::{Units, Work};
use super::{Error, Input, Precondition, open};
use crate::access::{DefaultLevel, Granted, Level};
use crate::actor::Actor;
use crate::collection::{Collection, CollectionPatch, NewCollection, depths};
use crate::content::order::OrderKey;
use crate::event::{Change, Differences};
use crate::id::{CollectionId, OrganizationId, SpaceId};
use crate::organization::Organization;
use crate::paging::{Page, PageRequest};
use crate::place::{GrantTarget, PlaceId};
use crate::ports::store::Lockable;
use crate::space::Space;

/// Creates, reads, updates and moves collections.
#[derive(Clone)]
pub struct Collections {
    /// Units of work.
    pub units: Units,
}

impl Collections {
    /// The collections of an organization that the caller may see, in order; only those at the top level if `nested` is
    /// false.
    ///
    /// # Errors
    /// [`Error::NotFound`] for the organization, [`Error::Invalid`].
    pub async fn list(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        query: Input<(bool, PageRequest)>,
    ) -> Result<Page<Granted<Collection>>, Error> {
        let mut work = self.units.read(actor).await?;
        let (_, organization_access) = work.organization_with_access(organization, |may| may.view).await?;
        let (nested, page) = query.read()?;
        let found = work.collections().list(organization, &organization_access.readable(), !nested, &page).await?;
        let found = placing::known_page(found)?;
        let grant = |collection| open::grant_listed_collection(actor, &organization_access, collection).ok();
        Ok(found.filter_map(grant))
    }

    /// Creates a collection after all others.
    ///
    /// # Errors
    /// [`Error::NotFound`] for the organization; [`Error::Forbidden`] for the organization and the parent collection;
    /// [`Error::Invalid`], also if the parent does not exist or is nested too deeply.
    pub async fn create(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        new: Input<NewCollection>,
    ) -> Result<Granted<Collection>, Error> {
        let mut work = self.units.write(actor).await?;
        work.lock(&[organization.into()]).await?;
        let home = work.check_creates_somewhere(organization).await?;
        let new = new.read()?;
        let id: CollectionId = work.ids.make();
        work.check_new_parent(&home, new.parent.as_ref(), 1).await?;
        let position = work.last_position(organization, new.parent.as_ref()).await?;
        let collection = Collection::new(id, organization.clone(), new, position, work.now());
        work.collections().save(&collection).await?;
        let change = Change::CollectionCreated { collection: collection.id.clone() };
        ended(work, (&collection.id, organization), change).await
    }

    /// A collection.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    pub async fn get(&self, actor: &Actor, id: &CollectionId) -> Result<Granted<Collection>, Error> {
        self.units.read(actor).await?.collection(id, |may| may.view).await
    }

    /// Updates the settings of a collection.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Forbidden`], also if the old or the new default level is higher than the caller's
    /// own level; [`Error::Invalid`], [`Error::PreconditionFailed`].
    pub async fn update(
        &self,
        actor: &Actor,
        id: &CollectionId,
        precondition: Precondition<Granted<Collection>>,
        patch: Input<CollectionPatch>,
    ) -> Result<Granted<Collection>, Error> {
        let mut work = self.units.write(actor).await?;
        work.lock(&[id.into()]).await?;
        let mut collection = work.collection(id, |may| may.admin).await?;
        let patch = patch.read()?;
        precondition.check(&collection)?;
        check_default(collection.access(), collection.default_level, patch.default_level)?;
        let Some(before) = collection.entity_mut().update(patch, work.now()) else { return Ok(collection) };
        work.collections().save(&collection).await?;
        let (place, default) = (PlaceId::Collection(id.clone()), (before.default_level, collection.default_level));
        work.keep_admin_access(&collection.organization, &place, default).await?;
        let changes = Differences::between(&before, &collection);
        let change = Change::CollectionUpdated { collection: id.clone(), changes };
        ended(work, (id, &collection.organization), change).await
    }

    /// Moves a collection within its organization, or among its siblings.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Forbidden`] for the collection and the destination; [`Error::Invalid`] if the
    /// destination does not exist, is nested too deeply, or is inside the collection; [`Error::Conflict`] if the
    /// collection is already there.
    pub async fn move_to(
        &self,
        actor: &Actor,
        id: &CollectionId,
        to: Input<Move>,
    ) -> Result<Granted<Collection>, Error> {
        let organization = self.organization_of(actor, id).await?;
        let mut work = self.units.write(actor).await?;
        work.lock(&[(&organization).into()]).await?;
        let collection = work.collection(id, |may| may.admin).await?;
        if collection.organization != organization {
            return Err(placing::transferred_concurrently());
        }
        let wanted = to.read()?;
        let levels = depths(id, &work.collections().within(id).await?).into_values().max().unwrap_or(1);
        let place = PlaceId::Collection(id.clone());
        let (organization, parent) = (&collection.organization, collection.parent.as_ref());
        let from = MovedItem { id: place, organization, parent, levels };
        let (parent, position) = work.destination(from, wanted).await?;
        let mut collection = work.collection(id, |may| may.admin).await?;
        collection.entity_mut().put(parent.clone(), position, work.now());
        work.collections().save(&collection).await?;
        let change = Change::CollectionMoved { collection: id.clone(), parent };
        ended(work, (id, &collection.organization), change).await
    }

    /// Transfers a collection to the top level of another organization, with everything in it. Grants on any of it to
    /// users and teams of the old organization are removed.
    ///
    /// # Errors
    /// [`Error::NotFound`] and [`Error::Forbidden`] for the collection and both organizations; [`Error::Conflict`] if
    /// it already belongs to the organization; [`Error::PreconditionFailed`].
    pub async fn transfer(
        &self,
        actor: &Actor,
        id: &CollectionId,
        to: Input<OrganizationId>,
    ) -> Result<Granted<Collection>, Error> {
        let from = self.organization_of(actor, id).await?;
        let to = to.read()?;
        let mut work = self.units.write(actor).await?;
        work.lock(&[(&from).into(), (&to).into()]).await?;
        let root = work.collection(id, |may| may.admin).await?;
        if root.organization != from {
            return Err(placing::transferred_concurrently());
        }
        work.organization(&from, |may| may.create_content).await?;
        if from == to {
            return Err(Error::Conflict("the collection already belongs to this organization".into()));
        }
        let target = work.organization(&to, |may| may.create_content).await?;
        let contents = Contents::of(&mut work, &root).await?.ok_or_else(|| {
            Error::PreconditionFailed(
                "the collection cannot be moved: it contains a space or collection that you may not manage".into(),
            )
        })?;
        let position = work.last_position(&to, None).await?;
        let places = contents.places();
        work.collections().record_positions(&from, &places).await?;
        work.grants().clear(&places.into_iter().map(GrantTarget::from).collect::<Vec<_>>()).await?;
        let spaces: Vec<SpaceId> = contents.spaces.iter().map(|space| space.id.clone()).collect();
        let now = work.now();
        work.sites().unlink(&spaces).await?;
        work.reviews().end(&spaces, now).await?;
        let places = contents.save_in(&mut work, &target, (id, position)).await?;
        // From the outside in: a grant on an outer place also covers the places in it.
        for (place, default) in &places {
            work.keep_admin_access(&to, place, (DefaultLevel::Inherit, *default)).await?;
        }
        for organization in [&from, &to] {
            for (place, _) in &places {
                let (from, to) = (from.clone(), to.clone());
                let change = match place {
                    PlaceId::Space(space) => Change::SpaceTransferred { space: space.clone(), from, to },
                    PlaceId::Collection(id) => Change::CollectionTransferred { collection: id.clone(), from, to },
                };
                work.record(organization, change).await?;
            }
        }
        index_transferred(&mut work, &spaces).await?;
        let handed_over = work.collection(id, |may| may.view).await?;
        work.commit().await?;
        Ok(handed_over)
    }

    /// The organization of a collection that the caller may manage. It must be locked before the collection.
    async fn organization_of(&self, actor: &Actor, id: &CollectionId) -> Result<OrganizationId, Error> {
        let mut work = self.units.read(actor).await?;
        Ok(work.collection(id, |may| may.admin).await?.organization.clone())
    }

    /// Deletes a collection, with everything in it. For seven days, its spaces can be restored, which also restores the
    /// collection; then it is purged. Returns whether it existed; a collection that is hidden from the caller counts as
    /// missing and is not deleted.
    ///
    /// # Errors
    /// [`Error::Forbidden`], also if the caller may not manage everything in it; [`Error::PreconditionFailed`].
    pub async fn delete(
        &self,
        actor: &Actor,
        id: &CollectionId,
        precondition: Precondition<Granted<Collection>>,
    ) -> Result<bool, Error> {
        let found = self.organization_of(actor, id).await;
        let Some(organization) = precondition.found(found)? else { return Ok(false) };
        let mut work = self.units.write(actor).await?;
        work.lock(&[(&organization).into()]).await?;
        let found = work.collection(id, |may| may.admin).await;
        let Some(root) = precondition.found(found)? else { return Ok(false) };
        if root.organization != organization {
            return Err(placing::transferred_concurrently());
        }
        let Contents { collections, spaces } = Contents::of(&mut work, &root).await?.ok_or_else(|| {
            Error::Forbidden("the collection contains a space or collection that you may not delete".into())
        })?;
        precondition.check(&root)?;
        let now = work.now();
        let purges = collections.iter().map(|collection| task_of(&PlaceId::Collection(collection.id.clone())));
        let purges = purges.chain(spaces.iter().map(|space| task_of(&PlaceId::Space(space.id.clone()))));
        work.lock(&purges.map(|task| Lockable::from(&task)).collect::<Vec<_>>()).await?;
        for mut space in spaces.into_iter().filter(|space| space.deleted_at.is_none()) {
            space.delete(now);
            work.spaces().save(&space).await?;
            schedule(&mut work, &PlaceId::Space(space.id.clone())).await?;
            let change = Change::SpaceDeleted { space: space.id };
            work.record(&organization, change).await?;
        }
        for mut collection in collections.into_iter().filter(|collection| collection.deleted_at.is_none()) {
            collection.deleted_at = Some(now);
            work.collections().save(&collection).await?;
            schedule(&mut work, &PlaceId::Collection(collection.id.clone())).await?;
            let change = Change::CollectionDeleted { collection: collection.id };
            work.record(&organization, change).await?;
        }
        work.commit().await?;
        Ok(true)
    }
}

/// Completes a change: records it and returns the result.
async fn ended(
    mut work: Work<'_>,
    (id, organization): (&CollectionId, &OrganizationId),
    change: Change,
) -> Result<Granted<Collection>, Error> {
    work.record(organization, change).await?;
    let ended = work.collection(id, |may| may.view).await?;
    work.commit().await?;
    Ok(ended)
}

/// A collection with everything in it, at any depth.
struct Contents {
    /// The collection itself and those in it, from the outside in.
    collections: Vec<Collection>,
    spaces: Vec<Space>,
}

impl Contents {
    /// Locks and loads the contents; `None` if the caller may not manage all of it. The organization must be locked, so
    /// that nothing is moved in or out.
    async fn of(work: &mut Work<'_>, root: &Granted<Collection>) -> Result<Option<Self>, Error> {
        let ids: Vec<CollectionId> = work.collections().within(&root.id).await?.into_iter().map(|one| one.id).collect();
        let spaces = work.spaces().within(&ids).await?;
        let all = ids.iter().map(Lockable::from).chain(spaces.iter().map(|space| Lockable::from(&space.id)));
        work.lock(&all.collect::<Vec<_>>()).await?;
        let mut collections = work.collections().within(&root.id).await?;
        let spaces = work.spaces().within(&ids).await?;
        let organization_access = work.organization_access(&root.organization).await?;
        let of_space = |space: &Space| organization_access.space(&space.id, space.parent.as_ref(), space.default_level);
        let mut levels = ids.iter().map(|id| organization_access.collection(id)).chain(spaces.iter().map(of_space));
        if !levels.all(Level::manages) {
            return Ok(None);
        }
        let depth = depths(&root.id, &collections);
        collections.sort_by_key(|collection| depth.get(&collection.id).copied());
        Ok(Some(Self { collections, spaces }))
    }

    fn places(&self) -> Vec<PlaceId> {
        let collections = self.collections.iter().map(|collection| PlaceId::Collection(collection.id.clone()));
        collections.chain(self.spaces.iter().map(|space| PlaceId::Space(space.id.clone()))).collect()
    }

    /// Saves the contents in another organization: the collection `root` at this position of the top level. Returns the
    /// places with their default levels, from the outside in.
    async fn save_in(
        self,
        work: &mut Work<'_>,
        target: &Granted<Organization>,
        (root, position): (&CollectionId, OrderKey),
    ) -> Result<Vec<(PlaceId, DefaultLevel)>, Error> {
        let now = work.now();
        let mut places = Vec::with_capacity(self.collections.len() + self.spaces.len());
        for mut collection in self.collections {
            collection.organization = target.id.clone();
            collection.default_level = default_after_transfer(target.access(), collection.default_level);
            if collection.id == *root {
                collection.put(None, position.clone(), now);
            }
            work.collections().save(&collection).await?;
            places.push((PlaceId::Collection(collection.id), collection.default_level));
        }
        for mut space in self.spaces {
            let (parent, position) = (space.parent.clone(), space.position.clone());
            space.transfer(target.id.clone(), position.clone(), now);
            space.put(parent, position, now);
            space.default_level = default_after_transfer(target.access(), space.default_level);
            work.spaces().save(&space).await?;
            places.push((PlaceId::Space(space.id), space.default_level));
        }
        Ok(places)
    }
}
