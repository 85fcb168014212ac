//! JSON errors that name the field without repeating its value.
use super::Wire;
use super::place_of_error::place_of_error;
use super::strict::Strict;
use super::tracked::{Failed, tracked};
use domain::text::Invalid;
use domain::values::json::serde_error;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Parses a body.
///
/// # Errors
/// As [`read`].
pub(crate) fn read_body<T: Wire>(bytes: &[u8]) -> Result<T, Invalid> {
    match bytes.trim_ascii_start().first() {
        Some(b'{') => {}
        Some(b'[') if T::MAY_BE_LIST => {}
        _ if T::MAY_BE_LIST => return Err(Invalid::new("body", "must be a JSON object or a list")),
        // Otherwise serde would accept a list for an object, with its items as the fields in order.
        _ => return Err(Invalid::new("body", "must be a JSON object")),
    }
    parse(bytes)
}

/// Parses an object.
///
/// # Errors
/// The field, by its path, and the rule; the field is `body` for errors in the whole body.
pub(crate) fn read<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Invalid> {
    if !bytes.trim_ascii_start().starts_with(b"{") {
        return Err(Invalid::new("body", "must be a JSON object"));
    }
    parse(bytes)
}

fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Invalid> {
    refuse_deep(bytes)?;
    refuse_null_characters(bytes)?;
    let mut deserializer = serde_json::Deserializer::from_slice(bytes);
    let value = tracked(Strict(&mut deserializer)).map_err(|failed| match serde_json::from_slice::<Value>(bytes) {
        Ok(_) => wrong::<T>(bytes, &failed),
        Err(error) => broken(&error),
    })?;
    deserializer.end().map_err(|error| broken(&error))?;
    Ok(value)
}

/// The error for invalid JSON.
fn broken(error: &serde_json::Error) -> Invalid {
    let place = format!("line {}, column {}", error.line(), error.column());
    Invalid::new("body", format!("is not valid JSON ({place})"))
}

/// The error for a wrong value in valid JSON.
fn wrong<T: DeserializeOwned>(bytes: &[u8], Failed { path, text }: &Failed) -> Invalid {
    let text = text.rsplit_once(" at line ").map_or(text.as_str(), |(text, _)| text);
    let path = place_of_error::<T>(bytes, path, text).unwrap_or_else(|| path.to_string());
    let field = if path == "." { "body" } else { &path };
    serde_error(field, text)
}

/// The deepest nesting of JSON that serde reads in fields it knows.
const MAX_NESTING: usize = 127;

/// No field may be nested deeper than [`MAX_NESTING`]. Serde skips unknown fields of any depth.
fn refuse_deep(bytes: &[u8]) -> Result<(), Invalid> {
    let (mut depth, mut in_text, mut escaped) = (0usize, false, false);
    for byte in bytes {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_text => escaped = true,
            b'"' => in_text = !in_text,
            b'{' | b'[' if !in_text => depth += 1,
            b'}' | b']' if !in_text => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > MAX_NESTING {
            return Err(Invalid::new("body", format!("must be nested at most {MAX_NESTING} levels deep")));
        }
    }
    Ok(())
}

/// No text may contain U+0000, since PostgreSQL cannot store it.
fn refuse_null_characters(bytes: &[u8]) -> Result<(), Invalid> {
    let escaped = br"\u0000";
    if !bytes.windows(escaped.len()).any(|window| window == escaped) {
        return Ok(());
    }
    // The escape sequence may itself be escaped by a backslash, which only a parser can detect. Invalid JSON is
    // reported by the parsing that follows.
    let Ok(value) = serde_json::from_slice(bytes) else { return Ok(()) };
    match null_character(&value, &mut Vec::new()) {
        Some(path) => Err(Invalid::new(path, "must not contain U+0000")),
        None => Ok(()),
    }
}

