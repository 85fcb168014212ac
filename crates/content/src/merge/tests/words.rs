//! Texts that both sides changed.
use super::super::blocks::{BlockConflict, Joined, join};
use super::scripts::{Stroke, stroke, struck};
use super::*;
use crate::document::arbitrary::documents;
use crate::document::{Holds, ListItem};
use proptest::prelude::*;
use rstest::rstest;
use std::collections::BTreeSet;

fn document(blocks: Vec<Block>) -> Document {
    Document::from_blocks(blocks).expect("a valid document")
}

fn joined(base: &Document, primary: &Document, change: &Document) -> (Document, Vec<BlockConflict>) {
    match join(base, primary, change, Wording::Joined) {
        Joined::Blocks(document, conflicts) => (document, conflicts),
        Joined::Contested => panic!("the parts of both make no document"),
    }
}

fn texts(document: &Document) -> Vec<String> {
    document.walk().map(Block::line).collect()
}

#[rstest]
#[case::two_words("the quick brown fox", "the slow brown fox", "the quick brown cat", Some("the slow brown cat"))]
#[case::side_by_side("the quick brown fox", "the slow brown fox", "the quick red fox", Some("the slow red fox"))]
#[case::the_same("one two", "one three", "one three", Some("one three"))]
#[case::more_and_less("one two three", "one three", "one two three four", Some("one three four"))]
#[case::the_same_word("one two", "one three", "one four", None)]
#[case::both_add_at_the_end("one", "one two", "one three", None)]
#[case::rewritten("one two three", "four five six", "one 2 three", None)]
fn a_line_is_joined_by_words(
    #[case] base: &str,
    #[case] primary: &str,
    #[case] change: &str,
    #[case] joint: Option<&str>,
) {
    let [base, primary, change] = [base, primary, change].map(|text| document(vec![paragraph("a", text)]));
    let (joint_text, conflicts) = joined(&base, &primary, &change);
    match joint {
        Some(joint) => assert_eq!((texts(&joint_text), conflicts.len()), (vec![joint.to_owned()], 0)),
        None => {
            assert_eq!(joint_text, change, "what cannot be joined is the change's");
            let conflict = &conflicts[0];
            assert_eq!((conflict.block.0.as_str(), conflict.part, conflicts.len()), ("a", Part::Own, 1));
            assert_eq!(conflict.primary.as_ref().map(|value| &value.block), primary.blocks.first());
        }
    }
}

/// Markdown as one paragraph.
fn line(markdown: &str) -> Document {
    let source = crate::markdown::parse(markdown, &crate::markdown::Unresolved);
    let mut blocks = source.document.expect("not too many parts").blocks;
    blocks[0].key = Key("a".into());
    document(blocks)
}

#[rstest]
#[case::a_mark_and_a_word("one two three", "one **two** three", "one two four", Some("one **two** four"))]
#[case::two_marks_on_one_word("one two", "one **two**", "one *two*", Some("one ***two***"))]
#[case::a_link_and_a_word_in_it(
    "see [the big one](a)",
    "see [the big one](b)",
    "look [the big one](a)",
    Some("look [the big one](b)")
)]
#[case::two_words_in_a_link("[one two three](a)", "[1 two three](a)", "[one two 3](a)", Some("[1 two 3](a)"))]
#[case::two_addresses("[one](a)", "[one](b)", "[one](c)", None)]
#[case::links_side_by_side("[a](x)[b](x) c d", "[a](x)[b](x) e d", "[a](x)[b](x) c f", Some("[a](x)[b](x) e f"))]
#[case::a_formula("$$a$$ b c", "$$a$$ d c", "$$e$$ b c", Some("$$e$$ d c"))]
fn marks_and_elements_are_joined_too(
    #[case] base: &str,
    #[case] primary: &str,
    #[case] change: &str,
    #[case] joint: Option<&str>,
) {
    let (joint_text, conflicts) = joined(&line(base), &line(primary), &line(change));
    assert_eq!(conflicts.is_empty(), joint.is_some());
    if let Some(joint) = joint {
        assert_eq!(joint_text, line(joint));
    }
}

#[rstest]
#[case::lines("a\nb\nc\n", "x\nb\nc\n", "a\nb\ny\n", Some("x\nb\ny\n"))]
#[case::words_of_one_line("let a = b;\n", "let x = b;\n", "let a = y;\n", Some("let x = y;\n"))]
#[case::one_word("let a = b;\n", "let x = b;\n", "let y = b;\n", None)]
#[case::lines_added_in_two_places("a\nb\n", "1\na\nb\n", "a\nb\n2\n", Some("1\na\nb\n2\n"))]
#[case::lines_added_in_one_place("a\n", "a\nb\n", "a\nc\n", None)]
fn code_is_joined_by_lines(
    #[case] base: &str,
    #[case] primary: &str,
    #[case] change: &str,
    #[case] joint: Option<&str>,
) {
    let code = |text: &str| {
        let block = Block::new(Kind::Code(Default::default())).with_content(vec![text.into()]);
        document(vec![Block { key: Key("a".into()), ..block }])
    };
    let (joint_text, conflicts) = joined(&code(base), &code(primary), &code(change));
    assert_eq!(conflicts.is_empty(), joint.is_some());
    if let Some(joint) = joint {
        assert_eq!(joint_text, code(joint));
    }
}

