//! Accounts.
use super::ServiceConfig;
use crate::Api;
use crate::answer::{Answered, ok};
use crate::request::Body;
use crate::request::if_match::{IfMatch, IfShown};
use crate::state::caller::Caller;
use crate::wire::user::{UpdateUser, User, granted_user, user};
use actix_web::web::{Data, Path};
use actix_web::{get, patch};
use domain::id::UserId;

pub(super) fn configure(config: &mut ServiceConfig) {
    config.service(get_authenticated_user).service(get_user).service(update_user);
}

/// Get the caller's account
#[utoipa::path(tag = "users", operation_id = "getAuthenticatedUser", responses((status = 200, description = "The account", body = User)))]
#[get("/user")]
async fn get_authenticated_user(api: Data<Api>, caller: Caller) -> Answered {
    ok(&user(api.services.accounts.me(&caller).await?, &api.links))
}

/// Get an account
///
/// Callers may get their own account, and the accounts of members of an organization whose members they may list.
#[utoipa::path(tag = "users", operation_id = "getUserById", params(("userId" = String, Path)),
    responses((status = 200, description = "The account", body = User)))]
#[get("/users/{userId}")]
async fn get_user(api: Data<Api>, caller: Caller, path: Path<UserId>) -> Answered {
    ok(&granted_user(api.services.accounts.user(&caller, &path).await?, &api.links))
}

/// Update an account
///
/// Callers may update only their own account.
#[utoipa::path(tag = "users", operation_id = "updateUserById", params(("userId" = String, Path), IfShown), request_body = UpdateUser,
    responses((status = 200, description = "The account", body = User)))]
#[patch("/users/{userId}")]
async fn update_user(
    api: Data<Api>,
    caller: Caller,
    path: Path<UserId>,
    body: Body<UpdateUser>,
    wanted: IfMatch,
) -> Answered {
    let wanted = wanted.shown(&api, granted_user);
    let changed = api.services.accounts.update_user(&caller, &path, wanted, body.input()).await?;
    ok(&granted_user(changed, &api.links))
}
