use super::testing::{World, corpus, repository, time};
use super::*;
use crate::document::{Inline, Kind};
use crate::object::{MemoryObjects, Scratch};
use crate::page::{PageKind, Variable};
use crate::reference::ContentRef;
use rstest::rstest;
use values::id::PageId;

fn broken(world: &World) -> Vec<String> {
    let links = world.imported().report.links_broken.iter();
    links.map(|link| format!("{}:{}: {}", link.file, link.line, link.href)).collect()
}

fn page(world: &World, path: &str) -> (PageId, crate::page::PageEntry) {
    let id = world.snapshot.page_at(&world.objects, path).expect("at hand").expect("a page");
    let page = world.snapshot.page(&world.objects, &id).expect("at hand").expect("a page");
    (id, page)
}

const REPOSITORY: &[(&str, &str)] = &[
    (
        "SUMMARY.md",
        "# Table of contents\n\n* [Home](README.md)\n* [Web](https://example.org)\n\n## Guides\n\n* [Guides](guides/README.md)\n  \
         * [Install \\(all\\)](guides/install.md \"Install\")\n    * Old\n      * [One](guides/old/one.md)\n* [Gone](guides/gone.md)\n",
    ),
    (
        "README.md",
        "# Home\n\nSee [the guide](guides/install.md#linux) and ![a](.gitbook/assets/a%20b.png).\n\nBroken: [x](no.md)\n",
    ),
    (
        "guides/README.md",
        "---\ndescription: All guides\nicon: book\n---\n\n# Guides\n\n[up](../README.md), [self](#guides), [draft](draft.md)\n",
    ),
    (
        "guides/install.md",
        "# Installation\n\n[conf](../files/x.conf), [home](/README.md), [web](https://example.org/no.md)\n",
    ),
    ("guides/old/one.md", "# One\n\n{% include \"../../.gitbook/includes/note.md\" %}\n"),
    ("guides/draft.md", "# Draft\n\n[one](old/one.md)\n"),
    ("ignored.md", "# Nobody links here\n"),
    (".gitbook/includes/note.md", "---\ntitle: Note\n---\n\nMind the [gap](../../guides/gap.md).\n"),
    (".gitbook/vars.yaml", "version: 1.2.3\ncount: 7\n"),
    (".gitbook/tags.yaml", "new:\n  label: New\n  color: green\n"),
    (".gitbook/assets/a b.png", "png"),
    (".gitbook/assets/unused.svg", "<svg width=\"3\" height=\"4\"></svg>"),
    ("files/x.conf", "conf"),
    ("files/unused.conf", "conf"),
];

#[test]
fn pages_have_the_order_and_nesting_of_the_table_of_contents() {
    let world = World::of(REPOSITORY);
    let expected = [
        "Home = home",
        "Web =  -> Url { url: \"https://example.org\" }",
        "Guides = guides (group)",
        "- Guides = guides/guides",
        "- - Install (all) = guides/guides/install",
        "- - - Old = guides/guides/install/old (no text)",
        "- - - - One = guides/guides/install/old/one",
        "- Gone = guides/gone (no text)",
        "Draft = draft (hidden)",
    ];
    assert_eq!(world.outline(), expected);
    let report = &world.imported().report;
    assert_eq!((report.pages, report.groups, report.links, report.hidden), (7, 1, 1, 1));
}

#[test]
fn links_lead_to_pages_and_files_and_the_rest_is_reported_with_its_line() {
    let world = World::of(REPOSITORY);
    let expected =
        [".gitbook/includes/note.md:5: ../../guides/gap.md", "README.md:5: no.md", "SUMMARY.md:12: guides/gone.md"];
    assert_eq!(broken(&world), expected);
    assert_eq!(world.imported().report.links_resolved, 9);
    let install = page(&world, "guides/guides/install").0;
    let home = format!("{:?}", world.text("home"));
    let anchor = ContentRef::Anchor { anchor: "linux".into(), page: Some(install), space: None };
    assert!(home.contains(&format!("{anchor:?}")), "{home}");
    assert!(home.contains("Url { url: \"no.md\" }"), "{home}");
}

#[test]
fn files_belong_to_the_import_when_something_shows_them_or_they_are_assets() {
    let world = World::of(REPOSITORY);
    let files = world.snapshot.files(&world.objects).expect("at hand");
    let mut paths: Vec<String> = files
        .iter()
        .filter_map(|(_, file)| Some(format!("{} {}", file.git.as_ref()?.path, file.content_type)))
        .collect();
    paths.sort();
    let expected =
        [".gitbook/assets/a b.png image/png", ".gitbook/assets/unused.svg image/svg+xml", "files/x.conf text/plain"];
    assert_eq!(paths.len(), expected.len());
    assert_eq!(paths[..2], expected[..2]);
}

