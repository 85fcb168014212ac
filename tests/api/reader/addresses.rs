//! Addresses and their redirects.
use super::{edit, location, propose, text};
use crate::urls::{BASE, docs};
use acceptance::{Backend, Fields, Fixture, World};
use serde_json::json;

#[acceptance::test]
async fn a_site_is_found_at_all_its_addresses_and_has_one(world: World) {
    let (site, _) = docs(&world, "public").await;
    let id = site.rsplit('/').next().unwrap();
    let bare = world.browse(&format!("{BASE}?q=1")).await;
    assert_eq!(location(&bare), (308, "https://docs.test/s/docs/?q=1"));
    assert_eq!(bare.header("cache-control"), Some("public, max-age=3600"));
    world.ada.patch(&site, json!({"hostname": "docs.acme.org"})).await.ok();
    let old = world.browse(&format!("{BASE}/install?q=1")).await;
    assert_eq!(location(&old), (308, "https://docs.acme.org/install?q=1"));
    let page = text(world.browse("https://docs.acme.org/install").await, 200);
    assert!(page.contains("href=\"/install/linux\"") && !page.contains("/s/docs/"), "{page}");
    world.ada.patch(&site, json!({"proxy": "www.acme.org/docs"})).await.ok();
    let old = world.browse("https://docs.acme.org/install").await;
    assert_eq!(location(&old), (308, "https://www.acme.org/docs/install"));
    let proxied = text(world.browse(&format!("https://docs.test/~proxy/{id}/install")).await, 200);
    assert!(proxied.contains("href=\"/docs/install/linux\""), "{proxied}");
}

#[acceptance::test]
async fn a_host_of_its_own_is_looked_up_by_as_many_statements_for_a_path_of_any_depth(backend: Backend) {
    let Some(world) = World::undisturbed(backend).await else { return };
    text(world.browse("https://example.org/").await, 421);
    let mut counts = Vec::new();
    for (host, path) in [("a.example.org", "a"), ("b.example.org", "a/b"), ("c.example.org", "a/b/c/d/e/f/g/h/i/j")] {
        let (answer, statements) = world.counted(world.browse(&format!("https://{host}/{path}"))).await;
        assert_eq!(answer.status.as_u16(), 421, "{host}");
        counts.push(statements);
    }
    assert_eq!(counts, vec![counts[0]; counts.len()]);
}

#[acceptance::test]
async fn the_longest_proxy_of_an_address_wins_and_a_site_that_is_not_published_is_passed_over(world: World) {
    let at = [
        (json!({"title": "Whole", "hostname": "docs.acme.org"}), "https://docs.acme.org/install"),
        (json!({"title": "Part", "proxy": "docs.acme.org/a"}), "https://docs.acme.org/a/install"),
        (json!({"title": "Piece", "proxy": "docs.acme.org/a/b"}), "https://docs.acme.org/a/b/install"),
    ];
    let mut last = String::new();
    for (settings, _) in &at {
        let (site, _) = docs(&world, "public").await;
        world.ada.patch(&site, settings.clone()).await.ok();
        last = site;
    }
    for (settings, page) in &at {
        let text = text(world.browse(page).await, 200);
        assert!(text.contains(settings.text("title")), "{page}: {text}");
    }
    world.ada.post(&format!("{last}/unpublish"), json!({})).await.ok();
    for (_, page) in &at[..2] {
        text(world.browse(page).await, 200);
    }
    text(world.browse(at[2].1).await, 404);
}

