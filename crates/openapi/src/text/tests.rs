use super::*;
use crate::tree::Value;
use proptest::prelude::*;
use rstest::rstest;
use std::fmt::Write;

fn json_of(text: &str) -> String {
    let reading = read(text.as_bytes());
    match reading.root {
        Some(root) => root.to_json(),
        None => panic!("{text}: {}", reading.findings[0]),
    }
}

fn fatal(bytes: &[u8]) -> (Code, String) {
    let reading = read(bytes);
    assert!(reading.root.is_none(), "this was read");
    assert_eq!(reading.findings.len(), 1);
    (reading.findings[0].code, reading.findings[0].to_string())
}

#[rstest]
#[case::words_of_yaml_1_1_are_texts("[yes, no, on, off, y, n]", r#"["yes","no","on","off","y","n"]"#)]
#[case::dates_and_times_are_texts("[2024-01-01, 12:30:45, 1_000]", r#"["2024-01-01","12:30:45","1_000"]"#)]
#[case::booleans("[true, True, TRUE, false, tRue]", r#"[true,true,true,false,"tRue"]"#)]
#[case::nothing("[~, null, Null, NULL, nUll, '']", r#"[null,null,null,null,"nUll",""]"#)]
#[case::numbers_keep_their_digits(
    "[1.10, 3.0, 1e3, -0, 12345678901234567890123]",
    "[1.10,3.0,1e3,-0,12345678901234567890123]"
)]
#[case::numbers_become_what_json_allows("[+5, .5, 1., 007, -.5e+3, 0x1F, 0o17]", "[5,0.5,1.0,7,-0.5e+3,31,15]")]
#[case::not_numbers("[0x, 1e, ., +, 1.2.3, 0b1, 1 2]", r#"["0x","1e",".","+","1.2.3","0b1","1 2"]"#)]
#[case::infinity_is_a_text("[.inf, -.inf, .nan]", r#"[".inf","-.inf",".nan"]"#)]
#[case::quotation_marks_make_texts("['1', \"true\", 'null']", r#"["1","true","null"]"#)]
#[case::tags_decide("[!!str 1, !!int '2', !own 3, !!binary aGk=]", r#"["1",2,"3","aGk="]"#)]
#[case::keys_are_texts(
    "200: a\ntrue: b\n~: c\n1.0: d\n0x10: e",
    r#"{"200":"a","true":"b","~":"c","1.0":"d","0x10":"e"}"#
)]
#[case::an_alias_can_be_a_key("a: &x 200\n*x : b", r#"{"a":200,"200":"b"}"#)]
#[case::aliases_are_copies("a: &x {b: [1]}\nc: *x", r#"{"a":{"b":[1]},"c":{"b":[1]}}"#)]
#[case::an_anchor_can_be_given_again("a: &x 1\nb: *x\nc: &x 2\nd: *x", r#"{"a":1,"b":1,"c":2,"d":2}"#)]
#[case::merged_keys_yield(
    "a: &x {b: 1, c: 2}\nd: {c: 3, <<: *x}\ne: {<<: *x, c: 4}",
    r#"{"a":{"b":1,"c":2},"d":{"c":3,"b":1},"e":{"b":1,"c":4}}"#
)]
#[case::the_first_of_a_merged_list_counts(
    "a: &x {b: 1}\nc: &y {b: 2, d: 3}\ne: {<<: [*x, *y]}",
    r#"{"a":{"b":1},"c":{"b":2,"d":3},"e":{"b":1,"d":3}}"#
)]
#[case::what_is_no_mapping_is_not_merged("{<<: 1, '<<': 2}", r#"{"<<":2}"#)]
#[case::block_texts("a: |\n  x\n  y\nb: >-\n  x\n  y", r#"{"a":"x\ny\n","b":"x y"}"#)]
#[case::comments("# one\na: 1 # two", r#"{"a":1}"#)]
#[case::a_byte_order_mark("\u{feff}a: 1", r#"{"a":1}"#)]
#[case::a_start_and_an_end("%YAML 1.2\n---\na: 1\n...\n", r#"{"a":1}"#)]
#[case::what_only_looks_like_json("{a: 1, b: [c]}", r#"{"a":1,"b":["c"]}"#)]
fn yaml_is_read_by_its_core_schema(#[case] text: &str, #[case] expected: &str) {
    assert_eq!(json_of(text), expected);
}

