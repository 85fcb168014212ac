//! A structure as the API shows it.
use crate::access::Granted;
use crate::id::{SiteSpaceId, SpaceId};
use crate::site::Site;
use crate::site::audience::SiteVisit;
use crate::site::publication::{Publication, Unlocked};
use crate::site::structure::{ItemId, Structure};
use crate::space::Space;
use crate::text::Invalid;
use crate::usecases::spaces::ShownSpace;
use crate::usecases::work::Work;
use crate::usecases::{Error, open};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// The structure of a site, with its spaces, as far as the caller may see them.
#[derive(Clone, Debug)]
pub struct ShownStructure {
    /// The site.
    pub site: Granted<Site>,
    /// The structure. Spaces that are deleted, or that the caller may not see, are left out.
    pub structure: Structure,
    /// The spaces of the structure.
    pub spaces: HashMap<SpaceId, ShownSpace>,
    /// Where the parts are published, if the caller can follow the addresses.
    pub published: Option<Publication>,
}

/// One part of a structure.
#[derive(Clone, Debug)]
pub struct Part {
    /// The structure.
    pub of: Arc<ShownStructure>,
    /// The part.
    pub id: ItemId,
}

impl ShownStructure {
    /// Loads the spaces of a structure that the caller may read, in a constant number of queries. Of the structure, a
    /// visitor with a content token sees what the visit shows.
    pub(in crate::usecases) async fn of(
        work: &mut Work<'_>,
        site: Granted<Site>,
        structure: Structure,
        unlocked: Option<&Unlocked>,
    ) -> Result<Self, Error> {
        let actor = work.actor;
        let organization_access = work.organization_access(&site.organization).await?;
        let read = |space| open::grant_listed_space(actor, &organization_access, space).ok();
        let visit = actor.visitor().map(|visitor| &visitor.visit);
        Self::load(work, site, structure, unlocked, visit, read).await
    }

    /// What a visit shows, for a caller who is no member.
    pub(in crate::usecases) async fn visited(
        work: &mut Work<'_>,
        site: Granted<Site>,
        structure: Structure,
        unlocked: Option<&Unlocked>,
        visit: &SiteVisit,
    ) -> Result<Self, Error> {
        let user = work.actor.user().cloned();
        let see = |space: Space| Some(Granted::to_visitor(space.without_internals(), user.clone(), visit));
        Self::load(work, site, structure, unlocked, Some(visit), see).await
    }

    async fn load(
        work: &mut Work<'_>,
        site: Granted<Site>,
        structure: Structure,
        unlocked: Option<&Unlocked>,
        visit: Option<&SiteVisit>,
        show: impl Fn(Space) -> Option<Granted<Space>>,
    ) -> Result<Self, Error> {
        let ids = structure.space_ids();
        let mut spaces = work.spaces().find_many(&ids).await?;
        spaces.retain(|space| space.organization == site.organization);
        let there: HashSet<SpaceId> = spaces.iter().map(|space| space.id.clone()).collect();
        let publications = work.publications(&ids, unlocked, visit).await?;
        let spaces: HashMap<SpaceId, ShownSpace> =
            spaces.into_iter().filter_map(show).map(|space| (space.id.clone(), publications.show(space))).collect();
        let address = work.site_address(&site, unlocked).await?;
        // Addresses are the same for all, whatever the caller may read.
        let published =
            address.map(|address| Publication::new(address, structure.clone().live(|one| there.contains(&one.space))));
        let structure = match visit {
            Some(visit) => visit.sees(structure, |space| spaces.contains_key(space)),
            None => structure.with_spaces(|one| spaces.contains_key(&one.space)),
        };
        Ok(Self { site, structure, spaces, published })
    }

    /// Checks that the caller sees a space on the site that a request names.
    ///
    /// # Errors
    /// [`Invalid`] for `field`.
    pub(super) fn check_space(&self, id: &SiteSpaceId, field: &str) -> Result<(), Invalid> {
        let seen = self.structure.space(id).is_some();
        seen.then_some(()).ok_or_else(|| Invalid::new(field, "there is no such space there"))
    }
}
