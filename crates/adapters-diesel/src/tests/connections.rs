//! Connections to PostgreSQL that are lost, or that are not in the expected state.
use super::*;
use crate::database::Purpose;
use crate::sql::prepared;
use domain::ports::{StoreError, StoreResult};
use rstest::rstest;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream, UnixStream};
use tokio::time::timeout;
use tokio_postgres::config::Host;

#[derive(Debug, diesel::QueryableByName)]
struct Number {
    #[diesel(sql_type = diesel::sql_types::BigInt)]
    value: i64,
}

/// Pools one connection, in an aborted transaction: as a unit of work leaves it whose `ROLLBACK` is cancelled.
async fn abort_a_transaction(database: &Database) {
    let mut conn = database.begin(Purpose::Query).await.unwrap();
    assert!(conn.all::<Number>(diesel::sql_query("BEGIN")).await.unwrap().is_empty());
    let divided = conn.all::<Number>(diesel::sql_query("SELECT 1::bigint / 0 AS value")).await;
    divided.map(|rows| rows[0].value).unwrap_err();
}

#[tokio::test]
async fn a_connection_in_an_aborted_transaction_is_replaced() {
    let options = DatabaseOptions { max_connections: 1, wait: HANG, ..DatabaseOptions::default() };
    let Some(World { database, place: _place }) = world_with(Backend::Postgres, options).await else { return };
    for purpose in [Purpose::Query, Purpose::Read, Purpose::Write] {
        abort_a_transaction(&database).await;
        let mut conn = database.begin(purpose).await.unwrap();
        assert_eq!(value(&mut conn, Lock::None).await, 0, "{purpose:?}");
        assert_eq!(value(&mut conn, Lock::None).await, 0, "{purpose:?}");
    }
    abort_a_transaction(&database).await;
    let mut conn = database.write().await.unwrap();
    add(&mut conn, 1).await;
    add(&mut conn, 1).await;
    conn.commit().await.unwrap();
    assert_eq!(committed(&database).await, 2);
}

/// Statements that are cancelled at any moment, also those that start and end units of work.
#[rstest]
#[case::and_waited_for(false)]
#[case::and_sent(true)]
#[tokio::test]
async fn units_of_work_whose_statements_are_cancelled_are_applied_completely_or_not_at_all(#[case] sends: bool) {
    let options = DatabaseOptions { max_connections: 1, wait: HANG, ..DatabaseOptions::default() };
    let Some(World { database, place }) = world_with(Backend::Postgres, options).await else { return };
    let cancelling = "DO $$ BEGIN FOR i IN 1 .. 100000 LOOP PERFORM pg_stat_clear_snapshot(); \
         PERFORM pg_cancel_backend(pid) FROM pg_stat_activity WHERE datname = current_database() \
         AND application_name = 'octavo'; PERFORM pg_sleep(0.0005); END LOOP; END $$";
    let changing = async {
        let (mut least, mut most) = (0, 0);
        for _ in 0..150 {
            let change = async {
                let mut conn = database.write().await?;
                for _ in 0..2 {
                    let row = counters::table.filter(counters::id.eq("a"));
                    let more = diesel::update(row).set(counters::value.eq(counters::value + 1));
                    if sends {
                        conn.send(prepared(more)).await?;
                    } else {
                        conn.run(more).await?;
                    }
                }
                conn.commit().await
            };
            match change.await {
                Ok(()) => (least, most) = (least + 2, most + 2),
                Err(StoreError::Unknown(_)) => most += 2,
                Err(StoreError::Unavailable(_)) => {}
                Err(other) => panic!("{other:?}"),
            }
        }
        (least, most)
    };
    let (least, most) = tokio::select! {
        changed = changing => changed,
        () = place.run(cancelling) => panic!("the statements are cancelled until the end"),
    };
    let end = "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = current_database() \
         AND pid <> pg_backend_pid()";
    place.run(end).await;
    let value = committed(&database).await;
    assert!((least..=most).contains(&value) && value % 2 == 0, "{value} of {least} to {most}");
}

/// What becomes of the connections that are lost.
#[derive(Clone, Copy)]
enum Loss {
    /// They end when they are used.
    Reset,
    /// They never answer.
    Silent,
}

/// A proxy that can lose all connections, without telling the clients: like a firewall that forgets idle connections.
struct Proxy {
    /// The URL of the database behind the proxy.
    url: String,
    losses: Arc<AtomicU32>,
}

trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}
impl<S: AsyncRead + AsyncWrite + Send + Unpin> Stream for S {}

impl Proxy {
    async fn start(database: &str, loss: Loss) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (user, rest) = database.rsplit_once('@').expect("the URL has a user");
        let (_, name) = rest.split_once('/').expect("the URL has the name of the database");
        let url = format!("{user}@{}/{name}", listener.local_addr().unwrap());
        let losses = Arc::<AtomicU32>::default();
        let config: tokio_postgres::Config = database.parse().unwrap();
        let known = Arc::clone(&losses);
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                tokio::spawn(pass(client, connect(&config).await, Arc::clone(&known), loss));
            }
        });
        Self { url, losses }
    }

    /// Loses all connections.
    fn lose(&self) {
        self.losses.fetch_add(1, Ordering::SeqCst);
    }
}

