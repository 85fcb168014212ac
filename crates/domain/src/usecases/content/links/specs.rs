//! References to OpenAPI specs: whether the versions have the parts that blocks show.
use super::{About, Places, Referred};
use crate::access::Granted;
use crate::content::document::SpecificationUse;
use crate::openapi_spec::Presence;
use crate::organization::Organization;
use crate::usecases::Error;
use crate::usecases::openapi_specs::shown::ShownSpecs;
use crate::usecases::work::Work;
use std::collections::BTreeMap;

/// References with their places. A reference to a part of an OpenAPI spec that the version does not have is lost.
pub(super) async fn with_specs(
    work: &mut Work<'_>,
    organization: &Granted<Organization>,
    mut found: Vec<Referred>,
) -> Result<BTreeMap<About, Places>, Error> {
    // A caller who may not see specs gets no target, so each link is broken. The reason would reveal which specs exist.
    if !organization.permissions().read {
        found.iter_mut().for_each(|found| found.shows = None);
    }
    let uses: Vec<SpecificationUse> = found.iter().filter_map(|found| found.shows.clone()).collect();
    let specs = ShownSpecs::load(work, &organization.id, &uses).await?;
    let mut all: BTreeMap<About, Places> = BTreeMap::new();
    for Referred { mut about, place, shows } in found {
        let presence = shows.map(|shows| specs.presence(&shows)).filter(Presence::is_broken);
        about.lost |= presence.is_some();
        let places = all.entry(about).or_default();
        places.locations.push(place);
        if let Some(presence) = presence {
            match &mut places.reason {
                Some(reason) => reason.add(presence),
                reason @ None => *reason = Some(presence),
            }
        }
    }
    Ok(all)
}
