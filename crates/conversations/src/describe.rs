//! Describes a cluster: its label, its summary, and its icon.
pub(crate) mod icons;
mod phrases;

use crate::analyse::cut;
use crate::language::family;
use crate::lexicon::{Lexicon, tokens};
use content::search::Words;
pub use phrases::Statistics;
use phrases::{Candidate, Common, Reader};
use values::text::Language;

/// The most characters of a label.
pub const MAX_LABEL: usize = 80;
/// The number of titles that a summary quotes.
pub const QUOTED: usize = 3;
/// The factor by which the score of a new label must exceed that of the old one to replace it.
const BETTER: f32 = 1.2;
/// The minimum coverage of a phrase that is a label: its share of the weight of the titles' common stems.
const COVERS: f32 = 0.75;
/// The number of titles among which one is chosen as the label.
const TYPICAL: usize = 12;
/// The number of characters from which a longer title scores lower as a label.
const EASY: usize = 40;
/// The score of a title that is the label because no phrase qualifies.
const OF_TITLE: f32 = 0.1;

/// The description of a cluster.
#[derive(Clone, Debug, PartialEq)]
pub struct Description {
    /// The problem, at most [`MAX_LABEL`] characters, with an upper-case first letter.
    pub label: String,
    /// How well the label fits; comparable only with scores of the same statistics.
    pub score: f32,
    /// What it is about.
    pub summary: Summary,
    /// The name of an icon.
    pub icon: &'static str,
}

/// The summary of a cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// What it is about, in one sentence.
    pub sentence: String,
    /// Typical titles, at most [`QUOTED`], to be shown as quotations.
    pub quotes: Vec<String>,
}

/// Describes a cluster by the titles of its issues, the most typical first ([`Groups::typical`]), and by the statistics
/// of all issues of the language. `old` is the present label: it stays unless a new one scores 20 % higher.
///
/// [`Groups::typical`]: crate::groups::Groups::typical
pub fn describe(titles: &[&str], language: Option<Language>, all: &Statistics, old: Option<&str>) -> Description {
    let mut reader = Reader::new(language);
    let common = reader.common(titles, all);
    let candidates = reader.candidates(titles, all, &common);
    let whole = candidates.iter().filter(|candidate| candidate.coverage >= COVERS);
    let best = whole.max_by(|one, other| one.score.total_cmp(&other.score).then(other.text.cmp(&one.text)));
    let new = best.map(|Candidate { text, score, .. }| (label(text), *score));
    let (new, new_score) = new.unwrap_or_else(|| (title_as_label(&mut reader, titles, &common), OF_TITLE));
    let old = old.filter(|old| !old.is_empty()).map(|old| {
        let score = reader.score_of(old, &candidates);
        let of_title = titles.iter().any(|title| label(title) == old);
        (old.to_owned(), score.unwrap_or(if of_title { OF_TITLE } else { 0.0 }))
    });
    let (label, score) = match old {
        Some((old, score)) if !replaces(new_score, score) => (old, score),
        _ => (new, new_score),
    };
    let icon = icons::icon(&label, titles, language);
    Description { summary: summary(&label, titles, language), icon, label, score }
}

/// Whether a label with the first score replaces one with the second.
pub fn replaces(new: f32, old: f32) -> bool {
    new >= old * BETTER && new > old
}

/// The typical title with the best coverage, with a penalty for length; the first title, cut, if all are too long.
fn title_as_label(reader: &mut Reader, titles: &[&str], common: &Common) -> String {
    let short = titles.iter().filter(|title| title.chars().count() <= MAX_LABEL && !title.trim().is_empty());
    let mut best: Option<(f32, &str)> = None;
    for title in short.take(TYPICAL) {
        let too_long = title.chars().count().saturating_sub(EASY) as f32 / MAX_LABEL as f32;
        let score = reader.coverage(title, common) - 0.5 * too_long;
        if best.is_none_or(|(of_best, _)| score > of_best) {
            best = Some((score, title));
        }
    }
    label(best.map(|(_, title)| title).or(titles.first().copied()).unwrap_or("Other"))
}

/// Formats a text as a label: upper-case first letter, no final dot, cut.
pub(crate) fn label(text: &str) -> String {
    let text = text.trim().trim_end_matches(['.', ',', ';', ':']);
    let mut chars = text.chars();
    let upper: String = chars.next().into_iter().flat_map(char::to_uppercase).chain(chars).collect();
    cut(&upper, MAX_LABEL - 1)
}

fn summary(label: &str, titles: &[&str], language: Option<Language>) -> Summary {
    let lexicon = Lexicon::of(language);
    let mut words = Words::of(language);
    let trouble = titles.iter().filter(|title| lexicon.trouble.is_in(&tokens(&mut words, title))).count();
    let quoted = label.trim_end_matches(['?', '!', '.']);
    let sentence = if family(language) == Language::En && trouble * 2 > titles.len() {
        format!("Users have a problem with “{quoted}”.")
    } else {
        format!("Users ask about “{quoted}”.")
    };
    Summary { sentence, quotes: quotes(titles) }
}

/// The titles that a summary quotes: the first [`QUOTED`] different ones.
pub fn quotes(titles: &[&str]) -> Vec<String> {
    let mut quotes: Vec<String> = Vec::new();
    for title in titles {
        if quotes.len() < QUOTED && !quotes.iter().any(|quote| quote.eq_ignore_ascii_case(title)) {
            quotes.push((*title).to_owned());
        }
    }
    quotes
}

/// The icons that a cluster can have.
pub fn icons() -> impl Iterator<Item = &'static str> {
    icons::names()
}

#[cfg(test)]
mod tests;
