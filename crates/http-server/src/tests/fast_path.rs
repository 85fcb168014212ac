//! Cached responses that connections send themselves.
use super::Small;
use super::socket::{talk, with_fast_path, with_server};
use crate::{Answer, AsOf, CacheKey, Expiring, FastPath, PendingResponse, ResponseCache, ServerOptions};
use actix_http::RequestHead;
use actix_web::Responder;
use actix_web::dev::ServiceResponse;
use actix_web::test::TestRequest;
use chrono::{DateTime, Utc};
use futures_util::FutureExt;
use rstest::rstest;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::task::yield_now;
use tokio::time::{Instant, sleep, timeout};

/// The time limit of a test.
const MOST: Duration = Duration::from_secs(60);
/// The size of a response that does not fit into the buffers of a connection, in bytes.
const MUCH: usize = 4 << 20;

/// A caller whose responses are always valid.
#[derive(Clone)]
struct Anyone;

impl Expiring for Anyone {
    fn expires_at(&self) -> Option<DateTime<Utc>> {
        None
    }
}

/// Responses to some paths, and how often one was looked for and found.
struct Pages {
    cache: ResponseCache<(), Anyone>,
    /// The path whose response is no longer valid.
    outdated: &'static str,
    found: AtomicUsize,
}

impl Pages {
    fn new() -> Arc<Self> {
        let cache = ResponseCache::new(1 << 30);
        let as_of = AsOf { stamp: 1, at: DateTime::UNIX_EPOCH };
        let bodies = [("/page", "a page".to_owned()), ("/alive", "outdated".to_owned()), ("/much", "y".repeat(MUCH))];
        for (path, body) in bodies {
            let request = TestRequest::with_uri(path).to_http_request();
            let key = CacheKey::of(request.head(), ()).unwrap();
            let response = Answer::new("text/html", body).respond_to(&request);
            cache.store(key.clone(), as_of, Anyone, ServiceResponse::new(request, response));
            assert!(cache.peek(&key).is_some(), "{path} is cached");
        }
        Arc::new(Self { cache, outdated: "/alive", found: AtomicUsize::new(0) })
    }
}

impl FastPath for Pages {
    fn find(&self, request: &RequestHead) -> Option<PendingResponse> {
        let found = self.cache.peek(&CacheKey::of(request, ())?)?;
        self.found.fetch_add(1, SeqCst);
        let response = found.respond_fast(&Small, request, request.uri.path().into());
        let is_valid = request.uri.path() != self.outdated;
        let finding = async move {
            yield_now().await;
            is_valid.then_some(response)
        };
        Some(finding.boxed_local())
    }
}

fn get(path: &str, headers: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nHost: a\r\n{headers}\r\n")
}

/// Ends the connection.
const CLOSE: &str = "Connection: close\r\n";

/// The lines of responses in an order that is the same for the same headers, without the time.
fn lines(responses: &str) -> Vec<String> {
    let date = |line: &str| if line.starts_with("date: ") { "date".to_owned() } else { line.to_owned() };
    let mut lines: Vec<_> = responses.split("\r\n").map(date).collect();
    lines.sort();
    lines
}

#[rstest]
#[case::whole("", "HTTP/1.1 200 OK\r\n")]
#[case::with_an_id("X-Request-Id: ref-7\r\n", "HTTP/1.1 200 OK\r\n")]
#[case::with_an_invalid_id("X-Request-Id: ref 7\r\n", "HTTP/1.1 200 OK\r\n")]
#[case::the_client_has_it("If-None-Match: *\r\n", "HTTP/1.1 304 Not Modified\r\n")]
#[case::the_client_has_another("If-None-Match: \"x\"\r\n", "HTTP/1.1 200 OK\r\n")]
#[tokio::test(flavor = "multi_thread")]
async fn a_cached_response_is_the_same_as_that_of_the_application(#[case] headers: &str, #[case] status: &str) {
    let requests = format!("{}{}", get("/page", headers), get("/page", &format!("{headers}{CLOSE}")));
    let mut both = Vec::new();
    with_server(ServerOptions::default(), async |address, _| both.push(talk(address, &requests).await)).await;
    let pages = Pages::new();
    with_fast_path(ServerOptions::default(), pages.clone(), async |address, _| {
        both.push(talk(address, &requests).await);
    })
    .await;
    assert_eq!(pages.found.load(SeqCst), 1, "the last response of a connection is for the framework");
    assert!(both[1].starts_with(status), "{}", both[1]);
    assert_eq!(lines(&both[0]), lines(&both[1]));
}

