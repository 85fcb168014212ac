use acceptance::{Fixture, World};
use actix_web::http::Method;
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

#[acceptance::test]
async fn the_tree_of_a_large_space_is_known_to_be_unchanged_without_being_made_again(world: World) {
    let pages: Vec<String> = (0..800).map(|page| format!("part-{}/page-{page}.md", page % 20)).collect();
    let space = world.import(&Fixture::new("large", pages.iter().map(|path| (path.as_str(), "Text.\n")))).await;
    let path = format!("/spaces/{space}/content/pages");
    let first = world.ada.get(&path).await;
    assert!(first.bytes.len() > 300 << 10, "larger than the largest cached response: {}", first.bytes.len());
    let tag = first.header("etag").unwrap().to_owned();
    let ask = async |tag: &str| {
        // Commit something, so that no entry of the response cache is valid.
        world.ada.post("/user/tokens", json!({"label": "another"})).await.expect(201);
        world.counted(world.ada.send(Method::GET, &path, |request| request.insert_header(("If-None-Match", tag)))).await
    };
    let ((unchanged, few), (whole, many)) = (ask(&tag).await, ask("\"other\"").await);
    assert_eq!((unchanged.status.as_u16(), unchanged.bytes.len()), (304, 0));
    assert_eq!(unchanged.header("etag"), Some(tag.as_str()));
    assert_eq!((whole.status.as_u16(), whole.bytes == first.bytes), (200, true));
    assert!(few < many, "{few} statements, {many} to make it");
}
