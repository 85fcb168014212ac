//! Computed sources: what pages are generated from. The generated pages replace a computed page.
use crate::object::Hash;
use crate::reference::ContentRef;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::sync::Arc;
use values::id::{PageId, SpaceId};

/// The type of sources that are generated from an OpenAPI spec.
pub const OPENAPI: &str = "builtin:openapi";

/// The type of sources that are a translation of the pages of a space, or of one text.
pub const TRANSLATION: &str = "builtin:translation";

/// The maximum length of a source, in bytes of JSON: every read of the page loads it.
pub const MAX_SOURCE: usize = 16 * 1024;

/// The source of computed content. Its serialized form is that of the API.
///
/// A source of an unknown type is stored, and generates nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ComputedSource {
    /// What computes it: `builtin:…`, or `integration:…` with the names of an integration and its source.
    #[serde(rename = "type")]
    pub kind: String,
    /// Its dependencies by name; each has a content reference as `ref`.
    #[serde(default)]
    pub dependencies: Map<String, Value>,
    /// Its options.
    #[serde(default)]
    pub props: Map<String, Value>,
}

impl ComputedSource {
    /// A source that is generated from an OpenAPI spec.
    pub fn openapi(spec: &str, props: Map<String, Value>) -> Self {
        let reference = json!({ "ref": ContentRef::openapi(spec) });
        let dependencies = Map::from_iter([("spec".to_owned(), reference)]);
        Self { kind: OPENAPI.to_owned(), dependencies, props }
    }

    /// The text of a page of a space, as a translation has it.
    pub fn translated(translation: &str, space: &SpaceId, document: Option<&Hash>) -> Self {
        let reference = json!({ "ref": { "kind": "translation", "translation": translation } });
        let dependencies = Map::from_iter([("translation".to_owned(), reference)]);
        let document = document.map(|document| ("document".to_owned(), document.to_string().into()));
        let props = std::iter::once(("space".to_owned(), space.as_str().into())).chain(document).collect();
        Self { kind: TRANSLATION.to_owned(), dependencies, props }
    }

    /// Reads a source: an object with `type`, and objects as `dependencies` and `props`. `None` if it is something
    /// else, has other fields or another type than the API defines, or is longer than [`MAX_SOURCE`].
    pub fn read(value: &Value) -> Option<Self> {
        let known = |key: &String| matches!(key.as_str(), "type" | "dependencies" | "props");
        let plain = value.as_object()?.keys().all(known);
        let source: Self = serde_json::from_value(value.clone()).ok()?;
        let named = match source.kind.split(':').collect::<Vec<_>>()[..] {
            ["builtin", name] => !name.is_empty(),
            ["integration", integration, name] => !integration.is_empty() && !name.is_empty(),
            _ => false,
        };
        (plain && named && value.to_string().len() <= MAX_SOURCE).then_some(source)
    }

    /// The slug of the OpenAPI spec that it is generated from; `None` for a source of another type.
    pub fn spec(&self) -> Option<&str> {
        self.dependency(OPENAPI, "spec", "openapi", "spec")
    }

    /// The id of the version of the spec that it is generated from; `None` for the newest one.
    pub fn spec_version(&self) -> Option<&str> {
        self.dependency(OPENAPI, "spec", "openapi", "version")
    }

    /// The id of the translation that it is generated from; `None` for a source of another type.
    pub fn translation(&self) -> Option<&str> {
        self.dependency(TRANSLATION, "translation", "translation", "translation")
    }

    /// Returns `field` of the reference in the dependency `name`, if the source has the type `source` and the reference
    /// has the kind `kind`.
    fn dependency(&self, source: &str, name: &str, kind: &str, field: &str) -> Option<&str> {
        let reference = self.dependencies.get(name).filter(|_| self.kind == source)?.get("ref")?;
        let is_kind = reference.get("kind").and_then(Value::as_str) == Some(kind);
        reference.get(field).and_then(Value::as_str).filter(|_| is_kind)
    }

    /// The title of a computed page that has none of its own.
    pub fn title(&self) -> &str {
        self.spec().filter(|spec| !spec.trim().is_empty()).unwrap_or(&self.kind)
    }
}

/// The pages generated for a computed page.
#[derive(Clone, Debug, PartialEq)]
pub struct Computed {
    /// The pages, in order.
    pub pages: Arc<[ComputedPage]>,
    /// Changes whenever a dependency of the source changes.
    pub seed: Arc<str>,
}

