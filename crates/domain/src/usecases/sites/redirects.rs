//! Redirects of sites.
mod bulk;
mod change;

pub use bulk::{RedirectChange, RedirectItem, RedirectResult, RedirectResultStatus};

use super::Sites;
use super::addresses::Addressed;
use super::resolve::PathResolver;
use crate::actor::Actor;
use crate::id::{OrganizationId, SiteId, SiteRedirectId, SpaceId};
use crate::paging::{Order, Page, PageRequest};
use crate::site::redirect::{
    RedirectDestination, RedirectFilter, RedirectMatch, RedirectOrder, RedirectSource, Redirects, SiteRedirect,
};
use crate::site::share_link::ShareKey;
use crate::usecases::work::Work;
use crate::usecases::{Error, Input, Precondition};
use change::Redirecting;
use std::collections::{HashMap, HashSet};
use url::Url;

/// The destination of a new redirect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NewDestination {
    /// A destination in the stored form, by ids.
    At(RedirectDestination),
    /// The page that is now at a path of a space on the site.
    Path {
        /// The space.
        space: SpaceId,
        /// The path.
        path: String,
    },
}

/// A redirect to add to a site.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "see the fields of SiteRedirect")]
pub struct NewRedirect {
    pub source: RedirectSource,
    pub destination: NewDestination,
    pub capture_wildcard: bool,
    pub permanent: bool,
    pub draft: bool,
}

/// Changes to a redirect; absent fields keep their value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "see the fields of SiteRedirect")]
pub struct RedirectPatch {
    pub source: Option<RedirectSource>,
    pub destination: Option<NewDestination>,
    pub capture_wildcard: Option<bool>,
    pub permanent: Option<bool>,
    pub draft: Option<bool>,
}

impl Sites {
    /// Redirects of a site.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Invalid`].
    pub async fn redirects(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        site: &SiteId,
        query: Input<(RedirectFilter, PageRequest)>,
    ) -> Result<Page<SiteRedirect>, Error> {
        let mut work = self.units.read(actor).await?;
        work.site(organization, site, |may| may.view).await?;
        let (filter, page) = query.read()?;
        let order = if filter.order_by == RedirectOrder::Source { Order::Asc } else { Order::Desc };
        Ok(work.site_redirects().list(site, &filter, &PageRequest { order, ..page }).await?)
    }

    /// A redirect.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    pub async fn redirect(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        (site, id): (&SiteId, &SiteRedirectId),
    ) -> Result<SiteRedirect, Error> {
        let mut work = self.units.read(actor).await?;
        work.site(organization, site, |may| may.view).await?;
        work.site_redirects().find(site, id).await?.ok_or(Error::NotFound("redirect"))
    }

    /// Adds a redirect.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Forbidden`], [`Error::Invalid`]; [`Error::Conflict`] if there is one with the
    /// source, or if the site has [`MAX_REDIRECTS`](crate::site::redirect::MAX_REDIRECTS).
    pub async fn add_redirect(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        site: &SiteId,
        new: Input<NewRedirect>,
    ) -> Result<SiteRedirect, Error> {
        let mut open = Redirecting::open(self, actor, organization, site).await?;
        let made = open.make(new.read()?).await?;
        open.check_free(&made).await?;
        open.work.site_redirects().save(site, std::slice::from_ref(&made)).await?;
        open.changed[0].push(made.id.clone());
        open.end().await?;
        Ok(made)
    }

    /// Changes a redirect.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Forbidden`], [`Error::Invalid`], [`Error::PreconditionFailed`];
    /// [`Error::Conflict`] if there is another one with the source.
    pub async fn update_redirect(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        (site, id): (&SiteId, &SiteRedirectId),
        precondition: Precondition<SiteRedirect>,
        patch: Input<RedirectPatch>,
    ) -> Result<SiteRedirect, Error> {
        let mut open = Redirecting::open(self, actor, organization, site).await?;
        let before = open.work.site_redirects().find(site, id).await?.ok_or(Error::NotFound("redirect"))?;
        let patch = patch.read()?;
        precondition.check(&before)?;
        let changed = open.change(&before, patch).await?;
        if changed == before {
            return Ok(changed);
        }
        open.check_free(&changed).await?;
        open.work.site_redirects().save(site, std::slice::from_ref(&changed)).await?;
        open.changed[1].push(id.clone());
        open.end().await?;
        Ok(changed)
    }

    /// Deletes a redirect. Returns whether it existed.
    ///
    /// # Errors
    /// [`Error::Forbidden`], [`Error::PreconditionFailed`].
    pub async fn remove_redirect(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        (site, id): (&SiteId, &SiteRedirectId),
        precondition: Precondition<SiteRedirect>,
    ) -> Result<bool, Error> {
        let opened = Redirecting::open(self, actor, organization, site).await;
        let Some(mut open) = precondition.found(opened)? else { return Ok(false) };
        let Some(redirect) = open.work.site_redirects().find(site, id).await? else {
            return precondition.nothing_removed();
        };
        precondition.check(&redirect)?;
        open.work.site_redirects().remove(site, std::slice::from_ref(id)).await?;
        open.changed[2].push(id.clone());
        open.end().await?;
        Ok(true)
    }

    /// Makes many changes independently: a refused change does not stop the others. Returns a result for each.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Forbidden`], [`Error::Invalid`].
    pub async fn put_redirects(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        site: &SiteId,
        items: Input<Vec<RedirectItem>>,
    ) -> Result<Vec<RedirectResult>, Error> {
        let open = Redirecting::open(self, actor, organization, site).await?;
        bulk::run(open, items.read()?).await
    }

    /// The redirect for a path, with the address that it leads to now: on a site for visitors with a share link,
    /// through the link whose key the caller has.
    ///
    /// # Errors
    /// [`Error::NotFound`], also if there is no redirect for the path, or if its target is deleted or the caller may
    /// not read it.
    pub async fn redirect_of(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        site: &SiteId,
        source: Input<(String, Option<ShareKey>)>,
    ) -> Result<(SiteRedirect, String), Error> {
        let mut work = self.units.read(actor).await?;
        let found = work.site(organization, site, |may| may.view).await?;
        let (path, key) = source.read()?;
        let unlocked = work.unlocked(key.as_ref()).await?;
        let address = work.site_address(&found, unlocked.as_ref()).await?;
        let structure = work.sites().structure(site).await?;
        let addressed = Addressed::load(&mut work, &self.hosting, &found, structure).await?;
        let found = addressed.paths(&mut addressed.contents(), None).redirect(&mut work, &path).await?;
        let FoundRedirect { redirect, url, .. } = found.ok_or(Error::NotFound("redirect"))?;
        let target = String::from(url);
        Ok(match address {
            Some(address) => (redirect, address.entered(&self.hosting, target)),
            None => (redirect, target),
        })
    }
}

