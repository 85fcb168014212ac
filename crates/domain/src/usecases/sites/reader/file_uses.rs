//! The files of a revision that only some visitors see: those that it uses only on pages and in blocks with conditions.
//!
//! This depends on the revision alone, so it is computed once for each revision. Most revisions have no such file.
use super::page_tree::{Node, Page};
use super::trees::TreeCache;
use crate::content::document::Document;
use crate::content::object::{Hash, MemoryObjects, Read, fetch};
use crate::content::page::PageKind;
use crate::content::reference::ContentRef;
use crate::content::text_of;
use crate::id::{FileId, PageId, ReusableContentId, SpaceId};
use crate::usecases::Error;
use crate::usecases::content::LoadedRevision;
use crate::usecases::work::Work;
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

/// A file, with its space.
pub(super) type FileOfSpace = (SpaceId, FileId);

/// The file that a reference in a space leads to.
pub(super) fn file_of(reference: &ContentRef, own: &SpaceId) -> Option<FileOfSpace> {
    match reference {
        ContentRef::File { file, space } => Some((space.as_ref().unwrap_or(own).clone(), file.clone())),
        _ => None,
    }
}

/// The references in the settings of a page: its covers, its target if it is a link, and its other addresses.
pub(super) fn references_of_settings(page: &Page) -> impl Iterator<Item = &ContentRef> {
    let settings = page.settings();
    let target = match &page.kind {
        PageKind::Link { target } => Some(target),
        PageKind::Document { .. } | PageKind::Group | PageKind::Computed { .. } => None,
    };
    let covers = settings.cover.iter().flat_map(|cover| cover.source.iter().chain(&cover.source_dark));
    let addresses = settings.meta_links.canonical.iter().chain(&settings.meta_links.alternates);
    target.into_iter().chain(covers).chain(addresses)
}

/// What a document uses.
#[derive(Debug, Default)]
struct Uses {
    /// The files, as they are referred to.
    files: Box<[ContentRef]>,
    /// The reusable contents of its space that it includes.
    contents: Box<[ReusableContentId]>,
}

impl Uses {
    fn of(targets: Vec<ContentRef>) -> Self {
        let (mut files, mut contents) = (BTreeSet::new(), BTreeSet::new());
        for target in targets {
            match target {
                ContentRef::File { .. } => drop(files.insert(target)),
                ContentRef::ReusableContent { reusable_content, space: None } => {
                    contents.insert(reusable_content);
                }
                _ => {}
            }
        }
        Self { files: files.into_iter().collect(), contents: contents.into_iter().collect() }
    }

    /// The number of its entries.
    fn len(&self) -> usize {
        self.files.len() + self.contents.len()
    }
}

/// The files that a document uses.
#[derive(Debug, Default)]
pub(super) struct DocumentFiles {
    /// For all who see the document.
    always: Uses,
    /// In content with a condition.
    conditional: Uses,
}

impl DocumentFiles {
    fn of(document: Document) -> Self {
        let (always, conditional) = document.into_targets_by_condition();
        Self { always: Uses::of(always), conditional: Uses::of(conditional) }
    }

    /// Whether it includes reusable contents.
    fn includes(&self) -> bool {
        !self.always.contents.is_empty() || !self.conditional.contents.is_empty()
    }
}

/// Where a file is used, or a reusable content is included.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Page(PageId),
    Content(ReusableContentId),
}

/// Who sees a file, as far as the uses in one revision decide.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum FileUse {
    /// The revision does not use it.
    Unused,
    /// All who see the space.
    Everyone,
    /// Those who see it on any of these pages. A page can be hidden, and a condition in its text can hide the file.
    OnPages(Vec<PageId>),
}

/// The uses of files in a revision.
#[derive(Debug, Default)]
pub(super) struct RevisionFiles {
    /// The places of the files that not everyone sees; `None` for a file that everyone sees. Of these, only files of
    /// other spaces are here.
    files: HashMap<FileOfSpace, Option<Box<[Place]>>>,
    /// The places that include a reusable content, if a file above is in such a place.
    includers: HashMap<ReusableContentId, Box<[Place]>>,
}

