use crate::dialect::Version;
use crate::finding::{Finding, Findings};
use crate::text::read;
use crate::tree::Node;
use jsonschema::json::SerdeJson;
use proptest::prelude::*;
use rstest::rstest;
use serde_json::{Value, json};
use std::sync::LazyLock;

#[rstest]
fn the_schema_of_each_version_compiles(
    #[values(Version::V2_0, Version::V3_0, Version::V3_1, Version::V3_2)] version: Version,
) {
    assert!(super::schemas(version).is_some());
}

fn check(root: &Node, version: Version) -> Vec<Finding> {
    let mut findings = Findings::default();
    super::check(root, version, &crate::deadline::Deadline::never(), &mut findings);
    findings.into_sorted()
}

fn structure(text: &str) -> Vec<String> {
    let root = read(text.as_bytes()).root.expect("this is no text to read");
    let version = Version::of(&root).expect("this has a version");
    check(&root, version).iter().map(ToString::to_string).collect()
}

#[rstest]
#[case::two("swagger: '2.0'\ninfo: {title: a, version: '1'}\npaths: {}")]
#[case::three("openapi: 3.0.3\ninfo: {title: a, version: '1'}\npaths: {}")]
#[case::three_one(
    "openapi: 3.1.0\ninfo: {title: a, version: '1'}\ncomponents: {schemas: {A: {type: [string, 'null'], examples: [a]}, B: true}}"
)]
#[case::three_two(
    "openapi: 3.2.0\ninfo: {title: a, version: '1'}\npaths: {/a: {query: {responses: {'200': {description: b}}}}}"
)]
#[case::another_dialect(
    "openapi: 3.1.0\njsonSchemaDialect: http://json-schema.org/draft-04/schema#\ninfo: {title: a, version: '1'}\ncomponents: {schemas: {A: {type: integer, minimum: 1, exclusiveMinimum: true}}}"
)]
fn a_valid_document_has_no_finding(#[case] text: &str) {
    assert_eq!(structure(text), [""; 0]);
}

#[rstest]
#[case::a_field_that_is_missing("get: {}", "5:8 paths./pets.get: \"responses\" is missing")]
#[case::a_misspelt_field(
    "get: {summry: a, responses: {default: {description: b}}}",
    "5:9 paths./pets.get: \"summry\" is no field of an operation: did you mean \"summary\"?"
)]
#[case::a_number_where_a_text_belongs(
    "summary: 1",
    "5:12 paths./pets.summary: this must be a text, not a number: put it in quotation marks"
)]
#[case::no_status_code(
    "get: {responses: {'20': {description: b}}}",
    "5:21 paths./pets.get.responses: \"20\" is no status code: it must be \"default\", a number like 200, or a range like 4XX"
)]
#[case::an_unknown_place_of_a_parameter(
    "parameters: [{name: a, in: qurey, schema: {}}]",
    "5:30 paths./pets.parameters[0].in: \"qurey\" is not allowed here: did you mean \"query\"?"
)]
#[case::a_reference_that_is_no_text(
    "parameters: [{$ref: 1}]",
    "5:23 paths./pets.parameters[0].$ref: this must be a text, not a number: put it in quotation marks"
)]
#[case::a_type_that_was_misspelt(
    "parameters: [{name: a, in: query, schema: {type: strng}}]",
    "5:52 paths./pets.parameters[0].schema.type: \"strng\" is not allowed here: did you mean \"string\"?"
)]
#[case::the_type_null(
    "parameters: [{name: a, in: query, schema: {anyOf: [{type: string}, {type: 'null'}]}}]",
    "5:77 paths./pets.parameters[0].schema.anyOf[1].type: \"null\" is no type in OpenAPI 3.0: say nullable: true, or openapi: 3.1.0"
)]
#[case::a_list_of_types(
    "parameters: [{name: a, in: query, schema: {type: [string, 'null']}}]",
    "5:52 paths./pets.parameters[0].schema.type: a list of types is not allowed in OpenAPI 3.0: say one type and nullable: true, or openapi: 3.1.0"
)]
#[case::fields_that_exclude_each_other(
    "parameters: [{name: a, in: query, schema: {}, example: 1, examples: {}}]",
    "5:16 paths./pets.parameters[0]: \"example\" and \"examples\" exclude each other"
)]
#[case::a_path_parameter_that_is_not_required(
    "parameters: [{name: a, in: path, schema: {}}]",
    "5:16 paths./pets.parameters[0]: a path parameter needs \"required: true\""
)]
#[case::a_schema_that_is_a_list(
    "parameters: [{name: a, in: query, schema: {properties: {b: [c]}}}]",
    "5:62 paths./pets.parameters[0].schema.properties.b: this must be a mapping, not a list"
)]
#[case::a_newer_keyword(
    "parameters: [{name: a, in: query, schema: {const: 1}}]",
    "5:46 paths./pets.parameters[0].schema: \"const\" is no field of a schema in OpenAPI 3.0: it is one since 3.1"
)]
#[case::a_security_scheme_that_lacks_a_field(
    "summary: a\ncomponents: {securitySchemes: {A: {type: http}}}",
    "6:35 components.securitySchemes.A: \"scheme\" is missing"
)]
#[case::a_mapping_is_shown_at_its_key("get:\n   summary: a", "5:3 paths./pets.get: \"responses\" is missing")]
fn faults_of_3_0_are_reported(#[case] path: &str, #[case] expected: &str) {
    let text = format!("openapi: 3.0.3\ninfo: {{title: a, version: '1'}}\npaths:\n /pets:\n  {path}\n");
    assert_eq!(structure(&text).join("|"), expected);
}

