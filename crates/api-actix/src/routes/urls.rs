//! Resolving addresses to objects and published content.
#![expect(deprecated, reason = "the attribute marks the operations in the document")]
use super::{ServiceConfig, at_length};
use crate::Api;
use crate::answer::{Answered, ok, ok_with_secret};
use crate::request::{Body, Query};
use crate::state::caller::Caller;
use crate::wire::urls::{
    ContentOfUrl, PreviewParams, PublishedAnswer, PublishedUrlParams, ResolvePublishedUrl, SitePreview,
    SubdomainOfOrganization, UrlParams, content_of_url, page_addresses, published_url, site_preview, subdomain,
};
use actix_web::web::{Data, Path};
use actix_web::{get, post};
use domain::id::{OrganizationId, SiteId};

pub(super) fn configure(config: &mut ServiceConfig) {
    config.service(resolve_published_url).service(get_published_url).service(get_content);
    config.service(get_subdomain).service(get_preview);
}

/// Resolve the address of a site for a visitor
///
/// Returns the content, with a token that can read what this visitor sees, or a redirect. Any user may call it: the
/// audience of the site decides. Returns 404 if the site is unknown, not published or not for this visitor, or if a
/// condition hides the page.
#[utoipa::path(tag = "urls", operation_id = "resolvePublishedContentByUrl", request_body = ResolvePublishedUrl,
    responses((status = 200, description = "The content, or a redirect", body = PublishedAnswer)))]
#[post("/urls/published")]
async fn resolve_published_url(api: Data<Api>, caller: Caller, body: Body<ResolvePublishedUrl>) -> Answered {
    at_length(api, caller, body.len(), move |api, caller| async move {
        ok_with_secret(&published_url(api.services.urls.published(&caller, body.input()).await?))
    })
    .await
}

/// Resolve the address of a site (deprecated)
///
/// Send the address with `POST` instead, so that no secret in it is stored in logs.
#[utoipa::path(tag = "urls", operation_id = "getPublishedContentByUrl", params(PublishedUrlParams),
    responses((status = 200, description = "The content, or a redirect", body = PublishedAnswer)))]
#[get("/urls/published")]
#[deprecated]
async fn get_published_url(api: Data<Api>, caller: Caller, query: Query<PublishedUrlParams>) -> Answered {
    at_length(api, caller, 0, move |api, caller| async move {
        ok_with_secret(&published_url(api.services.urls.published(&caller, query.input()).await?))
    })
    .await
}

/// Find the object that an address names
///
/// The address is one of the `urls` of an object, or that of a page of a published site. Returns 404 if the caller may
/// not read the object.
#[utoipa::path(tag = "urls", operation_id = "getContentByUrl", params(UrlParams),
    responses((status = 200, description = "The object", body = ContentOfUrl)))]
#[get("/urls/content")]
async fn get_content(api: Data<Api>, caller: Caller, query: Query<UrlParams>) -> Answered {
    at_length(api, caller, 0, move |api, caller| async move {
        let found = api.services.urls.content(&caller, query.input()).await?;
        let published = page_addresses(&found, &api.links);
        ok(&content_of_url(&found, published.as_ref(), &api.links))
    })
    .await
}

/// Get the organization with a host name
#[utoipa::path(tag = "urls", operation_id = "getSubdomain", params(("subdomain" = String, Path)),
    responses((status = 200, description = "The host name and its organization", body = SubdomainOfOrganization)))]
#[get("/subdomains/{subdomain}")]
async fn get_subdomain(api: Data<Api>, caller: Caller, path: Path<String>) -> Answered {
    ok(&subdomain(api.services.urls.subdomain(&caller, &path).await?))
}

/// Get the address of a preview of a site
///
/// For an hour, everyone with the address sees the site, published or not, with the spaces that the caller may read.
/// Replacing the private key of the site ends all previews.
#[utoipa::path(tag = "site-audiences", operation_id = "getSitePublishingPreviewById",
    params(("organizationId" = String, Path), ("siteId" = String, Path), PreviewParams),
    responses((status = 200, description = "The address", body = SitePreview)))]
#[get("/orgs/{organizationId}/sites/{siteId}/publishing/preview")]
async fn get_preview(
    api: Data<Api>,
    caller: Caller,
    path: Path<(OrganizationId, SiteId)>,
    query: Query<PreviewParams>,
) -> Answered {
    let (organization, site) = &*path;
    ok_with_secret(&site_preview(api.services.urls.preview(&caller, organization, site, query.input()).await?))
}
