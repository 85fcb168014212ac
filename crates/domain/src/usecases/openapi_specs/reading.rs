//! Reading the versions of OpenAPI specs, and what shows them.
use super::shown::ShownSpecs;
use super::{OpenapiSpecs, check, document, find, object};
use crate::access::Granted;
use crate::actor::Actor;
use crate::content::document::SpecificationUse;
use crate::content::map::Map;
use crate::content::object::{Hash, MemoryObjects, fetch};
use crate::id::{OpenapiSpecId, OpenapiVersionId, OrganizationId, SpaceId};
use crate::openapi_spec::{
    DocumentFormat, OpenapiSpec, OpenapiUsage, OpenapiVersion, Presence, SpecSlug, SpecVisibility,
};
use crate::paging::{Page, PageRequest};
use crate::ports::store::spaces::SpaceFilter;
use crate::usecases::work::Work;
use crate::usecases::{Error, Input};
use bytes::Bytes;
use openapi::parts::{OperationSummary, SUMMARY_KEY, Summary, WebhookSummary};

/// A version of a spec, for a caller.
#[derive(Clone, Debug)]
pub struct ShownVersion {
    /// The spec.
    pub spec: Granted<OpenapiSpec>,
    /// The version.
    pub version: OpenapiVersion,
}

/// An operation of a version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedOperation {
    /// The name of the webhook; absent for an operation of a path.
    pub webhook: Option<String>,
    /// The operation.
    pub operation: OperationSummary,
}

/// A block that shows a spec.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownUsage {
    /// The block.
    pub usage: OpenapiUsage,
    /// Whether it can be shown.
    pub presence: Presence,
}

/// The text of a version as it was sent or fetched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceText {
    /// The bytes.
    pub bytes: Bytes,
    /// Their language.
    pub format: DocumentFormat,
    /// Their hash.
    pub hash: Hash,
}

/// Which version a caller wants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WhichVersion {
    /// The newest one.
    Latest,
    /// The one with this id.
    Id(OpenapiVersionId),
}

/// Loads a version of a spec.
async fn find_version(work: &mut Work<'_>, spec: &OpenapiSpec, which: &WhichVersion) -> Result<OpenapiVersion, Error> {
    let absent = || Error::NotFound("version");
    let id = match which {
        WhichVersion::Latest => spec.last_version.as_ref().ok_or_else(absent)?,
        WhichVersion::Id(id) => id,
    };
    work.openapi_specs().version(&spec.id, id).await?.ok_or_else(absent)
}

impl OpenapiSpecs {
    /// The versions of a spec, newest first.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Invalid`].
    pub async fn versions(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        slug: &SpecSlug,
        page: Input<PageRequest>,
    ) -> Result<(Granted<OpenapiSpec>, Page<OpenapiVersion>), Error> {
        let mut work = self.units.read(actor).await?;
        let spec = find(&mut work, organization, slug, |may| may.view).await?;
        let found = work.openapi_specs().versions(&spec.id, &page.read()?).await?;
        Ok((spec, found))
    }

    /// A version of a spec.
    ///
    /// # Errors
    /// [`Error::NotFound`], also if the spec has no version yet.
    pub async fn version(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        slug: &SpecSlug,
        which: &WhichVersion,
    ) -> Result<ShownVersion, Error> {
        let mut work = self.units.read(actor).await?;
        let spec = find(&mut work, organization, slug, |may| may.view).await?;
        let version = find_version(&mut work, &spec, which).await?;
        Ok(ShownVersion { spec, version })
    }

    /// The operations of a version: those of paths, and then those of webhooks, in the order of the document.
    ///
    /// # Errors
    /// As [`Self::version`]; [`Error::Invalid`].
    pub async fn operations(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        slug: &SpecSlug,
        which: &WhichVersion,
        page: Input<PageRequest>,
    ) -> Result<Page<ListedOperation>, Error> {
        let mut work = self.units.read(actor).await?;
        let spec = find(&mut work, organization, slug, |may| may.view).await?;
        let version = find_version(&mut work, &spec, which).await?;
        let page = page.read()?;
        let Summary { operations, webhooks, .. } = summary(&mut work, &version).await?;
        let operations = operations.into_iter().map(|operation| ListedOperation { webhook: None, operation });
        let webhooks = webhooks
            .into_iter()
            .map(|WebhookSummary { name, operation }| ListedOperation { webhook: Some(name), operation });
        let all = operations.chain(webhooks).enumerate().collect();
        Ok(Page::of_sorted(all, &page, |(at, _)| format!("{at:09}")).map(|(_, listed)| listed))
    }

    /// The document of a version that [`Self::version`] returned, in OpenAPI 3.1 or 3.2, as JSON.
    ///
    /// # Errors
    /// Errors of the store.
    pub async fn document(&self, shown: &ShownVersion) -> Result<String, Error> {
        let mut work = self.units.ask(&Actor::Server).await?;
        document(&mut work, &shown.version).await
    }

