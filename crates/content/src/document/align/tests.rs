use super::super::arbitrary::{blocks, documents, without_keys};
use super::super::{Block, CellMerge, Hint, Inline, Kind, Paragraph, Table, TableCell, TableColumn, inline_text};
use super::*;
use crate::markdown::{self, Unresolved};
use proptest::prelude::*;
use rstest::rstest;
use serde_json::json;

fn paragraph(text: &str) -> Block {
    Block::new(Kind::Paragraph(Paragraph::default())).with_content(vec![Inline::from(text)])
}

fn quote(children: Vec<Block>) -> Block {
    Block::new(Kind::Blockquote).with_children(children)
}

/// A document whose keys say that they are old ones.
fn old(blocks: Vec<Block>) -> Document {
    let mut document = Document { blocks };
    document.rename(&mut |at, _| Some(Key(format!("old{at}").into())));
    document.assign_keys();
    document
}

/// The keys of the blocks, in the order of the walk; `new` for those that no old block has.
fn kept(old: &Document, new: Vec<Block>) -> Vec<String> {
    let new = keep_keys(old, Document { blocks: new });
    let name = |key: &Key| if key.0.starts_with("old") { key.0.to_string() } else { "new".into() };
    new.walk().map(|block| name(&block.key)).collect()
}

fn paragraphs(texts: &[&str]) -> Vec<Block> {
    texts.iter().map(|text| paragraph(text)).collect()
}

#[test]
fn an_edited_block_stays_itself() {
    let before = old(paragraphs(&["one two three four", "five six seven eight", "nine ten"]));
    let after = paragraphs(&["one two three more", "five six seven seven eight", "nine ten"]);
    assert_eq!(kept(&before, after), ["old0", "old1", "old2"]);
}

#[test]
fn a_block_put_between_edited_ones_is_new() {
    let before = old(paragraphs(&["one two three four", "five six seven eight"]));
    let after = paragraphs(&["one two three more", "something else altogether", "five six seven seven eight"]);
    assert_eq!(kept(&before, after), ["old0", "new", "old1"]);
}

#[test]
fn a_moved_block_stays_itself() {
    let before = old(paragraphs(&["a", "b", "c", "d"]));
    assert_eq!(kept(&before, paragraphs(&["d", "a", "b", "c"])), ["old3", "old0", "old1", "old2"]);
    assert_eq!(kept(&before, paragraphs(&["d", "c", "b", "a"])), ["old3", "old2", "old1", "old0"]);
}

#[test]
fn a_block_drawn_into_another_stays_itself() {
    let before = old(paragraphs(&["one", "two", "three"]));
    let after = vec![paragraph("one"), quote(vec![paragraph("two")]), paragraph("three")];
    assert_eq!(kept(&before, after), ["old0", "new", "old1", "old2"]);
    let before = old(vec![quote(vec![quote(vec![paragraph("a b")]), paragraph("c")])]);
    assert_eq!(kept(&before, vec![paragraph("c"), quote(vec![paragraph("a b")])]), ["old3", "old1", "old2"]);
}

#[test]
fn what_is_inside_an_edited_block_is_matched_too() {
    let hint = |style, text: &str| {
        Block::new(Kind::Hint(Hint { style, icon: None })).with_children(vec![paragraph("same"), paragraph(text)])
    };
    let before = old(vec![hint(Default::default(), "one two three"), paragraph("end")]);
    let after = vec![paragraph("start"), hint(super::super::HintStyle::Danger, "one two four"), paragraph("end")];
    assert_eq!(kept(&before, after), ["new", "old0", "old1", "old2", "old3"]);
}

#[test]
fn another_type_of_block_is_another_block() {
    let before = old(vec![paragraph("the same words")]);
    let code = Block::new(Kind::Code(Default::default())).with_content(vec!["the same words".into()]);
    assert_eq!(kept(&before, vec![code]), ["new"]);
}

#[test]
fn a_key_made_for_a_new_block_is_not_one_that_an_old_block_keeps() {
    // The key of the only block follows from its text, and so does the one of the new block that says the same.
    let mut before = Document { blocks: paragraphs(&["a", "b"]) };
    before.assign_keys();
    let first = before.blocks[0].key.clone();
    let mut after = Document { blocks: paragraphs(&["a", "a", "b"]) };
    after.assign_keys();
    let after = keep_keys(&before, after);
    assert_eq!(after.check(), Ok(()));
    assert_eq!(after.blocks.iter().filter(|block| block.key == first).count(), 1);
    assert_eq!(after.blocks[2].key, before.blocks[1].key);
}

