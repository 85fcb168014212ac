//! Operations and schemas of OpenAPI specs.
use super::hostile::{HOSTILE, assert_harmless};
use super::{document, lines, references, rendered_with};
use crate::article::Article;
use domain::content::document::SpecificationPart;
use domain::openapi::example::{operation_examples, webhook_examples};
use domain::openapi::parts::summary;
use domain::openapi::sample::{SampleOptions, operation_samples};
use domain::openapi::text::read;
use domain::openapi::tree::Node;
use domain::openapi::upgrade::upgrade;
use domain::openapi::view::{self, Budget};
use domain::site::reader::{OpenapiBlock, OpenapiKey};
use rstest::rstest;

const SPEC: &str = include_str!("spec.yaml");

/// A text whose blocks show parts of a spec.
fn rendered(text: &str, spec: &str) -> Article {
    rendered_of(text, &read(spec.as_bytes()).root.expect("a spec"))
}

/// A text whose blocks show parts of a document.
fn rendered_of(text: &str, root: &Node) -> Article {
    let document = document(text);
    let mut references = references(&document);
    for found in document.specification_uses() {
        let budget = Budget::default();
        let operation = |view, examples, samples| OpenapiBlock::Operation {
            view: Box::new(view),
            examples: Box::new(examples),
            samples,
        };
        let block = match &found.shows {
            SpecificationPart::Operation { method, path } => {
                let view = view::operation(root, path, method, &budget).expect("an operation");
                let examples = operation_examples(root, path, method).expect("examples");
                let samples = operation_samples(root, path, method, &SampleOptions::default()).expect("samples");
                operation(view, examples, samples)
            }
            SpecificationPart::Webhook { name, method } => {
                let view = view::webhook(root, name, method, &budget).expect("a webhook");
                operation(view, webhook_examples(root, name, method).expect("examples"), Vec::new())
            }
            SpecificationPart::Schemas { schemas } => OpenapiBlock::Schemas(view::models(root, schemas, &budget)),
        };
        references.openapi.insert(OpenapiKey { spec: found.spec, version: found.version, shows: found.shows }, block);
    }
    rendered_with(&document, &references)
}

#[rstest]
#[case::operation(
    "{% openapi-operation spec=\"pets\" path=\"/pets/{id}\" method=\"put\" %}\n{% endopenapi-operation %}\n"
)]
#[case::operation_without_heading(
    "{% openapi-operation spec=\"pets\" path=\"/pets\" method=\"get\" headless=\"true\" id=\"list\" %}\n{% endopenapi-operation %}\n"
)]
#[case::openapi_webhook(
    "{% openapi-webhook spec=\"pets\" name=\"petMoved\" method=\"post\" %}\n{% endopenapi-webhook %}\n"
)]
#[case::openapi_schemas(
    "{% openapi-schemas spec=\"pets\" schemas=\"Pet,Owner\" title=\"Objects\" %}\n{% endopenapi-schemas %}\n"
)]
fn a_part_of_a_spec_is(#[case] text: &str) {
    let name = std::thread::current().name().unwrap_or_default().rsplit("::").next().unwrap_or_default().to_owned();
    let name = name.splitn(3, '_').nth(2).unwrap_or(&name).to_owned();
    // The name of the script changes with its text.
    let html = rendered(text, SPEC).html.replace(crate::assets::TRY.name, "try.js");
    insta::assert_snapshot!(name, lines(&html));
}

#[test]
fn operations_with_headings_are_in_the_outline() {
    let article = rendered(
        "{% openapi-operation spec=\"pets\" path=\"/pets/{id}\" method=\"put\" %}\n{% endopenapi-operation %}\n\n\
         {% openapi-operation spec=\"pets\" path=\"/pets\" method=\"get\" headless=\"true\" %}\n{% endopenapi-operation %}\n",
        SPEC,
    );
    let outline: Vec<(u8, &str, &str)> =
        article.outline.iter().map(|entry| (entry.level, entry.text.as_str(), entry.anchor.as_str())).collect();
    assert_eq!(outline, [(1, "Change a pet", "changepet")]);
}

#[test]
fn a_description_shows_no_operation_of_its_own() {
    let tag =
        "{% openapi-operation spec=\\\"pets\\\" path=\\\"/a\\\" method=\\\"get\\\" %}\\n{% endopenapi-operation %}";
    let spec = format!(
        "openapi: 3.1.0\ninfo: {{title: A, version: '1'}}\npaths:\n  /a:\n    get:\n      description: \"# Head\\n\\n{tag}\"\n      responses: {{}}\n"
    );
    let article = rendered(
        "{% openapi-operation spec=\"pets\" path=\"/a\" method=\"get\" %}\n{% endopenapi-operation %}\n",
        &spec,
    );
    assert_eq!(article.html.matches("class=\"o-endpoint\"").count(), 2, "{}", article.html);
    assert!(article.html.contains("This content is not available."));
    assert!(article.html.contains("<h4>Head</h4>"), "{}", article.html);
}

