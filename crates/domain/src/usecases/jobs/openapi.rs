//! Processing OpenAPI specs: a source becomes a version. No unit of work is open while a document is fetched and read.
pub(super) mod linked;
mod removal;
pub(super) mod renew;

use super::SpecReader;
use super::lease::{Lease, Outcome, Stop};
use crate::content::map::Map;
use crate::content::object::{Hash, MemoryObjects, Scratch};
use crate::event::Change;
use crate::id::OpenapiSpecId;
use crate::job::Task;
use crate::openapi_spec::{
    ChangelogEntry, DocumentFormat, MAX_DOCUMENT, MAX_TEXTS, MAX_VERSIONS, OpenapiSpec, OpenapiVersion, ProcessError,
    Processed, ProcessingState, SpecFinding, SpecSource, Validators,
};
use crate::ports::{Clock, FetchError, FetchRequest, FoundFile};
use crate::usecases::Error;
use crate::usecases::content::ahead::Ahead;
use crate::usecases::openapi_specs::document::{Document, ParsedDocument, listed_changes};
use crate::usecases::openapi_specs::stored::{object, parts};
use crate::usecases::openapi_specs::{delete, index_later, index_task};
use crate::usecases::work::Work;
use bytes::Bytes;
use chrono::{DateTime, TimeDelta, Utc};
use openapi::ENGINE;
use openapi::deadline::{Deadline, MAX_SECONDS};
use openapi::diff::{ChangeCounts, Changelog};
use openapi::finding::Code;
pub(super) use removal::remove_versions;
use removal::{pinned, remove_texts};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// The time limit for one file.
const FETCH_TIMEOUT: Duration = Duration::from_secs(30);
/// The time limit for all files of a document.
const FETCH_ALL: Duration = Duration::from_secs(120);
/// The most bytes of all files of a document.
const MAX_BYTES: u64 = 2 * MAX_DOCUMENT;

/// The objects of a new version: its text, and the root of the map of its parts.
struct NewObjects {
    text: Hash,
    parts: Hash,
}

/// A document that was read.
struct Read {
    format: DocumentFormat,
    findings: Vec<SpecFinding>,
    /// Absent if the document cannot be read.
    objects: Option<NewObjects>,
    /// The parts, by their keys.
    parts: Vec<(String, Bytes)>,
    /// The version of the API.
    api_version: String,
    /// The bytes of these objects.
    bytes: BTreeMap<Hash, Bytes>,
    /// Its validators.
    validators: Option<Validators>,
    /// Whether reading took too long.
    is_interrupted: bool,
}

/// Processes the source of a spec.
pub(super) async fn process(lease: &Lease<'_>, id: &OpenapiSpecId) -> Result<Outcome, Stop> {
    let Some(reader) = &lease.jobs.specs else { return Err(Error::Unable("process OpenAPI specs").into()) };
    let Some(mut begun) = begin(lease, id).await? else { return Ok(Outcome::Done) };
    if begun.last.as_ref().is_some_and(OpenapiVersion::is_outdated) {
        // Otherwise the document would differ from the newest version without a change of the source.
        renew::all_of(lease, reader, id).await?;
        begun.last = newest(&mut lease.read().await?, &begun.spec).await?;
    }
    let next = match read(lease, reader, &begun.spec).await? {
        ReadOutcome::Document(read) => add(lease, reader, &begun, *read).await?,
        ReadOutcome::Unchanged => {
            let validators = begun.spec.validators.clone();
            end(lease, &begun, Processed { version: None, error: None, findings: None, validators }).await?
        }
        ReadOutcome::Failed(fault) => end(lease, &begun, failed(&fault)).await?,
    };
    let pinned = pinned(lease, &begun.spec).await?;
    // Nothing shows an older version of a hidden spec.
    let (versions, texts) = if begun.spec.slug.is_linked() { (1, 1) } else { (MAX_VERSIONS, MAX_TEXTS) };
    remove_versions(lease, id, versions, &pinned).await?;
    remove_texts(lease, &begun.spec, texts, &pinned).await?;
    Ok(next.map_or(Outcome::Done, |at| Outcome::Again(Task::ProcessOpenapi { spec: id.clone() }, at)))
}

/// A spec whose source is being processed.
struct Begun {
    spec: OpenapiSpec,
    /// Its newest version.
    last: Option<OpenapiVersion>,
    /// Whether a request set the source: then processing always adds a version. A later fetch adds one only if the
    /// document changed.
    asked: bool,
}

