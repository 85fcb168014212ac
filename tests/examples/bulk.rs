//! Measures how long large imports and merges block other writes: `cargo run --release -p acceptance --example bulk`,
//! with `tests/with-postgres` before it to include PostgreSQL. Arguments: pages to import, pages to merge [10000 2000].
#![expect(clippy::print_stdout, reason = "it prints what it measures")]
use acceptance::{Backend, Counted, Editor, Fixture, World, Written};
use domain::actor::Actor;
use domain::id::OrganizationId;
use domain::space::NewSpace;
use domain::usecases::Spaces;
use domain::usecases::content::Destination;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The number of concurrent writers.
const OTHERS: usize = 4;

#[tokio::main(flavor = "multi_thread")]
async fn main() {
    let mut sizes = std::env::args().skip(1).filter_map(|size| size.parse().ok());
    let (imported, merged) = (sizes.next().unwrap_or(10_000), sizes.next().unwrap_or(2_000));
    for backend in [Backend::Sqlite, Backend::Postgres] {
        let Some(world) = World::boot(backend).await else { continue };
        println!("{backend:?}");
        import(&world, imported).await;
        merge(&world, merged, false).await;
        merge(&world, merged, true).await;
    }
}

/// Imports this many pages while others create spaces.
async fn import(world: &World, pages: usize) {
    let counted = Counted::new(world.services.store.clone());
    let content = world.content_on(counted.clone());
    let done = Arc::new(AtomicBool::new(false));
    let others: Vec<_> = (0..OTHERS)
        .map(|_| tokio::spawn(write(world.services.spaces.clone(), world.organization.clone(), done.clone())))
        .collect();
    let source = Fixture::pages(pages, "zebra");
    let begun = Instant::now();
    let to = Destination::NewSpace { organization: world.organization.clone(), title: None };
    let imported = content.import(&Actor::Operator, to, &source, &|_| {}).await.expect("it is imported");
    println!("  import of {pages} pages: {:?}", begun.elapsed());
    longest(&counted.committed());
    let begun = Instant::now();
    let jobs = world.jobs_on(counted.clone());
    if let Some((claim, task)) = jobs.claim_indexing(&imported.space.id).await.expect("the store works") {
        jobs.perform(&claim, &task).await.expect("the store works");
    }
    println!("  its search index: {:?}", begun.elapsed());
    longest(&counted.committed());
    done.store(true, Ordering::Relaxed);
    let (mut times, mut refused) = (Vec::new(), 0);
    for other in others {
        let (its, failed) = other.await.expect("nobody panics");
        times.extend(its);
        refused += failed;
    }
    times.sort();
    let at = |part: usize| times[(times.len() - 1) * part / 1000];
    println!(
        "  {} other writes at the same time: median {:?}, p99 {:?}, longest {:?}, {refused} refused",
        times.len(),
        at(500),
        at(990),
        at(1000)
    );
}

/// Creates spaces until the work is done. Returns the duration of each, and the number of refusals.
async fn write(spaces: Spaces, organization: OrganizationId, done: Arc<AtomicBool>) -> (Vec<Duration>, usize) {
    let (mut times, mut refused) = (Vec::new(), 0);
    while !done.load(Ordering::Relaxed) {
        let new = NewSpace { title: "Another".parse().ok(), ..NewSpace::default() };
        let begun = Instant::now();
        match spaces.create(&Actor::Operator, &organization, (new, None).into()).await {
            Ok(_) => times.push(begun.elapsed()),
            Err(_) => refused += 1,
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    (times, refused)
}

/// Merges a change request that edits this many pages. If the space has moved since, both sides are joined.
async fn merge(world: &World, pages: usize, has_moved: bool) {
    let space = world.import(&Fixture::pages(pages, "okapi")).await;
    world.work().await;
    let editor = Editor::of(world, &world.ada, &space).await;
    let request = editor.propose("All of it").await;
    let listed = world.ada.get(&format!("/spaces/{space}/content/pages")).await.ok();
    let ids = listed["pages"].as_array().expect("pages").iter().filter_map(|page| page["id"].as_str());
    let texts: Vec<(String, String)> = ids
        .map(|page| (page.to_owned(), format!("The heron sleeps on {page}.\n\n## More\n\nAnd on it sleeps.")))
        .collect();
    for some in texts.chunks(50) {
        editor.rewrite_all(&request, some).await;
    }
    if has_moved {
        let other = editor.propose("Another").await;
        editor.insert(&other, "Between", None).await.expect("it is inserted");
        editor.merge(&other).await.expect("it is merged");
    }
    let counted = Counted::new(world.services.store.clone());
    let begun = Instant::now();
    editor.with_store(counted.clone()).merge(&request).await.expect("it is merged");
    println!(
        "  merge of {} edited pages{}: {:?}",
        texts.len(),
        if has_moved { ", joined" } else { "" },
        begun.elapsed()
    );
    longest(&counted.committed());
}

fn longest(units: &[Written]) {
    let longest = units.iter().map(|unit| unit.held).max().unwrap_or_default();
    let last = units.iter().find(|unit| unit.revisions > 0).map(|unit| unit.held).unwrap_or_default();
    println!(
        "    {} units of work, the longest held the writer for {longest:?}, that of the revision for {last:?}",
        units.len()
    );
}
