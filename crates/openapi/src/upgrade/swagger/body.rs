//! Request bodies, from parameters in the body and in forms.
use super::Swagger;
use super::parameter::is_list;
use crate::tree::{Members, Node, Value};
use crate::upgrade::edit::{bool, keep, list, put, put_from};
use std::collections::{HashMap, HashSet};

const URLENCODED: &str = "application/x-www-form-urlencoded";
const MULTIPART: &str = "multipart/form-data";

impl<'a> Swagger<'a> {
    /// Whether a parameter, or its target, is part of the body.
    pub(super) fn is_in_body(&self, parameter: &Node) -> bool {
        matches!(self.resolve(parameter).text_of("in"), Some("body" | "formData"))
    }

    /// The parameters that form the body of an operation: those of its path, and its own. A body overrides forms.
    pub(super) fn body_parameters(&self, path: &'a Members, operation: &'a Node) -> Vec<&'a Node> {
        let in_body = |parameters: Option<&'a Node>| {
            parameters.into_iter().flat_map(Node::items).filter(|parameter| self.is_in_body(parameter))
        };
        let key = |parameter| {
            let parameter = self.resolve(parameter);
            if is_body(parameter) { None } else { parameter.text_of("name") }
        };
        let of_path = path.get("parameters").map(|member| &member.node);
        let of_operation = operation.get("parameters");
        let own: HashSet<Option<&str>> = in_body(of_operation).map(key).collect();
        let shared = in_body(of_path).filter(|parameter| !own.contains(&key(parameter)));
        let all: Vec<&Node> = shared.chain(in_body(of_operation)).collect();
        match all.iter().rfind(|parameter| is_body(self.resolve(parameter))) {
            Some(body) => vec![*body],
            None => all,
        }
    }

    /// The request body of an operation, or the reference to a shared one. `None` without parameters.
    pub(super) fn operation_body(&self, parameters: &[&Node], consumes: &[&str]) -> Option<Node> {
        let parameter = *parameters.first()?;
        let is_shared = parameters.len() == 1 && parameter.text_of("$ref").is_some();
        if is_shared && (consumes == self.consumes || !self.may_copy(self.resolve(parameter))) {
            return Some(self.reference(parameter));
        }
        Some(self.request_body(parameters, consumes))
    }

    /// The request body of these parameters.
    pub(super) fn request_body(&self, parameters: &[&Node], consumes: &[&str]) -> Node {
        match parameters {
            [body] if is_body(self.resolve(body)) => self.whole_body(body, consumes),
            _ => self.form(parameters, consumes),
        }
    }

    fn whole_body(&self, parameter: &Node, consumes: &[&str]) -> Node {
        let body = self.resolve(parameter);
        let mut out = Members::default();
        for (key, member) in body.as_map().into_iter().flatten() {
            if matches!(&**key, "description" | "required") || key.starts_with("x-") {
                keep(&mut out, key, member);
            }
        }
        let schema = match body.as_map().and_then(|fields| fields.get("schema")) {
            Some(member) => Some((member.at, self.schema(&member.node))),
            None => body.as_map().map(|fields| (body.at, self.schema_of(fields, body.at))),
        };
        put(&mut out, "content", self.content(&body_types(consumes), schema, None));
        Node { at: parameter.at, value: Value::Map(out) }
    }

    fn form(&self, parameters: &[&Node], consumes: &[&str]) -> Node {
        let mut properties = Members::default();
        let mut encoding = Members::default();
        let mut required = HashMap::new();
        for parameter in parameters {
            let field = self.resolve(parameter);
            let is_copy = parameter.text_of("$ref").is_some();
            let (Some(name), false) = (field.text_of("name"), is_copy && !self.may_copy(field)) else { continue };
            put_from(&mut properties, name, parameter.at, self.form_field(field));
            required.insert(name, field.is_true("required"));
            if let Some(how) = form_encoding(field) {
                put(&mut encoding, name, how);
            }
        }
        let names = properties.keys().filter(|name| required.get(&***name) == Some(&true));
        let names: Vec<Node> = names.map(|name| Node::text(name)).collect();
        let is_required = !names.is_empty();

        let mut schema = Members::default();
        put(&mut schema, "type", Node::text("object"));
        put(&mut schema, "properties", Node::made(Value::Map(properties)));
        if is_required {
            put(&mut schema, "required", list(names));
        }
        let schema = Node::made(Value::Map(schema));
        let types = self.form_types(parameters, consumes);
        let mut content = self.content(&types, Some((Default::default(), schema)), None);
        if let (Value::Map(media), false) = (&mut content.value, encoding.is_empty()) {
            for member in media.values_mut() {
                if let Value::Map(fields) = &mut member.node.value {
                    put(fields, "encoding", Node::made(Value::Map(encoding.clone())));
                }
            }
        }
        let mut out = Members::default();
        put(&mut out, "content", content);
        if is_required {
            put(&mut out, "required", bool(true));
        }
        Node { at: parameters.first().map(|first| first.at).unwrap_or_default(), value: Value::Map(out) }
    }

    fn form_field(&self, field: &Node) -> Node {
        let Some(fields) = field.as_map() else { return field.clone() };
        let mut schema = match fields.get("schema") {
            Some(member) => self.schema(&member.node),
            None => self.schema_of(fields, field.at),
        };
        if let Value::Map(out) = &mut schema.value {
            for (key, member) in fields {
                let says_more = &**key == "description" || (key.starts_with("x-") && &**key != "x-nullable");
                if says_more && !out.contains_key(key) {
                    keep(out, key, member);
                }
            }
        }
        schema
    }

    /// The media types of a form.
    fn form_types<'m>(&self, parameters: &[&Node], consumes: &[&'m str]) -> Vec<&'m str> {
        if parameters.iter().any(|parameter| self.resolve(parameter).text_of("type") == Some("file")) {
            return vec![MULTIPART];
        }
        let types: Vec<&str> =
            consumes.iter().copied().filter(|media| [URLENCODED, MULTIPART].contains(media)).collect();
        if types.is_empty() { vec![URLENCODED] } else { types }
    }

    /// The media type for references into the body of an operation.
    pub(super) fn first_body_type<'m>(&self, parameters: &[&Node], consumes: &[&'m str]) -> &'m str {
        let is_whole = parameters.iter().any(|parameter| is_body(self.resolve(parameter)));
        let types = if is_whole { body_types(consumes) } else { self.form_types(parameters, consumes) };
        types.first().copied().unwrap_or_default()
    }
}

/// The media types of a body; the specification has no default.
fn body_types<'m>(consumes: &[&'m str]) -> Vec<&'m str> {
    if consumes.is_empty() { vec!["application/json"] } else { consumes.to_vec() }
}

fn is_body(parameter: &Node) -> bool {
    parameter.text_of("in") == Some("body")
}

/// How a list in a field of a form is written, unless it is the default of 3.0: a field for each item.
fn form_encoding(field: &Node) -> Option<Node> {
    if !is_list(field) {
        return None;
    }
    let style = match field.text_of("collectionFormat").unwrap_or("csv") {
        "csv" => "form",
        "ssv" => "spaceDelimited",
        "pipes" => "pipeDelimited",
        _ => return None,
    };
    let mut how = Members::default();
    put(&mut how, "style", Node::text(style));
    put(&mut how, "explode", bool(false));
    Some(Node::made(Value::Map(how)))
}
