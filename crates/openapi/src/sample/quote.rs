//! Texts as literals of a language.
//!
//! A literal is the text itself and nothing else: no part of it is run, and no variable or command in it is replaced.
use crate::escape::write_quoted;
use std::fmt::Write;
use values::characters::is_invisible;

/// Whether a character is escaped in code, which must be what it looks like.
pub(super) fn is_hidden(char: char) -> bool {
    char.is_control() || is_invisible(char)
}

/// A word of a shell. It keeps line ends as they are.
pub(super) fn shell(text: &str) -> String {
    if !text.chars().any(|char| is_hidden(char) && char != '\n') {
        return format!("'{}'", text.replace('\'', r"'\''"));
    }
    let mut out = String::from("$'");
    let mut buffer = [0; 4];
    for char in text.chars() {
        match char {
            '\'' => out.push_str(r"\'"),
            '\\' => out.push_str(r"\\"),
            '\n' => out.push('\n'),
            // Interactive shells expand history before they parse quotation marks.
            char if is_hidden(char) || char == '!' => {
                for byte in char.encode_utf8(&mut buffer).bytes() {
                    escape(&mut out, format_args!(r"\{byte:03o}"));
                }
            }
            char => out.push(char),
        }
    }
    out.push('\'');
    out
}

/// A string of JavaScript. It is safe in a script of an HTML page.
pub(super) fn javascript(text: &str) -> String {
    let literal = quoted(text, |out, char| match u32::from(char) {
        code @ 0..=0xff => escape(out, format_args!(r"\x{code:02x}")),
        code @ 0x100..=0xffff => escape(out, format_args!(r"\u{code:04x}")),
        code => escape(out, format_args!(r"\u{{{code:x}}}")),
    });
    escape_tag(&escape_tag(&literal, "</script"), "<!--")
}

/// The text with a backslash behind each `<` that this word begins with. HTML parsers take no notice of case.
fn escape_tag(text: &str, word: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for (start, _) in text.match_indices('<') {
        let is_word = text
            .as_bytes()
            .get(start..start + word.len())
            .is_some_and(|found| found.eq_ignore_ascii_case(word.as_bytes()));
        if is_word {
            out.push_str(text.get(done..start + 1).unwrap_or_default());
            out.push('\\');
            done = start + 1;
        }
    }
    out.push_str(text.get(done..).unwrap_or_default());
    out
}

/// A string of Python.
pub(super) fn python(text: &str) -> String {
    quoted(text, |out, char| match u32::from(char) {
        code @ 0..=0xff => escape(out, format_args!(r"\x{code:02x}")),
        code @ 0x100..=0xffff => escape(out, format_args!(r"\u{code:04x}")),
        code => escape(out, format_args!(r"\U{code:08x}")),
    })
}

/// A string of Go.
pub(super) fn go(text: &str) -> String {
    // `\x` would be a byte and not a character.
    quoted(text, |out, char| match u32::from(char) {
        code @ 0..=0xffff => escape(out, format_args!(r"\u{code:04x}")),
        code => escape(out, format_args!(r"\U{code:08x}")),
    })
}

/// A string of Go; a raw string with several lines, if Go allows that.
pub(super) fn go_lines(text: &str) -> String {
    let is_plain = text.chars().all(|char| char != '`' && (char == '\n' || !is_hidden(char)));
    if text.contains('\n') && is_plain { format!("`{text}`") } else { go(text) }
}

/// A text in quotation marks. `hidden` writes the escape of a hidden character.
fn quoted(text: &str, hidden: fn(&mut String, char)) -> String {
    let mut out = String::new();
    write_quoted(text, &mut out, |out, char| if is_hidden(char) { hidden(out, char) } else { out.push(char) });
    out
}

fn escape(out: &mut String, escape: std::fmt::Arguments<'_>) {
    // Writing to a text cannot fail.
    let _ = out.write_fmt(escape);
}
