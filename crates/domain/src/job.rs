//! Jobs: background work that runs after the request that caused it. The transaction of that request stores the job;
//! one server at a time claims it; a failed job is retried.
use crate::content::search::VERSION;
use crate::id::{
    ChangeRequestId, CollectionId, DeliveryId, JobId, OpenapiSpecId, OpenapiVersionId, OrganizationId, PageId,
    RevisionId, SpaceId, ThreadId, TranslationId, UserId, WebhookId,
};
use crate::openapi_spec::SpecSlug;
use crate::retention::{GRACE, Stage};
use crate::web_address::WebAddress;
use crate::words;
use chrono::{DateTime, DurationRound, TimeDelta, Utc};
use serde::{Deserialize, Deserializer, Serialize};

/// How long a claim is valid without renewal. The job of a server that stopped can be claimed after this time.
pub const LEASE: TimeDelta = TimeDelta::minutes(5);
/// How far the clocks of servers may differ without being detected.
pub const SKEW: TimeDelta = TimeDelta::hours(1);
/// How often a job is tried before it is given up.
pub const MAX_ATTEMPTS: u32 = 16;
/// How long a job waits after its first failure. The wait doubles with each further failure.
const FIRST_WAIT: TimeDelta = TimeDelta::seconds(10);
/// The longest wait between two attempts.
const LONGEST_WAIT: TimeDelta = TimeDelta::hours(6);
/// The kind of [`Task::MailThread`].
pub const MAIL_THREAD: &str = "mail-thread";
/// The kind of [`Task::SendWebhook`].
pub const SEND_WEBHOOK: &str = "send-webhook";
/// The kind of [`Task::ProcessOpenapi`].
pub const PROCESS_OPENAPI: &str = "process-openapi";
/// The kind of [`Task::RenewOpenapi`].
pub const RENEW_OPENAPI: &str = "renew-openapi";
/// The kind of [`Task::GroupConversations`].
pub const GROUP_CONVERSATIONS: &str = "group-conversations";
/// The kind of [`Task::SweepConversations`].
pub const SWEEP_CONVERSATIONS: &str = "sweep-conversations";
/// The kind of [`Task::DraftChangeRequest`].
pub const DRAFT_CHANGE_REQUEST: &str = "draft-change-request";
/// The kind of [`Task::Translate`].
pub const TRANSLATE: &str = "translate";
/// The longest stored failure reason, in characters.
const MAX_REASON: usize = 1000;

/// The work of a job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Task {
    /// Purge a deleted space, with the content that only it uses.
    PurgeSpace {
        /// The space.
        space: SpaceId,
        /// The stage of the purge.
        stage: Stage,
    },
    /// Purge a deleted collection.
    PurgeCollection {
        /// The collection.
        collection: CollectionId,
        /// The stage of the purge.
        stage: Stage,
    },
    /// Remove content that only purged spaces held.
    CollectContent {
        /// The end of the hour of the purge: everything purged within one hour is collected by one job.
        hour: DateTime<Utc>,
    },
    /// Update the search index of a space after a change of too many pages to index them with the change.
    IndexSpace {
        /// The space.
        space: SpaceId,
        /// The starting revisions: pages that differ from any of them are indexed. `None` indexes all pages.
        since: Vec<Option<RevisionId>>,
        /// The page that was indexed last; pages are indexed in the order of their ids.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        after: Option<PageId>,
        /// The version of the indexer that indexed the pages up to `after`; 0 before there were versions. Another
        /// version starts from the beginning.
        #[serde(default)]
        version: u32,
    },
    /// Index the spaces again that have entries of an earlier version of the indexer: adds an
    /// [`IndexSpace`](Self::IndexSpace) for one space after another.
    IndexSpaces {
        /// The version of the indexer.
        version: u32,
        /// The space that was added last, in the order of ids.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        after: Option<SpaceId>,
    },
    /// Send an event to a webhook.
    SendWebhook {
        /// The event and the webhook.
        delivery: DeliveryId,
    },
    /// Remove old deliveries of a webhook every day, and all of them once the webhook is deleted.
    RemoveDeliveries {
        /// The organization of the webhook.
        organization: OrganizationId,
        /// The webhook.
        webhook: WebhookId,
    },
    /// Make a version of an OpenAPI spec from its source, and fetch the address of the source again from time to time.
    ProcessOpenapi {
        /// The spec.
        spec: OpenapiSpecId,
    },
    /// Rebuild versions of OpenAPI specs that an earlier engine made, one after the other.
    RenewOpenapi {
        /// The engine.
        engine: u32,
        /// The last version that was checked, in the order of ids.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        after: Option<OpenapiVersionId>,
    },
    /// Index the pages that show an OpenAPI spec.
    IndexOpenapi {
        /// The organization.
        organization: OrganizationId,
        /// The slug of the spec. There may be no such spec anymore.
        #[serde(deserialize_with = "stored_slug")]
        slug: SpecSlug,
        /// The last page that is indexed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        after: Option<(SpaceId, PageId)>,
    },
    /// Add the OpenAPI specs of addresses that pages show.
    LinkOpenapi {
        /// The id of this job: other jobs can be about the same addresses.
        job: JobId,
        /// The space with the pages.
        space: SpaceId,
        /// The addresses.
        addresses: Vec<WebAddress>,
    },
    /// Remove the versions of a deleted OpenAPI spec.
    RemoveOpenapi {
        /// The spec.
        spec: OpenapiSpecId,
    },
    /// Find the issues of new conversations, and group them.
    GroupConversations {
        /// The organization.
        organization: OrganizationId,
        /// The number of issues since all clusters were last checked together.
        #[serde(default)]
        new_issues: u32,
        /// When all clusters were last checked together; absent to group all issues from scratch.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tidied_at: Option<DateTime<Utc>>,
    },
    /// Remove the old conversations of an organization every day.
    SweepConversations {
        /// The organization.
        organization: OrganizationId,
    },
    /// Draft the changes of a change request about a cluster of issues with a language model.
    DraftChangeRequest {
        /// The space.
        space: SpaceId,
        /// The change request.
        change_request: ChangeRequestId,
    },
    /// Run a translation.
    Translate {
        /// The organization.
        organization: OrganizationId,
        /// The translation.
        translation: TranslationId,
        /// The last page that was sent to the engine in this run; pages are sent in the order of their ids. Empty for
        /// texts outside pages.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        asked: Option<String>,
        /// The revision of the source that these pages are from.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        revision: Option<RevisionId>,
    },
    /// Remove texts from the translation memory that were not used for a long time.
    SweepMemory,
    /// Remove the old notifications of all users.
    RemoveNotifications,
    /// Send the e-mail about a user's notifications in a thread.
    MailThread {
        /// The user.
        user: UserId,
        /// The thread.
        thread: ThreadId,
    },
}

