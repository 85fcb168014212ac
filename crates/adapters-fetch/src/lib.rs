//! Fetches files over HTTP and HTTPS, and sends requests to webhooks.
//!
//! A caller can choose an address, and this server sends the request from inside the operator's network (server-side
//! request forgery). So it resolves a host once, checks each address, and connects only to these addresses: a later
//! change of the DNS has no effect. It checks each redirect of a fetch in the same way; a request with a body follows
//! no redirect. Requests contain no cookies, no credentials and no referrer. Proxies of the environment are not used,
//! because they would resolve names themselves.
mod admission;
mod api_client;
mod client;
mod networks;
mod refused_hosts;
mod target;
#[cfg(test)]
mod tests;

pub use api_client::ApiClient;

use admission::{AddressCheck, Resolver, Rule, SystemResolver};
use async_trait::async_trait;
use bytes::Bytes;
use client::{Client, content_type, validators};
use domain::openapi_spec::Validators;
use domain::ports::{FetchError, FetchRequest, Fetched, Fetcher, FoundFile, PostRequest, Posted};
use refused_hosts::OwnEndpoints;
use reqwest::header::{CONTENT_ENCODING, LOCATION};
use reqwest::{Response, StatusCode};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::time::{Instant, sleep_until, timeout, timeout_at};
use url::Url;

/// The most redirects that are followed.
const REDIRECTS: usize = 3;
/// The default time limit of a fetch, and the time limit of a request that sends a body.
const TIMEOUT: Duration = Duration::from_secs(10);
/// The least time from the start of a lookup to a refusal. Without it, a caller could measure which names exist in the
/// operator's network, because these resolve quickly.
const REFUSAL: Duration = Duration::from_millis(500);
/// The most concurrent fetches. Others wait; the wait counts towards their time limit.
const AT_ONCE: usize = 16;

/// Rules for fetching.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FetchOptions {
    /// Whether private addresses and ports other than 80 and 443 are allowed. Link-local addresses, with the metadata
    /// services of clouds, are never allowed.
    pub allow_private: bool,
    /// Hosts and ports of this instance, such as its listen address and its database; always refused.
    pub own: Vec<(String, u16)>,
}

/// Fetches over HTTP and HTTPS.
pub struct HttpFetcher {
    gate: AddressCheck,
    client: Client,
    places: Semaphore,
}

impl HttpFetcher {
    /// Creates the fetcher. It opens no connection and reads no file before the first fetch.
    pub fn new(options: FetchOptions) -> Self {
        let rule = if options.allow_private { networks::inside } else { networks::public };
        Self::with(rule, Arc::new(SystemResolver), options.own)
    }

    fn with(rule: Rule, names: Arc<dyn Resolver>, own: Vec<(String, u16)>) -> Self {
        Self {
            gate: AddressCheck { rule, own: OwnEndpoints(own), names },
            client: Client::default(),
            places: Semaphore::new(AT_ONCE),
        }
    }

    /// Fetches a file; `None` if the host reports that it still has the validators `known`.
    async fn whole(&self, request: &FetchRequest, known: &Validators) -> Result<Option<FoundFile>, FetchError> {
        let _place = self.places.acquire().await.map_err(|_closed| FetchError::Unable("it is stopping"))?;
        let response = self.follow(target::parse(&request.url)?, known).await?;
        if response.status() == StatusCode::NOT_MODIFIED {
            return Ok(None);
        }
        if response.headers().get(CONTENT_ENCODING).is_some_and(|encoding| encoding != "identity") {
            return Err(FetchError::Encoded);
        }
        let (address, validators) = (response.url().to_string(), validators(&response));
        let content_type = content_type(&response);
        let file = Fetched { bytes: body(response, request.max_bytes).await?, content_type };
        Ok(Some(FoundFile { file, address, validators }))
    }

