use super::change_requests::{edit, markdown, merged, propose, rewrite, updated};
use acceptance::{Fields, Fixture, World};
use domain::id::SpaceId;
use serde_json::json;

/// Two change requests with different edits in one place; the first is merged.
async fn collision(world: &World, space: &SpaceId) -> (String, String) {
    let page = world.page(space, "install/macos").await;
    let (one, two) = (propose(&world.ada, space, "One").await, propose(&world.ada, space, "Two").await);
    rewrite(&world.ada, &one, &page, "Download the tarball.\n").await;
    rewrite(&world.ada, &two, &page, "Download the installer.\n").await;
    assert_eq!(merged(&world.ada, &one).await["result"], "merge");
    (two, page)
}

#[acceptance::test]
async fn a_merge_with_conflicts_leaves_the_primary_content_and_lists_them(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let (request, page) = collision(&world, &space).await;
    let trial = world.ada.get(&format!("{request}/merge-status")).await.ok();
    assert_eq!((&trial["mergeable"], trial["conflicts"].as_array().map(Vec::len)), (&json!(false), Some(1)));
    assert_eq!(
        world.ada.get(&format!("{request}/conflicts")).await.ok()["items"],
        json!([]),
        "the merge status stores nothing"
    );
    let primary = world.ada.get(&format!("/spaces/{space}")).await.ok()["revision"].clone();
    let result = merged(&world.ada, &request).await;
    assert_eq!(result["result"], "conflicts");
    assert_eq!(world.ada.get(&format!("/spaces/{space}")).await.ok()["revision"], primary);
    let after = world.ada.get(&request).await.ok();
    assert_eq!((&after["revision"], &after["outdated"]), (&result["revision"], &json!(false)));
    assert_eq!(after["revisionMergedAncestor"], primary);
    let conflicts = world.ada.get(&format!("{request}/conflicts")).await.ok()["items"].clone();
    assert_eq!(conflicts.as_array().unwrap().len(), 1, "{conflicts}");
    let conflict = &conflicts[0];
    assert_eq!((&conflict["page"]["id"], &conflict["page"]["title"]), (&json!(page), &json!("On macOS")));
    for (side, text) in [("base", "Download the package."), ("primary", "tarball"), ("change", "installer")] {
        assert!(conflict[side].text("markdown").contains(text), "{side}: {conflict}");
    }
    let own = markdown(&world.ada, &request, &page).await;
    assert!(own.contains("installer") && !own.contains("<<<"), "its own version stays: {own}");
    assert_eq!(merged(&world.ada, &request).await["result"], "conflicts", "until the conflict is resolved");
}

#[acceptance::test]
#[case::primary("primary", "tarball")]
#[case::change("change", "installer")]
async fn a_decided_conflict_no_longer_blocks_the_merge(world: World, #[case] keep: &str, #[case] expected: &str) {
    let space = world.import(&Fixture::guide()).await;
    let (request, page) = collision(&world, &space).await;
    assert_eq!(updated(&world.ada, &request).await["result"], "conflicts");
    let conflicts = world.ada.get(&format!("{request}/conflicts")).await.ok();
    let path = format!("{request}/conflicts/{}", conflicts["items"][0].id());
    let message = world.ada.post(&path, json!({ "keep": "both" })).await.error(400);
    assert!(message.starts_with("keep:"), "{message}");
    world.ada.post(&path, json!({ "keep": keep })).await.ok();
    world.ada.post(&path, json!({ "keep": keep })).await.error(404);
    assert!(markdown(&world.ada, &request, &page).await.contains(expected));
    assert_eq!(merged(&world.ada, &request).await["result"], "merge");
    assert!(markdown(&world.ada, &format!("/spaces/{space}"), &page).await.contains(expected));
}

#[acceptance::test]
async fn editing_the_place_of_a_conflict_decides_it(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let (request, page) = collision(&world, &space).await;
    updated(&world.ada, &request).await;
    rewrite(&world.ada, &request, &page, "Download the tarball or the installer.\n").await;
    assert_eq!(world.ada.get(&format!("{request}/conflicts")).await.ok()["items"], json!([]));
    assert_eq!(merged(&world.ada, &request).await["result"], "merge");
    assert!(markdown(&world.ada, &format!("/spaces/{space}"), &page).await.contains("tarball or the installer"));
}

#[acceptance::test]
async fn a_conflict_that_the_primary_content_settled_is_removed_by_an_update(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let (request, page) = collision(&world, &space).await;
    assert_eq!(updated(&world.ada, &request).await["result"], "conflicts");
    let third = propose(&world.ada, &space, "Agree").await;
    rewrite(&world.ada, &third, &page, "Download the installer.\n").await;
    assert_eq!(merged(&world.ada, &third).await["result"], "merge");
    assert_eq!(updated(&world.ada, &request).await["result"], "update", "both sides are the same now");
    assert_eq!(world.ada.get(&format!("{request}/conflicts")).await.ok()["items"], json!([]));
    assert_eq!(merged(&world.ada, &request).await["result"], "merge");
    assert!(markdown(&world.ada, &format!("/spaces/{space}"), &page).await.contains("installer"));
}

#[acceptance::test]
async fn a_conflict_that_remains_after_an_update_is_reported_as_it_is_now(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let (request, page) = collision(&world, &space).await;
    updated(&world.ada, &request).await;
    let third = propose(&world.ada, &space, "Again").await;
    rewrite(&world.ada, &third, &page, "Download the image.\n").await;
    merged(&world.ada, &third).await;
    assert_eq!(updated(&world.ada, &request).await["result"], "conflicts");
    let conflicts = world.ada.get(&format!("{request}/conflicts")).await.ok()["items"].clone();
    assert_eq!(conflicts.as_array().map(Vec::len), Some(1), "{conflicts}");
    assert!(conflicts[0]["primary"].text("markdown").contains("image"), "{conflicts}");
}

#[acceptance::test]
async fn a_page_deleted_here_and_edited_there_is_kept_and_reported(
    world: World,
    #[values("primary", "change")] keep: &str,
) {
    let space = world.import(&Fixture::guide()).await;
    let page = world.page(&space, "install/macos").await;
    let (one, two) = (propose(&world.ada, &space, "Delete").await, propose(&world.ada, &space, "Edit").await);
    edit(&world.ada, &one, json!([{ "operation": "delete_page", "page": page }])).await.ok();
    rewrite(&world.ada, &two, &page, "Download the package with care.\n").await;
    merged(&world.ada, &one).await;
    assert_eq!(merged(&world.ada, &two).await["result"], "conflicts");
    let conflicts = world.ada.get(&format!("{two}/conflicts")).await.ok()["items"].clone();
    assert_eq!((&conflicts[0]["subject"]["type"], conflicts[0].get("primary")), (&json!("page"), None), "{conflicts}");
    assert!(markdown(&world.ada, &two, &page).await.contains("with care"), "what was edited stays");
    let path = format!("{two}/conflicts/{}", conflicts[0].id());
    world.ada.post(&path, json!({ "keep": keep })).await.ok();
    assert_eq!(world.ada.get(&format!("{two}/conflicts")).await.ok()["items"], json!([]), "one resolution is enough");
    assert_eq!(merged(&world.ada, &two).await["result"], "merge");
    let after = world.ada.get(&format!("/spaces/{space}/content/page/{page}")).await;
    assert_eq!(after.status.as_u16(), if keep == "change" { 200 } else { 404 });
}
