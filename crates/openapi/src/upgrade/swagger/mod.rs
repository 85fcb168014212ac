//! 2.0 → 3.0: moves the parts of a document to their places in 3.0, and updates references.
//!
//! The pass reads the old document and builds a new one. Where one value of 2.0 is valid for several media types, 3.0
//! has it once for each. Such copies are limited, so that a document cannot grow without bounds.
mod body;
mod moved;
mod operation;
mod parameter;
mod response;
mod schema;
mod security;
mod servers;

use super::edit::{put, put_from};
use super::names::{Names, is_name};
use crate::deadline::Deadline;
use crate::refs::end_of_chain;
use crate::tree::{Members, Node, Value};
use std::cell::Cell;
use std::collections::HashMap;
use url::Url;

/// The maximum number of values that an upgrade copies. A document may have as many. Long texts count as several
/// values.
pub(super) const MAX_COPIES: usize = 4_000_000;

/// Upgrades a document of 2.0; `source` is its address, `copies` the number of values that may be copied.
pub(super) fn upgrade(root: &Node, source: Option<&str>, copies: usize, deadline: &Deadline<'_>) -> Node {
    Swagger::new(root, source, copies, deadline).document()
}

/// The state that the rules of the pass share.
struct Swagger<'a> {
    root: &'a Node,
    source: Option<Url>,
    /// The media types of requests and of responses, for operations that name none.
    consumes: Vec<&'a str>,
    produces: Vec<&'a str>,
    /// The new names of components that cannot keep theirs, by the field of 2.0 and the old name.
    renamed: HashMap<(&'static str, &'a str), String>,
    /// The number of values that may still be copied.
    copies: Cell<usize>,
    deadline: &'a Deadline<'a>,
}

/// The fields of 2.0 that became kinds of components.
const SHARED: [(&str, &str); 4] = [
    ("definitions", "schemas"),
    ("parameters", "parameters"),
    ("responses", "responses"),
    ("securityDefinitions", "securitySchemes"),
];

impl<'a> Swagger<'a> {
    fn new(root: &'a Node, source: Option<&str>, copies: usize, deadline: &'a Deadline<'a>) -> Self {
        let mut renamed = HashMap::new();
        for (field, _) in SHARED {
            let keys = || root.members_of(field).map(|(key, _)| key);
            let mut names = Names::of(keys().filter(|key| is_name(key)));
            for key in keys().filter(|key| !is_name(key)) {
                renamed.insert((field, key), names.take(key));
            }
        }
        Self {
            root,
            source: source.and_then(|source| Url::parse(source).ok()),
            consumes: media_types(root.get("consumes")).unwrap_or_default(),
            produces: media_types(root.get("produces")).unwrap_or_default(),
            renamed,
            copies: Cell::new(copies),
            deadline,
        }
    }

    fn document(&self) -> Node {
        let Some(fields) = self.root.as_map() else { return self.root.clone() };
        let mut out = Members::default();
        let mut servers = self.servers(None);
        let mut components = Some(self.components());
        for (key, member) in fields {
            match &**key {
                "swagger" => {
                    let version = Node { at: member.node.at, value: Value::Text("3.0.4".into()) };
                    put_from(&mut out, "openapi", member.at, version);
                }
                "consumes" | "produces" => {}
                "host" | "basePath" | "schemes" => {
                    if let Some(servers) = servers.take() {
                        put_from(&mut out, "servers", member.at, servers);
                    }
                }
                "definitions" | "parameters" | "responses" | "securityDefinitions" | "components" => {
                    if let Some(components) = components.take() {
                        put_from(&mut out, "components", member.at, components);
                    }
                }
                "security" => put_from(&mut out, key, member.at, self.security(&member.node)),
                "paths" => {
                    // Authors of 3.0 write the servers before the paths.
                    if let Some(servers) = servers.take_if(|_| !is_addressed(fields)) {
                        put(&mut out, "servers", servers);
                    }
                    put_from(&mut out, key, member.at, self.paths(&member.node));
                }
                _ => put_from(&mut out, key, member.at, member.node.clone()),
            }
        }
        if let Some(servers) = servers {
            put(&mut out, "servers", servers);
        }
        Node { at: self.root.at, value: Value::Map(out) }
    }

