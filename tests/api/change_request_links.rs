use acceptance::{Caller, Fields, Fixture, World};
use actix_web::http::Method;
use serde_json::{Value, json};

fn link(id: &str, url: &str) -> Value {
    json!({ "id": id, "ref": { "kind": "url", "url": url } })
}

/// Sets the links of a change request, and returns it.
async fn set(caller: &Caller, request: &str, links: &Value) -> Value {
    caller.patch(request, json!({ "links": links })).await.ok()
}

#[acceptance::test]
async fn links_stay_until_they_are_replaced_or_removed(world: World) {
    let space = world.space(json!({})).await;
    let request = world.change_request(&space, json!({ "subject": "Fix" })).await;
    assert_eq!(world.ada.get(&request).await.ok().get("links"), None);
    let mut issue = link("issue-7", "HTTPS://EXAMPLE.org:443/ü");
    issue["title"] = json!(" An issue\t");
    issue["expanded"] = json!(false);
    let page = link("a page", "https://example.org/page");
    let changed = set(&world.ada, &request, &json!([issue, page])).await;
    issue["ref"]["url"] = json!("https://example.org/%C3%BC");
    assert_eq!(changed["links"], json!([issue, page]));
    world.ada.patch(&request, json!({ "subject": "Better" })).await.ok();
    let read = world.ada.get(&request).await.ok();
    assert_eq!((&read["subject"], &read["links"]), (&json!("Better"), &changed["links"]));
    let listed = world.ada.get(&format!("/spaces/{space}/change-requests?status=draft")).await.ok();
    assert_eq!(listed["items"][0]["links"], read["links"]);
    let only_page = json!([page]);
    for none in [json!([]), Value::Null] {
        assert_eq!(set(&world.ada, &request, &only_page).await["links"], only_page);
        assert_eq!(set(&world.ada, &request, &none).await.get("links"), None, "{none}");
        assert_eq!(world.ada.get(&request).await.ok().get("links"), None, "{none}");
    }
}

#[acceptance::test]
async fn a_link_that_breaks_a_rule_is_refused_with_the_field_and_the_rule(world: World) {
    let space = world.space(json!({})).await;
    let request = world.change_request(&space, json!({ "subject": "Fix" })).await;
    let url = "https://example.org/";
    let kept = set(&world.ada, &request, &json!([link("a", url)])).await;
    let many = |count: usize| json!((0..count).map(|id| link(&id.to_string(), url)).collect::<Vec<_>>());
    let with = |field: &str, value: Value| {
        let mut second = link("b", url);
        second[field] = value;
        json!([link("a", url), second])
    };
    let to = |url: &str| with("ref", json!({ "kind": "url", "url": url }));
    for (links, expected) in [
        (json!("x"), "links: must be a list"),
        (json!([url]), "links[0]: must be an object"),
        (many(11), "links: must have at most 10 items, not 11"),
        (json!([link("a", url), link("a", url)]), "links: must not have two items with the same id"),
        (json!([{ "ref": { "kind": "url", "url": url } }]), "links[0].id: is required"),
        (json!([{ "id": "a" }]), "links[0].ref: is required"),
        (with("id", json!(7)), "links[1].id: must be a string"),
        (with("id", json!("")), "links[1].id: must have at least 1 character"),
        (with("id", json!("x".repeat(256))), "links[1].id: must have at most 255 characters, not 256"),
        (with("title", json!("é".repeat(129))), "links[1].title: must have at most 128 characters, not 129"),
        (with("title", json!("a\0b")), "links[1].title: must not contain U+0000"),
        (with("expanded", json!("yes")), "links[1].expanded: must be a boolean"),
        (with("ref", json!(url)), "links[1].ref: must be an object"),
        (with("ref", json!({ "kind": "page", "page": "p" })), "links[1].ref.kind: must be `url`"),
        (with("ref", json!({ "kind": "url" })), "links[1].ref.url: is required"),
        (to("javascript:alert(1)"), "links[1].ref.url: must be an address such as https://example.org/logo.png"),
        (to("/relative"), "links[1].ref.url: must be an address such as https://example.org/logo.png"),
        (to("https://ada:secret@example.org/"), "links[1].ref.url: must not contain a user or a password"),
    ] {
        let message = world.ada.patch(&request, json!({ "subject": "Other", "links": links })).await.error(400);
        assert_eq!(message, expected);
    }
    assert_eq!(world.ada.get(&request).await.ok(), kept, "nothing is changed");
    let longest = with("title", json!("é".repeat(128)));
    for fine in [many(10), longest] {
        assert_eq!(set(&world.ada, &request, &fine).await["links"], fine);
    }
}

#[acceptance::test]
async fn the_links_of_a_merged_change_request_never_change(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let request = world.change_request(&space, json!({})).await;
    world.ada.patch(&request, json!({ "status": "archived" })).await.ok();
    let links = json!([link("a", "https://example.org/")]);
    assert_eq!(set(&world.ada, &request, &links).await["links"], links, "an archived one can change");
    world.ada.patch(&request, json!({ "status": "open" })).await.ok();
    world.ada.post(&format!("{request}/merge"), json!({})).await.ok();
    let merged = world.ada.get(&request).await.ok();
    assert_eq!((&merged["status"], &merged["links"]), (&json!("merged"), &links));
    for links in [json!([]), Value::Null, json!([link("b", "https://example.org/")])] {
        world.ada.patch(&request, json!({ "links": links })).await.error(409);
    }
    assert_eq!(world.ada.get(&request).await.ok(), merged);
}

#[acceptance::test]
async fn links_can_be_changed_only_as_they_were_read(world: World) {
    let space = world.space(json!({})).await;
    let request = world.change_request(&space, json!({})).await;
    let tag = world.ada.get(&request).await.header("etag").unwrap().to_owned();
    let send = async |id: &str| {
        let body = json!({ "links": [link(id, "https://example.org/")] });
        let with = |sent: actix_web::test::TestRequest| sent.insert_header(("If-Match", tag.clone())).set_json(body);
        world.ada.send(Method::PATCH, &request, with).await
    };
    send("first").await.ok();
    send("second").await.error(412);
    assert_eq!(world.ada.get(&request).await.ok()["links"][0].id(), "first");
}

#[acceptance::test]
async fn a_change_of_links_is_one_event_with_the_links_before_and_after(world: World) {
    let space = world.space(json!({})).await;
    let request = world.change_request(&space, json!({})).await;
    let links = json!([link("a", "https://example.org/")]);
    let changed = set(&world.ada, &request, &links).await;
    assert_eq!(set(&world.ada, &request, &links).await, changed, "the same links are no change");
    let events = world.ada.get(&world.org("/audit-events?action=change_request_updated")).await.ok();
    assert_eq!(events["count"], 1, "{events}");
    let changes = &events["items"][0]["payload"]["changes"];
    assert_eq!(*changes, json!({ "links": { "before": [], "after": links } }));
}
