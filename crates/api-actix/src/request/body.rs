//! JSON bodies.
use super::{Wire, json};
use crate::Api;
use crate::answer::error::ApiError;
use crate::state::caller::Caller;
use actix_web::dev::Payload;
use actix_web::http::header::{CONTENT_ENCODING, CONTENT_TYPE};
use actix_web::web::Data;
use actix_web::{FromRequest, HttpMessage, HttpRequest};
use bytes::Bytes;
use domain::actor::Owner;
use domain::text::Invalid;
use domain::usecases::Input;
use futures_util::future::LocalBoxFuture;
use http_server::{LARGEST_BODY, Room, ServerError, collect, refuse_announced};

/// The default maximum size of a body, in bytes.
pub(crate) const MAX_BODY: usize = 2 * 1024 * 1024;

/// The longest body whose text is read and written within a millisecond, in bytes.
pub(crate) const SHORT_BODY: usize = 4 * 1024;

/// A JSON body. An error in it is reported when it is read.
pub(crate) struct Body<T: Wire> {
    length: usize,
    content: Content<T::Command>,
}

enum Content<C> {
    /// A short body, which is parsed when it is read.
    Bytes(Bytes),
    /// A longer one, which was parsed on a thread for long work.
    Parsed(Box<Result<C, Invalid>>),
}

impl<T: Wire + 'static> Body<T> {
    /// The size of the body in bytes.
    pub(crate) fn len(&self) -> usize {
        self.length
    }

    /// The parsed body, for the use case to read.
    pub(crate) fn input(self) -> Input<T::Command> {
        match self.content {
            Content::Bytes(bytes) => Input::new(move || json::read_body::<T>(&bytes)?.command()),
            Content::Parsed(parsed) => Input::new(move || *parsed),
        }
    }

    /// As [`Self::input`], with a default for an absent body.
    pub(crate) fn input_or_default(self) -> Input<T::Command>
    where
        T: Default,
    {
        if self.length == 0 { Input::new(|| T::default().command()) } else { self.input() }
    }
}

/// Parses a body on a thread for long work.
async fn parsed<T: Wire + 'static>(api: &Api, caller: &Caller, bytes: Bytes) -> Result<Content<T::Command>, ApiError> {
    let length = bytes.len();
    let parse = async move { json::read_body::<T>(&bytes).and_then(T::command) };
    Ok(Content::Parsed(Box::new(api.work_pool.run(caller.actor.owner(), length, parse).await?)))
}

/// Receives the body of a request, of at most `limit` bytes: above [`LARGEST_BODY`] only if it has room.
pub(crate) fn receive(
    request: &HttpRequest,
    payload: Payload,
    limit: usize,
) -> impl Future<Output = Result<Bytes, ServerError>> + use<> {
    let arrival = request.extensions().get::<Room<Owner>>().map(Room::arrival);
    let limit = if arrival.is_some() { limit } else { limit.min(LARGEST_BODY) };
    let fits = refuse_announced(request, limit);
    let received = collect(request, payload, limit);
    async move {
        fits?;
        match arrival {
            Some(arrival) => arrival.wait(received).await,
            None => received.await,
        }
    }
}

/// Size and media type are checked before any right, since the rules are the same for every caller and object.
impl<T: Wire + 'static> FromRequest for Body<T> {
    type Error = ApiError;
    type Future = LocalBoxFuture<'static, Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let received = receive(request, payload.take(), T::MAX_BODY);
        let is_json = is_json(request);
        let compressed = is_compressed(request);
        let pool = request.app_data::<Data<Api>>().cloned().zip(request.extensions().get::<Caller>().cloned());
        Box::pin(async move {
            if compressed {
                return Err(ApiError::UnsupportedMediaType(
                    "compressed bodies are not supported: send uncompressed JSON",
                ));
            }
            let bytes = received.await?;
            if !bytes.is_empty() && !is_json {
                return Err(ApiError::UnsupportedMediaType(
                    "the body must be JSON, with Content-Type: application/json",
                ));
            }
            let length = bytes.len();
            let content = match pool {
                Some((api, caller)) if length > SHORT_BODY => parsed::<T>(&api, &caller, bytes).await?,
                _ => Content::Bytes(bytes),
            };
            Ok(Self { length, content })
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
