//! The rows of the tables, and page keys of lists in the order of a count.
use super::super::stored::{bytes32, document, json, number, parsed, parsed_if, time, to_document, to_json, to_number};
use crate::error::internal;
use crate::schema::conversations::{conversation_issues as issues, conversations, issue_clusters as clusters};
use chrono::NaiveDateTime;
use diesel::{AsChangeset, Insertable, Queryable, Selectable};
use domain::conversation::{Conversation, ConversationContent, ConversationIssue, IssueCluster};
use domain::ports::store::conversations::{GroupedIssue, StoredFeatures};
use domain::ports::{StoreError, StoreResult};
use domain::web_address::WebAddress;

#[derive(Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = conversations, treat_none_as_default_value = false, treat_none_as_null = true)]
#[diesel(check_for_backend(diesel::pg::Pg, diesel::sqlite::Sqlite))]
pub(super) struct ConversationRow {
    pub(super) id: String,
    pub(super) organization_id: String,
    pub(super) source: String,
    pub(super) external_id: String,
    pub(super) subject: Option<String>,
    pub(super) url: Option<String>,
    pub(super) hash: Vec<u8>,
    pub(super) language: Option<String>,
    pub(super) impact: Option<String>,
    pub(super) created_at: NaiveDateTime,
    pub(super) ingested_at: NaiveDateTime,
    pub(super) processed_at: Option<NaiveDateTime>,
    pub(super) ask_again_at: Option<NaiveDateTime>,
}

impl TryFrom<ConversationRow> for Conversation {
    type Error = StoreError;

    fn try_from(row: ConversationRow) -> StoreResult<Self> {
        Ok(Self {
            id: parsed("conversations.id", &row.id)?,
            organization: parsed("conversations.organization_id", &row.organization_id)?,
            source: parsed("conversations.source", &row.source)?,
            external_id: parsed("conversations.external_id", &row.external_id)?,
            subject: parsed_if("conversations.subject", row.subject.as_deref())?,
            url: row.url.map(WebAddress::stored),
            hash: bytes32("conversations.hash", row.hash)?,
            language: parsed_if("conversations.language", row.language.as_deref())?,
            impact: parsed_if("conversations.impact", row.impact.as_deref())?,
            created_at: row.created_at.and_utc(),
            ingested_at: row.ingested_at.and_utc(),
            processed_at: row.processed_at.map(|at| at.and_utc()),
            ask_again_at: row.ask_again_at.map(|at| at.and_utc()),
        })
    }
}

impl From<&Conversation> for ConversationRow {
    fn from(one: &Conversation) -> Self {
        Self {
            id: one.id.to_string(),
            organization_id: one.organization.to_string(),
            source: one.source.to_string(),
            external_id: one.external_id.to_string(),
            subject: one.subject.as_ref().map(ToString::to_string),
            url: one.url.as_ref().map(ToString::to_string),
            hash: one.hash.to_vec(),
            language: one.language.map(|language| language.to_string()),
            impact: one.impact.map(|impact| impact.to_string()),
            created_at: time(one.created_at),
            ingested_at: time(one.ingested_at),
            processed_at: one.processed_at.map(time),
            ask_again_at: one.ask_again_at.map(time),
        }
    }
}

/// Decodes the texts of a conversation.
pub(super) fn content(text: &str) -> StoreResult<ConversationContent> {
    serde_json::from_str(text).map_err(|error| internal(format!("stored conversations.content: {error}")))
}

#[derive(Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = issues, treat_none_as_default_value = false, treat_none_as_null = true)]
#[diesel(check_for_backend(diesel::pg::Pg, diesel::sqlite::Sqlite))]
pub(super) struct IssueRow {
    pub(super) id: String,
    pub(super) organization_id: String,
    pub(super) conversation_id: String,
    pub(super) cluster_id: String,
    pub(super) title: String,
    pub(super) details: String,
    pub(super) gist: Option<String>,
    pub(super) impact: String,
    pub(super) language: Option<String>,
    pub(super) created_at: NaiveDateTime,
    pub(super) ingested_at: NaiveDateTime,
}

impl TryFrom<IssueRow> for ConversationIssue {
    type Error = StoreError;

    fn try_from(row: IssueRow) -> StoreResult<Self> {
        Ok(Self {
            id: parsed("conversation_issues.id", &row.id)?,
            organization: parsed("conversation_issues.organization_id", &row.organization_id)?,
            conversation: parsed("conversation_issues.conversation_id", &row.conversation_id)?,
            cluster: parsed("conversation_issues.cluster_id", &row.cluster_id)?,
            title: parsed("conversation_issues.title", &row.title)?,
            details: row.details,
            gist: row.gist,
            impact: parsed("conversation_issues.impact", &row.impact)?,
            language: parsed_if("conversation_issues.language", row.language.as_deref())?,
            created_at: row.created_at.and_utc(),
            ingested_at: row.ingested_at.and_utc(),
        })
    }
}

