use super::super::arbitrary::{deepest, documents};
use super::super::*;
use super::*;
use proptest::prelude::*;
use rstest::rstest;
use serde_json::json;

fn keyed(key: &str, kind: Kind) -> Block {
    Block { key: Key(key.into()), ..Block::new(kind) }
}

fn line(content: Vec<Inline>) -> Block {
    keyed("a", Kind::Paragraph(Paragraph::default())).with_content(content)
}

fn url(url: &str) -> Target {
    Target(ContentRef::Url { url: url.into() })
}

fn user() -> ContentRef {
    ContentRef::User { user: "u".parse().expect("an id") }
}

fn grid(columns: Vec<(&str, ColumnKind)>, merges: Vec<CellMerge>, rows: Vec<Block>) -> Block {
    let columns = columns.into_iter();
    let table = Table {
        columns: columns.map(|(id, kind)| TableColumn { id: id.into(), kind, ..Default::default() }).collect(),
        cell_merges: merges,
        ..Default::default()
    };
    keyed("table", Kind::Table(Box::new(table))).with_children(rows)
}

fn cell(key: &str, column: &str, value: Option<CellValue>) -> Block {
    keyed(key, Kind::TableCell(TableCell { column: column.into(), value: value.map(Box::new) }))
}

fn row(key: &str, cells: Vec<Block>) -> Block {
    keyed(key, Kind::TableRow).with_children(cells)
}

fn merge(record: &str, column: &str, row_span: u8, col_span: u8) -> CellMerge {
    CellMerge { record: record.into(), column: column.into(), row_span, col_span }
}

fn merged(merges: Vec<CellMerge>) -> Block {
    let columns = vec![("x", ColumnKind::default()), ("y", ColumnKind::default())];
    grid(columns, merges, vec![row("r", vec![]), row("s", vec![])])
}

fn one_cell(kind: ColumnKind, cell: Block) -> Block {
    grid(vec![("x", kind)], vec![], vec![row("r", vec![cell])])
}

#[rstest]
#[case(line(vec![]), None)]
#[case(Block::new(Kind::Divider), Some(Problem::InvalidKey))]
#[case(keyed("a b", Kind::Divider), Some(Problem::InvalidKey))]
#[case(keyed(&"a".repeat(65), Kind::Divider), Some(Problem::InvalidKey))]
#[case(keyed("a", Kind::ListItem(ListItem::default())), Some(Problem::NotTopLevel(BlockType::ListItem)))]
#[case(keyed("a", Kind::ListTasks).with_children(vec![keyed("b", Kind::Divider)]), Some(Problem::Misplaced { parent: BlockType::ListTasks, child: BlockType::Divider }))]
#[case(keyed("a", Kind::Divider).with_children(vec![keyed("b", Kind::Divider)]), Some(Problem::Misplaced { parent: BlockType::Divider, child: BlockType::Divider }))]
#[case(keyed("a", Kind::Blockquote).with_children(vec![keyed("a", Kind::Divider)]), Some(Problem::RepeatedKey("a".into())))]
#[case(keyed("a", Kind::Divider).with_content(vec!["b".into()]), Some(Problem::NoContent(BlockType::Divider)))]
#[case(keyed("a", Kind::Prompt(Box::default())), Some(Problem::NotOne(BlockType::Prompt, BlockType::Code)))]
#[case(keyed("a", Kind::Heading(Heading::default())), Some(Problem::Level))]
#[case(keyed("a", Kind::Heading(Heading { level: 7, ..Default::default() })), Some(Problem::Level))]
#[case(keyed("a", Kind::File(Box::new(FileBlock { source: Target(user()) }))), Some(Problem::Target("a file or a url")))]
#[case(keyed("a", Kind::ReusableContent(Box::new(ReusableContentBlock { target: Target(user()) }))), Some(Problem::Target("a reusable content or a url")))]
#[case(line(vec![Inline::Image(Box::new(InlineImage { source_dark: Some(user()), ..Default::default() }))]), Some(Problem::Target("a file or a url")))]
#[case(line(vec![Inline::Link(Box::new(Link { target: url("u"), content: vec![Inline::Link(Box::default())], ..Default::default() }))]), Some(Problem::MisplacedInline { inline: "link", place: "in a link" }))]
#[case(line(vec![Inline::Annotation(Box::new(Annotation { content: vec![Inline::Link(Box::default())], ..Default::default() }))]), None)]
#[case(line(vec![Inline::Annotation(Box::new(Annotation { body: vec![line(vec![])], ..Default::default() }))]), Some(Problem::RepeatedKey("a".into())))]
#[case(line(vec![Inline::Annotation(Box::new(Annotation { body: vec![keyed("b", Kind::TableRow)], ..Default::default() }))]), Some(Problem::NotTopLevel(BlockType::TableRow)))]
#[case(keyed("a", Kind::Code(Box::default())).with_content(vec![Inline::Emoji { code: "1".into() }]), Some(Problem::MisplacedInline { inline: "emoji", place: "in code" }))]
#[case(line(vec!["x".repeat(MAX_TEXT).into()]), None)]
#[case(line(vec!["x".repeat(MAX_TEXT).into(), "x".into()]), Some(Problem::TooLong))]
#[case(line(vec!["".into(); MAX_NODES]), Some(Problem::TooMany))]
#[case(grid(vec![("x y", ColumnKind::Number)], vec![], vec![]), Some(Problem::InvalidColumn))]
#[case(grid(vec![("x", ColumnKind::Number), ("x", ColumnKind::Number)], vec![], vec![]), Some(Problem::RepeatedColumn("x".into())))]
#[case(one_cell(ColumnKind::Number, cell("r.y", "y", None)), Some(Problem::NoColumn("y".into())))]
#[case(one_cell(ColumnKind::default(), cell("cell", "x", None)), Some(Problem::CellKey))]
#[case(one_cell(ColumnKind::default(), cell("r.x", "x", None)), None)]
#[case(one_cell(ColumnKind::default(), cell("r.x", "x", Some(CellValue::Bool(true)))), None)]
#[case(one_cell(ColumnKind::default(), cell("r.x", "x", Some(CellValue::Text("a".into())))), Some(Problem::CellContent))]
#[case(one_cell(ColumnKind::default(), cell("r.x", "x", None).with_content(vec!["a".into()]).with_children(vec![line(vec![])])), Some(Problem::CellContent))]
#[case(one_cell(ColumnKind::Number, cell("r.x", "x", None)), Some(Problem::CellContent))]
#[case(one_cell(ColumnKind::Number, cell("r.x", "x", Some(CellValue::Number(1.into()))).with_content(vec!["a".into()])), Some(Problem::CellContent))]
#[case(grid(vec![("x", ColumnKind::default())], vec![], vec![row("r", vec![cell("r.x", "x", None), cell("r.x", "x", None)])]), Some(Problem::RepeatedCell("x".into())))]
#[case(merged(vec![merge("r", "x", 2, 1), merge("r", "y", 2, 1)]), None)]
#[case(merged(vec![merge("r", "x", 2, 1), merge("s", "x", 1, 2)]), Some(Problem::Overlap))]
#[case(merged(vec![merge("r", "y", 50, 50)]), None)]
#[case(merged(vec![merge("t", "x", 1, 1)]), Some(Problem::Merge))]
#[case(merged(vec![merge("r", "z", 1, 1)]), Some(Problem::Merge))]
#[case(merged(vec![merge("r", "x", 0, 1)]), Some(Problem::Merge))]
#[case(merged(vec![merge("r", "x", 1, 51)]), Some(Problem::Merge))]
fn a_document_is_checked(#[case] block: Block, #[case] problem: Option<Problem>) {
    let found = Document { blocks: vec![block] }.check().err().map(|error| error.problem);
    assert_eq!(found, problem);
}

