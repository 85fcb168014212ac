//! Setting pages and blocks back.
use super::*;
use rstest::rstest;

fn keep(page: &str, blocks: &[&str]) -> Change {
    let blocks = Some(blocks.iter().map(|key| Key((*key).into())).collect());
    Change::RevertPage(RevertPage { page: page.to_owned(), revision: None, blocks })
}

fn hide(page: &str) -> Change {
    let fields = PageFields { hidden: Some(true), ..PageFields::default() };
    Change::UpdatePage(UpdatePage { fields, ..update(page) })
}

fn below(name: &str, into: &str) -> Change {
    Change::InsertPage(InsertPage { into: Some(into.to_owned()), ..new_page(name, "") })
}

fn go(page: &str, into: Patch<String>) -> Change {
    Change::UpdatePage(UpdatePage { into, ..update(page) })
}

#[test]
fn a_changed_page_is_what_it_was_where_it_was() {
    let mut world = guide();
    world.apply(&[hide("install"), write("install", "Other.\n"), go("install", Patch::Clear)]);
    assert_ne!(world.head, world.base);
    let applied = world.apply(&[revert("install")]);
    assert_eq!(world.head, world.base);
    assert_eq!(applied.outcomes, [Outcome::Updated { page: id("install") }]);
}

#[test]
fn an_added_page_is_removed_and_a_deleted_one_is_restored() {
    let mut world = guide();
    world.apply(&[Change::InsertPage(new_page("new", "x")), below("newer", "new"), delete("update")]);
    let applied = world.apply(&[revert("new"), revert("update")]);
    assert_eq!(world.head, world.base);
    let created = Outcome::Created { reference: None, page: id("update") };
    assert_eq!(applied.outcomes, [Outcome::Deleted { page: id("new") }, created]);
}

#[test]
fn a_page_is_deleted_and_restored_in_one_batch() {
    let mut world = guide();
    let applied = world.apply(&[delete("faq"), revert("faq")]);
    assert_eq!(applied.edits, Edits::default());
    assert_eq!(applied.outcomes, [Outcome::Updated { page: id("faq") }]);
    world.apply(&[delete("faq"), revert("faq"), hide("faq")]);
    assert_eq!(world.page("faq").updated_at, Some(time(2)));
}

#[test]
fn a_page_is_reset_to_the_named_revision() {
    let mut world = guide();
    world.apply(&[write("faq", "Second.\n")]);
    world.revisions.insert(id("r2"), world.head.clone());
    world.apply(&[write("faq", "Third.\n")]);
    let to = |revision: &str| {
        Change::RevertPage(RevertPage { page: "faq".to_owned(), revision: Some(id(revision)), blocks: None })
    };
    world.apply(&[to("r2")]);
    assert_eq!(world.head, world.revisions[&id("r2")]);
    assert_eq!(world.field(&[to("r3")]), "changes[0].revision");
}

#[test]
fn what_a_revert_would_lose_or_break_is_refused() {
    let mut world = guide();
    world.apply(&[Change::InsertPage(new_page("new", "")), go("faq", Patch::Set("new".to_owned())), delete("guides")]);
    let (field, rule) = world.refused(&[revert("new")]);
    assert_eq!(field, "changes[0].page");
    assert!(rule.contains("page faq, which is below it"), "{rule}");
    let (field, rule) = world.refused(&[hide("home"), revert("install")]);
    assert_eq!(field, "changes[1].page");
    assert!(rule.contains("page guides, which it stood below, is not there"), "{rule}");
    // In the order of the rules, everything is restored.
    world.apply(&[revert("faq"), revert("new"), revert("guides"), revert("update"), revert("install")]);
    assert_eq!(world.head, world.base);
    assert_eq!(world.field(&[revert("gone")]), "changes[0].page");
    assert_eq!(world.field(&[revert("no id")]), "changes[0].page");
}

#[test]
fn a_page_is_not_reset_to_a_place_below_itself_or_to_a_taken_slug() {
    let mut world = guide();
    world.apply(&[go("install", Patch::Clear), go("guides", Patch::Set("install".to_owned()))]);
    let (field, rule) = world.refused(&[revert("install")]);
    assert_eq!(field, "changes[0].page");
    assert!(rule.contains("is below it now"), "{rule}");
    let mut world = guide();
    let slug = PageFields { slug: Some("faq".to_owned()), ..PageFields::default() };
    world.apply(&[delete("faq"), Change::UpdatePage(UpdatePage { fields: slug, ..update("home") })]);
    let (field, rule) = world.refused(&[revert("faq")]);
    assert_eq!(field, "changes[0].page");
    assert!(rule.contains("\"faq\" is taken by page home"), "{rule}");
}

