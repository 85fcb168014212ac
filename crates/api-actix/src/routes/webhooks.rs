//! Webhooks and their deliveries.
use super::ServiceConfig;
use crate::Api;
use crate::answer::error::ApiError;
use crate::answer::{Answered, created, created_with_secret, deleted, ok, ok_with_secret};
use crate::request::if_match::{IfMatch, IfShown};
use crate::request::paging::{Paging, PagingParams};
use crate::request::{Body, Query};
use crate::state::caller::Caller;
use crate::wire::webhook::{
    CreateWebhook, UpdateWebhook, Webhook, WebhookDeliveryList, WebhookDeliveryParams, WebhookDeliveryWithPayload,
    WebhookList, WebhookWithSecret, delivery, webhook, with_payload, with_secret,
};
use actix_web::web::{Data, Path};
use actix_web::{HttpResponse, delete, get, patch, post};
use domain::id::{DeliveryId, OrganizationId, WebhookId};

pub(super) fn configure(config: &mut ServiceConfig) {
    config.service(list_webhooks).service(create_webhook).service(get_webhook).service(update_webhook);
    config.service(delete_webhook).service(replace_secret).service(ping);
    config.service(list_deliveries).service(get_delivery).service(redeliver);
}

/// List the webhooks of an organization
#[utoipa::path(tag = "webhooks", operation_id = "listOrganizationWebhooks",
    params(("organizationId" = String, Path), PagingParams),
    responses((status = 200, description = "Webhooks, oldest first", body = WebhookList)))]
#[get("/orgs/{organizationId}/webhooks")]
async fn list_webhooks(api: Data<Api>, caller: Caller, path: Path<OrganizationId>, paging: Paging) -> Answered {
    let found = api.services.webhooks.list(&caller, &path, paging.input()).await?;
    ok(&paging.list(found, |found| webhook(found, &api.links)))
}

/// Create a webhook
///
/// The secret is shown only in this response. An organization has at most 20 webhooks. With an `Idempotency-Key` the
/// webhook is created once, and the response is not stored.
#[utoipa::path(tag = "webhooks", operation_id = "createOrganizationWebhook", params(("organizationId" = String, Path)),
    request_body = CreateWebhook,
    responses((status = 201, description = "The webhook, with its secret", body = WebhookWithSecret, headers(("Location" = String)))))]
#[post("/orgs/{organizationId}/webhooks")]
async fn create_webhook(
    api: Data<Api>,
    caller: Caller,
    path: Path<OrganizationId>,
    body: Body<CreateWebhook>,
) -> Answered {
    let new = with_secret(api.services.webhooks.create(&caller, &path, body.input()).await?, &api.links);
    created_with_secret(new.location(), &new)
}

/// Get a webhook
#[utoipa::path(tag = "webhooks", operation_id = "getOrganizationWebhookById",
    params(("organizationId" = String, Path), ("webhookId" = String, Path)),
    responses((status = 200, description = "The webhook, without its secret", body = Webhook)))]
#[get("/orgs/{organizationId}/webhooks/{webhookId}")]
async fn get_webhook(api: Data<Api>, caller: Caller, path: Path<(OrganizationId, WebhookId)>) -> Answered {
    let (organization, id) = &*path;
    ok(&webhook(api.services.webhooks.get(&caller, organization, id).await?, &api.links))
}

/// Update a webhook
#[utoipa::path(tag = "webhooks", operation_id = "updateOrganizationWebhookById",
    params(("organizationId" = String, Path), ("webhookId" = String, Path), IfShown), request_body = UpdateWebhook,
    responses((status = 200, description = "The webhook", body = Webhook)))]
#[patch("/orgs/{organizationId}/webhooks/{webhookId}")]
async fn update_webhook(
    api: Data<Api>,
    caller: Caller,
    path: Path<(OrganizationId, WebhookId)>,
    body: Body<UpdateWebhook>,
    wanted: IfMatch,
) -> Answered {
    let (organization, id) = &*path;
    let wanted = wanted.shown(&api, webhook);
    ok(&webhook(api.services.webhooks.update(&caller, organization, id, wanted, body.input()).await?, &api.links))
}

/// Delete a webhook
///
/// Its pending deliveries are not sent.
#[utoipa::path(tag = "webhooks", operation_id = "deleteOrganizationWebhookById",
    params(("organizationId" = String, Path), ("webhookId" = String, Path), IfShown),
    responses((status = 205, description = "The webhook is deleted"), (status = 204, description = "There was no such webhook")))]
