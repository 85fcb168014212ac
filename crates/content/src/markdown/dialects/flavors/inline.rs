//! Markup in a text: roles and links of MyST, highlights, insertions, keys and icons of MkDocs, and comments of
//! Obsidian.
use super::{Flavor, Syntax, as_comment, roles};
use crate::markdown::dialects::references;
use crate::markdown::marks::container_prefix;

/// The longest text between two marks, in bytes, so that a mark without an end takes little time.
const MAX_LENGTH: usize = 400;

/// The text with ordinary Markdown for its markup; `None` if it has none.
pub(super) fn rewritten(text: &str, flavor: &Flavor<'_>) -> Option<String> {
    let has = |syntax, sign| flavor.has(syntax) && text.contains(sign);
    let may_have = (flavor.has(Syntax::Myst) && (text.contains("}`") || text.contains("](")))
        || has(Syntax::Highlights, "==")
        || has(Syntax::Insertions, "^^")
        || has(Syntax::Keys, "++")
        || has(Syntax::Comments, "%%")
        || has(Syntax::Icons, ":");
    if !may_have {
        return None;
    }
    let mut scan =
        Scan { text, flavor, at: 0, out: String::with_capacity(text.len() + 32), changed: false, marks: Vec::new() };
    scan.run();
    scan.changed.then_some(scan.out)
}

/// How many other signs may be between two marks.
const MAX_STEPS: usize = 16;

/// What stands for a markup: its length, and the text for it.
pub(super) struct Made {
    pub(super) length: usize,
    pub(super) text: String,
}

struct Scan<'s> {
    text: &'s str,
    flavor: &'s Flavor<'s>,
    at: usize,
    out: String,
    changed: bool,
    /// The ends of marks that are open, and what stands for them.
    marks: Vec<(usize, &'static str)>,
}

impl Scan<'_> {
    fn run(&mut self) {
        while let Some(found) = self.text[self.at..].find(['\\', '`', '$', '<', ']', '{', '=', '^', '+', ':', '%']) {
            let next = self.marks.last().map_or(usize::MAX, |(end, _)| *end);
            let until = (self.at + found).min(next);
            self.out.push_str(&self.text[self.at..until]);
            self.at = until;
            if until == next {
                self.close();
                continue;
            }
            let rest = &self.text[self.at..];
            if let Some(made) = self.markup(rest).filter(|made| self.at + made.length <= next) {
                self.changed = true;
                if self.flavor.escapes {
                    // The first character is one of ASCII.
                    self.out.push('\\');
                    self.copy(1);
                } else {
                    self.out.push_str(&made.text);
                    self.at += made.length;
                }
                continue;
            }
            if let Some((open, close, length)) = self.mark(rest, next) {
                self.changed = true;
                if self.flavor.escapes {
                    self.out.push('\\');
                    self.copy(1);
                } else {
                    self.marks.push((self.at + length, close));
                    self.out.push_str(open);
                    self.at += 2;
                }
                continue;
            }
            let length = kept(rest);
            // What is kept as it is does not go over the end of a mark, which would then have none.
            self.copy(if self.at + length > next { first_length(rest) } else { length });
        }
        let rest = &self.text[self.at..];
        self.out.push_str(rest);
    }

    fn copy(&mut self, length: usize) {
        self.out.push_str(&self.text[self.at..self.at + length]);
        self.at += length;
    }

    fn close(&mut self) {
        if let Some((_, close)) = self.marks.pop() {
            self.out.push_str(close);
            self.at += 2;
        }
    }

    /// The character before this place.
    fn before(&self) -> Option<char> {
        self.text[..self.at].chars().next_back()
    }

    /// A markup that is replaced as a whole.
    fn markup(&self, rest: &str) -> Option<Made> {
        let flavor = self.flavor;
        match rest.as_bytes()[0] {
            b'{' if flavor.has(Syntax::Myst) => roles::role(rest, flavor),
            b']' if flavor.reads(Syntax::Myst) && rest.starts_with("](") => roles::link(rest, &self.out, flavor),
            b'+' if flavor.has(Syntax::Keys) => keys(rest, self.before()),
            b':' if flavor.has(Syntax::Icons) => icon(rest, self.before(), &self.out),
            b'%' if flavor.has(Syntax::Comments) => comment(rest, self.before()),
            _ => None,
        }
    }

    /// A mark around a text, which can have other markup: what stands for its ends, and where its end is.
    fn mark(&self, rest: &str, next: usize) -> Option<(&'static str, &'static str, usize)> {
        let flavor = self.flavor;
        let (sign, open, close) = match rest.as_bytes()[0] {
            b'=' if flavor.has(Syntax::Highlights) => ("==", "<mark style=\"background-color:yellow;\">", "</mark>"),
            b'^' if flavor.has(Syntax::Insertions) => ("^^", "<ins>", "</ins>"),
            _ => return None,
        };
        let first = char::from(sign.as_bytes()[0]);
        let inside = rest.strip_prefix(sign).filter(|inside| !inside.starts_with(first))?;
        if self.before().is_some_and(|before| before.is_alphanumeric() || before == first) {
            return None;
        }
        let length = 2 + end_of_mark(inside, sign)?;
        (self.at + length + 2 <= next).then_some((open, close, length))
    }
}

