//! What all visits of a site read, cached until the next commit.
//!
//! A cached value was read between two moments at which the database had the same stamp, so it is of that state. It is
//! used only for requests that took the same stamp after they had arrived. A visit that uses cached values can read
//! others later. If the stamp has changed at its end, the visit is of two states and must be repeated: it could show
//! content that was added after the visitor lost the access. Objects of content are excepted: they never change, and a
//! revision that was read before names them.
use super::Sites;
use super::addresses::AddressData;
use super::candidates::Candidate;
use crate::content::object::MemoryObjects;
use crate::id::{SiteSpaceId, SpaceId};
use crate::ports::store::site_addresses::LocatedSite;
use crate::site::Site;
use crate::site::address::Key;
use crate::site::audience::SiteAudience;
use crate::site::customization::Customization;
use crate::site::publishing_auth::PublishingAuth;
use crate::usecases::Error;
use crate::usecases::content::LoadedRevision;
use crate::usecases::work::Work;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The most cached addresses of sites. A site takes some kilobytes, and about two for each of its spaces that was read.
const MOST: usize = 200;

/// A site with what is the same for all its visitors.
pub(super) struct KnownSite {
    pub(super) site: Site,
    pub(super) auth: PublishingAuth,
    pub(super) audience: SiteAudience,
    pub(super) address: AddressData,
    parts: Mutex<Parts>,
}

/// The parts of a site that visits have read.
#[derive(Default)]
struct Parts {
    /// The primary content of spaces, without objects.
    spaces: HashMap<SpaceId, LoadedRevision>,
    /// The customizations of spaces on the site, with the parts that have conditions.
    customizations: HashMap<SiteSpaceId, Arc<Customization>>,
}

impl KnownSite {
    /// Loads the rest of a site that was found by an address, published or not.
    async fn load(sites: &Sites, work: &mut Work<'_>, found: LocatedSite) -> Result<Self, Error> {
        let site = found.site;
        let (audience, auth) = sites.audience(work, &site).await?;
        let (structure, there) = work.sites().structure_with_spaces(&site.id).await?;
        let live = structure.live(|one| there.contains(&one.space));
        let address = AddressData::load(work, &site.id, found.organization_host, live).await?;
        Ok(Self { site, auth, audience, address, parts: Mutex::default() })
    }

    /// The primary content of a space, if it is cached.
    pub(super) fn space(&self, id: &SpaceId) -> Option<LoadedRevision> {
        self.parts().spaces.get(id).map(without_objects)
    }

    /// The customization of a space on the site, if it is cached.
    pub(super) fn customization(&self, id: &SiteSpaceId) -> Option<Arc<Customization>> {
        self.parts().customizations.get(id).cloned()
    }

    /// Adds parts that were read at the same state of the database.
    fn add(&self, spaces: Vec<LoadedRevision>, customizations: HashMap<SiteSpaceId, Arc<Customization>>) {
        let mut parts = self.parts();
        parts.spaces.extend(spaces.into_iter().map(|opened| (opened.space.id.clone(), opened)));
        parts.customizations.extend(customizations);
    }

    fn parts(&self) -> MutexGuard<'_, Parts> {
        self.parts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The same revision for another unit of work. Its objects are in the cache of objects.
fn without_objects(opened: &LoadedRevision) -> LoadedRevision {
    let LoadedRevision { space, revision, snapshot, objects: _ } = opened;
    let (space, revision, snapshot) = (space.clone(), revision.clone(), snapshot.clone());
    LoadedRevision { space, revision, snapshot, objects: MemoryObjects::default() }
}

/// The sites of the last state of the database that was seen, by address.
#[derive(Default)]
pub(super) struct KnownSites(Mutex<AtStamp>);

#[derive(Default)]
struct AtStamp {
    stamp: Option<u64>,
    sites: HashMap<Key, Arc<KnownSite>>,
}

impl std::fmt::Debug for KnownSites {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("KnownSites").finish_non_exhaustive()
    }
}

impl KnownSites {
    /// The site of an address, if it is cached at this state.
    fn find(&self, stamp: u64, key: &Key) -> Option<Arc<KnownSite>> {
        let at = self.at_stamp();
        at.sites.get(key).filter(|_| at.stamp == Some(stamp)).cloned()
    }

    /// Caches the site of an address at a state. Sites of other states are dropped, and those of the same state if they
    /// are too many.
    fn keep(&self, stamp: u64, key: Key, site: Arc<KnownSite>) {
        let mut at = self.at_stamp();
        if at.stamp != Some(stamp) || at.sites.len() >= MOST {
            *at = AtStamp { stamp: Some(stamp), sites: HashMap::new() };
        }
        at.sites.insert(key, site);
    }

    fn at_stamp(&self) -> MutexGuard<'_, AtStamp> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The sites that are cached at the state of the database at which a request arrived.
#[derive(Clone, Copy)]
pub(super) struct KnownState<'c> {
    pub(super) sites: &'c KnownSites,
    pub(super) stamp: u64,
}

/// A site that was found by its address.
#[derive(Clone)]
pub(super) struct Lookup {
    pub(super) known: Arc<KnownSite>,
    key: Key,
    /// Whether it was cached.
    was_cached: bool,
}

