//! Joining a change request with the primary content: bringing it up to date, merging it, and asking what merging would
//! do.
//!
//! The join is worked out over a reading unit of work, and what is large of it is stored ahead. The writing one that
//! follows looks whether what was joined still stands where it stood. Where it does not, all of this is done once more; the
//! last time the join is worked out anew in the writing unit of work, which holds the space, so nobody moves either side
//! meanwhile.
use super::conflicts::{ShownConflict, decided, show};
use super::{ChangeRequests, Opened, in_the_way};
use crate::actor::Actor;
use crate::change_request::{ChangeRequestRef, Merge, Status};
use crate::content::merge::{Conflict, merge};
use crate::content::object::MemoryObjects;
use crate::content::revision::RevisionKind;
use crate::event::Change;
use crate::id::{ConflictId, RevisionId, SpaceId};
use crate::merge_rules::{Facts, Gate, MergeRule, MergeRules};
use crate::ports::Tx;
use crate::ports::store::change_requests::OpenConflict;
use crate::space::EditMode;
use crate::text::Language;
use crate::usecases::compute::compute;
use crate::usecases::content::ahead::Ahead;
use crate::usecases::content::write::{About, Base, Prepared, advance, prepare, unlocked};
use crate::usecases::record::record;
use crate::usecases::{Error, open};
use chrono::{DateTime, Utc};
use std::convert::Infallible;

/// How often a join is worked out without holding the space, before it is worked out while holding it.
const ATTEMPTS: usize = 3;

/// How a merge or an update ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The revision that it made, or that the change request has.
    pub revision: RevisionId,
    /// Whether somebody must decide conflicts first.
    pub conflicts: bool,
}

/// What merging a change request would do.
#[derive(Clone, Debug)]
pub struct MergeStatus {
    /// Whether it would be merged now.
    pub mergeable: bool,
    /// Whether the primary content has something that it does not have.
    pub outdated: bool,
    /// Its state.
    pub status: Status,
    /// Whether the space is locked.
    pub locked: bool,
    /// Conflicts to be decided, and those that bringing it up to date would find.
    pub conflicts: Vec<ShownConflict>,
    /// What the merge rules say to the caller.
    pub gate: Gate,
}

/// The revisions that a join is made of, and what else it depends on.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Basis {
    primary: RevisionId,
    head: RevisionId,
    ancestor: RevisionId,
    language: Option<Language>,
}

impl Basis {
    fn of(opened: &Opened) -> Self {
        Self {
            primary: opened.space.revision.clone(),
            head: opened.request.revision.clone(),
            ancestor: opened.request.ancestor().clone(),
            language: opened.space.language,
        }
    }
}

/// What was seen when something was worked out: where it is still so, that stands.
#[derive(PartialEq, Eq)]
struct Seen {
    basis: Basis,
    undecided: bool,
}

impl Seen {
    async fn of(tx: &mut dyn Tx, opened: &Opened) -> Result<Self, Error> {
        let undecided = !tx.change_requests().conflicts(&opened.request.id).await?.is_empty();
        Ok(Self { basis: Basis::of(opened), undecided })
    }
}

/// A join that is worked out.
struct Joined {
    basis: Basis,
    prepared: Prepared,
    conflicts: Vec<Conflict>,
    /// The open conflicts that it ends.
    settled: Vec<ConflictId>,
}

/// Which side takes the join.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Into {
    Primary,
    ChangeRequest,
}

