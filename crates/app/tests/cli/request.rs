//! Requests to a server that can end in the middle of one.
use serde_json::Value;
use std::io::{Read, Write};
use std::net::TcpStream;

/// A complete response.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    /// The status line and the headers.
    pub(crate) head: String,
    pub(crate) body: Value,
}

/// Sends a request; `None` if the server ended before the complete response.
pub(crate) fn send(mut stream: TcpStream, token: &str, request: &str, headers: &str, body: &str) -> Option<Answer> {
    let head = format!(
        "{request} HTTP/1.0\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\n\
         {headers}Content-Length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(head.as_bytes()).ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    let (head, body) = answer.split_once("\r\n\r\n")?;
    let status = head.split(' ').nth(1)?.parse().ok()?;
    // A truncated body is not valid JSON.
    Some(Answer { status, head: head.to_ascii_lowercase(), body: serde_json::from_str(body).ok()? })
}
