//! Duplicates of spaces.
use acceptance::{Editor, Fields, Fixture, World};
use domain::access::Role;
use domain::id::SpaceId;
use domain::usecases::jobs::JobResult;
use serde_json::{Value, json};

async fn duplicate(world: &World, space: &SpaceId) -> Value {
    let answer = world.ada.post(&format!("/spaces/{space}/duplicate"), json!({})).await;
    let location = answer.header("location").unwrap().to_owned();
    let copy = answer.expect(201);
    assert_eq!(world.ada.get(location.strip_prefix("https://docs.test/v1").unwrap()).await.ok(), copy);
    copy
}

fn id(space: &Value) -> SpaceId {
    space.id().parse().unwrap()
}

/// The pages, files and texts of a space, without the ids of the space.
async fn content(world: &World, space: &SpaceId) -> Vec<String> {
    let mut found = Vec::new();
    for path in ["/content/pages", "/content/files", "/content/path/install?format=markdown"] {
        let value = world.ada.get(&format!("/spaces/{space}{path}")).await.ok();
        // A file URL is signed for its space.
        let text = value.to_string().replace(space.as_str(), "SPACE");
        let signed = text.split('"').map(|part| part.split("&signature=").next().unwrap_or_default());
        found.push(signed.collect::<Vec<_>>().join("\""));
    }
    found
}

async fn found(world: &World, space: &SpaceId, query: &str) -> Vec<String> {
    let found = world.ada.get(&format!("/spaces/{space}/search?query={}", query.replace(' ', "+"))).await.ok();
    found.list("items").iter().map(|page| page.text("title").to_owned()).collect()
}

#[acceptance::test]
async fn a_copy_has_all_pages_and_settings_and_none_of_the_life(world: World) {
    let original = world.import(&Fixture::guide()).await;
    let rules = json!({"type": "rules", "rules": [{"rule": "require_at_least_one_review"}]});
    let settings = json!({"emoji": "1f4d6", "language": "de", "mergeRules": rules, "defaultLevel": "read",
        "editMode": "locked", "editURL": "https://example.org/edit/"});
    world.ada.patch(&format!("/spaces/{original}"), settings.clone()).await.ok();
    Editor::of(&world, &world.ada, &original).await.propose("Stays there").await;
    let copy = duplicate(&world, &original).await;
    for (setting, value) in settings.as_object().unwrap() {
        assert_eq!(copy[setting], *value, "{setting}");
    }
    assert_eq!((&copy["title"], &copy["visibility"]), (&json!("Copy of guide"), &json!("private")));
    assert_eq!((&copy["changeRequests"], &copy["organization"]), (&json!(0), &json!(world.organization)));
    assert_eq!(content(&world, &id(&copy)).await, content(&world, &original).await);
    assert_eq!(found(&world, &id(&copy), "algebraic").await, ["Engine Guide"]);
    assert_eq!(found(&world, &id(&copy), "algebraic").await, found(&world, &original, "algebraic").await);
    let revision = world.ada.get(&format!("/spaces/{}/content", id(&copy))).await.ok();
    assert_eq!((&revision["type"], &revision["parents"]), (&json!("edits"), &json!([])));
    let requests = world.ada.get(&format!("/spaces/{}/change-requests", id(&copy))).await.ok();
    assert_eq!(requests["items"], json!([]));
}