#[test]
fn rows_of_a_table_stay_themselves_and_their_cells_and_merges_follow() {
    let table = |rows: &[[&str; 2]], merged: Option<usize>| {
        let columns = ["a", "b"].map(|id| TableColumn { id: id.into(), ..Default::default() }).to_vec();
        let cell = |column: &str, text: &str| {
            let data = TableCell { column: column.into(), value: None };
            Block::new(Kind::TableCell(data)).with_content(vec![text.into()])
        };
        let row = |at: usize, [a, b]: &[&str; 2]| Block {
            key: Key(format!("row{at}").into()),
            ..Block::new(Kind::TableRow).with_children(vec![cell("a", a), cell("b", b)])
        };
        let merge = |at| CellMerge { record: format!("row{at}"), column: "a".into(), row_span: 1, col_span: 2 };
        let table = Table { columns, cell_merges: merged.map(merge).into_iter().collect(), ..Default::default() };
        let rows = rows.iter().enumerate().map(|(at, cells)| row(at, cells)).collect();
        Document::from_blocks(vec![Block::new(Kind::Table(Box::new(table))).with_children(rows)])
            .expect("a valid document")
    };
    let before = table(&[["one", "1"], ["two", "2"], ["three", "3"]], Some(2));
    let after = table(&[["zero", "0"], ["one", "1"], ["two", "2 and a half"], ["three", "3"]], Some(3));
    let after = keep_keys(&before, after);
    assert_eq!(after.check(), Ok(()));
    let keys: Vec<&str> = after.blocks[0].children.iter().map(|row| row.key.0.as_str()).collect();
    assert_eq!(keys[1..], ["row0", "row1", "row2"]);
    assert_eq!(after.blocks[0].children[2].children[1].key.0, "row1.b");
    assert!(matches!(&after.blocks[0].kind, Kind::Table(table) if table.cell_merges[0].record == "row2"));
}

/// A document with one table, as Markdown is read, whose columns have other ids than Markdown gives.
fn table(markdown: &str, ids: &[(&str, &str)]) -> Document {
    let mut document = markdown::parse(markdown, &Unresolved).into_document().expect("a valid document");
    document.assign_keys();
    let names = ids.iter().map(|(from, to)| ((*from).to_owned(), (*to).to_owned())).collect();
    let key = document.blocks[0].key.clone();
    columns::rename(&mut document, &HashMap::from([(&key, names)]));
    document.assign_keys();
    document
}

/// The id of the column in which the table has this text in its first row.
fn column_of(document: &Document, text: &str) -> String {
    let mut cells = document.blocks[0].children[0].children.iter();
    let cell = cells.find(|cell| cell.text() == text).expect("a cell with this text");
    let Kind::TableCell(data) = &cell.kind else { panic!("a cell") };
    data.column.clone()
}

const TABLE: &str = "| Flag | Use |\n| - | - |\n| -q | less |\n| -v | more |\n";

#[rstest]
#[case::nothing_changes(TABLE)]
#[case::a_column_comes_first("| No | Flag | Use |\n| - | - | - |\n| 1 | -q | less |\n| 2 | -v | more |\n")]
#[case::the_columns_change_places("| Use | Flag |\n| - | - |\n| less | -q |\n| more | -v |\n")]
#[case::a_row_comes_between("| Flag | Use |\n| - | - |\n| -q | less |\n| -x | all |\n| -v | more |\n")]
#[case::a_column_gets_another_title("| Flag | Purpose |\n| - | - |\n| -q | less |\n| -v | more |\n")]
#[case::one_comes_and_one_gets_another_title(
    "| No | Flag | Purpose |\n| - | - | - |\n| 1 | -q | less |\n| 2 | -v | more |\n"
)]
#[case::no_column_has_a_title("|  |  |  |\n| - | - | - |\n| 1 | -q | less |\n| 2 | -v | more |\n")]
fn a_column_keeps_its_id(#[case] markdown: &str) {
    let renamed: [&[(&str, &str)]; 3] = [&[], &[("c01", "flag"), ("c02", "use")], &[("c01", "c02"), ("c02", "c01")]];
    for ids in renamed {
        let before = table(TABLE, ids);
        let after = keep_keys(&before, table(markdown, &[]));
        assert_eq!(after.check(), Ok(()));
        for text in ["-q", "less"] {
            assert_eq!(column_of(&after, text), column_of(&before, text), "{text} with {ids:?}");
        }
        assert_eq!(after.blocks[0].children[0].key, before.blocks[0].children[0].key, "the row");
        let again = keep_keys(&after, table(markdown, &[]));
        assert_eq!(again, after, "reading it again changes nothing");
    }
}

#[test]
fn the_id_of_a_column_that_goes_is_not_that_of_another() {
    let before = table(TABLE, &[]);
    let after = keep_keys(&before, table("| Use |\n| - |\n| less |\n| more |\n", &[]));
    assert_eq!(column_of(&after, "less"), column_of(&before, "less"));
    assert_eq!(after.blocks[0].children[0].children[0].key, before.blocks[0].children[0].children[1].key);
}

