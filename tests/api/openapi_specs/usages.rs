//! What pages show of OpenAPI specs: links, usages, merge rules and search.
use super::{path, pets, processed_spec, spec};
use acceptance::{Fields, World};
use domain::id::SpaceId;
use serde_json::{Value, json};

/// A document with an operation that is deprecated, a webhook and a schema.
fn shop() -> String {
    json!({"openapi": "3.1.0", "info": {"title": "Shop", "version": "1"},
        "paths": {
            "/pets": {"get": {"operationId": "listPets", "summary": "List the quadrupeds", "responses": {}}},
            "/toys": {"get": {"deprecated": true, "responses": {}}}},
        "webhooks": {"born": {"post": {"responses": {}}}},
        "components": {"schemas": {"Pet": {"type": "object"}}}})
    .to_string()
}

async fn send(world: &World, slug: &str, text: &str) -> String {
    world.ada.put(&path(world, slug), json!({"source": {"text": text}})).await;
    world.work().await;
    spec(world, slug).await.text("lastVersion").to_owned()
}

fn operation(attributes: &str, shown: &str) -> String {
    format!(
        "{{% openapi-operation spec=\"shop\" {attributes} path=\"{shown}\" method=\"get\" %}}\n{{% endopenapi-operation %}}\n\n"
    )
}

/// Proposes a page with this text in a change request.
async fn propose(world: &World, space: &SpaceId, text: &str) -> String {
    let at = format!("/spaces/{space}/change-requests");
    let request = format!("{at}/{}", world.ada.post(&at, json!({})).await.id());
    let page = json!({"operation": "insert_page", "title": "Reference", "document": {"markdown": text}});
    world.ada.post(&format!("{request}/content"), json!({"changes": [page]})).await.ok();
    request
}

/// A space with a page of this text.
async fn showing(world: &World, text: &str) -> SpaceId {
    let space = world.space(json!({"empty": true})).await;
    let request = propose(world, &space, text).await;
    world.ada.post(&format!("{request}/merge"), json!({})).await.ok();
    space
}

/// Each link of a space: its status, the reason, and the number of places.
async fn links(world: &World, space: &SpaceId) -> Vec<Value> {
    let links = world.ada.get(&format!("/spaces/{space}/links")).await.ok();
    let shown = |link: &Value| json!([link["status"], link["reason"], link.list("locationReferences").len()]);
    links.list("items").iter().map(shown).collect()
}

#[acceptance::test]
async fn a_block_is_broken_while_the_version_lacks_what_it_names(world: World) {
    send(&world, "shop", &shop()).await;
    let webhook = "{% openapi-webhook spec=\"shop\" name=\"born\" method=\"post\" %}\n{% endopenapi-webhook %}\n\n";
    let schemas = "{% openapi-schemas spec=\"shop\" schemas=\"Pet,Cat\" %}\n{% endopenapi-schemas %}\n";
    let text = [&operation("", "/pets/"), &operation("", "/cats"), webhook, schemas].concat();
    let space = showing(&world, &text).await;
    let expected = [json!(["ok", null, 2]), json!(["broken", "the version does not have Cat, GET /cats", 2])];
    assert_eq!(links(&world, &space).await, expected);

    send(&world, "shop", &shop().replace("/toys", "/cats").replace("\"Pet\"", "\"Cat\":{},\"Pet\"")).await;
    assert_eq!(links(&world, &space).await, [json!(["ok", null, 4])]);

    world.ada.delete(&path(&world, "shop")).await.expect(205);
    assert_eq!(links(&world, &space).await, [json!(["broken", "the organization has no such OpenAPI spec", 4])]);
}

#[acceptance::test]
async fn a_block_with_a_version_shows_that_version_for_ever(world: World) {
    let first = send(&world, "shop", &shop()).await;
    let other = processed_spec(&world, "other").await.1;
    let pinned = |version: &str, shown: &str| operation(&format!("version=\"{version}\""), shown);
    let text = [pinned(&first, "/toys"), pinned(&other, "/pets"), operation("", "/toys")].concat();
    let space = showing(&world, &text).await;
    send(&world, "shop", &pets("Shop")).await;
    let found = links(&world, &space).await;
    assert!(found.contains(&json!(["ok", null, 1])), "{found:?}");
    assert!(found.contains(&json!(["broken", "the OpenAPI spec has no such version", 1])), "{found:?}");
    assert!(found.contains(&json!(["broken", "the version does not have GET /toys", 1])), "{found:?}");
    let page = world.page(&space, "reference").await;
    let page = world.ada.get(&format!("/spaces/{space}/content/page/{page}?format=document")).await.ok();
    let shown = json!({"kind": "openapi", "spec": "shop", "version": first});
    assert_eq!(page["document"]["nodes"][0]["data"]["ref"], shown);
}

