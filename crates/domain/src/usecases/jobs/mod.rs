//! Running jobs. A worker, or the operator at the command line, claims one job after the other and runs it. A job runs
//! in steps. Each step is a short unit of work that is rolled back completely if it fails, and that can be repeated.
mod collect;
mod conversations;
mod draft;
mod index;
mod lease;
mod mail;
mod notifications;
mod openapi;
pub(super) mod purge;
mod send;
mod translate;

use super::change_requests::Drafter;
use super::work::{Units, Work};
use super::{Error, Input};
use crate::actor::Actor;
use crate::content::search::VERSION;
use crate::heartbeat::Heartbeat;
use crate::id::{JobId, SpaceId};
use crate::job::{
    Claim, DRAFT_CHANGE_REQUEST, GROUP_CONVERSATIONS, Job, JobState, Lane, MAIL_THREAD, PROCESS_OPENAPI, RENEW_OPENAPI,
    SEND_WEBHOOK, SWEEP_CONVERSATIONS, TRANSLATE, Task,
};
use crate::paging::{Page, PageRequest};
use crate::ports::store::Lockable;
use crate::ports::{Chat, Embedder, Fetcher, Files, LongWork, MailLinks, Mailer, StoreError, Translator};
use crate::retention::can_be_old;
use crate::translation::run::MEMORY_LIFETIME;
use crate::webhook::{Full, Recipient, WebhookSecretDeriver};
use ::openapi::ENGINE;
use chrono::{DateTime, TimeDelta, Utc};
use lease::{Lease, Stop};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Runs jobs.
#[derive(Clone)]
#[expect(missing_docs, reason = "the ports it needs")]
pub struct Jobs {
    pub units: Units,
    pub files: Arc<dyn Files>,
    /// Absent on servers that do not send to webhooks; other servers run these jobs.
    pub sender: Option<Sender>,
    /// Absent on servers that send no e-mail, likewise.
    pub outbox: Option<Outbox>,
    /// Absent on servers that fetch no OpenAPI specs, likewise.
    pub specs: Option<SpecReader>,
    /// Absent on servers that analyse no conversations, likewise.
    pub analyst: Option<Analyst>,
    /// Absent on servers without translations, likewise.
    pub engines: Option<Engines>,
    /// Absent on servers without drafts by a language model, likewise.
    pub drafter: Option<Drafter>,
}

/// The dependencies of the analysis of conversations.
#[derive(Clone)]
#[expect(missing_docs, reason = "the ports it needs")]
pub struct Analyst {
    pub long_work: Arc<dyn LongWork>,
    /// How long a conversation is kept; absent for ever.
    pub keep: Option<TimeDelta>,
    /// Whether personal data and secrets are masked in what is read, as in what is stored.
    pub redact: bool,
    /// Finds and describes issues of organizations that allow language models; absent to use rules for all.
    pub chat: Option<Arc<dyn Chat>>,
    /// Computes vectors of issues of organizations that allow language models; absent to use static vectors for all.
    pub embedder: Option<Arc<dyn Embedder>>,
}

/// The dependencies of translations.
#[derive(Clone)]
#[expect(missing_docs, reason = "the ports it needs")]
pub struct Engines {
    pub translator: Arc<dyn Translator>,
    /// The most words of an organization that are translated on one day (UTC); absent for no limit.
    pub words_a_day: Option<u64>,
}

/// The dependencies of OpenAPI specs.
#[derive(Clone)]
#[expect(missing_docs, reason = "the ports it needs")]
pub struct SpecReader {
    pub fetcher: Arc<dyn Fetcher>,
    pub long_work: Arc<dyn LongWork>,
    /// The time between a successful fetch of an address and the next one; absent for never.
    pub refresh: Option<TimeDelta>,
}

/// The dependencies of deliveries to webhooks.
#[derive(Clone)]
#[expect(missing_docs, reason = "the ports it needs")]
pub struct Sender {
    pub fetcher: Arc<dyn Fetcher>,
    pub deriver: WebhookSecretDeriver,
}

/// The dependencies of e-mail.
#[derive(Clone)]
#[expect(missing_docs, reason = "the ports it needs")]
pub struct Outbox {
    pub mailer: Arc<dyn Mailer>,
    pub links: Arc<dyn MailLinks>,
}

