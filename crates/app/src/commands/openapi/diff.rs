//! `octavo openapi diff`, and the changes that other commands report.
use super::document::{LocalDocument, Side};
use crate::failure::Failure;
use crate::output::Output;
use adapters_system::SystemClock;
use anyhow::Result;
use clap::{Args, ValueEnum};
use domain::openapi::diff::{self, Change, ChangeLevel, ChangedOperation, Diff};
use domain::openapi::tree::Node;
use domain::ports::Clock;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

#[derive(Args, Debug)]
pub(crate) struct Compare {
    /// The older document.
    old: PathBuf,
    /// The newer document.
    new: PathBuf,
    /// The form of the output.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    #[command(flatten)]
    accepted: Accepted,
}

/// The form of a list of changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A line for each change.
    Text,
    /// JSON.
    Json,
    /// A section of a changelog.
    Markdown,
    /// Annotations of files in GitHub Actions.
    Github,
}

/// The option with the accepted changes.
#[derive(Args, Debug)]
pub(super) struct Accepted {
    /// A file of accepted changes: the fingerprint of each in a line, as the text form prints it. They are not
    /// reported.
    #[arg(long, value_name = "FILE")]
    accept: Option<PathBuf>,
}

impl Accepted {
    /// The fingerprints.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub(super) fn read(&self) -> Result<BTreeSet<String>> {
        let Some(path) = &self.accept else { return Ok(BTreeSet::new()) };
        let text = std::fs::read_to_string(path);
        let text = text.map_err(|error| Failure::new(format!("cannot read {}", path.display())).because(error))?;
        Ok(diff::accepted(&text))
    }
}

/// What changed, without what was accepted, and the files of both documents.
pub(super) struct Differences {
    diff: Diff,
    old: Vec<PathBuf>,
    new: Vec<PathBuf>,
}

impl Differences {
    /// Compares two documents of OpenAPI 3.1 or 3.2.
    pub(super) fn between(old: &Side<'_>, new: &Side<'_>, accepted: &BTreeSet<String>) -> Self {
        let today = SystemClock.now().date_naive().to_string();
        let diff = diff::diff(old.root, new.root, Some(&today)).without(accepted);
        Self { diff, old: old.files.to_vec(), new: new.files.to_vec() }
    }

    /// The file that the position of a change is in.
    fn file(&self, change: &Change) -> Option<&Path> {
        let files = if change.in_old { &self.old } else { &self.new };
        // A missing position means that the value is missing.
        let number = change.position.as_ref().map_or(0, |position| position.file);
        files.get(usize::from(number)).map(PathBuf::as_path)
    }

    /// Whether callers of the old document can fail.
    pub(super) fn are_breaking(&self) -> bool {
        self.diff.counts.of(ChangeLevel::Breaking) > 0
    }

    /// A line for each change.
    pub(super) fn text(&self) -> String {
        diff::text(&self.diff)
    }

    /// The changes as JSON. Positions name their files.
    pub(super) fn described(&self) -> Value {
        let mut described = json!(self.diff);
        let changes = described["changes"].as_array_mut().into_iter().flatten();
        for (shown, change) in changes.zip(&self.diff.changes) {
            if let (Some(position), Some(file)) = (shown["position"].as_object_mut(), self.file(change)) {
                position.insert("file".into(), file.display().to_string().into());
            }
        }
        described
    }

    /// Annotations of the files, as GitHub Actions reads them.
    fn annotations(&self) -> Vec<String> {
        self.diff.changes.iter().map(|change| annotation(change, self.file(change).unwrap_or(Path::new("")))).collect()
    }
}

fn annotation(change: &Change, file: &Path) -> String {
    let command = match change.level {
        ChangeLevel::Breaking => "error",
        ChangeLevel::Risky | ChangeLevel::Announced => "warning",
        ChangeLevel::Fine | ChangeLevel::Words => "notice",
    };
    let file = property(&file.display().to_string());
    let place = change.position.as_ref().map(|at| format!(",line={},col={}", at.line, at.column)).unwrap_or_default();
    let title = property(&change.id);
    let named =
        |one: &ChangedOperation| format!("{} {}", one.method.to_uppercase(), one.webhook.as_ref().unwrap_or(&one.path));
    let operations: Vec<String> = change.operations.iter().take(3).map(named).collect();
    let about = if operations.is_empty() { String::new() } else { format!("{}: ", operations.join(", ")) };
    format!("::{command} file={file}{place},title={title}::{}", data(&format!("{about}{}", change.text)))
}

/// A text in the message of a workflow command.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// A text in a property of a workflow command.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

impl Compare {
    pub(super) fn run(self) -> Result<ExitCode> {
        let (old, new) = (LocalDocument::read(&self.old)?, LocalDocument::read(&self.new)?);
        let differences = Differences::between(&old.side()?, &new.side()?, &self.accepted.read()?);
        let output = Output::new(self.format == Format::Json);
        match self.format {
            Format::Json => output.json(&differences.described()),
            Format::Text => output.line(differences.text().trim_end()),
            Format::Markdown => output.exact(diff::markdown(&differences.diff, &title(new.root()?)).trim_end()),
            Format::Github => {
                differences.annotations().iter().for_each(|line| output.exact(line));
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// The title and the version of an API.
fn title(root: &Node) -> String {
    let info = |key| root.get("info").and_then(|info| info.text_of(key)).unwrap_or_default();
    format!("{} {}", info("title"), info("version")).trim().to_owned()
}
