//! Translations.
use super::text::{JsonDocument, note};
use super::{given, schemas};
use crate::answer::links::Links;
use crate::answer::resource::{Presented, Resource};
use crate::request::Wire;
use crate::request::paging::List;
use chrono::{DateTime, Utc};
use domain::access::Granted;
use domain::content::document::Document;
use domain::content::document::wire::WireDocument;
use domain::id::SpaceId;
use domain::text::{Invalid, Language, Rule};
use domain::translation::{
    self, NewTranslation, TranslationErrorCode, TranslationInstructions, TranslationStats, TranslationStatus,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A space that is kept in another language, in step with its source.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Translation)]
pub(crate) struct TranslationFields {
    id: String,
    #[schema(value_type = schemas::TranslationStatus)]
    status: TranslationStatus,
    source: Source,
    /// The language that it is translated into.
    #[schema(value_type = schemas::Language)]
    language: Language,
    /// Instructions for language models.
    #[schema(value_type = schemas::Document)]
    instructions: WireDocument<Document>,
    /// The space with the translation; absent before the first run, and if that space is deleted or in another
    /// organization.
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<TranslationResult>,
    /// The change request of the result with texts that both people and the source changed; absent once it is merged or
    /// archived.
    #[serde(skip_serializing_if = "Option::is_none")]
    change_request: Option<String>,
    /// Texts that the last run left in the language of the source.
    untranslated: u32,
    /// Why the next run has to wait.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<TranslationError>,
    created_at: DateTime<Utc>,
    updated_at: DateTime<Utc>,
    stats: Stats,
}

/// A space and its language.
#[derive(Serialize, ToSchema)]
#[schema(as = TranslationSource)]
pub(crate) struct Source {
    /// The id of the space.
    space: String,
    #[schema(value_type = schemas::Language)]
    language: Language,
}

/// The space with a translation.
#[derive(Serialize, ToSchema)]
pub(crate) struct TranslationResult {
    /// The id of the space.
    space: String,
    /// The id of its primary revision after the last run.
    revision: String,
    #[schema(value_type = schemas::Language)]
    language: Language,
}

/// Why the next run of a translation has to wait.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TranslationError {
    #[schema(value_type = schemas::TranslationErrorCode)]
    code: TranslationErrorCode,
    message: String,
    at: DateTime<Utc>,
    /// When the next attempt is due; absent if none is scheduled.
    #[serde(skip_serializing_if = "Option::is_none")]
    retry_at: Option<DateTime<Utc>>,
}

/// Statistics of the runs of a translation. Texts from the memory are not counted.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = TranslationStats)]
pub(crate) struct Stats {
    /// Finished runs.
    runs: u32,
    /// Words of the source that an engine translated.
    total_words: u64,
    /// Pages with at least one such word.
    total_pages: u64,
    /// Seconds of work, rounded.
    total_duration: u64,
    /// Seconds of work of the last run, rounded.
    latest_run_duration: u64,
    latest_pages: u64,
    latest_words: u64,
}

/// URLs of a translation.
#[derive(Serialize, ToSchema)]
pub(crate) struct TranslationUrls {
    pub(crate) location: String,
}

impl Resource for TranslationFields {
    const OBJECT: &'static str = "translation";
    type Entity = translation::Translation;
    type Urls = TranslationUrls;
}

pub(crate) type Translation = Presented<TranslationFields>;
pub(crate) type TranslationList = List<Translation>;

/// Milliseconds as whole seconds, as clients read them.
fn seconds(milliseconds: u64) -> u64 {
    milliseconds.saturating_add(500) / 1000
}

fn stats(stats: TranslationStats) -> Stats {
    Stats {
        runs: stats.runs,
        total_words: stats.total_words,
        total_pages: stats.total_pages,
        total_duration: seconds(stats.total_milliseconds),
        latest_run_duration: seconds(stats.latest_milliseconds),
        latest_pages: stats.latest_pages,
        latest_words: stats.latest_words,
    }
}

pub(crate) fn translation(translation: Granted<translation::Translation>, links: &Links) -> Translation {
    Presented::new(translation, |one: translation::Translation| {
        let urls = TranslationUrls { location: links.translation(&one.organization, &one.id) };
        let language = one.language;
        let result = one.target.zip(one.result_revision).map(|(space, revision)| TranslationResult {
            space: space.into(),
            revision: revision.into(),
            language,
        });
        let error = one.error.map(|error| TranslationError {
            code: error.code,
            message: error.message,
            at: error.at,
            retry_at: error.retry_at,
        });
        let fields = TranslationFields {
            id: one.id.into(),
            status: one.status,
            source: Source { space: one.source.space.into(), language: one.source.language },
            language,
            instructions: WireDocument(one.instructions),
            result,
            change_request: one.change_request.map(String::from),
            untranslated: one.untranslated,
            error,
            created_at: one.created_at,
            updated_at: one.updated_at,
            stats: stats(one.stats),
        };
        (fields, urls)
    })
}

