//! Texts with tags: what is written, what is read, and laws for whatever an engine answers.
use super::*;
use content::document::arbitrary::lines;
use content::document::{Block, Document, Inline, Kind, Paragraph};
use content::markdown::{self, Unresolved};
use proptest::prelude::*;
use rstest::rstest;

const MARKUPS: [Markup; 3] = [Markup::Html, Markup::Xml, Markup::Numbered];

fn line(markdown: &str) -> Line {
    let document = markdown::parse(markdown, &Unresolved).into_document().unwrap();
    Line::of(&document.blocks[0].content)
}

fn text(markdown: &str) -> Tagged {
    line(markdown).text
}

fn normal(content: Vec<Inline>) -> Vec<Inline> {
    let block = Block::new(Kind::Paragraph(Paragraph::default())).with_content(content);
    let mut document = Document { blocks: vec![block] };
    document.normalize();
    document.blocks.remove(0).content
}

#[rstest]
#[case::plain("Just words", "Just words")]
#[case::a_mark("Some **bold** words", "Some ⟨1⟩bold⟨/1⟩ words")]
#[case::nested("Some **bold and *both* words**", "Some ⟨1⟩bold and ⟨2⟩both⟨/2⟩ words⟨/1⟩")]
#[case::code("Run `a b` in **`c` now**", "Run ⟨1/⟩ in ⟨2⟩⟨3/⟩ now⟨/2⟩")]
#[case::a_link("See [the **docs**](https://a.example)", "See ⟨1⟩the ⟨2⟩docs⟨/2⟩⟨/1⟩")]
#[case::a_bold_link("See **[the docs](https://a.example) now**", "See ⟨1⟩⟨2⟩the docs⟨/2⟩ now⟨/1⟩")]
#[case::a_link_without_words("See [`code`](https://a.example)", "See ⟨1/⟩")]
#[case::an_address("Open https://a.example/b.", "Open ⟨1/⟩.")]
#[case::a_link_to_an_address("Open <https://a.example/b>.", "Open ⟨1/⟩.")]
#[case::a_note("A word[^1] here\n\n[^1]: Note", "A word⟨1/⟩ here")]
#[case::brackets("a ⟨1⟩ b", "a ⟨⟩1⟩ b")]
#[case::a_line_feed("one\\\ntwo", "one⟨1/⟩two")]
fn a_line_becomes_a_text_with_tags(#[case] markdown: &str, #[case] canonical: &str) {
    let text = text(markdown);
    assert_eq!(text.canonical(), canonical);
    assert_eq!(text.read_canonical(canonical), Ok(text));
}

#[rstest]
#[case(Markup::Html, "A &lt;b&gt; &amp; <a id=\"t1\">c</a> <img id=\"t2\"/>")]
#[case(Markup::Xml, "A &lt;b&gt; &amp; <g1>c</g1> <x2/>")]
#[case(Markup::Numbered, "A &lt;b> & <g1>c</g1> <x2/>")]
#[case(Markup::None, "A <b> & c ")]
fn a_text_is_written_in_the_markup_of_its_engine(#[case] markup: Markup, #[case] written: &str) {
    assert_eq!(text("A \\<b> & **c** `d`").written(markup), written);
}

#[rstest]
#[case::moved(Markup::Html, "<img id=\"t2\"/> y <a id=\"t1\">b</a>", "⟨2/⟩ y ⟨1⟩b⟨/1⟩")]
#[case::quotes(Markup::Html, "<A id='t1'>b</A> y <IMG id=t2>", "⟨1⟩b⟨/1⟩ y ⟨2/⟩")]
#[case::spaces(Markup::Xml, "< g1 >b</ g 1> y <x2 / >", "⟨1⟩b⟨/1⟩ y ⟨2/⟩")]
#[case::a_single_as_a_pair(Markup::Xml, "<G1>b</G1> y <x2></x2>", "⟨1⟩b⟨/1⟩ y ⟨2/⟩")]
#[case::escaped_tags(Markup::Numbered, "&lt;g1&gt;b&lt;/g1&gt; y &lt;x2/&gt;", "⟨1⟩b⟨/1⟩ y ⟨2/⟩")]
#[case::entities(
    Markup::Html,
    "<a id=\"t1\">b &amp; &#39;c&#x27; &eacute;</a> <img id=\"t2\"/>",
    "⟨1⟩b & 'c' &eacute;⟨/1⟩ ⟨2/⟩"
)]
#[case::less_than(Markup::Numbered, "1 < 2 <g1>b</g1> <x2/>", "1 < 2 ⟨1⟩b⟨/1⟩ ⟨2/⟩")]
#[case::lines(Markup::Numbered, " <g1>b\nc</g1>\n<x2/> ", "⟨1⟩b c⟨/1⟩ ⟨2/⟩")]
fn an_answer_with_whole_tags_is_read(#[case] markup: Markup, #[case] answer: &str, #[case] canonical: &str) {
    let read = text("**bold** and `code`").read(markup, answer).unwrap();
    assert_eq!(read.canonical(), canonical);
}

