//! Slow clients, and clients that are slow on purpose.
use super::socket::{talk, with_server};
use crate::ServerOptions;
use rstest::rstest;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};

/// The number of hostile connections at the same time.
const HOSTILE: usize = 200;
/// The timeouts of the server in these tests. Within it, a client on a busy machine connects and sends a request.
const TIMEOUT: Duration = Duration::from_secs(1);
/// The time between two small writes.
const DROP: Duration = Duration::from_millis(50);
/// The time limit of a test.
const MOST: Duration = Duration::from_secs(60);

fn impatient() -> ServerOptions {
    ServerOptions {
        head_timeout: TIMEOUT,
        body_timeout: TIMEOUT,
        answer_timeout: TIMEOUT,
        keep_alive: Duration::from_secs(3600),
        ..ServerOptions::default()
    }
}

/// Sends `begin`, and then `drop` repeatedly for as long as the server reads it.
async fn drip(mut stream: TcpStream, begin: &str, drop: &str) {
    let mut sent = stream.write_all(begin.as_bytes()).await;
    while sent.is_ok() {
        sleep(DROP).await;
        sent = stream.write_all(drop.as_bytes()).await;
    }
}

/// Requests many responses, and reads nothing or little of them.
async fn ask(mut stream: TcpStream, reads: bool) {
    let much = "GET /large HTTP/1.1\r\nHost: a\r\n\r\n".repeat(100);
    let mut asked = stream.write_all(much.as_bytes()).await;
    while asked.is_ok() {
        sleep(DROP).await;
        if reads {
            asked = stream.read_exact(&mut [0; 16]).await.map(drop);
        }
    }
}

#[derive(Clone, Copy)]
enum Hostile {
    Silent,
    Head,
    LaterHead,
    Body,
    Chunk,
    Unread,
    NoReader,
    SlowReader,
}

impl Hostile {
    async fn act(self, stream: TcpStream) {
        let post = "POST /body HTTP/1.1\r\nHost: a\r\n";
        match self {
            Self::Silent => {
                let mut stream = stream;
                let _closed = stream.read_to_end(&mut Vec::new()).await;
            }
            Self::Head => drip(stream, "GET / HTTP/1.1\r\nX: ", "x").await,
            Self::LaterHead => drip(stream, "GET /alive HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nX: ", "x").await,
            Self::Body => drip(stream, &format!("{post}Content-Length: 100000\r\n\r\n"), " ").await,
            Self::Chunk => drip(stream, &format!("{post}Transfer-Encoding: chunked\r\n\r\n1;"), "x").await,
            // No handler reads the body of this request; the connection must read it all the same.
            Self::Unread => {
                drip(stream, "GET /alive HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n", "1\r\nx\r\n")
                    .await;
            }
            Self::NoReader => ask(stream, false).await,
            Self::SlowReader => ask(stream, true).await,
        }
    }
}

/// Connects with a small buffer, so that unread bytes stay with the server.
async fn connect(address: SocketAddr) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(4096).unwrap();
    socket.connect(address).await.unwrap()
}

#[rstest]
#[case::nothing_is_sent(Hostile::Silent)]
#[case::a_head_by_drops(Hostile::Head)]
#[case::a_later_head_by_drops(Hostile::LaterHead)]
#[case::a_body_by_drops(Hostile::Body)]
#[case::an_extension_by_drops(Hostile::Chunk)]
#[case::an_unwanted_body_by_drops(Hostile::Unread)]
#[case::nothing_is_read(Hostile::NoReader)]
#[case::answers_are_read_by_drops(Hostile::SlowReader)]
#[tokio::test(flavor = "multi_thread")]
async fn slow_clients_are_disconnected_and_do_not_delay_others(#[case] hostile: Hostile) {
    with_server(impatient(), async |address, traffic| {
        let connected = Arc::new(AtomicUsize::new(0));
        let mut clients = JoinSet::new();
        for _ in 0..HOSTILE {
            let connected = connected.clone();
            clients.spawn(async move {
                let stream = connect(address).await;
                connected.fetch_add(1, SeqCst);
                hostile.act(stream).await;
            });
        }
        let begin = Instant::now();
        loop {
            let all_connected = connected.load(SeqCst) == HOSTILE;
            // This connection is accepted after all earlier ones.
            let honest = talk(address, "GET /alive HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").await;
            assert!(honest.starts_with("HTTP/1.1 200 "), "{honest}");
            if all_connected && traffic.connections() == 0 {
                break;
            }
            assert!(begin.elapsed() < MOST, "{} connections are still open", traffic.connections());
            sleep(DROP / 10).await;
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_slow_and_honest_upload_passes() {
    with_server(ServerOptions { body_timeout: Duration::from_secs(3), ..impatient() }, async |address, _| {
        let blanks = " ".repeat(16 * 1024);
        let pieces = 7;
        let length = pieces * blanks.len();
        let mut stream = TcpStream::connect(address).await.unwrap();
        let head = format!("POST /body HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n");
        stream.write_all(head.as_bytes()).await.unwrap();
        for _ in 0..pieces {
            sleep(Duration::from_millis(500)).await;
            stream.write_all(blanks.as_bytes()).await.unwrap();
        }
        let mut answer = String::new();
        timeout(MOST, stream.read_to_string(&mut answer)).await.unwrap().unwrap();
        assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    })
    .await;
}
