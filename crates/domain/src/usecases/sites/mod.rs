//! Docs sites: creating, reading, updating, publishing and deleting them. See [`structure`] for their structure, and
//! [`customization`] for their appearance.
pub mod adaptive_schemas;
mod addresses;
mod admission;
mod audience;
mod candidates;
pub mod customization;
mod external_images;
pub mod feedback;
mod known;
mod neighbours;
mod publications;
mod published;
pub mod publishing_auths;
pub mod reader;
pub mod redirects;
mod resolve;
pub mod share_links;
mod shown;
pub mod structure;
pub mod urls;

pub(super) use addresses::start_page;

pub use adaptive_schemas::AdaptiveSchemas;
pub use admission::VisitorRequest;
pub use external_images::{ExternalImage, ExternalImages};
pub use feedback::SiteFeedbacks;
pub use published::PublishedSite;
pub use publishing_auths::PublishingAuths;
pub use reader::SiteReader;
pub use resolve::{Resolved, ResolvedPage};
pub use share_links::ShareLinks;
pub(super) use shown::SeenStructure;
pub use shown::{Part, ShownStructure};
pub use urls::Urls;

use super::permissions::check_default;
use super::work::{Units, Work};
use super::{Error, Input, Precondition, open};
use crate::access::{Denied, Granted, OrganizationAccess};
use crate::actor::Actor;
use crate::event::{Change, Differences};
use crate::id::{OrganizationId, SiteId, SpaceId};
use crate::paging::{Page, PageRequest};
use crate::patch::Patch;
use crate::ports::StoreError;
use crate::ports::store::Lockable;
use crate::site::address::Hosting;
use crate::site::history::FormerName;
use crate::site::path::Basename;
use crate::site::publication::{SiteAddress, SiteLocation};
use crate::site::publishing_auth::VisitorKeyDeriver;
use crate::site::structure::{MAX_SPACES, NewPlace, SiteSpace, Structure};
use crate::site::{MAX_SITES, NewSite, Site, SitePatch, SiteType};
use crate::space::Space;
use crate::text::{Invalid, folded};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

/// The basename of a site whose title has no letter or digit that can be in a name.
const FALLBACK: &str = "docs";

/// Creates, reads, updates, publishes and deletes sites.
#[derive(Clone)]
pub struct Sites {
    /// Units of work.
    pub units: Units,
    /// The addresses of sites.
    pub hosting: Arc<Hosting>,
    /// Computes the keys that sign the tokens of visitors.
    pub deriver: VisitorKeyDeriver,
}

/// A filter for sites.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SiteFilter {
    /// Only sites with this space.
    pub space: Option<SpaceId>,
    /// Only sites whose title contains this text; case does not matter.
    pub title: Option<String>,
    /// Only sites that are published, or that are not.
    pub published: Option<bool>,
    /// Only sites of these types; all if empty.
    pub kinds: Vec<SiteType>,
}

/// A site in the form of the API.
#[derive(Clone, Debug, PartialEq)]
pub struct ShownSite {
    /// The site.
    pub site: Granted<Site>,
    /// The number of spaces on it.
    pub spaces: usize,
    /// Its address, if it is published and the caller can open the address.
    pub address: Option<SiteAddress>,
    /// Whether the site is private and shares its origin with a site of another organization. Computed only when an
    /// administrator of the site reads it alone.
    pub exposed: bool,
}

impl ShownSite {
    async fn of(work: &mut Work<'_>, site: Granted<Site>) -> Result<Self, Error> {
        let address = work.site_address(&site, None).await?;
        Self::at(work, site, address).await
    }

    /// A site with this address.
    async fn at(work: &mut Work<'_>, site: Granted<Site>, address: Option<SiteAddress>) -> Result<Self, Error> {
        let spaces = work.sites().links(&site.organization, Some(&site.id)).await?.len();
        Ok(Self { site, spaces, address, exposed: false })
    }
}

