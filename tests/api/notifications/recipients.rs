//! The recipients of notifications.
use super::super::change_requests::propose;
use super::{comment, mentioning, news, reply, set_level};
use acceptance::{Caller, Fields, Fixture, World};
use domain::access::{Membership, Role};
use domain::notification::MAIL_DELAY;
use serde_json::{Value, json};

const NOTHING: [&str; 0] = [];

#[acceptance::test]
async fn only_mentioned_users_are_notified(world: World) {
    let space = format!("/spaces/{}", world.space(json!({})).await);
    let bob = world.member("bob", Some(Role::Comment)).await;
    let (rita, eve) = (world.member("rita", Some(Role::Read)).await, world.stranger("eve").await);
    comment(&world.ada, &space, "Why?", &[&world.ada, &bob, &rita, &eve]).await;
    assert_eq!(news(&bob).await, ["mention"]);
    for other in [&world.ada, &rita, &eve] {
        assert_eq!(news(other).await, NOTHING);
    }
}

#[acceptance::test]
async fn a_thread_notifies_its_participants(world: World) {
    let space = format!("/spaces/{}", world.space(json!({})).await);
    let [bob, cora, dora] = [
        world.member("bob", Some(Role::Comment)).await,
        world.member("cora", Some(Role::Comment)).await,
        world.member("dora", Some(Role::Comment)).await,
    ];
    let thread = comment(&bob, &space, "Why?", &[]).await;
    reply(&cora, &thread, "Because.", &[]).await;
    assert_eq!((news(&bob).await, news(&cora).await), (vec!["reply".to_owned()], vec![]));
    reply(&world.ada, &thread, "Really", &[&dora, &bob]).await;
    assert_eq!(news(&bob).await, ["mention"], "a mention counts more than the reply");
    assert_eq!(news(&cora).await, ["reply"]);
    assert_eq!(news(&dora).await, ["mention"]);
    reply(&cora, &thread, "Yes.", &[]).await;
    assert_eq!(news(&dora).await, ["reply"], "those who were mentioned take part");
    bob.put(&thread, json!({ "resolved": true })).await.ok();
    for (caller, expected) in [(&world.ada, &["reply", "resolved"][..]), (&cora, &["resolved"]), (&dora, &["resolved"])]
    {
        assert_eq!(news(caller).await, expected);
    }
    assert_eq!(news(&bob).await, ["reply"], "the actor is not notified");
    world.ada.put(&thread, json!({ "resolved": false })).await.ok();
    assert_eq!(news(&bob).await, NOTHING, "opening a comment again is not told");
}

#[acceptance::test]
async fn users_are_notified_according_to_their_level(world: World) {
    let space = format!("/spaces/{}", world.space(json!({})).await);
    let [all, some, none] = [
        world.member("all", Some(Role::Comment)).await,
        world.member("some", Some(Role::Comment)).await,
        world.member("none", Some(Role::Comment)).await,
    ];
    for (caller, level) in [(&all, "all"), (&some, "participating"), (&none, "none")] {
        set_level(caller, &space, json!(level)).await;
    }
    let silenced = comment(&none, &space, "Mine", &[]).await;
    assert_eq!((news(&all).await, news(&some).await), (vec!["comment".to_owned()], vec![]));
    let thread = comment(&world.ada, &space, "Why?", &[&all, &some, &none]).await;
    reply(&world.ada, &silenced, "Because", &[&none]).await;
    world.ada.put(&thread, json!({ "resolved": true })).await.ok();
    assert_eq!(news(&all).await, ["mention", "reply", "resolved"]);
    assert_eq!(news(&some).await, ["mention", "resolved"]);
    assert_eq!(news(&none).await, NOTHING);
    set_level(&all, &space, json!(null)).await;
    comment(&world.ada, &space, "Again", &[]).await;
    assert_eq!(news(&all).await, NOTHING, "the default does not include comments of others");
}

#[acceptance::test]
async fn a_change_request_notifies_its_author_reviewers_and_contributors(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let [bob, cora, dora, fred] = [
        world.member("bob", Some(Role::Edit)).await,
        world.member("cora", Some(Role::Review)).await,
        world.member("dora", Some(Role::Review)).await,
        world.member("fred", Some(Role::Comment)).await,
    ];
    let request = propose(&bob, &space, "Fix").await;
    bob.post(&format!("{request}/requested-reviewers"), json!({ "users": [cora.id(), bob.id()] })).await.ok();
    assert_eq!(news(&cora).await, ["review-requested"]);
    assert_eq!(news(&bob).await, NOTHING, "callers who ask themselves know it");
    comment(&fred, &request, "Why?", &[]).await;
    assert_eq!((news(&bob).await, news(&cora).await), (vec!["comment".to_owned()], vec!["comment".to_owned()]));
    let body = super::mentioning("Fine", &[&fred]);
    cora.post(&format!("{request}/reviews"), json!({ "status": "approved", "comment": body })).await.expect(201);
    assert_eq!(news(&bob).await, ["review-submitted"], "a review and its comment are one event");
    assert_eq!(news(&fred).await, ["mention"]);
    dora.post(&format!("{request}/reviews"), json!({ "status": "approved" })).await.expect(201);
    for caller in [&bob, &cora, &fred] {
        assert_eq!(news(caller).await, ["review-submitted"]);
    }
    assert_eq!((news(&dora).await, news(&world.ada).await), (vec![], vec![]));
}

