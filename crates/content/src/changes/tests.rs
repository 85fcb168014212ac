//! The differences that are listed.
use super::*;
use crate::object::{MemoryObjects, Scratch};
use crate::order::OrderKey;
use crate::reference::ContentRef;
use crate::snapshot::Edits;
use chrono::{DateTime, TimeDelta};
use serde_json::json;

fn id<T: std::str::FromStr<Err: std::fmt::Debug>>(raw: &str) -> T {
    raw.parse().expect("an id")
}

fn page(slug: &str, parent: Option<&str>, order: usize) -> PageEntry {
    let order = OrderKey::sequence(20)[order].clone();
    let kind = PageKind::Document { document: None };
    PageEntry { parent: parent.map(id), ..PageEntry::new(kind, slug.to_uppercase(), slug, order, DateTime::UNIX_EPOCH) }
}

fn file(name: &str) -> FileEntry {
    FileEntry {
        name: name.to_owned(),
        content_type: "image/png".to_owned(),
        size: 3,
        blob: Hash::of(name.as_bytes()),
        dimensions: None,
        git: None,
    }
}

fn content(title: &str, document: Option<Hash>) -> ReusableContent {
    ReusableContent { title: title.to_owned(), document, git: None, source: None, import_digest: None }
}

fn label(label: &str) -> Tag {
    Tag { label: label.to_owned(), color: Default::default(), emoji: None, icon: None }
}

/// Two revisions.
struct World {
    objects: MemoryObjects,
    before: Snapshot,
    after: Snapshot,
}

fn edited(objects: &mut MemoryObjects, snapshot: &Snapshot, edits: Edits) -> Snapshot {
    let mut scratch = Scratch::new(objects);
    let next = snapshot.edit(&mut scratch, &edits).expect("at hand").expect("a valid tree");
    let written = scratch.into_written();
    objects.extend(written);
    next
}

impl World {
    /// A small space, changed.
    fn of(change: impl FnOnce(&mut Edits)) -> Self {
        let mut objects = MemoryObjects::default();
        let mut edits = Edits::default();
        let pages = [
            ("home", page("home", None, 0)),
            ("guides", page("guides", None, 1)),
            ("install", page("install", Some("guides"), 2)),
            ("update", page("update", Some("guides"), 3)),
            ("group", PageEntry { kind: PageKind::Group, ..page("group", None, 4) }),
        ];
        edits.pages = pages.into_iter().map(|(name, page)| (id(name), Some(page))).collect();
        edits.files = [("f1", "b.png"), ("f2", "a.png")].map(|(at, name)| (id(at), Some(file(name)))).into();
        edits.reusable_contents = [("c1", "Note"), ("c2", "Alert")]
            .map(|(at, title)| (id(at), Some(content(title, Some(Hash::of(b"x"))))))
            .into();
        edits.variables = [("a", "1"), ("b", "2")]
            .map(|(name, text)| (name.to_owned(), Some(Variable::Text(text.to_owned()))))
            .into();
        edits.tags = [("new", "New"), ("old", "Old")].map(|(slug, text)| (slug.to_owned(), Some(label(text)))).into();
        let before = edited(&mut objects, &Snapshot::default(), edits);
        let mut edits = Edits::default();
        change(&mut edits);
        let after = edited(&mut objects, &before, edits);
        Self { objects, before, after }
    }

    fn changes(&self) -> Vec<ContentChange> {
        let all = changes(&self.objects, &self.before, &self.after, usize::MAX).expect("at hand");
        assert_eq!(all.more, 0);
        all.changes
    }
}

fn changed_page(name: &str, path: &str) -> ChangedPage {
    let title = path.rsplit('/').next().unwrap_or_default().to_uppercase();
    ChangedPage { id: id(name), kind: PageType::Document, title, path: Some(path.to_owned()) }
}

#[test]
fn equal_revisions_have_no_differences() {
    assert_eq!(World::of(|_| {}).changes(), []);
}

#[test]
fn pages_are_listed_in_the_order_of_their_paths() {
    let world = World::of(|edits| {
        edits.pages.insert(id("new"), Some(page("a-new", Some("guides"), 9)));
        edits.pages.insert(id("update"), None);
        let title = "Start".to_owned();
        edits.pages.insert(id("home"), Some(PageEntry { title, ..page("home", None, 0) }));
    });
    let changes = world.changes();
    assert_eq!(changes[0], ContentChange::PageCreated { page: changed_page("new", "guides/a-new") });
    assert_eq!(changes[1], ContentChange::PageDeleted { page: changed_page("update", "guides/update") });
    let ContentChange::PageEdited { page, attributes } = &changes[2] else { panic!("{changes:?}") };
    assert_eq!((page.title.as_str(), page.path.as_deref()), ("Start", Some("home")));
    assert_eq!(serde_json::to_value(attributes).unwrap(), json!({"title": {"before": "HOME", "after": "Start"}}));
    assert_eq!(changes.len(), 3);
}

#[test]
fn a_page_that_is_edited_and_moved_is_listed_twice() {
    let hash = Hash::of(b"text");
    let world = World::of(|edits| {
        let kind = PageKind::Document { document: Some(hash) };
        let edited = PageEntry { kind, slug: "setup".to_owned(), ..page("install", None, 9) };
        edits.pages.insert(id("install"), Some(edited));
    });
    let changes = world.changes();
    let page = ChangedPage { path: Some("setup".to_owned()), ..changed_page("install", "install") };
    let [ContentChange::PageEdited { page: edited, attributes }, ContentChange::PageMoved { page: moved, parent }] =
        &changes[..]
    else {
        panic!("{changes:?}")
    };
    assert_eq!((edited, moved), (&page, &page));
    assert_eq!(*parent, Difference { before: Some(changed_page("guides", "guides")), after: None });
    let wanted = json!({"slug": {"before": "install", "after": "setup"}, "document": {"after": hash}});
    assert_eq!(serde_json::to_value(attributes).unwrap(), wanted);
}