#[delete("/orgs/{organizationId}/webhooks/{webhookId}")]
async fn delete_webhook(
    api: Data<Api>,
    caller: Caller,
    path: Path<(OrganizationId, WebhookId)>,
    wanted: IfMatch,
) -> Result<HttpResponse, ApiError> {
    let (organization, id) = &*path;
    Ok(deleted(api.services.webhooks.remove(&caller, organization, id, wanted.shown(&api, webhook)).await?))
}

/// Replace the secret of a webhook
///
/// Later requests are signed with the new secret, also those of earlier deliveries. It is shown only in this response.
#[utoipa::path(tag = "webhooks", operation_id = "replaceOrganizationWebhookSecret",
    params(("organizationId" = String, Path), ("webhookId" = String, Path)),
    responses((status = 200, description = "The webhook, with its new secret", body = WebhookWithSecret)))]
#[post("/orgs/{organizationId}/webhooks/{webhookId}/secret")]
async fn replace_secret(api: Data<Api>, caller: Caller, path: Path<(OrganizationId, WebhookId)>) -> Answered {
    let (organization, id) = &*path;
    ok_with_secret(&with_secret(api.services.webhooks.replace_secret(&caller, organization, id).await?, &api.links))
}

/// Send a ping to a webhook
///
/// Returns 409 if the webhook is disabled.
#[utoipa::path(tag = "webhooks", operation_id = "pingOrganizationWebhook",
    params(("organizationId" = String, Path), ("webhookId" = String, Path)),
    responses((status = 201, description = "The delivery of the ping", body = WebhookDeliveryWithPayload, headers(("Location" = String)))))]
#[post("/orgs/{organizationId}/webhooks/{webhookId}/ping")]
async fn ping(api: Data<Api>, caller: Caller, path: Path<(OrganizationId, WebhookId)>) -> Answered {
    let (organization, id) = &*path;
    let new = with_payload(api.services.webhooks.ping(&caller, organization, id).await?, &api.links);
    created(new.location(), &new)
}

/// List the deliveries of a webhook
///
/// A delivery is kept for 30 days.
#[utoipa::path(tag = "webhooks", operation_id = "listOrganizationWebhookDeliveries",
    params(("organizationId" = String, Path), ("webhookId" = String, Path), WebhookDeliveryParams, PagingParams),
    responses((status = 200, description = "Deliveries, newest first", body = WebhookDeliveryList)))]
#[get("/orgs/{organizationId}/webhooks/{webhookId}/deliveries")]
async fn list_deliveries(
    api: Data<Api>,
    caller: Caller,
    path: Path<(OrganizationId, WebhookId)>,
    params: Query<WebhookDeliveryParams>,
    paging: Paging,
) -> Answered {
    let (organization, id) = &*path;
    let query = paging.newest_first_with(params);
    let found = api.services.webhooks.deliveries(&caller, organization, id, query).await?;
    ok(&paging.list(found, |found| delivery(found, &api.links)))
}

/// Get a delivery of a webhook
#[utoipa::path(tag = "webhooks", operation_id = "getOrganizationWebhookDeliveryById",
    params(("organizationId" = String, Path), ("webhookId" = String, Path), ("deliveryId" = String, Path)),
    responses((status = 200, description = "The delivery, with the body of its requests", body = WebhookDeliveryWithPayload)))]
#[get("/orgs/{organizationId}/webhooks/{webhookId}/deliveries/{deliveryId}")]
async fn get_delivery(api: Data<Api>, caller: Caller, path: Path<(OrganizationId, WebhookId, DeliveryId)>) -> Answered {
    let (organization, webhook, id) = &*path;
    ok(&with_payload(api.services.webhooks.delivery(&caller, organization, webhook, id).await?, &api.links))
}

/// Send an event to a webhook again
///
/// Creates another delivery of the same event. Returns 409 if the delivery is still pending, or if the webhook is
/// disabled.
#[utoipa::path(tag = "webhooks", operation_id = "redeliverOrganizationWebhookDelivery",
    params(("organizationId" = String, Path), ("webhookId" = String, Path), ("deliveryId" = String, Path)),
    responses((status = 201, description = "The new delivery", body = WebhookDeliveryWithPayload, headers(("Location" = String)))))]
#[post("/orgs/{organizationId}/webhooks/{webhookId}/deliveries/{deliveryId}/redeliver")]
async fn redeliver(api: Data<Api>, caller: Caller, path: Path<(OrganizationId, WebhookId, DeliveryId)>) -> Answered {
    let (organization, webhook, id) = &*path;
    let new = with_payload(api.services.webhooks.redeliver(&caller, organization, webhook, id).await?, &api.links);
    created(new.location(), &new)
}
