//! OpenAPI documents in local files.
use crate::failure::Failure;
use anyhow::Result;
use domain::openapi::check::check_within;
use domain::openapi::deadline::{Deadline, MAX_SECONDS};
use domain::openapi::files::Files;
use domain::openapi::finding::{Finding, Level, sort};
use domain::openapi::text::{Limits, MAX_BYTES, decoded, read_within};
use domain::openapi::tree::Node;
use domain::openapi::upgrade::upgrade_within;
use serde_json::{Value, json};
use std::path::{Component, Path, PathBuf};
use std::time::{Duration, Instant};
use url::Url;

/// A document, with the local files that it refers to.
pub(super) struct LocalDocument {
    path: PathBuf,
    /// Its findings, including those about references to local files, the most severe first.
    pub(super) findings: Vec<Finding>,
    /// The text as it is in the file, if it refers to no other files; otherwise the document with everything in it, as
    /// JSON. Absent if the document cannot be read.
    pub(super) text: Option<String>,
    /// The document in OpenAPI 3.1 or 3.2; absent if it cannot be read.
    pub(super) root: Option<Node>,
    /// Its files, in the order of the places in `root`.
    files: Vec<PathBuf>,
}

/// A document to compare, and its files in the order of its places; none for a document of a server.
pub(super) struct Side<'d> {
    pub(super) root: &'d Node,
    pub(super) files: &'d [PathBuf],
}

impl LocalDocument {
    /// Reads a document and the local files that it refers to. Fetches nothing.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub(super) fn read(path: &Path) -> Result<Self> {
        let unreadable = |error: std::io::Error| Failure::new(format!("cannot read {}", path.display())).because(error);
        let bytes = bytes(path).map_err(unreadable)?;
        // A pipe, as of `<(command)` in a shell, has no canonical path.
        let absolute = path.canonicalize().or_else(|_pipe| std::path::absolute(path)).map_err(unreadable)?;
        let no_file = |()| Failure::new(format!("{} is not a file", path.display()));
        let address = Url::from_file_path(&absolute).map_err(no_file)?;
        let began = Instant::now();
        let passed = || began.elapsed() > Duration::from_secs(MAX_SECONDS.into());
        let deadline = Deadline::new(&passed);
        let reading = read_within(&bytes, &Limits::of_document(&deadline));
        let mut findings = reading.findings;
        let (mut text, mut root, mut names) = (None, None, Vec::new());
        if let Some(node) = reading.root {
            findings.extend(check_within(&node, &deadline));
            let mut files = Files::new_within(node, reading.values, Some(address.as_str()), &deadline);
            let is_alone = files.wanted().is_empty();
            follow(&mut files, &deadline);
            names = files.names();
            let (whole, more) = files.bundle_within(&deadline);
            findings.extend(more);
            if !findings.iter().any(|finding| finding.level() == Level::Fatal) {
                text =
                    if is_alone { decoded(&bytes).ok().map(|text| text.into_owned()) } else { Some(whole.to_json()) };
                root = Some(upgrade_within(whole, None, &deadline));
                if deadline.look() {
                    findings.push(Deadline::finding());
                    (text, root) = (None, None);
                }
            }
        }
        sort(&mut findings);
        let beside = |name: &str| plain(&path.parent().unwrap_or(Path::new("")).join(name));
        let files = std::iter::once(path.to_owned()).chain(names.iter().skip(1).map(|name| beside(name)));
        Ok(Self { path: path.to_owned(), findings, text, root, files: files.collect() })
    }

    /// The document as a side of a comparison.
    ///
    /// # Errors
    /// If it cannot be read.
    pub(super) fn side(&self) -> Result<Side<'_>> {
        Ok(Side { root: self.root()?, files: &self.files })
    }

    /// The document, for a command that needs one.
    ///
    /// # Errors
    /// If it cannot be read.
    pub(super) fn root(&self) -> Result<&Node> {
        let unreadable = || {
            let reason = self.findings.first().map(ToString::to_string).unwrap_or_default();
            Failure::new(format!("{} is not an OpenAPI document: {reason}", self.path.display()))
                .advise("list all errors with `octavo openapi check`")
        };
        Ok(self.root.as_ref().ok_or_else(unreadable)?)
    }

    /// Whether it breaks a rule of OpenAPI.
    pub(super) fn is_faulty(&self) -> bool {
        self.findings.iter().any(|finding| finding.level() <= Level::Error)
    }

    /// The lines about its findings, for people.
    pub(super) fn lines(&self) -> impl Iterator<Item = String> + '_ {
        let path = self.path.display();
        self.findings.iter().map(move |finding| {
            let (word, code) = (word(finding), finding.code.as_str());
            match &finding.file {
                // A whole address is not below the folder.
                Some(file) if file.contains("://") => format!("{finding} ({word}, {code})"),
                Some(_) => {
                    let file = self.path.parent().unwrap_or(Path::new("")).join(finding.to_string());
                    format!("{} ({word}, {code})", file.display())
                }
                None => format!("{path}:{finding} ({word}, {code})"),
            }
        })
    }

    /// The counts of its findings, for people.
    pub(super) fn counts(&self) -> String {
        let count = |level| self.findings.iter().filter(|finding| finding.level() == level).count();
        let errors = count(Level::Fatal) + count(Level::Error);
        format!("errors: {errors}, warnings: {}, hints: {}", count(Level::Warning), count(Level::Info))
    }

    /// Its findings as JSON.
    pub(super) fn described(&self) -> Vec<Value> {
        self.findings.iter().map(described).collect()
    }
}

/// The same path without `..`, as other programs name the file. Steps out of the current folder stay.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir if matches!(plain.components().next_back(), Some(Component::Normal(_))) => {
                plain.pop();
            }
            Component::CurDir => {}
            part => plain.push(part),
        }
    }
    plain
}

/// The bytes of a file, or one byte more than a document may have.
fn bytes(path: &Path) -> std::io::Result<Vec<u8>> {
    use std::io::Read as _;
    let (file, most) = (std::fs::File::open(path)?, MAX_BYTES as u64 + 1);
    let mut bytes = Vec::with_capacity(usize::try_from(file.metadata()?.len().min(most)).unwrap_or_default());
    file.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Reads the local files that a document refers to, and those that these refer to.
fn follow(files: &mut Files, deadline: &Deadline<'_>) {
    loop {
        let wanted = files.wanted();
        if wanted.is_empty() {
            return;
        }
        for wanted in wanted {
            match local(&wanted.address) {
                Ok(bytes) => files.read(&wanted.address, Ok((&bytes, wanted.address.clone())), deadline),
                Err(reason) => files.add(&wanted.address, Err(reason)),
            }
        }
    }
}

fn local(address: &str) -> Result<Vec<u8>, String> {
    let path = Url::parse(address).ok().and_then(|url| url.to_file_path().ok());
    let path = path.ok_or("was not checked: this command fetches nothing")?;
    bytes(&path).map_err(|error| format!("cannot be read: {error}"))
}

fn word(finding: &Finding) -> &'static str {
    match finding.level() {
        Level::Fatal => "fatal",
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Info => "hint",
    }
}

fn described(finding: &Finding) -> Value {
    json!({
        "level": word(finding),
        "code": finding.code.as_str(),
        "file": finding.file,
        "line": finding.at.line,
        "column": finding.at.column,
        "pointer": finding.pointer(),
        "message": finding.to_string(),
    })
}
