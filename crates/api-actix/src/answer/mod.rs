//! Responses, and conditional requests.
//!
//! Every response of the API is JSON with a strong `ETag`, the hash of its bytes. With `If-None-Match` an unchanged
//! response is not sent again; with `If-Match` a change is made only if the object is still as the caller read it.
//! Private responses may be cached only by the caller, and must be revalidated before each use, so a withdrawn right
//! takes effect at once.
pub(crate) mod error;
pub(crate) mod links;
pub(crate) mod resource;
pub(crate) mod signature;

use crate::answer::error::ApiError;
use actix_web::body::BoxBody;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, HeaderName, HeaderValue, IF_NONE_MATCH, LOCATION};
use actix_web::http::{Method, StatusCode};
use actix_web::{HttpMessage, HttpRequest, HttpResponse, Responder};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bytes::Bytes;
use domain::usecases::Error;
use serde::Serialize;

pub(crate) type Answered = Result<Answer, ApiError>;

#[derive(Clone, Debug)]
pub(crate) struct Answer {
    status: StatusCode,
    location: Option<String>,
    tag: String,
    bytes: Bytes,
    cache_control: &'static str,
}

/// The caller may cache the response, and must revalidate it before use.
const NO_CACHE: &str = "private, no-cache";
/// Nobody may store the response, including this server.
pub(crate) const NO_STORE: &str = "no-store";

impl Answer {
    fn new(status: StatusCode, location: Option<String>, body: &impl Serialize) -> Answered {
        let bytes = serde_json::to_vec(body).map_err(|error| ApiError::UseCase(Error::Corrupt(error.to_string())))?;
        Ok(Self { status, location, tag: tag(&bytes), bytes: bytes.into(), cache_control: NO_CACHE })
    }

    /// 304 with the entity tag of a response that the caller already has.
    pub(crate) fn unchanged(tag: String) -> Self {
        let (status, bytes) = (StatusCode::NOT_MODIFIED, Bytes::new());
        Self { status, location: None, tag, bytes, cache_control: NO_CACHE }
    }

    pub(crate) fn tag(&self) -> &str {
        &self.tag
    }

    /// The length of the body in bytes.
    pub(crate) fn len(&self) -> usize {
        self.bytes.len()
    }
}

/// 200: the object was read or changed.
pub(crate) fn ok(body: &impl Serialize) -> Answered {
    Answer::new(StatusCode::OK, None, body)
}

/// 201: the object was created at `location`.
pub(crate) fn created(location: String, body: &impl Serialize) -> Answered {
    Answer::new(StatusCode::CREATED, Some(location), body)
}

/// 201 for an object with a secret that is shown only in this response.
pub(crate) fn created_with_secret(location: String, body: &impl Serialize) -> Answered {
    created(location, body).map(|answer| Answer { cache_control: NO_STORE, ..answer })
}

/// 200 for a response that serves as a proof, and so must not be stored.
pub(crate) fn ok_with_secret(body: &impl Serialize) -> Answered {
    ok(body).map(|answer| Answer { cache_control: NO_STORE, ..answer })
}

/// 200 for a change, or 204 without a body if the request has `Prefer: return=minimal`.
pub(crate) fn ok_or_minimal(request: &HttpRequest, body: &impl Serialize) -> Answered {
    let preferences = request.headers().get_all(PREFER).filter_map(|value| value.to_str().ok());
    let minimal = preferences.flat_map(|value| value.split(',')).any(|one| one.trim() == MINIMAL);
    if minimal {
        let (tag, bytes) = (String::new(), Bytes::new());
        return Ok(Answer { status: StatusCode::NO_CONTENT, location: None, tag, bytes, cache_control: NO_CACHE });
    }
    ok(body)
}

/// 204: done, and there is nothing to return.
pub(crate) fn done() -> HttpResponse {
    HttpResponse::NoContent().finish()
}

/// 205 if the object was deleted, 204 if it did not exist.
pub(crate) fn deleted(was_there: bool) -> HttpResponse {
    HttpResponse::new(if was_there { StatusCode::RESET_CONTENT } else { StatusCode::NO_CONTENT })
}

const PREFER: HeaderName = HeaderName::from_static("prefer");
const PREFERENCE_APPLIED: HeaderName = HeaderName::from_static("preference-applied");
const MINIMAL: &str = "return=minimal";

impl Responder for Answer {
    type Body = BoxBody;

