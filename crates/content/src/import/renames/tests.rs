use crate::import::testing::{World, repository, time};
use crate::page::PageEntry;
use rstest::rstest;
use values::id::PageId;

/// A text of this many lines.
fn lines(name: &str, from: usize, to: usize) -> String {
    (from..to).map(|line| format!("Line {line} of the text about {name} is here.\n\n")).collect()
}

fn page(world: &World, path: &str) -> (PageId, PageEntry) {
    let id = world.snapshot.page_at(&world.objects, path).expect("at hand").expect("a page");
    let page = world.snapshot.page(&world.objects, &id).expect("at hand").expect("a page");
    (id, page)
}

fn renamed(world: &World) -> Vec<String> {
    world.imported().report.renamed.iter().map(ToString::to_string).collect()
}

fn warnings(world: &World) -> Vec<String> {
    world.imported().report.warnings.iter().map(ToString::to_string).collect()
}

/// Imports the files, then the others into the same space.
fn twice(before: &[(&str, &str)], after: &[(&str, &str)]) -> (World, World) {
    let first = World::of(before);
    let mut world = World::of(before);
    world.import(&repository(after), time(1));
    (first, world)
}

#[test]
fn a_page_whose_file_was_moved_keeps_its_id_and_age() {
    let text = lines("cats", 0, 5);
    let (first, world) = twice(
        &[("SUMMARY.md", "* [Cats](cats.md)\n* [Dogs](dogs.md)\n"), ("cats.md", &text), ("dogs.md", "Dogs bark.")],
        &[
            ("SUMMARY.md", "* [Dogs](dogs.md)\n  * [Felines](pets/felines.md)\n"),
            ("pets/felines.md", &text),
            ("dogs.md", "Dogs bark."),
        ],
    );
    let ((id, before), (same, after)) = (page(&first, "cats"), page(&world, "dogs/felines"));
    assert_eq!(id, same);
    assert_eq!(
        (after.title.as_str(), after.created_at, after.updated_at),
        ("Felines", before.created_at, Some(time(1)))
    );
    assert_eq!(renamed(&world), ["cats.md -> pets/felines.md"]);
    assert_eq!(renamed(&first), [""; 0]);
}

#[test]
fn a_page_whose_file_was_moved_and_edited_keeps_its_id_and_the_keys_of_its_blocks() {
    let (old, new) = (lines("cats", 0, 10), lines("cats", 0, 8) + &lines("tigers", 0, 2));
    let (first, world) = twice(
        &[("a.md", &old), ("b.md", &lines("birds", 0, 10))],
        &[("x/c.md", &new), ("b.md", &lines("birds", 0, 10))],
    );
    assert_eq!(page(&first, "a").0, page(&world, "x/c").0);
    assert_eq!(renamed(&world), ["a.md -> x/c.md"]);
    let keys = |world: &World, path: &str| -> Vec<_> {
        world.text(path).walk().take(8).map(|block| block.key.clone()).collect()
    };
    assert_eq!(keys(&first, "a"), keys(&world, "x/c"));
}

#[test]
fn a_page_that_shares_less_than_half_of_its_text_is_a_new_one() {
    let new = lines("cats", 0, 4) + &lines("dogs", 0, 6);
    let (first, world) =
        twice(&[("README.md", "Hi."), ("a.md", &lines("cats", 0, 10))], &[("README.md", "Hi."), ("b.md", &new)]);
    assert_ne!(page(&first, "a").0, page(&world, "b").0);
    assert_eq!(renamed(&world), [""; 0]);
}

#[test]
fn a_file_that_is_still_there_is_never_taken_for_a_renamed_one() {
    let text = lines("cats", 0, 5);
    let (first, world) = twice(&[("a.md", &text)], &[("a.md", "Other words."), ("b.md", &text)]);
    assert_eq!(page(&first, "a").0, page(&world, "a").0);
    assert_eq!(renamed(&world), [""; 0]);
}

#[test]
fn of_equal_files_the_one_of_the_same_name_is_the_renamed_one() {
    let text = lines("cats", 0, 5);
    let (first, world) =
        twice(&[("a/x.md", &text), ("a/y.md", &text)], &[("b/x.md", &text), ("b/w.md", &text), ("b/y.md", &text)]);
    assert_eq!(page(&first, "a/x").0, page(&world, "b/x").0);
    assert_eq!(page(&first, "a/y").0, page(&world, "b/y").0);
    assert_eq!(renamed(&world), ["a/x.md -> b/x.md", "a/y.md -> b/y.md"]);
}

