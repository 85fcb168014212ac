//! Deleting and restoring spaces.
use acceptance::{Caller, Editor, Fields, Fixture, World};
use actix_web::http::Method;
use chrono::{DateTime, TimeDelta, Utc};
use domain::access::Role;
use domain::id::SpaceId;
use serde_json::{Value, json};

/// Everything that an administrator can read of a space, in a form that can be compared.
async fn everything(world: &World, space: &SpaceId) -> Vec<Value> {
    let mut found = Vec::new();
    for path in [
        "",
        "/content",
        "/content/pages",
        "/content/path/install?format=markdown",
        "/search?query=engine",
        "/change-requests",
        "/change-requests/1/content/pages",
        "/change-requests/1/reviews",
    ] {
        let mut read = world.ada.get(&format!("/spaces/{space}{path}")).await.ok();
        // The signatures of file URLs change each day, so they are not compared.
        for file in read["files"].as_array_mut().into_iter().flatten() {
            file["downloadURL"].take();
        }
        found.push(read);
    }
    found
}

/// A space with a change request and a review.
async fn space(world: &World) -> SpaceId {
    let space = world.import(&Fixture::guide()).await;
    let editor = Editor::of(world, &world.ada, &space).await;
    let request = editor.propose("More").await;
    editor.insert(&request, "More", None).await.unwrap();
    world
        .ada
        .post(&format!("/spaces/{space}/change-requests/1/reviews"), json!({"status": "approved"}))
        .await
        .expect(201);
    space
}

async fn delete(world: &World, space: &SpaceId) -> DateTime<Utc> {
    world.ada.delete(&format!("/spaces/{space}")).await.expect(205);
    let mut tx = world.services.store.read().await.unwrap();
    let found = tx.spaces().find(space, None).await.unwrap().unwrap();
    found.entity.deleted_at.unwrap()
}

#[acceptance::test]
async fn a_deleted_space_is_found_by_no_operation(world: World) {
    let (gone, other) = (space(&world).await, world.import(&Fixture::guide()).await);
    let content = world.ada.get(&format!("/spaces/{gone}/content")).await.ok();
    let download = content["files"][0].text("downloadURL").replace("https://docs.test", "");
    let anonymous = world.anonymous();
    assert_eq!(anonymous.send_to(Method::GET, &download, |request| request).await.status, 200);
    let answer = world.ada.delete(&format!("/spaces/{gone}")).await;
    assert!(answer.bytes.is_empty() && answer.header("content-type").is_none());
    answer.expect(205);
    for path in [
        "",
        "/content",
        "/content/pages",
        "/content/files",
        "/content/path/install",
        "/links",
        "/search?query=engine",
        "/change-requests",
        "/change-requests/1",
        "/change-requests/1/content",
        "/change-requests/1/reviews",
        &format!("/revisions/{}", content.id()),
    ] {
        let absent = format!("/spaces/0193a1f0-7c5e-7000-8000-000000000000{path}");
        let (gone, absent) = (world.ada.get(&format!("/spaces/{gone}{path}")).await, world.ada.get(&absent).await);
        assert_eq!(gone.error(404), absent.error(404), "{path}");
    }
    world.ada.patch(&format!("/spaces/{gone}"), json!({"title": "Back"})).await.error(404);
    world.ada.post(&format!("/spaces/{gone}/change-requests"), json!({})).await.error(404);
    world.ada.post(&format!("/spaces/{gone}/duplicate"), json!({})).await.error(404);
    assert_eq!(
        anonymous.send_to(Method::GET, &download, |request| request).await.status,
        404,
        "its files are gone too"
    );
    let spaces = world.ada.get(&world.org("/spaces")).await.ok();
    let ids: Vec<_> = spaces.list("items").iter().map(|space| space.id()).collect();
    assert_eq!(ids, [other.as_str()]);
    assert_eq!(world.ada.get(&world.org("/change-requests")).await.ok()["items"], json!([]));
    world.ada.delete(&format!("/spaces/{gone}")).await.expect(204);
}

