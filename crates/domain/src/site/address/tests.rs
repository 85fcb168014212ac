use super::*;
use proptest::prelude::*;
use rstest::rstest;

/// A site with everything that can decide its address.
#[derive(Clone, Debug, Default)]
struct Site {
    hostname: Option<Hostname>,
    proxy: Option<Proxy>,
    organization: Option<String>,
}

struct Fixed {
    id: SiteId,
    basename: Basename,
    site: Site,
}

impl Fixed {
    fn new(site: Site) -> Self {
        Self { id: "Site1".parse().unwrap(), basename: "acme".parse().unwrap(), site }
    }

    fn located(&self) -> Located<'_> {
        Located {
            id: &self.id,
            basename: &self.basename,
            hostname: self.site.hostname.as_ref(),
            proxy: self.site.proxy.as_ref(),
            organization: self.site.organization.as_deref(),
        }
    }

    /// Whether a look-up by this key finds the site.
    fn found_by(&self, hosting: &Hosting, key: &Key) -> bool {
        match key {
            Key::Id(id) => *id == self.id,
            Key::Basename(name) => name == "acme" || name == "former",
            Key::Root(_) => hosting.is_root(&self.id, &self.basename),
            Key::Hostname(name) => self.site.hostname.as_ref().is_some_and(|own| own.as_str() == name),
            Key::Organization(organization, name) => {
                self.site.organization.as_ref() == Some(organization) && (name == "acme" || name == "former")
            }
            // The site is the one that its organization has chosen.
            Key::OrganizationRoot(organization) => self.site.organization.as_ref() == Some(organization),
            Key::Proxy(proxy) => self.site.proxy.as_ref().is_some_and(|own| own.as_str() == proxy),
        }
    }

    fn ask<'a>(&self, hosting: &Hosting, host: &str, path: &'a str) -> AddressOutcome<'a> {
        match hosting.read(host, path) {
            Incoming::Site(candidate) => {
                let site = self.found_by(hosting, &candidate.key).then(|| self.located());
                hosting.outcome(&candidate, site, Some("q=1"))
            }
            Incoming::UnknownHost => AddressOutcome::UnknownHost,
            Incoming::Preview { .. } | Incoming::Nothing => AddressOutcome::Nothing,
        }
    }
}

fn hosting(root: Option<&str>, wildcard: bool) -> Hosting {
    let url = "https://sites.test".parse().unwrap();
    let wildcard = wildcard.then(|| "*.docs.test.org".parse().unwrap());
    Hosting::new(&url, &"https://api.test/".parse().unwrap(), root.map(str::to_owned), wildcard)
}

fn all() -> Site {
    Site {
        hostname: "docs.acme.org".parse().ok(),
        proxy: "www.acme.org/docs".parse().ok(),
        organization: Some("acme-inc".to_owned()),
    }
}

#[test]
fn the_canonical_address_is_the_first_of_five() {
    let hosting = hosting(Some("acme"), true);
    let without_proxy = Site { proxy: None, ..all() };
    let without_hostname = Site { hostname: None, ..without_proxy.clone() };
    let canonical = |hosting: &Hosting, site: Site| hosting.canonical(Fixed::new(site).located()).0;
    assert_eq!(canonical(&hosting, all()), "https://www.acme.org/docs/");
    assert_eq!(canonical(&hosting, without_proxy), "https://docs.acme.org/");
    assert_eq!(canonical(&hosting, without_hostname.clone()), "https://sites.test/");
    let hosting = self::hosting(None, true);
    assert_eq!(canonical(&hosting, without_hostname.clone()), "https://acme-inc.docs.test.org/acme/");
    assert_eq!(canonical(&hosting, Site::default()), "https://sites.test/s/acme/", "no host name of the organization");
    assert_eq!(canonical(&self::hosting(None, false), without_hostname), "https://sites.test/s/acme/");
}

#[rstest]
#[case("sites.test", "/s/acme/guides/a", "guides/a")]
#[case("SITES.test:8080", "/s/acme/", "")]
#[case("sites.test.", "/s/acme//x", "/x")]
fn a_canonical_address_is_read(#[case] host: &str, #[case] path: &str, #[case] rest: &str) {
    let site = Fixed::new(Site::default());
    assert_eq!(site.ask(&hosting(None, true), host, path), AddressOutcome::Here(rest));
}

