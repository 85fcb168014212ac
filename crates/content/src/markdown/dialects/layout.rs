//! The layout of components over lines: their text is often indented by their depth, which would be code in Markdown,
//! and their tags can span lines.
use super::blanks;
use super::indented::is_plain;
use super::walk::{Walk, columns};
use crate::markdown::components::{self, Language, Line, Tag};
use crate::markdown::marks::container_prefix;
use crate::markdown::raw::Formulas;
use std::borrow::Cow;

/// How deep components are followed.
const MAX_DEPTH: usize = 12;

/// Over how many lines a tag can go on, and how long it can be.
const MAX_LINES: usize = 24;
const MAX_LENGTH: usize = 4_000;

/// A component with both tags, each in a line.
struct Node {
    start: usize,
    end: usize,
    /// The column of its tag.
    column: usize,
    /// The least column of the lines in it, outside of code and of the components in it.
    common: Option<usize>,
    inside: Vec<Node>,
}

/// A component whose end was not found yet.
struct Frame<'f> {
    name: String,
    language: Language,
    node: Node,
    walk: Walk<'f>,
    /// The titles of its tabs, which its tag has in the words of Nextra and Fumadocs.
    titles: Vec<String>,
    /// How many tabs began in it.
    tabs: usize,
}

/// Puts each tag of a component in one line, and its text in the column of its tag.
pub(super) fn rewrite(lines: &mut [Cow<'_, str>], end: usize, formulas: &Formulas) {
    let mut roots = Vec::new();
    let mut root = Walk::new(formulas, end, Some(0));
    let mut frames: Vec<Frame<'_>> = Vec::new();
    let mut next = 0;
    while next < end {
        let at = next;
        next += 1;
        let line = lines[at].clone();
        let walk = frames.last_mut().map_or(&mut root, |frame| &mut frame.walk);
        let is_free = walk.is_free(at);
        let seen = walk.line(at, &line);
        if line.trim().is_empty() || !is_free {
            continue;
        }
        let text = line.trim();
        if text[container_prefix(text)..].starts_with("{%") {
            // A container of block tags holds both ends of a component, or none.
            frames.drain(..).for_each(|frame| roots.extend(frame.node.inside));
        }
        let may_be_tag = seen.may_begin || (!frames.is_empty() && walk_is_free(&frames, at + 1));
        let mut source = text.to_owned();
        if may_be_tag && components::begins(text) {
            if let Some((whole, last)) = over_lines(&lines[at..end]) {
                lines[at] = format!("{}{whole}", &line[..blanks(&line)]).into();
                lines[at + 1..=at + last].fill(Cow::Borrowed(""));
                next = at + last + 1;
                source = whole;
            }
            match components::line(&source) {
                Some(Line::Begin(tag)) if frames.len() < MAX_DEPTH => {
                    note(&mut frames, columns(&line));
                    if let Some(titled) = titled(&tag, frames.last_mut()) {
                        lines[at] = format!("{}{titled}", &line[..blanks(&line)]).into();
                    }
                    let node = Node { start: at, end: at, column: columns(&line), common: None, inside: Vec::new() };
                    let (name, language) = (tag.name.to_owned(), tag.language);
                    let titles = if tag.has("items") { tag.list("items") } else { Vec::new() };
                    let walk = Walk::new(formulas, end, None);
                    frames.push(Frame { name, language, node, walk, titles, tabs: 0 });
                    continue;
                }
                Some(Line::Whole(tag, text, end)) => {
                    if let Some(titled) = titled(&tag, frames.last_mut()) {
                        lines[at] = format!("{}{titled}{text}{end}", &line[..blanks(&line)]).into();
                    }
                }
                // In an item of a list, it ends only what began there.
                Some(Line::End(tag)) if !seen.in_item || frames.is_empty() => {
                    let is_begun = |frame: &Frame<'_>| frame.name == tag.name && frame.language == tag.language;
                    if let Some(place) = frames.iter().rposition(is_begun) {
                        // What is open in it has no end.
                        let inner: Vec<Node> = frames.drain(place + 1..).flat_map(|frame| frame.node.inside).collect();
                        if let Some(mut frame) = frames.pop() {
                            frame.node.inside.extend(inner);
                            frame.node.end = at;
                            frames.last_mut().map_or(&mut roots, |frame| &mut frame.node.inside).push(frame.node);
                        }
                        continue;
                    }
                }
                _ => {}
            }
        }
        note(&mut frames, columns(&line));
    }
    frames.into_iter().for_each(|frame| roots.extend(frame.node.inside));
    for node in roots {
        let column = node.column;
        shift(lines, &node, column);
    }
}

fn walk_is_free(frames: &[Frame<'_>], at: usize) -> bool {
    frames.last().is_some_and(|frame| frame.walk.is_free(at))
}

/// Notes the column of a line in the innermost component.
fn note(frames: &mut [Frame<'_>], column: usize) {
    if let Some(frame) = frames.last_mut() {
        frame.node.common = Some(frame.node.common.map_or(column, |common| common.min(column)));
    }
}

/// The tag of a tab with the title that the tag around it has for it.
fn titled(tag: &Tag<'_>, around: Option<&mut Frame<'_>>) -> Option<String> {
    let around = around?;
    if !matches!(tag.name, "Tab" | "Tabs.Tab" | "tab") {
        return None;
    }
    around.tabs += 1;
    let title = around.titles.get(around.tabs - 1)?;
    if ["title", "label", "value", "name"].iter().any(|name| tag.has(name)) || title.contains(['"', '%', '{', '}']) {
        return None;
    }
    match tag.language {
        Language::Mdx => Some(format!("<{} title=\"{title}\">", tag.name)),
        Language::Hugo if tag.unnamed(0).is_none() => {
            let (open, close) = (&tag.source[..3], &tag.source[tag.source.len() - 3..]);
            Some(format!("{open} {} name=\"{title}\" {close}", tag.name))
        }
        Language::Hugo => None,
    }
}

/// A component that begins in the first line and goes on, as one line, and the index of its last line: a tag, or all of
/// it around a paragraph.
fn over_lines(lines: &[Cow<'_, str>]) -> Option<(String, usize)> {
    let first = lines[0].trim();
    if !first.starts_with('<') || first.ends_with('\\') || components::is_line(first) {
        return None;
    }
    let mut whole = first.to_owned();
    let mut is_text = true;
    for (at, line) in lines.iter().enumerate().take(MAX_LINES).skip(1) {
        let line = line.trim();
        let is_end = line.starts_with("</");
        if line.is_empty() || whole.len() + line.len() > MAX_LENGTH || (components::begins(line) && !is_end) {
            return None;
        }
        // Two blanks at the end of a line are a line break.
        is_text = is_text && (is_plain(line) || is_end) && !lines[at - 1].ends_with("  ");
        whole.push(' ');
        whole.push_str(line);
        let is_whole = line.ends_with('>')
            && match components::line(&whole) {
                Some(Line::Begin(_) | Line::Whole(_, "", _)) => true,
                Some(Line::Whole(tag, ..)) => is_text && first.starts_with(tag.source),
                Some(Line::End(_)) | None => false,
            };
        if is_whole {
            return Some((whole, at));
        }
    }
    None
}

/// Moves a component to a column, with its text.
fn shift(lines: &mut [Cow<'_, str>], node: &Node, column: usize) {
    let moved = node.column.saturating_sub(column);
    strip(&mut lines[node.start], moved);
    let end = columns(&lines[node.end]);
    strip(&mut lines[node.end], end.saturating_sub(column));
    // What is further left stays there.
    let less = node.common.unwrap_or(0).saturating_sub(column);
    let mut at = node.start + 1;
    for inner in &node.inside {
        lines[at..inner.start].iter_mut().for_each(|line| strip(line, less));
        shift(lines, inner, inner.column.saturating_sub(less));
        at = inner.end + 1;
    }
    lines[at..node.end].iter_mut().for_each(|line| strip(line, less));
}

/// Removes columns before the text of a line. Code keeps the tabs after them.
fn strip(line: &mut Cow<'_, str>, columns: usize) {
    let mut removed = 0;
    let mut bytes = 0;
    for byte in line.bytes() {
        match byte {
            _ if removed >= columns => break,
            b' ' => removed += 1,
            b'\t' => removed += 4,
            _ => break,
        }
        bytes += 1;
    }
    if bytes > 0 {
        let rest = " ".repeat(removed.saturating_sub(columns)) + &line[bytes..];
        *line = rest.into();
    }
}

#[cfg(test)]
mod tests {
    use super::super::rewritten;
    use crate::markdown::Unresolved;
    use rstest::rstest;

    #[rstest]
    #[case(
        "<Steps>\n  <Step title=\"A\">\n    a\n\n    ```go\n    \tb\n    ```\n  </Step>\n</Steps>",
        "<Steps>\n<Step title=\"A\">\na\n\n```go\n\tb\n```\n</Step>\n</Steps>"
    )]
    #[case(
        "1. a\n\n   <Note>\n     b\n   </Note>\n\n   <Note>\n   c\n   </Note>",
        "1. a\n\n   <Note>\n   b\n   </Note>\n\n   <Note>\n   c\n   </Note>"
    )]
    #[case("<Card\n  title=\"A\"\n  href=\"b\"\n>\n  c\n</Card>", "<Card title=\"A\" href=\"b\" >\n\n\n\nc\n</Card>")]
    #[case("<Note>a\n  b `c`</Note>", "<Note>a b `c`</Note>\n")]
    #[case(
        "<Tabs items={['A', 'B']}>\n  <Tab>a</Tab>\n  <Tab>\n    b\n  </Tab>\n</Tabs>",
        "<Tabs items={['A', 'B']}>\n<Tab title=\"A\">a</Tab>\n<Tab title=\"B\">\nb\n</Tab>\n</Tabs>"
    )]
    #[case("<Tip>\n  <Note>\n    a\n</Tip>", "<Tip>\n<Note>\n  a\n</Tip>")]
    fn the_text_of_a_component_begins_in_the_column_of_its_tag(#[case] text: &str, #[case] expected: &str) {
        assert_eq!(rewritten(text, true, &Unresolved), expected);
        assert_eq!(rewritten(expected, true, &Unresolved), expected);
    }

    #[rstest]
    #[case("<Note>\n  a")]
    #[case("    <Note>\n      a\n    </Note>")]
    #[case("```\n<Note>\n  a\n</Note>\n```")]
    #[case("<Note>\n  a\n{% endhint %}\n</Note>")]
    #[case("<Note>a\n- b</Note>")]
    #[case("<Note>\n- a\n\n  </Note>")]
    #[case("<Note>a\\\n  b</Note>")]
    #[case("<Note>a  \nb</Note>")]
    #[case("<Other>\n  a\n</Other>")]
    fn other_lines_stay_where_they_are(#[case] text: &str) {
        assert_eq!(rewritten(text, true, &Unresolved), text);
    }
}
