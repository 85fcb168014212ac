//! Trees that both sides changed.
use super::*;
use rstest::rstest;

/// `a` and `b` at the root, `c` below `a`, `d` below `b`.
fn base(world: &mut World) -> Snapshot {
    world.with(
        &Snapshot::default(),
        &[
            ("a", Some(page("a", None, 0))),
            ("b", Some(page("b", None, 1))),
            ("c", Some(page("c", Some("a"), 0))),
            ("d", Some(page("d", Some("b"), 0))),
        ],
    )
}

#[test]
fn a_page_moves_while_it_is_renamed() {
    let mut world = World::default();
    let base = base(&mut world);
    let primary = world.with(&base, &[("c", Some(page("c", Some("b"), 5)))]);
    let change = world.with(&base, &[("c", Some(PageEntry { title: "C!".into(), ..page("see", Some("a"), 0) }))]);
    let merged = world.merge(&base, &primary, &change);
    assert_eq!(keys(&merged), [""; 0]);
    assert_eq!(world.paths(&merged.snapshot), ["a", "b", "b/d", "b/see"]);
    assert_eq!(world.page(&merged.snapshot, "c").expect("a page").title, "C!");
}

#[test]
fn moves_into_each_other_make_no_circle() {
    let mut world = World::default();
    let base = base(&mut world);
    let primary = world.with(&base, &[("a", Some(page("a", Some("d"), 0)))]);
    let change = world.with(&base, &[("b", Some(page("b", Some("c"), 0)))]);
    for (ours, theirs) in [(&primary, &change), (&change, &primary)] {
        let merged = world.merge(&base, ours, theirs);
        assert_eq!(keys(&merged), ["page-field/a/position"]);
        assert_eq!(world.paths(&merged.snapshot), ["a", "a/c", "a/c/b", "a/c/b/d"]);
        let keep = if ours == &primary { Keep::Primary } else { Keep::Change };
        let decided = world.resolved(&merged.snapshot, &merged.conflicts[0], keep);
        world.check(&decided);
        assert_eq!(world.page(&decided, "a").expect("a page").parent, Some(id("d")), "{:?}", world.paths(&decided));
        assert_eq!(world.paths(&decided).len(), 4);
    }
}

#[test]
fn a_page_that_one_side_deletes_and_the_other_one_edits_stays_and_is_a_conflict() {
    let mut world = World::default();
    let base = base(&mut world);
    let primary = world.with(&base, &[("a", None), ("c", None)]);
    let change = world.with(&base, &[("c", Some(PageEntry { title: "C!".into(), ..page("c", Some("a"), 0) }))]);
    for (ours, theirs) in [(&primary, &change), (&change, &primary)] {
        let merged = world.merge(&base, ours, theirs);
        assert_eq!(keys(&merged), ["page/a", "page/c"]);
        assert_eq!(world.paths(&merged.snapshot), ["a", "a/c", "b", "b/d"]);
        let keep = |deleted: bool| if (ours == &primary) == deleted { Keep::Primary } else { Keep::Change };
        assert_eq!(world.resolved_all(&merged, keep(false)), merged.snapshot);
        let gone = world.resolved_all(&merged, keep(true));
        assert_eq!(world.paths(&gone), ["b", "b/d"]);
        let without_a = world.resolved(&merged.snapshot, &merged.conflicts[0], keep(true));
        assert_eq!(world.paths(&without_a), ["c", "b", "b/d"], "what is below takes its place");
        let back = world.resolved(&gone, &merged.conflicts[1], keep(false));
        assert_eq!(world.paths(&back), ["c", "b", "b/d"], "it comes back without the page it stood below");
    }
}

#[test]
fn a_deleted_page_stays_if_the_other_side_puts_a_page_below_it() {
    let mut world = World::default();
    let base = base(&mut world);
    let primary = world.with(&base, &[("b", None), ("d", None)]);
    let change = world.with(&base, &[("n", Some(page("n", Some("d"), 0)))]);
    let merged = world.merge(&base, &primary, &change);
    assert_eq!(keys(&merged), ["page/b", "page/d"]);
    assert_eq!(world.paths(&merged.snapshot), ["a", "a/c", "b", "b/d", "b/d/n"]);
}

