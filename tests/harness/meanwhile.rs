//! Something else that happens while a use case is under way.
use async_trait::async_trait;
use domain::ports::{Store, StoreResult, Tx};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};

type Event = Pin<Box<dyn Future<Output = ()> + Send>>;

/// A store where something happens right before the first unit of work that writes: after a use case has read and worked
/// out what it wants to write, and before it writes it.
pub struct Meanwhile {
    store: Arc<dyn Store>,
    event: Mutex<Option<Event>>,
}

impl Meanwhile {
    /// Lets `event` happen once, in a store that otherwise is `store`.
    pub fn new(store: Arc<dyn Store>, event: impl Future<Output = ()> + Send + 'static) -> Arc<Self> {
        Arc::new(Self { store, event: Mutex::new(Some(Box::pin(event))) })
    }
}

#[async_trait]
impl Store for Meanwhile {
    async fn read(&self) -> StoreResult<Box<dyn Tx>> {
        self.store.read().await
    }

    async fn write(&self) -> StoreResult<Box<dyn Tx>> {
        let event = self.event.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(event) = event {
            event.await;
        }
        self.store.write().await
    }

    async fn ping(&self) -> StoreResult<()> {
        self.store.ping().await
    }

    async fn stamp(&self) -> Option<u64> {
        self.store.stamp().await
    }
}
