//! Deliveries of webhooks: creating them together with their events, listing them, and sending them again.
use super::{Webhooks, find};
use crate::actor::Actor;
use crate::event::Event;
use crate::id::{DeliveryId, OrganizationId, WebhookId};
use crate::job::{Job, Task};
use crate::paging::{Page, PageRequest};
use crate::usecases::people::People;
use crate::usecases::work::Work;
use crate::usecases::{Error, Input};
use crate::webhook::{Delivery, DeliveryState, Webhook, WebhookEvent};

/// A delivery with the body of its requests.
#[derive(Clone, Debug, PartialEq)]
pub struct ShownDelivery {
    /// The delivery.
    pub delivery: Delivery,
    /// The body.
    pub body: WebhookEvent,
}

/// Creates the deliveries of an event, and the jobs that send them, in the unit of work of the event. It takes no lock
/// and waits for no other writer, because each delivery and each job has a new id.
pub(in crate::usecases) async fn create_deliveries(
    work: &mut Work<'_>,
    organization: &OrganizationId,
    event: &Event,
) -> Result<(), Error> {
    let action = event.change.kind();
    if !action.is_sent() {
        return Ok(());
    }
    if work.webhooks.as_ref().is_none_or(|(of, _)| of != organization) {
        let enabled = work.webhooks().enabled(organization).await?;
        work.webhooks = Some((organization.clone(), enabled));
    }
    let enabled = work.webhooks.iter().flat_map(|(_, enabled)| enabled);
    let listening = enabled.filter(|webhook| webhook.events.includes(action));
    let deliveries: Vec<Delivery> = listening.map(|webhook| Delivery::of(work.ids.make(), webhook, event)).collect();
    add(work, &deliveries).await
}

/// Stores new deliveries and their jobs.
async fn add(work: &mut Work<'_>, deliveries: &[Delivery]) -> Result<(), Error> {
    if deliveries.is_empty() {
        return Ok(());
    }
    work.webhooks().add_deliveries(deliveries).await?;
    let job = |delivery: &Delivery| {
        let task = Task::SendWebhook { delivery: delivery.id.clone() };
        Job::new(work.ids.make(), task, delivery.created_at, delivery.created_at)
    };
    let jobs: Vec<Job> = deliveries.iter().map(job).collect();
    Ok(work.jobs().add_new(&jobs).await?)
}

/// The body of the requests of a delivery. It is built from the log, which never changes; only the name and the email
/// address of the actor are current. As in the log that administrators see, only members have an email address.
pub(in crate::usecases) async fn content(work: &mut Work<'_>, delivery: &Delivery) -> Result<WebhookEvent, Error> {
    let Some(id) = &delivery.event else { return Ok(WebhookEvent::ping(delivery)) };
    let found = work.events().find(&delivery.organization, id).await?;
    let event = found.ok_or_else(|| Error::Corrupt(format!("there is no event {id}")))?;
    let people = People::for_administrators(work, &delivery.organization, event.actor.clone()).await?;
    Ok(WebhookEvent::new(delivery, &event, people.get_if(event.actor.as_ref())?))
}

/// Loads a delivery of a webhook, for an administrator of its organization.
async fn find_delivery(
    work: &mut Work<'_>,
    organization: &OrganizationId,
    webhook: &WebhookId,
    id: &DeliveryId,
) -> Result<(Webhook, Delivery), Error> {
    let webhook = find(work, organization, webhook).await?;
    let found = work.webhooks().delivery(id).await?.filter(|delivery| delivery.webhook == webhook.id);
    Ok((webhook, found.ok_or(Error::NotFound("delivery"))?))
}

/// Checks that something can be sent to a webhook.
fn check_enabled(webhook: &Webhook) -> Result<(), Error> {
    match webhook.disabled {
        None => Ok(()),
        Some(_) => Err(Error::Conflict("the webhook is disabled: enable it first".into())),
    }
}

impl Webhooks {
    /// Sends a ping to a webhook.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Forbidden`] for callers other than administrators; [`Error::Conflict`] if the
    /// webhook is disabled.
    pub async fn ping(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        webhook: &WebhookId,
    ) -> Result<ShownDelivery, Error> {
        let mut work = self.units.write(actor).await?;
        work.lock_shared(&[organization.into()]).await?;
        let webhook = find(&mut work, organization, webhook).await?;
        check_enabled(&webhook)?;
        let ping = Delivery::ping(work.ids.make(), &webhook, work.now());
        self.send(work, ping).await
    }

    /// Sends an event to a webhook again, as a new delivery.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Forbidden`] for callers other than administrators; [`Error::Conflict`] if the
    /// webhook is disabled, or the delivery is still pending.
    pub async fn redeliver(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        webhook: &WebhookId,
        id: &DeliveryId,
    ) -> Result<ShownDelivery, Error> {
        let mut work = self.units.write(actor).await?;
        work.lock_shared(&[organization.into()]).await?;
        let (webhook, delivery) = find_delivery(&mut work, organization, webhook, id).await?;
        check_enabled(&webhook)?;
        if delivery.state == DeliveryState::Pending {
            return Err(Error::Conflict("the delivery is still pending: it will be retried".into()));
        }
        let again = delivery.again(work.ids.make(), &webhook, work.now());
        self.send(work, again).await
    }

    async fn send(&self, mut work: Work<'_>, delivery: Delivery) -> Result<ShownDelivery, Error> {
        add(&mut work, std::slice::from_ref(&delivery)).await?;
        let body = content(&mut work, &delivery).await?;
        work.commit().await?;
        Ok(ShownDelivery { delivery, body })
    }

    /// The deliveries of a webhook; with a state, only those in it.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Forbidden`] for callers other than administrators; [`Error::Invalid`].
    pub async fn deliveries(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        webhook: &WebhookId,
        query: Input<(Option<DeliveryState>, PageRequest)>,
    ) -> Result<Page<Delivery>, Error> {
        let mut work = self.units.read(actor).await?;
        let webhook = find(&mut work, organization, webhook).await?;
        let (state, page) = query.read()?;
        Ok(work.webhooks().deliveries(&webhook.id, state, &page).await?)
    }

    /// A delivery, with the body of its requests.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Forbidden`] for callers other than administrators.
    pub async fn delivery(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        webhook: &WebhookId,
        id: &DeliveryId,
    ) -> Result<ShownDelivery, Error> {
        let mut work = self.units.read(actor).await?;
        let (_, delivery) = find_delivery(&mut work, organization, webhook, id).await?;
        let body = content(&mut work, &delivery).await?;
        Ok(ShownDelivery { delivery, body })
    }
}
