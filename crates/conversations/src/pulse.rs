//! Issues by week.
use chrono::{DateTime, Datelike, NaiveDate, Utc, Weekday};
use std::collections::BTreeMap;

/// The number of weeks in a pulse.
pub const WEEKS: usize = 13;

/// The number of issues in each ISO week (Monday to Sunday, UTC), by its Monday. Weeks that are too old for a pulse of
/// `now` are left out.
pub fn by_week(issues: impl IntoIterator<Item = DateTime<Utc>>, now: DateTime<Utc>) -> BTreeMap<NaiveDate, u32> {
    let mut weeks = BTreeMap::new();
    for monday in issues.into_iter().map(week).filter(|monday| weeks_back(*monday, now) < WEEKS as i64) {
        *weeks.entry(monday).or_default() += 1;
    }
    weeks
}

/// The number of issues in each of the last 13 weeks, oldest first; the last one is the week of `now`. `weeks` are
/// those of [`by_week`] at that time or earlier. Later weeks are not counted.
pub fn weekly_pulse(weeks: &BTreeMap<NaiveDate, u32>, now: DateTime<Utc>) -> [u32; WEEKS] {
    let mut counts = [0_u32; WEEKS];
    for (monday, issues) in weeks {
        let back = usize::try_from(weeks_back(*monday, now)).ok();
        if let Some(place) = back.and_then(|back| (WEEKS - 1).checked_sub(back)) {
            counts[place] += issues;
        }
    }
    counts
}

/// How many weeks ago a week was; negative for later weeks.
fn weeks_back(monday: NaiveDate, now: DateTime<Utc>) -> i64 {
    (week(now) - monday).num_days().div_euclid(7)
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
        let weeks = by_week([at(issue)], at(now));
        assert_eq!(weekly_pulse(&weeks, at(now)), expected);
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
            prop_assert_eq!(weekly_pulse(&by_week(issues, now), now).iter().sum::<u32>() as usize, since);
        }
    }
}
