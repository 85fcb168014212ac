//! The outer layer of every request: request id, log line, metrics, responses that the client has already, and error
//! bodies.
use crate::conditional::conditional;
use crate::error::{ServerError, chain};
use crate::request_metrics::{self, RequestLabels, UNMATCHED};
use crate::server::exchange::Exchange;
use actix_web::body::{BoxBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header::{
    CACHE_CONTROL, CONTENT_LENGTH, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS,
};
use actix_web::http::{Method, StatusCode};
use actix_web::middleware::Next;
use actix_web::web::Data;
use actix_web::{HttpMessage, HttpRequest, ResponseError};
use futures_util::FutureExt;
use std::panic::AssertUnwindSafe;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;
use tracing::{Instrument, Span};

pub(crate) const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Reports that a request runs a second time, since a concurrent change aborted its unit of work.
pub fn running_again() {
    tracing::warn!("aborted by a concurrent change: running the request again");
    metrics::counter!("octavo_http_requests_run_again_total").increment(1);
}

/// The maximum length of a request URI, in bytes.
pub(crate) const MAX_URI: usize = 8 * 1024;
/// The maximum total size of the headers, in bytes.
pub(crate) const MAX_HEADERS: usize = 32 * 1024;

/// The driver-specific part of the telemetry.
pub trait Driver: 'static {
    /// The errors of the driver. Their responses have the driver's form already.
    type Error: std::error::Error + ResponseError + From<ServerError>;
    /// The media type of error bodies.
    const ERROR_TYPE: &'static str;
    /// The media types of further error bodies, which handlers make themselves.
    const OWN_ERROR_TYPES: &'static [&'static str] = &[];

    /// The body of an error that is not one of the driver's own. The message is for the client.
    fn error_body(&self, request: &HttpRequest, status: StatusCode, message: &str) -> String;

    /// A new request id.
    fn new_request_id(&self) -> String;

    /// The pattern of the route that the request matches, for logs and metrics: one of few texts, which requests share.
    /// Called before the request is handled.
    fn route(&self, request: &HttpRequest) -> Option<Arc<str>>;

    /// The id of the authenticated user, for the log. Called after the request was handled.
    fn user(&self, request: &HttpRequest) -> Option<String>;
}

/// The id of a request: an extension of each request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestId(pub String);

