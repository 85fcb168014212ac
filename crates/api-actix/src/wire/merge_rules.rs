//! Merge rules in requests.
use domain::merge_rules::{MergeRule, MergeRules};
use domain::text::Invalid;
use serde::Deserialize;

/// Merge rules as they are sent. An enum with a tag would lose the path of an error inside of a rule.
#[derive(Deserialize)]
pub(crate) struct SentMergeRules {
    #[serde(rename = "type")]
    kind: MergeRulesType,
    rules: Option<Vec<MergeRule>>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum MergeRulesType {
    Inherit,
    None,
    Rules,
}

impl SentMergeRules {
    /// The rules in `field`; only spaces may inherit.
    ///
    /// # Errors
    /// The field that breaks a rule.
    pub(super) fn read(self, field: &str, may_inherit: bool) -> Result<MergeRules, Invalid> {
        let rules = match (self.kind, self.rules) {
            (MergeRulesType::Inherit, _) => MergeRules::Inherit,
            (MergeRulesType::None, _) => MergeRules::None,
            (MergeRulesType::Rules, Some(rules)) => MergeRules::Rules { rules },
            (MergeRulesType::Rules, None) => return Err(Invalid::new(format!("{field}.rules"), "is required")),
        };
        rules.checked(field, may_inherit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::read_json;
    use rstest::rstest;
    use serde_json::json;

    fn read(body: &str) -> Result<MergeRules, Invalid> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Body {
            merge_rules: SentMergeRules,
        }
        let body: Body = read_json(format!(r#"{{"mergeRules":{body}}}"#).as_bytes())?;
        body.merge_rules.read("mergeRules", true)
    }

    #[rstest]
    #[case(r#"{"type":"inherit"}"#)]
    #[case(r#"{"type":"none"}"#)]
    #[case(r#"{"type":"rules","rules":[]}"#)]
    #[case(r#"{"rules":[{"rule":"require_agent_review"},{"users":["ada"],"rule":"allow_bypass"}],"type":"rules"}"#)]
    #[case(r#"{"type":"rules","rules":[{"rule":"custom","expression":"true","message":"No"}]}"#)]
    fn rules_are_returned_as_they_were_sent(#[case] body: &str) {
        assert_eq!(json!(read(body).unwrap()), serde_json::from_str::<serde_json::Value>(body).unwrap());
    }

    #[rstest]
    #[case(r#"{}"#, "mergeRules.type")]
    #[case(r#"{"type":"all"}"#, "mergeRules.type")]
    #[case(r#"{"type":1}"#, "mergeRules.type")]
    #[case(r#"["none"]"#, "mergeRules")]
    #[case(r#"{"type":"rules"}"#, "mergeRules.rules")]
    #[case(r#"{"type":"rules","rules":null}"#, "mergeRules.rules")]
    #[case(r#"{"type":"rules","rules":"all"}"#, "mergeRules.rules")]
    #[case(r#"{"type":"rules","rules":[["require_agent_review"]]}"#, "mergeRules.rules[0]")]
    #[case(r#"{"type":"rules","rules":[{}]}"#, "mergeRules.rules[0].rule")]
    #[case(r#"{"type":"rules","rules":[{"rule":3}]}"#, "mergeRules.rules[0].rule")]
    #[case(r#"{"type":"rules","rules":[{"rule":"require_luck"}]}"#, "mergeRules.rules[0].rule")]
    #[case(r#"{"type":"rules","rules":[{"rule":"allow_bypass"}]}"#, "mergeRules.rules[0].users")]
    #[case(r#"{"type":"rules","rules":[{"rule":"allow_bypass","users":["a b"]}]}"#, "mergeRules.rules[0]")]
    #[case(r#"{"type":"rules","rules":[{"rule":"custom"}]}"#, "mergeRules.rules[0].expression")]
    fn the_rule_with_an_error_is_named(#[case] body: &str, #[case] field: &str) {
        assert_eq!(read(body).unwrap_err().field, field);
    }
}