#[rstest]
#[case::missing("b <x2/>", Fault::Missing(1))]
#[case::missing_single("<g1>b</g1>", Fault::Missing(2))]
#[case::doubled("<g1>b</g1> <g1>c</g1> <x2/>", Fault::Repeated(1))]
#[case::doubled_single("<g1>b</g1> <x2/> <x2/>", Fault::Repeated(2))]
#[case::foreign("<g1>b</g1> <x2/> <x3/>", Fault::Foreign)]
#[case::another_number("<g1>b</g1> <x2/> <x999999/>", Fault::Foreign)]
#[case::not_closed("<g1>b <x2/>", Fault::Unpaired(1))]
#[case::not_opened("b</g1> <x2/>", Fault::Unpaired(1))]
#[case::closed_first("</g1>b<g1> <x2/>", Fault::Unpaired(1))]
#[case::empty_pair("<g1/>b <x2/>", Fault::Unpaired(1))]
#[case::a_pair_as_a_single("<x1/>b <x2/>", Fault::Unpaired(1))]
#[case::a_single_around_words("<g1>b</g1> <g2>c</g2>", Fault::Unpaired(2))]
#[case::markup("<g1>b</g1> <x2/> <script>alert(1)</script>", Fault::Foreign)]
#[case::escaped_markup("<g1>b</g1> <x2/> &lt;img src=x&gt;", Fault::Foreign)]
#[case::an_address_in_a_tag("<g1 href=\"https://evil.example\">b</g1> <x2/>", Fault::Unpaired(1))]
#[case::empty("  ", Fault::Empty)]
#[case::paragraphs("Here it is:\n\n<g1>b</g1> <x2/>", Fault::Paragraphs)]
#[case::control("<g1>b\u{7}</g1> <x2/>", Fault::Control)]
fn a_broken_answer_is_refused(#[case] answer: &str, #[case] fault: Fault) {
    assert_eq!(text("**bold** and `code`").read(Markup::Xml, answer), Err(fault));
}

#[rstest]
#[case::two_marks("*a* **b**", "<g1>a<g2>b</g1>c</g2>", Ok("⟨1⟩a⟨2⟩b⟨/2⟩⟨/1⟩c"))]
#[case::a_mark_that_ends_after_a_link("[a](https://a.example) **b**", "<g1>a<g2>b</g1>c</g2>", Ok("⟨1⟩a⟨2⟩b⟨/2⟩⟨/1⟩c"))]
#[case::a_mark_that_ends_in_a_link("[a](https://a.example) **b**", "<g2>a<g1>b</g2>c</g1>", Ok("⟨2⟩a⟨1⟩bc⟨/1⟩⟨/2⟩"))]
#[case::two_links("[a](https://a.example) [b](https://b.example)", "<g1>a<g2>b</g1>c</g2>", Err(Fault::Misplaced(2)))]
#[case::a_link_in_a_link(
    "[a](https://a.example) [b](https://b.example)",
    "<g1>a<g2>b</g2></g1>",
    Err(Fault::Misplaced(2))
)]
fn marks_that_cross_are_nested_and_links_never(
    #[case] markdown: &str,
    #[case] answer: &str,
    #[case] read: Result<&str, Fault>,
) {
    let answer = text(markdown).read(Markup::Xml, answer).map(|read| read.canonical());
    match read {
        Ok(canonical) => assert_eq!(answer.as_deref(), Ok(canonical)),
        Err(_) => assert!(answer.is_err(), "{answer:?}"),
    }
}

#[test]
fn a_translation_gets_the_links_and_marks_of_its_tags() {
    let line = line("Open **the [docs](https://a.example)** with `run`");
    let read =
        line.text.read(Markup::Html, "Mit <img id=\"t3\"/> <a id=\"t1\"><a id=\"t2\">Doku</a> öffnen</a>").unwrap();
    let document =
        Document::from_blocks(vec![Block::new(Kind::Paragraph(Paragraph::default())).with_content(line.put(&read))]);
    let written = markdown::write(&document.unwrap(), &Unresolved);
    assert_eq!(written.trim(), "Mit `run` **[Doku](https://a.example) öffnen**");
}

