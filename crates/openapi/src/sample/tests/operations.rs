//! The request of an operation.
use super::super::{SampleBody, SampleOptions, SampleRequest, operation_request, operation_samples};
use super::tree;
use rstest::rstest;
use serde_json::{Value, json};

/// A document with an operation `POST /a/{id}`, and fields beside its paths.
fn document(operation: &str, others: &str) -> crate::tree::Node {
    tree(&format!(r#"{{"openapi":"3.1.1","paths":{{"/a/{{id}}":{{"post":{operation}}}}}{others}}}"#))
}

fn request(operation: &str, others: &str) -> SampleRequest {
    let document = document(operation, others);
    operation_request(&document, "/a/{id}", "post", &SampleOptions::default()).expect("the operation is there")
}

fn headers(request: &SampleRequest) -> Vec<String> {
    request.headers.iter().map(|(name, value)| format!("{name}: {value}")).collect()
}

#[rstest]
#[case::none("", "https://example.com/a/id")]
#[case::one(r#","servers":[{"url":"https://api.example.org/v1/"}]"#, "https://api.example.org/v1/a/id")]
#[case::variables(
    r#","servers":[{"url":"https://{tenant}.example.org:{port}/{base}","variables":{"tenant":{"default":"demo"},"port":{"enum":["8443"]}}}]"#,
    "https://demo.example.org:8443/base/a/id"
)]
#[case::a_path(r#","servers":[{"url":"/v2"}]"#, "https://example.com/v2/a/id")]
#[case::a_host(r#","servers":[{"url":"//host/v2"}]"#, "https://host/v2/a/id")]
#[case::the_first_that_can_be_used(
    r#","servers":[{"url":"wss://x/"},{"url":"javascript:a"},{"url":"http://y"}]"#,
    "http://y/a/id"
)]
#[case::none_that_can_be_used(r#","servers":[{"url":"file:///etc"},{}]"#, "https://example.com/a/id")]
#[case::names_and_passwords(r#","servers":[{"url":"https://u:p@host/"}]"#, "https://host/a/id")]
#[case::queries_and_fragments(r#","servers":[{"url":"https://host/v1?a=b#c"}]"#, "https://host/v1/a/id")]
#[case::another_alphabet(
    r#","servers":[{"url":"https://b\u00fccher.example/\u00fc"}]"#,
    "https://xn--bcher-kva.example/%C3%BC/a/id"
)]
#[case::hostile_texts(r#","servers":[{"url":"https://host/'\"$(x)`y`\n{z}"}]"#, "https://host/%27%22$(x)%60y%60z/a/id")]
fn the_address_begins_at_a_server(#[case] others: &str, #[case] expected: &str) {
    assert_eq!(request("{}", others).url, expected);
}

#[test]
fn servers_of_the_operation_and_of_its_path_come_first() {
    let document = tree(
        r#"{"servers":[{"url":"https://d"}],"paths":{"/a":{"servers":[{"url":"https://p"},{"url":"https://q"}],
            "get":{"servers":[{"url":"https://o"}]},"put":{},"post":{"servers":[]}}}}"#,
    );
    let url = |method: &str, server| {
        let options = SampleOptions { server, ..SampleOptions::default() };
        operation_request(&document, "/a", method, &options).expect("the operation is there").url
    };
    assert_eq!(
        [url("get", 0), url("put", 0), url("put", 1), url("put", 9), url("post", 0)],
        ["https://o/a", "https://p/a", "https://q/a", "https://p/a", "https://p/a"]
    );
}

