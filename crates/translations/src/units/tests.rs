//! Units of documents and pages, and content with translated texts.
use super::*;
use content::document::arbitrary::documents;
use content::markdown::{self, Unresolved};
use content::order::OrderKey;
use content::page::PageKind;
use proptest::prelude::*;

fn read(markdown: &str) -> Document {
    markdown::parse(markdown, &Unresolved).into_document().unwrap()
}

fn words(units: &[Unit]) -> Vec<String> {
    units.iter().map(|unit| unit.text.words()).collect()
}

/// Every text in upper case.
fn in_upper_case(units: &[Unit]) -> Vec<Option<Tagged>> {
    let shout = |unit: &Unit| {
        let answers: Vec<Tagged> =
            unit.text.fragments().iter().map(|part| Tagged::plain(&part.words().to_uppercase())).collect();
        unit.text.filled(&answers)
    };
    units.iter().map(shout).collect()
}

const PAGE: &str = "## Install *it*\n\nRun `npm i` and see [the docs](https://a.example \"Docs\").\n\n```js title=\"main.js\"\n// a comment\n```\n\n\
    ### Options\n\n| Name | Size |\n| --- | --- |\n| **Small** one | 5 |\n\n{% tabs %}\n{% tab title=\"On Linux\" %}\nUse apt.\n{% endtab %}\n\
    {% endtabs %}\n\n<details>\n\n<summary>More words</summary>\n\n* [ ] an item\n\n</details>\n\n$$\na^2\n$$\n";

#[test]
fn the_texts_of_a_document_are_found_in_order() {
    let units = read(PAGE).units();
    assert_eq!(
        words(&units),
        [
            "Install it",
            "Docs",
            "Run   and see the docs.",
            "Options",
            "Name",
            "Size",
            "Small one",
            "On Linux",
            "Use apt.",
            "More words",
            "an item"
        ]
    );
    let kinds: Vec<TextKind> = units.iter().map(|unit| unit.kind).collect();
    assert_eq!(kinds[..4], [TextKind::Heading, TextKind::Caption, TextKind::Text, TextKind::Heading]);
    assert_eq!(units[8].headings[..], ["Install it".to_owned(), "Options".to_owned()]);
    assert!(units[0].headings.is_empty());
}

#[test]
fn translated_texts_are_put_back_and_all_else_stays() {
    let source = read(PAGE);
    let units = source.units();
    let translated = source.assembled(&in_upper_case(&units)).unwrap();
    assert_eq!(words(&translated.units())[2], "RUN   AND SEE THE DOCS.");
    let anchors = |document: &Document| -> Vec<String> {
        document.headings().into_iter().map(|heading| heading.anchor).collect()
    };
    assert_eq!(anchors(&translated), anchors(&source));
    let keys = |document: &Document| -> Vec<Key> { document.walk().map(|block| block.key.clone()).collect() };
    assert_eq!(keys(&translated), keys(&source));
    let code = |document: &Document| document.walk().find(|block| block.kind.block_type().name() == "code").cloned();
    assert_eq!(code(&translated), code(&source));
}

#[test]
fn an_answer_for_another_text_is_not_taken() {
    let source = read("See [the docs](https://a.example).");
    let foreign = Tagged::plain("No link");
    let translated = source.assembled(&[Some(foreign)]).unwrap();
    assert_eq!(translated, source);
    assert_eq!(source.assembled(&[]).unwrap(), source);
}

#[test]
fn notes_buttons_and_images_have_texts_of_their_own() {
    let source = read("A [^1] word ![What it shows](https://a.example/b.png).\n\n[^1]: A note.\n");
    let translated = source.assembled(&in_upper_case(&source.units())).unwrap();
    let mut found = words(&translated.units());
    found.sort();
    assert_eq!(found, ["A   WORD  .", "A NOTE.", "WHAT IT SHOWS"]);
}

#[test]
fn titles_and_descriptions_of_a_page_are_texts() {
    let order = OrderKey::sequence(1).remove(0);
    let mut page = PageEntry::new(PageKind::Group, "First steps", "first-steps", order, Default::default());
    page.description = Some("What to do".to_owned());
    page.link_title = Some("5".to_owned());
    let units = page.units();
    assert_eq!(words(&units), ["First steps", "What to do"]);
    assert_eq!(units[0].limit, Some(500));
    let translated = page.assembled(&[Some(Tagged::plain("Erste Schritte")), None]).unwrap();
    assert_eq!(translated, PageEntry { title: "Erste Schritte".to_owned(), ..page });
}

proptest! {
    #[test]
    fn with_its_own_texts_a_document_is_the_same_but_for_fixed_anchors(document in documents()) {
        let answers: Vec<Option<Tagged>> = document.units().into_iter().map(|unit| Some(unit.text)).collect();
        let same = document.assembled(&answers).unwrap();
        prop_assert_eq!(&same, &document.assembled(&[]).unwrap());
        let mut fixed = document.clone();
        anchors::fix(&mut fixed, &document);
        prop_assert_eq!(&same, &fixed);
        let anchors = |document: &Document| -> Vec<String> {
            document.headings().into_iter().map(|heading| heading.anchor).collect()
        };
        prop_assert_eq!(anchors(&same), anchors(&document));
        prop_assert_eq!(same.assembled(&answers).unwrap(), same);
    }

    #[test]
    fn a_translated_document_is_valid_and_points_at_the_same(document in documents()) {
        let translated = document.assembled(&in_upper_case(&document.units())).unwrap();
        prop_assert_eq!(translated.check(), Ok(()));
        let targets = |document: &Document| -> Vec<String> {
            let mut targets: Vec<String> =
                document.references().into_iter().map(|found| format!("{:?}{:?}", found.key, found.target)).collect();
            targets.sort();
            targets
        };
        prop_assert_eq!(targets(&translated), targets(&document));
        prop_assert_eq!(translated.units().len(), document.units().len());
    }
}
