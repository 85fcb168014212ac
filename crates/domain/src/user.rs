//! Users: people and machines with an account.
use crate::access::{Access, Guarded, Level};
use crate::event::Audited;
use crate::id::UserId;
use crate::patch::{Patch, changed, set};
use crate::text::{DisplayName, Email};
use crate::web_address::WebAddress;
use chrono::{DateTime, Utc};
use serde_json::{Value, json};

/// A user with an account on this server. The user's rights come from memberships.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct User {
    /// The id.
    pub id: UserId,
    /// The name that others see.
    pub display_name: DisplayName,
    /// The email address; unique on the server.
    pub email: Email,
    /// Whether the user has proved to own the address. Accepting an invite to the address is no proof.
    pub email_verified: bool,
    /// The address of a picture.
    pub photo_url: Option<WebAddress>,
    /// When the account was created.
    pub created_at: DateTime<Utc>,
}

/// A user that others see, such as the author of a change request. Readers see the name; they see the email address
/// only if they may see the account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Person {
    /// The id.
    pub id: UserId,
    /// The name that others see.
    pub display_name: DisplayName,
    /// The email address, if the reader may see it.
    pub email: Option<Email>,
    /// The address of a picture.
    pub photo_url: Option<WebAddress>,
}

impl Person {
    /// A user as a reader sees it; `seen` is whether the reader may see the account.
    pub fn of(user: User, seen: bool) -> Self {
        let User { id, display_name, email, photo_url, .. } = user;
        Self { id, display_name, email: Some(email).filter(|_| seen), photo_url }
    }
}

/// What the caller may do with an account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UserPermissions {
    /// See the profile.
    pub view: bool,
    /// Change the profile.
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

/// A change to a profile; absent fields keep their value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "see the fields of User")]
pub struct UserPatch {
    pub display_name: Option<DisplayName>,
    pub photo_url: Patch<WebAddress>,
}

impl User {
    /// The domain of the user's verified email address.
    pub fn verified_domain(&self) -> Option<&str> {
        self.email_verified.then(|| self.email.domain())
    }

    /// Applies a change. Returns the account before; `None` if nothing changed.
    pub fn update(&mut self, patch: UserPatch) -> Option<Self> {
        let UserPatch { display_name, photo_url } = patch;
        changed(self, |user| {
            set(&mut user.display_name, display_name);
            photo_url.apply(&mut user.photo_url);
        })
    }
}

impl Audited for User {
    fn settings(&self) -> Vec<(&'static str, Value)> {
        vec![("displayName", json!(self.display_name)), ("photoURL", json!(self.photo_url))]
    }
}
