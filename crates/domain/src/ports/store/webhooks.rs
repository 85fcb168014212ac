//! Webhooks and their deliveries.
use super::StoreResult;
use crate::id::{DeliveryId, OrganizationId, WebhookId};
use crate::paging::{Page, PageRequest};
use crate::webhook::{Delivery, DeliveryState, Webhook};
use async_trait::async_trait;
use chrono::{DateTime, Utc};

/// Stores webhooks and deliveries. The lock of the organization covers the webhooks. A delivery belongs to the job that
/// sends it.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait WebhookStore: Send {
    /// A webhook of an organization.
    async fn find(&mut self, organization: &OrganizationId, id: &WebhookId) -> StoreResult<Option<Webhook>>;
    /// The webhooks of an organization by id, so the oldest first.
    async fn list(&mut self, organization: &OrganizationId, page: &PageRequest) -> StoreResult<Page<Webhook>>;
    /// The number of webhooks of an organization.
    async fn count(&mut self, organization: &OrganizationId) -> StoreResult<usize>;
    /// The webhooks of an organization that are not disabled. None if there were none when this writing unit of work
    /// loaded a space of the organization.
    async fn enabled(&mut self, organization: &OrganizationId) -> StoreResult<Vec<Webhook>>;
    /// Adds or updates a webhook.
    async fn save(&mut self, webhook: &Webhook) -> StoreResult<()>;
    /// Removes a webhook. Its deliveries stay until [`Self::remove_deliveries`] removes them.
    async fn remove(&mut self, organization: &OrganizationId, id: &WebhookId) -> StoreResult<()>;
    /// Adds deliveries. Does not check whether the webhooks still exist, so that no writer waits for another one.
    async fn add_deliveries(&mut self, deliveries: &[Delivery]) -> StoreResult<()>;
    /// A delivery.
    async fn delivery(&mut self, id: &DeliveryId) -> StoreResult<Option<Delivery>>;
    /// The deliveries of a webhook by id, of one state if there is one.
    async fn deliveries(
        &mut self,
        webhook: &WebhookId,
        state: Option<DeliveryState>,
        page: &PageRequest,
    ) -> StoreResult<Page<Delivery>>;
    /// The first pending delivery of the same webhook and object, which may be this one.
    async fn first_pending(&mut self, delivery: &Delivery) -> StoreResult<Option<Delivery>>;
    /// Updates a delivery if the database still has the state that it was loaded with; waits for other writers of it.
    /// Returns whether it was stored: if not, another server has stopped or removed it in the meantime.
    async fn save_delivery(&mut self, delivery: &Delivery, loaded: DeliveryState) -> StoreResult<bool>;
    /// Stops all pending deliveries of a webhook.
    async fn stop_deliveries(&mut self, webhook: &WebhookId, now: DateTime<Utc>) -> StoreResult<()>;
    /// Whether a delivery of a webhook succeeded at this time or later.
    async fn delivered_since(&mut self, webhook: &WebhookId, since: DateTime<Utc>) -> StoreResult<bool>;
    /// Removes up to `limit` deliveries of a webhook that were created before this time and are not pending. Without a
    /// time, it removes any deliveries. Returns the number of removed deliveries.
    async fn remove_deliveries(
        &mut self,
        webhook: &WebhookId,
        before: Option<DateTime<Utc>>,
        limit: usize,
    ) -> StoreResult<usize>;
    /// Removes one delivery.
    async fn remove_delivery(&mut self, id: &DeliveryId) -> StoreResult<()>;
}
