//! Changes of a structure.
use super::{
    ExternalLink, Item, ItemId, LinkPatch, MAX_GROUP_DEPTH, MAX_GROUPS, MAX_SECTIONS, MAX_SPACES, Section,
    SectionGroup, SectionGroupPatch, SectionPatch, SiteSpace, SiteSpacePatch, Structure, find, list_with,
    live_sections, sections, sections_mut,
};
use crate::id::{PageId, SiteSectionGroupId, SiteSectionId, SiteSpaceId, SpaceId};
use crate::patch::Patch;
use crate::site::path::SitePath;
use crate::text::Invalid;

/// The place of a new space.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum NewPlace {
    /// Into the default section, or onto the site if it has no sections.
    #[default]
    Default,
    /// Into a section.
    Section(SiteSectionId),
}

fn full(field: &str, what: &str, max: usize) -> Invalid {
    Invalid::new(field, format!("a site can have at most {max} {what}"))
}

fn taken(path: &SitePath) -> Invalid {
    Invalid::new("path", format!("{path} is the path of a sibling"))
}

/// The items of a group; the top level if there is no group.
fn items_of<'a>(items: &'a mut Vec<Item>, group: Option<&SiteSectionGroupId>) -> Option<&'a mut Vec<Item>> {
    let Some(group) = group else { return Some(items) };
    items.iter_mut().find_map(|item| match item {
        Item::Group(found) => {
            if found.id == *group {
                return Some(&mut found.items);
            }
            items_of(&mut found.items, Some(group))
        }
        _ => None,
    })
}

/// The number of levels of groups below these items.
fn depth(items: &[Item]) -> usize {
    let levels = items.iter().map(|item| match item {
        Item::Group(group) => 1 + depth(&group.items),
        _ => 0,
    });
    levels.max().unwrap_or(0)
}

impl Structure {
    /// A path for a new section, made from its title.
    pub fn free_section_path(&self, title: &str) -> SitePath {
        self.free_section_path_beside(title, &[])
    }

    /// A path for a new section that is also none of `others`.
    pub fn free_section_path_beside(&self, title: &str, others: &[SitePath]) -> SitePath {
        let sections = self.sections();
        let known = || sections.iter().map(|one| &one.settings.path).chain(others);
        SitePath::free(title, "section", |name| known().any(|path| path.as_str() == name))
    }

    /// A path for a new space among its siblings, made from its title.
    pub fn free_space_path(&self, place: &NewPlace, title: &str) -> SitePath {
        let siblings = self.siblings(place);
        SitePath::free(title, "docs", |name| siblings.iter().any(|one| one.settings.path.as_str() == name))
    }

    fn siblings(&self, place: &NewPlace) -> &[SiteSpace] {
        match (self, place) {
            (Self::Spaces(spaces), _) => spaces,
            (_, NewPlace::Default) => self.default_section().map_or(&[], |section| &section.spaces),
            (_, NewPlace::Section(id)) => self.section(id).map_or(&[], |section| &section.spaces),
        }
    }

    /// The list of spaces at this place.
    fn list(&mut self, place: &NewPlace) -> Option<&mut Vec<SiteSpace>> {
        match self {
            Self::Spaces(spaces) => matches!(place, NewPlace::Default).then_some(spaces),
            Self::Sections(items) => {
                let wanted = |section: &&mut Section| match place {
                    NewPlace::Default => section.settings.default,
                    NewPlace::Section(id) => section.id == *id,
                };
                sections_mut(items).into_iter().find(wanted).map(|section| &mut section.spaces)
            }
        }
    }

    /// Whether a space, starting with this page, is on the site, except for the part `besides`.
    fn has(&self, space: &SpaceId, page: Option<&PageId>, besides: &SiteSpaceId) -> bool {
        self.spaces()
            .into_iter()
            .any(|(_, one)| one.space == *space && one.settings.page.as_ref() == page && one.id != *besides)
    }

    fn check_space(&self, space: &SiteSpace) -> Result<(), Invalid> {
        match self.has(&space.space, space.settings.page.as_ref(), &space.id) {
            true => Err(Invalid::new("spaceId", "the space is on the site already")),
            false => Ok(()),
        }
    }

