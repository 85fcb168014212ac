//! 2.0 → 3.1.
use super::{tree, upgraded};
use crate::deadline::Deadline;
use crate::upgrade::swagger;
use rstest::rstest;
use serde_json::{Value, json};

fn at(rest: &str, pointer: &str) -> Value {
    upgraded(&format!(r#"{{"swagger":"2.0",{rest}}}"#), None, pointer)
}

/// What is at a pointer below `POST /a`.
fn operation(root: &str, operation: &str, pointer: &str) -> Value {
    at(&format!(r#"{root}"paths":{{"/a":{{"post":{operation}}}}}"#), &format!("/paths/~1a/post{pointer}"))
}

#[rstest]
#[case::of_host_base_path_and_schemes(
    r#""host":"h:1","basePath":"/v1/","schemes":["https","http"]"#, None, json!([{"url": "https://h:1/v1"}, {"url": "http://h:1/v1"}])
)]
#[case::of_a_host_alone(r#""host":"h""#, None, json!([{"url": "https://h"}]))]
#[case::with_the_scheme_of_the_source(r#""host":"h""#, Some("http://s/api.json"), json!([{"url": "http://h"}]))]
#[case::of_the_source(r#""basePath":"v1""#, Some("http://s:8080/api.json"), json!([{"url": "http://s:8080/v1"}]))]
#[case::of_the_source_alone(r#""paths":{}"#, Some("https://s/api.json"), json!([{"url": "https://s"}]))]
#[case::of_a_base_path_alone(r#""basePath":"/v1""#, None, json!([{"url": "/v1"}]))]
#[case::of_the_root_alone(r#""basePath":"/""#, None, json!([{"url": "/"}]))]
#[case::not_there_if_nothing_is_known(r#""schemes":["https"]"#, None, Value::Null)]
#[case::each_once(r#""host":"h","schemes":["http","http",3]"#, None, json!([{"url": "http://h"}]))]
fn servers_are(#[case] fields: &str, #[case] source: Option<&str>, #[case] servers: Value) {
    assert_eq!(upgraded(&format!(r#"{{"swagger":"2.0",{fields}}}"#), source, "/servers"), servers);
}

#[test]
fn the_schemes_of_an_operation_become_its_servers() {
    assert_eq!(operation(r#""host":"h","#, r#"{"schemes":["wss"]}"#, "/servers"), json!([{"url": "wss://h"}]));
}

#[rstest]
#[case::keywords_move_into_a_schema(
    r#"{"name":"q","in":"query","required":true,"type":"integer","minimum":1,"x-nullable":true,"x-a":1}"#,
    json!({"name": "q", "in": "query", "required": true, "schema": {"type": ["integer", "null"], "minimum": 1}, "x-a": 1})
)]
#[case::lists_in_the_query_have_commas_by_default(
    r#"{"name":"q","in":"query","type":"array","items":{"type":"string"}}"#,
    json!({"name": "q", "in": "query", "schema": {"type": "array", "items": {"type": "string"}}, "style": "form", "explode": false})
)]
#[case::lists_can_be_given_many_times(
    r#"{"name":"q","in":"query","type":"array","collectionFormat":"multi"}"#,
    json!({"name": "q", "in": "query", "schema": {"type": "array"}, "style": "form", "explode": true})
)]
#[case::lists_can_have_pipes(
    r#"{"name":"q","in":"query","type":"array","collectionFormat":"pipes"}"#,
    json!({"name": "q", "in": "query", "schema": {"type": "array"}, "style": "pipeDelimited", "explode": false})
)]
#[case::lists_can_have_spaces(
    r#"{"name":"q","in":"query","type":"array","collectionFormat":"ssv"}"#,
    json!({"name": "q", "in": "query", "schema": {"type": "array"}, "style": "spaceDelimited", "explode": false})
)]
#[case::tabs_are_kept_as_an_extension(
    r#"{"name":"q","in":"query","type":"array","collectionFormat":"tsv"}"#,
    json!({"name": "q", "in": "query", "schema": {"type": "array"}, "x-collectionFormat": "tsv"})
)]
#[case::lists_in_headers_have_commas_in_3_0_too(
    r#"{"name":"q","in":"header","type":"array","collectionFormat":"csv"}"#,
    json!({"name": "q", "in": "header", "schema": {"type": "array"}})
)]
#[case::a_reference_follows(r##"{"$ref":"#/parameters/p"}"##, json!({"$ref": "#/components/parameters/p"}))]
#[case::what_is_no_mapping_stays("3", json!(3))]
fn a_parameter_becomes(#[case] parameter: &str, #[case] after: Value) {
    let shared = r#""parameters":{"p":{"name":"p","in":"query","type":"string"}},"#;
    assert_eq!(operation(shared, &format!(r#"{{"parameters":[{parameter}]}}"#), "/parameters/0"), after);
}

#[rstest]
#[case::of_a_parameter_with_a_schema(
    "", r#"{"consumes":["a/b"],"parameters":[{"name":"b","in":"body","description":"d","required":true,"schema":{"type":"file"},"x-a":1}]}"#,
    json!({"description": "d", "required": true, "x-a": 1, "content": {"a/b": {"schema": {"type": "string", "contentMediaType": "application/octet-stream"}}}})
)]
#[case::for_each_media_type_of_the_document(
    r#""consumes":["a/b","c/d"],"#, r#"{"parameters":[{"in":"body","schema":{}}]}"#,
    json!({"content": {"a/b": {"schema": {}}, "c/d": {"schema": {}}}})
)]
#[case::of_json_by_default("", r#"{"parameters":[{"in":"body","schema":{}}]}"#, json!({"content": {"application/json": {"schema": {}}}}))]
#[case::of_a_form(
    "", r#"{"parameters":[{"name":"n","in":"formData","type":"integer","description":"d","required":true},{"name":"m","in":"formData","type":"string"}]}"#,
    json!({"required": true, "content": {"application/x-www-form-urlencoded": {"schema": {
        "type": "object", "required": ["n"], "properties": {"n": {"type": "integer", "description": "d"}, "m": {"type": "string"}}}}}})
)]
#[case::of_a_form_with_a_file(
    r#""consumes":["application/json"],"#, r#"{"parameters":[{"name":"f","in":"formData","type":"file"}]}"#,
    json!({"content": {"multipart/form-data": {"schema": {"type": "object", "properties": {
        "f": {"type": "string", "contentMediaType": "application/octet-stream"}}}}}})
)]
#[case::of_a_form_with_a_list(
    r#""consumes":["multipart/form-data"],"#, r#"{"parameters":[{"name":"l","in":"formData","type":"array","items":{"type":"string"}}]}"#,
    json!({"content": {"multipart/form-data": {
        "schema": {"type": "object", "properties": {"l": {"type": "array", "items": {"type": "string"}}}},
        "encoding": {"l": {"style": "form", "explode": false}}}}})
)]
#[case::that_is_shared(
    r#""parameters":{"b":{"name":"b","in":"body","schema":{}}},"#, r##"{"parameters":[{"$ref":"#/parameters/b"}]}"##,
    json!({"$ref": "#/components/requestBodies/b"})
)]
#[case::that_is_shared_by_operations_with_other_media_types(
    r#""parameters":{"b":{"name":"b","in":"body","schema":{}}},"#, r##"{"consumes":["a/b"],"parameters":[{"$ref":"#/parameters/b"}]}"##,
    json!({"content": {"a/b": {"schema": {}}}})
)]
#[case::of_shared_fields_of_a_form(
    r#""parameters":{"f":{"name":"n","in":"formData","type":"string"}},"#,
    r##"{"parameters":[{"$ref":"#/parameters/f"},{"name":"m","in":"formData","type":"string"}]}"##,
    json!({"content": {"application/x-www-form-urlencoded": {"schema": {
        "type": "object", "properties": {"n": {"type": "string"}, "m": {"type": "string"}}}}}})
)]
fn a_request_body_is_made(#[case] root: &str, #[case] before: &str, #[case] after: Value) {
    assert_eq!(operation(root, before, "/requestBody"), after);
    assert_eq!(operation(root, before, "/parameters"), Value::Null);
}

