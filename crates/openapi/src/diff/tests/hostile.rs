//! Documents that are made to cost much.
use super::{ids, tree};
use crate::diff::diff;
use rstest::rstest;
use serde_json::json;
use std::fmt::Write;
use std::time::{Duration, Instant};

/// How long a comparison may take here: builds of tests are not optimised.
const MOST: Duration = Duration::from_secs(20);

fn document(schemas: &str) -> String {
    format!(
        "{{\"paths\": {{\"/a\": {{\"get\": {{\"responses\": {{\"200\": {{\"content\": {{\"a/b\": {{\"schema\": \
         {{\"$ref\": \"#/components/schemas/S0\"}}}}}}}}}}}}}}}}, \"components\": {{\"schemas\": {{{schemas}}}}}, \"openapi\": \"3.1.0\"}}"
    )
}

fn compare(old: &str, new: &str) -> crate::diff::Diff {
    let (old, new) = (tree(&document(old)), tree(&document(new)));
    let start = Instant::now();
    let found = diff(&old, &new, None);
    println!("{:?} {:?} {} more", start.elapsed(), found.counts, found.more);
    assert!(start.elapsed() < MOST, "{:?}", start.elapsed());
    found
}

#[rstest]
#[case::fields("{\"properties\": {\"a\": ", "}}")]
#[case::items("{\"items\": ", "}")]
#[case::parts("{\"allOf\": [", "]}")]
#[case::choices("{\"anyOf\": [{\"type\": \"object\"}, ", "]}")]
#[case::conditions("{\"not\": ", "}")]
fn a_deep_schema_is_compared(#[case] open: &str, #[case] close: &str) {
    let depth = 180 / open.matches(['{', '[']).count().max(1);
    let schema = |leaf: &str| format!("\"S0\": {}{leaf}{}", open.repeat(depth), close.repeat(depth));
    let found = compare(&schema("{\"type\": \"string\"}"), &schema("{\"type\": \"boolean\"}"));
    assert!(found.counts.all() > 0);
}

#[test]
fn a_long_chain_of_schemas_is_compared() {
    let chain = |kind: &str| {
        let mut out = String::new();
        for at in 0..20_000 {
            let _ = write!(out, "\"S{at}\": {{\"items\": {{\"$ref\": \"#/components/schemas/S{}\"}}}}, ", at + 1);
        }
        format!("{out}\"S20000\": {{\"type\": \"{kind}\"}}")
    };
    let found = compare(&chain("string"), &chain("boolean"));
    assert_eq!(ids(&found), ["breaking response-type-changed"]);
    assert_eq!(found.changes[0].operations.len(), 1);
}

#[test]
fn references_that_only_lead_to_references_end() {
    let circle = "\"S0\": {\"$ref\": \"#/components/schemas/S1\"}, \"S1\": {\"$ref\": \"#/components/schemas/S0\"}";
    let other = "\"S0\": {\"$ref\": \"#/components/schemas/S1\"}, \"S1\": {\"$ref\": \"#/components/schemas/S1\"}";
    assert_eq!(ids(&compare(circle, other)), [""; 0]);
    let parts = |kind: &str| {
        format!(
            "\"S0\": {{\"allOf\": [{{\"$ref\": \"#/components/schemas/S0\"}}, {{\"anyOf\": [{{\"$ref\": \"#/components/schemas/S0\"}}, {{\"type\": \"null\"}}]}}], \"type\": \"{kind}\"}}"
        )
    };
    assert_eq!(ids(&compare(&parts("string"), &parts("boolean"))), ["breaking response-type-changed"]);
}

#[test]
fn a_schema_with_many_fields_is_compared() {
    let schema = |prefix: &str, kind: &str| {
        let fields: Vec<String> = (0..10_000).map(|at| format!("\"{prefix}{at}\": {{\"type\": \"{kind}\"}}")).collect();
        let required: Vec<String> = (0..10_000).map(|at| format!("\"{prefix}{at}\"")).collect();
        format!("\"S0\": {{\"properties\": {{{}}}, \"required\": [{}]}}", fields.join(", "), required.join(", "))
    };
    assert_eq!(compare(&schema("a", "string"), &schema("a", "boolean")).counts.breaking, 10_000);
    assert_eq!(compare(&schema("a", "string"), &schema("b", "string")).counts.all(), 20_000);
}

#[test]
fn many_values_and_choices_are_compared() {
    let values = |from: usize| {
        let values: Vec<String> = (from..from + 20_000).map(|at| format!("\"v{at}\"")).collect();
        format!("\"S0\": {{\"enum\": [{}]}}", values.join(", "))
    };
    assert_eq!(
        ids(&compare(&values(0), &values(10_000))),
        ["risky response-enum-value-added", "fine response-enum-value-removed"]
    );
    let choices = |from: usize| {
        let choices: Vec<String> =
            (from..from + 5_000).map(|at| format!("{{\"title\": \"c{at}\", \"type\": \"object\"}}")).collect();
        format!("\"S0\": {{\"oneOf\": [{}]}}", choices.join(", "))
    };
    assert_eq!(compare(&choices(0), &choices(2_500)).counts.all(), 5_000);
}

