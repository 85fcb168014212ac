use crate::change_requests::{merged, propose, rewrite};
use crate::sites::site;
use acceptance::{Answer, Backend, Caller, Fields, Fixture, World};
use actix_web::http::Method;
use chrono::TimeDelta;
use domain::access::Role;
use serde_json::json;

#[acceptance::test]
async fn what_the_caller_has_is_not_sent_again(world: World) {
    let space = world.import(&Fixture::guide()).await;
    for path in [
        format!("/spaces/{space}"),
        format!("/spaces/{space}/content/path/install?format=markdown"),
        format!("/spaces/{space}/content/pages"),
        world.org(""),
    ] {
        let first = world.ada.get(&path).await;
        let tag = first.header("etag").unwrap().to_owned();
        assert!(tag.starts_with('"'), "a strong tag: {tag}");
        assert!(first.header("cache-control").unwrap().contains("private"));
        let again =
            world.ada.send(Method::GET, &path, |request| request.insert_header(("If-None-Match", tag.as_str()))).await;
        assert_eq!(again.status.as_u16(), 304, "{path}");
        assert!(again.bytes.is_empty());
        let other =
            world.ada.send(Method::GET, &path, |request| request.insert_header(("If-None-Match", "\"x\""))).await;
        assert_eq!(other.status.as_u16(), 200, "{path}");
    }
}

#[acceptance::test]
async fn a_change_of_an_object_that_has_changed_is_refused(world: World) {
    let space = world.space(json!({"title": "One"})).await;
    let path = format!("/spaces/{space}");
    let tag = world.ada.get(&path).await.header("etag").unwrap().to_owned();
    let patch = |title: &'static str, tag: String| {
        let path = path.clone();
        let ada = world.ada.clone();
        async move {
            ada.send(Method::PATCH, &path, |request| {
                request.insert_header(("If-Match", tag)).set_json(json!({"title": title}))
            })
            .await
        }
    };
    assert_eq!(patch("Two", tag.clone()).await.ok()["title"], "Two");
    patch("Three", tag).await.error(412);
    assert_eq!(world.ada.get(&path).await.ok()["title"], "Two");
    assert_eq!(patch("Four", "*".to_owned()).await.ok()["title"], "Four");
}

/// Reads after a commit, so that no entry of the response cache is valid. Also returns the number of statements.
async fn read_after_a_commit(world: &World, path: &str, known: &str) -> (Answer, u64) {
    world.ada.post("/user/tokens", json!({"label": "another"})).await.expect(201);
    world.counted(world.ada.send(Method::GET, path, |request| request.insert_header(("If-None-Match", known)))).await
}

#[acceptance::test]
async fn the_tree_of_a_large_space_is_known_to_be_unchanged_without_being_made_again(world: World) {
    let pages: Vec<String> = (0..800).map(|page| format!("part-{}/page-{page}.md", page % 20)).collect();
    let space = world.import(&Fixture::new("large", pages.iter().map(|path| (path.as_str(), "Text.\n")))).await;
    let request = propose(&world.ada, &space, "More").await;
    merged(&world.ada, &request).await;
    for path in [format!("/spaces/{space}/content/pages"), format!("/spaces/{space}/content")] {
        let first = world.ada.get(&path).await;
        assert!(first.bytes.len() > 300 << 10, "larger than the largest cached response: {}", first.bytes.len());
        let tag = first.header("etag").unwrap().to_owned();
        let (unchanged, few) = read_after_a_commit(&world, &path, &tag).await;
        let (whole, many) = read_after_a_commit(&world, &path, "\"other\"").await;
        assert_eq!((unchanged.status.as_u16(), unchanged.bytes.len()), (304, 0), "{path}");
        assert_eq!(unchanged.header("etag"), Some(tag.as_str()), "{path}");
        assert_eq!((whole.status.as_u16(), whole.bytes == first.bytes), (200, true), "{path}");
        assert_eq!(whole.header("etag"), Some(tag.as_str()), "{path}");
        assert!(few < many, "{path}: {few} statements, {many} to make it");
    }
}

#[acceptance::test]
async fn a_revision_is_sent_again_without_reading_its_pages(backend: Backend) {
    // Without room for content in memory, each level of the tree is read from the database.
    let Some(world) = World::with_object_cache(backend, 1).await else { return };
    let space = world.import(&Fixture::pages(100, "gear")).await;
    let page = world.ada.get(&format!("/spaces/{space}/content/pages")).await.ok()["pages"][1].id().to_owned();
    let request = propose(&world.ada, &space, "More").await;
    rewrite(&world.ada, &request, &page, "It turns.\n").await;
    let merge = merged(&world.ada, &request).await.text("revision").to_owned();
    // Of a merge, the change request and its user are read.
    for (path, of_merge) in [
        (format!("/spaces/{space}/content"), 2),
        (format!("/spaces/{space}/revisions/{merge}"), 2),
        (format!("{request}/content"), 0),
    ] {
        let (first, built) = read_after_a_commit(&world, &path, "\"other\"").await;
        let tag = first.header("etag").unwrap().to_owned();
        let (again, sent) = read_after_a_commit(&world, &path, "\"other\"").await;
        let (unchanged, known) = read_after_a_commit(&world, &path, &tag).await;
        assert_eq!((again.status.as_u16(), again.bytes == first.bytes), (200, true), "{path}");
        assert_eq!((unchanged.status.as_u16(), unchanged.bytes.len()), (304, 0), "{path}");
        assert_eq!([&again, &unchanged].map(|answer| answer.header("etag")), [Some(tag.as_str()); 2], "{path}");
        let tree = format!("{path}/pages");
        let tag = world.ada.get(&tree).await.header("etag").unwrap().to_owned();
        let (unchanged, of_tree) = read_after_a_commit(&world, &tree, &tag).await;
        assert_eq!(unchanged.status.as_u16(), 304, "{tree}");
        // The revision and its manifest are read, and no part of the tree.
        assert!(sent <= of_tree + 2 + of_merge, "{path}: {sent} statements, {of_tree} for the tree");
        assert_eq!(known, sent, "{path}");
        assert!(sent < built, "{path}: {sent} statements, {built} to make it");
    }
}

