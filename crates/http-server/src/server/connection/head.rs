//! Parses the head of a request before the framework sees it.
use super::framing::{Chunks, Framing};
use crate::error::ServerError;
use crate::telemetry::{MAX_HEADERS, MAX_URI};
use actix_codec::Decoder;
use actix_http::error::ParseError;
use actix_http::h1::{Codec, Message, MessageType};
use actix_http::{HttpMessage, Request, ServiceConfig};
use actix_web::http::header::CONTENT_LENGTH;
use bytes::BytesMut;

/// The maximum number of headers that the framework parses.
pub(crate) const HEADER_COUNT: usize = 96;
/// Room in a head for everything except the URI and the names and values of headers.
const PUNCTUATION: usize = 1024;
/// The maximum size of an incomplete head, in bytes.
const MAX_HEAD: usize = MAX_URI + MAX_HEADERS + PUNCTUATION;

/// The result of examining the received bytes.
#[derive(Debug)]
pub(super) enum Head {
    /// The head is incomplete.
    Incomplete,
    /// The first `length` bytes are the head of `request`, which the framework accepts; `framing` determines the end of
    /// its body.
    Complete { length: usize, framing: Framing, request: Request },
    /// The head is refused.
    Refused(ServerError),
}

/// Finds the heads of requests, in time linear in the bytes, however they are split.
///
/// The framework's own parser decides whether a head is valid, so both always agree. Parsing here lets the
/// application report the error; the framework would send only a status.
pub(super) struct HeadParser {
    config: ServiceConfig,
    /// The number of bytes already examined.
    seen: usize,
    /// The start of the current, incomplete line.
    line: usize,
    /// Whether a line that is not empty was seen.
    begun: bool,
    /// The number of bytes when an incomplete head was last parsed.
    tried: usize,
}

impl HeadParser {
    pub(super) fn new(config: ServiceConfig) -> Self {
        Self { config, seen: 0, line: 0, begun: false, tried: 0 }
    }

    /// Examines the bytes received since the last request. After a complete or refused head, the next head begins.
    pub(super) fn look(&mut self, received: &[u8]) -> Head {
        let found = self.find(received);
        if !matches!(found, Head::Incomplete) {
            (self.seen, self.line, self.begun, self.tried) = (0, 0, false, 0);
        }
        found
    }

    fn find(&mut self, received: &[u8]) -> Head {
        if let Some(length) = self.end(received) {
            return self.parse(&received[..length]);
        }
        if received.len() > MAX_HEAD {
            let first = received.iter().position(|byte| *byte == b'\n').unwrap_or(received.len());
            return Head::Refused(if first > MAX_URI {
                ServerError::UriTooLong { limit: MAX_URI }
            } else {
                ServerError::HeadersTooLarge { limit: MAX_HEADERS }
            });
        }
        // Refuse bytes that cannot become a head, such as TLS, at once. Parse only each time the bytes have doubled, so
        // that a client that sends single bytes costs no more than others.
        if received.len() >= 2 * self.tried {
            self.tried = received.len();
            return self.parse(received);
        }
        Head::Incomplete
    }

    /// The end of the head: after the first empty line that follows a line that is not empty.
    fn end(&mut self, received: &[u8]) -> Option<usize> {
        while let Some(at) = received[self.seen..].iter().position(|byte| *byte == b'\n') {
            let end = self.seen + at;
            let empty = matches!(&received[self.line..end], [] | [b'\r']);
            (self.seen, self.line) = (end + 1, end + 1);
            if empty && self.begun {
                return Some(end + 1);
            }
            self.begun |= !empty;
        }
        self.seen = received.len();
        None
    }

    fn parse(&self, head: &[u8]) -> Head {
        let mut codec = Codec::new(self.config.clone());
        match codec.decode(&mut BytesMut::from(head)) {
            Ok(Some(Message::Item(request))) => {
                let framing = framing(&codec.message_type(), &request);
                Head::Complete { length: head.len(), framing, request }
            }
            Ok(_) => Head::Incomplete,
            Err(error) => Head::Refused(refusal(&error)),
        }
    }
}

fn framing(kind: &MessageType, request: &Request) -> Framing {
    match kind {
        MessageType::None => Framing::Length(0),
        MessageType::Stream => Framing::Endless(0),
        MessageType::Payload if request.chunked().unwrap_or(false) => Framing::Chunked(Chunks::new()),
        MessageType::Payload => {
            let length =
                request.headers().get(CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.trim().parse().ok());
            length.map_or(Framing::Endless(0), Framing::Length)
        }
    }
}

