use super::super::arbitrary::{deepest, documents};
use super::super::*;
use super::write_table::order_index;
use super::*;
use proptest::prelude::*;
use rstest::rstest;
use serde_json::json;
use std::collections::BTreeSet;

impl Document {
    /// The document in the API's form, as a value.
    fn to_wire(&self) -> Value {
        serde_json::to_value(WireDocument(self)).expect("JSON")
    }
}

fn every_block() -> Value {
    serde_json::from_str(include_str!("every_block.json")).expect("the fixture is JSON")
}

/// A document of these nodes.
fn wire(nodes: Value) -> Value {
    json!({"object": "document", "data": {}, "nodes": nodes})
}

fn read(nodes: Value) -> Document {
    Document::from_wire(&wire(nodes)).expect("a valid document")
}

fn block(name: &str, more: Value) -> Value {
    let mut block = json!({"object": "block", "type": name, "data": {}});
    for (key, value) in more.as_object().expect("an object") {
        block[key] = value.clone();
    }
    block
}

fn text(text: &str) -> Value {
    json!({"object": "text", "leaves": [{"object": "leaf", "text": text, "marks": []}]})
}

#[test]
fn what_the_description_lists_is_read_and_written_back_as_it_was() {
    let written = every_block();
    let document = Document::from_wire(&written).expect("a valid document");
    assert_eq!(document.to_wire(), written);
    let types: BTreeSet<BlockType> = document.walk().map(|block| block.kind.block_type()).collect();
    let absent: Vec<&BlockType> = BlockType::ALL.iter().filter(|kind| !types.contains(kind)).collect();
    assert!(absent.is_empty(), "the fixture lacks {absent:?}");
}

#[rstest]
#[case("heading-1", json!({}), 2)]
#[case("heading-2", json!({}), 3)]
#[case("heading-3", json!({}), 4)]
#[case("heading-1", json!({"level": 1}), 1)]
#[case("heading-3", json!({"level": 5}), 5)]
#[case("heading-3", json!({"level": 6}), 6)]
#[case("heading-2", json!({"level": 6}), 3)]
#[case("heading-1", json!({"level": "two"}), 2)]
#[case("heading-1", json!({"level": 258}), 2)]
fn a_heading_has_the_level_of_its_type_unless_a_fitting_one_is_given(
    #[case] name: &str,
    #[case] more: Value,
    #[case] level: u8,
) {
    let document = read(json!([block(name, more)]));
    assert!(matches!(&document.blocks[0].kind, Kind::Heading(heading) if heading.level == level));
}

#[test]
fn absent_keys_are_made_and_absent_lists_are_empty() {
    let document = read(json!([
        {"object": "block", "type": "paragraph", "nodes": [text("a")]},
        {"object": "block", "type": "paragraph", "key": null, "data": null, "isVoid": null},
        {"object": "block", "type": "code"},
    ]));
    assert_eq!(document.check(), Ok(()));
    assert_eq!(document.text(), "a");
    assert_eq!(read(document.to_wire()["nodes"].clone()), document);
}

#[test]
fn the_empty_document_has_its_own_form() {
    let empty = json!({"object": "document", "data": {}, "nodes": []});
    assert_eq!(Document::empty().to_wire(), empty);
    assert_eq!(Document::from_wire(&empty), Ok(Document::empty()));
    let more = json!({"object": "document", "data": {"schemaVersion": 8}, "meta": {"token": "t"}, "nodes": []});
    assert_eq!(Document::from_wire(&more), Ok(Document::empty()));
}

#[test]
fn code_is_read_without_the_marks_it_may_come_with() {
    let leaf = json!({"object": "leaf", "text": "a\nb", "marks": [{"object": "mark", "type": "bold"}]});
    let line = json!({"object": "text", "leaves": [leaf]});
    let lines = json!([
        block("code-line", json!({"nodes": [line]})),
        block("code-line", json!({"data": {"highlighted": true}, "nodes": [text("c")]})),
    ]);
    let document = read(json!([block("code", json!({"nodes": lines}))]));
    assert_eq!(document.blocks[0].content, ["a\nb\nc".into()]);
    assert!(matches!(&document.blocks[0].kind, Kind::Code(code) if code.highlighted == [2].into()));
}

