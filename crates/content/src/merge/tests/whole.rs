//! Texts that both sides changed and that are not joined word by word.
use super::super::blocks::{Joined, join};
use super::*;
use crate::document::arbitrary::documents;
use crate::document::{Link, ListItem};
use proptest::prelude::*;
use rstest::rstest;

fn document(blocks: Vec<Block>) -> Document {
    Document::from_blocks(blocks).expect("a valid document")
}

fn whole(base: &Document, primary: &Document, change: &Document) -> (Document, Vec<(Key, Part)>) {
    match join(base, primary, change, Wording::Whole) {
        Joined::Blocks(document, conflicts) => {
            (document, conflicts.into_iter().map(|conflict| (conflict.block, conflict.part)).collect())
        }
        Joined::Contested => panic!("the parts of both make no document"),
    }
}

#[rstest]
#[case::two_words("the quick brown fox", "the slow brown fox", "the quick brown cat", None)]
#[case::only_a_person("one two", "one three", "one two", Some("one three"))]
#[case::only_the_machine("one two", "one two", "one three", Some("one three"))]
#[case::the_same("one two", "one three", "one three", Some("one three"))]
fn a_line_that_both_sides_changed_is_a_conflict_as_a_whole(
    #[case] base: &str,
    #[case] primary: &str,
    #[case] change: &str,
    #[case] joint: Option<&str>,
) {
    let [base, primary, change] = [base, primary, change].map(|text| document(vec![paragraph("a", text)]));
    let (joined, conflicts) = whole(&base, &primary, &change);
    match joint {
        Some(joint) => assert_eq!((joined, conflicts), (document(vec![paragraph("a", joint)]), vec![])),
        None => assert_eq!((joined, conflicts), (change, vec![(Key("a".into()), Part::Own)])),
    }
}

#[test]
fn other_blocks_and_the_data_of_a_block_are_joined_as_ever() {
    let item = |key: &str, checked, text: &str| {
        let item = Block::new(Kind::ListItem(ListItem { checked: Some(checked) }));
        Block { key: Key(key.into()), ..item.with_children(vec![paragraph(&format!("{key}-text"), text)]) }
    };
    let list =
        |items| document(vec![Block { key: Key("list".into()), ..Block::new(Kind::ListTasks).with_children(items) }]);
    let base = list(vec![item("a", false, "one"), item("b", false, "two")]);
    let primary = list(vec![item("a", true, "one"), item("b", false, "deux")]);
    let change = list(vec![item("a", false, "un"), item("b", false, "two"), item("c", false, "trois")]);
    let joined = list(vec![item("a", true, "un"), item("b", false, "deux"), item("c", false, "trois")]);
    assert_eq!(whole(&base, &primary, &change), (joined, vec![]));
}

#[test]
fn a_heading_keeps_its_text_when_the_other_side_fixes_its_anchor() {
    let titled = |text: &str, id: Option<&str>| {
        let heading = Heading { level: 2, id: id.map(str::to_owned), ..Heading::default() };
        document(vec![Block { key: Key("a".into()), kind: Kind::Heading(heading), ..heading_of(text) }])
    };
    let (base, person) = (titled("Use", None), titled("Usage", None));
    let machine = titled("Use", Some("use"));
    assert_eq!(whole(&base, &person, &machine), (titled("Usage", Some("use")), vec![]));
}

fn heading_of(text: &str) -> Block {
    super::heading("a", text)
}

#[test]
fn a_merge_of_contents_has_the_choice() {
    let mut world = World::default();
    let empty = Snapshot::default();
    let mut with = |text: &str| {
        let entry = world.written(page("a", None, 0), vec![paragraph("p", text)]);
        world.with(&empty, &[("a", Some(entry))])
    };
    let (base, primary, change) = (with("one two three"), with("un two three"), with("one two trois"));
    let joined = world.merge(&base, &primary, &change);
    assert_eq!((world.lines(&joined.snapshot, "a"), joined.conflicts.len()), (vec!["un two trois".to_owned()], 0));
    let merged = world.keep(|scratch| merge_with(scratch, &base, &primary, &change, Wording::Whole));
    assert_eq!(merged.conflicts.len(), 1);
    assert_eq!(world.lines(&merged.snapshot, "a"), ["one two trois"]);
    let live = world.resolved_all(&merged, Keep::Primary);
    assert_eq!(world.lines(&live, "a"), ["un two three"], "what a person wrote can be kept");
}

proptest! {
    #![proptest_config(few(60))]

    #[test]
    fn a_text_is_that_of_one_side(base in documents(), links in any::<[bool; 2]>()) {
        let changed = |link: bool, word: &str| {
            let mut side = base.clone();
            side.walk_mut(&mut |block| {
                if matches!(block.kind, Kind::Paragraph(_)) {
                    block.content.insert(0, Inline::from(word));
                    if link {
                        let content = vec![Inline::from("there")];
                        block.content.push(Inline::Link(Box::new(Link { content, ..Link::default() })));
                    }
                }
            });
            side.normalize();
            side
        };
        let (primary, change) = (changed(links[0], "primary "), changed(links[1], "change "));
        if let Joined::Blocks(joined, conflicts) = join(&base, &primary, &change, Wording::Whole) {
            let paragraphs = base.walk().filter(|block| matches!(block.kind, Kind::Paragraph(_))).count();
            prop_assert!(paragraphs == 0 || !conflicts.is_empty());
            for block in joined.walk().filter(|block| matches!(block.kind, Kind::Paragraph(_))) {
                prop_assert_eq!(Some(&block.content), change.find(&block.key).map(|block| &block.content));
            }
        }
    }
}
