//! `octavo openapi`: the document of the API itself, and checking the documents of others.
use crate::failure::Failure;
use crate::output::Output;
use anyhow::Result;
use clap::{Args, Subcommand};
use domain::openapi::check::check;
use domain::openapi::files::{File, Files};
use domain::openapi::finding::{Finding, Level, sort};
use domain::openapi::text::{MAX_BYTES, read};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use url::Url;

/// The exit code for a document that breaks a rule of OpenAPI.
const FAULTY: u8 = 3;

#[derive(Debug, Subcommand)]
pub(crate) enum OpenapiCommand {
    /// Print the OpenAPI document of the API of Octavo.
    #[command(after_long_help = "Example:\n  octavo openapi print > openapi.json")]
    Print,
    /// Check an OpenAPI document: report what is wrong with it, and where.
    ///
    /// Reads JSON and YAML, OpenAPI 2.0 to 3.2, and the local files that the document refers to; fetches nothing. The
    /// exit code is 3 if the document breaks a rule of OpenAPI; warnings and hints alone are no failure.
    #[command(after_long_help = "\
Examples:
  octavo openapi check openapi.yaml
  octavo openapi check openapi.yaml --json")]
    Check(Check),
}

#[derive(Args, Debug)]
pub(crate) struct Check {
    /// The document.
    file: PathBuf,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

impl OpenapiCommand {
    pub(crate) fn run(self) -> Result<ExitCode> {
        match self {
            Self::Print => {
                Output::people().line(api_actix::openapi_document(env!("CARGO_PKG_VERSION")));
                Ok(ExitCode::SUCCESS)
            }
            Self::Check(check) => check.run(),
        }
    }
}

impl Check {
    fn run(self) -> Result<ExitCode> {
        let findings = findings(&self.file)?;
        let output = Output::new(self.json);
        if output.is_json() {
            output.json(&json!({ "findings": findings.iter().map(shown).collect::<Vec<_>>() }));
        } else {
            for finding in &findings {
                output.line(format_args!(
                    "{}:{finding} ({}, {})",
                    self.file.display(),
                    word(finding),
                    finding.code.as_str()
                ));
            }
            let count = |level| findings.iter().filter(|finding| finding.level() == level).count();
            let errors = count(Level::Fatal) + count(Level::Error);
            output.note(format_args!(
                "errors: {errors}, warnings: {}, hints: {}",
                count(Level::Warning),
                count(Level::Info)
            ));
        }
        let faulty = findings.iter().any(|finding| finding.level() <= Level::Error);
        Ok(if faulty { ExitCode::from(FAULTY) } else { ExitCode::SUCCESS })
    }
}

/// What is wrong with a document and with its references to local files.
fn findings(path: &Path) -> Result<Vec<Finding>> {
    let unreadable = |error: std::io::Error| Failure::new(format!("cannot read {}", path.display())).because(error);
    let bytes = bytes(path).map_err(unreadable)?;
    let path = path.canonicalize().map_err(unreadable)?;
    let address = Url::from_file_path(&path).map_err(|()| Failure::new(format!("{} is no file", path.display())))?;
    let reading = read(&bytes);
    let mut findings = reading.findings;
    if let Some(root) = reading.root {
        findings.extend(check(&root));
        findings.extend(follow(Files::new(root, Some(address.as_str()))));
    }
    sort(&mut findings);
    Ok(findings)
}

/// The bytes of a file, or one byte more than a document may have.
fn bytes(path: &Path) -> std::io::Result<Vec<u8>> {
    use std::io::Read as _;
    let mut bytes = Vec::new();
    std::fs::File::open(path)?.take(MAX_BYTES as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Reads the local files that a document refers to. Returns what is wrong with the references to them.
fn follow(mut files: Files) -> Vec<Finding> {
    loop {
        let wanted = files.wanted();
        if wanted.is_empty() {
            return files.bundle().1;
        }
        for wanted in wanted {
            files.add(&wanted.address, local(&wanted.address));
        }
    }
}

fn local(address: &str) -> Result<File, String> {
    let path = Url::parse(address).ok().and_then(|url| url.to_file_path().ok());
    let path = path.ok_or("was not checked: this command fetches nothing")?;
    let bytes = bytes(&path).map_err(|error| format!("cannot be read: {error}"))?;
    let root = read(&bytes).root.ok_or("cannot be read: it is neither JSON nor YAML")?;
    Ok(File { address: address.to_owned(), root })
}

fn word(finding: &Finding) -> &'static str {
    match finding.level() {
        Level::Fatal => "fatal",
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Info => "hint",
    }
}

fn shown(finding: &Finding) -> Value {
    json!({
        "level": word(finding),
        "code": finding.code.as_str(),
        "line": finding.at.line,
        "column": finding.at.column,
        "pointer": finding.pointer(),
        "message": finding.to_string(),
    })
}
