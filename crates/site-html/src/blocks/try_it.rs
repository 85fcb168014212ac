//! Forms that try an operation: the data that their script builds them from.
use super::Blocks;
use crate::assets::TRY;
use crate::texts::Word;
use domain::openapi::example::{BodyExamples, OperationExamples};
use domain::openapi::view::{OperationView, ParameterView, SchemeView, ServerView};
use maud::{Markup, html};
use serde::Serialize;
use std::collections::HashSet;
use url::Url;

/// The maximum length of an example that the form begins with, in bytes.
const MAX_EXAMPLE: usize = 16 * 1024;
/// The maximum number of servers that visitors can choose from.
const MAX_SERVERS: usize = 20;
/// Methods that scripts of pages cannot send.
const UNSENT: [&str; 3] = ["CONNECT", "TRACE", "TRACK"];

/// A request to be filled in.
#[derive(Debug, PartialEq, Serialize)]
struct Request<'a> {
    method: String,
    path: &'a str,
    servers: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    parameters: Vec<Parameter<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    credentials: Vec<Credential<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    bodies: Vec<Body<'a>>,
    words: Words,
}

#[derive(Debug, PartialEq, Serialize)]
struct Parameter<'a> {
    name: &'a str,
    #[serde(rename = "in")]
    place: &'a str,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    required: bool,
    /// All values that it can have, if there are few.
    #[serde(skip_serializing_if = "Option::is_none")]
    values: Option<Vec<&'a str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    example: Option<&'a str>,
}

#[derive(Debug, PartialEq, Serialize)]
struct Credential<'a> {
    /// The name of the scheme.
    label: &'a str,
    /// The name of the header or the parameter.
    name: &'a str,
    #[serde(rename = "in")]
    place: &'a str,
    /// The prefix of the credential.
    #[serde(skip_serializing_if = "Option::is_none")]
    prefix: Option<String>,
    /// Whether it is `name:password`, which is sent in base64.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    basic: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<&'a str>,
}

#[derive(Debug, PartialEq, Serialize)]
struct Body<'a> {
    #[serde(rename = "type")]
    media_type: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<&'a str>,
    /// Whether the visitor chooses a file.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    file: bool,
}

/// The words of the form.
#[derive(Debug, PartialEq, Serialize)]
struct Words {
    server: &'static str,
    authorization: &'static str,
    private: &'static str,
    path: &'static str,
    query: &'static str,
    header: &'static str,
    body: &'static str,
    headers: &'static str,
    send: &'static str,
    failed: &'static str,
}

/// The button that opens the form of an operation. Nothing if a page cannot send the request, or if the author of the
/// spec disabled it.
pub(super) fn button(blocks: &mut Blocks<'_>, view: &OperationView, examples: &OperationExamples) -> Markup {
    let Some(request) = request(blocks, view, examples) else { return html! {} };
    let Ok(json) = serde_json::to_string(&request) else { return html! {} };
    for server in &request.servers {
        blocks.servers.extend(Url::parse(server).ok().map(|url| url.origin().ascii_serialization()));
    }
    let module = format!("{}~/assets/{}", blocks.context.base, TRY.name);
    html! {
        button.o-try.o-button type="button" hidden aria-expanded="false" data-try=(json) data-module=(module) {
            (blocks.word(Word::TryIt))
        }
    }
}

fn request<'a>(blocks: &Blocks<'_>, view: &'a OperationView, examples: &'a OperationExamples) -> Option<Request<'a>> {
    let path = view.path.as_deref().filter(|path| path.starts_with('/'))?;
    let method = view.method.to_uppercase();
    let servers: Vec<String> = view.servers.iter().filter_map(address).take(MAX_SERVERS).collect();
    if view.options.hide_try_it || UNSENT.contains(&method.as_str()) || servers.is_empty() {
        return None;
    }
    let bodies: Vec<Body<'a>> = view
        .body
        .iter()
        .flat_map(|body| &body.content)
        .filter_map(|media| {
            body(&media.media_type, examples.body.iter().find(|examples| examples.media_type == media.media_type))
        })
        .collect();
    if view.body.as_ref().is_some_and(|body| body.required) && bodies.is_empty() {
        return None;
    }
    let parameters = view
        .parameters
        .iter()
        .flat_map(|group| group.parameters.iter().filter_map(|parameter| self::parameter(&group.place, parameter)));
    let mut seen = HashSet::new();
    let schemes = view.security.alternatives.iter().flat_map(|alternative| &alternative.schemes);
    let credentials = schemes.filter_map(credential);
    Some(Request {
        method,
        path,
        servers,
        parameters: parameters.collect(),
        credentials: credentials.filter(|one| seen.insert((one.place, one.name))).collect(),
        bodies,
        words: words(blocks),
    })
}

