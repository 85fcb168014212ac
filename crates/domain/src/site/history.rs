//! Names and paths of before, and what they lead to. They lead to a thing by its id, so to wherever it is now, in one step.
//!
//! What has a name now always wins over what had it before. Of two that had it, the last one wins. A name whose thing is
//! deleted leads nowhere.
use std::collections::HashMap;
use std::hash::Hash;

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
    use proptest::prelude::*;
    use std::collections::BTreeMap;

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
