//! Anchors that headings of pages had.
use super::migrations::{CHANGE_REQUEST, before, migrated_with};
use super::*;
use crate::DieselStore;
use crate::schema::content::former_anchors;
use domain::content::changes::{FormerAnchor, MAX_FORMER_ANCHOR, MAX_FORMER_ANCHORS};
use domain::content::document::{Key, MAX_KEY};
use domain::id::{PageId, SpaceId};
use domain::ports::Store;
use rstest::rstest;

/// A migrated database of the release before, with the space `s`.
async fn store(backend: Backend) -> Option<(TestDatabase, DieselStore)> {
    let place = before(backend, "2026-11-28-000300").await?;
    let store = migrated_with(&place, CHANGE_REQUEST).await;
    Some((place, store))
}

fn space() -> SpaceId {
    "s".parse().unwrap()
}

fn former(heading: &str, anchor: &str) -> FormerAnchor {
    FormerAnchor { anchor: anchor.to_owned(), heading: Key(heading.into()) }
}

async fn record(store: &DieselStore, pages: Vec<(PageId, Vec<FormerAnchor>)>) {
    let mut tx = store.write().await.unwrap();
    tx.lock(&[(&space()).into()]).await.unwrap();
    tx.content().record_former_anchors(&space(), pages).await.unwrap();
    tx.commit().await.unwrap();
}

async fn found(store: &DieselStore, page: &str) -> Vec<FormerAnchor> {
    let mut tx = store.read().await.unwrap();
    tx.content().former_anchors(&space(), &page.parse().unwrap()).await.unwrap()
}

#[rstest]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_anchor_is_of_the_heading_that_had_it_last(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let Some((_place, store)) = store(backend).await else { return };
    let [p, q]: [PageId; 2] = ["p", "q"].map(|id| id.parse().unwrap());
    assert_eq!(found(&store, "p").await, []);
    record(&store, vec![(p.clone(), vec![former("a", "one")])]).await;
    let both = vec![(q, vec![former("a", "other")]), (p.clone(), vec![former("a", "two"), former("b", "three")])];
    record(&store, both).await;
    assert_eq!(found(&store, "p").await, [former("a", "two"), former("b", "three"), former("a", "one")]);
    record(&store, vec![(p, vec![former("b", "one")])]).await;
    assert_eq!(found(&store, "p").await, [former("b", "one"), former("a", "two"), former("b", "three")]);
    assert_eq!(found(&store, "q").await, [former("a", "other")]);
    assert_eq!(found(&store, "r").await, []);
}

#[rstest]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_newest_anchors_of_a_page_are_kept_however_long_they_are(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let Some((place, store)) = store(backend).await else { return };
    let key = "k".repeat(MAX_KEY);
    // Two bytes for each character: the limit counts characters.
    let one = |number: usize| former(&key, &format!("{number:é>MAX_FORMER_ANCHOR$}"));
    for number in 0..2 * MAX_FORMER_ANCHORS {
        record(&store, vec![("p".parse().unwrap(), vec![one(number)])]).await;
    }
    let newest: Vec<FormerAnchor> = (MAX_FORMER_ANCHORS..2 * MAX_FORMER_ANCHORS).rev().map(one).collect();
    assert_eq!(found(&store, "p").await, newest);
    let database = Database::open(place.url(), &DatabaseOptions::default()).await.unwrap();
    let mut conn = database.read().await.unwrap();
    let stored: String = conn.one(former_anchors::table.select(former_anchors::anchors)).await.unwrap();
    assert_eq!(stored.chars().count(), MAX_FORMER_ANCHORS * (MAX_FORMER_ANCHOR + MAX_KEY + 2));
    record(&store, vec![("p".parse().unwrap(), vec![former("a", "x")])]).await;
    let again: Vec<FormerAnchor> = [former("a", "x")].into_iter().chain(newest).take(MAX_FORMER_ANCHORS).collect();
    assert_eq!(found(&store, "p").await, again, "the line that is cut off is left out");
}

#[rstest]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_change_of_many_pages_records_the_anchors_of_all(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let Some((_place, store)) = store(backend).await else { return };
    let page = |number: usize| format!("p{number}").parse::<PageId>().unwrap();
    let all = (0..2001).map(|number| (page(number), vec![former("a", &format!("x{number}"))])).collect();
    record(&store, all).await;
    for number in [0, 999, 1000, 2000] {
        assert_eq!(found(&store, page(number).as_str()).await, [former("a", &format!("x{number}"))]);
    }
}
