use super::{LocatedNode, Merged, Schemas, Type};
use crate::text::read;
use crate::tree::Node;
use rstest::rstest;

fn tree(text: &str) -> Node {
    read(text.as_bytes()).root.expect("the text of a test can be read")
}

const SCHEMAS: &str = r##"{"components":{"schemas":{
  "A":{"type":"object","required":["a"],"properties":{"a":{"type":"string"}}},
  "B":{"allOf":[{"$ref":"#/components/schemas/A"},{"required":["b"],"properties":{"a":{"maxLength":3},"b":{}}}],"description":"d"},
  "C":{"$ref":"#/components/schemas/B","description":"of c"},
  "Null":{"anyOf":[{"$ref":"#/components/schemas/A"},{"type":"null"}]},
  "NullOfTwo":{"oneOf":[{"$ref":"#/components/schemas/A"},{"enum":[null]},{"type":"string"}]},
  "Round":{"allOf":[{"$ref":"#/components/schemas/Round2"}],"minLength":1},"Round2":{"$ref":"#/components/schemas/Round","maxLength":2},
  "Missing":{"$ref":"#/components/schemas/None"},
  "a%b":{"type":"integer"},"a b":{"type":"boolean"},"a/b~":{"type":"number"},
  "Percent":{"$ref":"#/components/schemas/a%b"},"Space":{"$ref":"#/components/schemas/a%20b"},"Slash":{"$ref":"#/components/schemas/a~1b~0"},
  "Named":{"$anchor":"here","type":"array"},"Anchor":{"$ref":"#here"},"Dynamic":{"$dynamicRef":"#here"},
  "Own":{"$id":"https://h/own","$defs":{"x":{"type":"null"}},"properties":{"p":{"$ref":"#/$defs/x"}}},"Id":{"$ref":"https://h/own"},
  "Detour":{"$ref":"#/components/schemas/C/allOf/1/properties/b"},
  "Types":{"allOf":[{"type":["integer","string","null"]},{"type":["number","null","object"]}]},
  "Not":{"allOf":[{"type":"string"},{"type":"integer"}]},
  "NullListed":{"type":["string","null"],"enum":["a",null]},"NullNotListed":{"type":["string","null"],"enum":["a"]},
  "NullBesideEnum":{"anyOf":[{"enum":["a"]},{"type":"null"}]},
  "Enums":{"allOf":[{"enum":[3,1,2]},{"enum":[1,3,4]},{"const":3}]}
}}}"##;

fn with<T>(name: &str, look: impl for<'a> FnOnce(&Schemas<'a>, &Merged<'a>) -> T) -> T {
    let root = tree(SCHEMAS);
    let schemas = Schemas::new(&root);
    let located = schemas.at(&format!("/components/schemas/{name}")).expect("it is there");
    look(&schemas, &schemas.merged(&located))
}

#[test]
fn a_schema_is_merged_with_its_reference_and_its_parts() {
    with("C", |_, merged| {
        let pointers: Vec<&str> = merged.layers.iter().map(|layer| layer.located.pointer.as_str()).collect();
        let all = "/components/schemas/B/allOf";
        let expected = [
            "/components/schemas/C",
            "/components/schemas/B",
            &format!("{all}/0"),
            "/components/schemas/A",
            &format!("{all}/1"),
        ];
        assert_eq!(pointers, expected);
        assert_eq!(merged.text_of("description"), Some("of c"));
        assert_eq!(merged.only_type(), Some(Type::Object));
        let properties = merged.properties();
        let fields: Vec<(&str, usize)> =
            properties.iter().map(|(name, located_nodes)| (*name, located_nodes.len())).collect();
        assert_eq!(fields, [("a", 2), ("b", 1)]);
        assert_eq!(merged.required().len(), 2);
    });
}

#[rstest]
#[case("Percent", Some(Type::Integer))]
#[case("Space", Some(Type::Boolean))]
#[case("Slash", Some(Type::Number))]
#[case("Anchor", Some(Type::Array))]
#[case("Dynamic", Some(Type::Array))]
#[case("Id", Some(Type::Object))]
#[case("Missing", None)]
#[case("Types", Some(Type::Integer))]
#[case("Not", None)]
fn the_only_type_of_a_schema_is(#[case] name: &str, #[case] expected: Option<Type>) {
    assert_eq!(with(name, |_, merged| merged.only_type()), expected);
}

#[rstest]
#[case("A", false)]
#[case("Null", true)]
#[case("NullOfTwo", true)]
#[case("Types", true)]
#[case("Not", false)]
#[case("NullListed", true)]
#[case("NullNotListed", false)]
#[case("NullBesideEnum", true)]
fn null_is_valid(#[case] name: &str, #[case] expected: bool) {
    assert_eq!(with(name, |_, merged| merged.is_nullable()), expected);
}