#[acceptance::test]
async fn a_link_to_a_deleted_space_is_broken_until_it_is_back(world: World) {
    let (target, from) = (world.import(&Fixture::guide()).await, world.import(&Fixture::guide()).await);
    let editor = Editor::of(&world, &world.ada, &from).await;
    let request = editor.propose("Link").await;
    let page = world.ada.get(&format!("/spaces/{from}/content/path/reference/options")).await.ok();
    let there = world.ada.get(&format!("/spaces/{target}/content/path/install")).await.ok();
    let text = format!("See [the other](/spaces/{target}/pages/{}).", there.id());
    editor.rewrite(&request, page.id(), &text).await;
    editor.merge(&request).await.unwrap();
    let links = async |status: &str| {
        let path = format!("/spaces/{from}/content/page/{}/links?status={status}", page.id());
        world.ada.get(&path).await.ok().list("items").len()
    };
    assert_eq!((links("ok").await, links("broken").await), (1, 0));
    delete(&world, &target).await;
    assert_eq!((links("ok").await, links("broken").await), (0, 1));
    world.ada.post(&format!("/spaces/{target}/restore"), json!({})).await.ok();
    assert_eq!((links("ok").await, links("broken").await), (1, 0));
}

#[acceptance::test]
async fn only_callers_who_may_create_content_delete(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let path = format!("/spaces/{space}");
    world.stranger("eve").await.delete(&path).await.expect(204);
    world.member("gus", None).await.delete(&path).await.expect(204);
    world.member("vera", Some(Role::Review)).await.delete(&path).await.error(403);
    world.anonymous().delete(&path).await.error(401);
    world.ada.get(&path).await.ok();
    world.member("carl", Some(Role::Create)).await.delete(&path).await.expect(205);
    world.ada.get(&path).await.error(404);
    world.ada.delete("/spaces/0193a1f0-7c5e-7000-8000-000000000000").await.expect(204);
}

#[acceptance::test]
async fn a_space_that_changed_since_it_was_read_is_not_deleted(world: World) {
    let path = format!("/spaces/{}", world.import(&Fixture::guide()).await);
    let tag = world.ada.get(&path).await.header("etag").unwrap().to_owned();
    world.ada.patch(&path, json!({"title": "Changed"})).await.ok();
    let if_match = |tag: String| move |request: actix_web::test::TestRequest| request.insert_header(("If-Match", tag));
    world.ada.send(Method::DELETE, &path, if_match(tag)).await.error(412);
    let tag = world.ada.get(&path).await.header("etag").unwrap().to_owned();
    world.ada.send(Method::DELETE, &path, if_match(tag)).await.expect(205);
}

#[acceptance::test]
async fn a_restored_space_is_whole(world: World) {
    let space = space(&world).await;
    let before = everything(&world, &space).await;
    delete(&world, &space).await;
    assert!(world.pass(TimeDelta::days(6)).await.is_empty(), "nothing is due");
    let restored = world.ada.post(&format!("/spaces/{space}/restore"), json!({})).await.ok();
    assert!(restored.get("deletedAt").is_none());
    assert_eq!(everything(&world, &space).await, before);
    assert!(world.pass(TimeDelta::days(8)).await.is_empty(), "a restored space is not purged");
    assert_eq!(everything(&world, &space).await, before);
    delete(&world, &space).await;
    world.ada.post(&format!("/spaces/{space}/restore"), json!({})).await.ok();
}

#[acceptance::test]
#[case::a_second_before(TimeDelta::days(7) - TimeDelta::seconds(1), 200)]
#[case::after_seven_days(TimeDelta::days(7), 404)]
#[case::later(TimeDelta::days(7) + TimeDelta::seconds(1), 404)]
async fn a_space_can_be_restored_for_seven_days_and_no_longer(
    world: World,
    #[case] after: TimeDelta,
    #[case] status: u16,
) {
    let space = world.import(&Fixture::guide()).await;
    let deleted_at = delete(&world, &space).await;
    world.clock.set(deleted_at + after);
    world.ada.post(&format!("/spaces/{space}/restore"), json!({})).await.expect(status);
    assert_eq!(world.ada.get(&format!("/spaces/{space}")).await.status, status);
}

#[acceptance::test]
async fn only_callers_who_could_delete_a_space_restore_it(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let path = format!("/spaces/{space}/restore");
    let callers: [(Caller, u16, u16); 5] = [
        (world.anonymous(), 401, 401),
        (world.stranger("eve").await, 404, 404),
        (world.member("gus", None).await, 404, 404),
        (world.member("vera", Some(Role::Review)).await, 403, 404),
        (world.member("carl", Some(Role::Create)).await, 409, 200),
    ];
    for (caller, there, _) in &callers {
        caller.post(&path, json!({})).await.error(*there);
    }
    delete(&world, &space).await;
    for (caller, _, deleted) in &callers {
        caller.post(&path, json!({})).await.expect(*deleted);
    }
    world.ada.post("/spaces/0193a1f0-7c5e-7000-8000-000000000000/restore", json!({})).await.error(404);
}

