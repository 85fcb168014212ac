//! A server on the loopback interface that reports what it gets.
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

/// A request as it arrived.
#[derive(Debug)]
pub(super) struct Received {
    pub(super) method: String,
    pub(super) target: String,
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Vec<u8>,
}

impl Received {
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(found, _)| found.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    pub(super) fn text(&self) -> &str {
        std::str::from_utf8(&self.body).expect("the body is UTF-8")
    }
}

/// A server that answers each request with 200 and `{}`, until the test ends.
pub(super) struct Echo {
    pub(super) address: SocketAddr,
    received: Receiver<Received>,
}

impl Echo {
    pub(super) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let address = listener.local_addr().expect("the port is known");
        let (sender, received) = channel();
        thread::spawn(move || {
            for stream in listener.incoming() {
                let request = receive(stream.expect("a connection"));
                if sender.send(request).is_err() {
                    break;
                }
            }
        });
        Self { address, received }
    }

    pub(super) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub(super) fn next(&self) -> Received {
        self.received.recv_timeout(Duration::from_secs(20)).expect("a request arrives")
    }
}

fn receive(mut stream: TcpStream) -> Received {
    let mut reader = BufReader::new(stream.try_clone().expect("the connection can be shared"));
    let mut line = || {
        let mut bytes = Vec::new();
        reader.read_until(b'\n', &mut bytes).expect("a line");
        let text = String::from_utf8(bytes).expect("a line is UTF-8");
        text.strip_suffix("\r\n").expect("a line ends").to_owned()
    };
    let first = line();
    let mut words = first.split(' ');
    let [method, target] = [words.next(), words.next()].map(|word| word.expect("a word").to_owned());
    let mut headers = Vec::new();
    loop {
        let line = line();
        let Some((name, value)) = line.split_once(':') else { break };
        headers.push((name.to_owned(), value.trim_matches(' ').to_owned()));
    }
    let mut request = Received { method, target, headers, body: Vec::new() };
    if request.header("expect").is_some() {
        stream.write_all(b"HTTP/1.1 100 Continue\r\n\r\n").expect("the client listens");
    }
    assert!(request.header("transfer-encoding").is_none(), "the client sends chunks");
    let length = request.header("content-length").map_or(0, |length| length.parse().expect("a number"));
    request.body.resize(length, 0);
    reader.read_exact(&mut request.body).expect("the body arrives");
    let answer = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\nConnection: close\r\n\r\n";
    stream.write_all(answer).expect("the client listens");
    if request.method != "HEAD" {
        stream.write_all(b"{}").expect("the client listens");
    }
    request
}
