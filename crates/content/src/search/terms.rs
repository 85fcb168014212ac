//! Splits a text into words, with the same rule for pages and queries on every database.
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// The maximum length of a term, in characters; longer terms are cut.
pub(super) const MAX_TERM: usize = 64;

/// A word with its position in a text.
pub(super) struct Token<'a> {
    /// The form for search: NFKC, lower case, without diacritics, at most [`MAX_TERM`] characters.
    pub folded: &'a str,
    /// The same with diacritics, which stemming needs.
    pub lower: &'a str,
    /// Its range in bytes.
    pub range: std::ops::Range<usize>,
    /// Its index among the words of the text, from 0. An identifier has the index of its first part.
    pub position: u32,
    /// Its kind.
    pub kind: TokenKind,
}

/// The kind of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// A plain word, or a part of an identifier.
    Word,
    /// A whole identifier, such as `out_forward`, `v0.12` or `chunkLimit`. Its parts follow, within its range.
    Identifier,
    /// Two neighbouring characters (or the only one) of a script that has no spaces between words.
    Gram,
    /// The last character of a run of such script.
    LastGram,
}

/// The class of a character.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    /// Part of a word.
    Word,
    /// Part of a word if it is between such parts.
    Joint,
    /// A character of a script without spaces.
    Unspaced,
    /// A separator of words.
    Gap,
}

fn class_of(char: char) -> Class {
    match char {
        '_' | '.' => Class::Joint,
        _ if char.is_ascii() => {
            if char.is_ascii_alphanumeric() {
                Class::Word
            } else {
                Class::Gap
            }
        }
        _ if is_unspaced(char) => Class::Unspaced,
        _ if char.is_alphanumeric() || is_combining_mark(char) || is_ignored(char) => Class::Word,
        _ => Class::Gap,
    }
}

/// The class of the character at a byte, and its width in bytes.
fn class_at(text: &str, at: usize) -> (Class, usize) {
    let byte = text.as_bytes()[at];
    if byte.is_ascii() {
        return (class_of(char::from(byte)), 1);
    }
    text[at..].chars().next().map_or((Class::Gap, 1), |char| (class_of(char), char.len_utf8()))
}

/// Characters of Han, Kana, Hangul, Thai, Lao, Myanmar and Khmer, whose words are found by pairs of characters. Korean
/// has spaces, but joins particles to its words.
fn is_unspaced(char: char) -> bool {
    matches!(char,
        '\u{0e01}'..='\u{0e3a}' | '\u{0e40}'..='\u{0e4e}' | '\u{0e81}'..='\u{0ecd}' | '\u{1000}'..='\u{103f}'
        | '\u{1100}'..='\u{11ff}' | '\u{1780}'..='\u{17d3}' | '\u{3005}'..='\u{3007}' | '\u{3041}'..='\u{309f}'
        | '\u{30a1}'..='\u{30fa}' | '\u{30fc}'..='\u{30ff}' | '\u{3131}'..='\u{318e}' | '\u{31f0}'..='\u{31ff}'
        | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}' | '\u{f900}'..='\u{faff}'
        | '\u{ff66}'..='\u{ffdc}' | '\u{20000}'..='\u{3ffff}')
}

/// Invisible characters inside words: soft hyphen, joiners, variation selectors.
fn is_ignored(char: char) -> bool {
    matches!(char, '\u{ad}' | '\u{200c}' | '\u{200d}' | '\u{fe00}'..='\u{fe0f}')
}

/// Marks that people omit when they search: accents, Hebrew and Arabic points. In other scripts, marks make other
/// letters.
fn is_diacritic(char: char) -> bool {
    matches!(char,
        '\u{300}'..='\u{36f}' | '\u{483}'..='\u{487}' | '\u{591}'..='\u{5c7}' | '\u{640}' | '\u{64b}'..='\u{65f}'
        | '\u{670}' | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}' | '\u{20d0}'..='\u{20ff}')
}

