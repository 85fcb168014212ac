//! Measures the cost of some requests, in this process:
//!
//! ```sh
//! cargo run --release -p acceptance --example costs -- hidden    # hidden and missing objects
//! cargo run --release -p acceptance --example costs -- tree      # the tree of 10,000 pages, and its 304 response
//! ```
//!
//! With `tests/with-postgres`, both databases are measured; otherwise SQLite.
#![expect(clippy::print_stdout, reason = "what it prints is what it is for")]

use acceptance::{Backend, Caller, Fixture, World};
use actix_web::http::Method;
use domain::access::Role;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// The number of hidden objects of each kind.
const THINGS: usize = 20;
/// The number of requests for each object.
const ROUNDS: usize = 100;
/// The number of pages of the tree.
const PAGES: usize = 10_000;
/// The number of requests for the tree.
const READS: u32 = 50;

/// The processor time of all threads of this process so far, in nanoseconds.
fn processor() -> Duration {
    let threads = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let spent = threads.filter_map(|thread| {
        let told = std::fs::read_to_string(thread.path().join("schedstat")).ok()?;
        told.split(' ').next()?.parse::<u64>().ok()
    });
    Duration::from_nanos(spent.sum())
}

fn id(made: &Value) -> String {
    made["id"].as_str().unwrap_or_default().to_owned()
}

/// The processor time of one request.
async fn timed(caller: &Caller, path: &str) -> Duration {
    let began = Instant::now();
    let answer = caller.get(path).await;
    let took = began.elapsed();
    assert_eq!(answer.status.as_u16(), 404, "{path}");
    took
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

/// Paths of hidden objects: `@` is replaced by the id.
struct Kind {
    name: &'static str,
    path: &'static str,
    ids: Vec<String>,
}

async fn kinds(world: &World) -> Vec<Kind> {
    let ada = &world.ada;
    let (mut organizations, mut spaces, mut collections, mut users) = (vec![], vec![], vec![], vec![]);
    for number in 0..THINGS {
        organizations.push(id(&ada.post("/orgs", json!({"title": format!("Hidden {number}")})).await.expect(201)));
        let space = id(&ada.post(&world.org("/spaces"), json!({})).await.expect(201));
        ada.patch(&format!("/spaces/{space}"), json!({"defaultLevel": null})).await.ok();
        ada.post(&format!("/spaces/{space}/change-requests"), json!({})).await.expect(201);
        spaces.push(space);
        let collection = id(&ada.post(&world.org("/collections"), json!({})).await.expect(201));
        ada.patch(&format!("/collections/{collection}"), json!({"defaultLevel": null})).await.ok();
        collections.push(collection);
        users.push(world.stranger(&format!("hidden{number}")).await.id().to_owned());
    }
    vec![
        Kind { name: "organization", path: "/orgs/@", ids: organizations },
        Kind { name: "space", path: "/spaces/@", ids: spaces.clone() },
        Kind { name: "change request", path: "/spaces/@/change-requests/1", ids: spaces.clone() },
        Kind { name: "page", path: "/spaces/@/content/path/page", ids: spaces },
        Kind { name: "collection", path: "/collections/@", ids: collections },
        Kind { name: "account", path: "/users/@", ids: users },
    ]
}

async fn hidden(backend: Backend) {
    let Some(world) = World::boot(backend).await else { return };
    let kinds = kinds(&world).await;
    let callers =
        [("a stranger", world.stranger("eve").await), ("a member", world.member("rita", Some(Role::Read)).await)];
    for (who, caller) in &callers {
        for Kind { name, path, ids } in &kinds {
            let (mut hidden, mut absent) = (Vec::new(), Vec::new());
            for _ in 0..ROUNDS {
                for id in ids {
                    let other: domain::id::SpaceId = world.services.ids.make();
                    absent.push(timed(caller, &path.replace('@', other.as_str())).await);
                    hidden.push(timed(caller, &path.replace('@', id)).await);
                }
            }
            let (hidden, absent) = (median(hidden).as_secs_f64() * 1e6, median(absent).as_secs_f64() * 1e6);
            let more = (hidden / absent - 1.0) * 100.0;
            println!("{backend:?}, {who}, {name}: hidden {hidden:.0} us, absent {absent:.0} us, {more:+.1} %");
        }
    }
}

/// `room` is the size of the response caches in bytes. If it is small, the tree is made for each request, and only its
/// tag is cached.
async fn tree(backend: Backend, room: u64) {
    let Some(world) = World::with_room(backend, room).await else { return };
    let pages: Vec<(String, String)> = (0..PAGES)
        .map(|page| (format!("part-{}/page-{page}.md", page % 100), format!("# Page {page}\n\nText.\n")))
        .collect();
    let files = pages.iter().map(|(path, text)| (path.as_str(), text.as_str()));
    let space = world.import(&Fixture::new("large", files)).await;
    let path = format!("/spaces/{space}/content/pages");
    let first = world.ada.get(&path).await;
    let tag = first.header("etag").unwrap_or_default().to_owned();
    let (kib, mib) = (first.bytes.len() / 1024, room >> 20);
    println!("{backend:?}, {mib} MiB for answers: the tree of {PAGES} pages has {kib} KiB");
    for (what, tag) in [("200", "\"other\""), ("304", tag.as_str())] {
        let mut spent = Vec::new();
        for read in 0..READS {
            // Commit something in between, so that no entry of the response cache is valid.
            world.ada.post("/user/tokens", json!({"label": read.to_string()})).await.expect(201);
            let began = processor();
            let with = |request: actix_web::test::TestRequest| request.insert_header(("If-None-Match", tag));
            let answer = world.ada.send(Method::GET, &path, with).await;
            spent.push(processor() - began);
            assert_eq!(answer.status.as_str(), what);
        }
        println!(
            "{backend:?}, {mib} MiB for answers: {what} takes {:.2} ms of processor time",
            median(spent).as_secs_f64() * 1e3
        );
    }
}

#[actix_web::main]
async fn main() {
    let wanted = std::env::args().nth(1);
    for backend in [Backend::Sqlite, Backend::Postgres] {
        match wanted.as_deref() {
            Some("hidden") => hidden(backend).await,
            Some("tree") => {
                tree(backend, 48 << 20).await;
                tree(backend, 1 << 20).await;
            }
            _ => println!("argument missing: hidden or tree"),
        }
    }
}
