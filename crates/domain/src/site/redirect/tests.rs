use super::*;
use proptest::prelude::*;
use rstest::rstest;

#[rstest]
#[case("/old", "/old")]
#[case("/old/page-1.html", "/old/page-1.html")]
#[case("/%6Fld/%c3%bc", "/old/%C3%BC")]
#[case("/old%20page", "/old%20page")]
#[case("/a+b~c_d", "/a+b~c_d")]
#[case("/old/*", "/old/*")]
#[case("/old*", "/old*")]
#[case("/a/b*", "/a/b*")]
fn a_source_has_one_spelling(#[case] raw: &str, #[case] source: &str) {
    assert_eq!(raw.parse::<RedirectSource>().unwrap().as_str(), source);
}

#[rstest]
#[case("")]
#[case("/")]
#[case("old")]
#[case("/*")]
#[case("*")]
#[case("/old/")]
#[case("//old")]
#[case("/a//b")]
#[case("/a/**")]
#[case("/a*b")]
#[case("/a/*/b")]
#[case("/a b")]
#[case("/ü")]
#[case("/a%2")]
#[case("/a%zz")]
#[case("/a%C3")]
#[case("/a?x=1")]
#[case("/a#b")]
#[case("/../a")]
#[case("/a/%2e%2E")]
#[case("/a%2Fb")]
#[case("/a%00")]
#[case(&format!("/{}", "a".repeat(512)))]
fn what_is_no_path_is_refused(#[case] raw: &str) {
    assert!(raw.parse::<RedirectSource>().is_err());
}

#[test]
fn the_error_of_a_source_for_every_path_says_what_to_use() {
    let error = "/*".parse::<RedirectSource>().unwrap_err();
    assert_eq!(error.to_string(), "must not be /*, which would match every path: begin it with a name, such as /old/*");
}

fn redirect(source: &str, url: &str) -> SiteRedirect {
    SiteRedirect {
        id: "r".parse().unwrap(),
        site: "s".parse().unwrap(),
        source: source.parse().unwrap(),
        destination: RedirectDestination::External { url: url.parse().unwrap() },
        capture_wildcard: false,
        permanent: false,
        draft: false,
        created_at: DateTime::UNIX_EPOCH,
        updated_at: None,
    }
}

fn capturing(source: &str, url: &str) -> SiteRedirect {
    SiteRedirect { capture_wildcard: true, ..redirect(source, url) }
}

fn redirects(all: impl IntoIterator<Item = SiteRedirect>) -> Redirects {
    Redirects::new(all, |redirect| match &redirect.destination {
        RedirectDestination::External { url } => url.as_str().parse().ok(),
        _ => None,
    })
}

/// The path of an address on the site.
fn within(url: &Url) -> Option<String> {
    url.as_str().starts_with("https://docs.test/").then(|| url.path().to_owned())
}

fn found(redirects: &Redirects, path: &str) -> Option<String> {
    redirects.find(path, within, |_| true).map(|found| found.address.into())
}

#[rstest]
#[case("old", Some("https://a.test/exact"))]
#[case("/old/", Some("https://a.test/exact"))]
#[case("/%6fld", Some("https://a.test/exact"))]
#[case("/older", Some("https://a.test/short"))]
#[case("/old/x", Some("https://a.test/long"))]
#[case("/old/x/y", Some("https://a.test/long"))]
#[case("/old/deep/y", Some("https://a.test/longest"))]
#[case("/old/deep", Some("https://a.test/long"))]
#[case("/Old", None)]
#[case("/", None)]
#[case("", None)]
#[case("/new", None)]
fn exact_comes_before_wildcard_and_the_longest_first(#[case] path: &str, #[case] target: Option<&str>) {
    let all = redirects([
        redirect("/old*", "https://a.test/short"),
        redirect("/old", "https://a.test/exact"),
        redirect("/old/deep/*", "https://a.test/longest"),
        redirect("/old/*", "https://a.test/long"),
    ]);
    assert_eq!(found(&all, path).as_deref(), target);
}

#[rstest]
#[case("/old/a/b", "https://a.test/new/a/b?v=1#top")]
#[case("/old/a%20b", "https://a.test/new/a%20b?v=1#top")]
#[case("/old/%3Fq%23h", "https://a.test/new/%3Fq%23h?v=1#top")]
#[case("/pre-fix/x", "https://b.test/fix/x")]
fn the_part_matched_by_the_star_is_added_to_the_path(#[case] path: &str, #[case] target: &str) {
    let all = redirects([capturing("/old/*", "https://a.test/new/?v=1#top"), capturing("/pre-*", "https://b.test")]);
    assert_eq!(found(&all, path).as_deref(), Some(target));
}

