//! The summary of a version: the data for lists and generated pages, without its parts.
use super::place::METHODS;
use crate::is_default;
use crate::refs::end_of_chain;
use crate::tree::Node;
use serde::{Deserialize, Serialize};

/// The key of the summary among the parts of a version. No pointer begins like this.
pub const SUMMARY_KEY: &str = "#summary";

/// The maximum number of operations and webhooks in a summary. References can give a document more than it contains.
pub const MAX_OPERATIONS: usize = 20_000;

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
    #[serde(default, skip_serializing_if = "is_default")]
    pub deprecated: bool,
    /// Whether readers should not see it: `x-internal` or `x-gitbook-ignore`, of its own or of its path.
    #[serde(default, skip_serializing_if = "is_default")]
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
    let paths = || root.members_of("paths").filter(|(path, _)| path.starts_with('/'));
    for (path, item) in paths() {
        operations_of(root, item, path, &mut operations, |operation| operation);
    }
    let mut webhooks = Vec::new();
    for (name, item) in root.members_of("webhooks") {
        operations_of(root, item, "", &mut webhooks, |operation| WebhookSummary { name: name.to_owned(), operation });
    }
    let schemas = root.get("components").into_iter().flat_map(|components| components.members_of("schemas"));
    let schemas: Vec<String> = schemas.map(|(name, _)| name.to_owned()).collect();
    let counts = Counts {
        paths: paths().count(),
        operations: operations.len(),
        webhooks: root.members_of("webhooks").count(),
        components: root
            .members_of("components")
            .filter(|(kind, _)| !kind.starts_with("x-"))
            .map(|(_, kind)| kind.members().count())
            .sum(),
        schemas: schemas.len(),
    };
    Summary {
        title: info("title"),
        version: info("version"),
        openapi: root.get("openapi").and_then(scalar).unwrap_or_default(),
        dialect: text(root, "jsonSchemaDialect"),
        operations,
        webhooks,
        schemas,
        tags: root.items_of("tags").iter().filter_map(tag).collect(),
        counts,
    }
}

fn operations_of<T>(root: &Node, item: &Node, path: &str, out: &mut Vec<T>, entry: impl Fn(OperationSummary) -> T) {
    let item = end_of_chain(root, item);
    let more = item.members_of("additionalOperations");
    let own = item.members().filter(|(key, _)| METHODS.contains(key));
    for (method, operation) in own.chain(more).filter(|(_, operation)| operation.as_map().is_some()) {
        if out.len() > MAX_OPERATIONS {
            return;
        }
        out.push(entry(OperationSummary {
            method: method.to_owned(),
            path: path.to_owned(),
            id: text(operation, "operationId"),
            summary: text(operation, "summary").or_else(|| text(item, "summary")),
            tags: operation.items_of("tags").iter().filter_map(scalar).collect(),
            deprecated: operation.is_true("deprecated"),
            internal: is_internal(operation) || is_internal(item),
        }));
    }
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

fn text(node: &Node, key: &str) -> Option<String> {
    node.text_of(key).map(str::to_owned)
}

fn scalar(node: &Node) -> Option<String> {
    node.text_or_digits().map(str::to_owned)
}

/// Whether readers should not see an operation, or the operations of a path item.
pub(crate) fn is_internal(node: &Node) -> bool {
    node.is_true("x-internal") || node.is_true("x-gitbook-ignore")
}
