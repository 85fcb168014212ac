//! The reference of the API at `/docs`: its OpenAPI document, rendered like the pages of a site. It is served at every
//! host of the API.
//!
//! The pages are the same for every caller and need no storage. The document is read at the first request, and each
//! page is rendered at its first request; then the finished response is kept, compressed.
mod content;
mod rendered;
mod search;

pub(crate) use rendered::Reference;

use rendered::{Form, Named};

use crate::answer::{Body, CachePolicy, Encoded, redirect};
use crate::error::{SiteError, message_page};
use crate::request::{ResponseFormat, SiteRequest};
use crate::site::SiteServer;
use actix_web::http::{Method, StatusCode};
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use domain::text::SearchQuery;
use http_server::client_address;
use std::sync::Arc;
use url::Url;

/// The first segment of the path of the reference, below the address of the server.
const SEGMENT: &str = "docs";
/// The path of the search, below the reference.
const SEARCH: &str = "~/search";
/// The description of the search for browsers, below the reference.
const OPENSEARCH: &str = "opensearch.xml";

/// The path of an address below the reference, without a slash at its start; `None` if it is elsewhere.
pub(crate) fn path<'u>(server: &SiteServer, url: &'u Url) -> Option<&'u str> {
    let prefix = server.settings.public_url.path().trim_end_matches('/');
    let path = url.path().strip_prefix(prefix).unwrap_or(url.path());
    let below = path.strip_prefix('/')?.strip_prefix(SEGMENT)?;
    if below.is_empty() { Some(below) } else { below.strip_prefix('/') }
}

/// What is at a path.
enum Found {
    Body(Arc<Encoded>),
    Elsewhere(String),
    Message(StatusCode, &'static str),
}

/// Responds to a request whose path is below the reference.
pub(crate) async fn serve(
    server: Data<SiteServer>,
    request: &HttpRequest,
    site_request: SiteRequest,
) -> Result<HttpResponse, SiteError> {
    if *request.method() != Method::GET {
        return Err(SiteError::Method("GET, HEAD"));
    }
    if let Some(made) = made(&server, &site_request) {
        return Ok(made.respond());
    }
    let owner = client_address(request, &server.settings.trusted_proxies);
    let job = {
        let server = server.clone();
        async move { find(&server, &site_request) }
    };
    Ok(match server.work_pool.run(owner, 0, job).await? {
        Found::Body(encoded) => encoded.respond(),
        Found::Elsewhere(location) => redirect(308, &location, CachePolicy::Moved),
        Found::Message(status, message) => message_page(status, message),
    })
}

/// The response of a page that was made before.
fn made(server: &SiteServer, site_request: &SiteRequest) -> Option<Arc<Encoded>> {
    let reference = server.reference.get()?.as_ref()?;
    reference.made(named(reference, path(server, &site_request.url)?, site_request)?, site_request.encoding)
}

/// The page at a path, in the form that was asked for.
fn named(reference: &Reference, path: &str, site_request: &SiteRequest) -> Option<Named> {
    let named = reference.find(path)?;
    Some(if site_request.response_format == ResponseFormat::Markdown {
        Named { form: Form::Markdown, ..named }
    } else {
        named
    })
}

fn find(server: &SiteServer, site_request: &SiteRequest) -> Found {
    let read = || {
        let reference = Reference::read(&(server.settings.api_document)(), &server.settings.public_url)?;
        Some(reference.with_fonts(server.settings.fonts.clone()))
    };
    let (Some(reference), Some(path)) = (server.reference.get_or_init(read), path(server, &site_request.url)) else {
        return Found::Message(StatusCode::NOT_FOUND, "There is no page at this address.");
    };
    match path {
        SEARCH => return search(reference, site_request),
        OPENSEARCH => return Found::Body(reference.opensearch().encode(site_request.encoding)),
        _ => {}
    }
    if let Some(page) =
        named(reference, path, site_request).and_then(|named| reference.page(named, site_request.encoding))
    {
        return Found::Body(page);
    }
    let plain = path.trim_end_matches('/').to_lowercase();
    match reference.find(&plain) {
        Some(_) if !plain.is_empty() => Found::Elsewhere(format!("{}{plain}", reference.base())),
        _ => Found::Body(reference.missing().encode(site_request.encoding)),
    }
}

/// Operations that a search finds, as a page or for the dialog.
fn search(reference: &Reference, site_request: &SiteRequest) -> Found {
    let Ok(query) = SearchQuery::try_from(site_request.parameter("q").unwrap_or_default()) else {
        return Found::Message(StatusCode::BAD_REQUEST, "The search text has more than 512 characters.");
    };
    let body = match site_request.response_format {
        ResponseFormat::Json => {
            let json = serde_json::to_vec(&reference.search(query.as_str())).unwrap_or_default();
            Body::new("application/json", json, CachePolicy::Public { edge: 0 })
        }
        ResponseFormat::Html | ResponseFormat::Markdown => reference.results(query.as_str()),
    };
    Found::Body(body.encode(site_request.encoding))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::Encoding;
    use domain::openapi::text::read;
    use domain::openapi::tree::Node;
    use rstest::rstest;

    /// A small document.
    const DOCUMENT: &str = r#"{"openapi":"3.1.0",
        "info":{"title":"Pets","version":"7","description":"About *pets* and shops."},
        "security":[{"key":[]}],
        "components":{"securitySchemes":{"key":{"type":"http","scheme":"bearer","description":"A key of the shop."}}},
        "tags":[{"name":"pets","x-displayName":"All pets","description":"Dogs, cats and others"},{"name":"PETS"}],
        "paths":{
            "/shops":{"get":{"tags":["PETS"],"responses":{"200":{"description":"Fine"}}}},
            "/health":{"get":{"summary":"Say <b>hello</b>"}},
            "/pets":{
                "get":{"tags":["pets"],"operationId":"listPets","summary":"List pets"},
                "post":{"tags":["pets"],"summary":"Add a pet"}},
            "/secret":{"get":{"tags":["pets"],"x-internal":true}}},
        "webhooks":{"petAdded":{"post":{"tags":["pets"],"summary":"A pet was added"}}}}"#;

