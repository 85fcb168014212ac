//! Books in MyST whose pages are in the order of `_toc.yml` or `myst.yml`.
use super::sidebar_tests::{assert_warned, broken, outline, world};
use super::testing::World;
use rstest::rstest;

#[test]
fn parts_and_chapters_of_a_book_are_its_table_of_contents() {
    let toc = "format: jb-book
root: intro
options:
  numbered: true
parts:
  - caption: Start
    chapters:
      - file: start/first
        title: One
        sections:
          - file: start/deep.md
          - url: https://example.org
            title: Web
      - file: gone
  - caption: Notebooks
    chapters:
      - file: code
      - file: more
        sections:
          - file: start/second
  - chapters:
      - glob: rest/*
";
    let settings = [
        ("book/_config.yml", "title: The book\n"),
        ("book/_toc.yml", toc),
        ("book/code.ipynb", "{}"),
        ("book/more.ipynb", "{}"),
    ];
    let pages = [
        ("book/intro.md", "Welcome"),
        ("book/start/first.md", "First"),
        ("book/start/deep.md", "Deep"),
        ("book/start/second.md", "Second"),
        ("book/rest/c10.md", "Ten"),
        ("book/rest/c9.md", "Nine"),
        ("book/rest/deep/d.md", "Not here"),
        ("README.md", "Repository"),
    ];
    let world = world(&settings, &pages);
    let expected = [
        "Welcome = intro",
        "Start = start (group)",
        "- First = start/first",
        "- - Deep = start/first/deep",
        "- - Web -> Url",
        "- Gone = start/gone (no text)",
        "Notebooks = notebooks (group)",
        "- More = notebooks/more (no text)",
        "- - Second = notebooks/more/second",
        "Nine = c9",
        "Ten = c10",
    ];
    assert_eq!(outline(&world), expected);
    assert_eq!(world.imported().title.as_deref(), Some("The book"));
    assert_eq!(broken(&world), ["book/_toc.yml:14: /book/gone leads nowhere"]);
    let warnings = [
        "book/_toc.yml:17: book/code is not Markdown; it is left out",
        "book/_toc.yml:18: book/more is not Markdown; the entry has no text",
        "book/rest/deep/d.md: ",
        "README.md: ",
    ];
    assert_warned(&world, &warnings);
    let tree = world.tree();
    let short: Vec<_> = tree.iter().filter_map(|node| node.page.link_title.clone()).collect();
    assert_eq!(short, ["One"]);
}

#[rstest]
#[case::article("format: jb-article\nroot: a\nsections:\n- file: b\n  sections:\n  - file: c\n", &["A", "B", "- C"])]
#[case::entries(
    "root: a\nsubtrees:\n- caption: Part\n  entries:\n  - file: b\n    subtrees:\n    - entries:\n      - file: c\n",
    &["A", "Part", "- B", "- - C"]
)]
#[case::chapters("format: jb-book\nroot: a.md\nchapters:\n- file: c\n- file: b\n", &["A", "C", "B"])]
#[case::older(
    "- file: a\n- part: Part\n  chapters:\n  - file: b\n    sections:\n    - file: c\n",
    &["A", "Part", "- B", "- - C"]
)]
#[case::pattern("root: a\nentries:\n- glob: '*'\n", &["A", "B", "C"])]
#[case::named_after_a_pattern("root: a\nentries:\n- glob: '*'\n- file: b\n", &["A", "C", "B"])]
#[case::numbers("root: a\nparts:\n- caption: 1.10\n  chapters: [{file: b}, {file: c}]\n", &["A", "1.10", "- B", "- C"])]
fn all_forms_of_the_contents_of_a_book_are_read(#[case] toc: &str, #[case] expected: &[&str]) {
    let world = world(&[("_toc.yml", toc), ("_config.yml", "")], &[("a.md", "A"), ("b.md", "B"), ("c.md", "C")]);
    let titles: Vec<String> =
        outline(&world).iter().filter_map(|line| Some(line.split_once(" = ")?.0.into())).collect();
    assert_eq!(titles, expected);
    assert_warned(&world, &[]);
}

#[test]
fn the_contents_of_myst_are_the_table_of_contents() {
    let settings = "version: 1
project:
  title: Project
  toc:
    - file: index.md
    - title: Guide
      children:
        - file: guide/one.md
          title: The first
          children:
            - pattern: 'guide/more/**/*.md'
        - url: https://example.org
          title: Web
        - title: Inner
          children: [{file: guide/two.md}]
        - title: Empty
          children: [{file: code.ipynb}]
    - file: secret.md
      hidden: true
site:
  title: Site
";
    let pages = [
        ("index.md", "Home"),
        ("guide/one.md", "One"),
        ("guide/two.md", "Two"),
        ("guide/more/a.md", "A"),
        ("guide/more/deep/b.md", "B"),
        ("secret.md", "Secret"),
    ];
    let world = world(&[("myst.yml", settings), ("code.ipynb", "{}")], &pages);
    let expected = [
        "Home = home",
        "Guide = guide (group)",
        "- One = guide/one",
        "- - A = guide/one/a",
        "- - B = guide/one/b",
        "- Web -> Url",
        "- Inner = guide/inner (no text)",
        "- - Two = guide/inner/two",
        "Secret = secret (hidden)",
    ];
    assert_eq!(outline(&world), expected);
    assert_eq!(world.imported().title.as_deref(), Some("Project"));
    assert_warned(&world, &["myst.yml:17: code.ipynb is not Markdown; it is left out"]);
}

