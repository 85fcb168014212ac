//! Repositories whose tools have markup of their own.
use super::testing::World;
use crate::markdown::{Unresolved, write};

/// The text of a page as Markdown, without the addresses of pages.
fn markdown(world: &World, path: &str) -> String {
    write(&world.text(path), &Unresolved)
}

fn warnings(world: &World) -> Vec<String> {
    world.imported().report.warnings.iter().map(ToString::to_string).collect()
}

#[test]
fn toctrees_of_sphinx_are_the_table_of_contents() {
    let world = World::of(&[
        ("docs/conf.py", "project = 'The site'\nextensions = ['myst_parser']\n"),
        (
            "docs/index.md",
            "# Home\n\nText\n\n```{toctree}\n:hidden:\nintro\n```\n\n```{toctree}\n:caption: Guide\n:glob:\n\nguide/index\nWeb <https://example.org>\nguide/*\n/api\nold\n```\n",
        ),
        ("docs/intro.md", "# Intro\n"),
        ("docs/guide/index.md", "# Guide\n\n```{toctree}\nThe first <first>\n../index\n```\n"),
        ("docs/guide/first.md", "# First\n\nText\n"),
        ("docs/guide/second.md", "# Second\n"),
        ("docs/api.rst", "API\n===\n"),
        ("docs/left.md", "# Left out\n"),
    ]);
    let outline = world.outline();
    let titles: Vec<&str> = outline.iter().filter_map(|line| line.split(" = ").next()).collect();
    let expected = ["Home", "Intro", "Guide", "- Guide", "- - The first", "- Web", "- Second", "- Untitled 18"];
    assert_eq!(titles, expected, "{outline:#?}");
    assert_eq!(world.imported().title.as_deref(), Some("The site"));
    let warnings = warnings(&world);
    assert!(warnings.iter().any(|warning| warning.starts_with("docs/left.md: ")), "{warnings:?}");
    assert!(warnings.iter().any(|warning| warning.contains("docs/api is not Markdown")), "{warnings:?}");
    let broken: Vec<&str> = world.imported().report.links_broken.iter().map(|link| link.href.as_str()).collect();
    // The page has the entries as links, too.
    assert_eq!(broken, ["/api", "/docs/old", "old"]);
}

#[test]
fn the_first_file_of_sphinx_can_be_in_restructured_text() {
    let world = World::of(&[
        ("conf.py", "extensions = [\"myst_nb\"]\nroot_doc = \"start\"\n"),
        ("start.rst", "Start\n=====\n\n.. toctree::\n   :caption: Guide\n\n   b\n   a\n"),
        ("a.md", "# A\n"),
        ("b.md", "# B\n"),
    ]);
    assert_eq!(world.outline(), ["Guide = guide (group)", "- B = guide/b (no text)", "- A = guide/a (no text)"]);
}

#[test]
fn labels_of_myst_are_found_in_all_files() {
    let world = World::of(&[
        ("conf.py", "extensions = ['myst_parser']\n"),
        (
            "index.md",
            "# Home\n\n{ref}`There`, {ref}`it <top>`, {doc}`sub/a`, [](#there), [x](#there) and {ref}`gone`.\n",
        ),
        ("sub/a.md", "(top)=\n# A page\n\n(there)=\n## A heading\n\n{ref}`there`\n\n{ref}`top`\n"),
    ]);
    let broken = &world.imported().report.links_broken;
    assert!(broken.is_empty(), "{broken:?}");
    assert_eq!(world.imported().report.links_resolved, 7);
    let text = format!("{:?}", world.text("home"));
    for part in ["A heading", "gone", "anchor: \"there\""] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(markdown(&world, "sub/a").starts_with("## A heading <a href=\"#there\" id=\"there\"></a>\n"));
}

#[test]
fn markup_of_tools_is_text_in_other_repositories() {
    let text = "# A\n\n```{note}\na\n```\n\n{ref}`b` ==c== ++d++ :material-home: %%e%%\n\nF\n: g\n";
    let plain = World::of(&[("a.md", text)]);
    let expected = "```{note}\na\n```\n\n{ref}`b` ==c== ++d++ :material-home: %%e%%\n\nF : g\n";
    assert_eq!(markdown(&plain, "a"), expected);
    let settings = "markdown_extensions:\n  - pymdownx.mark\n  - pymdownx.keys\n";
    let mkdocs = World::of(&[("mkdocs.yml", settings), ("docs/a.md", text)]);
    let read = markdown(&mkdocs, "a");
    assert!(read.contains(">c</mark>") && read.contains("<kbd>D</kbd>"), "{read}");
    assert!(read.contains(":material-home:") && read.contains("F : g") && read.contains("```{note}"), "{read}");
}

#[test]
fn a_broken_link_has_the_line_of_its_file() {
    let world = World::of(&[
        ("conf.py", "extensions = ['myst_parser']\n"),
        ("a.md", "---\ntitle: A\n---\n\n```{admonition} B\n:class: tip\n\nc\n\n[d](gone.md)\n```\n\n[e](away.md)\n"),
    ]);
    let broken = &world.imported().report.links_broken;
    let found: Vec<(usize, &str)> = broken.iter().map(|link| (link.line, link.href.as_str())).collect();
    assert_eq!(found, [(10, "gone.md"), (13, "away.md")]);
}

#[test]
fn tables_and_included_code_of_sphinx_are_read() {
    let text = "# A

```{literalinclude} ../../src/x.py
:lines: 2
```

```{literalinclude} /y.rs
```

```{literalinclude} ../../../z
```

```{csv-table}
:header-rows: 1
A,B
c,[d](gone.md)
```
";
    let world = World::of(&[
        ("docs/conf.py", "extensions = ['myst_parser']\n"),
        ("docs/sub/a.md", text),
        ("src/x.py", "first\ntwo\n"),
        ("docs/y.rs", "three\n"),
        ("z", "four\n"),
    ]);
    let read = markdown(&world, "docs/sub/a");
    for part in ["```py\ntwo\n```", "```rs\nthree\n```", "{literalinclude} ../../../z"] {
        assert!(read.contains(part), "{part}: {read}");
    }
    assert!(!read.contains("first") && !read.contains("four") && !read.contains("csv-table"), "{read}");
    let broken: Vec<&str> = world.imported().report.links_broken.iter().map(|link| link.href.as_str()).collect();
    assert_eq!(broken, ["gone.md"]);
}

#[test]
fn included_code_is_limited_in_size() {
    let large = "x\n".repeat(50_000) + &"y".repeat(3 << 20);
    let text = "# A\n\n```{literalinclude} large.txt\n```\n\n```{literalinclude} large.txt\n```\n";
    let files = [("conf.py", "extensions = ['myst_parser']\n"), ("a.md", text), ("large.txt", large.as_str())];
    let read = markdown(&World::of(&files), "a");
    assert_eq!(read.matches("{literalinclude}").count(), 1);
    assert!(read.len() > 3 << 20 && read.len() < 4 << 20, "{}", read.len());
}

#[test]
fn included_code_is_text_in_other_repositories() {
    let world = World::of(&[("a.md", "# A\n\n```{literalinclude} b.py\n```\n"), ("b.py", "b\n")]);
    assert!(markdown(&world, "a").contains("{literalinclude} b.py"));
}
