//! Converts the bytes of a source to the parts of a version, and back. Pure computations; callers run them on threads
//! for long work.
use crate::openapi_spec::{ChangelogEntry, DocumentFormat};
use crate::usecases::Error;
use bytes::Bytes;
use chrono::NaiveDate;
use openapi::check::check_within;
use openapi::deadline::Deadline;
use openapi::diff::{ChangeCounts, Changelog, Diff, diff};
use openapi::files::Files;
use openapi::finding::{self, Code, Finding, Level};
use openapi::parts::{MAX_OPERATIONS, SUMMARY_KEY, Summary, cut_within, join as join_parts, summary};
use openapi::text::{Format, Limits, read, read_within};
use openapi::tree::{Node, Path, Place};
use openapi::upgrade::{depends_on_source, upgrade_within};
use openapi::yaml::to_yaml;

/// The most components of a document.
const MAX_COMPONENTS: usize = 50_000;

/// A document that was read, with the files of it that are known so far.
pub(in crate::usecases) struct ParsedDocument {
    format: DocumentFormat,
    /// The address of the document; absent for a text that was sent.
    address: Option<String>,
    findings: Vec<Finding>,
    /// Absent if the document cannot be read.
    files: Option<Files>,
    /// Whether the document depends on the address after redirects.
    depends_on_address: bool,
}

/// A document with everything that it refers to.
pub(in crate::usecases) struct Document {
    /// Its language.
    pub(in crate::usecases) format: DocumentFormat,
    /// The findings, in order. Hints are left out.
    pub(in crate::usecases) findings: Vec<Finding>,
    /// Its parts in OpenAPI 3.1, by their keys, and its summary by [`SUMMARY_KEY`]; absent if the document cannot be
    /// read.
    pub(in crate::usecases) parts: Option<Vec<(String, Bytes)>>,
    /// The version of the API that it states.
    pub(in crate::usecases) api_version: String,
}

impl ParsedDocument {
    /// Reads and checks a document.
    pub(in crate::usecases) fn new(bytes: &[u8], address: Option<String>, deadline: &Deadline<'_>) -> Self {
        let reading = read_within(bytes, &Limits::of_document(deadline));
        let format = match reading.format {
            Format::Json => DocumentFormat::Json,
            Format::Yaml => DocumentFormat::Yaml,
        };
        let mut findings = reading.findings;
        findings.extend(reading.root.as_ref().map(|root| check_within(root, deadline)).unwrap_or_default());
        // Report only this for a page that is not an OpenAPI document: the caller may have no access to the page.
        if findings.iter().any(|finding| finding.code == Code::NotOpenapi) {
            findings.retain(|finding| finding.level() == Level::Fatal);
        }
        let root = reading.root.filter(|_| !is_fatal(&findings));
        let depends_on_address = address.is_some() && root.as_ref().is_some_and(depends_on_source);
        let files = root.map(|root| Files::new_within(root, reading.values, address.as_deref(), deadline));
        let mut opened = Self { format, address, findings, files, depends_on_address };
        opened.end_if_late(deadline);
        opened
    }

    /// Drops the document after the deadline.
    fn end_if_late(&mut self, deadline: &Deadline<'_>) {
        if deadline.look() && self.files.take().is_some() {
            self.findings.push(Deadline::finding());
        }
    }

    /// The addresses of the files that are still needed.
    pub(in crate::usecases) fn wanted(&self) -> Vec<String> {
        let wanted = self.files.as_ref().map(Files::wanted).unwrap_or_default();
        wanted.into_iter().map(|wanted| wanted.address).collect()
    }

    /// Whether the text alone is the whole document: it refers to no other files, and does not depend on the address
    /// after redirects.
    pub(in crate::usecases) fn is_whole(&self) -> bool {
        self.wanted().is_empty() && !self.depends_on_address
    }

    /// Adds a needed file: its bytes and the address after redirects, or the reason why it cannot be fetched.
    pub(in crate::usecases) fn add(
        &mut self,
        wanted: &str,
        file: Result<(Bytes, String), String>,
        deadline: &Deadline<'_>,
    ) {
        if let Some(files) = &mut self.files {
            match file {
                Ok((bytes, address)) => files.read(wanted, Ok((&bytes, address)), deadline),
                Err(reason) => files.add(wanted, Err(reason)),
            }
        }
        self.end_if_late(deadline);
    }

