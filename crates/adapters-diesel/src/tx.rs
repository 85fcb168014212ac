//! Units of work.

use crate::conn::Conn;
use crate::database::{Database, Purpose};
use crate::error::{internal, unavailable};
use crate::locks;
use crate::objects::{ObjectCache, Objects};
use domain::id::{OrganizationId, SpaceId};
use domain::ports::StoreResult;
use domain::ports::store::Lockable;
use domain::ports::store::locks::{Held, LockMode};
use domain::user::User;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::Notify;

/// The longest duration of a unit of work that stores objects. Condemned content is kept for longer than this before it
/// is removed, so a unit of work that found an object stored has ended by then.
const LONGEST: Duration = Duration::from_secs(30 * 60);

/// Resources of the storage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoreOptions {
    /// Size of the object cache, in bytes.
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
    /// Notified when a job is added.
    pub(crate) work: Arc<Notify>,
}

impl DieselStore {
    /// Creates the storage over `database`.
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
            known: Known::default(),
            searched: None,
            uncounted: BTreeMap::new(),
            adds_work: false,
            work: Arc::clone(&self.work),
        })
    }
}

/// What a writing unit of work knows without a statement: data that it has read together with other data, because most
/// writes need it, and what follows from its own changes.
///
/// While a unit of work waits for a lock, others can add webhooks and levels, so a lock clears both. The locks of jobs
/// do not: they come last, when the space is locked already.
#[derive(Default)]
pub(crate) struct Known {
    /// The user of the token that was loaded last, for queries that only show users: a user who is to be changed is
    /// loaded after the lock.
    pub(crate) user: Option<User>,
    /// The organization of the space that was loaded last, if no webhook of it is enabled.
    pub(crate) without_webhooks: Option<OrganizationId>,
    /// The space that was loaded last, if no user has set a notification level for it.
    pub(crate) without_levels: Option<SpaceId>,
    /// The space that this unit of work added last, until it is indexed: nothing of it is in the search index, and no
    /// other unit of work sees it.
    pub(crate) unindexed: Option<SpaceId>,
}

/// Spaces with the parts of the search index that hold them. On SQLite, a search looks for one condition after the other
/// in the same spaces. Only a reading unit of work keeps this, since it has one snapshot.
pub(crate) struct Searched {
    pub(crate) spaces: Vec<SpaceId>,
    /// The number and the first section of each part, in the order of the first sections.
    pub(crate) parts: Vec<(i64, i64)>,
}

/// An open unit of work. It implements every storage port, so all ports share one transaction. Dropping it rolls
/// everything back at once.
pub(crate) struct DieselTx {
    pub(crate) conn: Conn,
    pub(crate) write: bool,
    pub(crate) objects: Objects,
    begun: Instant,
    /// The locks of this unit of work.
    pub(crate) held: Held,
    pub(crate) known: Known,
    /// The spaces that were searched last.
    pub(crate) searched: Option<Searched>,
    /// The number of events that this unit of work has added and not counted yet, by organization and action.
    pub(crate) uncounted: BTreeMap<(String, String), i64>,
    /// Whether this unit of work added a job.
    pub(crate) adds_work: bool,
    work: Arc<Notify>,
}

impl DieselTx {
    /// Takes the locks that are not held yet.
    ///
    /// # Errors
    /// `Internal` if that violates the order of locks, on both databases: code that was only tested on SQLite must not
    /// deadlock on PostgreSQL.
    pub(crate) async fn take(&mut self, wanted: &[Lockable], mode: LockMode) -> StoreResult<()> {
        if !self.write {
            return Err(internal("a reading unit of work must not take locks"));
        }
        let wanted = self.held.take(wanted, mode).map_err(internal)?;
        if wanted.iter().any(|one| !matches!(one, Lockable::Job(_) | Lockable::Heartbeat)) {
            self.known.without_webhooks = None;
            self.known.without_levels = None;
        }
        locks::take(&mut self.conn, &wanted, mode).await
    }

    /// Fails if the object to change is neither locked nor new.
    pub(crate) fn check(&self, what: impl Into<Lockable>) -> StoreResult<()> {
        self.held.check(&what.into()).map_err(internal)
    }

    pub(crate) async fn finish(mut self) -> StoreResult<()> {
        if self.objects.has_stored() && self.begun.elapsed() > LONGEST {
            return Err(unavailable("the unit of work took too long: objects it relies on may have been removed"));
        }
        self.count_new_events().await?;
        self.conn.commit().await?;
        self.objects.publish();
        if self.adds_work {
            self.work.notify_one();
        }
        Ok(())
    }
}
