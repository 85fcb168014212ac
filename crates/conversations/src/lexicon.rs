//! The keywords by which issues are found, in seven languages: one file for each in the folder `words`.
use content::search::Words;
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;
use values::text::Language;

/// A word of a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    /// Lower case, without diacritics.
    pub folded: String,
    /// Its stem.
    pub stem: String,
    /// Whether it is a stop word.
    pub stop: bool,
    /// Its range in the text, in bytes.
    pub range: std::ops::Range<usize>,
}

/// The words of a text.
pub(crate) fn tokens(words: &mut Words, text: &str) -> Vec<Token> {
    let mut found = Vec::new();
    words.each(text, |word| {
        found.push(Token {
            folded: word.folded.to_owned(),
            stem: word.stem.to_owned(),
            stop: word.stop,
            range: word.range,
        });
    });
    found
}

/// Words and phrases, indexed by their first word.
#[derive(Debug, Default)]
pub(crate) struct Phrases(HashMap<String, Vec<Vec<String>>>);

impl Phrases {
    /// Reads a comma-separated list of phrases, by stem.
    pub(crate) fn of_stems(words: &mut Words, list: &str) -> Self {
        let mut phrases = Self::default();
        for phrase in list.split(',') {
            phrases.add(tokens(words, phrase).into_iter().map(|token| token.stem).collect());
        }
        phrases
    }

    fn add(&mut self, phrase: Vec<String>) {
        if let Some(first) = phrase.first() {
            let known = self.0.entry(first.clone()).or_default();
            known.push(phrase);
            known.sort_by_key(|phrase| std::cmp::Reverse(phrase.len()));
        }
    }

    /// The number of words of the longest phrase that begins here; 0 if there is none. A word matches by
    /// its own form or by its stem.
    pub(crate) fn length_at(&self, tokens: &[Token]) -> usize {
        let Some(first) = tokens.first() else { return 0 };
        let by = |key: &String| self.0.get(key).into_iter().flatten();
        let is = |token: &Token, word: &String| token.folded == *word || token.stem == *word;
        let fits = |phrase: &&Vec<String>| {
            phrase.len() <= tokens.len() && phrase.iter().zip(tokens).all(|(word, token)| is(token, word))
        };
        by(&first.folded).chain(by(&first.stem)).filter(fits).map(Vec::len).max().unwrap_or(0)
    }

    /// Whether one of the phrases is in the sentence.
    pub(crate) fn is_in(&self, tokens: &[Token]) -> bool {
        (0..tokens.len()).any(|at| self.length_at(&tokens[at..]) > 0)
    }
}

/// The keywords of one language. All lists are empty for a language without keywords.
#[derive(Debug, Default)]
pub(crate) struct Lexicon {
    /// Greetings and farewells.
    pub hello: Phrases,
    /// Thanks and praise.
    pub thanks: Phrases,
    /// Yes, no, and words that only begin or end a sentence.
    pub yes: Phrases,
    /// Words of trouble, by stem.
    pub trouble: Phrases,
    /// Words of wanting and doing, by stem.
    pub wish: Phrases,
    /// Words in the first person.
    pub own: Phrases,
    /// Beginnings of questions.
    pub ask: Phrases,
    /// Words for what identifies a user, such as a name or a number.
    pub given: Phrases,
    /// Words of users who cannot continue, by stem.
    pub severe: Phrases,
    /// Words that say nothing about the topic of an issue.
    filler: HashSet<String>,
}

static LEXICONS: LazyLock<HashMap<Language, Lexicon>> = LazyLock::new(|| {
    let texts = [
        (Language::En, include_str!("../words/en.txt")),
        (Language::De, include_str!("../words/de.txt")),
        (Language::Fr, include_str!("../words/fr.txt")),
        (Language::Es, include_str!("../words/es.txt")),
        (Language::Pt, include_str!("../words/pt.txt")),
        (Language::It, include_str!("../words/it.txt")),
        (Language::Nl, include_str!("../words/nl.txt")),
    ];
    texts.into_iter().map(|(language, text)| (language, Lexicon::read(language, text))).collect()
});
static NONE: LazyLock<Lexicon> = LazyLock::new(Lexicon::default);

impl Lexicon {
    /// The languages that have keywords.
    pub(crate) const LANGUAGES: [Language; 7] =
        [Language::En, Language::De, Language::Fr, Language::Es, Language::Pt, Language::It, Language::Nl];

