//! Fields of entries that both sides changed.
use super::*;
use crate::document::Color;
use crate::object::Hash;
use crate::page::{Cover, FileEntry, GitBlob, PageTag, ReusableContent, Tag, Variable};
use crate::reference::ContentRef;
use rstest::rstest;

/// Merges three versions of one page, both ways.
fn pages(base: &PageEntry, primary: &PageEntry, change: &PageEntry) -> (PageEntry, Vec<String>) {
    let mut world = World::default();
    let base = world.with(&Snapshot::default(), &[("a", Some(base.clone()))]);
    let primary = world.with(&base, &[("a", Some(primary.clone()))]);
    let change = world.with(&base, &[("a", Some(change.clone()))]);
    let merged = world.merge(&base, &primary, &change);
    let swapped = world.merge(&base, &change, &primary);
    assert_eq!(merged.conflicts, swapped.conflicts.iter().map(mirrored).collect::<Vec<_>>());
    (world.page(&merged.snapshot, "a").expect("a page"), keys(&merged))
}

fn tag(name: &str, primary: bool) -> PageTag {
    PageTag { tag: ContentRef::Tag { tag: name.into(), space: None }, primary }
}

#[test]
fn fields_are_joined_one_by_one() {
    let base =
        PageEntry { tags: vec![tag("x", true), tag("y", false)], cover: Some(Box::default()), ..page("a", None, 3) };
    let mut primary = PageEntry { title: "A".into(), emoji: Some("1f600".into()), hidden: true, ..base.clone() };
    primary.variables.insert("one".into(), Variable::Bool(true));
    primary.layout.outline = false;
    primary.tags.push(tag("z", false));
    primary.cover = Some(Box::new(Cover { y_pos: 3, ..Cover::default() }));
    let mut change =
        PageEntry { slug: "b".into(), icon: Some("gear".into()), description: Some("D".into()), ..base.clone() };
    change.variables.insert("two".into(), Variable::Text("2".into()));
    change.layout.tags = false;
    change.tags.remove(1);
    change.cover = Some(Box::new(Cover { height: Some(100), ..Cover::default() }));
    let (merged, conflicts) = pages(&base, &primary, &change);
    assert_eq!(conflicts, [""; 0]);
    let mut expected =
        PageEntry { slug: "b".into(), icon: Some("gear".into()), description: Some("D".into()), ..primary };
    expected.variables.insert("two".into(), Variable::Text("2".into()));
    expected.layout.tags = false;
    expected.tags = vec![tag("x", true), tag("z", false)];
    expected.cover = Some(Box::new(Cover { y_pos: 3, height: Some(100), ..Cover::default() }));
    assert_eq!(merged, expected);
}

#[rstest]
#[case::title(|page: &mut PageEntry, n: usize| page.title = format!("T{n}"), "title")]
#[case::slug(|page: &mut PageEntry, n: usize| page.slug = format!("t{n}"), "slug")]
#[case::position(|page: &mut PageEntry, n: usize| page.order = super::page("x", None, n).order, "position")]
#[case::emoji(|page: &mut PageEntry, n: usize| page.emoji = Some(format!("1f60{n}")), "emoji")]
#[case::variable(|page: &mut PageEntry, n: usize| drop(page.variables.insert("v".into(), Variable::Text(n.to_string()))), "variables.v")]
#[case::cover(|page: &mut PageEntry, n: usize| page.cover = Some(Box::new(Cover { height: Some(10 + n as u16), ..Cover::default() })), "cover")]
#[case::first_tag(|page: &mut PageEntry, n: usize| page.tags = vec![tag("x", n == 1), tag("y", n == 2)], "tags")]
#[case::canonical(|page: &mut PageEntry, n: usize| page.meta_links.canonical = Some(ContentRef::Url { url: n.to_string() }), "metaLinks.canonical")]
fn a_field_that_both_sides_change_in_different_ways_is_a_conflict_with_the_value_of_the_change(
    #[case] set: fn(&mut PageEntry, usize),
    #[case] field: &str,
) {
    let base = page("a", None, 0);
    let (mut primary, mut change) = (base.clone(), base.clone());
    set(&mut primary, 1);
    set(&mut change, 2);
    let (merged, conflicts) = pages(&base, &primary, &change);
    assert_eq!(conflicts, [format!("page-field/a/{field}")]);
    assert_eq!(merged, change);
    let (merged, conflicts) = pages(&base, &primary, &primary);
    assert_eq!((merged, conflicts.len()), (primary, 0), "the same change is no conflict");
}

#[test]
fn metadata_never_conflicts() {
    let at = |seconds| DateTime::from_timestamp(seconds, 0);
    let git = |oid: &str| Some(GitBlob { oid: oid.into(), path: "a.md".into() });
    let base = page("a", None, 0);
    let primary = PageEntry { updated_at: at(5), git: git("1"), ..base.clone() };
    let change = PageEntry { updated_at: at(3), git: git("2"), ..base.clone() };
    let (merged, conflicts) = pages(&base, &primary, &change);
    assert_eq!((merged, conflicts.len()), (PageEntry { git: git("2"), ..primary }, 0));
}

