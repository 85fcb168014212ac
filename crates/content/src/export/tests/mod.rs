use super::*;
use crate::document::Document;
use crate::import::testing::{World, corpus, repository, time};
use crate::import::{InMemory, Source};
use crate::markdown::Unresolved;
use crate::object::Scratch;
use crate::page::free_slug;
use crate::snapshot::Edits;
use proptest::prelude::*;

mod older;
mod summary;
mod unchanged;

/// The files that a world is exported to.
fn files(world: &World) -> Vec<(String, Bytes)> {
    let content = Content::read(&world.snapshot, &world.objects).expect("all is at hand");
    let exported = export(&content, &world.objects).expect("all is at hand");
    assert_eq!(Ok(&exported), export(&content, &world.objects).as_ref(), "an export is the same each time");
    let bytes = |body: FileBody| match body {
        FileBody::Text(text) => text,
        FileBody::Blob { hash, .. } => world.blobs[&hash].clone(),
    };
    let files: Vec<_> = exported.into_iter().map(|file| (file.path, bytes(file.body))).collect();
    assert!(files.iter().all(|(path, _)| path::check_path(path).is_ok()), "{files:?}");
    files
}

/// The metadata of each page, and its text in Markdown: everything except ids and times.
fn says(world: &World) -> Vec<String> {
    let tree = world.tree();
    let paths: HashMap<PageId, String> = tree.iter().map(|node| (node.id.clone(), node.path.clone())).collect();
    let mut files: HashMap<String, String> = HashMap::new();
    for (id, file) in world.snapshot.files(&world.objects).expect("at hand") {
        files.insert(id.to_string(), file.blob.to_string());
    }
    for (id, content) in world.snapshot.reusable_contents(&world.objects).expect("at hand") {
        files.insert(id.to_string(), content.title);
    }
    // Ids differ between worlds: pages are compared by their places, files by their bytes.
    let names: HashMap<String, String> =
        paths.into_iter().map(|(id, path)| (id.to_string(), path)).chain(files).collect();
    let name = |word: &str| names.get(word).cloned().unwrap_or_else(|| format!("{word:?}"));
    let named = |text: String| text.split('"').map(name).collect::<String>();
    let mut lines = world.outline().into_iter().map(&named).collect::<Vec<_>>();
    for node in tree.iter() {
        let order = crate::order::OrderKey::sequence(1).remove(0);
        let page = PageEntry { git: None, source: None, import_digest: None, ..node.page.clone() };
        let page = PageEntry { created_at: time(0), updated_at: None, order, ..page };
        let kind = match page.kind {
            PageKind::Document { .. } => PageKind::Document { document: None },
            kind => kind,
        };
        let document = crate::text_of(&world.objects, node.page.document()).expect("at hand");
        lines.push(named(format!("{} {:?} {document:?}", node.path, PageEntry { kind, ..page })));
    }
    for (_, content) in world.snapshot.reusable_contents(&world.objects).expect("at hand") {
        let document = crate::text_of(&world.objects, content.document).expect("at hand");
        lines.push(named(format!("{} {document:?}", content.title)));
    }
    lines.push(format!("{:?}", world.snapshot.variables(&world.objects)));
    lines.push(format!("{:?}", world.snapshot.tags(&world.objects)));
    lines
}

fn again(world: &World) -> World {
    let mut next = World::default();
    next.import(&repository(&files(world)), time(0));
    next
}

fn check(world: &World) -> World {
    let next = again(world);
    let (before, after) = (says(world), says(&next));
    for (before, after) in before.iter().zip(&after) {
        assert_eq!(before, after);
    }
    assert_eq!(before.len(), after.len());
    next
}

/// The files that differ from those imported, and those that came or went.
fn differing(source: &InMemory, files: &[(String, Bytes)]) -> Vec<String> {
    let exported: BTreeMap<&str, &Bytes> = files.iter().map(|(path, bytes)| (path.as_str(), bytes)).collect();
    let mut odd: Vec<String> = (exported.iter())
        .filter(|(path, bytes)| source.read(path).ok().as_ref() != Some(**bytes))
        .map(|(path, _)| format!("+{path}"))
        .collect();
    odd.extend(source.tree().paths().filter(|path| !exported.contains_key(path)).map(|path| format!("-{path}")));
    odd
}

