//! A check of every response: the one that a connection would send from the cache is that of the application, with the
//! same status and headers. Both use the same key, so this does not find requests that wrongly share one.
use actix_http::{Request, RequestHead};
use actix_web::body::{BoxBody, MessageBody, to_bytes};
use actix_web::dev::ServiceResponse;
use actix_web::http::Method;
use http_server::{FastPath, FastResponse};
use site_actix::CachedPages;
use std::collections::BTreeSet;
use std::rc::Rc;

/// A request with a cached response.
pub(crate) struct CachedPageCheck {
    pages: Rc<CachedPages>,
    request: RequestHead,
    cached: FastResponse,
}

impl CachedPageCheck {
    /// Looks for the cached response to a request, before the application gets it.
    pub(crate) async fn begin(pages: Rc<CachedPages>, request: &Request) -> Option<Self> {
        if request.method() != Method::GET {
            return None;
        }
        let cached = pages.find(request.head())?.await?;
        Some(Self { pages, request: request.head().clone(), cached })
    }

    /// Compares it with the response of the application, unless something was committed in between.
    pub(crate) async fn end(self, response: ServiceResponse<BoxBody>) -> ServiceResponse<BoxBody> {
        let (head, body) = response.into_parts();
        let (parts, body) = body.into_parts();
        let bytes = to_bytes(body.boxed()).await.unwrap_or_default();
        let now = match self.pages.find(&self.request) {
            Some(finding) => finding.await,
            None => None,
        };
        let is_same = |now: &FastResponse| (lines(now), now.body()) == (lines(&self.cached), self.cached.body());
        if now.as_ref().is_some_and(is_same) {
            let status = format!("HTTP/1.1 {}", parts.status());
            let headers =
                parts.headers().iter().map(|(name, value)| format!("{name}: {}", value.to_str().unwrap_or("")));
            let own: BTreeSet<_> = headers.chain([status]).filter(|line| !is_of_one_response(line)).collect();
            assert_eq!(lines(&self.cached), own, "{}", self.request.uri);
            assert_eq!(self.cached.body(), &bytes, "{}", self.request.uri);
        }
        ServiceResponse::new(head, parts.set_body(BoxBody::new(bytes)))
    }
}

/// The status line and the headers.
fn lines(response: &FastResponse) -> BTreeSet<String> {
    let head = String::from_utf8_lossy(response.head());
    head.lines().filter(|line| !is_of_one_response(line)).map(str::to_owned).collect()
}

/// Whether a header differs between responses, or is added by the connection.
fn is_of_one_response(line: &str) -> bool {
    line.starts_with("x-request-id: ") || line.starts_with("content-length: ")
}
