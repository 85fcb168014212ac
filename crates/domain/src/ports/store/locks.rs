//! The locks of units of work, and their order.
use crate::id::{CollectionId, OrganizationId, SiteId, SpaceId, UserId};
use crate::job::Task;
use crate::place::{GrantTarget, PlaceId};
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// An object that a unit of work can lock until it ends. The lock covers all data listed with the object.
///
/// The order of this type is the order in which every unit of work takes its locks: by kind, in the order below, and by
/// id within a kind. So two units of work that need the same locks cannot deadlock. A new kind must come before all
/// kinds that are locked after it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Lockable {
    /// The creation of the first account.
    FirstStart,
    /// An organization: its settings, members, teams, invites, webhooks, instructions, OpenAPI specs, translations and
    /// glossary, conversations with their issues and clusters, and the positions of its spaces and collections.
    Organization(OrganizationId),
    /// The profile of an account, its settings of notifications, and which of its notifications are read.
    User(UserId),
    /// A site: its settings, its structure, its customization, its share links, its publishing authentication, its
    /// adaptive schema, its feedback, and the grants on it. New feedback of visitors needs no lock. A space on it is
    /// locked after it.
    Site(SiteId),
    /// A collection, and the grants on it.
    Collection(CollectionId),
    /// A space: its settings, the grants on it, its content, its entries in the search index, its change requests with
    /// their data, and its comments. A new comment on the space itself needs no lock.
    Space(SpaceId),
    /// A job, by its work ([`Task::key`]). Jobs come last because they follow from other changes.
    Job(String),
    /// The record of the time.
    Heartbeat,
}

impl From<&OrganizationId> for Lockable {
    fn from(id: &OrganizationId) -> Self {
        Self::Organization(id.clone())
    }
}

impl From<&UserId> for Lockable {
    fn from(id: &UserId) -> Self {
        Self::User(id.clone())
    }
}

impl From<&CollectionId> for Lockable {
    fn from(id: &CollectionId) -> Self {
        Self::Collection(id.clone())
    }
}

impl From<&SpaceId> for Lockable {
    fn from(id: &SpaceId) -> Self {
        Self::Space(id.clone())
    }
}

impl From<&SiteId> for Lockable {
    fn from(id: &SiteId) -> Self {
        Self::Site(id.clone())
    }
}

impl From<&GrantTarget> for Lockable {
    fn from(id: &GrantTarget) -> Self {
        match id {
            GrantTarget::Place(id) => id.into(),
            GrantTarget::Site(_, id) => id.into(),
        }
    }
}

impl From<&PlaceId> for Lockable {
    fn from(id: &PlaceId) -> Self {
        match id {
            PlaceId::Space(id) => id.into(),
            PlaceId::Collection(id) => id.into(),
        }
    }
}

impl From<&Task> for Lockable {
    fn from(task: &Task) -> Self {
        Self::Job(task.key())
    }
}

/// The mode of a lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LockMode {
    /// No unit of work may change the object; other units of work may hold the lock in this mode too.
    Shared,
    /// No other unit of work may change the object or hold the lock.
    Exclusive,
}

/// Why a lock was refused: an error in the calling code.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LockOrderError {
    /// The unit of work already holds a lock that comes later in the order.
    #[error("{wanted:?} is locked after {held:?}: two units of work could deadlock")]
    Late {
        /// The requested lock.
        wanted: Lockable,
        /// The lock that is already held.
        held: Lockable,
    },
    /// The lock is held in shared mode, possibly by other units of work too. Two units of work that both upgrade it
    /// would deadlock.
    #[error("{0:?} is already locked to keep it: it cannot be locked to change it")]
    Upgrade(Lockable),
    /// The object was changed without a lock.
    #[error("{0:?} is not locked, or already exists: lock it before reading it")]
    NotLocked(Lockable),
}

/// The locks of one unit of work.
#[derive(Clone, Debug, Default)]
pub struct Held {
    locks: BTreeMap<Lockable, LockMode>,
    own: HashSet<Lockable>,
}

