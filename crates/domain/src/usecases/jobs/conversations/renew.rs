//! Renews the features of issues that another version of the program computed.
use super::ask::UNUSABLE_PAUSE;
use super::vectors::Vectors;
use super::{Analyst, Earlier, LONGEST, Lease, Stop, panicked};
use crate::id::{ConversationIssueId, OrganizationId};
use crate::ports::store::conversations::{GroupedIssue, StoredFeatures};
use crate::text::Language;
use chrono::{DateTime, Utc};
use conversations::analyse::FoundIssue;
use conversations::features::{FEATURE_VERSION, Features};

/// The maximum number of issues whose features one step stores.
const RENEWED: usize = 64;
/// A text for which every engine has a vector.
const ORDINARY: &str = "How do I change my password?";

/// Computes outdated features again, and marks all issues to be grouped from scratch. Returns when to continue, if some
/// are left.
pub(super) async fn renew(
    lease: &Lease<'_>,
    analyst: &Analyst,
    organization: &OrganizationId,
    earlier: &mut Earlier,
    mut vectors: Option<&mut Vectors<'_>>,
) -> Result<Option<DateTime<Utc>>, Stop> {
    let began = lease.now();
    loop {
        let old = lease.read().await?.conversations().outdated(organization, FEATURE_VERSION, RENEWED).await?;
        if old.is_empty() {
            return Ok(None);
        }
        if lease.now() - began >= LONGEST {
            return Ok(Some(lease.now()));
        }
        let mut found = Vec::new();
        if let Some(vectors) = &mut vectors {
            let texts: Vec<String> = old.iter().map(|issue| compared(issue).0.to_owned()).collect();
            found = each_vector(lease, vectors, &texts).await?;
            if let Some(until) = vectors.paused_until {
                return Ok(Some(until));
            }
            // If the engine has no vector for any text at all, it may have one later.
            if found.iter().all(Option::is_none) && !knows_any(lease, vectors).await? {
                return Ok(Some(vectors.paused_until.unwrap_or(lease.now() + UNUSABLE_PAUSE)));
            }
        }
        let compute = move || {
            let mut found = found.into_iter();
            old.into_iter().map(|issue| renewed(issue, found.next().flatten())).collect::<Vec<_>>()
        };
        let renewed = analyst.long_work.compute(compute).await.ok_or_else(panicked)?;
        earlier.tidied_at = None;
        earlier.new_issues = earlier.new_issues.max(1);
        let mut work = lease.step_with(&[organization.into()]).await?;
        for (issue, features) in &renewed {
            work.conversations().save_features(organization, issue, features).await?;
        }
        lease.note(work, &earlier.task(organization)).await?;
    }
}

/// Whether the engine has a vector for an ordinary text.
async fn knows_any(lease: &Lease<'_>, vectors: &mut Vectors<'_>) -> Result<bool, Stop> {
    Ok(!vectors.of_texts(lease, &[ORDINARY.to_owned()]).await?.is_empty())
}

/// The vector of each text. After an unusable answer, asks the engine about each text alone, so that one text does not
/// prevent the vectors of the others.
async fn each_vector(
    lease: &Lease<'_>,
    vectors: &mut Vectors<'_>,
    texts: &[String],
) -> Result<Vec<Option<Vec<f32>>>, Stop> {
    let together = vectors.of_texts(lease, texts).await?;
    if together.len() == texts.len() {
        return Ok(together.into_iter().map(Some).collect());
    }
    let mut each = Vec::with_capacity(texts.len());
    for text in texts {
        each.push(vectors.of_texts(lease, std::slice::from_ref(text)).await?.pop());
    }
    Ok(each)
}

/// The text by which an issue is compared, and its language.
fn compared(issue: &GroupedIssue) -> (&str, Option<Language>) {
    FoundIssue::compared(&issue.title, issue.gist.as_deref(), issue.language)
}

fn renewed(issue: GroupedIssue, vector: Option<Vec<f32>>) -> (ConversationIssueId, StoredFeatures) {
    let (text, language) = compared(&issue);
    let features = Features::of(text, language);
    let features = match &vector {
        Some(vector) => features.with_vector(vector),
        None => features,
    };
    let bytes = features.to_bytes();
    (issue.id, StoredFeatures { version: FEATURE_VERSION, bytes })
}
