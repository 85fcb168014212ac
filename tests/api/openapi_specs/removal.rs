use super::usages::showing;
use super::{path, pets, processed_spec, spec};
use acceptance::{Fields, World};
use actix_web::http::Method;
use chrono::TimeDelta;
use domain::content::object::Hash;
use domain::openapi_spec::{MAX_TEXTS, MAX_VERSIONS};
use serde_json::json;

async fn is_there(world: &World, object: Hash) -> bool {
    let mut tx = world.services.store.read().await.unwrap();
    !tx.content().objects(&[object]).await.unwrap().is_empty()
}

/// Whether a text is stored.
async fn is_stored(world: &World, text: &str) -> bool {
    is_there(world, Hash::of(text.as_bytes())).await
}

/// The roots of the parts of all versions.
async fn roots(world: &World) -> Vec<Hash> {
    let mut tx = world.services.store.read().await.unwrap();
    let versions = tx.openapi_specs().referenced(None, 10_000).await.unwrap();
    versions.into_iter().map(|(_, objects)| objects.parts).collect()
}

async fn referenced(world: &World) -> usize {
    roots(world).await.len()
}

#[acceptance::test]
async fn a_deleted_spec_leaves_nothing_and_takes_nothing_from_others(world: World) {
    processed_spec(&world, "gone").await;
    let (kept, _) = processed_spec(&world, "kept").await;
    let alone = pets("Alone");
    world.ada.put(&path(&world, "gone"), json!({"source": {"text": alone}})).await.ok();
    world.work().await;
    // Not with its URLs, which change every day.
    let files = async || {
        let content = world.ada.get(&format!("{}/versions/latest/content", path(&world, &kept))).await.ok();
        content["filesystem"].clone()
    };
    let before = files().await;
    assert!(is_stored(&world, &alone).await);
    let [gone, kept_one, only_there] = roots(&world).await.try_into().unwrap();
    assert!(gone == kept_one && gone != only_there, "equal documents have the same parts");
    world.ada.delete(&path(&world, "gone")).await.expect(205);
    assert_eq!(world.ada.delete(&path(&world, "gone")).await.status.as_u16(), 204);
    world.pass(TimeDelta::hours(4)).await;
    world.pass(TimeDelta::hours(4)).await;
    assert_eq!(referenced(&world).await, 1);
    assert!(!is_stored(&world, &alone).await && !is_there(&world, only_there).await, "nothing refers to it");
    assert!(is_there(&world, kept_one).await);
    assert!(is_stored(&world, &pets("Pets")).await, "the other spec refers to it");
    assert_eq!(files().await, before);
}

#[acceptance::test]
async fn a_text_that_never_became_a_version_is_removed_when_it_is_replaced(world: World) {
    let wrong = "no document: at all";
    world.ada.post(&world.org("/openapi"), json!({"slug": "pets", "source": {"text": wrong}})).await.expect(201);
    world.work().await;
    world.pass(TimeDelta::hours(4)).await;
    assert!(is_stored(&world, wrong).await, "it is still the source");
    world.ada.put(&path(&world, "pets"), json!({"source": {"text": pets("Pets")}})).await.ok();
    world.pass(TimeDelta::hours(4)).await;
    assert!(!is_stored(&world, wrong).await);
    assert!(is_stored(&world, &pets("Pets")).await);
}

/// A block that shows a version of the spec `pets`.
fn pinning(version: &str) -> String {
    let spec = format!("spec=\"pets\" version=\"{version}\"");
    format!("{{% openapi-operation {spec} path=\"/pets\" method=\"get\" %}}\n{{% endopenapi-operation %}}\n")
}

#[acceptance::test]
async fn the_oldest_versions_are_removed(world: World) {
    let (slug, first) = processed_spec(&world, "pets").await;
    // Versions are added directly: processing so many would take long.
    let services = &world.services;
    let mut tx = services.store.write().await.unwrap();
    let spec = tx.openapi_specs().find(&world.organization, &slug.parse().unwrap()).await.unwrap().unwrap();
    let version = tx.openapi_specs().version(&spec.id, &first.parse().unwrap()).await.unwrap().unwrap();
    for _ in 1..MAX_VERSIONS {
        let id = services.ids.make();
        let another = domain::openapi_spec::OpenapiVersion { id, ..version.clone() };
        tx.openapi_specs().add_version(&another).await.unwrap();
    }
    tx.commit().await.unwrap();
    assert_eq!(referenced(&world).await, MAX_VERSIONS);
    world.ada.put(&path(&world, &slug), json!({"source": {"text": pets("More")}})).await.ok();
    world.work().await;
    assert_eq!(referenced(&world).await, MAX_VERSIONS);
    world.ada.get(&format!("{}/versions/{first}", path(&world, &slug))).await.expect(404);
    let listed = world.ada.get(&format!("{}/versions?limit=1000", path(&world, &slug))).await.ok();
    // Ids sort by time.
    let oldest = listed.list("items").iter().map(|version| version.id().to_owned()).min().unwrap();
    showing(&world, &pinning(&oldest)).await;
    for title in ["Even more", "The most"] {
        world.ada.put(&path(&world, &slug), json!({"source": {"text": pets(title)}})).await.ok();
        world.work().await;
    }
    assert_eq!(referenced(&world).await, MAX_VERSIONS + 1, "a version that a block names stays");
    world.ada.get(&format!("{}/versions/{oldest}", path(&world, &slug))).await.ok();
    world.ada.put(&path(&world, &slug), json!({"source": {"text": pets("More")}})).await.ok();
    world.work().await;
    let latest = world.ada.get(&format!("{}/versions/latest/content", path(&world, &slug))).await.ok();
    assert_eq!(latest["filesystem"]["openapi.json"]["specification"]["info"]["title"], "More");
}

#[acceptance::test]
async fn the_texts_of_older_versions_are_removed_unless_a_block_names_the_version(world: World) {
    let (slug, pinned) = processed_spec(&world, "pets").await;
    showing(&world, &pinning(&pinned)).await;
    world.work().await;
    let mut versions = Vec::new();
    for number in 0..=MAX_TEXTS {
        world.ada.put(&path(&world, &slug), json!({"source": {"text": pets(&format!("Pets {number}"))}})).await.ok();
        world.work().await;
        versions.push(spec(&world, &slug).await.text("lastVersion").to_owned());
    }
    let at = |version: &str, rest: &str| format!("{}/versions/{version}{rest}", path(&world, &slug));
    let url = world.ada.get(&at(&versions[0], "")).await.ok().text("url").to_owned();
    let url = url.strip_prefix("https://docs.test").unwrap();
    let message = world.ada.get(&at(&versions[0], "/content/raw")).await.error(404);
    assert!(message.contains("the newest 20 versions and those that blocks name"), "{message}");
    world.anonymous().send_to(Method::GET, url, |request| request).await.expect(404);
    for kept in [&pinned, &versions[1]] {
        world.ada.get(&at(kept, "/content/raw")).await.ok();
    }
    world.pass(TimeDelta::hours(4)).await;
    assert!(!is_stored(&world, &pets("Pets 0")).await, "the text is collected");
    assert!(is_stored(&world, &pets("Pets")).await && is_stored(&world, &pets("Pets 1")).await);
    let content = world.ada.get(&at(&versions[0], "/content")).await.ok();
    assert_eq!(content["filesystem"]["openapi.json"]["specification"]["info"]["title"], "Pets 0");
}
