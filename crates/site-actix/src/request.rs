//! Parses a request: the address and the credentials of the visitor.
use crate::cookies::{self, CLAIMS, FOREIGN_CLAIMS, FOREIGN_VISITOR, PREVIEW, SHARE, VISITOR};
use crate::site::SiteServer;
use actix_http::RequestHead;
use actix_web::HttpRequest;
use actix_web::http::header::{ACCEPT, ACCEPT_ENCODING, AUTHORIZATION, HOST, HeaderMap};
use domain::site::site_token::VisitorKind;
use domain::site::visitor_query::{self, PREVIEW_TOKEN, VISITOR_TOKEN, claims, parameter};
use domain::usecases::sites::VisitorRequest;
use serde::Serialize;
use serde_json::{Map, Value};
use url::Url;

/// The start of the keys of share links.
const SHARE_KEY: &str = "octavo_share_";

/// A hash of everything that a response depends on, except the address.
pub(crate) type VisitKey = [u8; 32];

/// The credentials of a visitor.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Credentials {
    pub(crate) share_key: Option<String>,
    pub(crate) token: Option<String>,
    pub(crate) preview: Option<String>,
    pub(crate) unsigned: Map<String, Value>,
}

/// A format that a client can request a page in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum ResponseFormat {
    Html,
    Markdown,
    Json,
}

/// An encoding that a client understands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub(crate) enum Encoding {
    Identity,
    Gzip,
    Brotli,
}

/// The parts of a request.
#[derive(Clone, Debug)]
pub(crate) struct SiteRequest {
    pub(crate) url: Url,
    pub(crate) credentials: Credentials,
    pub(crate) response_format: ResponseFormat,
    pub(crate) encoding: Encoding,
}

impl SiteRequest {
    /// Reads a request; `None` if it has no valid host.
    pub(crate) fn of(server: &SiteServer, request: &HttpRequest) -> Option<Self> {
        let url = address(server, request.head())?;
        let credentials = Credentials::of(request, &url);
        let headers = request.headers();
        let (response_format, encoding) = (ResponseFormat::of(headers), Encoding::of(headers));
        Some(Self { url, credentials, response_format, encoding })
    }

    /// The request for the domain.
    pub(crate) fn visitor(&self) -> VisitorRequest<'_> {
        VisitorRequest {
            url: &self.url,
            kind: VisitorKind::default(),
            share_key: self.credentials.share_key.as_deref(),
            token: self.credentials.token.as_deref(),
            preview: self.credentials.preview.as_deref(),
            unsigned: &self.credentials.unsigned,
        }
    }

    /// A hash of everything that the response depends on, except the path and the query.
    pub(crate) fn visit_key(&self) -> VisitKey {
        let Credentials { share_key, token, preview, unsigned } = &self.credentials;
        let credentials = (share_key, token, preview, unsigned);
        let parts = (self.url.host_str(), credentials, self.response_format as u8, self.encoding as u8);
        blake3::hash(&serde_json::to_vec(&parts).unwrap_or_default()).into()
    }

    /// The value of a parameter of the address.
    pub(crate) fn parameter(&self, wanted: &str) -> Option<String> {
        visitor_query::parameter(&self.url, wanted)
    }
}

/// The address of a request for the domain. Its scheme is ignored.
pub(crate) fn address(server: &SiteServer, head: &RequestHead) -> Option<Url> {
    let host = head.headers().get(HOST).and_then(|host| host.to_str().ok()).or_else(|| head.uri.host())?;
    let path = head.uri.path_and_query().map_or("/", |path| path.as_str());
    let mut url = Url::parse(&format!("http://{host}{path}")).ok()?;
    // All names of this machine are the same.
    let own = &server.settings.sites_url;
    if is_local(&url) && is_local(own) {
        url.set_host(own.host_str()).ok()?;
    }
    Some(url)
}

