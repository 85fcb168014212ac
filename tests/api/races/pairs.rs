//! Every pair of write operations, at the same time on the same objects.
mod groups;
mod operations;

use crate::access::OPERATIONS as DOCUMENTED;
use crate::conversations::Talks;
use crate::sites::feedback;
use acceptance::{Answer, Backend, Caller, Fields, World};
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
use operations::{LEFT_OUT, OPERATIONS, Step};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The number of clients for each operation of a group.
const CLIENTS: usize = 4;
/// The groups are divided among this many test cases, which run in parallel.
const PARTS: usize = 8;
/// SQLite has one writer, so no two of them can wait for each other: it runs one of this many groups.
const ON_SQLITE: usize = 5;

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

/// What the requests of an operation created.
#[derive(Default)]
struct Made {
    first: String,
    last: String,
    reply: String,
}

impl Made {
    fn add(&mut self, id: String) {
        if self.first.is_empty() {
            self.first.clone_from(&id);
        }
        self.last = id;
    }
}

fn id(made: &Value) -> String {
    made["id"].as_str().unwrap_or_default().to_owned()
}

impl Stage {
    async fn set(backend: Backend) -> Option<Self> {
        let world = World::with_connections(backend, groups::MOST * CLIENTS + 2).await?;
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
        let (watched, cluster) = (&stage.things["space"], Talks::ingest(&stage.world).await.cluster);
        stage.eve.put(&format!("/spaces/{watched}/notification-settings"), json!({"level": "all"})).await.ok();
        let question = json!({"body": {"markdown": "Why?"}});
        stage.world.ada.post(&format!("/spaces/{watched}/comments"), question).await.ok();
        let notification = stage.eve.get("/user/notifications").await.ok()["items"][0].id().to_owned();
        stage.things.extend([("cluster", cluster), ("notification", notification)]);
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
        let site = make("/sites", json!({"title": "Docs"})).await;
        let on_site = self.world.org(&format!("/sites/{site}"));
        let shown = make("/spaces", json!({"title": "Shown"})).await;
        let section = ada.post(&format!("{on_site}/sections"), json!({"spaceId": shown})).await.expect(201);
        let onsite = section["siteSpaces"][0].id().to_owned();
        let feedback = feedback(&self.world, &on_site, (&onsite, &shown), "page", "bad").await;
        self.things.extend([("collection", collection), ("inner", inner), ("space", space), ("request", request)]);
        let section = section.id().to_owned();
        self.things.extend([("site", site), ("section", section), ("onsite", onsite), ("feedback", feedback)]);
    }

    /// Whether the objects are still where they were created.
    async fn is_in_order(&self) -> bool {
        let space = self.world.ada.get(&format!("/spaces/{}", self.things["space"])).await;
        let collection = self.world.ada.get(&format!("/collections/{}", self.things["collection"])).await;
        let own = |answer: Answer| answer.status == 200 && answer.ok()["organization"] == self.things["org"].as_str();
        own(space) && own(collection)
    }

    fn fill(&self, text: &str, caller: &Caller, client: usize, made: &Made) -> String {
        let mut text = text.replace("{client}", &client.to_string());
        text = text.replace("{made}", &made.last).replace("{first}", &made.first).replace("{reply}", &made.reply);
        text = text.replace("{self}", caller.id());
        self.things.iter().fold(text, |text, (name, value)| text.replace(&format!("{{{name}}}"), value))
    }

