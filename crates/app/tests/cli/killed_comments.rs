//! A server that is killed while many clients discuss: acknowledged comments, replies, reactions and decisions are
//! there afterwards, each once, and so are their notifications; the counters are true, and webhooks get every event.
use crate::harness::{Octavo, Server};
use crate::killed::{TOKEN, make_space, octavo, organization};
use crate::request::{Answer, send};
use acceptance::Backend;
use rstest::rstest;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// The number of kills, unless `OCTAVO_TEST_KILLS` sets it.
const KILLS: usize = 6;
/// The number of clients.
const CLIENTS: usize = 8;
/// The fewest comments that are acknowledged before a kill.
const COMMENTS: usize = 20;
/// The longest time until everything is sent.
const HANG: Duration = Duration::from_secs(120);
/// The events of a discussion, in their order.
const EVENTS: [&str; 4] = ["comment_posted", "comment_reply_posted", "comment_reactions_updated", "comment_resolved"];

/// What was acknowledged about a comment. Each was sent once.
#[derive(Default)]
struct Acknowledged {
    reply: Option<String>,
    reacted: bool,
    resolved: bool,
}

impl Acknowledged {
    /// The events that a webhook gets at least.
    fn events(&self) -> BTreeSet<&'static str> {
        let happened = [true, self.reply.is_some(), self.reacted, self.resolved];
        EVENTS.into_iter().zip(happened).filter(|(_, happened)| *happened).map(|(event, _)| event).collect()
    }
}

/// A discussion at a server.
struct Place<'p> {
    address: &'p str,
    space: &'p str,
    /// A text that mentions bob.
    text: &'p str,
    known: &'p Mutex<BTreeMap<String, Acknowledged>>,
}

impl Place<'_> {
    fn ask(&self, request: &str, body: &str) -> Option<Value> {
        let Answer { status, body, .. } = send(TcpStream::connect(self.address).ok()?, TOKEN, request, "", body)?;
        (status == 200).then_some(body)
    }

    /// Opens a thread and continues it; `None` as soon as the server has stopped.
    fn discuss(&self, turn: usize) -> Option<()> {
        let id_of = |made: Value| made["id"].as_str().map(str::to_owned);
        let comments = format!("/v1/spaces/{}/comments", self.space);
        let id = id_of(self.ask(&format!("POST {comments}"), self.text)?)?;
        let note =
            |change: &dyn Fn(&mut Acknowledged)| change(self.known.lock().unwrap().entry(id.clone()).or_default());
        note(&|_| {});
        let reply = id_of(self.ask(&format!("POST {comments}/{id}/replies"), self.text)?)?;
        note(&|one| one.reply = Some(reply.clone()));
        self.ask(&format!("PUT {comments}/{id}"), r#"{"addedReactions":["1f44d"]}"#)?;
        note(&|one| one.reacted = true);
        if turn.is_multiple_of(2) {
            self.ask(&format!("PUT {comments}/{id}"), r#"{"resolved":true}"#)?;
            note(&|one| one.resolved = true);
        }
        Some(())
    }
}

/// A receiver of webhooks that accepts every request. Returns its URL, and the events that it has got.
fn receiver() -> (String, Arc<Mutex<Vec<Value>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let got = Arc::<Mutex<Vec<Value>>>::default();
    let events = got.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            // A server that is killed sends a part of a request.
            if let Some(event) = stream.ok().and_then(receive) {
                events.lock().unwrap().push(event);
            }
        }
    });
    (url, got)
}

