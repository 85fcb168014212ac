//! The driver's part of the telemetry.
use crate::address::Address;
use crate::error::{HTML, SiteError};
use crate::site::SiteServer;
use actix_web::HttpRequest;
use actix_web::http::StatusCode;
use http_server::Driver;
use std::sync::{Arc, LazyLock};

/// The kinds of addresses by a part of their path, for logs and metrics. Paths of sites are not logged: they can have
/// keys.
const KINDS: [(&str, &str); 13] = [
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

/// The names of the kinds, which all requests share.
static ROUTES: LazyLock<Routes> = LazyLock::new(|| Routes {
    kinds: KINDS.map(|(part, kind)| (part, kind.into())),
    reference: "reference".into(),
    page: "site page".into(),
});

struct Routes {
    kinds: [(&'static str, Arc<str>); KINDS.len()],
    reference: Arc<str>,
    page: Arc<str>,
}

impl Routes {
    fn of(&self, path: &str, is_reference: bool) -> Arc<str> {
        // To look for a character is cheap, and most paths do not have it.
        let has_tilde = path.contains('~');
        let mut kinds = self.kinds.iter().filter(|(part, _)| has_tilde || !part.contains('~'));
        let page = if is_reference { &self.reference } else { &self.page };
        kinds.find(|(part, _)| path.contains(part)).map_or(page, |(_, kind)| kind).clone()
    }
}

/// The kind of an address.
pub(crate) fn route(path: &str, address: Option<&Address>) -> Arc<str> {
    ROUTES.of(path, address.is_some_and(Address::is_plainly_of_reference))
}

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
        Some(route(request.path(), Address::of(self, request).as_ref()))
    }

    fn user(&self, _request: &HttpRequest) -> Option<String> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("/", false, "site page")]
    #[case("/s/guide/install", false, "site page")]
    #[case("/~preview/abc/install", false, "site page")]
    #[case("/docs/spaces", true, "reference")]
    #[case("/docs/~/search", true, "site search")]
    #[case("/s/guide/~/files/f_1/logo.png", false, "site file")]
    #[case("/~/share/octavo_share_x", false, "site share link")]
    #[case("/s/guide/sitemap.xml", false, "site sitemap")]
    #[case("/llms-full.txt", false, "site llms")]
    #[case("/~user/llms.txt", false, "site llms")]
    fn a_path_is_logged_as_its_kind(#[case] path: &str, #[case] is_reference: bool, #[case] kind: &str) {
        assert_eq!(&*ROUTES.of(path, is_reference), kind);
    }

    #[test]
    fn all_requests_share_the_names_of_the_kinds() {
        let of = |path| ROUTES.of(path, false);
        assert!(Arc::ptr_eq(&of("/a"), &of("/b")) && Arc::ptr_eq(&of("/~/print/a"), &of("/~/print/b")));
    }
}
