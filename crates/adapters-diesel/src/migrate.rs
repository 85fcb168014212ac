//! Migrations of the schema.

use crate::database::{Address, Database};
use crate::sqlite;
use anyhow::{Context, anyhow};
use diesel::backend::Backend;
use diesel::connection::SimpleConnection;
use diesel::migration::{MigrationSource, MigrationVersion};
use diesel::pg::Pg;
use diesel::sql_types::BigInt;
use diesel::sqlite::Sqlite;
use diesel::{Connection, QueryableByName, RunQueryDsl};
use diesel_async::AsyncPgConnection;
use diesel_async::async_connection_wrapper::AsyncConnectionWrapper;
use diesel_migrations::{EmbeddedMigrations, MigrationHarness, embed_migrations};

pub(crate) const POSTGRES: EmbeddedMigrations = embed_migrations!("../../migrations/postgres");
pub(crate) const SQLITE: EmbeddedMigrations = embed_migrations!("../../migrations/sqlite");

/// The PostgreSQL advisory lock of migrations: the letters `octavo` as a number.
const ADVISORY_LOCK: i64 = 0x006f_6374_6176_6f00;

impl Database {
    /// Migrates the schema to the current version and returns the number of migrations.
    ///
    /// All of them run in one transaction under a lock. Processes that start at the same time wait, and a process that
    /// is killed leaves the schema unchanged.
    ///
    /// # Errors
    /// If the database cannot be reached, or was migrated by a newer version of Octavo.
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
                let done = run_pending(conn, &sqlite)?;
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
                    run_pending(conn, &postgres)
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

fn run_pending<DB: Backend>(
    conn: &mut impl MigrationHarness<DB>,
    source: &impl MigrationSource<DB>,
) -> anyhow::Result<usize> {
    let known = source.migrations().map_err(|error| anyhow!(error))?;
    let known: Vec<MigrationVersion<'static>> = known.iter().map(|m| m.name().version().as_owned()).collect();
    let applied = conn.applied_migrations().map_err(|error| anyhow!(error))?;
    if let Some(newer) = applied.iter().find(|version| !known.contains(version)) {
        anyhow::bail!(
            "the database was migrated by a newer version of Octavo (unknown migration {newer}); \
             run that version, or restore a backup of this version"
        );
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
