//! Answers to reads, kept as finished bytes for as long as they are true.
//!
//! An answer is kept with the stamp of the database that was taken before it was made. While the stamp is the same,
//! nothing was committed by anybody: the token is as valid, the rights and the content are as they were, so the same
//! request gets the same bytes without asking again. The first commit, of this server or of another process, makes
//! every kept answer old at once. Time alone changes little (a download address that is made anew), and an answer is
//! never older than [`MAX_AGE`], nor given when the token that it was made for has ended.
//!
//! A kept answer belongs to a token, whose scopes never change; what the token opens is checked all the same.
use crate::caller::Caller;
use actix_web::body::{BoxBody, MessageBody};
use actix_web::dev::ServiceResponse;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, HeaderValue};
use actix_web::http::{Method, StatusCode};
use actix_web::{HttpRequest, HttpResponse};
use bytes::Bytes;
use chrono::{DateTime, Utc};
use domain::token::TokenHash;
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The longest that an answer is given again without being made again.
const MAX_AGE: Duration = Duration::from_millis(500);
/// The largest answer that is kept, in bytes.
const LARGEST: usize = 4 * 1024 * 1024;

/// Who asked for what.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Question {
    token: TokenHash,
    address: String,
}

impl Question {
    /// The question of a request, when its answer depends on nothing else than the token and the address.
    pub(crate) fn of(request: &HttpRequest, token: &str) -> Option<Self> {
        let plain = request.method() == Method::GET;
        let address = request.uri().path_and_query().filter(|_| plain)?;
        Some(Self { token: TokenHash::of(token), address: address.as_str().to_owned() })
    }
}

/// An answer that was given.
pub(crate) struct Given {
    stamp: u64,
    at: Instant,
    /// Who got it.
    pub(crate) caller: Caller,
    tag: HeaderValue,
    bytes: Bytes,
}

#[derive(Clone)]
struct Size;

impl Weighter<Question, Arc<Given>> for Size {
    fn weight(&self, question: &Question, given: &Arc<Given>) -> u64 {
        (question.address.len() + given.bytes.len() + 256) as u64
    }
}

/// The answers of late.
pub(crate) struct Recent(Cache<Question, Arc<Given>, Size>);

impl Recent {
    /// Keeps at most so many bytes.
    pub(crate) fn new(bytes: u64) -> Self {
        Self(Cache::with_weighter(usize::try_from(bytes / 4096).unwrap_or(1).max(16), bytes, Size))
    }

    /// The answer that still holds.
    pub(crate) fn find(
        &self,
        question: &Question,
        stamp: u64,
        now: impl FnOnce() -> DateTime<Utc>,
    ) -> Option<Arc<Given>> {
        let given = self.0.get(question).filter(|given| given.stamp == stamp && given.at.elapsed() < MAX_AGE)?;
        given.caller.expires_at.is_none_or(|end| now() < end).then_some(given)
    }

    /// Keeps an answer that was made after `stamp` was taken, if it is one that can be given again.
    pub(crate) fn keep(
        &self,
        question: Question,
        stamp: u64,
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
                if bytes.len() <= LARGEST {
                    let given = Given { stamp, at: Instant::now(), caller, tag, bytes: bytes.clone() };
                    self.0.insert(question, Arc::new(given));
                }
                ServiceResponse::new(request, response.set_body(BoxBody::new(bytes)))
            }
            Err(body) => ServiceResponse::new(request, response.set_body(body)),
        }
    }
}

impl Given {
    /// The answer to somebody who asks again.
    pub(crate) fn again(&self, has_it: bool) -> HttpResponse {
        let status = if has_it { StatusCode::NOT_MODIFIED } else { StatusCode::OK };
        let mut response = HttpResponse::build(status);
        response.insert_header((ETAG, self.tag.clone())).insert_header((CACHE_CONTROL, "private, no-cache"));
        if has_it {
            return response.finish();
        }
        response.insert_header((CONTENT_TYPE, "application/json")).body(self.bytes.clone())
    }

    /// Its entity tag.
    pub(crate) fn tag(&self) -> &str {
        self.tag.to_str().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::test::TestRequest;
    use domain::actor::Actor;

    fn asked() -> (HttpRequest, Question) {
        let request = TestRequest::with_uri("/v1/user?x=1").to_http_request();
        let question = Question::of(&request, "token").unwrap();
        (request, question)
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

    #[test]
    fn an_answer_holds_until_the_next_commit() {
        let recent = Recent::new(1 << 20);
        let (request, question) = asked();
        let response = recent.keep(question.clone(), 7, caller(), answer(request, StatusCode::OK));
        assert_eq!(response.into_body().try_into_bytes().unwrap(), "{}");
        let given = recent.find(&question, 7, || later(0)).unwrap();
        assert_eq!(given.tag(), "\"a\"");
        assert_eq!(given.again(false).status(), StatusCode::OK);
        assert_eq!(given.again(true).status(), StatusCode::NOT_MODIFIED);
        assert!(recent.find(&question, 8, || later(0)).is_none(), "somebody has committed");
    }

    #[test]
    fn an_answer_ends_with_the_token_that_it_was_made_for() {
        let recent = Recent::new(1 << 20);
        let (request, question) = asked();
        let caller = Caller { expires_at: Some(later(2)), ..caller() };
        recent.keep(question.clone(), 7, caller, answer(request, StatusCode::OK));
        assert!(recent.find(&question, 7, || later(1)).is_some());
        assert!(recent.find(&question, 7, || later(2)).is_none());
    }

    fn later(seconds: i64) -> DateTime<Utc> {
        DateTime::UNIX_EPOCH + chrono::TimeDelta::seconds(seconds)
    }

    #[test]
    fn another_token_or_address_is_another_question() {
        let (request, question) = asked();
        assert!(Question::of(&request, "other").unwrap() != question);
        let elsewhere = TestRequest::with_uri("/v1/user?x=2").to_http_request();
        assert!(Question::of(&elsewhere, "token").unwrap() != question);
        assert!(Question::of(&TestRequest::post().to_http_request(), "token").is_none());
    }

    #[test]
    fn errors_are_not_kept() {
        let recent = Recent::new(1 << 20);
        let (request, question) = asked();
        recent.keep(question.clone(), 7, caller(), answer(request, StatusCode::NOT_FOUND));
        assert!(recent.find(&question, 7, || later(0)).is_none());
    }
}
