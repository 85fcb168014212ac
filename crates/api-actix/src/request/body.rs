//! JSON bodies.
use super::{Wire, json};
use crate::answer::error::ApiError;
use actix_web::dev::Payload;
use actix_web::http::header::{CONTENT_ENCODING, CONTENT_TYPE};
use actix_web::{FromRequest, HttpRequest};
use bytes::Bytes;
use domain::usecases::Input;
use futures_util::future::LocalBoxFuture;
use http_server::{collect, refuse_announced};
use std::marker::PhantomData;

/// The default maximum size of a body, in bytes.
pub(crate) const MAX_BODY: usize = 2 * 1024 * 1024;

/// A JSON body, received but not yet parsed.
#[derive(Debug)]
pub(crate) struct Body<T> {
    bytes: Bytes,
    form: PhantomData<fn() -> T>,
}

impl<T: Wire + 'static> Body<T> {
    /// The size of the body in bytes.
    pub(crate) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// The parsed body, for the use case to read.
    pub(crate) fn input(self) -> Input<T::Command> {
        Input::new(move || json::read_body::<T>(&self.bytes)?.command())
    }

    /// As [`Self::input`], with a default for an absent body.
    pub(crate) fn input_or_default(self) -> Input<T::Command>
    where
        T: Default,
    {
        if self.bytes.is_empty() { Input::new(|| T::default().command()) } else { self.input() }
    }
}

/// Size and media type are checked before any right, since the rules are the same for every caller and object.
impl<T: Wire> FromRequest for Body<T> {
    type Error = ApiError;
    type Future = LocalBoxFuture<'static, Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let announced = refuse_announced(request, T::MAX_BODY);
        let received = collect(request, payload.take(), T::MAX_BODY);
        let is_json = is_json(request);
        let compressed = is_compressed(request);
        Box::pin(async move {
            if compressed {
                return Err(ApiError::UnsupportedMediaType(
                    "compressed bodies are not supported: send uncompressed JSON",
                ));
            }
            announced?;
            let bytes = received.await?;
            if !bytes.is_empty() && !is_json {
                return Err(ApiError::UnsupportedMediaType(
                    "the body must be JSON, with Content-Type: application/json",
                ));
            }
            Ok(Self { bytes, form: PhantomData })
        })
    }
}

fn is_compressed(request: &HttpRequest) -> bool {
    let encodings = request.headers().get_all(CONTENT_ENCODING);
    encodings.into_iter().any(|encoding| !encoding.as_bytes().eq_ignore_ascii_case(b"identity"))
}

/// `application/json`, or a type with the suffix `+json`.
fn is_json(request: &HttpRequest) -> bool {
    let Some(raw) = request.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok()) else { return false };
    let media = raw.split(';').next().unwrap_or("").trim().to_ascii_lowercase();
    media == "application/json" || (media.starts_with("application/") && media.ends_with("+json"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::ResponseError;
    use actix_web::http::header::CONTENT_LENGTH;
    use actix_web::test::TestRequest;
    use domain::text::Invalid;
    use rstest::rstest;

    #[derive(Debug, Default, serde::Deserialize)]
    struct Sent {
        title: Option<String>,
    }
    impl Wire for Sent {
        type Command = Option<String>;
        fn command(self) -> Result<Option<String>, Invalid> {
            Ok(self.title)
        }
    }

    async fn extract(request: TestRequest) -> Result<Body<Sent>, u16> {
        let (request, mut payload) = request.to_http_parts();
        Body::from_request(&request, &mut payload).await.map_err(|error| error.status_code().as_u16())
    }
    fn json(body: impl Into<Bytes>) -> TestRequest {
        TestRequest::post().insert_header((CONTENT_TYPE, "application/json")).set_payload(body)
    }

    #[rstest]
    #[case::json(json("{}"), None)]
    #[case::with_charset(json("{}").insert_header((CONTENT_TYPE, "Application/JSON; charset=utf-8")), None)]
    #[case::built_on_json(json("{}").insert_header((CONTENT_TYPE, "application/merge-patch+json")), None)]
    #[case::empty(json(""), None)]
    #[case::no_body_and_no_type(TestRequest::post(), None)]
    #[case::untyped(TestRequest::post().set_payload("{}"), Some(415))]
    #[case::form(json("a=b").insert_header((CONTENT_TYPE, "application/x-www-form-urlencoded")), Some(415))]
    #[case::compressed(json("{}").insert_header((CONTENT_ENCODING, "gzip")), Some(415))]
    #[case::too_large(json(vec![b' '; MAX_BODY + 1]), Some(413))]
    #[case::announced_too_large(json("{}").insert_header((CONTENT_LENGTH, "9999999")), Some(413))]
    #[case::largest(json(vec![b' '; MAX_BODY]), None)]
    #[actix_web::test]
    async fn only_json_of_a_bearable_size_is_taken(#[case] request: TestRequest, #[case] refused: Option<u16>) {
        assert_eq!(extract(request).await.err(), refused);
    }

    #[actix_web::test]
    async fn junk_is_taken_and_refused_when_it_is_read() {
        let input = extract(json("{junk")).await.unwrap().input();
        assert!(input.read().is_err());
    }

    #[actix_web::test]
    async fn a_body_that_may_be_left_out_has_a_default() {
        assert_eq!(extract(json("")).await.unwrap().input_or_default().read(), Ok(None));
        assert_eq!(extract(json(r#"{"title":"a"}"#)).await.unwrap().input_or_default().read(), Ok(Some("a".into())));
        assert!(extract(json("")).await.unwrap().input().read().is_err());
    }
}
