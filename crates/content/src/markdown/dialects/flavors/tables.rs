//! Tables of MyST: lists of lists, and values with commas between them. They become tables in pipes.
use super::directives::{MAX_OPTIONS, Open, Options};
use super::myst::{Directive, is_heading};
use super::{Line, Written, fenced};
use crate::markdown::dialects::walk::columns;
use crate::markdown::dollars;

/// The directive with values.
const VALUES: &str = "csv-table";

/// Its options that name the place of its values.
const ELSEWHERE: [&str; 2] = ["file", "url"];

/// What a line begins with that no cell can hold.
const BLOCKS: [&str; 7] = ["```", "~~~", ":::", "> ", "| ", "{%", "<!--"];

/// A break between lines of a cell, and the mark of an item of a list in it.
const BREAK: &str = "<br>";
const ITEM: &str = "• ";

/// A row of a table.
struct Row {
    /// The number of its first line.
    number: usize,
    /// Its cells, each as a line of Markdown.
    cells: Vec<String>,
}

/// Whether the rows of a table are not in the text. `after` are the lines after the first one of its directive.
pub(super) fn is_elsewhere(open: &Open<'_>, after: &[Line<'_>]) -> bool {
    if !open.name.eq_ignore_ascii_case(VALUES) {
        return false;
    }
    let head = &after[..after.len().min(MAX_OPTIONS)];
    let end = head.iter().position(|(_, line)| open.is_closed_by(line)).unwrap_or(head.len());
    Options::take(&head[..end]).0.has_any(&ELSEWHERE)
}

/// The directive `list-table`. What is no list of lists stays as it is, after its title.
pub(super) fn of_lists(directive: &Directive<'_, '_>) -> Vec<Written> {
    match rows_of_lists(directive.content) {
        Some(mut rows) => {
            let header =
                if header_rows(&directive.options) > 0 && !rows.is_empty() { Some(rows.remove(0)) } else { None };
            table(directive, header, rows)
        }
        None => directive.with_title(directive.open.argument),
    }
}

/// The directive `csv-table`. What is not understood becomes code.
pub(super) fn of_values(directive: &Directive<'_, '_>) -> Vec<Written> {
    let (options, number) = (&directive.options, directive.number);
    let rows = Dialect::of(options).and_then(|dialect| {
        let header = options.written("header").map(|header| dialect.rows(&[(number, header)]));
        let header = header.map_or(Some(None), |rows| rows.map(|rows| rows.into_iter().next()))?;
        Some((header, dialect.rows(directive.content)?))
    });
    match rows {
        Some((None, mut rows)) if header_rows(options) > 0 && !rows.is_empty() => {
            let header = rows.remove(0);
            table(directive, Some(header), rows)
        }
        Some((header, rows)) => table(directive, header, rows),
        None => {
            let mut written = fenced(number, "csv", directive.content);
            if !directive.open.argument.is_empty() {
                written.splice(0..0, title(directive));
            }
            written
        }
    }
}

/// The number of rows at the beginning that are headers.
fn header_rows(options: &Options<'_>) -> usize {
    options.get("header-rows").and_then(|count| count.parse().ok()).unwrap_or(0)
}

/// The title of a table, as a paragraph.
fn title(directive: &Directive<'_, '_>) -> [Written; 2] {
    [directive.line(directive.bold(directive.open.argument)), directive.line("")]
}

/// Writes a table. Rows can have fewer cells than others. Without a header, the cells of the header are empty.
fn table(directive: &Directive<'_, '_>, header: Option<Row>, rows: Vec<Row>) -> Vec<Written> {
    let count = header.iter().chain(&rows).map(|row| row.cells.len()).max().unwrap_or(0);
    let mut written = vec![directive.line("")];
    if !directive.open.argument.is_empty() {
        written.extend(title(directive));
    }
    if count == 0 {
        return written;
    }
    let line = |cells: &[String]| {
        let cells: Vec<String> = cells.iter().map(|cell| in_pipes(&directive.words(cell))).collect();
        format!("| {} |", cells.join(" | "))
    };
    let Row { number, mut cells } = header.unwrap_or(Row { number: directive.number, cells: Vec::new() });
    cells.resize(count, String::new());
    written.extend([(number, line(&cells)), (number, format!("|{}", " --- |".repeat(count)))]);
    written.extend(rows.iter().map(|row| (row.number, line(&row.cells))));
    let last = directive.content.last().map_or(directive.number, |(number, _)| *number);
    written.push((last, String::new()));
    written
}

/// A line of Markdown as a cell. Its pipes are no ends of cells, except for those in formulas, which are none anyway.
/// Its dollars begin no formula that ends in another cell.
fn in_pipes(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let last_of_code = text.rfind('`').unwrap_or(0);
    let (mut at, mut is_escaped) = (0, false);
    while let Some(next) = text[at..].chars().next() {
        let rest = &text[at..];
        let begins_formula = !is_escaped && rest.starts_with("$$");
        if let Some(formula) = dollars::double(rest).filter(|_| begins_formula) {
            out.push_str(formula.source);
            at += formula.source.len();
            continue;
        }
        if !is_escaped && (next == '|' || (begins_formula && at >= last_of_code)) {
            out.push('\\');
        }
        is_escaped = next == '\\' && !is_escaped;
        out.push(next);
        at += next.len_utf8();
    }
    out
}

