//! The conditions of a query on sections.
use super::query::{Form, Query, Word};

/// The term of every first section, which represents its page as a whole.
pub(super) const FIRST: &str = "~";

/// Ends the term of a [`beginning`].
pub(super) const BEGINNING: char = '*';

/// The first two characters of a longer word, which are a term of their own: a query that ends with two letters is
/// typed often, and to look up each of the words that begin with them would take long.
pub(super) fn beginning(word: &str) -> Option<&str> {
    word.char_indices().nth(2).map(|(end, _)| &word[..end])
}

/// How prominent a term is in a section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tier {
    /// It is in the page's title.
    Title,
    /// It is in the heading or the title.
    Heading,
    /// It is frequent in the text, or in the heading or the title.
    Strong,
    /// It is anywhere in the section.
    Any,
    /// It is not in the section, but in the title of its page; for the first section, anywhere on its page.
    Elsewhere,
}

impl Tier {
    pub(super) const COUNT: usize = 5;

    /// The prefix of terms of this tier in the index.
    pub(super) fn mark(self) -> Option<char> {
        match self {
            Self::Title => Some('^'),
            Self::Heading => Some('#'),
            Self::Strong => Some('+'),
            Self::Any => None,
            Self::Elsewhere => Some('~'),
        }
    }

    /// The rank: lower is better. Each tier of a section's own terms includes the better tiers.
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

/// A condition on the terms of a section ([`super::IndexedSection::lexemes`]).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Condition {
    /// The section has this term.
    Term(String),
    /// The section has a term with this prefix.
    Prefix(String),
    /// All of these; never empty.
    All(Vec<Condition>),
    /// Any of these; never empty.
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

impl Word {
    fn condition(&self, tier: Tier, elsewhere: bool) -> Condition {
        let mut any = self.terms(tier);
        if elsewhere {
            any.extend(self.terms(Tier::Elsewhere));
        }
        if self.is_identifier() {
            any.push(Condition::all(self.parts.iter().map(|part| part.condition(tier, elsewhere)).collect()));
        }
        Condition::any(any)
    }

    /// The terms of all forms in a tier.
    fn terms(&self, tier: Tier) -> Vec<Condition> {
        let term = |(term, form): &(String, Form)| {
            let marked: String = tier.mark().into_iter().chain(term.chars()).collect();
            match form {
                // The word itself is another form.
                Form::Prefix if term.chars().count() == 2 => Condition::Term(format!("{marked}{BEGINNING}")),
                Form::Prefix => Condition::Prefix(marked),
                _ => Condition::Term(marked),
            }
        };
        self.forms.iter().map(term).collect()
    }
}

impl Query {
    /// The sections with every word. A section must contain at least one of the words itself; the others may be in the
    /// title of its page. The first section of a page also matches words in any section of the page.
    ///
    /// `None` if the query is empty, as for all conditions here.
    pub fn every_word(&self) -> Option<Condition> {
        self.every(Tier::Any)
    }

    fn every(&self, tier: Tier) -> Option<Condition> {
        every(&self.required().collect::<Vec<_>>(), tier)
    }

    /// Narrower forms of [`Self::every_word`]: the sections where the words are most prominent come first.
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

    /// The sections with all words but one. `None` also if that would leave fewer than two.
    pub fn every_word_but_one(&self) -> Option<Condition> {
        let words: Vec<&Word> = self.required().collect();
        let without = |out: usize| {
            let rest: Vec<&Word> =
                words.iter().enumerate().filter(|(at, _)| *at != out).map(|(_, word)| *word).collect();
            every(&rest, Tier::Any)
        };
        if words.len() < 3 { None } else { Some(Condition::any((0..words.len()).filter_map(without).collect())) }
    }

    /// The sections with any of the words, best first.
    pub fn any_word_narrowed(&self) -> Vec<Condition> {
        let some = |tier| {
            let words: Vec<Condition> = self.required().map(|word| word.condition(tier, false)).collect();
            (!words.is_empty()).then(|| Condition::any(words))
        };
        [Tier::Title, Tier::Heading, Tier::Strong, Tier::Any].into_iter().filter_map(some).collect()
    }

    /// [`Self::every_word`] and its narrower forms. Empty if the query is empty, as [`Self::some_words_in_turn`].
    pub fn every_word_in_turn(&self) -> Vec<Condition> {
        self.every_word().into_iter().chain(self.every_word_narrowed()).collect()
    }

