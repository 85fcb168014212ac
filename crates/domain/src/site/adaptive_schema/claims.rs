//! Claims of a visitor, filtered by the schema of a site.
use super::{AdaptiveSchema, ClaimValues, PlainClaim, SchemaClaims, UNSIGNED};
use serde::Serialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The longest text of a claim, in characters. A longer one is left out.
pub(super) const MAX_TEXT: usize = 1024;
/// The most items of a list. A longer list is left out: conditions may compare each item with each other one.
pub(super) const MAX_ITEMS: usize = 256;
/// The largest number that JSON readers of all languages keep exactly.
const MAX_INTEGER: f64 = 9_007_199_254_740_991.0;

/// The claims of a visitor: signed claims by name, and unsigned ones below `unsigned`. Only [`AdaptiveSchema::cut`]
/// creates them, so every claim is in the schema of the site.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(transparent)]
pub struct VisitorClaims(BTreeMap<String, ClaimValue>);

impl VisitorClaims {
    /// Whether there are no claims.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The claim of this name.
    pub fn get(&self, name: &str) -> Option<&ClaimValue> {
        self.0.get(name)
    }
}

/// The value of a claim. As in JavaScript, a whole number is the same with and without a fraction of zero.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
#[expect(missing_docs, reason = "one type of JSON each")]
pub enum ClaimValue {
    Boolean(bool),
    Integer(i64),
    Number(f64),
    Text(String),
    List(Vec<ClaimValue>),
    Object(BTreeMap<String, ClaimValue>),
}

impl AdaptiveSchema {
    /// The claims that are in the schema and have values of its types; all others are left out. Unsigned claims are
    /// below `unsigned`; signed claims never are.
    pub fn cut(&self, signed: &Map<String, Value>, unsigned: &Map<String, Value>) -> VisitorClaims {
        let mut claims = cut(&self.signed, signed);
        let unsigned = self.unsigned.as_ref().map(|schema| cut(schema, unsigned));
        if let Some(unsigned) = unsigned.filter(|unsigned| !unsigned.is_empty()) {
            claims.insert(UNSIGNED.to_owned(), ClaimValue::Object(unsigned));
        }
        VisitorClaims(claims)
    }
}

fn cut(schema: &SchemaClaims, given: &Map<String, Value>) -> BTreeMap<String, ClaimValue> {
    let known = schema.iter().filter_map(|(name, claim)| Some((name.clone(), claim.values.cut(given.get(name)?)?)));
    known.collect()
}

impl ClaimValues {
    fn cut(&self, given: &Value) -> Option<ClaimValue> {
        match self {
            Self::One(plain) => plain.cut(given),
            Self::List { items, .. } => {
                let kept: Vec<ClaimValue> = given.as_array()?.iter().filter_map(|item| items.cut(item)).collect();
                (kept.len() <= MAX_ITEMS).then_some(ClaimValue::List(kept))
            }
            Self::Object(schema) => Some(ClaimValue::Object(cut(schema, given.as_object()?))),
        }
    }
}

impl PlainClaim {
    fn cut(&self, given: &Value) -> Option<ClaimValue> {
        match self {
            Self::Boolean => given.as_bool().map(ClaimValue::Boolean),
            Self::Text => given.as_str().filter(|text| text.chars().count() <= MAX_TEXT).map(text),
            Self::Word(words) => given.as_str().filter(|given| words.iter().any(|word| word == given)).map(text),
            Self::Number => number(given),
        }
    }
}

fn text(text: &str) -> ClaimValue {
    ClaimValue::Text(text.to_owned())
}

fn number(given: &Value) -> Option<ClaimValue> {
    let number = given.as_f64()?;
    let whole = number.fract() == 0.0 && number.abs() <= MAX_INTEGER;
    Some(if whole { ClaimValue::Integer(number as i64) } else { ClaimValue::Number(number) })
}
