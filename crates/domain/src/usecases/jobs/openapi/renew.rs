//! Rebuilding versions of OpenAPI specs whose parts an earlier engine made. A version keeps its id: blocks that name it
//! show the same document, read and upgraded by the current engine. Nothing is fetched.
use super::removal::condemn;
use super::{NewObjects, Read, ReadingTime, changes, finish};
use crate::id::{OpenapiSpecId, OpenapiVersionId};
use crate::job::{Job, Task};
use crate::openapi_spec::{ChangelogEntry, OpenapiVersion, SpecFinding, SpecObjects};
use crate::paging::{Order, PageRequest};
use crate::usecases::Error;
use crate::usecases::content::ahead::Ahead;
use crate::usecases::jobs::SpecReader;
use crate::usecases::jobs::lease::{Lease, Outcome, Stop, spec_objects};
use crate::usecases::openapi_specs::document::ParsedDocument;
use crate::usecases::openapi_specs::stored::{object, previous};
use crate::usecases::openapi_specs::{index_later, index_task};
use openapi::ENGINE;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Rebuilds the next such version, in the order of ids: so older versions of a spec come first, and each is compared
/// with one of the same engine. Continues after the jobs that are due, so that newly set sources do not wait.
pub(in crate::usecases::jobs) async fn next(
    lease: &Lease<'_>,
    engine: u32,
    after: Option<&OpenapiVersionId>,
) -> Result<Outcome, Stop> {
    // The job is from an earlier version of the program.
    if engine != ENGINE {
        return Ok(Outcome::Done);
    }
    let Some(reader) = &lease.jobs.specs else { return Err(Error::Unable("process OpenAPI specs").into()) };
    let Some(version) = lease.read().await?.openapi_specs().next_outdated(engine, after).await? else {
        return Ok(Outcome::Done);
    };
    let after = Some(version.id.clone());
    renew(lease, reader, version).await?;
    Ok(Outcome::Again(Task::RenewOpenapi { engine, after }, lease.now()))
}

/// The result of reading the text of a version again.
enum Renewed {
    /// This document.
    Document(Box<Read>),
    /// No improvement on the stored parts: the document needs other files, or the text cannot be read.
    Nothing,
    /// Reading took too long or panicked. A later attempt may succeed.
    Interrupted,
}

/// Rebuilds all such versions of a spec, oldest first.
pub(super) async fn all_of(lease: &Lease<'_>, reader: &SpecReader, spec: &OpenapiSpecId) -> Result<(), Stop> {
    let mut page = PageRequest { after: None, limit: 50, order: Order::Asc };
    loop {
        let found = lease.read().await?.openapi_specs().versions(spec, &page).await?.items;
        let Some(last) = found.last() else { return Ok(()) };
        page.after = Some(last.id.to_string());
        for version in found.into_iter().filter(OpenapiVersion::is_outdated) {
            renew(lease, reader, version).await?;
        }
    }
}

/// A version after it was read again.
struct Rebuilt<'p> {
    version: OpenapiVersion,
    /// The findings; absent if the stored ones stay.
    findings: Option<Vec<SpecFinding>>,
    /// The entry of the changelog; absent if the stored one stays.
    entry: Option<ChangelogEntry>,
    /// The new objects.
    ahead: Ahead<'p>,
}

/// Rebuilds a version.
async fn renew(lease: &Lease<'_>, reader: &SpecReader, old: OpenapiVersion) -> Result<(), Stop> {
    match rebuild(lease, reader, &old).await? {
        Some(rebuilt) => store(lease, &old, rebuilt).await,
        None => Ok(()),
    }
}