#[acceptance::test]
async fn an_old_path_at_a_former_address_of_the_site_leads_to_the_page_in_one_step(world: World) {
    let (site, space) = docs(&world, "public").await;
    let linux = world.page(&space, "install/linux").await;
    super::change(&world, &space, &linux, json!({"slug": "penguin"})).await;
    world.ada.patch(&site, json!({"hostname": "docs.acme.org"})).await.ok();
    for (old, page) in [
        ("install/linux?q=1", "install/penguin?q=1"),
        ("Install/Linux.html", "install/penguin"),
        ("install/linux.md", "install/penguin.md"),
        ("install?q=1", "install?q=1"),
        ("nothing/here", "nothing/here"),
    ] {
        let moved = world.browse(&format!("{BASE}/{old}")).await;
        assert_eq!(location(&moved), (308, format!("https://docs.acme.org/{page}").as_str()), "{old}");
    }
    world.ada.patch(&site, json!({"visibility": "share-link"})).await.ok();
    let link = world.ada.post(&format!("{site}/share-links"), json!({"name": "Press"})).await.expect(201);
    let entry = link["urls"].text("published").to_owned();
    let key = entry.strip_prefix("https://docs.acme.org/").unwrap();
    let moved = world.browse(&format!("{BASE}/{key}install/linux")).await;
    assert_eq!(location(&moved), (307, format!("{entry}install/penguin").as_str()));
    text(world.browse(&format!("{BASE}/install/linux")).await, 404);
}

#[acceptance::test]
async fn a_part_of_a_site_has_the_letters_of_its_title_in_its_path(world: World) {
    let mut spaces = Vec::new();
    for title in ["Guide", "ガイド", "Руководство", "Руководство"] {
        let space = world.import(&Fixture::guide()).await;
        world.ada.patch(&format!("/spaces/{space}"), json!({"title": title})).await.ok();
        spaces.push(space.to_string());
    }
    let new = json!({"title": "日本語", "visibility": "public", "spaces": spaces});
    let site = world.ada.post(&world.org("/sites"), new).await.expect(201);
    assert_eq!(site.text("basename"), "docs", "a basename has only plain letters");
    let site = world.org(&format!("/sites/{}", site.id()));
    world.ada.post(&format!("{site}/publish"), json!({})).await.ok();
    let structure = world.ada.get(&format!("{site}/structure")).await.ok();
    let parts = structure.list("structure");
    let paths: Vec<&str> = parts.iter().map(|part| part.text("path")).collect();
    assert_eq!(paths, ["guide", "ガイド", "руководство", "руководство-1"]);
    let address = parts[1]["urls"].text("published");
    assert_eq!(address, format!("{BASE}/%E3%82%AC%E3%82%A4%E3%83%89"));
    let page = text(world.browse(&format!("{address}/install")).await, 200);
    assert!(page.contains("href=\"/s/docs/%E3%82%AC%E3%82%A4%E3%83%89/install/linux\""), "{page}");

    let part = format!("{site}/site-spaces/{}", parts[1].id());
    assert_eq!(world.ada.patch(&part, json!({"path": "日本語"})).await.ok()["path"], "日本語");
    let moved = format!("{BASE}/%E6%97%A5%E6%9C%AC%E8%AA%9E/install");
    assert_eq!(location(&world.browse(&format!("{address}/install")).await).1, moved);
    text(world.browse(&moved).await, 200);
    for wrong in ["日本 語", "日本/語", "日\u{200b}本", "日本語.md"] {
        let message = world.ada.patch(&part, json!({"path": wrong})).await.error(400);
        assert!(message.starts_with("path: "), "{message}");
    }
    let taken = world.ada.patch(&part, json!({"path": "РУКОВОДСТВО"})).await;
    assert!(taken.status.is_client_error(), "{taken:?}");
}

