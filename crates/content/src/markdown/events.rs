//! A line of text as a sequence of events: one form for Markdown and HTML.
use super::hidden::{Hidden, HiddenKind, Piece};
use super::html::{Token, unescape};
use super::parts::{Part, parts};
use super::tags::Tag;
use super::{attributes, dollars};
use comrak::arena_tree::NodeEdge;
use comrak::nodes::{Node, NodeValue};

/// A mark of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    Bold,
    Italic,
    Code,
    Keyboard,
    Strikethrough,
    Superscript,
    Subscript,
}

/// The next element of a line of text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Event {
    /// Text whose brackets may hold annotated text.
    Text(String),
    /// Text whose brackets are plain characters.
    Literal(String),
    /// Code.
    Code(String),
    /// A hard line break.
    Break,
    /// A mark begins.
    Enter(Mark),
    /// A mark ends.
    Leave(Mark),
    /// A link begins.
    Link { href: String, title: String, line: usize },
    /// A link ends.
    EndLink,
    /// An image.
    Image { href: String, title: String, alt: String, line: usize },
    /// A reference to a footnote by name.
    Footnote(String),
    /// An HTML tag or comment.
    Html { source: String, line: usize },
    /// A formula.
    Math(String),
    /// Source that stays unchanged.
    Raw(String),
}