    /// Joins the document with its files, upgrades it and cuts it into parts.
    pub(in crate::usecases) fn finish(self, deadline: &Deadline<'_>) -> Document {
        let Self { format, address, mut findings, files, .. } = self;
        let mut api_version = String::new();
        let parts = files.and_then(|files| {
            let (whole, more) = files.bundle_within(deadline);
            findings.extend(more);
            if is_fatal(&findings) {
                return None;
            }
            let whole = upgrade_within(whole, address.as_deref(), deadline);
            let summary = summary(&whole);
            if let Some(message) = too_many(&summary) {
                findings.push(Finding::new(Code::TooLarge, Place::default(), Path::default(), message));
                return None;
            }
            api_version.clone_from(&summary.version);
            let summary = (SUMMARY_KEY.to_owned(), Bytes::from(summary_json(&summary)));
            let parts = cut_within(&whole, deadline).into_iter().map(|part| (part.key, Bytes::from(part.json)));
            let parts = parts.chain([summary]).collect::<Vec<_>>();
            if deadline.look() {
                findings.push(Deadline::finding());
                return None;
            }
            Some(parts)
        });
        findings.retain(|finding| finding.level() != Level::Info);
        finding::sort(&mut findings);
        Document { format, findings, parts, api_version }
    }
}

/// Whether the document cannot be read.
fn is_fatal(findings: &[Finding]) -> bool {
    findings.iter().any(|finding| finding.level() == Level::Fatal)
}

/// A document without its files, in OpenAPI 3.1. It is not checked. `None` if it cannot be read, or has more than
/// `values` values.
pub(in crate::usecases) fn upgraded(bytes: &[u8], values: usize) -> Option<Node> {
    let deadline = Deadline::never();
    let root = read_within(bytes, &Limits { values, ..Limits::of_document(&deadline) }).root?;
    Some(upgrade_within(root, None, &deadline))
}

