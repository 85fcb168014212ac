//! Runs an event in the middle of a use case.
use crate::watched::{Watch, Watched};
use async_trait::async_trait;
use domain::ports::Store;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

type Event = Pin<Box<dyn Future<Output = ()> + Send>>;

/// An event that happens once.
pub struct Once {
    event: Mutex<Option<Event>>,
    /// How many units of work begin before the event. `None`: the event happens before the first one that writes.
    left: Option<AtomicUsize>,
}

/// A store that runs an event between the units of work of a use case.
pub type Interleaved = Watched<Once>;

impl Interleaved {
    /// Runs `event` once, right before the first unit of work that writes: the use case has read and computed what to
    /// write, and has not written yet.
    pub fn new(store: Arc<dyn Store>, event: impl Future<Output = ()> + Send + 'static) -> Arc<Self> {
        Self::over(store, Once { event: Mutex::new(Some(Box::pin(event))), left: None })
    }

    /// Runs `event` once, after `units` units of work have begun, reads included.
    pub fn after(units: usize, store: Arc<dyn Store>, event: impl Future<Output = ()> + Send + 'static) -> Arc<Self> {
        let left = Some(AtomicUsize::new(units));
        Self::over(store, Once { event: Mutex::new(Some(Box::pin(event))), left })
    }

    /// Whether the event has not happened yet.
    pub fn is_pending(&self) -> bool {
        self.watch.event.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    /// Runs `work` until it ends or the event begins; the event never ends. Returns whether the work ended.
    pub async fn ends_before_event<T>(&self, work: impl Future<Output = T>) -> bool {
        tokio::select! {
            _ = work => true,
            () = async {
                while self.is_pending() {
                    tokio::task::yield_now().await;
                }
            } => false,
        }
    }
}

#[async_trait]
impl Watch for Once {
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
