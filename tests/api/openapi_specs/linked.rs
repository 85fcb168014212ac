//! OpenAPI documents at addresses that pages show.
use super::usages::{links, showing};
use super::{boot, path};
use crate::reader::text;
use crate::urls::BASE;
use acceptance::{Backend, Fixture, World};
use chrono::TimeDelta;
use domain::openapi_spec::MAX_LINKED;
use domain::paging::PageRequest;
use serde_json::json;

const ADDRESS: &str = "https://api.example.org/zoo.json";

/// A document whose only operation has this summary.
fn zoo(summary: &str) -> String {
    let operation = json!({"summary": summary, "parameters": [
        {"name": "hoofed", "in": "query", "schema": {"type": "boolean"}}], "responses": {}});
    json!({"openapi": "3.1.0", "info": {"title": "Zoo", "version": "1"}, "paths": {"/animals": {"get": operation}}})
        .to_string()
}

fn block(address: &str, shown: &str) -> String {
    format!("{{% openapi src=\"{address}\" path=\"{shown}\" method=\"get\" %}}\n{{% endopenapi %}}\n\n")
}

/// A published site of the space, at [`BASE`].
async fn publish(world: &World, space: &str) {
    let site = crate::sites::site(world, json!({"title": "Docs", "spaces": [space]})).await;
    world.ada.post(&format!("{site}/publish"), json!({})).await.ok();
}

async fn page(world: &World) -> String {
    text(world.browse(&format!("{BASE}/reference")).await, 200)
}

/// How many specs of addresses the organization has.
async fn linked(world: &World) -> usize {
    let mut tx = world.services.store.read().await.unwrap();
    tx.openapi_specs().linked(&world.organization).await.unwrap().len()
}

#[acceptance::test]
async fn a_document_at_an_address_is_fetched_and_shown_and_followed(backend: Backend) {
    let Some((world, host)) = boot(backend).await else { return };
    host.put(ADDRESS, zoo("List the quadrupeds"));
    let other = "HTTPS://API.example.org:443/zoo.json";
    let reference = [block(ADDRESS, "/animals"), block(other, "/animals"), block(ADDRESS, "/gone")].concat();
    let summary = "* [Start](README.md)\n* [Reference](reference.md)\n";
    let files = [("SUMMARY.md", summary), ("README.md", "# Start\n"), ("reference.md", &reference)];
    let space = world.import(&Fixture::new("zoo", files)).await;
    publish(&world, space.as_str()).await;
    let before = page(&world).await;
    let links = |page: &str| page.matches(&format!("href=\"{ADDRESS}\"")).count();
    assert!(links(&before) == 2 && !before.contains("quadrupeds"), "{before}");
    assert!(host.take().is_empty(), "nothing is fetched during a request");

    world.work().await;
    assert_eq!(host.take().len(), 1, "both forms of the address are one");
    let after = page(&world).await;
    assert!(after.contains("List the quadrupeds") && after.contains("hoofed"), "{after}");
    assert_eq!(links(&after), 1, "only the operation that is not there is a link: {after}");
    let markdown = text(world.browse(&format!("{BASE}/reference.md")).await, 200);
    assert!(markdown.contains("List the quadrupeds") && markdown.contains("hoofed"), "{markdown}");
    let found = world.ada.get(&format!("/spaces/{space}/search?query=hoofed")).await.ok();
    assert_eq!(found["count"], 1, "{found}");

    host.put(ADDRESS, zoo("List the bipeds"));
    world.pass(TimeDelta::hours(7)).await;
    assert!(page(&world).await.contains("List the bipeds"));
    let mut tx = world.services.store.read().await.unwrap();
    let spec = tx.openapi_specs().linked(&world.organization).await.unwrap().remove(0);
    let versions = tx.openapi_specs().versions(&spec.id, &PageRequest::default()).await.unwrap();
    assert_eq!(versions.total, 1, "only the newest version is kept");
}

#[acceptance::test]
async fn an_address_that_failed_is_tried_again_with_the_next_change_of_its_page(backend: Backend) {
    let Some((world, host)) = boot(backend).await else { return };
    let space = showing(&world, &block(ADDRESS, "/animals")).await;
    world.work().await;
    assert_eq!((linked(&world).await, host.take().len()), (1, 1));
    host.put(ADDRESS, zoo("List the quadrupeds"));
    let page = world.page(&space, "reference").await;
    let text = format!("Animals:\n\n{}", block(ADDRESS, "/animals"));
    crate::reader::change(&world, &space, &page, json!({"document": {"markdown": text}})).await;
    world.work().await;
    assert_eq!((linked(&world).await, host.take().len()), (1, 1));
    let found = world.ada.get(&format!("/spaces/{space}/search?query=quadrupeds")).await.ok();
    assert_eq!(found["count"], 1, "{found}");
}

