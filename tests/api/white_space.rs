//! White space at the ends of titles, names and the like is kept or refused, never trimmed.
use acceptance::{Fields, World};
use actix_web::http::Method;
use serde_json::{Value, json};

const BLANK: &str = " \u{a0} two  words\t";
const RULE: &str = "must not begin or end with white space";

/// Sends a field, and returns its value in the response and in a later read.
async fn kept(world: &World, method: Method, path: &str, field: &str) -> [Value; 2] {
    let body = json!({field: BLANK});
    let sent = world.ada.send(method, path, |request| request.set_json(body)).await;
    assert!(sent.status.is_success(), "{path}: {sent:?}");
    let location = sent.header("location").map(|at| at.split_once("/v1").unwrap().1.to_owned());
    let sent: Value = serde_json::from_slice(&sent.bytes).unwrap();
    let read = world.ada.get(location.as_deref().unwrap_or(path)).await.ok();
    [sent[field].clone(), read[field].clone()]
}

#[acceptance::test]
async fn a_title_keeps_its_blanks_or_is_refused_for_them(world: World) {
    let space = format!("/spaces/{}", world.ada.post(&world.org("/spaces"), json!({})).await.expect(201).id());
    let user = format!("/users/{}", world.ada.id());
    let (post, put, patch) = (Method::POST, Method::PUT, Method::PATCH);
    for (method, path, field) in [
        (&post, world.org("/spaces"), "title"),
        (&patch, space.clone(), "title"),
        (&post, world.org("/collections"), "title"),
        (&put, world.org("/teams"), "title"),
        (&patch, user, "displayName"),
        (&post, "/user/tokens".to_owned(), "label"),
        (&post, format!("{space}/change-requests"), "subject"),
    ] {
        assert_eq!(kept(&world, method.clone(), &path, field).await, [BLANK, BLANK], "{method} {path}");
    }
    let refused = world.ada.post("/orgs", json!({"title": BLANK})).await.error(400);
    assert_eq!(refused, format!("title: {RULE}"));
    let refused = world.ada.patch(&world.org(""), json!({"title": BLANK})).await.error(400);
    assert_eq!(refused, format!("title: {RULE}"));
}

#[acceptance::test]
async fn the_title_of_a_page_is_refused_for_its_blanks(world: World) {
    let made = world.space(json!({})).await;
    let requests = format!("/spaces/{made}/change-requests");
    let request = world.ada.post(&requests, json!({})).await.id();
    let content = format!("{requests}/{request}/content");
    let insert = |title: Option<&str>, markdown: &str| {
        let mut change = json!({"operation": "insert_page", "document": {"markdown": markdown}});
        if let Some(title) = title {
            change["title"] = json!(title);
        }
        json!({"changes": [change]})
    };
    let refused = world.ada.post(&content, insert(Some(" Blank"), "Text.")).await.error(400);
    assert_eq!(refused, format!("changes[0].title: {RULE}"));
    let refused = world.ada.post(&content, insert(None, "---\ntitle: ' Blank'\n---\nText.")).await.error(400);
    assert_eq!(refused, format!("changes[0].document.markdown: title in the front matter: {RULE}"));
    let refused = world.ada.post(&content, insert(Some("Two\nlines"), "Text.")).await.error(400);
    assert_eq!(refused, "changes[0].title: must be one line");
    world.ada.post(&content, insert(None, "---\ntitle: |\n  Block\n---\nText.")).await.ok();
    let pages = world.ada.get(&format!("{content}/pages")).await.ok();
    assert!(pages.list("pages").iter().any(|page| page["title"] == "Block"), "{pages}");
}
