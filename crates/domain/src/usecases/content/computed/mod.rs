//! Generated pages: they replace computed pages when content is read.
mod translated;

pub(in crate::usecases) use translated::VisibleSources;

use crate::content::computed::{Computed, ComputedSource, computed_page};
use crate::content::document::Document;
use crate::content::object::{Hash, MemoryObjects};
use crate::content::page::PageKind;
use crate::content::snapshot::Snapshot;
use crate::content::tree::{Node, filled};
use crate::id::{OrganizationId, PageId};
use crate::openapi::pages::PageDoc;
use crate::openapi_pages::{changelog, computed_pages, document, shown_part, wanted_pages};
use crate::openapi_spec::{MAX_CHANGELOG, OpenapiVersion, SpecSlug};
use crate::usecases::Error;
use crate::usecases::openapi_specs::stored::summary;
use crate::usecases::work::Work;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use translated::{Translated, text_in};

/// Generates computed content. Its sources are loaded when they are first needed.
pub(in crate::usecases) struct Generator {
    organization: OrganizationId,
    translated: Translated,
    /// Specs by slug, without regard to case, and version; `None` if there is no such spec or version.
    specs: HashMap<(String, Option<String>), Option<Arc<Spec>>>,
}

/// A version of a spec.
struct Spec {
    /// A seed that identifies the content of the version.
    seed: Arc<str>,
    version: OpenapiVersion,
}

impl Spec {
    /// Whether there was a version before it.
    async fn has_earlier(&self, work: &mut Work<'_>) -> Result<bool, Error> {
        let OpenapiVersion { spec, id, changes, .. } = &self.version;
        // Some versions with an earlier one have no stored changes.
        Ok(changes.is_some() || work.openapi_specs().has_earlier(spec, id).await?)
    }

    /// A seed that identifies the version: several versions can have the same content.
    fn seed_of_versions(&self) -> Arc<str> {
        let seed = format!("{} {}", self.version.parts, self.version.id);
        Hash::of(seed.as_bytes()).to_string().chars().take(32).collect::<String>().into()
    }
}

/// Computed pages with their sources.
pub(in crate::usecases) type Sources = Vec<(PageId, ComputedSource)>;

/// The computed pages among these and those below them.
pub(in crate::usecases) fn sources(nodes: &[Node]) -> Sources {
    let source = |node: &Node| match &node.page.kind {
        PageKind::Computed { computed } => Some((node.id.clone(), (**computed).clone())),
        _ => None,
    };
    nodes.iter().flat_map(Node::iter).filter_map(source).collect()
}