impl Joined {
    /// Joins both sides. `into` says from which of them the step is made, and so what it stores.
    async fn work_out(tx: &mut dyn Tx, opened: &Opened, into: Into) -> Result<Self, Error> {
        let basis = Basis::of(opened);
        let space = &opened.space.id;
        let base = Base::load(tx, space, &basis.ancestor).await?.snapshot;
        let primary = Base::load(tx, space, &basis.primary).await?.snapshot;
        let change = Base::load(tx, space, &basis.head).await?.snapshot;
        let mut at_hand = MemoryObjects::default();
        let (from, indexed) = match into {
            Into::Primary => (&primary, Some(basis.language)),
            Into::ChangeRequest => (&change, None),
        };
        let join = |scratch: &mut crate::content::object::Scratch<'_>| {
            let merged = merge(scratch, &base, &primary, &change)?;
            Ok(Ok::<_, Infallible>((merged.snapshot, merged.conflicts)))
        };
        let (prepared, conflicts) = match prepare(tx, &mut at_hand, from, indexed, join).await? {
            Ok(joined) => joined,
            Err(never) => match never {},
        };
        let settled = match into {
            Into::Primary => Vec::new(),
            Into::ChangeRequest => settled(tx, opened, &basis).await?,
        };
        Ok(Self { basis, prepared, conflicts, settled })
    }

    /// What brings a change request up to date; nothing where it is.
    async fn update(tx: &mut dyn Tx, opened: &Opened) -> Result<Option<Self>, Error> {
        if !opened.outdated() {
            return Ok(None);
        }
        Self::work_out(tx, opened, Into::ChangeRequest).await.map(Some)
    }
}

/// What is done, worked out.
enum Work {
    /// The change request becomes the primary content.
    Land(Joined),
    /// The primary content goes into the change request; nothing where it is up to date.
    Update(Option<Joined>),
}

impl Work {
    /// What merging comes to.
    async fn of_merge(tx: &mut dyn Tx, opened: &Opened, seen: &Seen) -> Result<Self, Error> {
        if !seen.undecided {
            let joined = Joined::work_out(tx, opened, Into::Primary).await?;
            if joined.conflicts.is_empty() {
                return Ok(Self::Land(joined));
            }
        }
        Joined::update(tx, opened).await.map(Self::Update)
    }

    async fn send_ahead(&mut self, ahead: &mut Ahead<'_>) -> Result<(), Error> {
        match self {
            Self::Land(joined) | Self::Update(Some(joined)) => joined.prepared.send_ahead(ahead).await,
            Self::Update(None) => Ok(()),
        }
    }
}

/// The merge rules that a space follows.
async fn rules(tx: &mut dyn Tx, opened: &Opened) -> Result<Vec<MergeRule>, Error> {
    let rules = match &opened.space.merge_rules {
        MergeRules::Inherit => {
            let organization = &opened.space.organization;
            let found = tx.organizations().merge_rules(organization).await?;
            found.ok_or_else(|| Error::Corrupt(format!("organization {organization} is missing")))?
        }
        own => own.clone(),
    };
    Ok(match rules {
        MergeRules::Rules { rules } => rules,
        MergeRules::Inherit | MergeRules::None => Vec::new(),
    })
}

/// What the merge rules say to the caller.
async fn gate(tx: &mut dyn Tx, actor: &Actor, opened: &Opened) -> Result<Gate, Error> {
    let rules = rules(tx, opened).await?;
    if rules.is_empty() {
        return Ok(Gate::default());
    }
    let reviews = tx.reviews().current(&opened.request.id).await?;
    let requested = tx.reviews().requested(&opened.request.id).await?;
    let facts = Facts {
        change_request: &opened.request,
        outdated: opened.outdated(),
        reviews: &reviews,
        requested: &requested,
        actor: actor.user(),
    };
    Ok(Gate::of(&rules, facts))
}

/// Open conflicts about places that the primary content changed since: what is still contested there is found anew.
async fn settled(tx: &mut dyn Tx, opened: &Opened, basis: &Basis) -> Result<Vec<ConflictId>, Error> {
    let open = tx.change_requests().conflicts(&opened.request.id).await?;
    if open.is_empty() {
        return Ok(Vec::new());
    }
    let before = Base::load(tx, &opened.space.id, &basis.ancestor).await?.snapshot;
    let after = Base::load(tx, &opened.space.id, &basis.primary).await?.snapshot;
    let mut at_hand = MemoryObjects::default();
    let diff = compute(tx, &mut at_hand, |objects| before.diff(&after, objects)).await?;
    decided(tx, &mut at_hand, open, &diff).await
}

