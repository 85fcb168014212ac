//! The order of locks, on both databases.
use super::*;
use crate::{DieselStore, StoreOptions};
use chrono::DateTime;
use domain::job::{Job, Task};
use domain::ports::store::{Lockable, Tx};
use domain::ports::{Store, StoreError, StoreResult};
use rstest::rstest;

async fn store(backend: Backend) -> Option<(World, DieselStore)> {
    let world = world(backend).await?;
    let store = DieselStore::new(world.database.clone(), &StoreOptions::default());
    Some((world, store))
}

fn refused(result: StoreResult<()>, words: &str) -> bool {
    use std::error::Error;
    matches!(&result, Err(error @ StoreError::Internal(_)) if error.source().unwrap().to_string().contains(words))
}

fn space(id: &str) -> Lockable {
    Lockable::Space(id.parse().unwrap())
}

fn organization() -> Lockable {
    Lockable::Organization("o".parse().unwrap())
}

#[rstest]
#[tokio::test]
async fn a_lock_out_of_order_is_refused(#[values(Backend::Sqlite, Backend::Postgres)] backend: Backend) {
    let Some((_world, store)) = store(backend).await else { return };
    let mut tx = store.write().await.unwrap();
    tx.lock(&[space("b"), organization()]).await.unwrap();
    tx.lock(&[space("b")]).await.unwrap();
    tx.lock(&[space("c")]).await.unwrap();
    assert!(refused(tx.lock(&[space("a")]).await, "is locked after"));
    drop(tx);
    let mut tx = store.write().await.unwrap();
    tx.lock(&[space("b")]).await.unwrap();
    assert!(refused(tx.lock_shared(&[organization()]).await, "is locked after"));
    drop(tx);
    let mut tx = store.write().await.unwrap();
    tx.lock_shared(&[organization()]).await.unwrap();
    assert!(refused(tx.lock(&[organization()]).await, "is already locked to keep it"));
    drop(tx);
    let mut tx = store.read().await.unwrap();
    assert!(refused(tx.lock(&[organization()]).await, "must not take locks"));
}

#[rstest]
#[tokio::test]
async fn a_row_that_is_neither_locked_nor_new_is_not_written(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let Some((_world, store)) = store(backend).await else { return };
    let task = Task::index_space("s".parse().unwrap(), None);
    let job = Job::new("j".parse().unwrap(), task, DateTime::UNIX_EPOCH, DateTime::UNIX_EPOCH);
    let mut tx: Box<dyn Tx> = store.write().await.unwrap();
    tx.jobs().add(&job).await.unwrap();
    tx.jobs().save(&job).await.unwrap();
    tx.commit().await.unwrap();
    let mut tx = store.write().await.unwrap();
    let found = tx.jobs().find(&job.id).await.unwrap().unwrap();
    assert!(refused(tx.jobs().save(&found).await, "is not locked"));
    drop(tx);
    let mut tx = store.write().await.unwrap();
    tx.lock(&[(&found.task).into()]).await.unwrap();
    tx.jobs().save(&found).await.unwrap();
}
