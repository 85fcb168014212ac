//! Units of work.

use crate::conn::Conn;
use crate::database::{Database, Purpose};
use crate::objects::{ObjectCache, Objects};
use crate::sql::Lock;
use domain::ports::StoreResult;
use std::sync::Arc;

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
}

impl DieselStore {
    /// Storage in `database`.
    pub fn new(database: Database, options: &StoreOptions) -> Self {
        Self { database, objects: ObjectCache::new(options.object_cache_bytes) }
    }

    pub(crate) async fn begin(&self, purpose: Purpose) -> StoreResult<DieselTx> {
        let conn = self.database.begin(purpose).await?;
        Ok(DieselTx { conn, write: purpose == Purpose::Write, objects: Objects::new(&self.objects) })
    }
}

/// An open unit of work. It implements every storage port, so the ports share it without a borrow dance; dropping it
/// undoes everything at once.
pub(crate) struct DieselTx {
    pub(crate) conn: Conn,
    write: bool,
    pub(crate) objects: Objects,
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
        self.conn.commit().await?;
        self.objects.publish();
        Ok(())
    }
}
