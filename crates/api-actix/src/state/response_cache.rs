//! The response cache: serialized responses to reads, reused while nothing has changed.
//!
//! A response is stored with the database's stamp, taken before the response was made. While the stamp is the same,
//! nothing was committed: the token, the rights and the content are unchanged, so the same request gets the same bytes
//! without a query. The first commit by this server or another process invalidates all entries at once. Little changes
//! by time alone (the URLs of files, which are valid for at least a day; the list of deleted spaces that can be
//! restored). So an entry is used for at most [`MAX_AGE`], and not after the token it was made for has expired.
//!
//! An entry belongs to a token, whose scopes never change; the scopes are checked on each use all the same. The caller
//! of a token is cached in the same way, for its requests that are not in the cache.
use crate::state::cache_size;
use crate::state::caller::Caller;
use actix_web::body::{BoxBody, MessageBody};
use actix_web::dev::ServiceResponse;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, HeaderValue};
use actix_web::http::{Method, StatusCode};
use actix_web::{HttpRequest, HttpResponse};
use bytes::Bytes;
use chrono::{DateTime, TimeDelta, Utc};
use domain::token::TokenHash;
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use std::sync::Arc;

/// The maximum age of an entry.
const MAX_AGE: TimeDelta = TimeDelta::seconds(10);
/// The maximum number of cached callers.
const CALLERS: usize = 4096;

/// The key of the cache: a token and a URL.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct CacheKey {
    token: TokenHash,
    address: String,
}

impl CacheKey {
    /// The key of a request, if its response depends only on the token and the URL.
    pub(crate) fn of(request: &HttpRequest, token: &str) -> Option<Self> {
        let plain = request.method() == Method::GET;
        let address = request.uri().path_and_query().filter(|_| plain)?;
        Some(Self { token: TokenHash::of(token), address: address.as_str().to_owned() })
    }
}

/// The state of the database that an entry was made from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AsOf {
    /// The database's stamp before the entry was made.
    pub(crate) stamp: u64,
    /// The time before the entry was made.
    pub(crate) at: DateTime<Utc>,
}

impl AsOf {
    /// Whether an entry for a caller is still valid.
    fn holds(self, caller: &Caller, now: Self) -> bool {
        // An entry is also invalid if the clock was set back.
        let age = now.at - self.at;
        let young = (TimeDelta::zero()..MAX_AGE).contains(&age);
        self.stamp == now.stamp && young && caller.expires_at.is_none_or(|end| now.at < end)
    }
}

/// A cached response.
pub(crate) struct Cached {
    as_of: AsOf,
    /// The caller it was made for.
    pub(crate) caller: Caller,
    tag: HeaderValue,
    bytes: Bytes,
}

#[derive(Clone)]
struct Size;

impl Weighter<CacheKey, Arc<Cached>> for Size {
    fn weight(&self, key: &CacheKey, given: &Arc<Cached>) -> u64 {
        (key.address.len() + given.bytes.len() + 256) as u64
    }
}

/// The response cache, and the cache of callers.
pub(crate) struct ResponseCache {
    answers: Cache<CacheKey, Arc<Cached>, Size>,
    callers: Cache<TokenHash, Arc<(AsOf, Caller)>>,
    largest: usize,
}

impl ResponseCache {
    /// A cache of at most `bytes` bytes of responses.
    pub(crate) fn new(bytes: u64) -> Self {
        let largest = cache_size::largest(bytes).saturating_sub(1024);
        Self { answers: cache_size::cache(bytes, Size), callers: Cache::new(CALLERS), largest }
    }

    /// The cached response, if it is still valid.
    pub(crate) fn find(&self, key: &CacheKey, now: AsOf) -> Option<Arc<Cached>> {
        self.answers.get(key).filter(|given| given.as_of.holds(&given.caller, now))
    }

    /// The cached caller of a token, if still valid.
    pub(crate) fn caller(&self, key: &CacheKey, now: AsOf) -> Option<Caller> {
        let known = self.callers.get(&key.token)?;
        known.0.holds(&known.1, now).then(|| known.1.clone())
    }

    /// Caches the caller of a token.
    pub(crate) fn know(&self, key: &CacheKey, as_of: AsOf, caller: &Caller) {
        self.callers.insert(key.token, Arc::new((as_of, caller.clone())));
    }

    /// Stores a response, if it can be reused.
    pub(crate) fn keep(
        &self,
        key: CacheKey,
        as_of: AsOf,
        caller: Caller,
        response: ServiceResponse<BoxBody>,
    ) -> ServiceResponse<BoxBody> {
        let whole = response.status() == StatusCode::OK
            && response.headers().get(CONTENT_TYPE).is_some_and(|kind| kind == "application/json");
        let Some(tag) = response.headers().get(ETAG).filter(|_| whole).cloned() else { return response };
        let (request, response) = response.into_parts();
        let (response, body) = response.into_parts();
        match body.try_into_bytes() {
            Ok(bytes) => {
                if bytes.len() <= self.largest {
                    let given = Cached { as_of, caller, tag, bytes: bytes.clone() };
                    self.answers.insert(key, Arc::new(given));
                }
                ServiceResponse::new(request, response.set_body(BoxBody::new(bytes)))
            }
            Err(body) => ServiceResponse::new(request, response.set_body(body)),
        }
    }
}