/// A page to generate.
#[derive(Clone, Debug, PartialEq)]
pub struct ComputedPage {
    /// Its id ([`generated_id`]).
    pub id: PageId,
    /// Its title, never empty.
    pub title: String,
    /// The slug that follows from its title. It gets a number if a sibling has the same slug.
    pub slug: String,
    /// Its description.
    pub description: Option<String>,
    /// The name of its icon.
    pub icon: Option<String>,
    /// The source of its text.
    pub source: Arc<ComputedSource>,
    /// The pages below it.
    pub pages: Vec<ComputedPage>,
}

/// The id of a page that is generated for a computed page. `key` is unique among the pages of that computed page. The
/// id contains the id of the computed page, so a generated page is found without generating the others. `None` if it
/// would be too long.
pub fn generated_id(computed: &PageId, key: &str) -> Option<PageId> {
    format!("{computed}_{key}").parse().ok()
}

/// The id of the computed page for which a page with this id would be generated.
pub fn computed_page(generated: &PageId) -> Option<PageId> {
    generated.as_str().rsplit_once('_')?.0.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    fn spec_of(value: &Value) -> Option<String> {
        ComputedSource::read(value)?.spec().map(str::to_owned)
    }

    #[test]
    fn the_spec_of_a_source_is_named_by_its_dependency() {
        let source = ComputedSource::openapi("pets", Map::from_iter([("models".to_owned(), true.into())]));
        let value = serde_json::to_value(&source).unwrap();
        let expected = json!({
            "type": "builtin:openapi",
            "dependencies": {"spec": {"ref": {"kind": "openapi", "spec": "pets"}}},
            "props": {"models": true},
        });
        assert_eq!(value, expected);
        assert_eq!(ComputedSource::read(&value), Some(source));
        assert_eq!(spec_of(&value).as_deref(), Some("pets"));
    }

    #[test]
    fn the_translation_of_a_source_is_named_by_its_dependency() {
        let space: SpaceId = "s".parse().unwrap();
        let document = Hash::of(b"text");
        let source = ComputedSource::translated("t", &space, Some(&document));
        let value = serde_json::to_value(&source).unwrap();
        let expected = json!({
            "type": "builtin:translation",
            "dependencies": {"translation": {"ref": {"kind": "translation", "translation": "t"}}},
            "props": {"space": "s", "document": document},
        });
        assert_eq!(value, expected);
        assert_eq!((source.translation(), source.spec()), (Some("t"), None));
        assert_eq!(ComputedSource { kind: OPENAPI.to_owned(), ..source }.translation(), None);
    }

    #[rstest]
    #[case::no_dependency(json!({"type": "builtin:openapi"}))]
    #[case::another_kind(json!({"type": "builtin:openapi", "dependencies": {"spec": {"ref": {"kind": "url", "spec": "a"}}}}))]
    #[case::another_type(json!({"type": "builtin:x", "dependencies": {"spec": {"ref": {"kind": "openapi", "spec": "a"}}}}))]
    #[case::no_text(json!({"type": "builtin:openapi", "dependencies": {"spec": {"ref": {"kind": "openapi", "spec": 1}}}}))]
    fn a_source_can_have_no_spec(#[case] value: Value) {
        assert!(ComputedSource::read(&value).is_some());
        assert_eq!(spec_of(&value), None);
    }

    #[test]
    fn a_generated_page_names_the_computed_page() {
        let id: PageId = "a_b".parse().unwrap();
        let generated = generated_id(&id, "c").unwrap();
        assert_eq!((generated.as_str(), computed_page(&generated)), ("a_b_c", Some(id.clone())));
        assert_eq!(computed_page(&"a".parse().unwrap()), None);
        assert_eq!(generated_id(&id, &"x".repeat(64)), None);
    }

    #[rstest]
    #[case::an_integration(json!({"type": "integration:x:y"}), true)]
    #[case::no_object(json!(["type"]), false)]
    #[case::no_type(json!({"props": {}}), false)]
    #[case::a_type_without_a_name(json!({"type": "builtin:"}), false)]
    #[case::an_integration_without_a_source(json!({"type": "integration:x"}), false)]
    #[case::an_unknown_type(json!({"type": "openapi"}), false)]
    #[case::another_field(json!({"type": "builtin:openapi", "title": "a"}), false)]
    #[case::props_that_are_no_object(json!({"type": "builtin:openapi", "props": []}), false)]
    #[case::too_long(json!({"type": "builtin:openapi", "props": {"a": "x".repeat(MAX_SOURCE)}}), false)]
    fn a_source_has_the_form_that_the_api_defines(#[case] value: Value, #[case] is_one: bool) {
        assert_eq!(ComputedSource::read(&value).is_some(), is_one);
    }
}
