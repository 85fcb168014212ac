//! What commands print: results to the standard output, everything else to the standard error.
use comfy_table::{ContentArrangement, Table, presets};
use std::fmt::Display;
use std::io::{ErrorKind, IsTerminal, Write};
use std::sync::OnceLock;

/// Why results could not be written, where they could not.
static FAULT: OnceLock<std::io::Error> = OnceLock::new();

/// Why results could not be written, such as a full disk. That nobody reads them (any more) is no fault.
pub(crate) fn fault() -> Option<&'static std::io::Error> {
    FAULT.get()
}

/// Prints results. A reader that stops early (`octavo token list | head -1`) is no error.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Output {
    json: bool,
}

impl Output {
    /// Prints for people.
    pub(crate) fn people() -> Self {
        Self { json: false }
    }

    /// Prints for people, or JSON where that was asked for.
    pub(crate) fn new(json: bool) -> Self {
        Self { json }
    }

    /// Whether JSON was asked for.
    pub(crate) fn is_json(self) -> bool {
        self.json
    }

    /// Prints a line.
    pub(crate) fn line(self, line: impl Display) {
        let _closed = self.deliver(line);
    }

    /// Prints a line. Whether somebody is there to read it.
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

    /// Prints a JSON value.
    pub(crate) fn json(self, value: &serde_json::Value) {
        self.line(format_args!("{value:#}"));
    }

    /// Tells a person something that is no result.
    pub(crate) fn note(self, note: impl Display) {
        let _closed = writeln!(std::io::stderr().lock(), "{note}");
    }

    /// Whether a person watches, so that progress can be drawn.
    pub(crate) fn is_watched(self) -> bool {
        !self.json && std::io::stderr().is_terminal()
    }

    /// Prints a table, or says that there is nothing to show.
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
