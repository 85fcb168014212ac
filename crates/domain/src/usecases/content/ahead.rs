//! Storing objects before the revision that refers to them (see `docs/decisions/0016-large-steps-are-stored-ahead.md`).
//!
//! Objects are immutable, and only revisions give access to them. So a change of thousands of pages stores its objects
//! in pieces, each in a short unit of work, so that other requests can write in between. The unit of work that changes
//! the space stores little more than the revision. Until then, the objects are on the list of condemned content, so a
//! job removes them if the import or merge is interrupted.
use crate::content::object::Hash;
use crate::job::{Job, Task};
use crate::ports::Store;
use crate::ports::store::garbage::Kind;
use crate::retention::{is_unnamed_object_safe, is_unnamed_object_young};
use crate::usecases::{Error, Units};
use bytes::Bytes;
use chrono::{DateTime, Utc};
use std::collections::{BTreeMap, BTreeSet};

/// Maximum number of objects that one unit of work stores.
pub(in crate::usecases) const PIECE: usize = 64;
/// Maximum number of bytes that one unit of work stores, unless a single object is larger.
const PIECE_BYTES: usize = 256 * 1024;
/// Maximum number of objects that one unit of work takes off the list or condemns again.
const LISTED: usize = 500;

/// Objects to store. A rest smaller than a piece is not stored ahead: it is stored with the revision.
pub(in crate::usecases) struct Ahead<'p> {
    units: &'p Units,
    waiting: BTreeMap<Hash, Bytes>,
    waiting_bytes: usize,
    stored: BTreeSet<Hash>,
    /// When the first stored object was condemned.
    since: Option<DateTime<Utc>>,
}

impl<'p> Ahead<'p> {
    /// No objects yet.
    pub(in crate::usecases) fn new(units: &'p Units) -> Self {
        let (waiting, stored) = (BTreeMap::new(), BTreeSet::new());
        Self { units, waiting, waiting_bytes: 0, stored, since: None }
    }

    /// Adds objects, and stores full pieces.
    pub(in crate::usecases) async fn add(&mut self, objects: BTreeMap<Hash, Bytes>) -> Result<(), Error> {
        for (hash, bytes) in objects {
            if self.stored.contains(&hash) {
                continue;
            }
            let length = bytes.len();
            if self.waiting.insert(hash, bytes).is_none() {
                self.waiting_bytes += length;
            }
            if self.waiting.len() >= PIECE || self.waiting_bytes >= PIECE_BYTES {
                self.put().await?;
            }
        }
        Ok(())
    }

    /// The objects to store with the revision, which must be stored next.
    pub(in crate::usecases) async fn rest(&mut self) -> Result<BTreeMap<Hash, Bytes>, Error> {
        self.condemn_again().await?;
        self.waiting_bytes = 0;
        Ok(std::mem::take(&mut self.waiting))
    }

    /// Checks that no stored object was collected; the unit of work that stores the revision calls this.
    ///
    /// # Errors
    /// [`Error::Conflict`] if too much time has passed to be sure.
    pub(in crate::usecases) fn check(&self) -> Result<(), Error> {
        let now = self.units.clock.now();
        match self.since {
            Some(since) if !is_unnamed_object_safe(since, now) => Err(took_too_long()),
            _ => Ok(()),
        }
    }

    /// The stored objects, to release after the revision is committed.
    pub(in crate::usecases) fn into_stored(self) -> Stored {
        Stored(self.stored.into_iter().collect())
    }

    async fn put(&mut self) -> Result<(), Error> {
        self.condemn_again().await?;
        let objects: Vec<(Hash, Bytes)> = std::mem::take(&mut self.waiting).into_iter().collect();
        self.waiting_bytes = 0;
        let hashes: Vec<Hash> = objects.iter().map(|(hash, _)| *hash).collect();
        let mut tx = self.units.store.write().await?;
        // Read the clock here: while this waited for the writer, nothing was stored.
        let now = self.units.clock.now();
        // Content is locked after everything else.
        if self.since.is_none() {
            let (task, due) = Task::collect_content(now);
            tx.jobs().add(&Job::new(self.units.ids.make(), task, due, now)).await?;
        }
        tx.content().put_objects(objects).await?;
        tx.garbage().condemn(Kind::Object, &hashes, now).await?;
        tx.commit().await?;
        self.since.get_or_insert(now);
        self.stored.extend(hashes);
        Ok(())
    }

    /// Condemns the stored objects again, if they were stored long ago.
    async fn condemn_again(&mut self) -> Result<(), Error> {
        // Read before the first object is checked, so that all objects are newer than this afterwards.
        let now = self.units.clock.now();
        let Some(since) = self.since else { return Ok(()) };
        if is_unnamed_object_young(since, now) {
            return Ok(());
        }
        let stored: Vec<Hash> = self.stored.iter().copied().collect();
        for (at, some) in stored.chunks(LISTED).enumerate() {
            let mut tx = self.units.store.write().await?;
            if at == 0 {
                let (task, due) = Task::collect_content(now);
                tx.jobs().add(&Job::new(self.units.ids.make(), task, due, now)).await?;
            }
            if !tx.content().keep_objects(some).await?.is_empty() {
                return Err(took_too_long());
            }
            tx.garbage().condemn(Kind::Object, some, now).await?;
            tx.commit().await?;
        }
        self.since = Some(now);
        Ok(())
    }
}

/// Objects that were stored ahead, and are on the list of condemned content.
#[derive(Default)]
pub(in crate::usecases) struct Stored(Vec<Hash>);

impl Stored {
    #[cfg(test)]
    pub(in crate::usecases) fn of(objects: impl IntoIterator<Item = Hash>) -> Self {
        Self(objects.into_iter().collect())
    }

    /// Takes the objects off the list, after the revision that refers to them is committed. If this is interrupted, the
    /// job that collects content takes the rest off.
    pub(in crate::usecases) async fn release(self, store: &dyn Store) {
        for some in self.0.chunks(LISTED) {
            let released = async {
                let mut tx = store.write().await?;
                tx.garbage().unlist(Kind::Object, some).await?;
                tx.commit().await
            };
            if released.await.is_err() {
                return;
            }
        }
    }
}

fn took_too_long() -> Error {
    Error::Conflict("it took too long, and content that it stored may have been removed: start again".into())
}