/// Reads a slug that was checked when it was stored.
fn stored_slug<'de, D: Deserializer<'de>>(deserializer: D) -> Result<SpecSlug, D::Error> {
    String::deserialize(deserializer).map(SpecSlug::stored)
}

/// A queue of jobs. A worker runs all queues concurrently, so that no queue waits for another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lane {
    /// Work with the database and the file store.
    Storage,
    /// Requests to other hosts, which can take long but need few resources of this server.
    Network,
    /// E-mail, which must not wait for other hosts.
    Mail,
    /// OpenAPI specs: fetching them, and CPU-bound work.
    Specs,
    /// Conversations with customers: CPU-bound work.
    Conversations,
    /// Requests to engines, which can be many and slow.
    Engines,
}

impl Lane {
    /// Every lane.
    pub const ALL: [Self; 6] =
        [Self::Storage, Self::Network, Self::Mail, Self::Specs, Self::Conversations, Self::Engines];
}

/// Every kind of work, its lane, and whether it waits until the clock is trusted: irreversible removal does.
const KINDS: [(&str, Lane, bool); 19] = [
    ("index-space", Lane::Storage, false),
    ("index-spaces", Lane::Storage, false),
    ("index-openapi", Lane::Storage, false),
    ("link-openapi", Lane::Storage, false),
    (RENEW_OPENAPI, Lane::Specs, false),
    ("purge-space", Lane::Storage, true),
    ("purge-collection", Lane::Storage, true),
    ("collect-content", Lane::Storage, true),
    (SEND_WEBHOOK, Lane::Network, false),
    (MAIL_THREAD, Lane::Mail, false),
    (PROCESS_OPENAPI, Lane::Specs, false),
    (GROUP_CONVERSATIONS, Lane::Conversations, false),
    (TRANSLATE, Lane::Engines, false),
    (DRAFT_CHANGE_REQUEST, Lane::Engines, false),
    ("sweep-memory", Lane::Storage, true),
    ("remove-openapi", Lane::Storage, true),
    ("remove-deliveries", Lane::Storage, true),
    ("remove-notifications", Lane::Storage, true),
    (SWEEP_CONVERSATIONS, Lane::Storage, true),
];

