//! The worker of a server: it runs jobs besides the requests.
use domain::job::{Claim, Task};
use domain::usecases::Jobs;
use domain::usecases::jobs::Ran;
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

/// The interval between two checks for due jobs. A job that is added in the same process wakes the worker at once.
const INTERVAL: Duration = Duration::from_secs(10);
/// The longest time in which a stopping worker returns its job. Otherwise the job is free when its lease ends.
const FAREWELL: Duration = Duration::from_secs(1);

/// A running worker.
pub(crate) struct Worker {
    stop: watch::Sender<bool>,
    working: JoinHandle<()>,
}

impl Worker {
    pub(crate) fn start(jobs: Jobs) -> Self {
        let (stop, stopped) = watch::channel(false);
        Self { stop, working: tokio::spawn(work(jobs, stopped)) }
    }

    /// Interrupts the current job, and waits until the worker has stopped.
    pub(crate) async fn stop(self) {
        self.stop.send_replace(true);
        if self.working.await.is_err() {
            tracing::error!("the worker had already stopped");
        }
    }
}

async fn work(jobs: Jobs, mut stopped: watch::Receiver<bool>) {
    let (mut troubled, mut checked) = (false, false);
    while !*stopped.borrow_and_update() {
        if !checked {
            checked = jobs.renew_index().await.is_ok();
        }
        match jobs.claim().await {
            Ok(Some((claim, task))) => {
                troubled = false;
                perform(&jobs, claim, task, &mut stopped).await;
            }
            nothing => {
                // Logged once, not every few seconds until the database is back.
                if let Err(error) = &nothing
                    && !troubled
                {
                    tracing::warn!(error = %error, "the worker cannot check for jobs");
                }
                troubled = nothing.is_err();
                tokio::select! {
                    () = sleep(INTERVAL) => {}
                    () = jobs.units.store.work() => {}
                    _ = stopped.changed() => {}
                }
            }
        }
    }
}

/// Runs a job in its own task, so that a panic does not stop the worker.
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
                tracing::warn!(job = %claim.job, kind, subject, "cannot release the lease of an interrupted job");
            }
            return;
        }
    };
    match ended {
        Ok(Ok(Ran::Done)) => tracing::info!(job = %claim.job, kind, subject, "a job is done"),
        Ok(Ok(Ran::Later(at))) => tracing::info!(job = %claim.job, kind, subject, %at, "a job continues later"),
        Ok(Ok(Ran::Lost)) => tracing::info!(job = %claim.job, kind, subject, "a job was taken over by another server"),
        Ok(Ok(Ran::Failed(reason))) => tracing::warn!(job = %claim.job, kind, subject, reason, "a job failed"),
        Ok(Err(error)) => tracing::warn!(job = %claim.job, kind, subject, error = %error, "a job was interrupted"),
        Err(_panicked) => {
            tracing::error!(job = %claim.job, kind, subject, "a job panicked");
            if let Err(error) = jobs.fail(&claim, "it panicked: see the log of the server").await {
                tracing::warn!(job = %claim.job, error = %error, "cannot store the failure of a job");
            }
        }
    }
}
