//! Conversations, issues and clusters as the API shows them.
use crate::conversation::{ClusterCounts, Conversation, ConversationContent, ConversationIssue, Impact, IssueCluster};
use crate::id::{ConversationId, IssueClusterId, OrganizationId};
use crate::paging::Page;
use crate::ports::store::conversations::ClusterMember;
use crate::usecases::Error;
use crate::usecases::work::Work;
use chrono::{DateTime, Utc};
use conversations::impact::cluster_impact;
use conversations::pulse::{by_week, weekly_pulse};
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

/// The counts of a cluster.
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
}

impl ClusterNumbers {
    fn of(cluster: &IssueCluster, now: DateTime<Utc>) -> Self {
        let ClusterCounts { sources, weeks } = cluster.counts.clone().unwrap_or_default();
        let IssueCluster { issues, conversations, .. } = *cluster;
        Self { issues, conversations, sources, weekly_pulse: weekly_pulse(&weeks, now) }
    }
}

/// Counts the issues of a cluster. Without issues, its impact stays.
fn count(cluster: &mut IssueCluster, members: &[ClusterMember], now: DateTime<Utc>) {
    let mut sources: BTreeMap<String, BTreeSet<&ConversationId>> = BTreeMap::new();
    for member in members {
        sources.entry(member.source.to_string()).or_default().insert(&member.conversation);
    }
    let number = |length: usize| u32::try_from(length).unwrap_or(u32::MAX);
    let sources: BTreeMap<String, u32> = sources.into_iter().map(|(name, all)| (name, number(all.len()))).collect();
    let levels: Vec<Impact> = members.iter().map(|member| member.impact).collect();
    if !levels.is_empty() {
        cluster.impact = cluster_impact(&levels);
    }
    cluster.issues = number(members.len());
    cluster.conversations = sources.values().sum();
    let weeks = by_week(members.iter().map(|member| member.created_at), now);
    cluster.counts = Some(ClusterCounts { sources, weeks });
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

/// Counts the issues of clusters again.
pub(super) async fn recounted(work: &mut Work<'_>, clusters: Vec<IssueCluster>) -> Result<Vec<IssueCluster>, Error> {
    if clusters.is_empty() {
        return Ok(clusters);
    }
    let ids: Vec<IssueClusterId> = clusters.iter().map(|cluster| cluster.id.clone()).collect();
    let mut by_cluster: HashMap<IssueClusterId, Vec<ClusterMember>> = HashMap::new();
    for member in work.conversations().members(&ids).await? {
        by_cluster.entry(member.cluster.clone()).or_default().push(member);
    }
    let now = work.now();
    let recount = |mut cluster: IssueCluster| {
        let members = by_cluster.remove(&cluster.id).unwrap_or_default();
        count(&mut cluster, &members, now);
        cluster
    };
    Ok(clusters.into_iter().map(recount).collect())
}

/// A page of clusters with their numbers. Reads only issues of clusters that an earlier version has counted.
pub(in crate::usecases) async fn counted(
    work: &mut Work<'_>,
    found: Page<IssueCluster>,
) -> Result<Page<ShownCluster>, Error> {
    let old = found.items.iter().filter(|cluster| cluster.counts.is_none()).cloned().collect();
    let old = recounted(work, old).await?.into_iter();
    let mut old: HashMap<IssueClusterId, IssueCluster> = old.map(|cluster| (cluster.id.clone(), cluster)).collect();
    let now = work.now();
    Ok(found.map(|cluster| {
        let cluster = old.remove(&cluster.id).unwrap_or(cluster);
        ShownCluster { numbers: ClusterNumbers::of(&cluster, now), cluster }
    }))
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
