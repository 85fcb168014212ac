//! Translations: a space kept in another language, in step with its source.
//!
//! A run translates the texts of the source that are not in the translation memory, and merges the result into the
//! target, an ordinary space. So edits of people in the target are kept.
pub mod glossary;
pub(crate) mod memory_keys;
pub mod run;

use crate::access::{Access, Guarded, Level, permissions};
use crate::content::document::Document;
use crate::id::{ChangeRequestId, OrganizationId, RevisionId, SpaceId, TranslationId, UserId};
use crate::space::Space;
use crate::text::{Invalid, Language, Rule, SpaceTitle};
use crate::words;
use chrono::{DateTime, TimeDelta, Utc};
use run::TranslationRun;

/// The most translations of an organization.
pub const MAX_TRANSLATIONS: usize = 100;
/// The longest instructions, in characters.
pub const MAX_INSTRUCTIONS: usize = 10_000;
/// The delay between a change of the source and the run of its translations, so that several changes in a row need one
/// run.
pub const CHANGE_DELAY: TimeDelta = TimeDelta::seconds(60);
/// The start of the subject of the change request with texts that both people and the source changed.
pub const SUBJECT: &str = "Translation";

words! {
    /// The status of a translation.
    pub enum TranslationStatus {
        /// A run is waiting, possibly after a failure.
        Pending = "pending",
        /// A run is in progress.
        Running = "running",
        /// The last run finished, and the source has not changed since.
        Completed = "completed",
    }

    /// Why the next run has to wait.
    pub enum TranslationErrorCode {
        /// The engine cannot be reached, or fails.
        EngineDown = "engine_down",
        /// The engine has too much to do.
        EngineBusy = "engine_busy",
        /// The engine does not accept the key.
        EngineDenied = "engine_denied",
        /// The quota of the engine is used up.
        EngineSpent = "engine_spent",
        /// The engine does not have the languages.
        EngineLanguages = "engine_languages",
        /// The engine refuses all requests.
        EngineRefused = "engine_refused",
        /// The engine is a language model, and the organization does not allow them.
        LanguageModelsOff = "language_models_off",
        /// The source is deleted, or belongs to another organization.
        SourceMissing = "source_missing",
        /// The user on whose behalf it runs is no longer an administrator.
        AccessLost = "access_lost",
        /// The target is locked.
        TargetLocked = "target_locked",
    }
}

/// Why the next run has to wait.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TranslationError {
    /// The kind.
    pub code: TranslationErrorCode,
    /// A sentence. It contains neither keys nor texts.
    pub message: String,
    /// When it happened.
    pub at: DateTime<Utc>,
    /// When the next attempt is due; absent if none is scheduled: it follows a request, or the end of the cause.
    pub retry_at: Option<DateTime<Utc>>,
}

/// A space and its language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TranslationSource {
    /// The space.
    pub space: SpaceId,
    /// Its language.
    pub language: Language,
}

/// Statistics of all runs and of the latest one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TranslationStats {
    /// Finished runs.
    pub runs: u32,
    /// Words of the source that an engine translated.
    pub total_words: u64,
    /// Pages with at least one such word.
    pub total_pages: u64,
    /// Milliseconds of work.
    pub total_milliseconds: u64,
    /// Words of the latest run.
    pub latest_words: u64,
    /// The pages of the latest run.
    pub latest_pages: u64,
    /// The milliseconds of the latest run.
    pub latest_milliseconds: u64,
}

/// A translation.
#[derive(Clone, Debug, PartialEq)]
pub struct Translation {
    /// The id.
    pub id: TranslationId,
    /// The organization.
    pub organization: OrganizationId,
    /// The source.
    pub source: TranslationSource,
    /// The language that it is translated into.
    pub language: Language,
    /// Instructions for engines that follow them.
    pub instructions: Document,
    /// The user who created it. Automatic runs act on the user's behalf.
    pub created_by: UserId,
    /// The user who requested the next run; absent for an automatic one.
    pub asked_by: Option<UserId>,
    /// The space with the translation; absent before the first run, and after that space was purged.
    pub target: Option<SpaceId>,
    /// The revision of the target that the machine made last.
    pub machine_revision: Option<RevisionId>,
    /// The revision of the source that it was made from.
    pub source_revision: Option<RevisionId>,
    /// The primary revision of the target after the last run.
    pub result_revision: Option<RevisionId>,
    /// The change request of the target with texts that both people and the source changed.
    pub change_request: Option<ChangeRequestId>,
    /// Its status.
    pub status: TranslationStatus,
    /// Whether another run was requested during the current one.
    pub again: bool,
    /// The next run ignores texts of the memory from before this time.
    pub fresh_since: Option<DateTime<Utc>>,
    /// Statistics of its runs.
    pub stats: TranslationStats,
    /// Texts that the last run left in the language of the source.
    pub untranslated: u32,
    /// Why the next run has to wait.
    pub error: Option<TranslationError>,
    /// When it was created.
    pub created_at: DateTime<Utc>,
    /// When its instructions, its status or its result last changed.
    pub updated_at: DateTime<Utc>,
}

/// A translation to create.
#[derive(Clone, Debug, PartialEq)]
pub struct NewTranslation {
    /// The space to translate.
    pub space: SpaceId,
    /// Its language; absent for the one that the space has.
    pub source_language: Option<Language>,
    /// The language to translate it into.
    pub language: Language,
    /// Instructions for engines that follow them.
    pub instructions: TranslationInstructions,
}

/// Instructions of at most [`MAX_INSTRUCTIONS`] characters.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TranslationInstructions(Document);

impl TryFrom<Document> for TranslationInstructions {
    type Error = Rule;