#[acceptance::test]
async fn the_usages_of_a_spec_are_the_blocks_that_the_caller_may_read(world: World) {
    send(&world, "shop", &shop()).await;
    let hint = format!("{{% hint style=\"info\" %}}\n{}{{% endhint %}}\n", operation("", "/cats"));
    let space = showing(&world, &[&operation("", "/pets"), &operation("", "/toys"), &*hint].concat()).await;
    let hidden = showing(&world, &operation("", "/pets")).await;
    let reader = world.member("rita", Some(domain::access::Role::Read)).await;
    world.ada.put(&format!("/spaces/{hidden}/permissions/defaults"), json!({"defaultLevel": null})).await;
    world.ada.patch(&format!("/spaces/{hidden}"), json!({"defaultLevel": null})).await;

    let usages = format!("{}/usages", path(&world, "shop"));
    let found = world.ada.get(&usages).await.ok();
    assert_eq!(found["count"], 4, "{found}");
    let seen = reader.get(&usages).await.ok();
    let shown = |usage: &Value| json!([usage["space"], usage["shows"], usage["status"], usage["reason"]]);
    let shows = |shown: &str| json!({"type": "operation", "method": "get", "path": shown});
    let expected = [
        json!([space, shows("/pets"), "ok", null]),
        json!([space, shows("/toys"), "deprecated", null]),
        json!([space, shows("/cats"), "broken", "the version does not have GET /cats"]),
    ];
    assert_eq!(seen.list("items").iter().map(shown).collect::<Vec<_>>(), expected);
    let page = world.page(&space, "reference").await;
    let first = &seen.list("items")[0];
    assert_eq!((first.text("object"), first.text("page")), ("openapi-spec-usage", page.as_str()));
    let location = first["urls"]["location"].as_str().unwrap();
    assert!(location.ends_with(&format!("/spaces/{space}/content/page/{page}")), "{location}");

    let change = json!({"changes": [{"operation": "delete_page", "page": page}]});
    let at = format!("/spaces/{space}/change-requests");
    let request = format!("{at}/{}", world.ada.post(&at, json!({})).await.id());
    world.ada.post(&format!("{request}/content"), change).await.ok();
    world.ada.post(&format!("{request}/merge"), json!({})).await.ok();
    assert_eq!(reader.get(&usages).await.ok()["count"], 0);
}

#[acceptance::test]
async fn merge_rules_see_the_broken_blocks_of_changed_pages(world: World) {
    send(&world, "shop", &shop()).await;
    let space = showing(&world, &operation("", "/gone")).await;
    let rule = json!({"rule": "custom", "expression": "changeRequest.openapi.broken == 0 && changeRequest.openapi.deprecated == 0"});
    let rules = json!({"mergeRules": {"type": "rules", "rules": [rule]}});
    world.ada.patch(&format!("/spaces/{space}"), rules).await.ok();
    let good = propose(&world, &space, &operation("", "/pets")).await;
    for bad in ["/toys", "/birds"] {
        let request = propose(&world, &space, &operation("", bad)).await;
        world.ada.post(&format!("{request}/merge"), json!({})).await.expect(409);
    }
    world.ada.post(&format!("{good}/merge"), json!({})).await.ok();
}

#[acceptance::test]
async fn an_operation_is_found_by_its_summary_and_its_id(world: World) {
    let space = showing(&world, &operation("", "/pets")).await;
    let found = async |query: &str| {
        let found = world.ada.get(&format!("/spaces/{space}/search?query={query}")).await.ok();
        found.list("items").len()
    };
    assert_eq!((found("quadrupeds").await, found("listPets").await), (0, 0));
    send(&world, "shop", &shop()).await;
    assert_eq!((found("quadrupeds").await, found("listPets").await, found("pets").await), (1, 1, 1));
    send(&world, "shop", &shop().replace("quadrupeds", "bipeds")).await;
    assert_eq!((found("quadrupeds").await, found("bipeds").await), (0, 1));
    world.ada.delete(&path(&world, "shop")).await.expect(205);
    world.work().await;
    assert_eq!((found("bipeds").await, found("pets").await), (0, 1));
}

#[acceptance::test]
async fn the_operations_of_a_version_are_listed_in_the_order_of_the_document(world: World) {
    let first = send(&world, "shop", &shop()).await;
    send(&world, "shop", &pets("Shop")).await;
    let at = |version: &str| format!("{}/versions/{version}/operations", path(&world, "shop"));
    let found = world.ada.get(&at(&first)).await.ok();
    let listed = |one: &Value| json!([one["method"], one["path"], one["webhook"], one["deprecated"]]);
    let expected = [
        json!(["get", "/pets", null, false]),
        json!(["get", "/toys", null, true]),
        json!(["post", null, "born", false]),
    ];
    assert_eq!(found.list("items").iter().map(listed).collect::<Vec<_>>(), expected);
    assert_eq!(found.list("items")[0].text("summary"), "List the quadrupeds");
    let latest = world.ada.get(&at("latest")).await.ok();
    assert_eq!(latest.list("items").iter().map(listed).collect::<Vec<_>>(), expected[..1]);
    world.ada.get(&at("none")).await.expect(404);
}
