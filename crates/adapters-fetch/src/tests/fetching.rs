//! Handling of responses, with a server on loopback addresses: 127.0.0.1 is the public internet here, and 127.0.0.2 the
//! operator's network.
use super::ScriptedResolver;
use crate::admission::Resolver;
use crate::{FetchOptions, HttpFetcher, REFUSAL, networks};
use domain::ports::{FetchError, FetchRequest, Fetched, Fetcher};
use rstest::rstest;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

const OUTSIDE: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

pub(super) fn loopback_rule(address: SocketAddr) -> Result<(), FetchError> {
    if address.ip() == OUTSIDE { Ok(()) } else { networks::public(address) }
}

/// A server with a counter of connections.
pub(super) struct Site {
    address: SocketAddr,
    connections: Arc<AtomicUsize>,
}

impl Site {
    /// Responds to each request with the result of a function of its path and head.
    pub(super) async fn open(ip: &str, answer: fn(&str, &str) -> Vec<u8>) -> Self {
        let listener = TcpListener::bind((ip, 0)).await.unwrap();
        let (address, connections) = (listener.local_addr().unwrap(), Arc::new(AtomicUsize::new(0)));
        let counted = connections.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                counted.fetch_add(1, Ordering::SeqCst);
                tokio::spawn(serve_connection(stream, answer));
            }
        });
        Self { address, connections }
    }

    pub(super) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub(super) fn port(&self) -> u16 {
        self.address.port()
    }

    pub(super) fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }
}

/// Serves one connection. A response that ends with `…` stays open.
async fn serve_connection(mut stream: TcpStream, answer: fn(&str, &str) -> Vec<u8>) {
    let Ok(first) = stream.read_u8().await else { return };
    if !first.is_ascii_alphabetic() {
        let _gone = stream.write_all(b"HTTP/1.1 400 Speak HTTP\r\n\r\n").await;
        return;
    }
    let mut head = vec![first];
    while !head.ends_with(b"\r\n\r\n") {
        match stream.read_u8().await {
            Ok(byte) => head.push(byte),
            Err(_) => return,
        }
    }
    let head = String::from_utf8(head).unwrap();
    let answer = answer(head.split(' ').nth(1).unwrap(), &head);
    let endless = answer.strip_suffix("…".as_bytes());
    let _gone = stream.write_all(endless.unwrap_or(&answer)).await;
    if endless.is_some() {
        std::future::pending::<()>().await;
    }
}

pub(super) fn ok(headers: &str, body: &str) -> Vec<u8> {
    format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n{headers}\r\n{body}", body.len()).into()
}

pub(super) fn to(status: u16, location: &str) -> Vec<u8> {
    format!("HTTP/1.1 {status} Moved\r\nContent-Length: 0\r\nLocation: {location}\r\n\r\n").into()
}

pub(super) fn fetcher() -> HttpFetcher {
    HttpFetcher::with(loopback_rule, Arc::new(ScriptedResolver::one_after_another(&[&["127.0.0.1"]])), Vec::new())
}

async fn fetch(fetcher: &HttpFetcher, url: String) -> Result<Fetched, FetchError> {
    fetcher.fetch(FetchRequest { url, max_bytes: 1000, timeout: None }).await
}

#[tokio::test]
async fn a_file_is_fetched_with_its_type_and_without_identifying_headers() {
    let site = Site::open("127.0.0.1", |path, head| {
        assert_eq!(path, "/a.png?b=1");
        ok("Content-Type: image/png\r\n", &head.to_lowercase())
    });
    let fetched = fetch(&fetcher(), site.await.url("/a.png?b=1#c")).await.unwrap();
    assert_eq!(fetched.content_type.as_deref(), Some("image/png"));
    let head = String::from_utf8(fetched.bytes.to_vec()).unwrap();
    let mut names: Vec<&str> = head.lines().skip(1).filter_map(|line| line.split(':').next()).collect();
    names.retain(|name| !name.is_empty());
    names.sort_unstable();
    assert_eq!(names, ["accept", "accept-encoding", "host", "user-agent"], "{head}");
    assert!(head.contains("accept-encoding: identity") && head.contains("user-agent: octavo/"), "{head}");
}