#[acceptance::test]
async fn letters_keep_their_vowel_signs_and_accents_in_addresses(world: World) {
    let (site, space) = docs(&world, "public").await;
    let linux = world.page(&space, "install/linux").await;
    let mut before = format!("{BASE}/install/linux");
    for (title, slug) in
        [("हिन्दी में शुरुआत", "हिन्दी-में-शुरुआत"), ("การติดตั้ง", "การติดตั้ง"), ("مُدَرِّس", "مُدَرِّس"), ("Ọ\u{301}na", "ọ\u{301}na")]
    {
        super::change(&world, &space, &linux, json!({"title": title, "slug": ""})).await;
        let page = world.ada.get(&format!("/spaces/{space}/content/page/{linux}")).await.ok();
        assert_eq!((page.text("slug"), page.text("path")), (slug, format!("install/{slug}").as_str()));
        let address = page["urls"].text("published").to_owned();
        assert!(text(world.browse(&address).await, 200).contains(&format!("<title>{title}")), "{address}");
        assert_eq!(location(&world.browse(&before).await), (308, address.as_str()), "the address of before");
        before = address;
    }
    // A slug has one form, whichever way its letters are encoded.
    super::change(&world, &space, &linux, json!({"slug": "u\u{308}ber"})).await;
    let page = world.ada.get(&format!("/spaces/{space}/content/path/install/%C3%BCber")).await.ok();
    assert_eq!(page.text("slug"), "über");
    let request = propose(&world.ada, &space, "Wrong").await;
    for wrong in ["-\u{301}", "a\u{fe0f}", "a\u{200d}b", "a\u{3164}", "हिन्दी में"] {
        let changes = json!([{"operation": "update_page", "page": linux, "slug": wrong}]);
        let message = edit(&world.ada, &request, changes).await.error(400);
        assert!(message.starts_with("changes[0].slug: "), "{message}");
    }

    let other = world.import(&Fixture::guide()).await;
    let part = json!({"spaceId": other.as_str(), "title": "हिन्दी"});
    let part = world.ada.post(&format!("{site}/site-spaces"), part).await.expect(201);
    assert_eq!(part.text("path"), "हिन्दी");
    let at = format!("{site}/site-spaces/{}", part.id());
    let part = world.ada.patch(&at, json!({"path": "ติดตั้ง"})).await.ok();
    assert_eq!(part.text("path"), "ติดตั้ง");
    text(world.browse(&format!("{}/install", part["urls"].text("published"))).await, 200);
    for wrong in ["-\u{301}", "a\u{fe0f}", "\u{915}\u{94d}\u{200d}"] {
        let message = world.ada.patch(&at, json!({"path": wrong})).await.error(400);
        assert!(message.starts_with("path: "), "{message}");
    }
}

#[acceptance::test]
async fn an_unknown_host_is_421_and_is_never_repeated(world: World) {
    docs(&world, "public").await;
    for path in ["/", "/s/docs/", "/install", "/s/docs/install?x=evil.test"] {
        let answer = world.browse(&format!("https://evil.test{path}")).await;
        let headers = format!("{:?}", answer.headers);
        let body = text(answer, 421);
        assert!(!body.contains("evil.test") && !headers.contains("evil.test"), "{path}");
    }
}

#[acceptance::test]
async fn a_host_of_organizations_without_a_site_is_404_whoever_has_it(world: World) {
    let (site, _) = docs(&world, "public").await;
    world.ada.patch(&world.org(""), json!({"hostname": "acme"})).await.ok();
    world.ada.patch(&site, json!({"hostname": "docs.acme.org"})).await.ok();
    world.ada.post(&format!("{site}/unpublish"), json!({})).await.ok();
    let unpublished = text(world.browse("https://acme.sites.test.org/docs").await, 404);
    for address in [
        "https://acme.sites.test.org/",
        "https://acme.sites.test.org/other",
        "https://other.sites.test.org/",
        "https://other.sites.test.org/docs",
        "https://a.acme.sites.test.org/",
    ] {
        assert_eq!(text(world.browse(address).await, 404), unpublished, "{address}");
    }
    let unpublished = text(world.browse("https://docs.acme.org/").await, 421);
    assert_eq!(text(world.browse("https://other.acme.org/").await, 421), unpublished);
}

#[acceptance::test]
async fn the_api_and_the_sites_share_a_host(world: World) {
    docs(&world, "public").await;
    for (path, kind) in [
        ("/v1/user", "application/json"),
        ("/openapi.json", "application/json"),
        ("/healthz", "application/json"),
        ("/", "text/html; charset=utf-8"),
        ("/s/docs/", "text/html; charset=utf-8"),
        ("/s/docs/v1/user", "text/html; charset=utf-8"),
    ] {
        let answer = world.browse(&format!("https://docs.test{path}")).await;
        assert_eq!(answer.header("content-type"), Some(kind), "{path}: {}", answer.status);
    }
    assert_eq!(world.browse("https://health.internal/healthz").await.status.as_u16(), 200);
}

