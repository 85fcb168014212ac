//! `octavo engine`: translation engines, language models and embeddings models.
use crate::config::EngineArgs;
use crate::failure::Failure;
use crate::output::Output;
use adapters_engines::Engines;
use anyhow::Result;
use clap::{Args, Subcommand};
use domain::content::markdown::{self, Unresolved};
use domain::ports::{Chat, ChatQuestion, Embedder, Markup, TranslationBatch, Translator};
use domain::text::Language;
use domain::translations::{Tagged, Translatable};
use serde_json::{Value, json};
use std::time::Instant;

/// The sentence to translate, as Markdown: it has a pair of tags and a single one.
const SENTENCE: &str = "Open the **settings** of the space, and run `octavo`.";
/// Texts to compute vectors of.
const ISSUES: [&str; 2] = ["I cannot reset my password.", "The export of a space fails."];

#[derive(Debug, Subcommand)]
pub(crate) enum EngineCommand {
    /// Translate one sentence, ask one question and compute two vectors, with the configured engines.
    ///
    /// Prints the engines, the translation, the times, whether the tags are complete, whether the language model answers
    /// in the requested format, and the length of the vectors. Reads the same settings as the server.
    ///
    /// Exit codes: 0 all engines succeeded, 1 an engine failed, 2 wrong settings.
    Check(Check),
}

#[derive(Args, Debug)]
pub(crate) struct Check {
    #[command(flatten)]
    engines: EngineArgs,
    /// The language to translate into, from English.
    #[arg(long, value_name = "LANGUAGE", default_value = "es")]
    into: String,
}

impl EngineCommand {
    /// Runs the command.
    pub(crate) async fn run(self) -> Result<()> {
        let Self::Check(check) = self;
        check.run().await
    }
}

impl Check {
    async fn run(self) -> Result<()> {
        let into = self.into.parse::<Language>().map_err(|rule| Failure::usage(format!("--into: {rule}")))?;
        let Engines { translator, chat, embedder } = self.engines.check()?.engines;
        if translator.is_none() && chat.is_none() && embedder.is_none() {
            let failure = Failure::usage("OCTAVO_TRANSLATOR (--translator): is none, and OCTAVO_CHAT_URL is not set");
            return Err(failure
                .advise("set one of them to an engine, such as OCTAVO_TRANSLATOR=libretranslate")
                .into());
        }
        if let Some(translator) = &translator {
            translate(&**translator, into).await?;
        }
        if let Some(chat) = &chat {
            ask(&**chat).await?;
        }
        match &embedder {
            Some(embedder) => embed(&**embedder).await,
            None => Ok(()),
        }
    }
}

/// The sentence with its tags.
fn sentence() -> Result<Tagged> {
    let document = markdown::parse(SENTENCE, &Unresolved).into_document()?;
    let unit = document.units().into_iter().next();
    unit.map(|unit| unit.text).ok_or_else(|| Failure::new("the sentence has no text").into())
}

async fn translate(translator: &dyn Translator, into: Language) -> Result<()> {
    let (abilities, from) = (translator.abilities(), Language::En);
    if !translator.has(from, into) {
        return Err(Failure::new(format!("{} does not translate {from} into {into}", abilities.name)).into());
    }
    let sentence = sentence()?;
    let batch = TranslationBatch {
        from,
        to: into,
        texts: vec![sentence.written(abilities.markup)],
        instructions: None,
        glossary: Vec::new(),
        context: Vec::new(),
        complaint: None,
    };
    let begun = Instant::now();
    let answer = translator.translate(&batch).await;
    let time = begun.elapsed();
    let (texts, _) = answer.map_err(|error| Failure::new(format!("{}: {error}", abilities.name)))?;
    let Some(translation) = texts.into_iter().next().flatten() else {
        return Err(Failure::new(format!("{} returned no translation", abilities.name)).into());
    };
    let out = Output::people();
    out.line(format_args!("Engine: {}", abilities.name));
    out.line(format_args!("From {from} into {into}: {translation}"));
    out.line(format_args!("Time: {} ms, {} words", time.as_millis(), sentence.word_count()));
    let tags = match abilities.markup {
        Markup::None => "the engine has no markup: texts with links and formats are translated in pieces",
        markup if sentence.read(markup, &translation).is_ok() => "came back",
        _ => "were lost: texts with links and formats are translated in pieces",
    };
    out.line(format_args!("Tags: {tags}"));
    Ok(())
}

/// Asks the language model a question whose answer is known.
async fn ask(chat: &dyn Chat) -> Result<()> {
    let question = ChatQuestion {
        system: "Answer with JSON of the form {\"word\": \"…\"}.".to_owned(),
        user: "The word is: octavo".to_owned(),
        schema_name: "word",
        schema: json!({
            "type": "object",
            "properties": {"word": {"type": "string"}},
            "required": ["word"],
            "additionalProperties": false,
        }),
        max_tokens: 40,
    };
    let begun = Instant::now();
    let answer = chat.ask(&question).await;
    let time = begun.elapsed();
    let (value, used) = answer.map_err(|error| Failure::new(format!("language model: {error}")))?;
    let out = Output::people();
    out.line(format_args!("Language model: {} ms, {} tokens", time.as_millis(), used.tokens));
    let form = match value.get("word").and_then(Value::as_str) {
        Some(_) => "has the requested format",
        None => "does not have the requested format: such answers are not used",
    };
    out.line(format_args!("Answer: {form}"));
    Ok(())
}

/// Computes vectors with the embeddings model.
async fn embed(embedder: &dyn Embedder) -> Result<()> {
    let begun = Instant::now();
    let answer = embedder.embed(&ISSUES.map(str::to_owned)).await;
    let (time, model) = (begun.elapsed(), embedder.model());
    let (vectors, used) = answer.map_err(|error| Failure::new(format!("embeddings model {model}: {error}")))?;
    let out = Output::people();
    out.line(format_args!("Embeddings model: {model}, {} ms, {} tokens", time.as_millis(), used.tokens));
    out.line(format_args!("Vectors: {} numbers each", vectors.first().map_or(0, Vec::len)));
    Ok(())
}
