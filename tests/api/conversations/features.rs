//! Issues whose features another version of the program computed.
use super::{Talks, ingest, list};
use acceptance::{Fields, World};
use async_trait::async_trait;
use chrono::TimeDelta;
use domain::conversation::IssueCluster;
use domain::conversations::features::FEATURE_VERSION;
use domain::id::IssueClusterId;
use domain::ports::store::conversations::StoredFeatures;
use domain::ports::{Embedder, EngineError, EngineUse};
use serde_json::json;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

/// The titles of the issues of each cluster.
async fn clusters(world: &World) -> BTreeMap<String, Vec<String>> {
    let issues = list(world, "/conversations-issues").await;
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for item in issues.list("items") {
        let issue = &item["issue"];
        found.entry(issue.text("cluster").to_owned()).or_default().push(issue.text("title").to_owned());
    }
    found
}

#[acceptance::test]
async fn issues_that_another_version_compared_are_grouped_from_scratch_once(world: World) {
    let Talks { cluster, .. } = Talks::ingest(&world).await;
    ingest(&world, "third", "The invoice shows a wrong tax rate.").await;
    ingest(&world, "fourth", "My invoice has the wrong tax rate.").await;
    world.work().await;
    let as_today = clusters(&world).await;
    assert_eq!(as_today.len(), 2, "{as_today:?}");
    // The other version had all issues but one in the first cluster, and its features cannot be read.
    let organization = &world.organization;
    let other: IssueClusterId = world.services.ids.make();
    let mut tx = world.services.store.write().await.unwrap();
    tx.lock(&[organization.into()]).await.unwrap();
    let first = tx.conversations().cluster(organization, &cluster.parse().unwrap()).await.unwrap().unwrap();
    tx.conversations().save_cluster(&IssueCluster { id: other.clone(), ..first.clone() }).await.unwrap();
    let issues = tx.conversations().grouped(organization, 10).await.unwrap();
    assert_eq!(issues.len(), 4, "{issues:?}");
    for (at, issue) in issues.iter().enumerate() {
        let cluster = if at == 1 { &other } else { &first.id };
        tx.conversations().move_issues(organization, std::slice::from_ref(&issue.id), cluster).await.unwrap();
        let features = StoredFeatures { version: FEATURE_VERSION - 1, bytes: vec![1, 2, 3] };
        tx.conversations().save_features(organization, &issue.id, &features).await.unwrap();
    }
    assert_eq!(tx.conversations().outdated(organization, FEATURE_VERSION, 3).await.unwrap().len(), 3);
    tx.commit().await.unwrap();

    world.pass(TimeDelta::hours(25)).await;
    let now = clusters(&world).await;
    let titles = |clusters: &BTreeMap<String, Vec<String>>| {
        let mut all: Vec<Vec<String>> = clusters.values().cloned().collect();
        all.sort();
        all
    };
    assert_eq!(titles(&now), titles(&as_today));
    assert!(now.contains_key(&cluster), "the cluster with most issues keeps its id: {now:?}");
    for id in now.keys().map(String::as_str).chain([other.as_str()]) {
        let shown = list(&world, &format!("/conversations-clusters/{id}")).await;
        assert_eq!(shown["stats"]["issues"], 2, "{shown}");
    }
    let mut tx = world.services.store.read().await.unwrap();
    let stored = tx.conversations().grouped(organization, 10).await.unwrap();
    assert!(stored.iter().all(|issue| issue.features.version == FEATURE_VERSION && issue.features.bytes.len() > 3));
    drop(tx);
    // Later, an issue that is similar to no other cluster keeps its cluster, also when new issues arrive.
    ingest(&world, "fifth", "I cannot find the dark theme.").await;
    world.work().await;
    let mut tx = world.services.store.write().await.unwrap();
    tx.lock(&[organization.into()]).await.unwrap();
    let fifth = tx.conversations().grouped(organization, 1).await.unwrap().remove(0);
    assert!(fifth.title.contains("dark theme") && fifth.cluster != first.id, "{fifth:?}");
    tx.conversations().move_issues(organization, std::slice::from_ref(&fifth.id), &first.id).await.unwrap();
    tx.commit().await.unwrap();
    ingest(&world, "sixth", "The video stops after one minute.").await;
    world.pass(TimeDelta::hours(25)).await;
    let later = clusters(&world).await;
    assert!(later[&cluster].contains(&fifth.title), "it was grouped from scratch once more: {later:?}");
}

