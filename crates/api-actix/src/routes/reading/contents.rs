//! Reading all of a revision except the texts.
//!
//! The response has two parts. The first one depends only on the revision and on what is in its key, so it is cached.
//! The second one is the change request that the revision merged. It changes with its comments, with the names of its
//! users and with what the caller may see of them, so it is loaded for each request. The tag of the response is made of
//! the tag of the first part and of the second part: a response that the caller already has is not built.
use super::Reading;
use crate::answer::error::ApiError;
use crate::answer::signature::Signer;
use crate::answer::{Answer, Answered, last_field, ok};
use crate::request::Query;
use crate::routes::at_length_if;
use crate::state::revision_cache::{CachedAnswer, Name, What};
use crate::wire::change_request::change_request;
use crate::wire::content::ContentParams;
use crate::wire::page::View;
use crate::wire::revision::{revision, shown_kind};
use actix_web::HttpRequest;
use chrono::{DateTime, Utc};
use domain::content::revision::RevisionKind;
use domain::usecases::content::{PageReader, Version};
use http_server::{LastField, client_has};

/// The largest first part that is copied on the thread of the request, in bytes. Copying more takes another thread.
const SMALL: usize = 512 * 1024;

/// A revision that the caller may read, before its contents are read.
struct Opened<'a> {
    version: Version,
    /// Reads the version; `None` if it was loaded before, and nothing was committed since.
    reader: Option<PageReader<'a>>,
    /// The key of the first part.
    name: Name,
    /// The origin of the revision, as far as the caller may see it.
    kind: RevisionKind,
    /// The time for the URLs of files.
    now: DateTime<Utc>,
    /// The second part.
    merged_from: Option<LastField>,
}

impl Reading {
    pub(in crate::routes) async fn revision(self, query: Query<ContentParams>, request: &HttpRequest) -> Answered {
        // The unit of work ends here, with the reader.
        let Opened { name, merged_from, .. } = self.open_contents(query.as_sent()).await?;
        let cached = self.api.revision_cache.find(&name);
        if let Some(cached) = &cached {
            let tag = whole_tag(cached.tag(), merged_from.as_ref());
            if client_has(request.head(), &tag) {
                return Ok(Answer::unchanged(tag));
            }
        }
        if let Some(CachedAnswer::Whole(first)) = cached {
            let long = merged_from.is_some() && first.len() > SMALL;
            let (api, caller) = (self.api.clone(), self.caller.clone());
            return at_length_if(long, api, caller, 0, |_api, _caller| async move {
                Ok(whole(first, merged_from.as_ref()))
            })
            .await;
        }
        self.at_length(move |reading| async move { reading.read_contents(&query).await }).await
    }

    /// Opens the version, and loads everything that the response depends on besides the contents of the revision.
    async fn open_contents(&self, query: &str) -> Result<Opened<'_>, ApiError> {
        let now = self.now();
        // The cached version has no change request. A revision that merged none never gets one.
        let known = self.known().filter(|version| version.revision().merged_from.is_none());
        let (version, reader, merged_from) = match known {
            Some(version) => (version, None, None),
            None => {
                let (reader, merged_from) = self.open().await?.published().await?.pages_and_merge().await?;
                self.know(reader.version());
                (reader.version().clone(), Some(reader), merged_from)
            }
        };
        let kind = shown_kind(version.revision().kind, merged_from.is_some());
        let what = What::Revision { kind, files_expire: Signer::expiry(now) };
        let name = self.name(what, version.revision_id(), version.published(), query);
        let merged_from = match merged_from {
            Some(shown) => Some(last_field("mergedFrom", &change_request(shown, &self.api.links))?),
            None => None,
        };
        Ok(Opened { version, reader, name, kind, now, merged_from })
    }

    /// Builds the response, on a thread of the pool for long work.
    async fn read_contents(&self, query: &Query<ContentParams>) -> Answered {
        let Opened { version, reader, name, kind, now, merged_from } = self.open_contents(query.as_sent()).await?;
        if let Some(CachedAnswer::Whole(first)) = self.api.revision_cache.find(&name) {
            // Another request built it while this one waited for the thread.
            return Ok(whole(first, merged_from.as_ref()));
        }
        let mut reader = match reader {
            Some(reader) => reader,
            None => self.api.services.content.reopen(&self.caller, version.clone()).await?,
        };
        let start = reader.start().await?;
        let shown = query.read()?;
        let contents = reader.contents(shown.computed).await?;
        let published = version.published();
        let at = published.and_then(|published| self.api.links.published_pages(published, start));
        let view = View { published: at.as_ref(), ..self.view(shown.metadata) };
        let mut first = ok(&revision((version.revision(), kind), &contents, published, view, now));
        if contents.is_lasting {
            first = self.store(name, first);
        }
        Ok(whole(first?, merged_from.as_ref()))
    }
}

/// The response of its parts.
fn whole(first: Answer, merged_from: Option<&LastField>) -> Answer {
    match merged_from {
        Some(field) => first.with_field(field),
        None => first,
    }
}

/// The tag of [`whole`], by the tag of the first part.
fn whole_tag(first: &str, merged_from: Option<&LastField>) -> String {
    match merged_from {
        Some(field) => field.tag(first),
        None => first.to_owned(),
    }
}