#[acceptance::test]
async fn a_proxy_learns_which_host_names_are_of_sites(world: World) {
    let (site, _) = docs(&world, "public").await;
    let ask = async |domain: &str| world.browse(&format!("https://docs.test/~hostname?domain={domain}")).await;
    text(ask("docs.acme.org").await, 404);
    world.ada.patch(&site, json!({"hostname": "docs.acme.org"})).await.ok();
    let known = ask("docs.acme.org").await;
    assert_eq!(known.header("cache-control"), Some("no-store"));
    text(known, 200);
    for other in ["other.acme.org", "docs.acme.org:8080", "docs.acme.org/x", "", "%5B"] {
        text(ask(other).await, 404);
    }
}

#[acceptance::test]
async fn other_forms_of_an_address_redirect_and_keep_the_query(world: World) {
    let (_, space) = docs(&world, "public").await;
    for (from, to) in [
        ("/Install/Linux?q=1", "/install/linux?q=1"),
        ("/install/linux/", "/install/linux"),
        ("/install/linux.html", "/install/linux"),
        ("/install/README.md", "/install"),
        ("/reference", "/reference/options"),
    ] {
        let answer = world.browse(&format!("{BASE}{from}")).await;
        assert_eq!(location(&answer), (308, format!("{BASE}{to}").as_str()), "{from}");
    }
    let page = world.page(&space, "install/linux").await;
    for slug in ["gnu-linux", "linux-2", "penguin"] {
        super::change(&world, &space, &page, json!({"slug": slug})).await;
    }
    for old in ["linux", "gnu-linux", "linux-2"] {
        let answer = world.browse(&format!("{BASE}/install/{old}?q=1")).await;
        assert_eq!(location(&answer), (308, format!("{BASE}/install/penguin?q=1").as_str()), "{old}");
    }
}

#[acceptance::test]
async fn a_path_with_a_segment_in_another_case_or_encoding_redirects(world: World) {
    let (site, _) = docs(&world, "public").await;
    let other = world.import(&Fixture::guide()).await;
    let part = json!({"spaceId": other.as_str(), "title": "Other"});
    let part = format!("{site}/site-spaces/{}", world.ada.post(&format!("{site}/site-spaces"), part).await.id());
    world.ada.patch(&part, json!({"path": "über"})).await.ok();
    let check = async |spellings: &[&str], segment: &str| {
        let to = format!("{BASE}/{segment}/install");
        for from in spellings {
            let answer = world.browse(&format!("{BASE}/{from}/install")).await;
            assert_eq!(location(&answer), (308, to.as_str()), "{from}");
        }
        text(world.browse(&to).await, 200);
    };
    // With a capital letter, and with a letter and an accent of its own.
    let spellings = ["%C3%9Cber", "u%CC%88ber", "U%CC%88BER"];
    check(&spellings, "%C3%BCber").await;
    world.ada.patch(&part, json!({"path": "Руководство"})).await.ok();
    let now = "%D1%80%D1%83%D0%BA%D0%BE%D0%B2%D0%BE%D0%B4%D1%81%D1%82%D0%B2%D0%BE";
    check(&[now.replacen("%D1%80", "%D0%A0", 1).as_str()], now).await;
    check(&spellings, now).await;
}

#[acceptance::test]
async fn redirects_of_the_site_lead_on(world: World) {
    let (site, _) = docs(&world, "public").await;
    for (source, destination) in [
        ("/gone", json!({"kind": "external", "url": "https://example.org/new"})),
        ("/wiki/*", json!({"kind": "external", "url": "https://example.org/wiki"})),
    ] {
        let redirect = json!({"source": source, "destination": destination, "captureWildcard": source.ends_with('*')});
        world.ada.post(&format!("{site}/redirects"), redirect).await.expect(201);
    }
    let gone = world.browse(&format!("{BASE}/gone?jwt_token=x")).await;
    assert_eq!(location(&gone), (303, format!("{BASE}/gone").as_str()), "first the token leaves the address");
    let gone = world.browse(&format!("{BASE}/gone")).await;
    assert_eq!(location(&gone), (307, "https://example.org/new"));
    let wiki = world.browse(&format!("{BASE}/wiki/a/b")).await;
    assert_eq!(location(&wiki), (307, "https://example.org/wiki/a/b"));
    let asked = world.browse(&format!("{BASE}/gone?q=1&visitor.plan=pro")).await;
    assert_eq!(location(&asked), (307, "https://example.org/new?q=1"), "others do not learn the claims");
}

