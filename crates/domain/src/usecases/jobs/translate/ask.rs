//! Asking an engine for translations: in batches, with the checks of every answer, and what is tried when one fails.
//!
//! An answer that fails is asked for once more, with what was wrong. Then the words between its tags are translated piece by
//! piece, so that tags are whole whatever the engine does. What fails then too is left to the next run.
use super::texts::Wanted;
use crate::ports::{EngineError, TranslationBatch, Translator, TranslatorAbilities};
use crate::translation::naming::Naming;
use crate::translation::run::{EngineUsage, MemoryKey, PSEUDO};
use crate::translations::{Fault, LONGEST, Markup, Rules, Tagged, Term};
use std::collections::{HashSet, VecDeque};
use std::ops::Range;

/// What a run asks an engine with.
pub(super) struct Asker<'e> {
    /// The engine.
    pub(super) translator: &'e dyn Translator,
    /// What it can do.
    pub(super) abilities: TranslatorAbilities,
    /// The languages, the terms, and the instructions for engines that obey them.
    pub(super) naming: Naming,
}

/// A text that an engine translated.
pub(super) struct Answer {
    /// Its name in the memory.
    pub(super) key: MemoryKey,
    /// The translation, in canonical tags.
    pub(super) target: String,
    /// The words of the source.
    pub(super) words: u64,
}

/// What was learnt from an engine.
#[derive(Default)]
pub(super) struct Learnt {
    /// Translated texts.
    pub(super) answers: Vec<Answer>,
    /// Texts that were translated piece by piece.
    pub(super) floored: u32,
    /// What it took.
    pub(super) usage: EngineUsage,
    /// Why the engine was not asked for the rest.
    pub(super) error: Option<EngineError>,
}

/// A text that is asked for, or a part of a long one.
struct Part {
    /// The text that it is a part of.
    of: usize,
    /// The words as they are in the source.
    text: Tagged,
    /// The same as it is sent: engines that obey no glossary get the wanted words as tags.
    sent: Tagged,
    terms: Vec<Term>,
    limit: Option<usize>,
    done: Option<Tagged>,
}

/// What is sent besides the texts.
#[derive(Clone, Default)]
struct About {
    context: Vec<String>,
    glossary: Vec<(String, String)>,
    complaint: Option<String>,
}

