//! Cached pages, which connections send themselves.
use crate::driver::route;
use crate::request::SiteRequest;
use crate::site::SiteServer;
use actix_http::RequestHead;
use actix_web::web::Data;
use futures_util::FutureExt;
use http_server::{CacheKey, FastPath, PendingResponse};
use std::sync::Arc;

/// The start of most paths of the API, whose responses are not here.
const API: &str = "/v1/";

/// The cached responses of sites.
///
/// Only the handler of sites caches responses, and the key has everything that the choice of the handler and its
/// response depend on, besides the content of the database. So the same request while nothing has changed gets the
/// same response.
pub struct CachedPages(Data<SiteServer>);

impl CachedPages {
    /// The cached responses of a server.
    pub fn new(server: Data<SiteServer>) -> Self {
        Self(server)
    }
}

impl FastPath for CachedPages {
    fn find(&self, request: &RequestHead) -> Option<PendingResponse> {
        let path = request.uri.path();
        if path.starts_with(API) {
            return None;
        }
        let url = self.0.address_parser.parse(request)?;
        let site_request = SiteRequest::new(Arc::new(url), &request.headers);
        let key = CacheKey::of(request, site_request.visit_key())?;
        // To look at an outdated response would only cost a query for the stamp: the handler takes its own.
        let found = self.0.responses.peek(&key).filter(|found| self.0.had_stamp(found.stamp()))?;
        let response = found.respond_fast(&**self.0, request, route(path, None));
        let server = self.0.clone();
        let valid = async move { server.as_of().await.is_some_and(|now| found.is_valid(now)).then_some(response) };
        Some(valid.boxed_local())
    }
}
