//! The info string of a code block: its language and the lines that are highlighted.
use std::collections::BTreeSet;
use std::fmt::Write;

/// The highest line that can be named, so that a range cannot ask for more memory than any code needs.
const MAX_LINE: u32 = 100_000;

/// Reads `language {1,3-5}` of code with this many lines. Any other form is kept as the language. Lines far after the
/// last one are left out, so that a short range makes no large set.
pub(super) fn parse(info: &str, lines_of_code: usize) -> (Option<String>, BTreeSet<u32>) {
    let (language, lines) = match info.find('{') {
        Some(at) if at == 0 || info[..at].ends_with(' ') => (info[..at].trim_end(), &info[at..]),
        _ => (info, ""),
    };
    if !language.contains(' ')
        && let Some(highlighted) =
            lines.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')).and_then(|list| ranges(list, lines_of_code))
    {
        return ((!language.is_empty()).then(|| language.to_owned()), highlighted);
    }
    ((!info.is_empty()).then(|| info.to_owned()), BTreeSet::new())
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
    #[case("js title=\"x\" {1}", Some("js title=\"x\" {1}"), &[])]
    #[case("js {0}", Some("js {0}"), &[])]
    #[case("js {4-3}", Some("js {4-3}"), &[])]
    #[case("js {1-4294967295}", Some("js {1-4294967295}"), &[])]
    #[case("js{1}", Some("js{1}"), &[])]
    fn an_info_string_is_read_and_written(#[case] info: &str, #[case] syntax: Option<&str>, #[case] lines: &[u32]) {
        let lines: BTreeSet<u32> = lines.iter().copied().collect();
        assert_eq!(parse(info, 9), (syntax.map(str::to_owned), lines.clone()));
        assert_eq!(write(syntax, &lines), info);
    }

    #[test]
    fn lines_far_behind_the_last_one_are_not_highlighted() {
        assert_eq!(parse("js {2-90000,1-3,9}", 200).1, (0..200).collect());
        assert_eq!(parse("js {2-90000}", 4).1, (1..56).collect());
    }
}
