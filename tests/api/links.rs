use acceptance::{Fields, Fixture, World};
use domain::access::Role;
use serde_json::{Value, json};

fn statuses(list: &Value) -> Vec<&str> {
    list.list("items").iter().map(|item| item.text("status")).collect()
}

#[acceptance::test]
async fn the_links_of_a_space_say_what_they_lead_to(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let all = world.ada.get(&format!("/spaces/{space}/links")).await.ok();
    assert_eq!(all["stats"]["broken"]["total"], 1, "{all}");
    assert_eq!(all["stats"]["total"], all.list("items").len());
    let broken = world.ada.get(&format!("/spaces/{space}/links?status=broken")).await.ok();
    assert_eq!(statuses(&broken), ["broken"]);
    assert_eq!(broken["stats"], all["stats"], "the counts are for the whole list");
    let item = &broken["items"][0];
    assert!(item.get("targetReference").is_none());
    assert_eq!(item["relation"], "reference");
    let place = &item["locationReferences"][0];
    assert_eq!(place["kind"], "page");
    assert_eq!(place["page"]["title"], "Install");
    assert_eq!(place["organization"]["id"], world.organization.as_str());
    assert_eq!(place["space"]["id"], space.as_str());
    assert!(place["internalLocation"]["node"].is_string(), "{place}");
    let page = all.list("items").iter().find(|item| item["targetReference"]["page"]["title"] == "On Linux");
    assert_eq!(page.unwrap()["status"], "ok");
    let message = world.ada.get(&format!("/spaces/{space}/links?status=dubious")).await.error(400);
    assert!(message.contains("status"), "{message}");
}

#[acceptance::test]
async fn the_links_of_one_page_are_its_own(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let page = world.ada.get(&format!("/spaces/{space}/content/path/install")).await.ok();
    let links = world.ada.get(&format!("/spaces/{space}/content/page/{}/links?limit=2", page.id())).await.ok();
    assert_eq!(links["stats"]["total"], 3, "{links}");
    assert_eq!(links.list("items").len(), 2);
    assert!(links["next"]["page"].is_string());
}

#[acceptance::test]
async fn a_file_knows_the_pages_that_show_it(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let files = world.ada.get(&format!("/spaces/{space}/content/files")).await.ok();
    let file = files["items"][0].id();
    let backlinks = world.ada.get(&format!("/spaces/{space}/content/files/{file}/backlinks")).await.ok();
    assert_eq!(backlinks.list("items").len(), 1);
    assert_eq!(backlinks["items"][0]["page"]["title"], "Engine Guide");
    world.ada.get(&format!("/spaces/{space}/content/files/nothing/backlinks")).await.error(404);
}

#[acceptance::test]
async fn a_page_without_meta_links_has_none(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let page = world.ada.get(&format!("/spaces/{space}/content/path/install")).await.ok();
    let path = format!("/spaces/{space}/content/page/{}/meta-links", page.id());
    let links = world.ada.get(&path).await.ok();
    assert!(links.get("canonical").is_none(), "{links}");
}

#[acceptance::test]
async fn a_link_leads_to_collections_and_members_that_the_caller_may_know_of(world: World) {
    let guides = world.ada.post(&world.org("/collections"), json!({"title": "Guides"})).await.expect(201);
    let (guides, member) = (guides.id(), world.member("rita", Some(Role::Read)).await);
    let (stranger, guest) = (world.stranger("eve").await, world.member("gus", None).await);
    let address = |kind: &str, id: &str| format!("[x](/{kind}/{id}) ");
    let text = [
        address("collections", guides),
        address("collections", "nothing"),
        address("users", member.id()),
        address("users", stranger.id()),
    ];
    let space = world.space(json!({"empty": true})).await;
    let path = format!("/spaces/{space}");
    let request = world.ada.post(&format!("{path}/change-requests"), json!({})).await.id();
    let request = format!("{path}/change-requests/{request}");
    let page = json!({"operation": "insert_page", "title": "Links", "document": {"markdown": text.concat()}});
    world.ada.post(&format!("{request}/content"), json!({"changes": [page]})).await.ok();
    world.ada.post(&format!("{request}/merge"), json!({})).await.ok();
    world.ada.post(&format!("{path}/permissions"), json!({"role": "read", "users": [guest.id()]})).await.expect(204);

    let links = world.ada.get(&format!("{path}/links")).await.ok();
    assert_eq!(links["stats"], json!({"total": 4, "broken": {"total": 2}}), "{links}");
    let targets: Vec<&Value> = links.list("items").iter().filter_map(|item| item.get("targetReference")).collect();
    let of_kind = |kind: &str| *targets.iter().find(|target| target["kind"] == kind).unwrap();
    assert_eq!(of_kind("user")["user"]["id"], member.id());
    assert_eq!(of_kind("collection")["collection"]["title"], "Guides");
    assert_eq!(of_kind("collection")["organization"]["id"], world.organization.as_str());

    let seen = guest.get(&format!("{path}/links")).await.ok();
    assert_eq!(seen["stats"]["broken"]["total"], 4, "a guest sees neither the collection nor the members: {seen}");
}
