//! Inserting, changing, moving and deleting pages.
use super::*;
use rstest::rstest;

fn insert(name: &str, into: Option<&str>, at: Option<usize>) -> Change {
    Change::InsertPage(InsertPage { into: into.map(str::to_owned), at, ..new_page(name, &format!("# {name}\n")) })
}

fn fields(change: impl FnOnce(&mut PageFields)) -> PageFields {
    let mut fields = PageFields::default();
    change(&mut fields);
    fields
}

fn set_fields(page: &str, change: impl FnOnce(&mut PageFields)) -> Change {
    Change::UpdatePage(UpdatePage { fields: fields(change), ..update(page) })
}

fn moved(page: &str, into: Patch<&str>, at: Option<usize>) -> Change {
    let into = into.try_map(|into| Ok::<_, ()>(into.to_owned())).expect("a name");
    Change::UpdatePage(UpdatePage { into, at, ..update(page) })
}

fn some(text: impl Into<String>) -> Option<String> {
    Some(text.into())
}

#[test]
fn a_page_is_inserted_with_author_and_time() {
    let mut world = guide();
    let applied = world.apply(&[insert("new", None, None)]);
    let page = world.page("new");
    assert_eq!((page.title.as_str(), page.slug.as_str()), ("new", "new"));
    assert_eq!((page.created_by, page.created_at, page.updated_at), (Some(id("ada")), time(1), None));
    assert_eq!(applied.outcomes, [Outcome::Created { reference: None, page: id("new") }]);
    assert_eq!(applied.edits.pages.len(), 1);
}

#[rstest]
#[case(None, Some(0), &["new", "home", "guides", "guides/install", "guides/update", "faq"])]
#[case(None, Some(1), &["home", "new", "guides", "guides/install", "guides/update", "faq"])]
#[case(None, Some(9), &["home", "guides", "guides/install", "guides/update", "faq", "new"])]
#[case(None, None, &["home", "guides", "guides/install", "guides/update", "faq", "new"])]
#[case(Some("guides"), Some(1), &["home", "guides", "guides/install", "guides/new", "guides/update", "faq"])]
#[case(Some("faq"), None, &["home", "guides", "guides/install", "guides/update", "faq", "faq/new"])]
fn a_page_is_inserted_where_it_is_put(#[case] into: Option<&str>, #[case] at: Option<usize>, #[case] paths: &[&str]) {
    let mut world = guide();
    let applied = world.apply(&[insert("new", into, at)]);
    assert_eq!(world.paths(), paths);
    assert_eq!(applied.edits.pages.len(), 1, "no sibling is touched");
}

#[rstest]
#[case(Patch::Keep, Some(0), &["home", "guides", "guides/update", "guides/install", "faq"])]
#[case(Patch::Keep, Some(1), &["home", "guides", "guides/install", "guides/update", "faq"])]
#[case(Patch::Clear, None, &["home", "guides", "guides/install", "faq", "update"])]
#[case(Patch::Clear, Some(1), &["home", "update", "guides", "guides/install", "faq"])]
#[case(Patch::Set("install"), None, &["home", "guides", "guides/install", "guides/install/update", "faq"])]
#[case(Patch::Set("guides"), Some(9), &["home", "guides", "guides/install", "guides/update", "faq"])]
fn a_page_is_moved_where_it_is_put(#[case] into: Patch<&str>, #[case] at: Option<usize>, #[case] paths: &[&str]) {
    let mut world = guide();
    let before = world.paths();
    let applied = world.apply(&[moved("update", into, at)]);
    assert_eq!(world.paths(), paths);
    assert_eq!(applied.edits.pages.len(), usize::from(before != world.paths()), "only what moves is touched");
    assert_eq!(applied.outcomes, [Outcome::Updated { page: id("update") }]);
}

#[test]
fn a_new_order_alone_is_no_edit_and_another_parent_is_one() {
    let mut world = guide();
    world.apply(&[moved("update", Patch::Keep, Some(0))]);
    assert_eq!(world.page("update").updated_at, None);
    world.apply(&[moved("update", Patch::Clear, None)]);
    assert_eq!(world.page("update").updated_at, Some(time(2)));
}

