//! Conditional requests (RFC 9110, section 13).
//!
//! Handlers and caches return complete responses with an `ETag`. At the end of the pipeline, [`conditional`] replaces
//! them by 304 if the client already has them. Code that knows the tag before it does the work calls [`client_has`],
//! which applies the same rule, and returns the same 304: [`Answer::unchanged`](crate::Answer::unchanged), or
//! [`Cached::respond`](crate::Cached::respond) for a cached response.
use actix_http::RequestHead;
use actix_web::body::BoxBody;
use actix_web::http::header::{
    ACCEPT_RANGES, CONTENT_DISPOSITION, CONTENT_ENCODING, CONTENT_LANGUAGE, CONTENT_LENGTH, CONTENT_RANGE,
    CONTENT_TYPE, ETAG, HeaderName, IF_NONE_MATCH, IF_RANGE, LAST_MODIFIED,
};
use actix_web::http::{Method, StatusCode};
use actix_web::{HttpRequest, HttpResponse};
use std::iter::from_fn;

/// Headers that describe a body, and so are not in a 304.
pub(crate) const OF_THE_BODY: [HeaderName; 8] = [
    ACCEPT_RANGES,
    CONTENT_DISPOSITION,
    CONTENT_ENCODING,
    CONTENT_LANGUAGE,
    CONTENT_LENGTH,
    CONTENT_RANGE,
    CONTENT_TYPE,
    LAST_MODIFIED,
];

/// The response, or 304 if the client already has it. A part of a file is like the whole file: `If-None-Match` is
/// checked before `Range`.
pub(crate) fn conditional(request: &HttpRequest, response: HttpResponse<BoxBody>) -> HttpResponse<BoxBody> {
    let is_read = matches!(response.status(), StatusCode::OK | StatusCode::PARTIAL_CONTENT);
    let tag = response.headers().get(ETAG).filter(|_| is_read).and_then(|tag| tag.to_str().ok());
    if !tag.is_some_and(|tag| client_has(request.head(), tag)) {
        return response;
    }
    let mut response = response.set_body(BoxBody::new(()));
    *response.status_mut() = StatusCode::NOT_MODIFIED;
    for name in OF_THE_BODY {
        response.headers_mut().remove(name);
    }
    response
}

/// Whether the client already has the response with this tag: `If-None-Match` of a read names it.
pub fn client_has(request: &RequestHead, tag: &str) -> bool {
    let mut lists = request.headers().get_all(IF_NONE_MATCH).filter_map(|list| list.to_str().ok());
    request.method == Method::GET && lists.any(|list| list_names(list, tag, Comparison::Weak))
}

/// Whether `Range` applies to the representation with this tag: `If-Range` is absent, or is exactly this tag, and the
/// tag is strong. A date never applies, as no response has one.
pub(crate) fn range_applies(request: &HttpRequest, tag: &str) -> bool {
    let same = |value: &[u8]| value == tag.as_bytes() && !is_weak(tag);
    request.headers().get(IF_RANGE).is_none_or(|value| same(value.as_bytes()))
}

/// How to compare entity tags (RFC 9110, section 8.8.3.2).
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    /// A weak tag matches nothing.
    Strong,
    /// A weak tag matches as if it were strong.
    Weak,
}

impl Comparison {
    fn holds(self, one: &str, other: &str) -> bool {
        match self {
            Self::Strong => one == other && !is_weak(one),
            Self::Weak => one.strip_prefix(WEAK).unwrap_or(one) == other.strip_prefix(WEAK).unwrap_or(other),
        }
    }
}

const WEAK: &str = "W/";

fn is_weak(tag: &str) -> bool {
    tag.starts_with(WEAK)
}

/// Whether a list of entity tags names this tag. `*` names every tag.
pub fn list_names(list: &str, tag: &str, comparison: Comparison) -> bool {
    entries(list).any(|entry| entry == "*" || comparison.holds(entry, tag))
}

