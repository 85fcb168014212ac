//! Fetching files from the network, and sending requests.
use crate::openapi_spec::Validators;
use async_trait::async_trait;
use bytes::Bytes;
use std::time::Duration;

/// A request for a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FetchRequest {
    /// An http or https address, as the caller wrote it.
    pub url: String,
    /// The maximum size in bytes; a larger file is an error and is not truncated.
    pub max_bytes: u64,
    /// The timeout for the whole fetch, including redirects; if absent, the adapter's own limit.
    pub timeout: Option<Duration>,
}

/// A fetched file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fetched {
    /// All bytes.
    pub bytes: Bytes,
    /// The media type that the host declared, such as `image/png`. It is not verified.
    pub content_type: Option<String>,
}

/// A fetched file with its address and its validators.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundFile {
    /// The file.
    pub file: Fetched,
    /// The address that returned it, after redirects.
    pub address: String,
    /// Its validators.
    pub validators: Validators,
}

/// Why a fetch failed. The messages can be shown to the caller: they name what to change, and reveal nothing about the
/// network of this server.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FetchError {
    /// The address cannot be parsed, or has parts that are not allowed.
    #[error("the address {0}")]
    Address(&'static str),
    /// The address is neither http nor https.
    #[error("the address must begin with http:// or https://")]
    Scheme,
    /// The host cannot be resolved or is not public, possibly after redirects. Both have the same error, so that
    /// callers cannot find out which names exist in the operator's network.
    #[error(
        "the host of the address is not allowed: its name cannot be resolved, or it is a private or reserved address"
    )]
    Private,
    /// The port is not 80 or 443.
    #[error("the port of the address must be 80 or 443")]
    Port,
    /// The host did not respond, or the response broke off.
    #[error("the host cannot be reached, or its response is not HTTP")]
    Connection,
    /// The certificate of the host was not accepted.
    #[error("the TLS connection failed: the certificate of the host is not accepted")]
    Tls,
    /// There were too many redirects, or a redirect had no target.
    #[error("the address redirects more than {0} times, or a redirect has no target")]
    Redirects(usize),
    /// The status was not a success.
    #[error("the host returned status {0}")]
    Status(u16),
    /// The content was compressed, although the request did not allow it.
    #[error("the host returned compressed content, although the request did not allow it")]
    Encoded,
    /// The content is larger than the maximum.
    #[error("the content at the address is larger than {0} bytes")]
    TooLarge(u64),
    /// The timeout passed.
    #[error("the host took too long to respond")]
    Timeout,
    /// This server cannot fetch anything now.
    #[error("this server cannot fetch files: {0}")]
    Unable(&'static str),
}

/// A request that sends a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PostRequest {
    /// An http or https address.
    pub url: String,
    /// Names and values of headers.
    pub headers: Vec<(&'static str, String)>,
    /// The body.
    pub body: Bytes,
    /// How many bytes of the response to read; the rest is not read.
    pub read: usize,
}

/// The response to a [`PostRequest`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Posted {
    /// The status, including that of a redirect or an error.
    pub status: u16,
    /// The beginning of the body.
    pub body: Bytes,
}

/// Fetches public files, and sends requests to public addresses. A caller who sets an address makes this server send
/// requests to it. So only public addresses are allowed, unless the operator also allows private ones. Each redirect is
/// checked like the first address.
///
/// Must not be called while a unit of work is open, because it would keep its locks while the remote host responds.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait Fetcher: Send + Sync {
    /// Fetches the file at an address, with GET, without credentials and cookies.
    ///
    /// # Errors
    /// Why the fetch failed.
    async fn fetch(&self, request: FetchRequest) -> Result<Fetched, FetchError>;

    /// The same for a file that was fetched before. `None` if the host reports that it has not changed.
    ///
    /// # Errors
    /// Why the fetch failed.
    async fn fetch_if_changed(
        &self,
        request: FetchRequest,
        known: &Validators,
    ) -> Result<Option<FoundFile>, FetchError>;

    /// Sends a body to an address, with POST, without credentials and cookies. Redirects are not followed. The whole
    /// request takes at most the adapter's own time limit.
    ///
    /// # Errors
    /// Why there was no response. An error status is not an error here.
    async fn post(&self, request: PostRequest) -> Result<Posted, FetchError>;
}
