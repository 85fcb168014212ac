//! The table of contents of an export: as it was imported, except for the lines of changed pages.
use super::*;
use crate::order::OrderKey;
use crate::reference::ContentRef;
use rstest::rstest;

/// A repository with this table of contents and the pages that it may name.
fn files_with(summary: &[u8]) -> Vec<(&'static str, Vec<u8>)> {
    let home = "# Home\n\n[a](a.md) [b](b.md) [c](c.md) ![x](x.png)\n";
    let titled = "---\ntitle: Titled\n---\n\n# Own heading\n\nText\n";
    let text = |text: &str| text.as_bytes().to_vec();
    vec![
        ("SUMMARY.md", summary.to_vec()),
        ("README.md", text(home)),
        ("a.md", text("# A\n\nText\n")),
        ("b.md", text(titled)),
        ("c.md", text("Text\n")),
        ("x.png", text("png")),
    ]
}

fn world_with(summary: &str) -> World {
    let mut world = World::default();
    world.import(&repository(&files_with(summary.as_bytes())), time(0));
    world
}

#[rstest]
#[case::references(
    "* [Home &amp; &lt;x&gt; &copy;](README.md)\n* [A &#65; & B](a.md \"C &amp; D\")\n* [b&amp;](b.md)\n* [&](c.md)\n"
)]
#[case::escapes("* [Home](README.md)\n* [\\*A\\* \\[x\\] \\\\ \\& \\_b\\_ \\`](a.md)\n* C\\: \\#\n")]
#[case::marks("* [Home](README.md)\n* [*A* _b_ **c** `d` ~~e~~](a.md)\n* **C** `*` <b>d</b>\n")]
#[case::literal_marks("* [Home](README.md)\n* [2 * 3 * 4_5_6 ` [x] \\](a.md)\n* a_b * c ] \\ `\n")]
#[case::dashes("- [Home](README.md)\n- [A](a.md)\n    - [B](b.md)\n        - [C](c.md)\n")]
#[case::pluses("+   [Home](README.md)\n+   [A](a.md)\n    +   [B](b.md)\n")]
#[case::numbers("1. [Home](README.md)\n1. [A](a.md)\n   7) [B](b.md)\n   9) [C](c.md)\n")]
#[case::tabs("-\t[Home](README.md)\n-\t[A](a.md)\n\t-\t[B](b.md)\n")]
#[case::empty_lines("\n\n* [Home](README.md)\n\n\n* [A](a.md)\n\n  * [B](b.md)\n\n\n")]
#[case::no_last_line_end("* [Home](README.md)\n* [A](a.md)")]
#[case::line_ends("# Contents\r\n\r\n* [Home](README.md)\r\n* [A](a.md)\r\n\r\n## G\r\n\r\n* [B](b.md)\r\n")]
#[case::old_line_ends("# Contents\r\r* [Home](README.md)\r* [A](a.md)\r")]
#[case::byte_order_mark("\u{feff}# Contents\n\n* [Home](README.md)\n* [A](a.md)\n")]
#[case::targets("* [Home](./README.md)\n* [A](<a.md>)\n* [B](/b)\n* [C](c.md#part)\n* [D](./../x.png)\n* [E](x.png)\n")]
#[case::references_of_links("* [Home](README.md)\n* [A][a]\n\n[a]: a.md 'Short'\n")]
#[case::quotes("* [Home](README.md 'Shorter')\n* [A](a.md (Short))\n* [B](b.md \"\\\"x\\\" &quot;\")\n")]
#[case::without_titles("* [](README.md)\n* [](a.md)\n* [](b.md)\n* []()\n*\n* [](https://example.org)\n")]
#[case::titles_in_files("* [Start](README.md)\n* [Own heading](b.md)\n* [Something](c.md)\n")]
#[case::white_space("* [Home  of\tall](README.md)\n* [A\n  a](a.md)\n* C   d\n")]
#[case::repeated("## G\n\n* [A](a.md)\n* X\n* X\n\n## G\n\n* [B](b.md)\n* X\n\n## G <a id=\"g\"></a>\n")]
#[case::repeated_ids("## G <a id=\"x\"></a>\n\n## H <a href=\"#x\" id=\"x\"></a>\n\n* [A](a.md)\n")]
#[case::groups("# T\n\nG\n---\n\n* [A](a.md)\n\n#### H ##\n* [B](b.md)\n___\n* [C](c.md)\n* * *\n")]
#[case::empty_groups("##\n\n* [A](a.md)\n\n## \n\n***\n\n***\n* [B](b.md)\n")]
#[case::comments(
    "<!-- top -->\n\n* [Home](README.md) <!-- {\"icon\": \"x\"} -->\n* X <!-- {\"mine\": 1, \"icon\":\"star\"} -->\n<!-- end -->\n"
)]
#[case::other_text(
    "Words before.\n\n* [Home](README.md) and more\n\n  Another paragraph.\n* see [A](a.md), [B](b.md)\n\nWords after.\n"
)]
#[case::a_book("# Summary\n\n[Home](README.md)\n[A](a.md)\n\n- [B](b.md)\n- [Draft]()\n\n---\n\n[C](c.md)\n")]
#[case::a_second_mention("* [Home](README.md)\n* [A](a.md)\n* [Again](a.md)\n* [Part](a.md#x)\n  * [Below](b.md)\n")]
#[case::nowhere("* [Home](README.md)\n* [Gone](gone.md)\n* [Out](../../x.md)\n  * [A](a.md)\n")]
#[case::computed(
    "* [A](a.md)\n* ```yaml\n  type: builtin:openapi\n  props: {a: 1} # mine\n  ```\n* ```yaml\n  - no source\n  ```\n"
)]
#[case::in_one_line("* * [A](a.md)\n  * [B](b.md)\n")]
#[case::late_text("*\n  * [B](b.md)\n\n  [A](a.md)\n")]
#[case::a_hidden_page("* [Home](README.md)\n* [B](b.md)\n* H <!-- {\"hidden\":true} -->\n")]
#[case::a_front_matter("---\ntitle: x\n---\n\n* [A](a.md)\n")]
#[case::nothing("")]
fn an_unchanged_table_of_contents_is_exported_byte_by_byte(#[case] summary: &str) {
    let world = world_with(summary);
    let source = repository(&files_with(summary.as_bytes()));
    assert_eq!(differing(&source, &files(&world)), [""; 0]);
    check(&world);
}

