//! A server on a real socket.
use super::*;
use crate::server::{ServerOptions, serve};
use std::num::NonZeroUsize;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};

pub(super) async fn talk(address: std::net::SocketAddr, request: &str) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    answer
}

async fn with_server(storage: Storage, talks: impl AsyncFnOnce(std::net::SocketAddr)) {
    with_options(storage, ServerOptions::default(), async |address, _| talks(address).await).await;
}

pub(super) async fn with_options(
    storage: Storage,
    options: ServerOptions,
    talks: impl AsyncFnOnce(std::net::SocketAddr, Data<Api>),
) {
    // Connections inherit the small buffer, so a client that does not read is noticed after few responses.
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_send_buffer_size(64 * 1024).unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let listener = socket.listen(1024).unwrap().into_std().unwrap();
    let address = listener.local_addr().unwrap();
    let api = api(storage, UNLIMITED);
    let options = ServerOptions { workers: NonZeroUsize::MIN, ..options };
    let server = serve(api.clone(), listener, options).unwrap();
    let handle = server.handle();
    let running = tokio::spawn(server);
    talks(address, api).await;
    handle.stop(true).await;
    running.await.unwrap().unwrap();
    assert!(TcpStream::connect(address).await.is_err(), "a stopped server accepts no connections");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_lives_on_when_a_handler_panics_and_stops_when_told() {
    with_server(Storage::Panics, async |address| {
        let request = format!(
            "GET /v1/orgs HTTP/1.1\r\nHost: evil.test\r\nAuthorization: Bearer {TOKEN}\r\nConnection: close\r\n\r\n"
        );
        for _ in 0..3 {
            let answer = talk(address, &request).await;
            assert!(answer.starts_with("HTTP/1.1 500 "), "{answer}");
            assert!(answer.ends_with(r#""}}"#) && answer.contains(r#"{"error":{"code":500,"#), "{answer}");
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn head_is_answered_like_get_without_the_body() {
    with_server(READER, async |address| {
        let ask = |method| format!("{method} /v1/orgs/o HTTP/1.1\r\nHost: evil.test\r\nAuthorization: Bearer {TOKEN}\r\nConnection: close\r\n\r\n");
        let (get, head) = (talk(address, &ask("GET")).await, talk(address, &ask("HEAD")).await);
        let (headers, body) = get.split_once("\r\n\r\n").unwrap();
        let (headers_alone, no_body) = head.split_once("\r\n\r\n").unwrap();
        let line = |headers: &str, name: &str| headers.lines().find(|line| line.starts_with(name)).map(str::to_owned);
        assert_eq!(line(headers, "content-length"), Some(format!("content-length: {}", body.len())));
        assert_eq!(line(headers, "content-length"), line(headers_alone, "content-length"));
        assert_eq!(line(headers, "etag"), line(headers_alone, "etag"));
        assert_eq!(no_body, "");
        assert!(!get.contains("evil.test"), "the host of a request never appears in a response");
    })
    .await;
}
