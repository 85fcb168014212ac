//! Repositories of other tools.
use super::testing::{World, repository, time};

fn broken(world: &World) -> Vec<String> {
    world
        .imported()
        .report
        .links_broken
        .iter()
        .map(|link| format!("{}:{}: {}", link.file, link.line, link.href))
        .collect()
}

#[test]
fn the_navigation_of_mkdocs_is_the_table_of_contents() {
    let world = World::of(&[
        (
            "mkdocs.yml",
            "site_name: Site\nnav:\n  - Home: index.md\n  - Guide:\n      - guide/a.md\n  - Gone: gone.md\n",
        ),
        ("docs/index.md", "# Welcome\n\n[a](guide/a.md)\n"),
        ("docs/guide/a.md", "# A\n\n[home](/index.md)\n"),
        ("docs/other.md", "# Other\n"),
    ]);
    let expected = ["Home = docs", "Guide = guide (no text)", "- A = guide/a", "Gone = gone (no text)"];
    assert_eq!(world.outline(), expected);
    assert_eq!(broken(&world), ["mkdocs.yml:6: docs/gone.md"]);
    assert_eq!(world.imported().title.as_deref(), Some("Site"));
    let warnings: Vec<String> = world.imported().report.warnings.iter().map(ToString::to_string).collect();
    assert!(warnings.iter().any(|warning| warning.starts_with("docs/other.md: ")), "{warnings:?}");
}

#[test]
fn an_index_in_a_section_of_mkdocs_is_the_page_of_the_section() {
    let nav = "nav:\n  - Home:\n      - About: index.md\n      - a.md\n  - B:\n      - b/index.md\n      - b/c.md\n";
    let files = [
        ("docs/index.md", "# Welcome\n\nText\n"),
        ("docs/a.md", "# A\n"),
        ("docs/b/index.md", "# All of B\n\nText\n"),
        ("docs/b/c.md", "# C\n"),
    ];
    let outline = |settings: String| {
        let all: Vec<(&str, &str)> = [("mkdocs.yml", settings.as_str())].into_iter().chain(files).collect();
        World::of(&all).outline()
    };
    let expected = ["Home = docs", "- A = docs/a (no text)", "B = b", "- C = b/c (no text)"];
    assert_eq!(outline(format!("theme:\n  features:\n    - navigation.indexes\n{nav}")), expected);
    let expected =
        ["Home = home (no text)", "- About = home/docs", "- A = home/a (no text)", "B = b", "- C = b/c (no text)"];
    assert_eq!(outline(nav.to_owned()), expected);
}

#[test]
fn without_a_navigation_the_folders_of_mkdocs_decide() {
    let world = World::of(&[("mkdocs.yml", "site_name: Site\n"), ("docs/a.md", "# A\n")]);
    assert_eq!(world.outline(), ["A = a (no text)"]);
}

#[test]
fn a_book_of_mdbook_is_found() {
    let world = World::of(&[
        ("book.toml", "[book]\ntitle = \"T\"\n"),
        ("src/SUMMARY.md", "# Summary\n\n[Intro](README.md)\n\n- [A](a.md)\n- [Draft]()\n"),
        ("src/README.md", "# Intro\n\nText\n"),
        ("src/a.md", "# A\n\n[up](README.html)\n"),
        ("README.md", "# Repository\n"),
    ]);
    assert_eq!(world.outline(), ["Intro = intro", "A = a", "Draft = draft (no text)"]);
    assert_eq!(broken(&world), [""; 0]);
}

