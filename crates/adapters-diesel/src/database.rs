//! Opens either database.

use crate::conn::{Conn, Statements};
use crate::postgres::{self, Server};
use crate::sqlite::{self, Readers, Watch, Writer};
use anyhow::Context;
use domain::ports::StoreResult;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::Handle;

/// The address of a database.
#[derive(Clone)]
pub(crate) enum Address {
    /// A SQLite file.
    Sqlite(PathBuf),
    /// A PostgreSQL server.
    Postgres(Box<Server>),
}

impl Address {
    /// Parses a URL: `postgres://…` or `postgresql://…`; everything else is the path of a SQLite file, with or without
    /// the prefix `sqlite:` or `sqlite://`.
    pub(crate) fn parse(url: &str) -> anyhow::Result<Self> {
        if url.starts_with("postgres://") || url.starts_with("postgresql://") {
            return Ok(Self::Postgres(Box::new(Server::parse(url)?)));
        }
        let path = url.strip_prefix("sqlite://").or_else(|| url.strip_prefix("sqlite:")).unwrap_or(url);
        let scheme = url.split(':').next().unwrap_or_default();
        let mistyped =
            url.contains(':') && ["postgres", "postgresql"].iter().any(|name| scheme.eq_ignore_ascii_case(name));
        anyhow::ensure!(
            !mistyped && !path.contains("://") && !has_keywords(url),
            "the database URL must begin with postgres:// or name a SQLite file"
        );
        anyhow::ensure!(!path.is_empty() && path != ":memory:", "a SQLite database needs a file");
        Ok(Self::Sqlite(path.into()))
    }
}

/// Whether a text is a connection string of libpq in its other form, such as `host=db user=octavo password=…`. As the
/// name of a file, it would show the password.
fn has_keywords(text: &str) -> bool {
    let is_keyword = |word: &str| ["host", "hostaddr", "dbname", "user", "password", "service"].contains(&word);
    // There may be white space before an equals sign.
    text.match_indices('=').any(|(at, _)| text[..at].split_whitespace().next_back().is_some_and(is_keyword))
}

/// Limits of connections and waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DatabaseOptions {
    /// Connections to PostgreSQL, or reading connections to SQLite (which has one more, for writes).
    pub max_connections: usize,
    /// The longest wait of a unit of work for a connection, for the writer (SQLite) or for a lock (PostgreSQL). After
    /// it, the database counts as unavailable.
    pub wait: Duration,
    /// The pause of a process after each transaction, in which other processes can lock SQLite's file. SQLite has no
    /// queue for it: without the pause, a command with many writes would take the lock again at once, and a server
    /// would hardly ever get it.
    pub pause: Duration,
    /// Page cache of each SQLite connection, in KiB; the writing connection has twice as much.
    pub cache_kib: u32,
}

impl Default for DatabaseOptions {
    fn default() -> Self {
        Self { max_connections: 10, wait: Duration::from_secs(5), pause: Duration::ZERO, cache_kib: 4 * 1024 }
    }
}

/// The purpose of a unit of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// One query.
    Query,
    /// Reads, on one snapshot.
    Read,
    /// Writes.
    Write,
}

/// An open database of either kind. Cheap to clone.
#[derive(Clone)]
pub struct Database {
    engine: Engine,
    runtime: Handle,
    statements: Statements,
}

#[derive(Clone)]
enum Engine {
    Sqlite { readers: Readers, writer: Arc<Writer>, watch: Arc<Watch> },
    Postgres { pool: Arc<postgres::Connections>, watch: Arc<postgres::Watch> },
}

impl Database {
    /// Checks that a URL names a database, without opening it.
    ///
    /// # Errors
    /// If it does not; the error names the expected format and does not contain the URL.
    pub fn check(url: &str) -> anyhow::Result<()> {
        Address::parse(url).map(drop)
    }

    /// The file of a SQLite database. `None` for PostgreSQL and for an invalid URL.
    pub fn file(url: &str) -> Option<PathBuf> {
        match Address::parse(url) {
            Ok(Address::Sqlite(path)) => Some(path),
            Ok(Address::Postgres(_)) | Err(_) => None,
        }
    }

    /// The name of the database in a URL for people, without user and password.
    pub fn name(url: &str) -> String {
        match Address::parse(url) {
            Ok(Address::Sqlite(path)) => format!("SQLite {}", path.display()),
            Ok(Address::Postgres(server)) => format!("PostgreSQL {}", server.name()),
            Err(_) => "with an invalid URL".to_owned(),
        }
    }

    /// The hosts and ports of the database in a URL. Empty for SQLite, for Unix sockets and for an invalid URL.
    pub fn endpoints(url: &str) -> Vec<(String, u16)> {
        match Address::parse(url) {
            Ok(Address::Postgres(server)) => server.endpoints(),
            Ok(Address::Sqlite(_)) | Err(_) => Vec::new(),
        }
    }

