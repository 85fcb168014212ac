//! Blocks of OpenAPI specs on pages: links, usages, merge rules and search.
use super::{path, pets, processed_spec, spec};
use acceptance::{Fields, World};
use domain::id::SpaceId;
use serde_json::{Value, json};

/// A document with an operation that is deprecated, a webhook and a schema.
fn shop() -> String {
    json!({"openapi": "3.1.0", "info": {"title": "Shop", "version": "1"},
        "paths": {
            "/pets": {"get": {"operationId": "listPets", "summary": "List the quadrupeds", "parameters": [
                {"name": "hoofed", "in": "query", "schema": {"type": "boolean"}}], "responses": {}}},
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
pub(super) async fn showing(world: &World, text: &str) -> SpaceId {
    let space = world.space(json!({"empty": true})).await;
    let request = propose(world, &space, text).await;
    world.ada.post(&format!("{request}/merge"), json!({})).await.ok();
    space
}

/// Each link of a space: its status, the reason, and the number of places.
pub(super) async fn links(world: &World, space: &SpaceId) -> Vec<Value> {
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
async fn a_block_with_a_version_shows_that_version_whatever_follows(world: World) {
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
async fn usages_that_are_removed_between_two_pages_hide_no_others(world: World) {
    send(&world, "shop", &shop()).await;
    let shown = [operation("", "/pets"), operation("", "/toys")].concat();
    for _ in 0..2 {
        showing(&world, &shown).await;
    }
    let usages = format!("{}/usages", path(&world, "shop"));
    let whole = world.ada.get(&usages).await.ok();
    assert_eq!(whole["count"], 4, "{whole}");
    let first = world.ada.get(&format!("{usages}?limit=2")).await.ok();
    assert_eq!(first.list("items"), &whole.list("items")[..2]);
    world.ada.delete(&format!("/spaces/{}", whole["items"][0].text("space"))).await.expect(205);
    let rest = world.ada.get(&format!("{usages}?limit=2&page={}", first["next"].text("page"))).await.ok();
    assert_eq!((rest.list("items"), rest.get("next")), (&whole.list("items")[2..], None));
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
        world.ada.post(&format!("{request}/merge"), json!({})).await.expect(403);
    }
    world.ada.post(&format!("{good}/merge"), json!({})).await.ok();
    // A version that has the operation mends the block.
    let other = propose(&world, &space, &operation("", "/birds")).await;
    world.ada.post(&format!("{other}/merge"), json!({})).await.expect(403);
    send(&world, "shop", &shop().replace("/pets", "/birds")).await;
    world.ada.post(&format!("{other}/merge"), json!({})).await.ok();
}

#[acceptance::test]
async fn an_operation_is_found_by_its_summary_its_id_and_its_parameters(world: World) {
    let space = showing(&world, &operation("", "/pets")).await;
    let found = async |query: &str| {
        let found = world.ada.get(&format!("/spaces/{space}/search?query={query}")).await.ok();
        found.list("items").len()
    };
    assert_eq!((found("quadrupeds").await, found("listPets").await), (0, 0));
    send(&world, "shop", &shop()).await;
    assert_eq!((found("quadrupeds").await, found("listPets").await, found("pets").await), (1, 1, 1));
    assert_eq!(found("hoofed").await, 1, "by a parameter");
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

#[acceptance::test]
async fn the_changes_of_a_version_are_those_since_the_one_before(world: World) {
    let first = send(&world, "shop", &shop()).await;
    let second = send(&world, "shop", &shop().replace("quadrupeds", "bipeds")).await;
    let third = send(&world, "shop", &shop().replace("/toys", "/games")).await;
    let other = processed_spec(&world, "other").await.1;
    let versions = format!("{}/versions", path(&world, "shop"));
    let counts = async |at: &str| {
        let changes = world.ada.get(&format!("{versions}/{at}")).await.ok();
        let counts = &changes["counts"];
        json!([changes["against"], counts["breaking"], counts["announced"], counts["fine"], counts["words"]])
    };
    assert_eq!(counts(&format!("{first}/changes")).await, json!([null, 0, 0, 0, 0]));
    assert_eq!(counts(&format!("{second}/changes")).await, json!([first, 0, 0, 0, 1]));
    assert_eq!(counts("latest/changes").await, json!([second, 0, 1, 1, 1]));
    assert_eq!(counts(&format!("latest/changes?against={first}")).await, json!([first, 0, 1, 1, 0]));
    assert_eq!(counts(&format!("{first}/changes?against={third}")).await, json!([third, 0, 1, 1, 0]));
    assert_eq!(counts(&format!("latest/changes?against={third}")).await, json!([third, 0, 0, 0, 0]));
    for wrong in [other.as_str(), "a b"] {
        let wrong = wrong.replace(' ', "%20");
        let answer = world.ada.get(&format!("{versions}/latest/changes?against={wrong}")).await.expect(400);
        assert!(answer["error"]["message"].as_str().unwrap().starts_with("against: "), "{answer}");
    }
    let changes = world.ada.get(&format!("{versions}/latest/changes")).await.ok();
    let removed = &changes.list("changes")[0];
    assert_eq!((removed.text("level"), &removed["inOld"]), ("announced", &json!(true)));
    assert_eq!(removed["operations"], json!([{"method": "get", "path": "/toys"}]));
    assert!(changes.text("markdown").contains("GET /toys"), "{changes}");

    let listed = world.ada.get(&versions).await.ok();
    let listed = listed.list("items").iter().map(|version| version["changes"]["announced"].clone());
    assert_eq!(listed.collect::<Vec<_>>(), [json!(1), json!(0), json!(null)]);
    let events = world.ada.get(&world.org("/audit-events?action=openapi_version_added")).await.ok();
    let newest = events.list("items").iter().find(|event| event["payload"]["version"] == third.as_str()).unwrap();
    assert_eq!(newest["payload"]["changes"]["announced"], 1, "{newest}");
}

#[acceptance::test]
async fn an_operation_is_shown_with_everything_that_it_refers_to(world: World) {
    let text = json!({"openapi": "3.0.3", "info": {"title": "Shop", "version": "1"},
        "paths": {"/pets/{id}": {
            "parameters": [{"$ref": "#/components/parameters/id"}],
            "get": {"operationId": "getPet", "security": [{"key": []}],
                "responses": {"200": {"description": "A pet", "content": {"application/json": {
                    "schema": {"$ref": "#/components/schemas/Pet"}}}}}}}},
        "components": {
            "parameters": {"id": {"name": "id", "in": "path", "required": true, "schema": {"type": "string"}}},
            "schemas": {
                "Pet": {"type": "object", "properties": {"owner": {"$ref": "#/components/schemas/Owner"}}},
                "Owner": {"type": "object", "properties": {"pet": {"$ref": "#/components/schemas/Pet"}}},
                "Unused": {"type": "string"}},
            "securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "X-Key"}}}});
    send(&world, "shop", &text.to_string()).await;
    let at = format!("{}/versions/latest/operation", path(&world, "shop"));
    let seen = world.ada.get(&format!("{at}?path=/pets/%7Bid%7D/&method=GET")).await.ok();
    let text = seen.to_string();
    assert_eq!(seen["operation"]["id"], "getPet", "{text}");
    for part in ["\"owner\"", "X-Key", "A pet", "\"id\""] {
        assert!(text.contains(part), "{part} in {text}");
    }
    assert!(!text.contains("Unused"), "{text}");
    let samples = seen.list("samples").iter().map(|sample| sample.text("lang")).collect::<Vec<_>>();
    assert_eq!(samples, ["curl", "javascript", "python", "go", "http"]);
    assert!(seen.list("samples")[0].text("source").contains("X-Key"), "{text}");
    assert!(seen["examples"]["responses"][0]["content"][0]["examples"][0].is_object(), "{text}");
    world.ada.get(&format!("{at}?path=/toys&method=GET")).await.expect(404);
    world.ada.get(&format!("{at}?webhook=born&method=post")).await.expect(404);
    let refused = world.ada.get(&format!("{at}?path=/pets")).await.expect(400);
    assert_eq!(refused["error"]["message"], "method: is required");
}
