//! Finds and groups the issues of conversations, and removes old conversations. One job for each organization finds and
//! groups, so two servers never change the same clusters. It computes, and asks a language model, without an open unit
//! of work.
mod ask;
mod clusters;
mod renew;
mod state;
mod vectors;

use super::Analyst;
use super::lease::{Lease, Outcome, Stop};
use crate::conversation::{Conversation, ConversationContent, ConversationIssue, SWEEP_INTERVAL, TIDY_INTERVAL};
use crate::id::{ConversationId, IssueClusterId, OrganizationId};
use crate::job::Task;
use crate::paging::PageRequest;
use crate::ports::store::conversations::StoredFeatures;
use crate::ports::{Chat, ChatQuestion, EngineError};
use crate::text::IssueTitle;
use crate::usecases::Error;
use crate::usecases::conversations::{forget, recount};
use crate::usecases::work::Work;
use ask::Answers;
use chrono::{DateTime, TimeDelta, Utc};
use clusters::{count_issues, save_clusters, tidy};
use conversations::features::FEATURE_VERSION;
use conversations::groups::{MAX_MEMBERS, upkeep_is_due};
use conversations::model::{ModelDescription, ModelIssues};
use serde::de::DeserializeOwned;
use state::{Analysed, Described, Found, IssueSource, Placed, State};
use std::collections::{BTreeMap, BTreeSet};
use vectors::Vectors;

/// The maximum number of conversations whose issues one step stores.
const BATCH: usize = 50;
/// The maximum number if a language model is asked about each conversation.
const ASKED_BATCH: usize = 8;
/// The maximum number of clusters that a language model describes in one run of the job.
const DESCRIBED: usize = 24;
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
    let mut model = Model::of(lease, analyst, organization).await?;
    let mut vectors = Vectors::of(lease, analyst, organization).await?;
    let resume_at = renew::renew(lease, analyst, organization, &mut earlier, vectors.as_mut()).await?;
    if resume_at.is_some_and(|at| at <= lease.now()) {
        return Ok(Outcome::Again(earlier.task(organization), lease.now()));
    }
    let mut known: Option<State> = None;
    loop {
        let mut work = lease.read().await?;
        let batch = if model.is_some() { ASKED_BATCH } else { BATCH };
        let waiting = work.conversations().waiting(organization, lease.now(), batch).await?;
        if waiting.is_empty() {
            break;
        }
        drop(work);
        let sources = match &mut model {
            Some(model) => model.extract(lease, &waiting).await?,
            None => waiting.iter().map(|_| IssueSource::Rules(None)).collect(),
        };
        let mut analysed = analyse(analyst, waiting, sources).await?;
        if let Some(vectors) = &mut vectors {
            vectors.add(lease, &mut analysed).await?;
        }
        while !analysed.is_empty() {
            let ids: Vec<_> = analysed.iter().map(|one| one.conversation.id.clone()).collect();
            let mut work = lease.read().await?;
            let old = work.conversations().issues_of(&ids).await?;
            let state = match known.take() {
                Some(state) => state,
                None => load(&mut work, lease, organization, model.is_some()).await?,
            };
            drop(work);
            let (mut state, placed, described) = place(analyst, state, analysed.clone(), old).await?;
            match store(lease, organization, state.stored, placed, described).await? {
                Ok(stored) => {
                    earlier.new_issues = earlier.new_issues.saturating_add(stored.added);
                    state.stored = stored.issues;
                    // The groups in memory still contain removed issues and earlier texts.
                    known = stored.groups_are_current.then_some(state);
                    break;
                }
                Err(Changed(ids)) => analysed.retain(|one| !ids.contains(&one.conversation.id)),
            }
        }
        if lease.now() - began >= LONGEST {
            return Ok(Outcome::Again(earlier.task(organization), lease.now()));
        }
    }
    if earlier.new_issues > 0 {
        let state = match known {
            Some(state) => state,
            None => load(&mut lease.read().await?, lease, organization, model.is_some()).await?,
        };
        // Issues are not grouped from scratch while the features of some are still old.
        let waits = resume_at.is_some() && earlier.tidied_at.is_none();
        let from_scratch = !waits && earlier.groups_from_scratch(state.len());
        let tidies = if waits { earlier.has_grown(state.len()) } else { earlier.tidy_is_due(state.len(), lease.now()) };
        if tidies {
            let mut state = state;
            while !tidy(lease, analyst, organization, state, from_scratch).await? {
                if lease.now() - began >= LONGEST {
                    return Ok(Outcome::Again(earlier.task(organization), lease.now()));
                }
                state = load(&mut lease.read().await?, lease, organization, model.is_some()).await?;
            }
            earlier = match waits {
                true => Earlier { new_issues: 1, ..earlier },
                false => Earlier { new_issues: 0, tidied_at: Some(lease.now()) },
            };
            known = None;
        } else {
            known = Some(state);
        }
    }
    let tomorrow = lease.now() + TIDY_INTERVAL;
    let mut again_at = resume_at.map_or(tomorrow, |at| at.min(tomorrow));
    if let Some(model) = &mut model {
        let state = match known {
            Some(state) => state,
            None => load(&mut lease.read().await?, lease, organization, true).await?,
        };
        if let Some(at) = model.describe(lease, state).await? {
            again_at = again_at.min(at);
        }
    }
    let page = PageRequest { limit: 1, ..PageRequest::default() };
    let mut work = lease.read().await?;
    let any = !work.conversations().list(organization, None, &page).await?.items.is_empty();
    let asked_again = work.conversations().ask_again_at(organization).await?;
    again_at = asked_again.map_or(again_at, |at| again_at.min(at));
    Ok(if any { Outcome::Again(earlier.task(organization), again_at) } else { Outcome::Done })
}

