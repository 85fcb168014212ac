use super::{path, post, text, texts};
use crate::change_requests::propose;
use acceptance::{Fields, Fixture, World};
use domain::access::Role;
use serde_json::json;

#[acceptance::test]
async fn only_callers_who_may_comment_see_discussions(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let place = format!("/spaces/{space}");
    let comment = post(&world.ada, &place, "Why?", json!({})).await;
    let (rita, at) = (world.member("rita", Some(Role::Read)).await, path(&comment));
    for list in [format!("{place}/comments"), at.clone(), format!("{at}/replies"), format!("{place}/commenters")] {
        rita.get(&list).await.error(403);
    }
    // The same for what exists and for what does not.
    rita.get(&format!("{place}/comments/nothing")).await.error(403);
    rita.delete(&at).await.error(403);
    rita.delete(&format!("{place}/comments/nothing")).await.error(403);
    rita.put(&at, json!({ "resolved": true })).await.error(403);
    rita.post(&format!("{place}/comments"), json!({ "nonsense": true })).await.error(403);
    rita.post(&format!("{at}/replies"), json!({})).await.error(403);
    world.stranger("eve").await.get(&at).await.error(404);
}

#[acceptance::test]
async fn authors_change_their_own_and_managers_all(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let bob = world.member("bob", Some(Role::Comment)).await;
    let vera = world.member("vera", Some(Role::Review)).await;
    let carl = world.member("carl", Some(Role::Create)).await;
    for place in [format!("/spaces/{space}"), propose(&world.ada, &space, "Fix").await] {
        let comment = post(&bob, &place, "Why?", json!({})).await;
        let at = path(&comment);
        let reply = path(&bob.post(&format!("{at}/replies"), text("Hm.")).await.ok());
        for one in [&at, &reply] {
            assert_eq!(
                vera.get(one).await.ok()["permissions"],
                json!({ "view": true, "edit": false, "reply": true, "delete": false })
            );
            for change in [text("Mine"), json!({ "body": { "markdown": "x" }, "addedReactions": ["a"] })] {
                let message = vera.put(one, change).await.error(403);
                assert!(message.contains("author"), "{message}");
            }
            vera.delete(one).await.error(403);
            vera.put(one, json!({ "addedReactions": ["1f44d"] })).await.ok();
            assert_eq!(carl.get(one).await.ok()["permissions"]["delete"], true);
            assert_eq!(carl.put(one, text("Moderated.")).await.ok()["postedBy"]["displayName"], "bob");
        }
        vera.put(&at, json!({ "resolved": true })).await.error(403);
        carl.put(&at, json!({ "resolved": true })).await.ok();
        carl.delete(&reply).await.expect(205);
        // An author who may no longer comment sees what they wrote, and changes nothing.
        let grant = json!({ "role": "read", "users": [bob.id()] });
        world.ada.post(&format!("/spaces/{space}/permissions"), grant).await.expect(204);
        assert_eq!(
            bob.get(&at).await.ok()["permissions"],
            json!({ "view": true, "edit": false, "reply": false, "delete": false })
        );
        bob.delete(&at).await.error(403);
        bob.put(&at, text("Mine")).await.error(403);
        carl.delete(&at).await.expect(205);
        let withdrawn = format!("/spaces/{space}/permissions/users/{}", bob.id());
        world.ada.delete(&withdrawn).await.expect(205);
    }
}

#[acceptance::test]
async fn a_locked_space_takes_comments(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let place = format!("/spaces/{space}");
    world.ada.patch(&place, json!({ "editMode": "locked" })).await.ok();
    let comment = post(&world.member("bob", Some(Role::Comment)).await, &place, "Why?", json!({})).await;
    world.ada.post(&format!("{}/replies", path(&comment)), text("Because.")).await.ok();
}

#[acceptance::test]
async fn guests_see_names_and_no_addresses(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let place = format!("/spaces/{space}");
    let gus = world.member("gus", None).await;
    world.team(json!({ "title": "Team", "members": [world.ada.id()] })).await;
    world.ada.post(&world.org("/ping"), json!({})).await.ok();
    let grant = json!({ "role": "comment", "users": [gus.id()] });
    world.ada.post(&format!("{place}/permissions"), grant).await.expect(204);
    let comment = post(&world.ada, &place, "Welcome", json!({})).await;
    let at = path(&comment);
    world.ada.put(&at, json!({ "addedReactions": ["1f44b"], "resolved": true })).await.ok();
    world.ada.post(&format!("{at}/replies"), text("Ask here.")).await.ok();
    let read = gus.get(&at).await.ok();
    let people = [
        &read["postedBy"],
        &read["resolvedBy"],
        &read["repliers"][0]["user"],
        &read["reactions"][0]["users"][0]["user"],
    ];
    for person in people {
        assert_eq!((person.text("displayName"), person.get("email")), ("Administrator", None));
    }
    assert!(post(&gus, &place, "Thanks", json!({})).await["postedBy"]["email"].is_string(), "their own");
    let commenters = gus.get(&format!("{place}/commenters")).await.ok();
    let told: Vec<bool> = commenters.list("items").iter().map(|one| one["user"].get("email").is_some()).collect();
    assert_eq!(told, [false, true], "an administrator, and the guest");
    let administrator = &commenters["items"][0];
    assert_eq!(
        (administrator.get("lastSeenAt"), &administrator["spaces"], &administrator["teams"]),
        (None, &json!(0), &json!(0))
    );
    assert!(world.ada.get(&at).await.ok()["postedBy"]["email"].is_string());
}

#[acceptance::test]
async fn a_reviewer_sees_their_own_comment_and_a_reader_none(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let request = propose(&world.ada, &space, "Fix").await;
    let (rita, rob) = (world.member("rita", Some(Role::Read)).await, world.member("rob", Some(Role::Read)).await);
    world.ada.post(&format!("{request}/requested-reviewers"), json!({ "users": [rita.id()] })).await.ok();
    let review = json!({ "status": "approved", "comment": { "markdown": "Fine." } });
    let review = rita.post(&format!("{request}/reviews"), review).await.expect(201);
    assert_eq!(review["comment"]["permissions"]["view"], true);
    let at = path(&review["comment"]);
    assert_eq!(rita.get(&at).await.ok()["body"]["markdown"], "Fine.\n");
    rob.get(&at).await.error(403);
    let seen = rob.get(&format!("{request}/reviews")).await.ok();
    assert!(seen["items"][0].get("comment").is_none(), "{seen}");
    assert_eq!(texts(&world.ada, &format!("{request}/comments")).await, ["Fine."]);
}
