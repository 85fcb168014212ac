//! Values as the text of a body.
use super::xml::xml;
use super::{Form, MediaType, json};
use crate::schema::{LocatedNode, Schemas};
use crate::tree::{Node, Value};

/// The text of a body of this media type with this value. A text is written unchanged, except in JSON.
pub(crate) fn text<'a>(
    media_type: Option<&MediaType>,
    schemas: &Schemas<'a>,
    schema: Option<&LocatedNode<'a>>,
    value: &Node,
) -> String {
    match (media_type.map(|media_type| media_type.form), value.as_text()) {
        (Some(Form::Json) | None, _) => json(value),
        (_, Some(text)) => text.to_owned(),
        (Some(Form::JsonLines), None) => {
            let items = value.as_list().unwrap_or(std::slice::from_ref(value));
            items.iter().map(|item| item.to_json() + "\n").collect()
        }
        (Some(Form::Xml), None) => xml(schemas, schema.unwrap_or(&schemas.root()), value),
        (Some(Form::Urlencoded), None) => match &value.value {
            Value::Map(members) => {
                let pairs = members.iter().map(|(name, member)| (name, scalar(&member.node)));
                url::form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish()
            }
            _ => json(value),
        },
        (Some(Form::Text), None) if matches!(value.value, Value::Number(_) | Value::Bool(_)) => value.to_json(),
        _ => json(value),
    }
}

/// A value as one text: a text itself, others as JSON.
pub(crate) fn scalar(value: &Node) -> String {
    value.as_text().map_or_else(|| value.to_json(), str::to_owned)
}