    /// The same, read.
    pub(super) fn node() -> Node {
        read(DOCUMENT.as_bytes()).root.unwrap()
    }

    fn html(page: usize) -> Named {
        Named { page, form: Form::Html }
    }

    fn markdown(page: usize) -> Named {
        Named { page, form: Form::Markdown }
    }

    fn written(encoded: &Encoded) -> &str {
        std::str::from_utf8(encoded.bytes()).unwrap()
    }

    #[test]
    fn a_page_is_rendered_once_for_each_encoding() {
        let reference = Reference::read(DOCUMENT, &"https://a.test/octavo".parse().unwrap()).unwrap();
        assert_eq!(reference.base(), "/octavo/docs/");
        let pets = html(1);
        assert_eq!(reference.find("pets"), Some(pets));
        assert!(reference.made(pets, Encoding::Identity).is_none());
        let page = reference.page(pets, Encoding::Identity).unwrap();
        assert!(Arc::ptr_eq(&page, &reference.made(pets, Encoding::Identity).unwrap()));
        assert!(reference.made(pets, Encoding::Brotli).is_none());
        for part in
            ["https://a.test/octavo", "id=\"listPets\"", "Add a pet", "petAdded", "/octavo/docs/~/assets/style-"]
        {
            assert!(written(&page).contains(part), "{part} is not in {}", written(&page));
        }
        assert!(reference.page(html(4), Encoding::Identity).is_none());
    }

    #[rstest]
    #[case("", Some(html(0)))]
    #[case("index.md", Some(markdown(0)))]
    #[case("pets.md", Some(markdown(1)))]
    #[case("operations", Some(html(3)))]
    #[case(".md", None)]
    #[case("index", None)]
    #[case("shops", None)]
    #[case("pets/", None)]
    fn a_path_names_a_page_and_its_form(#[case] path: &str, #[case] expected: Option<Named>) {
        let reference = Reference::read(DOCUMENT, &"https://a.test".parse().unwrap()).unwrap();
        assert_eq!(reference.find(path), expected);
    }

    #[test]
    fn pages_are_also_markdown_with_absolute_addresses() {
        let reference = Reference::read(DOCUMENT, &"https://a.test/octavo".parse().unwrap()).unwrap();
        let start = reference.page(markdown(0), Encoding::Identity).unwrap();
        for part in
            ["# Octavo API", "](https://a.test/octavo/docs/pets#listPets)", "](https://a.test/octavo/openapi.json)"]
        {
            assert!(written(&start).contains(part), "{part} is not in {}", written(&start));
        }
        let pets = reference.page(markdown(1), Encoding::Identity).unwrap();
        for part in ["# All pets", "Dogs, cats and others", "List pets", "/pets"] {
            assert!(written(&pets).contains(part), "{part} is not in {}", written(&pets));
        }
    }

    #[test]
    fn texts_of_the_document_are_no_markup() {
        let reference = Reference::read(DOCUMENT, &"http://a.test/".parse().unwrap()).unwrap();
        for at in [0, 3] {
            let page = reference.page(html(at), Encoding::Identity).unwrap();
            let page = written(&page);
            assert!(page.contains("Say &lt;b&gt;hello") && !page.contains("<b>hello"), "{at}");
        }
    }

    #[test]
    fn a_document_that_cannot_be_read_has_no_reference() {
        assert!(Reference::read("{", &"http://a.test/".parse().unwrap()).is_none());
    }
}