fn flow(keys: &str) -> Document {
    document(keys.chars().map(|key| paragraph(&key.to_string(), &format!("text of {key}"))).collect())
}

#[rstest]
#[case::added_in_two_places("abc", "axbc", "abcy", "axbcy", &[])]
#[case::added_in_one_place("ab", "ayb", "axb", "axyb", &[])]
#[case::moved_and_added("abcd", "bcda", "abxcd", "bxcda", &[])]
#[case::deleted_on_both("abc", "ac", "ac", "ac", &[])]
#[case::deleted_on_one("abc", "ac", "abcx", "acx", &[])]
#[case::moved_apart("abcdef", "bcadef", "bcdefa", "bcdefa", &["a"])]
fn blocks_keep_their_order(
    #[case] base: &str,
    #[case] primary: &str,
    #[case] change: &str,
    #[case] joint: &str,
    #[case] contested: &[&str],
) {
    let (joint_text, conflicts) = joined(&flow(base), &flow(primary), &flow(change));
    let keys: String = joint_text.blocks.iter().map(|block| block.key.0.as_str()).collect();
    let places: Vec<&str> = conflicts.iter().map(|conflict| conflict.block.0.as_str()).collect();
    assert_eq!((keys.as_str(), &places[..]), (joint, contested));
    assert!(conflicts.iter().all(|conflict| conflict.part == Part::Place));
}

#[test]
fn a_block_that_one_side_deletes_and_the_other_one_edits_stays_and_is_a_conflict() {
    let base = flow("abc");
    let mut change = base.clone();
    change.blocks[1] = paragraph("b", "text of b, longer");
    let (joint, conflicts) = joined(&base, &flow("ac"), &change);
    assert_eq!(joint, change);
    assert_eq!((conflicts[0].block.0.as_str(), conflicts[0].part), ("b", Part::Whole));
    assert_eq!(conflicts[0].primary, None);
    let (joint, _) = joined(&base, &change, &flow("ac"));
    assert_eq!(joint, change, "whichever side it was");
}

fn item(key: &str, text: &str) -> Block {
    let item = Block::new(Kind::ListItem(ListItem::default()));
    Block { key: Key(format!("i{key}").into()), ..item.with_children(vec![paragraph(key, text)]) }
}

fn list(key: &str, items: &[&str]) -> Block {
    let items = items.iter().map(|text| item(&format!("{key}{text}"), text)).collect();
    Block { key: Key(key.into()), ..Block::new(Kind::ListUnordered).with_children(items) }
}

#[test]
fn a_list_that_one_side_deletes_stays_whole_if_the_other_one_edits_it() {
    let base = document(vec![paragraph("a", "before"), list("l", &["1", "2"])]);
    let mut change = base.clone();
    change.blocks[1].children[0].children[0] = paragraph("l1", "1, edited");
    let (joint, conflicts) = joined(&base, &document(vec![paragraph("a", "before")]), &change);
    assert_eq!(joint, change);
    let told: Vec<_> = conflicts.iter().map(|conflict| (conflict.block.0.as_str(), conflict.part)).collect();
    assert_eq!(told, [("l", Part::Whole)]);
}

#[test]
fn an_item_is_edited_while_it_moves_to_another_list() {
    let base = document(vec![list("l", &["1", "2"]), list("m", &["3"])]);
    let (mut primary, mut change) = (base.clone(), base.clone());
    let moved = primary.blocks[0].children.remove(0);
    primary.blocks[1].children.push(moved);
    change.blocks[0].children[0].children[0] = paragraph("l1", "one");
    let (joint, conflicts) = joined(&base, &primary, &change);
    assert_eq!(conflicts, []);
    assert_eq!(joint.blocks[1].text(), "3\none\n".trim_end());
}

#[test]
fn two_new_blocks_of_one_key_are_two_and_one_that_both_added_is_one() {
    let base = document(vec![]);
    let new = |text: &str| document(vec![Block { key: Key("k".into()), ..paragraph("k", text) }]);
    let (joint, conflicts) = joined(&base, &new("one"), &new("two"));
    assert_eq!((texts(&joint).len(), conflicts.len()), (2, 0));
    assert_eq!(joined(&base, &new("two"), &new("one")).0, joint);
    assert_eq!(joined(&base, &new("one"), &new("one")).0, new("one"));
    let other = document(vec![paragraph("j", "one")]);
    assert_eq!(joined(&base, &new("one"), &other).0, other, "the lesser key is kept");
}

