//! Comments on spaces and change requests.
mod anchors;
mod counters;
mod mentions;
mod places;
mod random;
mod rights;
mod threads;

use acceptance::{Caller, Fields};
use serde_json::{Value, json};

/// The text of a comment.
fn text(markdown: &str) -> Value {
    json!({ "body": { "markdown": markdown } })
}

/// Posts a comment on a space or a change request, with these fields besides its text.
async fn post(caller: &Caller, place: &str, markdown: &str, fields: Value) -> Value {
    let mut body = text(markdown);
    body.as_object_mut().unwrap().extend(fields.as_object().cloned().unwrap_or_default());
    caller.post(&format!("{place}/comments"), body).await.ok()
}

/// The path of a comment or a reply.
fn path(text: &Value) -> String {
    text["urls"].text("location").strip_prefix(acceptance::PUBLIC_URL).unwrap().replacen("/v1", "", 1)
}

/// The texts of a list, in its order.
async fn texts(caller: &Caller, list: &str) -> Vec<String> {
    let found = caller.get(list).await.ok();
    found.list("items").iter().map(|one| one["body"].text("markdown").trim_end().to_owned()).collect()
}

/// The number of open comments that a space or a change request returns.
async fn open(caller: &Caller, place: &str) -> Value {
    caller.get(place).await.ok()["comments"].clone()
}
