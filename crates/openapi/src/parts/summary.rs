//! The summary of a version: the data for lists and generated pages, without its parts.
use super::place::METHODS;
use crate::files::percent_decoded;
use crate::tree::{Node, Value};
use serde::{Deserialize, Serialize};

/// The key of the summary among the parts of a version. No pointer begins like this.
pub const SUMMARY_KEY: &str = "#summary";

/// The maximum number of operations and webhooks in a summary. References can give a document more than it contains.
pub const MAX_OPERATIONS: usize = 20_000;

/// The maximum number of references between path items that are followed.
const MAX_HOPS: usize = 64;

/// The contents of a version of a document, in the order of the document.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Summary {
    /// The title of the API; empty if it has none.
    pub title: String,
    /// The version of the API; empty if it has none.
    pub version: String,
    /// The version of OpenAPI that the document is written in.
    pub openapi: String,
    /// The dialect of schemas that state none, if it is not that of OpenAPI.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dialect: Option<String>,
    /// The operations.
    pub operations: Vec<OperationSummary>,
    /// The webhooks.
    pub webhooks: Vec<WebhookSummary>,
    /// The names of the schemas.
    pub schemas: Vec<String>,
    /// The tags that the document describes.
    pub tags: Vec<TagSummary>,
    /// Their numbers.
    pub counts: Counts,
}

/// An operation of a path.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OperationSummary {
    /// The method, as the document writes it: `get`, or `COPY` of `additionalOperations`.
    pub method: String,
    /// The path.
    pub path: String,
    /// The operation id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The summary: its own, else that of its path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// The names of its tags.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Whether it is deprecated.
    #[serde(default, skip_serializing_if = "is_false")]
    pub deprecated: bool,
    /// Whether readers should not see it: `x-internal` or `x-gitbook-ignore`, of its own or of its path.
    #[serde(default, skip_serializing_if = "is_false")]
    pub internal: bool,
}

/// An operation of a webhook.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WebhookSummary {
    /// The name of the webhook.
    pub name: String,
    /// The operation; its path is empty.
    #[serde(flatten)]
    pub operation: OperationSummary,
}

/// A tag.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TagSummary {
    /// The name that operations use.
    pub name: String,
    /// The title for readers: `x-page-title`, `x-displayName` or `summary`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The description for readers: `x-page-description` or `description`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The icon: `x-page-icon`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub icon: Option<String>,
    /// The name of the tag above it: `parent` or `x-parent`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
}

/// Numbers of things in a document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Counts {
    /// The paths.
    pub paths: usize,
    /// The operations of paths. [`MAX_OPERATIONS`] plus one means that there are more.
    pub operations: usize,
    /// The webhooks.
    pub webhooks: usize,
    /// The components of all kinds, schemas among them.
    pub components: usize,
    /// The schemas among the components.
    pub schemas: usize,
}

/// Summarises a document of 3.1 or 3.2. Values with another form than in the specification are left out.
pub fn summary(root: &Node) -> Summary {
    let info = |key| root.get("info").and_then(|info| scalar(info.get(key)?)).unwrap_or_default();
    let mut operations = Vec::new();
    for (path, item) in members(root.get("paths")).filter(|(path, _)| path.starts_with('/')) {
        operations_of(root, item, path, &mut operations, |operation| operation);
    }
    let mut webhooks = Vec::new();
    for (name, item) in members(root.get("webhooks")) {
        operations_of(root, item, "", &mut webhooks, |operation| WebhookSummary { name: name.to_owned(), operation });
    }
    let components = root.get("components");
    let schemas = members(components.and_then(|components| components.get("schemas")));
    let schemas: Vec<String> = schemas.map(|(name, _)| name.to_owned()).collect();
    let counts = Counts {
        paths: members(root.get("paths")).filter(|(path, _)| path.starts_with('/')).count(),
        operations: operations.len(),
        webhooks: members(root.get("webhooks")).count(),
        components: members(components)
            .filter(|(kind, _)| !kind.starts_with("x-"))
            .map(|(_, kind)| members(Some(kind)).count())
            .sum(),
        schemas: schemas.len(),
    };
    let tags = root.get("tags").and_then(Node::as_list).unwrap_or_default();
    Summary {
        title: info("title"),
        version: info("version"),
        openapi: root.get("openapi").and_then(scalar).unwrap_or_default(),
        dialect: text(root, "jsonSchemaDialect"),
        operations,
        webhooks,
        schemas,
        tags: tags.iter().filter_map(tag).collect(),
        counts,
    }
}

fn operations_of<T>(root: &Node, item: &Node, path: &str, out: &mut Vec<T>, entry: impl Fn(OperationSummary) -> T) {
    let item = resolved(root, item);
    let more = members(item.get("additionalOperations"));
    let own = members(Some(item)).filter(|(key, _)| METHODS.contains(key));
    for (method, operation) in own.chain(more).filter(|(_, operation)| operation.as_map().is_some()) {
        if out.len() > MAX_OPERATIONS {
            return;
        }
        let tags = operation.get("tags").and_then(Node::as_list).unwrap_or_default();
        out.push(entry(OperationSummary {
            method: method.to_owned(),
            path: path.to_owned(),
            id: text(operation, "operationId"),
            summary: text(operation, "summary").or_else(|| text(item, "summary")),
            tags: tags.iter().filter_map(scalar).collect(),
            deprecated: is_true(operation, "deprecated"),
            internal: is_internal(operation) || is_internal(item),
        }));
    }
}

/// The path item that this one refers to, or itself.
fn resolved<'a>(root: &'a Node, item: &'a Node) -> &'a Node {
    let mut item = item;
    for _ in 0..MAX_HOPS {
        let Some(pointer) = item.text_of("$ref").and_then(|target| target.strip_prefix('#')) else { break };
        let Some(target) = root.at_pointer(&percent_decoded(pointer)) else { break };
        item = target;
    }
    item
}

fn tag(node: &Node) -> Option<TagSummary> {
    let first = |keys: &[&str]| keys.iter().find_map(|key| text(node, key));
    Some(TagSummary {
        name: node.get("name").and_then(scalar)?,
        title: first(&["x-page-title", "x-displayName", "summary"]),
        description: first(&["x-page-description", "description"]),
        icon: first(&["x-page-icon"]),
        parent: first(&["parent", "x-parent"]),
    })
}

fn members(node: Option<&Node>) -> impl Iterator<Item = (&str, &Node)> {
    node.and_then(Node::as_map).into_iter().flatten().map(|(key, member)| (&**key, &member.node))
}

fn text(node: &Node, key: &str) -> Option<String> {
    node.text_of(key).map(str::to_owned)
}

/// A text, or a number that should have been one: `version: 1.10` in YAML.
fn scalar(node: &Node) -> Option<String> {
    match &node.value {
        Value::Text(text) | Value::Number(text) => Some(text.to_string()),
        _ => None,
    }
}

fn is_true(node: &Node, key: &str) -> bool {
    matches!(node.get(key), Some(Node { value: Value::Bool(true), .. }))
}

fn is_internal(node: &Node) -> bool {
    is_true(node, "x-internal") || is_true(node, "x-gitbook-ignore")
}

fn is_false(value: &bool) -> bool {
    !*value
}
