//! Units of work that know their caller. Every use case opens one ([`Units`]) and uses it for everything: it loads
//! objects with a check of the caller's permission (`open.rs`), saves them through the storage traits, records events
//! and commits.
use super::Error;
use super::content::ahead::Stored;
use super::content::{LinkCache, PageCache};
use super::idempotency::{Attempts, Held};
use super::open::KnownPermissions;
use super::openapi_specs::cache::SpecCache;
use super::visiting::deny_visitors;
use super::webhooks;
use crate::actor::Actor;
use crate::content::object::Hash;
use crate::event::{Change, Event};
use crate::id::OrganizationId;
use crate::idempotency::{Attempt, IdempotencyKey, KEY_LIFETIME};
use crate::job::{Job, Task};
use crate::ports::{Clock, Ids, Store, StoreError, StoreResult, Tx};
use crate::webhook::Webhook;
use bytes::Bytes;
use chrono::{DateTime, Utc};
use std::cell::OnceCell;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

/// Opens units of work.
#[derive(Clone)]
#[expect(missing_docs, reason = "the ports it needs")]
pub struct Units {
    pub store: Arc<dyn Store>,
    pub clock: Arc<dyn Clock>,
    pub ids: Arc<dyn Ids>,
    /// Whether the server sends e-mail.
    pub mails: bool,
    pub(super) server: Arc<ServerState>,
}

/// The state of a server process that all its units of work share.
#[derive(Default)]
pub(super) struct ServerState {
    pub(super) attempts: Attempts,
    pub(super) spec_cache: SpecCache,
    pub(super) link_cache: LinkCache,
    pub(super) page_cache: PageCache,
}

impl Units {
    /// Units of work on these ports, of a server that sends no e-mail.
    pub fn new(store: Arc<dyn Store>, clock: Arc<dyn Clock>, ids: Arc<dyn Ids>) -> Self {
        Self { store, clock, ids, mails: false, server: Arc::default() }
    }

    /// The same ports with another store.
    pub fn on(&self, store: Arc<dyn Store>) -> Self {
        Self { store, ..self.clone() }
    }

    /// Opens a read-only unit of work on one snapshot.
    pub(super) async fn read<'a>(&'a self, actor: &'a Actor) -> Result<Work<'a>, Error> {
        self.check_attempt(actor)?;
        Ok(self.work(actor, self.store.read().await?))
    }

    /// Opens a read-only unit of work without a snapshot, for one query or for content that never changes.
    pub(super) async fn query<'a>(&'a self, actor: &'a Actor) -> Result<Work<'a>, Error> {
        Ok(self.work(actor, self.store.query().await?))
    }

    /// Opens a writing unit of work and checks the token again: it may have been revoked while the server received the
    /// request. A request with an idempotency key is stored in the same unit of work.
    ///
    /// # Errors
    /// [`Error::Forbidden`] for visitors of sites, who may change nothing; [`Error::Unauthenticated`] if the token is
    /// no longer valid; [`Error::Conflict`] if the same request is running now.
    pub(super) async fn write<'a>(&'a self, actor: &'a Actor) -> Result<Work<'a>, Error> {
        self.check_attempt(actor)?;
        deny_visitors(actor)?;
        let mut work = self.write_unchecked(actor).await?;
        let Actor::User { user, token, idempotency_key, .. } = actor else { return Ok(work) };
        let now = self.clock.now();
        let known = work.tokens().find(token).await?;
        if known.is_none_or(|token| !token.is_valid(now)) {
            return Err(Error::Unauthenticated("the token was revoked or expired during the request"));
        }
        if let Some(idempotency_key) = idempotency_key {
            let begun = work.idempotency().begin(user, idempotency_key, now, now - KEY_LIFETIME).await;
            begun.map_err(|error| match error {
                StoreError::Conflict(_) => {
                    Error::Conflict("a request with this Idempotency-Key is still running: try again later".into())
                }
                other => other.into(),
            })?;
            work.attempt = idempotency_key.attempt;
        }
        Ok(work)
    }

    /// Opens a writing unit of work without checking the token.
    pub(super) async fn write_unchecked<'a>(&'a self, actor: &'a Actor) -> Result<Work<'a>, Error> {
        Ok(self.work(actor, self.store.write().await?))
    }

    fn work<'a>(&'a self, actor: &'a Actor, tx: Box<dyn Tx>) -> Work<'a> {
        Work {
            tx,
            actor,
            units: self,
            ids: &*self.ids,
            now: OnceCell::new(),
            attempt: None,
            webhooks: None,
            permissions: None,
            has_used_storage: false,
        }
    }

