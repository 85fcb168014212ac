//! `SUMMARY.md`: the table of contents of a repository.
//!
//! Headings begin groups, and nested lists are pages: `* [Title](page.md "Shorter title")`. An item without a link is a
//! page without text, and a link elsewhere is a link page. A horizontal line ends a group: the items after it are at
//! the root again. Values of an item that belong in no file are in a comment after it, as the JSON of a front matter.
//! An item that is a block of YAML is a computed page.
use crate::computed::{ComputedSource, MAX_SOURCE};
use crate::markdown::{FrontMatter, one_line};
use comrak::nodes::{AstNode, NodeValue};
use comrak::{Arena, Options};

/// A table of contents.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Summary {
    /// Its own title, unless it only means "table of contents".
    pub title: Option<String>,
    /// Its items in reading order.
    pub items: Vec<Item>,
}

/// A line of a table of contents.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Item {
    /// Its kind.
    pub kind: ItemKind,
    /// Its title; empty where it has none.
    pub title: String,
    /// A shorter title.
    pub link_title: Option<String>,
    /// Its depth in the list, from 0.
    pub depth: usize,
    /// Its line, from 1.
    pub line: usize,
    /// Its fields, from the comment after it.
    pub fields: FrontMatter,
}

/// The kind of a line of a table of contents.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ItemKind {
    /// The beginning of a group; `id` is the anchor it was given.
    Group {
        /// The anchor.
        id: Option<String>,
    },
    /// The end of a group.
    EndOfGroup,
    /// A page or a link.
    Link {
        /// Its target.
        href: String,
    },
    /// A page without text.
    Bare,
    /// A computed page.
    Computed(Box<ComputedSource>),
    /// A block of YAML that is not a source of a computed page.
    InvalidYaml,
}

/// The lines of an item in the text, and its form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    /// Its first line, from 1.
    pub first: usize,
    /// Its last line, without the items below it.
    pub last: usize,
    /// Its form.
    pub form: Form,
}

/// The form of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// A heading.
    Heading,
    /// A horizontal line.
    Break,
    /// An item of a list.
    Listed,
    /// A link outside of lists.
    Linked,
}

/// Titles of tables of contents that do not name the repository.
const GENERIC: [&str; 5] = ["table of contents", "summary", "contents", "toc", "index"];

impl Summary {
    /// Reads a table of contents. Other content is skipped.
    pub(crate) fn parse(text: &str) -> Self {
        Self::with_spans(text).0
    }

    /// Reads a table of contents, with the place of each item in the text.
    pub(crate) fn with_spans(text: &str) -> (Self, Vec<Span>) {
        let arena = Arena::new();
        let root = comrak::parse_document(&arena, text, &Options::default());
        let mut summary = Self { title: None, items: Vec::new() };
        let mut spans = Vec::new();
        for (at, block) in root.children().enumerate() {
            let line = block.data().sourcepos.start.line;
            let value = block.data().value.clone();
            match value {
                NodeValue::Heading(heading) if heading.level == 1 && at == 0 => {
                    let title = plain_text(block);
                    summary.title = (!GENERIC.contains(&title.to_lowercase().as_str())).then_some(title);
                }
                NodeValue::Heading(_) => {
                    summary.items.push(group(block, line));
                    spans.push(Span::of(block, Form::Heading));
                }
                NodeValue::ThematicBreak => {
                    summary.items.push(item(ItemKind::EndOfGroup, String::new(), 0, line));
                    spans.push(Span::of(block, Form::Break));
                }
                NodeValue::List(_) => summary.list(block, &mut spans),
                // Entries before and after the numbered chapters of a book are outside of lists.
                NodeValue::Paragraph => {
                    for link in block.children() {
                        if let Some(item) = linked(link, 0, line) {
                            summary.items.push(item);
                            spans.push(Span::of(link, Form::Linked));
                        }
                    }
                }
                _ => {}
            }
        }
        summary.title = summary.title.filter(|title| !title.is_empty());
        (summary, spans)
    }

    /// Adds the items of a list and of the lists in it, without recursion, because lists may nest to any depth.
    fn list<'a>(&mut self, list: &'a AstNode<'a>, spans: &mut Vec<Span>) {
        let mut waiting: Vec<(&'a AstNode<'a>, usize)> = vec![(list, 0)];
        while let Some((node, depth)) = waiting.pop() {
            let value = node.data().value.clone();
            match value {
                NodeValue::List(_) => {
                    let items: Vec<_> = node.children().map(|item| (item, depth)).collect();
                    waiting.extend(items.into_iter().rev());
                }
                NodeValue::Item(_) => {
                    let line = node.data().sourcepos.start.line;
                    let text = node.children().find(|block| matches!(block.data().value, NodeValue::Paragraph));
                    let found = computed(node, depth, line).or_else(|| text.map(|text| entry(text, depth, line)));
                    self.items.push(found.unwrap_or_else(|| item(ItemKind::Bare, String::new(), depth, line)));
                    spans.push(Span::of_list_item(node));
                    let lists = node.children().filter(|block| matches!(block.data().value, NodeValue::List(_)));
                    let lists: Vec<_> = lists.map(|list| (list, depth + 1)).collect();
                    waiting.extend(lists.into_iter().rev());
                }
                _ => {}
            }
        }
    }
}

