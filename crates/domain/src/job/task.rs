//! The work of jobs: its kinds, its keys, and the lanes that it runs in.
use crate::content::search::VERSION;
use crate::id::{
    ChangeRequestId, CollectionId, DeliveryId, JobId, OpenapiSpecId, OpenapiVersionId, OrganizationId, PageId,
    RevisionId, SpaceId, ThreadId, TranslationId, UserId, WebhookId,
};
use crate::openapi_spec::SpecSlug;
use crate::retention::{GRACE, Stage};
use crate::web_address::WebAddress;
use chrono::{DateTime, DurationRound, TimeDelta, Utc};
use serde::{Deserialize, Deserializer, Serialize};

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
