//! Whether a version of a spec has the operation, webhook or schemas that a block shows.
use crate::content::document::SpecificationPart;
use openapi::parts::{OperationSummary, Summary};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt;

/// The operations, webhooks and schemas of a version, by name.
#[derive(Clone, Debug, Default)]
pub struct SpecContents {
    /// By method in lower case and path without its last slash.
    operations: HashMap<(String, String), OperationSummary>,
    /// By method in lower case and name.
    webhooks: HashMap<(String, String), OperationSummary>,
    schemas: HashSet<String>,
}

/// Whether a block can be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Presence {
    /// It can.
    Present,
    /// It can; the operation or webhook is deprecated.
    Deprecated,
    /// There is no spec of that name in the organization.
    NoSpec,
    /// The spec has no such version, or no version at all yet.
    NoVersion,
    /// The version does not have these: operations, webhooks and schemas as people write them.
    Missing(BTreeSet<String>),
}

/// The most names that a reason lists.
const MAX_NAMES: usize = 20;

impl Presence {
    /// Adds the missing parts of another block of the same spec and version.
    pub fn add(&mut self, other: Self) {
        if let (Self::Missing(names), Self::Missing(more)) = (self, other) {
            names.extend(more);
        }
    }

    /// Whether the block cannot be shown, or not completely.
    pub fn is_broken(&self) -> bool {
        !matches!(self, Self::Present | Self::Deprecated)
    }
}

/// As a sentence without its subject.
impl fmt::Display for Presence {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Present => to.write_str("is there"),
            Self::Deprecated => to.write_str("is deprecated"),
            Self::NoSpec => to.write_str("the organization has no such OpenAPI spec"),
            Self::NoVersion => to.write_str("the OpenAPI spec has no such version"),
            Self::Missing(names) => {
                let shown: Vec<&str> = names.iter().take(MAX_NAMES).map(String::as_str).collect();
                write!(to, "the version does not have {}", shown.join(", "))?;
                match names.len().saturating_sub(MAX_NAMES) {
                    0 => Ok(()),
                    more => write!(to, " and {more} more"),
                }
            }
        }
    }
}

fn key(method: &str, of: &str) -> (String, String) {
    (method.to_ascii_lowercase(), of.to_owned())
}

/// A path without its last slash: blocks and documents match with and without it.
fn trimmed(path: &str) -> &str {
    path.strip_suffix('/').unwrap_or(path)
}

impl From<Summary> for SpecContents {
    fn from(summary: Summary) -> Self {
        let Summary { operations, webhooks, schemas, .. } = summary;
        let mut contents = Self { schemas: schemas.into_iter().collect(), ..Self::default() };
        for operation in operations {
            // If both /pets and /pets/ exist, the first one is used.
            let key = key(&operation.method, trimmed(&operation.path));
            contents.operations.entry(key).or_insert(operation);
        }
        for webhook in webhooks {
            contents.webhooks.entry(key(&webhook.operation.method, &webhook.name)).or_insert(webhook.operation);
        }
        contents
    }
}

impl SpecContents {
    /// The operation or webhook that a block shows.
    pub fn operation(&self, shows: &SpecificationPart) -> Option<&OperationSummary> {
        match shows {
            SpecificationPart::Operation { method, path } => self.operations.get(&key(method, trimmed(path))),
            SpecificationPart::Webhook { name, method } => self.webhooks.get(&key(method, name)),
            SpecificationPart::Schemas { .. } => None,
        }
    }

    /// Whether the version has the part that a block shows.
    pub fn presence(&self, shows: &SpecificationPart) -> Presence {
        if let SpecificationPart::Schemas { schemas } = shows {
            let missing: BTreeSet<String> =
                schemas.iter().filter(|name| !self.schemas.contains(*name)).cloned().collect();
            return if missing.is_empty() { Presence::Present } else { Presence::Missing(missing) };
        }
        match self.operation(shows) {
            Some(operation) if operation.deprecated => Presence::Deprecated,
            Some(_) => Presence::Present,
            None => Presence::Missing(BTreeSet::from([shows.to_string()])),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use openapi::parts::summary;
    use rstest::rstest;

    fn contents() -> SpecContents {
        let text = "openapi: 3.1.0\npaths:\n  /pets: {get: {}, post: {deprecated: true}}\n  /toys/: {get: {}}\n\
            webhooks: {born: {post: {}}}\ncomponents: {schemas: {Pet: {}, Cat: {}}}\n";
        SpecContents::from(summary(&openapi::text::read(text.as_bytes()).root.expect("a document")))
    }

    fn operation(method: &str, path: &str) -> SpecificationPart {
        SpecificationPart::Operation { method: method.into(), path: path.into() }
    }

    fn webhook(name: &str, method: &str) -> SpecificationPart {
        SpecificationPart::Webhook { name: name.into(), method: method.into() }
    }

    fn schemas(names: &[&str]) -> SpecificationPart {
        SpecificationPart::Schemas { schemas: names.iter().map(|name| (*name).to_owned()).collect() }
    }

    fn missing(names: &[&str]) -> Presence {
        Presence::Missing(names.iter().map(|name| (*name).to_owned()).collect())
    }

    #[rstest]
    #[case(operation("get", "/pets"), Presence::Present)]
    #[case(operation("GET", "/pets/"), Presence::Present)]
    #[case(operation("get", "/toys"), Presence::Present)]
    #[case(operation("post", "/pets"), Presence::Deprecated)]
    #[case(operation("put", "/pets"), missing(&["PUT /pets"]))]
    #[case(operation("get", "/Pets"), missing(&["GET /Pets"]))]
    #[case(webhook("born", "POST"), Presence::Present)]
    #[case(webhook("born", "get"), missing(&["GET born"]))]
    #[case(schemas(&["Pet", "Cat"]), Presence::Present)]
    #[case(schemas(&["Pet", "Dog", "Fox"]), missing(&["Dog", "Fox"]))]
    #[case(schemas(&[]), Presence::Present)]
    fn a_version_has_what_it_names(#[case] shows: SpecificationPart, #[case] expected: Presence) {
        let found = contents().presence(&shows);
        assert_eq!(found, expected);
        assert_eq!(found.is_broken(), matches!(expected, Presence::Missing(_)));
    }
}
