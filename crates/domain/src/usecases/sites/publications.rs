//! The addresses at which sites and spaces are published, for a caller.
use crate::access::Granted;
use crate::id::{OrganizationId, SpaceId};
use crate::paging::Page;
use crate::site::audience::SiteVisit;
use crate::site::publication::{Publication, SiteAddress, SiteLocation, SpacePublication, Unlocked};
use crate::site::share_link::{ShareKey, ShareLink};
use crate::site::structure::Structure;
use crate::site::{Site, SiteVisibility};
use crate::space::Space;
use crate::usecases::Error;
use crate::usecases::spaces::ShownSpace;
use crate::usecases::work::Work;
use std::collections::HashMap;
use std::sync::Arc;

/// The most spaces of one organization whose sites are found by the ids of the spaces. PostgreSQL takes longer to plan
/// a statement with a thousand ids than to find all published sites of the organization.
const FEW_SPACES: usize = 200;

/// The published sites with some spaces, the oldest first.
#[derive(Clone, Debug, Default)]
pub(in crate::usecases) struct Publications {
    /// Those with addresses that the caller can open.
    reachable: Vec<Arc<Publication>>,
    /// Who can see the spaces: the visitors of the first site.
    visibilities: HashMap<SpaceId, SiteVisibility>,
}

impl Publications {
    /// Where a space is published.
    pub(in crate::usecases) fn of(&self, space: &SpaceId) -> Option<SpacePublication> {
        SpacePublication::first(&self.reachable, space)
    }

    /// A space with its address, and with who can see it.
    pub(in crate::usecases) fn show(&self, mut space: Granted<Space>) -> ShownSpace {
        if let Some(visibility) = self.visibilities.get(&space.id) {
            space.entity_mut().visibility = (*visibility).into();
        }
        ShownSpace { published: self.of(&space.id), space }
    }
}

impl Work<'_> {
    /// The site that the key of a share link unlocks.
    pub(in crate::usecases) async fn unlocked(&mut self, key: Option<&ShareKey>) -> Result<Option<Unlocked>, Error> {
        Ok(self.share_link(key).await?.and_then(|(_, unlocked)| unlocked))
    }

    /// The share link with a key, and the site that it unlocks while it is active.
    pub(in crate::usecases) async fn share_link(
        &mut self,
        key: Option<&ShareKey>,
    ) -> Result<Option<(ShareLink, Option<Unlocked>)>, Error> {
        let Some(key) = key else { return Ok(None) };
        let found = self.site_audiences().share_link_of_key(&key.hash()).await?;
        Ok(found.map(|link| (link.clone(), Unlocked::by(&link, key.clone()))))
    }

    /// The published sites with some spaces, in one query. A visitor of a site gets only that site.
    pub(in crate::usecases) async fn publications(
        &mut self,
        spaces: &[SpaceId],
        unlocked: Option<&Unlocked>,
        visit: Option<&SiteVisit>,
    ) -> Result<Publications, Error> {
        if spaces.is_empty() {
            return Ok(Publications::default());
        }
        let found = self.sites().published_with(spaces).await?;
        Ok(self.reachable(found, unlocked, visit))
    }

    /// What the caller can open of published sites. A visitor of a site gets only that site.
    fn reachable(
        &self,
        found: Vec<(SiteLocation, Structure)>,
        unlocked: Option<&Unlocked>,
        visit: Option<&SiteVisit>,
    ) -> Publications {
        let visit = visit.or(self.actor.visitor().map(|visitor| &visitor.visit));
        let mut publications = Publications::default();
        for (location, structure) in found {
            if visit.is_some_and(|visit| *visit.site() != location.site) {
                continue;
            }
            // Deleted spaces are left out already.
            let live = structure.live(|_| true);
            for space in live.space_ids() {
                publications.visibilities.entry(space).or_insert(location.visibility);
            }
            let address = SiteAddress::of(location, unlocked);
            publications.reachable.extend(address.map(|address| Arc::new(Publication::new(address, live))));
        }
        publications
    }

    /// The address of a site; `None` while it is not published, and without the key that it may need.
    pub(in crate::usecases) async fn site_address(
        &mut self,
        site: &Site,
        unlocked: Option<&Unlocked>,
    ) -> Result<Option<SiteAddress>, Error> {
        Ok(self.site_location(site).await?.and_then(|location| SiteAddress::of(location, unlocked)))
    }

    /// Where a site is; `None` while it is not published.
    pub(in crate::usecases) async fn site_location(&mut self, site: &Site) -> Result<Option<SiteLocation>, Error> {
        if !site.is_published() {
            return Ok(None);
        }
        let owner = self.organizations().find(&site.organization, None).await?;
        let host = owner.and_then(|found| found.organization.hostname);
        Ok(SiteLocation::of(site, host.as_deref()))
    }

    /// A space with its address.
    pub(in crate::usecases) async fn shown_space(&mut self, space: Granted<Space>) -> Result<ShownSpace, Error> {
        Ok(self.publications(std::slice::from_ref(&space.id), None, None).await?.show(space))
    }

    /// A page of spaces of an organization with their addresses, in one query. The spaces of a site belong to its
    /// organization.
    pub(in crate::usecases) async fn shown_spaces(
        &mut self,
        organization: &OrganizationId,
        page: Page<Granted<Space>>,
    ) -> Result<Page<ShownSpace>, Error> {
        let (page, publications) = if page.items.len() > FEW_SPACES {
            let found = self.sites().published_of(organization).await?;
            (page, self.reachable(found, None, None))
        } else {
            self.with_publications(page, |space| &space.id).await?
        };
        Ok(page.map(|space| publications.show(space)))
    }

    /// A page of items, each with a space, and where these spaces are published, in one query.
    pub(in crate::usecases) async fn with_publications<T>(
        &mut self,
        page: Page<T>,
        space: impl Fn(&T) -> &SpaceId,
    ) -> Result<(Page<T>, Publications), Error> {
        let ids: Vec<SpaceId> = page.items.iter().map(|item| space(item).clone()).collect();
        let publications = self.publications(&ids, None, None).await?;
        Ok((page, publications))
    }
}
