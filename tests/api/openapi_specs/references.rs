use super::{path, processed_spec};
use acceptance::{Fields, World};
use serde_json::json;

#[acceptance::test]
async fn a_block_of_a_spec_is_a_link_to_it_as_long_as_there_is_one(world: World) {
    let (slug, _) = processed_spec(&world, "Pets").await;
    let guest = world.member("gus", None).await;
    let space = world.space(json!({"empty": true})).await;
    let at = format!("/spaces/{space}");
    let block = |spec: &str| {
        format!(
            "{{% openapi-operation spec=\"{spec}\" path=\"/pets\" method=\"get\" %}}\n{{% endopenapi-operation %}}\n\n"
        )
    };
    let text = format!("{}{}", block("pets"), block("nothing"));
    let request = world.ada.post(&format!("{at}/change-requests"), json!({})).await.id();
    let request = format!("{at}/change-requests/{request}");
    let page = json!({"operation": "insert_page", "title": "Reference", "document": {"markdown": text}});
    world.ada.post(&format!("{request}/content"), json!({"changes": [page]})).await.ok();
    world.ada.post(&format!("{request}/merge"), json!({})).await.ok();
    world.ada.post(&format!("{at}/permissions"), json!({"role": "read", "users": [guest.id()]})).await.expect(204);

    let links = world.ada.get(&format!("{at}/links")).await.ok();
    assert_eq!(links["stats"], json!({"total": 2, "broken": {"total": 1}}), "{links}");
    let found = links.list("items").iter().find(|item| item["targetReference"].is_object()).unwrap();
    assert_eq!(found["targetReference"]["kind"], "openapi");
    assert_eq!(found["targetReference"]["openAPISpec"]["slug"], slug.as_str());
    assert_eq!(found["targetReference"]["organization"]["id"], world.organization.as_str());
    let seen = guest.get(&format!("{at}/links")).await.ok();
    assert_eq!(seen["stats"]["broken"]["total"], 2, "a guest sees no specs: {seen}");
    assert!(seen.list("items").iter().all(|item| item.get("reason").is_none()), "nor what there is: {seen}");

    world.ada.delete(&path(&world, &slug)).await.expect(205);
    let links = world.ada.get(&format!("{at}/links")).await.ok();
    assert_eq!(links["stats"], json!({"total": 2, "broken": {"total": 2}}), "{links}");
}