fn words(blocks: &Blocks<'_>) -> Words {
    Words {
        server: blocks.word(Word::Server),
        authorization: blocks.word(Word::Authorization),
        private: blocks.word(Word::TryNotStored),
        path: blocks.word(Word::PathParameters),
        query: blocks.word(Word::QueryParameters),
        header: blocks.word(Word::HeaderParameters),
        body: blocks.word(Word::Body),
        headers: blocks.word(Word::Headers),
        send: blocks.word(Word::Send),
        failed: blocks.word(Word::TryFailed),
    }
}

/// The absolute address of a server without a slash at its end, with the defaults of its variables.
fn address(server: &ServerView) -> Option<String> {
    let filled = server
        .variables
        .iter()
        .fold(server.url.clone(), |url, variable| url.replace(&format!("{{{}}}", variable.name), &variable.default));
    let url = Url::parse(&filled).ok()?;
    let plain = matches!(url.scheme(), "http" | "https") && url.username().is_empty() && url.password().is_none();
    (plain && url.query().is_none() && url.fragment().is_none()).then(|| url.as_str().trim_end_matches('/').to_owned())
}

/// Browsers set cookies themselves, and `querystring` is more than one parameter.
fn parameter<'a>(place: &'a str, parameter: &'a ParameterView) -> Option<Parameter<'a>> {
    let row = &parameter.row;
    let name = row.name.as_deref()?;
    if !matches!(place, "path" | "query" | "header") {
        return None;
    }
    let all = row.more_values == 0 && !row.values.is_empty() && !row.type_text.starts_with("array");
    let values = match row.type_text.as_str() {
        "boolean" => Some(vec!["true", "false"]),
        _ => all.then(|| row.values.iter().map(|value| value.value.as_str()).collect()),
    };
    let example = row.example.as_deref().or(row.default.as_deref());
    Some(Parameter { name, place, required: row.required || place == "path", values, example })
}

fn credential(scheme: &SchemeView) -> Option<Credential<'_>> {
    let own = scheme.prefix.as_deref().map(|prefix| format!("{prefix} ")).filter(|prefix| !prefix.trim().is_empty());
    let hint = scheme.token_placeholder.as_deref();
    let header = |prefix: &str, basic: bool| Credential {
        label: &scheme.name,
        name: "Authorization",
        place: "header",
        prefix: Some(own.clone().unwrap_or_else(|| format!("{prefix} "))),
        basic,
        hint: hint.or(basic.then_some("name:password")),
    };
    match (scheme.kind.as_deref()?, scheme.place.as_deref()) {
        ("apiKey", Some(place @ ("header" | "query"))) => {
            let name = scheme.parameter.as_deref()?;
            Some(Credential { label: &scheme.name, name, place, prefix: own, basic: false, hint })
        }
        ("http", _) => match scheme.scheme.as_deref().unwrap_or("bearer") {
            basic if basic.eq_ignore_ascii_case("basic") => Some(header("Basic", true)),
            bearer if bearer.eq_ignore_ascii_case("bearer") => Some(header("Bearer", false)),
            other => Some(header(other, false)),
        },
        ("oauth2" | "openIdConnect", _) => Some(header("Bearer", false)),
        _ => None,
    }
}

