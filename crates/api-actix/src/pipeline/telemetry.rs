//! The outer layer of every request: request id, log line, metrics, and error bodies.
use crate::Api;
use crate::answer::error::{ApiError, ErrorBody, chain};
use crate::state::caller::Caller;
use crate::state::exchange::Exchange;
use crate::state::route_table::Route;
use actix_web::body::{BoxBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header::{
    CACHE_CONTROL, CONTENT_LENGTH, CONTENT_TYPE, HeaderName, HeaderValue, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use actix_web::http::{Method, StatusCode};
use actix_web::middleware::Next;
use actix_web::web::Data;
use actix_web::{HttpMessage, ResponseError};
use futures_util::FutureExt;
use metrics::SharedString;
use std::panic::AssertUnwindSafe;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;
use tracing::Instrument;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The route in metrics and log for a request that matches none.
const UNMATCHED: &str = "unmatched";

/// The maximum length of a request URI, in bytes.
pub(crate) const MAX_URI: usize = 8 * 1024;
/// The maximum total size of the headers, in bytes.
pub(crate) const MAX_HEADERS: usize = 32 * 1024;

/// The route and id of a request, determined before it is handled.
pub(crate) struct Found {
    /// The matching route, if any.
    pub(crate) route: Option<Arc<Route>>,
    /// The request id.
    pub(crate) id: String,
}

/// The request id sent by the caller, if it is valid.
fn given_id(request: &ServiceRequest) -> Option<String> {
    let id = request.headers().get(REQUEST_ID)?.to_str().ok()?;
    let plain = id.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'));
    (plain && (1..=64).contains(&id.len())).then(|| id.to_owned())
}

/// Checks the limits that apply to every request.
fn check(request: &ServiceRequest) -> Result<(), ApiError> {
    if let Some(refusal) = request.conn_data::<Rc<Exchange>>().and_then(|exchange| exchange.take_refusal()) {
        return Err(refusal);
    }
    let uri = request.uri().path().len() + request.query_string().len();
    if uri > MAX_URI {
        return Err(ApiError::UriTooLong { limit: MAX_URI });
    }
    let headers: usize = request.headers().iter().map(|(name, value)| name.as_str().len() + value.len()).sum();
    if headers > MAX_HEADERS {
        return Err(ApiError::HeadersTooLarge { limit: MAX_HEADERS });
    }
    Ok(())
}

/// Wraps a request. The log never contains the query string, headers or bodies: they may hold secrets.
pub(crate) async fn observe<B: MessageBody + 'static>(
    api: Data<Api>,
    mut request: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<BoxBody>, actix_web::Error> {
    let started = Instant::now();
    let id = given_id(&request).unwrap_or_else(|| api.services.ids.next());
    let method = request.method().clone();
    if method == Method::HEAD {
        // Handle it like GET; the server omits the body when it writes the response.
        request.head_mut().method = Method::GET;
    }
    let route = api.route_table.route(request.request());
    request.extensions_mut().insert(Found { route: route.clone(), id: id.clone() });

    let span = tracing::info_span!("request", id = %id);
    let answer = async {
        match check(&request) {
            Ok(()) => next.call(request).await.map(ServiceResponse::map_into_boxed_body),
            Err(error) => Ok(request.error_response(error)),
        }
    };
    let answered = AssertUnwindSafe(answer).catch_unwind().instrument(span.clone()).await;

    let _entered = span.enter();
    let result = match answered {
        Ok(Ok(response)) => Ok(finish(response, &id)),
        Ok(Err(error)) => Err(outside(&error, &id)),
        Err(_panic) => {
            tracing::error!(reference = %id, "the handler panicked");
            Err(ApiError::Internal { reference: id.clone() })
        }
    };
    count(&method, route.as_deref(), started, &result);
    result.map_err(|error| Refused { error, id }.into())
}

type Outcome = Result<ServiceResponse<BoxBody>, ApiError>;

fn user(outcome: &Outcome) -> Option<String> {
    let extensions = outcome.as_ref().ok()?.request().extensions();
    extensions.get::<Caller>()?.actor.user().map(ToString::to_string)
}

fn count(method: &Method, route: Option<&Route>, started: Instant, outcome: &Outcome) {
    let elapsed = started.elapsed();
    let status = outcome.as_ref().map_or_else(ResponseError::status_code, ServiceResponse::status);
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
    let pattern = route.map_or(UNMATCHED, |route| &route.pattern);
    tracing::info!(
        target: "octavo::access",
        method, route = pattern, user = user(outcome), status = status.as_u16(),
        duration_us = u64::try_from(elapsed.as_micros()).unwrap_or(u64::MAX),
        "answered"
    );
    let route = route.map_or(SharedString::const_str(UNMATCHED), |route| route.pattern.clone().into());
    let labels =
        [("method", SharedString::const_str(method)), ("route", route), ("status", status.as_str().to_owned().into())];
    metrics::counter!("octavo_http_requests_total", &labels).increment(1);
    metrics::histogram!("octavo_http_request_duration_seconds", &labels).record(elapsed.as_secs_f64());
}

/// Adds the headers that every response has, and the JSON error body, also to errors of the framework.
fn finish(mut response: ServiceResponse<BoxBody>, id: &str) -> ServiceResponse<BoxBody> {
    let status = response.status();
    if status.is_client_error() || status.is_server_error() {
        response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        let own = response.response().error().and_then(|error| error.as_error::<ApiError>());
        let replacement = match own {
            Some(error) if status == StatusCode::INTERNAL_SERVER_ERROR => {
                tracing::error!(reference = %id, error = %chain(error), "internal error");
                Some(ApiError::Internal { reference: id.to_owned() }.to_string())
            }
            Some(error) if status.is_server_error() => {
                tracing::warn!(reference = %id, error = %chain(error), "temporarily unavailable");
                None
            }
            Some(_) => None,
            None if is_json(&response) => None,
            None => Some(status.canonical_reason().unwrap_or("error").to_lowercase()),
        };
        if let Some(message) = replacement {
            let body = ErrorBody::new(status, message).to_json();
            response = response.map_body(|head, _| {
                head.headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
                head.headers.remove(CONTENT_LENGTH);
                BoxBody::new(body)
            });
        }
    }
    mark(response.headers_mut(), id);
    response
}

fn is_json(response: &ServiceResponse<BoxBody>) -> bool {
    response.headers().get(CONTENT_TYPE).is_some_and(|value| value.as_bytes().starts_with(b"application/json"))
}

fn mark(headers: &mut actix_web::http::header::HeaderMap, id: &str) {
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    if let Ok(id) = HeaderValue::from_str(id) {
        headers.insert(REQUEST_ID, id);
    }
}

/// The error for an error that the framework returned in place of a response.
fn outside(error: &actix_web::Error, id: &str) -> ApiError {
    if error.as_response_error().status_code().is_server_error() {
        tracing::error!(reference = %id, error = %error, "the framework failed");
        return ApiError::Internal { reference: id.to_owned() };
    }
    ApiError::BrokenBody
}

/// An error whose request is gone, since its handler panicked.
#[derive(Debug)]
struct Refused {
    error: ApiError,
    id: String,
}

impl std::fmt::Display for Refused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.error.fmt(f)
    }
}

impl ResponseError for Refused {
    fn status_code(&self) -> StatusCode {
        self.error.status_code()
    }

    fn error_response(&self) -> actix_web::HttpResponse<BoxBody> {
        let mut response = self.error.error_response();
        mark(response.headers_mut(), &self.id);
        response
    }
}
