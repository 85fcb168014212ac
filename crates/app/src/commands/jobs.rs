//! `octavo jobs`: the background jobs of the server.
use super::choose;
use crate::failure::Failure;
use crate::output::Output;
use anyhow::Result;
use chrono::{DateTime, SecondsFormat, Utc};
use clap::{Args, Subcommand};
use domain::job::{Job, JobState};
use domain::usecases::UseCases;
use domain::usecases::jobs::JobResult;
use serde_json::{Value, json};

#[derive(Debug, Subcommand)]
pub(crate) enum JobsCommand {
    /// List waiting, running and failed jobs.
    List(List),

    /// Run the jobs that are due, then exit.
    ///
    /// A running server does the same by itself. Jobs that purge data wait until servers or runs of this command have
    /// checked the clock for an hour.
    ///
    /// Exit codes: 0 all due jobs are done, 1 a job failed, 2 wrong command line.
    Run(Run),
}

#[derive(Args, Debug)]
pub(crate) struct List {
    /// Only failed jobs.
    #[arg(long)]
    failed: bool,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Args, Debug)]
pub(crate) struct Run {
    /// Also run failed jobs, at once, including those without attempts left.
    #[arg(long)]
    failed: bool,
}

impl JobsCommand {
    /// Runs the command.
    pub(crate) async fn run(self, use_cases: &UseCases) -> Result<()> {
        match self {
            Self::List(command) => command.run(use_cases).await,
            Self::Run(command) => command.run(use_cases).await,
        }
    }
}

async fn all(use_cases: &UseCases, failed: bool) -> Result<Vec<(Job, JobState)>> {
    let jobs = &use_cases.jobs;
    Ok(choose::all(async |page| jobs.list(failed, page.into()).await).await?)
}

impl List {
    async fn run(self, use_cases: &UseCases) -> Result<()> {
        let found = all(use_cases, self.failed).await?;
        let output = Output::new(self.json);
        if output.is_json() {
            output.json(&found.iter().map(described).collect());
            return Ok(());
        }
        let row = |(job, state): &(Job, JobState)| {
            let reason = job.failure.as_ref().map(|failure| failure.reason.clone()).unwrap_or_default();
            let (kind, subject) = (job.task.kind().to_owned(), job.task.subject());
            [job.id.to_string(), kind, subject, state.as_str().to_owned(), written(job.due_at), reason]
        };
        let header = ["id", "kind", "subject", "state", "due", "last failure"];
        let nothing = if self.failed { "There are no failed jobs." } else { "There are no jobs." };
        output.table(header, found.iter().map(row).collect(), nothing);
        Ok(())
    }
}

impl Run {
    async fn run(self, use_cases: &UseCases) -> Result<()> {
        let (jobs, output) = (&use_cases.jobs, Output::people());
        if self.failed {
            for (job, _) in all(use_cases, true).await? {
                jobs.retry(&job.id).await?;
            }
        }
        jobs.renew().await?;
        let (mut done, mut failed) = (0, 0);
        while let Some((claim, task)) = jobs.claim().await? {
            let became = match jobs.perform(&claim, &task).await? {
                JobResult::Done => "is done".to_owned(),
                JobResult::Later(at) => format!("continues at {}", written(at)),
                JobResult::Lost => "was taken over by another server".to_owned(),
                JobResult::Failed(reason) => {
                    failed += 1;
                    format!("failed: {reason}")
                }
            };
            done += 1;
            output.line(format_args!("{} {} {became}", task.kind(), task.subject()));
        }
        if failed > 0 {
            let failure = Failure::new(format!("{failed} of {done} jobs failed"));
            return Err(failure.advise("list them with `octavo jobs list --failed`; the server retries them").into());
        }
        if done == 0 {
            output.note("No job is due.");
        }
        Ok(())
    }
}

fn written(moment: DateTime<Utc>) -> String {
    moment.to_rfc3339_opts(SecondsFormat::Secs, true)
}

fn described((job, state): &(Job, JobState)) -> Value {
    json!({
        "id": job.id,
        "task": job.task,
        "state": state,
        "dueAt": written(job.due_at),
        "attempts": job.attempts,
        "failedAt": job.failure.as_ref().map(|failure| written(failure.at)),
        "reason": job.failure.as_ref().map(|failure| &failure.reason),
        "createdAt": written(job.created_at),
    })
}
