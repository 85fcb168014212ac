//! Outputs for programs.
use super::{change, text};
use crate::urls::{BASE, adaptive, docs, signed};
use acceptance::{Answer, Fields, Fixture, World};
use actix_web::test::TestRequest;
use domain::id::SpaceId;
use serde_json::json;

/// Publishes spaces as a site at the address of the guide.
async fn publish(world: &World, spaces: &[&SpaceId]) {
    let spaces: Vec<&str> = spaces.iter().map(|space| space.as_str()).collect();
    let site = crate::sites::site(world, json!({"title": "Docs", "spaces": spaces})).await;
    world.ada.post(&format!("{site}/publish"), json!({})).await.ok();
}

/// A request with a header.
fn with(name: &'static str, value: &'static str) -> impl FnOnce(TestRequest) -> TestRequest {
    move |request| request.insert_header((name, value))
}

#[acceptance::test]
async fn each_page_is_markdown_too(world: World) {
    docs(&world, "public").await;
    let answer = world.browse(&format!("{BASE}/install/linux.md")).await;
    assert_eq!(answer.header("content-type"), Some("text/markdown; charset=utf-8"));
    let markdown = text(answer, 200);
    assert!(markdown.starts_with("# On Linux\n"), "{markdown}");
    assert!(markdown.contains("(https://docs.test/s/docs/reference/options#verbose)"), "{markdown}");
    assert!(markdown.contains("Version 1.2 is the newest."), "{markdown}");
    let page = format!("{BASE}/install/linux");
    assert_eq!(text(world.browse_with(&page, with("Accept", "text/markdown")).await, 200), markdown);
    let html = text(world.browse_with(&page, with("Accept", "text/html,*/*")).await, 200);
    assert!(html.starts_with("<!DOCTYPE html>"));
    let start = text(world.browse(&format!("{BASE}/engine-guide.md")).await, 200);
    assert!(start.starts_with("# Engine Guide\n\nHow the engine is used.\n\nBegin with [installing]("), "{start}");
    let image = start.split("![The engine](").nth(1).unwrap().split(')').next().unwrap();
    assert!(image.starts_with("https://docs.test/s/docs/~/files/"), "{image}");
    text(world.browse(image).await, 200);
    let install = text(world.browse(&format!("{BASE}/install.md")).await, 200);
    assert!(install.contains("Mind the gears.") && install.contains("or nothing."), "{install}");
}

#[acceptance::test]
async fn outputs_for_programs_have_the_headers_of_pages(world: World) {
    docs(&world, "public").await;
    for path in
        ["install.md", "llms.txt", "llms-full.txt", "sitemap.xml", "sitemap-pages.xml", "robots.txt", "opensearch.xml"]
    {
        let address = format!("{BASE}/{path}");
        let answer = world.browse(&address).await;
        for (name, value) in [
            ("cache-control", "public, no-cache"),
            ("x-content-type-options", "nosniff"),
            ("referrer-policy", "strict-origin-when-cross-origin"),
            ("vary", "Accept, Accept-Encoding"),
        ] {
            assert_eq!(answer.header(name), Some(value), "{path}: {name}");
        }
        assert_eq!(answer.header("x-robots-tag"), None, "{path}");
        let tag = answer.header("etag").unwrap().to_owned();
        let again = world.browse_with(&address, |request| request.insert_header(("If-None-Match", tag))).await;
        assert_eq!(again.status.as_u16(), 304, "{path}");
    }
    let markdown = world.browse(&format!("{BASE}/install/linux.md")).await;
    assert_eq!(markdown.header("link"), Some("<https://docs.test/s/docs/install/linux>; rel=\"canonical\""));
    let packed = world.browse_with(&format!("{BASE}/llms-full.txt"), with("Accept-Encoding", "br")).await;
    assert_eq!(packed.header("content-encoding"), Some("br"));
    let kind =
        async |path: &str| world.browse(&format!("{BASE}/{path}")).await.header("content-type").map(str::to_owned);
    assert_eq!(kind("sitemap.xml").await.as_deref(), Some("application/xml; charset=utf-8"));
    assert_eq!(kind("robots.txt").await.as_deref(), Some("text/plain; charset=utf-8"));
    assert_eq!(kind("opensearch.xml").await.as_deref(), Some("application/opensearchdescription+xml; charset=utf-8"));
}

