//! Writing inline content.
use super::write::{Body, Empty, Fields, Fragment};
use crate::document::{Inline, Marks, Text};
use serde::ser::SerializeSeq;
use serde::{Serialize, Serializer};
use std::collections::BTreeSet;

/// The nodes of a line: neighbouring texts are the leaves of one.
pub(super) struct Line<'a>(pub(super) &'a [Inline]);

impl Serialize for Line<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let is_text = |inline: &Inline| matches!(inline, Inline::Text(_));
        to.collect_seq(self.0.chunk_by(|one, next| is_text(one) && is_text(next)).map(Node))
    }
}

/// The lines of code.
pub(super) struct CodeLines<'a> {
    pub(super) content: &'a [Inline],
    /// The highlighted lines, counted from 0.
    pub(super) highlighted: &'a BTreeSet<u32>,
}

impl Serialize for CodeLines<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let line = |(at, content): (usize, Vec<Inline>)| {
            let highlighted = u32::try_from(at).is_ok_and(|at| self.highlighted.contains(&at));
            CodeLine { content, highlighted }
        };
        to.collect_seq(lines(self.content).into_iter().enumerate().map(line))
    }
}

struct CodeLine {
    content: Vec<Inline>,
    highlighted: bool,
}

#[derive(Serialize)]
struct CodeLineData {
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    highlighted: bool,
}

impl Serialize for CodeLine {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let line = Fields::of(to)?.with("object", "block")?.with("type", "code-line")?.with("isVoid", &false)?;
        let line = line.with("data", &CodeLineData { highlighted: self.highlighted })?;
        line.with("nodes", &Line(&self.content))?.end()
    }
}

fn lines(content: &[Inline]) -> Vec<Vec<Inline>> {
    let mut lines: Vec<Vec<Inline>> = vec![Vec::new()];
    for inline in content {
        match inline {
            Inline::Text(text) => {
                for (at, part) in text.text.split('\n').enumerate() {
                    if at > 0 {
                        lines.push(Vec::new());
                    }
                    if let Some(line) = lines.last_mut().filter(|_| !part.is_empty()) {
                        line.push(Inline::Text(Text { text: part.to_owned(), marks: text.marks.clone() }));
                    }
                }
            }
            inline => lines.last_mut().into_iter().for_each(|line| line.push(inline.clone())),
        }
    }
    lines
}

/// A text.
#[derive(Serialize)]
pub(super) struct Leaf<'a> {
    object: &'static str,
    text: &'a str,
    marks: MarksOf<'a>,
}

impl<'a> Leaf<'a> {
    pub(super) fn new(text: &'a str, marks: &'a Marks) -> Self {
        Self { object: "leaf", text, marks: MarksOf(marks) }
    }
}

/// The marks of a text.
struct MarksOf<'a>(&'a Marks);

#[derive(Serialize)]
struct Mark<'a, D> {
    object: &'static str,
    #[serde(rename = "type")]
    kind: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<D>,
}

#[derive(Serialize)]
struct ColorData<T, B> {
    text: T,
    background: B,
}

impl Serialize for MarksOf<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let marks = self.0;
        let plain = [
            (marks.bold, "bold"),
            (marks.italic, "italic"),
            (marks.code, "code"),
            (marks.keyboard, "keyboard"),
            (marks.strikethrough, "strikethrough"),
            (marks.superscript, "superscript"),
            (marks.subscript, "subscript"),
        ];
        let mut all = to.serialize_seq(None)?;
        for (_, kind) in plain.into_iter().filter(|(on, _)| *on) {
            all.serialize_element(&Mark::<Empty> { object: "mark", kind, data: None })?;
        }
        if let Some(color) = &marks.color {
            let data = Some(ColorData { text: &color.text, background: &color.background });
            all.serialize_element(&Mark { object: "mark", kind: "color", data })?;
        }
        all.end()
    }
}

/// One node of a line: neighbouring texts, or one other element.
pub(super) struct Node<'a>(pub(super) &'a [Inline]);

/// The leaves of neighbouring texts.
struct Leaves<'a>(&'a [Inline]);

impl Serialize for Leaves<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let leaf = |inline| match inline {
            &Inline::Text(Text { ref text, ref marks }) => Some(Leaf::new(text, marks)),
            _ => None,
        };
        to.collect_seq(self.0.iter().filter_map(leaf))
    }
}

impl Serialize for Node<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let node = Fields::of(to)?;
        let inline = match self.0 {
            [Inline::Text(_), ..] | [] => {
                return node.with("object", "text")?.with("leaves", &Leaves(self.0))?.end();
            }
            [Inline::Verbatim { source }, ..] => {
                let plain = Marks::default();
                let leaves = [Leaf::new(source, &plain)];
                return node.with("object", "text")?.with("verbatim", &true)?.with("leaves", &leaves)?.end();
            }
            [inline, ..] => inline,
        };
        let void = !matches!(inline, Inline::Link(_) | Inline::Annotation(_));
        let node = node.with("object", "inline")?.with("type", inline.name())?.with("isVoid", &void)?;
        let node = node.with("data", &Data(inline))?;
        let node = match inline {
            Inline::Link(link) => node.with("nodes", &Line(&link.content))?.maybe("title", link.title.as_ref())?,
            Inline::Annotation(note) => {
                let kind = Some("annotation-body");
                let body = Fragment { object: "fragment", key: None, fragment: None, kind, nodes: Body(&note.body) };
                let node = node.with("nodes", &Line(&note.content))?.with("fragments", &[body])?;
                node.maybe("label", note.label.as_ref())?
            }
            _ => node,
        };
        node.end()
    }
}

/// The `data` of inline content.
struct Data<'a>(&'a Inline);

impl Serialize for Data<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let data = Fields::of(to)?;
        let data = match self.0 {
            Inline::Link(link) => data.with("ref", &link.target)?.maybe("query", link.query.as_ref())?,
            Inline::Emoji { code } => data.with("code", code)?,
            Inline::Icon(icon) => data.with("icon", &icon.icon)?.maybe("color", icon.color.as_ref())?,
            Inline::Expression { expression } => data.with("expression", expression)?,
            Inline::Math { formula } => data.with("formula", formula)?,
            Inline::Image(image) => data
                .with("ref", &image.source)?
                .maybe("refDark", image.source_dark.as_ref())?
                .maybe("caption", image.caption.as_ref())?
                .maybe("alt", image.alt.as_ref())?
                .maybe("size", image.size.as_ref())?
                .maybe("width", image.width.as_ref())?
                .maybe("height", image.height.as_ref())?,
            Inline::Mention { target } => data.with("ref", target)?,
            Inline::Button(button) => data
                .with("label", &button.label)?
                .with("kind", &button.kind)?
                .maybe("size", button.size.as_ref())?
                .maybe("icon", button.icon.as_ref())?
                .maybe("ref", button.target.as_ref())?
                .maybe("action", button.action.as_ref())?,
            Inline::Text(_) | Inline::Verbatim { .. } | Inline::Annotation(_) => data,
        };
        data.end()
    }
}
