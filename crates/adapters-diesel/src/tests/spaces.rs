//! The filters of the lists of spaces, and spaces of earlier releases.
use super::migrations::{CHANGE_REQUEST, before, migrated_with};
use super::*;
use crate::schema::comments::comment_counts;
use crate::{DieselStore, StoreOptions};
use chrono::{DateTime, TimeDelta, Utc};
use domain::access::Within;
use domain::change_request::Counters;
use domain::id::SpaceId;
use domain::paging::{DEFAULT_LIMIT, MAX_LIMIT, PageRequest};
use domain::ports::Store;
use domain::ports::store::spaces::SpaceFilter;
use domain::space::{NewSpace, Space};
use domain::text::Language;
use rstest::rstest;
use tokio::time::timeout;

const ORGANIZATIONS: &str = "INSERT INTO organizations (id, title, email_domains, sso, ai, invite_links, merge_rules, \
     created_at) SELECT id, 'Engines', '[]', FALSE, FALSE, FALSE, '{}', '2026-01-01 00:00:00' \
     FROM (SELECT 'o' AS id UNION ALL SELECT 'other') AS ids";
const COLLECTION: &str = "INSERT INTO collections (id, organization_id, title, default_level, position, created_at, \
     updated_at) VALUES ('c', 'o', '', 'inherit', '1', '2026-01-01 00:00:00', '2026-01-01 00:00:00')";

fn at(seconds: i64) -> DateTime<Utc> {
    DateTime::UNIX_EPOCH + TimeDelta::seconds(seconds)
}

fn space(id: &str, organization: &str) -> Space {
    let new = NewSpace { language: Some(Language::De), ..NewSpace::default() };
    Space::new(id.parse().unwrap(), organization.parse().unwrap(), "r".parse().unwrap(), new, at(0))
}

/// Two spaces at the top, one in the collection `c`, one that was deleted, and one of another organization.
async fn store(backend: Backend) -> Option<(World, DieselStore)> {
    let world = world(backend).await?;
    let mut conn = world.database.write().await.unwrap();
    for sql in [ORGANIZATIONS, COLLECTION] {
        conn.run(diesel::sql_query(sql)).await.unwrap();
    }
    conn.commit().await.unwrap();
    let store = DieselStore::new(world.database.clone(), &StoreOptions::default());
    let mut tx = store.write().await.unwrap();
    for space in [
        space("one", "o"),
        space("two", "o"),
        Space { parent: Some("c".parse().unwrap()), ..space("inside", "o") },
        Space { deleted_at: Some(at(10)), ..space("deleted", "o") },
        space("foreign", "other"),
    ] {
        tx.spaces().save(&space).await.unwrap();
    }
    tx.commit().await.unwrap();
    Some((world, store))
}

fn all() -> SpaceFilter {
    SpaceFilter {
        organization: "o".parse().unwrap(),
        within: Within::Everything,
        also_within: Within::Everything,
        parent: None,
        deleted_after: None,
    }
}

/// Access to these spaces alone.
fn only(spaces: &[&str]) -> Within {
    let allowed: Vec<SpaceId> = spaces.iter().map(|id| id.parse().unwrap()).collect();
    Within::Some {
        top: false,
        defaults: Vec::new(),
        collections: Vec::new(),
        allowed,
        denied: Vec::new(),
        site_allowed: Vec::new(),
        site_denied: Vec::new(),
    }
}

