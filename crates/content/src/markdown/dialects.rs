//! Blocks of other tools, which become the ones that are read, line by line: the number of lines stays.
//!
//! - admonitions and tabs of MkDocs, whose text is indented: `!!! note "Title"`, `??? tip`, `=== "Tab"`
//! - `<Tabs>` and `<TabItem>`, as in MDX; in files also its imports at the beginning, and comments in braces
use super::html::HtmlTag;
use super::raw::{Formulas, Open};
use std::borrow::Cow;
use std::ops::Range;

/// How deep admonitions and tabs with indented text are read.
const MAX_DEPTH: usize = 8;

/// What a text has if there may be something to do.
const SIGNS: [&str; 6] = ["!!! ", "???", "=== \"", "<Tab", "{/*", "import "];

/// The text with the blocks that are read.
pub(super) fn rewritten(text: &str, is_file: bool) -> Cow<'_, str> {
    if !SIGNS.iter().any(|sign| text.contains(sign)) {
        return Cow::Borrowed(text);
    }
    let mut lines: Vec<Cow<'_, str>> = text.split('\n').map(Cow::Borrowed).collect();
    // The end of the last block needs a line.
    lines.push(Cow::Borrowed(""));
    let end = lines.len() - 1;
    if is_file {
        comments(&mut lines[..end]);
    }
    let rewriter = Rewriter { formulas: Formulas::of(&lines), is_file };
    rewriter.blocks(&mut lines, 0..end, 0);
    if lines[end].is_empty() {
        lines.pop();
    }
    Cow::Owned(lines.join("\n"))
}

/// Whether a line is an import of MDX.
pub(super) fn is_import(line: &str) -> bool {
    let Some(rest) = line.trim_end().strip_prefix("import ") else { return false };
    let rest = rest.strip_suffix(';').unwrap_or(rest);
    let path = rest.rsplit_once(" from ").map_or(rest, |(_, path)| path).trim();
    let names = rest.rsplit_once(" from ").map_or("", |(names, _)| names);
    let is_of_names = |each: char| each.is_alphanumeric() || " {},*_$".contains(each);
    let is_quoted = |quote: char| path.len() > 2 && path.starts_with(quote) && path.ends_with(quote);
    names.chars().all(is_of_names)
        && (is_quoted('"') || is_quoted('\''))
        && !path[1..path.len() - 1].contains(['"', '\'', ' '])
        && !line.contains("--")
}

