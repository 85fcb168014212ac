//! Sunset dates: when something deprecated is removed.
use crate::tree::Node;

/// The extensions that state the date. If a document has both, the first one counts: it was made for readers, and pages
/// and comparisons must agree on one date.
const KEYS: [&str; 2] = ["x-deprecated-sunset", "x-sunset"];

/// The sunset date of an operation, a parameter, a schema and so on, as the document writes it.
pub(crate) fn sunset(node: &Node) -> Option<&str> {
    let dates = KEYS.iter().filter_map(|key| node.get(key)?.text_or_digits());
    dates.map(str::trim).find(|date| !date.is_empty())
}

/// The day of a date such as `2026-01-31` or `2026-01-31T00:00:00Z`. Days compare as texts.
pub(crate) fn day(date: &str) -> Option<&str> {
    let day = date.trim().get(..10)?;
    let fits = |(at, byte): (usize, u8)| if at == 4 || at == 7 { byte == b'-' } else { byte.is_ascii_digit() };
    day.bytes().enumerate().all(fits).then_some(day)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::read;
    use rstest::rstest;

    #[rstest]
    #[case::none("{}", None)]
    #[case::one("{x-sunset: 2030-01-02}", Some("2030-01-02"))]
    #[case::the_other("{x-deprecated-sunset: 2031-02-03}", Some("2031-02-03"))]
    #[case::both("{x-sunset: 2030-01-02, x-deprecated-sunset: 2031-02-03}", Some("2031-02-03"))]
    #[case::one_that_is_blank("{x-sunset: 2030-01-02, x-deprecated-sunset: ' '}", Some("2030-01-02"))]
    #[case::one_that_is_null("{x-sunset: 2030-01-02, x-deprecated-sunset: null}", Some("2030-01-02"))]
    #[case::no_date("{x-sunset: soon}", Some("soon"))]
    fn a_sunset_date_is_found(#[case] yaml: &str, #[case] expected: Option<&str>) {
        let root = read(yaml.as_bytes()).root.expect("YAML");
        assert_eq!(sunset(&root), expected);
    }

    #[rstest]
    #[case("2026-01-31", Some("2026-01-31"))]
    #[case(" 2026-01-31T00:00:00Z", Some("2026-01-31"))]
    #[case("2026-1-31", None)]
    #[case("20260131", None)]
    #[case("tomorrow, or so", None)]
    fn a_date_has_a_day(#[case] date: &str, #[case] expected: Option<&str>) {
        assert_eq!(day(date), expected);
    }
}
