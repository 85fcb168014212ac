//! The structure of sites: reading it, its spaces, and the order of its parts.
mod copies;
mod sections;

pub use sections::{NewLink, NewSection, NewSectionGroup};

use super::addresses::Contents;
use super::{Part, SeenStructure, ShownStructure, Sites};
use crate::access::Granted;
use crate::actor::Actor;
use crate::event::{Change, Differences, StructureChange};
use crate::id::{OrganizationId, PageId, SiteId, SiteSpaceId, SpaceId};
use crate::paging::{Page, PageRequest};
use crate::patch::Patch;
use crate::site::history::FormerName;
use crate::site::share_link::ShareKey;
use crate::site::structure::{
    ItemId, NewPlace, Section, SectionGroup, SiblingPosition, SiteSpace, SiteSpacePatch, SiteTitle, Structure,
};
use crate::site::{Site, SitePatch};
use crate::space::{NewSpace, Space};
use crate::text::{Invalid, SpaceTitle};
use crate::usecases::content::Apply;
use crate::usecases::lists::paged;
use crate::usecases::spaces::create_new;
use crate::usecases::work::{Units, Work};
use crate::usecases::{Error, Input, Precondition};
use std::sync::Arc;

/// Which spaces of a site to list: the default one, the others, or all; and the key of a share link.
pub type SiteSpaceFilter = (Option<bool>, Option<ShareKey>);

/// The space to show on a site.
#[derive(Clone, Debug)]
pub enum Linked {
    /// An existing space.
    Existing(SpaceId),
    /// A new space, with the pages of a template or an empty page.
    New(Option<Apply>),
}

/// A space to add to a site.
#[derive(Clone, Debug)]
pub struct NewSiteSpace {
    /// The space.
    pub space: Linked,
    /// Its place.
    pub place: NewPlace,
    /// Its title on the site.
    pub title: Option<SiteTitle>,
    /// The page that it starts with.
    pub page: Option<PageId>,
    /// Whether visitors do not see it yet.
    pub draft: bool,
}

/// A unit of work that changes the structure of a site.
struct Editing<'a> {
    work: Work<'a>,
    site: Granted<Site>,
    /// The structure before the change.
    before: Structure,
    structure: Structure,
    /// The part that the caller saw before the change.
    seen: SeenStructure,
    contents: Contents,
}

/// Stores the structure of a site, and the former names of its parts.
pub(super) async fn save(
    work: &mut Work<'_>,
    site: &SiteId,
    before: &Structure,
    after: &Structure,
) -> Result<(), Error> {
    work.sites().save_structure(site, after).await?;
    let left = FormerName::left(site, before, after);
    Ok(work.site_addresses().record_former_names(site, &left).await?)
}

/// Sets the default section and the default space of a site, if the patch names them. Returns whether that changed the
/// structure.
///
/// # Errors
/// [`Error::Invalid`] if the site does not have them, or if the caller does not see the space.
pub(super) async fn set_defaults(work: &mut Work<'_>, site: &Granted<Site>, patch: &SitePatch) -> Result<bool, Error> {
    if patch.default_section.is_none() && patch.default_space.is_none() {
        return Ok(false);
    }
    let before = work.sites().structure(&site.id).await?;
    let mut structure = before.clone();
    if let Some(section) = &patch.default_section {
        structure.set_default_section(section)?;
    }
    if let Some(space) = &patch.default_space {
        let seen = SeenStructure::of(work, site, structure.clone()).await?;
        seen.check_space(space, "defaultSiteSpace")?;
        structure.set_default_space(space)?;
    }
    if structure == before {
        return Ok(false);
    }
    save(work, &site.id, &before, &structure).await?;
    Ok(true)
}

impl<'a> Editing<'a> {
    async fn open(
        units: &'a Units,
        actor: &'a Actor,
        organization: &OrganizationId,
        id: &SiteId,
    ) -> Result<Self, Error> {
        let mut work = units.write(actor).await?;
        work.lock(&[id.into()]).await?;
        Self::begin(work, organization, id).await
    }

    /// The same, to create spaces in the organization too.
    async fn open_creating(
        units: &'a Units,
        actor: &'a Actor,
        organization: &OrganizationId,
        id: &SiteId,
    ) -> Result<Self, Error> {
        let mut work = units.write(actor).await?;
        work.lock(&[organization.into(), id.into()]).await?;
        Self::begin(work, organization, id).await
    }