#[test]
fn the_body_of_a_path_is_that_of_its_operations_unless_they_have_their_own() {
    let text = r#""paths":{"/a":{"parameters":[{"in":"body","name":"x","schema":{"title":"path"}},{"in":"query","name":"q"}],
        "put":{},"post":{"parameters":[{"in":"body","name":"y","schema":{"title":"own"}}]}}}"#;
    let title = "/requestBody/content/application~1json/schema/title";
    assert_eq!(at(text, &format!("/paths/~1a/put{title}")), "path");
    assert_eq!(at(text, &format!("/paths/~1a/post{title}")), "own");
    assert_eq!(at(text, "/paths/~1a/parameters"), json!([{"in": "query", "name": "q"}]));
}

#[rstest]
#[case::a_schema_for_each_media_type(
    r#"{"description":"d","schema":{"type":"string"}}"#,
    json!({"description": "d", "content": {"a/b": {"schema": {"type": "string"}}, "c/d": {"schema": {"type": "string"}}}})
)]
#[case::an_example_for_a_media_type(
    r#"{"schema":{},"examples":{"c/d":{"$ref":"data"},"e/f":1}}"#,
    json!({"content": {"a/b": {"schema": {}}, "c/d": {"schema": {}, "example": {"$ref": "data"}}, "e/f": {"schema": {}, "example": 1}}})
)]
#[case::no_content_without_a_schema(r#"{"description":"d","x-a":1}"#, json!({"description": "d", "x-a": 1}))]
#[case::headers_with_schemas(
    r#"{"headers":{"H":{"type":"integer","description":"d","collectionFormat":"csv"}}}"#,
    json!({"headers": {"H": {"schema": {"type": "integer"}, "description": "d"}}})
)]
#[case::a_reference_that_follows(
    r##"{"$ref":"#/responses/r"}"##,
    json!({"$ref": "#/components/responses/r"})
)]
#[case::a_shared_one_with_the_media_types_of_the_operation(
    r##"{"$ref":"#/responses/s"}"##,
    json!({"content": {"a/b": {"schema": {}}, "c/d": {"schema": {}}}})
)]
fn a_response_gets(#[case] before: &str, #[case] after: Value) {
    let shared = r#""responses":{"r":{"description":"r"},"s":{"schema":{}}},"#;
    let before = format!(r#"{{"produces":["a/b","c/d","a/b"],"responses":{{"200":{before}}}}}"#);
    assert_eq!(operation(shared, &before, "/responses/200"), after);
}

#[test]
fn a_file_in_a_response_is_an_octet_stream() {
    let before = r#"{"responses":{"200":{"schema":{"type":"file"}}}}"#;
    let after = json!({"application/octet-stream": {"schema": {"type": "string", "contentMediaType": "application/octet-stream"}}});
    assert_eq!(operation("", before, "/responses/200/content"), after);
}

#[rstest]
#[case::basic(r#"{"type":"basic","description":"d"}"#, json!({"type": "http", "scheme": "basic", "description": "d"}))]
#[case::a_key(r#"{"type":"apiKey","in":"header","name":"k"}"#, json!({"type": "apiKey", "in": "header", "name": "k"}))]
#[case::an_access_code(
    r#"{"type":"oauth2","flow":"accessCode","authorizationUrl":"a","tokenUrl":"t","scopes":{"s":"d"},"x-a":1}"#,
    json!({"type": "oauth2", "x-a": 1, "flows": {"authorizationCode": {"authorizationUrl": "a", "tokenUrl": "t", "scopes": {"s": "d"}}}})
)]
#[case::an_application(
    r#"{"type":"oauth2","flow":"application","tokenUrl":"t"}"#,
    json!({"type": "oauth2", "flows": {"clientCredentials": {"tokenUrl": "t", "scopes": {}}}})
)]
fn a_security_scheme_becomes(#[case] before: &str, #[case] after: Value) {
    assert_eq!(at(&format!(r#""securityDefinitions":{{"s":{before}}}"#), "/components/securitySchemes/s"), after);
}

#[rstest]
#[case::a_definition("#/definitions/Pet", "#/components/schemas/Pet")]
#[case::below_a_definition("#/definitions/Pet/properties/a%20b~1c", "#/components/schemas/Pet/properties/a%20b~1c")]
#[case::an_encoded_name("#/definitions/List%3CPet%3E", "#/components/schemas/List_Pet_")]
#[case::a_name_as_it_is("#/definitions/List<Pet>", "#/components/schemas/List_Pet_")]
#[case::a_taken_name("#/definitions/List(Pet)", "#/components/schemas/List_Pet__2")]
#[case::a_body("#/parameters/b/schema/items", "#/components/requestBodies/b/content/application~1json/schema/items")]
#[case::a_parameter("#/parameters/q/items", "#/components/parameters/q/schema/items")]
#[case::a_response("#/responses/r/schema", "#/components/responses/r/content/application~1json/schema")]
#[case::the_body_of_an_operation(
    "#/paths/~1b/put/parameters/0/schema",
    "#/paths/~1b/put/requestBody/content/x~1y/schema"
)]
#[case::a_parameter_after_the_body("#/paths/~1b/put/parameters/1/items", "#/paths/~1b/put/parameters/0/schema/items")]
#[case::a_response_of_an_operation(
    "#/paths/~1b/put/responses/200/schema",
    "#/paths/~1b/put/responses/200/content/application~1json/schema"
)]
#[case::the_body_of_a_path(
    "#/paths/~1c/parameters/0/schema",
    "#/paths/~1c/get/requestBody/content/application~1json/schema"
)]
#[case::a_field_of_a_form(
    "#/paths/~1d/put/parameters/0",
    "#/paths/~1d/put/requestBody/content/application~1x-www-form-urlencoded/schema/properties/f"
)]
#[case::a_file("pet.json#/definitions/Pet", "pet.json#/definitions/Pet")]
#[case::what_is_not_there("#/nowhere", "#/nowhere")]
#[case::the_document("#", "#")]
fn a_reference_follows_to(#[case] before: &str, #[case] after: &str) {
    let text = format!(
        r##""definitions":{{"A":{{"properties":{{"$ref":{{"type":"string"}},"p":{{"$ref":"{before}"}}}}}},"Pet":{{"properties":{{"a b/c":{{}}}}}},
        "List<Pet>":{{}},"List(Pet)":{{}}}},
        "parameters":{{"b":{{"in":"body","schema":{{"items":{{}}}}}},"q":{{"in":"query","items":{{}}}}}},
        "responses":{{"r":{{"schema":{{}}}}}},
        "paths":{{"/b":{{"put":{{"consumes":["x/y"],"parameters":[{{"in":"body","schema":{{}}}},{{"in":"query","items":{{}}}}],"responses":{{"200":{{"schema":{{}}}}}}}}}},
        "/c":{{"parameters":[{{"in":"body","schema":{{}}}}],"get":{{}}}},
        "/d":{{"put":{{"parameters":[{{"name":"f","in":"formData","type":"string"}}]}}}}}}"##
    );
    assert_eq!(at(&text, "/components/schemas/A/properties/p/$ref"), after);
    assert_eq!(at(&text, "/components/schemas/A/properties/$ref"), json!({"type": "string"}));
    if let Some(pointer) = after.strip_prefix("#/").filter(|pointer| *pointer != "nowhere") {
        assert_ne!(at(&text, &format!("/{}", pointer.replace("%20", " "))), Value::Null, "the target is there");
    }
}

