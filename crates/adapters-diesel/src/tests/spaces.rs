//! The filters of the lists of spaces, and spaces of earlier releases.
use super::migrations::{CHANGE_REQUEST, before, migrated_with};
use super::*;
use crate::{DieselStore, StoreOptions};
use chrono::{DateTime, TimeDelta, Utc};
use domain::access::Within;
use domain::id::SpaceId;
use domain::paging::PageRequest;
use domain::ports::Store;
use domain::ports::store::spaces::SpaceFilter;
use domain::space::{NewSpace, Space};
use domain::text::Language;
use rstest::rstest;

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
