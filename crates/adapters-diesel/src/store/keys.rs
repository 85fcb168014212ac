//! Page keys of lists that are ordered by time.
use crate::error::internal;
use chrono::{DateTime, NaiveDateTime};
use domain::ports::StoreResult;

/// Encodes a page key: `microseconds id`.
pub(super) fn time_key(at: NaiveDateTime, id: &str) -> String {
    format!("{} {id}", at.and_utc().timestamp_micros())
}

/// Decodes a page key.
pub(super) fn read_time_key(key: &str) -> StoreResult<(NaiveDateTime, &str)> {
    let parts = key.split_once(' ').and_then(|(micros, id)| {
        let at = DateTime::from_timestamp_micros(micros.parse().ok()?)?;
        Some((at.naive_utc(), id))
    });
    parts.ok_or_else(|| internal(format!("invalid page key {key:?}")))
}
