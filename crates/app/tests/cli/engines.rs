//! Settings of engines: nothing that the program writes, stores or answers contains a key; a missing one is named.
use crate::engine_harness::{ADMIN, organization};
use crate::harness::Octavo;
use serde_json::{Value, json};
use std::fs::File;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::{Duration, Instant};

const KEYS: [&str; 2] = ["key-of-the-translator-7391", "key-of-the-model-8264"];

/// An engine that answers every request with the status and the body that `respond` returns for it. Returns its
/// address.
fn engine(respond: fn(&[u8]) -> (String, Value)) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || listener.incoming().flatten().for_each(|stream| answer(stream, respond)));
    format!("http://{address}")
}

fn answer(mut stream: TcpStream, respond: fn(&[u8]) -> (String, Value)) {
    let _unlimited = stream.set_read_timeout(Some(Duration::from_millis(300)));
    let (mut sent, mut buffer) = (Vec::new(), [0; 4096]);
    while let Ok(read @ 1..) = stream.read(&mut buffer) {
        sent.extend_from_slice(&buffer[..read]);
    }
    let (status, body) = respond(&sent);
    let body = body.to_string();
    let head =
        format!("HTTP/1.1 {status}\r\nX-Key: {}\r\nConnection: close\r\nContent-Length: {}", KEYS[1], body.len());
    let _closed = stream.write_all(format!("{head}\r\n\r\n{body}").as_bytes());
}

/// Refuses a request, and repeats it.
fn repeat(sent: &[u8]) -> (String, Value) {
    let body = json!({"error": {"message": String::from_utf8_lossy(sent)}, "keys": KEYS});
    (format!("401 {}", KEYS[0]), body)
}

/// Two vectors.
fn vectors(_sent: &[u8]) -> (String, Value) {
    let data = json!([{"index": 0, "embedding": [0.6, 0.8, 0.0]}, {"index": 1, "embedding": [0.0, 0.6, 0.8]}]);
    ("200 OK".to_owned(), json!({"data": data, "usage": {"total_tokens": 12}}))
}

#[track_caller]
fn has_no_key(what: &str, text: &[u8]) {
    let text = String::from_utf8_lossy(text);
    for key in KEYS {
        assert!(!text.contains(key), "{what}: {text}");
    }
}

#[test]
fn no_key_of_an_engine_is_logged_stored_or_answered() {
    let engine = engine(repeat);
    let mut octavo = Octavo::new();
    for (name, value) in [
        ("OCTAVO_ADMIN_TOKEN", ADMIN),
        ("OCTAVO_TRANSLATOR", "libretranslate"),
        ("OCTAVO_TRANSLATOR_URL", &engine),
        ("OCTAVO_TRANSLATOR_KEY", KEYS[0]),
        ("OCTAVO_CHAT_URL", &engine),
        ("OCTAVO_CHAT_MODEL", "any"),
        ("OCTAVO_CHAT_KEY", KEYS[1]),
    ] {
        octavo = octavo.with(name, value);
    }
    // In a file: a pipe without a reader would lose lines.
    let log = octavo.path("log");
    let server = octavo.start_logging_to(File::create(&log).unwrap(), &["serve", "--log-level", "trace"]);
    let organization = organization(&server);
    let post = |path: &str, body: Value| -> Value {
        let answer = server.post(&format!("{organization}{path}"), ADMIN, &body.to_string());
        serde_json::from_str(&answer.body).unwrap()
    };
    let space = post("/spaces", json!({"title": "Guide", "language": "en"}));
    let body = json!({"source": {"space": space["id"], "language": "en"}, "language": "de"});
    let translation = format!("{organization}/translations/{}", post("/translations", body)["id"].as_str().unwrap());
    let until = Instant::now() + Duration::from_secs(30);
    let mut answers = Vec::new();
    while answers.iter().all(|answer: &String| !answer.contains("engine_denied")) {
        assert!(Instant::now() < until, "{answers:?}");
        answers.push(server.get(&translation, ADMIN).body);
        std::thread::sleep(Duration::from_millis(100));
    }
    answers.push(server.get(&format!("{organization}/audit-events"), ADMIN).body);
    has_no_key("an answer", answers.concat().as_bytes());
    let check = octavo.run(&["engine", "check"]);
    has_no_key("octavo engine check", format!("{}{}", check.stdout, check.stderr).as_bytes());
    assert!(check.code != 0 && check.stderr.contains("key"), "{}", check.stderr);
    let ended = server.stop().fine();
    has_no_key("the output", format!("{}{}", ended.stdout, ended.stderr).as_bytes());
    let logged = std::fs::read(log).unwrap();
    assert!(logged.len() > 10_000, "everything is logged");
    has_no_key("the log", &logged);
    for (name, bytes) in crate::harness::files(&octavo.data()) {
        has_no_key(&name, &bytes);
    }
}

