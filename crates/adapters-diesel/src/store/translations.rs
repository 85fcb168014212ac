use super::stored::{document, json, number, parsed, parsed_if, strings, time, to_document, to_json, to_number};
use crate::error::internal;
use crate::schema::translations::{glossary_entries as glossary, translation_runs as runs, translations};
use crate::sql::{columns, one_of, ordered, prepared, seek};
use crate::tx::DieselTx;
use async_trait::async_trait;
use chrono::NaiveDateTime;
use diesel::sql_types::Text;
use diesel::{AsChangeset, ExpressionMethods, Insertable, IntoSql, QueryDsl, Queryable, Selectable};
use domain::id::{GlossaryEntryId, OrganizationId, SpaceId, TranslationId};
use domain::paging::{Page, PageRequest};
use domain::ports::store::{GlossaryStore, TranslationStore};
use domain::ports::{StoreError, StoreResult};
use domain::translation::glossary::{GlossaryChanges, GlossaryEntry};
use domain::translation::run::TranslationRun;
use domain::translation::{Translation, TranslationError, TranslationSource, TranslationStats};

/// The number of rows that one statement removes.
const ROWS: usize = 500;

#[derive(Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = translations, treat_none_as_default_value = false, treat_none_as_null = true)]
#[diesel(check_for_backend(diesel::pg::Pg, diesel::sqlite::Sqlite))]
struct TranslationRow {
    id: String,
    organization_id: String,
    source_space_id: String,
    source_language: String,
    language: String,
    instructions: String,
    created_by: String,
    asked_by: Option<String>,
    target_space_id: Option<String>,
    machine_revision_id: Option<String>,
    source_revision_id: Option<String>,
    result_revision_id: Option<String>,
    change_request_id: Option<String>,
    state: String,
    again: bool,
    fresh_since: Option<NaiveDateTime>,
    runs: i32,
    total_words: i64,
    total_pages: i64,
    total_milliseconds: i64,
    latest_words: i64,
    latest_pages: i64,
    latest_milliseconds: i64,
    untranslated: i32,
    error_code: Option<String>,
    error_message: Option<String>,
    error_at: Option<NaiveDateTime>,
    retry_at: Option<NaiveDateTime>,
    created_at: NaiveDateTime,
    updated_at: NaiveDateTime,
}

/// Reads a large counter column.
pub(super) fn large(value: i64) -> StoreResult<u64> {
    u64::try_from(value).map_err(internal)
}

/// Writes a large counter column.
pub(super) fn to_large(value: u64) -> StoreResult<i64> {
    i64::try_from(value).map_err(internal)
}

impl TryFrom<TranslationRow> for Translation {
    type Error = StoreError;

    fn try_from(row: TranslationRow) -> StoreResult<Self> {
        let code = parsed_if("translations.error_code", row.error_code.as_deref())?;
        let retry_at = row.retry_at.map(|at| at.and_utc());
        let error = match (code, row.error_message, row.error_at) {
            (Some(code), Some(message), Some(at)) => {
                Some(TranslationError { code, message, at: at.and_utc(), retry_at })
            }
            _ => None,
        };
        let source = TranslationSource {
            space: parsed("translations.source_space_id", &row.source_space_id)?,
            language: parsed("translations.source_language", &row.source_language)?,
        };
        let stats = TranslationStats {
            runs: number("translations.runs", row.runs)?,
            total_words: large(row.total_words)?,
            total_pages: large(row.total_pages)?,
            total_milliseconds: large(row.total_milliseconds)?,
            latest_words: large(row.latest_words)?,
            latest_pages: large(row.latest_pages)?,
            latest_milliseconds: large(row.latest_milliseconds)?,
        };
        Ok(Self {
            id: parsed("translations.id", &row.id)?,
            organization: parsed("translations.organization_id", &row.organization_id)?,
            source,
            language: parsed("translations.language", &row.language)?,
            instructions: document("translations.instructions", &row.instructions)?,
            created_by: parsed("translations.created_by", &row.created_by)?,
            asked_by: parsed_if("translations.asked_by", row.asked_by.as_deref())?,
            target: parsed_if("translations.target_space_id", row.target_space_id.as_deref())?,
            machine_revision: parsed_if("translations.machine_revision_id", row.machine_revision_id.as_deref())?,
            source_revision: parsed_if("translations.source_revision_id", row.source_revision_id.as_deref())?,
            result_revision: parsed_if("translations.result_revision_id", row.result_revision_id.as_deref())?,
            change_request: parsed_if("translations.change_request_id", row.change_request_id.as_deref())?,
            status: parsed("translations.state", &row.state)?,
            again: row.again,
            fresh_since: row.fresh_since.map(|at| at.and_utc()),
            stats,
            untranslated: number("translations.untranslated", row.untranslated)?,
            error,
            created_at: row.created_at.and_utc(),
            updated_at: row.updated_at.and_utc(),
        })
    }
}