#[acceptance::test]
async fn nothing_moves_without_new_issues(world: World) {
    Talks::ingest(&world).await;
    ingest(&world, "third", "The invoice shows a wrong tax rate.").await;
    ingest(&world, "fourth", "My invoice has the wrong tax rate.").await;
    world.pass(TimeDelta::hours(25)).await;
    // An issue that belongs to another cluster is alone in one.
    let organization = &world.organization;
    let alone: IssueClusterId = world.services.ids.make();
    let mut tx = world.services.store.write().await.unwrap();
    tx.lock(&[organization.into()]).await.unwrap();
    let issue = tx.conversations().grouped(organization, 1).await.unwrap().remove(0);
    let cluster = tx.conversations().cluster(organization, &issue.cluster).await.unwrap().unwrap();
    tx.conversations().save_cluster(&IssueCluster { id: alone.clone(), ..cluster }).await.unwrap();
    tx.conversations().move_issues(organization, std::slice::from_ref(&issue.id), &alone).await.unwrap();
    tx.commit().await.unwrap();

    let before = clusters(&world).await;
    assert_eq!(before.len(), 3, "{before:?}");
    world.pass(TimeDelta::days(3)).await;
    assert_eq!(clusters(&world).await, before);
    ingest(&world, "fifth", "I cannot find the dark theme.").await;
    world.pass(TimeDelta::hours(25)).await;
    let after = clusters(&world).await;
    let are_together = |titles: &Vec<String>| titles.iter().filter(|title| title.contains("tax rate")).count() == 2;
    assert!(after.len() == 3 && after.values().any(are_together), "{after:?}");
}

/// Refuses texts with a word.
#[derive(Default)]
struct Refusing(Mutex<Option<&'static str>>);

impl Refusing {
    fn refuse(&self, word: &'static str) {
        *self.0.lock().unwrap() = Some(word);
    }
}

#[async_trait]
impl Embedder for Refusing {
    fn model(&self) -> String {
        "refusing".to_owned()
    }

    async fn embed(&self, texts: &[String]) -> Result<(Vec<Vec<f32>>, EngineUse), EngineError> {
        let refused = *self.0.lock().unwrap();
        if refused.is_some_and(|word| texts.iter().any(|text| text.contains(word))) {
            return Err(EngineError::Refused(400));
        }
        Ok((texts.iter().map(|_| vec![1.0, 0.1, 0.0]).collect(), EngineUse { requests: 1, tokens: 3 }))
    }
}

/// The number of issues whose features are of an earlier version.
async fn outdated(world: &World) -> usize {
    let mut tx = world.services.store.read().await.unwrap();
    tx.conversations().outdated(&world.organization, FEATURE_VERSION, 10).await.unwrap().len()
}

#[acceptance::test]
async fn features_wait_for_an_engine_that_refuses_everything_and_not_for_one_text_that_it_refuses(world: World) {
    let mut world = world;
    let engine: Arc<Refusing> = Arc::default();
    let analyst = world.jobs.analyst.as_mut().unwrap();
    analyst.embedder = Some(engine.clone());
    analyst.chat = None;
    world.ada.patch(&world.org(""), json!({"ai": true})).await.ok();
    ingest(&world, "first", "I cannot reset my password.").await;
    ingest(&world, "second", "The invoice shows a wrong tax rate.").await;
    world.work().await;
    let mut tx = world.services.store.write().await.unwrap();
    tx.lock(&[(&world.organization).into()]).await.unwrap();
    for issue in tx.conversations().grouped(&world.organization, 10).await.unwrap() {
        let features = StoredFeatures { version: FEATURE_VERSION - 1, bytes: issue.features.bytes };
        tx.conversations().save_features(&world.organization, &issue.id, &features).await.unwrap();
    }
    tx.commit().await.unwrap();
    assert_eq!(outdated(&world).await, 2);

    engine.refuse("");
    world.pass(TimeDelta::hours(50)).await;
    assert_eq!(outdated(&world).await, 2);
    engine.refuse("invoice");
    world.pass(TimeDelta::hours(50)).await;
    assert_eq!(outdated(&world).await, 0);
}