#[test]
fn the_most_similar_text_is_the_renamed_one() {
    let (some, most) = (lines("cats", 0, 6) + &lines("dogs", 0, 4), lines("cats", 0, 9));
    let (first, world) = twice(&[("old.md", &lines("cats", 0, 10))], &[("some.md", &some), ("most.md", &most)]);
    assert_eq!(page(&first, "old").0, page(&world, "most").0);
}

#[test]
fn a_file_in_the_table_of_contents_comes_before_one_without_a_page() {
    let text = lines("cats", 0, 10);
    let (first, world) = twice(
        &[("SUMMARY.md", "* [Old](old.md)\n"), ("old.md", &text)],
        &[("SUMMARY.md", "* [New](new.md)\n"), ("new.md", &lines("cats", 0, 9)), ("copy.md", &lines("cats", 1, 10))],
    );
    assert_eq!(page(&first, "old").0, page(&world, "new").0);
}

#[rstest]
#[case("")]
#[case("\n\n")]
fn files_without_words_are_not_taken_for_one_another(#[case] text: &str) {
    let (first, world) = twice(&[("README.md", "Hi."), ("a.md", text)], &[("README.md", "Hi."), ("b.md", text)]);
    assert_ne!(page(&first, "a").0, page(&world, "b").0);
}

#[test]
fn reusable_contents_and_files_keep_their_ids_too() {
    let (note, edited) = (lines("notes", 0, 6), lines("notes", 0, 5));
    let (first, world) = twice(
        &[
            ("README.md", "{% include \".gitbook/includes/note.md\" %}\n\n![](.gitbook/assets/a.png) ![](img/b.PNG)"),
            (".gitbook/includes/note.md", &note),
            (".gitbook/assets/a.png", "one"),
            ("img/b.PNG", "two"),
        ],
        &[
            (
                "README.md",
                "{% include \".gitbook/includes/hint.md\" %}\n\n![](.gitbook/assets/c.png) ![](pictures/d.png)",
            ),
            (".gitbook/includes/hint.md", &edited),
            (".gitbook/assets/c.png", "one"),
            ("pictures/d.png", "two"),
        ],
    );
    let ids = |world: &World| {
        let contents = world.snapshot.reusable_contents(&world.objects).expect("at hand");
        let mut files: Vec<_> = world.snapshot.files(&world.objects).expect("at hand");
        files.sort_by_key(|(_, file)| file.size.max(file.blob.as_bytes()[0].into()));
        let files: Vec<_> = files.into_iter().map(|(id, _)| id).collect();
        (contents[0].0.clone(), files)
    };
    assert_eq!(ids(&first), ids(&world));
    let expected = [
        ".gitbook/assets/a.png -> .gitbook/assets/c.png",
        ".gitbook/includes/note.md -> .gitbook/includes/hint.md",
        "img/b.PNG -> pictures/d.png",
    ];
    assert_eq!(renamed(&world), expected);
    assert_eq!(first.text("introduction"), world.text("introduction"), "the references did not change");
}

#[test]
fn texts_of_which_there_are_too_many_are_recognized_by_equal_bytes_only() {
    let files = |folder: &str, more: &str| -> Vec<(String, String)> {
        let file = |at: usize| {
            let more = if at == 0 { "" } else { more };
            (format!("{folder}/{folder}{at}.md"), format!("Text {at} is long enough.\n\nIt has two lines.{more}"))
        };
        (0..1_002).map(file).collect()
    };
    let mut world = World::default();
    world.import(&repository(&files("a", "")), time(0));
    world.import(&repository(&files("b", " And one more.")), time(1));
    assert_eq!(renamed(&world), ["a/a0.md -> b/b0.md"]);
    let expected =
        "too many files are new and gone to compare all their texts: a file that was renamed and edited is a new page";
    assert_eq!(warnings(&world), [expected]);
}

#[test]
fn a_folder_that_was_moved_is_recognized_by_the_names_in_it_however_many_there_are() {
    let files = |folder: &str, more: &str| -> Vec<(String, String)> {
        let text = |at: usize| format!("{}{more}", lines(&format!("number {at}"), 0, 4));
        (0..1_001).map(|at| (format!("{folder}/page-{at}.md"), text(at))).collect()
    };
    let mut world = World::default();
    world.import(&repository(&files("a", "")), time(0));
    world.import(&repository(&files("b", "And one more.")), time(1));
    assert_eq!(world.imported().report.renamed.len(), 1_001);
    assert_eq!(warnings(&world), [""; 0]);
}
