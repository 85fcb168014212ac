//! Units of work.

use crate::conn::Conn;
use crate::database::{Database, Purpose};
use crate::error::unavailable;
use crate::objects::{ObjectCache, Objects};
use crate::sql::Lock;
use domain::ports::StoreResult;
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
        Ok(DieselTx { conn, write, objects, begun: Instant::now(), adds_work: false, work: Arc::clone(&self.work) })
    }
}

/// An open unit of work. It implements every storage port, so the ports share it without a borrow dance; dropping it
/// undoes everything at once.
pub(crate) struct DieselTx {
    pub(crate) conn: Conn,
    write: bool,
    pub(crate) objects: Objects,
    begun: Instant,
    /// Whether a job was added.
    pub(crate) adds_work: bool,
    work: Arc<Notify>,
}

impl DieselTx {
    /// How a query should lock what it reads: a unit of work that writes locks what it is about to change.
    pub(crate) fn lock(&self) -> Lock {
        if self.write { Lock::Rows } else { Lock::None }
    }

    /// How a query should lock what decides about the change but is not changed itself.
    pub(crate) fn lock_shared(&self) -> Lock {
        if self.write { Lock::Shared } else { Lock::None }
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
