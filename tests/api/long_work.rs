//! Long work runs on its own threads.
use super::access::{OPERATIONS, Place, send};
use super::change_requests::{edit, propose};
use acceptance::{Backend, Fixture, Watch, Watched, World};
use async_trait::async_trait;
use metrics::{Counter, Gauge, GaugeFn, Histogram, Key as MetricKey, KeyName, Metadata, Recorder, SharedString, Unit};
use serde_json::json;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

/// Operations that parse, write, merge, compare or search content, read all of it, or list what can be long.
const LONG: &[(&str, &str)] = &[
    ("put", "/v1/orgs/{organizationId}/agent-instructions"),
    ("post", "/v1/orgs/{organizationId}/conversations"),
    ("get", "/v1/orgs/{organizationId}/search"),
    ("post", "/v1/orgs/{organizationId}/spaces"),
    ("patch", "/v1/spaces/{spaceId}"),
    ("post", "/v1/spaces/{spaceId}/duplicate"),
    ("get", "/v1/spaces/{spaceId}/search"),
    ("post", "/v1/orgs/{organizationId}/sites/{siteId}/search"),
    ("put", "/v1/orgs/{organizationId}/sites/{siteId}/adaptive-schema"),
    ("post", "/v1/orgs/{organizationId}/sites/{siteId}/sections"),
    ("post", "/v1/orgs/{organizationId}/sites/{siteId}/site-spaces"),
    ("post", "/v1/orgs/{organizationId}/sites/{siteId}/site-spaces/{siteSpaceId}/duplicate"),
    ("post", "/v1/orgs/{organizationId}/sites/{siteId}/template"),
    ("get", "/v1/orgs/{organizationId}/audit-events"),
    ("get", "/v1/orgs/{organizationId}/members"),
    ("get", "/v1/orgs/{organizationId}/teams/{teamId}/members"),
    ("get", "/v1/spaces/{spaceId}/permissions/aggregate"),
    ("get", "/v1/collections/{collectionId}/permissions/aggregate"),
    ("get", "/v1/orgs/{organizationId}/sites/{siteId}/permissions/aggregate"),
    ("get", "/v1/spaces/{spaceId}/commenters"),
    ("get", "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/commenters"),
    ("get", "/v1/orgs/{organizationId}/change-requests"),
    ("get", "/v1/spaces/{spaceId}/change-requests"),
    ("get", "/v1/orgs/{organizationId}/translations"),
    ("get", "/v1/orgs/{organizationId}/translations-glossary"),
    ("put", "/v1/orgs/{organizationId}/translations-glossary"),
    ("get", "/v1/orgs/{organizationId}/translations-glossary/{glossaryEntryId}"),
    ("get", "/v1/orgs/{organizationId}/conversations/{conversationId}"),
    ("get", "/v1/orgs/{organizationId}/openapi"),
    ("post", "/v1/urls/published"),
    ("get", "/v1/urls/published"),
    ("get", "/v1/urls/content"),
    ("get", "/v1/orgs/{organizationId}/sites/{siteId}/structure"),
    ("get", "/v1/orgs/{organizationId}/sites/{siteId}/published"),
    ("patch", "/v1/orgs/{organizationId}/sites/{siteId}/structure/sort"),
    ("get", "/v1/orgs/{organizationId}/sites/{siteId}/sections"),
    ("patch", "/v1/orgs/{organizationId}/sites/{siteId}/sections/{siteSectionId}"),
    ("post", "/v1/orgs/{organizationId}/sites/{siteId}/sections/{siteSectionId}/move"),
    ("delete", "/v1/orgs/{organizationId}/sites/{siteId}/sections/{siteSectionId}"),
    ("get", "/v1/orgs/{organizationId}/sites/{siteId}/section-groups"),
    ("post", "/v1/orgs/{organizationId}/sites/{siteId}/section-groups"),
    ("patch", "/v1/orgs/{organizationId}/sites/{siteId}/section-groups/{siteSectionGroupId}"),
    ("post", "/v1/orgs/{organizationId}/sites/{siteId}/section-groups/{siteSectionGroupId}/move"),
    ("post", "/v1/orgs/{organizationId}/sites/{siteId}/section-groups/{siteSectionGroupId}/sections"),
    ("delete", "/v1/orgs/{organizationId}/sites/{siteId}/section-groups/{siteSectionGroupId}"),
    ("get", "/v1/orgs/{organizationId}/sites/{siteId}/site-spaces"),
    ("patch", "/v1/orgs/{organizationId}/sites/{siteId}/site-spaces/{siteSpaceId}"),
    ("post", "/v1/orgs/{organizationId}/sites/{siteId}/site-spaces/{siteSpaceId}/move"),
    ("delete", "/v1/orgs/{organizationId}/sites/{siteId}/site-spaces/{siteSpaceId}"),
    ("post", "/v1/orgs/{organizationId}/sites/{siteId}/external-links"),
    ("patch", "/v1/orgs/{organizationId}/sites/{siteId}/external-links/{siteExternalLinkId}"),
    ("delete", "/v1/orgs/{organizationId}/sites/{siteId}/external-links/{siteExternalLinkId}"),
    ("get", "/v1/orgs/{organizationId}/sites/{siteId}/redirects"),
    ("get", "/v1/spaces/{spaceId}/links"),
    ("get", "/v1/spaces/{spaceId}/content"),
    ("post", "/v1/spaces/{spaceId}/content/template"),
    ("post", "/v1/spaces/{spaceId}/content/computed/document"),
    ("post", "/v1/spaces/{spaceId}/content/computed/revision"),
    ("get", "/v1/spaces/{spaceId}/content/pages"),
    ("get", "/v1/spaces/{spaceId}/content/files"),
    ("get", "/v1/spaces/{spaceId}/content/files/{fileId}/backlinks"),
    ("get", "/v1/spaces/{spaceId}/content/page/{pageId}/links"),
    ("get", "/v1/spaces/{spaceId}/documents/{documentId}"),
    ("get", "/v1/spaces/{spaceId}/revisions/{revisionId}"),
    ("get", "/v1/spaces/{spaceId}/revisions/{revisionId}/pages"),
    ("get", "/v1/spaces/{spaceId}/revisions/{revisionId}/files"),
    ("get", "/v1/spaces/{spaceId}/revisions/{revisionId}/page/{pageId}/document"),
    ("get", "/v1/spaces/{spaceId}/revisions/{revisionId}/reusable-contents/{reusableContentId}/document"),
    ("get", "/v1/spaces/{spaceId}/revisions/{revisionId}/changes"),
    ("post", "/v1/spaces/{spaceId}/change-requests"),
    ("patch", "/v1/spaces/{spaceId}/change-requests/{changeRequestId}"),
    ("post", "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/merge"),
    ("post", "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/update"),
    ("get", "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/merge-status"),
    ("get", "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/conflicts"),
    ("post", "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/conflicts/{conflictId}"),
    ("get", "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/changes"),
    ("get", "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/links"),
    ("get", "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/reviews"),
    ("post", "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/reviews"),
    ("get", "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/reviews/{reviewId}"),
    ("get", "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content"),
    ("post", "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content"),
    ("get", "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content/pages"),
    ("get", "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content/files"),
    ("get", "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content/files/{fileId}/backlinks"),
    ("get", "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content/page/{pageId}/links"),
    ("get", "/v1/spaces/{spaceId}/comments"),
    ("get", "/v1/spaces/{spaceId}/comments/{commentId}"),
    ("put", "/v1/spaces/{spaceId}/comments/{commentId}"),
    ("get", "/v1/spaces/{spaceId}/comments/{commentId}/replies"),
    ("post", "/v1/spaces/{spaceId}/comments/{commentId}/replies"),
    ("get", "/v1/spaces/{spaceId}/comments/{commentId}/replies/{commentReplyId}"),
    ("put", "/v1/spaces/{spaceId}/comments/{commentId}/replies/{commentReplyId}"),
    ("get", "/v1/orgs/{organizationId}/openapi/{specSlug}/usages"),
    ("get", "/v1/orgs/{organizationId}/openapi/{specSlug}/versions/latest/content"),
    ("get", "/v1/orgs/{organizationId}/openapi/{specSlug}/versions/{versionId}/operations"),
    ("get", "/v1/orgs/{organizationId}/openapi/{specSlug}/versions/{versionId}/changes"),
    ("get", "/v1/orgs/{organizationId}/openapi/{specSlug}/versions/{versionId}/operation"),
    ("get", "/v1/orgs/{organizationId}/openapi/{specSlug}/versions/latest/content/raw"),
    ("get", "/v1/orgs/{organizationId}/openapi/{specSlug}/versions/{versionId}/content"),
    ("get", "/v1/orgs/{organizationId}/openapi/{specSlug}/versions/{versionId}/content/raw"),
    ("get", "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/comments"),
    ("get", "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/comments/{commentId}"),
    ("put", "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/comments/{commentId}"),
    ("get", "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/comments/{commentId}/replies"),
    ("post", "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/comments/{commentId}/replies"),
    ("get", "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/comments/{commentId}/replies/{commentReplyId}"),
    ("put", "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/comments/{commentId}/replies/{commentReplyId}"),
];