#[test]
fn a_long_title_is_cut_only_in_the_page() {
    let summary = format!("* [A](a.md \"{}\")\n* [{}](c.md)\n", "x".repeat(120), "y ".repeat(60));
    let world = world_with(&summary);
    assert_eq!(text(&files(&world), "SUMMARY.md"), summary);
}

#[test]
fn a_listed_page_that_its_file_hides_stays_in_the_table_of_contents() {
    let summary = "* [Home](README.md)\n* [H](h.md)\n";
    let source = &[
        ("SUMMARY.md", summary),
        ("README.md", "# Home\n\n[h](h.md)\n"),
        ("h.md", "---\nhidden: true\n---\n\n# H\n\nh\n"),
    ];
    let world = World::of(source);
    assert_eq!(differing(&repository(source), &files(&world)), [""; 0]);
    check(&world);
}

#[rstest]
#[case::utf_16(true)]
#[case::windows(false)]
fn files_in_older_encodings_are_exported_byte_by_byte(#[case] is_wide: bool) {
    let encoded = |text: &str| -> Vec<u8> {
        if is_wide {
            format!("\u{feff}{text}").encode_utf16().flat_map(u16::to_le_bytes).collect()
        } else {
            text.chars().map(|c| u8::try_from(u32::from(c)).expect("Latin 1")).collect()
        }
    };
    let mut source = files_with(&encoded("* [Café](a.md)\n* [B](b.md)\n"));
    source.push((".gitbook.yaml", encoded("# é\nroot: ./\n")));
    source.push((".gitbook/vars.yaml", encoded("place: Café\n")));
    source.push((".gitbook/tags.yaml", encoded("- tag: cafe\n  label: Café\n")));
    let mut world = World::default();
    world.import(&repository(&source), time(0));
    assert_eq!(differing(&repository(&source), &files(&world)), [""; 0]);
    check(&world);
    edit(&mut world, "b", |page, _| page.icon = Some("star".to_owned()));
    assert_eq!(differing(&repository(&source), &files(&world)), ["+b.md"]);
    edit(&mut world, "a", |page, _| page.title = "Tea".to_owned());
    let written = text(&files(&world), "SUMMARY.md");
    assert!(written.trim_start_matches('\u{feff}').starts_with("* [Tea](a.md)\n"), "{written}");
}

