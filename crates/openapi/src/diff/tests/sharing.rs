//! Values that several operations share, references and recursion.
use super::{between, ids, lines};
use crate::diff::Diff;
use rstest::rstest;

fn document(paths: &str, schemas: &str) -> String {
    format!("paths: {{{paths}}}\ncomponents: {{schemas: {{{schemas}}}}}")
}

fn operations(diff: &Diff, at: usize) -> Vec<String> {
    let operations = diff.changes[at].operations.iter();
    operations.map(|operation| format!("{} {}", operation.method, operation.path)).collect()
}

/// An operation with this schema in its response.
fn get(path: &str, schema: &str) -> String {
    format!("{path}: {{get: {{responses: {{\"200\": {{content: {{a/b: {{schema: {schema}}}}}}}}}}}}}")
}

/// An operation with this schema in its request.
fn put(path: &str, schema: &str) -> String {
    format!("{path}: {{put: {{requestBody: {{content: {{a/b: {{schema: {schema}}}}}}}}}}}")
}

const A: &str = "{$ref: \"#/components/schemas/A\"}";
const B: &str = "{$ref: \"#/components/schemas/B\"}";

#[test]
fn a_change_of_a_shared_schema_is_reported_once_for_each_direction_with_all_operations() {
    let paths = [
        get("/1", A),
        put("/2", A),
        get("/3", B),
        get("/4", "{type: array, items: {$ref: \"#/components/schemas/B\"}}"),
        get("/5", "{}"),
    ]
    .join(", ");
    let schemas = |a: &str| format!("A: {{type: object, properties: {{x: {a}}}}}, B: {{properties: {{a: {A}}}}}");
    let found = between(&document(&paths, &schemas("{maxLength: 1}")), &document(&paths, &schemas("{maxLength: 2}")));
    assert_eq!(
        lines(&found),
        [
            "risky response-length-widened: field \"x\" of schema \"A\" has maxLength 2 instead of 1 in responses",
            "fine request-length-widened: field \"x\" of schema \"A\" has maxLength 2 instead of 1 in requests",
        ]
    );
    assert_eq!(operations(&found, 0), ["get /1", "get /3", "get /4"]);
    assert_eq!(operations(&found, 1), ["put /2"]);
    assert_eq!(found.changes[0].pointer, "/components/schemas/A/properties/x/maxLength");
}

#[test]
fn a_change_of_words_is_reported_once_for_both_directions() {
    let paths = [get("/1", A), put("/2", A)].join(", ");
    let found = between(&document(&paths, "A: {description: a}"), &document(&paths, "A: {description: b}"));
    assert_eq!(ids(&found), ["words description-changed"]);
    assert_eq!(operations(&found, 0), ["get /1", "put /2"]);
}

#[test]
fn shared_parameters_bodies_responses_and_headers_are_reported_once() {
    let document = |change: &str| {
        let all = "{parameters: [{$ref: \"#/components/parameters/P\"}], requestBody: {$ref: \"#/components/requestBodies/B\"}, \
            responses: {\"200\": {$ref: \"#/components/responses/R\"}}}";
        format!(
            "paths: {{/1: {{get: {all}, put: {all}}}}}\n\
             components: {{parameters: {{P: {{in: query, name: p, schema: {change}}}}}, \
             requestBodies: {{B: {{content: {{a/b: {{schema: {change}}}}}}}}}, \
             responses: {{R: {{headers: {{H: {{$ref: \"#/components/headers/H\"}}}}}}}}, \
             headers: {{H: {{schema: {change}}}}}}}"
        )
    };
    let found = between(&document("{}"), &document("{type: string}"));
    assert_eq!(
        ids(&found),
        ["breaking request-type-narrowed", "breaking request-type-narrowed", "fine response-type-narrowed"]
    );
    for at in 0..3 {
        assert_eq!(operations(&found, at), ["get /1", "put /1"]);
    }
}

#[test]
fn a_change_for_all_operations_is_reported_once() {
    let found = between(
        "security: [{a: []}]\nservers: [{url: x}]\npaths: {/a: {get: {}, put: {}}, /b: {get: {security: []}}}",
        "security: [{b: []}]\nservers: [{url: y}]\npaths: {/a: {get: {}, put: {}}, /b: {get: {security: []}}}",
    );
    assert_eq!(
        lines(&found),
        [
            "breaking request-security-added: security \"a\" is no longer enough",
            "risky server-removed: server \"x\" was removed",
            "fine request-security-removed: security \"b\" is enough",
            "fine server-added: server \"y\" was added",
        ]
    );
    assert_eq!(operations(&found, 0), ["get /a", "put /a"]);
    assert_eq!(operations(&found, 1), ["get /a", "put /a", "get /b"]);
}

#[test]
fn a_parameter_of_a_path_is_reported_once_with_its_operations() {
    let found = between(
        "paths: {/a: {get: {}, put: {}}}",
        "paths: {/a: {parameters: [{in: query, name: q, required: true}], get: {}, put: {}}}",
    );
    assert_eq!(
        lines(&found),
        ["breaking request-required-parameter-added: query parameter \"q\" was added and is required"]
    );
    assert_eq!(operations(&found, 0), ["get /a", "put /a"]);
}

