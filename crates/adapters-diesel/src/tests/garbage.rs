//! Condemned content: which objects are removed or kept, and which unit of work waits.
use super::*;
use crate::schema::content::objects;
use crate::{DieselStore, StoreOptions};
use bytes::Bytes;
use chrono::{DateTime, TimeDelta, Utc};
use domain::content::object::Hash;
use domain::ports::Store;
use domain::ports::store::garbage::Kind;
use rstest::rstest;
use tokio::time::timeout;

fn object(n: u32) -> (Hash, Bytes) {
    let bytes = Bytes::from(format!("object {n}"));
    (Hash::of(&bytes), bytes)
}

fn at(seconds: i64) -> DateTime<Utc> {
    DateTime::UNIX_EPOCH + TimeDelta::seconds(seconds)
}

/// A store with the objects 0 to 9, of which the first five are condemned.
async fn store(backend: Backend) -> Option<(World, DieselStore)> {
    let world = world(backend).await?;
    let store = DieselStore::new(world.database.clone(), &StoreOptions::default());
    let mut tx = store.write().await.unwrap();
    tx.content().put_objects((0..10).map(object).collect()).await.unwrap();
    let some: Vec<Hash> = (0..5).map(|n| object(n).0).collect();
    tx.garbage().condemn(Kind::Object, &some, at(0)).await.unwrap();
    tx.commit().await.unwrap();
    Some((world, store))
}

async fn is_stored(world: &World, n: u32) -> bool {
    let query = objects::table.filter(objects::hash.eq(object(n).0.as_bytes().to_vec())).select(objects::hash);
    world.database.read().await.unwrap().maybe::<Vec<u8>>(query).await.unwrap().is_some()
}

async fn listed(store: &DieselStore) -> Vec<Hash> {
    let found = store.read().await.unwrap().garbage().condemned(None, at(1000), 1000).await.unwrap();
    found.into_iter().map(|(_, hash)| hash).collect()
}

#[rstest]
#[tokio::test]
async fn only_condemned_objects_are_removed(#[values(Backend::Sqlite, Backend::Postgres)] backend: Backend) {
    let Some((world, store)) = store(backend).await else { return };
    let mut tx = store.write().await.unwrap();
    tx.garbage().unlist(Kind::Object, &[object(1).0]).await.unwrap();
    let all: Vec<Hash> = (0..10).map(|n| object(n).0).collect();
    assert_eq!(tx.garbage().remove_objects(&all, at(1000)).await.unwrap(), 4);
    tx.commit().await.unwrap();
    for n in 0..10 {
        assert_eq!(is_stored(&world, n).await, ![0, 2, 3, 4].contains(&n), "{n}");
    }
    assert_eq!(listed(&store).await, []);
    let gone = store.read().await.unwrap().content().objects(&all[..1]).await.unwrap();
    assert_eq!(gone, [], "memory does not answer for what is gone");
}

#[rstest]
#[tokio::test]
async fn a_rolled_back_removal_keeps_the_object_cached_and_condemned(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let Some((world, store)) = store(backend).await else { return };
    let mut tx = store.write().await.unwrap();
    assert_eq!(tx.garbage().remove_objects(&[object(0).0], at(1000)).await.unwrap(), 1);
    drop(tx);
    assert!(is_stored(&world, 0).await);
    assert_eq!(listed(&store).await.len(), 5);
    assert_eq!(store.read().await.unwrap().content().objects(&[object(0).0]).await.unwrap().len(), 1);
}