/// Reads a version again, and condemns the objects that the result replaces. `None` if a later attempt is needed.
async fn rebuild<'p>(
    lease: &Lease<'p>,
    reader: &SpecReader,
    old: &OpenapiVersion,
) -> Result<Option<Rebuilt<'p>>, Stop> {
    let version = OpenapiVersion { engine: ENGINE, ..old.clone() };
    let mut rebuilt = Rebuilt { version, findings: None, entry: None, ahead: Ahead::new(&lease.jobs.units) };
    let read = match read(lease, reader, old).await? {
        Renewed::Document(read) => *read,
        Renewed::Nothing => return Ok(Some(rebuilt)),
        Renewed::Interrupted => return Ok(None),
    };
    let Read { findings, objects, parts: new, api_version, bytes, .. } = read;
    let Some(NewObjects { parts, .. }) = objects else { return Ok(None) };
    rebuilt.findings = Some(findings);
    rebuilt.version.parts = parts;
    // The parts of the previous version may have changed too.
    let before = previous(&mut lease.read().await?, old).await?;
    match before {
        Some(before) if before.engine == ENGINE => {
            let changes = changes(lease, reader, &before, new).await?;
            rebuilt.version.changes = changes.as_ref().map(|(counts, _)| *counts);
            rebuilt.entry = changes.map(|(_, listed)| ChangelogEntry::new(&api_version, Some(listed)));
        }
        Some(_) => {}
        None => rebuilt.entry = Some(ChangelogEntry::new(&api_version, None)),
    }
    if parts != old.parts {
        rebuilt.ahead.add(bytes).await?;
        let replaced = SpecObjects { text: None, parts: old.parts };
        let replaced = spec_objects(&mut lease.read().await?, replaced, &BTreeSet::new()).await?;
        condemn(lease, &replaced).await?;
    }
    Ok(Some(rebuilt))
}

/// Stores a rebuilt version, unless it was removed in the meantime.
async fn store(lease: &Lease<'_>, old: &OpenapiVersion, rebuilt: Rebuilt<'_>) -> Result<(), Stop> {
    let Rebuilt { version, findings, entry, mut ahead } = rebuilt;
    let rest = ahead.rest().await?;
    let Some(spec) = lease.read().await?.openapi_specs().get(&old.spec).await? else { return Ok(()) };
    let (organization, index) = (&spec.organization, index_task(&spec));
    // Read after the replaced objects were condemned, so that they are collected later than that.
    let now = lease.now();
    let (collect, due) = Task::collect_content(now);
    let mut work = lease.step_with(&[organization.into(), (&index).into(), (&collect).into()]).await?;
    let Some(mut spec) = work.openapi_specs().get(&old.spec).await? else { return Ok(()) };
    if work.openapi_specs().version(&spec.id, &old.id).await?.as_ref() != Some(old) {
        return Ok(());
    }
    if version.parts != old.parts {
        work.content().put_objects(rest.into_iter().collect()).await?;
        let job = Job::new(work.ids.make(), collect, due, now);
        work.jobs().add(&job).await?;
        index_later(&mut work, &spec, index).await?;
    }
    work.openapi_specs().renew_version(&version).await?;
    if let Some(entry) = &entry {
        work.openapi_specs().set_changelog(&version.id, entry).await?;
    }
    if spec.last_version.as_ref() == Some(&version.id)
        && spec.error.is_none()
        && let Some(findings) = findings
    {
        spec.set_findings(findings);
        work.openapi_specs().save(&spec).await?;
    }
    ahead.check()?;
    Ok(work.commit_and_release(ahead.into_stored()).await?)
}

/// Reads the text of a version.
async fn read(lease: &Lease<'_>, reader: &SpecReader, version: &OpenapiVersion) -> Result<Renewed, Stop> {
    let text = match object(&mut lease.read().await?, version.text).await {
        Err(Error::Corrupt(_)) => return Ok(Renewed::Nothing),
        text => text?,
    };
    let address = version.source.as_ref().map(ToString::to_string);
    let mut time = ReadingTime::new(Arc::clone(&lease.jobs.units.clock));
    let read = move || {
        let opened = time.spend(|deadline| ParsedDocument::new(&text, address, deadline));
        if !opened.is_whole() {
            return Renewed::Nothing;
        }
        let read = finish(time.spend(|deadline| opened.finish(deadline)), text, None);
        match (&read.objects, read.is_interrupted) {
            (Some(_), _) => Renewed::Document(Box::new(read)),
            (None, true) => Renewed::Interrupted,
            (None, false) => Renewed::Nothing,
        }
    };
    Ok(reader.long_work.compute(read).await.unwrap_or(Renewed::Interrupted))
}