#[rstest]
#[case("/old/../../etc")]
#[case("/old/%2e%2e/x")]
#[case("/old/a%2F..")]
#[case("/old/a%5Cb")]
fn a_captured_path_cannot_leave_the_destination(#[case] path: &str) {
    assert_eq!(found(&redirects([capturing("/old/*", "https://a.test/new")]), path), None);
}

#[test]
fn a_draft_and_a_redirect_without_destination_have_no_effect() {
    let page = RedirectDestination::SitePage { site_space_id: "v".parse().unwrap(), page_id: "p".parse().unwrap() };
    let all = redirects([
        SiteRedirect { draft: true, ..redirect("/draft", "https://a.test/") },
        SiteRedirect { destination: page, ..redirect("/gone", "https://a.test/") },
    ]);
    assert_eq!((found(&all, "/draft"), found(&all, "/gone")), (None, None));
}

#[rstest]
#[case(true, true, 308)]
#[case(true, false, 307)]
#[case(false, true, 307)]
#[case(false, false, 307)]
fn only_a_permanent_redirect_of_a_public_site_is_cacheable(
    #[case] permanent: bool,
    #[case] public: bool,
    #[case] code: u16,
) {
    assert_eq!(RedirectStatus::of(permanent, public).code(), code);
}

#[rstest]
#[case("/old", "https://docs.test/old", false)]
#[case("/old", "https://docs.test/%6Fld/?x=1#y", false)]
#[case("/old/*", "https://docs.test/old/new", false)]
#[case("/old*", "https://docs.test/old-new", false)]
#[case("/old/*", "https://docs.test/old", true)]
#[case("/old", "https://docs.test/older", true)]
#[case("/old", "https://a.test/old", true)]
fn a_redirect_to_itself_is_refused(#[case] source: &str, #[case] url: &str, #[case] fine: bool) {
    assert_eq!(redirect(source, url).check(within).is_ok(), fine);
}

#[rstest]
#[case("/llms.txt", Some("must not be /llms.txt: every site has this file"))]
#[case("/robots.txt", Some("must not be /robots.txt: every site has this file"))]
#[case("/~/search", Some("must not begin with /~/ or /~gitbook/: every site has these addresses itself"))]
#[case("/~gitbook/*", Some("must not begin with /~/ or /~gitbook/: every site has these addresses itself"))]
#[case("/~/at/docs/*", None)]
#[case("/~drafts/a", None)]
#[case("/.well-known/security.txt", None)]
#[case("/old/llms.txt", None)]
#[case("/sitemap*", None)]
#[case("/docs", None)]
fn the_source_is_no_path_that_each_site_answers_itself(#[case] source: &str, #[case] rule: Option<&str>) {
    let refused = redirect(source, "https://a.test/").check(within).err();
    assert_eq!(refused, rule.map(|rule| Invalid::new("source", rule)));
}

#[test]
fn several_redirects_are_one_step_and_a_cycle_has_no_target() {
    let all = redirects([
        redirect("/a", "https://docs.test/b?x=1"),
        redirect("/b", "https://docs.test/c/d"),
        capturing("/c/*", "https://a.test/end"),
        redirect("/x", "https://docs.test/y"),
        redirect("/y", "https://docs.test/z"),
        redirect("/z", "https://docs.test/x"),
        capturing("/in/*", "https://docs.test/out"),
        capturing("/out/*", "https://docs.test/in/more"),
        redirect("/live", "https://docs.test/page"),
    ]);
    assert_eq!(found(&all, "/a").as_deref(), Some("https://a.test/end/d?x=1"));
    assert_eq!(found(&all, "/x"), None);
    assert_eq!(found(&all, "/in/a"), None, "it grows without an end");
    assert_eq!(found(&all, "/live").as_deref(), Some("https://docs.test/page"));
}

#[test]
fn a_page_precedes_a_redirect_on_the_way() {
    let all = redirects([
        redirect("/a", "https://docs.test/b"),
        redirect("/b", "https://a.test/end"),
        redirect("/guides/*", "https://docs.test/guides/start"),
    ]);
    let found = |path: &str, page: &str| all.find(path, within, |path| path != page).map(|one| one.address.to_string());
    assert_eq!(found("/a", "").as_deref(), Some("https://a.test/end"));
    assert_eq!(found("/a", "/b").as_deref(), Some("https://docs.test/b"));
    assert_eq!(found("/guides/old", "/guides/start").as_deref(), Some("https://docs.test/guides/start"));
}

