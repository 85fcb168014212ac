//! The list of everyone who may read a place.
use super::Permissions;
use super::space_rules::SpaceRules;
use crate::access::{Grants, Reason, Role, decide};
use crate::actor::Actor;
use crate::id::{SpaceId, TeamId, UserId};
use crate::member::Member;
use crate::paging::{Page, PageRequest};
use crate::place::GrantTarget;
use crate::ports::store::grants::{AccessFilter, AccessQuery, MemberGrants};
use crate::usecases::open::Rules;
use crate::usecases::{Error, Input};
use crate::user::User;
use std::collections::HashMap;

/// A user with access to a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemberAccess {
    /// The user.
    pub user: User,
    /// The membership.
    pub member: Member,
    /// The effective role.
    pub role: Role,
    /// The rule that decided.
    pub origin: Origin,
}

/// Where the role of a user on a place comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The role in the organization.
    Organization,
    /// A grant to the user.
    Direct,
    /// A grant to this team; absent if the grant is on a collection around the place.
    Team(Option<TeamId>),
    /// A default level, or a site that a space is on.
    Default,
    /// For a site: this space on it, which the user may read; absent if the caller may not read it.
    Space(Option<SpaceId>),
}

impl Permissions {
    /// All users who may read a place, with their effective role.
    ///
    /// The database selects the members, so only those of the page are loaded.
    ///
    /// # Errors
    /// [`Error::NotFound`] for the place, and for a team that does not belong to its organization; [`Error::Forbidden`]
    /// for the place, and for guests, who may not list members; [`Error::Invalid`].
    pub async fn everybody(
        &self,
        actor: &Actor,
        place: &GrantTarget,
        query: Input<(AccessFilter, PageRequest)>,
    ) -> Result<Page<MemberAccess>, Error> {
        let mut work = self.units.read(actor).await?;
        let managed = work.managed(place).await?;
        let organization = &managed.organization;
        // The list shows members of the organization, which guests may not see.
        work.organization(organization, |may| may.list_members).await?;
        let (filter, page) = query.read()?;
        if let Some(team) = &filter.team {
            work.teams().find(organization, team).await?.ok_or(Error::NotFound("team"))?;
        }
        let space_rules = match place {
            GrantTarget::Site(_, site) => SpaceRules::load(&mut work, organization, site).await?,
            GrantTarget::Place(_) => None,
        };
        let space_readers = match &space_rules {
            Some(rules) => Some(rules.readers(&mut work, &managed.rules).await?),
            None => None,
        };
        let query = AccessQuery { rules: managed.rules.of_places().to_vec(), space_readers, filter };
        let found = work.grants().members_with_access(organization, &query, &page).await?;
        let ids: Vec<UserId> = found.items.iter().map(|(_, user)| user.id.clone()).collect();
        let members = work.grants().of_some_members(organization, &ids, managed.rules.targets()).await?;
        let decided: HashMap<UserId, Option<(Role, Origin)>> =
            members.into_iter().map(|member| (member.user.clone(), own_role(&managed.rules, place, &member))).collect();
        let through_spaces: Vec<UserId> = ids.into_iter().filter(|id| matches!(decided.get(id), Some(None))).collect();
        let mut first_spaces = match &space_rules {
            Some(rules) => rules.first_spaces(&mut work, &through_spaces).await?,
            None => HashMap::new(),
        };
        Ok(found.map(|(member, user)| {
            let (role, origin) = match decided.get(&user.id).cloned().flatten() {
                Some(decided) => decided,
                None => (Role::Read, Origin::Space(first_spaces.remove(&user.id))),
            };
            MemberAccess { user, member, role, origin }
        }))
    }
}

/// The role of a member on a place, and where it comes from; `None` if the rules of the place give no access.
fn own_role(rules: &Rules, place: &GrantTarget, member: &MemberGrants) -> Option<(Role, Origin)> {
    let (level, reason) = decide(Some(member.membership), &rules.places(&member.grants));
    Some((level.role()?, origin(reason, member.grants.get(place))))
}

/// Where a role comes from. `own` are the grants on the place itself.
fn origin(reason: Reason, own: Option<&Grants>) -> Origin {
    match reason {
        Reason::NoMember | Reason::Disabled | Reason::Administrator | Reason::Membership => Origin::Organization,
        Reason::Direct(_) => Origin::Direct,
        Reason::Teams(0) => Origin::Team(own.and_then(Grants::highest_team).cloned()),
        Reason::Teams(_) => Origin::Team(None),
        Reason::Default(_) | Reason::Sites(_) => Origin::Default,
    }
}
