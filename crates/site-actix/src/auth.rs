//! Signing in with the service of a site's owner.
use crate::answer::{Keeping, redirect, with_cookies};
use crate::cookies::{self, ROUNDS, Scope};
use crate::error::message_page;
use crate::site::SiteServer;
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse};
use chrono::{DateTime, TimeDelta, Utc};
use url::Url;

/// The rounds with a sign-in service that fail before a visitor is told so.
const MAX_ROUNDS: u32 = 3;
/// The time in which they are counted.
const WITHIN: TimeDelta = TimeDelta::seconds(60);
/// The parameter of the address of a sign-in service that has the path to return to.
const LOCATION: &str = "location";

/// How often a visitor was sent to sign in, and since when.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Rounds {
    count: u32,
    since: i64,
}

impl Rounds {
    /// The rounds that the cookie of a request counts.
    pub(crate) fn of(request: &HttpRequest) -> Self {
        let read = cookies::get(request, ROUNDS).and_then(|raw| {
            let (count, since) = raw.split_once('.')?;
            Some(Self { count: count.parse().ok()?, since: since.parse().ok()? })
        });
        read.unwrap_or_default()
    }

    /// The count with another round; `None` if there were too many.
    fn next(self, now: DateTime<Utc>) -> Option<Self> {
        let age = now.timestamp() - self.since;
        if !(0..WITHIN.num_seconds()).contains(&age) {
            return Some(Self { count: 1, since: now.timestamp() });
        }
        (self.count < MAX_ROUNDS).then_some(Self { count: self.count + 1, ..self })
    }
}

/// Sends a visitor to sign in. Without an address for that, and after too many rounds, a page says that a sign-in is
/// needed, and nothing about the site.
pub(crate) fn sign_in(
    server: &SiteServer,
    to: Option<Url>,
    location: &str,
    base: &str,
    rounds: Rounds,
) -> HttpResponse {
    let now = server.services.clock.now();
    let (Some(mut to), Some(rounds)) = (to, rounds.next(now)) else {
        return message_page(StatusCode::UNAUTHORIZED, "You have to sign in to see this page.");
    };
    to.query_pairs_mut().append_pair(LOCATION, location);
    let scope = Scope { path: base, secure: server.settings.sites_url.scheme() == "https" };
    let value = format!("{}.{}", rounds.count, rounds.since);
    let cookie = cookies::set(ROUNDS, &value, scope, Some(now + WITHIN), now);
    with_cookies(redirect(302, to.as_str(), Keeping::Never), &[cookie])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_visitor_is_sent_to_sign_in_three_times_in_a_minute() {
        let at = |seconds| DateTime::from_timestamp(seconds, 0).unwrap();
        let mut rounds = Rounds::default();
        for _ in 0..3 {
            rounds = rounds.next(at(1000)).unwrap();
        }
        assert_eq!(rounds.next(at(1059)), None);
        assert_eq!(rounds.next(at(1060)), Some(Rounds { count: 1, since: 1060 }));
    }
}
