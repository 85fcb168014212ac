//! The glossary of an organization.
use acceptance::{Fields, World};
use serde_json::{Value, json};

async fn change(world: &World, operations: Value) -> acceptance::Answer {
    world.ada.put(&world.org("/translations-glossary"), json!({"operations": operations})).await
}

async fn words(world: &World, query: &str) -> Vec<String> {
    let list = world.ada.get(&world.org(&format!("/translations-glossary{query}"))).await.ok();
    list.list("items").iter().map(|entry| entry["translations"]["en"].as_str().unwrap_or("-").to_owned()).collect()
}

#[acceptance::test]
async fn terms_are_added_updated_and_deleted_in_one_request(world: World) {
    let insert = |en: &str, de: &str| json!({"type": "insert", "translations": {"en": en, "de": de}});
    change(&world, json!([insert("space", "Bereich"), insert("page", "Seite")])).await.expect(204);
    let list = world.ada.get(&world.org("/translations-glossary")).await.ok();
    let ids: Vec<&str> = list.list("items").iter().map(Fields::id).collect();
    let entry = &list["items"][0];
    assert_eq!(entry["object"], "glossary-entry");
    assert_eq!(entry["translations"], json!({"en": "space", "de": "Bereich"}));
    let path = world.org(&format!("/translations-glossary/{}", ids[0]));
    assert_eq!(entry["urls"]["location"], format!("https://docs.test/v1{path}"));
    assert_eq!(world.ada.get(&path).await.ok(), *entry);
    let operations = json!([
        insert("site", "Site"),
        {"type": "update", "id": ids[0], "translations": {"en": "room"}},
        {"type": "delete", "id": ids[1]},
    ]);
    change(&world, operations).await.expect(204);
    assert_eq!(words(&world, "").await, ["room", "site"]);
    assert_eq!(world.ada.get(&path).await.ok()["translations"], json!({"en": "room"}));
    world.ada.get(&world.org(&format!("/translations-glossary/{}", ids[1]))).await.error(404);
    change(&world, json!([])).await.expect(204);
}

#[acceptance::test]
async fn all_changes_of_a_request_are_made_or_none(world: World) {
    let insert = |en: &str| json!({"type": "insert", "translations": {"en": en}});
    change(&world, json!([insert("space")])).await.expect(204);
    let refused =
        change(&world, json!([insert("page"), {"type": "update", "id": "gone", "translations": {"en": "x"}}]));
    assert!(refused.await.error(400).contains("operations[1].id"));
    let refused = change(&world, json!([insert("page"), insert("a\nb")])).await.error(400);
    assert!(refused.contains("operations[1].translations.en"), "{refused}");
    let many: Vec<Value> = (0..501).map(|number| insert(&format!("word {number}"))).collect();
    assert!(change(&world, json!(many)).await.error(400).contains("at most 500"));
    assert_eq!(words(&world, "").await, ["space"]);
    change(&world, json!(many[..500])).await.expect(204);
    assert_eq!(words(&world, "?limit=1000").await.len(), 501);
    for _ in 0..2 {
        change(&world, json!(many[..500])).await.expect(204);
    }
    assert!(change(&world, json!(many[..500])).await.error(400).contains("at most 2000 entries"));
}

#[acceptance::test]
async fn a_glossary_is_read_in_the_order_of_a_language_a_page_at_a_time(world: World) {
    for word in ["space", "Page", "audit"] {
        change(&world, json!([{"type": "insert", "translations": {"en": word}}])).await.expect(204);
    }
    change(&world, json!([{"type": "insert", "translations": {"de": "Nur hier"}}])).await.expect(204);
    assert_eq!(words(&world, "").await, ["space", "Page", "audit", "-"]);
    assert_eq!(words(&world, "?orderBy=en").await, ["audit", "Page", "space", "-"]);
    let path = world.org("/translations-glossary?orderBy=en&limit=3");
    let next = world.ada.get(&path).await.ok()["next"].text("page").to_owned();
    assert_eq!(words(&world, &format!("?orderBy=en&limit=3&page={next}")).await, ["-"]);
    assert!(world.ada.get(&world.org("/translations-glossary?orderBy=English")).await.error(400).contains("orderBy"));
}
