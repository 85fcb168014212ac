//! Overrides and their stored form.
use super::super::*;
use super::values::every_value;
use super::{at, bodies, body, customizations, object, parse, put, read, written};
use chrono::DateTime;
use proptest::prelude::*;
use rstest::rstest;
use serde_json::{Value, from_value, json, to_value};

fn patch(body: Value) -> CustomizationPatch {
    CustomizationPatch::read(object(body), parse).expect("every value is valid")
}

fn overrides(patches: impl IntoIterator<Item = Value>) -> Overrides {
    let mut overrides = Overrides::default();
    patches.into_iter().for_each(|body| overrides.patch(patch(body)));
    overrides
}

/// A site with a value under every key.
fn full_site() -> Customization {
    let mut body = json!({});
    every_value().into_iter().for_each(|(path, value)| put(&mut body, path, value));
    read(body).unwrap()
}

/// `body` with `null` for every value.
fn clearing(body: &Value, defaults: &Value) -> Value {
    let keys = body.as_object().unwrap().iter().map(|(key, value)| {
        let merged = defaults[key].as_object().is_some_and(|keys| !keys.is_empty());
        (key.clone(), if merged { clearing(value, &defaults[key]) } else { Value::Null })
    });
    Value::Object(keys.collect())
}

#[test]
fn every_value_replaces_that_of_the_site_and_null_gives_it_back() {
    for site in [Customization::default(), full_site()] {
        for (path, value) in every_value() {
            let mut overrides = overrides([body(path, value.clone())]);
            let mut expected = written(&site);
            put(&mut expected, path, value);
            let effective = overrides.on(&site);
            assert_eq!(written(&effective), expected, "{path}");
            let changed = site.changed_keys(&effective);
            assert!(changed.iter().all(|key| key.starts_with(path)), "{path}: {changed:?}");
            assert_eq!(changed.is_empty(), effective == site, "{path}");
            overrides.patch(patch(body(path, Value::Null)));
            assert!(overrides.is_empty(), "{path}: {overrides:?}");
        }
    }
}

#[rstest]
#[case::a_color_of_one_mode(
    json!({"styling": {"primaryColor": {"light": "#111", "dark": "#222"}}}),
    json!({"styling": {"primaryColor": {"dark": "#333"}}}),
    json!({"light": "#111", "dark": "#333"}), "styling.primaryColor"
)]
#[case::a_link(
    json!({"header": {"primaryLink": {"kind": "page", "page": "p", "space": "s"}}}),
    json!({"header": {"primaryLink": {"kind": "page", "page": "q"}}}),
    json!({"kind": "page", "page": "q"}), "header.primaryLink"
)]
#[case::an_icon(
    json!({"favicon": {"emoji": "🐙"}}),
    json!({"favicon": {"icon": {"light": "https://a.org/", "dark": "https://b.org/"}}}),
    json!({"icon": {"light": "https://a.org/", "dark": "https://b.org/"}}), "favicon"
)]
#[case::no_icon(json!({"favicon": {"emoji": "🐙"}}), json!({"favicon": {}}), json!({}), "favicon")]
#[case::an_announcement(
    json!({"announcement": {"message": "Old", "style": "danger"}}),
    json!({"announcement": {"message": "New"}}),
    json!({"enabled": true, "message": "New", "style": "info"}), "announcement"
)]
#[case::a_font(
    json!({"styling": {"font": {"id": "f", "custom": true, "fontFamily": "F", "fontFaces": []}}}),
    json!({"styling": {"font": "Lato"}}),
    json!("Lato"), "styling.font"
)]
#[case::a_list(
    json!({"pageActions": {"items": ["pdf", "git"]}}),
    json!({"pageActions": {"items": ["mcp"]}}),
    json!(["mcp"]), "pageActions.items"
)]
fn objects_with_fixed_keys_are_merged_and_other_values_replaced(
    #[case] site: Value,
    #[case] sent: Value,
    #[case] expected: Value,
    #[case] path: &str,
) {
    let effective = written(&overrides([sent]).on(&read(site).unwrap()));
    assert_eq!(at(&effective, path), &expected);
}

#[test]
fn a_change_names_its_keys() {
    let before =
        read(json!({"title": "Guide", "header": {"logo": {"light": "https://a.org", "dark": "https://a.org"}}}));
    let after = read(json!({
        "styling": {"primaryColor": {"dark": "#333"}, "theme": "bold", "search": "prominent"},
        "header": {"logo": {"light": "https://b.org", "dark": "https://a.org"}},
    }));
    let changed = before.unwrap().changed_keys(&after.unwrap());
    assert_eq!(changed, ["header.logo", "styling.primaryColor.dark", "styling.theme", "title"]);
}