#[rstest]
#[case::an_address("https://host.example/docs/openapi.json", "https://host.example/docs/v1/a/id")]
#[case::no_address_of_the_web("file:///a.json", "https://example.com/v1/a/id")]
#[case::no_address("a", "https://example.com/v1/a/id")]
fn relative_servers_are_where_the_document_came_from(#[case] source: &str, #[case] expected: &str) {
    let document = document("{}", r#","servers":[{"url":"./v1"}]"#);
    let options = SampleOptions { source: Some(source), ..SampleOptions::default() };
    assert_eq!(operation_request(&document, "/a/{id}", "POST", &options).expect("it is there").url, expected);
}

#[rstest]
#[case("/a/{id}/", "/a/id/")]
#[case("/a b/%20/%/{x", "/a%20b/%20/%25/%7Bx")]
#[case("/a?b=c", "/a?b=c&q=1")]
#[case("/#b", "/")]
#[case("/{id}{id}.{ext}", "/idid.ext")]
fn a_path_is_written_as_it_is_sent(#[case] path: &str, #[case] expected: &str) {
    let parameters = r#"[{"in":"query","name":"q","required":true,"schema":{"type":"integer"}}]"#;
    let mut document: Value = json!({"paths": {}});
    document["paths"][path] = json!({"get": {"parameters": serde_json::from_str::<Value>(parameters).expect("JSON")}});
    let url = operation_request(&tree(&document.to_string()), path, "get", &SampleOptions::default());
    let url = url.expect("the operation is there").url;
    let query = if expected.contains('?') { "" } else { "?q=1" };
    assert_eq!(url, format!("https://example.com{expected}{query}"));
}

/// The address and the headers of an operation with one parameter.
fn with_parameter(parameter: &str) -> SampleRequest {
    request(&format!(r#"{{"parameters":[{parameter}]}}"#), "")
}

#[rstest]
// The tables of the specification: a text, a list and a mapping, in each style.
#[case("simple", false, r#""blue""#, "blue")]
#[case("simple", false, r#"["blue","black"]"#, "blue,black")]
#[case("simple", false, r#"{"R":100,"G":200}"#, "R,100,G,200")]
#[case("simple", true, r#"{"R":100,"G":200}"#, "R=100,G=200")]
#[case("label", false, r#""blue""#, ".blue")]
#[case("label", false, r#"["blue","black"]"#, ".blue,black")]
#[case("label", true, r#"["blue","black"]"#, ".blue.black")]
#[case("label", false, r#"{"R":100,"G":200}"#, ".R,100,G,200")]
#[case("label", true, r#"{"R":100,"G":200}"#, ".R=100.G=200")]
#[case("label", true, r#""""#, ".")]
#[case("matrix", false, r#""blue""#, ";id=blue")]
#[case("matrix", false, r#""""#, ";id")]
#[case("matrix", false, r#"["blue","black"]"#, ";id=blue,black")]
#[case("matrix", true, r#"["blue","black"]"#, ";id=blue;id=black")]
#[case("matrix", false, r#"{"R":100,"G":200}"#, ";id=R,100,G,200")]
#[case("matrix", true, r#"{"R":100,"G":""}"#, ";R=100;G")]
#[case("simple", false, r#""a/b?c#d%20\u00e9 {}""#, "a%2Fb%3Fc%23d%2520%C3%A9%20%7B%7D")]
#[case("simple", false, "true", "true")]
#[case("simple", false, r#"[[1],{"a":2}]"#, "%5B1%5D,%7B%22a%22%3A2%7D")]
fn path_parameters_have_styles(
    #[case] style: &str,
    #[case] explode: bool,
    #[case] value: &str,
    #[case] expected: &str,
) {
    let found = with_parameter(&format!(
        r#"{{"in":"path","name":"id","required":true,"style":"{style}","explode":{explode},"example":{value}}}"#
    ));
    assert_eq!(found.url, format!("https://example.com/a/{expected}"));
}

#[rstest]
#[case("form", true, r#""blue""#, "c=blue")]
#[case("form", true, r#""""#, "c=")]
#[case("form", true, r#"["blue","black"]"#, "c=blue&c=black")]
#[case("form", false, r#"["blue","black"]"#, "c=blue,black")]
#[case("form", true, r#"{"R":100,"G":200}"#, "R=100&G=200")]
#[case("form", false, r#"{"R":100,"G":200}"#, "c=R,100,G,200")]
#[case("spaceDelimited", false, r#"["blue","black"]"#, "c=blue%20black")]
#[case("spaceDelimited", false, r#"{"R":100,"G":200}"#, "c=R%20100%20G%20200")]
#[case("pipeDelimited", false, r#"["blue","black"]"#, "c=blue%7Cblack")]
#[case("pipeDelimited", true, r#"["blue","black"]"#, "c=blue&c=black")]
#[case(
    "deepObject",
    true,
    r#"{"R":100,"G":{"a":[1,2]}}"#,
    "c%5BR%5D=100&c%5BG%5D%5Ba%5D%5B0%5D=1&c%5BG%5D%5Ba%5D%5B1%5D=2"
)]
#[case("deepObject", true, r#""blue""#, "c=blue")]
#[case("form", true, r#""a&b=c+d e,f""#, "c=a%26b%3Dc%2Bd%20e%2Cf")]
#[case("unheard", true, r#""blue""#, "c=blue")]
fn query_parameters_have_styles(
    #[case] style: &str,
    #[case] explode: bool,
    #[case] value: &str,
    #[case] expected: &str,
) {
    let found = with_parameter(&format!(
        r#"{{"in":"query","name":"c","required":true,"style":"{style}","explode":{explode},"example":{value}}}"#
    ));
    assert_eq!(found.url, format!("https://example.com/a/id?{expected}"));
}

#[rstest]
#[case::form_is_exploded(r#"{"in":"query","name":"c","required":true,"example":[1,2]}"#, "?c=1&c=2")]
#[case::optional_ones_are_left_out(r#"{"in":"query","name":"c","example":1}"#, "")]
#[case::a_name_is_encoded(r#"{"in":"query","name":"a[b]&c","required":true,"example":1}"#, "?a%5Bb%5D%26c=1")]
#[case::a_name_of_odata(r#"{"in":"query","name":"$top","required":true,"example":1}"#, "?$top=1")]
#[case::reserved_characters(
    r#"{"in":"query","name":"c","required":true,"allowReserved":true,"example":"/a:b?%20%zz&d#[e]+'"}"#,
    "?c=/a:b?%20%25zz%26d%23%5Be%5D%2B%27"
)]
#[case::content(
    r#"{"in":"query","name":"c","required":true,"content":{"application/json":{"example":{"a":1}}}}"#,
    "?c=%7B%22a%22%3A1%7D"
)]
#[case::the_whole_query(
    r#"{"in":"querystring","name":"c","required":true,"content":{"application/x-www-form-urlencoded":{"example":{"a":1,"b":"c d"}}}}"#,
    "?a=1&b=c%20d"
)]
#[case::the_whole_query_as_json(
    r#"{"in":"querystring","name":"c","required":true,"content":{"application/json":{"example":[1]}}}"#,
    "?%5B1%5D"
)]
#[case::a_made_text_is_the_name(r#"{"in":"query","name":"c","required":true,"schema":{"type":"string"}}"#, "?c=c")]
#[case::a_made_text_of_a_format(
    r#"{"in":"query","name":"c","required":true,"schema":{"type":"string","format":"date"}}"#,
    "?c=2024-01-01"
)]
#[case::nothing_is_known(r#"{"in":"query","name":"c","required":true}"#, "?c=c")]
fn queries_have_the_required_parameters(#[case] parameter: &str, #[case] expected: &str) {
    assert_eq!(with_parameter(parameter).url, format!("https://example.com/a/id{expected}"));
}