#[acceptance::test]
async fn a_reader_is_notified_of_a_review_request_and_sees_no_texts(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let rita = world.member("rita", Some(Role::Comment)).await;
    let request = propose(&world.ada, &space, "Fix").await;
    comment(&world.ada, &request, "Secret", &[&rita]).await;
    let mention = rita.get("/user/notifications").await.ok().list("items")[0].id().to_owned();
    let reads = Membership { role: Some(Role::Read), disabled: false };
    world.set_membership(rita.user.as_ref().unwrap(), reads).await;
    world.ada.post(&format!("{request}/requested-reviewers"), json!({ "users": [rita.id()] })).await.ok();
    comment(&world.ada, &request, "Hidden", &[&rita]).await;

    let list = rita.get("/user/notifications").await.ok();
    assert_eq!((&list["count"], list.list("items").len()), (&json!(1), 1));
    let asked = &list.list("items")[0];
    assert_eq!((asked.text("kind"), asked.text("excerpt")), ("review-requested", "Fix"));
    let path = |id: &str| format!("/user/notifications/{id}");
    assert_eq!(rita.get(&path(asked.id())).await.ok(), *asked);
    rita.get(&path(&mention)).await.error(404);
    rita.get(asked["urls"].text("target").strip_prefix("https://docs.test/v1").unwrap()).await.ok();
    world.pass(MAIL_DELAY).await;
    let mails = world.mailbox.take();
    assert_eq!(mails.len(), 1, "{mails:?}");
    assert!(mails[0].text.contains("asked you for a review:\n\n  Fix\n"), "{mails:?}");
    assert!(mails[0].text.contains(&format!("https://docs.test/v1{request}\n")), "{mails:?}");
}

#[acceptance::test]
async fn a_participant_who_may_no_longer_take_part_is_not_notified(world: World) {
    let space = format!("/spaces/{}", world.space(json!({})).await);
    let (bob, cora) = (world.member("bob", Some(Role::Comment)).await, world.member("cora", Some(Role::Comment)).await);
    set_level(&cora, &space, json!("all")).await;
    let thread = comment(&bob, &space, "Why?", &[]).await;
    news(&cora).await;
    let reads = Membership { role: Some(Role::Read), disabled: false };
    for caller in [&bob, &cora] {
        world.set_membership(caller.user.as_ref().unwrap(), reads).await;
    }
    reply(&world.ada, &thread, "Because", &[]).await;
    let comments = Membership { role: Some(Role::Comment), disabled: false };
    for caller in [&bob, &cora] {
        world.set_membership(caller.user.as_ref().unwrap(), comments).await;
        assert_eq!(news(caller).await, NOTHING);
    }
    // A grant on a collection around the space, through a team.
    let collection = world.collection(json!({})).await;
    world.ada.post(&format!("{space}/move"), json!({ "parent": collection })).await.ok();
    let team = world.team(json!({ "title": "Writers", "members": [bob.id()] })).await;
    let refuse = json!({ "role": "read", "teams": [team], "users": [cora.id()] });
    world.ada.post(&format!("/collections/{collection}/permissions"), refuse).await.expect(204);
    reply(&world.ada, &thread, "Because", &[]).await;
    let allow = json!({ "role": "comment", "teams": [team] });
    world.ada.post(&format!("/collections/{collection}/permissions"), allow).await.expect(204);
    assert_eq!(news(&bob).await, NOTHING);
    reply(&world.ada, &thread, "Because", &[]).await;
    assert_eq!((news(&bob).await, news(&cora).await), (vec!["reply".to_owned()], vec![]));
}

#[acceptance::test]
async fn the_excerpt_follows_the_text_and_deletion_removes_the_notification(world: World) {
    let space = format!("/spaces/{}", world.space(json!({})).await);
    let bob = world.member("bob", Some(Role::Comment)).await;
    let thread = comment(&world.ada, &space, "Secret", &[&bob]).await;
    let answer = reply(&world.ada, &thread, "Hidden", &[&bob]).await;
    let excerpts = async || {
        let list = bob.get("/user/notifications").await.ok();
        list.list("items").iter().map(|item| item.text("excerpt").to_owned()).collect::<Vec<_>>()
    };
    assert!(excerpts().await.iter().zip(["Hidden", "Secret"]).all(|(one, text)| one.starts_with(text)));
    world.ada.put(&thread, json!({ "body": { "markdown": "## Public\n\nText" } })).await.ok();
    assert_eq!(excerpts().await[1], "Public Text");
    let answer = format!("{thread}/replies/{}", answer.id());
    world.ada.put(&answer, json!({ "body": { "markdown": "Shown" } })).await.ok();
    assert_eq!(excerpts().await, ["Shown", "Public Text"]);
    world.ada.delete(&answer).await.expect(205);
    assert_eq!(excerpts().await, ["Public Text"]);
    world.ada.delete(&thread).await.expect(205);
    assert!(excerpts().await.is_empty());
}