#[rstest]
#[case(301)]
#[case(302)]
#[case(303)]
#[case(307)]
#[case(308)]
#[tokio::test]
async fn a_redirect_to_a_private_address_is_refused_without_a_request(#[case] status: u16) {
    let inside = Site::open("127.0.0.2", |_, _| ok("", "secret")).await;
    let outside = Site::open("127.0.0.1", |path, _| {
        let (status, location) = path[1..].split_once('/').unwrap();
        to(status.parse().unwrap(), location)
    })
    .await;
    let refused = fetch(&fetcher(), outside.url(&format!("/{status}/{}", inside.url("/")))).await;
    assert_eq!(refused, Err(FetchError::Private));
    assert_eq!(inside.connections(), 0);
}

#[rstest]
#[case("/3", Ok("here"))]
#[case("/4", Err(FetchError::Redirects(3)))]
#[case("/for-ever", Err(FetchError::Redirects(3)))]
#[case("/nowhere", Err(FetchError::Redirects(3)))]
#[case("/file", Err(FetchError::Scheme))]
#[case("/user", Err(FetchError::Address("must not hold a user name or a password")))]
#[case("/missing", Err(FetchError::Status(404)))]
#[case("/unchanged", Err(FetchError::Status(304)))]
#[case("/broken", Err(FetchError::Status(500)))]
#[tokio::test]
async fn redirects_are_followed_three_times(#[case] path: &str, #[case] end: Result<&'static str, FetchError>) {
    let site = Site::open("127.0.0.1", |path, _| match path {
        "/4" => to(302, "/3"),
        "/3" => to(302, "2"),
        "/2" => to(301, "?again"),
        "/2?again" => to(308, "/1"),
        "/for-ever" => to(307, "/for-ever"),
        "/nowhere" => "HTTP/1.1 302 Found\r\nContent-Length: 0\r\n\r\n".into(),
        "/file" => to(302, "file:///etc/passwd"),
        "/user" => to(302, "http://ada:secret@127.0.0.1/"),
        "/missing" => "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n".into(),
        "/unchanged" => "HTTP/1.1 304 Not Modified\r\n\r\n".into(),
        "/broken" => "HTTP/1.1 500 Oh\r\nContent-Length: 0\r\n\r\n".into(),
        _ => ok("", "here"),
    })
    .await;
    let said = fetch(&fetcher(), site.url(path)).await;
    assert_eq!(said.map(|fetched| fetched.bytes), end.map(Into::into));
}

#[rstest]
#[case("/exactly", None)]
#[case("/announced", Some(FetchError::TooLarge(1000)))]
#[case("/chunked", Some(FetchError::TooLarge(1000)))]
#[case("/endless", Some(FetchError::TooLarge(1000)))]
#[case("/compressed", Some(FetchError::Encoded))]
#[case("/not-compressed", None)]
#[case("/cut", Some(FetchError::Connection))]
#[case("/not-http", Some(FetchError::Connection))]
#[tokio::test]
async fn a_body_is_taken_up_to_its_limit_and_whole(#[case] path: &str, #[case] fault: Option<FetchError>) {
    let site = Site::open("127.0.0.1", |path, _| match path {
        "/exactly" => ok("", &"a".repeat(1000)),
        "/announced" => "HTTP/1.1 200 OK\r\nContent-Length: 1001\r\n\r\n…".into(),
        "/chunked" => {
            let chunk = format!("100\r\n{}\r\n", "a".repeat(256)).repeat(4);
            format!("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{chunk}…").into()
        }
        "/endless" => format!("HTTP/1.1 200 OK\r\n\r\n{}…", "a".repeat(1001)).into(),
        "/compressed" => ok("Content-Encoding: gzip\r\n", "a"),
        "/not-compressed" => ok("Content-Encoding: identity\r\n", "a"),
        "/cut" => "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\na".into(),
        _ => "SSH-2.0-OpenSSH_9.2\r\n".into(),
    })
    .await;
    assert_eq!(fetch(&fetcher(), site.url(path)).await.err(), fault);
}

