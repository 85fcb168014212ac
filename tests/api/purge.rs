//! Purging deleted spaces: when, what is removed, and what stays.
use acceptance::{Backend, Editor, Fields, Fixture, Interleaved, World};
use actix_web::http::Method;
use chrono::TimeDelta;
use domain::actor::Actor;
use domain::content::object::{Hash, MemoryObjects, ReadError};
use domain::content::snapshot::{Reached, Snapshot};
use domain::id::SpaceId;
use domain::job::Task;
use domain::usecases::content::Destination;
use domain::usecases::jobs::JobResult;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Everything that the revisions of a space refer to.
async fn held(world: &World, space: &SpaceId) -> Reached {
    let mut tx = world.services.store.read().await.unwrap();
    let mut held = Reached::default();
    for revision in tx.purge().first_revisions(space, 1000).await.unwrap() {
        let mut objects = MemoryObjects::default();
        let reached = loop {
            match Snapshot::reached(&revision.manifest, &BTreeSet::new(), &objects) {
                Ok(reached) => break reached,
                Err(ReadError::Missing(missing)) => objects.extend(tx.content().objects(&missing).await.unwrap()),
                Err(fault) => panic!("{fault}"),
            }
        };
        held.objects.extend(reached.objects);
        held.files.extend(reached.files);
    }
    held
}

/// Which of these objects and files are stored.
async fn stored(world: &World, held: &Reached) -> (BTreeSet<Hash>, BTreeSet<Hash>) {
    let objects: Vec<Hash> = held.objects.iter().copied().collect();
    let found = world.services.store.read().await.unwrap().content().objects(&objects).await.unwrap();
    let mut files = BTreeSet::new();
    for file in &held.files {
        if world.services.files.size(file).await.unwrap().is_some() {
            files.insert(*file);
        }
    }
    (found.into_iter().map(|(hash, _)| hash).collect(), files)
}

async fn condemned(world: &World) -> usize {
    let far = world.services.clock.now() + TimeDelta::days(10_000);
    world.services.store.read().await.unwrap().garbage().condemned(None, far, 100_000).await.unwrap().len()
}

/// A space with a history: one merged change request and one open.
async fn with_history(world: &World) -> SpaceId {
    let space = world.import(&Fixture::guide()).await;
    let editor = Editor::of(world, &world.ada, &space).await;
    let merged = editor.propose("Merged").await;
    editor.insert(&merged, "Merged", None).await.unwrap();
    editor.merge(&merged).await.unwrap();
    let open = editor.propose("Open").await;
    editor.insert(&open, "Open", None).await.unwrap();
    space
}

async fn delete(world: &World, space: &SpaceId) {
    world.ada.delete(&format!("/spaces/{space}")).await.expect(205);
}

async fn restore(world: &World, space: &SpaceId) -> u16 {
    world.ada.post(&format!("/spaces/{space}/restore"), json!({})).await.status.as_u16()
}

/// Reads every page and file of a space.
async fn read_all(world: &World, space: &SpaceId) -> Vec<Value> {
    let mut read = Vec::new();
    let content = world.ada.get(&format!("/spaces/{space}/content")).await.ok();
    let mut waiting: Vec<Value> = content.list("pages").to_vec();
    while let Some(page) = waiting.pop() {
        waiting.extend(page["pages"].as_array().into_iter().flatten().cloned());
        let path = format!("/spaces/{space}/content/page/{}?format=markdown", page.id());
        read.push(world.ada.get(&path).await.ok()["markdown"].clone());
    }
    for file in content.list("files") {
        let download = file.text("downloadURL").replace("https://docs.test", "");
        let answer = world.anonymous().send_to(Method::GET, &download, |request| request).await;
        assert_eq!(answer.status, 200);
        read.push(String::from_utf8(answer.bytes).unwrap().into());
    }
    let found = world.ada.get(&format!("/spaces/{space}/search?query=algebraic")).await.ok();
    assert_eq!(found["count"], 1);
    read
}