#[test]
fn a_joint_text_is_the_text_of_no_file() {
    let mut world = World::default();
    let (source, import_digest) = (Some(Hash::of(b"source")), Some(Hash::of(b"digest")));
    let texts = [["one", "two"], ["1", "two"], ["one", "2"]].map(|[first, second]| {
        let page = world.written(page("a", None, 0), vec![paragraph("a", first), paragraph("b", second)]);
        PageEntry { source, import_digest, ..page }
    });
    let base = world.with(&Snapshot::default(), &[("a", Some(texts[0].clone()))]);
    let [primary, change] = [1, 2].map(|at: usize| world.with(&base, &[("a", Some(texts[at].clone()))]));
    let merged = world.merge(&base, &primary, &change);
    assert_eq!(world.lines(&merged.snapshot, "a"), ["1", "2"]);
    let joint = world.page(&merged.snapshot, "a").expect("a page");
    assert_eq!((joint.source, joint.import_digest), (None, None));
    let titled = world.with(&base, &[("a", Some(PageEntry { title: "T".into(), ..texts[0].clone() }))]);
    let merged = world.merge(&base, &titled, &change);
    let joint = world.page(&merged.snapshot, "a").expect("a page");
    assert_eq!((joint.source, joint.import_digest), (source, import_digest), "the change's text is as it was");
}

#[test]
fn two_branches_that_import_a_file_again_do_not_conflict() {
    let (old, new) = (Some(Hash::of(b"old")), Some(Hash::of(b"new")));
    let base = PageEntry { source: old, ..page("a", None, 0) };
    let digest = |word: &str| Some(Hash::of(word.as_bytes()));
    let again = PageEntry { import_digest: digest("old"), ..base.clone() };
    let edited = PageEntry { source: new, import_digest: digest("new"), ..base.clone() };
    for (primary, change, joint) in [(&base, &again, &again), (&again, &base, &again), (&again, &again, &again)] {
        assert_eq!(pages(&base, primary, change), (joint.clone(), Vec::new()));
    }
    let (merged, conflicts) = pages(&base, &again, &edited);
    assert_eq!(conflicts, [""; 0]);
    assert!([&again, &edited].contains(&&merged), "the digest stays with its source");
}

#[test]
fn a_block_conflict_is_decided_in_the_text_that_is_there() {
    let mut world = World::default();
    let mut versions = ["one", "two", "three"].into_iter().map(|word| {
        world.written(page("a", None, 0), vec![heading("h", "Title"), paragraph("b", &format!("{word} word"))])
    });
    let [base, primary, change] = [versions.next(), versions.next(), versions.next()].map(|page| page.expect("a page"));
    drop(versions);
    let base = world.with(&Snapshot::default(), &[("a", Some(base))]);
    let primary = world.with(&base, &[("a", Some(primary))]);
    let change = world.with(&base, &[("a", Some(change))]);
    let merged = world.merge(&base, &primary, &change);
    assert_eq!(keys(&merged), ["block/a/own/b"]);
    let conflict = &merged.conflicts[0];
    assert_eq!(conflict.subject.page(), Some(&id("a")));
    assert_eq!(world.resolved(&merged.snapshot, conflict, Keep::Change), merged.snapshot);
    let decided = world.resolved(&merged.snapshot, conflict, Keep::Primary);
    assert_eq!(world.lines(&decided, "a"), ["Title", "two word"]);

    let elsewhere = world.written(page("a", None, 0), vec![heading("h", "Other"), paragraph("b", "three word")]);
    let elsewhere = world.with(&merged.snapshot, &[("a", Some(elsewhere))]);
    let here = world.written(page("a", None, 0), vec![heading("h", "Title"), paragraph("b", "both word")]);
    let here = world.with(&merged.snapshot, &[("a", Some(here))]);
    for (head, expected) in [(elsewhere, false), (here, true)] {
        let diff = merged.snapshot.diff(&head, &world.objects).expect("all is at hand");
        assert_eq!(touched(&world.objects, conflict, &diff), Ok(expected));
    }
    let gone = world.written(page("a", None, 0), vec![heading("h", "Title")]);
    let gone = world.with(&merged.snapshot, &[("a", Some(gone))]);
    let back = world.resolved(&gone, conflict, Keep::Primary);
    assert_eq!(world.lines(&back, "a"), ["Title", "two word"], "a block that is gone comes back");
}