/// A redirect for a path of a site.
pub(super) struct FoundRedirect {
    pub(super) redirect: SiteRedirect,
    /// The address that it leads to, also by further redirects.
    pub(super) url: Url,
    /// Whether clients may cache it.
    pub(super) permanent: bool,
    /// Whether the address is one of the site without a page.
    pub(super) is_dead: bool,
}

impl PathResolver<'_> {
    /// The redirect for a path, with the address that it leads to.
    pub(super) async fn redirect(&mut self, work: &mut Work<'_>, path: &str) -> Result<Option<FoundRedirect>, Error> {
        let addressed = self.addressed;
        let mut targets = HashMap::new();
        let mut known: HashMap<SiteRedirectId, SiteRedirect> = HashMap::new();
        let mut path_to_load = path.to_owned();
        // The paths on the way that have no page, and whose redirects are loaded.
        let mut without_page: HashSet<String> = HashSet::new();
        loop {
            let sources = RedirectSource::candidates(&path_to_load);
            for redirect in work.site_redirects().with_sources(&addressed.site.id, false, &sources).await? {
                let target = addressed.destination(work, self.contents, &redirect.destination).await?;
                targets.insert(redirect.source.clone(), target);
                known.insert(redirect.id.clone(), redirect);
            }
            let redirects =
                Redirects::new(known.values().cloned(), |redirect| targets.get(&redirect.source).cloned().flatten());
            let found = redirects.find(path, |url| addressed.within(url), |path| without_page.contains(path));
            let Some(RedirectMatch { redirect, address, permanent, end }) = found else { return Ok(None) };
            let is_new = end.as_ref().is_some_and(|end| !without_page.contains(end));
            if let Some(end) = end.as_ref().filter(|_| is_new)
                && !self.has_page(work, end).await?
            {
                without_page.insert(end.clone());
                path_to_load.clone_from(end);
                continue;
            }
            let is_dead = end.is_some() && !is_new;
            let url = self.current_address(work, address).await?;
            return Ok(Some(FoundRedirect { redirect: redirect.clone(), url, permanent, is_dead }));
        }
    }

    /// The present address of the page that an address of the site leads to, so that a client is redirected once; any
    /// other address unchanged.
    async fn current_address(&mut self, work: &mut Work<'_>, address: Url) -> Result<Url, Error> {
        let (base, path) = (self.addressed.base(), self.addressed.within(&address));
        let Some(path) = path else { return Ok(address) };
        let Some(mut moved) = self.moved_page(work, &path, &base, address.query()).await? else { return Ok(address) };
        moved.set_fragment(address.fragment());
        Ok(moved)
    }
}
