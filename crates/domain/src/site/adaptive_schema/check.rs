//! Checks claims against a schema, for callers who need an error for each mistake.
use super::claims::{MAX_ITEMS, MAX_TEXT};
use super::{AdaptiveSchema, ClaimValues, PlainClaim, SchemaClaims, UNSIGNED};
use crate::text::Invalid;
use serde_json::{Map, Value};

impl AdaptiveSchema {
    /// Checks that each of these claims is one of the schema, with a value of its type. Unsigned claims are below
    /// `unsigned`.
    ///
    /// # Errors
    /// [`Invalid`] with the path of the first invalid claim, below `field`.
    pub fn check(&self, claims: &Map<String, Value>, field: &str) -> Result<(), Invalid> {
        for (name, value) in claims {
            let path = format!("{field}.{name}");
            match (name.as_str(), &self.unsigned) {
                (UNSIGNED, Some(unsigned)) => {
                    let given = value.as_object().ok_or_else(|| Invalid::new(&path, "must be an object"))?;
                    members(unsigned, given, &path)?;
                }
                _ => member(&self.signed, name, value, path)?,
            }
        }
        Ok(())
    }
}

fn members(schema: &SchemaClaims, claims: &Map<String, Value>, field: &str) -> Result<(), Invalid> {
    claims.iter().try_for_each(|(name, value)| member(schema, name, value, format!("{field}.{name}")))
}

fn member(schema: &SchemaClaims, name: &str, value: &Value, path: String) -> Result<(), Invalid> {
    let claim = schema.get(name);
    claim.ok_or_else(|| Invalid::new(&path, "is not in the adaptive schema of the site"))?.values.check(value, path)
}

impl ClaimValues {
    fn check(&self, value: &Value, path: String) -> Result<(), Invalid> {
        match self {
            Self::One(plain) => plain.check(value, &path),
            Self::List { items, .. } => {
                let list = value.as_array().filter(|list| list.len() <= MAX_ITEMS);
                let rule = || format!("must be a list of at most {MAX_ITEMS} values");
                let list = list.ok_or_else(|| Invalid::new(&path, rule()))?;
                list.iter().enumerate().try_for_each(|(at, item)| items.check(item, &format!("{path}[{at}]")))
            }
            Self::Object(schema) => {
                let object = value.as_object().ok_or_else(|| Invalid::new(&path, "must be an object"))?;
                members(schema, object, &path)
            }
        }
    }
}

impl PlainClaim {
    fn check(&self, value: &Value, path: &str) -> Result<(), Invalid> {
        let (fits, rule) = match self {
            Self::Boolean => (value.is_boolean(), "must be true or false".to_owned()),
            Self::Text => (
                value.as_str().is_some_and(|text| text.chars().count() <= MAX_TEXT),
                format!("must be a text of at most {MAX_TEXT} characters"),
            ),
            Self::Word(words) => (
                value.as_str().is_some_and(|text| words.iter().any(|word| word == text)),
                format!("must be one of {}", words.join(", ")),
            ),
            Self::Number => (value.is_number(), "must be a number".to_owned()),
        };
        if fits { Ok(()) } else { Err(Invalid::new(path, rule)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;
    use serde_json::json;

    fn schema() -> AdaptiveSchema {
        let text = |kind: &str| json!({"type": kind, "description": ""});
        let json = json!({"type": "object", "additionalProperties": false, "properties": {
            "beta": text("boolean"), "name": text("string"), "age": text("number"),
            "plan": {"type": "string", "enum": ["free", "pro"], "description": ""},
            "groups": {"type": "array", "description": "", "items": text("string")},
            "company": {"type": "object", "description": "", "additionalProperties": false,
                "properties": {"size": text("number")}},
            "unsigned": {"type": "object", "description": "Unsigned claims of the site visitor.",
                "additionalProperties": false, "properties": {"beta": text("boolean")}},
        }});
        AdaptiveSchema::parse(&json).unwrap()
    }

    #[rstest]
    #[case(json!({}), "")]
    #[case(json!({"beta": true, "name": "Ada", "age": 36, "plan": "pro", "groups": ["a"], "company": {"size": 1.5}}), "")]
    #[case(json!({"unsigned": {"beta": false}}), "")]
    #[case(json!({"other": 1}), "claims.other")]
    #[case(json!({"beta": "true"}), "claims.beta")]
    #[case(json!({"name": 1}), "claims.name")]
    #[case(json!({"name": "x".repeat(1025)}), "claims.name")]
    #[case(json!({"age": "36"}), "claims.age")]
    #[case(json!({"plan": "max"}), "claims.plan")]
    #[case(json!({"groups": "a"}), "claims.groups")]
    #[case(json!({"groups": ["a", 1]}), "claims.groups[1]")]
    #[case(json!({"company": {"size": "big"}}), "claims.company.size")]
    #[case(json!({"company": {"name": "big"}}), "claims.company.name")]
    #[case(json!({"unsigned": {"plan": "pro"}}), "claims.unsigned.plan")]
    #[case(json!({"unsigned": true}), "claims.unsigned")]
    fn a_claim_that_does_not_fit_is_named_with_its_path(#[case] claims: Value, #[case] field: &str) {
        let checked = schema().check(claims.as_object().unwrap(), "claims");
        assert_eq!(checked.err().map(|invalid| invalid.field).unwrap_or_default(), field);
    }
}