    fn components(&self) -> Node {
        let mut out = self.root.get("components").and_then(Node::as_map).cloned().unwrap_or_default();
        let mut bodies = Members::default();
        for (field, kind) in SHARED {
            let Some(member) = self.root.as_map().and_then(|fields| fields.get(field)) else { continue };
            let Some(shared) = member.node.as_map() else { continue };
            let mut components = Members::default();
            for (key, member) in shared {
                if self.deadline.is_over() {
                    break;
                }
                let name = self.name(field, key);
                let (kind, node) = match field {
                    "definitions" => (&mut components, self.schema(&member.node)),
                    "responses" => (&mut components, self.response(&member.node, &self.produces)),
                    "securityDefinitions" => (&mut components, security::scheme(&member.node)),
                    _ if self.is_in_body(&member.node) => {
                        (&mut bodies, self.request_body(&[&member.node], &self.consumes))
                    }
                    _ => (&mut components, self.parameter(&member.node)),
                };
                put_from(kind, name, member.at, node);
            }
            if !components.is_empty() || shared.is_empty() {
                put_from(&mut out, kind, member.at, Node { at: member.node.at, value: Value::Map(components) });
            }
        }
        if !bodies.is_empty() {
            put(&mut out, "requestBodies", Node::made(Value::Map(bodies)));
        }
        Node::made(Value::Map(out))
    }

    fn paths(&self, paths: &Node) -> Node {
        each(
            paths,
            |key, path| {
                if key.starts_with('/') && !self.deadline.is_over() { self.path_item(path) } else { path.clone() }
            },
        )
    }

    /// The new name of a component from a field of 2.0.
    fn name<'n>(&'n self, field: &'static str, name: &'n str) -> &'n str {
        self.renamed.get(&(field, name)).map_or(name, String::as_str)
    }

    /// The target of references within the document, or the node itself.
    fn resolve<'n>(&self, node: &'n Node) -> &'n Node
    where
        'a: 'n,
    {
        end_of_chain(self.root, node)
    }

    /// A copy of a value that the document already has; `None` after too many copies.
    fn copy(&self, node: &Node) -> Option<Node> {
        self.may_copy(node).then(|| node.clone())
    }

    /// Counts the values of a copy. After the limit there are no more copies, so the counting ends too.
    fn may_copy(&self, node: &Node) -> bool {
        self.spend_copies(|left| node.subtract_copy_from(left))
    }

    /// Subtracts from the number of values that may still be copied; false if too few are left.
    fn spend_copies(&self, subtract: impl FnOnce(usize) -> Option<usize>) -> bool {
        let left = subtract(self.copies.get());
        self.copies.set(left.unwrap_or(0));
        left.is_some()
    }
}

/// Whether a document has the address of its API.
fn is_addressed(document: &Members) -> bool {
    ["host", "basePath", "schemes"].iter().any(|key| document.contains_key(*key))
}

/// A mapping with each of its values changed; any other value unchanged.
fn each(node: &Node, mut change: impl FnMut(&str, &Node) -> Node) -> Node {
    let Some(members) = node.as_map() else { return node.clone() };
    let mut out = Members::default();
    for (key, member) in members {
        put_from(&mut out, key, member.at, change(key, &member.node));
    }
    Node { at: node.at, value: Value::Map(out) }
}

/// The media types that a field lists; `None` if it is no list.
fn media_types(node: Option<&Node>) -> Option<Vec<&str>> {
    let mut types: Vec<&str> = Vec::new();
    let mut seen = std::collections::HashSet::new();
    types.extend(node?.as_list()?.iter().filter_map(Node::as_text).filter(|text| seen.insert(*text)));
    Some(types)
}
