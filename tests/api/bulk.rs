//! Imports and merges of many pages: they do not block others, and an aborted one leaves nothing.
use acceptance::{Backend, Counted, Editor, Fields, Fixture, Interleaved, World, Written};
use chrono::TimeDelta;
use domain::actor::Actor;
use domain::change_request::ChangeRequestRef;
use domain::content::import::Source;
use domain::content::object::Hash;
use domain::content::search::Condition;
use domain::id::SpaceId;
use domain::usecases::Error;
use domain::usecases::content::{Content, Destination, Import};
use domain::usecases::jobs::JobResult;

/// More pages than one unit of work indexes, and more objects than one unit of work stores.
const MANY: usize = 120;
/// The maximum number of objects that one unit of work may store; see docs/decisions/0016.
const PIECE: usize = 64;
const PIECE_BYTES: usize = 256 * 1024;

fn into_new(world: &World) -> Destination {
    Destination::NewSpace { organization: world.organization.clone(), title: None }
}

async fn import(content: &Content, to: Destination, source: &Fixture) -> Result<Import, Error> {
    content.import(&Actor::Operator, to, source, &|_| {}).await
}

async fn spaces(world: &World) -> u64 {
    world.ada.get(&world.org("/spaces")).await.ok()["count"].as_u64().unwrap()
}

async fn found(world: &World, space: &SpaceId, word: &str) -> usize {
    let found = world.ada.get(&format!("/spaces/{space}/search?query={word}&limit=1000")).await.ok();
    found.list("items").len()
}

async fn condemned(world: &World) -> usize {
    let far = world.services.clock.now() + TimeDelta::days(10_000);
    world.services.store.read().await.unwrap().garbage().condemned(None, far, 100_000).await.unwrap().len()
}

/// The number of files of a repository that are stored.
async fn stored(world: &World, source: &Fixture) -> usize {
    let hashes: Vec<Hash> = source.tree().paths().map(|path| Hash::of(&source.read(path).unwrap())).collect();
    world.services.store.read().await.unwrap().content().objects(&hashes).await.unwrap().len()
}

/// The number of index sections that contain a word.
async fn indexed(world: &World, space: &SpaceId, word: &str) -> usize {
    let holds = Condition::Term(word.to_owned());
    let mut tx = world.services.store.read().await.unwrap();
    tx.search().candidates(std::slice::from_ref(space), &[holds], 1000).await.unwrap().len()
}

/// A change request that edits every page of a space.
async fn all_edited(world: &World, space: &SpaceId, word: &str) -> (Editor, ChangeRequestRef) {
    let editor = Editor::of(world, &world.ada, space).await;
    let request = editor.propose("All of it").await;
    let pages = world.ada.get(&format!("/spaces/{space}/content/pages")).await.ok();
    let pages: Vec<String> = pages.list("pages").iter().map(|page| page.id().to_owned()).collect();
    for some in pages.chunks(50) {
        let texts: Vec<(String, String)> =
            some.iter().map(|page| (page.clone(), format!("The {word} sleeps on {page}."))).collect();
        editor.rewrite_all(&request, &texts).await;
    }
    (editor, request)
}

fn check_pieces(units: &[Written]) {
    assert!(units.len() > 3, "{units:?}");
    for unit in units {
        assert!(unit.objects <= PIECE && unit.bytes <= PIECE_BYTES + 64 * 1024, "{unit:?}");
        assert!(unit.indexed <= 100 && (unit.revisions == 0 || unit.indexed == 0), "{unit:?}");
    }
    assert_eq!(units.iter().map(|unit| unit.revisions).sum::<usize>(), 1);
}

