//! Addresses in Markdown.
use super::*;
use crate::document::Inline;
use crate::reference::ContentRef;
use rstest::rstest;

fn page_ref(page: &str) -> ContentRef {
    ContentRef::Page { page: id(page), space: None }
}

fn file_ref(file: &str) -> ContentRef {
    ContentRef::File { file: id(file), space: None }
}

fn anchor(page: Option<&str>, anchor: &str) -> ContentRef {
    ContentRef::Anchor { anchor: anchor.to_owned(), page: page.map(id), space: None }
}

fn url(url: &str) -> ContentRef {
    ContentRef::Url { url: url.to_owned() }
}

/// The targets of the references of a text.
fn targets(world: &World, page: &str) -> Vec<ContentRef> {
    world.text(page).references().into_iter().map(|found| found.target).collect()
}

fn with_file() -> World {
    let mut world = guide();
    world.apply(&[Change::InsertFiles(vec![file("pic.png", None)])]);
    world
}

#[rstest]
#[case("/pages/install", page_ref("install"))]
#[case("/pages/install#linux", anchor(Some("install"), "linux"))]
#[case("/pages/guides/install", page_ref("install"))]
#[case("/pages/guides/install.md", page_ref("install"))]
#[case("/pages/guides/install.md#linux", anchor(Some("install"), "linux"))]
#[case("/pages/guides/README.md", page_ref("guides"))]
#[case("/pages/README.md", page_ref("home"))]
#[case("./install.md", page_ref("install"))]
#[case("install.md", page_ref("install"))]
#[case("install.md?x#y%20z", anchor(Some("install"), "y z"))]
#[case("./install", page_ref("install"))]
#[case("../faq.md", page_ref("faq"))]
#[case("../guides", page_ref("guides"))]
#[case("../guides/README.md", page_ref("guides"))]
#[case("./README.md", page_ref("guides"))]
#[case("../README.md", page_ref("home"))]
#[case("./below.md", page_ref("below"))]
#[case("./below", page_ref("below"))]
#[case("#here", anchor(None, "here"))]
#[case("/files/pic-png", file_ref("pic-png"))]
#[case("https://example.org/x.md", url("https://example.org/x.md"))]
#[case("mailto:ada@example.org", url("mailto:ada@example.org"))]
#[case("//example.org", url("//example.org"))]
#[case("/spaces/other/pages/p#a", ContentRef::Anchor { anchor: "a".to_owned(), page: Some(id("p")), space: Some(id("other")) })]
#[case("/users/ada", ContentRef::User { user: id("ada") })]
fn an_address_leads_to_the_page_it_names(#[case] href: &str, #[case] target: ContentRef) {
    let mut world = with_file();
    let below = InsertPage { into: Some("update".to_owned()), ..new_page("below", "# Below") };
    world.apply(&[Change::InsertPage(below), write("update", &format!("See [it](<{href}>).\n"))]);
    assert_eq!(targets(&world, "update"), [target]);
}

#[rstest]
#[case("gone.md")]
#[case("../../install.md")]
#[case("/pages/gone")]
#[case("/pages/guides/gone.md")]
#[case("/files/gone")]
#[case("/guides/install")]
#[case("/spaces")]
#[case("?x")]
#[case("data:text/html,x")]
#[case("javascript:alert(1)")]
fn an_address_without_a_target_becomes_plain_text(#[case] href: &str) {
    let mut world = guide();
    world.apply(&[write("update", &format!("See [it *now*](<{href}>).\n"))]);
    assert_eq!(world.markdown("update", Form::Relative), "See it _now_.\n");
}

#[test]
fn a_picture_must_be_a_file_and_data_is_not_taken_in() {
    let mut world = with_file();
    world.apply(&[write(
        "update",
        "A ![one](/files/pic-png) b ![two](/pages/install) c ![three](data:image/png;base64,AA) d ![four](https://x.org/a.png)\n",
    )]);
    assert_eq!(targets(&world, "update"), [file_ref("pic-png"), url("https://x.org/a.png")]);
    assert!(world.text("update").text().contains("two") && world.text("update").text().contains("three"));
}

#[test]
fn pages_and_files_of_a_batch_are_linked_by_reference_whatever_their_order() {
    let mut world = guide();
    let first =
        InsertPage { reference: Some("first".to_owned()), ..new_page("a", "# A\n\n[b](./second.md#x) ![f](./pic)\n") };
    let second = InsertPage {
        reference: Some("second".to_owned()),
        into: Some("install".to_owned()),
        ..new_page("b", "# B\n\n[a](./first.md), [f](pic), [bare](first.md), [none](./first)\n")
    };
    world.apply(&[
        Change::InsertPage(first),
        Change::InsertPage(second),
        Change::InsertFiles(vec![file("pic.png", Some("pic"))]),
    ]);
    assert_eq!(targets(&world, "a"), [anchor(Some("b"), "x"), file_ref("pic-png")]);
    assert_eq!(targets(&world, "b"), [page_ref("a"), file_ref("pic-png"), page_ref("a")]);
    // The slug is not the reference: the address is one in this batch only.
    world.apply(&[write("faq", "[a](./first.md)\n")]);
    assert_eq!(targets(&world, "faq"), []);
}