    fn respond_to(self, request: &HttpRequest) -> HttpResponse<BoxBody> {
        if self.status == StatusCode::NO_CONTENT {
            return HttpResponse::NoContent().insert_header((PREFERENCE_APPLIED, MINIMAL)).finish();
        }
        let mut response = HttpResponse::build(self.status);
        response.insert_header((ETAG, self.tag.as_str())).insert_header((CACHE_CONTROL, self.cache_control));
        if self.status == StatusCode::NOT_MODIFIED || has_it(request, &self.tag) {
            return response.status(StatusCode::NOT_MODIFIED).finish();
        }
        if let Some(location) = self.location.and_then(|location| HeaderValue::try_from(location).ok()) {
            response.insert_header((LOCATION, location));
        }
        response.insert_header((CONTENT_TYPE, "application/json")).body(self.bytes)
    }
}

/// The entity tags in `If-None-Match`. They are removed from the request's headers, so that the handler makes the whole
/// response and the cache can store it. They are also kept as an extension of the request, for responses that are too
/// large for the cache.
#[derive(Clone)]
pub(crate) struct Has(pub(crate) Vec<HeaderValue>);

impl Has {
    /// Whether the caller has the response with this tag.
    pub(crate) fn names(&self, tag: &str) -> bool {
        let mut lists = self.0.iter().filter_map(|list| list.to_str().ok());
        lists.any(|list| list_names(list, tag, Comparison::Weak))
    }
}

/// Whether the caller already has the response with this tag.
pub(crate) fn has(request: &HttpRequest, tag: &str) -> bool {
    request.extensions().get::<Has>().is_some_and(|has| has.names(tag)) || has_it(request, tag)
}

/// Whether `If-None-Match` of a read names this tag.
pub(crate) fn has_it(request: &HttpRequest, tag: &str) -> bool {
    request.method() == Method::GET && names(request, IF_NONE_MATCH, tag, Comparison::Weak) == Some(true)
}

/// The strong entity tag of a body.
pub(crate) fn tag(bytes: &[u8]) -> String {
    format!("\"{}\"", URL_SAFE_NO_PAD.encode(&blake3::hash(bytes).as_bytes()[..16]))
}

/// How to compare entity tags (RFC 9110, section 8.8.3.2).
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Comparison {
    /// A weak tag matches nothing.
    Strong,
    /// A weak tag matches as if it were strong.
    Weak,
}

/// Whether a header with entity tags names this tag; `None` if the header is absent.
pub(crate) fn names(request: &HttpRequest, header: HeaderName, tag: &str, comparison: Comparison) -> Option<bool> {
    let mut lists = request.headers().get_all(header).filter_map(|list| list.to_str().ok()).peekable();
    lists.peek()?;
    Some(lists.any(|list| list_names(list, tag, comparison)))
}

pub(crate) fn list_names(list: &str, tag: &str, comparison: Comparison) -> bool {
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
    use actix_web::test::TestRequest;
    use rstest::rstest;

    const BODY: &str = "hello";

    fn own() -> String {
        tag(br#""hello""#)
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
        let response = ok(&BODY).unwrap().respond_to(&request);
        assert_eq!(response.status().as_u16(), status);
        assert_eq!(response.headers().get(ETAG).unwrap().to_str().unwrap(), own());
        assert_eq!(response.headers().get(CACHE_CONTROL).unwrap(), "private, no-cache");
    }

    #[test]
    fn a_change_is_answered_with_a_body_whatever_the_caller_has() {
        let request = TestRequest::patch().insert_header((IF_NONE_MATCH, own())).to_http_request();
        assert_eq!(ok(&BODY).unwrap().respond_to(&request).status(), StatusCode::OK);
    }

    #[test]
    fn what_was_made_says_where_it_is() {
        let request = TestRequest::post().to_http_request();
        let response = created("https://docs.test/v1/orgs/o".into(), &BODY).unwrap().respond_to(&request);
        assert_eq!(response.status(), StatusCode::CREATED);
        assert_eq!(response.headers().get(LOCATION).unwrap(), "https://docs.test/v1/orgs/o");
    }

    #[test]
    fn a_secret_is_for_nobody_to_keep() {
        let request = TestRequest::post().to_http_request();
        let response = created_with_secret("https://docs.test/v1/user/tokens/t".into(), &BODY).unwrap();
        let response = response.respond_to(&request);
        assert_eq!(response.status(), StatusCode::CREATED);
        assert_eq!(response.headers().get(CACHE_CONTROL).unwrap(), NO_STORE);
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
