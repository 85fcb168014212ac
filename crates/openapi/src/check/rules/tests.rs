use crate::check::check;
use crate::text::read;
use rstest::rstest;

fn findings(text: &str) -> String {
    let root = read(text.as_bytes()).root.expect("this is no text to read");
    let found: Vec<_> = check(&root).iter().map(|finding| format!("{} {finding}", finding.code.as_str())).collect();
    found.join("|")
}

const OK: &str = "responses: {default: {description: a}}";

/// A document of 3.0 with these paths from line 4 on, and more behind.
fn three(paths: &str, more: &str) -> String {
    let paths = paths.replace("OK", OK).replace('\n', "\n  ");
    format!("openapi: 3.0.3\ninfo: {{title: a, version: '1'}}\npaths:\n  {paths}\n{more}")
}

#[rstest]
#[case::an_id_of_two_operations(
    "/a: {get: {operationId: x, OK}}\n/b: {put: {operationId: x, OK}}",
    "operation-id-twice 5:27 paths./b.put: \"x\" is the id of GET /a, too (4:27)"
)]
#[case::a_name_without_a_parameter(
    "/a/{id}: {get: {OK}}",
    "path-parameter 4:18 paths./a/{id}.get: the path names {id}, but no parameter does"
)]
#[case::a_parameter_without_a_name(
    "/a: {get: {parameters: [{name: id, in: path, required: true, schema: {}}], OK}}",
    "path-parameter 4:13 paths./a.get: the parameter \"id\" is in the path, but the path does not name it"
)]
#[case::paths_that_cannot_be_told_apart(
    "/a/{b}: {}\n/a/{c}: {}",
    "path-ambiguous 5:3 paths./a/{c}: /a/{b} and /a/{c} cannot be told apart"
)]
#[case::a_parameter_that_is_given_twice(
    "/a: {parameters: [{name: B, in: header, schema: {}}, {name: b, in: header, schema: {}}]}",
    "parameter-twice 4:56 paths./a.parameters[1]: the header parameter \"b\" is given twice"
)]
#[case::a_reference_to_nothing(
    "/a: {parameters: [{$ref: '#/components/parameters/b'}]}",
    "ref-missing 4:28 paths./a.parameters[0]: #/components/parameters/b is not there"
)]
fn operations_are_checked(#[case] paths: &str, #[case] expected: &str) {
    assert_eq!(findings(&three(paths, "")), expected);
}

#[test]
fn a_path_with_very_many_names_is_checked_quickly() {
    let names: String = (0..10_000).map(|at| format!("{{{at}}}")).collect();
    let operations: Vec<String> = (0..500).map(|at| format!("\"M{at}\":{{}}")).collect();
    let item = format!("{{\"additionalOperations\":{{{}}}}}", operations.join(","));
    let text = format!("{{\"openapi\":\"3.2.0\",\"paths\":{{\"/{names}\":{item}}}}}");
    let root = read(text.as_bytes()).root.expect("JSON");
    let start = std::time::Instant::now();
    let found = check(&root).iter().filter(|finding| finding.code.as_str() == "path-parameter").count();
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
    assert!(found > 100, "{found}");
}

#[test]
fn a_large_default_is_compared_with_a_long_enumeration_quickly() {
    let default = vec!["0"; 100_000].join(",");
    let choices: Vec<String> = (0..100_000).map(|at| format!("[{at}]")).collect();
    let schema = format!("{{\"default\":[{default}],\"example\":[{default}],\"enum\":[{}]}}", choices.join(","));
    let text = format!("{{\"openapi\":\"3.1.0\",\"components\":{{\"schemas\":{{\"A\":{schema}}}}}}}");
    let root = read(text.as_bytes()).root.expect("JSON");
    let start = std::time::Instant::now();
    let codes: Vec<&str> = check(&root).iter().map(|finding| finding.code.as_str()).collect();
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
    assert!(codes.contains(&"default-unfit") && codes.contains(&"example-unfit"), "{codes:?}");
}

