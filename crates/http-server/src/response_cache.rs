//! The response cache: finished responses to reads, reused while nothing has changed.
//!
//! A response is stored with the database's stamp, taken before the response was made. While the stamp is the same,
//! nothing was committed: the token, the rights and the content are unchanged, so the same request gets the same bytes
//! without a query. The first commit by this server or another process invalidates all entries at once. An entry is not
//! used after its caller has expired.
//!
//! An entry belongs to a credential, such as a token. The caller of a credential is cached in the same way, for
//! requests that are not in the cache.
use crate::answer::NO_STORE;
use crate::cache_size::{self, allocated};
use crate::conditional::{OF_THE_BODY, client_has};
use crate::server::FastResponse;
use crate::stamped_cache::{AsOf, StampedCache};
use crate::telemetry::{Driver, id_of};
use actix_http::RequestHead;
use actix_web::body::{BoxBody, MessageBody};
use actix_web::dev::ServiceResponse;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, HeaderName, HeaderValue};
use actix_web::http::{Method, StatusCode};
use actix_web::{HttpRequest, HttpResponse};
use bytes::Bytes;
use chrono::{DateTime, Utc};
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use std::hash::Hash;
use std::sync::Arc;

/// The memory of an entry of the cache besides its key and the response, in bytes, approximately.
const ENTRY: usize = 64;
/// The maximum number of cached callers.
const CALLERS: usize = 4096;

/// The key of the cache: a credential and a URL.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct CacheKey<T> {
    credential: T,
    address: String,
}

impl<T> CacheKey<T> {
    /// The key of a request, if its response depends only on the credential and the URL.
    pub fn of(request: &RequestHead, credential: T) -> Option<Self> {
        let plain = request.method == Method::GET;
        let address = request.uri.path_and_query().filter(|_| plain)?;
        Some(Self { credential, address: address.as_str().to_owned() })
    }

    /// The credential.
    pub fn credential(&self) -> &T {
        &self.credential
    }
}

/// The caller of a cached response.
pub trait Expiring: Clone {
    /// When the credential of the caller expires.
    fn expires_at(&self) -> Option<DateTime<Utc>>;

    /// Whether the credential is still valid.
    fn is_valid(&self, now: AsOf) -> bool {
        self.expires_at().is_none_or(|end| now.at < end)
    }
}

/// A cached response.
pub struct Cached<C> {
    as_of: AsOf,
    caller: C,
    tag: HeaderValue,
    /// Those of a 304 are first.
    headers: Vec<(HeaderName, HeaderValue)>,
    /// The number of headers of a 304.
    unchanged: usize,
    bytes: Bytes,
}

#[derive(Clone)]
struct Size;

impl<T, C> Weighter<CacheKey<T>, Arc<Cached<C>>> for Size {
    fn weight(&self, key: &CacheKey<T>, given: &Arc<Cached<C>>) -> u64 {
        let header = |(_, value): &(HeaderName, HeaderValue)| size_of::<(HeaderName, HeaderValue)>() + value.len();
        let headers: usize = given.headers.iter().map(header).sum();
        let fixed = size_of::<CacheKey<T>>() + size_of::<Cached<C>>() + ENTRY;
        (fixed + key.address.len() + headers + allocated(given.bytes.len())) as u64
    }
}

/// The response cache, and the cache of callers `C` by their credentials `T`.
pub struct ResponseCache<T, C> {
    answers: Cache<CacheKey<T>, Arc<Cached<C>>, Size>,
    callers: StampedCache<T, C>,
    largest: usize,
}

impl<T: Clone + Eq + Hash, C: Expiring> ResponseCache<T, C> {
    /// A cache of at most `bytes` bytes of responses.
    pub fn new(bytes: u64) -> Self {
        let largest = cache_size::largest(bytes).saturating_sub(1024);
        Self { answers: cache_size::cache(bytes, Size), callers: StampedCache::new(CALLERS), largest }
    }