/// Reads each path again, without and with the tag of the response from before. Returns which have changed.
async fn changed(caller: &Caller, known: &mut [(String, Answer)]) -> Vec<bool> {
    let mut changes = Vec::new();
    for (path, before) in known {
        let tag = before.header("etag").unwrap().to_owned();
        let with_tag =
            caller.send(Method::GET, path, |request| request.insert_header(("If-None-Match", tag.as_str()))).await;
        let now = caller.get(path).await;
        let same = now.bytes == before.bytes;
        assert_eq!(now.header("etag") == Some(tag.as_str()), same, "{path}");
        assert_eq!(with_tag.header("etag"), now.header("etag"), "{path}");
        let expected = if same { (304, Vec::new()) } else { (200, now.bytes.clone()) };
        assert_eq!((with_tag.status.as_u16(), with_tag.bytes), expected, "{path}");
        changes.push(!same);
        *before = now;
    }
    changes
}

#[acceptance::test]
async fn the_tag_of_a_revision_changes_with_everything_that_its_response_shows(world: World) {
    // The day does not end during the test.
    world.clock.set(world.services.clock.now());
    let (rita, gus) = (world.member("rita", Some(Role::Create)).await, world.member("gus", None).await);
    let space = world.import(&Fixture::guide()).await;
    let page = world.page(&space, "install/macos").await;
    let request = propose(&rita, &space, "Say more").await;
    rewrite(&rita, &request, &page, "Download the package, then open it.\n").await;
    let merge = merged(&rita, &request).await.text("revision").to_owned();
    let (content, revision) = (format!("/spaces/{space}/content"), format!("/spaces/{space}/revisions/{merge}"));
    let paths = [content.clone(), revision, format!("{request}/content")];
    let mut known = Vec::new();
    for path in paths {
        let answer = world.ada.get(&path).await;
        known.push((path, answer));
    }
    let shown = async || world.ada.get(&content).await.ok();
    let merged_by = async || shown().await["mergedFrom"]["mergedBy"].clone();

    world.ada.post("/user/tokens", json!({"label": "another"})).await.expect(201);
    assert_eq!(changed(&world.ada, &mut known).await, [false, false, false], "a commit elsewhere");

    rita.patch(&format!("/users/{}", rita.id()), json!({"displayName": "Margarita"})).await.ok();
    assert_eq!(changed(&world.ada, &mut known).await, [true, true, false], "the author was renamed");
    assert_eq!(merged_by().await["displayName"], "Margarita");

    rita.post(&format!("{request}/comments"), json!({"body": {"markdown": "Thanks!"}})).await.ok();
    assert_eq!(changed(&world.ada, &mut known).await, [true, true, false], "a comment");
    assert_eq!(shown().await["mergedFrom"]["comments"], 1);

    let grant = json!({"role": "read", "users": [gus.id()]});
    world.ada.post(&format!("/spaces/{space}/permissions"), grant).await.expect(204);
    let (of_ada, of_gus) = (world.ada.get(&content).await, gus.get(&content).await);
    assert_ne!(of_ada.header("etag"), of_gus.header("etag"), "a guest sees no e-mail addresses");
    assert_eq!(of_gus.ok()["mergedFrom"]["mergedBy"].get("email"), None);
    assert_eq!(changed(&world.ada, &mut known).await, [false, false, false], "what others see is their own");

    assert_eq!(world.ada.delete(&world.org(&format!("/members/{}", rita.id()))).await.status, 205);
    assert_eq!(changed(&world.ada, &mut known).await, [true, true, false], "the author left");
    assert_eq!(merged_by().await.get("email"), None);

    let site = site(&world, json!({"title": "Docs", "spaces": [space.as_str()]})).await;
    assert_eq!(changed(&world.ada, &mut known).await, [false, false, false], "a site that is not published");
    world.ada.post(&format!("{site}/publish"), json!({})).await.ok();
    assert_eq!(changed(&world.ada, &mut known).await, [true, false, false], "the site was published");
    world.ada.patch(&site, json!({"basename": "manual"})).await.ok();
    assert_eq!(changed(&world.ada, &mut known).await, [true, false, false], "the site has another address");
    world.ada.patch(&site, json!({"visibility": "unlisted"})).await.ok();
    assert_eq!(changed(&world.ada, &mut known).await, [true, false, false], "the site is not public");
    assert_eq!(shown().await["urls"].get("public"), None);

    world.clock.advance(TimeDelta::days(1));
    assert_eq!(changed(&world.ada, &mut known).await, [true, true, true], "the URLs of files are those of the day");

    let next = propose(&world.ada, &space, "").await;
    rewrite(&world.ada, &next, &page, "Download it.\n").await;
    merged(&world.ada, &next).await;
    assert_eq!(changed(&world.ada, &mut known).await, [true, false, false], "another revision");
}
