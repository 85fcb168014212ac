//! The sections of sites, groups of them, and links.
use super::{Editing, Linked};
use crate::actor::Actor;
use crate::event::StructureChange;
use crate::id::{OrganizationId, PageId, SiteId, SiteLinkId, SiteSectionGroupId, SiteSectionId};
use crate::patch::Patch;
use crate::site::structure::{
    ExternalLink, Item, ItemId, LinkPatch, LinkSettings, NewPlace, Section, SectionGroup, SectionGroupPatch,
    SectionGroupSettings, SectionPatch, SectionSettings, SiteSpace, SiteTitle, Structure,
};
use crate::text::{Icon, Invalid};
use crate::usecases::sites::{Part, Sites};
use crate::usecases::{Error, Input, Precondition};

/// The title of a section whose space has no title.
pub(super) const UNTITLED: &str = "Section";

/// A section to add to a site.
#[derive(Clone, Debug)]
pub struct NewSection {
    /// Its first space.
    pub space: Linked,
    /// Its title; the title of the space if absent.
    pub title: Option<SiteTitle>,
    /// The name of an icon.
    pub icon: Option<Icon>,
    /// The page that the space starts with.
    pub page: Option<PageId>,
    /// Whether visitors do not see it yet.
    pub draft: bool,
    /// The group that contains it; the top level if absent.
    pub group: Option<SiteSectionGroupId>,
}

/// A group to add to a site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewSectionGroup {
    /// Its settings.
    pub settings: SectionGroupSettings,
    /// The sections to put into it.
    pub sections: Vec<SiteSectionId>,
    /// The group that contains it; the top level if absent.
    pub parent: Option<SiteSectionGroupId>,
}

/// A link to add to a site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewLink {
    /// Its settings.
    pub settings: LinkSettings,
    /// The group that contains it; the top level if absent.
    pub parent: Option<SiteSectionGroupId>,
}

impl Sites {
    /// Adds a section with its first space. The spaces of a site without sections become its first section.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Forbidden`] for the site and the space; [`Error::Invalid`].
    pub async fn add_section(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        id: &SiteId,
        new: Input<NewSection>,
    ) -> Result<Part, Error> {
        let (mut editing, new) = Editing::open_for(&self.units, actor, organization, id, new, |new| &new.space).await?;
        let NewSection { space, title, icon, page, draft, group } = new;
        let space = editing.linked(space, title.as_ref(), page.as_ref()).await?;
        let ids = editing.work.ids;
        let home = || Section {
            id: ids.make(),
            settings: SectionSettings::new(
                editing.site.title.clone(),
                Structure::default().free_section_path(editing.site.title.as_str()),
            ),
            spaces: Vec::new(),
        };
        // The path of the new section must also differ from that of the first section that is created with it.
        let home = (!editing.structure.has_sections() && !editing.structure.spaces().is_empty()).then(home);
        let title = title.unwrap_or_else(|| SiteTitle::fitted(space.title.as_str(), UNTITLED));
        let beside = home.iter().map(|home| home.settings.path.clone()).collect::<Vec<_>>();
        let path = editing.structure.free_section_path_beside(title.as_str(), &beside);
        let first = Structure::default().free_space_path(&NewPlace::Default, space.title.as_str());
        let mut first = SiteSpace::new(ids.make(), space.id.clone(), first);
        first.settings.page = page;
        let settings = SectionSettings { icon, draft, ..SectionSettings::new(title, path) };
        let section = Section { id: ids.make(), settings, spaces: vec![first] };
        let part = ItemId::Section(section.id.clone());
        editing.structure.add_section(section, group.as_ref(), home)?;
        editing.end_with(part, StructureChange::Added).await
    }

    /// Changes a section.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Forbidden`], [`Error::Invalid`], [`Error::PreconditionFailed`].
    pub async fn update_section(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        (site, id): (&SiteId, &SiteSectionId),
        precondition: Precondition<Part>,
        patch: Input<SectionPatch>,
    ) -> Result<Part, Error> {
        let part = ItemId::Section(id.clone());
        let (mut editing, patch) =
            Editing::open_part(&self.units, actor, organization, (site, &part), &precondition, patch).await?;
        if let Some(default) = &patch.default_space {
            editing.seen.check_space(default, "defaultSiteSpace")?;
        }
        editing.structure.update_section(id, patch)?;
        editing.end_with(part, StructureChange::Updated).await
    }

    /// Removes a section from a site, with its spaces. Returns whether it existed.
    ///
    /// # Errors
    /// [`Error::Forbidden`], [`Error::PreconditionFailed`].
    pub async fn remove_section(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        (site, id): (&SiteId, &SiteSectionId),
        precondition: Precondition<Part>,
    ) -> Result<bool, Error> {
        let part = ItemId::Section(id.clone());
        let remove = |structure: &mut Structure| drop(structure.remove_section(id));
        self.remove(actor, organization, site, &part, precondition, remove).await
    }

