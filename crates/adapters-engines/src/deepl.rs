//! DeepL: `POST …/v2/translate`.
use crate::Clients;
use crate::languages::codes;
use crate::settings::Key;
use async_trait::async_trait;
use domain::ports::{EngineError, EngineUse, Markup, TranslationBatch, Translator, TranslatorAbilities};
use domain::text::Language;
use serde::Deserialize;
use serde_json::json;

/// DeepL's API.
pub(crate) struct DeepL {
    client: Clients,
}

#[derive(Deserialize)]
struct Answer {
    translations: Vec<Translation>,
}

#[derive(Deserialize)]
struct Translation {
    text: String,
}

/// The API address for a key: free and paid keys have different ones.
pub(crate) fn address(key: &Key) -> &'static str {
    if key.secret().ends_with(":fx") { "https://api-free.deepl.com" } else { "https://api.deepl.com" }
}

impl DeepL {
    pub(crate) fn new(client: Clients) -> Self {
        Self { client }
    }
}

#[async_trait]
impl Translator for DeepL {
    fn abilities(&self) -> TranslatorAbilities {
        TranslatorAbilities {
            name: "deepl".to_owned(),
            markup: Markup::Xml,
            instructions: false,
            max_units: 50,
            max_characters: 20_000,
            language_model: false,
        }
    }

    fn has(&self, from: Language, to: Language) -> bool {
        codes(from).deepl.is_some() && codes(to).deepl.is_some()
    }

    async fn translate(&self, batch: &TranslationBatch) -> Result<(Vec<Option<String>>, EngineUse), EngineError> {
        let unknown = || EngineError::Languages { from: batch.from.as_str(), to: batch.to.as_str() };
        let (source, _) = codes(batch.from).deepl.ok_or_else(unknown)?;
        let (_, target) = codes(batch.to).deepl.ok_or_else(unknown)?;
        let mut body = json!({
            "text": batch.texts,
            "source_lang": source,
            "target_lang": target,
            "tag_handling": "xml",
            "outline_detection": false,
        });
        if !batch.context.is_empty() {
            // The context is neither translated nor billed.
            body["context"] = batch.context.join("\n").into();
        }
        let reply = self.client.post_json("v2/translate", &body).await?;
        if reply.is_refusal() && reply.text().contains("_lang") {
            return Err(unknown());
        }
        let answer: Answer = reply.json()?;
        if answer.translations.len() != batch.texts.len() {
            return Err(EngineError::InvalidAnswer("it has another number of texts"));
        }
        let texts = answer.translations.into_iter().map(|translation| Some(translation.text)).collect();
        Ok((texts, EngineUse { requests: 1, tokens: 0 }))
    }
}