#[test]
fn a_text_without_tags_goes_through_fragments() {
    let text = text("Open **the [docs](https://a.example)** at 5, `run`: **now**");
    let fragments: Vec<String> = text.fragments().iter().map(Tagged::words).collect();
    assert_eq!(fragments, ["Open", "the", "docs", "at 5,", "now"]);
    let answers: Vec<Tagged> = text
        .fragments()
        .iter()
        .map(|fragment| fragment.read(Markup::None, &fragment.written(Markup::None).to_uppercase()).unwrap())
        .collect();
    let filled = text.filled(&answers).unwrap();
    assert_eq!(filled.canonical(), "OPEN ⟨1⟩THE ⟨2⟩DOCS⟨/2⟩⟨/1⟩ AT 5, ⟨3/⟩: ⟨4⟩NOW⟨/4⟩");
    assert_eq!(text.filled(&answers[1..]), None);
}

#[test]
fn a_long_text_is_cut_after_sentences_and_joined() {
    let sentence = "This is a sentence with **a mark. Inside** it. ";
    let text = text(&sentence.repeat(60));
    let parts = text.cut(200);
    assert!(parts.len() > 10 && parts.iter().all(|part| part.characters() <= 200), "{parts:?}");
    assert!(parts.iter().all(|part| part.words().ends_with("it.")), "{parts:?}");
    assert_eq!(Tagged::joined(&parts), Some(text));
}

#[test]
fn words_are_counted_outside_tags() {
    assert_eq!(text("Two **words**, 5.2 `no code` — and more").word_count(), 5);
    assert!(!text("5 `code` 10").has_letters());
}

/// Answers that engines give, and worse.
fn answers() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        3 => "[a-zé &;.]{0,6}",
        3 => (1..6_u32, 0..4_u8).prop_map(|(number, form)| match form {
            0 => format!("<g{number}>"),
            1 => format!("</g{number}>"),
            2 => format!("<x{number}/>"),
            _ => format!("<x{number}>"),
        }),
        1 => (1..6_u32, any::<bool>()).prop_map(|(number, image)| {
            if image { format!("<img id=\"t{number}\">") } else { format!("<a id=\"t{number}\">") }
        }),
        1 => Just("</a>".to_owned()),
        1 => prop_oneof![
            Just("<script>alert(1)</script>"), Just("<a href=\"https://evil.example\">"), Just("[x](https://evil.example)"),
            Just("\n\n# Heading\n\n"), Just("⟨1⟩"), Just("&lt;g1&gt;"), Just("<"), Just("\u{0}"),
        ].prop_map(str::to_owned),
    ];
    proptest::collection::vec(part, 0..14).prop_map(|parts| parts.concat())
}

/// The elements in a line that no answer may add or remove, in a fixed order.
fn things(content: &[Inline], found: &mut Vec<String>) {
    for inline in content {
        match inline {
            Inline::Text(text) if text.marks.code || text.marks.keyboard => found.push(format!("{text:?}")),
            Inline::Text(_) => {}
            Inline::Link(link) => {
                found.push(format!("link {:?} {:?} {:?}", link.target, link.query, link.title));
                things(&link.content, found);
            }
            Inline::Annotation(note) => {
                found.push(format!("note {:?} {:?}", note.body, note.label));
                things(&note.content, found);
            }
            other => found.push(format!("{other:?}")),
        }
    }
}

fn all_things(content: &[Inline]) -> Vec<String> {
    let mut found = Vec::new();
    things(content, &mut found);
    found.sort();
    found
}

proptest! {
    #[test]
    fn a_line_is_the_same_after_a_round_trip(content in lines()) {
        let line = Line::of(&content);
        prop_assert_eq!(normal(line.put(&line.text)), normal(content));
    }

    #[test]
    fn the_text_itself_is_a_translation_in_every_markup(content in lines()) {
        let text = Line::of(&content).text;
        if !text.has_letters() {
            return Ok(());
        }
        prop_assert_eq!(text.read_canonical(&text.canonical()), Ok(text.clone()));
        for markup in MARKUPS {
            let read = text.read(markup, &text.written(markup));
            prop_assert_eq!(read.map(|read| read.canonical()), Ok(text.canonical()), "{:?}", markup);
        }
        prop_assert_eq!(text.filled(&text.fragments()), Some(text.clone()));
        prop_assert_eq!(Tagged::joined(&text.cut(5)), Some(text.clone()));
        prop_assert!(text.fits(&text));
    }

    #[test]
    fn no_answer_adds_or_loses_anything_but_words(content in lines(), answer in answers()) {
        let line = Line::of(&content);
        for markup in MARKUPS {
            if let Ok(read) = line.text.read(markup, &answer) {
                prop_assert!(read.fits(&line.text));
                let put = line.put(&read);
                prop_assert_eq!(all_things(&put), all_things(&content));
                let block = Block::new(Kind::Paragraph(Paragraph::default())).with_content(put);
                prop_assert!(Document::from_blocks(vec![block]).is_ok());
            }
        }
    }
}
