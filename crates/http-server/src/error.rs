//! Errors that are the same for every driver.
use actix_web::http::StatusCode;
use actix_web::http::header::{CONTENT_RANGE, HeaderMap, HeaderValue, RETRY_AFTER};
use std::iter::successors;

/// The `Retry-After` when too much work is waiting, in seconds.
const RETRY_BUSY: u64 = 2;
/// The `Retry-After` when storage cannot serve a request now, in seconds.
pub const RETRY_UNAVAILABLE: u64 = 2;

/// Errors of the server itself, independent of the operation. The message is for the client.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ServerError {
    /// Too many requests, or too many failed authentications.
    #[error("too many requests: try again in {retry_after} s")]
    TooManyRequests {
        /// Seconds until the next request is accepted.
        retry_after: u64,
    },
    /// Too much work is waiting.
    #[error("the server is busy: try again in a moment")]
    Busy,
    /// The body did not arrive in time.
    #[error("the body of the request did not arrive in time")]
    Timeout,
    /// The head did not arrive in time.
    #[error("the request line and the headers did not arrive in time")]
    HeadTimeout,
    /// The bytes received are not a valid request.
    #[error("{0}")]
    Malformed(&'static str),
    /// There are too many headers.
    #[error("the request has more than {limit} headers")]
    TooManyHeaders {
        /// The maximum number of headers.
        limit: usize,
    },
    /// The body is incomplete.
    #[error("the body of the request is incomplete or malformed")]
    BrokenBody,
    /// The body is too large.
    #[error("the body of the request is larger than {limit} bytes")]
    TooLarge {
        /// The maximum size in bytes.
        limit: usize,
    },
    /// The request URI is too long.
    #[error("the request URI is longer than {limit} bytes")]
    UriTooLong {
        /// The maximum length in bytes.
        limit: usize,
    },
    /// All headers together are too large.
    #[error("the headers of the request are larger than {limit} bytes")]
    HeadersTooLarge {
        /// The maximum size in bytes.
        limit: usize,
    },
    /// The requested range is outside of the file.
    #[error("the file has {size} bytes")]
    RangeNotSatisfiable {
        /// The size of the file in bytes.
        size: u64,
    },
    /// An internal error, logged under its reference.
    #[error("internal error; the log has the details under {reference}")]
    Internal {
        /// The reference in the log.
        reference: String,
    },
}

impl ServerError {
    /// The status of the response.
    pub fn status(&self) -> StatusCode {
        match self {
            Self::TooManyRequests { .. } => StatusCode::TOO_MANY_REQUESTS,
            Self::Busy => StatusCode::SERVICE_UNAVAILABLE,
            Self::Timeout | Self::HeadTimeout => StatusCode::REQUEST_TIMEOUT,
            Self::BrokenBody | Self::Malformed(_) => StatusCode::BAD_REQUEST,
            Self::TooLarge { .. } => StatusCode::PAYLOAD_TOO_LARGE,
            Self::UriTooLong { .. } => StatusCode::URI_TOO_LONG,
            Self::HeadersTooLarge { .. } | Self::TooManyHeaders { .. } => StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
            Self::RangeNotSatisfiable { .. } => StatusCode::RANGE_NOT_SATISFIABLE,
            Self::Internal { .. } => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    /// Adds the headers that belong to the status.
    pub fn add_headers(&self, headers: &mut HeaderMap) {
        match self {
            Self::Busy => {
                headers.insert(RETRY_AFTER, HeaderValue::from(RETRY_BUSY));
            }
            Self::TooManyRequests { retry_after } => {
                headers.insert(RETRY_AFTER, HeaderValue::from(*retry_after));
            }
            Self::RangeNotSatisfiable { size } => {
                if let Ok(range) = HeaderValue::try_from(format!("bytes */{size}")) {
                    headers.insert(CONTENT_RANGE, range);
                }
            }
            _ => {}
        }
    }
}

/// An error with all its causes, for the log.
pub fn chain(error: &(dyn std::error::Error + 'static)) -> String {
    let causes = successors(Some(error), |error| error.source());
    causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}