/// The error for a head that the parser refuses.
fn refusal(error: &ParseError) -> ServerError {
    match error {
        ParseError::TooLarge => ServerError::TooManyHeaders { limit: HEADER_COUNT },
        ParseError::Uri(_) => ServerError::Malformed("the request URI is malformed"),
        ParseError::Method => ServerError::Malformed("the request method is malformed"),
        ParseError::Version => ServerError::Malformed("the HTTP version of the request is not supported: use HTTP/1.1"),
        _ => ServerError::Malformed(
            "the request line or a header is malformed, or Host, Content-Length or Transfer-Encoding is not valid",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    const SOUND: &str = "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n";

    /// Feeds the bytes in pieces, and returns the first head.
    async fn look(bytes: &[u8], piece: usize) -> Result<Option<(usize, String)>, (usize, u16)> {
        let local = tokio::task::LocalSet::new();
        local
            .run_until(async {
                let mut head_parser = HeadParser::new(ServiceConfig::default());
                for end in (piece..bytes.len() + piece).step_by(piece) {
                    let end = end.min(bytes.len());
                    match head_parser.look(&bytes[..end]) {
                        Head::Incomplete => {}
                        Head::Complete { length, framing, .. } => return Ok(Some((length, format!("{framing:?}")))),
                        Head::Refused(error) => return Err((end, error.status().as_u16())),
                    }
                }
                Ok(None)
            })
            .await
    }

    fn with(headers: &str) -> String {
        format!("POST / HTTP/1.1\r\nHost: a\r\n{headers}\r\n")
    }

    #[rstest]
    #[case::plain(SOUND.to_owned(), "Length(0)")]
    #[case::empty_lines_before(format!("\r\n\n{SOUND}"), "Length(0)")]
    #[case::bare_ends_of_lines("GET / HTTP/1.0\nAccept: a\n\n".to_owned(), "Length(0)")]
    #[case::without_headers("GET / HTTP/1.0\r\n\r\n".to_owned(), "Length(0)")]
    #[case::a_body(with("Content-Length: 12\r\n"), "Length(12)")]
    #[case::an_empty_body(with("Content-Length: 0\r\n"), "Length(0)")]
    #[case::a_tunnel("CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n".to_owned(), "Endless(0)")]
    #[actix_web::test]
    async fn a_head_ends_at_its_first_empty_line(#[case] head: String, #[case] framing: &str) {
        let both = format!("{head}\r\n\r\nGET / HTTP/1.1\r\n\r\n");
        for piece in 1..=both.len() {
            let found = look(both.as_bytes(), piece).await;
            assert_eq!(found, Ok(Some((head.len(), framing.to_owned()))), "in pieces of {piece}");
        }
    }

    #[actix_web::test]
    async fn a_chunked_body_is_known_as_one() {
        let found = look(with("Transfer-Encoding: chunked\r\n").as_bytes(), 1).await.unwrap().unwrap();
        assert!(found.1.starts_with("Chunked"), "{found:?}");
    }

    #[rstest]
    #[case::no_host("GET / HTTP/1.1\r\n\r\n", 400)]
    #[case::two_lengths("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", 400)]
    #[case::length_and_chunks(
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
        400
    )]
    #[case::another_coding("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\n\r\n", 400)]
    #[case::a_negative_length("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n", 400)]
    #[case::a_folded_header("GET / HTTP/1.1\r\nHost: a\r\nX: a\r\n b\r\n\r\n", 400)]
    #[case::a_blank_in_a_name("GET / HTTP/1.1\r\nHost: a\r\nX y: a\r\n\r\n", 400)]
    #[case::another_version("GET / HTTP/3.7\r\nHost: a\r\n\r\n", 400)]
    #[case::a_bad_address("GET /\u{7f} HTTP/1.1\r\nHost: a\r\n\r\n", 400)]
    #[actix_web::test]
    async fn what_is_no_request_is_refused(#[case] head: &str, #[case] status: u16) {
        for piece in [1, 7, head.len()] {
            assert_eq!(look(head.as_bytes(), piece).await.map_err(|(_, status)| status), Err(status), "{head:?}");
        }
    }

    #[actix_web::test]
    async fn what_cannot_become_a_request_is_not_waited_for() {
        assert_eq!(look(b"\x16\x03\x01\x02\x00\x01\x00", 7).await, Err((7, 400)));
    }

    #[rstest]
    #[case::address(format!("GET /{}", "x".repeat(70 * 1024)), 414)]
    #[case::headers(format!("GET / HTTP/1.1\r\nHost: a\r\nX: {}", "x".repeat(70 * 1024)), 431)]
    #[case::many_headers(format!("GET / HTTP/1.1\r\nHost: a\r\n{}\r\n", "a: b\r\n".repeat(HEADER_COUNT)), 431)]
    #[actix_web::test]
    async fn what_is_too_large_is_refused_before_all_of_it_is_there(#[case] head: String, #[case] status: u16) {
        let (received, refused) = look(head.as_bytes(), 4096).await.unwrap_err();
        assert!(received <= MAX_HEAD + 4096, "{received}");
        assert_eq!(refused, status);
    }
}