#[rstest]
#[case::a_parameter_of_the_operation(
    "/a/{id}: {get: {parameters: [{name: id, in: path, required: true, schema: {}}], OK}}"
)]
#[case::a_parameter_of_the_path("/a/{id}: {parameters: [{$ref: '#/components/parameters/id'}], get: {OK}}")]
#[case::a_parameter_of_another_file("/a/{id}: {parameters: [{$ref: 'b.yaml'}], get: {OK}}")]
#[case::operations_of_another_file("/a/{id}: {$ref: 'b.yaml'}")]
#[case::a_name_that_takes_more_segments(
    "/a/{id+}: {get: {parameters: [{name: id, in: path, required: true, schema: {}}], OK}}"
)]
#[case::a_query_in_the_path("/a?b={c}: {get: {OK}}")]
#[case::a_callback_before_another_operation(
    "/a/{id}: {parameters: [{$ref: '#/components/parameters/id'}], get: {callbacks: {b: {'{$url}': {get: {OK}}}}, OK}, put: {OK}}"
)]
#[case::the_same_name_in_two_places(
    "/a: {parameters: [{name: b, in: header, schema: {}}, {name: b, in: query, schema: {}}]}"
)]
#[case::a_reference_into_another_operation(
    "/a: {get: {OK}}\n/b: {get: {responses: {'200': {$ref: '#/paths/~1a/get/responses/default'}}}}"
)]
#[case::a_reference_with_escapes("/a{b}: {$ref: '#/paths/~1c%7Bd%7D'}\n/c{d}: {}")]
fn operations_that_are_right_have_no_finding(#[case] paths: &str) {
    let more = "components: {parameters: {id: {name: id, in: path, required: true, schema: {}}}}";
    assert_eq!(findings(&three(paths, more)), "");
}

#[rstest]
#[case::a_reference_to_a_misspelt_schema(
    "Pet: {}\nA: {$ref: '#/components/schemas/Pot'}",
    "ref-missing 8:13 components.schemas.A: #/components/schemas/Pot is not there: did you mean \"Pet\"?"
)]
#[case::a_reference_of_2_0(
    "Pet: {}\nA: {$ref: '#/definitions/Pet'}",
    "ref-missing 8:13 components.schemas.A: #/definitions/Pet is not there: did you mean #/components/schemas/Pet?"
)]
#[case::a_reference_to_itself(
    "A: {$ref: '#/components/schemas/A'}",
    "ref-circular 7:13 components.schemas.A: this reference leads back to itself"
)]
#[case::a_circle_of_two(
    "A: {$ref: '#/components/schemas/B'}\nB: {$ref: '#/components/schemas/A'}\nC: {$ref: '#/components/schemas/A'}",
    "ref-circular 7:13 components.schemas.A: this reference leads back to itself|ref-circular 8:13 components.schemas.B: this reference leads back to itself"
)]
#[case::a_mapping_to_nothing(
    "A: {discriminator: {propertyName: a, mapping: {b: B, c: '#/components/schemas/C'}}, oneOf: [{type: object}]}",
    "discriminator 7:53 components.schemas.A.discriminator.mapping.b: B is not there|discriminator 7:59 components.schemas.A.discriminator.mapping.c: #/components/schemas/C is not there"
)]
#[case::fields_beside_a_reference(
    "A: {}\nB: {$ref: '#/components/schemas/A', description: b, nullable: true, x-c: 1}",
    "ref-siblings 8:55 components.schemas.B: \"nullable\" is ignored, as it is beside $ref"
)]
#[case::a_default_of_another_type(
    "A: {type: integer, default: '1'}",
    "default-unfit 7:31 components.schemas.A.default: the default \"1\" is not a whole number"
)]
#[case::a_default_that_is_no_choice(
    "A: {enum: [a, b], default: c}",
    "default-unfit 7:30 components.schemas.A.default: the default \"c\" is not in the enumeration"
)]
#[case::values_that_are_there_twice(
    "A: {enum: [a, b, a, b]}",
    "enum-twice 7:20 components.schemas.A.enum[2]: \"a\" and 1 more are in the enumeration twice"
)]
#[case::a_required_property_that_is_misspelt(
    "A: {required: [nmae], properties: {name: {}}}",
    "required-unknown 7:18 components.schemas.A.required[0]: \"nmae\" is required, but no property: did you mean \"name\"?"
)]
#[case::an_example_of_another_type(
    "A: {type: object, properties: {a: {type: array, items: {$ref: '#/components/schemas/B'}}}, example: {a: [1, x]}}\nB: {type: integer}",
    "example-unfit 7:103 components.schemas.A.example: the example is not what the schema says: /a/1 must be a whole number"
)]
fn schemas_are_checked(#[case] schemas: &str, #[case] expected: &str) {
    let more = format!("components:\n schemas:\n  {}", schemas.replace('\n', "\n  "));
    assert_eq!(findings(&three("{}", &more)), expected);
}