#[acceptance::test]
async fn after_seven_days_a_deleted_space_is_removed_with_all_that_only_it_held(world: World) {
    let (space, other) =
        (with_history(&world).await, world.import(&Fixture::new("other", [("a.md", "# A\n\nOther.")])).await);
    let (its, others) = (held(&world, &space).await, held(&world, &other).await);
    assert!(its.objects.len() > 20 && its.files.len() == 1);
    delete(&world, &space).await;
    assert_eq!(world.pass(TimeDelta::days(7) - TimeDelta::minutes(5)).await, []);
    assert_eq!(stored(&world, &its).await, (its.objects.clone(), its.files.clone()));
    let done = world.pass(TimeDelta::hours(6)).await;
    assert!(done.iter().all(|(_, ran)| matches!(ran, JobResult::Done | JobResult::Later(_))), "{done:?}");
    assert!(
        done.iter().any(|(task, ran)| matches!(task, Task::PurgeSpace { .. }) && *ran == JobResult::Done),
        "{done:?}"
    );
    let shared: BTreeSet<Hash> = its.objects.intersection(&others.objects).copied().collect();
    assert_eq!(stored(&world, &its).await, (shared, BTreeSet::new()));
    assert_eq!(stored(&world, &others).await.0, others.objects);
    assert_eq!(condemned(&world).await, 0);
    assert_eq!(restore(&world, &space).await, 404);
    let mut tx = world.services.store.read().await.unwrap();
    assert_eq!(tx.spaces().find(&space, None).await.unwrap(), None);
    assert_eq!(tx.jobs().list(false, &Default::default()).await.unwrap().items, []);
}

#[acceptance::test]
async fn a_space_is_marked_first_and_purged_an_hour_later(world: World) {
    world.pass(TimeDelta::hours(2)).await;
    let space = world.import(&Fixture::guide()).await;
    delete(&world, &space).await;
    let marked = world.pass(TimeDelta::days(7)).await;
    assert!(matches!(&marked[..], [(Task::PurgeSpace { .. }, JobResult::Later(_))]), "{marked:?}");
    assert_eq!(world.pass(TimeDelta::minutes(59)).await, []);
    let purged = world.pass(TimeDelta::minutes(2)).await;
    assert!(matches!(&purged[..], [(Task::PurgeSpace { .. }, JobResult::Done)]), "{purged:?}");
}

#[acceptance::test]
#[case::days_ahead_for_five_minutes(TimeDelta::days(8))]
#[case::days_ahead(TimeDelta::days(400))]
#[case::a_year_back(TimeDelta::days(-365))]
#[case::beyond_2038(TimeDelta::days(365 * 14))]
#[case::summer_time(TimeDelta::hours(1))]
async fn a_clock_that_jumps_for_five_minutes_purges_nothing(world: World, #[case] jump: TimeDelta) {
    world.pass(TimeDelta::hours(3)).await;
    let space = world.import(&Fixture::guide()).await;
    delete(&world, &space).await;
    assert_eq!(world.pass(TimeDelta::days(2)).await, []);
    world.clock.advance(jump);
    for _ in 0..5 {
        world.clock.advance(TimeDelta::minutes(1));
        assert_eq!(world.work().await, []);
    }
    world.clock.advance(-jump);
    assert_eq!(world.pass(TimeDelta::days(4)).await, []);
    assert_eq!(restore(&world, &space).await, 200);
    read_all(&world, &space).await;
}

#[acceptance::test]
async fn a_mark_that_a_wrong_clock_made_is_taken_back(world: World) {
    world.pass(TimeDelta::hours(3)).await;
    let space = world.import(&Fixture::guide()).await;
    delete(&world, &space).await;
    world.pass(TimeDelta::hours(1)).await;
    // The clock is wrong for long enough to be trusted, and to mark content.
    world.clock.advance(TimeDelta::days(8));
    let marked = world.pass(TimeDelta::minutes(61)).await;
    assert!(matches!(&marked[..], [(Task::PurgeSpace { .. }, JobResult::Later(_))]), "{marked:?}");
    world.clock.advance(TimeDelta::days(-8));
    world.pass(TimeDelta::days(6)).await;
    assert_eq!(restore(&world, &space).await, 200);
    read_all(&world, &space).await;
}

#[acceptance::test]
async fn what_a_copy_shares_with_a_purged_original_stays(world: World) {
    let original = with_history(&world).await;
    let copy = world.ada.post(&format!("/spaces/{original}/duplicate"), json!({})).await.id();
    let copy: SpaceId = copy.parse().unwrap();
    let (before, its) = (read_all(&world, &copy).await, held(&world, &copy).await);
    let originals = held(&world, &original).await;
    assert!(its.objects.is_subset(&originals.objects), "a copy stores no content");
    delete(&world, &original).await;
    let done = world.pass(TimeDelta::days(8)).await;
    assert!(
        done.iter().any(|(task, ran)| matches!(task, Task::CollectContent { .. }) && *ran == JobResult::Done),
        "{done:?}"
    );
    assert_eq!(read_all(&world, &copy).await, before);
    assert_eq!(stored(&world, &its).await, (its.objects.clone(), its.files.clone()));
    let rest = Reached { objects: originals.objects.difference(&its.objects).copied().collect(), ..Reached::default() };
    assert!(!rest.objects.is_empty());
    assert_eq!(stored(&world, &rest).await.0, BTreeSet::new(), "content that only the original's history used is gone");
    assert_eq!(condemned(&world).await, 0);
}

