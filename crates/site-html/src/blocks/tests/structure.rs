//! What holds for each text.
use super::hostile::tags;
use super::{context, document, references, rendered, rendered_with};
use crate::article::{RenderContext, article};
use crate::texts::Texts;
use content::document::arbitrary::documents;
use domain::content::changes::FormerAnchor;
use domain::content::document::{Kind, Verbatim};
use domain::site::customization::Locale;
use domain::site::external_image::ImageSigner;
use domain::site::reader::References;
use proptest::prelude::*;
use rstest::rstest;
use std::collections::HashSet;

/// The ids in HTML.
fn ids(html: &str) -> Vec<&str> {
    html.split(" id=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect()
}

#[test]
fn the_outline_has_the_headings_of_three_levels() {
    let article = rendered(
        "# Title\n\n## One\n\n#### Deep\n\n##### Deeper\n\n## One\n\n{% tabs %}\n{% tab title=\"a\" %}\n### Two\n{% endtab %}\n{% endtabs %}\n",
    );
    let outline: Vec<(u8, &str, &str)> =
        article.outline.iter().map(|entry| (entry.level, entry.text.as_str(), entry.anchor.as_str())).collect();
    assert_eq!(outline, [(1, "One", "one"), (3, "Deep", "deep"), (1, "One", "one-1"), (2, "Two", "two")]);
    let ids: HashSet<&str> = ids(&article.html).into_iter().collect();
    assert!(article.outline.iter().all(|entry| ids.contains(entry.anchor.as_str())));
}

#[test]
fn what_the_policy_of_the_page_needs_is_collected() {
    let article =
        rendered("{% embed url=\"https://youtu.be/abc\" %}\n\n![a](https://example.org/a.png)\n\n![b](cat.png)\n");
    assert_eq!(article.frames, ["https://www.youtube-nocookie.com"]);
    assert_eq!(article.images, ["https://example.org"]);
}

#[test]
fn images_of_other_hosts_come_from_the_site_if_it_keeps_them() {
    let document = document("![a](https://example.org/a.png)\n");
    let signer = ImageSigner::new(&[7; 32]);
    let references = References::default();
    let context = RenderContext { external_images: Some(&signer), ..context(&references) };
    let article = article(&document, &context);
    assert!(article.html.contains("src=\"/s/~/external/"), "{}", article.html);
    assert!(!article.html.contains("example.org"));
    assert_eq!(article.images, [] as [&str; 0]);
}

#[test]
fn the_words_are_in_the_language_of_the_reader() {
    let document = document("{% hint style=\"danger\" %}\na\n{% endhint %}\n");
    let texts = Texts { locale: Locale::De };
    let references = References::default();
    let article = article(&document, &RenderContext { texts: &texts, ..context(&references) });
    assert!(article.html.contains(">Gefahr<"), "{}", article.html);
}

#[test]
fn a_text_that_is_included_twice_has_each_anchor_once() {
    let one = document("## One\n\n<details>\n\n<summary>More</summary>\n\nText\n\n</details>\n");
    let mut twice = one.clone();
    twice.blocks.extend(one.blocks);
    let article = rendered_with(&twice, &References::default());
    assert_eq!(ids(&article.html), ["one", "more", "one-1", "more-1"]);
}

/// A text as HTML, with anchors that its top-level blocks had, each with the index of the block.
fn with_former(text: &str, former: &[(usize, &str)]) -> String {
    let document = document(text);
    let former = former
        .iter()
        .map(|(at, anchor)| FormerAnchor { anchor: (*anchor).to_owned(), heading: document.blocks[*at].key.clone() });
    let (references, former) = (References::default(), former.collect::<Vec<_>>());
    article(&document, &RenderContext { former_anchors: &former, ..context(&references) }).html
}

#[test]
fn a_heading_has_an_empty_element_for_each_anchor_that_it_had() {
    let former = [(0, "install"), (1, "usage"), (0, "getting-started")];
    let html = with_former("## Set up\n\n## Use\n", &former);
    let start = "<h2 id=\"set-up\"><span id=\"install\"></span><span id=\"getting-started\"></span>Set up<a ";
    assert!(html.starts_with(start), "{html}");
    assert!(html.contains("<h2 id=\"use\"><span id=\"usage\"></span>Use<a "), "{html}");
}

#[test]
fn an_element_that_has_the_former_anchor_of_a_heading_now_keeps_it() {
    let text = "## Set up\n\n<details>\n\n<summary>Install</summary>\n\nText\n\n</details>\n\n## Use\n";
    let html = with_former(text, &[(0, "install"), (0, "use"), (0, "main"), (0, "old"), (2, "old")]);
    assert_eq!(ids(&html), ["set-up", "old", "install", "use"]);
    assert!(!html.contains("<other-anchors"), "{html}");
}

#[test]
fn a_heading_is_found_by_the_anchor_that_other_tools_make() {
    let html = with_former("## A & b\n\n## `--verbose`\n\n## A b\n\n## Verbose\n", &[(2, "verbose"), (3, "a-b")]);
    assert_eq!(ids(&html), ["a--b", "--verbose", "a-b", "verbose"], "elements that have the anchors keep them");
    let html = with_former("## A & b\n\n## Old\n", &[(1, "a-b"), (1, "older")]);
    assert_eq!(ids(&html), ["a--b", "a-b", "old", "older"]);
}

#[test]
fn an_image_in_a_line_has_its_own_size_up_to_a_width() {
    let own = rendered("Text ![Cat](cat.png) text\n").html;
    assert!(own.contains("class=\"o-inline-original\"") && own.contains("width=\"300\" height=\"150\""), "{own}");
    let cell = rendered("| A | B |\n| --- | --- |\n| ![Cat](cat.png) | b |\n").html;
    assert!(cell.contains("<td><img class=\"o-inline-original\""), "{cell}");
    let line = rendered("Text <img src=\"cat.png\" alt=\"Cat\" data-size=\"line\"> text\n").html;
    assert!(line.contains("class=\"o-inline\""), "{line}");
    let unknown = rendered("Text ![Cat](https://example.org/cat.png) text\n").html;
    assert!(unknown.contains("class=\"o-inline\""), "{unknown}");
}

#[test]
fn an_image_in_a_line_may_have_a_size() {
    let line = rendered("Text <img src=\"cat.png\" width=\"40\"> text\n").html;
    assert!(line.contains("class=\"o-inline-original\"") && line.contains("width=\"40\" height=\"20\""), "{line}");
}

#[test]
fn paragraphs_and_items_in_a_cell_have_lines_of_their_own() {
    let article = rendered("| A |\n| --- |\n| <p>a</p><p>b</p><ul><li>c</li><li>d</li></ul> |\n");
    assert!(article.html.contains("<td>a<br>b<br>• c<br>• d</td>"), "{}", article.html);
}

#[test]
fn a_place_begins_no_line_in_a_cell() {
    for tag in ["<a id=\"x\"></a>", "<a id=\"x\">"] {
        let html = rendered(&format!("| A |\n| --- |\n| {tag}<p>a</p><p>b</p> |\n")).html;
        let (_, cell) = html.split_once("<span id=\"x\"></span>").expect("a place");
        assert!(cell.contains("a<br>b</td>") && !cell.contains("<br>a"), "{html}");
    }
}

#[test]
fn a_block_of_html_has_the_places_that_it_marks() {
    let block = |source: &str| {
        let mut document = document("{% unknown %}\n");
        document.blocks[0].kind = Kind::Verbatim(Verbatim { syntax: "html".into(), source: source.into() });
        rendered_with(&document, &References::default()).html
    };
    let html = block("<div><a id=\"x\"></a>a <a id=\"x\"></a><span id=\"main\">b</span> <a name=\"y\"></a></div>");
    assert_eq!(ids(&html), ["x", "y"]);
    assert_eq!(ids(&block("<a id=\"x\">")), ["x"]);
}

#[test]
fn no_text_has_the_ids_that_scripts_give() {
    let tab = "{% tabs %}\n{% tab title=\"A\" id=\"~found\" %}\nText\n{% endtab %}\n{% endtabs %}\n";
    let html = rendered(&format!("Text <a id=\"~option-0\"></a>\n\n{tab}\n## Rings\n")).html;
    assert_eq!(ids(&html), ["found", "rings"], "{html}");
}

#[test]
fn a_tag_marks_a_place_once() {
    let html = rendered("A <a name=\"old\"></a>b <span id=\"old\">c</span> <a id=\"main\"></a>\n").html;
    assert!(html.contains("A <span id=\"old\"></span>b c"), "{html}");
    assert_eq!((html.matches("id=\"old\"").count(), html.matches("id=\"main\"").count()), (1, 0), "{html}");
}

#[test]
fn tables_with_equal_headers_have_different_names_in_all_sheets() {
    let document = document("| A |\n| --- |\n| 1 |\n\n| A |\n| --- |\n| 2 |");
    let references = references(&document);
    let names = |html: &str| -> Vec<String> {
        html.split("aria-label=\"").skip(1).map(|rest| rest.split('"').next().unwrap().to_owned()).collect()
    };
    assert_eq!(names(&rendered_with(&document, &references).html), ["Table: A", "Table: A (2)"]);
    let sheet = crate::article::sheet(&document, &context(&references), 3);
    assert_eq!(names(&sheet.html), ["Table: A (3.1)", "Table: A (3.2)"]);
}

#[test]
fn a_column_without_a_name_has_no_header_cell() {
    let article = rendered("| Name | |\n| --- | --- |\n| a | b |\n");
    let head = "<thead><tr><th scope=\"col\">Name</th><td></td></tr></thead>";
    assert!(article.html.contains(head), "{}", article.html);
}

#[test]
fn a_table_whose_columns_have_no_names_has_no_header() {
    let article = rendered("| | |\n| --- | --- |\n| a | b |\n");
    assert!(article.html.contains("<table><tbody><tr><td>a</td>"), "{}", article.html);
}

#[test]
fn a_note_in_a_note_is_beside_it() {
    let article = rendered("A[^1] B[^2].\n\n[^1]: one\n[^2]: two\n");
    assert!(!article.html.contains("id=\"note-1\" popover role=\"note\" data-note=\"1\"><div class=\"o-note\""));
    assert_eq!(article.html.matches("popover role").count(), 2);
    assert!(article.html.find("id=\"note-1\"") < article.html.find("id=\"note-2\""));
}

#[test]
fn a_text_that_is_too_long_is_cut_with_a_note() {
    let long = "x".repeat(3 * 1024 * 1024);
    let article = rendered(&format!("{long}\n\n{long}\n\n{long}\n\nfour\n\nfive\n"));
    assert!(article.html.ends_with("<p class=\"o-missing\">2 more parts are not shown.</p>"));
}

#[test]
fn deep_texts_are_rendered() {
    let article = rendered(&format!("{}deep", "> ".repeat(60)));
    assert!(article.html.contains("deep"));
}

proptest! {
    #[test]
    fn any_text_becomes_html_with_each_id_once_and_all_elements_closed(document in documents()) {
        let article = rendered_with(&document, &references(&document));
        let ids = ids(&article.html);
        let unique: HashSet<&&str> = ids.iter().collect();
        prop_assert_eq!(unique.len(), ids.len(), "{}", article.html);
        prop_assert_eq!(unclosed(&article.html), Vec::<String>::new(), "{}", article.html);
        prop_assert!(!article.html.contains("<h1"));
    }

    #[test]
    fn former_anchors_change_nothing_else(document in documents()) {
        const GONE: &str = "gone-from-here";
        let references = references(&document);
        let plain = rendered_with(&document, &references);
        let mut former = Vec::new();
        for heading in document.headings() {
            // Escaped ones are left out: they are others when they are not escaped.
            for anchor in ids(&plain.html).into_iter().filter(|id| !id.contains('&')).chain([GONE]) {
                former.push(FormerAnchor { anchor: anchor.to_owned(), heading: heading.key.clone() });
            }
        }
        let article = article(&document, &RenderContext { former_anchors: &former, ..context(&references) });
        prop_assert_eq!(article.html.replacen(&format!("<span id=\"{GONE}\"></span>"), "", 1), plain.html);
        prop_assert_eq!(article.outline, plain.outline);
    }
}

/// The elements that are not closed in their order.
fn unclosed(html: &str) -> Vec<String> {
    const VOID: [&str; 7] = ["br", "hr", "img", "input", "col", "wbr", "source"];
    let mut open: Vec<String> = Vec::new();
    for tag in tags(html) {
        let name: String = tag
            .trim_start_matches('/')
            .chars()
            .take_while(|char| char.is_ascii_alphanumeric() || *char == '-')
            .collect();
        if tag.starts_with('/') {
            if open.last() == Some(&name) {
                open.pop();
            } else {
                open.push(format!("/{name}"));
            }
        } else if !VOID.contains(&name.as_str()) && !tag.ends_with('/') {
            open.push(name);
        }
    }
    open
}

#[rstest]
#[case("```rust\n# use a::b;\n#\n\n#[c]\nfn d() {}\n    # e();\n```", &["#[c]", "fn d() {}"])]
#[case("```rust,ignore\n# a();\nb();\n```", &["b();"])]
#[case("```rust\n# a();\n#\n```", &["# a();", "#"])]
#[case("```rust {2}\n# a();\nb();\n```", &["# a();", "b();"])]
#[case("```rust\nlet a = \"\n# b\n\";\n/*\n# c\n*/\n```", &["let a = \"", "# b", "\";", "/*", "# c", "*/"])]
#[case("```sh\n# a\nb\n```", &["# a", "b"])]
fn lines_that_only_complete_an_example_of_rust_are_left_out(#[case] text: &str, #[case] expected: &[&str]) {
    let html = rendered(text).html;
    let (_, code) = html.split_once("<code").unwrap();
    let (code, _) = code.split_once("</code>").unwrap();
    let shown: String = code.split('<').filter_map(|part| part.split_once('>')).map(|(_, text)| text).collect();
    let shown = shown.replace("&quot;", "\"");
    assert_eq!(shown.lines().collect::<Vec<_>>(), expected);
}