#[test]
fn several_paragraphs_of_a_caption_are_lines_of_it() {
    let paragraphs =
        json!([block("paragraph", json!({"nodes": [text("a")]})), block("paragraph", json!({"nodes": [text("b")]}))]);
    let fragment = json!({"object": "fragment", "fragment": "caption", "nodes": paragraphs});
    let embed = block("embed", json!({"data": {"url": "u"}, "fragments": [fragment]}));
    assert_eq!(read(json!([embed])).blocks[0].content, ["a\nb".into()]);
}

fn table(records: Value, fragments: Value) -> Value {
    let definition = json!({
        "t": {"id": "t", "title": "T", "type": "text"},
        "n": {"id": "n", "title": "N", "type": "number"},
    });
    let view = json!({"type": "grid", "columns": ["t", "n"], "hideHeader": false});
    let data = json!({"view": view, "definition": definition, "records": records});
    block("table", json!({"isVoid": true, "data": data, "fragments": fragments}))
}

#[test]
fn rows_are_in_the_order_of_their_index_and_texts_of_cells_may_be_written_plainly() {
    let records = json!({
        "r1": {"orderIndex": "b", "values": {"t": "plain", "n": 1}},
        "r2": {"orderIndex": "a", "values": {"t": "f", "n": null}},
        "r3": {"orderIndex": "b", "values": {}},
    });
    let fragments =
        json!([{"object": "fragment", "key": "f", "nodes": [block("paragraph", json!({"nodes": [text("rich")]}))]}]);
    let document = read(json!([table(records, fragments)]));
    assert_eq!(document.text(), "T\tN\nrich\nplain\t1");
    let keys: Vec<&str> = document.blocks[0].children.iter().map(|row| row.key.0.as_str()).collect();
    assert_eq!(keys, ["r2", "r1", "r3"]);
}

#[rstest]
#[case(json!({}), None)]
#[case(json!({"data": {"openInAIProviders": true}}), None)]
#[case(json!({"data": {"openInAIProviders": true}, "openIn": ["one", "two"]}), Some(vec!["one".to_owned(), "two".to_owned()]))]
#[case(json!({"data": {"openInAIProviders": false}, "openIn": ["one"]}), Some(vec![]))]
fn a_prompt_can_be_opened_in_the_assistants_that_are_listed(
    #[case] mut given: Value,
    #[case] expected: Option<Vec<String>>,
) {
    given["data"]["description"] = json!("Explain");
    given["nodes"] = json!([block("code", json!({}))]);
    let document = read(json!([block("prompt", given)]));
    let Kind::Prompt(prompt) = &document.blocks[0].kind else { panic!("{document:?}") };
    assert_eq!(prompt.open_in_ai_providers, expected);
    let written = document.to_wire();
    let any = expected.map(|providers| !providers.is_empty());
    assert_eq!(written["nodes"][0]["data"].get("openInAIProviders"), any.map(Value::from).as_ref());
    assert_eq!(read(written["nodes"].clone()), document);
}

#[rstest]
#[case(json!({}), None)]
#[case(json!({"textAlignment": "left"}), Some(ColumnAlign::Left))]
#[case(json!({"textAlignment": "left", "defaultAlignment": false}), Some(ColumnAlign::Left))]
#[case(json!({"textAlignment": "left", "defaultAlignment": true}), None)]
#[case(json!({"textAlignment": "right", "defaultAlignment": true}), Some(ColumnAlign::Right))]
fn a_column_of_texts_is_written_with_an_alignment_also_if_it_has_none(
    #[case] given: Value,
    #[case] own: Option<ColumnAlign>,
) {
    let mut table = table(json!({}), json!([]));
    let column = table["data"]["definition"]["t"].as_object_mut().unwrap();
    column.extend(given.as_object().unwrap().clone());
    let document = read(json!([table]));
    let Kind::Table(table) = &document.blocks[0].kind else { panic!("{document:?}") };
    let kind = &table.columns.iter().find(|column| column.id == "t").unwrap().kind;
    assert_eq!(*kind, ColumnKind::Text { text_alignment: own, vertical_alignment: None });
    let written = document.to_wire();
    let column = &written["nodes"][0]["data"]["definition"]["t"];
    assert_eq!(column["textAlignment"], json!(own.unwrap_or_default()));
    assert_eq!(column.get("defaultAlignment"), own.is_none().then_some(&json!(true)));
}

#[test]
fn the_text_of_a_cell_is_not_copied_into_every_cell_that_names_it() {
    let records = json!({
        "r1": {"orderIndex": "a", "values": {"t": "f"}},
        "r2": {"orderIndex": "b", "values": {"t": "f"}},
    });
    let fragments = json!([{"object": "fragment", "fragment": "f", "nodes": [block("paragraph", json!({"nodes": [text("long")]}))]}]);
    assert_eq!(read(json!([table(records, fragments)])).text(), "T\tN\nlong\nf");
}