/// A space to translate.
#[derive(Deserialize, ToSchema)]
pub(crate) struct NewSource {
    /// The id of the space.
    #[schema(value_type = String)]
    space: SpaceId,
    /// Its language; the one that is set for the space if absent.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = schemas::Language)]
    language: Option<Language>,
}

/// A translation to create.
#[derive(Deserialize, ToSchema)]
#[schema(example = json!({"source": {"space": "4kXGnbwLoR", "language": "en"}, "language": "de"}))]
pub(crate) struct CreateTranslation {
    source: NewSource,
    /// The language to translate it into.
    #[schema(value_type = schemas::Language)]
    language: Language,
    /// Rich text of at most 10,000 characters for language models, such as how to address readers. Optional parts may
    /// be omitted, so the schema is not given in detail.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Object)]
    instructions: Option<JsonDocument>,
}

fn instructions(document: JsonDocument) -> Result<TranslationInstructions, Invalid> {
    note("instructions", document)?.try_into().map_err(|rule: Rule| rule.of("instructions"))
}

impl Wire for CreateTranslation {
    type Command = NewTranslation;

    fn command(self) -> Result<NewTranslation, Invalid> {
        let Self { source: NewSource { space, language: source_language }, language, .. } = self;
        let instructions = self.instructions.map(instructions).transpose()?.unwrap_or_default();
        Ok(NewTranslation { space, source_language, language, instructions })
    }
}

/// New instructions of a translation.
#[derive(Deserialize, ToSchema)]
pub(crate) struct PutTranslation {
    /// Rich text of at most 10,000 characters. Optional parts may be omitted, so the schema is not given in detail.
    #[schema(value_type = Object)]
    instructions: JsonDocument,
}

impl Wire for PutTranslation {
    type Command = TranslationInstructions;

    fn command(self) -> Result<TranslationInstructions, Invalid> {
        instructions(self.instructions)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::read_json;
    use rstest::rstest;

    const TEXT: &str = r#"{"object":"document","data":{},"nodes":[]}"#;

    fn new(body: &str) -> Result<NewTranslation, Invalid> {
        read_json::<CreateTranslation>(body.as_bytes())?.command()
    }

    #[rstest]
    #[case("{}", "source")]
    #[case(r#"{"source":{},"language":"de"}"#, "source.space")]
    #[case(r#"{"source":{"space":"s","language":"xx"},"language":"de"}"#, "source.language")]
    #[case(r#"{"source":{"space":"s","language":null},"language":"de"}"#, "source.language")]
    #[case(r#"{"source":{"space":"s"}}"#, "language")]
    #[case(r#"{"source":{"space":"s"},"language":"German"}"#, "language")]
    #[case(r#"{"source":{"space":"s"},"language":"de","instructions":null}"#, "instructions.object")]
    #[case(r#"{"source":{"space":"s"},"language":"de","instructions":"Be polite."}"#, "instructions")]
    fn a_field_that_breaks_a_rule_is_named(#[case] body: &str, #[case] field: &str) {
        assert_eq!(new(body).unwrap_err().field, field);
    }

    #[test]
    fn instructions_are_optional_in_a_new_translation_only() {
        let read = new(r#"{"source":{"space":"s"},"language":"pt-br"}"#).unwrap();
        assert_eq!((read.language, read.source_language), (Language::PtBr, None));
        let put = |body: &str| read_json::<PutTranslation>(body.as_bytes())?.command();
        assert_eq!(put("{}").unwrap_err().field, "instructions");
        assert_eq!(put(&format!(r#"{{"instructions":{TEXT}}}"#)), Ok(TranslationInstructions::default()));
    }

    #[rstest]
    #[case(0, 0)]
    #[case(499, 0)]
    #[case(500, 1)]
    #[case(3_999, 4)]
    #[case(u64::MAX, u64::MAX / 1000)]
    fn durations_are_whole_seconds(#[case] milliseconds: u64, #[case] expected: u64) {
        assert_eq!(seconds(milliseconds), expected);
    }

    #[test]
    fn instructions_have_at_most_10_000_characters() {
        let put = |length: usize| {
            let leaf = format!(
                r#"{{"object":"text","leaves":[{{"object":"leaf","text":"{}","marks":[]}}]}}"#,
                "é".repeat(length)
            );
            let block = format!(r#"{{"object":"block","type":"paragraph","data":{{}},"nodes":[{leaf}]}}"#);
            let body = format!(r#"{{"instructions":{{"object":"document","data":{{}},"nodes":[{block}]}}}}"#);
            read_json::<PutTranslation>(body.as_bytes())?.command()
        };
        assert!(put(10_000).is_ok());
        assert_eq!(put(10_001).unwrap_err().field, "instructions");
    }
}
