//! Issues by week.
use chrono::{DateTime, Datelike, NaiveDate, Utc, Weekday};

/// The number of weeks in a pulse.
pub const WEEKS: usize = 13;

/// The number of issues in each of the last 13 ISO weeks (Monday to Sunday, UTC), oldest first; the last one is the
/// week of `now`. Earlier and later instants are not counted.
pub fn weekly_pulse(issues: impl IntoIterator<Item = DateTime<Utc>>, now: DateTime<Utc>) -> [u32; WEEKS] {
    let this_week = week(now);
    let mut counts = [0_u32; WEEKS];
    for at in issues {
        let back = (this_week - week(at)).num_days().div_euclid(7);
        if let Some(place) = usize::try_from(back).ok().and_then(|back| (WEEKS - 1).checked_sub(back)) {
            counts[place] += 1;
        }
    }
    counts
}

/// The Monday of the week of an instant.
fn week(at: DateTime<Utc>) -> NaiveDate {
    let day = at.date_naive();
    let iso = day.iso_week();
    NaiveDate::from_isoywd_opt(iso.year(), iso.week(), Weekday::Mon).unwrap_or(day)
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::Days;
    use proptest::prelude::*;
    use rstest::rstest;

    /// The first instant that a pulse of `now` counts.
    fn pulse_start(now: DateTime<Utc>) -> DateTime<Utc> {
        let first = week(now).checked_sub_days(Days::new(7 * (WEEKS as u64 - 1))).unwrap();
        first.and_time(chrono::NaiveTime::MIN).and_utc()
    }

    fn at(text: &str) -> DateTime<Utc> {
        text.parse().unwrap()
    }

    #[rstest]
    // 2026-11-23 is a Monday.
    #[case("2026-11-24T12:00:00Z", "2026-11-23T00:00:00Z", Some(12))]
    #[case("2026-11-24T12:00:00Z", "2026-11-29T23:59:59Z", Some(12))]
    #[case("2026-11-24T12:00:00Z", "2026-11-30T00:00:00Z", None)]
    #[case("2026-11-24T12:00:00Z", "2026-11-22T23:59:59.999999Z", Some(11))]
    #[case("2026-11-24T12:00:00Z", "2026-08-31T00:00:00Z", Some(0))]
    #[case("2026-11-24T12:00:00Z", "2026-08-30T23:59:59Z", None)]
    // The week of 2026-12-31 ends in 2027; 2026 has 53 weeks.
    #[case("2027-01-03T23:59:59Z", "2026-12-28T00:00:00Z", Some(12))]
    #[case("2027-01-04T00:00:00Z", "2027-01-03T23:59:59Z", Some(11))]
    #[case("2021-01-03T12:00:00Z", "2020-12-28T00:00:00Z", Some(12))]
    fn an_issue_counts_in_its_week_also_at_the_ends_of_weeks_and_years(
        #[case] now: &str,
        #[case] issue: &str,
        #[case] place: Option<usize>,
    ) {
        let mut expected = [0; WEEKS];
        if let Some(place) = place {
            expected[place] = 1;
        }
        assert_eq!(weekly_pulse([at(issue)], at(now)), expected);
    }

    proptest! {
        #[test]
        fn the_sum_of_a_pulse_is_the_number_of_issues_since_its_start(
            now in 1_500_000_000_i64..2_000_000_000,
            back in prop::collection::vec(0_i64..12_000_000, 0..50),
        ) {
            let now = DateTime::from_timestamp(now, 0).unwrap();
            let issues: Vec<_> = back.iter().map(|seconds| now - chrono::Duration::seconds(*seconds)).collect();
            let since = issues.iter().filter(|at| **at >= pulse_start(now)).count();
            prop_assert_eq!(weekly_pulse(issues, now).iter().sum::<u32>() as usize, since);
        }
    }
}
