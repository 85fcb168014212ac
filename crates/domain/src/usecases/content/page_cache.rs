//! A cache of pages without their texts. Trees of pages never change, so no entry becomes old.
use crate::content::object::Hash;
use crate::content::page::PageEntry;
use crate::content::snapshot::Snapshot;
use crate::content::tree::Node;
use crate::id::PageId;
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use std::io::{self, Write};
use std::sync::Arc;

/// The size of the cache, in bytes. Some 3,000 pages without pages below them fit.
const CAPACITY: u64 = 4 << 20;
/// The expected number of pages. It sets only how the cache is divided.
const EXPECTED_PAGES: usize = 2048;
/// The size of an entry without its page, in bytes, approximately.
const ENTRY: u64 = 160;
/// The size of what the variables of a page take besides their texts, in bytes, approximately.
const VARIABLE: u64 = 256;

/// A tree of pages, by its root, and a page of it. All data of a page and of the pages above and below it follows from
/// them.
type Key = (Hash, PageId);

/// The pages that were read last, each with the pages below it. While a page is here, only its text is loaded to read
/// it.
pub(in crate::usecases) struct PageCache(Cache<Key, Cached, Size>);

/// A page with the memory that it and the pages below it take, in bytes. The cache asks for it several times, also when
/// it removes a page, so it is computed once.
#[derive(Clone)]
struct Cached {
    page: Arc<Node>,
    size: u64,
}

impl Cached {
    fn new(page: Arc<Node>) -> Self {
        let size = ENTRY + page.iter().map(size).sum::<u64>();
        Self { page, size }
    }
}

/// Weighs a page by the memory that it takes, in bytes.
#[derive(Clone)]
struct Size;

impl Weighter<Key, Cached> for Size {
    fn weight(&self, _key: &Key, cached: &Cached) -> u64 {
        cached.size
    }
}

impl Default for PageCache {
    fn default() -> Self {
        Self::new(CAPACITY)
    }
}

impl PageCache {
    fn new(bytes: u64) -> Self {
        Self(Cache::with_weighter(EXPECTED_PAGES, bytes, Size))
    }

    /// A page of a revision with the pages below it, if it is cached.
    pub(super) fn find(&self, snapshot: &Snapshot, id: &PageId) -> Option<Arc<Node>> {
        self.0.get(&(snapshot.pages_root()?, id.clone())).map(|cached| cached.page)
    }

    /// Adds a page of a revision with the pages below it.
    pub(super) fn add(&self, snapshot: &Snapshot, page: Arc<Node>) {
        if let Some(root) = snapshot.pages_root() {
            self.0.insert((root, page.id.clone()), Cached::new(page));
        }
    }
}

/// The memory that a page takes without the pages below it, in bytes, approximately.
fn size(node: &Node) -> u64 {
    let own = (size_of::<Node>() + node.id.as_str().len() + node.path.len()) as u64;
    own + text_size(&node.page) + node.page.variables.len() as u64 * VARIABLE
}

/// The size of a page as JSON, in bytes: about that of its texts and of the memory that they are in.
fn text_size(page: &PageEntry) -> u64 {
    let mut count = Count(0);
    // What counts never fails, and a page has a JSON form: it is stored in it.
    let _: Result<(), serde_json::Error> = serde_json::to_writer(&mut count, page);
    count.0
}

/// Counts the bytes that are written to it.
struct Count(u64);

impl Write for Count {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content::import::testing::World;

    fn world(text: &str) -> World {
        World::of(&[("README.md", text), ("guide/README.md", "# Guide\n"), ("guide/install.md", "# Install\n")])
    }

    /// A page of an imported repository, with the pages below it.
    fn page(world: &World, path: &str) -> Arc<Node> {
        let tree = world.tree();
        Arc::new(tree.iter().find(|node| node.path == path).expect("a page").clone())
    }

    #[test]
    fn a_page_is_found_in_the_tree_that_it_was_added_to() {
        let (cache, world) = (PageCache::default(), world("# Docs\n"));
        let guide = page(&world, "guide");
        assert_eq!(guide.children.len(), 1);
        assert_eq!(cache.find(&world.snapshot, &guide.id), None);
        cache.add(&world.snapshot, guide.clone());
        assert_eq!(cache.find(&world.snapshot, &guide.id), Some(guide.clone()));
        assert_eq!(cache.find(&world.snapshot, &guide.children[0].id), None, "another page");
    }

    #[test]
    fn a_page_of_another_tree_is_not_found() {
        let (cache, one, other) = (PageCache::default(), world("# Docs\n"), world("# Other docs\n"));
        assert_ne!(one.snapshot.pages_root(), other.snapshot.pages_root());
        let guide = page(&one, "guide");
        cache.add(&one.snapshot, guide.clone());
        assert_eq!(cache.find(&other.snapshot, &guide.id), None);
        assert_eq!(cache.find(&Snapshot::default(), &guide.id), None, "a space without pages");
    }

    #[test]
    fn the_cache_takes_no_more_memory_than_its_size() {
        const BYTES: u64 = 1 << 20;
        let (cache, world) = (PageCache::new(BYTES), world("# Docs\n"));
        let guide = page(&world, "guide");
        for number in 0..4000 {
            let id: PageId = format!("page{number}").parse().expect("an id");
            cache.add(&world.snapshot, Arc::new(Node { id, ..Node::clone(&guide) }));
        }
        let taken = cache.0.weight();
        assert!((BYTES / 2..=BYTES).contains(&taken), "{taken}");
        let large = Arc::new(Node { children: vec![Node::clone(&guide); 2000], ..Node::clone(&guide) });
        cache.add(&world.snapshot, large);
        assert!(cache.0.weight() <= BYTES, "a page with more pages below it than fit");
    }

    #[test]
    fn a_page_weighs_what_it_and_the_pages_below_it_take() {
        let world = world("# Docs\n");
        let guide = page(&world, "guide");
        let weight = |page: &Arc<Node>| Cached::new(Arc::clone(page)).size;
        let alone = Arc::new(Node { children: Vec::new(), ..Node::clone(&guide) });
        assert!(weight(&alone) > size_of::<Node>() as u64);
        assert_eq!(weight(&guide) - weight(&alone), size(&guide.children[0]));
        let mut longer = Node::clone(&alone);
        longer.page.title.push_str(&"long ".repeat(100));
        assert_eq!(weight(&Arc::new(longer)) - weight(&alone), 500);
    }
}
