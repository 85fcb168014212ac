//! Parses a request: the address and the credentials of the visitor.
use crate::address::Address;
use crate::cookies::{self, CLAIMS, FOREIGN_CLAIMS, FOREIGN_VISITOR, PREVIEW, SHARE, VISITOR};
use crate::site::SiteServer;
use actix_web::HttpRequest;
use actix_web::http::header::{ACCEPT, ACCEPT_ENCODING, AUTHORIZATION, HeaderMap, HeaderName};
use domain::site::site_token::VisitorKind;
use domain::site::visitor_query::{self, PREVIEW_TOKEN, VISITOR_TOKEN, claims, parameter};
use domain::usecases::sites::VisitorRequest;
use serde::Serialize;
use serde_json::{Map, Value};
use std::sync::Arc;
use url::Url;

/// The start of the keys of share links.
const SHARE_KEY: &str = "octavo_share_";

/// The length of an absent part of a [`VisitKey`]: longer than any part.
const ABSENT: u64 = u64::MAX;

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
    pub(crate) url: Arc<Url>,
    pub(crate) credentials: Credentials,
    pub(crate) response_format: ResponseFormat,
    pub(crate) encoding: Encoding,
}

impl SiteRequest {
    /// Reads a request; `None` if it has no valid host.
    pub(crate) fn of(server: &SiteServer, request: &HttpRequest) -> Option<Self> {
        let Address { url, .. } = Address::of(server, request)?;
        Some(Self::new(url, request.headers()))
    }

    /// A request to this address.
    pub(crate) fn new(url: Arc<Url>, headers: &HeaderMap) -> Self {
        let credentials = Credentials::of(headers, &url);
        let (response_format, encoding) = (ResponseFormat::of(headers), Encoding::of(headers));
        Self { url, credentials, response_format, encoding }
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
        let claims = (!unsigned.is_empty()).then(|| serde_json::to_string(unsigned).unwrap_or_default());
        let mut hasher = blake3::Hasher::new();
        hasher.update(&[self.response_format as u8, self.encoding as u8]);
        // The length of each part is before it, so no part can end with the start of the next one.
        for part in [self.url.host_str(), share_key.as_deref(), token.as_deref(), preview.as_deref(), claims.as_deref()]
        {
            let length = part.map_or(ABSENT, |part| part.len() as u64);
            hasher.update(&length.to_le_bytes());
            hasher.update(part.unwrap_or_default().as_bytes());
        }
        hasher.finalize().into()
    }

    /// The value of a parameter of the address.
    pub(crate) fn parameter(&self, wanted: &str) -> Option<String> {
        visitor_query::parameter(&self.url, wanted)
    }
}

impl Credentials {
    fn of(headers: &HeaderMap, url: &Url) -> Self {
        let [share, visitor, foreign_visitor, preview, claimed, foreign_claimed] =
            cookies::values(headers, [SHARE, VISITOR, FOREIGN_VISITOR, PREVIEW, CLAIMS, FOREIGN_CLAIMS]);
        let (share_key, token) = match bearer(headers) {
            Some(bearer) if bearer.starts_with(SHARE_KEY) => (Some(bearer), None),
            bearer => (None, bearer),
        };
        let token = token.or(visitor).or(foreign_visitor);
        Self {
            share_key: share_key.or(share).map(str::to_owned),
            token: parameter(url, VISITOR_TOKEN).or_else(|| token.map(str::to_owned)),
            preview: parameter(url, PREVIEW_TOKEN).or_else(|| preview.map(str::to_owned)),
            unsigned: claims(url)
                .or_else(|| claimed.and_then(object))
                .or_else(|| foreign_claimed.and_then(object))
                .unwrap_or_default(),
        }
    }
}

/// The object in a cookie, as JSON that is percent-encoded or in base64.
fn object(raw: &str) -> Option<Map<String, Value>> {
    let decoded = url::form_urlencoded::parse(raw.replace('+', "%2B").as_bytes()).next()?.0.into_owned();
    serde_json::from_str(&decoded).ok()
}

fn bearer(headers: &HeaderMap) -> Option<&str> {
    let value = headers.get(AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("Bearer").then(|| token.trim()).filter(|token| !token.is_empty())
}

/// The entries of a header with a list, with their parameters.
fn entries(headers: &HeaderMap, name: HeaderName) -> impl Iterator<Item = (&str, &str)> {
    let values = headers.get_all(name).filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).map(|entry| {
        let (name, parameters) = entry.split_once(';').unwrap_or((entry, ""));
        (name.trim(), parameters)
    })
}

