//! Reading inline content.
use super::fields::Fields;
use super::path::Path;
use super::read::{Read, Reader, fragments, is_void, named};
use super::read_kind::length;
use crate::document::{
    AllowedTargets, Annotation, Button, Icon, Inline, InlineImage, Link, MAX_DEPTH, Marks, Place, Target, Text,
    TextColor,
};
use serde_json::Value;
use std::collections::BTreeSet;

/// The inline content of a line.
pub(super) fn line(
    reader: &mut Reader,
    nodes: &[Value],
    place: Place,
    path: &Path<'_>,
    depth: usize,
) -> Read<Vec<Inline>> {
    let mut content = Vec::new();
    for (at, node) in nodes.iter().enumerate() {
        let path = path.index(at);
        let fields = Fields::of(Some(node), &path)?;
        match fields.value("object").and_then(Value::as_str) {
            Some("text") => text(&fields, place, &path, &mut content)?,
            Some("inline") => {
                let inline = inline(reader, &fields, &path, depth)?;
                if !place.allows(&inline) {
                    return Err(path.key("type").refuse(format!("a {} cannot be {}", inline.name(), place.words())));
                }
                content.push(inline);
            }
            _ => return Err(path.key("object").refuse("must be \"text\" or \"inline\"")),
        }
    }
    Ok(content)
}

/// The content of code, and its highlighted lines.
pub(super) fn code_lines(
    reader: &mut Reader,
    nodes: &[Value],
    path: &Path<'_>,
    depth: usize,
) -> Read<(Vec<Inline>, BTreeSet<u32>)> {
    let (mut content, mut highlighted) = (Vec::new(), BTreeSet::new());
    let mut number = 0_u32;
    for (at, node) in nodes.iter().enumerate() {
        let path = path.index(at);
        let fields = Fields::of_object(node, "block", &path)?;
        if fields.value("type").and_then(Value::as_str) != Some("code-line") {
            return Err(path.key("type").refuse("must be \"code-line\""));
        }
        is_void(&fields, false, &path)?;
        if at > 0 {
            content.push("\n".into());
            number = number.saturating_add(1);
        }
        let data_path = path.key("data");
        let data = Fields::of(fields.value("data"), &data_path)?;
        if data.get("highlighted")?.unwrap_or(false) {
            highlighted.insert(number);
        }
        data.nothing_else()?;
        for inline in line(reader, fields.list("nodes")?, Place::Code, &path.key("nodes"), depth)? {
            if let Inline::Text(text) = &inline {
                let feeds = text.text.matches('\n').count();
                number = number.saturating_add(u32::try_from(feeds).unwrap_or(u32::MAX));
            }
            content.push(inline);
        }
    }
    Ok((content, highlighted))
}

fn text(fields: &Fields<'_, '_>, place: Place, path: &Path<'_>, content: &mut Vec<Inline>) -> Read<()> {
    let mut source = fields.get("verbatim")?.unwrap_or(false).then(String::new);
    if source.is_some() && place == Place::Code {
        return Err(path.key("verbatim").refuse("is not for code, which is kept as it is"));
    }
    let path = path.key("leaves");
    for (at, leaf) in fields.need_list("leaves")?.iter().enumerate() {
        let path = path.index(at);
        let leaf = Fields::of_object(leaf, "leaf", &path)?;
        let text: String = leaf.need("text")?;
        let marks = marks(leaf.list("marks")?, &path.key("marks"))?;
        match &mut source {
            Some(source) => source.push_str(&text),
            None => content.push(Inline::Text(Text { text, marks })),
        }
    }
    content.extend(source.map(|source| Inline::Verbatim { source }));
    Ok(())
}

fn marks(values: &[Value], path: &Path<'_>) -> Read<Marks> {
    let mut marks = Marks::default();
    for (at, value) in values.iter().enumerate() {
        let path = path.index(at);
        let fields = Fields::of_object(value, "mark", &path)?;
        let name: String = fields.need("type")?;
        let data_path = path.key("data");
        let data = Fields::of(fields.value("data"), &data_path)?;
        match name.as_str() {
            "bold" => marks.bold = true,
            "italic" => marks.italic = true,
            "code" => marks.code = true,
            "keyboard" => marks.keyboard = true,
            "strikethrough" => marks.strikethrough = true,
            "superscript" => marks.superscript = true,
            "subscript" => marks.subscript = true,
            "color" => {
                marks.color = Some(TextColor { text: data.need("text")?, background: data.need("background")? });
            }
            _ => return Err(path.key("type").refuse("is not a mark")),
        }
        data.nothing_else()?;
    }
    Ok(marks)
}

fn inline(reader: &mut Reader, fields: &Fields<'_, '_>, path: &Path<'_>, depth: usize) -> Read<Inline> {
    let name: String = fields.need("type")?;
    if depth > MAX_DEPTH && matches!(name.as_str(), "link" | "annotation") {
        return Err(path.refuse(format!("content must be nested at most {MAX_DEPTH} levels deep")));
    }
    let data_path = path.key("data");
    let data = Fields::of(fields.value("data"), &data_path)?;
    let nodes_path = path.key("nodes");
    let inline = match name.as_str() {
        "link" => Inline::Link(Box::new(Link {
            target: Target(data.need_reference("ref", AllowedTargets::Any)?),
            query: data.query("query")?,
            title: fields.get("title")?,
            content: line(reader, fields.list("nodes")?, Place::Link, &nodes_path, depth + 1)?,
        })),
        "emoji" => Inline::Emoji { code: data.need("code")? },
        "icon" => Inline::Icon(Icon { icon: data.need("icon")?, color: data.get("color")? }),
        "expression" => Inline::Expression { expression: data.need("expression")? },
        "inline-math" => Inline::Math { formula: data.need("formula")? },
        "inline-image" => Inline::Image(Box::new(InlineImage {
            source: Target(data.need_reference("ref", AllowedTargets::File)?),
            source_dark: data.reference("refDark", AllowedTargets::File)?,
            caption: data.get("caption")?,
            alt: data.get("alt")?,
            size: data.get("size")?,
            width: length(&data, "width")?,
            height: length(&data, "height")?,
        })),
        "annotation" => {
            let content = line(reader, fields.list("nodes")?, Place::Annotated, &nodes_path, depth + 1)?;
            let fragments = fragments(fields, path)?;
            let body = named(&fragments, "annotation-body")
                .ok_or_else(|| path.key("fragments").refuse("needs a fragment annotation-body"))?;
            let body = reader.body(body, path, depth + 1)?;
            Inline::Annotation(Box::new(Annotation { content, body, label: fields.get("label")? }))
        }
        "mention" => Inline::Mention { target: Box::new(data.need_reference("ref", AllowedTargets::Any)?) },
        "button" => Inline::Button(Box::new(Button {
            label: data.need("label")?,
            kind: data.need("kind")?,
            size: data.get("size")?,
            icon: data.get("icon")?,
            target: data.reference("ref", AllowedTargets::Any)?,
            action: data.get("action")?,
        })),
        _ => return Err(path.key("type").refuse("is not a type of inline content")),
    };
    data.nothing_else()?;
    is_void(fields, !matches!(inline, Inline::Link(_) | Inline::Annotation(_)), path)?;
    Ok(inline)
}
