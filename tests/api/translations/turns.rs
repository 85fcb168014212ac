//! Changes between the time slices of a run, and concurrent requests for runs.
use super::runs::body;
use super::{Target, change, note, translate};
use crate::change_requests::markdown;
use acceptance::{Fields, Fixture, World, accented};
use chrono::TimeDelta;
use domain::job::Task;
use domain::usecases::jobs::JobResult;
use serde_json::{Value, json};
use std::cell::Cell;
use std::rc::Rc;
use tokio::task::JoinSet;

#[acceptance::test]
async fn a_source_that_changes_between_two_turns_is_translated_as_it_is_at_the_end(world: World) {
    const PAGES: usize = 12;
    let space = world.import(&Fixture::pages(PAGES, "engine")).await;
    world.work().await;
    world.translator.change(|can| can.max_units = 1);
    let clock = world.clock.clone();
    // An engine that takes four seconds for a text.
    world.translator.rule(move |_| {
        clock.advance(TimeDelta::seconds(4));
        None
    });
    let path = translate(&world, &space, "de").await;
    let (claim, task) = world.jobs.claim().await.unwrap().expect("the run is due");
    let ran = world.jobs.perform(&claim, &task).await.unwrap();
    assert!(matches!(ran, JobResult::Later(_)), "{ran:?}");
    let first = world.translator.texts();
    assert!(!first.is_empty());
    // Of pages for which the engine was asked, and of others.
    let mut ids = Vec::new();
    for n in 0..PAGES {
        let page = world.page(&space, &format!("page-{n:03}")).await;
        change(&world, &space, &page, &format!("The newest text of page {n}.")).await;
        ids.push(page);
    }
    world.work().await;
    let shown = world.ada.get(&path).await.ok();
    assert_eq!((&shown["status"], &shown["untranslated"]), (&json!("completed"), &json!(0)), "{shown}");
    assert_eq!(shown["stats"]["runs"], 1, "the run goes on with what the source is now");
    let target = Target::of(&world, &path).await;
    for (n, page) in ids.iter().enumerate() {
        let text = markdown(&world.ada, &target.path, page).await;
        assert!(text.contains(&accented(&format!("The newest text of page {n}."))), "{text}");
    }
    let second = world.translator.texts();
    let newest = second.iter().filter(|text| text.starts_with("The newest text")).count();
    assert_eq!(newest, PAGES, "each is asked for once: {second:?}");
    assert!(second.iter().all(|text| !first.contains(text)), "{second:?}");
    world.pass(TimeDelta::minutes(2)).await;
    assert_eq!(world.translator.texts(), Vec::<String>::new());
}

/// Runs what is due on two servers at once. Returns how many runs of translations were in progress at once, at most.
async fn two_servers(world: &World) -> usize {
    let (running, most) = (Rc::new(Cell::new(0_usize)), Rc::new(Cell::new(0_usize)));
    let mut servers = JoinSet::new();
    for _ in 0..2 {
        let (jobs, running, most) = (world.jobs.clone(), Rc::clone(&running), Rc::clone(&most));
        servers.spawn_local(async move {
            while let Some((claim, task)) = jobs.claim().await.unwrap() {
                let runs = usize::from(matches!(task, Task::Translate { .. }));
                running.set(running.get() + runs);
                most.set(most.get().max(running.get()));
                let ran = jobs.perform(&claim, &task).await.unwrap();
                assert!(!matches!(ran, JobResult::Failed(_)), "{task:?}: {ran:?}");
                running.set(running.get() - runs);
            }
        });
    }
    servers.join_all().await;
    most.get()
}

/// Sends requests for a run, and changes of the instructions, at the same time.
fn requests(world: &World, path: &str) -> JoinSet<()> {
    let mut callers = JoinSet::new();
    for n in 0..8 {
        let (ada, path) = (world.ada.clone(), path.to_owned());
        callers.spawn_local(async move {
            if n % 4 == 3 {
                ada.put(&path, json!({"instructions": note(&format!("Style {n}."))})).await.ok();
            } else {
                ada.post(&format!("{path}/run"), json!({})).await.expect(204);
            }
        });
    }
    callers
}

#[acceptance::test]
async fn requests_for_a_run_at_the_same_time_lead_to_one_run_and_one_change_request(world: World) {
    let space = world.import(&Fixture::pages(3, "engine")).await;
    let path = translate(&world, &space, "de").await;
    let target = Target::of(&world, &path).await;
    let page = world.page(&space, "page-000").await;
    let text = markdown(&world.ada, &target.path, &page).await;
    let human = text.replace(&accented("The engine engine0 runs."), "Von Menschen.");
    assert_ne!(human, text);
    change(&world, &target.space(), &page, body(&human)).await;
    let source = async |words: &str| {
        change(&world, &space, &page, &format!("{words}\n\n## More of 0\n\nAnd on it runs.")).await;
    };
    let check = async |words: &str| -> Value {
        let shown = world.ada.get(&path).await.ok();
        assert_eq!(shown["status"], "completed", "{shown}");
        assert!(markdown(&world.ada, &target.path, &page).await.contains("Von Menschen."), "the human text is live");
        let open = world.ada.get(&format!("{}/change-requests", target.path)).await.ok();
        let [one] = open.list("items") else { panic!("{open}") };
        assert_eq!(shown["changeRequest"], one["id"]);
        let request = format!("{}/change-requests/{}", target.path, one.id());
        assert!(markdown(&world.ada, &request, &page).await.contains(&accented(words)));
        shown["stats"]["runs"].clone()
    };
    // All requests come before the run.
    source("The engine stops.").await;
    requests(&world, &path).join_all().await;
    assert_eq!(two_servers(&world).await, 1);
    assert_eq!(check("The engine stops.").await, 2, "one run does for all");
    // They come during the run.
    for words in ["The engine waits.", "The engine sleeps."] {
        source(words).await;
        let callers = requests(&world, &path);
        assert!(two_servers(&world).await <= 1);
        callers.join_all().await;
        assert!(two_servers(&world).await <= 1);
        check(words).await;
    }
}
