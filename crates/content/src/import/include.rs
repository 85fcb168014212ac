//! Includes of mdBook: `{{#include file.rs:anchor}}` in a text becomes the text of the file, and `{{#playground file.rs}}`
//! code. `{{#title …}}` says nothing to readers. What cannot be included stays as it is.
use super::path;

/// How deep included texts are searched for includes.
const MAX_DEPTH: usize = 8;

/// The most bytes that one text may include. Each include counts as some more bytes than its text has.
pub(super) const MAX_INCLUDED: usize = 4 * 1024 * 1024;
pub(super) const PER_INCLUDE: usize = 64;

/// The longest include, in bytes.
const MAX_LENGTH: usize = path::MAX_PATH + 128;

/// A text with the texts that it includes.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Included {
    pub text: String,
    /// For each line, the line of the file that it comes from; empty if the text includes nothing.
    lines: Vec<usize>,
}

impl Included {
    /// A text that includes nothing.
    pub(super) fn nothing(text: String) -> Self {
        Self { text, lines: Vec::new() }
    }

    /// The text of the file at a path of the repository. `read` returns the text of a file, if it may be included.
    pub(super) fn of(text: String, path: &str, read: &mut dyn FnMut(&str) -> Option<String>) -> Self {
        if !text.contains("{{") {
            return Self::nothing(text);
        }
        let mut includes = Includes { read, left: MAX_INCLUDED, found: false };
        let mut lines = Vec::new();
        let mut texts = Vec::new();
        for (number, line) in (1..).zip(text.split('\n')) {
            let line = includes.line(line, path, 0);
            lines.extend(std::iter::repeat_n(number, line.matches('\n').count() + 1));
            texts.push(line);
        }
        match includes.found {
            true => Self { text: texts.join("\n"), lines },
            false => Self::nothing(text),
        }
    }

    /// The same text in other words: `lines` are the lines of this text that its lines come from, from 1.
    pub(super) fn rewritten(self, text: String, lines: Vec<usize>) -> Self {
        let lines = lines.into_iter().map(|line| self.line(line)).collect();
        Self { text, lines }
    }

    /// The line of the file that a line comes from, from 1.
    pub(super) fn line(&self, line: usize) -> usize {
        line.checked_sub(1).and_then(|at| self.lines.get(at).copied()).unwrap_or(line)
    }
}

struct Includes<'r> {
    read: &'r mut dyn FnMut(&str) -> Option<String>,
    /// The bytes that may still be included.
    left: usize,
    found: bool,
}

impl Includes<'_> {
    /// A line with the texts that it includes.
    fn line(&mut self, line: &str, path: &str, depth: usize) -> String {
        let mut out = String::new();
        let mut rest = line;
        while let Some((before, after)) = rest.split_once("{{") {
            out.push_str(before);
            let include = if before.ends_with('\\') { None } else { Include::lex(after) };
            match include.and_then(|(include, length)| Some((self.text(&include, path, depth)?, length))) {
                Some((text, length)) => {
                    self.found = true;
                    out.push_str(&text);
                    rest = &after[length..];
                }
                None => {
                    out.push_str("{{");
                    rest = after;
                }
            }
        }
        out.push_str(rest);
        out
    }

    fn text(&mut self, include: &Include<'_>, from: &str, depth: usize) -> Option<String> {
        let is_code = match include.name {
            "title" => return Some(String::new()),
            "include" | "rustdoc_include" => false,
            "playground" | "playpen" => true,
            _ => return None,
        };
        let words = if is_code { include.arguments.split_whitespace().next()? } else { include.arguments };
        let (file, range) = words.split_once(':').map_or((words, None), |(file, range)| (file, Some(range)));
        let place = path::resolve(path::folder(from), file.trim()).filter(|_| depth < MAX_DEPTH)?;
        let text = (self.read)(&place)?;
        self.left = self.left.checked_sub(text.len() + PER_INCLUDE)?;
        let lines: Vec<String> =
            part(&text, range.map(str::trim)).map(|line| self.line(line, &place, depth + 1)).collect();
        let text = lines.join("\n");
        Some(if is_code { format!("```rust\n{text}\n```") } else { text })
    }
}

/// An include without the braces around it.
struct Include<'t> {
    name: &'t str,
    arguments: &'t str,
}

impl<'t> Include<'t> {
    /// The include in the text after two braces, and where the text goes on.
    fn lex(text: &'t str) -> Option<(Self, usize)> {
        let end = text.as_bytes().windows(2).take(MAX_LENGTH).position(|pair| pair == b"}}")?;
        let (name, arguments) = text[..end].trim().strip_prefix('#')?.split_once([' ', '\t'])?;
        Some((Self { name, arguments: arguments.trim() }, end + 2))
    }
}