    /// The cached response, if it is still valid.
    pub fn find(&self, key: &CacheKey<T>, now: AsOf) -> Option<Arc<Cached<C>>> {
        self.peek(key).filter(|given| given.is_valid(now))
    }

    /// The cached response, valid or not.
    pub fn peek(&self, key: &CacheKey<T>) -> Option<Arc<Cached<C>>> {
        self.answers.get(key)
    }

    /// The cached caller of a credential, if still valid.
    pub fn caller(&self, credential: &T, now: AsOf) -> Option<C> {
        self.callers.find(credential, now).filter(|caller| caller.is_valid(now))
    }

    /// Caches the caller of a credential.
    pub fn know(&self, credential: T, as_of: AsOf, caller: &C) {
        self.callers.store(credential, as_of, caller.clone());
    }

    /// Stores a response, if it can be reused: a whole one with an entity tag that its client may cache.
    pub fn store(
        &self,
        key: CacheKey<T>,
        as_of: AsOf,
        caller: C,
        response: ServiceResponse<BoxBody>,
    ) -> ServiceResponse<BoxBody> {
        let headers = response.headers();
        let is_kept = response.status() == StatusCode::OK
            && headers.contains_key(CONTENT_TYPE)
            && headers.get(CACHE_CONTROL).is_some_and(|value| value != NO_STORE);
        let Some(tag) = headers.get(ETAG).filter(|_| is_kept).cloned() else { return response };
        let is_of_the_body = |name: &HeaderName| OF_THE_BODY.contains(name);
        let owned = |(name, value): (&HeaderName, &HeaderValue)| (name.clone(), value.clone());
        // Without spare room: thousands of responses are cached.
        let mut kept = Vec::with_capacity(headers.len());
        kept.extend(headers.iter().filter(|(name, _)| !is_of_the_body(name)).map(owned));
        let unchanged = kept.len();
        kept.extend(headers.iter().filter(|(name, _)| is_of_the_body(name)).map(owned));
        let (request, response) = response.into_parts();
        let (response, body) = response.into_parts();
        match body.try_into_bytes() {
            Ok(bytes) => {
                if bytes.len() <= self.largest {
                    let given = Cached { as_of, caller, tag, headers: kept, unchanged, bytes: bytes.clone() };
                    self.answers.insert(key, Arc::new(given));
                }
                ServiceResponse::new(request, response.set_body(BoxBody::new(bytes)))
            }
            Err(body) => ServiceResponse::new(request, response.set_body(body)),
        }
    }
}

impl<C: Expiring> Cached<C> {
    /// Whether it is still valid.
    pub fn is_valid(&self, now: AsOf) -> bool {
        self.as_of.holds(now) && self.caller.is_valid(now)
    }
}

impl<C> Cached<C> {
    /// The caller it was made for.
    pub fn caller(&self) -> &C {
        &self.caller
    }

    /// The stamp of the database that it was made from.
    pub fn stamp(&self) -> u64 {
        self.as_of.stamp
    }

    /// The response to a request: 304 if the client already has it, with the headers that a 304 has at the end of the
    /// pipeline.
    pub fn respond(&self, request: &HttpRequest) -> HttpResponse {
        if self.is_known(request.head()) {
            return with_headers(StatusCode::NOT_MODIFIED, &self.headers[..self.unchanged], BoxBody::new(()));
        }
        self.again()
    }

    /// The same, for a connection that sends it itself.
    pub fn respond_fast<D: Driver>(&self, driver: &D, request: &RequestHead, route: Arc<str>) -> FastResponse {
        let (status, headers, body) = match self.is_known(request) {
            true => (StatusCode::NOT_MODIFIED, &self.headers[..self.unchanged], Bytes::new()),
            false => (StatusCode::OK, &self.headers[..], self.bytes.clone()),
        };
        FastResponse::new(status, headers, body, id_of(driver, request.headers()), route)
    }

