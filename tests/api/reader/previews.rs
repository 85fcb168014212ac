//! Previews of change requests and revisions.
use super::{location, text};
use crate::change_requests::{edit, merged, propose, rewrite};
use crate::urls::{BASE, docs};
use acceptance::{Answer, Fields, Fixture, World};
use chrono::TimeDelta;
use serde_json::json;

/// The cookie of a preview that begins with `target`, and the address without its token.
async fn opened(world: &World, site: &str, query: &str) -> (String, String) {
    let url = world.ada.get(&format!("{site}/publishing/preview?{query}")).await.ok().text("url").to_owned();
    let entered = world.browse(&url).await;
    let (status, plain) = location(&entered);
    assert_eq!(status, 303, "{url}");
    let set = entered.header("set-cookie").unwrap();
    let id = site.rsplit('/').next().unwrap();
    assert!(set.contains("octavo-preview=") && set.contains(&format!("Path=/~preview/{id}/")), "{set}");
    (set.split(';').next().unwrap().to_owned(), plain.to_owned())
}

async fn visit(world: &World, url: &str, cookie: &str) -> Answer {
    world.browse_with(url, |request| request.insert_header(("Cookie", cookie))).await
}

#[acceptance::test]
async fn a_change_request_is_shown_with_its_changes_to_visitors_with_the_preview(world: World) {
    let (site, space) = docs(&world, "public").await;
    let (linux, macos) = (world.page(&space, "install/linux").await, world.page(&space, "install/macos").await);
    let request = propose(&world.ada, &space, "Newer <packages>").await;
    rewrite(&world.ada, &request, &linux, "Run `snap install engine`.\n").await;
    let renamed = json!([{"operation": "update_page", "page": macos, "title": "On a Mac"},
        {"operation": "insert_page", "title": "On BSD", "document": {"markdown": "Build it."}}]);
    edit(&world.ada, &request, renamed).await.ok();
    let id = site.rsplit('/').next().unwrap();
    let (cookie, plain) = opened(&world, &site, "target=~changes/1/install/linux").await;
    assert_eq!(plain, format!("https://docs.test/~preview/{id}/~changes/1/install/linux"));

    let page = visit(&world, &plain, &cookie).await;
    assert_eq!(page.header("x-robots-tag"), Some("noindex"));
    assert_eq!(page.header("cache-control"), Some("private, no-store"));
    let page = text(page, 200);
    let base = format!("/~preview/{id}/~changes/1");
    for part in [
        "snap install engine",
        "Preview of change request <bdi>#1: Newer &lt;packages&gt;</bdi>",
        "Changed pages: 3",
        &format!("<a href=\"{base}/install/linux\">"),
        &format!("<a href=\"{base}/on-bsd\">"),
        &format!("<a href=\"/~preview/{id}/install/linux\">Show published content</a>"),
        "<meta name=\"robots\" content=\"noindex\">",
    ] {
        assert!(page.contains(part), "{part} is not in {page}");
    }
    let published = visit(&world, &format!("https://docs.test/~preview/{id}/install/linux"), &cookie).await;
    let published = text(published, 200);
    assert!(published.contains("apt install engine") && !published.contains("Changed pages"), "{published}");
    assert!(text(world.browse(&format!("{BASE}/install/linux")).await, 200).contains("apt install engine"));

    let at = |path: &str| format!("https://docs.test{base}{path}");
    let new = text(visit(&world, &at("/on-bsd"), &cookie).await, 200);
    assert!(new.contains(&format!("<a href=\"/~preview/{id}/\">Show published")), "a new page is not published: {new}");
    let markdown = visit(&world, &at("/install/linux.md"), &cookie).await;
    assert_eq!(markdown.header("cache-control"), Some("private, no-store"));
    assert!(text(markdown, 200).contains("snap install engine"));
    let moved = visit(&world, &at("/Install/Linux"), &cookie).await;
    assert_eq!(location(&moved), (307, at("/install/linux").as_str()));
    text(visit(&world, &at("/sitemap.xml"), &cookie).await, 404);
    text(world.browse(&plain).await, 404);
    world.pass(TimeDelta::minutes(61)).await;
    text(visit(&world, &plain, &cookie).await, 404);
}

