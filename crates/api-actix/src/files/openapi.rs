//! Serves OpenAPI documents without a token: the newest version of a public spec, and the source of a version at a
//! signed URL.
use crate::Api;
use crate::answer::error::ApiError;
use actix_web::HttpResponse;
use actix_web::http::header::{
    ACCESS_CONTROL_ALLOW_ORIGIN, Accept, CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, Header,
    HeaderName, HeaderValue, Quality, VARY,
};
use actix_web::web::{self, Data};
use actix_web::{HttpRequest, Responder};
use bytes::Bytes;
use domain::actor::Actor;
use domain::id::{OpenapiSpecId, OpenapiVersionId, OrganizationId};
use domain::openapi_spec::{DocumentFormat, SpecSlug};
use domain::usecases::Error;
use http_server::{Answer, client_has};
use serde::Deserialize;

/// How long a public document may be cached without revalidation, in seconds.
const FRESH: &str = "public, max-age=60";

pub(super) fn configure(config: &mut web::ServiceConfig) {
    for ending in [".json", ".yaml", ""] {
        let published = format!("/files/openapi/{{organization}}/specs/{{slug}}{ending}");
        config.service(web::resource(published).route(web::get().to(published_document)));
    }
    let source = "/files/openapi/{spec}/versions/{version}";
    config.service(web::resource(source).route(web::get().to(source_text)));
}

/// The language of a public document: that of the ending of its URL. Without an ending, the one that the caller accepts
/// and prefers; JSON if the caller has no preference.
fn wanted_format(request: &HttpRequest) -> DocumentFormat {
    if request.path().ends_with(".json") {
        return DocumentFormat::Json;
    }
    if request.path().ends_with(".yaml") {
        return DocumentFormat::Yaml;
    }
    let named = |media: &str| match media {
        "application/json" => Some(DocumentFormat::Json),
        "application/yaml" | "application/x-yaml" | "text/yaml" | "text/x-yaml" | "text/*" => {
            Some(DocumentFormat::Yaml)
        }
        _ if media.ends_with("+json") => Some(DocumentFormat::Json),
        _ if media.ends_with("+yaml") => Some(DocumentFormat::Yaml),
        _ => None,
    };
    // The quality 0 means that the caller does not accept the type.
    let (accepted, refused): (Vec<_>, Vec<_>) = Accept::parse(request)
        .map(|accept| accept.0)
        .unwrap_or_default()
        .into_iter()
        .partition(|media| media.quality > Quality::ZERO);
    let refused: Vec<DocumentFormat> = refused.iter().filter_map(|media| named(media.item.essence_str())).collect();
    let any = || [DocumentFormat::Json, DocumentFormat::Yaml].into_iter().find(|format| !refused.contains(format));
    let format = |media: &str| match media {
        "application/*" | "*/*" => any(),
        _ => named(media),
    };
    let accepted = Accept(accepted).ranked();
    accepted.iter().find_map(|media| format(media.essence_str())).unwrap_or(DocumentFormat::Json)
}

/// The media type of a document.
fn media_type(format: DocumentFormat) -> &'static str {
    match format {
        DocumentFormat::Json => "application/json",
        DocumentFormat::Yaml => "application/yaml",
    }
}

/// Sends the newest version of a public spec, to pages of any origin, as JSON or YAML. A private spec gets the same 404
/// as one that does not exist.
async fn published_document(
    api: Data<Api>,
    path: web::Path<(OrganizationId, SpecSlug)>,
    request: HttpRequest,
) -> Result<HttpResponse, ApiError> {
    let (organization, slug) = &*path;
    let version = api.services.openapi_specs.published(organization, slug).await?;
    let format = wanted_format(&request);
    let tag = format!("\"{}-{format}\"", version.parts);
    if client_has(request.head(), &tag) {
        let mut response = Answer::unchanged(tag).cached_as(FRESH).respond_to(&request);
        response.headers_mut().insert(ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
        response.headers_mut().append(VARY, HeaderValue::from_static("accept"));
        return Ok(response);
    }
    let services = api.services.clone();
    let reading = async move { services.openapi_specs.published_document(&version, format).await };
    let document = api.work_pool.run(Actor::Server.owner(), 0, reading).await??;
    let mut response = document_response(&tag, FRESH.to_owned(), media_type(format), document.into());
    response.headers_mut().append(VARY, HeaderValue::from_static("accept"));
    Ok(response)
}

fn document_response(tag: &str, cache_control: String, media: &'static str, bytes: Bytes) -> HttpResponse {
    HttpResponse::Ok()
        .insert_header((CONTENT_TYPE, media))
        .insert_header((CONTENT_SECURITY_POLICY, "sandbox; default-src 'none'"))
        .insert_header((ACCESS_CONTROL_ALLOW_ORIGIN, "*"))
        .insert_header((HeaderName::from_static("cross-origin-resource-policy"), "cross-origin"))
        .insert_header((CACHE_CONTROL, cache_control))
        .insert_header((ETAG, tag))
        .body(bytes)
}

#[derive(Deserialize)]
struct Signed {
    expires: i64,
    signature: String,
}

/// Sends the document of a version as it was sent or fetched. A URL that is not signed by this server, has expired, or
/// belongs to a deleted spec gets the same 404 as one that does not exist.
async fn source_text(
    api: Data<Api>,
    path: web::Path<(OpenapiSpecId, OpenapiVersionId)>,
    request: HttpRequest,
) -> Result<HttpResponse, ApiError> {
    let unknown = || ApiError::UseCase(Error::NotFound("file"));
    let Ok(web::Query(Signed { expires, signature })) = web::Query::<Signed>::from_query(request.query_string()) else {
        return Err(unknown());
    };
    let (spec, version) = &*path;
    let now = api.services.clock.now();
    if !api.signer.verify_source(spec, version, expires, &signature, now) {
        return Err(unknown());
    }
    let version = api.services.openapi_specs.source(spec, version).await?;
    let cache_control = super::cache_control(expires, now);
    let tag = format!("\"{}\"", version.text);
    if client_has(request.head(), &tag) {
        return Ok(Answer::unchanged(tag).cached_as(cache_control).respond_to(&request));
    }
    let services = api.services.clone();
    let reading = async move { services.openapi_specs.source_text(&version).await };
    let source = api.work_pool.run(Actor::Server.owner(), 0, reading).await??;
    Ok(document_response(&tag, cache_control, media_type(source.format), source.bytes))
}
