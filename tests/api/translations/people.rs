//! Edits of people in a translated space, and concurrent runs.
use super::{Target, change, translate};
use crate::change_requests::{edit, markdown, merged, propose};
use acceptance::{Fixture, SeededRandom, World, accented};
use chrono::TimeDelta;
use domain::job::Task;
use domain::usecases::jobs::JobResult;
use serde_json::json;
use std::collections::BTreeMap;

const PAGES: usize = 4;
const RUNS: usize = 20;

#[acceptance::test]
#[case(1)]
#[case(2)]
async fn texts_of_people_stay_through_random_runs(world: World, #[case] seed: u64) {
    let mut random = SeededRandom::new(seed);
    let space = world.import(&Fixture::pages(PAGES, "engine")).await;
    let path = translate(&world, &space, "de").await;
    let target = Target::of(&world, &path).await;
    let mut ids = Vec::new();
    for page in 0..PAGES {
        ids.push(world.page(&space, &format!("page-{page:03}")).await);
    }
    let mut of_people: BTreeMap<usize, String> = BTreeMap::new();
    for number in 0..RUNS {
        let page = random.below(PAGES);
        match random.below(8) {
            0..3 => change(&world, &space, &ids[page], &format!("The source in step {number}.")).await,
            3..6 => {
                let text = format!("Ein Mensch in Schritt {number}.");
                change(&world, &target.space(), &ids[page], &text).await;
                of_people.insert(page, text);
            }
            6 => {
                let request = propose(&world.ada, &space, "").await;
                let place = if random.below(2) == 0 { json!(ids[0]) } else { json!(null) };
                let moved = json!([{"operation": "update_page", "page": ids[page], "into": place}]);
                // The first page cannot be below itself.
                if edit(&world.ada, &request, moved).await.status.is_success() {
                    merged(&world.ada, &request).await;
                }
            }
            _ => drop(world.ada.post(&format!("{path}/run"), json!({})).await.expect(204)),
        }
        world.pass(TimeDelta::seconds(61)).await;
        let shown = world.ada.get(&path).await.ok();
        assert_eq!(shown["status"], "completed", "step {number}: {shown}");
        for (page, text) in &of_people {
            let now = markdown(&world.ada, &target.path, &ids[*page]).await;
            assert!(now.contains(text), "step {number}: {now}");
        }
    }
    let requests = world.ada.get(&format!("{}/change-requests", target.path)).await.ok();
    assert!(requests["count"].as_u64().unwrap() <= 1, "{requests}");
}

#[acceptance::test]
async fn edits_during_a_run_are_not_lost(world: World) {
    let space = world.import(&Fixture::pages(8, "engine")).await;
    let path = translate(&world, &space, "de").await;
    let target = Target::of(&world, &path).await;
    let mut ids = Vec::new();
    for page in 0..8 {
        ids.push(world.page(&space, &format!("page-{page:03}")).await);
    }
    for (round, other) in [(0, "stops"), (1, "waits")] {
        for id in &ids {
            change(&world, &space, id, &format!("The engine {other}.\n\n## More\n\nAnd on it runs.")).await;
        }
        world.clock.advance(TimeDelta::seconds(61));
        let mut jobs = Vec::new();
        while let Some(one) = world.jobs.claim().await.unwrap() {
            jobs.push(one);
        }
        let mut people = tokio::task::JoinSet::new();
        for n in 0..ids.len() {
            let (ada, space) = (world.ada.clone(), target.space());
            people.spawn_local(async move {
                let request = propose(&ada, &space, "").await;
                let page = json!({"operation": "insert_page", "title": format!("Von {n} in {round}"),
                    "document": {"markdown": "Von Menschen."}});
                edit(&ada, &request, json!([page])).await.ok();
                merged(&ada, &request).await
            });
        }
        for (claim, task) in &jobs {
            let ran = world.jobs.perform(claim, task).await.unwrap();
            assert!(!matches!(ran, JobResult::Failed(_)), "{ran:?}");
        }
        let done = people.join_all().await;
        assert!(done.iter().all(|one| one["result"] == json!("merge")), "{done:?}");
        world.pass(TimeDelta::seconds(61)).await;
        for (n, id) in ids.iter().enumerate() {
            world.ada.get(&format!("{}/content/path/von-{n}-in-{round}", target.path)).await.ok();
            let text = markdown(&world.ada, &target.path, id).await;
            assert!(text.contains(&accented(&format!("The engine {other}."))), "{text}");
        }
    }
}

#[acceptance::test]
async fn a_long_run_yields_to_other_jobs_within_a_minute(world: World) {
    let space = world.import(&Fixture::pages(12, "engine")).await;
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
    assert!(matches!(task, Task::Translate { .. }), "{task:?}");
    let began = world.services.clock.now();
    // Other work arrives during the run.
    let talk = json!({"id": "a", "parts": [{"type": "message", "role": "user", "body": "It does not start."}]});
    world.ada.post(&world.org("/conversations"), talk).await.expect(204);
    let ran = world.jobs.perform(&claim, &task).await.unwrap();
    assert!(matches!(ran, JobResult::Later(_)), "{ran:?}");
    let took = world.services.clock.now() - began;
    assert!(took < TimeDelta::seconds(60), "{took}");
    let (claim, next) = world.jobs.claim().await.unwrap().expect("something is due");
    assert!(!matches!(next, Task::Translate { .. }), "the others go first: {next:?}");
    world.jobs.perform(&claim, &next).await.unwrap();
    let mut turns = 1;
    while let Some((claim, task)) = world.jobs.claim().await.unwrap() {
        let began = world.services.clock.now();
        world.jobs.perform(&claim, &task).await.unwrap();
        assert!(world.services.clock.now() - began < TimeDelta::seconds(60), "{task:?}");
        turns += u32::from(matches!(task, Task::Translate { .. }));
    }
    let shown = world.ada.get(&path).await.ok();
    assert_eq!((&shown["status"], &shown["stats"]["runs"]), (&json!("completed"), &json!(1)), "{shown}");
    assert!(turns > 3, "{turns}");
}

#[acceptance::test]
async fn a_target_in_another_organization_is_not_the_result_any_more(world: World) {
    let space = world.import(&Fixture::pages(1, "engine")).await;
    let path = translate(&world, &space, "de").await;
    let target = Target::of(&world, &path).await;
    let other = world.ada.post("/orgs", json!({"title": "Another"})).await.id();
    world.ada.post(&format!("{}/transfer", target.path), json!({"organization": other})).await.ok();
    assert_eq!(world.ada.get(&path).await.ok().get("result"), None);
    world.ada.post(&format!("{path}/run"), json!({})).await.expect(204);
    assert_ne!(Target::of(&world, &path).await.id, target.id);
}