#[rstest]
#[case::another_method("HEAD /page HTTP/1.1\r\nHost: a\r\n\r\n", 0)]
#[case::another_version("GET /page HTTP/1.0\r\n\r\n", 0)]
#[case::a_body("GET /page HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}", 0)]
#[case::a_long_head(&get("/page", &format!("X: {}\r\n", "x".repeat(9000))), 0)]
#[case::nothing_is_cached(&get("/nowhere", ""), 0)]
#[case::what_is_cached_is_outdated(&get("/alive", ""), 1)]
#[tokio::test(flavor = "multi_thread")]
async fn the_application_answers_all_other_requests(#[case] request: &str, #[case] found: usize) {
    let last = get("/body", CLOSE);
    let mut both = Vec::new();
    let pages = Pages::new();
    let requests = format!("{request}{last}");
    with_server(ServerOptions::default(), async |address, _| both.push(talk(address, &requests).await)).await;
    with_fast_path(ServerOptions::default(), pages.clone(), async |address, _| {
        both.push(talk(address, &requests).await);
    })
    .await;
    assert_eq!(pages.found.load(SeqCst), found);
    assert_eq!(lines(&both[0]), lines(&both[1]));
}

/// Reads what the server sends, in pieces with a pause after each, until it closes the connection.
async fn read_slowly(stream: &mut TcpStream) -> String {
    let (mut all, mut piece) = (Vec::new(), vec![0; 256 * 1024]);
    loop {
        match stream.read(&mut piece).await.unwrap() {
            0 => return String::from_utf8(all).unwrap(),
            bytes => all.extend_from_slice(&piece[..bytes]),
        }
        sleep(Duration::from_millis(1)).await;
    }
}

/// Connects with a small buffer, so that unread bytes stay with the server.
async fn connect(address: SocketAddr) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(4096).unwrap();
    socket.connect(address).await.unwrap()
}