impl From<&ConversationIssue> for IssueRow {
    fn from(one: &ConversationIssue) -> Self {
        Self {
            id: one.id.to_string(),
            organization_id: one.organization.to_string(),
            conversation_id: one.conversation.to_string(),
            cluster_id: one.cluster.to_string(),
            title: one.title.to_string(),
            details: one.details.clone(),
            gist: one.gist.clone(),
            impact: one.impact.to_string(),
            language: one.language.map(|language| language.to_string()),
            created_at: time(one.created_at),
            ingested_at: time(one.ingested_at),
        }
    }
}

#[derive(Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = clusters, treat_none_as_default_value = false, treat_none_as_null = true)]
#[diesel(check_for_backend(diesel::pg::Pg, diesel::sqlite::Sqlite))]
pub(super) struct ClusterRow {
    pub(super) id: String,
    pub(super) organization_id: String,
    pub(super) language: Option<String>,
    pub(super) label: String,
    pub(super) summary: String,
    pub(super) icon: String,
    pub(super) impact: String,
    pub(super) muted: bool,
    pub(super) merged_into_id: Option<String>,
    pub(super) issues: i32,
    pub(super) conversations: i32,
    pub(super) counts: Option<serde_json::Value>,
    pub(super) described_issues: Option<i32>,
    pub(super) created_at: NaiveDateTime,
    pub(super) updated_at: NaiveDateTime,
}

impl TryFrom<ClusterRow> for IssueCluster {
    type Error = StoreError;

    fn try_from(row: ClusterRow) -> StoreResult<Self> {
        Ok(Self {
            id: parsed("issue_clusters.id", &row.id)?,
            organization: parsed("issue_clusters.organization_id", &row.organization_id)?,
            language: parsed_if("issue_clusters.language", row.language.as_deref())?,
            label: parsed("issue_clusters.label", &row.label)?,
            summary: document("issue_clusters.summary", &row.summary)?,
            icon: row.icon,
            impact: parsed("issue_clusters.impact", &row.impact)?,
            muted: row.muted,
            merged_into: parsed_if("issue_clusters.merged_into_id", row.merged_into_id.as_deref())?,
            issues: number("issue_clusters.issues", row.issues)?,
            conversations: number("issue_clusters.conversations", row.conversations)?,
            counts: row.counts.map(|counts| json("issue_clusters.counts", counts)).transpose()?,
            described_issues: row
                .described_issues
                .map(|count| number("issue_clusters.described_issues", count))
                .transpose()?,
            created_at: row.created_at.and_utc(),
            updated_at: row.updated_at.and_utc(),
        })
    }
}

impl TryFrom<&IssueCluster> for ClusterRow {
    type Error = StoreError;

    fn try_from(one: &IssueCluster) -> StoreResult<Self> {
        Ok(Self {
            id: one.id.to_string(),
            organization_id: one.organization.to_string(),
            language: one.language.map(|language| language.to_string()),
            label: one.label.to_string(),
            summary: to_document(&one.summary)?,
            icon: one.icon.clone(),
            impact: one.impact.to_string(),
            muted: one.muted,
            merged_into_id: one.merged_into.as_ref().map(ToString::to_string),
            issues: to_number(one.issues)?,
            conversations: to_number(one.conversations)?,
            counts: one.counts.as_ref().map(to_json).transpose()?,
            described_issues: one.described_issues.map(to_number).transpose()?,
            created_at: time(one.created_at),
            updated_at: time(one.updated_at),
        })
    }
}

/// A row of an issue for the grouping.
#[derive(Queryable, Selectable)]
#[diesel(table_name = issues)]
#[diesel(check_for_backend(diesel::pg::Pg, diesel::sqlite::Sqlite))]
pub(super) struct GroupedRow {
    id: String,
    cluster_id: String,
    language: Option<String>,
    title: String,
    gist: Option<String>,
    features: Vec<u8>,
    features_version: i32,
}

impl TryFrom<GroupedRow> for GroupedIssue {
    type Error = StoreError;

    fn try_from(row: GroupedRow) -> StoreResult<Self> {
        Ok(Self {
            id: parsed("conversation_issues.id", &row.id)?,
            cluster: parsed("conversation_issues.cluster_id", &row.cluster_id)?,
            language: parsed_if("conversation_issues.language", row.language.as_deref())?,
            title: row.title,
            gist: row.gist,
            features: StoredFeatures { version: row.features_version, bytes: row.features },
        })
    }
}

/// Encodes a page key: `number id`.
pub(super) fn count_key(count: i32, id: &str) -> String {
    format!("{count} {id}")
}

/// Decodes a page key.
pub(super) fn read_count_key(key: &str) -> StoreResult<(i32, &str)> {
    let parts = key.split_once(' ').and_then(|(count, id)| Some((count.parse().ok()?, id)));
    parts.ok_or_else(|| internal(format!("invalid page key {key:?}")))
}