/// Loads the spec, and stores that its source is being processed.
async fn begin(lease: &Lease<'_>, id: &OpenapiSpecId) -> Result<Option<Begun>, Stop> {
    let mut work = lease.read().await?;
    let Some(spec) = work.openapi_specs().get(id).await? else { return Ok(None) };
    drop(work);
    let mut work = lease.step_with(&[(&spec.organization).into()]).await?;
    let Some(mut spec) = work.openapi_specs().get(id).await? else { return Ok(None) };
    if spec.slug.is_linked() && !linked::is_shown(&mut work, &spec).await? {
        delete(&mut work, &spec).await?;
        work.commit().await?;
        return Ok(None);
    }
    let last = newest(&mut work, &spec).await?;
    let asked = spec.state != ProcessingState::Complete;
    if spec.state == ProcessingState::Pending {
        spec.state = ProcessingState::Progress;
        work.openapi_specs().save(&spec).await?;
    }
    work.commit().await?;
    Ok(Some(Begun { spec, last, asked }))
}

/// The newest version of a spec.
async fn newest(work: &mut Work<'_>, spec: &OpenapiSpec) -> Result<Option<OpenapiVersion>, Error> {
    match &spec.last_version {
        Some(version) => Ok(work.openapi_specs().version(&spec.id, version).await?),
        None => Ok(None),
    }
}

/// Why a source has no document.
enum Fault {
    /// It cannot be fetched.
    Fetch(FetchError),
    /// Reading it panicked; the panic is in the log of the server.
    Panicked,
}

/// The outcome of reading a source.
enum ReadOutcome {
    /// Its document.
    Document(Box<Read>),
    /// The host of the source reports that it has not changed.
    Unchanged,
    /// The source has no document.
    Failed(Fault),
}

/// Reads the document of a spec with the files that it refers to.
async fn read(lease: &Lease<'_>, reader: &SpecReader, spec: &OpenapiSpec) -> Result<ReadOutcome, Stop> {
    let mut validators = None;
    let (bytes, address) = match &spec.source {
        SpecSource::Text(text) => (object(&mut lease.read().await?, *text).await?, None),
        SpecSource::Url(url) => {
            // After a failure, the stored findings describe the failure, so the document is read again.
            let known = spec.validators.clone().filter(|_| spec.error.is_none()).unwrap_or_default();
            match reader.fetcher.fetch_if_changed(request(url.as_str(), MAX_DOCUMENT, FETCH_TIMEOUT), &known).await {
                Ok(None) => return Ok(ReadOutcome::Unchanged),
                Ok(Some(FoundFile { file, address, validators: said })) => {
                    validators = Some(said);
                    (file.bytes, Some(address))
                }
                Err(error) => return Ok(ReadOutcome::Failed(Fault::Fetch(error))),
            }
        }
    };
    let (opening, length) = (bytes.clone(), bytes.len() as u64);
    let mut time = ReadingTime::new(Arc::clone(&lease.jobs.units.clock));
    let open = move || (time.spend(|deadline| ParsedDocument::new(&opening, address, deadline)), time);
    let Some((opened, time)) = reader.long_work.compute(open).await else {
        return Ok(ReadOutcome::Failed(Fault::Panicked));
    };
    // The validators of the document do not show whether a file that it refers to has changed.
    let validators = validators.filter(|_| opened.wanted().is_empty());
    let Some((opened, mut time)) = follow(lease, reader, (opened, time), length).await? else {
        return Ok(ReadOutcome::Failed(Fault::Panicked));
    };
    let finish = move || finish(time.spend(|deadline| opened.finish(deadline)), bytes, validators);
    let read = reader.long_work.compute(finish).await;
    Ok(read.map_or(ReadOutcome::Failed(Fault::Panicked), |read| ReadOutcome::Document(Box::new(read))))
}

/// The remaining time for reading a document. The time for fetching its files is not included.
struct ReadingTime {
    clock: Arc<dyn Clock>,
    left: TimeDelta,
}

impl ReadingTime {
    fn new(clock: Arc<dyn Clock>) -> Self {
        Self { clock, left: TimeDelta::seconds(MAX_SECONDS.into()) }
    }

