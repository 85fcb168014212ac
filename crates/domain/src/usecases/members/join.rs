//! Becoming a member.
use super::Members;
use crate::access::{Granted, Role};
use crate::actor::Actor;
use crate::event::Change;
use crate::id::{OrganizationId, UserId};
use crate::member::Member;
use crate::organization::Organization;
use crate::paging::MAX_LIMIT;
use crate::text::Invalid;
use crate::usecases::work::Work;
use crate::usecases::{Error, open};

/// Adds a user as a member. The organization must be locked, and the user must not be a member.
pub(in crate::usecases) async fn enter(work: &mut Work<'_>, member: &Member) -> Result<(), Error> {
    work.members().save(member).await?;
    let change = Change::MemberAdded { user: member.user.clone(), role: member.membership.role };
    work.record(&member.organization, change).await
}

impl Members {
    /// Joins an organization by the domain of the caller's verified email address, with the default role of the
    /// organization. An existing member keeps the same role.
    ///
    /// # Errors
    /// [`Error::NotFound`] for a missing organization; [`Error::Invalid`] if the organization does not allow the
    /// caller's address; [`Error::Forbidden`] for the operator.
    pub async fn join(&self, actor: &Actor, id: &OrganizationId) -> Result<(), Error> {
        let user = open::account(actor)?;
        let mut work = self.units.write(actor).await?;
        work.lock(&[id.into()]).await?;
        let found = work.organizations().find(id, Some(&user)).await?.ok_or(Error::NotFound("organization"))?;
        let account = work.users().find(&user).await?.ok_or(Error::NotFound("user"))?;
        let organization = open::grant_joinable(actor, found, account.verified_domain()).map_err(|_not_admitted| {
            Invalid::new("email", "must be verified, and belong to an email domain of the organization")
        })?;
        if !organization.permissions().view {
            let member = Member::new(id.clone(), user, organization.default_role, work.now());
            enter(&mut work, &member).await?;
        }
        work.commit().await?;
        Ok(())
    }

    /// The organizations that allow joining by an email domain, for a caller with a verified address of it.
    ///
    /// # Errors
    /// [`Error::Forbidden`] for other callers.
    pub async fn organizations_admitting(
        &self,
        actor: &Actor,
        domain: &str,
    ) -> Result<Vec<Granted<Organization>>, Error> {
        let user = open::account(actor)?;
        let domain = domain.to_lowercase();
        let mut work = self.units.read(actor).await?;
        let account = work.users().find(&user).await?.ok_or(Error::NotFound("user"))?;
        if account.verified_domain() != Some(domain.as_str()) {
            return Err(Error::Forbidden(
                "only a caller with a verified email address of this domain may do this".into(),
            ));
        }
        let found = work.organizations().admitting(&domain, &user, MAX_LIMIT).await?;
        let grant = |found| open::grant_joinable(actor, found, Some(&domain)).ok();
        Ok(found.into_iter().filter_map(grant).collect())
    }

    /// Adds a user with an account as a member. With it, the operator can give an administrator to an organization that
    /// has none. Returns whether the user was not a member before.
    ///
    /// # Errors
    /// [`Error::Forbidden`] for callers other than administrators and the operator; [`Error::NotFound`] for the
    /// organization or the account.
    pub async fn add(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        user: &UserId,
        role: Option<Role>,
    ) -> Result<bool, Error> {
        let mut work = self.units.write(actor).await?;
        work.lock(&[organization.into()]).await?;
        work.organization(organization, |may| may.admin).await?;
        work.users().find(user).await?.ok_or(Error::NotFound("user"))?;
        if work.members().find(organization, user).await?.is_some() {
            return Ok(false);
        }
        let member = Member::new(organization.clone(), user.clone(), role, work.now());
        enter(&mut work, &member).await?;
        work.commit().await?;
        Ok(true)
    }
}