#[test]
fn an_embeddings_model_is_checked_also_without_another_engine() {
    let check = |url: &str| {
        let octavo = Octavo::new().with("OCTAVO_CHAT_URL", url).with("OCTAVO_EMBEDDINGS_MODEL", "small");
        octavo.run(&["engine", "check"])
    };
    let checked = check(&engine(vectors)).fine().stdout;
    assert!(checked.contains("Embeddings model: small") && checked.contains("12 tokens"), "{checked}");
    assert!(checked.contains("Vectors: 3 numbers each"), "{checked}");

    let refused = check(&engine(repeat));
    assert_eq!(refused.code, 1, "{}", refused.stdout);
    assert!(refused.stderr.contains("embeddings model small: "), "{}", refused.stderr);
}

#[test]
fn a_translation_without_a_translator_is_refused_with_the_name_of_the_setting() {
    let octavo = Octavo::new().with("OCTAVO_ADMIN_TOKEN", ADMIN);
    let server = octavo.start(&["serve"]);
    let organization = organization(&server);
    let made = server.post(&format!("{organization}/spaces"), ADMIN, r#"{"title": "Guide"}"#);
    let space: Value = serde_json::from_str(&made.body).unwrap();
    let body = json!({"source": {"space": space["id"], "language": "en"}, "language": "de"}).to_string();
    let refused = server.post(&format!("{organization}/translations"), ADMIN, &body);
    assert!(refused.status == 400 && refused.body.contains("OCTAVO_TRANSLATOR"), "{refused:?}");
    server.stop().fine();
}

#[test]
fn no_personal_data_of_a_conversation_is_logged() {
    const PLANTED: [&str; 4] =
        ["grace.hopper@navy.example", "4111 1111 1111 1111", "DE89 3704 0044 0532 0130 00", "quorvex-hunter2"];
    let octavo = Octavo::new().with("OCTAVO_ADMIN_TOKEN", ADMIN);
    let log = octavo.path("log");
    let server = octavo.start_logging_to(File::create(&log).unwrap(), &["serve", "--log-level", "trace"]);
    let conversations = format!("{}/conversations", organization(&server));
    let [mail, card, account, password] = PLANTED;
    let text = format!("I am {mail}. I cannot pay with {card} or {account}. My password: {password}");
    let talk = json!({"id": "a", "parts": [{"type": "message", "role": "user", "body": text}]});
    assert_eq!(server.post(&conversations, ADMIN, &talk.to_string()).status, 204);
    let until = Instant::now() + Duration::from_secs(60);
    while !server.get(&conversations, ADMIN).json()["items"][0]["processedAt"].is_string() {
        assert!(Instant::now() < until, "the conversation is processed");
        std::thread::sleep(Duration::from_millis(100));
    }
    server.stop().fine();
    let logged = std::fs::read_to_string(log).unwrap();
    assert!(logged.len() > 10_000 && logged.contains("/conversations"), "everything is logged");
    let found: Vec<&str> = PLANTED.into_iter().filter(|secret| logged.contains(secret)).collect();
    assert!(found.is_empty(), "{found:?}");
}
