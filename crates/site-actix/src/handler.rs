//! The steps of a request: the cache, the access check, the content at the path.
use crate::answer::{CachePolicy, Encoded, redirect, with_cookies};
use crate::auth;
use crate::cookies::{self, CLAIMS, LARGEST, PREVIEW, SHARE, Scope, VISITOR};
use crate::error::{SiteError, message_page};
use crate::external;
use crate::favicon;
use crate::feedback;
use crate::files;
use crate::full_text::{self, FullText};
use crate::guard;
use crate::machine;
use crate::mcp;
use crate::pages;
use crate::reference;
use crate::request::{ResponseFormat, SiteRequest};
use crate::site::{SiteServer, Visitor};
use actix_http::Request;
use actix_service::IntoServiceFactory;
use actix_web::body::BoxBody;
use actix_web::dev::{AppConfig, ServiceFactory, ServiceRequest, ServiceResponse};
use actix_web::http::header::CACHE_CONTROL;
use actix_web::http::{Method, StatusCode};
use actix_web::middleware::from_fn;
use actix_web::web::{self, Data, Payload};
use actix_web::{App, HttpRequest, HttpResponse};
use domain::content::page::FileEntry;
use domain::site::resolve::own_path;
use domain::site::share_link::ENTRY;
use domain::site::visitor_query::{PREVIEW_TOKEN, VISITOR_TOKEN, claims, return_path, without_visitor};
use domain::usecases::sites::reader::{UnconfirmedVisit, VisitOutcome, Visiting};
use http_server::{CacheKey, Either, ServerError, client_address, client_network, observe};
use std::sync::Arc;
use url::{Url, form_urlencoded};

/// The application that serves sites.
fn app(
    server: Data<SiteServer>,
) -> App<
    impl ServiceFactory<
        ServiceRequest,
        Config = (),
        Response = ServiceResponse<BoxBody>,
        Error = actix_web::Error,
        InitError = (),
    >,
> {
    App::new().app_data(server).default_service(web::to(serve)).wrap(from_fn(observe::<SiteServer, _>))
}

/// The application of a whole server: sites and the reference of the API are served by this driver, all other requests
/// by `other`, which is usually the API.
pub fn dispatch<A, S>(
    server: Data<SiteServer>,
    other: A,
) -> impl ServiceFactory<Request, Config = AppConfig, Response = ServiceResponse, Error = actix_web::Error, InitError = ()>
+ 'static
where
    A: IntoServiceFactory<S, Request> + 'static,
    S: ServiceFactory<
            Request,
            Config = AppConfig,
            Response = ServiceResponse,
            Error = actix_web::Error,
            InitError = (),
        > + 'static,
{
    let sites = server.clone();
    let is_site = move |request: &Request| guard::serves(sites.clone(), request);
    Either::new(app(server).into_factory(), other.into_factory(), is_site)
}

