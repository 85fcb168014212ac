//! Repositories whose pages are in the order of the navigation of a site generator.
use super::testing::World;

fn warnings(world: &World) -> Vec<String> {
    world.imported().report.warnings.iter().map(ToString::to_string).collect()
}

fn broken(world: &World) -> Vec<String> {
    world.imported().report.links_broken.iter().map(ToString::to_string).collect()
}

#[track_caller]
fn assert_warned(world: &World, beginnings: &[&str]) {
    let warnings = warnings(world);
    for beginning in beginnings {
        assert!(warnings.iter().any(|warning| warning.starts_with(beginning)), "{beginning}: {warnings:?}");
    }
}

/// The short titles of pages, by their titles.
fn short_titles(world: &World) -> Vec<(String, String)> {
    let tree = world.tree();
    let titles = tree.iter().filter_map(|node| Some((node.page.title.clone(), node.page.link_title.clone()?)));
    titles.collect()
}

#[test]
fn the_navigation_of_mintlify_is_the_table_of_contents() {
    let settings = r#"{
  "$schema": "https://mintlify.com/docs.json",
  "name": "Acme",
  "navigation": {
    "tabs": [
      {
        "tab": "Guides",
        "icon": "book",
        "groups": [
          { "group": "Start", "pages": [
            "index",
            "start/first",
            "gone"
          ] },
          { "group": "More", "root": "more/all", "pages": [{ "group": "Deep", "pages": ["more/deep"] }, "start/first"] },
          { "group": "Later", "hidden": true, "pages": ["later"] }
        ]
      },
      { "tab": "API", "openapi": "api.json", "pages": ["GET /pets"] },
      { "tab": "Blog", "href": "https://acme.org/blog" },
      { "tab": "Start", "href": "/start/first" },
      { "tab": "Away", "href": "/away" }
    ]
  }
}"#;
    let world = World::of(&[
        ("docs.json", settings),
        ("index.mdx", "---\ntitle: Welcome\nsidebarTitle: Home\n---\ntext\n"),
        ("start/first.mdx", "---\ntitle: First\n---\n[all](/more/all)\n"),
        ("more/all.md", "# All\n\ntext\n"),
        ("more/deep.mdx", "# Deep page\n"),
        ("later.mdx", "# Later\n\ntext\n"),
        ("other.mdx", "# Other\n"),
        ("snippets/part.mdx", "Part\n"),
    ]);
    let outline = world.outline();
    let (links, pages): (Vec<&String>, Vec<&String>) = outline.iter().partition(|line| line.contains(" -> "));
    let expected = [
        "Guides = guides (group)",
        "- Start = guides/start (no text)",
        "- - Welcome = guides/start/welcome",
        "- - First = guides/start/first",
        "- - Gone = guides/start/gone (no text)",
        "- All = guides/all",
        "- - Deep = guides/all/deep (no text)",
        "- - - Deep page = guides/all/deep/deep (no text)",
        "- Later = guides/later (no text) (hidden)",
        "- - Later = guides/later/later (hidden)",
    ];
    assert_eq!(pages, expected);
    assert_eq!(links.len(), 3, "{links:?}");
    let beginnings = ["- - First = ", "Blog = ", "Start = "];
    assert!(links.iter().zip(beginnings).all(|(link, beginning)| link.starts_with(beginning)), "{links:?}");
    assert_eq!(short_titles(&world), [("Welcome", "Home"), ("All", "More")].map(|(a, b)| (a.to_owned(), b.to_owned())));
    assert_eq!(world.imported().title.as_deref(), Some("Acme"));
    assert_eq!(broken(&world), ["docs.json:13: /gone leads nowhere"]);
    assert_warned(&world, &["docs.json:22: /away leads nowhere", "other.mdx: it is in no table of contents"]);
    let warnings = warnings(&world);
    assert!(warnings.iter().any(|warning| warning.contains("API descriptions are left out: 2, ")), "{warnings:?}");
    assert!(!warnings.iter().any(|warning| warning.starts_with("snippets/")), "{warnings:?}");
}

#[test]
fn groups_of_an_older_navigation_of_mintlify_are_read() {
    let settings = r#"{"navigation": [{"group": "A", "pages": ["a", {"group": "B", "pages": ["b"]}]}, {"group": "Empty", "pages": []}]}"#;
    let world = World::of(&[("mint.json", settings), ("a.mdx", "# Page a\n"), ("b.mdx", "# Page b\n")]);
    let expected = ["A = a (group)", "- Page a = a/a (no text)", "- B = a/b (no text)", "- - Page b = a/b/b (no text)"];
    assert_eq!(world.outline(), expected);
}

