//! Share links, publishing authentication and adaptive schemas of sites.
use super::*;
use crate::{DieselStore, StoreOptions};
use chrono::DateTime;
use domain::id::SiteId;
use domain::patch::Patch;
use domain::ports::Store;
use domain::site::adaptive_schema::{AdaptiveSchema, SiteAdaptiveSchema};
use domain::site::publishing_auth::{AuthBackend, PublishingAuth, PublishingAuthPatch};
use domain::site::share_link::{ShareKey, ShareLink, ShareLinkKeyDeriver, ShareLinkPatch};
use domain::site::{NewSite, Site};
use rstest::rstest;
use serde_json::json;

/// A store with an organization and two sites, `a` and `b`.
async fn store(backend: Backend) -> Option<(World, DieselStore)> {
    let world = world(backend).await?;
    let mut conn = world.database.write().await.unwrap();
    let organization = "INSERT INTO organizations (id, title, email_domains, sso, ai, invite_links, merge_rules, created_at) \
         VALUES ('o', 'O', '[]', false, false, false, '[]', '2026-01-01 00:00:00')";
    conn.run(diesel::sql_query(organization)).await.unwrap();
    conn.commit().await.unwrap();
    let store = DieselStore::new(world.database.clone(), &StoreOptions::default());
    let mut tx = store.write().await.unwrap();
    for name in ["a", "b"] {
        let (organization, basename) = ("o".parse().unwrap(), name.parse().unwrap());
        let site = Site::new(id(name), organization, basename, &NewSite::default(), DateTime::UNIX_EPOCH);
        tx.sites().save(&site).await.unwrap();
    }
    tx.commit().await.unwrap();
    Some((world, store))
}

fn id(site: &str) -> SiteId {
    site.parse().unwrap()
}

fn link(name: &str, site: &str) -> ShareLink {
    let deriver = ShareLinkKeyDeriver::new(&[7; 32]);
    ShareLink::new(name.parse().unwrap(), id(site), name.parse().unwrap(), &deriver, DateTime::UNIX_EPOCH)
}

#[rstest]
#[tokio::test]
async fn a_share_link_belongs_to_one_site_and_is_found_by_its_key_on_any(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let Some((_world, store)) = store(backend).await else { return };
    let (mut first, second, other) = (link("1", "a"), link("2", "a"), link("3", "b"));
    let mut tx = store.write().await.unwrap();
    assert!(tx.site_audiences().save_share_link(&first).await.is_err(), "the site is not locked");
    tx.lock(&[(&id("a")).into(), (&id("b")).into()]).await.unwrap();
    for link in [&second, &first, &other] {
        tx.site_audiences().save_share_link(link).await.unwrap();
    }
    first.update(ShareLinkPatch { active: Some(false), name: "".parse().ok() });
    tx.site_audiences().save_share_link(&first).await.unwrap();
    tx.site_audiences().remove_share_link(&id("b"), &second.id).await.unwrap();
    assert_eq!(tx.site_audiences().share_links(&id("a")).await.unwrap(), [first.clone(), second.clone()]);
    assert_eq!(tx.site_audiences().share_link(&id("a"), &first.id).await.unwrap(), Some(first.clone()));
    assert_eq!(tx.site_audiences().share_link(&id("b"), &first.id).await.unwrap(), None);
    let key = ShareLinkKeyDeriver::new(&[7; 32]).key(&other);
    assert_eq!(tx.site_audiences().share_link_of_key(&key.hash()).await.unwrap(), Some(other));
    let wrong = ShareKey::presented("octavo_share_").hash();
    assert_eq!(tx.site_audiences().share_link_of_key(&wrong).await.unwrap(), None);
    tx.site_audiences().remove_share_link(&id("a"), &second.id).await.unwrap();
    assert_eq!(tx.site_audiences().share_links(&id("a")).await.unwrap(), [first]);
    tx.sites().remove(&id("b")).await.unwrap();
    assert_eq!(tx.site_audiences().share_link_of_key(&key.hash()).await.unwrap(), None, "it is removed with its site");
    tx.commit().await.unwrap();
}

#[rstest]
#[tokio::test]
async fn settings_exist_only_after_they_are_set(#[values(Backend::Sqlite, Backend::Postgres)] backend: Backend) {
    let Some((_world, store)) = store(backend).await else { return };
    let json = json!({"type": "object", "additionalProperties": false, "properties": {
        "beta": {"type": "boolean", "description": "é \u{1}"}}});
    let schema = AdaptiveSchema::parse(&json).unwrap();
    let mut set = SiteAdaptiveSchema { schema, updated_at: DateTime::UNIX_EPOCH };
    let mut auth = PublishingAuth::new(id("a"));
    let mut tx = store.write().await.unwrap();
    assert!(tx.site_audiences().save_publishing_auth(&auth).await.is_err(), "the site is not locked");
    assert!(tx.site_audiences().save_adaptive_schema(&id("a"), &set).await.is_err(), "the site is not locked");
    tx.lock(&[(&id("a")).into()]).await.unwrap();
    assert_eq!(tx.site_audiences().publishing_auth(&id("a")).await.unwrap(), None);
    assert_eq!(tx.site_audiences().adaptive_schema(&id("a")).await.unwrap(), None);
    tx.site_audiences().save_publishing_auth(&auth).await.unwrap();
    tx.site_audiences().save_adaptive_schema(&id("a"), &set).await.unwrap();
    assert_eq!(tx.site_audiences().adaptive_schema(&id("a")).await.unwrap(), Some(set.clone()));
    auth.regenerate();
    auth.update(PublishingAuthPatch {
        backend: AuthBackend::Integration,
        fallback_url: Patch::Set("https://example.org/?a=1".parse().unwrap()),
        logout_url: Patch::Keep,
    });
    set.schema = AdaptiveSchema::default();
    tx.site_audiences().save_publishing_auth(&auth).await.unwrap();
    tx.site_audiences().save_adaptive_schema(&id("a"), &set).await.unwrap();
    assert_eq!(tx.site_audiences().publishing_auth(&id("a")).await.unwrap(), Some(auth));
    assert_eq!(tx.site_audiences().adaptive_schema(&id("a")).await.unwrap(), Some(set));
    assert_eq!(tx.site_audiences().publishing_auth(&id("b")).await.unwrap(), None);
    tx.commit().await.unwrap();
}