#[rstest]
#[case("sites.test", "/s/acme/a/b%20c", "a/b%20c")]
#[case("sites.test", "/s/ACME/a", "a")]
#[case("sites.test", "/s/former/a", "a")]
#[case("sites.test", "/s/acme", "")]
#[case("sites.test", "/a", "a")]
#[case("sites.test", "/", "")]
#[case("acme-inc.docs.test.org", "/acme/a", "a")]
#[case("acme-inc.docs.test.org", "/former/a", "a")]
#[case("acme-inc.docs.test.org", "/acme", "")]
#[case("sites.test", "/s/acme///evil.test/", "evil.test/")]
#[case("acme-inc.docs.test.org", "/", "")]
fn every_other_address_redirects_with_its_query(#[case] host: &str, #[case] path: &str, #[case] rest: &str) {
    let site = Fixed::new(Site { proxy: None, ..all() });
    let expected = format!("https://docs.acme.org/{rest}?q=1");
    assert_eq!(site.ask(&hosting(Some("site1"), true), host, path), AddressOutcome::Redirect(expected));
}

#[rstest]
#[case("other.test", "/")]
#[case("docs.acme.com", "/s/acme/")]
#[case("", "/")]
#[case("sites test", "/")]
#[case("a.b.docs.test.org", "/acme/")]
#[case("[::1]:80", "/")]
fn an_unknown_host_has_its_own_result(#[case] host: &str, #[case] path: &str) {
    assert_eq!(Fixed::new(all()).ask(&hosting(None, true), host, path), AddressOutcome::UnknownHost);
}

#[rstest]
#[case("sites.test", "/")]
#[case("sites.test", "/s")]
#[case("sites.test", "/s/")]
#[case("sites.test", "/s/other/")]
#[case("sites.test", "/~proxy/other/")]
#[case("sites.test", "/~proxy/x%20y/")]
#[case("api.test", "/s/acme/")]
#[case("another.docs.test.org", "/")]
#[case("another.docs.test.org", "/acme/")]
fn a_path_of_no_site_is_not_found(#[case] host: &str, #[case] path: &str) {
    assert_eq!(Fixed::new(all()).ask(&hosting(None, true), host, path), AddressOutcome::Nothing);
}

#[test]
fn the_proxy_of_the_owner_is_never_redirected() {
    let hosting = hosting(Some("acme"), true);
    let site = Fixed::new(all());
    assert_eq!(hosting.proxy_target(&site.id).0, "https://sites.test/~proxy/Site1/");
    assert_eq!(site.ask(&hosting, "sites.test", "/~proxy/Site1/a"), AddressOutcome::Here("a"));
    assert_eq!(site.ask(&hosting, "sites.test", "/~proxy/Site1"), AddressOutcome::Here(""));
    let without = Fixed::new(Site { proxy: None, ..all() });
    let elsewhere = AddressOutcome::Redirect("https://docs.acme.org/a?q=1".to_owned());
    assert_eq!(without.ask(&hosting, "sites.test", "/~proxy/Site1/a"), elsewhere, "there is no proxy");
}

#[rstest]
#[case("https://www.acme.org/docs/a", Some("a"))]
#[case("http://docs.acme.org/a/b?q=1#c", Some("a/b"))]
#[case("https://sites.test/s/acme/a", Some("a"))]
#[case("https://sites.test/a", Some("a"))]
#[case("https://acme-inc.docs.test.org/acme", Some(""))]
#[case("https://sites.test/~proxy/Site1/a", Some("a"))]
#[case("https://sites.test/s/other/a", None)]
#[case("https://www.acme.org/other/a", None)]
#[case("https://example.org/a", None)]
fn the_path_on_a_site_is_found_in_any_of_its_addresses(#[case] address: &str, #[case] path: Option<&str>) {
    let site = Fixed::new(all());
    let found = hosting(Some("acme"), true).within(site.located(), &address.parse().unwrap());
    assert_eq!(found.as_deref(), path);
}

#[test]
fn a_preview_is_found_by_the_site() {
    let read = hosting(None, false).read("sites.test", "/~preview/Site1/~/changes/4/a").clone();
    assert_eq!(read, Incoming::Preview { site: "Site1".parse().unwrap(), rest: "~/changes/4/a" });
}

#[test]
fn a_site_at_the_root_shares_it_with_other_sites_and_maybe_the_server() {
    let site = Fixed::new(Site::default());
    assert_eq!(hosting(None, false).reserved(site.located()), Reserved::Site);
    assert_eq!(hosting(Some("acme"), false).reserved(site.located()), Reserved::Root);
    let url = "https://sites.test/".parse().unwrap();
    let shared = Hosting::new(&url, &url, Some("acme".to_owned()), None);
    assert_eq!(shared.reserved(site.located()), Reserved::Shared);
    let elsewhere = Fixed::new(Site { proxy: None, ..all() });
    assert_eq!(shared.reserved(elsewhere.located()), Reserved::Site, "its canonical address is another one");
}

