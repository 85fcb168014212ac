//! The server with a small driver, whose errors are HTML.
mod fast_path;
mod refused;
mod slow;
mod socket;

use crate::{Answer, Driver, LARGEST_BODY, ServerError, collect, observe, refuse_announced};
use actix_web::body::BoxBody;
use actix_web::dev::{Payload, ServiceFactory, ServiceRequest, ServiceResponse};
use actix_web::http::StatusCode;
use actix_web::http::header::CONTENT_TYPE;
use actix_web::middleware::from_fn;
use actix_web::web::{self, Data};
use actix_web::{App, HttpRequest, HttpResponse, ResponseError};
use std::sync::Arc;

/// The maximum size of a body that the driver takes, in bytes.
const MAX_BODY: usize = LARGEST_BODY / 4;

struct Small;

#[derive(Debug, thiserror::Error)]
#[error(transparent)]
struct Failed(#[from] ServerError);

fn page(status: StatusCode, message: &str) -> String {
    format!("<h1>{}</h1><p>{message}</p>", status.as_u16())
}

impl ResponseError for Failed {
    fn status_code(&self) -> StatusCode {
        self.0.status()
    }

    fn error_response(&self) -> HttpResponse<BoxBody> {
        let status = self.status_code();
        let mut response = HttpResponse::build(status)
            .insert_header((CONTENT_TYPE, Small::ERROR_TYPE))
            .body(page(status, &self.to_string()));
        self.0.add_headers(response.headers_mut());
        response
    }
}

impl Driver for Small {
    type Error = Failed;
    const ERROR_TYPE: &'static str = "text/html";

    fn error_body(&self, _request: &HttpRequest, status: StatusCode, message: &str) -> String {
        page(status, message)
    }

    fn new_request_id(&self) -> String {
        "a-new-id".to_owned()
    }

    fn route(&self, request: &HttpRequest) -> Option<Arc<str>> {
        request.match_pattern().map(Arc::from)
    }

    fn user(&self, _request: &HttpRequest) -> Option<String> {
        None
    }
}

/// Takes a body, and returns its length.
async fn measure(request: HttpRequest, payload: Payload) -> Result<String, Failed> {
    refuse_announced(&request, MAX_BODY)?;
    Ok(collect(&request, payload, MAX_BODY).await?.len().to_string())
}

fn app() -> App<
    impl ServiceFactory<
        ServiceRequest,
        Config = (),
        Response = ServiceResponse<BoxBody>,
        Error = actix_web::Error,
        InitError = (),
    >,
> {
    App::new()
        .app_data(Data::new(Small))
        .route("/alive", web::get().to(async || "alive"))
        .route("/large", web::get().to(async || "x".repeat(512 * 1024)))
        .route("/page", web::get().to(async || Answer::new("text/html", "a page")))
        .route(
            "/body",
            web::post()
                .to(async |request: HttpRequest, payload: web::Payload| measure(request, payload.into_inner()).await),
        )
        .route("/panic", web::get().to(async || -> HttpResponse { panic!("a fault") }))
        .wrap(from_fn(observe::<Small, _>))
}
