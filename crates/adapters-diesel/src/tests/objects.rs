use super::*;
use crate::database::Purpose;
use crate::postgres::{Server, Watch};
use crate::schema::content::objects;
use crate::{DieselStore, StoreOptions};
use bytes::Bytes;
use domain::content::object::Hash;
use domain::id::RevisionId;
use domain::ports::{Store, StoreError};
use futures_util::FutureExt;
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
    load_for(Purpose::Read, store, hashes).await
}

async fn load_for(purpose: Purpose, store: &DieselStore, hashes: &[Hash]) -> Vec<(Hash, Bytes)> {
    let mut tx = store.begin(purpose).await.unwrap();
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

/// With a stamp, a thread has a connection of its own to PostgreSQL, which loads few objects.
#[rstest]
#[case::one(1)]
#[case::a_few(20)]
#[case::many(40)]
#[tokio::test]
async fn objects_are_loaded_without_a_snapshot(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
    #[values(false, true)] stamped: bool,
    #[case] count: usize,
) {
    let Some(world) = world(backend).await else { return };
    let mut all: Vec<_> = (0..count).map(object).collect();
    put(&store(&world), all.clone()).await;
    all.sort();
    if stamped {
        stamp(async || world.database.stamp().await).await;
    }
    let mut names: Vec<_> = all.iter().map(|(hash, _)| *hash).collect();
    let before = world.database.statements();
    assert_eq!(load_for(Purpose::Query, &store(&world), &names).await, all);
    assert_eq!(world.database.statements() - before, 1);
    names.push(Hash::of(b"never stored"));
    assert_eq!(load_for(Purpose::Query, &store(&world), &names).await, all);
}

/// Waits for a stamp: a busy server may not return one in time.
async fn stamp(next: impl AsyncFn() -> Option<u64>) {
    let given = async { while next().await.is_none() {} };
    tokio::time::timeout(HANG, given).await.expect("a stamp");
}

#[tokio::test]
async fn a_thread_loads_objects_on_the_connection_that_it_has() {
    let Some(world) = world(Backend::Postgres).await else { return };
    put(&store(&world), vec![object(1), object(2)]).await;
    let names = [object(1).0, object(2).0, Hash::of(b"never stored")];
    let watch = Watch::new(Server::parse(world.place.url()).unwrap());
    assert_eq!(watch.objects(&names).await, None, "none is opened for objects");
    stamp(async || watch.stamp().await).await;
    let mut found: Vec<_> = watch.objects(&names).await.unwrap().into_iter().map(|(name, _)| name).collect();
    found.sort();
    let mut stored = [object(1).0, object(2).0].map(|hash| hash.as_bytes().to_vec());
    stored.sort();
    assert_eq!(found, stored);
}

/// Other requests of the thread use the same connection.
#[tokio::test]
async fn the_connection_of_the_thread_works_after_a_read_that_was_given_up() {
    let Some(world) = world(Backend::Postgres).await else { return };
    let all: Vec<_> = (0..20).map(object).collect();
    put(&store(&world), all.clone()).await;
    let names: Vec<_> = all.iter().map(|(hash, _)| *hash).collect();
    let watch = Watch::new(Server::parse(world.place.url()).unwrap());
    stamp(async || watch.stamp().await).await;
    assert_eq!(watch.objects(&names).now_or_never(), None, "the query is sent, and its result not received");
    let found = watch.objects(&names[..2]).await.unwrap();
    assert_eq!(found.len(), 2, "the rows of this query, not of that one");
}

/// Other requests of the thread would wait until it is received.
#[tokio::test]
async fn a_large_object_is_loaded_on_a_connection_of_the_pool() {
    let Some(world) = world(Backend::Postgres).await else { return };
    let mut noise = Vec::new();
    while noise.len() < 70_000 {
        noise.extend_from_slice(Hash::of(&noise).as_bytes());
    }
    let large = (Hash::of(&noise), Bytes::from(noise));
    put(&store(&world), vec![object(1), large.clone()]).await;
    let mut all = [object(1), large];
    all.sort();
    let names = [all[0].0, all[1].0];
    let watch = Watch::new(Server::parse(world.place.url()).unwrap());
    stamp(async || watch.stamp().await).await;
    let found = watch.objects(&names).await.unwrap();
    assert_eq!(found.iter().map(|(name, _)| name.as_slice()).collect::<Vec<_>>(), [object(1).0.as_bytes().as_slice()]);
    stamp(async || world.database.stamp().await).await;
    assert_eq!(load_for(Purpose::Query, &store(&world), &names).await, all);
}

#[tokio::test]
async fn objects_on_the_connection_of_the_thread_need_none_of_the_pool() {
    let options = DatabaseOptions { max_connections: 1, wait: SHORT, ..DatabaseOptions::default() };
    let Some(world) = world_with(Backend::Postgres, options).await else { return };
    put(&store(&world), vec![object(1)]).await;
    stamp(async || world.database.stamp().await).await;
    let busy = world.database.write().await.unwrap();
    assert_eq!(load_for(Purpose::Query, &store(&world), &[object(1).0]).await, [object(1)]);
    let store = store(&world);
    let mut tx = store.begin(Purpose::Query).await.unwrap();
    let missing = tx.objects.load(&mut tx.conn, &[object(2).0]).await;
    assert!(matches!(missing, Err(StoreError::Unavailable(_))), "{missing:?}");
    drop(busy);
    assert_eq!(tx.objects.load(&mut tx.conn, &[object(2).0]).await.unwrap(), [], "the connection is leased now");
}

#[tokio::test]
async fn objects_are_loaded_on_another_connection_if_that_of_the_thread_is_lost() {
    let Some(world) = world(Backend::Postgres).await else { return };
    put(&store(&world), vec![object(1), object(2)]).await;
    stamp(async || world.database.stamp().await).await;
    assert_eq!(load_for(Purpose::Query, &store(&world), &[object(1).0]).await, [object(1)]);
    let mut conn = world.database.write().await.unwrap();
    let cut = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() \
               AND pid <> pg_backend_pid()";
    conn.run(diesel::sql_query(cut)).await.unwrap();
    drop(conn);
    assert_eq!(load_for(Purpose::Query, &store(&world), &[object(2).0]).await, [object(2)]);
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
    stamp(async || world.database.stamp().await).await;
    for purpose in [Purpose::Read, Purpose::Query] {
        let mut tx = store.begin(purpose).await.unwrap();
        let error = tx.objects.load(&mut tx.conn, &[object(1).0]).await.unwrap_err();
        let StoreError::Internal(source) = &error else { panic!("{error:?}") };
        assert!(source.to_string().contains(&object(1).0.to_string()), "{source}");
    }
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
