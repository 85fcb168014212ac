//! The sections of a site, and groups of them.
use super::ServiceConfig;
use super::structure::{added, remove_part, update_part};
use crate::Api;
use crate::answer::error::ApiError;
use crate::answer::{Answered, ok, ok_with_key};
use crate::request::if_match::{IfMatch, IfShown};
use crate::request::paging::{Paging, PagingParams};
use crate::request::{Body, Query};
use crate::routes::at_length;
use crate::state::caller::Caller;
use crate::wire::site::{
    AddGroupedSection, CreateSection, CreateSectionGroup, Section, SectionGroup, SectionGroupList, SectionList,
    ShareKeyParams, UpdateSection, UpdateSectionGroup, section, section_group,
};
use actix_web::web::{Data, Path};
use actix_web::{HttpRequest, HttpResponse, delete, get, patch, post};
use domain::id::{OrganizationId, SiteId, SiteSectionGroupId, SiteSectionId};

pub(super) fn configure(config: &mut ServiceConfig) {
    config.service(list_sections).service(add_section).service(update_section).service(delete_section);
    config.service(list_groups).service(add_group).service(update_group).service(delete_group);
    config.service(add_section_to_group);
}

/// List the sections of a site
#[utoipa::path(tag = "site-structure", operation_id = "listSiteSections",
    params(("organizationId" = String, Path), ("siteId" = String, Path), ShareKeyParams, PagingParams),
    responses((status = 200, description = "Sections, in order", body = SectionList)))]
#[get("/orgs/{organizationId}/sites/{siteId}/sections")]
async fn list_sections(
    api: Data<Api>,
    caller: Caller,
    path: Path<(OrganizationId, SiteId)>,
    params: Query<ShareKeyParams>,
    paging: Paging,
) -> Answered {
    at_length(api, caller, 0, move |api, caller| async move {
        let ((organization, id), key) = (&*path, params.read());
        let (of, found) = api.services.sites.sections(&caller, organization, id, paging.with(params)).await?;
        ok_with_key(key?.as_ref(), &paging.list(found, |one| section(&of, &one, &api.links)))
    })
    .await
}

/// Add a section to a site
///
/// The spaces of a site without sections become its first section.
#[utoipa::path(tag = "site-structure", operation_id = "addSectionToSite",
    params(("organizationId" = String, Path), ("siteId" = String, Path)), request_body = CreateSection,
    responses((status = 201, description = "The section", body = Section, headers(("Location" = String)))))]
#[post("/orgs/{organizationId}/sites/{siteId}/sections")]
async fn add_section(
    api: Data<Api>,
    caller: Caller,
    path: Path<(OrganizationId, SiteId)>,
    body: Body<CreateSection>,
) -> Answered {
    let (organization, id) = path.into_inner();
    at_length(api, caller, body.len(), move |api, caller| async move {
        let new = api.services.sites.add_section(&caller, &organization, &id, body.input()).await?;
        added(&api, &(organization, id), &new)
    })
    .await
}

/// Update a section of a site
#[utoipa::path(tag = "site-structure", operation_id = "updateSiteSectionById",
    params(("organizationId" = String, Path), ("siteId" = String, Path), ("siteSectionId" = String, Path),
        ("Prefer" = Option<String>, Header, description = "`return=minimal` for a response without a body"), IfShown),
    request_body = UpdateSection,
    responses((status = 200, description = "The section", body = Section),
        (status = 204, description = "The section is updated (with `Prefer: return=minimal`)")))]
#[patch("/orgs/{organizationId}/sites/{siteId}/sections/{siteSectionId}")]
async fn update_section(
    api: Data<Api>,
    caller: Caller,
    path: Path<(OrganizationId, SiteId, SiteSectionId)>,
    body: Body<UpdateSection>,
    wanted: IfMatch,
    request: HttpRequest,
) -> Answered {
    update_part(api, caller, &request, (body, wanted), move |api, caller, wanted, patch| async move {
        let (organization, site, id) = &*path;
        api.services.sites.update_section(&caller, organization, (site, id), wanted, patch).await
    })
    .await
}

/// Remove a section from a site, with its spaces
///
/// The spaces themselves are not deleted.
#[utoipa::path(tag = "site-structure", operation_id = "deleteSiteSectionById",
    params(("organizationId" = String, Path), ("siteId" = String, Path), ("siteSectionId" = String, Path), IfShown),
    responses((status = 205, description = "The section is removed"), (status = 204, description = "There was no such section")))]
#[delete("/orgs/{organizationId}/sites/{siteId}/sections/{siteSectionId}")]
async fn delete_section(
    api: Data<Api>,
    caller: Caller,
    path: Path<(OrganizationId, SiteId, SiteSectionId)>,
    wanted: IfMatch,
) -> Result<HttpResponse, ApiError> {
    remove_part(api, caller, wanted, move |api, caller, wanted| async move {
        let (organization, site, id) = &*path;
        api.services.sites.remove_section(&caller, organization, (site, id), wanted).await
    })
    .await
}

