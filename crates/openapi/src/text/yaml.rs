//! YAML 1.2, from the events of the parser.
use super::build::{Builder, Built};
use super::{Fault, Limits, MAX_DEPTH, MAX_KEY, scalar};
use crate::tree::{Place, Value};
use granit_parser::{ErrorKind, Event, Marker, Options, Parser, ScalarStyle, ScanError, Tag};

/// Reads a YAML text of one document.
pub(super) fn read(text: &str, limits: &Limits<'_>) -> Result<Built, Fault> {
    count(text, limits)?;
    let file = limits.file;
    let mut builder = Builder::new(limits);
    let mut end = Place { file, line: 1, column: 1 };
    for event in Parser::new_from_str_with_options(text, options()) {
        let (event, span) = event.map_err(|error| fault(&error, file))?;
        let at = place(&span.start, file);
        end = at;
        match event {
            Event::DocumentStart(..) if builder.is_complete() => {
                return Err(Fault::syntax(at, "the text has more than one document"));
            }
            Event::Scalar(raw, style, anchor, tag) => {
                let plain = style == ScalarStyle::Plain;
                if builder.wants_key() {
                    let merges = plain && tag.is_none() && raw == "<<";
                    builder.keep(anchor, at, &raw)?;
                    builder.key(raw.into(), at, merges)?;
                } else {
                    builder.scalar(value(&raw, plain, tag.as_deref()), at, anchor, &raw)?;
                }
            }
            Event::SequenceStart(..) | Event::MappingStart(..) if builder.wants_key() => {
                return Err(Fault::syntax(at, "a key must be a text"));
            }
            Event::SequenceStart(_, anchor, _) => builder.begin_list(at, anchor)?,
            Event::MappingStart(_, anchor, _) => builder.begin_map(at, anchor)?,
            Event::SequenceEnd | Event::MappingEnd => builder.end()?,
            Event::Alias(anchor) => builder.alias(anchor, at)?,
            _ => {}
        }
    }
    builder.finish().ok_or_else(|| Fault::syntax(end, "the text is empty"))
}

/// The value of a scalar.
fn value(raw: &str, plain: bool, tag: Option<&Tag>) -> Value {
    match tag.and_then(Tag::core_suffix) {
        Some("int" | "float" | "bool" | "null") => scalar::plain(raw),
        Some(_) => Value::Text(raw.into()),
        None if plain && tag.is_none() => scalar::plain(raw),
        None => Value::Text(raw.into()),
    }
}

fn options() -> Options {
    let mut options = Options::default();
    options.set_emit_comments(false);
    // One more than allowed, so that our own message reports the limit.
    options.flow_nesting_limit = MAX_DEPTH + 1;
    options.block_nesting_limit = MAX_DEPTH + 1;
    options.simple_key_max_lookahead = MAX_KEY + 8;
    options
}

/// Fails if there are too many values, before memory is allocated for them.
fn count(text: &str, limits: &Limits<'_>) -> Result<(), Fault> {
    if text.len() / 2 < limits.values {
        return Ok(());
    }
    let file = limits.file;
    let mut values = 0;
    // For each open mapping, whether a key comes next; `None` for a list.
    let mut open: Vec<Option<bool>> = Vec::new();
    for event in Parser::new_from_str_with_options(text, options()) {
        let (event, span) = event.map_err(|error| fault(&error, file))?;
        if event.is_node() {
            let is_key = match open.last_mut() {
                Some(Some(wants_key)) => std::mem::replace(wants_key, !*wants_key),
                _ => false,
            };
            values += usize::from(!is_key);
        }
        match event {
            Event::MappingStart(..) => open.push(Some(true)),
            Event::SequenceStart(..) => open.push(None),
            Event::MappingEnd | Event::SequenceEnd => drop(open.pop()),
            _ => {}
        }
        let at = place(&span.start, file);
        limits.check_values(values, at)?;
        limits.check_time(at)?;
    }
    Ok(())
}

fn place(mark: &Marker, file: u16) -> Place {
    let small = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    Place { file, line: small(mark.line()), column: small(mark.col().saturating_add(1)) }
}

fn fault(error: &ScanError, file: u16) -> Fault {
    let at = place(error.marker(), file);
    match error.kind() {
        ErrorKind::RecursionLimitExceeded => {
            Fault::too_large(at, format!("values that are nested more than {MAX_DEPTH} deep"))
        }
        kind => Fault::syntax(at, words(kind).unwrap_or_else(|| error.info())),
    }
}

/// Messages for frequent errors, written for authors of documents. The parser's own messages are for developers.
fn words(kind: &ErrorKind) -> Option<String> {
    let words = match kind {
        ErrorKind::UnknownAnchor => "this alias has no anchor before it",
        ErrorKind::TabInBlockIndentation | ErrorKind::TabInIndentation | ErrorKind::TabNotAllowed => {
            "a tab is not allowed here; indent with spaces"
        }
        ErrorKind::MappingValueNotAllowed | ErrorKind::MappingKeyNotAllowed => {
            "a mapping is not allowed here; a text with a colon and a space needs quotation marks"
        }
        ErrorKind::BlockSequenceEntryNotAllowed => "a list item is not allowed here",
        ErrorKind::SimpleKeyExpected | ErrorKind::InvalidSimpleKey => "this key lacks its colon",
        ErrorKind::ExpectedBlockMappingKey | ErrorKind::InvalidIndentation => {
            "a key is expected here: is the indentation right?"
        }
        ErrorKind::ExpectedBlockSequenceEntry => "a list item is expected here: is the indentation right?",
        ErrorKind::InvalidColonPlacement => "a colon is not allowed here: is something before it not closed?",
        ErrorKind::UnclosedQuotedScalar | ErrorKind::InvalidQuotedScalarIndent => {
            "the text before lacks its last quotation mark"
        }
        ErrorKind::UnclosedFlowCollection { open } => return Some(format!("this {open} is not closed")),
        ErrorKind::MismatchedFlowCollectionEnd { open, close } => {
            return Some(format!("{close} does not close what {open} opens"));
        }
        ErrorKind::UnexpectedCharacter { character } => {
            return Some(format!("a text that begins with {character} needs quotation marks"));
        }
        _ => return None,
    };
    Some(words.to_owned())
}
