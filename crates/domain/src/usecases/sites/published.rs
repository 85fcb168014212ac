//! What visitors see of a site.
use super::{ShownSite, ShownStructure, Sites};
use crate::actor::Actor;
use crate::id::{OrganizationId, SiteId, SiteSpaceId};
use crate::site::adaptive_schema::VisitorClaims;
use crate::site::customization::EffectiveCustomization;
use crate::usecases::Error;
use std::collections::BTreeMap;

/// A published site as a visitor sees it.
#[derive(Clone, Debug)]
pub struct PublishedSite {
    /// The site.
    pub site: ShownSite,
    /// What of its structure is live and meets its conditions.
    pub structure: ShownStructure,
    /// The customization of the site.
    pub customization: EffectiveCustomization,
    /// The customizations of the spaces on it.
    pub site_spaces: BTreeMap<SiteSpaceId, EffectiveCustomization>,
}

impl Sites {
    /// What a visitor without claims sees of a published site, in a constant number of queries. Spaces that the caller
    /// may not read are left out. A caller with a content token gets what the visit shows, also of a preview.
    ///
    /// # Errors
    /// [`Error::NotFound`], also while the site is not published.
    pub async fn published(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        id: &SiteId,
    ) -> Result<PublishedSite, Error> {
        let mut work = self.units.read(actor).await?;
        let site = work.site(organization, id, |may| may.read).await?;
        if !site.is_published() && actor.visitor().is_none() {
            return Err(Error::NotFound("published site"));
        }
        let structure = work.sites().structure(id).await?;
        let mut structure = ShownStructure::of(&mut work, site.clone(), structure).await?;
        if actor.visitor().is_none() {
            structure.structure = structure.structure.live(|_| true).for_visitor(&VisitorClaims::default());
        }
        let customizations = work.site_customizations().load(id, None).await?;
        let spaces = structure.structure.spaces();
        let site_spaces =
            spaces.into_iter().map(|(_, space)| (space.id.clone(), customizations.of_space(&space.id))).collect();
        let site = ShownSite::of(&mut work, site).await?;
        Ok(PublishedSite { site, structure, customization: customizations.of_site(), site_spaces })
    }
}