#[acceptance::test]
async fn a_site_that_is_not_public_has_no_sitemap_and_is_not_indexed(world: World) {
    docs(&world, "unlisted").await;
    for path in ["sitemap.xml", "sitemap-pages.xml"] {
        text(world.browse(&format!("{BASE}/{path}")).await, 404);
    }
    for path in ["install.md", "llms.txt", "llms-full.txt", "opensearch.xml"] {
        let answer = world.browse(&format!("{BASE}/{path}")).await;
        assert_eq!(answer.header("x-robots-tag"), Some("noindex"), "{path}");
        text(answer, 200);
    }
    let robots = text(world.browse(&format!("{BASE}/robots.txt")).await, 200);
    assert!(!robots.contains("Sitemap"), "{robots}");
}

#[acceptance::test]
async fn lists_leave_out_what_is_hidden_or_kept_from_search(world: World) {
    let (_, space) = docs(&world, "public").await;
    let hidden = world.page(&space, "install/macos").await;
    change(&world, &space, &hidden, json!({"hidden": true})).await;
    let kept = world.page(&space, "reference/options").await;
    change(&world, &space, &kept, json!({"noIndex": true})).await;
    let unseen = world.page(&space, "install/linux").await;
    change(&world, &space, &unseen, json!({"noRobotsIndex": true})).await;
    let has = async |path: &str, part: &str| text(world.browse(&format!("{BASE}/{path}")).await, 200).contains(part);
    for (path, macos, options, linux) in [("llms.txt", false, false, true), ("sitemap-pages.xml", false, true, false)] {
        let expected = [macos, options, linux];
        let found =
            [has(path, "install/macos").await, has(path, "reference/options").await, has(path, "install/linux").await];
        assert_eq!(found, expected, "{path}");
    }
    assert!(has("llms-full.txt", "# On macOS").await && !has("llms-full.txt", "# Options").await);
    let markdown = world.browse(&format!("{BASE}/install/linux.md")).await;
    assert_eq!(markdown.header("x-robots-tag"), Some("noindex"));
}

#[acceptance::test]
async fn a_merged_change_is_in_the_next_list(world: World) {
    let (_, space) = docs(&world, "public").await;
    let read = async |path: &str| text(world.browse(&format!("{BASE}/{path}")).await, 200);
    let before = (read("llms.txt").await, read("llms-full.txt").await, read("install/macos.md").await);
    let page = world.page(&space, "install/macos").await;
    change(&world, &space, &page, json!({"title": "On a Mac", "description": "With an apple."})).await;
    assert!(!before.0.contains("On a Mac"));
    let line = format!("- [On a Mac]({BASE}/install/macos.md): With an apple.\n");
    assert!(read("llms.txt").await.contains(&line));
    assert!(read("llms-full.txt").await.contains("# On a Mac") && !before.1.contains("# On a Mac"));
    assert!(
        read("install/macos.md").await.starts_with("# On a Mac\n\nWith an apple.\n")
            && before.2.starts_with("# On macOS")
    );
}

#[acceptance::test]
async fn sitemaps_are_the_same_for_all_visitors(world: World) {
    let (site, space) = docs(&world, "public").await;
    adaptive(&world, &site).await;
    let page = world.page(&space, "install/macos").await;
    change(&world, &space, &page, json!({"condition": "visitor.claims.plan === 'pro'"})).await;
    let token = signed(&world, &site, 600, json!({"plan": "pro"})).await;
    let cookie = |request: TestRequest| request.insert_header(("Cookie", format!("octavo-visitor={token}")));
    let has = async |path: &str| {
        text(world.browse_with(&format!("{BASE}/{path}"), cookie).await, 200).contains("install/macos")
    };
    assert!(has("llms.txt").await && has("llms-full.txt").await);
    assert!(!has("sitemap-pages.xml").await);
    for path in ["llms.txt", "llms-full.txt", "sitemap-pages.xml"] {
        assert!(!text(world.browse(&format!("{BASE}/{path}")).await, 200).contains("install/macos"), "{path}");
    }
}