#[acceptance::test]
async fn no_unit_of_work_of_an_import_or_a_merge_writes_more_than_a_piece(world: World) {
    let counted = Counted::new(world.services.store.clone());
    let imported = import(&world.content_on(counted.clone()), into_new(&world), &Fixture::pages(MANY, "zebra")).await;
    let space = imported.unwrap().space.id.clone();
    check_pieces(&counted.committed());
    assert_eq!(condemned(&world).await, 0, "content in use is off the list");
    world.work().await;

    let (editor, request) = all_edited(&world, &space, "okapi").await;
    let counted = Counted::new(world.services.store.clone());
    assert!(!editor.with_store(counted.clone()).merge(&request).await.unwrap().conflicts);
    let last = counted.committed().into_iter().find(|unit| unit.revisions > 0).unwrap();
    assert!(last.objects <= PIECE && last.indexed == 0, "{last:?}");

    let counted = Counted::new(world.services.store.clone());
    let jobs = world.jobs_on(counted.clone());
    let (claim, task) = jobs.claim_indexing(&space).await.unwrap().unwrap();
    assert_eq!(jobs.perform(&claim, &task).await.unwrap(), JobResult::Done);
    let indexed: Vec<usize> = counted.committed().iter().map(|unit| unit.indexed).filter(|pages| *pages > 0).collect();
    assert!(indexed.iter().all(|pages| *pages <= 25), "{indexed:?}");
    assert_eq!(indexed.iter().sum::<usize>(), MANY);
}

#[acceptance::test]
async fn a_large_merge_under_a_key_is_committed_with_its_response_and_leaves_nothing_condemned(world: World) {
    let space = world.import(&Fixture::pages(MANY, "zebra")).await;
    world.work().await;
    let (_hand, request) = all_edited(&world, &space, "okapi").await;
    let path = format!("/spaces/{space}/change-requests/{request}/merge");
    let merge = async || {
        let keyed = |request: actix_web::test::TestRequest| request.insert_header(("Idempotency-Key", "merge"));
        world.ada.send(actix_web::http::Method::POST, &path, keyed).await.ok()
    };
    let merged = merge().await;
    assert_eq!(world.ada.get(&format!("/spaces/{space}")).await.ok()["revision"], merged["revision"]);
    assert_eq!(condemned(&world).await, 0, "content in use is off the list");
    assert_eq!(merge().await, merged);
}

#[acceptance::test]
async fn up_to_a_hundred_pages_are_found_at_once_and_more_by_a_job(world: World) {
    let few = world.import(&Fixture::pages(100, "heron")).await;
    assert_eq!(found(&world, &few, "heron").await, 100);
    assert_eq!(world.work().await, []);
    let many = world.import(&Fixture::pages(101, "zebra")).await;
    assert_eq!(found(&world, &many, "zebra").await, 0);
    let done = world.work().await;
    assert!(matches!(&done[..], [(_, JobResult::Done)]), "{done:?}");
    assert_eq!(found(&world, &many, "zebra").await, 101);
    assert_eq!(found(&world, &many, "zebra77").await, 1);
    // Misspelled on purpose: the job also indexes words for corrections.
    assert_eq!(found(&world, &many, "zebrra").await, 101);
}

/// Two large steps are made before the first is indexed, and the second deletes pages. The indexing job is aborted at
/// every unit of work of the first step.
#[acceptance::test]
async fn what_is_left_for_later_is_indexed_as_it_is_then(backend: Backend) {
    for units in [2, 5, 9, 12, 100] {
        let Some(world) = World::boot(backend).await else { return };
        let space = world.import(&Fixture::pages(MANY + 30, "zebra")).await;
        let (claim, task) = world.jobs.claim_indexing(&space).await.unwrap().unwrap();
        let store = Interleaved::after(units, world.services.store.clone(), std::future::pending());
        let jobs = world.jobs_on(store.clone());
        let whole = store.ends_before_event(jobs.perform(&claim, &task)).await;
        assert_eq!(whole, units == 100, "{units}");
        assert_eq!(indexed(&world, &space, "zebra").await > 0, units > 2, "{units}");
        let to = Destination::Space(space.clone());
        import(&world.services.content, to, &Fixture::pages(MANY - 10, "okapi")).await.unwrap();
        let done = world.work().await;
        assert!(matches!(&done[..], [(_, JobResult::Done)]), "{units}: {done:?}");
        assert_eq!((found(&world, &space, "zebra").await, found(&world, &space, "okapi").await), (0, MANY - 10));
        assert_eq!(indexed(&world, &space, "zebra").await, 0, "{units}: deleted pages are not in the index");
        let mut tx = world.services.store.read().await.unwrap();
        let jobs = tx.jobs().list(false, &Default::default()).await.unwrap().items;
        assert!(jobs.iter().all(|job| job.task.kind() != "index-space"), "{units}: {jobs:?}");
    }
}

