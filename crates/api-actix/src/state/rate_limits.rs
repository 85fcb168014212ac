//! Rate limits.
use crate::answer::error::ApiError;
use crate::settings::Limits;
use crate::state::client_address::household;
use actix_web::http::header::{HeaderMap, HeaderName, HeaderValue};
use chrono::{DateTime, Utc};
use domain::id::TokenId;
use governor::clock::{Clock, DefaultClock};
use governor::middleware::StateInformationMiddleware;
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};
use std::net::IpAddr;
use std::num::NonZeroU32;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

const LIMIT: HeaderName = HeaderName::from_static("x-ratelimit-limit");
const REMAINING: HeaderName = HeaderName::from_static("x-ratelimit-remaining");
const RESET: HeaderName = HeaderName::from_static("x-ratelimit-reset");
const STANDARD: HeaderName = HeaderName::from_static("ratelimit");
const POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");

/// After this many failures, addresses whose budget is full again are removed.
const SWEEP_EVERY: u32 = 1024;

/// The budgets of tokens, and of addresses with failed authentications.
pub(crate) struct Budgets {
    tokens: Option<DefaultKeyedRateLimiter<TokenId, StateInformationMiddleware>>,
    failures: Option<DefaultKeyedRateLimiter<IpAddr>>,
    failed: AtomicU32,
}

/// The remaining budget of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Budget {
    limit: u32,
    remaining: u32,
    /// The time until the budget is full again.
    reset: Duration,
}

fn seconds(duration: Duration) -> u64 {
    duration.as_secs() + u64::from(duration.subsec_nanos() > 0)
}

fn quota(per_minute: u32, burst: u32) -> Option<Quota> {
    let per_minute = NonZeroU32::new(per_minute)?;
    Some(Quota::per_minute(per_minute).allow_burst(NonZeroU32::new(burst).unwrap_or(per_minute)))
}

impl Budgets {
    /// Full budgets.
    pub(crate) fn new(limits: Limits) -> Self {
        let tokens = quota(limits.requests_per_minute, limits.burst);
        let failures = quota(limits.failures_per_minute, limits.failures_per_minute);
        Self {
            tokens: tokens.map(|quota| RateLimiter::dashmap(quota).with_middleware()),
            failures: failures.map(RateLimiter::dashmap),
            failed: AtomicU32::new(0),
        }
    }

    /// Takes one request from the budget of a token. Returns the remaining budget; `None` if there is no limit.
    pub(crate) fn spend(&self, token: &TokenId) -> Result<Option<Budget>, (ApiError, Budget)> {
        let Some(tokens) = &self.tokens else { return Ok(None) };
        match tokens.check_key(token) {
            Ok(left) => {
                let (limit, remaining) = (left.quota().burst_size().get(), left.remaining_burst_capacity());
                let reset = left.quota().replenish_interval() * (limit - remaining.min(limit));
                Ok(Some(Budget { limit, remaining, reset }))
            }
            Err(until) => {
                let wait = until.wait_time_from(DefaultClock::default().now());
                let limit = until.quota().burst_size().get();
                let budget = Budget { limit, remaining: 0, reset: until.quota().burst_size_replenished_in() };
                Err((ApiError::TooManyRequests { retry_after: seconds(wait).max(1) }, budget))
            }
        }
    }

    /// Records a failed authentication from an address.
    ///
    /// # Errors
    /// If there were too many recently.
    pub(crate) fn failed(&self, address: IpAddr) -> Result<(), ApiError> {
        let Some(failures) = &self.failures else { return Ok(()) };
        if self.failed.fetch_add(1, Ordering::Relaxed) % SWEEP_EVERY == SWEEP_EVERY - 1 {
            failures.retain_recent();
        }
        failures.check_key(&household(address)).map_err(|until| {
            let wait = until.wait_time_from(DefaultClock::default().now());
            ApiError::TooManyRequests { retry_after: seconds(wait).max(1) }
        })
    }
}

impl Budget {
    /// Adds the rate limit headers to a response.
    pub(crate) fn tell(&self, headers: &mut HeaderMap, now: DateTime<Utc>) {
        let reset = seconds(self.reset);
        let epoch = u64::try_from(now.timestamp()).unwrap_or(0) + reset;
        headers.insert(LIMIT, HeaderValue::from(self.limit));
        headers.insert(REMAINING, HeaderValue::from(self.remaining));
        headers.insert(RESET, HeaderValue::from(epoch));
        let pairs = [
            (STANDARD, format!("\"token\";r={};t={reset}", self.remaining)),
            (POLICY, format!("\"token\";q={};w=60", self.limit)),
        ];
        for (name, value) in pairs {
            if let Ok(value) = HeaderValue::try_from(value) {
                headers.insert(name, value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(requests_per_minute: u32, burst: u32, failures_per_minute: u32) -> Budgets {
        Budgets::new(Limits { requests_per_minute, burst, failures_per_minute })
    }

    #[test]
    fn a_token_has_its_burst_and_then_waits() {
        let budgets = limits(1, 3, 0);
        let token: TokenId = "t".parse().unwrap();
        for left in [2, 1, 0] {
            let budget = budgets.spend(&token).unwrap().unwrap();
            assert_eq!((budget.limit, budget.remaining), (3, left));
        }
        let (error, budget) = budgets.spend(&token).unwrap_err();
        assert!(matches!(error, ApiError::TooManyRequests { retry_after: 1..=60 }), "{error}");
        assert_eq!(budget.remaining, 0);
        assert!(budgets.spend(&"other".parse().unwrap()).is_ok(), "each token has its own budget");
    }

    #[test]
    fn without_a_limit_there_is_no_budget_to_tell_of() {
        let budgets = limits(0, 0, 0);
        assert_eq!(budgets.spend(&"t".parse().unwrap()).ok(), Some(None));
        assert!((0..5000).all(|_| budgets.failed([10, 0, 0, 1].into()).is_ok()));
    }

    #[test]
    fn an_address_that_fails_too_often_is_held_off() {
        let budgets = limits(0, 0, 2);
        let at = |last| budgets.failed([10, 0, 0, last].into()).is_ok();
        assert_eq!([at(1), at(1), at(1), at(2)], [true, true, false, true]);
    }

    #[test]
    fn the_caller_is_told_when_the_budget_is_whole_again() {
        let mut headers = HeaderMap::new();
        let budget = Budget { limit: 10, remaining: 4, reset: Duration::from_millis(5500) };
        budget.tell(&mut headers, DateTime::UNIX_EPOCH);
        let told = |name: HeaderName| headers.get(name).unwrap().to_str().unwrap().to_owned();
        assert_eq!([told(LIMIT), told(REMAINING), told(RESET)], ["10", "4", "6"]);
        assert_eq!([told(STANDARD), told(POLICY)], ["\"token\";r=4;t=6", "\"token\";q=10;w=60"]);
    }
}
