//! Lines in which nothing is a block: code between fences, HTML that goes on over blank lines, and formulas.
use super::marks::{container_prefix, quote_prefix};
use std::borrow::Cow;

/// Elements whose text is not Markdown, also over blank lines.
pub(super) const RAW_ELEMENTS: [&str; 4] = ["pre", "script", "style", "textarea"];

/// The ends of such elements. In CommonMark, each of them ends each of the elements.
const RAW_ELEMENT_ENDS: &[&str] = &["</pre>", "</script>", "</style>", "</textarea>"];

/// The beginnings of other HTML that goes on over blank lines, and their ends.
const RAW: [(&str, &[&str]); 4] = [("<!--", &["-->"]), ("<?", &["?>"]), ("<![cdata[", &["]]>"]), ("<!", &[">"])];

/// Whether HTML in lower case begins with the start tag of a raw element.
pub(super) fn begins_raw_element(lower: &str) -> bool {
    let Some(rest) = lower.strip_prefix('<') else { return false };
    let ends = |rest: &str| rest.is_empty() || rest.starts_with([' ', '\t', '\n', '>']);
    RAW_ELEMENTS.iter().any(|name| rest.strip_prefix(name).is_some_and(ends))
}

/// What the lines so far have opened, in which nothing is a block.
pub(super) struct Open<'f> {
    formulas: &'f Formulas,
    /// The line after the last one.
    end: usize,
    /// The mark of a fence, and whether it is in a list.
    fence: Option<(char, usize, bool)>,
    /// The ends of HTML, one of which must come.
    raw: Option<&'static [&'static str]>,
    /// The last line of a formula.
    formula: Option<usize>,
    /// Whether the last line without indentation began an item of a list.
    in_list: bool,
}

impl<'f> Open<'f> {
    /// Before the first of some lines; `end` is the line after the last one.
    pub(super) fn new(formulas: &'f Formulas, end: usize) -> Self {
        Self { formulas, end, fence: None, raw: None, formula: None, in_list: false }
    }

    /// Whether the line before this one is in nothing that goes on.
    pub(super) fn is_free(&self, at: usize) -> bool {
        self.fence.is_none() && self.raw.is_none() && self.formula.is_none_or(|end| at > end)
    }

    /// Takes a line; returns whether blocks can begin in it.
    pub(super) fn line(&mut self, at: usize, line: &str) -> bool {
        if self.formula.is_some_and(|end| at <= end) {
            return false;
        }
        let body = line.trim_start_matches(' ');
        let indent = line.len() - body.len();
        if let Some((mark, length, in_list)) = self.fence {
            let marks = body.len() - body.trim_start_matches(mark).len();
            // Without indentation, the item with the fence ends.
            let ends = in_list && indent == 0 && !body.is_empty();
            if !ends {
                if indent < 4 && marks >= length && body[marks..].trim().is_empty() {
                    self.fence = None;
                }
                return false;
            }
            self.fence = None;
        }
        let lower = if body.starts_with('<') || self.raw.is_some() {
            Cow::Owned(body.to_ascii_lowercase())
        } else {
            Cow::Borrowed(body)
        };
        if let Some(ends) = self.raw {
            if ends.iter().any(|end| lower.contains(end)) {
                self.raw = None;
            }
            return false;
        }
        if indent == 0 && !body.is_empty() {
            self.in_list = container_prefix(body) > 0;
        }
        if line.trim_end().ends_with("$$") && line[container_prefix(line)..].trim_end() == "$$" {
            self.formula = self.formulas.end(at).filter(|end| *end < self.end);
            return false;
        }
        if indent > 3 {
            return false;
        }
        for mark in ['`', '~'] {
            let marks = body.len() - body.trim_start_matches(mark).len();
            if marks > 2 && !(mark == '`' && body[marks..].contains('`')) {
                self.fence = Some((mark, marks, self.in_list && indent > 0));
                return false;
            }
        }
        let raw = RAW.iter().find(|(start, _)| lower.starts_with(start)).copied();
        if let Some((start, ends)) = raw.or_else(|| begins_raw_element(&lower).then_some(("<", RAW_ELEMENT_ENDS))) {
            if !ends.iter().any(|end| lower[start.len()..].contains(end)) {
                self.raw = Some(ends);
            }
            return false;
        }
        true
    }
}

/// For each line of a text: the last line of the formula over several lines that would begin in it.
#[derive(Debug, Default)]
pub(super) struct Formulas(Vec<Option<usize>>);

impl Formulas {
    /// Finds the ends of formulas: lines of `$$`. A fence or a tag before it prevents a formula.
    pub(super) fn of<L: AsRef<str>>(lines: &[L]) -> Self {
        if !lines.iter().any(|line| line.as_ref().contains("$$")) {
            return Self::default();
        }
        let mut ends = vec![None; lines.len()];
        let mut next = None;
        for (at, line) in lines.iter().enumerate().rev() {
            ends[at] = next;
            let line = line.as_ref();
            let body = line[quote_prefix(line)..].trim_end();
            if body == "$$" {
                next = Some(at);
            } else if body.starts_with("```") || body.starts_with("~~~") || body.starts_with("{%") {
                next = None;
            }
        }
        Self(ends)
    }

    /// The last line of the formula that begins in this line, if it ends.
    pub(super) fn end(&self, at: usize) -> Option<usize> {
        self.0.get(at).copied().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("<pre", true)]
    #[case("<pre class>", true)]
    #[case("<style>", true)]
    #[case("<prefix>", false)]
    #[case("<styled a>", false)]
    #[case("pre>", false)]
    fn a_raw_element_begins_with_its_whole_name(#[case] html: &str, #[case] raw: bool) {
        assert_eq!(begins_raw_element(html), raw);
    }

    #[rstest]
    #[case("$$\na\n$$\n$$", &[Some(2), Some(2), Some(3), None])]
    #[case("$$\n```\n> $$\n", &[None, Some(2), None, None])]
    #[case("$$\n{% a %}\n$$", &[None, Some(2), None])]
    #[case("a\nb", &[None, None])]
    fn a_formula_ends_before_a_fence_or_a_tag(#[case] text: &str, #[case] ends: &[Option<usize>]) {
        let lines: Vec<&str> = text.split('\n').collect();
        let formulas = Formulas::of(&lines);
        let found: Vec<Option<usize>> = (0..lines.len()).map(|at| formulas.end(at)).collect();
        assert_eq!(found, ends);
    }

    #[rstest]
    #[case("a\n```\nb\n```\nc", "+---+")]
    #[case("- a\n  ```\n  b\nc", "+--+")]
    #[case("<pre>\n\na\n</pre>\nb", "----+")]
    #[case("<prefix>\n\na", "+++")]
    #[case("<!-- a\n\n-->\nb", "---+")]
    #[case("$$\n\na\n$$\nb", "----+")]
    #[case("$$\n\na", "-++")]
    #[case("- $$\n  a $$ b\n  $$\nb", "---+")]
    #[case("    a\nb", "-+")]
    fn blocks_begin_outside_of_code_html_and_formulas(#[case] text: &str, #[case] expected: &str) {
        let lines: Vec<&str> = text.split('\n').collect();
        let formulas = Formulas::of(&lines);
        let mut open = Open::new(&formulas, lines.len());
        let found: String =
            lines.iter().enumerate().map(|(at, line)| if open.line(at, line) { '+' } else { '-' }).collect();
        assert_eq!(found, expected);
    }
}
