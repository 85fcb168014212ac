//! A store that observes its units of work.
use async_trait::async_trait;
use domain::ports::{Store, StoreResult, Tx};
use std::sync::Arc;

/// An observer of the units of work of a store.
#[async_trait]
pub trait Watch: Send + Sync {
    /// Called before a unit of work begins.
    async fn begin(&self, _writes: bool) {}

    /// Called when a unit of work that writes has begun. Returns the unit of work for the use case.
    fn opened(&self, tx: Box<dyn Tx>) -> Box<dyn Tx> {
        tx
    }

    /// Returns the stamp of the store.
    async fn stamp(&self, store: &dyn Store) -> Option<u64> {
        store.stamp().await
    }
}

/// A store with an observer.
pub struct Watched<W> {
    store: Arc<dyn Store>,
    pub(crate) watch: W,
}

impl<W: Watch> Watched<W> {
    /// Adds an observer to a store.
    pub fn over(store: Arc<dyn Store>, watch: W) -> Arc<Self> {
        Arc::new(Self { store, watch })
    }
}

#[async_trait]
impl<W: Watch> Store for Watched<W> {
    async fn read(&self) -> StoreResult<Box<dyn Tx>> {
        self.watch.begin(false).await;
        self.store.read().await
    }

    async fn write(&self) -> StoreResult<Box<dyn Tx>> {
        self.watch.begin(true).await;
        Ok(self.watch.opened(self.store.write().await?))
    }

    async fn ping(&self) -> StoreResult<()> {
        self.store.ping().await
    }

    async fn stamp(&self) -> Option<u64> {
        self.watch.stamp(&*self.store).await
    }

    async fn work(&self) {
        self.store.work().await;
    }
}