#[rstest]
#[case(0, "a0")]
#[case(61, "az")]
#[case(62, "b00")]
#[case(63, "b01")]
#[case(62 + 62 * 62 - 1, "bzz")]
#[case(62 + 62 * 62, "c000")]
fn the_index_of_a_row_is_a_whole_number_of_fractional_indexing(#[case] at: usize, #[case] index: &str) {
    assert_eq!(order_index(at), index);
    assert!(order_index(at) < order_index(at + 1));
}

#[test]
fn the_deepest_documents_there_may_be_are_written_and_read() {
    for document in deepest() {
        assert_eq!(Document::from_wire(&document.to_wire()), Ok(document));
    }
}

#[test]
fn what_nests_deeper_is_refused_with_its_path() {
    let mut inner = json!([]);
    for _ in 0..=MAX_DEPTH {
        inner = json!([block("blockquote", json!({"nodes": inner}))]);
    }
    let error = Document::from_wire(&wire(inner)).expect_err("too deep");
    assert_eq!(error.path, format!("document{}", ".nodes[0]".repeat(MAX_DEPTH + 1)));
    assert_eq!(error.rule, "content must be nested at most 64 levels deep");
}

/// The error, with the path of the place and a part of the rule.
#[rstest]
#[case(json!(null), "document.object: must be \"document\"")]
#[case(json!([]), "document: must be an object")]
#[case(json!({}), "document.object: must be \"document\"")]
#[case(json!({"object": "document"}), "document.nodes: is required")]
#[case(json!({"object": "document", "nodes": {}}), "document.nodes: must be an array")]
#[case(json!({"object": "document", "data": 1, "nodes": []}), "document.data: must be an object")]
#[case(wire(json!([1])), "document.nodes[0]: must be an object")]
#[case(wire(json!([{"object": "text"}])), "document.nodes[0].object: must be \"block\"")]
#[case(wire(json!([{"object": "block"}])), "document.nodes[0].type: is required")]
#[case(wire(json!([block("blink", json!({}))])), "document.nodes[0].type: is not a type of block")]
#[case(wire(json!([block("verbatim", json!({}))])), "document.nodes[0].type: is not a type of block")]
#[case(wire(json!([block("table-row", json!({}))])), "document.nodes[0].type: is not a type of block")]
#[case(wire(json!([block("heading", json!({}))])), "document.nodes[0].type: is not a type of block")]
#[case(wire(json!([block("list-item", json!({}))])), "document.nodes[0].type: a list-item cannot be here by itself")]
#[case(wire(json!([block("tabs", json!({"nodes": [block("paragraph", json!({}))]}))])), "document.nodes[0].nodes[0].type: a paragraph cannot be in a tabs")]
#[case(wire(json!([block("divider", json!({"isVoid": false}))])), "document.nodes[0].isVoid: must be true")]
#[case(wire(json!([block("paragraph", json!({"isVoid": true}))])), "document.nodes[0].isVoid: must be false")]
#[case(wire(json!([block("paragraph", json!({"isVoid": "no"}))])), "document.nodes[0].isVoid: must be a boolean")]
#[case(wire(json!([block("paragraph", json!({"key": 1}))])), "document.nodes[0].key: must be a string")]
#[case(wire(json!([block("paragraph", json!({"key": "a.b"}))])), "document.nodes[0].key: must be 1 to 64 characters")]
#[case(wire(json!([block("paragraph", json!({"key": "a"})), block("divider", json!({"key": "a"}))])), "document.nodes[1].key: is used more than once")]
#[case(wire(json!([block("paragraph", json!({"data": {"align": "left"}}))])), "document.nodes[0].data.align: must be one of `start`, `center`, `end`")]
#[case(wire(json!([block("paragraph", json!({"data": {"colour": 1}}))])), "document.nodes[0].data.colour: is not a field that may be here")]
#[case(wire(json!([block("paragraph", json!({"nodes": "text"}))])), "document.nodes[0].nodes: must be an array")]
#[case(wire(json!([block("paragraph", json!({"nodes": [{"object": "block"}]}))])), "document.nodes[0].nodes[0].object: must be \"text\" or \"inline\"")]
#[case(wire(json!([block("paragraph", json!({"nodes": [{"object": "text"}]}))])), "document.nodes[0].nodes[0].leaves: is required")]
#[case(wire(json!([block("paragraph", json!({"nodes": [{"object": "text", "leaves": [{"object": "leaf"}]}]}))])), "leaves[0].text: is required")]
#[case(wire(json!([block("paragraph", json!({"nodes": [{"object": "text", "leaves": [{"object": "leaf", "text": 1}]}]}))])), "leaves[0].text: must be a string")]
#[case(marked(json!([{"object": "mark", "type": "blink"}])), "marks[0].type: is not a mark")]
#[case(marked(json!([{"object": "mark", "type": "color", "data": {"text": "red"}}])), "marks[0].data.background: is required")]
#[case(marked(json!([{"object": "mark", "type": "color", "data": {"text": "rouge", "background": "red"}}])), "marks[0].data.text: must be one of `default`, `green`")]
#[case(marked(json!({"bold": true})), "marks: must be an array")]
#[case(inline("blink", json!({})), "document.nodes[0].nodes[0].type: is not a type of inline content")]
#[case(inline("link", json!({})), "document.nodes[0].nodes[0].data.ref: is required")]
#[case(inline("link", json!({"data": {"ref": {"kind": "moon"}}})), "data.ref.kind: must be one of `file`, `url`, `page`, `anchor`, `user`, `collection`, `space`, ")]
#[case(inline("link", json!({"data": {"ref": {"kind": 1}}})), "data.ref.kind: must be a string")]
#[case(inline("link", json!({"data": {"ref": "u"}})), "data.ref: must be an object")]
#[case(inline("link", json!({"data": {"ref": {"kind": "page"}}})), "data.ref.page: is required")]
#[case(inline("link", json!({"data": {"ref": {"kind": "page", "page": 1}}})), "data.ref.page: must be a string")]
#[case(inline("link", json!({"data": {"ref": {"kind": "page", "page": "a", "space": "b c"}}})), "data.ref.space: must be 1 to 64 characters")]
#[case(inline("link", json!({"data": {"ref": {"kind": "page", "page": "a b"}}})), "data.ref.page: must be 1 to 64 characters")]
#[case(inline("link", json!({"data": {"ref": {"kind": "url", "url": "u"}}, "isVoid": true})), "isVoid: must be false")]
#[case(inline("link", json!({"data": {"ref": {"kind": "url", "url": "u"}}, "nodes": [inline_of("mention", json!({"data": {"ref": {"kind": "user", "user": "u"}}}))]})), "nodes[0].nodes[0].type: a mention cannot be in a link")]
#[case(inline("inline-image", json!({"data": {"ref": {"kind": "user", "user": "u"}}})), "data.ref: must be a reference to a file or a url")]
#[case(inline("emoji", json!({"data": {"code": "1f600", "size": 1}})), "data.size: is not a field that may be here")]
#[case(inline("annotation", json!({})), "fragments: needs a fragment annotation-body")]
#[case(inline("annotation", json!({"fragments": [{"object": "fragment", "type": "annotation-body"}]})), "fragments[0].nodes: is required")]
#[case(inline("annotation", json!({"fragments": [{"object": "fragment", "type": 5, "nodes": []}]})), "fragments[0].type: must be a string")]
#[case(inline("annotation", json!({"fragments": [{"object": "fragment", "type": "annotation-body", "nodes": [block("image", json!({"data": {"ref": {"kind": "url", "url": ""}}}))]}]})), "fragments[0].nodes[0].type: a image cannot be here by itself")]
#[case(inline("button", json!({"data": {"label": "a"}})), "data.kind: is required")]
#[case(wire(json!([block("hint", json!({"data": {}}))])), "document.nodes[0].data.style: is required")]
#[case(wire(json!([block("hint", json!({"data": {"style": "loud"}}))])), "document.nodes[0].data.style: must be one of `info`, `warning`, `danger`, `success`")]
#[case(wire(json!([block("hint", json!({"data": {"style": 1}}))])), "document.nodes[0].data.style: must be one of `info`, `warning`, `danger`, `success`")]
#[case(wire(json!([block("hint", json!({"data": {"style": {}}}))])), "document.nodes[0].data.style: must be one of `info`, ")]
#[case(wire(json!([block("prompt", json!({"data": {"description": ""}}))])), "document.nodes[0].nodes: a prompt must have exactly one code")]
#[case(wire(json!([block("code", json!({"nodes": [block("paragraph", json!({}))]}))])), "document.nodes[0].nodes[0].type: must be \"code-line\"")]
#[case(wire(json!([block("code", json!({"nodes": [block("code-line", json!({"nodes": [inline_of("emoji", json!({"data": {"code": "1"}}))]}))]}))])), "document.nodes[0].nodes[0].nodes[0].type: a emoji cannot be in code")]
#[case(wire(json!([block("code", json!({"data": {"collapsedLineCount": -1}}))])), "document.nodes[0].data.collapsedLineCount: must be a whole number from 0 to 4294967295")]
#[case(wire(json!([block("list-ordered", json!({"data": {"start": "one"}}))])), "document.nodes[0].data.start: must be a whole number, not below 0")]
#[case(wire(json!([block("openapi-schemas", json!({"data": {"ref": {"kind": "openapi", "spec": "a"}, "schemas": ["a", 1]}}))])), "document.nodes[0].data.schemas[1]: must be a string")]
#[case(wire(json!([block("images", json!({"nodes": [block("image", json!({"data": {"ref": {"kind": "url", "url": "u"}, "width": "wide"}}))]}))])), "document.nodes[0].nodes[0].data.width: must be a number, or a unit and a value")]
#[case(wire(json!([block("expandable", json!({}))])), "document.nodes[0].fragments: needs a fragment expandable-title")]
#[case(wire(json!([block("update", json!({"data": {"date": "2024-01-01T00:00:00Z"}}))])), "document.nodes[0].type: a update cannot be here by itself")]
#[case(wire(json!([block("updates", json!({"data": {"format": "full"}, "nodes": [block("update", json!({"data": {"date": "yesterday"}}))]}))])), "document.nodes[0].nodes[0].data.date: must be a time such as ")]
#[case(wire(json!([block("updates", json!({"data": {"format": "full"}, "nodes": [block("update", json!({"data": {"date": "2024-01-01T00:00:00Z", "tags": [{"kind": "space", "space": "s"}]}}))]}))])), "document.nodes[0].nodes[0].data.tags[0]: must be a reference to a tag")]
#[case(wire(json!([block("openapi-operation", json!({"data": {"path": "/", "method": "get", "ref": {"kind": "url", "url": "u"}}}))])), "document.nodes[0].data.ref: must be a reference to an OpenAPI specification")]
#[case(wire(json!([block("embed", json!({"data": {"url": "u"}, "fragments": [{"object": "fragment", "fragment": "caption", "nodes": [block("divider", json!({}))]}]}))])), "document.nodes[0].fragments[0].nodes[0].type: must be \"paragraph\"")]
#[case(wire(json!([block("table", json!({}))])), "document.nodes[0].data.definition: is required")]
#[case(wire(json!([table(json!({"r": {"values": {}}}), json!([]))])), "document.nodes[0].data.records.r.orderIndex: is required")]
#[case(wire(json!([table(json!({"r": {"orderIndex": "a", "values": {"x": 1}}}), json!([]))])), "document.nodes[0].data.records.r.values.x: there is no such column")]
#[case(wire(json!([table(json!({"r": {"orderIndex": "a", "values": {"n": {"a": 1}}}}), json!([]))])), "document.nodes[0].data.records.r.values.n: must be a number, a text,")]
#[case(wire(json!([table(json!({"r r": {"orderIndex": "a", "values": {}}}), json!([]))])), "document.nodes[0].data.records.r r: must be 1 to 64 characters")]
#[case(with_view(json!({"type": "heap"})), "document.nodes[0].data.view.type: must be `grid` or `cards`")]
#[case(with_view(json!({"type": "grid"})), "document.nodes[0].data.view.columns: is required")]
#[case(with_view(json!({"type": "grid", "columns": ["t", 1]})), "document.nodes[0].data.view.columns[1]: must be a string")]
#[case(with_view(json!({"type": "grid", "columns": [], "columnWidths": {"t": "wide"}})), "document.nodes[0].data.view.columnWidths.t: must be a number")]
#[case(with_view(json!({"type": "cards", "columns": [], "cardSize": "huge"})), "document.nodes[0].data.view.cardSize: must be `medium` or `large`")]
#[case(with_view(json!("grid")), "document.nodes[0].data.view: must be an object")]
#[case(with_table("definition", json!({"t": {"id": "u", "title": "", "type": "text"}})), "document.nodes[0].data.definition.t.id: must be the name that the column is defined by")]
#[case(with_table("definition", json!({"t": {"id": "t", "title": ""}})), "document.nodes[0].data.definition.t.type: is required")]
#[case(with_table("definition", json!({"t": {"id": "t", "title": "", "type": "select"}})), "document.nodes[0].data.definition.t.options: is required")]
#[case(with_table("definition", json!({"t": {"id": "t", "title": "", "type": "letters"}})), "document.nodes[0].data.definition.t.type: must be one of `text`, `number`, ")]
#[case(with_table("definition", json!({"t": {"id": "t", "title": "", "type": "select", "multiple": true, "options": [{"value": "a", "label": "A", "color": 5}]}})), "document.nodes[0].data.definition.t.options[0].color: must be a string")]
#[case(with_table("cellMerges", json!([{"anchor": {"record": "r", "column": "t"}, "rowSpan": 1, "colSpan": 1}])), "document.nodes[0].data: merged cells must start at a row")]
#[case(with_table("cellMerges", json!([{"anchor": {"record": "r", "column": "t"}, "rowSpan": 300, "colSpan": 1}])), "document.nodes[0].data.cellMerges[0].rowSpan: must be a whole number from 0 to 255")]
fn what_breaks_a_rule_is_refused_with_its_path_and_the_rule(#[case] value: Value, #[case] expected: &str) {
    let error = Document::from_wire(&value).expect_err("it must be refused").to_string();
    assert!(error.contains(expected), "{error}");
    assert!(error.starts_with("document"), "{error}");
}

