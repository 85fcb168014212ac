//! Deliveries: each sends one event to one webhook, in one or more attempts.
use super::{PING, Webhook};
use crate::event::Event;
use crate::id::{DeliveryId, EventId, OrganizationId, WebhookId};
use crate::words;
use chrono::{DateTime, TimeDelta, Utc};

/// How long a delivery is retried: the sum of the waits between its attempts. Time in which an attempt was due but no
/// server was running does not count.
pub const RETRY_PERIOD: TimeDelta = TimeDelta::days(2);
/// If an attempt is later than this, no server was running before it. Another attempt follows it even after
/// [`RETRY_PERIOD`], because the network of a server that has just started may not be ready.
const LATE: TimeDelta = TimeDelta::hours(1);
/// The wait after the first failed attempt. It doubles with each further failure.
const FIRST_WAIT: TimeDelta = TimeDelta::seconds(10);
/// The longest wait between two attempts, without the jitter.
const LONGEST_WAIT: TimeDelta = TimeDelta::hours(4);
/// The most bytes of a response that are kept.
const MAX_RESPONSE: usize = 1024;

words! {
    /// The state of a delivery.
    pub enum DeliveryState {
        /// Its first or next attempt is pending.
        Pending = "pending",
        /// The receiver accepted it.
        Delivered = "delivered",
        /// The receiver accepted none of the attempts over [`RETRY_PERIOD`].
        Failed = "failed",
        /// The webhook was disabled before it was delivered.
        Stopped = "stopped",
    }
}

/// The result of an attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Response {
    /// The receiver responded.
    Status {
        /// The status.
        status: u16,
        /// The beginning of the body, as text.
        body: String,
    },
    /// There was no response, for this reason.
    None(String),
}

impl Response {
    /// A response with this status and body.
    pub fn new(status: u16, body: &[u8]) -> Self {
        let mut end = body.len().min(MAX_RESPONSE);
        // Not in the middle of a character.
        while end > 0 && end < body.len() && body[end] & 0b1100_0000 == 0b1000_0000 {
            end -= 1;
        }
        // PostgreSQL cannot store U+0000.
        Self::Status { status, body: String::from_utf8_lossy(&body[..end]).replace('\0', "") }
    }

    /// Whether the receiver accepted the request. A redirect is not followed, and does not count.
    fn is_success(&self) -> bool {
        matches!(self, Self::Status { status: 200..=299, .. })
    }
}

/// An event, or a ping, for one webhook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivery {
    /// The id, the same for every attempt.
    pub id: DeliveryId,
    /// The organization.
    pub organization: OrganizationId,
    /// The webhook.
    pub webhook: WebhookId,
    /// The event; absent for a ping.
    pub event: Option<EventId>,
    /// The kind of the event, or [`PING`].
    pub kind: String,
    /// The id of the object of the event. A webhook gets the deliveries of one object in order, one at a time.
    pub target: String,
    /// The delivery whose event this one sends again.
    pub repeats: Option<DeliveryId>,
    /// Its state.
    pub state: DeliveryState,
    /// The number of attempts.
    pub attempts: u32,
    /// When it was created.
    pub created_at: DateTime<Utc>,
    /// The time of the first attempt.
    pub first_attempt_at: Option<DateTime<Utc>>,
    /// The time of the last attempt.
    pub last_attempt_at: Option<DateTime<Utc>>,
    /// The time of the next attempt, while it is pending.
    pub next_attempt_at: Option<DateTime<Utc>>,
    /// When it was delivered, failed or was stopped.
    pub finished_at: Option<DateTime<Utc>>,
    /// The result of the last attempt.
    pub response: Option<Response>,
}

impl Delivery {
    fn new(id: DeliveryId, webhook: &Webhook, kind: &str, target: &str, now: DateTime<Utc>) -> Self {
        Self {
            id,
            organization: webhook.organization.clone(),
            webhook: webhook.id.clone(),
            event: None,
            kind: kind.to_owned(),
            target: target.to_owned(),
            repeats: None,
            state: DeliveryState::Pending,
            attempts: 0,
            created_at: now,
            first_attempt_at: None,
            last_attempt_at: None,
            next_attempt_at: Some(now),
            finished_at: None,
            response: None,
        }
    }

    /// A new delivery of an event, due now.
    pub fn of(id: DeliveryId, webhook: &Webhook, event: &Event) -> Self {
        let new = Self::new(id, webhook, event.change.action(), event.change.target().id, event.at);
        Self { event: Some(event.id.clone()), ..new }
    }

    /// A new delivery of a ping, with which an administrator tests the webhook.
    pub fn ping(id: DeliveryId, webhook: &Webhook, now: DateTime<Utc>) -> Self {
        Self::new(id, webhook, PING, webhook.id.as_str(), now)
    }

