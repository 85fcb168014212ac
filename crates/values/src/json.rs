//! Errors about JSON that name the field and the rule.
use crate::text::Invalid;

/// Converts an error of serde into a field and a rule. Serde's messages repeat the value; these do not. `field` is the
/// path of the value; `body` for the whole body of a request.
pub fn serde_error(field: &str, text: &str) -> Invalid {
    let quoted = |prefix: &str| text.strip_prefix(prefix)?.split('`').next();
    let inside = |name: &str| if field == "body" { name.to_owned() } else { format!("{field}.{name}") };
    if let Some(name) = quoted("missing field `") {
        return Invalid::new(inside(name), "is required");
    }
    if let Some(name) = quoted("duplicate field `") {
        return Invalid::new(inside(name), "is given twice");
    }
    let repeats_the_value = ["invalid type", "invalid value", "invalid length", "unknown variant"];
    match text.rsplit_once(", expected ") {
        Some((before, expected)) if repeats_the_value.iter().any(|start| before.starts_with(start)) => {
            Invalid::new(field, format!("must be {}", in_words_of_json(expected)))
        }
        _ => Invalid::new(field, text),
    }
}

/// What serde expects, without the names of types in this program.
fn in_words_of_json(expected: &str) -> &str {
    match expected {
        // How serde distinguishes variants is internal; the caller only needs to know that a type is required.
        tagged if tagged.contains("tagged enum") => "an object that names its type",
        named if named.starts_with("struct ") => "an object",
        "a map" => "an object",
        "a sequence" => "a list",
        "variant identifier" => "a string",
        "u8" => "a whole number from 0 to 255",
        "u16" => "a whole number from 0 to 65535",
        "u32" => "a whole number from 0 to 4294967295",
        "u64" | "usize" => "a whole number, not below 0",
        "i8" | "i16" | "i32" | "i64" => "a whole number",
        "f32" | "f64" | "a JSON number" => "a number",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("invalid type: string \"canary\", expected a boolean", "a.b: must be a boolean")]
    #[case("invalid type: string \"a, expected b\", expected u32", "a.b: must be a whole number from 0 to 4294967295")]
    #[case("invalid value: integer `-1`, expected u64", "a.b: must be a whole number, not below 0")]
    #[case("unknown variant `canary`, expected `live` or `locked`", "a.b: must be `live` or `locked`")]
    #[case("unknown variant `canary`, expected one of `a`, `b`, `c`", "a.b: must be one of `a`, `b`, `c`")]
    #[case("missing field `c`", "a.b.c: is required")]
    #[case("duplicate field `c`", "a.b.c: is given twice")]
    #[case("must be at most 100 characters", "a.b: must be at most 100 characters")]
    fn an_error_names_the_field_and_the_rule_and_not_the_value(#[case] text: &str, #[case] expected: &str) {
        assert_eq!(serde_error("a.b", text).to_string(), expected);
    }

    #[test]
    fn a_field_of_the_whole_body_has_no_prefix() {
        assert_eq!(serde_error("body", "missing field `c`").to_string(), "c: is required");
    }
}
