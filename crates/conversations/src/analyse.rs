//! Finds the issues in a conversation.
use crate::body::paragraphs;
use crate::impact::{Impact, conversation_impact};
use crate::language::detect;
use crate::lexicon::{Lexicon, Token, tokens};
use crate::redact::redact;
use crate::sentences::sentences;
use content::search::Words;
use std::collections::HashSet;
use values::text::{Language, one_line};
use values::words;

/// The most issues of a conversation.
pub const MAX_ISSUES: usize = 3;
/// The most characters of the title of an issue.
pub const MAX_TITLE: usize = 120;
/// The most characters of the details of an issue.
const MAX_DETAILS: usize = 1_000;
/// The score from which a sentence is an issue.
const IS_ISSUE: f32 = 1.6;
/// The highest overlap of two issues of a conversation: the Jaccard index of their stems.
const MOST_COMMON: f32 = 0.5;
/// The maximum number of sentences read from a conversation.
const MAX_SENTENCES: usize = 20_000;
/// `is` in the languages of the lexicon.
const IS: [&str; 7] = ["is", "ist", "lautet", "est", "es", "e", "s"];

words! {
    /// The author of a part of a conversation.
    pub enum Role {
        /// The user.
        User = "user",
        /// A program that gives answers.
        Assistant = "assistant",
        /// A person who gives answers.
        TeamMember = "team-member",
    }
}

/// A message of a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part<'a> {
    /// Its author.
    pub role: Role,
    /// Its text, in Markdown or HTML.
    pub body: &'a str,
}

/// The result of analysing a conversation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Analysis {
    /// The language of the user's messages; `None` if unknown.
    pub language: Option<Language>,
    /// Its issues, at most [`MAX_ISSUES`], in the order of the conversation.
    pub issues: Vec<FoundIssue>,
    /// The highest impact of its issues; `None` without issues.
    pub impact: Option<Impact>,
}

/// An issue that a user wrote about.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundIssue {
    /// The sentence, cut to [`MAX_TITLE`] characters.
    pub title: String,
    /// The sentence with its neighbours: plain text, in one line.
    pub details: String,
    /// Its impact.
    pub impact: Impact,
    /// The confidence that it is an issue; comparable only within one conversation.
    pub score: f32,
    /// The problem in a few words of plain English, if a language model found it.
    pub gist: Option<String>,
}

impl FoundIssue {
    /// The text by which issues are compared, with its language: the English gist if there is one, so that issues in
    /// different languages share clusters; otherwise the title.
    pub fn compared<'a>(
        title: &'a str,
        gist: Option<&'a str>,
        language: Option<Language>,
    ) -> (&'a str, Option<Language>) {
        gist.map_or((title, language), |gist| (gist, Some(Language::En)))
    }
}

/// A sentence of the user, without polite phrases at its start.
struct Sentence {
    text: String,
    tokens: Vec<Token>,
    asks: bool,
    /// The index of its part; `None` for the subject.
    part: Option<usize>,
    score: f32,
}

