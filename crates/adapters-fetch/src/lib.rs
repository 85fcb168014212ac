//! Fetches what others publish, over HTTP and HTTPS.
//!
//! Whoever names an address makes this server ask there, from inside the operator's network. So a host is resolved once,
//! each of its addresses is looked at, and the connection goes to those very addresses: what a name server says a moment
//! later changes nothing. A redirect begins all of this anew. Nothing is sent along: no cookies, no credentials, no
//! referrer; and no proxy of the environment is used, which would resolve names by itself.
mod client;
mod gate;
mod networks;
mod own;
mod target;
#[cfg(test)]
mod tests;

use async_trait::async_trait;
use bytes::Bytes;
use client::{Client, content_type};
use domain::ports::{FetchError, FetchRequest, Fetched, Fetcher};
use gate::{Gate, Names, Rule, SystemNames};
use own::Own;
use reqwest::header::{CONTENT_ENCODING, LOCATION};
use reqwest::{Response, StatusCode};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::time::{Instant, sleep_until, timeout};
use url::Url;

/// Redirects that are followed.
const REDIRECTS: usize = 3;
/// How long a fetch may take when the caller does not say.
const TIMEOUT: Duration = Duration::from_secs(10);
/// A name that may not be asked is refused no sooner than this after it came up: how long its resolution took would tell
/// names of the operator's network, which are known nearby, from names that nobody knows.
const REFUSAL: Duration = Duration::from_millis(500);
/// Fetches at a time; further ones wait, as part of their time.
const AT_ONCE: usize = 16;

/// What may be fetched.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FetchOptions {
    /// Whether private addresses and ports other than 80 and 443 may be asked, too. Never link-local addresses, where
    /// clouds tell a machine its secrets.
    pub allow_private: bool,
    /// Hosts and ports that belong to this instance, such as where it listens and its database: never asked.
    pub own: Vec<(String, u16)>,
}

/// Fetches over HTTP and HTTPS.
pub struct HttpFetcher {
    gate: Gate,
    client: Client,
    places: Semaphore,
}

impl HttpFetcher {
    /// Prepares fetching. Nothing is opened before the first fetch.
    pub fn new(options: FetchOptions) -> Self {
        let rule = if options.allow_private { networks::inside } else { networks::public };
        Self::with(rule, Arc::new(SystemNames), options.own)
    }

    fn with(rule: Rule, names: Arc<dyn Names>, own: Vec<(String, u16)>) -> Self {
        Self { gate: Gate { rule, own: Own(own), names }, client: Client::default(), places: Semaphore::new(AT_ONCE) }
    }

    async fn whole(&self, request: &FetchRequest) -> Result<Fetched, FetchError> {
        let _place = self.places.acquire().await.map_err(|_closed| FetchError::Unable("it stops"))?;
        let response = self.follow(target::parse(&request.url)?).await?;
        if response.headers().get(CONTENT_ENCODING).is_some_and(|encoding| encoding != "identity") {
            return Err(FetchError::Encoded);
        }
        let content_type = content_type(&response);
        Ok(Fetched { bytes: body(response, request.max_bytes).await?, content_type })
    }

    /// The addresses that the host of the URL may be asked at.
    async fn admit(&self, url: &Url) -> Result<Vec<SocketAddr>, FetchError> {
        let earliest = Instant::now() + REFUSAL;
        let admitted = self.gate.admit(url).await;
        if admitted.is_err() && url.domain().is_some() {
            sleep_until(earliest).await;
        }
        admitted
    }

    /// Asks, and goes where the answers lead.
    async fn follow(&self, mut url: Url) -> Result<Response, FetchError> {
        for _ in 0..=REDIRECTS {
            let addresses = self.admit(&url).await?;
            let response = self.client.get(&url, addresses).await?;
            match response.status() {
                StatusCode::MOVED_PERMANENTLY
                | StatusCode::FOUND
                | StatusCode::SEE_OTHER
                | StatusCode::TEMPORARY_REDIRECT
                | StatusCode::PERMANENT_REDIRECT => {
                    let location = response.headers().get(LOCATION).and_then(|location| location.to_str().ok());
                    url = target::join(&url, location.ok_or(FetchError::Redirects(REDIRECTS))?)?;
                }
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
        let limit = request.timeout.unwrap_or(TIMEOUT);
        timeout(limit, self.whole(&request)).await.unwrap_or(Err(FetchError::Timeout))
    }
}

impl std::fmt::Debug for HttpFetcher {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HttpFetcher").finish_non_exhaustive()
    }
}

/// Takes a body in, up to a limit: what it says of its own length is believed only where that is too much.
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
