use acceptance::{Backend, Fixture, World};
use rstest::rstest;
use serde_json::Value;

fn statuses(list: &Value) -> Vec<&str> {
    list["items"].as_array().unwrap().iter().map(|item| item["status"].as_str().unwrap()).collect()
}

#[rstest]
#[actix_web::test]
async fn the_links_of_a_space_say_what_they_lead_to(#[values(Backend::Sqlite, Backend::Postgres)] backend: Backend) {
    let Some(world) = World::boot(backend).await else { return };
    let space = world.import(&Fixture::guide()).await;
    let all = world.ada.get(&format!("/spaces/{space}/links")).await.ok();
    assert_eq!(all["stats"]["broken"]["total"], 1, "{all}");
    assert_eq!(all["stats"]["total"], all["items"].as_array().unwrap().len());
    let broken = world.ada.get(&format!("/spaces/{space}/links?status=broken")).await.ok();
    assert_eq!(statuses(&broken), ["broken"]);
    assert_eq!(broken["stats"], all["stats"], "the counts are those of the whole");
    let item = &broken["items"][0];
    assert!(item.get("targetReference").is_none());
    assert_eq!(item["relation"], "reference");
    let place = &item["locationReferences"][0];
    assert_eq!(place["kind"], "page");
    assert_eq!(place["page"]["title"], "Install");
    assert_eq!(place["organization"]["id"], world.organization.as_str());
    assert_eq!(place["space"]["id"], space.as_str());
    assert!(place["internalLocation"]["node"].is_string(), "{place}");
    let page =
        all["items"].as_array().unwrap().iter().find(|item| item["targetReference"]["page"]["title"] == "On Linux");
    assert_eq!(page.unwrap()["status"], "ok");
    let message = world.ada.get(&format!("/spaces/{space}/links?status=dubious")).await.error(400);
    assert!(message.contains("status"), "{message}");
}

#[rstest]
#[actix_web::test]
async fn the_links_of_one_page_are_its_own(#[values(Backend::Sqlite, Backend::Postgres)] backend: Backend) {
    let Some(world) = World::boot(backend).await else { return };
    let space = world.import(&Fixture::guide()).await;
    let page = world.ada.get(&format!("/spaces/{space}/content/path/install")).await.ok();
    let links = world
        .ada
        .get(&format!("/spaces/{space}/content/page/{}/links?limit=2", page["id"].as_str().unwrap()))
        .await
        .ok();
    assert_eq!(links["stats"]["total"], 3, "{links}");
    assert_eq!(links["items"].as_array().unwrap().len(), 2);
    assert!(links["next"]["page"].is_string());
}

#[rstest]
#[actix_web::test]
async fn a_file_knows_the_pages_that_show_it(#[values(Backend::Sqlite, Backend::Postgres)] backend: Backend) {
    let Some(world) = World::boot(backend).await else { return };
    let space = world.import(&Fixture::guide()).await;
    let files = world.ada.get(&format!("/spaces/{space}/content/files")).await.ok();
    let file = files["items"][0]["id"].as_str().unwrap();
    let backlinks = world.ada.get(&format!("/spaces/{space}/content/files/{file}/backlinks")).await.ok();
    assert_eq!(backlinks["items"].as_array().unwrap().len(), 1);
    assert_eq!(backlinks["items"][0]["page"]["title"], "Engine Guide");
    world.ada.get(&format!("/spaces/{space}/content/files/nothing/backlinks")).await.error(404);
}

#[rstest]
#[actix_web::test]
async fn a_page_without_meta_links_has_none(#[values(Backend::Sqlite, Backend::Postgres)] backend: Backend) {
    let Some(world) = World::boot(backend).await else { return };
    let space = world.import(&Fixture::guide()).await;
    let page = world.ada.get(&format!("/spaces/{space}/content/path/install")).await.ok();
    let path = format!("/spaces/{space}/content/page/{}/meta-links", page["id"].as_str().unwrap());
    let links = world.ada.get(&path).await.ok();
    assert!(links.get("canonical").is_none(), "{links}");
}