impl Sites {
    /// The sites of an organization that the caller may see, oldest first.
    ///
    /// # Errors
    /// [`Error::NotFound`] for the organization, [`Error::Invalid`].
    pub async fn list(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        query: Input<(SiteFilter, PageRequest)>,
    ) -> Result<Page<ShownSite>, Error> {
        let mut work = self.units.read(actor).await?;
        let (owner, organization_access) = work.organization_with_access(organization, |may| may.view).await?;
        let (filter, page) = query.read()?;
        let sites = work.sites().of_organization(organization).await?;
        let mut linked: HashMap<SiteId, Vec<SpaceId>> = HashMap::new();
        for (site, space) in work.sites().links(organization, None).await? {
            linked.entry(site).or_default().push(space);
        }
        // A caller without a level on some site may see it because of the spaces on it.
        let beyond = sites.iter().any(|site| !organization_access.site(&site.id, || false).reads());
        let named: BTreeSet<SpaceId> = match (beyond, &filter.space) {
            (true, _) => linked.values().flatten().cloned().collect(),
            (false, space) => space.iter().cloned().collect(),
        };
        let readable = work.readable_spaces(&organization_access, named).await?;
        let has = |site: &Site, wanted: &SpaceId| linked.get(&site.id).is_some_and(|spaces| spaces.contains(wanted));
        let wanted = |site: &Site| {
            let title = filter.title.as_deref().is_none_or(|part| folded(site.title.as_str()).contains(&folded(part)));
            let space = filter.space.as_ref().is_none_or(|space| readable.contains(space) && has(site, space));
            title
                && space
                && filter.published.is_none_or(|published| site.is_published() == published)
                && (filter.kinds.is_empty() || filter.kinds.contains(&site.kind))
        };
        let shown = sites.into_iter().filter(wanted).filter_map(|site| {
            let spaces = linked.get(&site.id).map_or(&[][..], Vec::as_slice);
            let reads = || spaces.iter().any(|space| readable.contains(space));
            let count = spaces.len();
            let site = open::grant_listed_site(actor, &organization_access, site, reads).ok()?;
            let location = SiteLocation::of(&site, owner.hostname.as_deref());
            let address = location.and_then(|location| SiteAddress::of(location, None));
            Some(ShownSite { site, spaces: count, address, exposed: false })
        });
        Ok(Page::of_sorted(shown.collect(), &page, |shown| shown.site.id.to_string()))
    }

    /// Creates a site, not published. Its spaces become variants of each other; the first one is the default.
    ///
    /// # Errors
    /// [`Error::NotFound`] for the organization; [`Error::Forbidden`], also for a space that the caller may not manage;
    /// [`Error::Invalid`]; [`Error::Conflict`] if the organization has [`MAX_SITES`].
    pub async fn create(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        new: Input<NewSite>,
    ) -> Result<ShownSite, Error> {
        let mut work = self.units.write(actor).await?;
        work.lock(&[organization.into()]).await?;
        work.organization(organization, |may| may.create_content).await?;
        let new = new.read()?;
        if work.sites().count(organization).await? >= MAX_SITES {
            let full = format!("the organization already has {MAX_SITES} sites: delete one first");
            return Err(Error::Conflict(full));
        }
        let site = add_site(&mut work, organization, &new).await?;
        let site = work.site(organization, &site, |may| may.view).await?;
        let shown = ShownSite::of(&mut work, site).await?;
        work.commit().await?;
        Ok(shown)
    }