/// The path of the first text with U+0000. The recursion is bounded: the parser stops at 128 levels.
fn null_character(value: &Value, path: &mut Vec<String>) -> Option<String> {
    let here = |path: &[String]| if path.is_empty() { "body".to_owned() } else { path.concat() };
    match value {
        Value::String(text) if text.contains('\0') => Some(here(path)),
        Value::Array(items) => items.iter().enumerate().find_map(|(at, item)| {
            path.push(format!("[{at}]"));
            let found = null_character(item, path);
            path.pop();
            found
        }),
        Value::Object(fields) => fields.iter().find_map(|(name, item)| {
            if name.contains('\0') {
                return Some(here(path));
            }
            path.push(if path.is_empty() { name.clone() } else { format!(".{name}") });
            let found = null_character(item, path);
            path.pop();
            found
        }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;
    use std::collections::BTreeMap;

    #[derive(Debug, serde::Deserialize)]
    struct Sent {
        title: String,
        #[serde(default)]
        changes: Vec<Change>,
        #[serde(default)]
        mode: Option<Mode>,
        #[serde(default)]
        places: BTreeMap<String, Change>,
        #[serde(default)]
        side: Option<Side>,
    }
    #[derive(Debug, serde::Deserialize)]
    struct Change {
        page: u8,
        #[serde(default = "locked")]
        mode: Mode,
    }
    fn locked() -> Mode {
        Mode::Locked
    }
    #[derive(Debug, serde::Deserialize)]
    #[serde(tag = "type", rename_all = "lowercase")]
    #[expect(dead_code, reason = "read for its errors")]
    enum Side {
        Left {
            page: u8,
        },
        Right {
            #[serde(deserialize_with = "crate::request::strictly")]
            change: Change,
        },
    }
    #[derive(Debug, serde::Deserialize)]
    #[serde(rename_all = "lowercase")]
    enum Mode {
        Live,
        Locked,
    }

    #[rstest]
    #[case("", "body: must be a JSON object")]
    #[case("{", "body: is not valid JSON (line 1, column 1)")]
    #[case(r#"["canary"]"#, "body: must be a JSON object")]
    #[case("7", "body: must be a JSON object")]
    #[case("{}", "title: is required")]
    #[case(r#"{"title":"a","title":"b"}"#, "title: is given twice")]
    #[case(r#"{"title":"canary"} x"#, "body: is not valid JSON (line 1, column 20)")]
    #[case(r#"{"title":["canary"]}"#, "title: must be a string")]
    #[case(
        r#"{"title":"a","changes":[{"page":1},{"page":"canary"}]}"#,
        "changes[1].page: must be a whole number from 0 to 255"
    )]
    #[case(r#"{"title":"a","changes":[{}]}"#, "changes[0].page: is required")]
    #[case(r#"{"title":"a","mode":"canary"}"#, "mode: must be `live` or `locked`")]
    #[case(r#"{"title":"a","mode":7}"#, "mode: must be `live` or `locked`")]
    #[case(
        r#"{"title":"a","changes":[{"page":1},{"page":1,"mode":null}]}"#,
        "changes[1].mode: must be `live` or `locked`"
    )]
    #[case(r#"{"title":"a","mode":{"live":null}}"#, "mode: must be `live` or `locked`")]
    #[case(r#"{"title":"a","changes":{"page":1}}"#, "changes: must be a list")]
    #[case(r#"{"title":"a","changes":[[1,"live"]]}"#, "changes[0]: must be an object")]
    #[case(r#"{"title":"a","places":{"a":[1]}}"#, "places.a: must be an object")]
    #[case(r#"{"title":"a","places":[]}"#, "places: must be an object")]
    #[case(r#"{"title":"a","side":["left",1]}"#, "side: must be an object that names its type")]
    #[case(r#"{"title":"a","side":{"type":0,"page":1}}"#, "side.type: must be a string")]
    #[case(r#"{"title":"a","side":{"type":"up"}}"#, "side.type: must be `left` or `right`")]
    #[case(r#"{"title":"a","side":{"type":"left"}}"#, "side.page: is required")]
    #[case(r#"{"title":"a","side":{"type":"right","change":[1,"live"]}}"#, "side.change: must be an object")]
    #[case(r#"{"title":"\ud800"}"#, "body: is not valid JSON (line 1, column 17)")]
    #[case(r#"{"title":"a\u0000"}"#, "title: must not contain U+0000")]
    #[case(r#"{"title":"a","x":[{"y":"\u0000"}]}"#, "x[0].y: must not contain U+0000")]
    fn an_error_names_the_field_and_the_rule_and_not_the_value(#[case] body: &str, #[case] message: &str) {
        let error = read::<Sent>(body.as_bytes()).unwrap_err().to_string();
        assert_eq!(error, message);
    }

    #[test]
    fn every_shape_of_the_api_is_read() {
        let body = r#"{"title":"a","changes":[{"page":1,"mode":"live"}],"mode":null,"places":{"a":{"page":255}},
            "side":{"change":{"page":7},"type":"right"},"unknown":[{"a":[1,2.5,-3,null,true]}]}"#;
        let sent = read::<Sent>(body.as_bytes()).unwrap();
        assert!(matches!(sent.changes[..], [Change { page: 1, mode: Mode::Live }]) && sent.mode.is_none());
        assert!(matches!(sent.places["a"], Change { page: 255, mode: Mode::Locked }));
        assert!(matches!(sent.side, Some(Side::Right { change: Change { page: 7, .. } })));
    }

    #[test]
    fn a_value_of_any_shape_is_read_as_it_is() {
        let body = r#"{"a":[[1,2.5],{"b":"c"},-3,null,true],"d":18446744073709551615}"#;
        assert_eq!(
            read::<serde_json::Value>(body.as_bytes()).unwrap(),
            serde_json::from_str::<serde_json::Value>(body).unwrap()
        );
    }

    #[test]
    fn a_backslash_before_u0000_is_a_backslash() {
        assert_eq!(read::<Sent>(br#"{"title":"\\u0000"}"#).unwrap().title, r"\u0000");
    }

    #[test]
    fn bytes_that_are_no_text_are_refused() {
        assert!(read::<Sent>(b"{\"title\":\"\xff\"}").is_err());
    }

    /// An object with a field whose lists make it so many levels deep.
    fn nested(levels: usize, field: &str) -> String {
        let lists = levels - 1;
        format!(r#"{{"title":"a","{field}":{}{}}}"#, "[".repeat(lists), "]".repeat(lists))
    }

    #[rstest]
    #[case::known(&nested(MAX_NESTING + 1, "changes"))]
    #[case::unknown(&nested(MAX_NESTING + 1, "unknown"))]
    #[case::never_closed(&r#"{"a":"#.repeat(100_000))]
    fn deep_nesting_is_an_error_in_every_field(#[case] body: &str) {
        let error = read::<Sent>(body.as_bytes()).unwrap_err().to_string();
        assert_eq!(error, "body: must be nested at most 127 levels deep");
    }

    #[test]
    fn the_deepest_nesting_is_accepted_and_brackets_in_texts_do_not_count() {
        assert!(read::<Sent>(nested(MAX_NESTING, "unknown").as_bytes()).is_ok());
        assert!(read::<serde_json::Value>(nested(MAX_NESTING, "unknown").as_bytes()).is_ok());
        assert!(read::<Sent>(format!(r#"{{"title":"\"{}"}}"#, "[".repeat(200)).as_bytes()).is_ok());
    }
}