const REPOSITORY: &[(&str, &str)] = &[
    (
        "SUMMARY.md",
        "# Table of contents\n\n- [Home](README.md)\n- [Web & more](https://example.org/a_(b)?c=d&e)\n\n## Guides <a href=\"#g\" id=\"g\"></a>\n\n\
         - [Guides](guides/README.md)\n    - [Install \\(all\\)](guides/install.md \"Install\")\n        - Old things\n            \
         - [One](guides/old/one.md)\n- [Gone](guides/gone.md)\n- [Home again](README.md)\n\n## Empty\n\n---\n\n- [Last](last.md)\n- [Part](guides/install.md#linux)\n",
    ),
    (
        "README.md",
        "# Home\n\nSee [the guide](guides/install.md#linux) and ![a](.gitbook/assets/a%20b.png).\n\nBroken: [x](no.md)\n",
    ),
    (
        "guides/README.md",
        "---\ndescription: All guides # a note\nicon: book\nmine: [1]\n---\n\n# Guides\n\n[up](../README.md), [self](#guides), [draft](draft.md)\n",
    ),
    (
        "guides/install.md",
        "# Installation\n\n[conf](../files/x.conf), [home](/README.md), [one](old/one), [user](/users/u1)\n",
    ),
    ("guides/old/one.md", "One\n===\n\n{% include \"../../.gitbook/includes/note.md\" %}\n"),
    ("guides/draft.md", "# Draft\n\n[one](old/one.md)\n"),
    ("last.md", "---\nslug: the-end\nhidden: true\n---\n\n* no title here\n"),
    (".gitbook/includes/note.md", "---\ntitle: Note\n---\n\n# Heading\n\nMind the [gap](../../guides/gap.md).\n"),
    (".gitbook/vars.yaml", "# mine\nversion: 1.2.3\ncount: 7\n"),
    (".gitbook/tags.yaml", "new:\n    label: New\n    color: green\n"),
    (".gitbook/assets/a b.png", "png"),
    ("files/x.conf", "conf"),
];

#[test]
fn what_was_imported_and_not_changed_is_exported_byte_by_byte() {
    let world = World::of(REPOSITORY);
    let odd = differing(&repository(REPOSITORY), &files(&world));
    assert_eq!(odd, [""; 0]);
    check(&world);
}

#[test]
fn a_repository_with_settings_or_without_table_of_contents_keeps_its_form() {
    let with_root: &[(&str, &str)] = &[
        (".gitbook.yaml", "root: ./docs/ # here\nredirects:\n  old: a.md\n"),
        ("docs/README.md", "# Intro\n\n![x](x.png)\n"),
        ("docs/SUMMARY.md", "* [Intro](README.md)\n"),
        ("docs/x.png", "x"),
    ];
    let by_folders: &[(&str, &str)] = &[
        ("README.md", "# Hello\n\n[t](b-part/two.md)\n"),
        ("a/README.md", "# A\n\nx\n"),
        ("b-part/two.md", "# Two\n\ny\n"),
    ];
    for form in [with_root, by_folders] {
        let world = World::of(form);
        assert_eq!(differing(&repository(form), &files(&world)), [""; 0]);
        check(&world);
    }
}

#[test]
fn what_only_the_navigation_of_a_site_says_about_pages_is_exported() {
    let source: &[(&str, &str)] = &[
        ("_meta.js", "export default { b: 'Short', a: { display: 'hidden' } }\n"),
        ("a.md", "# A\n"),
        ("b.md", "# B\n\n[a](a.md)\n"),
        ("c.md", "# C\n"),
    ];
    let world = World::of(source);
    assert_eq!(world.outline(), ["B = b", "A = a (no text) (hidden)", "C = c (no text)"]);
    assert_eq!(differing(&repository(source), &files(&world)), ["+SUMMARY.md", "+a.md", "-_meta.js"]);
    check(&world);
}

/// Changes one page of a world.
fn edit(world: &mut World, path: &str, change: impl FnOnce(&mut PageEntry, &mut Document)) {
    let id = world.snapshot.page_at(&world.objects, path).expect("at hand").expect("a page");
    let mut page = world.snapshot.page(&world.objects, &id).expect("at hand").expect("a page");
    let mut document = world.text(path);
    change(&mut page, &mut document);
    let mut scratch = Scratch::new(&world.objects);
    if let PageKind::Document { document: hash } = &mut page.kind {
        *hash = (!document.blocks.is_empty()).then(|| scratch.put(document.encode()));
    }
    let edits = Edits { pages: BTreeMap::from([(id, Some(page))]), ..Edits::default() };
    world.snapshot = world.snapshot.edit(&mut scratch, &edits).expect("at hand").expect("valid");
    let written = scratch.into_written();
    world.objects.extend(written);
}

fn text(files: &[(String, Bytes)], path: &str) -> String {
    let found = files.iter().find(|(at, _)| at == path).unwrap_or_else(|| panic!("{path} is exported"));
    String::from_utf8(found.1.to_vec()).expect("UTF-8")
}

