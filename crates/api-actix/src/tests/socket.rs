//! The API on a real socket.
use super::*;
use http_server::{ServerOptions, Traffic, serve};
use rstest::rstest;
use std::net::{SocketAddr, TcpListener};
use std::num::NonZeroUsize;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

async fn talk(address: SocketAddr, request: &str) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let (mut reader, mut writer) = stream.split();
    let mut answer = String::new();
    // A server that has refused a request reads no more; that is expected.
    let (_refused, read) =
        futures_util::join!(writer.write_all(request.as_bytes()), reader.read_to_string(&mut answer));
    read.unwrap();
    answer
}

async fn with_server(storage: Storage, talks: impl AsyncFnOnce(SocketAddr)) {
    with_server_of(api(storage, UNLIMITED), ServerOptions::default(), talks).await;
}

pub(super) async fn with_server_of(api: Data<Api>, options: ServerOptions, talks: impl AsyncFnOnce(SocketAddr)) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let options = ServerOptions { workers: NonZeroUsize::MIN, ..options };
    let server = serve(listener, options, Arc::<Traffic>::default(), Arc::new(()), move || app(api.clone())).unwrap();
    let handle = server.handle();
    let running = tokio::spawn(server);
    talks(address).await;
    handle.stop(true).await;
    running.await.unwrap().unwrap();
}

fn patch(headers: &str, body: &str) -> String {
    format!(
        "PATCH /v1/orgs/o HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAuthorization: Bearer {TOKEN}\r\n\
         Content-Type: application/json\r\n{headers}\r\n\r\n{body}"
    )
}

fn chunked(body: &str) -> String {
    patch("Transfer-Encoding: chunked", body)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_panic_of_a_handler_is_an_error_like_others() {
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
async fn the_host_of_a_request_never_appears_in_a_response() {
    with_server(READER, async |address| {
        let request = format!(
            "GET /v1/orgs/o HTTP/1.1\r\nHost: evil.test\r\nAuthorization: Bearer {TOKEN}\r\nConnection: close\r\n\r\n"
        );
        let answer = talk(address, &request).await;
        assert!(answer.starts_with("HTTP/1.1 200 ") && !answer.contains("evil.test"), "{answer}");
    })
    .await;
}

/// The head alone: the response does not wait for a body.
#[rstest]
#[case::without_the_right(READER, 20 << 20, 403)]
#[case::above_every_limit(READER, 49 << 20, 413)]
#[case::above_every_limit_for_an_administrator(ADMIN, 49 << 20, 413)]
#[tokio::test(flavor = "multi_thread")]
async fn a_large_text_of_a_spec_is_refused_before_it_is_sent(
    #[case] storage: Storage,
    #[case] length: usize,
    #[case] status: u16,
) {
    with_server(storage, async |address| {
        let request = format!(
            "PUT /v1/orgs/o/openapi/pets HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAuthorization: Bearer {TOKEN}\r\n\
             Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n"
        );
        let answer = talk(address, &request).await;
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{answer}");
    })
    .await;
}

#[rstest]
#[case::no_http("hello\r\n\r\n".to_owned(), 400)]
#[case::a_long_address(format!("GET /{} HTTP/1.1\r\nHost: a\r\n\r\n", "x".repeat(70 * 1024)), 414)]
#[case::a_long_header(format!("GET / HTTP/1.1\r\nHost: a\r\nX: {}\r\n\r\n", "x".repeat(200 * 1024)), 431)]
#[case::a_chunk_without_a_size(chunked("x\r\n{}\r\n0\r\n\r\n"), 400)]
#[case::a_large_body(chunked(&format!("300000\r\n{}\r\n0\r\n\r\n", " ".repeat(3 << 20))), 413)]
#[case::compressed(patch("Content-Encoding: gzip\r\nContent-Length: 2", "{}"), 415)]
#[tokio::test(flavor = "multi_thread")]
async fn what_the_server_refuses_has_the_form_of_every_error(#[case] request: String, #[case] status: u16) {
    with_server(ADMIN, async |address| {
        let answer = talk(address, &request).await;
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        assert!(head.starts_with(&format!("HTTP/1.1 {status} ")), "{answer}");
        for header in ["x-request-id: ", "content-type: application/json", "x-content-type-options: nosniff"] {
            assert!(head.contains(header), "{header} is missing: {answer}");
        }
        let body: Value = serde_json::from_str(body).unwrap();
        assert_eq!(body["error"]["code"], status, "{answer}");
        assert!(!body["error"]["message"].as_str().unwrap().is_empty());
    })
    .await;
}
