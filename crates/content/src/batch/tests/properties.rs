//! Batches of any kind.
use super::*;
use crate::document::arbitrary::documents;
use crate::snapshot::EditError;
use proptest::prelude::*;
use std::collections::HashSet;

/// Names that changes use: some are there, some are inserted, some are neither.
const NAMES: [&str; 9] = ["home", "guides", "install", "update", "faq", "n0", "n1", "n2", "r1"];

fn names() -> impl Strategy<Value = String> {
    prop::sample::select(NAMES.to_vec()).prop_map(str::to_owned)
}

fn some_fields() -> impl Strategy<Value = PageFields> {
    let slugs = prop::option::weighted(0.3, prop::sample::select(vec!["", "a", "b", "faq", "a/b"]));
    let titles = prop::option::weighted(0.3, prop::sample::select(vec!["A", "B", "Faq", ""]));
    (titles, slugs, prop::option::weighted(0.2, any::<bool>())).prop_map(|(title, slug, hidden)| PageFields {
        title: title.map(str::to_owned),
        slug: slug.map(str::to_owned),
        hidden,
        ..PageFields::default()
    })
}

fn bodies() -> impl Strategy<Value = Body> {
    let pieces = prop::sample::select(vec![
        "# Title\n\n",
        "[x](install.md) ",
        "[x](./r1.md) ",
        "![x](/files/f) ",
        "[x](/pages/n0#a) ",
        "> - text [gone](gone.md)\n\n",
        "{% include \"x.md\" %}\n\n",
        "---\nslug: a\n---\n",
        "words\n\n",
    ]);
    prop_oneof![
        4 => prop::collection::vec(pieces, 0..6).prop_map(|pieces| Body::Markdown(pieces.concat())),
        1 => documents().prop_map(Body::Document),
        1 => Just(Body::Empty),
    ]
}

fn some_changes() -> impl Strategy<Value = Vec<Change>> {
    let at = || prop::option::weighted(0.5, 0_usize..5);
    let into = prop_oneof![2 => Just(Patch::Keep), 1 => Just(Patch::Clear), 2 => names().prop_map(Patch::Set)];
    let insert = (0_usize..3, some_fields(), bodies(), prop::option::of(names()), at(), any::<bool>()).prop_map(
        |(number, fields, document, into, at, referred)| {
            let reference = referred.then(|| format!("r{number}"));
            Change::InsertPage(InsertPage { id: id(&format!("n{number}")), fields, document, into, at, reference })
        },
    );
    let update = (names(), some_fields(), prop::option::of(bodies()), into, at()).prop_map(
        |(page, fields, document, into, at)| Change::UpdatePage(UpdatePage { page, fields, document, into, at }),
    );
    let change = prop_oneof![
        3 => insert,
        4 => update,
        1 => names().prop_map(|page| Change::DeletePage { page }),
        2 => names().prop_map(|page| revert(&page)),
        2 => (prop::sample::select(NAMES[..5].to_vec()), prop::collection::vec(0_usize..3, 1..3)).prop_map(|(page, at)| {
            let blocks = at.into_iter().filter_map(|at| guide().text(page).blocks.get(at).map(|block| block.key.clone()));
            Change::RevertPage(RevertPage { page: page.to_owned(), revision: None, blocks: Some(blocks.collect()) })
        }),
        1 => Just(Change::InsertFiles(vec![file("f", None)])),
    ];
    prop::collection::vec(change, 1..6)
}

/// Whether the tree is one that an edit from nothing accepts, with a sound text in every page.
fn check(world: &World, applied: &Applied, written: &BTreeMap<Hash, bytes::Bytes>) {
    let mut stored = world.stored.clone();
    stored.extend(written.clone());
    let pages = applied.snapshot.pages(&stored).expect("at hand");
    let mut scratch = Scratch::new(&stored);
    let all = Edits { pages: pages.iter().cloned().map(|(id, page)| (id, Some(page))).collect(), ..Edits::default() };
    let again: Result<Snapshot, EditError> = Snapshot::default().edit(&mut scratch, &all).expect("at hand");
    let again = again.expect("a valid tree");
    assert_eq!(again.tree(&scratch), applied.snapshot.tree(&stored));
    for (_, page) in &pages {
        let text = text_of(&stored, page.document()).expect("at hand");
        text.check().expect("a valid text");
        assert!(!page.title.is_empty());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 192, ..ProptestConfig::default() })]

    #[test]
    fn a_batch_gives_a_sound_tree_or_names_a_change(batches in prop::collection::vec(some_changes(), 1..4)) {
        let mut world = guide();
        for changes in batches {
            let first = world.run(&changes);
            prop_assert_eq!(&first, &world.run(&changes), "it is the same each time");
            match first {
                Err(error) => prop_assert!(error.index.is_some_and(|index| index < changes.len()), "{}", error),
                Ok((applied, written)) => {
                    check(&world, &applied, &written);
                    let mut pages = HashSet::new();
                    for outcome in &applied.outcomes {
                        let (Outcome::Created { page, .. } | Outcome::Updated { page } | Outcome::Deleted { page }) = outcome;
                        prop_assert!(pages.insert(page), "a page is listed once");
                    }
                    world.apply(&changes);
                }
            }
        }
    }

    #[test]
    fn what_is_read_and_written_back_is_untouched(text in documents(), stable in any::<bool>()) {
        let mut world = guide();
        let body = Some(Body::Document(text));
        world.apply(&[Change::UpdatePage(UpdatePage { document: body, ..update("update") })]);
        let read = world.markdown("update", if stable { Form::Stable } else { Form::Relative });
        let before = world.head.clone();
        prop_assert_eq!(world.apply(&[write("update", &read)]).snapshot, before);
    }
}
