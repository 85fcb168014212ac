//! Computed pages in tables of contents: import and export.
use super::testing::{World, repository, time};
use crate::computed::ComputedSource;
use crate::export::{Content, FileBody, export};
use crate::object::Scratch;
use crate::page::{PageEntry, PageKind};
use crate::snapshot::Edits;
use values::id::PageId;

const SUMMARY: &str = "# Table of contents

* [Start](README.md)

## Reference

* ```yaml
  type: builtin:openapi
  props:
    models: true
    downloadLink: true
    changelog: true
  dependencies:
    spec:
      ref:
        kind: openapi
        spec: pets
  ```
* [More](more.md)
  * ```yaml
    props: {grouping: by-operation}
    dependencies: {spec: {ref: {kind: openapi, spec: shop}}}
    type: builtin:openapi
    ```
";

fn files() -> Vec<(&'static str, &'static str)> {
    vec![("SUMMARY.md", SUMMARY), ("README.md", "# Start\n"), ("more.md", "# More\n")]
}

fn summary(world: &World) -> String {
    let content = Content::read(&world.snapshot, &world.objects).unwrap();
    let exported = export(&content, &world.objects).unwrap();
    let body = exported.into_iter().find(|file| file.path == "SUMMARY.md").unwrap().body;
    let FileBody::Text(text) = body else { panic!("a table of contents is a text") };
    String::from_utf8(text.to_vec()).unwrap()
}

fn computed(world: &World) -> Vec<(PageId, PageEntry)> {
    world.snapshot.computed_pages(&world.objects).unwrap()
}

fn edit(world: &mut World, id: &PageId, edit: impl FnOnce(&mut PageEntry)) {
    let mut page = world.snapshot.page(&world.objects, id).unwrap().unwrap();
    edit(&mut page);
    let mut scratch = Scratch::new(&world.objects);
    let edits = Edits { pages: [(id.clone(), Some(page))].into(), ..Edits::default() };
    world.snapshot = world.snapshot.edit(&mut scratch, &edits).unwrap().unwrap();
    let written = scratch.into_written();
    world.objects.extend(written);
}

#[test]
fn a_block_of_yaml_becomes_a_computed_page_and_is_exported_unchanged() {
    let world = World::of(&files());
    let expected = [
        "Start = start (no text)",
        "Reference = reference (group)",
        "- pets = reference/ (builtin:openapi of pets)",
        "- More = reference/more (no text)",
        "- - shop = reference/more/ (builtin:openapi of shop)",
    ];
    assert_eq!(world.outline(), expected);
    assert_eq!(world.imported().report.computed, 2);
    assert_eq!(world.imported().report.warnings, []);
    assert_eq!(summary(&world), SUMMARY);
}

#[test]
fn another_import_keeps_the_ids_and_a_changed_source_is_an_edit() {
    let mut world = World::of(&files());
    let before = computed(&world);
    world.import(&repository(&files()), time(1));
    assert_eq!(computed(&world), before);
    let other = SUMMARY.replace("models: true", "models: false");
    world.import(
        &repository(&[("SUMMARY.md", other.as_str()), ("README.md", "# Start\n"), ("more.md", "# More\n")]),
        time(2),
    );
    let after = computed(&world);
    let ids = |pages: &[(PageId, PageEntry)]| pages.iter().map(|(id, _)| id.clone()).collect::<Vec<_>>();
    assert_eq!(ids(&after), ids(&before));
    let edited: Vec<bool> = after.iter().map(|(_, page)| page.updated_at.is_some()).collect();
    assert_eq!(edited.iter().filter(|edited| **edited).count(), 1);
}

#[test]
fn what_a_computed_page_is_besides_its_source_is_in_a_comment() {
    let mut world = World::of(&files());
    let (id, _) = computed(&world).into_iter().find(|(_, page)| page.title == "pets").unwrap();
    edit(&mut world, &id, |page| {
        page.title = "The *API*".into();
        page.hidden = true;
        let props = serde_json::Map::from_iter([("models".to_owned(), true.into())]);
        page.kind = PageKind::Computed { computed: Box::new(ComputedSource::openapi("a: b", props)) };
    });
    let written = summary(&world);
    let expected = "* ```yaml
  type: builtin:openapi
  props:
    models: true
  dependencies:
    spec:
      ref:
        kind: openapi
        spec: \"a: b\"
  ```
  <!-- {\"hidden\":true,\"title\":\"The *API*\"} -->
* [More](more.md)
  * ```yaml
    props: {grouping: by-operation}
";
    assert!(written.contains(expected), "{written}");
    let again = World::of(&[("SUMMARY.md", written.as_str()), ("README.md", "# Start\n"), ("more.md", "# More\n")]);
    let sources = |world: &World| {
        let mut sources: Vec<_> =
            computed(world).into_iter().map(|(_, page)| (page.title, page.kind, page.hidden)).collect();
        sources.sort_by(|(a, ..), (b, ..)| a.cmp(b));
        sources
    };
    assert_eq!(sources(&again), sources(&world));
    assert_eq!(summary(&again), written);
}

#[test]
fn yaml_that_is_no_source_is_a_page_without_text_and_a_warning() {
    let text = "* [Start](README.md)\n* ```yaml\n  type: nothing\n  ```\n";
    let world = World::of(&[("SUMMARY.md", text), ("README.md", "# Start\n")]);
    assert_eq!(world.outline(), ["Start = start (no text)", "Untitled 2 = untitled-2 (no text)"]);
    let warnings: Vec<String> = world.imported().report.warnings.iter().map(ToString::to_string).collect();
    assert_eq!(warnings, ["SUMMARY.md:2: this YAML is not a source of a computed page; the entry has no text"]);
}