#[rstest]
#[case::of_the_organization(all(), &["inside", "one", "two"])]
#[case::in_a_collection(SpaceFilter { parent: Some("c".parse().unwrap()), ..all() }, &["inside"])]
#[case::deleted(SpaceFilter { deleted_after: Some(at(9)), ..all() }, &["deleted"])]
#[case::deleted_before(SpaceFilter { deleted_after: Some(at(10)), ..all() }, &[])]
#[case::within(SpaceFilter { within: only(&["one", "inside"]), ..all() }, &["inside", "one"])]
#[case::within_both(
    SpaceFilter { within: only(&["one", "inside"]), also_within: only(&["one", "two"]), ..all() },
    &["one"]
)]
#[case::also_within(SpaceFilter { also_within: only(&["two"]), ..all() }, &["two"])]
#[case::within_nothing(SpaceFilter { within: Within::Nothing, ..all() }, &[])]
#[case::also_within_nothing(SpaceFilter { also_within: Within::Nothing, ..all() }, &[])]
#[tokio::test]
async fn the_list_of_spaces_and_their_languages_have_the_same_filter(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
    #[case] filter: SpaceFilter,
    #[case] expected: &[&str],
) {
    let Some((_world, store)) = store(backend).await else { return };
    let mut tx = store.read().await.unwrap();
    let page = PageRequest::default();
    let mut listed: Vec<String> = tx
        .spaces()
        .list(&filter, &page)
        .await
        .unwrap()
        .unwrap()
        .items
        .into_iter()
        .map(|space| space.id.to_string())
        .collect();
    listed.sort();
    assert_eq!(listed, expected);
    let mut languages = tx.spaces().languages(&filter).await.unwrap();
    languages.sort_by(|one, other| one.0.cmp(&other.0));
    assert!(languages.iter().all(|(_, language)| *language == Some(Language::De)));
    let named: Vec<String> = languages.into_iter().map(|(id, _)| id.to_string()).collect();
    assert_eq!(named, expected);
}

#[rstest]
#[tokio::test]
async fn spaces_are_found_among_more_ids_than_a_statement_can_bind(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let Some((_world, store)) = store(backend).await else { return };
    let missing = (0..66_000).map(|number| format!("missing{number}"));
    let names = ["one".to_owned(), "deleted".to_owned()].into_iter().chain(missing).chain(["foreign".to_owned()]);
    let ids: Vec<SpaceId> = names.map(|name| name.parse().unwrap()).collect();
    let found = store.read().await.unwrap().spaces().find_many(&ids).await.unwrap();
    let found: Vec<&str> = found.iter().map(|space| space.id.as_str()).collect();
    assert_eq!(found, ["one", "foreign"]);
}

#[rstest]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn spaces_of_before_have_no_edit_url(#[values(Backend::Sqlite, Backend::Postgres)] backend: Backend) {
    let Some(place) = before(backend, "2026-11-28-000200").await else { return };
    let rules = r#"UPDATE spaces SET merge_rules = '{"type": "inherit"}'"#;
    let store = migrated_with(&place, CHANGE_REQUEST.into_iter().chain([rules])).await;
    let mut tx = store.read().await.unwrap();
    let found = tx.spaces().find(&"s".parse().unwrap(), None).await.unwrap().unwrap().entity;
    assert_eq!((found.id.as_str(), found.edit_url), ("s", None));
}

async fn comments(store: &DieselStore, space: &SpaceId) -> u32 {
    let mut tx = store.read().await.unwrap();
    tx.spaces().find(space, None).await.unwrap().unwrap().entity.counters.comments
}

/// The ids of the spaces on the first page of a list, with their numbers of open comments.
async fn listed(store: &DieselStore, filter: &SpaceFilter, limit: usize) -> Vec<(String, u32)> {
    let page = PageRequest { limit, ..PageRequest::default() };
    let found = store.read().await.unwrap().spaces().list(filter, &page).await.unwrap().unwrap();
    found.items.into_iter().map(|space| (space.id.to_string(), space.counters.comments)).collect()
}

async fn rows_of_counts(world: &World) -> Vec<i64> {
    let mut conn = world.database.read().await.unwrap();
    conn.all(comment_counts::table.order(comment_counts::id).select(comment_counts::comments)).await.unwrap()
}