    /// [`Self::open_creating`] if `new` is to be on a space that is created with it, otherwise [`Self::open`]. The
    /// input decides what to lock, so it is parsed before the caller's permission is checked; invalid input is refused
    /// after the check.
    async fn open_for<N>(
        units: &'a Units,
        actor: &'a Actor,
        organization: &OrganizationId,
        id: &SiteId,
        new: Input<N>,
        space: impl FnOnce(&N) -> &Linked,
    ) -> Result<(Self, N), Error> {
        let new = new.read();
        let creates = new.as_ref().is_ok_and(|new| matches!(space(new), Linked::New(_)));
        let editing = match creates {
            true => Self::open_creating(units, actor, organization, id).await?,
            false => Self::open(units, actor, organization, id).await?,
        };
        Ok((editing, new?))
    }

    /// Loads a site that is locked.
    async fn begin(mut work: Work<'a>, organization: &OrganizationId, id: &SiteId) -> Result<Self, Error> {
        let site = work.site(organization, id, |may| may.create).await?;
        let structure = work.sites().structure(id).await?;
        let seen = SeenStructure::of(&mut work, &site, structure.clone()).await?;
        Ok(Self { work, site, before: structure.clone(), structure, seen, contents: Contents::default() })
    }

    /// Opens a site to change one part of it that the caller sees.
    ///
    /// # Errors
    /// [`Error::NotFound`] for the site and the part; [`Error::Forbidden`], [`Error::Invalid`],
    /// [`Error::PreconditionFailed`].
    async fn open_part<P>(
        units: &'a Units,
        actor: &'a Actor,
        organization: &OrganizationId,
        (site, id): (&SiteId, &ItemId),
        precondition: &Precondition<Part>,
        patch: Input<P>,
    ) -> Result<(Self, P), Error> {
        let mut editing = Self::open(units, actor, organization, site).await?;
        editing.seen.structure.settings(id).ok_or(Error::NotFound(id.name()))?;
        let patch = patch.read()?;
        editing.check(id, precondition).await?;
        Ok((editing, patch))
    }

    /// Checks a precondition on a part that the caller sees.
    async fn check(&mut self, id: &ItemId, precondition: &Precondition<Part>) -> Result<(), Error> {
        let Self { work, site, before, .. } = self;
        let part = async {
            let shown = ShownStructure::of(work, site.clone(), before.clone(), None).await?;
            Ok(Part { of: Arc::new(shown), id: id.clone() })
        };
        precondition.check_shown(part).await
    }

    /// Stores the change and records it, if there is one.
    async fn store(&mut self, id: &ItemId, change: StructureChange) -> Result<(), Error> {
        if self.structure == self.before {
            return Ok(());
        }
        let site = self.site.id.clone();
        save(&mut self.work, &site, &self.before, &self.structure).await?;
        self.work.save_changed_site(&mut self.site).await?;
        let changes = match (self.before.settings(id), self.structure.settings(id)) {
            (Some(before), Some(after)) => Differences::of_fields(&before, &after),
            _ => Differences::default(),
        };
        let (part, id) = (id.kind().to_owned(), id.as_str().to_owned());
        let change = Change::SiteStructureUpdated { site, change, part, id, changes };
        self.work.record(&self.site.organization, change).await
    }

    /// Completes the removal of a part.
    async fn end(mut self, id: &ItemId, change: StructureChange) -> Result<(), Error> {
        self.store(id, change).await?;
        self.work.commit().await
    }

    /// Completes a change of an existing part. Returns the part as the caller sees it after the change.
    async fn end_with(mut self, id: ItemId, change: StructureChange) -> Result<Part, Error> {
        self.store(&id, change).await?;
        // A change can change the addresses of spaces.
        let shown = ShownStructure::of(&mut self.work, self.site, self.structure, None).await?;
        self.work.commit().await?;
        Ok(Part { of: Arc::new(shown), id })
    }