#[test]
fn a_heading_that_is_not_the_title_stays_with_its_links_and_formulas() {
    let world = World::of(&[
        ("SUMMARY.md", "* [T](README.md)\n* [A](a.md)\n"),
        ("README.md", "<!-- c -->\n# On $x_1$ in [a](a.md)\n\nb\n"),
        ("a.md", "# A\n"),
    ]);
    let document = world.text("t");
    let [_, heading, _] = &document.blocks[..] else { panic!("{document:?}") };
    assert!(matches!(heading.kind, Kind::Heading(_)), "{heading:?}");
    assert!(matches!(heading.content[1], Inline::Math { .. }), "{heading:?}");
    assert!(matches!(heading.content[3], Inline::Link(_)), "{heading:?}");
}

#[test]
fn a_page_has_the_values_of_its_file() {
    let world = World::of(REPOSITORY);
    let (_, guides) = page(&world, "guides/guides");
    assert_eq!((guides.description.as_deref(), guides.icon.as_deref()), (Some("All guides"), Some("book")));
    let (_, install) = page(&world, "guides/guides/install");
    assert_eq!((install.title.as_str(), install.link_title.as_deref()), ("Install (all)", Some("Install")));
    let text = format!("{:?}", world.text("guides/guides/install"));
    assert!(text.contains("Installation"), "a heading that is not the title stays: {text}");
    assert!(!format!("{:?}", world.text("guides/guides")).contains("Heading"), "the title is no part of the text");
    let git = install.git.expect("a file");
    assert_eq!((git.path.as_str(), git.oid.len()), ("guides/install.md", 40));
    let source = world.object(&install.source.expect("a source"));
    assert!(source.starts_with(b"# Installation\n"));
}

#[test]
fn settings_become_variables_tags_and_reusable_contents() {
    let world = World::of(REPOSITORY);
    let variables = world.snapshot.variables(&world.objects).expect("at hand");
    assert_eq!(variables[0], ("count".to_owned(), Variable::Number(7.into())));
    assert_eq!(variables[1], ("version".to_owned(), Variable::Text("1.2.3".to_owned())));
    assert_eq!(world.snapshot.tags(&world.objects).expect("at hand")[0].1.label, "New");
    let contents = world.snapshot.reusable_contents(&world.objects).expect("at hand");
    assert_eq!(contents[0].1.title, "Note");
    let one = format!("{:?}", world.text("guides/guides/install/old/one"));
    assert!(one.contains(&format!("{:?}", contents[0].0)), "{one}");
}

#[test]
fn files_without_a_link_are_left_out_and_reported() {
    let world = World::of(REPOSITORY);
    let warnings: Vec<String> = world.imported().report.warnings.iter().map(ToString::to_string).collect();
    assert_eq!(warnings, ["ignored.md: it is in no table of contents and nothing links to it; it is left out"]);
}

#[test]
fn the_settings_of_the_repository_name_the_folder_of_its_documentation() {
    let world = World::of(&[
        (
            ".gitbook.yaml",
            "root: ./docs/\nstructure:\n  readme: intro.md\n  summary: toc.md\nredirects:\n  old: intro.md\n",
        ),
        ("README.md", "# Not this one"),
        ("docs/toc.md", "* [A](a.md)\n"),
        ("docs/intro.md", "# Intro\n\n![x](x.png) [out](../README.md)\n"),
        ("docs/a.md", "# A\n"),
        ("docs/x.png", "x"),
    ]);
    assert_eq!(world.outline(), ["Intro = intro", "A = a (no text)"]);
    assert_eq!(broken(&world), ["intro.md:3: ../README.md"]);
    assert_eq!(world.imported().files[0].path, "docs/x.png");
    let repository = world.snapshot.repository().expect("kept");
    let repository = Repository::load(&world.objects, &repository).expect("at hand");
    assert_eq!(repository.summary.as_deref(), Some("* [A](a.md)\n"));
}

#[test]
fn without_a_table_of_contents_folders_decide() {
    let world = World::of(&[
        ("README.md", "# Hello\n"),
        ("b_part/two.md", "---\ntitle: The second\n---\ntext\n"),
        ("a part/README.md", "# A\n\nx"),
        ("a part/10.md", "x"),
        ("a part/9.md", "x"),
    ]);
    let expected = [
        "Hello = hello (no text)",
        "A = a-part",
        "- 9 = a-part/9",
        "- 10 = a-part/10",
        "B part = b-part (no text)",
        "- The second = b-part/two",
    ];
    assert_eq!(world.outline()[..4], expected[..4]);
    assert!(world.outline()[5].starts_with("- The second"));
}

