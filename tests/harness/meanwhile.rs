//! Something else that happens while a use case is under way.
use async_trait::async_trait;
use domain::ports::{Store, StoreResult, Tx};
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

type Event = Pin<Box<dyn Future<Output = ()> + Send>>;

/// A store where something happens between the units of work of a use case.
pub struct Meanwhile {
    store: Arc<dyn Store>,
    event: Mutex<Option<Event>>,
    /// How many units of work are still to begin before it. Nothing: it happens before the first that writes.
    left: Option<AtomicUsize>,
}

impl Meanwhile {
    /// Lets `event` happen once, right before the first unit of work that writes: after a use case has read and worked out
    /// what it wants to write, and before it writes it.
    pub fn new(store: Arc<dyn Store>, event: impl Future<Output = ()> + Send + 'static) -> Arc<Self> {
        Arc::new(Self { store, event: Mutex::new(Some(Box::pin(event))), left: None })
    }

    /// Lets `event` happen once, right after so many units of work have begun, those that read too.
    pub fn after(units: usize, store: Arc<dyn Store>, event: impl Future<Output = ()> + Send + 'static) -> Arc<Self> {
        Arc::new(Self { store, event: Mutex::new(Some(Box::pin(event))), left: Some(AtomicUsize::new(units)) })
    }

    /// Whether the event is still to come.
    pub fn is_to_come(&self) -> bool {
        self.event.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    async fn begin(&self, writes: bool) {
        let now = match &self.left {
            None => writes,
            Some(left) => left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1)).is_err(),
        };
        let event = now.then(|| self.event.lock().unwrap_or_else(PoisonError::into_inner).take());
        if let Some(event) = event.flatten() {
            event.await;
        }
    }
}

#[async_trait]
impl Store for Meanwhile {
    async fn read(&self) -> StoreResult<Box<dyn Tx>> {
        self.begin(false).await;
        self.store.read().await
    }

    async fn write(&self) -> StoreResult<Box<dyn Tx>> {
        self.begin(true).await;
        self.store.write().await
    }

    async fn ping(&self) -> StoreResult<()> {
        self.store.ping().await
    }

    async fn stamp(&self) -> Option<u64> {
        self.store.stamp().await
    }

    async fn work(&self) {
        self.store.work().await;
    }
}