#[rstest]
#[case(true, true, true)]
#[case(true, false, false)]
#[case(false, true, false)]
fn several_redirects_are_permanent_if_each_is(#[case] first: bool, #[case] second: bool, #[case] expected: bool) {
    let all = redirects([
        SiteRedirect { permanent: first, ..redirect("/a", "https://docs.test/b") },
        SiteRedirect { permanent: second, ..redirect("/b", "https://a.test/end") },
    ]);
    assert_eq!(all.find("/a", within, |_| true).map(|found| found.permanent), Some(expected));
}

#[rstest]
#[case("https://docs.test/s/docs/a?x=1#y", Some("https://docs.test/~preview/a?x=1#y"))]
#[case("https://docs.test/s/docs/a", Some("https://docs.test/~preview/a"))]
fn an_address_below_another_base_keeps_its_query_and_fragment(#[case] address: &str, #[case] expected: Option<&str>) {
    let moved = below("https://docs.test/~preview/", "a", &address.parse().unwrap());
    assert_eq!(moved.as_ref().map(Url::as_str), expected);
}

#[rstest]
#[case("https://a.test/", None, "https://a.test/")]
#[case("https://a.test/", Some("q=1"), "https://a.test/?q=1")]
#[case("https://a.test/?v=2#x", Some("q=1"), "https://a.test/?v=2&q=1#x")]
fn the_query_is_kept(#[case] address: &str, #[case] query: Option<&str>, #[case] expected: &str) {
    assert_eq!(with_query(address.parse().unwrap(), query).as_str(), expected);
}

#[test]
fn a_destination_is_written_as_the_api_has_it() {
    let json = r#"{"kind":"site-page","siteSpaceId":"v","pageId":"p"}"#;
    let read: RedirectDestination = serde_json::from_str(json).unwrap();
    assert_eq!(serde_json::to_string(&read).unwrap(), json);
}

fn source() -> impl Strategy<Value = String> {
    ("(/[ab]{1,2}){1,3}", prop::sample::select(vec!["", "*", "/*"])).prop_map(|(path, wild)| path + wild)
}

proptest! {
    #[test]
    fn the_best_source_is_found_as_by_comparing_all(sources in prop::collection::btree_set(source(), 0..12), path in "(/[ab]{1,2}){1,4}") {
        let all = redirects(sources.iter().map(|source| redirect(source, "https://a.test/")));
        let best = sources.iter().map(|source| source.parse::<RedirectSource>().unwrap())
            .filter(|source| source.capture(&path).is_some())
            .max_by_key(|source| (!source.is_wildcard(), source.as_str().len()));
        prop_assert_eq!(all.matching(&path).map(|one| one.source.clone()), best);
    }

    #[test]
    fn no_redirect_ends_at_one_of_the_same_site(steps in prop::collection::btree_map(source(), ("(/[ab]{1,2}){1,2}", any::<bool>()), 0..8), path in "(/[ab]{1,2}){1,4}") {
        let all = redirects(steps.iter().map(|(source, (target, capture))| SiteRedirect {
            capture_wildcard: *capture,
            ..redirect(source, &format!("https://docs.test{target}"))
        }));
        if let Some(found) = all.find(&path, within, |_| true) {
            prop_assert!(all.matching(found.address.path()).is_none(), "{} leads to {}", path, found.address);
            prop_assert_eq!(found.end.as_deref(), Some(found.address.path()));
        }
    }

    #[test]
    fn a_source_is_its_own_normal_form(raw in "(/[a-zA-Z0-9._~%+-]{1,6}){1,3}[*]?") {
        if let Ok(source) = raw.parse::<RedirectSource>() {
            prop_assert_eq!(source.as_str().parse::<RedirectSource>(), Ok(source.clone()));
            prop_assert!(source.as_str().len() <= raw.len());
        }
    }

    #[test]
    fn the_host_of_a_destination_never_changes(path in "/old/\\PC{0,40}") {
        let all = redirects([capturing("/old/*", "https://a.test/new")]);
        if let Some(url) = found(&all, &path) {
            prop_assert!(url.starts_with("https://a.test/new/"), "{}", url);
        }
    }
}
