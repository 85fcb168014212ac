//! Storing objects before the revision that names them (docs/decisions/0016-large-steps-are-stored-ahead.md).
//!
//! Objects are immutable, and nobody can name one that is not in a revision. So a step of thousands of pages stores them
//! in pieces, each a short unit of work, and others write in between; the unit of work that moves the space stores little
//! more than the revision. Until then they are on the list of condemned content: what an import or a merge leaves behind
//! that breaks off is collected like what a purged space leaves behind.
use crate::content::object::Hash;
use crate::job::{Job, Task};
use crate::ports::store::garbage::Kind;
use crate::ports::{Clock, Ids, Store};
use crate::retention::{is_unnamed_object_safe, is_unnamed_object_young};
use crate::usecases::Error;
use bytes::Bytes;
use chrono::{DateTime, Utc};
use std::collections::{BTreeMap, BTreeSet};

/// How many objects one unit of work stores at most.
pub(in crate::usecases) const PIECE: usize = 64;
/// How many bytes of objects one unit of work stores at most, unless a single object has more.
const PIECE_BYTES: usize = 256 * 1024;
/// How many objects one unit of work takes off the list, or puts on it anew.
const LISTED: usize = 500;

/// Objects on their way into storage. What is less than a piece is not stored ahead: it goes along with the revision.
pub(in crate::usecases) struct Ahead<'p> {
    store: &'p dyn Store,
    clock: &'p dyn Clock,
    ids: &'p dyn Ids,
    waiting: BTreeMap<Hash, Bytes>,
    waiting_bytes: usize,
    stored: BTreeSet<Hash>,
    /// Since when the first of what is stored is on the list.
    since: Option<DateTime<Utc>>,
}

impl<'p> Ahead<'p> {
    /// Nothing yet.
    pub(in crate::usecases) fn new(store: &'p dyn Store, clock: &'p dyn Clock, ids: &'p dyn Ids) -> Self {
        let (waiting, stored) = (BTreeMap::new(), BTreeSet::new());
        Self { store, clock, ids, waiting, waiting_bytes: 0, stored, since: None }
    }

    /// Takes objects over, and stores whole pieces of them.
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

    /// What is to be stored along with the revision, which comes next.
    pub(in crate::usecases) async fn rest(&mut self) -> Result<BTreeMap<Hash, Bytes>, Error> {
        self.stay_young().await?;
        self.waiting_bytes = 0;
        Ok(std::mem::take(&mut self.waiting))
    }

    /// Makes sure that nothing of it was collected: to be asked by the unit of work that stores the revision.
    ///
    /// # Errors
    /// [`Error::Conflict`] when that cannot be said, because too much time has gone by.
    pub(in crate::usecases) fn check(&self) -> Result<(), Error> {
        let now = self.clock.now();
        match self.since {
            Some(since) if !is_unnamed_object_safe(since, now) => Err(took_too_long()),
            _ => Ok(()),
        }
    }

    /// Takes everything off the list, once the revision is stored. What stays on it, because this breaks off, is held by
    /// the revision and so taken off by the job that collects.
    pub(in crate::usecases) async fn release(self) {
        let stored: Vec<Hash> = self.stored.into_iter().collect();
        for some in stored.chunks(LISTED) {
            let released = async {
                let mut tx = self.store.write().await?;
                tx.garbage().spare(Kind::Object, some).await?;
                tx.commit().await
            };
            if released.await.is_err() {
                return;
            }
        }
    }

    async fn put(&mut self) -> Result<(), Error> {
        self.stay_young().await?;
        let objects: Vec<(Hash, Bytes)> = std::mem::take(&mut self.waiting).into_iter().collect();
        self.waiting_bytes = 0;
        let hashes: Vec<Hash> = objects.iter().map(|(hash, _)| *hash).collect();
        let mut tx = self.store.write().await?;
        // Not before: whoever waits for the writer has stored nothing yet.
        let now = self.clock.now();
        tx.content().put_objects(objects).await?;
        tx.garbage().condemn(Kind::Object, &hashes, now).await?;
        if self.since.is_none() {
            let (task, due) = Task::collect_content(now);
            tx.jobs().add(&Job::new(self.ids.make(), task, due, now)).await?;
        }
        tx.commit().await?;
        self.since.get_or_insert(now);
        self.stored.extend(hashes);
        Ok(())
    }

    /// Puts what was stored long ago on the list anew.
    async fn stay_young(&mut self) -> Result<(), Error> {
        // Before the first of them is looked at: all of them are younger than this afterwards.
        let now = self.clock.now();
        let Some(since) = self.since else { return Ok(()) };
        if is_unnamed_object_young(since, now) {
            return Ok(());
        }
        let stored: Vec<Hash> = self.stored.iter().copied().collect();
        for (at, some) in stored.chunks(LISTED).enumerate() {
            let mut tx = self.store.write().await?;
            if !tx.content().keep_objects(some).await?.is_empty() {
                return Err(took_too_long());
            }
            tx.garbage().condemn(Kind::Object, some, now).await?;
            if at == 0 {
                let (task, due) = Task::collect_content(now);
                tx.jobs().add(&Job::new(self.ids.make(), task, due, now)).await?;
            }
            tx.commit().await?;
        }
        self.since = Some(now);
        Ok(())
    }
}

fn took_too_long() -> Error {
    Error::Conflict("it took too long, and content that it stored may have been removed: start again".into())
}
