//! A server that is killed: acknowledged changes are complete afterwards, and repeated requests are applied once.
use crate::harness::{Octavo, Server};
use crate::request::{Answer, send};
use acceptance::Backend;
use rstest::rstest;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::net::TcpStream;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Mutex, RwLock};
use std::time::Duration;

pub(crate) const TOKEN: &str = "a-token-that-the-operator-chose";
/// The number of kills.
const ROUNDS: u64 = 8;
/// The number of clients that create spaces.
const WRITERS: usize = 8;
/// The number of clients that create and merge change requests.
const CLIENTS: usize = 16;
/// The number of change requests to merge.
const REQUESTS: usize = 100;
/// The numbers of acknowledged steps at which the server is killed; a change request has three steps.
const KILLS: [usize; 6] = [15, 60, 110, 160, 215, 270];
/// The polling interval.
const PAUSE: Duration = Duration::from_millis(2);

/// Creates a space and returns its id; `None` if the server ended before the response.
pub(crate) fn make_space(address: &str, organization: &str) -> Option<String> {
    let body = r#"{"title":"Written while it was killed"}"#;
    let made =
        send(TcpStream::connect(address).ok()?, TOKEN, &format!("POST /v1/orgs/{organization}/spaces"), "", body)?;
    (made.status == 201).then(|| made.body["id"].as_str().map(str::to_owned))?
}

/// The id of the server's first organization.
pub(crate) fn organization(server: &Server) -> String {
    server.get("/v1/orgs", TOKEN).json()["items"][0]["id"].as_str().unwrap().to_owned()
}

/// An installation whose administrator has [`TOKEN`].
pub(crate) fn octavo(backend: Backend) -> Option<Octavo> {
    let octavo = Octavo::on(backend)?;
    Some(octavo.with("OCTAVO_ADMIN_TOKEN", TOKEN).with("OCTAVO_RATE_LIMIT", "0").with("OCTAVO_LOG", "error"))
}

