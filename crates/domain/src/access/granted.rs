//! An object with checked access: the access of the caller, and [`Granted`], which proves the check.
use super::{DefaultLevel, Level, Role};
use crate::id::UserId;
use crate::site::audience::SiteVisit;
use crate::team::TeamRole;

/// The access of a caller to one object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    /// The user; absent for the server's operator and for visitors of sites.
    pub user: Option<UserId>,
    /// The level of the caller.
    pub level: Level,
    /// The role of the caller in the team in question; for an organization, the highest role in any of its teams.
    pub team: Option<TeamRole>,
    /// Whether the caller may join the organization because of a verified address. Only joining uses it.
    pub joins: bool,
    /// Whether the caller may see the parent collection.
    pub sees_outside: bool,
    /// Whether the caller has a content token that shows the object. Only the permissions to read use it; all others
    /// require a level.
    pub visits: bool,
}

impl Access {
    /// The access of a user with this level.
    pub fn new(user: Option<UserId>, level: Level) -> Self {
        Self { user, level, team: None, joins: false, sees_outside: true, visits: false }
    }

    /// Whether the caller sees the object only as visitors do.
    pub fn only_visits(&self) -> bool {
        self.visits && !self.level.reads()
    }

    /// Whether the caller has at least this level.
    pub fn at_least(&self, level: Level) -> bool {
        self.level >= level
    }

    /// Whether the caller may grant this role or withdraw it: the role must not be higher than the caller's own.
    pub fn may_give(&self, role: Option<Role>) -> bool {
        self.level >= role.into()
    }

    /// Whether the caller may set this default level, by the same rule.
    pub fn may_set(&self, default: DefaultLevel) -> bool {
        match default {
            DefaultLevel::Inherit | DefaultLevel::NoAccess => true,
            DefaultLevel::Role(role) => self.may_give(Some(role)),
        }
    }
}

/// An object with access control.
pub trait Guarded {
    /// The permissions on it: `permissions` in the API.
    type Permissions: Copy;
    /// The permissions of a caller.
    fn permissions(&self, access: &Access) -> Self::Permissions;
    /// Whether a caller with these permissions may see the object; otherwise the caller gets 404.
    fn visible(permissions: &Self::Permissions) -> bool;
}

/// An object with the permissions of the caller. Only [`Granted::check`] and [`Granted::to_visitor`] create one, so a
/// value of this type proves that access was checked.
#[derive(Clone, Debug, PartialEq)]
pub struct Granted<T: Guarded> {
    entity: T,
    access: Access,
    permissions: T::Permissions,
}

/// The reason why access was denied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Denied {
    /// The caller has no access to the object: 404, as for a missing object.
    Hidden,
    /// The caller may see the object, but lacks the permission: 403.
    Forbidden,
}

impl<T: Guarded> Granted<T> {
    /// Checks that the caller may see the object and has the permission `allowed`.
    ///
    /// # Errors
    /// [`Denied::Hidden`] if the caller may not see the object; [`Denied::Forbidden`] without the permission.
    pub fn check(entity: T, access: &Access, allowed: impl FnOnce(&T::Permissions) -> bool) -> Result<Self, Denied> {
        let permissions = entity.permissions(access);
        if !T::visible(&permissions) {
            return Err(Denied::Hidden);
        }
        if !allowed(&permissions) {
            return Err(Denied::Forbidden);
        }
        Ok(Self { entity, access: access.clone(), permissions })
    }

    /// What a visitor of a published site sees of it, without any other permission.
    pub fn to_visitor(entity: T, user: Option<UserId>, _: &SiteVisit) -> Self {
        let access = Access { sees_outside: false, visits: true, ..Access::new(user, Level::None) };
        let permissions = entity.permissions(&access);
        Self { entity, access, permissions }
    }

    /// Checks a further permission of the caller.
    ///
    /// # Errors
    /// [`Denied::Forbidden`] without the permission.
    pub fn require(&self, allowed: impl FnOnce(&T::Permissions) -> bool) -> Result<(), Denied> {
        if allowed(&self.permissions) { Ok(()) } else { Err(Denied::Forbidden) }
    }

    /// The caller's access to this object.
    pub fn access(&self) -> &Access {
        &self.access
    }

    /// The permissions of the caller.
    pub fn permissions(&self) -> &T::Permissions {
        &self.permissions
    }

    /// The object, for changes by its own methods.
    pub fn entity_mut(&mut self) -> &mut T {
        &mut self.entity
    }

    /// Splits into the object and the permissions.
    pub fn into_parts(self) -> (T, T::Permissions) {
        (self.entity, self.permissions)
    }
}

impl<T: Guarded> std::ops::Deref for Granted<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.entity
    }
}
