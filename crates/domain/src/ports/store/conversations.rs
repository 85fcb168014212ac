//! Conversations with customers, their issues, and the clusters of these.
use super::StoreResult;
use crate::conversation::{
    ClusterOrder, Conversation, ConversationContent, ConversationIssue, ConversationSource, IssueCluster,
};
use crate::id::{ConversationId, ConversationIssueId, IssueClusterId, OrganizationId};
use crate::paging::{Page, PageRequest};
use crate::text::{ExternalId, Language};
use async_trait::async_trait;
use chrono::{DateTime, Utc};

/// Which issues of an organization to list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IssueFilter {
    /// Only of this cluster.
    pub cluster: Option<IssueClusterId>,
    /// Only of this conversation.
    pub conversation: Option<ConversationId>,
}

/// The features by which issues are compared, encoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredFeatures {
    /// The version of the encoding.
    pub version: i32,
    /// The features.
    pub bytes: Vec<u8>,
}

/// The data of an issue for the grouping.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupedIssue {
    /// The issue.
    pub id: ConversationIssueId,
    /// Its cluster.
    pub cluster: IssueClusterId,
    /// Its language.
    pub language: Option<Language>,
    /// Its title.
    pub title: String,
    /// The problem in plain English, if a language model found it.
    pub gist: Option<String>,
    /// Its features.
    pub features: StoredFeatures,
}

/// The data of an issue for the counts of its cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClusterMember {
    /// The cluster.
    pub cluster: IssueClusterId,
    /// The conversation.
    pub conversation: ConversationId,
    /// Where the conversation comes from.
    pub source: ConversationSource,
    /// The impact of the issue.
    pub impact: crate::conversation::Impact,
    /// When the conversation began.
    pub created_at: DateTime<Utc>,
}