fn inline_of(name: &str, more: Value) -> Value {
    let mut inline = block(name, more);
    inline["object"] = "inline".into();
    inline
}

fn inline(name: &str, more: Value) -> Value {
    wire(json!([block("paragraph", json!({"nodes": [inline_of(name, more)]}))]))
}

fn marked(marks: Value) -> Value {
    let leaf = json!({"object": "leaf", "text": "a", "marks": marks});
    wire(json!([block("paragraph", json!({"nodes": [{"object": "text", "leaves": [leaf]}]}))]))
}

fn with_table(field: &str, value: Value) -> Value {
    let mut table = table(json!({}), json!([]));
    table["data"][field] = value;
    wire(json!([table]))
}

fn with_view(view: Value) -> Value {
    with_table("view", view)
}

#[test]
fn an_option_of_an_unknown_colour_has_the_default_colour() {
    let options = ["red", "#fff", ""].map(|color| json!({"value": color, "label": "A", "color": color}));
    let column = json!({"id": "t", "title": "", "type": "select", "multiple": true, "options": options});
    let columns = json!({"t": column, "n": {"id": "n", "title": "N", "type": "number"}});
    let written = Document::from_wire(&with_table("definition", columns)).expect("a valid table").to_wire();
    let options = &written["nodes"][0]["data"]["definition"]["t"]["options"];
    let colors: Vec<&Value> = options.as_array().expect("a list").iter().map(|option| &option["color"]).collect();
    assert_eq!(colors, ["red", "default", "default"]);
}

