//! What the operator says about engines.
use crate::Clients;
use crate::client::{Client, Limits, Sign};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;
use url::Url;

/// Settings of engines. [`EngineSettings::default`] has none.
#[derive(Clone, Debug)]
pub struct EngineSettings {
    /// Which program translates: `OCTAVO_TRANSLATOR`.
    pub translator: TranslatorKind,
    /// The address of the translator: `OCTAVO_TRANSLATOR_URL`.
    pub translator_url: Option<String>,
    /// The key of the translator: `OCTAVO_TRANSLATOR_KEY`.
    pub translator_key: Option<Key>,
    /// The address of an OpenAI-compatible API, such as `http://localhost:11434/v1`: `OCTAVO_CHAT_URL`.
    pub chat_url: Option<String>,
    /// Its key: `OCTAVO_CHAT_KEY`.
    pub chat_key: Option<Key>,
    /// The model that answers questions: `OCTAVO_CHAT_MODEL`.
    pub chat_model: Option<String>,
    /// The model that turns texts into vectors. The server has no setting for it, since nothing uses vectors of engines yet.
    pub embeddings_model: Option<String>,
    /// The most requests to engines at once: `OCTAVO_ENGINE_CONCURRENCY`. Zero counts as one.
    pub concurrency: usize,
    /// The time limit of a request: `OCTAVO_ENGINE_TIMEOUT`.
    pub timeout: Duration,
}

impl Default for EngineSettings {
    fn default() -> Self {
        Self {
            translator: TranslatorKind::None,
            translator_url: None,
            translator_key: None,
            chat_url: None,
            chat_key: None,
            chat_model: None,
            embeddings_model: None,
            concurrency: 4,
            timeout: Duration::from_secs(60),
        }
    }
}

domain::words! {
    /// A program that translates.
    pub enum TranslatorKind {
        None = "none", Pseudo = "pseudo", Chat = "chat", LibreTranslate = "libretranslate", DeepL = "deepl",
        Apertium = "apertium",
    }
}

/// A secret of the operator. It is not shown by `Debug`.
#[derive(Clone, PartialEq, Eq)]
pub struct Key(String);

impl Key {
    /// The key.
    pub fn new(key: impl Into<String>) -> Self {
        Self(key.into())
    }

    pub(crate) fn secret(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(…)")
    }
}

/// Why settings give no engines.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EngineSettingsError {
    /// A setting is missing.
    #[error("{0}: must be set for this engine")]
    Missing(&'static str),
    /// An address is not one of HTTP.
    #[error("{0}: must be an http or https address without a user, a query and a fragment")]
    Address(&'static str),
    /// A key cannot be sent.
    #[error("{0}: must be one line of visible ASCII characters")]
    Key(&'static str),
}

impl EngineSettings {
    /// The client of the translator, with `default` as its address if there is none.
    pub(crate) fn translator_client(
        &self,
        default: Option<&str>,
        limits: &Limits,
    ) -> Result<Clients, EngineSettingsError> {
        let url = self.translator_url.as_deref().or(default);
        let url = url.ok_or(EngineSettingsError::Missing("OCTAVO_TRANSLATOR_URL"))?;
        let sign = match (&self.translator_key, self.translator) {
            (Some(key), TranslatorKind::DeepL) => Sign::DeepL(key.clone()),
            // LibreTranslate takes the key in the body, and Apertium needs none.
            _ => Sign::None,
        };
        client(("OCTAVO_TRANSLATOR_URL", url), ("OCTAVO_TRANSLATOR_KEY", sign), limits)
    }

    /// The client of the chat engine, if there is one.
    pub(crate) fn chat_client(&self, limits: &Limits) -> Result<Option<Clients>, EngineSettingsError> {
        let Some(url) = &self.chat_url else { return Ok(None) };
        let sign = self.chat_key.clone().map_or(Sign::None, Sign::Bearer);
        client(("OCTAVO_CHAT_URL", url), ("OCTAVO_CHAT_KEY", sign), limits).map(Some)
    }

    /// What is missing for a chat engine.
    pub(crate) fn missing_for_chat(&self) -> EngineSettingsError {
        EngineSettingsError::Missing(if self.chat_url.is_none() { "OCTAVO_CHAT_URL" } else { "OCTAVO_CHAT_MODEL" })
    }
}

fn client(
    (name, url): (&'static str, &str),
    (key_name, sign): (&'static str, Sign),
    limits: &Limits,
) -> Result<Clients, EngineSettingsError> {
    let wrong = || EngineSettingsError::Address(name);
    let base = Url::parse(url.trim()).map_err(|_error| wrong())?;
    let plain = base.username().is_empty() && base.password().is_none() && base.query().is_none();
    if !matches!(base.scheme(), "http" | "https") || !base.has_host() || !plain || base.fragment().is_some() {
        return Err(wrong());
    }
    let header = sign.header().ok_or(EngineSettingsError::Key(key_name))?;
    Ok(Arc::new(Client::new(base, header, limits.clone())))
}
