//! Operations, webhooks and callbacks.
use super::super::{Budget, OperationView, operation, webhook};
use super::{lines, rows, tree};
use rstest::rstest;
use serde_json::{Value, json};

const PETS: &str = r##"{"openapi":"3.1.1",
"servers":[{"url":"https://{host}/v1","description":"d","variables":{"host":{"default":"a","enum":["a","b"],"description":"h"}}},{"url":3}],
"security":[{"key":[]}],"x-expandAllResponses":true,
"paths":{
  "/pets/{id}":{"summary":"of the path","description":"path","servers":[{"url":"/path"}],"x-internal":true,
    "parameters":[{"$ref":"#/components/parameters/Id"},{"name":"trace","in":"header","schema":{"type":"string"}}],
    "get":{"operationId":"getPet","tags":["a","b"],"deprecated":true,"x-stability":"alpha","x-sunset":"2031-02-03","x-hideTryItPanel":true,
      "x-enable-proxy":false,"externalDocs":{"url":"https://docs"},
      "security":[{"oauth":["read","other"],"key":[]},{"none":["x"]},{}],
      "parameters":[
        {"name":"trace","in":"header","required":true,"description":"own","example":"t","schema":{"type":"integer","description":"of the schema"}},
        {"name":"filter","in":"query","style":"deepObject","explode":true,"schema":{"$ref":"#/components/schemas/Pet"}},
        {"name":"raw","in":"query","content":{"application/json":{"schema":{"type":"array"}}},"examples":{"e":{"value":[1]}}},
        {"name":"c","in":"cookie"},{"name":"odd","in":"elsewhere"},{"in":"query"},3,{"$ref":"#/components/parameters/None"}],
      "responses":{
        "200":{"description":"ok","headers":{"X-Rate":{"$ref":"#/components/headers/Rate"}},"content":{"application/json":{"schema":{"$ref":"#/components/schemas/Pet"}},"text/plain":{}}},
        "4XX":{"$ref":"#/components/responses/Bad"},"x-a":{},"default":{"$ref":"#/components/responses/None"}}},
    "put":{"servers":[{"url":"/own","name":"n"}],"summary":"own","description":"own",
      "requestBody":{"$ref":"#/components/requestBodies/Pet"},
      "callbacks":{"done":{"{$request.body#/url}":{"post":{"requestBody":{"content":{"application/json":{"schema":{"$ref":"#/components/schemas/Pet"}}}},
        "callbacks":{"again":{"u":{"get":{}}}}}},"x-a":1},"shared":{"$ref":"#/components/callbacks/C"}}}},
  "/slash/":{"get":{}},
  "/item":{"$ref":"#/components/pathItems/I"},
  "/more":{"additionalOperations":{"COPY":{"summary":"copy"}}}
},
"webhooks":{"new":{"post":{"requestBody":{"content":{"application/json":{"schema":{"$ref":"#/components/schemas/Pet"}}}},"responses":{"200":{"content":{"application/json":{"schema":{"$ref":"#/components/schemas/Pet"}}}}}}}},
"components":{
  "pathItems":{"I":{"summary":"of the item","get":{},"parameters":[{"$ref":"#/components/parameters/Id"}]}},
  "parameters":{"Id":{"name":"id","in":"path","schema":{"type":"string"}}},
  "headers":{"Rate":{"required":true,"description":"h","schema":{"type":"integer"}}},
  "responses":{"Bad":{"description":"bad","summary":"s"}},
  "requestBodies":{"Pet":{"description":"b","required":true,"content":{"multipart/form-data":{"schema":{"$ref":"#/components/schemas/Pet"},"encoding":{"photo":{"contentType":"image/png"},"x":{}}},
    "application/jsonl":{"itemSchema":{"$ref":"#/components/schemas/Pet"}}}}},
  "callbacks":{"C":{"u":{"$ref":"#/components/pathItems/I"}}},
  "schemas":{"Pet":{"type":"object","properties":{"id":{"type":"string","readOnly":true},"secret":{"type":"string","writeOnly":true},"name":{"type":"string"}}}},
  "securitySchemes":{
    "key":{"type":"apiKey","in":"header","name":"X-Key","x-gitbook-prefix":"Key","x-gitbook-token-placeholder":"K","deprecated":true},
    "oauth":{"type":"oauth2","description":"o","flows":{"clientCredentials":{"tokenUrl":"https://t","scopes":{"read":"may read"}},"x-a":{}}}}
}}"##;