#[test]
fn other_files_of_this_name_change_nothing() {
    let expected = ["A = a (no text)", "B = b (no text)"];
    for settings in [
        "{}",
        "[",
        "{\"navigation\": [\"b\", \"a\"]}",
        "{\"navigation\": {\"items\": [\"b\", \"a\"]}}",
        "{\"navigation\": {\"pages\": [\"c\"]}}",
    ] {
        let world = World::of(&[("docs.json", settings), ("a.md", "# A\n"), ("b.md", "# B\n")]);
        assert_eq!(world.outline(), expected, "{settings}");
        assert_eq!(warnings(&world), [""; 0], "{settings}");
    }
    let nested = "{\"navigation\": {\"pages\": [\"b\"]}}";
    let world = World::of(&[("x/docs.json", nested), ("a.md", "# A\n"), ("x/b.md", "# B\n")]);
    assert_eq!(world.outline(), ["A = a (no text)", "X = x (no text)", "- B = x/b (no text)"]);
    let invalid = "{\"$schema\": \"https://mintlify.com/docs.json\", ";
    let world = World::of(&[("docs.json", invalid), ("a.md", "# A\n"), ("b.md", "# B\n")]);
    assert_eq!(world.outline(), expected);
    assert_warned(&world, &["docs.json: it is not JSON"]);
}

#[test]
fn sections_of_a_navigation_nest_to_a_limit() {
    let deep =
        (0..50).fold("\"a\"".to_owned(), |inside, at| format!("{{\"group\": \"G{at}\", \"pages\": [{inside}]}}"));
    let settings = format!("{{\"navigation\": {{\"pages\": [\"b\", {deep}]}}}}");
    let world = World::of(&[("docs.json", settings.as_str()), ("a.md", "# A\n"), ("b.md", "# B\n")]);
    assert_eq!(world.outline()[0], "B = b (no text)");
    assert_warned(&world, &["a.md: it is in no table of contents"]);
}

#[test]
fn settings_of_nextra_order_the_pages_of_each_folder() {
    let world = World::of(&[
        (
            "content/_meta.js",
            "export default {\n  index: 'Home',\n  later: { display: 'hidden' },\n  '-': { type: 'separator', title: 'Guides' },\n  guide: 'All guides',\n  '--': { type: 'separator' },\n  web: { title: 'Web', href: 'https://e.org' },\n  gone: 'Gone',\n}\n",
        ),
        ("content/index.mdx", "# Welcome\n\ntext\n"),
        ("content/later.mdx", "# Later\n"),
        ("content/other.mdx", "# Other\n"),
        ("content/guide/_meta.json", "{\n\t\"z\": \"Last\",\n\t\"y\": {\"title\": \"Second\"}\n}\n"),
        ("content/guide/x.mdx", "# X\n"),
        ("content/guide/y.md", "# Y\n"),
        ("content/guide/z.mdx", "---\ntitle: Z\nsidebarTitle: Zed\n---\n"),
        ("README.md", "# Repository\n"),
    ]);
    let expected = [
        "Welcome = content",
        "Later = later (no text) (hidden)",
        "Guides = guides (group)",
        "- All guides = guides/guide (no text)",
        "- - Z = guides/guide/z (no text)",
        "- - Y = guides/guide/y (no text)",
        "- - X = guides/guide/x (no text)",
    ];
    assert_eq!(world.outline()[..7], expected);
    assert!(world.outline()[7].starts_with("Web = ") && world.outline()[8] == "Other = other (no text)");
    let expected = [("Welcome", "Home"), ("Z", "Last"), ("Y", "Second")];
    assert_eq!(short_titles(&world), expected.map(|(a, b)| (a.to_owned(), b.to_owned())));
    assert_warned(&world, &["content/_meta.js:8: gone is not a page", "README.md: it is in no table of contents"]);
}

