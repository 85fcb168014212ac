//! Files and references.
use super::*;
use rstest::rstest;

#[test]
fn files_are_inserted_in_order() {
    let mut world = guide();
    let files = vec![file("b.png", None), file("a.png", Some("shot"))];
    let applied = world.apply(&[Change::InsertFiles(files.clone())]);
    assert_eq!(applied.files, [id::<FileId>("b-png"), id("a-png")]);
    assert_eq!(applied.outcomes, []);
    let held = world.head.file(&world.stored, &id("a-png")).expect("at hand");
    assert_eq!(held, Some(files[1].entry.clone()));
}

fn referred(name: &str, reference: &str) -> Change {
    Change::InsertPage(InsertPage { reference: Some(reference.to_owned()), ..new_page(name, "") })
}

#[rstest]
#[case(vec![Change::InsertFiles(vec![])], "changes[0].files")]
#[case(vec![Change::InsertFiles((0..21).map(|at| file(&format!("f{at}"), None)).collect())], "changes[0].files")]
#[case(vec![Change::InsertFiles(vec![file("a", None), file("x", None), file("a", None)])], "changes[0].files[2].id")]
#[case(vec![referred("a", "r"), Change::InsertFiles(vec![file("f", None), file("g", Some("r"))])], "changes[1].files[1].ref")]
#[case(vec![referred("a", "r"), referred("b", "r")], "changes[1].ref")]
#[case(vec![referred("a", "")], "changes[0].ref")]
#[case(vec![referred("a", &"x".repeat(257))], "changes[0].ref")]
#[case(vec![referred("a", "ok"), referred("b", "guides/install")], "changes[1].ref")]
fn a_file_or_reference_that_breaks_a_rule_is_named(#[case] changes: Vec<Change>, #[case] field: &str) {
    assert_eq!(guide().field(&changes), field);
}

#[test]
fn the_name_of_a_file_has_a_bound() {
    let mut named = file("a", None);
    named.entry.name = "x".repeat(257);
    assert_eq!(guide().field(&[Change::InsertFiles(vec![named.clone()])]), "changes[0].files[0].name");
    named.entry.name = String::new();
    assert_eq!(guide().field(&[Change::InsertFiles(vec![named])]), "changes[0].files[0].name");
}
