//! Parses a JSON Schema in the form that describes claims.
use super::{
    AdaptiveSchema, ClaimValues, DIALECT, PlainClaim, SchemaClaim, SchemaClaims, UNSIGNED, UNSIGNED_DESCRIPTION,
};
use crate::text::{Invalid, Rule};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// The largest schema, in bytes of JSON without white space.
pub(super) const MAX_SIZE: usize = 64 * 1024;
/// How deep claims can be nested, below the root or below the unsigned claims.
pub(super) const MAX_DEPTH: usize = 4;
/// The most claims of a schema, at all depths.
pub(super) const MAX_CLAIMS: usize = 200;
/// The most words of all claims together.
pub(super) const MAX_WORDS: usize = 1000;
/// The longest name of a claim, in characters.
const MAX_NAME: usize = 128;
/// The longest word, in characters.
const MAX_WORD: usize = 128;
/// The longest description, in characters.
const MAX_DESCRIPTION: usize = 500;

/// The types of a claim.
const TYPES: [&str; 5] = ["boolean", "string", "number", "array", "object"];
/// The types of an item of a list: the first of [`TYPES`].
const PLAIN: usize = 3;

impl AdaptiveSchema {
    /// Reads a schema.
    ///
    /// # Errors
    /// [`Invalid`] has the path of the first fault, such as `jsonSchema.properties.plan.description`, and the rule.
    pub fn parse(json: &Value) -> Result<Self, Invalid> {
        let root = Node::new(json, "jsonSchema".to_owned())?;
        if json.to_string().len() > MAX_SIZE {
            return Err(Invalid::new(root.path, format!("must be at most {MAX_SIZE} bytes of JSON")));
        }
        root.only(&["$schema", "type", "properties", "additionalProperties"])?;
        let names_dialect = root.members.contains_key("$schema");
        if names_dialect {
            root.is("$schema", &json!(DIALECT))?;
        }
        let properties = root.properties()?;
        let mut size = Size::default();
        let unsigned = match properties.members.get(UNSIGNED) {
            None => None,
            Some(json) => {
                let node = properties.child(json, UNSIGNED)?;
                node.only(&["type", "description", "properties", "additionalProperties"])?;
                node.is("description", &json!(UNSIGNED_DESCRIPTION))?;
                Some(size.claims(&node.properties()?, None, 1)?)
            }
        };
        Ok(Self { signed: size.claims(&properties, Some(UNSIGNED), 1)?, unsigned, names_dialect })
    }
}

/// An object of the schema, with its path.
struct Node<'a> {
    path: String,
    members: &'a Map<String, Value>,
}

impl<'a> Node<'a> {
    fn new(json: &'a Value, path: String) -> Result<Self, Invalid> {
        match json.as_object() {
            Some(members) => Ok(Self { path, members }),
            None => Err(Invalid::new(path, "must be an object")),
        }
    }

    /// The path of a member. A name that is not a plain word is in brackets.
    fn at(&self, name: &str) -> String {
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '-');
        if !name.is_empty() && name.len() <= MAX_NAME && name.chars().all(plain) {
            return format!("{}.{name}", self.path);
        }
        let short: String = name.chars().take(MAX_NAME).collect();
        format!("{}[{}]", self.path, json!(short))
    }

    fn child(&self, json: &'a Value, name: &str) -> Result<Self, Invalid> {
        Self::new(json, self.at(name))
    }

    fn wrong(&self, name: &str, rule: impl Into<String>) -> Invalid {
        Invalid::new(self.at(name), rule)
    }

    fn get(&self, name: &str) -> Result<&'a Value, Invalid> {
        self.members.get(name).ok_or_else(|| self.wrong(name, "is required"))
    }

    /// Checks that there are no other members.
    fn only(&self, allowed: &[&str]) -> Result<(), Invalid> {
        let other = self.members.keys().find(|name| !allowed.contains(&name.as_str()));
        other.map_or(Ok(()), |name| {
            Err(self.wrong(name, format!("is not allowed here; the members are {}", allowed.join(", "))))
        })
    }

    /// Checks that a member has this value.
    fn is(&self, name: &str, value: &Value) -> Result<(), Invalid> {
        if self.get(name)? == value { Ok(()) } else { Err(self.wrong(name, format!("must be {value}"))) }
    }

    /// The properties of an object that has no others.
    fn properties(&self) -> Result<Self, Invalid> {
        self.is("type", &json!("object"))?;
        self.is("additionalProperties", &json!(false))?;
        self.child(self.get("properties")?, "properties")
    }

    fn text(&self, name: &str) -> Result<&'a str, Invalid> {
        self.get(name)?.as_str().ok_or_else(|| self.wrong(name, "must be a string"))
    }

    fn description(&self) -> Result<String, Invalid> {
        let text = self.text("description")?;
        if text.chars().count() > MAX_DESCRIPTION {
            return Err(self.wrong("description", format!("must be at most {MAX_DESCRIPTION} characters")));
        }
        if text.contains('\0') {
            return Err(self.wrong("description", "must not contain U+0000"));
        }
        Ok(text.to_owned())
    }
}

