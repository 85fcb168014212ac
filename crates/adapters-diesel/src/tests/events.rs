//! The total of a list of events is read from counts, which units of work keep without waiting for each other.
use super::migrations::{before, migrated_with};
use super::*;
use crate::database::Purpose;
use crate::schema::events::event_counts;
use crate::{DieselStore, StoreOptions};
use chrono::DateTime;
use domain::actor::Source;
use domain::event::{Change, Event};
use domain::paging::PageRequest;
use domain::ports::Store;
use domain::ports::store::Tx;
use domain::ports::store::events::EventFilter;
use rstest::rstest;
use tokio::time::timeout;

async fn store(backend: Backend) -> Option<(World, DieselStore)> {
    let world = world(backend).await?;
    let store = DieselStore::new(world.database.clone(), &StoreOptions::default());
    Some((world, store))
}

fn created() -> Change {
    Change::SpaceCreated { space: "s".parse().unwrap() }
}

fn deleted() -> Change {
    Change::SpaceDeleted { space: "s".parse().unwrap() }
}

/// An event of an organization; without a name, of none.
fn event(id: &str, organization: &str, change: Change) -> Event {
    Event {
        id: id.parse().unwrap(),
        organization: organization.parse().ok(),
        actor: None,
        token: None,
        source: Source::Cli,
        client: None,
        at: DateTime::UNIX_EPOCH,
        change,
    }
}

async fn record(tx: &mut dyn Tx, id: &str, organization: &str, change: Change) {
    tx.events().record(&event(id, organization, change)).await.unwrap();
}

/// A filter by organization and by action; an empty text matches all.
fn filter(organization: &str, action: &str) -> EventFilter {
    EventFilter { organization: organization.parse().ok(), action: action.parse().ok(), ..EventFilter::default() }
}

/// The total that a list reports on a page without items, and the number of its events.
async fn total(tx: &mut dyn Tx, filter: &EventFilter) -> (usize, usize) {
    let page = |limit| PageRequest { limit, ..PageRequest::default() };
    let total = tx.events().list(filter, &page(0)).await.unwrap().total;
    (total, tx.events().list(filter, &page(1000)).await.unwrap().items.len())
}

async fn rows(world: &World) -> usize {
    let mut conn = world.database.read().await.unwrap();
    conn.all::<i64>(event_counts::table.select(event_counts::events)).await.unwrap().len()
}

#[rstest]
#[tokio::test]
async fn the_total_of_the_log_is_the_number_of_its_events(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let Some((world, store)) = store(backend).await else { return };
    for round in 0..3 {
        let mut tx = store.write().await.unwrap();
        for (at, organization) in ["o", "o", "p", ""].into_iter().enumerate() {
            record(&mut *tx, &format!("c{round}-{at}"), organization, created()).await;
        }
        record(&mut *tx, &format!("d{round}"), "o", deleted()).await;
        // A unit of work sees its own events.
        assert_eq!(total(&mut *tx, &filter("o", "")).await, (3 * (round + 1), 3 * (round + 1)));
        record(&mut *tx, &format!("e{round}"), "q", deleted()).await;
        tx.commit().await.unwrap();
        let mut undone = store.write().await.unwrap();
        record(&mut *undone, "x", "o", created()).await;
    }
    let mut tx = store.read().await.unwrap();
    let cases = [
        (filter("o", ""), 9),
        (filter("o", "space_created"), 6),
        (filter("o", "space_deleted"), 3),
        (filter("p", ""), 3),
        (filter("p", "space_deleted"), 0),
        (filter("r", ""), 0),
        (filter("", ""), 18),
        (filter("", "space_created"), 12),
        (EventFilter { from: Some(DateTime::UNIX_EPOCH), ..filter("o", "") }, 9),
        (EventFilter { to: Some(DateTime::UNIX_EPOCH), ..filter("o", "space_created") }, 6),
        (EventFilter { target: Some("t".to_owned()), ..filter("o", "") }, 0),
        (EventFilter { actor: "u".parse().ok(), ..filter("o", "") }, 0),
    ];
    for (filter, expected) in cases {
        assert_eq!(total(&mut *tx, &filter).await, (expected, expected), "{filter:?}");
    }
    drop(tx);
    assert_eq!(rows(&world).await, 5, "one for each action of an organization");
    // The events themselves are not counted.
    let mut conn = world.database.write().await.unwrap();
    conn.run(diesel::update(event_counts::table).set(event_counts::events.eq(100_i64))).await.unwrap();
    conn.commit().await.unwrap();
    let mut tx = store.read().await.unwrap();
    assert_eq!(total(&mut *tx, &filter("o", "")).await, (200, 9));
    assert_eq!(total(&mut *tx, &filter("o", "space_created")).await, (100, 6));
}

#[rstest]
#[tokio::test]
async fn many_events_of_a_unit_of_work_are_counted_by_one_statement(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let Some((world, store)) = store(backend).await else { return };
    for round in 0..2 {
        let mut tx = store.write().await.unwrap();
        for number in 0..20 {
            record(&mut *tx, &format!("{round}-{number}"), "o", created()).await;
        }
        let before = world.database.statements();
        tx.commit().await.unwrap();
        assert_eq!(world.database.statements() - before, 1, "also the first one, which adds the row");
    }
}

/// On SQLite, there is one writer.
#[tokio::test]
async fn units_of_work_count_their_events_without_waiting_for_each_other() {
    let Some((world, store)) = store(Backend::Postgres).await else { return };
    for round in 0..2 {
        let mut open = Vec::new();
        for number in 0..3 {
            let mut tx = store.begin(Purpose::Write).await.unwrap();
            record(&mut tx, &format!("{round}-{number}"), "o", created()).await;
            timeout(HANG, tx.count_new_events()).await.expect("no unit of work waits").unwrap();
            open.push(tx);
        }
        for tx in open {
            tx.finish().await.unwrap();
        }
        let mut tx = store.read().await.unwrap();
        let expected = 3 * (round + 1);
        assert_eq!(total(&mut *tx, &filter("o", "space_created")).await, (expected, expected));
        assert_eq!(rows(&world).await, 3, "rows are used again");
    }
}

#[rstest]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn events_of_before_there_were_counts_are_counted(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let Some(place) = before(backend, "2026-11-29-000400").await else { return };
    let row = |id: &str, organization: &str, action: &str| {
        let change = if action == "space_created" { created() } else { deleted() };
        let change = serde_json::to_string(&change).unwrap();
        format!(
            "INSERT INTO events (id, organization_id, at, source, action, target_id, change) \
             VALUES ('{id}', {organization}, '2026-01-01 00:00:00', 'api', '{action}', 's', '{change}')"
        )
    };
    let statements = [
        row("1", "'o'", "space_created"),
        row("2", "'o'", "space_created"),
        row("3", "'o'", "space_deleted"),
        row("4", "'p'", "space_created"),
        row("5", "NULL", "space_created"),
    ];
    let store = migrated_with(&place, statements).await;
    let mut tx = store.write().await.unwrap();
    record(&mut *tx, "6", "o", created()).await;
    tx.commit().await.unwrap();
    let mut tx = store.read().await.unwrap();
    for (organization, action, expected) in
        [("o", "", 4), ("o", "space_created", 3), ("o", "space_deleted", 1), ("p", "", 1), ("", "", 6)]
    {
        let found = total(&mut *tx, &filter(organization, action)).await;
        assert_eq!(found, (expected, expected), "{organization} {action}");
    }
}
