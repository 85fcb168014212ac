//! Stores the labels and summaries of clusters, and the result of regrouping all clusters.
use super::state::{Described, State, Tidied};
use super::{Analyst, Lease, Stop};
use crate::content::document::Document;
use crate::conversation::IssueCluster;
use crate::id::{IssueClusterId, OrganizationId};
use crate::paging::PageRequest;
use crate::ports::store::conversations::IssueFilter;
use crate::text::ClusterLabel;
use crate::usecases::Error;
use crate::usecases::conversations::recount;
use crate::usecases::work::Work;
use chrono::{DateTime, Utc};
use std::collections::{BTreeMap, BTreeSet};

/// The number of issues of an organization. Only the job that groups them adds issues, so a changed number means that
/// conversations were deleted.
pub(super) async fn count_issues(work: &mut Work<'_>, organization: &OrganizationId) -> Result<usize, Error> {
    let one = PageRequest { limit: 1, ..PageRequest::default() };
    Ok(work.conversations().issues(organization, &IssueFilter::default(), &one).await?.total)
}

/// Stores the labels, summaries and icons of clusters. Creates clusters that are new.
pub(super) async fn save_clusters(
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
                counts: None,
                described_issues: *described_issues,
                created_at: now,
                updated_at: now,
            },
        };
        work.conversations().save_cluster(&cluster).await?;
    }
    Ok(())
}

/// Regroups all clusters: merges similar ones, moves issues that are more similar to another one, and labels them
/// again. `from_scratch` groups all issues from scratch. Returns `false`, and stores nothing, if conversations were
/// deleted since their issues were read.
pub(super) async fn tidy(
    lease: &Lease<'_>,
    analyst: &Analyst,
    organization: &OrganizationId,
    mut state: State,
    from_scratch: bool,
) -> Result<bool, Stop> {
    let known = state.stored;
    let computed = analyst.long_work.compute(move || state.tidy(from_scratch)).await;
    let tidied: Tidied =
        computed.ok_or_else(|| Error::Corrupt("the grouping of issues panicked: see the log".into()))?;
    let Tidied { successors, moved, described } = tidied;
    let mut work = lease.step_with(&[organization.into()]).await?;
    let now = work.now();
    if count_issues(&mut work, organization).await? != known {
        work.commit().await?;
        return Ok(false);
    }
    save_clusters(&mut work, organization, &described, now).await?;
    let mut touched = BTreeSet::new();
    for (from, to) in successors {
        merge_into(&mut work, organization, &from, &to).await?;
        touched.insert(to);
    }
    for (to, (issues, sources)) in moved {
        work.conversations().move_issues(organization, &issues, &to).await?;
        touched.extend(sources);
        touched.insert(to);
    }
    recount(&mut work, organization, touched, &[]).await?;
    work.commit().await?;
    Ok(true)
}

/// Merges a cluster into another one, to which its id refers from now on.
async fn merge_into(
    work: &mut Work<'_>,
    organization: &OrganizationId,
    from: &IssueClusterId,
    to: &IssueClusterId,
) -> Result<(), Error> {
    let Some(mut old) = work.conversations().cluster(organization, from).await? else { return Ok(()) };
    let Some(mut successor) = work.conversations().cluster(organization, to).await? else { return Ok(()) };
    work.conversations().pass_on(organization, from, to).await?;
    // Muted only if both are: one of them may still need change requests.
    successor.muted &= old.muted;
    successor.updated_at = work.now();
    old.merged_into = Some(to.clone());
    // The merged cluster is not shown, and its texts come from issues that can be deleted.
    old.label = ClusterLabel::fitted("Merged", "Merged");
    old.summary = Document::default();
    old.issues = 0;
    old.conversations = 0;
    old.counts = None;
    work.conversations().save_cluster(&successor).await?;
    Ok(work.conversations().save_cluster(&old).await?)
}