/// A page, to collect the uses of files from.
struct PageFiles<'a> {
    id: &'a PageId,
    /// Whether it, or a page above it, has a condition.
    is_conditional: bool,
    settings: Vec<&'a ContentRef>,
    text: Arc<DocumentFiles>,
}

impl RevisionFiles {
    /// The uses of a file. A file of the own space that everyone sees counts as unused.
    pub(super) fn of(&self, file: &FileOfSpace) -> FileUse {
        match self.files.get(file) {
            None => FileUse::Unused,
            Some(None) => FileUse::Everyone,
            Some(Some(places)) => match self.pages(places) {
                pages if pages.is_empty() => FileUse::Unused,
                pages => FileUse::OnPages(pages),
            },
        }
    }

    /// The pages that are places, or that include them, also through other reusable contents.
    fn pages(&self, places: &[Place]) -> Vec<PageId> {
        let (mut pages, mut contents) = (BTreeSet::new(), HashSet::new());
        let mut waiting: Vec<&Place> = places.iter().collect();
        while let Some(place) = waiting.pop() {
            match place {
                Place::Page(page) => drop(pages.insert(page)),
                Place::Content(content) if contents.insert(content) => {
                    waiting.extend(self.includers.get(content).into_iter().flatten());
                }
                Place::Content(_) => {}
            }
        }
        pages.into_iter().cloned().collect()
    }

    fn collect(
        own: &SpaceId,
        pages: &[PageFiles<'_>],
        contents: &HashMap<ReusableContentId, Arc<DocumentFiles>>,
    ) -> Self {
        let open = contents_for_all(pages, contents);
        let mut uses = Collected { own, files: HashMap::new() };
        let mut includers: HashMap<ReusableContentId, Vec<Place>> = HashMap::new();
        let mut include = |text: &DocumentFiles, place: &Place| {
            for content in text.always.contents.iter().chain(text.conditional.contents.iter()) {
                includers.entry(content.clone()).or_default().push(place.clone());
            }
        };
        for PageFiles { id, is_conditional, settings, text } in pages {
            let place = Place::Page((*id).clone());
            let always = settings.iter().copied().chain(text.always.files.iter());
            uses.add(always, is_conditional.then_some(&place));
            uses.add(text.conditional.files.iter(), Some(&place));
            include(text, &place);
        }
        for (id, text) in contents {
            let place = Place::Content(id.clone());
            uses.add(text.always.files.iter(), (!open.contains(id)).then_some(&place));
            uses.add(text.conditional.files.iter(), Some(&place));
            include(text, &place);
        }
        let files = uses.files.into_iter().filter(|((space, _), places)| places.is_some() || space != own);
        let files: HashMap<_, _> = files.map(|(file, places)| (file, places.map(sorted))).collect();
        let in_contents =
            files.values().flatten().any(|places| places.iter().any(|place| matches!(place, Place::Content(_))));
        let includers = match in_contents {
            true => includers.into_iter().map(|(id, places)| (id, sorted(places))).collect(),
            false => HashMap::new(),
        };
        Self { files, includers }
    }

    /// The number of its entries.
    fn len(&self) -> usize {
        let places = self.files.values().flatten().chain(self.includers.values()).map(|places| places.len());
        self.files.len() + self.includers.len() + places.sum::<usize>()
    }
}

/// The files that were found, with their places; `None` for those that everyone sees.
struct Collected<'a> {
    own: &'a SpaceId,
    files: HashMap<FileOfSpace, Option<Vec<Place>>>,
}

impl Collected<'_> {
    /// Adds a use of files at a place; without a place, everyone sees it.
    fn add<'f>(&mut self, references: impl IntoIterator<Item = &'f ContentRef>, place: Option<&Place>) {
        for file in references.into_iter().filter_map(|reference| file_of(reference, self.own)) {
            let places = self.files.entry(file).or_insert_with(|| Some(Vec::new()));
            match (places.as_mut(), place) {
                (Some(places), Some(place)) => places.push(place.clone()),
                (_, None) => *places = None,
                (None, Some(_)) => {}
            }
        }
    }
}

