//! Conditions: expressions that decide whether a visitor sees a part of a site.
use super::adaptive_schema::VisitorClaims;
use crate::content::expression::{Expression, Variables};
use crate::text::Rule;
use serde::Serialize;
use std::fmt;

/// An expression that decides whether a visitor sees a part of a site. It has at most
/// [`MAX_EXPRESSION`](crate::content::expression::MAX_EXPRESSION) characters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Condition(String);

impl Condition {
    /// Checks an expression. An empty text is no condition: every visitor sees the part.
    ///
    /// # Errors
    /// [`Rule`] if it is not an expression, with the line and the column of the fault.
    pub fn parse(source: &str) -> Result<Option<Self>, Rule> {
        if source.is_empty() {
            return Ok(None);
        }
        // PostgreSQL cannot store U+0000, and strings of the language may contain it.
        if source.contains('\0') {
            return Err(Rule("must not contain U+0000".into()));
        }
        Expression::parse(source).map_err(|error| Rule(error.to_string()))?;
        Ok(Some(Self(source.to_owned())))
    }

    /// A condition from the database or from content, which is not checked.
    pub fn stored(source: String) -> Self {
        Self(source)
    }

    /// The expression.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Parses the expression, to evaluate it for many visitors.
    pub fn compile(&self) -> CompiledCondition {
        CompiledCondition(Expression::parse(&self.0).ok())
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A parsed [`Condition`]; without an expression if the text is not an expression.
#[derive(Debug)]
pub struct CompiledCondition(Option<Expression>);

impl CompiledCondition {
    /// Whether the part is shown. It is hidden for a missing claim, a claim of another type, a result other than
    /// `true`, and a text that is not an expression.
    pub fn holds(&self, scope: &ConditionScope<'_>) -> bool {
        self.0.as_ref().is_some_and(|expression| expression.evaluate(scope).holds())
    }
}

/// The variables of conditions: `visitor.claims`, `space.vars` and `page.vars`.
#[derive(Clone, Debug, Serialize)]
pub struct ConditionScope<'a> {
    visitor: Visitor<'a>,
    space: &'a Variables,
    page: &'a Variables,
}

#[derive(Clone, Debug, Serialize)]
struct Visitor<'a> {
    claims: &'a VisitorClaims,
}

impl<'a> ConditionScope<'a> {
    /// The claims of a visitor, with the variables of the space and of the page.
    pub fn new(claims: &'a VisitorClaims, space: &'a Variables, page: &'a Variables) -> Self {
        Self { visitor: Visitor { claims }, space, page }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content::expression::MAX_EXPRESSION;
    use crate::content::page::Variable;
    use crate::site::adaptive_schema::AdaptiveSchema;
    use proptest::prelude::*;
    use rstest::rstest;
    use serde_json::{Map, Value, json};

    fn claims() -> VisitorClaims {
        let described = |mut schema: Value| {
            schema["description"] = json!("");
            schema
        };
        let schema = json!({"type": "object", "additionalProperties": false, "properties": {
            "plan": described(json!({"type": "string"})),
            "beta": described(json!({"type": "boolean"})),
            "seats": described(json!({"type": "number"})),
            "groups": described(json!({"type": "array", "items": described(json!({"type": "string"}))})),
            "unsigned": {"type": "object", "description": "Unsigned claims of the site visitor.",
                "additionalProperties": false, "properties": {"language": described(json!({"type": "string"}))}},
        }});
        let object = |json: Value| -> Map<String, Value> { json.as_object().unwrap().clone() };
        AdaptiveSchema::parse(&schema).unwrap().cut(
            &object(json!({"plan": "pro", "beta": true, "seats": 12, "groups": ["a", "b"]})),
            &object(json!({"language": "fr", "plan": "free"})),
        )
    }

    fn holds(source: &str) -> bool {
        let space = Variables { vars: [("major".to_owned(), Variable::Number(2.into()))].into() };
        let page = Variables { vars: [("draft".to_owned(), Variable::Bool(false))].into() };
        Condition::stored(source.to_owned()).compile().holds(&ConditionScope::new(&claims(), &space, &page))
    }

    #[rstest]
    #[case("visitor.claims.plan === 'pro'")]
    #[case("visitor.claims.plan == \"pro\" && visitor.claims.beta")]
    #[case("visitor.claims.seats > 10")]
    #[case("visitor.claims.seats - 2 === 10")]
    #[case("'a' in visitor.claims.groups")]
    #[case("visitor.claims.groups.exists(group, group === 'b')")]
    #[case("visitor.claims.unsigned.language === 'fr'")]
    #[case("visitor.claims.none === 1 || visitor.claims.beta")]
    #[case("has(visitor.claims.plan)")]
    #[case("space.vars.major == 2 && !page.vars.draft")]
    fn a_condition_that_holds_shows_a_part(#[case] source: &str) {
        assert!(Condition::parse(source).unwrap().is_some());
        assert!(holds(source), "{source}");
    }

    #[rstest]
    #[case::another_value("visitor.claims.plan === 'free'")]
    #[case::a_missing_claim("visitor.claims.none")]
    #[case::a_missing_claim_that_must_not_be_set("visitor.claims.none !== 'x'")]
    #[case::a_missing_claim_negated("!visitor.claims.none")]
    #[case::below_a_missing_claim("visitor.claims.none.other === 'x'")]
    #[case::an_unsigned_claim_without_unsigned("visitor.claims.language === 'fr'")]
    #[case::a_signed_claim_below_unsigned("visitor.claims.unsigned.plan === 'free'")]
    #[case::another_type("visitor.claims.plan > 3")]
    #[case::a_text("visitor.claims.plan")]
    #[case::a_number("visitor.claims.seats")]
    #[case::a_list("visitor.claims.groups")]
    #[case::an_unknown_name("claims.beta")]
    #[case::an_unknown_function("beta(visitor.claims.plan)")]
    #[case::an_error("1 / 0 == 1")]
    #[case::not_an_expression("visitor.claims.beta ||")]
    #[case::too_costly("[1].exists(a, [1].exists(b, visitor.claims.beta))")]
    #[case::empty("")]
    fn every_other_outcome_hides_a_part(#[case] source: &str) {
        assert!(!holds(source), "{source}");
    }

    #[rstest]
    #[case("visitor.claims.beta === && true", "not an expression: line 1, column 25: ")]
    #[case("visitor.claims.beta\n  && (", "not an expression: line 2, column ")]
    #[case(" ", "not an expression: line 1, column ")]
    #[case("[1].map(a, [2].map(b, a + b))", "at most one of all, exists, exists_one, map and filter")]
    #[case("'\0' === 'a'", "must not contain U+0000")]
    #[case(&"1".repeat(MAX_EXPRESSION + 1), "an expression has at most 1024 characters")]
    fn a_condition_that_does_not_parse_is_refused_with_the_place(#[case] source: &str, #[case] start: &str) {
        let Err(Rule(rule)) = Condition::parse(source) else { panic!("accepted") };
        assert!(rule.starts_with(start), "{rule}");
    }

    #[test]
    fn an_empty_text_is_no_condition() {
        assert_eq!(Condition::parse(""), Ok(None));
        let condition = Condition::parse("true").unwrap().unwrap();
        assert_eq!((condition.as_str(), json!(condition)), ("true", json!("true")));
    }

    proptest! {
        #[test]
        fn every_text_is_refused_or_can_be_evaluated(source in r#"(visitor|claims|plan|in|[\[\](){}"'.!=?:&|+ é0-]){0,40}"#) {
            if let Ok(Some(condition)) = Condition::parse(&source) {
                holds(condition.as_str());
            }
        }
    }
}
