//! The body of a request.
use super::Build;
use super::style::{Style, Writing, plain};
use crate::body::{Form, MediaType, json, scalar, text};
use crate::direction::Direction;
use crate::example::{ContentExample, ExampleOrigin};
use crate::sample::{PartContent, SampleBody, SamplePart, multipart};
use crate::schema::{LocatedNode, Merged};
use crate::tree::{Members, Node, Value};

impl<'a> Build<'a, '_> {
    /// The body, if the operation has one that can be sent.
    pub(super) fn body(&self) -> Option<SampleBody> {
        let body = self.found.operation.key("requestBody").and_then(|body| self.schemas().behind(body))?;
        let all = body.members("content").filter_map(|(key, located)| Some((key, MediaType::of(key)?, located)));
        let all: Vec<(&str, MediaType, LocatedNode<'a>)> = all.collect();
        let wanted = all.iter().find(|(key, ..)| Some(*key) == self.options.media_type);
        let by_form = |form: Form| all.iter().find(move |(_, media_type, _)| media_type.form == form);
        let preferred =
            || by_form(Form::Json).or_else(|| by_form(Form::Urlencoded)).or_else(|| by_form(Form::Multipart));
        let (key, media_type, located) = wanted.or_else(preferred).or_else(|| all.first())?;
        let content = self.schemas().behind(located.clone())?;
        let examples = self.examples.of_body(&content, key, Direction::Request);
        // An example at another address is not loaded.
        let example = examples.into_iter().find(|example| example.value.is_some() || example.text.is_some());
        let schema = content.key("schema");
        let example = example.or_else(|| {
            let (value, origin) = self.examples.of_schema(schema.as_ref()?, Direction::Request);
            Some(ContentExample::of_value(value, origin))
        });
        self.of_example(media_type, &content, example)
    }

    fn of_example(
        &self,
        media_type: &MediaType,
        content: &LocatedNode<'a>,
        example: Option<ContentExample>,
    ) -> Option<SampleBody> {
        let stated = media_type.text.clone();
        let file = || SampleBody::File { media_type: media_type.text.clone(), name: media_type.file_name() };
        let Some(example) = example else { return (media_type.form == Form::File).then(file) };
        let Some(value) = example.value else {
            return Some(SampleBody::Text { media_type: stated, text: example.text.unwrap_or_default() });
        };
        let schema = content.key("schema");
        let as_text = || text(Some(media_type), self.schemas(), schema.as_ref(), &value);
        Some(match (media_type.form, &value.value) {
            (Form::Json, _) => SampleBody::Json { media_type: stated, value },
            (Form::Urlencoded, Value::Map(members)) => SampleBody::Form { fields: fields(content, members) },
            (Form::Multipart, Value::Map(members)) => {
                let parts = self.parts(content, members);
                if stated.to_ascii_lowercase().starts_with("multipart/form-data") {
                    SampleBody::Multipart { parts }
                } else {
                    let (form, text) = multipart::text(&parts, "\r\n");
                    let boundary = form.split_once(';').map(|(_, boundary)| boundary).unwrap_or_default();
                    let essence = stated.split(';').next().unwrap_or_default().trim();
                    SampleBody::Text { media_type: format!("{essence};{boundary}"), text }
                }
            }
            // An unknown type, with a value that has fields.
            (Form::File, Value::Map(_) | Value::List(_)) => SampleBody::Text { media_type: stated, text: json(&value) },
            (Form::File, Value::Text(text)) if example.origin == ExampleOrigin::Given && is_plain(media_type) => {
                SampleBody::Text { media_type: stated, text: text.to_string() }
            }
            (Form::File, _) => file(),
            _ => SampleBody::Text { media_type: stated, text: as_text() },
        })
    }

    /// The parts of a form. A list has one for each item.
    fn parts(&self, content: &LocatedNode<'a>, members: &Members) -> Vec<SamplePart> {
        let schema = content.key("schema").map(|schema| self.schemas().merged(&schema));
        let properties = schema.as_ref().map(Merged::properties).unwrap_or_default();
        let encodings = content.key("encoding");
        let mut parts = Vec::new();
        for (name, member) in members {
            let encoding = encodings.as_ref().and_then(|encodings| encodings.key(name));
            let stated = encoding.as_ref().and_then(|encoding| encoding.node.text_of("contentType"));
            let stated = stated.and_then(|types| MediaType::of(types.split(',').next().unwrap_or_default()));
            let property = properties.get(&**name).map(|located_nodes| self.schemas().merged_all(located_nodes));
            let (values, property) = match &member.node.value {
                Value::List(items) => {
                    let items_of = |property: Merged<'a>| self.schemas().merged_all(&property.below("items"));
                    (items.as_slice(), property.map(items_of))
                }
                _ => (std::slice::from_ref(&member.node), property),
            };
            parts.extend(values.iter().filter(|value| !matches!(value.value, Value::Null)).map(|value| {
                let (media_type, content) = part(value, stated.as_ref(), property.as_ref());
                SamplePart { name: name.to_string(), media_type, content }
            }));
        }
        parts
    }
}

