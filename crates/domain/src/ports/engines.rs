//! Engines: external programs that translate, answer questions, or compute vectors of texts. The operator configures
//! them.
//!
//! Every call can be slow, fail or return a wrong result. So a use case never has a unit of work open during a call.
use crate::text::Language;
use async_trait::async_trait;
use std::time::Duration;
pub use translations::Markup;

/// The abilities of a translator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TranslatorAbilities {
    /// The name of the engine, for metrics, memory and reports.
    pub name: String,
    /// The markup of texts.
    pub markup: Markup,
    /// Whether it follows instructions and a glossary.
    pub instructions: bool,
    /// The most texts in one request.
    pub max_units: usize,
    /// The most characters in one request.
    pub max_characters: usize,
    /// Whether it is a language model. A language model gets only texts of organizations that allow language models.
    pub language_model: bool,
}

/// Texts to translate in one request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TranslationBatch {
    /// The language of the texts.
    pub from: Language,
    /// The target language.
    pub to: Language,
    /// The texts, in the markup of the translator.
    pub texts: Vec<String>,
    /// The instructions of the organization, as Markdown; for engines that follow instructions.
    pub instructions: Option<String>,
    /// The glossary: words of the source with their translations; for engines that follow instructions.
    pub glossary: Vec<(String, String)>,
    /// The title of the page and the headings above the texts.
    pub context: Vec<String>,
    /// The fault of the previous answer for these texts, if this is a retry.
    pub complaint: Option<String>,
}

/// The usage of a call to an engine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EngineUse {
    /// Requests sent.
    pub requests: u64,
    /// Input and output tokens, if the engine reports them.
    pub tokens: u64,
}

impl EngineUse {
    /// The usage of a call with this answer: a call that failed is one request.
    pub fn of<T>(answer: &Result<(T, Self), EngineError>) -> Self {
        answer.as_ref().map_or(Self { requests: 1, tokens: 0 }, |(_, used)| *used)
    }
}

/// Why a call to an engine failed. No variant contains a key or the text of an answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EngineError {
    /// It is overloaded; with the wait before the next request, if it stated one.
    #[error("the engine is busy")]
    Busy(Option<Duration>),
    /// It cannot be reached, takes too long, or fails.
    #[error("the engine cannot be reached or fails: {0}")]
    Down(String),
    /// It does not accept the key.
    #[error("the engine refuses the key: status {0}")]
    Denied(u16),
    /// Its quota is used up.
    #[error("the engine's quota is used up")]
    QuotaExceeded,
    /// It refuses this request.
    #[error("the engine refuses the request: status {0}")]
    Refused(u16),
    /// Its answer has an unexpected form, or was truncated.
    #[error("the engine's answer is unusable: {0}")]
    InvalidAnswer(&'static str),
    /// It does not support the languages.
    #[error("the engine does not translate {from} into {to}")]
    Languages {
        /// The code of the source language.
        from: &'static str,
        /// The code of the target language.
        to: &'static str,
    },
}

/// Translates texts.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait Translator: Send + Sync {
    /// Its abilities.
    fn abilities(&self) -> TranslatorAbilities;
    /// Whether it translates between two languages, as far as this is known without a request.
    fn has(&self, from: Language, to: Language) -> bool;
    /// Translates texts. The result is `None` for a text that the answer lacks.
    async fn translate(&self, batch: &TranslationBatch) -> Result<(Vec<Option<String>>, EngineUse), EngineError>;
}

/// A question to a language model.
#[derive(Clone, Debug, PartialEq)]
pub struct ChatQuestion {
    /// The rules.
    pub system: String,
    /// The data.
    pub user: String,
    /// A name for the schema: letters and `_`.
    pub schema_name: &'static str,
    /// The JSON schema of the answer.
    pub schema: serde_json::Value,
    /// The most tokens of the answer.
    pub max_tokens: u32,
}

/// The answer to a question, with the usage.
pub type ChatAnswer = Result<(serde_json::Value, EngineUse), EngineError>;

/// Asks a language model.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait Chat: Send + Sync {
    /// Asks one question. The answer is a JSON value, which is not validated against the schema.
    async fn ask(&self, question: &ChatQuestion) -> ChatAnswer;
    /// Asks questions. The answers are in the same order. An adapter may ask several at the same time.
    async fn ask_all(&self, questions: &[ChatQuestion]) -> Vec<ChatAnswer> {
        let mut answers = Vec::with_capacity(questions.len());
        for question in questions {
            answers.push(self.ask(question).await);
        }
        answers
    }
}

/// Turns texts into vectors.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait Embedder: Send + Sync {
    /// The name of the model.
    fn model(&self) -> String;
    /// One vector for each text, all of the same length.
    async fn embed(&self, texts: &[String]) -> Result<(Vec<Vec<f32>>, EngineUse), EngineError>;
}
