//! References to OpenAPI specs: whether the versions have the parts that blocks show.
use super::Found;
use super::collected::OpenLink;
use crate::access::Granted;
use crate::content::document::SpecificationUse;
use crate::openapi_spec::Presence;
use crate::organization::Organization;
use crate::usecases::Error;
use crate::usecases::openapi_specs::shown::ShownSpecs;
use crate::usecases::work::Work;

/// Places of a link that are listed as one link.
#[derive(Default)]
pub(super) struct Places {
    pub(super) locations: Vec<Found>,
    /// Why they are broken, if the version does not have what they show of an OpenAPI spec.
    pub(super) reason: Option<Presence>,
}

/// For each link, its places: first those that show nothing of an OpenAPI spec or what the version has, then those that
/// show parts that it does not have. Each only if there are any.
pub(super) async fn split(
    work: &mut Work<'_>,
    organization: &Granted<Organization>,
    links: &[&OpenLink],
) -> Result<Vec<Vec<Places>>, Error> {
    // A caller who may not see specs gets no target, so each link is broken. The reason would reveal which specs exist.
    let sees_specs = organization.permissions().read;
    let places = links.iter().flat_map(|link| &link.places).filter(|_| sees_specs);
    let uses: Vec<SpecificationUse> = places.filter_map(|(_, shows)| shows.as_deref().cloned()).collect();
    let specs = ShownSpecs::load(work, &organization.id, &uses).await?;
    let split = |link: &&OpenLink| -> Vec<Places> {
        let (mut whole, mut lost) = (Places::default(), Places::default());
        for (place, shows) in &link.places {
            let shows = shows.as_deref().filter(|_| sees_specs);
            let Some(presence) = shows.map(|shows| specs.presence(shows)).filter(Presence::is_broken) else {
                whole.locations.push(place.clone());
                continue;
            };
            lost.locations.push(place.clone());
            match &mut lost.reason {
                Some(reason) => reason.add(presence),
                reason @ None => *reason = Some(presence),
            }
        }
        [whole, lost].into_iter().filter(|places| !places.locations.is_empty()).collect()
    };
    Ok(links.iter().map(split).collect())
}
