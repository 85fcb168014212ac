//! Texts of all kinds are the same after writing and reading them again.
use super::inputs::inputs;
use super::{Unresolved, options, options_for, parse, round_trip, write};
use crate::document::arbitrary::documents;
use crate::document::{Block, Document, Heading, Inline, Kind, Marks, Paragraph, Text};
use proptest::prelude::*;
use rstest::rstest;

/// Pieces that mean something, alone or next to each other.
const PIECES: &[&str] = &[
    "a",
    "b",
    "word",
    " ",
    " ",
    "\n",
    "\n",
    "\n\n",
    "\n\n",
    "*",
    "**",
    "_",
    "~~",
    "~",
    "`",
    "``",
    "```\n",
    "```js\n",
    "~~~\n",
    "[",
    "]",
    "(",
    ")",
    "](",
    "](u)",
    "![",
    "![a](b)",
    "[x](y)",
    "[x]: /u\n",
    "[^1]",
    "[^1]: ",
    "<",
    ">",
    "> ",
    "- ",
    "* ",
    "+ ",
    "1. ",
    "2) ",
    "    ",
    "  ",
    "\t",
    "# ",
    "## ",
    "#",
    "---\n",
    "===\n",
    "***\n",
    "|",
    "| a | b |\n| --- | :-: |\n| c | d |\n",
    "\\",
    "\\\n",
    "&amp;",
    "&",
    "&#32;",
    "&#10;",
    "&nbsp;",
    "<b>",
    "</b>",
    "<strong>",
    "</strong>",
    "<em>",
    "</em>",
    "<br>",
    "<div>",
    "</div>",
    "<!--",
    "-->",
    "<kbd>k</kbd>",
    "<sup>",
    "</sup>",
    "<mark style=\"color:red;\">",
    "</mark>",
    "<details>",
    "</details>",
    "<details>\n<summary>t</summary>\n",
    "\n</details>\n",
    "<p>",
    "</p>",
    "<h2>",
    "</h2>\n",
    "<div align=\"center\">",
    "<div align=\"right\">\n\n",
    "\n\n</div>\n\n",
    "<center>",
    "<hr>",
    "<img src=\"x\" width=\"9\" align=\"left\">",
    "<picture><img src=\"x\"></picture>",
    "<picture><img src=\"x\"></picture> a <picture>",
    "<table><tr><td>a</td></tr></table>",
    "<table><tr><th>a</th></tr>",
    "</table>",
    "> [!NOTE]\n",
    "[!TIP]",
    ":::",
    ":::\n",
    ":::note\n",
    ":::tip t\n",
    " {#x}",
    " ## {: #x .y }",
    "[a](b){.c}",
    "{ .a }",
    "{#",
    "!!! note\n",
    "??? tip \"t\"\n",
    "    a\n\n",
    "=== \"t\"\n",
    "> [!info] t\n",
    "> [!tip]-\n",
    "::: code-group\n",
    "<Note>\n",
    "<Note>a</Note>",
    "\n</Note>\n",
    "<Tabs>\n",
    "<Tab title=\"t\">\n",
    "</Tab>\n",
    "</Tabs>\n",
    "<Steps>\n",
    "<Step title=\"t\">\n",
    "</Step>\n",
    "</Steps>\n",
    "<Accordion title=\"t\">\n",
    "</Accordion>\n",
    "<CodeGroup>\n",
    "</CodeGroup>\n",
    "<Card title=\"t\" href=\"u\">\n",
    "<Card title=\"t\" />",
    "</Card>\n",
    "<Frame>\n",
    "</Frame>\n",
    "{{< note >}}",
    "{{% note %}}\n",
    "{{< /note >}}\n",
    "{{% /note %}}",
    "[[a]]",
    "[[#a]]",
    "[a]({{< ref \"b\" >}})",
    "```math\n",
    "```js title=\"t\" {1}\n",
    "<summary>t</summary>",
    "<figure><img src=\"a\" alt=\"\"><figcaption>c</figcaption></figure>",
    "<img src=\"x\">",
    "<a href=\"u\">",
    "</a>",
    "<code>",
    "</code>",
    "<pre>",
    "<p align=\"center\">x</p>\n",
    "{% hint style=\"info\" %}",
    "{% endhint %}",
    "{% tabs %}",
    "{% tab title=\"t\" %}",
    "{% endtab %}",
    "{% endtabs %}",
    "{% code title=\"x\" %}",
    "{% endcode %}",
    "{% embed url=\"u\" %}",
    "{% endembed %}",
    "{% x %}",
    "{%",
    "%}",
    "{",
    "$$",
    "$",
    "$$x$$",
    "$x$",
    "$x",
    "$5",
    "^2",
    "\\$",
    "+++\n",
    "$$\nx\n$$\n",
    "{% if a %}",
    "{% endif %}",
    "{% content-ref url=\"u\" %}",
    "{% endcontent-ref %}",
    "{% include \"x\" %}",
    "http://a.b/c",
    "www.a.b",
    "x@y.zz",
    ":",
    "!",
    ".",
    "-",
    "+",
    "=",
    "1",
    "é",
    "中",
    "“",
    "\u{a0}",
    "\u{0}",
    "\r",
    "- [ ] ",
    "[x] ",
    "<a href=\"#i\" id=\"i\"></a>",
    "<?",
    "?>",
    "<table><thead><tr><th>a</th></tr></thead></table>",
];

