//! A pseudo-translator: accents show which text was translated, and additional words show whether there is room for it.
use crate::tagged::decoded;

/// A text in XML markup (see [`Markup`](crate::Markup)) with accents on its letters and a third more words. Tags,
/// entities, digits and addresses do not change.
pub fn translated(text: &str) -> String {
    let mut written = String::with_capacity(text.len() * 2);
    let mut letters = 0_usize;
    for (at, part) in text.split('<').enumerate() {
        // Every `<` starts a tag, because others are escaped.
        let words = match part.split_once('>') {
            Some((tag, words)) if at > 0 => {
                written.push('<');
                written.push_str(tag);
                written.push('>');
                words
            }
            _ => part,
        };
        for word in words.split_inclusive(char::is_whitespace) {
            if is_address(word) {
                written.push_str(word);
            } else {
                letters += add_word(word, &mut written);
            }
        }
    }
    let more = letters * 3 / 10 / 5;
    for _ in 0..more {
        written.push_str(" ŵörð");
    }
    written
}

fn is_address(word: &str) -> bool {
    word.contains("://") || word.contains('@') || word.starts_with("www.")
}

/// Writes a word with accents; returns the number of its letters.
fn add_word(word: &str, into: &mut String) -> usize {
    let mut letters = 0;
    let mut rest = word;
    while let Some(char) = rest.chars().next() {
        let entity = if char == '&' { decoded(rest) } else { None };
        let length = match entity {
            Some((_, length)) => {
                into.push_str(&rest[..length]);
                length
            }
            None => {
                into.push(accented(char));
                letters += usize::from(char.is_alphabetic());
                char.len_utf8()
            }
        };
        rest = &rest[length..];
    }
    letters
}

fn accented(char: char) -> char {
    const FROM: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    const TO: &str = "åƀçðéƒĝĥîĵķļɱñöþǫŕšţûṽŵẋýžÅƁÇÐÉƑĜĤÎĴĶĻṀÑÖÞǪŔŠŢÛṼŴẊÝŽ";
    FROM.chars().zip(TO.chars()).find(|(from, _)| *from == char).map_or(char, |(_, to)| to)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Markup, Tagged};
    use proptest::prelude::*;
    use rstest::rstest;

    #[rstest]
    #[case("Open <g1>it</g1> &amp; <x2/> 5.2", "Öþéñ <g1>îţ</g1> &amp; <x2/> 5.2")]
    #[case("See https://example.org/a or ada@example.org", "Šéé https://example.org/a öŕ ada@example.org")]
    #[case("Ключ", "Ключ")]
    #[case("", "")]
    fn a_text_gets_accents_and_room(#[case] text: &str, #[case] expected: &str) {
        assert_eq!(translated(text), expected);
    }

    proptest! {
        #[test]
        fn the_answer_of_the_pseudo_translator_is_whole(text in "[ -~é日]{0,40}") {
            let text = Tagged::plain(&text);
            if text.has_letters() {
                let read = text.read(Markup::Xml, &translated(&text.written(Markup::Xml)));
                prop_assert!(read.is_ok(), "{read:?}");
            }
        }
    }
}
