//! Whether the server lives, and whether it can work.
use crate::Api;
use crate::error::ApiError;
use actix_web::HttpResponse;
use actix_web::web::{self, Data};

/// Adds the two to a server.
pub(crate) fn configure(config: &mut web::ServiceConfig) {
    config
        .service(web::resource("/healthz").route(web::get().to(alive)))
        .service(web::resource("/readyz").route(web::get().to(ready)));
}

/// The process answers.
async fn alive() -> HttpResponse {
    HttpResponse::Ok().json(serde_json::json!({ "status": "ok" }))
}

/// The database answers, too.
async fn ready(api: Data<Api>) -> Result<HttpResponse, ApiError> {
    api.services.store.ping().await?;
    Ok(HttpResponse::Ok().json(serde_json::json!({ "status": "ok" })))
}
