//! `octavo import`: imports a folder or archive of Markdown as a space.
use super::choose;
use crate::compose;
use crate::config::Place;
use crate::failure::Failure;
use crate::output::Output;
use adapters_files::source::{self, Limits};
use anyhow::Result;
use clap::Args;
use domain::actor::Actor;
use domain::content::import::Report;
use domain::id::{OrganizationId, SpaceId};
use domain::patch::Patch;
use domain::space::SpacePatch;
use domain::text::SpaceTitle;
use domain::usecases::content::{Destination, Import as Imported, Progress};
use domain::usecases::jobs::JobResult;
use domain::usecases::{Error, Jobs, Precondition, UseCases};
use domain::web_address::WebAddress;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::json;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

/// The exit code of a strict import with broken links.
const BROKEN_LINKS: u8 = 3;

/// The arguments of `octavo import`.
#[derive(Args, Debug)]
#[command(after_long_help = "\
Examples:
  octavo import ./docs
  octavo import handbook.zip --title Handbook
  octavo import ./docs --space SPACE         Update a space from its source
  octavo import ./docs --edit-url https://github.com/acme/docs/edit/main/
  octavo import ./docs --strict --json       In a pipeline")]
pub(crate) struct Import {
    /// The folder or zip archive to import.
    path: PathBuf,

    /// Update this space instead of creating a new one: pages from the same file, or from a renamed one, keep their
    /// ids.
    #[arg(long, value_name = "ID", conflicts_with_all = ["title", "organization"])]
    space: Option<SpaceId>,

    /// The title of the new space, at most 50 characters [default: the heading of SUMMARY.md, or the name of the
    /// folder].
    #[arg(long, value_name = "TEXT")]
    title: Option<SpaceTitle>,

    /// The organization of the new space [default: the only one].
    #[arg(long, value_name = "ID")]
    organization: Option<OrganizationId>,

    /// The URL of the folder in an editor of its repository; pages of sites then link to their files [default:
    /// unchanged].
    #[arg(long, value_name = "URL")]
    edit_url: Option<WebAddress>,

    /// Exit with code 3 if a link is broken.
    #[arg(long)]
    strict: bool,

    /// Print the summary as JSON.
    #[arg(long)]
    json: bool,
}

impl Import {
    /// Runs the command.
    ///
    /// # Errors
    /// If nothing was imported.
    pub(crate) async fn run(self, place: &Place) -> Result<ExitCode> {
        let source = source::open(&self.path, Limits::default()).map_err(|error| {
            Failure::new(format!("cannot import {}", self.path.display()))
                .advise("name a folder or a zip archive with Markdown files")
                .because(error)
        })?;
        let use_cases = compose::open_for_command(place).await?;
        let is_update = self.space.is_some();
        let destination = match self.space {
            Some(space) => Destination::Space(space),
            None => {
                let organization = choose::organization(&use_cases, self.organization.as_ref()).await?;
                Destination::NewSpace { organization, title: self.title }
            }
        };
        let output = Output::new(self.json);
        let bar = bar(output);
        let shown = bar.clone();
        let progress = move |progress| show(&shown, progress);
        let imported = use_cases.content.import(&Actor::Operator, destination, &*source, &progress).await;
        let indexed = match &imported {
            Ok(imported) => index(&use_cases.jobs, &imported.space.id, &bar).await,
            Err(_) => Ok(()),
        };
        bar.finish_and_clear();
        let imported = imported.map_err(|error| explained(error, &self.path))?;
        if let Some(url) = self.edit_url {
            set_edit_url(&use_cases, &imported, url).await?;
        }
        if let Err(reason) = indexed {
            tracing::warn!(reason, "search does not find all pages yet: a server or `octavo jobs run` will index them");
        }
        let broken = imported.report.links_broken.len();
        if output.is_json() {
            output.json(&summary_for_programs(&imported)?);
        } else {
            output.line(summary(&imported, is_update));
        }
        Ok(if self.strict && broken > 0 { ExitCode::from(BROKEN_LINKS) } else { ExitCode::SUCCESS })
    }
}

/// Sets where the files of the imported space are edited. Without a change, there is no event of one.
async fn set_edit_url(use_cases: &UseCases, imported: &Imported, url: WebAddress) -> Result<()> {
    let space = &imported.space;
    if space.edit_url.as_ref() == Some(&url) {
        return Ok(());
    }
    let patch = SpacePatch { edit_url: Patch::Set(url), ..SpacePatch::default() };
    let updated = use_cases.spaces.update(&Actor::Operator, &space.id, Precondition::none(), patch.into()).await;
    updated.map(drop).map_err(|error| {
        Failure::new(format!("space {} is imported, but --edit-url is not set", space.id))
            .advise(format!("run the command again with --space {}", space.id))
            .because(error)
            .into()
    })
}

