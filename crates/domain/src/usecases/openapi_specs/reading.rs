//! Reading the versions of OpenAPI specs, and the blocks that show them.
use super::document::compare;
use super::shown::ShownSpecs;
use super::stored::{object, parts, previous, summary};
use super::{OpenapiSpecs, check, document, find, views};
use crate::access::Granted;
use crate::actor::Actor;
use crate::content::document::SpecificationPart;
use crate::content::document::SpecificationUse;
use crate::content::object::Hash;
use crate::id::{OpenapiSpecId, OpenapiVersionId, OrganizationId, SpaceId};
use crate::openapi_spec::{
    DocumentFormat, OpenapiSpec, OpenapiUsage, OpenapiVersion, Presence, SpecSlug, SpecVisibility,
};
use crate::paging::{Page, PageRequest};
use crate::ports::store::spaces::SpaceFilter;
use crate::text::Invalid;
use crate::usecases::lists::paged_numbered;
use crate::usecases::work::Work;
use crate::usecases::{Error, Input};
use bytes::Bytes;
use openapi::diff::Diff;
use openapi::example::OperationExamples;
use openapi::parts::{OperationSummary, WebhookSummary};
use openapi::sample::CodeSample;
use openapi::view::OperationView;

/// A version of a spec, for a caller.
#[derive(Clone, Debug)]
pub struct ShownVersion {
    /// The spec.
    pub spec: Granted<OpenapiSpec>,
    /// The version.
    pub version: OpenapiVersion,
}

/// The operation or webhook in a request.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the fields are those of the document")]
pub enum WantedOperation {
    /// Of a path, with or without its last slash.
    Path { path: String, method: String },
    /// Of a webhook.
    Webhook { name: String, method: String },
}

impl WantedOperation {
    /// The operation that a block shows; `None` for schemas.
    pub fn of(part: &SpecificationPart) -> Option<Self> {
        match part.clone() {
            SpecificationPart::Operation { method, path } => Some(Self::Path { path, method }),
            SpecificationPart::Webhook { name, method } => Some(Self::Webhook { name, method }),
            SpecificationPart::Schemas { .. } => None,
        }
    }
}

/// The view of an operation for readers.
#[derive(Clone, Debug)]
pub struct ShownOperation {
    /// Everything but examples and samples.
    pub view: OperationView,
    /// Examples of its bodies.
    pub examples: OperationExamples,
    /// Code that sends a request; none for a webhook, whose requests the API sends.
    pub samples: Vec<CodeSample>,
}

/// The changes between two versions.
#[derive(Clone, Debug, PartialEq)]
pub struct VersionChanges {
    /// The version.
    pub version: OpenapiVersion,
    /// The version that it is compared with; absent if there is none before it.
    pub against: Option<OpenapiVersion>,
    /// The changes.
    pub diff: Diff,
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

/// The version in a request.
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

