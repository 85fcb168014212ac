//! The caller's API tokens.
use super::ServiceConfig;
use crate::Api;
use crate::answer::error::ApiError;
use crate::answer::{Answered, created_with_secret, deleted, ok};
use crate::request::Body;
use crate::request::if_match::{IfMatch, IfShown};
use crate::request::paging::{Paging, PagingParams};
use crate::state::caller::Caller;
use crate::wire::token::{CreateToken, NewToken, Token, TokenList, new_token, token};
use actix_web::web::{Data, Path};
use actix_web::{HttpResponse, delete, get, post};
use domain::id::TokenId;
use domain::usecases::Error;

pub(super) fn configure(config: &mut ServiceConfig) {
    config.service(list_tokens).service(create_token).service(get_token).service(delete_token);
}

/// List the caller's tokens
///
/// Expired tokens are listed until they are deleted.
#[utoipa::path(tag = "tokens", operation_id = "listUserTokens", params(PagingParams),
    responses((status = 200, description = "Tokens, oldest first", body = TokenList)))]
#[get("/user/tokens")]
async fn list_tokens(api: Data<Api>, caller: Caller, paging: Paging) -> Answered {
    let found = api.services.accounts.own_tokens(&caller, paging.input()).await?;
    ok(&paging.list(found, |found| token(found, &api.links)))
}

/// Create a token
///
/// The token is shown only in this response. It has at most the rights of the token that creates it, and expires no
/// later. With an `Idempotency-Key` the token is created once, and the response is not stored.
#[utoipa::path(tag = "tokens", operation_id = "createUserToken", request_body = CreateToken,
    responses((status = 201, description = "The token", body = NewToken, headers(("Location" = String)))))]
#[post("/user/tokens")]
async fn create_token(api: Data<Api>, caller: Caller, body: Body<CreateToken>) -> Answered {
    let user = caller.user().ok_or(Error::NotFound("user"))?;
    let (made, secret) = api.services.accounts.create_token(&caller, user, body.input()).await?;
    let location = api.links.token(&made.id);
    created_with_secret(location, &new_token(made, &secret, &api.links))
}

/// Get one of the caller's tokens
#[utoipa::path(tag = "tokens", operation_id = "getUserTokenById", params(("tokenId" = String, Path)),
    responses((status = 200, description = "The token, without its secret", body = Token)))]
#[get("/user/tokens/{tokenId}")]
async fn get_token(api: Data<Api>, caller: Caller, path: Path<TokenId>) -> Answered {
    ok(&token(api.services.accounts.own_token(&caller, &path).await?, &api.links))
}

/// Delete one of the caller's tokens
///
/// Requests that start after the deletion can no longer use it.
#[utoipa::path(tag = "tokens", operation_id = "deleteUserTokenById", params(("tokenId" = String, Path), IfShown),
    responses((status = 205, description = "The token is deleted"), (status = 204, description = "There was no such token")))]
#[delete("/user/tokens/{tokenId}")]
async fn delete_token(
    api: Data<Api>,
    caller: Caller,
    path: Path<TokenId>,
    wanted: IfMatch,
) -> Result<HttpResponse, ApiError> {
    Ok(deleted(api.services.accounts.delete_token(&caller, &path, wanted.shown(&api, token)).await?))
}
