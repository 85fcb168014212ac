//! Large bodies on a real socket: those that find no room, and those that do not arrive.
use super::socket::with_server_of;
use super::*;
use futures_util::future::select_all;
use http_server::{LargeBodies, LargeBodyTimes, ServerOptions};
use rstest::rstest;
use std::future::pending;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep};

/// The size of a body that needs room.
const LARGE: usize = 9 << 20;
/// A time limit that a test waits for.
const SHORT: Duration = Duration::from_secs(1);
/// A time limit that no test reaches.
const LONG: Duration = Duration::from_secs(60);
/// The time between two small writes.
const DROP: Duration = Duration::from_millis(20);

/// An API with these times, to which every user may send the text of a spec.
fn with_times(times: LargeBodyTimes) -> Data<Api> {
    let api = new_api(Arc::new(ADMIN), UNLIMITED);
    Data::new(Api { large_bodies: LargeBodies::new(times), ..api })
}

/// Sends the head of a request with a large body. With its media type, it is refused when the whole body has arrived.
async fn announce(address: SocketAddr, token: &str) -> TcpStream {
    let head = format!(
        "PUT /v1/orgs/o/openapi/pets HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAuthorization: Bearer {token}\r\n\
         Content-Type: text/plain\r\nContent-Length: {LARGE}\r\n\r\n"
    );
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(head.as_bytes()).await.unwrap();
    stream
}

/// Waits for the first byte of a response, without reading it.
async fn answered(stream: &TcpStream) {
    stream.peek(&mut [0]).await.unwrap();
}

async fn answer(stream: &mut TcpStream) -> String {
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    answer
}

/// Sends the body, and checks that all of it was taken.
async fn finish(mut stream: TcpStream) {
    stream.write_all(" ".repeat(LARGE).as_bytes()).await.unwrap();
    let answer = answer(&mut stream).await;
    assert!(answer.starts_with("HTTP/1.1 415 "), "{answer}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_third_large_body_waits_and_then_gets_503() {
    let api = with_times(LargeBodyTimes { room: SHORT, ..LargeBodyTimes::default() });
    with_server_of(api, ServerOptions::default(), async |address| {
        let begun = Instant::now();
        let mut streams = Vec::new();
        for token in [TOKEN, BOBS_TOKEN, EVES_TOKEN] {
            streams.push(announce(address, token).await);
        }
        let ((), refused, _) = select_all(streams.iter().map(|stream| Box::pin(answered(stream)))).await;
        assert!(begun.elapsed() >= SHORT, "it did not wait");
        let answer = answer(&mut streams.swap_remove(refused)).await;
        assert!(answer.starts_with("HTTP/1.1 503 ") && answer.contains("\r\nretry-after: 2\r\n"), "{answer}");
        assert!(answer.contains(r#""message":"the server is busy: try again in a moment""#), "{answer}");
        for stream in streams {
            finish(stream).await;
        }
    })
    .await;
}

/// Announces a large body and sends little of it, and then nothing or a byte now and then. Returns the response.
async fn come_late(address: SocketAddr, goes_on: bool) -> String {
    let mut stream = announce(address, TOKEN).await;
    let (mut reader, mut writer) = stream.split();
    let drip = async {
        let mut sent = writer.write_all(" ".repeat(1 << 16).as_bytes()).await;
        while goes_on && sent.is_ok() {
            sleep(DROP).await;
            sent = writer.write_all(b" ").await;
        }
        pending::<()>().await;
    };
    let mut answer = String::new();
    tokio::select! {
        read = reader.read_to_string(&mut answer) => { read.unwrap(); }
        () = drip => {}
    }
    answer
}

#[rstest]
#[case::when_nothing_follows(false, SHORT, LONG)]
#[case::when_little_follows(true, LONG, SHORT)]
#[tokio::test(flavor = "multi_thread")]
async fn a_large_body_that_does_not_arrive_gets_an_error_and_releases_its_room(
    #[case] goes_on: bool,
    #[case] body_timeout: Duration,
    #[case] arrival: Duration,
) {
    let api = with_times(LargeBodyTimes { arrival, ..LargeBodyTimes::default() });
    let options = ServerOptions { body_timeout, ..ServerOptions::default() };
    with_server_of(api, options, async |address| {
        // A caller has room once: without that of the first request, the second one would get 503.
        for _ in 0..2 {
            let answer = come_late(address, goes_on).await;
            assert!(answer.starts_with("HTTP/1.1 408 "), "{answer}");
            assert!(answer.contains(r#""message":"the body of the request did not arrive in time""#), "{answer}");
        }
    })
    .await;
}
