//! The structure of a site: its spaces, in sections or without, groups of sections, and links.
//!
//! The rules apply to the whole structure: if there are sections, exactly one is the default; so is one space of each
//! list; and paths are unique among siblings. Every change is a method of [`Structure`], which maintains the rules.
mod change;
mod drafts;
mod item;
mod scope;
mod sort;

pub use change::NewPlace;
pub use item::{
    ExternalLink, Item, ItemId, LinkPatch, LinkSettings, Localized, PartSettings, Section, SectionGroup,
    SectionGroupPatch, SectionGroupSettings, SectionGroupTitle, SectionPatch, SectionSettings, SiteDescription,
    SiteSpace, SiteSpacePatch, SiteSpaceSettings, SiteTitle,
};
pub use scope::{ScopeRestriction, SiteScope};
pub use sort::SiblingPosition;

use super::adaptive_schema::VisitorClaims;
use super::condition::{Condition, ConditionScope};
use crate::content::expression::Variables;
use crate::id::{SiteSectionGroupId, SiteSectionId, SiteSpaceId, SpaceId};
use std::collections::BTreeSet;

/// The maximum number of sections of a site (Octavo's own limits, as all here).
pub const MAX_SECTIONS: usize = 100;
/// The maximum number of groups, and of links, of a site.
pub const MAX_GROUPS: usize = 100;
/// The maximum nesting depth of groups.
pub const MAX_GROUP_DEPTH: usize = 3;
/// The maximum number of spaces in a section, or on a site without sections.
pub const MAX_SPACES: usize = 100;

/// The structure of a site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Structure {
    /// A site without sections: its spaces, which are variants of each other.
    Spaces(Vec<SiteSpace>),
    /// A site with sections: sections, groups and links, in order.
    Sections(Vec<Item>),
}

impl Default for Structure {
    fn default() -> Self {
        Self::Spaces(Vec::new())
    }
}

/// All sections below these items, in order.
fn sections(items: &[Item]) -> Vec<&Section> {
    items
        .iter()
        .flat_map(|item| match item {
            Item::Section(section) => vec![section],
            Item::Group(group) => sections(&group.items),
            Item::Link(_) => Vec::new(),
        })
        .collect()
}

/// All sections below these items, in order.
fn sections_mut(items: &mut [Item]) -> Vec<&mut Section> {
    items
        .iter_mut()
        .flat_map(|item| match item {
            Item::Section(section) => vec![section],
            Item::Group(group) => sections_mut(&mut group.items),
            Item::Link(_) => Vec::new(),
        })
        .collect()
}

/// The list that contains the item for which `wanted` is true: `items` itself, or the items of a group in it.
fn list_with<'a>(items: &'a mut Vec<Item>, wanted: &impl Fn(&Item) -> bool) -> Option<&'a mut Vec<Item>> {
    if items.iter().any(wanted) {
        return Some(items);
    }
    items.iter_mut().find_map(|item| match item {
        Item::Group(group) => list_with(&mut group.items, wanted),
        _ => None,
    })
}

/// The first item below these for which `wanted` is true.
fn find<'a>(items: &'a [Item], wanted: &impl Fn(&Item) -> bool) -> Option<&'a Item> {
    items.iter().find_map(|item| match item {
        found if wanted(found) => Some(found),
        Item::Group(group) => find(&group.items, wanted),
        _ => None,
    })
}

/// A part that can be the default among its siblings.
trait Candidate {
    fn is_default(&self) -> bool;
    fn set_default(&mut self, default: bool);
}

impl Candidate for SiteSpace {
    fn is_default(&self) -> bool {
        self.settings.default
    }
    fn set_default(&mut self, default: bool) {
        self.settings.default = default;
    }
}

impl Candidate for Section {
    fn is_default(&self) -> bool {
        self.settings.default
    }
    fn set_default(&mut self, default: bool) {
        self.settings.default = default;
    }
}