#[test]
fn a_slug_follows_from_the_title_and_is_made_free_unless_it_is_given() {
    let mut world = guide();
    let named = |name: &str, title: &str, slug: Option<&str>| {
        let fields = PageFields { title: some(title), slug: slug.map(str::to_owned), ..PageFields::default() };
        Change::InsertPage(InsertPage { fields, ..new_page(name, "") })
    };
    world.apply(&[
        named("a", "Faq", None),
        named("b", "Faq", None),
        named("c", "Faq", Some("")),
        named("d", "Faq", Some("q")),
    ]);
    assert_eq!(["a", "b", "c", "d"].map(|name| world.page(name).slug), ["faq-1", "faq-2", "faq-3", "q"]);
    let (field, rule) = world.refused(&[named("e", "x", None), named("f", "x", Some("faq"))]);
    assert_eq!((field.as_str(), rule.as_str()), ("changes[1].slug", "the slug \"faq\" is taken by a sibling"));
    assert_eq!(world.field(&[named("e", "x", Some("new")), named("f", "x", Some("new"))]), "changes[1].slug");
    // Slugs are free again, and taken, as the changes before leave them.
    world.apply(&[delete("faq"), named("f", "x", Some("faq"))]);
    world.apply(&[set_fields("home", |to| to.slug = some("start")), set_fields("f", |to| to.slug = some("home"))]);
    assert_eq!(world.page("f").slug, "home");
}

#[test]
fn title_and_slug_of_a_page_change_independently() {
    let mut world = guide();
    world.apply(&[set_fields("faq", |to| to.title = some("Questions"))]);
    assert_eq!((world.page("faq").title.as_str(), world.page("faq").slug.as_str()), ("Questions", "faq"));
    world.apply(&[set_fields("faq", |to| to.slug = some("answers"))]);
    assert_eq!((world.page("faq").title.as_str(), world.page("faq").slug.as_str()), ("Questions", "answers"));
    world.apply(&[set_fields("faq", |to| to.slug = some(""))]);
    assert_eq!(world.page("faq").slug, "questions");
}

#[test]
fn fields_are_set_and_removed() {
    let mut world = guide();
    world.apply(&[set_fields("faq", |to| {
        *to = PageFields {
            title: some("T"),
            slug: None,
            emoji: some("1f600"),
            icon: some("star"),
            description: some("d"),
            hidden: Some(true),
            no_index: Some(true),
            no_robots_index: Some(true),
            condition: some("visitor.claims.beta"),
        };
    })]);
    let page = world.page("faq");
    assert_eq!((page.title.as_str(), page.emoji.as_deref(), page.icon.as_deref()), ("T", Some("1f600"), Some("star")));
    assert_eq!((page.description.as_deref(), page.condition.as_deref()), (Some("d"), Some("visitor.claims.beta")));
    assert!(page.hidden && page.no_index && page.no_robots_index);
    assert_eq!(page.updated_at, Some(time(1)));
    world.apply(&[set_fields("faq", |to| {
        (to.emoji, to.icon, to.description, to.condition) = (some(""), some(""), some(""), some(""));
        (to.hidden, to.no_index, to.no_robots_index) = (Some(false), Some(false), Some(false));
    })]);
    let first = guide().page("faq");
    assert_eq!(world.page("faq"), PageEntry { title: "T".to_owned(), updated_at: Some(time(2)), ..first });
}

