//! The structure of a document, by the official JSON Schema of its version.
mod explain;
mod instance;
mod message;
#[cfg(test)]
mod tests;

use crate::deadline::Deadline;
use crate::dialect::Version;
use crate::finding::Findings;
use crate::tree::Node;
use instance::{Budget, Document, Instance};
use jsonschema::json::Json;
use jsonschema::{Draft, Registry, Validator};
use serde_json::{Value, json};
use std::sync::LazyLock;

/// The maximum number of errors that the validator reports; a choice reports errors for each branch.
const MAX_ERRORS: usize = 5_000;

/// Checks the structure. For a document with thousands of errors, only the first ones are reported.
pub(super) fn check(root: &Node, version: Version, deadline: &Deadline<'_>, findings: &mut Findings) {
    let Some(schemas) = schemas(version) else { return };
    let validator = if has_other_dialect(root) { &schemas.without_schema_objects } else { &schemas.complete };
    let budget = Budget::new(MAX_ERRORS, deadline);
    let errors: Vec<_> = validator.iter_errors(Instance::Value(root, &budget)).filter(instance::counts).collect();
    if deadline.look() {
        return;
    }
    explain::explain_all(&errors, root, version, schemas, findings);
}

/// Whether the schemas of a document follow another dialect of JSON Schema than OpenAPI's.
fn has_other_dialect(root: &Node) -> bool {
    root.text_of("jsonSchemaDialect").is_some_and(|dialect| {
        !dialect.starts_with("https://spec.openapis.org/oas/")
            && !dialect.starts_with("https://json-schema.org/draft/2020-12/")
    })
}

/// The schemas of a version, compiled.
struct Schemas<F: Json = Document> {
    complete: Validator<F>,
    /// 3.1 and 3.2 without the check of Schema Objects; the other versions do not have this form.
    without_schema_objects: Validator<F>,
    /// The files, with the start of their URIs.
    files: Vec<(&'static str, Value)>,
}

impl<F: Json> Schemas<F> {
    /// The schema at an absolute location of a keyword, and its file.
    fn at(&self, location: &str) -> Option<(&Value, &Value)> {
        let (uri, pointer) = location.split_once('#')?;
        let (_, file) = self.files.iter().find(|(start, _)| uri.trim_end_matches('#') == *start)?;
        Some((file.pointer(pointer)?, file))
    }
}

fn schemas(version: Version) -> Option<&'static Schemas> {
    static V2_0: LazyLock<Option<Schemas>> = LazyLock::new(|| compile(Version::V2_0));
    static V3_0: LazyLock<Option<Schemas>> = LazyLock::new(|| compile(Version::V3_0));
    static V3_1: LazyLock<Option<Schemas>> = LazyLock::new(|| compile(Version::V3_1));
    static V3_2: LazyLock<Option<Schemas>> = LazyLock::new(|| compile(Version::V3_2));
    // All four compile, as a test verifies.
    match version {
        Version::V2_0 => V2_0.as_ref(),
        Version::V3_0 => V3_0.as_ref(),
        Version::V3_1 => V3_1.as_ref(),
        Version::V3_2 => V3_2.as_ref(),
    }
}

fn compile<F: Json>(version: Version) -> Option<Schemas<F>> {
    match version {
        Version::V2_0 => compile_older("http://swagger.io/v2/schema.json", include_str!("../../../schemas/2.0.json")),
        Version::V3_0 => compile_older(
            "https://spec.openapis.org/oas/3.0/schema/2021-09-28",
            include_str!("../../../schemas/3.0.json"),
        ),
        Version::V3_1 => compile_newer([
            ("https://spec.openapis.org/oas/3.1/schema/2022-10-07", include_str!("../../../schemas/3.1.json")),
            ("https://spec.openapis.org/oas/3.1/dialect/base", include_str!("../../../schemas/3.1-dialect.json")),
            ("https://spec.openapis.org/oas/3.1/meta/base", include_str!("../../../schemas/3.1-meta.json")),
        ]),
        Version::V3_2 => compile_newer([
            ("https://spec.openapis.org/oas/3.2/schema/2025-11-23", include_str!("../../../schemas/3.2.json")),
            ("https://spec.openapis.org/oas/3.2/dialect/2025-09-17", include_str!("../../../schemas/3.2-dialect.json")),
            ("https://spec.openapis.org/oas/3.2/meta/2025-09-17", include_str!("../../../schemas/3.2-meta.json")),
        ]),
    }
}

/// Formats are not checked: real addresses have placeholders.
fn compile_older<F: Json>(uri: &'static str, text: &str) -> Option<Schemas<F>> {
    let file: Value = serde_json::from_str(text).ok()?;
    let options = jsonschema::options_for::<F>().with_draft(Draft::Draft4).should_validate_formats(false);
    let complete = options.build(&file).ok()?;
    Some(Schemas { without_schema_objects: complete.clone(), complete, files: vec![(uri, file)] })
}

/// Joins the schema of a version with its dialect, which is the second file: the dynamic anchor `meta` of the schema
/// becomes a Schema Object.
fn compile_newer<F: Json>(files: [(&'static str, &str); 3]) -> Option<Schemas<F>> {
    let files = files.map(|(uri, text)| Some((uri, serde_json::from_str::<Value>(text).ok()?)));
    let files = files.into_iter().collect::<Option<Vec<_>>>()?;
    let [(schema, _), (dialect, _), _] = files.as_slice() else { return None };
    let joined = json!({
        "$id": "urn:octavo:openapi",
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$ref": schema,
        "$defs": {"schema": {"$dynamicAnchor": "meta", "$ref": dialect}},
    });
    let bare = json!({"$schema": "https://json-schema.org/draft/2020-12/schema", "$ref": schema});
    let mut builder = Registry::new().draft(Draft::Draft202012);
    for (uri, file) in &files {
        builder = builder.add(*uri, Draft::Draft202012.create_resource_ref(file)).ok()?;
    }
    let registry = builder.prepare().ok()?;
    let options = jsonschema::options_for::<F>()
        .with_draft(Draft::Draft202012)
        .with_registry(&registry)
        .should_validate_formats(false);
    let complete = options.build(&joined).ok()?;
    let without_schema_objects = options.build(&bare).ok()?;
    drop(options);
    drop(registry);
    Some(Schemas { complete, without_schema_objects, files })
}