#[rstest]
#[case::a_text(r#"{"in":"header","name":"X-A","required":true,"example":"a b"}"#, &["X-A: a b"])]
#[case::a_list(r#"{"in":"header","name":"X-A","required":true,"example":["a","b"]}"#, &["X-A: a,b"])]
#[case::a_mapping(r#"{"in":"header","name":"X-A","required":true,"explode":true,"example":{"a":1,"b":2}}"#, &["X-A: a=1,b=2"])]
#[case::what_no_header_can_have(r#"{"in":"header","name":"X-A","required":true,"example":" a\r\nX-B: \u00e9 "}"#, &["X-A: a%0D%0AX-B: %C3%A9"])]
#[case::no_name_of_a_header(r#"{"in":"header","name":"X A\r\n","required":true,"example":"a"}"#, &[])]
#[case::headers_that_the_body_decides(r#"{"in":"header","name":"content-type","required":true,"example":"a"}"#, &[])]
#[case::a_cookie(r#"{"in":"cookie","name":"s","required":true,"example":"a; b"}"#, &["Cookie: s=a%3B%20b"])]
#[case::a_list_in_cookies(r#"{"in":"cookie","name":"s","required":true,"example":[1,2]}"#, &["Cookie: s=1; s=2"])]
fn headers_have_the_required_parameters(#[case] parameter: &str, #[case] expected: &[&str]) {
    assert_eq!(headers(&with_parameter(parameter)), expected);
}

