//! Merging: updating a change request from the primary content, merging it into the primary content, and reporting the
//! outcome in advance.
//!
//! The merge is computed in a read-only unit of work, and large results are stored ahead. The following writing unit of
//! work checks whether the inputs are unchanged. If they changed, everything is repeated. The last attempt computes the
//! merge in the writing unit of work, which holds the lock of the space, so the inputs cannot change.
use super::conflicts::{ShownConflict, decided, show};
use super::{ChangeRequests, Opened, in_the_way};
use crate::actor::Actor;
use crate::change_request::{ChangeRequestRef, Merge, Status};
use crate::content::merge::{Conflict, merge};
use crate::content::object::MemoryObjects;
use crate::content::revision::RevisionKind;
use crate::event::Change;
use crate::id::{ConflictId, RevisionId, SpaceId, UserId};
use crate::merge_rules::{Facts, Gate, MergeRule, MergeRules};
use crate::ports::Tx;
use crate::ports::store::change_requests::OpenConflict;
use crate::review::Review;
use crate::space::EditMode;
use crate::text::Language;
use crate::usecases::compute::compute;
use crate::usecases::content::ahead::Ahead;
use crate::usecases::content::write::{About, Base, Prepared, advance, prepare, unlocked};
use crate::usecases::record::record;
use crate::usecases::{Error, open};
use chrono::{DateTime, Utc};
use std::collections::BTreeSet;
use std::convert::Infallible;

/// How often a merge is computed without the lock before it is computed with it.
const ATTEMPTS: usize = 3;

/// The outcome of a merge or an update.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The revision that it created, or the current revision of the change request.
    pub revision: RevisionId,
    /// Whether conflicts must be resolved first.
    pub conflicts: bool,
}

/// What merging a change request would do.
#[derive(Clone, Debug)]
pub struct MergeStatus {
    /// Whether it would be merged now.
    pub mergeable: bool,
    /// Whether the primary content has changes that the change request does not include.
    pub outdated: bool,
    /// Its status.
    pub status: Status,
    /// Whether the space is locked.
    pub locked: bool,
    /// Open conflicts, and those that an update would find.
    pub conflicts: Vec<ShownConflict>,
    /// The result of the merge rules for the caller.
    pub gate: Gate,
}

/// The inputs of a merge: three revisions and the language of the space.
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

/// The state on which a computed merge depends. The merge is valid while this state is unchanged.
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

/// A computed merge.
struct Joined {
    basis: Basis,
    prepared: Prepared,
    conflicts: Vec<Conflict>,
    /// The open conflicts that it ends.
    settled: Vec<ConflictId>,
}

/// The side that receives the merge.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Into {
    Primary,
    ChangeRequest,
}

impl Joined {
    /// Computes the merge of both sides. `into` is the side that receives it, and decides which objects are stored.
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

    /// The update of a change request from the primary content; `None` if it is up to date.
    async fn update(tx: &mut dyn Tx, opened: &Opened) -> Result<Option<Self>, Error> {
        if !opened.outdated() {
            return Ok(None);
        }
        Self::work_out(tx, opened, Into::ChangeRequest).await.map(Some)
    }
}

/// A computed merge or update.
enum Work {
    /// Merge the change request into the primary content.
    Land(Joined),
    /// Update the change request from the primary content; `None` if it is up to date.
    Update(Option<Joined>),
}

impl Work {
    /// What merging will do: merge, or update if there are conflicts.
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

/// The merge rules that apply to a space.
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

/// The result of the merge rules for the caller.
async fn gate(tx: &mut dyn Tx, actor: &Actor, opened: &Opened) -> Result<Gate, Error> {
    let rules = rules(tx, opened).await?;
    if rules.is_empty() {
        return Ok(Gate::default());
    }
    let reviews = tx.reviews().current(&opened.request.id).await?;
    let requested = tx.reviews().requested(&opened.request.id).await?;
    let members = members(tx, opened, &rules, &reviews).await?;
    let facts = Facts {
        change_request: &opened.request,
        outdated: opened.outdated(),
        reviews: &reviews,
        requested: &requested,
        actor: actor.user(),
        members: &members,
    };
    Ok(Gate::of(&rules, facts))
}

/// Which of the users in the rules, the reviewers and the author are members of the organization.
async fn members(
    tx: &mut dyn Tx,
    opened: &Opened,
    rules: &[MergeRule],
    reviews: &[Review],
) -> Result<BTreeSet<UserId>, Error> {
    let named = rules.iter().filter_map(MergeRule::users).flatten();
    let reviewers = reviews.iter().map(|review| &review.reviewer);
    let wanted: BTreeSet<&UserId> = named.chain(reviewers).chain([&opened.request.created_by]).collect();
    let wanted: Vec<UserId> = wanted.into_iter().cloned().collect();
    let found = tx.members().find_many(&opened.space.organization, &wanted).await?;
    Ok(found.into_iter().map(|(member, _)| member.user).collect())
}

/// Open conflicts about content that changed in the primary content since. The merge finds them again if they still
/// exist.
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
    /// Merges a change request into the primary content. If there are conflicts, the change request is updated instead,
    /// the conflicts are stored with it, and the primary content does not change.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Forbidden`], also with the message of a merge rule; [`Error::Conflict`] if it is
    /// merged or archived, or if the space is locked.
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

    /// Makes a merge without conflicts the primary content.
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

    /// Merges the primary content into a change request. Conflicts are stored with the change request, which keeps its
    /// own version of the content in conflict.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Forbidden`]; [`Error::Conflict`] if it is merged or archived, or if the space is
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

    /// Makes a merge the content of the change request; `None` means that it is already up to date.
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
        // A conflict that is found again is reported once, in its new form.
        let again = |open: &OpenConflict| found.iter().any(|new| new.subject == open.conflict.subject);
        let open = open.into_iter().filter(|open| !again(open)).map(|open| (Some(open.id), open.conflict));
        let all: Vec<_> = open.chain(found.iter().map(|new| (None, new.clone()))).collect();
        let conflicts = show(&mut *tx, &opened, all).await?;
        let may = opened.space.permissions().merge;
        let mergeable = may && writable && !locked && conflicts.is_empty() && gate.refusal().is_none();
        Ok(MergeStatus { mergeable, outdated, status: opened.request.status(), locked, conflicts, gate })
    }
}
