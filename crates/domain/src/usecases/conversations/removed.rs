//! Describes clusters after issues were removed: they must quote nothing of a deleted conversation.
use crate::conversation::{ConversationIssue, IssueCluster};
use crate::paging::{Order, PageRequest};
use crate::ports::store::conversations::IssueFilter;
use crate::text::{ClusterLabel, Language};
use crate::usecases::Error;
use crate::usecases::work::Work;
use conversations::analyse::FoundIssue;
use conversations::describe::{Statistics, describe, quotes};

/// The number of newest issues that describe a cluster.
const READ: usize = 40;

/// Describes a cluster again, by its remaining issues, if its label or summary comes from a removed issue. If a
/// language model wrote them, it writes them again in the next run of the job.
///
/// # Errors
/// Those of the store.
pub(super) async fn describe_remaining(
    work: &mut Work<'_>,
    cluster: &mut IssueCluster,
    removed: &[ConversationIssue],
) -> Result<(), Error> {
    let label = cluster.label.as_str().trim_end_matches('…').to_lowercase();
    let is_quoted = quotes_one(cluster, removed);
    let is_named = cluster.described_issues.is_none() && removed.iter().any(|issue| compared(issue).contains(&label));
    if !is_quoted && !is_named {
        return Ok(());
    }
    let filter = IssueFilter { cluster: Some(cluster.id.clone()), conversation: None };
    let newest = PageRequest { limit: READ, order: Order::Desc, ..PageRequest::default() };
    let remaining = work.conversations().issues(&cluster.organization, &filter, &newest).await?.items;
    if !is_quoted && remaining.iter().any(|issue| compared(issue).contains(&label)) {
        return Ok(());
    }
    let titles: Vec<&str> = remaining.iter().map(|issue| issue.title.as_str()).collect();
    let (texts, languages): (Vec<&str>, Vec<_>) = remaining.iter().map(text_and_language).unzip();
    let language = languages.first().copied().unwrap_or(cluster.language);
    // Without the issues of other clusters, all phrases count as equally rare.
    let about = describe(&texts, language, &Statistics::default(), Some(cluster.label.as_str()));
    let mut summary = about.summary;
    summary.quotes = quotes(&titles);
    cluster.label = ClusterLabel::fitted(&about.label, "Other");
    cluster.summary = summary.document().unwrap_or_default();
    about.icon.clone_into(&mut cluster.icon);
    cluster.described_issues = None;
    Ok(())
}

/// Whether the summary of a cluster quotes one of these issues.
fn quotes_one(cluster: &IssueCluster, issues: &[ConversationIssue]) -> bool {
    let summary = cluster.summary.text().to_lowercase();
    issues.iter().any(|issue| {
        let title = issue.title.as_str().to_lowercase();
        summary.lines().any(|line| line == title)
    })
}

/// The text by which an issue is compared, in lower case.
fn compared(issue: &ConversationIssue) -> String {
    text_and_language(issue).0.to_lowercase()
}

fn text_and_language(issue: &ConversationIssue) -> (&str, Option<Language>) {
    FoundIssue::compared(issue.title.as_str(), issue.gist.as_deref(), issue.language)
}