#[acceptance::test]
async fn redirects_lead_to_pages_with_the_query_and_the_fragment_of_both(world: World) {
    let (site, _) = docs(&world, "public").await;
    for (source, url, permanent) in [
        ("/install", "https://example.org/", false),
        ("/setup", "https://docs.test/s/docs/install?tab=deb#more", true),
        ("/one", "https://docs.test/s/docs/two", true),
        ("/two", "https://example.org/end", false),
    ] {
        let redirect =
            json!({"source": source, "permanent": permanent, "destination": {"kind": "external", "url": url}});
        world.ada.post(&format!("{site}/redirects"), redirect).await.expect(201);
    }
    let setup = world.browse(&format!("{BASE}/setup?q=1")).await;
    let expected = format!("{BASE}/install?tab=deb&q=1#more");
    assert_eq!(location(&setup), (308, expected.as_str()), "the page precedes the redirect for its path");
    let one = world.browse(&format!("{BASE}/one")).await;
    assert_eq!(location(&one), (307, "https://example.org/end"), "one of the two is not permanent");
}

#[acceptance::test]
async fn redirects_to_an_old_path_lead_to_the_page_in_one_step(world: World) {
    let (site, space) = docs(&world, "public").await;
    let install = world.page(&space, "install").await;
    super::change(&world, &space, &install, json!({"slug": "set-up"})).await;
    let old = "https://docs.test/s/docs/install?tab=deb#more";
    for (source, url) in [("/one", "https://docs.test/s/docs/two"), ("/two", old)] {
        let redirect = json!({"source": source, "destination": {"kind": "external", "url": url}});
        world.ada.post(&format!("{site}/redirects"), redirect).await.expect(201);
    }
    let one = world.browse(&format!("{BASE}/one?q=1")).await;
    assert_eq!(location(&one), (307, format!("{BASE}/set-up?tab=deb&q=1#more").as_str()));
    let found = world.ada.get(&format!("{site}/redirect?source=/one")).await.ok();
    assert_eq!(found["target"], format!("{BASE}/set-up?tab=deb#more"));
}

#[acceptance::test]
async fn redirects_of_a_site_with_adaptive_content_are_in_no_cache(world: World) {
    let (site, _) = docs(&world, "public").await;
    let other = format!("{BASE}/Install");
    assert_eq!(world.browse(&other).await.header("cache-control"), Some("public, max-age=3600"));
    crate::urls::adaptive(&world, &site).await;
    let answer = world.browse(&other).await;
    assert_eq!(location(&answer), (308, format!("{BASE}/install").as_str()));
    assert_eq!(answer.header("cache-control"), Some("no-store"), "it may lead to a page that others do not see");
}

#[acceptance::test]
async fn a_redirect_from_a_former_address_to_a_page_that_others_do_not_see_is_in_no_cache(world: World) {
    let (site, space) = docs(&world, "public").await;
    let linux = world.page(&space, "install/linux").await;
    super::change(&world, &space, &linux, json!({"slug": "penguin"})).await;
    crate::urls::adaptive(&world, &site).await;
    super::change(&world, &space, &linux, json!({"condition": "visitor.claims.plan === 'pro'"})).await;
    world.ada.patch(&site, json!({"hostname": "docs.acme.org"})).await.ok();
    let bearer = format!("Bearer {}", crate::urls::signed(&world, &site, 600, json!({"plan": "pro"})).await);
    let old = format!("{BASE}/install/linux");
    let moved = world.browse_with(&old, |request| request.insert_header(("Authorization", bearer.as_str()))).await;
    assert_eq!(location(&moved), (307, "https://docs.acme.org/install/penguin"));
    assert_eq!(moved.header("cache-control"), Some("no-store"));
    let unseen = world.browse(&old).await;
    assert_eq!(location(&unseen), (308, "https://docs.acme.org/install/linux"), "it tells nothing of the page");
}

