//! Accounts.
use crate::links::Links;
use domain::user;
use serde::Serialize;
use utoipa::ToSchema;

/// Somebody with an account.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct User {
    #[schema(example = "user")]
    object: &'static str,
    id: String,
    /// The name others see.
    display_name: String,
    email: String,
    /// A picture.
    #[serde(rename = "photoURL", skip_serializing_if = "Option::is_none")]
    photo_url: Option<String>,
    urls: UserUrls,
}

/// Addresses of an account.
#[derive(Serialize, ToSchema)]
pub(crate) struct UserUrls {
    location: String,
}

/// Shows an account.
pub(crate) fn user(user: user::User, links: &Links) -> User {
    User {
        object: "user",
        urls: UserUrls { location: links.user(&user.id) },
        id: user.id.into(),
        display_name: user.display_name.into(),
        email: user.email.into(),
        photo_url: user.photo_url,
    }
}