    /// Whether the client already has it.
    fn is_known(&self, request: &RequestHead) -> bool {
        self.tag.to_str().is_ok_and(|tag| client_has(request, tag))
    }

    /// The whole response.
    fn again(&self) -> HttpResponse {
        with_headers(StatusCode::OK, &self.headers, BoxBody::new(self.bytes.clone()))
    }
}

fn with_headers(status: StatusCode, headers: &[(HeaderName, HeaderValue)], body: BoxBody) -> HttpResponse {
    let mut response = HttpResponse::with_body(status, body);
    for (name, value) in headers {
        response.headers_mut().append(name.clone(), value.clone());
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conditional::conditional;
    use actix_web::http::header::{ACCEPT_RANGES, CONTENT_ENCODING, IF_NONE_MATCH, LINK, VARY};
    use actix_web::test::TestRequest;
    use chrono::TimeDelta;
    use rstest::rstest;

    /// A caller with the time when its token expires.
    #[derive(Clone, Default)]
    struct Caller(Option<DateTime<Utc>>);

    impl Expiring for Caller {
        fn expires_at(&self) -> Option<DateTime<Utc>> {
            self.0
        }
    }

    fn cache() -> ResponseCache<&'static str, Caller> {
        ResponseCache::new(1 << 20)
    }

    fn asked() -> (HttpRequest, CacheKey<&'static str>) {
        let request = TestRequest::with_uri("/v1/user?x=1").to_http_request();
        let key = CacheKey::of(request.head(), "token").unwrap();
        (request, key)
    }

    fn answer(request: HttpRequest, status: StatusCode) -> ServiceResponse<BoxBody> {
        let response = HttpResponse::build(status)
            .insert_header((ETAG, "\"a\""))
            .insert_header((CONTENT_TYPE, "application/json"))
            .insert_header((CACHE_CONTROL, "private, no-cache"))
            .body("{}");
        ServiceResponse::new(request, response)
    }

    fn since(stamp: u64, seconds: i64) -> AsOf {
        AsOf { stamp, at: DateTime::UNIX_EPOCH + TimeDelta::seconds(seconds) }
    }

    #[test]
    fn an_answer_holds_until_the_next_commit() {
        let recent = cache();
        let (request, key) = asked();
        let response = recent.store(key.clone(), since(7, 0), Caller::default(), answer(request, StatusCode::OK));
        assert_eq!(response.into_body().try_into_bytes().unwrap(), "{}");
        let given = recent.find(&key, since(7, 0)).unwrap();
        let again = given.again();
        assert_eq!(
            (again.status(), again.headers().get(ETAG).unwrap().as_bytes()),
            (StatusCode::OK, b"\"a\"".as_slice())
        );
        assert_eq!(again.into_body().try_into_bytes().unwrap(), "{}");
        assert!(recent.find(&key, since(8, 0)).is_none(), "there was a commit");
    }

    /// The headers of a response in a fixed order; those with the same name stay in theirs.
    fn headers(response: &HttpResponse) -> Vec<(String, String)> {
        let text = |value: &HeaderValue| value.to_str().unwrap().to_owned();
        let mut all: Vec<_> = response.headers().iter().map(|(name, value)| (name.to_string(), text(value))).collect();
        all.sort_by(|one, other| one.0.cmp(&other.0));
        all
    }

    #[rstest]
    #[case::the_client_has_it(TestRequest::get().insert_header((IF_NONE_MATCH, "\"x\", \"a\"")), 304)]
    #[case::any(TestRequest::get().insert_header((IF_NONE_MATCH, "*")), 304)]
    #[case::the_client_has_another(TestRequest::get().insert_header((IF_NONE_MATCH, "\"b\"")), 200)]
    #[case::the_client_has_nothing(TestRequest::get(), 200)]
    fn what_the_client_has_of_the_cache_is_the_same_response_early_and_late(
        #[case] repeated: TestRequest,
        #[case] status: u16,
    ) {
        let recent = cache();
        let (request, key) = asked();
        let mut response = answer(request, StatusCode::OK);
        for (name, value) in [
            (LINK, "</a>; rel=preload"),
            (CONTENT_ENCODING, "br"),
            (LINK, "</b>; rel=preload"),
            (ACCEPT_RANGES, "bytes"),
            (VARY, "Accept, Accept-Encoding"),
        ] {
            response.headers_mut().append(name, HeaderValue::from_static(value));
        }
        recent.store(key.clone(), since(7, 0), Caller::default(), response);
        let given = recent.find(&key, since(7, 0)).unwrap();
        let repeated = repeated.to_http_request();
        let (early, late) = (given.respond(&repeated), conditional(&repeated, given.again()));
        assert_eq!((early.status().as_u16(), late.status().as_u16()), (status, status));
        assert_eq!(headers(&early), headers(&late));
        assert_eq!(early.headers().get_all(LINK).count(), 2);
        assert_eq!(early.headers().contains_key(CONTENT_ENCODING), status == 200);
        let body = |response: HttpResponse| response.into_body().try_into_bytes().unwrap();
        let (early, late) = (body(early), body(late));
        assert_eq!((early.is_empty(), &early), (status == 304, &late));
    }

    #[test]
    fn the_headers_of_an_answer_are_counted() {
        let recent = cache();
        let (request, key) = asked();
        let weight = |response: ServiceResponse<BoxBody>| {
            recent.store(key.clone(), since(7, 0), Caller::default(), response);
            Size.weight(&key, &recent.find(&key, since(7, 0)).unwrap())
        };
        let before = weight(answer(request.clone(), StatusCode::OK));
        let mut longer = answer(request, StatusCode::OK);
        longer.headers_mut().append(LINK, HeaderValue::from_str(&"x".repeat(1000)).unwrap());
        let header = size_of::<(HeaderName, HeaderValue)>() as u64;
        assert_eq!(weight(longer), before + header + 1000);
    }

    #[test]
    fn an_answer_ends_with_the_token_that_it_was_made_for() {
        let recent = cache();
        let (request, key) = asked();
        let caller = Caller(Some(since(7, 2).at));
        recent.know(*key.credential(), since(7, 0), &caller);
        recent.store(key.clone(), since(7, 0), caller, answer(request, StatusCode::OK));
        let cached = |now: AsOf| (recent.find(&key, now).is_some(), recent.caller(key.credential(), now).is_some());
        assert_eq!((cached(since(7, 1)), cached(since(7, 2))), ((true, true), (false, false)));
    }

    #[test]
    fn the_caller_of_a_token_is_cached_until_the_next_commit() {
        let recent = cache();
        recent.know("token", since(7, 0), &Caller::default());
        assert!(recent.caller(&"token", since(7, 1)).is_some(), "another request with the same token");
        assert!(recent.caller(&"token", since(8, 1)).is_none(), "there was a commit");
        assert!(recent.caller(&"other", since(7, 1)).is_none());
    }

    #[test]
    fn another_token_or_address_is_another_question() {
        let (request, key) = asked();
        assert!(CacheKey::of(request.head(), "other").unwrap() != key);
        let elsewhere = TestRequest::with_uri("/v1/user?x=2").to_http_request();
        assert!(CacheKey::of(elsewhere.head(), "token").unwrap() != key);
        assert!(CacheKey::of(TestRequest::post().to_http_request().head(), "token").is_none());
    }

    #[test]
    fn errors_are_not_kept() {
        let recent = cache();
        let (request, key) = asked();
        recent.store(key.clone(), since(7, 0), Caller::default(), answer(request, StatusCode::NOT_FOUND));
        assert!(recent.find(&key, since(7, 0)).is_none());
    }
}
