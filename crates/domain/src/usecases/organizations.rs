//! Organizations.
use super::accounts::found;
use super::members::check_members;
use super::sites::add_site;
use super::visiting::deny_visitors;
use super::work::Units;
use super::{Error, Input, Precondition, open};
use crate::access::{Granted, Membership, Role};
use crate::actor::Actor;
use crate::event::{Change, Differences};
use crate::id::OrganizationId;
use crate::organization::{Organization, OrganizationPatch};
use crate::paging::{Page, PageRequest};
use crate::patch::Patch;
use crate::ports::StoreError;
use crate::ports::store::organizations::OrganizationForUser;
use crate::scope::Scope;
use crate::site::address::Hosting;
use crate::site::structure::SiteTitle;
use crate::site::{NewSite, UNTITLED};
use crate::text::{Invalid, OrganizationTitle};
use std::sync::Arc;

/// The settings of a new organization.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewOrganization {
    /// Its title.
    pub title: OrganizationTitle,
    /// Email domains: users with a verified address of one of them may join.
    pub email_domains: Vec<String>,
    /// Whether it gets a site, which becomes its default content.
    pub with_default_site: bool,
}

/// Creates, reads and updates organizations.
#[derive(Clone)]
pub struct Organizations {
    /// Units of work.
    pub units: Units,
    /// Where the sites of organizations are.
    pub hosting: Arc<Hosting>,
}

impl Organizations {
    /// The organizations of the caller, by id.
    ///
    /// # Errors
    /// [`Error::Invalid`].
    pub async fn list(&self, actor: &Actor, page: Input<PageRequest>) -> Result<Page<Granted<Organization>>, Error> {
        deny_visitors(actor)?;
        let page = page.read()?;
        let mut work = self.units.read(actor).await?;
        let found = work.organizations().list(actor.user(), &page).await?;
        let grant = |found| open::grant_organization(actor, found, |may| may.view).ok();
        Ok(found.filter_map(grant))
    }

    /// Creates an organization; the caller becomes its administrator.
    ///
    /// # Errors
    /// [`Error::Invalid`]; [`Error::Forbidden`] for the operator, who has no account to administer it with, and for a
    /// site with a token that lacks the scope for sites.
    pub async fn create(&self, actor: &Actor, new: Input<NewOrganization>) -> Result<Granted<Organization>, Error> {
        let founder =
            actor.user().ok_or_else(|| Error::Forbidden("only a user account can create an organization".into()))?;
        let NewOrganization { title, email_domains, with_default_site } = new.read()?;
        if with_default_site {
            open::require_scope(actor, Scope::SiteWrite)?;
        }
        let mut work = self.units.write(actor).await?;
        let mut organization = Organization { email_domains, ..Organization::new(work.ids.make(), title, work.now()) };
        found(&mut work, &organization, founder).await?;
        if with_default_site {
            let title = SiteTitle::fitted(organization.title.as_str(), UNTITLED);
            let site = NewSite { title: Some(title), ..NewSite::default() };
            organization.default_site = Some(add_site(&mut work, &organization.id, &site).await?);
            work.organizations().save(&organization).await?;
        }
        work.commit().await?;
        let membership = Some(Membership { role: Some(Role::Admin), disabled: false });
        let own = OrganizationForUser { organization, membership, owns_team: false };
        open::grant_organization(actor, own, |may| may.admin).map_err(Error::denied("organization"))
    }

