//! The event log.
use super::StoreResult;
use crate::event::{Action, Event};
use crate::id::{EventId, OrganizationId, UserId};
use crate::paging::{Page, PageRequest};
use async_trait::async_trait;
use chrono::{DateTime, Utc};

/// A filter for events; absent fields match all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EventFilter {
    /// Events of this organization.
    pub organization: Option<OrganizationId>,
    /// Events at this time or later.
    pub from: Option<DateTime<Utc>>,
    /// Events at this time or earlier.
    pub to: Option<DateTime<Utc>>,
    /// Events of this kind.
    pub action: Option<Action>,
    /// Events of this actor.
    pub actor: Option<UserId>,
    /// Events on the object with this id.
    pub target: Option<String>,
}

/// Stores events, in the unit of work that makes the change.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait EventLog: Send {
    /// Adds an event.
    async fn record(&mut self, event: &Event) -> StoreResult<()>;
    /// An event of an organization.
    async fn find(&mut self, organization: &OrganizationId, id: &EventId) -> StoreResult<Option<Event>>;
    /// Events by time.
    async fn list(&mut self, filter: &EventFilter, page: &PageRequest) -> StoreResult<Page<Event>>;
}
