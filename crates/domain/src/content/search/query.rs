//! What a query asks for.
use super::correct::{corrections, variants};
use super::index::is_correctable;
use super::language::{Stems, is_stop_word};
use super::terms::{Token, TokenKind, each_token};
use crate::text::Language;

/// The term of every first section, which stands for its page as a whole.
pub(super) const FIRST: &str = "~";

/// How many words of a query count.
const MAX_WORDS: usize = 16;
/// The shortest beginning of a word that finds the whole, in characters.
const MIN_PREFIX: usize = 2;

/// How much a term says about the section that it is found by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tier {
    /// It stands in the page's title.
    Title,
    /// In the heading, or in the title.
    Heading,
    /// Often in the text, or in heading or title.
    Strong,
    /// Anywhere in the section.
    Any,
    /// Not in the section, but in the title of its page; for the first section, anywhere on its page.
    Elsewhere,
}

impl Tier {
    /// What stands before a term of this tier in the index.
    pub(super) fn mark(self) -> Option<char> {
        match self {
            Self::Title => Some('^'),
            Self::Heading => Some('#'),
            Self::Strong => Some('+'),
            Self::Any => None,
            Self::Elsewhere => Some('~'),
        }
    }

    /// Lower is better. Each tier of a section's own terms holds those of the better ones.
    pub(super) fn rank(self) -> u8 {
        match self {
            Self::Title => 0,
            Self::Heading => 1,
            Self::Strong => 2,
            Self::Any => 3,
            Self::Elsewhere => 4,
        }
    }
}

/// Which sections match, over the terms of [`super::IndexedSection::lexemes`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Condition {
    /// Those with this term.
    Term(String),
    /// Those with a term that begins so.
    Prefix(String),
    /// Those that match all of these; never empty.
    All(Vec<Condition>),
    /// Those that match any of these; never empty.
    Any(Vec<Condition>),
}

impl Condition {
    fn all(mut conditions: Vec<Self>) -> Self {
        if conditions.len() == 1 { conditions.remove(0) } else { Self::All(conditions) }
    }

    fn any(mut conditions: Vec<Self>) -> Self {
        if conditions.len() == 1 { conditions.remove(0) } else { Self::Any(conditions) }
    }
}

/// How a term stands for a word of the query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// It is the word.
    Exact,
    /// It is the word's stem.
    Stem,
    /// The word may be its beginning.
    Prefix,
    /// It is so many edits off.
    Typo(usize),
}

/// A word of a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Word {
    /// The terms that stand for it.
    pub forms: Vec<(String, Form)>,
    /// The parts of an identifier: all of them stand for it as well.
    pub parts: Vec<Word>,
    /// Whether it must be found; words such as `how` and `the` need not.
    pub required: bool,
    /// Which word of the query it is, from 0.
    pub position: u32,
}

impl Word {
    fn is_identifier(&self) -> bool {
        !self.parts.is_empty()
    }

    fn condition(&self, tier: Tier, elsewhere: bool) -> Condition {
        let mut any = Vec::new();
        for tier in [Some(tier), elsewhere.then_some(Tier::Elsewhere)].into_iter().flatten() {
            for (term, form) in &self.forms {
                let marked: String = tier.mark().into_iter().chain(term.chars()).collect();
                any.push(if *form == Form::Prefix { Condition::Prefix(marked) } else { Condition::Term(marked) });
            }
        }
        if self.is_identifier() {
            any.push(Condition::all(self.parts.iter().map(|part| part.condition(tier, elsewhere)).collect()));
        }
        Condition::any(any)
    }

    /// Calls `visit` on the words without parts: this one, or its parts.
    fn each_leaf_mut(&mut self, visit: &mut impl FnMut(&mut Word)) {
        if self.parts.is_empty() { visit(self) } else { self.parts.iter_mut().for_each(visit) }
    }
}

/// What a query asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    pub(super) words: Vec<Word>,
}

impl Query {
    /// Reads a query as it was typed. Every text is one: there is no syntax that it could break.
    ///
    /// Words are looked for in all their forms in the `languages` of the spaces. The last word may be the beginning of
    /// one, unless white space follows it.
    pub fn parse(text: &str, languages: &[Option<Language>]) -> Self {
        let mut languages = languages.to_vec();
        languages.sort_by_key(|language| language.unwrap_or(Language::En).code());
        languages.dedup_by_key(|language| language.unwrap_or(Language::En).code());
        let mut reader = Reader { stems: languages.iter().map(|language| Stems::of(*language)).collect(), words: Vec::new(), identifier: 0 };
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

    /// Whether it asks for nothing.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    fn required(&self) -> impl Iterator<Item = &Word> {
        self.words.iter().filter(|word| word.required)
    }

