//! Byte ranges of files (RFC 9110, section 14).
use crate::conditional::range_applies;
use actix_web::HttpRequest;
use actix_web::http::header::RANGE;

/// The requested part of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestedRange {
    /// The whole file.
    Whole,
    /// `length` bytes from `start`.
    Part {
        /// The first byte.
        start: u64,
        /// The number of bytes.
        length: u64,
    },
    /// A range outside of the file.
    Outside,
}

/// The part that a request asks for of a file of `size` bytes with this entity tag.
pub fn requested_range(request: &HttpRequest, tag: &str, size: u64) -> RequestedRange {
    let header = request.headers().get(RANGE).filter(|_| range_applies(request, tag));
    parse(header.and_then(|value| value.to_str().ok()), size)
}

/// Parses the header `Range` for a file of `size` bytes. Several ranges, or a unit other than bytes, select the whole
/// file, as the RFC allows.
fn parse(header: Option<&str>, size: u64) -> RequestedRange {
    let Some(range) = header.and_then(|header| header.trim().strip_prefix("bytes=")) else {
        return RequestedRange::Whole;
    };
    let Some((first, last)) = range.split_once('-').filter(|_| !range.contains(',')) else {
        return RequestedRange::Whole;
    };
    let number =
        |raw: &str| raw.bytes().all(|digit| digit.is_ascii_digit()).then(|| raw.parse::<u64>().unwrap_or(u64::MAX));
    let (first, last) = (first.trim(), last.trim());
    let (start, end) = match (first.is_empty(), last.is_empty(), number(first), number(last)) {
        (false, true, Some(first), _) => (first, size),
        (false, false, Some(first), Some(last)) if first <= last => (first, last.saturating_add(1).min(size)),
        (true, false, _, Some(0)) => return RequestedRange::Outside,
        (true, false, _, Some(suffix)) => (size.saturating_sub(suffix), size),
        _ => return RequestedRange::Whole,
    };
    if start >= size { RequestedRange::Outside } else { RequestedRange::Part { start, length: end - start } }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rstest::rstest;

    fn part(start: u64, length: u64) -> RequestedRange {
        RequestedRange::Part { start, length }
    }

    #[rstest]
    #[case(None, RequestedRange::Whole)]
    #[case(Some("bytes=0-9"), part(0, 10))]
    #[case(Some("bytes=0-0"), part(0, 1))]
    #[case(Some("bytes=90-"), part(90, 10))]
    #[case(Some("bytes=90-1000"), part(90, 10))]
    #[case(Some("bytes=-10"), part(90, 10))]
    #[case(Some("bytes=-1000"), part(0, 100))]
    #[case(Some("bytes=99999999999999999999-"), RequestedRange::Outside)]
    #[case(Some("bytes=0-99999999999999999999"), part(0, 100))]
    #[case(Some("bytes=100-"), RequestedRange::Outside)]
    #[case(Some("bytes=-0"), RequestedRange::Outside)]
    #[case(Some("bytes=9-0"), RequestedRange::Whole)]
    #[case(Some("bytes=0-1,5-6"), RequestedRange::Whole)]
    #[case(Some("bytes=-"), RequestedRange::Whole)]
    #[case(Some("bytes=a-b"), RequestedRange::Whole)]
    #[case(Some("bytes=+1-2"), RequestedRange::Whole)]
    #[case(Some("pages=1-2"), RequestedRange::Whole)]
    fn a_part_is_cut_to_what_is_there(#[case] header: Option<&str>, #[case] expected: RequestedRange) {
        assert_eq!(parse(header, 100), expected);
    }

    #[test]
    fn an_empty_file_has_no_part() {
        assert_eq!(parse(Some("bytes=0-"), 0), RequestedRange::Outside);
        assert_eq!(parse(Some("bytes=-1"), 0), RequestedRange::Outside);
    }

    proptest! {
        #[test]
        fn a_part_never_leaves_the_file(header in "bytes=[0-9]{0,21}-[0-9]{0,21}", size in 0u64..1000) {
            if let RequestedRange::Part { start, length } = parse(Some(&header), size) {
                prop_assert!(length > 0 && start + length <= size);
            }
        }
    }
}
