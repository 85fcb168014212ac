//! Translated content that replaces computed pages: pages of a space, or one text, with the translations that are in
//! the memory of the organization. No engine is called: a text without a translation stays in the language of the
//! source.
use crate::content::computed::{Computed, ComputedPage, ComputedSource, generated_id};
use crate::content::document::Document;
use crate::content::expand::expand;
use crate::content::object::{Hash, MemoryObjects};
use crate::content::page::{PageEntry, PageKind, slugify};
use crate::content::reference::ContentRef;
use crate::content::snapshot::Snapshot;
use crate::content::text_of;
use crate::content::tree::Node;
use crate::id::{OrganizationId, PageId, SpaceId, TranslationId};
use crate::space::Space;
use crate::translation::Translation;
use crate::translation::memory_keys::MemoryKeys;
use crate::translation::run::MemoryKey;
use crate::translations::{Tagged, Translatable, Unit};
use crate::usecases::Error;
use crate::usecases::content::write::Base;
use crate::usecases::work::Work;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

/// The spaces whose translated content may be shown.
pub(in crate::usecases) enum VisibleSources {
    /// Those that the caller of the unit of work may view.
    Viewed,
    /// Those that a visitor sees on a site.
    Some(BTreeSet<SpaceId>),
}

/// The translations that computed content is generated from, loaded when they are first needed.
pub(super) struct Translated {
    shows: VisibleSources,
    loaded: HashMap<TranslationId, Option<Arc<Loaded>>>,
    /// The primary content of the spaces that are translated; `None` where it may not be shown.
    sources: HashMap<SpaceId, Option<Arc<Source>>>,
}

struct Source {
    space: Space,
    snapshot: Snapshot,
}

struct Loaded {
    translation: Translation,
    memory_keys: MemoryKeys,
}

impl Translated {
    pub(super) fn new(shows: VisibleSources) -> Self {
        Self { shows, loaded: HashMap::new(), sources: HashMap::new() }
    }

    async fn find(
        &mut self,
        work: &mut Work<'_>,
        organization: &OrganizationId,
        source: &ComputedSource,
    ) -> Result<Option<Arc<Loaded>>, Error> {
        let Some(id) = source.translation().and_then(|id| id.parse::<TranslationId>().ok()) else { return Ok(None) };
        if let Some(known) = self.loaded.get(&id) {
            return Ok(known.clone());
        }
        let found = match work.translations().find(organization, &id).await? {
            Some(translation) => {
                let glossary = work.glossary().entries(organization).await?;
                let memory_keys = MemoryKeys::new(&translation, &glossary);
                Some(Arc::new(Loaded { translation, memory_keys }))
            }
            None => None,
        };
        self.loaded.insert(id, found.clone());
        Ok(found)
    }

