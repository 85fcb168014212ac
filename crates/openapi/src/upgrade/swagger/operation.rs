//! Path items and operations.
use super::{Swagger, media_types};
use crate::dialect::Version;
use crate::shape::{ObjectKind, Slot};
use crate::tree::{Members, Node, Value};
use crate::upgrade::edit::{keep, put, put_from};

/// The methods of 2.0.
pub(super) fn is_method(key: &str) -> bool {
    matches!(ObjectKind::PathItem.field(key, Version::V2_0), Some(Slot::One(ObjectKind::Operation)))
}

impl<'a> Swagger<'a> {
    /// A path item of 3.0.
    pub(super) fn path_item(&self, path: &'a Node) -> Node {
        let Some(fields) = path.as_map() else { return path.clone() };
        let path = if path.text_of("$ref").is_some() { &self.reference(path) } else { path };
        let mut out = Members::default();
        for (key, member) in fields {
            match &**key {
                "$ref" => {
                    let moved = path.get(key).unwrap_or(&member.node);
                    put_from(&mut out, key, member.at, moved.clone());
                }
                "parameters" => {
                    if let Some(parameters) = self.parameters(&member.node) {
                        put_from(&mut out, key, member.at, parameters);
                    }
                }
                method if is_method(method) => {
                    put_from(&mut out, key, member.at, self.operation(fields, &member.node));
                }
                _ => keep(&mut out, key, member),
            }
        }
        Node { at: path.at, value: Value::Map(out) }
    }

    fn operation(&self, path: &'a Members, operation: &'a Node) -> Node {
        let Some(fields) = operation.as_map() else { return operation.clone() };
        let consumes = media_types(operation.get("consumes"));
        let consumes = consumes.as_ref().unwrap_or(&self.consumes);
        let produces = media_types(operation.get("produces"));
        let produces = produces.as_ref().unwrap_or(&self.produces);
        let mut body = self.operation_body(&self.body_parameters(path, operation), consumes);
        let mut out = Members::default();
        for (key, member) in fields {
            match &**key {
                "consumes" | "produces" => {}
                "schemes" => {
                    if let Some(servers) = self.servers(Some(&member.node)) {
                        put_from(&mut out, "servers", member.at, servers);
                    }
                }
                "parameters" => {
                    if let Some(parameters) = self.parameters(&member.node) {
                        put_from(&mut out, key, member.at, parameters);
                    }
                    if let Some(body) = body.take() {
                        put(&mut out, "requestBody", body);
                    }
                }
                "responses" => {
                    if let Some(body) = body.take_if(|_| !fields.contains_key("parameters")) {
                        put(&mut out, "requestBody", body);
                    }
                    put_from(&mut out, key, member.at, self.responses(&member.node, produces));
                }
                "security" => put_from(&mut out, key, member.at, self.security(&member.node)),
                _ => keep(&mut out, key, member),
            }
        }
        if let Some(body) = body {
            put(&mut out, "requestBody", body);
        }
        Node { at: operation.at, value: Value::Map(out) }
    }

    /// The parameters outside the body; `None` if all of them are in it.
    fn parameters(&self, parameters: &Node) -> Option<Node> {
        let Some(items) = parameters.as_list() else { return Some(parameters.clone()) };
        let kept: Vec<Node> =
            items.iter().filter(|item| !self.is_in_body(item)).map(|item| self.parameter(item)).collect();
        (items.is_empty() || !kept.is_empty()).then(|| Node { at: parameters.at, value: Value::List(kept) })
    }
}