impl Held {
    /// Records these locks. Returns the locks that are not held yet, in order.
    ///
    /// # Errors
    /// [`LockOrderError`] if a lock that comes later is held, or if one of these is held in shared mode and requested
    /// in exclusive mode.
    pub fn take(&mut self, wanted: &[Lockable], mode: LockMode) -> Result<Vec<Lockable>, LockOrderError> {
        let wanted: BTreeSet<&Lockable> = wanted.iter().collect();
        let mut taken = Vec::with_capacity(wanted.len());
        for one in wanted {
            if self.own.contains(one) {
                continue;
            }
            match self.locks.get(one) {
                Some(known) if *known >= mode => continue,
                Some(_weaker) => return Err(LockOrderError::Upgrade(one.clone())),
                None => {}
            }
            if let Some((held, _)) = self.locks.last_key_value().filter(|(held, _)| *held > one) {
                return Err(LockOrderError::Late { wanted: one.clone(), held: held.clone() });
            }
            self.locks.insert(one.clone(), mode);
            taken.push(one.clone());
        }
        Ok(taken)
    }

    /// Records that this unit of work owns an object without a further lock: it is new, or its row was locked when it
    /// was found.
    pub fn own(&mut self, what: Lockable) {
        self.own.insert(what);
    }

    /// Whether the object may be changed: it is locked exclusively, or new.
    pub fn may_change(&self, what: &Lockable) -> bool {
        self.own.contains(what) || self.locks.get(what) == Some(&LockMode::Exclusive)
    }

    /// Checks that the object may be changed.
    ///
    /// # Errors
    /// [`LockOrderError::NotLocked`].
    pub fn check(&self, what: &Lockable) -> Result<(), LockOrderError> {
        if self.may_change(what) { Ok(()) } else { Err(LockOrderError::NotLocked(what.clone())) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn organization(id: &str) -> Lockable {
        Lockable::Organization(id.parse().unwrap())
    }

    fn space(id: &str) -> Lockable {
        Lockable::Space(id.parse().unwrap())
    }

    #[test]
    fn locks_are_taken_by_kind_and_id_whatever_order_they_are_named_in() {
        let mut held = Held::default();
        let all = [space("b"), organization("z"), space("a")];
        assert_eq!(held.take(&all, LockMode::Exclusive), Ok(vec![organization("z"), space("a"), space("b")]));
        assert_eq!(held.take(&all, LockMode::Exclusive), Ok(vec![]), "they are held");
        assert_eq!(held.take(&[Lockable::Job("j".into())], LockMode::Exclusive), Ok(vec![Lockable::Job("j".into())]));
    }

    #[test]
    fn a_lock_before_a_held_one_is_refused() {
        let mut held = Held::default();
        held.take(&[space("b")], LockMode::Exclusive).unwrap();
        for early in [organization("o"), space("a")] {
            let refused = LockOrderError::Late { wanted: early.clone(), held: space("b") };
            assert_eq!(held.take(&[early], LockMode::Shared), Err(refused));
        }
    }

    #[test]
    fn a_shared_lock_cannot_be_upgraded() {
        let mut held = Held::default();
        held.take(&[organization("o")], LockMode::Shared).unwrap();
        assert_eq!(held.take(&[organization("o")], LockMode::Shared), Ok(vec![]));
        assert_eq!(
            held.take(&[organization("o")], LockMode::Exclusive),
            Err(LockOrderError::Upgrade(organization("o")))
        );
        assert!(!held.may_change(&organization("o")));
        held.take(&[space("s")], LockMode::Exclusive).unwrap();
        assert_eq!(held.take(&[space("s")], LockMode::Shared), Ok(vec![]), "it is held in the stronger way");
    }

    #[test]
    fn only_new_and_locked_objects_may_be_changed() {
        let mut held = Held::default();
        held.own(space("new"));
        held.take(&[space("old")], LockMode::Exclusive).unwrap();
        assert!(held.check(&space("new")).is_ok() && held.check(&space("old")).is_ok());
        assert_eq!(held.check(&space("other")), Err(LockOrderError::NotLocked(space("other"))));
    }
}
