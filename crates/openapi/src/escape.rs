//! Texts in double quotation marks.

/// Writes a text in quotation marks, with the escapes that JSON, YAML, JavaScript, Python and Go share. `other` writes
/// each character that has none of them.
pub(crate) fn write_quoted(text: &str, out: &mut String, other: impl Fn(&mut String, char)) {
    out.push('"');
    for char in text.chars() {
        match char {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            char => other(out, char),
        }
    }
    out.push('"');
}
