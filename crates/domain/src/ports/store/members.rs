//! Who belongs to organizations.
use super::StoreResult;
use crate::access::Role;
use crate::id::{OrganizationId, UserId};
use crate::member::Member;
use crate::paging::{Page, PageRequest};
use crate::text::Email;
use crate::user::User;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use std::collections::BTreeMap;

/// By what members are ordered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum MemberSort {
    /// When they joined.
    #[default]
    JoinedAt,
    /// When they were last there. Those who never were are left out.
    LastSeenAt,
    /// What they are called.
    Name,
}

/// Which members are wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemberFilter {
    /// With this role; `Some(None)` for guests.
    pub role: Option<Option<Role>>,
    /// With this in their name or address, in whatever case.
    pub search: Option<String>,
    /// Their order.
    pub sort: MemberSort,
}

/// What a member was given, counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Holdings {
    /// Spaces given to the member by name or through a team, each once. Where the member is shut out by name, or what the
    /// organization gives to everybody, does not count.
    pub spaces: u32,
    /// Teams that the member belongs to.
    pub teams: u32,
}

/// Stores memberships. Whoever changes one has locked the organization.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait MemberStore: Send {
    /// Somebody's membership, disabled or not.
    async fn find(&mut self, organization: &OrganizationId, user: &UserId) -> StoreResult<Option<Member>>;
    /// The memberships of these users; those who have none are left out.
    async fn find_many(&mut self, organization: &OrganizationId, users: &[UserId]) -> StoreResult<Vec<(Member, User)>>;
    /// The members that have one of these ids or addresses, with their addresses.
    async fn named(
        &mut self,
        organization: &OrganizationId,
        ids: &[UserId],
        emails: &[Email],
    ) -> StoreResult<Vec<(UserId, Email)>>;
    /// Members that a filter lets through.
    async fn list(
        &mut self,
        organization: &OrganizationId,
        filter: &MemberFilter,
        page: &PageRequest,
    ) -> StoreResult<Page<(Member, User)>>;
    /// What these members were given; those who were given nothing are left out.
    async fn holdings(
        &mut self,
        organization: &OrganizationId,
        users: &[UserId],
    ) -> StoreResult<BTreeMap<UserId, Holdings>>;
    /// Whether somebody else administers the organization.
    async fn others_administer(&mut self, organization: &OrganizationId, user: &UserId) -> StoreResult<bool>;
    /// Inserts the membership or writes all of it but when the member was last there.
    async fn save(&mut self, member: &Member) -> StoreResult<()>;
    /// Notes that an active member was there. Whether there is one.
    async fn seen(&mut self, organization: &OrganizationId, user: &UserId, at: DateTime<Utc>) -> StoreResult<bool>;
    /// Takes a membership away, with what hangs on it: the user's teams, grants and requested reviews in the
    /// organization. Whether there was one.
    async fn remove(&mut self, organization: &OrganizationId, user: &UserId) -> StoreResult<bool>;
}
