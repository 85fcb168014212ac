//! Files that an export writes unchanged.
use super::*;
use rstest::rstest;

#[rstest]
#[case("- tag: new\n  label: New # a note\n  unknown: 1\n")]
#[case("new: New\n")]
#[case("- new\n- [not, a, tag]\n")]
#[case("no tags at all\n")]
#[case("a: [\n")]
fn settings_are_exported_as_they_came_in_every_form(#[case] tags: &str) {
    let long = "x".repeat(257);
    for variables in ["a: 1.10\nb: [1]\n", "- not variables\n", &format!("a: b\nlong: {long}\n")] {
        let world =
            World::of(&[("README.md", "# Home\n"), (".gitbook/tags.yaml", tags), (".gitbook/vars.yaml", variables)]);
        let exported = files(&world);
        assert_eq!(text(&exported, ".gitbook/tags.yaml"), tags);
        assert_eq!(text(&exported, ".gitbook/vars.yaml"), variables);
        check(&world);
    }
}

#[test]
fn files_with_markup_of_other_tools_stay_and_changed_ones_are_escaped() {
    let repository_files = &[
        ("docs/conf.py", "extensions = ['myst_parser']\n"),
        ("docs/index.md", "# Home\n\n```{toctree}\n:hidden:\na\nb\n```\n\nText {ref}`x`\n"),
        ("docs/a.md", "# A\n\n(x)=\n## X\n\n```{note}\nMind it\n```\n"),
        ("docs/b.md", "# B\n\n{kbd}`Ctrl`\n"),
    ];
    let mut world = World::of(repository_files);
    let markup = ".gitbook/markup.yaml";
    let exported = files(&world);
    assert_eq!(text(&exported, markup), "{\n  \"docs\": [\n    \"myst\"\n  ]\n}\n");
    assert_eq!(
        differing(&repository(repository_files), &exported),
        ["+.gitbook/markup.yaml", "+SUMMARY.md", "-docs/conf.py"]
    );
    check(&world);
    edit(&mut world, "b", |_, document| {
        let more =
            markdown::parse("{kbd}`x` and % a\n\n% b\n", &Unresolved).document.expect("not too many parts").blocks;
        document.blocks.extend(more);
        *document = Document::from_blocks(std::mem::take(&mut document.blocks)).expect("valid");
    });
    let written = text(&files(&world), "docs/b.md");
    assert_eq!(written, "# B\n\n<kbd>Ctrl</kbd>\n\n\\{kbd}`x` and % a\n\n\\% b\n");
    check(&world);
}

#[test]
fn pages_in_the_order_of_folders_have_a_table_of_contents_if_texts_can_have_another_one() {
    let source = &[
        ("conf.py", "extensions = ['myst_parser']\n"),
        ("index.md", "# Home\n\n```{toctree}\n:hidden:\na\nb\n```\n"),
        ("a.md", "# A\n"),
        ("b.md", "# B\n"),
    ];
    let world = World::of(source);
    let odd = differing(&repository(source), &files(&world));
    assert_eq!(odd, ["+.gitbook/markup.yaml", "+SUMMARY.md", "-conf.py"]);
    check(&world);
}

#[test]
fn a_file_about_markup_of_other_tools_stays_while_it_says_the_same() {
    for markup in ["docs: [myst] # mine\n", "docs: [gone]\n", "- nothing\n"] {
        let source = &[(".gitbook/markup.yaml", markup), ("SUMMARY.md", "* [A](a.md)\n"), ("a.md", "# A\n")];
        let world = World::of(source);
        assert_eq!(differing(&repository(source), &files(&world)), [""; 0]);
        check(&world);
    }
}

#[test]
fn files_whose_paths_differ_only_in_case_keep_their_paths() {
    let repository_files = &[
        ("SUMMARY.md", "* [One](a.md)\n* [Two](A.md)\n"),
        ("a.md", "![](x.png) {% include \".gitbook/includes/n.md\" %}\n"),
        ("A.md", "![](X.png) {% include \".gitbook/includes/N.md\" %}\n"),
        ("x.png", "small"),
        ("X.png", "large"),
        (".gitbook/includes/n.md", "---\ntitle: Small\n---\n\nn\n"),
        (".gitbook/includes/N.md", "---\ntitle: Large\n---\n\nN\n"),
    ];
    let mut world = World::of(repository_files);
    assert_eq!(differing(&repository(repository_files), &files(&world)), [""; 0]);
    world.import(&repository(repository_files), time(1));
    assert!(world.tree().iter().all(|node| node.page.updated_at.is_none()));
    check(&world);
}
