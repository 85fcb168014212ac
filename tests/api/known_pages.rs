//! Pages that were read before, whose texts are not in memory.
use crate::change_requests::edit;
use acceptance::{Backend, Caller, Fixture, World};
use domain::access::Role;
use domain::id::SpaceId;
use serde_json::json;

/// A space with a guide, and the address of its first page.
async fn guide(world: &World) -> (SpaceId, String) {
    let space = world.import(&Fixture::guide()).await;
    let page = world.page(&space, "install").await;
    (space.clone(), format!("/spaces/{space}/content/page/{page}"))
}

/// Reads a page, and counts the statements.
async fn read(world: &World, caller: &Caller, page: &str) -> u64 {
    let (answer, statements) = world.counted(caller.get(page)).await;
    answer.ok();
    statements
}

#[acceptance::test]
async fn a_page_that_was_read_before_takes_one_statement_for_its_text(backend: Backend) {
    let Some(world) = World::undisturbed_without_objects(backend).await else { return };
    let (_, page) = guide(&world).await;
    world.space(json!({})).await;
    assert!(read(&world, &world.ada, &page).await > 2, "the token, the space, its revision and the text");
    // Another response than the cached one.
    assert_eq!(read(&world, &world.ada, &format!("{page}?metadata=false")).await, 1);
    assert_eq!(read(&world, &world.ada, &page).await, 0, "the response is cached");
}

#[acceptance::test]
async fn a_known_page_is_read_as_it_is_at_each_revision(backend: Backend) {
    let Some(world) = World::undisturbed_without_objects(backend).await else { return };
    let (space, page) = guide(&world).await;
    let title = async || world.ada.get(&page).await.ok()["title"].clone();
    let before = title().await;
    let revision = world.ada.get(&format!("/spaces/{space}")).await.ok()["revision"].clone();
    let id = page.rsplit('/').next().unwrap();
    let request = world.change_request(&space, json!({})).await;
    let change = json!([{"operation": "update_page", "page": id, "title": "Another title"}]);
    edit(&world.ada, &request, change).await.ok();
    assert_eq!(world.ada.get(&format!("{request}/content/page/{id}")).await.ok()["title"], "Another title");
    assert_eq!(title().await, before);
    let old = format!("/spaces/{space}/revisions/{}/page/{id}", revision.as_str().unwrap());
    assert_eq!(world.ada.get(&old).await.ok()["title"], before);
}

#[acceptance::test]
async fn a_known_page_is_hidden_from_a_caller_who_lost_access(backend: Backend) {
    let Some(world) = World::undisturbed_without_objects(backend).await else { return };
    let (space, page) = guide(&world).await;
    let reader = world.member("rita", Some(Role::Read)).await;
    reader.get(&page).await.ok();
    world.ada.patch(&format!("/spaces/{space}"), json!({"defaultLevel": null})).await.ok();
    for query in ["", "?metadata=false"] {
        reader.get(&format!("{page}{query}")).await.expect(404);
    }
    world.ada.get(&page).await.ok();
}

#[acceptance::test]
async fn a_known_page_without_its_text_in_the_database_is_an_internal_error(backend: Backend) {
    if backend == Backend::Sqlite {
        // Only a test of PostgreSQL can change the database beside the server.
        return;
    }
    let Some(world) = World::undisturbed_without_objects(backend).await else { return };
    let (_, page) = guide(&world).await;
    world.ada.get(&page).await.ok();
    world.database().run("DELETE FROM objects").await;
    world.ada.get(&format!("{page}?metadata=false")).await.expect(500);
}