#[test]
fn one_file_of_nextra_can_have_the_settings_of_all_folders() {
    let world = World::of(&[
        ("app/_meta.global.ts", "export default { b: { items: { d: 'D', c: '' } }, a: '' } satisfies MetaRecord\n"),
        ("app/page.mdx", "# Home\n"),
        ("app/a/page.mdx", "# A\n\n[c](/b/c)\n"),
        ("app/b/page.mdx", "# B\n"),
        ("app/b/c/page.mdx", "# C\n"),
        ("app/b/d/page.mdx", "# D\n"),
    ]);
    let expected = ["Home = app (no text)", "B = b (no text)", "- D = b/d (no text)", "- C = b/c (no text)", "A = a"];
    assert_eq!(world.outline(), expected);
    assert_eq!(broken(&world), [""; 0]);
}

#[test]
fn settings_of_nextra_that_are_computed_have_no_effect() {
    let world = World::of(&[
        ("pages/_meta.js", "export default makeMeta()\n"),
        ("pages/b/_meta.json", "{ \"z\": \"Z\" }"),
        ("pages/a.md", "# A\n"),
        ("pages/b/y.md", "# Y\n"),
        ("pages/b/z.md", "# Z\n"),
    ]);
    assert_eq!(world.outline(), ["A = a (no text)", "B = b (no text)", "- Z = b/z (no text)", "- Y = b/y (no text)"]);
    assert_warned(&world, &["pages/_meta.js: it is not understood"]);
}

#[test]
fn other_files_called_meta_with_an_underscore_change_nothing() {
    for meta in ["{}", "{\"name\": \"Data\", \"rows\": \"Rows\"}"] {
        let files = [("README.md", "# A\n"), ("b/README.md", "# B\n"), ("b/c.md", "# C\n"), ("data/_meta.json", meta)];
        let world = World::of(&files);
        assert_eq!(world.outline(), ["A = a (no text)", "B = b (no text)", "- C = b/c (no text)"], "{meta}");
        assert_eq!(warnings(&world), [""; 0], "{meta}");
    }
}

#[test]
fn settings_of_fumadocs_order_the_pages_of_each_folder() {
    let world = World::of(&[
        (
            "content/docs/meta.json",
            "{\n  \"title\": \"Acme\",\n  \"pages\": [\n    \"index\",\n    \"---[Star]Basics---\",\n    \"b\",\n    \"...\",\n    \"!c\",\n    \"---More---\",\n    \"guide\",\n    \"[Web](https://e.org)\",\n    \"gone\"\n  ]\n}\n",
        ),
        ("content/docs/index.mdx", "---\ntitle: Welcome\n---\ntext\n"),
        ("content/docs/a.mdx", "---\ntitle: A\n---\n"),
        ("content/docs/b.mdx", "---\ntitle: B\n---\n"),
        ("content/docs/c.mdx", "---\ntitle: C\n---\n"),
        (
            "content/docs/guide/meta.json",
            "{\"title\": \"The guide\", \"icon\": \"Book\", \"root\": true, \"pages\": [\"z...a\", \"...(part)\", \"../d\"]}",
        ),
        ("content/docs/guide/x.mdx", "---\ntitle: X\n---\n"),
        ("content/docs/guide/y.mdx", "---\ntitle: Y\n---\n"),
        ("content/docs/guide/(part)/z.mdx", "---\ntitle: Z\n---\n"),
        ("content/docs/d.mdx", "---\ntitle: D\n---\n"),
        ("content/blog/post.mdx", "# Post\n"),
    ]);
    let expected = [
        "Welcome = docs",
        "Basics = basics (group)",
        "- B = basics/b (no text)",
        "- A = basics/a (no text)",
        "- D = basics/d (no text)",
        "- C = basics/c (no text) (hidden)",
        "More = more (group)",
        "- The guide = more/guide (no text)",
        "- - Y = more/guide/y (no text)",
        "- - X = more/guide/x (no text)",
        "- - Z = more/guide/z (no text)",
    ];
    assert_eq!(world.outline()[..11], expected);
    assert_eq!(world.outline().len(), 12);
    assert_eq!(world.imported().title.as_deref(), Some("Acme"));
    assert_warned(
        &world,
        &["content/docs/meta.json:12: gone is not a page", "content/blog/post.mdx: it is in no table"],
    );
}

#[test]
fn other_files_called_meta_change_nothing() {
    for meta in ["{\"title\": \"T\"}", "{\"pages\": 3}", "{\"pages\": [\"gone\"]}", "{\"pages\": [{\"b\": 1}]}", "["] {
        let world = World::of(&[("meta.json", meta), ("a.md", "# A\n"), ("b.md", "# B\n")]);
        assert_eq!(world.outline(), ["A = a (no text)", "B = b (no text)"], "{meta}");
        assert_eq!(warnings(&world), [""; 0], "{meta}");
    }
}

