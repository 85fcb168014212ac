use super::*;
use crate::object::{MemoryObjects, ReadError};
use chrono::DateTime;
use proptest::prelude::*;
use rstest::rstest;

fn id(name: &str) -> PageId {
    name.parse().unwrap()
}

fn page(slug: &str, parent: Option<&str>, order: usize) -> PageEntry {
    let order = OrderKey::sequence(order + 1).pop().unwrap();
    let kind = PageKind::Document { document: None };
    PageEntry { parent: parent.map(id), ..PageEntry::new(kind, slug, slug, order, DateTime::UNIX_EPOCH) }
}

/// A space under test: its objects, and its content.
#[derive(Default)]
struct World {
    objects: MemoryObjects,
    snapshot: Snapshot,
}

impl World {
    fn with(pages: &[(&str, PageEntry)]) -> Self {
        let mut world = Self::default();
        world.put(pages).unwrap();
        world
    }

    fn put(&mut self, pages: &[(&str, PageEntry)]) -> Result<usize, EditError> {
        self.edit(pages.iter().map(|(name, page)| (id(name), Some(page.clone()))).collect())
    }

    /// Returns how many bytes were stored.
    fn edit(&mut self, pages: BTreeMap<PageId, Option<PageEntry>>) -> Result<usize, EditError> {
        let mut scratch = Scratch::new(&self.objects);
        let next = self.snapshot.edit(&mut scratch, &Edits { pages, ..Edits::default() }).unwrap()?;
        next.store(&mut scratch);
        let written = scratch.into_written();
        let size = written.values().map(bytes::Bytes::len).sum();
        self.objects.extend(written);
        self.snapshot = next;
        Ok(size)
    }

    fn paths(&self) -> Vec<String> {
        self.snapshot.tree(&self.objects).unwrap().iter().map(|node| node.path.clone()).collect()
    }
}

fn guide() -> World {
    World::with(&[
        ("a", page("start", None, 0)),
        ("b", page("guides", None, 1)),
        ("c", page("install", Some("b"), 1)),
        ("d", page("update", Some("b"), 0)),
        ("e", page("linux", Some("c"), 0)),
    ])
}

#[test]
fn each_page_is_passed_once_in_order() {
    let world = guide();
    let mut passed = Vec::new();
    world.snapshot.each_page(&world.objects, |id, page| passed.push((id, page))).unwrap();
    assert_eq!(passed, world.snapshot.pages(&world.objects).unwrap());
    assert!(world.snapshot.each_page(&MemoryObjects::default(), |_, _| panic!("no page is loaded")).is_err());
}

#[rstest]
#[case("guides/install", Some("c"))]
#[case("Guides/INSTALL", Some("c"))]
#[case("/GUIDES/install/linux/", Some("e"))]
#[case("guides/nothing", None)]
#[case("", Some("a"))]
fn a_path_written_by_hand_finds_a_page_in_another_case(#[case] path: &str, #[case] page: Option<&str>) {
    let world = guide();
    assert_eq!(world.snapshot.page_like(&world.objects, path).unwrap(), page.map(id));
}

#[test]
fn the_first_page_with_text_is_found_below_groups_and_after_links() {
    let target = crate::reference::ContentRef::Url { url: "https://example.org/".into() };
    let link = PageEntry { kind: PageKind::Link { target }, slug: String::new(), ..page("l", None, 0) };
    let group = |slug: &str, order| PageEntry { kind: PageKind::Group, ..page(slug, None, order) };
    let world = World::with(&[
        ("l", link),
        ("g", group("empty", 1)),
        ("h", group("full", 2)),
        ("a", page("a", Some("h"), 0)),
        ("b", page("b", None, 3)),
    ]);
    let first = |parent: Option<&str>| world.snapshot.first_document(&world.objects, parent.map(id).as_ref()).unwrap();
    assert_eq!((first(None), first(Some("g"))), (Some(id("a")), None));
}

#[test]
fn the_page_in_the_case_as_written_is_found_first() {
    let world = World::with(&[("a", page("faq", None, 0)), ("b", page("FAQ", None, 1))]);
    for (path, expected) in [("faq", "a"), ("FAQ", "b"), ("Faq", "a")] {
        assert_eq!(world.snapshot.page_like(&world.objects, path).unwrap(), Some(id(expected)));
    }
}

#[test]
fn pages_are_in_the_order_of_their_keys_below_their_parents() {
    assert_eq!(guide().paths(), ["start", "guides", "guides/update", "guides/install", "guides/install/linux"]);
}