    /// The operations of a version in the order of the document: first the operations of paths, then the operations of
    /// webhooks.
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
        let summary = summary(&mut work, &version).await?;
        let listed = |webhook: Option<&String>, operation: &OperationSummary| ListedOperation {
            webhook: webhook.cloned(),
            operation: operation.clone(),
        };
        let operations = summary.operations.iter().map(|operation| listed(None, operation));
        let webhooks = summary.webhooks.iter().map(|WebhookSummary { name, operation }| listed(Some(name), operation));
        let all = operations.chain(webhooks).enumerate().collect();
        Ok(Page::of_sorted(all, &page, |(at, _)| format!("{at:09}")).map(|(_, listed)| listed))
    }

    /// The changes of a version, compared with another one of the same spec or with the one before it.
    ///
    /// # Errors
    /// As [`Self::version`]; [`Error::Invalid`].
    pub async fn changes(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        slug: &SpecSlug,
        which: &WhichVersion,
        against: Input<Option<OpenapiVersionId>>,
    ) -> Result<VersionChanges, Error> {
        let mut work = self.units.read(actor).await?;
        let spec = find(&mut work, organization, slug, |may| may.view).await?;
        let version = find_version(&mut work, &spec, which).await?;
        let against = match against.read()? {
            Some(id) => {
                let found = work.openapi_specs().version(&spec.id, &id).await?;
                Some(found.ok_or_else(|| Invalid::new("against", "there is no such version of the OpenAPI spec"))?)
            }
            None => previous(&mut work, &version).await?,
        };
        let diff = match &against {
            Some(against) if against.parts != version.parts => {
                let (old, new) = (parts(&mut work, against).await?, parts(&mut work, &version).await?);
                compare(&old, &new, work.now().date_naive())?
            }
            _ => Diff::default(),
        };
        Ok(VersionChanges { version, against, diff })
    }

    /// The view of an operation or a webhook of a version.
    ///
    /// # Errors
    /// As [`Self::version`]; [`Error::NotFound`] if the version does not have it; [`Error::Invalid`].
    pub async fn operation(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        slug: &SpecSlug,
        which: &WhichVersion,
        wanted: Input<WantedOperation>,
    ) -> Result<ShownOperation, Error> {
        let mut work = self.units.read(actor).await?;
        let spec = find(&mut work, organization, slug, |may| may.view).await?;
        let version = find_version(&mut work, &spec, which).await?;
        let wanted = wanted.read()?;
        let source = version.source.as_ref().map(ToString::to_string);
        let shown = views::operation(&mut work, &version.parts, source.as_deref(), &wanted).await?;
        shown.ok_or(Error::NotFound("operation"))
    }

    /// The document of a version that [`Self::version`] returned, in OpenAPI 3.1 or 3.2, as JSON.
    ///
    /// # Errors
    /// Errors of the store.
    pub async fn document(&self, shown: &ShownVersion) -> Result<String, Error> {
        let mut work = self.units.query(&Actor::Server).await?;
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

    /// A version for a request with the signed URL of its text.
    ///
    /// # Errors
    /// [`Error::NotFound`], also if the spec is deleted.
    pub async fn source(&self, spec: &OpenapiSpecId, version: &OpenapiVersionId) -> Result<OpenapiVersion, Error> {
        let mut work = self.units.read(&Actor::Server).await?;
        let spec = work.openapi_specs().get(spec).await?.ok_or(Error::NotFound("file"))?;
        let version = work.openapi_specs().version(&spec.id, version).await?.ok_or(Error::NotFound("file"))?;
        version.objects().text.map(|_| version).ok_or(Error::NotFound(TEXT))
    }

    /// The text of a version that [`Self::source`] returned.
    ///
    /// # Errors
    /// Errors of the store.
    pub async fn source_text(&self, version: &OpenapiVersion) -> Result<SourceText, Error> {
        let mut work = self.units.query(&Actor::Server).await?;
        text(&mut work, version).await
    }

    /// The newest version of a public spec, without authentication.
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

    /// The document of a version that [`Self::published`] returned, in this language.
    ///
    /// # Errors
    /// Errors of the store.
    pub async fn published_document(&self, version: &OpenapiVersion, format: DocumentFormat) -> Result<String, Error> {
        let mut work = self.units.query(&Actor::Server).await?;
        match format {
            DocumentFormat::Json => document(&mut work, version).await,
            DocumentFormat::Yaml => document::yaml(&parts(&mut work, version).await?),
        }
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
        paged_numbered(shown, &page, |ShownUsage { usage, .. }: &ShownUsage| {
            format!("{}/{}/{}", usage.space, usage.page, usage.block.0)
        })
    }
}

/// The text of an older version, in errors.
const TEXT: &str = "text of this version (kept only for the newest 20 versions and those that blocks name)";

async fn text(work: &mut Work<'_>, version: &OpenapiVersion) -> Result<SourceText, Error> {
    let text = version.objects().text.ok_or(Error::NotFound(TEXT))?;
    let bytes = object(work, text).await?;
    Ok(SourceText { bytes, format: version.format, hash: version.text })
}

/// Joins the parts of a version.
async fn document(work: &mut Work<'_>, version: &OpenapiVersion) -> Result<String, Error> {
    document::join(&parts(work, version).await?)
}