/// A claimed job.
#[derive(Debug, PartialEq, Eq)]
pub struct Claimed {
    /// The claim.
    pub claim: Claim,
    /// The work.
    pub task: Task,
    /// The webhook to which the job sends a request.
    pub recipient: Option<Recipient>,
}

/// The result of running a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JobResult {
    /// It is done and removed.
    Done,
    /// It continues at this time.
    Later(DateTime<Utc>),
    /// Another holder has claimed it, or it is no longer needed.
    Lost,
    /// It failed for this reason. It is retried unless this was the last attempt.
    Failed(String),
}

impl Jobs {
    /// Records the time if due, and returns whether the clock can be trusted.
    ///
    /// # Errors
    /// Errors of the store.
    async fn record_time(&self) -> Result<bool, Error> {
        let now = self.units.clock.now();
        let known = self.units.store.query().await?.jobs().heartbeat().await?;
        if let Some(beat) = known.filter(|beat| !beat.is_due(now)) {
            return Ok(beat.is_steady(now));
        }
        let mut work = self.units.write(&Actor::Server).await?;
        work.lock(&[Lockable::Heartbeat]).await?;
        let before = work.jobs().heartbeat().await?;
        let beat = before.map_or_else(|| Heartbeat::first(now), |before| before.record(now));
        work.jobs().save_heartbeat(&beat).await?;
        work.commit().await?;
        if before.is_some_and(|before| before.at.date_naive() != now.date_naive()) {
            self.clean_up().await?;
        }
        Ok(beat.is_steady(now))
    }

    /// Adds the daily jobs that remove old notifications and unused texts of the memory, if the oldest ones can be
    /// expired. The first record of the time on each day calls this.
    async fn clean_up(&self) -> Result<(), Error> {
        let oldest = self.units.store.query().await?.notifications().oldest(None, 1).await?;
        let unused = self.units.store.query().await?.translation_memory().oldest().await?;
        let now = self.units.clock.now();
        let mut tasks = Vec::new();
        tasks.extend(oldest.iter().any(|one| can_be_old(one.created_at, now)).then_some(Task::RemoveNotifications));
        tasks.extend(unused.filter(|at| *at < now - MEMORY_LIFETIME).map(|_| Task::SweepMemory));
        if tasks.is_empty() {
            return Ok(());
        }
        let mut work = self.units.write(&Actor::Server).await?;
        let jobs: Vec<Job> = tasks.into_iter().map(|task| Job::new(work.ids.make(), task, now, now)).collect();
        work.jobs().add_missing(&jobs).await?;
        work.commit().await
    }

    /// Adds the jobs that rebuild data of earlier versions of the program: entries of the search index, and versions of
    /// OpenAPI specs. A server calls this when it starts.
    ///
    /// # Errors
    /// Errors of the store.
    pub async fn renew(&self) -> Result<(), Error> {
        let mut tasks = Vec::new();
        if self.units.store.query().await?.search().outdated(VERSION, None).await?.is_some() {
            tasks.push(Task::IndexSpaces { version: VERSION, after: None });
        }
        if self.units.store.query().await?.openapi_specs().next_outdated(ENGINE, None).await?.is_some() {
            tasks.push(Task::RenewOpenapi { engine: ENGINE, after: None });
        }
        for task in tasks {
            let mut work = self.units.write(&Actor::Server).await?;
            work.lock(&[(&task).into()]).await?;
            if work.jobs().find_task(&task).await?.is_none() {
                work.add_job(task).await?;
            }
            work.commit().await?;
        }
        Ok(())
    }

    /// Claims the job that has been due the longest, if there is one. Jobs that remove data irreversibly wait until the
    /// clock can be trusted. Jobs that send e-mails are left to servers that can send e-mails.
    ///
    /// # Errors
    /// Errors of the store.
    pub async fn claim(&self) -> Result<Option<(Claim, Task)>, Error> {
        let claimed = self.claim_in(&Lane::ALL, &Full::default()).await?;
        Ok(claimed.map(|claimed| (claimed.claim, claimed.task)))
    }

