//! Migrations of the schema.

use crate::database::{Address, Database};
use crate::sqlite;
use anyhow::{Context, anyhow};
use diesel::backend::Backend;
use diesel::connection::SimpleConnection;
use diesel::migration::{MigrationSource, MigrationVersion};
use diesel::pg::Pg;
use diesel::sql_types::{BigInt, Text};
use diesel::sqlite::Sqlite;
use diesel::{Connection, QueryableByName, RunQueryDsl};
use diesel_async::AsyncPgConnection;
use diesel_async::async_connection_wrapper::AsyncConnectionWrapper;
use diesel_migrations::{EmbeddedMigrations, MigrationHarness, embed_migrations};
use std::fmt;

pub(crate) const POSTGRES: EmbeddedMigrations = embed_migrations!("../../migrations/postgres");
pub(crate) const SQLITE: EmbeddedMigrations = embed_migrations!("../../migrations/sqlite");

/// The PostgreSQL advisory lock of migrations: the letters `octavo` as a number.
const ADVISORY_LOCK: i64 = 0x006f_6374_6176_6f00;

/// The encoding of a PostgreSQL database. Others cannot store every text, except `SQL_ASCII`, which does not check it.
const ENCODING: &str = "UTF8";

/// A database that works, but that this version cannot use.
#[derive(Debug)]
pub struct UnsuitableDatabase {
    problem: String,
    /// What the operator can do.
    pub advice: &'static str,
}

impl fmt::Display for UnsuitableDatabase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.problem)
    }
}

impl std::error::Error for UnsuitableDatabase {}

impl Database {
    /// Migrates the schema to the current version and returns the number of migrations.
    ///
    /// All of them run in one transaction under a lock. Processes that start at the same time wait, and a process that
    /// is killed leaves the schema unchanged. If the schema is current, nothing is written, so the user of the database
    /// does not need the right to create tables.
    ///
    /// # Errors
    /// If the database cannot be reached. [`UnsuitableDatabase`] if it was migrated by a newer version of Octavo, or is
    /// new and has another encoding than UTF-8.
    pub async fn migrate(url: &str) -> anyhow::Result<usize> {
        migrate_with(Address::parse(url)?, SQLITE, POSTGRES).await
    }
}

pub(crate) async fn migrate_with(
    address: Address,
    sqlite: impl MigrationSource<Sqlite> + Send + 'static,
    postgres: impl MigrationSource<Pg> + Send + 'static,
) -> anyhow::Result<usize> {
    let migrating = match address {
        Address::Sqlite(path) => tokio::task::spawn_blocking(move || {
            let mut conn = sqlite::establish(&path).with_context(|| format!("cannot open {}", path.display()))?;
            // Otherwise, rebuilding a table would change references to it. They are all checked at the end.
            conn.batch_execute(
                "PRAGMA busy_timeout=60000; PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA foreign_keys=OFF",
            )?;
            conn.exclusive_transaction(|conn| {
                let applied = MigrationHarness::<Sqlite>::applied_migrations(conn).map_err(|error| anyhow!(error))?;
                let done = run_pending(conn, &sqlite, &applied)?;
                if done > 0 {
                    let query = diesel::sql_query("SELECT count(*) AS rows FROM pragma_foreign_key_check");
                    let broken: Count = query.get_result(conn)?;
                    anyhow::ensure!(broken.rows == 0, "a migration left {} invalid references", broken.rows);
                }
                Ok(done)
            })
        }),
        Address::Postgres(server) => {
            let conn = server.connect_to_migrate().await.context("cannot connect to PostgreSQL")?;
            tokio::task::spawn_blocking(move || {
                let mut conn = AsyncConnectionWrapper::<AsyncPgConnection>::from(conn);
                conn.transaction(|conn| {
                    conn.batch_execute(&format!("SELECT pg_advisory_xact_lock({ADVISORY_LOCK})"))?;
                    let applied = applied_on_postgres(conn)?;
                    if applied.is_empty() {
                        check_encoding(conn)?;
                    }
                    run_pending(conn, &postgres, &applied)
                })
            })
        }
    };
    migrating.await?
}

#[derive(QueryableByName)]
struct Count {
    #[diesel(sql_type = BigInt)]
    rows: i64,
}

/// The name of a migration or an encoding.
#[derive(QueryableByName)]
struct Name {
    #[diesel(sql_type = Text)]
    name: String,
}

/// The migrations that a PostgreSQL database has. Diesel would create its table before it reads it.
fn applied_on_postgres(
    conn: &mut AsyncConnectionWrapper<AsyncPgConnection>,
) -> anyhow::Result<Vec<MigrationVersion<'static>>> {
    let table = "SELECT count(*) AS rows FROM pg_class WHERE oid = to_regclass('__diesel_schema_migrations')";
    let tables: Count = diesel::sql_query(table).get_result(conn)?;
    if tables.rows == 0 {
        return Ok(Vec::new());
    }
    let versions = "SELECT version AS name FROM __diesel_schema_migrations";
    let versions: Vec<Name> = diesel::sql_query(versions).get_results(conn)?;
    Ok(versions.into_iter().map(|version| version.name.into()).collect())
}

/// Checks the encoding of a PostgreSQL database. With most others, the first text in another script would fail.
fn check_encoding(conn: &mut AsyncConnectionWrapper<AsyncPgConnection>) -> anyhow::Result<()> {
    let encoding = "SELECT current_setting('server_encoding') AS name";
    let encoding: Name = diesel::sql_query(encoding).get_result(conn)?;
    if encoding.name == ENCODING {
        return Ok(());
    }
    Err(UnsuitableDatabase {
        problem: format!("the database has the encoding {} instead of {ENCODING}", encoding.name),
        advice: "create it again with ENCODING 'UTF8' TEMPLATE template0",
    }
    .into())
}

fn run_pending<DB: Backend>(
    conn: &mut impl MigrationHarness<DB>,
    source: &impl MigrationSource<DB>,
    applied: &[MigrationVersion<'static>],
) -> anyhow::Result<usize> {
    let known = source.migrations().map_err(|error| anyhow!(error))?;
    let known: Vec<MigrationVersion<'static>> = known.iter().map(|m| m.name().version().as_owned()).collect();
    if let Some(newer) = applied.iter().find(|version| !known.contains(version)) {
        return Err(UnsuitableDatabase {
            problem: format!("the database was migrated by a newer version of Octavo (unknown migration {newer})"),
            advice: "run that version, or restore a backup of this version",
        }
        .into());
    }
    if known.iter().all(|version| applied.contains(version)) {
        return Ok(0);
    }
    let pending = conn.pending_migrations(ByRef(source)).map_err(|error| anyhow!(error))?;
    let done = conn.run_migrations(&pending).map_err(|error| anyhow!(error))?;
    Ok(done.len())
}

struct ByRef<'s, S>(&'s S);

impl<DB: Backend, S: MigrationSource<DB>> MigrationSource<DB> for ByRef<'_, S> {
    fn migrations(&self) -> diesel::migration::Result<Vec<Box<dyn diesel::migration::Migration<DB>>>> {
        self.0.migrations()
    }
}