#[test]
fn includes_of_mdbook_are_read_from_the_whole_repository() {
    let world = World::of(&[
        ("book.toml", "[book]\ntitle = \"T\"\n"),
        ("src/SUMMARY.md", "- [A](a.md)\n"),
        (
            "src/a.md",
            "# A\n\n```rust\n{{#rustdoc_include ../code/main.rs:x}}\n```\n\n{{#include ../README.md}}\n\n[g](gone.md) {{#include no.md}}\n",
        ),
        ("code/main.rs", "fn main() {}\n// ANCHOR: x\nfn a() {}\nfn b() {}\n// ANCHOR_END: x\n"),
        ("README.md", "Read *me*\n"),
    ]);
    let text = format!("{:?}", world.text("a"));
    for part in ["fn a() {}", "fn b() {}", "Read ", "{{#include no.md}}"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!text.contains("fn main") && !text.contains("ANCHOR"), "{text}");
    assert_eq!(broken(&world), ["a.md:9: gone.md"]);
}

#[test]
fn includes_of_mdbook_are_text_in_other_repositories() {
    let world = World::of(&[("a.md", "# A\n\n`{{#title The title}}` and `{{#include b.md}}`\n"), ("b.md", "# B\n")]);
    let text = format!("{:?}", world.text("a"));
    assert!(text.contains("{{#title The title}}") && text.contains("{{#include b.md}}"), "{text}");
}

#[test]
fn pages_of_folders_and_files_of_a_site_of_hugo_are_found() {
    let world = World::of(&[
        ("content/_index.md", "+++\ntitle = 'Home'\n+++\nSee [b](/docs/b/) and ![p](/images/p.png).\n"),
        ("content/docs/_index.md", "---\ntitle: Docs\nweight: 2\n---\n"),
        ("content/docs/b/index.md", "+++\ntitle = \"B\"\n+++\n![x](x.png)\n"),
        ("content/docs/b/x.png", "png"),
        ("static/images/p.png", "png"),
    ]);
    assert_eq!(world.outline(), ["Home = content", "- Docs = content/docs (no text)", "- - B = content/docs/b"]);
    assert_eq!(broken(&world), [""; 0]);
    assert_eq!(world.imported().report.files, 2);
}

#[test]
fn of_a_site_of_hugo_only_the_content_has_pages() {
    let world = World::of(&[
        ("hugo.toml", "title = 'Site'\n"),
        ("README.md", "# Repository\n"),
        ("archetypes/default.md", "+++\ntitle = '{{ .Name }}'\n+++\n"),
        ("content/_index.md", "+++\ntitle = 'Home'\n+++\n![p](/p.png) [a](/docs/a/)\n"),
        ("content/docs/_index.md", "+++\ntitle = 'Docs'\n+++\n"),
        ("content/docs/a.md", "+++\ntitle = 'A'\n+++\n"),
        ("static/p.png", "png"),
    ]);
    assert_eq!(world.outline(), ["Home = content", "Docs = docs (no text)", "- A = docs/a (no text)"]);
    assert_eq!(broken(&world), [""; 0]);
    assert_eq!(world.imported().report.files, 1);
    let warnings: Vec<String> = world.imported().report.warnings.iter().map(ToString::to_string).collect();
    assert!(warnings.iter().any(|warning| warning.starts_with("archetypes/default.md: ")), "{warnings:?}");
}

#[test]
fn pages_in_mdx_and_settings_of_folders_of_docusaurus_are_read() {
    let world = World::of(&[
        (
            "docs/intro.md",
            "---\nsidebar_position: 1\n---\n# Intro\n\n[p](./basics/page.mdx) [q](/docs/basics/page#x) ![l](/img/l.png)\n",
        ),
        ("docs/basics/_category_.json", "{ \"label\": \"Basic things\", \"position\": 2 }"),
        ("docs/basics/page.mdx", "import X from 'x';\n\n# Page\n\ntext\n"),
        ("static/img/l.png", "png"),
    ]);
    let expected = [
        "Docs = docs (no text)",
        "- Intro = docs/intro",
        "- Basic things = docs/basics (no text)",
        "- - Page = docs/basics/page",
    ];
    assert_eq!(world.outline(), expected);
    assert_eq!(broken(&world), [""; 0]);
}