/// The weight in the parameters of an entry, from 0 to 1000.
fn weight(parameters: &str) -> u16 {
    let written = parameters.split(';').find_map(|parameter| parameter.trim().strip_prefix("q="));
    written.map_or(1000, |weight| weight.parse::<f32>().map_or(0, |weight| (weight.clamp(0.0, 1.0) * 1000.0) as u16))
}

impl ResponseFormat {
    /// Markdown or JSON if the client names it and prefers it to HTML.
    pub(crate) fn of(headers: &HeaderMap) -> Self {
        let [mut html, mut markdown, mut json] = [None; 3];
        for (name, parameters) in entries(headers, ACCEPT) {
            let named = if name.eq_ignore_ascii_case("text/html") {
                &mut html
            } else if name.eq_ignore_ascii_case("text/markdown") {
                &mut markdown
            } else if name.eq_ignore_ascii_case("application/json") {
                &mut json
            } else {
                continue;
            };
            named.get_or_insert_with(|| weight(parameters));
        }
        let html = html.unwrap_or(0);
        let is_preferred = |named: Option<u16>| named.is_some_and(|weight| weight > 0 && weight > html);
        match (is_preferred(markdown), is_preferred(json)) {
            (true, _) => Self::Markdown,
            (false, true) => Self::Json,
            (false, false) => Self::Html,
        }
    }
}