#[test]
fn data_free_of_form_may_not_nest_too_deep() {
    let mut value = json!(1);
    for _ in 0..MAX_DEPTH {
        value = json!([value]);
    }
    let integration = |value| {
        let props = serde_json::Map::from_iter([("a".to_owned(), value)]);
        let block = keyed("a", Kind::Integration(Box::new(Integration { props, ..Default::default() })));
        Document { blocks: vec![block] }.check().err().map(|error| error.problem)
    };
    assert_eq!(integration(value.clone()), None);
    assert_eq!(integration(json!([value])), Some(Problem::TooDeep));
}

#[test]
fn an_error_names_the_block_and_the_rule() {
    let document = Document { blocks: vec![keyed("top", Kind::Heading(Heading::default()))] };
    assert_eq!(
        document.check().expect_err("a rule").to_string(),
        "block \"top\": the level of a heading must be 1 to 6"
    );
}

#[test]
fn what_nests_one_level_deeper_than_the_deepest_is_refused() {
    for deepest in deepest() {
        // A quotation in a note: three levels, which is more than any of them has left.
        let body = vec![keyed("more", Kind::Blockquote).with_children(deepest.blocks)];
        let blocks = vec![line(vec![Inline::Annotation(Box::new(Annotation { body, ..Default::default() }))])];
        assert_eq!(bounded(&blocks, 1, &mut 0), Err(Problem::TooDeep));
        let error = Document::from_blocks(blocks.clone()).expect_err("too deep");
        assert_eq!(error.problem, Problem::TooDeep);
        let error = Document { blocks }.check().expect_err("too deep");
        assert_eq!(error.problem, Problem::TooDeep);
    }
}

proptest! {
    #[test]
    fn arbitrary_documents_keep_every_rule(document in documents()) {
        prop_assert_eq!(document.check(), Ok(()));
        prop_assert_eq!(bounded(&document.blocks, 1, &mut 0), Ok(()));
        prop_assert_eq!(Document::from_blocks(document.blocks.clone()), Ok(document));
    }
}

#[test]
fn a_text_of_more_blocks_than_a_document_may_have_is_refused_before_it_gets_keys() {
    let blocks = vec![Block::new(Kind::Divider); MAX_NODES + 1];
    let refused = Document::from_blocks(blocks).expect_err("too many");
    assert_eq!(refused, DocumentError { block: Key::default(), problem: Problem::TooMany });
}