/// The headers that every response has, unless it has others with the same name.
pub(crate) const COMMON_HEADERS: [(HeaderName, HeaderValue); 2] = [
    (X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    (REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
];

/// The id of a request: the one that the caller sent, if it is valid, or a new one.
pub(crate) fn id_of<D: Driver>(driver: &D, headers: &HeaderMap) -> String {
    given_id(headers).unwrap_or_else(|| driver.new_request_id())
}

/// The request id sent by the caller, if it is valid.
fn given_id(headers: &HeaderMap) -> Option<String> {
    let id = headers.get(REQUEST_ID)?.to_str().ok()?;
    let plain = id.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'));
    (plain && (1..=64).contains(&id.len())).then(|| id.to_owned())
}

/// Checks the limits that apply to every request.
fn check(request: &ServiceRequest) -> Result<(), ServerError> {
    if let Some(refusal) = request.conn_data::<Rc<Exchange>>().and_then(|exchange| exchange.take_refusal()) {
        return Err(refusal);
    }
    let uri = request.uri().path().len() + request.query_string().len();
    if uri > MAX_URI {
        return Err(ServerError::UriTooLong { limit: MAX_URI });
    }
    let headers: usize = request.headers().iter().map(|(name, value)| name.as_str().len() + value.len()).sum();
    if headers > MAX_HEADERS {
        return Err(ServerError::HeadersTooLarge { limit: MAX_HEADERS });
    }
    Ok(())
}

/// Wraps every request of a driver: the outermost middleware of its application, which has a `Data<D>`. The log never
/// contains the query string, headers or bodies: they may hold secrets.
///
/// # Errors
/// An error of the driver if the handler panicked or the framework failed.
pub async fn observe<D: Driver, B: MessageBody + 'static>(
    driver: Data<D>,
    mut request: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<BoxBody>, actix_web::Error> {
    let started = Instant::now();
    let id = id_of(&**driver, request.headers());
    let method = request.method().clone();
    if method == Method::HEAD {
        // Handle it like GET; the server omits the body when it writes the response.
        request.head_mut().method = Method::GET;
    }
    request.extensions_mut().insert(RequestId(id.clone()));
    let route = driver.route(request.request());

    let span = span(&id);
    let answer = async {
        match check(&request) {
            Ok(()) => next.call(request).await.map(ServiceResponse::map_into_boxed_body),
            Err(error) => Ok(request.error_response(D::Error::from(error))),
        }
    };
    let answered = AssertUnwindSafe(answer).catch_unwind().instrument(span.clone()).await;

    let _entered = span.enter();
    let result = match answered {
        Ok(Ok(response)) => {
            let (request, response) = response.into_parts();
            let response = conditional(&request, response);
            Ok(finish(&**driver, ServiceResponse::new(request, response), &id))
        }
        Ok(Err(error)) => Err(outside(&error, &id)),
        Err(_panic) => {
            tracing::error!(reference = %id, "the handler panicked");
            Err(ServerError::Internal { reference: id.clone() })
        }
    };
    let user = result.as_ref().ok().and_then(|response| driver.user(response.request()));
    let status = result.as_ref().map_or_else(ServerError::status, ServiceResponse::status);
    count(&method, route, user.as_deref(), started, status);
    result.map_err(|error| Refused { error: D::Error::from(error), id }.into())
}

/// The span of a request in the log.
pub(crate) fn span(id: &str) -> Span {
    tracing::info_span!("request", id = %id)
}

/// Logs and counts a request with a response.
pub(crate) fn count(
    method: &Method,
    route: Option<Arc<str>>,
    user: Option<&str>,
    started: Instant,
    status: StatusCode,
) {
    let elapsed = started.elapsed();
    let method = match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::PATCH => "PATCH",
        Method::DELETE => "DELETE",
        Method::OPTIONS => "OPTIONS",
        _ => "other",
    };
    tracing::info!(
        target: "octavo::access",
        method, route = route.as_deref().unwrap_or(UNMATCHED), user, status = status.as_u16(),
        duration_us = u64::try_from(elapsed.as_micros()).unwrap_or(u64::MAX),
        "answered"
    );
    request_metrics::count(RequestLabels { method, route, status }, elapsed);
}

/// Adds the headers that every response has, and the driver's error body, also to errors of the framework.
fn finish<D: Driver>(driver: &D, mut response: ServiceResponse<BoxBody>, id: &str) -> ServiceResponse<BoxBody> {
    let status = response.status();
    if status.is_client_error() || status.is_server_error() {
        response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        let own = response.response().error().and_then(|error| error.as_error::<D::Error>());
        let replacement = match own {
            Some(error) if status == StatusCode::INTERNAL_SERVER_ERROR => {
                tracing::error!(reference = %id, error = %chain(error), "internal error");
                Some(ServerError::Internal { reference: id.to_owned() }.to_string())
            }
            Some(error) if status.is_server_error() => {
                tracing::warn!(reference = %id, error = %chain(error), "temporarily unavailable");
                None
            }
            Some(_) => None,
            None if has_type(&response, D::ERROR_TYPE) => None,
            None if D::OWN_ERROR_TYPES.iter().any(|own| has_type(&response, own)) => None,
            None => Some(status.canonical_reason().unwrap_or("error").to_lowercase()),
        };
        if let Some(message) = replacement {
            let body = driver.error_body(response.request(), status, &message);
            response = response.map_body(|head, _| {
                head.headers.insert(CONTENT_TYPE, HeaderValue::from_static(D::ERROR_TYPE));
                head.headers.remove(CONTENT_LENGTH);
                BoxBody::new(body)
            });
        }
    }
    mark(response.headers_mut(), id);
    response
}

fn has_type(response: &ServiceResponse<BoxBody>, media_type: &str) -> bool {
    response.headers().get(CONTENT_TYPE).is_some_and(|value| value.as_bytes().starts_with(media_type.as_bytes()))
}

fn mark(headers: &mut HeaderMap, id: &str) {
    for (name, value) in COMMON_HEADERS {
        if !headers.contains_key(&name) {
            headers.insert(name, value);
        }
    }
    if let Ok(id) = HeaderValue::from_str(id) {
        headers.insert(REQUEST_ID, id);
    }
}

/// The error body for an error that the framework returned in place of a response.
fn outside(error: &actix_web::Error, id: &str) -> ServerError {
    if error.as_response_error().status_code().is_server_error() {
        tracing::error!(reference = %id, error = %error, "the framework failed");
        return ServerError::Internal { reference: id.to_owned() };
    }
    ServerError::BrokenBody
}

/// An error whose request is gone, since its handler panicked.
#[derive(Debug)]
struct Refused<E> {
    error: E,
    id: String,
}

impl<E: std::fmt::Display> std::fmt::Display for Refused<E> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.error.fmt(f)
    }
}

impl<E: ResponseError> ResponseError for Refused<E> {
    fn status_code(&self) -> StatusCode {
        self.error.status_code()
    }

    fn error_response(&self) -> actix_web::HttpResponse<BoxBody> {
        let mut response = self.error.error_response();
        mark(response.headers_mut(), &self.id);
        response
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::test::TestRequest;
    use rstest::rstest;

    #[rstest]
    #[case("ok-1._A", true)]
    #[case(&"x".repeat(64), true)]
    #[case(&"x".repeat(65), false)]
    #[case("", false)]
    #[case("with space", false)]
    #[case("with\ttab", false)]
    #[case("a:b", false)]
    fn a_sane_request_id_is_kept(#[case] id: &str, #[case] kept: bool) {
        let request = TestRequest::default().insert_header((REQUEST_ID, id)).to_srv_request();
        assert_eq!(given_id(request.headers()).as_deref(), Some(id).filter(|_| kept));
    }
}
