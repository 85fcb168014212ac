//! Schemas as rows.
use super::super::{Budget, RowsLeftOut, SchemaRow, models, schema};
use super::{lines, tree};
use crate::direction::Direction;
use rstest::rstest;
use serde_json::json;

/// Other schemas of the document.
const OTHERS: &str = r##"
    "Pet": {"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}}},
    "Dog": {"allOf": [{"$ref": "#/components/schemas/Pet"}, {"properties": {"bark": {"type": "boolean"}}}]},
    "Id": {"type": "string", "minLength": 1},
    "Ids": {"type": "array", "items": {"$ref": "#/components/schemas/Id"}},
    "Titled": {"title": "A thing", "type": "object", "properties": {"a": {}}},
    "Node": {"properties": {
        "next": {"$ref": "#/components/schemas/Node"}, "all": {"type": "array", "items": {"$ref": "#/components/schemas/Node"}}
    }},
    "Nest": {"type": "array", "items": {"$ref": "#/components/schemas/Nest"}},
    "Round": {"allOf": [{"$ref": "#/components/schemas/Round"}, {"properties": {"a": {"type": "string"}}}]},
    "Loop": {"$ref": "#/components/schemas/Loop"},
    "Deep": {"properties": {"a": {"properties": {"b": {"properties": {"c": {"properties": {"d": {"properties": {"e": {}}}}}}}}}}}
"##;

/// The rows of a schema in a document with others.
fn row_of(value: &str, direction: Option<Direction>, budget: &Budget) -> SchemaRow {
    let text = format!(r#"{{"openapi": "3.1.1", "components": {{"schemas": {{"It": {value}, {OTHERS}}}}}}}"#);
    schema(&tree(&text), "/components/schemas/It", direction, budget).expect("it is there")
}

fn all(value: &str) -> Vec<String> {
    lines(&row_of(value, None, &Budget::default()))
}

#[rstest]
#[case::nothing("{}", "any")]
#[case::anything("true", "any")]
#[case::nothing_at_all("false", "never")]
#[case::a_type(r#"{"type":"string"}"#, "string")]
#[case::several_types(r#"{"type":["string","integer"]}"#, "string or integer")]
#[case::an_integer_beside_numbers(r#"{"type":["integer","number"]}"#, "number")]
#[case::a_type_or_null(r#"{"type":["string","null"]}"#, "string or null")]
#[case::null_alone(r#"{"type":"null"}"#, "null")]
#[case::an_unknown_type(r#"{"type":"file"}"#, "any")]
#[case::a_type_that_keywords_mean(r#"{"maxLength":3}"#, "string; at most 3 characters")]
#[case::a_list(r#"{"type":"array","items":{"type":"string"}}"#, "array of string")]
#[case::a_list_of_anything(r#"{"type":"array"}"#, "array")]
#[case::a_list_of_lists(
    r#"{"type":"array","items":{"type":["array","null"],"items":{"type":["string","null"]}}}"#,
    "array of (array of (string or null) or null)"
)]
#[case::a_list_of_a_schema(
    r##"{"items":{"$ref":"#/components/schemas/Id"}}"##,
    "array of string; each item: at least 1 character"
)]
#[case::a_reference_to_a_list(
    r##"{"$ref":"#/components/schemas/Ids"}"##,
    "array of string; each item: at least 1 character"
)]
#[case::choices_of_simple_types(
    r#"{"oneOf":[{"type":"string"},{"type":"array","items":{"type":"integer"}}]}"#,
    "string or array of integer"
)]
#[case::more_choices_than_are_named(r#"{"anyOf":[{},{},{},{}]}"#, "any of 4 types")]
#[case::more_choices_of_which_one_holds(r#"{"oneOf":[{},{},{},{}]}"#, "one of 4 types")]
#[case::a_type_with_choices_of_formats(r#"{"type":"string","anyOf":[{"format":"a"},{"format":"b"}]}"#, "string")]
#[case::a_map(r#"{"type":"object","additionalProperties":{"type":"integer"}}"#, "map of integer")]
#[case::a_map_of_lists(
    r##"{"additionalProperties":{"type":"array","items":{"$ref":"#/components/schemas/Pet"}}}"##,
    "map of array of Pet"
)]
#[case::a_map_of_anything(r#"{"type":"object","additionalProperties":{}}"#, "object")]
#[case::a_named_schema(r##"{"$ref":"#/components/schemas/Pet"}"##, "Pet")]
#[case::a_named_schema_with_a_description(r##"{"$ref":"#/components/schemas/Pet","description":"d"}"##, "Pet")]
#[case::a_named_schema_that_is_wrapped(r##"{"allOf":[{"$ref":"#/components/schemas/Pet"}],"description":"d"}"##, "Pet")]
#[case::a_named_schema_or_null(r##"{"anyOf":[{"$ref":"#/components/schemas/Pet"},{"type":"null"}]}"##, "Pet or null")]
#[case::a_named_schema_or_null_as_a_constant(
    r##"{"oneOf":[{"const":null},{"$ref":"#/components/schemas/Pet"}]}"##,
    "Pet or null"
)]
#[case::choices_of_named_schemas(
    r##"{"oneOf":[{"$ref":"#/components/schemas/Pet"},{"$ref":"#/components/schemas/Node"},{"type":"null"}]}"##,
    "Pet or Node or null"
)]
#[case::a_list_of_choices(r##"{"type":"array","items":{"oneOf":[{"$ref":"#/components/schemas/Pet"},{"$ref":"#/components/schemas/Node"}]}}"##, "array of (Pet or Node)")]
#[case::a_title_where_there_is_no_name(r#"{"type":"array","items":{"type":"object","title":"Cat"}}"#, "array of Cat")]
#[case::a_reference_that_leads_nowhere(r##"{"$ref":"#/components/schemas/None"}"##, "None incomplete")]
#[case::a_list_that_contains_itself(r##"{"$ref":"#/components/schemas/Nest"}"##, "array of array recursive")]
#[case::a_reference_to_itself(r##"{"$ref":"#/components/schemas/Loop"}"##, "any")]
#[case::an_enumeration(r#"{"type":["string","null"],"enum":["a","b",null]}"#, "string or null; a|b")]
#[case::an_enumeration_without_null(r#"{"type":["string","null"],"enum":["a"]}"#, "string; a")]
#[case::an_enumeration_whose_null_is_no_value(r#"{"type":"string","enum":["a",null]}"#, "string; a")]
#[case::an_enumeration_with_null_without_a_type(r#"{"enum":["a",null]}"#, "any; a|null")]
#[case::a_constant(r#"{"const":1.10}"#, "any; 1.10")]
#[case::a_constant_beside_an_enumeration(r#"{"const":"a","enum":["a","b"]}"#, "any; a")]
#[case::a_constant_beside_an_enumeration_of_another_part(r#"{"const":1,"allOf":[{"enum":[1.0,2]}]}"#, "any; 1")]
#[case::a_constant_that_the_enumeration_does_not_list(r#"{"const":"c","enum":["a","b"]}"#, "never")]
#[case::the_enumeration_of_items(
    r#"{"type":"array","items":{"enum":["a",1,{"b":true}]}}"#,
    r#"array of any; a|1|{"b":true}"#
)]
fn the_type_of_a_schema_is(#[case] value: &str, #[case] expected: &str) {
    let value = format!(r#"{{"properties":{{"it":{value}}}}}"#);
    assert_eq!(all(&value)[1], format!("  it: {expected}"));
}

#[rstest]
#[case(r#"{"minimum":1,"maximum":100}"#, "1 to 100")]
#[case(r#"{"minimum":1}"#, "at least 1")]
#[case(r#"{"exclusiveMinimum":0,"maximum":9.50}"#, "more than 0, at most 9.50")]
#[case(r#"{"minimum":1,"exclusiveMinimum":0}"#, "at least 1")]
#[case(r#"{"maximum":5,"exclusiveMaximum":5}"#, "less than 5")]
#[case(r#"{"allOf":[{"minimum":1},{"minimum":3,"maximum":9},{"maximum":7}]}"#, "3 to 7")]
#[case(r#"{"multipleOf":0.01}"#, "a multiple of 0.01")]
#[case(r#"{"allOf":[{"multipleOf":4},{"multipleOf":6}]}"#, "a multiple of 12")]
#[case(r#"{"allOf":[{"multipleOf":0.1},{"multipleOf":0.25}]}"#, "a multiple of 0.5")]
#[case(r#"{"allOf":[{"multipleOf":0.50},{"multipleOf":5e-1}]}"#, "a multiple of 0.50")]
#[case(r#"{"allOf":[{"multipleOf":1e30},{"multipleOf":1.1e-20}]}"#, "a multiple of 1e30; a multiple of 1.1e-20")]
#[case(r#"{"multipleOf":0}"#, "")]
#[case(r#"{"minLength":2,"maxLength":2}"#, "exactly 2 characters")]
#[case(r#"{"minLength":0,"maxLength":1}"#, "at most 1 character")]
#[case(r#"{"minItems":1,"maxItems":5,"uniqueItems":true}"#, "1 to 5 items; no item twice")]
#[case(r#"{"minProperties":2}"#, "at least 2 fields")]
#[case(r#"{"pattern":"^a$"}"#, "matches ^a$")]
#[case(r#"{"allOf":[{"pattern":"a"},{"pattern":"b"},{"pattern":"a"}]}"#, "matches a; matches b")]
#[case(r#"{"type":"object","additionalProperties":false}"#, "no other fields")]
#[case(r#"{"type":"string","contentMediaType":"image/png","contentEncoding":"base64"}"#, "media type image/png")]
#[case(r#"{"not":{},"if":{},"then":{}}"#, "further rules: not, if")]
fn the_rules_of_a_schema_are(#[case] value: &str, #[case] expected: &str) {
    let row = row_of(value, None, &Budget::default());
    assert_eq!(row.constraints.join("; "), expected);
}

#[rstest]
#[case::fields_in_their_order(
    r#"{"type":"object","required":["b"],"properties":{"c":{"type":"string","deprecated":true},"b":{"type":"integer"}}}"#,
    &["It", "  c: string deprecated", "  b: integer!"]
)]
#[case::fields_of_all_parts(
    r##"{"allOf":[{"$ref":"#/components/schemas/Pet"},{"required":["age"],"properties":{"age":{"type":"integer"},"name":{"maxLength":5}}}]}"##,
    &["It", "  name: string!; at most 5 characters", "  age: integer!"]
)]
#[case::fields_of_parts_in_parts(r##"{"$ref":"#/components/schemas/Dog"}"##, &["It", "  name: string!", "  bark: boolean"])]
#[case::parts_that_contradict_each_other(
    r##"{"allOf":[{"type":"string"},{"$ref":"#/components/schemas/Pet"}]}"##,
    &["string and Pet", "  all: string", "  all Pet: Pet", "    name: string!"]
)]
#[case::parts_in_a_circle(r##"{"$ref":"#/components/schemas/Round"}"##, &["It", "  a: string"])]
#[case::fields_of_items(
    r##"{"type":"array","items":{"$ref":"#/components/schemas/Pet"}}"##,
    &["array of Pet", "  name: string!"]
)]
#[case::fields_of_other_names(
    r##"{"properties":{"a":{}},"patternProperties":{"^x-":{"type":"string"}},"additionalProperties":{"$ref":"#/components/schemas/Pet"}}"##,
    &["It", "  a: any", "  pattern ^x-: string", "  others: Pet", "    name: string!"]
)]
#[case::items_by_position(
    r#"{"type":"array","prefixItems":[{"type":"string"},{"type":"integer"}],"items":{"type":"boolean"}}"#,
    &["array", "  item 0: string", "  item 1: integer", "  other items: boolean"]
)]
#[case::choices_after_fields(
    r##"{"properties":{"a":{}},"oneOf":[{"$ref":"#/components/schemas/Pet"},{"title":"Other","properties":{"b":{}}}]}"##,
    &["It", "  a: any", "  one Pet: Pet", "    name: string!", "  one Other: Other", "    b: any"]
)]
#[case::choices_that_only_require(
    r#"{"properties":{"a":{},"b":{}},"anyOf":[{"required":["a"]},{"required":["b"]}]}"#,
    &["It", "  a: any", "  b: any", "  any: object; required: a", "  any: object; required: b"]
)]
#[case::choices_by_the_mapping(
    r##"{"oneOf":[{"$ref":"#/components/schemas/Pet"},{"$ref":"#/components/schemas/Titled"},{"$ref":"#/components/schemas/Id"}],
        "discriminator":{"propertyName":"kind","mapping":{"pet":"#/components/schemas/Pet","animal":"Pet","thing":"Titled"}}}"##,
    &["It", "  one pet: Pet", "    name: string!", "  one thing: Titled", "    a: any", "  one Id: string; at least 1 character"]
)]
#[case::one_choice_is_none(
    r##"{"anyOf":[{"$ref":"#/components/schemas/Pet"},{"type":"null"}]}"##,
    &["It or null", "  name: string!"]
)]
#[case::a_schema_below_itself(
    r##"{"$ref":"#/components/schemas/Node"}"##,
    &["It", "  next: Node recursive", "  all: array of Node recursive"]
)]
#[case::a_schema_below_itself_in_another(
    r##"{"properties":{"a":{"$ref":"#/components/schemas/Node"},"b":{"allOf":[{"$ref":"#/components/schemas/Node"}],"description":"d"}}}"##,
    &["It", "  a: Node", "    next: Node recursive", "    all: array of Node recursive", "  b: Node", "    next: Node recursive", "    all: array of Node recursive"]
)]
#[case::four_levels(
    r##"{"$ref":"#/components/schemas/Deep"}"##,
    &["It", "  a: object", "    b: object", "      c: object", "        d: object closed"]
)]
#[case::an_empty_object(r#"{"type":"object","properties":{}}"#, &["It"])]
#[case::other_forms(r#"{"properties":[],"allOf":3,"oneOf":{},"required":"a","items":1,"enum":"a","type":3}"#, &["It"])]
fn a_schema_is_rendered_as(#[case] value: &str, #[case] expected: &[&str]) {
    assert_eq!(all(value), expected);
}