/// List the groups of sections of a site
#[utoipa::path(tag = "site-structure", operation_id = "listSiteSectionGroups",
    params(("organizationId" = String, Path), ("siteId" = String, Path), PagingParams),
    responses((status = 200, description = "Groups, each after the one that contains it", body = SectionGroupList)))]
#[get("/orgs/{organizationId}/sites/{siteId}/section-groups")]
async fn list_groups(api: Data<Api>, caller: Caller, path: Path<(OrganizationId, SiteId)>, paging: Paging) -> Answered {
    at_length(api, caller, 0, move |api, caller| async move {
        let (organization, id) = &*path;
        let (of, found) = api.services.sites.section_groups(&caller, organization, id, paging.input()).await?;
        ok(&paging.list(found, |one| section_group(&of, &one, &api.links)))
    })
    .await
}

/// Add a group of sections to a site
///
/// Only sites with sections have groups.
#[utoipa::path(tag = "site-structure", operation_id = "addSectionGroupToSite",
    params(("organizationId" = String, Path), ("siteId" = String, Path)), request_body = CreateSectionGroup,
    responses((status = 201, description = "The group", body = SectionGroup, headers(("Location" = String)))))]
#[post("/orgs/{organizationId}/sites/{siteId}/section-groups")]
async fn add_group(
    api: Data<Api>,
    caller: Caller,
    path: Path<(OrganizationId, SiteId)>,
    body: Body<CreateSectionGroup>,
) -> Answered {
    at_length(api, caller, body.len(), move |api, caller| async move {
        let (organization, id) = &*path;
        let new = api.services.sites.add_section_group(&caller, organization, id, body.input()).await?;
        added(&api, &path, &new)
    })
    .await
}

/// Update a group of sections
#[utoipa::path(tag = "site-structure", operation_id = "updateSiteSectionGroupById",
    params(("organizationId" = String, Path), ("siteId" = String, Path), ("siteSectionGroupId" = String, Path),
        ("Prefer" = Option<String>, Header, description = "`return=minimal` for a response without a body"), IfShown),
    request_body = UpdateSectionGroup,
    responses((status = 200, description = "The group", body = SectionGroup),
        (status = 204, description = "The group is updated (with `Prefer: return=minimal`)")))]
#[patch("/orgs/{organizationId}/sites/{siteId}/section-groups/{siteSectionGroupId}")]
async fn update_group(
    api: Data<Api>,
    caller: Caller,
    path: Path<(OrganizationId, SiteId, SiteSectionGroupId)>,
    body: Body<UpdateSectionGroup>,
    wanted: IfMatch,
    request: HttpRequest,
) -> Answered {
    update_part(api, caller, &request, (body, wanted), move |api, caller, wanted, patch| async move {
        let (organization, site, id) = &*path;
        api.services.sites.update_section_group(&caller, organization, (site, id), wanted, patch).await
    })
    .await
}

/// Remove a group of sections
///
/// Its children take its place.
#[utoipa::path(tag = "site-structure", operation_id = "deleteSiteSectionGroupById",
    params(("organizationId" = String, Path), ("siteId" = String, Path), ("siteSectionGroupId" = String, Path), IfShown),
    responses((status = 205, description = "The group is removed"), (status = 204, description = "There was no such group")))]
#[delete("/orgs/{organizationId}/sites/{siteId}/section-groups/{siteSectionGroupId}")]
async fn delete_group(
    api: Data<Api>,
    caller: Caller,
    path: Path<(OrganizationId, SiteId, SiteSectionGroupId)>,
    wanted: IfMatch,
) -> Result<HttpResponse, ApiError> {
    remove_part(api, caller, wanted, move |api, caller, wanted| async move {
        let (organization, site, id) = &*path;
        api.services.sites.remove_section_group(&caller, organization, (site, id), wanted).await
    })
    .await
}

/// Put a section into a group
///
/// Use `updateSiteSectionById` instead.
#[utoipa::path(tag = "site-structure", operation_id = "addSectionToSiteSectionGroup",
    params(("organizationId" = String, Path), ("siteId" = String, Path), ("siteSectionGroupId" = String, Path)),
    request_body = AddGroupedSection,
    responses((status = 201, description = "The group", body = SectionGroup, headers(("Location" = String)))))]
#[post("/orgs/{organizationId}/sites/{siteId}/section-groups/{siteSectionGroupId}/sections")]
async fn add_section_to_group(
    api: Data<Api>,
    caller: Caller,
    path: Path<(OrganizationId, SiteId, SiteSectionGroupId)>,
    body: Body<AddGroupedSection>,
) -> Answered {
    at_length(api, caller, body.len(), move |api, caller| async move {
        let (organization, site, id) = path.into_inner();
        let sites = &api.services.sites;
        let changed = sites.add_section_to_group(&caller, &organization, (&site, &id), body.input()).await?;
        added(&api, &(organization, site), &changed)
    })
    .await
}