/// Pieces that could be a footnote together.
const FOOTNOTE_PIECES: &[&str] = &[
    "[", "[", "]", "]", "]:", "^", "^", "&", "&#94;", "&Hat;", "\\", "\n", " ", "> ", "- ", "a", "!", "(u)", "*",
    "<b>", "|", "|-|\n",
];

/// Blocks of documents, to be nested.
const BLOCKS: &[&str] = &[
    "A line with **bold _both_** and `code`.",
    "## Heading",
    "* a\n* b\n  * c",
    "1. a\n\n   b",
    "- [x] done\n- [ ] open",
    "> quoted",
    "```js\ncode\n```",
    "$$\nx + y\n$$",
    "![alt](image.png)",
    "| a | b |\n| --- | ---: |\n| `c` | d\\|e |",
    "{% embed url=\"https://a.b\" %}\nCaption\n{% endembed %}",
    "{% include \"x.md\" %}",
    "---",
    "<div>kept</div>",
    "Line\\\nbreak [link](to.md \"title\")",
    "{% unknown %}",
    "<details>\n\n<summary>T</summary>\n\nBody\n\n</details>",
];

fn nested() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(BLOCKS).prop_map(str::to_owned);
    leaf.prop_recursive(4, 24, 4, |inner| {
        (prop::collection::vec(inner, 1..4), 0..6u8).prop_map(|(blocks, container)| {
            let text = blocks.join("\n\n");
            let lines = |first: &str, rest: &str| format!("{first}{}", text.replace('\n', &format!("\n{rest}")));
            match container {
                0 => lines("* ", "  "),
                1 => lines("> ", "> "),
                2 => format!("{{% hint style=\"info\" %}}\n{text}\n\n{{% endhint %}}"),
                3 => format!("{{% tabs %}}\n{{% tab title=\"t\" %}}\n{text}\n\n{{% endtab %}}\n{{% endtabs %}}"),
                4 => lines("12. ", "    "),
                _ => format!("<details>\n\n<summary>T</summary>\n\n{text}\n\n</details>"),
            }
        })
    })
}

/// The output of the parser for a text with and without footnotes, if it is parsed without.
fn with_and_without_footnotes(text: &str) -> Option<[String; 2]> {
    let without = options_for(text);
    let made =
        |options: &comrak::Options<'_>| format!("{:?}", comrak::parse_document(&comrak::Arena::new(), text, options));
    (!without.extension.footnotes).then(|| [made(&options()), made(&without)])
}

#[test]
fn an_input_that_is_parsed_without_footnotes_has_none() {
    let mut without = 0;
    for (name, make) in inputs() {
        if let Some([expected, made]) = with_and_without_footnotes(&make(400)) {
            assert_eq!(made, expected, "{name}");
            without += 1;
        }
    }
    assert!(without > 1000, "{without}");
}

#[rstest]
#[case("[^a]\n\n[^a]: b", true)]
#[case("[&#94;a]\n\n[&Hat;b]", true)]
#[case("![^a](b)", true)]
#[case("[a^b] ^ [ ^c] [\\^d]: e", false)]
fn a_text_that_may_have_a_footnote_is_parsed_with_footnotes(#[case] text: &str, #[case] with: bool) {
    assert_eq!(options_for(text).extension.footnotes, with);
}

