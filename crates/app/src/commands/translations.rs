//! `octavo translations`: the translations of spaces.
use crate::failure::Failure;
use crate::output::Output;
use anyhow::Result;
use chrono::{DateTime, SecondsFormat, Utc};
use clap::{Args, Subcommand};
use domain::actor::Actor;
use domain::id::TranslationId;
use domain::translation::Translation;
use domain::usecases::{Translations, UseCases};
use serde_json::{Value, json};

#[derive(Debug, Subcommand)]
pub(crate) enum TranslationsCommand {
    /// List translations, with the errors that delay their next runs.
    List(List),

    /// Run a translation.
    ///
    /// A server with a translator runs it, at once or when it starts.
    Run(Run),
}

#[derive(Args, Debug)]
pub(crate) struct List {
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Args, Debug)]
pub(crate) struct Run {
    /// The id of the translation; see `octavo translations list`.
    #[arg(value_name = "ID")]
    id: TranslationId,
    /// Translate every text again, such as after a change of the engine.
    #[arg(long)]
    fresh: bool,
}

impl TranslationsCommand {
    /// Runs the command.
    pub(crate) async fn run(self, use_cases: &UseCases) -> Result<()> {
        match self {
            Self::List(command) => command.run(use_cases).await,
            Self::Run(command) => command.run(use_cases).await,
        }
    }
}

fn written(moment: DateTime<Utc>) -> String {
    moment.to_rfc3339_opts(SecondsFormat::Secs, true)
}

fn described(one: &Translation) -> Value {
    json!({
        "id": one.id,
        "organization": one.organization,
        "source": one.source.space,
        "from": one.source.language,
        "into": one.language,
        "target": one.target,
        "status": one.status,
        "runs": one.stats.runs,
        "words": one.stats.total_words,
        "untranslated": one.untranslated,
        "error": one.error.as_ref().map(|error| &error.message),
        "retryAt": one.error.as_ref().and_then(|error| error.retry_at).map(written),
    })
}

impl List {
    async fn run(self, use_cases: &UseCases) -> Result<()> {
        let all = use_cases.translations.all().await?;
        let out = Output::new(self.json);
        if out.is_json() {
            out.json(&Value::Array(all.iter().map(described).collect()));
            return Ok(());
        }
        let row = |one: &Translation| {
            let error = one.error.as_ref().map(|error| error.message.clone()).unwrap_or_default();
            [
                one.id.to_string(),
                one.source.space.to_string(),
                format!("{} to {}", one.source.language, one.language),
                one.status.to_string(),
                one.stats.total_words.to_string(),
                error,
            ]
        };
        let header = ["id", "source", "languages", "status", "words", "problem"];
        out.table(header, all.iter().map(row).collect(), "There are no translations.");
        Ok(())
    }
}

impl Run {
    async fn run(self, use_cases: &UseCases) -> Result<()> {
        let all = use_cases.translations.all().await?;
        let Some(found) = all.into_iter().find(|one| one.id == self.id) else {
            let failure = Failure::new(format!("there is no translation {}", self.id));
            return Err(failure.advise("list them with `octavo translations list`").into());
        };
        // The translator is configured in the server that runs it.
        let translations = Translations { translates: true, ..use_cases.translations.clone() };
        translations.run(&Actor::Operator, &found.organization, &self.id, self.fresh).await?;
        Output::people().line(format_args!("Translation {} will run.", self.id));
        Ok(())
    }
}
