//! The site for assistants: a read-only server of the Model Context Protocol, over its transport "Streamable HTTP".
//!
//! The server keeps no sessions and sends no messages of its own: each `POST` has one message, and its response is
//! JSON. It speaks the versions with a handshake (`initialize`) and those in which each request names its version.
mod call;
mod message;
mod tools;

use crate::answer::{Body, CachePolicy, redirect};
use crate::error::{SiteError, message_page};
use crate::handler::{is_secure, moved};
use crate::policy::common;
use crate::request::SiteRequest;
use crate::site::SiteServer;
use actix_web::http::header::{CONTENT_TYPE, HeaderMap, ORIGIN};
use actix_web::http::{Method, StatusCode};
use actix_web::web::{Data, Payload};
use actix_web::{HttpRequest, HttpResponse};
use bytes::Bytes;
use domain::site::site_token::VisitorKind;
use domain::usecases::sites::VisitorRequest;
use domain::usecases::sites::reader::{VisitOutcome, Visiting};
use http_server::{ServerError, client_address, client_network, collect, refuse_announced};
use message::{Headers, INVALID_REQUEST, Incoming, Refusal, Request};
use serde_json::Value;
use std::net::IpAddr;
use url::Url;

/// The ends of the path of the server on a site.
const PATHS: [&str; 2] = ["/~/mcp", "/~gitbook/mcp"];
/// The largest message, in bytes.
const LARGEST: usize = 64 * 1024;
const JSON: &str = "application/json";

/// Whether a path is that of the server for assistants.
pub(crate) fn is_at(path: &str) -> bool {
    PATHS.iter().any(|end| path.ends_with(end))
}

/// The result of a message.
enum Outcome {
    /// A response, with the headers of the site.
    Message(StatusCode, Value, bool),
    /// A notification gets no response body.
    Accepted,
    /// The site has another address.
    Elsewhere { url: String, permanent: bool },
    /// The visitor must prove who they are.
    SignIn,
    /// A page with a message and nothing of a site.
    Page(StatusCode, &'static str),
}

/// Answers a message.
pub(crate) async fn serve(
    server: Data<SiteServer>,
    request: HttpRequest,
    payload: Payload,
    site_request: SiteRequest,
) -> Result<HttpResponse, SiteError> {
    if *request.method() != Method::POST {
        return Err(SiteError::Method("POST"));
    }
    refuse_announced(&request, LARGEST)?;
    let headers = Headers::of(request.headers());
    let origin = request.headers().get(ORIGIN).map(|value| value.to_str().unwrap_or_default().to_owned());
    let is_json = is_json(request.headers());
    let owner = client_address(&request, &server.settings.trusted_proxies);
    let bytes = collect(&request, payload.into_inner(), LARGEST).await?;
    let (size, encoding) = (bytes.len(), site_request.encoding);
    let job = {
        let server = server.clone();
        let posted = PostedMessage { headers, origin, bytes: is_json.then_some(bytes) };
        async move { outcome(&server, &site_request, &posted, owner).await }
    };
    Ok(match server.work_pool.run(owner, size, job).await?? {
        Outcome::Message(status, message, secure) => {
            let mut body = Body::new(JSON, message.to_string(), CachePolicy::Never).with_status(status);
            body.headers.extend(common(true, secure));
            body.with("x-robots-tag", "noindex").encode_once(encoding).respond()
        }
        Outcome::Accepted => HttpResponse::Accepted().finish(),
        Outcome::Elsewhere { url, permanent } => {
            let (status, cache_policy) = moved(permanent);
            redirect(status, &url, cache_policy)
        }
        Outcome::SignIn => {
            let refusal = Refusal::new(INVALID_REQUEST, "This site needs a visitor token: send it as a bearer token.");
            let body = Body::new(JSON, refusal.message(None).to_string(), CachePolicy::Never);
            let body = body.with_status(StatusCode::UNAUTHORIZED).with("www-authenticate", "Bearer");
            body.encode(encoding).respond()
        }
        Outcome::Page(status, message) => message_page(status, message),
    })
}

/// Whether the body is JSON. Pages of other origins cannot send this type without a CORS preflight.
fn is_json(headers: &HeaderMap) -> bool {
    let value = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    value.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case(JSON)
}

/// A message, with the headers of its request.
struct PostedMessage {
    headers: Headers,
    origin: Option<String>,
    /// The body, if it is JSON.
    bytes: Option<Bytes>,
}

/// Checks the access of the visitor, as an agent, and answers the message.
async fn outcome(
    server: &SiteServer,
    site_request: &SiteRequest,
    posted: &PostedMessage,
    owner: IpAddr,
) -> Result<Outcome, SiteError> {
    let PostedMessage { headers, origin, bytes } = posted;
    let visitor = VisitorRequest { kind: VisitorKind::Agent, ..site_request.visitor() };
    let mut visiting = match server.services.site_reader.enter(&visitor).await? {
        VisitOutcome::Site(visiting) if PATHS.iter().any(|path| path[1..] == *visiting.path()) => visiting,
        VisitOutcome::Site(_) | VisitOutcome::Nothing => {
            return Ok(Outcome::Page(StatusCode::NOT_FOUND, "There is no page at this address."));
        }
        VisitOutcome::Redirect { url, permanent } => return Ok(Outcome::Elsewhere { url, permanent }),
        VisitOutcome::SignIn { .. } => return Ok(Outcome::SignIn),
        VisitOutcome::UnknownHost => {
            return Ok(Outcome::Page(StatusCode::MISDIRECTED_REQUEST, "No site has this address."));
        }
    };
    let secure = is_secure(&visiting);
    let refused = |status, text| {
        let refusal = Refusal::new(INVALID_REQUEST, text);
        Ok(Outcome::Message(status, refusal.message(None), secure))
    };
    if origin.as_ref().is_some_and(|origin| !is_own(origin, &visiting)) {
        return refused(StatusCode::FORBIDDEN, "The request comes from a page of another origin.");
    }
    let Some(bytes) = bytes else {
        return refused(StatusCode::UNSUPPORTED_MEDIA_TYPE, "The body must be application/json.");
    };
    let request = match message::read(bytes) {
        Ok(Incoming::Request(request)) => request,
        Ok(Incoming::Notification) => return Ok(Outcome::Accepted),
        Err(refusal) => return Ok(Outcome::Message(refusal.status, refusal.message(None), secure)),
    };
    if tools::is_search(&request) {
        let spent = server.searches.spend(&client_network(owner)).map_err(ServerError::from);
        spent.map_err(|error| SiteError::Json(Box::new(error.into())))?;
    }
    let Request { id, .. } = &request;
    let answered = match request.era(headers) {
        Ok(era) => call::answer(&mut visiting, &request, era).await,
        Err(refusal) => Err(call::Failure::Refusal(refusal)),
    };
    match answered {
        Ok(result) => Ok(Outcome::Message(StatusCode::OK, message::result(id, result), secure)),
        Err(call::Failure::Refusal(refusal)) => Ok(Outcome::Message(refusal.status, refusal.message(Some(id)), secure)),
        Err(call::Failure::Error(error)) => Err(error.into()),
    }
}

/// Whether an origin is that of the site.
fn is_own(origin: &str, visiting: &Visiting<'_>) -> bool {
    let origin_of = |address: &str| Url::parse(address).ok().map(|url| url.origin()).filter(|origin| origin.is_tuple());
    origin_of(origin).is_some_and(|origin| origin_of(visiting.address()) == Some(origin))
}