#[test]
fn a_page_whose_place_is_taken_is_restored_after_it() {
    let mut world = guide();
    world.apply(&[delete("guides")]);
    let home = world.page("home");
    let order = world.base.page(&world.stored, &id("guides")).expect("at hand").expect("a page").order;
    world.edit(|edits, _| drop(edits.pages.insert(id("home"), Some(PageEntry { order, ..home }))));
    world.apply(&[revert("guides")]);
    assert_eq!(world.paths(), ["home", "guides", "faq"]);
}

/// A page with three blocks, the second of which holds two.
fn blocks() -> (World, Vec<String>) {
    let mut world = World::of(&[("a", "a", "One.\n\n> Two.\n>\n> Three.\n\nFour.\n"), ("g", "g", "")]);
    let mut keys: Vec<String> = world.text("a").walk().map(|block| block.key.0.to_string()).collect();
    keys.truncate(5);
    world.rebase();
    (world, keys)
}

#[rstest]
#[case("Eins.\n\n> Two.\n>\n> Three.\n\nVier.\n", &[0], "One.\n\n> Two.\n>\n> Three.\n\nVier.\n")]
#[case("> Two.\n>\n> Three.\n", &[4], "> Two.\n>\n> Three.\n\nFour.\n")]
#[case("Four.\n", &[1], "> Two.\n>\n> Three.\n\nFour.\n")]
#[case("Four.\n", &[1, 0], "One.\n\n> Two.\n>\n> Three.\n\nFour.\n")]
#[case("One.\n\n> Three.\n\nFour.\n", &[2], "One.\n\n> Two.\n>\n> Three.\n\nFour.\n")]
#[case("Four.\n", &[3, 1], "> Two.\n>\n> Three.\n\nFour.\n")]
#[case("", &[4, 0], "One.\n\nFour.\n")]
fn only_the_blocks_that_are_named_are_set_back(#[case] now: &str, #[case] named: &[usize], #[case] wanted: &str) {
    let (mut world, keys) = blocks();
    world.apply(&[write("a", now), hide("a")]);
    let named: Vec<&str> = named.iter().map(|at| keys[*at].as_str()).collect();
    world.apply(&[keep("a", &named)]);
    assert_eq!(world.markdown("a", Form::Relative), wanted);
    assert!(world.page("a").hidden, "its fields stay");
    assert_eq!(world.page("a").updated_at, Some(time(2)));
}

#[test]
fn an_added_block_is_removed() {
    let (mut world, _) = blocks();
    let base = world.text("a");
    world.apply(&[write("a", "One.\n\nNew.\n\n> Two.\n>\n> Three.\n\nFour.\n")]);
    let added = world.keys("a")[1].clone();
    world.apply(&[keep("a", &[&added])]);
    assert_eq!(world.text("a"), base);
}

#[test]
fn blocks_of_a_text_that_the_batch_wrote_are_set_back_too() {
    let (mut world, keys) = blocks();
    world.apply(&[
        write("a", "Eins.\n\n> Two.\n>\n> Three.\n\nSee [g](g.md).\n\n[no](gone.md)\n"),
        keep("a", &[&keys[0]]),
    ]);
    assert_eq!(world.markdown("a", Form::Relative), "One.\n\n> Two.\n>\n> Three.\n\nSee [g](g.md).\n\nno\n");
    assert_eq!(world.markdown("a", Form::Stable).matches("/pages/g").count(), 1);
}

#[test]
fn blocks_that_cannot_be_set_back_are_named() {
    let (mut world, keys) = blocks();
    world.apply(&[write("a", "One.\n\nFour.\n"), Change::InsertPage(new_page("new", "x"))]);
    assert_eq!(world.field(&[keep("a", &[&keys[0], "nope"])]), "changes[0].block[1]");
    let (field, rule) = world.refused(&[keep("a", &[&keys[2]])]);
    assert_eq!(field, "changes[0].block[0]");
    assert!(rule.contains("which it stood in, is not there"), "{rule}");
    assert_eq!(world.field(&[keep("new", &[&keys[0]])]), "changes[0].revision");
    assert_eq!(world.field(&[delete("a"), keep("a", &[&keys[0]])]), "changes[1].page");
    assert_eq!(world.field(&[keep("gone", &[&keys[0]])]), "changes[0].page");
    world.edit(|edits, world| {
        edits.pages.insert(id("g"), Some(PageEntry { kind: PageKind::Group, ..world.page("g") }));
    });
    assert_eq!(world.field(&[keep("g", &[&keys[0]])]), "changes[0].block");
}