#[test]
fn siblings_that_both_sides_add_get_distinct_slugs() {
    let mut world = World::default();
    let base = base(&mut world);
    let at = |seconds| DateTime::from_timestamp(seconds, 0).expect("a time");
    let new = |seconds| PageEntry { created_at: at(seconds), ..page("new", Some("a"), 9) };
    let primary = world.with(&base, &[("p", Some(new(2)))]);
    let change = world.with(&base, &[("z", Some(new(1)))]);
    let merged = world.merge(&base, &primary, &change);
    assert_eq!(keys(&merged), [""; 0]);
    assert_eq!(merged, world.merge(&base, &change, &primary));
    assert_eq!(world.page(&merged.snapshot, "z").expect("a page").slug, "new", "the older one keeps it");
    assert_eq!(world.page(&merged.snapshot, "p").expect("a page").slug, "new-1");
}

fn link(name: &str, order: usize) -> PageEntry {
    let target = crate::reference::ContentRef::Url { url: "https://example.org".into() };
    PageEntry { kind: PageKind::Link { target }, slug: String::new(), ..page(name, None, order) }
}

#[test]
fn the_kind_and_the_slug_of_a_page_are_decided_separately() {
    let mut world = World::default();
    let base = world.with(&Snapshot::default(), &[("a", Some(page("a", None, 0)))]);
    let primary = world.with(&base, &[("a", Some(link("a", 0)))]);
    let text = world.written(PageEntry { slug: "b".into(), ..page("a", None, 0) }, vec![paragraph("k", "Words.")]);
    let change = world.with(&base, &[("a", Some(text))]);
    let merged = world.merge(&base, &primary, &change);
    assert_eq!(keys(&merged), ["page-field/a/kind", "page-field/a/slug"]);
    let slug = |world: &World, snapshot: &Snapshot| world.page(snapshot, "a").expect("a page").slug;
    // The link has none, and the page needs one as long as it is none.
    let decided = world.resolved(&merged.snapshot, &merged.conflicts[1], Keep::Primary);
    assert_eq!(slug(&world, &decided), "a");
    let decided = world.resolved(&decided, &merged.conflicts[0], Keep::Primary);
    assert_eq!(slug(&world, &decided), "");
    let decided = world.resolved(&decided, &merged.conflicts[1], Keep::Change);
    assert_eq!(slug(&world, &decided), "", "a link has none");
}

#[test]
fn a_link_that_may_get_pages_below_it_is_contested_in_either_order_of_the_sides() {
    let mut world = World::default();
    let pages = [("a", Some(page("a", None, 0))), ("b", Some(page("b", None, 1)))];
    let base = world.with(&Snapshot::default(), &pages);
    let one = world.with(&base, &[("a", Some(link("a", 0))), ("b", Some(page("b", None, 7)))]);
    let other = world.with(&base, &[("b", Some(page("b", Some("a"), 3)))]);
    for (primary, change) in [(&one, &other), (&other, &one)] {
        let merged = world.merge(&base, primary, change);
        assert_eq!(keys(&merged), ["page-field/a/kind", "page-field/b/position"]);
    }
}

#[test]
fn a_page_that_one_side_makes_a_link_of_keeps_the_pages_that_the_other_one_puts_below_it() {
    let mut world = World::default();
    let base = world.with(&Snapshot::default(), &[("a", Some(page("a", None, 0)))]);
    let primary = world.with(&base, &[("a", Some(link("a", 0)))]);
    let change = world.with(&base, &[("n", Some(page("n", Some("a"), 0)))]);
    let merged = world.merge(&base, &primary, &change);
    assert_eq!(keys(&merged), ["page-field/a/kind"]);
    assert_eq!(world.paths(&merged.snapshot), ["a", "a/n"]);
    let decided = world.resolved(&merged.snapshot, &merged.conflicts[0], Keep::Primary);
    world.check(&decided);
    assert_eq!(world.page(&decided, "n").expect("a page").parent, None, "nothing is below a link");
}