    fn try_from(document: Document) -> Result<Self, Rule> {
        match document.text().chars().count() {
            long if long > MAX_INSTRUCTIONS => {
                Err(Rule(format!("must have at most {MAX_INSTRUCTIONS} characters, not {long}")))
            }
            _ => Ok(Self(document)),
        }
    }
}

impl From<TranslationInstructions> for Document {
    fn from(instructions: TranslationInstructions) -> Self {
        instructions.0
    }
}

impl NewTranslation {
    /// The languages of source and target. `space` is the language of the source, if it has one.
    ///
    /// # Errors
    /// [`Invalid`] if the source has none, or if they are the same.
    pub fn languages(&self, space: Option<Language>) -> Result<(Language, Language), Invalid> {
        let from = self.source_language.or(space);
        let from = from.ok_or_else(|| Invalid::new("source.language", "is required: the space has no language"))?;
        if from == self.language {
            return Err(Invalid::new("language", "must differ from the language of the source"));
        }
        Ok((from, self.language))
    }
}

impl Translation {
    /// A new translation, which waits for its first run.
    pub fn new(
        id: TranslationId,
        organization: OrganizationId,
        new: NewTranslation,
        (from, to): (Language, Language),
        created_by: UserId,
        now: DateTime<Utc>,
    ) -> Self {
        Self {
            id,
            organization,
            source: TranslationSource { space: new.space, language: from },
            language: to,
            instructions: new.instructions.into(),
            asked_by: Some(created_by.clone()),
            created_by,
            target: None,
            machine_revision: None,
            source_revision: None,
            result_revision: None,
            change_request: None,
            status: TranslationStatus::Pending,
            again: false,
            fresh_since: None,
            stats: TranslationStats::default(),
            untranslated: 0,
            error: None,
            created_at: now,
            updated_at: now,
        }
    }

    /// The user on whose behalf the next run acts.
    pub fn acts_for(&self) -> &UserId {
        self.asked_by.as_ref().unwrap_or(&self.created_by)
    }

    /// Requests a run. If one is in progress, another one follows it. With `fresh`, the run translates every text
    /// again.
    pub fn ask(&mut self, by: UserId, fresh: bool, now: DateTime<Utc>) {
        self.asked_by = Some(by);
        if fresh {
            self.fresh_since = Some(now);
        }
        self.error = None;
        match self.status {
            TranslationStatus::Running => self.again = true,
            TranslationStatus::Pending | TranslationStatus::Completed => self.status = TranslationStatus::Pending,
        }
        self.updated_at = now;
    }

    /// Records that a run is in progress.
    pub fn start(&mut self, now: DateTime<Utc>) {
        self.status = TranslationStatus::Running;
        self.again = false;
        self.updated_at = now;
    }

    /// Records why the run cannot continue.
    pub fn stop(&mut self, error: TranslationError) {
        self.status = TranslationStatus::Pending;
        self.updated_at = error.at;
        self.error = Some(error);
    }

    /// Records the result of a finished run.
    pub fn complete(&mut self, run: &TranslationRun, now: DateTime<Utc>) {
        self.status = if self.again { TranslationStatus::Pending } else { TranslationStatus::Completed };
        self.error = None;
        self.fresh_since = self.fresh_since.filter(|since| *since > run.started_at);
        if !self.again {
            self.asked_by = None;
        }
        self.untranslated = run.untranslated;
        let stats = &mut self.stats;
        stats.runs = stats.runs.saturating_add(1);
        stats.total_words = stats.total_words.saturating_add(run.words);
        stats.total_pages = stats.total_pages.saturating_add(run.pages);
        stats.total_milliseconds = stats.total_milliseconds.saturating_add(run.milliseconds);
        (stats.latest_words, stats.latest_pages, stats.latest_milliseconds) = (run.words, run.pages, run.milliseconds);
        self.updated_at = now;
    }

    /// The translation as the API shows it. `source` is the current revision of its source, `has_target` whether its
    /// target exists, `has_request` whether its change request is neither merged nor archived. A completed translation
    /// whose source has changed since is shown as pending.
    #[must_use]
    pub fn shown(self, source: Option<&RevisionId>, has_target: bool, has_request: bool) -> Self {
        let changed = source.is_some_and(|source| self.source_revision.as_ref() != Some(source));
        let status = match self.status {
            TranslationStatus::Completed if changed && has_target => TranslationStatus::Pending,
            status => status,
        };
        if has_target {
            return Self { status, change_request: self.change_request.filter(|_| has_request), ..self };
        }
        Self { status, target: None, result_revision: None, change_request: None, ..self }
    }

    /// The title of the target of a source with this title.
    pub fn target_title(&self, source: &SpaceTitle) -> SpaceTitle {
        let code = format!(" ({})", self.language);
        let room = SpaceTitle::MAX.saturating_sub(code.chars().count());
        let cut: String = source.as_str().chars().take(room).collect();
        SpaceTitle::fitted(format!("{}{code}", cut.trim_end()).trim_start(), "")
    }

    /// Whether the source may be read for it.
    pub fn reads(&self, source: &Space) -> bool {
        source.organization == self.organization && source.deleted_at.is_none()
    }
}

permissions! {
    /// What a caller may do with a translation (see `docs/access.md`).
    pub struct TranslationPermissions {
        view = "view",
        edit = "edit",
    }
}

impl Guarded for Translation {
    type Permissions = TranslationPermissions;

    fn permissions(&self, access: &Access) -> TranslationPermissions {
        let admin = access.at_least(Level::Admin);
        TranslationPermissions { view: admin, edit: admin }
    }

    fn visible(permissions: &TranslationPermissions) -> bool {
        permissions.view
    }
}

#[cfg(test)]
mod tests;