#[rstest]
#[case("title", |to: &mut PageFields| to.title = some(""))]
#[case("title", |to: &mut PageFields| to.title = some("  "))]
#[case("title", |to: &mut PageFields| to.title = some(" T"))]
#[case("title", |to: &mut PageFields| to.title = some("x".repeat(501)))]
#[case("slug", |to: &mut PageFields| to.slug = some("a/b"))]
#[case("slug", |to: &mut PageFields| to.slug = some("x".repeat(101)))]
#[case("slug", |to: &mut PageFields| to.slug = some("home"))]
#[case("emoji", |to: &mut PageFields| to.emoji = some("x".repeat(51)))]
#[case("icon", |to: &mut PageFields| to.icon = some("x".repeat(51)))]
#[case("description", |to: &mut PageFields| to.description = some("x".repeat(2001)))]
#[case("condition", |to: &mut PageFields| to.condition = some("a &&"))]
#[case("condition", |to: &mut PageFields| to.condition = some("x".repeat(1025)))]
fn a_field_that_breaks_its_rule_is_named(#[case] field: &str, #[case] change: fn(&mut PageFields)) {
    let mut world = guide();
    let insert = Change::InsertPage(InsertPage { fields: fields(change), ..new_page("new", "") });
    assert_eq!(world.field(&[insert]), format!("changes[0].{field}"));
    assert_eq!(world.field(&[set_fields("faq", |_| {}), set_fields("faq", change)]), format!("changes[1].{field}"));
}

#[rstest]
#[case(moved("gone", Patch::Keep, None), "changes[0].page")]
#[case(moved("no id", Patch::Keep, None), "changes[0].page")]
#[case(moved("faq", Patch::Set("gone"), None), "changes[0].into")]
#[case(moved("guides", Patch::Set("guides"), None), "changes[0].into")]
#[case(moved("guides", Patch::Set("install"), None), "changes[0].into")]
#[case(moved("group", Patch::Set("faq"), None), "changes[0].into")]
#[case(moved("faq", Patch::Set("link"), None), "changes[0].into")]
#[case(insert("new", Some("link"), None), "changes[0].into")]
#[case(insert("new", Some("gone"), None), "changes[0].into")]
#[case(insert("faq", None, None), "changes[0].id")]
#[case(set_fields("link", |to| to.slug = some("x")), "changes[0].slug")]
#[case(write("link", "x"), "changes[0].document")]
#[case(write("group", "x"), "changes[0].document")]
#[case(set_fields("computed", |to| to.slug = some("x")), "changes[0].slug")]
#[case(write("computed", "x"), "changes[0].document")]
#[case(insert("new", Some("computed"), None), "changes[0].into")]
#[case(delete("gone"), "changes[0].page")]
fn what_cannot_be_is_refused_with_its_field(#[case] change: Change, #[case] field: &str) {
    let mut world = guide();
    world.edit(|edits, _| {
        let order = OrderKey::sequence(1).remove(0);
        let target = crate::reference::ContentRef::Url { url: "https://x.org".to_owned() };
        let page = |kind, slug: &str| Some(PageEntry::new(kind, "T", slug, order.clone(), time(0)));
        edits.pages.insert(id("group"), page(PageKind::Group, "group"));
        edits.pages.insert(id("link"), page(PageKind::Link { target }, ""));
        let computed = Box::new(crate::computed::ComputedSource::openapi("pets", serde_json::Map::new()));
        edits.pages.insert(id("computed"), page(PageKind::Computed { computed }, ""));
    });
    assert_eq!(world.field(&[change]), field);
}

#[test]
fn a_slug_that_is_taken_at_the_new_place_is_refused_unless_the_page_gets_another() {
    let mut world = World::of(&[("a", "x", ""), ("b", "b", ""), ("c", "b/x", "")]);
    assert_eq!(world.field(&[moved("a", Patch::Set("b"), None)]), "changes[0].into");
    let both = UpdatePage { into: Patch::Set("b".to_owned()), ..update("a") };
    world.apply(&[Change::UpdatePage(UpdatePage { fields: fields(|to| to.slug = some("y")), ..both })]);
    assert_eq!(world.paths(), ["b", "b/x", "b/y"]);
}

