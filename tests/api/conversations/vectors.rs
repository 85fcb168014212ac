//! Issues that are grouped by the vectors of an engine.
use super::{list, talk};
use acceptance::{Fields, SeededRandom, World};
use async_trait::async_trait;
use chrono::TimeDelta;
use domain::ports::{Embedder, EngineError, EngineUse};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// An engine with two vectors: one for texts that contain "kalu", one for all others.
#[derive(Default)]
struct TwoProblems {
    is_down: AtomicBool,
    requests: AtomicUsize,
    texts: Mutex<Vec<String>>,
}

const CONSONANTS: &[&str] = &["b", "d", "f", "k", "l", "m", "n", "p", "r", "s", "t", "v", "z"];
const VOWELS: &[&str] = &["a", "e", "i", "o", "u"];

/// An invented word.
fn word(random: &mut SeededRandom) -> String {
    (0..4).map(|_| format!("{}{}", random.one(CONSONANTS), random.one(VOWELS))).collect()
}

#[async_trait]
impl Embedder for TwoProblems {
    fn model(&self) -> String {
        "two-problems".to_owned()
    }

    async fn embed(&self, texts: &[String]) -> Result<(Vec<Vec<f32>>, EngineUse), EngineError> {
        self.requests.fetch_add(1, Ordering::SeqCst);
        if self.is_down.load(Ordering::SeqCst) {
            return Err(EngineError::Down("away".to_owned()));
        }
        self.texts.lock().unwrap().extend_from_slice(texts);
        let vector = |text: &String| {
            let first = text.to_lowercase().contains("kalu");
            if first { vec![1.0, 0.1, 0.0] } else { vec![0.1, 1.0, 0.0] }
        };
        Ok((texts.iter().map(vector).collect(), EngineUse { requests: 1, tokens: 3 }))
    }
}

/// Stores conversations on two problems, whose words all differ, except that "kalu" marks the first problem.
async fn store(world: &World, random: &mut SeededRandom, count: usize) {
    let talks = (0..count).map(|n| {
        let (one, other, third) = (word(random), word(random), word(random));
        let told = if n % 2 == 0 { format!("{one} {other} kalu{third}") } else { format!("{one} {other} {third}") };
        talk(&format!("{n}-{one}"), &format!("The {told} is broken."))
    });
    let talks: Vec<Value> = talks.collect();
    for some in talks.chunks(100) {
        world.ada.post(&world.org("/conversations"), json!(some)).await.expect(204);
    }
}

/// The numbers of issues of the first problem and of all, for each cluster.
async fn clusters(world: &World) -> Vec<(usize, usize)> {
    let issues = list(world, "/conversations-issues?limit=1000").await;
    let mut found: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for item in issues.list("items") {
        let issue = &item["issue"];
        let (first, all) = found.entry(issue.text("cluster")).or_default();
        *first += usize::from(issue.text("title").contains("kalu"));
        *all += 1;
    }
    found.into_values().collect()
}

fn ids(issues: &Value) -> BTreeSet<&str> {
    issues.list("items").iter().map(|item| item["issue"].id()).collect()
}

#[acceptance::test]
async fn issues_in_other_words_share_a_cluster_by_the_vectors_of_an_engine(world: World) {
    let mut world = world;
    let engine: Arc<TwoProblems> = Arc::default();
    world.jobs.analyst.as_mut().unwrap().embedder = Some(engine.clone());
    let mut random = SeededRandom::new(7);
    store(&world, &mut random, 20).await;
    world.work().await;
    assert_eq!(engine.requests.load(Ordering::SeqCst), 0, "the organization does not allow it");
    world.chat.rule(|_| Err(EngineError::Refused(400)));
    world.ada.patch(&world.org(""), json!({"ai": true})).await.ok();
    store(&world, &mut random, 220).await;
    world.work().await;
    let found = clusters(&world).await;
    let large: Vec<&(usize, usize)> = found.iter().filter(|(_, all)| *all > 40).collect();
    assert_eq!(large.len(), 2, "{found:?}");
    assert!(large.iter().all(|(first, all)| *first == 0 || first == all), "{found:?}");
    assert!(!engine.texts.lock().unwrap().is_empty());
}

#[acceptance::test]
async fn a_failed_engine_for_vectors_is_asked_again(world: World) {
    let mut world = world;
    let engine: Arc<TwoProblems> = Arc::default();
    world.jobs.analyst.as_mut().unwrap().embedder = Some(engine.clone());
    world.chat.rule(|_| Err(EngineError::Refused(400)));
    world.ada.patch(&world.org(""), json!({"ai": true})).await.ok();
    engine.is_down.store(true, Ordering::SeqCst);
    store(&world, &mut SeededRandom::new(3), 2).await;
    world.work().await;
    let issues = list(&world, "/conversations-issues").await;
    assert_eq!(issues["count"], 2, "rules and static vectors replace the engine");
    assert_eq!(engine.requests.load(Ordering::SeqCst), 1, "it is not asked during the pause");
    engine.is_down.store(false, Ordering::SeqCst);
    world.pass(TimeDelta::minutes(9)).await;
    assert_eq!(engine.requests.load(Ordering::SeqCst), 1);
    world.pass(TimeDelta::minutes(2)).await;
    assert_eq!(engine.texts.lock().unwrap().len(), 2);
    let again = list(&world, "/conversations-issues").await;
    assert_eq!(ids(&again), ids(&issues), "issues keep their ids");
}