impl Cached {
    /// The response, or 304 if the caller already has it.
    pub(crate) fn again(&self, has_it: bool) -> HttpResponse {
        let status = if has_it { StatusCode::NOT_MODIFIED } else { StatusCode::OK };
        let mut response = HttpResponse::build(status);
        response.insert_header((ETAG, self.tag.clone())).insert_header((CACHE_CONTROL, "private, no-cache"));
        if has_it {
            return response.finish();
        }
        response.insert_header((CONTENT_TYPE, "application/json")).body(self.bytes.clone())
    }

    pub(crate) fn tag(&self) -> &str {
        self.tag.to_str().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::test::TestRequest;
    use domain::actor::Actor;

    fn asked() -> (HttpRequest, CacheKey) {
        let request = TestRequest::with_uri("/v1/user?x=1").to_http_request();
        let key = CacheKey::of(&request, "token").unwrap();
        (request, key)
    }

    fn answer(request: HttpRequest, status: StatusCode) -> ServiceResponse<BoxBody> {
        let response = HttpResponse::build(status)
            .insert_header((ETAG, "\"a\""))
            .insert_header((CONTENT_TYPE, "application/json"))
            .body("{}");
        ServiceResponse::new(request, response)
    }

    fn caller() -> Caller {
        Caller { actor: Actor::Operator, expires_at: None }
    }

    fn since(stamp: u64, seconds: i64) -> AsOf {
        AsOf { stamp, at: DateTime::UNIX_EPOCH + TimeDelta::seconds(seconds) }
    }

    #[test]
    fn an_answer_holds_until_the_next_commit() {
        let recent = ResponseCache::new(1 << 20);
        let (request, key) = asked();
        let response = recent.keep(key.clone(), since(7, 0), caller(), answer(request, StatusCode::OK));
        assert_eq!(response.into_body().try_into_bytes().unwrap(), "{}");
        let given = recent.find(&key, since(7, 0)).unwrap();
        assert_eq!(given.tag(), "\"a\"");
        assert_eq!(given.again(false).status(), StatusCode::OK);
        assert_eq!(given.again(true).status(), StatusCode::NOT_MODIFIED);
        assert!(recent.find(&key, since(8, 0)).is_none(), "there was a commit");
    }

    #[test]
    fn an_answer_is_not_given_again_for_ever() {
        let recent = ResponseCache::new(1 << 20);
        let (request, key) = asked();
        recent.keep(key.clone(), since(7, 100), caller(), answer(request, StatusCode::OK));
        assert!(recent.find(&key, since(7, 109)).is_some());
        assert!(recent.find(&key, since(7, 110)).is_none());
        assert!(recent.find(&key, since(7, 99)).is_none(), "the clock was set back");
    }

    #[test]
    fn an_answer_ends_with_the_token_that_it_was_made_for() {
        let recent = ResponseCache::new(1 << 20);
        let (request, key) = asked();
        let caller = Caller { expires_at: Some(since(7, 2).at), ..caller() };
        recent.know(&key, since(7, 0), &caller);
        recent.keep(key.clone(), since(7, 0), caller, answer(request, StatusCode::OK));
        assert!(recent.find(&key, since(7, 1)).is_some() && recent.caller(&key, since(7, 1)).is_some());
        assert!(recent.find(&key, since(7, 2)).is_none() && recent.caller(&key, since(7, 2)).is_none());
    }

    #[test]
    fn whoever_shows_a_token_is_known_until_the_next_commit() {
        let recent = ResponseCache::new(1 << 20);
        let (_, key) = asked();
        recent.know(&key, since(7, 0), &caller());
        let elsewhere = CacheKey { address: "/v1/orgs".into(), ..key.clone() };
        assert!(recent.caller(&elsewhere, since(7, 1)).is_some(), "another request with the same token");
        assert!(recent.caller(&key, since(8, 1)).is_none(), "there was a commit");
        let other = CacheKey { token: TokenHash::of("other"), ..key };
        assert!(recent.caller(&other, since(7, 1)).is_none());
    }

    #[test]
    fn another_token_or_address_is_another_question() {
        let (request, key) = asked();
        assert!(CacheKey::of(&request, "other").unwrap() != key);
        let elsewhere = TestRequest::with_uri("/v1/user?x=2").to_http_request();
        assert!(CacheKey::of(&elsewhere, "token").unwrap() != key);
        assert!(CacheKey::of(&TestRequest::post().to_http_request(), "token").is_none());
    }

    #[test]
    fn errors_are_not_kept() {
        let recent = ResponseCache::new(1 << 20);
        let (request, key) = asked();
        recent.keep(key.clone(), since(7, 0), caller(), answer(request, StatusCode::NOT_FOUND));
        assert!(recent.find(&key, since(7, 0)).is_none());
    }
}
