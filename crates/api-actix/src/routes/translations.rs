//! Translations.
use super::{ServiceConfig, at_length};
use crate::Api;
use crate::answer::error::ApiError;
use crate::answer::{Answered, created, deleted, done, ok};
use crate::request::Body;
use crate::request::if_match::{IfMatch, IfShown};
use crate::request::paging::{Paging, PagingParams};
use crate::state::caller::Caller;
use crate::wire::translation::{CreateTranslation, PutTranslation, Translation, TranslationList, translation};
use actix_web::web::{Data, Path};
use actix_web::{HttpResponse, delete, get, post, put};
use domain::id::{OrganizationId, TranslationId};

pub(super) fn configure(config: &mut ServiceConfig) {
    config.service(list_translations).service(create_translation).service(get_translation);
    config.service(put_translation).service(delete_translation).service(run_translation);
}

/// List the translations of an organization
#[utoipa::path(tag = "translations", operation_id = "listTranslations",
    params(("organizationId" = String, Path), PagingParams),
    responses((status = 200, description = "Translations, oldest first", body = TranslationList)))]
#[get("/orgs/{organizationId}/translations")]
async fn list_translations(api: Data<Api>, caller: Caller, path: Path<OrganizationId>, paging: Paging) -> Answered {
    at_length(api, caller, 0, move |api, caller| async move {
        let found = api.services.translations.list(&caller, &path, paging.input()).await?;
        ok(&paging.list(found, |found| translation(found, &api.links)))
    })
    .await
}

/// Translate a space
///
/// The first run starts at once and creates a private space for the translation. Later runs follow each change of the
/// source, and keep texts that people edited in that space. An organization has at most 100 translations.
#[utoipa::path(tag = "translations", operation_id = "createTranslation", params(("organizationId" = String, Path)),
    request_body = CreateTranslation,
    responses((status = 201, description = "The translation", body = Translation, headers(("Location" = String)))))]
#[post("/orgs/{organizationId}/translations")]
async fn create_translation(
    api: Data<Api>,
    caller: Caller,
    path: Path<OrganizationId>,
    body: Body<CreateTranslation>,
) -> Answered {
    let new = translation(api.services.translations.create(&caller, &path, body.input()).await?, &api.links);
    created(new.urls().location.clone(), &new)
}

/// Get a translation
#[utoipa::path(tag = "translations", operation_id = "getTranslation",
    params(("organizationId" = String, Path), ("translationId" = String, Path)),
    responses((status = 200, description = "The translation", body = Translation)))]
#[get("/orgs/{organizationId}/translations/{translationId}")]
async fn get_translation(api: Data<Api>, caller: Caller, path: Path<(OrganizationId, TranslationId)>) -> Answered {
    let (organization, id) = &*path;
    ok(&translation(api.services.translations.get(&caller, organization, id).await?, &api.links))
}

/// Set the instructions of a translation
///
/// The next run uses them. If the engine reads instructions, it translates everything again.
#[utoipa::path(tag = "translations", operation_id = "updateTranslation",
    params(("organizationId" = String, Path), ("translationId" = String, Path), IfShown),
    request_body = PutTranslation,
    responses((status = 200, description = "The translation", body = Translation)))]
#[put("/orgs/{organizationId}/translations/{translationId}")]
async fn put_translation(
    api: Data<Api>,
    caller: Caller,
    path: Path<(OrganizationId, TranslationId)>,
    body: Body<PutTranslation>,
    wanted: IfMatch,
) -> Answered {
    let (organization, id) = &*path;
    let wanted = wanted.shown(&api, translation);
    let changed = api.services.translations.instruct(&caller, organization, id, wanted, body.input()).await?;
    ok(&translation(changed, &api.links))
}

/// Delete a translation
///
/// The space with the translation is kept, but no longer updated.
#[utoipa::path(tag = "translations", operation_id = "deleteTranslation",
    params(("organizationId" = String, Path), ("translationId" = String, Path), IfShown),
    responses((status = 205, description = "The translation is deleted"), (status = 204, description = "There was no such translation")))]
#[delete("/orgs/{organizationId}/translations/{translationId}")]
async fn delete_translation(
    api: Data<Api>,
    caller: Caller,
    path: Path<(OrganizationId, TranslationId)>,
    wanted: IfMatch,
) -> Result<HttpResponse, ApiError> {
    let (organization, id) = &*path;
    let wanted = wanted.shown(&api, translation);
    Ok(deleted(api.services.translations.remove(&caller, organization, id, wanted).await?))
}

/// Run a translation
///
/// The run starts in the background. If a run is in progress, the new one starts after it.
#[utoipa::path(tag = "translations", operation_id = "runTranslation",
    params(("organizationId" = String, Path), ("translationId" = String, Path)),
    responses((status = 204, description = "The run will start")))]
#[post("/orgs/{organizationId}/translations/{translationId}/run")]
async fn run_translation(
    api: Data<Api>,
    caller: Caller,
    path: Path<(OrganizationId, TranslationId)>,
) -> Result<HttpResponse, ApiError> {
    let (organization, id) = &*path;
    api.services.translations.run(&caller, organization, id, false).await?;
    Ok(done())
}