/// Reads one response.
async fn read_response(stream: &mut TcpStream) -> String {
    let mut all = Vec::new();
    loop {
        let mut piece = vec![0; 64 * 1024];
        let bytes = stream.read(&mut piece).await.unwrap();
        assert!(bytes > 0, "the connection is closed");
        all.extend_from_slice(&piece[..bytes]);
        let text = String::from_utf8_lossy(&all);
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap();
        if body.len() >= length.parse::<usize>().unwrap() {
            return text.into_owned();
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn responses_keep_the_order_of_their_requests() {
    let pages = Pages::new();
    with_fast_path(ServerOptions::default(), pages.clone(), async |address, _| {
        let mut stream = connect(address).await;
        let paths = ["/page", "/large", "/page", "/alive", "/much", "/page", "/large", "/much"];
        for path in paths {
            // Some arrive together, and some while a response is being sent.
            stream.write_all(get(path, "").as_bytes()).await.unwrap();
            sleep(Duration::from_millis(5)).await;
        }
        stream.write_all(get("/nowhere", CLOSE).as_bytes()).await.unwrap();
        let answers = timeout(MOST, read_slowly(&mut stream)).await.unwrap();
        let bodies: Vec<_> =
            answers.split("HTTP/1.1 ").skip(1).map(|one| one.split_once("\r\n\r\n").unwrap()).collect();
        let (last, others) = bodies.split_last().unwrap();
        assert!(last.0.starts_with("404"), "{}", last.0);
        let sizes = [6, 512 * 1024, 6, 5, MUCH, 6, 512 * 1024, MUCH];
        assert_eq!(others.iter().map(|(_, body)| body.len()).collect::<Vec<_>>(), sizes);
        assert!(others.iter().all(|(head, _)| head.starts_with("200 OK")));
    })
    .await;
    assert!(pages.found.load(SeqCst) > 0);
}

#[rstest]
#[case::after_a_cached_response("/page")]
#[case::after_a_response_of_the_application("/large")]
#[tokio::test(flavor = "multi_thread")]
async fn a_connection_without_requests_is_closed(#[case] path: &str) {
    let keep_alive = Duration::from_secs(1);
    let options = ServerOptions { keep_alive, ..ServerOptions::default() };
    with_fast_path(options, Pages::new(), async |address, _| {
        let mut stream = TcpStream::connect(address).await.unwrap();
        // It stays open as long as requests arrive in time.
        for _ in 0..4 {
            sleep(keep_alive / 3).await;
            let last = Instant::now();
            stream.write_all(get(path, "").as_bytes()).await.unwrap();
            assert!(read_response(&mut stream).await.starts_with("HTTP/1.1 200 OK"));
            assert!(last.elapsed() < keep_alive);
        }
        let last = Instant::now();
        stream.write_all(get(path, "").as_bytes()).await.unwrap();
        let rest = timeout(MOST, read_slowly(&mut stream)).await.unwrap();
        assert!(rest.starts_with("HTTP/1.1 200 OK") && last.elapsed() >= keep_alive, "{:?}", last.elapsed());
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_does_not_read_cached_responses_is_disconnected() {
    let options = ServerOptions { answer_timeout: Duration::from_millis(300), ..ServerOptions::default() };
    with_fast_path(options, Pages::new(), async |address, traffic| {
        let mut stream = connect(address).await;
        stream.write_all(get("/much", "").repeat(3).as_bytes()).await.unwrap();
        sleep(Duration::from_millis(20)).await;
        let begin = Instant::now();
        while traffic.connections() > 0 {
            assert!(begin.elapsed() < MOST, "the connection is still open");
            sleep(Duration::from_millis(10)).await;
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stopping_server_says_that_it_closes_the_connection() {
    with_fast_path(ServerOptions::default(), Pages::new(), async |address, traffic| {
        let mut stream = TcpStream::connect(address).await.unwrap();
        let mut first = [0; 15];
        stream.write_all(get("/page", "").as_bytes()).await.unwrap();
        stream.read_exact(&mut first).await.unwrap();
        let draining = {
            let traffic = traffic.clone();
            tokio::spawn(async move { traffic.drain(MOST).await })
        };
        while !traffic.is_draining() {
            sleep(Duration::from_millis(1)).await;
        }
        stream.write_all(get("/page", "").as_bytes()).await.unwrap();
        let rest = timeout(MOST, read_slowly(&mut stream)).await.unwrap();
        let (_, second) = rest.split_once("HTTP/1.1 200 OK").unwrap();
        assert!(second.contains("connection: close"), "{second}");
        draining.await.unwrap();
    })
    .await;
}

#[rstest]
#[case::a_body_that_is_not_read("POST /nowhere HTTP/1.1\r\nHost: a\r\nContent-Length: 200000\r\n\r\n", 200_000)]
#[case::as_the_client_asks("GET /alive HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", 0)]
#[tokio::test(flavor = "multi_thread")]
async fn no_request_is_answered_after_the_last_response(#[case] head: &str, #[case] length: usize) {
    let pages = Pages::new();
    with_fast_path(ServerOptions::default(), pages.clone(), async |address, _| {
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(head.as_bytes()).await.unwrap();
        let mut first = [0; 12];
        stream.read_exact(&mut first).await.unwrap();
        // The server may close the connection before it has read everything.
        let _rest = stream.write_all(format!("{}{}", "x".repeat(length), get("/page", "")).as_bytes()).await;
        let mut rest = Vec::new();
        let _closed = timeout(MOST, stream.read_to_end(&mut rest)).await.unwrap();
        assert!(!String::from_utf8_lossy(&rest).contains("HTTP/1.1 "), "a second response");
    })
    .await;
    assert_eq!(pages.found.load(SeqCst), 0);
}