#[test]
fn files_variables_tags_and_reusable_contents_are_joined_too() {
    let mut world = World::default();
    let file = |name: &str, byte: u8| FileEntry {
        name: name.into(),
        content_type: "image/png".into(),
        size: 1,
        blob: Hash::of(&[byte]),
        dimensions: None,
        git: None,
    };
    let tag = |label: &str, color| Tag { label: label.into(), color, emoji: None, icon: None };
    let mut content = |title: &str, words: [&str; 2]| {
        let page = world.written(page("x", None, 0), vec![paragraph("a", words[0]), paragraph("b", words[1])]);
        ReusableContent { title: title.into(), document: page.document(), git: None, source: None, import_digest: None }
    };
    let contents = [content("r", ["one", "two"]), content("R", ["1", "two"]), content("r", ["one", "2"])];
    let version = |f: FileEntry, t: Tag, v: Option<i32>, content: &ReusableContent| Edits {
        files: [("f".parse().expect("an id"), Some(f))].into(),
        tags: [("t".to_owned(), Some(t))].into(),
        variables: [("v".to_owned(), v.map(|number| Variable::Number(number.into())))].into(),
        reusable_contents: [("r".parse().expect("an id"), Some(content.clone()))].into(),
        ..Edits::default()
    };
    let base = version(file("f", 1), tag("t", Color::Red), Some(1), &contents[0]);
    let primary = version(file("g", 1), tag("T", Color::Red), Some(2), &contents[1]);
    let change = version(file("f", 2), tag("t", Color::Blue), None, &contents[2]);
    let base = world.edit(&Snapshot::default(), base).expect("a tree");
    let [primary, change] = [primary, change].map(|edits| world.edit(&base, edits).expect("a tree"));
    let merged = world.merge(&base, &primary, &change);
    assert_eq!(keys(&merged), ["variable/v"]);
    let objects = &world.objects;
    assert_eq!(merged.snapshot.file(objects, &"f".parse().expect("an id")), Ok(Some(file("g", 2))));
    assert_eq!(merged.snapshot.tag(objects, "t"), Ok(Some(tag("T", Color::Blue))));
    let two = Variable::Number(2.into());
    assert_eq!(merged.snapshot.variable(objects, "v"), Ok(Some(two)), "what was edited is not taken away");
    let content = merged.snapshot.reusable_content(objects, &"r".parse().expect("an id"));
    let content = content.expect("at hand").expect("a content");
    assert_eq!(content.title, "R");
    let text = text_of(objects, content.document).expect("at hand");
    assert_eq!(text.walk().map(Block::line).collect::<Vec<_>>(), ["1", "2"]);
    let gone = world.resolved(&merged.snapshot, &merged.conflicts[0], Keep::Change);
    assert_eq!(gone.variable(&world.objects, "v"), Ok(None));
}

#[test]
fn the_layout_files_of_a_repository_are_merged_one_by_one() {
    use crate::import::Repository;
    let mut world = World::default();
    let mut version = |config: &str, summary: &str| {
        let told = Repository { config: Some(config.into()), summary: Some(summary.into()), ..Repository::default() };
        let repository = world.keep(|scratch| Ok(told.store(scratch)));
        world.edit(&Snapshot::default(), Edits { repository: Some(repository), ..Edits::default() }).expect("a tree")
    };
    let (base, primary, change) = (version("a", "b"), version("c", "d"), version("a", "e"));
    let merged = world.merge(&base, &primary, &change);
    assert_eq!(keys(&merged), ["repository/summary"]);
    let decided = world.resolved(&merged.snapshot, &merged.conflicts[0], Keep::Primary);
    assert_eq!(decided.repository(), primary.repository());
    let diff = merged.snapshot.diff(&decided, &world.objects).expect("at hand");
    assert_eq!(touched(&world.objects, &merged.conflicts[0], &diff), Ok(true));
}

#[test]
fn the_bytes_of_layout_files_are_merged_without_conflicts_of_their_own() {
    use crate::import::Repository;
    let mut world = World::default();
    let mut version = |summary: &str, raw: &[(&str, &str)]| {
        let raw = raw.iter().map(|(name, bytes)| ((*name).to_owned(), (*bytes).to_owned())).collect();
        let told = Repository { summary: Some(summary.into()), raw, ..Repository::default() };
        let repository = world.keep(|scratch| Ok(told.store(scratch)));
        world.edit(&Snapshot::default(), Edits { repository: Some(repository), ..Edits::default() }).expect("a tree")
    };
    let (base, primary) = (version("a", &[]), version("b", &[("summary", "b")]));
    let (other, same) = (version("a", &[("vars.yaml", "v")]), version("c", &[("summary", "c")]));
    let merged = world.merge(&base, &primary, &other);
    assert_eq!(keys(&merged), [""; 0]);
    let joint = Repository::load(&world.objects, &merged.snapshot.repository().expect("layout files"));
    assert_eq!(joint.expect("at hand").raw.into_keys().collect::<Vec<_>>(), ["summary", "vars.yaml"]);
    assert_eq!(keys(&world.merge(&base, &primary, &same)), ["repository/summary"]);
}