    /// The sections that hold every word. A word may stand in the title of the section's page alone, or for a page as
    /// a whole in any of its sections; another section holds one of them itself.
    ///
    /// `None` when the query is empty, as for all conditions here.
    pub fn every_word(&self) -> Option<Condition> {
        self.every(Tier::Any)
    }

    fn every(&self, tier: Tier) -> Option<Condition> {
        every(&self.required().collect::<Vec<_>>(), tier)
    }

    /// The same, narrowed in several ways: the sections where it says most come first.
    pub fn every_word_narrowed(&self) -> Vec<Condition> {
        let as_written = || {
            let words: Vec<Word> = self.required().map(|word| Word { parts: Vec::new(), ..word.clone() }).collect();
            every(&words.iter().collect::<Vec<_>>(), Tier::Any)
        };
        let identifiers = self.words.iter().any(Word::is_identifier).then(as_written).flatten();
        let title = self.every(Tier::Title);
        let rest = [Tier::Heading, Tier::Strong].map(|tier| self.every(tier));
        title.into_iter().chain(identifiers).chain(rest.into_iter().flatten()).collect()
    }

    /// The sections that hold every word but one. `None` also when that would leave less than two.
    pub fn every_word_but_one(&self) -> Option<Condition> {
        let words: Vec<&Word> = self.required().collect();
        let without = |out: usize| {
            let rest: Vec<&Word> = words.iter().enumerate().filter(|(at, _)| *at != out).map(|(_, word)| *word).collect();
            every(&rest, Tier::Any)
        };
        if words.len() < 3 { None } else { Some(Condition::any((0..words.len()).filter_map(without).collect())) }
    }

    /// The sections that hold any of the words, best first.
    pub fn any_word_narrowed(&self) -> Vec<Condition> {
        let some = |tier| {
            let words: Vec<Condition> = self.required().map(|word| word.condition(tier, false)).collect();
            (!words.is_empty()).then(|| Condition::any(words))
        };
        [Tier::Title, Tier::Heading, Tier::Strong, Tier::Any].into_iter().filter_map(some).collect()
    }

    /// For every word that must be found (identifiers by their parts), the sections that hold it anywhere.
    pub fn each_word(&self) -> Vec<Condition> {
        self.leaves().into_iter().map(|word| word.condition(Tier::Any, false)).collect()
    }

    fn leaves(&self) -> Vec<&Word> {
        let leaves = |word| -> Vec<&Word> { if Word::is_identifier(word) { word.parts.iter().collect() } else { vec![word] } };
        self.required().flat_map(leaves).collect()
    }

    /// By which variants the words that were not found may be corrected; `found` says it of each of [`Self::each_word`].
    pub fn variants_of_missing(&self, found: &[bool]) -> Vec<String> {
        let missing = self.leaves().into_iter().zip(found).filter(|(_, found)| !**found);
        let mut all: Vec<String> = missing.filter(|(word, _)| is_correctable(&word.forms[0].0)).flat_map(|(word, _)| variants(&word.forms[0].0)).collect();
        all.sort();
        all.dedup();
        all
    }

    /// The query with the words that were not found corrected to known words near them, where there are any.
    pub fn corrected(mut self, found: &[bool], known: &[String]) -> Self {
        let mut found = found.iter();
        for word in self.words.iter_mut().filter(|word| word.required) {
            word.each_leaf_mut(&mut |leaf| {
                if found.next() == Some(&false) {
                    let near = corrections(&leaf.forms[0].0, known.iter().cloned());
                    leaf.forms.extend(near.into_iter().map(|(term, edits)| (term, Form::Typo(edits))));
                }
            });
        }
        self
    }

    /// The query without the words that are not found in any form.
    pub fn without_missing(mut self, found: &[bool]) -> Self {
        let mut found = found.iter();
        self.words.retain_mut(|word| {
            if !word.required {
                return true;
            }
            let mut all = true;
            word.each_leaf_mut(&mut |_| all &= found.next() != Some(&false));
            all
        });
        if self.required().next().is_none() {
            self.words.clear();
        }
        self
    }
}

fn every(words: &[&Word], tier: Tier) -> Option<Condition> {
    match words {
        [] => None,
        [word] if !word.is_identifier() => Some(word.condition(tier, false)),
        _ => {
            let mut all: Vec<Condition> = words.iter().map(|word| word.condition(tier, true)).collect();
            let mut here: Vec<Condition> = words.iter().map(|word| word.condition(tier, false)).collect();
            if tier == Tier::Any {
                here.push(Condition::Term(FIRST.to_owned()));
            }
            all.push(Condition::any(here));
            Some(Condition::all(all))
        }
    }
}

