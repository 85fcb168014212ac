use super::*;
use crate::database::Purpose;
use crate::schema::content::objects;
use crate::{DieselStore, StoreOptions};
use bytes::Bytes;
use domain::content::object::Hash;
use domain::id::RevisionId;
use domain::ports::{Store, StoreError};
use rstest::rstest;

fn object(n: usize) -> (Hash, Bytes) {
    let bytes = Bytes::from(format!("object {n} ").repeat(1 + n % 40));
    (Hash::of(&bytes), bytes)
}

/// A second store with its own cache.
fn store(world: &World) -> DieselStore {
    DieselStore::new(world.database.clone(), &StoreOptions::default())
}

async fn put(store: &DieselStore, objects: Vec<(Hash, Bytes)>) {
    let mut tx = store.begin(Purpose::Write).await.unwrap();
    tx.objects.put(&mut tx.conn, objects).await.unwrap();
    tx.finish().await.unwrap();
}

async fn load(store: &DieselStore, hashes: &[Hash]) -> Vec<(Hash, Bytes)> {
    let mut tx = store.begin(Purpose::Read).await.unwrap();
    let mut found = tx.objects.load(&mut tx.conn, hashes).await.unwrap();
    found.sort();
    found
}

#[rstest]
#[case::one(1)]
#[case::a_few(20)]
#[case::many(1234)]
#[tokio::test]
async fn objects_are_loaded_from_the_database_and_the_cache(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
    #[case] count: usize,
) {
    let Some(world) = world(backend).await else { return };
    let (writer, other) = (store(&world), store(&world));
    let mut all: Vec<_> = (0..count).map(object).collect();
    // Twice in one call, and once more later.
    put(&writer, [all.clone(), all.clone()].concat()).await;
    put(&writer, all.clone()).await;
    all.sort();
    let mut names: Vec<_> = all.iter().map(|(hash, _)| *hash).collect();
    names.push(Hash::of(b"never stored"));
    for store in [&writer, &other, &other] {
        assert_eq!(load(store, &names).await, all);
    }
    let stored: i64 = world.database.read().await.unwrap().one(objects::table.count()).await.unwrap();
    assert_eq!(usize::try_from(stored), Ok(count));
}

#[rstest]
#[tokio::test]
async fn uncommitted_objects_are_not_cached(#[values(Backend::Sqlite, Backend::Postgres)] backend: Backend) {
    let Some(world) = world(backend).await else { return };
    let store = store(&world);
    let (hash, bytes) = object(7);
    let mut tx = store.begin(Purpose::Write).await.unwrap();
    tx.objects.put(&mut tx.conn, vec![(hash, bytes)]).await.unwrap();
    drop(tx);
    assert_eq!(load(&store, &[hash]).await, []);
}

#[rstest]
#[case::garbage(b"\x01garbage".to_vec())]
#[case::other_bytes(b"\x00something else".to_vec())]
#[tokio::test]
async fn a_damaged_object_is_an_error(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
    #[case] data: Vec<u8>,
) {
    let Some(world) = world(backend).await else { return };
    put(&store(&world), vec![object(1), object(2)]).await;
    let mut conn = world.database.write().await.unwrap();
    let row = objects::table.filter(objects::hash.eq(object(1).0.as_bytes().to_vec()));
    conn.run(diesel::update(row).set(objects::data.eq(data))).await.unwrap();
    conn.commit().await.unwrap();
    let store = store(&world);
    let mut tx = store.begin(Purpose::Read).await.unwrap();
    let error = tx.objects.load(&mut tx.conn, &[object(1).0]).await.unwrap_err();
    let StoreError::Internal(source) = &error else { panic!("{error:?}") };
    assert!(source.to_string().contains(&object(1).0.to_string()), "{source}");
    assert_eq!(load(&store, &[object(2).0]).await, [object(2)]);
}

#[rstest]
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn the_same_objects_can_be_stored_concurrently(#[values(Backend::Sqlite, Backend::Postgres)] backend: Backend) {
    let Some(world) = world(backend).await else { return };
    let writers: Vec<_> = (0..8)
        .map(|n: usize| {
            let store = store(&world);
            tokio::spawn(async move {
                let mut mine: Vec<_> = (0..100).map(object).collect();
                mine.rotate_left(n * 12);
                put(&store, mine).await;
            })
        })
        .collect();
    for writer in writers {
        tokio::time::timeout(HANG, writer).await.expect("no deadlock").unwrap();
    }
    let stored: i64 = world.database.read().await.unwrap().one(objects::table.count()).await.unwrap();
    assert_eq!(stored, 100);
}

#[rstest]
#[tokio::test]
async fn revisions_are_looked_for_by_more_ids_than_a_statement_can_bind(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let Some(world) = world(backend).await else { return };
    let ids: Vec<RevisionId> = (0..66_000).map(|number| format!("missing{number}").parse().unwrap()).collect();
    let store = store(&world);
    let mut tx = store.read().await.unwrap();
    assert_eq!(tx.content().revisions(&ids).await.unwrap(), []);
}
