//! Responses of the API: JSON with a strong `ETag`, the hash of its bytes.
//!
//! Private responses may be cached only by the caller, and must be revalidated before each use, so a withdrawn right
//! takes effect at once.
pub(crate) mod error;
pub(crate) mod links;
pub(crate) mod resource;
pub(crate) mod signature;

use crate::answer::error::ApiError;
use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use bytes::Bytes;
use domain::site::share_link::ShareKey;
use domain::usecases::Error;
pub(crate) use http_server::Answer;
use http_server::{LastField, NO_STORE};
use serde::Serialize;
use std::cell::Cell;
use std::fmt::Display;

pub(crate) type Answered = Result<Answer, ApiError>;

/// The largest buffer that a thread keeps for its next response, in bytes. Most long lists fit.
const MOST_KEPT: usize = 1 << 20;

thread_local! {
    /// The buffer in which a thread writes responses.
    static BUFFER: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// A body as JSON. It is written to the buffer of the thread and then copied, once and to its exact size: a buffer that
/// grows is copied each time, and has spare room in the end.
fn json(body: &impl Serialize) -> Result<Bytes, serde_json::Error> {
    let mut buffer = BUFFER.take();
    buffer.clear();
    serde_json::to_writer(&mut buffer, body)?;
    let bytes = Bytes::copy_from_slice(&buffer);
    if buffer.capacity() <= MOST_KEPT {
        BUFFER.set(buffer);
    }
    Ok(bytes)
}

/// 200: the object was read or changed.
pub(crate) fn ok(body: &impl Serialize) -> Answered {
    let bytes = json(body).map_err(|error| ApiError::UseCase(Error::Corrupt(error.to_string())))?;
    Ok(Answer::new("application/json", bytes))
}

/// 200: the object was read. Its last field is written by itself, without serde.
pub(crate) fn ok_with<E: Display>(
    body: &impl Serialize,
    field: &str,
    write: impl FnOnce(&mut Vec<u8>) -> Result<(), E>,
) -> Answered {
    let corrupt = |error: String| ApiError::UseCase(Error::Corrupt(error));
    let mut bytes = serde_json::to_vec(body).map_err(|error| corrupt(error.to_string()))?;
    bytes.pop();
    bytes.extend_from_slice(format!(",\"{field}\":").as_bytes());
    write(&mut bytes).map_err(|error| corrupt(error.to_string()))?;
    bytes.push(b'}');
    Ok(Answer::new("application/json", bytes))
}

/// A field to add to a response, after its others.
pub(crate) fn last_field(name: &str, value: &impl Serialize) -> Result<LastField, ApiError> {
    let json = serde_json::to_vec(value).map_err(|error| ApiError::UseCase(Error::Corrupt(error.to_string())))?;
    Ok(LastField::new(name, &json))
}

/// 201: the object was created at `location`.
pub(crate) fn created(location: String, body: &impl Serialize) -> Answered {
    Ok(ok(body)?.created(location))
}

/// 201 for an object with a secret that is shown only in this response.
pub(crate) fn created_with_secret(location: String, body: &impl Serialize) -> Answered {
    Ok(created(location, body)?.cached_as(NO_STORE))
}

/// 200 for a response that contains a credential, and so must not be stored.
pub(crate) fn ok_with_secret(body: &impl Serialize) -> Answered {
    Ok(ok(body)?.cached_as(NO_STORE))
}

/// 200 for a read. A response to a request with the key of a share link has addresses with the key.
pub(crate) fn ok_with_key(key: Option<&ShareKey>, body: &impl Serialize) -> Answered {
    if key.is_some() { ok_with_secret(body) } else { ok(body) }
}

/// 200 for a change, or 204 without a body if the request has `Prefer: return=minimal`.
pub(crate) fn ok_or_minimal(minimal: bool, body: &impl Serialize) -> Answered {
    if minimal { Ok(Answer::minimal()) } else { ok(body) }
}

/// 201 for a new object, or 204 without a body if the request has `Prefer: return=minimal`.
pub(crate) fn created_or_minimal(minimal: bool, location: String, body: &impl Serialize) -> Answered {
    if minimal { Ok(Answer::minimal()) } else { created(location, body) }
}

/// 204: done, and there is nothing to return.
pub(crate) fn done() -> HttpResponse {
    HttpResponse::NoContent().finish()
}

/// 205 if the object was deleted, 204 if it did not exist.
pub(crate) fn deleted(was_there: bool) -> HttpResponse {
    HttpResponse::new(if was_there { StatusCode::RESET_CONTENT } else { StatusCode::NO_CONTENT })
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::Responder;
    use actix_web::body::MessageBody;
    use actix_web::http::header::{CACHE_CONTROL, LOCATION};
    use actix_web::test::TestRequest;

    const BODY: &str = "hello";

    #[test]
    fn a_field_that_is_written_by_itself_is_the_last_one() {
        let write = |out: &mut Vec<u8>| {
            out.extend_from_slice(b"[1]");
            Ok::<_, Error>(())
        };
        let request = TestRequest::get().to_http_request();
        let response = ok_with(&serde_json::json!({"a": 1}), "b", write).unwrap().respond_to(&request);
        assert_eq!(response.into_body().try_into_bytes().unwrap(), r#"{"a":1,"b":[1]}"#);
        let damaged = ok_with(&serde_json::json!({"a": 1}), "b", |_| Err("damaged"));
        assert!(matches!(damaged, Err(ApiError::UseCase(Error::Corrupt(reason))) if reason == "damaged"));
    }

    #[test]
    fn a_created_object_has_a_location() {
        let request = TestRequest::post().to_http_request();
        let response = created("https://docs.test/v1/orgs/o".into(), &BODY).unwrap().respond_to(&request);
        assert_eq!(response.status(), StatusCode::CREATED);
        assert_eq!(response.headers().get(LOCATION).unwrap(), "https://docs.test/v1/orgs/o");
    }

    #[test]
    fn a_response_with_a_secret_is_not_cacheable() {
        let request = TestRequest::post().to_http_request();
        let response = created_with_secret("https://docs.test/v1/user/tokens/t".into(), &BODY).unwrap();
        let response = response.respond_to(&request);
        assert_eq!(response.status(), StatusCode::CREATED);
        assert_eq!(response.headers().get(CACHE_CONTROL).unwrap(), NO_STORE);
    }
}
