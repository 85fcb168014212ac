//! Texts: titles, front matter, keys.
use super::*;
use crate::document::{Heading, Kind};
use rstest::rstest;
use std::collections::BTreeSet;

fn inserted(markdown: &str, fields: PageFields) -> World {
    let mut world = guide();
    world.apply(&[Change::InsertPage(InsertPage { fields, ..new_page("new", markdown) })]);
    world
}

fn titled(title: &str) -> PageFields {
    PageFields { title: Some(title.to_owned()), ..PageFields::default() }
}

#[rstest]
#[case("# Heading\n\nText.\n", "Field", "Heading", "Text.\n")]
#[case("---\ntitle: Front\n---\n\nText.\n", "Field", "Front", "Text.\n")]
#[case("---\ntitle: Front\n---\n# Heading\n\nText.\n", "Field", "Front", "# Heading\n\nText.\n")]
#[case("---\ntitle: Front\n---\n# Front\n\nText.\n", "Field", "Front", "Text.\n")]
#[case("---\ntitle: ''\n---\nText.\n", "Field", "Field", "Text.\n")]
#[case("## Second\n\nText.\n", "Field", "Field", "## Second\n\nText.\n")]
#[case("Text.\n", "Field", "Field", "Text.\n")]
#[case("Text.\n", "", "Untitled", "Text.\n")]
#[case("", "", "Untitled", "")]
fn the_title_is_in_the_text_before_it_is_in_the_field(
    #[case] markdown: &str,
    #[case] field: &str,
    #[case] title: &str,
    #[case] text: &str,
) {
    let fields = if field.is_empty() { PageFields::default() } else { titled(field) };
    let world = inserted(markdown, fields);
    assert_eq!(world.page("new").title, title);
    assert_eq!(world.markdown("new", Form::Relative).trim_end(), text.trim_end());
    assert_eq!(world.page("new").slug, crate::page::slugify(title));
}

#[test]
fn front_matter_overrides_fields() {
    let front = "---\nslug: other\nemoji: 1f600\nicon: star\ndescription: >-\n  two\n  lines\nhidden: true\nnoIndex: false\n\
                 noRobotsIndex: true\nif: visitor.claims.beta\nunknown: [1]\n---\n";
    let told = PageFields {
        icon: Some("moon".to_owned()),
        slug: Some("mine".to_owned()),
        no_index: Some(true),
        ..titled("T")
    };
    let page = inserted(front, told).page("new");
    assert_eq!((page.title.as_str(), page.slug.as_str(), page.icon.as_deref()), ("T", "other", Some("star")));
    assert_eq!((page.emoji.as_deref(), page.description.as_deref()), (Some("1f600"), Some("two lines")));
    assert_eq!((page.hidden, page.no_index, page.no_robots_index), (true, false, true));
    assert_eq!(page.condition.as_deref(), Some("visitor.claims.beta"));
    assert_eq!(page.document(), None);
}

#[rstest]
#[case("---\ntitle: [\n---\nx\n", "the front matter is neither a YAML mapping")]
#[case("---\nif: a &&\n---\nx\n", "condition in the front matter")]
#[case("---\nslug: a/b\n---\nx\n", "slug in the front matter")]
#[case(&format!("# {}\n", "x".repeat(501)), "its title: must have at most 500 characters")]
fn markdown_that_breaks_a_rule_is_named(#[case] markdown: &str, #[case] wanted: &str) {
    let mut world = guide();
    let (field, rule) = world.refused(&[Change::InsertPage(new_page("new", markdown))]);
    assert_eq!(field, "changes[0].document.markdown");
    assert!(rule.starts_with(wanted), "{rule}");
    assert_eq!(world.field(&[delete("home"), write("faq", markdown)]), "changes[1].document.markdown");
}