#[test]
fn the_table_of_contents_can_be_in_a_file_that_the_settings_extend() {
    let settings = "version: 1\nextends: [../shared/title.yml, toc.yml]\n";
    let toc =
        "version: 1\nextends: deep.yml\nproject:\n  toc:\n  - file: b.md\n  - file: sub/a.md\n  - file: gone.md\n";
    let deep = "project:\n  title: Deep\n  toc:\n  - file: sub/a.md\n";
    let title = "project: {title: Shared}\nsite: {title: Site}\n";
    let files =
        [("book/myst.yml", settings), ("book/toc.yml", toc), ("book/deep.yml", deep), ("shared/title.yml", title)];
    let world = world(&files, &[("book/b.md", "B"), ("book/sub/a.md", "A")]);
    assert_eq!(outline(&world), ["B = b", "A = a", "Gone = gone (no text)"]);
    assert_eq!(broken(&world), ["book/toc.yml:7: /book/gone leads nowhere"]);
    assert_eq!(world.imported().title.as_deref(), Some("Deep"));
    assert_warned(&world, &[]);
}

#[test]
fn the_own_table_of_contents_comes_before_an_extended_one_and_the_last_of_these_before_others() {
    let list = |page: &str| format!("project:\n  toc:\n  - file: {page}.md\n  - file: c.md\n");
    let (a, b) = (list("a"), list("b"));
    let pages = [("a.md", "A"), ("b.md", "B"), ("c.md", "C")];
    let first = |settings: &str| {
        let world = world(&[("myst.yml", settings), ("one.yml", a.as_str()), ("two.yml", b.as_str())], &pages);
        outline(&world).remove(0)
    };
    assert_eq!(first("extends:\n- one.yml\n- two.yml\n"), "B = b");
    assert_eq!(first("extends:\n- two.yml\n- one.yml\n"), "A = a");
    assert_eq!(first(&format!("extends: one.yml\n{b}")), "B = b");
}

#[rstest]
#[case("https://example.org/myst.yml", "an import fetches no settings")]
#[case("../../outside.yml", "there is no such file in the documentation")]
#[case("/etc/passwd", "there is no such file in the documentation")]
#[case("gone.yml", "there is no such file in the documentation")]
#[case("myst.yml", "it extends itself")]
fn settings_that_cannot_be_extended_are_reported(#[case] address: &str, #[case] reason: &str) {
    let settings = format!("extends: ['{address}']\nproject:\n  toc:\n  - file: b.md\n  - file: a.md\n");
    let world = world(&[("myst.yml", settings.as_str())], &[("a.md", "A"), ("b.md", "B")]);
    assert_eq!(outline(&world), ["B = b", "A = a"]);
    let warning = format!("myst.yml: extends: {address} has no effect: {reason}");
    assert_warned(&world, &[warning.as_str()]);
}

