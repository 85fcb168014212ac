//! The OpenAPI specs that content shows, for links, merge rules and the search index.
use super::stored::{excerpt, summaries};
use crate::content::document::{SpecificationPart, SpecificationUse};
use crate::id::{OpenapiVersionId, OrganizationId};
use crate::openapi_spec::{OpenapiSpec, OpenapiVersion, Presence, SpecContents, SpecSlug};
use crate::usecases::Error;
use crate::usecases::work::Work;
use openapi::excerpt::Excerpt;
use openapi::terms;
use std::collections::{BTreeSet, HashMap};

/// The specs and versions that content shows.
#[derive(Clone, Debug, Default)]
pub(in crate::usecases) struct ShownVersions {
    /// By [`SpecSlug::key`].
    specs: HashMap<String, OpenapiSpec>,
    /// Their newest versions, and the versions that blocks name. May include versions that a block names for another
    /// spec.
    versions: HashMap<OpenapiVersionId, OpenapiVersion>,
}

impl ShownVersions {
    /// Loads the specs of an organization that blocks show, and their versions. Runs no query if there are none.
    pub(in crate::usecases) async fn load(
        work: &mut Work<'_>,
        organization: &OrganizationId,
        uses: &[SpecificationUse],
    ) -> Result<Self, Error> {
        let slugs: HashMap<String, SpecSlug> =
            uses.iter().filter_map(SpecSlug::of_use).map(|slug| (slug.key(), slug)).collect();
        if slugs.is_empty() {
            return Ok(Self::default());
        }
        let slugs: Vec<SpecSlug> = slugs.into_values().collect();
        let specs = work.openapi_specs().find_many(organization, &slugs).await?;
        let newest = specs.iter().filter_map(|spec| spec.last_version.clone());
        let pinned = uses.iter().filter_map(|found| found.version.as_ref()?.parse().ok());
        let wanted: BTreeSet<OpenapiVersionId> = newest.chain(pinned).collect();
        let mut found = Vec::new();
        if !wanted.is_empty() {
            found = work.openapi_specs().find_versions(&wanted.into_iter().collect::<Vec<_>>()).await?;
            found.retain(|version| specs.iter().any(|spec| spec.id == version.spec));
        }
        let specs = specs.into_iter().map(|spec| (spec.slug.key(), spec)).collect();
        let versions = found.into_iter().map(|version| (version.id.clone(), version)).collect();
        Ok(Self { specs, versions })
    }

    /// The spec that a block shows, if there is one of its name.
    fn spec(&self, found: &SpecificationUse) -> Option<&OpenapiSpec> {
        self.specs.get(&SpecSlug::of_use(found)?.key())
    }

    /// The version that a block shows.
    pub(in crate::usecases) fn version(&self, found: &SpecificationUse) -> Option<&OpenapiVersion> {
        let spec = self.spec(found)?;
        let id = match &found.version {
            Some(pinned) => &pinned.parse().ok()?,
            None => spec.last_version.as_ref()?,
        };
        self.versions.get(id).filter(|version| version.spec == spec.id)
    }
}

/// The specs and versions that content shows, with the contents of the versions.
#[derive(Clone, Debug, Default)]
pub(in crate::usecases) struct ShownSpecs {
    versions: ShownVersions,
    contents: HashMap<OpenapiVersionId, SpecContents>,
    /// The search texts of blocks: see [`Self::add_texts`].
    texts: HashMap<(OpenapiVersionId, SpecificationPart), String>,
}

impl ShownSpecs {
    /// Loads the specs of an organization that blocks show, with the contents of their versions. Runs no query if there
    /// are none.
    pub(in crate::usecases) async fn load(
        work: &mut Work<'_>,
        organization: &OrganizationId,
        uses: &[SpecificationUse],
    ) -> Result<Self, Error> {
        let versions = ShownVersions::load(work, organization, uses).await?;
        let found: Vec<&OpenapiVersion> = versions.versions.values().collect();
        let summaries = summaries(work, &found).await?;
        let contents = found.iter().map(|version| version.id.clone());
        let contents = contents.zip(summaries.into_iter().map(SpecContents::from)).collect();
        Ok(Self { versions, contents, texts: HashMap::new() })
    }

    /// The spec that a block shows, if there is one of its name.
    pub(in crate::usecases) fn spec(&self, found: &SpecificationUse) -> Option<&OpenapiSpec> {
        self.versions.spec(found)
    }

    /// The version that a block shows, with its contents.
    fn version(&self, found: &SpecificationUse) -> Option<(&OpenapiVersion, &SpecContents)> {
        let version = self.versions.version(found)?;
        Some((version, self.contents.get(&version.id)?))
    }

    /// Whether a block can be shown.
    pub(in crate::usecases) fn presence(&self, found: &SpecificationUse) -> Presence {
        if self.spec(found).is_none() {
            return Presence::NoSpec;
        }
        match self.version(found) {
            Some((_, contents)) => contents.presence(&found.shows),
            None => Presence::NoVersion,
        }
    }

    /// Loads the search texts of these blocks: method, path, id, summary, description, and the names of parameters and
    /// fields.
    pub(in crate::usecases) async fn add_texts(
        &mut self,
        work: &mut Work<'_>,
        uses: &[SpecificationUse],
    ) -> Result<(), Error> {
        for found in uses {
            let Some((version, _)) = self.version(found) else { continue };
            let key = (version.id.clone(), found.shows.clone());
            if self.texts.contains_key(&key) {
                continue;
            }
            let wanted = match &found.shows {
                SpecificationPart::Operation { method, path } => Excerpt::operation(path, method),
                SpecificationPart::Webhook { name, method } => Excerpt::webhook(name, method),
                SpecificationPart::Schemas { schemas } => Excerpt::schemas(schemas),
            };
            let document = excerpt(work, &version.parts, wanted).await?;
            let text = match &found.shows {
                SpecificationPart::Operation { method, path } => terms::operation(&document, path, method),
                SpecificationPart::Webhook { name, method } => terms::webhook(&document, name, method),
                SpecificationPart::Schemas { schemas } => Some(terms::models(&document, schemas)),
            };
            if let Some(text) = text {
                self.texts.insert(key, [text.title, text.body].join("\n"));
            }
        }
        Ok(())
    }

    /// The search text of a block, if it was loaded.
    pub(in crate::usecases) fn search_text(&self, found: &SpecificationUse) -> Option<String> {
        let (version, _) = self.version(found)?;
        self.texts.get(&(version.id.clone(), found.shows.clone())).cloned()
    }
}
