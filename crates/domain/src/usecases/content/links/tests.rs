use super::listing::alone;
use super::*;
use crate::content::import::testing::World;
use rstest::rstest;

#[test]
fn a_link_to_an_anchor_that_is_not_in_its_page_is_broken() {
    let text = "## Use\n\n[a](#use) [b](#gone) [c](b.md#part) [d](b.md#gone) [e](b.md)\n";
    let world = World::of(&[("README.md", text), ("b.md", "## Part\n\n[f](#gone) [g](#part)\n")]);
    let (snapshot, objects) = (&world.snapshot, &world.objects);
    let nodes: Vec<Arc<Node>> = world.tree().iter().map(alone).collect();
    let found: Vec<Referred> =
        nodes.iter().flat_map(|node| references_of(snapshot, objects, node).expect("at hand")).collect();
    let all: Vec<&ContentRef> = found.iter().map(|found| &found.about.reference).collect();
    let targets = Targets {
        own: "own".parse().expect("an id"),
        here: load(snapshot, objects, &all, &HashMap::new()).expect("at hand"),
        elsewhere: HashMap::new(),
        collections: HashMap::new(),
        users: HashMap::new(),
        specs: HashMap::new(),
    };
    let status = |Referred { about: About { reference, lost, .. }, place, .. }: &Referred| {
        let status = if *lost { LinkStatus::Broken } else { targets.of(reference, "https://docs.test").0 };
        (place.page.path.clone(), crate::content::href::by_id(reference), status == LinkStatus::Ok)
    };
    let broken: Vec<(String, Option<String>)> =
        found.iter().map(status).filter(|(.., is_ok)| !is_ok).map(|(path, href, _)| (path, href)).collect();
    let b = &nodes[1].id;
    let expected =
        [("introduction", "#gone".to_owned()), ("introduction", format!("/pages/{b}#gone")), ("b", "#gone".to_owned())];
    assert_eq!(broken, expected.map(|(path, href)| (path.to_owned(), Some(href))));
    assert_eq!(found.len(), 7);
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