#[acceptance::test]
async fn a_copy_is_independent_of_the_original(world: World) {
    let original = world.import(&Fixture::guide()).await;
    let copy = id(&duplicate(&world, &original).await);
    let editor = Editor::of(&world, &world.ada, &copy).await;
    let request = editor.propose("Own").await;
    editor.insert(&request, "Own", None).await.unwrap();
    editor.merge(&request).await.unwrap();
    assert_eq!(found(&world, &copy, "text of own").await, ["Own"]);
    assert_eq!(found(&world, &original, "text of own").await, Vec::<String>::new());
    let titles = world.ada.get(&format!("/spaces/{original}/content/pages")).await.ok();
    assert!(!titles.to_string().contains("Own"));
    // A document from the original's history does not belong to the copy.
    let old = world.ada.get(&format!("/spaces/{original}/content/path/install")).await.ok();
    let document = old.text("documentId");
    world.ada.get(&format!("/spaces/{copy}/documents/{document}")).await.ok();
    let editor = Editor::of(&world, &world.ada, &original).await;
    let request = editor.propose("Later").await;
    editor.rewrite(&request, old.id(), "Something else.").await;
    editor.merge(&request).await.unwrap();
    let later = id(&duplicate(&world, &original).await);
    world.ada.get(&format!("/spaces/{original}/documents/{document}")).await.ok();
    world.ada.get(&format!("/spaces/{later}/documents/{document}")).await.error(404);
}

#[acceptance::test]
async fn the_title_of_a_copy_fits(world: World) {
    let original = world.import(&Fixture::guide()).await;
    world.ada.patch(&format!("/spaces/{original}"), json!({"title": "é".repeat(50)})).await.ok();
    let copy = duplicate(&world, &original).await;
    assert_eq!(copy["title"], format!("Copy of {}", "é".repeat(42)));
}

#[acceptance::test]
async fn duplicating_needs_reading_the_original_and_creating_next_to_it(world: World) {
    let original = world.import(&Fixture::guide()).await;
    let path = format!("/spaces/{original}/duplicate");
    world.anonymous().post(&path, json!({})).await.error(401);
    world.stranger("eve").await.post(&path, json!({})).await.error(404);
    world.member("gus", None).await.post(&path, json!({})).await.error(404);
    world.member("vera", Some(Role::Review)).await.post(&path, json!({})).await.error(403);
    let carl = world.member("carl", Some(Role::Create)).await;
    carl.post(&path, json!({})).await.expect(201);
    world.ada.patch(&format!("/spaces/{original}"), json!({"defaultLevel": null})).await.ok();
    carl.post(&path, json!({})).await.error(404);
}

#[acceptance::test]
async fn a_request_sent_again_makes_one_copy(world: World) {
    let original = world.import(&Fixture::guide()).await;
    let send = async || {
        let keyed = |request: actix_web::test::TestRequest| request.insert_header(("Idempotency-Key", "copy"));
        world.ada.send(actix_web::http::Method::POST, &format!("/spaces/{original}/duplicate"), keyed).await.expect(201)
    };
    assert_eq!(send().await, send().await);
    assert_eq!(world.ada.get(&world.org("/spaces")).await.ok()["count"], 2);
}

/// More pages than are indexed with the copy itself.
fn many_pages() -> Fixture {
    let pages: Vec<(String, String)> = (0..120)
        .map(|n| (format!("page-{n:03}.md"), format!("# Page {n}\n\nThe zebra number{n} runs. Les journaux.\n")))
        .collect();
    Fixture::new("many", pages.iter().map(|(path, text)| (path.as_str(), text.as_str())))
}

#[acceptance::test]
async fn a_large_copy_is_indexed_by_a_job(world: World) {
    let original = world.import(&many_pages()).await;
    world.work().await;
    let copy = id(&duplicate(&world, &original).await);
    let pages = world.ada.get(&format!("/spaces/{copy}/content/pages")).await.ok();
    assert_eq!(pages.list("pages").len(), 120);
    assert_eq!(found(&world, &copy, "number77").await, Vec::<String>::new());
    // A page edited before the indexing is found at once, and stays as it is.
    let editor = Editor::of(&world, &world.ada, &copy).await;
    let request = editor.propose("Earlier").await;
    let page = world.ada.get(&format!("/spaces/{copy}/content/path/page-077")).await.ok();
    editor.rewrite(&request, page.id(), "The okapi number77 runs.").await;
    editor.merge(&request).await.unwrap();
    assert_eq!(found(&world, &copy, "okapi").await, ["Page 77"]);
    let done = world.work().await;
    assert!(matches!(&done[..], [(_, JobResult::Done)]), "{done:?}");
    for n in [0, 42, 119] {
        assert_eq!(found(&world, &copy, &format!("number{n}")).await, [format!("Page {n}")]);
    }
    assert_eq!(found(&world, &copy, "okapi number77").await, ["Page 77"]);
    let zebras = found(&world, &copy, "zebra&limit=1000").await;
    assert_eq!((zebras.len(), zebras.contains(&"Page 77".to_owned())), (119, false));
}