    /// Adds a group to a site with sections, and puts sections into it.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Forbidden`], [`Error::Invalid`].
    pub async fn add_section_group(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        id: &SiteId,
        new: Input<NewSectionGroup>,
    ) -> Result<Part, Error> {
        let mut editing = Editing::open(&self.units, actor, organization, id).await?;
        let NewSectionGroup { settings, sections, parent } = new.read()?;
        let group = SectionGroup { id: editing.work.ids.make(), settings, items: Vec::new() };
        let group_id = group.id.clone();
        editing.structure.add_item(Item::Group(group), parent.as_ref())?;
        for section in sections {
            let into = SectionPatch { group: Patch::Set(group_id.clone()), ..SectionPatch::default() };
            if !editing.structure.update_section(&section, into)? {
                return Err(Invalid::new("sections", format!("there is no section {section} on the site")).into());
            }
        }
        editing.end_with(ItemId::Group(group_id), StructureChange::Added).await
    }

    /// Changes a group.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Forbidden`], [`Error::Invalid`], [`Error::PreconditionFailed`].
    pub async fn update_section_group(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        (site, id): (&SiteId, &SiteSectionGroupId),
        precondition: Precondition<Part>,
        patch: Input<SectionGroupPatch>,
    ) -> Result<Part, Error> {
        let part = ItemId::Group(id.clone());
        let (mut editing, patch) =
            Editing::open_part(&self.units, actor, organization, (site, &part), &precondition, patch).await?;
        editing.structure.update_group(id, patch)?;
        editing.end_with(part, StructureChange::Updated).await
    }

    /// Puts a section into a group, after all others in it. Returns the group.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Forbidden`]; [`Error::Invalid`] if there is no such section.
    pub async fn add_section_to_group(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        (site, id): (&SiteId, &SiteSectionGroupId),
        section: Input<SiteSectionId>,
    ) -> Result<Part, Error> {
        let mut editing = Editing::open(&self.units, actor, organization, site).await?;
        editing.structure.group(id).ok_or(Error::NotFound("site section group"))?;
        let section = section.read()?;
        let into = SectionPatch { group: Patch::Set(id.clone()), ..SectionPatch::default() };
        if !editing.structure.update_section(&section, into)? {
            return Err(Invalid::new("sectionId", "there is no such section on the site").into());
        }
        editing.end_with(ItemId::Group(id.clone()), StructureChange::Updated).await
    }

    /// Removes a group; its items take its place. Returns whether it existed.
    ///
    /// # Errors
    /// [`Error::Forbidden`], [`Error::PreconditionFailed`].
    pub async fn remove_section_group(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        (site, id): (&SiteId, &SiteSectionGroupId),
        precondition: Precondition<Part>,
    ) -> Result<bool, Error> {
        let part = ItemId::Group(id.clone());
        let remove = |structure: &mut Structure| drop(structure.remove_group(id));
        self.remove(actor, organization, site, &part, precondition, remove).await
    }

    /// Adds a link to a site with sections.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Forbidden`], [`Error::Invalid`].
    pub async fn add_link(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        id: &SiteId,
        new: Input<NewLink>,
    ) -> Result<Part, Error> {
        let mut editing = Editing::open(&self.units, actor, organization, id).await?;
        let NewLink { settings, parent } = new.read()?;
        let link = ExternalLink { id: editing.work.ids.make(), settings };
        let part = ItemId::Link(link.id.clone());
        editing.structure.add_item(Item::Link(link), parent.as_ref())?;
        editing.end_with(part, StructureChange::Added).await
    }

    /// Changes a link.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Forbidden`], [`Error::Invalid`], [`Error::PreconditionFailed`].
    pub async fn update_link(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        (site, id): (&SiteId, &SiteLinkId),
        precondition: Precondition<Part>,
        patch: Input<LinkPatch>,
    ) -> Result<Part, Error> {
        let part = ItemId::Link(id.clone());
        let (mut editing, patch) =
            Editing::open_part(&self.units, actor, organization, (site, &part), &precondition, patch).await?;
        editing.structure.update_link(&part, patch)?;
        editing.end_with(part, StructureChange::Updated).await
    }

    /// Removes a link. Returns whether it existed.
    ///
    /// # Errors
    /// [`Error::NotFound`] for the site, [`Error::Forbidden`], [`Error::PreconditionFailed`].
    pub async fn remove_link(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        (site, id): (&SiteId, &SiteLinkId),
        precondition: Precondition<Part>,
    ) -> Result<bool, Error> {
        let part = ItemId::Link(id.clone());
        let remove = |structure: &mut Structure| drop(structure.remove_link(&part));
        self.remove(actor, organization, site, &part, precondition, remove).await
    }
}