    /// A site, for members who can view it, and for its visitors: their number of spaces is that of the spaces that
    /// they see.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    pub async fn get(&self, actor: &Actor, organization: &OrganizationId, id: &SiteId) -> Result<ShownSite, Error> {
        let mut work = self.units.read(actor).await?;
        let site = work.site(organization, id, |may| may.read).await?;
        let mut shown = ShownSite::of(&mut work, site).await?;
        if shown.site.access().only_visits() {
            let structure = work.sites().structure(id).await?;
            let seen = SeenStructure::of(&mut work, &shown.site, structure).await?;
            shown.spaces = seen.structure.spaces().len();
        }
        self.with_exposure(&mut work, shown).await
    }

    /// Updates the settings of a site, and its defaults, which callers who may change its structure may set too.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Forbidden`], also if the old or the new default level is higher than the caller's
    /// own level; [`Error::Invalid`], [`Error::PreconditionFailed`]; [`Error::Conflict`] if another site has the
    /// basename or the host name, and as in [`Self::publish`].
    pub async fn update(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        id: &SiteId,
        precondition: Precondition<ShownSite>,
        patch: Input<SitePatch>,
    ) -> Result<ShownSite, Error> {
        let mut work = self.units.write(actor).await?;
        work.lock_shared(&[organization.into()]).await?;
        work.lock(&[id.into()]).await?;
        let mut site = work.site(organization, id, |may| may.create).await?;
        let patch = patch.read()?;
        if !site.permissions().admin && !patch.is_structure() {
            return Err(Error::denied("site")(Denied::Forbidden));
        }
        precondition.check_shown(ShownSite::of(&mut work, site.clone())).await?;
        check_default(site.access(), site.default_level, patch.default_level)?;
        if let Patch::Set(hostname) = &patch.hostname {
            self.hosting.admits(hostname.as_str()).map_err(|rule| rule.of("hostname"))?;
        }
        if let Patch::Set(proxy) = &patch.proxy {
            self.hosting.admits(proxy.host()).map_err(|rule| rule.of("proxy"))?;
        }
        if let Patch::Set(space) = &patch.styleguide {
            work.linkable_spaces(organization, std::slice::from_ref(space), "styleguide").await?;
        }
        let restructured = structure::set_defaults(&mut work, &site, &patch).await?;
        let (before, now) = ((*site).clone(), work.now());
        if site.entity_mut().update(patch, now).is_none() {
            if !restructured {
                return ShownSite::of(&mut work, site).await;
            }
            site.entity_mut().touch(now);
        }
        let moves =
            site.visibility != before.visibility || site.hostname != before.hostname || site.proxy != before.proxy;
        if moves {
            self.check_isolation(&mut work, &site).await?;
        }
        work.sites().save(&site).await.map_err(taken)?;
        if site.basename != before.basename {
            work.site_addresses().remove_former_basename(&site.basename).await?;
            let left = FormerName::basename(id, &before.basename);
            work.site_addresses().record_former_names(id, &[left]).await?;
        }
        let changes = Differences::between(&before, &site);
        ended(work, &site, Change::SiteUpdated { site: id.clone(), changes }).await
    }

    /// Publishes a site: visitors can open it from now on.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Forbidden`]; [`Error::Conflict`] if a private site would share its origin with a
    /// site of another organization, and the operator refuses that.
    pub async fn publish(&self, actor: &Actor, organization: &OrganizationId, id: &SiteId) -> Result<ShownSite, Error> {
        let mut work = self.units.write(actor).await?;
        work.lock(&[id.into()]).await?;
        let mut site = work.site(organization, id, |may| may.admin).await?;
        let now = work.now();
        if !site.entity_mut().publish(now) {
            return unchanged(work, site).await;
        }
        self.check_isolation(&mut work, &site).await?;
        work.sites().save(&site).await?;
        ended(work, &site, Change::SitePublished { site: id.clone() }).await
    }

    /// Takes a site offline.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Forbidden`].
    pub async fn unpublish(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        id: &SiteId,
    ) -> Result<ShownSite, Error> {
        let mut work = self.units.write(actor).await?;
        work.lock(&[id.into()]).await?;
        let mut site = work.site(organization, id, |may| may.admin).await?;
        let now = work.now();
        if !site.entity_mut().unpublish(now) {
            return unchanged(work, site).await;
        }
        work.sites().save(&site).await?;
        ended(work, &site, Change::SiteUnpublished { site: id.clone() }).await
    }

    /// Deletes a site; its spaces stay. Returns whether there was one that the caller may see.
    ///
    /// # Errors
    /// [`Error::Forbidden`], [`Error::PreconditionFailed`].
    pub async fn delete(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        id: &SiteId,
        precondition: Precondition<ShownSite>,
    ) -> Result<bool, Error> {
        let mut work = self.units.write(actor).await?;
        // The site may be the default site of the organization.
        work.lock(&[organization.into(), id.into()]).await?;
        let found = work.site(organization, id, |may| may.admin).await;
        let Some(site) = precondition.found(found)? else { return Ok(false) };
        precondition.check_shown(ShownSite::of(&mut work, site)).await?;
        work.sites().remove(id).await?;
        work.record(organization, Change::SiteDeleted { site: id.clone() }).await?;
        work.commit().await?;
        Ok(true)
    }
}

