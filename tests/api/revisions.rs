use acceptance::{Editor, Fields, Fixture, World};
use domain::actor::Actor;
use domain::usecases::content::Destination;
use serde_json::json;

#[acceptance::test]
async fn a_revision_carries_all_that_clients_need(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let revision = world.ada.get(&format!("/spaces/{space}/content")).await.ok();
    assert_eq!(revision["object"], "revision");
    assert_eq!(revision["type"], "edits");
    assert_eq!(revision["parents"], json!([]));
    assert_eq!(revision["tags"], json!([]));
    assert_eq!(revision["variables"], json!({"version": "1.2"}));
    assert_eq!(revision.list("pages").len(), 3);
    assert_eq!(revision["files"][0]["name"], "engine.svg");
    assert_eq!(revision["reusableContents"][0]["title"], "Note");
    assert!(revision["createdAt"].is_string() && revision["urls"]["app"].is_string());
}

#[acceptance::test]
async fn an_old_revision_stays_readable_as_it_was(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let old = world.ada.get(&format!("/spaces/{space}")).await.ok().text("revision").to_owned();
    let before = world.ada.get(&format!("/spaces/{space}/content/path/install/linux?format=markdown")).await.ok();
    let changed = Fixture::new(
        "guide",
        [("SUMMARY.md", "* [On Linux](install/linux.md)\n"), ("install/linux.md", "# On Linux\n\nAll is new.\n")],
    );
    let content = &world.services.content;
    content.import(&Actor::Operator, Destination::Space(space.clone()), &changed, &|_| {}).await.unwrap();
    let now = world.ada.get(&format!("/spaces/{space}")).await.ok().text("revision").to_owned();
    assert_ne!(old, now);
    let revision = world.ada.get(&format!("/spaces/{space}/revisions/{now}")).await.ok();
    assert_eq!(revision["parents"], json!([old]));
    let page = world.ada.get(&format!("/spaces/{space}/content/path/linux?format=markdown")).await.ok();
    assert!(page.text("markdown").contains("All is new."));
    assert_eq!(page["id"], before["id"], "the same file keeps its page id");
    let path = format!("/spaces/{space}/revisions/{old}");
    let then = world.ada.get(&format!("{path}/page/{}?format=markdown", before.id())).await.ok();
    assert_eq!(then["markdown"], before["markdown"]);
    let by_path = world.ada.get(&format!("{path}/path/install/linux?format=markdown")).await.ok();
    assert_eq!(by_path["id"], before["id"]);
    assert_eq!(world.ada.get(&format!("{path}/pages")).await.ok().list("pages").len(), 3);
    assert_eq!(world.ada.get(&format!("{path}/files")).await.ok().list("items").len(), 1);
    let document = world.ada.get(&format!("{path}/page/{}/document", before.id())).await.ok();
    assert_eq!(document["object"], "document");
}

#[acceptance::test]
async fn reusable_contents_are_read_with_their_text(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let revision = world.ada.get(&format!("/spaces/{space}/content")).await.ok();
    let note = revision["reusableContents"][0].clone();
    let (id, at) = (note.id(), revision.id());
    assert_eq!(world.ada.get(&format!("/spaces/{space}/content/reusable-contents/{id}")).await.ok(), note);
    assert_eq!(world.ada.get(&format!("/spaces/{space}/revisions/{at}/reusable-contents/{id}")).await.ok(), note);
    let text = world.ada.get(&format!("/spaces/{space}/revisions/{at}/reusable-contents/{id}/document")).await.ok();
    assert!(text.to_string().contains("Mind the gears."), "{text}");
    let same = world.ada.get(&format!("/spaces/{space}/documents/{}", note.text("document"))).await.ok();
    assert_eq!(same, text);
}

#[acceptance::test]
async fn a_document_is_found_only_through_a_space_that_held_it(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let page = world.ada.get(&format!("/spaces/{space}/content/path/install/linux")).await.ok();
    let document = page.text("documentId");
    let read = world.ada.get(&format!("/spaces/{space}/documents/{document}")).await.ok();
    assert_eq!(read, page["document"]);
    let other = world.space(json!({})).await;
    world.ada.get(&format!("/spaces/{other}/documents/{document}")).await.error(404);
    world.ada.get(&format!("/spaces/{space}/documents/{}", "0".repeat(64))).await.error(404);
}

#[acceptance::test]
async fn a_revision_of_another_space_is_not_found(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let other = world.ada.post(&world.org("/spaces"), json!({})).await.expect(201);
    let revision = other.text("revision");
    for rest in ["", "/pages", "/files", "/page/x", "/path/x"] {
        world.ada.get(&format!("/spaces/{space}/revisions/{revision}{rest}")).await.error(404);
    }
}

#[acceptance::test]
async fn the_history_of_a_space_has_its_revisions_newest_first_and_not_those_of_change_requests(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let first = world.ada.get(&format!("/spaces/{space}")).await.ok()["revision"].clone();
    let editor = Editor::of(&world, &world.ada, &space).await;
    for title in ["Spring", "Summer"] {
        let request = editor.propose(title).await;
        editor.insert(&request, title, None).await.unwrap();
        editor.merge(&request).await.unwrap();
    }
    let path = format!("/spaces/{space}/revisions");
    let list = world.ada.get(&path).await.ok();
    let revisions = list.list("items");
    assert_eq!(revisions.len(), 3, "the drafts of two change requests are not in it: {list}");
    assert_eq!(revisions[0]["id"], world.ada.get(&format!("/spaces/{space}")).await.ok()["revision"]);
    assert_eq!((&revisions[2]["id"], &revisions[2]["type"]), (&first, &json!("edits")));
    assert_eq!((&revisions[2]["parents"], revisions[2].get("author")), (&json!([]), None), "the operator imported it");
    for (newer, older) in [(0, 1), (1, 2)] {
        assert_eq!(revisions[newer]["type"], "merge");
        assert_eq!(revisions[newer]["parents"][0], revisions[older]["id"]);
        assert_eq!(revisions[newer]["author"]["id"], world.ada.id());
        assert_eq!(revisions[newer]["object"], "revision");
    }
    let page = world.ada.get(&format!("{path}?limit=2")).await.ok();
    assert_eq!(page["items"], json!(revisions[..2]));
    let next = page["next"].text("page");
    assert_eq!(world.ada.get(&format!("{path}?limit=2&page={next}")).await.ok()["items"], json!(revisions[2..]));
    assert_eq!(world.stranger("eve").await.get(&path).await.status, 404);
}