#[acceptance::test]
async fn a_preview_has_the_action_that_leads_to_the_file_of_a_page(world: World) {
    let (site, space) = docs(&world, "public").await;
    world.ada.patch(&format!("/spaces/{space}"), json!({"editURL": "https://example.org/edit/"})).await.ok();
    let request = propose(&world.ada, &space, "Change").await;
    rewrite(&world.ada, &request, &world.page(&space, "install/linux").await, "Build it.\n").await;
    let (cookie, plain) = opened(&world, &site, "target=~changes/1/install/linux").await;
    let page = text(visit(&world, &plain, &cookie).await, 200);
    assert!(page.contains("Build it.") && page.contains("https://example.org/edit/install/linux.md\""), "{page}");
    let id = site.rsplit('/').next().unwrap();
    let draft = visit(&world, &format!("https://docs.test/~preview/{id}/install/macos"), &cookie).await;
    assert!(text(draft, 200).contains("https://example.org/edit/install/macos.md\""));
}

#[acceptance::test]
async fn a_revision_is_shown_as_it_was(world: World) {
    let (site, space) = docs(&world, "public").await;
    let first = world.ada.get(&format!("/spaces/{space}/content")).await.ok().id().to_owned();
    let request = propose(&world.ada, &space, "Change").await;
    rewrite(&world.ada, &request, &world.page(&space, "install/macos").await, "Build it.\n").await;
    merged(&world.ada, &request).await;
    let (cookie, plain) = opened(&world, &site, &format!("target=/~revisions/{first}/install/macos")).await;
    let page = text(visit(&world, &plain, &cookie).await, 200);
    assert!(page.contains("Download the package.") && page.contains("Preview of the revision of"), "{page}");
    let id = site.rsplit('/').next().unwrap();
    let now = visit(&world, &format!("https://docs.test/~preview/{id}/install/macos"), &cookie).await;
    assert!(text(now, 200).contains("Build it."));
}

#[acceptance::test]
async fn a_version_is_looked_for_in_all_spaces_of_a_site_at_once(world: World) {
    let mut all = Vec::new();
    for count in [2, 20] {
        let mut spaces = Vec::new();
        for _ in 0..count {
            spaces.push(world.space(json!({})).await.to_string());
        }
        let new = json!({"title": format!("Site {count}"), "visibility": "public", "spaces": spaces});
        let id = world.ada.post(&world.org("/sites"), new).await.id();
        let site = world.org(&format!("/sites/{id}"));
        world.ada.post(&format!("{site}/publish"), json!({})).await.ok();
        let (cookie, _) = opened(&world, &site, "draft=true").await;
        for version in ["~changes/99", "~changes/nothing", "~revisions/nothing"] {
            let url = format!("https://docs.test/~preview/{id}/{version}");
            let (answer, statements) = world.counted(visit(&world, &url, &cookie)).await;
            text(answer, 404);
            all.push(statements);
        }
    }
    assert_eq!(all[..3], all[3..]);
}

#[acceptance::test]
async fn a_version_of_another_space_is_like_one_that_does_not_exist(world: World) {
    let (site, space) = docs(&world, "public").await;
    let other = world.import(&Fixture::guide()).await;
    let foreign = propose(&world.ada, &other, "Foreign").await;
    let revision = world.ada.get(&format!("/spaces/{other}/content")).await.ok().id().to_owned();
    propose(&world.ada, &space, "Own").await;
    let (cookie, _) = opened(&world, &site, "draft=true").await;
    let id = site.rsplit('/').next().unwrap();
    let at = |version: &str| format!("https://docs.test/~preview/{id}/{version}/install");
    text(visit(&world, &at("~changes/1"), &cookie).await, 200);
    let absent = text(visit(&world, &at("~changes/99"), &cookie).await, 404);
    let (foreign, revision) = (foreign.rsplit('/').next().unwrap(), revision.as_str());
    for version in [
        format!("~changes/{foreign}"),
        format!("~revisions/{revision}"),
        "~changes/nothing".to_owned(),
        "~revisions/nothing".to_owned(),
        "~changes/not*an*id".to_owned(),
    ] {
        assert_eq!(text(visit(&world, &at(&version), &cookie).await, 404), absent, "{version}");
    }
    let told = world.ada.get(&format!("{site}/publishing/preview?target=~changes/")).await.error(400);
    assert!(told.starts_with("target: "), "{told}");
    // What is not live is not in a preview without drafts.
    let (live, _) = opened(&world, &site, "draft=false").await;
    text(visit(&world, &format!("https://docs.test/~preview/{id}/install"), &live).await, 200);
    assert_eq!(text(visit(&world, &at("~changes/1"), &live).await, 404), absent);
}