#[rstest]
#[case::a_parameter_without_a_type(
    "get: {parameters: [{name: a, in: query}], responses: {default: {description: b}}}",
    "5:22 paths./pets.get.parameters[0]: \"type\" is missing"
)]
#[case::a_field_of_3_0(
    "get: {requestBody: {}, responses: {default: {description: b}}}",
    "5:9 paths./pets.get: \"requestBody\" is no field of an operation"
)]
#[case::a_body_without_a_schema(
    "get: {parameters: [{name: a, in: body}], responses: {default: {description: b}}}",
    "5:22 paths./pets.get.parameters[0]: \"schema\" is missing"
)]
fn faults_of_2_0_are_reported(#[case] path: &str, #[case] expected: &str) {
    let text = format!("swagger: '2.0'\ninfo: {{title: a, version: '1'}}\npaths:\n /pets:\n  {path}\n");
    assert_eq!(structure(&text).join("|"), expected);
}

#[rstest]
#[case::a_misspelt_field(
    "get: {summry: a}",
    "5:9 paths./pets.get: \"summry\" is no field of an operation: did you mean \"summary\"?"
)]
#[case::examples_that_are_no_list(
    "get: {parameters: [{name: a, in: query, schema: {examples: {}}}]}",
    "5:62 paths./pets.get.parameters[0].schema.examples: this must be a list, not a mapping"
)]
#[case::an_unknown_type(
    "get: {parameters: [{name: a, in: query, schema: {type: strng}}]}",
    "5:58 paths./pets.get.parameters[0].schema.type: \"strng\" is not allowed here: did you mean \"string\"?"
)]
#[case::an_unknown_place_of_a_parameter(
    "get: {parameters: [{name: a, in: qurey, schema: {}}]}",
    "5:36 paths./pets.get.parameters[0].in: \"qurey\" is not allowed here: did you mean \"query\"?"
)]
#[case::a_name_of_a_component(
    "get: {}\ncomponents: {schemas: {a b: {}}}",
    "6:24 components.schemas: \"a b\" cannot name a component: use letters, digits, \".\", \"-\" and \"_\""
)]
#[case::an_unknown_field_of_components(
    "get: {}\ncomponents: {schema: {}}",
    "6:14 components: \"schema\" is no field of the components: did you mean \"schemas\"?"
)]
#[case::a_path_without_slash("get: {}\n pets: {}", "6:2 paths: the path \"pets\" must begin with \"/\"")]
#[case::an_exclusive_minimum_of_3_0(
    "get: {parameters: [{name: a, in: query, schema: {exclusiveMinimum: true}}]}",
    "5:70 paths./pets.get.parameters[0].schema.exclusiveMinimum: this must be a number since OpenAPI 3.1: write the bound itself here"
)]
#[case::a_parameter_without_a_schema(
    "get: {parameters: [{name: a, in: query}]}",
    "5:22 paths./pets.get.parameters[0]: \"schema\" is missing"
)]
fn faults_of_3_1_are_reported(#[case] path: &str, #[case] expected: &str) {
    let text = format!("openapi: 3.1.0\ninfo: {{title: a, version: '1'}}\npaths:\n /pets:\n  {path}\n");
    assert_eq!(structure(&text).join("|"), expected);
}