#[test]
fn only_a_changed_page_is_written_again() {
    let mut world = World::of(REPOSITORY);
    edit(&mut world, "g/guides", |page, document| {
        page.title = "The guides".to_owned();
        page.icon = None;
        let more = markdown::parse("More.\n", &Unresolved).document.expect("not too many parts").blocks;
        document.blocks.extend(more);
        *document = Document::from_blocks(std::mem::take(&mut document.blocks)).expect("valid");
    });
    let exported = files(&world);
    let guides = text(&exported, "guides/README.md");
    assert_eq!(
        guides.replace("---\n\n#", "---\n#"),
        "---\ndescription: All guides # a note\nmine: [1]\n---\n# The guides\n\n[up](../README.md), [self](#guides), [draft](draft.md)\n\nMore.\n"
    );
    assert!(
        text(&exported, "SUMMARY.md")
            .contains("- [The guides](guides/README.md)\n    - [Install \\(all\\)](guides/install.md \"Install\")\n")
    );
    let odd = differing(&repository(REPOSITORY), &exported);
    assert_eq!(odd, ["+SUMMARY.md", "+guides/README.md"]);
    check(&world);
}

#[test]
fn every_link_follows_renames_and_moves() {
    let mut world = World::of(REPOSITORY);
    edit(&mut world, "the-end", |page, _| page.slug = "finish".to_owned());
    edit(&mut world, "g/guides/install", |page, _| {
        page.parent = None;
        page.slug = "setup".to_owned();
        page.description = Some("Two\nlines: \"quoted\" # no comment".to_owned());
    });
    edit(&mut world, "draft", |page, _| page.hidden = false);
    check(&world);
    let mut scratch = Scratch::new(&world.objects);
    let variables =
        BTreeMap::from([("count".to_owned(), None), ("on".to_owned(), Some(crate::page::Variable::Bool(true)))]);
    let edits = Edits { variables, ..Edits::default() };
    world.snapshot = world.snapshot.edit(&mut scratch, &edits).expect("at hand").expect("valid");
    let written = scratch.into_written();
    world.objects.extend(written);
    assert_eq!(text(&files(&world), ".gitbook/vars.yaml").lines().count(), 2);
    check(&world);
}

#[test]
fn content_that_was_never_in_a_repository_gets_files_of_its_own() {
    let mut world = World::of(&[
        ("SUMMARY.md", "* [A](a.md)\n  * [B](a/b.md)\n* C\n  * [D](d.md)\n"),
        ("a.md", "[d](d.md)\n"),
        ("a/b.md", "b\n"),
        ("d.md", "d [a](a.md)\n"),
    ]);
    for path in ["a", "a/b", "c/d"] {
        edit(&mut world, path, |page, _| {
            page.git = None;
            page.source = None;
            page.import_digest = None;
        });
    }
    let mut scratch = Scratch::new(&world.objects);
    let edits = Edits { repository: Some(None), ..Edits::default() };
    world.snapshot = world.snapshot.edit(&mut scratch, &edits).expect("at hand").expect("valid");
    let paths: Vec<String> = files(&world).into_iter().map(|(path, _)| path).collect();
    assert_eq!(paths, ["README.md", "SUMMARY.md", "b.md", "c/d.md"]);
    check(&world);
}

#[test]
fn no_path_is_outside_or_taken_twice() {
    let mut world = World::of(&[
        ("SUMMARY.md", "* [A](a.md)\n* [B](b.md)\n* [C](c.md)\n"),
        ("a.md", "a [b](b.md)"),
        ("b.md", "b"),
        ("c.md", "c"),
    ]);
    for (path, at) in [("a", "../../etc/passwd.md"), ("b", "C.md"), ("c", "SUMMARY.md")] {
        edit(&mut world, path, |page, _| {
            if let Some(git) = &mut page.git {
                git.path = at.to_owned();
            }
        });
    }
    let paths: Vec<String> = files(&world).into_iter().map(|(path, _)| path).collect();
    assert_eq!(paths, ["C.md", "README.md", "SUMMARY.md", "c-1.md"]);
    check(&world);
}

#[test]
fn real_documentation_is_exported_byte_by_byte() {
    let Some(source) = corpus() else { return };
    let mut world = World::default();
    world.import(&source, time(0));
    let exported = files(&world);
    let odd = differing(&source, &exported);
    assert!(odd.iter().all(|path| path.starts_with('-')), "{odd:?}");
    assert!(odd.iter().all(|path| !path.ends_with(".md") || path == "-plugins/input/dummy.md"), "{odd:?}");
    check(&world);
}

