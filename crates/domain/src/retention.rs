//! How long deleted items are kept, and when they are purged.
use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};

/// How long a deleted space can be restored.
pub const RETENTION: TimeDelta = TimeDelta::days(7);
/// The time between the run that marks an item for its purge and the run that must confirm it.
pub const CONFIRMATION_DELAY: TimeDelta = TimeDelta::hours(1);
/// How long content is condemned before it is removed. Requests that were about to use it end within one hour; clocks
/// may differ by another hour.
pub const GRACE: TimeDelta = TimeDelta::hours(2);
/// How long an uploaded file without a reference is kept.
pub const UNNAMED_FILE: TimeDelta = TimeDelta::days(1);
/// How long a notification is kept after it was read.
pub const READ_NOTIFICATION: TimeDelta = TimeDelta::days(90);
/// How long an unread notification is kept.
pub const UNREAD_NOTIFICATION: TimeDelta = TimeDelta::days(365);

/// How long an object is safe that is stored and condemned at once, because no revision refers to it yet. The job that
/// collects content may miss a reference that is created later. Units of work that store objects have the same limit.
const UNNAMED_OBJECT: TimeDelta = TimeDelta::minutes(30);
/// The age at which such an object must be condemned again.
const OLD_OBJECT: TimeDelta = TimeDelta::minutes(10);

/// Whether an object stored at `stored_at` cannot have been collected, and will not be if it gets a reference now. A
/// time in the future comes from before the clock was set back: then the object is not safe.
pub fn is_unnamed_object_safe(stored_at: DateTime<Utc>, now: DateTime<Utc>) -> bool {
    (stored_at..stored_at + UNNAMED_OBJECT).contains(&now)
}

/// Whether an object need not be condemned again yet.
pub fn is_unnamed_object_young(stored_at: DateTime<Utc>, now: DateTime<Utc>) -> bool {
    (stored_at..stored_at + OLD_OBJECT).contains(&now)
}

/// Whether an item deleted at this time can be restored.
pub fn is_restorable(deleted_at: DateTime<Utc>, now: DateTime<Utc>) -> bool {
    now < deleted_at + RETENTION
}

/// Whether a notification is removed now.
pub fn is_notification_old(created_at: DateTime<Utc>, read_at: Option<DateTime<Utc>>, now: DateTime<Utc>) -> bool {
    match read_at {
        Some(at) => at + READ_NOTIFICATION <= now,
        None => created_at + UNREAD_NOTIFICATION <= now,
    }
}

/// Whether a notification of this time can be old, read or not.
pub fn can_be_old(created_at: DateTime<Utc>, now: DateTime<Utc>) -> bool {
    is_notification_old(created_at, Some(created_at), now)
}

/// The stage of the purge of a deleted item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stage {
    /// It is kept.
    Kept,
    /// A run found that its retention has ended; a second run must confirm it.
    Marked {
        /// When the run found it.
        at: DateTime<Utc>,
    },
    /// The purge has begun. Some data may already be deleted, so the item cannot be restored.
    Begun,
}

/// The decision of a run about a deleted item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PurgeDecision {
    /// Check again later.
    Later {
        /// The current stage.
        stage: Stage,
        /// When to check again.
        at: DateTime<Utc>,
    },
    /// Purge it.
    Purge,
}

/// Decides whether a deleted item is purged now.
pub fn decide_purge(deleted_at: DateTime<Utc>, stage: Stage, now: DateTime<Utc>) -> PurgeDecision {
    match stage {
        Stage::Begun => PurgeDecision::Purge,
        // It can still be restored, so a mark of an earlier run is ignored.
        _ if is_restorable(deleted_at, now) => PurgeDecision::Later { stage: Stage::Kept, at: deleted_at + RETENTION },
        Stage::Marked { at } if at <= now && now < at + CONFIRMATION_DELAY => {
            PurgeDecision::Later { stage, at: at + CONFIRMATION_DELAY }
        }
        Stage::Marked { at } if at <= now => PurgeDecision::Purge,
        // A mark in the future comes from a clock that ran ahead.
        Stage::Marked { .. } | Stage::Kept => {
            PurgeDecision::Later { stage: Stage::Marked { at: now }, at: now + CONFIRMATION_DELAY }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    const DAY: i64 = 86_400;

    fn at(seconds: i64) -> DateTime<Utc> {
        DateTime::UNIX_EPOCH + TimeDelta::seconds(seconds)
    }

    #[rstest]
    #[case(0, true)]
    #[case(7 * DAY - 1, true)]
    #[case(7 * DAY, false)]
    #[case(7 * DAY + 1, false)]
    #[case::the_clock_went_back(-DAY, true)]
    fn a_deleted_space_can_be_restored_for_seven_days(#[case] now: i64, #[case] restorable: bool) {
        assert_eq!(is_restorable(at(0), at(now)), restorable);
    }

    #[rstest]
    #[case::read_at_once(0, Some(0), 90, true)]
    #[case::read_later(0, Some(10), 99, false)]
    #[case::read_later_and_old(0, Some(10), 100, true)]
    #[case::unread_for_a_year(0, None, 365, true)]
    #[case::unread_for_less(0, None, 364, false)]
    #[case::read_after_a_year(0, Some(364), 400, false)]
    fn a_notification_is_old_90_days_after_it_was_read_or_after_a_year(
        #[case] created: i64,
        #[case] read: Option<i64>,
        #[case] now: i64,
        #[case] old: bool,
    ) {
        let day = |number: i64| at(number * DAY);
        assert_eq!(is_notification_old(day(created), read.map(day), day(now)), old);
        assert!(!old || can_be_old(day(created), day(now)));
    }

    fn marked(seconds: i64) -> Stage {
        Stage::Marked { at: at(seconds) }
    }

    fn later(stage: Stage, seconds: i64) -> PurgeDecision {
        PurgeDecision::Later { stage, at: at(seconds) }
    }

    #[rstest]
    #[case::too_early(7 * DAY - 1, Stage::Kept, later(Stage::Kept, 7 * DAY))]
    #[case::marked_by_a_clock_that_ran_ahead(DAY, marked(8 * DAY), later(Stage::Kept, 7 * DAY))]
    #[case::the_first_run(7 * DAY, Stage::Kept, later(marked(7 * DAY), 7 * DAY + 3600))]
    #[case::at_once_again(7 * DAY + 1, marked(7 * DAY), later(marked(7 * DAY), 7 * DAY + 3600))]
    #[case::a_second_short(7 * DAY + 3599, marked(7 * DAY), later(marked(7 * DAY), 7 * DAY + 3600))]
    #[case::an_hour_later(7 * DAY + 3600, marked(7 * DAY), PurgeDecision::Purge)]
    #[case::a_mark_of_the_future(7 * DAY, marked(20 * DAY), later(marked(7 * DAY), 7 * DAY + 3600))]
    #[case::what_was_begun_is_ended(DAY, Stage::Begun, PurgeDecision::Purge)]
    fn a_purge_needs_two_checks(#[case] now: i64, #[case] stage: Stage, #[case] expected: PurgeDecision) {
        assert_eq!(decide_purge(at(0), stage, at(now)), expected);
    }
}
