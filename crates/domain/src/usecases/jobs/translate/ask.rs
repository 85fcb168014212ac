//! Requests to a translation engine: batches, checks of every answer, and retries of failed ones.
//!
//! If an answer fails its checks, the engine gets the text again, together with the fault. If it fails again, the
//! fragments between its tags are translated one by one, so that the tags stay complete whatever the engine returns. A
//! text that still fails is left to the next run.
use super::texts::Wanted;
use crate::ports::{EngineError, TranslationBatch, Translator, TranslatorAbilities};
use crate::translation::memory_keys::MemoryKeys;
use crate::translation::run::{EngineUsage, MemoryKey, PSEUDO};
use crate::translations::{Fault, MAX_PART, Markup, Rules, Tagged, Term};
use std::collections::{HashSet, VecDeque};
use std::ops::Range;

/// The engine of a run, with the settings of its requests.
pub(super) struct RunEngine<'e> {
    /// The engine.
    pub(super) translator: &'e dyn Translator,
    /// Its abilities.
    pub(super) abilities: TranslatorAbilities,
    /// The languages, the terms, and the instructions for engines that follow them.
    pub(super) memory_keys: MemoryKeys,
}

/// A text that an engine translated.
pub(super) struct Answer {
    /// Its key in the memory.
    pub(super) key: MemoryKey,
    /// The translation, in canonical tags.
    pub(super) target: String,
    /// The words of the source.
    pub(super) words: u64,
}

/// The result of requests to an engine.
#[derive(Default)]
pub(super) struct EngineResult {
    /// Translated texts.
    pub(super) answers: Vec<Answer>,
    /// Texts that were translated fragment by fragment.
    pub(super) by_fragments: u32,
    /// The usage.
    pub(super) usage: EngineUsage,
    /// Why the remaining texts were not sent.
    pub(super) error: Option<EngineError>,
}

/// A text to translate, or a part of a long one.
struct Part {
    /// The text that it is a part of.
    of: usize,
    /// The words of the source.
    text: Tagged,
    /// The text as sent to the engine. For engines without glossaries, terms are tags.
    sent: Tagged,
    terms: Vec<Term>,
    limit: Option<usize>,
    done: Option<Tagged>,
}

/// The parts of a request besides the texts.
#[derive(Clone, Default)]
struct About {
    context: Vec<String>,
    glossary: Vec<(String, String)>,
    complaint: Option<String>,
}

