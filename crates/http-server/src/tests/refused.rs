//! Requests that the framework's parser refuses, and broken bodies, get an error response of the driver.
use super::socket::{talk, with_server};
use crate::ServerOptions;
use crate::server::connection::HEADER_COUNT;
use crate::telemetry::{MAX_HEADERS, MAX_URI};
use rstest::rstest;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// Splits off the first of several responses.
fn first(answers: &str) -> (u16, &str, &str, &str) {
    let (head, rest) = answers.split_once("\r\n\r\n").expect("an answer");
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).expect("a length");
    let (body, rest) = rest.split_at(length.parse().unwrap());
    (status, head, body, rest)
}

/// Asserts that there is one response, with an error of the driver.
#[track_caller]
fn assert_error(answers: &str, code: u16) {
    let (status, head, body, rest) = first(answers);
    assert_eq!((status, rest), (code, ""), "{answers}");
    assert!(body.starts_with(&format!("<h1>{code}</h1><p>")), "{answers}");
    for header in ["x-request-id: ", "content-type: text/html", "x-content-type-options: nosniff"] {
        assert!(head.contains(header), "{header} is missing: {answers}");
    }
}

/// Sends bytes and returns all responses, until the server closes the connection.
async fn send(address: SocketAddr, bytes: &[u8]) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let (mut reader, mut writer) = stream.split();
    let mut answers = String::new();
    // A server that has refused a request reads no more; that is expected.
    let (_refused, read) = futures_util::join!(writer.write_all(bytes), reader.read_to_string(&mut answers));
    read.unwrap();
    answers
}

fn get(address: &str, headers: &str) -> String {
    format!("GET {address} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n{headers}\r\n")
}

fn post(headers: &str, body: &str) -> String {
    format!("POST /body HTTP/1.1\r\nHost: a\r\nConnection: close\r\n{headers}\r\n\r\n{body}")
}

fn chunked(body: &str) -> String {
    post("Transfer-Encoding: chunked", body)
}

const BODY: &str = "10\r\n{\"title\":\"Docs\"}\r\n0\r\n";

#[rstest]
#[case::no_http("hello\r\n\r\n".to_owned(), 400)]
#[case::tls("\u{16}\u{3}\u{1}\u{2}\0\u{1}\0".to_owned(), 400)]
#[case::http_2("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_owned(), 400)]
#[case::no_host("GET / HTTP/1.1\r\n\r\n".to_owned(), 400)]
#[case::two_hosts(get("/", "Host: b\r\n"), 400)]
#[case::a_blank_in_a_name(get("/", "X y: z\r\n"), 400)]
#[case::a_folded_header(get("/", "X: y\r\n z\r\n"), 400)]
#[case::length_and_chunks(post("Content-Length: 3\r\nTransfer-Encoding: chunked", "0\r\n\r\n"), 400)]
#[case::two_lengths(post("Content-Length: 2\r\nContent-Length: 3", "{}"), 400)]
#[case::another_coding(post("Transfer-Encoding: xchunked", "0\r\n\r\n"), 400)]
#[case::a_long_address(get(&format!("/{}", "x".repeat(70 * 1024)), ""), 414)]
#[case::a_long_header(get("/", &format!("X: {}\r\n", "x".repeat(200 * 1024))), 431)]
#[case::a_chunk_without_a_size(chunked("x\r\n{}\r\n0\r\n\r\n"), 400)]
#[case::a_chunk_with_a_long_extension(chunked(&format!("2;{}\r\n{{}}\r\n0\r\n\r\n", "x".repeat(5 << 20))), 400)]
#[case::a_chunk_with_a_long_size(chunked(&format!("{}2\r\n{{}}\r\n0\r\n\r\n", "0".repeat(5 << 20))), 400)]
#[case::long_trailers(chunked(&format!("{BODY}X: {}\r\n\r\n", "x".repeat(5 << 20))), 400)]
#[case::many_trailers(chunked(&format!("{BODY}{}\r\n", "X: x\r\n".repeat(1 << 20))), 400)]
#[case::many_extensions(chunked(&"1;xxxxxxxxxxxxxxxx\r\n \r\n".repeat(1 << 18)), 400)]
#[case::a_large_body(chunked(&format!("300000\r\n{}\r\n0\r\n\r\n", " ".repeat(3 << 20))), 413)]
#[tokio::test(flavor = "multi_thread")]
async fn what_the_parser_refuses_has_the_form_of_every_error(#[case] request: String, #[case] status: u16) {
    with_server(ServerOptions::default(), async |address, _| {
        assert_error(&send(address, request.as_bytes()).await, status);
        let honest = talk(address, &get("/alive", "")).await;
        assert!(honest.starts_with("HTTP/1.1 200 "), "{honest}");
    })
    .await;
}