    /// The space that the site is to show: one that it may show, or a new one with this title.
    async fn linked(
        &mut self,
        space: Linked,
        title: Option<&SiteTitle>,
        page: Option<&PageId>,
    ) -> Result<Granted<Space>, Error> {
        match space {
            Linked::Existing(space) => self.link(&space, page).await,
            Linked::New(template) => {
                let title = title.map(|title| SpaceTitle::fitted(title.as_str(), ""));
                let organization = self.site.organization.clone();
                self.work.check_parent(&organization, None, 0, None).await?;
                create_new(&mut self.work, &organization, (NewSpace { title, ..NewSpace::default() }, template)).await
            }
        }
    }

    /// Checks that the site may show a space, and that the space has the page that it is to start with.
    async fn link(&mut self, space: &SpaceId, page: Option<&PageId>) -> Result<Granted<Space>, Error> {
        let organization = self.site.organization.clone();
        let found = self.work.linkable_spaces(&organization, std::slice::from_ref(space), "spaceId").await?;
        let linked = found.into_iter().next().ok_or_else(|| Error::Corrupt("a space is missing".into()))?;
        self.check_page(space, page).await?;
        Ok(linked)
    }

    /// Checks that a space has the page that it is to start with.
    async fn check_page(&mut self, space: &SpaceId, page: Option<&PageId>) -> Result<(), Error> {
        match page {
            Some(page) if !self.contents.has_page(&mut self.work, space, page).await? => {
                Err(Invalid::new("pageId", "the space has no such page").into())
            }
            _ => Ok(()),
        }
    }
}

impl Sites {
    /// The structure of a site. With the key of a share link of the site, its parts have their addresses.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Invalid`].
    pub async fn structure(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        id: &SiteId,
        key: Input<Option<ShareKey>>,
    ) -> Result<Arc<ShownStructure>, Error> {
        let query = Input::new(move || Ok((key.read()?, ())));
        Ok(self.structure_with(actor, organization, id, query).await?.0)
    }

    /// The structure of a site for members who can view it and for its visitors, and the rest of a query.
    async fn structure_with<T>(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        id: &SiteId,
        query: Input<(Option<ShareKey>, T)>,
    ) -> Result<(Arc<ShownStructure>, T), Error> {
        let mut work = self.units.read(actor).await?;
        let site = work.site(organization, id, |may| may.read).await?;
        let (key, rest) = query.read()?;
        let unlocked = work.unlocked(key.as_ref()).await?;
        let structure = work.sites().structure(id).await?;
        Ok((Arc::new(ShownStructure::of(&mut work, site, structure, unlocked.as_ref()).await?), rest))
    }

    /// The sections of a site, in order.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Invalid`].
    pub async fn sections(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        id: &SiteId,
        query: Input<(Option<ShareKey>, PageRequest)>,
    ) -> Result<(Arc<ShownStructure>, Page<Section>), Error> {
        let (shown, page) = self.structure_with(actor, organization, id, query).await?;
        let all = shown.structure.sections().into_iter().cloned().collect();
        let found = paged(all, &page, |section: &Section| section.id.as_str())?;
        Ok((shown, found))
    }

    /// The groups of a site, each after the one that contains it.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Invalid`].
    pub async fn section_groups(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        id: &SiteId,
        page: Input<PageRequest>,
    ) -> Result<(Arc<ShownStructure>, Page<SectionGroup>), Error> {
        let query = Input::new(move || Ok((None, page.read()?)));
        let (shown, page) = self.structure_with(actor, organization, id, query).await?;
        let all = shown.structure.groups().into_iter().cloned().collect();
        let found = paged(all, &page, |group: &SectionGroup| group.id.as_str())?;
        Ok((shown, found))
    }

    /// The spaces of a site, in order; with `Some(true)` only the default space of the site, with `Some(false)` only
    /// the others.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Invalid`].
    pub async fn site_spaces(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        id: &SiteId,
        query: Input<(SiteSpaceFilter, PageRequest)>,
    ) -> Result<(Arc<ShownStructure>, Page<SiteSpace>), Error> {
        let query = Input::new(move || query.read().map(|((wanted, key), page)| (key, (wanted, page))));
        let (shown, (wanted, page)) = self.structure_with(actor, organization, id, query).await?;
        let is_default = |section: Option<&Section>, space: &SiteSpace| {
            space.settings.default && section.is_none_or(|section| section.settings.default)
        };
        let all = shown.structure.spaces().into_iter();
        let all = all.filter(|(section, space)| wanted.is_none_or(|wanted| is_default(*section, space) == wanted));
        let all = all.map(|(_, space)| space.clone()).collect();
        let found = paged(all, &page, |space: &SiteSpace| space.id.as_str())?;
        Ok((shown, found))
    }

