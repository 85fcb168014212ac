//! Organizations.
use super::ServiceConfig;
use crate::Api;
use crate::answer::{Answered, created, ok};
use crate::request::if_match::{IfMatch, IfShown};
use crate::request::paging::{Paging, PagingParams};
use crate::request::{Body, Query};
use crate::state::caller::Caller;
use crate::wire::organization::{
    CreateOrganization, CreateOrganizationParams, Organization, OrganizationList, UpdateOrganization, organization,
};
use actix_web::web::{Data, Path};
use actix_web::{get, patch, post};
use domain::id::OrganizationId;
use domain::usecases::Input;
use domain::usecases::organizations::NewOrganization;

pub(super) fn configure(config: &mut ServiceConfig) {
    config
        .service(list_organizations)
        .service(create_organization)
        .service(get_organization)
        .service(update_organization);
}

/// List the caller's organizations
#[utoipa::path(tag = "organizations", operation_id = "listOrganizationsForAuthenticatedUser", params(PagingParams),
    responses((status = 200, description = "Organizations, oldest first", body = OrganizationList)))]
#[get("/orgs")]
async fn list_organizations(api: Data<Api>, caller: Caller, paging: Paging) -> Answered {
    let found = api.services.organizations.list(&caller, paging.input()).await?;
    ok(&paging.list(found, |found| organization(found, &api.links)))
}

/// Create an organization
#[utoipa::path(tag = "organizations", operation_id = "createOrganization", params(CreateOrganizationParams),
    request_body = CreateOrganization,
    responses((status = 201, description = "The organization", body = Organization, headers(("Location" = String)))))]
#[post("/orgs")]
async fn create_organization(
    api: Data<Api>,
    caller: Caller,
    options: Query<CreateOrganizationParams>,
    body: Body<CreateOrganization>,
) -> Answered {
    let new = body.input();
    let new = Input::new(move || Ok(NewOrganization { with_default_site: options.read()?, ..new.read()? }));
    let new = organization(api.services.organizations.create(&caller, new).await?, &api.links);
    created(new.urls().location.clone(), &new)
}

/// Get an organization
#[utoipa::path(tag = "organizations", operation_id = "getOrganizationById", params(("organizationId" = String, Path)),
    responses((status = 200, description = "The organization", body = Organization)))]
#[get("/orgs/{organizationId}")]
async fn get_organization(api: Data<Api>, caller: Caller, path: Path<OrganizationId>) -> Answered {
    let found = api.services.organizations.get(&caller, &path).await?;
    ok(&organization(found, &api.links))
}

/// Update an organization
#[utoipa::path(tag = "organizations", operation_id = "updateOrganizationById", params(("organizationId" = String, Path), IfShown),
    request_body = Option<UpdateOrganization>, responses((status = 200, description = "The organization", body = Organization)))]
#[patch("/orgs/{organizationId}")]
async fn update_organization(
    api: Data<Api>,
    caller: Caller,
    path: Path<OrganizationId>,
    body: Body<UpdateOrganization>,
    wanted: IfMatch,
) -> Answered {
    let wanted = wanted.shown(&api, organization);
    let changed = api.services.organizations.update(&caller, &path, wanted, body.input_or_default()).await?;
    ok(&organization(changed, &api.links))
}
