//! One request to checked addresses.
use bytes::Bytes;
use domain::openapi_spec::Validators;
use domain::ports::FetchError;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::header::{
    ACCEPT_ENCODING, CONTENT_TYPE, ETAG, HeaderName, IF_MODIFIED_SINCE, IF_NONE_MATCH, LAST_MODIFIED,
};
use reqwest::redirect::Policy;
use reqwest::{Method, RequestBuilder, Response, retry};
use rustls::{ClientConfig, RootCertStore};
use std::error::Error;
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::sync::OnceCell;
use url::Url;

/// The user agent of this program.
pub(crate) const USER_AGENT: &str = concat!("octavo/", env!("CARGO_PKG_VERSION"));
/// The longest media type that is returned, in bytes.
const MAX_CONTENT_TYPE: usize = 255;

/// The longest validator that is kept, in bytes.
const MAX_VALIDATOR: usize = 1024;

/// Sends requests over HTTP/1.1. Connections are not pooled, since most hosts are used only once.
#[derive(Default)]
pub(crate) struct Client {
    tls: OnceCell<ClientConfig>,
}

/// Resolves the host to the checked addresses, and no other host.
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
    /// Sends a `GET` for the URL to the addresses, with the conditions of `known`. Returns redirects as responses.
    pub(crate) async fn get(
        &self,
        url: &Url,
        addresses: Vec<SocketAddr>,
        known: &Validators,
    ) -> Result<Response, FetchError> {
        let conditions = [(IF_NONE_MATCH, &known.etag), (IF_MODIFIED_SINCE, &known.last_modified)];
        let with = |request: RequestBuilder| {
            let known = conditions.into_iter().filter_map(|(name, value)| Some((name, value.as_deref()?)));
            known.fold(request, |request, (name, value)| request.header(name, value))
        };
        self.send(Method::GET, url, addresses, with).await
    }

    /// Sends a `POST` with this body and these headers.
    pub(crate) async fn post(
        &self,
        url: &Url,
        addresses: Vec<SocketAddr>,
        headers: &[(&'static str, String)],
        body: Bytes,
    ) -> Result<Response, FetchError> {
        let with = |request: RequestBuilder| {
            headers.iter().fold(request, |request, (name, value)| request.header(*name, value)).body(body)
        };
        self.send(Method::POST, url, addresses, with).await
    }

    async fn send(
        &self,
        method: Method,
        url: &Url,
        addresses: Vec<SocketAddr>,
        with: impl FnOnce(RequestBuilder) -> RequestBuilder,
    ) -> Result<Response, FetchError> {
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
            .map_err(|_error| FetchError::Unable("cannot create the HTTP client"))?;
        let sent = with(client.request(method, url.clone()).header(ACCEPT_ENCODING, "identity")).send().await;
        sent.map_err(|error| reason(&error))
    }
}

/// TLS settings that trust the system's CA certificates.
pub(crate) async fn tls() -> Result<ClientConfig, FetchError> {
    let unable = |what| move || FetchError::Unable(what);
    let found = tokio::task::spawn_blocking(rustls_native_certs::load_native_certs).await.ok();
    let mut roots = RootCertStore::empty();
    let (added, _ignored) = roots.add_parsable_certificates(found.into_iter().flat_map(|found| found.certs));
    if added == 0 {
        return Err(FetchError::Unable("no CA certificates are installed"));
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions().ok();
    let builder = builder.ok_or_else(unable("TLS is not available"))?;
    Ok(builder.with_root_certificates(roots).with_no_client_auth())
}

/// Why a request failed, without details about the network.
pub(crate) fn reason(error: &reqwest::Error) -> FetchError {
    let mut cause: Option<&(dyn Error + 'static)> = Some(error);
    while let Some(error) = cause {
        // The error wrapped in an I/O error is not one of its sources.
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

/// The validators in the response. Values that are not valid in a request header are left out.
pub(crate) fn validators(response: &Response) -> Validators {
    let said = |name: HeaderName| {
        let value = response.headers().get(name)?.to_str().ok()?;
        (!value.is_empty() && value.len() <= MAX_VALIDATOR).then(|| value.to_owned())
    };
    Validators { etag: said(ETAG), last_modified: said(LAST_MODIFIED) }
}

/// The media type in the response.
pub(crate) fn content_type(response: &Response) -> Option<String> {
    let said = response.headers().get(CONTENT_TYPE)?.to_str().ok()?.trim();
    (!said.is_empty() && said.len() <= MAX_CONTENT_TYPE).then(|| said.to_owned())
}