    /// The sections with all words but one or with any word, and the narrower forms of this condition: all words but
    /// one, and then any word, where it is most prominent.
    pub fn some_words_in_turn(&self) -> Vec<Condition> {
        let all_but_one = self.every_word_but_one();
        let mut any = self.any_word_narrowed();
        let Some(any_word) = any.pop() else { return Vec::new() };
        let whole = Condition::any(all_but_one.iter().cloned().chain([any_word]).collect());
        std::iter::once(whole).chain(all_but_one).chain(any).collect()
    }

    /// For every required word, and then for each of its parts if it is an identifier: the sections that contain it.
    pub fn each_word(&self) -> Vec<Condition> {
        let with_parts = self.required().flat_map(|word| std::iter::once(word).chain(&word.parts));
        with_parts.map(|word| word.condition(Tier::Any, false)).collect()
    }
}

fn every(words: &[&Word], tier: Tier) -> Option<Condition> {
    let (last, others) = words.split_last()?;
    let here = last.condition(tier, false);
    if others.is_empty() && !last.is_identifier() {
        return Some(here);
    }
    // Either the last word is here, or it is elsewhere and another one is here. A prefix is slow to look up, and only
    // the last word has one: so it is in the condition as rarely as possible.
    let mut another_here: Vec<Condition> = others.iter().map(|word| word.condition(tier, false)).collect();
    if tier == Tier::Any {
        another_here.push(Condition::Term(FIRST.to_owned()));
    }
    let mut of_last = vec![here];
    if !another_here.is_empty() {
        let elsewhere = match last.is_identifier() {
            true => last.condition(tier, true),
            false => Condition::any(last.terms(Tier::Elsewhere)),
        };
        of_last.push(Condition::all(vec![elsewhere, Condition::any(another_here)]));
    }
    let mut all: Vec<Condition> = others.iter().map(|word| word.condition(tier, true)).collect();
    all.push(Condition::any(of_last));
    Some(Condition::all(all))
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::query::MAX_WORDS;
    use super::*;
    use proptest::prelude::*;
    use values::text::Language;

    pub(in super::super) fn show(condition: &Condition) -> String {
        let list = |all: &[Condition], between| format!("({})", all.iter().map(show).collect::<Vec<_>>().join(between));
        match condition {
            Condition::Term(term) => term.clone(),
            Condition::Prefix(term) => format!("{term}*"),
            Condition::All(all) => list(all, " & "),
            Condition::Any(any) => list(any, " | "),
        }
    }

    pub(in super::super) fn every_word(query: &str) -> String {
        Query::parse(query, &[None]).every_word().as_ref().map(show).unwrap_or_default()
    }

    #[test]
    fn one_word_is_looked_for_in_sections_themselves() {
        assert_eq!(every_word("Forwarding "), "(forwarding | forward)");
        assert_eq!(every_word("forward"), "(forward | forward*)", "the last word may go on");
        assert_eq!(every_word("fo"), "(fo | fo*)");
        assert_eq!(
            Query::parse("fo", &[None]).every_word(),
            Some(Condition::any(vec![Condition::Term("fo".to_owned()), Condition::Term("fo*".to_owned()),])),
            "two letters are a term"
        );
        assert_eq!(every_word("x"), "x", "one letter does not stand for all words that begin with it");
    }

    #[test]
    fn several_words_may_be_elsewhere_on_the_page_but_not_all_of_them() {
        assert_eq!(every_word("tls port "), "((tls | ~tls) & (port | (~port & (tls | ~))))");
    }

    #[test]
    fn an_identifier_is_found_whole_or_by_its_parts() {
        assert_eq!(
            every_word("out_s3 "),
            "((out_s3 | (out & s3)) | ((out_s3 | ~out_s3 | ((out | ~out) & (s3 | ~s3))) & ~))"
        );
        let narrowed: Vec<String> = Query::parse("out_s3 ", &[None]).every_word_narrowed().iter().map(show).collect();
        assert_eq!(narrowed[1], "out_s3");
        assert_eq!(narrowed.len(), 4);
    }

    #[test]
    fn all_but_one_of_three_words_or_more_may_do() {
        assert_eq!(Query::parse("alpha beta", &[]).every_word_but_one(), None);
        let query = Query::parse("one two six ", &[]);
        let shown = query.every_word_but_one().as_ref().map(show).unwrap_or_default();
        assert_eq!(shown.matches(" & ").count(), 6, "{shown}");
        assert!(shown.starts_with("(((two | ~two) & (six | (~six & (two | ~)))) | ((one"), "{shown}");
    }

    #[test]
    fn a_search_for_some_words_looks_for_all_but_one_first() {
        let shown = |query: &str| {
            let query = Query::parse(query, &[None]);
            query.some_words_in_turn().iter().map(show).collect::<Vec<_>>()
        };
        assert_eq!(shown("tls port "), ["(tls | port)", "(^tls | ^port)", "(#tls | #port)", "(+tls | +port)"]);
        let three = shown("one two six ");
        assert_eq!(three.len(), 5);
        assert_eq!(three[0], format!("({} | (one | two | six))", three[1]));
        assert_eq!(shown(""), Vec::<String>::new());
        assert_eq!(Query::parse("", &[None]).every_word_in_turn(), []);
    }

    fn holds_nothing_empty(condition: &Condition) -> bool {
        match condition {
            Condition::Term(term) | Condition::Prefix(term) => !term.is_empty(),
            Condition::All(all) | Condition::Any(all) => !all.is_empty() && all.iter().all(holds_nothing_empty),
        }
    }

    fn holds(condition: &Condition, terms: &[String]) -> bool {
        match condition {
            Condition::Term(wanted) => terms.contains(wanted),
            Condition::Prefix(wanted) => terms.iter().any(|term| term.starts_with(wanted.as_str())),
            Condition::All(all) => all.iter().all(|one| holds(one, terms)),
            Condition::Any(any) => any.iter().any(|one| holds(one, terms)),
        }
    }

    /// The rule in words: every word is here or elsewhere, and at least one of them is here. A single word is here, also
    /// if this is the first section of a page.
    fn as_said(words: &[&Word], tier: Tier, terms: &[String]) -> bool {
        let is_single = matches!(words, [word] if !word.is_identifier());
        let first = !is_single && tier == Tier::Any && terms.iter().any(|term| term == FIRST);
        let here = words.iter().any(|word| holds(&word.condition(tier, false), terms));
        words.iter().all(|word| holds(&word.condition(tier, true), terms)) && (here || first)
    }

    proptest! {
        #[test]
        fn every_word_is_there_and_one_of_them_here(
            query in prop::collection::vec(prop::sample::select(vec!["alpha", "beta", "be", "out_s3", "gamma"]), 2..4),
            terms in prop::collection::vec(("[~^#+]?", "alpha|beta|better|out|s3|out_s3|gamma|"), 0..8),
        ) {
            let query = Query::parse(&query.join(" "), &[None]);
            let words: Vec<&Word> = query.required().collect();
            let terms: Vec<String> = terms.into_iter().map(|(mark, term)| mark + &term).collect();
            for tier in [Tier::Title, Tier::Heading, Tier::Strong, Tier::Any] {
                let condition = every(&words, tier).expect("words");
                prop_assert_eq!(holds(&condition, &terms), as_said(&words, tier, &terms), "{} in {:?}", show(&condition), terms);
            }
        }

        #[test]
        fn the_further_conditions_are_narrower_forms_of_the_first(
            query in prop::collection::vec(prop::sample::select(vec!["alpha", "beta", "be", "out_s3", "gamma"]), 1..4),
            terms in prop::collection::vec(("[~^#+]?", "alpha|beta|better|out|s3|out_s3|gamma|"), 0..8),
        ) {
            let query = Query::parse(&query.join(" "), &[None]);
            // A section that has a term in a tier has it in each wider one.
            let wider = |(mark, term): (String, String)| {
                let marks: &[&str] = match mark.as_str() {
                    "^" => &["^", "#", "+", ""],
                    "#" => &["#", "+", ""],
                    "+" => &["+", ""],
                    "~" => &["~"],
                    _ => &[""],
                };
                marks.iter().map(|mark| format!("{mark}{term}")).collect::<Vec<_>>()
            };
            let terms: Vec<String> = terms.into_iter().flat_map(wider).collect();
            for conditions in [query.every_word_in_turn(), query.some_words_in_turn()] {
                let fits: Vec<bool> = conditions.iter().map(|condition| holds(condition, &terms)).collect();
                prop_assert!(fits[0] || !fits.contains(&true), "{:?} in {:?}", fits, terms);
            }
        }

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
