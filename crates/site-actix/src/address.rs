//! The address of a request. It is parsed once: the choice of the driver stores it with the request.
use crate::guard;
use crate::reference;
use crate::site::SiteServer;
use actix_http::{Request, RequestHead};
use actix_web::http::header::HOST;
use actix_web::{HttpMessage, HttpRequest};
use std::sync::Arc;
use url::{Host, Url};

/// The address of a request, and what is known without the storage: an extension of each request of the driver.
#[derive(Clone, Debug)]
pub(crate) struct Address {
    /// The address for the domain. Its scheme is ignored.
    pub(crate) url: Arc<Url>,
    /// Whether it is of a site; `None` if that depends on whether a site has its host.
    pub(crate) is_of_site: Option<bool>,
    /// Whether its path is one of the reference of the API.
    pub(crate) has_reference_path: bool,
}

impl Address {
    /// The address of a request; `None` if it has no valid host.
    pub(crate) fn of(server: &SiteServer, request: &HttpRequest) -> Option<Self> {
        Self::stored_or(request, || Self::parse(server, request.head()))
    }

    /// Parses the address of a request; `None` if it has no valid host.
    pub(crate) fn parse(server: &SiteServer, head: &RequestHead) -> Option<Self> {
        let url = server.address_parser.parse(head)?;
        let is_of_site = guard::of_site(server, &url);
        let has_reference_path = reference::path(server, &url).is_some();
        Some(Self { url: Arc::new(url), is_of_site, has_reference_path })
    }

    /// Stores the address with its request, unless it is plainly of the API, which does not use it.
    pub(crate) fn store(&self, request: &Request) {
        if !self.is_plainly_of_api() {
            request.extensions_mut().insert(self.clone());
        }
    }

    fn stored_or(request: &HttpRequest, parse: impl FnOnce() -> Option<Self>) -> Option<Self> {
        let stored = request.extensions().get::<Self>().cloned();
        stored.or_else(parse)
    }

    /// Whether it is of the API, whichever sites there are.
    pub(crate) fn is_plainly_of_api(&self) -> bool {
        self.is_of_site == Some(false) && !self.has_reference_path
    }

    /// Whether it is of the reference of the API, whichever sites there are.
    pub(crate) fn is_plainly_of_reference(&self) -> bool {
        self.is_of_site == Some(false) && self.has_reference_path
    }
}

/// Parses the addresses of requests. Most have the host of all sites, which is parsed only once.
#[derive(Debug)]
pub(crate) struct AddressParser {
    /// The address of all sites.
    sites_url: Url,
    /// The `Host` of requests to it.
    host: String,
    /// The address of a request to it; `None` if its host cannot be one of a request.
    root: Option<Url>,
}

impl AddressParser {
    pub(crate) fn new(sites_url: &Url) -> Self {
        let name = sites_url.host_str().unwrap_or_default();
        let host = sites_url.port().map_or_else(|| name.to_owned(), |port| format!("{name}:{port}"));
        let root = Url::parse(&format!("http://{host}/")).ok();
        Self { sites_url: sites_url.clone(), host, root }
    }

    /// The address of a request for the domain; `None` if it has no valid host.
    pub(crate) fn parse(&self, head: &RequestHead) -> Option<Url> {
        let host = head.headers().get(HOST).and_then(|host| host.to_str().ok()).or_else(|| head.uri.host())?;
        let target = head.uri.path_and_query();
        let path = target.map_or("/", |target| target.as_str());
        if let Some(root) = self.root.as_ref().filter(|_| host == self.host && path.starts_with('/')) {
            let mut url = root.clone();
            if let Some(target) = target {
                url.set_path(target.path());
                url.set_query(target.query());
            }
            return Some(url);
        }
        let mut url = Url::parse(&format!("http://{host}{path}")).ok()?;
        // All names of this machine are the same.
        let own = &self.sites_url;
        if is_local(&url) && is_local(own) && url.host() != own.host() {
            url.set_host(own.host_str()).ok()?;
        }
        Some(url)
    }
}