/// Changes pages of a world. The pages are named by their titles.
fn change(world: &mut World, change: impl FnOnce(&mut BTreeMap<String, Option<PageEntry>>)) {
    let before = world.snapshot.pages(&world.objects).expect("at hand");
    let ids: HashMap<String, PageId> = before.iter().map(|(id, page)| (page.title.clone(), id.clone())).collect();
    let mut pages: BTreeMap<String, Option<PageEntry>> =
        before.iter().map(|(_, page)| (page.title.clone(), Some(page.clone()))).collect();
    assert_eq!(pages.len(), before.len(), "all titles differ");
    change(&mut pages);
    let id = |title: &str| ids.get(title).cloned().unwrap_or_else(|| format!("new-{title}").parse().expect("an id"));
    let pages = pages.into_iter().map(|(title, page)| (id(&title), page)).collect();
    let mut scratch = Scratch::new(&world.objects);
    let edits = Edits { pages, ..Edits::default() };
    world.snapshot = world.snapshot.edit(&mut scratch, &edits).expect("at hand").expect("valid");
    let written = scratch.into_written();
    world.objects.extend(written);
}

type Pages = BTreeMap<String, Option<PageEntry>>;

fn page<'p>(pages: &'p mut Pages, title: &str) -> &'p mut PageEntry {
    pages.get_mut(title).and_then(Option::as_mut).unwrap_or_else(|| panic!("no page {title}"))
}

/// Puts a page directly after another one, among its siblings.
fn put_after(pages: &mut Pages, title: &str, after: &str) {
    let (parent, order) = (page(pages, after).parent.clone(), page(pages, after).order.clone());
    let siblings = pages.values().flatten().filter(|page| page.parent == parent && page.order > order);
    let next = siblings.map(|page| page.order.clone()).min();
    let moved = page(pages, title);
    moved.parent = parent;
    moved.order = OrderKey::between(Some(&order), next.as_ref()).expect("ascending");
}

/// Adds a page without text after another one.
fn add(pages: &mut Pages, title: &str, after: &str) {
    let kind = PageKind::Document { document: None };
    let new = PageEntry::new(kind, title, crate::page::slugify(title), OrderKey::first(), time(9));
    pages.insert(title.to_owned(), Some(new));
    put_after(pages, title, after);
}

const STYLED: &str = "# Contents\n\nWords.\n\n- [Home](./README.md)\n- [A &amp; *a*](a.md)\n    - [B\\_b](b.md)\n    - Deep\n\n<!-- note -->\n\n### Group #\n\n1. [C](<c.md> 'Short')\n2. X <!-- {\"mine\": 1} -->\n\n***\n\n- [Last &copy;](https://example.org)\n";

#[rstest]
#[case::a_page(|pages: &mut Pages| page(pages, "A & a").title = "N *n* & [n]".to_owned(),
    &[("- [A &amp; *a*](a.md)\n", "- [N \\*n\\* & \\[n\\]](a.md)\n")])]
#[case::a_page_with_a_title_in_its_file(|pages: &mut Pages| page(pages, "Titled").title = "N".to_owned(), &[])]
#[case::a_short_title(|pages: &mut Pages| page(pages, "C").link_title = Some("a \"b\"".to_owned()),
    &[("1. [C](<c.md> 'Short')\n", "1. [C](c.md \"a \\\"b\\\"\")\n")])]
#[case::a_page_without_text(|pages: &mut Pages| page(pages, "Deep").title = "1. New".to_owned(),
    &[("    - Deep\n", "    - 1\\. New <!-- {\"slug\":\"deep\"} -->\n")])]
