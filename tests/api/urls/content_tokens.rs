//! The rights and the validity of content tokens.
use super::{BASE, docs, visitor};
use crate::access::{OPERATIONS, Place};
use crate::change_requests::{edit, merged, propose};
use crate::sites;
use acceptance::{Fields, Fixture, World};
use chrono::TimeDelta;
use serde_json::{Value, json};

/// The operations that a content token allows, besides those on the content of a revision and on the primary content.
const OPEN: &[&str] = &[
    "/v1/",
    "/v1/spaces/{spaceId}",
    "/v1/orgs/{organizationId}/sites/{siteId}",
    "/v1/orgs/{organizationId}/sites/{siteId}/structure",
    "/v1/orgs/{organizationId}/sites/{siteId}/published",
    "/v1/orgs/{organizationId}/sites/{siteId}/sections",
    "/v1/orgs/{organizationId}/sites/{siteId}/section-groups",
    "/v1/orgs/{organizationId}/sites/{siteId}/site-spaces",
    "/v1/orgs/{organizationId}/sites/{siteId}/customization",
    "/v1/orgs/{organizationId}/sites/{siteId}/site-spaces/{siteSpaceId}/customization",
    "/v1/orgs/{organizationId}/sites/{siteId}/integration-scripts",
];

/// Whether a content token opens an operation.
fn opens(method: &str, pattern: &str) -> bool {
    let content = ["/v1/spaces/{spaceId}/content", "/v1/spaces/{spaceId}/revisions/{revisionId}"];
    let part = content.into_iter().find_map(|start| pattern.strip_prefix(start));
    let closed = |part: &str| part.ends_with("links") && !part.ends_with("/meta-links") || part.ends_with("/changes");
    method == "get" && (OPEN.contains(&pattern) || part.is_some_and(|part| !closed(part)))
}