/// The result of a request. It is built on another thread, where responses of the framework cannot be built.
pub(crate) enum Reply {
    /// A body.
    Body(Arc<Encoded>),
    /// The bytes of a file.
    File { file: Box<FileEntry>, public: bool },
    /// The text of all pages, in pieces.
    FullText(Box<FullText>),
    /// An image of another host.
    External { path: String, public: bool },
    /// Another address.
    Redirect { status: u16, location: String, cache_policy: CachePolicy, cookies: Vec<String> },
    /// The visitor must sign in.
    SignIn { to: Option<Url>, location: String, base: String },
    /// A page with a message and nothing of a site.
    Message(StatusCode, &'static str),
}

impl Reply {
    /// Whether the response sets or removes cookies.
    fn changes_cookies(&self) -> bool {
        match self {
            Self::Redirect { cookies, .. } => !cookies.is_empty(),
            Self::SignIn { .. } => true,
            _ => false,
        }
    }
}

/// Whether a browser fetches the page before its visitor opens it.
fn is_prefetch(request: &HttpRequest) -> bool {
    let purpose = request.headers().get("sec-purpose").and_then(|value| value.to_str().ok());
    purpose.is_some_and(|purpose| purpose.split([',', ';']).any(|one| one.trim() == "prefetch"))
}

/// A reply, and the visitor that it was built for.
pub(crate) struct Replied {
    pub(crate) reply: Reply,
    pub(crate) visitor: Visitor,
}

impl From<Reply> for Replied {
    fn from(reply: Reply) -> Self {
        Self { reply, visitor: Visitor::default() }
    }
}

/// The end of the address of a search.
const SEARCH: &str = "/~/search";

/// The message for an unknown address, the same for all reasons.
pub(crate) const NOTHING: Reply = Reply::Message(StatusCode::NOT_FOUND, "There is no page at this address.");

async fn serve(server: Data<SiteServer>, request: HttpRequest, payload: Payload) -> Result<HttpResponse, SiteError> {
    let wants_json = request.path().ends_with(SEARCH) && ResponseFormat::of(request.headers()) == ResponseFormat::Json;
    let handled = handle(server, request, payload).await;
    if wants_json { handled.map_err(|error| SiteError::Json(Box::new(error))) } else { handled }
}

async fn handle(server: Data<SiteServer>, request: HttpRequest, payload: Payload) -> Result<HttpResponse, SiteError> {
    let Some(site_request) = SiteRequest::of(&server, &request) else {
        return Ok(message_page(StatusCode::BAD_REQUEST, "The request has no valid host."));
    };
    if let Some(host) = guard::checked_host(&server, &site_request.url) {
        let known = guard::has_host(&server, &host).await;
        let status = if known { StatusCode::OK } else { StatusCode::NOT_FOUND };
        return Ok(HttpResponse::build(status).insert_header((CACHE_CONTROL, CachePolicy::Never.header())).finish());
    }
    if let Some(name) = asset(&request) {
        return Ok(files::asset(&server, name, site_request.encoding));
    }
    if guard::is_reference(&server, &site_request.url).await {
        return reference::serve(server, &request, site_request).await;
    }
    if mcp::is_at(request.path()) {
        return mcp::serve(server, request, payload, site_request).await;
    }
    if *request.method() == Method::POST && feedback::is_at(request.path()) {
        return feedback::post(server, request, payload, site_request).await;
    }
    if *request.method() != Method::GET {
        return Err(SiteError::Method("GET, HEAD"));
    }
    let key = CacheKey::of(request.head(), site_request.visit_key());
    let lookup = key.zip(server.as_of().await);
    if let Some(found) = lookup.as_ref().and_then(|(key, as_of)| server.responses.find(key, *as_of)) {
        return Ok(found.respond(&request));
    }
    let owner = client_address(&request, &server.settings.trusted_proxies);
    if request.path().ends_with(SEARCH) {
        server.searches.spend(&client_network(owner)).map_err(ServerError::from)?;
    }
    let attempts = auth::SignInAttempts::of(&request);
    let mut stamp = lookup.as_ref().map(|(_, as_of)| as_of.stamp);
    let Replied { reply, visitor } = loop {
        let job = {
            let (server, site_request) = (server.clone(), site_request.clone());
            async move { answer(&server, &site_request, stamp).await }
        };
        let Answered { replied, unconfirmed } = server.work_pool.run(owner, 0, job).await?;
        if let Some(visit) = unconfirmed {
            // Here, because each thread that asks for stamps has a connection for that.
            let now = server.as_of().await.map(|as_of| as_of.stamp);
            if !server.services.site_reader.confirm(visit, now) {
                // Something was committed in between. Without a stamp, all is read from one snapshot.
                stamp = None;
                continue;
            }
        }
        break replied?;
    };
    if reply.changes_cookies() && is_prefetch(&request) {
        // The browser repeats the request if the visitor opens the page.
        return Ok(message_page(StatusCode::FORBIDDEN, "This page cannot be fetched in advance."));
    }
    match reply {
        Reply::Body(encoded) => {
            let response = encoded.respond();
            let Some((key, as_of)) = lookup else { return Ok(response) };
            let response = ServiceResponse::new(request, response);
            Ok(server.responses.store(key, as_of, visitor, response).into_parts().1)
        }
        Reply::File { file, public } => files::send(&server, &request, &file, public).await,
        Reply::FullText(all) => Ok(full_text::respond(server, site_request, owner, *all)),
        Reply::External { path, public } => {
            let image = external::send(&server, &path, public).await;
            Ok(image.unwrap_or_else(|| {
                HttpResponse::NotFound().insert_header((CACHE_CONTROL, CachePolicy::Never.header())).finish()
            }))
        }
        Reply::Redirect { status, location, cache_policy, cookies } => {
            Ok(with_cookies(redirect(status, &location, cache_policy), &cookies))
        }
        Reply::SignIn { to, location, base } => Ok(auth::sign_in(&server, to, &location, &base, attempts)),
        Reply::Message(status, message) if request.path().ends_with(SEARCH) => Err(SiteError::Refused(status, message)),
        Reply::Message(status, message) => Ok(message_page(status, message)),
    }
}

/// The name of an asset in the path of a request. Assets are the same for all sites, and reveal nothing.
fn asset(request: &HttpRequest) -> Option<&str> {
    let (_, name) = request.path().split_once("/~/assets/")?;
    (!name.contains('/') && *request.method() == Method::GET).then_some(name)
}

/// The reply to a request, or its error.
struct Answered {
    replied: Result<Replied, SiteError>,
    /// The visit, if it must be confirmed before the reply is sent.
    unconfirmed: Option<UnconfirmedVisit>,
}

impl Answered {
    /// A reply that needs no confirmation.
    fn confirmed(replied: Result<Replied, SiteError>) -> Self {
        Self { replied, unconfirmed: None }
    }
}

/// Checks the access of the visitor, and builds the reply. `stamp` is that of the database after the request arrived.
async fn answer(server: &SiteServer, site_request: &SiteRequest, stamp: Option<u64>) -> Answered {
    if let Some(host) = guard::robots_of(server, &site_request.url) {
        return Answered::confirmed(machine::robots_of_host(server, site_request, host).await.map(Replied::from));
    }
    let mut visiting = match server.services.site_reader.enter_at(&site_request.visitor(), stamp).await {
        Ok(VisitOutcome::Site(visiting)) => visiting,
        Ok(other) => return Answered::confirmed(Ok(outside(site_request, other).into())),
        Err(error) => return Answered::confirmed(Err(error.into())),
    };
    if let Some(reply) = keep_credentials(server, site_request, &visiting) {
        return Answered::confirmed(Ok(reply.into()));
    }
    let reply = pages::reply(server, site_request, &mut visiting).await;
    let unconfirmed = visiting.unconfirmed();
    let visitor = Visitor { expires_at: visiting.expires_at() };
    Answered { replied: reply.map(|reply| Replied { reply, visitor }), unconfirmed }
}

/// The reply to a visitor who sees no site at the address.
fn outside(site_request: &SiteRequest, outcome: VisitOutcome<'_>) -> Reply {
    match outcome {
        VisitOutcome::Redirect { url, permanent } => {
            let (status, cache_policy) = moved(permanent);
            Reply::Redirect { status, location: url, cache_policy, cookies: Vec::new() }
        }
        VisitOutcome::SignIn { .. } | VisitOutcome::Nothing if favicon::is_at(site_request) => {
            favicon::of_nothing(site_request)
        }
        VisitOutcome::SignIn { to, path, base, .. } => {
            // A visitor who signs in for the sign-out or the sign-in page gets the start of the site.
            let is_auth = own_path(&path).is_some_and(|own| own.starts_with("auth/"));
            let location = if is_auth { "/".to_owned() } else { return_path(&path, &site_request.url) };
            Reply::SignIn { to, location, base }
        }
        VisitOutcome::Site(_) | VisitOutcome::Nothing => NOTHING,
        VisitOutcome::UnknownHost => Reply::Message(StatusCode::MISDIRECTED_REQUEST, "No site has this address."),
    }
}

/// Moves credentials from the address to a cookie, and redirects to the address without them.
fn keep_credentials(server: &SiteServer, site_request: &SiteRequest, visiting: &Visiting<'_>) -> Option<Reply> {
    let base = visiting.credentials_path();
    let scope = Scope { path: &base, secure: is_secure(visiting) };
    let now = server.services.clock.now();
    let mut cookies = Vec::new();
    if let Some(key) = visiting.share_key() {
        cookies.push(cookies::set(SHARE, key, scope, None, now));
    }
    if let Some(token) = site_request.parameter(VISITOR_TOKEN) {
        if token.len() > LARGEST {
            return Some(Reply::Message(StatusCode::BAD_REQUEST, "The token of the visitor is too long for a cookie."));
        }
        cookies.push(cookies::set(VISITOR, &token, scope, visiting.expires_at(), now));
    }
    if let Some(token) = site_request.parameter(PREVIEW_TOKEN).filter(|_| visiting.visit().is_preview()) {
        cookies.push(cookies::set(PREVIEW, &token, scope, visiting.expires_at(), now));
    }
    // Without adaptive content, claims have no effect.
    if let Some(claims) = claims(&site_request.url).filter(|_| visiting.site().adaptive_content) {
        let json = serde_json::to_string(&claims).unwrap_or_default();
        let encoded: String = form_urlencoded::byte_serialize(json.as_bytes()).collect();
        if encoded.len() <= LARGEST {
            cookies.push(cookies::set(CLAIMS, &encoded, scope, None, now));
        }
    }
    if cookies.is_empty() {
        return None;
    }
    let location = format!("{}{}{}", visiting.address(), visiting.path(), query(&site_request.url));
    Some(Reply::Redirect { status: 303, location, cache_policy: CachePolicy::Never, cookies })
}

/// Whether the address of the site is https.
pub(crate) fn is_secure(visiting: &Visiting<'_>) -> bool {
    visiting.address().starts_with("https:")
}

/// The status of a redirect, and how long it may be kept.
pub(crate) fn moved(permanent: bool) -> (u16, CachePolicy) {
    match permanent {
        true => (308, CachePolicy::Moved),
        false => (307, CachePolicy::Never),
    }
}

/// The query of an address without credentials, with its question mark.
fn query(url: &Url) -> String {
    without_visitor(url).map(|query| format!("?{query}")).unwrap_or_default()
}

/// The path of a share link never reaches a page.
pub(crate) fn is_entry(path: &str) -> bool {
    path.starts_with(ENTRY)
}