    /// The text of a version as it was sent or fetched.
    ///
    /// # Errors
    /// As [`Self::version`].
    pub async fn text(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        slug: &SpecSlug,
        which: &WhichVersion,
    ) -> Result<SourceText, Error> {
        let mut work = self.units.read(actor).await?;
        let spec = find(&mut work, organization, slug, |may| may.view).await?;
        let version = find_version(&mut work, &spec, which).await?;
        text(&mut work, &version).await
    }

    /// A version whose text is for anyone who has its signed URL.
    ///
    /// # Errors
    /// [`Error::NotFound`], also if the spec is deleted.
    pub async fn source(&self, spec: &OpenapiSpecId, version: &OpenapiVersionId) -> Result<OpenapiVersion, Error> {
        let mut work = self.units.read(&Actor::Server).await?;
        let spec = work.openapi_specs().get(spec).await?.ok_or(Error::NotFound("file"))?;
        work.openapi_specs().version(&spec.id, version).await?.ok_or(Error::NotFound("file"))
    }

    /// The text of a version that [`Self::source`] returned.
    ///
    /// # Errors
    /// Errors of the store.
    pub async fn source_text(&self, version: &OpenapiVersion) -> Result<SourceText, Error> {
        let mut work = self.units.ask(&Actor::Server).await?;
        text(&mut work, version).await
    }

    /// The newest version of a public spec, for anyone.
    ///
    /// # Errors
    /// [`Error::NotFound`], also for a private spec and for one without a version.
    pub async fn published(&self, organization: &OrganizationId, slug: &SpecSlug) -> Result<OpenapiVersion, Error> {
        let mut work = self.units.read(&Actor::Server).await?;
        let absent = || Error::NotFound("OpenAPI spec");
        let spec = work.openapi_specs().find(organization, slug).await?;
        let public = spec.filter(|spec| spec.visibility == SpecVisibility::Public).ok_or_else(absent)?;
        find_version(&mut work, &public, &WhichVersion::Latest).await.map_err(|error| match error {
            Error::NotFound(_) => absent(),
            other => other,
        })
    }

    /// The document of a version that [`Self::published`] returned.
    ///
    /// # Errors
    /// Errors of the store.
    pub async fn published_document(&self, version: &OpenapiVersion) -> Result<String, Error> {
        let mut work = self.units.ask(&Actor::Server).await?;
        document(&mut work, version).await
    }

    /// The blocks in primary content that show a spec, in the spaces that the caller may read.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Invalid`].
    pub async fn usages(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        slug: &SpecSlug,
        page: Input<PageRequest>,
    ) -> Result<Page<ShownUsage>, Error> {
        let mut work = self.units.read(actor).await?;
        let (found, access) = work.organization_with_access(organization, |may| may.read).await?;
        let spec = work.openapi_specs().find(&found.id, slug).await?.ok_or(Error::NotFound("OpenAPI spec"))?;
        check(&found, spec, |may| may.view)?;
        let page = page.read()?;
        let spaces = work.spaces().languages(&SpaceFilter::of(organization, &access)).await?;
        let spaces: Vec<SpaceId> = spaces.into_iter().map(|(space, _)| space).collect();
        let usages = work.openapi_specs().usages(&spaces, slug).await?;
        let uses: Vec<SpecificationUse> = usages.iter().map(|usage| usage.in_spec(slug)).collect();
        let specs = ShownSpecs::load(&mut work, organization, &uses).await?;
        let shown = usages.into_iter().zip(&uses).map(|(usage, found)| {
            let presence = specs.presence(found);
            ShownUsage { usage, presence }
        });
        Ok(Page::of_sorted(shown.enumerate().collect(), &page, |(at, _)| format!("{at:09}")).map(|(_, shown)| shown))
    }
}

async fn text(work: &mut Work<'_>, version: &OpenapiVersion) -> Result<SourceText, Error> {
    let bytes = object(work, version.text).await?;
    Ok(SourceText { bytes, format: version.format, hash: version.text })
}

/// Joins the parts of a version.
async fn document(work: &mut Work<'_>, version: &OpenapiVersion) -> Result<String, Error> {
    let parts = Map::<Hash>::at(Some(version.parts));
    let loaded = work
        .compute(&mut MemoryObjects::default(), |objects| {
            let entries = parts.entries(objects)?;
            let bytes = fetch(objects, entries.iter().map(|(_, hash)| *hash))?;
            Ok(entries.into_iter().map(|(key, _)| key).zip(bytes).collect::<Vec<_>>())
        })
        .await?;
    document::join(&loaded)
}

/// The summary of a version: its operations, webhooks and schemas.
async fn summary(work: &mut Work<'_>, version: &OpenapiVersion) -> Result<Summary, Error> {
    let parts = Map::<Hash>::at(Some(version.parts));
    let stored = work
        .compute(&mut MemoryObjects::default(), |objects| {
            let Some(hash) = parts.get(objects, SUMMARY_KEY)? else { return Ok(None) };
            Ok(fetch(objects, [hash])?.pop())
        })
        .await?;
    let absent = || Error::Corrupt(format!("version {} has no summary", version.id));
    document::read_summary(&stored.ok_or_else(absent)?)
}