#[test]
fn a_document_that_breaks_a_rule_is_named() {
    let heading = Block::new(Kind::Heading(Heading { level: 9, ..Heading::default() }));
    let body = Body::Document(Document { blocks: vec![Block { key: Key("k".into()), ..heading }] });
    let (field, rule) =
        guide().refused(&[delete("home"), Change::InsertPage(InsertPage { document: body, ..new_page("new", "") })]);
    assert_eq!(field, "changes[1].document.document");
    assert!(rule.contains("level of a heading"), "{rule}");
}

#[test]
fn markdown_keeps_the_keys_of_blocks_that_stay() {
    let mut world = guide();
    let before = world.keys("install");
    world.apply(&[write("install", "First.\n\nHow to install it.\n\nOn Linux.\n")]);
    let after = world.keys("install");
    assert_eq!((after.len(), &after[1..]), (3, &before[..]));
    assert_eq!(world.page("install").updated_at, Some(time(1)));
    // A second text in the same batch keeps the keys of the first.
    world.apply(&[write("install", "First.\n\nOn Linux.\n"), write("install", "First.\n\nSecond.\n\nOn Linux.\n")]);
    assert_eq!((&world.keys("install")[0], &world.keys("install")[2]), (&after[0], &after[2]));
}

#[test]
fn blocks_keep_the_keys_they_are_sent_with() {
    let mut world = guide();
    let mut text = document("One.\n\nTwo.\n");
    text.blocks[1].key = Key("mine".into());
    let body = Some(Body::Document(text.clone()));
    world.apply(&[Change::UpdatePage(UpdatePage { document: body, ..update("faq") })]);
    assert_eq!(world.text("faq"), text);
    world.apply(&[Change::UpdatePage(UpdatePage { document: Some(Body::Empty), ..update("faq") })]);
    assert_eq!(world.page("faq").document(), None);
}

#[test]
fn a_heading_on_an_update_is_the_title_unless_the_text_had_one() {
    let mut world = guide();
    world.apply(&[write("faq", "# Questions\n\nText.\n")]);
    assert_eq!((world.page("faq").title.as_str(), world.page("faq").slug.as_str()), ("Questions", "faq"));
    assert_eq!(world.markdown("faq", Form::Relative), "Text.\n");
    let own = Some(Body::Document(document("# Own\n\nText.\n")));
    world.apply(&[Change::UpdatePage(UpdatePage { document: own, ..update("faq") })]);
    world.apply(&[write("faq", "# Own one\n\nText.\n")]);
    assert_eq!(world.page("faq").title, "Questions");
    assert_eq!(world.markdown("faq", Form::Relative), "# Own one\n\nText.\n");
}

#[test]
fn equal_texts_are_stored_once() {
    let mut world = guide();
    let (applied, written) = world
        .run(&[Change::InsertPage(new_page("a", "Same.\n")), Change::InsertPage(new_page("b", "Same.\n"))])
        .expect("a batch that fits");
    let documents: BTreeSet<Hash> = applied.edits.pages.values().flatten().filter_map(PageEntry::document).collect();
    assert_eq!(documents.len(), 1);
    assert!(documents.iter().all(|hash| written.contains_key(hash)));
}

#[test]
fn an_imported_page_keeps_values_that_only_its_file_has() {
    let mut imported =
        crate::import::testing::World::of(&[("README.md", "---\nmine: 1 # note\n---\n\n# Home\n\nOld.\n")]);
    let page = imported.snapshot.page_at(&imported.objects, "home").expect("at hand").expect("the page");
    let mut world = World { head: imported.snapshot, stored: imported.objects, ..World::default() };
    world.apply(&[write(page.as_str(), "New.\n")]);
    (imported.snapshot, imported.objects) = (world.head, world.stored);
    let content = crate::export::Content::read(&imported.snapshot, &imported.objects).expect("at hand");
    let files = crate::export::export(&content, &imported.objects).expect("at hand");
    let file = files.iter().find(|file| file.path == "README.md").expect("the file");
    let wanted = "---\nmine: 1 # note\n---\n# Home\n\nNew.\n";
    assert_eq!(file.body, crate::export::FileBody::Text(wanted.into()));
}