fn get(path: &str, method: &str) -> OperationView {
    operation(&tree(PETS), path, method, &Budget::default()).expect("it is there")
}

fn json_of(value: &impl serde::Serialize) -> Value {
    serde_json::to_value(value).expect("JSON")
}

#[test]
fn an_operation_has_its_own_fields_and_those_of_its_path() {
    let view = json_of(&get("/pets/{id}", "GET"));
    let expected = json!({
        "method": "get", "path": "/pets/{id}", "pointer": "/paths/~1pets~1{id}/get", "id": "getPet",
        "summary": "of the path", "description": "path", "tags": ["a", "b"], "deprecated": true,
        "stability": "alpha", "sunset": "2031-02-03", "internal": true, "docsUrl": "https://docs",
        "options": {"hideTryIt": true, "enableProxy": false, "expandResponses": true},
        "servers": [{"url": "/path"}],
    });
    for (key, value) in expected.as_object().expect("a mapping") {
        assert_eq!(view[key], *value, "{key}");
    }
    let own = json_of(&get("/pets/{id}", "put"));
    assert_eq!((&own["summary"], &own["description"]), (&json!("own"), &json!("own")));
    assert_eq!(own["servers"], json!([{"url": "/own", "name": "n"}]));
    assert_eq!(own["options"], json!({"expandResponses": true}));
}

#[rstest]
#[case::a_path("/item", "get", "/item", "get")]
#[case::a_path_without_its_slash("/slash", "get", "/slash/", "get")]
#[case::a_path_with_a_slash_too_many("/item/", "Get", "/item", "get")]
#[case::a_method_without_a_field("/more", "copy", "/more", "COPY")]
fn an_operation_is_found(#[case] path: &str, #[case] method: &str, #[case] found: &str, #[case] as_written: &str) {
    let view = get(path, method);
    assert_eq!((view.path.as_deref(), view.method.as_str()), (Some(found), as_written));
}

#[rstest]
#[case("/pets", "get")]
#[case("/pets/{id}", "delete")]
#[case("/item", "parameters")]
#[case("", "get")]
fn an_operation_that_does_not_exist_has_no_view(#[case] path: &str, #[case] method: &str) {
    assert_eq!(operation(&tree(PETS), path, method, &Budget::default()), None);
    assert_eq!(webhook(&tree(PETS), path, method, &Budget::default()), None);
}

#[test]
fn a_path_item_behind_a_reference_gives_its_summary_and_parameters() {
    let view = get("/item", "get");
    assert_eq!(view.pointer, "/components/pathItems/I/get");
    assert_eq!(view.summary.as_deref(), Some("of the item"));
    assert_eq!(view.parameters[0].parameters[0].row.name.as_deref(), Some("id"));
}

#[test]
fn servers_of_the_document_have_their_variables() {
    let view = json_of(&get("/slash", "get").servers);
    let expected = json!([{"url": "https://{host}/v1", "description": "d",
        "variables": [{"name": "host", "default": "a", "values": ["a", "b"], "description": "h"}]}]);
    assert_eq!(view, expected);
}

#[test]
fn parameters_are_grouped_by_place_and_replace_those_of_the_path() {
    let view = get("/pets/{id}", "get");
    let found: Vec<(&str, Vec<String>)> = view
        .parameters
        .iter()
        .map(|group| (group.place.as_str(), group.parameters.iter().map(|one| lines(&one.row)[0].clone()).collect()))
        .collect();
    let expected = [
        ("path", vec!["id: string!"]),
        ("query", vec!["filter: Pet", "raw: array"]),
        ("header", vec!["trace: integer!"]),
        ("cookie", vec!["c: any"]),
    ];
    assert_eq!(found, expected.map(|(place, names)| (place, names.into_iter().map(str::to_owned).collect())));
    // One is in a place that does not exist.
    assert_eq!(view.left_out, 1);
    let [filter, raw] = [0, 1].map(|index| json_of(&view.parameters[1].parameters[index]));
    assert_eq!((&filter["style"], &filter["explode"]), (&json!("deepObject"), &json!(true)));
    assert_eq!(filter["children"].as_array().map(Vec::len), Some(2));
    assert_eq!((&raw["mediaType"], &raw["example"]), (&json!("application/json"), &json!("[1]")));
    let trace = &view.parameters[2].parameters[0].row;
    assert_eq!((trace.description.as_deref(), trace.example.as_deref()), (Some("own"), Some("t")));
}

