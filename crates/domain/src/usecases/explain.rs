//! Explains the level of a user, for the operator.
use super::Error;
use super::work::Units;
use crate::access::{Level, Membership, Place, Reason, decide};
use crate::actor::Actor;
use crate::id::{CollectionId, SpaceId};
use crate::place::GrantTarget;
use crate::text::Email;
use crate::user::User;

/// Explains access.
#[derive(Clone)]
pub struct Explain {
    /// Units of work.
    pub units: Units,
}

/// A place on the way from a space to the organization, or a site that the space is on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The id.
    pub id: GrantTarget,
    /// Its title.
    pub title: String,
    /// Its access rules for the user.
    pub rules: Place,
}

/// The level of a user on a space, and the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// The user.
    pub user: User,
    /// The title of the organization that owns the space.
    pub organization: String,
    /// The user's membership in the organization.
    pub membership: Option<Membership>,
    /// The space first, then the collections around it.
    pub steps: Vec<Step>,
    /// The sites that the space is on. Their rules apply if the space has none.
    pub sites: Vec<Step>,
    /// Whether the space is deleted, which hides it from everyone.
    pub deleted: bool,
    /// The resulting level.
    pub level: Level,
    /// The rule that decided.
    pub reason: Reason,
}

impl Explain {
    /// Explains the level of a user on a space.
    ///
    /// # Errors
    /// [`Error::Forbidden`] for callers other than the operator; [`Error::NotFound`] for the user and the space.
    pub async fn space(&self, actor: &Actor, user: &Email, space: &SpaceId) -> Result<Explanation, Error> {
        if *actor != Actor::Operator {
            return Err(Error::Forbidden("only the server's operator may do this".into()));
        }
        let mut work = self.units.read(actor).await?;
        let user = work.users().find_by_email(user).await?.ok_or(Error::NotFound("user"))?;
        let reach = work.spaces().find(space, Some(&user.id)).await?.ok_or(Error::NotFound("space"))?;
        let space = reach.entity;
        let organization = work.organizations().find(&space.organization, None).await?;
        let organization = organization.ok_or(Error::NotFound("organization"))?.organization;
        let (level, reason) = decide(reach.membership, &reach.places);
        // If places do not apply to the user, their access rules are not loaded and not shown.
        let mut rules = reach.places.into_iter();
        let mut next = || rules.next().unwrap_or_default();
        let own = next();
        let mut of_sites = own.sites.clone().into_iter();
        let mut sites = Vec::new();
        let mut steps = vec![Step { id: space.id.clone().into(), title: space.title.to_string(), rules: own }];
        for (id, _) in work.sites().of_space(&space.id).await? {
            let found = work.sites().find(&id, None).await?.ok_or(Error::NotFound("site"))?.entity;
            let id = GrantTarget::Site(found.organization, id);
            sites.push(Step { id, title: found.title.to_string(), rules: of_sites.next().unwrap_or_default() });
        }
        let around: Vec<CollectionId> = match &space.parent {
            Some(parent) => work.collections().around(parent).await?.into_iter().map(|(id, _)| id).collect(),
            None => Vec::new(),
        };
        for id in around {
            let found = work.collections().find(&id, None).await?.ok_or(Error::NotFound("collection"))?;
            let title = found.entity.title.to_string();
            steps.push(Step { id: id.into(), title, rules: next() });
        }
        let (organization, membership) = (organization.title.to_string(), reach.membership);
        let deleted = space.deleted_at.is_some();
        Ok(Explanation { user, organization, membership, steps, sites, deleted, level, reason })
    }
}