/// Calls `visit` on every word, in order; on an identifier before its parts. Takes linear time.
pub(super) fn each_token(text: &str, visit: impl FnMut(Token<'_>)) {
    let mut reader = Reader { text, position: 0, lower: String::new(), folded: String::new(), cuts: Vec::new(), visit };
    let mut at = 0;
    while at < text.len() {
        let (class, width) = class_at(text, at);
        let end = match class {
            Class::Word => {
                let end = word_end(text, at);
                reader.word(at, end);
                end
            }
            Class::Unspaced => {
                let unspaced = |char| class_of(char) == Class::Unspaced || is_ignored(char);
                let end = text[at..].find(|char| !unspaced(char)).map_or(text.len(), |length| at + length);
                reader.grams(at, end);
                end
            }
            Class::Joint | Class::Gap => at + width,
        };
        at = end;
    }
}

/// The end of the word that begins here, including everything that `_`s or a single `.` join to it.
fn word_end(text: &str, start: usize) -> usize {
    let bytes = text.as_bytes();
    let mut at = start;
    let mut end = start;
    while at < bytes.len() {
        let (class, width) = class_at(text, at);
        match class {
            Class::Word => {
                at += width;
                end = at;
            }
            Class::Joint => {
                // One dot, or any number of underscores, if another part of the word follows.
                at += if bytes[at] == b'.' { 1 } else { bytes[at..].iter().take_while(|byte| **byte == b'_').count() };
                if at >= bytes.len() || class_at(text, at).0 != Class::Word {
                    break;
                }
            }
            Class::Unspaced | Class::Gap => break,
        }
    }
    end
}

struct Reader<'t, V> {
    text: &'t str,
    position: u32,
    lower: String,
    folded: String,
    cuts: Vec<(usize, usize)>,
    visit: V,
}

impl<V: FnMut(Token<'_>)> Reader<'_, V> {
    fn word(&mut self, start: usize, end: usize) {
        self.cut(start, end);
        let cuts = std::mem::take(&mut self.cuts);
        if cuts.len() > 1 {
            self.emit(start, end, TokenKind::Identifier);
        }
        for &(start, end) in &cuts {
            self.emit(start, end, TokenKind::Word);
            self.position += 1;
        }
        self.cuts = cuts;
    }

    /// Finds the parts of a word: between joints, and at changes of case.
    fn cut(&mut self, start: usize, end: usize) {
        self.cuts.clear();
        let word = &self.text[start..end];
        let bytes = word.as_bytes();
        if bytes[1..].iter().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit()) {
            self.cuts.push((start, end));
            return;
        }
        let mut part = start;
        let mut before: Option<char> = None;
        let mut chars = word.char_indices().peekable();
        while let Some((at, char)) = chars.next() {
            let at = start + at;
            if matches!(char, '_' | '.') {
                if part < at {
                    self.cuts.push((part, at));
                }
                part = at + 1;
                before = None;
                continue;
            }
            let begins = before.is_some_and(|before| {
                let mut lower_follows = || chars.peek().is_some_and(|(_, next)| next.is_lowercase());
                char.is_uppercase() && (before.is_lowercase() || (before.is_uppercase() && lower_follows()))
            });
            if begins {
                self.cuts.push((part, at));
                part = at;
            }
            before = Some(char);
        }
        if part < end {
            self.cuts.push((part, end));
        }
    }

    fn emit(&mut self, start: usize, end: usize, kind: TokenKind) {
        let word = &self.text[start..end];
        self.lower.clear();
        if word.is_ascii() {
            self.lower.push_str(&word[..word.len().min(MAX_TERM)]);
            self.lower.make_ascii_lowercase();
            let token =
                Token { folded: &self.lower, lower: &self.lower, range: start..end, position: self.position, kind };
            return (self.visit)(token);
        }
        let in_word = |char: &char| class_of(*char) == Class::Word && !is_ignored(*char) || matches!(char, '_' | '.');
        self.lower.extend(word.nfkc().flat_map(char::to_lowercase).filter(in_word).take(MAX_TERM));
        self.folded.clear();
        fold(&self.lower, &mut self.folded);
        if !self.folded.is_empty() {
            let range = start..end;
            (self.visit)(Token { folded: &self.folded, lower: &self.lower, range, position: self.position, kind });
        }
    }

    fn grams(&mut self, start: usize, end: usize) {
        let run = &self.text[start..end];
        let places: Vec<usize> = run.char_indices().map(|(at, _)| start + at).chain([end]).collect();
        // Some marks of these scripts consist of a blank and the mark.
        let chars: Vec<char> = run.nfkc().filter(|char| class_of(*char) == Class::Unspaced).collect();
        let aligned = chars.len() + 1 == places.len();
        for (index, first) in chars.iter().enumerate() {
            let second = chars.get(index + 1);
            self.folded.clear();
            self.folded.push(*first);
            self.folded.extend(second);
            let kind = if second.is_none() && chars.len() > 1 { TokenKind::LastGram } else { TokenKind::Gram };
            let until = index + 1 + usize::from(second.is_some());
            let range = if aligned { places[index]..places[until] } else { start..end };
            (self.visit)(Token { folded: &self.folded, lower: &self.folded, range, position: self.position, kind });
            self.position += 1;
        }
    }
}