#[acceptance::test]
async fn a_number_of_several_spaces_is_of_the_space_of_the_path(world: World) {
    let (site, space) = docs(&world, "public").await;
    let other = world.import(&Fixture::guide()).await;
    let variant = json!({"spaceId": other.as_str(), "title": "Two"});
    world.ada.post(&format!("{site}/site-spaces"), variant).await.expect(201);
    let own = propose(&world.ada, &space, "Own").await;
    let second = propose(&world.ada, &other, "Second").await;
    rewrite(&world.ada, &second, &world.page(&other, "install").await, "Second text.\n").await;
    let (cookie, _) = opened(&world, &site, "draft=true").await;
    let id = site.rsplit('/').next().unwrap();
    let base = format!("https://docs.test/~preview/{id}");
    for (path, request) in [("install?a=b", &own), ("two/install?a=b", &second), ("", &own)] {
        let named = request.rsplit('/').next().unwrap();
        let answer = visit(&world, &format!("{base}/~changes/1/{path}"), &cookie).await;
        assert_eq!(location(&answer), (307, format!("{base}/~changes/{named}/{path}").as_str()));
        assert_eq!(answer.header("cache-control"), Some("no-store"));
    }
    let named = second.rsplit('/').next().unwrap();
    let page = text(visit(&world, &format!("{base}/~changes/{named}/two/install"), &cookie).await, 200);
    assert!(page.contains("Second text.") && page.contains("#1: Second"), "{page}");
    let beside = text(visit(&world, &format!("{base}/~changes/{named}/install"), &cookie).await, 200);
    assert!(!beside.contains("Second text."), "other spaces show their primary content: {beside}");
}

#[acceptance::test]
async fn the_address_of_a_preview_names_its_version(world: World) {
    let (site, space) = docs(&world, "public").await;
    let request = propose(&world.ada, &space, "Change").await;
    let page = world.page(&space, "install/macos").await;
    rewrite(&world.ada, &request, &page, "Build it.\n").await;
    let proposed = world.ada.get(&request).await.ok();
    let structure = world.ada.get(&format!("{site}/structure")).await.ok();
    let query = format!("siteSpace={}&target=/~changes/1/install/macos", structure["structure"][0].id());
    let url = world.ada.get(&format!("{site}/publishing/preview?{query}")).await.ok().text("url").to_owned();
    let found = world.ada.post("/urls/published", json!({"url": url})).await.ok();
    assert_eq!((found.text("changeRequest"), found.text("revision")), (proposed.id(), proposed.text("revision")));
    let id = site.rsplit('/').next().unwrap();
    assert_eq!(found.text("siteBasePath"), format!("/~preview/{id}/~changes/1/"));
    assert_eq!(
        (found.text("pathname"), found.text("canonicalUrl")),
        ("/install/macos", format!("{BASE}/install/macos").as_str())
    );
    let plain = url.replace("~changes/1/", "");
    let found = world.ada.post("/urls/published", json!({"url": plain})).await.ok();
    assert!(found.get("changeRequest").is_none(), "{found}");
    world.ada.post("/urls/published", json!({"url": url.replace("~changes/1/", "~changes/2/")})).await.error(404);
}