/// The error for a document with too many operations or components, if there are too many.
fn too_many(summary: &Summary) -> Option<String> {
    let limits = [
        ("operations", summary.operations.len(), MAX_OPERATIONS),
        ("webhooks", summary.webhooks.len(), MAX_OPERATIONS),
        ("components", summary.counts.components, MAX_COMPONENTS),
    ];
    let (what, _, most) = limits.into_iter().find(|(_, count, most)| count > most)?;
    Some(format!("the document has more than {most} {what}"))
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

/// The document of a version as YAML.
///
/// # Errors
/// [`Error::Corrupt`] if the parts are not those of one document.
pub(in crate::usecases) fn yaml(parts: &[(String, Bytes)]) -> Result<String, Error> {
    Ok(to_yaml(&node(parts)?))
}

/// Compares two versions by their parts. `today` determines whether a sunset date is past.
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

/// The number of changes between two versions, and the changes that a changelog lists.
///
/// # Errors
/// See [`compare`].
pub(in crate::usecases) fn listed_changes(
    old: &[(String, Bytes)],
    new: &[(String, Bytes)],
    today: NaiveDate,
) -> Result<(ChangeCounts, Changelog), Error> {
    let diff = compare(old, new, today)?;
    let counts = diff.counts;
    let shown = diff.shown(&summary_among(old)?, &summary_among(new)?);
    Ok((counts, Changelog::of(&shown, &ChangelogEntry::LIMITS)))
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

/// The stored summary among the parts of a version, otherwise one made from the parts.
fn summary_among(parts: &[(String, Bytes)]) -> Result<Summary, Error> {
    match parts.iter().find(|(key, _)| key == SUMMARY_KEY) {
        Some((_, bytes)) => read_summary(bytes),
        None => summarised(parts),
    }
}

/// A summary in the stored form.
fn summary_json(summary: &Summary) -> String {
    serde_json::to_string(summary).unwrap_or_default()
}

/// Reads a stored summary.
///
/// # Errors
/// [`Error::Corrupt`] if it is not a summary.
pub(in crate::usecases) fn read_summary(bytes: &[u8]) -> Result<Summary, Error> {
    serde_json::from_slice(bytes).map_err(|error| Error::Corrupt(format!("the summary of a spec: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    fn opened(text: &str) -> ParsedDocument {
        ParsedDocument::new(text.as_bytes(), Some("https://h/d/api.yaml".to_owned()), &Deadline::never())
    }

    fn codes(document: &Document) -> Vec<(&'static str, String)> {
        document.findings.iter().map(|finding| (finding.code.as_str(), finding.to_string())).collect()
    }

    const IN_FILES: &str = "openapi: 3.1.0\ninfo: {title: a, version: b}\ncomponents: {schemas: {A: {$ref: p.yaml}}}\n";

    #[test]
    fn an_error_names_the_exceeded_limit_of_operations_or_components() {
        let text = "openapi: 3.1.0\ninfo: {title: a, version: b}\npaths: {/a: {get: {responses: {}}}}\n";
        let mut summary = summary(&read(text.as_bytes()).root.unwrap());
        assert_eq!(too_many(&summary), None);
        let one = summary.operations[0].clone();
        summary.operations = vec![one.clone(); MAX_OPERATIONS];
        assert_eq!(too_many(&summary), None);
        summary.operations.push(one);
        assert_eq!(too_many(&summary).as_deref(), Some("the document has more than 20000 operations"));
        summary.operations.clear();
        summary.counts.components = MAX_COMPONENTS + 1;
        assert_eq!(too_many(&summary).as_deref(), Some("the document has more than 50000 components"));
    }

    /// A deadline that passes after this number of checks.
    fn after(looks: &Cell<usize>) -> bool {
        looks.set(looks.get().saturating_sub(1));
        looks.get() == 0
    }

    #[test]
    fn a_document_is_too_slow_at_every_point_of_the_deadline() {
        let too_slow = vec![("too-slow", "reading took longer than 60 seconds".to_owned())];
        let mut ends = 0;
        for looks in 1.. {
            let looks = Cell::new(looks);
            let passed = || after(&looks);
            let deadline = Deadline::new(&passed);
            let mut opened =
                ParsedDocument::new(IN_FILES.as_bytes(), Some("https://h/d/api.yaml".to_owned()), &deadline);
            for wanted in opened.wanted() {
                opened.add(&wanted, Ok((Bytes::from("type: object\n"), wanted.clone())), &deadline);
            }
            let document = opened.finish(&deadline);
            if document.parts.is_some() {
                assert!(!deadline.look() || looks.get() == 0);
                break;
            }
            let found = codes(&document);
            let sentences: Vec<_> = found.iter().map(|(code, _)| *code).collect();
            assert!(sentences.contains(&"too-slow"), "{found:?}");
            if found == too_slow {
                ends += 1;
            }
        }
        assert!(ends > 5, "the deadline is looked at in every step: {ends}");
    }

    #[test]
    fn a_fault_in_another_file_names_the_file() {
        let mut opened = opened(IN_FILES);
        let file = "properties:\n  a: {$ref: '#/no'}\n  b: {}\n  b: {}\n";
        let wanted = opened.wanted();
        assert_eq!(wanted, ["https://h/d/p.yaml"]);
        opened.add(&wanted[0], Ok((Bytes::from(file), wanted[0].clone())), &Deadline::never());
        let document = opened.finish(&Deadline::never());
        assert!(document.parts.is_some());
        let missing = "p.yaml:2:13 properties.a.$ref: #/no is not there".to_owned();
        let twice = "p.yaml:4:3 properties.b: \"b\" is given twice, before in line 3: the last one counts".to_owned();
        assert_eq!(codes(&document), [("ref-missing", missing), ("duplicate-key", twice)]);
    }

    #[test]
    fn a_document_with_too_many_files_makes_no_version() {
        let all: Vec<String> = (0..300).map(|number| format!("{{$ref: {number}.yaml}}")).collect();
        let text = format!(
            "openapi: 3.1.0\ninfo: {{title: a, version: b}}\ncomponents: {{schemas: {{A: {{allOf: [{}]}}}}}}\n",
            all.join(", ")
        );
        let document = opened(&text).finish(&Deadline::never());
        assert!(document.parts.is_none());
        assert_eq!(document.findings[0].code, Code::TooLarge);
    }

    #[test]
    fn the_summary_of_a_version_that_has_none_is_made_of_its_parts() {
        let text = "swagger: '2.0'\ninfo: {title: Pets, version: '1'}\npaths: {/pets: {get: {operationId: list}}}\n";
        let mut parts = opened(text).finish(&Deadline::never()).parts.expect("a document");
        let at = parts.iter().position(|(key, _)| key == SUMMARY_KEY).expect("a summary");
        let (_, stored) = parts.remove(at);
        let stored = read_summary(&stored).expect("a summary");
        assert_eq!(summarised(&parts).expect("a document"), stored);
        assert_eq!(stored.operations[0].id.as_deref(), Some("list"));
    }
}
