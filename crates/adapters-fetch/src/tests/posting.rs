//! Requests that send a body, to a server on loopback addresses: 127.0.0.1 is the public internet here.
use super::ScriptedResolver;
use super::fetching::{Site, fetcher, ok, to};
use crate::admission::Resolver;
use crate::{FetchOptions, HttpFetcher};
use domain::ports::{FetchError, Fetcher, PostRequest, Posted};
use rstest::rstest;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::time::Instant;

fn request(url: String) -> PostRequest {
    PostRequest { url, headers: vec![("X-One", "1".to_owned())], body: "a body".into(), read: 10 }
}

async fn post(url: String) -> Result<Posted, FetchError> {
    fetcher().post(request(url)).await
}

#[tokio::test]
async fn a_body_is_sent_with_its_headers_and_without_identifying_headers() {
    let site = Site::open("127.0.0.1", |path, head| {
        assert_eq!(path, "/hook?b=1");
        let head = head.to_lowercase();
        assert!(head.starts_with("post ") && head.contains("x-one: 1") && head.contains("content-length: 6"), "{head}");
        assert!(!["cookie", "authorization", "referer"].iter().any(|name| head.contains(name)), "{head}");
        ok("", "thanks")
    })
    .await;
    let posted = post(site.url("/hook?b=1")).await.unwrap();
    assert_eq!(posted, Posted { status: 200, body: "thanks".into() });
}

#[rstest]
#[case::a_redirect("/moved", 302, "")]
#[case::a_redirect_that_keeps_the_method("/kept", 307, "")]
#[case::an_error("/broken", 500, "no")]
#[case::a_long_body("/long", 200, "aaaaaaaaaa")]
#[case::a_body_that_breaks_off("/cut", 200, "a")]
#[tokio::test]
async fn the_status_and_the_beginning_of_the_body_are_returned(
    #[case] path: &str,
    #[case] status: u16,
    #[case] body: &'static str,
) {
    let site = Site::open("127.0.0.1", |path, _| match path {
        "/moved" => to(302, "/elsewhere"),
        "/kept" => to(307, "/elsewhere"),
        "/broken" => b"HTTP/1.1 500 Broken\r\nContent-Length: 2\r\n\r\nno".to_vec(),
        "/long" => ok("", &"a".repeat(100_000)),
        "/cut" => b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\na".to_vec(),
        _ => panic!("a redirect was followed"),
    })
    .await;
    assert_eq!(post(site.url(path)).await, Ok(Posted { status, body: body.into() }));
    assert_eq!(site.connections(), 1);
}

#[rstest]
#[case::no_head("/silent", 100, Err(FetchError::Timeout))]
// Long enough for the head on a busy machine.
#[case::no_end_of_the_body("/slow-body", 3000, Ok(Posted { status: 200, body: "a".into() }))]
#[tokio::test]
async fn the_time_limit_ends_an_unfinished_response(
    #[case] path: &str,
    #[case] milliseconds: u64,
    #[case] expected: Result<Posted, FetchError>,
) {
    let site = Site::open("127.0.0.1", |path, _| match path {
        "/silent" => "…".into(),
        _ => "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\na…".into(),
    })
    .await;
    let end = Instant::now() + Duration::from_millis(milliseconds);
    assert_eq!(fetcher().post_until(end, request(site.url(path))).await, expected);
}

#[rstest]
#[case("http://127.0.0.1/", FetchError::Private)]
#[case("http://[::1]/", FetchError::Private)]
#[case("ftp://127.0.0.1/", FetchError::Scheme)]
#[tokio::test]
async fn an_address_is_checked_as_for_a_fetch(#[case] url: &str, #[case] refused: FetchError) {
    let fetcher = HttpFetcher::new(FetchOptions::default());
    assert_eq!(fetcher.post(request(url.to_owned())).await, Err(refused));
}

#[tokio::test]
async fn a_name_of_the_operators_network_gets_no_request() {
    let site = Site::open("127.0.0.2", |_, _| ok("", "inside")).await;
    let names = Arc::new(ScriptedResolver::one_after_another(&[&["127.0.0.2"]]));
    let fetcher = HttpFetcher::with(super::fetching::loopback_rule, names as Arc<dyn Resolver>, Vec::new());
    let url = format!("http://intranet.test:{}/", site.port());
    assert_eq!(fetcher.post(request(url)).await, Err(FetchError::Private));
    assert_eq!(site.connections(), 0);
}

#[tokio::test]
async fn a_receiver_that_does_not_listen_is_unreachable() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    drop(listener);
    assert_eq!(post(url).await, Err(FetchError::Connection));
}