impl ChangeRequests {
    /// Merges a change request into the primary content, or tells that conflicts must be decided first: then it was
    /// brought up to date, the conflicts are kept with it, and the primary content is as before.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Forbidden`] also with the message of a merge rule, [`Error::Conflict`] when it is
    /// merged or archived, or the space is locked.
    pub async fn merge(&self, actor: &Actor, space: &SpaceId, which: &ChangeRequestRef) -> Result<Outcome, Error> {
        let mut attempt = 1;
        loop {
            let (ruled_by, seen, mut work) = {
                let mut tx = self.store.read().await?;
                let opened = Opened::find(&mut *tx, actor, space, which, |may| may.merge).await?;
                opened.check_writable()?;
                let seen = Seen::of(&mut *tx, &opened).await?;
                let work = Work::of_merge(&mut *tx, &opened, &seen).await?;
                (opened.space.organization.clone(), seen, work)
            };
            let mut ahead = Ahead::new(&*self.store, &*self.clock, &*self.ids);
            work.send_ahead(&mut ahead).await?;
            let mut tx = open::write(&*self.store, &*self.clock, actor).await?;
            tx.keep(&[(&ruled_by).into()]).await?;
            let mut opened = Opened::lock(&mut *tx, actor, space, which, |may| may.merge).await?;
            opened.check_writable()?;
            if let Some(refusal) = gate(&mut *tx, actor, &opened).await?.refusal() {
                return Err(Error::Forbidden(format!("a merge rule forbids the merge: {refusal}")));
            }
            let now = Seen::of(&mut *tx, &opened).await?;
            let stands = seen == now;
            if !stands && attempt < ATTEMPTS {
                attempt += 1;
                continue;
            }
            if !stands {
                work = Work::of_merge(&mut *tx, &opened, &now).await?;
            }
            ahead.check()?;
            let now = self.clock.now();
            let outcome = match work {
                Work::Land(joined) => self.land(&mut *tx, actor, &mut opened, joined, now).await?,
                Work::Update(joined) => self.bring_up_to_date(&mut *tx, actor, &mut opened, joined, now).await?,
            };
            tx.commit().await?;
            if stands {
                ahead.release().await;
            }
            return Ok(outcome);
        }
    }

    /// Makes a clean join the primary content.
    async fn land(
        &self,
        tx: &mut dyn Tx,
        actor: &Actor,
        opened: &mut Opened,
        joined: Joined,
        at: DateTime<Utc>,
    ) -> Result<Outcome, Error> {
        let about = About {
            id: self.ids.make(),
            space: opened.space.id.clone(),
            parents: vec![joined.basis.primary, joined.basis.head],
            kind: RevisionKind::Merge,
            author: actor.user().cloned(),
            at,
            merged_from: Some(opened.request.id.clone()),
        };
        let before = opened.request.status();
        opened.space.entity_mut().counters.follow(before, Status::Merged);
        let prepared = joined.prepared.described(about);
        let revision = advance(tx, &*self.ids, actor, opened.space.entity_mut(), prepared, at).await?;
        opened.request.merge(Merge { revision: revision.clone(), by: actor.user().cloned(), at });
        tx.change_requests().save(&opened.request).await?;
        let change = Change::ChangeRequestMerged {
            space: opened.space.id.clone(),
            change_request: opened.request.id.clone(),
            revision: revision.clone(),
        };
        record(tx, &*self.ids, actor, Some(&opened.space.organization), at, change).await?;
        Ok(Outcome { revision, conflicts: false })
    }