#[acceptance::test]
async fn a_content_token_opens_what_the_visit_shows_and_nothing_else(world: World) {
    let place = Place::build(world).await;
    let visitor = place.visitor().await;
    let mut faults = Vec::new();
    let mut opened = 0;
    for (method, pattern, ..) in OPERATIONS {
        let status = place.send(&visitor, method, pattern).await.status.as_u16();
        let expected = if opens(method, pattern) { status == 200 } else { status == 403 || status == 404 };
        opened += usize::from(status == 200);
        if !expected {
            faults.push(format!("{method} {pattern}: {status}"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(opened > 15, "{opened}");
}

#[acceptance::test]
async fn a_content_token_opens_only_the_present_content_of_the_spaces_of_its_site(world: World) {
    let (site, space) = docs(&world, "public").await;
    let other = world.import(&Fixture::guide()).await;
    let other_site = sites::site(&world, json!({"title": "Other", "spaces": [other.as_str()]})).await;
    world.ada.post(&format!("{other_site}/publish"), json!({})).await.ok();
    let before = world.ada.get(&format!("/spaces/{space}/content")).await.ok().id().to_owned();
    let request = propose(&world.ada, &space, "").await;
    let page = world.page(&space, "install").await;
    edit(&world.ada, &request, json!([{"operation": "update_page", "page": page, "title": "Secret"}])).await.ok();
    let caller = visitor(&world, &format!("{BASE}/"), json!({})).await;
    let now = caller.get(&format!("/spaces/{space}/content")).await.ok();
    caller.get(&format!("/spaces/{space}/revisions/{before}/pages")).await.ok();
    for path in [
        format!("/spaces/{other}/content"),
        format!("{other_site}/structure"),
        format!("{other_site}/published"),
        "/spaces/nowhere/content".to_owned(),
    ] {
        caller.get(&path).await.error(404);
    }
    caller.get(&format!("{request}/content")).await.error(403);
    merged(&world.ada, &request).await;
    assert_eq!(caller.get(&format!("/spaces/{space}/revisions/{before}")).await.error(404), "revision not found");
    let after = caller.get(&format!("/spaces/{space}/content")).await.ok();
    assert_ne!(after.id(), now.id());
    assert_eq!((after.get("mergedFrom"), &after["type"]), (None, &json!("edits")), "a visitor sees no change request");
    let by_id = caller.get(&format!("/spaces/{space}/revisions/{}", after.id())).await.ok();
    assert_eq!((by_id.get("mergedFrom"), &by_id["type"]), (None, &json!("edits")));
    let member = world.ada.get(&format!("/spaces/{space}/content")).await.ok();
    assert_eq!((member["mergedFrom"]["object"].as_str(), &member["type"]), (Some("change-request"), &json!("merge")));
    let shown = &caller.get(&format!("{site}/structure")).await.ok()["structure"][0]["space"];
    assert_eq!((&shown["permissions"]["view"], &shown["permissions"]["edit"]), (&json!(false), &json!(false)));
    let (published, eve) = (format!("{site}/published"), world.stranger("eve").await);
    assert_eq!(caller.get(&published).await.ok(), eve.get(&published).await.ok(), "both are visitors");

    let added = world.ada.get(&format!("{site}/structure")).await.ok()["structure"][0].id().to_owned();
    world.ada.patch(&format!("{site}/site-spaces/{added}"), json!({"draft": true})).await.ok();
    caller.get(&format!("/spaces/{space}/content")).await.error(404);
    world.ada.patch(&format!("{site}/site-spaces/{added}"), json!({"draft": false})).await.ok();
    caller.get(&format!("/spaces/{space}/content")).await.ok();
    world.ada.delete(&format!("/spaces/{space}")).await;
    caller.get(&format!("/spaces/{space}/content")).await.error(404);
}

#[acceptance::test]
async fn a_content_token_opens_each_part_of_the_site_as_the_whole_shows_it(world: World) {
    let (site, space) = docs(&world, "public").await;
    let hidden = world.import(&Fixture::guide()).await;
    let added = world.ada.post(&format!("{site}/site-spaces"), json!({"spaceId": hidden.as_str()})).await.expect(201);
    let hidden_part = format!("{site}/site-spaces/{}", added.id());
    world.ada.patch(&hidden_part, json!({"condition": "visitor.claims.staff"})).await.ok();
    let settings = json!({"defaultLevel": "comment", "editURL": "https://example.org/edit/"});
    world.ada.patch(&format!("/spaces/{space}"), settings).await.ok();
    let to = json!({"kind": "url", "url": "https://example.org/"});
    let links = json!([{"title": "All", "to": to}, {"title": "Staff", "to": to, "condition": "visitor.claims.staff"}]);
    world.ada.put(&format!("{site}/customization"), json!({"header": {"links": links}})).await.ok();
    let caller = visitor(&world, &format!("{BASE}/"), json!({})).await;
    let whole = caller.get(&format!("{site}/published")).await.ok();
    let parts = whole["structure"]["structure"].as_array().unwrap();
    assert_eq!(parts.len(), 1, "a condition hides the other one");
    assert_eq!(caller.get(&site).await.ok(), whole["site"]);
    assert_eq!(whole["site"]["siteSpaces"], 1);
    assert_eq!(&caller.get(&format!("{site}/site-spaces")).await.ok()["items"], &whole["structure"]["structure"]);
    for none in ["sections", "section-groups"] {
        assert_eq!(caller.get(&format!("{site}/{none}")).await.ok()["items"], json!([]));
    }
    let alone = caller.get(&format!("/spaces/{space}")).await.ok();
    assert_eq!(alone, parts[0]["space"]);
    assert_eq!((alone.get("editURL"), &alone["defaultLevel"]), (None, &json!("inherit")));
    let looks = &whole["customizations"];
    assert_eq!(caller.get(&format!("{site}/customization")).await.ok(), looks["site"]);
    let own = caller.get(&format!("{site}/site-spaces/{}/customization", parts[0].id())).await.ok();
    assert_eq!(own, looks["siteSpaces"][parts[0].id()]);
    let titles = |looks: &Value| {
        looks["header"]["links"].as_array().unwrap().iter().map(|link| link["title"].clone()).collect::<Vec<_>>()
    };
    assert_eq!([titles(&own), titles(&looks["site"])], [["All"], ["All"]]);
    let of_members = world.ada.get(&format!("{site}/customization")).await.ok();
    assert_eq!(titles(&of_members), ["All", "Staff"]);
    assert_eq!(caller.get(&format!("{site}/integration-scripts")).await.ok(), json!([]));
    for path in [format!("/spaces/{hidden}"), format!("{hidden_part}/customization")] {
        caller.get(&path).await.error(404);
    }
}

#[acceptance::test]
async fn a_visitor_learns_of_no_other_site_with_the_same_space(world: World) {
    let (first, space) = docs(&world, "unlisted").await;
    let settings = json!({"defaultLevel": "comment", "editURL": "https://example.org/edit/"});
    world.ada.patch(&format!("/spaces/{space}"), settings).await.ok();
    world.ada.post(&format!("/spaces/{space}/comments"), json!({"body": {"markdown": "Why?"}})).await.ok();
    let second = sites::site(&world, json!({"title": "Second", "spaces": [space.as_str()]})).await;
    let url = world.ada.post(&format!("{second}/publish"), json!({})).await.ok()["urls"].text("published").to_owned();
    let caller = visitor(&world, &url, json!({})).await;
    let eve = world.stranger("eve").await;
    let (pages, published) = (format!("/spaces/{space}/content/pages"), format!("{second}/published"));
    assert_eq!(caller.get(&pages).await.ok()["pages"][0]["urls"].text("published"), url);
    for seen in [caller.get(&published).await.ok(), eve.get(&published).await.ok()] {
        let shown = &seen["structure"]["structure"][0]["space"];
        assert_eq!((shown["urls"].text("published"), shown.text("visibility")), (url.as_str(), "public"));
        assert_eq!((&shown["comments"], shown.get("defaultLevel")), (&json!(0), Some(&json!("inherit"))));
        assert_eq!(shown.get("editURL"), None);
    }
    let member = world.ada.get(&format!("/spaces/{space}")).await.ok();
    assert_eq!(member.text("visibility"), "unlisted", "the first site decides for members");
    caller.get(&format!("{first}/published")).await.error(404);
}

#[acceptance::test]
#[case::unpublished("unpublish")]
#[case::deleted("delete")]
#[case::of_another_visibility("visibility")]
#[case::with_another_key("key")]
#[case::after_an_hour("time")]
async fn a_content_token_ends_at_once_with_what_it_was_made_for(world: World, #[case] end: &str) {
    let (site, space) = docs(&world, "public").await;
    let caller = visitor(&world, &format!("{BASE}/"), json!({})).await;
    let content = format!("/spaces/{space}/content/pages");
    for path in [&content, &format!("{site}/structure")] {
        caller.get(path).await.ok();
    }
    match end {
        "unpublish" => drop(world.ada.post(&format!("{site}/unpublish"), json!({})).await.ok()),
        "delete" => drop(world.ada.delete(&site).await),
        "visibility" => drop(world.ada.patch(&site, json!({"visibility": "unlisted"})).await.ok()),
        "key" => drop(world.ada.post(&format!("{site}/publishing/auth/regenerate"), json!({})).await.ok()),
        _ => drop(world.pass(TimeDelta::minutes(61)).await),
    }
    for path in [&content, &format!("{site}/structure")] {
        assert_eq!(caller.get(path).await.error(401), "the token is unknown, expired or revoked");
    }
}

#[acceptance::test]
async fn a_content_token_changes_nothing_and_makes_no_other_token(world: World) {
    let (site, space) = docs(&world, "public").await;
    let caller = visitor(&world, &format!("{BASE}/"), json!({})).await;
    let url = format!("{BASE}/install");
    caller.post("/urls/published", json!({"url": url})).await.error(403);
    caller.get(&format!("/urls/published?url={url}")).await.error(403);
    caller.get(&format!("/urls/content?url={url}")).await.error(403);
    caller.get(&format!("{site}/publishing/preview")).await.error(403);
    caller.patch(&format!("/spaces/{space}"), json!({"title": "Mine"})).await.error(403);
    caller.patch(&site, json!({"title": "Mine"})).await.error(403);
    for reading in ["search?query=install", "revisions", "links", "comments", "change-requests"] {
        caller.get(&format!("/spaces/{space}/{reading}")).await.error(403);
    }
    for reading in ["redirects", "redirect?source=/gone", "adaptive-schema", "feedback", "share-links"] {
        caller.get(&format!("{site}/{reading}")).await.error(403);
    }
    caller.get("/orgs").await.error(403);
    caller.get("/user").await.error(403);
    for token in ["a.b.c", "..", "eyJhbGciOiJub25lIn0.eyJzaXRlIjoiYSJ9.AA"] {
        world.with_token(token).get("/").await.error(401);
    }
}

#[acceptance::test]
async fn visitors_with_different_claims_share_no_responses(world: World) {
    let (site, space) = docs(&world, "public").await;
    let other = world.space(json!({})).await;
    let pages = format!("/spaces/{space}/content/pages");
    let one = visitor(&world, &format!("{BASE}/"), json!({})).await;
    let sites = sites::site(&world, json!({"title": "Other", "spaces": [other.as_str()]})).await;
    world.ada.post(&format!("{sites}/publish"), json!({})).await.ok();
    let url = world.ada.get(&sites).await.ok()["urls"].text("published").to_owned();
    // A space without a page has an address too.
    let two = visitor(&world, &url, json!({})).await;
    let eve = world.stranger("eve").await;
    for _ in 0..3 {
        one.get(&pages).await.ok();
        two.get(&pages).await.error(404);
        two.get(&format!("/spaces/{other}/content/pages")).await.ok();
        world.ada.get(&pages).await.ok();
        eve.get(&pages).await.error(404);
    }
    world.ada.post(&format!("{site}/unpublish"), json!({})).await.ok();
    one.get(&pages).await.error(401);
    world.ada.get(&pages).await.ok();
}
