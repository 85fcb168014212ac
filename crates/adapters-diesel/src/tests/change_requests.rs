//! Links of change requests.
use super::migrations::{CHANGE_REQUEST, before, migrated_with};
use super::*;
use domain::change_request::{ChangeRequestLinks, ChangeRequestRef};
use domain::id::SpaceId;
use domain::ports::Store;
use rstest::rstest;
use serde_json::json;

#[rstest]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn change_requests_of_before_have_no_links_and_can_get_some(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let Some(place) = before(backend, "2026-11-29-000700").await else { return };
    let store = migrated_with(&place, CHANGE_REQUEST).await;
    let (space, which): (SpaceId, _) = ("s".parse().unwrap(), ChangeRequestRef::Number(1));
    let mut tx = store.write().await.unwrap();
    tx.lock(&[(&space).into()]).await.unwrap();
    let before = tx.change_requests().find(&space, &which).await.unwrap().unwrap();
    assert_eq!((before.subject.as_str(), before.links.len()), ("Kept", 0));
    let mut request = before.clone();
    request.links = serde_json::from_value::<ChangeRequestLinks>(json!([
        {"id": "b", "ref": {"kind": "url", "url": "https://example.org/b"}, "title": "Ü", "expanded": true},
        {"id": "a", "ref": {"kind": "url", "url": "https://example.org/a"}},
    ]))
    .unwrap();
    for stored in [request, before] {
        tx.change_requests().save(&stored).await.unwrap();
        assert_eq!(tx.change_requests().find(&space, &which).await.unwrap(), Some(stored));
    }
}
