use super::*;
use proptest::prelude::*;
use rstest::rstest;
use std::collections::{BTreeMap, BTreeSet};

/// A site for tests: its sections with their variants, and the pages of each variant.
#[derive(Clone, Debug)]
struct Site {
    reserved: Reserved,
    sections: Vec<Section>,
}

#[derive(Clone, Debug)]
struct Section {
    id: Option<SiteSectionId>,
    path: String,
    variants: Vec<Variant>,
}

#[derive(Clone, Debug)]
struct Variant {
    id: SiteSpaceId,
    path: String,
    pages: Vec<String>,
}

/// Where pages were, and the index of the page in its variant.
type Former = BTreeMap<(Spot, String), usize>;

impl Site {
    fn view(&self) -> View<'_> {
        let sections = self.sections.iter().enumerate().map(|(at, section)| SectionView {
            id: section.id.as_ref(),
            path: &section.path,
            former: Vec::new(),
            default: at == 0,
            was_default: false,
            variants: (section.variants.iter().enumerate())
                .map(|(at, one)| VariantView {
                    id: &one.id,
                    path: &one.path,
                    former: Vec::new(),
                    default: at == 0,
                    was_default: false,
                })
                .collect(),
        });
        View { reserved: self.reserved, sections: sections.collect() }
    }

    fn pages(&self, spot: Spot) -> &[String] {
        &self.sections[spot.section].variants[spot.variant].pages
    }

    fn page_at(&self, spot: Spot, at: usize) -> PageAtPath {
        let path = self.pages(spot)[at].clone();
        PageAtPath { page: format!("p{at}").parse().unwrap(), path, first: at == 0 }
    }

    fn look_up(&self, reading: &Reading) -> Option<PageAtPath> {
        let pages = self.pages(reading.spot);
        if reading.page.is_empty() {
            return (!pages.is_empty()).then(|| self.page_at(reading.spot, 0));
        }
        let exact = pages.iter().position(|path| *path == reading.page);
        let folded = || pages.iter().position(|path| path.eq_ignore_ascii_case(&reading.page));
        exact.or_else(folded).map(|at| self.page_at(reading.spot, at))
    }

    fn find(&self, path: &str, former: &Former) -> PathOutcome {
        let was = |reading: &Reading| {
            former.get(&(reading.spot, reading.page.clone())).map(|at| self.page_at(reading.spot, *at))
        };
        self.view().find(path, |reading| self.look_up(reading), was)
    }

    fn spots(&self) -> Vec<Spot> {
        let spots = |(section, one): (usize, &Section)| {
            (0..one.variants.len()).map(move |variant| Spot { section, variant }).collect::<Vec<_>>()
        };
        self.sections.iter().enumerate().flat_map(spots).collect()
    }
}

fn variant(path: &str, pages: &[&str]) -> Variant {
    let pages = pages.iter().map(|page| (*page).to_owned()).collect();
    Variant { id: path.replace('.', "_").parse().unwrap(), path: path.to_owned(), pages }
}

fn section(path: &str, variants: Vec<Variant>) -> Section {
    Section { id: Some(path.parse().unwrap()), path: path.to_owned(), variants }
}

/// Guides in two versions, the first one the default, and a reference.
fn site() -> Site {
    let guides = vec![
        variant("v2", &["start", "install", "install/linux", "Über uns", "api", "v1", "llms.txt"]),
        variant("v1", &["start", "install", "guides"]),
    ];
    Site {
        reserved: Reserved::Site,
        sections: vec![section("guides", guides), section("api", vec![variant("rest", &["intro", "users", "rest"])])],
    }
}

fn spot(section: usize, variant: usize) -> Spot {
    Spot { section, variant }
}

fn here(section: usize, variant: usize, page: usize, form: Form) -> PathOutcome {
    PathOutcome::Here { spot: spot(section, variant), page: format!("p{page}").parse().unwrap(), form }
}

