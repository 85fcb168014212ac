//! Making versions of OpenAPI specs again whose parts an earlier engine made. A version keeps its id: blocks that name it
//! show the same document, read and upgraded as it is today.
use super::{NewObjects, Read, ReadingTime, changes, condemn, finish};
use crate::id::OpenapiSpecId;
use crate::job::{Job, Task};
use crate::openapi_spec::{OpenapiSpec, OpenapiVersion, SpecObjects};
use crate::paging::{Order, PageRequest};
use crate::usecases::content::ahead::Ahead;
use crate::usecases::jobs::SpecReader;
use crate::usecases::jobs::lease::{Lease, Outcome, Stop, spec_objects};
use crate::usecases::openapi_specs::document::Opened;
use crate::usecases::openapi_specs::stored::object;
use crate::usecases::openapi_specs::{index_later, index_task};
use openapi::ENGINE;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Adds the job of the next spec that has such versions, and continues after the jobs that are due.
pub(in crate::usecases::jobs) async fn specs(
    lease: &Lease<'_>,
    engine: u32,
    after: Option<&OpenapiSpecId>,
) -> Result<Outcome, Stop> {
    // Left behind by a version of the program that another one has replaced.
    if engine != ENGINE {
        return Ok(Outcome::Done);
    }
    let Some(spec) = lease.read().await?.openapi_specs().with_outdated(engine, after).await? else {
        return Ok(Outcome::Done);
    };
    let task = Task::ProcessOpenapi { spec: spec.clone() };
    let mut work = lease.step_with(&[(&task).into()]).await?;
    let now = work.now();
    let job = Job::new(work.ids.make(), task, now, now);
    work.jobs().add(&job).await?;
    work.commit().await?;
    Ok(Outcome::Again(Task::RenewOpenapi { engine, after: Some(spec) }, lease.now()))
}

/// Makes the versions of a spec again, the oldest first, so that each is compared with one of the same engine.
pub(super) async fn versions(lease: &Lease<'_>, reader: &SpecReader, id: &OpenapiSpecId) -> Result<(), Stop> {
    let mut work = lease.read().await?;
    let Some(spec) = work.openapi_specs().get(id).await? else { return Ok(()) };
    let outdated = work.openapi_specs().outdated(id, ENGINE).await?;
    drop(work);
    for version in outdated {
        renew(lease, reader, &spec, version).await?;
    }
    Ok(())
}

/// Makes a version again. It stays as it is if it cannot be made of its text alone: if its document refers to other files,
/// which are not kept, or if this engine cannot read it.
async fn renew(lease: &Lease<'_>, reader: &SpecReader, spec: &OpenapiSpec, old: OpenapiVersion) -> Result<(), Stop> {
    let (read, now) = (read(lease, reader, &old).await?, lease.now());
    let mut version = OpenapiVersion { engine: ENGINE, ..old.clone() };
    let (mut findings, mut ahead) = (None, Ahead::new(&lease.jobs.units));
    if let Some(Read { findings: found, objects: Some(NewObjects { parts, .. }), parts: new, bytes, .. }) = read {
        findings = Some(found);
        if parts != old.parts {
            version.parts = parts;
            if let Some(before) = before(lease, &old).await?.filter(|before| before.engine == ENGINE) {
                version.changes = changes(lease, reader, &before, new).await?;
            }
            ahead.add(bytes).await?;
            let parts = SpecObjects { text: None, parts: old.parts };
            let replaced = spec_objects(&mut lease.read().await?, parts, &BTreeSet::new()).await?;
            condemn(lease, &replaced).await?;
        }
    }
    let rest = ahead.rest().await?;
    let (organization, index, (collect, due)) = (&spec.organization, index_task(spec), Task::collect_content(now));
    let mut work = lease.step_with(&[organization.into(), (&index).into(), (&collect).into()]).await?;
    let Some(mut spec) = work.openapi_specs().get(&spec.id).await? else { return Ok(()) };
    if version.parts != old.parts {
        work.content().put_objects(rest.into_iter().collect()).await?;
        let job = Job::new(work.ids.make(), collect, due, now);
        work.jobs().add(&job).await?;
        index_later(&mut work, &spec, index).await?;
    }
    work.openapi_specs().renew_version(&version).await?;
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

/// The document of a version, read from its text; `None` if it refers to other files, or if reading it panicked.
async fn read(lease: &Lease<'_>, reader: &SpecReader, version: &OpenapiVersion) -> Result<Option<Read>, Stop> {
    let text = object(&mut lease.read().await?, version.text).await?;
    let address = version.source.as_ref().map(ToString::to_string);
    let mut time = ReadingTime::new(Arc::clone(&lease.jobs.units.clock));
    let read = move || {
        let opened = time.spend(|deadline| Opened::new(&text, address, deadline));
        let whole = opened.wanted().is_empty();
        whole.then(|| finish(time.spend(|deadline| opened.finish(deadline)), text, None))
    };
    Ok(reader.long_work.compute(read).await.flatten())
}

/// The version before a version.
async fn before(lease: &Lease<'_>, version: &OpenapiVersion) -> Result<Option<OpenapiVersion>, Stop> {
    let last = PageRequest { after: Some(version.id.to_string()), limit: 1, order: Order::Desc };
    let mut work = lease.read().await?;
    Ok(work.openapi_specs().versions(&version.spec, &last).await?.items.pop())
}
