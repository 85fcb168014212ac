//! A structure as the API shows it.
use super::Sites;
use crate::access::Granted;
use crate::actor::Actor;
use crate::id::{OrganizationId, SiteId, SiteSpaceId, SpaceId};
use crate::site::structure::{ItemId, Structure};
use crate::site::{Site, SitePermissions};
use crate::space::Space;
use crate::text::Invalid;
use crate::usecases::work::Work;
use crate::usecases::{Error, open};
use std::collections::HashMap;
use std::sync::Arc;

/// The structure of a site, with its spaces, as far as the caller may see them.
#[derive(Clone, Debug)]
pub struct ShownStructure {
    /// The site.
    pub site: Granted<Site>,
    /// The structure. Spaces that are deleted, or that the caller may not see, are left out.
    pub structure: Structure,
    /// The spaces of the structure.
    pub spaces: HashMap<SpaceId, Granted<Space>>,
}

/// One part of a structure.
#[derive(Clone, Debug)]
pub struct Part {
    /// The structure.
    pub of: Arc<ShownStructure>,
    /// The part.
    pub id: ItemId,
}

impl Sites {
    /// The structure of a site for a caller who needs a permission on it.
    pub(super) async fn shown_structure(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        id: &SiteId,
        need: impl FnOnce(&SitePermissions) -> bool,
    ) -> Result<Arc<ShownStructure>, Error> {
        let mut work = self.units.read(actor).await?;
        let site = work.site(organization, id, need).await?;
        let structure = work.sites().structure(id).await?;
        Ok(Arc::new(ShownStructure::of(&mut work, site, structure).await?))
    }
}

impl ShownStructure {
    /// Loads the spaces of a structure, in a constant number of queries. Of the structure, a visitor of the site sees what
    /// the visit shows.
    pub(in crate::usecases) async fn of(
        work: &mut Work<'_>,
        site: Granted<Site>,
        structure: Structure,
    ) -> Result<Self, Error> {
        let actor = work.actor;
        let organization_access = work.organization_access(&site.organization).await?;
        let spaces = work.spaces().find_many(&structure.space_ids()).await?;
        let spaces: HashMap<SpaceId, Granted<Space>> = spaces
            .into_iter()
            .filter(|space| space.organization == site.organization)
            .filter_map(|space| open::grant_listed_space(actor, &organization_access, space).ok())
            .map(|space| (space.id.clone(), space))
            .collect();
        let structure = match actor.visitor() {
            Some(visitor) => visitor.visit.sees(structure, |space| spaces.contains_key(space)),
            None => structure,
        };
        Ok(Self::with(site, structure, spaces))
    }

    /// The part of a structure that has these spaces.
    pub(super) fn with(site: Granted<Site>, structure: Structure, spaces: HashMap<SpaceId, Granted<Space>>) -> Self {
        let structure = structure.with_spaces(|one| spaces.contains_key(&one.space));
        Self { site, structure, spaces }
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
