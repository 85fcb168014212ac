//! Sites of several organizations on one origin. Browsers keep origins apart, but not paths.
use super::address::Hosting;
use super::publication::SiteLocation;
use crate::id::OrganizationId;
use crate::words;
use url::{Origin, Url};

words! {
    /// The handling of private sites that share an origin with a site of another organization.
    #[derive(Default)]
    pub enum Isolation {
        /// Report them.
        #[default]
        Report = "report",
        /// Refuse to publish them.
        Strict = "strict",
    }
}

/// A published site, and the organization that owns it.
pub type OwnedSite = (OrganizationId, SiteLocation);

/// Whether visitors need credentials to see the site.
fn is_private(site: &SiteLocation) -> bool {
    !site.visibility.is_open()
}

fn origin(hosting: &Hosting, site: &SiteLocation) -> Option<Origin> {
    Url::parse(hosting.canonical(site.located()).as_str()).ok().map(|url| url.origin())
}

/// Whether a site has the same origin as a published site of another organization and one of the two is private.
/// Scripts of one site could then read the private one.
pub fn is_exposed(hosting: &Hosting, (owner, site): (&OrganizationId, &SiteLocation), all: &[OwnedSite]) -> bool {
    let own = origin(hosting, site);
    all.iter().any(|(other, beside)| {
        other != owner && (is_private(site) || is_private(beside)) && origin(hosting, beside) == own
    })
}

/// Whether a new host name of an organization moved a site of it to the origin of a site of another organization, and
/// one of the two is private. `all` has the sites after the change; `before` is the earlier host name. It takes time in
/// proportion to their number.
pub fn is_exposed_by_host(
    hosting: &Hosting,
    (owner, before): (&OrganizationId, Option<&str>),
    all: &[OwnedSite],
) -> bool {
    // Whether one of the moved sites on an origin is private.
    let mut moved = std::collections::HashMap::<Origin, bool>::new();
    for (_, site) in all.iter().filter(|(other, _)| other == owner) {
        let earlier = SiteLocation { organization: before.map(ToOwned::to_owned), ..site.clone() };
        match origin(hosting, site) {
            Some(own) if origin(hosting, &earlier).as_ref() != Some(&own) => {
                *moved.entry(own).or_default() |= is_private(site);
            }
            _ => {}
        }
    }
    let others = all.iter().filter(|(other, _)| other != owner && !moved.is_empty());
    others.map(|(_, beside)| beside).any(|beside| {
        let there = origin(hosting, beside).and_then(|origin| moved.get(&origin));
        there.is_some_and(|private| *private || is_private(beside))
    })
}

