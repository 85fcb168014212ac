//! Exports of what older versions imported, whose parsers read some files in another way.
use super::*;
use crate::import::digest::{self, Places, Reading};
use crate::page::GitBlob;
use crate::reference::ContentRef;
use rstest::rstest;

/// A file that an older parser found no title in.
const FILE: &str =
    "+++\ntitle = \"New\"\n+++\n\n# A\n\nCosts $x_1$, see [b](b.md).\n\n{% include \".gitbook/includes/n.md\" %}\n";
const NOTE: &str = "---\ntitle: Note\n---\n\n$y_1$ of [b](../../b.md)\n";

/// Makes a text of today the text of an older parser, with the same links.
fn read_in_another_way(document: &mut Document) {
    let more = markdown::parse("As an older parser read it.\n", &Unresolved).document.expect("not too many parts");
    document.blocks.extend(more.blocks);
    *document = Document::from_blocks(std::mem::take(&mut document.blocks)).expect("valid");
}

/// The places of a text, found without the code of imports.
fn places(world: &World, page: Option<&PageEntry>, document: &mut Document) -> Places {
    let pages = world.snapshot.pages(&world.objects).expect("at hand");
    let contents = world.snapshot.reusable_contents(&world.objects).expect("at hand");
    let at = |git: &Option<GitBlob>| git.as_ref().map(|git| git.path.clone());
    digest::places(page, document, &|target| match target {
        ContentRef::Page { page, .. } => at(&pages.iter().find(|(id, _)| id == page)?.1.git),
        ContentRef::ReusableContent { reusable_content, .. } => {
            at(&contents.iter().find(|(id, _)| id == reusable_content)?.1.git)
        }
        _ => None,
    })
}

/// Stores the page and the reusable content as the import of a version with another parser stored them.
fn import_in_another_way(world: &mut World, alone: bool) {
    let mut text = world.text("a");
    read_in_another_way(&mut text);
    let places_of_page = places(world, None, &mut text);
    edit(world, "a", |page, document| {
        *document = text;
        page.title = "A".to_owned();
        page.kind = PageKind::Document { document: Some(Hash::of(&document.encode())) };
        let as_read = PageEntry { hidden: false, ..page.clone() };
        let reading = Reading { path: "a.md", slug: None, alone };
        page.import_digest = Some(digest::of_page(&as_read, reading, &places_of_page));
    });
    let (id, mut content) = world.snapshot.reusable_contents(&world.objects).expect("at hand").remove(0);
    let mut text = crate::text_of(&world.objects, content.document).expect("at hand");
    read_in_another_way(&mut text);
    let places_of_content = places(world, None, &mut text);
    let mut scratch = Scratch::new(&world.objects);
    content.document = Some(scratch.put(text.encode()));
    content.import_digest = Some(digest::of_content(&content, ".gitbook/includes/n.md", &places_of_content));
    let edits = Edits { reusable_contents: BTreeMap::from([(id, Some(content))]), ..Edits::default() };
    world.snapshot = world.snapshot.edit(&mut scratch, &edits).expect("at hand").expect("valid");
    let written = scratch.into_written();
    world.objects.extend(written);
}

#[rstest]
#[case::of_the_table_of_contents(&[("SUMMARY.md", "* [Home](README.md)\n* [A](a.md)\n* [B](b.md)\n")], false)]
#[case::of_a_link(&[("SUMMARY.md", "* [Home](README.md)\n* [B](b.md)\n")], true)]
#[case::of_a_folder(&[], true)]
fn a_file_that_an_older_parser_read_in_another_way_is_exported_as_it_came(
    #[case] summary: &[(&str, &str)],
    #[case] alone: bool,
) {
    let pages = [("README.md", "# Home\n\n[a](a.md)\n"), ("a.md", FILE), ("b.md", "# B\n\nb\n")];
    let repository_files = [summary, &pages, &[(".gitbook/includes/n.md", NOTE)]].concat();
    let mut world = World::of(&repository_files);
    import_in_another_way(&mut world, alone);
    assert_eq!(differing(&repository(&repository_files), &files(&world)), [""; 0]);

    edit(&mut world, "a", |page, _| page.import_digest = None);
    let exported = files(&world);
    assert_ne!(text(&exported, "a.md"), FILE, "without a digest, what the page has counts");
    edit(&mut world, "b", |page, _| {
        page.git.as_mut().expect("a file").path = "c.md".to_owned();
    });
    let exported = text(&files(&world), ".gitbook/includes/n.md");
    assert!(exported.contains("[b](../../c.md)"), "a link follows a page that has another path: {exported}");
}

