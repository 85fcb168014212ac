//! `Idempotency-Key` on `POST`: executes a request at most once.
//!
//! The key and the response are stored in the unit of work that executes the request. So the request is never executed
//! twice, and its response is never lost, whether the connection, the client or this server fails: a retry within a day
//! gets the response. Only successful requests are stored: a refused request can be sent again. A response with a
//! secret is not stored; a retry gets 409.
use crate::Api;
use crate::answer::error::ApiError;
use crate::pipeline::rerun;
use crate::request::receive;
use crate::routes::BASE;
use crate::state::caller::Caller;
use crate::state::route_table::{Found, Places, path};
use actix_web::body::{BoxBody, MessageBody};
use actix_web::dev::{Payload, ServiceRequest, ServiceResponse};
use actix_web::error::ErrorInternalServerError;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, HeaderName, HeaderValue, LOCATION};
use actix_web::http::{Method, StatusCode};
use actix_web::middleware::Next;
use actix_web::web::Data;
use actix_web::{HttpMessage, HttpRequest, HttpResponse};
use domain::actor::Actor;
use domain::idempotency::{IdempotencyKey, KeyOutcome, StoredResponse};
use domain::text::Invalid;
use domain::usecases::{Error, IdempotentAttempt};
use http_server::{LARGEST_WITH_ROOM, NO_STORE, tag};

const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");
/// Marks a response as stored from an earlier request.
const REPLAYED: HeaderName = HeaderName::from_static("idempotent-replayed");

/// How to handle a request.
pub(crate) enum Lookup {
    /// Execute it: it has no key, or a new one.
    Do,
    /// It was executed before: send this response.
    Replay(HttpResponse<BoxBody>),
}

/// The `Idempotency-Key` of a request, if any.
fn key(request: &ServiceRequest) -> Result<Option<&str>, ApiError> {
    let mut values = request.headers().get_all(IDEMPOTENCY_KEY);
    let Some(value) = values.next().filter(|_| request.method() == Method::POST) else { return Ok(None) };
    let fault = || Invalid::new("Idempotency-Key", "must be one header of visible ASCII characters");
    match (value.to_str(), values.next()) {
        (Ok(key), None) => Ok(Some(key)),
        _ => Err(fault().into()),
    }
}

/// Checks whether a request was executed before. If not, its key is passed with the caller to the use case.
///
/// The scope of a key is a token and a path: with another token or path, it is a different key.
pub(crate) async fn look_up(api: &Api, request: &mut ServiceRequest, caller: &mut Caller) -> Result<Lookup, ApiError> {
    let Actor::User { user, token, idempotency_key, .. } = &mut caller.actor else { return Ok(Lookup::Do) };
    let Some(key) = key(request)?.map(str::to_owned) else { return Ok(Lookup::Do) };
    let payload = request.take_payload();
    let body = receive(request.request(), payload, LARGEST_WITH_ROOM).await?;
    let hash = digest(&[request.query_string().as_bytes(), &body]);
    let scope = digest(&[token.as_str().as_bytes(), path(request.request()).as_bytes(), key.as_bytes()]);
    request.set_payload(Payload::from(body));
    let wanted = IdempotencyKey::new(&key, *hash.as_bytes())?.within(&scope.to_hex());
    let known = api.services.idempotency.find(user, &wanted).await?;
    *idempotency_key = Some(wanted);
    Ok(answer(api, request.request(), caller, known).await?.map_or(Lookup::Do, Lookup::Replay))
}

