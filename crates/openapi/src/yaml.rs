//! Writing YAML: a document as a text that reads back as the same document.
//!
//! Readers of YAML 1.1 and 1.2 differ in what a plain scalar is, so a text is plain only if it is a text for both:
//! `on`, `1.10` and `2024-01-01` get quotation marks.
use crate::escape;
use crate::tree::{Members, Node, Value};
use std::fmt::Write;

/// Values that are nested deeper are written as JSON, which is YAML too. So indentation does not make the text of a
/// deeply nested document many times as long.
const MAX_INDENTED: usize = 20;
/// The longest text without quotation marks, in bytes.
const MAX_PLAIN: usize = 200;
/// The maximum number of characters of a key without a mark, including its quotation marks.
const MAX_KEY: usize = 1024;
/// Words that are not texts in YAML 1.1 or 1.2, in lower case.
const WORDS: [&str; 9] = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"];

/// The document as YAML.
pub fn to_yaml(root: &Node) -> String {
    let mut out = String::new();
    write_block(root, 0, &mut out);
    out
}

/// Writes a value at the present position, and the end of its line. Further lines are indented for this level.
fn write_block(node: &Node, level: usize, out: &mut String) {
    match &node.value {
        Value::Map(members) if !members.is_empty() && level < MAX_INDENTED => write_members(members, level, out),
        Value::List(items) if !items.is_empty() && level < MAX_INDENTED => {
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    indent(level, out);
                }
                out.push_str("- ");
                write_block(item, level + 1, out);
            }
        }
        Value::Text(text) if level > 0 && level < MAX_INDENTED && is_literal(text) => write_literal(text, level, out),
        _ => {
            write_flow(node, out);
            out.push('\n');
        }
    }
}

fn write_members(members: &Members, level: usize, out: &mut String) {
    for (index, (key, member)) in members.iter().enumerate() {
        if index > 0 {
            indent(level, out);
        }
        if is_long(key) {
            out.push_str("? ");
            write_quoted(key, out);
            out.push('\n');
            indent(level, out);
        } else {
            write_text(key, out);
        }
        out.push(':');
        let is_open = match &member.node.value {
            Value::Map(members) => !members.is_empty(),
            Value::List(items) => !items.is_empty(),
            _ => false,
        };
        if is_open && level + 1 < MAX_INDENTED {
            out.push('\n');
            indent(level + 1, out);
        } else {
            out.push(' ');
        }
        write_block(&member.node, level + 1, out);
    }
}

/// Whether a key needs an explicit mark: without one, YAML allows only 1,024 characters (YAML 1.2.2, 7.4.2).
fn is_long(key: &str) -> bool {
    key.len() > MAX_KEY / 12 && quoted_length(key) > MAX_KEY
}

/// The number of characters of a text between quotation marks.
fn quoted_length(text: &str) -> usize {
    let mut quoted = String::new();
    write_quoted(text, &mut quoted);
    quoted.chars().count()
}

fn indent(level: usize, out: &mut String) {
    out.extend(std::iter::repeat_n("  ", level));
}

/// Writes a value in one line.
fn write_flow(node: &Node, out: &mut String) {
    match &node.value {
        Value::Null => out.push_str("null"),
        Value::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        Value::Number(digits) => out.push_str(digits),
        Value::Text(text) => write_text(text, out),
        Value::List(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                out.push_str(if index > 0 { ", " } else { "" });
                write_flow(item, out);
            }
            out.push(']');
        }
        Value::Map(members) => {
            out.push('{');
            for (index, (key, member)) in members.iter().enumerate() {
                out.push_str(if index > 0 { ", " } else { "" });
                out.push_str(if is_long(key) { "? " } else { "" });
                write_quoted(key, out);
                out.push_str(if is_long(key) { " : " } else { ": " });
                write_flow(&member.node, out);
            }
            out.push('}');
        }
    }
}

fn write_text(text: &str, out: &mut String) {
    if is_plain(text) { out.push_str(text) } else { write_quoted(text, out) }
}

/// Whether every parser reads the text as a text without quotation marks: it begins like a word or a path, has no
/// character with a meaning in YAML, and is not a word with another meaning.
fn is_plain(text: &str) -> bool {
    let harmless = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b' ' | b'_' | b'-' | b'.' | b'/');
    text.len() <= MAX_PLAIN
        && text.bytes().next().is_some_and(|first| first.is_ascii_alphabetic() || first == b'/')
        && text.bytes().all(harmless)
        && !text.ends_with(' ')
        && !WORDS.contains(&text.to_ascii_lowercase().as_str())
}

/// Whether a text of several lines can be written unchanged.
fn is_literal(text: &str) -> bool {
    let text = text.strip_suffix('\n').unwrap_or(text);
    let is_line = |line: &str| line.is_empty() || !line.starts_with([' ', '\t']) || !line.trim().is_empty();
    text.contains('\n')
        && text.starts_with(|first: char| !first.is_whitespace())
        && !text.ends_with('\n')
        && text.split('\n').all(is_line)
        && text.chars().all(|char| char == '\n' || is_printable(char))
}

fn write_literal(text: &str, level: usize, out: &mut String) {
    let body = text.strip_suffix('\n');
    out.push_str(if body.is_some() { "|\n" } else { "|-\n" });
    for line in body.unwrap_or(text).split('\n') {
        if !line.is_empty() {
            indent(level, out);
            out.push_str(line);
        }
        out.push('\n');
    }
}