/// Whether an address is of this machine.
fn is_local(url: &Url) -> bool {
    match url.host() {
        Some(url::Host::Domain(name)) => name == "localhost",
        Some(url::Host::Ipv4(address)) => address.is_loopback(),
        Some(url::Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

impl Credentials {
    fn of(request: &HttpRequest, url: &Url) -> Self {
        let bearer = bearer(request.headers());
        let (share, token) = match bearer {
            Some(bearer) if bearer.starts_with(SHARE_KEY) => (Some(bearer), None),
            bearer => (None, bearer),
        };
        let cookie = |name: &str| cookies::get(request, name);
        Self {
            share_key: share.or_else(|| cookie(SHARE)),
            token: parameter(url, VISITOR_TOKEN)
                .or(token)
                .or_else(|| cookie(VISITOR))
                .or_else(|| cookie(FOREIGN_VISITOR)),
            preview: parameter(url, PREVIEW_TOKEN).or_else(|| cookie(PREVIEW)),
            unsigned: claims(url)
                .or_else(|| cookie(CLAIMS).and_then(|raw| object(&raw)))
                .or_else(|| cookie(FOREIGN_CLAIMS).and_then(|raw| object(&raw)))
                .unwrap_or_default(),
        }
    }
}

/// The object in a cookie, as JSON that is percent-encoded or in base64.
fn object(raw: &str) -> Option<Map<String, Value>> {
    let decoded = url::form_urlencoded::parse(raw.replace('+', "%2B").as_bytes()).next()?.0.into_owned();
    serde_json::from_str(&decoded).ok()
}

fn bearer(headers: &HeaderMap) -> Option<String> {
    let value = headers.get(AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("Bearer").then(|| token.trim().to_owned()).filter(|token| !token.is_empty())
}

/// The entries of a header with a list, with their weight from 0 to 1000.
fn weighted(headers: &HeaderMap, name: actix_web::http::header::HeaderName) -> Vec<(String, u16)> {
    let values = headers.get_all(name).filter_map(|value| value.to_str().ok());
    let entry = |raw: &str| {
        let mut parts = raw.split(';');
        let name = parts.next()?.trim().to_ascii_lowercase();
        let weight = parts
            .find_map(|part| part.trim().strip_prefix("q="))
            .map_or(1000, |weight| weight.parse::<f32>().map_or(0, |weight| (weight.clamp(0.0, 1.0) * 1000.0) as u16));
        (!name.is_empty()).then_some((name, weight))
    };
    values.flat_map(|value| value.split(',').filter_map(entry).collect::<Vec<_>>()).collect()
}

impl ResponseFormat {
    /// Markdown or JSON if the client names it and prefers it to HTML.
    pub(crate) fn of(headers: &HeaderMap) -> Self {
        let accepted = weighted(headers, ACCEPT);
        let weight = |name: &str| accepted.iter().find(|(own, _)| own == name).map(|(_, weight)| *weight);
        let html = weight("text/html").unwrap_or(0);
        let named = |name: &str| weight(name).is_some_and(|weight| weight > 0 && weight > html);
        match (named("text/markdown"), named("application/json")) {
            (true, _) => Self::Markdown,
            (false, true) => Self::Json,
            (false, false) => Self::Html,
        }
    }
}

impl Encoding {
    fn of(headers: &HeaderMap) -> Self {
        let accepted = weighted(headers, ACCEPT_ENCODING);
        let takes = |name: &str| accepted.iter().any(|(own, weight)| own == name && *weight > 0);
        if takes("br") {
            Self::Brotli
        } else if takes("gzip") {
            Self::Gzip
        } else {
            Self::Identity
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::test::TestRequest;
    use rstest::rstest;

    #[rstest]
    #[case("text/html,application/xhtml+xml,*/*;q=0.8", ResponseFormat::Html)]
    #[case("text/markdown", ResponseFormat::Markdown)]
    #[case("text/markdown, text/html;q=0.9", ResponseFormat::Markdown)]
    #[case("text/html, text/markdown", ResponseFormat::Html)]
    #[case("application/json", ResponseFormat::Json)]
    #[case("*/*", ResponseFormat::Html)]
    #[case("text/markdown;q=0", ResponseFormat::Html)]
    fn a_client_gets_markdown_if_it_prefers_it(#[case] accept: &'static str, #[case] response_format: ResponseFormat) {
        let request = TestRequest::get().insert_header((ACCEPT, accept)).to_http_request();
        assert_eq!(ResponseFormat::of(request.headers()), response_format);
    }

    #[rstest]
    #[case("gzip, deflate, br, zstd", Encoding::Brotli)]
    #[case("gzip", Encoding::Gzip)]
    #[case("br;q=0, gzip", Encoding::Gzip)]
    #[case("identity", Encoding::Identity)]
    fn the_best_encoding_is_chosen(#[case] accept: &'static str, #[case] encoding: Encoding) {
        let request = TestRequest::get().insert_header((ACCEPT_ENCODING, accept)).to_http_request();
        assert_eq!(Encoding::of(request.headers()), encoding);
    }
}