#[rstest]
#[case::escapes(r#"{"a":"\"\\\/\b\f\n\r\té😀"}"#)]
#[case::characters_that_yaml_forbids("{\"a\":\"\u{80}\u{9f}\u{7f}\"}")]
#[case::nothing_inside(r#"[{},[],"",[[]]]"#)]
#[case::white_space("\r\n\t [ 1 , { \"a\" : 2 } ] \n")]
#[case::a_text_that_begins_like_a_comment(r##"{"a":"# b","c":"//"}"##)]
fn json_is_what_serde_reads(#[case] text: &str) {
    let reading = read(text.as_bytes());
    assert_eq!(reading.format, Format::Json);
    assert_eq!(json_of(text), serde_json::from_str::<serde_json::Value>(text).unwrap().to_string());
}

#[rstest]
#[case::a_comma_too_many("{\"a\": 1,\n}", Format::Yaml)]
#[case::a_scalar_alone("\"a\"", Format::Yaml)]
#[case::a_list("[1]", Format::Json)]
fn only_valid_json_is_json(#[case] text: &str, #[case] expected: Format) {
    assert_eq!(read(text.as_bytes()).format, expected);
}

#[rstest]
#[case::no_utf_8(b"a: 1\nb: \xff", Code::NotText, "2:4: this is not UTF-8 text")]
#[case::half_a_character_of_utf_16(
    b"\xff\xfea",
    Code::NotText,
    "1:1: this is not UTF-16 text, as its byte order mark says"
)]
#[case::an_empty_text(b"", Code::Syntax, "1:1: this is neither JSON nor YAML: the text is empty")]
#[case::two_documents(
    b"a: 1\n---\nb: 2",
    Code::Syntax,
    "2:1: this is neither JSON nor YAML: the text has more than one document"
)]
#[case::a_list_as_key(b"? [a]\n: 1", Code::Syntax, "1:3: this is neither JSON nor YAML: a key must be a text")]
#[case::an_unknown_alias(
    b"a: *b",
    Code::Syntax,
    "1:4: this is neither JSON nor YAML: this alias has no anchor before it"
)]
#[case::an_alias_in_itself(
    b"a: &b [*b]",
    Code::Syntax,
    "1:8: this is neither JSON nor YAML: this alias is inside of what it stands for"
)]
#[case::json_without_an_end(
    b"{\"a\": [1, 2",
    Code::Syntax,
    "1:12: this is neither JSON nor YAML: the text ends where a comma or a closing bracket must come"
)]
#[case::a_second_value(
    b"{\"a\": 1}\n{\"b\": 2}",
    Code::Syntax,
    "2:1: this is neither JSON nor YAML: nothing is allowed after the document"
)]
#[case::half_of_a_pair(b"[\"\\ud800x\"]", Code::Syntax, "")]
#[case::a_colon_in_a_text(
    b"a: b: c",
    Code::Syntax,
    "1:5: this is neither JSON nor YAML: a mapping is not allowed here; a text with a colon and a space needs quotation marks"
)]
#[case::a_tab(
    b"a:\n\tb: c",
    Code::Syntax,
    "2:2: this is neither JSON nor YAML: a tab is not allowed here; indent with spaces"
)]
#[case::a_key_without_a_colon(
    b"a: 1\nb\nc: 2",
    Code::Syntax,
    "2:1: this is neither JSON nor YAML: this key lacks its colon"
)]
#[case::a_line_that_is_indented_wrongly(
    b"a:\n  b: 1\n c: 2",
    Code::Syntax,
    "3:2: this is neither JSON nor YAML: a key is expected here: is the indentation right?"
)]
#[case::an_open_bracket(
    b"a: [1, 2\nb: 3",
    Code::Syntax,
    "2:2: this is neither JSON nor YAML: a colon is not allowed here: is something before it not closed?"
)]
#[case::an_open_quotation_mark(
    b"a: 'b\nc: 3",
    Code::Syntax,
    "2:1: this is neither JSON nor YAML: the text before lacks its last quotation mark"
)]
#[case::a_percent_sign(
    b"a: %b",
    Code::Syntax,
    "1:4: this is neither JSON nor YAML: a text that begins with % needs quotation marks"
)]
#[case::an_at_sign(
    b"a: @b",
    Code::Syntax,
    "1:4: this is neither JSON nor YAML: a text that begins with @ needs quotation marks"
)]
#[case::an_item_in_a_mapping(
    b"a: 1\n- b",
    Code::Syntax,
    "2:3: this is neither JSON nor YAML: a key is expected here: is the indentation right?"
)]
fn what_cannot_be_read_is_reported_with_its_place(#[case] bytes: &[u8], #[case] code: Code, #[case] message: &str) {
    let (found, text) = fatal(bytes);
    assert_eq!(found, code, "{text}");
    assert!(message.is_empty() || text == message, "{text}");
}

