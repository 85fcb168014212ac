//! Responses of the site driver.
use crate::request::Encoding;
use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::{
    CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG, HeaderName, HeaderValue, LOCATION, SET_COOKIE, VARY,
};
use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use http_server::{allocated, fitted, tag};
use serde::Serialize;
use std::io::Write;
use std::sync::Arc;

/// How much time brotli takes for a response. Higher levels than these take many times as long.
#[derive(Clone, Copy)]
struct Brotli {
    level: u32,
    /// The binary logarithm of the window. A large one takes time to clear.
    window: u32,
}

/// For responses that are cached.
const CACHED: Brotli = Brotli { level: 5, window: 22 };
/// For responses that are probably read once: 8 % larger, in less than half of the time.
const READ_ONCE: Brotli = Brotli { level: 2, window: 18 };
/// Bodies below this size are not compressed, in bytes.
const SMALL: usize = 512;

/// How long clients and caches may keep a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(crate) enum CachePolicy {
    /// Shared caches may store it, and must revalidate it before use, except during this many seconds.
    Public { edge: u64 },
    /// Only this server may cache it.
    Private,
    /// The address contains the hash of the bytes: immutable.
    Immutable,
    /// An image of another host on a public site: for a day.
    PublicFile,
    /// A file of a site that is not public.
    PrivateFile,
    /// A redirect that may be kept for an hour.
    Moved,
    /// No cache may store it, including this server.
    Never,
}

impl CachePolicy {
    pub(crate) fn header(self) -> HeaderValue {
        let text = match self {
            Self::Public { edge: 0 } => "public, no-cache",
            Self::Public { edge } => {
                let text = format!("public, max-age=0, s-maxage={edge}, stale-while-revalidate={edge}");
                return HeaderValue::try_from(text).unwrap_or(HeaderValue::from_static("no-cache"));
            }
            Self::Private => "private, no-store",
            Self::Immutable => "public, max-age=31536000, immutable",
            Self::PublicFile => "public, max-age=86400",
            Self::PrivateFile => "private, max-age=600",
            Self::Moved => "public, max-age=3600",
            Self::Never => "no-store",
        };
        HeaderValue::from_static(text)
    }
}

/// A response with a body.
#[derive(Clone, Debug)]
pub(crate) struct Body {
    pub(crate) status: StatusCode,
    pub(crate) media_type: &'static str,
    pub(crate) bytes: Bytes,
    pub(crate) cache_policy: CachePolicy,
    pub(crate) headers: Vec<(HeaderName, HeaderValue)>,
}

impl Body {
    /// 200 with this body.
    pub(crate) fn new(media_type: &'static str, bytes: impl Into<Bytes>, cache_policy: CachePolicy) -> Self {
        Self { status: StatusCode::OK, media_type, bytes: bytes.into(), cache_policy, headers: Vec::new() }
    }

    /// The same body with another status.
    #[must_use]
    pub(crate) fn with_status(self, status: StatusCode) -> Self {
        Self { status, ..self }
    }

    /// The same with another header. A value that cannot be one is left out.
    #[must_use]
    pub(crate) fn with(mut self, name: &'static str, value: impl AsRef<str>) -> Self {
        if let Ok(value) = HeaderValue::from_str(value.as_ref()) {
            self.headers.push((HeaderName::from_static(name), value));
        }
        self
    }

    /// The body in an encoding. It takes time in proportion to the size.
    pub(crate) fn encode(self, encoding: Encoding) -> Arc<Encoded> {
        self.encode_by(encoding, CACHED)
    }

    /// The same for a response that is probably read once, such as the results of a search.
    pub(crate) fn encode_once(self, encoding: Encoding) -> Arc<Encoded> {
        self.encode_by(encoding, READ_ONCE)
    }

    fn encode_by(self, encoding: Encoding, by: Brotli) -> Arc<Encoded> {
        let tag = format!("W/{}", tag(&self.bytes));
        let compressed = match encoding {
            _ if self.bytes.len() < SMALL => None,
            Encoding::Identity => None,
            Encoding::Brotli => brotli(&self.bytes, by).map(|bytes| (bytes, "br")),
            Encoding::Gzip => gzip(&self.bytes).map(|bytes| (bytes, "gzip")),
        };
        let Self { status, media_type, bytes, cache_policy, headers } = self;
        let (bytes, encoding) = match compressed {
            Some((bytes, name)) => (bytes, Some(name)),
            None => (fitted(bytes), None),
        };
        Arc::new(Encoded { status, media_type, cache_policy, headers, tag, bytes, encoding })
    }
}

