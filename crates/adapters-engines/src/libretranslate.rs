//! LibreTranslate: `POST …/translate`.
use crate::Clients;
use crate::languages::codes;
use crate::settings::Key;
use async_trait::async_trait;
use domain::ports::{EngineError, EngineUse, Markup, TranslationBatch, Translator, TranslatorAbilities};
use domain::text::Language;
use serde::Deserialize;
use serde_json::json;

/// A server of LibreTranslate.
pub(crate) struct LibreTranslate {
    client: Clients,
    key: Option<Key>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Answer {
    translated_text: Vec<String>,
}

impl LibreTranslate {
    pub(crate) fn new(client: Clients, key: Option<Key>) -> Self {
        Self { client, key }
    }
}

#[async_trait]
impl Translator for LibreTranslate {
    fn abilities(&self) -> TranslatorAbilities {
        TranslatorAbilities {
            name: "libretranslate".to_owned(),
            markup: Markup::Html,
            instructions: false,
            max_units: 20,
            max_characters: 2000,
            language_model: false,
        }
    }

    fn has(&self, from: Language, to: Language) -> bool {
        codes(from).libretranslate.is_some() && codes(to).libretranslate.is_some()
    }

    async fn translate(&self, batch: &TranslationBatch) -> Result<(Vec<Option<String>>, EngineUse), EngineError> {
        let unknown = || EngineError::Languages { from: batch.from.as_str(), to: batch.to.as_str() };
        let source = codes(batch.from).libretranslate.ok_or_else(unknown)?;
        let target = codes(batch.to).libretranslate.ok_or_else(unknown)?;
        let mut body = json!({"q": batch.texts, "source": source, "target": target, "format": "html"});
        if let Some(key) = &self.key {
            body["api_key"] = key.secret().into();
        }
        let reply = self.client.post_json("translate", &body).await?;
        if reply.is_refusal() && reply.text().contains("is not supported") {
            return Err(unknown());
        }
        let answer: Answer = reply.json()?;
        if answer.translated_text.len() != batch.texts.len() {
            return Err(EngineError::InvalidAnswer("it has another number of texts"));
        }
        Ok((answer.translated_text.into_iter().map(Some).collect(), EngineUse { requests: 1, tokens: 0 }))
    }
}