    /// Adds a space after all others at its place.
    ///
    /// # Errors
    /// [`Invalid`] if there is no such section, if the space is on the site already, or if there are [`MAX_SPACES`].
    pub fn add_space(&mut self, place: &NewPlace, space: SiteSpace) -> Result<(), Invalid> {
        self.check_space(&space)?;
        let absent = || Invalid::new("sectionId", "there is no such section on the site");
        let list = self.list(place).ok_or_else(absent)?;
        if list.len() >= MAX_SPACES {
            return Err(Invalid::new("spaceId", format!("there can be at most {MAX_SPACES} spaces beside each other")));
        }
        if list.iter().any(|other| other.settings.path == space.settings.path) {
            return Err(taken(&space.settings.path));
        }
        list.push(space);
        self.settle(0, 0);
        Ok(())
    }

    /// Adds a section with its spaces after all others in a group, or at the top level. The spaces of a site without
    /// sections become `home`, its first and default section.
    ///
    /// # Errors
    /// [`Invalid`] if there is no such group, if a space is on the site already, or if there are [`MAX_SECTIONS`].
    pub fn add_section(
        &mut self,
        section: Section,
        group: Option<&SiteSectionGroupId>,
        home: Option<Section>,
    ) -> Result<(), Invalid> {
        for space in &section.spaces {
            self.check_space(space)?;
        }
        let mut next = match self {
            Self::Spaces(spaces) if spaces.is_empty() => Vec::new(),
            Self::Spaces(spaces) => {
                let home = home.ok_or_else(|| Invalid::new("title", "the spaces of the site need a section too"))?;
                vec![Item::Section(Section { spaces: spaces.clone(), ..home })]
            }
            Self::Sections(items) => items.clone(),
        };
        if sections(&next).len() >= MAX_SECTIONS {
            return Err(full("title", "sections", MAX_SECTIONS));
        }
        if sections(&next).iter().any(|other| other.settings.path == section.settings.path) {
            return Err(taken(&section.settings.path));
        }
        let absent = || Invalid::new("siteSectionGroupId", "there is no such group on the site");
        items_of(&mut next, group).ok_or_else(absent)?.push(Item::Section(section));
        *self = Self::Sections(next);
        self.settle(0, 0);
        Ok(())
    }

    /// Adds a group or a link after all others in a group, or at the top level.
    ///
    /// # Errors
    /// [`Invalid`] if the site has no sections, if there is no such parent, or if a limit is reached.
    pub fn add_item(&mut self, item: Item, parent: Option<&SiteSectionGroupId>) -> Result<(), Invalid> {
        let Self::Sections(items) = self else {
            return Err(Invalid::new(
                "title",
                "only a site with sections can have groups and links: add a section first",
            ));
        };
        let mut next = items.clone();
        let absent = || Invalid::new("parent", "there is no such group on the site");
        items_of(&mut next, parent).ok_or_else(absent)?.push(item);
        self.accept(next, "parent")
    }

    /// Stores changed items if they are within the limits. `parent` is the field that names the group of an item.
    fn accept(&mut self, items: Vec<Item>, parent: &str) -> Result<(), Invalid> {
        if depth(&items) > MAX_GROUP_DEPTH {
            return Err(Invalid::new(parent, format!("groups can be nested at most {MAX_GROUP_DEPTH} deep")));
        }
        let next = Self::Sections(items);
        if next.groups().len() > MAX_GROUPS {
            return Err(full("title", "groups", MAX_GROUPS));
        }
        if next.links().len() > MAX_GROUPS {
            return Err(full("title", "links", MAX_GROUPS));
        }
        *self = next;
        self.settle(0, 0);
        Ok(())
    }

    /// All links.
    pub fn links(&self) -> Vec<&ExternalLink> {
        fn below(items: &[Item]) -> Vec<&ExternalLink> {
            items
                .iter()
                .flat_map(|item| match item {
                    Item::Link(link) => vec![link],
                    Item::Group(group) => below(&group.items),
                    Item::Section(_) => Vec::new(),
                })
                .collect()
        }
        match self {
            Self::Spaces(_) => Vec::new(),
            Self::Sections(items) => below(items),
        }
    }