    /// As [`Self::claim`], for jobs in these lanes, except jobs for webhooks in `full`.
    ///
    /// # Errors
    /// Errors of the store.
    pub async fn claim_in(&self, lanes: &[Lane], full: &Full) -> Result<Option<Claimed>, Error> {
        let left_to_others = |kind: &&str| match *kind {
            SEND_WEBHOOK => self.sender.is_none(),
            MAIL_THREAD => self.outbox.is_none(),
            PROCESS_OPENAPI | RENEW_OPENAPI => self.specs.is_none(),
            GROUP_CONVERSATIONS | SWEEP_CONVERSATIONS => self.analyst.is_none(),
            TRANSLATE => self.engines.is_none(),
            DRAFT_CHANGE_REQUEST => self.drafter.is_none(),
            _ => false,
        };
        let mut kinds = Task::kinds(self.record_time().await?, lanes);
        kinds.retain(|kind| !left_to_others(kind));
        let now = self.units.clock.now();
        // Checking needs no lock; claiming needs the writer.
        if self.units.store.query().await?.jobs().next(&kinds, full, now).await?.is_none() {
            return Ok(None);
        }
        let mut work = self.units.write(&Actor::Server).await?;
        let Some(job) = work.jobs().next(&kinds, full, now).await? else { return Ok(None) };
        let recipient = match &job.task {
            Task::SendWebhook { delivery } => work.webhooks().delivery(delivery).await?.map(Recipient::from),
            _ => None,
        };
        let (claim, task) = begin(work, job, now).await?;
        Ok(Some(Claimed { claim, task, recipient }))
    }

    /// Claims the job that updates the search index of a space, if there is one and no server runs it.
    ///
    /// # Errors
    /// Errors of the store.
    pub async fn claim_indexing(&self, space: &SpaceId) -> Result<Option<(Claim, Task)>, Error> {
        self.claim_task(&Task::index_space(space.clone(), None)).await
    }

    /// Claims the job of this work, if there is one and it is due.
    ///
    /// # Errors
    /// Errors of the store.
    pub async fn claim_task(&self, task: &Task) -> Result<Option<(Claim, Task)>, Error> {
        let now = self.units.clock.now();
        if self.units.store.query().await?.jobs().find_task(task).await?.is_none() {
            return Ok(None);
        }
        let mut work = self.units.write(&Actor::Server).await?;
        work.lock(&[task.into()]).await?;
        let Some(job) = work.jobs().find_task(task).await?.filter(|job| job.is_due(now)) else { return Ok(None) };
        begin(work, job, now).await.map(Some)
    }

    /// Runs a claimed job. A failure is stored with the job.
    ///
    /// # Errors
    /// Errors of the store, if the failure could not be stored either: the job can be claimed again when its lease
    /// ends.
    pub async fn perform(&self, claim: &Claim, task: &Task) -> Result<JobResult, Error> {
        let lease = Lease::new(self, claim);
        let ended = match Self::attempt(&lease, task).await {
            // Steps can be repeated.
            Err(Stop::Failed(Error::Store(StoreError::Contended(_)))) => Self::attempt(&lease, task).await,
            ended => ended,
        };
        match ended {
            Ok(ran) => Ok(ran),
            Err(Stop::Lost) => Ok(JobResult::Lost),
            Err(Stop::Failed(error)) => {
                let reason = with_causes(&error);
                self.fail(claim, &reason).await?;
                Ok(JobResult::Failed(reason))
            }
        }
    }

