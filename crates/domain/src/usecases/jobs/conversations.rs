//! Finds and groups the issues of conversations, and removes old conversations. One job for each organization finds and
//! groups, so two servers never change the same clusters. It computes, and asks a language model, without an open unit
//! of work.
mod ask;
mod clusters;
mod model;
mod renew;
mod state;
mod store;
mod vectors;

use super::Analyst;
use super::lease::{Lease, Outcome, Stop};
use crate::conversation::{Conversation, ConversationContent, ConversationIssue, SWEEP_INTERVAL, TIDY_INTERVAL};
use crate::id::{IssueClusterId, OrganizationId};
use crate::job::Task;
use crate::paging::PageRequest;
use crate::usecases::Error;
use crate::usecases::conversations::forget;
use crate::usecases::work::Work;
use chrono::{DateTime, TimeDelta, Utc};
use clusters::{count_issues, tidy};
use conversations::groups::{MAX_MEMBERS, upkeep_is_due};
use model::Model;
use state::{Analysed, Described, IssueSource, Placed, State};
use std::collections::BTreeSet;
use store::{StoreOutcome, store};
use vectors::Vectors;

/// The maximum number of conversations whose issues one step stores.
const BATCH: usize = 50;
/// The maximum number if a language model is asked about each conversation.
const ASKED_BATCH: usize = 8;
/// The maximum duration of a run, so that the jobs of other organizations can run.
const LONGEST: TimeDelta = TimeDelta::seconds(30);
/// The maximum number of conversations that one step removes.
const REMOVED: usize = 100;

/// The state of the job after its last run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Earlier {
    /// The number of new issues since all clusters were last regrouped.
    pub(super) new_issues: u32,
    /// When all clusters were last regrouped; absent to group all issues from scratch.
    pub(super) tidied_at: Option<DateTime<Utc>>,
}

impl Earlier {
    fn task(self, organization: &OrganizationId) -> Task {
        let Self { new_issues, tidied_at } = self;
        Task::GroupConversations { organization: organization.clone(), new_issues, tidied_at }
    }

    /// Whether all clusters are due to be regrouped: after a day, or if enough issues are new.
    fn tidy_is_due(self, issues: usize, now: DateTime<Utc>) -> bool {
        self.tidied_at.is_none_or(|at| now - at >= TIDY_INTERVAL) || self.has_grown(issues)
    }

    /// Whether all issues are grouped from scratch: at first, and if most of them are new. An upkeep moves few issues,
    /// so it would leave most of the new ones in their clusters. `issues` is the number of all issues.
    fn groups_from_scratch(self, issues: usize) -> bool {
        self.tidied_at.is_none() || (self.has_grown(issues) && self.new_issues as usize > issues / 2)
    }

    /// Whether enough issues are new for an upkeep. `issues` is the number of all issues.
    fn has_grown(self, issues: usize) -> bool {
        upkeep_is_due(issues, issues.saturating_sub(self.new_issues as usize))
    }
}

/// Finds and groups the issues of new conversations.
pub(super) async fn group(
    lease: &Lease<'_>,
    organization: &OrganizationId,
    mut earlier: Earlier,
) -> Result<Outcome, Stop> {
    let Some(analyst) = &lease.jobs.analyst else { return Err(Error::Unable("analyse conversations").into()) };
    let began = lease.now();
    let model = Model::of(lease, analyst, organization).await?;
    let mut vectors = Vectors::of(lease, analyst, organization).await?;
    let resume_at = renew::renew(lease, analyst, organization, &mut earlier, vectors.as_mut()).await?;
    if resume_at.is_some_and(|at| at <= lease.now()) {
        return Ok(Outcome::Again(earlier.task(organization), lease.now()));
    }
    let mut run = Run { lease, analyst, organization, began, model, vectors, earlier, state: None };
    if run.add_waiting().await? && run.tidy(resume_at.is_some()).await? {
        return run.end(resume_at).await;
    }
    Ok(Outcome::Again(run.earlier.task(organization), lease.now()))
}

/// A run of the job for an organization.
struct Run<'l> {
    lease: &'l Lease<'l>,
    analyst: &'l Analyst,
    organization: &'l OrganizationId,
    began: DateTime<Utc>,
    model: Option<Model<'l>>,
    vectors: Option<Vectors<'l>>,
    earlier: Earlier,
    /// The groups in memory; absent if they differ from the stored ones.
    state: Option<State>,
}

