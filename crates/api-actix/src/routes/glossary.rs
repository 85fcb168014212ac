//! The glossary of an organization.
use super::{ServiceConfig, at_length};
use crate::Api;
use crate::answer::error::ApiError;
use crate::answer::{Answered, done, ok};
use crate::request::paging::{Paging, PagingParams};
use crate::request::{Body, Query};
use crate::state::caller::Caller;
use crate::wire::glossary::{GlossaryEntry, GlossaryEntryList, GlossaryParams, PutGlossary, glossary_entry};
use actix_web::web::{Data, Path};
use actix_web::{HttpResponse, get, put};
use domain::id::{GlossaryEntryId, OrganizationId};

pub(super) fn configure(config: &mut ServiceConfig) {
    config.service(list_glossary).service(put_glossary).service(get_glossary_entry);
}

/// List the glossary of an organization
#[utoipa::path(tag = "translations", operation_id = "listGlossaryEntries",
    params(("organizationId" = String, Path), GlossaryParams, PagingParams),
    responses((status = 200, description = "Entries", body = GlossaryEntryList)))]
#[get("/orgs/{organizationId}/translations-glossary")]
async fn list_glossary(
    api: Data<Api>,
    caller: Caller,
    path: Path<OrganizationId>,
    params: Query<GlossaryParams>,
    paging: Paging,
) -> Answered {
    at_length(api, caller, 0, move |api, caller| async move {
        let found = api.services.glossary.list(&caller, &path, paging.with(params)).await?;
        ok(&paging.list(found, |entry| glossary_entry(entry, &api.links)))
    })
    .await
}

/// Change the glossary of an organization
///
/// Adds, updates and removes entries, in the order sent: all or none. An entry applies to a translation if it has words
/// in both languages; the next run translates the texts with these words again, and no others. A glossary has at most
/// 2,000 entries.
#[utoipa::path(tag = "translations", operation_id = "updateGlossaryEntries", params(("organizationId" = String, Path)),
    request_body = PutGlossary,
    responses((status = 204, description = "The glossary is changed")))]
#[put("/orgs/{organizationId}/translations-glossary")]
async fn put_glossary(
    api: Data<Api>,
    caller: Caller,
    path: Path<OrganizationId>,
    body: Body<PutGlossary>,
) -> Result<HttpResponse, ApiError> {
    at_length(api, caller, body.len(), move |api, caller| async move {
        Ok(api.services.glossary.change(&caller, &path, body.input()).await?)
    })
    .await?;
    Ok(done())
}

/// Get an entry of the glossary
#[utoipa::path(tag = "translations", operation_id = "getGlossaryEntryById",
    params(("organizationId" = String, Path), ("glossaryEntryId" = String, Path)),
    responses((status = 200, description = "The entry", body = GlossaryEntry)))]
#[get("/orgs/{organizationId}/translations-glossary/{glossaryEntryId}")]
async fn get_glossary_entry(api: Data<Api>, caller: Caller, path: Path<(OrganizationId, GlossaryEntryId)>) -> Answered {
    at_length(api, caller, 0, move |api, caller| async move {
        let (organization, id) = &*path;
        ok(&glossary_entry(api.services.glossary.get(&caller, organization, id).await?, &api.links))
    })
    .await
}