#[rstest]
#[case("guides/install/linux", Some("e"))]
#[case("/guides/install/", Some("c"))]
#[case("", Some("a"))]
#[case("guides/linux", None)]
#[case("guides//install", None)]
fn a_page_is_found_by_its_path(#[case] path: &str, #[case] found: Option<&str>) {
    let world = guide();
    assert_eq!(world.snapshot.page_at(&world.objects, path).unwrap(), found.map(id));
}

#[test]
fn a_subtree_knows_its_whole_path() {
    let world = guide();
    let node = world.snapshot.subtree(&world.objects, &id("c")).unwrap().unwrap();
    assert_eq!(node.path, "guides/install");
    assert_eq!(node.children[0].path, "guides/install/linux");
    assert!(world.snapshot.subtree(&world.objects, &id("nobody")).unwrap().is_none());
}

#[rstest]
#[case::with_pages_below_it("b", 3)]
#[case::without_a_text("a", 0)]
fn a_page_is_read_in_two_steps(#[case] name: &str, #[case] pages: usize) {
    let mut world = guide();
    let text = bytes::Bytes::from_static(b"[]");
    world.objects.extend([(Hash::of(b"[]"), text.clone())]);
    let kind = PageKind::Document { document: Some(Hash::of(b"[]")) };
    world.put(&[("b", PageEntry { kind, ..page("guides", None, 1) })]).unwrap();
    let whole = world.snapshot.subtree(&world.objects, &id(name)).unwrap().unwrap();
    let (page, first) =
        with_nothing_at_hand(&world.objects, |objects| world.snapshot.outlined(objects, &id(name), usize::MAX));
    let page = page.unwrap();
    assert_eq!(page.below.len(), pages);
    let ((node, read), second) =
        with_nothing_at_hand(&world.objects, |objects| world.snapshot.node_and_text(objects, &id(name), &page));
    assert_eq!((node, read), (whole, Some(text).filter(|_| name == "b")));
    assert!(first <= 2 && second <= 2, "{first} and {second} rounds");
    assert_eq!(world.snapshot.outlined(&world.objects, &id("nobody"), usize::MAX).unwrap(), None);
}

#[test]
fn moving_a_page_takes_those_below_it_along() {
    let mut world = guide();
    world.put(&[("c", page("setup", None, 2))]).unwrap();
    assert_eq!(world.paths(), ["start", "guides", "guides/update", "setup", "setup/linux"]);
    assert_eq!(world.snapshot.page_at(&world.objects, "guides/install").unwrap(), None);
}

#[test]
fn two_pages_may_trade_their_slugs_in_one_edit() {
    let mut world = guide();
    world.put(&[("c", page("update", Some("b"), 1)), ("d", page("install", Some("b"), 0))]).unwrap();
    assert_eq!(world.snapshot.page_at(&world.objects, "guides/update").unwrap(), Some(id("c")));
}

fn group() -> PageEntry {
    PageEntry { kind: PageKind::Group, ..page("group", Some("b"), 9) }
}

fn link(parent: Option<&str>) -> PageEntry {
    let target = crate::reference::ContentRef::Url { url: "https://example.org".into() };
    PageEntry { kind: PageKind::Link { target }, slug: String::new(), ..page("x", parent, 9) }
}

fn computed(parent: Option<&str>) -> PageEntry {
    let computed = Box::new(crate::computed::ComputedSource::openapi("pets", serde_json::Map::new()));
    PageEntry { kind: PageKind::Computed { computed }, slug: String::new(), ..page("x", parent, 9) }
}

#[test]
fn computed_pages_are_known_and_have_no_path() {
    let known = |world: &World| -> Vec<String> {
        let found = world.snapshot.computed_pages(&world.objects).unwrap();
        found.into_iter().map(|(id, _)| id.to_string()).collect()
    };
    let mut world = guide();
    assert!(!world.snapshot.has_computed_pages());
    let none = world.snapshot.clone();
    world.put(&[("x", computed(None)), ("y", computed(Some("b"))), ("z", computed(Some("b")))]).unwrap();
    assert_eq!(known(&world), ["x", "y", "z"]);
    assert_eq!(world.snapshot.first_document(&world.objects, None).unwrap(), Some(id("a")));
    let below = world.put(&[("w", page("w", Some("x"), 1))]).unwrap_err();
    assert!(below.to_string().contains("cannot be below x"), "{below}");
    world.put(&[("y", page("y", Some("b"), 7))]).unwrap();
    assert_eq!(known(&world), ["x", "z"]);
    let with = world.snapshot.clone();
    assert!(serde_json::to_string(&with).unwrap().contains("computed"));
    assert!(!serde_json::to_string(&none).unwrap().contains("computed"), "what was stored before has another hash");
}