    /// The keywords of a language; of English if `None`.
    pub(crate) fn of(language: Option<Language>) -> &'static Self {
        LEXICONS.get(&crate::language::family(language)).unwrap_or(&NONE)
    }

    /// Whether the language has no keywords.
    pub(crate) fn is_empty(&self) -> bool {
        self.trouble.0.is_empty()
    }

    /// Whether a word says nothing about the topic of an issue.
    pub(crate) fn is_filler(&self, token: &Token) -> bool {
        token.stop || self.filler.contains(&token.folded)
    }

    /// The number of words of a text that are fillers or function words of the language.
    pub(crate) fn known_words(&self, text: &str) -> usize {
        let mut count = 0;
        Words::of(None).each(text, |word| count += usize::from(self.filler.contains(word.folded)));
        count
    }

    fn read(language: Language, text: &str) -> Self {
        let mut lexicon = Self::default();
        let mut words = Words::of(Some(language));
        let mut section = "";
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
            if let Some(name) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
                section = name;
                continue;
            }
            for phrase in line.split(',') {
                let tokens = tokens(&mut words, phrase);
                let folded = || tokens.iter().map(|token| token.folded.clone()).collect();
                let stems = || tokens.iter().map(|token| token.stem.clone()).collect();
                match section {
                    "hello" => lexicon.hello.add(folded()),
                    "thanks" => lexicon.thanks.add(folded()),
                    "yes" => lexicon.yes.add(folded()),
                    "self" => lexicon.own.add(folded()),
                    "given" => lexicon.given.add(folded()),
                    "ask" => lexicon.ask.add(folded()),
                    "trouble" => lexicon.trouble.add(stems()),
                    "wish" => lexicon.wish.add(stems()),
                    "severe" => lexicon.severe.add(stems()),
                    _ => lexicon.filler.extend(tokens.iter().map(|token| token.folded.clone())),
                }
            }
        }
        lexicon.filler.extend(
            FUNCTION_WORDS
                .iter()
                .filter(|(of, _)| *of == language)
                .flat_map(|(_, words)| words.split(' ').map(str::to_owned)),
        );
        lexicon
    }
}

/// Articles, prepositions and other function words, by which the language of a short text is detected.
const FUNCTION_WORDS: [(Language, &str); 7] = [
    (
        Language::En,
        "i we you can cannot since after the a an and of to in is are was with for on my your this that it not have from how what when",
    ),
    (Language::De, "der die das und von zu in ist sind war mit fur auf den dem ein eine nicht ich wie was wenn aus"),
    (Language::Fr, "le la les et de des du un une est sont dans avec pour sur pas je vous comment que qui au"),
    (Language::Es, "el la los las y de del un una es son en con para por no yo como que se lo al"),
    (Language::Pt, "o a os as e de do da dos um uma em no na com para por eu como que se ao"),
    (Language::It, "il lo la i gli le e di del della un una in nel con per su non io come che si al"),
    (Language::Nl, "de het een en van in is zijn was met voor op te ik u hoe wat als naar er dat dit"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case(Language::En, "the exports are failing", true)]
    #[case(Language::En, "I can't log in", true)]
    #[case(Language::En, "I like your colours", false)]
    #[case(Language::De, "der Export ist fehlgeschlagen", true)]
    #[case(Language::Fr, "l'application plante", true)]
    #[case(Language::Es, "la aplicación falla", true)]
    #[case(Language::Pt, "o aplicativo travou", true)]
    #[case(Language::It, "l'applicazione non funziona", true)]
    #[case(Language::Nl, "de app werkt niet", true)]
    fn trouble_is_found_in_every_form_of_a_word(#[case] language: Language, #[case] text: &str, #[case] found: bool) {
        let tokens = tokens(&mut Words::of(Some(language)), text);
        assert_eq!(Lexicon::of(Some(language)).trouble.is_in(&tokens), found);
    }

    #[test]
    fn every_language_has_every_list() {
        for language in Lexicon::LANGUAGES {
            let lexicon = Lexicon::of(Some(language));
            let lists = [
                &lexicon.hello,
                &lexicon.thanks,
                &lexicon.yes,
                &lexicon.own,
                &lexicon.ask,
                &lexicon.given,
                &lexicon.severe,
            ];
            assert!(lists.iter().all(|list| !list.0.is_empty()), "{language}");
            assert!(lexicon.wish.0.len() > 50 && lexicon.trouble.0.len() > 40 && !lexicon.is_empty(), "{language}");
        }
        assert!(Lexicon::of(Some(Language::Ja)).is_empty());
    }
}