/// The generated page to find.
pub(in crate::usecases) enum Wanted<'a> {
    Id(&'a PageId),
    Path(&'a str),
    /// The first page of the space.
    First,
}

/// Whether a source names a text of a space to show in translation.
pub(super) fn names_text(source: &ComputedSource) -> bool {
    text_in(source).is_some_and(|(_, document)| document.is_some())
}

impl Generator {
    /// Creates a generator for an organization, which shows translations of these spaces.
    pub(in crate::usecases) fn new(organization: OrganizationId, shows: VisibleSources) -> Self {
        Self { organization, translated: Translated::new(shows), specs: HashMap::new() }
    }

    /// The version that a source is generated from.
    async fn find(&mut self, work: &mut Work<'_>, source: &ComputedSource) -> Result<Option<Arc<Spec>>, Error> {
        let Some(spec) = source.spec() else { return Ok(None) };
        let key = (spec.to_ascii_lowercase(), source.spec_version().map(str::to_owned));
        if let Some(known) = self.specs.get(&key) {
            return Ok(known.clone());
        }
        let found = self.load(work, spec, source.spec_version()).await?.map(Arc::new);
        self.specs.insert(key, found.clone());
        Ok(found)
    }

    async fn load(&self, work: &mut Work<'_>, spec: &str, version: Option<&str>) -> Result<Option<Spec>, Error> {
        let Ok(slug) = spec.parse::<SpecSlug>() else { return Ok(None) };
        let Some(spec) = work.openapi_specs().find(&self.organization, &slug).await? else { return Ok(None) };
        let id = match version {
            Some(version) => version.parse().ok(),
            None => spec.last_version.clone(),
        };
        let Some(id) = id else { return Ok(None) };
        let Some(version) = work.openapi_specs().version(&spec.id, &id).await? else { return Ok(None) };
        let seed = version.parts.to_string().chars().take(32).collect::<String>().into();
        Ok(Some(Spec { seed, version }))
    }

    /// Generates the pages that replace computed pages with these sources.
    pub(in crate::usecases) async fn computed(
        &mut self,
        work: &mut Work<'_>,
        sources: Sources,
    ) -> Result<BTreeMap<PageId, Computed>, Error> {
        let mut all = BTreeMap::new();
        for (id, source) in sources {
            if source.translation().is_some() {
                let found = self.translated.pages(work, &self.organization, &id, &source).await?;
                all.extend(found.map(|computed| (id, computed)));
            } else if let Some(spec) = self.find(work, &source).await? {
                let Some(mut wanted) = wanted_pages(&source) else {
                    all.insert(id, Computed { pages: Arc::default(), seed: spec.seed.clone() });
                    continue;
                };
                wanted.changelog = wanted.changelog && spec.has_earlier(work).await?;
                let seed = if wanted.changelog { spec.seed_of_versions() } else { spec.seed.clone() };
                let summary = summary(work, &spec.version).await?;
                let generate = || computed_pages(&id, &source, &summary, &wanted);
                let pages = work.spec_cache().pages(&id, &source, &spec.version.parts, &wanted, generate);
                all.insert(id, Computed { pages, seed });
            }
        }
        Ok(all)
    }

    /// Writes the text of a generated page, which replaces a computed page unless it is a preview. `None` if its spec
    /// no longer has the shown parts, or the reader may not see the translation.
    pub(in crate::usecases) async fn document(
        &mut self,
        work: &mut Work<'_>,
        source: &ComputedSource,
        place: Option<&PageId>,
    ) -> Result<Option<Document>, Error> {
        if source.translation().is_some() {
            return self.translated.document(work, &self.organization, source).await;
        }
        let Some(spec) = self.find(work, source).await? else { return Ok(None) };
        let summary = summary(work, &spec.version).await?;
        if !matches!(shown_part(source), Some(PageDoc::Changelog { .. })) {
            return Ok(document(source, &summary));
        }
        let OpenapiVersion { spec: of, id, .. } = &spec.version;
        let versions = work.openapi_specs().changelog(of, id, MAX_CHANGELOG).await?;
        Ok(changelog(source, &summary, &versions, place))
    }

    /// Finds a generated page, or the first page of the space. Generates only the pages of the same computed page.
    pub(in crate::usecases) async fn page(
        &mut self,
        work: &mut Work<'_>,
        snapshot: &Snapshot,
        objects: &mut MemoryObjects,
        wanted: Wanted<'_>,
    ) -> Result<Option<Node>, Error> {
        if !snapshot.has_computed_pages() {
            return Ok(None);
        }
        let level = work.compute(objects, |objects| {
            let parent = match wanted {
                Wanted::Id(id) => {
                    let Some(place) = computed_page(id) else { return Ok(None) };
                    let Some(page) = snapshot.page(objects, &place)? else { return Ok(None) };
                    page.parent
                }
                Wanted::Path(path) => snapshot.page_above(objects, path)?.0,
                Wanted::First => None,
            };
            let above = match &parent {
                Some(parent) => snapshot.path(objects, parent)?.unwrap_or_default(),
                None => String::new(),
            };
            Ok(Some((snapshot.level(objects, parent.as_ref())?, above)))
        });
        let Some((level, above)) = level.await? else { return Ok(None) };
        let computed = self.computed(work, sources(&level)).await?;
        let nodes = filled(level, &above, &computed);
        let is_wanted = |node: &Node| match wanted {
            Wanted::Id(id) => node.id == *id,
            Wanted::Path(path) => node.path == path.trim_matches('/'),
            Wanted::First => true,
        };
        let mut waiting: Vec<Node> = nodes.into_iter().rev().collect();
        while let Some(mut node) = waiting.pop() {
            if is_wanted(&node) {
                let is_first = matches!(wanted, Wanted::First);
                return Ok(Some(node).filter(|node| is_first || node.generated.is_some()));
            }
            let below = std::mem::take(&mut node.children);
            waiting.extend(below.into_iter().rev());
        }
        Ok(None)
    }
}
