//! A separate database for every test, on both databases, at the cost of a file copy.
//!
//! A template is created and migrated once; each test gets a copy. SQLite: a file. PostgreSQL: `CREATE DATABASE …
//! TEMPLATE` on the server in `OCTAVO_TEST_POSTGRES` (`tests/with-postgres` starts one). Tests may run in any number of
//! processes at the same time.

use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};

/// The URL of a server where databases may be created, without a database name.
const SERVER: &str = "OCTAVO_TEST_POSTGRES";

/// The database of a test case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backend {
    /// A file in a temporary folder.
    Sqlite,
    /// A database on the test server.
    Postgres,
}

/// Prepares the template; called once with the URL of an empty database.
pub trait Prepare: AsyncFn(&str) {}
impl<F: AsyncFn(&str)> Prepare for F {}

/// A test database, deleted on drop.
#[derive(Debug)]
pub struct TestDatabase {
    url: String,
    home: Home,
}

#[derive(Debug)]
enum Home {
    Folder(#[expect(dead_code, reason = "removes the folder when it goes")] tempfile::TempDir),
    Server { url: String, name: String },
}

impl TestDatabase {
    /// Creates a copy of the template called `template`; `prepare` fills the template if it does not exist. On a
    /// persistent server, a template outlives the run, so its name must change with what `prepare` does beyond the
    /// migrations.
    ///
    /// Returns `None`, and prints that the case is skipped, if there is no PostgreSQL.
    ///
    /// # Panics
    /// If the copy cannot be made; also if there is no PostgreSQL and `CI` is set, so that no case is skipped there.
    pub async fn create(backend: Backend, template: &str, prepare: impl Prepare) -> Option<Self> {
        let template = format!("octavo_{template}_{FINGERPRINT}");
        match backend {
            Backend::Sqlite => Some(copy_of_file(&template, prepare).await),
            Backend::Postgres => match std::env::var(SERVER) {
                Ok(server) if !server.is_empty() => Some(copy_on_server(&server, &template, prepare).await),
                _ => {
                    assert!(std::env::var_os("CI").is_none(), "{SERVER} is not set: run by tests/with-postgres");
                    eprintln!("skipped: {SERVER} is not set");
                    None
                }
            },
        }
    }

    /// The URL of the database.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Runs SQL in a PostgreSQL database.
    ///
    /// # Panics
    /// If the database is not PostgreSQL, or the SQL fails.
    pub async fn run(&self, sql: &str) {
        connect_to(&self.url).await.batch_execute(sql).await.expect("the statement runs");
    }

    /// Waits until a statement in a PostgreSQL database waits for the lock of another transaction.
    ///
    /// # Panics
    /// If the database is not PostgreSQL, or if no statement waits within a minute.
    pub async fn wait_for_blocked_statement(&self) {
        let client = connect_to(&self.url).await;
        let waiting = "SELECT 1 FROM pg_stat_activity \
                       WHERE datname = current_database() AND wait_event_type = 'Lock' LIMIT 1";
        for _ in 0..6000 {
            if client.query_opt(waiting, &[]).await.expect("the server answers").is_some() {
                return;
            }
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
        panic!("no statement waits for a lock");
    }

    /// Runs SQL on the PostgreSQL server, outside of the database: to end or refuse connections.
    ///
    /// # Panics
    /// If the database is not PostgreSQL, or the SQL fails.
    pub async fn run_on_server(&self, sql: impl Fn(&str) -> String) {
        let Home::Server { url, name } = &self.home else { panic!("this is not PostgreSQL") };
        connect(url).await.batch_execute(&sql(name)).await.expect("the statement runs");
    }
}

impl Drop for TestDatabase {
    fn drop(&mut self) {
        let Home::Server { url, name } = &self.home else { return };
        let (url, sql) = (url.clone(), format!("DROP DATABASE {name} WITH (FORCE)"));
        // Not on the test's runtime, which may be single-threaded and blocked by this drop.
        let dropping = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            runtime.block_on(async { retry(&connect(&url).await, &sql).await });
        });
        let dropped = dropping.join().is_ok();
        assert!(dropped || std::thread::panicking(), "the test database is dropped");
    }
}