/// For each section below these items, in order, whether it is live: neither it nor a group around it is a draft.
fn live_sections(items: &[Item]) -> Vec<bool> {
    items
        .iter()
        .flat_map(|item| match item {
            Item::Section(section) => vec![!section.settings.draft],
            Item::Group(group) if group.settings.draft => vec![false; sections(&group.items).len()],
            Item::Group(group) => live_sections(&group.items),
            Item::Link(_) => Vec::new(),
        })
        .collect()
}

/// Makes exactly one of these, each with whether it is live, the default: the present default if it is live, else the
/// next one in order, from `from` on, that is. If none is live, the present default or the first one stays.
fn settle<'a, T: Candidate + 'a>(list: impl Iterator<Item = (&'a mut T, bool)>, from: usize) {
    let mut list: Vec<(&mut T, bool)> = list.collect();
    let present = list.iter().position(|(one, _)| one.is_default());
    let live = |at: &usize| list[*at].1;
    let start = present.unwrap_or(if from < list.len() { from } else { 0 });
    let chosen = (start..list.len()).chain(0..start).find(live).or(present).unwrap_or(0);
    for (at, (one, _)) in list.iter_mut().enumerate() {
        one.set_default(at == chosen);
    }
}

/// [`settle`] for spaces beside each other.
fn settle_spaces(spaces: &mut [SiteSpace], from: usize) {
    let with_live = spaces.iter_mut().map(|space| {
        let live = !space.settings.draft;
        (space, live)
    });
    settle(with_live, from);
}

impl Structure {
    /// Whether the site has sections.
    pub fn has_sections(&self) -> bool {
        matches!(self, Self::Sections(_))
    }

    /// All sections, in order.
    pub fn sections(&self) -> Vec<&Section> {
        match self {
            Self::Spaces(_) => Vec::new(),
            Self::Sections(items) => sections(items),
        }
    }

    /// All groups, each after the one that contains it.
    pub fn groups(&self) -> Vec<&SectionGroup> {
        fn below(items: &[Item]) -> Vec<&SectionGroup> {
            let groups = items.iter().filter_map(|item| match item {
                Item::Group(group) => Some(group),
                _ => None,
            });
            groups.flat_map(|group| std::iter::once(group).chain(below(&group.items))).collect()
        }
        match self {
            Self::Spaces(_) => Vec::new(),
            Self::Sections(items) => below(items),
        }
    }

    /// All spaces with the section that each is in, in order.
    pub fn spaces(&self) -> Vec<(Option<&Section>, &SiteSpace)> {
        match self {
            Self::Spaces(spaces) => spaces.iter().map(|space| (None, space)).collect(),
            Self::Sections(items) => sections(items)
                .into_iter()
                .flat_map(|section| section.spaces.iter().map(move |space| (Some(section), space)))
                .collect(),
        }
    }

    /// The ids of the linked spaces, each once.
    pub fn space_ids(&self) -> Vec<SpaceId> {
        let ids: BTreeSet<&SpaceId> = self.spaces().into_iter().map(|(_, space)| &space.space).collect();
        ids.into_iter().cloned().collect()
    }

    /// A space, with the section that it is in.
    pub fn space(&self, id: &SiteSpaceId) -> Option<(Option<&Section>, &SiteSpace)> {
        self.spaces().into_iter().find(|(_, space)| space.id == *id)
    }

    /// A section.
    pub fn section(&self, id: &SiteSectionId) -> Option<&Section> {
        self.sections().into_iter().find(|section| section.id == *id)
    }

    /// A group.
    pub fn group(&self, id: &SiteSectionGroupId) -> Option<&SectionGroup> {
        self.groups().into_iter().find(|group| group.id == *id)
    }

    /// The default section.
    pub fn default_section(&self) -> Option<&Section> {
        self.sections().into_iter().find(|section| section.settings.default)
    }

    /// An item of the top level or of a group.
    pub fn item(&self, id: &ItemId) -> Option<&Item> {
        match self {
            Self::Spaces(_) => None,
            Self::Sections(items) => find(items, &|item| item.id() == *id),
        }
    }

    /// The settings of a part; `None` if it is not there.
    pub fn settings(&self, id: &ItemId) -> Option<PartSettings<'_>> {
        if let ItemId::Space(id) = id {
            let (_, one) = self.space(id)?;
            return Some(PartSettings::Space { space: &one.space, settings: &one.settings });
        }
        Some(match self.item(id)? {
            Item::Section(section) => PartSettings::Section(&section.settings),
            Item::Group(group) => PartSettings::Group(&group.settings),
            Item::Link(link) => PartSettings::Link(&link.settings),
        })
    }

    /// The group that contains an item; `None` at the top level.
    pub fn parent(&self, id: &ItemId) -> Option<&SectionGroup> {
        self.groups().into_iter().find(|group| group.items.iter().any(|item| item.id() == *id))
    }

    /// The structure without the spaces for which `keep` is false. Sections stay, also without spaces.
    #[must_use]
    pub fn with_spaces(mut self, keep: impl Fn(&SiteSpace) -> bool) -> Self {
        match &mut self {
            Self::Spaces(spaces) => spaces.retain(keep),
            Self::Sections(items) => {
                for section in sections_mut(items) {
                    section.spaces.retain(&keep);
                }
            }
        }
        self.settle(0, 0);
        self
    }

    /// The live part of the structure: without drafts, without deleted spaces (`there` returns false), and without the
    /// sections and groups that this leaves empty. The defaults are chosen among the rest.
    #[must_use]
    pub fn live(self, there: impl Fn(&SiteSpace) -> bool) -> Self {
        fn live(items: Vec<Item>) -> Vec<Item> {
            let live = |item: Item| match item {
                Item::Section(section) => {
                    (!section.settings.draft && !section.spaces.is_empty()).then_some(Item::Section(section))
                }
                Item::Group(mut group) => {
                    group.items = live(group.items);
                    (!group.settings.draft && !group.items.is_empty()).then_some(Item::Group(group))
                }
                Item::Link(link) => (!link.settings.draft).then_some(Item::Link(link)),
            };
            items.into_iter().filter_map(live).collect()
        }
        let mut rest = match self.with_spaces(|space| !space.settings.draft && there(space)) {
            Self::Sections(items) => Self::Sections(live(items)),
            spaces => spaces,
        };
        rest.settle(0, 0);
        rest
    }

    /// The part that a visitor with these claims sees: without parts whose condition is false, and without the sections
    /// and groups that this leaves empty. The defaults are chosen among the rest.
    #[must_use]
    pub fn for_visitor(self, claims: &VisitorClaims) -> Self {
        fn seen(items: Vec<Item>, holds: &impl Fn(Option<&Condition>) -> bool) -> Vec<Item> {
            let seen = |item: Item| match item {
                Item::Section(section) => {
                    let shown = holds(section.settings.condition.as_ref()) && !section.spaces.is_empty();
                    shown.then_some(Item::Section(section))
                }
                Item::Group(mut group) => {
                    group.items = seen(group.items, holds);
                    (!group.items.is_empty()).then_some(Item::Group(group))
                }
                Item::Link(link) => holds(link.settings.condition.as_ref()).then_some(Item::Link(link)),
            };
            items.into_iter().filter_map(seen).collect()
        }
        let nothing = Variables::default();
        let scope = ConditionScope::new(claims, &nothing, &nothing);
        let holds = |condition: Option<&Condition>| condition.is_none_or(|one| one.compile().holds(&scope));
        let mut rest = match self.with_spaces(|space| holds(space.settings.condition.as_ref())) {
            Self::Sections(items) => Self::Sections(seen(items, &holds)),
            spaces => spaces,
        };
        rest.settle(0, 0);
        rest
    }

    /// Keeps the rule of defaults after a change of a section or of a space at these positions.
    fn settle(&mut self, section: usize, space: usize) {
        match self {
            Self::Spaces(spaces) => settle_spaces(spaces, space),
            Self::Sections(items) => {
                for section in sections_mut(items) {
                    settle_spaces(&mut section.spaces, space);
                }
                let live = live_sections(items);
                settle(sections_mut(items).into_iter().zip(live), section);
            }
        }
    }
}

#[cfg(test)]
mod tests;
