//! The HTTP client of one engine.
use crate::reply::Reply;
use crate::settings::Key;
use bytes::Bytes;
use domain::ports::EngineError;
use reqwest::header::{ACCEPT_ENCODING, AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use reqwest::redirect::Policy;
use reqwest::retry;
use rustls::{ClientConfig, RootCertStore};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OnceCell, Semaphore};
use tokio::time::timeout;
use url::Url;

/// The user agent of this program.
const USER_AGENT: &str = concat!("octavo/", env!("CARGO_PKG_VERSION"));
/// The longest response, in bytes.
const LONGEST: usize = 8 << 20;

/// Limits that all engines share.
#[derive(Clone, Debug)]
pub(crate) struct Limits {
    places: Arc<Semaphore>,
    timeout: Duration,
}

impl Limits {
    pub(crate) fn new(concurrency: usize, timeout: Duration) -> Self {
        Self { places: Arc::new(Semaphore::new(concurrency.clamp(1, Semaphore::MAX_PERMITS))), timeout }
    }
}

/// How requests are authenticated.
pub(crate) enum Authentication {
    None,
    Bearer(Key),
    DeepL(Key),
}

impl Authentication {
    /// The header. The outer option is `None` if the key cannot be a header value.
    pub(crate) fn header(self) -> Option<Option<HeaderValue>> {
        let (scheme, key) = match self {
            Self::None => return Some(None),
            Self::Bearer(key) => ("Bearer", key),
            Self::DeepL(key) => ("DeepL-Auth-Key", key),
        };
        let mut value = HeaderValue::from_str(&format!("{scheme} {}", key.secret())).ok()?;
        value.set_sensitive(true);
        Some(Some(value))
    }
}

/// Sends requests to one engine.
pub(crate) struct Client {
    base: Url,
    authorization: Option<HeaderValue>,
    limits: Limits,
    client: OnceCell<reqwest::Client>,
}

impl Client {
    pub(crate) fn new(base: Url, authorization: Option<HeaderValue>, limits: Limits) -> Self {
        Self { base, authorization, limits, client: OnceCell::new() }
    }

    /// Sends JSON to a path below the engine's address.
    pub(crate) async fn post_json(&self, path: &str, body: &serde_json::Value) -> Result<Reply, EngineError> {
        self.post(path, "application/json", body.to_string()).await
    }

    /// Sends the fields of a form to a path below the engine's address.
    pub(crate) async fn post_form(&self, path: &str, fields: &[(&str, &str)]) -> Result<Reply, EngineError> {
        let body = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish();
        self.post(path, "application/x-www-form-urlencoded", body).await
    }

    async fn post(&self, path: &str, content_type: &'static str, body: String) -> Result<Reply, EngineError> {
        let _place = self.limits.places.acquire().await.map_err(|_closed| down("this program is stopping"))?;
        let exchange = async {
            let client = self.client.get_or_try_init(|| client(self.base.scheme() == "https")).await?;
            let mut request = client
                .post(self.address(path))
                .header(ACCEPT_ENCODING, "identity")
                .header(CONTENT_TYPE, content_type)
                .body(body);
            if let Some(authorization) = &self.authorization {
                request = request.header(AUTHORIZATION, authorization.clone());
            }
            let mut response = request.send().await.map_err(|error| reason(&error))?;
            let mut bytes = Vec::new();
            while let Some(chunk) = response.chunk().await.map_err(|error| reason(&error))? {
                if bytes.len() + chunk.len() > LONGEST {
                    return Err(EngineError::InvalidAnswer("it is longer than 8 MiB"));
                }
                bytes.extend_from_slice(&chunk);
            }
            Ok(Reply { status: response.status(), headers: response.headers().clone(), body: Bytes::from(bytes) })
        };
        timeout(self.limits.timeout, exchange).await.unwrap_or_else(|_elapsed| Err(down("time-out")))
    }

    fn address(&self, path: &str) -> Url {
        let mut address = self.base.clone();
        address.set_path(&format!("{}/{path}", self.base.path().trim_end_matches('/')));
        address
    }
}

pub(crate) fn down(reason: &str) -> EngineError {
    EngineError::Down(reason.to_owned())
}

async fn client(secure: bool) -> Result<reqwest::Client, EngineError> {
    reqwest::Client::builder()
        .tls_backend_preconfigured(tls(secure).await?)
        .no_proxy()
        .redirect(Policy::none())
        .retry(retry::never())
        .referer(false)
        .http1_only()
        .user_agent(USER_AGENT)
        .build()
        .map_err(|_error| down("the HTTP client cannot be created"))
}

/// TLS settings that trust the system's CA certificates; an engine without TLS needs none.
async fn tls(secure: bool) -> Result<ClientConfig, EngineError> {
    let mut roots = RootCertStore::empty();
    if secure {
        let found = tokio::task::spawn_blocking(rustls_native_certs::load_native_certs).await.ok();
        let (added, _ignored) = roots.add_parsable_certificates(found.into_iter().flat_map(|found| found.certs));
        if added == 0 {
            return Err(down("no CA certificates are installed"));
        }
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions().ok();
    let builder = builder.ok_or_else(|| down("TLS is not available"))?;
    Ok(builder.with_root_certificates(roots).with_no_client_auth())
}

/// Why there is no response, without addresses.
fn reason(error: &reqwest::Error) -> EngineError {
    down(match error {
        error if error.is_connect() => "no connection",
        error if error.is_timeout() => "time-out",
        error if error.is_body() || error.is_decode() => "the answer ends early",
        _ => "the request failed",
    })
}