/// The events of the content of `node`.
pub(super) fn of_node(node: Node<'_>, hidden: &Hidden) -> Vec<Event> {
    let mut events = Vec::new();
    let mut image: Option<(Node<'_>, String)> = None;
    for edge in node.traverse() {
        let (inner, entering) = match edge {
            NodeEdge::Start(inner) => (inner, true),
            NodeEdge::End(inner) => (inner, false),
        };
        if inner.same_node(node) {
            continue;
        }
        let data = inner.data();
        if let Some((of, alt)) = &mut image {
            if !inner.same_node(of) {
                if entering {
                    alt_text(&data.value, hidden, alt);
                }
                continue;
            }
            if let NodeValue::Image(link) = &data.value {
                events.push(Event::Image {
                    href: hidden.restore(&link.url).into_owned(),
                    title: hidden.restore(&link.title).into_owned(),
                    alt: std::mem::take(alt),
                    line: data.sourcepos.start.line,
                });
            }
            image = None;
            continue;
        }
        match &data.value {
            NodeValue::Image(_) if entering => image = Some((inner, String::new())),
            value => of_value(value, entering, data.sourcepos.start.line, hidden, &mut events),
        }
    }
    attributes::remove(&mut events);
    events
}

fn of_value(value: &NodeValue, entering: bool, line: usize, hidden: &Hidden, events: &mut Vec<Event>) {
    let mut mark = |mark| events.push(if entering { Event::Enter(mark) } else { Event::Leave(mark) });
    match value {
        NodeValue::Emph => mark(Mark::Italic),
        NodeValue::Strong => mark(Mark::Bold),
        NodeValue::Strikethrough => mark(Mark::Strikethrough),
        NodeValue::Link(_) if !entering => events.push(Event::EndLink),
        NodeValue::Link(link) => events.push(Event::Link {
            href: hidden.restore(&link.url).into_owned(),
            title: hidden.restore(&link.title).into_owned(),
            line,
        }),
        _ if !entering => {}
        NodeValue::Escaped => events.push(Event::Literal(String::new())),
        NodeValue::Text(text) => match events.last_mut() {
            // The one character of an escape.
            Some(Event::Literal(literal)) if literal.is_empty() => literal.push_str(&hidden.restore(text)),
            _ if !hidden.is_in(text) => words(events, text),
            _ => events.extend(hidden.pieces(text).into_iter().map(|piece| match piece {
                Piece::Text(text) => Event::Text(text.to_owned()),
                Piece::Hidden(HiddenKind::Math, source) => {
                    Event::Math(dollars::formula(None, source).map_or(source, |formula| formula.inside).to_owned())
                }
                Piece::Hidden(HiddenKind::Tag, source) => Event::Raw(source.to_owned()),
                Piece::Hidden(_, source) => Event::Text(source.to_owned()),
            })),
        },
        NodeValue::Code(code) => events.push(Event::Code(hidden.restore(&code.literal).into_owned())),
        NodeValue::SoftBreak => words(events, " "),
        NodeValue::LineBreak => events.push(Event::Break),
        NodeValue::HtmlInline(source) if hidden.line(source).is_some() => {
            // A line of tags that continues a paragraph: its text between tags is text.
            for part in parts(hidden.line(source).unwrap_or_default()) {
                events.push(match part {
                    Part::Tag(tag) => Event::Raw(tag.source.to_owned()),
                    Part::Text(text) => Event::Text(text.to_owned()),
                });
            }
        }
        NodeValue::HtmlInline(source) if hidden.begins_math(source) => {
            // Lines that continue a paragraph are not a formula.
            events.push(Event::Text(super::one_line(&hidden.restore(source))));
        }
        NodeValue::HtmlInline(source) => {
            // A soft line break is a space here too: the lines of a tag or comment could begin another block.
            let source = hidden.restore(source).replace('\n', " ");
            let ends = !source.starts_with("<?") || source.ends_with("?>");
            // An instruction that ends only with the placeholder of a tag is not an instruction.
            events.push(if ends { Event::Html { source, line } } else { Event::Text(source) });
        }
        NodeValue::FootnoteReference(reference) => {
            events.push(Event::Footnote(hidden.restore(&reference.name).into_owned()));
        }
        _ => {}
    }
}

/// Adds text. The parser emits every character that could be a mark as a piece of its own.
fn words(events: &mut Vec<Event>, text: &str) {
    match events.last_mut() {
        Some(Event::Text(before)) => before.push_str(text),
        _ => events.push(Event::Text(text.to_owned())),
    }
}

fn alt_text(value: &NodeValue, hidden: &Hidden, alt: &mut String) {
    match value {
        NodeValue::Text(text) => alt.push_str(&hidden.restore(text).replace(['\n', '\r'], " ")),
        NodeValue::Code(code) => alt.push_str(&hidden.restore(&code.literal)),
        NodeValue::HtmlInline(source) => alt.push_str(&hidden.restore(source).replace('\n', " ")),
        NodeValue::FootnoteReference(reference) => alt.push_str(&format!("[^{}]", hidden.restore(&reference.name))),
        NodeValue::SoftBreak | NodeValue::LineBreak => alt.push(' '),
        _ => {}
    }
}

/// The events of HTML in a line. White space at its ends has no meaning, and a line feed counts as a space, except next
/// to a line break and inside the ends of a link.
pub(super) fn of_html(tokens: &[Token<'_>], line: usize) -> Vec<Event> {
    let mut events = Vec::new();
    let mut line = line;
    for (at, token) in tokens.iter().enumerate() {
        match token {
            Token::Tag(_, source) | Token::Other(source) => {
                events.push(Event::Html { source: source.replace('\n', " "), line });
            }
            Token::Text(text) => {
                let before = at.checked_sub(1).map(|at| &tokens[at]);
                let after = tokens.get(at + 1);
                let start = match before {
                    None => text.trim_ascii_start(),
                    Some(before) if before.is("br", false) || before.is("a", false) => without_line_start(text),
                    Some(_) => text,
                };
                let both = match after {
                    None => start.trim_ascii_end(),
                    Some(after) if after.is("br", false) || after.is("a", true) => without_line_end(start),
                    Some(_) => start,
                };
                of_html_text(&fold_lines(both), &mut events);
            }
        }
        line += token.line_feeds();
    }
    events
}

fn of_html_text(text: &str, events: &mut Vec<Event>) {
    let mut start = 0;
    let mut at = 0;
    while let Some(found) = text[at..].find(['{', '$']) {
        at += found;
        let rest = &text[at..];
        let (event, length) = if let Some(formula) = dollars::double(rest) {
            (Event::Math(unescape(formula.inside)), formula.source.len())
        } else if let Some(tag) = Tag::lex(rest) {
            (Event::Raw(tag.source.to_owned()), tag.source.len())
        } else {
            at += 1 + usize::from(rest.starts_with("$$"));
            continue;
        };
        if start < at {
            events.push(Event::Literal(unescape(&text[start..at])));
        }
        events.push(event);
        at += length;
        start = at;
    }
    if start < text.len() {
        events.push(Event::Literal(unescape(&text[start..])));
    }
}

/// Text without the white space at its start, if a line ends in it: then it only indents the source.
fn without_line_start(text: &str) -> &str {
    let rest = text.trim_ascii_start();
    if text[..text.len() - rest.len()].contains('\n') { rest } else { text }
}

/// The same for the white space at its end.
fn without_line_end(text: &str) -> &str {
    let rest = text.trim_ascii_end();
    if text[rest.len()..].contains('\n') { rest } else { text }
}

fn fold_lines(text: &str) -> String {
    let mut lines = text.split('\n');
    let mut out = lines.next().unwrap_or_default().to_owned();
    for line in lines {
        out.truncate(out.trim_end_matches([' ', '\t']).len());
        out.push(' ');
        out.push_str(line.trim_start_matches([' ', '\t']));
    }
    out
}