#[rstest]
#[case::extensions(format!("10;a=b\r\n{}", &BODY[4..]))]
#[case::trailers(format!("{BODY}X: y\r\nExpires: never\r\n"))]
#[case::a_large_extension(format!("10;{}\r\n{}", "x".repeat(1 << 20), &BODY[4..]))]
#[tokio::test(flavor = "multi_thread")]
async fn what_comes_beside_a_body_is_passed_over_as_long_as_there_is_little_of_it(#[case] body: String) {
    with_server(ServerOptions::default(), async |address, _| {
        let answer = send(address, chunked(&format!("{body}\r\n")).as_bytes()).await;
        assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn headers_are_accepted_up_to_the_documented_limits() {
    with_server(ServerOptions::default(), async |address, _| {
        // `Host` and `Connection` are headers too.
        let many = |count: usize| get("/alive", &"x: y\r\n".repeat(count - 2));
        let large =
            |bytes: usize| get("/alive", &format!("x: {}\r\n", "y".repeat(bytes - "hostaconnectionclosex".len())));
        let long = |bytes: usize| get(&format!("/alive?{}", "x".repeat(bytes - "/alive".len())), "");
        for (taken, refused, status) in [
            (many(HEADER_COUNT), many(HEADER_COUNT + 1), 431),
            (large(MAX_HEADERS), large(MAX_HEADERS + 1), 431),
            (long(MAX_URI), long(MAX_URI + 1), 414),
        ] {
            let answer = send(address, taken.as_bytes()).await;
            assert!(answer.starts_with("HTTP/1.1 200 "), "{status}: {answer}");
            assert_error(&send(address, refused.as_bytes()).await, status);
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_sent_before_something_that_is_refused_is_answered_first() {
    with_server(ServerOptions::default(), async |address, _| {
        let sound = "GET /alive HTTP/1.1\r\nHost: a\r\n\r\n".repeat(40);
        let answers = send(address, format!("{sound}junk\r\n\r\n{sound}").as_bytes()).await;
        let mut rest = answers.as_str();
        for _ in 0..40 {
            let (status, head, _, further) = first(rest);
            assert!(status == 200 && !head.contains("connection: close"), "{head}");
            rest = further;
        }
        assert_error(rest, 400);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_mean_the_same_however_they_are_cut() {
    with_server(ServerOptions::default(), async |address, _| {
        let keep = |request: String| request.replace("Connection: close\r\n", "");
        let requests = [
            keep(get("/alive", "")),
            keep(post("Content-Length: 16", r#"{"title":"Docs"}"#)),
            keep(chunked(&format!("10;a=b\r\n{}X: y\r\n\r\n", &BODY[4..]))),
            format!("\r\n{}", keep(get("/nowhere", ""))),
            keep(chunked("1\r\n{\r\n1\r\n}\r\n0\r\n\r\n")),
            get("/alive", ""),
        ]
        .concat();
        for piece in [1, 2, 7, 64, requests.len()] {
            let mut stream = TcpStream::connect(address).await.unwrap();
            stream.set_nodelay(true).unwrap();
            for piece in requests.as_bytes().chunks(piece) {
                stream.write_all(piece).await.unwrap();
                tokio::task::yield_now().await;
            }
            let mut answers = String::new();
            stream.read_to_string(&mut answers).await.unwrap();
            let (mut rest, mut statuses) = (answers.as_str(), Vec::new());
            while !rest.is_empty() {
                let (status, _, _, further) = first(rest);
                statuses.push(status);
                rest = further;
            }
            assert_eq!(statuses, [200, 200, 200, 404, 200, 200], "in pieces of {piece}: {answers}");
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_that_ends_before_its_length_is_refused() {
    with_server(ServerOptions::default(), async |address, _| {
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(post("Content-Length: 20", "{}").as_bytes()).await.unwrap();
        stream.shutdown().await.unwrap();
        let mut answers = String::new();
        stream.read_to_string(&mut answers).await.unwrap();
        assert_error(&answers, 400);
    })
    .await;
}

#[rstest]
#[case::nothing(String::new())]
#[case::a_part_of_a_head("GET /alive HTTP/1.1\r\nHost".to_owned())]
#[case::a_part_of_a_body(post("Content-Length: 20", "{}"))]
#[case::a_part_of_a_chunk(chunked("5\r\n{}"))]
#[tokio::test(flavor = "multi_thread")]
async fn a_request_that_does_not_arrive_gets_an_error(#[case] part: String) {
    let moment = Duration::from_millis(200);
    let options = ServerOptions { head_timeout: moment, body_timeout: moment, ..ServerOptions::default() };
    with_server(options, async |address, _| assert_error(&send(address, part.as_bytes()).await, 408)).await;
}
