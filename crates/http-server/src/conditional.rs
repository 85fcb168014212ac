//! Conditional requests (RFC 9110, section 13).
use actix_web::http::Method;
use actix_web::http::header::{HeaderName, HeaderValue, IF_NONE_MATCH};
use actix_web::{HttpMessage, HttpRequest};

/// The entity tags in `If-None-Match`. They are removed from the request's headers, so that the handler makes the whole
/// response and the cache can store it. They are also kept as an extension of the request, for responses that are too
/// large for the cache.
#[derive(Clone)]
pub struct Has(pub Vec<HeaderValue>);

impl Has {
    /// Whether the caller has the response with this tag.
    pub fn names(&self, tag: &str) -> bool {
        let mut lists = self.0.iter().filter_map(|list| list.to_str().ok());
        lists.any(|list| list_names(list, tag, Comparison::Weak))
    }
}

/// Whether the caller already has the response with this tag.
pub fn has(request: &HttpRequest, tag: &str) -> bool {
    request.extensions().get::<Has>().is_some_and(|has| has.names(tag)) || has_it(request, tag)
}

/// Whether `If-None-Match` of a read names this tag.
pub(crate) fn has_it(request: &HttpRequest, tag: &str) -> bool {
    request.method() == Method::GET && names(request, IF_NONE_MATCH, tag, Comparison::Weak) == Some(true)
}

/// How to compare entity tags (RFC 9110, section 8.8.3.2).
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    /// A weak tag matches nothing.
    Strong,
    /// A weak tag matches as if it were strong.
    Weak,
}

/// Whether a header with entity tags names this tag; `None` if the header is absent.
pub fn names(request: &HttpRequest, header: HeaderName, tag: &str, comparison: Comparison) -> Option<bool> {
    let mut lists = request.headers().get_all(header).filter_map(|list| list.to_str().ok()).peekable();
    lists.peek()?;
    Some(lists.any(|list| list_names(list, tag, comparison)))
}

/// Whether a list of entity tags names this tag.
pub fn list_names(list: &str, tag: &str, comparison: Comparison) -> bool {
    let mut entries = list.split(',').map(str::trim);
    entries.any(|entry| match (entry.strip_prefix("W/"), comparison) {
        (Some(weak), Comparison::Weak) => weak == tag,
        (Some(_), Comparison::Strong) => false,
        (None, _) => entry == tag || entry == "*",
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::{Answer, tag};
    use actix_web::Responder;
    use actix_web::http::StatusCode;
    use actix_web::http::header::{CACHE_CONTROL, ETAG};
    use actix_web::test::TestRequest;
    use rstest::rstest;

    const BODY: &str = "hello";

    fn own() -> String {
        tag(BODY.as_bytes())
    }
    fn answer() -> Answer {
        Answer::new("text/plain", BODY)
    }

    #[rstest]
    #[case::the_same(own(), 304)]
    #[case::among_others(format!("\"x\", {}", own()), 304)]
    #[case::weak(format!("W/{}", own()), 304)]
    #[case::any("*".to_owned(), 304)]
    #[case::another("\"x\"".to_owned(), 200)]
    #[case::without_quotes(own().replace('"', ""), 200)]
    fn what_the_caller_has_is_not_sent_again(#[case] header: String, #[case] status: u16) {
        let request = TestRequest::get().insert_header((IF_NONE_MATCH, header)).to_http_request();
        let response = answer().respond_to(&request);
        assert_eq!(response.status().as_u16(), status);
        assert_eq!(response.headers().get(ETAG).unwrap().to_str().unwrap(), own());
        assert_eq!(response.headers().get(CACHE_CONTROL).unwrap(), "private, no-cache");
    }

    #[test]
    fn a_change_is_answered_with_a_body_whatever_the_caller_has() {
        let request = TestRequest::patch().insert_header((IF_NONE_MATCH, own())).to_http_request();
        assert_eq!(answer().respond_to(&request).status(), StatusCode::OK);
    }

    #[rstest]
    #[case("\"a\"", true)]
    #[case("\"b\", \"a\"", true)]
    #[case("*", true)]
    #[case("W/\"a\"", false)]
    #[case("\"b\"", false)]
    fn a_weak_tag_never_allows_a_change(#[case] list: &str, #[case] matches: bool) {
        assert_eq!(list_names(list, "\"a\"", Comparison::Strong), matches);
    }
}
