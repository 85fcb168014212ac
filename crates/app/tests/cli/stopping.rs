//! Stopping a server under load: requests that have arrived are answered.
use crate::harness::Octavo;
use acceptance::Backend;
use rstest::rstest;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::thread;
use std::time::{Duration, Instant};

const TOKEN: &str = "a-token-that-the-operator-chose";
/// Connections with requests at the time of the signal.
const CONNECTIONS: usize = 256;
/// Requests in each connection. A server that is stopped has eight seconds for all of them, also on a busy machine.
const REQUESTS: usize = 5;
/// The number of stops; 5,120 requests in all.
const ROUNDS: usize = 4;
/// Clients that send requests without a pause.
const CLIENTS: usize = 32;
/// The longest time of a stop: that of the server, and what a busy machine takes to end it.
const MOST: Duration = Duration::from_secs(30);

fn octavo(backend: Backend) -> Option<Octavo> {
    let octavo = Octavo::on(backend)?;
    Some(octavo.with("OCTAVO_ADMIN_TOKEN", TOKEN).with("OCTAVO_RATE_LIMIT", "0").with("OCTAVO_LOG", "error"))
}

fn request() -> String {
    format!("GET /v1/user HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {TOKEN}\r\n\r\n")
}

/// A complete response.
struct Answered {
    status: u16,
    closes: bool,
}

/// The next response; `None` if the connection ends before it is complete.
fn answer(stream: &mut impl BufRead) -> Option<Answered> {
    let (mut status, mut length, mut closes) = (None, 0, false);
    loop {
        let mut line = String::new();
        stream.read_line(&mut line).ok().filter(|read| *read > 0)?;
        let line = line.trim_end().to_ascii_lowercase();
        if line.is_empty() {
            break;
        } else if let Some(rest) = line.strip_prefix("http/1.1 ") {
            status = rest[..3].parse().ok();
        } else if let Some(rest) = line.strip_prefix("content-length: ") {
            length = rest.parse().ok()?;
        } else if line == "connection: close" {
            closes = true;
        }
    }
    stream.read_exact(&mut vec![0; length]).ok()?;
    Some(Answered { status: status?, closes })
}

#[rstest]
fn every_request_in_a_socket_of_the_server_is_answered_before_it_stops(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let Some(octavo) = octavo(backend) else { return };
    let (mut unanswered, mut early) = (0, 0);
    for _ in 0..ROUNDS {
        let server = octavo.start(&["serve"]);
        let requests = request().repeat(REQUESTS);
        let mut streams = Vec::new();
        for _ in 0..CONNECTIONS {
            let mut stream = TcpStream::connect(&server.address).unwrap();
            stream.write_all(requests.as_bytes()).unwrap();
            streams.push(stream);
        }
        server.signal("TERM");
        let signalled = Instant::now();
        for stream in streams {
            let mut stream = BufReader::new(stream);
            let answers: Vec<_> = std::iter::from_fn(|| answer(&mut stream)).collect();
            assert!(answers.iter().all(|answer| answer.status == 200));
            unanswered += REQUESTS - answers.len();
            early += answers.iter().rev().skip(1).filter(|answer| answer.closes).count();
        }
        server.wait().fine();
        assert!(signalled.elapsed() < MOST, "{:?}", signalled.elapsed());
    }
    assert_eq!(unanswered, 0, "of {}", ROUNDS * CONNECTIONS * REQUESTS);
    assert_eq!(early, 0, "only the last answer of a connection says that it is the last");
}

/// The results of all clients.
#[derive(Default)]
struct Seen {
    signalled: AtomicBool,
    answered: AtomicUsize,
    lost: AtomicUsize,
    told: AtomicUsize,
    unready: AtomicBool,
}

/// Polls `/readyz` until the server no longer accepts connections.
fn look(address: &str, seen: &Seen) {
    while let Ok(mut stream) = TcpStream::connect(address) {
        let asked = stream.write_all(b"GET /readyz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
        if asked.is_ok() && answer(&mut BufReader::new(stream)).is_some_and(|answered| answered.status == 503) {
            seen.unready.store(true, SeqCst);
        }
    }
}

/// Sends requests, on the same connection while the server keeps it open, until the server no longer accepts
/// connections.
fn ask(address: &str, seen: &Seen) {
    while let Ok(stream) = TcpStream::connect(address) {
        let (Ok(mut writer), mut reader) = (stream.try_clone(), BufReader::new(stream)) else { continue };
        loop {
            let written = writer.write_all(request().as_bytes()).is_ok();
            let before = !seen.signalled.load(SeqCst);
            let Some(answered) = answer(&mut reader).filter(|_| written) else {
                seen.lost.fetch_add(usize::from(before), SeqCst);
                break;
            };
            assert_eq!(answered.status, 200);
            seen.answered.fetch_add(1, SeqCst);
            if answered.closes {
                seen.told.fetch_add(1, SeqCst);
                break;
            }
        }
    }
}

#[rstest]
fn busy_clients_get_connection_close_and_lose_no_request(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let Some(octavo) = octavo(backend) else { return };
    let server = octavo.start(&["serve"]);
    let (address, seen) = (server.address.clone(), Seen::default());
    thread::scope(|scope| {
        for _ in 0..CLIENTS {
            scope.spawn(|| ask(&address, &seen));
        }
        scope.spawn(|| look(&address, &seen));
        while seen.answered.load(SeqCst) < 20 * CLIENTS {
            thread::yield_now();
        }
        seen.signalled.store(true, SeqCst);
        server.signal("TERM");
    });
    assert_eq!(seen.lost.load(SeqCst), 0, "of {} answered", seen.answered.load(SeqCst));
    assert!(seen.told.load(SeqCst) > 0, "answers say that their connection ends");
    assert!(seen.unready.load(SeqCst), "requests are to be sent elsewhere");
    server.wait().fine();
}