#[rstest]
fn what_was_acknowledged_survives_a_kill(#[values(Backend::Sqlite, Backend::Postgres)] backend: Backend) {
    let Some(octavo) = octavo(backend) else { return };
    let acknowledged = Mutex::new(HashSet::new());
    for round in 0..ROUNDS {
        let server = octavo.start(&["serve"]);
        let organization = organization(&server);
        let address = server.address.clone();
        let before = acknowledged.lock().unwrap().len();
        std::thread::scope(|scope| {
            for _ in 0..WRITERS {
                scope.spawn(|| {
                    while let Some(id) = make_space(&address, &organization) {
                        acknowledged.lock().unwrap().insert(id);
                    }
                });
            }
            // Also a busy machine writes something in each round.
            while acknowledged.lock().unwrap().len() < before + 2 {
                std::thread::sleep(Duration::from_millis(1));
            }
            std::thread::sleep(Duration::from_millis(40 + round * 37));
            server.signal("KILL");
        });
        assert_eq!(server.wait().code, -1, "it was killed");
    }

    let server = octavo.start(&["serve"]);
    let organization = organization(&server);
    let stored = server.spaces(&organization, TOKEN);
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

/// The text of a page.
fn text(number: usize) -> String {
    format!("Its own word is word{number}x.")
}

/// Clients of a server that is killed and restarted.
struct Clients {
    /// The current address of the server, or its last one.
    address: RwLock<String>,
    space: String,
    /// The number of acknowledged steps.
    steps: AtomicUsize,
    /// The number of requests without a complete response.
    cut: AtomicUsize,
    /// The number of steps that were applied, with a lost response.
    unknown: AtomicUsize,
    /// The revisions of acknowledged merges, by the client's number of the request.
    merged: Mutex<BTreeMap<usize, String>>,
}

impl Clients {
    fn path(&self, rest: &str) -> String {
        format!("/v1/spaces/{}{rest}", self.space)
    }

    /// Sends a request once, to the current address.
    fn try_once(&self, request: &str, headers: &str, body: &str) -> Option<Answer> {
        let address = self.address.read().unwrap().clone();
        let answer = send(TcpStream::connect(address).ok()?, TOKEN, request, headers, body);
        self.cut.fetch_add(usize::from(answer.is_none()), SeqCst);
        answer
    }

    fn get(&self, path: &str) -> Value {
        loop {
            match self.try_once(&format!("GET {path}"), "", "") {
                Some(Answer { status: 200, body, .. }) => return body,
                Some(Answer { status: 503, .. }) | None => std::thread::sleep(PAUSE),
                Some(Answer { status, body, .. }) => panic!("{path}: {status} {body}"),
            }
        }
    }

    /// Repeats a request with one idempotency key until its outcome is known. `made` finds the result if the response
    /// only states that the request was applied, or is running.
    fn step(&self, key: &str, path: &str, body: &str, made: impl Fn() -> Option<Value>) -> Value {
        let (request, header) = (format!("POST {path}"), format!("Idempotency-Key: {key}\r\n"));
        let done = loop {
            match self.try_once(&request, &header, body) {
                Some(Answer { status: 200 | 201, body, .. }) => break body,
                Some(Answer { status: 409, .. }) => {
                    if let Some(made) = made() {
                        self.unknown.fetch_add(1, SeqCst);
                        break made;
                    }
                }
                Some(Answer { status: 503, .. }) | None => {}
                Some(Answer { status, body, .. }) => panic!("{path}: {status} {body}"),
            }
            std::thread::sleep(PAUSE);
        };
        self.steps.fetch_add(1, SeqCst);
        done
    }

    /// The change requests in every state.
    fn change_requests(&self) -> Vec<Value> {
        let states = "status=draft&status=open&status=archived&status=merged";
        let list = self.get(&self.path(&format!("/change-requests?{states}&limit=1000")));
        list["items"].as_array().unwrap().clone()
    }

    /// Creates a change request with one new page, and merges it.
    fn propose_and_merge(&self, number: usize) {
        let subject = format!("Request {number}");
        let body = json!({ "subject": subject }).to_string();
        let found = || self.change_requests().into_iter().find(|one| one["subject"] == subject.as_str());
        let request = self.step(&format!("create-{number}"), &self.path("/change-requests"), &body, found);
        let at = self.path(&format!("/change-requests/{}", request["id"].as_str().unwrap()));
        let page = json!({ "operation": "insert_page", "title": format!("Page {number}"),
            "document": { "markdown": text(number) } });
        let body = json!({ "changes": [page] }).to_string();
        let edited = || Some(self.get(&at)).filter(|now| now["revision"] != now["revisionInitial"]);
        self.step(&format!("insert-{number}"), &format!("{at}/content"), &body, edited);
        let landed = || {
            let now = self.get(&at);
            (now["status"] == "merged").then(|| json!({ "result": "merge", "revision": now["revisionMerged"] }))
        };
        let outcome = self.step(&format!("merge-{number}"), &format!("{at}/merge"), "", landed);
        assert_eq!(outcome["result"], "merge", "request {number}");
        let revision = outcome["revision"].as_str().unwrap().to_owned();
        self.merged.lock().unwrap().insert(number, revision);
    }
}

#[rstest]
fn merges_survive_kills_and_what_is_sent_again_is_done_once(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let Some(octavo) = octavo(backend) else { return };
    let server = octavo.start(&["serve"]);
    let space = make_space(&server.address, &organization(&server)).unwrap();
    let clients = Clients {
        address: RwLock::new(server.address.clone()),
        space,
        steps: AtomicUsize::new(0),
        cut: AtomicUsize::new(0),
        unknown: AtomicUsize::new(0),
        merged: Mutex::default(),
    };
    let server = std::thread::scope(|scope| {
        let mut server = server;
        let start = |client| {
            let clients = &clients;
            scope
                .spawn(move || (client..REQUESTS).step_by(CLIENTS).for_each(|number| clients.propose_and_merge(number)))
        };
        let running: Vec<_> = (0..CLIENTS).map(start).collect();
        for kill in KILLS {
            while clients.steps.load(SeqCst) < kill && running.iter().any(|client| !client.is_finished()) {
                std::thread::sleep(PAUSE);
            }
            server.signal("KILL");
            assert_eq!(server.wait().code, -1, "it was killed");
            server = octavo.start(&["serve"]);
            clients.address.write().unwrap().clone_from(&server.address);
        }
        server
    });
    let (cut, unknown) = (clients.cut.load(SeqCst), clients.unknown.load(SeqCst));
    eprintln!("{cut} requests were cut off");
    assert_eq!(unknown, 0, "steps were found done with the answer lost");
    assert!(cut >= KILLS.len(), "the server was killed while it had nothing to do");

    let requests = clients.change_requests();
    check_requests(&clients, &requests);
    check_pages(&clients);
    check_history(&clients, &requests);
    // A repeated merge gets the first response.
    let primary = clients.get(&clients.path(""));
    for request in &requests {
        let (number, id) = (number_of(request), request["id"].as_str().unwrap());
        let merge = format!("POST {}", clients.path(&format!("/change-requests/{id}/merge")));
        let again = clients.try_once(&merge, &format!("Idempotency-Key: merge-{number}\r\n"), "").unwrap();
        assert_eq!((again.status, &again.body["revision"]), (200, &request["revisionMerged"]), "request {number}");
    }
    assert_eq!(clients.get(&clients.path("")), primary);
    server.stop().fine();
}

/// The client's number of a change request.
fn number_of(request: &Value) -> usize {
    request["subject"].as_str().unwrap().strip_prefix("Request ").unwrap().parse().unwrap()
}

/// Every change request exists once, merged as acknowledged, and counted.
fn check_requests(clients: &Clients, requests: &[Value]) {
    assert_eq!(requests.len(), REQUESTS);
    let stored: BTreeMap<usize, String> = requests
        .iter()
        .inspect(|request| assert_eq!(request["status"], "merged", "{request}"))
        .map(|request| (number_of(request), request["revisionMerged"].as_str().unwrap().to_owned()))
        .collect();
    assert_eq!(stored, *clients.merged.lock().unwrap(), "each is merged as its client was told");
    let mut numbers: Vec<u64> = requests.iter().map(|request| request["number"].as_u64().unwrap()).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, (1..=REQUESTS as u64).collect::<Vec<_>>(), "no number is left out, none is given twice");
    let space = clients.get(&clients.path(""));
    let counted = ["changeRequests", "changeRequestsOpen", "changeRequestsDraft"].map(|name| space[name].clone());
    assert_eq!(counted, [json!(REQUESTS), json!(0), json!(0)]);
}