#[test]
fn settings_that_extend_each_other_end() {
    let toc = "project:\n  toc:\n  - file: b.md\n  - file: a.md\n";
    let pages = [("a.md", "A"), ("b.md", "B")];
    let back = format!("extends: myst.yml\n{toc}");
    let circle = world(&[("myst.yml", "extends: x.yml\n"), ("x.yml", back.as_str())], &pages);
    assert_eq!(outline(&circle), ["B = b", "A = a"]);
    assert_warned(&circle, &["x.yml: extends: myst.yml has no effect: it extends itself"]);

    let names: Vec<String> = (0..12).map(|at| format!("f{at}.yml")).collect();
    let chain = names.iter().skip(1).map(|next| format!("extends: {next}\n")).chain([toc.to_owned()]);
    let chain: Vec<String> = chain.collect();
    let mut files = vec![("myst.yml", "extends: f0.yml\n")];
    files.extend(names.iter().map(String::as_str).zip(chain.iter().map(String::as_str)));
    assert_warned(
        &world(&files, &pages),
        &["f6.yml: extends: f7.yml has no effect: files extend each other too deeply"],
    );

    let every = format!("extends: [{}]\n", names.join(", "));
    let mut files = vec![("myst.yml", every.as_str())];
    files.extend(names.iter().map(|name| (name.as_str(), every.as_str())));
    let world = world(&files, &pages);
    assert_eq!(outline(&world), ["A = a", "B = b"]);
    assert!(world.imported().report.warnings.len() < 500);
}

#[test]
fn an_extended_file_that_is_not_yaml_has_no_effect() {
    let pages = [("a.md", "A"), ("b.md", "B")];
    let world = world(&[("myst.yml", "extends: base.yml\n"), ("base.yml", "\t{")], &pages);
    assert_eq!(outline(&world), ["A = a", "B = b"]);
    assert_warned(&world, &["base.yml: it is not YAML; it has no effect"]);
}

#[test]
fn files_without_settings_count_among_those_that_are_extended() {
    let settings = format!("extends: [{}]\n", ["base.yml"; 100].join(", "));
    let world = world(&[("myst.yml", settings.as_str()), ("base.yml", "\t{")], &[("a.md", "A")]);
    let mut expected = vec!["base.yml: it is not YAML; it has no effect"; 32];
    expected.push("myst.yml: extends: base.yml has no effect: more than 32 files are extended");
    assert_warned(&world, &expected);
}