impl Task {
    /// The kinds of work in these lanes that may start now.
    pub fn kinds(steady_clock: bool, lanes: &[Lane]) -> Vec<&'static str> {
        let may_start = |(_, lane, waits): &&(&str, Lane, bool)| lanes.contains(lane) && (steady_clock || !waits);
        KINDS.iter().filter(may_start).map(|(kind, ..)| *kind).collect()
    }

    /// The lane of this work.
    pub fn lane(&self) -> Lane {
        match self {
            Self::SendWebhook { .. } => Lane::Network,
            Self::MailThread { .. } => Lane::Mail,
            Self::ProcessOpenapi { .. } | Self::RenewOpenapi { .. } => Lane::Specs,
            Self::GroupConversations { .. } => Lane::Conversations,
            Self::Translate { .. } | Self::DraftChangeRequest { .. } => Lane::Engines,
            _ => Lane::Storage,
        }
    }

    /// Indexes the changes since this revision; `None` for a new space.
    pub fn index_space(space: SpaceId, since: Option<RevisionId>) -> Self {
        Self::IndexSpace { space, since: vec![since], after: None, version: VERSION }
    }

    /// Finds and groups the issues of new conversations of an organization.
    pub fn group_conversations(organization: OrganizationId) -> Self {
        Self::GroupConversations { organization, new_issues: 0, tidied_at: None }
    }

    /// Runs a translation from its start.
    pub fn translate(organization: OrganizationId, translation: TranslationId) -> Self {
        Self::Translate { organization, translation, asked: None, revision: None }
    }

    /// The same work from its start, without recorded progress.
    #[must_use]
    pub fn from_start(&self) -> Self {
        match self {
            Self::Translate { organization, translation, .. } => {
                Self::translate(organization.clone(), translation.clone())
            }
            other => other.clone(),
        }
    }

    /// Whether this indexes all pages of a space with the current indexer.
    pub fn indexes_all(&self) -> bool {
        matches!(self, Self::IndexSpace { since, version: VERSION, .. } if since.contains(&None))
    }

    /// This work, merged with the same work that is already waiting. It starts from the beginning.
    #[must_use]
    pub fn merged_with(self, waiting: &Self) -> Self {
        match (self, waiting) {
            (Self::IndexSpace { space, since, .. }, Self::IndexSpace { since: earlier, .. }) => {
                let mut all = earlier.clone();
                all.extend(since.into_iter().filter(|since| !earlier.contains(since)));
                Self::IndexSpace { space, since: all, after: None, version: VERSION }
            }
            (this, _) => this,
        }
    }

    /// The job that collects the content of items that are purged now, and its due time.
    pub fn collect_content(now: DateTime<Utc>) -> (Self, DateTime<Utc>) {
        let hour = now.duration_trunc(TimeDelta::hours(1)).unwrap_or(now) + TimeDelta::hours(1);
        (Self::CollectContent { hour }, hour + GRACE)
    }

    /// The name of the kind of work.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::PurgeSpace { .. } => "purge-space",
            Self::PurgeCollection { .. } => "purge-collection",
            Self::CollectContent { .. } => "collect-content",
            Self::IndexSpace { .. } => "index-space",
            Self::IndexSpaces { .. } => "index-spaces",
            Self::SendWebhook { .. } => SEND_WEBHOOK,
            Self::RemoveDeliveries { .. } => "remove-deliveries",
            Self::RemoveNotifications => "remove-notifications",
            Self::MailThread { .. } => MAIL_THREAD,
            Self::ProcessOpenapi { .. } => PROCESS_OPENAPI,
            Self::RenewOpenapi { .. } => RENEW_OPENAPI,
            Self::IndexOpenapi { .. } => "index-openapi",
            Self::LinkOpenapi { .. } => "link-openapi",
            Self::RemoveOpenapi { .. } => "remove-openapi",
            Self::GroupConversations { .. } => GROUP_CONVERSATIONS,
            Self::SweepConversations { .. } => SWEEP_CONVERSATIONS,
            Self::Translate { .. } => TRANSLATE,
            Self::DraftChangeRequest { .. } => DRAFT_CHANGE_REQUEST,
            Self::SweepMemory => "sweep-memory",
        }
    }

    /// The id of the object of the work, or another text that distinguishes it from other work of its kind.
    pub fn subject(&self) -> String {
        match self {
            Self::PurgeSpace { space, .. } | Self::IndexSpace { space, .. } => space.to_string(),
            Self::PurgeCollection { collection, .. } => collection.to_string(),
            Self::CollectContent { hour } => hour.to_rfc3339(),
            Self::IndexSpaces { version, .. } => format!("version-{version}"),
            Self::SendWebhook { delivery } => delivery.to_string(),
            Self::RemoveDeliveries { webhook, .. } => webhook.to_string(),
            Self::RemoveNotifications | Self::SweepMemory => "all".to_owned(),
            Self::GroupConversations { organization, .. } | Self::SweepConversations { organization } => {
                organization.to_string()
            }
            Self::Translate { translation, .. } => translation.to_string(),
            Self::DraftChangeRequest { change_request, .. } => change_request.to_string(),
            Self::ProcessOpenapi { spec } | Self::RemoveOpenapi { spec } => spec.to_string(),
            Self::RenewOpenapi { engine, .. } => format!("engine-{engine}"),
            Self::IndexOpenapi { organization, slug, .. } => format!("{organization} {}", slug.key()),
            Self::LinkOpenapi { job, .. } => job.to_string(),
            Self::MailThread { user, thread } => format!("{user} {thread}"),
        }
    }

    /// The key of the work: jobs with the same key do the same work.
    pub fn key(&self) -> String {
        format!("{} {}", self.kind(), self.subject())
    }
}