impl Encoding {
    fn of(headers: &HeaderMap) -> Self {
        let mut encoding = Self::Identity;
        for (name, parameters) in entries(headers, ACCEPT_ENCODING) {
            if name.eq_ignore_ascii_case("br") && weight(parameters) > 0 {
                return Self::Brotli;
            }
            if name.eq_ignore_ascii_case("gzip") && weight(parameters) > 0 {
                encoding = Self::Gzip;
            }
        }
        encoding
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::http::header::COOKIE;
    use actix_web::test::TestRequest;
    use rstest::rstest;
    use std::collections::BTreeSet;

    #[rstest]
    #[case("text/html,application/xhtml+xml,*/*;q=0.8", ResponseFormat::Html)]
    #[case("text/markdown", ResponseFormat::Markdown)]
    #[case("text/markdown, text/html;q=0.9", ResponseFormat::Markdown)]
    #[case("text/html, text/markdown", ResponseFormat::Html)]
    #[case("application/json", ResponseFormat::Json)]
    #[case("*/*", ResponseFormat::Html)]
    #[case("text/markdown;q=0", ResponseFormat::Html)]
    #[case("Text/Markdown ; q=0.5, TEXT/HTML;level=1; q=0.4", ResponseFormat::Markdown)]
    #[case("text/markdown;q=0.1, text/html;q=0.2, text/markdown;q=0.9", ResponseFormat::Html)]
    #[case("text/markdown;q=much", ResponseFormat::Html)]
    #[case("text/markdown;q=0.9, application/json", ResponseFormat::Markdown)]
    #[case("application/json;q=0.9, text/html;q=0.9", ResponseFormat::Html)]
    #[case(", ;q=1, text/markdown", ResponseFormat::Markdown)]
    #[case("", ResponseFormat::Html)]
    fn a_client_gets_markdown_if_it_prefers_it(#[case] accept: &'static str, #[case] response_format: ResponseFormat) {
        let request = TestRequest::get().insert_header((ACCEPT, accept)).to_http_request();
        assert_eq!(ResponseFormat::of(request.headers()), response_format);
    }

    #[rstest]
    #[case("gzip, deflate, br, zstd", Encoding::Brotli)]
    #[case("gzip", Encoding::Gzip)]
    #[case("br;q=0, gzip", Encoding::Gzip)]
    #[case("identity", Encoding::Identity)]
    #[case("GZIP;q=0.2, Br;q=0.1", Encoding::Brotli)]
    #[case("br;q=0, br", Encoding::Brotli)]
    #[case("gzip;q=0, x-gzip", Encoding::Identity)]
    #[case("", Encoding::Identity)]
    fn the_best_encoding_is_chosen(#[case] accept: &'static str, #[case] encoding: Encoding) {
        let request = TestRequest::get().insert_header((ACCEPT_ENCODING, accept)).to_http_request();
        assert_eq!(Encoding::of(request.headers()), encoding);
    }

    fn credentials(target: &str, headers: &[(HeaderName, &str)]) -> Credentials {
        let request = headers.iter().fold(TestRequest::with_uri(target), |request, (name, value)| {
            request.append_header((name.clone(), *value))
        });
        let url = format!("http://a.test{target}").parse().unwrap();
        Credentials::of(request.to_http_request().headers(), &url)
    }

    fn share_key(key: &str) -> Credentials {
        Credentials { share_key: Some(key.to_owned()), ..Credentials::default() }
    }

    fn token(token: &str) -> Credentials {
        Credentials { token: Some(token.to_owned()), ..Credentials::default() }
    }

    fn preview(token: &str) -> Credentials {
        Credentials { preview: Some(token.to_owned()), ..Credentials::default() }
    }

    fn plan(plan: &str) -> Credentials {
        let unsigned = [("plan".to_owned(), Value::from(plan))].into_iter().collect();
        Credentials { unsigned, ..Credentials::default() }
    }

    const CLAIMED: &str = "octavo-claims=%7B%22plan%22%3A%22b%22%7D; gitbook-visitor-public=%7B%22plan%22%3A%22c%22%7D";

    #[rstest]
    #[case::none("/a?q=x", &[], Credentials::default())]
    #[case::other("/a", &[(COOKIE, "x=y"), (AUTHORIZATION, "Basic abc")], Credentials::default())]
    #[case::no_token("/a", &[(AUTHORIZATION, "Bearer ")], Credentials::default())]
    #[case::share_header(
        "/",
        &[(AUTHORIZATION, "bearer octavo_share_a"), (COOKIE, "octavo-share=b")],
        share_key("octavo_share_a")
    )]
    #[case::share_cookie("/", &[(COOKIE, "octavo-share=b")], share_key("b"))]
    #[case::token_parameter("/?jwt_token=a", &[(AUTHORIZATION, "Bearer b"), (COOKIE, "octavo-visitor=c")], token("a"))]
    #[case::token_header("/", &[(AUTHORIZATION, "Bearer  b "), (COOKIE, "octavo-visitor=c")], token("b"))]
    #[case::token_cookie("/", &[(COOKIE, "gitbook-visitor-token=d; octavo-visitor=c")], token("c"))]
    #[case::foreign_cookie("/", &[(COOKIE, "gitbook-visitor-token=d")], token("d"))]
    #[case::preview_parameter("/?token=a", &[(COOKIE, "octavo-preview=b")], preview("a"))]
    #[case::preview_cookie("/?x", &[(COOKIE, "octavo-preview=b")], preview("b"))]
    #[case::claims_in_the_address("/?visitor.plan=a", &[(COOKIE, CLAIMED)], plan("a"))]
    #[case::claims_in_a_cookie("/", &[(COOKIE, CLAIMED)], plan("b"))]
    #[case::foreign_claims(
        "/",
        &[(COOKIE, "octavo-claims=x; gitbook-visitor-public=%7B%22plan%22%3A%22c%22%7D")],
        plan("c")
    )]
    fn each_credential_has_an_order_of_places(
        #[case] target: &str,
        #[case] headers: &[(HeaderName, &str)],
        #[case] expected: Credentials,
    ) {
        assert_eq!(credentials(target, headers), expected);
    }

    fn visit(host: &str, credentials: Credentials) -> SiteRequest {
        let url = Arc::new(format!("http://{host}/a").parse().unwrap());
        SiteRequest { url, credentials, response_format: ResponseFormat::Html, encoding: Encoding::Brotli }
    }

    #[test]
    fn visits_that_differ_in_anything_have_different_keys() {
        let none = Credentials::default;
        let all = [
            visit("a.test", none()),
            visit("b.test", none()),
            SiteRequest { response_format: ResponseFormat::Markdown, ..visit("a.test", none()) },
            SiteRequest { encoding: Encoding::Gzip, ..visit("a.test", none()) },
            visit("a.test", share_key("x")),
            visit("a.test", share_key("")),
            visit("a.test", token("x")),
            visit("a.test", token("xy")),
            visit("a.test", preview("x")),
            visit("a.test", plan("x")),
            visit("a.test", plan("y")),
            visit("a.test", Credentials { token: Some("xy".to_owned()), ..share_key("z") }),
            visit("a.test", Credentials { token: Some("y".to_owned()), ..share_key("zx") }),
        ];
        let keys: BTreeSet<_> = all.iter().map(SiteRequest::visit_key).collect();
        assert_eq!(keys.len(), all.len());
        let elsewhere = SiteRequest { url: Arc::new("http://a.test/b?c".parse().unwrap()), ..all[0].clone() };
        assert_eq!(elsewhere.visit_key(), all[0].visit_key(), "the path and the query are not part of it");
    }
}