    /// Moves an item into a group, or to the top level, after all others there.
    ///
    /// # Errors
    /// [`Invalid`] for `field` if there is no such group, if it is inside the item, or if groups are nested too deeply.
    fn put(&mut self, id: &ItemId, parent: Patch<SiteSectionGroupId>, field: &str) -> Result<(), Invalid> {
        let parent = match parent {
            Patch::Keep => return Ok(()),
            Patch::Clear => None,
            Patch::Set(parent) => Some(parent),
        };
        if self.parent(id).map(|group| &group.id) == parent.as_ref() {
            return Ok(());
        }
        let Self::Sections(items) = self else { return Ok(()) };
        let mut next = items.clone();
        let wanted = |item: &Item| item.id() == *id;
        let taken_out = list_with(&mut next, &wanted).and_then(|list| {
            let at = list.iter().position(wanted)?;
            Some(list.remove(at))
        });
        let Some(moving) = taken_out else { return Ok(()) };
        let absent = || Invalid::new(field, "there is no such group outside the item");
        items_of(&mut next, parent.as_ref()).ok_or_else(absent)?.push(moving);
        self.accept(next, field)
    }

    /// Changes a space. Returns whether it exists.
    ///
    /// # Errors
    /// [`Invalid`] if the path is the one of a sibling, or if the new space is on the site already.
    pub fn update_space(&mut self, id: &SiteSpaceId, patch: SiteSpacePatch) -> Result<bool, Invalid> {
        let Some((section, space)) = self.space(id) else { return Ok(false) };
        let place = section.map_or(NewPlace::Default, |section| NewPlace::Section(section.id.clone()));
        let (before, mut space) = (space.clone(), space.clone());
        space.update(patch);
        if (&space.space, &space.settings.page) != (&before.space, &before.settings.page) {
            self.check_space(&space)?;
        }
        let siblings = self.siblings(&place);
        if siblings.iter().any(|other| other.id != *id && other.settings.path == space.settings.path) {
            return Err(taken(&space.settings.path));
        }
        let at = siblings.iter().position(|one| one.id == *id).unwrap_or_default();
        if let Some(slot) = self.list(&place).and_then(|list| list.get_mut(at)) {
            *slot = space;
        }
        self.settle(0, at);
        Ok(true)
    }

    /// Changes a section. Returns whether it exists.
    ///
    /// # Errors
    /// [`Invalid`] if the path is the one of another section, if the default space is not in it, or if there is no such
    /// group.
    pub fn update_section(&mut self, id: &SiteSectionId, patch: SectionPatch) -> Result<bool, Invalid> {
        let mut next = self.clone();
        let Self::Sections(items) = &mut next else { return Ok(false) };
        let mut all = sections_mut(items);
        let Some(at) = all.iter().position(|section| section.id == *id) else { return Ok(false) };
        let paths: Vec<SitePath> = all.iter().map(|section| section.settings.path.clone()).collect();
        let section = &mut all[at];
        if let Some(default) = &patch.default_space {
            set_default(&mut section.spaces, default, "defaultSiteSpace")?;
        }
        let group = patch.group.clone();
        section.settings.update(patch);
        let path = &section.settings.path;
        if paths.iter().enumerate().any(|(other, one)| other != at && one == path) {
            return Err(taken(path));
        }
        next.settle(at, 0);
        next.put(&ItemId::Section(id.clone()), group, "siteSectionGroupId")?;
        *self = next;
        Ok(true)
    }

    /// Changes a group. Returns whether it exists.
    ///
    /// # Errors
    /// [`Invalid`] if there is no such parent, or if groups would be nested too deeply.
    pub fn update_group(&mut self, id: &SiteSectionGroupId, patch: SectionGroupPatch) -> Result<bool, Invalid> {
        let mut next = self.clone();
        let Some(group) = next.group_mut(id) else { return Ok(false) };
        let parent = patch.parent.clone();
        group.settings.update(patch);
        next.settle(0, 0);
        next.put(&ItemId::Group(id.clone()), parent, "parentSectionGroupId")?;
        *self = next;
        Ok(true)
    }

    fn group_mut(&mut self, id: &SiteSectionGroupId) -> Option<&mut SectionGroup> {
        let Self::Sections(items) = self else { return None };
        let wanted = |item: &Item| matches!(item, Item::Group(group) if group.id == *id);
        list_with(items, &wanted)?.iter_mut().find_map(|item| match item {
            Item::Group(group) if group.id == *id => Some(group),
            _ => None,
        })
    }

    /// Changes a link. Returns whether it exists.
    ///
    /// # Errors
    /// [`Invalid`] if there is no such parent.
    pub fn update_link(&mut self, id: &ItemId, patch: LinkPatch) -> Result<bool, Invalid> {
        let mut next = self.clone();
        let Self::Sections(items) = &mut next else { return Ok(false) };
        let wanted = |item: &Item| matches!(item, Item::Link(_)) && item.id() == *id;
        let link = list_with(items, &wanted).and_then(|list| list.iter_mut().find(|item| item.id() == *id));
        let Some(Item::Link(link)) = link else { return Ok(false) };
        let parent = patch.parent.clone();
        link.settings.update(patch);
        next.put(id, parent, "parent")?;
        *self = next;
        Ok(true)
    }