    /// An organization.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    pub async fn get(&self, actor: &Actor, id: &OrganizationId) -> Result<Granted<Organization>, Error> {
        self.units.read(actor).await?.organization(id, |may| may.view).await
    }

    /// Updates the settings of an organization.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Forbidden`], [`Error::Invalid`], [`Error::PreconditionFailed`]; [`Error::Conflict`]
    /// if another organization has the host name, or if the change would put a private site on one origin with a site
    /// of another organization, and the operator refuses that.
    pub async fn update(
        &self,
        actor: &Actor,
        id: &OrganizationId,
        precondition: Precondition<Granted<Organization>>,
        patch: Input<OrganizationPatch>,
    ) -> Result<Granted<Organization>, Error> {
        let mut work = self.units.write(actor).await?;
        work.lock(&[id.into()]).await?;
        let mut organization = work.organization(id, |may| may.admin).await?;
        let patch = patch.read()?;
        precondition.check(&organization)?;
        if let Some(rules) = &patch.merge_rules {
            check_members(&mut work, id, rules.newly_named("mergeRules", &organization.merge_rules)).await?;
        }
        if let Patch::Set(site) = &patch.default_site {
            work.lock_shared(&[site.into()]).await?;
            match work.site(id, site, |may| may.view).await {
                Ok(_) => {}
                Err(Error::NotFound(_) | Error::Forbidden(_)) => {
                    return Err(Invalid::new("defaultContent.site", "must be a site of the organization").into());
                }
                Err(other) => return Err(other),
            }
        }
        let Some(before) = organization.entity_mut().update(patch) else { return Ok(organization) };
        work.organizations().save(&organization).await.map_err(taken)?;
        if organization.hostname != before.hostname {
            work.check_host_of_organization(&self.hosting, &before).await?;
        }
        let changes = Differences::between(&before, &organization);
        let change = Change::OrganizationUpdated { organization: id.clone(), changes };
        work.record(id, change).await?;
        work.commit().await?;
        Ok(organization)
    }
}

/// A conflict of host names as an error for the caller.
fn taken(error: StoreError) -> Error {
    match error {
        StoreError::Conflict(name) if name == "hostname" => {
            Error::Conflict("hostname: another organization of this server has this host name".to_owned())
        }
        other => other.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ports::Store;
    use crate::ports::testing::{self, MockTx};
    use crate::token::Token;
    use chrono::DateTime;
    use rstest::rstest;
    use std::sync::atomic::Ordering;

    fn member(role: Role) -> Option<Membership> {
        Some(Membership { role: Some(role), disabled: false })
    }

    fn stored(membership: Option<Membership>) -> Option<OrganizationForUser> {
        let organization = Organization::new("o".parse().unwrap(), "Docs".parse().unwrap(), DateTime::UNIX_EPOCH);
        Some(OrganizationForUser { organization, membership, owns_team: false })
    }

    fn token(revoked_at: Option<DateTime<chrono::Utc>>) -> Token {
        Token { revoked_at, ..testing::token("ada".parse().unwrap()) }
    }

    #[tokio::test]
    async fn a_token_that_was_revoked_during_the_request_cannot_write() {
        let mut tx = MockTx::default();
        tx.tokens.expect_find().return_once(|_| Ok(Some(token(Some(DateTime::UNIX_EPOCH)))));
        let (store, committed) = tx.into_store();
        let usecase = over(store);
        let ada = Actor::of("ada".parse().unwrap(), "t".parse().unwrap());
        let answer = usecase.update(&ada, &"o".parse().unwrap(), Precondition::none(), bad_input()).await;
        assert!(matches!(answer, Err(Error::Unauthenticated(_))), "{answer:?}");
        assert!(!committed.load(Ordering::SeqCst));
    }

    fn over(store: Arc<dyn Store>) -> Organizations {
        let url = "https://docs.test".parse().unwrap();
        Organizations { units: Units::over(store), hosting: Arc::new(Hosting::new(&url, &url, None, None)) }
    }

    fn bad_input() -> Input<OrganizationPatch> {
        Input::new(|| Err(Invalid::new("title", "at least 2 characters")))
    }

    #[rstest]
    #[case::absent(None, 404)]
    #[case::stranger(stored(None), 404)]
    #[case::reader(stored(member(Role::Read)), 403)]
    #[case::administrator(stored(member(Role::Admin)), 400)]
    #[tokio::test]
    async fn invalid_input_is_reported_only_to_callers_who_may_write(
        #[case] stored: Option<OrganizationForUser>,
        #[case] expected: u16,
    ) {
        let mut tx = MockTx::default();
        tx.tokens.expect_find().return_once(|_| Ok(Some(token(None))));
        tx.organizations.expect_find().return_once(|_, _| Ok(stored));
        let (store, committed) = tx.into_store();
        let usecase = over(store);
        let ada = Actor::of("ada".parse().unwrap(), "t".parse().unwrap());
        let answer = usecase.update(&ada, &"o".parse().unwrap(), Precondition::none(), bad_input()).await;
        let status = match answer {
            Err(Error::NotFound(_)) => 404,
            Err(Error::Forbidden(_)) => 403,
            Err(Error::Invalid(_)) => 400,
            other => panic!("{other:?}"),
        };
        assert_eq!(status, expected);
        assert!(!committed.load(Ordering::SeqCst));
    }
}