    /// Whether the content of a space of the organization may be shown.
    async fn shows(&self, work: &mut Work<'_>, organization: &OrganizationId, space: &SpaceId) -> Result<bool, Error> {
        if let VisibleSources::Some(spaces) = &self.shows {
            return Ok(spaces.contains(space));
        }
        match work.space(space, |may| may.view).await {
            Ok(space) => Ok(space.organization == *organization),
            Err(Error::NotFound(_) | Error::Forbidden(_)) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// The primary content of a space, if it may be shown and the translation may read it.
    async fn source(
        &mut self,
        work: &mut Work<'_>,
        organization: &OrganizationId,
        translation: &Translation,
        space: &SpaceId,
    ) -> Result<Option<Arc<Source>>, Error> {
        let found = match self.sources.get(space) {
            Some(known) => known.clone(),
            None => {
                let found = match self.shows(work, organization, space).await? {
                    true => load(work, space).await?.map(Arc::new),
                    false => None,
                };
                self.sources.insert(space.clone(), found.clone());
                found
            }
        };
        Ok(found.filter(|source| translation.reads(&source.space)))
    }

    /// The pages of the source of a translation that every reader can find. Hidden pages, pages excluded from search,
    /// pages with a condition and links are left out. `None` if there is no such translation, or its source may not be
    /// shown.
    pub(super) async fn pages(
        &mut self,
        work: &mut Work<'_>,
        organization: &OrganizationId,
        place: &PageId,
        source: &ComputedSource,
    ) -> Result<Option<Computed>, Error> {
        let Some(loaded) = self.find(work, organization, source).await? else { return Ok(None) };
        let Loaded { translation, memory_keys } = &*loaded;
        let found = self.source(work, organization, translation, &translation.source.space).await?;
        let Some(Source { space, snapshot }) = found.as_deref() else { return Ok(None) };
        let revision = &space.revision;
        let tree = work.compute(&mut MemoryObjects::default(), |objects| snapshot.tree(objects)).await?;
        let mut titles = Titles { place, translation, memory_keys, known: BTreeMap::new() };
        let all = shown(&tree.roots).flat_map(shown_below);
        let units: Vec<Unit> = all.flat_map(|node| node.page.units()).collect();
        titles.known = find_known(work, organization, memory_keys, &units).await?;
        let seed = format!("{revision} {} {}", translation.stats.runs, translation.updated_at.timestamp_micros());
        let mut seed = seed.into_bytes();
        // Changes of the glossary and runs of other translations change titles without a run of this translation.
        for (key, text) in &titles.known {
            seed.extend(key);
            seed.extend(Hash::of(text.as_bytes()).as_bytes());
        }
        let seed = Hash::of(&seed).to_string().chars().take(32).collect::<String>().into();
        Ok(Some(Computed { pages: titles.pages(&tree.roots).into(), seed }))
    }

    /// A text of a space, translated. `None` if there is no such translation or text, or it may not be shown.
    pub(super) async fn document(
        &mut self,
        work: &mut Work<'_>,
        organization: &OrganizationId,
        source: &ComputedSource,
    ) -> Result<Option<Document>, Error> {
        let Some(loaded) = self.find(work, organization, source).await? else { return Ok(None) };
        let Some((space, document)) = text_in(source) else { return Ok(None) };
        let found = self.source(work, organization, &loaded.translation, &space).await?;
        let Some(Source { snapshot, .. }) = found.as_deref() else { return Ok(None) };
        let Some(document) = document else { return Ok(Some(Document::default())) };
        if !work.content().holds_document(&space, &document).await? {
            return Ok(None);
        }
        let mut objects = MemoryObjects::default();
        let text = work.compute(&mut objects, |objects| expand(objects, snapshot, text_of(objects, Some(document))?));
        let text = text.await?;
        let units = text.units();
        let known = find_known(work, organization, &loaded.memory_keys, &units).await?;
        let answers: Vec<Option<Tagged>> = units.iter().map(|unit| answer(&loaded.memory_keys, &known, unit)).collect();
        let mut done = text.assembled(&answers).unwrap_or(text);
        done.map_references(|target| add_space(&space, target));
        Ok(Some(done))
    }
}

async fn load(work: &mut Work<'_>, space: &SpaceId) -> Result<Option<Source>, Error> {
    let Some(space) = work.spaces().find(space, None).await?.map(|reach| reach.entity) else { return Ok(None) };
    let snapshot = Base::load(work, &space.id, &space.revision).await?.snapshot;
    Ok(Some(Source { space, snapshot }))
}

/// The text of a source: its space and its document, which is absent if the page has no text.
pub(super) fn text_in(source: &ComputedSource) -> Option<(SpaceId, Option<Hash>)> {
    let text = |field: &str| source.props.get(field).map(|value| value.as_str().unwrap_or_default());
    let document = text("document").map(str::parse::<Hash>);
    Some((text("space")?.parse().ok()?, document.transpose().ok()?))
}

/// The translations of these texts in the memory.
async fn find_known(
    work: &mut Work<'_>,
    organization: &OrganizationId,
    memory_keys: &MemoryKeys,
    units: &[Unit],
) -> Result<BTreeMap<MemoryKey, String>, Error> {
    let keys: BTreeSet<MemoryKey> = units.iter().flat_map(|unit| memory_keys.keys(unit)).collect();
    let keys: Vec<MemoryKey> = keys.into_iter().collect();
    if keys.is_empty() {
        return Ok(BTreeMap::new());
    }
    Ok(work.translation_memory().find(organization, &keys, None).await?.into_iter().collect())
}

fn answer(memory_keys: &MemoryKeys, known: &BTreeMap<MemoryKey, String>, unit: &Unit) -> Option<Tagged> {
    let found = memory_keys.keys(unit).into_iter().find_map(|key| known.get(&key))?;
    unit.text.read_canonical(found).ok()
}

/// Adds the space to a reference within it.
fn add_space(from: &SpaceId, target: &mut ContentRef) {
    let space = match target {
        ContentRef::File { space, .. }
        | ContentRef::Page { space, .. }
        | ContentRef::ReusableContent { space, .. }
        | ContentRef::Tag { space, .. } => space,
        // Without a page, it is an anchor in the same text.
        ContentRef::Anchor { space, page: Some(_), .. } => space,
        _ => return,
    };
    space.get_or_insert_with(|| from.clone());
}

/// Those of the siblings that all readers can find.
fn shown(siblings: &[Node]) -> impl Iterator<Item = &Node> {
    let open = |page: &PageEntry| !page.hidden && !page.no_index && page.condition.is_none();
    siblings
        .iter()
        .filter(move |node| open(&node.page) && matches!(node.page.kind, PageKind::Document { .. } | PageKind::Group))
}

/// A page and those below it that all readers can find.
fn shown_below(node: &Node) -> Vec<&Node> {
    let mut all = vec![node];
    let mut at = 0;
    while let Some(node) = all.get(at).copied() {
        all.extend(shown(&node.children));
        at += 1;
    }
    all
}

/// Makes pages with translated titles.
struct Titles<'t> {
    place: &'t PageId,
    translation: &'t Translation,
    memory_keys: &'t MemoryKeys,
    known: BTreeMap<MemoryKey, String>,
}

impl Titles<'_> {
    /// Its recursion is as deep as pages nest ([`crate::content::page::MAX_DEPTH`]).
    fn pages(&self, siblings: &[Node]) -> Vec<ComputedPage> {
        shown(siblings).filter_map(|node| self.page(node)).collect()
    }

    fn page(&self, node: &Node) -> Option<ComputedPage> {
        let Translation { id, source, .. } = self.translation;
        let units = node.page.units();
        let answers: Vec<Option<Tagged>> =
            units.iter().map(|unit| answer(self.memory_keys, &self.known, unit)).collect();
        let page = node.page.assembled(&answers).unwrap_or_else(|_| node.page.clone());
        // A hash, because the id may contain the separator of the two ids.
        let key: String = Hash::of(node.id.as_str().as_bytes()).to_string().chars().take(16).collect();
        Some(ComputedPage {
            id: generated_id(self.place, &key)?,
            slug: slugify(&page.title),
            title: page.title,
            description: page.description,
            icon: page.icon,
            source: Arc::new(ComputedSource::translated(id.as_str(), &source.space, node.page.document().as_ref())),
            pages: self.pages(&node.children),
        })
    }
}