/// A deleted space whose content has been marked for long enough to be collected, and the job that collects it.
async fn ready_to_collect(world: &World, space: &SpaceId) -> Task {
    delete(world, space).await;
    for _ in 0..400 {
        if let Some((claim, task)) = world.jobs.claim().await.unwrap() {
            if matches!(task, Task::CollectContent { .. }) {
                world.jobs.release(&claim).await.unwrap();
                return task;
            }
            world.jobs.perform(&claim, &task).await.unwrap();
        }
        world.clock.advance(TimeDelta::minutes(30));
    }
    panic!("nothing was purged");
}

/// Imports the guide into a new space, from any thread.
fn import_again(world: &World) -> impl Future<Output = SpaceId> + Send + use<> {
    let (content, organization) = (world.services.content.clone(), world.organization.clone());
    async move {
        let runtime = tokio::runtime::Handle::current();
        let importing = tokio::task::spawn_blocking(move || {
            let destination = Destination::NewSpace { organization, title: None };
            let import = async { content.import(&Actor::Operator, destination, &Fixture::guide(), &|_| {}).await };
            runtime.block_on(import).unwrap().space.id.clone()
        });
        importing.await.unwrap()
    }
}

/// Content that is stored again between two units of work of a collection stays.
#[acceptance::test]
async fn content_that_is_stored_again_while_it_is_collected_stays(backend: Backend) {
    for units in 0.. {
        let Some(world) = World::boot(backend).await else { return };
        let space = with_history(&world).await;
        ready_to_collect(&world, &space).await;
        let (claim, task) = world.jobs.claim().await.unwrap().unwrap();
        let made = Arc::new(tokio::sync::Mutex::new(None));
        let again = {
            let (made, import) = (made.clone(), import_again(&world));
            async move { *made.lock().await = Some(import.await) }
        };
        let store = Interleaved::after(units, world.services.store.clone(), again);
        let ran = world.jobs_on(store.clone()).perform(&claim, &task).await.unwrap();
        assert!(matches!(ran, JobResult::Done | JobResult::Later(_)), "{units}: {ran:?}");
        if store.is_pending() {
            assert!(units > 5, "only {units} units of work");
            break;
        }
        let again = made.lock().await.clone().unwrap();
        read_all(&world, &again).await;
        let its = held(&world, &again).await;
        assert_eq!(stored(&world, &its).await, (its.objects.clone(), its.files.clone()), "{units}");
        world.pass(TimeDelta::days(2)).await;
        read_all(&world, &again).await;
    }
}

/// The same without synchronization, many times.
#[acceptance::test]
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn content_that_is_stored_at_the_moment_it_is_collected_stays(world: World) {
    let mut space = world.import(&Fixture::guide()).await;
    for round in 0..12 {
        ready_to_collect(&world, &space).await;
        let (claim, task) = world.jobs.claim().await.unwrap().unwrap();
        let jobs = world.jobs.clone();
        let collect = async move { jobs.perform(&claim, &task).await.unwrap() };
        let again = import_again(&world);
        let import = async move {
            for _ in 0..round * 20 {
                tokio::task::yield_now().await;
            }
            again.await
        };
        let (ran, made) = super::races::at_once(collect, import).await;
        assert!(matches!(ran, JobResult::Done | JobResult::Later(_)), "round {round}: {ran:?}");
        space = made;
        read_all(&world, &space).await;
        let its = held(&world, &space).await;
        assert_eq!(stored(&world, &its).await, (its.objects.clone(), its.files.clone()), "round {round}");
    }
}

#[acceptance::test]
async fn an_interrupted_purge_continues(backend: Backend) {
    for units in 0.. {
        let Some(world) = World::boot(backend).await else { return };
        world.pass(TimeDelta::hours(2)).await;
        let space = with_history(&world).await;
        let its = held(&world, &space).await;
        delete(&world, &space).await;
        world.pass(TimeDelta::days(7)).await;
        world.clock.advance(TimeDelta::minutes(55));
        world.work().await;
        world.clock.advance(TimeDelta::minutes(5));
        let (claim, task) = world.jobs.claim().await.unwrap().unwrap();
        // The worker that claimed the job has failed: its next unit of work never comes.
        let store = Interleaved::after(units, world.services.store.clone(), std::future::pending());
        let jobs = world.jobs_on(store.clone());
        let performed = store.ends_before_event(jobs.perform(&claim, &task)).await;
        if performed {
            assert!(units > 8, "only {units} units of work");
            break;
        }
        let restored = restore(&world, &space).await;
        assert_eq!(restored, 404, "it can no longer be restored");
        world.pass(TimeDelta::hours(6)).await;
        assert_eq!(stored(&world, &its).await, (BTreeSet::new(), BTreeSet::new()), "{units}");
        let mut tx = world.services.store.read().await.unwrap();
        assert_eq!(tx.spaces().find(&space, None).await.unwrap(), None, "{units}");
        assert_eq!(tx.jobs().list(false, &Default::default()).await.unwrap().items, [], "{units}");
    }
}

