//! The words of a text as search reads them, for others who compare texts.
use super::language::{Stems, is_stop_word};
use super::terms::{TokenKind, each_token};
use std::ops::Range;
use values::text::Language;

/// A word of a text.
#[derive(Debug)]
pub struct Word<'a> {
    /// Its form for search: lower case, without diacritics.
    pub folded: &'a str,
    /// Its stem; the folded word if the language has no stems.
    pub stem: &'a str,
    /// Whether the language has it in nearly every text, such as `the`.
    pub stop: bool,
    /// Its range in the text, in bytes.
    pub range: Range<usize>,
}

/// Reads texts of one language word by word. In a script without spaces, each pair of neighbouring characters is a
/// word.
pub struct Words {
    language: Option<Language>,
    stems: Stems,
}

impl Words {
    /// The words of a language; of English if absent.
    pub fn of(language: Option<Language>) -> Self {
        Self { language, stems: Stems::of(language) }
    }

    /// Calls `visit` on every word of a text, in order; on the parts of an identifier, not on the whole. Takes linear
    /// time.
    pub fn each(&mut self, text: &str, mut visit: impl FnMut(Word<'_>)) {
        each_token(text, |token| {
            if matches!(token.kind, TokenKind::Identifier | TokenKind::LastGram) {
                return;
            }
            let stem = match token.kind {
                TokenKind::Word => self.stems.stem(token.lower).unwrap_or(token.folded),
                _ => token.folded,
            };
            let stop = is_stop_word(token.folded, self.language);
            visit(Word { folded: token.folded, stem, stop, range: token.range });
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case(Language::En, "I installed out_forward.", &["i*", "instal", "out", "forward"])]
    #[case(Language::De, "Die Häuser", &["die*", "haus"])]
    #[case(Language::Ja, "日本語", &["日本", "本語"])]
    fn words_have_a_stem_and_stop_words_are_marked(
        #[case] language: Language,
        #[case] text: &str,
        #[case] expected: &[&str],
    ) {
        let mut found = Vec::new();
        Words::of(Some(language))
            .each(text, |word| found.push(format!("{}{}", word.stem, if word.stop { "*" } else { "" })));
        assert_eq!(found, expected);
    }
}