#[rstest]
#[case::recursion_through_a_field("A: {properties: {a: {$ref: '#/components/schemas/A'}}}")]
#[case::a_property_that_is_called_ref("A: {properties: {$ref: {type: string}}}")]
#[case::a_reference_in_an_example(
    "A: {example: {$ref: '#/nowhere'}, default: {$ref: '#/nowhere'}, enum: [{$ref: '#/nowhere'}]}"
)]
#[case::a_reference_in_an_extension("A: {x-a: {$ref: '#/nowhere'}}")]
#[case::a_mapping_by_name("A: {discriminator: {propertyName: a, mapping: {b: B}}}\nB: {}")]
#[case::a_mapping_to_a_file("A: {discriminator: {propertyName: a, mapping: {b: b.json}}}")]
#[case::a_pointer_that_goes_on_behind_a_reference(
    "A: {$ref: '#/components/schemas/B/properties/b/properties/c'}\nB: {properties: {b: {$ref: '#/components/schemas/C'}}}\nC: {properties: {c: {}}}"
)]
#[case::a_default_with_a_fraction_of_zero(
    "A: {type: integer, default: 1.0}\nB: {type: number, default: 1, enum: [1.0]}"
)]
#[case::a_default_that_is_null("A: {type: string, nullable: true, default: null}")]
#[case::a_required_property_of_another_schema(
    "A: {required: [b], properties: {a: {}}}\nB: {allOf: [{$ref: '#/components/schemas/A'}, {properties: {b: {}}}]}"
)]
#[case::a_required_property_of_a_branch("A: {properties: {b: {}}, anyOf: [{required: [b], properties: {c: {}}}]}")]
#[case::a_required_property_beside_others("A: {required: [b], properties: {a: {}}, additionalProperties: {}}")]
fn schemas_that_are_right_have_no_finding(#[case] schemas: &str) {
    let more = format!("components:\n schemas:\n  {}", schemas.replace('\n', "\n  "));
    assert_eq!(findings(&three("{}", &more)), "");
}

#[rstest]
#[case::an_unknown_tag(
    "tags: [{name: pets}]",
    "unknown-tag 4:21 paths./a.get.tags[0]: \"pet\" is no tag of the document: did you mean \"pets\"?"
)]
#[case::a_security_scheme_that_is_misspelt(
    "security: [{tokn: []}]\ncomponents: {securitySchemes: {token: {type: http, scheme: basic}}}",
    "security-unknown 6:13 security[0]: \"tokn\" is no security scheme: did you mean \"token\"?"
)]
#[case::an_address_without_a_scheme(
    "servers: [{url: api.example.com/v1}]",
    "server-url 6:17 servers[0].url: \"api.example.com/v1\" is relative: is https:// missing before it?"
)]
#[case::a_variable_that_is_not_there(
    "servers: [{url: 'https://{host}/', variables: {}}]",
    "server-url 6:17 servers[0].url: the address names {host}, but no variable does"
)]
#[case::a_relative_address("servers: [{url: /v1}, {url: ../v2}, {url: 'https://a.example/b'}, {url: v1.0/x}]", "")]
fn the_document_is_checked(#[case] more: &str, #[case] expected: &str) {
    assert_eq!(findings(&three("/a: {get: {tags: [pet], OK}}\n/b: {get: {tags: [pet], OK}}", more)), expected);
}

