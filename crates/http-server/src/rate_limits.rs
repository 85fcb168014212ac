//! Rate limits.
use crate::client_address::client_network;
use crate::error::ServerError;
use actix_web::http::header::{HeaderMap, HeaderName, HeaderValue};
use chrono::{DateTime, Utc};
use governor::clock::{Clock, DefaultClock};
use governor::middleware::StateInformationMiddleware;
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};
use std::hash::Hash;
use std::net::IpAddr;
use std::num::NonZeroU32;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

const LIMIT: HeaderName = HeaderName::from_static("x-ratelimit-limit");
const REMAINING: HeaderName = HeaderName::from_static("x-ratelimit-remaining");
const RESET: HeaderName = HeaderName::from_static("x-ratelimit-reset");
const STANDARD: HeaderName = HeaderName::from_static("ratelimit");
const POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");

/// After this many failures, entries of addresses with a full budget are removed.
const FAILURES_A_SWEEP: u32 = 1024;
/// After this many requests, entries of callers with a full budget are removed.
const REQUESTS_A_SWEEP: u32 = 16 * 1024;

/// Rate limits. Zero means unlimited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Requests per minute and token, on average.
    pub requests_per_minute: u32,
    /// Requests of a token that may arrive at once.
    pub burst: u32,
    /// Failed authentications per minute and client address.
    pub failures_per_minute: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self { requests_per_minute: 6000, burst: 1000, failures_per_minute: 60 }
    }
}

/// The budgets of callers, by key `K`, and of addresses with failed authentications.
pub struct Budgets<K: Hash + Eq + Clone> {
    callers: Option<DefaultKeyedRateLimiter<K, StateInformationMiddleware>>,
    spent: AtomicU32,
    failures: Option<DefaultKeyedRateLimiter<IpAddr>>,
    failed: AtomicU32,
}

/// The remaining budget of a caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    limit: u32,
    remaining: u32,
    /// The time until the budget is full again.
    reset: Duration,
}

/// The budget of a caller is used up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exceeded {
    /// The seconds until the next request is accepted.
    pub retry_after: u64,
    /// The remaining budget.
    pub budget: Budget,
}

impl From<Exceeded> for ServerError {
    fn from(Exceeded { retry_after, .. }: Exceeded) -> Self {
        Self::TooManyRequests { retry_after }
    }
}

fn seconds(duration: Duration) -> u64 {
    duration.as_secs() + u64::from(duration.subsec_nanos() > 0)
}

fn quota(per_minute: u32, burst: u32) -> Option<Quota> {
    let per_minute = NonZeroU32::new(per_minute)?;
    Some(Quota::per_minute(per_minute).allow_burst(NonZeroU32::new(burst).unwrap_or(per_minute)))
}

/// Counts a call. Returns whether to remove entries with a full budget.
fn due(calls: &AtomicU32, every: u32) -> bool {
    calls.fetch_add(1, Ordering::Relaxed) % every == every - 1
}

impl<K: Hash + Eq + Clone> Budgets<K> {
    /// Full budgets.
    pub fn new(limits: Limits) -> Self {
        let callers = quota(limits.requests_per_minute, limits.burst);
        let failures = quota(limits.failures_per_minute, limits.failures_per_minute);
        Self {
            callers: callers.map(|quota| RateLimiter::dashmap(quota).with_middleware()),
            failures: failures.map(RateLimiter::dashmap),
            spent: AtomicU32::new(0),
            failed: AtomicU32::new(0),
        }
    }

