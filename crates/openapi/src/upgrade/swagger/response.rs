//! Responses: their schema is copied to each media type.
use super::{Swagger, each};
use crate::tree::{Members, Node, Place, Value};
use crate::upgrade::edit::{keep, put, put_from};
use std::collections::HashSet;

impl Swagger<'_> {
    /// The responses of an operation that produces these media types.
    pub(super) fn responses(&self, responses: &Node, produces: &[&str]) -> Node {
        each(responses, |key, response| {
            if key.starts_with("x-") {
                return response.clone();
            }
            // A shared response has the media types of the document. If the operation has others, it gets a response of
            // its own.
            let target = self.resolve(response);
            let differs = response.text_of("$ref").is_some()
                && produces != self.produces
                && target.text_of("$ref").is_none()
                && target.get("schema").is_some();
            let own = if differs { self.copy(target) } else { None };
            self.response(own.as_ref().unwrap_or(response), produces)
        })
    }

    /// A response of 3.0, or the reference to one.
    pub(super) fn response(&self, node: &Node, produces: &[&str]) -> Node {
        if node.text_of("$ref").is_some() {
            return self.reference(node);
        }
        // An operation can have very many responses, each with the media types of the document.
        let Some(fields) = node.as_map().filter(|_| !self.deadline.is_over()) else { return node.clone() };
        let mut out = Members::default();
        let examples = fields.get("examples").and_then(|member| member.node.as_map());
        let first = fields.iter().find(|(key, member)| {
            &***key == "schema" || (&***key == "examples" && member.node.as_map().is_some_and(|map| !map.is_empty()))
        });
        for (key, member) in fields {
            match &**key {
                "schema" | "examples" => {
                    if first.is_some_and(|(first, _)| first == key) {
                        let schema = fields.get("schema").map(|member| (member.at, self.schema(&member.node)));
                        let types = response_types(node, produces);
                        put_from(&mut out, "content", member.at, self.content(&types, schema, examples));
                    }
                }
                "headers" => {
                    let headers = each(&member.node, |_, header| self.header(header));
                    put_from(&mut out, key, member.at, headers);
                }
                _ => keep(&mut out, key, member),
            }
        }
        Node { at: node.at, value: Value::Map(out) }
    }

    /// The content of a response or a body: the schema for each media type. After too many copies, media types are left
    /// out.
    pub(super) fn content(&self, types: &[&str], schema: Option<(Place, Node)>, examples: Option<&Members>) -> Node {
        let listed: HashSet<&str> = types.iter().copied().filter(|_| examples.is_some()).collect();
        let more = examples.into_iter().flatten().map(|(media, _)| &**media).filter(|media| !listed.contains(media));
        let mut content = Members::default();
        for media in types.iter().copied().chain(more) {
            if self.deadline.is_over() {
                break;
            }
            let example = examples.and_then(|examples| examples.get(media));
            let parts = [schema.as_ref().map(|(_, schema)| schema), example.map(|example| &example.node)];
            let subtract = |left: usize| {
                parts.into_iter().flatten().try_fold(left.checked_sub(1)?, |left, part| part.subtract_copy_from(left))
            };
            // The first is not a copy; only the others are.
            if !content.is_empty() && !self.spend_copies(subtract) {
                continue;
            }
            let mut fields = Members::default();
            if let Some((at, schema)) = &schema {
                put_from(&mut fields, "schema", *at, schema.clone());
            }
            if let Some(example) = example {
                put_from(&mut fields, "example", example.at, example.node.clone());
            }
            put(&mut content, media, Node::made(Value::Map(fields)));
        }
        Node::made(Value::Map(content))
    }
}

/// The media types of a response that has a schema or examples.
pub(super) fn response_types<'m>(response: &'m Node, produces: &[&'m str]) -> Vec<&'m str> {
    if !produces.is_empty() {
        return produces.to_vec();
    }
    let examples = response.get("examples").and_then(Node::as_map).filter(|examples| !examples.is_empty());
    match examples {
        Some(examples) => examples.keys().map(|media| &**media).collect(),
        None if response.get("schema").is_some_and(|schema| schema.text_of("type") == Some("file")) => {
            vec!["application/octet-stream"]
        }
        None => vec!["application/json"],
    }
}
