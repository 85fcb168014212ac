//! The adaptive schema of a site: the claims of visitors that conditions may use.
mod check;
mod claims;
mod parse;
mod templates;

pub use claims::{ClaimValue, VisitorClaims};
pub use templates::TemplateCondition;

use chrono::{DateTime, Utc};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// The only dialect of JSON Schema that a schema may name.
const DIALECT: &str = "http://json-schema.org/draft-07/schema#";
/// The claim that contains the unsigned claims.
pub const UNSIGNED: &str = "unsigned";
/// The description of [`UNSIGNED`] in every schema.
const UNSIGNED_DESCRIPTION: &str = "Unsigned claims of the site visitor.";

/// The claims of an object, by name.
pub type SchemaClaims = BTreeMap<String, SchemaClaim>;

/// The claims of visitors that a site uses. It is stored and shown as the JSON that it was parsed from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AdaptiveSchema {
    /// Claims that a visitor token proves.
    pub signed: SchemaClaims,
    /// Claims that visitors state without proof, if the schema allows such claims.
    pub unsigned: Option<SchemaClaims>,
    /// Whether the JSON names the dialect of JSON Schema.
    names_dialect: bool,
}

/// The schema that is set on a site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SiteAdaptiveSchema {
    /// The schema.
    pub schema: AdaptiveSchema,
    /// When it was set.
    pub updated_at: DateTime<Utc>,
}

/// A claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaClaim {
    /// The meaning of the claim.
    pub description: String,
    /// Its values.
    pub values: ClaimValues,
}

/// The values of a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClaimValues {
    /// One plain value.
    One(PlainClaim),
    /// A list of plain values.
    List {
        /// The meaning of an item.
        description: String,
        /// The values of an item.
        items: PlainClaim,
    },
    /// An object with claims of its own.
    Object(SchemaClaims),
}

/// The values of a plain claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlainClaim {
    /// Yes or no.
    Boolean,
    /// Any text.
    Text,
    /// One of these texts.
    Word(Vec<String>),
    /// A number.
    Number,
}

impl AdaptiveSchema {
    /// The JSON Schema.
    pub fn to_json(&self) -> Value {
        let mut properties = members(&self.signed);
        if let Some(unsigned) = &self.unsigned {
            let mut object = object(unsigned);
            object.insert("description".into(), json!(UNSIGNED_DESCRIPTION));
            properties.insert(UNSIGNED.into(), object.into());
        }
        let mut root = Map::new();
        if self.names_dialect {
            root.insert("$schema".into(), json!(DIALECT));
        }
        root.extend(closed(properties));
        root.into()
    }
}

/// An object that has these properties and no others.
fn closed(properties: Map<String, Value>) -> Map<String, Value> {
    let json = [("type", json!("object")), ("properties", properties.into()), ("additionalProperties", json!(false))];
    json.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

fn members(claims: &SchemaClaims) -> Map<String, Value> {
    claims.iter().map(|(name, claim)| (name.clone(), claim.to_json())).collect()
}

fn object(claims: &SchemaClaims) -> Map<String, Value> {
    closed(members(claims))
}

impl SchemaClaim {
    fn to_json(&self) -> Value {
        let mut json = match &self.values {
            ClaimValues::One(plain) => plain.to_json(),
            ClaimValues::List { description, items } => {
                let mut items = items.to_json();
                items.insert("description".into(), json!(description));
                Map::from_iter([("type".to_owned(), json!("array")), ("items".to_owned(), items.into())])
            }
            ClaimValues::Object(claims) => object(claims),
        };
        json.insert("description".into(), json!(self.description));
        json.into()
    }
}

impl PlainClaim {
    fn to_json(&self) -> Map<String, Value> {
        let kind = match self {
            Self::Boolean => "boolean",
            Self::Text | Self::Word(_) => "string",
            Self::Number => "number",
        };
        let mut json = Map::from_iter([("type".to_owned(), json!(kind))]);
        if let Self::Word(words) = self {
            json.insert("enum".into(), json!(words));
        }
        json
    }
}

#[cfg(test)]
mod tests;
