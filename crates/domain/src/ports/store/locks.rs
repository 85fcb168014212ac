//! What units of work lock, and in which order.
use crate::id::{CollectionId, OrganizationId, SpaceId, UserId};
use crate::job::Task;
use crate::place::PlaceId;
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// What a unit of work may lock until it ends. Each kind stands for all that is changed under it.
///
/// The order of this type is the order in which every unit of work takes its locks: by kind, as they stand here, and by
/// id within a kind. So of two units of work that want the same locks one waits for the other, and never each for the
/// other. A kind that is added belongs before all that is locked after it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Lockable {
    /// Whether there is any account yet.
    FirstStart,
    /// An organization: its settings, its members, teams, invites and instructions, and where its spaces and
    /// collections stand.
    Organization(OrganizationId),
    /// What an account shows of itself.
    User(UserId),
    /// A collection, and the grants on it.
    Collection(CollectionId),
    /// A space: its settings, the grants on it, its content, its entries of the search index, and its change requests
    /// with all that belongs to them.
    Space(SpaceId),
    /// A job, by what it does ([`Task::key`]). What follows from a change comes after the change.
    Job(String),
    /// The note of the time.
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

/// How something is locked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Hold {
    /// It stays as it is; others may rely on that as well.
    Keep,
    /// Nobody else changes it, or relies on how it is.
    Change,
}

/// Why a lock was not taken: a fault of whoever wants it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Disorder {
    /// The unit of work holds something that comes later.
    #[error("{wanted:?} is locked after {held:?}: two units of work could deadlock")]
    Late {
        /// What is wanted.
        wanted: Lockable,
        /// What is held.
        held: Lockable,
    },
    /// It is only kept, and others may keep it as well: two of them would wait for each other.
    #[error("{0:?} is already locked to keep it: it cannot be locked to change it")]
    Kept(Lockable),
    /// It was changed without being locked.
    #[error("{0:?} is not locked, or already exists: lock it before reading it")]
    NotLocked(Lockable),
}

/// The locks of one unit of work.
#[derive(Clone, Debug, Default)]
pub struct Held {
    locks: BTreeMap<Lockable, Hold>,
    own: HashSet<Lockable>,
}

impl Held {
    /// Notes that these are locked. Says which of them are still to be taken, in their order.
    ///
    /// # Errors
    /// [`Disorder`] where something that comes later is held, or one of them is held in a weaker way.
    pub fn take(&mut self, wanted: &[Lockable], hold: Hold) -> Result<Vec<Lockable>, Disorder> {
        let wanted: BTreeSet<&Lockable> = wanted.iter().collect();
        let mut taken = Vec::with_capacity(wanted.len());
        for one in wanted {
            if self.own.contains(one) {
                continue;
            }
            match self.locks.get(one) {
                Some(known) if *known >= hold => continue,
                Some(_weaker) => return Err(Disorder::Kept(one.clone())),
                None => {}
            }
            if let Some((held, _)) = self.locks.last_key_value().filter(|(held, _)| *held > one) {
                return Err(Disorder::Late { wanted: one.clone(), held: held.clone() });
            }
            self.locks.insert(one.clone(), hold);
            taken.push(one.clone());
        }
        Ok(taken)
    }

    /// Notes that something belongs to this unit of work without waiting for anybody: it is new, or was free.
    pub fn own(&mut self, what: Lockable) {
        self.own.insert(what);
    }

    /// Whether this may be changed: it is locked, or new.
    pub fn may_change(&self, what: &Lockable) -> bool {
        self.own.contains(what) || self.locks.get(what) == Some(&Hold::Change)
    }

    /// Stops where this may not be changed.
    ///
    /// # Errors
    /// [`Disorder::NotLocked`].
    pub fn check(&self, what: &Lockable) -> Result<(), Disorder> {
        if self.may_change(what) { Ok(()) } else { Err(Disorder::NotLocked(what.clone())) }
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
        assert_eq!(held.take(&all, Hold::Change), Ok(vec![organization("z"), space("a"), space("b")]));
        assert_eq!(held.take(&all, Hold::Change), Ok(vec![]), "they are held");
        assert_eq!(held.take(&[Lockable::Job("j".into())], Hold::Change), Ok(vec![Lockable::Job("j".into())]));
    }

    #[test]
    fn what_comes_before_a_lock_that_is_held_is_refused() {
        let mut held = Held::default();
        held.take(&[space("b")], Hold::Change).unwrap();
        for early in [organization("o"), space("a")] {
            let refused = Disorder::Late { wanted: early.clone(), held: space("b") };
            assert_eq!(held.take(&[early], Hold::Keep), Err(refused));
        }
    }

    #[test]
    fn what_is_kept_cannot_be_changed_later() {
        let mut held = Held::default();
        held.take(&[organization("o")], Hold::Keep).unwrap();
        assert_eq!(held.take(&[organization("o")], Hold::Keep), Ok(vec![]));
        assert_eq!(held.take(&[organization("o")], Hold::Change), Err(Disorder::Kept(organization("o"))));
        assert!(!held.may_change(&organization("o")));
        held.take(&[space("s")], Hold::Change).unwrap();
        assert_eq!(held.take(&[space("s")], Hold::Keep), Ok(vec![]), "it is held in the stronger way");
    }

    #[test]
    fn what_is_new_or_locked_may_be_changed_and_nothing_else() {
        let mut held = Held::default();
        held.own(space("new"));
        held.take(&[space("old")], Hold::Change).unwrap();
        assert!(held.check(&space("new")).is_ok() && held.check(&space("old")).is_ok());
        assert_eq!(held.check(&space("other")), Err(Disorder::NotLocked(space("other"))));
    }
}