    /// Makes a section the default of the site.
    ///
    /// # Errors
    /// [`Invalid`] if there is no such section, or if it or a group around it is a draft.
    pub fn set_default_section(&mut self, id: &SiteSectionId) -> Result<(), Invalid> {
        let field = "defaultSiteSection";
        let Self::Sections(items) = self else { return Err(Invalid::new(field, "the site has no sections")) };
        let live = live_sections(items);
        let mut all = sections_mut(items);
        let Some(at) = all.iter().position(|section| section.id == *id) else {
            return Err(Invalid::new(field, "there is no such section on the site"));
        };
        if !live[at] {
            return Err(Invalid::new(field, "a draft cannot be the default, nor what is in one"));
        }
        for (other, section) in all.iter_mut().enumerate() {
            section.settings.default = other == at;
        }
        Ok(())
    }

    /// Makes a space the default of the default section, or of a site without sections.
    ///
    /// # Errors
    /// [`Invalid`] if there is no such space, or if it is a draft.
    pub fn set_default_space(&mut self, id: &SiteSpaceId) -> Result<(), Invalid> {
        let field = "defaultSiteSpace";
        match self.list(&NewPlace::Default) {
            Some(spaces) => set_default(spaces, id, field),
            None => Err(Invalid::new(field, "the site has no spaces")),
        }
    }

    /// Removes a space from the site. Returns it.
    pub fn remove_space(&mut self, id: &SiteSpaceId) -> Option<SiteSpace> {
        let (section, _) = self.space(id)?;
        let place = section.map_or(NewPlace::Default, |section| NewPlace::Section(section.id.clone()));
        let list = self.list(&place)?;
        let at = list.iter().position(|space| space.id == *id)?;
        let removed = list.remove(at);
        self.settle(0, at);
        Some(removed)
    }

    /// Removes a section from the site, with its spaces. Removing the last section also removes all groups and links.
    pub fn remove_section(&mut self, id: &SiteSectionId) -> Option<Section> {
        let at = self.sections().iter().position(|section| section.id == *id)?;
        let removed = match self.take(&ItemId::Section(id.clone()))? {
            Item::Section(section) => section,
            _ => return None,
        };
        if self.sections().is_empty() {
            *self = Self::default();
        }
        self.settle(at, 0);
        Some(removed)
    }

    /// Removes a group. Its items take its place.
    pub fn remove_group(&mut self, id: &SiteSectionGroupId) -> Option<SectionGroup> {
        let Self::Sections(items) = self else { return None };
        let wanted = |item: &Item| matches!(item, Item::Group(group) if group.id == *id);
        let list = list_with(items, &wanted)?;
        let at = list.iter().position(wanted)?;
        let Item::Group(mut group) = list.remove(at) else { return None };
        let inside = std::mem::take(&mut group.items);
        list.splice(at..at, inside);
        self.settle(0, 0);
        Some(group)
    }

    /// Removes a link.
    pub fn remove_link(&mut self, id: &ItemId) -> Option<ExternalLink> {
        match self.item(id)? {
            Item::Link(_) => match self.take(id)? {
                Item::Link(link) => Some(link),
                _ => None,
            },
            _ => None,
        }
    }

    fn take(&mut self, id: &ItemId) -> Option<Item> {
        let Self::Sections(items) = self else { return None };
        let wanted = |item: &Item| item.id() == *id;
        find(items, &wanted)?;
        let list = list_with(items, &wanted)?;
        let at = list.iter().position(wanted)?;
        Some(list.remove(at))
    }
}

/// Makes one of these spaces the default.
fn set_default(spaces: &mut [SiteSpace], id: &SiteSpaceId, field: &str) -> Result<(), Invalid> {
    match spaces.iter().find(|space| space.id == *id) {
        None => Err(Invalid::new(field, "there is no such space there")),
        Some(space) if space.settings.draft => Err(Invalid::new(field, "a draft cannot be the default")),
        Some(_) => {
            for space in spaces {
                space.settings.default = space.id == *id;
            }
            Ok(())
        }
    }
}
