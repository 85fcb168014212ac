//! Finds the places in 3.0 of values of 2.0, to update references.
use super::operation::is_method;
use super::parameter::SCHEMA_FIELDS;
use super::response::response_types;
use super::{Swagger, media_types};
use crate::refs::{as_fragment, percent_decoded};
use crate::tree::{Members, Node, pointer_step, unescape};

/// A step of a pointer: as written, and as a key.
struct Step<'r> {
    raw: &'r str,
    key: String,
}

impl<'a> Swagger<'a> {
    /// The reference to the target's place in 3.0; `None` if the target did not move, or is not a place in the
    /// document.
    pub(super) fn moved(&self, reference: &str) -> Option<String> {
        // Some places are found by counting the parameters before them.
        if self.deadline.is_over() {
            return None;
        }
        let steps: Vec<Step<'_>> = reference
            .strip_prefix("#/")?
            .split('/')
            .map(|raw| Step { raw, key: unescape(&percent_decoded(raw)).into_owned() })
            .collect();
        let keys: Vec<&str> = steps.iter().map(|step| step.key.as_str()).collect();
        // The new steps, and the number of old ones that they replace.
        let (new, replaced) = match keys.as_slice() {
            ["definitions", name, ..] => self.component("schemas", "definitions", name),
            ["securityDefinitions", name, ..] => self.component("securitySchemes", "securityDefinitions", name),
            ["responses", name, rest @ ..] => {
                let response = self.root.get("responses").and_then(|responses| responses.get(name));
                self.component("responses", "responses", name).then(moved_in_response(response, &self.produces, rest))
            }
            ["parameters", name, rest @ ..] => {
                let parameter = self.root.get("parameters")?.get(name)?;
                let kind = if self.is_in_body(parameter) { "requestBodies" } else { "parameters" };
                let consumes = &self.consumes;
                let inner = if self.is_in_body(parameter) {
                    self.moved_in_body(parameter, &[parameter], consumes, rest)
                } else {
                    moved_in_parameter(rest)
                };
                self.component(kind, "parameters", name).then(inner)
            }
            ["paths", path, rest @ ..] => {
                let item = self.root.get("paths")?.get(path)?.as_map()?;
                Moved::unchanged(2, &keys).then(self.moved_in_path(item, rest)?)
            }
            _ => return None,
        }
        .into_parts();
        let mut out = "#".to_owned();
        for step in &new {
            out.push('/');
            out.push_str(&as_fragment(&pointer_step(step)));
        }
        for step in steps.get(replaced..).unwrap_or_default() {
            out.push('/');
            out.push_str(step.raw);
        }
        Some(out)
    }

    fn component(&self, kind: &str, field: &'static str, name: &str) -> Moved {
        Moved { new: vec!["components".to_owned(), kind.to_owned(), self.name_of(field, name)], replaced: 2 }
    }

    fn name_of(&self, field: &'static str, name: &str) -> String {
        self.renamed.get(&(field, name)).cloned().unwrap_or_else(|| name.to_owned())
    }

    fn moved_in_path(&self, item: &'a Members, rest: &[&str]) -> Option<Moved> {
        match rest {
            ["parameters", index, rest @ ..] => {
                let parameters = item.get("parameters")?.node.as_list()?;
                let parameter = parameters.get(index.parse::<usize>().ok()?)?;
                if !self.is_in_body(parameter) {
                    return Some(self.new_index(parameters, index)?.then(moved_in_parameter(rest)));
                }
                // The body of a path is now that of each of its operations.
                let (method, operation) = item.iter().find(|(key, _)| is_method(key))?;
                let body = self.moved_in_operation_body(item, &operation.node, parameter, rest);
                Some(Moved { new: vec![method.to_string()], replaced: 2 }.then(body))
            }
            [method, rest @ ..] if is_method(method) => {
                let operation = &item.get(*method)?.node;
                let inner = match rest {
                    ["parameters", index, rest @ ..] => {
                        let parameters = operation.get("parameters")?.as_list()?;
                        let parameter = parameters.get(index.parse::<usize>().ok()?)?;
                        if self.is_in_body(parameter) {
                            let body = self.moved_in_operation_body(item, operation, parameter, rest);
                            Moved { new: Vec::new(), replaced: 2 }.then(body)
                        } else {
                            self.new_index(parameters, index)?.then(moved_in_parameter(rest))
                        }
                    }
                    ["responses", status, inner @ ..] => {
                        let produces = media_types(operation.get("produces"));
                        let produces = produces.as_ref().unwrap_or(&self.produces);
                        let response = operation.get("responses").and_then(|responses| responses.get(status));
                        Moved::unchanged(2, rest).then(moved_in_response(response, produces, inner))
                    }
                    _ => Moved::default(),
                };
                Some(Moved { new: vec![(*method).to_owned()], replaced: 1 }.then(inner))
            }
            _ => Some(Moved::default()),
        }
    }

