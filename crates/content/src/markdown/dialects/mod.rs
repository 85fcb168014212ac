//! Blocks of other tools, which become the ones that are read, line by line: the number of lines stays.
//!
//! - admonitions and tabs of MkDocs, whose text is indented: `!!! note "Title"`, `??? tip`, `=== "Tab"`
//! - the layout of [components]: one line for each of their tags, without indentation of their text
//! - in files, callouts, links and images of Obsidian, references of Hugo, and of MDX imports at the beginning, and
//!   comments in braces
//!
//! What is markup only in repositories of some tools is in [flavors].
pub(crate) mod flavors;
mod indented;
mod layout;
mod references;
mod walk;

use super::components;
use super::links::Links;
use super::marks::quote_prefix;
use super::raw::Formulas;
use references::Known;
use std::borrow::Cow;
use std::ops::Range;
use walk::Walk;

/// How deep admonitions and tabs with indented text are read.
const MAX_DEPTH: usize = 8;

/// What a text has if there may be something to do.
const SIGNS: [&str; 9] = ["!!! ", "???", "=== \"", "{/*", "import ", "[[", "[!", "{{<", "{{%"];

/// The text with the blocks that are read.
pub(super) fn rewritten<'t>(text: &'t str, is_file: bool, links: &dyn Links) -> Cow<'t, str> {
    let has_components = text.match_indices('<').any(|(at, _)| components::begins(&text[at..]));
    if !has_components && !SIGNS.iter().any(|sign| text.contains(sign)) {
        return Cow::Borrowed(text);
    }
    let mut lines: Vec<Cow<'_, str>> = text.split('\n').map(Cow::Borrowed).collect();
    // The end of the last block needs a line.
    lines.push(Cow::Borrowed(""));
    let end = lines.len() - 1;
    if is_file {
        comments(&mut lines[..end]);
    }
    let known = Known::of(&lines, links);
    let rewriter = Rewriter { formulas: Formulas::of(&lines), known, is_file };
    layout::rewrite(&mut lines, end, &rewriter.formulas);
    rewriter.blocks(&mut lines, 0..end, 0, 0);
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
struct Rewriter<'l> {
    formulas: Formulas,
    known: Known<'l>,
    /// Whether the text is a file, which may have comments of MDX, callouts and links of other tools.
    is_file: bool,
}

impl Rewriter<'_> {
    /// Rewrites the blocks in a range of lines, which begin in a column. The line after the range is free for ends of
    /// blocks.
    fn blocks(&self, lines: &mut [Cow<'_, str>], range: Range<usize>, column: usize, depth: usize) {
        let mut walk = Walk::new(&self.formulas, range.end, Some(column));
        let (mut is_after_blank, mut is_quoted_code, mut is_html) = (true, false, false);
        let mut at = range.start;
        while at < range.end {
            let line = lines[at].clone();
            let seen = walk.line(at, &line);
            let quoted = &line[quote_prefix(&line)..];
            let is_fence = quoted.starts_with("```") || quoted.starts_with("~~~");
            let is_code = is_quoted_code || is_fence;
            is_quoted_code = line.trim_start().starts_with('>') && is_quoted_code != is_fence;
            let is_blank = quoted.trim().is_empty();
            is_html = !is_blank && (is_html || (seen.may_be_text && references::begins_html(quoted)));
            let mut next = at + 1;
            let comment = line.trim_end().strip_prefix("{/*").and_then(|rest| rest.strip_suffix("*/}"));
            if seen.may_begin
                && self.is_file
                && let Some(comment) = comment
            {
                if !comment.contains("--") && !comment.contains("*/") {
                    lines[at] = format!("<!--{comment}-->").into();
                }
            } else if seen.may_begin
                && is_after_blank
                && depth < MAX_DEPTH
                && let Some((inside, after)) = indented::rewrite(lines, at, range.end, seen, self.is_file)
            {
                self.blocks(lines, inside, walk::columns(&line), depth + 1);
                next = after;
            } else if seen.may_be_text
                && self.is_file
                && !is_code
                && !is_html
                && !references::is_raw(quoted)
                && let Some(linked) = references::rewritten(&line, &self.known)
            {
                lines[at] = linked.into();
            }
            let is_heading = line.starts_with('#') && line.trim_start_matches('#').starts_with(' ');
            is_after_blank = line.trim().is_empty() || is_heading || next > at + 1;
            at = next;
        }
    }
}

/// A title as the value of an attribute of a tag.
fn title_of_tag(title: &str) -> Option<String> {
    let is_plain = !title.trim().is_empty() && !title.contains("{%") && !title.contains("%}") && !title.contains('\n');
    is_plain.then(|| title.trim().replace('\\', "\\\\").replace('"', "\\\""))
}

