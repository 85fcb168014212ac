//! The driver's part of the telemetry.
use crate::error::{HTML, SiteError};
use crate::guard;
use crate::request::address;
use crate::site::SiteServer;
use actix_web::HttpRequest;
use actix_web::http::StatusCode;
use http_server::Driver;
use std::sync::Arc;

/// The kinds of addresses, for logs and metrics. Paths of sites are not logged: they can have keys.
const ROUTES: [(&str, &str); 13] = [
    ("/~/assets/", "site assets"),
    ("/~/files/", "site file"),
    ("/~/card/", "site card"),
    ("/~/diagrams/", "site diagram"),
    ("/~/search", "site search"),
    ("/~/feedback", "site feedback"),
    ("/~/print", "site print"),
    ("/~/schema/", "site schema"),
    ("/~/mcp", "site mcp"),
    ("/~/share/", "site share link"),
    ("/~/auth/", "site sign-in"),
    ("/sitemap", "site sitemap"),
    ("/llms", "site llms"),
];

/// The kind of addresses of the reference of the API.
const REFERENCE: &str = "reference";

impl Driver for SiteServer {
    type Error = SiteError;
    const ERROR_TYPE: &'static str = HTML;
    const OWN_ERROR_TYPES: &'static [&'static str] = &["text/markdown", "application/json"];

    fn error_body(&self, _request: &HttpRequest, status: StatusCode, message: &str) -> String {
        site_html::frame::message(status.as_u16(), message)
    }

    fn new_request_id(&self) -> String {
        self.services.ids.next()
    }

    fn route(&self, request: &HttpRequest) -> Option<Arc<str>> {
        let path = request.path();
        let url = address(self, request.head());
        let page = if url.is_some_and(|url| guard::is_plainly_reference(self, &url)) { REFERENCE } else { "site page" };
        let kind = ROUTES.iter().find(|(part, _)| path.contains(part)).map_or(page, |(_, kind)| kind);
        Some(kind.into())
    }

    fn user(&self, _request: &HttpRequest) -> Option<String> {
        None
    }
}
