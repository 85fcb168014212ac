//! Publishing authentication of sites.
use crate::access::Granted;
use crate::actor::Actor;
use crate::event::{Change, Differences};
use crate::id::{OrganizationId, SiteId};
use crate::site::Site;
use crate::site::publishing_auth::{PublishingAuth, PublishingAuthPatch, VisitorKey, VisitorKeyDeriver};
use crate::usecases::work::{Units, Work};
use crate::usecases::{Error, Input, Precondition};

/// Manages the publishing authentication of sites, for their administrators.
#[derive(Clone)]
#[expect(missing_docs, reason = "the ports it needs")]
pub struct PublishingAuths {
    pub units: Units,
    pub deriver: VisitorKeyDeriver,
}

/// Publishing authentication in the form of the API.
#[derive(Clone, Debug)]
pub struct ShownPublishingAuth {
    /// The settings.
    pub auth: PublishingAuth,
    /// The private key.
    pub key: VisitorKey,
}

async fn current(work: &mut Work<'_>, site: &SiteId) -> Result<PublishingAuth, Error> {
    let stored = work.site_audiences().publishing_auth(site).await?;
    Ok(stored.unwrap_or_else(|| PublishingAuth::new(site.clone())))
}

impl PublishingAuths {
    fn shown(&self, auth: PublishingAuth) -> ShownPublishingAuth {
        ShownPublishingAuth { key: self.deriver.key(&auth), auth }
    }

    /// The publishing authentication of a site, with its private key.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Forbidden`] for callers other than administrators of the site.
    pub async fn get(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        site: &SiteId,
    ) -> Result<ShownPublishingAuth, Error> {
        let mut work = self.units.read(actor).await?;
        work.site(organization, site, |may| may.admin).await?;
        Ok(self.shown(current(&mut work, site).await?))
    }

    /// Changes the publishing authentication of a site. The private key stays.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Forbidden`] for callers other than administrators of the site; [`Error::Invalid`],
    /// [`Error::PreconditionFailed`].
    pub async fn update(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        site: &SiteId,
        precondition: Precondition<ShownPublishingAuth>,
        patch: Input<PublishingAuthPatch>,
    ) -> Result<ShownPublishingAuth, Error> {
        let mut work = self.units.write(actor).await?;
        work.lock(&[site.into()]).await?;
        let site = work.site(organization, site, |may| may.admin).await?;
        let patch = patch.read()?;
        let mut auth = current(&mut work, &site.id).await?;
        precondition.check(&self.shown(auth.clone()))?;
        let Some(before) = auth.update(patch) else { return Ok(self.shown(auth)) };
        save(work, site, &before, &auth).await?;
        Ok(self.shown(auth))
    }

    /// Replaces the private key of a site. From the next request on, tokens that were signed with the old one are
    /// refused.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Forbidden`] for callers other than administrators of the site.
    pub async fn regenerate(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        site: &SiteId,
    ) -> Result<ShownPublishingAuth, Error> {
        let mut work = self.units.write(actor).await?;
        work.lock(&[site.into()]).await?;
        let site = work.site(organization, site, |may| may.admin).await?;
        let before = current(&mut work, &site.id).await?;
        let mut auth = before.clone();
        auth.regenerate();
        save(work, site, &before, &auth).await?;
        Ok(self.shown(auth))
    }
}

/// Completes a change: stores and records it.
async fn save(
    mut work: Work<'_>,
    mut site: Granted<Site>,
    before: &PublishingAuth,
    auth: &PublishingAuth,
) -> Result<(), Error> {
    work.site_audiences().save_publishing_auth(auth).await?;
    work.save_changed_site(&mut site).await?;
    let changes = Differences::between(before, auth);
    work.record(&site.organization, Change::SitePublishingAuthUpdated { site: site.id.clone(), changes }).await?;
    work.commit().await
}
