//! Parameters in the path, the query and headers, and the headers of responses.
use super::Swagger;
use crate::tree::{Member, Members, Node, Place, Value};
use crate::upgrade::edit::{bool, keep, put, put_from};

/// The fields of a parameter that 3.0 has in its schema.
pub(super) const SCHEMA_FIELDS: [&str; 17] = [
    "type",
    "format",
    "items",
    "default",
    "maximum",
    "exclusiveMaximum",
    "minimum",
    "exclusiveMinimum",
    "maxLength",
    "minLength",
    "pattern",
    "maxItems",
    "minItems",
    "uniqueItems",
    "enum",
    "multipleOf",
    "x-nullable",
];

impl Swagger<'_> {
    /// A parameter of 3.0, or the reference to one.
    pub(super) fn parameter(&self, node: &Node) -> Node {
        if node.text_of("$ref").is_some() {
            return self.reference(node);
        }
        let Some(fields) = node.as_map() else { return node.clone() };
        let mut out = self.with_schema(fields);
        if is_list(node) {
            self.style(node, &mut out);
        }
        Node { at: node.at, value: Value::Map(out) }
    }

    /// A header of 3.0.
    pub(super) fn header(&self, node: &Node) -> Node {
        let Some(fields) = node.as_map() else { return node.clone() };
        let mut out = self.with_schema(fields);
        if let Some(member) = uncommon_format(fields, &["csv"]) {
            keep(&mut out, "x-collectionFormat", member);
        }
        Node { at: node.at, value: Value::Map(out) }
    }

    /// The fields, with those that describe values in a separate schema. `collectionFormat` is left out.
    fn with_schema(&self, fields: &Members) -> Members {
        let is_schema = |key: &str| SCHEMA_FIELDS.contains(&key);
        let first = fields.iter().find(|(key, _)| is_schema(key)).filter(|_| !fields.contains_key("schema"));
        let mut out = Members::default();
        for (key, member) in fields {
            match &**key {
                "collectionFormat" => {}
                "schema" => put_from(&mut out, key, member.at, self.schema(&member.node)),
                field if is_schema(field) => {
                    if let Some((_, first)) = first.filter(|(first, _)| *first == key) {
                        put_from(&mut out, "schema", first.at, self.schema_of(fields, first.at));
                    }
                }
                _ => keep(&mut out, key, member),
            }
        }
        out
    }

    /// The schema of a parameter or header that has its keywords as its own fields.
    pub(super) fn schema_of(&self, fields: &Members, at: Place) -> Node {
        let keywords = fields.iter().filter(|(key, _)| SCHEMA_FIELDS.contains(&&***key));
        let keywords: Members = keywords.map(|(key, member)| (key.clone(), member.clone())).collect();
        self.schema(&Node { at, value: Value::Map(keywords) })
    }

    /// How a list is written: `collectionFormat`, or its default `csv`.
    fn style(&self, node: &Node, out: &mut Members) {
        let is_query = node.text_of("in") == Some("query");
        let (style, explode) = match (node.text_of("collectionFormat").unwrap_or("csv"), is_query) {
            // The default of paths and headers.
            ("csv", false) => return,
            ("csv", true) => ("form", false),
            ("multi", _) => ("form", true),
            ("ssv", true) => ("spaceDelimited", false),
            ("pipes", true) => ("pipeDelimited", false),
            _ => {
                if let Some(member) = node.as_map().and_then(|fields| fields.get("collectionFormat")) {
                    keep(out, "x-collectionFormat", member);
                }
                return;
            }
        };
        put(out, "style", Node::text(style));
        put(out, "explode", bool(explode));
    }
}

/// Whether the values of a parameter are lists.
pub(super) fn is_list(node: &Node) -> bool {
    node.text_of("type") == Some("array")
}

/// The collection format, if it is none of these.
fn uncommon_format<'m>(fields: &'m Members, common: &[&str]) -> Option<&'m Member> {
    let member = fields.get("collectionFormat")?;
    (!member.node.as_text().is_some_and(|format| common.contains(&format))).then_some(member)
}
