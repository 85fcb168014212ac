//! Translations of spaces, and glossaries.
mod computed;
mod glossary;
mod jobs;
mod killed;
mod links;
mod nonsense;
mod people;
mod requests;
mod runs;
mod stats;
mod turns;

use crate::change_requests::{merged, propose, rewrite};
use acceptance::{Fields, World};
use domain::id::SpaceId;
use serde_json::{Value, json};

/// A document with a paragraph.
fn note(text: &str) -> Value {
    json!({"object": "document", "data": {}, "nodes": [{
        "object": "block", "type": "paragraph", "data": {},
        "nodes": [{"object": "text", "leaves": [{"object": "leaf", "text": text, "marks": []}]}],
    }]})
}

/// Ada translates a space into a language. Returns the path of the translation in the API.
async fn translate(world: &World, space: &SpaceId, language: &str) -> String {
    let body = json!({"source": {"space": space, "language": "en"}, "language": language});
    let id = world.ada.post(&world.org("/translations"), body).await.id();
    world.org(&format!("/translations/{id}"))
}

/// The space with a translation.
struct Target {
    id: String,
    /// Its path in the API.
    path: String,
}

impl Target {
    /// The target of a translation after the runs that are due.
    async fn of(world: &World, translation: &str) -> Self {
        world.work().await;
        let id = world.ada.get(translation).await.ok()["result"].text("space").to_owned();
        Self { path: format!("/spaces/{id}"), id }
    }

    fn space(&self) -> SpaceId {
        self.id.parse().unwrap()
    }
}

/// Replaces the text of a page in the primary content of a space.
async fn change(world: &World, space: &SpaceId, page: &str, markdown: &str) {
    let request = propose(&world.ada, space, "").await;
    rewrite(&world.ada, &request, page, markdown).await;
    let done = merged(&world.ada, &request).await;
    assert_eq!(done["result"], "merge", "{done}");
}

/// A translation of a space, and an entry of the glossary. Returns their ids.
pub(crate) async fn translation_with_a_term(world: &World, space: &SpaceId) -> (String, String) {
    let path = translate(world, space, "it").await;
    let term = json!({"type": "insert", "translations": {"en": "engine", "it": "motore"}});
    world.ada.put(&world.org("/translations-glossary"), json!({"operations": [term]})).await.expect(204);
    let entries = world.ada.get(&world.org("/translations-glossary")).await.ok();
    (path.rsplit('/').next().unwrap().to_owned(), entries["items"][0].id().to_owned())
}
