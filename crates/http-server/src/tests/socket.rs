//! A server on a real socket.
use super::app;
use crate::{FastPath, ServerOptions, Traffic, serve};
use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::sync::Arc;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};

pub(super) async fn talk(address: SocketAddr, request: &str) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    answer
}

pub(super) async fn with_server(options: ServerOptions, talks: impl AsyncFnOnce(SocketAddr, Arc<Traffic>)) {
    with_fast_path(options, Arc::new(()), talks).await;
}

pub(super) async fn with_fast_path(
    options: ServerOptions,
    fast_path: Arc<dyn FastPath>,
    talks: impl AsyncFnOnce(SocketAddr, Arc<Traffic>),
) {
    // Connections inherit the small buffer, so a client that does not read is noticed after few responses.
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_send_buffer_size(64 * 1024).unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let listener = socket.listen(1024).unwrap().into_std().unwrap();
    let address = listener.local_addr().unwrap();
    let options = ServerOptions { workers: NonZeroUsize::MIN, ..options };
    let traffic = Arc::<Traffic>::default();
    let server = serve(listener, options, traffic.clone(), fast_path, app).unwrap();
    let handle = server.handle();
    let running = tokio::spawn(server);
    talks(address, traffic).await;
    handle.stop(true).await;
    running.await.unwrap().unwrap();
    assert!(TcpStream::connect(address).await.is_err(), "a stopped server accepts no connections");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_survives_a_panic_of_a_handler_and_stops_on_a_signal() {
    with_server(ServerOptions::default(), async |address, _| {
        let request = "GET /panic HTTP/1.1\r\nHost: a\r\nX-Request-Id: ref-7\r\nConnection: close\r\n\r\n";
        for _ in 0..3 {
            let answer = talk(address, request).await;
            assert!(answer.starts_with("HTTP/1.1 500 "), "{answer}");
            assert!(answer.ends_with("the log has the details under ref-7</p>"), "{answer}");
            assert!(answer.contains("x-request-id: ref-7"), "{answer}");
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn head_is_answered_like_get_without_the_body() {
    with_server(ServerOptions::default(), async |address, _| {
        let ask = |method| format!("{method} /page HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
        let (get, head) = (talk(address, &ask("GET")).await, talk(address, &ask("HEAD")).await);
        let (headers, body) = get.split_once("\r\n\r\n").unwrap();
        let (headers_alone, no_body) = head.split_once("\r\n\r\n").unwrap();
        let line = |headers: &str, name: &str| headers.lines().find(|line| line.starts_with(name)).map(str::to_owned);
        assert_eq!(line(headers, "content-length"), Some(format!("content-length: {}", body.len())));
        assert_eq!(line(headers, "content-length"), line(headers_alone, "content-length"));
        assert_eq!(line(headers, "etag"), line(headers_alone, "etag"));
        assert_eq!(no_body, "");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_error_of_the_framework_has_the_form_of_the_driver() {
    with_server(ServerOptions::default(), async |address, _| {
        let answer = talk(address, "GET /nowhere HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").await;
        assert!(answer.starts_with("HTTP/1.1 404 "), "{answer}");
        assert!(answer.contains("content-type: text/html\r\n") && answer.contains("cache-control: no-store\r\n"));
        assert!(answer.ends_with("<h1>404</h1><p>not found</p>"), "{answer}");
    })
    .await;
}
