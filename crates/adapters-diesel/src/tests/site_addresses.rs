//! Addresses of sites behind proxies.
use super::migrations::{ORGANIZATION, before, migrated_with};
use super::*;
use domain::id::SiteId;
use domain::ports::{Store, StoreError};
use domain::site::Site;
use domain::site::address::Key;
use rstest::rstest;

/// A site with this proxy, as SQL, in the schema before proxies were unique.
fn site(id: &str, proxy: &str) -> String {
    format!(
        "INSERT INTO sites (id, organization_id, kind, title, basename, proxy, visibility, default_level, \
         adaptive_content, agents_context, version, created_at, updated_at) VALUES ('{id}', 'o', 'basic', 'Docs', '{id}', \
         {proxy}, 'public', 'inherit', false, 'included', 1, '2026-01-01 00:00:00', '2026-01-01 00:00:00')"
    )
}

#[rstest]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_proxy_belongs_to_one_site_and_the_oldest_of_before_keeps_it(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let Some(place) = before(backend, "2026-11-29-000600").await else { return };
    let [docs, api] = ["'www.acme.org/docs'", "'www.acme.org/docs/api'"];
    let all = [("a", "NULL"), ("b", docs), ("c", docs), ("d", docs), ("e", api), ("f", "NULL")];
    let sites = all.map(|(id, proxy)| site(id, proxy));
    let store = migrated_with(&place, std::iter::once(ORGANIZATION.to_owned()).chain(sites)).await;
    let mut tx = store.write().await.unwrap();
    let mut kept = Vec::new();
    for (id, _) in all {
        let id: SiteId = id.parse().unwrap();
        kept.push(tx.sites().find(&id, None).await.unwrap().unwrap().entity);
    }
    let proxies: Vec<Option<&str>> = kept.iter().map(|one| one.proxy.as_ref().map(|proxy| proxy.as_str())).collect();
    assert_eq!(proxies, [None, Some("www.acme.org/docs"), None, None, Some("www.acme.org/docs/api"), None]);
    let found = tx.site_addresses().locate(&Key::Proxy("www.acme.org/docs".into())).await.unwrap();
    assert_eq!(found.map(|found| found.site.id), Some(kept[1].id.clone()));

    let late = &kept[2];
    tx.lock(&[(&late.id).into()]).await.unwrap();
    tx.sites().save(&Site { hostname: "www.acme.org".parse().ok(), ..late.clone() }).await.unwrap();
    for (host, proxies, expected) in [
        ("www.acme.org", vec![], vec!["c"]),
        ("www.acme.org", vec!["www.acme.org/docs"], vec!["b", "c"]),
        (
            "www.acme.org",
            vec!["www.acme.org/docs/api/v1", "www.acme.org/docs/api", "www.acme.org/docs"],
            vec!["b", "c", "e"],
        ),
        ("acme.org", vec!["acme.org/docs"], vec![]),
    ] {
        let proxies: Vec<String> = proxies.into_iter().map(str::to_owned).collect();
        let found = tx.site_addresses().locate_at_host(host, &proxies).await.unwrap();
        let mut ids: Vec<&str> = found.iter().map(|found| found.site.id.as_str()).collect();
        ids.sort_unstable();
        assert_eq!(ids, expected, "{host} {proxies:?}");
    }
    let moved = |proxy: &str| Site { proxy: proxy.parse().ok(), ..late.clone() };
    tx.sites().save(&moved("www.acme.org/late")).await.unwrap();
    tx.sites().save(&moved("www.acme.org/late")).await.unwrap();
    let refused = tx.sites().save(&moved("www.acme.org/docs")).await;
    assert!(matches!(&refused, Err(StoreError::Conflict(name)) if name == "proxy"), "{refused:?}");
}