#[acceptance::test]
async fn a_caller_who_lost_the_right_does_not_restore(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let carl = world.member("carl", Some(Role::Create)).await;
    carl.delete(&format!("/spaces/{space}")).await.expect(205);
    let lowered = domain::access::Membership { role: Some(Role::Edit), disabled: false };
    world.set_membership(carl.user.as_ref().unwrap(), lowered).await;
    carl.post(&format!("/spaces/{space}/restore"), json!({})).await.error(404);
    world.ada.post(&format!("/spaces/{space}/restore"), json!({})).await.ok();
}

#[acceptance::test]
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_two_concurrent_deletions_one_deletes(world: World) {
    for _ in 0..10 {
        let space = world.import(&Fixture::guide()).await;
        let editor = Editor::of(&world, &world.ada, &space).await;
        let delete = |editor: Editor| async move {
            let unconditionally = domain::usecases::Precondition::none();
            editor.services.spaces.delete(&editor.actor, &editor.space, unconditionally).await.unwrap()
        };
        let (one, two) = super::races::at_once(delete(editor.clone()), delete(editor.clone())).await;
        assert!(one != two, "exactly one request deletes it");
        let restore =
            |editor: Editor| async move { editor.services.spaces.restore(&editor.actor, &editor.space).await.is_ok() };
        let (one, two) = super::races::at_once(restore(editor.clone()), restore(editor.clone())).await;
        assert!(one != two, "exactly one request restores it");
        world.ada.get(&format!("/spaces/{space}")).await.ok();
    }
}

#[acceptance::test]
async fn deleted_spaces_are_listed_for_callers_who_can_restore_them(world: World) {
    let carl = world.member("carl", Some(Role::Create)).await;
    let (vera, gus) = (world.member("vera", Some(Role::Review)).await, world.member("gus", None).await);
    let mut made = Vec::new();
    for n in 0..5 {
        let space = world.ada.post(&world.org("/spaces"), json!({"title": format!("Space {n}")})).await.expect(201);
        made.push(space.id().to_owned());
    }
    world.ada.patch(&format!("/spaces/{}", made[1]), json!({"defaultLevel": "read"})).await.ok();
    world.ada.delete(&format!("/spaces/{}", made[0])).await.expect(205);
    world.clock.advance(TimeDelta::days(6));
    for gone in &made[1..4] {
        world.ada.delete(&format!("/spaces/{gone}")).await.expect(205);
    }
    let titles = async |caller: &Caller, query: &str| {
        let mut titles = Vec::new();
        let mut next = world.org(&format!("/spaces?{query}"));
        loop {
            let list = caller.get(&next).await.ok();
            for space in list.list("items") {
                assert_eq!(space.get("deletedAt").is_some(), query.contains("deleted=true"));
                titles.push(space.text("title").to_owned());
            }
            match list["next"]["page"].as_str() {
                Some(page) => next = world.org(&format!("/spaces?{query}&page={page}")),
                None => return titles,
            }
        }
    };
    assert_eq!(titles(&world.ada, "deleted=true").await, ["Space 0", "Space 1", "Space 2", "Space 3"]);
    assert_eq!(titles(&world.ada, "deleted=true&limit=1").await, ["Space 0", "Space 1", "Space 2", "Space 3"]);
    assert_eq!(titles(&carl, "deleted=true").await, ["Space 0", "Space 2", "Space 3"]);
    assert_eq!(titles(&vera, "deleted=true").await, Vec::<String>::new());
    assert_eq!(titles(&gus, "deleted=true").await, Vec::<String>::new());
    let first = vera.get(&world.org("/spaces?deleted=true&limit=1")).await.ok();
    assert_eq!(first.get("next"), None, "hidden spaces do not take up places on a page");
    assert_eq!(titles(&world.ada, "deleted=false").await, ["Space 4"]);
    assert_eq!(titles(&world.ada, "").await, ["Space 4"]);
    world.ada.get(&world.org("/spaces?deleted=perhaps")).await.error(400);
    world.stranger("eve").await.get(&world.org("/spaces?deleted=true")).await.error(404);
    world.clock.advance(TimeDelta::days(1));
    assert_eq!(
        titles(&world.ada, "deleted=true").await,
        ["Space 1", "Space 2", "Space 3"],
        "one can no longer be restored"
    );
    let page = world.ada.get(&world.org("/spaces?deleted=true&limit=1")).await.ok()["next"]["page"].clone();
    let other = world.org(&format!("/spaces?page={}", page.as_str().unwrap()));
    world.ada.get(&other).await.error(400);
}