impl Run<'_> {
    /// Whether the run has reached its maximum duration.
    fn is_over(&self) -> bool {
        self.lease.now() - self.began >= LONGEST
    }

    /// The groups in memory, or else the stored ones.
    async fn take_state(&mut self) -> Result<State, Stop> {
        match self.state.take() {
            Some(state) => Ok(state),
            None => {
                let (lease, asks) = (self.lease, self.model.is_some());
                load(&mut lease.read().await?, lease, self.organization, asks).await
            }
        }
    }

    /// Finds and groups the issues of all waiting conversations. Returns `false` if the run is over before.
    async fn add_waiting(&mut self) -> Result<bool, Stop> {
        let lease = self.lease;
        let batch = if self.model.is_some() { ASKED_BATCH } else { BATCH };
        loop {
            let mut work = lease.read().await?;
            let waiting = work.conversations().waiting(self.organization, lease.now(), batch).await?;
            drop(work);
            if waiting.is_empty() {
                return Ok(true);
            }
            let sources = match &mut self.model {
                Some(model) => model.extract(lease, &waiting).await?,
                None => waiting.iter().map(|_| IssueSource::Rules(None)).collect(),
            };
            let mut analysed = analyse(self.analyst, waiting, sources).await?;
            if let Some(vectors) = &mut self.vectors {
                vectors.add(lease, &mut analysed).await?;
            }
            self.add(analysed).await?;
            if self.is_over() {
                return Ok(false);
            }
        }
    }

    /// Groups the issues of conversations and stores them. Leaves out conversations that change before that.
    async fn add(&mut self, mut analysed: Vec<Analysed>) -> Result<(), Stop> {
        let lease = self.lease;
        while !analysed.is_empty() {
            let ids: Vec<_> = analysed.iter().map(|one| one.conversation.id.clone()).collect();
            let mut work = lease.read().await?;
            let old = work.conversations().issues_of(&ids).await?;
            let state = match self.state.take() {
                Some(state) => state,
                None => load(&mut work, lease, self.organization, self.model.is_some()).await?,
            };
            drop(work);
            let (mut state, placed, described) = place(self.analyst, state, analysed.clone(), old).await?;
            match store(lease, self.organization, state.stored, placed, described).await? {
                StoreOutcome::Stored(stored) => {
                    self.earlier.new_issues = self.earlier.new_issues.saturating_add(stored.added);
                    state.stored = stored.issues;
                    // The groups in memory still contain removed issues and earlier texts.
                    self.state = stored.groups_are_current.then_some(state);
                    return Ok(());
                }
                StoreOutcome::Changed(ids) => analysed.retain(|one| !ids.contains(&one.conversation.id)),
            }
        }
        Ok(())
    }

    /// Regroups all clusters if they are due. `renews` is whether the features of some issues are still old: until they
    /// are renewed, issues are not grouped from scratch. Returns `false` if the run is over before.
    async fn tidy(&mut self, renews: bool) -> Result<bool, Stop> {
        if self.earlier.new_issues == 0 {
            return Ok(true);
        }
        let (lease, earlier) = (self.lease, self.earlier);
        let mut state = self.take_state().await?;
        let waits = renews && earlier.tidied_at.is_none();
        let from_scratch = !waits && earlier.groups_from_scratch(state.len());
        let is_due = if waits { earlier.has_grown(state.len()) } else { earlier.tidy_is_due(state.len(), lease.now()) };
        if !is_due {
            self.state = Some(state);
            return Ok(true);
        }
        while !tidy(lease, self.analyst, self.organization, state, from_scratch).await? {
            if self.is_over() {
                return Ok(false);
            }
            state = self.take_state().await?;
        }
        self.earlier = match waits {
            true => Earlier { new_issues: 1, ..earlier },
            false => Earlier { new_issues: 0, tidied_at: Some(lease.now()) },
        };
        Ok(true)
    }

    /// Describes clusters, and decides when the job runs again. `resume_at` is when to continue renewing features.
    async fn end(mut self, resume_at: Option<DateTime<Utc>>) -> Result<Outcome, Stop> {
        let lease = self.lease;
        let tomorrow = lease.now() + TIDY_INTERVAL;
        let mut again_at = resume_at.map_or(tomorrow, |at| at.min(tomorrow));
        if self.model.is_some() {
            let state = self.take_state().await?;
            let described = match &mut self.model {
                Some(model) => model.describe(lease, state).await?,
                None => None,
            };
            again_at = described.map_or(again_at, |at| again_at.min(at));
        }
        let mut work = lease.read().await?;
        let any = has_any(&mut work, self.organization).await?;
        let asked_again = work.conversations().ask_again_at(self.organization).await?;
        again_at = asked_again.map_or(again_at, |at| again_at.min(at));
        Ok(if any { Outcome::Again(self.earlier.task(self.organization), again_at) } else { Outcome::Done })
    }
}