#[case::a_group(|pages: &mut Pages| page(pages, "Group").title = "Other & more".to_owned(),
    &[("### Group #\n", "### Other & more <a href=\"#group\" id=\"group\"></a>\n")])]
#[case::a_link(|pages: &mut Pages| page(pages, "Last ©").title = "New".to_owned(),
    &[("- [Last &copy;](https://example.org)\n", "- [New](https://example.org)\n")])]
#[case::an_icon(|pages: &mut Pages| page(pages, "X").icon = Some("star".to_owned()),
    &[("2. X <!-- {\"mine\": 1} -->\n", "2. [X](group/x.md)\n")])]
#[case::a_page_that_is_gone(|pages: &mut Pages| *pages.get_mut("Deep").expect("a page") = None, &[("    - Deep\n", "")])]
#[case::the_last_page_is_gone(|pages: &mut Pages| *pages.get_mut("X").expect("a page") = None,
    &[("2. X <!-- {\"mine\": 1} -->\n", "")])]
#[case::a_new_page(|pages: &mut Pages| add(pages, "New", "X"),
    &[("2. X <!-- {\"mine\": 1} -->\n", "2. X <!-- {\"mine\": 1} -->\n3. New\n")])]
#[case::a_new_page_outside_of_groups(|pages: &mut Pages| add(pages, "New", "Last ©"),
    &[("(https://example.org)\n", "(https://example.org)\n- New\n")])]
#[case::a_new_page_before_the_group(|pages: &mut Pages| add(pages, "New", "A & a"),
    &[("    - Deep\n", "    - Deep\n- New\n")])]
#[case::a_moved_page(|pages: &mut Pages| put_after(pages, "X", "Home"),
    &[("(./README.md)\n", "(./README.md)\n- X\n"), ("2. X <!-- {\"mine\": 1} -->\n", "")])]
#[case::two_pages_change_places(|pages: &mut Pages| put_after(pages, "Titled", "Deep"),
    &[("    - [B\\_b](b.md)\n    - Deep\n", "    - Deep\n    - [Titled](b.md)\n")])]
#[case::a_page_that_moved_into_the_group(|pages: &mut Pages| put_after(pages, "Last ©", "X"),
    &[(" -->\n\n***\n\n- [Last &copy;](https://example.org)\n", " -->\n3. [Last ©](https://example.org)\n\n***\n\n")])]
fn only_the_line_of_a_changed_page_is_written_again(
    #[case] by: fn(&mut Pages),
    #[case] replacements: &[(&str, &str)],
    #[values("\n", "\r\n")] line_end: &str,
) {
    let summary = STYLED.replace('\n', line_end);
    let mut world = world_with(&summary);
    assert_eq!(text(&files(&world), "SUMMARY.md"), summary);
    change(&mut world, by);
    let mut expected = STYLED.to_owned();
    for (from, to) in replacements {
        assert_eq!(expected.matches(from).count(), 1, "{from}");
        expected = expected.replace(from, to);
    }
    assert_eq!(text(&files(&world), "SUMMARY.md"), expected.replace('\n', line_end));
    check(&world);
}

/// A table of contents whose items have numbers. Directly below a text, only the number 1 begins a list.
const NUMBERED: &str = "1. [Home](README.md)\n2. [A](a.md)\n   1. Deep\n   2. [C](c.md)\n3. X\n";

#[rstest]
#[case::the_first_is_gone(|pages: &mut Pages| *pages.get_mut("Deep").expect("a page") = None,
    &[("   1. Deep\n   2. [C]", "   1. [C]")])]
#[case::the_first_moved_away(|pages: &mut Pages| put_after(pages, "Deep", "A"),
    &[("   1. Deep\n   2. [C](c.md)\n", "   1. [C](c.md)\n3. Deep\n")])]
