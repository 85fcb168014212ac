//! Serves the bytes of files at signed URLs. No token is needed: browsers load images without one.
mod disposition;
mod openapi;

use crate::Api;
use crate::answer::error::ApiError;
use crate::answer::signature::Address;
use actix_web::http::StatusCode;
use actix_web::http::header::{
    ACCEPT_RANGES, CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_RANGE, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG,
    HeaderName, HeaderValue,
};
use actix_web::web::{self, Data};
use actix_web::{HttpRequest, HttpResponse, Responder};
use bytes::Bytes;
use chrono::{DateTime, Utc};
use domain::content::object::Hash;
use domain::id::SpaceId;
use domain::ports::{BlobReader, FilesError};
use domain::usecases::Error;
use futures_util::Stream;
use futures_util::stream::unfold;
use http_server::{Answer, RequestedRange, ServerError, chain, client_has, requested_range};
use serde::Deserialize;

/// The maximum `max-age` of a response, in seconds. It never exceeds the validity of the URL.
const KEPT: i64 = 86_400;

pub(crate) fn configure(config: &mut web::ServiceConfig) {
    openapi::configure(config);
    config.service(web::resource("/files/{space}/{blob}/{name}").route(web::get().to(download)));
}

#[derive(Deserialize)]
struct Place {
    space: SpaceId,
    blob: Hash,
    name: String,
}

#[derive(Deserialize)]
struct Signed {
    #[serde(rename = "type")]
    media: String,
    expires: i64,
    signature: String,
}

/// Sends a file or the requested range of it. A URL that is not signed by this server, has expired, or belongs to a
/// deleted space gets the same 404 as a file that does not exist.
async fn download(api: Data<Api>, place: web::Path<Place>, request: HttpRequest) -> Result<HttpResponse, ApiError> {
    let unknown = || ApiError::UseCase(Error::NotFound("file"));
    let Ok(web::Query(signed)) = web::Query::<Signed>::from_query(request.query_string()) else {
        return Err(unknown());
    };
    let Place { space, blob, name } = &*place;
    let Signed { media, expires, signature } = &signed;
    let address = Address { space, blob, name, media, expires: *expires, signature };
    let now = api.services.clock.now();
    if !api.signer.verify(&address, now) || !api.services.spaces.exists(space).await? {
        return Err(unknown());
    }
    let cache_control = cache_control(*expires, now);
    let tag = format!("\"{blob}\"");
    if client_has(request.head(), &tag) {
        // Without looking at the disk.
        return Ok(Answer::unchanged(tag).cached_as(cache_control).respond_to(&request));
    }
    let size = api.services.files.size(blob).await?.ok_or_else(unknown)?;
    let (status, start, length) = match requested_range(&request, &tag, size) {
        RequestedRange::Whole => (StatusCode::OK, 0, size),
        RequestedRange::Part { start, length } => (StatusCode::PARTIAL_CONTENT, start, length),
        RequestedRange::Outside => return Err(ServerError::RangeNotSatisfiable { size }.into()),
    };
    let reader = api.services.files.open(blob, start, length).await?;
    let mut response = HttpResponse::build(status);
    let headers = [
        (CONTENT_TYPE, media.clone()),
        (CONTENT_DISPOSITION, disposition::disposition(name, media)),
        (CONTENT_SECURITY_POLICY, "sandbox; default-src 'none'".to_owned()),
        (HeaderName::from_static("cross-origin-resource-policy"), "cross-origin".to_owned()),
        (ACCEPT_RANGES, "bytes".to_owned()),
        (CACHE_CONTROL, cache_control),
        (ETAG, tag),
    ];
    for (name, value) in headers {
        // An imported file may have any text as its media type. Replace one that is not a valid header value.
        let value = HeaderValue::try_from(value).unwrap_or(HeaderValue::from_static("application/octet-stream"));
        response.insert_header((name, value));
    }
    if status == StatusCode::PARTIAL_CONTENT {
        response.insert_header((CONTENT_RANGE, format!("bytes {start}-{}/{size}", start + length - 1)));
    }
    Ok(response.no_chunking(length).streaming(chunks(reader)))
}

/// The `Cache-Control` of a file at a URL that expires.
fn cache_control(expires: i64, now: DateTime<Utc>) -> String {
    format!("private, max-age={}, immutable", (expires - now.timestamp()).clamp(0, KEPT))
}

fn chunks(reader: Box<dyn BlobReader>) -> impl Stream<Item = Result<Bytes, FilesError>> {
    unfold(Some(reader), |reader| async {
        let mut reader = reader?;
        match reader.chunk().await {
            Ok(chunk) if chunk.is_empty() => None,
            Ok(chunk) => Some((Ok(chunk), Some(reader))),
            Err(error) => {
                tracing::error!(error = %chain(&error), "sending a file failed");
                Some((Err(error), None))
            }
        }
    })
}
