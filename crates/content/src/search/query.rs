//! Parses queries into words.
use super::correct::{corrections, variants};
use super::index::is_correctable;
use super::language::{Stems, is_stop_word};
use super::terms::{Token, TokenKind, each_token};
use values::text::Language;

/// The maximum number of words of a query; further words are ignored.
pub(super) const MAX_WORDS: usize = 16;
/// The shortest prefix that finds a whole word, in characters.
const MIN_PREFIX: usize = 2;

/// How a term matches a word of the query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// It is the word.
    Exact,
    /// It is the word's stem.
    Stem,
    /// The word may be a prefix of it.
    Prefix,
    /// It is this many edits away.
    Typo(usize),
}

/// A word of a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Word {
    /// The terms that match it.
    pub forms: Vec<(String, Form)>,
    /// The parts of an identifier. All of them together match it as well.
    pub parts: Vec<Word>,
    /// Whether it must be found; stop words such as `how` and `the` need not.
    pub required: bool,
    /// Its index in the query, from 0.
    pub position: u32,
}

impl Word {
    pub(super) fn is_identifier(&self) -> bool {
        !self.parts.is_empty()
    }

    /// Calls `visit` on the word if it was not found, or, for an identifier, on its missing parts. `found` has the
    /// result for the word, then for its parts. Returns whether anything was missing: an identifier is found if the
    /// whole or all of its parts are.
    fn each_missing(&mut self, found: &mut impl Iterator<Item = bool>, visit: &mut impl FnMut(&mut Word)) -> bool {
        let whole = found.next() == Some(true);
        let parts: Vec<bool> = found.take(self.parts.len()).collect();
        if whole {
            return false;
        }
        if self.parts.is_empty() {
            visit(self);
            return true;
        }
        let mut missing = false;
        for (part, _) in self.parts.iter_mut().zip(parts).filter(|(_, found)| !found) {
            visit(part);
            missing = true;
        }
        missing
    }
}

/// A parsed query.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    pub(super) words: Vec<Word>,
}

impl Query {
    /// Parses a query as it was typed. Every text is valid: there is no syntax.
    ///
    /// All forms of the words in the `languages` of the spaces match. The last word may be a prefix, unless white space
    /// follows it.
    pub fn parse(text: &str, languages: &[Option<Language>]) -> Self {
        let mut languages = languages.to_vec();
        languages.sort_by_key(|language| language.unwrap_or(Language::En).as_str());
        languages.dedup_by_key(|language| language.unwrap_or(Language::En).as_str());
        let mut reader = Reader {
            stems: languages.iter().map(|language| Stems::of(*language)).collect(),
            words: Vec::new(),
            identifier: 0,
        };
        each_token(text, |token| reader.take(token));
        let mut words = reader.words;
        let meant = |word: &Word| !languages.iter().any(|language| is_stop_word(&word.forms[0].0, *language));
        let all = !words.iter().any(meant);
        for word in &mut words {
            word.required = all || meant(word);
        }
        let goes_on = text.ends_with(|char: char| char.is_alphanumeric() || matches!(char, '_' | '.'));
        if let Some(last) = words.last_mut().filter(|last| goes_on && last.required) {
            last.complete();
        }
        Self { words }
    }

    /// Whether it has no words.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    pub(super) fn required(&self) -> impl Iterator<Item = &Word> {
        self.words.iter().filter(|word| word.required)
    }

    /// The variants by which missing words can be corrected. `found` has the result for each of [`Self::each_word`].
    pub fn variants_of_missing(&self, found: &[bool]) -> Vec<String> {
        let mut all = Vec::new();
        let mut found = found.iter().copied();
        for word in self.required() {
            word.clone().each_missing(&mut found, &mut |missing| {
                let term = &missing.forms[0].0;
                if is_correctable(term) {
                    all.extend(variants(term));
                }
            });
        }
        all.sort();
        all.dedup();
        all
    }

    /// The query with missing words corrected to similar known words, if there are any.
    pub fn corrected(mut self, found: &[bool], known: &[String]) -> Self {
        let mut found = found.iter().copied();
        for word in self.words.iter_mut().filter(|word| word.required) {
            word.each_missing(&mut found, &mut |missing| {
                let near = corrections(&missing.forms[0].0, known.iter().cloned());
                missing.forms.extend(near.into_iter().map(|(term, edits)| (term, Form::Typo(edits))));
            });
        }
        self
    }

    /// The query without words of which no form was found.
    pub fn without_missing(mut self, found: &[bool]) -> Self {
        let mut found = found.iter().copied();
        self.words.retain_mut(|word| !word.required || !word.each_missing(&mut found, &mut |_| {}));
        if self.required().next().is_none() {
            self.words.clear();
        }
        self
    }
}

