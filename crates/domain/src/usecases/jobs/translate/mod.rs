//! Runs of translations: reading the source, translating the texts that are not in the memory, and writing the target.
//!
//! No unit of work is open during a request to the engine. Each translated batch is stored in the memory in its own
//! unit of work: the memory is the progress, so an interrupted run translates no text twice. A run works in time
//! slices, so that other jobs can run in between.
mod ask;
mod begin;
mod target;
mod texts;
mod write;

use super::Engines;
use super::lease::{Lease, Outcome, Stop};
use crate::id::{OrganizationId, RevisionId, TranslationId};
use crate::job::Task;
use crate::ports::EngineError;
use crate::translation::memory_keys::MemoryKeys;
use crate::translation::run::{
    DENIED_REST, EngineUsage, MEMORY_LIFETIME, MemoryEntry, MemoryKey, TIME_SLICE, TRIES, TranslationRun, day,
    next_midnight,
};
use crate::translation::{CHANGE_DELAY, Translation, TranslationError, TranslationErrorCode, TranslationStatus};
use crate::usecases::Error;
use crate::usecases::content::write::Base;
use crate::usecases::work::Work;
use ask::{EngineResult, RunEngine};
use begin::{StartOutcome, begin};
use chrono::{DateTime, TimeDelta, Utc};
use std::collections::HashSet;
use texts::{KnownTexts, Texts, Wanted};

/// The number of texts that one step removes from the memory.
const REMOVED: usize = 500;
/// The precision of the recorded last use of a text.
const LAST_USE_PRECISION: TimeDelta = TimeDelta::days(1);

/// A time slice of a run, with its data.
struct Run<'l, 'j> {
    lease: &'l Lease<'j>,
    /// The revision of the source.
    revision: RevisionId,
    /// The last page of this revision that earlier time slices translated.
    asked: Option<String>,
    translation: Translation,
    record: TranslationRun,
    engine: RunEngine<'l>,
    words_a_day: Option<u64>,
    /// When this time slice began, and the time until which its work is counted.
    begun: DateTime<Utc>,
    counted: DateTime<Utc>,
}

/// Runs a time slice of a translation. The task has the last page that earlier time slices translated; it is ignored
/// after a change of the source.
pub(super) async fn run(lease: &Lease<'_>, task: &Task) -> Result<Outcome, Stop> {
    let Some(Engines { translator, words_a_day }) = &lease.jobs.engines else {
        return Err(Error::Unable("translate").into());
    };
    let Task::Translate { organization, translation: id, asked, revision } = task else { return Ok(Outcome::Done) };
    let begun = match begin(lease, &**translator, organization, id).await? {
        StartOutcome::Ready(ready) => *ready,
        StartOutcome::Ended(outcome) => return Ok(outcome),
    };
    let abilities = translator.abilities();
    let translation = begun.translation;
    let mut memory_keys = MemoryKeys::new(&translation, &begun.glossary);
    memory_keys.instructions = memory_keys.instructions.filter(|_| abilities.instructions);
    let engine = RunEngine { translator: &**translator, abilities, memory_keys };
    let now = lease.now();
    let mut run = Run {
        lease,
        revision: begun.source.revision.clone(),
        asked: asked.clone().filter(|_| revision.as_ref() == Some(&begun.source.revision)),
        translation,
        record: begun.run,
        engine,
        words_a_day: *words_a_day,
        begun: now,
        counted: now,
    };
    let mut work = lease.read().await?;
    let snapshot = Base::load(&mut work, &begun.source.id, &begun.source.revision).await?.snapshot;
    let texts = Texts::read(&mut work, snapshot, |unit| run.engine.memory_keys.key(unit)).await?;
    let mut known = run.find_known(&mut work, &texts).await?;
    drop(work);
    if let Some(outcome) = run.ask(&texts, &mut known).await? {
        return Ok(outcome);
    }
    run.write(&begun.source, &texts, &known).await
}

/// When another run has to follow, because it was requested or the source has changed; `None` if no run has to.
pub(super) async fn again(work: &mut Work<'_>, task: &Task, now: DateTime<Utc>) -> Result<Option<DateTime<Utc>>, Stop> {
    let Task::Translate { organization, translation, .. } = task else { return Ok(None) };
    let Some(found) = work.translations().find(organization, translation).await? else { return Ok(None) };
    if found.error.is_some() {
        return Ok(None);
    }
    if found.status == TranslationStatus::Pending && found.asked_by.is_some() {
        return Ok(Some(now));
    }
    let Some(target) = &found.target else { return Ok(None) };
    let spaces = [found.source.space.clone(), target.clone()];
    let there = work.spaces().find_many(&spaces).await?;
    let has_target = there.iter().any(|space| space.id == *target);
    let changed = there.iter().any(|space| {
        space.id == found.source.space && found.source_revision.as_ref().is_some_and(|seen| *seen != space.revision)
    });
    Ok((has_target && changed).then(|| now + CHANGE_DELAY))
}