/// The failure of the last attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// When it failed.
    pub at: DateTime<Utc>,
    /// The reason.
    pub reason: String,
}

/// A job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    /// The id.
    pub id: JobId,
    /// The work.
    pub task: Task,
    /// The earliest time to run.
    pub due_at: DateTime<Utc>,
    /// Number of attempts since the last progress.
    pub attempts: u32,
    /// Number of claims; distinguishes one holder from the next.
    pub claims: u32,
    /// When the lease of the current holder ends.
    pub leased_until: Option<DateTime<Utc>>,
    /// Why the last attempt failed.
    pub failure: Option<Failure>,
    /// When the job was created.
    pub created_at: DateTime<Utc>,
}

words! {
    /// The state of a job.
    pub enum JobState {
        /// Waits until it is due.
        Waiting = "waiting",
        /// A server runs it.
        Running = "running",
        /// It failed and will be retried.
        Failing = "failing",
        /// It failed too often; the operator must act.
        GivenUp = "given-up",
    }
}

/// A claim of a job by one holder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The job.
    pub job: JobId,
    /// The number of the claim.
    pub claims: u32,
}

impl Job {
    /// A new job.
    pub fn new(id: JobId, task: Task, due_at: DateTime<Utc>, now: DateTime<Utc>) -> Self {
        Self { id, task, due_at, attempts: 0, claims: 0, leased_until: None, failure: None, created_at: now }
    }

    /// Whether a holder has a valid lease. A lease that ends later than any lease granted now came from a clock that
    /// was ahead, and is ignored.
    pub fn is_held(&self, now: DateTime<Utc>) -> bool {
        self.leased_until.is_some_and(|until| now < until && until <= now + LEASE + SKEW)
    }

    /// The state of the job.
    pub fn state(&self, now: DateTime<Utc>) -> JobState {
        match self.failure {
            _ if self.is_held(now) => JobState::Running,
            _ if self.attempts >= MAX_ATTEMPTS => JobState::GivenUp,
            Some(_) => JobState::Failing,
            None => JobState::Waiting,
        }
    }

    /// Whether it can start now.
    pub fn is_due(&self, now: DateTime<Utc>) -> bool {
        self.due_at <= now && !self.is_held(now) && self.attempts < MAX_ATTEMPTS
    }

    /// Claims the job. A start counts as an attempt, so that work that crashes the server is not retried forever.
    pub fn claim(&mut self, now: DateTime<Utc>) -> Claim {
        self.attempts += 1;
        self.claims += 1;
        self.leased_until = Some(now + LEASE);
        Claim { job: self.id.clone(), claims: self.claims }
    }

    /// Whether this claim is still the current one.
    pub fn belongs_to(&self, claim: &Claim) -> bool {
        self.id == claim.job && self.claims == claim.claims && self.leased_until.is_some()
    }

    /// Renews the lease.
    pub fn renew(&mut self, now: DateTime<Utc>) {
        self.leased_until = Some(now + LEASE);
    }

    /// Releases the job as if it had not been started.
    pub fn release(&mut self) {
        self.attempts = self.attempts.saturating_sub(1);
        self.leased_until = None;
    }

    /// Stores the progress; the job continues at `due_at`.
    pub fn continue_later(&mut self, task: Task, due_at: DateTime<Utc>) {
        self.task = task;
        self.due_at = due_at;
        self.attempts = 0;
        self.leased_until = None;
        self.failure = None;
    }

    /// Records a failure; the job waits before the next attempt.
    pub fn fail(&mut self, reason: &str, now: DateTime<Utc>) {
        // PostgreSQL cannot store U+0000.
        let reason = reason.chars().filter(|char| *char != '\0').take(MAX_REASON).collect();
        self.failure = Some(Failure { at: now, reason });
        self.due_at = now + wait(self.attempts);
        self.leased_until = None;
    }

    /// Makes the job due now and resets its attempts.
    pub fn retry(&mut self, now: DateTime<Utc>) {
        self.attempts = 0;
        self.due_at = self.due_at.min(now);
    }
}

/// The wait after this number of failed attempts.
fn wait(attempts: u32) -> TimeDelta {
    let doubled = 1_i32.checked_shl(attempts.saturating_sub(1)).filter(|factor| *factor > 0);
    doubled.and_then(|factor| FIRST_WAIT.checked_mul(factor)).map_or(LONGEST_WAIT, |wait| wait.min(LONGEST_WAIT))
}

#[cfg(test)]
mod tests;