#[test]
fn a_header_replaces_that_of_the_path_in_any_case() {
    let text = r#"{"paths":{"/a":{"parameters":[{"name":"X-Trace","in":"header"},{"name":"Q","in":"query"}],
        "get":{"parameters":[{"name":"x-trace","in":"header","required":true},{"name":"q","in":"query"}]}}}}"#;
    let view = operation(&tree(text), "/a", "get", &Budget::default()).expect("it is there");
    let names: Vec<Vec<String>> = view
        .parameters
        .iter()
        .map(|group| group.parameters.iter().map(|one| lines(&one.row)[0].clone()).collect())
        .collect();
    assert_eq!(names, [vec!["Q: any", "q: any"], vec!["x-trace: any!"]]);
}

#[rstest]
#[case::its_own(r#""example":1,"examples":{"a":{"value":2}}"#, "1")]
#[case::a_list_of_its_own(r#""examples":{"a":{"value":[2]},"b":{"value":3}}"#, "[2]")]
#[case::a_reference(r##""examples":{"a":{"$ref":"#/components/examples/E"}}"##, "of a component")]
#[case::data(r#""examples":{"a":{"dataValue":{"x":1},"serializedValue":"x=1"}}"#, r#"{"x":1}"#)]
#[case::a_text_that_is_sent(r#""examples":{"a":{"serializedValue":"x=1"}}"#, "x=1")]
#[case::that_of_its_media_type(r#""content":{"text/plain":{"example":"of the media type"}}"#, "of the media type")]
#[case::that_of_its_schema(r#""schema":{"example":"of the schema"}"#, "of the schema")]
fn a_parameter_or_header_has_an_example(#[case] fields: &str, #[case] expected: &str) {
    let text = format!(
        r#"{{"paths":{{"/a":{{"get":{{"parameters":[{{"name":"p","in":"query",{fields}}}],
            "responses":{{"200":{{"headers":{{"H":{{{fields}}}}}}}}}}}}}}},
            "components":{{"examples":{{"E":{{"value":"of a component"}}}}}}}}"#
    );
    let view = operation(&tree(&text), "/a", "get", &Budget::default()).expect("it is there");
    assert_eq!(view.parameters[0].parameters[0].row.example.as_deref(), Some(expected));
    assert_eq!(view.responses[0].headers[0].example.as_deref(), Some(expected));
}

#[test]
fn an_empty_list_of_servers_states_nothing() {
    let text = r#"{"servers":[{"url":"/d"}],"paths":{"/a":{"servers":[],"get":{"servers":[]}}}}"#;
    let view = operation(&tree(text), "/a", "get", &Budget::default()).expect("it is there");
    assert_eq!(json_of(&view.servers), json!([{"url": "/d"}]));
}

#[test]
fn callbacks_without_room_are_left_out() {
    let callbacks: serde_json::Map<_, _> =
        (0..20_000).map(|at| (format!("c{at}"), json!({"u": {"post": {"summary": "s"}}}))).collect();
    let text = json!({"paths": {"/a": {"get": {"callbacks": callbacks}}}}).to_string();
    let budget = Budget { bytes: 20_000, ..Budget::default() };
    let view = operation(&tree(&text), "/a", "get", &budget).expect("it is there");
    assert!(serde_json::to_string(&view).expect("JSON").len() <= 21_000);
    assert_eq!(view.callbacks.len() + view.left_out, 20_000);
}

#[test]
fn security_has_alternatives_with_schemes_and_scopes() {
    let view = json_of(&get("/pets/{id}", "get").security);
    let key = json!({"name": "key", "type": "apiKey", "in": "header", "parameter": "X-Key", "prefix": "Key", "tokenPlaceholder": "K", "deprecated": true});
    let oauth = json!({"name": "oauth", "type": "oauth2", "description": "o",
        "flows": [{"name": "clientCredentials", "tokenUrl": "https://t"}],
        "scopes": [{"name": "read", "description": "may read"}, {"name": "other"}]});
    let expected = json!({"optional": true, "alternatives": [
        {"schemes": [oauth, key]}, {"schemes": [{"name": "none", "scopes": [{"name": "x"}]}]}]});
    assert_eq!(view, expected);
    assert_eq!(json_of(&get("/slash", "get").security), json!({"alternatives": [{"schemes": [key]}]}));
}