/// Whether YAML allows a character without an escape, and no reader takes it for the end of a line.
fn is_printable(char: char) -> bool {
    !matches!(char, '\0'..=' ' | '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
        || matches!(char, ' ')
}

fn write_quoted(text: &str, out: &mut String) {
    escape::write_quoted(text, out, |out, char| {
        if is_printable(char) {
            out.push(char);
        } else {
            // Writing to a text cannot fail. All of them have at most four digits.
            let _ = write!(out, "\\u{:04x}", u32::from(char));
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{Format, read};
    use proptest::prelude::*;
    use rstest::rstest;

    fn tree(json: &str) -> Node {
        read(json.as_bytes()).root.expect("JSON")
    }

    /// Writes a value and reads it again.
    fn again(node: &Node) -> String {
        let text = to_yaml(node);
        let reading = read(text.as_bytes());
        reading.root.unwrap_or_else(|| panic!("{:?}\n{text}", reading.findings)).to_json()
    }

    #[test]
    fn a_document_is_written_in_blocks() {
        let root = tree(
            r#"{"openapi": "3.1.1", "info": {"title": "My pets", "version": "1.10", "description": "One\n\n  two\n"},
                "paths": {"/pets/{id}": {"get": {"tags": ["on", "b"], "responses": {"200": {}, "4XX": []}, "x": 1e3}}},
                "tags": [{"name": "yes", "x-more": [[1, null], {}]}]}"#,
        );
        let expected = "openapi: \"3.1.1\"\ninfo:\n  title: My pets\n  version: \"1.10\"\n  description: |\n    One\n\n      two\n\
                        paths:\n  \"/pets/{id}\":\n    get:\n      tags:\n        - \"on\"\n        - b\n      responses:\n        \
                        \"200\": {}\n        \"4XX\": []\n      x: 1e3\ntags:\n  - name: \"yes\"\n    x-more:\n      - - 1\n        \
                        - null\n      - {}\n";
        assert_eq!(to_yaml(&root), expected);
        assert_eq!(again(&root), root.to_json());
    }

    #[rstest]
    fn a_text_stays_a_text(
        #[values(
            "on",
            "Yes",
            "no",
            "y",
            "N",
            "off",
            "true",
            "NULL",
            "~",
            "",
            "1.10",
            "200",
            "0x1f",
            "0o7",
            "1e3",
            ".inf",
            ".nan",
            "2024-01-01",
            "2024-01-01T00:00:00Z",
            "12:30:45",
            "1_000",
            "+1",
            "-",
            "- a",
            "a: b",
            "a #b",
            "#a",
            "&a",
            "*a",
            "!a",
            "|",
            ">",
            "%a",
            "@a",
            "`a",
            "'a'",
            "\"a\"",
            "{a}",
            "[a]",
            "? a",
            "<<",
            "=",
            " a",
            "a ",
            "a\n",
            "\na",
            "a\n\nb",
            "a\n \nb",
            "a\n\tb",
            " a\nb",
            "a\nb\n\n",
            "a\r\nb",
            "a\u{85}b",
            "a\u{2028}b\nc",
            "\u{feff}a",
            "a\0b",
            "a\u{1f600}b",
            "---",
            "...",
            "a\n---\nb",
            "a\n...\nb",
            "#/components/schemas/Pet"
        )]
        text: &str,
    ) {
        let text = serde_json::to_string(text).expect("a text");
        for json in [
            format!("{{\"a\":{text}}}"),
            format!("[{text}]"),
            format!("{{{text}:1}}"),
            format!("[[{text}],{{\"a\":{{{text}:[{text}]}}}}]"),
        ] {
            let root = tree(&json);
            assert_eq!(again(&root), root.to_json(), "{}", to_yaml(&root));
        }
    }

    #[test]
    fn what_is_nested_deeply_does_not_grow() {
        let json = format!("{}{}{}", "[{\"a\":".repeat(90), "[1,\"on\",{\"b\":[]}]", "}]".repeat(90));
        let root = tree(&json);
        assert_eq!(again(&root), root.to_json());
        assert!(to_yaml(&root).len() < 3 * json.len());
    }

    #[test]
    fn a_long_key_has_a_mark() {
        let key = |length: usize| "k".repeat(length);
        let json = format!("{{\"{}\": {{\"{}\": [1]}}, \"a\": 2}}", key(1025), key(1022));
        let root = tree(&json);
        let yaml = to_yaml(&root);
        assert!(yaml.starts_with(&format!("? \"{}\"\n:\n  \"{}\":\n    - 1\na: 2", key(1025), key(1022))), "{yaml}");
        assert_eq!(again(&root), root.to_json());
        // In one line, too.
        let deep = format!("{}{{\"{}\":1,\"b\":2}}{}", "[".repeat(30), key(2000), "]".repeat(30));
        let root = tree(&deep);
        assert!(to_yaml(&root).contains("{? \"kk"));
        assert_eq!(again(&root), root.to_json());
    }

    fn any_value() -> impl Strategy<Value = serde_json::Value> {
        let text = prop_oneof![any::<String>(), "[ a-z0-9:#\\n\\t'\"\\\\|>.,{}\\[\\]-]{0,20}"];
        let leaf = prop_oneof![
            Just(serde_json::Value::Null),
            any::<bool>().prop_map(Into::into),
            any::<i64>().prop_map(Into::into),
            text.clone().prop_map(Into::into),
        ];
        leaf.prop_recursive(6, 60, 6, move |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Into::into),
                prop::collection::hash_map(text.clone(), inner, 0..6)
                    .prop_map(|pairs| serde_json::Value::Object(pairs.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn what_is_written_reads_back_as_the_same(value in any_value()) {
            let root = tree(&serde_json::Value::Array(vec![value]).to_string());
            prop_assert_eq!(again(&root), root.to_json());
        }
    }

    #[test]
    fn yaml_is_read_as_yaml() {
        assert_eq!(read(to_yaml(&tree("{\"a\": 1}")).as_bytes()).format, Format::Yaml);
    }
}
