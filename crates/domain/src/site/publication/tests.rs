use super::*;
use crate::site::share_link::ShareLinkKeyDeriver;
use crate::site::structure::{Item, Section, SectionSettings, SiteTitle};
use chrono::DateTime;
use rstest::rstest;

fn hosting() -> Hosting {
    let url = "https://sites.test".parse().unwrap();
    Hosting::new(&url, &url, None, "*.docs.test".parse().ok())
}

fn location(visibility: SiteVisibility) -> SiteLocation {
    let mut site = Site { visibility, ..Site::sample() };
    assert_eq!(SiteLocation::of(&site, None), None, "it is not published");
    site.publish(DateTime::UNIX_EPOCH);
    SiteLocation::of(&site, None).unwrap()
}

fn space(id: &str, default: bool, draft: bool) -> SiteSpace {
    let mut space = SiteSpace::new(id.parse().unwrap(), format!("s-{id}").parse().unwrap(), id.parse().unwrap());
    (space.settings.default, space.settings.draft) = (default, draft);
    space
}

fn section(id: &str, default: bool, spaces: Vec<SiteSpace>) -> Item {
    let settings =
        SectionSettings { default, ..SectionSettings::new(SiteTitle::fitted(id, "Section"), id.parse().unwrap()) };
    Item::Section(Section { id: format!("at-{id}").parse().unwrap(), settings, spaces })
}

fn link(active: bool) -> (ShareLink, ShareKey) {
    let deriver = ShareLinkKeyDeriver::new(&[7; 32]);
    let link =
        ShareLink::new("l".parse().unwrap(), "w".parse().unwrap(), "".parse().unwrap(), &deriver, DateTime::UNIX_EPOCH);
    let key = deriver.key(&link);
    (ShareLink { active, ..link }, key)
}

#[rstest]
#[case::public(SiteVisibility::Public, false, Some(false))]
#[case::public_with_a_key(SiteVisibility::Public, true, Some(false))]
#[case::with_tokens(SiteVisibility::VisitorAuth, true, Some(false))]
#[case::without_its_key(SiteVisibility::ShareLink, false, None)]
#[case::with_its_key(SiteVisibility::ShareLink, true, Some(true))]
fn only_a_site_of_share_links_needs_a_key(
    #[case] visibility: SiteVisibility,
    #[case] keyed: bool,
    #[case] expected: Option<bool>,
) {
    let (link, key) = link(true);
    let unlocked = Unlocked::by(&link, key.clone()).filter(|_| keyed);
    let address = SiteAddress::of(location(visibility), unlocked.as_ref());
    let entry = |with_key| match with_key {
        true => format!("https://sites.test/s/docs/~/share/{}/a%20b", key.reveal()),
        false => "https://sites.test/s/docs/a%20b".to_owned(),
    };
    assert_eq!(address.map(|address| address.at(&hosting(), "a b")), expected.map(entry));
}

#[test]
fn a_key_gives_access_only_to_its_site_and_while_its_link_is_active() {
    let (active, key) = link(true);
    let elsewhere = ShareLink { site: "other".parse().unwrap(), ..active.clone() };
    let unlocked = Unlocked::by(&elsewhere, key.clone()).unwrap();
    assert_eq!(SiteAddress::of(location(SiteVisibility::ShareLink), Some(&unlocked)), None);
    assert_eq!(Unlocked::by(&link(false).0, key), None);
}

#[test]
fn only_addresses_of_the_site_contain_the_key_of_the_link() {
    let (_, key) = link(true);
    let address = SiteAddress::through(location(SiteVisibility::ShareLink), key.clone());
    let through = |url: &str| address.entered(&hosting(), url.to_owned());
    let entry = format!("https://sites.test/s/docs/~/share/{}/", key.reveal());
    assert_eq!(through("https://sites.test/s/docs/a?q=1#b"), format!("{entry}a?q=1#b"));
    assert_eq!(through("https://sites.test/s/docs/"), entry);
    for other in ["https://sites.test/s/docs2/", "https://example.org/s/docs/"] {
        assert_eq!(through(other), other);
    }
}

#[test]
fn parts_that_visitors_do_not_see_have_no_address() {
    let structure = Structure::Sections(vec![
        section("guides", true, vec![space("v1", true, false), space("v2", false, false), space("v3", false, true)]),
        section("api", false, vec![space("gone", true, false), space("rest", false, false)]),
        section("empty", false, Vec::new()),
    ]);
    let address = SiteAddress::of(location(SiteVisibility::Public), None).unwrap();
    let there = |one: &SiteSpace| one.id.as_str() != "gone";
    let site = Publication::new(address, structure.live(there));
    let hosting = hosting();
    let parts = site.parts(&hosting);
    let of_section = |id: &str| parts.section(&format!("at-{id}").parse().unwrap()).map(ToOwned::to_owned);
    let of_space = |id: &str| parts.site_space(&id.parse().unwrap()).map(ToOwned::to_owned);
    let at = |path: &str| Some(format!("https://sites.test/s/docs/{path}"));
    assert_eq!(["guides", "api", "empty"].map(of_section), [at(""), at("api"), None]);
    assert_eq!(["v1", "v2", "v3", "gone", "rest"].map(of_space), [at(""), at("v2"), None, None, at("api")]);
    let found = SpacePublication::first([&Arc::new(site)], &"s-v2".parse().unwrap()).unwrap();
    assert_eq!(found.address(&hosting), at("v2").as_deref());
    let pages = found.pages(&hosting, "start".parse().ok()).unwrap();
    assert_eq!(pages.of(&"p".parse().unwrap(), "a/b"), at("v2/a/b").unwrap());
    assert_eq!(pages.of(&"start".parse().unwrap(), "readme"), at("v2").unwrap());
}

#[test]
fn the_fingerprint_is_another_one_when_an_address_of_a_page_can_be() {
    let location = location(SiteVisibility::Public);
    let flat = |first: SiteSpace, second: SiteSpace| Structure::Spaces(vec![first, second]);
    let (one, two) = (space("one", true, false), space("two", false, false));
    let print = |location: SiteLocation, structure: Structure| {
        let address = SiteAddress::of(location, None).unwrap();
        let site = Arc::new(Publication::new(address, structure.live(|_| true)));
        SpacePublication::first([&site], &"s-one".parse().unwrap()).unwrap().fingerprint()
    };
    let same = print(location.clone(), flat(one.clone(), two.clone()));
    let mut renamed = two.clone();
    renamed.settings.title = SiteTitle::fitted("Renamed", "").into();
    assert_eq!(print(location.clone(), flat(one.clone(), renamed)), same, "a title is in no address");
    let mut started = one.clone();
    started.settings.page = "p".parse().ok();
    let mut moved = two.clone();
    moved.settings.path = "three".parse().unwrap();
    let others = [
        print(SiteLocation { basename: "other".parse().unwrap(), ..location.clone() }, flat(one.clone(), two.clone())),
        print(
            SiteLocation { hostname: "docs.example.org".parse().ok(), ..location.clone() },
            flat(one.clone(), two.clone()),
        ),
        print(
            SiteLocation { proxy: "www.example.org/docs".parse().ok(), ..location.clone() },
            flat(one.clone(), two.clone()),
        ),
        print(SiteLocation { organization: Some("acme".into()), ..location.clone() }, flat(one.clone(), two.clone())),
        print(location.clone(), flat(space("one", false, false), space("two", true, false))),
        print(location.clone(), flat(started, two)),
        print(location, flat(one, moved)),
    ];
    assert!(others.iter().all(|other| *other != same));
}