/// Updates the search index, if a large import has deferred this to a job. After an error, the job waits for a server,
/// or for `octavo jobs run`.
async fn index(jobs: &Jobs, space: &SpaceId, bar: &ProgressBar) -> Result<(), String> {
    bar.set_message("the search index");
    let claimed = jobs.claim_indexing(space).await.map_err(|error| error.to_string())?;
    let Some((claim, task)) = claimed else { return Ok(()) };
    match jobs.perform(&claim, &task).await {
        Ok(JobResult::Done | JobResult::Later(_) | JobResult::Lost) => Ok(()),
        Ok(JobResult::Failed(reason)) => Err(reason),
        Err(error) => Err(error.to_string()),
    }
}

fn bar(output: Output) -> ProgressBar {
    let target = if output.is_watched() { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
    let bar = ProgressBar::with_draw_target(None, target);
    bar.enable_steady_tick(Duration::from_millis(100));
    bar
}

fn show(bar: &ProgressBar, progress: Progress) {
    match progress {
        Progress::Reading(done, all) => count(bar, done, all, "pages"),
        Progress::Files(0, all) => {
            bar.reset();
            count(bar, 0, all, "images and other files");
        }
        Progress::Files(done, all) => count(bar, done, all, "images and other files"),
        Progress::Writing => {
            bar.unset_length();
            bar.set_style(ProgressStyle::default_spinner());
            bar.set_message("writing the revision");
        }
    }
}

fn count(bar: &ProgressBar, done: usize, all: usize, what: &'static str) {
    if done == 0 {
        let style = ProgressStyle::with_template("{bar:30} {pos}/{len} {msg}");
        bar.set_style(style.unwrap_or_else(|_wrong| ProgressStyle::default_bar()));
        bar.set_message(what);
    }
    bar.set_length(all as u64);
    bar.set_position(done as u64);
}

fn explained(error: Error, path: &std::path::Path) -> anyhow::Error {
    let advice = match &error {
        Error::NotFound("space") => {
            "find the id in the output of the first `octavo import`, or in the API: GET /v1/orgs/ID/spaces"
        }
        Error::Invalid(_) => "nothing was imported; correct the source and run the command again",
        Error::Conflict(_) => "run the command again, or unlock the space first",
        _ => "nothing was imported; run with --log-level debug for details",
    };
    Failure::new(format!("cannot import {}", path.display())).advise(advice).because(error).into()
}

/// The summary of an import, for people.
fn summary(imported: &Imported, is_update: bool) -> String {
    let report = &imported.report;
    let Report { pages, groups, links, hidden, files, reusable_contents, links_resolved, .. } = report;
    let Report { computed, renamed, links_broken, warnings, .. } = report;
    let space = &imported.space;
    let done = if is_update { "Updated space" } else { "Imported as space" };
    let mut text = format!("{done} \"{}\", id {}\n\n  pages   {pages}", space.title, space.id);
    let parts = [
        (*groups, "group", "groups"),
        (*links, "link in the table of contents", "links in the table of contents"),
        (*computed, "computed page", "computed pages"),
        (*reusable_contents, "included text", "included texts"),
        (*hidden, "page outside the table of contents", "pages outside the table of contents"),
    ];
    for (count, one, many) in parts.into_iter().filter(|(count, ..)| *count > 0) {
        text += &format!(", {count} {}", if count == 1 { one } else { many });
    }
    text += &format!("\n  files   {files}\n  links   {links_resolved} resolved, {} broken\n", links_broken.len());
    if !renamed.is_empty() {
        text += "\nRenamed files (their pages keep id and history):\n";
        text.extend(renamed.iter().map(|rename| format!("  {rename}\n")));
    }
    if !links_broken.is_empty() {
        text += "\nBroken links:\n";
        text.extend(links_broken.iter().map(|link| format!("  {link}\n")));
    }
    if !warnings.is_empty() {
        text += "\nWarnings:\n";
        text.extend(warnings.iter().map(|warning| format!("  {warning}\n")));
    }
    text.trim_end().to_owned()
}

/// The summary of an import, for programs.
fn summary_for_programs(imported: &Imported) -> Result<serde_json::Value> {
    Ok(json!({
        "space": imported.space.id,
        "title": imported.space.title,
        "organization": imported.space.organization,
        "revision": imported.revision,
        "report": serde_json::to_value(&imported.report)?,
    }))
}
