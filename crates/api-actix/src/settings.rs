//! Settings of the API.
use http_server::{Limits, Network};
use url::Url;

/// Settings of the API.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The public URL of the server. All links in responses start with it, regardless of the request's `Host`.
    pub public_url: Url,
    /// The instance's secret, from which the keys of page tokens and file URLs are derived. All servers of an instance
    /// share it.
    pub secret: [u8; 32],
    /// The version returned by `GET /v1/`.
    pub version: String,
    /// The build date returned by `GET /v1/`, in ISO 8601.
    pub build: String,
    /// The rate limits.
    pub limits: Limits,
    /// Proxies whose `X-Forwarded-For` is trusted.
    pub trusted_proxies: Vec<Network>,
    /// The size of the response caches, in bytes.
    pub answer_cache_bytes: u64,
    /// Where `/` leads; a page about the server if absent.
    pub home: Option<String>,
}
