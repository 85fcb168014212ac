//! Requests to the API of a server, for commands of the command line.
use crate::client::{USER_AGENT, reason, tls};
use bytes::Bytes;
use domain::ports::FetchError;
use reqwest::Method;
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE};
use reqwest::redirect::Policy;
use std::time::Duration;

/// The time limit of a request.
const TIMEOUT: Duration = Duration::from_secs(120);
/// The longest response, in bytes.
const MAX_RESPONSE: usize = 256 << 20;

/// Sends requests to the API of a server. Addresses are not checked: the person who runs the command names the server.
pub struct ApiClient {
    client: reqwest::Client,
}

impl ApiClient {
    /// Creates the client.
    ///
    /// # Errors
    /// [`FetchError::Unable`] if no CA certificates are installed.
    pub async fn new() -> Result<Self, FetchError> {
        let client = reqwest::Client::builder()
            .tls_backend_preconfigured(tls().await?)
            .redirect(Policy::none())
            .referer(false)
            .http1_only()
            .timeout(TIMEOUT)
            .user_agent(USER_AGENT)
            .build()
            .map_err(|_error| FetchError::Unable("cannot create the HTTP client"))?;
        Ok(Self { client })
    }

    /// Sends a request with a token, and JSON if there is a body. Returns the status and the body of the response.
    ///
    /// # Errors
    /// [`FetchError`] if there is no response.
    pub async fn send(
        &self,
        method: &str,
        url: &str,
        token: &str,
        body: Option<String>,
    ) -> Result<(u16, Bytes), FetchError> {
        let method = Method::from_bytes(method.as_bytes()).map_err(|_error| FetchError::Unable("unknown method"))?;
        let mut request = self.client.request(method, url).header(AUTHORIZATION, format!("Bearer {token}"));
        if let Some(body) = body {
            request = request.header(CONTENT_TYPE, "application/json").body(body);
        }
        let mut response = request.send().await.map_err(|error| failure(&error))?;
        let status = response.status().as_u16();
        let mut bytes = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|error| failure(&error))? {
            if bytes.len() + chunk.len() > MAX_RESPONSE {
                return Err(FetchError::Unable("the response is too long"));
            }
            bytes.extend_from_slice(&chunk);
        }
        Ok((status, bytes.into()))
    }
}

fn failure(error: &reqwest::Error) -> FetchError {
    if error.is_timeout() { FetchError::Timeout } else { reason(error) }
}
