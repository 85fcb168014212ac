//! The settings of the driver.
use domain::site::served_font::FontTable;
use http_server::Network;
use std::sync::Arc;
use url::Url;

/// How often a minute the visitors of a network may send feedback, unless a test sets another limit.
pub const FEEDBACK_PER_MINUTE: u32 = 10;
/// How often a minute the visitors of a network may search, as `octavo serve` sets it. The search dialog asks with
/// every pause in typing.
pub const SEARCHES_PER_MINUTE: u32 = 120;

/// Settings of the driver of sites.
#[derive(Clone, Debug)]
pub struct SiteSettings {
    /// The public address of the server.
    pub public_url: Url,
    /// The OpenAPI document of the API, as JSON. It is requested once, at the first use.
    pub api_document: fn() -> String,
    /// The address of all sites.
    pub sites_url: Url,
    /// Proxies whose `X-Forwarded-For` is trusted.
    pub trusted_proxies: Vec<Network>,
    /// The size of the cache of responses, in bytes.
    pub cache_bytes: u64,
    /// Whether images of other hosts come from this server. Otherwise the browsers of visitors load them where they
    /// are.
    pub keep_external_images: bool,
    /// The known fonts that visitors get from this server. The others are those of their systems.
    pub fonts: Arc<FontTable>,
    /// How often a minute the visitors of a network may send feedback; 0 for no limit.
    pub feedback_per_minute: u32,
    /// How often a minute they may search; 0 for no limit. Searches whose result is in the cache do not count.
    pub searches_per_minute: u32,
    /// How long a shared cache may serve public pages without revalidation, in seconds; 0 for never.
    pub edge_seconds: u64,
}
