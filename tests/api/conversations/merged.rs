//! Clusters that were merged into others.
use super::{Talks, ids, list};
use acceptance::{Fields, World};
use domain::conversation::IssueCluster;
use domain::id::IssueClusterId;
use serde_json::json;

/// Gives what a cluster has to a new one, its heir.
async fn merge(world: &World, cluster: &str) -> IssueClusterId {
    let organization = &world.organization;
    let heir: IssueClusterId = world.services.ids.make();
    let mut tx = world.services.store.write().await.unwrap();
    tx.lock(&[organization.into()]).await.unwrap();
    let old = tx.conversations().cluster(organization, &cluster.parse().unwrap()).await.unwrap().unwrap();
    tx.conversations().save_cluster(&IssueCluster { id: heir.clone(), ..old.clone() }).await.unwrap();
    tx.conversations().pass_on(organization, &old.id, &heir).await.unwrap();
    let merged = IssueCluster { merged_into: Some(heir.clone()), issues: 0, conversations: 0, ..old };
    tx.conversations().save_cluster(&merged).await.unwrap();
    tx.commit().await.unwrap();
    heir
}

#[acceptance::test]
async fn a_cluster_that_was_merged_answers_with_the_one_that_has_its_issues(world: World) {
    let Talks { cluster, .. } = Talks::ingest(&world).await;
    let space = world.space(json!({})).await;
    let requests = format!("/spaces/{space}/change-requests");
    let about = world.ada.post(&requests, json!({"conversationsIssuesCluster": cluster})).await.expect(201);
    let heir = merge(&world, &cluster).await;

    let shown = list(&world, &format!("/conversations-clusters/{cluster}")).await;
    assert_eq!((shown.id(), &shown["stats"]["issues"]), (heir.as_str(), &json!(2)));
    assert_eq!(ids(&list(&world, "/conversations-clusters").await), [heir.as_str()]);
    for id in [cluster.as_str(), heir.as_str()] {
        assert_eq!(list(&world, &format!("/conversations-issues?cluster={id}")).await["count"], 2, "{id}");
        let found = world.ada.get(&format!("{requests}?status=draft&conversationsIssuesCluster={id}")).await.ok();
        assert_eq!(ids(&found), [about.id()], "{id}");
        let path = world.org(&format!("/conversations-clusters/{id}"));
        let muted = json!(id == cluster);
        assert_eq!(world.ada.patch(&path, json!({"muted": muted})).await.ok()["muted"], muted);
    }
    let new = world.ada.post(&requests, json!({"conversationsIssuesCluster": cluster})).await.expect(201);
    assert_eq!(new["conversationsIssuesCluster"], json!(heir), "it is about the one that has the issues");
}

#[acceptance::test]
#[case::and_stays_if_a_change_request_names_it(true)]
#[case::and_goes_with_it_otherwise(false)]
async fn a_merged_cluster_is_empty_once_its_heir_is(world: World, #[case] is_named: bool) {
    let Talks { cluster, .. } = Talks::ingest(&world).await;
    let space = world.space(json!({})).await;
    let requests = format!("/spaces/{space}/change-requests");
    let about = if is_named { json!({"conversationsIssuesCluster": cluster}) } else { json!({}) };
    let request = world.ada.post(&requests, about.clone()).await.id();
    let heir = merge(&world, &cluster).await;
    for id in ["first", "second"] {
        world.ada.delete(&world.org(&format!("/conversations/{id}"))).await.expect(205);
    }
    let shown = world.ada.get(&format!("{requests}/{request}")).await.ok();
    assert_eq!(shown.get("conversationsIssuesCluster"), about.get("conversationsIssuesCluster"), "{shown}");
    for id in [cluster.as_str(), heir.as_str()] {
        let path = world.org(&format!("/conversations-clusters/{id}"));
        if !is_named {
            world.ada.get(&path).await.error(404);
            continue;
        }
        let left = world.ada.get(&path).await.ok();
        assert_eq!((left.id(), &left["stats"]["issues"]), (heir.as_str(), &json!(0)));
        let found = world.ada.get(&format!("{requests}?status=draft&conversationsIssuesCluster={id}")).await.ok();
        assert_eq!(ids(&found), [request.as_str()], "{id}");
    }
}