impl RunEngine<'_> {
    /// Translates texts of one page. Texts with the same key are sent once.
    pub(super) async fn ask(&self, title: Option<&str>, wanted: &[&Wanted]) -> EngineResult {
        let mut result = EngineResult::default();
        let mut known = HashSet::new();
        let wanted: Vec<&Wanted> = wanted.iter().copied().filter(|one| known.insert(one.key)).collect();
        let mut parts: Vec<Part> = wanted.iter().enumerate().flat_map(|(of, one)| self.parts(of, one)).collect();
        let about = self.about(title, &wanted, &parts);
        if let Err(error) = self.translate_parts(&mut parts, &about, &mut result).await {
            result.error = Some(error);
        }
        for (of, one) in wanted.into_iter().enumerate() {
            let own: Option<Vec<Tagged>> =
                parts.iter().filter(|part| part.of == of).map(|part| part.done.clone()).collect();
            if let Some(whole) = own.and_then(|own| Tagged::joined(&own)) {
                let words = u64::try_from(one.unit.text.word_count()).unwrap_or(u64::MAX);
                result.usage.words += words;
                result.answers.push(Answer { key: one.key, target: whole.canonical(), words });
            }
        }
        result
    }

    fn parts(&self, of: usize, wanted: &Wanted) -> Vec<Part> {
        let cut = wanted.unit.text.cut(MAX_PART.min(self.abilities.max_characters));
        let limit = wanted.unit.limit.filter(|_| cut.len() == 1);
        let part = |text: Tagged| {
            let sent =
                if self.abilities.instructions { text.clone() } else { self.memory_keys.glossary.applied(&text) };
            let terms = self.memory_keys.glossary.terms_in(&text);
            // White space and punctuation need no engine.
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

    /// Translates all parts: first as they are, then once more with the fault, then fragment by fragment.
    async fn translate_parts(
        &self,
        parts: &mut [Part],
        about: &About,
        result: &mut EngineResult,
    ) -> Result<(), EngineError> {
        let markup = self.abilities.markup;
        let whole = |part: &Part| part.done.is_none() && (markup != Markup::None || !part.sent.has_tags());
        let first: Vec<usize> = (0..parts.len()).filter(|at| whole(&parts[*at])).collect();
        let texts = first.iter().map(|at| parts[*at].sent.written(markup)).collect();
        let answers = self.send(texts, about, result).await;
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
            let (answers, asked) = self.send(vec![parts[at].sent.written(markup)], &about, result).await;
            let answer = answers.into_iter().next().flatten();
            parts[at].done = answer.and_then(|answer| self.checked(&parts[at], &answer).ok());
            asked?;
        }
        for part in parts.iter_mut().filter(|part| part.done.is_none()) {
            self.translate_fragments(part, about, result).await?;
        }
        Ok(())
    }

    /// Translates the fragments between the tags one by one.
    async fn translate_fragments(
        &self,
        part: &mut Part,
        about: &About,
        result: &mut EngineResult,
    ) -> Result<(), EngineError> {
        let fragments = part.sent.fragments();
        if !part.sent.has_tags() {
            return Ok(());
        }
        let markup = self.abilities.markup;
        let texts = fragments.iter().map(|fragment| fragment.written(markup)).collect();
        let (answers, asked) = self.send(texts, about, result).await;
        let read = |(fragment, answer): (&Tagged, Option<String>)| fragment.read(markup, &answer?).ok();
        let read: Option<Vec<Tagged>> = fragments.iter().zip(answers).map(read).collect();
        let filled = read.and_then(|read| part.sent.filled(&read));
        part.done = filled.filter(|filled| self.rules().check(&part.text, filled, &part.terms, part.limit).is_ok());
        result.by_fragments += u32::from(part.done.is_some());
        asked
    }

    fn rules(&self) -> Rules {
        Rules { from: self.memory_keys.from, to: self.memory_keys.to, language: self.abilities.name != PSEUDO }
    }

    fn checked(&self, part: &Part, answer: &str) -> Result<Tagged, Fault> {
        let read = part.sent.read(self.abilities.markup, answer)?;
        self.rules().check(&part.text, &read, &part.terms, part.limit)?;
        Ok(read)
    }

    /// Sends texts in batches. A refused batch is halved, and texts without an answer are sent again. Returns the
    /// answers so far, also after an error.
    async fn send(
        &self,
        texts: Vec<String>,
        about: &About,
        result: &mut EngineResult,
    ) -> (Vec<Option<String>>, Result<(), EngineError>) {
        let mut answers: Vec<Option<String>> = vec![None; texts.len()];
        let mut waiting: VecDeque<(Range<usize>, bool)> =
            self.batches(&texts).into_iter().map(|range| (range, false)).collect();
        while let Some((range, again)) = waiting.pop_front() {
            let batch = TranslationBatch {
                from: self.memory_keys.from,
                to: self.memory_keys.to,
                texts: texts[range.clone()].to_vec(),
                instructions: self.memory_keys.instructions.clone(),
                glossary: about.glossary.clone(),
                context: about.context.clone(),
                complaint: about.complaint.clone(),
            };
            let characters: usize = batch.texts.iter().map(|text| text.chars().count()).sum();
            result.usage.characters += u64::try_from(characters).unwrap_or_default();
            match self.translator.translate(&batch).await {
                Ok((found, used)) => {
                    result.usage.requests += used.requests.max(1);
                    result.usage.tokens += used.tokens;
                    let found = found.into_iter().chain(std::iter::repeat(None));
                    for (at, answer) in range.clone().zip(found) {
                        answers[at] = answer;
                        if answers[at].is_none() && !again {
                            waiting.push_back((at..at + 1, true));
                        }
                    }
                }
                Err(error) => {
                    result.usage.requests += 1;
                    match error {
                        EngineError::Refused(_) if range.len() > 1 => halve(range, again, &mut waiting),
                        EngineError::InvalidAnswer(_) if !again && range.len() > 1 => halve(range, true, &mut waiting),
                        EngineError::InvalidAnswer(_) if !again => waiting.push_back((range, true)),
                        EngineError::Refused(_) | EngineError::InvalidAnswer(_) => {}
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
