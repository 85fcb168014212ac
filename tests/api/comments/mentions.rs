use super::{path, post};
use acceptance::{Fields, Fixture, World};
use domain::access::Role;
use serde_json::{Value, json};

fn mention(user: &str) -> Value {
    json!({ "object": "inline", "type": "mention", "isVoid": true, "data": { "ref": { "kind": "user", "user": user } } })
}

fn body(inlines: &[Value]) -> Value {
    let block = json!({ "object": "block", "type": "paragraph", "nodes": inlines });
    json!({ "body": { "document": { "object": "document", "data": {}, "nodes": [block] } } })
}

#[acceptance::test]
async fn only_users_who_take_part_are_mentioned(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let place = format!("/spaces/{space}");
    let (bob, rita) = (world.member("bob", Some(Role::Comment)).await, world.member("rita", Some(Role::Read)).await);
    let eve = world.stranger("eve").await;
    let sent = body(&[mention(bob.id()), mention(rita.id()), mention(eve.id()), mention("nobody")]);
    let comment = world.ada.post(&format!("{place}/comments?format=document"), sent.clone()).await.ok();
    let whole = comment["body"].to_string();
    assert_eq!(whole.matches("\"mention\"").count(), 1, "{whole}");
    for text in [format!("@{}", rita.id()), format!("@{}", eve.id()), "@nobody".to_owned()] {
        assert!(whole.contains(&text), "{text} in {whole}");
    }
    let reply = format!("{place}/comments/{}/replies?format=document", comment.id());
    let reply = world.ada.post(&reply, sent.clone()).await.ok();
    assert_eq!(reply["body"], comment["body"]);
    let edited = post(&world.ada, &place, "Nobody", json!({})).await;
    let edited = world.ada.put(&format!("{place}/comments/{}?format=document", edited.id()), sent).await.ok();
    assert_eq!(edited["body"], comment["body"]);
}

#[acceptance::test]
async fn a_text_mentions_fifty_users_at_most(world: World) {
    let place = format!("/spaces/{}", world.space(json!({})).await);
    let users = |count: usize| -> Vec<Value> { (0..count).map(|number| mention(&format!("u{number}"))).collect() };
    world.ada.post(&format!("{place}/comments"), body(&users(50))).await.ok();
    let message = world.ada.post(&format!("{place}/comments"), body(&users(51))).await.error(400);
    assert!(message.starts_with("body: must mention at most 50"), "{message}");
}

#[acceptance::test]
async fn a_mention_in_markdown_is_one_and_stays_one(world: World) {
    let place = format!("/spaces/{}", world.space(json!({})).await);
    let (bob, eve) = (world.member("bob", Some(Role::Comment)).await, world.stranger("eve").await);
    let text = format!("See [bob](/users/{} \"mention\") and [eve](/users/{} \"mention\").", bob.id(), eve.id());
    let comment = post(&world.ada, &place, &text, json!({})).await;
    let own = format!("{place}/comments/{}", comment.id());
    let read = async |format: &str| world.ada.get(&format!("{own}?format={format}")).await.ok()["body"].clone();
    let document = read("document").await;
    assert_eq!(document.to_string().matches("\"mention\"").count(), 1, "{document}");
    assert!(document.to_string().contains(&format!("@{}", eve.id())), "{document}");
    let seen = bob.get("/user/notifications").await.ok();
    assert_eq!(seen["count"], 1, "{seen}");

    let markdown = read("markdown").await;
    world.ada.put(&own, json!({"body": markdown})).await.ok();
    let again = read("document").await.to_string();
    assert!(again.contains("\"mention\"") && again.contains(bob.id()), "it is still one: {again}");
    assert_eq!(read("markdown").await, markdown);
}

#[acceptance::test]
async fn a_text_with_a_refused_mention_is_unchanged_when_it_is_sent_back(world: World) {
    let place = format!("/spaces/{}", world.space(json!({})).await);
    let comment = post(&world.ada, &place, "Ask [x](/users/nobody \"mention\") first.", json!({})).await;
    let reply = format!("{place}/comments/{}/replies", comment.id());
    let reply = world.ada.post(&reply, json!({ "body": { "markdown": "[x](/users/nobody \"mention\")?" } })).await.ok();
    for (text, markdown) in [(comment, "Ask @nobody first.\n"), (reply, "@nobody?\n")] {
        for format in ["markdown", "document"] {
            let own = format!("{}?format={format}", path(&text));
            let read = world.ada.get(&own).await.ok();
            let sent = world.ada.put(&own, json!({ "body": read["body"] })).await.ok();
            assert_eq!((sent.get("editedAt"), &sent["body"]), (None, &read["body"]));
        }
        assert_eq!(text["body"]["markdown"], markdown);
    }
}
