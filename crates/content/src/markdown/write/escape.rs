//! Escapes characters that would be parsed as syntax, and no others.
use crate::markdown::dollars;

/// The context of a text.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Around {
    /// Whether it starts a paragraph, a heading or a cell.
    pub(super) starts_block: bool,
    /// Whether it starts a line, whose white space at the start has no meaning.
    pub(super) starts_line: bool,
    /// Whether that line is in a paragraph, where blocks may start.
    pub(super) may_begin_block: bool,
    /// Whether a line ends after it.
    pub(super) ends_line: bool,
    /// The character before it, if it is not syntax.
    pub(super) before: Option<char>,
    /// The character after it in the same line.
    pub(super) after: Option<char>,
    /// Whether a note is before it.
    pub(super) after_note: bool,
    /// Whether every bracket would be syntax.
    pub(super) brackets: bool,
    /// Whether a single tilde could be one end of a pair.
    pub(super) tildes: bool,
    /// Whether addresses become links automatically.
    pub(super) autolinks: bool,
}

/// Writes text.
pub(super) fn text(text: &str, around: Around, out: &mut String) {
    let chars: Vec<char> = text.chars().collect();
    let ordinal = if around.may_begin_block { ordinal_end(&chars, around) } else { None };
    let brackets = brackets(&chars, around);
    for (at, each) in chars.iter().enumerate() {
        let each = *each;
        let previous = if at == 0 { around.before } else { Some(chars[at - 1]) };
        let last = at + 1 == chars.len();
        let next = if last { around.after } else { Some(chars[at + 1]) };
        let third = chars.get(at + 2).copied().or(around.after);
        let starts_line = at == 0 && around.may_begin_block;
        if is_blank(each) && ((at == 0 && around.starts_line) || (last && around.ends_line))
            || matches!(each, '\r' | '\n' | '\u{feff}')
        {
            out.push_str(&format!("&#{};", u32::from(each)));
            continue;
        }
        let escaped = match each {
            '\\' => {
                next.is_none_or(|next| next.is_ascii_punctuation())
                    || (at + 2 == chars.len() && next.is_some_and(is_blank))
            }
            '`' => true,
            '*' => starts_line || !(previous.is_some_and(is_blank) && next.is_some_and(is_blank)),
            '_' => !(previous.is_some_and(char::is_alphanumeric) && next.is_some_and(char::is_alphanumeric)),
            '~' => around.tildes || previous == Some('~') || next == Some('~'),
            '[' | ']' => brackets[at],
            '<' => {
                next.is_none_or(|next| next.is_ascii_alphabetic() || matches!(next, '/' | '!' | '?'))
                    || begins_address(&chars[at + 1..], around.ends_line)
            }
            '&' => begins_reference(&chars[at + 1..], around.after.is_some()),
            '!' => next == Some('[') && !brackets.get(at + 1).is_some_and(|escaped| *escaped),
            '{' => {
                // The end of the text may be before a tag.
                next == Some('%') || (starts_line && next == Some('{') && (last || matches!(third, Some('<' | '%'))))
            }
            '$' => next == Some('$'),
            ':' => {
                (at == 0 && around.after_note)
                    || (around.autolinks && next == Some('/') && follows_scheme(&chars[..at]))
                    || (starts_line && next == Some('-'))
                    || (starts_line && next == Some(':') && third == Some(':'))
            }
            '@' => {
                around.autolinks
                    && previous.is_some_and(|each| is_mail(each) || each == ':')
                    && next.is_some_and(|each| is_mail(each) && each != '+')
            }
            '.' if ordinal == Some(at) => true,
            '.' => around.autolinks && next.is_some_and(|next| !next.is_whitespace()) && follows_www(&chars[..at]),
            ')' => ordinal == Some(at),
            '#' => starts_line && begins_heading(&chars, around),
            '>' | '|' | '=' => starts_line,
            // Three of them could begin a front matter.
            '+' => starts_line && (next.is_none_or(is_blank) || (next == Some('+') && third == Some('+'))),
            '-' => starts_line && next.is_none_or(|next| is_blank(next) || next == '-' || next == '|' || next == ':'),
            _ => false,
        };
        if escaped {
            out.push('\\');
        }
        out.push(each);
    }
}

