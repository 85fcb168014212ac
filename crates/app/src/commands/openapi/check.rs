//! `octavo openapi check`.
use super::diff::{Accepted, Differences};
use super::document::LocalDocument;
use super::{BREAKING, FAULTY};
use crate::output::Output;
use anyhow::Result;
use clap::Args;
use serde_json::json;
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Args, Debug)]
pub(crate) struct Check {
    /// The document.
    file: PathBuf,
    /// Compare it with this document, such as the released one. Breaking changes are a failure.
    #[arg(long, value_name = "FILE")]
    against: Option<PathBuf>,
    #[command(flatten)]
    accepted: Accepted,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

impl Check {
    pub(super) fn run(self) -> Result<ExitCode> {
        let document = LocalDocument::read(&self.file)?;
        let accepted = self.accepted.read()?;
        let differences = match &self.against {
            Some(old) if document.root.is_some() => {
                Some(Differences::between(&LocalDocument::read(old)?.side()?, &document.side()?, &accepted))
            }
            _ => None,
        };
        let output = Output::new(self.json);
        if output.is_json() {
            let changes = differences.as_ref().map(Differences::described);
            output.json(&json!({ "findings": document.described(), "changes": changes }));
        } else {
            document.lines().for_each(|line| output.line(line));
            output.note(document.counts());
            if let Some(differences) = &differences {
                output.line(differences.text().trim_end());
            }
        }
        Ok(match differences {
            _ if document.is_faulty() => ExitCode::from(FAULTY),
            Some(differences) if differences.are_breaking() => ExitCode::from(BREAKING),
            _ => ExitCode::SUCCESS,
        })
    }
}