#[acceptance::test]
async fn a_site_that_excludes_agents_has_no_lists_for_them(world: World) {
    let (site, _) = docs(&world, "public").await;
    let names_mcp = async || text(world.browse(&format!("{BASE}/install")).await, 200).contains("/~/mcp");
    assert!(names_mcp().await);
    world.ada.patch(&site, json!({"agentsContext": "excluded"})).await.ok();
    assert!(!names_mcp().await, "there is nothing to connect to");
    for path in ["llms.txt", "llms-full.txt"] {
        text(world.browse(&format!("{BASE}/{path}")).await, 404);
    }
    text(world.browse(&format!("{BASE}/install.md")).await, 200);
    assert!(!text(world.browse(&format!("{BASE}/nothing.md")).await, 404).contains("llms.txt"));
}

/// A site with pages of 96 KiB each: too much for one piece.
async fn large(world: &World) -> usize {
    let text = |number: usize| format!("# Page {number}\n\n{}The end of {number}.\n", "Many words. ".repeat(8192));
    let pages: Vec<(String, String)> = (1..=14).map(|number| (format!("page-{number}.md"), text(number))).collect();
    let files = pages.iter().map(|(path, text)| (path.as_str(), text.as_str()));
    let space = world.import(&Fixture::new("large", files)).await;
    publish(world, &[&space]).await;
    pages.len()
}

#[acceptance::test]
async fn all_pages_of_a_large_site_are_sent_in_pieces(world: World) {
    let count = large(&world).await;
    let address = format!("{BASE}/llms-full.txt");
    let whole = world.browse(&address).await;
    assert_eq!((whole.header("etag"), whole.header("content-length")), (None, None));
    assert_eq!(whole.header("content-type"), Some("text/plain; charset=utf-8"));
    let whole = text(whole, 200);
    for number in 1..=count {
        assert_eq!(whole.matches(&format!("# Page {number}\n")).count(), 1, "{number}");
        assert_eq!(
            whole.matches(&format!("Source: {BASE}/page-{number}\n")).count(),
            usize::from(number > 1),
            "{number}"
        );
        assert_eq!(whole.matches(&format!("The end of {number}.")).count(), 1, "{number}");
    }
    for encoding in ["br", "gzip"] {
        let packed: Answer = world.browse_with(&address, with("Accept-Encoding", encoding)).await;
        assert_eq!(packed.header("content-encoding"), Some(encoding));
        assert!(packed.bytes.len() < whole.len() / 50);
    }
}

#[acceptance::test]
async fn updates_are_a_feed(world: World) {
    let page = |text: &str| {
        let updates = format!(
            "{{% updates format=\"full\" %}}\n{{% update date=\"2025-03-01\" %}}\n## First\n\n{text}\n{{% endupdate %}}\n\n\
             {{% update date=\"2025-03-09\" %}}\n## Second\n\nRead [more](more.md).\n{{% endupdate %}}\n{{% endupdates %}}\n"
        );
        format!("# News\n\n{updates}")
    };
    let repository = |news: &str| {
        let summary = "* [Start](README.md)\n* [News](news.md)\n* [More](more.md)\n";
        let files = [("SUMMARY.md", summary), ("README.md", "# Start\n"), ("news.md", news), ("more.md", "# More\n")];
        Fixture::new("handbook", files)
    };
    let space = world.import(&repository(&page("All is new."))).await;
    publish(&world, &[&space]).await;
    let feed = world.browse(&format!("{BASE}/news/rss.xml")).await;
    assert_eq!(feed.header("content-type"), Some("application/rss+xml; charset=utf-8"));
    let feed = text(feed, 200);
    let (second, first) = (feed.find("<title>Second</title>").unwrap(), feed.find("<title>First</title>").unwrap());
    assert!(second < first && feed.contains("All is new."), "{feed}");
    assert!(feed.contains(&format!("href=&quot;{BASE}/more&quot;")), "{feed}");
    text(world.browse(&format!("{BASE}/more/rss.xml")).await, 404);
    let news = text(world.browse(&format!("{BASE}/news")).await, 200);
    let items = feed.split("<item>").skip(1).map(|item| item.split("<link>").nth(1).unwrap());
    let anchors: Vec<&str> = items.map(|link| link.split('<').next().unwrap().split_once('#').unwrap().1).collect();
    assert_eq!(anchors.len(), 2, "{feed}");
    for anchor in anchors {
        assert_eq!(news.matches(&format!("id=\"{anchor}\"")).count(), 1, "{anchor}: {news}");
    }
    let ids = |feed: &str| {
        feed.split("<guid").skip(1).map(|rest| rest.split('<').next().unwrap().to_owned()).collect::<Vec<_>>()
    };
    world.import_into(&space, &repository(&page("All is quite new."))).await;
    let later = text(world.browse(&format!("{BASE}/news/rss.xml")).await, 200);
    assert!(later.contains("All is quite new."), "{later}");
    assert_eq!(ids(&later), ids(&feed));
}

