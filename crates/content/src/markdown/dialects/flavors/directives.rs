//! The fences of directives of MyST, and their options.
use super::Line;
use crate::markdown::dialects::blanks;
use std::collections::HashMap;

/// The first line of a directive: `:::{note}`, or the same with backticks or tildes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Open<'t> {
    pub(super) mark: char,
    length: usize,
    pub(super) name: &'t str,
    /// The text after its name.
    pub(super) argument: &'t str,
    /// The number of bytes before it.
    pub(super) blanks: usize,
}

impl<'t> Open<'t> {
    /// The number of its marks.
    pub(super) fn length(&self) -> usize {
        self.length
    }

    /// Whether a line can be its last one.
    pub(super) fn is_closed_by(&self, line: &str) -> bool {
        let body = line.trim();
        body.len() >= self.length && body.chars().all(|each| each == self.mark)
    }

    pub(super) fn lex(line: &'t str) -> Option<Self> {
        let blanks = blanks(line);
        let body = line[blanks..].trim_end();
        let mark = body.chars().next().filter(|mark| matches!(mark, '`' | '~' | ':'))?;
        let rest = body.trim_start_matches(mark);
        let length = body.len() - rest.len();
        let (name, argument) = rest.trim_start().strip_prefix('{')?.split_once('}')?;
        let of_name = |each: char| each.is_ascii_alphanumeric() || "-_:.+".contains(each);
        let is_whole = argument.is_empty() || argument.starts_with([' ', '\t']);
        let argument = argument.trim();
        let is_name = !name.is_empty() && name.chars().all(of_name) && is_whole;
        let is_fence = length >= 3 && !(mark == '`' && argument.contains('`'));
        (is_name && is_fence).then_some(Self { mark, length, name, argument, blanks })
    }
}

/// How many lines after the first one are read to know whether the content of a directive is in another file.
pub(super) const MAX_OPTIONS: usize = 16;

/// How many blanks can be before a directive.
const MAX_BLANKS: usize = 24;

/// The last lines of the directives of a text, by their first ones.
#[derive(Default)]
pub(super) struct Ends(HashMap<usize, usize>);

impl Ends {
    /// Finds, for each directive, the next line that has only its mark, at least as often.
    pub(super) fn of(texts: &[&str]) -> Self {
        let mut ends = HashMap::new();
        if !texts.iter().any(|line| Open::lex(line).is_some()) {
            return Self(ends);
        }
        // For each mark and number of blanks, lengths and lines from the end of the text: each is longer than those
        // after it.
        let mut closing: Vec<Vec<(usize, usize)>> = vec![Vec::new(); 3 * MAX_BLANKS];
        for (at, line) in texts.iter().enumerate().rev() {
            let blanks = blanks(line);
            if blanks >= MAX_BLANKS {
                continue;
            }
            if let Some((mark, length)) = close(line) {
                let closing = &mut closing[mark * MAX_BLANKS + blanks];
                while closing.last().is_some_and(|(shorter, _)| *shorter <= length) {
                    closing.pop();
                }
                closing.push((length, at));
            } else if let Some(open) = Open::lex(line) {
                let next = |blanks: usize| {
                    let closing = &closing[index(open.mark) * MAX_BLANKS + blanks];
                    let count = closing.partition_point(|(length, _)| *length >= open.length);
                    count.checked_sub(1).map(|last| closing[last].1)
                };
                let end = (blanks..MAX_BLANKS.min(blanks + 4)).filter_map(next).min();
                // One that is further left is in another block, so that this one has ended before.
                let left = (0..blanks).filter_map(next).min();
                if let Some(end) = end.filter(|end| left.is_none_or(|left| left > *end)) {
                    ends.insert(at, end);
                }
            }
        }
        Self(ends)
    }

    /// The last line of the directive that begins in a line.
    pub(super) fn of_line(&self, at: usize) -> Option<usize> {
        self.0.get(&at).copied()
    }
}

fn index(mark: char) -> usize {
    match mark {
        '`' => 0,
        '~' => 1,
        _ => 2,
    }
}

/// The mark of a line that has only marks, and how often.
fn close(line: &str) -> Option<(usize, usize)> {
    let body = line.trim();
    let mark = body.chars().next().filter(|mark| matches!(mark, '`' | '~' | ':'))?;
    (body.len() >= 3 && body.chars().all(|each| each == mark)).then(|| (index(mark), body.len()))
}

/// The options of a directive, with their values as they are written.
#[derive(Debug, Default)]
pub(super) struct Options<'t>(Vec<(&'t str, &'t str)>);

impl<'t> Options<'t> {
    /// Takes the options from the beginning of the content of a directive: `:key: value`, or YAML between lines of
    /// `---`.
    pub(super) fn take<'l>(mut content: &'l [Line<'t>]) -> (Self, &'l [Line<'t>]) {
        let mut options = Self::default();
        if let [(_, first), rest @ ..] = content
            && first.trim_end() == "---"
            && let Some(end) = rest.iter().position(|(_, line)| line.trim_end() == "---")
        {
            options.0.extend(rest[..end].iter().filter_map(|(_, line)| line.split_once(':')).map(trimmed));
            content = &rest[end + 1..];
        }
        while let [(_, line), rest @ ..] = content
            && let Some(option) = option(line)
        {
            options.0.push(option);
            content = rest;
        }
        while let [(_, line), rest @ ..] = content
            && line.trim().is_empty()
        {
            content = rest;
        }
        (options, content)
    }

    pub(super) fn get(&self, key: &str) -> Option<&'t str> {
        self.written(key).map(unquoted)
    }

    /// The value of this key with the quotes around it.
    pub(super) fn written(&self, key: &str) -> Option<&'t str> {
        self.0.iter().find(|(name, _)| *name == key).map(|(_, value)| *value)
    }

    /// Whether one of these keys is there.
    pub(super) fn has_any(&self, keys: &[&str]) -> bool {
        keys.iter().any(|key| self.written(key).is_some())
    }

    /// The value of this key, if it is not empty.
    pub(super) fn text(&self, key: &str) -> Option<&'t str> {
        self.get(key).filter(|value| !value.is_empty())
    }
}

fn trimmed<'t>((key, value): (&'t str, &'t str)) -> (&'t str, &'t str) {
    (key.trim(), value.trim())
}

fn unquoted(value: &str) -> &str {
    let inside = ['"', '\''].into_iter().find_map(|quote| value.strip_prefix(quote)?.strip_suffix(quote));
    inside.unwrap_or(value)
}

fn option(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.trim().strip_prefix(':')?.split_once(':')?;
    let is_key =
        |key: &str| !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
    (is_key(key) && (value.is_empty() || value.starts_with([' ', '\t']))).then(|| trimmed((key, value)))
}