/// Deletes a collection, below the API, as there is no operation for it.
async fn delete_collection(world: &World, id: &str) {
    let id: domain::id::CollectionId = id.parse().unwrap();
    let mut tx = world.services.store.write().await.unwrap();
    tx.lock(&[(&id).into()]).await.unwrap();
    let mut collection = tx.collections().find(&id, None).await.unwrap().unwrap().entity;
    let now = world.services.clock.now();
    collection.deleted_at = Some(now);
    tx.collections().save(&collection).await.unwrap();
    let task = Task::PurgeCollection { collection: id, stage: domain::retention::Stage::Kept };
    let due = now + domain::retention::RETENTION;
    tx.jobs().add(&domain::job::Job::new(world.services.ids.make(), task, due, now)).await.unwrap();
    tx.commit().await.unwrap();
}

#[acceptance::test]
async fn a_restored_space_brings_back_the_collections_around_it(world: World) {
    let make = async |parent: Value| {
        let body = json!({"title": "Closed", "parent": parent});
        world.collection(body).await
    };
    let outer = make(Value::Null).await;
    let inner = make(json!(outer)).await;
    world.ada.patch(&format!("/collections/{outer}"), json!({"defaultLevel": null})).await.ok();
    let space = world.import(&Fixture::guide()).await;
    world.ada.post(&format!("/spaces/{space}/move"), json!({"parent": inner})).await.ok();
    let rita = world.member("rita", Some(domain::access::Role::Read)).await;
    delete(&world, &space).await;
    for collection in [&inner, &outer] {
        delete_collection(&world, collection).await;
        world.ada.get(&format!("/collections/{collection}")).await.error(404);
    }
    world.pass(TimeDelta::days(6)).await;
    let restored = world.ada.post(&format!("/spaces/{space}/restore"), json!({})).await.ok();
    assert_eq!(restored["parent"], inner.as_str());
    rita.get(&format!("/spaces/{space}")).await.error(404);
    world.pass(TimeDelta::days(3)).await;
    for collection in [&inner, &outer] {
        world.ada.get(&format!("/collections/{collection}")).await.ok();
    }
    let actions = world.ada.get(&world.org("/audit-events?action=collection_restored")).await.ok();
    assert_eq!(actions["count"], 2);
}

#[acceptance::test]
async fn a_collection_is_purged_after_everything_in_it(world: World) {
    let collection = world.collection(json!({"title": "Old"})).await;
    let space = world.import(&Fixture::guide()).await;
    world.ada.post(&format!("/spaces/{space}/move"), json!({"parent": collection})).await.ok();
    delete_collection(&world, &collection).await;
    world.pass(TimeDelta::days(1)).await;
    delete(&world, &space).await;
    let there = async || {
        let id: domain::id::CollectionId = collection.parse().unwrap();
        world.services.store.read().await.unwrap().collections().find(&id, None).await.unwrap().is_some()
    };
    world.pass(TimeDelta::days(6) + TimeDelta::hours(12)).await;
    assert!(there().await, "the collection can no longer be restored, but the space in it can");
    world.pass(TimeDelta::days(1)).await;
    assert!(!there().await);
    let purged = world.ada.get(&world.org("/audit-events?action=collection_purged")).await.ok();
    assert_eq!((&purged["count"], &purged["items"][0]["actor"]["type"]), (&json!(1), &json!("server")));
}

#[acceptance::test]
async fn the_log_has_the_actors_of_deletions_restores_and_copies_and_the_purges_of_the_server(world: World) {
    let space = world.import(&Fixture::guide()).await;
    delete(&world, &space).await;
    assert_eq!(restore(&world, &space).await, 200);
    let copy = world.ada.post(&format!("/spaces/{space}/duplicate"), json!({})).await.id();
    delete(&world, &space).await;
    world.pass(TimeDelta::days(8)).await;
    let events = world.ada.get(&world.org("/audit-events?limit=5")).await.ok();
    let told: Vec<(&str, &str)> =
        events.list("items").iter().map(|event| (event.text("action"), event["actor"].text("type"))).collect();
    let expected = [
        ("space_purged", "server"),
        ("space_deleted", "user"),
        ("space_duplicated", "user"),
        ("space_restored", "user"),
        ("space_deleted", "user"),
    ];
    assert_eq!(told, expected);
    assert_eq!(events["items"][2]["payload"]["source"], space.as_str());
    assert_eq!(events["items"][2]["target"]["id"], copy);
}
