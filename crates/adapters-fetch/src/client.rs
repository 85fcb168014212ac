//! One request to addresses that were looked at.
use domain::ports::FetchError;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::header::{ACCEPT_ENCODING, CONTENT_TYPE};
use reqwest::redirect::Policy;
use reqwest::{Response, retry};
use rustls::{ClientConfig, RootCertStore};
use std::error::Error;
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::sync::OnceCell;
use url::Url;

/// How this program calls itself.
const USER_AGENT: &str = concat!("octavo/", env!("CARGO_PKG_VERSION"));
/// The longest media type that is passed on, in bytes.
const MAX_CONTENT_TYPE: usize = 255;

/// Asks over HTTP/1.1. Connections are not kept: hardly a host is asked twice.
#[derive(Default)]
pub(crate) struct Client {
    tls: OnceCell<ClientConfig>,
}

/// Answers with the addresses that were looked at, for their host only.
struct Pinned {
    host: String,
    addresses: Vec<SocketAddr>,
}

impl Resolve for Pinned {
    fn resolve(&self, name: Name) -> Resolving {
        let known = name.as_str().eq_ignore_ascii_case(&self.host);
        let addresses = if known { self.addresses.clone() } else { Vec::new() };
        Box::pin(async move { Ok(Box::new(addresses.into_iter()) as Addrs) })
    }
}

impl Client {
    /// Asks the addresses for what the URL names; takes redirects as answers.
    pub(crate) async fn get(&self, url: &Url, addresses: Vec<SocketAddr>) -> Result<Response, FetchError> {
        let tls = self.tls.get_or_try_init(tls).await?.clone();
        let host = url.host_str().unwrap_or_default().to_owned();
        let client = reqwest::Client::builder()
            .tls_backend_preconfigured(tls)
            .dns_resolver(Pinned { host, addresses })
            .no_proxy()
            .redirect(Policy::none())
            .retry(retry::never())
            .referer(false)
            .http1_only()
            .pool_max_idle_per_host(0)
            .user_agent(USER_AGENT)
            .build()
            .map_err(|_error| FetchError::Unable("its HTTP client cannot be made"))?;
        let asked = client.get(url.clone()).header(ACCEPT_ENCODING, "identity").send().await;
        asked.map_err(|error| reason(&error))
    }
}

/// Trusts the authorities of the system.
async fn tls() -> Result<ClientConfig, FetchError> {
    let unable = |what| move || FetchError::Unable(what);
    let found = tokio::task::spawn_blocking(rustls_native_certs::load_native_certs).await.ok();
    let mut roots = RootCertStore::empty();
    let (added, _ignored) = roots.add_parsable_certificates(found.into_iter().flat_map(|found| found.certs));
    if added == 0 {
        return Err(FetchError::Unable("no certificates of authorities are installed on it"));
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions().ok();
    let builder = builder.ok_or_else(unable("it has no TLS"))?;
    Ok(builder.with_root_certificates(roots).with_no_client_auth())
}

/// Why a request failed, without anything about the network.
pub(crate) fn reason(error: &reqwest::Error) -> FetchError {
    let mut cause: Option<&(dyn Error + 'static)> = Some(error);
    while let Some(error) = cause {
        // What is wrapped in an I/O error is not among its sources.
        let inner = error.downcast_ref::<std::io::Error>().and_then(std::io::Error::get_ref);
        if error.is::<rustls::Error>() || inner.is_some_and(|inner| inner.is::<rustls::Error>()) {
            return FetchError::Tls;
        }
        cause = match inner {
            Some(inner) => Some(inner),
            None => error.source(),
        };
    }
    FetchError::Connection
}

/// What the other side says its content is.
pub(crate) fn content_type(response: &Response) -> Option<String> {
    let said = response.headers().get(CONTENT_TYPE)?.to_str().ok()?.trim();
    (!said.is_empty() && said.len() <= MAX_CONTENT_TYPE).then(|| said.to_owned())
}
