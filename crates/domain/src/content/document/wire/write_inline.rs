//! Writing inline content.
use super::write::{Data, body, json};
use crate::content::document::{Inline, Marks, Text};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// The nodes of a line: neighbouring texts are the leaves of one.
pub(super) fn line(content: &[Inline]) -> Value {
    let mut nodes: Vec<Value> = Vec::new();
    let mut leaves: Vec<Value> = Vec::new();
    for inline in content {
        if let Inline::Text(text) = inline {
            leaves.push(leaf(&text.text, &text.marks));
            continue;
        }
        if !leaves.is_empty() {
            nodes.push(json!({"object": "text", "leaves": std::mem::take(&mut leaves)}));
        }
        nodes.push(node(inline));
    }
    if !leaves.is_empty() {
        nodes.push(json!({"object": "text", "leaves": leaves}));
    }
    Value::Array(nodes)
}

/// The lines of code.
pub(super) fn code_lines(content: &[Inline], highlighted: &BTreeSet<u32>) -> Value {
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
    let line = |(at, content): (usize, Vec<Inline>)| {
        let highlighted = u32::try_from(at).is_ok_and(|at| highlighted.contains(&at));
        let data = Data::default().maybe("highlighted", highlighted.then_some(&true));
        json!({"object": "block", "type": "code-line", "isVoid": false, "data": data.0, "nodes": line(&content)})
    };
    lines.into_iter().enumerate().map(line).collect()
}

fn leaf(text: &str, marks: &Marks) -> Value {
    let plain = [
        (marks.bold, "bold"),
        (marks.italic, "italic"),
        (marks.code, "code"),
        (marks.keyboard, "keyboard"),
        (marks.strikethrough, "strikethrough"),
        (marks.superscript, "superscript"),
        (marks.subscript, "subscript"),
    ];
    let mut all: Vec<Value> =
        plain.iter().filter(|(on, _)| *on).map(|(_, name)| json!({"object": "mark", "type": name})).collect();
    if let Some(color) = &marks.color {
        let data = json!({"text": json(&color.text), "background": json(&color.background)});
        all.push(json!({"object": "mark", "type": "color", "data": data}));
    }
    json!({"object": "leaf", "text": text, "marks": all})
}

fn node(inline: &Inline) -> Value {
    let mut out = Map::new();
    let mut put = |name: &str, value: Value| drop(out.insert(name.to_owned(), value));
    let data = Data::default();
    let mut void = true;
    let data = match inline {
        Inline::Text(text) => return json!({"object": "text", "leaves": [leaf(&text.text, &text.marks)]}),
        Inline::Verbatim { source } => {
            return json!({"object": "text", "verbatim": true, "leaves": [leaf(source, &Marks::default())]});
        }
        Inline::Link(link) => {
            void = false;
            put("nodes", line(&link.content));
            link.title.iter().for_each(|title| put("title", title.clone().into()));
            data.with("ref", &link.target)
        }
        Inline::Emoji { code } => data.with("code", code),
        Inline::Icon(icon) => data.with("icon", &icon.icon).maybe("color", icon.color.as_ref()),
        Inline::Expression { expression } => data.with("expression", expression),
        Inline::Math { formula } => data.with("formula", formula),
        Inline::Image(image) => data
            .with("ref", &image.source)
            .maybe("refDark", image.source_dark.as_ref())
            .maybe("caption", image.caption.as_ref())
            .maybe("alt", image.alt.as_ref())
            .maybe("size", image.size.as_ref()),
        Inline::Annotation(note) => {
            void = false;
            put("nodes", line(&note.content));
            put("fragments", json!([{"object": "fragment", "type": "annotation-body", "nodes": body(&note.body)}]));
            note.label.iter().for_each(|label| put("label", label.clone().into()));
            data
        }
        Inline::Mention { target } => data.with("ref", target),
        Inline::Button(button) => data
            .with("label", &button.label)
            .with("kind", &button.kind)
            .maybe("size", button.size.as_ref())
            .maybe("icon", button.icon.as_ref())
            .maybe("ref", button.target.as_ref())
            .maybe("action", button.action.as_ref()),
    };
    put("object", "inline".into());
    put("type", inline.name().into());
    put("isVoid", void.into());
    put("data", data.0.into());
    Value::Object(out)
}
