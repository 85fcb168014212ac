//! The queue of jobs, shared by several servers.
use super::*;
use crate::schema::jobs::jobs;
use crate::{DieselStore, StoreOptions};
use chrono::{DateTime, TimeDelta, Utc};
use domain::heartbeat::Heartbeat;
use domain::job::{Job, LEASE, MAX_ATTEMPTS, Task};
use domain::paging::PageRequest;
use domain::ports::Store;
use domain::ports::store::Lockable;
use domain::retention::Stage;
use domain::webhook::Full;
use futures_util::FutureExt;
use rstest::rstest;
use std::collections::BTreeSet;
use tokio::time::timeout;

fn at(seconds: i64) -> DateTime<Utc> {
    DateTime::UNIX_EPOCH + TimeDelta::seconds(seconds)
}

fn job(name: &str, due: i64) -> Job {
    let task = Task::index_space(name.parse().unwrap(), None);
    Job::new(format!("job-{name}").parse().unwrap(), task, at(due), at(0))
}

async fn store(backend: Backend, jobs: &[Job]) -> Option<(World, DieselStore)> {
    let world = world(backend).await?;
    let store = DieselStore::new(world.database.clone(), &StoreOptions::default());
    let mut tx = store.write().await.unwrap();
    tx.lock(&jobs.iter().map(|job| Lockable::from(&job.task)).collect::<Vec<_>>()).await.unwrap();
    for job in jobs {
        tx.jobs().add(job).await.unwrap();
    }
    tx.commit().await.unwrap();
    Some((world, store))
}