/// Makes the imports at the beginning comments.
fn comments(lines: &mut [Cow<'_, str>]) {
    for line in lines.iter_mut() {
        if is_import(line) {
            *line = format!("<!-- {} -->", line.trim_end()).into();
        } else if !line.trim().is_empty() {
            return;
        }
    }
}

/// Rewrites blocks.
struct Rewriter {
    formulas: Formulas,
    /// Whether the text is a file, which may have comments of MDX.
    is_file: bool,
}

impl Rewriter {
    /// Rewrites the blocks in a range of lines. The line after the range is free for ends of blocks.
    fn blocks(&self, lines: &mut [Cow<'_, str>], range: Range<usize>, depth: usize) {
        let mut open = Open::new(&self.formulas, range.end);
        let mut is_after_blank = true;
        // The reading of the last `<Tabs>` ended in this line. Those before it are in code, HTML or a formula for it,
        // so they are not read again: then each line is read once for one that is not complete.
        let mut tabs_from = range.start;
        let mut at = range.start;
        while at < range.end {
            let line = lines[at].clone();
            let may_begin = open.line(at, &line);
            let is_blank = line.trim().is_empty();
            let mut next = at + 1;
            if may_begin
                && self.is_file
                && let Some(comment) = line.trim_end().strip_prefix("{/*").and_then(|rest| rest.strip_suffix("*/}"))
            {
                if !comment.contains("--") && !comment.contains("*/") {
                    lines[at] = format!("<!--{comment}-->").into();
                }
            } else if may_begin && at >= tabs_from && line.trim_start().starts_with("<Tabs") {
                tabs_from = self.tabs_of_tags(lines, at..range.end);
            } else if may_begin && is_after_blank && depth < MAX_DEPTH {
                next = self.indented(lines, at, range.end, depth).unwrap_or(next);
            }
            is_after_blank = is_blank || next > at + 1;
            at = next;
        }
    }

    /// Rewrites the block or the row of tabs that begins in a line; returns the line after it.
    fn indented(&self, lines: &mut [Cow<'_, str>], at: usize, end: usize, depth: usize) -> Option<usize> {
        let head = head(&lines[at])?;
        let last = end_of_indented(lines, at, end)?;
        let (begin, close) = match head {
            Head::Hint(begin) => (begin, "{% endhint %}"),
            Head::Details(begin) => (begin, "{% endexpandable %}"),
            Head::Tab(title) => {
                let tabs = if is_tab_before(lines, at) { "" } else { "{% tabs %}" };
                let close = if goes_on(lines, last, end) { "{% endtab %}" } else { "{% endtab %}{% endtabs %}" };
                (format!("{tabs}{{% tab title=\"{title}\" %}}"), close)
            }
        };
        lines[at] = begin.into();
        for line in &mut lines[at + 1..last] {
            let text = line.strip_prefix("    ").or_else(|| line.strip_prefix('\t')).unwrap_or_default().to_owned();
            *line = text.into();
        }
        // Each block ends with a tag, so that several can end in this line.
        lines[last] = format!("{close}{}", lines[last].trim()).into();
        self.blocks(lines, at + 1..last, depth + 1);
        Some((last + 1).min(end))
    }

    /// Rewrites `<Tabs>` with its `<TabItem>`, each of these tags in a line, if all of them are there. Returns the line
    /// in which reading ended.
    fn tabs_of_tags(&self, lines: &mut [Cow<'_, str>], range: Range<usize>) -> usize {
        let (end, items) = self.items(lines, range.clone());
        if let Some(items) = items {
            lines[range.start] = "{% tabs %}".into();
            lines[end] = "{% endtabs %}".into();
            for (item, title) in items {
                lines[item.start] = format!("{{% tab title=\"{title}\" %}}").into();
                lines[item.end] = "{% endtab %}".into();
                dedent(&mut lines[item.start + 1..item.end]);
            }
        }
        end
    }

    /// Reads `<Tabs>`: the line in which reading ended, and the lines and titles of its items if it is complete.
    fn items(&self, lines: &[Cow<'_, str>], range: Range<usize>) -> (usize, Option<Items>) {
        let tag = |line: &str| HtmlTag::parse(line).filter(|tag| matches!(tag.name.as_str(), "tabs" | "tabitem"));
        if !tag(lines[range.start].trim()).is_some_and(|tag| tag.name == "tabs" && !tag.close) {
            return (range.start + 1, None);
        }
        let mut items = Items::new();
        let mut item: Option<(usize, String)> = None;
        // The blanks before the text of an item, which is indented by them as a whole.
        let mut indent = None;
        let mut open = Open::new(&self.formulas, range.end);
        for (at, line) in lines.iter().enumerate().take(range.end).skip(range.start + 1) {
            let text = line.trim();
            if text.is_empty() {
                continue;
            }
            let found = if text.starts_with('<') { tag(text) } else { None };
            let indent_of_line = blanks(line).min(*indent.get_or_insert_with(|| blanks(line)));
            // The tags may be indented in another way.
            if !(open.line(at, &line[indent_of_line..]) || found.is_some() && open.is_free(at)) {
                continue;
            }
            match (found, item.take()) {
                (Some(tag), Some((start, title))) if tag.close && tag.name == "tabitem" => {
                    items.push((start..at, title));
                }
                (None, Some(inside)) => item = Some(inside),
                (Some(mut tag), None) if tag.name == "tabitem" && !tag.close => {
                    let title = tag.take("label").or_else(|| tag.take("value"));
                    let Some(title) = title.and_then(|title| title_of_tag(&title)) else { return (at, None) };
                    item = Some((at, title));
                    indent = None;
                }
                (Some(tag), None) if tag.name == "tabs" && tag.close => {
                    return (at, (!items.is_empty()).then_some(items));
                }
                _ => return (at, None),
            }
        }
        (range.end, None)
    }
}

/// The lines of the items of `<Tabs>` with their tags, and their titles.
type Items = Vec<(Range<usize>, String)>;

/// A block whose text is indented.
enum Head {
    Hint(String),
    Details(String),
    Tab(String),
}

/// Whether the row of tabs that goes on in a line began before it.
fn is_tab_before(lines: &[Cow<'_, str>], at: usize) -> bool {
    let before = lines[..at].iter().rev().find(|line| !line.trim().is_empty());
    before.is_some_and(|line| line.ends_with("{% endtab %}"))
}

/// Whether a row of tabs goes on after blank lines.
fn goes_on(lines: &[Cow<'_, str>], from: usize, end: usize) -> bool {
    let Some(next) = (from..end).find(|at| !lines[*at].trim().is_empty()) else { return false };
    matches!(head(&lines[next]), Some(Head::Tab(_))) && end_of_indented(lines, next, end).is_some()
}

/// The line after the indented text that follows a line: a blank one, or the end.
fn end_of_indented(lines: &[Cow<'_, str>], at: usize, end: usize) -> Option<usize> {
    let is_in = |line: &str| line.starts_with("    ") || line.starts_with('\t');
    let mut last = at + 1;
    for (next, line) in lines.iter().enumerate().take(end).skip(at + 1) {
        match line.trim().is_empty() {
            true => {}
            false if is_in(line) => last = next + 1,
            false => break,
        }
    }
    let has_blank = last == end || lines[last].trim().is_empty();
    (last > at + 1 && has_blank).then_some(last)
}

fn head(line: &str) -> Option<Head> {
    let line = line.trim_end();
    if let Some(title) = line.strip_prefix("=== \"").and_then(|rest| rest.strip_suffix('"')) {
        return title_of_tag(title).map(Head::Tab);
    }
    let (rest, details) = match line.strip_prefix("!!! ") {
        Some(rest) => (rest, None),
        None => {
            let rest = line.strip_prefix("???")?;
            let open = rest.strip_prefix('+');
            (open.unwrap_or(rest).strip_prefix(' ')?, Some(if open.is_some() { " open=\"true\"" } else { "" }))
        }
    };
    let (kinds, title) = match rest.split_once('"') {
        Some((kinds, title)) => (kinds.trim_end(), Some(title.strip_suffix('"')?.trim())),
        None => (rest, None),
    };
    let is_kind = |kinds: &str| kinds.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_ ".contains(&byte));
    let kind = kinds.split(' ').next().filter(|kind| !kind.is_empty() && is_kind(kinds))?.to_ascii_lowercase();
    let (style, is_plain) = match kind.as_str() {
        "note" | "info" | "important" => ("info", true),
        "tip" | "hint" | "success" => ("success", true),
        "warning" | "caution" | "attention" => ("warning", true),
        "danger" | "error" => ("danger", true),
        "check" | "done" => ("success", false),
        "bug" | "fail" | "failure" | "missing" => ("danger", false),
        _ => ("info", false),
    };
    let name = || format!("{}{}", kind[..1].to_ascii_uppercase(), &kind[1..]);
    let title = match title {
        Some(title) => title.to_owned(),
        None if is_plain && details.is_none() => String::new(),
        None => name(),
    };
    if let Some(open) = details {
        let title = if title.is_empty() { title } else { format!(" title=\"{}\"", title_of_tag(&title)?) };
        return Some(Head::Details(format!("{{% expandable{title}{open} %}}")));
    }
    if title.contains(['{', '}', '[', '\\', '*']) {
        return None;
    }
    let title = if title.is_empty() { title } else { format!(" **{title}**") };
    Some(Head::Hint(format!("{{% hint style=\"{style}\" %}}{title}")))
}

/// A title as the value of an attribute of a tag.
fn title_of_tag(title: &str) -> Option<String> {
    let is_plain = !title.trim().is_empty() && !title.contains("{%") && !title.contains("%}") && !title.contains('\n');
    is_plain.then(|| title.trim().replace('\\', "\\\\").replace('"', "\\\""))
}

/// Removes the blanks that all lines begin with.
fn dedent(lines: &mut [Cow<'_, str>]) {
    let common = lines.iter().filter(|line| !line.trim().is_empty()).map(|line| blanks(line)).min().unwrap_or(0);
    for line in lines.iter_mut() {
        let text = line.get(common..).unwrap_or_default().to_owned();
        *line = text.into();
    }
}

fn blanks(line: &str) -> usize {
    line.len() - line.trim_start_matches([' ', '\t']).len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Block, Kind};
    use crate::markdown::{Unresolved, parse};
    use rstest::rstest;

    #[rstest]
    #[case("!!! note\n    a\n\n    b\n\nc", "{% hint style=\"info\" %}\na\n\nb\n{% endhint %}\nc")]
    #[case("!!! warning \"A `b`\"\n\ta", "{% hint style=\"warning\" %} **A `b`**\na\n{% endhint %}")]
    #[case("!!! note\n\n    a", "{% hint style=\"info\" %}\n\na\n{% endhint %}")]
    #[case("!!! example\n    a\n", "{% hint style=\"info\" %} **Example**\na\n{% endhint %}")]
    #[case(
        "??? tip \"A [*b*]\"\n    a\n\n???+ bug\n    b\n",
        "{% expandable title=\"A [*b*]\" %}\na\n{% endexpandable %}\n{% expandable title=\"Bug\" open=\"true\" %}\nb\n{% endexpandable %}"
    )]
    #[case(
        "=== \"A\"\n\n    a\n\n=== \"B\"\n    b\n\n\nc",
        "{% tabs %}{% tab title=\"A\" %}\n\na\n{% endtab %}\n{% tab title=\"B\" %}\nb\n{% endtab %}{% endtabs %}\n\nc"
    )]
    #[case(
        "!!! note\n\n    === \"A\"\n        ```\n        !!! note\n            x\n        ```\n",
        "{% hint style=\"info\" %}\n\n{% tabs %}{% tab title=\"A\" %}\n```\n!!! note\n    x\n```\n{% endtab %}{% endtabs %}{% endhint %}"
    )]
    #[case(
        "<Tabs groupId=\"g\">\n  <TabItem value=\"a\" label=\"A\" default>\n    a\n\n      b\n  </TabItem>\n  <TabItem value=\"b\">\n\nc\n\n  </TabItem>\n</Tabs>",
        "{% tabs %}\n{% tab title=\"A\" %}\na\n\n  b\n{% endtab %}\n{% tab title=\"b\" %}\n\nc\n\n{% endtab %}\n{% endtabs %}"
    )]
    #[case(
        "import A from '@a/b';\nimport {C, D} from \"d\"\nimport './e.css';\n\n# F\n\n{/* g */}",
        "<!-- import A from '@a/b'; -->\n<!-- import {C, D} from \"d\" -->\n<!-- import './e.css'; -->\n\n# F\n\n<!-- g -->"
    )]
    #[case("$$\n\n!!! note\n    a\n", "$$\n\n{% hint style=\"info\" %}\na\n{% endhint %}")]
    #[case("<prefix>\n\n!!! note\n    a\n", "<prefix>\n\n{% hint style=\"info\" %}\na\n{% endhint %}")]
    #[case(
        "<Tabs>\n<TabItem value=\"a\">\nb\n\n    ```\n        </TabItem>\n</Tabs>",
        "{% tabs %}\n{% tab title=\"a\" %}\nb\n\n    ```\n{% endtab %}\n{% endtabs %}"
    )]
    #[case(
        "<Tabs>\n<TabItem value=\"a\">\n<Tabs>\n<TabItem value=\"b\">\nc\n</TabItem>\n</Tabs>",
        "<Tabs>\n<TabItem value=\"a\">\n{% tabs %}\n{% tab title=\"b\" %}\nc\n{% endtab %}\n{% endtabs %}"
    )]
    fn blocks_of_other_tools_become_those_that_are_read(#[case] text: &str, #[case] expected: &str) {
        assert_eq!(rewritten(text, true), expected);
        assert_eq!(rewritten(expected, true), expected);
    }

    #[rstest]
    fn a_block_at_the_end_of_another_one_is_read(
        #[values(
            ("!!! note", "{% hint style=\"info\" %}", "{% endhint %}"),
            ("??? tip \"T\"", "{% expandable title=\"T\" %}", "{% endexpandable %}"),
            ("=== \"A\"", "{% tabs %}{% tab title=\"A\" %}", "{% endtab %}{% endtabs %}")
        )]
        outer: (&str, &str, &str),
        #[values(
            ("!!! note", "{% hint style=\"info\" %}", "{% endhint %}"),
            ("??? tip \"T\"", "{% expandable title=\"T\" %}", "{% endexpandable %}"),
            ("=== \"A\"", "{% tabs %}{% tab title=\"A\" %}", "{% endtab %}{% endtabs %}")
        )]
        inner: (&str, &str, &str),
    ) {
        let text = format!("{}\n    {}\n        ```\n        b\n        ```\n\nc", outer.0, inner.0);
        let expected = format!("{}\n{}\n```\nb\n```\n{}{}\nc", outer.1, inner.1, inner.2, outer.2);
        assert_eq!(rewritten(&text, true), expected);
        let mut document = parse(&text, &Unresolved).document.expect("few parts");
        let mut inside = |tabs: &str| {
            assert!(!document.blocks.is_empty(), "{text}");
            let mut block = document.blocks.remove(0);
            if tabs.starts_with("===") {
                block = block.children.remove(0);
            }
            document.blocks = block.children;
        };
        inside(outer.0);
        inside(inner.0);
        assert!(matches!(document.blocks[..], [Block { kind: Kind::Code(_), .. }]), "{text}");
    }

    #[test]
    fn only_a_file_has_comments_of_mdx() {
        let text = "import React from 'react'\n\n{/* a */}\n\n!!! note\n    b";
        let hint = "{% hint style=\"info\" %}\nb\n{% endhint %}";
        assert_eq!(rewritten(text, false), format!("import React from 'react'\n\n{{/* a */}}\n\n{hint}"));
        assert_eq!(rewritten(text, true), format!("<!-- import React from 'react' -->\n\n<!-- a -->\n\n{hint}"));
    }

    #[rstest]
    #[case("!!! note\na")]
    #[case("!!! note\n    a\nb")]
    #[case("a\n!!! note\n    a\n")]
    #[case("```\n\n!!! note\n    a\n\n```")]
    #[case("<pre>\n\n!!! note\n    a\n\n</pre>")]
    #[case("$$\n\n!!! note\n    a\n\n$$")]
    #[case("=== \"a\nb")]
    #[case("<Tabs>\na\n</Tabs>")]
    #[case("<Tabs>\n<TabItem value=\"a\">\n<Tabs>\n</Tabs>\n</TabItem>\n</Tabs>")]
    #[case("<Tabs>\n<TabItem value=\"a\">")]
    #[case("a\n\nimport b from 'c'")]
    #[case("import a from b")]
    #[case("import a, b and c from 'd' or 'e'.")]
    #[case("{/* a")]
    fn other_text_stays(#[case] text: &str) {
        assert_eq!(rewritten(text, true), text);
    }
}