#[case::the_next_has_another_title_too(|pages: &mut Pages| {
    *pages.get_mut("Deep").expect("a page") = None;
    page(pages, "C").title = "N".to_owned();
}, &[("   1. Deep\n   2. [C]", "   1. [N]")])]
#[case::the_first_below_a_page(|pages: &mut Pages| {
    add(pages, "New", "Deep");
    page(pages, "C").parent = Some("new-New".parse().expect("an id"));
}, &[("   2. [C](c.md)\n", "   2. New\n      1. [C](c.md)\n")])]
fn a_list_with_numbers_stays_a_list(#[case] by: fn(&mut Pages), #[case] replacements: &[(&str, &str)]) {
    let mut world = world_with(NUMBERED);
    change(&mut world, by);
    let expected = replacements.iter().fold(NUMBERED.to_owned(), |text, (from, to)| text.replace(from, to));
    assert_eq!(text(&files(&world), "SUMMARY.md"), expected);
    check(&world);
}

/// A table of contents with the values of pages without text.
const DESCRIBED: &str = "- [Home](README.md)\n- X <!-- { \"icon\": \"star\", \"cover\": \"x.png\" } -->\n- [Gone](gone.md \"S\") <!-- {\"hidden\":true} -->\n- [A](a.md)\n";

#[rstest]
#[case::another_page(|pages: &mut Pages| page(pages, "A").title = "N".to_owned(), &[("[A](a.md)", "[N](a.md)")], &[])]
#[case::a_page_above_it(|pages: &mut Pages| add(pages, "New", "Home"), &[("- X", "- New\n- X")], &[])]
#[case::its_slug(|pages: &mut Pages| page(pages, "X").slug = "other".to_owned(),
    &[("{ \"icon\": \"star\", \"cover\": \"x.png\" }",
        "{\"cover\":\"x.png\",\"coverY\":0,\"icon\":\"star\",\"slug\":\"other\"}")], &[])]
#[case::its_place(|pages: &mut Pages| put_after(pages, "Gone", "A"),
    &[("- [Gone](gone.md \"S\") <!-- {\"hidden\":true} -->\n- [A](a.md)\n",
        "- [A](a.md)\n- [Gone](<> \"S\") <!-- {\"hidden\":true} -->\n")], &[])]
#[case::its_values(|pages: &mut Pages| page(pages, "X").icon = Some("moon".to_owned()),
    &[("X <!-- { \"icon\": \"star\", \"cover\": \"x.png\" } -->", "[X](x.md)")], &["x.md"])]
#[case::its_title(|pages: &mut Pages| page(pages, "Gone").title = "N".to_owned(),
    &[("[Gone](gone.md \"S\") <!-- {\"hidden\":true} -->", "[N](gone.md \"S\")")], &["gone.md"])]
fn a_page_whose_values_are_in_a_comment_has_a_file_only_after_it_changed(
    #[case] by: fn(&mut Pages),
    #[case] replacements: &[(&str, &str)],
    #[case] new_files: &[&str],
) {
    let mut world = world_with(DESCRIBED);
    let paths = |world: &World| files(world).into_iter().map(|(path, _)| path).collect::<Vec<_>>();
    let before = paths(&world);
    change(&mut world, by);
    let new: Vec<String> = paths(&world).into_iter().filter(|path| !before.contains(path)).collect();
    assert_eq!(new, new_files);
    let expected = replacements.iter().fold(DESCRIBED.to_owned(), |text, (from, to)| text.replace(from, to));
    assert_eq!(text(&files(&world), "SUMMARY.md"), expected);
    check(&world);
}

#[test]
fn a_page_whose_values_are_in_a_comment_has_a_file_if_something_links_to_it() {
    let mut world = world_with(DESCRIBED);
    let pages = world.snapshot.pages(&world.objects).expect("at hand");
    let (x, _) = pages.into_iter().find(|(_, page)| page.title == "X").expect("a page");
    change(&mut world, |pages| {
        page(pages, "A").meta_links.canonical = Some(ContentRef::Page { page: x, space: None });
    });
    assert!(text(&files(&world), "SUMMARY.md").contains("\n- [X](x.md)\n"));
    assert!(text(&files(&world), "a.md").contains("canonical: x.md"));
    check(&world);
}