/// Whether an organization has conversations.
async fn has_any(work: &mut Work<'_>, organization: &OrganizationId) -> Result<bool, Error> {
    let page = PageRequest { limit: 1, ..PageRequest::default() };
    Ok(!work.conversations().list(organization, None, &page).await?.items.is_empty())
}

/// When the job is due again. Checks for new conversations in the unit of work that stores the time.
pub(super) async fn due(
    work: &mut Work<'_>,
    task: &Task,
    at: DateTime<Utc>,
    now: DateTime<Utc>,
) -> Result<DateTime<Utc>, Stop> {
    let Task::GroupConversations { organization, .. } = task else { return Ok(at) };
    let waits = !work.conversations().waiting(organization, now, 1).await?.is_empty();
    Ok(if waits { now } else { at })
}

async fn load(
    work: &mut Work<'_>,
    lease: &Lease<'_>,
    organization: &OrganizationId,
    asks: bool,
) -> Result<State, Stop> {
    let issues = work.conversations().grouped(organization, MAX_MEMBERS).await?;
    let ids: BTreeSet<IssueClusterId> = issues.iter().map(|issue| issue.cluster.clone()).collect();
    let ids: Vec<IssueClusterId> = ids.into_iter().collect();
    let clusters = work.conversations().clusters_by_id(organization, &ids).await?;
    let stored = count_issues(work, organization).await?;
    Ok(State::new(lease.jobs.units.ids.clone(), issues, &clusters, stored, asks))
}

/// Finds the issues of conversations.
async fn analyse(
    analyst: &Analyst,
    waiting: Vec<(Conversation, ConversationContent)>,
    sources: Vec<IssueSource>,
) -> Result<Vec<Analysed>, Stop> {
    let masks = analyst.redact;
    let found = move |((conversation, content), source)| Analysed::new(conversation, &content, source, masks);
    let computed = analyst.long_work.compute(move || waiting.into_iter().zip(sources).map(found).collect()).await;
    computed.ok_or_else(panicked)
}

fn panicked() -> Stop {
    Error::Corrupt("the analysis of conversations panicked: see the log".into()).into()
}

/// Finds the clusters of issues.
async fn place(
    analyst: &Analyst,
    mut state: State,
    analysed: Vec<Analysed>,
    old: Vec<ConversationIssue>,
) -> Result<(State, Vec<Placed>, Vec<Described>), Stop> {
    let compute = move || {
        let placed: Vec<Placed> = analysed.into_iter().map(|one| state.place(one, &old)).collect();
        let described = state.describe_changed();
        (state, placed, described)
    };
    let computed = analyst.long_work.compute(compute).await;
    computed.ok_or_else(panicked)
}

/// Removes the conversations of an organization whose retention period is over.
pub(super) async fn sweep(lease: &Lease<'_>, organization: &OrganizationId) -> Result<Outcome, Stop> {
    let keep = lease.jobs.analyst.as_ref().and_then(|analyst| analyst.keep);
    loop {
        let mut work = lease.step_with(&[organization.into()]).await?;
        let old = match keep {
            Some(keep) => work.conversations().older(organization, lease.now() - keep, REMOVED).await?,
            None => Vec::new(),
        };
        if old.is_empty() {
            let any = has_any(&mut work, organization).await?;
            work.commit().await?;
            let again = Task::SweepConversations { organization: organization.clone() };
            return Ok(if any { Outcome::Again(again, lease.now() + SWEEP_INTERVAL) } else { Outcome::Done });
        }
        forget(&mut work, organization, &old).await?;
        work.commit().await?;
    }
}
