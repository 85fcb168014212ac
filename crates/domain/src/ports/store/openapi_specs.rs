//! OpenAPI specs and their versions.
use super::StoreResult;
use crate::content::object::Hash;
use crate::id::{OpenapiSpecId, OpenapiVersionId, OrganizationId, PageId, SpaceId};
use crate::openapi_spec::{
    ChangelogEntry, ChangelogVersion, OpenapiSpec, OpenapiUsage, OpenapiVersion, SpecObjects, SpecSlug,
};
use crate::paging::{Page, PageRequest};
use async_trait::async_trait;
use chrono::{DateTime, Utc};

/// Stores OpenAPI specs. The lock of the organization covers them and their versions.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait OpenapiSpecStore: Send {
    /// The spec of an organization with this slug, without regard to case.
    async fn find(&mut self, organization: &OrganizationId, slug: &SpecSlug) -> StoreResult<Option<OpenapiSpec>>;
    /// The specs of an organization with these slugs, without regard to case.
    async fn find_many(&mut self, organization: &OrganizationId, slugs: &[SpecSlug]) -> StoreResult<Vec<OpenapiSpec>>;
    /// A spec.
    async fn get(&mut self, id: &OpenapiSpecId) -> StoreResult<Option<OpenapiSpec>>;
    /// The specs of an organization by id, so the oldest first, without specs that pages link by address.
    async fn list(&mut self, organization: &OrganizationId, page: &PageRequest) -> StoreResult<Page<OpenapiSpec>>;
    /// The number of specs of an organization, without specs that pages link by address.
    async fn count(&mut self, organization: &OrganizationId) -> StoreResult<usize>;
    /// The specs of addresses in pages of an organization ([`SpecSlug::is_linked`]).
    async fn linked(&mut self, organization: &OrganizationId) -> StoreResult<Vec<OpenapiSpec>>;
    /// Adds a new spec.
    async fn add(&mut self, spec: &OpenapiSpec) -> StoreResult<()>;
    /// Updates a spec.
    async fn save(&mut self, spec: &OpenapiSpec) -> StoreResult<()>;
    /// Removes a spec. Its versions stay until [`Self::remove_versions`] removes them.
    async fn remove(&mut self, id: &OpenapiSpecId) -> StoreResult<()>;
    /// A version of a spec.
    async fn version(&mut self, spec: &OpenapiSpecId, id: &OpenapiVersionId) -> StoreResult<Option<OpenapiVersion>>;
    /// Versions of any specs.
    async fn find_versions(&mut self, ids: &[OpenapiVersionId]) -> StoreResult<Vec<OpenapiVersion>>;
    /// The versions of a spec by id, so by their time.
    async fn versions(&mut self, spec: &OpenapiSpecId, page: &PageRequest) -> StoreResult<Page<OpenapiVersion>>;
    /// Adds a version.
    async fn add_version(&mut self, version: &OpenapiVersion) -> StoreResult<()>;
    /// Stores the parts, the changes and the engine of a version.
    async fn renew_version(&mut self, version: &OpenapiVersion) -> StoreResult<()>;
    /// Stores the changelog entry of a version.
    async fn set_changelog(&mut self, id: &OpenapiVersionId, entry: &ChangelogEntry) -> StoreResult<()>;
    /// The versions of a spec up to this one, newest first, with their changelog entries.
    async fn changelog(
        &mut self,
        spec: &OpenapiSpecId,
        newest: &OpenapiVersionId,
        limit: usize,
    ) -> StoreResult<Vec<ChangelogVersion>>;
    /// Whether a spec has a version before this one.
    async fn has_earlier(&mut self, spec: &OpenapiSpecId, id: &OpenapiVersionId) -> StoreResult<bool>;
    /// The first version by id, after a version, that keeps its text and whose parts an earlier engine made. Versions
    /// of deleted specs are left out.
    async fn next_outdated<'a>(
        &mut self,
        engine: u32,
        after: Option<&'a OpenapiVersionId>,
    ) -> StoreResult<Option<OpenapiVersion>>;
    /// Removes versions.
    async fn remove_versions(&mut self, ids: &[OpenapiVersionId]) -> StoreResult<()>;
    /// The versions of a spec that keep their texts, newest first, and the hashes of these.
    async fn with_texts(&mut self, spec: &OpenapiSpecId) -> StoreResult<Vec<(OpenapiVersionId, Hash)>>;
    /// Stores that the texts of versions are removed.
    async fn set_texts_removed(&mut self, ids: &[OpenapiVersionId], at: DateTime<Utc>) -> StoreResult<()>;
    /// The version names of a spec in blocks of the primary content of an organization, unparsed; including blocks of
    /// deleted spaces.
    async fn pinned(&mut self, organization: &OrganizationId, slug: &SpecSlug) -> StoreResult<Vec<String>>;
    /// The blocks in the primary content of these spaces that show a spec, by space, page and block.
    async fn usages(&mut self, spaces: &[SpaceId], slug: &SpecSlug) -> StoreResult<Vec<OpenapiUsage>>;
    /// The pages of an organization whose primary content shows a spec, by space and page. Pages of deleted spaces are
    /// included.
    async fn pages_showing(
        &mut self,
        organization: &OrganizationId,
        slug: &SpecSlug,
    ) -> StoreResult<Vec<(SpaceId, PageId)>>;
    /// Those of these spaces whose primary content shows a spec, by id.
    async fn spaces_showing(&mut self, spaces: &[SpaceId]) -> StoreResult<Vec<SpaceId>>;
    /// The objects of all versions of all specs, after a version, by id.
    async fn referenced(
        &mut self,
        after: Option<OpenapiVersionId>,
        limit: usize,
    ) -> StoreResult<Vec<(OpenapiVersionId, SpecObjects)>>;
    /// The texts that were sent and are the sources of specs, after a spec, by id.
    async fn source_texts(
        &mut self,
        after: Option<OpenapiSpecId>,
        limit: usize,
    ) -> StoreResult<Vec<(OpenapiSpecId, Hash)>>;
}
