//! Files of sites, and the files of the reader itself.
use crate::answer::CachePolicy;
use crate::error::SiteError;
use crate::request::Encoding;
use crate::site::SiteServer;
use actix_web::http::StatusCode;
use actix_web::http::header::{
    ACCEPT_RANGES, CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_ENCODING, CONTENT_RANGE, CONTENT_SECURITY_POLICY,
    CONTENT_TYPE, DispositionParam, DispositionType, ETAG, HeaderName, HeaderValue, VARY,
};
use actix_web::{HttpRequest, HttpResponse, Responder};
use bytes::Bytes;
use domain::content::page::FileEntry;
use domain::ports::{BlobReader, FilesError};
use domain::usecases::Error;
use futures_util::Stream;
use futures_util::stream::unfold;
use http_server::{Answer, RequestedRange, ServerError, chain, client_has, requested_range};
use site_html::assets;

/// Media types without active content, which browsers may show. Files of other types are downloaded.
const SHOWN: [&str; 14] = [
    "image/png",
    "image/jpeg",
    "image/gif",
    "image/webp",
    "image/avif",
    "image/svg+xml",
    "image/x-icon",
    "image/vnd.microsoft.icon",
    "video/mp4",
    "video/webm",
    "audio/mpeg",
    "audio/ogg",
    "application/pdf",
    "text/plain",
];

/// A style sheet, a script, a font or another file of the reader. Its name has its hash.
pub(crate) fn asset(server: &SiteServer, name: &str, encoding: Encoding) -> HttpResponse {
    let Some(asset) = assets::find(name) else { return font(server, name) };
    let (bytes, encoded): (&'static [u8], _) = match encoding {
        Encoding::Brotli => (asset.brotli, Some("br")),
        Encoding::Gzip => (asset.gzip, Some("gzip")),
        Encoding::Identity => (asset.bytes, None),
    };
    let mut response = HttpResponse::Ok();
    response
        .insert_header((CONTENT_TYPE, asset.content_type))
        .insert_header((CACHE_CONTROL, CachePolicy::Immutable.header()))
        .insert_header((VARY, "Accept-Encoding"))
        .insert_header((HeaderName::from_static("cross-origin-resource-policy"), "same-origin"));
    if let Some(encoded) = encoded {
        response.insert_header((CONTENT_ENCODING, encoded));
    }
    response.body(Bytes::from_static(bytes))
}

/// A file of a font. It is compressed in itself.
fn font(server: &SiteServer, name: &str) -> HttpResponse {
    let Some(bytes) = server.settings.fonts.file(name) else { return HttpResponse::NotFound().finish() };
    HttpResponse::Ok()
        .insert_header((CONTENT_TYPE, "font/woff2"))
        .insert_header((CACHE_CONTROL, CachePolicy::Immutable.header()))
        .insert_header((HeaderName::from_static("cross-origin-resource-policy"), "same-origin"))
        .body(bytes.clone())
}

/// Sends a file, or the range of it that the request is for.
pub(crate) async fn send(
    server: &SiteServer,
    request: &HttpRequest,
    file: &FileEntry,
    public: bool,
) -> Result<HttpResponse, SiteError> {
    let cache_policy = if public { CachePolicy::Immutable } else { CachePolicy::PrivateFile }.header();
    let tag = format!("\"{}\"", file.blob);
    if client_has(request.head(), &tag) {
        // Without reading the disk.
        let kept = cache_policy.to_str().unwrap_or_default().to_owned();
        return Ok(Answer::unchanged(tag).cached_as(kept).respond_to(request));
    }
    let gone = || SiteError::UseCase(Error::NotFound("file"));
    let size = server.services.files.size(&file.blob).await.map_err(Error::from)?.ok_or_else(gone)?;
    let (status, start, length) = match requested_range(request, &tag, size) {
        RequestedRange::Whole => (StatusCode::OK, 0, size),
        RequestedRange::Part { start, length } => (StatusCode::PARTIAL_CONTENT, start, length),
        RequestedRange::Outside => return Err(ServerError::RangeNotSatisfiable { size }.into()),
    };
    let reader = server.services.files.open(&file.blob, start, length).await.map_err(Error::from)?;
    let kind = file.content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let shown = SHOWN.contains(&kind.as_str());
    let content_type = match shown {
        true => HeaderValue::try_from(&file.content_type),
        false => Ok(HeaderValue::from_static("application/octet-stream")),
    };
    let policy = match kind.as_str() {
        "image/svg+xml" => "sandbox; default-src 'none'; style-src 'unsafe-inline'",
        _ => "sandbox; default-src 'none'",
    };
    let disposition = actix_web::http::header::ContentDisposition {
        disposition: if shown { DispositionType::Inline } else { DispositionType::Attachment },
        parameters: vec![DispositionParam::Filename(file.name.clone())],
    };
    let reach = if public { "cross-origin" } else { "same-origin" };
    let mut response = HttpResponse::build(status);
    response
        .insert_header((CONTENT_TYPE, content_type.unwrap_or(HeaderValue::from_static("application/octet-stream"))))
        .insert_header((CONTENT_DISPOSITION, disposition))
        .insert_header((CONTENT_SECURITY_POLICY, policy))
        .insert_header((HeaderName::from_static("cross-origin-resource-policy"), reach))
        .insert_header((ACCEPT_RANGES, "bytes"))
        .insert_header((CACHE_CONTROL, cache_policy))
        .insert_header((ETAG, tag));
    if status == StatusCode::PARTIAL_CONTENT {
        response.insert_header((CONTENT_RANGE, format!("bytes {start}-{}/{size}", start + length - 1)));
    }
    Ok(response.no_chunking(length).streaming(chunks(reader)))
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