fn text<T: ToString>(value: Option<&T>) -> Option<String> {
    value.map(ToString::to_string)
}

impl TryFrom<&Translation> for TranslationRow {
    type Error = StoreError;

    fn try_from(translation: &Translation) -> StoreResult<Self> {
        let (stats, error) = (translation.stats, translation.error.as_ref());
        Ok(Self {
            id: translation.id.to_string(),
            organization_id: translation.organization.to_string(),
            source_space_id: translation.source.space.to_string(),
            source_language: translation.source.language.to_string(),
            language: translation.language.to_string(),
            instructions: to_document(&translation.instructions)?,
            created_by: translation.created_by.to_string(),
            asked_by: text(translation.asked_by.as_ref()),
            target_space_id: text(translation.target.as_ref()),
            machine_revision_id: text(translation.machine_revision.as_ref()),
            source_revision_id: text(translation.source_revision.as_ref()),
            result_revision_id: text(translation.result_revision.as_ref()),
            change_request_id: text(translation.change_request.as_ref()),
            state: translation.status.to_string(),
            again: translation.again,
            fresh_since: translation.fresh_since.map(time),
            runs: to_number(stats.runs)?,
            total_words: to_large(stats.total_words)?,
            total_pages: to_large(stats.total_pages)?,
            total_milliseconds: to_large(stats.total_milliseconds)?,
            latest_words: to_large(stats.latest_words)?,
            latest_pages: to_large(stats.latest_pages)?,
            latest_milliseconds: to_large(stats.latest_milliseconds)?,
            untranslated: to_number(translation.untranslated)?,
            error_code: error.map(|error| error.code.to_string()),
            error_message: error.map(|error| error.message.clone()),
            error_at: error.map(|error| time(error.at)),
            retry_at: error.and_then(|error| error.retry_at).map(time),
            created_at: time(translation.created_at),
            updated_at: time(translation.updated_at),
        })
    }
}

#[derive(Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = runs, treat_none_as_default_value = false, treat_none_as_null = true)]
#[diesel(check_for_backend(diesel::pg::Pg, diesel::sqlite::Sqlite))]
struct RunRow {
    id: String,
    translation_id: String,
    started_at: NaiveDateTime,
    finished_at: Option<NaiveDateTime>,
    milliseconds: i64,
    words: i64,
    pages: i64,
    last_page_id: Option<String>,
    memory_hits: i32,
    floored: i32,
    untranslated: i32,
    failures: i32,
    requests: i64,
    tokens: i64,
    engine: String,
}

impl TryFrom<RunRow> for TranslationRun {
    type Error = StoreError;

    fn try_from(row: RunRow) -> StoreResult<Self> {
        Ok(Self {
            id: parsed("translation_runs.id", &row.id)?,
            translation: parsed("translation_runs.translation_id", &row.translation_id)?,
            started_at: row.started_at.and_utc(),
            finished_at: row.finished_at.map(|at| at.and_utc()),
            milliseconds: large(row.milliseconds)?,
            words: large(row.words)?,
            pages: large(row.pages)?,
            last_page: parsed_if("translation_runs.last_page_id", row.last_page_id.as_deref())?,
            memory_hits: number("translation_runs.memory_hits", row.memory_hits)?,
            by_fragments: number("translation_runs.floored", row.floored)?,
            untranslated: number("translation_runs.untranslated", row.untranslated)?,
            failures: number("translation_runs.failures", row.failures)?,
            requests: large(row.requests)?,
            tokens: large(row.tokens)?,
            engine: row.engine,
        })
    }
}