/// A hash of the migrations that this binary was built with: a binary never uses the template of other migrations.
const FINGERPRINT: &str = env!("MIGRATIONS_FINGERPRINT");

/// A name that no other test in any process uses.
fn unique() -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    format!("t_{}_{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed))
}

async fn copy_of_file(template: &str, prepare: impl Prepare) -> TestDatabase {
    let shared = std::env::temp_dir().join(format!("{template}.db"));
    if !shared.exists() {
        // Several processes may build the template at the same time; each moves a complete file into place, and all
        // files are the same.
        let own = tempfile::tempdir().expect("a temporary folder");
        let file = own.path().join("octavo.db");
        prepare(file.to_str().expect("a path in UTF-8")).await;
        closed(&file).await;
        let moved = std::env::temp_dir().join(format!("{template}.{}", unique()));
        std::fs::copy(&file, &moved).and_then(|_| std::fs::rename(&moved, &shared)).expect("the template is in place");
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("octavo.db");
    std::fs::copy(&shared, &file).expect("the template is copied");
    TestDatabase { url: file.to_str().expect("a path in UTF-8").to_owned(), home: Home::Folder(folder) }
}

/// Waits until the last connection is closed: before that, part of the database may be in its log.
async fn closed(file: &Path) {
    let log = file.with_extension("db-wal");
    for _ in 0..1000 {
        if !log.exists() {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    panic!("the template is still open");
}

async fn copy_on_server(server: &str, template: &str, prepare: impl Prepare) -> TestDatabase {
    let client = connect(server).await;
    // One process creates the template; the others wait for the lock and then find it.
    client.batch_execute("SELECT pg_advisory_lock(7043210)").await.expect("the lock is taken");
    let there = client.query_opt("SELECT 1 FROM pg_database WHERE datname = $1", &[&template]).await;
    if there.expect("the server answers").is_none() {
        let draft = format!("{template}_{}", unique());
        client.batch_execute(&format!("CREATE DATABASE {draft}")).await.expect("a database is created");
        prepare(&format!("{server}/{draft}")).await;
        let done = format!("ALTER DATABASE {draft} RENAME TO {template}");
        retry(&client, &done).await;
    }
    client.batch_execute("SELECT pg_advisory_unlock(7043210)").await.expect("the lock is given back");
    let name = unique();
    // Copying files takes a quarter of the time of writing every page to the log, if nothing is flushed.
    client.batch_execute(&format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)")).await.expect("the name is free");
    retry(&client, &format!("CREATE DATABASE {name} TEMPLATE {template} STRATEGY FILE_COPY")).await;
    TestDatabase { url: format!("{server}/{name}"), home: Home::Server { url: server.to_owned(), name } }
}

/// Runs SQL that requires that no connection is open. Connections that were just closed may still be counted for a
/// moment.
async fn retry(client: &tokio_postgres::Client, sql: &str) {
    for _ in 0..100 {
        match client.batch_execute(sql).await {
            Ok(()) => return,
            Err(error) if error.code() == Some(&tokio_postgres::error::SqlState::OBJECT_IN_USE) => {
                tokio::time::sleep(std::time::Duration::from_millis(50)).await;
            }
            Err(error) => panic!("{sql}: {error:?}"),
        }
    }
    panic!("{sql}: still in use");
}

async fn connect(server: &str) -> tokio_postgres::Client {
    connect_to(&format!("{server}/postgres")).await
}

/// A connection to a database on a server.
///
/// # Panics
/// If the server cannot be reached.
pub async fn connect_to(url: &str) -> tokio_postgres::Client {
    let (client, connection) =
        tokio_postgres::connect(url, tokio_postgres::NoTls).await.unwrap_or_else(|error| panic!("{url}: {error:?}"));
    tokio::spawn(connection);
    client
}
