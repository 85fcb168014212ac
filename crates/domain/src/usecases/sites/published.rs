//! A published site as visitors see it.
use super::{ShownSite, ShownStructure, Sites};
use crate::access::Granted;
use crate::actor::Actor;
use crate::id::{OrganizationId, SiteId, SiteSpaceId};
use crate::site::Site;
use crate::site::adaptive_schema::VisitorClaims;
use crate::site::audience::{SiteVisit, VisitorCredentials};
use crate::site::customization::EffectiveCustomization;
use crate::site::share_link::{ShareKey, ShareLink};
use crate::usecases::work::Work;
use crate::usecases::{Error, Input};
use std::collections::BTreeMap;

/// A published site as a visitor sees it.
#[derive(Clone, Debug)]
pub struct PublishedSite {
    /// The site.
    pub site: ShownSite,
    /// The live part of its structure whose conditions are true.
    pub structure: ShownStructure,
    /// The customization of the site.
    pub customization: EffectiveCustomization,
    /// The customizations of the spaces on it.
    pub site_spaces: BTreeMap<SiteSpaceId, EffectiveCustomization>,
}

impl Sites {
    /// A published site as a visitor without claims sees it, in a constant number of queries. For members who can see
    /// the site, spaces that they may not read are left out. A caller with a content token gets the site as its visit
    /// shows it, including a preview. Other callers get the site if its visibility lets them visit it: all callers, or
    /// callers with the key of a share link.
    ///
    /// # Errors
    /// [`Error::NotFound`], also while the site is not published; [`Error::Invalid`].
    pub async fn published(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        id: &SiteId,
        key: Input<Option<ShareKey>>,
    ) -> Result<PublishedSite, Error> {
        let mut work = self.units.read(actor).await?;
        let member = match work.site(organization, id, |may| may.read).await {
            Ok(site) => Some(site),
            Err(Error::NotFound(_)) => None,
            Err(error) => return Err(error),
        };
        let key = key.read()?;
        let (link, unlocked) = work.share_link(key.as_ref()).await?.unzip();
        let unlocked = unlocked.flatten();
        let (site, visit) = match member {
            Some(site) => (site, None),
            // A content token opens its own site only.
            None if actor.visitor().is_some() => return Err(Error::NotFound("site")),
            None => {
                let (site, visit) = self.visited(&mut work, organization, id, link.as_ref()).await?;
                (site, Some(visit))
            }
        };
        if !site.is_published() && actor.visitor().is_none() {
            return Err(Error::NotFound("published site"));
        }
        let whole = work.sites().structure(id).await?;
        let mut structure = match &visit {
            None => ShownStructure::of(&mut work, site.clone(), whole, unlocked.as_ref()).await?,
            Some(visit) => ShownStructure::visited(&mut work, site.clone(), whole, unlocked.as_ref(), visit).await?,
        };
        let visits = visit.is_some() || actor.visitor().is_some();
        if !visits {
            structure.structure = structure.structure.live(|_| true).for_visitor(&VisitorClaims::default());
        }
        let visit = visit.as_ref().or(actor.visitor().map(|visitor| &visitor.visit));
        let claims = visit.map(SiteVisit::claims).cloned().unwrap_or_default();
        let customizations = work.site_customizations().load(id, None).await?;
        let spaces = structure.structure.spaces();
        let site_spaces =
            spaces.into_iter().map(|(_, one)| (one.id.clone(), customizations.of_space(&one.id).for_visitor(&claims)));
        let site_spaces = site_spaces.collect();
        let address = structure.published.as_ref().map(|published| published.site().clone());
        let mut site = ShownSite::at(&mut work, site, address).await?;
        if visits {
            site.spaces = structure.structure.spaces().len();
        }
        Ok(PublishedSite { site, structure, customization: customizations.of_site().for_visitor(&claims), site_spaces })
    }

    /// The site as a visitor sees it, for a caller who is not a member. A missing site and a site that the caller may
    /// not visit take the same queries.
    async fn visited(
        &self,
        work: &mut Work<'_>,
        organization: &OrganizationId,
        id: &SiteId,
        link: Option<&ShareLink>,
    ) -> Result<(Granted<Site>, SiteVisit), Error> {
        let absent = || Error::NotFound("site");
        let found = work.sites().find(id, None).await?.map(|found| found.entity);
        let site = found.filter(|site| site.organization == *organization);
        let audience = self.audience_if(work, id, site.as_ref()).await?.map(|(audience, _)| audience);
        let credentials = VisitorCredentials { share_link: link, ..VisitorCredentials::default() };
        let visit = SiteVisit::admit(audience.as_ref(), credentials, work.now()).map_err(|_refused| absent())?;
        let site = site.ok_or_else(absent)?;
        Ok((Granted::to_visitor(site.without_internals(), work.actor.user().cloned(), &visit), visit))
    }
}
