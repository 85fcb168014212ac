//! Whether the clock can be trusted. Servers record the time regularly. A large gap between two records, or a large
//! step back, means that the clock was moved or that no server was running. Actions that cannot be undone wait until
//! the clock has been steady for a while.
use chrono::{DateTime, TimeDelta, Utc};

/// How often the time is recorded.
pub const INTERVAL: TimeDelta = TimeDelta::minutes(5);
/// The largest allowed gap between two records.
pub const LARGEST_GAP: TimeDelta = TimeDelta::hours(1);
/// How long the clock must have been steady to be trusted.
pub const STEADY_AFTER: TimeDelta = TimeDelta::hours(1);

/// The last record of the time, and the time since which the clock is steady.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Heartbeat {
    /// When the time was last recorded.
    pub at: DateTime<Utc>,
    /// The first record after the last gap.
    pub steady_since: DateTime<Utc>,
}

impl Heartbeat {
    /// The first record.
    pub fn first(now: DateTime<Utc>) -> Self {
        Self { at: now, steady_since: now }
    }

    /// Whether the time has moved so far since the last record, forwards or backwards, that it must be recorded again.
    pub fn is_due(&self, now: DateTime<Utc>) -> bool {
        (now - self.at).abs() >= INTERVAL
    }

    /// Records the time.
    #[must_use]
    pub fn record(self, now: DateTime<Utc>) -> Self {
        let jumped = (now - self.at).abs() > LARGEST_GAP;
        // A smaller step back is not a jump. The steady period then starts at `now`, because earlier times are now in
        // the future.
        Self { at: now, steady_since: if jumped { now } else { self.steady_since.min(now) } }
    }

    /// Whether the clock can be trusted now.
    pub fn is_steady(&self, now: DateTime<Utc>) -> bool {
        (now - self.at).abs() <= LARGEST_GAP && now - self.steady_since >= STEADY_AFTER
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rstest::rstest;

    fn at(minutes: i64) -> DateTime<Utc> {
        DateTime::UNIX_EPOCH + TimeDelta::minutes(minutes)
    }

    /// Records at these minutes.
    fn records(minutes: impl IntoIterator<Item = i64>) -> Heartbeat {
        let mut minutes = minutes.into_iter().map(at);
        let first = Heartbeat::first(minutes.next().unwrap());
        minutes.fold(first, Heartbeat::record)
    }

    const DAY: i64 = 24 * 60;

    #[test]
    fn a_new_server_trusts_its_clock_after_an_hour() {
        assert!(!records((0..60).step_by(5)).is_steady(at(59)));
        assert!(records((0..=60).step_by(5)).is_steady(at(60)));
    }

    #[rstest]
    #[case::a_gap_of_an_hour_is_none(60, true)]
    #[case::a_minute_more_is_one(61, false)]
    #[case::days_ahead(8 * DAY, false)]
    #[case::a_little_back(-60, true)]
    #[case::further_back(-61, false)]
    #[case::a_year_back(-365 * DAY, false)]
    fn a_jump_makes_the_clock_unsteady(#[case] by: i64, #[case] steady: bool) {
        let before = records((0..=300).step_by(5));
        let now = at(300 + by);
        assert_eq!(before.is_steady(now), steady, "before the time is recorded");
        assert_eq!(before.record(now).is_steady(now), steady, "after the time is recorded");
    }

    #[test]
    fn a_short_jump_makes_the_clock_unsteady_for_an_hour_after_it() {
        let before = records((0..=300).step_by(5));
        let during = [8 * DAY + 300, 8 * DAY + 305].map(at);
        let mut beat = before;
        for now in during {
            beat = beat.record(now);
            assert!(!beat.is_steady(now));
        }
        for minute in (310..370).step_by(5) {
            beat = beat.record(at(minute));
            assert!(!beat.is_steady(at(minute)), "{minute}");
        }
        assert!(beat.record(at(370)).is_steady(at(370)));
    }

    proptest! {
        #[test]
        fn a_steady_clock_had_no_jump_for_an_hour(steps in proptest::collection::vec(-90i64..90, 1..60)) {
            let mut now = 10 * DAY;
            let (mut beat, mut seen) = (records([now]), vec![now]);
            for step in steps {
                now += step;
                beat = beat.record(at(now));
                seen.push(now);
            }
            if beat.is_steady(at(now)) {
                let jump = seen.windows(2).rposition(|two| (two[1] - two[0]).abs() > 60);
                let since = jump.map_or(0, |at| at + 1);
                let earliest = seen[since..].iter().min().copied().unwrap_or(now);
                prop_assert!(now - earliest >= 60);
            }
        }
    }
}
