//! Times in responses.
use chrono::{DateTime, Datelike, Timelike, Utc};
use serde::{Serialize, Serializer};

/// Use with `#[serde(serialize_with = "…")]` for the times of lists: the same text as that of chrono, which takes five
/// times as long, because it formats the digits one after the other through a formatter.
pub(super) fn write_time<S: Serializer>(at: &DateTime<Utc>, serializer: S) -> Result<S::Ok, S::Error> {
    let mut text = *b"0000-00-00T00:00:00.000000000Z";
    let Some(length) = format(at, &mut text) else { return at.serialize(serializer) };
    match text.get(..length).map(str::from_utf8) {
        Some(Ok(text)) => serializer.serialize_str(text),
        Some(Err(_)) | None => at.serialize(serializer),
    }
}

/// Formats a time and returns the length of its text; `None` for a leap second and for a year that does not have four
/// digits.
fn format(at: &DateTime<Utc>, text: &mut [u8; 30]) -> Option<usize> {
    let at = at.naive_utc();
    let (year, nanoseconds) = (u32::try_from(at.year()).ok()?, at.nanosecond());
    if year > 9999 || nanoseconds >= 1_000_000_000 {
        return None;
    }
    digits(&mut text[..4], year);
    digits(&mut text[5..7], at.month());
    digits(&mut text[8..10], at.day());
    digits(&mut text[11..13], at.hour());
    digits(&mut text[14..16], at.minute());
    digits(&mut text[17..19], at.second());
    digits(&mut text[20..29], nanoseconds);
    // A fraction has as many digits as it needs: none, or three, six or nine.
    let end = match nanoseconds {
        0 => 19,
        _ if nanoseconds.is_multiple_of(1_000_000) => 23,
        _ if nanoseconds.is_multiple_of(1_000) => 26,
        _ => 29,
    };
    text[end] = b'Z';
    Some(end + 1)
}

/// Writes a number with leading zeros.
fn digits(out: &mut [u8], mut number: u32) {
    for digit in out.iter_mut().rev() {
        *digit = b'0' + (number % 10) as u8;
        number /= 10;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rstest::rstest;

    fn written(at: &DateTime<Utc>) -> String {
        let mut json = Vec::new();
        write_time(at, &mut serde_json::Serializer::new(&mut json)).unwrap();
        String::from_utf8(json).unwrap()
    }

    #[rstest]
    #[case::without_a_fraction("1970-01-01T00:00:00Z")]
    #[case::with_milliseconds("2026-11-28T03:44:07.020Z")]
    #[case::with_microseconds("2026-02-28T23:59:59.372740Z")]
    #[case::with_nanoseconds("2024-02-29T12:00:00.000000001Z")]
    #[case::the_last_year_with_four_digits("9999-12-31T23:59:59.999999Z")]
    #[case::a_later_year("+10000-01-01T00:00:00Z")]
    #[case::the_first_year("0000-01-01T00:00:00Z")]
    #[case::an_earlier_year("-0001-12-31T23:59:59Z")]
    #[case::a_leap_second("2016-12-31T23:59:60Z")]
    fn a_time_is_written_as_it_is_read(#[case] text: &str) {
        assert_eq!(written(&text.parse().unwrap()), format!("\"{text}\""));
    }

    proptest! {
        #[test]
        fn a_time_is_written_as_chrono_writes_it(
            seconds in -70_000_000_000i64..300_000_000_000,
            nanoseconds in 0u32..1_000_000_000,
            precision in prop::sample::select(vec![1u32, 1_000, 1_000_000, 1_000_000_000]),
        ) {
            let at = DateTime::from_timestamp(seconds, nanoseconds / precision * precision).unwrap();
            prop_assert_eq!(written(&at), serde_json::to_string(&at).unwrap());
        }
    }
}