    /// A new delivery of the same event.
    pub fn again(&self, id: DeliveryId, webhook: &Webhook, now: DateTime<Utc>) -> Self {
        let new = Self::new(id, webhook, &self.kind, &self.target, now);
        Self { event: self.event.clone(), repeats: Some(self.id.clone()), ..new }
    }

    /// Records the result of an attempt. After a failure it plans another attempt, until the waits between the attempts
    /// add up to [`RETRY_PERIOD`]. If the attempt after these waits is late, it plans one more. A delivery that was
    /// stopped during the attempt gets no further one.
    pub fn record(&mut self, response: Response, now: DateTime<Utc>) {
        let success = response.is_success();
        let is_late = self.next_attempt_at.is_some_and(|due| now - due > LATE);
        self.attempts += 1;
        self.first_attempt_at.get_or_insert(now);
        self.last_attempt_at = Some(now);
        self.response = Some(response);
        let left = RETRY_PERIOD - self.waited(self.attempts);
        let is_first_at_the_end = self.waited(self.attempts - 1) < RETRY_PERIOD;
        if success {
            self.finish(DeliveryState::Delivered, now);
        } else if self.state == DeliveryState::Pending && left > TimeDelta::zero() {
            self.next_attempt_at = Some(now + self.wait(self.attempts).min(left));
        } else if self.state == DeliveryState::Pending && is_late && is_first_at_the_end {
            self.next_attempt_at = Some(now + self.wait(self.attempts));
        } else if self.state == DeliveryState::Pending {
            self.finish(DeliveryState::Failed, now);
        }
    }

    /// Stops the delivery, because the webhook is disabled.
    pub fn stop(&mut self, now: DateTime<Utc>) {
        self.finish(DeliveryState::Stopped, now);
    }

    fn finish(&mut self, state: DeliveryState, now: DateTime<Utc>) {
        self.state = state;
        self.next_attempt_at = None;
        self.finished_at = Some(now);
    }

    /// The sum of the waits between this many attempts, as they were planned; at most [`RETRY_PERIOD`].
    fn waited(&self, attempts: u32) -> TimeDelta {
        let mut sum = TimeDelta::zero();
        for attempt in 1..attempts {
            sum = (sum + self.wait(attempt)).min(RETRY_PERIOD);
            if sum == RETRY_PERIOD {
                break;
            }
        }
        sum
    }

