//! Health checks: whether the server is alive, and whether it is ready.
use crate::Api;
use crate::answer::error::{ApiError, ErrorBody};
use actix_web::http::StatusCode;
use actix_web::web::{self, Data};
use actix_web::{HttpRequest, HttpResponse};
use http_server::is_draining;

pub(crate) fn configure(config: &mut web::ServiceConfig) {
    config
        .service(web::resource("/healthz").route(web::get().to(alive)))
        .service(web::resource("/readyz").route(web::get().to(ready)));
}

/// The process responds.
async fn alive() -> HttpResponse {
    HttpResponse::Ok().json(serde_json::json!({ "status": "ok" }))
}

/// The database responds too, and the server is not stopping.
async fn ready(api: Data<Api>, request: HttpRequest) -> Result<HttpResponse, ApiError> {
    if is_draining(&request) {
        let status = StatusCode::SERVICE_UNAVAILABLE;
        return Ok(HttpResponse::build(status).json(ErrorBody::new(status, "the server is stopping")));
    }
    api.services.store.ping().await?;
    Ok(HttpResponse::Ok().json(serde_json::json!({ "status": "ok" })))
}