#[rstest]
#[case::an_anchor(
    "A: {$anchor: a}\nB: {$ref: '#a'}\nC: {$ref: '#b'}",
    "ref-missing 7:13 components.schemas.C: #b is not there"
)]
#[case::an_id(
    "A: {$id: 'http://a.example/a', $defs: {b: {}}, items: {$ref: '#/$defs/b'}}\nB: {$ref: 'http://a.example/a'}",
    ""
)]
#[case::fields_beside_a_reference("A: {}\nB: {$ref: '#/components/schemas/A', deprecated: true}", "")]
#[case::a_list_of_types(
    "A: {type: [integer, 'null'], default: null}\nB: {type: [integer, 'null'], default: a}",
    "default-unfit 6:41 components.schemas.B.default: the default \"a\" is not a whole number or null"
)]
#[case::a_boolean_schema("A: true\nB: {$ref: '#/components/schemas/A'}", "")]
fn schemas_of_3_1_are_checked(#[case] schemas: &str, #[case] expected: &str) {
    let schemas = schemas.replace('\n', "\n  ");
    let text = format!("openapi: 3.1.0\ninfo: {{title: a, version: '1'}}\ncomponents:\n schemas:\n  {schemas}");
    assert_eq!(findings(&text), expected);
}

#[rstest]
#[case::parameters(
    "definitions: {}\nparameters: {a: {name: a, in: query, type: integer, default: x}}",
    "default-unfit 5:62 parameters.a.default: the default \"x\" is not a whole number"
)]
#[case::a_reference_of_3_0(
    "definitions: {A: {}, B: {$ref: '#/components/schemas/A'}}",
    "ref-missing 4:32 definitions.B: #/components/schemas/A is not there: did you mean #/definitions/A?"
)]
#[case::security("security: [{a: []}]", "security-unknown 4:13 security[0]: \"a\" is no security scheme")]
fn documents_of_2_0_are_checked(#[case] more: &str, #[case] expected: &str) {
    assert_eq!(findings(&format!("swagger: '2.0'\ninfo: {{title: a, version: '1'}}\npaths: {{}}\n{more}")), expected);
}

#[rstest]
#[case::no_version(
    "a: 1",
    "not-openapi 1:1: there is no \"openapi\" or \"swagger\" with a version: is this an OpenAPI document?"
)]
#[case::a_list(
    "[1]",
    "not-openapi 1:1: there is no \"openapi\" or \"swagger\" with a version: is this an OpenAPI document?"
)]
#[case::a_text_that_is_no_version(
    "openapi: a secret",
    "not-openapi 1:1: there is no \"openapi\" or \"swagger\" with a version: is this an OpenAPI document?"
)]
#[case::a_version_of_the_future(
    "openapi: 4.0.0",
    "version-unknown 1:10 openapi: OpenAPI 4.0.0 is not supported: 2.0 and 3.0 to 3.2 are"
)]
#[case::a_version_of_the_past(
    "swagger: '1.2'",
    "version-unknown 1:10 swagger: Swagger 1.2 is not supported: 2.0 and 3.0 to 3.2 are"
)]
fn a_document_without_a_known_version_has_one_finding(#[case] text: &str, #[case] expected: &str) {
    assert_eq!(findings(text), expected);
}
