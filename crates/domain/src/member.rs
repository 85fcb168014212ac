//! Members of an organization.
use crate::access::{Membership, Role};
use crate::event::Audited;
use crate::id::{OrganizationId, UserId};
use chrono::{DateTime, Utc};
use serde_json::{Value, json};

/// A membership of a user in an organization.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// The organization.
    pub organization: OrganizationId,
    /// The user.
    pub user: UserId,
    /// The role and the status.
    pub membership: Membership,
    /// Whether the organization's own identity provider knows the member.
    pub sso: bool,
    /// When the user joined.
    pub joined_at: DateTime<Utc>,
    /// When the member was last seen; absent if unknown.
    pub last_seen_at: Option<DateTime<Utc>>,
}

impl Audited for Member {
    fn settings(&self) -> Vec<(&'static str, Value)> {
        let Membership { role, disabled } = self.membership;
        vec![("role", json!(role)), ("disabled", json!(disabled)), ("sso", json!(self.sso))]
    }
}

impl Member {
    /// A new member; a guest if `role` is `None`.
    pub fn new(organization: OrganizationId, user: UserId, role: Option<Role>, at: DateTime<Utc>) -> Self {
        let membership = Membership { role, disabled: false };
        Self { organization, user, membership, sso: false, joined_at: at, last_seen_at: None }
    }

    /// Whether a change to the membership `after` (`None`: removed) ends the member's administration of the
    /// organization. The organization must then keep another administrator.
    pub fn ends_administration(&self, after: Option<Membership>) -> bool {
        self.membership.administers() && !after.is_some_and(Membership::administers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    fn with(role: Option<Role>, disabled: bool) -> Membership {
        Membership { role, disabled }
    }

    #[rstest]
    #[case::demoted(with(Some(Role::Admin), false), Some(with(Some(Role::Create), false)), true)]
    #[case::made_a_guest(with(Some(Role::Admin), false), Some(with(None, false)), true)]
    #[case::disabled(with(Some(Role::Admin), false), Some(with(Some(Role::Admin), true)), true)]
    #[case::removed(with(Some(Role::Admin), false), None, true)]
    #[case::left_alone(with(Some(Role::Admin), false), Some(with(Some(Role::Admin), false)), false)]
    #[case::disabled_before(with(Some(Role::Admin), true), None, false)]
    #[case::no_administrator(with(Some(Role::Create), false), None, false)]
    fn an_administrator_steps_down_in_several_ways(
        #[case] before: Membership,
        #[case] after: Option<Membership>,
        #[case] expected: bool,
    ) {
        let new = Member::new("o".parse().unwrap(), "u".parse().unwrap(), None, DateTime::UNIX_EPOCH);
        assert_eq!(Member { membership: before, ..new }.ends_administration(after), expected);
    }
}
