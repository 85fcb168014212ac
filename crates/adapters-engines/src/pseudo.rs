//! A pseudo-translator, for tests of everything around translations.
use async_trait::async_trait;
use domain::ports::{EngineError, EngineUse, Markup, TranslationBatch, Translator, TranslatorAbilities};
use domain::text::Language;
use domain::translations::pseudo;

/// Adds accents to letters. It needs no network and supports every language.
pub(crate) struct Pseudo;

#[async_trait]
impl Translator for Pseudo {
    fn abilities(&self) -> TranslatorAbilities {
        TranslatorAbilities {
            name: "pseudo".to_owned(),
            markup: Markup::Xml,
            instructions: false,
            max_units: 1000,
            max_characters: 1_000_000,
            language_model: false,
        }
    }

    fn has(&self, _: Language, _: Language) -> bool {
        true
    }

    async fn translate(&self, batch: &TranslationBatch) -> Result<(Vec<Option<String>>, EngineUse), EngineError> {
        let answers = batch.texts.iter().map(|text| Some(pseudo::translated(text))).collect();
        Ok((answers, EngineUse { requests: 1, tokens: 0 }))
    }
}
