//! Versions whose parts an earlier engine made are made again.
use super::{URL, boot, path, pets, put_url, spec, versions};
use acceptance::{Backend, Interleaved, World};
use chrono::TimeDelta;
use domain::content::object::Hash;
use domain::job::Task;
use domain::openapi::ENGINE;
use domain::openapi_spec::OpenapiVersion;
use domain::paging::PageRequest;
use serde_json::json;

/// The versions of a spec, oldest first, as they are stored.
async fn stored(world: &World, slug: &str) -> Vec<OpenapiVersion> {
    let mut tx = world.services.store.read().await.unwrap();
    let spec = tx.openapi_specs().find(&world.organization, &slug.parse().unwrap()).await.unwrap().unwrap();
    tx.openapi_specs().versions(&spec.id, &PageRequest::default()).await.unwrap().items
}

/// Stores versions as an earlier engine would have, with these parts.
async fn age(world: &World, all: &[OpenapiVersion], parts: impl Fn(&OpenapiVersion) -> Hash) {
    let mut tx = world.services.store.write().await.unwrap();
    for version in all {
        let older = OpenapiVersion { parts: parts(version), changes: None, engine: 0, ..version.clone() };
        tx.openapi_specs().renew_version(&older).await.unwrap();
    }
    tx.commit().await.unwrap();
}

async fn put_text(world: &World, slug: &str, text: &str) {
    world.ada.put(&path(world, slug), json!({"source": {"text": text}})).await;
    world.work().await;
}

#[acceptance::test]
async fn versions_of_an_earlier_engine_are_made_again_from_their_texts(world: World) {
    put_text(&world, "other", &pets("Others")).await;
    let others = stored(&world, "other").await.remove(0).parts;
    let removed = pets("Less").replace("get:", "put:");
    for text in [pets("Pets"), pets("More"), removed] {
        put_text(&world, "pets", &text).await;
    }
    let before = stored(&world, "pets").await;
    assert!(before.iter().all(|version| version.engine == ENGINE));
    let counts: Vec<bool> = before.iter().map(|version| version.changes.is_some()).collect();
    assert_eq!(counts, [false, true, true]);
    let content = world.ada.get(&format!("{}/versions/latest/operations", path(&world, "pets"))).await.ok();

    // The parts of another spec, which is deleted: only these versions refer to them.
    age(&world, &before, |_| others).await;
    world.ada.delete(&path(&world, "other")).await.expect(205);
    world.work().await;
    world.jobs.renew().await.unwrap();
    let tasks: Vec<&str> = world.work().await.into_iter().map(|(task, _)| task.kind()).collect();
    assert!(tasks.iter().all(|kind| *kind == "renew-openapi"), "nothing is fetched: {tasks:?}");
    assert_eq!(stored(&world, "pets").await, before, "the same parts and changes under the same ids");
    let again = world.ada.get(&format!("{}/versions/latest/operations", path(&world, "pets"))).await.ok();
    assert_eq!(again, content);
    world.jobs.renew().await.unwrap();
    assert!(world.work().await.is_empty(), "nothing is left");
    // What was replaced is collected, and nothing else.
    world.pass(TimeDelta::hours(8)).await;
    let there = async |hash: Hash| {
        let mut tx = world.services.store.read().await.unwrap();
        !tx.content().objects(&[hash]).await.unwrap().is_empty()
    };
    assert!(!there(others).await, "nothing refers to it");
    for version in &before {
        let at = format!("{}/versions/{}/content", path(&world, "pets"), version.id);
        world.ada.get(&at).await.ok();
    }
}

