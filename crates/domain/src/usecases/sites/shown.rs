//! A structure in the form of the API.
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
    /// The addresses of the parts, if the caller can open them.
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

/// The part of a site's structure that a caller sees.
#[derive(Clone, Debug)]
pub(in crate::usecases) struct SeenStructure {
    /// The structure. Spaces that are deleted, or that the caller may not see, are left out.
    pub(in crate::usecases) structure: Structure,
    /// The spaces of the structure.
    pub(in crate::usecases) spaces: HashMap<SpaceId, Granted<Space>>,
    /// All spaces on the site that are not deleted.
    there: HashSet<SpaceId>,
}

impl SeenStructure {
    /// Loads the spaces of a structure that the caller may read, in a constant number of queries. A visitor with a
    /// content token sees the spaces of the visit.
    pub(in crate::usecases) async fn of(
        work: &mut Work<'_>,
        site: &Granted<Site>,
        structure: Structure,
    ) -> Result<Self, Error> {
        let actor = work.actor;
        let organization_access = work.organization_access(&site.organization).await?;
        let read = |space| open::grant_listed_space(actor, &organization_access, space).ok();
        let visit = actor.visitor().map(|visitor| &visitor.visit);
        Self::load(work, site, structure, visit, read).await
    }

    /// What a visit shows, for a caller who is no member.
    async fn visited(
        work: &mut Work<'_>,
        site: &Granted<Site>,
        structure: Structure,
        visit: &SiteVisit,
    ) -> Result<Self, Error> {
        let user = work.actor.user().cloned();
        let see = |space: Space| Some(Granted::to_visitor(space.without_internals(), user.clone(), visit));
        Self::load(work, site, structure, Some(visit), see).await
    }

    async fn load(
        work: &mut Work<'_>,
        site: &Granted<Site>,
        structure: Structure,
        visit: Option<&SiteVisit>,
        show: impl Fn(Space) -> Option<Granted<Space>>,
    ) -> Result<Self, Error> {
        let mut spaces = work.spaces().find_many(&structure.space_ids()).await?;
        spaces.retain(|space| space.organization == site.organization);
        let there: HashSet<SpaceId> = spaces.iter().map(|space| space.id.clone()).collect();
        let spaces: HashMap<SpaceId, Granted<Space>> =
            spaces.into_iter().filter_map(show).map(|space| (space.id.clone(), space)).collect();
        let structure = match visit {
            Some(visit) => visit.sees(structure, |space| spaces.contains_key(space)),
            None => structure.with_spaces(|one| spaces.contains_key(&one.space)),
        };
        Ok(Self { structure, spaces, there })
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

impl ShownStructure {
    /// The part of a structure that the caller sees, with its addresses, in a constant number of queries.
    pub(in crate::usecases) async fn of(
        work: &mut Work<'_>,
        site: Granted<Site>,
        structure: Structure,
        unlocked: Option<&Unlocked>,
    ) -> Result<Self, Error> {
        let seen = SeenStructure::of(work, &site, structure.clone()).await?;
        Self::with_addresses(work, site, structure, unlocked, None, seen).await
    }

    /// What a visit shows, for a caller who is no member.
    pub(in crate::usecases) async fn visited(
        work: &mut Work<'_>,
        site: Granted<Site>,
        structure: Structure,
        unlocked: Option<&Unlocked>,
        visit: &SiteVisit,
    ) -> Result<Self, Error> {
        let seen = SeenStructure::visited(work, &site, structure.clone(), visit).await?;
        Self::with_addresses(work, site, structure, unlocked, Some(visit), seen).await
    }

    async fn with_addresses(
        work: &mut Work<'_>,
        site: Granted<Site>,
        whole: Structure,
        unlocked: Option<&Unlocked>,
        visit: Option<&SiteVisit>,
        seen: SeenStructure,
    ) -> Result<Self, Error> {
        let SeenStructure { structure, spaces, there } = seen;
        let publications = work.publications(&whole.space_ids(), unlocked, visit).await?;
        let spaces = spaces.into_iter().map(|(id, space)| (id, publications.show(space))).collect();
        let address = work.site_address(&site, unlocked).await?;
        // Addresses are the same for all, whatever the caller may read.
        let published = address.map(|address| Publication::new(address, whole.live(|one| there.contains(&one.space))));
        Ok(Self { site, structure, spaces, published })
    }
}
