//! The HTTP interface of the domain: routes, wire formats, errors and the OpenAPI document.
//!
//! A request comes from a `connection`, which limits how long it waits for the client. It passes `telemetry` (request
//! id, log, error bodies) and, below `/v1`, `caller` (authentication). A handler in `routes` extracts the parts of the
//! request, calls one use case and presents its result.
//!
//! Errors are checked in this order, the same for every operation: path (404) and method (405); token (401); rate limit
//! (429); scopes of the token (403); size and media type of the body (413, 415), since these rules are the same for
//! every object; then, in the use case, whether the caller may see the object (404), the caller's right (403), the
//! query and the body (400), and the state (409, 412).
mod again;
mod answer;
mod caller;
mod connection;
mod denial;
mod error;
mod files;
mod finished;
mod health;
mod if_match;
mod input;
mod limits;
mod links;
mod once;
mod openapi;
mod paging;
mod peer;
mod presented;
mod recent;
mod room;
mod routes;
mod scopes;
mod server;
mod settings;
mod surface;
mod telemetry;
#[cfg(test)]
mod tests;
mod visitor;
mod wire;
mod work_pool;

pub use server::{ServerOptions, StopSignals, serve};
pub use settings::{InvalidNetwork, Limits, Network, Settings};

use crate::files::Signer;
use actix_cors::Cors;
use actix_web::body::BoxBody;
use actix_web::dev::{ServiceFactory, ServiceRequest, ServiceResponse};
use actix_web::http::header::{ETAG, HeaderName, LOCATION, RETRY_AFTER};
use actix_web::middleware::from_fn;
use actix_web::web::{self, Data};
use actix_web::{App, HttpMessage, HttpRequest, HttpResponse};
use connection::Traffic;
use domain::invite::InviteSeal;
use domain::ports::{Clock, Fetcher, Files, Ids, Secrets, Store};
use domain::usecases::accounts::Uses;
use domain::usecases::search::Search;
use domain::usecases::{
    Accounts, Audit, ChangeRequests, Collections, Content, Instructions, Invites, Members, Organizations, Permissions,
    Spaces, Teams,
};
use error::ApiError;
use finished::Finished;
use limits::Budgets;
use links::Links;
use recent::Recent;
use std::sync::Arc;
use surface::Surface;
use telemetry::Found;
use visitor::VisitorSigner;
use work_pool::{Bounds, WorkPool};

/// The use cases and ports that the API calls.
#[derive(Clone)]
#[expect(missing_docs, reason = "use cases and ports by their names")]
pub struct Services {
    pub accounts: Accounts,
    pub audit: Audit,
    pub organizations: Organizations,
    pub members: Members,
    pub teams: Teams,
    pub invites: Invites,
    pub instructions: Instructions,
    pub spaces: Spaces,
    pub collections: Collections,
    pub permissions: Permissions,
    pub content: Content,
    pub change_requests: ChangeRequests,
    pub search: Search,
    pub store: Arc<dyn Store>,
    pub files: Arc<dyn Files>,
    pub clock: Arc<dyn Clock>,
    pub ids: Arc<dyn Ids>,
}

/// The ports that the use cases need.
#[derive(Clone)]
#[expect(missing_docs, reason = "one port each")]
pub struct Ports {
    pub store: Arc<dyn Store>,
    pub files: Arc<dyn Files>,
    pub fetcher: Arc<dyn Fetcher>,
    pub clock: Arc<dyn Clock>,
    pub ids: Arc<dyn Ids>,
    pub secrets: Arc<dyn Secrets>,
}

impl Services {
    /// Builds the use cases. Links to the product start with `public_url`; signatures use keys derived from the
    /// instance's `secret`.
    pub fn new(ports: Ports, public_url: &str, secret: &[u8; 32]) -> Self {
        let Ports { store, files, fetcher, clock, ids, secrets } = ports;
        let (s, c, i, f) = (|| store.clone(), || clock.clone(), || ids.clone(), || files.clone());
        Self {
            accounts: Accounts { store: s(), clock: c(), ids: i(), secrets, uses: Uses::default() },
            audit: Audit { store: s(), clock: c(), ids: i() },
            organizations: Organizations { store: s(), clock: c(), ids: i() },
            members: Members { store: s(), clock: c(), ids: i() },
            teams: Teams { store: s(), clock: c(), ids: i() },
            invites: Invites { store: s(), clock: c(), ids: i(), seal: InviteSeal::new(secret) },
            instructions: Instructions { store: s(), clock: c(), ids: i() },
            spaces: Spaces { store: s(), clock: c(), ids: i() },
            collections: Collections { store: s(), clock: c(), ids: i() },
            permissions: Permissions { store: s(), clock: c(), ids: i() },
            content: Content { store: s(), clock: c(), ids: i(), files: f(), public_url: public_url.into() },
            change_requests: ChangeRequests { store: s(), clock: c(), ids: i(), files: f(), fetcher },
            search: Search { store: s() },
            store: s(),
            files: f(),
            clock: c(),
            ids: i(),
        }
    }
}

/// The API of one instance, shared by all workers of a server.
pub struct Api {
    services: Services,
    settings: Settings,
    links: Links,
    signer: Signer,
    visitors: VisitorSigner,
    page_key: [u8; 32],
    budgets: Budgets,
    recent: Recent,
    finished: Finished,
    work_pool: WorkPool,
    surface: Surface,
    traffic: Arc<Traffic>,
    document: String,
}

impl Api {
    /// Builds the API.
    pub fn new(services: Services, settings: Settings) -> Self {
        let document = openapi::document(&settings.version);
        let signer = Signer::new(&settings.secret);
        Self {
            links: Links::new(&settings.public_url, signer.clone()),
            signer,
            visitors: VisitorSigner::new(&settings.secret),
            page_key: blake3::derive_key("octavo 2026 page tokens", &settings.secret),
            budgets: Budgets::new(settings.limits),
            recent: Recent::new(settings.answer_cache_bytes / 2),
            finished: Finished::new(settings.answer_cache_bytes / 2),
            work_pool: WorkPool::new(Bounds::default()),
            surface: Surface::of(&document),
            document: openapi_json(&document),
            traffic: Arc::default(),
            services,
            settings,
        }
    }
}

/// The OpenAPI document of the API, as JSON.
pub fn openapi_document(version: &str) -> String {
    openapi_json(&openapi::document(version))
}

fn openapi_json(document: &utoipa::openapi::OpenApi) -> String {
    document.to_pretty_json().expect("the document has a JSON form")
}

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
        .configure(|config| routes::configure(&mut routes::ServiceConfig::Server(config)))
        .wrap(from_fn(caller::authenticate))
        .wrap(cors());
    App::new()
        .service(operations)
        .app_data(api)
        .app_data(web::PathConfig::default().error_handler(|_error, _request| ApiError::NoSuchPath.into()))
        .configure(openapi::configure)
        .configure(health::configure)
        .configure(files::configure)
        .default_service(web::to(refuse))
        .wrap(from_fn(telemetry::observe))
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
    let found = request.extensions().get::<Found>().and_then(|found| found.route.clone());
    Err(surface::refusal(found.as_deref(), request.method()))
}
