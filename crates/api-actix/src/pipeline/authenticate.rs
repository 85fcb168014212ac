//! Authentication: identifies the caller before any other part of the request is examined.
use crate::Api;
use crate::answer::error::ApiError;
use crate::pipeline::idempotency::{self, Lookup};
use crate::pipeline::{denied_log, large_body};
use crate::state::caller::{Bearer, Caller, NO_TOKEN};
use crate::state::route_table::{Fit, Found};
use actix_web::HttpMessage;
use actix_web::body::{BoxBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::Method;
use actix_web::http::header::{AUTHORIZATION, HeaderMap, HeaderValue, VARY};
use actix_web::middleware::Next;
use actix_web::web::Data;
use domain::scope::Wanted;
use domain::site::site_token::is_site_token;
use domain::token::TokenHash;
use domain::usecases::Error;
use domain::usecases::accounts::Session;
use http_server::{AsOf, Budget, CacheKey, ServerError, client_address};

/// The bearer token of a request.
fn presented(headers: &HeaderMap) -> Result<&str, Error> {
    let mut values = headers.get_all(AUTHORIZATION);
    let value = values.next().ok_or(Error::Unauthenticated(NO_TOKEN))?;
    if values.next().is_some() {
        return Err(Error::Unauthenticated("send one Authorization header"));
    }
    let value = value.to_str().ok().ok_or(Error::Unauthenticated("the token must be ASCII text"))?;
    let (scheme, token) = value.split_once(' ').ok_or(Error::Unauthenticated(NO_TOKEN))?;
    let token = token.trim();
    if !scheme.eq_ignore_ascii_case("Bearer") || token.is_empty() {
        return Err(Error::Unauthenticated(NO_TOKEN));
    }
    Ok(token)
}

/// A token and the state of the database before its request was handled: the key of a cached caller.
type CallerKey = (TokenHash, AsOf);

/// The key of the caller of a request that the response cache cannot answer. Most of these requests write, so the
/// caller is seldom cached: a query for the stamp would cost more than it saves.
fn caller_key(api: &Api, request: &ServiceRequest) -> Option<CallerKey> {
    let at = api.services.clock.now();
    let stamp = api.services.store.stamp_without_query()?;
    Some((TokenHash::of(presented(request.headers()).ok()?), AsOf { stamp, at }))
}

async fn identify(api: &Api, request: &ServiceRequest, key: Option<CallerKey>) -> Result<Caller, ApiError> {
    if let Some(caller) = key.and_then(|(token, since)| api.response_cache.caller(&token, since)) {
        return Ok(caller);
    }
    let found = match presented(request.headers()) {
        Ok(token) if is_site_token(token) => api.services.urls.authenticate(token).await,
        Ok(token) => api.services.accounts.authenticate(token).await,
        Err(error) => Err(error),
    };
    match found {
        Ok(Session { actor, expires_at }) => {
            let caller = Caller { actor, expires_at, as_of: None };
            if let Some((token, since)) = key {
                api.response_cache.know(token, since, &caller);
            }
            Ok(caller)
        }
        Err(error @ Error::Unauthenticated(_)) => {
            let address = client_address(request.request(), &api.settings.trusted_proxies);
            api.budgets.failed(address)?;
            Err(error.into())
        }
        Err(error) => Err(error.into()),
    }
}

/// The scope that a request needs, if it is for an operation. A path that is served but not documented needs a token
/// with all scopes.
fn wanted(request: &ServiceRequest) -> Option<Wanted> {
    let found = request.extensions();
    match found.get::<Found>()?.0.as_ref()?.fit(request.method()) {
        Fit::Operation(wanted) => Some(wanted),
        Fit::Undocumented => Some(Wanted::AllScopes),
        Fit::OtherMethods(_) => None,
    }
}

/// Applies the rate limit of the caller's token, and checks that it has the scope of the operation, before anything is
/// known about the object of the request. Use cases check the scopes that some input needs besides.
fn admit(api: &Api, caller: &Caller, wanted: Wanted) -> (Result<(), ApiError>, Option<Budget>) {
    let Some(bearer) = Bearer::of(&caller.actor) else { return (Ok(()), None) };
    let scopes = caller.actor.scopes();
    match api.budgets.spend(&bearer) {
        Err(exceeded) => (Err(ServerError::from(exceeded).into()), Some(exceeded.budget)),
        Ok(budget) => (scopes.check(wanted).map_err(|rule| Error::Forbidden(rule.0).into()), budget),
    }
}

/// Authenticates the caller, applies the rate limit, and checks the token's scopes. A request that matches no operation
/// passes: the router refuses it with 404 or 405, for any caller.
pub(crate) async fn authenticate<B: MessageBody + 'static>(
    api: Data<Api>,
    request: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<BoxBody>, actix_web::Error> {
    let Some(wanted) = wanted(&request) else { return Ok(next.call(request).await?.map_into_boxed_body()) };
    let mut request = request;
    let asked = CacheableRequest::of(&api, &request).await;
    let known = asked.as_ref().and_then(|asked| api.response_cache.find(&asked.key, asked.since));
    let caller = match &known {
        Some(given) => given.caller().clone(),
        None => {
            let key = asked.as_ref().map(CacheableRequest::caller_key).or_else(|| caller_key(&api, &request));
            match identify(&api, &request, key).await {
                Ok(caller) => caller,
                Err(error) => {
                    let mut response = request.error_response(error);
                    add_rate_limit_headers(&api, response.headers_mut(), None);
                    return Ok(response);
                }
            }
        }
    };
    let (admitted, budget) = admit(&api, &caller, wanted);
    let mut caller = Caller { as_of: asked.as_ref().map(|asked| asked.since), ..caller };
    let lookup = match (&admitted, &known) {
        (Ok(()), None) => {
            if *request.method() != Method::GET {
                caller.note_client(request.request(), &api.settings.trusted_proxies);
            }
            match large_body::admit(&api, request.request(), &caller).await {
                Ok(()) => idempotency::look_up(&api, &mut request, &mut caller).await,
                Err(error) => Err(error),
            }
        }
        _ => Ok(Lookup::Do),
    };
    request.extensions_mut().insert(caller.clone());
    let mut response = match (admitted, known) {
        (Err(error), _) => {
            let response = request.error_response(error);
            denied_log::record(&api, wanted, &caller, &response).await;
            response
        }
        (Ok(()), Some(given)) => {
            let response = given.respond(request.request());
            request.into_response(response)
        }
        (Ok(()), None) => {
            let response = match lookup {
                Ok(Lookup::Do) => idempotency::handle(api.clone(), caller.clone(), request, next).await?,
                Ok(Lookup::Replay(answer)) => request.into_response(answer),
                Err(error) => request.error_response(error),
            };
            denied_log::record(&api, wanted, &caller, &response).await;
            match asked {
                Some(CacheableRequest { key, since }) => api.response_cache.store(key, since, caller, response),
                None => response,
            }
        }
    };
    add_rate_limit_headers(&api, response.headers_mut(), budget);
    Ok(response)
}

/// A request that the response cache may answer.
struct CacheableRequest {
    key: CacheKey<TokenHash>,
    /// The state of the database before the request was handled.
    since: AsOf,
}

impl CacheableRequest {
    async fn of(api: &Api, request: &ServiceRequest) -> Option<Self> {
        let key = CacheKey::of(request.head(), TokenHash::of(presented(request.headers()).ok()?))?;
        // Take the time first: a response made later is never older than that.
        let at = api.services.clock.now();
        let since = AsOf { stamp: api.services.store.stamp().await?, at };
        Some(Self { key, since })
    }

    fn caller_key(&self) -> CallerKey {
        (*self.key.credential(), self.since)
    }
}

fn add_rate_limit_headers(api: &Api, headers: &mut HeaderMap, budget: Option<Budget>) {
    headers.append(VARY, HeaderValue::from_static("Authorization"));
    if let Some(budget) = budget {
        budget.add_headers("token", headers, api.services.clock.now());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case(&["Bearer abc"], Some("abc"))]
    #[case(&["bearer  abc "], Some("abc"))]
    #[case(&["Basic abc"], None)]
    #[case(&["Bearer"], None)]
    #[case(&["Bearer "], None)]
    #[case(&["abc"], None)]
    #[case(&[], None)]
    #[case(&["Bearer a", "Bearer b"], None)]
    fn a_token_is_presented_as_bearer(#[case] values: &[&'static str], #[case] token: Option<&str>) {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(AUTHORIZATION, HeaderValue::from_static(value));
        }
        assert_eq!(presented(&headers).ok(), token);
    }
}
