//! The JSON formats of requests and responses.
pub(crate) mod audit;
pub(crate) mod batch;
pub(crate) mod change;
pub(crate) mod change_request;
pub(crate) mod collection;
pub(crate) mod comment;
pub(crate) mod computed;
pub(crate) mod conflict;
pub(crate) mod content;
pub(crate) mod conversation;
pub(crate) mod glossary;
pub(crate) mod instructions;
pub(crate) mod invite;
pub(crate) mod link;
pub(crate) mod member;
pub(crate) mod merge_rules;
pub(crate) mod notification;
pub(crate) mod openapi_details;
pub(crate) mod openapi_spec;
pub(crate) mod organization;
pub(crate) mod page;
pub(crate) mod place;
pub(crate) mod review;
pub(crate) mod revision;
pub(crate) mod schemas;
pub(crate) mod site;
pub(crate) mod space;
pub(crate) mod team;
pub(crate) mod text;
pub(crate) mod token;
pub(crate) mod translation;
pub(crate) mod urls;
pub(crate) mod user;
pub(crate) mod webhook;
pub(crate) mod webhook_event;

use crate::request::strictly;
use chrono::{DateTime, Utc};
use domain::text::Invalid;
use serde::{Deserialize, Deserializer};

/// Use with `#[serde(default)]` for fields that cannot be null: absent is `None`, and `null` is an error.
fn given<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    strictly(deserializer).map(Some)
}

/// Parses a time, truncated to microseconds, the precision at which it is stored.
fn moment(field: &str, raw: &str) -> Result<DateTime<Utc>, Invalid> {
    let read = DateTime::parse_from_rfc3339(raw).ok();
    let kept = read.and_then(|moment| DateTime::from_timestamp_micros(moment.timestamp_micros()));
    kept.ok_or_else(|| Invalid::new(field, "must be a date and time such as 2030-01-31T12:00:00Z"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("2030-01-31T12:00:00Z", Some("2030-01-31T12:00:00+00:00"))]
    #[case("2030-01-31T12:00:00.123456789+02:00", Some("2030-01-31T10:00:00.123456+00:00"))]
    #[case("2030-01-31", None)]
    #[case("2030-01-31T12:00:00", None)]
    #[case("tomorrow", None)]
    fn a_moment_has_a_date_a_time_and_a_zone(#[case] raw: &str, #[case] read: Option<&str>) {
        assert_eq!(moment("from", raw).ok().map(|moment| moment.to_rfc3339()).as_deref(), read);
    }
}
