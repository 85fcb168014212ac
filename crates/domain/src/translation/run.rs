//! Runs of translations, and entries of the translation memory.
use crate::id::{PageId, TranslationId, TranslationRunId};
use chrono::{DateTime, Days, NaiveTime, TimeDelta, Utc};

/// The number of runs of a translation that are kept.
pub const KEPT_RUNS: usize = 50;
/// The name of the pseudo-translator, for tests.
pub const PSEUDO: &str = "pseudo";
/// The name of a language model, as a translator and for questions.
pub const CHAT: &str = "chat";
/// The name of an engine that computes vectors of texts.
pub const EMBEDDINGS: &str = "embeddings";
/// How long the memory keeps an unused translation.
pub const MEMORY_LIFETIME: TimeDelta = TimeDelta::days(180);
/// How long a run works before it lets other jobs run.
pub const TIME_SLICE: TimeDelta = TimeDelta::seconds(30);
/// How many requests may fail in a row before the job waits like any failed job.
pub const TRIES: u32 = 3;
/// The wait after the engine refused the key.
pub const DENIED_REST: TimeDelta = TimeDelta::hours(1);
/// The longest wait between two requests.
const LONGEST_WAIT: TimeDelta = TimeDelta::minutes(10);

/// A run, finished or in progress.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TranslationRun {
    /// The id; ids sort by time.
    pub id: TranslationRunId,
    /// The translation.
    pub translation: TranslationId,
    /// When it started.
    pub started_at: DateTime<Utc>,
    /// When it finished.
    pub finished_at: Option<DateTime<Utc>>,
    /// Milliseconds of work, without waiting.
    pub milliseconds: u64,
    /// Words of the source that an engine translated.
    pub words: u64,
    /// Pages with such words.
    pub pages: u64,
    /// The last counted page.
    pub last_page: Option<PageId>,
    /// Texts that were in the memory.
    pub memory_hits: u32,
    /// Texts that were translated by fragments, because the engine damaged their tags.
    pub by_fragments: u32,
    /// Texts that were not translated.
    pub untranslated: u32,
    /// Failed requests since the last answer.
    pub failures: u32,
    /// Requests to the engine.
    pub requests: u64,
    /// Tokens of the engine, if it counts them.
    pub tokens: u64,
    /// The engine.
    pub engine: String,
}

impl TranslationRun {
    /// A run that starts now.
    pub fn new(id: TranslationRunId, translation: TranslationId, engine: String, now: DateTime<Utc>) -> Self {
        Self {
            id,
            translation,
            started_at: now,
            finished_at: None,
            milliseconds: 0,
            words: 0,
            pages: 0,
            last_page: None,
            memory_hits: 0,
            by_fragments: 0,
            untranslated: 0,
            failures: 0,
            requests: 0,
            tokens: 0,
            engine,
        }
    }

    /// Counts words of a page that an engine translated. Must be called for one page after the other.
    pub fn count(&mut self, page: Option<&PageId>, words: u64) {
        self.words = self.words.saturating_add(words);
        if let Some(page) = page.filter(|page| words > 0 && self.last_page.as_ref() != Some(page)) {
            self.pages = self.pages.saturating_add(1);
            self.last_page = Some(page.clone());
        }
    }

    /// Adds working time.
    pub fn work(&mut self, time: TimeDelta) {
        let milliseconds = u64::try_from(time.num_milliseconds()).unwrap_or_default();
        self.milliseconds = self.milliseconds.saturating_add(milliseconds);
    }

    /// The wait after another failed request: as long as the engine requests, otherwise 1, 4, 16 … seconds.
    pub fn wait(&self, asked: Option<TimeDelta>) -> TimeDelta {
        let seconds = 4_i64.checked_pow(self.failures.min(8)).unwrap_or(i64::MAX);
        asked.unwrap_or_else(|| TimeDelta::try_seconds(seconds).unwrap_or(LONGEST_WAIT).min(LONGEST_WAIT))
    }
}

/// The next midnight (UTC), when daily quotas are reset.
pub fn next_midnight(now: DateTime<Utc>) -> DateTime<Utc> {
    let tomorrow = now.date_naive().checked_add_days(Days::new(1)).unwrap_or(now.date_naive());
    tomorrow.and_time(NaiveTime::MIN).and_utc()
}

/// The midnight (UTC) before a time.
pub fn day(now: DateTime<Utc>) -> DateTime<Utc> {
    now.date_naive().and_time(NaiveTime::MIN).and_utc()
}

/// The key of a text in the memory: a hash of the text and of everything else that its translation depends on.
pub type MemoryKey = [u8; 32];

/// A text in the memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryEntry {
    /// Its key.
    pub key: MemoryKey,
    /// The translation, in canonical tags.
    pub target: String,
    /// The engine.
    pub engine: String,
    /// When it was translated.
    pub created_at: DateTime<Utc>,
}

/// The usage of an engine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EngineUsage {
    /// Words of the source.
    pub words: u64,
    /// Characters sent.
    pub characters: u64,
    /// Requests.
    pub requests: u64,
    /// Tokens, if the engine counts them.
    pub tokens: u64,
}
