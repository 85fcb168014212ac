//! The steps that every request passes before and after its handler, from the outside to the inside: the telemetry of
//! `http-server` (request id, log, 304, error bodies; `driver` has the API's part), `authenticate` (caller, rate limit,
//! scopes, response cache), `large_body` (room for it), `idempotency` (retries of `POST`), `absent_ids` (ids that no
//! object can have).
mod absent_ids;
pub(crate) mod authenticate;
mod denied_log;
mod driver;
pub(crate) mod idempotency;
mod large_body;
mod rerun;

use crate::answer::error::ApiError;
use crate::api::Api;
use crate::state::route_table::{self, Found};
use crate::{files, openapi, routes};
use actix_cors::Cors;
use actix_web::body::BoxBody;
use actix_web::dev::{ServiceFactory, ServiceRequest, ServiceResponse};
use actix_web::http::header::{ETAG, HeaderName, LOCATION, RETRY_AFTER};
use actix_web::middleware::from_fn;
use actix_web::web::{self, Data};
use actix_web::{App, HttpMessage, HttpRequest, HttpResponse};
use http_server::observe;

/// The application that a server serves.
pub fn app(
    api: Data<Api>,
) -> App<
    impl ServiceFactory<
        ServiceRequest,
        Config = (),
        Response = ServiceResponse<BoxBody>,
        Error = actix_web::Error,
        InitError = (),
    >,
> {
    let operations = web::scope(routes::BASE)
        .configure(routes::serve)
        .wrap(from_fn(absent_ids::replace))
        .wrap(from_fn(authenticate::authenticate))
        .wrap(cors());
    App::new()
        .service(operations)
        .app_data(api)
        .app_data(web::PathConfig::default().error_handler(|_error, _request| ApiError::NoSuchPath.into()))
        .configure(openapi::configure)
        .configure(routes::health::configure)
        .configure(routes::welcome::configure)
        .configure(files::configure)
        .default_service(web::to(refuse))
        .wrap(from_fn(observe::<Api, _>))
}

/// Pages of any origin may call the API with a token. The API uses no cookies, so credentials are not allowed.
fn cors() -> Cors {
    let told = [
        ETAG,
        LOCATION,
        RETRY_AFTER,
        HeaderName::from_static("idempotent-replayed"),
        HeaderName::from_static("preference-applied"),
        HeaderName::from_static("x-request-id"),
        HeaderName::from_static("x-ratelimit-limit"),
        HeaderName::from_static("x-ratelimit-remaining"),
        HeaderName::from_static("x-ratelimit-reset"),
    ];
    Cors::default()
        .allowed_origin_fn(|origin, _| origin.as_bytes() != b"null")
        .allowed_methods(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"])
        .allow_any_header()
        .expose_headers(told)
        .max_age(3600)
}

/// The error for a request without a handler: 404, or 405 if only the method is wrong.
async fn refuse(request: HttpRequest) -> Result<HttpResponse, ApiError> {
    let found = request.extensions().get::<Found>().and_then(|found| found.0.clone());
    Err(route_table::refusal(found.as_deref(), request.method()))
}