/// Records the threads on which units of work begin.
struct Threads(Arc<Mutex<Vec<String>>>);

#[async_trait]
impl Watch for Threads {
    async fn begin(&self, _writes: bool) {
        let name = std::thread::current().name().unwrap_or_default().to_owned();
        self.0.lock().unwrap().push(name);
    }
}

async fn watched() -> (World, Arc<Mutex<Vec<String>>>) {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let notes = seen.clone();
    let world = World::over(Backend::Sqlite, |store| Watched::over(store, Threads(notes))).await;
    (world.unwrap(), seen)
}

/// Whether a unit of work ran on a thread for long work since the last call.
fn was_long(seen: &Mutex<Vec<String>>) -> bool {
    std::mem::take(&mut *seen.lock().unwrap()).iter().any(|name| name == "octavo-work")
}

#[actix_web::test]
async fn long_work_never_runs_on_a_thread_that_answers_requests() {
    let (world, seen) = watched().await;
    let place = Place::build(world).await;
    let ada = &place.world.ada;
    let mut faults = Vec::new();
    for (method, pattern, ..) in OPERATIONS {
        let (path, body) = place.prepare(ada, method, pattern).await;
        was_long(&seen);
        let status = send(ada, method, &path, body, "request").await.status;
        let (long, wanted) = (was_long(&seen), LONG.contains(&(method, pattern)));
        if long != wanted {
            faults.push(format!("{method} {pattern}: {status}, long {long}, and not {wanted}"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Counts what begins on the threads for long work.
#[derive(Default)]
struct Begun(AtomicU64);

impl GaugeFn for Begun {
    fn increment(&self, _: f64) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
    fn decrement(&self, _: f64) {}
    fn set(&self, _: f64) {}
}

/// Records nothing else.
struct Watching(Arc<Begun>);

impl Recorder for Watching {
    fn describe_counter(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
    fn describe_gauge(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
    fn describe_histogram(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
    fn register_counter(&self, _: &MetricKey, _: &Metadata<'_>) -> Counter {
        Counter::noop()
    }
    fn register_gauge(&self, key: &MetricKey, _: &Metadata<'_>) -> Gauge {
        if key.name() == "octavo_work_running" { Gauge::from_arc(self.0.clone()) } else { Gauge::noop() }
    }
    fn register_histogram(&self, _: &MetricKey, _: &Metadata<'_>) -> Histogram {
        Histogram::noop()
    }
}

#[actix_web::test]
async fn a_long_body_is_parsed_on_a_thread_for_long_work() {
    let begun = Arc::new(Begun::default());
    let is_first = metrics::set_global_recorder(Watching(begun.clone())).is_ok();
    assert!(is_first, "no other test of this process records");
    let world = World::boot(Backend::Sqlite).await.unwrap();
    for (characters, expected) in [(1000, 0), (5000, 1)] {
        let before = begun.0.load(Ordering::SeqCst);
        let message = world.ada.patch(&world.org(""), json!({"title": "a".repeat(characters)})).await.error(400);
        assert!(message.starts_with("title: "), "{message}");
        assert_eq!(begun.0.load(Ordering::SeqCst) - before, expected, "{characters}");
    }
}

#[actix_web::test]
async fn a_large_page_is_read_on_a_thread_for_long_work_and_a_small_one_is_not() {
    let (world, seen) = watched().await;
    let space = world.import(&Fixture::guide()).await;
    let request = propose(&world.ada, &space, "").await;
    let insert = |title: &str, markdown: String| json!({ "operation": "insert_page", "title": title, "document": { "markdown": markdown } });
    let large = "Some words in a paragraph.\n\n".repeat(4000);
    edit(&world.ada, &request, json!([insert("Small", "Few words.".to_owned()), insert("Large", large)])).await.ok();
    for (path, long) in [
        ("small", false),
        ("small?format=markdown", false),
        ("small?dereferenced=true", true),
        ("large", true),
        ("large?format=markdown", true),
        ("large?format=markdown", false),
        ("none", false),
    ] {
        was_long(&seen);
        world.ada.get(&format!("{request}/content/path/{path}")).await;
        assert_eq!(was_long(&seen), long, "{path}");
    }
    // The error is the same as for a page that is read without the pool.
    world.ada.get(&format!("{request}/content/path/large?format=pdf")).await.error(400);
    world.ada.get(&format!("{request}/content/path/none?format=pdf")).await.error(404);
}

#[actix_web::test]
async fn a_comment_is_posted_on_a_thread_for_long_work_if_it_is_long_or_quotes_a_text() {
    let (world, seen) = watched().await;
    let space = world.import(&Fixture::guide()).await;
    let page = world.page(&space, "install").await;
    let path = format!("/spaces/{space}/comments");
    let of = |markdown: &str| json!({ "body": { "markdown": markdown } });
    let mut on_page = of("Why?");
    on_page["page"] = json!(page);
    let mut on_block = on_page.clone();
    on_block["node"] = json!("none");
    for (comment, status, long) in [
        (of("Why?"), 200, false),
        (of(&"Why? ".repeat(1000)), 200, true),
        (on_page, 200, false),
        (on_block, 400, true),
        (json!({}), 400, false),
    ] {
        was_long(&seen);
        world.ada.post(&path, comment.clone()).await.expect(status);
        assert_eq!(was_long(&seen), long, "{comment}");
    }
}

#[acceptance::test]
#[case::markdown(|text: &str| json!({ "markdown": text }), "changes[0].document.markdown")]
#[case::blocks(|text: &str| {
    let leaf = json!({ "object": "text", "leaves": [{ "object": "leaf", "text": text, "marks": [] }] });
    let block = json!({ "object": "block", "type": "paragraph", "nodes": [leaf] });
    json!({ "document": { "object": "document", "data": {}, "nodes": [block] } })
}, "changes[0].document.document")]
async fn a_text_has_a_limit_in_bytes(
    world: World,
    #[case] document: fn(&str) -> serde_json::Value,
    #[case] field: &str,
) {
    let space = world.import(&Fixture::guide()).await;
    let request = propose(&world.ada, &space, "").await;
    let send = async |bytes: usize| {
        let change = json!([{ "operation": "insert_page", "title": "Long", "document": document(&"a".repeat(bytes)) }]);
        edit(&world.ada, &request, change).await
    };
    let message = send(2 * 1024 * 1024 + 1).await.error(400);
    assert_eq!(message, format!("{field}: must have at most 2097152 bytes, not 2097153"));
    send(2 * 1024 * 1024).await.ok();
}