#[rstest]
#[case("guides/install/nothing/more", Some("c"), "nothing/more")]
#[case("/guides/install/", Some("c"), "")]
#[case("nothing", None, "nothing")]
#[case("", None, "")]
fn the_page_above_a_path_is_found(#[case] path: &str, #[case] page: Option<&str>, #[case] rest: &str) {
    let world = guide();
    assert_eq!(world.snapshot.page_above(&world.objects, path).unwrap(), (page.map(id), rest));
}

#[test]
fn a_level_has_the_pages_below_one_in_order_with_their_paths() {
    let world = guide();
    let level = world.snapshot.level(&world.objects, Some(&id("b"))).unwrap();
    let paths: Vec<&str> = level.iter().map(|node| node.path.as_str()).collect();
    assert_eq!(paths, ["guides/update", "guides/install"]);
    assert!(level.iter().all(|node| node.children.is_empty()));
    let roots = world.snapshot.level(&world.objects, None).unwrap();
    assert_eq!(roots.first().map(|node| node.id.clone()), Some(id("a")));
}

#[rstest]
#[case::taken("x", page("install", Some("b"), 5), "taken")]
#[case::slug("x", page("a/b", None, 5), "is not valid")]
#[case::no_parent("x", page("x", Some("nobody"), 5), "cannot be below nobody")]
#[case::below_itself("b", page("guides", Some("b"), 5), "below itself")]
#[case::below_its_child("b", page("guides", Some("e"), 5), "below itself")]
#[case::group("x", group(), "only be at the root")]
fn an_edit_that_gives_no_tree_changes_nothing(#[case] name: &str, #[case] page: PageEntry, #[case] message: &str) {
    let mut world = guide();
    let before = world.snapshot.clone();
    let error = world.put(&[(name, page)]).unwrap_err();
    assert!(error.to_string().contains(message), "{error}");
    assert_eq!(world.snapshot, before);
}

#[test]
fn no_page_is_below_a_link_and_links_need_no_slug() {
    let mut world = guide();
    world.put(&[("l1", link(Some("b"))), ("l2", link(Some("b")))]).unwrap();
    let error = world.put(&[("x", page("x", Some("l1"), 0))]).unwrap_err();
    assert_eq!(error, EditError::NoSuchParent { page: id("x"), parent: id("l1") });
}

#[test]
fn a_page_with_others_below_it_does_not_become_a_link() {
    let mut world = guide();
    let error = world.put(&[("c", link(Some("b")))]).unwrap_err();
    assert_eq!(error, EditError::NoSuchParent { page: id("e"), parent: id("c") });
}

#[test]
fn a_page_with_pages_below_it_is_not_removed_alone() {
    let mut world = guide();
    let error = world.edit([(id("c"), None)].into()).unwrap_err();
    assert_eq!(error, EditError::NoSuchParent { page: id("e"), parent: id("c") });
    let mut all = world.snapshot.descendants(&world.objects, &id("b"), usize::MAX).unwrap();
    all.push(id("b"));
    world.edit(all.into_iter().map(|id| (id, None)).collect()).unwrap();
    assert_eq!(world.paths(), ["start"]);
}

#[test]
fn pages_are_nested_to_a_limit() {
    let mut world = World::default();
    let names: Vec<String> = (0..MAX_DEPTH).map(|n| format!("p{n}")).collect();
    let chain: BTreeMap<_, _> = names
        .iter()
        .enumerate()
        .map(|(n, name)| (id(name), Some(page("s", n.checked_sub(1).map(|above| names[above].as_str()), 0))))
        .collect();
    world.edit(chain).unwrap();
    let error = world.put(&[("deep", page("deep", names.last().map(String::as_str), 0))]).unwrap_err();
    assert_eq!(error, EditError::TooDeep { page: id("deep") });
    world.put(&[("r", page("r", None, 1))]).unwrap();
    let error = world.put(&[("p0", page("s", Some("r"), 0))]).unwrap_err();
    assert_eq!(error, EditError::TooDeep { page: id("p0") }, "what is below counts when a page moves");
}

