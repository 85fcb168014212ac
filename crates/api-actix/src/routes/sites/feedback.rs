//! Feedback of visitors on the pages of a site.
use super::ServiceConfig;
use crate::Api;
use crate::answer::error::ApiError;
use crate::answer::{Answered, deleted, ok};
use crate::request::Query;
use crate::request::if_match::{IfMatch, IfShown};
use crate::request::paging::{Paging, PagingParams};
use crate::state::caller::Caller;
use crate::wire::site::feedback::{
    SiteFeedback, SiteFeedbackList, SiteFeedbackParams, site_feedback, site_feedback_list,
};
use actix_web::web::{Data, Path};
use actix_web::{HttpResponse, delete, get};
use domain::id::{OrganizationId, SiteFeedbackId, SiteId};

pub(super) fn configure(config: &mut ServiceConfig) {
    config.service(list_feedback).service(get_feedback).service(delete_feedback);
}

/// List the feedback of a site
///
/// Callers who can edit the site see the feedback on spaces that they can read.
#[utoipa::path(tag = "site-feedback", operation_id = "listSiteFeedback",
    params(("organizationId" = String, Path), ("siteId" = String, Path), SiteFeedbackParams, PagingParams),
    responses((status = 200, description = "Feedback, newest first", body = SiteFeedbackList)))]
#[get("/orgs/{organizationId}/sites/{siteId}/feedback")]
async fn list_feedback(
    api: Data<Api>,
    caller: Caller,
    path: Path<(OrganizationId, SiteId)>,
    params: Query<SiteFeedbackParams>,
    paging: Paging,
) -> Answered {
    let (organization, site) = &*path;
    let found = api.services.site_feedback.list(&caller, organization, site, paging.newest_first_with(params)).await?;
    let list = paging.list(found.page, |shown| site_feedback(shown, &api.links));
    ok(&site_feedback_list(list, found.ratings))
}

/// Get feedback
#[utoipa::path(tag = "site-feedback", operation_id = "getSiteFeedbackById",
    params(("organizationId" = String, Path), ("siteId" = String, Path), ("feedbackId" = String, Path)),
    responses((status = 200, description = "The feedback", body = SiteFeedback)))]
#[get("/orgs/{organizationId}/sites/{siteId}/feedback/{feedbackId}")]
async fn get_feedback(
    api: Data<Api>,
    caller: Caller,
    path: Path<(OrganizationId, SiteId, SiteFeedbackId)>,
) -> Answered {
    let (organization, site, id) = &*path;
    ok(&site_feedback(api.services.site_feedback.get(&caller, organization, site, id).await?, &api.links))
}

/// Delete feedback
///
/// Only administrators of the site can delete it. The audit log has the rating, but never the comment.
#[utoipa::path(tag = "site-feedback", operation_id = "deleteSiteFeedbackById",
    params(("organizationId" = String, Path), ("siteId" = String, Path), ("feedbackId" = String, Path), IfShown),
    responses((status = 205, description = "The feedback is deleted"), (status = 204, description = "There was no such feedback")))]
#[delete("/orgs/{organizationId}/sites/{siteId}/feedback/{feedbackId}")]
async fn delete_feedback(
    api: Data<Api>,
    caller: Caller,
    path: Path<(OrganizationId, SiteId, SiteFeedbackId)>,
    wanted: IfMatch,
) -> Result<HttpResponse, ApiError> {
    let (organization, site, id) = &*path;
    let wanted = wanted.shown(&api, site_feedback);
    Ok(deleted(api.services.site_feedback.remove(&caller, organization, site, id, wanted).await?))
}