#[acceptance::test]
async fn the_markdown_of_a_section_and_a_variant_is_that_of_their_first_page(world: World) {
    let (site, space) = docs(&world, "public").await;
    let api = Fixture::new("api", [("README.md", "# API start\n"), ("calls.md", "# Calls\n")]);
    let [variant, section] = [world.import(&api).await, world.import(&api).await];
    let variant = json!({"spaceId": variant.as_str(), "title": "Old"});
    world.ada.post(&format!("{site}/site-spaces"), variant).await.expect(201);
    // The section shadows the page `install` of the default section.
    let section = json!({"spaceId": section.as_str(), "title": "Install"});
    world.ada.post(&format!("{site}/sections"), section).await.expect(201);
    for path in ["old", "install"] {
        let page = text(world.browse(&format!("{BASE}/{path}")).await, 200);
        let markdown = world.browse(&format!("{BASE}/{path}.md")).await;
        let expected = format!("{BASE}/{path}/api-start.md");
        assert_eq!(location(&markdown), (308, expected.as_str()));
        assert!(page.contains(&format!("href=\"/s/docs/{path}/api-start.md\"")), "{page}");
        assert!(text(world.browse(&expected).await, 200).starts_with("# API start\n"));
    }
    let start = world.ada.get(&format!("{site}/site-spaces?default=true")).await.ok();
    let shadowed = world.page(&space, "install").await;
    let known = world.ada.get(&format!("/spaces/{space}/content/page/{shadowed}")).await.ok();
    let address = known["urls"].text("published").to_owned();
    assert!(address.ends_with(&format!("/{}/install", start["items"][0].text("path"))), "{address}");
    let markdown = text(world.browse(&format!("{address}.md")).await, 200);
    assert!(markdown.starts_with("# Install"), "{markdown}");
}

#[acceptance::test]
async fn sections_and_variants_have_their_pages_and_lead_to_each_other(world: World) {
    let (site, _) = docs(&world, "public").await;
    let other = world.import(&Fixture::guide()).await;
    let api = world.import(&Fixture::new("api", [("README.md", "# API start\n"), ("calls.md", "# Calls\n")])).await;
    let variant = json!({"spaceId": other.as_str(), "title": "Version 2"});
    world.ada.post(&format!("{site}/site-spaces"), variant).await.expect(201);
    let section = json!({"spaceId": api.as_str(), "title": "The API"});
    world.ada.post(&format!("{site}/sections"), section).await.expect(201);
    let page = text(world.browse(&format!("{BASE}/install/linux")).await, 200);
    for part in ["href=\"/s/docs/the-api\"", "The API", "href=\"/s/docs/version-2/install/linux\"", "Version 2"] {
        assert!(page.contains(part), "{part}: {page}");
    }
    let calls = text(world.browse(&format!("{BASE}/the-api/calls")).await, 200);
    assert!(calls.contains("<title>Calls") && calls.contains("href=\"/s/docs/the-api\""), "{calls}");
    text(world.browse(&format!("{BASE}/version-2/install/linux")).await, 200);
}

#[acceptance::test]
async fn another_version_opens_at_the_same_page_where_it_has_it(world: World) {
    let version = async |name: &str, more: &str| {
        let files = [("README.md", "# Start\n"), ("install.md", "# Install\n"), (more, "# More\n")];
        world.import(&Fixture::new(name, files)).await
    };
    let (one, two) = (version("one", "old.md").await, version("two", "new.md").await);
    let site = crate::sites::site(&world, json!({"title": "Docs", "spaces": [one.as_str(), two.as_str()]})).await;
    world.ada.post(&format!("{site}/publish"), json!({})).await.ok();
    let versions = async |path: &str| {
        let page = text(world.browse(&format!("{BASE}/{path}")).await, 200);
        let menu = page.split("o-variant").nth(1).unwrap().split("</details>").next().unwrap();
        let links = menu.split("<a ").skip(1).map(|link| link.split('>').next().unwrap().to_owned());
        links.filter(|link| !link.contains("aria-current")).collect::<Vec<_>>()
    };
    let (same, start) = (versions("install").await, versions("old").await);
    assert_eq!((same.len(), start.len()), (1, 1), "one other version");
    let (same, start) = (&same[0], &start[0]);
    assert!(same.contains("/install\"") && same.contains("data-same"), "scripts keep the place on the page: {same}");
    assert!(!start.contains("/old\"") && !start.contains("data-same"), "{start}");
}