#[test]
fn a_space_takes_the_values_of_its_site_and_the_later_time() {
    let customized = |body: Value, seconds: i64| Customized {
        overrides: overrides([body]),
        updated_at: DateTime::from_timestamp(seconds, 0).unwrap(),
    };
    let (space, other) = ("a".parse().unwrap(), "b".parse().unwrap());
    let mut all = SiteCustomizations::default();
    assert_eq!(all.of_site(), EffectiveCustomization::default());
    all.site = Some(customized(json!({"title": "Guide", "styling": {"theme": "bold"}}), 7));
    all.spaces.insert(space, customized(json!({"title": "Manual"}), 5));
    let space = "a".parse().unwrap();
    let effective = all.of_space(&space);
    assert_eq!(effective.customization, read(json!({"title": "Manual", "styling": {"theme": "bold"}})).unwrap());
    assert_eq!(effective.updated_at, DateTime::from_timestamp(7, 0));
    assert_eq!(all.of_space(&other), all.of_site());
}

#[test]
fn a_patch_keeps_what_it_does_not_name() {
    let kept = overrides([
        json!({"title": "Guide", "styling": {"theme": "bold", "corners": "straight"}, "feedback": {"enabled": true}}),
        json!({"styling": {"theme": null}, "feedback": null, "title": "Manual"}),
    ]);
    assert_eq!(kept, overrides([json!({"title": "Manual", "styling": {"corners": "straight"}})]));
}

#[rstest]
#[case(json!({"unknown": {"key": 1}, "styling": {"unknown": 1}}))]
#[case(json!({"updatedAt": "2026-01-01T00:00:00Z"}))]
#[case(json!({"styling": {}, "header": null, "unknown": null}))]
fn an_invalid_value_overrides_nothing(#[case] sent: Value) {
    assert!(overrides([sent]).is_empty());
}

#[rstest]
#[case(json!({"styling": {"primaryColor": {"light": "red"}}}))]
#[case(json!({"styling": "bold"}))]
#[case(json!({"header": {"logo": {"light": "https://a.org"}}}))]
#[case(json!({"header": {"links": [{"title": "a", "condition": "1 +"}]}}))]
#[case(json!({"title": ""}))]
fn a_patch_with_a_wrong_value_is_refused(#[case] sent: Value) {
    assert!(CustomizationPatch::read(object(sent), parse).is_err());
}

#[test]
fn the_first_version_of_the_stored_form_can_be_read() {
    let stored = json!({"version": 1, "values": {
        "title": "Guide",
        "styling": {"theme": "bold", "primaryColor": {"light": "#111111", "dark": "#222222"}, "font": "Lato"},
        "favicon": {"emoji": "🐙"},
        "header": {"links": [{"title": "Home", "to": {"kind": "url", "url": "https://example.org"}, "links": []}]},
        "themes": {"default": "dark", "toggeable": false},
        "removed": {"key": true},
    }});
    let stored: Overrides = from_value(stored).unwrap();
    let site = written(&stored.on(&Customization::default()));
    assert_eq!((&site["title"], &site["styling"]["theme"]), (&json!("Guide"), &json!("bold")));
    assert_eq!(site["styling"]["primaryColor"], json!({"light": "#111111", "dark": "#222222"}));
    assert_eq!(site["header"]["links"][0]["title"], "Home");
    assert_eq!((&site["themes"]["toggeable"], &site["pagination"]["enabled"]), (&json!(false), &json!(true)));
}

#[test]
fn a_stored_value_that_is_no_longer_valid_is_left_out() {
    let stored = json!({"version": 1, "values": {
        "title": "x",
        "styling": {"theme": "neon", "corners": "straight", "primaryColor": {"light": "red", "dark": "#222"}},
        "header": "none",
        "trademark": {"enabled": true},
    }});
    let expected = json!({
        "styling": {"corners": "straight", "primaryColor": {"dark": "#222"}}, "trademark": {"enabled": true},
    });
    assert_eq!(from_value::<Overrides>(stored).unwrap(), overrides([expected]));
}

proptest! {
    #[test]
    fn overrides_lie_on_the_site_in_the_order_of_their_patches(
        site in customizations(), one in bodies(), other in bodies()
    ) {
        let step_by_step = overrides([other.clone()]).on(&overrides([one.clone()]).on(&site));
        prop_assert_eq!(overrides([one, other]).on(&site), step_by_step);
    }

    #[test]
    fn a_patch_twice_is_a_patch_once(one in bodies(), other in bodies()) {
        prop_assert_eq!(overrides([one.clone(), other.clone(), other.clone()]), overrides([one, other]));
    }

    #[test]
    fn a_cleared_override_inherits_the_value_of_the_site(site in customizations(), sent in bodies()) {
        let clearing = clearing(&sent, &written(&Customization::default()));
        let cleared = overrides([sent, clearing]);
        prop_assert!(cleared.is_empty());
        prop_assert_eq!(cleared.on(&site), site);
    }

    #[test]
    fn overrides_are_stored_without_loss(sent in bodies()) {
        let overrides = overrides([sent]);
        prop_assert_eq!(from_value::<Overrides>(to_value(&overrides).unwrap()).unwrap(), overrides);
    }
}
