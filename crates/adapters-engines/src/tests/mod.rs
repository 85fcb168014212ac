//! Tests of engines with a local HTTP server that sends scripted responses.
mod apertium;
mod chat;
mod connections;
mod settings;
mod translators;

use crate::{EngineSettings, Engines};
use domain::ports::{TranslationBatch, Translator};
use domain::text::Language;
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// A request to the server.
#[derive(Clone, Debug, Default)]
struct ReceivedRequest {
    path: String,
    /// The headers, in lower case.
    head: String,
    body: String,
}

impl ReceivedRequest {
    fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.body).unwrap()
    }
}

/// A response of the server.
#[derive(Clone, Debug)]
struct Reply {
    status: u16,
    headers: String,
    body: String,
}

fn reply(status: u16, body: impl ToString) -> Reply {
    Reply { status, headers: String::new(), body: body.to_string() }
}

fn with(status: u16, headers: &str) -> Reply {
    Reply { headers: format!("{headers}\r\n"), ..reply(status, "{}") }
}

/// A server that sends these replies in order, and then repeats the last one.
struct Server {
    url: String,
    asked: Arc<Mutex<Vec<ReceivedRequest>>>,
}

impl Server {
    async fn new(script: Vec<Reply>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let asked = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&asked);
        tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                tokio::spawn(serve(stream, Arc::clone(&seen), script.clone()));
            }
        });
        Self { url, asked }
    }

    fn requests(&self) -> Vec<ReceivedRequest> {
        self.asked.lock().unwrap().clone()
    }

    fn last(&self) -> ReceivedRequest {
        self.requests().pop().unwrap()
    }
}

async fn serve(mut stream: TcpStream, seen: Arc<Mutex<Vec<ReceivedRequest>>>, script: Vec<Reply>) {
    let mut buffer = Vec::new();
    while let Some((asked, length)) = read(&mut stream, &mut buffer).await {
        buffer.drain(..length);
        let turn = {
            let mut seen = seen.lock().unwrap();
            seen.push(asked);
            seen.len() - 1
        };
        let Some(Reply { status, headers, body }) = script.get(turn).or(script.last()) else { return };
        let length = body.len();
        let head = format!("HTTP/1.1 {status} Said\r\ncontent-length: {length}\r\n{headers}\r\n");
        if stream.write_all(format!("{head}{body}").as_bytes()).await.is_err() {
            return;
        }
    }
}

async fn read(stream: &mut TcpStream, buffer: &mut Vec<u8>) -> Option<(ReceivedRequest, usize)> {
    loop {
        let text = String::from_utf8_lossy(buffer).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let lower = head.to_lowercase();
            let length =
                lower.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse().ok()).unwrap_or(0);
            if body.len() >= length {
                let path = head.split(' ').nth(1)?.to_owned();
                return Some((
                    ReceivedRequest { path, head: lower, body: body[..length].to_owned() },
                    head.len() + 4 + length,
                ));
            }
        }
        let mut chunk = [0; 4096];
        let count = stream.read(&mut chunk).await.ok().filter(|count| *count > 0)?;
        buffer.extend_from_slice(&chunk[..count]);
    }
}

fn translator(settings: EngineSettings) -> Arc<dyn Translator> {
    Engines::new(&settings).unwrap().translator.unwrap()
}

fn batch(texts: &[&str]) -> TranslationBatch {
    TranslationBatch {
        from: Language::En,
        to: Language::PtBr,
        texts: texts.iter().map(|text| (*text).to_owned()).collect(),
        instructions: None,
        glossary: Vec::new(),
        context: Vec::new(),
        complaint: None,
    }
}