/// Every inserted page exists once, with its text, and search finds it.
fn check_pages(clients: &Clients) {
    let tree = clients.get(&clients.path("/content/pages"));
    let pages = tree["pages"].as_array().unwrap();
    let mut titles: Vec<&str> = pages.iter().map(|page| page["title"].as_str().unwrap()).collect();
    titles.sort_unstable();
    let mut expected: Vec<String> = (0..REQUESTS).map(|number| format!("Page {number}")).collect();
    expected.push("Page".to_owned());
    expected.sort_unstable();
    assert_eq!(titles, expected, "with the page that the space began with");
    for page in pages.iter().filter(|page| page["title"] != "Page") {
        let (id, title) = (page["id"].as_str().unwrap(), page["title"].as_str().unwrap());
        let whole = clients.get(&clients.path(&format!("/content/page/{id}?format=markdown")));
        let text = text(title.strip_prefix("Page ").unwrap().parse().unwrap());
        assert!(whole["markdown"].as_str().unwrap().contains(&text), "{title}: {whole}");
    }
    for number in (0..REQUESTS).step_by(10) {
        let found = clients.get(&clients.path(&format!("/search?query=word{number}x")));
        assert_eq!(found["items"][0]["title"], format!("Page {number}"), "{found}");
    }
}

/// The history is one line of merges. Each joins the previous one with the only edit of its change request, and this
/// edit is based on an earlier merge.
fn check_history(clients: &Clients, requests: &[Value]) {
    let revision = |id: &str| clients.get(&clients.path(&format!("/revisions/{id}")));
    let parents = |revision: &Value| -> Vec<String> {
        revision["parents"].as_array().unwrap().iter().map(|id| id.as_str().unwrap().to_owned()).collect()
    };
    let by_merge: BTreeMap<&str, &Value> =
        requests.iter().map(|request| (request["revisionMerged"].as_str().unwrap(), request)).collect();
    let mut at = clients.get(&clients.path(""))["revision"].as_str().unwrap().to_owned();
    let (mut line, mut edits) = (vec![at.clone()], Vec::new());
    loop {
        let merge = revision(&at);
        let [before, edit] = parents(&merge).try_into().unwrap_or_else(|other: Vec<_>| {
            assert_eq!((other.len(), line.len()), (0, REQUESTS + 1), "the line ends where the space began");
            Default::default()
        });
        if before.is_empty() {
            break;
        }
        let request = by_merge[at.as_str()];
        assert_eq!((&merge["type"], &request["revision"]), (&json!("merge"), &json!(edit)), "{merge}");
        assert_eq!(merge["mergedFrom"]["id"], request["id"]);
        edits.push((line.len(), edit, request["revisionInitial"].clone()));
        line.push(before.clone());
        at = before;
    }
    assert_eq!(line.iter().collect::<BTreeSet<_>>().len(), REQUESTS + 1);
    for (place, edit, initial) in edits {
        assert_eq!(json!(parents(&revision(&edit))), json!([initial]));
        assert!(line[place..].iter().any(|earlier| initial == earlier.as_str()), "{edit} is based on what came later");
    }
}