impl Run<'_, '_> {
    /// The translations of the texts that are in the memory.
    async fn find_known(&self, work: &mut Work<'_>, texts: &Texts) -> Result<KnownTexts, Error> {
        let keys: HashSet<MemoryKey> = texts.wanted.iter().map(|wanted| wanted.key).collect();
        let keys: Vec<MemoryKey> = keys.into_iter().collect();
        let since = self.translation.fresh_since;
        let found = work.translation_memory().find(&self.translation.organization, &keys, since).await?;
        Ok(found.into_iter().collect())
    }

    /// Translates the texts that are not in the memory, page by page. Returns the outcome of the time slice if the run
    /// has to continue later.
    async fn ask(&mut self, texts: &Texts, known: &mut KnownTexts) -> Result<Option<Outcome>, Stop> {
        let used: Vec<MemoryKey> = known.keys().copied().collect();
        self.touch(&used).await?;
        for group in &texts.groups {
            let page = group.page.as_ref().map_or("", |page| page.as_str());
            if self.asked.as_deref().is_some_and(|asked| page <= asked) {
                continue;
            }
            let all = &texts.wanted[group.texts.clone()];
            let lacking: Vec<&Wanted> = all.iter().filter(|wanted| !known.contains_key(&wanted.key)).collect();
            if lacking.is_empty() {
                continue;
            }
            // In parts, so that little is lost if the run is interrupted.
            for some in lacking.chunks(self.engine.abilities.max_units.max(1)) {
                if self.reached_daily_limit().await? {
                    let error =
                        "the words that may be translated on one day are used up (OCTAVO_TRANSLATED_WORDS_A_DAY)";
                    let at = next_midnight(self.lease.now());
                    return self.stop(TranslationErrorCode::EngineSpent, error.to_owned(), Some(at)).await.map(Some);
                }
                let result = self.engine.ask(group.title.as_deref(), some).await;
                for answer in &result.answers {
                    known.insert(answer.key, answer.target.clone());
                }
                if !self.store_result(group.page.as_ref(), &result).await? {
                    return Ok(Some(Outcome::Done));
                }
                if let Some(error) = result.error {
                    return self.pause(error).await.map(Some);
                }
            }
            if self.lease.now() - self.begun >= TIME_SLICE {
                return Ok(Some(self.later(Some(page), self.lease.now())));
            }
        }
        Ok(None)
    }

    /// Schedules the next time slice of this run, which skips the pages up to `asked`.
    fn later(&self, asked: Option<&str>, at: DateTime<Utc>) -> Outcome {
        let task = Task::Translate {
            organization: self.translation.organization.clone(),
            translation: self.translation.id.clone(),
            asked: asked.map(str::to_owned).or_else(|| self.asked.clone()),
            revision: Some(self.revision.clone()),
        };
        Outcome::Again(task, at)
    }

    async fn touch(&self, keys: &[MemoryKey]) -> Result<(), Stop> {
        if keys.is_empty() {
            return Ok(());
        }
        let mut work = self.lease.step().await?;
        let now = self.lease.now();
        work.translation_memory().touch(&self.translation.organization, keys, now - LAST_USE_PRECISION, now).await?;
        Ok(work.commit().await?)
    }

    /// Whether the engine has translated the operator's limit of words for the organization today.
    async fn reached_daily_limit(&self) -> Result<bool, Stop> {
        let Some(limit) = self.words_a_day else { return Ok(false) };
        let mut work = self.lease.read().await?;
        let today = day(self.lease.now());
        Ok(work.translation_memory().usage(&self.translation.organization, today).await?.words >= limit)
    }

    /// Stores the result of requests to the engine. Returns whether the translation still exists.
    async fn store_result(&mut self, page: Option<&crate::id::PageId>, result: &EngineResult) -> Result<bool, Stop> {
        let now = self.lease.now();
        let engine = self.engine.abilities.name.clone();
        let entry = |answer: &ask::Answer| MemoryEntry {
            key: answer.key,
            target: answer.target.clone(),
            engine: engine.clone(),
            created_at: now,
        };
        let entries: Vec<MemoryEntry> = result.answers.iter().map(entry).collect();
        let words = result.answers.iter().map(|answer| answer.words).sum();
        self.record.count(page, words);
        self.record.by_fragments = self.record.by_fragments.saturating_add(result.by_fragments);
        self.record.requests += result.usage.requests;
        self.record.tokens += result.usage.tokens;
        if !entries.is_empty() {
            self.record.failures = 0;
        }
        self.count_work(now);
        let usage = EngineUsage { words, ..result.usage };
        let organization = &self.translation.organization;
        let mut work = self.lease.step_with(&[organization.into()]).await?;
        work.translation_memory().save(organization, &entries).await?;
        work.translation_memory().use_engine(organization, day(now), &engine, usage).await?;
        let exists = self.save_record(&mut work).await?;
        work.commit().await?;
        Ok(exists)
    }

