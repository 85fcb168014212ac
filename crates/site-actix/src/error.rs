//! Errors, as pages for people.
use actix_web::body::BoxBody;
use actix_web::http::StatusCode;
use actix_web::http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderValue};
use actix_web::{HttpResponse, ResponseError};
use domain::ports::StoreError;
use domain::usecases::Error;
use http_server::ServerError;
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
    /// There is nothing for the visitor, or the request has the wrong form.
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
            Self::UseCase(Error::Store(StoreError::Unavailable(_))) => StatusCode::SERVICE_UNAVAILABLE,
            Self::UseCase(Error::NotFound(_)) => StatusCode::NOT_FOUND,
            Self::UseCase(Error::Invalid(_)) | Self::Input(_) => StatusCode::BAD_REQUEST,
            Self::UseCase(_) => StatusCode::INTERNAL_SERVER_ERROR,
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
        if let Self::Server(error) = self {
            error.add_headers(response.headers_mut());
        }
        if let Self::Method(allowed) = self {
            response.headers_mut().insert(actix_web::http::header::ALLOW, HeaderValue::from_static(allowed));
        }
        response
    }
}

impl SiteError {
    /// What the client is told.
    fn message(&self) -> String {
        match self {
            Self::UseCase(_) => self.status_code().canonical_reason().unwrap_or("error").to_lowercase(),
            other => other.to_string(),
        }
    }
}

/// A page with a message and nothing of a site.
pub(crate) fn message_page(status: StatusCode, message: &str) -> HttpResponse {
    let body = site_html::frame::message(status.as_u16(), message);
    HttpResponse::build(status)
        .insert_header((CONTENT_TYPE, HTML))
        .insert_header((CONTENT_SECURITY_POLICY, "default-src 'none'; base-uri 'none'; frame-ancestors 'none'"))
        .body(body)
}
