//! Host names of organizations.
use super::Urls;
use crate::access::Granted;
use crate::actor::Actor;
use crate::organization::Organization;
use crate::usecases::{Error, open};

/// The host name of an organization.
#[derive(Clone, Debug)]
pub struct Subdomain {
    /// The organization.
    pub organization: Granted<Organization>,
    /// The host name.
    pub name: String,
    /// Whether this server serves the sites of the organization below it.
    pub is_active: bool,
}

impl Urls {
    /// The organization with a host name, if the caller may see it.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    pub async fn subdomain(&self, actor: &Actor, name: &str) -> Result<Subdomain, Error> {
        let mut work = self.sites.units.read(actor).await?;
        let found = work.organizations().with_hostname(name, actor.user()).await?;
        let seen = found.and_then(|found| open::grant_organization(actor, found, |may| may.view).ok());
        let organization = seen.ok_or(Error::NotFound("subdomain"))?;
        let is_active = self.sites.hosting.has_organization_hosts();
        Ok(Subdomain { organization, name: name.to_owned(), is_active })
    }
}