/// Whether a body of this unknown type can be a text.
fn is_plain(media_type: &MediaType) -> bool {
    let kind = media_type.text.split(['/', ';']).next().unwrap_or_default().to_ascii_lowercase();
    kind == "application" && media_type.file_name() == "file.bin" && !media_type.text.contains("octet-stream")
}

/// The type and the content of a part.
fn part(value: &Node, stated: Option<&MediaType>, schema: Option<&Merged<'_>>) -> (Option<String>, PartContent) {
    let is_scalar = !matches!(value.value, Value::Map(_) | Value::List(_));
    if is_scalar {
        let binary = schema.and_then(binary);
        let file = stated.filter(|stated| stated.form == Form::File).or(binary.as_ref());
        if let Some(file) = file {
            return (Some(file.text.clone()), PartContent::File(file.file_name()));
        }
    }
    let media_type = match stated {
        Some(stated) => Some(stated.text.clone()),
        None => (!is_scalar).then(|| "application/json".to_owned()),
    };
    (media_type, PartContent::Text(scalar(value)))
}

/// The media type of a value that is bytes.
fn binary(schema: &Merged<'_>) -> Option<MediaType> {
    if schema.text_of("contentEncoding").is_some() {
        return None;
    }
    let stated = schema.text_of("contentMediaType").and_then(MediaType::of);
    let is_binary = schema.text_of("format") == Some("binary");
    // A part without a rule is bytes (OpenAPI 3.1, "Encoding Object").
    let says_nothing = schema.types().is_none()
        && schema.only_type().is_none()
        && schema.values().is_none()
        && schema.choices.is_empty();
    match stated {
        Some(stated) => (stated.form == Form::File).then_some(stated),
        None if is_binary || says_nothing => MediaType::of("application/octet-stream"),
        None => None,
    }
}

/// The fields of a form.
fn fields(content: &LocatedNode<'_>, members: &Members) -> Vec<(String, String)> {
    let encodings = content.key("encoding");
    let mut fields = Vec::new();
    for (name, member) in members {
        let value = &member.node;
        let encoding = encodings.as_ref().and_then(|encodings| encodings.key(name));
        let styled =
            encoding.filter(|encoding| ["style", "explode"].iter().any(|key| encoding.node.get(key).is_some()));
        match (&value.value, styled) {
            (Value::Null, _) => {}
            (_, Some(encoding)) => fields.extend(Writing::of(encoding.node, Style::Form, plain).pairs(name, value)),
            (Value::List(items), None) => fields.extend(items.iter().map(|item| (name.to_string(), scalar(item)))),
            (_, None) => fields.push((name.to_string(), scalar(value))),
        }
    }
    fields.retain(|(name, _)| !name.is_empty());
    fields
}
