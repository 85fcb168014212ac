//! Many changes to the redirects of a site in one request.
use super::{NewRedirect, RedirectPatch, Redirecting, Refused};
use crate::id::SiteRedirectId;
use crate::site::redirect::{RedirectSource, SiteRedirect};
use crate::text::Invalid;
use crate::usecases::Error;
use crate::words;
use std::collections::HashMap;

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
    /// The draft takes effect, instead of the redirect with the same source.
    Publish(RedirectSource),
    /// It is added or updated.
    Put(RedirectSource, RedirectPatch),
    /// It is deleted.
    Delete(RedirectSource),
}

words! {
    /// What one of many changes did.
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
    /// What it did.
    pub status: RedirectResultStatus,
    /// The source as it was sent.
    pub source: String,
    /// Whether it is about a draft.
    pub draft: bool,
    /// The redirect.
    pub id: Option<SiteRedirectId>,
    /// Why it did nothing.
    pub error: Option<String>,
}

/// Many changes to the redirects of a site.
struct Bulk<'a> {
    open: Redirecting<'a>,
    /// The redirects of the site with the sources of the changes, and whether they are drafts.
    standing: HashMap<(RedirectSource, bool), SiteRedirect>,
}

/// What a change did.
type Done = (RedirectResultStatus, Option<SiteRedirectId>);

/// Makes the changes in their order. Returns a result for each.
pub(super) async fn run(mut open: Redirecting<'_>, items: Vec<RedirectItem>) -> Result<Vec<RedirectResult>, Error> {
    let changes = items.iter().filter_map(|item| item.change.as_ref().ok());
    let sources: Vec<RedirectSource> = changes.map(|change| change.source().clone()).collect();
    let site = open.site.id.clone();
    let mut standing = HashMap::new();
    for draft in [false, true] {
        let found = open.work.site_redirects().with_sources(&site, draft, &sources).await?;
        standing.extend(found.into_iter().map(|redirect| ((redirect.source.clone(), draft), redirect)));
    }
    let mut bulk = Bulk { open, standing };
    let mut results = Vec::with_capacity(items.len());
    for RedirectItem { source, draft, change } in items {
        let done = match change {
            Ok(change) => bulk.apply(draft, change).await?,
            Err(invalid) => Err(Refused::Invalid(invalid)),
        };
        let (status, id, error) = match done {
            Ok((status, id)) => (status, id, None),
            Err(refused) => (RedirectResultStatus::Error, None, Some(refused.to_string())),
        };
        results.push(RedirectResult { status, source, draft, id, error });
    }
    bulk.open.end().await?;
    Ok(results)
}

impl Bulk<'_> {
    async fn apply(&mut self, draft: bool, change: RedirectChange) -> Result<Result<Done, Refused>, Error> {
        match change {
            RedirectChange::Publish(source) => self.publish(source).await,
            RedirectChange::Put(source, patch) => self.put(draft, source, patch).await,
            RedirectChange::Delete(source) => {
                let Some(redirect) = self.standing.remove(&(source, draft)) else {
                    return Ok(Ok((RedirectResultStatus::Deleted, None)));
                };
                self.remove(&redirect.id).await?;
                Ok(Ok((RedirectResultStatus::Deleted, Some(redirect.id))))
            }
        }
    }

    async fn remove(&mut self, id: &SiteRedirectId) -> Result<(), Error> {
        self.open.work.site_redirects().remove(&self.open.site.id, std::slice::from_ref(id)).await?;
        self.open.count = self.open.count.saturating_sub(1);
        self.open.changed[2].push(id.clone());
        Ok(())
    }

    async fn save(&mut self, redirect: SiteRedirect, added: bool) -> Result<SiteRedirectId, Error> {
        let id = redirect.id.clone();
        self.open.work.site_redirects().save(&self.open.site.id, std::slice::from_ref(&redirect)).await?;
        self.open.changed[usize::from(!added)].push(id.clone());
        self.standing.insert((redirect.source.clone(), redirect.draft), redirect);
        Ok(id)
    }

    async fn publish(&mut self, source: RedirectSource) -> Result<Result<Done, Refused>, Error> {
        let Some(draft) = self.standing.remove(&(source.clone(), true)) else {
            return Ok(Err(Refused::Invalid(Invalid::new("source", "there is no draft with this source"))));
        };
        if let Some(replaced) = self.standing.remove(&(source, false)) {
            self.remove(&replaced.id).await?;
        }
        let published = SiteRedirect { draft: false, updated_at: Some(self.open.work.now()), ..draft };
        let id = self.save(published, false).await?;
        Ok(Ok((RedirectResultStatus::Published, Some(id))))
    }

    async fn put(
        &mut self,
        draft: bool,
        source: RedirectSource,
        patch: RedirectPatch,
    ) -> Result<Result<Done, Refused>, Error> {
        let standing = self.standing.get(&(source.clone(), draft)).cloned();
        let (made, status) = match (standing, patch) {
            (Some(standing), patch) => (self.open.change(&standing, patch).await?, RedirectResultStatus::Updated),
            (None, RedirectPatch { destination: Some(destination), capture_wildcard, permanent, .. }) => {
                let (capture_wildcard, permanent) = (capture_wildcard.unwrap_or(false), permanent.unwrap_or(false));
                let new = NewRedirect { source, destination, capture_wildcard, permanent, draft };
                (self.open.make(new).await?, RedirectResultStatus::Created)
            }
            (None, _) => {
                return Ok(Err(Refused::Invalid(Invalid::new("destination", "is required for a new redirect"))));
            }
        };
        let redirect = match made {
            Ok(redirect) => redirect,
            Err(refused) => return Ok(Err(refused)),
        };
        let added = status == RedirectResultStatus::Created;
        let id = self.save(redirect, added).await?;
        self.open.count += usize::from(added);
        Ok(Ok((status, Some(id))))
    }
}

impl RedirectChange {
    fn source(&self) -> &RedirectSource {
        match self {
            Self::Publish(source) | Self::Put(source, _) | Self::Delete(source) => source,
        }
    }
}
