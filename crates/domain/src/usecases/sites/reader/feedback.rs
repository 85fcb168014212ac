//! Pages that visitors may rate.
use super::Visiting;
use crate::content::import::path::encode;
use crate::content::page::PageKind;
use crate::id::{OrganizationId, PageId, SiteId, SiteSpaceId, SpaceId};
use crate::usecases::Error;

/// A page that a visitor may rate. Only a visit creates one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RatablePage {
    pub(in crate::usecases::sites) site: SiteId,
    pub(in crate::usecases::sites) organization: OrganizationId,
    pub(in crate::usecases::sites) site_space: SiteSpaceId,
    pub(in crate::usecases::sites) space: SpaceId,
    pub(in crate::usecases::sites) page: PageId,
    url: String,
}

impl RatablePage {
    /// Its absolute address for the visitor.
    pub fn url(&self) -> &str {
        &self.url
    }

    #[cfg(test)]
    pub(in crate::usecases::sites) fn of(
        site: &SiteId,
        organization: &OrganizationId,
        (site_space, space): (&str, &str),
        page: &str,
    ) -> Self {
        Self {
            site: site.clone(),
            organization: organization.clone(),
            site_space: site_space.parse().unwrap(),
            space: space.parse().unwrap(),
            page: page.parse().unwrap(),
            url: String::new(),
        }
    }
}

impl Visiting<'_> {
    /// A page of a space on the site, if the visitor sees it and its customization lets visitors rate it. Ends the
    /// visit, so that no unit of work is open when the rating is stored. Pages of a preview cannot be rated.
    ///
    /// # Errors
    /// Only failures of the storage.
    pub async fn into_ratable(mut self, variant: &SiteSpaceId, page: &PageId) -> Result<Option<RatablePage>, Error> {
        let spot = self.addressed.view().spot(variant);
        let Some(spot) = spot.filter(|_| !self.visit.is_preview()) else { return Ok(None) };
        let Some(pages) = self.pages(spot).await? else { return Ok(None) };
        if !self.customization(&pages).await?.feedback.enabled {
            return Ok(None);
        }
        let found = pages.find(page).map(|(node, _above)| node);
        let Some(node) = found.filter(|node| matches!(node.page.kind, PageKind::Document { .. })) else {
            return Ok(None);
        };
        let path = self.addressed.view().address(spot, pages.path(node));
        Ok(Some(RatablePage {
            url: format!("{}{}", self.address(), encode(&path)),
            site: self.site.id.clone(),
            organization: self.site.organization.clone(),
            site_space: variant.clone(),
            space: pages.space.clone(),
            page: node.id.clone(),
        }))
    }
}
