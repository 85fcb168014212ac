//! Signing in with the service of a site's owner.
use crate::answer::{CachePolicy, redirect, with_cookies};
use crate::cookies::{self, SIGN_IN_ATTEMPTS, Scope};
use crate::error::message_page;
use crate::site::SiteServer;
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse};
use chrono::{DateTime, TimeDelta, Utc};
use url::Url;

/// The number of failed redirects to a sign-in service before the visitor gets an error page.
const MAX_ATTEMPTS: u32 = 3;
/// The period in which they are counted.
const WITHIN: TimeDelta = TimeDelta::seconds(60);
/// The parameter of the address of a sign-in service with the path to return to.
const LOCATION: &str = "location";

/// The redirects of a visitor to the sign-in service: their number, and the time of the first one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct SignInAttempts {
    count: u32,
    since: i64,
}

impl SignInAttempts {
    /// The redirects that the cookie of a request counts.
    pub(crate) fn of(request: &HttpRequest) -> Self {
        let [cookie] = cookies::values(request.headers(), [SIGN_IN_ATTEMPTS]);
        let read = cookie.and_then(|raw| {
            let (count, since) = raw.split_once('.')?;
            Some(Self { count: count.parse().ok()?, since: since.parse().ok()? })
        });
        read.unwrap_or_default()
    }

    /// The count with one more redirect; `None` if there were too many.
    fn next(self, now: DateTime<Utc>) -> Option<Self> {
        let age = now.timestamp() - self.since;
        if !(0..WITHIN.num_seconds()).contains(&age) {
            return Some(Self { count: 1, since: now.timestamp() });
        }
        (self.count < MAX_ATTEMPTS).then_some(Self { count: self.count + 1, ..self })
    }
}

/// Redirects a visitor to sign in. Without a sign-in address, and after too many redirects, returns a page that
/// requires a sign-in and reveals nothing about the site.
pub(crate) fn sign_in(
    server: &SiteServer,
    to: Option<Url>,
    location: &str,
    base: &str,
    attempts: SignInAttempts,
) -> HttpResponse {
    let now = server.services.clock.now();
    let (Some(mut to), Some(attempts)) = (to, attempts.next(now)) else {
        return message_page(StatusCode::UNAUTHORIZED, "You have to sign in to see this page.");
    };
    to.query_pairs_mut().append_pair(LOCATION, location);
    let scope = Scope { path: base, secure: server.settings.sites_url.scheme() == "https" };
    let value = format!("{}.{}", attempts.count, attempts.since);
    let cookie = cookies::set(SIGN_IN_ATTEMPTS, &value, scope, Some(now + WITHIN), now);
    with_cookies(redirect(302, to.as_str(), CachePolicy::Never), &[cookie])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_visitor_is_sent_to_sign_in_three_times_in_a_minute() {
        let at = |seconds| DateTime::from_timestamp(seconds, 0).unwrap();
        let mut attempts = SignInAttempts::default();
        for _ in 0..3 {
            attempts = attempts.next(at(1000)).unwrap();
        }
        assert_eq!(attempts.next(at(1059)), None);
        assert_eq!(attempts.next(at(1060)), Some(SignInAttempts { count: 1, since: 1060 }));
    }
}