#[rstest]
#[case("docs.acme.org", true)]
#[case("sites.test", false)]
#[case("API.test", false)]
#[case("docs.test.org", false)]
#[case("acme.docs.test.org", false)]
#[case("a.b.docs.test.org", false)]
#[case("otherdocs.test.org", true)]
fn a_host_of_the_server_is_of_no_site(#[case] host: &str, #[case] fine: bool) {
    assert_eq!(hosting(None, true).admits(host).is_ok(), fine);
}

#[rstest]
#[case("*.docs.example.org", true)]
#[case("*.example.org", true)]
#[case("docs.example.org", false)]
#[case("*.", false)]
#[case("*.*.example.org", false)]
#[case("*.example.org:80", false)]
fn a_wildcard_host_is_checked(#[case] raw: &str, #[case] fine: bool) {
    assert_eq!(raw.parse::<WildcardHost>().is_ok_and(|host| host.to_string() == raw), fine);
}

/// The site and the rest that an address of a client leads to.
fn look_up(site: &Fixed, hosting: &Hosting, url: &str) -> Option<Result<String, String>> {
    let url: Url = url.parse().unwrap();
    let arrivals = hosting.read_url(&url);
    let found = arrivals.iter().find(|candidate| site.found_by(hosting, &candidate.key))?;
    match hosting.outcome(found, Some(site.located()), url.query()) {
        AddressOutcome::Here(rest) => Some(Ok(rest.to_owned())),
        AddressOutcome::Redirect(to) => Some(Err(to)),
        AddressOutcome::Nothing | AddressOutcome::UnknownHost => None,
    }
}

#[test]
fn the_address_of_a_client_is_read_with_the_path_of_the_server_and_of_the_proxy() {
    let url = "https://acme.test/sites".parse().unwrap();
    let below = Hosting::new(&url, &url, None, None);
    let plain = Fixed::new(Site::default());
    assert_eq!(look_up(&plain, &below, "https://acme.test/sites/s/acme/a?x"), Some(Ok("a".to_owned())));
    assert_eq!(look_up(&plain, &below, "https://acme.test/s/acme/a"), None);
    let proxied = Fixed::new(all());
    assert_eq!(look_up(&proxied, &below, "https://www.acme.org/docs/a/b"), Some(Ok("a/b".to_owned())));
    assert_eq!(look_up(&proxied, &below, "https://www.acme.org/other/a"), None);
    let slash = Some(Err("https://www.acme.org/docs/".to_owned()));
    assert_eq!(look_up(&proxied, &below, "https://www.acme.org/docs"), slash);
    let elsewhere = Some(Err("https://www.acme.org/docs/a?x".to_owned()));
    assert_eq!(look_up(&proxied, &below, "https://docs.acme.org/a?x"), elsewhere);
}

proptest! {
    #[test]
    fn every_base_of_a_site_redirects_to_the_canonical_one_in_one_step(
        named in any::<bool>(), proxied in any::<bool>(), organized in any::<bool>(), root in any::<bool>(), wild in any::<bool>(),
        path in "([a-r]{1,3}/){0,3}[a-r]{0,3}",
    ) {
        let hosting = hosting(root.then_some("acme"), wild);
        let site = Fixed::new(Site {
            hostname: named.then(|| "docs.acme.org".parse().unwrap()),
            proxy: proxied.then(|| "www.acme.org/docs".parse().unwrap()),
            organization: organized.then(|| "acme-inc".to_owned()),
        });
        let canonical = hosting.canonical(site.located());
        for base in hosting.bases(site.located()) {
            let expected = if base == canonical { Ok(path.clone()) } else { Err(canonical.at(&path)) };
            prop_assert_eq!(look_up(&site, &hosting, &base.at(&path)), Some(expected));
        }
    }

    #[test]
    fn no_host_is_ever_repeated(host in "\\PC{0,30}", path in "/\\PC{0,30}") {
        let site = Fixed::new(Site::default());
        if let AddressOutcome::Redirect(to) = site.ask(&hosting(Some("acme"), true), &host, &path) {
            prop_assert!(to.starts_with("https://sites.test/"));
        }
    }
}