#[acceptance::test]
async fn pages_in_several_languages_name_each_other(world: World) {
    let space = async |name: &str, title: &str, language: &str| {
        let files = [
            ("README.md", format!("# {title}\n")),
            ("install.md", format!("# {title} 2\n")),
            (name, "# Only here\n".to_owned()),
        ];
        let space =
            world.import(&Fixture::new(language, files.iter().map(|(path, text)| (*path, text.as_str())))).await;
        world.ada.patch(&format!("/spaces/{space}"), json!({"language": language})).await.ok();
        space
    };
    let (english, german) = (space("only.md", "Start", "en").await, space("nur.md", "Anfang", "de").await);
    publish(&world, &[&english, &german]).await;
    let sitemap = text(world.browse(&format!("{BASE}/sitemap-pages.xml")).await, 200);
    let entries: Vec<&str> = sitemap.split("<url>").skip(1).collect();
    assert_eq!(entries.len(), 6, "{sitemap}");
    let links = |entry: &str| entry.matches("<xhtml:link").count();
    for entry in &entries {
        let both = !entry.contains("/only<") && !entry.contains("/nur<");
        assert_eq!(links(entry), if both { 3 } else { 0 }, "{entry}");
    }
    let start = entries.iter().find(|entry| entry.contains("<loc>https://docs.test/s/docs/</loc>")).unwrap();
    assert!(start.contains("hreflang=\"en\" href=\"https://docs.test/s/docs/\""), "{start}");
    assert!(start.contains("hreflang=\"x-default\" href=\"https://docs.test/s/docs/\""), "{start}");
    for entry in &entries {
        let (address, _) = entry.strip_prefix("<loc>").unwrap().split_once("</loc>").unwrap();
        let page = text(world.browse(address).await, 200);
        let named = page.matches("<link rel=\"alternate\" hreflang=").count();
        assert_eq!(named, links(entry), "{address}");
    }
}

#[acceptance::test]
async fn lists_of_pages_have_every_visible_page_once(world: World) {
    docs(&world, "public").await;
    let llms = world.browse(&format!("{BASE}/llms.txt")).await;
    assert_eq!(llms.header("content-type"), Some("text/plain; charset=utf-8"));
    let llms = text(llms, 200);
    assert!(llms.starts_with("# Docs\n"), "{llms}");
    for page in ["install/linux", "install/macos", "reference/options"] {
        assert_eq!(llms.matches(&format!("({BASE}/{page}.md)")).count(), 1, "{page}: {llms}");
    }
    let full = text(world.browse(&format!("{BASE}/llms-full.txt")).await, 200);
    assert!(full.contains("# On macOS") && full.contains("Mind the gears."), "{full}");
    let index = text(world.browse(&format!("{BASE}/sitemap.xml")).await, 200);
    assert!(index.contains(&format!("<loc>{BASE}/sitemap-pages.xml</loc>")), "{index}");
    let sitemap = text(world.browse(&format!("{BASE}/sitemap-pages.xml")).await, 200);
    assert_eq!(sitemap.matches("<loc>").count(), 5, "{sitemap}");
    for address in sitemap.split("<loc>").skip(1).map(|rest| rest.split("</loc>").next().unwrap()) {
        let page = text(world.browse(address).await, 200);
        assert!(page.contains(&format!("<link rel=\"canonical\" href=\"{address}\"")), "{address}");
    }
    let robots = text(world.browse(&format!("{BASE}/robots.txt")).await, 200);
    assert!(robots.contains(&format!("Sitemap: {BASE}/sitemap.xml")), "{robots}");
    let search = text(world.browse(&format!("{BASE}/opensearch.xml")).await, 200);
    assert!(search.contains(&format!("{BASE}/~/search?q={{searchTerms}}")), "{search}");
}