#[acceptance::test]
async fn an_excerpt_has_the_names_of_mentioned_users(world: World) {
    let space = format!("/spaces/{}", world.space(json!({})).await);
    let bob = world.member("bob", Some(Role::Comment)).await;
    let thread = comment(&world.ada, &space, "Hi ", &[&bob]).await;
    let excerpt = async || bob.get("/user/notifications").await.ok()["items"][0].text("excerpt").to_owned();
    assert_eq!(excerpt().await, "Hi @bob");
    world.pass(MAIL_DELAY).await;
    let mail = world.mailbox.take().remove(0);
    assert!(mail.text.contains("\n  Hi @bob\n") && mail.subject.ends_with(" Hi @bob"), "{mail:?}");
    world.ada.put(&thread, json!({ "body": mentioning("Bye ", &[&bob]) })).await.ok();
    assert_eq!(excerpt().await, "Bye @bob");
}

#[acceptance::test]
async fn a_notification_of_a_review_is_kept_after_its_comment_was_deleted(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let [bob, cora, fred] = [
        world.member("bob", Some(Role::Edit)).await,
        world.member("cora", Some(Role::Review)).await,
        world.member("fred", Some(Role::Comment)).await,
    ];
    let request = propose(&bob, &space, "Fix").await;
    let body = mentioning("Fine ", &[&fred]);
    let review = json!({ "status": "approved", "comment": body });
    let review = cora.post(&format!("{request}/reviews"), review).await.expect(201);
    let inbox = async |caller: &Caller| caller.get("/user/notifications").await.ok().list("items").to_vec();
    let [before] = inbox(&bob).await.try_into().unwrap_or_else(|all: Vec<Value>| panic!("{all:?}"));
    assert_eq!((before.text("kind"), before.text("excerpt")), ("review-submitted", "Fine @fred"));
    assert_eq!(inbox(&fred).await[0].text("kind"), "mention");

    cora.delete(&format!("{request}/comments/{}", review["comment"].id())).await.expect(205);
    let [after] = inbox(&bob).await.try_into().unwrap_or_else(|all: Vec<Value>| panic!("{all:?}"));
    assert_eq!((after.id(), after.text("kind"), after.text("excerpt")), (before.id(), "review-submitted", "Fix"));
    assert_eq!((after.get("comment"), &after["review"]), (None, &review["id"]));
    bob.get(after["urls"].text("target").strip_prefix("https://docs.test/v1").unwrap()).await.ok();
    assert!(inbox(&fred).await.is_empty(), "the mention is gone with the text");
}

#[acceptance::test]
async fn users_who_were_mentioned_only_in_a_deleted_reply_no_longer_take_part(world: World) {
    let space = format!("/spaces/{}", world.space(json!({})).await);
    let (bob, cora) = (world.member("bob", Some(Role::Comment)).await, world.member("cora", Some(Role::Comment)).await);
    let thread = comment(&world.ada, &space, "Why? ", &[&cora]).await;
    let answer = reply(&world.ada, &thread, "Ask ", &[&bob]).await;
    assert_eq!(news(&bob).await, ["mention"]);
    assert_eq!(news(&cora).await, ["mention", "reply"]);
    world.ada.delete(&format!("{thread}/replies/{}", answer.id())).await.expect(205);
    reply(&world.ada, &thread, "Never mind.", &[]).await;
    assert_eq!((news(&bob).await, news(&cora).await), (vec![], vec!["reply".to_owned()]));
}

#[acceptance::test]
async fn a_comment_without_recipients_takes_one_query_more(world: World) {
    let space = format!("/spaces/{}", world.space(json!({})).await);
    let crowd = [world.member("bob", Some(Role::Comment)).await, world.member("cora", Some(Role::Comment)).await];
    let post = async || world.counted(comment(&world.ada, &space, "Why?", &[])).await.1;
    post().await;
    let quiet = post().await;
    set_level(&crowd[0], &space, json!("none")).await;
    post().await;
    assert_eq!(post().await, quiet + 1, "the levels are read");
    set_level(&crowd[0], &space, json!("all")).await;
    post().await;
    let told = post().await;
    assert!(told > quiet + 1, "{told} statements, {quiet} without");
    set_level(&crowd[1], &space, json!("all")).await;
    post().await;
    assert!(post().await <= told + 1, "the number of statements does not depend on the number of users");
}