#[test]
fn a_page_that_was_changed_after_its_import_is_written_again() {
    let summary = ("SUMMARY.md", "* [Home](README.md)\n* [A](a.md)\n* [B](b.md)\n");
    let pages = [("README.md", "# Home\n"), ("a.md", FILE), ("b.md", "b\n"), (".gitbook/includes/n.md", NOTE)];
    let repository_files = [&[summary][..], &pages].concat();
    let changes: [fn(&mut PageEntry, &mut Document); 5] = [
        |page, _| page.title = "Other".to_owned(),
        |page, _| page.icon = Some("star".to_owned()),
        |page, _| page.hidden = true,
        |page, _| page.slug = "other".to_owned(),
        |_, document| read_in_another_way(document),
    ];
    for change in changes {
        let mut world = World::of(&repository_files);
        import_in_another_way(&mut world, false);
        edit(&mut world, "a", change);
        assert_ne!(text(&files(&world), "a.md"), FILE);
    }
    let mut world = World::of(&repository_files);
    import_in_another_way(&mut world, false);
    edit(&mut world, "b", |page, _| {
        page.git.as_mut().expect("a file").path = "c.md".to_owned();
    });
    let exported = text(&files(&world), "a.md");
    assert!(exported.contains("[b](c.md)"), "a link follows a page that has another path: {exported}");
}

#[test]
fn an_import_by_a_newer_version_adds_digests_and_changes_nothing_else() {
    let mut world = World::of(REPOSITORY);
    let before = world.snapshot.pages(&world.objects).expect("at hand");
    let older = |page: &PageEntry| Some(PageEntry { import_digest: None, ..page.clone() });
    let pages = before.iter().map(|(id, page)| (id.clone(), older(page))).collect();
    let edits = Edits { pages, ..Edits::default() };
    let mut scratch = Scratch::new(&world.objects);
    world.snapshot = world.snapshot.edit(&mut scratch, &edits).expect("at hand").expect("valid");
    let written = scratch.into_written();
    world.objects.extend(written);
    assert_eq!(differing(&repository(REPOSITORY), &files(&world)), [""; 0], "without digests, files are read again");
    world.import(&repository(REPOSITORY), time(5));
    assert_eq!(world.snapshot.pages(&world.objects).expect("at hand"), before);
    let of_files = before.iter().filter(|(_, page)| page.source.is_some());
    assert!(of_files.clone().count() > 3 && of_files.clone().all(|(_, page)| page.import_digest.is_some()));
}

#[test]
fn a_renamed_file_gets_the_digest_of_its_new_path() {
    let mut world = World::of(&[("README.md", "# Home\n"), ("a.md", "# A\n\nSome words.\n")]);
    world.import(&repository(&[("README.md", "# Home\n"), ("b/c.md", "# A\n\nSome words.\n")]), time(1));
    let pages = world.snapshot.pages(&world.objects).expect("at hand");
    let at = |path: &str| pages.iter().find(|(_, page)| page.git.as_ref().is_some_and(|git| git.path == path));
    let (_, page) = at("b/c.md").expect("the page");
    assert_eq!(page.created_at, time(0), "it is the page that was imported before");
    let reading = Reading { path: "b/c.md", slug: None, alone: true };
    assert_eq!(page.import_digest, Some(digest::of_page(page, reading, &Places::new())));
}