    /// Runs a part of the reading within the remaining time.
    fn spend<T>(&mut self, work: impl FnOnce(&Deadline<'_>) -> T) -> T {
        let (began, left) = (self.clock.now(), self.left);
        let passed = || self.clock.now() - began > left;
        let result = work(&Deadline::new(&passed));
        self.left = left - (self.clock.now() - began);
        result
    }
}

fn request(url: &str, max_bytes: u64, timeout: Duration) -> FetchRequest {
    FetchRequest { url: url.to_owned(), max_bytes, timeout: Some(timeout) }
}

/// Fetches the files that a document refers to, and those that these refer to; `None` if reading them panicked.
async fn follow(
    lease: &Lease<'_>,
    reader: &SpecReader,
    (mut opened, mut time): (ParsedDocument, ReadingTime),
    length: u64,
) -> Result<Option<(ParsedDocument, ReadingTime)>, Stop> {
    let began = lease.now();
    let mut bytes_left = MAX_BYTES.saturating_sub(length);
    let mut wanted = opened.wanted();
    while !wanted.is_empty() {
        let mut files = Vec::with_capacity(wanted.len());
        for url in wanted {
            let spent = (lease.now() - began).to_std().unwrap_or_default();
            let left = FETCH_ALL.saturating_sub(spent).min(FETCH_TIMEOUT);
            let fetched = if left.is_zero() {
                Err(FetchError::Timeout)
            } else {
                let request = request(&url, bytes_left.min(MAX_DOCUMENT), left);
                reader.fetcher.fetch_if_changed(request, &Validators::default()).await
            };
            let file = match fetched {
                Ok(Some(found)) => {
                    bytes_left = bytes_left.saturating_sub(found.file.bytes.len() as u64);
                    Ok((found.file.bytes, found.address))
                }
                Ok(None) => Err("cannot be fetched: the host says that it has not changed".to_owned()),
                Err(error) => Err(format!("cannot be fetched: {error}")),
            };
            files.push((url, file));
            // Renews the lease.
            drop(lease.read().await?);
        }
        let add = move || {
            time.spend(|deadline| files.into_iter().for_each(|(url, file)| opened.add(&url, file, deadline)));
            let wanted = opened.wanted();
            (opened, time, wanted)
        };
        let Some(added) = reader.long_work.compute(add).await else { return Ok(None) };
        (opened, time, wanted) = added;
    }
    Ok(Some((opened, time)))
}

fn failed(fault: &Fault) -> Processed {
    let (code, finding) = match fault {
        Fault::Fetch(error @ FetchError::Timeout) => (ProcessError::FetchTimeout, SpecFinding::failure(error)),
        Fault::Fetch(error) => (ProcessError::FetchError, SpecFinding::failure(error)),
        Fault::Panicked => {
            let message = "reading the document failed: the log of the server has the cause";
            (ProcessError::ParseError, SpecFinding::failure(&message))
        }
    };
    Processed { version: None, error: Some(code), findings: Some(vec![finding]), validators: None }
}

/// The objects of a document.
fn finish(document: Document, text: Bytes, validators: Option<Validators>) -> Read {
    let Document { format, findings, parts, api_version } = document;
    let none = MemoryObjects::default();
    let mut scratch = Scratch::new(&none);
    let objects = parts.as_ref().and_then(|parts| {
        let entries: Vec<(String, Hash)> =
            parts.iter().map(|(key, json)| (key.clone(), scratch.put(json.clone()))).collect();
        let parts = Map::build(&mut scratch, entries).root()?;
        Some(NewObjects { text: scratch.put(text), parts })
    });
    let is_interrupted = findings.iter().any(|finding| finding.code == Code::TooSlow);
    let findings = findings.iter().map(SpecFinding::from).collect();
    let (parts, bytes) = (parts.unwrap_or_default(), scratch.into_written());
    Read { format, findings, objects, parts, api_version, bytes, validators, is_interrupted }
}

/// Adds a version, if the document changed or a request set the source.
async fn add(lease: &Lease<'_>, reader: &SpecReader, begun: &Begun, read: Read) -> Result<Option<DateTime<Utc>>, Stop> {
    let Read { format, findings, objects, parts: new, api_version, bytes, validators, .. } = read;
    let findings = Some(findings);
    let Some(NewObjects { text, parts }) = objects else {
        let error = Some(ProcessError::ParseError);
        return end(lease, begun, Processed { version: None, error, findings, validators: None }).await;
    };
    let processed = Processed { version: None, error: None, findings, validators };
    let source = match &begun.spec.source {
        SpecSource::Url(address) => Some(address.clone()),
        SpecSource::Text(_) => None,
    };
    let mut version = OpenapiVersion {
        id: lease.jobs.units.ids.make(),
        spec: begun.spec.id.clone(),
        created_at: lease.now(),
        source,
        text,
        format,
        parts,
        changes: None,
        text_removed_at: None,
        engine: ENGINE,
    };
    let mut last = begun.last.clone();
    loop {
        if !begun.asked && last.as_ref().is_some_and(|last| last.parts == parts) {
            return end(lease, begun, processed).await;
        }
        let changes = match &last {
            Some(last) if last.parts == parts => Some((ChangeCounts::default(), Changelog::default())),
            Some(last) => changes(lease, reader, last, new.clone()).await?,
            None => None,
        };
        version.changes = changes.as_ref().map(|(counts, _)| *counts);
        // Absent if comparing failed.
        let entry = (last.is_none() || changes.is_some())
            .then(|| ChangelogEntry::new(&api_version, changes.map(|(_, listed)| listed)));
        let mut ahead = Ahead::new(&lease.jobs.units);
        ahead.add(bytes.clone()).await?;
        match store(lease, begun, (&version, entry.as_ref(), last.as_ref()), processed.clone(), ahead).await? {
            Stored::Done(next) => return Ok(next),
            // Another server has renewed the newest version: compare with the renewed one.
            Stored::Moved(newest) => last = newest,
        }
    }
}

/// The number of changes since another version, and those that a changelog lists; `None` if comparing panicked, which
/// is in the log of the server.
async fn changes(
    lease: &Lease<'_>,
    reader: &SpecReader,
    last: &OpenapiVersion,
    new: Vec<(String, Bytes)>,
) -> Result<Option<(ChangeCounts, Changelog)>, Stop> {
    let old = parts(&mut lease.read().await?, last).await?;
    let today = lease.now().date_naive();
    let compared = reader.long_work.compute(move || listed_changes(&old, &new, today)).await;
    Ok(compared.transpose()?)
}

/// Stores that there is no new version. Returns when to fetch the source again. If another source was set in the
/// meantime, the claim of this job is lost, and nothing is stored.
async fn end(lease: &Lease<'_>, begun: &Begun, processed: Processed) -> Result<Option<DateTime<Utc>>, Stop> {
    let mut work = lease.step_with(&[(&begun.spec.organization).into()]).await?;
    let Some(mut spec) = work.openapi_specs().get(&begun.spec.id).await? else { return Ok(None) };
    let next = complete(lease, &mut work, &mut spec, processed).await?;
    work.commit().await?;
    Ok(next)
}

/// The outcome of storing a new version.
enum Stored {
    /// It is stored; with the time to fetch the source again.
    Done(Option<DateTime<Utc>>),
    /// It was compared with a version that is no longer the newest; with the newest one.
    Moved(Option<OpenapiVersion>),
}

/// Stores a version that was compared with `last`. If another source was set in the meantime, the claim of this job is
/// lost, and nothing is stored.
async fn store(
    lease: &Lease<'_>,
    begun: &Begun,
    (version, entry, last): (&OpenapiVersion, Option<&ChangelogEntry>, Option<&OpenapiVersion>),
    processed: Processed,
    mut ahead: Ahead<'_>,
) -> Result<Stored, Stop> {
    let rest = ahead.rest().await?;
    let organization = &begun.spec.organization;
    let index = index_task(&begun.spec);
    let mut work = lease.step_with(&[organization.into(), (&index).into()]).await?;
    let Some(mut spec) = work.openapi_specs().get(&begun.spec.id).await? else { return Ok(Stored::Done(None)) };
    let newest = newest(&mut work, &spec).await?;
    if newest.as_ref() != last {
        return Ok(Stored::Moved(newest));
    }
    work.content().put_objects(rest.into_iter().collect()).await?;
    work.openapi_specs().add_version(version).await?;
    if let Some(entry) = entry {
        work.openapi_specs().set_changelog(&version.id, entry).await?;
    }
    let processed = Processed { version: Some(version.id.clone()), ..processed };
    let next = complete(lease, &mut work, &mut spec, processed).await?;
    // A caller cannot read a hidden spec.
    if !spec.slug.is_linked() {
        let OpenapiVersion { id, changes, .. } = version.clone();
        work.record(organization, Change::OpenapiVersionAdded { spec: spec.id.clone(), version: id, changes }).await?;
    }
    index_later(&mut work, &spec, index).await?;
    ahead.check()?;
    work.commit_and_release(ahead.into_stored()).await?;
    Ok(Stored::Done(next))
}

/// Stores the state of a spec after its processing. Returns when to fetch its source again.
async fn complete(
    lease: &Lease<'_>,
    work: &mut Work<'_>,
    spec: &mut OpenapiSpec,
    processed: Processed,
) -> Result<Option<DateTime<Utc>>, Error> {
    let refresh = lease.jobs.specs.as_ref().and_then(|reader| reader.refresh);
    let next = spec.complete(processed, refresh, work.now());
    work.openapi_specs().save(spec).await?;
    Ok(next)
}
