//! Runs of translations: reading the source, asking the engine for what the memory lacks, and writing the target.
//!
//! No unit of work is open while the engine is asked. Each answered batch is stored in the memory in a unit of work of its own,
//! so a run that is interrupted asks for nothing twice: the memory is the progress. A run gives its turn back after a while.
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
use crate::translation::naming::Naming;
use crate::translation::run::{
    DENIED_REST, EngineUsage, MEMORY_KEPT, MemoryEntry, MemoryKey, TRIES, TURN, TranslationRun, day, next_midnight,
};
use crate::translation::{QUIET, Translation, TranslationError, TranslationErrorCode, TranslationStatus};
use crate::usecases::Error;
use crate::usecases::content::write::Base;
use crate::usecases::work::Work;
use ask::{Asker, Learnt};
use begin::{Begun, begin};
use chrono::{DateTime, TimeDelta, Utc};
use std::collections::HashSet;
use texts::{Known, Texts, Wanted};

/// The number of texts that one step removes from the memory.
const REMOVED: usize = 500;
/// How often the use of a text is noted, at most.
const NOTED: TimeDelta = TimeDelta::days(1);

/// A run of a translation, with what it needs.
struct Run<'l, 'j> {
    lease: &'l Lease<'j>,
    /// The revision of the source.
    revision: RevisionId,
    /// The last page of this revision for which the engine was asked in earlier turns.
    asked: Option<String>,
    translation: Translation,
    record: TranslationRun,
    asker: Asker<'l>,
    words_a_day: Option<u64>,
    /// When this turn began, and until when its work is counted.
    begun: DateTime<Utc>,
    counted: DateTime<Utc>,
}

/// Runs a translation. `asked` is the last page for which the engine was asked in earlier turns of this run, which counts as
/// long as the source does not change.
pub(super) async fn run(lease: &Lease<'_>, task: &Task) -> Result<Outcome, Stop> {
    let Some(Engines { translator, words_a_day }) = &lease.jobs.engines else {
        return Err(Error::Unable("translate").into());
    };
    let Task::Translate { organization, translation: id, asked, revision } = task else { return Ok(Outcome::Done) };
    let begun = match begin(lease, &**translator, organization, id).await? {
        Begun::Ready(ready) => *ready,
        Begun::Ended(outcome) => return Ok(outcome),
    };
    let abilities = translator.abilities();
    let translation = begun.translation;
    let mut naming = Naming::new(&translation, &begun.glossary);
    naming.instructions = naming.instructions.filter(|_| abilities.instructions);
    let asker = Asker { translator: &**translator, abilities, naming };
    let now = lease.now();
    let mut run = Run {
        lease,
        revision: begun.source.revision.clone(),
        asked: asked.clone().filter(|_| revision.as_ref() == Some(&begun.source.revision)),
        translation,
        record: begun.run,
        asker,
        words_a_day: *words_a_day,
        begun: now,
        counted: now,
    };
    let mut work = lease.read().await?;
    let snapshot = Base::load(&mut work, &begun.source.id, &begun.source.revision).await?.snapshot;
    let texts = Texts::read(&mut work, snapshot, |unit| run.asker.naming.key(unit)).await?;
    let mut known = run.recall(&mut work, &texts).await?;
    drop(work);
    if let Some(outcome) = run.ask(&texts, &mut known).await? {
        return Ok(outcome);
    }
    run.write(&begun.source, &texts, &known).await
}

/// Whether a run has to follow one that ended, and when: another one was asked for, or the source has changed since.
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
    Ok((has_target && changed).then(|| now + QUIET))
}

impl Run<'_, '_> {
    /// What the memory has of the texts.
    async fn recall(&self, work: &mut Work<'_>, texts: &Texts) -> Result<Known, Error> {
        let keys: HashSet<MemoryKey> = texts.wanted.iter().map(|wanted| wanted.key).collect();
        let keys: Vec<MemoryKey> = keys.into_iter().collect();
        let since = self.translation.fresh_since;
        let found = work.translation_memory().recall(&self.translation.organization, &keys, since).await?;
        Ok(found.into_iter().collect())
    }

