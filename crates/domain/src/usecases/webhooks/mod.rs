//! Webhooks: creating, reading, updating and deleting them. See [`deliveries`] for the requests.
mod deliveries;

pub use deliveries::ShownDelivery;
pub(super) use deliveries::{content, create_deliveries};

use super::work::{Units, Work};
use super::{Error, Input, Precondition};
use crate::actor::Actor;
use crate::event::{Change, Differences};
use crate::id::{OrganizationId, WebhookId};
use crate::job::Task;
use crate::paging::{Page, PageRequest};
use crate::ports::Secrets;
use crate::webhook::{MAX_WEBHOOKS, NewWebhook, Webhook, WebhookPatch, WebhookSecret, WebhookSecretDeriver};
use std::sync::Arc;

/// Manages the webhooks of organizations, for their administrators.
#[derive(Clone)]
#[expect(missing_docs, reason = "the ports it needs")]
pub struct Webhooks {
    pub units: Units,
    pub secrets: Arc<dyn Secrets>,
    pub deriver: WebhookSecretDeriver,
}

/// Loads a webhook, for an administrator of its organization.
async fn find(work: &mut Work<'_>, organization: &OrganizationId, id: &WebhookId) -> Result<Webhook, Error> {
    work.organization(organization, |may| may.admin).await?;
    work.webhooks().find(organization, id).await?.ok_or(Error::NotFound("webhook"))
}

/// The job that removes the deliveries of a webhook.
fn removal(organization: &OrganizationId, webhook: &WebhookId) -> Task {
    Task::RemoveDeliveries { organization: organization.clone(), webhook: webhook.clone() }
}

impl Webhooks {
    /// The webhooks of an organization, oldest first.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Forbidden`] for callers other than administrators; [`Error::Invalid`].
    pub async fn list(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        page: Input<PageRequest>,
    ) -> Result<Page<Webhook>, Error> {
        let mut work = self.units.read(actor).await?;
        work.organization(organization, |may| may.admin).await?;
        Ok(work.webhooks().list(organization, &page.read()?).await?)
    }

    /// Creates a webhook. The secret is returned only once.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Forbidden`] for callers other than administrators; [`Error::Invalid`];
    /// [`Error::Conflict`] if the organization has [`MAX_WEBHOOKS`].
    pub async fn create(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        new: Input<NewWebhook>,
    ) -> Result<(Webhook, WebhookSecret), Error> {
        let mut work = self.units.write(actor).await?;
        work.lock(&[organization.into()]).await?;
        work.organization(organization, |may| may.admin).await?;
        let new = new.read()?;
        if work.webhooks().count(organization).await? >= MAX_WEBHOOKS {
            let full = format!("the organization already has {MAX_WEBHOOKS} webhooks: delete one first");
            return Err(Error::Conflict(full));
        }
        let now = work.now();
        let webhook = Webhook::new(work.ids.make(), organization.clone(), new, self.secrets.random(), now);
        work.webhooks().save(&webhook).await?;
        work.record(organization, Change::WebhookCreated { webhook: webhook.id.clone() }).await?;
        work.add_new_job(removal(organization, &webhook.id)).await?;
        work.commit().await?;
        let secret = self.deriver.secret(&webhook);
        Ok((webhook, secret))
    }

    /// A webhook.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Forbidden`] for callers other than administrators.
    pub async fn get(&self, actor: &Actor, organization: &OrganizationId, id: &WebhookId) -> Result<Webhook, Error> {
        let mut work = self.units.read(actor).await?;
        find(&mut work, organization, id).await
    }

    /// Changes the settings of a webhook. Disabling it stops its pending deliveries.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Forbidden`] for callers other than administrators; [`Error::Invalid`],
    /// [`Error::PreconditionFailed`].
    pub async fn update(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        id: &WebhookId,
        precondition: Precondition<Webhook>,
        patch: Input<WebhookPatch>,
    ) -> Result<Webhook, Error> {
        let mut work = self.units.write(actor).await?;
        work.lock(&[organization.into()]).await?;
        let mut webhook = find(&mut work, organization, id).await?;
        let patch = patch.read()?;
        precondition.check(&webhook)?;
        let now = work.now();
        let Some(before) = webhook.update(patch, now) else { return Ok(webhook) };
        work.webhooks().save(&webhook).await?;
        if webhook.disabled.is_some() {
            work.webhooks().stop_deliveries(id, now).await?;
        }
        let changes = Differences::between(&before, &webhook);
        let change = Change::WebhookUpdated { webhook: id.clone(), changes, secret_replaced: false };
        work.record(organization, change).await?;
        work.commit().await?;
        Ok(webhook)
    }

    /// Replaces the secret of a webhook. Later attempts are signed with the new secret, which is returned only once.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Forbidden`] for callers other than administrators.
    pub async fn replace_secret(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        id: &WebhookId,
    ) -> Result<(Webhook, WebhookSecret), Error> {
        let mut work = self.units.write(actor).await?;
        work.lock(&[organization.into()]).await?;
        let mut webhook = find(&mut work, organization, id).await?;
        webhook.salt = self.secrets.random();
        webhook.updated_at = work.now();
        work.webhooks().save(&webhook).await?;
        let changes = Differences::default();
        let change = Change::WebhookUpdated { webhook: id.clone(), changes, secret_replaced: true };
        work.record(organization, change).await?;
        work.commit().await?;
        let secret = self.deriver.secret(&webhook);
        Ok((webhook, secret))
    }

    /// Deletes a webhook. The server sends nothing to it any more, and a job removes its deliveries. Returns whether
    /// there was one.
    ///
    /// # Errors
    /// [`Error::NotFound`] for the organization; [`Error::Forbidden`] for callers other than administrators;
    /// [`Error::PreconditionFailed`].
    pub async fn remove(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        id: &WebhookId,
        precondition: Precondition<Webhook>,
    ) -> Result<bool, Error> {
        let removal = removal(organization, id);
        let mut work = self.units.write(actor).await?;
        work.lock(&[organization.into(), (&removal).into()]).await?;
        work.organization(organization, |may| may.admin).await?;
        let Some(webhook) = work.webhooks().find(organization, id).await? else {
            return precondition.nothing_removed();
        };
        precondition.check(&webhook)?;
        work.webhooks().remove(organization, id).await?;
        work.record(organization, Change::WebhookDeleted { webhook: id.clone() }).await?;
        work.add_job(removal).await?;
        work.commit().await?;
        Ok(true)
    }
}
