//! Runs on servers that are killed.
use super::{Target, translate};
use acceptance::{Fixture, World};
use chrono::TimeDelta;
use domain::job::{Claim, LEASE, Task};
use serde_json::json;
use std::collections::BTreeSet;
use std::future::poll_fn;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Poll;
use std::time::Duration;
use tokio::time::sleep;

const PAGES: usize = 12;
/// The number of texts in a request to the engine.
const BATCH: usize = 2;
/// Where a server is killed: after so many requests to the engine, when it has waited so often for its database since.
const REQUESTING: [(usize, usize); 6] = [(1, 0), (2, 1), (1, 2), (2, 3), (1, 5), (2, 0)];
/// The same for a run that requests nothing.
const WRITING: [usize; 9] = [1, 3, 6, 10, 15, 21, 28, 36, 45];

/// Takes the next job. On PostgreSQL, the transaction of a run that was killed can hold its job for a moment.
async fn claim(world: &World) -> Option<(Claim, Task)> {
    for _ in 0..50 {
        let claimed = world.jobs.claim().await.unwrap();
        if claimed.is_some() {
            return claimed;
        }
        sleep(Duration::from_millis(5)).await;
    }
    None
}

/// Runs what is due, until a run is killed. Returns whether one was.
async fn is_killed(world: &World, requests: &AtomicUsize, (more, waits): (usize, usize)) -> bool {
    while let Some((claim, task)) = claim(world).await {
        if !matches!(task, Task::Translate { .. }) {
            world.jobs.perform(&claim, &task).await.unwrap();
            continue;
        }
        let (enough, mut left) = (requests.load(Ordering::SeqCst) + more, waits);
        let mut run = Box::pin(world.jobs.perform(&claim, &task));
        let ended = poll_fn(|context| match run.as_mut().poll(context) {
            Poll::Ready(ran) => Poll::Ready(Some(ran)),
            Poll::Pending if requests.load(Ordering::SeqCst) < enough => Poll::Pending,
            Poll::Pending if left > 0 => {
                left -= 1;
                Poll::Pending
            }
            Poll::Pending => Poll::Ready(None),
        });
        return ended.await.map(Result::unwrap).is_none();
    }
    false
}

/// The number of revisions of a target.
async fn revisions(world: &World, target: &Target) -> u64 {
    let all = world.ada.get(&format!("{}/revisions", target.path)).await.ok();
    all["count"].as_u64().unwrap()
}

#[acceptance::test]
async fn a_run_that_is_killed_loses_one_request_at_most(world: World) {
    let space = world.import(&Fixture::pages(PAGES, "engine")).await;
    world.work().await;
    world.translator.change(|can| can.max_units = BATCH);
    let requests = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&requests);
    world.translator.rule(move |_| {
        counted.fetch_add(1, Ordering::SeqCst);
        None
    });
    let path = translate(&world, &space, "de").await;
    for place in REQUESTING {
        assert!(is_killed(&world, &requests, place).await, "{place:?}");
        // Another server continues when the lease has ended.
        world.clock.advance(LEASE + TimeDelta::seconds(1));
    }
    let target = Target::of(&world, &path).await;
    let shown = world.ada.get(&path).await.ok();
    assert_eq!((&shown["status"], &shown["untranslated"]), (&json!("completed"), &json!(0)), "{shown}");
    let texts = world.translator.texts();
    let all: BTreeSet<&String> = texts.iter().collect();
    assert!(all.len() > 3 * PAGES, "{all:?}");
    assert!(texts.len() - all.len() <= REQUESTING.len() * BATCH, "{texts:?}");
    assert_eq!(revisions(&world, &target).await, 2, "the empty one and that of the run");
}

#[acceptance::test]
async fn a_run_that_is_killed_while_it_writes_is_written_once(world: World) {
    let space = world.import(&Fixture::pages(3, "engine")).await;
    translate(&world, &space, "de").await;
    world.work().await;
    world.translator.asked();
    let spaces = async || world.ada.get(&world.org("/spaces")).await.ok()["count"].as_u64().unwrap();
    let before = spaces().await;
    // All texts are in the memory.
    let path = translate(&world, &space, "de").await;
    let (requests, mut kills) = (AtomicUsize::new(0), 0);
    for waits in WRITING {
        kills += usize::from(is_killed(&world, &requests, (0, waits)).await);
        world.clock.advance(LEASE + TimeDelta::seconds(1));
    }
    assert!(kills > 1, "{kills}");
    // How often a run waits differs from time to time: another server ends one that was killed each time.
    assert!(!is_killed(&world, &requests, (0, usize::MAX)).await);
    let target = Target::of(&world, &path).await;
    let shown = world.ada.get(&path).await.ok();
    assert_eq!((&shown["status"], &shown["untranslated"]), (&json!("completed"), &json!(0)), "{shown}");
    assert_eq!(world.translator.texts(), Vec::<String>::new());
    assert_eq!(revisions(&world, &target).await, 2, "the empty one and that of the run");
    assert_eq!(spaces().await, before + 1, "it has one target");
}