/// Documents with most of what a version has.
static SAMPLES: LazyLock<Vec<(Version, super::Schemas<SerdeJson>, Value)>> = LazyLock::new(|| {
    let schema = json!({"type": "object", "required": ["a"], "properties": {"a": {"type": "array", "items": {"type": "string"}}}});
    let ok = json!({"200": {"description": "b", "headers": {"X-A": {"schema": schema}}, "content": {"a/b": {"schema": schema}}}});
    let operation = json!({
        "operationId": "c", "tags": ["d"], "parameters": [{"name": "e", "in": "query", "schema": schema}, {"$ref": "#/f"}],
        "requestBody": {"content": {"a/b": {"schema": {"oneOf": [schema, {"$ref": "#/g"}]}, "example": 1}}}, "responses": ok,
        "callbacks": {"h": {"{$url}": {"post": {"responses": ok}}}}, "security": [{"i": []}],
    });
    let info = json!({"title": "j", "version": "1", "license": {"name": "k", "url": "http://a.example"}});
    let three = |version: &str| {
        json!({
            "openapi": version, "info": info, "servers": [{"url": "/l", "variables": {"m": {"default": "n", "enum": ["n"]}}}],
            "paths": {"/o": {"get": operation, "parameters": []}}, "tags": [{"name": "d"}],
            "components": {"schemas": {"P": schema}, "securitySchemes": {"i": {"type": "http", "scheme": "basic"}}},
        })
    };
    let two = json!({
        "swagger": "2.0", "info": info, "definitions": {"P": schema},
        "paths": {"/o": {"get": {
            "parameters": [{"name": "e", "in": "query", "type": "string"}, {"name": "q", "in": "body", "schema": schema}],
            "responses": {"200": {"description": "b", "schema": {"$ref": "#/g"}}},
        }}},
        "securityDefinitions": {"i": {"type": "apiKey", "name": "r", "in": "header"}},
    });
    let samples = [
        (Version::V2_0, two),
        (Version::V3_0, three("3.0.3")),
        (Version::V3_1, three("3.1.0")),
        (Version::V3_2, three("3.2.0")),
    ];
    samples.map(|(version, sample)| (version, super::compile(version).expect("a schema compiles"), sample)).into()
});

/// Changes one value, somewhere.
fn mutate(value: &mut Value, picks: &[usize], other: &Value) {
    let Some((pick, rest)) = picks.split_first() else {
        *value = other.clone();
        return;
    };
    match value {
        Value::Object(members) if !members.is_empty() => {
            let key = members.keys().nth(pick % members.len()).cloned().unwrap_or_default();
            match (pick / members.len()) % 8 {
                0 => drop(members.remove(&key)),
                1 => {
                    let moved = members.remove(&key).unwrap_or_default();
                    members.insert(format!("{key}x"), moved);
                }
                _ => mutate(&mut members[&key], rest, other),
            }
        }
        Value::Array(items) if !items.is_empty() => {
            let index = pick % items.len();
            mutate(&mut items[index], rest, other);
        }
        value => *value = other.clone(),
    }
}

