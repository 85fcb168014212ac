//! The lists of issues and clusters.
use super::{Talks, ids, ingest, list, talk, with_model};
use acceptance::{Fields, World};
use chrono::TimeDelta;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Stores three conversations on one problem and two on another. Returns the clusters of both.
async fn two_problems(world: &World) -> [String; 2] {
    for id in ["p1", "p2", "p3"] {
        ingest(world, id, "The password reset fails with an error.").await;
    }
    for id in ["i1", "i2"] {
        ingest(world, id, "The invoice shows a wrong tax rate.").await;
    }
    world.work().await;
    let mut clusters = Vec::new();
    for id in ["p1", "i1"] {
        let issues = list(world, &format!("/conversations-issues?conversation={id}")).await;
        clusters.push(issues["items"][0]["issue"].text("cluster").to_owned());
    }
    clusters.try_into().unwrap()
}

#[acceptance::test]
async fn clusters_are_listed_in_the_requested_order(world: World) {
    let [passwords, invoices] = two_problems(&world).await;
    world.pass(TimeDelta::hours(1)).await;
    let path = world.org(&format!("/conversations-clusters/{invoices}"));
    world.ada.patch(&path, json!({"muted": true})).await.ok();
    for (query, expected) in [
        ("", [&invoices, &passwords]),
        ("?order=desc", [&invoices, &passwords]),
        ("?order=asc", [&passwords, &invoices]),
        ("?orderBy=updatedAt&order=asc", [&passwords, &invoices]),
        ("?orderBy=issues", [&passwords, &invoices]),
        ("?orderBy=issues&order=asc", [&invoices, &passwords]),
        ("?orderBy=conversations", [&passwords, &invoices]),
        ("?orderBy=conversations&order=asc", [&invoices, &passwords]),
    ] {
        let all = list(&world, &format!("/conversations-clusters{query}")).await;
        assert_eq!(ids(&all), expected, "{query}");
        let joint = if query.is_empty() { "?" } else { "&" };
        let first = list(&world, &format!("/conversations-clusters{query}{joint}limit=1")).await;
        let next = first["next"].text("page");
        let second = list(&world, &format!("/conversations-clusters{query}{joint}limit=1&page={next}")).await;
        assert_eq!([ids(&first), ids(&second)].concat(), expected, "{query}");
        assert_eq!((&first["count"], second.get("next")), (&json!(2), None), "{query}");
    }
    for (query, field) in [("orderBy=tasksTotal", "orderBy"), ("order=up", "order"), ("limit=-1", "limit")] {
        let refused = world.ada.get(&world.org(&format!("/conversations-clusters?{query}"))).await.error(400);
        assert!(refused.contains(field), "{refused}");
    }
}

#[acceptance::test]
async fn pages_of_two_issues_have_each_issue_once(world: World) {
    two_problems(&world).await;
    let mut seen = Vec::new();
    let mut path = "/conversations-issues?limit=2".to_owned();
    loop {
        let page = list(&world, &path).await;
        assert_eq!(page["count"], 5);
        seen.extend(page.list("items").iter().map(|item| item["issue"].id().to_owned()));
        let Some(next) = page["next"]["page"].as_str() else { break };
        path = format!("/conversations-issues?limit=2&page={next}");
    }
    assert_eq!((seen.len(), seen.iter().collect::<BTreeSet<_>>().len()), (5, 5), "{seen:?}");
}

#[acceptance::test]
async fn the_pulse_of_a_cluster_follows_a_conversation_that_is_sent_again_with_another_start(world: World) {
    let Talks { cluster, .. } = Talks::ingest(&world).await;
    let pulse = async || {
        let shown = list(&world, &format!("/conversations-clusters/{cluster}")).await;
        let weeks = shown["weeklyPulse"].as_array().unwrap().iter().map(|week| week.as_u64().unwrap());
        weeks.collect::<Vec<_>>()
    };
    let mut expected = vec![0; 13];
    expected[12] = 2;
    assert_eq!(pulse().await, expected);
    let mut again = talk("first", "I cannot reset my password.");
    again["metadata"] = json!({"createdAt": world.services.clock.now() - TimeDelta::weeks(4)});
    world.ada.post(&world.org("/conversations"), again).await.expect(204);
    world.work().await;
    (expected[12], expected[8]) = (1, 1);
    assert_eq!(pulse().await, expected);
}

#[acceptance::test]
async fn unknown_ids_are_not_found(world: World) {
    two_problems(&world).await;
    for kind in ["conversations", "conversations-issues", "conversations-clusters"] {
        world.ada.get(&world.org(&format!("/{kind}/gone"))).await.error(404);
    }
    world.ada.patch(&world.org("/conversations-clusters/gone"), json!({"muted": true})).await.error(404);
    for filter in ["cluster=gone", "conversation=gone"] {
        assert_eq!(list(&world, &format!("/conversations-issues?{filter}")).await["count"], 0, "{filter}");
    }
}

#[acceptance::test]
async fn a_cluster_is_not_updated_while_a_language_model_fails(world: World) {
    with_model(&world).await;
    let Talks { cluster, .. } = Talks::ingest(&world).await;
    let path = format!("/conversations-clusters/{cluster}");
    let before = (list(&world, &path).await, list(&world, "/conversations-issues").await);
    assert!(!world.chat.asked().is_empty());
    world.pass(TimeDelta::hours(1)).await;
    assert!(!world.chat.asked().is_empty(), "it is asked again");
    assert_eq!(list(&world, &path).await["updatedAt"], before.0["updatedAt"], "no issue has changed");
    let found = |list: &Value| list.list("items").iter().map(|item| item["issue"].clone()).collect::<Vec<_>>();
    assert_eq!(found(&list(&world, "/conversations-issues").await), found(&before.1), "they were found earlier");
}