impl Asker<'_> {
    /// Asks for texts of one page. Texts with the same name are asked for once.
    pub(super) async fn ask(&self, title: Option<&str>, wanted: &[&Wanted]) -> Learnt {
        let mut learnt = Learnt::default();
        let mut known = HashSet::new();
        let wanted: Vec<&Wanted> = wanted.iter().copied().filter(|one| known.insert(one.key)).collect();
        let mut parts: Vec<Part> = wanted.iter().enumerate().flat_map(|(of, one)| self.parts(of, one)).collect();
        let about = self.about(title, &wanted, &parts);
        if let Err(error) = self.climb(&mut parts, &about, &mut learnt).await {
            learnt.error = Some(error);
        }
        for (of, one) in wanted.into_iter().enumerate() {
            let own: Option<Vec<Tagged>> =
                parts.iter().filter(|part| part.of == of).map(|part| part.done.clone()).collect();
            if let Some(whole) = own.and_then(|own| Tagged::joined(&own)) {
                let words = u64::try_from(one.unit.text.word_count()).unwrap_or(u64::MAX);
                learnt.usage.words += words;
                learnt.answers.push(Answer { key: one.key, target: whole.canonical(), words });
            }
        }
        learnt
    }

    fn parts(&self, of: usize, wanted: &Wanted) -> Vec<Part> {
        let cut = wanted.unit.text.cut(LONGEST.min(self.abilities.max_characters));
        let limit = wanted.unit.limit.filter(|_| cut.len() == 1);
        let part = |text: Tagged| {
            let sent = if self.abilities.instructions { text.clone() } else { self.naming.glossary.applied(&text) };
            let terms = self.naming.glossary.terms_in(&text);
            // White space and signs between sentences need no engine.
            let done = (!sent.has_letters()).then(|| sent.filled(&[])).flatten();
            Part { of, text, sent, terms, limit, done }
        };
        cut.into_iter().map(part).collect()
    }

    fn about(&self, title: Option<&str>, wanted: &[&Wanted], parts: &[Part]) -> About {
        let headings = wanted.first().map(|one| one.unit.headings.to_vec()).unwrap_or_default();
        let context = title.map(str::to_owned).into_iter().chain(headings).collect();
        if !self.abilities.instructions {
            return About { context, ..About::default() };
        }
        let mut terms: Vec<(String, String)> =
            parts.iter().flat_map(|part| &part.terms).map(|term| (term.source.clone(), term.wanted.clone())).collect();
        terms.sort();
        terms.dedup();
        About { context, glossary: terms, complaint: None }
    }

    /// Tries one way after the other until all parts are translated, or no way is left.
    async fn climb(&self, parts: &mut [Part], about: &About, learnt: &mut Learnt) -> Result<(), EngineError> {
        let markup = self.abilities.markup;
        let whole = |part: &Part| part.done.is_none() && (markup != Markup::None || !part.sent.has_tags());
        let first: Vec<usize> = (0..parts.len()).filter(|at| whole(&parts[*at])).collect();
        let texts = first.iter().map(|at| parts[*at].sent.written(markup)).collect();
        let answers = self.send(texts, about, learnt).await;
        let (answers, stopped) = match answers {
            (answers, Ok(())) => (answers, None),
            (answers, Err(error)) => (answers, Some(error)),
        };
        let mut faults: Vec<(usize, Fault)> = Vec::new();
        for (at, answer) in first.into_iter().zip(answers) {
            match answer.map(|answer| self.checked(&parts[at], &answer)) {
                Some(Ok(done)) => parts[at].done = Some(done),
                Some(Err(fault)) => faults.push((at, fault)),
                None => {}
            }
        }
        if let Some(error) = stopped {
            return Err(error);
        }
        for (at, fault) in faults {
            let about = About { complaint: Some(fault.to_string()), ..about.clone() };
            let (answers, asked) = self.send(vec![parts[at].sent.written(markup)], &about, learnt).await;
            let answer = answers.into_iter().next().flatten();
            parts[at].done = answer.and_then(|answer| self.checked(&parts[at], &answer).ok());
            asked?;
        }
        for part in parts.iter_mut().filter(|part| part.done.is_none()) {
            self.floor(part, about, learnt).await?;
        }
        Ok(())
    }

    /// Translates the words between the tags piece by piece.
    async fn floor(&self, part: &mut Part, about: &About, learnt: &mut Learnt) -> Result<(), EngineError> {
        let fragments = part.sent.fragments();
        if !part.sent.has_tags() {
            return Ok(());
        }
        let markup = self.abilities.markup;
        let texts = fragments.iter().map(|fragment| fragment.written(markup)).collect();
        let (answers, asked) = self.send(texts, about, learnt).await;
        let read = |(fragment, answer): (&Tagged, Option<String>)| fragment.read(markup, &answer?).ok();
        let read: Option<Vec<Tagged>> = fragments.iter().zip(answers).map(read).collect();
        let filled = read.and_then(|read| part.sent.filled(&read));
        part.done = filled.filter(|filled| self.rules().check(&part.text, filled, &part.terms, part.limit).is_ok());
        learnt.floored += u32::from(part.done.is_some());
        asked
    }

    fn rules(&self) -> Rules {
        Rules { from: self.naming.from, to: self.naming.to, language: self.abilities.name != PSEUDO }
    }

    fn checked(&self, part: &Part, answer: &str) -> Result<Tagged, Fault> {
        let read = part.sent.read(self.abilities.markup, answer)?;
        self.rules().check(&part.text, &read, &part.terms, part.limit)?;
        Ok(read)
    }

    /// Sends texts in batches. A batch that is refused is halved, and what an answer lacks is asked for once more. Returns
    /// the answers so far, also after an error.
    async fn send(
        &self,
        texts: Vec<String>,
        about: &About,
        learnt: &mut Learnt,
    ) -> (Vec<Option<String>>, Result<(), EngineError>) {
        let mut answers: Vec<Option<String>> = vec![None; texts.len()];
        let mut waiting: VecDeque<(Range<usize>, bool)> =
            self.batches(&texts).into_iter().map(|range| (range, false)).collect();
        while let Some((range, again)) = waiting.pop_front() {
            let batch = TranslationBatch {
                from: self.naming.from,
                to: self.naming.to,
                texts: texts[range.clone()].to_vec(),
                instructions: self.naming.instructions.clone(),
                glossary: about.glossary.clone(),
                context: about.context.clone(),
                complaint: about.complaint.clone(),
            };
            let characters: usize = batch.texts.iter().map(|text| text.chars().count()).sum();
            learnt.usage.characters += u64::try_from(characters).unwrap_or_default();
            match self.translator.translate(&batch).await {
                Ok((found, used)) => {
                    learnt.usage.requests += used.requests.max(1);
                    learnt.usage.tokens += used.tokens;
                    let found = found.into_iter().chain(std::iter::repeat(None));
                    for (at, answer) in range.clone().zip(found) {
                        answers[at] = answer;
                        if answers[at].is_none() && !again {
                            waiting.push_back((at..at + 1, true));
                        }
                    }
                }
                Err(error) => {
                    learnt.usage.requests += 1;
                    match error {
                        EngineError::Refused(_) if range.len() > 1 => halve(range, again, &mut waiting),
                        EngineError::Garbled(_) if !again && range.len() > 1 => halve(range, true, &mut waiting),
                        EngineError::Garbled(_) if !again => waiting.push_back((range, true)),
                        EngineError::Refused(_) | EngineError::Garbled(_) => {}
                        stopped => return (answers, Err(stopped)),
                    }
                }
            }
        }
        (answers, Ok(()))
    }

    /// The batches of texts within the limits of the engine.
    fn batches(&self, texts: &[String]) -> Vec<Range<usize>> {
        let mut batches: Vec<Range<usize>> = Vec::new();
        let mut characters = 0;
        for (at, text) in texts.iter().enumerate() {
            let own = text.chars().count();
            match batches.last_mut() {
                Some(last)
                    if last.len() < self.abilities.max_units && characters + own <= self.abilities.max_characters =>
                {
                    last.end = at + 1;
                    characters += own;
                }
                _ => {
                    batches.push(at..at + 1);
                    characters = own;
                }
            }
        }
        batches
    }
}

fn halve(range: Range<usize>, again: bool, waiting: &mut VecDeque<(Range<usize>, bool)>) {
    let middle = range.start + range.len() / 2;
    waiting.push_back((range.start..middle, again));
    waiting.push_back((middle..range.end, again));
}