#[acceptance::test]
async fn a_copy_whose_language_changes_before_it_is_indexed_is_indexed_in_the_new_one(world: World) {
    let original = world.import(&many_pages()).await;
    let copy = id(&duplicate(&world, &original).await);
    world.work().await;
    assert_eq!(found(&world, &copy, "journal").await.len(), 0, "English does not stem this form");
    let copy = id(&duplicate(&world, &original).await);
    world.ada.patch(&format!("/spaces/{copy}"), json!({"language": "fr"})).await.ok();
    world.work().await;
    assert_eq!(found(&world, &copy, "journal&limit=1000").await.len(), 120);
}

#[acceptance::test]
async fn a_copy_is_visible_to_the_same_users_as_the_original(world: World) {
    let (rita, carl) = (world.member("rita", Some(Role::Read)).await, world.member("carl", Some(Role::Create)).await);
    let (vera, gus) = (world.member("vera", Some(Role::Review)).await, world.member("gus", None).await);
    let collection = world.collection(json!({"title": "Closed"})).await;
    world.ada.patch(&format!("/collections/{collection}"), json!({"defaultLevel": null})).await.ok();
    let original = world.import(&Fixture::guide()).await;
    world.ada.post(&format!("/spaces/{original}/move"), json!({"parent": collection})).await.ok();
    let give = async |user: &acceptance::Caller, role: Value| {
        let body = json!({"users": [user.user.as_ref().unwrap()], "role": role});
        world.ada.post(&format!("/spaces/{original}/permissions"), body).await
    };
    assert!(give(&gus, json!("comment")).await.status.is_success());
    assert!(give(&carl, json!("read")).await.status.is_success());
    // A caller who sees the original but not its collection cannot create a copy there.
    carl.post(&format!("/spaces/{original}/duplicate"), json!({})).await.error(403);
    let copy = duplicate(&world, &original).await;
    assert_eq!(copy["parent"], collection);
    for (caller, status) in [(&rita, 404), (&vera, 404), (&gus, 200), (&carl, 200)] {
        caller.get(&format!("/spaces/{original}")).await.expect(status);
        caller.get(&format!("/spaces/{}", id(&copy))).await.expect(status);
    }
    let permissions = async |space: &SpaceId| gus.get(&format!("/spaces/{space}")).await.ok()["permissions"].clone();
    assert_eq!(permissions(&original).await, permissions(&id(&copy)).await);
    // A new grant on one of them does not apply to the other.
    assert!(give(&rita, json!("read")).await.status.is_success());
    rita.get(&format!("/spaces/{original}")).await.ok();
    rita.get(&format!("/spaces/{}", id(&copy))).await.error(404);
}

#[acceptance::test]
async fn the_caller_who_duplicates_a_space_manages_the_copy(world: World) {
    let (carl, cora) = (world.member("carl", Some(Role::Create)).await, world.member("cora", Some(Role::Create)).await);
    let original = world.import(&Fixture::guide()).await;
    world.ada.patch(&format!("/spaces/{original}"), json!({"defaultLevel": "read"})).await.ok();
    carl.patch(&format!("/spaces/{original}"), json!({})).await.error(403);
    let copy = carl.post(&format!("/spaces/{original}/duplicate"), json!({})).await.expect(201);
    assert_eq!(copy["permissions"]["admin"], true);
    assert_eq!(copy["defaultLevel"], "read");
    let users = world.ada.get(&format!("/spaces/{}/permissions/users", id(&copy))).await.ok();
    assert_eq!(users.list("items").len(), 1, "by a grant that is listed: {users}");
    cora.patch(&format!("/spaces/{}", id(&copy)), json!({})).await.error(403);
}