#[rstest]
#[case::a_renamed_component(&get("/1", A), "A: {type: string}", &get("/1", B), "B: {type: string}")]
#[case::one_that_refers_to_itself(&get("/1", A), "A: {items: {$ref: \"#/components/schemas/A\"}}", &get("/1", B), "B: {items: {$ref: \"#/components/schemas/B\"}}")]
#[case::a_reference_to_a_reference(&get("/1", A), "A: {type: string}, B: {}", &get("/1", "{$ref: \"#/components/schemas/C\"}"), "A: {type: string}, B: {}, C: {$ref: \"#/components/schemas/A\"}")]
#[case::in_a_condition(&get("/1", "{not: {$ref: \"#/components/schemas/A\"}}"), "A: {type: string}, B: {type: string}", &get("/1", "{not: {$ref: \"#/components/schemas/B\"}}"), "A: {type: string}, B: {type: string}")]
#[case::an_escaped_reference(&get("/1", A), "A: {type: string}", &get("/1", "{$ref: \"#/components/schemas/%41\"}"), "A: {type: string}")]
#[case::a_missing_target(&get("/1", A), "B: {}", &get("/1", "{$ref: \"#/components/schemas/C\"}"), "B: {}")]
fn other_names_in_references_are_no_change(
    #[case] old_paths: &str,
    #[case] old: &str,
    #[case] new_paths: &str,
    #[case] new: &str,
) {
    let is_alias = new.contains("C: {$ref");
    let expected: &[&str] = if is_alias { &["fine schema-added: schema \"C\" was added"] } else { &[] };
    assert_eq!(lines(&between(&document(old_paths, old), &document(new_paths, new))), expected);
}

#[test]
fn recursion_ends_and_its_changes_are_reported_once() {
    let schemas = |limit: &str| {
        format!("A: {{properties: {{b: {B}, a: {A}, n: {{maximum: {limit}}}}}}}, B: {{type: array, items: {A}}}")
    };
    let found = between(&document(&get("/1", B), &schemas("1")), &document(&get("/1", B), &schemas("2")));
    assert_eq!(ids(&found), ["risky response-bound-widened"]);
}

#[test]
fn cycles_of_different_lengths_end() {
    let cycle = |length: usize, last: &str| {
        let schemas: Vec<String> = (0..length)
            .map(|at| {
                format!(
                    "S{at}: {{properties: {{next: {{$ref: \"#/components/schemas/S{}\"}}, v: {{type: {last}}}}}}}",
                    (at + 1) % length
                )
            })
            .collect();
        document(&get("/1", "{$ref: \"#/components/schemas/S0\"}"), &schemas.join(", "))
    };
    let found = between(&cycle(3, "string"), &cycle(5, "string"));
    assert_eq!(ids(&found), ["fine schema-added", "fine schema-added"]);
    let found = between(&cycle(3, "string"), &cycle(5, "integer"));
    // Each schema of the new document once, whatever schemas of the old one are its partners.
    assert_eq!(found.counts.breaking, 5);
}

#[test]
fn schemas_that_no_operation_uses_break_no_caller() {
    let found = between(
        &document("", "A: {type: string, description: a}, B: {}, D: {$ref: \"#/components/schemas/A\"}"),
        &document("", "A: {type: integer, description: b}, C: {}, D: {$ref: \"#/components/schemas/A\"}"),
    );
    assert_eq!(
        lines(&found),
        [
            "fine unused-type-changed: schema \"A\" has type integer instead of string",
            "fine schema-added: schema \"C\" was added",
            "fine schema-removed: schema \"B\" was removed",
            "words description-changed: schema \"A\" has another description",
        ]
    );
    assert!(found.changes.iter().all(|change| change.operations.is_empty()));
}

#[test]
fn a_schema_behind_a_mapping_is_compared() {
    let schemas = |kind: &str| {
        format!(
            "A: {{type: object, discriminator: {{propertyName: k, mapping: {{b: B}}}}}}, B: {{properties: {{x: {{type: {kind}}}}}}}"
        )
    };
    let found = between(&document(&get("/1", A), &schemas("string")), &document(&get("/1", A), &schemas("integer")));
    assert_eq!(ids(&found), ["breaking response-type-changed"]);
    assert_eq!(operations(&found, 0), ["get /1"]);
}

#[test]
fn a_base_is_reported_once_and_not_for_each_schema_with_it() {
    let paths = [get("/1", A), get("/2", B)].join(", ");
    let schemas = |kind: &str| {
        let base = "{$ref: \"#/components/schemas/Base\"}";
        format!(
            "Base: {{type: object, properties: {{x: {{type: {kind}}}}}}}, A: {{allOf: [{base}, {{properties: {{y: {{}}}}}}]}}, B: {{$ref: \"#/components/schemas/Base\", title: B}}"
        )
    };
    let found = between(&document(&paths, &schemas("string")), &document(&paths, &schemas("integer")));
    assert_eq!(
        lines(&found),
        [
            "breaking response-type-changed: field \"x\" of schema \"Base\" has type integer instead of string in responses"
        ]
    );
    assert_eq!(operations(&found, 0), ["get /1", "get /2"]);
}

#[test]
fn references_within_an_id_are_compared() {
    let schemas = |kind: &str| {
        format!(
            "A: {{$id: \"https://a/a.json\", properties: {{x: {{$ref: \"#/$defs/X\"}}}}, $defs: {{X: {{type: {kind}}}}}}}"
        )
    };
    let old = document(&get("/1", A), &schemas("string"));
    assert_eq!(lines(&between(&old, &old)), [""; 0]);
}
