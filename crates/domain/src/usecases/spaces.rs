//! Spaces.
mod deletion;
mod duplicate;
mod shown;

pub(super) use duplicate::{Copy, load_original};
pub use shown::ShownSpace;

use super::content::Apply;
use super::content::write::{Base, Indexed, NewContent, RevisionMetadata, Step};
use super::members::check_members;
use super::permissions::{check_default, default_after_transfer};
use super::placing::{self, Move, MovedItem};
use super::search::{indexing, language};
use super::work::{Units, Work};
use super::{Error, Input, Precondition, open};
use crate::access::{DefaultLevel, Granted, OrganizationAccess};
use crate::actor::Actor;
use crate::event::{Change, Differences};
use crate::id::{CollectionId, OrganizationId, SpaceId};
use crate::job::Task;
use crate::paging::{Page, PageRequest};
use crate::place::PlaceId;
use crate::ports::store::spaces::SpaceFilter;
use crate::retention::RETENTION;
use crate::site::share_link::ShareKey;
use crate::space::{NewSpace, Space, SpacePatch};

/// Creates, reads and updates spaces.
#[derive(Clone)]
pub struct Spaces {
    /// Units of work.
    pub units: Units,
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
    ) -> Result<Page<ShownSpace>, Error> {
        let mut work = self.units.read(actor).await?;
        let (_, organization_access) = work.organization_with_access(organization, |may| may.view).await?;
        let (deleted, page) = query.read()?;
        let deleted_after = deleted.then(|| work.now() - RETENTION);
        let all = SpaceFilter { deleted_after, ..SpaceFilter::of(organization, &organization_access) };
        // Hidden from callers who may not restore it: they must not learn that it existed.
        let filter = if deleted { SpaceFilter { within: organization_access.manageable(), ..all } } else { all };
        listed(&mut work, &organization_access, &filter, &page).await
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
    ) -> Result<Page<ShownSpace>, Error> {
        let mut work = self.units.read(actor).await?;
        let collection = work.collection(collection, |may| may.view).await?;
        let page = page.read()?;
        let organization_access = work.organization_access(&collection.organization).await?;
        let organization = SpaceFilter::of(&collection.organization, &organization_access);
        let filter = SpaceFilter { parent: Some(collection.id.clone()), ..organization };
        listed(&mut work, &organization_access, &filter, &page).await
    }

    /// Creates a space after all others. It has the pages of a template, one empty page, or no page.
    ///
    /// # Errors
    /// [`Error::NotFound`] for the organization; [`Error::Forbidden`] for the organization and the collection;
    /// [`Error::Invalid`], also for a collection that does not exist.
    pub async fn create(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        new: Input<(NewSpace, Option<Apply>)>,
    ) -> Result<ShownSpace, Error> {
        let mut work = self.units.write(actor).await?;
        work.lock(&[organization.into()]).await?;
        let home = work.check_creates_somewhere(organization).await?;
        let (new, template) = new.read()?;
        work.check_new_parent(&home, new.parent.as_ref(), 0).await?;
        let created = create_new(&mut work, organization, (new, template)).await?;
        work.commit().await?;
        Ok(ShownSpace::unpublished(created))
    }

    /// A space, for members who can view it and for visitors of a site that shows it. With the key of a share link, the
    /// response has the address of the space on the site of the link.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Invalid`].
    pub async fn get(&self, actor: &Actor, id: &SpaceId, key: Input<Option<ShareKey>>) -> Result<ShownSpace, Error> {
        let mut work = self.units.read(actor).await?;
        let space = work.space(id, |may| may.read).await?;
        let unlocked = work.unlocked(key.read()?.as_ref()).await?;
        Ok(work.publications(std::slice::from_ref(id), unlocked.as_ref(), None).await?.show(space))
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
        precondition: Precondition<ShownSpace>,
        patch: Input<SpacePatch>,
    ) -> Result<ShownSpace, Error> {
        let mut work = self.units.write(actor).await?;
        work.lock(&[id.into()]).await?;
        let space = work.space(id, |may| may.admin).await?;
        let patch = patch.read()?;
        precondition.check_shown(work.shown_space(space.clone())).await?;
        let before = (*space).clone();
        let updated = apply(&mut work, space, patch.clone()).await?;
        if *updated == before {
            return work.shown_space(updated).await;
        }
        if updated.language == before.language || language::reindex(&mut work, &updated).await? {
            let updated = work.shown_space(updated).await?;
            work.commit().await?;
            return Ok(updated);
        }
        // The change is valid, but indexing in this unit of work would lock the database for too long.
        drop(work);
        // A job may still index a copied space in its old language.
        let waiting = Task::index_space(id.clone(), None);
        let waiting = self.units.read(actor).await?.jobs().find_task(&waiting).await?;
        language::reindex_by_parts(&self.units, &before, updated.language).await?;
        let mut work = self.units.write(actor).await?;
        work.lock(&[id.into()]).await?;
        let space = work.space(id, |may| may.admin).await?;
        if space.language != before.language {
            return Err(Error::Conflict(
                "language: another request changed it at the same time; send your change again".into(),
            ));
        }
        let updated = apply(&mut work, space, patch).await?;
        if let Some(job) = waiting {
            indexing::index_later(&mut work, job.task).await?;
        }
        language::catch_up(&mut work, &updated, &before.revision).await?;
        let updated = work.shown_space(updated).await?;
        work.commit().await?;
        Ok(updated)
    }

    /// Moves a space to another place in its organization, or among its siblings.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Forbidden`] for the space and the destination; [`Error::Invalid`] if the
    /// destination does not exist; [`Error::Conflict`] if the space is already there.
    pub async fn move_to(&self, actor: &Actor, id: &SpaceId, to: Input<Move>) -> Result<ShownSpace, Error> {
        let organization = self.organization_of(actor, id).await?;
        let mut work = self.units.write(actor).await?;
        work.lock(&[(&organization).into()]).await?;
        let space = work.space(id, |may| may.admin).await?;
        if space.organization != organization {
            return Err(placing::transferred_concurrently());
        }
        let wanted = to.read()?;
        let place = PlaceId::Space(id.clone());
        let (organization, parent) = (&space.organization, space.parent.as_ref());
        let from = MovedItem { id: place, organization, parent, levels: 0 };
        let (parent, position) = work.destination(from, wanted).await?;
        let mut space = work.space(id, |may| may.admin).await?;
        space.entity_mut().put(parent.clone(), position, work.now());
        work.spaces().save(&space).await?;
        let change = Change::SpaceMoved { space: id.clone(), parent };
        work.record(&space.organization, change).await?;
        let moved = work.space(id, |may| may.view).await?;
        let moved = work.shown_space(moved).await?;
        work.commit().await?;
        Ok(moved)
    }

    /// Transfers a space to the top level of another organization. It loses its grants to users and teams of the old
    /// organization, its review requests, and the reviews of its unmerged change requests.
    ///
    /// # Errors
    /// [`Error::NotFound`] and [`Error::Forbidden`] for the space and both organizations; [`Error::Conflict`] if it
    /// already belongs to the organization.
    pub async fn transfer(&self, actor: &Actor, id: &SpaceId, to: Input<OrganizationId>) -> Result<ShownSpace, Error> {
        let from = self.organization_of(actor, id).await?;
        let to = to.read()?;
        let mut work = self.units.write(actor).await?;
        work.lock(&[(&from).into(), (&to).into(), id.into()]).await?;
        let mut space = work.space(id, |may| may.admin).await?;
        if space.organization != from {
            return Err(placing::transferred_concurrently());
        }
        work.organization(&from, |may| may.create_content).await?;
        if from == to {
            return Err(Error::Conflict("the space already belongs to this organization".into()));
        }
        let target = work.organization(&to, |may| may.create_content).await?;
        let position = work.last_position(&to, None).await?;
        let now = work.now();
        let place = PlaceId::Space(id.clone());
        work.collections().record_positions(&from, std::slice::from_ref(&place)).await?;
        work.grants().clear(&[place.clone().into()]).await?;
        work.sites().unlink(std::slice::from_ref(id)).await?;
        work.reviews().end(std::slice::from_ref(id), now).await?;
        space.entity_mut().transfer(to.clone(), position, now);
        space.entity_mut().default_level = default_after_transfer(target.access(), space.default_level);
        work.spaces().save(&space).await?;
        for organization in [&from, &to] {
            let change = Change::SpaceTransferred { space: id.clone(), from: from.clone(), to: to.clone() };
            work.record(organization, change).await?;
        }
        let default = (DefaultLevel::Inherit, space.default_level);
        work.keep_admin_access(&to, &place, default).await?;
        indexing::index_transferred(&mut work, std::slice::from_ref(id)).await?;
        let handed_over = work.space(id, |may| may.view).await?;
        work.commit().await?;
        Ok(ShownSpace::unpublished(handed_over))
    }

    /// The organization of a space that the caller may manage. It must be locked before the space.
    async fn organization_of(&self, actor: &Actor, id: &SpaceId) -> Result<OrganizationId, Error> {
        let mut work = self.units.read(actor).await?;
        Ok(work.space(id, |may| may.admin).await?.organization.clone())
    }
}

