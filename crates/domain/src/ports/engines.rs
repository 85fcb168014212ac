//! Programs of others that translate, answer questions, or turn texts into vectors. The operator names them.
//!
//! Every call can be slow, wrong or refused, so a use case never has a unit of work open during one.
use crate::text::Language;
use async_trait::async_trait;
use std::time::Duration;
pub use translations::Markup;

/// What a translator can do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TranslatorAbilities {
    /// The name of the engine, for metrics, memory and reports.
    pub name: String,
    /// How texts are marked.
    pub markup: Markup,
    /// Whether it obeys instructions and a glossary.
    pub instructions: bool,
    /// The most texts in one request.
    pub max_units: usize,
    /// The most characters in one request.
    pub max_characters: usize,
    /// Whether it is a language model, which sees texts only of organizations that allow it.
    pub language_model: bool,
}

/// Texts to translate in one request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TranslationBatch {
    /// The language of the texts.
    pub from: Language,
    /// The wanted language.
    pub to: Language,
    /// The texts, in the markup of the translator.
    pub texts: Vec<String>,
    /// What the organization asks for, as Markdown; for engines that obey instructions.
    pub instructions: Option<String>,
    /// Words of the source with the words wanted for them; for engines that obey instructions.
    pub glossary: Vec<(String, String)>,
    /// The title of the page and the headings above the texts.
    pub context: Vec<String>,
    /// What was wrong with the last answer for these texts.
    pub complaint: Option<String>,
}

/// What a request to an engine used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EngineUse {
    /// Requests sent.
    pub requests: u64,
    /// Tokens of questions and answers, if the engine counts them.
    pub tokens: u64,
}

/// Why an engine did not answer. No variant carries a key or an answer's text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EngineError {
    /// It has too much to do; the time after which it may be asked again, if it said so.
    #[error("the engine is busy")]
    Busy(Option<Duration>),
    /// It cannot be reached, takes too long, or fails.
    #[error("the engine cannot be reached or fails: {0}")]
    Down(String),
    /// It does not accept the key.
    #[error("the engine refuses the key: status {0}")]
    Denied(u16),
    /// What may be used of it is used up.
    #[error("the engine's quota is used up")]
    Spent,
    /// It refuses this request.
    #[error("the engine refuses the request: status {0}")]
    Refused(u16),
    /// Its answer is not what was asked for, or was cut off.
    #[error("the engine's answer is unusable: {0}")]
    Garbled(&'static str),
    /// It does not have the languages.
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
    /// What it can do.
    fn abilities(&self) -> TranslatorAbilities;
    /// Whether it translates between two languages, as far as it is known without a request.
    fn has(&self, from: Language, to: Language) -> bool;
    /// Translates texts. A text is `None` if the answer lacks it.
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

/// The answer to a question, with what it took.
pub type ChatAnswer = Result<(serde_json::Value, EngineUse), EngineError>;

/// Asks a language model.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait Chat: Send + Sync {
    /// Asks one question; the answer is a JSON value that was not compared with the schema.
    async fn ask(&self, question: &ChatQuestion) -> ChatAnswer;
    /// Asks questions. The answers are in their order. An adapter may ask several at the same time.
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
