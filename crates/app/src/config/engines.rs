//! Settings of engines: third-party programs that translate, answer questions or compute vectors.
use super::values::whole;
use crate::failure::Failure;
use adapters_engines::{EngineSettings, Engines, Key, TranslatorKind};
use anyhow::Result;
use clap::Args;
use clap::builder::PossibleValuesParser;
use domain::words::Words;
use std::fmt;
use std::time::Duration;

/// The settings of engines, unchecked.
#[derive(Args, Clone)]
#[command(next_help_heading = "Engines")]
pub(crate) struct EngineArgs {
    /// The engine that translates spaces: none, pseudo, chat, libretranslate, deepl or apertium.
    ///
    /// `pseudo` adds accents to letters, to try translations without an engine. `chat` is a language model; it receives
    /// only texts of organizations that allow it.
    #[arg(long, env = "OCTAVO_TRANSLATOR", value_name = "ENGINE", default_value = "none",
        value_parser = PossibleValuesParser::new(TranslatorKind::WORDS))]
    translator: String,

    /// The URL of the translator [default: that of the engine, where it has one].
    #[arg(long, env = "OCTAVO_TRANSLATOR_URL", value_name = "URL")]
    translator_url: Option<String>,

    /// The key of the translator. Prefer the environment variable: other users of the machine can read command lines.
    #[arg(long, env = "OCTAVO_TRANSLATOR_KEY", value_name = "KEY")]
    translator_key: Option<String>,

    /// The URL of an OpenAI-compatible API, such as http://localhost:11434/v1. It needs --chat-model or
    /// --embeddings-model.
    #[arg(long, env = "OCTAVO_CHAT_URL", value_name = "URL")]
    chat_url: Option<String>,

    /// The key of that API. Prefer the environment variable.
    #[arg(long, env = "OCTAVO_CHAT_KEY", value_name = "KEY")]
    chat_key: Option<String>,

    /// The language model. It needs --chat-url.
    #[arg(long, env = "OCTAVO_CHAT_MODEL", value_name = "MODEL")]
    chat_model: Option<String>,

    /// A model of the API of --chat-url that computes vectors for grouping issues [default: built-in vectors].
    #[arg(long, env = "OCTAVO_EMBEDDINGS_MODEL", value_name = "MODEL")]
    embeddings_model: Option<String>,

    /// Maximum number of requests to engines at the same time.
    #[arg(long, env = "OCTAVO_ENGINE_CONCURRENCY", value_name = "NUMBER", default_value_t = 4,
        value_parser = whole::<u16>(1..=u16::MAX))]
    engine_concurrency: u16,

    /// Seconds after which a request to an engine fails.
    #[arg(long, env = "OCTAVO_ENGINE_TIMEOUT", value_name = "SECONDS", default_value_t = 60,
        value_parser = whole::<u16>(1..=u16::MAX))]
    engine_timeout: u16,

    /// Maximum number of words translated per organization and day (UTC); 0 translates none [default: no limit].
    #[arg(long, env = "OCTAVO_TRANSLATED_WORDS_A_DAY", value_name = "NUMBER",
        value_parser = whole::<u64>(0..=u64::MAX))]
    translated_words_a_day: Option<u64>,
}

/// Without the keys.
impl fmt::Debug for EngineArgs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EngineArgs").field("translator", &self.translator).finish_non_exhaustive()
    }
}

/// The engines of the server.
#[derive(Clone, Debug)]
pub(crate) struct ServerEngines {
    pub(crate) engines: Engines,
    pub(crate) words_a_day: Option<u64>,
}

impl EngineArgs {
    /// The engines.
    ///
    /// # Errors
    /// If a setting is missing or not valid. The error names the setting and the rule, never a key.
    pub(crate) fn check(self) -> Result<ServerEngines> {
        let settings = EngineSettings {
            translator: self.translator.parse().unwrap_or(TranslatorKind::None),
            translator_url: self.translator_url,
            translator_key: self.translator_key.map(Key::new),
            chat_url: self.chat_url,
            chat_key: self.chat_key.map(Key::new),
            chat_model: self.chat_model,
            embeddings_model: self.embeddings_model,
            concurrency: self.engine_concurrency.into(),
            timeout: Duration::from_secs(self.engine_timeout.into()),
        };
        let engines = Engines::new(&settings).map_err(|error| {
            Failure::usage(error.to_string())
                .advise("the documentation has an example of each engine: docs/translations.md")
        })?;
        Ok(ServerEngines { engines, words_a_day: self.translated_words_a_day })
    }
}
