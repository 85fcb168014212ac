//! Moves of one kind of part, for clients that are older than `sortSiteStructure`.
#![expect(deprecated, reason = "the attribute marks the operations in the document")]
use super::ServiceConfig;
use super::structure::shown;
use crate::Api;
use crate::answer::{Answered, ok};
use crate::request::Body;
use crate::routes::at_length;
use crate::state::caller::Caller;
use crate::wire::site::{MoveSection, MoveSectionGroup, MoveSiteSpace, Section, SectionGroup, SiteSpace};
use actix_web::post;
use actix_web::web::{Data, Path};
use domain::id::{OrganizationId, SiteId, SiteSectionGroupId, SiteSectionId, SiteSpaceId};
use domain::site::structure::ItemId;
use domain::usecases::Input;

pub(super) fn configure(config: &mut ServiceConfig) {
    config.service(move_section).service(move_group).service(move_site_space);
}

/// Move a section among its siblings
///
/// Use `sortSiteStructure` instead.
#[utoipa::path(tag = "site-structure", operation_id = "moveSiteSection",
    params(("organizationId" = String, Path), ("siteId" = String, Path), ("siteSectionId" = String, Path)),
    request_body = Option<MoveSection>,
    responses((status = 200, description = "The section", body = Section)))]
#[deprecated]
#[post("/orgs/{organizationId}/sites/{siteId}/sections/{siteSectionId}/move")]
async fn move_section(
    api: Data<Api>,
    caller: Caller,
    path: Path<(OrganizationId, SiteId, SiteSectionId)>,
    body: Body<MoveSection>,
) -> Answered {
    at_length(api, caller, body.len(), move |api, caller| async move {
        let (organization, site, id) = path.into_inner();
        let to = body.input_or_default();
        let moving = Input::new(move || Ok((ItemId::Section(id), to.read()?)));
        let moved = api.services.sites.sort(&caller, &organization, &site, moving).await?;
        ok(&shown(&api, &moved)?)
    })
    .await
}

/// Move a group of sections among its siblings
///
/// Use `sortSiteStructure` instead.
#[utoipa::path(tag = "site-structure", operation_id = "moveSiteSectionGroup",
    params(("organizationId" = String, Path), ("siteId" = String, Path), ("siteSectionGroupId" = String, Path)),
    request_body = Option<MoveSectionGroup>,
    responses((status = 200, description = "The group", body = SectionGroup)))]
#[deprecated]
#[post("/orgs/{organizationId}/sites/{siteId}/section-groups/{siteSectionGroupId}/move")]
async fn move_group(
    api: Data<Api>,
    caller: Caller,
    path: Path<(OrganizationId, SiteId, SiteSectionGroupId)>,
    body: Body<MoveSectionGroup>,
) -> Answered {
    at_length(api, caller, body.len(), move |api, caller| async move {
        let (organization, site, id) = path.into_inner();
        let to = body.input_or_default();
        let moving = Input::new(move || Ok((ItemId::Group(id), to.read()?)));
        let moved = api.services.sites.sort(&caller, &organization, &site, moving).await?;
        ok(&shown(&api, &moved)?)
    })
    .await
}

/// Move a space on a site among its siblings
///
/// Use `sortSiteStructure` instead.
#[utoipa::path(tag = "site-structure", operation_id = "moveSiteSpace",
    params(("organizationId" = String, Path), ("siteId" = String, Path), ("siteSpaceId" = String, Path)),
    request_body = Option<MoveSiteSpace>,
    responses((status = 200, description = "The space on the site", body = SiteSpace)))]
#[deprecated]
#[post("/orgs/{organizationId}/sites/{siteId}/site-spaces/{siteSpaceId}/move")]
async fn move_site_space(
    api: Data<Api>,
    caller: Caller,
    path: Path<(OrganizationId, SiteId, SiteSpaceId)>,
    body: Body<MoveSiteSpace>,
) -> Answered {
    at_length(api, caller, body.len(), move |api, caller| async move {
        let (organization, site, id) = path.into_inner();
        let to = body.input_or_default();
        let moving = Input::new(move || Ok((ItemId::Space(id), to.read()?)));
        let moved = api.services.sites.sort(&caller, &organization, &site, moving).await?;
        ok(&shown(&api, &moved)?)
    })
    .await
}