    /// Merges the primary content into a change request. Conflicts are kept with it, and it keeps its own version where
    /// they are.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Forbidden`], [`Error::Conflict`] when it is merged or archived, or the space is
    /// locked.
    pub async fn update_from_primary(
        &self,
        actor: &Actor,
        space: &SpaceId,
        which: &ChangeRequestRef,
    ) -> Result<Outcome, Error> {
        let mut attempt = 1;
        loop {
            let (seen, mut joined) = {
                let mut tx = self.store.read().await?;
                let opened = Opened::find(&mut *tx, actor, space, which, |may| may.edit).await?;
                opened.check_writable()?;
                (Seen::of(&mut *tx, &opened).await?, Joined::update(&mut *tx, &opened).await?)
            };
            let mut ahead = Ahead::new(&*self.store, &*self.clock, &*self.ids);
            if let Some(joined) = &mut joined {
                joined.prepared.send_ahead(&mut ahead).await?;
            }
            let mut tx = open::write(&*self.store, &*self.clock, actor).await?;
            let mut opened = Opened::lock(&mut *tx, actor, space, which, |may| may.edit).await?;
            opened.check_writable()?;
            let stands = seen == Seen::of(&mut *tx, &opened).await?;
            if !stands && attempt < ATTEMPTS {
                attempt += 1;
                continue;
            }
            if !stands {
                joined = Joined::update(&mut *tx, &opened).await?;
            }
            ahead.check()?;
            let outcome = self.bring_up_to_date(&mut *tx, actor, &mut opened, joined, self.clock.now()).await?;
            tx.commit().await?;
            if stands {
                ahead.release().await;
            }
            return Ok(outcome);
        }
    }

    /// Makes a join the content of the change request; without one it is up to date already.
    async fn bring_up_to_date(
        &self,
        tx: &mut dyn Tx,
        actor: &Actor,
        opened: &mut Opened,
        joined: Option<Joined>,
        at: DateTime<Utc>,
    ) -> Result<Outcome, Error> {
        unlocked(&opened.space)?;
        if let Some(Joined { basis, prepared, conflicts, settled }) = joined {
            let about = About {
                id: self.ids.make(),
                space: opened.space.id.clone(),
                parents: vec![basis.head, basis.primary.clone()],
                kind: RevisionKind::Update,
                author: actor.user().cloned(),
                at,
                merged_from: None,
            };
            let revision = prepared.described(about).store(tx).await?;
            opened.request.bring_up_to_date(revision, basis.primary, at);
            tx.change_requests().save(&opened.request).await?;
            tx.change_requests().remove_conflicts(&settled).await?;
            let open = |conflict| OpenConflict { id: self.ids.make(), conflict };
            let conflicts: Vec<OpenConflict> = conflicts.into_iter().map(open).collect();
            tx.change_requests().add_conflicts(&opened.request.id, &conflicts).await?;
            opened.record_content(tx, &*self.ids, actor, at).await?;
        }
        let conflicts = !tx.change_requests().conflicts(&opened.request.id).await?.is_empty();
        Ok(Outcome { revision: opened.request.revision.clone(), conflicts })
    }

    /// What merging would do, without doing it.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    pub async fn merge_status(
        &self,
        actor: &Actor,
        space: &SpaceId,
        which: &ChangeRequestRef,
    ) -> Result<MergeStatus, Error> {
        let mut tx = self.store.read().await?;
        let opened = Opened::find(&mut *tx, actor, space, which, |may| may.view).await?;
        let gate = gate(&mut *tx, actor, &opened).await?;
        let open = tx.change_requests().conflicts(&opened.request.id).await?;
        let outdated = opened.outdated();
        let found = match outdated {
            true => Joined::work_out(&mut *tx, &opened, Into::ChangeRequest).await?.conflicts,
            false => Vec::new(),
        };
        let locked = opened.space.edit_mode == EditMode::Locked;
        let writable = opened.request.check_writable().map_err(in_the_way).is_ok();
        // A place where a conflict is found anew is told once, as it is now.
        let again = |open: &OpenConflict| found.iter().any(|new| new.subject == open.conflict.subject);
        let open = open.into_iter().filter(|open| !again(open)).map(|open| (Some(open.id), open.conflict));
        let all: Vec<_> = open.chain(found.iter().map(|new| (None, new.clone()))).collect();
        let conflicts = show(&mut *tx, &opened, all).await?;
        let may = opened.space.permissions().merge;
        let mergeable = may && writable && !locked && conflicts.is_empty() && gate.refusal().is_none();
        Ok(MergeStatus { mergeable, outdated, status: opened.request.status(), locked, conflicts, gate })
    }
}