struct Reader {
    stems: Vec<Stems>,
    words: Vec<Word>,
    /// The end of the last identifier, in bytes.
    identifier: usize,
}

impl Reader {
    fn take(&mut self, token: Token<'_>) {
        let is_part = token.range.end <= self.identifier;
        if token.kind == TokenKind::LastGram || (!is_part && self.words.len() == MAX_WORDS) {
            return;
        }
        let mut forms = vec![(token.folded.to_owned(), Form::Exact)];
        if token.kind == TokenKind::Word {
            for stems in &mut self.stems {
                if let Some(stem) = stems.stem(token.lower).map(|stem| (stem.to_owned(), Form::Stem))
                    && !forms.contains(&stem)
                {
                    forms.push(stem);
                }
            }
        }
        if token.kind == TokenKind::Gram && token.folded.chars().count() == 1 {
            // A single character of such a script is at the beginning of a pair or at the end of a text.
            forms.push((token.folded.to_owned(), Form::Prefix));
        }
        let word = Word { forms, parts: Vec::new(), required: true, position: token.position };
        match self.words.last_mut() {
            Some(identifier) if is_part => {
                if identifier.parts.len() < MAX_WORDS {
                    identifier.parts.push(word);
                }
            }
            _ => self.words.push(word),
        }
        if token.kind == TokenKind::Identifier {
            self.identifier = token.range.end;
        }
    }
}

impl Word {
    /// Also matches terms that begin with the word.
    fn complete(&mut self) {
        let (term, _) = &self.forms[0];
        if term.chars().count() >= MIN_PREFIX && !self.forms.iter().any(|(_, form)| *form == Form::Prefix) {
            self.forms.push((term.clone(), Form::Prefix));
        }
        if let Some(part) = self.parts.last_mut() {
            part.complete();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::condition::tests::{every_word, show};
    use super::*;

    #[test]
    fn little_words_need_not_be_found_unless_there_are_no_others() {
        assert_eq!(every_word("how do I install the buffer "), every_word("install buffer "));
        assert_eq!(every_word("how to "), "((how | ~how) & (to | (~to & (how | ~))))");
    }

    #[test]
    fn script_without_spaces_is_looked_for_by_pairs() {
        assert_eq!(every_word("日本語 "), "((日本 | ~日本) & (本語 | (~本語 & (日本 | ~))))");
        assert_eq!(every_word("日 "), "(日 | 日*)");
    }

    #[test]
    fn a_word_has_its_stems_in_every_language_of_the_spaces() {
        let query = Query::parse("installations ", &[Some(Language::En), None, Some(Language::Fr)]);
        assert_eq!(query.every_word().as_ref().map(show).as_deref(), Some("(installations | instal | install)"));
    }

    #[test]
    fn only_what_is_missing_is_corrected_or_left_out() {
        let query = Query::parse("buffer forwad xyzzy ", &[None]);
        let found = [true, false, false];
        assert!(query.variants_of_missing(&found).contains(&"forwad".to_owned()));
        assert!(!query.variants_of_missing(&found).contains(&"buffer".to_owned()));
        let query = query.corrected(&found, &["forward".to_owned(), "buffers".to_owned()]);
        let shown: Vec<String> = query.each_word().iter().map(show).collect();
        assert_eq!(shown, ["buffer", "(forwad | forward)", "(xyzzy | xyzzi)"]);
        let query = query.without_missing(&[true, true, false]);
        assert_eq!(query.each_word().len(), 2);
        assert!(query.without_missing(&[false, false]).is_empty());
    }

    #[test]
    fn an_identifier_is_there_as_a_whole_or_by_its_parts() {
        let query = Query::parse("OAuth ", &[None]);
        assert_eq!(query.each_word().len(), 3);
        assert_eq!(query.variants_of_missing(&[true, false, false]), Vec::<String>::new());
        assert!(!query.clone().without_missing(&[true, false, false]).is_empty());
        assert!(!query.clone().without_missing(&[false, true, true]).is_empty());
        assert!(query.variants_of_missing(&[false, true, false]).contains(&"auth".to_owned()));
        assert!(query.without_missing(&[false, true, false]).is_empty());
    }
}