fn sorted(mut places: Vec<Place>) -> Box<[Place]> {
    places.sort_unstable();
    places.dedup();
    places.into()
}

/// The reusable contents that everyone sees on some page.
fn contents_for_all(
    pages: &[PageFiles<'_>],
    contents: &HashMap<ReusableContentId, Arc<DocumentFiles>>,
) -> HashSet<ReusableContentId> {
    let open = pages.iter().filter(|page| !page.is_conditional);
    let mut waiting: Vec<&ReusableContentId> = open.flat_map(|page| page.text.always.contents.iter()).collect();
    let mut found = HashSet::new();
    while let Some(id) = waiting.pop() {
        if let Some(text) = contents.get(id).filter(|_| found.insert(id.clone())) {
            waiting.extend(text.always.contents.iter());
        }
    }
    found
}

/// The pages below some, each with whether a condition can hide it. The depth of the recursion is bounded by
/// [`MAX_DEPTH`](crate::content::page::MAX_DEPTH).
fn walk<'t>(nodes: &'t [Node], is_conditional: bool, all: &mut Vec<(&'t Node, bool)>) {
    for node in nodes {
        let condition = node.page.settings().condition.as_deref();
        let is_conditional = is_conditional || condition.is_some_and(|condition| !condition.is_empty());
        all.push((node, is_conditional));
        walk(&node.children, is_conditional, all);
    }
}

/// The size of the uses in revisions, in bytes.
const REVISIONS: u64 = 16 << 20;
/// The size of the uses in documents, in bytes. Those of some 50,000 documents without files fit.
const DOCUMENTS: u64 = 8 << 20;
/// The expected number of revisions. It sets only how the cache is divided: a cache for so few is not, so that a large
/// entry fits.
const EXPECTED_REVISIONS: usize = 16;
/// The expected number of documents.
const EXPECTED_DOCUMENTS: usize = 8192;
/// The size of an entry without its uses, and of each use, in bytes, approximately.
const ENTRY: usize = 128;
/// The most documents that are read at once.
const MOST_AT_ONCE: usize = 64;

/// Weighs uses by the memory that they take, in bytes.
#[derive(Clone)]
struct Size;

impl Weighter<(SpaceId, Hash), Arc<RevisionFiles>> for Size {
    fn weight(&self, _key: &(SpaceId, Hash), files: &Arc<RevisionFiles>) -> u64 {
        (ENTRY * (1 + files.len())) as u64
    }
}

impl Weighter<Hash, Arc<DocumentFiles>> for Size {
    fn weight(&self, _text: &Hash, files: &Arc<DocumentFiles>) -> u64 {
        (ENTRY * (1 + files.always.len() + files.conditional.len())) as u64
    }
}

/// The uses of files in the last read revisions, and in documents. A revision after an edit of one page reads one text.
#[derive(Debug)]
pub(super) struct FileUseCache {
    revisions: Cache<(SpaceId, Hash), Arc<RevisionFiles>, Size>,
    documents: Cache<Hash, Arc<DocumentFiles>, Size>,
}

impl Default for FileUseCache {
    fn default() -> Self {
        Self {
            revisions: Cache::with_weighter(EXPECTED_REVISIONS, REVISIONS, Size),
            documents: Cache::with_weighter(EXPECTED_DOCUMENTS, DOCUMENTS, Size),
        }
    }
}

impl FileUseCache {
    /// The uses of files in a revision. Generated pages do not count: they are made of specs, and of pages without
    /// conditions.
    pub(super) async fn of(
        &self,
        trees: &TreeCache,
        work: &mut Work<'_>,
        opened: &mut LoadedRevision,
    ) -> Result<Arc<RevisionFiles>, Error> {
        let key = (opened.space.id.clone(), opened.revision.manifest);
        if let Some(known) = self.revisions.get(&key) {
            return Ok(known);
        }
        let tree = trees.of(work, opened).await?.tree;
        let mut nodes = Vec::new();
        walk(&tree.roots, false, &mut nodes);
        let texts: Vec<Option<Hash>> = nodes.iter().map(|(node, _)| node.page.document()).collect();
        let texts = self.documents(work, &texts).await?;
        let pages: Vec<PageFiles<'_>> = (nodes.into_iter().zip(texts))
            .map(|((node, is_conditional), text)| {
                let settings = references_of_settings(&node.page).collect();
                PageFiles { id: &node.id, is_conditional, settings, text }
            })
            .collect();
        let contents = match pages.iter().any(|page| page.text.includes()) {
            true => self.contents(work, opened).await?,
            false => HashMap::new(),
        };
        let files = Arc::new(RevisionFiles::collect(&opened.space.id, &pages, &contents));
        self.revisions.insert(key, files.clone());
        Ok(files)
    }

    /// The uses of files in the reusable contents of a revision.
    async fn contents(
        &self,
        work: &mut Work<'_>,
        opened: &mut LoadedRevision,
    ) -> Result<HashMap<ReusableContentId, Arc<DocumentFiles>>, Error> {
        let contents = opened.read(work, |snapshot, objects| snapshot.reusable_contents(objects)).await?;
        let (ids, texts): (Vec<_>, Vec<_>) = contents.into_iter().map(|(id, content)| (id, content.document)).unzip();
        Ok(ids.into_iter().zip(self.documents(work, &texts).await?).collect())
    }

    /// The uses of files in these texts, in this order. Only some texts are in memory at the same time.
    async fn documents(&self, work: &mut Work<'_>, texts: &[Option<Hash>]) -> Result<Vec<Arc<DocumentFiles>>, Error> {
        let mut all = Vec::with_capacity(texts.len());
        for some in texts.chunks(MOST_AT_ONCE) {
            let mut objects = MemoryObjects::default();
            all.extend(work.compute(&mut objects, |objects| self.read(objects, some)).await?);
        }
        Ok(all)
    }

    fn read(&self, objects: &MemoryObjects, texts: &[Option<Hash>]) -> Read<Vec<Arc<DocumentFiles>>> {
        let known: Vec<Option<Arc<DocumentFiles>>> = texts
            .iter()
            .map(|text| text.map_or_else(|| Some(Arc::default()), |text| self.documents.get(&text)))
            .collect();
        let unknown = texts.iter().zip(&known).filter(|(_, known)| known.is_none()).filter_map(|(text, _)| *text);
        fetch(objects, unknown)?;
        let read = |(text, known): (&Option<Hash>, Option<Arc<DocumentFiles>>)| -> Read<Arc<DocumentFiles>> {
            if let Some(known) = known {
                return Ok(known);
            }
            let files = Arc::new(DocumentFiles::of(text_of(objects, *text)?));
            if let Some(text) = text {
                self.documents.insert(*text, files.clone());
            }
            Ok(files)
        };
        texts.iter().zip(known).map(read).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    const OWN: &str = "own";
    /// A file of the own space without a use, or with one that everyone sees; a file of another space without a use.
    const ALL: &str = "no use with a condition";

    fn id<T: std::str::FromStr<Err: std::fmt::Debug>>(name: &str) -> T {
        name.parse().unwrap()
    }

    /// What a document uses: `f` is a file of its space, `other/f` is one of another space, and `+c` is a reusable
    /// content.
    fn uses(names: &str) -> Uses {
        let target = |name: &str| match (name.strip_prefix('+'), name.split_once('/')) {
            (Some(content), _) => ContentRef::ReusableContent { reusable_content: id(content), space: None },
            (None, Some((space, file))) => ContentRef::File { file: id(file), space: Some(id(space)) },
            (None, None) => ContentRef::File { file: id(name), space: None },
        };
        Uses::of(names.split_whitespace().map(target).collect())
    }

    fn text(always: &str, conditional: &str) -> Arc<DocumentFiles> {
        Arc::new(DocumentFiles { always: uses(always), conditional: uses(conditional) })
    }

    /// The uses of a revision: pages, which have a condition if their name begins with `?`, and reusable contents.
    fn revision(pages: &[(&str, &str, &str)], contents: &[(&str, &str, &str)]) -> RevisionFiles {
        let ids: Vec<PageId> = pages.iter().map(|(name, ..)| id(name.trim_start_matches('?'))).collect();
        let page = |(id, (name, always, conditional)): (_, &(&str, &str, &str))| {
            let (is_conditional, text) = (name.starts_with('?'), text(always, conditional));
            PageFiles { id, is_conditional, settings: Vec::new(), text }
        };
        let pages: Vec<PageFiles<'_>> = ids.iter().zip(pages).map(page).collect();
        let contents = contents.iter().map(|(name, always, conditional)| (id(name), text(always, conditional)));
        RevisionFiles::collect(&id(OWN), &pages, &contents.collect())
    }

    fn shown(files: &RevisionFiles, file: &str) -> String {
        let (space, file) = file.split_once('/').unwrap_or((OWN, file));
        match files.of(&(id(space), id(file))) {
            FileUse::Unused => ALL.to_owned(),
            FileUse::Everyone => "everyone".to_owned(),
            FileUse::OnPages(pages) => pages.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "),
        }
    }

    #[rstest]
    #[case::by_an_open_page(&[("a", "f", "")], &[], ALL)]
    #[case::by_nothing(&[("a", "g", "")], &[], ALL)]
    #[case::by_a_page_with_a_condition(&[("?a", "f", ""), ("b", "g", "")], &[], "a")]
    #[case::by_both(&[("?a", "f", ""), ("b", "f", "")], &[], ALL)]
    #[case::in_a_block_with_a_condition(&[("a", "", "f"), ("?b", "", "f")], &[], "a b")]
    #[case::also_outside_of_the_block(&[("a", "f", "f")], &[], ALL)]
    #[case::in_an_included_text(&[("a", "+c", "")], &[("c", "f", "")], ALL)]
    #[case::included_by_a_page_with_a_condition(&[("?a", "+c", "")], &[("c", "f", "")], "a")]
    #[case::included_in_a_block_with_a_condition(&[("a", "", "+c"), ("b", "", "")], &[("c", "f", "")], "a")]
    #[case::in_a_block_of_an_included_text(&[("a", "+c", ""), ("?b", "+c", "")], &[("c", "", "f")], "a b")]
    #[case::through_two_texts(&[("?a", "+c", "")], &[("c", "+d", ""), ("d", "f", "")], "a")]
    #[case::through_two_texts_for_all(&[("?a", "+c", ""), ("b", "+c", "")], &[("c", "+d", ""), ("d", "f", "")], ALL)]
    #[case::in_a_text_that_no_page_includes(&[("a", "+d", "")], &[("c", "f", ""), ("d", "", "")], ALL)]
    #[case::in_texts_that_include_each_other(&[("?a", "+c", "")], &[("c", "+d", ""), ("d", "f +c", "")], "a")]
    #[case::in_a_text_that_is_gone(&[("a", "+gone", "f")], &[], "a")]
    fn a_file_is_for_those_who_see_a_use_of_it(
        #[case] pages: &[(&str, &str, &str)],
        #[case] contents: &[(&str, &str, &str)],
        #[case] expected: &str,
    ) {
        assert_eq!(shown(&revision(pages, contents), "f"), expected);
    }

    #[rstest]
    #[case(&[("a", "other/f", "")], "everyone")]
    #[case(&[("a", "", "other/f")], "a")]
    #[case(&[("a", "f", "")], ALL)]
    #[case(&[("a", "own/f", "")], ALL)]
    fn uses_of_files_of_other_spaces_are_kept(#[case] pages: &[(&str, &str, &str)], #[case] expected: &str) {
        let files = revision(pages, &[]);
        assert_eq!(shown(&files, "other/f"), expected);
        assert_eq!(shown(&files, "f"), ALL, "a file of another space is another file");
    }

    #[test]
    fn a_revision_without_conditions_takes_no_memory() {
        let pages: Vec<String> = (0..100).map(|page| format!("p{page}")).collect();
        let pages: Vec<(&str, &str, &str)> = pages.iter().map(|page| (page.as_str(), "f g +c", "")).collect();
        assert_eq!(revision(&pages, &[("c", "h", "")]).len(), 0);
    }
}