#[rstest]
#[tokio::test]
async fn comments_of_a_space_are_counted(#[values(Backend::Sqlite, Backend::Postgres)] backend: Backend) {
    let Some((world, store)) = store(backend).await else { return };
    let [one, two]: [SpaceId; 2] = ["one", "two"].map(|id| id.parse().unwrap());
    for (space, change, expected) in [(&one, 1, 1), (&two, 3, 3), (&one, 1, 2), (&one, -2, 0), (&two, -1, 2)] {
        let mut tx = store.write().await.unwrap();
        tx.spaces().count_comments(space, change).await.unwrap();
        let found = tx.spaces().find(space, None).await.unwrap().unwrap().entity;
        assert_eq!(found.counters.comments, expected, "a unit of work sees its own comments");
        // Saving the space changes no count.
        tx.lock(&[space.into()]).await.unwrap();
        tx.spaces().save(&Space { counters: Counters::default(), ..found }).await.unwrap();
        tx.commit().await.unwrap();
        assert_eq!(comments(&store, space).await, expected);
    }
    // The numbers of a long page are read apart.
    for limit in [1, DEFAULT_LIMIT, DEFAULT_LIMIT + 1, MAX_LIMIT] {
        let mut listed = listed(&store, &all(), limit).await;
        listed.sort();
        let expected = [("inside", 0), ("one", 0), ("two", 2)].map(|(id, comments)| (id.to_owned(), comments));
        assert_eq!(listed, expected[..limit.min(3)], "with at most {limit}");
    }
    let seen = SpaceFilter { within: only(&["two"]), ..all() };
    assert_eq!(listed(&store, &seen, MAX_LIMIT).await, [("two".to_owned(), 2)]);
    assert_eq!(rows_of_counts(&world).await, [0, 2], "one for each space");
    // Last, since PostgreSQL can hold the row for a moment after the unit of work is dropped.
    let mut undone = store.write().await.unwrap();
    undone.spaces().count_comments(&two, 7).await.unwrap();
    let counted = undone.spaces().find(&two, None).await.unwrap().unwrap().entity.counters.comments;
    drop(undone);
    assert_eq!((counted, comments(&store, &two).await), (9, 2));
}

/// On SQLite, there is one writer.
#[tokio::test]
async fn units_of_work_count_comments_without_waiting_for_each_other() {
    let Some((world, store)) = store(Backend::Postgres).await else { return };
    let one: SpaceId = "one".parse().unwrap();
    let mut editing = store.write().await.unwrap();
    editing.lock(&[(&one).into()]).await.unwrap();
    for round in 1..=2 {
        let mut open = Vec::new();
        for _ in 0..2 {
            let mut tx = store.write().await.unwrap();
            tx.spaces().count_comments(&one, 1).await.unwrap();
            let found = timeout(HANG, tx.spaces().exists(&one)).await.expect("no unit of work waits");
            assert!(found.unwrap());
            open.push(tx);
        }
        for tx in open {
            tx.commit().await.unwrap();
        }
        assert_eq!(comments(&store, &one).await, 2 * round);
        assert_eq!(rows_of_counts(&world).await, vec![i64::from(round); 2], "rows are used again");
    }
    for limit in [DEFAULT_LIMIT, MAX_LIMIT] {
        let counted = ("one".to_owned(), 4);
        assert!(listed(&store, &all(), limit).await.contains(&counted), "the number is the sum of the rows");
    }
    editing.spaces().count_comments(&one, -2).await.unwrap();
    editing.commit().await.unwrap();
    assert_eq!(comments(&store, &one).await, 2);
}

#[rstest]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn spaces_of_before_keep_their_number_of_comments(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let Some(place) = before(backend, "2026-11-29-000800").await else { return };
    let [user, organization, space, change_request] = CHANGE_REQUEST.map(str::to_owned);
    let other = space.replace("('s'", "('t'");
    let more =
        ["UPDATE spaces SET comments = 5 WHERE id = 's'", r#"UPDATE spaces SET merge_rules = '{"type": "inherit"}'"#];
    let all = [user, organization, space, other, change_request].into_iter().chain(more.map(str::to_owned));
    let store = migrated_with(&place, all).await;
    let [space, other]: [SpaceId; 2] = ["s", "t"].map(|id| id.parse().unwrap());
    let mut tx = store.write().await.unwrap();
    tx.spaces().count_comments(&space, 1).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!((comments(&store, &space).await, comments(&store, &other).await), (6, 0));
}