#[rstest]
#[case("", here(0, 0, 0, Form::Page))]
#[case("install", here(0, 0, 1, Form::Page))]
#[case("install/linux", here(0, 0, 2, Form::Page))]
#[case("%C3%9Cber%20uns", here(0, 0, 3, Form::Page))]
#[case("%c3%9cber%20uns", here(0, 0, 3, Form::Page))]
#[case("install.md", here(0, 0, 1, Form::Markdown))]
#[case("start.md", here(0, 0, 0, Form::Markdown))]
#[case("guides/v2/api.md", here(0, 0, 4, Form::Markdown))]
#[case("api/intro.md", here(1, 0, 0, Form::Markdown))]
#[case("v1/guides.md", here(0, 1, 2, Form::Markdown))]
#[case("install/rss.xml", here(0, 0, 1, Form::Feed))]
#[case("rss.xml", here(0, 0, 0, Form::Feed))]
#[case("v1", here(0, 1, 0, Form::Page))]
#[case("v1/install", here(0, 1, 1, Form::Page))]
#[case("v1/guides", here(0, 1, 2, Form::Page))]
#[case("api", here(1, 0, 0, Form::Page))]
#[case("api/users", here(1, 0, 1, Form::Page))]
#[case("api/rest/rest", here(1, 0, 2, Form::Page))]
#[case("guides/v2/api", here(0, 0, 4, Form::Page))]
#[case("guides/v2/v1", here(0, 0, 5, Form::Page))]
#[case("guides/v2/llms.txt", here(0, 0, 6, Form::Page))]
fn each_page_is_at_its_address(#[case] path: &str, #[case] expected: PathOutcome) {
    assert_eq!(site().find(path, &Former::new()), expected);
}

#[rstest]
#[case("start", "")]
#[case("guides", "")]
#[case("guides/", "")]
#[case("guides/v2/", "")]
#[case("v2", "")]
#[case("guides/install", "install")]
#[case("guides/v2/install", "install")]
#[case("guides/v1/install", "v1/install")]
#[case("Guides/V1/Install", "v1/install")]
#[case("INSTALL", "install")]
#[case("install/", "install")]
#[case("install//linux", "install/linux")]
#[case("install.html", "install")]
#[case("install.HTM", "install")]
#[case("install/index.html", "install")]
#[case("install/index", "install")]
#[case("install/README.md", "install")]
#[case("README.md", "")]
#[case("index.html", "")]
#[case("guides/api", "guides/v2/api")]
#[case("v2/v1", "guides/v2/v1")]
#[case("api/rest", "api")]
#[case("api/intro", "api")]
#[case("api/rest/users", "api/users")]
#[case("api/intro/rss.xml", "api/rss.xml")]
#[case("Install.MD", "install.md")]
#[case("api.md", "api/intro.md")]
#[case("API.MD", "api/intro.md")]
#[case("v1.md", "v1/start.md")]
#[case("api/rest.md", "api/intro.md")]
#[case("guides.md", "start.md")]
#[case("guides/v2.md", "start.md")]
fn every_other_spelling_is_redirected_to_the_one_address(#[case] path: &str, #[case] address: &str) {
    assert_eq!(site().find(path, &Former::new()), PathOutcome::Moved(address.to_owned()));
}

#[rstest]
#[case("nothing")]
#[case("install/nothing")]
#[case("v3/install")]
#[case("llms.txt")]
#[case("~/search")]
#[case("~at/install")]
#[case("install/..")]
#[case("install%2Flinux")]
#[case("%00")]
#[case(".md")]
#[case("nothing.html")]
fn an_unknown_path_is_not_found(#[case] path: &str) {
    assert_eq!(site().find(path, &Former::new()), PathOutcome::Nothing);
}