#[rstest]
#[case::little(b"\xff\xfe{\0}\0")]
#[case::big(b"\xfe\xff\0{\0}")]
fn utf_16_is_read_by_its_byte_order_mark(#[case] bytes: &[u8]) {
    assert_eq!(read(bytes).root.unwrap().to_json(), "{}");
}

#[rstest]
#[case::json("{\n  \"a\": 1,\n  \"a\": 2\n}", "3:3 a: \"a\" is given twice, before in line 2: the last one counts")]
#[case::yaml("x:\n- a: 1\n  a: 2", "3:3 x[0].a: \"a\" is given twice, before in line 2: the last one counts")]
fn a_key_that_is_given_twice_is_a_finding(#[case] text: &str, #[case] expected: &str) {
    let reading = read(text.as_bytes());
    assert_eq!(reading.findings[0].to_string(), expected);
    assert_eq!(reading.findings[0].code, Code::DuplicateKey);
    assert!(reading.root.unwrap().to_json().contains("\"a\":2"));
}

#[rstest]
#[case::json("{\"ü\": [1,\r\n {\"b\":\r \"c\"}]}", "/ü/1/b", (3, 2))]
#[case::yaml("ü: # x\r\n  - 1\n  - b: c", "/ü/1/b", (3, 8))]
#[case::yaml_behind_wide_characters("{é: 1, b: 2}", "/b", (1, 11))]
#[case::a_block_text("a:\n  b: |\n    c", "/a/b", (3, 5))]
#[case::a_mapping("a:\n  b: 1", "/a", (2, 3))]
fn a_value_knows_its_line_and_column(#[case] text: &str, #[case] pointer: &str, #[case] expected: (u32, u32)) {
    let root = read(text.as_bytes()).root.unwrap();
    let at = root.at_pointer(pointer).unwrap().at;
    assert_eq!((at.line, at.column), expected);
}

fn bomb() -> String {
    let mut text = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..10 {
        let _ = writeln!(text, "a{level}: &a{level} [{}]", vec![format!("*a{}", level - 1); 9].join(", "));
    }
    text
}

fn copies(times: usize) -> String {
    format!("a: &a [{}]\nb: [{}]", "1,".repeat(999), "*a,".repeat(times))
}

/// A text of 1 MiB and aliases for it.
fn copies_of_a_text(times: usize) -> String {
    format!("a: &a |\n  {}\nb: [{}]", "x".repeat((1 << 20) - 1), "*a,".repeat(times))
}

#[rstest]
#[case::brackets("[".repeat(100_000))]
#[case::braces("{\"a\":".repeat(100_000))]
#[case::braces_of_yaml("{a: ".repeat(100_000))]
#[case::dashes("- ".repeat(100_000))]
#[case::a_bomb_of_aliases(bomb())]
#[case::copies_of_a_list(copies(201))]
#[case::too_many_values_in_json(format!("[{}1]", "1,".repeat(MAX_VALUES - 1)))]
#[case::too_many_values_in_yaml(format!("a: [{}1]", "1,".repeat(MAX_VALUES - 2)))]
#[case::a_long_key(format!("{{\"{}\": 1}}", "a".repeat(MAX_KEY + 1)))]
#[case::long_keys_inside_of_each_other(format!("{}1", format!("{{\"{}\": ", "a".repeat(MAX_KEY / 8)).repeat(9)))]
#[case::copies_of_a_long_text(copies_of_a_text(33))]
#[case::anchors_around_a_long_text(format!("{}\"{}\"{}", "&a [".repeat(33), "x".repeat(1 << 20), "]".repeat(33)))]
#[case::long_keys_by_aliases(format!("a: &a {{{0}: 1}}\nb: {{{0}: *a}}", "k".repeat(MAX_KEY / 2)))]
#[case::a_long_text("a".repeat(MAX_BYTES + 1))]
fn what_is_too_large_is_refused(#[case] text: String) {
    let (code, message) = fatal(text.as_bytes());
    assert_eq!(code, Code::TooLarge, "{message}");
}

