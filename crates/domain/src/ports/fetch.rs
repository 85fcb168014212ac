//! What others publish on the network.
use async_trait::async_trait;
use bytes::Bytes;
use std::time::Duration;

/// What to fetch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FetchRequest {
    /// Where it is: an http or https address, as somebody wrote it.
    pub url: String,
    /// The most bytes to take; more is an error, not a part of it.
    pub max_bytes: u64,
    /// The longest that all of it may take, redirects included; the adapter's own limit when nothing is said.
    pub timeout: Option<Duration>,
}

/// What was fetched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fetched {
    /// The bytes, all of them.
    pub bytes: Bytes,
    /// What the other side says they are, such as `image/png`. Nobody has checked it.
    pub content_type: Option<String>,
}

/// Why nothing was fetched. The texts can be shown to the caller: they say what to change, and nothing about the
/// network this server stands in.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FetchError {
    /// The address cannot be read, or has parts it must not have.
    #[error("the address {0}")]
    Address(&'static str),
    /// The address is neither http nor https.
    #[error("the address must begin with http:// or https://")]
    Scheme,
    /// The address leads, maybe after redirects, to a place that is not public, or to none. The two are one, so that nobody
    /// finds out by asking which names there are in the operator's network.
    #[error(
        "the host of the address is not allowed: its name cannot be resolved, or it is a private or reserved address"
    )]
    Private,
    /// The address names a port that is not one of the web.
    #[error("the port of the address must be 80 or 443")]
    Port,
    /// Nobody answered, or the answer broke off.
    #[error("the host cannot be reached, or its response is not HTTP")]
    Connection,
    /// The host could not prove who it is.
    #[error("the TLS connection failed: the certificate of the host is not accepted")]
    Tls,
    /// Redirects went on for too long, or led nowhere.
    #[error("the address redirects more than {0} times, or a redirect has no target")]
    Redirects(usize),
    /// The answer was not one of success.
    #[error("the host returned status {0}")]
    Status(u16),
    /// The answer came compressed, which was not asked for.
    #[error("the host returned compressed content, although the request did not allow it")]
    Encoded,
    /// There is more than may be taken.
    #[error("the content at the address is larger than {0} bytes")]
    TooLarge(u64),
    /// It took too long.
    #[error("the host took too long to respond")]
    Timeout,
    /// This server cannot fetch anything at present.
    #[error("this server cannot fetch files: {0}")]
    Unable(&'static str),
}

/// Fetches what others publish. Whoever names an address makes this server ask there, so that only public addresses are
/// asked unless the operator decides otherwise; each redirect is looked at like the first address.
///
/// Not to be called while a unit of work is open: it would hold the database for as long as somebody else likes.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait Fetcher: Send + Sync {
    /// Fetches all of what an address leads to, with GET, without credentials and cookies.
    ///
    /// # Errors
    /// Why nothing was fetched.
    async fn fetch(&self, request: FetchRequest) -> Result<Fetched, FetchError>;
}
