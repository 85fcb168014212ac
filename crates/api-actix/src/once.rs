//! Requests that must not be done twice: `Idempotency-Key` on any POST.
//!
//! The key is remembered in the same unit of work that does the request, so a request is never done twice, whatever
//! breaks: the connection, the sender, or this server. Its answer is remembered right after, also when the sender has gone
//! meanwhile; who comes again within a day gets it. Where this server went down between the two, the answer is not known,
//! and the sender is told so. Only what was done is remembered: a request that was refused can be sent again.
use crate::Api;
use crate::again;
use crate::answer::{NO_STORE, tag};
use crate::caller::Caller;
use crate::connection::Exchange;
use crate::error::{ApiError, chain};
use crate::input::{LARGEST_BODY, collect, refuse_announced};
use crate::routes::BASE;
use crate::surface::{Places, path};
use crate::telemetry::Found;
use actix_web::body::{BoxBody, MessageBody, to_bytes};
use actix_web::dev::{Payload, ServiceRequest, ServiceResponse};
use actix_web::error::ErrorInternalServerError;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, HeaderName, HeaderValue, LOCATION};
use actix_web::http::{Method, StatusCode};
use actix_web::middleware::Next;
use actix_web::web::Data;
use actix_web::{HttpMessage, HttpRequest, HttpResponse};
use domain::actor::Actor;
use domain::idempotency::{GivenAnswer, OnceKey, Repeat};
use domain::text::Invalid;
use domain::usecases::Error;
use std::rc::Rc;

const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");
/// Tells that an answer is one that was given before.
const REPLAYED: HeaderName = HeaderName::from_static("idempotent-replayed");
/// How often it is tried to remember an answer where the database is busy.
const TRIES: usize = 3;

/// What to do with a request.
pub(crate) enum Turn {
    /// Do it; it has no key, or a new one.
    Do,
    /// It was done: this is the answer.
    Replay(HttpResponse<BoxBody>),
}

/// The key of a request, where it has one.
fn key(request: &ServiceRequest) -> Result<Option<&str>, ApiError> {
    let mut values = request.headers().get_all(IDEMPOTENCY_KEY);
    let Some(value) = values.next().filter(|_| request.method() == Method::POST) else { return Ok(None) };
    let fault = || Invalid::new("Idempotency-Key", "must be one header of visible ASCII characters");
    match (value.to_str(), values.next()) {
        (Ok(key), None) => Ok(Some(key)),
        _ => Err(fault().into()),
    }
}

/// Looks whether a request was done before. If not, its key goes with the caller into the use case.
///
/// A key belongs to the token and the path that it came with: under another one it is another key.
pub(crate) async fn look(api: &Api, request: &mut ServiceRequest, caller: &mut Caller) -> Result<Turn, ApiError> {
    let Actor::User { user, token, once, .. } = &mut caller.actor else { return Ok(Turn::Do) };
    let Some(key) = key(request)?.map(str::to_owned) else { return Ok(Turn::Do) };
    refuse_announced(request.request(), LARGEST_BODY)?;
    let exchange = request.request().conn_data::<Rc<Exchange>>().cloned();
    let body = collect(request.take_payload(), LARGEST_BODY, exchange).await?;
    let hash = digest(&[request.query_string().as_bytes(), &body]);
    let scope = digest(&[token.as_str().as_bytes(), path(request.request()).as_bytes(), key.as_bytes()]);
    request.set_payload(Payload::from(body));
    let wanted = OnceKey::new(&key, *hash.as_bytes())?.within(&scope.to_hex());
    let known = api.services.store.read().await?.idempotency().find(user, &wanted.key).await?;
    let repeat = known.map(|known| known.repeat(&wanted.request, api.services.clock.now()));
    match repeat {
        None | Some(Repeat::Forgotten) => {
            *once = Some(wanted);
            Ok(Turn::Do)
        }
        Some(Repeat::Answer(answer)) => {
            may_still_see(api, request.request(), caller, &answer).await?;
            Ok(Turn::Replay(replay(answer)))
        }
        Some(Repeat::OtherRequest) => Err(ApiError::KeyReused),
        Some(Repeat::AnswerUnknown) => Err(Error::Conflict(
            "the request with this Idempotency-Key was done, and its answer is not known (yet): read what it made"
                .into(),
        )
        .into()),
    }
}