    /// Adds a space to a site, after its siblings.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Forbidden`] for the site and the space; [`Error::Invalid`].
    pub async fn add_site_space(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        id: &SiteId,
        new: Input<NewSiteSpace>,
    ) -> Result<Part, Error> {
        let (mut editing, new) = Editing::open_for(&self.units, actor, organization, id, new, |new| &new.space).await?;
        let NewSiteSpace { space, place, title, page, draft } = new;
        let space = editing.linked(space, title.as_ref(), page.as_ref()).await?;
        let name = title.as_ref().map_or(space.title.as_str(), SiteTitle::as_str);
        let path = editing.structure.free_space_path(&place, name);
        let mut added = SiteSpace::new(editing.work.ids.make(), space.id.clone(), path);
        (added.settings.title, added.settings.page, added.settings.draft) = (title, page, draft);
        let part = ItemId::Space(added.id.clone());
        editing.structure.add_space(&place, added)?;
        editing.end_with(part, StructureChange::Added).await
    }

    /// Changes a space on a site.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Forbidden`], also for another space; [`Error::Invalid`],
    /// [`Error::PreconditionFailed`].
    pub async fn update_site_space(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        (site, id): (&SiteId, &SiteSpaceId),
        precondition: Precondition<Part>,
        patch: Input<SiteSpacePatch>,
    ) -> Result<Part, Error> {
        let part = ItemId::Space(id.clone());
        let (mut editing, patch) =
            Editing::open_part(&self.units, actor, organization, (site, &part), &precondition, patch).await?;
        let page = match &patch.page {
            Patch::Set(page) => Some(page),
            _ => None,
        };
        if let Some(space) = &patch.space {
            editing.link(space, page).await?;
        } else if let Some(space) = editing.structure.space(id).map(|(_, one)| one.space.clone()) {
            editing.check_page(&space, page).await?;
        }
        editing.structure.update_space(id, patch)?;
        editing.end_with(part, StructureChange::Updated).await
    }

    /// Removes a space from a site. Returns whether it was on the site.
    ///
    /// # Errors
    /// [`Error::Forbidden`], [`Error::PreconditionFailed`].
    pub async fn remove_site_space(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        (site, id): (&SiteId, &SiteSpaceId),
        precondition: Precondition<Part>,
    ) -> Result<bool, Error> {
        let part = ItemId::Space(id.clone());
        let remove = |structure: &mut Structure| drop(structure.remove_space(id));
        self.remove(actor, organization, site, &part, precondition, remove).await
    }

    async fn remove(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        site: &SiteId,
        part: &ItemId,
        precondition: Precondition<Part>,
        remove: impl FnOnce(&mut Structure),
    ) -> Result<bool, Error> {
        let found = Editing::open(&self.units, actor, organization, site).await;
        let Some(mut editing) = precondition.found(found)? else { return Ok(false) };
        if editing.seen.structure.settings(part).is_none() {
            return precondition.nothing_removed();
        }
        editing.check(part, &precondition).await?;
        remove(&mut editing.structure);
        editing.end(part, StructureChange::Removed).await?;
        Ok(true)
    }

    /// Moves a part of a structure among its siblings.
    ///
    /// # Errors
    /// [`Error::NotFound`] for the site and the part; [`Error::Forbidden`]; [`Error::Invalid`] if a named part is not a
    /// sibling.
    pub async fn sort(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        site: &SiteId,
        moving: Input<(ItemId, SiblingPosition)>,
    ) -> Result<Part, Error> {
        let mut editing = Editing::open(&self.units, actor, organization, site).await?;
        let (id, beside) = moving.read()?;
        let spaces = &editing.seen.spaces;
        if !editing.structure.sort(&id, &beside, |one| spaces.contains_key(&one.space))? {
            return Err(Error::NotFound(id.name()));
        }
        editing.end_with(id, StructureChange::Moved).await
    }
}
