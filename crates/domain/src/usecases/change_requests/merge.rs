//! Merging: updating a change request from the primary content, merging it into the primary content, and reporting the
//! outcome in advance.
//!
//! The merge is computed in a read-only unit of work, and large results are stored ahead. The following writing unit of
//! work checks whether the inputs are unchanged. If they changed, everything is repeated. The last attempt computes the
//! merge in the writing unit of work, which holds the lock of the space, so the inputs cannot change.
use super::conflicts::{ShownConflict, decided, show};
use super::gate::{gate, has_rules};
use super::{ChangeRequests, LoadedChangeRequest, status_conflict};
use crate::actor::Actor;
use crate::change_request::{ChangeRequestRef, Merge, Status};
use crate::content::merge::{Conflict, merge};
use crate::content::object::{MemoryObjects, Scratch};
use crate::content::revision::RevisionKind;
use crate::content::snapshot::Snapshot;
use crate::event::Change;
use crate::id::{ConflictId, RevisionId, SpaceId};
use crate::merge_rules::Gate;
use crate::ports::store::change_requests::OpenConflict;
use crate::space::{EditMode, SpacePermissions};
use crate::text::Language;
use crate::usecases::Error;
use crate::usecases::content::ahead::{Ahead, Stored};
use crate::usecases::content::write::{Bases, Draft, Indexed, RevisionMetadata, advance, prepare};
use crate::usecases::work::Work;

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

/// The predicted result of merging a change request.
#[derive(Clone, Debug)]
pub struct MergeStatus {
    /// Whether it can be merged now.
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
struct MergeInputs {
    primary: RevisionId,
    head: RevisionId,
    ancestor: RevisionId,
    language: Option<Language>,
}

impl MergeInputs {
    fn of(opened: &LoadedChangeRequest) -> Self {
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
struct MergeState {
    inputs: MergeInputs,
    has_open_conflicts: bool,
}

impl MergeState {
    async fn of(work: &mut Work<'_>, opened: &LoadedChangeRequest) -> Result<Self, Error> {
        let has_open_conflicts = !work.change_requests().conflicts(&opened.request.id).await?.is_empty();
        Ok(Self { inputs: MergeInputs::of(opened), has_open_conflicts })
    }
}

/// A computed merge.
struct ComputedMerge {
    inputs: MergeInputs,
    draft: Draft,
    conflicts: Vec<Conflict>,
    /// The open conflicts that it replaces.
    superseded: Vec<ConflictId>,
}

/// The side that receives the merge.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Target {
    Primary,
    ChangeRequest,
}

impl ComputedMerge {
    /// Computes the merge of both sides. `into` is the side that receives it, and decides which objects are stored.
    async fn compute(work: &mut Work<'_>, opened: &LoadedChangeRequest, into: Target) -> Result<Self, Error> {
        let inputs = MergeInputs::of(opened);
        let space = &opened.space.id;
        let bases = Bases::load(work, space, &[&inputs.ancestor, &inputs.primary, &inputs.head]).await?;
        let snapshot = |id: &RevisionId| bases.get(id).map(|base| &base.snapshot);
        let (base, primary) = (snapshot(&inputs.ancestor)?, snapshot(&inputs.primary)?);
        let change = snapshot(&inputs.head)?;
        let mut loaded = MemoryObjects::default();
        let (from, indexed) = match into {
            Target::Primary => (primary, Indexed::In(space.clone(), inputs.language)),
            Target::ChangeRequest => (change, Indexed::No),
        };
        let join = |scratch: &mut Scratch<'_>| {
            let merged = merge(scratch, base, primary, change)?;
            Ok(Ok((merged.snapshot, merged.conflicts)))
        };
        let (draft, conflicts) = prepare(work, &mut loaded, from, indexed, join).await?;
        let superseded = match into {
            Target::Primary => Vec::new(),
            Target::ChangeRequest => superseded(work, opened, base, primary).await?,
        };
        Ok(Self { inputs, draft, conflicts, superseded })
    }

    /// The update of a change request from the primary content; `None` if it is up to date.
    async fn update(work: &mut Work<'_>, opened: &LoadedChangeRequest) -> Result<Option<Self>, Error> {
        if !opened.outdated() {
            return Ok(None);
        }
        Self::compute(work, opened, Target::ChangeRequest).await.map(Some)
    }
}

/// The requested operation.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Goal {
    /// Merge the change request into the primary content, or update it if there are conflicts.
    Merge,
    /// Update the change request from the primary content.
    Update,
}

