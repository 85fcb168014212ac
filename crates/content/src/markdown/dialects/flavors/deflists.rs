//! Definition lists, which become lists whose items begin with the term in bold.
use super::myst::Directive;
use super::{Block, Flavor, Line, MAX_DEPTH, Place, Written, blocks, inline, without_blanks};
use crate::markdown::dialects::blanks;
use crate::markdown::dialects::indented::is_plain;

/// How many terms one definition can have.
const MAX_TERMS: usize = 3;

/// The bullet of the items: another list before or after it stays a list of its own.
const BULLET: &str = "+ ";

/// Terms in their lines, and the lines of their definitions.
struct Entry<'t> {
    terms: Vec<Line<'t>>,
    definitions: Vec<Vec<Line<'t>>>,
}

/// The definition list that begins in a line.
pub(super) fn block(place: &Place<'_, '_>, flavor: &Flavor<'_>) -> Option<Block> {
    let prefix = blanks(place.texts[place.at]);
    let (mut entries, mut end, mut at) = (Vec::new(), place.at, place.at);
    if place.depth >= MAX_DEPTH {
        return None;
    }
    while let Some((entry, next)) = entry(place.lines, at, prefix) {
        entries.push(entry);
        end = next;
        let following = (next..place.lines.len()).find(|at| !place.texts[*at].trim().is_empty());
        at = following.unwrap_or(place.lines.len());
    }
    (!entries.is_empty()).then(|| Block { end, written: written(&entries, flavor, place.depth) })
}

/// The entry that begins in a line, and the line after it.
fn entry<'t>(lines: &[Line<'t>], from: usize, prefix: usize) -> Option<(Entry<'t>, usize)> {
    let begins = |line: &str| blanks(line) == prefix && is_term(&line[prefix..]);
    let terms = lines[from..].iter().take(MAX_TERMS + 1).take_while(|(_, line)| begins(line)).count();
    let mut at = from + terms;
    if terms == 0 || terms > MAX_TERMS {
        return None;
    }
    definition(lines.get(at)?.1, prefix)?;
    let mut entry = Entry { terms: Vec::new(), definitions: Vec::new() };
    entry.terms.extend(lines[from..at].iter().map(|(number, line)| (*number, line.trim())));
    let (mut end, mut column) = (at, None);
    while let Some((number, line)) = lines.get(at).copied() {
        if let Some(text) = definition(line, prefix) {
            entry.definitions.push(vec![(number, text)]);
            (end, column) = (at + 1, None);
        } else if line.trim().is_empty() {
            if let Some(definition) = entry.definitions.last_mut() {
                definition.push((number, ""));
            }
        } else if blanks(line) >= prefix + 2 {
            let column = *column.get_or_insert(blanks(line).min(prefix + 4));
            let inside = without_blanks(&[(number, line)], column);
            if let Some(definition) = entry.definitions.last_mut() {
                definition.extend(inside);
            }
            end = at + 1;
        } else {
            break;
        }
        at += 1;
    }
    Some((entry, end))
}

/// Whether a line can be a term: text that has no other meaning and goes on nowhere.
fn is_term(line: &str) -> bool {
    is_plain(line) && !line.contains('|') && !line.contains("{%") && !line.trim_end().ends_with(['\\', ':'])
}

/// The text of a line that begins a definition.
fn definition(line: &str, prefix: usize) -> Option<&str> {
    let indent = blanks(line);
    let text = line[indent..].strip_prefix(':').filter(|_| (prefix..prefix + 4).contains(&indent))?;
    (text.starts_with([' ', '\t']) && !text.trim().is_empty()).then_some(text.trim_start())
}

fn written(entries: &[Entry<'_>], flavor: &Flavor<'_>, depth: usize) -> Vec<Written> {
    let mut out: Vec<Written> = Vec::new();
    for entry in entries {
        for (at, (number, term)) in entry.terms.iter().enumerate() {
            let term = inline::rewritten(term, flavor).unwrap_or_else(|| (*term).to_owned());
            let term = if term.contains(['*', '[', '<']) { term } else { format!("**{term}**") };
            let start = if at == 0 { BULLET } else { "  " };
            let end = if at + 1 < entry.terms.len() { "\\" } else { "" };
            out.push((*number, format!("{start}{term}{end}")));
        }
        for definition in &entry.definitions {
            let before = out.last().map_or(0, |(number, _)| *number);
            out.push((before, String::new()));
            for (number, line) in blocks(definition, flavor, depth + 1) {
                let line = if line.is_empty() { line } else { format!("  {line}") };
                out.push((number, line));
            }
            while out.last().is_some_and(|(_, line)| line.trim().is_empty()) {
                out.pop();
            }
        }
        let last = out.last().map_or(0, |(number, _)| *number);
        out.push((last, String::new()));
    }
    out
}

/// The glossary of a directive: terms, and indented below them their definitions. A colon can be before a definition.
pub(super) fn glossary(directive: &Directive<'_, '_>) -> Vec<Written> {
    let mut entries: Vec<Entry<'_>> = Vec::new();
    // The number of blanks before the definition.
    let mut column = None;
    for &(number, line) in directive.content {
        let Some(entry) = entries.last_mut() else {
            if !line.trim().is_empty() {
                entries.push(Entry { terms: vec![(number, line.trim())], definitions: Vec::new() });
            }
            continue;
        };
        if line.trim().is_empty() {
            entry.definitions.last_mut().into_iter().for_each(|definition| definition.push((number, "")));
        } else if let Some(text) = definition(line, 0) {
            column = None;
            entry.definitions.push(vec![(number, text)]);
        } else if line.starts_with([' ', '\t']) {
            if entry.definitions.is_empty() {
                entry.definitions.push(Vec::new());
            }
            let inside = without_blanks(&[(number, line)], *column.get_or_insert(blanks(line)));
            entry.definitions.last_mut().into_iter().for_each(|definition| definition.extend(&inside));
        } else if entry.definitions.is_empty() && entry.terms.len() < MAX_TERMS {
            entry.terms.push((number, line.trim()));
        } else {
            entries.push(Entry { terms: vec![(number, line.trim())], definitions: Vec::new() });
            column = None;
        }
    }
    written(&entries, directive.flavor, directive.depth)
}