struct Reader {
    stems: Vec<Stems>,
    words: Vec<Word>,
    /// Where the last identifier ends, in bytes.
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
            // A single character of such script stands at the beginning of a pair or at the end of a text.
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
    /// Lets the word be the beginning of another.
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
    use super::*;
    use proptest::prelude::*;

    fn show(condition: &Condition) -> String {
        let list = |all: &[Condition], between| format!("({})", all.iter().map(show).collect::<Vec<_>>().join(between));
        match condition {
            Condition::Term(term) => term.clone(),
            Condition::Prefix(term) => format!("{term}*"),
            Condition::All(all) => list(all, " & "),
            Condition::Any(any) => list(any, " | "),
        }
    }

    fn every_word(query: &str) -> String {
        Query::parse(query, &[None]).every_word().as_ref().map(show).unwrap_or_default()
    }

    #[test]
    fn one_word_is_looked_for_in_sections_themselves() {
        assert_eq!(every_word("Forwarding "), "(forwarding | forward)");
        assert_eq!(every_word("forward"), "(forward | forward*)", "the last word may go on");
        assert_eq!(every_word("x"), "x", "one letter does not stand for all words that begin with it");
    }

    #[test]
    fn several_words_may_stand_elsewhere_on_the_page_but_not_all_of_them() {
        assert_eq!(every_word("tls port "), "((tls | ~tls) & (port | ~port) & (tls | port | ~))");
    }

    #[test]
    fn an_identifier_is_found_whole_or_by_its_parts() {
        assert_eq!(every_word("out_s3 "), "((out_s3 | ~out_s3 | ((out | ~out) & (s3 | ~s3))) & ((out_s3 | (out & s3)) | ~))");
        let narrowed: Vec<String> = Query::parse("out_s3 ", &[None]).every_word_narrowed().iter().map(show).collect();
        assert_eq!(narrowed[1], "out_s3");
        assert_eq!(narrowed.len(), 4);
    }

    #[test]
    fn little_words_need_not_be_found_unless_there_are_no_others() {
        assert_eq!(every_word("how do I install the buffer "), every_word("install buffer "));
        assert_eq!(every_word("how to "), "((how | ~how) & (to | ~to) & (how | to | ~))");
    }

    #[test]
    fn script_without_spaces_is_looked_for_by_pairs() {
        assert_eq!(every_word("日本語 "), "((日本 | ~日本) & (本語 | ~本語) & (日本 | 本語 | ~))");
        assert_eq!(every_word("日 "), "(日 | 日*)");
    }

    #[test]
    fn a_word_has_its_stems_in_every_language_of_the_spaces() {
        let query = Query::parse("installations ", &[Some(Language::En), None, Some(Language::Fr)]);
        assert_eq!(query.every_word().as_ref().map(show).as_deref(), Some("(installations | instal | install)"));
    }

    #[test]
    fn all_but_one_of_three_words_or_more_may_do() {
        assert_eq!(Query::parse("alpha beta", &[]).every_word_but_one(), None);
        let query = Query::parse("one two six ", &[]);
        let shown = query.every_word_but_one().as_ref().map(show).unwrap_or_default();
        assert_eq!(shown.matches(" & ").count(), 6, "{shown}");
        assert!(shown.starts_with("(((two | ~two) & (six | ~six) & (two | six | ~)) | ((one"), "{shown}");
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

    fn holds_nothing_empty(condition: &Condition) -> bool {
        match condition {
            Condition::Term(term) | Condition::Prefix(term) => !term.is_empty(),
            Condition::All(all) | Condition::Any(all) => !all.is_empty() && all.iter().all(holds_nothing_empty),
        }
    }

    proptest! {
        #[test]
        fn every_text_is_a_query_of_bounded_size(text in "(?s).{0,512}") {
            let query = Query::parse(&text, &[None, Some(Language::De)]);
            prop_assert!(query.words.len() <= MAX_WORDS);
            let conditions = query.every_word().into_iter()
                .chain(query.every_word_narrowed()).chain(query.every_word_but_one())
                .chain(query.any_word_narrowed()).chain(query.each_word());
            for condition in conditions {
                prop_assert!(holds_nothing_empty(&condition));
                prop_assert!(show(&condition).len() < 400_000);
            }
            let all = vec![false; query.each_word().len()];
            prop_assert!(query.without_missing(&all).is_empty());
        }
    }
}