    fn check_attempt(&self, actor: &Actor) -> Result<(), Error> {
        match actor {
            Actor::User { idempotency_key: Some(IdempotencyKey { attempt: Some(attempt), .. }), .. } => {
                self.server.attempts.check(*attempt)
            }
            _ => Ok(()),
        }
    }
}

/// A unit of work of a caller. It dereferences to [`Tx`], which gives the storage traits and the locks. Dropping it
/// rolls everything back.
pub(super) struct Work<'a> {
    tx: Box<dyn Tx>,
    /// The caller.
    pub(super) actor: &'a Actor,
    units: &'a Units,
    pub(super) ids: &'a dyn Ids,
    now: OnceCell<DateTime<Utc>>,
    /// The stored request with an idempotency key whose response is committed with this unit of work.
    attempt: Option<Attempt>,
    /// The enabled webhooks of the organization of the last event.
    pub(super) webhooks: Option<(OrganizationId, Vec<Webhook>)>,
    /// The permissions of users on the space that was asked about last.
    pub(super) permissions: Option<KnownPermissions>,
    /// See [`Work::has_used_storage`].
    has_used_storage: bool,
}

impl Deref for Work<'_> {
    type Target = dyn Tx;

    fn deref(&self) -> &Self::Target {
        &*self.tx
    }
}

impl DerefMut for Work<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        self.has_used_storage = true;
        &mut *self.tx
    }
}

impl<'a> Work<'a> {
    /// The cache of links. It can be used while the storage is.
    pub(super) fn link_cache(&self) -> &'a LinkCache {
        &self.units.server.link_cache
    }

    /// The cache of pages. It can be used while the storage is.
    pub(super) fn page_cache(&self) -> &'a PageCache {
        &self.units.server.page_cache
    }
}

impl Work<'_> {
    /// Sets the time of the changes, for changes that were computed before this unit of work.
    pub(super) fn at(self, time: DateTime<Utc>) -> Self {
        Self { now: time.into(), ..self }
    }

    /// The cache of versions of specs.
    pub(super) fn spec_cache(&self) -> &SpecCache {
        &self.units.server.spec_cache
    }

    /// The time of the changes. The clock is read once, when this is first called: after the first read that follows the
    /// locks, so the changes of an object are in the order of their times.
    pub(super) fn now(&self) -> DateTime<Utc> {
        *self.now.get_or_init(|| self.units.clock.now())
    }

    /// Whether the server sends e-mail.
    pub(super) fn mails(&self) -> bool {
        self.units.mails
    }

    /// The storage alone.
    pub(super) fn tx(&mut self) -> &mut dyn Tx {
        self.has_used_storage = true;
        &mut *self.tx
    }

    /// Whether anything was read from the storage or written to it, except objects of content that were there, which never
    /// change.
    pub(super) fn has_used_storage(&self) -> bool {
        self.has_used_storage
    }

    /// Loads objects of content. Those that were removed are left out.
    pub(super) async fn load_objects(&mut self, hashes: &[Hash]) -> StoreResult<Vec<(Hash, Bytes)>> {
        let found = self.tx.content().objects(hashes).await?;
        // Whether an object is still there depends on the state of the storage.
        self.has_used_storage |= found.len() < hashes.len();
        Ok(found)
    }

    /// Adds an event to the log of an organization, and creates its deliveries to the organization's webhooks.
    pub(super) async fn record(&mut self, organization: &OrganizationId, change: Change) -> Result<(), Error> {
        let event = self.add_event(Some(organization), change).await?;
        webhooks::create_deliveries(self, organization, &event).await
    }

    /// Adds an event that belongs to no organization. Only the operator sees it.
    pub(super) async fn record_for_operator(&mut self, change: Change) -> Result<(), Error> {
        self.add_event(None, change).await.map(drop)
    }

    async fn add_event(&mut self, organization: Option<&OrganizationId>, change: Change) -> Result<Event, Error> {
        let token = match self.actor {
            Actor::User { token, .. } => Some(token.clone()),
            Actor::Visitor(_) | Actor::Operator | Actor::Server => None,
        };
        let event = Event {
            id: self.ids.make(),
            organization: organization.cloned(),
            actor: self.actor.user().cloned(),
            token,
            source: self.actor.source(),
            client: self.actor.client().cloned(),
            at: self.now(),
            change,
        };
        self.events().record(&event).await?;
        Ok(event)
    }

    /// Adds a job that is due now. If the same work is already waiting or running, it starts again from the beginning.
    /// The job must be locked.
    pub(super) async fn add_job(&mut self, task: Task) -> Result<(), Error> {
        let now = self.now();
        let job = Job::new(self.ids.make(), task, now, now);
        Ok(self.jobs().add(&job).await?)
    }

    /// Adds a job that is due now, and whose key contains a new id. No other job has the same work, so it takes no
    /// lock.
    pub(super) async fn add_new_job(&mut self, task: Task) -> Result<(), Error> {
        let now = self.now();
        let job = Job::new(self.ids.make(), task, now, now);
        Ok(self.jobs().add_new(&[job]).await?)
    }

    /// Commits all changes. For a request with an idempotency key, they are committed together with the response, as
    /// soon as it is known. It must be the last unit of work of the request.
    pub(super) async fn commit(self) -> Result<(), Error> {
        self.commit_and_release(Stored::default()).await
    }

    /// As [`Self::commit`], and then releases objects that were stored ahead.
    pub(super) async fn commit_and_release(self, stored: Stored) -> Result<(), Error> {
        let Self { tx, units, attempt, .. } = self;
        if let Some(attempt) = attempt {
            return units.server.attempts.hold(attempt, Held { tx, stored });
        }
        tx.commit().await?;
        stored.release(&*units.store).await;
        Ok(())
    }
}

