//! SQLite: one connection that writes, several that read, and no thread hop for a short statement.
//!
//! A statement that finds its rows by an index takes some ten microseconds; handing it to a blocking thread and
//! waiting for the answer takes fifty to a hundred. So statements run where they are called. What may take long
//! leaves the async thread: opening, waiting for another process's lock, the disk flush of a commit, and every
//! statement that its caller declares long.

mod reader;
mod watch;
mod writer;

pub(crate) use reader::{ReadLease, Readers};
pub(crate) use watch::Watch;
pub(crate) use writer::{WriteLease, Writer};

use crate::error::{internal, store_error, unavailable};
use diesel::connection::SimpleConnection;
use diesel::{Connection, ConnectionResult, QueryResult, SqliteConnection};
use domain::ports::StoreResult;
use std::path::Path;

/// What every connection gets.
///
/// - `synchronous=FULL`: a commit that was acknowledged survives a loss of power, not only a killed process.
/// - No memory map: a failing disk then is an error of one statement instead of a signal that ends the process.
/// - `journal_size_limit` gives back the disk space of a log that one large import blew up.
const PRAGMAS: &str = "PRAGMA busy_timeout=5000; PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; \
    PRAGMA foreign_keys=ON; PRAGMA temp_store=MEMORY; PRAGMA mmap_size=0; PRAGMA cache_size=-8192; \
    PRAGMA journal_size_limit=67108864; PRAGMA trusted_schema=OFF;";

/// Opens the database, creating the file when it is not there. Blocks.
pub(crate) fn open(path: &Path) -> ConnectionResult<SqliteConnection> {
    let mut conn = establish(path)?;
    conn.batch_execute(PRAGMAS).map_err(diesel::ConnectionError::CouldntSetupConfiguration)?;
    Ok(conn)
}

/// Opens the database without any setting. Blocks.
pub(crate) fn establish(path: &Path) -> ConnectionResult<SqliteConnection> {
    let path = path
        .to_str()
        .ok_or_else(|| diesel::ConnectionError::InvalidConnectionUrl(format!("{} is not UTF-8", path.display())))?;
    // Otherwise SQLite takes a path that begins with `file:` for a URI with options.
    SqliteConnection::establish(&if path.starts_with("file:") { format!("./{path}") } else { path.to_owned() })
}

/// A connection lent for one unit of work.
pub(crate) enum Lease {
    /// A snapshot.
    Read(ReadLease),
    /// The only writer.
    Write(WriteLease),
}

impl Lease {
    fn conn(&mut self) -> StoreResult<&mut SqliteConnection> {
        match self {
            Self::Read(lease) => Ok(lease.conn()),
            Self::Write(lease) => lease.conn(),
        }
    }
}

/// A unit of work on SQLite.
pub(crate) struct Session(Option<Lease>);

impl Session {
    pub(crate) fn new(lease: Lease) -> Self {
        Self(Some(lease))
    }

    fn lease(&mut self) -> StoreResult<&mut Lease> {
        self.0.as_mut().ok_or_else(|| internal("the unit of work was cut short before"))
    }

    /// Runs a short statement on this thread.
    pub(crate) fn run<T>(&mut self, work: impl FnOnce(&mut SqliteConnection) -> QueryResult<T>) -> StoreResult<T> {
        work(self.lease()?.conn()?).map_err(store_error)
    }

    /// Runs work that may take long on a blocking thread.
    ///
    /// The connection travels with the work. Whoever stops waiting for it loses the unit of work: it runs out, rolls
    /// back, and returns the connection from there.
    pub(crate) async fn run_apart<T: Send + 'static>(
        &mut self,
        work: impl FnOnce(&mut SqliteConnection) -> QueryResult<T> + Send + 'static,
    ) -> StoreResult<T> {
        self.lease()?;
        let mut lease = self.0.take();
        let working = tokio::task::spawn_blocking(move || {
            let result = match lease.as_mut().map(Lease::conn) {
                Some(Ok(conn)) => work(conn).map_err(store_error),
                Some(Err(error)) => Err(error),
                None => Err(internal("no connection")),
            };
            (lease, result)
        });
        let (lease, result) = working.await.map_err(unavailable)?;
        self.0 = lease;
        result
    }

    /// Makes the changes durable and visible.
    pub(crate) async fn commit(&mut self) -> StoreResult<()> {
        match self.0.take() {
            Some(Lease::Write(lease)) => lease.commit().await,
            Some(Lease::Read(_)) => Ok(()),
            None => Err(internal("the unit of work was cut short before")),
        }
    }
}