    /// Opens a database with a current schema (see [`Database::migrate`]). Connections use the current runtime.
    ///
    /// # Errors
    /// If the URL is invalid or the database cannot be reached.
    pub async fn open(url: &str, options: &DatabaseOptions) -> anyhow::Result<Self> {
        let DatabaseOptions { max_connections: size, wait, pause, cache_kib } = *options;
        let engine = match Address::parse(url)? {
            Address::Sqlite(path) => {
                let readers = Readers::new(path.clone(), cache_kib, size, wait)?;
                Engine::Sqlite {
                    readers,
                    watch: Arc::new(Watch::new(path.clone())),
                    writer: Writer::new(path, 2 * cache_kib, wait, pause),
                }
            }
            Address::Postgres(server) => Engine::Postgres {
                pool: Arc::new(postgres::Connections::new(Server::clone(&server), size, wait)?),
                watch: Arc::new(postgres::Watch::new(*server)),
            },
        };
        let database = Self { engine, runtime: Handle::current(), statements: Statements::default() };
        database.ping().await.context("cannot open the database")?;
        Ok(database)
    }

    /// Checks that the database can be used.
    pub(crate) async fn ping(&self) -> StoreResult<()> {
        self.begin(Purpose::Query).await?.ping().await
    }

    /// A number that changes with every commit of any process; `None` if it is not available.
    pub(crate) async fn stamp(&self) -> Option<u64> {
        match &self.engine {
            Engine::Sqlite { watch, .. } => watch.stamp(),
            Engine::Postgres { watch, .. } => watch.stamp().await,
        }
    }

    /// The same on SQLite; `None` on PostgreSQL, where it takes a query.
    pub(crate) fn stamp_without_query(&self) -> Option<u64> {
        match &self.engine {
            Engine::Sqlite { watch, .. } => watch.stamp(),
            Engine::Postgres { .. } => None,
        }
    }

    /// Starts a unit of work.
    pub(crate) async fn begin(&self, purpose: Purpose) -> StoreResult<Conn> {
        match &self.engine {
            Engine::Sqlite { readers, writer, .. } => {
                let lease = match purpose {
                    Purpose::Query => sqlite::Lease::Read(readers.query().await?),
                    Purpose::Read => sqlite::Lease::Read(readers.begin().await?),
                    Purpose::Write => sqlite::Lease::Write(writer.begin().await?),
                };
                Ok(Conn::sqlite(sqlite::Session::new(lease), self.statements.clone()))
            }
            Engine::Postgres { pool, watch } => {
                let session = postgres::Session::begin(pool, watch, &self.runtime, purpose).await?;
                Ok(Conn::postgres(session, self.statements.clone()))
            }
        }
    }

    /// The number of statements since the database was opened, without those that start and end units of work.
    pub fn statements(&self) -> u64 {
        self.statements.count()
    }

    /// Starts a unit of work that only reads, on one snapshot.
    #[cfg(test)]
    pub(crate) async fn read(&self) -> StoreResult<Conn> {
        self.begin(Purpose::Read).await
    }

    /// Starts a unit of work that writes.
    #[cfg(test)]
    pub(crate) async fn write(&self) -> StoreResult<Conn> {
        self.begin(Purpose::Write).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("octavo.db", "octavo.db")]
    #[case("sqlite:octavo.db", "octavo.db")]
    #[case("sqlite:///var/lib/octavo.db", "/var/lib/octavo.db")]
    #[case("/srv/ports=80/octavo.db", "/srv/ports=80/octavo.db")]
    #[case("the user/a = b.db", "the user/a = b.db")]
    fn a_path_is_a_sqlite_file(#[case] url: &str, #[case] path: &str) {
        assert!(matches!(Address::parse(url).unwrap(), Address::Sqlite(file) if file == std::path::Path::new(path)));
    }

    #[rstest]
    #[case("postgres://localhost/octavo")]
    #[case("postgresql://u:p@localhost:5433/octavo")]
    fn both_schemes_of_postgresql_are_understood(#[case] url: &str) {
        assert!(matches!(Address::parse(url).unwrap(), Address::Postgres(_)));
    }

    #[rstest]
    #[case("mysql://localhost/octavo", "must begin with postgres://")]
    #[case("postgres:user:secret@localhost/octavo", "must begin with postgres://")]
    #[case("Postgres://localhost/octavo", "must begin with postgres://")]
    #[case("host=db user=octavo password=secret", "must begin with postgres://")]
    #[case("user=octavo dbname=octavo", "must begin with postgres://")]
    #[case("dbname = octavo password = secret", "must begin with postgres://")]
    #[case("password =secret", "must begin with postgres://")]
    #[case("password= secret", "must begin with postgres://")]
    #[case(":memory:", "needs a file")]
    #[case("sqlite:", "needs a file")]
    fn other_urls_are_refused(#[case] url: &str, #[case] reason: &str) {
        let error = Address::parse(url).err().expect("refused").to_string();
        assert!(error.contains(reason), "{error}");
    }
}
