//! OpenAPI specs: their settings, the processing of sources, and reading versions.
mod changelog;
mod interrupted;
mod large;
mod limits;
mod linked;
mod processing;
mod real;
mod references;
mod removal;
mod renew;
mod settings;
mod stored;
mod usages;
mod versions;

use acceptance::{Backend, Fields, Host, World};
use serde_json::{Value, json};
use std::sync::Arc;

/// The address of the document of the tests.
const URL: &str = "https://api.example.org/pets.yaml";

/// A world whose specs are fetched from a host.
async fn boot(backend: Backend) -> Option<(World, Arc<Host>)> {
    let host = Host::new();
    let world = World::with_fetcher(backend, host.clone()).await?;
    host.write_to(world.services.store.clone());
    Some((world, host))
}

/// A small document with this title.
fn pets(title: &str) -> String {
    format!(
        "openapi: 3.1.0\ninfo:\n  title: {title}\n  version: '1'\npaths:\n  /pets:\n    get:\n      operationId: listPets\n      \
         responses:\n        '200':\n          description: Pets\n"
    )
}

/// Ada creates a spec from a text, which is processed. Returns its slug and the id of its version.
pub(crate) async fn processed_spec(world: &World, slug: &str) -> (String, String) {
    let body = json!({"slug": slug, "source": {"text": pets("Pets")}});
    world.ada.post(&world.org("/openapi"), body).await.expect(201);
    world.work().await;
    let spec = spec(world, slug).await;
    (slug.to_owned(), spec.text("lastVersion").to_owned())
}

/// The path of a spec.
fn path(world: &World, slug: &str) -> String {
    world.org(&format!("/openapi/{slug}"))
}

async fn spec(world: &World, slug: &str) -> Value {
    world.ada.get(&path(world, slug)).await.ok()
}

/// The number of versions of a spec.
async fn versions(world: &World, slug: &str) -> usize {
    world.ada.get(&format!("{}/versions", path(world, slug))).await.ok().list("items").len()
}

/// Ada sets the source of a spec to the address of the tests.
async fn put_url(world: &World, slug: &str) {
    let answer = world.ada.put(&path(world, slug), json!({"source": {"url": URL}})).await;
    assert!(matches!(answer.status.as_u16(), 200 | 201), "{}", answer.status);
}

/// A reference to the newest version of the spec `pets`.
pub(crate) fn newest() -> Value {
    json!({"kind": "openapi", "spec": "pets"})
}

/// The source of a computed page that is replaced by pages generated from a spec.
pub(crate) fn generated(reference: &Value, props: &Value) -> Value {
    json!({"type": "builtin:openapi", "dependencies": {"spec": {"ref": reference}}, "props": props})
}

/// The entry of `SUMMARY.md` with such a source for the newest version of the spec `pets`, this many levels below the
/// first. These properties are true.
pub(crate) fn generated_entry(level: usize, props: &[&str]) -> String {
    let props: String = props.iter().map(|name| format!("  {name}: true\n")).collect();
    let source = "dependencies:\n  spec:\n    ref:\n      kind: openapi\n      spec: pets\n";
    let block = format!("```yaml\ntype: builtin:openapi\nprops:\n{props}{source}```\n");
    let (margin, mut mark) = ("  ".repeat(level), "* ");
    block.lines().map(|line| format!("{margin}{}{line}\n", std::mem::replace(&mut mark, "  "))).collect()
}
