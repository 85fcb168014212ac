//! Memberships in organizations.
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

/// The order of members.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum MemberSort {
    /// By the time of joining.
    #[default]
    JoinedAt,
    /// By the time when they were last seen. Members who were never seen are left out.
    LastSeenAt,
    /// By name.
    Name,
}

/// The role of the members to list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RoleFilter {
    /// Any role, and guests.
    #[default]
    Any,
    /// Only guests, who have no role.
    Guest,
    /// Only members with this role.
    Role(Role),
}

/// A filter for members.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemberFilter {
    /// With this role.
    pub role: RoleFilter,
    /// With this text in the name or email address, ignoring case.
    pub search: Option<String>,
    /// The order.
    pub sort: MemberSort,
}

/// The number of spaces, sites and teams of a member.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemberCounts {
    /// Spaces with a grant to the member or to a team of the member, each counted once. Spaces that a direct grant
    /// denies do not count; access through default levels does not count.
    pub spaces: u32,
    /// Sites, counted like spaces.
    pub sites: u32,
    /// Teams of the member.
    pub teams: u32,
}

/// Stores memberships. Before changing one, a caller must lock the organization.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait MemberStore: Send {
    /// The membership of a user, disabled or not.
    async fn find(&mut self, organization: &OrganizationId, user: &UserId) -> StoreResult<Option<Member>>;
    /// The memberships of these users; users without one are left out.
    async fn find_many(&mut self, organization: &OrganizationId, users: &[UserId]) -> StoreResult<Vec<(Member, User)>>;
    /// Which of these users are members of which of these organizations, disabled or not, in any order.
    async fn memberships(
        &mut self,
        organizations: &[OrganizationId],
        users: &[UserId],
    ) -> StoreResult<Vec<(OrganizationId, UserId)>>;
    /// The members with one of these ids or email addresses, with their addresses.
    async fn named(
        &mut self,
        organization: &OrganizationId,
        ids: &[UserId],
        emails: &[Email],
    ) -> StoreResult<Vec<(UserId, Email)>>;
    /// Members that match a filter.
    async fn list(
        &mut self,
        organization: &OrganizationId,
        filter: &MemberFilter,
        page: &PageRequest,
    ) -> StoreResult<Page<(Member, User)>>;
    /// The counts for these members; members with none are left out.
    async fn counts(
        &mut self,
        organization: &OrganizationId,
        users: &[UserId],
    ) -> StoreResult<BTreeMap<UserId, MemberCounts>>;
    /// Whether another user administers the organization.
    async fn has_other_administrator(&mut self, organization: &OrganizationId, user: &UserId) -> StoreResult<bool>;
    /// The users who administer the organization now, by id.
    async fn administrators(&mut self, organization: &OrganizationId) -> StoreResult<Vec<UserId>>;
    /// Inserts the membership or updates all its fields, except when the member was last seen.
    async fn save(&mut self, member: &Member) -> StoreResult<()>;
    /// Records when an active member was last seen. Returns whether there is one.
    async fn seen(&mut self, organization: &OrganizationId, user: &UserId, at: DateTime<Utc>) -> StoreResult<bool>;
    /// Removes a membership, with the user's teams, grants and requested reviews in the organization. Returns whether
    /// there was one.
    async fn remove(&mut self, organization: &OrganizationId, user: &UserId) -> StoreResult<bool>;
}
