//! How long what was deleted is kept, and when it goes for good.
use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};

/// How long a deleted space can be restored (api.md, Limits: 7 days).
pub const RETENTION: TimeDelta = TimeDelta::days(7);
/// How long after a run found that something is to be purged another one has to find so again.
pub const SECOND_LOOK: TimeDelta = TimeDelta::hours(1);
/// How long content is condemned before it is removed, in which whoever was about to use it comes to an end: an hour, and
/// another one by which clocks may differ.
pub const GRACE: TimeDelta = TimeDelta::hours(2);
/// How long a file is kept that somebody stored, and that nothing names yet.
pub const UNNAMED_FILE: TimeDelta = TimeDelta::days(1);

/// How long an object is safe that was stored and condemned at once, because no revision names it yet: whoever names it
/// later than that may be too late for the walk that looks who holds it. The same as for a unit of work that stores
/// objects.
const UNNAMED_OBJECT: TimeDelta = TimeDelta::minutes(30);
/// How old it may become before it is condemned anew.
const OLD_OBJECT: TimeDelta = TimeDelta::minutes(10);

/// Whether an object that was stored at this moment cannot have been collected, and will not be if it is named now. A
/// moment that is still to come was noted before a clock was set back: nothing can be said of it.
pub fn is_unnamed_object_safe(stored_at: DateTime<Utc>, now: DateTime<Utc>) -> bool {
    (stored_at..stored_at + UNNAMED_OBJECT).contains(&now)
}

/// Whether it need not be condemned anew yet.
pub fn is_unnamed_object_young(stored_at: DateTime<Utc>, now: DateTime<Utc>) -> bool {
    (stored_at..stored_at + OLD_OBJECT).contains(&now)
}

/// Whether what was deleted at this moment can be restored.
pub fn is_restorable(deleted_at: DateTime<Utc>, now: DateTime<Utc>) -> bool {
    now < deleted_at + RETENTION
}

/// How far something deleted is on its way out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stage {
    /// It is kept.
    #[default]
    Kept,
    /// A run found that its time is over; another one has to agree.
    Marked {
        /// When it was found so.
        at: DateTime<Utc>,
    },
    /// A part of it may be gone: nobody brings it back.
    Begun,
}

/// What a run does about something that was deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// Nothing yet.
    Later {
        /// At which stage it is now.
        stage: Stage,
        /// When to look again.
        at: DateTime<Utc>,
    },
    /// Purge it.
    Purge,
}

/// Looks at something that was deleted.
pub fn look(deleted_at: DateTime<Utc>, stage: Stage, now: DateTime<Utc>) -> Look {
    match stage {
        Stage::Begun => Look::Purge,
        // Whatever was found before: it can be restored.
        _ if is_restorable(deleted_at, now) => Look::Later { stage: Stage::Kept, at: deleted_at + RETENTION },
        Stage::Marked { at } if at <= now && now < at + SECOND_LOOK => Look::Later { stage, at: at + SECOND_LOOK },
        Stage::Marked { at } if at <= now => Look::Purge,
        // A mark of the future is one of a clock that ran ahead.
        Stage::Marked { .. } | Stage::Kept => Look::Later { stage: Stage::Marked { at: now }, at: now + SECOND_LOOK },
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
    fn what_is_deleted_can_be_restored_for_seven_days(#[case] now: i64, #[case] restorable: bool) {
        assert_eq!(is_restorable(at(0), at(now)), restorable);
    }

    fn marked(seconds: i64) -> Stage {
        Stage::Marked { at: at(seconds) }
    }

    fn later(stage: Stage, seconds: i64) -> Look {
        Look::Later { stage, at: at(seconds) }
    }

    #[rstest]
    #[case::too_early(7 * DAY - 1, Stage::Kept, later(Stage::Kept, 7 * DAY))]
    #[case::marked_by_a_clock_that_ran_ahead(DAY, marked(8 * DAY), later(Stage::Kept, 7 * DAY))]
    #[case::the_first_run(7 * DAY, Stage::Kept, later(marked(7 * DAY), 7 * DAY + 3600))]
    #[case::at_once_again(7 * DAY + 1, marked(7 * DAY), later(marked(7 * DAY), 7 * DAY + 3600))]
    #[case::a_second_short(7 * DAY + 3599, marked(7 * DAY), later(marked(7 * DAY), 7 * DAY + 3600))]
    #[case::an_hour_later(7 * DAY + 3600, marked(7 * DAY), Look::Purge)]
    #[case::a_mark_of_the_future(7 * DAY, marked(20 * DAY), later(marked(7 * DAY), 7 * DAY + 3600))]
    #[case::what_was_begun_is_ended(DAY, Stage::Begun, Look::Purge)]
    fn it_takes_two_looks_to_purge(#[case] now: i64, #[case] stage: Stage, #[case] expected: Look) {
        assert_eq!(look(at(0), stage, at(now)), expected);
    }
}