/// Whether an address is of this machine.
fn is_local(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::test::TestRequest;
    use rstest::rstest;

    fn parse(sites_url: &str, host: &str, target: &str) -> Option<String> {
        let request = TestRequest::with_uri(target).insert_header((HOST, host)).to_request();
        AddressParser::new(&sites_url.parse().unwrap()).parse(request.head()).map(String::from)
    }

    #[rstest]
    fn an_address_of_the_known_host_is_parsed_like_any_other(
        #[values("https://docs.example.com", "https://docs.example.com:8443/sites", "http://[2001:db8::1]:80/")]
        sites_url: &str,
        #[values(
            "/",
            "/a/b?c=d",
            "/a/b?",
            "/a?b?c",
            "/a?b='c'&d=\\^|%22@",
            "//a//b",
            "/a/../b/./c/",
            "/../..",
            "/%2e%2E/a/.%2e",
            "/a\\..\\b",
            "/a\"b{c}^|~",
            "/caf%C3%A9@b:c",
            "*"
        )]
        target: &str,
    ) {
        let known: Url = sites_url.parse().unwrap();
        let port = known.port().map(|port| format!(":{port}")).unwrap_or_default();
        let host = format!("{}{port}", known.host_str().unwrap());
        let whole = Url::parse(&format!("http://{host}{target}")).ok().map(String::from);
        assert_eq!(parse(sites_url, &host, target), whole);
        assert_eq!(parse("https://other.example.com", &host, target), whole);
    }

    #[rstest]
    #[case::the_known_host("http://localhost:8080", "localhost:8080", Some("http://localhost:8080/a"))]
    #[case::its_port_stays("http://localhost:8080", "localhost:9090", Some("http://localhost:9090/a"))]
    #[case::another_name_of_this_machine("http://localhost:8080", "127.0.0.1:9090", Some("http://localhost:9090/a"))]
    #[case::another_version("http://127.0.0.1:8080", "[::1]", Some("http://127.0.0.1/a"))]
    #[case::to_an_address("http://[::1]:8080", "localhost:8080", Some("http://[::1]:8080/a"))]
    #[case::in_capital_letters("http://localhost:8080", "LOCALHOST:8080", Some("http://localhost:8080/a"))]
    #[case::the_sites_are_elsewhere("https://docs.example.com", "127.0.0.1:8080", Some("http://127.0.0.1:8080/a"))]
    #[case::another_host("http://localhost:8080", "docs.example.com", Some("http://docs.example.com/a"))]
    #[case::capital_letters("https://docs.example.com", "Docs.Example.com", Some("http://docs.example.com/a"))]
    #[case::the_default_port("https://docs.example.com", "docs.example.com:80", Some("http://docs.example.com/a"))]
    #[case::a_port_of_another_scheme(
        "https://docs.example.com",
        "docs.example.com:443",
        Some("http://docs.example.com:443/a")
    )]
    #[case::no_valid_host("https://docs.example.com", "a b", None)]
    fn the_names_of_this_machine_are_one_host(
        #[case] sites_url: &str,
        #[case] host: &str,
        #[case] expected: Option<&str>,
    ) {
        assert_eq!(parse(sites_url, host, "/a").as_deref(), expected);
    }

    #[rstest]
    #[case::of_a_site(Some(true), false, true)]
    #[case::perhaps_of_a_site(None, false, true)]
    #[case::of_the_reference(Some(false), true, true)]
    #[case::of_the_api(Some(false), false, false)]
    fn the_address_is_stored_with_a_request_of_this_driver(
        #[case] is_of_site: Option<bool>,
        #[case] has_reference_path: bool,
        #[case] stored: bool,
    ) {
        let address = Address { url: Arc::new("http://a.test/b".parse().unwrap()), is_of_site, has_reference_path };
        let request = TestRequest::default().to_request();
        address.store(&request);
        assert_eq!(request.extensions().get::<Address>().is_some(), stored);
    }

    #[test]
    fn the_address_that_is_stored_with_a_request_is_not_parsed_again() {
        let address =
            Address { url: Arc::new("http://a.test/b".parse().unwrap()), is_of_site: None, has_reference_path: false };
        let request = TestRequest::default().to_http_request();
        let parsed = Address::stored_or(&request, || Some(address.clone())).unwrap();
        assert!(Arc::ptr_eq(&parsed.url, &address.url), "nothing is stored");
        request.extensions_mut().insert(address.clone());
        let stored = Address::stored_or(&request, || unreachable!("it is stored")).unwrap();
        assert!(Arc::ptr_eq(&stored.url, &address.url));
    }
}