/// Stores a new site of an organization, and records it.
pub(super) async fn add_site(
    work: &mut Work<'_>,
    organization: &OrganizationId,
    new: &NewSite,
) -> Result<SiteId, Error> {
    let spaces = work.linkable_spaces(organization, &new.spaces, "spaces").await?;
    let now = work.now();
    let basename = free_basename(work, new.title.as_ref().map_or("", |title| title.as_str())).await?;
    let site = Site::new(work.ids.make(), organization.clone(), basename, new, now);
    let mut structure = Structure::default();
    for space in &spaces {
        let path = structure.free_space_path(&NewPlace::Default, space.title.as_str());
        let added = SiteSpace::new(work.ids.make(), space.id.clone(), path);
        structure.add_space(&NewPlace::Default, added).map_err(|error| Invalid::new("spaces", error.rule))?;
    }
    match work.sites().save(&site).await {
        // The name was free when it was chosen. A retry of the request chooses another one.
        Err(error @ StoreError::Conflict(_)) => return Err(StoreError::Contended(error.into()).into()),
        saved => saved?,
    }
    work.sites().save_structure(&site.id, &structure).await?;
    work.record(organization, Change::SiteCreated { site: site.id.clone() }).await?;
    Ok(site.id)
}

/// A basename that no site has, made from a title.
async fn free_basename(work: &mut Work<'_>, title: &str) -> Result<Basename, Error> {
    let first = Basename::free(title, FALLBACK, |_| false);
    // A former name of another site is only used if a caller sets it explicitly.
    let former = work.site_addresses().former_basenames(first.as_str()).await?;
    let used = work.sites().basenames(first.as_str()).await?;
    let taken: HashSet<String> = used.into_iter().chain(former).map(String::from).collect();
    Ok(Basename::free(title, FALLBACK, |name| taken.contains(name)))
}

/// A conflict of names or addresses as an error for the caller.
fn taken(error: StoreError) -> Error {
    match error {
        StoreError::Conflict(name) if ["basename", "hostname"].contains(&name.as_str()) => {
            Error::Conflict(format!("{name}: another site of this server has this name"))
        }
        StoreError::Conflict(name) if name == "proxy" => {
            Error::Conflict(format!("{name}: another site of this server has this address"))
        }
        other => other.into(),
    }
}

/// Ends a `POST` that changes nothing. It commits, so that its response is stored under its idempotency key.
async fn unchanged(mut work: Work<'_>, site: Granted<Site>) -> Result<ShownSite, Error> {
    let shown = ShownSite::of(&mut work, site).await?;
    work.commit().await?;
    Ok(shown)
}

/// Ends a change of settings: records it and returns the result.
async fn ended(mut work: Work<'_>, site: &Site, change: Change) -> Result<ShownSite, Error> {
    work.record(&site.organization, change).await?;
    let site = work.site(&site.organization, &site.id, |may| may.view).await?;
    let shown = ShownSite::of(&mut work, site).await?;
    work.commit().await?;
    Ok(shown)
}