#[test]
fn two_texts_for_a_page_without_one_are_one_after_the_other_with_what_is_equal_once() {
    let empty = Document::default();
    let read = |text: &str| {
        let source = crate::markdown::parse(text, &crate::markdown::Unresolved);
        document(source.document.expect("not too many parts").blocks)
    };
    let (joint, conflicts) = joined(&empty, &read("# T\n\none\n\ntwo\n\n* a\n"), &read("# T\n\none\n\nthree\n\n* a\n"));
    assert_eq!(conflicts, []);
    let mut lines = texts(&joint);
    lines.retain(|line| !line.is_empty());
    assert_eq!(lines.iter().filter(|line| *line == "one").count(), 1);
    assert_eq!(lines.iter().collect::<BTreeSet<_>>().len(), 4);
    assert_eq!(lines.len(), 4, "{lines:?}");
}

fn table(rows: &[&[&str]]) -> Document {
    let mut markdown = format!("|{}\n|{}\n", " h |".repeat(rows[0].len()), "---|".repeat(rows[0].len()));
    for row in rows {
        markdown += &format!("|{}|\n", row.join("|"));
    }
    let source = crate::markdown::parse(&markdown, &crate::markdown::Unresolved);
    document(source.document.expect("not too many parts").blocks)
}

#[test]
fn cells_and_rows_of_a_table_are_joined() {
    let base = table(&[&["a", "b"], &["c", "d"]]);
    let edited = |rows: &[&[&str]]| crate::document::keep_keys(&base, table(rows));
    let (joint, conflicts) =
        joined(&base, &edited(&[&["a", "x"], &["c", "d"]]), &edited(&[&["a", "b"], &["c", "y"], &["e", "f"]]));
    assert_eq!(conflicts, []);
    assert_eq!(joint.text(), "h\th\na\tx\nc\ty\ne\tf");
}

#[test]
fn removing_a_column_while_a_cell_of_it_is_edited_is_a_conflict_over_the_table() {
    let base = table(&[&["a", "b"], &["c", "d"]]);
    let edited = |rows: &[&[&str]]| crate::document::keep_keys(&base, table(rows));
    let (primary, change) = (edited(&[&["a"], &["c"]]), edited(&[&["a", "b"], &["c", "y"]]));
    let (joint, conflicts) = joined(&base, &primary, &change);
    assert_eq!(joint, change);
    let parts: Vec<Part> = conflicts.iter().map(|conflict| conflict.part).collect();
    assert_eq!(parts, [Part::Whole]);
    assert_eq!(conflicts[0].block, base.blocks[0].key);
}

proptest! {
    #![proptest_config(few(64))]

    #[test]
    fn edits_of_different_blocks_always_merge(
        base in documents(),
        mine in any::<u64>(),
        strokes in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>()), 2..8),
    ) {
        let holds = |block: &Block| {
            block.kind.block_type().shape().holds != Holds::Nothing && block.children.is_empty()
        };
        let count = base.walk().count().max(1);
        let (mut primary, mut change) = (base.clone(), base.clone());
        for (nth, (block, at)) in strokes.iter().enumerate() {
            let chosen = base.walk().nth(block.index(count)).filter(|block| holds(block));
            let in_note = chosen.is_some_and(|chosen| base.walk().any(|outer| outer.key != chosen.key && note_holds(outer, &chosen.key)));
            let ours = block.index(count) % 64;
            if chosen.is_none() || in_note {
                continue;
            }
            let side = if mine >> ours & 1 == 1 { &mut primary } else { &mut change };
            *side = struck(side, &Stroke::Word(*block, *at), &format!("word{nth}x"));
        }
        prop_assume!(same_keys(&base, &primary) && same_keys(&base, &change));
        let (joint, conflicts) = joined(&base, &primary, &change);
        prop_assert_eq!(conflicts, vec![]);
        prop_assert_eq!(same_keys(&base, &joint), true);
    }

    #[test]
    fn whatever_is_done_to_a_text_the_outcome_is_a_document(
        base in documents(),
        ours in prop::collection::vec(stroke(), 1..5),
        theirs in prop::collection::vec(stroke(), 1..5),
    ) {
        let edited = |strokes: &[Stroke]| strokes.iter().fold(base.clone(), |text, stroke| struck(&text, stroke, "wordx"));
        let (primary, change) = (edited(&ours), edited(&theirs));
        match (join(&base, &primary, &change, Wording::Joined), join(&base, &change, &primary, Wording::Joined)) {
            (Joined::Blocks(joint, conflicts), Joined::Blocks(other, swapped)) => {
                prop_assert_eq!(joint.check(), Ok(()));
                prop_assert_eq!(conflicts.len(), swapped.len());
                prop_assert!(!conflicts.is_empty() || joint == other);
            }
            (one, other) => prop_assert_eq!(one, other),
        }
    }
}

fn note_holds(block: &Block, key: &Key) -> bool {
    Document { blocks: vec![Block { children: Vec::new(), ..block.clone() }] }.find(key).is_some()
}

fn same_keys(one: &Document, other: &Document) -> bool {
    one.walk().map(|block| &block.key).eq(other.walk().map(|block| &block.key))
}