#[test]
fn a_section_with_a_reserved_name_is_reached_behind_an_escape() {
    let site = Site {
        reserved: Reserved::Shared,
        sections: vec![
            section("docs", vec![variant("en", &["start", "v1"])]),
            section("files", vec![variant("all", &["x"])]),
        ],
    };
    assert_eq!(site.view().address(spot(1, 0), ""), "~/at/files/all");
    assert_eq!(site.find("~/at/files/all", &Former::new()), here(1, 0, 0, Form::Page));
    assert_eq!(site.find("~/at/files", &Former::new()), PathOutcome::Moved("~/at/files/all".to_owned()));
    assert_eq!(site.find("~/at/docs/en/v1", &Former::new()), here(0, 0, 1, Form::Page));
    assert_eq!(site.find("", &Former::new()), here(0, 0, 0, Form::Page));
    assert_eq!(site.find("files/all", &Former::new()), PathOutcome::Nothing);
}

#[rstest]
#[case("~/at/docs", true)]
#[case("~/at/docs/en/v1.md", true)]
#[case("~/at/", false)]
#[case("~/at", false)]
#[case("~/attic/docs", false)]
#[case("~/search", false)]
#[case("docs/~/at", false)]
fn content_behind_an_escape_has_a_path_of_its_own(#[case] path: &str, #[case] escaped: bool) {
    assert_eq!(is_escaped(path), escaped);
}

#[rstest]
#[case("", true)]
#[case("install/linux", true)]
#[case("/caf%C3%A9/...", true)]
#[case("../install", false)]
#[case("install/./linux", false)]
#[case("install/%2E%2e", false)]
#[case("install\\linux", false)]
#[case("install%2Flinux", false)]
fn a_page_has_no_path_that_browsers_change(#[case] path: &str, #[case] possible: bool) {
    assert_eq!(is_path(path), possible);
}

#[rstest]
#[case("~/search", Some("search"))]
#[case("~gitbook/pdf", Some("pdf"))]
#[case("~/at", Some("at"))]
#[case("~/at/docs", None)]
#[case("~drafts/a", None)]
#[case("docs/~/search", None)]
fn each_site_has_addresses_besides_its_pages(#[case] path: &str, #[case] rest: Option<&str>) {
    assert_eq!(own_path(path), rest);
}

#[test]
fn a_page_whose_name_ends_like_a_form_wins_over_the_form() {
    let mut site = Site {
        reserved: Reserved::Site,
        sections: vec![Section {
            id: None,
            path: String::new(),
            variants: vec![variant("en", &["x", "agents", "agents.md", "index"])],
        }],
    };
    assert_eq!(site.find("agents.md", &Former::new()), here(0, 0, 2, Form::Page));
    assert_eq!(site.find("agents.md.md", &Former::new()), here(0, 0, 2, Form::Markdown));
    site.sections[0].variants.push(variant("agents", &["start"]));
    assert_eq!(site.find("agents.md", &Former::new()), here(0, 0, 2, Form::Page), "also over a variant");
    assert_eq!(site.find("index", &Former::new()), here(0, 0, 3, Form::Page));
}

#[test]
fn a_former_segment_resolves_to_its_section_and_variant_until_another_has_it() {
    let site = site();
    let mut view = site.view();
    view.sections[1].former = vec!["reference", "install"];
    view.sections[0].variants[1].former = vec!["old"];
    let find = |view: &View<'_>, path: &str| view.find(path, |reading| site.look_up(reading), |_| None);
    assert_eq!(find(&view, "reference/users"), PathOutcome::Moved("api/users".to_owned()));
    assert_eq!(find(&view, "reference"), PathOutcome::Moved("api".to_owned()));
    assert_eq!(find(&view, "reference.md"), PathOutcome::Moved("api/intro.md".to_owned()));
    assert_eq!(find(&view, "old/install"), PathOutcome::Moved("v1/install".to_owned()));
    assert_eq!(find(&view, "guides/old/install.md"), PathOutcome::Moved("v1/install.md".to_owned()));
    assert_eq!(find(&view, "install"), here(0, 0, 1, Form::Page), "an existing page wins");
    assert_eq!(find(&view, "reference/nothing"), PathOutcome::Nothing);
    view.sections[0].variants[0].path = "reference";
    assert_eq!(
        find(&view, "reference/install"),
        PathOutcome::Moved("install".to_owned()),
        "a variant has the name now"
    );
}