#[test]
fn equal_names_get_slugs_of_their_own() {
    let world = World::of(&[
        ("SUMMARY.md", "* [A](x/a.md)\n* [A](y/a.md)\n* A\n* [B](b.md)\n"),
        ("x/a.md", ""),
        ("y/a.md", ""),
        ("b.md", "---\nslug: a\n---\n"),
    ]);
    let slugs: Vec<String> = world.tree().roots.into_iter().map(|node| node.path).collect();
    assert_eq!(slugs, ["a", "a-1", "a-2", "a-3"]);
}

#[test]
fn a_second_import_keeps_ids_keys_and_times_of_what_stays() {
    let mut world = World::of(REPOSITORY);
    let before = world.tree();
    let (home_id, home) = page(&world, "home");
    let home_text = world.text("home");
    let manifest = |world: &World| {
        let mut scratch = Scratch::new(&world.objects);
        world.snapshot.store(&mut scratch)
    };
    let same = manifest(&world);
    world.import(&repository(REPOSITORY), time(5));
    assert_eq!(manifest(&world), same, "the same repository is the same content");
    assert_eq!(world.tree(), before);

    let mut files: Vec<(&str, String)> = REPOSITORY.iter().map(|(path, text)| (*path, (*text).to_owned())).collect();
    files.retain(|(path, _)| *path != "guides/old/one.md" && *path != "files/x.conf");
    files[0].1 = "* [New](new.md)\n* [Home](README.md)\n## Guides\n* [Guides](guides/README.md)\n".to_owned();
    files[1].1 = files[1].1.replace("Broken:", "Still broken:");
    files.push(("new.md", "# New\n".to_owned()));
    world.import(&repository(&files), time(9));
    let (id, edited) = page(&world, "home");
    assert_eq!((id, edited.order, edited.created_at), (home_id, home.order, home.created_at));
    assert_eq!(edited.updated_at, Some(time(9)));
    let keys = |text: &crate::document::Document| -> Vec<_> { text.walk().map(|block| block.key.clone()).collect() };
    assert_eq!(keys(&world.text("home")), keys(&home_text));
    let (_, guides) = page(&world, "guides/guides");
    assert_eq!(guides.updated_at, None, "nothing of it changed");
    let expected = [
        "New = new (no text)",
        "Home = home",
        "Guides = guides (group)",
        "- Guides = guides/guides",
        "Draft = draft (hidden)",
        "Installation = install (hidden)",
    ];
    assert_eq!(world.outline(), expected);
}

#[test]
fn a_repository_that_cannot_be_understood_is_refused() {
    let refusal = |files: &[(&str, &str)]| {
        let objects = MemoryObjects::default();
        let mut scratch = Scratch::new(&objects);
        let mut ids = || "id".to_owned();
        let maker = Maker { ids: &mut ids, at: time(0), author: None };
        import(&repository(files), Previous::default(), maker, &mut scratch).expect_err("refused").to_string()
    };
    assert_eq!(refusal(&[]), "no Markdown file in it");
    assert_eq!(refusal(&[("x.png", ""), (".gitbook.yaml", "root: docs")]), "no Markdown file below docs");
    assert!(refusal(&[("README.md", ""), (".gitbook.yaml", "root: ../..")]).starts_with(".gitbook.yaml: root: "));
}

#[test]
fn thousands_of_pages_of_one_name_are_imported_and_more_than_a_space_may_have_refused() {
    let many = "* x\n".repeat(10_000);
    let world = World::of(&[("SUMMARY.md", many.as_str())]);
    assert_eq!(world.tree().roots[9_999].page.slug, "x-9999");
    let objects = MemoryObjects::default();
    let mut scratch = Scratch::new(&objects);
    let mut ids = || "id".to_owned();
    let maker = Maker { ids: &mut ids, at: time(0), author: None };
    let more = "* x\n".repeat(MAX_PAGES + 1);
    let files = repository(&[("SUMMARY.md", more)]);
    let refused = import(&files, Previous::default(), maker, &mut scratch).expect_err("refused");
    assert!(matches!(refused, ImportError::TooManyPages { pages } if pages == MAX_PAGES + 1), "{refused}");
}

#[test]
fn a_missing_file_that_the_settings_name_is_reported() {
    let settings = "structure:\n  summary: nowhere.md\n  readme: missing.md\n";
    let mut world = World::default();
    let report = world.import(&repository(&[(".gitbook.yaml", settings), ("a.md", "# A")]), time(0)).report.clone();
    let warnings: Vec<String> = report.warnings.iter().map(ToString::to_string).collect();
    assert_eq!(
        warnings,
        [
            ".gitbook.yaml: structure.summary: there is no file \"nowhere.md\"",
            ".gitbook.yaml: structure.readme: there is no file \"missing.md\""
        ]
    );
}

