//! Clusters that were merged into others.
use super::{Talks, ids, ingest, list};
use acceptance::{Fields, World};
use chrono::TimeDelta;
use domain::content::document::Document;
use domain::conversation::IssueCluster;
use domain::id::IssueClusterId;
use serde_json::json;

/// Merges a cluster into a new one. Returns the new one's id.
async fn merge(world: &World, cluster: &str) -> IssueClusterId {
    let organization = &world.organization;
    let successor: IssueClusterId = world.services.ids.make();
    let mut tx = world.services.store.write().await.unwrap();
    tx.lock(&[organization.into()]).await.unwrap();
    let old = tx.conversations().cluster(organization, &cluster.parse().unwrap()).await.unwrap().unwrap();
    tx.conversations().save_cluster(&IssueCluster { id: successor.clone(), ..old.clone() }).await.unwrap();
    tx.conversations().pass_on(organization, &old.id, &successor).await.unwrap();
    let merged = IssueCluster { merged_into: Some(successor.clone()), issues: 0, conversations: 0, ..old };
    tx.conversations().save_cluster(&merged).await.unwrap();
    tx.commit().await.unwrap();
    successor
}

#[acceptance::test]
async fn the_id_of_a_merged_cluster_returns_the_cluster_that_has_its_issues(world: World) {
    let Talks { cluster, .. } = Talks::ingest(&world).await;
    let space = world.space(json!({})).await;
    let requests = format!("/spaces/{space}/change-requests");
    let about = world.ada.post(&requests, json!({"conversationsIssuesCluster": cluster})).await.expect(201);
    let successor = merge(&world, &cluster).await;

    let shown = list(&world, &format!("/conversations-clusters/{cluster}")).await;
    assert_eq!((shown.id(), &shown["stats"]["issues"]), (successor.as_str(), &json!(2)));
    assert_eq!(ids(&list(&world, "/conversations-clusters").await), [successor.as_str()]);
    for id in [cluster.as_str(), successor.as_str()] {
        assert_eq!(list(&world, &format!("/conversations-issues?cluster={id}")).await["count"], 2, "{id}");
        let found = world.ada.get(&format!("{requests}?status=draft&conversationsIssuesCluster={id}")).await.ok();
        assert_eq!(ids(&found), [about.id()], "{id}");
        let path = world.org(&format!("/conversations-clusters/{id}"));
        let muted = json!(id == cluster);
        assert_eq!(world.ada.patch(&path, json!({"muted": muted})).await.ok()["muted"], muted);
    }
    let new = world.ada.post(&requests, json!({"conversationsIssuesCluster": cluster})).await.expect(201);
    assert_eq!(new["conversationsIssuesCluster"], json!(successor), "it is about the one that has the issues");
}

#[acceptance::test]
#[case::and_stays_if_a_change_request_names_it(true)]
#[case::and_goes_with_it_otherwise(false)]
async fn a_merged_cluster_is_empty_once_its_successor_is(world: World, #[case] is_named: bool) {
    let Talks { cluster, .. } = Talks::ingest(&world).await;
    let space = world.space(json!({})).await;
    let requests = format!("/spaces/{space}/change-requests");
    let about = if is_named { json!({"conversationsIssuesCluster": cluster}) } else { json!({}) };
    let request = world.ada.post(&requests, about.clone()).await.id();
    let successor = merge(&world, &cluster).await;
    for id in ["first", "second"] {
        world.ada.delete(&world.org(&format!("/conversations/{id}"))).await.expect(205);
    }
    let shown = world.ada.get(&format!("{requests}/{request}")).await.ok();
    assert_eq!(shown.get("conversationsIssuesCluster"), about.get("conversationsIssuesCluster"), "{shown}");
    for id in [cluster.as_str(), successor.as_str()] {
        let path = world.org(&format!("/conversations-clusters/{id}"));
        if !is_named {
            world.ada.get(&path).await.error(404);
            continue;
        }
        let left = world.ada.get(&path).await.ok();
        assert_eq!((left.id(), &left["stats"]["issues"]), (successor.as_str(), &json!(0)));
        let found = world.ada.get(&format!("{requests}?status=draft&conversationsIssuesCluster={id}")).await.ok();
        assert_eq!(ids(&found), [request.as_str()], "{id}");
    }
}

#[acceptance::test]
#[case::and_both_are_muted([true, true], true)]
#[case::and_only_the_older_one_is_muted([true, false], false)]
#[case::and_only_the_younger_one_is_muted([false, true], false)]
async fn the_older_of_two_merged_clusters_is_muted_only_if_both_were(
    world: World,
    #[case] muted: [bool; 2],
    #[case] expected: bool,
) {
    let Talks { cluster, issue, .. } = Talks::ingest(&world).await;
    let organization = &world.organization;
    let (older, younger): (IssueClusterId, IssueClusterId) = (cluster.parse().unwrap(), world.services.ids.make());
    let mut tx = world.services.store.write().await.unwrap();
    tx.lock(&[organization.into()]).await.unwrap();
    let found = tx.conversations().cluster(organization, &older).await.unwrap().unwrap();
    tx.conversations().save_cluster(&IssueCluster { id: younger.clone(), ..found }).await.unwrap();
    tx.conversations().move_issues(organization, &[issue.parse().unwrap()], &younger).await.unwrap();
    tx.commit().await.unwrap();
    for (id, muted) in [&older, &younger].into_iter().zip(muted) {
        let path = world.org(&format!("/conversations-clusters/{id}"));
        assert_eq!(world.ada.patch(&path, json!({"muted": muted})).await.ok()["muted"], muted);
    }
    // A new issue makes the job regroup all clusters.
    ingest(&world, "third", "I cannot find the dark theme.").await;
    world.pass(TimeDelta::hours(25)).await;
    for id in [&older, &younger] {
        let shown = list(&world, &format!("/conversations-clusters/{id}")).await;
        assert_eq!((shown.id(), &shown["stats"]["issues"]), (older.as_str(), &json!(2)), "{shown}");
        assert_eq!(shown["muted"], expected);
    }
    let mut tx = world.services.store.read().await.unwrap();
    let merged = tx.conversations().cluster(organization, &younger).await.unwrap().unwrap();
    assert_eq!((merged.merged_into, merged.summary), (Some(older), Document::default()), "it quotes no issue");
}