#[test]
fn the_sidebar_of_docsify_is_the_table_of_contents() {
    let files = [
        ("docs/_sidebar.md", "* First\n  * [B](b.md \"For search engines\")\n  * [A](/a)\n* [Web](https://e.org)\n"),
        ("docs/README.md", "# Welcome\n"),
        ("docs/a.md", "# A\n"),
        ("docs/b.md", "# B\n"),
        ("docs/_navbar.md", "* [A](a.md)\n"),
    ];
    let with = |file: (&'static str, &'static str)| World::of(&[&files[..], &[file]].concat());
    for beside in [("docs/index.html", "<script src=\"//cdn/docsify@4\"></script>"), ("docs/.nojekyll", "")] {
        let world = with(beside);
        let expected = [
            "Welcome = docs (no text)",
            "First = first (no text)",
            "- B = first/b (no text)",
            "- A = first/a (no text)",
        ];
        assert_eq!(world.outline()[..4], expected);
        assert!(world.outline()[4].starts_with("Web = "));
        assert_eq!((warnings(&world), short_titles(&world).len()), (Vec::new(), 0));
    }
    let world = with(("docs/index.html", "<p>Another site</p>"));
    assert!(world.outline().iter().any(|line| line.contains("Sidebar")), "{:?}", world.outline());
}

#[test]
fn pages_of_a_theme_of_jekyll_are_below_their_parents() {
    let files = [
        ("index.md", "---\ntitle: Home\nnav_order: 1\n---\ntext\n"),
        ("docs/b.md", "---\ntitle: B\nnav_order: 2\n---\n"),
        ("docs/c.md", "---\ntitle: C\nparent: B\nnav_order: 2\n---\n"),
        ("docs/vendor/d.md", "---\ntitle: D\nparent: B\nnav_order: 1\n---\n"),
        ("other/e.md", "---\ntitle: E\nparent: C\ngrand_parent: B\n---\n"),
        ("x.md", "---\ntitle: Found\nnav_exclude: true\n---\n"),
        ("lost.md", "---\ntitle: Lost\nparent: Gone\n---\n"),
        ("_includes/part.md", "---\n---\nPart\n"),
        ("README.md", "# Repository\n"),
    ];
    let config = ("_config.yml", "title: Acme\nnav_external_links:\n  - title: Web\n    url: https://e.org\n");
    let world = World::of(&[&files[..], &[config]].concat());
    let expected = [
        "Home = home",
        "B = b (no text)",
        "- D = b/d (no text)",
        "- C = b/c (no text)",
        "- - E = b/c/e (no text)",
        "Found = x (no text) (hidden)",
        "Lost = lost (no text)",
    ];
    assert_eq!(world.outline()[..7], expected);
    assert!(world.outline()[7].starts_with("Web = "));
    assert_eq!(world.imported().title.as_deref(), Some("Acme"));
    assert_warned(&world, &["lost.md:1: there is no page \"Gone\"", "README.md: it is in no table of contents"]);
    assert!(World::of(&files).outline().iter().any(|line| line.starts_with("Docs = ")));
}

#[test]
fn a_page_of_hugo_has_its_shorter_title() {
    let page = ("content/a.md", "+++\ntitle = 'All about A'\nlinkTitle = 'A'\nweight = 1\n+++\n");
    let world = World::of(&[("hugo.toml", ""), page]);
    assert_eq!(short_titles(&world), [("All about A".to_owned(), "A".to_owned())]);
    assert!(short_titles(&World::of(&[page])).is_empty());
}

#[test]
fn a_table_of_contents_comes_before_other_navigation() {
    let world = World::of(&[
        ("SUMMARY.md", "* [B](b.md)\n* [A](a.md)\n"),
        ("docs.json", "{\"navigation\": {\"pages\": [\"a\", \"b\"]}}"),
        ("_meta.json", "{\"a\": \"A\", \"b\": {\"display\": \"hidden\"}}"),
        ("a.md", "# A\n"),
        ("b.md", "# B\n"),
    ]);
    assert_eq!(world.outline(), ["B = b (no text)", "A = a (no text)"]);
}
