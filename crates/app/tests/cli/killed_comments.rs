//! A server that is killed while many clients discuss: acknowledged comments, replies, reactions and decisions are there
//! afterwards, each once, and the counters are true.
use crate::harness::Server;
use crate::killed::{TOKEN, make_space, octavo, organization};
use crate::request::{Answer, send};
use acceptance::Backend;
use rstest::rstest;
use serde_json::Value;
use std::collections::BTreeMap;
use std::net::TcpStream;
use std::sync::Mutex;
use std::time::Duration;

/// The number of kills.
const ROUNDS: u64 = 10;
/// The number of clients.
const CLIENTS: usize = 8;
const TEXT: &str = r#"{"body":{"markdown":"Said while it was killed"}}"#;

/// What was acknowledged about a comment. Each was sent once.
#[derive(Default)]
struct Acknowledged {
    replied: bool,
    reacted: bool,
    resolved: bool,
}

fn ask(address: &str, request: &str, body: &str) -> Option<Value> {
    let Answer { status, body, .. } = send(TcpStream::connect(address).ok()?, TOKEN, request, "", body)?;
    (status == 200).then_some(body)
}

/// Opens a thread and goes on with it; `None` as soon as the server is gone.
fn discuss(address: &str, space: &str, turn: usize, known: &Mutex<BTreeMap<String, Acknowledged>>) -> Option<()> {
    let comments = format!("/v1/spaces/{space}/comments");
    let id = ask(address, &format!("POST {comments}"), TEXT)?["id"].as_str()?.to_owned();
    let note = |change: fn(&mut Acknowledged)| change(known.lock().unwrap().entry(id.clone()).or_default());
    note(|_| {});
    ask(address, &format!("POST {comments}/{id}/replies"), TEXT)?;
    note(|one| one.replied = true);
    ask(address, &format!("PUT {comments}/{id}"), r#"{"addedReactions":["1f44d"]}"#)?;
    note(|one| one.reacted = true);
    if turn.is_multiple_of(2) {
        ask(address, &format!("PUT {comments}/{id}"), r#"{"resolved":true}"#)?;
        note(|one| one.resolved = true);
    }
    Some(())
}

/// All comments of a space.
fn all(server: &Server, space: &str) -> Vec<Value> {
    let (mut found, mut page) = (Vec::new(), String::new());
    loop {
        let list = server.get(&format!("/v1/spaces/{space}/comments?limit=1000{page}"), TOKEN).json();
        found.extend(list["items"].as_array().unwrap().iter().cloned());
        match list["next"]["page"].as_str() {
            Some(next) => page = format!("&page={next}"),
            None => return found,
        }
    }
}

#[rstest]
fn a_discussion_survives_kills(#[values(Backend::Sqlite, Backend::Postgres)] backend: Backend) {
    let Some(octavo) = octavo(backend) else { return };
    let known = Mutex::new(BTreeMap::new());
    let mut space = None;
    for round in 0..ROUNDS {
        let server = octavo.start(&["serve"]);
        let place = space.get_or_insert_with(|| make_space(&server.address, &organization(&server)).unwrap());
        let (address, place, known) = (server.address.as_str(), place.as_str(), &known);
        std::thread::scope(|scope| {
            for client in 0..CLIENTS {
                scope.spawn(move || (client..).try_for_each(|turn| discuss(address, place, turn, known)));
            }
            std::thread::sleep(Duration::from_millis(200 + round * 61));
            server.signal("KILL");
        });
        assert_eq!(server.wait().code, -1, "it was killed");
    }

    let (space, known) = (space.unwrap(), known.into_inner().unwrap());
    let server = octavo.start(&["serve"]);
    let stored: BTreeMap<String, Value> =
        all(&server, &space).into_iter().map(|one| (one["id"].as_str().unwrap().to_owned(), one)).collect();
    assert!(known.len() > ROUNDS as usize, "only {} were written", known.len());
    for (id, acknowledged) in &known {
        let one = stored.get(id).unwrap_or_else(|| panic!("{id} is lost"));
        assert!(!acknowledged.replied || one["replies"] == 1, "{one}");
        assert!(!acknowledged.reacted || one["reactions"][0]["count"] == 1, "{one}");
        assert!(!acknowledged.resolved || one["status"] == "resolved", "{one}");
    }
    let doubled = stored.values().filter(|one| one["replies"].as_u64() > Some(1)).count();
    assert_eq!(doubled, 0, "each was sent once");
    let open = stored.values().filter(|one| one["status"] == "open").count();
    assert_eq!(server.get(&format!("/v1/spaces/{space}"), TOKEN).json()["comments"], open);
    server.stop().fine();
}
