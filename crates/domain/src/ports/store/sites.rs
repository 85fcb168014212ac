//! Docs sites.
use super::StoreResult;
use super::spaces::ForUser;
use crate::access::DefaultLevel;
use crate::id::{OrganizationId, SiteId, SiteSpaceId, SpaceId, UserId};
use crate::site::Site;
use crate::site::path::Basename;
use crate::site::publication::SiteLocation;
use crate::site::structure::Structure;
use async_trait::async_trait;
use std::collections::HashSet;

/// Stores sites and their structures. Before writing, a caller must lock the site, unless it is new.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait SiteStore: Send {
    /// The site with the data that decides the level of `user` on it: the membership, and its access rules.
    async fn find<'a>(&mut self, id: &SiteId, user: Option<&'a UserId>) -> StoreResult<Option<ForUser<Site>>>;
    /// The sites of an organization by id, so the oldest first.
    async fn of_organization(&mut self, organization: &OrganizationId) -> StoreResult<Vec<Site>>;
    /// The number of sites of an organization.
    async fn count(&mut self, organization: &OrganizationId) -> StoreResult<usize>;
    /// The basenames in the instance that begin with this one.
    async fn basenames(&mut self, beginning: &str) -> StoreResult<Vec<Basename>>;
    /// Inserts the site or updates all its fields. A conflict on the basename is named `basename`, one on the host name
    /// `hostname`, and one on the proxy `proxy`. Feedback that is added at the same time waits only if the basename or
    /// the host name changes.
    async fn save(&mut self, site: &Site) -> StoreResult<()>;
    /// Removes the site with its structure and the grants on it.
    async fn remove(&mut self, id: &SiteId) -> StoreResult<()>;
    /// The structure of a site.
    async fn structure(&mut self, id: &SiteId) -> StoreResult<Structure>;
    /// The structure of a site, and the spaces on it that are not deleted.
    async fn structure_with_spaces(&mut self, id: &SiteId) -> StoreResult<(Structure, HashSet<SpaceId>)>;
    /// The space that a site shows as this space of its structure; `None` while the site is not published.
    async fn published_space(&mut self, site: &SiteId, id: &SiteSpaceId) -> StoreResult<Option<SpaceId>>;
    /// Replaces the structure of a site. Spaces that were unlinked since it was loaded stay unlinked.
    async fn save_structure(&mut self, id: &SiteId, structure: &Structure) -> StoreResult<()>;
    /// The spaces on the sites of an organization, or on one of them.
    async fn links<'a>(
        &mut self,
        organization: &OrganizationId,
        site: Option<&'a SiteId>,
    ) -> StoreResult<Vec<(SiteId, SpaceId)>>;
    /// The sites that a space is on, by id, with their default levels.
    async fn of_space(&mut self, space: &SpaceId) -> StoreResult<Vec<(SiteId, DefaultLevel)>>;
    /// The published sites with any of these spaces, by id, so the oldest first: each with its structure without
    /// deleted spaces.
    async fn published_with(&mut self, spaces: &[SpaceId]) -> StoreResult<Vec<(SiteLocation, Structure)>>;
    /// The published sites of an organization that have an item, in the same form and order.
    async fn published_of(&mut self, organization: &OrganizationId) -> StoreResult<Vec<(SiteLocation, Structure)>>;
    /// The published sites of the instance by id, so the oldest first, each with the organization that owns it.
    async fn published(&mut self) -> StoreResult<Vec<(OrganizationId, SiteLocation)>>;
    /// Removes spaces from all sites. The spaces must be locked.
    async fn unlink(&mut self, spaces: &[SpaceId]) -> StoreResult<()>;
}