#[acceptance::test]
async fn the_icon_of_a_site_is_at_its_root_and_reveals_nothing_about_hidden_sites(world: World) {
    let (site, _) = docs(&world, "public").await;
    let at = |name: &str| format!("https://docs.test/s/{name}/favicon.ico");
    let icon = world.browse(&at("docs")).await;
    assert_eq!(icon.header("content-type"), Some("image/svg+xml"));
    assert!(text(icon, 200).starts_with("<svg"));
    world.ada.patch(&site, json!({"icon": {"emoji": "1f680"}})).await.ok();
    assert!(text(world.browse(&at("docs")).await, 200).contains("🚀"));
    let unknown = text(world.browse(&at("nothing")).await, 200);
    for visibility in ["share-link", "visitor-auth"] {
        world.ada.patch(&site, json!({"visibility": visibility})).await.ok();
        let hidden = world.browse(&at("docs")).await;
        assert_eq!(hidden.header("cache-control"), Some("no-store"));
        assert_eq!(text(hidden, 200), unknown, "{visibility}");
    }
}

#[acceptance::test]
async fn the_robots_of_a_host_list_the_sitemaps_of_its_public_sites(world: World) {
    docs(&world, "public").await;
    for visibility in ["unlisted", "share-link", "visitor-auth"] {
        docs(&world, visibility).await;
    }
    let (elsewhere, _) = docs(&world, "public").await;
    world.ada.patch(&elsewhere, json!({"hostname": "docs.acme.org"})).await.ok();
    let robots = world.browse("https://docs.test/robots.txt").await;
    assert_eq!(robots.header("content-type"), Some("text/plain; charset=utf-8"));
    let robots = text(robots, 200);
    let listed: Vec<&str> = robots.lines().filter(|line| line.starts_with("Sitemap:")).collect();
    assert_eq!(listed, [format!("Sitemap: {BASE}/sitemap.xml")]);
    assert!(robots.contains("Disallow: /*~/search\n") && robots.contains("Disallow: /v1/\n"), "{robots}");
    let own = text(world.browse("https://docs.acme.org/robots.txt").await, 200);
    assert!(own.contains("Sitemap: https://docs.acme.org/sitemap.xml\n"), "{own}");
    world.ada.patch(&world.org(""), json!({"hostname": "acme"})).await.ok();
    let organization = text(world.browse("https://acme.sites.test.org/robots.txt").await, 200);
    let listed: Vec<&str> = organization.lines().filter(|line| line.starts_with("Sitemap:")).collect();
    assert_eq!(listed, ["Sitemap: https://acme.sites.test.org/docs/sitemap.xml"]);
}

#[acceptance::test]
async fn browsers_may_fetch_pages_of_a_public_site_that_are_pointed_at(world: World) {
    let (site, _) = docs(&world, "public").await;
    let page = world.browse(&format!("{BASE}/install")).await;
    assert_eq!(page.header("speculation-rules"), Some("\"/s/docs/~/speculation.json\""));
    let rules = world.browse(&format!("{BASE}/~/speculation.json")).await;
    assert_eq!(rules.header("content-type"), Some("application/speculationrules+json"));
    assert!(text(rules, 200).contains("\"href_matches\":\"/s/docs/*\""));
    let link = world.ada.post(&format!("{site}/share-links"), json!({"name": "Press"})).await.expect(201);
    world.ada.patch(&site, json!({"visibility": "share-link"})).await.ok();
    let key = link["urls"].text("published").trim_end_matches('/').rsplit('/').next().unwrap().to_owned();
    let bearer = |request: TestRequest| request.insert_header(("Authorization", format!("Bearer {key}")));
    let private = world.browse_with(&format!("{BASE}/install"), bearer).await;
    assert_eq!(private.header("speculation-rules"), None);
    text(private, 200);
}
