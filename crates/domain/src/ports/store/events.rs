//! The event log.
use super::StoreResult;
use crate::event::{Action, Event};
use crate::id::{EventId, OrganizationId, UserId};
use crate::paging::{Page, PageRequest};
use async_trait::async_trait;
use chrono::{DateTime, Utc};

/// Which events are wanted; what is absent does not matter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EventFilter {
    /// Those of this organization.
    pub organization: Option<OrganizationId>,
    /// Those that happened at this time or later.
    pub from: Option<DateTime<Utc>>,
    /// Those that happened at this time or earlier.
    pub to: Option<DateTime<Utc>>,
    /// Those of this kind.
    pub action: Option<Action>,
    /// What this user did.
    pub actor: Option<UserId>,
    /// What was done to the thing with this id.
    pub target: Option<String>,
}

/// Records what happened, in the unit of work that did it.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait EventLog: Send {
    /// Adds an event.
    async fn record(&mut self, event: &Event) -> StoreResult<()>;
    /// An event of an organization.
    async fn find(&mut self, organization: &OrganizationId, id: &EventId) -> StoreResult<Option<Event>>;
    /// Events by their time.
    async fn list(&mut self, filter: &EventFilter, page: &PageRequest) -> StoreResult<Page<Event>>;
}
