//! Conversations: finding their issues, grouping these, and removing old conversations. One job for each organization
//! does the first two, so two servers never change the same clusters. Its computations run without a unit of work, and so do
//! its questions to a language model.
mod ask;
mod renew;
mod state;
mod vectors;

use super::Analyst;
use super::lease::{Lease, Outcome, Stop};
use crate::conversation::{
    Conversation, ConversationContent, ConversationIssue, IssueCluster, SWEEP_INTERVAL, TIDY_INTERVAL,
};
use crate::id::{IssueClusterId, OrganizationId};
use crate::job::Task;
use crate::paging::PageRequest;
use crate::ports::store::conversations::StoredFeatures;
use crate::ports::{Chat, ChatQuestion, EngineError};
use crate::text::{ClusterLabel, IssueTitle};
use crate::usecases::Error;
use crate::usecases::conversations::{forget, recount};
use crate::usecases::work::Work;
use ask::Answers;
use chrono::{DateTime, TimeDelta, Utc};
use conversations::features::FEATURE_VERSION;
use conversations::groups::{MAX_MEMBERS, upkeep_is_due};
use conversations::model::{ModelDescription, ModelIssues};
use serde::de::DeserializeOwned;
use state::{Analysed, Described, Found, Placed, State, Tidied, Told};
use std::collections::{BTreeMap, BTreeSet};
use vectors::Vectors;

/// The number of conversations whose issues one step stores.
const BATCH: usize = 50;
/// The same if a language model is asked about each.
const ASKED_BATCH: usize = 8;
/// The most clusters that a language model describes in one turn.
const DESCRIBED: usize = 24;
/// How long the job works before it lets other organizations have their turn.
const LONGEST: TimeDelta = TimeDelta::seconds(30);
/// The number of conversations that one step removes.
const REMOVED: usize = 100;

/// What the job knows from its last run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Earlier {
    /// The number of issues since the clusters were last looked at as a whole.
    pub(super) new_issues: u32,
    /// When that was; absent to group all issues from scratch.
    pub(super) tidied_at: Option<DateTime<Utc>>,
}

impl Earlier {
    fn task(self, organization: &OrganizationId) -> Task {
        let Self { new_issues, tidied_at } = self;
        Task::GroupConversations { organization: organization.clone(), new_issues, tidied_at }
    }

    fn tidies(self, issues: usize, now: DateTime<Utc>) -> bool {
        self.tidied_at.is_none_or(|at| now - at >= TIDY_INTERVAL) || self.has_grown(issues)
    }

    /// Whether all of so many issues are grouped from scratch: at first, and if most of them are new. An upkeep moves few
    /// issues, so it would leave most of the new ones where they are.
    fn starts_again(self, issues: usize) -> bool {
        self.tidied_at.is_none() || (self.has_grown(issues) && self.new_issues as usize > issues / 2)
    }