#[test]
fn a_file_with_the_name_of_a_folder_beside_it_is_the_page_of_the_folder() {
    let world = World::of(&[
        ("README.md", "# Start\n"),
        ("FAQ.md", "# Questions\n\n[one](faq/one.md)\n"),
        ("faq/one.md", "# One\n\n[all](../FAQ.md)\n"),
        ("guide.md", "# Guide\n"),
        ("guide/README.md", "# Guides\n"),
        ("guide/a.md", "# A\n"),
        ("set.md", "# Set\n"),
        ("set/_category_.json", "{ \"label\": \"Settings\" }"),
        ("set/b.md", "# B\n"),
    ]);
    let outline = world.outline();
    let faq = outline.iter().position(|line| line.starts_with("Questions")).expect("a page");
    assert!(outline[faq].contains("= faq") && outline[faq + 1].starts_with("- One = faq/one"), "{outline:?}");
    for alone in ["Guide = ", "Guides = ", "- A = ", "Set = ", "Settings = ", "- B = "] {
        assert!(outline.iter().any(|line| line.starts_with(alone)), "{alone}: {outline:?}");
    }
    assert_eq!(broken(&world), [""; 0]);
}

#[test]
fn a_file_in_an_older_encoding_loses_no_text() {
    let mut world = World::default();
    let report = world.import(&repository(&[("README.md", b"# A\n\nCaf\xe9\n")]), time(0)).report.clone();
    assert_eq!(report.warnings.len(), 1);
    assert!(format!("{:?}", world.text("a")).contains("Café"));
}

#[test]
fn a_book_of_mdbook_with_settings_in_utf_16_is_found() {
    let settings = "\u{feff}[book]\nsrc = \"text\"\n".encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    let files = [
        ("book.toml", settings),
        ("text/SUMMARY.md", b"- [A](a.md)\n".to_vec()),
        ("text/a.md", b"# A\n\na\n".to_vec()),
        ("other.md", b"# Other\n".to_vec()),
    ];
    let mut world = World::default();
    world.import(&repository(&files), time(0));
    assert_eq!(world.outline(), ["A = a"]);
}

#[test]
fn links_and_images_of_obsidian_are_found_by_their_names() {
    let world = World::of(&[
        (
            "Home.md",
            "# Home\n\n[[Deep page]], [[notes/Deep page#A heading|there]], [[#Here]] and [[Nowhere]].\n\n![[p 1.png]]\n\n`[[Deep page]]`\n\n## Here\n\n<table><tr><td>[[Deep page]]</td></tr></table>\n",
        ),
        ("notes/deep/Deep Page.md", "# Deep\n\n[[home]] ![[p 1.png|300]]\n"),
        ("notes/Deep page.md", "# Note\n"),
        ("files/p 1.png", "png"),
    ]);
    assert_eq!(broken(&world), [""; 0]);
    assert_eq!(world.imported().report.files, 1);
    assert_eq!(world.imported().report.links_resolved, 6);
    let text = format!("{:?}", world.text("home"));
    assert!(text.contains("[[Nowhere]]"), "{text}");
    assert_eq!(text.matches("[[Deep page]]").count(), 2, "{text}");
}

#[test]
fn references_of_hugo_lead_to_pages() {
    let world = World::of(&[
        ("content/_index.md", "+++\ntitle = 'Home'\n+++\n[b]({{< ref \"docs/b.md\" >}}) [c]({{% relref \"c\" %}})\n"),
        (
            "content/docs/b.md",
            "---\ntitle: B\n---\n[c]({{< relref \"/docs/c.md#x\" >}}) [d]({{< ref \"gone.md\" >}})\n",
        ),
        ("content/docs/c.md", "---\ntitle: C\n---\nc\n"),
    ]);
    assert_eq!(broken(&world), ["content/docs/b.md:4: gone.md"]);
    assert_eq!(world.imported().report.links_resolved, 3);
}
