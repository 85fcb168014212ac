//! `octavo openapi publish`.
use super::diff::{Accepted, Differences};
use super::document::{LocalDocument, Side};
use super::server::Server;
use super::target::{Folder, Sent, State, Target};
use super::{BREAKING, FAULTY, LATE};
use crate::config::{Place, whole};
use crate::failure::Failure;
use crate::output::Output;
use anyhow::Result;
use clap::{Args, ValueEnum};
use domain::id::OrganizationId;
use domain::openapi_spec::SpecSlug;
use domain::text::Rule;
use domain::web_address::WebAddress;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;
use tokio::time::{Instant, sleep};
use url::Url;

/// The polling interval until a source is processed.
const PAUSE: Duration = Duration::from_millis(250);

#[derive(Args, Debug)]
pub(crate) struct Publish {
    /// The document: a file, or an address that the server fetches.
    #[arg(value_name = "FILE|URL", value_parser = source)]
    source: Source,
    /// The name of the spec in addresses. A spec with a new name is created.
    #[arg(long, value_name = "SLUG", value_parser = slug)]
    slug: SpecSlug,
    /// The public URL of a running server [default: the data folder].
    #[arg(long, value_name = "URL", value_parser = server_url)]
    server: Option<Url>,
    /// The organization [default: the only one].
    #[arg(long, value_name = "ID")]
    organization: Option<OrganizationId>,
    /// The problems that prevent publishing.
    #[arg(long, value_enum, value_name = "WHAT", default_value_t = FailOn::Never)]
    fail_on: FailOn,
    #[command(flatten)]
    accepted: Accepted,
    /// Check and compare a file, but do not publish it.
    #[arg(long)]
    dry_run: bool,
    /// How many seconds to wait until the document is processed.
    #[arg(long, value_name = "SECONDS", default_value_t = 120, value_parser = whole::<u32>(0..=u32::MAX))]
    wait: u32,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// The problems that prevent publishing a document. A document that cannot be read is never published.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
enum FailOn {
    /// Only a document that cannot be read.
    Never,
    /// Broken rules of OpenAPI.
    Errors,
    /// Broken rules of OpenAPI, and changes that break callers.
    Breaking,
}

#[derive(Clone, Debug)]
enum Source {
    File(PathBuf),
    Url(WebAddress),
}

fn source(raw: &str) -> Result<Source, Rule> {
    if raw.starts_with("http://") || raw.starts_with("https://") {
        return raw.parse().map(Source::Url);
    }
    Ok(Source::File(raw.into()))
}

/// The rest is checked later, without the value in the error, since it may hold a password.
fn server_url(raw: &str) -> Result<Url, String> {
    Url::parse(raw).ok().ok_or_else(|| "must be a URL such as https://docs.example.org".to_owned())
}

fn slug(raw: &str) -> Result<SpecSlug, Rule> {
    raw.parse()
}

/// How the command ended.
enum End {
    Published(State),
    Unchanged,
    DryRun,
    Faulty,
    Breaking,
    Late,
}

impl End {
    fn word(&self) -> &'static str {
        match self {
            Self::Published(_) => "published",
            Self::Unchanged => "unchanged",
            Self::DryRun => "checked",
            Self::Faulty => "faulty",
            Self::Breaking => "breaking",
            Self::Late => "late",
        }
    }

    fn code(&self) -> ExitCode {
        match self {
            Self::Published(_) | Self::Unchanged | Self::DryRun => ExitCode::SUCCESS,
            Self::Faulty => ExitCode::from(FAULTY),
            Self::Breaking => ExitCode::from(BREAKING),
            Self::Late => ExitCode::from(LATE),
        }
    }
}

/// The output besides the result.
#[derive(Default)]
struct Report {
    document: Option<LocalDocument>,
    differences: Option<Differences>,
}

