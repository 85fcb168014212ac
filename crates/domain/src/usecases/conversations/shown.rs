//! Conversations, issues and clusters as the API shows them.
use crate::conversation::{Conversation, ConversationContent, ConversationIssue, Impact, IssueCluster};
use crate::id::{ConversationId, IssueClusterId, OrganizationId};
use crate::paging::Page;
use crate::ports::store::conversations::ClusterMember;
use crate::usecases::Error;
use crate::usecases::work::Work;
use chrono::{DateTime, Utc};
use conversations::impact::cluster_impact;
use conversations::pulse::weekly_pulse;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A conversation with its texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownConversation {
    /// The conversation.
    pub conversation: Conversation,
    /// Its texts.
    pub content: ConversationContent,
}

/// An issue with its conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownIssue {
    /// The issue.
    pub issue: ConversationIssue,
    /// The conversation.
    pub conversation: Conversation,
}

/// The counts and the impact of a cluster.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClusterNumbers {
    /// The number of issues.
    pub issues: u32,
    /// The number of conversations.
    pub conversations: u32,
    /// The number of conversations by source.
    pub sources: BTreeMap<String, u32>,
    /// The number of issues in each of the last 13 weeks, oldest first, by the time when their conversation began.
    pub weekly_pulse: [u32; 13],
    /// The impact; absent without issues.
    pub impact: Option<Impact>,
}

impl ClusterNumbers {
    fn of(members: &[ClusterMember], now: DateTime<Utc>) -> Self {
        let mut sources: BTreeMap<String, BTreeSet<&ConversationId>> = BTreeMap::new();
        for member in members {
            sources.entry(member.source.to_string()).or_default().insert(&member.conversation);
        }
        let count = |length: usize| u32::try_from(length).unwrap_or(u32::MAX);
        let sources: BTreeMap<String, u32> = sources.into_iter().map(|(name, all)| (name, count(all.len()))).collect();
        let levels: Vec<Impact> = members.iter().map(|member| member.impact).collect();
        Self {
            issues: count(members.len()),
            conversations: sources.values().sum(),
            sources,
            weekly_pulse: weekly_pulse(members.iter().map(|member| member.created_at), now),
            impact: (!levels.is_empty()).then(|| cluster_impact(&levels)),
        }
    }
}

/// A cluster with its numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct ShownCluster {
    /// The cluster.
    pub cluster: IssueCluster,
    /// Its numbers.
    pub numbers: ClusterNumbers,
}

/// The minimum number of recent issues of a cluster that needs a change request.
const MANY: u32 = 5;
/// The number of weeks whose issues are recent.
const RECENT: usize = 4;

impl ShownCluster {
    /// Whether it needs a change request: it is not muted, has many recent issues, and its impact is at least medium.
    pub(in crate::usecases) fn needs_change(&self) -> bool {
        let Self { cluster, numbers } = self;
        let recent: u32 = numbers.weekly_pulse.iter().rev().take(RECENT).sum();
        !cluster.muted && recent >= MANY && cluster.impact >= Impact::Medium
    }
}

/// The cluster with this id, or the one into which it was merged.
pub(in crate::usecases) async fn successor(
    work: &mut Work<'_>,
    organization: &OrganizationId,
    id: &IssueClusterId,
) -> Result<Option<IssueCluster>, Error> {
    match work.conversations().cluster(organization, id).await? {
        Some(IssueCluster { merged_into: Some(successor), .. }) => {
            Ok(work.conversations().cluster(organization, &successor).await?)
        }
        found => Ok(found),
    }
}

/// All ids of a cluster: its own, and those of the clusters that were merged into it.
pub(in crate::usecases) async fn known_as(
    work: &mut Work<'_>,
    organization: &OrganizationId,
    id: &IssueClusterId,
) -> Result<Vec<IssueClusterId>, Error> {
    let Some(cluster) = successor(work, organization, id).await? else { return Ok(Vec::new()) };
    let mut ids = work.conversations().merged_into(&cluster.id).await?;
    ids.push(cluster.id);
    Ok(ids)
}

/// Clusters with their numbers.
pub(super) async fn numbers(
    work: &mut Work<'_>,
    clusters: Vec<IssueCluster>,
) -> Result<Vec<(IssueCluster, ClusterNumbers)>, Error> {
    let ids: Vec<IssueClusterId> = clusters.iter().map(|cluster| cluster.id.clone()).collect();
    let mut by_cluster: HashMap<IssueClusterId, Vec<ClusterMember>> = HashMap::new();
    if !ids.is_empty() {
        for member in work.conversations().members(&ids).await? {
            by_cluster.entry(member.cluster.clone()).or_default().push(member);
        }
    }
    let now = work.now();
    let with_numbers = |cluster: IssueCluster| {
        let members = by_cluster.remove(&cluster.id).unwrap_or_default();
        (cluster, ClusterNumbers::of(&members, now))
    };
    Ok(clusters.into_iter().map(with_numbers).collect())
}

/// A page of clusters with their numbers.
pub(in crate::usecases) async fn counted(
    work: &mut Work<'_>,
    found: Page<IssueCluster>,
) -> Result<Page<ShownCluster>, Error> {
    let Page { items, total, next } = found;
    let items = numbers(work, items).await?;
    let items = items.into_iter().map(|(cluster, numbers)| ShownCluster { cluster, numbers }).collect();
    Ok(Page { items, total, next })
}

/// A page of issues with their conversations.
pub(super) async fn issues(
    work: &mut Work<'_>,
    organization: &OrganizationId,
    found: Page<ConversationIssue>,
) -> Result<Page<ShownIssue>, Error> {
    let ids: BTreeSet<ConversationId> = found.items.iter().map(|issue| issue.conversation.clone()).collect();
    let ids: Vec<ConversationId> = ids.into_iter().collect();
    let all = work.conversations().find_all(organization, &ids).await?;
    let by_id: HashMap<ConversationId, Conversation> = all.into_iter().map(|one| (one.id.clone(), one)).collect();
    found.try_map(|issue| {
        let conversation = by_id.get(&issue.conversation).cloned();
        let conversation = conversation.ok_or_else(|| Error::Corrupt("a conversation is missing".into()))?;
        Ok(ShownIssue { issue, conversation })
    })
}
