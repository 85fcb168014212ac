//! The schemas of customizations, compared with what is written.
use super::*;
use domain::site::customization::Customization;
use serde_json::{Value, from_value, json, to_value};
use std::collections::{BTreeMap, BTreeSet};

/// A customization with every key.
fn full() -> Customization {
    let (colors, images) =
        (json!({"light": "#000", "dark": "#fff"}), json!({"light": "https://a.org/", "dark": "https://b.org/"}));
    let (target, faces) = (
        json!({"kind": "url", "url": "/a"}),
        json!([{"weight": 400, "sources": [{"url": "https://a.org/", "format": "woff2"}]}]),
    );
    let font = json!({"id": "f", "custom": true, "fontFamily": "F", "fontFaces": faces});
    let link = json!({"title": "a", "to": target});
    let menu = json!({"title": "a", "style": "link", "to": target, "links": [link], "condition": "true"});
    let full = json!({
        "title": "Guide",
        "styling": {"tint": {"color": colors}, "font": font, "headingFont": font, "monospaceFont": font},
        "favicon": {"icon": images},
        "header": {
            "logo": images, "primaryLink": target, "backgroundColor": colors, "linkColor": colors, "links": [menu],
        },
        "footer": {"logo": images, "groups": [{"title": "a", "links": [link]}], "copyright": "c"},
        "announcement": {"enabled": true, "message": "New", "link": link, "style": "info"},
        "ai": {"greeting": "Hi", "suggestions": ["Why?"], "instructions": "Be kind"},
        "privacyPolicy": {"url": "https://a.org/"},
        "socialPreview": {"url": "https://a.org/"},
        "socialAccounts": [{"platform": "github", "handle": "a"}],
    });
    from_value(full).unwrap()
}

struct Schemas(BTreeMap<String, Value>);

impl Schemas {
    fn of<T: ToSchema>() -> Self {
        let mut found = vec![(T::name().into_owned(), T::schema())];
        T::schemas(&mut found);
        Self(found.into_iter().map(|(name, schema)| (name, to_value(schema).unwrap())).collect())
    }

    /// The alternatives of a schema, each with its properties; one that is not in the document fails the test.
    fn objects<'a>(&'a self, schema: &'a Value) -> Vec<&'a Value> {
        if let Some(reference) = schema["$ref"].as_str() {
            let name = reference.rsplit('/').next().unwrap();
            return self.objects(self.0.get(name).unwrap_or_else(|| panic!("no schema {name}")));
        }
        match schema["oneOf"].as_array() {
            Some(several) => several.iter().flat_map(|one| self.objects(one)).collect(),
            None => vec![schema],
        }
    }

    /// Collects the paths that are described.
    fn paths(&self, schema: &Value, path: &str, all: &mut BTreeSet<String>) {
        for one in self.objects(schema) {
            for (key, property) in one["properties"].as_object().into_iter().flatten() {
                let here = format!("{path}.{key}");
                if !path.ends_with(".to") && !path.ends_with(".primaryLink") && all.insert(here.clone()) {
                    self.paths(property, &here, all);
                }
            }
            if let Some(items) = one.get("items") {
                self.paths(items, path, all);
            }
        }
    }
}

/// The paths of a value.
fn written(value: &Value, path: &str, all: &mut BTreeSet<String>) {
    match value {
        Value::Object(keys) if keys.get("kind").is_none() => {
            for (key, value) in keys {
                all.insert(format!("{path}.{key}"));
                written(value, &format!("{path}.{key}"), all);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| written(item, path, all)),
        _ => {}
    }
}

#[test]
fn every_key_is_described_in_responses_and_in_requests() {
    let full = to_value(full()).unwrap();
    let mut expected = BTreeSet::new();
    written(&full, "", &mut expected);
    for schemas in [Schemas::of::<SiteCustomization>(), Schemas::of::<UpdateSiteCustomization>()] {
        let root = schemas.0.iter().find(|(name, _)| name.ends_with("SiteCustomization")).unwrap().1;
        let mut described = BTreeSet::new();
        schemas.paths(root, "", &mut described);
        let differing: Vec<_> = described.symmetric_difference(&expected).collect();
        assert_eq!(differing, [".favicon.emoji", ".updatedAt"]);
    }
}

#[test]
fn required_keys_are_those_that_every_response_has() {
    let mut always = BTreeSet::new();
    written(&to_value(Customization::default()).unwrap(), "", &mut always);
    let schemas = Schemas::of::<SiteCustomization>();
    let mut required = BTreeSet::new();
    collect_required(&schemas, &schemas.0["SiteCustomization"], "", &mut required);
    assert_eq!(required, always);
    let sent = Schemas::of::<UpdateSiteCustomization>();
    let mut required = BTreeSet::new();
    collect_required(&sent, &sent.0["UpdateSiteCustomization"], "", &mut required);
    assert_eq!(required, BTreeSet::new(), "a request may leave out everything");
}

fn collect_required(schemas: &Schemas, schema: &Value, path: &str, found: &mut BTreeSet<String>) {
    for one in schemas.objects(schema) {
        for key in one["required"].as_array().into_iter().flatten() {
            let key = key.as_str().unwrap();
            let here = format!("{path}.{key}");
            // Items of lists, and definitions of fonts, are in no default customization.
            if !path.to_lowercase().ends_with("font") {
                found.insert(here.clone());
                collect_required(schemas, &one["properties"][key], &here, found);
            }
        }
    }
}
