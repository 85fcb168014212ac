//! Joining organizations by verified email domain, and instructions for agents.
use super::ServiceConfig;
use crate::Api;
use crate::answer::error::ApiError;
use crate::answer::links::Links;
use crate::answer::{Answered, done, ok};
use crate::request::Body;
use crate::request::if_match::{IfMatch, IfShown};
use crate::routes::at_length;
use crate::state::caller::Caller;
use crate::wire::instructions::{AgentInstructions, UpdateAgentInstructions, instructions};
use crate::wire::organization::{Organizations, organization};
use actix_web::web::{Data, Path};
use actix_web::{HttpResponse, get, post, put};
use domain::id::OrganizationId;

pub(super) fn configure(config: &mut ServiceConfig) {
    config.service(join_organization).service(list_organizations_of_email_domain);
    config.service(get_agent_instructions).service(update_agent_instructions);
}

/// Join an organization by verified email domain
#[utoipa::path(tag = "organizations", operation_id = "joinOrganization", params(("organizationId" = String, Path)),
    responses((status = 204, description = "The caller is a member")))]
#[post("/orgs/{organizationId}/join")]
async fn join_organization(
    api: Data<Api>,
    caller: Caller,
    path: Path<OrganizationId>,
) -> Result<HttpResponse, ApiError> {
    api.services.members.join(&caller, &path).await?;
    Ok(done())
}

/// List the organizations that accept an email domain
#[utoipa::path(tag = "organizations", operation_id = "getOrganizationsForEmailDomain",
    params(("emailDomain" = String, Path)),
    responses((status = 200, description = "Organizations that the caller may join or is a member of", body = Organizations)))]
#[get("/email-domains/{emailDomain}/orgs")]
async fn list_organizations_of_email_domain(api: Data<Api>, caller: Caller, path: Path<String>) -> Answered {
    let found = api.services.members.organizations_admitting(&caller, &path).await?;
    ok(&Organizations { organizations: found.into_iter().map(|found| organization(found, &api.links)).collect() })
}

/// Get the agent instructions of an organization
#[utoipa::path(tag = "organizations", operation_id = "getOrganizationAgentInstructions",
    params(("organizationId" = String, Path)),
    responses((status = 200, description = "The agent instructions", body = AgentInstructions)))]
#[get("/orgs/{organizationId}/agent-instructions")]
async fn get_agent_instructions(api: Data<Api>, caller: Caller, path: Path<OrganizationId>) -> Answered {
    ok(&instructions(api.services.instructions.get(&caller, &path).await?, &path, &api.links))
}

/// Set the agent instructions of an organization
#[utoipa::path(tag = "organizations", operation_id = "updateOrganizationAgentInstructions",
    params(("organizationId" = String, Path), IfShown), request_body = UpdateAgentInstructions,
    responses((status = 200, description = "The agent instructions", body = AgentInstructions)))]
#[put("/orgs/{organizationId}/agent-instructions")]
async fn update_agent_instructions(
    api: Data<Api>,
    caller: Caller,
    path: Path<OrganizationId>,
    body: Body<UpdateAgentInstructions>,
    wanted: IfMatch,
) -> Answered {
    let organization = path.into_inner();
    let shown = organization.clone();
    let wanted = wanted.shown(&api, move |current, links: &Links| instructions(current, &shown, links));
    at_length(api, caller, body.len(), move |api, caller| async move {
        let changed = api.services.instructions.put(&caller, &organization, wanted, body.input()).await?;
        ok(&instructions(changed, &organization, &api.links))
    })
    .await
}