#[acceptance::test]
async fn a_version_that_is_made_again_while_its_address_is_looked_at_stays_the_only_one(backend: Backend) {
    let Some((world, host)) = boot(backend).await else { return };
    host.put(URL, pets("Pets"));
    host.forget_tags();
    put_url(&world, "pets").await;
    world.work().await;
    put_text(&world, "other", &pets("Others")).await;
    let (others, before) = (stored(&world, "other").await.remove(0).parts, stored(&world, "pets").await);
    for units in 0..100 {
        age(&world, &before, |_| others).await;
        world.clock.advance(TimeDelta::hours(7));
        let (claim, task) = loop {
            match world.jobs.claim().await.unwrap().expect("a job is due") {
                (claim, task @ Task::ProcessOpenapi { .. }) => break (claim, task),
                (claim, task) => drop(world.jobs.perform(&claim, &task).await.unwrap()),
            }
        };
        let jobs = world.jobs.clone();
        let renew = async move {
            jobs.renew().await.unwrap();
            while let Some((claim, task)) = jobs.claim().await.unwrap() {
                jobs.perform(&claim, &task).await.unwrap();
            }
        };
        let interleaved = Interleaved::after(units, world.services.store.clone(), renew);
        world.jobs_on(interleaved.clone()).perform(&claim, &task).await.unwrap();
        if interleaved.is_pending() {
            assert!(units > 3, "the job has several units of work");
            return;
        }
        assert_eq!(stored(&world, "pets").await, before, "made again after {units} units of work");
    }
    panic!("the job has many units of work");
}

#[acceptance::test]
async fn the_changes_of_a_version_are_counted_again_if_only_the_one_before_was_wrong(world: World) {
    for text in [pets("Pets"), pets("More")] {
        put_text(&world, "pets", &text).await;
    }
    let before = stored(&world, "pets").await;
    age(&world, &before, |_| before[1].parts).await;
    world.jobs.renew().await.unwrap();
    world.work().await;
    assert_eq!(stored(&world, "pets").await, before);
    assert!(before[1].changes.is_some());
}

/// A document of 2.0 without a host has the servers of the address that answered, which is not stored.
#[acceptance::test]
async fn a_version_whose_servers_are_those_of_its_address_stays(backend: Backend) {
    let Some((world, host)) = boot(backend).await else { return };
    host.put(URL, "swagger: '2.0'\ninfo: {title: Pets, version: '1'}\npaths: {/pets: {get: {responses: {}}}}\n");
    put_url(&world, "pets").await;
    world.work().await;
    let before = stored(&world, "pets").await;
    put_text(&world, "other", &pets("Others")).await;
    let others = stored(&world, "other").await.remove(0).parts;
    age(&world, &before, |_| others).await;
    world.jobs.renew().await.unwrap();
    world.work().await;
    assert_eq!((stored(&world, "pets").await[0].parts, stored(&world, "pets").await[0].engine), (others, ENGINE));
}

#[acceptance::test]
async fn findings_of_the_newest_version_are_made_again_with_it(world: World) {
    let text = pets("Pets").replace("description: Pets", "descripton: Pets");
    put_text(&world, "pets", &text).await;
    let before = spec(&world, "pets").await;
    assert_eq!(before["lastProcessedErrorCount"], 2, "{before}");
    let mut tx = world.services.store.write().await.unwrap();
    let organization = &world.organization;
    tx.lock(&[organization.into()]).await.unwrap();
    let mut older = tx.openapi_specs().find(organization, &"pets".parse().unwrap()).await.unwrap().unwrap();
    older.set_findings(Vec::new());
    tx.openapi_specs().save(&older).await.unwrap();
    tx.commit().await.unwrap();
    age(&world, &stored(&world, "pets").await, |version| version.parts).await;
    world.jobs.renew().await.unwrap();
    world.work().await;
    let after = spec(&world, "pets").await;
    assert_eq!(after["lastProcessedErrors"], before["lastProcessedErrors"]);
    assert_eq!((after["lastVersion"].clone(), versions(&world, "pets").await), (before["lastVersion"].clone(), 1));
}

#[acceptance::test]
async fn a_version_that_cannot_be_made_of_its_text_alone_stays(backend: Backend) {
    let Some((world, host)) = boot(backend).await else { return };
    let text = pets("Pets") + "components:\n  schemas:\n    Pet:\n      $ref: pet.yaml\n";
    host.put(URL, text);
    host.put("https://api.example.org/pet.yaml", "type: object\n");
    put_url(&world, "pets").await;
    world.work().await;
    let before = stored(&world, "pets").await;
    age(&world, &before, |version| version.parts).await;
    host.take();
    world.jobs.renew().await.unwrap();
    world.work().await;
    let after = stored(&world, "pets").await;
    assert_eq!((after[0].parts, after[0].engine, after.len()), (before[0].parts, ENGINE, 1));
}