    /// `parameters/{index}`, without the parameters before it that are in the body now.
    fn new_index(&self, parameters: &[Node], index: &str) -> Option<Moved> {
        let before = parameters.get(..index.parse::<usize>().ok()?)?;
        let index = before.iter().filter(|parameter| !self.is_in_body(parameter)).count();
        Some(Moved { new: vec!["parameters".to_owned(), index.to_string()], replaced: 2 })
    }

    fn moved_in_operation_body(
        &self,
        item: &'a Members,
        operation: &'a Node,
        parameter: &Node,
        rest: &[&str],
    ) -> Moved {
        let consumes = media_types(operation.get("consumes"));
        let consumes = consumes.as_ref().unwrap_or(&self.consumes);
        let parameters = self.body_parameters(item, operation);
        let body = Moved { new: vec!["requestBody".to_owned()], replaced: 0 };
        body.then(self.moved_in_body(parameter, &parameters, consumes, rest))
    }

    /// Below a request body that was made of these parameters.
    fn moved_in_body(&self, parameter: &Node, all: &[&Node], consumes: &[&str], rest: &[&str]) -> Moved {
        let parameter = self.resolve(parameter);
        let media = self.first_body_type(all, consumes).to_owned();
        let mut schema = vec!["content".to_owned(), media, "schema".to_owned()];
        if parameter.text_of("in") == Some("body") {
            return match rest {
                ["schema", ..] => Moved { new: schema, replaced: 1 },
                _ => Moved::default(),
            };
        }
        schema.push("properties".to_owned());
        schema.push(parameter.text_of("name").unwrap_or_default().to_owned());
        Moved { new: schema, replaced: 0 }
    }
}

fn moved_in_parameter(rest: &[&str]) -> Moved {
    match rest {
        [field, ..] if SCHEMA_FIELDS.contains(field) => {
            Moved { new: vec!["schema".to_owned(), (*field).to_owned()], replaced: 1 }
        }
        _ => Moved::default(),
    }
}

fn moved_in_response(response: Option<&Node>, produces: &[&str], rest: &[&str]) -> Moved {
    match rest {
        ["schema", ..] => {
            let types = response.map(|response| response_types(response, produces)).unwrap_or_default();
            let media = types.first().copied().unwrap_or_default().to_owned();
            Moved { new: vec!["content".to_owned(), media, "schema".to_owned()], replaced: 1 }
        }
        ["examples", media, ..] => {
            Moved { new: vec!["content".to_owned(), (*media).to_owned(), "example".to_owned()], replaced: 2 }
        }
        ["headers", _, inner @ ..] => Moved::unchanged(2, rest).then(moved_in_parameter(inner)),
        _ => Moved::default(),
    }
}

/// The beginning of a pointer: its new steps, for a number of the old ones.
#[derive(Default)]
struct Moved {
    new: Vec<String>,
    replaced: usize,
}

impl Moved {
    /// The first of these steps, unchanged.
    fn unchanged(count: usize, steps: &[&str]) -> Self {
        let new: Vec<String> = steps.iter().take(count).map(|step| (*step).to_owned()).collect();
        Self { replaced: new.len(), new }
    }

    /// Followed by the new beginning of the rest.
    fn then(mut self, inner: Self) -> Self {
        self.new.extend(inner.new);
        self.replaced += inner.replaced;
        self
    }

    fn into_parts(self) -> (Vec<String>, usize) {
        (self.new, self.replaced)
    }
}
