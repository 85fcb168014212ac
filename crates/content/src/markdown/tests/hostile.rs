//! Texts that are made to break a parser.
use super::*;
use rstest::rstest;

/// How deep blocks nest.
fn depth(blocks: &[Block]) -> usize {
    blocks.iter().map(|block| 1 + depth(&block.children)).max().unwrap_or(0)
}

#[rstest]
fn a_text_of_one_thing_repeated_is_read_and_written(
    #[values(
        "[",
        "*",
        "`",
        "![",
        "<!--",
        ">",
        "> ",
        "- ",
        "1. ",
        "{% hint %}",
        "{% hint %}\n",
        "{%",
        "{% a ",
        "{% x `",
        "{% a b=\"",
        "{% tabs %}{% tab %}",
        "{% embed url=\"u\" %}\n",
        "{% endhint %}\n",
        "$$",
        "$$\n",
        "<b>",
        "</b>",
        "<details>\n\n",
        "**a ",
        "_a ",
        "~~a ",
        "[a](",
        "[^1]",
        "[^1]: a\n\n",
        "<a href=\"",
        "<a href=u>",
        "|a",
        "| a | b |\n|--|--|\n",
        "&",
        "\\",
        "[x]: /u\n",
        "[x]: /u\n\n",
        "x@y.z",
        "www.a.b ",
        "<div>\n",
        "<?",
        "\n",
        "a<br>",
        "<table><thead>",
        "{% hint %}\n- ",
        "<a href=u>a[b](c)</a>",
        "]("
    )]
    unit: &str,
    #[values(10_000, 100_000)] size: usize,
) {
    let source = parse(&unit.repeat(size / unit.len()), &Unresolved);
    assert!(depth(&document(&source).blocks) <= 64);
    // The result is about as large as the input: nothing is made of nothing.
    assert!(written(&source).len() < 12 * size + 4096);
}

#[test]
fn blocks_that_nest_too_deep_are_kept_as_they_came() {
    let lists: String = (0..80).map(|level| format!("{}* a\n", "  ".repeat(level))).collect();
    for text in [lists, format!("{}a\n", "> ".repeat(5_000)), "{% hint style=\"info\" %}\n".repeat(100)] {
        let (source, once) = round_trip(&text);
        assert!(depth(&document(&source).blocks) <= 64);
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(words(&once), words(&text), "nothing is lost");
    }
}

#[test]
fn tags_nest_as_deep_as_they_may_and_no_deeper() {
    let text = format!("{}{}", "{% hint style=\"info\" %}\n".repeat(70), "{% endhint %}\n".repeat(70));
    let (source, _) = round_trip(&text);
    assert!((40..=64).contains(&depth(&document(&source).blocks)), "{}", depth(&document(&source).blocks));
}

#[test]
fn a_long_note_that_is_referred_to_often_is_not_repeated_without_end() {
    let text = format!("{}\n\n[^1]: {}\n", "[^1]".repeat(20_000), "x".repeat(50_000));
    let (source, _) = round_trip(&text);
    let kept = |inline: &&Inline| matches!(inline, Inline::Verbatim { .. });
    let notes = document(&source).blocks[0].content.iter().filter(|inline| !kept(inline)).count();
    assert!((1..50).contains(&notes), "{notes} notes");
    assert_eq!(document(&source).blocks[0].content.len(), 20_000);
}

#[test]
fn a_null_character_is_replaced() {
    assert_eq!(round_trip("a\0b\r\nc\rd").1, "a\u{fffd}b c d\n");
}

#[test]
fn no_character_of_a_text_is_taken_for_a_mark_of_something_hidden() {
    let text = "\u{e000}0\u{e000} {% x %} \u{e001}\n";
    assert_eq!(round_trip(text).1, text);
}

#[rstest]
#[case("+ a\n", 200_000)]
#[case("*a ", 200_000)]
#[case("a\n", MAX_PARTS / 2 + 1)]
#[case("\n", MAX_PARTS + 1)]
#[case("{% endhint %} `a` `b` `c` `d` `e` `f`\n", 30_000)]
fn a_text_of_too_many_parts_is_refused(#[case] unit: &str, #[case] count: usize) {
    let text = format!("---\ntitle: A\n---\n{}", unit.repeat(count));
    let source = parse(&text, &Unresolved);
    assert_eq!(source.front_matter.as_ref().and_then(FrontMatter::title), Some("A"));
    let refused = DocumentError { block: Key::default(), problem: Problem::TooManyParts };
    assert!(source.into_document() == Err(refused));
}

#[rstest]
#[case("a\n", MAX_PARTS / 2 - 1)]
#[case("\n", MAX_PARTS - 4)]
#[case("- a\n", 33_000)]
fn a_text_of_as_many_parts_as_there_may_be_is_read(#[case] unit: &str, #[case] count: usize) {
    let text = format!("---\ntitle: A\n---\n{}", unit.repeat(count));
    assert!(parse(&text, &Unresolved).into_document().is_ok());
}