/// Finds the issues of a conversation. `hint` is the language of the organization.
///
/// Reads only the subject and the parts of users, sentence by sentence. The issues are the sentences with the highest
/// scores that differ from each other; without any, the subject is the issue. Takes linear time.
pub fn analyse(subject: Option<&str>, parts: &[Part<'_>], hint: Option<Language>) -> Analysis {
    analyse_texts(trimmed(subject), &texts_of_user(parts), parts, hint)
}

/// Like [`analyse`], but first masks ([`redact`]) the plain text: markup and line ends can split a secret in a message,
/// while its plain text contains the whole secret.
pub fn analyse_masked(subject: Option<&str>, parts: &[Part<'_>], hint: Option<Language>) -> Analysis {
    let masked = |(part, text): (usize, String)| (part, redact(&text).into_owned());
    let texts: Vec<(usize, String)> = texts_of_user(parts).into_iter().map(masked).collect();
    let mut found = analyse_texts(trimmed(subject), &texts, parts, hint);
    for issue in &mut found.issues {
        // The details join sentences from separate lines, which can complete a secret.
        issue.details = cut(&redact(&issue.details), MAX_DETAILS);
    }
    found
}

/// Finds the issues in a subject and in the paragraphs of users, each with the index of its part.
fn analyse_texts(
    subject: Option<&str>,
    texts: &[(usize, String)],
    parts: &[Part<'_>],
    hint: Option<Language>,
) -> Analysis {
    let language = detect(&joined(subject, texts), hint);
    let mut reader = Reader { words: Words::of(language), lexicon: Lexicon::of(language) };
    let mut found: Vec<Sentence> = Vec::new();
    if let Some(subject) = subject {
        found.extend(reader.sentence(subject, None));
    }
    for (part, text) in texts {
        for sentence in sentences(text) {
            if found.len() < MAX_SENTENCES {
                found.extend(reader.sentence(sentence, Some(*part)));
            }
        }
    }
    reader.score(&mut found);
    let chosen = chosen(&found, subject.is_some());
    let again = writes_again(parts, &found);
    let issues: Vec<FoundIssue> = chosen.into_iter().map(|at| reader.issue(&found, at, again)).collect();
    Analysis { language, impact: conversation_impact(issues.iter().map(|issue| issue.impact)), issues }
}

/// The paragraphs that users wrote, each with the index of its part.
fn texts_of_user(parts: &[Part<'_>]) -> Vec<(usize, String)> {
    let users = parts.iter().enumerate().filter(|(_, part)| part.role == Role::User);
    users.flat_map(|(at, part)| paragraphs(part.body).into_iter().map(move |paragraph| (at, paragraph))).collect()
}

fn trimmed(subject: Option<&str>) -> Option<&str> {
    subject.map(str::trim).filter(|subject| !subject.is_empty())
}

fn joined(subject: Option<&str>, texts: &[(usize, String)]) -> String {
    let all: Vec<&str> = subject.into_iter().chain(texts.iter().map(|(_, text)| text.as_str())).collect();
    all.join("\n")
}

/// The subject and what users wrote, without quotations, code and signatures.
pub(crate) fn of_user(subject: Option<&str>, parts: &[Part<'_>]) -> String {
    joined(trimmed(subject), &texts_of_user(parts))
}

/// The indexes of the sentences that are issues, in order.
fn chosen(found: &[Sentence], has_subject: bool) -> Vec<usize> {
    let mut order: Vec<usize> = (0..found.len()).filter(|at| found[*at].score >= IS_ISSUE).collect();
    order.sort_by(|one, other| found[*other].score.total_cmp(&found[*one].score).then(one.cmp(other)));
    let mut chosen: Vec<(usize, HashSet<&str>)> = Vec::new();
    for at in order {
        let stems: HashSet<&str> =
            found[at].tokens.iter().filter(|token| !token.stop).map(|token| token.stem.as_str()).collect();
        let differs = |(_, other): &(usize, HashSet<&str>)| {
            let common = stems.intersection(other).count();
            common as f32 <= MOST_COMMON * (stems.len() + other.len() - common) as f32
        };
        if chosen.iter().all(differs) {
            chosen.push((at, stems));
        }
        if chosen.len() == MAX_ISSUES {
            break;
        }
    }
    let mut chosen: Vec<usize> = chosen.into_iter().map(|(at, _)| at).collect();
    chosen.sort_unstable();
    let subject = found.first().filter(|first| has_subject && first.part.is_none());
    if chosen.is_empty() && subject.is_some_and(|subject| subject.tokens.iter().any(|token| !token.stop)) {
        chosen.push(0);
    }
    chosen
}

/// Whether the user asks before the first answer, and writes a sentence with the score of an issue after it.
fn writes_again(parts: &[Part<'_>], found: &[Sentence]) -> bool {
    let answer = parts.iter().position(|part| part.role != Role::User);
    let asked = |answer: usize| found.iter().any(|sentence| sentence.part.is_none_or(|part| part < answer));
    answer.is_some_and(|answer| {
        asked(answer)
            && found
                .iter()
                .any(|sentence| sentence.part.is_some_and(|part| part > answer) && sentence.score >= IS_ISSUE)
    })
}

struct Reader {
    words: Words,
    lexicon: &'static Lexicon,
}

impl Reader {
    /// The sentence without greetings, thanks, yes and no; `None` if nothing is left.
    fn sentence(&mut self, text: &str, part: Option<usize>) -> Option<Sentence> {
        let all = tokens(&mut self.words, text);
        let polite = [&self.lexicon.hello, &self.lexicon.thanks, &self.lexicon.yes];
        let mut start = 0;
        while start < all.len() {
            let length = polite.iter().map(|phrases| phrases.length_at(&all[start..])).max().unwrap_or(0);
            if length == 0 || denies(text, &all[start..]) {
                break;
            }
            start += length;
        }
        let first = all.get(start)?;
        let text = text[first.range.start..].trim();
        let asks = text.ends_with(['?', '？', '؟', ';']) && !text.ends_with(';') || text.contains("? ");
        Some(Sentence { text: text.to_owned(), tokens: all[start..].to_vec(), asks, part, score: 0.0 })
    }

    fn score(&self, found: &mut [Sentence]) {
        let mut place = 0;
        let mut reads_subject = true;
        for sentence in found {
            if sentence.part.is_some() && std::mem::take(&mut reads_subject) {
                place = 0;
            }
            sentence.score = self.score_of(sentence) + (0.6 - 0.15 * place as f32).max(0.0);
            place += 1;
        }
    }

    fn score_of(&self, sentence: &Sentence) -> f32 {
        let Sentence { tokens, asks, .. } = sentence;
        let lexicon = self.lexicon;
        let number = |token: &&Token| token.folded.chars().any(|char| char.is_numeric());
        let numbers = tokens.iter().filter(number).count();
        let contents = tokens.iter().filter(|token| !lexicon.is_filler(token) && !number(token)).count();
        let asks = *asks || lexicon.ask.length_at(tokens) > 0;
        let trouble = lexicon.trouble.is_in(tokens) || lexicon.severe.is_in(tokens);
        // `My order number is 123` answers a question.
        let is = tokens.iter().any(|token| IS.contains(&token.folded.as_str()));
        let gives = (is || numbers > 0) && !asks && !trouble && lexicon.given.is_in(tokens);
        let mut score = 0.0;
        let mut add = |holds: bool, points: f32| score += if holds { points } else { 0.0 };
        let wish = lexicon.wish.is_in(tokens);
        add(trouble, 1.5);
        add(wish, 1.0);
        // `Can you check that?` is a wish in the form of a question: it does not count twice.
        add(asks && !wish, 1.0);
        add(asks && wish && contents >= 2, 0.5);
        add(lexicon.own.is_in(tokens), 0.5);
        // `I need your help` does not say with what.
        add(contents == 0, -0.5);
        add(contents >= 3, 0.5);
        add(contents >= 5, 0.5);
        add(tokens.len() <= 2, -1.0);
        add(numbers * 3 > tokens.len(), -1.5);
        add(gives, -1.5);
        // Without a lexicon of the language, length counts twice.
        add(lexicon.is_empty() && contents >= 5, 0.5);
        score
    }

    fn issue(&self, found: &[Sentence], at: usize, again: bool) -> FoundIssue {
        let sentence = &found[at];
        let near = |other: Option<&Sentence>| {
            other.filter(|other| other.part == sentence.part).map(|other| other.text.clone())
        };
        let before = near(at.checked_sub(1).and_then(|at| found.get(at)));
        let parts = [before, Some(sentence.text.clone()), near(found.get(at + 1))];
        let details = parts.into_iter().flatten().collect::<Vec<_>>().join(" ");
        let trouble = self.lexicon.trouble.is_in(&sentence.tokens);
        let impact = if self.lexicon.severe.is_in(&sentence.tokens) {
            Impact::High
        } else if trouble || again {
            Impact::Medium
        } else {
            Impact::Low
        };
        FoundIssue {
            title: issue_title(&sentence.text),
            details: issue_details(&details),
            impact,
            score: sentence.score,
            gist: None,
        }
    }
}

/// Whether the first word is a `no` that negates what follows, as in `No puedo` or `No invoice came`.
fn denies(text: &str, tokens: &[Token]) -> bool {
    let [no, next, ..] = tokens else { return false };
    let between = text.get(no.range.end..next.range.start).unwrap_or_default();
    matches!(no.folded.as_str(), "no" | "nao") && between.chars().all(char::is_whitespace)
}

/// Formats a sentence as a title: one line, upper-case first letter, no final dot.
pub(crate) fn issue_title(sentence: &str) -> String {
    let line = one_line(sentence);
    let line = line.trim_end_matches(['.', ',', ';', ':']);
    let mut chars = line.chars();
    let upper: String = chars.next().into_iter().flat_map(char::to_uppercase).chain(chars).collect();
    cut(&upper, MAX_TITLE)
}

/// A text as the details of an issue: in one line, cut.
pub(crate) fn issue_details(text: &str) -> String {
    cut(&one_line(text), MAX_DETAILS)
}

/// Cuts a text to at most `most` characters, ellipsis included: between words if the last third has a blank.
pub(crate) fn cut(text: &str, most: usize) -> String {
    let Some((end, _)) = text.char_indices().nth(most) else { return text.to_owned() };
    let end_before = text[..end].char_indices().next_back().map_or(0, |(at, _)| at);
    let whole = &text[..end_before];
    let blank = whole.rfind(char::is_whitespace).filter(|blank| *blank > whole.len() * 2 / 3);
    format!("{}…", whole[..blank.unwrap_or(whole.len())].trim_end())
}

#[cfg(test)]
mod tests;
