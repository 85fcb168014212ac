//! Sending to webhooks. No unit of work is open during a request: a delivery is read, sent, and then its result is
//! stored in the step that checks the lease. A server that stops in between leaves the delivery pending, so another one
//! sends it again: a receiver gets each event at least once.
use super::Sender;
use super::lease::{Lease, Outcome, Stop};
use crate::event::Change;
use crate::id::{DeliveryId, OrganizationId, UserId, WebhookId};
use crate::job::Task;
use crate::ports::PostRequest;
use crate::usecases::Error;
use crate::usecases::notifications::notify::{locks_of_mails, webhook_disabled};
use crate::usecases::webhooks::content;
use crate::usecases::work::Work;
use crate::webhook::{DELIVERY_LIFETIME, Delivery, DeliveryState, DisabledReason, Response, Webhook, WebhookEvent};
use chrono::{DateTime, TimeDelta, Utc};

/// The number of bytes of a response that are read. Slightly more than are stored, so that no character is cut.
const READ: usize = 1028;
/// How long a delivery waits for an earlier one to the same webhook about the same object. When the earlier one ends,
/// it makes the next one due ([`store`]); the wait only matters if the earlier one ends without a response.
const PREDECESSOR_WAIT: TimeDelta = TimeDelta::minutes(10);
/// The number of deliveries that one step removes.
const REMOVED: usize = 500;
/// How often old deliveries are removed.
const DAILY: TimeDelta = TimeDelta::days(1);

/// The delivery of a job.
enum Found {
    /// It can be sent now.
    Ready(Box<Webhook>, Box<Delivery>, Box<WebhookEvent>),
    /// It cannot be sent now.
    Ended(Outcome),
}

/// Sends an event to a webhook.
pub(super) async fn webhook(lease: &Lease<'_>, id: &DeliveryId) -> Result<Outcome, Stop> {
    let Some(sender) = &lease.jobs.sender else {
        return Err(Error::Unable("send to webhooks").into());
    };
    let (webhook, delivery, event) = match prepare(lease, id).await? {
        Found::Ready(webhook, delivery, event) => (webhook, delivery, event),
        Found::Ended(outcome) => return Ok(outcome),
    };
    let response = request(lease, sender, &webhook, &delivery, &event).await?;
    store(lease, &delivery, response).await
}

fn again(id: &DeliveryId, at: DateTime<Utc>) -> Outcome {
    Outcome::Again(Task::SendWebhook { delivery: id.clone() }, at)
}

/// When a waiting delivery is due. Runs in the unit of work that stores the time, with the job locked. The earlier
/// delivery may have ended since it was found; while this job was running, it could not make this delivery due.
pub(super) async fn due(
    work: &mut Work<'_>,
    task: &Task,
    at: DateTime<Utc>,
    now: DateTime<Utc>,
) -> Result<DateTime<Utc>, Stop> {
    let Task::SendWebhook { delivery } = task else { return Ok(at) };
    let Some(delivery) = work.webhooks().delivery(delivery).await? else { return Ok(now) };
    let first = work.webhooks().first_pending(&delivery).await?;
    let waits = first.is_some_and(|first| first.id < delivery.id);
    Ok(if waits { at } else { delivery.next_attempt_at.unwrap_or(now) })
}

/// Loads a delivery that can be sent now.
async fn prepare(lease: &Lease<'_>, id: &DeliveryId) -> Result<Found, Stop> {
    let mut work = lease.read().await?;
    let found = work.webhooks().delivery(id).await?;
    let Some(delivery) = found.filter(|delivery| delivery.state == DeliveryState::Pending) else {
        return Ok(Found::Ended(Outcome::Done));
    };
    let Some(webhook) = work.webhooks().find(&delivery.organization, &delivery.webhook).await? else {
        drop(work);
        // The job that removes the deliveries of a deleted webhook may have run before this one was committed.
        let mut work = lease.step().await?;
        work.webhooks().remove_delivery(id).await?;
        work.commit().await?;
        return Ok(Found::Ended(Outcome::Done));
    };
    if webhook.disabled.is_some() {
        drop(work);
        // The event was committed after the webhook was disabled.
        let mut work = lease.step().await?;
        let mut delivery = delivery;
        delivery.stop(lease.now());
        // If it is no longer pending, another server has stopped it.
        work.webhooks().save_delivery(&delivery, DeliveryState::Pending).await?;
        work.commit().await?;
        return Ok(Found::Ended(Outcome::Done));
    }
    let first = work.webhooks().first_pending(&delivery).await?;
    if let Some(earlier) = first.filter(|first| first.id < delivery.id) {
        let next = earlier.next_attempt_at.map_or_else(|| lease.now(), |next| next.max(lease.now()));
        return Ok(Found::Ended(again(id, next + PREDECESSOR_WAIT)));
    }
    let event = content(&mut work, &delivery).await?;
    Ok(Found::Ready(Box::new(webhook), Box::new(delivery), Box::new(event)))
}

