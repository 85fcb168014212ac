//! Errors of the API: each reason has one status, and all share one body.
use actix_web::body::BoxBody;
use actix_web::http::StatusCode;
use actix_web::http::header::{ALLOW, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE};
use actix_web::{HttpResponse, ResponseError};
use domain::ports::{FilesError, StoreError};
use domain::text::Invalid;
use domain::usecases::Error;
use serde::Serialize;
use utoipa::ToSchema;

/// The `Retry-After` when the database is unavailable or the server is busy, in seconds.
const RETRY_UNAVAILABLE: u64 = 2;

/// Why a request failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ApiError {
    /// A use case failed.
    #[error(transparent)]
    UseCase(#[from] Error),
    /// No operation has this path.
    #[error("no such path")]
    NoSuchPath,
    /// No operation of this path has this method.
    #[error("method not allowed: this path accepts {allow}")]
    MethodNotAllowed {
        /// The allowed methods, as in the header `Allow`.
        allow: String,
    },
    /// The `Idempotency-Key` was used for another request.
    #[error("this Idempotency-Key was used for another request: use a new key")]
    KeyReused,
    /// Too many requests, or too many failed authentications.
    #[error("too many requests: try again in {retry_after} s")]
    TooManyRequests {
        /// Seconds until the next request is accepted.
        retry_after: u64,
    },
    /// Too much work is waiting.
    #[error("the server is busy: try again in a moment")]
    Busy,
    #[error("the body of the request did not arrive in time")]
    Timeout,
    #[error("the request line and the headers did not arrive in time")]
    HeadTimeout,
    /// The bytes received are not a valid request.
    #[error("{0}")]
    Malformed(&'static str),
    #[error("the request has more than {limit} headers")]
    TooManyHeaders {
        /// The maximum number of headers.
        limit: usize,
    },
    /// The body is incomplete.
    #[error("the body of the request is incomplete or malformed")]
    BrokenBody,
    #[error("the body of the request is larger than {limit} bytes")]
    TooLarge {
        /// The maximum size in bytes.
        limit: usize,
    },
    #[error("the request URI is longer than {limit} bytes")]
    UriTooLong {
        /// The maximum length in bytes.
        limit: usize,
    },
    #[error("the headers of the request are larger than {limit} bytes")]
    HeadersTooLarge {
        /// The maximum size in bytes.
        limit: usize,
    },
    /// The media type or encoding of the body is not supported.
    #[error("{0}")]
    UnsupportedMediaType(&'static str),
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

impl From<Invalid> for ApiError {
    fn from(invalid: Invalid) -> Self {
        Self::UseCase(Error::Invalid(invalid))
    }
}

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> Self {
        Self::UseCase(Error::Store(error))
    }
}

impl From<FilesError> for ApiError {
    fn from(error: FilesError) -> Self {
        Self::UseCase(Error::Files(error))
    }
}

/// The body of all errors.
#[derive(Serialize, ToSchema)]
#[schema(as = Error)]
pub(crate) struct ErrorBody {
    error: ErrorDetail,
}

/// An error.
#[derive(Serialize, ToSchema)]
pub(crate) struct ErrorDetail {
    /// The HTTP status.
    code: u16,
    /// The message, for people.
    message: String,
}

impl ErrorBody {
    pub(crate) fn new(status: StatusCode, message: impl Into<String>) -> Self {
        Self { error: ErrorDetail { code: status.as_u16(), message: message.into() } }
    }

    /// The body as JSON.
    pub(crate) fn to_json(&self) -> String {
        serde_json::json!({ "error": { "code": self.error.code, "message": self.error.message } }).to_string()
    }
}

impl ApiError {
    /// The message for the caller. It reveals no internals.
    fn message(&self) -> String {
        match self.status_code() {
            StatusCode::SERVICE_UNAVAILABLE => match self {
                Self::Busy => self.to_string(),
                Self::UseCase(Error::Store(StoreError::Unknown(_))) => {
                    "the outcome is unknown: the change may have been made; check before you retry".into()
                }
                Self::UseCase(Error::Store(StoreError::Contended(_))) => {
                    "conflicting changes were made at the same time: try again".into()
                }
                Self::UseCase(Error::Files(_)) => "the file storage is unavailable: try again".into(),
                _ => "the database is unavailable: try again".into(),
            },
            StatusCode::INSUFFICIENT_STORAGE => match self {
                Self::UseCase(Error::Store(_)) => "no space is left for the database: nothing was changed".into(),
                _ => "no space is left for files".into(),
            },
            StatusCode::INTERNAL_SERVER_ERROR if !matches!(self, Self::Internal { .. }) => "internal error".into(),
            _ => self.to_string(),
        }
    }
}

impl ResponseError for ApiError {
    fn status_code(&self) -> StatusCode {
        match self {
            Self::NoSuchPath => StatusCode::NOT_FOUND,
            Self::MethodNotAllowed { .. } => StatusCode::METHOD_NOT_ALLOWED,
            Self::TooManyRequests { .. } => StatusCode::TOO_MANY_REQUESTS,
            Self::Busy => StatusCode::SERVICE_UNAVAILABLE,
            Self::Timeout | Self::HeadTimeout => StatusCode::REQUEST_TIMEOUT,
            Self::BrokenBody | Self::Malformed(_) => StatusCode::BAD_REQUEST,
            Self::KeyReused => StatusCode::UNPROCESSABLE_ENTITY,
            Self::TooLarge { .. } => StatusCode::PAYLOAD_TOO_LARGE,
            Self::UriTooLong { .. } => StatusCode::URI_TOO_LONG,
            Self::HeadersTooLarge { .. } | Self::TooManyHeaders { .. } => StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
            Self::UnsupportedMediaType(_) => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::RangeNotSatisfiable { .. } => StatusCode::RANGE_NOT_SATISFIABLE,
            Self::Internal { .. } => StatusCode::INTERNAL_SERVER_ERROR,
            Self::UseCase(error) => match error {
                Error::Unauthenticated(_) => StatusCode::UNAUTHORIZED,
                Error::NotFound(_) | Error::Files(FilesError::NotFound) => StatusCode::NOT_FOUND,
                Error::Forbidden(_) => StatusCode::FORBIDDEN,
                Error::Invalid(_) => StatusCode::BAD_REQUEST,
                Error::Conflict(_) | Error::Store(StoreError::Conflict(_)) => StatusCode::CONFLICT,
                Error::PreconditionFailed(_) => StatusCode::PRECONDITION_FAILED,
                Error::Store(StoreError::Unavailable(_) | StoreError::Contended(_) | StoreError::Unknown(_))
                | Error::Files(FilesError::Unavailable(_)) => StatusCode::SERVICE_UNAVAILABLE,
                Error::Store(StoreError::Full(_)) | Error::Files(FilesError::Full(_)) => {
                    StatusCode::INSUFFICIENT_STORAGE
                }
                Error::Store(StoreError::Internal(_)) | Error::Files(FilesError::Internal(_)) | Error::Corrupt(_) => {
                    StatusCode::INTERNAL_SERVER_ERROR
                }
            },
        }
    }

    fn error_response(&self) -> HttpResponse<BoxBody> {
        let status = self.status_code();
        let mut response = HttpResponse::build(status).json(ErrorBody::new(status, self.message()));
        let headers = response.headers_mut();
        match self {
            Self::UseCase(Error::Unauthenticated(_)) => {
                headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            }
            Self::Busy
            | Self::UseCase(Error::Files(FilesError::Unavailable(_)))
            | Self::UseCase(Error::Store(
                StoreError::Unavailable(_) | StoreError::Contended(_) | StoreError::Unknown(_) | StoreError::Full(_),
            )) => {
                headers.insert(RETRY_AFTER, HeaderValue::from(RETRY_UNAVAILABLE));
            }
            Self::TooManyRequests { retry_after } => {
                headers.insert(RETRY_AFTER, HeaderValue::from(*retry_after));
            }
            Self::MethodNotAllowed { allow } => {
                if let Ok(allow) = HeaderValue::from_str(allow) {
                    headers.insert(ALLOW, allow);
                }
            }
            Self::RangeNotSatisfiable { size } => {
                if let Ok(range) = HeaderValue::try_from(format!("bytes */{size}")) {
                    headers.insert(actix_web::http::header::CONTENT_RANGE, range);
                }
            }
            _ => {}
        }
        response
    }
}

/// An error with all its causes, for the log.
pub(crate) fn chain(error: &(dyn std::error::Error + 'static)) -> String {
    let causes = std::iter::successors(Some(error), |error| error.source());
    causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::body::to_bytes;
    use rstest::rstest;

    fn io() -> std::io::Error {
        std::io::Error::other("/secret/place")
    }

    #[rstest]
    #[case(Error::Unauthenticated("no token").into(), 401, "no token")]
    #[case(Error::NotFound("space").into(), 404, "space not found")]
    #[case(Error::Forbidden("not yours".into()).into(), 403, "not yours")]
    #[case(Invalid::new("title", "at most 50 characters").into(), 400, "title: at most 50 characters")]
    #[case(Error::Conflict("taken".into()).into(), 409, "taken")]
    #[case(Error::PreconditionFailed("changed".into()).into(), 412, "changed")]
    #[case(StoreError::Conflict("email".into()).into(), 409, "conflict on email")]
    #[case(StoreError::Internal(Box::new(io())).into(), 500, "internal error")]
    #[case(StoreError::Unavailable(Box::new(io())).into(), 503, "the database is unavailable: try again")]
    #[case(StoreError::Contended(Box::new(io())).into(), 503, "conflicting changes were made at the same time: try again")]
    #[case(
        StoreError::Unknown(Box::new(io())).into(),
        503,
        "the outcome is unknown: the change may have been made; check before you retry"
    )]
    #[case(StoreError::Full(Box::new(io())).into(), 507, "no space is left for the database: nothing was changed")]
    #[case(FilesError::NotFound.into(), 404, "no such file")]
    #[case(FilesError::Unavailable(io()).into(), 503, "the file storage is unavailable: try again")]
    #[case(FilesError::Full(io()).into(), 507, "no space is left for files")]
    #[case(FilesError::Internal(io()).into(), 500, "internal error")]
    #[case(Error::Corrupt("/secret/place".into()).into(), 500, "internal error")]
    #[case(ApiError::NoSuchPath, 404, "no such path")]
    #[case(ApiError::Busy, 503, "the server is busy: try again in a moment")]
    #[case(ApiError::TooLarge { limit: 7 }, 413, "the body of the request is larger than 7 bytes")]
    #[actix_web::test]
    async fn each_reason_has_one_status_and_one_body(
        #[case] error: ApiError,
        #[case] status: u16,
        #[case] message: &str,
    ) {
        let response = error.error_response();
        assert_eq!(response.status().as_u16(), status);
        let body = to_bytes(response.into_body()).await.unwrap();
        let body: serde_json::Value = serde_json::from_slice(&body).unwrap();
        assert_eq!(body, serde_json::json!({ "error": { "code": status, "message": message } }));
    }

    #[rstest]
    #[case(StoreError::Unavailable(Box::new(io())))]
    #[case(StoreError::Contended(Box::new(io())))]
    #[case(StoreError::Unknown(Box::new(io())))]
    #[case(StoreError::Full(Box::new(io())))]
    fn a_database_that_cannot_be_reached_asks_to_come_back(#[case] error: StoreError) {
        let response = ApiError::from(error).error_response();
        assert!(response.status().is_server_error());
        assert!(response.headers().contains_key(RETRY_AFTER));
    }

    #[test]
    fn the_log_is_told_the_whole_chain_of_causes() {
        let error = ApiError::from(StoreError::Internal(Box::new(io())));
        assert_eq!(chain(&error), "the database failed: /secret/place");
    }

    #[test]
    fn somebody_without_a_token_is_told_which_kind_to_bring() {
        let response = ApiError::from(Error::Unauthenticated("x")).error_response();
        assert_eq!(response.headers().get(WWW_AUTHENTICATE).unwrap(), "Bearer");
    }
}