/// The lines of a text that a range names: `2`, `2:`, `:5`, `2:5`, or the name of an anchor.
fn part<'t>(text: &'t str, range: Option<&str>) -> Box<dyn Iterator<Item = &'t str> + 't> {
    let lines = text.lines();
    let Some(range) = range else { return Box::new(lines) };
    let number = |text: &str, default: usize| match text.trim() {
        "" => Some(default),
        number => number.parse::<usize>().ok(),
    };
    let (first, last) = range.split_once(':').unwrap_or((range, range));
    if let (Some(first), Some(last)) = (number(first, 1), number(last, usize::MAX)) {
        let first = first.max(1);
        return Box::new(lines.skip(first - 1).take(last.saturating_sub(first - 1)));
    }
    let anchor = first.trim().to_owned();
    let names = move |line: &str, mark: &str| {
        line.split_once(mark).is_some_and(|(_, rest)| rest.split_whitespace().next() == Some(anchor.as_str()))
    };
    let mut is_inside = false;
    Box::new(lines.filter(move |line| {
        if names(line, "ANCHOR:") {
            is_inside = true;
        } else if names(line, "ANCHOR_END:") {
            is_inside = false;
        } else {
            return is_inside && !line.contains("ANCHOR:") && !line.contains("ANCHOR_END:");
        }
        false
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    const CODE: &str = "one\n// ANCHOR: a\ntwo\n// ANCHOR: b\nthree\n// ANCHOR_END: b\n// ANCHOR_END: a\nfour\n";

    /// The files of a repository.
    fn file(path: &str) -> Option<String> {
        let text = match path {
            "code.rs" => CODE,
            "text/part.md" => "Part\n\n{{#include ../end.md}}\n",
            "end.md" => "End",
            "loop.md" => "{{#include loop.md}}",
            _ => return None,
        };
        Some(text.to_owned())
    }

    fn included(text: &str) -> Included {
        Included::of(text.to_owned(), "src/a.md", &mut |path| file(path))
    }

    #[rstest]
    #[case("{{#include ../code.rs:a}}", "two\nthree")]
    #[case("x {{ #rustdoc_include ../code.rs:b }} y", "x three y")]
    #[case("{{#include ../code.rs:1}}", "one")]
    #[case("{{#include ../code.rs:8:}}", "four")]
    #[case("{{#include ../code.rs::1}} {{#include ../code.rs:1:1}}", "one one")]
    #[case("{{#include ../code.rs:9:2}}", "")]
    #[case("{{#include ../code.rs:none}}", "")]
    #[case("{{#include ../text/part.md}}", "Part\n\nEnd")]
    #[case("{{#playground ../end.md editable}}", "```rust\nEnd\n```")]
    #[case("{{#title A title}}# A", "# A")]
    fn an_include_becomes_the_text_of_the_file(#[case] text: &str, #[case] expected: &str) {
        assert_eq!(included(text).text, expected);
    }

    #[rstest]
    #[case("{{#include gone.rs}}")]
    #[case("{{#include ../../code.rs}}")]
    #[case("\\{{#include ../code.rs}}")]
    #[case("{{#include}}")]
    #[case("{{#other ../code.rs}}")]
    #[case("{{include ../code.rs}}")]
    #[case("{{#include ../code.rs")]
    #[case("{{{{")]
    fn what_cannot_be_included_stays(#[case] text: &str) {
        assert_eq!(included(text), Included::nothing(text.to_owned()));
    }

    #[test]
    fn each_line_is_known_in_the_file() {
        let included = included("a\n{{#include ../text/part.md}}\nb");
        assert_eq!(included.text, "a\nPart\n\nEnd\nb");
        assert_eq!([1, 2, 4, 5, 9].map(|line| included.line(line)), [1, 2, 2, 3, 9]);
    }

    #[test]
    fn includes_are_limited_in_depth_and_size() {
        assert_eq!(included("{{#include ../loop.md}}").text, "{{#include loop.md}}");
        let text = "{{#include ../large.md}}\n".repeat(10);
        let mut reads = 0;
        let read = &mut |_: &str| {
            reads += 1;
            Some("x".repeat(MAX_INCLUDED / 4))
        };
        let included = Included::of(text, "src/a.md", read);
        assert!(included.text.len() < MAX_INCLUDED && included.text.contains("{{#include"));
        assert_eq!(reads, 10);
    }
}