/// Sends the request, signed at this moment.
async fn request(
    lease: &Lease<'_>,
    sender: &Sender,
    webhook: &Webhook,
    delivery: &Delivery,
    event: &WebhookEvent,
) -> Result<Response, Stop> {
    let body = serde_json::to_vec(event).map_err(|error| Error::Corrupt(error.to_string()))?;
    let now = lease.now();
    let headers = vec![
        ("Content-Type", "application/json".to_owned()),
        ("Octavo-Webhook-Id", delivery.id.to_string()),
        ("Octavo-Webhook-Timestamp", now.timestamp().to_string()),
        ("Octavo-Webhook-Signature", sender.deriver.secret(webhook).sign(&delivery.id, now, &body)),
    ];
    let url = webhook.url.to_string();
    let sent = sender.fetcher.post(PostRequest { url, headers, body: body.into(), read: READ }).await;
    Ok(match sent {
        Ok(posted) => Response::new(posted.status, &posted.body),
        Err(error) => Response::None(error.to_string()),
    })
}

/// Stores the result of an attempt.
async fn store(lease: &Lease<'_>, sent: &Delivery, response: Response) -> Result<Outcome, Stop> {
    let now = lease.now();
    let mut expected = sent.clone();
    expected.record(response.clone(), now);
    // Only a failed delivery can disable the webhook.
    let (mut work, administrators) = match expected.state == DeliveryState::Failed {
        true => step_to_disable(lease, sent).await?,
        false => (lease.step().await?, Vec::new()),
    };
    let delivery = loop {
        // It may have been stopped or removed during the request.
        let Some(mut delivery) = work.webhooks().delivery(&sent.id).await? else { return Ok(Outcome::Done) };
        let loaded = delivery.state;
        delivery.record(response.clone(), now);
        // Another server may be stopping it at this moment. Only a pending one is stopped, so this happens at most
        // once.
        if work.webhooks().save_delivery(&delivery, loaded).await? {
            break delivery;
        }
    };
    if delivery.next_attempt_at.is_none()
        && let Some(next) = work.webhooks().first_pending(&delivery).await?
    {
        work.jobs().make_due(&Task::SendWebhook { delivery: next.id }, now).await?;
    }
    if delivery.state == DeliveryState::Failed {
        disable_if_nothing_arrived(&mut work, &delivery, &administrators).await?;
    }
    work.commit().await?;
    Ok(match delivery.next_attempt_at {
        Some(next) => again(&delivery.id, next),
        None => Outcome::Done,
    })
}

/// Opens the step that may disable the webhook of a failed delivery. Returns the administrators to notify.
///
/// The jobs that mail them come before this one in the order of locks, so they are locked together with it. If there
/// are other administrators by then, the step is opened again.
async fn step_to_disable<'l>(lease: &'l Lease<'_>, failed: &Delivery) -> Result<(Work<'l>, Vec<UserId>), Stop> {
    let mut work = lease.read().await?;
    let mut known = work.members().administrators(&failed.organization).await?;
    drop(work);
    loop {
        let mut locks = locks_of_mails(&failed.webhook, &known);
        locks.push((&failed.organization).into());
        let mut work = lease.step_with(&locks).await?;
        let administrators = work.members().administrators(&failed.organization).await?;
        if administrators.iter().all(|user| known.contains(user)) {
            return Ok((work, administrators));
        }
        known = administrators;
    }
}

/// Disables a webhook, and notifies the administrators, if none of its deliveries succeeded since the first attempt of
/// the failed one.
async fn disable_if_nothing_arrived(
    work: &mut Work<'_>,
    failed: &Delivery,
    administrators: &[UserId],
) -> Result<(), Error> {
    let since = failed.first_attempt_at.unwrap_or(failed.created_at);
    if work.webhooks().delivered_since(&failed.webhook, since).await? {
        return Ok(());
    }
    let found = work.webhooks().find(&failed.organization, &failed.webhook).await?;
    let Some(mut webhook) = found.filter(|webhook| webhook.disabled.is_none()) else { return Ok(()) };
    let now = work.now();
    webhook.disable(DisabledReason::Failures, now);
    work.webhooks().save(&webhook).await?;
    work.webhooks().stop_deliveries(&webhook.id, now).await?;
    work.record(&webhook.organization, Change::WebhookDisabled { webhook: webhook.id.clone() }).await?;
    webhook_disabled(work, &webhook, administrators).await
}

/// Removes the old deliveries of a webhook, and all deliveries of a deleted one.
pub(super) async fn remove_deliveries(
    lease: &Lease<'_>,
    organization: &OrganizationId,
    webhook: &WebhookId,
) -> Result<Outcome, Stop> {
    loop {
        let mut work = lease.step().await?;
        let exists = work.webhooks().find(organization, webhook).await?.is_some();
        let before = exists.then(|| lease.now() - DELIVERY_LIFETIME);
        let removed = work.webhooks().remove_deliveries(webhook, before, REMOVED).await?;
        work.commit().await?;
        if removed == 0 {
            let task = Task::RemoveDeliveries { organization: organization.clone(), webhook: webhook.clone() };
            return Ok(if exists { Outcome::Again(task, lease.now() + DAILY) } else { Outcome::Done });
        }
    }
}