/// A language model that the organization allows.
struct Model<'l> {
    chat: &'l dyn Chat,
    organization: &'l OrganizationId,
    /// When to ask it again, after it failed.
    paused_until: Option<DateTime<Utc>>,
}

impl<'l> Model<'l> {
    /// The model, if there is one and the organization allows it.
    async fn of(
        lease: &Lease<'_>,
        analyst: &'l Analyst,
        organization: &'l OrganizationId,
    ) -> Result<Option<Self>, Stop> {
        let Some(chat) = &analyst.chat else { return Ok(None) };
        let allows = lease.read().await?.allows_models(organization).await?;
        Ok(allows.then(|| Self { chat: &**chat, organization, paused_until: None }))
    }

    /// Asks for the issues of conversations.
    async fn extract(
        &mut self,
        lease: &Lease<'_>,
        waiting: &[(Conversation, ConversationContent)],
    ) -> Result<Vec<IssueSource>, Stop> {
        if let Some(until) = self.paused_until {
            return Ok(waiting.iter().map(|_| IssueSource::Rules(Some(until))).collect());
        }
        let questions: Vec<ChatQuestion> = waiting.iter().map(|(one, content)| ask::extraction(one, content)).collect();
        let answers = self.ask::<ModelIssues>(lease, &questions).await?;
        let now = lease.now();
        let sources = waiting.iter().zip(answers).map(|((conversation, _), answer)| match answer {
            Ok(issues) => IssueSource::Model(issues),
            Err(error) => {
                let paused = ask::paused_until(&error, now);
                IssueSource::Rules(paused.or_else(|| ask::again_after_unusable(conversation, now)))
            }
        });
        Ok(sources.collect())
    }

    /// Asks for descriptions of clusters. Returns when to continue, if some are left.
    async fn describe(&mut self, lease: &Lease<'_>, mut state: State) -> Result<Option<DateTime<Utc>>, Stop> {
        let clusters = state.to_describe(DESCRIBED + 1);
        if self.paused_until.is_some() || clusters.is_empty() {
            return Ok(self.paused_until.filter(|_| !clusters.is_empty()));
        }
        let some = &clusters[..clusters.len().min(DESCRIBED)];
        let questions: Vec<ChatQuestion> = some.iter().map(ask::description).collect();
        let answers = self.ask::<ModelDescription>(lease, &questions).await?;
        let pairs = some.iter().zip(answers);
        let described: Vec<Described> =
            pairs.filter_map(|(cluster, answer)| state.describe_as(cluster, answer.ok()?)).collect();
        let mut work = lease.step_with(&[self.organization.into()]).await?;
        let now = work.now();
        if count_issues(&mut work, self.organization).await? != state.stored {
            work.commit().await?;
            return Ok(Some(now));
        }
        save_clusters(&mut work, self.organization, &described, now).await?;
        work.commit().await?;
        // Do not ask an engine forever if no description is usable.
        let is_useful = !described.is_empty();
        Ok(self.paused_until.or_else(|| (clusters.len() > DESCRIBED && is_useful).then_some(now)))
    }