fn any_value() -> impl Strategy<Value = Value> {
    let values = [
        json!(null),
        json!(true),
        json!(1),
        json!(-1.5),
        json!("a"),
        json!("path"),
        json!("string"),
        json!([]),
        json!({}),
        json!([1]),
        json!(["a", "a"]),
        json!({"$ref": "#/a"}),
        json!({"a": 1}),
        json!({"type": "string"}),
    ];
    prop::sample::select(values.to_vec())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn there_is_a_finding_exactly_if_the_official_schema_rejects(
        index in 0..4_usize, picks in prop::collection::vec(0..1000_usize, 0..9), other in any_value(),
    ) {
        let (version, schemas, sample) = &SAMPLES[index];
        prop_assert!(schemas.complete.is_valid(sample));
        let mut changed = sample.clone();
        mutate(&mut changed, &picks, &other);
        let root = read(serde_json::to_string_pretty(&changed).unwrap().as_bytes()).root;
        let Some(root) = root.filter(|root| root.as_map().is_some()) else { return Ok(()) };
        let findings = check(&root, *version);
        prop_assert_eq!(findings.is_empty(), schemas.complete.is_valid(&changed), "{:#} {:?}", changed, findings);
        prop_assert!(findings.iter().all(|finding| finding.at.line > 0 && root.at_pointer(&finding.pointer()).is_some()));
    }
}

/// A fault of an operation, which follows its key: the lines of the operation, and the one with the fault.
const FAULTS: [(&[&str], usize); 8] = [
    (&["operationid: a", "responses: {default: {description: b}}"], 0),
    (&["summary: [a]", "responses: {default: {description: b}}"], 0),
    (&["responses:", "  default:", "    descripton: b"], 2),
    (&["responses:", "  default: {description: b}", "  '99':", "    description: c"], 2),
    (&["parameters:", "- name: a", "  in: cookies", "  schema: {}", "responses: {default: {description: b}}"], 2),
    (&["deprecated: 'no'", "responses: {default: {description: b}}"], 0),
    (&["tags:", "- a", "- 1", "responses: {default: {description: b}}"], 2),
    (
        &[
            "requestBody:",
            "  content:",
            "    a/b:",
            "      schema: {type: texts}",
            "responses: {default: {description: b}}",
        ],
        3,
    ),
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn a_finding_names_the_line_of_its_fault(
        before in 0..40_usize, behind in 0..40_usize, fault in 0..FAULTS.len(), minor in 0..3_usize, blank in 0..4_usize,
    ) {
        let mut lines = vec![format!("openapi: 3.{minor}.0"), "info: {title: a, version: '1'}".to_owned()];
        lines.extend(vec![String::new(); blank]);
        lines.push("paths:".to_owned());
        let path = |at: usize| vec![format!("  /{at}:"), "    get:".to_owned()];
        let good = |at: usize| [path(at), vec!["      responses: {default: {description: b}}".to_owned()]].concat();
        lines.extend((0..before).flat_map(good));
        lines.extend(path(before));
        let (operation, at) = FAULTS[fault];
        let expected = lines.len() + at + 1;
        lines.extend(operation.iter().map(|line| format!("      {line}")));
        lines.extend((before + 1..=before + behind).flat_map(good));
        let root = read(lines.join("\n").as_bytes()).root.expect("this is YAML");
        let findings = check(&root, Version::of(&root).expect("it has a version"));
        let named: Vec<u32> = findings.iter().map(|finding| finding.at.line).collect();
        prop_assert!(named.contains(&(expected as u32)), "line {} of\n{}\n{:?}", expected, lines.join("\n"), findings);
    }
}

#[test]
fn a_document_with_very_many_faults_is_reported_in_part() {
    let parameters = "{},".repeat(200_000);
    let text = format!(
        "{{\"swagger\": \"2.0\", \"info\": {{\"title\": \"a\", \"version\": \"1\"}}, \"paths\": {{\"/a\": {{\"parameters\": [{parameters}{{}}]}}}}}}"
    );
    let root = read(text.as_bytes()).root.expect("this is JSON");
    let findings = check(&root, Version::V2_0);
    assert!((100..5_000).contains(&findings.len()), "{}", findings.len());
    assert!(findings.iter().all(|finding| finding.to_string().contains("parameters")), "{}", findings[0]);
}