    /// Runs an operation. Returns the failures and the refusals.
    async fn act(&self, steps: &[Step], client: usize) -> (Vec<String>, Vec<String>) {
        let (mut made, mut faults, mut refused) = (Made::default(), Vec::new(), Vec::new());
        for (method, path, body) in steps {
            let (method, caller) = match method.strip_suffix(" by eve") {
                Some(method) => (method, &self.eve),
                None => (*method, &self.callers[client % 2]),
            };
            match method {
                "CONFLICT" => made.last = self.leave_conflict().await,
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
                    if answer.status == 201 || path.ends_with("/comments") {
                        made.add(id(&serde_json::from_slice(&answer.bytes).unwrap_or_default()));
                    } else if path.ends_with("/replies") {
                        made.reply = id(&serde_json::from_slice(&answer.bytes).unwrap_or_default());
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
                    Ok(domain::usecases::jobs::JobResult::Failed(reason)) => faults.push(reason),
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
    let Some(mut stage) = Box::pin(Stage::set(Backend::Sqlite)).await else { return };
    for (name, steps) in OPERATIONS {
        let outcome = stage.act(steps, 0).await;
        assert_eq!(outcome, (Vec::new(), Vec::new()), "{name}");
        stage.furnish().await;
    }
}

/// Whether a request is for an operation of the document.
fn is_of((method, path, _): &Step, (wanted, pattern): (&str, &str)) -> bool {
    let method = method.split(' ').next().unwrap_or_default();
    let (path, pattern): (Vec<&str>, Vec<&str>) = (path.split('/').collect(), pattern.split('/').skip(1).collect());
    let same = |(part, of): (&&str, &&str)| if of.starts_with('{') { part.contains('{') } else { part == of };
    let path = [&["v1"], &path[1..]].concat();
    method.eq_ignore_ascii_case(wanted) && path.len() == pattern.len() && path.iter().zip(&pattern).all(same)
}

#[test]
fn every_operation_that_writes_is_among_the_pairs() {
    let steps: Vec<&Step> = OPERATIONS.iter().flat_map(|(_, steps)| *steps).collect();
    let writing =
        DOCUMENTED.iter().map(|(method, pattern, ..)| (*method, *pattern)).filter(|(method, _)| *method != "get");
    let missing: Vec<_> = writing
        .filter(|operation| !LEFT_OUT.contains(operation) && !steps.iter().any(|step| is_of(step, *operation)))
        .collect();
    assert!(missing.is_empty(), "{missing:#?}");
    for left_out in LEFT_OUT {
        assert!(DOCUMENTED.iter().any(|(method, pattern, ..)| (*method, *pattern) == left_out), "{left_out:?}");
    }
}

#[acceptance::test]
async fn no_pair_of_writing_operations_fails_when_both_run_at_once(
    backend: Backend,
    #[values(0, 1, 2, 3, 4, 5, 6, 7)] part: usize,
) {
    let repeats = Repeats::default();
    // If cases share a process, the first one counts for all.
    let _: Result<(), _> = metrics::set_global_recorder(repeats.clone());
    let Some(mut stage) = Box::pin(Stage::set(backend)).await else { return };
    let (mut run, mut faults) = (0, BTreeMap::new());
    let every = if backend == Backend::Sqlite { ON_SQLITE } else { 1 };
    for group in groups::groups().iter().step_by(every).skip(part).step_by(PARTS) {
        if !stage.is_in_order().await {
            stage.furnish().await;
        }
        let shared = Rc::new(stage);
        let act = |client: usize| {
            let (stage, steps) = (Rc::clone(&shared), OPERATIONS[group[client / CLIENTS]].1);
            spawn(async move { stage.act(steps, client).await })
        };
        let acting: Vec<_> = (0..group.len() * CLIENTS).map(act).collect();
        let names: Vec<&str> = group.iter().map(|at| OPERATIONS[*at].0).collect();
        for ended in acting {
            for fault in ended.await.unwrap().0 {
                *faults.entry(format!("{}: {fault}", names.join(" / "))).or_insert(0) += 1;
            }
        }
        stage = Rc::into_inner(shared).expect("all clients have ended");
        run += 1;
    }
    let repeats = repeats.0.load(Ordering::SeqCst);
    eprintln!("{run} groups, {repeats} requests run again, {} kinds of faults", faults.len());
    assert!(faults.is_empty(), "{faults:#?}");
    assert_eq!(repeats, 0, "all code locks in one order");
}
