//! Former names and paths. They refer to an object by its id, so they lead to its current address in one step.
//!
//! The object that has a name now always takes precedence over one that had it before. Of two that had it, the last one
//! takes precedence. A name whose object is deleted leads nowhere.
use super::path::Basename;
use super::structure::Structure;
use crate::id::{SiteId, SiteSectionId, SiteSpaceId};
use std::collections::BTreeMap;

/// A former name in addresses of sites. A former default had no name: see [`FormerName::was_default`].
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FormerName {
    /// The scope in which the name was unique: the id of the section for spaces in a section, the id of the site for
    /// sections and for other spaces, and empty for basenames.
    pub scope: String,
    /// The name.
    pub name: String,
    /// The id of the object that had it: a site, a section or a space on a site.
    pub item: String,
}

impl FormerName {
    /// A basename that a site had.
    pub fn basename(site: &SiteId, name: &Basename) -> Self {
        Self { scope: String::new(), name: name.to_string(), item: site.to_string() }
    }

    /// The names that the parts of a site no longer have after a change of its structure. A removed part is left out:
    /// its name leads nowhere.
    pub fn left(site: &SiteId, before: &Structure, after: &Structure) -> Vec<Self> {
        let mut left = Vec::new();
        for old in before.sections() {
            let renamed = after.section(&old.id).is_some_and(|new| new.settings.path != old.settings.path);
            left.extend(renamed.then(|| Self {
                scope: site.to_string(),
                name: old.settings.path.to_string(),
                item: old.id.to_string(),
            }));
        }
        for (section, old) in before.spaces() {
            let renamed = after.space(&old.id).is_some_and(|(_, new)| new.settings.path != old.settings.path);
            let scope = || section.map_or_else(|| site.to_string(), |section| section.id.to_string());
            left.extend(renamed.then(|| Self {
                scope: scope(),
                name: old.settings.path.to_string(),
                item: old.id.to_string(),
            }));
        }
        left.extend(Self::defaults_left(site, before, after));
        left
    }

    /// The defaults that have a segment after a change of the structure: they had none before.
    fn defaults_left(site: &SiteId, before: &Structure, after: &Structure) -> Vec<Self> {
        let mut left = Vec::new();
        let (old, new) = (Defaults::of(before), Defaults::of(after));
        if old.section != new.section
            && let Some(section) = old.section.filter(|section| after.section(section).is_some())
        {
            left.push(Self::default(site.to_string(), section.to_string()));
        }
        for (section, space) in old.spaces {
            let Some((now, _)) = after.space(&space) else { continue };
            let now = now.map(|section| section.id.clone());
            if new.spaces.get(&now) != Some(&space) {
                let scope = section.map_or_else(|| site.to_string(), |section| section.to_string());
                left.push(Self::default(scope, space.to_string()));
            }
        }
        left
    }

    /// A former default. Its name is unique, because several siblings can have been the default.
    fn default(scope: String, item: String) -> Self {
        Self { scope, name: format!("{DEFAULT}{item}"), item }
    }

    /// Whether it is a former default. A default has no segment in addresses.
    pub fn was_default(&self) -> bool {
        self.name.starts_with(DEFAULT)
    }
}

/// The start of names that are no segments: no segment begins so.
const DEFAULT: char = '~';

/// The parts without a segment in the addresses of a site.
struct Defaults {
    /// The default section.
    section: Option<SiteSectionId>,
    /// The default spaces, by their section.
    spaces: BTreeMap<Option<SiteSectionId>, SiteSpaceId>,
}

impl Defaults {
    fn of(structure: &Structure) -> Self {
        let live = structure.clone().live(|_| true);
        let spaces = live.spaces().into_iter().filter(|(_, space)| space.settings.default);
        Self {
            section: live.default_section().map(|section| section.id.clone()),
            spaces: spaces
                .map(|(section, space)| (section.map(|section| section.id.clone()), space.id.clone()))
                .collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::site::structure::{Item, Section, SectionSettings, SiteSpace};

    #[test]
    fn only_a_renamed_part_has_a_former_name() {
        let space = |id: &str, path: &str| {
            SiteSpace::new(id.parse().unwrap(), format!("space-{id}").parse().unwrap(), path.parse().unwrap())
        };
        let section = |id: &str, path: &str, spaces: Vec<SiteSpace>| {
            let settings = SectionSettings::new("Title".parse().unwrap(), path.parse().unwrap());
            Item::Section(Section { id: id.parse().unwrap(), settings, spaces })
        };
        let site: SiteId = "site".parse().unwrap();
        let before = Structure::Sections(vec![
            section("s1", "guides", vec![space("v1", "old"), space("v2", "new")]),
            section("s2", "api", vec![space("v3", "rest")]),
        ]);
        let after =
            Structure::Sections(vec![section("s1", "handbook", vec![space("v1", "classic"), space("v2", "new")])]);
        let left = FormerName::left(&site, &before, &after);
        let named = |scope: &str, name: &str, item: &str| FormerName {
            scope: scope.to_owned(),
            name: name.to_owned(),
            item: item.to_owned(),
        };
        assert_eq!(left, [named("site", "guides", "s1"), named("s1", "old", "v1")]);
        let (flat, renamed) = (Structure::Spaces(vec![space("v1", "a")]), Structure::Spaces(vec![space("v1", "b")]));
        assert_eq!(FormerName::left(&site, &flat, &renamed), [named("site", "a", "v1")]);
        assert_eq!(FormerName::left(&site, &flat, &flat), []);
    }

    #[test]
    fn a_former_default_is_found_without_its_segment() {
        let space = |id: &str, default: bool| {
            let mut space =
                SiteSpace::new(id.parse().unwrap(), format!("space-{id}").parse().unwrap(), id.parse().unwrap());
            space.settings.default = default;
            space
        };
        let section = |id: &str, default: bool, spaces: Vec<SiteSpace>| {
            let mut settings = SectionSettings::new("Title".parse().unwrap(), id.parse().unwrap());
            settings.default = default;
            Item::Section(Section { id: id.parse().unwrap(), settings, spaces })
        };
        let site: SiteId = "site".parse().unwrap();
        let left = |before: &[Item], after: &[Item]| {
            let [before, after] = [before, after].map(|items| Structure::Sections(items.to_vec()));
            let left = FormerName::left(&site, &before, &after);
            left.into_iter().map(|left| (left.scope.clone(), left.item.clone(), left.was_default())).collect::<Vec<_>>()
        };
        let named = |scope: &str, item: &str| (scope.to_owned(), item.to_owned(), true);
        let one = section("one", true, vec![space("a", true), space("b", false)]);
        let two = section("two", false, vec![space("c", true)]);
        let other = |section: Item, is: bool| match section {
            Item::Section(mut section) => {
                section.settings.default = is;
                Item::Section(section)
            }
            item => item,
        };
        let both = [one.clone(), two.clone()];
        assert_eq!(left(&both, &both), []);
        assert_eq!(left(&both, &[other(one, false), other(two.clone(), true)]), [named("site", "one")]);
        let turned = section("one", true, vec![space("a", false), space("b", true)]);
        assert_eq!(left(&both, &[turned, two.clone()]), [named("one", "a")]);
        let without = section("one", true, vec![space("b", true)]);
        assert_eq!(left(&both, &[without, two]), [], "what is gone leads nowhere");
    }
}
