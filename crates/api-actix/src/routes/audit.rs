//! Audit events.
use super::{ServiceConfig, at_length};
use crate::Api;
use crate::answer::{Answered, ok};
use crate::request::Query;
use crate::request::paging::{Paging, PagingParams};
use crate::state::caller::Caller;
use crate::wire::audit::{AuditEvent, AuditEventActions, AuditEventList, AuditEventParams, actions, audit_event};
use actix_web::get;
use actix_web::web::{Data, Path};
use domain::id::{EventId, OrganizationId};

pub(super) fn configure(config: &mut ServiceConfig) {
    config.service(list_audit_events).service(get_audit_event).service(list_audit_event_actions);
}

/// List the audit events of an organization
#[utoipa::path(tag = "audit", operation_id = "listOrganizationAuditEvents",
    params(("organizationId" = String, Path), AuditEventParams, PagingParams),
    responses((status = 200, description = "Events, newest first", body = AuditEventList)))]
#[get("/orgs/{organizationId}/audit-events")]
async fn list_audit_events(
    api: Data<Api>,
    caller: Caller,
    path: Path<OrganizationId>,
    params: Query<AuditEventParams>,
    paging: Paging,
) -> Answered {
    at_length(api, caller, 0, move |api, caller| async move {
        let found = api.services.audit.events(&caller, &path, paging.newest_first_with(params)).await?;
        ok(&paging.list(found, |shown| audit_event(shown, &api.links)))
    })
    .await
}

/// Get an audit event
#[utoipa::path(tag = "audit", operation_id = "getOrganizationAuditEvent",
    params(("organizationId" = String, Path), ("auditEventId" = String, Path)),
    responses((status = 200, description = "The event", body = AuditEvent)))]
#[get("/orgs/{organizationId}/audit-events/{auditEventId}")]
async fn get_audit_event(api: Data<Api>, caller: Caller, path: Path<(OrganizationId, EventId)>) -> Answered {
    let (organization, id) = &*path;
    ok(&audit_event(api.services.audit.event(&caller, organization, id).await?, &api.links))
}

/// List the audit event types
#[utoipa::path(tag = "audit", operation_id = "listOrganizationAuditEventActions",
    params(("organizationId" = String, Path)),
    responses((status = 200, description = "All event types", body = AuditEventActions)))]
#[get("/orgs/{organizationId}/audit-event-actions")]
async fn list_audit_event_actions(api: Data<Api>, caller: Caller, path: Path<OrganizationId>) -> Answered {
    ok(&actions(api.services.audit.actions(&caller, &path).await?))
}
