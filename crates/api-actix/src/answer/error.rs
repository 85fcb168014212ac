//! Errors of the API: each reason has one status, and all share one body.
use actix_web::body::BoxBody;
use actix_web::http::StatusCode;
use actix_web::http::header::{ALLOW, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE};
use actix_web::{HttpResponse, ResponseError};
use domain::ports::{FilesError, StoreError};
use domain::text::Invalid;
use domain::usecases::Error;
use http_server::{RETRY_UNAVAILABLE, ServerError};
use serde::Serialize;
use utoipa::ToSchema;

/// Why a request failed.
#[derive(Debug, thiserror::Error)]
pub enum ApiError {
    /// A use case failed.
    #[error(transparent)]
    UseCase(#[from] Error),
    /// An error of the server itself, independent of the operation.
    #[error(transparent)]
    Server(#[from] ServerError),
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
    /// The media type or encoding of the body is not supported.
    #[error("{0}")]
    UnsupportedMediaType(&'static str),
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
                Self::Server(_) => self.to_string(),
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
            StatusCode::INTERNAL_SERVER_ERROR if !matches!(self, Self::Server(_)) => "internal error".into(),
            _ => self.to_string(),
        }
    }
}

impl ResponseError for ApiError {
    fn status_code(&self) -> StatusCode {
        match self {
            Self::NoSuchPath => StatusCode::NOT_FOUND,
            Self::MethodNotAllowed { .. } => StatusCode::METHOD_NOT_ALLOWED,
            Self::KeyReused => StatusCode::UNPROCESSABLE_ENTITY,
            Self::UnsupportedMediaType(_) => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::Server(error) => error.status(),
            Self::UseCase(error) => match error {
                Error::Unauthenticated(_) => StatusCode::UNAUTHORIZED,
                Error::NotFound(_) | Error::Files(FilesError::NotFound) => StatusCode::NOT_FOUND,
                Error::Forbidden(_) => StatusCode::FORBIDDEN,
                Error::Invalid(_) => StatusCode::BAD_REQUEST,
                Error::TooLarge(_) => StatusCode::PAYLOAD_TOO_LARGE,
                Error::Conflict(_) | Error::Store(StoreError::Conflict(_)) => StatusCode::CONFLICT,
                Error::PreconditionFailed(_) => StatusCode::PRECONDITION_FAILED,
                error if error.is_unavailable() => StatusCode::SERVICE_UNAVAILABLE,
                error if error.is_full() => StatusCode::INSUFFICIENT_STORAGE,
                _ => StatusCode::INTERNAL_SERVER_ERROR,
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
            Self::UseCase(error) if error.is_retryable() => {
                headers.insert(RETRY_AFTER, HeaderValue::from(RETRY_UNAVAILABLE));
            }
            Self::Server(error) => error.add_headers(headers),
            Self::MethodNotAllowed { allow } => {
                if let Ok(allow) = HeaderValue::from_str(allow) {
                    headers.insert(ALLOW, allow);
                }
            }
            _ => {}
        }
        response
    }
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
    #[case(Error::TooLarge(Invalid::new("text", "at most 7 bytes")).into(), 413, "text: at most 7 bytes")]
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
    #[case(ServerError::Busy.into(), 503, "the server is busy: try again in a moment")]
    #[case(ServerError::TooLarge { limit: 7 }.into(), 413, "the body of the request is larger than 7 bytes")]
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
    fn the_log_has_the_whole_chain_of_causes() {
        let error = ApiError::from(StoreError::Internal(Box::new(io())));
        assert_eq!(http_server::chain(&error), "the database failed: /secret/place");
    }

    #[test]
    fn a_request_without_a_token_gets_the_authentication_scheme() {
        let response = ApiError::from(Error::Unauthenticated("x")).error_response();
        assert_eq!(response.headers().get(WWW_AUTHENTICATE).unwrap(), "Bearer");
    }
}