#[test]
fn a_group_stays_at_the_root() {
    let mut world = World::default();
    let base = base(&mut world);
    let primary = world.with(&base, &[("a", Some(PageEntry { kind: PageKind::Group, ..page("a", None, 0) }))]);
    let change = world.with(&base, &[("a", Some(page("a", Some("b"), 3)))]);
    let merged = world.merge(&base, &primary, &change);
    assert_eq!(keys(&merged), ["page-field/a/position"]);
    assert_eq!(world.paths(&merged.snapshot), ["a", "a/c", "b", "b/d"]);
}

#[test]
fn moves_of_both_sides_nest_no_deeper_than_pages_may() {
    let mut world = World::default();
    let name = |row: &str, at: usize| format!("{row}{at}");
    let mut pages = Vec::new();
    for row in ["x", "y"] {
        for at in 0..40 {
            let above = (at > 0).then(|| name(row, at - 1));
            pages.push((name(row, at), page(&name(row, at), above.as_deref(), 0)));
        }
    }
    let entries: Vec<(&str, Option<PageEntry>)> =
        pages.iter().map(|(name, page)| (name.as_str(), Some(page.clone()))).collect();
    let base = world.with(&Snapshot::default(), &entries);
    let primary = world.with(&base, &[("x0", Some(page("x0", Some("y20"), 1)))]);
    let change =
        world.with(&base, &[("y10", Some(page("y10", Some("y1"), 1))), ("n", Some(page("n", Some("x39"), 0)))]);
    let deeper = world.with(&base, &[("y0", Some(page("y0", Some("z"), 1))), ("z", Some(page("z", None, 7)))]);
    for (ours, theirs) in [(&primary, &change), (&primary, &deeper), (&deeper, &change)] {
        let merged = world.merge(&base, ours, theirs);
        world.check(&merged.snapshot);
        assert_eq!(merged.snapshot, world.merge(&base, theirs, ours).snapshot);
    }
}

#[rstest]
#[case(100)]
#[case(5_000)]
fn what_is_read_grows_with_the_differences_alone(#[case] count: usize) {
    let (read, _) = reads(count);
    assert!(read <= 150, "{read} objects of a space of {count} pages");
}

/// How many objects a merge reads of a space of so many pages, and the rounds it takes.
fn reads(count: usize) -> (usize, usize) {
    let mut world = World::default();
    let name = |at: usize| format!("p{at:05}");
    let texts: Vec<PageEntry> = (0..4)
        .map(|at| {
            world.written(page("x", None, 0), vec![paragraph("a", &format!("text {at}")), paragraph("b", "more")])
        })
        .collect();
    let entry = |at: usize| {
        let parent = (at >= 20).then(|| name(at % 20));
        PageEntry { kind: texts[at % 4].kind.clone(), ..page(&name(at), parent.as_deref(), at % 62) }
    };
    let pages = (0..count).map(|at| (id(&name(at)), Some(entry(at)))).collect();
    let base = world.edit(&Snapshot::default(), Edits { pages, ..Edits::default() }).expect("a valid tree");
    let line = |first: &str, second: &str| vec![paragraph("a", first), paragraph("b", second)];
    let primary = world.written(entry(50), line("text 2, edited", "more"));
    let change = world.written(entry(50), line("text 2", "more, edited"));
    let primary = world
        .with(&base, &[(&name(50), Some(primary)), (&name(60), Some(PageEntry { title: "T".into(), ..entry(60) }))]);
    let change = world.with(
        &base,
        &[(&name(50), Some(change)), (&name(70), None), ("new", Some(PageEntry { slug: "new".into(), ..entry(71) }))],
    );

    let mut at_hand = MemoryObjects::default();
    for rounds in 1.. {
        let mut scratch = Scratch::new(&at_hand);
        let missing = match merge(&mut scratch, &base, &primary, &change) {
            Ok(merged) => {
                assert_eq!(keys(&merged), [""; 0]);
                return (at_hand.len(), rounds);
            }
            Err(crate::object::ReadError::Missing(missing)) => missing,
            Err(fault) => panic!("{fault}"),
        };
        drop(scratch);
        assert!(rounds < 40, "so many rounds");
        at_hand.extend(missing.into_iter().map(|hash| (hash, world.objects.get(&hash).expect("an object"))));
    }
    unreachable!()
}
