//! Many changes to the redirects of a site in one request.
use super::change::{ChangeError, Redirecting, Refused};
use super::{NewRedirect, RedirectPatch};
use crate::id::SiteRedirectId;
use crate::site::redirect::{RedirectSource, SiteRedirect};
use crate::text::Invalid;
use crate::usecases::Error;
use crate::words;
use std::collections::{HashMap, HashSet};

/// One of many changes to the redirects of a site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RedirectItem {
    /// The source as it was sent.
    pub source: String,
    /// Whether the change is about a draft.
    pub draft: bool,
    /// The change, or the rule that it breaks.
    pub change: Result<RedirectChange, Invalid>,
}

/// A change to the redirect with a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RedirectChange {
    /// Publish the draft, which replaces the redirect with the same source.
    Publish(RedirectSource),
    /// Add or update it.
    Put(RedirectSource, RedirectPatch),
    /// Delete it.
    Delete(RedirectSource),
}

words! {
    /// The outcome of one of many changes.
    pub enum RedirectResultStatus {
        Created = "created",
        Updated = "updated",
        Deleted = "deleted",
        Published = "published",
        Error = "error",
    }
}

/// The result of one of many changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RedirectResult {
    /// The outcome.
    pub status: RedirectResultStatus,
    /// The source as it was sent.
    pub source: String,
    /// Whether it is about a draft.
    pub draft: bool,
    /// The redirect.
    pub id: Option<SiteRedirectId>,
    /// Why it was refused.
    pub error: Option<String>,
}

/// Many changes to the redirects of a site.
struct Bulk<'a> {
    open: Redirecting<'a>,
    /// The redirects with the sources of the changes, and whether they are drafts, after the changes so far.
    redirects: HashMap<(RedirectSource, bool), SiteRedirect>,
}

/// The outcome of a change.
type Done = (RedirectResultStatus, Option<SiteRedirectId>);

/// Makes the changes in order. Returns a result for each.
pub(super) async fn run(mut open: Redirecting<'_>, items: Vec<RedirectItem>) -> Result<Vec<RedirectResult>, Error> {
    let changes = items.iter().filter_map(|item| item.change.as_ref().ok());
    let sources: Vec<RedirectSource> = changes.map(|change| change.source().clone()).collect();
    let site = open.site.id.clone();
    let mut redirects = HashMap::new();
    for draft in [false, true] {
        let found = open.work.site_redirects().with_sources(&site, draft, &sources).await?;
        redirects.extend(found.into_iter().map(|redirect| ((redirect.source.clone(), draft), redirect)));
    }
    let stored: HashMap<SiteRedirectId, SiteRedirect> =
        redirects.values().map(|redirect| (redirect.id.clone(), redirect.clone())).collect();
    let mut bulk = Bulk { open, redirects };
    let mut results = Vec::with_capacity(items.len());
    for RedirectItem { source, draft, change } in items {
        let done = match change {
            Ok(change) => match bulk.apply(draft, change).await {
                Ok(done) => Ok(done),
                Err(ChangeError::Refused(refused)) => Err(refused),
                Err(ChangeError::Failed(error)) => return Err(error),
            },
            Err(invalid) => Err(Refused::Invalid(invalid)),
        };
        let (status, id, error) = match done {
            Ok((status, id)) => (status, id, None),
            Err(refused) => (RedirectResultStatus::Error, None, Some(refused.to_string())),
        };
        results.push(RedirectResult { status, source, draft, id, error });
    }
    bulk.end(&stored).await?;
    Ok(results)
}

impl Bulk<'_> {
    async fn apply(&mut self, draft: bool, change: RedirectChange) -> Result<Done, ChangeError> {
        match change {
            RedirectChange::Publish(source) => Ok(self.publish(source)?),
            RedirectChange::Put(source, patch) => self.put(draft, source, patch).await,
            RedirectChange::Delete(source) => {
                let removed = self.remove(source, draft);
                Ok((RedirectResultStatus::Deleted, removed))
            }
        }
    }

    fn remove(&mut self, source: RedirectSource, draft: bool) -> Option<SiteRedirectId> {
        let removed = self.redirects.remove(&(source, draft))?;
        self.open.count = self.open.count.saturating_sub(1);
        Some(removed.id)
    }

    fn set(&mut self, redirect: SiteRedirect) -> SiteRedirectId {
        let id = redirect.id.clone();
        self.redirects.insert((redirect.source.clone(), redirect.draft), redirect);
        id
    }

    fn publish(&mut self, source: RedirectSource) -> Result<Done, Refused> {
        let absent = || Invalid::new("source", "there is no draft with this source");
        let draft = self.redirects.remove(&(source.clone(), true)).ok_or_else(absent)?;
        self.remove(source, false);
        let published = SiteRedirect { draft: false, updated_at: Some(self.open.work.now()), ..draft };
        Ok((RedirectResultStatus::Published, Some(self.set(published))))
    }

    /// Stores the result of the changes. Rows are removed first, so that another row can take their source.
    async fn end(mut self, stored: &HashMap<SiteRedirectId, SiteRedirect>) -> Result<(), Error> {
        let (old, new): (Vec<_>, Vec<_>) =
            self.redirects.into_values().partition(|redirect| stored.contains_key(&redirect.id));
        let kept: HashSet<&SiteRedirectId> = old.iter().map(|redirect| &redirect.id).collect();
        let removed: Vec<_> = stored.keys().filter(|id| !kept.contains(id)).cloned().collect();
        let updated: Vec<_> = old.into_iter().filter(|redirect| stored.get(&redirect.id) != Some(redirect)).collect();
        let site = &self.open.site.id;
        self.open.work.site_redirects().remove(site, &removed).await?;
        self.open.work.site_redirects().save(site, &updated).await?;
        self.open.work.site_redirects().save(site, &new).await?;
        let ids = |redirects: Vec<SiteRedirect>| redirects.into_iter().map(|redirect| redirect.id).collect();
        self.open.changed = [ids(new), ids(updated), removed];
        self.open.end().await
    }

    async fn put(&mut self, draft: bool, source: RedirectSource, patch: RedirectPatch) -> Result<Done, ChangeError> {
        let known = self.redirects.get(&(source.clone(), draft)).cloned();
        let (redirect, status) = match (known, patch) {
            (Some(known), patch) => (self.open.change(&known, patch).await?, RedirectResultStatus::Updated),
            (None, RedirectPatch { destination: Some(destination), capture_wildcard, permanent, .. }) => {
                let (capture_wildcard, permanent) = (capture_wildcard.unwrap_or(false), permanent.unwrap_or(false));
                let new = NewRedirect { source, destination, capture_wildcard, permanent, draft };
                (self.open.make(new).await?, RedirectResultStatus::Created)
            }
            (None, _) => {
                return Err(Refused::Invalid(Invalid::new("destination", "is required for a new redirect")).into());
            }
        };
        self.open.count += usize::from(status == RedirectResultStatus::Created);
        Ok((status, Some(self.set(redirect))))
    }
}

impl RedirectChange {
    fn source(&self) -> &RedirectSource {
        match self {
            Self::Publish(source) | Self::Put(source, _) | Self::Delete(source) => source,
        }
    }
}
