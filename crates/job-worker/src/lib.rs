//! The worker of a program: it runs the background jobs of the use cases, such as the search index of a large import,
//! requests to webhooks, e-mails and translations, and purges deleted data.
//!
//! A program starts one [`Worker`] with the jobs of its use cases, and stops it before it ends. Several programs can
//! have workers on the same database: a job has a lease, so only one of them runs it.
//!
//! `tests/examples/embed.rs` is a program with a worker.
use domain::job::{Claim, Lane, Task};
use domain::usecases::jobs::{Claimed, JobResult};
use domain::usecases::{Error, Jobs};
use domain::webhook::{REQUESTS, Running};
use futures_util::future::join_all;
use std::time::Duration;
use tokio::sync::{Mutex, Notify, watch};
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

/// The interval between two checks for due jobs. A job that is added in the same process wakes the worker at once.
const INTERVAL: Duration = Duration::from_secs(10);
/// The longest time in which a stopping worker returns its job. Otherwise the job is free when its lease ends.
const FAREWELL: Duration = Duration::from_secs(1);

/// A running worker. When it is dropped, it stops like after [`Worker::stop`], without a caller who waits for it.
#[derive(Debug)]
pub struct Worker {
    stop: watch::Sender<bool>,
    working: JoinHandle<()>,
}

impl Worker {
    /// Starts a worker. It runs jobs of different kinds at the same time, at once when this process adds them, and
    /// looks for jobs of other processes every ten seconds. Which jobs it can run depends on the ports of `jobs`: jobs
    /// that send e-mails, for example, need a mailer. Failures are logged and stored with the job.
    ///
    /// # Panics
    /// Outside of a Tokio runtime.
    pub fn start(jobs: Jobs) -> Self {
        let (stop, stopped) = watch::channel(false);
        Self { stop, working: tokio::spawn(work(jobs, stopped)) }
    }

    /// Interrupts the current jobs, and waits until the worker has stopped. Another worker can continue them at once.
    pub async fn stop(mut self) {
        self.stop.send_replace(true);
        if (&mut self.working).await.is_err() {
            tracing::error!("the worker had already stopped");
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.stop.send_replace(true);
    }
}

/// The number of translations that run at the same time.
const RUNS: usize = 2;

/// The number of jobs of each lane that run at the same time.
const SLOTS: [(Lane, usize); 6] = [
    (Lane::Storage, 1),
    (Lane::Network, REQUESTS),
    (Lane::Mail, 1),
    (Lane::Specs, 1),
    (Lane::Conversations, 1),
    (Lane::Engines, RUNS),
];

/// The shared state of the slots of a lane.
#[derive(Default)]
struct Shared {
    wake: Notify,
    /// Held during a claim, so that two claims do not exceed a limit together.
    running: Mutex<Running>,
}

async fn work(jobs: Jobs, stopped: watch::Receiver<bool>) {
    let shared: Vec<Shared> = SLOTS.iter().map(|_| Shared::default()).collect();
    let slots = SLOTS.iter().zip(&shared).flat_map(|((lane, slots), shared)| {
        let (jobs, stopped) = (&jobs, &stopped);
        (0..*slots).map(move |_| run(jobs, *lane, shared, stopped.clone()))
    });
    let waking = async {
        loop {
            jobs.units.store.work().await;
            shared.iter().for_each(|shared| shared.wake.notify_one());
        }
    };
    tokio::select! {
        _ = join_all(slots) => {}
        () = waking => {}
    }
}

/// Runs jobs of a lane, one after the other.
async fn run(jobs: &Jobs, lane: Lane, Shared { wake, running }: &Shared, mut stopped: watch::Receiver<bool>) {
    let (mut troubled, mut checked) = (false, lane != Lane::Storage);
    while !*stopped.borrow_and_update() {
        if !checked {
            checked = jobs.renew().await.is_ok();
        }
        match claim(jobs, lane, running).await {
            Ok(Some(Claimed { claim, task, recipient })) => {
                troubled = false;
                // There may be work for another slot of the lane.
                wake.notify_one();
                perform(jobs, claim, task, &mut stopped).await;
                if let Some(recipient) = recipient {
                    running.lock().await.end(&recipient);
                }
            }
            nothing => {
                let failed = nothing.is_err();
                // Logged once, not every few seconds until the database is available again.
                if let Err(error) = nothing
                    && !troubled
                {
                    tracing::warn!(error = chain(error), "the worker cannot check for jobs");
                }
                troubled = failed;
                tokio::select! {
                    () = sleep(INTERVAL) => {}
                    () = wake.notified() => {}
                    _ = stopped.changed() => {}
                }
            }
        }
    }
}

/// Claims a job of a lane. A request to a webhook counts as running from now on.
async fn claim(jobs: &Jobs, lane: Lane, running: &Mutex<Running>) -> Result<Option<Claimed>, Error> {
    let mut running = running.lock().await;
    let claimed = jobs.claim_in(&[lane], &running.full()).await?;
    if let Some(recipient) = claimed.as_ref().and_then(|claimed| claimed.recipient.clone()) {
        running.begin(recipient);
    }
    Ok(claimed)
}

/// Runs a job in its own task, so that a panic does not stop the worker.
async fn perform(jobs: &Jobs, claim: Claim, task: Task, stopped: &mut watch::Receiver<bool>) {
    let (lane, kind, subject) = (task.lane(), task.kind(), task.subject());
    let mut doing = tokio::spawn({
        let (jobs, claim) = (jobs.clone(), claim.clone());
        async move { jobs.perform(&claim, &task).await }
    });
    let ended = tokio::select! {
        ended = &mut doing => ended,
        _ = stopped.changed() => {
            doing.abort();
            let broken_off = doing.await;
            if broken_off.is_err() && !matches!(timeout(FAREWELL, jobs.release(&claim)).await, Ok(Ok(()))) {
                tracing::warn!(job = %claim.job, kind, subject, "cannot release the lease of an interrupted job");
            }
            return;
        }
    };
    match ended {
        // Not at the level `info`: there is one for each event.
        Ok(Ok(JobResult::Done | JobResult::Later(_))) if lane != Lane::Storage => {
            tracing::debug!(job = %claim.job, kind, subject, "a job has run");
        }
        Ok(Ok(JobResult::Done)) => tracing::info!(job = %claim.job, kind, subject, "a job is done"),
        Ok(Ok(JobResult::Later(at))) => tracing::info!(job = %claim.job, kind, subject, %at, "a job continues later"),
        Ok(Ok(JobResult::Lost)) => {
            tracing::info!(job = %claim.job, kind, subject, "a job was taken over by another server")
        }
        Ok(Ok(JobResult::Failed(reason))) => tracing::warn!(job = %claim.job, kind, subject, reason, "a job failed"),
        Ok(Err(error)) => {
            tracing::warn!(job = %claim.job, kind, subject, error = chain(error), "a job was interrupted");
        }
        Err(_panicked) => {
            tracing::error!(job = %claim.job, kind, subject, "a job panicked");
            if let Err(error) = jobs.fail(&claim, "it panicked: see the log of the server").await {
                tracing::warn!(job = %claim.job, error = chain(error), "cannot store the failure of a job");
            }
        }
    }
}

/// An error with its causes.
fn chain(error: Error) -> String {
    format!("{:#}", anyhow::Error::from(error))
}