/// The private sites of `all` that are on one origin with a site of another organization. It takes time in proportion
/// to their number.
pub fn exposed<'s>(hosting: &Hosting, all: &'s [OwnedSite]) -> Vec<&'s SiteLocation> {
    let mut owners = std::collections::HashMap::<String, Option<&OrganizationId>>::new();
    let key = |site: &SiteLocation| origin(hosting, site).map(|origin| origin.ascii_serialization());
    for (owner, site) in all {
        let Some(key) = key(site) else { continue };
        // `None` stands for several owners.
        owners.entry(key).and_modify(|one| *one = one.filter(|one| *one == owner)).or_insert(Some(owner));
    }
    let shared = |site: &SiteLocation| key(site).is_some_and(|key| owners.get(&key) == Some(&None));
    all.iter().map(|(_, site)| site).filter(|site| is_private(site) && shared(site)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::site::SiteVisibility;
    use rstest::rstest;

    fn hosting() -> Hosting {
        let url = "https://docs.test".parse().unwrap();
        Hosting::new(&url, &url, None, "*.docs.test".parse().ok())
    }

    fn site(id: &str, owner: &str, visibility: SiteVisibility, host: Option<&str>) -> OwnedSite {
        let location = SiteLocation {
            site: id.parse().unwrap(),
            basename: id.parse().unwrap(),
            hostname: host.map(|host| host.parse().unwrap()),
            proxy: None,
            organization: None,
            visibility,
        };
        (owner.parse().unwrap(), location)
    }

    #[rstest]
    #[case(SiteVisibility::ShareLink, "acme", None, true)]
    #[case(SiteVisibility::VisitorAuth, "acme", None, true)]
    #[case(SiteVisibility::Public, "acme", None, false)]
    #[case(SiteVisibility::Unlisted, "acme", None, false)]
    #[case(SiteVisibility::ShareLink, "other", None, false)]
    #[case(SiteVisibility::ShareLink, "acme", Some("docs.acme.org"), false)]
    fn a_private_site_beside_one_of_another_organization_is_exposed(
        #[case] visibility: SiteVisibility,
        #[case] owner: &str,
        #[case] host: Option<&str>,
        #[case] expected: bool,
    ) {
        let (hosting, own) = (hosting(), site("a", owner, visibility, host));
        let all = [own.clone(), site("b", "other", SiteVisibility::Public, None)];
        assert_eq!(is_exposed(&hosting, (&own.0, &own.1), &all), expected);
        assert_eq!(is_exposed(&hosting, (&all[1].0, &all[1].1), &all), expected, "from the other side too");
        let found: Vec<&str> = exposed(&hosting, &all).into_iter().map(|site| site.site.as_str()).collect();
        assert_eq!(found, if expected { vec!["a"] } else { vec![] });
    }

    #[rstest]
    #[case::to_the_host_of_a_private_site(Some("acme"), None, SiteVisibility::Public, SiteVisibility::ShareLink, true)]
    #[case::of_a_private_site(Some("acme"), None, SiteVisibility::VisitorAuth, SiteVisibility::Public, true)]
    #[case::to_the_common_host(None, Some("zoe"), SiteVisibility::ShareLink, SiteVisibility::Public, false)]
    #[case::of_public_sites(Some("acme"), None, SiteVisibility::Public, SiteVisibility::Unlisted, false)]
    #[case::to_a_host_of_its_own(Some("zoe"), None, SiteVisibility::Public, SiteVisibility::ShareLink, false)]
    #[case::no_change(Some("acme"), Some("acme"), SiteVisibility::Public, SiteVisibility::ShareLink, false)]
    fn a_new_host_of_an_organization_can_expose_a_site(
        #[case] host: Option<&str>,
        #[case] before: Option<&str>,
        #[case] own: SiteVisibility,
        #[case] beside: SiteVisibility,
        #[case] expected: bool,
    ) {
        let mut all = [site("a", "zoe", own, None), site("b", "acme", beside, None)];
        all[0].1.organization = host.map(ToOwned::to_owned);
        all[1].1.organization = Some("acme".to_owned());
        let zoe = "zoe".parse().unwrap();
        assert_eq!(is_exposed_by_host(&hosting(), (&zoe, before), &all), expected);
        all[0].1.hostname = Some("docs.zoe.org".parse().unwrap());
        assert!(!is_exposed_by_host(&hosting(), (&zoe, before), &all), "a site with its own host is not moved");
    }

    #[test]
    fn without_its_host_an_organization_can_expose_a_site() {
        let mut all =
            [site("a", "zoe", SiteVisibility::ShareLink, None), site("b", "acme", SiteVisibility::Public, None)];
        let zoe = "zoe".parse().unwrap();
        assert!(is_exposed_by_host(&hosting(), (&zoe, Some("zoe")), &all));
        all[1].0 = "zoe".parse().unwrap();
        assert!(!is_exposed_by_host(&hosting(), (&zoe, Some("zoe")), &all), "all sites there are its own");
    }

    #[test]
    fn the_host_of_an_organization_is_its_own() {
        let mut own = site("a", "acme", SiteVisibility::ShareLink, None);
        own.1.organization = Some("acme".to_owned());
        let all = [own.clone(), site("b", "other", SiteVisibility::Public, None)];
        assert!(!is_exposed(&hosting(), (&own.0, &own.1), &all) && exposed(&hosting(), &all).is_empty());
    }
}
