//! Converts between columns and types of the domain. A value that does not convert was not written by this program: it
//! is reported as an error, never guessed.

use crate::error::internal;
use chrono::{DateTime, NaiveDateTime, Utc};
use domain::access::Role;
use domain::content::document::Document;
use domain::ports::StoreResult;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::fmt::Display;

/// A time as a column value, in UTC.
pub(super) fn time(at: DateTime<Utc>) -> NaiveDateTime {
    at.naive_utc()
}

/// Parses a text column.
pub(super) fn parsed<T, E>(column: &'static str, text: &str) -> StoreResult<T>
where
    T: std::str::FromStr<Err = E>,
    E: std::fmt::Display,
{
    text.parse().map_err(|error| internal(format!("stored {column} {text:?}: {error}")))
}

/// Parses a text column that may be NULL.
pub(super) fn parsed_if<T, E>(column: &'static str, text: Option<&str>) -> StoreResult<Option<T>>
where
    T: std::str::FromStr<Err = E>,
    E: std::fmt::Display,
{
    text.map(|text| parsed(column, text)).transpose()
}

/// Reads a JSON column.
pub(super) fn json<T: DeserializeOwned>(column: &'static str, value: Value) -> StoreResult<T> {
    serde_json::from_value(value).map_err(|error| internal(format!("stored {column}: {error}")))
}

/// Writes a JSON column.
pub(super) fn to_json<T: Serialize>(value: &T) -> StoreResult<Value> {
    serde_json::to_value(value).map_err(internal)
}

/// Reads a document.
pub(super) fn document(column: &'static str, text: &str) -> StoreResult<Document> {
    Document::decode(text.as_bytes()).map_err(|error| internal(format!("stored {column}: {error}")))
}

/// Writes a document.
pub(super) fn to_document(document: &Document) -> StoreResult<String> {
    String::from_utf8(document.encode()).map_err(internal)
}

/// Reads a counter column.
pub(super) fn number(column: &'static str, value: impl Copy + Display + TryInto<u32>) -> StoreResult<u32> {
    value.try_into().map_err(|_out_of_range| internal(format!("stored {column} is {value}")))
}

/// Writes a counter column.
pub(super) fn to_number(value: u32) -> StoreResult<i32> {
    i32::try_from(value).map_err(internal)
}

/// Reads a hash column.
pub(super) fn bytes32(column: &'static str, bytes: Vec<u8>) -> StoreResult<[u8; 32]> {
    bytes.try_into().map_err(|bytes: Vec<u8>| internal(format!("stored {column} has {} bytes", bytes.len())))
}

/// Ids as column values.
pub(super) fn strings<T: ToString>(ids: &[T]) -> Vec<String> {
    ids.iter().map(ToString::to_string).collect()
}

/// Reads a role column.
pub(super) fn role(text: Option<&str>) -> StoreResult<Option<Role>> {
    parsed_if("role", text)
}