impl Goal {
    /// Whether the caller has the permission.
    fn allowed(self, may: &SpacePermissions) -> bool {
        match self {
            Self::Merge => may.merge,
            Self::Update => may.edit,
        }
    }
}

/// A computed merge or update.
enum Plan {
    /// Merge the change request into the primary content.
    Merge(ComputedMerge),
    /// Update the change request from the primary content; `None` if it is up to date.
    Update(Option<ComputedMerge>),
}

impl Plan {
    async fn compute(
        work: &mut Work<'_>,
        opened: &LoadedChangeRequest,
        goal: Goal,
        state: &MergeState,
    ) -> Result<Self, Error> {
        if goal == Goal::Merge && !state.has_open_conflicts {
            let computed = ComputedMerge::compute(work, opened, Target::Primary).await?;
            if computed.conflicts.is_empty() {
                return Ok(Self::Merge(computed));
            }
        }
        ComputedMerge::update(work, opened).await.map(Self::Update)
    }

    async fn send_ahead(&mut self, ahead: &mut Ahead<'_>) -> Result<(), Error> {
        match self {
            Self::Merge(computed) | Self::Update(Some(computed)) => computed.draft.send_ahead(ahead).await,
            Self::Update(None) => Ok(()),
        }
    }

    async fn store(self, work: &mut Work<'_>, opened: &mut LoadedChangeRequest) -> Result<Outcome, Error> {
        match self {
            Self::Merge(computed) => merge_into_primary(work, opened, computed).await,
            Self::Update(computed) => bring_up_to_date(work, opened, computed).await,
        }
    }
}

/// Open conflicts about content that changed from the common base to the primary content. The merge finds them again if
/// they still exist.
async fn superseded(
    work: &mut Work<'_>,
    opened: &LoadedChangeRequest,
    base: &Snapshot,
    primary: &Snapshot,
) -> Result<Vec<ConflictId>, Error> {
    let open = work.change_requests().conflicts(&opened.request.id).await?;
    if open.is_empty() {
        return Ok(Vec::new());
    }
    let mut loaded = MemoryObjects::default();
    let diff = work.compute(&mut loaded, |objects| base.diff(primary, objects)).await?;
    decided(work, &mut loaded, open, &diff).await
}

impl ChangeRequests {
    /// Merges a change request into the primary content. If there are conflicts, the change request is updated instead,
    /// the conflicts are stored with it, and the primary content does not change.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Forbidden`], also with the message of a merge rule; [`Error::Conflict`] if it is
    /// merged or archived, or if the space is locked.
    pub async fn merge(&self, actor: &Actor, space: &SpaceId, which: &ChangeRequestRef) -> Result<Outcome, Error> {
        self.merge_or_update(actor, space, which, Goal::Merge).await
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
        self.merge_or_update(actor, space, which, Goal::Update).await
    }

    async fn merge_or_update(
        &self,
        actor: &Actor,
        space: &SpaceId,
        which: &ChangeRequestRef,
        goal: Goal,
    ) -> Result<Outcome, Error> {
        let mut attempt = 1;
        let mut ruled = false;
        loop {
            let (organization, state, mut plan) = {
                let mut work = self.units.read(actor).await?;
                let opened = LoadedChangeRequest::find(&mut work, space, which, |may| goal.allowed(may)).await?;
                opened.check_writable()?;
                ruled = ruled || (goal == Goal::Merge && has_rules(&mut work, &opened).await?);
                let state = MergeState::of(&mut work, &opened).await?;
                let plan = Plan::compute(&mut work, &opened, goal, &state).await?;
                (opened.space.organization.clone(), state, plan)
            };
            let mut ahead = Ahead::new(&self.units);
            plan.send_ahead(&mut ahead).await?;
            let mut work = self.units.write(actor).await?;
            // Rules and what they look at, such as the members, must be of one moment. Where no rule applies, there is
            // nothing to keep, and changes of the organization do not wait for the merge.
            let kept = ruled.then_some(organization);
            if let Some(organization) = &kept {
                work.lock_shared(&[organization.into()]).await?;
            }
            let mut opened = LoadedChangeRequest::lock(&mut work, space, which, |may| goal.allowed(may)).await?;
            opened.check_writable()?;
            if kept.as_ref() == Some(&opened.space.organization) {
                if let Some(refusal) = gate(&mut work, &opened).await?.refusal() {
                    return Err(Error::Forbidden(format!("a merge rule forbids the merge: {refusal}")));
                }
            } else if goal == Goal::Merge && has_rules(&mut work, &opened).await? {
                // They were added during this attempt, or the space was transferred. Rules that the organization adds
                // after this check are for later merges.
                ruled = true;
                continue;
            }
            let now = MergeState::of(&mut work, &opened).await?;
            let is_current = state == now;
            if !is_current && attempt < ATTEMPTS {
                attempt += 1;
                continue;
            }
            if !is_current {
                plan = Plan::compute(&mut work, &opened, goal, &now).await?;
            }
            ahead.check()?;
            let outcome = plan.store(&mut work, &mut opened).await?;
            let stored = if is_current { ahead.into_stored() } else { Stored::default() };
            work.commit_and_release(stored).await?;
            return Ok(outcome);
        }
    }

