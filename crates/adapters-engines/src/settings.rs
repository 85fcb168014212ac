//! The operator's settings for engines.
use crate::Clients;
use crate::client::{Authentication, Client, Limits};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;
use url::Url;

/// Settings of engines. [`EngineSettings::default`] configures none.
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
    /// The model that computes vectors of texts: `OCTAVO_EMBEDDINGS_MODEL`.
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

/// A secret of the operator. Its `Debug` output does not show it.
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

/// Why settings are invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EngineSettingsError {
    /// A setting is missing.
    #[error("{0}: must be set for this engine")]
    Missing(&'static str),
    /// An address is not an HTTP URL.
    #[error("{0}: must be an http or https address without a user, a query and a fragment")]
    Address(&'static str),
    /// A key cannot be sent as a header.
    #[error("{0}: must be one line of visible ASCII characters")]
    Key(&'static str),
}

impl EngineSettings {
    /// The client of the translator. Without a configured address, it uses `default`.
    pub(crate) fn translator_client(
        &self,
        default: Option<&str>,
        limits: &Limits,
    ) -> Result<Clients, EngineSettingsError> {
        let url = self.translator_url.as_deref().or(default);
        let url = url.ok_or(EngineSettingsError::Missing("OCTAVO_TRANSLATOR_URL"))?;
        let authentication = match (&self.translator_key, self.translator) {
            (Some(key), TranslatorKind::DeepL) => Authentication::DeepL(key.clone()),
            // LibreTranslate takes the key in the body, and Apertium needs none.
            _ => Authentication::None,
        };
        client(("OCTAVO_TRANSLATOR_URL", url), ("OCTAVO_TRANSLATOR_KEY", authentication), limits)
    }

    /// The client of the chat engine, if there is one.
    pub(crate) fn chat_client(&self, limits: &Limits) -> Result<Option<Clients>, EngineSettingsError> {
        let Some(url) = &self.chat_url else { return Ok(None) };
        let authentication = self.chat_key.clone().map_or(Authentication::None, Authentication::Bearer);
        client(("OCTAVO_CHAT_URL", url), ("OCTAVO_CHAT_KEY", authentication), limits).map(Some)
    }

    /// The error that names the missing setting of the chat engine.
    pub(crate) fn missing_for_chat(&self) -> EngineSettingsError {
        EngineSettingsError::Missing(if self.chat_url.is_none() { "OCTAVO_CHAT_URL" } else { "OCTAVO_CHAT_MODEL" })
    }
}

fn client(
    (name, url): (&'static str, &str),
    (key_name, authentication): (&'static str, Authentication),
    limits: &Limits,
) -> Result<Clients, EngineSettingsError> {
    let wrong = || EngineSettingsError::Address(name);
    let base = Url::parse(url.trim()).map_err(|_error| wrong())?;
    let plain = base.username().is_empty() && base.password().is_none() && base.query().is_none();
    if !matches!(base.scheme(), "http" | "https") || !base.has_host() || !plain || base.fragment().is_some() {
        return Err(wrong());
    }
    let header = authentication.header().ok_or(EngineSettingsError::Key(key_name))?;
    Ok(Arc::new(Client::new(base, header, limits.clone())))
}