/// A visit with a stamp that has read the database. It is confirmed by a stamp that is taken after it
/// ([`SiteReader::confirm`](super::SiteReader::confirm)).
pub struct UnconfirmedVisit {
    stamp: u64,
    lookup: Lookup,
    spaces: Vec<LoadedRevision>,
    customizations: HashMap<SiteSpaceId, Arc<Customization>>,
}

impl UnconfirmedVisit {
    /// A visit with these spaces and customizations.
    pub(super) fn new<'p>(
        stamp: u64,
        lookup: Lookup,
        spaces: impl Iterator<Item = &'p LoadedRevision>,
        customizations: HashMap<SiteSpaceId, Arc<Customization>>,
    ) -> Self {
        Self { stamp, lookup, spaces: spaces.map(without_objects).collect(), customizations }
    }

    /// Whether all that the visit has read is of one state of the database. `now` is the stamp after the visit: if it
    /// is still the same, what was read is cached.
    pub(super) fn confirm(self, now: Option<u64>, sites: &KnownSites) -> bool {
        let Self { stamp, lookup: Lookup { known, key, was_cached }, spaces, customizations } = self;
        if now != Some(stamp) {
            return !was_cached;
        }
        known.add(spaces, customizations);
        sites.keep(stamp, key, known);
        true
    }
}

impl Sites {
    /// The site of a candidate, published or not: the cached one if there is a state.
    pub(super) async fn look_up(
        &self,
        work: &mut Work<'_>,
        Candidate { address, site }: &Candidate<'_>,
        state: Option<KnownState<'_>>,
    ) -> Result<Option<Lookup>, Error> {
        let key = address.key.clone();
        if let Some(known) = state.and_then(|state| state.sites.find(state.stamp, &key)) {
            return Ok(Some(Lookup { known, key, was_cached: true }));
        }
        let found = match site {
            Some(found) => Some(found.clone()),
            None => work.site_addresses().locate(&key).await?,
        };
        let Some(found) = found else { return Ok(None) };
        let known = Arc::new(KnownSite::load(self, work, found).await?);
        Ok(Some(Lookup { known, key, was_cached: false }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::site::NewSite;
    use crate::site::publishing_auth::VisitorKeyDeriver;
    use chrono::DateTime;
    use rstest::rstest;

    fn key(name: &str) -> Key {
        Key::Basename(name.to_owned())
    }

    fn site() -> Arc<KnownSite> {
        let (id, new) = ("site".parse().unwrap(), NewSite::default());
        let site = Site::new(id, "o".parse().unwrap(), "docs".parse().unwrap(), &new, DateTime::UNIX_EPOCH);
        let auth = PublishingAuth::new(site.id.clone());
        let audience = SiteAudience::of(&site, VisitorKeyDeriver::new(&[7; 32]).key(&auth), None);
        Arc::new(KnownSite { site, auth, audience, address: AddressData::default(), parts: Mutex::default() })
    }

    fn visit(stamp: u64, was_cached: bool) -> UnconfirmedVisit {
        let space: SiteSpaceId = "space".parse().unwrap();
        let customizations = HashMap::from([(space, Arc::default())]);
        let lookup = Lookup { known: site(), key: key("docs"), was_cached };
        UnconfirmedVisit::new(stamp, lookup, std::iter::empty(), customizations)
    }

    #[rstest]
    #[case::nothing_changed(false, Some(7), true, true)]
    #[case::nothing_changed_since_it_was_cached(true, Some(7), true, true)]
    #[case::all_was_read_from_one_snapshot(false, Some(8), true, false)]
    #[case::a_part_is_of_before(true, Some(8), false, false)]
    #[case::the_stamp_is_not_known(true, None, false, false)]
    fn a_visit_is_confirmed_if_it_is_of_one_state_and_cached_if_that_is_its_stamp(
        #[case] was_cached: bool,
        #[case] now: Option<u64>,
        #[case] confirmed: bool,
        #[case] cached: bool,
    ) {
        let sites = KnownSites::default();
        assert_eq!(visit(7, was_cached).confirm(now, &sites), confirmed);
        let found = sites.find(7, &key("docs"));
        assert_eq!(found.is_some(), cached);
        assert_eq!(found.and_then(|site| site.customization(&"space".parse().unwrap())).is_some(), cached);
        assert!(sites.find(8, &key("docs")).is_none(), "there was a commit");
        assert!(sites.find(7, &key("other")).is_none());
    }

    #[test]
    fn sites_of_the_last_state_are_cached_up_to_a_limit() {
        let sites = KnownSites::default();
        (0..MOST).for_each(|at| sites.keep(7, key(&at.to_string()), site()));
        assert!(sites.find(7, &key("0")).is_some());
        sites.keep(7, key("more"), site());
        assert!(sites.find(7, &key("0")).is_none() && sites.find(7, &key("more")).is_some());
        sites.keep(8, key("later"), site());
        assert!(sites.find(7, &key("more")).is_none() && sites.find(8, &key("later")).is_some());
    }
}