/// Applies a change of settings in a unit of work. Stores nothing if nothing changes.
async fn apply(work: &mut Work<'_>, mut space: Granted<Space>, patch: SpacePatch) -> Result<Granted<Space>, Error> {
    let (id, organization) = (space.id.clone(), space.organization.clone());
    check_default(space.access(), space.default_level, patch.default_level)?;
    if let Some(rules) = &patch.merge_rules {
        check_members(work, &organization, rules.newly_named("mergeRules", &space.merge_rules)).await?;
    }
    let Some(before) = space.entity_mut().update(patch, work.now()) else { return Ok(space) };
    work.spaces().save(&space).await?;
    let change = Change::SpaceUpdated { space: id.clone(), changes: Differences::between(&before, &space) };
    work.record(&organization, change).await?;
    let (place, default) = (PlaceId::Space(id.clone()), (before.default_level, space.default_level));
    work.keep_admin_access(&organization, &place, default).await?;
    work.space(&id, |may| may.view).await
}

/// A page of spaces that the caller may see.
async fn listed(
    work: &mut Work<'_>,
    organization_access: &OrganizationAccess,
    filter: &SpaceFilter,
    page: &PageRequest,
) -> Result<Page<ShownSpace>, Error> {
    let (found, caller) = (placing::known_page(work.spaces().list(filter, page).await?)?, work.actor);
    let seen = found.filter_map(|space| open::grant_listed_space(caller, organization_access, space).ok());
    work.shown_spaces(&filter.organization, seen).await
}