    /// Takes one request from the budget of a caller. Returns the remaining budget; `None` if there is no limit.
    ///
    /// # Errors
    /// [`Exceeded`] if nothing is left.
    pub fn spend(&self, caller: &K) -> Result<Option<Budget>, Exceeded> {
        let Some(callers) = &self.callers else { return Ok(None) };
        // Callers change often, since content tokens are valid for an hour.
        if due(&self.spent, REQUESTS_A_SWEEP) {
            callers.retain_recent();
        }
        match callers.check_key(caller) {
            Ok(left) => {
                let (limit, remaining) = (left.quota().burst_size().get(), left.remaining_burst_capacity());
                let reset = left.quota().replenish_interval() * (limit - remaining.min(limit));
                Ok(Some(Budget { limit, remaining, reset }))
            }
            Err(until) => {
                let wait = until.wait_time_from(DefaultClock::default().now());
                let limit = until.quota().burst_size().get();
                let budget = Budget { limit, remaining: 0, reset: until.quota().burst_size_replenished_in() };
                Err(Exceeded { retry_after: seconds(wait).max(1), budget })
            }
        }
    }

    /// Records a failed authentication from an address.
    ///
    /// # Errors
    /// [`ServerError::TooManyRequests`] if there were too many recently.
    pub fn failed(&self, address: IpAddr) -> Result<(), ServerError> {
        let Some(failures) = &self.failures else { return Ok(()) };
        if due(&self.failed, FAILURES_A_SWEEP) {
            failures.retain_recent();
        }
        failures.check_key(&client_network(address)).map_err(|until| {
            let wait = until.wait_time_from(DefaultClock::default().now());
            ServerError::TooManyRequests { retry_after: seconds(wait).max(1) }
        })
    }
}

impl Budget {
    /// Adds the rate limit headers to a response. `policy` is the name of the limit for clients.
    pub fn add_headers(&self, policy: &str, headers: &mut HeaderMap, now: DateTime<Utc>) {
        let reset = seconds(self.reset);
        let epoch = u64::try_from(now.timestamp()).unwrap_or(0) + reset;
        headers.insert(LIMIT, HeaderValue::from(self.limit));
        headers.insert(REMAINING, HeaderValue::from(self.remaining));
        headers.insert(RESET, HeaderValue::from(epoch));
        let pairs = [
            (STANDARD, format!("\"{policy}\";r={};t={reset}", self.remaining)),
            (POLICY, format!("\"{policy}\";q={};w=60", self.limit)),
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

    fn limits(requests_per_minute: u32, burst: u32, failures_per_minute: u32) -> Budgets<&'static str> {
        Budgets::new(Limits { requests_per_minute, burst, failures_per_minute })
    }

    #[test]
    fn a_token_has_its_burst_and_then_waits() {
        let budgets = limits(1, 3, 0);
        for left in [2, 1, 0] {
            let budget = budgets.spend(&"t").unwrap().unwrap();
            assert_eq!((budget.limit, budget.remaining), (3, left));
        }
        let exceeded = budgets.spend(&"t").unwrap_err();
        assert!((1..=60).contains(&exceeded.retry_after), "{exceeded:?}");
        assert_eq!(exceeded.budget.remaining, 0);
        assert!(budgets.spend(&"other").is_ok(), "each token has its own budget");
    }

    #[test]
    fn without_a_limit_no_budget_is_reported() {
        let budgets = limits(0, 0, 0);
        assert_eq!(budgets.spend(&"t").ok(), Some(None));
        assert!((0..5000).all(|_| budgets.failed([10, 0, 0, 1].into()).is_ok()));
    }

    #[test]
    fn an_address_that_fails_too_often_is_held_off() {
        let budgets = limits(0, 0, 2);
        let at = |last| budgets.failed([10, 0, 0, last].into()).is_ok();
        assert_eq!([at(1), at(1), at(1), at(2)], [true, true, false, true]);
    }

    #[test]
    fn the_response_has_the_time_when_the_budget_is_full_again() {
        let mut headers = HeaderMap::new();
        let budget = Budget { limit: 10, remaining: 4, reset: Duration::from_millis(5500) };
        budget.add_headers("token", &mut headers, DateTime::UNIX_EPOCH);
        let told = |name: HeaderName| headers.get(name).unwrap().to_str().unwrap().to_owned();
        assert_eq!([told(LIMIT), told(REMAINING), told(RESET)], ["10", "4", "6"]);
        assert_eq!([told(STANDARD), told(POLICY)], ["\"token\";r=4;t=6", "\"token\";q=10;w=60"]);
    }
}
