//! Statistics of translations.
use super::{change, translate};
use acceptance::{Fixture, World};
use chrono::TimeDelta;
use serde_json::json;

/// The fields of the latest run, with those of all runs.
const FIGURES: [(&str, &str); 3] =
    [("latestWords", "totalWords"), ("latestPages", "totalPages"), ("latestRunDuration", "totalDuration")];

#[acceptance::test]
async fn totals_are_the_sums_of_all_runs(world: World) {
    // Only the engine takes time, so that rounded durations have the rounded sum.
    world.clock.set(world.services.clock.now());
    let clock = world.clock.clone();
    // An engine that takes four seconds for a request.
    world.translator.rule(move |_| {
        clock.advance(TimeDelta::seconds(4));
        None
    });
    let space = world.import(&Fixture::pages(3, "engine")).await;
    let page = world.page(&space, "page-001").await;
    let path = translate(&world, &space, "de").await;
    let mut sums = [0; FIGURES.len()];
    let changes = [None, Some("The engine stops."), None, Some("It waits for its engineer.\n\nIt sleeps.")];
    for (number, text) in changes.into_iter().enumerate() {
        match text {
            Some(text) => {
                change(&world, &space, &page, text).await;
                world.pass(TimeDelta::seconds(60)).await;
            }
            None => {
                world.ada.post(&format!("{path}/run"), json!({})).await.expect(204);
                world.work().await;
            }
        }
        let stats = world.ada.get(&path).await.ok()["stats"].clone();
        assert_eq!(stats["runs"], json!(number + 1), "{stats}");
        // The third run finds everything in the memory: nothing has changed.
        assert_eq!(stats["latestWords"] == 0, number == 2, "{stats}");
        for (sum, (latest, total)) in sums.iter_mut().zip(FIGURES) {
            // All are whole numbers, also the seconds.
            *sum += stats[latest].as_u64().unwrap();
            assert_eq!(stats[total].as_u64(), Some(*sum), "{total}: {stats}");
        }
    }
    assert!(sums.iter().all(|sum| *sum > 0), "{sums:?}");
}
