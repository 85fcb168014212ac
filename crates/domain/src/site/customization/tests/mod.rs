//! Customizations as their owners send them.
mod overrides;
mod values;

use super::{Customization, CustomizationPatch, Overrides};
use crate::site::adaptive_schema::VisitorClaims;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Map, Value, json};
use values::every_value;

fn parse(complete: Value) -> Result<Customization, String> {
    let parsed: Result<Customization, _> = serde_json::from_value(complete);
    parsed.map_err(|error| error.to_string())?.checked().map_err(|error| error.to_string())
}

/// The customization of a site with this body.
fn read(body: Value) -> Result<Customization, String> {
    let patch = CustomizationPatch::read(object(body), parse)?;
    Ok(Overrides::from(patch).on(&Customization::default()))
}

fn written(customization: &Customization) -> Value {
    serde_json::to_value(customization).unwrap()
}

/// Puts `value` at a path such as `styling.font` into `body`.
fn put(body: &mut Value, path: &str, value: Value) {
    let mut place = body;
    for key in path.split('.') {
        if !place.is_object() {
            *place = json!({});
        }
        place = place.as_object_mut().unwrap().entry(key).or_insert(Value::Null);
    }
    *place = value;
}

fn body(path: &str, value: Value) -> Value {
    let mut body = json!({});
    put(&mut body, path, value);
    body
}

/// The value at a path; `null` if it is absent.
fn at<'a>(body: &'a Value, path: &str) -> &'a Value {
    path.split('.').fold(body, |place, key| &place[key])
}

fn object(body: Value) -> Map<String, Value> {
    let Value::Object(keys) = body else { panic!("{body} is no object") };
    keys
}

/// Bodies with some keys.
fn bodies() -> impl Strategy<Value = Value> {
    let one = select(every_value());
    prop::collection::vec(one, 0..12).prop_map(|values| {
        let mut body = json!({});
        for (path, value) in values {
            put(&mut body, path, value);
        }
        body
    })
}

fn customizations() -> impl Strategy<Value = Customization> {
    bodies().prop_map(|body| read(body).expect("every value is valid"))
}

#[test]
fn a_visitor_sees_the_links_of_the_header_whose_condition_holds() {
    let link = |title: &str, condition: &str| json!({"title": title, "to": null, "condition": condition});
    let links = [link("All", ""), link("Staff", "visitor.claims.staff"), link("True", "true")];
    let mut customization = read(body("header.links", json!(links))).unwrap();
    customization.hide_links(&VisitorClaims::default());
    let shown = written(&customization);
    let titles: Vec<&Value> =
        at(&shown, "header.links").as_array().unwrap().iter().map(|link| &link["title"]).collect();
    assert_eq!(titles, ["All", "True"]);
}
