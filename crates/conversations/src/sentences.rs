//! Splits text into sentences.

/// The maximum number of characters of a sentence; a longer one is cut between words.
const MAX_LENGTH: usize = 400;

/// The sentences of a paragraph, without white space at their ends, in order. Takes linear time.
///
/// A sentence ends after `.`, `!`, `?`, `…` or their forms in other scripts, before a blank, unless the next word is in
/// lower case or the dot belongs to a number or a short abbreviation.
pub(crate) fn sentences(paragraph: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut start = 0;
    let mut length = 0;
    let mut last_blank = None;
    let mut word = 0;
    let mut chars = paragraph.char_indices().peekable();
    while let Some((at, char)) = chars.next() {
        let end = at + char.len_utf8();
        length += 1;
        if char.is_whitespace() {
            last_blank = Some(at);
            word = end;
        }
        let wide = matches!(char, '。' | '！' | '？' | '｡' | '।');
        let next_is_end = chars.peek().is_none_or(|(_, next)| next.is_whitespace());
        let ends = wide || char == '\n' || matches!(char, '.' | '!' | '?' | '…' | '؟') && next_is_end;
        if ends && (char != '.' || ends_sentence(&paragraph[word..at], &paragraph[end..])) {
            push(&mut found, &paragraph[start..end]);
            (start, length, last_blank) = (end, 0, None);
        } else if length >= MAX_LENGTH {
            let cut = last_blank.filter(|blank| *blank > start).unwrap_or(end);
            push(&mut found, &paragraph[start..cut]);
            (start, length, last_blank) = (cut, paragraph[cut..end].chars().count(), None);
        }
    }
    push(&mut found, &paragraph[start..]);
    found
}

fn push<'a>(found: &mut Vec<&'a str>, sentence: &'a str) {
    let sentence = sentence.trim();
    if sentence.chars().any(char::is_alphanumeric) {
        found.push(sentence);
    }
}

/// Whether a dot after this word and before this rest ends a sentence.
fn ends_sentence(word: &str, rest: &str) -> bool {
    let word = word.trim_start_matches(['(', '"', '\'', '[', '“', '„', '«']);
    let next = rest.trim_start().chars().next();
    if next.is_some_and(char::is_lowercase) {
        return false;
    }
    let number = !word.is_empty() && word.len() <= 2 && word.bytes().all(|byte| byte.is_ascii_digit());
    let initial = word.chars().count() == 1 && word.chars().all(char::is_alphabetic) && word != "I";
    let known = [
        "mr", "mrs", "ms", "dr", "prof", "st", "no", "nr", "vs", "etc", "bzw", "ca", "z.b", "e.g", "i.e", "d.h",
        "p.ex", "sr", "sra",
    ];
    let short = known.iter().any(|known| known.eq_ignore_ascii_case(word));
    next.is_none() || !(number || initial || short)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rstest::rstest;

    #[rstest]
    #[case("It fails. Why? Help!", &["It fails.", "Why?", "Help!"])]
    #[case("Version 1.2.3 is broken. See e.g. page 3.", &["Version 1.2.3 is broken.", "See e.g. page 3."])]
    #[case("Dr. Smith wrote. OK", &["Dr. Smith wrote.", "OK"])]
    #[case("1. Open it\n2. Look", &["1. Open it", "2. Look"])]
    #[case("動きません。なぜ？", &["動きません。", "なぜ？"])]
    #[case("wait... what", &["wait... what"])]
    #[case("  ", &[])]
    #[case("...", &[])]
    fn text_is_split_after_the_end_of_a_sentence(#[case] text: &str, #[case] expected: &[&str]) {
        assert_eq!(sentences(text), expected);
    }

    #[test]
    fn a_long_sentence_is_cut_between_words() {
        let text = "many words ".repeat(100);
        assert!(sentences(&text).iter().all(|part| part.chars().count() <= MAX_LENGTH && part.starts_with("many")));
        assert!(sentences(&"x".repeat(1000)).iter().all(|part| part.len() <= MAX_LENGTH));
    }

    proptest! {
        #[test]
        fn sentences_lose_no_letter(text in "\\PC{0,900}") {
            let letters = |text: &str| text.chars().filter(|char| char.is_alphanumeric()).collect::<String>();
            prop_assert_eq!(letters(&sentences(&text).concat()), letters(&text));
        }
    }
}
