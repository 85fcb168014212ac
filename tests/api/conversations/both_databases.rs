//! Both databases group the same conversations in the same way.
use super::{list, talk};
use acceptance::{Backend, Fields, SeededRandom, World};
use chrono::TimeDelta;
use serde_json::{Value, json};
use std::collections::BTreeMap;

const THINGS: &[&str] = &["password reset", "invoice export", "dashboard", "webhook", "search", "login page", "upload"];
const TROUBLES: &[&str] = &[
    "fails with an error",
    "does not work any more",
    "is very slow since Monday",
    "shows a wrong number",
    "stops after one minute",
];

/// Labels, impacts and titles of all listed clusters, after six deliveries and a day.
async fn clusters(backend: Backend) -> Option<Vec<Value>> {
    let world = World::boot(backend).await?;
    let mut random = SeededRandom::new(11);
    for delivery in 0..6 {
        let talks = (0..50).map(|n| {
            let text = format!("The {} {}.", random.one(THINGS), random.one(TROUBLES));
            talk(&format!("{delivery}-{n}"), &text)
        });
        let talks: Vec<Value> = talks.collect();
        world.ada.post(&world.org("/conversations"), json!(talks)).await.expect(204);
        world.work().await;
        world.ada.delete(&world.org(&format!("/conversations/{delivery}-7"))).await.expect(205);
    }
    world.pass(TimeDelta::hours(25)).await;
    let issues = list(&world, "/conversations-issues?limit=1000").await;
    let mut titles: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for item in issues.list("items") {
        titles.entry(item["issue"].text("cluster")).or_default().push(item["issue"].text("title"));
    }
    let listed = list(&world, "/conversations-clusters?limit=1000").await;
    let shown = listed.list("items").iter().map(|cluster| {
        let mut titles = titles[cluster.id()].clone();
        titles.sort_unstable();
        json!([titles, cluster["label"], cluster["impact"], cluster["icon"], cluster["stats"], cluster["sources"]])
    });
    let mut shown: Vec<Value> = shown.collect();
    shown.sort_by_key(Value::to_string);
    Some(shown)
}

#[actix_web::test]
async fn both_databases_group_alike() {
    let Some(on_sqlite) = Box::pin(clusters(Backend::Sqlite)).await else { return };
    let Some(on_postgres) = Box::pin(clusters(Backend::Postgres)).await else { return };
    assert!(on_sqlite.len() > 3, "{on_sqlite:?}");
    assert_eq!(on_sqlite, on_postgres);
}