#[rstest]
#[case::in_the_query("query", &[], "?k=YOUR_API_KEY")]
#[case::in_a_cookie("cookie", &["Cookie: k=YOUR_API_KEY"], "")]
#[case::in_a_header("header", &["k: YOUR_API_KEY"], "")]
fn a_credential_replaces_a_parameter_with_its_name(
    #[case] place: &str,
    #[case] expected: &[&str],
    #[case] query: &str,
) {
    let parameter = format!(r#"{{"in":"{place}","name":"k","required":true,"schema":{{"type":"string"}}}}"#);
    let others = format!(
        r#","security":[{{"it":[]}}],"components":{{"securitySchemes":{{"it":{{"type":"apiKey","in":"{place}","name":"k"}}}}}}"#
    );
    let found = request(&format!(r#"{{"parameters":[{parameter}]}}"#), &others);
    assert_eq!(headers(&found), expected);
    assert_eq!(found.url, format!("https://example.com/a/id{query}"));
}

#[rstest]
#[case::a_key_in_a_header(r#"{"type":"apiKey","in":"header","name":"X-Key"}"#, &["X-Key: YOUR_API_KEY"], "")]
#[case::a_key_in_the_query(r#"{"type":"apiKey","in":"query","name":"key"}"#, &[], "?key=YOUR_API_KEY")]
#[case::a_key_in_a_cookie(r#"{"type":"apiKey","in":"cookie","name":"sid"}"#, &["Cookie: sid=YOUR_API_KEY"], "")]
#[case::bearer(r#"{"type":"http","scheme":"BEARER"}"#, &["Authorization: Bearer YOUR_TOKEN"], "")]
#[case::basic(r#"{"type":"http","scheme":"basic"}"#, &["Authorization: Basic YOUR_CREDENTIALS"], "")]
#[case::another_scheme(r#"{"type":"http","scheme":"DPoP"}"#, &["Authorization: DPoP YOUR_CREDENTIALS"], "")]
#[case::oauth(r#"{"type":"oauth2","flows":{}}"#, &["Authorization: Bearer YOUR_TOKEN"], "")]
#[case::openid(r#"{"type":"openIdConnect"}"#, &["Authorization: Bearer YOUR_TOKEN"], "")]
#[case::certificates(r#"{"type":"mutualTLS"}"#, &[], "")]
#[case::a_reference(r##"{"$ref":"#/components/securitySchemes/other"}"##, &["Authorization: Bearer YOUR_TOKEN"], "")]
#[case::a_prefix(r#"{"type":"apiKey","in":"header","name":"Authorization","x-gitbook-prefix":"Token"}"#, &["Authorization: Token YOUR_API_KEY"], "")]
#[case::a_placeholder(r#"{"type":"http","scheme":"bearer","x-gitbook-token-placeholder":"sk_test"}"#, &["Authorization: Bearer sk_test"], "")]
#[case::a_hostile_scheme(r#"{"type":"http","scheme":"a\r\nb"}"#, &["Authorization: Bearer YOUR_TOKEN"], "")]
#[case::an_unknown_type(r#"{"type":"magic"}"#, &[], "")]
fn credentials_have_placeholders(#[case] scheme: &str, #[case] expected: &[&str], #[case] query: &str) {
    let others = format!(
        r#","security":[{{"it":[]}},{{"other":[]}}],"components":{{"securitySchemes":{{"it":{scheme},"other":{{"type":"http","scheme":"bearer"}}}}}}"#
    );
    let found = request("{}", &others);
    assert_eq!(headers(&found), expected);
    assert_eq!(found.url, format!("https://example.com/a/id{query}"));
    assert_eq!(headers(&request(r#"{"security":[]}"#, &others)), Vec::<String>::new());
    assert_eq!(headers(&request(r#"{"security":[{},{"other":[]}]}"#, &others)), Vec::<String>::new());
    assert_eq!(headers(&request(r#"{"security":[{"other":[]}]}"#, &others)), ["Authorization: Bearer YOUR_TOKEN"]);
}

#[test]
fn credentials_count_more_than_a_parameter() {
    let others = r#","security":[{"it":[]}],"components":{"securitySchemes":{"it":{"type":"http","scheme":"bearer"}}}"#;
    let parameter = r#"{"in":"header","name":"authorization","required":true,"example":"x"}"#;
    assert_eq!(
        headers(&request(&format!(r#"{{"parameters":[{parameter}]}}"#), others)),
        ["Authorization: Bearer YOUR_TOKEN"]
    );
    assert_eq!(headers(&with_parameter(parameter)), ["authorization: x"]);
}

#[rstest]
#[case::json_of_several(r#"{"200":{"content":{"text/html":{},"application/json":{}}}}"#, &["Accept: application/json"])]
#[case::the_first_success(r#"{"404":{"content":{"text/html":{}}},"201":{"content":{"text/csv":{}}}}"#, &["Accept: text/csv"])]
#[case::the_default(r#"{"default":{"content":{"*/*":{}}}}"#, &["Accept: */*"])]
#[case::a_reference(r##"{"2XX":{"$ref":"#/components/responses/R"}}"##, &["Accept: image/png"])]
#[case::nothing(r#"{"204":{}}"#, &[])]
#[case::no_media_type(r#"{"200":{"content":{"a\r\nb":{}}}}"#, &[])]
fn what_is_accepted_is_what_success_sends(#[case] responses: &str, #[case] expected: &[&str]) {
    let others = r#","components":{"responses":{"R":{"content":{"image/png":{}}}}}"#;
    assert_eq!(headers(&request(&format!(r#"{{"responses":{responses}}}"#), others)), expected);
}

/// The body of an operation with this content, as JSON.
fn body(content: &str, media_type: Option<&str>) -> Value {
    let document = document(&format!(r#"{{"requestBody":{{"content":{content}}}}}"#), "");
    let options = SampleOptions { media_type, ..SampleOptions::default() };
    let found = operation_request(&document, "/a/{id}/", "Post", &options).expect("the operation is there");
    serde_json::to_value(found.body).expect("it can be written")
}

#[rstest]
#[case::json(r#"{"application/json":{"example":{"a":1}}}"#, json!({"kind": "json", "mediaType": "application/json", "value": {"a": 1}}))]
#[case::json_before_others(r#"{"text/plain":{},"application/vnd.a+json":{"schema":{"type":"integer"}}}"#, json!({"kind": "json", "mediaType": "application/vnd.a+json", "value": 1}))]
#[case::lines(r#"{"application/x-ndjson":{"example":[1,{}]}}"#, json!({"kind": "text", "mediaType": "application/x-ndjson", "text": "1\n{}\n"}))]
#[case::a_text(r#"{"text/plain; charset=utf-8":{"example":"a\nb"}}"#, json!({"kind": "text", "mediaType": "text/plain; charset=utf-8", "text": "a\nb"}))]
#[case::xml(r#"{"application/xml":{"schema":{"type":"object","xml":{"name":"a"},"properties":{"b":{"type":"integer"}}}}}"#, json!({"kind": "text", "mediaType": "application/xml", "text": "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<a>\n  <b>1</b>\n</a>\n"}))]
#[case::a_file(r#"{"image/*":{"schema":{}}}"#, json!({"kind": "file", "mediaType": "image/png", "name": "file.png"}))]
#[case::a_file_about_which_nothing_is_said(r#"{"application/octet-stream":{}}"#, json!({"kind": "file", "mediaType": "application/octet-stream", "name": "file.bin"}))]
#[case::an_unknown_type_with_fields(r#"{"application/vnd.a":{"example":{"a":1}}}"#, json!({"kind": "text", "mediaType": "application/vnd.a", "text": "{\n  \"a\": 1\n}"}))]
#[case::an_unknown_type_with_a_text(r#"{"application/vnd.a":{"example":"x"}}"#, json!({"kind": "text", "mediaType": "application/vnd.a", "text": "x"}))]
#[case::an_example_elsewhere(r#"{"application/json":{"examples":{"a":{"externalValue":"https://x/"}},"schema":{"type":"integer"}}}"#, json!({"kind": "json", "mediaType": "application/json", "value": 1}))]
#[case::no_media_type(r#"{"a\r\nb":{"example":1}}"#, json!(null))]
#[case::nothing(r#"{"application/json":{}}"#, json!(null))]
#[case::no_read_only_fields(r#"{"application/json":{"schema":{"properties":{"id":{"readOnly":true},"a":{"const":1}}}}}"#, json!({"kind": "json", "mediaType": "application/json", "value": {"a": 1}}))]
fn a_body_is_made_by_its_media_type(#[case] content: &str, #[case] expected: Value) {
    assert_eq!(body(content, None), expected);
}

#[test]
fn readers_choose_the_media_type() {
    let content = r#"{"application/json":{"example":1},"text/plain":{"example":"a"}}"#;
    assert_eq!(body(content, Some("text/plain"))["kind"], "text");
    assert_eq!(body(content, Some("text/unheard"))["kind"], "json");
}

#[rstest]
#[case::fields(r#"{"example":{"a":1,"b":"x y","c":null,"d":true}}"#, json!([["a", "1"], ["b", "x y"], ["d", "true"]]))]
#[case::lists_and_mappings(r#"{"example":{"a":[1,2],"b":{"c":1}}}"#, json!([["a", "1"], ["a", "2"], ["b", "{\"c\":1}"]]))]
#[case::styles(
    r#"{"example":{"a":[1,2],"b":{"c":1},"d":[3,4],"e":{"f":1}},"encoding":{"a":{"explode":false},"b":{"style":"deepObject","explode":true},"d":{"style":"pipeDelimited"},"e":{"style":"form"}}}"#,
    json!([["a", "1,2"], ["b[c]", "1"], ["d", "3|4"], ["f", "1"]])
)]
#[case::no_names(r#"{"example":{"":1}}"#, json!([]))]
fn fields_of_a_form(#[case] content: &str, #[case] expected: Value) {
    let found = body(&format!(r#"{{"application/x-www-form-urlencoded":{content}}}"#), None);
    assert_eq!(found, json!({"kind": "form", "fields": expected}));
}

#[test]
fn a_form_that_is_given_as_text_is_sent_so() {
    let found = body(r#"{"application/x-www-form-urlencoded":{"example":"a=1&b=2"}}"#, None);
    assert_eq!(found["text"], "a=1&b=2");
}

#[test]
fn parts_of_a_form_are_texts_json_and_files() {
    let schema = r#"{"properties":{
        "text":{"type":"string"},"data":{"type":"object","properties":{"a":{"type":"integer"}}},
        "bytes":{"type":"string","contentMediaType":"application/octet-stream"},"old":{"type":"string","format":"binary"},
        "unsaid":{},"photo":{"type":"string"},"photos":{"type":"array","items":{"type":"string","contentMediaType":"image/webp"}},
        "coded":{"type":"string","contentEncoding":"base64","contentMediaType":"image/png"},"list":{"type":"array","items":{"type":"integer"}}}}"#;
    let encoding = r#"{"photo":{"contentType":"image/png, image/jpeg"},"text":{"contentType":"text/csv"}}"#;
    let found = body(&format!(r#"{{"multipart/form-data":{{"schema":{schema},"encoding":{encoding}}}}}"#), None);
    let part = |name: &str, media_type: Value, kind: &str, value: &str| json!({"name": name, "mediaType": media_type, "content": {"kind": kind, "value": value}});
    let expected = json!([
        part("text", json!("text/csv"), "text", "text"),
        part("data", json!("application/json"), "text", "{\"a\":1}"),
        part("bytes", json!("application/octet-stream"), "file", "file.bin"),
        part("old", json!("application/octet-stream"), "file", "file.bin"),
        part("unsaid", json!("application/octet-stream"), "file", "file.bin"),
        part("photo", json!("image/png"), "file", "file.png"),
        part("photos", json!("image/webp"), "file", "file.webp"),
        part("coded", json!(null), "text", "dGV4dA=="),
        part("list", json!(null), "text", "1"),
    ]);
    assert_eq!(found, json!({"kind": "multipart", "parts": expected}));
}

#[test]
fn other_types_of_parts_are_written_out() {
    let found = body(r#"{"multipart/mixed; a=b":{"example":{"a":"x"}}}"#, None);
    let expected =
        "--boundary-of-form\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nx\r\n--boundary-of-form--\r\n";
    assert_eq!(
        found,
        json!({"kind": "text", "mediaType": "multipart/mixed; boundary=boundary-of-form", "text": expected})
    );
}

#[test]
fn samples_of_the_author_come_first_and_their_languages_once() {
    let given = r#"{"x-codeSamples":[{"lang":"Shell","source":"octavo get"},{"lang":"Rust","label":"SDK","source":"x"},{"lang":"Ruby"},7]}"#;
    let samples = operation_samples(&document(given, ""), "/a/{id}", "post", &SampleOptions::default());
    let samples = samples.expect("the operation is there");
    let found: Vec<(&str, &str, bool)> =
        samples.iter().map(|sample| (sample.lang.as_str(), sample.label.as_str(), sample.given)).collect();
    assert_eq!(
        found,
        [
            ("Shell", "cURL", true),
            ("Rust", "SDK", true),
            ("javascript", "JavaScript", false),
            ("python", "Python", false),
            ("go", "Go", false),
            ("http", "HTTP", false)
        ]
    );
    assert_eq!(samples.first().map(|sample| sample.source.as_str()), Some("octavo get"));
}

#[rstest]
#[case::all("{}", 5)]
#[case::none(r#"{"x-codeSamples":false}"#, 0)]
#[case::an_older_name(r#"{"x-code-samples":[{"lang":"go","source":"a"}]}"#, 5)]
#[case::another_form(r#"{"x-codeSamples":{"lang":"go"}}"#, 5)]
fn an_operation_has_samples(#[case] operation: &str, #[case] count: usize) {
    let samples = operation_samples(&document(operation, ""), "/a/{id}", "post", &SampleOptions::default());
    assert_eq!(samples.expect("the operation is there").len(), count);
}

#[test]
fn other_methods_keep_their_letters_and_no_other_text_is_a_method() {
    let document = tree(r#"{"paths":{"/a":{"additionalOperations":{"Copy":{},"A B\r\n":{}},"trace":{}}}}"#);
    let found = |method: &str| operation_request(&document, "/a", method, &SampleOptions::default());
    assert_eq!(found("copy").expect("it is there").method, "Copy");
    assert!(found("A B\r\n").is_none());
    assert!(found("get").is_none());
    let languages = |method: &str| {
        let samples = operation_samples(&document, "/a", method, &SampleOptions::default());
        samples.map(|samples| samples.into_iter().map(|sample| sample.lang).collect::<Vec<_>>())
    };
    assert_eq!(languages("TRACE").expect("it is there"), ["curl", "python", "go", "http"]);
    assert_eq!(languages("A B\r\n").expect("it is there"), Vec::<String>::new());
    assert_eq!(languages("get"), None);
}

#[test]
fn an_unknown_body_is_no_body() {
    let found = request(r##"{"requestBody":{"$ref":"#/components/requestBodies/No"}}"##, "");
    assert!(found.body.is_none());
    assert!(matches!(request(r#"{"requestBody":{"content":{"a/b":{}}}}"#, "").body, Some(SampleBody::File { .. })));
}