#[test]
fn equal_examples_of_a_body_are_shown_once_with_all_names() {
    let spec = "openapi: 3.1.0\ninfo: {title: A, version: '1'}\npaths:\n  /a:\n    get:\n      responses:\n        '200':\n          description: Found\n          content:\n            application/json:\n              examples:\n                red: {value: {a: 1}}\n                green: {value: {b: 2}}\n                blue: {value: {a: 1}}\n";
    let tag = "{% openapi-operation spec=\"pets\" path=\"/a\" method=\"get\" %}\n{% endopenapi-operation %}\n";
    let html = rendered(tag, spec).html;
    assert!(html.contains("red, blue · application/json") && html.contains("green · application/json"), "{html}");
    assert_eq!(html.matches(" · application/json").count(), 2, "{html}");
}

/// The folder of `OCTAVO_SPECS`, which `dev/corpus` fetches, has these documents. Without optimisation, only every fiftieth
/// operation is rendered, and one with five equal examples of 13 KB.
#[rstest]
fn an_operation_of_a_real_document_has_at_most_300_kib(
    #[values("github.json", "stripe.json", "figma-0.43.yaml")] name: &str,
) {
    let file = std::env::var_os("OCTAVO_SPECS").map(|folder| std::path::Path::new(&folder).join(name));
    let Some(text) = file.and_then(|file| std::fs::read(file).ok()) else { return };
    let root = upgrade(read(&text).root.expect("a document"), None);
    let mut largest = 0;
    let operations = summary(&root).operations;
    assert!(operations.len() > 30, "{} operations", operations.len());
    let is_rendered = |at: usize, path: &str| {
        !cfg!(debug_assertions)
            || at.is_multiple_of(50)
            || path.ends_with("/projectsV2/{project_number}/items/{item_id}")
    };
    for (_, found) in operations.iter().enumerate().filter(|(at, found)| is_rendered(*at, &found.path)) {
        let (path, method) = (&found.path, &found.method);
        let block = format!(
            "{{% openapi-operation spec=\"real\" path=\"{path}\" method=\"{method}\" %}}\n{{% endopenapi-operation %}}\n"
        );
        let html = rendered_of(&block, &root).html;
        assert!(html.contains("o-endpoint"), "{method} {path}");
        assert!(html.len() <= 300 * 1024, "{method} {path}: {} bytes", html.len());
        largest = largest.max(html.len());
    }
    assert!(largest > 5_000, "{largest} bytes");
}

/// Puts something hostile behind every text of a spec, but those that its structure depends on.
fn poison(value: &mut serde_json::Value, with: &str) {
    const KEPT: [&str; 9] = ["$ref", "type", "in", "openapi", "style", "scheme", "operationId", "x-sunset", "format"];
    match value {
        serde_json::Value::Array(items) => items.iter_mut().for_each(|item| poison(item, with)),
        serde_json::Value::Object(members) => {
            for (key, item) in members.iter_mut() {
                if !KEPT.contains(&key.as_str()) {
                    poison(item, with);
                }
            }
        }
        serde_json::Value::String(text) => text.push_str(with),
        _ => {}
    }
}

#[test]
fn no_text_of_a_spec_runs() {
    let text = "{% openapi-operation spec=\"pets\" path=\"/pets/{id}\" method=\"put\" %}\n{% endopenapi-operation %}\n\n\
                {% openapi-operation spec=\"pets\" path=\"/pets\" method=\"get\" %}\n{% endopenapi-operation %}\n\n\
                {% openapi-webhook spec=\"pets\" name=\"petMoved\" method=\"post\" %}\n{% endopenapi-webhook %}\n\n\
                {% openapi-schemas spec=\"pets\" schemas=\"Pet,Owner\" %}\n{% endopenapi-schemas %}\n";
    let root = read(SPEC.as_bytes()).root.expect("a spec");
    let spec: serde_json::Value = serde_json::from_str(&root.to_json()).expect("a spec in JSON");
    for hostile in HOSTILE {
        let mut spec = spec.clone();
        poison(&mut spec, hostile);
        let article = rendered(text, &spec.to_string());
        assert!(article.html.contains("o-response"));
        assert_harmless(&article.html, &article.css);
    }
}
