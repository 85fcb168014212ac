//! The worker of a server: it does jobs beside the requests.
use domain::job::{Claim, Task};
use domain::usecases::Jobs;
use domain::usecases::jobs::Ran;
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

/// How often a worker looks whether a job has become due. One that is added in its own process wakes it.
const INTERVAL: Duration = Duration::from_secs(10);
/// How long a worker that stops tries to put back what it was doing. Otherwise it is free when its lease ends.
const FAREWELL: Duration = Duration::from_secs(1);

/// A worker at work.
pub(crate) struct Worker {
    stop: watch::Sender<bool>,
    working: JoinHandle<()>,
}

impl Worker {
    /// Starts one.
    pub(crate) fn start(jobs: Jobs) -> Self {
        let (stop, stopped) = watch::channel(false);
        Self { stop, working: tokio::spawn(work(jobs, stopped)) }
    }

    /// Lets it break off what it does, and waits until it has.
    pub(crate) async fn stop(self) {
        self.stop.send_replace(true);
        if self.working.await.is_err() {
            tracing::error!("the worker had stopped before");
        }
    }
}

async fn work(jobs: Jobs, mut stopped: watch::Receiver<bool>) {
    let mut troubled = false;
    while !*stopped.borrow_and_update() {
        match jobs.claim().await {
            Ok(Some((claim, task))) => {
                troubled = false;
                perform(&jobs, claim, task, &mut stopped).await;
            }
            nothing => {
                // Said once, not every few seconds until the database is back.
                if let Err(error) = &nothing
                    && !troubled
                {
                    tracing::warn!(error = %error, "the worker cannot look for jobs");
                }
                troubled = nothing.is_err();
                tokio::select! {
                    () = sleep(INTERVAL) => {}
                    () = jobs.store.work() => {}
                    _ = stopped.changed() => {}
                }
            }
        }
    }
}

/// Does a job in a task of its own: one that panics takes nothing else with it.
async fn perform(jobs: &Jobs, claim: Claim, task: Task, stopped: &mut watch::Receiver<bool>) {
    let (kind, subject) = (task.kind(), task.subject());
    let mut doing = tokio::spawn({
        let (jobs, claim) = (jobs.clone(), claim.clone());
        async move { jobs.perform(&claim, &task).await }
    });
    let ended = tokio::select! {
        ended = &mut doing => ended,
        _ = stopped.changed() => {
            doing.abort();
            let broken_off = doing.await;
            if broken_off.is_err() && !matches!(timeout(FAREWELL, jobs.give_back(&claim)).await, Ok(Ok(()))) {
                tracing::warn!(job = %claim.job, kind, subject, "a job was broken off and could not be put back yet");
            }
            return;
        }
    };
    match ended {
        Ok(Ok(Ran::Done)) => tracing::info!(job = %claim.job, kind, subject, "a job is done"),
        Ok(Ok(Ran::Later(at))) => tracing::info!(job = %claim.job, kind, subject, %at, "a job goes on later"),
        Ok(Ok(Ran::Lost)) => tracing::info!(job = %claim.job, kind, subject, "a job is in other hands"),
        Ok(Ok(Ran::Failed(reason))) => tracing::warn!(job = %claim.job, kind, subject, reason, "a job failed"),
        Ok(Err(error)) => tracing::warn!(job = %claim.job, kind, subject, error = %error, "a job broke off"),
        Err(_panicked) => {
            tracing::error!(job = %claim.job, kind, subject, "a job panicked");
            if let Err(error) = jobs.fail(&claim, "it panicked: see the log of the server").await {
                tracing::warn!(job = %claim.job, error = %error, "the failure of a job is not noted");
            }
        }
    }
}
