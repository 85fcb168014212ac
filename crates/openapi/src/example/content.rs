//! Examples of bodies, parameters and headers.
use super::Examples;
use super::operation::MAX_TEXTS;
use crate::body::{MediaType, text};
use crate::direction::Direction;
use crate::schema::LocatedNode;
use crate::text::read;
use crate::tree::{Node, Value};
use serde::Serialize;

/// The maximum size of an example, in bytes; longer ones are cut.
const MAX_TEXT: usize = super::MAX_BYTES;
/// The maximum number of examples of a body.
const MAX_EXAMPLES: usize = 50;

/// The origin of an example.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum ExampleOrigin {
    /// The media type or parameter has it.
    Given,
    /// The schema has it.
    Schema,
    /// It was generated from the schema.
    Made,
}

/// An example of a body, parameter or header.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ContentExample {
    /// Its key among several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its summary.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// Its description, in Markdown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Its origin.
    pub origin: ExampleOrigin,
    /// The value, if the document has it.
    #[serde(skip)]
    pub value: Option<Node>,
    /// The text of a body with this value, at most 64 KiB of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Whether the text is cut.
    pub is_cut: bool,
    /// The address of the value (`externalValue`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub external: Option<String>,
}

/// A value that an example has.
enum Given {
    Value(Node),
    /// The text that is sent (`serializedValue` of 3.2).
    Text(String),
}

impl ContentExample {
    /// An example of a value alone.
    pub(crate) fn of_value(value: Node, origin: ExampleOrigin) -> Self {
        example(None, origin, Some(&value), None)
    }
}

impl<'a> Examples<'a> {
    /// The examples of a media type object: those that it gives, or else one of its schema. `key` is its media type.
    pub(crate) fn of_body(&self, content: &LocatedNode<'a>, key: &str, direction: Direction) -> Vec<ContentExample> {
        let media_type = MediaType::of(key);
        let item = content.key("itemSchema");
        let schema = content.key("schema").or_else(|| item.clone());
        let as_text = |value: &Node| text(media_type.as_ref(), &self.schemas, schema.as_ref(), value);
        let is_json = media_type.as_ref().is_none_or(|media_type| media_type.form == crate::body::Form::Json);
        let given = self.given(content, |given| match given {
            Given::Value(value) => {
                let value = if is_json { self.parsed(schema.as_ref(), value) } else { value };
                let text = as_text(&value);
                (Some(value), text)
            }
            Given::Text(text) => (is_json.then(|| read(text.as_bytes()).root).flatten(), text),
        });
        let Some(schema) = schema.as_ref().filter(|_| given.is_empty()) else { return given };
        let (mut value, origin) = self.of_schema(schema, direction);
        if content.key("schema").is_none() && item.is_some() {
            value = Node::made(Value::List(vec![value]));
        }
        vec![example(None, origin, Some(&value), Some(as_text(&value)))]
    }

    /// The examples of a parameter or header: those that it gives, or else one of its schema. The text is not encoded.
    pub(crate) fn of_parameter(&self, parameter: &LocatedNode<'a>, direction: Direction) -> Vec<ContentExample> {
        let given = self.given(parameter, |given| match given {
            Given::Value(value) => {
                let text = crate::body::scalar(&value);
                (Some(value), text)
            }
            Given::Text(text) => (Some(Node::text(&text)), text),
        });
        if !given.is_empty() {
            return given;
        }
        if let Some(schema) = parameter.key("schema") {
            let (value, origin) = self.of_schema(&schema, direction);
            return vec![example(None, origin, Some(&value), Some(crate::body::scalar(&value)))];
        }
        let Some((key, content)) = parameter.members("content").next() else { return Vec::new() };
        let content = self.schemas.behind(content.clone()).unwrap_or(content);
        self.of_body(&content, key, direction)
    }

    /// The examples that an object has in `examples` or `example`.
    fn given(&self, owner: &LocatedNode<'a>, show: impl Fn(Given) -> (Option<Node>, String)) -> Vec<ContentExample> {
        let listed = owner.members("examples").take(MAX_EXAMPLES).filter_map(|(name, located)| {
            let located = self.schemas.behind(located)?;
            let external = ["externalValue", "externalDataValue"].into_iter().find_map(|key| located.node.text_of(key));
            let given = match ["value", "dataValue"].into_iter().find_map(|key| located.node.get(key)) {
                Some(value) => Some(Given::Value(value.clone())),
                None => located.node.text_of("serializedValue").map(|text| Given::Text(text.to_owned())),
            };
            if given.is_none() && external.is_none() {
                return None;
            }
            let (value, text) = given.map(&show).map_or((None, None), |(value, text)| (value, Some(text)));
            let mut found = example(Some(name), ExampleOrigin::Given, value.as_ref(), text);
            found.summary = located.node.text_of("summary").map(str::to_owned);
            found.description = located.node.text_of("description").map(str::to_owned);
            found.external = external.map(str::to_owned);
            Some(found)
        });
        let mut bytes = 0;
        let listed = listed.take_while(|example| {
            let is_room = bytes <= MAX_TEXTS;
            bytes += example.text.as_ref().map_or(0, String::len);
            is_room
        });
        let listed: Vec<ContentExample> = listed.collect();
        if !listed.is_empty() {
            return listed;
        }
        let single = owner.node.get("example").map(|value| {
            let (value, text) = show(Given::Value(value.clone()));
            example(None, ExampleOrigin::Given, value.as_ref(), Some(text))
        });
        single.into_iter().collect()
    }

    /// The value. If it is a text of JSON and the schema wants no text, the author meant that JSON.
    fn parsed(&self, schema: Option<&LocatedNode<'a>>, value: Node) -> Node {
        let Some(text) = value.as_text().filter(|text| text.trim_start().starts_with(['{', '['])) else { return value };
        let types = schema.and_then(|schema| self.schemas.merged(schema).types());
        let wants_text = schema.is_none() || types.is_some_and(|types| types.has(crate::schema::Type::String));
        let parsed = if wants_text { None } else { read(text.as_bytes()).root };
        parsed.filter(|_| serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok()).unwrap_or(value)
    }
}

fn example(name: Option<&str>, origin: ExampleOrigin, value: Option<&Node>, text: Option<String>) -> ContentExample {
    let cut = text.as_ref().filter(|text| text.len() > MAX_TEXT).map(|text| cut(text).to_owned());
    ContentExample {
        name: name.map(str::to_owned),
        summary: None,
        description: None,
        origin,
        value: value.cloned(),
        is_cut: cut.is_some(),
        text: cut.or(text),
        external: None,
    }
}

/// The first lines of a text that is too long; if a line is too long, its beginning.
fn cut(text: &str) -> &str {
    let start = text.get(..text.floor_char_boundary(MAX_TEXT)).unwrap_or_default();
    start.rfind('\n').and_then(|end| start.get(..end)).unwrap_or(start)
}