/// The brackets to escape: those that could begin a link, a note or a definition, with the other one of their pair; the
/// outer ones of double brackets; and those without a pair, because no address becomes a link automatically after an
/// open bracket.
fn brackets(chars: &[char], around: Around) -> Vec<bool> {
    let mut escaped = vec![false; chars.len()];
    if !chars.contains(&'[') && !around.brackets && !chars.contains(&']') {
        return escaped;
    }
    // White space before the box of a task does not prevent it from being one.
    let blanks = chars.iter().take_while(|each| is_blank(**each)).count();
    let mut open: Vec<usize> = Vec::new();
    let mut last_pair = None;
    for (at, each) in chars.iter().enumerate() {
        let next = chars.get(at + 1).copied().or(around.after);
        match each {
            '[' => {
                escaped[at] = true;
                open.push(at);
            }
            ']' => {
                let start = open.pop();
                let first = start == Some(blanks) && around.starts_block;
                let syntax = around.brackets || first || matches!(next, Some('(' | '[' | ':'));
                let note = start.is_some_and(|start| chars.get(start + 1) == Some(&'^'));
                escaped[at] = syntax || (start.is_none() && around.after.is_some());
                if let Some(start) = start {
                    // Double brackets could be a link of a wiki.
                    let double = last_pair == Some((start + 1, at - 1));
                    escaped[at] |= double;
                    escaped[start] = syntax || note || double;
                    last_pair = Some((start, at));
                }
            }
            _ => {}
        }
    }
    escaped
}

fn is_blank(each: char) -> bool {
    matches!(each, ' ' | '\t' | '\u{b}' | '\u{c}')
}

fn is_mail(each: char) -> bool {
    each.is_alphanumeric() || matches!(each, '.' | '+' | '-' | '_')
}

/// Whether the text after an angle bracket may be a mail address, which need not begin with a letter.
fn begins_address(chars: &[char], ends: bool) -> bool {
    let of_name = |each: char| each.is_ascii_graphic() && !r#""(),:;<>@[\]"#.contains(each);
    match chars.iter().position(|each| !of_name(*each)) {
        Some(end) => end > 0 && chars[end] == '@',
        None => !ends,
    }
}

/// The end of an ordered list's mark, if a line would begin with one.
fn ordinal_end(chars: &[char], around: Around) -> Option<usize> {
    let digits = chars.iter().take(10).take_while(|each| each.is_ascii_digit()).count();
    let mark = matches!(chars.get(digits), Some('.' | ')')) && (1..10).contains(&digits);
    let next = chars.get(digits + 1).copied().or(around.after);
    (mark && next.is_none_or(is_blank)).then_some(digits)
}

fn begins_heading(chars: &[char], around: Around) -> bool {
    let marks = chars.iter().take_while(|each| **each == '#').count();
    marks <= 6 && chars.get(marks).copied().or(around.after).is_none_or(is_blank)
}

fn begins_reference(rest: &[char], open: bool) -> bool {
    let name = rest.iter().take(33).take_while(|each| each.is_ascii_alphanumeric() || **each == '#').count();
    match rest.get(name) {
        Some(';') => name > 0,
        None => open,
        Some(_) => false,
    }
}

fn follows_scheme(before: &[char]) -> bool {
    ["http", "https", "ftp"].iter().any(|scheme| ends_with(before, scheme))
}

fn follows_www(before: &[char]) -> bool {
    ends_with(before, "www")
}

fn ends_with(text: &[char], end: &str) -> bool {
    let start = text.len().checked_sub(end.len());
    start.is_some_and(|start| text[start..].iter().zip(end.chars()).all(|(a, b)| a.eq_ignore_ascii_case(&b)))
}

/// Writes code between enough backticks.
pub(super) fn code(code: &str) -> String {
    let mut runs = std::collections::HashSet::new();
    let mut run = 0usize;
    for each in code.chars().chain(['\0']) {
        if each == '`' {
            run += 1;
        } else if run > 0 {
            runs.insert(run);
            run = 0;
        }
    }
    let ticks = "`".repeat((1..).find(|length| !runs.contains(length)).unwrap_or(1));
    let blank = code.chars().all(|each| each == ' ');
    let edge = code.starts_with('`') || code.ends_with('`') || (code.starts_with(' ') && code.ends_with(' '));
    let pad = if edge && !blank { " " } else { "" };
    format!("{ticks}{pad}{code}{pad}{ticks}")
}

/// Writes the address of a link, with its title if there is one, for use in parentheses.
pub(super) fn destination(href: &str, title: Option<&str>) -> String {
    let odd = |each: char| each.is_whitespace() || each.is_control() || matches!(each, '(' | ')' | '<' | '>');
    let pointed = (href.is_empty() && title.is_some()) || href.starts_with('<') || href.contains(odd);
    let mut out = String::new();
    if pointed {
        out.push('<');
    }
    address(href, pointed, &mut out);
    if pointed {
        out.push('>');
    }
    if let Some(title) = title {
        out.push_str(" \"");
        quoted(title, &mut out);
        out.push('"');
    }
    dollars::escape(&mut out, |_| true);
    out
}