impl TryFrom<&TranslationRun> for RunRow {
    type Error = StoreError;

    fn try_from(run: &TranslationRun) -> StoreResult<Self> {
        Ok(Self {
            id: run.id.to_string(),
            translation_id: run.translation.to_string(),
            started_at: time(run.started_at),
            finished_at: run.finished_at.map(time),
            milliseconds: to_large(run.milliseconds)?,
            words: to_large(run.words)?,
            pages: to_large(run.pages)?,
            last_page_id: text(run.last_page.as_ref()),
            memory_hits: to_number(run.memory_hits)?,
            floored: to_number(run.by_fragments)?,
            untranslated: to_number(run.untranslated)?,
            failures: to_number(run.failures)?,
            requests: to_large(run.requests)?,
            tokens: to_large(run.tokens)?,
            engine: run.engine.clone(),
        })
    }
}

#[async_trait]
impl TranslationStore for DieselTx {
    async fn find(&mut self, organization: &OrganizationId, id: &TranslationId) -> StoreResult<Option<Translation>> {
        let query = translations::table
            .find(id.as_str())
            .filter(translations::organization_id.eq(organization.as_str()))
            .select(columns::<TranslationRow>());
        self.conn.maybe::<TranslationRow>(query).await?.map(Translation::try_from).transpose()
    }

    async fn list(&mut self, organization: &OrganizationId, page: &PageRequest) -> StoreResult<Page<Translation>> {
        let after = page.after.as_deref().map(IntoSql::into_sql::<Text>);
        let wanted = translations::table.filter(translations::organization_id.eq(organization.as_str()));
        let query = wanted
            .filter(seek(translations::id, after, page.order))
            .order(ordered(translations::id, page.order))
            .limit(page.limit as i64 + 1)
            .select(columns::<TranslationRow>());
        let rows: Vec<TranslationRow> = self.conn.all(query).await?;
        let total = self.conn.total(rows.len(), page, wanted.count()).await?;
        Page::from_overfetch(rows, page, total, |row| row.id.clone()).try_map(Translation::try_from)
    }

    async fn all(&mut self) -> StoreResult<Vec<Translation>> {
        let query = translations::table.order(translations::id.asc()).select(columns::<TranslationRow>());
        let rows: Vec<TranslationRow> = self.conn.at_length().all(query).await?;
        rows.into_iter().map(Translation::try_from).collect()
    }

    async fn count(&mut self, organization: &OrganizationId) -> StoreResult<usize> {
        let wanted = translations::table.filter(translations::organization_id.eq(organization.as_str()));
        let count: i64 = self.conn.one(wanted.count()).await?;
        usize::try_from(count).map_err(internal)
    }

    async fn of_source(&mut self, space: &SpaceId) -> StoreResult<Vec<(OrganizationId, TranslationId)>> {
        let query = translations::table
            .filter(translations::source_space_id.eq(space.as_str()))
            .order(translations::id.asc())
            .select((translations::organization_id, translations::id));
        let rows: Vec<(String, String)> = self.conn.all(query).await?;
        let ids = |(organization, id): (String, String)| {
            Ok((parsed("translations.organization_id", &organization)?, parsed("translations.id", &id)?))
        };
        rows.into_iter().map(ids).collect()
    }

    async fn save(&mut self, translation: &Translation) -> StoreResult<()> {
        self.check(&translation.organization)?;
        let row = TranslationRow::try_from(translation)?;
        let upsert =
            diesel::insert_into(translations::table).values(&row).on_conflict(translations::id).do_update().set(&row);
        self.conn.send(prepared(upsert)).await
    }

    async fn remove(&mut self, organization: &OrganizationId, id: &TranslationId) -> StoreResult<()> {
        self.check(organization)?;
        let one = translations::table.find(id.as_str()).filter(translations::organization_id.eq(organization.as_str()));
        self.conn.send(diesel::delete(one)).await
    }