#[test]
fn many_schemas_with_one_large_base_are_compared() {
    let document = |kind: &str, field: &str| {
        let fields: Vec<String> = (0..2_000).map(|at| format!("\"f{at}\": {{\"type\": \"{kind}\"}}")).collect();
        let mut out = format!("\"Base\": {{\"properties\": {{{}}}}}", fields.join(", "));
        for at in 0..2_000 {
            let _ = write!(
                out,
                ", \"S{at}\": {{\"allOf\": [{{\"$ref\": \"#/components/schemas/Base\"}}], \"properties\": {{\"{field}\": {{}}, \
                 \"next\": {{\"$ref\": \"#/components/schemas/S{}\"}}}}}}",
                at + 1
            );
        }
        out
    };
    assert_eq!(compare(&document("string", "x"), &document("boolean", "x")).counts.breaking, 2_000);
    let found = compare(&document("string", "x"), &document("string", "y"));
    assert!(found.counts.all() >= 1_000, "{:?}", found.counts);
}

#[test]
fn a_long_list_of_security_requirements_is_read_once() {
    let document = |scheme: &str| {
        let requirements: Vec<String> = (0..20_000).map(|at| format!("{{\"s{at}\": []}}")).collect();
        let kind = |at: usize| if at == 0 { scheme } else { "http" };
        let schemes: Vec<String> = (0..20_000).map(|at| format!("\"s{at}\": {{\"type\": \"{}\"}}", kind(at))).collect();
        let paths: Vec<String> = (0..10_000).map(|at| format!("\"/{at}\": {{\"get\": {{}}}}")).collect();
        tree(&format!(
            "{{\"openapi\": \"3.1.0\", \"security\": [{}], \"paths\": {{{}}}, \"components\": \
             {{\"securitySchemes\": {{{}}}}}}}",
            requirements.join(", "),
            paths.join(", "),
            schemes.join(", ")
        ))
    };
    let (old, new) = (document("http"), document("apiKey"));
    let start = Instant::now();
    let found = diff(&old, &new, None);
    assert!(start.elapsed() < MOST, "{:?}", start.elapsed());
    assert_eq!(ids(&found), ["breaking security-scheme-changed"]);
}

#[test]
fn a_large_path_item_that_many_paths_refer_to_is_compared() {
    let document = |kind: &str| {
        let parameters: Vec<String> =
            (0..20_000).map(|at| format!("{{\"in\": \"query\", \"name\": \"p{at}\"}}")).collect();
        let responses: Vec<String> =
            (0..20_000).map(|at| format!("\"{at}\": {{\"description\": \"{kind}\"}}")).collect();
        let paths: Vec<String> =
            (0..5_000).map(|at| format!("\"/{at}\": {{\"$ref\": \"#/components/pathItems/I\"}}")).collect();
        tree(&format!(
            "{{\"openapi\": \"3.1.0\", \"paths\": {{{}}}, \"components\": {{\"pathItems\": {{\"I\": {{\"parameters\": [{}], \
             \"get\": {{\"responses\": {{{}}}}}}}}}}}}}",
            paths.join(", "),
            parameters.join(", "),
            responses.join(", ")
        ))
    };
    let (old, new) = (document("a"), document("b"));
    let start = Instant::now();
    let found = diff(&old, &new, None);
    assert!(start.elapsed() < MOST, "{:?}", start.elapsed());
    assert!(found.changes.iter().any(|change| change.id == "too-different"), "{:?}", found.counts);
}

#[test]
fn many_schemas_with_one_long_enumeration_are_compared() {
    let document = |most: usize| {
        let values: Vec<String> = (0..50_000).map(|at| format!("\"v{at}\"")).collect();
        let mut out = format!("\"Base\": {{\"enum\": [{}]}}", values.join(", "));
        for at in 0..10_000 {
            let _ = write!(
                out,
                ", \"S{at}\": {{\"allOf\": [{{\"$ref\": \"#/components/schemas/Base\"}}], \"maxLength\": {most}}}"
            );
        }
        out
    };
    // The schemas are compared as those that no operation uses.
    assert!(compare(&document(1), &document(2)).counts.all() > 100);
}

/// The pairs of two cycles are as many as the product of their lengths.
#[test]
fn cycles_without_a_common_length_are_given_up_and_that_is_reported() {
    let cycle = |length: usize| {
        let schemas: Vec<String> = (0..length)
            .map(|at| {
                format!("\"S{at}\": {{\"items\": {{\"$ref\": \"#/components/schemas/S{}\"}}}}", (at + 1) % length)
            })
            .collect();
        schemas.join(", ")
    };
    let found = compare(&cycle(3_001), &cycle(3_000));
    assert!(found.changes.iter().any(|change| change.id == "too-different"), "{:?}", found.counts);
}

#[test]
fn long_names_and_paths_are_cut() {
    let name = "n".repeat(30_000);
    let document = |kind: &str| {
        let fields: serde_json::Map<_, _> = (0..300).map(|at| (format!("f{at}"), json!({ "type": kind }))).collect();
        let schema = json!({ "properties": {&name: {"properties": fields}} });
        let response = json!({ "content": {"a/b": {"schema": schema}} });
        let paths = json!({ format!("/{name}"): {"get": {"responses": {"200": response}}} });
        tree(&json!({ "openapi": "3.1.0", "paths": paths }).to_string())
    };
    let found = diff(&document("string"), &document("integer"), None);
    assert_eq!(found.counts.breaking, 300);
    assert!(serde_json::to_string(&found).expect("a text").len() < 2_000_000);
}
