//! The output of commands: results on the standard output, everything else on the standard error.
use comfy_table::{ContentArrangement, Table, presets};
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

    pub(crate) fn json(self, value: &serde_json::Value) {
        self.line(format_args!("{value:#}"));
    }

    /// Prints a message that is not a result.
    pub(crate) fn note(self, note: impl Display) {
        let _closed = writeln!(std::io::stderr().lock(), "{note}");
    }

    /// Whether the standard error is a terminal, so that progress can be drawn.
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