/// Reads a request and accepts it. It counts as received even if the server is gone by then.
fn receive(mut stream: TcpStream) -> Option<Value> {
    let (mut request, mut part) = (Vec::new(), [0; 4096]);
    loop {
        let length = stream.read(&mut part).ok().filter(|length| *length > 0)?;
        request.extend_from_slice(&part[..length]);
        let text = String::from_utf8_lossy(&request);
        let event = text.split_once("\r\n\r\n").and_then(|(_, body)| serde_json::from_str(body).ok());
        if event.is_some() {
            let _gone = stream.write_all(b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n");
            return event;
        }
    }
}

/// All items of a list.
fn all(server: &Server, list: &str, token: &str) -> Vec<Value> {
    let (mut found, mut page) = (Vec::new(), String::new());
    loop {
        let list = server.get(&format!("{list}?limit=1000{page}"), token).json();
        found.extend(list["items"].as_array().unwrap().iter().cloned());
        match list["next"]["page"].as_str() {
            Some(next) => page = format!("&page={next}"),
            None => return found,
        }
    }
}

/// The member bob: his id and his token.
pub(crate) fn bob(octavo: &Octavo) -> (String, String) {
    let made = octavo.run(&["user", "create", "bob@example.org", "--role", "comment", "--json"]).fine().json();
    let token = octavo.run(&["token", "create", "--user", "bob@example.org"]).fine().stdout;
    (made["id"].as_str().unwrap().to_owned(), token.trim().to_owned())
}

/// A text that mentions a user.
pub(crate) fn mentioning(user: &str) -> String {
    let mention = json!({"object": "inline", "type": "mention", "isVoid": true,
        "data": {"ref": {"kind": "user", "user": user}}});
    let words =
        json!({"object": "text", "leaves": [{"object": "leaf", "text": "Said while it was killed", "marks": []}]});
    let block = json!({"object": "block", "type": "paragraph", "nodes": [words, mention]});
    json!({"body": {"document": {"object": "document", "data": {}, "nodes": [block]}}}).to_string()
}

/// Waits until a webhook has got everything.
fn wait_until_sent(server: &Server, webhook: &str) {
    let begun = Instant::now();
    let pending = format!("{webhook}/deliveries?state=pending&limit=1");
    while server.get(&pending, TOKEN).json()["count"] != 0 {
        assert!(begun.elapsed() < HANG, "deliveries are pending");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[rstest]
fn a_discussion_survives_kills(#[values(Backend::Sqlite, Backend::Postgres)] backend: Backend) {
    let Some(octavo) = octavo(backend) else { return };
    let octavo = octavo.with("OCTAVO_ALLOW_PRIVATE_FETCH", "true");
    let kills = std::env::var("OCTAVO_TEST_KILLS").map_or(KILLS, |kills| kills.parse().unwrap());
    let (url, received) = receiver();
    let server = octavo.start(&["serve"]);
    let organization = organization(&server);
    let space = make_space(&server.address, &organization).unwrap();
    let (bob, token_of_bob) = bob(&octavo);
    let webhooks = format!("/v1/orgs/{organization}/webhooks");
    let made = server.post(&webhooks, TOKEN, &json!({"url": url, "events": EVENTS}).to_string());
    assert_eq!(made.status, 201, "{}", made.body);
    let made: Value = serde_json::from_str(&made.body).unwrap();
    let webhook = format!("{webhooks}/{}", made["id"].as_str().unwrap());
    server.stop().fine();

    let (known, text) = (Mutex::new(BTreeMap::new()), mentioning(&bob));
    for round in 0..kills {
        let server = octavo.start(&["serve"]);
        let place = &Place { address: &server.address, space: &space, text: &text, known: &known };
        std::thread::scope(|scope| {
            for client in 0..CLIENTS {
                scope.spawn(move || (client..).try_for_each(|turn| place.discuss(turn)));
            }
            let (begun, before) = (Instant::now(), known.lock().unwrap().len());
            while known.lock().unwrap().len() < before + COMMENTS + round % COMMENTS && begun.elapsed() < HANG {
                std::thread::sleep(Duration::from_millis(1));
            }
            server.signal("KILL");
        });
        assert_eq!(server.wait().code, -1, "it was killed");
    }

    // The leases of the killed servers would end after five minutes.
    octavo.change("UPDATE jobs SET leased_until = NULL");
    let server = octavo.start(&["serve"]);
    let known = known.into_inner().unwrap();
    assert!(known.len() >= kills * COMMENTS, "only {} were written", known.len());
    let comments = all(&server, &format!("/v1/spaces/{space}/comments"), TOKEN);
    check_comments(&known, &comments);
    let open = comments.iter().filter(|one| one["status"] == "open").count();
    assert_eq!(server.get(&format!("/v1/spaces/{space}"), TOKEN).json()["comments"], open);
    check_notifications(&known, &comments, &all(&server, "/v1/user/notifications", &token_of_bob));
    wait_until_sent(&server, &webhook);
    check_events(&known, &comments, &received.lock().unwrap());
    server.stop().fine();
}

fn check_comments(known: &BTreeMap<String, Acknowledged>, comments: &[Value]) {
    let stored: BTreeMap<&str, &Value> = comments.iter().map(|one| (one["id"].as_str().unwrap(), one)).collect();
    for (id, acknowledged) in known {
        let one = stored.get(id.as_str()).unwrap_or_else(|| panic!("{id} is lost"));
        assert!(acknowledged.reply.is_none() || one["replies"] == 1, "{one}");
        assert!(!acknowledged.reacted || one["reactions"][0]["count"] == 1, "{one}");
        assert!(!acknowledged.resolved || one["status"] == "resolved", "{one}");
    }
    let doubled = comments.iter().filter(|one| one["replies"].as_u64() > Some(1)).count();
    assert_eq!(doubled, 0, "each was sent once");
}

/// Bob has one notification of each comment, each reply and each resolution that is stored.
fn check_notifications(known: &BTreeMap<String, Acknowledged>, comments: &[Value], all: &[Value]) {
    let of = |one: &Value| {
        let text = |field: &str| one[field].as_str().unwrap_or_default().to_owned();
        (text("kind"), text("comment"), text("reply"))
    };
    let found: BTreeSet<_> = all.iter().map(of).collect();
    assert_eq!(found.len(), all.len(), "none is doubled");
    for (id, acknowledged) in known {
        let has = |kind: &str, reply: &str| {
            assert!(found.contains(&(kind.to_owned(), id.clone(), reply.to_owned())), "{kind} {id} {reply} is lost");
        };
        has("mention", "");
        if let Some(reply) = &acknowledged.reply {
            has("mention", reply);
        }
        if acknowledged.resolved {
            has("resolved", "");
        }
    }
    let stored =
        comments.iter().map(|one| 1 + one["replies"].as_u64().unwrap() + u64::from(one["status"] == "resolved"));
    assert_eq!(all.len() as u64, stored.sum::<u64>(), "there is none of what was not stored");
}

/// The webhook has got the events of each comment, in their order.
fn check_events(known: &BTreeMap<String, Acknowledged>, comments: &[Value], received: &[Value]) {
    let mut seen = BTreeSet::new();
    let mut by_comment: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for event in received {
        // An event can arrive again.
        if seen.insert(event["id"].as_str().unwrap()) {
            let comment = event["target"]["id"].as_str().unwrap();
            by_comment.entry(comment).or_default().push(event["type"].as_str().unwrap());
        }
    }
    eprintln!("{} requests with {} events of {} comments", received.len(), seen.len(), comments.len());
    for (comment, events) in &by_comment {
        let in_order: Vec<&str> = EVENTS.into_iter().filter(|event| events.contains(event)).collect();
        assert_eq!(*events, in_order, "{comment}");
        assert!(comments.iter().any(|one| one["id"] == *comment), "{comment} was rolled back");
    }
    for (id, acknowledged) in known {
        let got = by_comment.get(id.as_str()).map(|events| events.iter().copied().collect()).unwrap_or_default();
        assert!(acknowledged.events().is_subset(&got), "{id}: {got:?} of {:?}", acknowledged.events());
    }
}
