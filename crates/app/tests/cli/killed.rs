//! A server that is killed: what it acknowledged is there afterwards, whole.
use crate::harness::{Octavo, Server};
use serde_json::Value;
use std::collections::HashSet;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Mutex;
use std::time::Duration;

const TOKEN: &str = "a-token-that-the-operator-chose";
/// How often the server is killed.
const ROUNDS: u64 = 8;
/// How many clients write at once.
const WRITERS: usize = 8;

/// Makes a space; its id, once that was acknowledged. Nothing when the server went away before.
fn make_space(address: &str, organization: &str) -> Option<String> {
    let mut stream = TcpStream::connect(address).ok()?;
    let body = r#"{"title":"Written while it was killed"}"#;
    let head = format!(
        "POST /v1/orgs/{organization}/spaces HTTP/1.0\r\nHost: {address}\r\nAuthorization: Bearer {TOKEN}\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(head.as_bytes()).ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    let (head, body) = answer.split_once("\r\n\r\n")?;
    let space: Value = serde_json::from_str(body).ok()?;
    head.contains(" 201 ").then(|| space["id"].as_str().map(str::to_owned))?
}

fn organization(server: &Server) -> String {
    server.get("/v1/orgs", TOKEN).json()["items"][0]["id"].as_str().unwrap().to_owned()
}

#[test]
fn what_was_acknowledged_survives_a_kill() {
    let octavo =
        Octavo::new().with("OCTAVO_ADMIN_TOKEN", TOKEN).with("OCTAVO_RATE_LIMIT", "0").with("OCTAVO_LOG", "error");
    let acknowledged = Mutex::new(HashSet::new());
    for round in 0..ROUNDS {
        let server = octavo.start(&["serve"]);
        let organization = organization(&server);
        let address = server.address.clone();
        std::thread::scope(|scope| {
            for _ in 0..WRITERS {
                scope.spawn(|| {
                    while let Some(id) = make_space(&address, &organization) {
                        acknowledged.lock().unwrap().insert(id);
                    }
                });
            }
            std::thread::sleep(Duration::from_millis(40 + round * 37));
            server.signal("KILL");
        });
        assert_eq!(server.wait().code, -1, "it was killed");
    }

    let server = octavo.start(&["serve"]);
    let organization = organization(&server);
    let mut stored = HashSet::new();
    let mut path = format!("/v1/orgs/{organization}/spaces?limit=1000");
    loop {
        let list = server.get(&path, TOKEN).json();
        stored.extend(list["items"].as_array().unwrap().iter().map(|space| space["id"].as_str().unwrap().to_owned()));
        match list["next"]["page"].as_str() {
            Some(page) => path = format!("/v1/orgs/{organization}/spaces?limit=1000&page={page}"),
            None => break,
        }
    }
    let acknowledged = acknowledged.into_inner().unwrap();
    assert!(acknowledged.len() > ROUNDS as usize, "only {} were written", acknowledged.len());
    let lost: Vec<_> = acknowledged.difference(&stored).collect();
    assert!(lost.is_empty(), "{} of {} are lost", lost.len(), acknowledged.len());
    for id in &stored {
        let pages = server.get(&format!("/v1/spaces/{id}/content/pages"), TOKEN).json();
        assert_eq!(pages["pages"].as_array().unwrap().len(), 1, "{id} is there by half");
    }
    server.stop().fine();
}
