//! Host names of organizations.
use super::migrations::{before, migrated_with};
use super::*;
use domain::id::OrganizationId;
use domain::organization::Organization;
use domain::ports::{Store, StoreError};
use rstest::rstest;

/// An organization with this host name, as SQL, in the schema before host names were unique.
fn organization(id: &str, hostname: &str) -> String {
    format!(
        "INSERT INTO organizations (id, title, email_domains, hostname, sso, ai, invite_links, merge_rules, created_at) \
         VALUES ('{id}', 'Docs', '[]', {hostname}, false, false, false, '{{\"type\": \"none\"}}', \
         '2026-01-01 00:00:00')"
    )
}

#[rstest]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_host_name_belongs_to_one_organization_and_the_oldest_of_before_keeps_it(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let Some(place) = before(backend, "2026-11-29-000300").await else { return };
    let all = [("a", "NULL"), ("b", "'docs'"), ("c", "'docs'"), ("d", "'docs'"), ("e", "'other'"), ("f", "NULL")];
    let store = migrated_with(&place, all.map(|(id, hostname)| organization(id, hostname))).await;
    let mut tx = store.write().await.unwrap();
    let mut kept = Vec::new();
    for (id, _) in all {
        let id: OrganizationId = id.parse().unwrap();
        kept.push(tx.organizations().find(&id, None).await.unwrap().unwrap().organization);
    }
    let names: Vec<Option<&str>> = kept.iter().map(|one| one.hostname.as_deref()).collect();
    assert_eq!(names, [None, Some("docs"), None, None, Some("other"), None]);
    let found = tx.organizations().with_hostname("docs", None).await.unwrap().unwrap();
    assert_eq!(found.organization, kept[1]);

    let late = &kept[2];
    tx.lock(&[(&late.id).into()]).await.unwrap();
    let renamed = |name: &str| Organization { hostname: Some(name.to_owned()), ..late.clone() };
    tx.organizations().save(&renamed("late")).await.unwrap();
    tx.organizations().save(&renamed("late")).await.unwrap();
    let refused = tx.organizations().save(&renamed("docs")).await;
    assert!(matches!(&refused, Err(StoreError::Conflict(name)) if name == "hostname"), "{refused:?}");
}