/// The entries of a list of entity tags. A comma within the quotes of a tag belongs to the tag.
fn entries(list: &str) -> impl Iterator<Item = &str> {
    let mut rest = list;
    from_fn(move || {
        rest = rest.trim_start_matches([' ', '\t', ',']);
        let opaque = rest.strip_prefix(WEAK).unwrap_or(rest);
        let quoted = opaque.strip_prefix('"').and_then(|inner| inner.find('"'));
        // The quotes, and what is before them.
        let tag = quoted.map_or(0, |inner| rest.len() - opaque.len() + inner + 2);
        let end = rest[tag..].find(',').map_or(rest.len(), |comma| tag + comma);
        let entry = rest[..end].trim_end();
        rest = &rest[end..];
        (!entry.is_empty()).then_some(entry)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::{Answer, tag};
    use actix_web::Responder;
    use actix_web::body::MessageBody;
    use actix_web::http::header::CACHE_CONTROL;
    use actix_web::test::TestRequest;
    use rstest::rstest;

    const BODY: &str = "hello";

    fn own() -> String {
        tag(BODY.as_bytes())
    }

    fn answer(request: TestRequest) -> HttpResponse {
        let request = request.to_http_request();
        conditional(&request, Answer::new("text/plain", BODY).respond_to(&request))
    }

    #[rstest]
    #[case::the_same(own(), 304)]
    #[case::among_others(format!("\"x\", {}", own()), 304)]
    #[case::after_one_with_a_comma(format!("\"x,y\", {}", own()), 304)]
    #[case::weak(format!("W/{}", own()), 304)]
    #[case::any("*".to_owned(), 304)]
    #[case::another("\"x\"".to_owned(), 200)]
    #[case::none(String::new(), 200)]
    #[case::without_quotes(own().replace('"', ""), 200)]
    #[case::within_another(format!("\"x,{},y\"", own().replace('"', "")), 200)]
    fn what_the_client_has_is_not_sent_again(#[case] header: String, #[case] status: u16) {
        let response = answer(TestRequest::get().insert_header((IF_NONE_MATCH, header)));
        assert_eq!(response.status().as_u16(), status);
        assert_eq!(response.headers().get(ETAG).unwrap().to_str().unwrap(), own());
        assert_eq!(response.headers().get(CACHE_CONTROL).unwrap(), "private, no-cache");
        assert_eq!(response.headers().contains_key(CONTENT_TYPE), status == 200);
        let length = response.into_body().try_into_bytes().unwrap().len();
        assert_eq!(length, if status == 200 { BODY.len() } else { 0 });
    }

    #[test]
    fn several_headers_are_one_list() {
        let request = TestRequest::get().append_header((IF_NONE_MATCH, "\"x\"")).append_header((IF_NONE_MATCH, own()));
        assert_eq!(answer(request).status(), StatusCode::NOT_MODIFIED);
    }

    #[test]
    fn a_response_that_is_known_early_is_the_one_that_is_known_late() {
        let request = TestRequest::get().insert_header((IF_NONE_MATCH, own()));
        let (late, request) =
            (answer(TestRequest::get().insert_header((IF_NONE_MATCH, own()))), request.to_http_request());
        assert!(client_has(request.head(), &own()));
        let early = Answer::unchanged(own()).respond_to(&request);
        assert_eq!((early.status(), early.headers().len()), (late.status(), late.headers().len()));
        assert!(early.headers().iter().all(|(name, value)| late.headers().get(name) == Some(value)));
    }

    #[test]
    fn a_part_that_the_client_has_is_not_sent_again() {
        let request = TestRequest::get().insert_header((IF_NONE_MATCH, "\"a\"")).to_http_request();
        let part = HttpResponse::PartialContent()
            .insert_header((ETAG, "\"a\""))
            .insert_header((CONTENT_RANGE, "bytes 0-1/10"))
            .body("01");
        let response = conditional(&request, part);
        assert_eq!(response.status(), StatusCode::NOT_MODIFIED);
        assert!(!response.headers().contains_key(CONTENT_RANGE));
    }

    #[rstest]
    #[case::a_change(TestRequest::patch(), HttpResponse::Ok())]
    #[case::an_error(TestRequest::get(), HttpResponse::NotFound())]
    #[case::a_new_object(TestRequest::post(), HttpResponse::Created())]
    fn only_reads_are_conditional(#[case] request: TestRequest, #[case] mut response: actix_web::HttpResponseBuilder) {
        let request = request.insert_header((IF_NONE_MATCH, "\"a\"")).to_http_request();
        let response = response.insert_header((ETAG, "\"a\"")).body(BODY);
        let status = response.status();
        assert_eq!(conditional(&request, response).status(), status);
    }

    #[rstest]
    #[case::absent(None, "\"a\"", true)]
    #[case::the_same(Some("\"a\""), "\"a\"", true)]
    #[case::another(Some("\"b\""), "\"a\"", false)]
    #[case::weak(Some("W/\"a\""), "\"a\"", false)]
    #[case::both_weak(Some("W/\"a\""), "W/\"a\"", false)]
    #[case::any(Some("*"), "\"a\"", false)]
    #[case::a_date(Some("Wed, 21 Oct 2015 07:28:00 GMT"), "\"a\"", false)]
    fn a_range_applies_to_what_the_client_has_a_part_of(
        #[case] header: Option<&str>,
        #[case] tag: &str,
        #[case] applies: bool,
    ) {
        let request =
            header.into_iter().fold(TestRequest::get(), |request, value| request.insert_header((IF_RANGE, value)));
        assert_eq!(range_applies(&request.to_http_request(), tag), applies);
    }

    #[rstest]
    #[case("\"a\"", true)]
    #[case("\"b\", \"a\"", true)]
    #[case(" ,\"b\" ,, \"a\"", true)]
    #[case("\"b,c\",\"a\"", true)]
    #[case("b, \"a\"", true)]
    #[case("*", true)]
    #[case("W/\"a\"", false)]
    #[case("\"b\"", false)]
    #[case("\"a\"b", false)]
    #[case("\"a", false)]
    fn a_weak_tag_never_allows_a_change(#[case] list: &str, #[case] matches: bool) {
        assert_eq!(list_names(list, "\"a\"", Comparison::Strong), matches);
    }
}