#[test]
fn addresses_are_those_that_the_batch_leaves_behind() {
    let mut world = guide();
    let renamed = PageFields { slug: Some("setup".to_owned()), ..PageFields::default() };
    world.apply(&[
        write("faq", "[new](/pages/guides/setup), [old](/pages/guides/install), [gone](/pages/home)\n"),
        Change::UpdatePage(UpdatePage { fields: renamed, ..update("install") }),
        delete("home"),
    ]);
    assert_eq!(targets(&world, "faq"), [page_ref("install")]);
    assert_eq!(world.markdown("faq", Form::Relative), "[new](guides/setup.md), old, gone\n");
}

#[test]
fn a_page_that_moves_with_its_text_keeps_its_links() {
    let mut world = guide();
    world.apply(&[write("update", "[i](install.md), [f](../faq.md)\n")]);
    let read = world.markdown("update", Form::Relative);
    assert_eq!(read, "[i](install.md), [f](../faq.md)\n");
    let document = Some(Body::Markdown(format!("{read}\nMore.\n")));
    let to_root = UpdatePage { document, into: Patch::Clear, ..update("update") };
    world.apply(&[Change::UpdatePage(to_root)]);
    assert_eq!(world.markdown("update", Form::Relative), "[i](guides/install.md), [f](faq.md)\n\nMore.\n");
}

/// A text with references of many sorts, some of which lead nowhere.
fn full(world: &mut World) {
    let mut text = document(
        "See [page](x), [anchor](x), [file](x), [other](x), [lost](x), [url](x), [here](x).\n\nSome [mention](x \"mention\").\n",
    );
    let mut targets = vec![
        page_ref("install"),
        anchor(Some("faq"), "part"),
        file_ref("pic-png"),
        ContentRef::Page { page: id("p"), space: Some(id("s")) },
        page_ref("lost"),
        url("lost.md"),
        anchor(None, "here"),
        ContentRef::User { user: id("ada") },
    ]
    .into_iter();
    text.map_references(|target| *target = targets.next().expect("one for each"));
    let body = Some(Body::Document(text));
    world.apply(&[Change::UpdatePage(UpdatePage { document: body, ..update("update") })]);
}

#[rstest]
#[case(Form::Relative)]
#[case(Form::Stable)]
fn reading_a_page_and_writing_it_back_touches_nothing(#[case] form: Form) {
    let mut world = with_file();
    full(&mut world);
    let read = world.markdown("update", form);
    let applied = world.apply(&[write("update", &read)]);
    assert_eq!(applied.edits, Edits::default());
    let before = world.text("update");
    world.apply(&[write("update", &format!("{read}\nMore.\n"))]);
    let after = world.text("update");
    assert_eq!((after.blocks.len(), &after.blocks[..2]), (3, &before.blocks[..]), "every link is kept in an edit");
}

#[test]
fn a_text_that_markdown_cannot_express_is_unchanged_after_a_round_trip() {
    let mut world = guide();
    let note = crate::document::Annotation { content: Vec::new(), body: Vec::new(), label: None };
    let kind = crate::document::Kind::Heading(crate::document::Heading { level: 1, ..Default::default() });
    let heading = Block::new(kind).with_content(vec![Inline::Annotation(Box::new(note))]);
    let body = Some(Body::Document(Document::from_blocks(vec![heading]).expect("a valid document")));
    world.apply(&[Change::UpdatePage(UpdatePage { document: body, ..update("update") })]);
    let read = world.markdown("update", Form::Relative);
    assert!(markdown::parse(&read, &Unresolved).title.is_some(), "it reads as a title");
    assert_eq!(world.apply(&[write("update", &read)]).edits, Edits::default());
}

#[test]
fn blocks_that_are_sent_keep_their_references() {
    let mut world = with_file();
    full(&mut world);
    let text = world.text("update");
    assert_eq!(text.references().len(), 8);
    assert!(
        text.blocks[0]
            .content
            .iter()
            .any(|inline| matches!(inline, Inline::Link(link) if link.target.0 == url("lost.md")))
    );
}

#[test]
fn an_included_text_stays_included() {
    let mut world = guide();
    world.edit(|edits, _| {
        let content = crate::page::ReusableContent {
            title: "Note".to_owned(),
            document: None,
            git: None,
            source: None,
            import_digest: None,
        };
        edits.reusable_contents.insert(id("note"), Some(content));
    });
    world.apply(&[write("faq", "{% include \"/reusable-contents/note\" %}\n\n{% include \"gone.md\" %}\n")]);
    let kept = ContentRef::ReusableContent { reusable_content: id("note"), space: None };
    assert_eq!(targets(&world, "faq"), [kept]);
}