/// A response in an encoding. Its entity tag is weak and of the bytes before compression, so it is the same in all
/// encodings.
#[derive(Clone, Debug)]
pub(crate) struct Encoded {
    status: StatusCode,
    media_type: &'static str,
    cache_policy: CachePolicy,
    headers: Vec<(HeaderName, HeaderValue)>,
    tag: String,
    bytes: Bytes,
    encoding: Option<&'static str>,
}

impl Encoded {
    /// The body in its encoding.
    pub(crate) fn bytes(&self) -> &Bytes {
        &self.bytes
    }

    /// The memory that it takes, in bytes, approximately.
    pub(crate) fn memory(&self) -> usize {
        let headers = self.headers.capacity() * size_of::<(HeaderName, HeaderValue)>();
        let values: usize = self.headers.iter().map(|(_, value)| value.len()).sum();
        size_of::<Self>() + allocated(headers) + values + self.tag.len() + allocated(self.bytes.len())
    }

    /// The response.
    pub(crate) fn respond(&self) -> HttpResponse {
        let mut response = HttpResponse::build(self.status);
        response
            .insert_header((CONTENT_TYPE, self.media_type))
            .insert_header((CACHE_CONTROL, self.cache_policy.header()));
        response.insert_header((VARY, "Accept, Accept-Encoding"));
        if self.status == StatusCode::OK && self.cache_policy != CachePolicy::Never {
            response.insert_header((ETAG, self.tag.as_str()));
        }
        for (name, value) in &self.headers {
            response.append_header((name.clone(), value.clone()));
        }
        if let Some(name) = self.encoding {
            response.insert_header((CONTENT_ENCODING, name));
        }
        response.body(self.bytes.clone())
    }
}

/// Writing to memory cannot fail. The result is a copy without the spare room of the buffer, because it can stay in a
/// cache.
fn brotli(bytes: &[u8], by: Brotli) -> Option<Bytes> {
    let mut encoded = Vec::with_capacity(bytes.len() / 4);
    let mut writer = brotli::CompressorWriter::new(&mut encoded, 4096, by.level, by.window);
    writer.write_all(bytes).and_then(|()| writer.flush()).ok()?;
    drop(writer);
    Some(Bytes::copy_from_slice(&encoded))
}

/// Like [`brotli()`], without spare room.
fn gzip(bytes: &[u8]) -> Option<Bytes> {
    let mut writer = GzEncoder::new(Vec::with_capacity(bytes.len() / 4), Compression::new(6));
    writer.write_all(bytes).and_then(|()| writer.finish()).ok().map(|encoded| Bytes::copy_from_slice(&encoded))
}

/// A redirect. `Location` is an address of this server, or one that the owner of the site has set.
pub(crate) fn redirect(status: u16, location: &str, cache_policy: CachePolicy) -> HttpResponse {
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::TEMPORARY_REDIRECT);
    let mut response = HttpResponse::build(status);
    response.insert_header((CACHE_CONTROL, cache_policy.header()));
    match HeaderValue::from_str(location) {
        Ok(location) => response.insert_header((LOCATION, location)),
        Err(_) => return HttpResponse::NotFound().finish(),
    };
    response.finish()
}

/// The same response with cookies.
pub(crate) fn with_cookies(mut response: HttpResponse, cookies: &[String]) -> HttpResponse {
    for cookie in cookies {
        if let Ok(value) = HeaderValue::from_str(cookie) {
            response.headers_mut().append(SET_COOKIE, value);
        }
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case(CachePolicy::Public { edge: 0 }, "public, no-cache")]
    #[case(CachePolicy::Public { edge: 30 }, "public, max-age=0, s-maxage=30, stale-while-revalidate=30")]
    #[case(CachePolicy::Private, "private, no-store")]
    #[case(CachePolicy::Never, "no-store")]
    fn browsers_ask_each_time_and_shared_caches_after_the_seconds_of_the_operator(
        #[case] cache_policy: CachePolicy,
        #[case] header: &str,
    ) {
        assert_eq!(cache_policy.header(), header);
    }
}