#[acceptance::test]
async fn the_host_of_an_organization_leads_to_its_default_content(world: World) {
    const HOST: &str = "https://acme.sites.test.org/";
    let (site, _) = docs(&world, "public").await;
    world.ada.patch(&world.org(""), json!({"hostname": "acme"})).await.ok();
    text(world.browse(HOST).await, 404);
    // Another organization cannot have the same host name.
    let eve = world.stranger("eve").await;
    let other = eve.post("/orgs", json!({"title": "Another"})).await.id();
    let there = eve.post(&format!("/orgs/{other}/sites"), json!({"title": "Trap", "visibility": "public"})).await.id();
    let content = json!({"type": "site", "site": there});
    eve.patch(&format!("/orgs/{other}"), json!({"hostname": "acme", "defaultContent": content})).await.error(409);
    eve.patch(&format!("/orgs/{other}"), json!({"defaultContent": content})).await.ok();
    eve.post(&format!("/orgs/{other}/sites/{there}/publish"), json!({})).await.ok();
    text(world.browse(HOST).await, 404);
    let content = json!({"type": "site", "site": site.rsplit('/').next().unwrap()});
    world.ada.patch(&world.org(""), json!({"defaultContent": content})).await.ok();
    let there = format!("{HOST}docs/");
    assert_eq!(location(&world.browse(HOST).await), (307, there.as_str()));
    text(world.browse(&there).await, 200);
    world.ada.post(&format!("{site}/unpublish"), json!({})).await.ok();
    text(world.browse(HOST).await, 404);
    world.ada.post(&format!("{site}/publish"), json!({})).await.ok();
    world.ada.patch(&world.org(""), json!({"defaultContent": null})).await.ok();
    text(world.browse(HOST).await, 404);
}

#[acceptance::test]
async fn a_space_starts_with_the_first_page_of_a_group_and_never_with_a_link(world: World) {
    let summary = "# Table of contents\n\n* [Home](README.md)\n* [Elsewhere](https://example.org/)\n\n## Guides\n\n\
        * [First](first.md)\n* [Second](second.md)\n";
    let files = [("README.md", "# Home\n"), ("first.md", "# First\n"), ("second.md", "# Second\n")];
    let space = world.import(&Fixture::new("docs", [("SUMMARY.md", summary)].into_iter().chain(files))).await;
    let site = crate::sites::site(&world, json!({"title": "Docs", "spaces": [space.as_str()]})).await;
    world.ada.post(&format!("{site}/publish"), json!({})).await.ok();
    let spaces = world.ada.get(&format!("{site}/site-spaces")).await.ok();
    let own = format!("{site}/site-spaces/{}", spaces["items"][0].id());
    let tree = world.ada.get(&format!("/spaces/{space}/content/pages")).await.ok();
    let page = |title: &str| tree.list("pages").iter().find(|page| page["title"] == title).unwrap().id().to_owned();
    for (start, title, elsewhere) in [("Guides", "<title>First", "guides/first"), ("Elsewhere", "<title>Home", "home")]
    {
        world.ada.patch(&own, json!({"pageId": page(start)})).await.ok();
        let shown = text(world.browse(&format!("{BASE}/")).await, 200);
        assert!(shown.contains(title), "{start}: {shown}");
        let moved = world.browse(&format!("{BASE}/{elsewhere}")).await;
        assert_eq!(location(&moved), (308, format!("{BASE}/").as_str()), "{start}");
        let known = world.ada.get(&format!("/spaces/{space}/content/path/{elsewhere}")).await.ok();
        assert_eq!(known["urls"].text("published"), format!("{BASE}/"), "{start}");
    }
}
