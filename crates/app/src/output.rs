//! The output of commands: results on the standard output, everything else on the standard error.
//!
//! Texts for people can be by other users. They are written without characters that control a terminal or mislead its
//! reader. Texts for programs are written exactly.
use comfy_table::{ContentArrangement, Table, presets};
use domain::characters::is_misleading;
use std::fmt::Display;
use std::io::{ErrorKind, IsTerminal, Write};
use std::sync::OnceLock;

/// The first error while writing results.
static FAULT: OnceLock<std::io::Error> = OnceLock::new();

/// The first error while writing results, such as a full disk. A reader that ends early is not an error.
pub(crate) fn fault() -> Option<&'static std::io::Error> {
    FAULT.get()
}

/// Prints results. A reader that ends early (`octavo token list | head -1`) is not an error.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Output {
    json: bool,
}

impl Output {
    /// Prints for people.
    pub(crate) fn people() -> Self {
        Self { json: false }
    }

    /// Prints JSON if `json` is set, otherwise for people.
    pub(crate) fn new(json: bool) -> Self {
        Self { json }
    }

    pub(crate) fn is_json(self) -> bool {
        self.json
    }

    pub(crate) fn line(self, line: impl Display) {
        let _closed = self.deliver(line);
    }

    /// Prints a line. Returns whether the output could be written.
    pub(crate) fn deliver(self, line: impl Display) -> bool {
        if self.json { write_line(line) } else { write_line(harmless(line, &LINES)) }
    }

    /// Prints a text that programs read, as it is.
    pub(crate) fn exact(self, text: impl Display) {
        let _closed = write_line(text);
    }

    pub(crate) fn json(self, value: &serde_json::Value) {
        self.exact(format_args!("{value:#}"));
    }

    /// Prints a message that is not a result.
    pub(crate) fn note(self, note: impl Display) {
        let _closed = writeln!(std::io::stderr().lock(), "{}", harmless(note, &LINES));
    }

    /// Whether the standard error is a terminal, so that progress can be shown.
    pub(crate) fn is_watched(self) -> bool {
        !self.json && std::io::stderr().is_terminal()
    }

    /// Prints a table, or the message `nothing` if there are no rows.
    pub(crate) fn table<const N: usize>(self, header: [&str; N], rows: Vec<[String; N]>, nothing: &str) {
        if rows.is_empty() {
            self.note(nothing);
            return;
        }
        let mut table = Table::new();
        // A line break in a cell would look like another row.
        let rows = rows.into_iter().map(|row| row.map(|cell| harmless(cell, &[])));
        table.load_style(presets::NOTHING).set_header(header.map(str::to_uppercase)).add_rows(rows);
        table.set_content_arrangement(ContentArrangement::Disabled);
        for column in table.column_iter_mut() {
            column.set_padding((0, 2));
        }
        for line in table.lines() {
            self.line(line.trim_end());
        }
    }
}

/// Writes a line of results. Returns whether it could be written.
fn write_line(line: impl Display) -> bool {
    match writeln!(std::io::stdout().lock(), "{line}") {
        Ok(()) => true,
        Err(error) => {
            if error.kind() != ErrorKind::BrokenPipe {
                let _first = FAULT.set(error);
            }
            false
        }
    }
}

/// The control characters of texts with several lines.
const LINES: [char; 2] = ['\n', '\t'];

/// A text with escapes, as in Rust, in place of control characters except `kept`, and of characters that make a text
/// look like another one.
fn harmless(text: impl Display, kept: &[char]) -> String {
    let is_harmful = |c: char| (c.is_control() && !kept.contains(&c)) || is_misleading(c);
    let mut harmless = String::new();
    for character in text.to_string().chars() {
        if is_harmful(character) {
            harmless.extend(character.escape_default());
        } else {
            harmless.push(character);
        }
    }
    harmless
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("Größe: 日本語 👩\u{200d}💻", "Größe: 日本語 👩\u{200d}💻", "Größe: 日本語 👩\u{200d}💻")]
    #[case("one\n\ttwo", "one\n\ttwo", "one\\n\\ttwo")]
    #[case("\u{1b}[31mred\r", "\\u{1b}[31mred\\r", "\\u{1b}[31mred\\r")]
    #[case("\u{9b}2J\u{7f}", "\\u{9b}2J\\u{7f}", "\\u{9b}2J\\u{7f}")]
    #[case("a\u{202e}fdp.exe", "a\\u{202e}fdp.exe", "a\\u{202e}fdp.exe")]
    fn texts_do_not_control_the_terminal(#[case] text: &str, #[case] lines: &str, #[case] cell: &str) {
        assert_eq!((harmless(text, &LINES).as_str(), harmless(text, &[]).as_str()), (lines, cell));
    }
}