fn digest(parts: &[&[u8]]) -> blake3::Hash {
    let mut hash = blake3::Hasher::new();
    for part in parts {
        hash.update(&(part.len() as u64).to_le_bytes()).update(part);
    }
    hash.finalize()
}

/// An old answer is for those only who may still see what it is about: what the request named, and what it made.
async fn may_still_see(
    api: &Api,
    request: &HttpRequest,
    caller: &Caller,
    answer: &GivenAnswer,
) -> Result<(), ApiError> {
    let found = request.extensions().get::<Found>().and_then(|found| found.route.clone());
    let named = found.map(|route| route.places(path(request)));
    let made = answer.location.as_deref().and_then(|location| Some(&location[location.rfind(&format!("{BASE}/"))?..]));
    let made = made.and_then(|path| Some(api.surface.find(path)?.places(path)));
    for Places { space, collection, organization } in named.into_iter().chain(made) {
        if let Some(space) = space {
            api.services.spaces.get(&caller.actor, &space).await?;
        }
        if let Some(collection) = collection {
            api.services.collections.get(&caller.actor, &collection).await?;
        }
        if let Some(organization) = organization {
            api.services.organizations.get(&caller.actor, &organization).await?;
        }
    }
    Ok(())
}

fn replay(answer: GivenAnswer) -> HttpResponse<BoxBody> {
    let status = StatusCode::from_u16(answer.status).unwrap_or(StatusCode::OK);
    let mut response = HttpResponse::build(status);
    response.insert_header((REPLAYED, "true"));
    if let Some(location) = answer.location.and_then(|location| HeaderValue::try_from(location).ok()) {
        response.insert_header((LOCATION, location));
    }
    if answer.body.is_empty() {
        return response.finish();
    }
    response.insert_header((ETAG, tag(&answer.body))).insert_header((CACHE_CONTROL, "private, no-cache"));
    response.insert_header((CONTENT_TYPE, "application/json")).body(answer.body)
}

/// Does a request. One with a key goes on to its end when its sender goes away: the answer waits for who comes again.
pub(crate) async fn done<B: MessageBody + 'static>(
    api: Data<Api>,
    caller: Caller,
    request: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<BoxBody>, actix_web::Error> {
    let keyed = matches!(&caller.actor, Actor::User { once: Some(_), .. });
    let work = async move {
        let response = again::call(&next, request).await?;
        Ok(remember(&api, &caller, response).await)
    };
    if !keyed {
        return work.await;
    }
    actix_web::rt::spawn(work).await.unwrap_or_else(|gone| Err(ErrorInternalServerError(gone)))
}

/// Whether an answer says of itself that it is for nobody to keep: a secret that is shown once. Who asks again is told that
/// the request was done, and not what it was answered.
fn is_for_once(response: &ServiceResponse<BoxBody>) -> bool {
    response.headers().get(CACHE_CONTROL).is_some_and(|value| value == NO_STORE)
}

/// Remembers the answer to a request that was done under a key.
async fn remember(api: &Api, caller: &Caller, response: ServiceResponse<BoxBody>) -> ServiceResponse<BoxBody> {
    let Actor::User { user, once: Some(once), .. } = &caller.actor else { return response };
    if !response.status().is_success() || is_for_once(&response) {
        return response;
    }
    let (request, response) = response.into_parts();
    let (head, body) = response.into_parts();
    let location = head.headers().get(LOCATION).and_then(|value| value.to_str().ok()).map(str::to_owned);
    let Ok(bytes) = to_bytes(body).await else {
        return ServiceResponse::new(request, head.set_body(BoxBody::new(())));
    };
    let answer = GivenAnswer { status: head.status().as_u16(), location, body: bytes.to_vec() };
    for _try in 0..TRIES {
        let kept = async {
            let mut tx = api.services.store.write().await?;
            tx.idempotency().answer(user, &once.key, &answer).await?;
            tx.commit().await
        };
        // The request is done and its answer is at hand: that it could not be remembered is no reason to withhold it.
        match kept.await {
            Ok(()) => break,
            Err(error) => {
                tracing::warn!(
                    error = chain(&error),
                    "the answer to a request with an Idempotency-Key is not remembered"
                );
            }
        }
    }
    ServiceResponse::new(request, head.set_body(bytes).map_into_boxed_body())
}