#[test]
fn groups_are_added_and_end_where_they_have_to() {
    let mut world = world_with("- [Home](README.md)\n- [A](a.md)\n- [C](c.md)\n");
    change(&mut world, |pages| {
        add(pages, "G", "A");
        page(pages, "G").kind = PageKind::Group;
    });
    let expected = "- [Home](README.md)\n- [A](a.md)\n\n## G\n\n***\n\n- [C](c.md)\n";
    assert_eq!(text(&files(&world), "SUMMARY.md"), expected);
    check(&world);
}

#[test]
fn a_text_whose_lines_cannot_be_told_apart_is_written_as_a_whole() {
    let mut world = world_with("* * [A](a.md)\n  * [C](c.md)\n");
    change(&mut world, |pages| page(pages, "A").title = "N".to_owned());
    assert!(text(&files(&world), "SUMMARY.md").starts_with("# Table of contents\n\n* [Home](README.md)\n"));
    check(&world);
}

#[test]
fn a_byte_order_mark_stays_before_a_changed_line() {
    let mut world = world_with("\u{feff}- [A](a.md)\n- [C](c.md)\n");
    change(&mut world, |pages| page(pages, "A").title = "N".to_owned());
    assert_eq!(text(&files(&world), "SUMMARY.md"), "\u{feff}- [N](a.md)\n- [C](c.md)\n");
    check(&world);
}

#[test]
fn an_ampersand_in_a_new_table_of_contents_is_escaped_only_before_a_reference() {
    let mut world = world_with(
        "* [A &amp; B](a.md \"C &amp; D\")\n* [R\\&D; \\&amp; &amp;lt;](c.md)\n* E&F\n* [Q](https://x.org/?a=b&c=d)\n",
    );
    let mut scratch = Scratch::new(&world.objects);
    let edits = Edits { repository: Some(None), ..Edits::default() };
    world.snapshot = world.snapshot.edit(&mut scratch, &edits).expect("at hand").expect("valid");
    let written = scratch.into_written();
    world.objects.extend(written);
    let expected = "* [A & B](a.md \"C & D\")\n* [R\\&D; \\&amp; \\&lt;](c.md)\n* E&F\n* [Q](https://x.org/?a=b&c=d)\n";
    let exported = text(&files(&world), "SUMMARY.md");
    assert!(exported.contains(expected), "{exported}");
    check(&world);
}

#[test]
fn large_tables_of_contents_take_time_in_proportion_to_their_size() {
    let same = "* X\n".repeat(5_000);
    let nested: String = (0..2_000).map(|depth| format!("{}* x{depth}\n", "  ".repeat(depth % 60))).collect();
    for summary in [same, nested] {
        let mut world = world_with(&summary);
        assert_eq!(text(&files(&world), "SUMMARY.md"), summary);
        rename(&mut world, 1_000);
        let exported = text(&files(&world), "SUMMARY.md");
        let other = exported.split('\n').zip(summary.split('\n')).filter(|(one, other)| one != other);
        assert_eq!((other.count(), exported.lines().count()), (1, summary.lines().count()));
    }
}