impl Publish {
    pub(super) async fn run(self, place: &Place) -> Result<ExitCode> {
        if self.fail_on > FailOn::Never && matches!(self.source, Source::Url(_)) {
            return Err(Failure::usage("--fail-on: works with a file only, since the server fetches an address").into());
        }
        if self.dry_run && matches!(self.source, Source::Url(_)) {
            return Err(Failure::usage("--dry-run: works with a file only, since the server fetches an address").into());
        }
        let target = self.target(place).await?;
        let mut report = Report::default();
        let end = match &self.source {
            Source::File(path) => self.file(&target, path, &mut report).await?,
            Source::Url(url) => self.send(&target, Sent::Url(url.clone())).await?,
        };
        self.print(&report, &end);
        Ok(end.code())
    }

    async fn target(&self, place: &Place) -> Result<Target> {
        Ok(match &self.server {
            None => {
                let folder = Folder::open(place, self.organization.as_ref(), self.slug.clone()).await?;
                Target::Folder(Box::new(folder))
            }
            Some(server) => Target::Server(Server::open(server, self.organization.as_ref(), self.slug.clone()).await?),
        })
    }

    /// Publishes a file, unless a problem prevents it.
    async fn file(&self, target: &Target, path: &Path, report: &mut Report) -> Result<End> {
        let document = LocalDocument::read(path)?;
        let is_against = document.text.is_none() || (self.fail_on >= FailOn::Errors && document.is_faulty());
        let text = document.text.clone().filter(|_| document.root.is_some());
        let document = report.document.insert(document);
        let (Some(text), false) = (text, is_against) else { return Ok(End::Faulty) };
        if target.is_text().await? && target.text().await?.is_some_and(|newest| newest == text) {
            return Ok(End::Unchanged);
        }
        if let Some(newest) = target.document().await? {
            let newest = Side { root: &newest, files: &[] };
            let differences = Differences::between(&newest, &document.side()?, &self.accepted.read()?);
            let is_breaking = differences.are_breaking();
            report.differences = Some(differences);
            if is_breaking && self.fail_on >= FailOn::Breaking {
                return Ok(End::Breaking);
            }
        }
        if self.dry_run {
            return Ok(End::DryRun);
        }
        self.send(target, Sent::Text(text)).await
    }

    /// Sends the source, and waits until it is processed.
    async fn send(&self, target: &Target, source: Sent) -> Result<End> {
        target.put(source).await?;
        let end = Instant::now() + Duration::from_secs(self.wait.into());
        loop {
            let state = target.state().await?;
            if state.is_complete {
                return match state.error {
                    None => Ok(End::Published(state)),
                    Some(error) => {
                        let findings = state.findings.join("\n  ");
                        Err(Failure::new(format!("the source could not be processed: {error}\n  {findings}")).into())
                    }
                };
            }
            if Instant::now() >= end {
                return Ok(End::Late);
            }
            sleep(PAUSE).await;
        }
    }

    fn print(&self, report: &Report, end: &End) {
        let output = Output::new(self.json);
        let version = match end {
            End::Published(state) => state.version.as_deref(),
            _ => None,
        };
        if output.is_json() {
            let findings = report.document.as_ref().map(LocalDocument::described);
            let changes = report.differences.as_ref().map(Differences::described);
            let result: Value = json!({"result": end.word(), "slug": self.slug, "version": version,
                "findings": findings, "changes": changes});
            output.json(&result);
            return;
        }
        if let Some(document) = &report.document {
            document.lines().for_each(|line| output.note(line));
        }
        if let Some(differences) = &report.differences {
            output.line(differences.text().trim_end());
        }
        let slug = &self.slug;
        output.note(match end {
            End::Published(_) => format!("Published {slug}: version {}.", version.unwrap_or_default()),
            End::Unchanged => format!("{slug} is unchanged; nothing was sent."),
            End::DryRun => format!("{slug} was checked; nothing was sent."),
            End::Faulty => format!("{slug} was not published: the document breaks rules of OpenAPI."),
            End::Breaking => format!(
                "{slug} was not published: it has breaking changes. Accept a change with its fingerprint in the file of --accept."
            ),
            End::Late => format!("{slug} was sent, but is not processed after {} seconds.", self.wait),
        });
    }
}
