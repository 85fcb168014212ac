//! Finished responses with an entity tag.
use actix_web::body::BoxBody;
use actix_web::http::StatusCode;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, HeaderName, HeaderValue, LOCATION};
use actix_web::{HttpRequest, HttpResponse, Responder};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bytes::Bytes;
use std::borrow::Cow;

/// The client may cache the response, and must revalidate it before use.
pub(crate) const NO_CACHE: &str = "private, no-cache";
/// No cache may store the response, including those of this server.
pub const NO_STORE: &str = "no-store";

const PREFER: HeaderName = HeaderName::from_static("prefer");
const PREFERENCE_APPLIED: HeaderName = HeaderName::from_static("preference-applied");
const MINIMAL: &str = "return=minimal";

/// The strong entity tag of a body.
pub fn tag(bytes: &[u8]) -> String {
    format!("\"{}\"", URL_SAFE_NO_PAD.encode(&blake3::hash(bytes).as_bytes()[..16]))
}

/// A finished response: its bytes, with their hash as a strong `ETag`. By default only the client may cache it, and
/// must revalidate it before each use, so a withdrawn right takes effect at once.
#[derive(Clone, Debug)]
pub struct Answer {
    status: StatusCode,
    location: Option<String>,
    tag: String,
    media_type: &'static str,
    bytes: Bytes,
    cache_control: Cow<'static, str>,
}

impl Answer {
    fn of(status: StatusCode, tag: String, media_type: &'static str, bytes: Bytes) -> Self {
        Self { status, location: None, tag, media_type, bytes, cache_control: NO_CACHE.into() }
    }

    /// 200 with a body of this media type.
    pub fn new(media_type: &'static str, bytes: impl Into<Bytes>) -> Self {
        let bytes = bytes.into();
        Self::of(StatusCode::OK, tag(&bytes), media_type, bytes)
    }

    /// 304 with the entity tag of a response that the client already has.
    pub fn unchanged(tag: String) -> Self {
        Self::of(StatusCode::NOT_MODIFIED, tag, "", Bytes::new())
    }

    /// 204 for a change whose request has `Prefer: return=minimal` (RFC 7240).
    pub fn minimal() -> Self {
        Self::of(StatusCode::NO_CONTENT, String::new(), "", Bytes::new())
    }

    /// The same body as 201: the object was created at `location`.
    #[must_use]
    pub fn created(self, location: String) -> Self {
        Self { status: StatusCode::CREATED, location: Some(location), ..self }
    }

    /// The same response with another `Cache-Control`.
    #[must_use]
    pub fn cached_as(self, cache_control: impl Into<Cow<'static, str>>) -> Self {
        Self { cache_control: cache_control.into(), ..self }
    }

    /// The entity tag.
    pub fn tag(&self) -> &str {
        &self.tag
    }

    /// The length of the body in bytes.
    #[expect(clippy::len_without_is_empty, reason = "a response without bytes is not a case of its own")]
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Whether the request prefers a response without the changed object.
    pub fn is_minimal_preferred(request: &HttpRequest) -> bool {
        let preferences = request.headers().get_all(PREFER).filter_map(|value| value.to_str().ok());
        preferences.flat_map(|value| value.split(',')).any(|one| one.trim() == MINIMAL)
    }
}

impl Responder for Answer {
    type Body = BoxBody;

    fn respond_to(self, _request: &HttpRequest) -> HttpResponse<BoxBody> {
        if self.status == StatusCode::NO_CONTENT {
            return HttpResponse::NoContent().insert_header((PREFERENCE_APPLIED, MINIMAL)).finish();
        }
        let mut response = HttpResponse::build(self.status);
        response.insert_header((ETAG, self.tag.as_str())).insert_header((CACHE_CONTROL, &*self.cache_control));
        if self.status == StatusCode::NOT_MODIFIED {
            return response.finish();
        }
        if let Some(location) = self.location.and_then(|location| HeaderValue::try_from(location).ok()) {
            response.insert_header((LOCATION, location));
        }
        response.insert_header((CONTENT_TYPE, self.media_type)).body(self.bytes)
    }
}