/// Where the mark around a text ends: not far away, in the same paragraph, and not in code, an element or a link.
fn end_of_mark(inside: &str, sign: &str) -> Option<usize> {
    if inside.starts_with(char::is_whitespace) {
        return None;
    }
    let near = beginning(inside, MAX_LENGTH);
    let first = char::from(sign.as_bytes()[0]);
    let (mut depth, mut at, mut steps) = (0_usize, 0, 0);
    while steps < MAX_STEPS
        && let Some(found) = near[at..].find(['\\', '`', '<', '[', ']', first])
    {
        at += found;
        let rest = &near[at..];
        match rest.as_bytes()[0] {
            b'[' => depth += 1,
            b']' => depth = depth.checked_sub(1)?,
            b'\\' | b'`' | b'<' => {}
            _ if rest.starts_with(sign) => {
                let after = inside[at + 2..].chars().next();
                let before = inside[..at].chars().next_back();
                let ends = before.is_some_and(|before| !before.is_whitespace() && before != first)
                    && after.is_none_or(|after| !after.is_alphanumeric() && after != first);
                if ends && depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
        at += kept(rest);
        steps += 1;
    }
    None
}

/// At most so many bytes of a text.
fn beginning(text: &str, most: usize) -> &str {
    let mut end = text.len().min(most);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

fn first_length(rest: &str) -> usize {
    rest.chars().next().map_or(0, char::len_utf8)
}

/// The length of what a text begins with that has no other markup: an escape, code, a formula, a tag or an address.
fn kept(rest: &str) -> usize {
    let until = |start: usize, end: &str| {
        let inside = &beginning(rest, MAX_LENGTH)[start..];
        inside.find(end).map(|at| start + at + end.len())
    };
    match rest.as_bytes()[0] {
        b'\\' => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
        b'`' => references::code(rest),
        b'$' if rest.starts_with("$$") => until(2, "$$").unwrap_or(2),
        b'{' if rest.starts_with("{%") => until(2, "%}").unwrap_or(2),
        b'<' if rest[1..].starts_with(|next: char| next.is_ascii_alphabetic() || matches!(next, '/' | '!')) => {
            let next = || rest[1..].find(['<', '>']).filter(|at| rest[1 + at..].starts_with('>'));
            until(1, ">").or_else(|| next().map(|at| at + 2)).unwrap_or(1)
        }
        b']' if rest.starts_with("](<") => until(3, ">").unwrap_or(2),
        b']' if rest.starts_with("](") => {
            let length = rest[2..].find([')', ' ', '\n', '<', '[']).unwrap_or(rest.len() - 2);
            2 + length
        }
        _ => first_length(rest),
    }
}

/// Keys between double plus signs: `++ctrl+alt+del++`.
fn keys(rest: &str, before: Option<char>) -> Option<Made> {
    let inside = rest.strip_prefix("++")?;
    if before.is_some_and(|before| before.is_alphanumeric() || before == '+') {
        return None;
    }
    let of_key = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'+');
    let length = inside.bytes().take(64).take_while(of_key).count();
    let keys = inside[..length].strip_suffix("++").filter(|keys| !keys.is_empty())?;
    let mut written = Vec::new();
    for key in keys.split('+') {
        if key.bytes().all(|byte| matches!(byte, b'-' | b'_')) {
            return None;
        }
        written.push(format!("<kbd>{}</kbd>", key_name(key)));
    }
    Some(Made { length: length + 2, text: written.join("+") })
}

/// A key as it is written on a keyboard.
fn key_name(key: &str) -> String {
    let known = match key.to_ascii_lowercase().as_str() {
        "cmd" | "command" => "Cmd",
        "control" | "ctrl" => "Ctrl",
        "delete" | "del" => "Del",
        "escape" | "esc" => "Esc",
        "insert" | "ins" => "Ins",
        "arrow-up" | "up" => "↑",
        "arrow-down" | "down" => "↓",
        "arrow-left" | "left" => "←",
        "arrow-right" | "right" => "→",
        "plus" => "\\+",
        "minus" => "-",
        _ => "",
    };
    if !known.is_empty() {
        return known.to_owned();
    }
    let words: Vec<String> = key.split(['-', '_']).filter(|word| !word.is_empty()).map(capitalized).collect();
    words.join(" ")
}

fn capitalized(word: &str) -> String {
    let (first, rest) = word.split_at(1);
    first.to_ascii_uppercase() + rest
}

/// The sets of icons of Material for MkDocs. Only those of the last one are known here, by the same names.
const ICONS: [&str; 4] = ["material-", "octicons-", "simple-", "fontawesome-"];

/// A shortcode of an icon, with the list of attributes after it. An icon that is not known is decoration beside text,
/// and nothing of it stays. Check marks and crosses are signs, and an icon that is alone is its name.
fn icon(rest: &str, before: Option<char>, out: &str) -> Option<Made> {
    let inside = rest.strip_prefix(':')?;
    if before.is_some_and(|before| before.is_alphanumeric() || before == ':') {
        return None;
    }
    let set = ICONS.into_iter().find(|set| inside.starts_with(set))?;
    let of_name = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || *byte == b'-';
    let end = inside.bytes().take(100).take_while(of_name).count();
    let name = inside[set.len()..end].trim_end_matches('-');
    let after = inside[end..].strip_prefix(':').filter(|_| !name.is_empty())?;
    let list = after.trim_start_matches(' ').strip_prefix('{');
    let after = list.and_then(after_attributes).unwrap_or(after);
    if set == "fontawesome-" {
        let name = ["brands-", "solid-", "regular-"].iter().find_map(|style| name.strip_prefix(style)).unwrap_or(name);
        let text = format!("<i class=\"fa-{name}\">:{name}:</i>");
        return Some(Made { length: rest.len() - after.len(), text });
    }
    let meaning = match name.trim_end_matches(|last: char| last.is_ascii_digit() || last == '-') {
        "check" | "check-all" | "check-bold" | "check-circle" => Some("✓"),
        "close" | "close-circle" | "close-thick" | "x" | "x-circle" => Some("✗"),
        // All that a link, a cell or a line has.
        words if is_alone(out, after) => Some(words),
        _ => None,
    };
    if let Some(meaning) = meaning {
        return Some(Made { length: rest.len() - after.len(), text: meaning.replace('-', " ") });
    }
    if begins_line(out) {
        // What is first in a line could begin a block.
        let text = match first_in_line(after.trim_start_matches(' ')) {
            Some(text) => text,
            None => return Some(Made { length: rest.len() - after.len(), text: name.replace('-', " ") }),
        };
        let after = after.trim_start_matches(' ');
        return Some(Made { length: rest.len() - after.len(), text: text.to_owned() });
    }
    // One of the blanks around it stays.
    let is_apart = before.is_none_or(|before| before.is_whitespace() || matches!(before, '[' | '_' | '*' | '|' | '('));
    let after = if is_apart { after.trim_start_matches(' ') } else { after };
    Some(Made { length: rest.len() - after.len(), text: String::new() })
}

/// Whether a text ends with the beginning of a line, in which there are at most the marks of blocks.
fn begins_line(out: &str) -> bool {
    let mut start = out.len().saturating_sub(MAX_LENGTH);
    while !out.is_char_boundary(start) {
        start += 1;
    }
    let near = &out[start..];
    let line = match near.rfind('\n') {
        Some(end) => &near[end + 1..],
        // What is in a line further than this is not first.
        None if start > 0 => return false,
        None => near,
    };
    container_prefix(line) == line.len()
}

/// What must be before a text in the first place of a line, so that it begins no block; `None` if nothing can be.
fn first_in_line(text: &str) -> Option<&'static str> {
    let begins = |start: &&str| text.starts_with(*start) && !text.starts_with("```");
    let first = text.chars().next();
    if ["**", "__", "[", "![", "`", "(", "\"", "'"].iter().any(begins) || first.is_some_and(|first| first == '\\') {
        return Some("");
    }
    match first {
        Some(first) if first.is_ascii_digit() => None,
        Some(first) if first.is_ascii_punctuation() => Some("\\"),
        _ => Some(""),
    }
}

/// Whether nothing else is in a link, a cell or a line.
fn is_alone(before: &str, after: &str) -> bool {
    let (before, after) = (before.trim_end_matches(' '), after.trim_start_matches(' '));
    (before.is_empty() || before.ends_with(['[', '|', '\n']))
        && (after.is_empty() || after.starts_with([']', '|', '\n']))
}

/// The text after a list of attributes that begins with a class.
fn after_attributes(list: &str) -> Option<&str> {
    let end = beginning(list, 100).find('}')?;
    let is_list = list[..end].trim_start_matches(':').trim().starts_with('.');
    is_list.then(|| &list[end + 1..])
}

/// A comment of Obsidian in a paragraph.
fn comment(rest: &str, before: Option<char>) -> Option<Made> {
    let inside = rest.strip_prefix("%%").filter(|inside| !inside.starts_with('%'))?;
    if before.is_some_and(|before| before.is_alphanumeric() || before == '%') {
        return None;
    }
    let end = beginning(inside, MAX_LENGTH).find("%%").filter(|end| *end > 0)?;
    let comment = as_comment(inside[..end].trim()).replace('\n', " ");
    Some(Made { length: end + 4, text: format!("<!-- {comment} -->") })
}