    async fn runs(&mut self, id: &TranslationId, limit: usize) -> StoreResult<Vec<TranslationRun>> {
        let query = runs::table
            .filter(runs::translation_id.eq(id.as_str()))
            .order(runs::id.desc())
            .limit(i64::try_from(limit).map_err(internal)?)
            .select(columns::<RunRow>());
        let rows: Vec<RunRow> = self.conn.all(query).await?;
        rows.into_iter().map(TranslationRun::try_from).collect()
    }

    async fn save_run(&mut self, run: &TranslationRun) -> StoreResult<()> {
        let row = RunRow::try_from(run)?;
        let upsert = diesel::insert_into(runs::table).values(&row).on_conflict(runs::id).do_update().set(&row);
        self.conn.send(prepared(upsert)).await
    }

    async fn remove_old_runs(&mut self, id: &TranslationId, kept: usize) -> StoreResult<()> {
        let old = runs::table
            .filter(runs::translation_id.eq(id.as_str()))
            .order(runs::id.desc())
            .offset(i64::try_from(kept).map_err(internal)?)
            .limit(ROWS as i64)
            .select(runs::id);
        let old: Vec<String> = self.conn.all(old).await?;
        if old.is_empty() {
            return Ok(());
        }
        self.conn.send(diesel::delete(runs::table.filter(one_of(runs::id, old)))).await
    }
}

#[derive(Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = glossary, treat_none_as_default_value = false, treat_none_as_null = true)]
#[diesel(check_for_backend(diesel::pg::Pg, diesel::sqlite::Sqlite))]
struct GlossaryRow {
    id: String,
    organization_id: String,
    translations: serde_json::Value,
    created_at: NaiveDateTime,
    updated_at: NaiveDateTime,
}

impl TryFrom<GlossaryRow> for GlossaryEntry {
    type Error = StoreError;

    fn try_from(row: GlossaryRow) -> StoreResult<Self> {
        Ok(Self {
            id: parsed("glossary_entries.id", &row.id)?,
            organization: parsed("glossary_entries.organization_id", &row.organization_id)?,
            translations: json("glossary_entries.translations", row.translations)?,
            created_at: row.created_at.and_utc(),
            updated_at: row.updated_at.and_utc(),
        })
    }
}

impl TryFrom<&GlossaryEntry> for GlossaryRow {
    type Error = StoreError;

    fn try_from(entry: &GlossaryEntry) -> StoreResult<Self> {
        Ok(Self {
            id: entry.id.to_string(),
            organization_id: entry.organization.to_string(),
            translations: to_json(&entry.translations)?,
            created_at: time(entry.created_at),
            updated_at: time(entry.updated_at),
        })
    }
}

#[async_trait]
impl GlossaryStore for DieselTx {
    async fn entries(&mut self, organization: &OrganizationId) -> StoreResult<Vec<GlossaryEntry>> {
        let query = glossary::table
            .filter(glossary::organization_id.eq(organization.to_string()))
            .order(glossary::id.asc())
            .select(columns::<GlossaryRow>());
        let rows: Vec<GlossaryRow> = self.conn.at_length().all(query).await?;
        rows.into_iter().map(GlossaryEntry::try_from).collect()
    }

    async fn entry(
        &mut self,
        organization: &OrganizationId,
        id: &GlossaryEntryId,
    ) -> StoreResult<Option<GlossaryEntry>> {
        let query = glossary::table
            .find(id.as_str())
            .filter(glossary::organization_id.eq(organization.as_str()))
            .select(columns::<GlossaryRow>());
        self.conn.maybe::<GlossaryRow>(query).await?.map(GlossaryEntry::try_from).transpose()
    }

    async fn change(&mut self, organization: &OrganizationId, changes: &GlossaryChanges) -> StoreResult<()> {
        self.check(organization)?;
        for some in changes.removed.chunks(ROWS) {
            let gone = glossary::table
                .filter(glossary::organization_id.eq(organization.to_string()))
                .filter(one_of(glossary::id, strings(some)));
            self.conn.at_length().send(diesel::delete(gone)).await?;
        }
        for entry in &changes.saved {
            let row = GlossaryRow::try_from(entry)?;
            let upsert =
                diesel::insert_into(glossary::table).values(&row).on_conflict(glossary::id).do_update().set(&row);
            self.conn.send(prepared(upsert)).await?;
        }
        Ok(())
    }
}