async fn next(store: &DieselStore, kinds: &[&'static str], now: i64) -> Option<String> {
    let found = store.read().await.unwrap().jobs().next(kinds, &Full::default(), at(now)).await.unwrap();
    found.map(|job| job.task.subject())
}

const ALL: &[&str] = &["index-space", "purge-space"];

#[rstest]
#[tokio::test]
async fn the_job_with_the_earliest_due_time_comes_first(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let purge = Task::PurgeSpace { space: "p".parse().unwrap(), stage: Stage::Kept };
    let purge = Job::new("job-p".parse().unwrap(), purge, at(5), at(0));
    let Some((_world, store)) = store(backend, &[job("b", 20), job("a", 10), purge]).await else { return };
    assert_eq!(next(&store, ALL, 4).await, None);
    assert_eq!(next(&store, ALL, 5).await.as_deref(), Some("p"));
    assert_eq!(next(&store, &["index-space"], 9).await, None);
    assert_eq!(next(&store, &["index-space"], 20).await.as_deref(), Some("a"));
}

/// The query has the same condition as [`Job::is_due`].
#[rstest]
#[tokio::test]
async fn leased_and_failed_jobs_are_skipped(#[values(Backend::Sqlite, Backend::Postgres)] backend: Backend) {
    let Some((_world, store)) = store(backend, &[job("a", 10)]).await else { return };
    let change = async |change: &dyn Fn(&mut Job)| {
        let mut tx = store.write().await.unwrap();
        tx.lock(&[(&job("a", 10).task).into()]).await.unwrap();
        let mut found = tx.jobs().find(&job("a", 10).id).await.unwrap().unwrap();
        change(&mut found);
        tx.jobs().save(&found).await.unwrap();
        tx.commit().await.unwrap();
        found
    };
    let moments = [0, 10, 11, 309, 310, 10_000].map(at);
    let agree = async |job: Job| {
        for now in moments {
            let found = store.read().await.unwrap().jobs().next(ALL, &Full::default(), now).await.unwrap();
            assert_eq!(found.is_some(), job.is_due(now), "{now}: {job:?}");
        }
    };
    let claimed = change(&|job: &mut Job| drop(job.claim(at(10)))).await;
    assert_eq!(claimed.leased_until, Some(at(10) + LEASE));
    agree(claimed).await;
    agree(change(&|job: &mut Job| drop(job.claim(at(1_000_000)))).await).await;
    agree(change(&|job: &mut Job| job.fail("no", at(20))).await).await;
    agree(change(&|job: &mut Job| job.attempts = MAX_ATTEMPTS).await).await;
    agree(change(&|job: &mut Job| job.retry(at(20))).await).await;
}

#[rstest]
#[tokio::test]
async fn the_same_task_is_queued_once_and_restarts(#[values(Backend::Sqlite, Backend::Postgres)] backend: Backend) {
    let Some((_world, store)) = store(backend, &[job("a", 10)]).await else { return };
    let mut tx = store.write().await.unwrap();
    let mut first = tx.jobs().next(ALL, &Full::default(), at(10)).await.unwrap().unwrap();
    let claim = first.claim(at(10));
    first.fail("no", at(10));
    let again = first.claim(at(11));
    tx.jobs().save(&first).await.unwrap();
    assert!(first.belongs_to(&again) && !first.belongs_to(&claim));
    tx.jobs().add(&Job { id: "another".parse().unwrap(), ..job("a", 30) }).await.unwrap();
    tx.commit().await.unwrap();
    let mut tx = store.write().await.unwrap();
    tx.lock(&[(&first.task).into()]).await.unwrap();
    let found = tx.jobs().find_task(&first.task).await.unwrap().unwrap();
    assert_eq!((found.id.as_str(), found.due_at, found.attempts, found.failure.clone()), ("job-a", at(30), 0, None));
    assert!(!found.belongs_to(&again), "whoever held it holds it no more");
    tx.jobs().remove(&found.id).await.unwrap();
    assert_eq!(tx.jobs().find(&found.id).await.unwrap(), None);
    assert!(tx.jobs().save(&found).await.is_err(), "what is gone is not written");
}

#[rstest]
#[tokio::test]
async fn of_jobs_that_are_added_if_missing_only_those_that_were_given_up_start_again(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let Some((_world, store)) = store(backend, &["a", "b", "c"].map(|name| job(name, 10))).await else { return };
    let mut tx = store.write().await.unwrap();
    for (name, leased_until) in [("b", None), ("c", Some(at(50)))] {
        let given_up = Job { attempts: MAX_ATTEMPTS, leased_until, ..job(name, 10) };
        tx.lock(&[(&given_up.task).into()]).await.unwrap();
        tx.jobs().save(&given_up).await.unwrap();
    }
    tx.commit().await.unwrap();
    let mut tx = store.write().await.unwrap();
    let again = |name: &str| Job { id: format!("again-{name}").parse().unwrap(), ..job(name, 30) };
    tx.jobs().add_missing(&["a", "b", "c", "d"].map(again)).await.unwrap();
    let listed = tx.jobs().list(false, &PageRequest::default()).await.unwrap().items;
    let ids: Vec<&str> = listed.iter().map(|job| job.id.as_str()).collect();
    assert_eq!(ids, ["again-b", "again-d", "job-a", "job-c"], "c is still running");
}

#[rstest]
#[tokio::test]
async fn jobs_are_listed_in_batches(#[values(Backend::Sqlite, Backend::Postgres)] backend: Backend) {
    let all: Vec<Job> = (0..5).map(|n| job(&n.to_string(), n)).collect();
    let Some((_world, store)) = store(backend, &all).await else { return };
    let mut tx = store.write().await.unwrap();
    let mut failed = all[3].clone();
    tx.lock(&[(&failed.task).into()]).await.unwrap();
    failed.fail("no", at(3));
    tx.jobs().save(&failed).await.unwrap();
    let mut seen = Vec::new();
    let mut part = PageRequest { limit: 2, ..PageRequest::default() };
    loop {
        let page = tx.jobs().list(false, &part).await.unwrap();
        seen.extend(page.items);
        match page.next {
            Some(next) => part.after = Some(next),
            None => break,
        }
    }
    let expected: Vec<Job> =
        all.iter().map(|job| if job.id == failed.id { failed.clone() } else { job.clone() }).collect();
    assert_eq!(seen, expected);
    assert_eq!(tx.jobs().list(true, &PageRequest::default()).await.unwrap().items, [failed]);
}

#[rstest]
#[tokio::test]
async fn the_heartbeat_has_one_row(#[values(Backend::Sqlite, Backend::Postgres)] backend: Backend) {
    let Some((_world, store)) = store(backend, &[]).await else { return };
    let mut tx = store.write().await.unwrap();
    assert_eq!(tx.jobs().heartbeat().await.unwrap(), None);
    for beat in [Heartbeat::first(at(1)), Heartbeat::first(at(1)).record(at(60))] {
        tx.jobs().save_heartbeat(&beat).await.unwrap();
        assert_eq!(tx.jobs().heartbeat().await.unwrap(), Some(beat));
    }
}

#[rstest]
#[tokio::test]
async fn a_waiting_worker_wakes_when_a_job_is_committed(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let Some((_world, store)) = store(backend, &[job("a", 10)]).await else { return };
    timeout(HANG, store.work()).await.expect("there was a commit before");
    let mut waiting = store.work();
    assert!((&mut waiting).now_or_never().is_none());
    let mut tx = store.write().await.unwrap();
    tx.jobs().add(&job("b", 10)).await.unwrap();
    assert!((&mut waiting).now_or_never().is_none(), "it may still be undone");
    tx.commit().await.unwrap();
    timeout(HANG, waiting).await.expect("it is there");
}

/// Eight servers with their own connections, and thirty jobs.
#[rstest]
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn every_job_is_claimed_by_one_server(#[values(Backend::Sqlite, Backend::Postgres)] backend: Backend) {
    let all: Vec<Job> = (0..30).map(|n| job(&n.to_string(), n)).collect();
    let Some((world, _store)) = store(backend, &all).await else { return };
    let servers: Vec<_> = (0..8)
        .map(|_| {
            let store = DieselStore::new(world.database.clone(), &StoreOptions::default());
            tokio::spawn(async move {
                let mut mine = Vec::new();
                while store.read().await.unwrap().jobs().next(ALL, &Full::default(), at(100)).await.unwrap().is_some() {
                    let mut tx = store.write().await.unwrap();
                    let Some(mut job) = tx.jobs().next(ALL, &Full::default(), at(100)).await.unwrap() else { continue };
                    job.claim(at(100));
                    tokio::task::yield_now().await;
                    tx.jobs().save(&job).await.unwrap();
                    tx.commit().await.unwrap();
                    mine.push(job.id.to_string());
                }
                mine
            })
        })
        .collect();
    let mut claimed = Vec::new();
    for server in servers {
        claimed.extend(timeout(HANG, server).await.expect("nobody waits for another").unwrap());
    }
    assert_eq!(claimed.len(), 30);
    assert_eq!(claimed.iter().collect::<BTreeSet<_>>().len(), 30);
    let claims: Vec<i32> = world.database.read().await.unwrap().all(jobs::table.select(jobs::claims)).await.unwrap();
    assert_eq!(claims, [1; 30]);
}
