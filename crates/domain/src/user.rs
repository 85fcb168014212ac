//! People and machines with an account.
use crate::access::{Access, Guarded, Level};
use crate::event::Audited;
use crate::id::UserId;
use crate::patch::Patch;
use crate::text::{DisplayName, Email};
use crate::web_address::WebAddress;
use chrono::{DateTime, Utc};
use serde_json::{Value, json};

/// Somebody with an account on this server. What a user may do comes from memberships.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct User {
    /// The id.
    pub id: UserId,
    /// The name others see.
    pub display_name: DisplayName,
    /// The address; unique on the server.
    pub email: Email,
    /// Whether the address is known to be the account's own. Somebody else who invites an address does not know.
    pub email_verified: bool,
    /// A picture.
    pub photo_url: Option<WebAddress>,
    /// When the account was made.
    pub created_at: DateTime<Utc>,
}

/// Somebody whom something names that others read, such as the author of a change request: readers know who it was, and
/// the address only of those whose account they may see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Person {
    /// The id.
    pub id: UserId,
    /// The name others see.
    pub display_name: DisplayName,
    /// The address, where the reader may know it.
    pub email: Option<Email>,
    /// A picture.
    pub photo_url: Option<WebAddress>,
}

impl Person {
    /// A user to a reader who may see the account, or may not.
    pub fn of(user: User, seen: bool) -> Self {
        let User { id, display_name, email, photo_url, .. } = user;
        Self { id, display_name, email: Some(email).filter(|_| seen), photo_url }
    }
}

/// What somebody may do with an account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UserPermissions {
    /// See what it shows of itself.
    pub view: bool,
    /// Change that.
    pub edit: bool,
}

impl Guarded for User {
    type Permissions = UserPermissions;

    fn permissions(&self, access: &Access) -> UserPermissions {
        UserPermissions { view: access.at_least(Level::Read), edit: access.at_least(Level::Admin) }
    }

    fn visible(permissions: &UserPermissions) -> bool {
        permissions.view
    }
}

/// A change to what an account shows of itself; what is absent stays as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "see the fields of User")]
pub struct UserPatch {
    pub display_name: Option<DisplayName>,
    pub photo_url: Patch<WebAddress>,
}

impl User {
    /// The domain whose addresses the user is known to be one of.
    pub fn verified_domain(&self) -> Option<&str> {
        self.email_verified.then(|| self.email.domain())
    }

    /// Applies a change.
    pub fn update(&mut self, patch: UserPatch) {
        let UserPatch { display_name, photo_url } = patch;
        self.display_name = display_name.unwrap_or_else(|| self.display_name.clone());
        photo_url.apply(&mut self.photo_url);
    }
}

impl Audited for User {
    fn settings(&self) -> Vec<(&'static str, Value)> {
        vec![("displayName", json!(self.display_name)), ("photoURL", json!(self.photo_url))]
    }
}
