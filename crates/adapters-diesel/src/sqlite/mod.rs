//! SQLite: one writing connection, several reading ones, and short statements on the calling thread.
//!
//! A statement that finds its rows by an index takes about ten microseconds; sending it to a blocking thread and
//! waiting for the result takes fifty to a hundred. So statements run on the calling thread. Work that can take long
//! leaves the async thread: opening a file, waiting for the lock of another process, the disk flush of a commit, and
//! every statement that its caller marks as long.

mod reader;
mod watch;
mod writer;

pub(crate) use reader::{ReadLease, Readers};
pub(crate) use watch::Watch;
pub(crate) use writer::{WriteLease, Writer};

use crate::conn::Pending;
use crate::error::{internal, store_error, unavailable};
use diesel::connection::SimpleConnection;
use diesel::{Connection, ConnectionResult, QueryResult, SqliteConnection};
use domain::ports::StoreResult;
use futures_util::FutureExt;
use std::any::Any;
use std::path::Path;

/// The settings of every connection.
///
/// - `synchronous=FULL`: an acknowledged commit survives a power loss, not only a killed process.
/// - No memory map: a failing disk then fails one statement instead of ending the process with a signal.
/// - `journal_size_limit` shrinks the log on disk after a large import.
const PRAGMAS: &str = "PRAGMA busy_timeout=5000; PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; \
    PRAGMA foreign_keys=ON; PRAGMA temp_store=MEMORY; PRAGMA mmap_size=0; PRAGMA cache_size=-8192; \
    PRAGMA journal_size_limit=67108864; PRAGMA trusted_schema=OFF;";

/// Opens the database, and creates the file if it does not exist. Blocks.
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
    // Otherwise SQLite reads a path that begins with `file:` as a URI with options.
    SqliteConnection::establish(&if path.starts_with("file:") { format!("./{path}") } else { path.to_owned() })
}

/// A connection leased for one unit of work.
pub(crate) enum Lease {
    /// A reading connection with a snapshot.
    Read(ReadLease),
    /// The writing connection.
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

/// Long work and its result, without their types: what runs it on a blocking thread is compiled once.
type Work = Box<dyn FnOnce(&mut SqliteConnection) -> QueryResult<Untyped> + Send>;
type Untyped = Box<dyn Any + Send>;

fn typed<T: 'static>(result: Untyped) -> StoreResult<T> {
    result.downcast::<T>().map(|result| *result).map_err(|_other| internal("the result of long work has another type"))
}

/// A unit of work on SQLite.
pub(crate) struct Session(Option<Lease>);

impl Session {
    pub(crate) fn new(lease: Lease) -> Self {
        Self(Some(lease))
    }

    fn lease(&mut self) -> StoreResult<&mut Lease> {
        self.0.as_mut().ok_or_else(|| internal("the unit of work was interrupted"))
    }

    /// Runs a short statement on this thread.
    pub(crate) fn run<T>(&mut self, work: impl FnOnce(&mut SqliteConnection) -> QueryResult<T>) -> StoreResult<T> {
        work(self.lease()?.conn()?).map_err(store_error)
    }

    /// Runs long work on a blocking thread.
    ///
    /// The connection moves with the work. If the future is dropped, the unit of work is lost: the work runs to its
    /// end, rolls back, and returns the connection from there.
    pub(crate) fn run_blocking<T: Send + 'static>(
        &mut self,
        work: impl FnOnce(&mut SqliteConnection) -> QueryResult<T> + Send + 'static,
    ) -> Pending<'_, Untyped, T> {
        let work: Work = Box::new(|conn| Ok(Box::new(work(conn)?) as Untyped));
        Pending { answer: self.run_untyped(work).boxed(), read: typed }
    }

    async fn run_untyped(&mut self, work: Work) -> StoreResult<Untyped> {
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
            None => Err(internal("the unit of work was interrupted")),
        }
    }
}
