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
    record_in(store, &space(), pages).await;
}

async fn record_in(store: &DieselStore, space: &SpaceId, pages: Vec<(PageId, Vec<FormerAnchor>)>) {
    let mut tx = store.write().await.unwrap();
    tx.lock(&[space.into()]).await.unwrap();
    tx.content().record_former_anchors(space, pages).await.unwrap();
    tx.commit().await.unwrap();
}

async fn found(store: &DieselStore, page: &str) -> Vec<FormerAnchor> {
    let mut tx = store.read().await.unwrap();
    tx.content().former_anchors(&space(), &page.parse().unwrap()).await.unwrap()
}

/// The number of these pages of a space that have anchors.
async fn anchored(store: &DieselStore, space: &SpaceId, pages: &[PageId]) -> usize {
    let (mut tx, mut count) = (store.read().await.unwrap(), 0);
    for page in pages {
        count += usize::from(!tx.content().former_anchors(space, page).await.unwrap().is_empty());
    }
    count
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

#[rstest]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_step_of_a_purge_removes_the_anchors_of_a_limited_number_of_pages_of_the_space(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let Some(place) = before(backend, "2026-11-28-000300").await else { return };
    let [user, organization, space_row, change_request] = CHANGE_REQUEST.map(str::to_owned);
    let other_row = space_row.replace("('s'", "('t'");
    let store = migrated_with(&place, [user, organization, space_row, other_row, change_request]).await;
    let (space, other): (SpaceId, SpaceId) = (space(), "t".parse().unwrap());
    let pages: Vec<PageId> = (0..5).map(|number| format!("p{number}").parse().unwrap()).collect();
    for space in [&space, &other] {
        // Both spaces have pages with the same ids.
        let all = pages.iter().map(|page| (page.clone(), vec![former("a", "x")])).collect();
        record_in(&store, space, all).await;
    }
    let mut steps = Vec::new();
    for _ in 0..4 {
        let mut tx = store.write().await.unwrap();
        tx.lock(&[(&space).into()]).await.unwrap();
        let removed = tx.purge().remove_some(&space, 2).await.unwrap();
        tx.commit().await.unwrap();
        steps.push((removed, anchored(&store, &space, &pages).await));
    }
    // The first step also removes the change request of the space.
    assert_eq!(steps, [(3, 3), (2, 1), (1, 0), (0, 0)]);
    assert_eq!(anchored(&store, &other, &pages).await, 5);
}