#[test]
fn security_requirements_use_the_new_names() {
    let text = r#""securityDefinitions":{"my key":{"type":"basic"}},"security":[{"my key":[]}],"paths":{"/a":{"get":{"security":[{"my key":["s"]}]}}}"#;
    assert_eq!(at(text, "/components/securitySchemes/my_key/scheme"), "basic");
    assert_eq!(at(text, "/security"), json!([{"my_key": []}]));
    assert_eq!(at(text, "/paths/~1a/get/security"), json!([{"my_key": ["s"]}]));
}

#[test]
fn a_discriminator_becomes_an_object() {
    let text = r#""definitions":{"A":{"discriminator":"kind","x-nullable":true,"type":"object"}}"#;
    let after = json!({"discriminator": {"propertyName": "kind"}, "type": ["object", "null"]});
    assert_eq!(at(text, "/components/schemas/A"), after);
}

#[test]
fn extensions_and_data_stay_as_they_are() {
    let text = r##""x-a":{"$ref":"#/definitions/A"},"definitions":{"A":{"default":{"$ref":"#/definitions/A"},
        "example":{"x-nullable":true},"x-b":{"type":"file"}}},"paths":{"x-c":{"$ref":"#/definitions/A"}}"##;
    assert_eq!(at(text, "/x-a"), json!({"$ref": "#/definitions/A"}));
    assert_eq!(at(text, "/paths/x-c"), json!({"$ref": "#/definitions/A"}));
    let after =
        json!({"default": {"$ref": "#/definitions/A"}, "examples": [{"x-nullable": true}], "x-b": {"type": "file"}});
    assert_eq!(at(text, "/components/schemas/A"), after);
}

