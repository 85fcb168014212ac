//! A store whose units of work somebody watches.
use async_trait::async_trait;
use domain::ports::{Store, StoreResult, Tx};
use std::sync::Arc;

/// What is done with the units of work of a store.
#[async_trait]
pub trait Watch: Send + Sync {
    /// A unit of work is about to begin.
    async fn begin(&self, _writes: bool) {}

    /// One that writes has begun: the one that goes to the use case.
    fn opened(&self, tx: Box<dyn Tx>) -> Box<dyn Tx> {
        tx
    }
}

/// A store that is watched.
pub struct Watched<W> {
    store: Arc<dyn Store>,
    pub(crate) watch: W,
}

impl<W: Watch> Watched<W> {
    /// Has the units of work of a store watched.
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
        self.store.stamp().await
    }

    async fn work(&self) {
        self.store.work().await;
    }
}