/// Texts of which what was written was once read in another way.
#[rstest]
#[case::end_in_a_mark("<details>\n<summary>t</summary>\n<b>%}\n</details>\n<br></code>:::tip t\n")]
#[case::end_after_a_mark("<details><b></details>")]
#[case::begins_after_a_tag("{% hint style=\"info\" %}<details>\n</details>\n")]
#[case::text_before_the_end("{% hint style=\"info\" %}<details>{% endcontent-ref %}*</details>")]
#[case::div_after_a_tag("<details><div align=\"right\">\n\n**\n\n</div>\n\n")]
#[case::colons_after_a_tag("[<details>\n<summary>t</summary>\n:::note\n{% tabs %}:::")]
#[case::fence_in_a_formula("```math\n```math\n        ")]
#[case::backtick_in_a_formula("a\t$J\t?b^%=\\`$\nc")]
#[case::double_brackets("## a\n\n\\[[#a]] !\\[[#a|b]]")]
#[case::tag_in_a_title_of_a_component(
    "<Tabs>\n<Tab title=\"a {% b\">\nc\n</Tab>\n<Tab title=\"d&#13;e\">\nf\n</Tab>\n</Tabs>"
)]
#[case::tag_in_a_title_of_code("::: code-group\n```js [a {% b]\nc\n```\n:::")]
#[case::empty_title("<p>c <a href=\"a\" title=\"\">b</a></p>")]
#[case::empty_caption("a <img src=\"b\" alt=\"c\" title=\"\">")]
#[case::line_feed_in_an_alternative_text(
    "<figure><img src=\"a.png\" alt=\"&#10;\"><figcaption></figcaption></figure>\n"
)]
fn what_was_read_differently_is_read_again_alike(#[case] text: &str) {
    round_trip(text);
}

proptest! {
    #[test]
    fn a_text_that_is_parsed_without_footnotes_has_none(
        pieces in prop::collection::vec(prop::sample::select(FOOTNOTE_PIECES), 0..12),
        more in prop::collection::vec(prop::sample::select(PIECES), 0..4),
    ) {
        if let Some([expected, made]) = with_and_without_footnotes(&(pieces.concat() + &more.concat())) {
            prop_assert_eq!(made, expected);
        }
    }

    #[test]
    fn what_is_read_from_any_pieces_is_written_and_read_again(
        pieces in prop::collection::vec(prop::sample::select(PIECES), 0..14),
    ) {
        round_trip(&pieces.concat());
    }

    #[test]
    fn what_is_read_from_any_characters_is_written_and_read_again(text in "[\\PC\n\t*_`\\[\\](){}%$#<>&|~:.!-]{0,60}") {
        round_trip(&text);
    }

    #[test]
    fn any_text_is_the_same_after_a_round_trip(
        first in "[!-~ é中]{0,24}",
        second in "[!-~ é中]{1,24}",
        level in 0..3u8,
        bold in any::<bool>(),
    ) {
        let text = |text: &str, bold| Inline::Text(Text { text: text.into(), marks: Marks { bold, ..Marks::default() } });
        let content = match first.is_empty() || second.trim().is_empty() || !bold {
            true => vec![text(&format!("{first}{second}"), false)],
            false => vec![text(&first, false), text(second.trim(), true)],
        };
        let kind = match level {
            0 => Kind::Paragraph(Paragraph::default()),
            level => Kind::Heading(Heading { level, id: None, align: None }),
        };
        let document = Document { blocks: vec![Block::new(kind).with_content(content.clone())] };
        let written = write(&document, &Unresolved);
        let read = parse(&format!("# Title\n\n{written}"), &Unresolved).document.expect("not too many parts");
        prop_assert_eq!(read.blocks.len(), 1, "{}", &written);
        prop_assert_eq!(&read.blocks[0].content, &content, "{}", &written);
    }

    #[test]
    fn nested_blocks_are_read_written_and_read_again(text in nested()) {
        let (source, _) = round_trip(&text);
        prop_assert_eq!(super::document(&source).blocks.len(), 1);
    }

    #[test]
    fn a_document_from_elsewhere_is_canonical_once_it_was_written(document in documents()) {
        round_trip(&write(&document, &Unresolved));
    }
}
