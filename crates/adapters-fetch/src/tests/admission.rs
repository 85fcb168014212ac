//! Which addresses are allowed.
use super::ScriptedResolver;
use crate::admission::{AddressCheck, Rule};
use crate::networks::{inside, public};
use crate::refused_hosts::OwnEndpoints;
use crate::target;
use domain::ports::FetchError;
use rstest::rstest;
use std::sync::Arc;

/// The result for an address whose host name resolves to these addresses.
async fn check(rule: Rule, own: &[(&str, u16)], raw: &str, resolved: &[&str]) -> Result<(), FetchError> {
    let names = Arc::new(ScriptedResolver::one_after_another(&[resolved]));
    let own = OwnEndpoints(own.iter().map(|(host, port)| ((*host).to_owned(), *port)).collect());
    AddressCheck { rule, own, names }.admit(&target::parse(raw)?).await.map(drop)
}

#[rstest]
#[case("93.184.215.14")]
#[case("1.1.1.1")]
#[case("9.255.255.255")]
#[case("11.0.0.0")]
#[case("100.63.255.255")]
#[case("100.128.0.0")]
#[case("126.255.255.255")]
#[case("128.0.0.0")]
#[case("168.63.129.17")]
#[case("169.253.255.255")]
#[case("169.255.0.0")]
#[case("172.15.255.255")]
#[case("172.32.0.0")]
#[case("192.0.1.0")]
#[case("192.167.255.255")]
#[case("192.169.0.0")]
#[case("198.17.255.255")]
#[case("198.20.0.0")]
#[case("223.255.255.255")]
#[case("[2606:2800:21f:cb07:6820:80da:af6b:8b2c]")]
#[case("[2001:200::1]")]
#[case("[2a00:1450:4001:80b::200e]")]
#[tokio::test]
async fn a_public_address_is_allowed(#[case] host: &str) {
    for url in [format!("http://{host}/a"), format!("https://{host}/"), format!("http://{host}:443/")] {
        assert_eq!(check(public, &[], &url, &[]).await, Ok(()), "{url}");
        assert_eq!(check(inside, &[], &url, &[]).await, Ok(()), "{url}");
    }
}

#[rstest]
#[case("127.0.0.1")]
#[case("127.1")]
#[case("127.255.255.254")]
#[case("2130706433")]
#[case("0x7f000001")]
#[case("0x7f.1")]
#[case("0177.0.0.1")]
#[case("017700000001")]
#[case("①②⑦.0.0.1")]
#[case("127。0。0。1")]
#[case("127.0.0.1.")]
#[case("10.0.0.1")]
#[case("172.16.0.1")]
#[case("172.31.255.255")]
#[case("192.168.1.1")]
#[case("100.64.0.1")]
#[case("100.127.255.255")]
#[case("[::1]")]
#[case("[fc00::1]")]
#[case("[fdff::1]")]
#[case("[::ffff:127.0.0.1]")]
#[case("[::ffff:a00:1]")]
#[tokio::test]
async fn a_private_address_is_allowed_only_by_the_operator(#[case] host: &str) {
    let url = format!("http://{host}/");
    assert_eq!(check(public, &[], &url, &[]).await, Err(FetchError::Private));
    assert_eq!(check(inside, &[], &url, &[]).await, Ok(()));
}

#[rstest]
#[case("0")]
#[case("0.0.0.0")]
#[case("0.255.255.255")]
#[case("169.254.169.254")]
#[case("0xa9fea9fe")]
#[case("100.100.100.200")]
#[case("168.63.129.16")]
#[case("192.0.0.192")]
#[case("224.0.0.1")]
#[case("239.255.255.250")]
#[case("240.0.0.1")]
#[case("255.255.255.255")]
#[case("[::]")]
#[case("[::127.0.0.1]")]
#[case("[::ffff:a9fe:a9fe]")]
#[case("[64:ff9b::7f00:1]")]
#[case("[64:ff9b::808:808]")]
#[case("[64:ff9b:1::1]")]
#[case("[100::1]")]
#[case("[2001::1]")]
#[case("[2001:1ff::1]")]
#[case("[2001:db8::1]")]
#[case("[2002:7f00:1::]")]
#[case("[2620:4f:8000::1]")]
#[case("[3fff:fff::1]")]
#[case("[5f00::1]")]
#[case("[fd00:ec2::254]")]
#[case("[fe80::1]")]
#[case("[fec0::1]")]
#[case("[ff02::1]")]
#[tokio::test]
async fn some_addresses_are_always_refused(#[case] host: &str) {
    let url = format!("http://{host}/");
    assert_eq!(check(public, &[], &url, &[]).await, Err(FetchError::Private));
    assert_eq!(check(inside, &[], &url, &[]).await, Err(FetchError::Private));
}

#[rstest]
#[case("192.0.2.1")]
#[case("198.18.0.1")]
#[case("198.19.255.255")]
#[case("198.51.100.1")]
#[case("203.0.113.1")]
#[case("192.88.99.1")]
#[tokio::test]
async fn a_reserved_address_is_not_public(#[case] host: &str) {
    assert_eq!(check(public, &[], &format!("http://{host}/"), &[]).await, Err(FetchError::Private));
}