#[rstest]
#[tokio::test]
async fn condemned_objects_are_listed_by_age_in_batches(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let Some((_world, store)) = store(backend).await else { return };
    let mut tx = store.write().await.unwrap();
    let (old, file) = (object(1).0, object(77).0);
    tx.garbage().condemn(Kind::Object, &[old, object(8).0], at(50)).await.unwrap();
    tx.garbage().condemn(Kind::File, &[file, old], at(20)).await.unwrap();
    let mut seen = Vec::new();
    let mut after = None;
    loop {
        let some = tx.garbage().condemned(after, at(49), 2).await.unwrap();
        assert!(some.len() <= 2);
        let Some(last) = some.last() else { break };
        after = Some(*last);
        seen.extend(some);
    }
    let mut expected: Vec<(Kind, Hash)> = (0..5).map(|n| (Kind::Object, object(n).0)).collect();
    expected.extend([(Kind::File, file), (Kind::File, old)]);
    expected.sort_by_key(|(kind, hash)| (kind.as_str(), *hash));
    assert_eq!(seen, expected, "what was on the list keeps its time");
}

#[rstest]
#[tokio::test]
async fn storing_an_object_takes_it_off_the_list(#[values(Backend::Sqlite, Backend::Postgres)] backend: Backend) {
    let Some((world, store)) = store(backend).await else { return };
    let mut tx = store.write().await.unwrap();
    tx.content().put_objects(vec![object(0), object(9), object(20)]).await.unwrap();
    tx.commit().await.unwrap();
    let mut tx = store.write().await.unwrap();
    assert_eq!(tx.garbage().remove_objects(&[object(0).0, object(1).0], at(1000)).await.unwrap(), 1);
    tx.commit().await.unwrap();
    assert!(is_stored(&world, 0).await && !is_stored(&world, 1).await);
    assert!(is_stored(&world, 20).await);
}

#[rstest]
#[tokio::test]
async fn an_object_that_was_condemned_again_is_not_removed_with_older_ones(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let Some((world, store)) = store(backend).await else { return };
    let mut tx = store.write().await.unwrap();
    tx.content().put_objects(vec![object(0)]).await.unwrap();
    tx.garbage().condemn(Kind::Object, &[object(0).0], at(900)).await.unwrap();
    assert_eq!(tx.garbage().remove_objects(&[object(0).0, object(1).0], at(899)).await.unwrap(), 1);
    tx.commit().await.unwrap();
    assert!(is_stored(&world, 0).await && !is_stored(&world, 1).await);
    assert!(listed(&store).await.contains(&object(0).0));
}

/// A unit of work that uses an object and one that removes it: one of them waits for the other.
#[rstest]
#[case::the_writer_comes_first(true, true)]
#[case::the_writer_comes_first_and_gives_up(true, false)]
#[case::the_collector_comes_first(false, true)]
#[case::the_collector_comes_first_and_gives_up(false, false)]
#[tokio::test]
async fn an_object_that_a_writer_uses_is_not_removed(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
    #[case] writer_first: bool,
    #[case] first_commits: bool,
) {
    let Some((world, store)) = store(backend).await else { return };
    let one = object(0);
    let write = async |store: &DieselStore| {
        let mut tx = store.write().await.unwrap();
        tx.content().put_objects(vec![object(0)]).await.unwrap();
        tx
    };
    let collect = async |store: &DieselStore| {
        let mut tx = store.write().await.unwrap();
        tx.garbage().remove_objects(&[object(0).0], at(1000)).await.unwrap();
        tx
    };
    let first = if writer_first { write(&store).await } else { collect(&store).await };
    let second = {
        let store = store.clone();
        tokio::spawn(async move {
            let tx = if writer_first { collect(&store).await } else { write(&store).await };
            tx.commit().await.unwrap();
        })
    };
    tokio::task::yield_now().await;
    assert!(!second.is_finished());
    if first_commits {
        first.commit().await.unwrap();
    } else {
        drop(first);
    }
    timeout(HANG, second).await.expect("it goes on").unwrap();
    // Removed only if no writer has stored it.
    assert_eq!(is_stored(&world, 0).await, !writer_first || first_commits);
    let cached = store.read().await.unwrap().content().objects(&[one.0]).await.unwrap();
    assert_eq!(!cached.is_empty(), !writer_first || first_commits, "memory says the same");
}
