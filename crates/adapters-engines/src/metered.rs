//! Metrics of engines: requests, durations, errors and usage.
use async_trait::async_trait;
use domain::ports::{
    Chat, ChatAnswer, ChatQuestion, Embedder, EngineError, EngineUse, TranslationBatch, Translator, TranslatorAbilities,
};
use domain::text::Language;
use domain::translation::run::{CHAT, EMBEDDINGS};
use futures_util::future::join_all;
use metrics::{counter, histogram};
use std::sync::Arc;
use std::time::Instant;
use unicode_segmentation::UnicodeSegmentation;

/// A translator whose requests are counted.
pub(crate) struct MeteredTranslator(pub(crate) Arc<dyn Translator>);

/// A language model whose requests are counted.
pub(crate) struct MeteredChat(pub(crate) Arc<dyn Chat>);

/// An engine for vectors whose requests are counted.
pub(crate) struct MeteredEmbedder(pub(crate) Arc<dyn Embedder>);

#[async_trait]
impl Embedder for MeteredEmbedder {
    fn model(&self) -> String {
        self.0.model()
    }

    async fn embed(&self, texts: &[String]) -> Result<(Vec<Vec<f32>>, EngineUse), EngineError> {
        let begun = Instant::now();
        let answer = self.0.embed(texts).await;
        count(EMBEDDINGS, begun, &answer);
        answer
    }
}

#[async_trait]
impl Translator for MeteredTranslator {
    fn abilities(&self) -> TranslatorAbilities {
        self.0.abilities()
    }

    fn has(&self, from: Language, to: Language) -> bool {
        self.0.has(from, to)
    }

    async fn translate(&self, batch: &TranslationBatch) -> Result<(Vec<Option<String>>, EngineUse), EngineError> {
        let (engine, begun) = (self.abilities().name, Instant::now());
        let answer = self.0.translate(batch).await;
        count(&engine, begun, &answer);
        if let Ok((texts, _)) = &answer {
            let translated = batch.texts.iter().zip(texts).filter(|(_, answer)| answer.is_some());
            let words: usize = translated.map(|(text, _)| words(text)).sum();
            counter!("octavo_engine_words_total", "engine" => engine).increment(words as u64);
        }
        answer
    }
}

#[async_trait]
impl Chat for MeteredChat {
    async fn ask(&self, question: &ChatQuestion) -> ChatAnswer {
        let begun = Instant::now();
        let answer = self.0.ask(question).await;
        count(CHAT, begun, &answer);
        answer
    }

    async fn ask_all(&self, questions: &[ChatQuestion]) -> Vec<ChatAnswer> {
        // The client limits concurrent requests.
        join_all(questions.iter().map(|question| self.ask(question))).await
    }
}

fn count<T>(engine: &str, begun: Instant, answer: &Result<(T, EngineUse), EngineError>) {
    let engine = || engine.to_owned();
    let (requests, tokens, outcome) = match answer {
        Ok((_, used)) => (used.requests.max(1), used.tokens, "answered"),
        Err(error) => (1, 0, outcome(error)),
    };
    counter!("octavo_engine_requests_total", "engine" => engine(), "outcome" => outcome).increment(requests);
    counter!("octavo_engine_tokens_total", "engine" => engine()).increment(tokens);
    histogram!("octavo_engine_request_duration_seconds", "engine" => engine()).record(begun.elapsed().as_secs_f64());
}

fn outcome(error: &EngineError) -> &'static str {
    match error {
        EngineError::Busy(_) => "busy",
        EngineError::Down(_) => "down",
        EngineError::Denied(_) => "denied",
        EngineError::QuotaExceeded => "spent",
        EngineError::Refused(_) => "refused",
        EngineError::InvalidAnswer(_) => "garbled",
        EngineError::Languages { .. } => "languages",
    }
}

/// The words of a text without its tags.
fn words(text: &str) -> usize {
    let mut parts = text.split('<');
    let first = parts.next().unwrap_or_default();
    let outside = parts.map(|part| part.split_once('>').map_or(part, |(_, after)| after));
    std::iter::once(first).chain(outside).map(|part| part.unicode_words().count()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("Open <g1>the editor</g1> and run <x2/>.", 5)]
    #[case("<a id=\"t1\">two words</a>", 2)]
    #[case("", 0)]
    fn words_are_counted_without_tags(#[case] text: &str, #[case] expected: usize) {
        assert_eq!(words(text), expected);
    }
}
