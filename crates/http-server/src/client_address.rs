//! The client's address and user agent.
use crate::network::Network;
use actix_web::HttpRequest;
use actix_web::http::header::{HeaderName, USER_AGENT};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// The client's address. `X-Forwarded-For` is trusted as far as `trusted` proxies wrote it: the client is its last
/// entry that is not a trusted proxy.
pub fn client_address(request: &HttpRequest, trusted: &[Network]) -> IpAddr {
    let peer = request.peer_addr().map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |address| address.ip().to_canonical());
    let is_trusted = |address: IpAddr| trusted.iter().any(|network| network.contains(address));
    let mut client = peer;
    let lists = request.headers().get_all(FORWARDED_FOR).filter_map(|list| list.to_str().ok()).collect::<Vec<_>>();
    for entry in lists.iter().rev().flat_map(|list| list.rsplit(',')) {
        if !is_trusted(client) {
            break;
        }
        let Ok(address) = entry.trim().parse::<IpAddr>() else { break };
        client = address.to_canonical();
    }
    client
}

/// The maximum number of characters of the user agent that are stored.
const MAX_USER_AGENT: usize = 500;

/// The `User-Agent` of the client, without control characters, truncated to the stored length.
pub fn user_agent(request: &HttpRequest) -> Option<String> {
    let told = request.headers().get(USER_AGENT).map(|value| String::from_utf8_lossy(value.as_bytes()));
    told.map(|told| told.chars().filter(|char| !char.is_control()).take(MAX_USER_AGENT).collect())
}

/// The network of a client, which shares one budget: an IPv4 address, or the /64 network of an IPv6 address.
pub fn client_network(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & (u128::MAX << 64))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::test::TestRequest;
    use rstest::rstest;

    #[rstest]
    #[case::direct("203.0.113.9", &[], "203.0.113.9")]
    #[case::forged("203.0.113.9", &["198.51.100.1"], "203.0.113.9")]
    #[case::behind_a_proxy("10.0.0.1", &["198.51.100.1"], "198.51.100.1")]
    #[case::forged_behind_a_proxy("10.0.0.1", &["1.1.1.1, 198.51.100.1"], "198.51.100.1")]
    #[case::two_proxies("10.0.0.1", &["1.1.1.1, 198.51.100.1, 10.0.0.2"], "198.51.100.1")]
    #[case::several_headers("10.0.0.1", &["198.51.100.1", "10.0.0.2"], "198.51.100.1")]
    #[case::junk("10.0.0.1", &["junk"], "10.0.0.1")]
    fn only_trusted_proxies_determine_the_client_address(
        #[case] peer: &str,
        #[case] headers: &[&str],
        #[case] client: &str,
    ) {
        let mut request = TestRequest::default().peer_addr((peer.parse::<IpAddr>().unwrap(), 1).into());
        for value in headers {
            request = request.append_header((FORWARDED_FOR, *value));
        }
        let trusted = ["10.0.0.0/8".parse().unwrap()];
        assert_eq!(client_address(&request.to_http_request(), &trusted), client.parse::<IpAddr>().unwrap());
    }

    #[test]
    fn the_user_agent_is_stored_short_and_without_control_characters() {
        let request = TestRequest::default().insert_header((USER_AGENT, format!("curl/8\t{}", "x".repeat(600))));
        let told = user_agent(&request.to_http_request()).unwrap();
        assert!(told.starts_with("curl/8x") && told.len() == 500, "{told}");
        assert_eq!(user_agent(&TestRequest::default().to_http_request()), None);
    }

    #[test]
    fn the_addresses_of_one_ipv6_network_are_one() {
        let of = |address: &str| client_network(address.parse().unwrap());
        assert_eq!(of("2001:db8::1"), of("2001:db8::2"));
        assert_ne!(of("2001:db8:0:1::1"), of("2001:db8::1"));
        assert_ne!(of("10.0.0.1"), of("10.0.0.2"));
    }
}