#[test]
fn pages_below_a_link_are_beside_it() {
    let toc = "project:
  toc:
  - file: a.md
  - url: https://example.org
    title: Web
    children:
    - file: b.md
      children: [{url: https://example.org, title: Other, children: [{file: c.md}]}]
";
    let world = world(&[("myst.yml", toc)], &[("a.md", "A"), ("b.md", "B"), ("c.md", "C")]);
    assert_eq!(outline(&world), ["A = a", "Web -> Url", "B = b", "- Other -> Url", "- C = b/c"]);
    assert_warned(&world, &[]);
}

#[test]
fn a_notebook_after_a_group_is_left_out() {
    let toc = "root: a
parts:
- caption: Part
  chapters:
  - file: b
- chapters:
  - file: code
  - file: c
";
    let settings = [("_toc.yml", toc), ("code.ipynb", "{}")];
    let world = world(&settings, &[("a.md", "A"), ("b.md", "B"), ("c.md", "C")]);
    assert_eq!(outline(&world), ["A = a", "Part = part (group)", "- B = part/b", "C = c"]);
    assert_warned(&world, &["_toc.yml:7: code is not Markdown; it is left out"]);
}

#[test]
fn the_contents_of_a_book_come_before_tables_of_contents_in_its_texts() {
    let index = "# Home\n\n```{toctree}\nb\na\n```\n";
    let pages = [("a.md", "A"), ("b.md", "B")];
    let book = [("conf.py", "project = 'P'\nextensions = ['myst_parser']\n"), ("index.md", index)];
    let with_toc = [book[0], book[1], ("_toc.yml", "root: index\nentries:\n- file: a\n- file: b\n")];
    let titles = |world: &World| -> Vec<String> {
        outline(world).iter().filter_map(|line| Some(line.split_once(" = ")?.0.to_owned())).collect()
    };
    assert_eq!(titles(&world(&book, &pages)), ["Home", "B", "A"]);
    let world = world(&with_toc, &pages);
    assert_eq!(titles(&world), ["Home", "A", "B"]);
    assert_eq!(world.imported().title.as_deref(), Some("P"));
}

#[rstest]
#[case("_toc.yml", "root: [", true)]
#[case("_toc.yml", "", false)]
#[case("_toc.yml", "sections:\n- file: b\n", false)]
#[case("_toc.yml", "- title: b\n", false)]
#[case("_toc.yml", "root: gone\n", false)]
#[case("_toc.yml", "just a text", false)]
#[case("myst.yml", "version: 1\n", false)]
#[case("myst.yml", "project:\n  toc: b\n", false)]
#[case("myst.yml", "project: [toc]\n", false)]
#[case("myst.yml", "\t{", true)]
fn without_readable_contents_folders_decide(#[case] name: &str, #[case] text: &str, #[case] is_reported: bool) {
    let world = world(&[(name, text)], &[("b.md", "B"), ("a.md", "A")]);
    assert_eq!(outline(&world), ["A = a", "B = b"]);
    let message = format!("{name}: it is not YAML");
    let warning: &[&str] = &[message.as_str()];
    assert_warned(&world, if is_reported { warning } else { &[] });
}

#[test]
fn a_book_that_is_deep_in_a_repository_or_among_examples_is_an_example() {
    let toc = "root: b\nsections:\n- file: a\n";
    for (folder, expected) in [("x/y", ["B", "A"]), ("x/y/z", ["A", "B"]), ("examples/y", ["A", "B"])] {
        let (contents, a, b) = (format!("{folder}/_toc.yml"), format!("{folder}/a.md"), format!("{folder}/b.md"));
        let world = world(&[(contents.as_str(), toc)], &[(a.as_str(), "A"), (b.as_str(), "B")]);
        let pages = outline(&world).into_iter().filter(|line| !line.ends_with("(no text)"));
        let titles = pages.map(|line| line.trim_start_matches("- ").split(" = ").next().unwrap_or_default().to_owned());
        assert_eq!(titles.collect::<Vec<_>>(), expected, "{folder}");
    }
}

#[test]
fn hostile_contents_of_a_book_lose_no_pages() {
    let deep: String = (0..200).map(|depth| format!("{}- file: b\n{0}  sections:\n", "  ".repeat(depth))).collect();
    let nested = "{sections: [".repeat(500) + "{file: b}" + &"]}".repeat(500);
    let patterns = "- glob: '**/*a*a*a*a*a*a*/**/b*'\n".repeat(1_000);
    let many = "- file: b\n".repeat(3_000);
    for toc in [
        format!("root: a\nsections:\n{deep}"),
        format!("root: a\nsections: [{nested}]\n"),
        format!("root: a\nsections:\n{patterns}"),
        format!("root: a\nsections:\n{many}"),
        "root: a\nsections: &s\n- file: b\n  sections: *s\n".to_owned(),
        "root: a\nsections:\n- file: ../../../etc/passwd\n- glob: ../*\n- 7\n- [b]\n- {}\n- url: nowhere\n".to_owned(),
        "root: ../a\n".to_owned(),
    ] {
        let world = world(&[("_toc.yml", toc.as_str())], &[("a.md", "Page one"), ("b.md", "Page two")]);
        let titles = outline(&world);
        let start: String = toc.chars().take(80).collect();
        let reported: Vec<&str> =
            world.imported().report.warnings.iter().filter_map(|warning| warning.file.as_deref()).collect();
        for (title, path) in [("Page one = ", "a.md"), ("Page two = ", "b.md")] {
            let is_page = titles.iter().any(|line| line.trim_start_matches("- ").starts_with(title));
            assert!(is_page || reported.contains(&path), "{title}: {start}: {titles:?}");
        }
    }
}
