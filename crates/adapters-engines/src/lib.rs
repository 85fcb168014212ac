//! Engines: external services for translations, chat completions and embeddings, which the operator configures.
//!
//! An engine often runs next to this program, so its address may be private, and the address check of the public
//! fetcher does not apply. Instead, requests go only to the configured origin, without proxies, and a redirect is an
//! error. Errors and `Debug` output never contain keys.
mod apertium;
mod chat;
mod chat_translator;
mod client;
mod deepl;
mod embeddings;
mod languages;
mod libretranslate;
mod metered;
mod pseudo;
mod reply;
mod settings;
#[cfg(test)]
mod tests;

pub use settings::{EngineSettings, EngineSettingsError, Key, TranslatorKind};

use apertium::Apertium;
use chat::ChatCompletions;
use chat_translator::ChatTranslator;
use client::{Client, Limits};
use deepl::DeepL;
use domain::ports::{Chat, Embedder, Translator};
use embeddings::Embeddings;
use libretranslate::LibreTranslate;
use metered::{MeteredChat, MeteredEmbedder, MeteredTranslator};
use pseudo::Pseudo;
use std::sync::Arc;

/// The configured engines.
#[derive(Clone, Default)]
pub struct Engines {
    /// Translates texts.
    pub translator: Option<Arc<dyn Translator>>,
    /// Answers questions.
    pub chat: Option<Arc<dyn Chat>>,
    /// Turns texts into vectors.
    pub embedder: Option<Arc<dyn Embedder>>,
}

impl Engines {
    /// Creates the clients of the engines. It sends no request, so an unreachable engine is noticed only later.
    ///
    /// # Errors
    /// [`EngineSettingsError`] names the setting that is missing or not valid.
    pub fn new(settings: &EngineSettings) -> Result<Self, EngineSettingsError> {
        let limits = Limits::new(settings.concurrency, settings.timeout);
        let chat_client = settings.chat_client(&limits)?;
        let chat: Option<Arc<dyn Chat>> = match (&chat_client, &settings.chat_model) {
            (Some(client), Some(model)) => Some(Arc::new(ChatCompletions::new(client.clone(), model.clone()))),
            (None, None) => None,
            // The address may be for embeddings only.
            (Some(_), None) if settings.embeddings_model.is_some() => None,
            _ => return Err(settings.missing_for_chat()),
        };
        let embedder: Option<Arc<dyn Embedder>> = match (chat_client, &settings.embeddings_model) {
            (Some(client), Some(model)) => Some(Arc::new(Embeddings::new(client, model.clone()))),
            (None, Some(_)) => return Err(EngineSettingsError::Missing("OCTAVO_CHAT_URL")),
            _ => None,
        };
        let translator: Option<Arc<dyn Translator>> = match settings.translator {
            TranslatorKind::None => None,
            TranslatorKind::Pseudo => Some(Arc::new(Pseudo)),
            TranslatorKind::Chat => {
                let chat = chat.clone().ok_or_else(|| settings.missing_for_chat())?;
                Some(Arc::new(ChatTranslator::new(chat)))
            }
            TranslatorKind::LibreTranslate => {
                let key = settings.translator_key.clone();
                Some(Arc::new(LibreTranslate::new(settings.translator_client(None, &limits)?, key)))
            }
            TranslatorKind::DeepL => {
                let key = settings.translator_key.as_ref();
                let key = key.ok_or(EngineSettingsError::Missing("OCTAVO_TRANSLATOR_KEY"))?;
                let address = deepl::address(key);
                Some(Arc::new(DeepL::new(settings.translator_client(Some(address), &limits)?)))
            }
            TranslatorKind::Apertium => Some(Arc::new(Apertium::new(settings.translator_client(None, &limits)?))),
        };
        Ok(Self {
            translator: translator.map(|translator| Arc::new(MeteredTranslator(translator)) as Arc<dyn Translator>),
            chat: chat.map(|chat| Arc::new(MeteredChat(chat)) as Arc<dyn Chat>),
            embedder: embedder.map(|embedder| Arc::new(MeteredEmbedder(embedder)) as Arc<dyn Embedder>),
        })
    }
}

impl std::fmt::Debug for Engines {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Engines")
            .field("translator", &self.translator.as_ref().map(|translator| translator.abilities().name))
            .field("chat", &self.chat.is_some())
            .field("embedder", &self.embedder.as_ref().map(|embedder| embedder.model()))
            .finish()
    }
}

type Clients = Arc<Client>;