#[test]
fn a_long_name_is_not_repeated_in_full() {
    let name = "x".repeat(100_000);
    let error = Document::from_wire(&wire(json!([block("divider", json!({"data": {name: 1}}))]))).expect_err("unknown");
    assert!(error.path.len() < 200);
}

/// Replaces one value in a JSON tree, the `at`-th of its walk.
fn replace(value: &mut Value, at: &mut usize, with: &Value) -> bool {
    if *at == 0 {
        *value = with.clone();
        return true;
    }
    *at -= 1;
    match value {
        Value::Array(items) => items.iter_mut().any(|item| replace(item, at, with)),
        Value::Object(map) => map.values_mut().any(|item| replace(item, at, with)),
        _ => false,
    }
}

proptest! {
    #[test]
    fn what_was_written_is_read(document in documents()) {
        prop_assert_eq!(Document::from_wire(&document.to_wire()), Ok(document));
    }

    #[test]
    fn no_wrong_value_anywhere_breaks_the_reader(at in 0..988_usize, with in prop_oneof![
        Just(Value::Null), Just(json!(true)), Just(json!(-1.5)), Just(json!("wrong")), Just(json!([])), Just(json!({})),
        Just(json!([[]])), Just(json!({"object": "block", "type": "paragraph"})),
    ]) {
        let mut value = every_block();
        let mut left = at;
        replace(&mut value, &mut left, &with);
        if let Ok(document) = Document::from_wire(&value) {
            prop_assert_eq!(document.check(), Ok(()));
            prop_assert_eq!(Document::from_wire(&document.to_wire()), Ok(document));
        }
    }
}