/// The response to a request with a known key; `None` if the key is new or expired.
async fn answer(
    api: &Api,
    request: &HttpRequest,
    caller: &Caller,
    known: Option<KeyOutcome>,
) -> Result<Option<HttpResponse<BoxBody>>, ApiError> {
    match known {
        None | Some(KeyOutcome::Expired) => Ok(None),
        Some(KeyOutcome::Response(answer)) => {
            may_still_see(api, request, caller, &answer).await?;
            Ok(Some(replay(answer)))
        }
        Some(KeyOutcome::OtherRequest) => Err(ApiError::KeyReused),
        Some(KeyOutcome::ResponseUnknown) => Err(Error::Conflict(
            "the request with this Idempotency-Key was done, but its response has a secret and was not stored: see \
             what it created"
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

/// Checks that the caller may still see the objects that the request named and created, before a stored response is
/// sent.
async fn may_still_see(
    api: &Api,
    request: &HttpRequest,
    caller: &Caller,
    answer: &StoredResponse,
) -> Result<(), ApiError> {
    let found = request.extensions().get::<Found>().and_then(|found| found.0.clone());
    let named = found.map(|route| route.places(path(request)));
    let made = answer.location.as_deref().and_then(|location| Some(&location[location.rfind(&format!("{BASE}/"))?..]));
    let made = made.and_then(|path| Some(api.route_table.find(path)?.places(path)));
    for Places { space, collection, organization } in named.into_iter().chain(made) {
        if let Some(space) = space {
            api.services.spaces.get(&caller.actor, &space, None.into()).await?;
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

fn replay(answer: StoredResponse) -> HttpResponse<BoxBody> {
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

/// Executes a request. One with a key is completed even if the client disconnects: a retry gets the stored response.
pub(crate) async fn handle<B: MessageBody + 'static>(
    api: Data<Api>,
    caller: Caller,
    request: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<BoxBody>, actix_web::Error> {
    let mut attempting = caller.clone();
    let Some(begun) = api.services.idempotency.begin(&mut attempting.actor) else {
        return rerun::call(&next, request, async |response| response).await;
    };
    request.extensions_mut().insert(attempting);
    // On every path, this drops `begun`, which rolls back uncommitted changes.
    let work = async move { rerun::call(&next, request, async |response| complete(&begun, response).await).await };
    let response = actix_web::rt::spawn(work).await.unwrap_or_else(|gone| Err(ErrorInternalServerError(gone)))?;
    look_up_again(&api, &caller, response).await
}

/// Looks up the key of a refused request again: the reason may be that the same request was executed since the first
/// look. Its response is then sent. With PostgreSQL, that can also be a request to a server that was killed, if the
/// database executes its commit later.
async fn look_up_again(
    api: &Api,
    caller: &Caller,
    refused: ServiceResponse<BoxBody>,
) -> Result<ServiceResponse<BoxBody>, actix_web::Error> {
    let Actor::User { user, idempotency_key: Some(idempotency_key), .. } = &caller.actor else { return Ok(refused) };
    if !refused.status().is_client_error() || refused.status() == StatusCode::UNAUTHORIZED {
        return Ok(refused);
    }
    let found = match api.services.idempotency.find_again(user, idempotency_key).await {
        Ok(known) => answer(api, refused.request(), caller, known).await,
        Err(error) => Err(error.into()),
    };
    Ok(match found {
        Ok(None) => refused,
        Ok(Some(answer)) => refused.into_response(answer),
        Err(error) => ServiceResponse::from_err(error, refused.into_parts().0),
    })
}

/// Whether a response must not be stored, since it shows a secret only once. A retry then gets only the error that the
/// request was done.
fn is_for_once(response: &ServiceResponse<BoxBody>) -> bool {
    response.headers().get(CACHE_CONTROL).is_some_and(|value| value == NO_STORE)
}

/// Commits a request with a key together with its response. A request without success is rolled back.
async fn complete(begun: &IdempotentAttempt, response: ServiceResponse<BoxBody>) -> ServiceResponse<BoxBody> {
    if !response.status().is_success() {
        begun.roll_back();
        return response;
    }
    let secret = is_for_once(&response);
    let (request, response) = response.into_parts();
    let (head, body) = response.into_parts();
    let location = head.headers().get(LOCATION).and_then(|value| value.to_str().ok()).map(str::to_owned);
    // The unit of work is open, and may be the only writer: do not wait for a body that is still being made.
    let Ok(bytes) = body.try_into_bytes() else {
        begun.roll_back();
        let error = Error::Corrupt("the response to a request with an Idempotency-Key is a stream".into());
        return ServiceResponse::from_err(ApiError::from(error), request);
    };
    let answer = StoredResponse { status: head.status().as_u16(), location, body: bytes.to_vec() };
    match begun.complete((!secret).then_some(&answer)).await {
        Ok(()) => ServiceResponse::new(request, head.set_body(bytes).map_into_boxed_body()),
        Err(error) => ServiceResponse::from_err(ApiError::from(error), request),
    }
}