impl Work<'_> {
    /// Those of these spaces that the caller may read.
    pub(in crate::usecases) async fn readable_spaces(
        &mut self,
        organization_access: &OrganizationAccess,
        ids: BTreeSet<SpaceId>,
    ) -> Result<HashSet<SpaceId>, Error> {
        if ids.is_empty() {
            return Ok(HashSet::new());
        }
        let spaces = self.spaces().find_many(&ids.into_iter().collect::<Vec<_>>()).await?;
        let reads =
            |space: &Space| organization_access.space(&space.id, space.parent.as_ref(), space.default_level).reads();
        Ok(spaces.into_iter().filter(reads).map(|space| space.id).collect())
    }

    /// Stores a site after a change of something that belongs to it.
    async fn save_changed_site(&mut self, site: &mut Granted<Site>) -> Result<(), Error> {
        let now = self.now();
        site.entity_mut().touch(now);
        Ok(self.sites().save(site).await?)
    }

    /// Loads spaces to show on a site, in the given order, and locks them in shared mode. Grants on a site also apply
    /// to its spaces, so the caller must be allowed to manage the spaces.
    ///
    /// # Errors
    /// [`Error::Invalid`] for `field` if there is no such space in the organization; [`Error::Forbidden`].
    async fn linkable_spaces(
        &mut self,
        organization: &OrganizationId,
        ids: &[SpaceId],
        field: &str,
    ) -> Result<Vec<Granted<Space>>, Error> {
        if ids.len() > MAX_SPACES {
            return Err(Invalid::new(field, format!("must name at most {MAX_SPACES} spaces")).into());
        }
        let mut named = HashSet::new();
        if let Some(twice) = ids.iter().find(|id| !named.insert(*id)) {
            return Err(Invalid::new(field, format!("must not name {twice} twice")).into());
        }
        self.lock_shared(&ids.iter().map(Lockable::from).collect::<Vec<_>>()).await?;
        let actor = self.actor;
        let organization_access = self.organization_access(organization).await?;
        let found = self.spaces().find_many(ids).await?;
        let mut found: HashMap<SpaceId, Granted<Space>> = found
            .into_iter()
            .filter(|space| space.organization == *organization)
            .filter_map(|space| open::grant_listed_space(actor, &organization_access, space).ok())
            .map(|space| (space.id.clone(), space))
            .collect();
        let linkable = |id: &SpaceId| {
            let absent = || Invalid::new(field, format!("there is no space {id} in the organization"));
            let space = found.remove(id).ok_or_else(absent)?;
            let manages = space.permissions().admin;
            manages.then_some(space).ok_or_else(|| Error::denied("space")(Denied::Forbidden))
        };
        ids.iter().map(linkable).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::access::{Membership, Role};
    use crate::organization::Organization;
    use crate::ports::store::organizations::OrganizationForUser;
    use crate::ports::testing::MockTx;
    use chrono::DateTime;
    use std::sync::atomic::Ordering;
    use url::Url;

    #[tokio::test]
    async fn an_organization_with_a_thousand_sites_gets_no_more() {
        let mut tx = MockTx::default();
        let organization = Organization::new("o".parse().unwrap(), "Docs".parse().unwrap(), DateTime::UNIX_EPOCH);
        let membership = Some(Membership { role: Some(Role::Admin), disabled: false });
        let belonging = OrganizationForUser { organization, membership, owns_team: false };
        tx.organizations.expect_find().returning(move |_, _| Ok(Some(belonging.clone())));
        tx.sites.0.expect_count().return_once(|_| Ok(MAX_SITES));
        let (store, committed) = tx.into_store();
        let url = Url::parse("https://docs.test/").unwrap();
        let hosting = Arc::new(Hosting::new(&url, &url, None, None));
        let usecase = Sites { units: Units::over(store), hosting, deriver: VisitorKeyDeriver::new(&[7; 32]) };
        let new = Input::new(|| Ok(NewSite::default()));
        let made = usecase.create(&Actor::Operator, &"o".parse().unwrap(), new).await;
        let full = "the organization already has 1000 sites: delete one first";
        assert!(matches!(&made, Err(Error::Conflict(told)) if told == full), "{made:?}");
        assert!(!committed.load(Ordering::SeqCst));
    }
}
