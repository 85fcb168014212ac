//! The info string of a code block: its language, and in other programs its title and the lines that are highlighted.
use crate::document::Code;
use std::collections::BTreeSet;
use std::fmt::Write;

/// The highest line that can be named, so that a range cannot ask for more memory than any code needs.
const MAX_LINE: u32 = 100_000;

/// Reads `language title="name" showLineNumbers {1,3-5}` of code with this many lines, or the same in the words of
/// other tools: `language:line-numbers [name]`, `linenums="1" hl_lines="1 3-5"`. Any other form is kept as the
/// language. Lines far after the last one are left out, so that a short range makes no large set.
pub(super) fn parse(info: &str, lines_of_code: usize) -> Code {
    let whole = || Code { syntax: (!info.is_empty()).then(|| info.to_owned()), ..Code::default() };
    parts(info, lines_of_code).unwrap_or_else(whole)
}

fn parts(info: &str, lines_of_code: usize) -> Option<Code> {
    let blanks = [' ', '\t'];
    let (language, mut rest) = info.split_at(info.find([' ', '\t', '{']).unwrap_or(info.len()));
    let numbered = language.strip_suffix(":line-numbers");
    let language = numbered.unwrap_or(language);
    let syntax = (!language.is_empty()).then(|| language.to_owned());
    let mut code = Code { syntax, line_numbers: numbered.map(|_| true), ..Code::default() };
    loop {
        rest = rest.trim_start_matches(blanks);
        if rest.is_empty() {
            return Some(code);
        }
        if let Some(lines) = rest.strip_prefix('{') {
            let (list, after) = lines.split_once('}')?;
            if !code.highlighted.is_empty() {
                return None;
            }
            code.highlighted = ranges(list, lines_of_code)?;
            rest = after;
            continue;
        }
        if let Some(title) = rest.strip_prefix('[').filter(|_| code.title.is_none()) {
            let (title, after) = title.split_once(']').filter(|(title, _)| !title.is_empty())?;
            code.title = Some(title.to_owned());
            rest = after;
            continue;
        }
        let (key, after) = rest.split_at(rest.find([' ', '\t', '=', '{']).unwrap_or(rest.len()));
        match key {
            "showLineNumbers" | "lineNumbers" if !after.starts_with('=') && code.line_numbers.is_none() => {
                code.line_numbers = Some(true);
                rest = after;
            }
            "title" | "filename" if code.title.is_none() => {
                let (title, after) = quoted(after)?;
                code.title = Some(title.to_owned());
                rest = after;
            }
            "linenums" if code.line_numbers.is_none() => {
                let (_, after) = quoted(after).filter(|(first, _)| *first == "1")?;
                code.line_numbers = Some(true);
                rest = after;
            }
            "hl_lines" if code.highlighted.is_empty() => {
                let (list, after) = quoted(after)?;
                code.highlighted = ranges(&list.replace(' ', ","), lines_of_code)?;
                rest = after;
            }
            _ => return None,
        }
    }
}

/// The value in quotation marks after an equals sign, and the rest.
fn quoted(text: &str) -> Option<(&str, &str)> {
    let value = text.strip_prefix('=')?;
    let quote = value.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
    value[1..].split_once(quote)
}

fn ranges(list: &str, lines_of_code: usize) -> Option<BTreeSet<u32>> {
    let mut ranges = Vec::new();
    let mut named = 0;
    for part in list.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let number = |text: &str| text.trim().parse::<u32>().ok().filter(|line| (1..=MAX_LINE).contains(line));
        let (first, last) = (number(first)?, number(last)?);
        if first > last {
            return None;
        }
        // Lines that are named again count again, so the work is bounded as well.
        named += last - first + 1;
        if named > MAX_LINE {
            return None;
        }
        ranges.push((first - 1, last));
    }
    ranges.sort_unstable();
    let most = u32::try_from(lines_of_code.max(8 * list.len())).unwrap_or(u32::MAX);
    let (mut lines, mut next) = (BTreeSet::new(), 0);
    for (first, last) in ranges {
        lines.extend(first.max(next)..last.min(most));
        next = next.max(last);
    }
    Some(lines)
}

/// Writes what [`parse`] reads.
pub(super) fn write(syntax: Option<&str>, highlighted: &BTreeSet<u32>) -> String {
    let mut info = syntax.unwrap_or_default().replace(['\n', '\r'], " ").trim().to_owned();
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for line in highlighted.iter().map(|line| line.saturating_add(1)).filter(|line| *line <= MAX_LINE) {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == line => *last = line,
            _ => ranges.push((line, line)),
        }
    }
    for (at, (first, last)) in ranges.iter().enumerate() {
        let open = if at > 0 {
            ","
        } else if info.is_empty() {
            "{"
        } else {
            " {"
        };
        let _ = write!(info, "{open}{first}");
        if first != last {
            let _ = write!(info, "-{last}");
        }
    }
    if !ranges.is_empty() {
        info.push('}');
    }
    info
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("", None, &[])]
    #[case("js", Some("js"), &[])]
    #[case("js {1,3-4}", Some("js"), &[0, 2, 3])]
    #[case("{2}", None, &[1])]
    #[case("js foo=\"x\" {1}", Some("js foo=\"x\" {1}"), &[])]
    #[case("js title=x", Some("js title=x"), &[])]
    #[case("js title=\"x", Some("js title=\"x"), &[])]
    #[case("{.python .numberLines}", Some("{.python .numberLines}"), &[])]
    #[case("rust,ignore", Some("rust,ignore"), &[])]
    #[case("js linenums=\"5\"", Some("js linenums=\"5\""), &[])]
    #[case("js []", Some("js []"), &[])]
    #[case("js {0}", Some("js {0}"), &[])]
    #[case("js {4-3}", Some("js {4-3}"), &[])]
    #[case("js {1-4294967295}", Some("js {1-4294967295}"), &[])]
    fn an_info_string_is_read_and_written(#[case] info: &str, #[case] syntax: Option<&str>, #[case] lines: &[u32]) {
        let lines: BTreeSet<u32> = lines.iter().copied().collect();
        let code = Code { syntax: syntax.map(str::to_owned), highlighted: lines.clone(), ..Code::default() };
        assert_eq!(parse(info, 9), code);
        assert_eq!(write(syntax, &lines), info);
    }

    #[rstest]
    #[case("js title=\"a b.js\" {1} showLineNumbers", Some("a b.js"), Some(true), &[0])]
    #[case("js{1,2}", None, None, &[0, 1])]
    #[case("js filename='x'", Some("x"), None, &[])]
    #[case("js lineNumbers", None, Some(true), &[])]
    #[case("js:line-numbers {2} [a.js]", Some("a.js"), Some(true), &[1])]
    #[case("js linenums=\"1\" hl_lines=\"1 3-4\"", None, Some(true), &[0, 2, 3])]
    fn other_programs_write_a_title_and_lines_there(
        #[case] info: &str,
        #[case] title: Option<&str>,
        #[case] line_numbers: Option<bool>,
        #[case] lines: &[u32],
    ) {
        let code = parse(info, 9);
        assert_eq!(code.syntax.as_deref(), Some("js"));
        assert_eq!((code.title.as_deref(), code.line_numbers), (title, line_numbers));
        assert_eq!(code.highlighted, lines.iter().copied().collect());
    }

    #[test]
    fn lines_far_behind_the_last_one_are_not_highlighted() {
        assert_eq!(parse("js {2-90000,1-3,9}", 200).highlighted, (0..200).collect());
        assert_eq!(parse("js {2-90000}", 4).highlighted, (1..56).collect());
    }
}