/// The rows of a list of lists: `* - a` begins a row, and `  - b` its next cell. `None` if it is something else.
fn rows_of_lists(lines: &[Line<'_>]) -> Option<Vec<Row>> {
    let mut rows: Vec<(usize, Vec<Vec<&str>>)> = Vec::new();
    // The columns of the marks of rows and of cells.
    let (mut outer, mut inner) = (None, 0);
    for (number, line) in lines {
        let (column, body) = (columns(line), line.trim());
        if body.is_empty() {
            if let Some(cell) = rows.last_mut().and_then(|(_, cells)| cells.last_mut()) {
                cell.push("");
            }
        } else if column == *outer.get_or_insert(column) {
            let (length, rest) = item(body)?;
            let (_, cell) = item(rest)?;
            inner = column + length;
            rows.push((*number, vec![vec![cell]]));
        } else {
            let (_, cells) = rows.last_mut()?;
            match item(body) {
                Some((_, cell)) if column == inner => cells.push(vec![cell]),
                _ if column > inner => cells.last_mut()?.push(body),
                _ => return None,
            }
        }
    }
    let row = |(number, cells): (usize, Vec<Vec<&str>>)| {
        let cells: Option<Vec<String>> = cells.into_iter().map(in_one_line).collect();
        Some(Row { number, cells: cells? })
    };
    rows.into_iter().map(row).collect()
}

/// The length of the mark of an item with the blanks after it, and the text of the item.
fn item(text: &str) -> Option<(usize, &str)> {
    let rest = text.strip_prefix(['*', '-', '+'])?;
    let body = rest.trim_start();
    let is_item = rest.is_empty() || body.len() < rest.len();
    is_item.then_some((text.len() - body.len(), body))
}

/// The lines of a cell as one line, with breaks between paragraphs and items. `None` if there is a block in it that no
/// cell can hold.
fn in_one_line<'l>(lines: impl IntoIterator<Item = &'l str>) -> Option<String> {
    let (mut cell, mut begins) = (String::new(), false);
    for line in lines {
        let line = line.trim();
        if line.is_empty() {
            begins = true;
            continue;
        }
        let is_number = line.trim_start_matches(|each: char| each.is_ascii_digit()).starts_with(". ");
        let item = item(line).filter(|(_, text)| !text.is_empty());
        let text = item.map_or(line, |(_, text)| text);
        if BLOCKS.iter().any(|sign| text.starts_with(sign)) || text == "$$" || is_heading(text) {
            return None;
        }
        let breaks = text.ends_with('\\') && !text.ends_with("\\\\");
        if !cell.is_empty() {
            cell.push_str(if begins || item.is_some() || is_number { BREAK } else { " " });
        }
        if item.is_some() {
            cell.push_str(ITEM);
        }
        cell.push_str(if breaks { text[..text.len() - 1].trim_end() } else { text });
        begins = breaks;
    }
    Some(cell)
}

/// How values are written.
struct Dialect {
    delimiter: char,
    quote: char,
    /// The character before a quote that is part of a value; without it, two quotes are one.
    escape: Option<char>,
}

impl Dialect {
    /// What the options say; `None` if they name no single characters.
    fn of(options: &Options<'_>) -> Option<Self> {
        let character = |key: &str| match options.get(key) {
            None | Some("") => Some(None),
            Some("tab") => Some(Some('\t')),
            Some("space") => Some(Some(' ')),
            Some(text) => {
                let mut characters = text.chars();
                characters.next().filter(|_| characters.next().is_none()).map(Some)
            }
        };
        let (delimiter, quote) = (character("delim")?.unwrap_or(','), character("quote")?.unwrap_or('"'));
        Some(Self { delimiter, quote, escape: character("escape")? })
    }

    /// The rows in some lines. `None` if a quote has no end, or if a cell has a block that it cannot hold.
    fn rows(&self, lines: &[Line<'_>]) -> Option<Vec<Row>> {
        let mut rows = Vec::new();
        let mut values = Values { number: 0, cells: Vec::new(), cell: String::new(), is_quoted: false };
        for (number, line) in lines {
            if !values.is_quoted {
                if line.trim().is_empty() {
                    continue;
                }
                values.number = *number;
            }
            self.line(line, &mut values);
            if values.is_quoted {
                values.cell.push('\n');
            } else {
                values.end_cell();
                let cells: Option<Vec<String>> = values.cells.drain(..).map(|cell| in_one_line(cell.lines())).collect();
                rows.push(Row { number: values.number, cells: cells? });
            }
        }
        (!values.is_quoted).then_some(rows)
    }

    /// Reads a line of values.
    fn line(&self, line: &str, values: &mut Values) {
        let mut characters = line.chars().peekable();
        while let Some(next) = characters.next() {
            if Some(next) == self.escape {
                values.cell.extend(characters.next());
            } else if values.is_quoted && next == self.quote {
                match self.escape.is_none() && characters.peek() == Some(&self.quote) {
                    true => values.cell.extend(characters.next()),
                    false => values.is_quoted = false,
                }
            } else if values.is_quoted {
                values.cell.push(next);
            } else if next == self.quote && values.cell.trim().is_empty() {
                // Without the blanks, the next quote does not go through them again.
                values.cell.clear();
                values.is_quoted = true;
            } else if next == self.delimiter {
                values.end_cell();
            } else {
                values.cell.push(next);
            }
        }
    }
}

/// The values of a row so far.
struct Values {
    /// The number of its first line.
    number: usize,
    cells: Vec<String>,
    /// The value that goes on.
    cell: String,
    is_quoted: bool,
}

impl Values {
    fn end_cell(&mut self) {
        self.cells.push(std::mem::take(&mut self.cell));
    }
}