impl Span {
    fn of<'a>(node: &'a AstNode<'a>, form: Form) -> Self {
        let place = node.data().sourcepos;
        Self { first: place.start.line, last: place.end.line.max(place.start.line), form }
    }

    /// The lines of an item before the first list in it.
    fn of_list_item<'a>(node: &'a AstNode<'a>) -> Self {
        let first = node.data().sourcepos.start.line;
        let own = node.children().take_while(|block| !matches!(block.data().value, NodeValue::List(_)));
        let last = own.map(|block| block.data().sourcepos.end.line).max();
        Self { first, last: last.unwrap_or(first).max(first), form: Form::Listed }
    }
}

fn item(kind: ItemKind, title: String, depth: usize, line: usize) -> Item {
    Item { kind, title, link_title: None, depth, line, fields: FrontMatter::default() }
}

fn group<'a>(heading: &'a AstNode<'a>, line: usize) -> Item {
    let id = html(heading).iter().find_map(|html| attribute(html, "id"));
    Item { fields: fields(heading), ..item(ItemKind::Group { id }, plain_text(heading), 0, line) }
}

/// The item of a paragraph in a list.
fn entry<'a>(text: &'a AstNode<'a>, depth: usize, line: usize) -> Item {
    let found = text.children().find_map(|inline| linked(inline, depth, line));
    let entry = found.unwrap_or_else(|| item(ItemKind::Bare, plain_text(text), depth, line));
    Item { fields: fields(text), ..entry }
}

/// The item of a link; one without an address is a page without text.
fn linked<'a>(link: &'a AstNode<'a>, depth: usize, line: usize) -> Option<Item> {
    let NodeValue::Link(target) = link.data().value.clone() else { return None };
    let kind = if target.url.is_empty() { ItemKind::Bare } else { ItemKind::Link { href: target.url } };
    let link_title = Some(one_line(&target.title)).filter(|title| !title.is_empty());
    Some(Item { link_title, ..item(kind, plain_text(link), depth, line) })
}

/// The item that begins with a block of YAML.
fn computed<'a>(node: &'a AstNode<'a>, depth: usize, line: usize) -> Option<Item> {
    let NodeValue::CodeBlock(code) = node.first_child()?.data().value.clone() else { return None };
    let language = code.info.split_whitespace().next().unwrap_or_default();
    if !code.fenced || !["yaml", "yml"].contains(&language) {
        return None;
    }
    let Some(source) = source(&code.literal) else {
        return Some(item(ItemKind::InvalidYaml, String::new(), depth, line));
    };
    let comment = node.children().find_map(|block| match &block.data().value {
        NodeValue::HtmlBlock(html) => Some(html.literal.clone()),
        _ => None,
    });
    let fields = comment.map(|comment| fields_of([comment])).unwrap_or_default();
    let title = fields.text("title").unwrap_or(source.title()).to_owned();
    Some(Item { fields, ..item(ItemKind::Computed(Box::new(source)), title, depth, line) })
}

fn source(yaml: &str) -> Option<ComputedSource> {
    // A source is not longer in JSON than in YAML, except for white space and quotation marks.
    let front = FrontMatter::of_yaml(yaml).filter(|_| yaml.len() <= 2 * MAX_SOURCE)?;
    let map = front.entries().map(|(key, value)| (key.to_owned(), value.clone())).collect();
    ComputedSource::read(&serde_json::Value::Object(map))
}

/// The text of a line without its marks, with single spaces.
fn plain_text<'a>(node: &'a AstNode<'a>) -> String {
    let mut text = String::new();
    for inside in node.descendants() {
        match &inside.data().value {
            NodeValue::Text(part) => text.push_str(part),
            NodeValue::Code(code) => text.push_str(&code.literal),
            NodeValue::SoftBreak | NodeValue::LineBreak => text.push(' '),
            _ => {}
        }
    }
    one_line(&text)
}

fn html<'a>(node: &'a AstNode<'a>) -> Vec<String> {
    let inline = node.descendants().filter_map(|inside| match &inside.data().value {
        NodeValue::HtmlInline(html) => Some(html.clone()),
        _ => None,
    });
    inline.collect()
}

/// The value of an attribute in a tag.
fn attribute(tag: &str, name: &str) -> Option<String> {
    let (_, rest) = tag.split_once(&format!(" {name}=\""))?;
    Some(rest.split_once('"')?.0.to_owned())
}

fn fields<'a>(node: &'a AstNode<'a>) -> FrontMatter {
    fields_of(html(node))
}

