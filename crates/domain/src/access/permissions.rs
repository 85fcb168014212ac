//! The form of permissions: one boolean for each name.
use serde::Serialize;

/// Permissions on an object, with a name in the API for each.
pub trait PermissionSet: Copy + Serialize {
    /// The names, in the order of the API.
    const NAMES: &'static [&'static str];
}

/// Defines a [`PermissionSet`]: a boolean for each permission, with its name in the API. Permissions under `internal`
/// are not in the API.
macro_rules! permissions {
    (
        $(#[$meta:meta])*
        pub struct $set:ident { $($field:ident = $name:literal),+ $(,)? }
        $(internal { $($(#[$about:meta])+ $internal:ident),+ $(,)? })?
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, ::serde::Serialize)]
        pub struct $set {
            $(#[doc = concat!("`", $name, "` in the API.")] #[serde(rename = $name)] pub $field: bool,)+
            $($($(#[$about])+ #[serde(skip)] pub $internal: bool,)+)?
        }

        impl $crate::access::PermissionSet for $set {
            const NAMES: &'static [&'static str] = &[$($name),+];
        }
    };
}
pub(crate) use permissions;
