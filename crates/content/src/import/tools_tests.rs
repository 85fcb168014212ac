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
fn without_a_navigation_the_folders_of_mkdocs_decide() {
    let world = World::of(&[("mkdocs.yml", "site_name: Site\n"), ("docs/a.md", "# A\n")]);
    assert_eq!(world.outline(), ["Docs = docs (no text)", "- A = docs/a (no text)"]);
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
            "# Home\n\n[[Deep page]], [[notes/Deep page#A heading|there]], [[#Here]] and [[Nowhere]].\n\n![[p 1.png]]\n\n`[[Deep page]]`\n",
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
