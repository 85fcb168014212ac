//! Units of work.

use crate::conn::Conn;
use crate::database::{Database, Purpose};
use crate::error::{internal, unavailable};
use crate::locks;
use crate::objects::{ObjectCache, Objects};
use domain::ports::StoreResult;
use domain::ports::store::Lockable;
use domain::ports::store::locks::{Held, Hold};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::Notify;

/// The longest that a unit of work which stores objects may take. Content is condemned for longer than that before it is
/// removed, so whoever found it stored, and was about to use it, has ended by then.
const LONGEST: Duration = Duration::from_secs(30 * 60);

/// What the storage may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoreOptions {
    /// How many bytes of content objects are kept in memory.
    pub object_cache_bytes: u64,
}

impl Default for StoreOptions {
    fn default() -> Self {
        Self { object_cache_bytes: 64 * 1024 * 1024 }
    }
}

/// Storage in either database.
#[derive(Clone)]
pub struct DieselStore {
    pub(crate) database: Database,
    objects: Arc<ObjectCache>,
    /// Told when a job was added.
    pub(crate) work: Arc<Notify>,
}

impl DieselStore {
    /// Storage in `database`.
    pub fn new(database: Database, options: &StoreOptions) -> Self {
        Self { database, objects: ObjectCache::new(options.object_cache_bytes), work: Arc::default() }
    }

    pub(crate) async fn begin(&self, purpose: Purpose) -> StoreResult<DieselTx> {
        let conn = self.database.begin(purpose).await?;
        let (write, objects) = (purpose == Purpose::Write, Objects::new(&self.objects));
        Ok(DieselTx {
            conn,
            write,
            objects,
            begun: Instant::now(),
            held: Held::default(),
            adds_work: false,
            work: Arc::clone(&self.work),
        })
    }
}

/// An open unit of work. It implements every storage port, so the ports share it without a borrow dance; dropping it
/// undoes everything at once.
pub(crate) struct DieselTx {
    pub(crate) conn: Conn,
    pub(crate) write: bool,
    pub(crate) objects: Objects,
    begun: Instant,
    /// What is locked.
    pub(crate) held: Held,
    /// Whether a job was added.
    pub(crate) adds_work: bool,
    work: Arc<Notify>,
}

impl DieselTx {
    /// Locks what is not locked yet.
    ///
    /// # Errors
    /// `Internal` where that breaks the order of locks, on both databases alike: what was never run on the one that waits
    /// for rows is not allowed on the other either.
    pub(crate) async fn take(&mut self, wanted: &[Lockable], hold: Hold) -> StoreResult<()> {
        if !self.write {
            return Err(internal("a unit of work that reads locks nothing"));
        }
        let wanted = self.held.take(wanted, hold).map_err(internal)?;
        locks::take(&mut self.conn, &wanted, hold).await
    }

    /// Stops where something is about to be changed that is neither locked nor new.
    pub(crate) fn check(&self, what: impl Into<Lockable>) -> StoreResult<()> {
        self.held.check(&what.into()).map_err(internal)
    }

    pub(crate) async fn finish(self) -> StoreResult<()> {
        if self.objects.has_stored() && self.begun.elapsed() > LONGEST {
            return Err(unavailable("the unit of work took too long to be sure of what it found stored"));
        }
        self.conn.commit().await?;
        self.objects.publish();
        if self.adds_work {
            self.work.notify_one();
        }
        Ok(())
    }
}