async fn connect(config: &tokio_postgres::Config) -> Box<dyn Stream> {
    let port = config.get_ports().first().copied().unwrap_or(5432);
    match config.get_hosts() {
        [Host::Tcp(host)] => Box::new(TcpStream::connect((host.as_str(), port)).await.unwrap()),
        [Host::Unix(folder)] => Box::new(UnixStream::connect(folder.join(format!(".s.PGSQL.{port}"))).await.unwrap()),
        other => panic!("one host, not {other:?}"),
    }
}

async fn pass(mut client: TcpStream, mut server: Box<dyn Stream>, losses: Arc<AtomicU32>, loss: Loss) {
    let opened = losses.load(Ordering::SeqCst);
    let (mut from_client, mut from_server) = (vec![0; 8192], vec![0; 8192]);
    loop {
        let passed = tokio::select! {
            read = client.read(&mut from_client) => match (read, loss) {
                (Ok(0) | Err(_), _) => return,
                (Ok(_), Loss::Reset) if losses.load(Ordering::SeqCst) != opened => return,
                (Ok(_), Loss::Silent) if losses.load(Ordering::SeqCst) != opened => return std::future::pending().await,
                (Ok(read), _) => server.write_all(&from_client[..read]).await,
            },
            read = server.read(&mut from_server) => match read {
                Ok(0) | Err(_) => return,
                Ok(read) => client.write_all(&from_server[..read]).await,
            },
        };
        if passed.is_err() {
            return;
        }
    }
}

/// A database behind a proxy, and as many idle connections to it as the pool has.
async fn behind_a_proxy(loss: Loss, wait: Duration) -> Option<(World, Proxy)> {
    let options = DatabaseOptions { max_connections: 3, wait, ..DatabaseOptions::default() };
    let World { place, .. } = world_with(Backend::Postgres, options).await?;
    let proxy = Proxy::start(place.url(), loss).await;
    let database = Database::open(&proxy.url, &options).await.unwrap();
    Some((World { database, place }, proxy))
}

async fn fill_the_pool(database: &Database) {
    let mut filled = Vec::new();
    for _ in 0..3 {
        let mut conn = database.read().await.unwrap();
        conn.ping().await.unwrap();
        filled.push(conn);
    }
    drop(filled);
    // Until the statements that end the units of work have passed: then the connections are idle.
    tokio::time::sleep(Duration::from_millis(100)).await;
}

async fn change(database: &Database, reads_first: bool) -> StoreResult<()> {
    let mut conn = database.write().await?;
    let row = || counters::table.filter(counters::id.eq("a"));
    if reads_first {
        conn.one::<String>(locked(row().select(counters::id), Lock::Rows)).await?;
    }
    conn.run(diesel::update(row()).set(counters::value.eq(counters::value + 1))).await?;
    conn.commit().await
}

#[tokio::test]
async fn connections_that_were_lost_while_idle_fail_no_unit_of_work() {
    let Some((world, proxy)) = behind_a_proxy(Loss::Reset, HANG).await else { return };
    for round in 1..=3 {
        fill_the_pool(&world.database).await;
        proxy.lose();
        world.database.ping().await.unwrap();
        proxy.lose();
        change(&world.database, true).await.unwrap();
        proxy.lose();
        change(&world.database, false).await.unwrap();
        proxy.lose();
        assert_eq!(committed(&world.database).await, 2 * round);
    }
}

#[tokio::test]
async fn a_unit_of_work_that_loses_its_connection_in_the_middle_fails() {
    let Some((world, proxy)) = behind_a_proxy(Loss::Reset, HANG).await else { return };
    let mut conn = world.database.write().await.unwrap();
    add(&mut conn, 1).await;
    proxy.lose();
    for _ in 0..2 {
        let row = counters::table.filter(counters::id.eq("a"));
        let changed = conn.run(diesel::update(row).set(counters::value.eq(10))).await;
        assert!(matches!(changed, Err(StoreError::Unavailable(_))), "{changed:?}");
    }
    conn.commit().await.unwrap_err();
    assert_eq!(committed(&world.database).await, 0);
}

#[tokio::test]
async fn idle_connections_that_no_longer_answer_are_replaced_after_one_wait() {
    let wait = 2 * SHORT;
    let Some((world, proxy)) = behind_a_proxy(Loss::Silent, wait).await else { return };
    fill_the_pool(&world.database).await;
    proxy.lose();
    tokio::time::sleep(2 * wait).await;
    assert_eq!(timeout(wait, committed(&world.database)).await.expect("it is noticed in half of the wait"), 0);
    for _ in 0..2 {
        let next = timeout(wait / 2, change(&world.database, true)).await;
        next.expect("the others are not waited for").unwrap();
    }
    assert_eq!(committed(&world.database).await, 2);
}
