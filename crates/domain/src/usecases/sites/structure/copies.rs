//! Copies of spaces on a site, and the first content of an empty site.
use super::sections::UNTITLED;
use super::{Editing, Linked};
use crate::access::Granted;
use crate::actor::Actor;
use crate::content::templates::Template;
use crate::event::StructureChange;
use crate::id::{OrganizationId, SiteId, SiteSpaceId};
use crate::site::path::SitePath;
use crate::site::structure::{
    ItemId, Localized, NewPlace, Section, SectionSettings, SiblingPosition, SiteSpace, SiteSpaceSettings, SiteTitle,
    Structure,
};
use crate::space::Space;
use crate::text::Rule;
use crate::usecases::content::Apply;
use crate::usecases::sites::{Part, SeenStructure, Sites};
use crate::usecases::spaces::{Copy, load_original};
use crate::usecases::{Error, Input};
use std::collections::BTreeMap;

/// The template of the space that fills an empty site.
const TEMPLATE: &str = "product-guide";

/// A copy on the same site, with its own path. It has the title of its space.
fn copied(original: &SiteSpace, id: SiteSpaceId, copy: &Space, path: SitePath) -> SiteSpace {
    let settings = SiteSpaceSettings {
        title: None,
        localized_title: Localized::default(),
        path,
        default: false,
        ..original.settings.clone()
    };
    SiteSpace { id, space: copy.id.clone(), settings }
}

impl Sites {
    /// Copies a space on a site: the space itself ([`Spaces::duplicate`](crate::usecases::Spaces::duplicate)), which
    /// the site then shows after the original. The copy of the only space of a section goes into a section of its own,
    /// after the original one.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Forbidden`] for the site, and if the caller may not create next to the space;
    /// [`Error::Invalid`].
    pub async fn duplicate_site_space(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        (site, id): (&SiteId, &SiteSpaceId),
        draft: Input<bool>,
    ) -> Result<Part, Error> {
        let (original, copy) = {
            let mut work = self.units.read(actor).await?;
            let site = work.site(organization, site, |may| may.create).await?;
            let structure = work.sites().structure(&site.id).await?;
            let seen = SeenStructure::of(&mut work, &site, structure).await?;
            let space = seen.structure.space(id).map(|(_, one)| one.space.clone());
            let space = load_original(&mut work, &space.ok_or(Error::NotFound("site space"))?).await?;
            (space.id.clone(), Copy::of(&mut work, &space).await?)
        };
        let mut editing = Editing::open_creating(&self.units, actor, organization, site).await?;
        let draft = draft.read()?;
        let there = editing.seen.structure.space(id).filter(|(_, one)| one.space == original).is_some();
        let found = editing.structure.space(id).filter(|_| there);
        let (section, one) = found.ok_or(Error::NotFound("site space"))?;
        let (section, one) = (section.cloned(), one.clone());
        // Locked in shared mode: the space cannot change while it is copied, but others can copy it too.
        editing.work.lock_shared(&[(&original).into()]).await?;
        let space = load_original(&mut editing.work, &original).await?;
        let copy = copy.make(&mut editing.work, &space).await?;
        match section.filter(|section| section.spaces.len() == 1) {
            Some(section) => editing.add_copied_section(&section, &one, &copy, draft).await,
            None => editing.add_copy(&one, &copy, draft).await,
        }
    }

    /// Fills a site without any spaces and sections: with a new space that has the pages of a template.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Forbidden`] for the site, and if the caller may not create in the organization;
    /// [`Error::Conflict`] if the site is not empty.
    pub async fn fill(&self, actor: &Actor, organization: &OrganizationId, site: &SiteId) -> Result<(), Error> {
        let mut editing = Editing::open_creating(&self.units, actor, organization, site).await?;
        if editing.structure != Structure::default() {
            return Err(Error::Conflict("the site is not empty: a template fills only a site without content".into()));
        }
        let template: Template = TEMPLATE.parse().map_err(|rule: Rule| Error::Corrupt(rule.0))?;
        let template = Apply { template, content_refs: BTreeMap::new() };
        let title = editing.site.title.clone();
        let space = editing.linked(Linked::New(Some(template)), Some(&title), None).await?;
        let path = editing.structure.free_space_path(&NewPlace::Default, space.title.as_str());
        let added = SiteSpace::new(editing.work.ids.make(), space.id.clone(), path);
        let part = ItemId::Space(added.id.clone());
        editing.structure.add_space(&NewPlace::Default, added)?;
        editing.end(&part, StructureChange::Added).await
    }
}

impl Editing<'_> {
    /// Adds the copy of a space after it.
    async fn add_copy(mut self, original: &SiteSpace, copy: &Granted<Space>, draft: bool) -> Result<Part, Error> {
        let section = self.structure.space(&original.id).and_then(|(section, _)| section);
        let place = section.map_or(NewPlace::Default, |section| NewPlace::Section(section.id.clone()));
        let path = self.structure.free_space_path(&place, copy.title.as_str());
        let mut added = copied(original, self.work.ids.make(), copy, path);
        added.settings.draft = draft;
        let part = ItemId::Space(added.id.clone());
        self.structure.add_space(&place, added)?;
        self.move_after(&part, ItemId::Space(original.id.clone()))?;
        self.end_with(part, StructureChange::Added).await
    }

    /// Adds the copy of the only space of a section, in a section of its own after that one.
    async fn add_copied_section(
        mut self,
        section: &Section,
        original: &SiteSpace,
        copy: &Granted<Space>,
        draft: bool,
    ) -> Result<Part, Error> {
        let title = SiteTitle::fitted(copy.title.as_str(), UNTITLED);
        let path = Structure::default().free_space_path(&NewPlace::Default, copy.title.as_str());
        let mut added = copied(original, self.work.ids.make(), copy, path);
        added.settings.draft = draft;
        let part = ItemId::Space(added.id.clone());
        let settings = SectionSettings {
            path: self.structure.free_section_path(title.as_str()),
            title,
            localized_title: Localized::default(),
            default: false,
            draft,
            ..section.settings.clone()
        };
        let new = Section { id: self.work.ids.make(), settings, spaces: vec![added] };
        let (new_id, old_id) = (ItemId::Section(new.id.clone()), ItemId::Section(section.id.clone()));
        let group = self.structure.parent(&old_id).map(|group| group.id.clone());
        self.structure.add_section(new, group.as_ref(), None)?;
        self.move_after(&new_id, old_id)?;
        self.end_with(part, StructureChange::Added).await
    }

    fn move_after(&mut self, id: &ItemId, other: ItemId) -> Result<(), Error> {
        let beside = SiblingPosition { before: None, after: Some(other) };
        self.structure.sort(id, &beside, |_| true)?;
        Ok(())
    }
}
