//! Every pair of write operations, at the same time on the same objects.
use acceptance::{Answer, Backend, Caller, World};
use actix_web::http::Method;
use actix_web::rt::spawn;
use chrono::TimeDelta;
use domain::access::Role;
use domain::content::merge::{Conflict, Subject, Value as MergeValue};
use domain::content::page::Variable;
use domain::id::{ConflictId, SpaceId};
use domain::job::{Job, Task};
use domain::ports::store::change_requests::OpenConflict;
use domain::retention::Stage as PurgeStage;
use metrics::{Counter, Gauge, Histogram, Key, KeyName, Metadata, Recorder, SharedString, Unit};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The number of clients for each of the two operations.
const CLIENTS: usize = 4;
/// The pairs are divided among this many test cases, which run in parallel.
const PARTS: usize = 4;

/// One request: method, path below `/v1`, and body. A word in braces is an object of the stage; `{made}` is what the
/// previous request created, and `{client}` the number of the client.
type Step = (&'static str, &'static str, &'static str);

/// The operations, each with the requests that prepare it and clean up after it.
const OPERATIONS: &[(&str, &[Step])] = &[
    ("make an organization", &[("POST", "/orgs", r#"{"title": "Another"}"#)]),
    ("change the organization", &[("PATCH", "/orgs/{org}", r#"{"title": "Engines {client}"}"#)]),
    ("change a member", &[("PATCH", "/orgs/{org}/members/{eve}", r#"{"role": "comment"}"#)]),
    ("mark a member", &[("POST", "/orgs/{org}/members/{eve}/sso", "")]),
    (
        "remove a member and invite again",
        &[
            ("DELETE", "/orgs/{org}/members/{eve}", ""),
            (
                "POST",
                "/orgs/{org}/invites",
                r#"{"emails": ["b{client}@example.org", "eve@example.org"], "role": "edit"}"#,
            ),
        ],
    ),
    ("note that a member is there", &[("POST", "/orgs/{org}/ping", "")]),
    ("join", &[("POST by eve", "/orgs/{other}/join", ""), ("DELETE by eve", "/orgs/{other}/members/{eve}", "")]),
    (
        "make and remove a team",
        &[
            ("PUT", "/orgs/{org}/teams", r#"{"title": "Team", "members": ["{eve}"]}"#),
            ("POST", "/spaces/{space}/permissions", r#"{"role": "read", "teams": ["{made}"]}"#),
            ("DELETE", "/orgs/{org}/teams/{made}", ""),
        ],
    ),
    ("change a team", &[("PATCH", "/orgs/{org}/teams/{team}", r#"{"title": "Team {client}"}"#)]),
    (
        "change who is in a team",
        &[
            ("PUT", "/orgs/{org}/teams/{team}/members/{eve}", "{}"),
            ("DELETE", "/orgs/{org}/teams/{team}/members/{eve}", ""),
        ],
    ),
    (
        "use an invite by link",
        &[
            ("POST", "/orgs/{org}/link-invites", r#"{"level": "comment", "space": "{space}"}"#),
            ("PATCH", "/orgs/{org}/link-invites/{made}", r#"{"level": "edit"}"#),
            ("POST", "/orgs/{org}/invites/{made}", ""),
            ("DELETE", "/orgs/{org}/link-invites/{made}", ""),
        ],
    ),
    (
        "tell agents",
        &[(
            "PUT",
            "/orgs/{org}/agent-instructions",
            r#"{"instructions": {"object": "document", "data": {}, "nodes": []}}"#,
        )],
    ),
    ("change a collection", &[("PATCH", "/collections/{collection}", r#"{"title": "Shelf {client}"}"#)]),
    (
        "move a collection",
        &[
            ("POST", "/collections/{inner}/move", r#"{"parent": null}"#),
            ("POST", "/collections/{inner}/move", r#"{"parent": "{collection}"}"#),
        ],
    ),
    (
        "transfer a collection",
        &[
            ("POST", "/collections/{collection}/transfer", r#"{"organization": "{other}"}"#),
            ("POST", "/collections/{collection}/transfer", r#"{"organization": "{org}"}"#),
        ],
    ),
    (
        "delete a collection with a space in it",
        &[
            ("POST", "/orgs/{org}/collections", r#"{"title": "Box", "parent": "{collection}"}"#),
            ("POST", "/spaces/{space}/move", r#"{"parent": "{made}"}"#),
            ("DELETE", "/collections/{made}", ""),
            ("POST", "/spaces/{space}/restore", ""),
        ],
    ),
    (
        "grant on a collection",
        &[
            (
                "POST",
                "/collections/{collection}/permissions",
                r#"{"role": "edit", "users": ["{eve}"], "teams": ["{team}"]}"#,
            ),
            ("PATCH", "/collections/{collection}/permissions/users/{eve}", r#"{"role": "read"}"#),
            ("DELETE", "/collections/{collection}/permissions/teams/{team}", ""),
        ],
    ),
    ("make a space", &[("POST", "/orgs/{org}/spaces", r#"{"title": "Another", "parent": "{collection}"}"#)]),
    (
        "change a space",
        &[("PATCH", "/spaces/{space}", r#"{"title": "Space {client}", "mergeRules": {"type": "inherit"}}"#)],
    ),
    (
        "move a space",
        &[
            ("POST", "/spaces/{space}/move", r#"{"parent": "{collection}"}"#),
            ("POST", "/spaces/{space}/move", r#"{"parent": null}"#),
        ],
    ),
    (
        "transfer a space",
        &[
            ("POST", "/spaces/{space}/transfer", r#"{"organization": "{other}"}"#),
            ("POST", "/spaces/{space}/transfer", r#"{"organization": "{org}"}"#),
        ],
    ),
    ("delete and restore a space", &[("DELETE", "/spaces/{space}", ""), ("POST", "/spaces/{space}/restore", "")]),
    ("duplicate a space", &[("POST", "/spaces/{space}/duplicate", "")]),
    (
        "grant on a space",
        &[
            ("POST", "/spaces/{space}/permissions", r#"{"role": "edit", "users": ["{eve}"], "teams": ["{team}"]}"#),
            ("PATCH", "/spaces/{space}/permissions/teams/{team}", r#"{"role": "read"}"#),
            ("DELETE", "/spaces/{space}/permissions/users/{eve}", ""),
        ],
    ),
    ("add a template", &[("POST", "/spaces/{space}/content/template", r#"{"id": "release-notes"}"#)]),
    ("make a change request", &[("POST", "/spaces/{space}/change-requests", r#"{"subject": "Another"}"#)]),
    (
        "change a change request",
        &[(
            "PATCH",
            "/spaces/{space}/change-requests/{request}",
            r#"{"subject": "Subject {client}", "status": "open"}"#,
        )],
    ),
    (
        "edit a change request",
        &[(
            "POST",
            "/spaces/{space}/change-requests/{request}/content",
            r##"{"changes": [{"operation": "insert_page", "document": {"markdown": "# New {client}\n\nWords."}}]}"##,
        )],
    ),
    (
        "ask for a review",
        &[
            (
                "POST",
                "/spaces/{space}/change-requests/{request}/requested-reviewers",
                r#"{"users": ["{eve}", "{bob}"]}"#,
            ),
            ("DELETE", "/spaces/{space}/change-requests/{request}/requested-reviewers/{eve}", ""),
        ],
    ),
    ("review", &[("POST", "/spaces/{space}/change-requests/{request}/reviews", r#"{"status": "approved"}"#)]),
    (
        "merge",
        &[
            ("POST", "/spaces/{space}/change-requests", r#"{"subject": "Merge"}"#),
            (
                "POST",
                "/spaces/{space}/change-requests/{made}/content",
                r##"{"changes": [{"operation": "insert_page", "document": {"markdown": "# Merged {client}"}}]}"##,
            ),
            ("POST", "/spaces/{space}/change-requests/{made}/merge", ""),
        ],
    ),
    ("bring a change request up to date", &[("POST", "/spaces/{space}/change-requests/{request}/update", "")]),
    (
        "decide a conflict",
        &[
            ("CONFLICT", "", ""),
            ("POST", "/spaces/{space}/change-requests/{request}/conflicts/{made}", r#"{"keep": "change"}"#),
        ],
    ),
    (
        "discuss a space",
        &[
            ("POST", "/spaces/{space}/comments", r#"{"body": {"markdown": "Why?"}}"#),
            ("POST", "/spaces/{space}/comments/{made}/replies", r#"{"body": {"markdown": "So."}}"#),
            ("PUT", "/spaces/{space}/comments/{made}", r#"{"resolved": true, "addedReactions": ["a"]}"#),
            ("DELETE", "/spaces/{space}/comments/{made}", ""),
        ],
    ),
    (
        "discuss a change request",
        &[
            ("POST", "/spaces/{space}/change-requests/{request}/comments", r#"{"body": {"markdown": "Why?"}}"#),
            (
                "POST",
                "/spaces/{space}/change-requests/{request}/comments/{made}/replies",
                r#"{"body": {"markdown": "So."}}"#,
            ),
            (
                "PUT",
                "/spaces/{space}/change-requests/{request}/comments/{made}",
                r#"{"resolved": true, "addedReactions": ["a"]}"#,
            ),
            ("DELETE", "/spaces/{space}/change-requests/{request}/comments/{made}", ""),
        ],
    ),
    (
        "make and withdraw a token",
        &[("POST", "/user/tokens", r#"{"label": "another"}"#), ("DELETE", "/user/tokens/{made}", "")],
    ),
    ("change an account", &[("PATCH", "/users/{self}", r#"{"displayName": "Name {client}"}"#)]),
    ("purge", &[("PURGE", "", "")]),
];

/// Counts requests that were run a second time.
#[derive(Clone, Default)]
struct Repeats(Arc<AtomicU64>);

impl Recorder for Repeats {
    fn describe_counter(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
    fn describe_gauge(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
    fn describe_histogram(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
    fn register_counter(&self, key: &Key, _: &Metadata<'_>) -> Counter {
        match key.name() {
            "octavo_http_requests_run_again_total" => Counter::from_arc(self.0.clone()),
            _ => Counter::noop(),
        }
    }
    fn register_gauge(&self, _: &Key, _: &Metadata<'_>) -> Gauge {
        Gauge::noop()
    }
    fn register_histogram(&self, _: &Key, _: &Metadata<'_>) -> Histogram {
        Histogram::noop()
    }
}

/// The objects of the operations, and the callers.
struct Stage {
    world: World,
    callers: [Caller; 2],
    eve: Caller,
    things: BTreeMap<&'static str, String>,
}

fn id(made: &Value) -> String {
    made["id"].as_str().unwrap_or_default().to_owned()
}

impl Stage {
    async fn set(backend: Backend) -> Option<Self> {
        let world = World::with_connections(backend, 2 * CLIENTS + 2).await?;
        // The purge job requires a clock that it has observed for some time.
        world.pass(TimeDelta::hours(2)).await;
        let bob = world.member("bob", Some(Role::Admin)).await;
        let eve = world.member("eve", Some(Role::Edit)).await;
        let ada = world.ada.clone();
        let rooms = json!({"title": "Elsewhere", "emailDomains": ["example.org"]});
        let other = ada.post("/orgs", rooms.clone()).await.id();
        ada.patch(&format!("/orgs/{other}"), rooms).await;
        let admins = json!({"emails": ["bob@example.org"], "role": "admin"});
        ada.post(&format!("/orgs/{other}/invites"), admins).await.ok();
        let team = ada.put(&world.org("/teams"), json!({"title": "Team"})).await.id();
        let things = [("org", world.organization.to_string()), ("other", other), ("team", team)];
        let people = [("eve", eve.id().to_owned()), ("bob", bob.id().to_owned())];
        let mut stage = Self { callers: [ada, bob], eve, world, things: things.into_iter().chain(people).collect() };
        stage.furnish().await;
        Some(stage)
    }

    /// Creates new objects: the old ones may have been moved or deleted.
    async fn furnish(&mut self) {
        let ada = &self.world.ada;
        let make = async |path: &str, body: Value| ada.post(&self.world.org(path), body).await.id();
        let collection = make("/collections", json!({"title": "Shelf"})).await;
        let inner = make("/collections", json!({"title": "Inner", "parent": collection})).await;
        let space = make("/spaces", json!({"title": "Space"})).await;
        let subject = json!({"subject": "Change"});
        let request = ada.post(&format!("/spaces/{space}/change-requests"), subject).await.id();
        self.things.extend([("collection", collection), ("inner", inner), ("space", space), ("request", request)]);
    }

    /// Whether the objects are still where they were created.
    async fn is_in_order(&self) -> bool {
        let space = self.world.ada.get(&format!("/spaces/{}", self.things["space"])).await;
        let collection = self.world.ada.get(&format!("/collections/{}", self.things["collection"])).await;
        let own = |answer: Answer| answer.status == 200 && answer.ok()["organization"] == self.things["org"].as_str();
        own(space) && own(collection)
    }

    fn fill(&self, text: &str, caller: &Caller, client: usize, made: &str) -> String {
        let mut text = text.replace("{client}", &client.to_string()).replace("{made}", made);
        text = text.replace("{self}", caller.id());
        self.things.iter().fold(text, |text, (name, value)| text.replace(&format!("{{{name}}}"), value))
    }

    /// Runs an operation. Returns the failures and the refusals.
    async fn act(&self, steps: &[Step], client: usize) -> (Vec<String>, Vec<String>) {
        let (mut made, mut faults, mut refused) = (String::new(), Vec::new(), Vec::new());
        for (method, path, body) in steps {
            let (method, caller) = match method.strip_suffix(" by eve") {
                Some(method) => (method, &self.eve),
                None => (*method, &self.callers[client % 2]),
            };
            match method {
                "CONFLICT" => made = self.leave_conflict().await,
                "PURGE" => faults.extend(self.purge().await),
                method => {
                    let path = self.fill(path, caller, client, &made);
                    let body: Option<Value> = (!body.is_empty())
                        .then(|| serde_json::from_str(&self.fill(body, caller, client, &made)).expect("JSON"));
                    let send = |request: actix_web::test::TestRequest| match body {
                        Some(body) => request.set_json(body),
                        None => request,
                    };
                    let answer = caller.send(method.parse::<Method>().unwrap(), &path, send).await;
                    let told = || format!("{method} {path}: {}", String::from_utf8_lossy(&answer.bytes));
                    if answer.status.is_server_error() {
                        faults.push(told());
                    } else if !answer.status.is_success() {
                        refused.push(told());
                    }
                    let creates = answer.status == 201 || path.ends_with("/comments");
                    if steps.iter().any(|(_, path, _)| path.contains("{made}")) && creates {
                        made = id(&serde_json::from_slice(&answer.bytes).unwrap_or_default());
                    }
                }
            }
        }
        (faults, refused)
    }

    /// Leaves an unresolved conflict in the change request.
    async fn leave_conflict(&self) -> String {
        let services = &self.world.services;
        let id: ConflictId = services.ids.make();
        let name = id.to_string().replace('-', "");
        let open = OpenConflict {
            id,
            conflict: Conflict {
                subject: Subject::Variable { name },
                base: None,
                primary: Some(MergeValue::Variable(Variable::Bool(true))),
                change: None,
            },
        };
        let request = self.things["request"].parse().unwrap();
        let mut tx = services.store.write().await.unwrap();
        tx.change_requests().add_conflicts(&request, std::slice::from_ref(&open)).await.unwrap();
        tx.commit().await.unwrap();
        open.id.to_string()
    }

    /// Purges a space of its own, and runs the purge job over the space that others delete and restore.
    async fn purge(&self) -> Vec<String> {
        let services = &self.world.services;
        let new = json!({"title": "Gone", "parent": self.things["collection"]});
        let made = self.world.ada.post(&self.world.org("/spaces"), new).await;
        if made.status.is_server_error() {
            return vec![String::from_utf8_lossy(&made.bytes).into_owned()];
        }
        let Ok(gone) = id(&serde_json::from_slice(&made.bytes).unwrap()).parse::<SpaceId>() else { return Vec::new() };
        let now = services.clock.now();
        let due = |space: &SpaceId, stage| {
            Job::new(services.ids.make(), Task::PurgeSpace { space: space.clone(), stage }, now, now)
        };
        let prepared = async {
            let mut tx = services.store.write().await?;
            tx.lock(&[(&gone).into()]).await?;
            if let Some(mut space) = tx.spaces().find(&gone, None).await?.map(|reach| reach.entity) {
                space.delete(now - TimeDelta::days(8));
                tx.spaces().save(&space).await?;
                tx.jobs().add(&due(&gone, PurgeStage::Begun)).await?;
                tx.commit().await?;
            }
            let mut tx = services.store.write().await?;
            tx.jobs().add(&due(&self.things["space"].parse().unwrap(), PurgeStage::Kept)).await?;
            tx.commit().await
        };
        let mut faults: Vec<String> = prepared.await.err().map(|error| format!("{error:?}")).into_iter().collect();
        loop {
            match self.world.jobs.claim().await {
                Ok(Some((claim, task))) => match self.world.jobs.perform(&claim, &task).await {
                    Ok(domain::usecases::jobs::Ran::Failed(reason)) => faults.push(reason),
                    Ok(_) => {}
                    Err(error) => faults.push(format!("{error:?}")),
                },
                Ok(None) => return faults,
                Err(error) => return vec![format!("{error:?}")],
            }
        }
    }
}

/// A refused operation does not race with another, so each operation must succeed once.
#[actix_web::test]
async fn every_operation_of_the_pairs_does_something() {
    let Some(mut stage) = Stage::set(Backend::Sqlite).await else { return };
    for (name, steps) in OPERATIONS {
        let outcome = stage.act(steps, 0).await;
        assert_eq!(outcome, (Vec::new(), Vec::new()), "{name}");
        stage.furnish().await;
    }
}

#[acceptance::test]
async fn no_pair_of_writing_operations_fails_when_both_run_at_once(
    backend: Backend,
    #[values(0, 1, 2, 3)] part: usize,
) {
    let repeats = Repeats::default();
    // If cases share a process, the first one counts for all.
    let _: Result<(), _> = metrics::set_global_recorder(repeats.clone());
    let Some(mut stage) = Stage::set(backend).await else { return };
    let (mut pairs, mut faults) = (0, BTreeMap::new());
    let all = OPERATIONS.iter().enumerate();
    let all = all.flat_map(|(at, one)| OPERATIONS.iter().skip(at).map(move |other| (one, other)));
    for (number, (one, other)) in all.enumerate() {
        if number % PARTS != part {
            continue;
        }
        if !stage.is_in_order().await {
            stage.furnish().await;
        }
        let shared = Rc::new(stage);
        let act = |client: usize| {
            let (stage, steps) = (Rc::clone(&shared), if client < CLIENTS { one.1 } else { other.1 });
            spawn(async move { stage.act(steps, client).await })
        };
        let acting: Vec<_> = (0..2 * CLIENTS).map(act).collect();
        for ended in acting {
            for fault in ended.await.unwrap().0 {
                *faults.entry(format!("{} / {}: {fault}", one.0, other.0)).or_insert(0) += 1;
            }
        }
        stage = Rc::into_inner(shared).expect("all clients have ended");
        pairs += 1;
    }
    let repeats = repeats.0.load(Ordering::SeqCst);
    eprintln!("{pairs} pairs, {repeats} requests run again, {} kinds of faults", faults.len());
    assert!(faults.is_empty(), "{faults:#?}");
    assert_eq!(repeats, 0, "all code locks in one order");
}