    /// Predicts the result of a merge, without merging.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    pub async fn merge_status(
        &self,
        actor: &Actor,
        space: &SpaceId,
        which: &ChangeRequestRef,
    ) -> Result<MergeStatus, Error> {
        let mut work = self.units.read(actor).await?;
        let opened = LoadedChangeRequest::find(&mut work, space, which, |may| may.view).await?;
        let gate = gate(&mut work, &opened).await?;
        let open = work.change_requests().conflicts(&opened.request.id).await?;
        let outdated = opened.outdated();
        let found = match outdated {
            true => ComputedMerge::compute(&mut work, &opened, Target::ChangeRequest).await?.conflicts,
            false => Vec::new(),
        };
        let locked = opened.space.edit_mode == EditMode::Locked;
        let writable = opened.request.check_writable().map_err(status_conflict).is_ok();
        // A conflict that is found again is reported once, in its new form.
        let again = |open: &OpenConflict| found.iter().any(|new| new.subject == open.conflict.subject);
        let open = open.into_iter().filter(|open| !again(open)).map(|open| (Some(open.id), open.conflict));
        let all: Vec<_> = open.chain(found.iter().map(|new| (None, new.clone()))).collect();
        let conflicts = show(&mut work, &opened, all).await?;
        let may = opened.space.permissions().merge;
        let mergeable = may && writable && !locked && conflicts.is_empty() && gate.refusal().is_none();
        Ok(MergeStatus { mergeable, outdated, status: opened.request.status(), locked, conflicts, gate })
    }
}

/// Makes a merge without conflicts the primary content.
async fn merge_into_primary(
    work: &mut Work<'_>,
    opened: &mut LoadedChangeRequest,
    computed: ComputedMerge,
) -> Result<Outcome, Error> {
    let ComputedMerge { inputs, draft, .. } = computed;
    let metadata = RevisionMetadata {
        merged_from: Some(opened.request.id.clone()),
        ..RevisionMetadata::new(work, &opened.space.id, RevisionKind::Merge, vec![inputs.primary, inputs.head])
    };
    let before = opened.request.status();
    opened.space.entity_mut().counters.follow(before, Status::Merged);
    let revision = advance(work, opened.space.entity_mut(), draft.with_metadata(metadata)).await?;
    let (by, at) = (work.actor.user().cloned(), work.now());
    opened.request.merge(Merge { revision: revision.clone(), by, at });
    work.change_requests().save(&opened.request).await?;
    let change = Change::ChangeRequestMerged {
        space: opened.space.id.clone(),
        change_request: opened.request.id.clone(),
        revision: revision.clone(),
    };
    opened.record(work, change).await?;
    Ok(Outcome { revision, conflicts: false })
}

/// Makes a merge the content of the change request; `None` means that it is already up to date.
async fn bring_up_to_date(
    work: &mut Work<'_>,
    opened: &mut LoadedChangeRequest,
    computed: Option<ComputedMerge>,
) -> Result<Outcome, Error> {
    if let Some(ComputedMerge { inputs, draft, conflicts, superseded }) = computed {
        let parents = vec![inputs.head, inputs.primary.clone()];
        let metadata = RevisionMetadata::new(work, &opened.space.id, RevisionKind::Update, parents);
        let revision = draft.with_metadata(metadata).store(work).await?;
        opened.request.bring_up_to_date(revision, inputs.primary, work.now());
        work.change_requests().save(&opened.request).await?;
        work.change_requests().remove_conflicts(&superseded).await?;
        let open = |conflict| OpenConflict { id: work.ids.make(), conflict };
        let conflicts: Vec<OpenConflict> = conflicts.into_iter().map(open).collect();
        work.change_requests().add_conflicts(&opened.request.id, &conflicts).await?;
        opened.record_content(work).await?;
    }
    let conflicts = !work.change_requests().conflicts(&opened.request.id).await?.is_empty();
    Ok(Outcome { revision: opened.request.revision.clone(), conflicts })
}
