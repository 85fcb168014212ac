//! Notifications: recipients, the inbox, its settings and e-mails.
mod inbox;
mod mail;
mod recipients;
mod webhooks;

use acceptance::{Caller, Fields};
use serde_json::{Value, json};

fn mention(user: &str) -> Value {
    json!({ "object": "inline", "type": "mention", "isVoid": true, "data": { "ref": { "kind": "user", "user": user } } })
}

/// A text that mentions these users.
fn mentioning(text: &str, users: &[&Caller]) -> Value {
    let words = json!({ "object": "text", "leaves": [{ "object": "leaf", "text": text, "marks": [] }] });
    let nodes: Vec<Value> = std::iter::once(words).chain(users.iter().map(|user| mention(user.id()))).collect();
    let block = json!({ "object": "block", "type": "paragraph", "nodes": nodes });
    json!({ "document": { "object": "document", "data": {}, "nodes": [block] } })
}

/// Posts a comment at this path that mentions these users. Returns its path.
async fn comment(caller: &Caller, at: &str, text: &str, users: &[&Caller]) -> String {
    let path = format!("{at}/comments");
    let posted = caller.post(&path, json!({ "body": mentioning(text, users) })).await.ok();
    format!("{path}/{}", posted.id())
}

/// Replies to the comment with this path.
async fn reply(caller: &Caller, comment: &str, text: &str, users: &[&Caller]) -> Value {
    caller.post(&format!("{comment}/replies"), json!({ "body": mentioning(text, users) })).await.ok()
}

async fn set_level(caller: &Caller, space: &str, level: Value) {
    caller.put(&format!("{space}/notification-settings"), json!({ "level": level })).await.ok();
}

/// The kinds of the notifications of a caller, oldest first. Marks them as read.
async fn news(caller: &Caller) -> Vec<String> {
    let list = caller.get("/user/notifications?read=false").await.ok();
    caller.post("/user/notifications/read", json!({})).await.expect(204);
    let kinds = list.list("items").iter().rev().map(|item| item.text("kind").to_owned());
    kinds.collect()
}
