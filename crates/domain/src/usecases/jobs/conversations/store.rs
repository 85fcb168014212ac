//! Stores the issues and the clusters of a batch of conversations.
use super::clusters::{count_issues, save_clusters};
use super::state::{Described, Found, Placed};
use super::{Lease, Stop};
use crate::conversation::{Conversation, ConversationIssue};
use crate::id::{ConversationId, IssueClusterId, OrganizationId};
use crate::ports::store::conversations::StoredFeatures;
use crate::text::IssueTitle;
use crate::usecases::conversations::recount;
use conversations::features::FEATURE_VERSION;
use std::collections::{BTreeMap, BTreeSet};

/// The result of storing a batch.
pub(super) enum StoreOutcome {
    /// The batch was stored.
    Stored(StoredBatch),
    /// Nothing was stored: these conversations have changed since they were read, or others were deleted.
    Changed(Vec<ConversationId>),
}

/// A stored batch.
pub(super) struct StoredBatch {
    /// The number of issues that are new.
    pub(super) added: u32,
    /// The number of all issues of the organization.
    pub(super) issues: usize,
    /// Whether the groups in memory equal the stored ones.
    pub(super) groups_are_current: bool,
}

/// Stores the issues of conversations. Stores nothing if conversations have changed: a cluster could show the text of a
/// deleted conversation. `known` is the number of all issues when the groups were loaded.
pub(super) async fn store(
    lease: &Lease<'_>,
    organization: &OrganizationId,
    known: usize,
    placed: Vec<Placed>,
    described: Vec<Described>,
) -> Result<StoreOutcome, Stop> {
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
        return Ok(StoreOutcome::Changed(changed));
    }
    let mut stored = StoredBatch { added: 0, issues: known, groups_are_current: true };
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
            let is_counted = |old: &ConversationIssue| old.impact == impact && old.created_at == issue.created_at;
            let stays = old.is_some_and(|old| is_same_issue(old, &issue) && is_counted(old));
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
    Ok(StoreOutcome::Stored(stored))
}

/// Whether an issue is in the same cluster with the same title and the same gist as before.
fn is_same_issue(old: &ConversationIssue, new: &ConversationIssue) -> bool {
    new.id == old.id && new.cluster == old.cluster && new.title == old.title && new.gist == old.gist
}