/// Stores conversations, issues and clusters. The lock of the organization covers them.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait ConversationStore: Send {
    /// A conversation.
    async fn find(&mut self, organization: &OrganizationId, id: &ConversationId) -> StoreResult<Option<Conversation>>;
    /// Conversations with this id of the sender, of any source; at most two.
    async fn find_sent(&mut self, organization: &OrganizationId, id: &ExternalId) -> StoreResult<Vec<Conversation>>;
    /// Conversations of a source by their sender's ids.
    async fn find_known(
        &mut self,
        organization: &OrganizationId,
        source: &ConversationSource,
        ids: &[ExternalId],
    ) -> StoreResult<Vec<Conversation>>;
    /// Conversations with these ids.
    async fn find_all(
        &mut self,
        organization: &OrganizationId,
        ids: &[ConversationId],
    ) -> StoreResult<Vec<Conversation>>;
    /// The texts of a conversation.
    async fn content(&mut self, id: &ConversationId) -> StoreResult<ConversationContent>;
    /// A page of an organization's conversations, by the time when they began.
    async fn list<'a>(
        &mut self,
        organization: &OrganizationId,
        source: Option<&'a str>,
        page: &PageRequest,
    ) -> StoreResult<Page<Conversation>>;
    /// Conversations that wait for the analysis, in the order of their ids, and then those for which a language model is
    /// to be asked again, the earliest first; with their texts.
    async fn waiting(
        &mut self,
        organization: &OrganizationId,
        now: DateTime<Utc>,
        limit: usize,
    ) -> StoreResult<Vec<(Conversation, ConversationContent)>>;
    /// The earliest time at which a language model is to be asked again about a conversation.
    async fn ask_again_at(&mut self, organization: &OrganizationId) -> StoreResult<Option<DateTime<Utc>>>;
    /// Conversations that were stored before this time, oldest first.
    async fn older(
        &mut self,
        organization: &OrganizationId,
        than: DateTime<Utc>,
        limit: usize,
    ) -> StoreResult<Vec<ConversationId>>;
    /// Adds a new conversation.
    async fn add(&mut self, conversation: &Conversation, content: &ConversationContent) -> StoreResult<()>;
    /// Updates a conversation, and its texts if `content` is given.
    async fn save<'a>(
        &mut self,
        conversation: &Conversation,
        content: Option<&'a ConversationContent>,
    ) -> StoreResult<()>;
    /// Removes conversations with their issues.
    async fn remove(&mut self, organization: &OrganizationId, ids: &[ConversationId]) -> StoreResult<()>;

    /// An issue.
    async fn issue(
        &mut self,
        organization: &OrganizationId,
        id: &ConversationIssueId,
    ) -> StoreResult<Option<ConversationIssue>>;
    /// The issues of an organization by the time when they were found.
    async fn issues(
        &mut self,
        organization: &OrganizationId,
        filter: &IssueFilter,
        page: &PageRequest,
    ) -> StoreResult<Page<ConversationIssue>>;
    /// The issues of these conversations, in the order of their ids.
    async fn issues_of(&mut self, conversations: &[ConversationId]) -> StoreResult<Vec<ConversationIssue>>;
    /// The newest issues of an organization, in the order of their ids.
    async fn grouped(&mut self, organization: &OrganizationId, limit: usize) -> StoreResult<Vec<GroupedIssue>>;
    /// Issues whose features have an earlier version than this.
    async fn outdated(
        &mut self,
        organization: &OrganizationId,
        version: i32,
        limit: usize,
    ) -> StoreResult<Vec<GroupedIssue>>;
    /// Replaces the features of an issue.
    async fn save_features(
        &mut self,
        organization: &OrganizationId,
        id: &ConversationIssueId,
        features: &StoredFeatures,
    ) -> StoreResult<()>;
    /// Adds an issue, or replaces one.
    async fn save_issue(&mut self, issue: &ConversationIssue, features: &StoredFeatures) -> StoreResult<()>;
    /// Moves issues to another cluster.
    async fn move_issues(
        &mut self,
        organization: &OrganizationId,
        issues: &[ConversationIssueId],
        to: &IssueClusterId,
    ) -> StoreResult<()>;
    /// Removes issues.
    async fn remove_issues(&mut self, organization: &OrganizationId, issues: &[ConversationIssueId])
    -> StoreResult<()>;

    /// A cluster, also one that was merged.
    async fn cluster(
        &mut self,
        organization: &OrganizationId,
        id: &IssueClusterId,
    ) -> StoreResult<Option<IssueCluster>>;
    /// Clusters with these ids.
    async fn clusters_by_id(
        &mut self,
        organization: &OrganizationId,
        ids: &[IssueClusterId],
    ) -> StoreResult<Vec<IssueCluster>>;
    /// The clusters of an organization that have at least this many issues.
    async fn clusters(
        &mut self,
        organization: &OrganizationId,
        at_least: u32,
        by: ClusterOrder,
        page: &PageRequest,
    ) -> StoreResult<Page<IssueCluster>>;
    /// The clusters that were merged into this one.
    async fn merged_into(&mut self, cluster: &IssueClusterId) -> StoreResult<Vec<IssueClusterId>>;
    /// The issues of clusters.
    async fn members(&mut self, clusters: &[IssueClusterId]) -> StoreResult<Vec<ClusterMember>>;
    /// Adds a cluster, or replaces one.
    async fn save_cluster(&mut self, cluster: &IssueCluster) -> StoreResult<()>;
    /// Moves the issues of a cluster, and the clusters that were merged into it, to another cluster.
    async fn pass_on(
        &mut self,
        organization: &OrganizationId,
        from: &IssueClusterId,
        to: &IssueClusterId,
    ) -> StoreResult<()>;
    /// Removes clusters without issues, with those that were merged into them. Keeps a cluster if a change request
    /// names it or one of those.
    async fn remove_empty(&mut self, organization: &OrganizationId, ids: &[IssueClusterId]) -> StoreResult<()>;
}