#[test]
fn a_shared_value_is_copied_only_so_often() {
    let types: Vec<String> = (0..200).map(|n| format!("\"a/{n}\"")).collect();
    let fields: Vec<String> = (0..1_000).map(|n| format!("\"f{n}\":{{}}")).collect();
    let text = format!(
        r#"{{"swagger":"2.0","produces":[{}],"responses":{{"r":{{"schema":{{"properties":{{{}}}}}}}}}}}"#,
        types.join(","),
        fields.join(",")
    );
    let root = swagger::upgrade(&tree(&text), None, 40_000, &Deadline::never());
    let content = root.at_pointer("/components/responses/r/content").and_then(crate::tree::Node::as_map);
    let count = content.map_or(0, |content| content.len());
    assert!((30..=40).contains(&count), "{count} media types of 1,000 values each");
}

#[test]
fn a_shared_value_with_a_long_text_counts_as_several() {
    let types: Vec<String> = (0..200).map(|n| format!("\"a/{n}\"")).collect();
    let text = format!(
        r#"{{"swagger":"2.0","produces":[{}],"responses":{{"r":{{"schema":{{"description":"{}"}}}}}}}}"#,
        types.join(","),
        "x".repeat(64_000)
    );
    let root = swagger::upgrade(&tree(&text), None, 40_000, &Deadline::never());
    let content = root.at_pointer("/components/responses/r/content").and_then(crate::tree::Node::as_map);
    let count = content.map_or(0, |content| content.len());
    assert!((30..=40).contains(&count), "{count} media types of 64,000 bytes each");
}
