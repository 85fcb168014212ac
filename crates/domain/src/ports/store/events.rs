//! The event log.
use super::StoreResult;
use crate::event::Event;
use async_trait::async_trait;

/// Records what happened, in the unit of work that did it.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait EventLog: Send {
    /// Adds an event.
    async fn record(&mut self, event: &Event) -> StoreResult<()>;
    /// The newest events first, at most `limit`.
    async fn latest(&mut self, limit: usize) -> StoreResult<Vec<Event>>;
}