/// Creates a space. The organization must be locked, and the caller must be allowed to create there.
pub(super) async fn create_new(
    work: &mut Work<'_>,
    organization: &OrganizationId,
    (new, template): (NewSpace, Option<Apply>),
) -> Result<Granted<Space>, Error> {
    let id: SpaceId = work.ids.make();
    let content = match template {
        Some(template) => template.content(work, &Base::default()).await?,
        None => NewContent::initial(work, &new),
    };
    let space = Space::new(id, organization.clone(), work.ids.make(), new, work.now());
    let content = first(work, &space, content).await?;
    create(work, space, content).await
}

/// Computes the first revision of a new space. The id of the revision is already in `space`.
pub(super) async fn first(work: &mut Work<'_>, space: &Space, content: NewContent) -> Result<Step, Error> {
    let base = Base::default();
    let metadata = RevisionMetadata { id: space.revision.clone(), ..RevisionMetadata::edits(work, &space.id, &base) };
    content.prepare(work, &space.organization, &base, metadata, Indexed::New(space.language)).await
}

/// Stores a new space after all its siblings, with its first content.
pub(super) async fn create(work: &mut Work<'_>, mut space: Space, content: Step) -> Result<Granted<Space>, Error> {
    space.position = work.last_position(&space.organization, space.parent.as_ref()).await?;
    work.spaces().save(&space).await?;
    content.store_primary(work).await?;
    // Before the event: with the space, the storage reads whether the organization has webhooks.
    let created = work.space(&space.id, |may| may.view).await?;
    let change = Change::SpaceCreated { space: space.id.clone() };
    work.record(&space.organization, change).await?;
    Ok(created)
}