#[test]
fn the_difference_of_two_snapshots_is_what_was_edited() {
    let mut world = guide();
    let before = world.snapshot.clone();
    world.put(&[("e", page("linux", Some("b"), 7)), ("n", page("new", None, 8))]).unwrap();
    let diff = before.diff(&world.snapshot, &world.objects).unwrap();
    let keys: Vec<_> = diff.pages.iter().map(|change| (change.key.as_str(), change.before.is_some())).collect();
    assert_eq!(keys, [("e", true), ("n", false)]);
    assert!(diff.files.is_empty() && diff.variables.is_empty());
}

/// The promise: 10,000 pages, one edit, less than 30 KB (its document besides).
#[test]
fn one_edit_of_ten_thousand_pages_stores_little() {
    let mut world = World::default();
    let name = |n: usize| format!("0193a1f0-7c5e-7000-8000-{n:012}");
    let orders = OrderKey::sequence(10_000);
    let pages = (0..10_000).map(|n| {
        let parent = (n >= 100).then(|| name(n % 100));
        let entry = PageEntry {
            order: orders[n].clone(),
            description: Some("What this page is about, in a sentence of some length.".into()),
            ..page(&format!("page-{n}"), parent.as_deref(), 0)
        };
        (id(&name(n)), Some(entry))
    });
    world.edit(pages.collect()).unwrap();
    let mut edited = world.snapshot.page(&world.objects, &id(&name(5_000))).unwrap().unwrap();
    edited.title = "Another title".into();
    let stored = world.edit([(id(&name(5_000)), Some(edited))].into()).unwrap();
    assert!(stored < 24_000, "{stored} bytes");
}

/// Loads what is missing, as a use case does; counts the rounds.
fn with_nothing_at_hand<T>(all: &MemoryObjects, computation: impl Fn(&MemoryObjects) -> Read<T>) -> (T, usize) {
    let mut at_hand = MemoryObjects::default();
    for rounds in 0.. {
        match computation(&at_hand) {
            Ok(value) => return (value, rounds),
            Err(ReadError::Missing(hashes)) => {
                at_hand.extend(hashes.into_iter().map(|hash| (hash, all.get(&hash).unwrap())));
            }
            Err(fault) => panic!("{fault}"),
        }
    }
    unreachable!()
}

#[test]
fn a_page_with_many_below_it_is_loaded_in_few_rounds() {
    let names: Vec<String> = (0..500).map(|n| format!("p{n:04}")).collect();
    let pages: Vec<(&str, PageEntry)> = names
        .iter()
        .enumerate()
        .map(|(n, name)| (name.as_str(), page(name, (n > 0).then(|| names[(n - 1) / 8].as_str()), n)))
        .collect();
    let world = World::with(&pages);
    let whole = world.snapshot.subtree(&world.objects, &id("p0000")).unwrap();
    let (loaded, rounds) =
        with_nothing_at_hand(&world.objects, |objects| world.snapshot.subtree(objects, &id("p0000")));
    assert_eq!(loaded, whole);
    assert!(rounds <= 20, "{rounds} rounds");
}

proptest! {
    /// Whatever is asked for, the content stays a tree that its own places agree with.
    #[test]
    fn edits_keep_a_valid_tree(steps in prop::collection::vec((0usize..12, prop::option::of(0usize..12), 0usize..6, any::<bool>()), 1..40)) {
        let mut world = World::default();
        let mut model: BTreeMap<PageId, PageEntry> = BTreeMap::new();
        for (name, parent, slug, remove) in steps {
            let name = id(&format!("p{name}"));
            let parent = parent.map(|parent| format!("p{parent}"));
            let entry = (!remove).then(|| page(&format!("s{slug}"), parent.as_deref(), slug));
            if world.edit([(name.clone(), entry.clone())].into()).is_ok() {
                match entry {
                    Some(entry) => drop(model.insert(name, entry)),
                    None => drop(model.remove(&name)),
                }
            }
            let stored: BTreeMap<PageId, PageEntry> = world.snapshot.pages(&world.objects).unwrap().into_iter().collect();
            prop_assert_eq!(&stored, &model);
            let tree = world.snapshot.tree(&world.objects).unwrap();
            prop_assert_eq!(tree.iter().count(), model.len(), "every page hangs on the root");
            for node in tree.iter() {
                let at = world.snapshot.page_at(&world.objects, &node.path).unwrap();
                prop_assert_eq!(at.as_ref(), Some(&node.id));
                let path = world.snapshot.path(&world.objects, &node.id).unwrap();
                prop_assert_eq!(path.as_ref(), Some(&node.path));
            }
        }
    }
}