#[rstest]
#[case(&["93.184.215.14"], Ok(()))]
#[case(&["93.184.215.14", "2606:2800:21f:cb07:6820:80da:af6b:8b2c"], Ok(()))]
#[case(&["93.184.215.14", "::1"], Err(FetchError::Private))]
#[case(&["93.184.215.14", "10.0.0.1"], Err(FetchError::Private))]
#[case(&["169.254.169.254"], Err(FetchError::Private))]
#[case(&["::ffff:127.0.0.1"], Err(FetchError::Private))]
#[case(&[], Err(FetchError::Private))]
#[tokio::test]
async fn every_address_of_a_name_is_checked(#[case] resolved: &[&str], #[case] said: Result<(), FetchError>) {
    assert_eq!(check(public, &[], "https://docs.example.org/", resolved).await, said);
}

#[tokio::test]
async fn errors_do_not_reveal_whether_a_private_name_exists() {
    let said = async |port: u16, resolved: &[&str]| {
        check(public, &[], &format!("http://intranet.example.org:{port}/"), resolved).await.unwrap_err()
    };
    for port in [80, 5432] {
        let (resolved, unknown) = (said(port, &["10.0.0.1"]).await, said(port, &[]).await);
        assert_eq!(resolved, unknown);
        assert_eq!(resolved.to_string(), unknown.to_string());
    }
}

#[rstest]
#[case("localhost")]
#[case("localhost.")]
#[case("LOCALHOST")]
#[tokio::test]
async fn the_name_of_this_machine_is_resolved_and_refused(#[case] host: &str) {
    let gate =
        AddressCheck { rule: public, own: OwnEndpoints(Vec::new()), names: Arc::new(crate::admission::SystemResolver) };
    let said = gate.admit(&target::parse(&format!("http://{host}/")).unwrap()).await;
    assert!(matches!(said, Err(FetchError::Private)), "{said:?}");
}

#[tokio::test]
async fn ports_of_other_services_are_refused() {
    let refused = check(public, &[], "http://93.184.215.14:22/", &[]).await;
    assert_eq!(refused, Err(FetchError::Port));
    assert_eq!(check(inside, &[], "http://93.184.215.14:8080/", &[]).await, Ok(()));
}

#[rstest]
#[case("127.0.0.1", 8080, Err(FetchError::Private))]
#[case("127.0.0.1", 8081, Ok(()))]
#[case("[::ffff:127.0.0.1]", 8080, Err(FetchError::Private))]
#[case("127.0.0.2", 9090, Err(FetchError::Private))]
#[case("10.1.2.3", 5432, Err(FetchError::Private))]
#[case("10.1.2.4", 5432, Ok(()))]
#[tokio::test]
async fn addresses_of_the_instance_are_refused(
    #[case] host: &str,
    #[case] port: u16,
    #[case] said: Result<(), FetchError>,
) {
    let own = [("127.0.0.1", 8080), ("0.0.0.0", 9090), ("database", 5432)];
    assert_eq!(check(inside, &own, &format!("http://{host}:{port}/"), &["10.1.2.3"]).await, said);
}

#[rstest]
#[case("file:///etc/passwd", FetchError::Scheme)]
#[case("gopher://example.org/", FetchError::Scheme)]
#[case("ftp://example.org/", FetchError::Scheme)]
#[case("data:text/plain,a", FetchError::Scheme)]
#[case("unix:/run/docker.sock", FetchError::Scheme)]
#[case("//example.org/", FetchError::Scheme)]
#[case("example.org", FetchError::Scheme)]
#[case("", FetchError::Scheme)]
#[case("http://ada@example.org/", FetchError::Address("must not hold a user name or a password"))]
#[case("http://:secret@example.org/", FetchError::Address("must not hold a user name or a password"))]
#[case("http://example.org\\@127.0.0.1/", FetchError::Address("must not hold spaces or backslashes"))]
#[case("http://exa\tmple.org/", FetchError::Address("must not hold spaces or backslashes"))]
#[case("http://example.org/\n", FetchError::Address("must not hold spaces or backslashes"))]
#[case(" http://example.org/", FetchError::Address("must not hold spaces or backslashes"))]
#[case("http://[fe80::1%25eth0]/", FetchError::Address("is not a valid URL"))]
#[case("http://256.256.256.256/", FetchError::Address("is not a valid URL"))]
#[case("http://", FetchError::Address("is not a valid URL"))]
fn an_odd_address_is_refused_before_anything_is_resolved(#[case] raw: &str, #[case] said: FetchError) {
    assert_eq!(target::parse(raw), Err(said));
}

#[test]
fn a_fragment_is_not_part_of_the_host() {
    assert_eq!(target::parse("http://127.0.0.1#@example.org/").unwrap().host_str(), Some("127.0.0.1"));
}