#[rstest]
#[case(None, &["It", "  a: string readOnly", "  b: string writeOnly", "  c: string readOnly", "  d: string"])]
#[case(Some(Direction::Request), &["It", "  b: string writeOnly", "  d: string"])]
#[case(Some(Direction::Response), &["It", "  a: string readOnly", "  c: string readOnly", "  d: string"])]
fn fields_go_in_one_direction(#[case] direction: Option<Direction>, #[case] expected: &[&str]) {
    let value = r#"{"properties":{"a":{"type":"string","readOnly":true},"b":{"type":"string","writeOnly":true},
        "c":{"allOf":[{"type":"string","readOnly":true}]},"d":{"type":"string","readOnly":false}}}"#;
    assert_eq!(lines(&row_of(value, direction, &Budget::default())), expected);
}

#[test]
fn a_row_has_everything_that_readers_need() {
    let value = r#"{"properties":{"a":{"type":"string","title":"T","format":"date","default":"x","examples":["e","f"],"description":"**d**",
        "enum":["x","y"],"x-enumDescriptions":{"x":"first"},"x-stability":"beta","x-deprecated-sunset":"2030-01-01"}}}"#;
    let row = row_of(value, None, &Budget::default()).children.remove(0);
    let expected = json!({
        "role": "field", "name": "a", "type": "string", "title": "T", "format": "date", "default": "x", "example": "e",
        "description": "**d**", "stability": "beta", "sunset": "2030-01-01",
        "values": [{"value": "x", "description": "first"}, {"value": "y"}],
        "pointer": "/components/schemas/It/properties/a",
    });
    assert_eq!(serde_json::to_value(row).expect("JSON"), expected);
}

