//! Discussions whose place changes: change requests that are archived or merged, spaces that are transferred.
use super::{open, path, post, text, texts};
use crate::change_requests::{merged, propose};
use acceptance::{Fields, Fixture, World};
use domain::access::Role;
use domain::notification::MAIL_DELAY;
use serde_json::json;

#[acceptance::test]
#[case::archived(false)]
#[case::merged(true)]
async fn a_change_request_that_has_ended_keeps_its_comments_and_takes_new_ones(world: World, #[case] merges: bool) {
    let space = world.import(&Fixture::guide()).await;
    let request = propose(&world.ada, &space, "Fix").await;
    let (bob, rita) = (world.member("bob", Some(Role::Comment)).await, world.member("rita", Some(Role::Read)).await);
    let before = path(&post(&bob, &request, "Before", json!({})).await);
    if merges {
        merged(&world.ada, &request).await;
    } else {
        world.ada.patch(&request, json!({ "status": "archived" })).await.ok();
    }
    let list = format!("{request}/comments");
    assert_eq!(texts(&bob, &list).await, ["Before"]);
    post(&bob, &request, "After", json!({})).await;
    assert_eq!(texts(&bob, &list).await, ["After", "Before"]);
    assert_eq!(open(&world.ada, &request).await, 2);
    bob.post(&format!("{before}/replies"), text("Still here.")).await.ok();
    let changed = json!({ "body": { "markdown": "Edited" }, "resolved": true, "addedReactions": ["1f44d"] });
    let changed = bob.put(&before, changed).await.ok();
    assert_eq!((changed.text("status"), &changed["replies"]), ("resolved", &json!(1)));
    assert_eq!(open(&world.ada, &request).await, 1);
    rita.get(&list).await.error(403);
    rita.post(&list, text("Mine")).await.error(403);
    bob.delete(&before).await.expect(205);
    assert_eq!(texts(&bob, &list).await, ["After"]);
}

#[acceptance::test]
async fn the_comments_of_a_transferred_space_are_for_the_other_organization(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let place = format!("/spaces/{space}");
    let request = propose(&world.ada, &space, "Fix").await;
    let bob = world.member("bob", Some(Role::Comment)).await;
    let markdown = format!("See [bob](/users/{} \"mention\").", bob.id());
    let thread = path(&post(&world.ada, &place, &markdown, json!({})).await);
    bob.post(&format!("{thread}/replies"), text("Here.")).await.ok();
    post(&bob, &request, "Why?", json!({})).await;
    let inbox = async || bob.get("/user/notifications").await.ok().list("items").to_vec();
    let [told] = inbox().await.try_into().unwrap_or_else(|all: Vec<_>| panic!("{all:?}"));
    assert_eq!(told.text("kind"), "mention");
    let commenters = format!("{place}/commenters");
    let there = async || world.ada.get(&commenters).await.ok().list("items").len();
    assert_eq!(there().await, 2);

    let other = world.ada.post("/orgs", json!({ "title": "Another" })).await.id();
    world.ada.post(&format!("{place}/transfer"), json!({ "organization": other })).await.ok();
    assert_eq!((open(&world.ada, &place).await, open(&world.ada, &request).await), (json!(1), json!(1)));
    let read = world.ada.get(&thread).await.ok();
    assert_eq!(read["repliers"][0]["user"].text("displayName"), "bob");
    assert!(read["repliers"][0]["user"].get("email").is_none(), "no member of the other organization: {read}");
    assert!(read["body"].text("markdown").contains(bob.id()), "the mention stays: {read}");
    assert_eq!(there().await, 1, "only members are listed");
    bob.get(&thread).await.error(404);
    bob.post(&format!("{place}/comments"), text("Mine")).await.error(404);
    assert!(inbox().await.is_empty());
    // Bob takes part in the thread, and may not see it.
    world.ada.post(&format!("{thread}/replies"), text("Gone?")).await.ok();
    world.pass(MAIL_DELAY).await;
    assert!(world.mailbox.take().iter().all(|mail| mail.name.as_str() != "bob"), "nothing is sent to bob");

    let back = json!({ "organization": world.organization.as_str() });
    world.ada.post(&format!("{place}/transfer"), back).await.ok();
    assert_eq!(inbox().await, [told], "as before, and nothing of what happened there");
    assert_eq!(there().await, 2);
    assert_eq!(texts(&bob, &format!("{thread}/replies")).await, ["Here.", "Gone?"]);
}
