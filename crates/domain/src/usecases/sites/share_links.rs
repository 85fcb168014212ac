//! Share links of sites.
use crate::access::Granted;
use crate::actor::Actor;
use crate::event::{Change, Differences};
use crate::id::{OrganizationId, ShareLinkId, SiteId};
use crate::paging::{Page, PageRequest};
use crate::site::Site;
use crate::site::publication::{SiteAddress, SiteLocation};
use crate::site::share_link::{MAX_SHARE_LINKS, ShareKey, ShareLink, ShareLinkKeyDeriver, ShareLinkPatch};
use crate::text::{ShareLinkName, folded};
use crate::usecases::work::{Units, Work};
use crate::usecases::{Error, Input, Precondition};

/// Manages share links, for the administrators of their sites.
#[derive(Clone)]
#[expect(missing_docs, reason = "the ports it needs")]
pub struct ShareLinks {
    pub units: Units,
    pub deriver: ShareLinkKeyDeriver,
}

/// A share link in the form of the API.
#[derive(Clone, Debug)]
pub struct ShownShareLink {
    /// The link.
    pub link: ShareLink,
    /// Its key.
    pub key: ShareKey,
    /// The site that it gives access to.
    pub site: Granted<Site>,
    /// The address of the site through the link; absent while the site is not published.
    pub address: Option<SiteAddress>,
}

/// Loads a site and its location, for an administrator of the site.
async fn administered(
    work: &mut Work<'_>,
    organization: &OrganizationId,
    id: &SiteId,
) -> Result<(Granted<Site>, Option<SiteLocation>), Error> {
    let site = work.site(organization, id, |may| may.admin).await?;
    let location = work.site_location(&site).await?;
    Ok((site, location))
}

async fn find(work: &mut Work<'_>, site: &SiteId, id: &ShareLinkId) -> Result<ShareLink, Error> {
    work.site_audiences().share_link(site, id).await?.ok_or(Error::NotFound("share link"))
}

impl ShareLinks {
    fn shown(&self, link: ShareLink, (site, location): &(Granted<Site>, Option<SiteLocation>)) -> ShownShareLink {
        let key = self.deriver.key(&link);
        let address = location.clone().map(|location| SiteAddress::through(location, key.clone()));
        ShownShareLink { key, link, site: site.clone(), address }
    }

    /// The share links of a site, oldest first. A search finds a part of a name, whatever its case, or of a key.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Forbidden`] for callers other than administrators of the site; [`Error::Invalid`].
    pub async fn list(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        site: &SiteId,
        query: Input<(Option<String>, PageRequest)>,
    ) -> Result<Page<ShownShareLink>, Error> {
        let mut work = self.units.read(actor).await?;
        let site = administered(&mut work, organization, site).await?;
        let (search, page) = query.read()?;
        let links = work.site_audiences().share_links(&site.0.id).await?;
        let wanted = |shown: &ShownShareLink| {
            let has = |part: &str| {
                let name = folded(shown.link.name.as_str());
                name.contains(&folded(part)) || shown.key.reveal().contains(part)
            };
            search.as_deref().is_none_or(has)
        };
        let shown = links.into_iter().map(|link| self.shown(link, &site)).filter(wanted).collect();
        Ok(Page::of_sorted(shown, &page, |shown| shown.link.id.to_string()))
    }

    /// Creates an active share link.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Forbidden`] for callers other than administrators of the site; [`Error::Invalid`];
    /// [`Error::Conflict`] if the site has [`MAX_SHARE_LINKS`].
    pub async fn create(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        site: &SiteId,
        name: Input<ShareLinkName>,
    ) -> Result<ShownShareLink, Error> {
        let mut work = self.units.write(actor).await?;
        work.lock(&[site.into()]).await?;
        let site = administered(&mut work, organization, site).await?;
        let name = name.read()?;
        if work.site_audiences().share_links(&site.0.id).await?.len() >= MAX_SHARE_LINKS {
            let full = format!("the site already has {MAX_SHARE_LINKS} share links: delete one first");
            return Err(Error::Conflict(full));
        }
        let now = work.now();
        let link = ShareLink::new(work.ids.make(), site.0.id.clone(), name, &self.deriver, now);
        work.site_audiences().save_share_link(&link).await?;
        let change = Change::SiteShareLinkCreated { site: site.0.id.clone(), share_link: link.id.clone() };
        work.record(organization, change).await?;
        work.commit().await?;
        Ok(self.shown(link, &site))
    }

    /// A share link.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Forbidden`] for callers other than administrators of the site.
    pub async fn get(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        site: &SiteId,
        id: &ShareLinkId,
    ) -> Result<ShownShareLink, Error> {
        let mut work = self.units.read(actor).await?;
        let site = administered(&mut work, organization, site).await?;
        Ok(self.shown(find(&mut work, &site.0.id, id).await?, &site))
    }

    /// Renames, activates or deactivates a share link.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Forbidden`] for callers other than administrators of the site; [`Error::Invalid`],
    /// [`Error::PreconditionFailed`].
    pub async fn update(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        site: &SiteId,
        id: &ShareLinkId,
        precondition: Precondition<ShownShareLink>,
        patch: Input<ShareLinkPatch>,
    ) -> Result<ShownShareLink, Error> {
        let mut work = self.units.write(actor).await?;
        work.lock(&[site.into()]).await?;
        let site = administered(&mut work, organization, site).await?;
        let mut link = find(&mut work, &site.0.id, id).await?;
        let patch = patch.read()?;
        precondition.check(&self.shown(link.clone(), &site))?;
        let Some(before) = link.update(patch) else { return Ok(self.shown(link, &site)) };
        work.site_audiences().save_share_link(&link).await?;
        let changes = Differences::between(&before, &link);
        let change = Change::SiteShareLinkUpdated { site: site.0.id.clone(), share_link: id.clone(), changes };
        work.record(organization, change).await?;
        work.commit().await?;
        Ok(self.shown(link, &site))
    }

    /// Deletes a share link: its key no longer gives access. Returns whether there was one that the caller may see.
    ///
    /// # Errors
    /// [`Error::Forbidden`] for callers other than administrators of the site; [`Error::PreconditionFailed`].
    pub async fn remove(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        site: &SiteId,
        id: &ShareLinkId,
        precondition: Precondition<ShownShareLink>,
    ) -> Result<bool, Error> {
        let mut work = self.units.write(actor).await?;
        work.lock(&[site.into()]).await?;
        let found = administered(&mut work, organization, site).await;
        let Some(site) = precondition.found(found)? else { return Ok(false) };
        let Some(link) = work.site_audiences().share_link(&site.0.id, id).await? else {
            return precondition.nothing_removed();
        };
        precondition.check(&self.shown(link, &site))?;
        work.site_audiences().remove_share_link(&site.0.id, id).await?;
        let change = Change::SiteShareLinkDeleted { site: site.0.id.clone(), share_link: id.clone() };
        work.record(organization, change).await?;
        work.commit().await?;
        Ok(true)
    }
}