#[test]
fn a_cover_without_a_target_is_reported_with_its_line() {
    let text = "---\ndescription: x\ncover: gone.png\ncoverDark: https://example.org/x.png\n---\n# A\n";
    let mut world = World::default();
    world.import(&repository(&[("README.md", text)]), time(0));
    assert_eq!(broken(&world), ["README.md:3: gone.png"]);
}

#[test]
fn hostile_texts_are_imported_all_the_same() {
    let deep = "> ".repeat(5_000) + "x";
    let mut files = vec![("README.md", b"# A \xff\xfe\n\n\0\r\nx".to_vec()), ("deep.md", deep.into_bytes())];
    files.push(("front.md", b"---\n{{{: [\n---\n# T\n".to_vec()));
    files.push(("lists.md", "* ".repeat(3_000).into_bytes()));
    let mut world = World::default();
    let report = world.import(&repository(&files), time(0)).report.clone();
    assert_eq!(report.pages, 4);
    assert!(report.warnings.iter().any(|warning| warning.to_string().contains("README.md: it is not in UTF-8")));
}

#[rstest]
#[case("*a* ".repeat(50_001), false, "the text is kept as source: a document must have at most 100000 blocks and pieces of text")]
#[case("x".repeat(16 * 1024 * 1024 + 1), true, "the page is empty, and an export writes the file as it came: \
    a document must have at most 16777216 bytes of text")]
fn a_text_that_breaks_a_rule_is_kept_as_source_with_a_warning(
    #[case] text: String,
    #[case] is_empty: bool,
    #[case] warning: &str,
) {
    let file = format!("# Long\n\n{text}\n");
    for path in ["long.md", ".gitbook/includes/long.md"] {
        let mut world = World::default();
        world.import(&repository(&[("README.md", "# Home\n"), (path, &file)]), time(0));
        let (document, source) = if path == "long.md" {
            let (_, page) = page(&world, "long");
            (page.document(), page.source)
        } else {
            let (_, content) = world.snapshot.reusable_contents(&world.objects).expect("at hand").remove(0);
            (content.document, content.source)
        };
        let warnings: Vec<String> = world.imported().report.warnings.iter().map(ToString::to_string).collect();
        assert!(warnings.len() == 1 && warnings[0].ends_with(warning), "{warnings:?}");
        assert!(warnings[0].starts_with(path), "{warnings:?}");
        assert_eq!(document.is_none(), is_empty);
        assert!(world.object(&source.expect("a source")) == file, "the source is kept");
        let content = crate::export::Content::read(&world.snapshot, &world.objects).expect("at hand");
        let exported = crate::export::export(&content, &world.objects).expect("at hand");
        let exported = exported.into_iter().find(|file| file.path == path).expect("the file");
        assert!(exported.body == crate::export::FileBody::Text(file.clone().into()), "it is exported as it came");
    }
}

#[test]
fn real_documentation_is_imported_whole() {
    let Some(source) = corpus() else { return };
    let mut world = World::default();
    let report = world.import(&source, time(0)).report.clone();
    let summary = String::from_utf8(source.read("SUMMARY.md").expect("one").to_vec()).expect("UTF-8");
    let titles: Vec<(usize, String)> =
        (summary::Summary::parse(&summary).items.into_iter()).map(|item| (item.depth, item.title)).collect();
    let tree = world.tree();
    let mut found = Vec::new();
    let mut waiting: Vec<_> = tree.roots.iter().rev().map(|node| (node, 0)).collect();
    while let Some((node, depth)) = waiting.pop() {
        waiting.extend(node.children.iter().rev().map(|child| (child, depth + 1)));
        if !node.page.hidden {
            found.push((depth, node.page.title.clone()));
        }
    }
    assert_eq!(found, titles);
    assert_eq!(report.pages - report.hidden, 194);
    let exists = |link: &BrokenLink| {
        let resolved = path::resolve(path::folder(&link.file), &path::decode(link.href.split('#').next().unwrap()));
        resolved.is_some_and(|path| !path.is_empty() && source.tree().contains(&path))
    };
    let wrong: Vec<_> = report.links_broken.iter().filter(|link| exists(link)).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
    println!("{report:#?}");
    let with_dimensions = world.snapshot.files(&world.objects).expect("at hand");
    assert!(
        with_dimensions.iter().all(|(_, file)| !file.content_type.starts_with("image/") || file.dimensions.is_some())
    );
    let links = tree.iter().filter(|node| matches!(node.page.kind, PageKind::Link { .. })).count();
    assert_eq!(links, 0);
}
