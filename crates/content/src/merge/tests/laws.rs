//! What holds for every merge.
use super::scripts::{Step, Three, space, steps};
use super::*;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

fn threes() -> impl Strategy<Value = Three> {
    (space(), steps(7), steps(7)).prop_map(|(pages, primary, change)| Three::of(&pages, &primary, &change))
}

/// All that a content says, as texts: titles, fields and the words of documents, values of conflicts too.
fn said(world: &World, snapshot: &Snapshot) -> String {
    let mut said = String::new();
    for (_, page) in snapshot.pages(&world.objects).expect("all is at hand") {
        let text = text_of(&world.objects, page.document()).expect("all is at hand");
        said += &serde_json::to_string(&(&page, &text)).expect("JSON");
    }
    for (_, content) in snapshot.reusable_contents(&world.objects).expect("all is at hand") {
        let text = text_of(&world.objects, content.document).expect("all is at hand");
        said += &serde_json::to_string(&(&content, &text)).expect("JSON");
    }
    said
}

/// The words that were written, of those that the texts of a side still have.
fn written(said: &str) -> BTreeSet<String> {
    let marks = |c: char| !c.is_ascii_alphanumeric();
    said.split(marks).filter(|word| word.contains("word") && word.ends_with('x')).map(str::to_owned).collect()
}

/// The parts of a content that do not depend on which side was first to a slug or to a place. Pages that were moved
/// aside for another move keep their places when the conflict is decided; `moved` leaves places out.
fn loosely(world: &World, snapshot: &Snapshot, moved: bool) -> BTreeMap<String, String> {
    let mut all = BTreeMap::new();
    for (id, page) in snapshot.pages(&world.objects).expect("all is at hand") {
        let text = text_of(&world.objects, page.document()).expect("all is at hand");
        let blocks: BTreeMap<_, _> =
            text.walk().map(|block| (block.key.0.clone(), (block.kind.clone(), block.content.clone()))).collect();
        let kind = PageKind::Document { document: None };
        let mut page = PageEntry { slug: String::new(), kind, source: None, import_digest: None, ..page };
        if moved {
            (page.parent, page.order) = (None, super::page("x", None, 0).order);
        }
        all.insert(id.to_string(), format!("{page:?} {blocks:?}"));
    }
    all
}

proptest! {
    #![proptest_config(few(30))]

    #[test]
    fn merging_with_an_unchanged_side_gives_the_other_and_with_itself_itself(three in threes()) {
        let Three { mut world, base, primary, change, .. } = three;
        for side in [&base, &primary, &change] {
            let clean = Merged { snapshot: side.clone(), conflicts: Vec::new() };
            prop_assert_eq!(&world.merge(&base, side, &base), &clean);
            prop_assert_eq!(&world.merge(&base, &base, side), &clean);
            prop_assert_eq!(&world.merge(&base, side, side), &clean);
        }
    }
}

proptest! {
    #![proptest_config(few(60))]

    #[test]
    fn a_merge_is_a_tree_mirrors_and_loses_nothing(three in threes()) {
        let Three { mut world, base, primary, change, .. } = three;
        let merged = world.merge(&base, &primary, &change);
        let swapped = world.merge(&base, &change, &primary);
        world.check(&merged.snapshot);

        let conflicts: Vec<Conflict> = swapped.conflicts.iter().map(mirrored).collect();
        prop_assert_eq!(&merged.conflicts, &conflicts);
        if merged.conflicts.is_empty() {
            prop_assert_eq!(&merged.snapshot, &swapped.snapshot);
        }

        let kept = keys(&merged);
        prop_assert_eq!(kept.iter().collect::<BTreeSet<_>>().len(), kept.len(), "keys are distinct");
        let json = serde_json::to_string(&merged.conflicts).expect("JSON");
        let back: Vec<Conflict> = serde_json::from_str(&json).expect("conflicts");
        prop_assert_eq!(&back, &merged.conflicts);

        // The text of a deleted page is in a conflict by its hash.
        let mut told = said(&world, &merged.snapshot) + &json;
        for value in merged.conflicts.iter().flat_map(|conflict| [&conflict.primary, &conflict.change]).flatten() {
            let document = match value {
                Value::Page(value) => value.page.document(),
                Value::ReusableContent(content) => content.document,
                _ => None,
            };
            told += &serde_json::to_string(&text_of(&world.objects, document).expect("all is at hand")).expect("JSON");
        }
        let told = written(&told);
        let of_base = written(&said(&world, &base));
        for side in [&primary, &change] {
            for word in written(&said(&world, side)).difference(&of_base) {
                prop_assert!(told.contains(word), "{} is lost", word);
            }
        }
    }

    #[test]
    fn every_conflict_can_be_decided_for_either_side(three in threes()) {
        let Three { mut world, base, primary, change, .. } = three;
        let merged = world.merge(&base, &primary, &change);
        for conflict in &merged.conflicts {
            for keep in [Keep::Primary, Keep::Change] {
                let head = world.resolved(&merged.snapshot, conflict, keep);
                world.check(&head);
                let again = world.resolved(&head, conflict, keep);
                world.check(&again);
                if !matches!(conflict.subject, Subject::PageField { .. } | Subject::Block { part: Part::Place, .. }) {
                    prop_assert_eq!(&again, &head, "what is decided is decided: {}", conflict.subject.key());
                }
                if head != merged.snapshot && !matches!(conflict.subject, Subject::Repository { .. }) {
                    let diff = merged.snapshot.diff(&head, &world.objects).expect("all is at hand");
                    let seen = touched(&world.objects, conflict, &diff).expect("all is at hand");
                    prop_assert!(seen, "deciding touches {}", conflict.subject.key());
                }
            }
        }
        for keep in [Keep::Primary, Keep::Change] {
            let head = world.resolved_all(&merged, keep);
            world.check(&head);
        }
    }

    #[test]
    fn swapped_sides_decided_the_same_way_give_the_same(three in threes()) {
        let Three { mut world, base, primary, change, .. } = three;
        let merged = world.merge(&base, &primary, &change);
        let swapped = world.merge(&base, &change, &primary);
        let place = |conflict: &Conflict| match &conflict.subject {
            Subject::PageField { field, .. } => field == "position" || field == "kind",
            subject => matches!(subject, Subject::Page { .. }),
        };
        let moved = merged.conflicts.iter().any(place);
        for (keep, other) in [(Keep::Primary, Keep::Change), (Keep::Change, Keep::Primary)] {
            let one = world.resolved_all(&merged, keep);
            let other = world.resolved_all(&swapped, other);
            prop_assert_eq!(loosely(&world, &one, moved), loosely(&world, &other, moved));
        }
    }

    #[test]
    fn changes_in_different_places_do_not_conflict(three in (space(), steps(5)).prop_map(|(pages, steps)| {
        // The change only adds pages below the root.
        let change: Vec<Step> = steps.iter().filter(|step| matches!(step, Step::Add(None, ..))).cloned().collect();
        Three::of(&pages, &steps, &change)
    })) {
        let Three { mut world, base, primary, change, .. } = three;
        let merged = world.merge(&base, &primary, &change);
        prop_assert_eq!(keys(&merged), Vec::<String>::new());
    }
}