#[test]
fn another_order_is_a_move_and_another_key_alone_is_none() {
    let world = World::of(|edits| drop(edits.pages.insert(id("update"), Some(page("update", Some("guides"), 1)))));
    let guides = Some(changed_page("guides", "guides"));
    let parent = Difference { before: guides.clone(), after: guides };
    let moved = ContentChange::PageMoved { page: changed_page("update", "guides/update"), parent };
    assert_eq!(world.changes(), [moved]);
    let world = World::of(|edits| drop(edits.pages.insert(id("update"), Some(page("update", Some("guides"), 12)))));
    assert_eq!(world.changes(), []);
}

#[test]
fn the_source_and_the_edit_time_of_a_page_are_no_differences() {
    let world = World::of(|edits| {
        let updated_at = Some(DateTime::UNIX_EPOCH + TimeDelta::minutes(1));
        let (source, import_digest) = (Some(Hash::of(b"source")), Some(Hash::of(b"digest")));
        let home = PageEntry { updated_at, source, import_digest, ..page("home", None, 0) };
        edits.pages.insert(id("home"), Some(home));
    });
    assert_eq!(world.changes(), []);
}

#[test]
fn a_link_has_no_path_and_lists_its_target() {
    let link = |url: &str| {
        let target = ContentRef::Url { url: url.to_owned() };
        PageEntry { kind: PageKind::Link { target }, slug: String::new(), ..page("x", Some("guides"), 9) }
    };
    let mut world = World::of(|edits| drop(edits.pages.insert(id("link"), Some(link("https://a.org")))));
    let page = ChangedPage { kind: PageType::Link, path: None, ..changed_page("link", "x") };
    assert_eq!(world.changes(), [ContentChange::PageCreated { page }]);
    let edits = Edits { pages: [(id("link"), Some(link("https://b.org")))].into(), ..Edits::default() };
    world.before = world.after.clone();
    world.after = edited(&mut world.objects, &world.before, edits);
    let changes = world.changes();
    let [ContentChange::PageEdited { attributes, .. }] = &changes[..] else { panic!("{changes:?}") };
    let wanted = json!({"target": {"before": {"kind": "url", "url": "https://a.org"}, "after": {"kind": "url", "url": "https://b.org"}}});
    assert_eq!(serde_json::to_value(attributes).unwrap(), wanted);
}

#[test]
fn other_differences_are_listed_by_name() {
    let world = World::of(|edits| {
        edits.files.insert(id("f1"), None);
        edits.files.insert(id("f2"), Some(FileEntry { size: 4, ..file("a.png") }));
        edits.files.insert(id("f3"), Some(file("c.png")));
        edits.reusable_contents.insert(id("c1"), None);
        edits.reusable_contents.insert(id("c2"), Some(content("Alert", None)));
        edits.reusable_contents.insert(id("c3"), Some(content("Aside", None)));
        edits.variables.insert("a".to_owned(), Some(Variable::Bool(true)));
        edits.variables.insert("b".to_owned(), None);
        edits.tags.insert("new".to_owned(), Some(label("Newer")));
        edits.tags.insert("old".to_owned(), None);
        edits.tags.insert("x".to_owned(), Some(label("X")));
    });
    let listed: Vec<String> = (world.changes().iter())
        .map(|change| match change {
            ContentChange::FileCreated { file } => format!("+file {}", file.entry.name),
            ContentChange::FileDeleted { file } => format!("-file {}", file.entry.name),
            ContentChange::FileEdited { file, attributes } => format!("file {} {}", file.entry.name, json!(attributes)),
            ContentChange::ReusableContentCreated { reusable_content } => format!("+text {}", reusable_content.title),
            ContentChange::ReusableContentDeleted { reusable_content } => format!("-text {}", reusable_content.title),
            ContentChange::ReusableContentEdited { reusable_content, attributes } => {
                format!("text {} {}", reusable_content.title, attributes.document.is_some())
            }
            ContentChange::VariablesEdited { variables } => format!("variables {}", json!(variables)),
            ContentChange::TagCreated { tag } => format!("+tag {}", tag.label),
            ContentChange::TagDeleted { tag } => format!("-tag {}", tag.label),
            ContentChange::TagEdited { tag, attributes } => format!("tag {} {}", tag.slug, json!(attributes)),
            page => panic!("{page:?}"),
        })
        .collect();
    let wanted = [
        r#"file a.png {"size":{"after":4,"before":3}}"#,
        "-file b.png",
        "+file c.png",
        "text Alert true",
        "+text Aside",
        "-text Note",
        r#"variables {"a":{"after":true,"before":"1"},"b":{"before":"2"}}"#,
        r#"tag new {"label":{"after":"Newer","before":"New"}}"#,
        "-tag Old",
        "+tag X",
    ];
    assert_eq!(listed, wanted);
}

#[test]
fn what_is_over_the_limit_is_counted() {
    let world = World::of(|edits| {
        (0..5).for_each(|at| drop(edits.files.insert(id(&format!("x{at}")), Some(file(&format!("x{at}.png"))))));
        edits.pages.insert(id("home"), None);
    });
    let listed = changes(&world.objects, &world.before, &world.after, 2).expect("at hand");
    assert_eq!((listed.changes.len(), listed.more), (2, 4));
    assert!(matches!(listed.changes[0], ContentChange::PageDeleted { .. }));
}