    /// Whether enough of so many issues are new.
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
    let left = renew::renew(lease, analyst, organization, &mut earlier, vectors.as_mut()).await?;
    if left.is_some_and(|at| at <= lease.now()) {
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
        let ids: Vec<_> = waiting.iter().map(|(conversation, _)| conversation.id.clone()).collect();
        let old = work.conversations().issues_of(&ids).await?;
        let state = match known.take() {
            Some(state) => state,
            None => load(&mut work, lease, organization, model.is_some()).await?,
        };
        drop(work);
        let told = match &mut model {
            Some(model) => model.extract(lease, &waiting).await?,
            None => waiting.iter().map(|_| Told::Rules(None)).collect(),
        };
        let mut analysed = analyse(analyst, waiting, told).await?;
        if let Some(vectors) = &mut vectors {
            vectors.add(lease, &mut analysed).await?;
        }
        let (state, placed, described) = place(analyst, state, analysed, old).await?;
        let stored = store(lease, organization, placed, described).await?;
        earlier.new_issues = earlier.new_issues.saturating_add(stored.added);
        // Issues that were removed are still in the groups.
        known = stored.as_placed.then_some(state);
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
        let waits = left.is_some() && earlier.tidied_at.is_none();
        if waits && earlier.has_grown(state.len()) {
            tidy(lease, analyst, organization, state, false).await?;
            earlier.new_issues = 1;
            known = None;
        } else if !waits && earlier.tidies(state.len(), lease.now()) {
            let from_scratch = earlier.starts_again(state.len());
            tidy(lease, analyst, organization, state, from_scratch).await?;
            earlier = Earlier { new_issues: 0, tidied_at: Some(lease.now()) };
            known = None;
        } else {
            known = Some(state);
        }
    }
    let tomorrow = lease.now() + TIDY_INTERVAL;
    let mut again_at = left.map_or(tomorrow, |at| at.min(tomorrow));
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
    /// Until when it is not asked, after it failed.
    rests_until: Option<DateTime<Utc>>,
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
        Ok(allows.then(|| Self { chat: &**chat, organization, rests_until: None }))
    }

    /// Asks for the issues of conversations.
    async fn extract(
        &mut self,
        lease: &Lease<'_>,
        waiting: &[(Conversation, ConversationContent)],
    ) -> Result<Vec<Told>, Stop> {
        if let Some(until) = self.rests_until {
            return Ok(waiting.iter().map(|_| Told::Rules(Some(until))).collect());
        }
        let questions: Vec<ChatQuestion> = waiting.iter().map(|(one, content)| ask::extraction(one, content)).collect();
        let answers = self.ask::<ModelIssues>(lease, &questions).await?;
        let now = lease.now();
        let told = waiting.iter().zip(answers).map(|((conversation, _), answer)| match answer {
            Ok(told) => Told::Model(told),
            Err(error) => Told::Rules(ask::rest(&error, now).or_else(|| ask::again_after_garbled(conversation, now))),
        });
        Ok(told.collect())
    }

    /// Asks what clusters are about. Returns when to go on, if some are left.
    async fn describe(&mut self, lease: &Lease<'_>, mut state: State) -> Result<Option<DateTime<Utc>>, Stop> {
        let clusters = state.to_describe(DESCRIBED + 1);
        if self.rests_until.is_some() || clusters.is_empty() {
            return Ok(self.rests_until.filter(|_| !clusters.is_empty()));
        }
        let some = &clusters[..clusters.len().min(DESCRIBED)];
        let questions: Vec<ChatQuestion> = some.iter().map(ask::description).collect();
        let answers = self.ask::<ModelDescription>(lease, &questions).await?;
        let told = some.iter().zip(answers).filter_map(|(cluster, answer)| state.describe_as(cluster, answer.ok()?));
        let described: Vec<Described> = told.collect();
        let mut work = lease.step_with(&[self.organization.into()]).await?;
        let now = work.now();
        save_clusters(&mut work, self.organization, &described, now).await?;
        work.commit().await?;
        // An engine that describes nothing as it should is not asked without end.
        let is_useful = !described.is_empty();
        Ok(self.rests_until.or_else(|| (clusters.len() > DESCRIBED && is_useful).then_some(now)))
    }

    async fn ask<T: DeserializeOwned + Send>(
        &mut self,
        lease: &Lease<'_>,
        questions: &[ChatQuestion],
    ) -> Result<Vec<Result<T, EngineError>>, Stop> {
        let Answers { answers, used } = ask::ask(self.chat, questions).await;
        let now = lease.now();
        self.rests_until = answers.iter().filter_map(|answer| ask::rest(answer.as_ref().err()?, now)).max();
        let mut work = lease.step().await?;
        work.count_questions(self.organization, questions, used).await?;
        work.commit().await?;
        Ok(answers)
    }
}

/// When the job is due, in the unit of work that stores this: conversations may have come since it looked.
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
    Ok(State::new(lease.jobs.units.ids.clone(), issues, &clusters, asks))
}

