//! People and machines with an account.
use crate::id::UserId;
use crate::text::{DisplayName, Email};
use chrono::{DateTime, Utc};

/// Somebody with an account on this server. What a user may do comes from memberships.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct User {
    /// The id.
    pub id: UserId,
    /// The name others see.
    pub display_name: DisplayName,
    /// The address; unique on the server.
    pub email: Email,
    /// A picture.
    pub photo_url: Option<String>,
    /// When the account was made.
    pub created_at: DateTime<Utc>,
}