/// Lines of a table of contents in many forms, right and wrong.
fn hostile() -> impl Strategy<Value = String> {
    let title = prop_oneof!["[a-c]{1,2}", "[ -~]{0,10}", r"[&*_`\[\]\\<>()#;:'!amp ]{1,10}", "\\PC{0,6}"];
    let target = prop_oneof![
        Just("a.md"),
        Just("b.md"),
        Just("c.md"),
        Just("./a.md"),
        Just("<c.md>"),
        Just("a.md#x"),
        Just("https://x.org/?a&amp;b"),
        Just("gone.md"),
        Just(""),
        Just("x.png"),
    ];
    let indent = prop_oneof![Just(""), Just("  "), Just("    "), Just("\t"), Just("      ")];
    let marker = prop_oneof![Just("* "), Just("- "), Just("+   "), Just("1. "), Just("3) "), Just("")];
    let line = (indent, marker, title, target, 0u8..8).prop_map(|(indent, marker, title, target, form)| match form {
        0 => format!("## {title}\n"),
        1 => "\n".to_owned(),
        2 => format!("{indent}{marker}{title}\n"),
        3 => "***\n".to_owned(),
        4 => format!("{indent}{marker}[{title}]({target} \"{title}\")\n"),
        _ => format!("{indent}{marker}[{title}]({target})\n"),
    });
    prop::collection::vec(line, 0..12).prop_map(|lines| lines.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]
    #[test]
    fn any_table_of_contents_is_exported_byte_by_byte_and_stays_right(summary in hostile(), at in 0usize..20) {
        let mut world = world_with(&summary);
        prop_assert_eq!(&text(&files(&world), "SUMMARY.md"), &summary);
        rename(&mut world, at);
        check(&world);
    }

    #[test]
    fn any_table_of_contents_is_right_after_a_page_moved(summary in hostile(), at in 0usize..20, after in 0usize..20) {
        let mut world = world_with(&summary);
        put_behind(&mut world, at, after);
        check(&world);
    }

    #[test]
    fn only_one_line_differs_after_a_page_was_renamed(shapes in shapes(), at in 0usize..20, line_end in "\n|\r\n") {
        let made = text(&files(&made(&shapes)), "SUMMARY.md");
        // The continuation lines of computed pages are no items.
        prop_assume!(!made.contains("```"));
        let styled = |line: &str| match line.trim_start().strip_prefix("* ") {
            Some(item) => format!("{}-   {item}", " ".repeat(2 * (line.len() - line.trim_start().len()))),
            None => line.to_owned(),
        };
        let summary: String = made.lines().map(|line| styled(line) + &line_end).collect();
        let mut source: BTreeMap<String, Bytes> = files(&super::made(&shapes)).into_iter().collect();
        source.insert("SUMMARY.md".to_owned(), summary.clone().into());
        let source: Vec<(String, Bytes)> = source.into_iter().collect();
        let mut world = World::default();
        world.import(&repository(&source), time(0));
        prop_assert_eq!(&text(&files(&world), "SUMMARY.md"), &summary);
        rename(&mut world, at);
        let exported = text(&files(&world), "SUMMARY.md");
        prop_assert_eq!(exported.split('\n').count(), summary.split('\n').count(), "{}", exported);
        let other = exported.split('\n').zip(summary.split('\n')).filter(|(one, other)| one != other);
        prop_assert!(other.count() <= 1, "{}", exported);
        check(&world);
    }
}

/// Gives a page of a world another title.
fn rename(world: &mut World, at: usize) {
    let tree = world.tree();
    let nodes: Vec<&Node> = tree.iter().collect();
    let node = nodes[at % nodes.len()];
    put(world, &node.id, PageEntry { title: "Renamed & *new*".to_owned(), ..node.page.clone() });
}

/// Puts a page of a world directly after another one with a new slug, unless that would not be a tree.
fn put_behind(world: &mut World, at: usize, after: usize) {
    let tree = world.tree();
    let nodes: Vec<&Node> = tree.iter().collect();
    let (node, after) = (nodes[at % nodes.len()], nodes[after % nodes.len()]);
    let (parent, kind) = (after.page.parent.clone(), &node.page.kind);
    if node.iter().any(|below| below.id == after.id) || *kind == PageKind::Group && parent.is_some() {
        return;
    }
    let behind = nodes.iter().filter(|other| other.page.parent == parent && other.page.order > after.page.order);
    let next = behind.map(|other| &other.page.order).min();
    let order = OrderKey::between(Some(&after.page.order), next).expect("ascending");
    let slug = if kind.has_path() { "moved".to_owned() } else { String::new() };
    put(world, &node.id, PageEntry { parent, order, slug, ..node.page.clone() });
}

fn put(world: &mut World, id: &PageId, page: PageEntry) {
    let mut scratch = Scratch::new(&world.objects);
    let edits = Edits { pages: BTreeMap::from([(id.clone(), Some(page))]), ..Edits::default() };
    world.snapshot = world.snapshot.edit(&mut scratch, &edits).expect("at hand").expect("valid");
    let written = scratch.into_written();
    world.objects.extend(written);
}