#[rstest]
#[case::copies_of_a_list(copies(200))]
#[case::copies_of_a_long_text(copies_of_a_text(32))]
#[case::nested_json(format!("{}1{}", "[".repeat(MAX_DEPTH), "]".repeat(MAX_DEPTH)))]
#[case::nested_yaml(format!("{}a{}", "[".repeat(MAX_DEPTH), "]".repeat(MAX_DEPTH)))]
#[case::a_long_key(format!("{{\"{}\": 1}}", "a".repeat(MAX_KEY)))]
#[case::a_long_key_of_yaml(format!("{}: 1", "a".repeat(MAX_KEY)))]
#[case::a_comma_in_a_text(format!("[\"{}\"]", ",\\\"[".repeat(MAX_VALUES + 1)))]
fn what_is_just_not_too_large_is_read(#[case] text: String) {
    let reading = read(text.as_bytes());
    assert!(reading.root.is_some(), "{}", reading.findings[0]);
}

/// The value as `serde_json` has it. Numbers compare by what they are, not by their digits.
fn to_serde(node: &Node) -> serde_json::Value {
    match &node.value {
        Value::Null => serde_json::Value::Null,
        Value::Bool(value) => (*value).into(),
        Value::Number(digits) => serde_json::from_str(digits).unwrap(),
        Value::Text(text) => (**text).into(),
        Value::List(items) => items.iter().map(to_serde).collect(),
        Value::Map(members) => {
            let pairs = members.iter().map(|(key, member)| (key.to_string(), to_serde(&member.node)));
            serde_json::Value::Object(pairs.collect())
        }
    }
}

fn any_json() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<i64>().prop_map(Into::into),
        any::<f64>().prop_filter_map("a number of JSON", |number| serde_json::Number::from_f64(number).map(Into::into)),
        any::<String>().prop_map(Into::into),
    ];
    leaf.prop_recursive(5, 60, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Into::into),
            prop::collection::hash_map(any::<String>(), inner, 0..6)
                .prop_map(|pairs| serde_json::Value::Object(pairs.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn json_is_read_as_serde_reads_it(value in any_json(), pretty: bool) {
        let list = serde_json::Value::Array(vec![value]);
        let text = if pretty { serde_json::to_string_pretty(&list) } else { serde_json::to_string(&list) }.unwrap();
        let reading = read(text.as_bytes());
        prop_assert_eq!(reading.format, Format::Json);
        let root = reading.root.unwrap();
        prop_assert_eq!(&to_serde(&root), &list);
        // And what we write is read as the same.
        prop_assert_eq!(serde_json::from_str::<serde_json::Value>(&root.to_json()).unwrap(), list);
    }

    #[test]
    fn the_digits_of_a_number_stay(text in "-?(0|[1-9][0-9]{0,30})(\\.[0-9]{1,20})?([eE][-+]?[0-9]{1,3})?") {
        prop_assert_eq!(json_of(&format!("[{text}]")), format!("[{text}]"));
    }

    #[test]
    fn no_text_is_fatal_to_the_reader(text in "[\\[\\]{}\",:a0\\\\ \n#&*|>?!%@`<'-]{0,40}") {
        read(text.as_bytes());
    }

    #[test]
    fn what_serde_refuses_is_not_json(text in "\\[[\\[\\]{}\",:a0e.+\\\\u -]{0,12}\\]") {
        let ours = read(text.as_bytes()).format == Format::Json && read(text.as_bytes()).root.is_some();
        prop_assert_eq!(ours, serde_json::from_str::<serde_json::Value>(&text).is_ok_and(|value| value.is_array()));
    }
}