#[acceptance::test]
async fn an_import_that_breaks_off_anywhere_is_whole_or_not_there(backend: Backend) {
    let source = Fixture::pages(MANY, "zebra");
    for units in 0.. {
        let Some(world) = World::boot(backend).await else { return };
        let store = Interleaved::after(units, world.services.store.clone(), std::future::pending());
        let content = world.content_on(store.clone());
        if store.ends_before_event(Box::pin(import(&content, into_new(&world), &source))).await {
            assert!(units > 6, "only {units} units of work");
            break;
        }
        let there = spaces(&world).await == 1;
        world.pass(TimeDelta::hours(5)).await;
        assert_eq!(condemned(&world).await, 0, "{units}");
        assert_eq!(stored(&world, &source).await, if there { MANY } else { 0 }, "{units}");
        if there {
            let list = world.ada.get(&world.org("/spaces")).await.ok();
            let space: SpaceId = list["items"][0].id().parse().unwrap();
            assert_eq!(found(&world, &space, "zebra").await, MANY, "{units}");
        }
    }
}

#[acceptance::test]
async fn a_merge_that_breaks_off_anywhere_is_whole_or_not_there(backend: Backend) {
    for units in 0.. {
        let Some(world) = World::boot(backend).await else { return };
        let space = world.import(&Fixture::pages(MANY, "zebra")).await;
        let (editor, request) = all_edited(&world, &space, "okapi").await;
        world.work().await;
        let store = Interleaved::after(units, world.services.store.clone(), std::future::pending());
        let whole = store.ends_before_event(Box::pin(editor.with_store(store.clone()).merge(&request))).await;
        world.pass(TimeDelta::hours(5)).await;
        let (old, new) = (found(&world, &space, "zebra").await, found(&world, &space, "okapi").await);
        assert!((old, new) == (MANY, 0) && !whole || (old, new) == (0, MANY), "{units}: {old} and {new}");
        assert_eq!(condemned(&world).await, 0, "{units}");
        if whole {
            assert!(units > 1, "only {units} units of work");
            break;
        }
        if new == 0 {
            assert!(!editor.merge(&request).await.unwrap().conflicts, "{units}");
        }
    }
}

/// However long an import takes, and whatever is collected during it: either all of its content is stored, or it is
/// refused.
#[acceptance::test]
async fn an_import_during_which_content_is_collected_is_whole_or_refused(backend: Backend) {
    let source = Fixture::pages(MANY, "zebra");
    let (mut refused, mut whole) = (0, 0);
    for units in 0.. {
        let Some(world) = World::boot(backend).await else { return };
        world.pass(TimeDelta::hours(2)).await;
        let (jobs, clock) = (world.jobs.clone(), world.clock.clone());
        let hours = async move {
            for _ in 0..12 {
                clock.advance(TimeDelta::minutes(25));
                while let Some((claim, task)) = jobs.claim().await.unwrap() {
                    jobs.perform(&claim, &task).await.unwrap();
                }
            }
        };
        let store = Interleaved::after(units, world.services.store.clone(), hours);
        let imported = import(&world.content_on(store.clone()), into_new(&world), &source).await;
        match imported {
            Ok(_) => {
                whole += 1;
                world.pass(TimeDelta::hours(6)).await;
                assert_eq!(stored(&world, &source).await, MANY, "{units}");
            }
            Err(Error::Conflict(why)) => {
                refused += 1;
                assert!(why.contains("start again"), "{units}: {why}");
                assert_eq!(spaces(&world).await, 0, "{units}");
            }
            Err(error) => panic!("{units}: {error:?}"),
        }
        if store.is_pending() {
            break;
        }
    }
    assert!(refused > 0 && whole > 2, "{refused} refused, {whole} whole");
}
