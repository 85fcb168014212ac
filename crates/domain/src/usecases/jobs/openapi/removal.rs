//! Removes old versions of OpenAPI specs, and their texts.
use crate::content::object::Hash;
use crate::id::{OpenapiSpecId, OpenapiVersionId};
use crate::job::{Job, Task};
use crate::openapi_spec::{OpenapiSpec, OpenapiVersion};
use crate::paging::{Order, PageRequest};
use crate::ports::store::garbage::Kind;
use crate::usecases::jobs::lease::{Lease, Outcome, Stop, spec_objects};
use std::collections::BTreeSet;

/// The number of versions that one step removes.
const REMOVED: usize = 20;
/// The number of items that one step condemns.
const CONDEMNED: usize = 2000;

/// The versions of a spec that blocks name. They may not exist.
pub(super) async fn pinned(lease: &Lease<'_>, spec: &OpenapiSpec) -> Result<BTreeSet<String>, Stop> {
    let mut work = lease.read().await?;
    Ok(work.openapi_specs().pinned(&spec.organization, &spec.slug).await?.into_iter().collect())
}

/// Removes the texts of versions, except those of the newest versions and of versions that blocks name.
pub(super) async fn remove_texts(
    lease: &Lease<'_>,
    spec: &OpenapiSpec,
    keep: usize,
    pinned: &BTreeSet<String>,
) -> Result<(), Stop> {
    let mut work = lease.read().await?;
    let old = work.openapi_specs().with_texts(&spec.id).await?.into_iter().skip(keep).collect::<Vec<_>>();
    if old.is_empty() {
        return Ok(());
    }
    drop(work);
    let (ids, texts): (Vec<OpenapiVersionId>, Vec<Hash>) =
        old.into_iter().filter(|(id, _)| !pinned.contains(id.as_str())).unzip();
    if ids.is_empty() {
        return Ok(());
    }
    // Versions can have the same text.
    let texts: Vec<Hash> = texts.into_iter().collect::<BTreeSet<_>>().into_iter().collect();
    let now = lease.now();
    let (task, due) = Task::collect_content(now);
    let mut work = lease.step_with(&[(&task).into()]).await?;
    work.openapi_specs().set_texts_removed(&ids, now).await?;
    work.garbage().condemn(Kind::Object, &texts, now).await?;
    let job = Job::new(work.ids.make(), task, due, now);
    work.jobs().add(&job).await?;
    Ok(work.commit().await?)
}

/// Condemns objects in parts: they are removed unless something else refers to them.
pub(super) async fn condemn(lease: &Lease<'_>, objects: &[Hash]) -> Result<(), Stop> {
    for some in objects.chunks(CONDEMNED) {
        let mut work = lease.step().await?;
        work.garbage().condemn(Kind::Object, some, lease.now()).await?;
        work.commit().await?;
    }
    Ok(())
}

/// Removes old versions of a spec and condemns their content. Keeps the newest `keep` versions and the pinned ones.
pub(in crate::usecases::jobs) async fn remove_versions(
    lease: &Lease<'_>,
    spec: &OpenapiSpecId,
    keep: usize,
    pinned: &BTreeSet<String>,
) -> Result<Outcome, Stop> {
    let mut oldest = PageRequest { after: None, limit: REMOVED, order: Order::Asc };
    // The number of pinned versions among the ones already read.
    let mut passed = 0;
    loop {
        let mut work = lease.read().await?;
        let found = work.openapi_specs().versions(spec, &oldest).await?;
        let old = found.total.saturating_sub(keep + passed);
        let (kept, versions): (Vec<_>, Vec<OpenapiVersion>) =
            found.items.into_iter().take(old).partition(|version| pinned.contains(version.id.as_str()));
        passed += kept.len();
        if let Some(last) = kept.last() {
            oldest.after = Some(last.id.to_string());
        }
        if versions.is_empty() {
            if kept.is_empty() {
                return Ok(Outcome::Done);
            }
            continue;
        }
        let mut objects = BTreeSet::new();
        for version in &versions {
            objects.extend(spec_objects(&mut work, version.objects(), &objects).await?);
        }
        drop(work);
        condemn(lease, &objects.into_iter().collect::<Vec<_>>()).await?;
        let ids: Vec<OpenapiVersionId> = versions.into_iter().map(|version| version.id).collect();
        // In the same unit of work, so that no condemned content is left over if the server stops.
        let now = lease.now();
        let (task, due) = Task::collect_content(now);
        let mut work = lease.step_with(&[(&task).into()]).await?;
        work.openapi_specs().remove_versions(&ids).await?;
        let job = Job::new(work.ids.make(), task, due, now);
        work.jobs().add(&job).await?;
        work.commit().await?;
    }
}