/// The counts that are limited.
#[derive(Default)]
struct Size {
    claims: usize,
    words: usize,
}

impl Size {
    /// Reads the claims of an object, except the one called `except`, at this depth.
    fn claims(&mut self, node: &Node<'_>, except: Option<&str>, depth: usize) -> Result<SchemaClaims, Invalid> {
        if depth > MAX_DEPTH {
            return Err(Invalid::new(node.path.clone(), format!("must be nested at most {MAX_DEPTH} deep")));
        }
        let named = node.members.iter().filter(|(name, _)| Some(name.as_str()) != except);
        named.map(|(name, json)| Ok((name.clone(), self.claim(node, name, json, depth)?))).collect()
    }

    fn claim(&mut self, parent: &Node<'_>, name: &str, json: &Value, depth: usize) -> Result<SchemaClaim, Invalid> {
        let fits = (1..=MAX_NAME).contains(&name.chars().count());
        if !fits || name.contains(|c: char| c.is_control() || matches!(c, '\'' | '"' | '\\')) {
            let rule = format!(
                "the name must be 1 to {MAX_NAME} characters without quotes, backslashes and control characters"
            );
            return Err(parent.wrong(name, rule));
        }
        self.claims += 1;
        if self.claims > MAX_CLAIMS {
            return Err(parent.wrong(name, format!("the schema must have at most {MAX_CLAIMS} claims")));
        }
        let node = parent.child(json, name)?;
        let values = match node.text("type")? {
            "array" => {
                node.only(&["type", "description", "items"])?;
                let items = node.child(node.get("items")?, "items")?;
                let kind = items.text("type")?;
                let read = self.plain(&items, kind)?;
                let read = read.ok_or_else(|| items.wrong("type", Rule::one_of(TYPES[..PLAIN].iter().copied()).0))?;
                ClaimValues::List { description: items.description()?, items: read }
            }
            "object" => {
                node.only(&["type", "description", "properties", "additionalProperties"])?;
                ClaimValues::Object(self.claims(&node.properties()?, None, depth + 1)?)
            }
            kind => {
                let read = self.plain(&node, kind)?;
                ClaimValues::One(read.ok_or_else(|| node.wrong("type", Rule::one_of(TYPES).0))?)
            }
        };
        Ok(SchemaClaim { description: node.description()?, values })
    }

    /// Reads a plain claim; `None` if its type is unknown or not plain.
    fn plain(&mut self, node: &Node<'_>, kind: &str) -> Result<Option<PlainClaim>, Invalid> {
        let plain = match kind {
            "boolean" => PlainClaim::Boolean,
            "number" => PlainClaim::Number,
            "string" => match node.members.get("enum") {
                None => PlainClaim::Text,
                Some(words) => {
                    node.only(&["type", "description", "enum"])?;
                    PlainClaim::Word(self.words(node, words)?)
                }
            },
            _ => return Ok(None),
        };
        if !matches!(plain, PlainClaim::Word(_)) {
            node.only(&["type", "description"])?;
        }
        Ok(Some(plain))
    }

    fn words(&mut self, node: &Node<'_>, json: &Value) -> Result<Vec<String>, Invalid> {
        let words = json.as_array().filter(|words| !words.is_empty());
        let words = words.ok_or_else(|| node.wrong("enum", "must be a list of one string or more"))?;
        self.words += words.len();
        if self.words > MAX_WORDS {
            return Err(node.wrong("enum", format!("the schema must have at most {MAX_WORDS} words")));
        }
        let mut known = BTreeSet::new();
        let read = |(index, word): (usize, &Value)| {
            let wrong = |rule: String| Invalid::new(format!("{}.enum[{index}]", node.path), rule);
            let word = word.as_str().ok_or_else(|| wrong("must be a string".into()))?;
            if word.chars().count() > MAX_WORD || word.contains(char::is_control) {
                return Err(wrong(format!("must be at most {MAX_WORD} characters without control characters")));
            }
            if !known.insert(word.to_owned()) {
                return Err(wrong("must not be repeated".into()));
            }
            Ok(word.to_owned())
        };
        words.iter().enumerate().map(read).collect()
    }
}