/// The fields in the first comment that has any.
fn fields_of(html: impl IntoIterator<Item = String>) -> FrontMatter {
    let json = html.into_iter().find_map(|html| {
        let json = html.trim().strip_prefix("<!--")?.strip_suffix("-->")?.trim();
        serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(json).ok()
    });
    let mut fields = FrontMatter::default();
    for (key, value) in json.into_iter().flatten() {
        fields.set(&key, Some(value));
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One line an item: depth, title, what it is.
    fn outline(text: &str) -> Vec<String> {
        let shown = |item: Item| {
            let kind = match item.kind {
                ItemKind::Group { id } => format!("group{}", id.map_or(String::new(), |id| format!(" #{id}"))),
                ItemKind::EndOfGroup => "end".to_owned(),
                ItemKind::Link { href } => href,
                ItemKind::Bare => "bare".to_owned(),
                ItemKind::Computed(source) => serde_json::to_string(&source).expect("JSON"),
                ItemKind::InvalidYaml => "unread".to_owned(),
            };
            let short = item.link_title.map_or(String::new(), |title| format!(" ({title})"));
            format!("{}{}{short}: {kind}", "- ".repeat(item.depth), item.title)
        };
        Summary::parse(text).items.into_iter().map(shown).collect()
    }

    #[test]
    fn groups_pages_links_and_pages_without_text_are_read_in_order() {
        let text = r##"# Table of contents

* [Introduction](README.md)

## First <a href="#one" id="one"></a>

* [A \(x\) & `b`](a/README.md "Short  er ")
  * [C](<a/c d.md>)
    * Old things
      * [D](a/d.md)
* [Elsewhere](https://example.org/?a=b "Here")

***

1. [Last](last.md#part)
2. []()
"##;
        let expected = [
            "Introduction: README.md",
            "First: group #one",
            "A (x) & b (Short er): a/README.md",
            "- C: a/c d.md",
            "- - Old things: bare",
            "- - - D: a/d.md",
            "Elsewhere (Here): https://example.org/?a=b",
            ": end",
            "Last: last.md#part",
            ": bare",
        ];
        assert_eq!(outline(text), expected);
        assert_eq!(Summary::parse(text).items[3].line, 8);
    }

    #[test]
    fn a_book_with_parts_and_chapters_outside_of_lists_is_read() {
        let text = "# The Book\n\n[Foreword](foreword.md)\n\n# Part\n\n- [One](one.md)\n\n[End](end.md)\n";
        assert_eq!(outline(text), ["Foreword: foreword.md", "Part: group", "One: one.md", "End: end.md"]);
        assert_eq!(Summary::parse(text).title.as_deref(), Some("The Book"));
        assert_eq!(Summary::parse("# Summary\n").title, None);
    }

    #[test]
    fn fields_of_items_without_files_are_in_a_comment() {
        let summary =
            Summary::parse("## G <!-- {\"icon\":\"star\"} -->\n\n* Bare <!-- {\"hidden\":true} --> <!-- note -->\n");
        assert_eq!(summary.items[0].fields.text("icon"), Some("star"));
        assert_eq!(summary.items[1].fields.flag("hidden"), Some(true));
        assert_eq!((summary.items[0].title.as_str(), summary.items[1].title.as_str()), ("G", "Bare"));
    }

    #[test]
    fn a_block_of_yaml_is_a_computed_page() {
        let text = "* [A](a.md)\n  * ```yaml\n    type: builtin:openapi\n    props:\n      models: true\n    dependencies:\n      spec:\n        ref:\n          kind: openapi\n          spec: pets\n    ```\n\
            \u{20}   <!-- {\"title\":\"Pets\"} -->\n* ```yaml\n  type: builtin:openapi\n  ```\n* ```yaml\n  - a\n  ```\n* ```\n  a\n  ```\n* [B](b.md)\n";
        let expected = [
            "A: a.md",
            r#"- Pets: {"type":"builtin:openapi","dependencies":{"spec":{"ref":{"kind":"openapi","spec":"pets"}}},"props":{"models":true}}"#,
            r#"builtin:openapi: {"type":"builtin:openapi","dependencies":{},"props":{}}"#,
            ": unread",
            ": bare",
            "B: b.md",
        ];
        assert_eq!(outline(text), expected);
    }

    #[test]
    fn the_lines_of_an_item_are_known() {
        let text = "# Contents\n\n[A](a.md)\n[B](b.md)\n\nG\n---\n\n* [C\n  c](c.md)\n\n  * D\n\n  More\n* ```yaml\n  a\n  ```\n\n***\n";
        let (summary, spans) = Summary::with_spans(text);
        let lines: Vec<_> = spans.iter().map(|span| (span.first, span.last, span.form)).collect();
        let expected = [
            (3, 3, Form::Linked),
            (4, 4, Form::Linked),
            (6, 7, Form::Heading),
            (9, 10, Form::Listed),
            (12, 12, Form::Listed),
            (15, 17, Form::Listed),
            (19, 19, Form::Break),
        ];
        assert_eq!((lines.as_slice(), summary.items.len()), (expected.as_slice(), 7));
    }

    #[test]
    fn lists_nested_without_end_are_read() {
        let deep: String = (0..2_000).map(|depth| format!("{}* [x](x{depth}.md)\n", "  ".repeat(depth))).collect();
        assert!(Summary::parse(&deep).items.len() > 100);
        assert!(!Summary::parse(&"* ".repeat(20_000)).items.is_empty());
    }
}