/// Finds the issues of conversations.
async fn analyse(
    analyst: &Analyst,
    waiting: Vec<(Conversation, ConversationContent)>,
    told: Vec<Told>,
) -> Result<Vec<Analysed>, Stop> {
    let found = |((conversation, content), told)| Analysed::new(conversation, &content, told);
    let computed = analyst.long_work.compute(move || waiting.into_iter().zip(told).map(found).collect()).await;
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

/// What was stored of a batch.
struct Stored {
    /// The number of issues that are new.
    added: u32,
    /// Whether the groups in memory are those that are stored.
    as_placed: bool,
}

/// Stores the issues of conversations that have not changed since they were read.
async fn store(
    lease: &Lease<'_>,
    organization: &OrganizationId,
    placed: Vec<Placed>,
    described: Vec<Described>,
) -> Result<Stored, Stop> {
    let mut work = lease.step_with(&[organization.into()]).await?;
    let now = work.now();
    let ids: Vec<_> = placed.iter().map(|one| one.conversation.id.clone()).collect();
    let current = work.conversations().find_all(organization, &ids).await?;
    let current: BTreeMap<_, _> = current.into_iter().map(|one| (one.id.clone(), one)).collect();
    let mut stored = Stored { added: 0, as_placed: true };
    save_clusters(&mut work, organization, &described, now).await?;
    // Also those that a conversation would have begun that has changed since: they have no issue.
    let mut touched: BTreeSet<IssueClusterId> = described.iter().map(|one| one.cluster.clone()).collect();
    let mut gone = Vec::new();
    for Placed { conversation, language, impact, ask_again_at, issues, removed } in placed {
        let same = |one: &&Conversation| one.hash == conversation.hash && one.processed_at == conversation.processed_at;
        let Some(mut conversation) = current.get(&conversation.id).filter(same).cloned() else {
            stored.as_placed = false;
            continue;
        };
        for (_, cluster) in &removed {
            touched.insert(cluster.clone());
        }
        gone.extend(removed.into_iter().map(|(issue, _)| issue));
        for Found { id, title, details, gist, impact, features, cluster, is_new, left } in issues {
            stored.added += u32::from(is_new);
            stored.as_placed &= left.is_none();
            touched.extend(left);
            touched.insert(cluster.clone());
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
                ingested_at: now,
            };
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
        stored.as_placed = false;
        work.conversations().remove_issues(organization, &gone).await?;
    }
    recount(&mut work, organization, touched).await?;
    work.commit().await?;
    Ok(stored)
}

/// Stores what clusters are about, also of new ones.
async fn save_clusters(
    work: &mut Work<'_>,
    organization: &OrganizationId,
    described: &[Described],
    now: DateTime<Utc>,
) -> Result<(), Error> {
    let ids: Vec<IssueClusterId> = described.iter().map(|one| one.cluster.clone()).collect();
    let found = work.conversations().clusters_by_id(organization, &ids).await?;
    let mut known: BTreeMap<IssueClusterId, IssueCluster> =
        found.into_iter().map(|cluster| (cluster.id.clone(), cluster)).collect();
    for Described { cluster: id, language, impact, about, by_model: described_issues } in described {
        let label = ClusterLabel::fitted(&about.label, "Other");
        let text = about.summary.document().unwrap_or_default();
        let cluster = match known.remove(id) {
            Some(before) => {
                let relabelled = before.label != label;
                let updated_at = if relabelled { now } else { before.updated_at };
                IssueCluster {
                    label,
                    summary: text,
                    icon: about.icon.to_owned(),
                    described_issues: *described_issues,
                    updated_at,
                    ..before
                }
            }
            None => IssueCluster {
                id: id.clone(),
                organization: organization.clone(),
                language: *language,
                label,
                summary: text,
                icon: about.icon.to_owned(),
                impact: *impact,
                muted: false,
                merged_into: None,
                issues: 0,
                conversations: 0,
                described_issues: *described_issues,
                created_at: now,
                updated_at: now,
            },
        };
        work.conversations().save_cluster(&cluster).await?;
    }
    Ok(())
}

/// Looks at all clusters: merges those that are alike, moves issues that are nearer to another, and labels them again.
/// `from_scratch` groups all issues as if they came again.
async fn tidy(
    lease: &Lease<'_>,
    analyst: &Analyst,
    organization: &OrganizationId,
    mut state: State,
    from_scratch: bool,
) -> Result<(), Stop> {
    let computed = analyst.long_work.compute(move || state.tidy(from_scratch)).await;
    let tidied: Tidied =
        computed.ok_or_else(|| Error::Corrupt("the grouping of issues panicked: see the log".into()))?;
    let Tidied { heirs, moved, described } = tidied;
    let mut work = lease.step_with(&[organization.into()]).await?;
    let now = work.now();
    save_clusters(&mut work, organization, &described, now).await?;
    let mut touched = BTreeSet::new();
    for (from, to) in heirs {
        inherit(&mut work, organization, &from, &to).await?;
        touched.insert(to);
    }
    for (to, (issues, sources)) in moved {
        work.conversations().move_issues(organization, &issues, &to).await?;
        touched.extend(sources);
        touched.insert(to);
    }
    recount(&mut work, organization, touched).await?;
    Ok(work.commit().await?)
}

/// Gives the issues of a cluster to another one, under whose id it answers from now on.
async fn inherit(
    work: &mut Work<'_>,
    organization: &OrganizationId,
    from: &IssueClusterId,
    to: &IssueClusterId,
) -> Result<(), Error> {
    let Some(mut old) = work.conversations().cluster(organization, from).await? else { return Ok(()) };
    let Some(mut heir) = work.conversations().cluster(organization, to).await? else { return Ok(()) };
    work.conversations().pass_on(organization, from, to).await?;
    // Work may still be wanted for one of them.
    heir.muted &= old.muted;
    heir.updated_at = work.now();
    old.merged_into = Some(to.clone());
    old.issues = 0;
    old.conversations = 0;
    work.conversations().save_cluster(&heir).await?;
    Ok(work.conversations().save_cluster(&old).await?)
}

/// Removes the conversations of an organization that are older than they are kept.
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