#[test]
fn responses_have_headers_and_bodies() {
    let view = get("/pets/{id}", "get");
    let statuses: Vec<&str> = view.responses.iter().map(|response| response.status.as_str()).collect();
    assert_eq!(statuses, ["200", "4XX", "default"]);
    let ok = &view.responses[0];
    assert_eq!(lines(&ok.headers[0]), ["X-Rate: integer!"]);
    assert_eq!(ok.content[0].media_type, "application/json");
    assert_eq!(
        ok.content[0].schema.as_ref().map(lines),
        Some(vec!["Pet".into(), "  id: string readOnly".into(), "  name: string".into()])
    );
    assert_eq!((ok.content[1].media_type.as_str(), &ok.content[1].schema), ("text/plain", &None));
    assert_eq!(json_of(&view.responses[1]), json!({"status": "4XX", "summary": "s", "description": "bad"}));
}

#[test]
fn a_body_has_its_media_types_and_encodings() {
    let body = get("/pets/{id}", "put").body.expect("there is a body");
    assert_eq!((body.description.as_deref(), body.required), (Some("b"), true));
    assert_eq!(json_of(&body.content[0].encodings), json!([{"name": "photo", "contentType": "image/png"}]));
    let fields = ["Pet", "  secret: string writeOnly", "  name: string"].map(str::to_owned).to_vec();
    assert_eq!(body.content[0].schema.as_ref().map(lines), Some(fields.clone()));
    assert_eq!(body.content[1].item_schema.as_ref().map(lines), Some(fields));
}

#[test]
fn the_api_sends_webhooks_and_callbacks() {
    let sent = ["Pet", "  id: string readOnly", "  name: string"].map(str::to_owned).to_vec();
    let view = webhook(&tree(PETS), "new", "POST", &Budget::default()).expect("it is there");
    assert_eq!((view.webhook.as_deref(), view.path.as_deref()), (Some("new"), None));
    assert_eq!(view.body.expect("a body").content[0].schema.as_ref().map(lines), Some(sent.clone()));
    let answer = view.responses[0].content[0].schema.as_ref().map(lines);
    assert_eq!(answer, Some(["Pet", "  secret: string writeOnly", "  name: string"].map(str::to_owned).to_vec()));
    let callbacks = get("/pets/{id}", "put").callbacks;
    let names: Vec<(&str, Option<&str>, &str)> = callbacks
        .iter()
        .map(|one| (one.name.as_str(), one.operation.path.as_deref(), one.operation.method.as_str()))
        .collect();
    assert_eq!(names, [("done", Some("{$request.body#/url}"), "post"), ("shared", Some("u"), "get")]);
    // The servers and the security of the document are for requests to the API.
    let hook = webhook(&tree(PETS), "new", "post", &Budget::default()).expect("it is there");
    for sent in [&hook, &callbacks[0].operation] {
        assert_eq!((json_of(&sent.servers), json_of(&sent.security)), (json!([]), json!({})));
    }
    let done = &callbacks[0].operation;
    assert_eq!(done.body.as_ref().and_then(|body| body.content[0].schema.as_ref()).map(lines), Some(sent));
    assert_eq!(done.callbacks, []);
}

#[rstest]
#[case::few_rows(Budget { rows: 3, ..Budget::default() })]
#[case::no_rows(Budget { rows: 0, ..Budget::default() })]
#[case::no_depth(Budget { depth: 0, ..Budget::default() })]
#[case::few_bytes(Budget { bytes: 2_000, ..Budget::default() })]
fn a_budget_that_is_too_small_leaves_things_out(#[case] budget: Budget) {
    let view = operation(&tree(PETS), "/pets/{id}", "get", &budget).expect("it is there");
    assert!(rows(&view).len() <= budget.rows);
    assert!(view.left_out > 0 || rows(&view).iter().any(|row| row.closed));
    assert!(serde_json::to_string(&view).expect("JSON").len() <= budget.bytes);
}

#[test]
fn a_document_of_other_forms_is_rendered_as_far_as_it_can_be() {
    let text = r#"{"servers":{},"security":"a","paths":{"/a":{"parameters":3,"get":{"tags":1,"summary":2,"security":[1,{"a":3}],"parameters":[[]],
        "requestBody":[],"responses":[],"callbacks":{"a":1,"b":{"c":2}},"servers":1}}}}"#;
    let view = operation(&tree(text), "/a", "get", &Budget::default()).expect("it is there");
    assert_eq!(view.security.alternatives[0].schemes[0].name, "a");
    assert_eq!(view.summary.as_deref(), Some("2"));
}