    /// Asks the engine for what the memory lacks, page by page. Returns how the turn ends if the run has to go on later.
    async fn ask(&mut self, texts: &Texts, known: &mut Known) -> Result<Option<Outcome>, Stop> {
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
            // In parts, so that an interrupted run loses little.
            for some in lacking.chunks(self.asker.abilities.max_units.max(1)) {
                if self.is_spent().await? {
                    let error =
                        "the words that may be translated on one day are used up (OCTAVO_TRANSLATED_WORDS_A_DAY)";
                    let at = next_midnight(self.lease.now());
                    return self.stop(TranslationErrorCode::EngineSpent, error.to_owned(), Some(at)).await.map(Some);
                }
                let learnt = self.asker.ask(group.title.as_deref(), some).await;
                for answer in &learnt.answers {
                    known.insert(answer.key, answer.target.clone());
                }
                self.learn(group.page.as_ref(), &learnt).await?;
                if let Some(error) = learnt.error {
                    return self.pause(error).await.map(Some);
                }
            }
            if self.lease.now() - self.begun >= TURN {
                return Ok(Some(self.later(Some(page), self.lease.now())));
            }
        }
        Ok(None)
    }

    /// The next turn of this run. Pages up to `asked` are not asked for again.
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
        work.translation_memory().touch(&self.translation.organization, keys, now - NOTED, now).await?;
        Ok(work.commit().await?)
    }

    async fn is_spent(&self) -> Result<bool, Stop> {
        let Some(limit) = self.words_a_day else { return Ok(false) };
        let mut work = self.lease.read().await?;
        let today = day(self.lease.now());
        Ok(work.translation_memory().usage(&self.translation.organization, today).await?.words >= limit)
    }

    /// Stores what was learnt from the engine.
    async fn learn(&mut self, page: Option<&crate::id::PageId>, learnt: &Learnt) -> Result<(), Stop> {
        let now = self.lease.now();
        let engine = self.asker.abilities.name.clone();
        let entry = |answer: &ask::Answer| MemoryEntry {
            key: answer.key,
            target: answer.target.clone(),
            engine: engine.clone(),
            created_at: now,
        };
        let entries: Vec<MemoryEntry> = learnt.answers.iter().map(entry).collect();
        let words = learnt.answers.iter().map(|answer| answer.words).sum();
        self.record.count(page, words);
        self.record.floored = self.record.floored.saturating_add(learnt.floored);
        self.record.requests += learnt.usage.requests;
        self.record.tokens += learnt.usage.tokens;
        if !entries.is_empty() {
            self.record.failures = 0;
        }
        self.count_work(now);
        let usage = EngineUsage { words, ..learnt.usage };
        let mut work = self.lease.step().await?;
        let organization = &self.translation.organization;
        work.translation_memory().remember(organization, &entries).await?;
        work.translation_memory().use_engine(organization, day(now), &engine, usage).await?;
        work.translations().save_run(&self.record).await?;
        Ok(work.commit().await?)
    }

    fn count_work(&mut self, now: DateTime<Utc>) {
        self.record.work(now - self.counted);
        self.counted = now;
    }

    /// Ends the turn after an engine could not be asked.
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
                    // The job rests like all jobs, longer after each failure.
                    false => Err(Error::Engine(message).into()),
                }
            }
            EngineError::Denied(_) => {
                self.stop(TranslationErrorCode::EngineDenied, message, Some(now + DENIED_REST)).await
            }
            EngineError::Spent => self.stop(TranslationErrorCode::EngineSpent, message, Some(next_midnight(now))).await,
            EngineError::Languages { .. } => self.stop(TranslationErrorCode::EngineLanguages, message, None).await,
            EngineError::Refused(_) | EngineError::Garbled(_) => {
                self.stop(TranslationErrorCode::EngineRefused, message, Some(now + DENIED_REST)).await
            }
        }
    }

    /// Counts a failed request.
    async fn fail(&mut self) -> Result<(), Stop> {
        self.record.failures = self.record.failures.saturating_add(1);
        let mut work = self.lease.step().await?;
        work.translations().save_run(&self.record).await?;
        Ok(work.commit().await?)
    }

    /// Stores why the run cannot go on. It goes on at `retry_at`, if there is one.
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

/// Removes texts from the memory that were not used for long.
pub(super) async fn sweep_memory(lease: &Lease<'_>) -> Result<Outcome, Stop> {
    loop {
        let mut work = lease.step().await?;
        let removed = work.translation_memory().forget(lease.now() - MEMORY_KEPT, REMOVED).await?;
        work.commit().await?;
        if removed == 0 {
            return Ok(Outcome::Done);
        }
    }
}
