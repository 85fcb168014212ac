//! Webhooks: their settings, deliveries, and failures.
mod deliveries;
mod document;
mod failures;
mod interruptions;
mod settings;
mod worker;

use acceptance::{Backend, Fields, Receiver, World};
use serde_json::{Value, json};
use std::sync::Arc;

/// A world whose webhooks reach a receiver.
pub(crate) async fn boot(backend: Backend) -> Option<(World, Arc<Receiver>)> {
    let receiver = Receiver::new();
    let world = World::with_fetcher(backend, receiver.clone()).await?;
    Some((world, receiver))
}

/// Ada creates a webhook. Returns its path and its secret.
async fn webhook(world: &World, body: Value) -> (String, String) {
    let mut body = body;
    if body["url"].is_null() {
        body["url"] = json!("https://hooks.example.org/octavo");
    }
    let made = world.ada.post(&world.org("/webhooks"), body).await.expect(201);
    (world.org(&format!("/webhooks/{}", made.id())), made.text("secret").to_owned())
}

/// The ids of a webhook and of its only delivery: it gets the event of its own creation, and no other.
pub(crate) async fn webhook_with_a_delivery(world: &World) -> (String, String) {
    let body = json!({"url": "https://127.0.0.1/", "events": ["webhook_created"]});
    let (path, _) = webhook(world, body).await;
    let delivery = deliveries(world, &path).await[0].id().to_owned();
    (path.rsplit('/').next().unwrap().to_owned(), delivery)
}

/// A webhook for events of these types, after its first requests.
pub(crate) async fn webhook_for(world: &World, receiver: &Receiver, events: &[&str]) -> String {
    let path = webhook(world, json!({"events": events})).await.0;
    world.work().await;
    receiver.take();
    path
}

/// The deliveries of a webhook, newest first.
async fn deliveries(world: &World, webhook: &str) -> Vec<Value> {
    world.ada.get(&format!("{webhook}/deliveries")).await.ok().list("items").to_vec()
}

/// The values of a field of all items.
fn each<'v>(items: &'v [Value], field: &str) -> Vec<&'v str> {
    items.iter().map(|item| item.text(field)).collect()
}