    /// The wait after an attempt; the first attempt is number 1. It doubles with each attempt. The jitter of up to a
    /// quarter spreads the retries of deliveries that failed at the same time.
    fn wait(&self, attempt: u32) -> TimeDelta {
        let doubled = 1_i32.checked_shl(attempt.saturating_sub(1)).filter(|factor| *factor > 0);
        let wait = doubled.and_then(|factor| FIRST_WAIT.checked_mul(factor));
        let wait = wait.map_or(LONGEST_WAIT, |wait| wait.min(LONGEST_WAIT));
        let hash = blake3::hash(format!("{} {attempt}", self.id).as_bytes());
        let thousandths = 750 + i32::from(hash.as_bytes()[0]) * 500 / 255;
        wait * thousandths / 1000
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::actor::Source;
    use crate::event::Change;
    use proptest::prelude::*;
    use rstest::rstest;

    fn at(seconds: i64) -> DateTime<Utc> {
        DateTime::UNIX_EPOCH + TimeDelta::seconds(seconds)
    }

    fn webhook() -> Webhook {
        Webhook::sample("w", 1)
    }

    fn delivery(id: &str) -> Delivery {
        let event = Event {
            id: "e".parse().unwrap(),
            organization: "o".parse().ok(),
            actor: None,
            token: None,
            source: Source::Server,
            client: None,
            at: at(100),
            change: Change::SpaceCreated { space: "s".parse().unwrap() },
        };
        Delivery::of(id.parse().unwrap(), &webhook(), &event)
    }

    fn refusal() -> Response {
        Response::new(500, b"no")
    }

    #[test]
    fn a_delivery_of_an_event_is_due_at_once_and_has_its_object_as_target() {
        let delivery = delivery("d");
        assert_eq!((delivery.kind.as_str(), delivery.target.as_str()), ("space_created", "s"));
        assert_eq!((delivery.state, delivery.next_attempt_at), (DeliveryState::Pending, Some(at(100))));
        let again = delivery.again("f".parse().unwrap(), &webhook(), at(200));
        assert_eq!((&again.event, &again.repeats), (&delivery.event, &Some(delivery.id)));
        let ping = Delivery::ping("p".parse().unwrap(), &webhook(), at(1));
        assert_eq!((ping.kind.as_str(), ping.target.as_str(), ping.event), (PING, "w", None));
    }

    #[rstest]
    #[case(200, true)]
    #[case(204, true)]
    #[case(299, true)]
    #[case(199, false)]
    #[case(302, false)]
    #[case(410, false)]
    #[case(500, false)]
    fn only_a_status_of_2xx_is_a_success(#[case] status: u16, #[case] success: bool) {
        let mut delivery = delivery("d");
        delivery.record(Response::new(status, b""), at(101));
        let expected = if success { DeliveryState::Delivered } else { DeliveryState::Pending };
        assert_eq!((delivery.state, delivery.attempts, delivery.finished_at.is_some()), (expected, 1, success));
        assert_eq!(delivery.next_attempt_at.is_some(), !success);
    }

    #[test]
    fn waits_between_attempts_double_until_they_add_up_to_two_days() {
        let (mut delivery, mut now) = (delivery("d"), at(5000));
        let mut waits = Vec::new();
        while delivery.state == DeliveryState::Pending {
            delivery.record(refusal(), now);
            if let Some(next) = delivery.next_attempt_at {
                waits.push((next - now).num_seconds());
                now = next;
            }
        }
        assert_eq!((delivery.state, now), (DeliveryState::Failed, at(5000) + RETRY_PERIOD));
        assert!((7..=13).contains(&waits[0]) && (15..=25).contains(&waits[1]), "{waits:?}");
        assert!(waits.iter().all(|wait| *wait <= 5 * 3600) && (20..30).contains(&waits.len()), "{waits:?}");
    }

    /// Fails every attempt at the time when it is due, but attempt `which` later by `late`. Returns the number of
    /// attempts and the time of the last one.
    fn fails(mut delivery: Delivery, which: u32, late: TimeDelta) -> (u32, DateTime<Utc>) {
        let mut now = at(5000);
        while delivery.state == DeliveryState::Pending {
            now = delivery.next_attempt_at.unwrap().max(now);
            now += if delivery.attempts + 1 == which { late } else { TimeDelta::zero() };
            delivery.record(refusal(), now);
        }
        (delivery.attempts, now)
    }

    #[rstest]
    #[case::after_the_first_attempt(2)]
    #[case::in_the_middle(10)]
    #[case::before_the_last_but_one(18)]
    fn time_without_attempts_does_not_count(#[case] which: u32) {
        let (attempts, last) = fails(delivery("d"), 0, TimeDelta::zero());
        let away = TimeDelta::days(9);
        assert_eq!(fails(delivery("d"), which, away), (attempts, last + away));
    }

    #[test]
    fn an_attempt_that_is_hours_late_is_not_the_last_one() {
        let (attempts, last) = fails(delivery("d"), 0, TimeDelta::zero());
        assert_eq!(fails(delivery("d"), attempts, LATE), (attempts, last + LATE));
        let late = LATE + TimeDelta::seconds(1);
        let (more, later) = fails(delivery("d"), attempts, late);
        assert_eq!(more, attempts + 1);
        assert!(later - (last + late) >= LONGEST_WAIT * 3 / 4, "{later}");
    }

    #[test]
    fn a_delivery_whose_attempts_are_all_late_eventually_fails() {
        let (attempts, _) = fails(delivery("d"), 0, TimeDelta::zero());
        let (mut late, mut now) = (delivery("d"), at(5000));
        while late.state == DeliveryState::Pending && late.attempts < 100 {
            now = late.next_attempt_at.unwrap().max(now) + TimeDelta::hours(2);
            late.record(refusal(), now);
        }
        assert_eq!((late.state, late.attempts), (DeliveryState::Failed, attempts + 1));
    }

    #[test]
    fn a_delivery_that_was_stopped_during_an_attempt_is_not_retried() {
        let mut failed = delivery("d");
        failed.stop(at(101));
        let mut delivered = failed.clone();
        failed.record(refusal(), at(102));
        assert_eq!((failed.state, failed.attempts, failed.next_attempt_at), (DeliveryState::Stopped, 1, None));
        delivered.record(Response::new(200, b""), at(102));
        assert_eq!(delivered.state, DeliveryState::Delivered);
    }

    #[rstest]
    #[case::long(vec![b'a'; 2000], "a".repeat(1024))]
    #[case::long_of_two_bytes_each("é".repeat(600).into(), "é".repeat(512))]
    #[case::cut_in_a_character(format!("a{}", "é".repeat(600)).into(), format!("a{}", "é".repeat(511)))]
    #[case::with_a_null(b"a\0b".to_vec(), "ab".to_owned())]
    #[case::no_text(b"\xff".to_vec(), "\u{fffd}".to_owned())]
    #[case::empty(Vec::new(), String::new())]
    fn the_beginning_of_a_response_is_kept_as_text(#[case] body: Vec<u8>, #[case] kept: String) {
        assert_eq!(Response::new(200, &body), Response::Status { status: 200, body: kept });
    }

    proptest! {
        #[test]
        fn a_wait_differs_from_its_length_by_at_most_a_quarter(id in "[a-z]{1,20}", attempts in 0u32..200) {
            let wait = delivery(&id).wait(attempts);
            prop_assert!(wait >= FIRST_WAIT * 3 / 4 && wait <= LONGEST_WAIT * 5 / 4);
        }
    }
}
