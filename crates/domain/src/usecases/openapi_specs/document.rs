//! From the bytes of a source to the parts of a version, and back. Pure; the caller runs it where long work belongs.
use crate::openapi_spec::DocumentFormat;
use crate::usecases::Error;
use bytes::Bytes;
use chrono::NaiveDate;
use openapi::check::check;
use openapi::diff::{Diff, diff};
use openapi::files::{File, Files};
use openapi::finding::{self, Code, Finding, Level};
use openapi::parts::{SUMMARY_KEY, Summary, cut, join as join_parts, summary};
use openapi::text::{Format, read};
use openapi::tree::{Node, Path, Place};
use openapi::upgrade::upgrade;

/// The most parts of a version: 20,000 operations and 50,000 components, and the lists of them.
const MAX_PARTS: usize = 100_000;

/// A document that was read, with the files of it that are known so far.
pub(in crate::usecases) struct Opened {
    format: DocumentFormat,
    /// The address of the document; absent for a text that was sent.
    address: Option<String>,
    findings: Vec<Finding>,
    /// Absent if the document cannot be read.
    files: Option<Files>,
}

/// A document with everything that it refers to.
pub(in crate::usecases) struct Document {
    /// Its language.
    pub(in crate::usecases) format: DocumentFormat,
    /// What is wrong with it, in order. Hints are left out.
    pub(in crate::usecases) findings: Vec<Finding>,
    /// Its parts in OpenAPI 3.1, by their keys, and its summary by [`SUMMARY_KEY`]; absent if the document cannot be
    /// read.
    pub(in crate::usecases) parts: Option<Vec<(String, Bytes)>>,
}

impl Opened {
    /// Reads and checks a document.
    pub(in crate::usecases) fn new(bytes: &[u8], address: Option<String>) -> Self {
        let reading = read(bytes);
        let format = match reading.format {
            Format::Json => DocumentFormat::Json,
            Format::Yaml => DocumentFormat::Yaml,
        };
        let mut findings = reading.findings;
        findings.extend(reading.root.as_ref().map(check).unwrap_or_default());
        let fatal = findings.iter().any(|finding| finding.level() == Level::Fatal);
        let root = reading.root.filter(|_| !fatal);
        let files = root.map(|root| Files::new(root, address.as_deref()));
        Self { format, address, findings, files }
    }

    /// The addresses of the files that are still needed.
    pub(in crate::usecases) fn wanted(&self) -> Vec<String> {
        let wanted = self.files.as_ref().map(Files::wanted).unwrap_or_default();
        wanted.into_iter().map(|wanted| wanted.address).collect()
    }

    /// Adds a file that is wanted: its bytes and the address that returned it, or why it cannot be had.
    pub(in crate::usecases) fn add(&mut self, wanted: &str, file: Result<(Bytes, String), String>) {
        let file = file.and_then(|(bytes, address)| match read(&bytes).root {
            Some(root) => Ok(File { address, root }),
            None => Err("cannot be read: it is neither JSON nor YAML".to_owned()),
        });
        if let Some(files) = &mut self.files {
            files.add(wanted, file);
        }
    }

    /// Joins the document with its files, upgrades it and cuts it into parts.
    pub(in crate::usecases) fn finish(self) -> Document {
        let Self { format, address, mut findings, files } = self;
        let parts = files.map(|files| {
            let (whole, more) = files.bundle();
            findings.extend(more);
            let whole = upgrade(whole, address.as_deref());
            let summary = (SUMMARY_KEY.to_owned(), Bytes::from(summary_json(&summary(&whole))));
            let parts = cut(&whole).into_iter().map(|part| (part.key, Bytes::from(part.json)));
            parts.chain([summary]).collect::<Vec<_>>()
        });
        let parts = parts.filter(|parts| {
            let fits = parts.len() <= MAX_PARTS;
            if !fits {
                let message = format!("the document has more than {MAX_PARTS} operations and components");
                findings.push(Finding::new(Code::TooLarge, Place::default(), Path::default(), message));
            }
            fits
        });
        findings.retain(|finding| finding.level() != Level::Info);
        finding::sort(&mut findings);
        Document { format, findings, parts }
    }
}

/// Joins the parts of a version to its document.
///
/// # Errors
/// [`Error::Corrupt`] if they are not the parts of one document.
pub(in crate::usecases) fn join(parts: &[(String, Bytes)]) -> Result<String, Error> {
    let mut texts = Vec::with_capacity(parts.len());
    for (key, bytes) in parts {
        let text = std::str::from_utf8(bytes).map_err(|error| Error::Corrupt(format!("part {key}: {error}")))?;
        texts.push((key.as_str(), text));
    }
    join_parts(texts).map_err(|error| Error::Corrupt(error.to_string()))
}

/// Compares two versions by their parts. `today` decides whether a sunset date is over.
///
/// # Errors
/// [`Error::Corrupt`] if they are not the parts of one document.
pub(in crate::usecases) fn compare(
    old: &[(String, Bytes)],
    new: &[(String, Bytes)],
    today: NaiveDate,
) -> Result<Diff, Error> {
    let (old, new) = (node(old)?, node(new)?);
    Ok(diff(&old, &new, Some(&today.to_string())))
}

/// The document of a version as values.
fn node(parts: &[(String, Bytes)]) -> Result<Node, Error> {
    let json = join(parts)?;
    read(json.as_bytes()).root.ok_or_else(|| Error::Corrupt("the parts of a version are no document".to_owned()))
}

/// The summary of a version by its parts.
///
/// # Errors
/// [`Error::Corrupt`] if they are not the parts of one document.
pub(in crate::usecases) fn summarised(parts: &[(String, Bytes)]) -> Result<Summary, Error> {
    Ok(summary(&node(parts)?))
}

/// A summary as it is stored.
fn summary_json(summary: &Summary) -> String {
    serde_json::to_string(summary).unwrap_or_default()
}

/// Reads a stored summary.
///
/// # Errors
/// [`Error::Corrupt`] if it is none.
pub(in crate::usecases) fn read_summary(bytes: &[u8]) -> Result<Summary, Error> {
    serde_json::from_slice(bytes).map_err(|error| Error::Corrupt(format!("the summary of a spec: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary_of_a_version_that_has_none_is_made_of_its_parts() {
        let text = "swagger: '2.0'\ninfo: {title: Pets, version: '1'}\npaths: {/pets: {get: {operationId: list}}}\n";
        let mut parts = Opened::new(text.as_bytes(), None).finish().parts.expect("a document");
        let at = parts.iter().position(|(key, _)| key == SUMMARY_KEY).expect("a summary");
        let (_, stored) = parts.remove(at);
        let stored = read_summary(&stored).expect("a summary");
        assert_eq!(summarised(&parts).expect("a document"), stored);
        assert_eq!(stored.operations[0].id.as_deref(), Some("list"));
    }
}