#[rstest]
#[case::a_mapping(r#"{"enum":["a",2],"x-enumDescriptions":{"2":"two"}}"#, &[None, Some("two")])]
#[case::a_list(r#"{"enum":["a",2],"x-enum-descriptions":["first","two"]}"#, &[Some("first"), Some("two")])]
#[case::an_older_form(r#"{"enum":["a",2],"x-gitbook-enum":{"a":{"description":"first"}}}"#, &[Some("first"), None])]
#[case::another_form(r#"{"enum":["a",2],"x-enumDescriptions":"text"}"#, &[None, None])]
fn values_have_descriptions(#[case] value: &str, #[case] expected: &[Option<&str>]) {
    let row = row_of(value, None, &Budget::default());
    let found: Vec<Option<&str>> = row.values.iter().map(|value| value.description.as_deref()).collect();
    assert_eq!(found, expected);
}

#[test]
fn binary_content_has_a_format() {
    let format = |value: &str| row_of(value, None, &Budget::default()).format;
    assert_eq!(format(r#"{"type":"string","contentMediaType":"application/octet-stream"}"#).as_deref(), Some("binary"));
    assert_eq!(format(r#"{"type":"string","contentEncoding":"base64"}"#).as_deref(), Some("base64"));
    assert_eq!(format(r#"{"type":"array","items":{"type":"string","format":"date"}}"#).as_deref(), Some("date"));
}

#[test]
fn long_texts_and_lists_are_cut() {
    let value = json!({"description": "d".repeat(10_000), "pattern": "p".repeat(10_000), "default": "x".repeat(10_000),
        "enum": (0..150).collect::<Vec<_>>()});
    let row = row_of(&value.to_string(), None, &Budget::default());
    assert_eq!(row.description.map(|text| text.chars().count()), Some(4_001));
    assert!(row.constraints[0].len() < 400);
    assert_eq!(row.default.map(|text| text.chars().count()), Some(501));
    assert_eq!((row.values.len(), row.more_values), (100, 50));
}

fn wide(fields: usize) -> String {
    let fields: serde_json::Map<_, _> = (0..fields).map(|index| (format!("f{index:03}"), json!({}))).collect();
    json!({"properties": fields}).to_string()
}

#[test]
fn what_is_beyond_the_rows_can_be_opened_by_its_pointer() {
    let budget = Budget { rows: 11, ..Budget::default() };
    let first = row_of(&wide(25), None, &budget);
    assert_eq!(first.children.len(), 10);
    assert_eq!(first.rest, Some(RowsLeftOut { count: 15, skip: 10 }));
    let next = row_of(&wide(25), None, &Budget { skip: 10, ..budget });
    assert_eq!(next.children.first().and_then(|row| row.name.as_deref()), Some("f010"));
    assert_eq!(next.rest, Some(RowsLeftOut { count: 5, skip: 20 }));
    let last = row_of(&wide(25), None, &Budget { skip: 20, ..budget });
    assert_eq!((last.children.len(), last.rest), (5, None));
}

#[test]
fn fields_that_are_less_deep_come_first() {
    let value = r##"{"properties":{"a":{"$ref":"#/components/schemas/Pet"},"b":{"properties":{"x":{},"y":{},"z":{}}},"c":{"$ref":"#/components/schemas/Titled"}}}"##;
    let budget = |rows| Budget { rows, ..Budget::default() };
    assert_eq!(
        lines(&row_of(value, None, &budget(6))),
        ["It", "  a: Pet", "    name: string!", "  b: object closed", "  c: Titled", "    a: any"]
    );
    assert_eq!(
        lines(&row_of(value, None, &budget(4))),
        ["It", "  a: Pet closed", "  b: object closed", "  c: Titled closed"]
    );
    assert_eq!(lines(&row_of(value, None, &budget(2))), ["It", "  a: Pet closed", "  … 2 from 1"]);
    assert_eq!(lines(&row_of(value, None, &budget(1))), ["It closed"]);
}

#[test]
fn the_bytes_of_a_view_are_limited() {
    let value = json!({"properties": {"a": {"description": "\u{1}".repeat(3_000)}, "b": {"description": "\u{1}".repeat(3_000)}}});
    let budget = Budget { bytes: 30_000, ..Budget::default() };
    let row = row_of(&value.to_string(), None, &budget);
    assert_eq!(row.rest, Some(RowsLeftOut { count: 1, skip: 1 }));
    assert!(serde_json::to_string(&row).expect("JSON").len() <= budget.bytes);
}

#[test]
fn models_share_a_budget_and_have_their_names() {
    let root = tree(
        r##"{"components":{"schemas":{"A":{"properties":{"b":{"$ref":"#/components/schemas/B"}}},"B":{"type":"string"}}}}"##,
    );
    let rows = models(&root, &["B", "None", "A"], &Budget::default());
    let found: Vec<Vec<String>> = rows.iter().map(lines).collect();
    assert_eq!(found, [vec!["B: string"], vec!["A: A", "  b: string"]]);
    assert_eq!(models(&root, &["A", "B"], &Budget { rows: 1, ..Budget::default() }).len(), 1);
}

#[test]
fn nothing_is_rendered_of_a_schema_that_does_not_exist() {
    assert_eq!(schema(&tree("{}"), "/components/schemas/A", None, &Budget::default()), None);
    assert_eq!(schema(&tree("{}"), "x", None, &Budget::default()), None);
}