#[rstest]
#[case("руководство/users", here(1, 0, 1, Form::Page))]
#[case("Руководство/users", PathOutcome::Moved("руководство/users".to_owned()))]
#[case("РУКОВОДСТВО", PathOutcome::Moved("руководство".to_owned()))]
#[case("%D0%A0уководство.md", PathOutcome::Moved("руководство/intro.md".to_owned()))]
#[case("über/install", here(0, 1, 1, Form::Page))]
#[case("ÜBER/install", PathOutcome::Moved("über/install".to_owned()))]
#[case("u\u{308}ber/install", PathOutcome::Moved("über/install".to_owned()))]
#[case("guides/U%CC%88ber/install", PathOutcome::Moved("über/install".to_owned()))]
#[case("История/users", PathOutcome::Moved("руководство/users".to_owned()))]
#[case("A\u{308}LTER/install", PathOutcome::Moved("über/install".to_owned()))]
fn a_segment_in_any_language_is_found_in_any_case_and_encoding(#[case] path: &str, #[case] expected: PathOutcome) {
    let mut site = site();
    site.sections[1].path = "руководство".to_owned();
    site.sections[0].variants[1].path = "über".to_owned();
    let mut view = site.view();
    view.sections[1].former = vec!["история"];
    view.sections[0].variants[1].former = vec!["älter"];
    assert_eq!(view.find(path, |reading| site.look_up(reading), |_| None), expected);
}

#[test]
fn a_page_is_shadowed_by_a_segment_in_another_case() {
    let mut site = site();
    site.sections[1].path = "über".to_owned();
    site.sections[0].variants[0].pages.push("Über".to_owned());
    let address = site.view().address(spot(0, 0), "Über");
    assert_eq!(address, "guides/v2/Über");
    assert_eq!(site.find(&address, &Former::new()), here(0, 0, 7, Form::Page));
}

#[test]
fn a_former_path_redirects_to_the_page_unless_another_page_has_it() {
    let site = site();
    let former: Former = [(spot(0, 0), "setup", 1), (spot(0, 0), "install", 2), (spot(0, 1), "setup", 0)]
        .map(|(spot, path, page)| ((spot, path.to_owned()), page))
        .into();
    assert_eq!(site.find("setup", &former), PathOutcome::Moved("install".to_owned()));
    assert_eq!(site.find("setup.md", &former), PathOutcome::Moved("install.md".to_owned()));
    assert_eq!(site.find("setup.html", &former), PathOutcome::Moved("install".to_owned()));
    assert_eq!(site.find("v1/setup", &former), PathOutcome::Moved("v1".to_owned()), "the first page of its variant");
    assert_eq!(site.find("install", &former), here(0, 0, 1, Form::Page));
}

#[test]
fn an_empty_site_has_no_pages() {
    assert_eq!(View::default().readings("a"), []);
    assert_eq!(View::flat(Reserved::Site, Vec::new()).start(), None);
    assert_eq!(View::default().find("", |_| unreachable!(), |_| unreachable!()), PathOutcome::Nothing);
}

/// Names that are likely to meet.
fn name() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["a", "b", "c", "en", "llms.txt", "docs", "index", "a.md", "rss.xml", "a.html", "readme"])
        .prop_map(str::to_owned)
}

type Pages = BTreeSet<String>;

fn variants_of(all: BTreeMap<String, Pages>) -> Vec<Variant> {
    let of = |(path, pages): (String, Pages)| Variant {
        id: path.parse().unwrap(),
        path,
        pages: pages.into_iter().collect(),
    };
    all.into_iter().map(of).collect()
}