#[rstest]
#[case("/silent")]
#[case("/slow-head")]
#[case("/slow-body")]
#[tokio::test]
async fn a_host_that_does_not_finish_times_out(#[case] path: &str) {
    let site = Site::open("127.0.0.1", |path, _| match path {
        "/silent" => "…".into(),
        "/slow-head" => "HTTP/1.1 200 OK\r\nX: …".into(),
        _ => "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\na…".into(),
    })
    .await;
    let request = FetchRequest { url: site.url(path), max_bytes: 1000, timeout: Some(Duration::from_millis(100)) };
    assert_eq!(fetcher().fetch(request).await, Err(FetchError::Timeout));
}

#[tokio::test]
async fn a_name_is_resolved_once_and_the_address_is_pinned() {
    let outside = Site::open("127.0.0.1", |_, _| ok("", "public")).await;
    let names = Arc::new(ScriptedResolver::one_after_another(&[&["127.0.0.1"], &["127.0.0.2"]]));
    let fetcher = HttpFetcher::with(loopback_rule, names.clone() as Arc<dyn Resolver>, Vec::new());
    let url = format!("http://rebinding.test:{}/", outside.address.port());
    assert_eq!(fetch(&fetcher, url.clone()).await.unwrap().bytes, "public");
    assert_eq!(names.asked.load(Ordering::SeqCst), 1);
    assert_eq!(fetch(&fetcher, url).await, Err(FetchError::Private), "the next fetch looks anew");
}

#[tokio::test]
async fn a_refusal_does_not_reveal_the_time_of_the_lookup() {
    let began = std::time::Instant::now();
    let refused = async |resolved: &[&str]| {
        let names = Arc::new(ScriptedResolver::one_after_another(&[resolved]));
        let fetcher = HttpFetcher::with(networks::public, names as Arc<dyn Resolver>, Vec::new());
        let said = fetch(&fetcher, "http://intranet.example.org/".to_owned()).await;
        (said, began.elapsed() >= REFUSAL)
    };
    let (private, unknown) = tokio::join!(refused(&["10.0.0.1"]), refused(&[]));
    assert_eq!((private.0.unwrap_err(), private.1), (FetchError::Private, true));
    assert_eq!((unknown.0.unwrap_err(), unknown.1), (FetchError::Private, true));
}

#[tokio::test]
async fn a_host_with_an_invalid_certificate_is_refused() {
    let site = Site::open("127.0.0.1", |_, _| ok("", "plain")).await;
    let url = site.url("/").replace("http://", "https://");
    let said = fetch(&fetcher(), url).await;
    assert!(matches!(said, Err(FetchError::Tls | FetchError::Unable(_))), "{said:?}");
}

#[tokio::test]
async fn a_refused_connection_is_unreachable() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    drop(listener);
    assert_eq!(fetch(&fetcher(), url).await, Err(FetchError::Connection));
}

#[rstest]
#[case(false, Err(FetchError::Private))]
#[case(true, Ok("inside"))]
#[tokio::test]
async fn the_operator_can_allow_private_addresses(
    #[case] allow_private: bool,
    #[case] said: Result<&'static str, FetchError>,
) {
    let site = Site::open("127.0.0.1", |_, _| ok("", "inside")).await;
    let fetcher = HttpFetcher::new(FetchOptions { allow_private, own: Vec::new() });
    assert_eq!(fetch(&fetcher, site.url("/")).await.map(|fetched| fetched.bytes), said.map(Into::into));
    assert_eq!(site.connections(), usize::from(allow_private));
}

#[tokio::test]
async fn the_instance_does_not_fetch_from_itself() {
    let site = Site::open("127.0.0.1", |_, _| ok("", "mine")).await;
    let own = vec![("0.0.0.0".to_owned(), site.address.port())];
    let fetcher = HttpFetcher::new(FetchOptions { allow_private: true, own });
    assert_eq!(fetch(&fetcher, site.url("/")).await, Err(FetchError::Private));
    assert_eq!(site.connections(), 0);
}