#[cfg(test)]
impl Units {
    /// Units of work of a store, at the epoch.
    pub(super) fn over(store: Arc<dyn Store>) -> Self {
        use crate::ports::testing::{Counting, FixedClock};
        Self::new(store, Arc::new(FixedClock(DateTime::UNIX_EPOCH)), Arc::new(Counting::default()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ports::testing::{Counting, MockTx};
    use chrono::TimeDelta;
    use std::sync::atomic::{AtomicI64, Ordering};

    /// A clock that is one second later each time it is read.
    #[derive(Default)]
    struct Ticking(AtomicI64);

    impl Clock for Ticking {
        fn now(&self) -> DateTime<Utc> {
            DateTime::UNIX_EPOCH + TimeDelta::seconds(self.0.fetch_add(1, Ordering::SeqCst))
        }
    }

    fn ticking(tx: MockTx) -> Units {
        Units::new(tx.into_store().0, Arc::new(Ticking::default()), Arc::new(Counting::default()))
    }

    #[tokio::test]
    async fn the_time_is_read_once_and_when_it_is_first_needed() {
        let units = ticking(MockTx::default());
        let work = units.read(&Actor::Server).await.unwrap();
        let earlier = units.clock.now();
        assert_eq!((work.now() - earlier, work.now()), (TimeDelta::seconds(1), work.now()));
    }

    #[tokio::test]
    async fn objects_that_are_there_depend_on_no_state_of_the_storage() {
        let (there, gone) = (Hash::of(b"there"), Hash::of(b"gone"));
        let mut tx = MockTx::default();
        tx.content.expect_objects().returning(move |hashes| {
            let found = hashes.iter().filter(|hash| **hash == there);
            Ok(found.map(|hash| (*hash, Bytes::from_static(b"there"))).collect())
        });
        let units = ticking(tx);
        let mut work = units.read(&Actor::Server).await.unwrap();
        assert_eq!(work.load_objects(&[there]).await.unwrap().len(), 1);
        assert!(!work.has_used_storage());
        assert_eq!(work.load_objects(&[there, gone]).await.unwrap().len(), 1);
        assert!(work.has_used_storage(), "one was removed");
    }

    #[tokio::test]
    async fn changes_that_were_computed_earlier_have_that_time() {
        let (units, time) = (ticking(MockTx::default()), DateTime::UNIX_EPOCH - TimeDelta::days(1));
        assert_eq!(units.write(&Actor::Server).await.unwrap().at(time).now(), time);
    }

    #[tokio::test]
    async fn an_event_has_the_caller_and_the_time_of_its_unit_of_work() {
        let mut tx = MockTx::default();
        let ada = Actor::of("ada".parse().unwrap(), "t".parse().unwrap());
        tx.events
            .expect_record()
            .withf(|event| {
                let by = event.actor.as_ref().map(|user| user.as_str()) == Some("ada");
                let with = event.token.as_ref().map(|token| token.as_str()) == Some("t");
                by && with && event.at == DateTime::UNIX_EPOCH && event.organization == "o".parse().ok()
            })
            .times(2)
            .returning(|_| Ok(()));
        let units = ticking(tx);
        let mut work = units.read(&ada).await.unwrap();
        for space in ["a", "b"] {
            let change = Change::SpaceDeleted { space: space.parse().unwrap() };
            work.record(&"o".parse().unwrap(), change).await.unwrap();
        }
    }
}
