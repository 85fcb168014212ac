//! Translations, their runs and their memory, glossaries, and the usage of engines.
use super::StoreResult;
use crate::id::{GlossaryEntryId, OrganizationId, SpaceId, TranslationId};
use crate::paging::{Page, PageRequest};
use crate::translation::Translation;
use crate::translation::glossary::{GlossaryChanges, GlossaryEntry};
use crate::translation::run::{EngineUsage, MemoryEntry, MemoryKey, TranslationRun};
use async_trait::async_trait;
use chrono::{DateTime, Utc};

/// Stores translations and their runs. The lock of the organization covers the translations; the lock of the job that
/// runs a translation covers its runs.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait TranslationStore: Send {
    /// A translation of an organization.
    async fn find(&mut self, organization: &OrganizationId, id: &TranslationId) -> StoreResult<Option<Translation>>;
    /// The translations of an organization by id, so the oldest first.
    async fn list(&mut self, organization: &OrganizationId, page: &PageRequest) -> StoreResult<Page<Translation>>;
    /// All translations, by id; for the operator.
    async fn all(&mut self) -> StoreResult<Vec<Translation>>;
    /// The number of translations of an organization.
    async fn count(&mut self, organization: &OrganizationId) -> StoreResult<usize>;
    /// The translations whose source is this space, by id.
    async fn of_source(&mut self, space: &SpaceId) -> StoreResult<Vec<(OrganizationId, TranslationId)>>;
    /// Adds or updates a translation.
    async fn save(&mut self, translation: &Translation) -> StoreResult<()>;
    /// Removes a translation and its runs.
    async fn remove(&mut self, organization: &OrganizationId, id: &TranslationId) -> StoreResult<()>;
    /// The newest runs of a translation, newest first.
    async fn runs(&mut self, id: &TranslationId, limit: usize) -> StoreResult<Vec<TranslationRun>>;
    /// Adds or updates a run.
    async fn save_run(&mut self, run: &TranslationRun) -> StoreResult<()>;
    /// Removes all but the newest `kept` runs of a translation.
    async fn remove_old_runs(&mut self, id: &TranslationId, kept: usize) -> StoreResult<()>;
}

/// Stores the translation memory of each organization, and the usage of engines. It needs no lock: entries are written
/// in the order of their keys.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait TranslationMemory: Send {
    /// The texts with these keys, in any order. Texts from before `since` are left out.
    async fn find(
        &mut self,
        organization: &OrganizationId,
        keys: &[MemoryKey],
        since: Option<DateTime<Utc>>,
    ) -> StoreResult<Vec<(MemoryKey, String)>>;
    /// Adds texts, or replaces those with the same keys.
    async fn save(&mut self, organization: &OrganizationId, entries: &[MemoryEntry]) -> StoreResult<()>;
    /// Records a use of texts, unless a use after `before` is recorded.
    async fn touch(
        &mut self,
        organization: &OrganizationId,
        keys: &[MemoryKey],
        before: DateTime<Utc>,
        now: DateTime<Utc>,
    ) -> StoreResult<()>;
    /// Removes up to `limit` texts of any organization that were last used before this time. Returns their number.
    async fn remove_unused(&mut self, before: DateTime<Utc>, limit: usize) -> StoreResult<usize>;
    /// The last use of the text that was not used for the longest time.
    async fn oldest(&mut self) -> StoreResult<Option<DateTime<Utc>>>;
    /// The usage of all engines by an organization on a day.
    async fn usage(&mut self, organization: &OrganizationId, day: DateTime<Utc>) -> StoreResult<EngineUsage>;
    /// Adds to the usage of an engine by an organization on a day.
    async fn use_engine(
        &mut self,
        organization: &OrganizationId,
        day: DateTime<Utc>,
        engine: &str,
        more: EngineUsage,
    ) -> StoreResult<()>;
}

/// Stores glossaries. The lock of the organization covers its glossary.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait GlossaryStore: Send {
    /// All entries of an organization, by id.
    async fn entries(&mut self, organization: &OrganizationId) -> StoreResult<Vec<GlossaryEntry>>;
    /// An entry of an organization.
    async fn entry(
        &mut self,
        organization: &OrganizationId,
        id: &GlossaryEntryId,
    ) -> StoreResult<Option<GlossaryEntry>>;
    /// Stores changes.
    async fn change(&mut self, organization: &OrganizationId, changes: &GlossaryChanges) -> StoreResult<()>;
}
