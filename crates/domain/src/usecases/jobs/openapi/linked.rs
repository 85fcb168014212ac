//! Hidden specs: specs of addresses in pages. Only pages show them. They are removed when no page refers to the address
//! anymore.
use crate::id::{OrganizationId, SpaceId};
use crate::openapi_spec::{MAX_LINKED, OpenapiSpec, SpecSlug, SpecSource};
use crate::usecases::Error;
use crate::usecases::jobs::lease::{Lease, Outcome, Stop};
use crate::usecases::openapi_specs::{delete, insert, processing};
use crate::usecases::work::Work;
use crate::web_address::WebAddress;

/// Adds specs for linked addresses, up to the limit of the organization. Beyond it, the blocks remain links. A spec
/// whose document was never fetched successfully is processed again.
pub(in crate::usecases::jobs) async fn add(
    lease: &Lease<'_>,
    space: &SpaceId,
    addresses: &[WebAddress],
) -> Result<Outcome, Stop> {
    let Some(reach) = lease.read().await?.spaces().find(space, None).await? else { return Ok(Outcome::Done) };
    let organization = reach.entity.organization;
    for address in addresses {
        let slug = SpecSlug::of_address(address);
        match lease.read().await?.openapi_specs().find(&organization, &slug).await? {
            Some(spec) => try_again(lease, &spec).await?,
            None if !add_one(lease, &organization, slug, address).await? => break,
            None => {}
        }
    }
    Ok(Outcome::Done)
}

/// Adds a spec. Returns whether the organization has room for it.
async fn add_one(
    lease: &Lease<'_>,
    organization: &OrganizationId,
    slug: SpecSlug,
    address: &WebAddress,
) -> Result<bool, Stop> {
    let mut work = lease.step_with(&[organization.into()]).await?;
    if !has_room(&mut work, organization).await? {
        return Ok(false);
    }
    if work.openapi_specs().find(organization, &slug).await?.is_none() {
        insert(&mut work, organization, slug, SpecSource::Url(address.clone())).await?;
    }
    work.commit().await?;
    Ok(true)
}

/// Processes a spec again, if it has no version because its processing failed.
async fn try_again(lease: &Lease<'_>, spec: &OpenapiSpec) -> Result<(), Stop> {
    if spec.last_version.is_some() || spec.error.is_none() {
        return Ok(());
    }
    let task = processing(spec);
    let mut work = lease.step_with(&[(&task).into()]).await?;
    work.add_job(task).await?;
    Ok(work.commit().await?)
}

/// Whether the organization may have one more hidden spec. At the limit, removes hidden specs that no page shows any
/// more.
async fn has_room(work: &mut Work<'_>, organization: &OrganizationId) -> Result<bool, Error> {
    let linked = work.openapi_specs().linked(organization).await?;
    let mut count = linked.len();
    if count < MAX_LINKED {
        return Ok(true);
    }
    for spec in linked {
        if !is_shown(work, &spec).await? {
            delete(work, &spec).await?;
            count -= 1;
        }
    }
    Ok(count < MAX_LINKED)
}

/// Whether a page shows the spec, also one of a deleted space that can be restored.
pub(super) async fn is_shown(work: &mut Work<'_>, spec: &OpenapiSpec) -> Result<bool, Error> {
    Ok(!work.openapi_specs().pages_showing(&spec.organization, &spec.slug).await?.is_empty())
}
