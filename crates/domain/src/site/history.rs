//! Names and paths of before, and what they lead to. They lead to a thing by its id, so to wherever it is now, in one step.
//!
//! What has a name now always wins over what had it before. Of two that had it, the last one wins. A name whose thing is
//! deleted leads nowhere.
use super::path::Basename;
use super::structure::Structure;
use crate::id::SiteId;
use std::collections::HashMap;
use std::hash::Hash;

/// A name that something had in addresses of sites.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FormerName {
    /// Where the name was unique: the id of the site for sections and for spaces beside each other, the id of the section
    /// for the spaces in it; empty for basenames.
    pub scope: String,
    /// The name.
    pub name: String,
    /// The id of what had it: a site, a section or a space on a site.
    pub item: String,
}

impl FormerName {
    /// A basename that a site had.
    pub fn basename(site: &SiteId, name: &Basename) -> Self {
        Self { scope: String::new(), name: name.to_string(), item: site.to_string() }
    }

    /// The names that the parts of a site no longer have after a change of its structure. A part that is gone is left
    /// out: its name leads nowhere.
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
        left
    }
}

/// What names lead to that nothing has now, such as pages by their former paths.
#[derive(Clone, Debug)]
pub struct History<N, T>(HashMap<N, T>);

impl<N: Eq + Hash, T> Default for History<N, T> {
    fn default() -> Self {
        Self(HashMap::new())
    }
}

impl<N: Eq + Hash, T> History<N, T> {
    /// Notes that a thing had a name and has another one now, or none.
    pub fn left(&mut self, name: N, thing: T) {
        self.0.insert(name, thing);
    }

    /// What last had a name, if it is still there: `now` returns where it is.
    pub fn find<U>(&self, name: &N, now: impl Fn(&T) -> Option<U>) -> Option<U> {
        self.0.get(name).and_then(now)
    }

    /// The names that a thing had, without those that something else had later.
    pub fn of<'a>(&'a self, thing: &'a T) -> impl Iterator<Item = &'a N>
    where
        T: PartialEq,
    {
        self.0.iter().filter(move |(_, other)| *other == thing).map(|(name, _)| name)
    }
}

impl<N: Eq + Hash, T> FromIterator<(N, T)> for History<N, T> {
    /// In the order in which the names were left.
    fn from_iter<I: IntoIterator<Item = (N, T)>>(all: I) -> Self {
        Self(all.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::site::structure::{Item, Section, SectionSettings, SiteSpace};
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    #[test]
    fn a_renamed_part_left_its_name_and_a_removed_one_did_not() {
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
    fn the_last_of_two_wins_and_what_is_deleted_leads_nowhere() {
        let mut history: History<&str, u8> = [("setup", 1), ("install", 1), ("setup", 2)].into_iter().collect();
        assert_eq!(history.find(&"setup", |page| Some(*page)), Some(2));
        assert_eq!(history.find(&"install", |page| Some(*page)), Some(1));
        assert_eq!(history.find(&"install", |_| None::<u8>), None);
        assert_eq!(history.find(&"other", |page| Some(*page)), None);
        assert_eq!(history.of(&1).collect::<Vec<_>>(), [&"install"]);
        history.left("install", 3);
        assert_eq!(history.of(&1).count(), 0);
    }

    proptest! {
        #[test]
        fn every_name_that_a_thing_ever_had_leads_to_it_until_another_has_it(
            steps in prop::collection::vec((0u8..4, prop::option::weighted(0.8, 0u8..6)), 0..30)
        ) {
            let (mut history, mut names, mut ever) = (History::default(), BTreeMap::new(), BTreeMap::new());
            for (thing, name) in steps {
                let taken = name.is_some_and(|name| names.iter().any(|(other, has)| *other != thing && *has == name));
                if taken {
                    continue;
                }
                if let Some(old) = names.remove(&thing).filter(|old| Some(*old) != name) {
                    history.left(old, thing);
                    ever.insert(old, thing);
                }
                names.extend(name.map(|name| (thing, name)));
            }
            for (name, thing) in ever {
                let now = history.find(&name, |thing| names.get(thing).copied());
                prop_assert_eq!(now, names.get(&thing).copied());
            }
        }
    }
}