fn address(href: &str, pointed: bool, out: &mut String) {
    let chars: Vec<char> = href.chars().collect();
    for (at, each) in chars.iter().enumerate() {
        match each {
            '\n' | '\r' => out.push_str(&format!("&#{};", u32::from(*each))),
            // White space at the ends of an address is not part of it, unless it is a reference.
            each if each.is_whitespace() && (at == 0 || at + 1 == chars.len()) => {
                out.push_str(&format!("&#{};", u32::from(*each)));
            }
            '\\' if chars.get(at + 1).is_none_or(char::is_ascii_punctuation) => out.push_str("\\\\"),
            '<' | '>' if pointed => {
                out.push('\\');
                out.push(*each);
            }
            '&' if begins_reference(&chars[at + 1..], false) => out.push_str("&amp;"),
            '`' => out.push_str("\\`"),
            '$' if chars.get(at + 1) == Some(&'$') => out.push_str("\\$"),
            '{' if chars.get(at + 1) == Some(&'%') => out.push_str("\\{"),
            each => out.push(*each),
        }
    }
}

fn quoted(title: &str, out: &mut String) {
    let chars: Vec<char> = title.chars().collect();
    for (at, each) in chars.iter().enumerate() {
        match each {
            '\n' | '\r' => out.push_str(&format!("&#{};", u32::from(*each))),
            '"' => out.push_str("\\\""),
            // Some readers take the quotation mark after it for a part of the title, if another one follows in the
            // block.
            '\\' if at + 1 == chars.len() => out.push_str("&#92;"),
            '\\' if chars[at + 1].is_ascii_punctuation() => out.push_str("\\\\"),
            '&' if begins_reference(&chars[at + 1..], false) => out.push_str("&amp;"),
            '`' => out.push_str("\\`"),
            '$' if chars.get(at + 1) == Some(&'$') => out.push_str("\\$"),
            '{' if chars.get(at + 1) == Some(&'%') => out.push_str("\\{"),
            each => out.push(*each),
        }
    }
}

/// Marks the end of a block in the text that follows a link.
pub(super) const END: char = '\u{3}';

/// Whether a link to `href` with this text may be written as the bare text. `after` is the next characters in the
/// block; the last of them is [`END`] if nothing more follows.
pub(super) fn is_bare_link(words: &str, href: &str, before: Option<char>, after: &str) -> bool {
    let (scheme, rest) = match words.strip_prefix("https://").or_else(|| words.strip_prefix("http://")) {
        Some(rest) => (words == href, rest),
        None => match words.strip_prefix("www.") {
            Some(_) => (href.strip_prefix("http://") == Some(words), words),
            None => return false,
        },
    };
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (host, path) = rest.split_at(end);
    let fine_host = host.split('.').count() > 1
        && host.split('.').all(|label| {
            !label.is_empty()
                && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
                && label.bytes().next().is_some_and(|first| first.is_ascii_alphanumeric())
        });
    let fine_path = path.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._/?#=&%+".contains(&byte));
    let fine_end = words.ends_with(|last: char| last.is_ascii_alphanumeric() || matches!(last, '/' | '=' | '-'));
    let fine_before = before.is_none_or(|before| matches!(before, ' ' | '(' | '\n'));
    let mut following = after.chars();
    let fine_after = match following.next() {
        None => true,
        // A space at the end of a text may be written as a reference, which would become part of the address.
        Some(' ') => following.next().is_some_and(|next| next != END),
        Some('.' | ',' | ':') => match following.next() {
            Some(END) => true,
            next => next == Some(' ') && following.next().is_some_and(|next| next != END),
        },
        _ => false,
    };
    scheme && fine_host && fine_path && fine_end && fine_before && fine_after && host.split('.').count() < 10
}

/// Whether a link to `href` with this text may be written between angle brackets.
pub(super) fn is_pointed_link(words: &str, href: &str) -> bool {
    let plain =
        |each: char| each.is_ascii_graphic() && !matches!(each, '<' | '>' | '&' | '\\' | '`' | '{' | '}' | '$' | '|');
    let url = words == href && (words.starts_with("https://") || words.starts_with("http://"));
    let mail = href.strip_prefix("mailto:") == Some(words) && {
        let (local, host) = words.split_once('@').unwrap_or_default();
        let fine = |part: &str| {
            part.starts_with(|first: char| first.is_ascii_alphanumeric())
                && part.ends_with(|last: char| last.is_ascii_alphanumeric())
                && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'.')
        };
        fine(local) && fine(host) && !host.contains("..")
    };
    (url || mail) && words.chars().all(plain)
}
