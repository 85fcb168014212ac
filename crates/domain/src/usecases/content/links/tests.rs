use super::cache::LinkCache;
use super::collected::{PageLinks, Referred, own_anchors, references};
use super::listing::alone;
use super::*;
use crate::content::anchors::Anchors;
use crate::content::import::testing::World;
use crate::content::object::{Hash, ReadError};
use rstest::rstest;

/// The texts of all pages.
fn texts(world: &World) -> Vec<Hash> {
    world.tree().iter().filter_map(|node| node.page.document()).collect()
}

#[test]
fn a_link_to_an_anchor_that_is_not_in_its_page_is_broken() {
    let text = "## Use\n\n[a](#use) [b](#gone) [c](b.md#part) [d](b.md#gone) [e](b.md)\n";
    let world = World::of(&[("README.md", text), ("b.md", "## Part\n\n[f](#gone) [g](#part)\n")]);
    let (snapshot, objects, cache) = (&world.snapshot, &world.objects, LinkCache::default());
    let nodes: Vec<Arc<Node>> = world.tree().iter().map(alone).collect();
    let documents = cache.documents(objects, &texts(&world)).expect("at hand");
    let pages: Vec<PageLinks<'_>> = nodes.iter().zip(&documents).map(|(node, links)| (node, &**links)).collect();
    let anchors = own_anchors(snapshot, objects, &cache, &pages).expect("at hand");
    let found = references(&pages, &anchors);
    let all: Vec<&ContentRef> = found.iter().map(|found| found.about.reference).collect();
    let here = load(snapshot, objects, &all, &HashMap::new(), &cache).expect("at hand");
    let targets = Targets { here, ..Targets::none(&"own".parse().expect("an id")) };
    let status = |Referred { about: About { reference, lost, .. }, page, .. }: &Referred<'_>| {
        let status = if *lost { LinkStatus::Broken } else { targets.of(reference, "https://docs.test").0 };
        (page.path.clone(), crate::content::href::by_id(reference), status == LinkStatus::Ok)
    };
    let broken: Vec<(String, Option<String>)> =
        found.iter().map(status).filter(|(.., is_ok)| !is_ok).map(|(path, href, _)| (path, href)).collect();
    let b = &nodes[1].id;
    let expected =
        [("introduction", "#gone".to_owned()), ("b", "#gone".to_owned()), ("introduction", format!("/pages/{b}#gone"))];
    assert_eq!(broken, expected.map(|(path, href)| (path.to_owned(), Some(href))));
    assert_eq!(found.len(), 7);
}

#[test]
fn a_text_is_read_once() {
    let world = World::of(&[("README.md", "## A\n\n[a](#a) [b](b.md)\n"), ("b.md", "# B\n\nText.\n")]);
    let (cache, nothing) = (LinkCache::default(), MemoryObjects::default());
    let texts = texts(&world);
    let mut missing = texts.clone();
    missing.sort_unstable();
    assert_eq!(cache.documents(&nothing, &texts).err(), Some(ReadError::Missing(missing)));
    assert_eq!(cache.anchors(&nothing, texts[0]).err(), Some(ReadError::Missing(vec![texts[0]])));
    let first = cache.documents(&world.objects, &texts).expect("at hand");
    cache.anchors(&world.objects, texts[0]).expect("at hand");
    let again = cache.documents(&nothing, &texts).expect("cached");
    assert!(first.iter().zip(&again).all(|(one, other)| Arc::ptr_eq(one, other)));
    let links: Vec<usize> = again.iter().map(|document| document.links.len()).collect();
    assert_eq!(links, [2, 0]);
    let page = &world.tree().roots[0].page;
    let anchors = Anchors::with(&world.snapshot, &nothing, page, |text| cache.anchors(&nothing, text)).expect("cached");
    assert!(anchors.contains("a") && !anchors.contains("nothing"));
}

#[rstest]
#[case("https://example.org/x", LinkStatus::Ok)]
#[case("mailto:ada@example.org", LinkStatus::Ok)]
#[case("//cdn.example.org/x.js", LinkStatus::Ok)]
#[case("https://docs.test/o/1", LinkStatus::InApp)]
#[case("https://docs.test", LinkStatus::InApp)]
#[case("https://docs.test.evil.org/", LinkStatus::Ok)]
#[case("./missing.md", LinkStatus::Broken)]
#[case("missing", LinkStatus::Broken)]
#[case("", LinkStatus::Broken)]
fn the_status_of_an_address_depends_on_its_scheme_and_host(#[case] url: &str, #[case] status: LinkStatus) {
    assert_eq!(address_status(url, "https://docs.test"), status);
}