    /// The checked addresses of the host in the URL.
    async fn admit(&self, url: &Url) -> Result<Vec<SocketAddr>, FetchError> {
        let earliest = Instant::now() + REFUSAL;
        let admitted = self.gate.admit(url).await;
        if admitted.is_err() && url.domain().is_some() {
            sleep_until(earliest).await;
        }
        admitted
    }

    /// Sends a body, and reads the response until `end`.
    async fn post_until(&self, end: Instant, request: PostRequest) -> Result<Posted, FetchError> {
        let sending = async {
            let url = target::parse(&request.url)?;
            let addresses = self.admit(&url).await?;
            self.client.post(&url, addresses, &request.headers, request.body.clone()).await
        };
        let response = timeout_at(end, sending).await.unwrap_or(Err(FetchError::Timeout))?;
        Ok(Posted { status: response.status().as_u16(), body: beginning(response, request.read, end).await })
    }

    /// Sends the request and follows redirects.
    async fn follow(&self, mut url: Url, known: &Validators) -> Result<Response, FetchError> {
        for _ in 0..=REDIRECTS {
            let addresses = self.admit(&url).await?;
            let response = self.client.get(&url, addresses, known).await?;
            match response.status() {
                StatusCode::MOVED_PERMANENTLY
                | StatusCode::FOUND
                | StatusCode::SEE_OTHER
                | StatusCode::TEMPORARY_REDIRECT
                | StatusCode::PERMANENT_REDIRECT => {
                    let location = response.headers().get(LOCATION).and_then(|location| location.to_str().ok());
                    url = target::join(&url, location.ok_or(FetchError::Redirects(REDIRECTS))?)?;
                }
                StatusCode::NOT_MODIFIED if !known.is_empty() => return Ok(response),
                status if status.is_success() => return Ok(response),
                status => return Err(FetchError::Status(status.as_u16())),
            }
        }
        Err(FetchError::Redirects(REDIRECTS))
    }
}

#[async_trait]
impl Fetcher for HttpFetcher {
    async fn fetch(&self, request: FetchRequest) -> Result<Fetched, FetchError> {
        let found = self.fetch_if_changed(request, &Validators::default()).await?;
        // Without validators, a response cannot be 304.
        found.map(|found| found.file).ok_or(FetchError::Status(StatusCode::NOT_MODIFIED.as_u16()))
    }

    async fn fetch_if_changed(
        &self,
        request: FetchRequest,
        known: &Validators,
    ) -> Result<Option<FoundFile>, FetchError> {
        let limit = request.timeout.unwrap_or(TIMEOUT);
        timeout(limit, self.whole(&request, known)).await.unwrap_or(Err(FetchError::Timeout))
    }

    async fn post(&self, request: PostRequest) -> Result<Posted, FetchError> {
        self.post_until(Instant::now() + TIMEOUT, request).await
    }
}

impl std::fmt::Debug for HttpFetcher {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HttpFetcher").finish_non_exhaustive()
    }
}

/// Reads up to `length` bytes of a body until `end`. The status is already known, so a truncated or slow body is no
/// error.
async fn beginning(mut response: Response, length: usize, end: Instant) -> Bytes {
    let mut bytes = Vec::new();
    while bytes.len() < length {
        let Ok(Ok(Some(chunk))) = timeout_at(end, response.chunk()).await else { break };
        bytes.extend_from_slice(&chunk[..chunk.len().min(length - bytes.len())]);
    }
    bytes.into()
}

/// Reads a body up to a limit. A declared length beyond the limit is refused at once; any other declared length is
/// ignored.
async fn body(mut response: Response, max_bytes: u64) -> Result<Bytes, FetchError> {
    let fits = |length: u64| if length <= max_bytes { Ok(()) } else { Err(FetchError::TooLarge(max_bytes)) };
    fits(response.content_length().unwrap_or_default())?;
    let mut bytes = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|error| client::reason(&error))? {
        fits((bytes.len() + chunk.len()) as u64)?;
        bytes.extend_from_slice(&chunk);
    }
    Ok(bytes.into())
}
