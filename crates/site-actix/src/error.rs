//! Errors, as pages for people.
use actix_web::body::BoxBody;
use actix_web::http::StatusCode;
use actix_web::http::header::{ALLOW, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderValue, RETRY_AFTER};
use actix_web::{HttpResponse, ResponseError};
use domain::ports::FilesError;
use domain::usecases::Error;
use http_server::{RETRY_UNAVAILABLE, ServerError};
use serde_json::json;

/// The media type of pages of errors.
pub(crate) const HTML: &str = "text/html; charset=utf-8";

/// Why a request to a site fails.
#[derive(Debug, thiserror::Error)]
pub enum SiteError {
    /// The server refuses or fails it.
    #[error(transparent)]
    Server(#[from] ServerError),
    /// A use case fails.
    #[error("{0}")]
    UseCase(#[from] Error),
    /// The method is wrong.
    #[error("this address does not take this method")]
    Method(&'static str),
    /// The input is wrong.
    #[error("{0}")]
    Input(String),
    /// The request comes from a page of another origin.
    #[error("this form takes no requests from other sites")]
    OtherOrigin,
    /// The visitor cannot see this address, or the request is malformed.
    #[error("{1}")]
    Refused(StatusCode, &'static str),
    /// An error for a client that wants JSON.
    #[error(transparent)]
    Json(Box<Self>),
}

impl ResponseError for SiteError {
    fn status_code(&self) -> StatusCode {
        match self {
            Self::Server(error) => error.status(),
            Self::UseCase(error) => match error {
                Error::NotFound(_) | Error::Files(FilesError::NotFound) => StatusCode::NOT_FOUND,
                Error::Invalid(_) => StatusCode::BAD_REQUEST,
                error if error.is_unavailable() => StatusCode::SERVICE_UNAVAILABLE,
                error if error.is_full() => StatusCode::INSUFFICIENT_STORAGE,
                _ => StatusCode::INTERNAL_SERVER_ERROR,
            },
            Self::Input(_) => StatusCode::BAD_REQUEST,
            Self::Method(_) => StatusCode::METHOD_NOT_ALLOWED,
            Self::OtherOrigin => StatusCode::FORBIDDEN,
            Self::Refused(status, _) => *status,
            Self::Json(error) => error.status_code(),
        }
    }

    fn error_response(&self) -> HttpResponse {
        let status = self.status_code();
        if let Self::Json(error) = self {
            let body = json!({"error": {"code": status.as_u16(), "message": error.message()}});
            return error.error_response().map_body(|head, _page| {
                head.headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
                head.headers.remove(CONTENT_SECURITY_POLICY);
                BoxBody::new(body.to_string())
            });
        }
        let mut response = message_page(status, &self.message());
        let headers = response.headers_mut();
        match self {
            Self::Server(error) => error.add_headers(headers),
            Self::UseCase(error) if error.is_retryable() => {
                headers.insert(RETRY_AFTER, HeaderValue::from(RETRY_UNAVAILABLE));
            }
            Self::Method(allowed) => {
                headers.insert(ALLOW, HeaderValue::from_static(allowed));
            }
            _ => {}
        }
        response
    }
}

impl SiteError {
    /// The message for the client.
    fn message(&self) -> String {
        match self {
            Self::UseCase(_) => self.status_code().canonical_reason().unwrap_or("error").to_lowercase(),
            other => other.to_string(),
        }
    }
}

/// A page with a message, independent of any site.
pub(crate) fn message_page(status: StatusCode, message: &str) -> HttpResponse {
    let body = site_html::frame::message(status.as_u16(), message);
    HttpResponse::build(status)
        .insert_header((CONTENT_TYPE, HTML))
        .insert_header((CONTENT_SECURITY_POLICY, "default-src 'none'; base-uri 'none'; frame-ancestors 'none'"))
        .body(body)
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::ports::StoreError;
    use rstest::rstest;

    fn io() -> std::io::Error {
        std::io::Error::other("/secret/place")
    }

    #[rstest]
    #[case(StoreError::Unavailable(Box::new(io())).into(), 503, true)]
    #[case(StoreError::Contended(Box::new(io())).into(), 503, true)]
    #[case(StoreError::Unknown(Box::new(io())).into(), 503, true)]
    #[case(StoreError::Full(Box::new(io())).into(), 507, true)]
    #[case(StoreError::Internal(Box::new(io())).into(), 500, false)]
    #[case(FilesError::Unavailable(io()).into(), 503, true)]
    #[case(FilesError::Full(io()).into(), 507, false)]
    #[case(FilesError::NotFound.into(), 404, false)]
    #[case(Error::Corrupt("/secret/place".into()), 500, false)]
    fn a_failure_has_its_status_and_the_time_to_retry(
        #[case] error: Error,
        #[case] status: u16,
        #[case] come_back: bool,
    ) {
        let error = SiteError::from(error);
        let response = error.error_response();
        assert_eq!(response.status().as_u16(), status);
        assert_eq!(response.headers().contains_key(RETRY_AFTER), come_back);
        assert!(!error.message().contains("secret"), "{}", error.message());
    }
}
