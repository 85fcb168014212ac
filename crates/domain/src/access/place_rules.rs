//! The access rules of places for all members at once. Storage lists members with access by them.
use super::{DefaultLevel, Grants, Place, Role};
use crate::id::UserId;
use crate::place::GrantTarget;
use std::collections::HashMap;

/// The access rules of a place, without the grants on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlaceRules {
    /// The target of the grants.
    pub target: GrantTarget,
    /// The default level.
    pub default: DefaultLevel,
    /// The sites that show it, if it is a space; see [`Place::sites`].
    pub sites: Vec<PlaceRules>,
}

impl PlaceRules {
    /// The rules of a place that no site shows.
    pub fn new(target: GrantTarget, default: DefaultLevel) -> Self {
        Self { target, default, sites: Vec::new() }
    }

    /// The place for a member with these grants.
    pub fn place(&self, grants: &HashMap<GrantTarget, Grants>) -> Place {
        let own = grants.get(&self.target).cloned().unwrap_or_default().with(self.default);
        Place { sites: self.sites.iter().map(|site| site.place(grants)).collect(), ..own }
    }
}

/// The members who read a site because they read a space on it ([`opens_through_spaces`](super::opens_through_spaces)),
/// in a form that storage can query.
///
/// An active member is one of them if the member has one of `roles`, has no grant on the site itself, and
/// - has no grant on any of `places` that denies access, and either has one of the roles `without_grant` or a grant on
///   one of the places `reached`;
/// - or is one of `despite_denial`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SpaceReaders {
    /// The roles in the organization without access to the site itself; `None` for guests.
    pub roles: Vec<Option<Role>>,
    /// Those of them that give access to a space on the site without a grant.
    pub without_grant: Vec<Option<Role>>,
    /// All places whose grants apply to spaces on the site.
    pub places: Vec<GrantTarget>,
    /// The places whose grants are the first rule for a space on the site, if the member has no other grant: no default
    /// level inside them decides before. A grant that gives a role on one of them gives access to that space.
    pub reached: Vec<GrantTarget>,
    /// The members who read a space on the site although a grant on one of `places` denies them access.
    pub despite_denial: Vec<UserId>,
}