    /// Stores the record of the run in a step that has locked the organization. Returns whether the translation still
    /// exists: it can be deleted during a request to the engine.
    async fn save_record(&self, work: &mut Work<'_>) -> Result<bool, Stop> {
        let Translation { organization, id, .. } = &self.translation;
        let exists = work.translations().find(organization, id).await?.is_some();
        if exists {
            work.translations().save_run(&self.record).await?;
        }
        Ok(exists)
    }

    fn count_work(&mut self, now: DateTime<Utc>) {
        self.record.work(now - self.counted);
        self.counted = now;
    }

    /// Ends the time slice after a failed request to the engine.
    async fn pause(&mut self, error: EngineError) -> Result<Outcome, Stop> {
        let (now, message) = (self.lease.now(), error.to_string());
        match error {
            EngineError::Busy(wait) => {
                let asked = wait.and_then(|wait| TimeDelta::from_std(wait).ok());
                let at = now + self.record.wait(asked);
                self.fail().await?;
                self.stop(TranslationErrorCode::EngineBusy, message, Some(at)).await
            }
            EngineError::Down(_) => {
                let at = now + self.record.wait(None);
                self.fail().await?;
                let outcome = self.stop(TranslationErrorCode::EngineDown, message.clone(), Some(at)).await?;
                match self.record.failures < TRIES {
                    true => Ok(outcome),
                    // The job waits like any failed job, longer after each failure.
                    false => Err(Error::Engine(message).into()),
                }
            }
            EngineError::Denied(_) => {
                self.stop(TranslationErrorCode::EngineDenied, message, Some(now + DENIED_REST)).await
            }
            EngineError::QuotaExceeded => {
                self.stop(TranslationErrorCode::EngineSpent, message, Some(next_midnight(now))).await
            }
            EngineError::Languages { .. } => self.stop(TranslationErrorCode::EngineLanguages, message, None).await,
            EngineError::Refused(_) | EngineError::InvalidAnswer(_) => {
                self.stop(TranslationErrorCode::EngineRefused, message, Some(now + DENIED_REST)).await
            }
        }
    }

    /// Counts a failed request.
    async fn fail(&mut self) -> Result<(), Stop> {
        self.record.failures = self.record.failures.saturating_add(1);
        let mut work = self.lease.step_with(&[(&self.translation.organization).into()]).await?;
        self.save_record(&mut work).await?;
        Ok(work.commit().await?)
    }

    /// Stores why the run cannot continue. It continues at `retry_at`, if that is set.
    async fn stop(
        &self,
        code: TranslationErrorCode,
        message: String,
        retry_at: Option<DateTime<Utc>>,
    ) -> Result<Outcome, Stop> {
        let (organization, id) = (&self.translation.organization, &self.translation.id);
        stop(self.lease, organization, id, (code, message, retry_at)).await?;
        Ok(match retry_at {
            Some(at) => self.later(None, at),
            None => Outcome::Done,
        })
    }
}

/// Stores why a translation cannot run.
async fn stop(
    lease: &Lease<'_>,
    organization: &OrganizationId,
    id: &TranslationId,
    (code, message, retry_at): (TranslationErrorCode, String, Option<DateTime<Utc>>),
) -> Result<(), Stop> {
    let mut work = lease.step_with(&[organization.into()]).await?;
    let Some(mut translation) = work.translations().find(organization, id).await? else { return Ok(()) };
    let at = lease.now();
    translation.stop(TranslationError { code, message, at, retry_at });
    work.translations().save(&translation).await?;
    Ok(work.commit().await?)
}

/// Removes texts from the memory that were not used for a long time.
pub(super) async fn sweep_memory(lease: &Lease<'_>) -> Result<Outcome, Stop> {
    loop {
        let mut work = lease.step().await?;
        let removed = work.translation_memory().remove_unused(lease.now() - MEMORY_LIFETIME, REMOVED).await?;
        work.commit().await?;
        if removed == 0 {
            return Ok(Outcome::Done);
        }
    }
}