    async fn ask<T: DeserializeOwned + Send>(
        &mut self,
        lease: &Lease<'_>,
        questions: &[ChatQuestion],
    ) -> Result<Vec<Result<T, EngineError>>, Stop> {
        let Answers { answers, used } = ask::ask(self.chat, questions).await;
        let now = lease.now();
        self.paused_until = answers.iter().filter_map(|answer| ask::paused_until(answer.as_ref().err()?, now)).max();
        let mut work = lease.step().await?;
        work.count_questions(self.organization, questions, used).await?;
        work.commit().await?;
        Ok(answers)
    }
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

/// The result of storing a batch.
struct Stored {
    /// The number of issues that are new.
    added: u32,
    /// The number of all issues of the organization.
    issues: usize,
    /// Whether the groups in memory equal the stored ones.
    groups_are_current: bool,
}

/// Nothing was stored: these conversations have changed since they were read, or others were deleted.
struct Changed(Vec<ConversationId>);

/// Stores the issues of conversations. Stores nothing if conversations have changed: a cluster could show the text of a
/// deleted conversation. `known` is the number of all issues when the groups were loaded.
async fn store(
    lease: &Lease<'_>,
    organization: &OrganizationId,
    known: usize,
    placed: Vec<Placed>,
    described: Vec<Described>,
) -> Result<Result<Stored, Changed>, Stop> {
    let mut work = lease.step_with(&[organization.into()]).await?;
    let now = work.now();
    let ids: Vec<_> = placed.iter().map(|one| one.conversation.id.clone()).collect();
    let current = work.conversations().find_all(organization, &ids).await?;
    let mut current: BTreeMap<_, _> = current.into_iter().map(|one| (one.id.clone(), one)).collect();
    let is_same = |read: &Conversation| {
        let now = current.get(&read.id);
        now.is_some_and(|now| now.hash == read.hash && now.processed_at == read.processed_at)
    };
    let changed = placed.iter().filter(|one| !is_same(&one.conversation));
    let changed: Vec<ConversationId> = changed.map(|one| one.conversation.id.clone()).collect();
    if !changed.is_empty() || count_issues(&mut work, organization).await? != known {
        work.commit().await?;
        return Ok(Err(Changed(changed)));
    }
    let mut stored = Stored { added: 0, issues: known, groups_are_current: true };
    let before = work.conversations().issues_of(&ids).await?;
    save_clusters(&mut work, organization, &described, now).await?;
    let mut touched: BTreeSet<IssueClusterId> = BTreeSet::new();
    let mut gone = Vec::new();
    for Placed { conversation, language, impact, ask_again_at, issues, removed } in placed {
        let Some(mut conversation) = current.remove(&conversation.id) else { continue };
        for (_, cluster) in &removed {
            touched.insert(cluster.clone());
        }
        gone.extend(removed.into_iter().map(|(issue, _)| issue));
        for Found { id, title, details, gist, impact, features, cluster, is_new, moved_from } in issues {
            stored.added += u32::from(is_new);
            stored.groups_are_current &= moved_from.is_none();
            touched.extend(moved_from);
            let old = before.iter().find(|old| old.id == id);
            let issue = ConversationIssue {
                id,
                organization: organization.clone(),
                conversation: conversation.id.clone(),
                cluster,
                title: IssueTitle::fitted(&title, "Untitled"),
                details,
                gist,
                impact,
                language,
                created_at: conversation.created_at,
                ingested_at: old.map_or(now, |old| old.ingested_at),
            };
            // The groups in memory have the earlier text of an issue.
            stored.groups_are_current &= old.is_none_or(|old| is_same_issue(old, &issue));
            let stays = old.is_some_and(|old| is_same_issue(old, &issue) && old.impact == impact);
            if !stays {
                touched.insert(issue.cluster.clone());
            }
            let features = StoredFeatures { version: FEATURE_VERSION, bytes: features };
            work.conversations().save_issue(&issue, &features).await?;
        }
        conversation.language = language;
        conversation.impact = impact;
        conversation.processed_at = Some(now);
        conversation.ask_again_at = ask_again_at;
        work.conversations().save(&conversation, None).await?;
    }
    if !gone.is_empty() {
        stored.groups_are_current = false;
        work.conversations().remove_issues(organization, &gone).await?;
    }
    stored.issues = count_issues(&mut work, organization).await?;
    let after = if before.is_empty() { Vec::new() } else { work.conversations().issues_of(&ids).await? };
    let stays = |old: &ConversationIssue| after.iter().any(|new| is_same_issue(old, new));
    let removed: Vec<ConversationIssue> = before.into_iter().filter(|old| !stays(old)).collect();
    recount(&mut work, organization, touched, &removed).await?;
    work.commit().await?;
    Ok(Ok(stored))
}

/// Whether an issue is in the same cluster with the same title and the same gist as before.
fn is_same_issue(old: &ConversationIssue, new: &ConversationIssue) -> bool {
    new.id == old.id && new.cluster == old.cluster && new.title == old.title && new.gist == old.gist
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
            let page = PageRequest { limit: 1, ..PageRequest::default() };
            let any = !work.conversations().list(organization, None, &page).await?.items.is_empty();
            work.commit().await?;
            let again = Task::SweepConversations { organization: organization.clone() };
            return Ok(if any { Outcome::Again(again, lease.now() + SWEEP_INTERVAL) } else { Outcome::Done });
        }
        forget(&mut work, organization, &old).await?;
        work.commit().await?;
    }
}
