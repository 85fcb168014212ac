//! Accounts.
use super::ServiceConfig;
use crate::Api;
use crate::answer::{Answered, ok};
use crate::caller::Caller;
use crate::wire::user::{User, user};
use actix_web::get;
use actix_web::web::Data;

pub(super) fn configure(config: &mut ServiceConfig) {
    config.service(get_authenticated_user);
}

/// Get the caller's own account
#[utoipa::path(tag = "users", operation_id = "getAuthenticatedUser", responses((status = 200, description = "The account", body = User)))]
#[get("/user")]
async fn get_authenticated_user(api: Data<Api>, caller: Caller) -> Answered {
    ok(&user(api.services.accounts.me(&caller).await?, &api.links))
}
