//! Parsing: from bytes to a tree of values with their places.
//!
//! JSON has a scanner of its own, as YAML does not allow all characters that JSON does. YAML comes as events of a
//! parser; its scalars follow the core schema of YAML 1.2, so `yes`, `on` and `2024-01-01` are texts.
mod build;
mod json;
mod scalar;
#[cfg(test)]
mod tests;
mod yaml;

use crate::deadline::{Deadline, too_slow};
use crate::finding::{Code, Finding};
use crate::tree::{Node, Path, Place};
use std::borrow::Cow;

/// The maximum size of a document, in bytes.
pub const MAX_BYTES: usize = 32 * 1024 * 1024;
/// The maximum number of values of a document.
pub const MAX_VALUES: usize = 4_000_000;
/// The maximum number of values that the aliases of a YAML document copy, and of values below its anchors.
const MAX_COPIES: usize = 200_000;
/// The maximum size of the texts and keys that aliases copy, and of those below anchors, in bytes.
const MAX_COPIED_BYTES: usize = MAX_BYTES;
/// The maximum depth of mappings and lists.
pub const MAX_DEPTH: usize = 200;
/// The maximum size of a key, and of all keys on the path to a value, in bytes.
pub const MAX_KEY: usize = 64 * 1024;

/// The format of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// JSON.
    Json,
    /// YAML.
    Yaml,
}

/// A text that was read.
#[derive(Clone, Debug)]
pub struct Reading {
    /// Its format; JSON only if it is valid JSON.
    pub format: Format,
    /// The document; `None` if there is a fatal finding.
    pub root: Option<Node>,
    /// The number of its values; 0 if there is a fatal finding.
    pub values: usize,
    /// The problems of the text: one fatal finding, or keys that are defined twice (the first 1,000).
    pub findings: Vec<Finding>,
}

/// Reads a text: UTF-8, or UTF-16 with its byte order mark.
pub fn read(bytes: &[u8]) -> Reading {
    read_within(bytes, &Limits::of_document(&Deadline::never()))
}

/// The limits for reading a file.
#[derive(Clone, Copy, Debug)]
pub struct Limits<'a> {
    /// The number of the file, for its places.
    pub file: u16,
    /// The maximum number of values: the rest of [`MAX_VALUES`] after the files that were read before.
    pub values: usize,
    /// The deadline of reading.
    pub deadline: &'a Deadline<'a>,
}

impl<'a> Limits<'a> {
    /// The limits of a document, before its other files.
    pub fn of_document(deadline: &'a Deadline<'a>) -> Self {
        Self { file: 0, values: MAX_VALUES, deadline }
    }

    /// Fails if there are more values.
    fn check_values(&self, values: usize, at: Place) -> Result<(), Fault> {
        if values <= self.values {
            return Ok(());
        }
        let message = if self.file == 0 {
            "the document has more than 4,000,000 values"
        } else {
            "the files of the document have together more than 4,000,000 values"
        };
        Err(Fault { code: Code::TooLarge, at, message: message.to_owned() })
    }

    /// Fails if the deadline is over.
    fn check_time(&self, at: Place) -> Result<(), Fault> {
        if self.deadline.is_over() { Err(Fault { code: Code::TooSlow, at, message: too_slow() }) } else { Ok(()) }
    }
}

/// Reads a text within limits.
pub fn read_within(bytes: &[u8], limits: &Limits<'_>) -> Reading {
    let file = limits.file;
    let start = Place { file, line: 1, column: 1 };
    if bytes.len() > MAX_BYTES {
        let message = format!("the document has more than {} MiB", MAX_BYTES >> 20);
        return failed(Format::Yaml, Fault { code: Code::TooLarge, at: start, message });
    }
    match decoded(bytes) {
        Ok(text) => read_text(text.strip_prefix('\u{feff}').unwrap_or(&text), limits),
        Err(valid) => {
            let mut mark = Mark::new(file);
            mark.advance(&bytes[..valid]);
            let message = match bytes {
                [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => "this is not UTF-16 text, as its byte order mark says",
                _ => "this is not UTF-8 text",
            };
            failed(Format::Yaml, Fault { code: Code::NotText, at: mark.place, message: message.to_owned() })
        }
    }
}

/// The text of a document: UTF-8 as it is, or decoded from UTF-16.
///
/// # Errors
/// The number of bytes that are text, before the first that are not.
pub fn decoded(bytes: &[u8]) -> Result<Cow<'_, str>, usize> {
    match bytes {
        [0xff, 0xfe, rest @ ..] => decode(rest, u16::from_le_bytes).map(Cow::Owned).ok_or(0),
        [0xfe, 0xff, rest @ ..] => decode(rest, u16::from_be_bytes).map(Cow::Owned).ok_or(0),
        _ => std::str::from_utf8(bytes).map(Cow::Borrowed).map_err(|error| error.valid_up_to()),
    }
}

/// Decodes UTF-16; `None` if it is invalid.
fn decode(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Option<String> {
    let (pairs, rest) = bytes.as_chunks::<2>();
    let text = char::decode_utf16(pairs.iter().map(|pair| unit(*pair))).collect::<Result<String, _>>().ok()?;
    rest.is_empty().then_some(text)
}

fn read_text(text: &str, limits: &Limits<'_>) -> Reading {
    if !text.trim_start().starts_with(['{', '[']) {
        return finish(Format::Yaml, yaml::read(text, limits));
    }
    let fault = match json::read(text, limits) {
        Ok(built) => return finish(Format::Json, Ok(built)),
        Err(fault) if fault.code != Code::Syntax => return failed(Format::Json, fault),
        Err(fault) => fault,
    };
    match yaml::read(text, limits) {
        Err(other) if other.code == Code::Syntax && other.at <= fault.at => failed(Format::Json, fault),
        result => finish(Format::Yaml, result),
    }
}

fn finish(format: Format, result: Result<build::Built, Fault>) -> Reading {
    match result {
        Ok(built) => Reading { format, root: Some(built.root), values: built.values, findings: built.findings },
        Err(fault) => failed(format, fault),
    }
}

fn failed(format: Format, fault: Fault) -> Reading {
    let finding = Finding::new(fault.code, fault.at, Path::default(), fault.message);
    Reading { format, root: None, values: 0, findings: vec![finding] }
}

/// Why a text cannot be read.
#[derive(Debug)]
struct Fault {
    code: Code,
    at: Place,
    message: String,
}

impl Fault {
    fn syntax(at: Place, what: impl std::fmt::Display) -> Self {
        Self { code: Code::Syntax, at, message: format!("this is neither JSON nor YAML: {what}") }
    }

    fn too_large(at: Place, what: impl std::fmt::Display) -> Self {
        Self { code: Code::TooLarge, at, message: format!("the document has {what}") }
    }
}

/// A place that advances through a text.
struct Mark {
    place: Place,
    after_return: bool,
}

impl Mark {
    fn new(file: u16) -> Self {
        Self { place: Place { file, line: 1, column: 1 }, after_return: false }
    }

    /// Moves over these bytes of UTF-8. A line ends with `\n`, `\r\n` or `\r`.
    fn advance(&mut self, bytes: &[u8]) {
        for byte in bytes {
            match byte {
                b'\n' if self.after_return => {}
                b'\n' | b'\r' => {
                    self.place.line += 1;
                    self.place.column = 1;
                }
                // The further bytes of a character.
                0x80..=0xbf => {}
                _ => self.place.column += 1,
            }
            self.after_return = *byte == b'\r';
        }
    }
}