#[test]
fn pages_have_a_maximum_depth() {
    let mut world = World::of(&[("p0", "p0", ""), ("side", "side", ""), ("low", "side/low", "")]);
    let chain = |from: usize, to: usize| -> Vec<Change> {
        (from..to).map(|at| insert(&format!("p{at}"), Some(&format!("p{}", at - 1)), None)).collect()
    };
    world.apply(&chain(1, 40));
    world.apply(&chain(40, 64));
    assert_eq!(world.field(&[insert("deep", Some("p63"), None)]), "changes[0].into");
    assert_eq!(world.field(&[insert("a", None, None), moved("side", Patch::Set("p62"), None)]), "changes[1].into");
    world.apply(&[moved("side", Patch::Set("p61"), None)]);
}

#[test]
fn pages_go_below_pages_that_the_batch_inserted_by_id_or_by_reference() {
    let mut world = guide();
    let parent = InsertPage { reference: some("my parent"), ..new_page("new", "# New") };
    let applied = world.apply(&[
        Change::InsertPage(parent),
        insert("one", Some("my parent"), None),
        insert("two", Some("new"), Some(0)),
        set_fields("my parent", |to| to.title = some("Other")),
        moved("faq", Patch::Set("my parent"), None),
    ]);
    assert_eq!(world.paths()[4..], ["new", "new/two", "new/one", "new/faq"]);
    let created = |reference: Option<&str>, page: &str| Outcome::Created {
        reference: reference.map(str::to_owned),
        page: id(page),
    };
    let outcomes = [created(Some("my parent"), "new"), created(None, "one"), created(None, "two")];
    assert_eq!(applied.outcomes[..3], outcomes);
    assert_eq!(applied.outcomes[3..], [Outcome::Updated { page: id("faq") }]);
    assert_eq!((world.page("new").title.as_str(), world.page("new").updated_at), ("Other", None));
    let late = InsertPage { reference: some("late"), ..new_page("x", "") };
    assert_eq!(world.field(&[insert("y", Some("late"), None), Change::InsertPage(late)]), "changes[0].into");
}

#[test]
fn a_deleted_page_takes_those_below_it_along() {
    let mut world = guide();
    let inside =
        [insert("new", Some("install"), None), set_fields("update", |to| to.hidden = Some(true)), delete("guides")];
    let applied = world.apply(&inside);
    assert_eq!(world.paths(), ["home", "faq"]);
    // The new page is not listed: it is not there, and never was.
    assert_eq!(applied.outcomes, [Outcome::Deleted { page: id("update") }, Outcome::Deleted { page: id("guides") }]);
    assert_eq!(applied.edits.pages.len(), 3);
}

#[test]
fn values_that_are_set_already_change_nothing() {
    let mut world = guide();
    let before = world.head.clone();
    let applied = world.apply(&[
        set_fields("faq", |to| {
            (to.title, to.slug, to.hidden, to.emoji) = (some("FAQ"), some("faq"), Some(false), some(""))
        }),
        moved("install", Patch::Set("guides"), Some(0)),
        write("home", "Welcome.\n"),
        Change::UpdatePage(UpdatePage { document: Some(Body::Empty), ..update("faq") }),
        Change::UpdatePage(UpdatePage { document: Some(Body::Document(world.text("guides"))), ..update("guides") }),
        set_fields("update", |to| to.title = some("X")),
        set_fields("update", |to| to.title = some("UPDATE")),
        Change::InsertPage(new_page("brief", "")),
        delete("brief"),
    ]);
    assert_eq!(applied.snapshot, before);
    assert_eq!(applied.edits, Edits::default());
    assert_eq!(applied.outcomes.len(), 5);
}

#[test]
fn a_page_can_be_put_between_siblings_with_equal_keys() {
    let mut world = guide();
    world.edit(|edits, world| {
        let order = world.page("guides").order;
        edits.pages.insert(id("faq"), Some(PageEntry { order, ..world.page("faq") }));
    });
    assert_eq!(world.paths()[1..3], ["faq", "guides"]);
    world.apply(&[insert("new", None, Some(2))]);
    assert_eq!(world.paths()[1..4], ["faq", "new", "guides"]);
    assert_eq!(world.page("guides").updated_at, None);
}
