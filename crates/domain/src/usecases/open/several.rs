//! Loading several organizations together with the caller's access to their content.
use super::{grant_listed_space, grant_organization};
use crate::access::{Granted, Membership, OrganizationAccess, UserGrants};
use crate::actor::Actor;
use crate::id::{OrganizationId, UserId};
use crate::organization::OrganizationPermissions;
use crate::ports::store::organizations::OrganizationForUser;
use crate::space::Space;
use crate::usecases::Error;
use crate::usecases::work::Work;
use std::collections::HashMap;

/// Several organizations, with the access of a user to all their content.
pub(in crate::usecases) struct SeveralOrganizations<'a> {
    actor: &'a Actor,
    found: HashMap<OrganizationId, OrganizationForUser>,
    /// The access by membership: ids are unique in the instance, so the grants of all organizations can be together.
    access: Vec<(Option<Membership>, OrganizationAccess)>,
}

impl<'a> SeveralOrganizations<'a> {
    /// Loads organizations for a caller with this account. The number of queries is the same for any number of
    /// organizations.
    pub(in crate::usecases) async fn load(
        work: &mut Work<'a>,
        user: &UserId,
        ids: &[OrganizationId],
    ) -> Result<Self, Error> {
        let all = work.organizations().find_many(ids, Some(user)).await?;
        let deciding = all.iter().filter(|one| OrganizationAccess::depends_on_places(one.membership));
        let deciding: Vec<OrganizationId> = deciding.map(|one| one.organization.id.clone()).collect();
        let grants = match deciding.is_empty() {
            true => UserGrants::default(),
            false => work.grants().of_user(&deciding, user).await?,
        };
        let mut access: Vec<(Option<Membership>, OrganizationAccess)> = Vec::new();
        for one in &all {
            if access.iter().any(|(known, _)| *known == one.membership) {
                continue;
            }
            let decides = OrganizationAccess::depends_on_places(one.membership);
            let grants = if decides { grants.clone() } else { UserGrants::default() };
            access.push((one.membership, OrganizationAccess::new(one.membership, grants)));
        }
        let found = all.into_iter().map(|one| (one.organization.id.clone(), one)).collect();
        Ok(Self { actor: work.actor, found, access })
    }

    /// Whether the caller has a permission on an organization.
    pub(in crate::usecases) fn permits(
        &self,
        id: &OrganizationId,
        need: impl FnOnce(&OrganizationPermissions) -> bool,
    ) -> bool {
        self.found.get(id).cloned().is_some_and(|found| grant_organization(self.actor, found, need).is_ok())
    }

    /// A space of one of the organizations, if the caller may read it.
    pub(in crate::usecases) fn readable(&self, space: Space) -> Option<Granted<Space>> {
        let membership = self.found.get(&space.organization)?.membership;
        let (_, access) = self.access.iter().find(|(known, _)| *known == membership)?;
        grant_listed_space(self.actor, access, space).ok()
    }
}