/// The number of bytes before the text of a line.
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
        "<Tabs groupId=\"g\">\n<TabItem value=\"a\" label=\"A\" default>\na\n\n  b\n</TabItem>\n<TabItem value=\"b\">\n\nc\n\n</TabItem>\n</Tabs>"
    )]
    #[case(
        "import A from '@a/b';\nimport {C, D} from \"d\"\nimport './e.css';\n\n# F\n\n{/* g */}",
        "<!-- import A from '@a/b'; -->\n<!-- import {C, D} from \"d\" -->\n<!-- import './e.css'; -->\n\n# F\n\n<!-- g -->"
    )]
    #[case("$$\n\n!!! note\n    a\n", "$$\n\n{% hint style=\"info\" %}\na\n{% endhint %}")]
    #[case("<prefix>\n\n!!! note\n    a\n", "<prefix>\n\n{% hint style=\"info\" %}\na\n{% endhint %}")]
    #[case(
        "<Tabs>\n<TabItem value=\"a\">\nb\n\n    ```\n        </TabItem>\n</Tabs>",
        "<Tabs>\n<TabItem value=\"a\">\nb\n\n    ```\n</TabItem>\n</Tabs>"
    )]
    #[case("!!! note\n    a `b`\n    c\nd", "{% hint style=\"info\" %} a `b` c{% endhint %}\n\n\nd")]
    #[case("!!! note \"A\"\n    b\nc", "{% hint style=\"info\" %} **A** b{% endhint %}\n\nc")]
    #[case(
        "1. a\n\n    !!! note\n        b\n\n        - c\n\n    ??? tip \"D\"\n        e\n2. f",
        "1. a\n\n    {% hint style=\"info\" %}\n    b\n\n    - c\n    {% endhint %}\n    {% expandable title=\"D\" %} e{% endexpandable %}\n\n2. f"
    )]
    #[case(
        "- a\n\t- b\n\n\t\t=== \"C\"\n\t\t\td\n\n\t\t=== \"E\"\n\t\t\tf\n",
        "- a\n\t- b\n\n\t\t{% tabs %}{% tab title=\"C\" %}\n\t\td\n\t\t{% endtab %}\n\t\t{% tab title=\"E\" %}\n\t\tf\n\t\t{% endtab %}{% endtabs %}"
    )]
    #[case(
        "# A\n> [!info] B `c`\n> d\n>\n> - e\n\nf",
        "# A\n{% hint style=\"info\" %} **B `c`**\nd\n\n- e\n{% endhint %}\nf"
    )]
    #[case("> [!tip] See *it*\n> a\n", "{% hint style=\"success\" %} See *it*\na\n{% endhint %}")]
    #[case("> [!NOTE] Only this\n\na", "{% hint style=\"info\" %} Only this\n{% endhint %}\na")]
    #[case("> [!bug]\n> a\n# b", "{% hint style=\"danger\" %} **Bug** a{% endhint %}\n\n# b")]
    #[case(
        "> [!faq]- A \"b\"\n> c\n\n> [!note]+\n> > [!example] d\n> > e\n",
        "{% expandable title=\"A \\\"b\\\"\" %}\nc\n{% endexpandable %}\n{% expandable title=\"Note\" open=\"true\" %}\n{% hint style=\"info\" %} **d**\ne\n{% endhint %}{% endexpandable %}"
    )]
    #[case(
        "1. a\n\n   > [!info]\n   > b\n\n2. c",
        "1. a\n\n   {% hint style=\"info\" %}\n   b\n   {% endhint %}\n2. c"
    )]
    fn blocks_of_other_tools_become_those_that_are_read(#[case] text: &str, #[case] expected: &str) {
        assert_eq!(rewritten(text, true, &Unresolved), expected);
        assert_eq!(rewritten(expected, true, &Unresolved), expected);
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
        assert_eq!(rewritten(&text, true, &Unresolved), expected);
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
    fn only_a_file_has_comments_of_mdx_and_callouts() {
        let text = "import React from 'react'\n\n{/* a */}\n\n!!! note\n    b\n\n> [!info]\n> c";
        let hint = |text: &str| format!("{{% hint style=\"info\" %}}\n{text}\n{{% endhint %}}");
        let other = format!("import React from 'react'\n\n{{/* a */}}\n\n{}\n> [!info]\n> c", hint("b"));
        assert_eq!(rewritten(text, false, &Unresolved), other);
        let file = format!("<!-- import React from 'react' -->\n\n<!-- a -->\n\n{}\n{}", hint("b"), hint("c"));
        assert_eq!(rewritten(text, true, &Unresolved), file);
    }

    #[rstest]
    #[case("!!! note\na")]
    #[case("!!! note\n    - a\nb")]
    #[case("- !!! note\n\n      a")]
    #[case("- ```\n\n  !!! note\n      a\n\n  ```")]
    #[case("1. a\n\n        !!! note\n            b\n")]
    #[case("> [!NOTE]\n> a")]
    #[case("> [!note] a\nb")]
    #[case("> [!other] a\n> b")]
    #[case("> a\n> [!note] b\n> c")]
    #[case("> [!note](a)\n> b")]
    #[case("<Tabs>\n<TabItem value=\"a\">\n<Tabs>\n<TabItem value=\"b\">\nc\n</TabItem>\n</Tabs>")]
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
        assert_eq!(rewritten(text, true, &Unresolved), text);
    }
}