/// A body that a visitor can write, or choose as a file. Forms with parts cannot be written as a text.
fn body<'a>(media_type: &'a str, examples: Option<&'a BodyExamples>) -> Option<Body<'a>> {
    let kind = media_type.to_ascii_lowercase();
    if kind.starts_with("multipart/") || kind.contains('*') {
        return None;
    }
    let text =
        kind.starts_with("text/") || ["json", "xml", "yaml", "form-urlencoded"].iter().any(|one| kind.contains(one));
    let example = examples.and_then(|examples| examples.examples.first()).filter(|example| !example.is_cut);
    let example = example.and_then(|example| example.text.as_deref()).filter(|text| text.len() <= MAX_EXAMPLE);
    Some(Body { media_type, text: example.filter(|_| text), file: !text })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::article::RenderContext;
    use crate::texts::Texts;
    use domain::openapi::example::operation_examples;
    use domain::openapi::text::read;
    use domain::openapi::view;
    use domain::site::customization::{ExternalLinkTarget, IconStyle, Locale};
    use domain::site::reader::References;
    use rstest::rstest;
    use serde_json::{Value, json};

    /// The markup of the button of an operation `POST /pets/{pet}` with further fields of the document and of the
    /// operation, and the origins of its servers.
    fn rendered(document: Value, fields: Value) -> (String, Vec<String>) {
        let mut operation = json!({"parameters": [{"name": "pet", "in": "path", "required": true, "example": "rex"}]});
        operation.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        let mut whole = json!({"openapi": "3.1.0", "servers": [{"url": "https://api.test/v1/"}], "paths": {"/pets/{pet}": {"post": operation}}});
        whole.as_object_mut().unwrap().extend(document.as_object().unwrap().clone());
        let root = read(whole.to_string().as_bytes()).root.unwrap();
        let view = view::operation(&root, "/pets/{pet}", "post", &view::Budget::default()).unwrap();
        let examples = operation_examples(&root, "/pets/{pet}", "post").unwrap();
        let (references, texts) = (References::default(), Texts { locale: Locale::En });
        let context = RenderContext {
            references: &references,
            texts: &texts,
            external_links: ExternalLinkTarget::Own,
            icons: IconStyle::Regular,
            base: "/s/pets/",
            page: "/s/pets/",
            external_images: None,
            schemas: None,
            former_anchors: &[],
            diagrams: &crate::diagram::UncachedDiagrams,
        };
        let mut blocks = Blocks::new(&context, &[], "");
        let html = button(&mut blocks, &view, &examples).into_string();
        (html, blocks.servers.into_iter().collect())
    }

    /// The request of the button.
    fn request_of(document: Value, fields: Value) -> Value {
        let (html, _) = rendered(document, fields);
        let json = html.split("data-try=\"").nth(1).unwrap().split('"').next().unwrap();
        let mut request: Value = serde_json::from_str(
            &json.replace("&quot;", "\"").replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&"),
        )
        .unwrap();
        assert_eq!(request.as_object_mut().unwrap().remove("words").unwrap()["send"], "Send");
        request
    }

    #[test]
    fn a_form_has_what_a_request_needs() {
        let fields = json!({
            "parameters": [
                {"name": "pet", "in": "path", "required": true},
                {"name": "dry", "in": "query", "schema": {"type": "boolean"}},
                {"name": "sort", "in": "query", "schema": {"enum": ["up", "down"]}},
                {"name": "tags", "in": "query", "schema": {"type": "array", "items": {"enum": ["a", "b"]}}},
                {"name": "X-Trace", "in": "header", "schema": {"type": "string", "default": "<none>"}},
                {"name": "session", "in": "cookie"},
            ],
            "security": [{"token": []}, {"key": [], "token": []}],
            "requestBody": {"required": true, "content": {
                "application/json": {"example": {"name": "Rex"}},
                "multipart/form-data": {},
                "image/png": {},
            }},
        });
        let document = json!({"components": {"securitySchemes": {
            "token": {"type": "http", "scheme": "bearer"},
            "key": {"type": "apiKey", "in": "query", "name": "key"},
        }}});
        let expected = json!({
            "method": "POST",
            "path": "/pets/{pet}",
            "servers": ["https://api.test/v1"],
            "parameters": [
                {"name": "pet", "in": "path", "required": true},
                {"name": "dry", "in": "query", "values": ["true", "false"]},
                {"name": "sort", "in": "query", "values": ["up", "down"]},
                {"name": "tags", "in": "query"},
                {"name": "X-Trace", "in": "header", "example": "<none>"},
            ],
            "credentials": [
                {"label": "token", "name": "Authorization", "in": "header", "prefix": "Bearer "},
                {"label": "key", "name": "key", "in": "query"},
            ],
            "bodies": [
                {"type": "application/json", "text": "{\n  \"name\": \"Rex\"\n}"},
                {"type": "image/png", "file": true},
            ],
        });
        assert_eq!(request_of(document, fields), expected);
    }

    #[rstest]
    #[case(json!([{"url": "http://{host}:8080/{v}", "variables": {"host": {"default": "a.test"}, "v": {"default": "v2"}}}]), &["http://a.test:8080/v2"])]
    #[case(json!([{"url": "/v1"}, {"url": "https://b.test"}, {"url": "javascript:alert(1)"}]), &["https://b.test"])]
    #[case(json!([{"url": "https://name:secret@b.test"}, {"url": "https://b.test/?a=b"}, {"url": "https://c.test"}]), &["https://c.test"])]
    fn servers_are_absolute_addresses(#[case] servers: Value, #[case] expected: &[&str]) {
        assert_eq!(request_of(json!({"servers": servers}), json!({}))["servers"], json!(expected));
    }

    #[test]
    fn the_button_leads_to_its_script_and_the_policy_to_the_servers() {
        let servers = json!({"servers": [{"url": "https://a.test/v1"}, {"url": "https://a.test/v2"}, {"url": "http://b.test:81"}]});
        let (html, origins) = rendered(servers, json!({}));
        assert_eq!(origins, ["http://b.test:81", "https://a.test"]);
        assert!(html.contains("data-module=\"/s/pets/~/assets/try-") && html.contains(" hidden "), "{html}");
    }

    #[rstest]
    #[case::the_author_hides_it(json!({}), json!({"x-hideTryItPanel": true}))]
    #[case::no_address(json!({"servers": [{"url": "/v1"}]}), json!({}))]
    #[case::a_body_of_parts(json!({}), json!({"requestBody": {"required": true, "content": {"multipart/form-data": {}}}}))]
    fn what_a_page_cannot_send_has_no_button(#[case] document: Value, #[case] fields: Value) {
        assert_eq!(rendered(document, fields), (String::new(), Vec::new()));
    }
}