#[test]
fn real_documentation_means_the_same_after_writing_it_again() {
    let Some(source) = corpus() else { return };
    let mut world = World::default();
    world.import(&source, time(0));
    let mut scratch = Scratch::new(&world.objects);
    let pages = world.snapshot.pages(&world.objects).expect("at hand");
    let without = |page: PageEntry| Some(PageEntry { source: None, ..page });
    let pages = pages.into_iter().map(|(id, page)| (id, without(page))).collect();
    let edits = Edits { pages, repository: Some(None), ..Edits::default() };
    world.snapshot = world.snapshot.edit(&mut scratch, &edits).expect("at hand").expect("valid");
    let written = scratch.into_written();
    world.objects.extend(written);
    check(&world);
}

#[derive(Clone, Debug)]
struct Shape {
    title: String,
    link_title: Option<String>,
    kind: u8,
    children: Vec<Shape>,
}

fn shapes() -> impl Strategy<Value = Vec<Shape>> {
    let title = prop_oneof!["[a-cA]{1,3}", "[ -~]{1,12}", "\\PC{1,8}"]
        .prop_filter("words", |title| words(title) == *title && !title.is_empty());
    let one = (title, prop::option::of("[!-~]{1,6}"), 0u8..7);
    let leaf =
        one.clone().prop_map(|(title, link_title, kind)| Shape { title, link_title, kind, children: Vec::new() });
    let shape = leaf.prop_recursive(4, 20, 4, move |inner| {
        (one.clone(), prop::collection::vec(inner, 0..4)).prop_map(|((title, link_title, kind), children)| Shape {
            title,
            link_title,
            kind,
            children: if [4, 6].contains(&kind) { Vec::new() } else { children },
        })
    });
    prop::collection::vec(shape, 1..5)
}

fn computed(word: &str) -> crate::computed::ComputedSource {
    let props = serde_json::json!({ "models": true, word: [word, 1, {word: null}], "text": format!("{word}\n```\n") });
    crate::computed::ComputedSource::openapi(word, props.as_object().expect("an object").clone())
}

/// A world with pages of these shapes, made without any repository.
fn made(shapes: &[Shape]) -> World {
    let mut world = World::default();
    let mut scratch = Scratch::new(&world.objects);
    let mut pages = BTreeMap::new();
    let mut waiting: Vec<(Option<PageId>, &[Shape])> = vec![(None, shapes)];
    let mut first: Option<PageId> = None;
    while let Some((parent, shapes)) = waiting.pop() {
        let mut taken = HashSet::new();
        for (shape, order) in shapes.iter().zip(crate::order::OrderKey::sequence(shapes.len())) {
            // Ids are replaced by paths before two worlds are compared: no title or slug may look like one.
            let id: PageId = format!("PAGE_{}", pages.len()).parse().expect("an id");
            let link = first.clone().map_or(String::new(), |page| format!("\n\n[x](/pages/{page}#y)"));
            let source = format!("Text of {}.{link}\n", pages.len());
            let links = crate::import::links::FileLinks { targets: &Layout::default(), from: "x.md" };
            let document = markdown::parse(&source, &links).into_document().expect("valid");
            let text = PageKind::Document { document: Some(scratch.put(document.encode())) };
            let kind = match shape.kind {
                3 if parent.is_none() => PageKind::Group,
                4 => PageKind::Link {
                    target: crate::reference::ContentRef::Url { url: "https://example.org/a b".into() },
                },
                5 => PageKind::Document { document: None },
                6 => PageKind::Computed { computed: Box::new(computed(&shape.title)) },
                _ => text,
            };
            let slug = match kind {
                PageKind::Link { .. } | PageKind::Computed { .. } => String::new(),
                _ => free_slug(&crate::page::slugify(&shape.title), |slug| taken.contains(slug)),
            };
            taken.insert(slug.clone());
            first = first.or_else(|| matches!(kind, PageKind::Document { .. }).then(|| id.clone()));
            let mut page = PageEntry::new(kind, shape.title.clone(), slug, order, time(0));
            page.parent.clone_from(&parent);
            if page.kind != PageKind::Group && !matches!(page.kind, PageKind::Computed { .. }) {
                page.link_title.clone_from(&shape.link_title);
            }
            page.icon = (shape.kind == 1).then(|| "star-->".to_owned());
            page.hidden = shape.kind == 2;
            pages.insert(id.clone(), Some(page));
            waiting.push((Some(id), &shape.children));
        }
    }
    let edits = Edits { pages, ..Edits::default() };
    world.snapshot = world.snapshot.edit(&mut scratch, &edits).expect("at hand").expect("valid");
    let written = scratch.into_written();
    world.objects.extend(written);
    world
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn any_tree_of_pages_is_the_same_after_a_round_trip(shapes in shapes()) {
        let world = made(&shapes);
        let next = check(&world);
        let exported = files(&next);
        prop_assert_eq!(&exported, &files(&again(&next)), "what was imported is exported byte by byte");
    }
}