    async fn attempt(lease: &Lease<'_>, task: &Task) -> Result<JobResult, Stop> {
        let outcome = match task {
            Task::PurgeSpace { space, stage } => purge::space(lease, space, *stage).await?,
            Task::PurgeCollection { collection, stage } => purge::collection(lease, collection, *stage).await?,
            Task::CollectContent { .. } => collect::content(lease, task).await?,
            Task::IndexSpace { space, since, after, version } => {
                let after = after.as_ref().filter(|_| *version == VERSION);
                index::space(lease, &index::Left { space, since, after }).await?
            }
            Task::IndexSpaces { version, after } => index::spaces(lease, *version, after.as_ref()).await?,
            Task::SendWebhook { delivery } => send::webhook(lease, delivery).await?,
            Task::RemoveDeliveries { organization, webhook } => {
                send::remove_deliveries(lease, organization, webhook).await?
            }
            Task::MailThread { user, thread } => mail::thread(lease, user, thread).await?,
            Task::ProcessOpenapi { spec } => openapi::process(lease, spec).await?,
            Task::RenewOpenapi { engine, after } => openapi::renew::next(lease, *engine, after.as_ref()).await?,
            Task::IndexOpenapi { organization, slug, after } => {
                index::openapi(lease, organization, slug, after.as_ref()).await?
            }
            Task::LinkOpenapi { space, addresses, .. } => openapi::linked::add(lease, space, addresses).await?,
            Task::RemoveOpenapi { spec } => openapi::remove_versions(lease, spec, 0, &BTreeSet::new()).await?,
            Task::GroupConversations { organization, new_issues, tidied_at } => {
                let earlier = conversations::Earlier { new_issues: *new_issues, tidied_at: *tidied_at };
                Box::pin(conversations::group(lease, organization, earlier)).await?
            }
            Task::SweepConversations { organization } => conversations::sweep(lease, organization).await?,
            Task::Translate { .. } => Box::pin(translate::run(lease, task)).await?,
            Task::DraftChangeRequest { space, change_request } => {
                Box::pin(draft::draft(lease, space, change_request)).await?
            }
            Task::SweepMemory => translate::sweep_memory(lease).await?,
            Task::RemoveNotifications => notifications::remove_old(lease).await?,
        };
        lease.end(outcome).await
    }

    /// Stores a failure with a job.
    ///
    /// # Errors
    /// Errors of the store.
    pub async fn fail(&self, claim: &Claim, reason: &str) -> Result<(), Error> {
        let now = self.units.clock.now();
        self.change(claim, |job| job.fail(reason, now)).await
    }

    /// Releases a claimed job that was interrupted: another server can continue at once.
    ///
    /// # Errors
    /// Errors of the store.
    pub async fn release(&self, claim: &Claim) -> Result<(), Error> {
        self.change(claim, Job::release).await
    }

    async fn change(&self, claim: &Claim, change: impl FnOnce(&mut Job) + Send) -> Result<(), Error> {
        let mut work = self.units.write(&Actor::Server).await?;
        let found = locked(&mut work, &claim.job).await?;
        let Some(mut job) = found.filter(|job| job.belongs_to(claim)) else { return Ok(()) };
        change(&mut job);
        work.jobs().save(&job).await?;
        work.commit().await
    }

    /// Jobs with their state, oldest first; only failed ones if `failed` is set. For the operator.
    ///
    /// # Errors
    /// [`Error::Invalid`].
    pub async fn list(&self, failed: bool, page: Input<PageRequest>) -> Result<Page<(Job, JobState)>, Error> {
        let page = page.read()?;
        let now = self.units.clock.now();
        let found = self.units.store.query().await?.jobs().list(failed, &page).await?;
        Ok(found.map(|job| {
            let state = job.state(now);
            (job, state)
        }))
    }

    /// Makes a failed job due now, even if it was given up. For the operator.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    pub async fn retry(&self, id: &JobId) -> Result<(), Error> {
        let mut work = self.units.write(&Actor::Server).await?;
        let mut job = locked(&mut work, id).await?.ok_or(Error::NotFound("job"))?;
        job.retry(work.now());
        work.jobs().save(&job).await?;
        work.commit().await
    }
}

async fn begin(mut work: Work<'_>, mut job: Job, now: DateTime<Utc>) -> Result<(Claim, Task), Error> {
    let claim = job.claim(now);
    work.jobs().save(&job).await?;
    work.commit().await?;
    Ok((claim, job.task))
}

/// Locks a job and loads it.
async fn locked(work: &mut Work<'_>, id: &JobId) -> Result<Option<Job>, Error> {
    let Some(job) = work.jobs().find(id).await? else { return Ok(None) };
    work.lock(&[(&job.task).into()]).await?;
    Ok(work.jobs().find(id).await?)
}

/// An error with all its causes.
fn with_causes(error: &Error) -> String {
    let causes = std::iter::successors(std::error::Error::source(error), |error| error.source());
    std::iter::once(error.to_string()).chain(causes.map(ToString::to_string)).collect::<Vec<_>>().join(": ")
}

#[cfg(test)]
mod tests;