/// Adds a lower-case word without its diacritics, with variants of letters replaced by the base letter.
pub(super) fn fold(lower: &str, folded: &mut String) {
    if lower.is_ascii() {
        return folded.push_str(lower);
    }
    let mut spelled = String::with_capacity(lower.len());
    for char in lower.nfd().filter(|char| !is_diacritic(*char)) {
        match char {
            'ß' => spelled.push_str("ss"),
            'æ' => spelled.push_str("ae"),
            'œ' => spelled.push_str("oe"),
            'þ' => spelled.push_str("th"),
            'ø' => spelled.push('o'),
            'đ' | 'ð' => spelled.push('d'),
            'ł' => spelled.push('l'),
            'ħ' => spelled.push('h'),
            'ı' => spelled.push('i'),
            'ς' => spelled.push('σ'),
            _ => spelled.push(char),
        }
    }
    folded.extend(spelled.nfc());
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rstest::rstest;

    fn words(text: &str) -> Vec<String> {
        let mut words = Vec::new();
        each_token(text, |token| words.push(token.folded.to_owned()));
        words
    }

    #[rstest]
    #[case("Buffer, chunk-limit; 3 sizes.", &["buffer", "chunk", "limit", "3", "sizes"])]
    #[case("out_forward", &["out_forward", "out", "forward"])]
    #[case("buffer.chunk_limit_size", &["buffer.chunk_limit_size", "buffer", "chunk", "limit", "size"])]
    #[case("v0.12", &["v0.12", "v0", "12"])]
    #[case("--config __init__ a..b x_.y", &["config", "init", "a", "b", "x", "y"])]
    #[case("chunkLimitSize HTTPServer OAuth2", &["chunklimitsize", "chunk", "limit", "size", "httpserver", "http", "server", "oauth2", "o", "auth2"])]
    #[case("don't l'été", &["don", "t", "l", "ete"])]
    #[case("Straße ÆØÅ Łódź İstanbul", &["strasse", "aeoa", "lodz", "istanbul"])]
    #[case("ﬁle ＡＢＣ ½", &["file", "abc", "12"])]
    #[case("日本語の", &["日本", "本語", "語の", "の"])]
    #[case("설정x日", &["설정", "정", "x", "日"])]
    #[case("हिन्दी", &["हिन्दी"])]
    #[case("co\u{ad}op", &["coop"])]
    #[case("😀 — !!", &[])]
    #[case("", &[])]
    fn a_text_is_split_into_words(#[case] text: &str, #[case] expected: &[&str]) {
        assert_eq!(words(text), expected);
    }

    #[test]
    fn composed_and_decomposed_letters_are_one() {
        assert_eq!(words("caf\u{e9}"), words("cafe\u{301}"));
        assert_eq!(words("が"), words("か\u{3099}"));
        assert_ne!(words("が"), words("か"), "the mark makes another letter");
    }

    #[test]
    fn a_long_word_is_cut() {
        assert_eq!(words(&"é".repeat(500)), ["e".repeat(MAX_TERM)]);
        assert_eq!(words(&"e".repeat(500)), ["e".repeat(MAX_TERM)]);
    }

    #[test]
    fn an_identifier_has_the_position_of_its_first_part() {
        let mut found = Vec::new();
        each_token("set out_s3 on", |token| found.push((token.folded.to_owned(), token.position, token.range)));
        let expected = [("set", 0, 0..3), ("out_s3", 1, 4..10), ("out", 1, 4..7), ("s3", 2, 8..10), ("on", 3, 11..13)];
        assert_eq!(found, expected.map(|(word, position, range)| (word.to_owned(), position, range)));
    }

    /// Panics unless the words of a text satisfy the assumptions of their callers.
    fn assert_plain(text: &str) {
        let mut last = 0;
        each_token(text, |token| {
            assert!(!token.folded.is_empty() && token.folded.chars().count() <= 2 * MAX_TERM);
            let plain = |char| matches!(class_of(char), Class::Word | Class::Unspaced) || matches!(char, '_' | '.');
            assert!(token.folded.chars().all(plain), "{text:?} becomes {:?}", token.folded);
            assert!(text.get(token.range.clone()).is_some());
            assert!(token.position >= last);
            last = token.position;
        });
    }

    #[test]
    fn no_character_becomes_what_a_query_language_could_mean() {
        for char in char::MIN..=char::MAX {
            assert_plain(&format!("{char} e{char}e 日{char}"));
        }
    }

    proptest! {
        #[test]
        fn terms_hold_nothing_that_a_query_language_could_mean(text in any::<String>()) {
            assert_plain(&text);
        }

        #[test]
        fn what_is_folded_stays_as_it_is(text in "[a-zA-Z0-9_.éÜßøçñ İς日本ก]{0,40}") {
            for word in words(&text) {
                let again = words(&word);
                prop_assert_eq!(again.first(), Some(&word));
            }
        }
    }
}
