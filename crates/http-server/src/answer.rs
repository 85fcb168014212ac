//! Finished responses with an entity tag.
use crate::cache_size::fitted;
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

/// A field to add after the others of a response that is a JSON object.
pub struct LastField(Vec<u8>);

impl LastField {
    /// The field `name` with a value in JSON. The name needs no escapes.
    pub fn new(name: &str, value: &[u8]) -> Self {
        Self([b",\"".as_slice(), name.as_bytes(), b"\":", value].concat())
    }

    /// The entity tag of the response with this field, made of the tag of the response without it: so it is known
    /// without the bytes of the response. Two responses with the same tag have the same bytes before the field, and the
    /// same field.
    pub fn tag(&self, without: &str) -> String {
        // All tags have the same length, so it is certain where the tag ends and the field begins.
        tag(&[without.as_bytes(), &self.0].concat())
    }
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
        // The caches can store it.
        let bytes = fitted(bytes.into());
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

    /// The same JSON object, which has at least one field, with another field at its end.
    #[must_use]
    pub fn with_field(self, field: &LastField) -> Self {
        let tag = field.tag(&self.tag);
        let fields = self.bytes.strip_suffix(b"}").unwrap_or(&self.bytes);
        let bytes = [fields, &field.0, b"}"].concat();
        Self { tag, bytes: bytes.into(), ..self }
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

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    fn object(bytes: &'static str) -> Answer {
        Answer::new("application/json", bytes)
    }

    #[test]
    fn a_field_is_added_after_the_others() {
        let (lasting, field) = (object(r#"{"a":{"b":1}}"#), LastField::new("c", br#"{"d":[]}"#));
        let whole = lasting.clone().with_field(&field);
        assert_eq!(whole.bytes, r#"{"a":{"b":1},"c":{"d":[]}}"#);
        assert_eq!(
            (whole.status, whole.media_type, &*whole.cache_control),
            (StatusCode::OK, "application/json", NO_CACHE)
        );
        assert_eq!(whole.tag(), field.tag(lasting.tag()), "the tag is known before the bytes are");
    }

    #[rstest]
    #[case::other_fields(r#"{"a":2}"#, "b", "1")]
    #[case::another_name(r#"{"a":1}"#, "c", "1")]
    #[case::another_value(r#"{"a":1}"#, "b", "11")]
    fn the_tag_changes_with_each_part(#[case] fields: &'static str, #[case] name: &str, #[case] value: &str) {
        let one = object(r#"{"a":1}"#).with_field(&LastField::new("b", b"1"));
        let other = object(fields).with_field(&LastField::new(name, value.as_bytes()));
        assert_ne!(one.tag(), other.tag());
        assert_ne!(one.tag(), object(r#"{"a":1}"#).tag(), "without the field");
        assert_eq!(one.tag().len(), other.tag().len());
    }
}
