//! Information about the server.
use super::ServiceConfig;
use crate::Api;
use crate::answer::{Answered, ok};
use crate::state::caller::Caller;
use actix_web::get;
use actix_web::web::{self, Data};
use serde::Serialize;
use utoipa::ToSchema;

pub(super) fn configure(config: &mut ServiceConfig) {
    config.service(get_api_information);
    // Also without the trailing slash: some clients omit it.
    config.alias(web::resource("").route(web::get().to(information)));
}

/// Information about the server.
#[derive(Serialize, ToSchema)]
struct ApiInformation<'a> {
    /// The version of the server.
    version: &'a str,
    /// The build date of the server.
    build: &'a str,
}

/// Get server information
#[utoipa::path(tag = "system", operation_id = "getApiInformation", responses((status = 200, description = "The version and build date", body = ApiInformation)))]
#[get("/")]
async fn get_api_information(api: Data<Api>, caller: Caller) -> Answered {
    information(api, caller).await
}

async fn information(api: Data<Api>, _caller: Caller) -> Answered {
    ok(&ApiInformation { version: &api.settings.version, build: &api.settings.build })
}