fn any_site() -> impl Strategy<Value = Site> {
    let page = prop::collection::vec(name(), 1..3).prop_map(|path| path.join("/"));
    // What is reserved on every site is never the name of a section or a variant.
    let segment = prop::sample::select(vec!["a", "b", "c", "en", "docs", "s"]).prop_map(str::to_owned).boxed();
    let variants = prop::collection::btree_map(segment.clone(), prop::collection::btree_set(page, 1..6), 1..4).boxed();
    let sectioned = prop::collection::btree_map(segment, variants.clone(), 1..4).prop_map(|all| {
        let of = |(path, variants): (String, BTreeMap<String, Pages>)| section(&path, variants_of(variants));
        all.into_iter().map(of).collect::<Vec<_>>()
    });
    let flat = variants.prop_map(|all| vec![Section { id: None, path: String::new(), variants: variants_of(all) }]);
    let reserved = prop::sample::select(vec![Reserved::Site, Reserved::Root, Reserved::Shared]);
    (reserved, prop_oneof![sectioned, flat]).prop_map(|(reserved, sections)| Site { reserved, sections })
}

proptest! {
    #[test]
    fn each_page_has_its_own_address_that_resolves_to_it(site in any_site()) {
        let view = site.view();
        let mut addresses = BTreeSet::new();
        for spot in site.spots() {
            for at in 0..site.pages(spot).len() {
                let own = if at == 0 { "" } else { &*site.pages(spot)[at] };
                let address = view.address(spot, own);
                let found = site.find(&address, &Former::new());
                prop_assert_eq!(found, here(spot.section, spot.variant, at, Form::Page), "{}", address);
                prop_assert!(addresses.insert(address.clone()), "two pages at {}", address);
            }
        }
    }

    #[test]
    fn a_moved_path_resolves_after_one_redirect(site in any_site(), path in prop::collection::vec(name(), 0..5), slash in any::<bool>()) {
        let path = path.join("/") + if slash { "/" } else { "" };
        if let PathOutcome::Moved(address) = site.find(&path, &Former::new()) {
            prop_assert!(matches!(site.find(&address, &Former::new()), PathOutcome::Here { .. }), "{} -> {}", path, address);
        }
    }

    #[test]
    fn a_page_that_is_not_shadowed_has_no_segment_of_a_default(site in any_site()) {
        let view = site.view();
        for spot in site.spots() {
            for page in site.pages(spot) {
                let (section, variant) = view.at(spot).unwrap();
                let short = joined([
                    if spot.section == 0 { "" } else { section.path },
                    if spot.variant == 0 { "" } else { variant.path },
                    page,
                ]);
                prop_assert_eq!(view.leads_to(&short, spot, page), view.address(spot, page) == short);
            }
        }
    }

    #[test]
    fn any_path_is_read(path in "\\PC{0,40}") {
        site().find(&path, &Former::new());
    }
}

#[test]
fn a_path_with_a_former_segment_has_one_of_these_starts() {
    let id: SiteSpaceId = "variant".parse().unwrap();
    let one = |path: &'static str, former: &[&'static str], default: bool| VariantView {
        id: &id,
        path,
        former: former.to_vec(),
        default,
        was_default: !default,
    };
    let section = |path: &'static str, former: &[&'static str], default: bool| SectionView {
        id: None,
        path,
        former: former.to_vec(),
        default,
        was_default: false,
        variants: vec![one("v2", &["next"], true), one("v1", &[], false)],
    };
    let view = View {
        sections: vec![section("guides", &["manual"], true), section("api", &["rest"], false)],
        ..View::default()
    };
    let starts = |section, variant| view.former_starts(Spot { section, variant });
    assert_eq!(starts(0, 0), ["next", "manual", "manual/next"]);
    assert_eq!(starts(0, 1), ["", "manual/v1", "manual"], "the space was the default");
    assert_eq!(starts(1, 0), ["api/next", "rest", "rest/next"]);
    assert_eq!(starts(1, 1), ["api", "rest/v1", "rest"]);
    assert_eq!(starts(2, 0), [""; 0]);
}
