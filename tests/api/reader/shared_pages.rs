//! Visitors for whom all conditions have equal outcomes share a rendered page.
use super::text;
use crate::urls::{BASE, docs, signed};
use acceptance::{Backend, World};
use metrics::{Counter, Gauge, Histogram, Key, KeyName, Metadata, Recorder, SharedString, Unit};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};

/// Counts the pages that are rendered, and records nothing else.
struct PagesRendered(Arc<AtomicU64>);

impl Recorder for PagesRendered {
    fn describe_counter(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
    fn describe_gauge(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
    fn describe_histogram(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
    fn register_counter(&self, key: &Key, _: &Metadata<'_>) -> Counter {
        let is_page = key.labels().any(|label| (label.key(), label.value()) == ("what", "page"));
        if key.name() == "octavo_site_rendered_total" && is_page {
            Counter::from_arc(self.0.clone())
        } else {
            Counter::noop()
        }
    }
    fn register_gauge(&self, _: &Key, _: &Metadata<'_>) -> Gauge {
        Gauge::noop()
    }
    fn register_histogram(&self, _: &Key, _: &Metadata<'_>) -> Histogram {
        Histogram::noop()
    }
}

static RENDERED: LazyLock<Arc<AtomicU64>> = LazyLock::new(|| {
    let rendered = Arc::new(AtomicU64::default());
    let is_first = metrics::set_global_recorder(PagesRendered(rendered.clone())).is_ok();
    assert!(is_first, "no other test of this process records");
    rendered
});

#[acceptance::test]
async fn visitors_with_equal_outcomes_share_one_cached_page_and_others_do_not(backend: Backend) {
    let Some(world) = World::with_room(backend, 64 << 20).await else { return };
    let (site, space) = docs(&world, "public").await;
    let claim = |description: &str| json!({"type": "string", "description": description});
    let properties = json!({"plan": claim("The plan"), "name": claim("The name")});
    let schema = json!({"type": "object", "additionalProperties": false, "properties": properties});
    world.ada.put(&format!("{site}/adaptive-schema"), json!({"jsonSchema": schema})).await.ok();
    world.ada.patch(&site, json!({"adaptiveContent": {"enabled": true}})).await.ok();
    let hidden = world.page(&space, "install/macos").await;
    super::change(&world, &space, &hidden, json!({"condition": "visitor.claims.plan === 'pro'"})).await;

    // The page, and how many pages the visit rendered.
    let visit = async |claims: Value| {
        let token = signed(&world, &site, 600, claims).await;
        let before = RENDERED.load(Ordering::SeqCst);
        let cookie = ("Cookie", format!("octavo-visitor={token}"));
        let answer = world.browse_with(&format!("{BASE}/install/linux"), |request| request.insert_header(cookie)).await;
        assert_eq!(answer.header("cache-control"), Some("private, no-store"));
        (text(answer, 200), RENDERED.load(Ordering::SeqCst) - before)
    };
    let (ada, of_ada) = visit(json!({"plan": "free", "name": "Ada"})).await;
    let (bob, of_bob) = visit(json!({"plan": "free", "name": "Bob"})).await;
    let (cyd, of_cyd) = visit(json!({"plan": "pro", "name": "Cyd"})).await;
    let (dan, of_dan) = visit(json!({"plan": "pro", "name": "Dan"})).await;
    let (eve, of_eve) = visit(json!({"plan": "none", "name": "Eve"})).await;
    assert_eq!([of_ada, of_bob, of_cyd, of_dan, of_eve], [1, 0, 1, 0, 0], "pages rendered");
    assert!(ada == bob && ada == eve && cyd == dan, "those who share a page get the same one");
    assert!(!ada.contains("On macOS") && cyd.contains("On macOS"), "no other outcome is shown");
}