#[test]
fn the_choice_beside_null_is_no_choice() {
    assert!(with("Null", |_, merged| merged.choices.is_empty() && merged.property_count() == 1));
    let choices = with("NullOfTwo", |_, merged| {
        merged.choices.iter().map(|one| (one.is_one, one.items.len())).collect::<Vec<_>>()
    });
    assert_eq!(choices, [(true, 2)]);
}

/// A single choice that is read of several is not the only one, so it does not apply to all values.
#[rstest]
#[case::of_one_list(5_000, &[4_000])]
#[case::of_two_lists(3_999, &[3_999, 1])]
fn of_very_many_choices_the_first_are_read(#[case] number: usize, #[case] expected: &[usize]) {
    let choices = vec![r#"{"type":"string"}"#; number].join(",");
    let root = tree(&format!(r#"{{"components":{{"schemas":{{"A":{{"oneOf":[{choices}],"anyOf":[{{}},{{}}]}}}}}}}}"#));
    let schemas = Schemas::new(&root);
    let merged = schemas.merged(&schemas.at("/components/schemas/A").expect("it is there"));
    let counts: Vec<usize> = merged.choices.iter().map(|choices| choices.items.len()).collect();
    assert_eq!(counts, expected);
    assert_eq!((merged.layers.len(), merged.is_partial), (1, true));
}

#[test]
fn a_circle_of_parts_ends() {
    with("Round", |_, merged| {
        assert!(!merged.is_partial);
        assert_eq!(merged.nodes().filter(|node| node.get("minLength").is_some()).count(), 1);
        assert!(merged.get("maxLength").is_some());
    });
}

#[rstest]
#[case("Not", true)]
#[case("Types", false)]
#[case("Enums", false)]
fn layers_contradict_each_other(#[case] name: &str, #[case] expected: bool) {
    assert_eq!(with(name, |_, merged| merged.is_contradictory()), expected);
}

#[test]
fn the_values_are_those_of_all_layers() {
    assert_eq!(
        with("Enums", |_, merged| merged.values().map(|all| all.iter().map(|one| one.to_json()).collect::<Vec<_>>())),
        Some(vec!["3".to_owned()])
    );
    assert!(with("A", |_, merged| merged.values().is_none()));
}

/// Numbers whose least common multiple has too many digits.
#[test]
fn of_very_many_multiples_the_first_are_kept() {
    let parts: Vec<String> = (0..200).map(|at| format!(r#"{{"multipleOf":{}.7}}"#, 10_u128.pow(30) + at)).collect();
    let root = tree(&format!(r#"{{"allOf":[{}]}}"#, parts.join(",")));
    let schemas = Schemas::new(&root);
    let multiples = schemas.merged(&schemas.root()).multiples();
    assert_eq!(multiples.len(), 10);
    assert_eq!(multiples[0].digits, "1000000000000000000000000000000.7");
}

#[test]
fn a_reference_without_a_target_is_noted() {
    assert!(with("Missing", |_, merged| merged.is_partial && merged.layers.len() == 1));
}

#[test]
fn a_reference_counts_from_the_schema_with_an_id_around_it() {
    with("Own", |schemas, merged| {
        let property = merged.properties().swap_remove("p").expect("there is one");
        assert_eq!(schemas.merged_all(&property).types().map(|types| types.has(Type::Null)), Some(true));
    });
}

#[test]
fn a_reference_through_another_one_leads_to_its_target() {
    let pointer = with("Detour", |_, merged| merged.layers.last().map(|layer| layer.located.pointer.clone()));
    assert_eq!(pointer.as_deref(), Some("/components/schemas/B/allOf/1/properties/b"));
}

#[test]
fn objects_behind_references_are_found_and_circles_are_not() {
    let root = tree(r##"{"a":{"$ref":"#/b"},"b":{"$ref":"#/c"},"c":{"x":1},"d":{"$ref":"#/e"},"e":{"$ref":"#/d"}}"##);
    let schemas = Schemas::new(&root);
    let behind = |pointer: &str| schemas.behind(schemas.at(pointer)?).map(|located: LocatedNode<'_>| located.pointer);
    assert_eq!(behind("/a").as_deref(), Some("/c"));
    assert_eq!(behind("/d"), None);
    assert_eq!(behind("/none"), None);
}

#[rstest]
#[case("/components/schemas/A", Some("A"))]
#[case("/components/schemas/a~1b~0", Some("a/b~"))]
#[case("/components/schemas/A/properties/a", None)]
#[case("/components", None)]
fn a_schema_of_the_components_has_a_name(#[case] pointer: &str, #[case] expected: Option<&str>) {
    let root = tree(SCHEMAS);
    let located = Schemas::new(&root).at(pointer).expect("it is there");
    assert_eq!(located.component().as_deref(), expected);
}