#[test]
fn ten_thousand_blocks_are_matched_however_they_changed() {
    let text = |at: usize| format!("block {at} says {} and {}", at * 7919 % 10_007, at * 104_729 % 10_007);
    let blocks = |order: &mut dyn Iterator<Item = usize>| order.map(|at| paragraph(&text(at))).collect::<Vec<_>>();
    let before = old(blocks(&mut (0..10_000)));
    let unchanged: Vec<String> = (0..10_000).map(|at| format!("old{at}")).collect();
    assert_eq!(kept(&before, blocks(&mut (0..10_000))), unchanged);
    let reversed = kept(&before, blocks(&mut (0..10_000).rev()));
    assert!(reversed.iter().eq(unchanged.iter().rev()));
    let rewritten = kept(&before, blocks(&mut (20_000..30_000)));
    assert_eq!(rewritten.len(), 10_000);
    let equal = old(vec![paragraph("same"); 10_000]);
    assert_eq!(kept(&equal, vec![paragraph("same"); 9_999]), unchanged[..9_999]);
}

/// The effect of an edit of one block on the keys of the others, in a document of different blocks.
fn distinct(document: Document) -> Document {
    let mut document = without_keys(document);
    document.assign_keys();
    document
}

fn keys(document: &Document) -> Vec<&Key> {
    document.walk().map(|block| &block.key).collect()
}

proptest! {
    #[test]
    fn an_equal_document_keeps_all_keys(document in documents()) {
        let unmerged = without_merges(document.clone());
        prop_assert_eq!(keep_keys(&unmerged, without_keys(document.clone())), unmerged);
        prop_assert_eq!(keep_keys(&document, document.clone()), document);
    }

    #[test]
    fn a_block_that_comes_keeps_the_keys_of_all_others(document in documents(), block in blocks(), at: prop::sample::Index) {
        let document = distinct(document);
        let mut after = without_keys(document.clone());
        let at = at.index(after.blocks.len() + 1);
        after.blocks.insert(at, block);
        after.normalize();
        let after = keep_keys(&document, without_keys(after));
        prop_assert_eq!(after.check(), Ok(()));
        let mut others = keys(&after).into_iter().cloned().collect::<HashSet<_>>();
        others.retain(|key| document.find(key).is_some());
        prop_assert_eq!(others.len(), document.walk().count());
    }

    #[test]
    fn removing_a_block_changes_no_other_key(document in documents(), at: prop::sample::Index) {
        let document = distinct(document);
        prop_assume!(!document.blocks.is_empty());
        let mut rest = document.clone();
        rest.blocks.remove(at.index(rest.blocks.len()));
        let after = keep_keys(&document, without_keys(rest.clone()));
        prop_assert!(keys(&after).into_iter().all(|key| document.find(key).is_some()));
    }

    #[test]
    fn an_edited_block_changes_no_other_key(document in documents(), at: prop::sample::Index) {
        let document = distinct(document);
        prop_assume!(!document.blocks.is_empty());
        let mut edited = without_keys(document.clone());
        let at = at.index(edited.blocks.len());
        edited.blocks[at] = paragraph("words that nobody has written yet");
        let after = keep_keys(&document, edited);
        prop_assert_eq!(after.check(), Ok(()));
        for (number, (before, after)) in document.blocks.iter().zip(&after.blocks).enumerate() {
            if number != at {
                prop_assert_eq!(before, after);
            }
        }
    }

    #[test]
    fn whatever_becomes_of_a_document_no_key_is_there_twice(before in documents(), after in documents()) {
        prop_assert_eq!(keep_keys(&before, after.clone()).check(), Ok(()));
        let kept = keep_keys(&before, after.clone());
        prop_assert_eq!(said(&without_keys(kept.clone())), said(&without_keys(after.clone())));
        if !after.walk().any(|block| matches!(block.kind, Kind::Table(_))) {
            prop_assert_eq!(without_keys(kept), without_keys(after));
        }
    }
}

/// What the blocks say, without keys, without the ids of columns, and in no order.
fn said(document: &Document) -> Vec<String> {
    let block = |block: &Block| match &block.kind {
        Kind::Table(table) => {
            let nameless = |column: &TableColumn| TableColumn { id: String::new(), ..column.clone() };
            let columns = table.columns.iter().map(nameless);
            let mut columns: Vec<String> = columns.map(|column| json!(column).to_string()).collect();
            columns.sort();
            columns.join(" ")
        }
        Kind::TableCell(cell) => json!([cell.value, inline_text(&block.content)]).to_string(),
        kind => json!([kind, inline_text(&block.content)]).to_string(),
    };
    let mut said: Vec<String> = document.walk().map(block).collect();
    said.sort();
    said
}

fn without_merges(mut document: Document) -> Document {
    document.walk_mut(&mut |block| {
        if let Kind::Table(table) = &mut block.kind {
            table.cell_merges.clear();
        }
    });
    document
}