#[acceptance::test]
async fn an_address_is_fetched_for_the_organization_that_a_space_is_transferred_to(backend: Backend) {
    let Some((world, host)) = boot(backend).await else { return };
    host.put(ADDRESS, zoo("List"));
    let inside = world.ada.post(&world.org("/collections"), json!({"title": "Guides"})).await.id();
    let spaces = [showing(&world, &block(ADDRESS, "/animals")).await, showing(&world, &block(ADDRESS, "/gone")).await];
    world.ada.post(&format!("/spaces/{}/move", spaces[1]), json!({"parent": inside})).await.ok();
    world.work().await;
    assert_eq!((linked(&world).await, host.take().len()), (1, 1));
    for moved in [format!("/spaces/{}", spaces[0]), format!("/collections/{inside}")] {
        let other = world.ada.post("/orgs", json!({"title": "Another"})).await.id();
        world.ada.post(&format!("{moved}/transfer"), json!({"organization": other})).await.ok();
        world.work().await;
        let mut tx = world.services.store.read().await.unwrap();
        assert_eq!(tx.openapi_specs().linked(&other.parse().unwrap()).await.unwrap().len(), 1, "{moved}");
        assert_eq!(host.take().len(), 1, "{moved}");
    }
}

#[acceptance::test]
async fn only_pages_know_of_the_spec_of_an_address(backend: Backend) {
    let Some((world, host)) = boot(backend).await else { return };
    host.put(ADDRESS, zoo("List"));
    let space = showing(&world, &block(ADDRESS, "/gone")).await;
    world.work().await;
    assert_eq!((linked(&world).await, host.take().len()), (1, 1));
    assert_eq!(world.ada.get(&world.org("/openapi")).await.ok()["count"], 0);
    let events = world.ada.get(&world.org("/audit-events?action=openapi_version_added")).await.ok();
    assert_eq!(events["count"], 0, "{events}");
    assert_eq!(links(&world, &space).await, [json!(["ok", null, 1])], "a link to another host is not looked at");
    let slug = {
        let mut tx = world.services.store.read().await.unwrap();
        tx.openapi_specs().linked(&world.organization).await.unwrap().remove(0).slug
    };
    for answer in [
        world.ada.get(&path(&world, slug.as_str())).await,
        world.ada.put(&path(&world, slug.as_str()), json!({"source": {"text": zoo("Mine")}})).await,
        world.ada.post(&world.org("/openapi"), json!({"slug": slug, "source": {"text": zoo("Mine")}})).await,
    ] {
        assert!(answer.status.is_client_error(), "{}", answer.status);
    }
    world.ada.delete(&path(&world, slug.as_str())).await.expect(204);
    assert_eq!(linked(&world).await, 1);
}

#[acceptance::test]
async fn merge_rules_do_not_count_documents_at_addresses(world: World) {
    let space = world.space(json!({"empty": true})).await;
    let rule = json!({"rule": "custom", "expression": "changeRequest.openapi.broken == 0"});
    let rules = json!({"mergeRules": {"type": "rules", "rules": [rule]}});
    world.ada.patch(&format!("/spaces/{space}"), rules).await.ok();
    let at = format!("/spaces/{space}/change-requests");
    let request = format!("{at}/{}", world.ada.post(&at, json!({})).await.id());
    let page =
        json!({"operation": "insert_page", "title": "Reference", "document": {"markdown": block(ADDRESS, "/animals")}});
    world.ada.post(&format!("{request}/content"), json!({"changes": [page]})).await.ok();
    world.ada.post(&format!("{request}/merge"), json!({})).await.ok();
}

#[acceptance::test]
async fn an_address_that_no_page_shows_anymore_is_not_fetched_again(backend: Backend) {
    let Some((world, host)) = boot(backend).await else { return };
    host.put(ADDRESS, zoo("List"));
    let space = showing(&world, &block(ADDRESS, "/animals")).await;
    world.work().await;
    assert_eq!((linked(&world).await, host.take().len()), (1, 1));
    let page = world.page(&space, "reference").await;
    let (change, text) = (crate::reader::change, json!({"document": {"markdown": "Nothing."}}));
    change(&world, &space, &page, text).await;
    world.pass(TimeDelta::hours(7)).await;
    assert_eq!((linked(&world).await, host.take().len()), (0, 0));
    change(&world, &space, &page, json!({"document": {"markdown": block(ADDRESS, "/animals")}})).await;
    world.work().await;
    assert_eq!((linked(&world).await, host.take().len()), (1, 1), "it is shown again");
}

#[acceptance::test]
async fn an_organization_has_a_limited_number_of_addresses_and_unused_ones_make_room(backend: Backend) {
    let Some((world, host)) = boot(backend).await else { return };
    let address = |number: usize| format!("https://api.example.org/{number}.json");
    let many: String = (0..=MAX_LINKED).map(|number| block(&address(number), "/animals")).collect();
    let space = showing(&world, &many).await;
    world.work().await;
    assert_eq!((linked(&world).await, host.take().len()), (MAX_LINKED, MAX_LINKED));
    let page = world.page(&space, "reference").await;
    let text = json!({"document": {"markdown": block(&address(1000), "/animals")}});
    crate::reader::change(&world, &space, &page, text).await;
    world.work().await;
    let asked = host.take();
    assert_eq!(asked.iter().map(|(url, _)| url.as_str()).collect::<Vec<_>>(), [address(1000)]);
    assert_eq!(linked(&world).await, 1);
}
