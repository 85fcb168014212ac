//! A translator and a language model in the test's process: no request leaves it.
use async_trait::async_trait;
use domain::ports::{
    Chat, ChatAnswer, ChatQuestion, EngineError, EngineUse, Markup, TranslationBatch, Translator, TranslatorAbilities,
};
use domain::text::Language;
use domain::translation::run::PSEUDO;
use domain::translations::pseudo::translated;
use serde_json::Value;
use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

/// What a [`ScriptedTranslator`] answers to a request.
pub enum ScriptedAnswer {
    /// This error.
    Error(EngineError),
    /// These texts; `None` leaves one out.
    Texts(Vec<Option<String>>),
}

type Rule = Box<dyn Fn(&TranslationBatch) -> Option<ScriptedAnswer> + Send + Sync>;

/// Translates by putting accents on letters, and records what it is asked. A script can answer first.
pub struct ScriptedTranslator {
    abilities: Mutex<TranslatorAbilities>,
    asked: Mutex<Vec<TranslationBatch>>,
    script: Mutex<VecDeque<ScriptedAnswer>>,
    rule: Mutex<Option<Rule>>,
}

impl Default for ScriptedTranslator {
    fn default() -> Self {
        let abilities = TranslatorAbilities {
            name: PSEUDO.to_owned(),
            markup: Markup::Xml,
            instructions: false,
            max_units: 30,
            max_characters: 6000,
            language_model: false,
        };
        Self { abilities: abilities.into(), asked: Mutex::default(), script: Mutex::default(), rule: Mutex::default() }
    }
}

fn held<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl ScriptedTranslator {
    /// Changes what it can do.
    pub fn change(&self, change: impl FnOnce(&mut TranslatorAbilities)) {
        change(&mut held(&self.abilities));
    }

    /// Answers the next requests, one each.
    pub fn answer_next(&self, script: impl IntoIterator<Item = ScriptedAnswer>) {
        held(&self.script).extend(script);
    }

    /// Answers requests by a rule, where it gives an answer.
    pub fn rule(&self, rule: impl Fn(&TranslationBatch) -> Option<ScriptedAnswer> + Send + Sync + 'static) {
        *held(&self.rule) = Some(Box::new(rule));
    }

    /// The requests since the last call.
    pub fn asked(&self) -> Vec<TranslationBatch> {
        std::mem::take(&mut *held(&self.asked))
    }

    /// The texts of the requests since the last call, sorted.
    pub fn texts(&self) -> Vec<String> {
        let mut texts: Vec<String> = self.asked().into_iter().flat_map(|batch| batch.texts).collect();
        texts.sort();
        texts
    }
}

/// The answer of the translator: the same text with accents.
pub fn accented(text: &str) -> String {
    translated(text)
}

#[async_trait]
impl Translator for ScriptedTranslator {
    fn abilities(&self) -> TranslatorAbilities {
        held(&self.abilities).clone()
    }

    fn has(&self, from: Language, to: Language) -> bool {
        from != to && to != Language::Et
    }

    async fn translate(&self, batch: &TranslationBatch) -> Result<(Vec<Option<String>>, EngineUse), EngineError> {
        held(&self.asked).push(batch.clone());
        let scripted = held(&self.script).pop_front();
        let said = scripted.or_else(|| held(&self.rule).as_ref().and_then(|rule| rule(batch)));
        let texts = match said {
            Some(ScriptedAnswer::Error(error)) => return Err(error),
            Some(ScriptedAnswer::Texts(texts)) => texts,
            None => batch.texts.iter().map(|text| Some(accented(text))).collect(),
        };
        Ok((texts, EngineUse { requests: 1, tokens: 0 }))
    }
}

type Answering = Box<dyn Fn(&ChatQuestion) -> Result<Value, EngineError> + Send + Sync>;

/// A language model that answers by a rule, and records what it is asked. Without a rule it cannot be reached.
#[derive(Default)]
pub struct ScriptedChat {
    asked: Mutex<Vec<ChatQuestion>>,
    rule: Mutex<Option<Answering>>,
}

impl ScriptedChat {
    /// Answers questions by a rule.
    pub fn rule(&self, rule: impl Fn(&ChatQuestion) -> Result<Value, EngineError> + Send + Sync + 'static) {
        *held(&self.rule) = Some(Box::new(rule));
    }

    /// The questions since the last call.
    pub fn asked(&self) -> Vec<ChatQuestion> {
        std::mem::take(&mut *held(&self.asked))
    }
}

#[async_trait]
impl Chat for ScriptedChat {
    async fn ask(&self, question: &ChatQuestion) -> ChatAnswer {
        held(&self.asked).push(question.clone());
        let away = || Err(EngineError::Down("away".to_owned()));
        let value = held(&self.rule).as_ref().map_or_else(away, |rule| rule(question))?;
        Ok((value, EngineUse { requests: 1, tokens: 7 }))
    }
}
