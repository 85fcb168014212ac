//! Addresses of sites, and paths and names of before.
use super::{refused, site};
use crate::change_requests::{edit, merged, propose};
use acceptance::{Fields, Fixture, World};
use domain::id::SpaceId;
use domain::site::redirect::RedirectStatus;
use domain::usecases::sites::Resolved;
use serde_json::{Value, json};

/// A published site with the guide.
async fn guide(world: &World) -> (String, SpaceId) {
    let space = world.import(&Fixture::guide()).await;
    let path = site(world, json!({"title": "Docs", "spaces": [space.as_str()]})).await;
    world.ada.post(&format!("{path}/publish"), json!({})).await.ok();
    (path, space)
}

/// What an address leads to: `= path` for a page, or the address that it is redirected to.
pub(super) async fn lead(world: &World, url: &str) -> String {
    match world.services.sites.resolve(&url.parse().unwrap()).await.unwrap() {
        Resolved::Page(page) => format!("= {}", page.path),
        Resolved::Redirect { url, .. } => url,
        Resolved::Nothing => "nothing".to_owned(),
        Resolved::UnknownHost => "unknown host".to_owned(),
    }
}

pub(super) async fn merge(world: &World, space: &SpaceId, changes: Value) {
    let request = propose(&world.ada, space, "").await;
    edit(&world.ada, &request, changes).await.ok();
    merged(&world.ada, &request).await;
}

const BASE: &str = "https://docs.test/s/docs";

#[acceptance::test]
async fn each_page_of_a_published_site_has_one_address(world: World) {
    let (path, _) = guide(&world).await;
    for (rest, expected) in [
        ("/", "= readme"),
        ("/install", "= install"),
        ("/install/linux", "= install/linux"),
        ("/install/linux.md", "= install/linux"),
        ("", "https://docs.test/s/docs/"),
        ("/install/?q=1", "https://docs.test/s/docs/install?q=1"),
        ("/Install/Linux", "https://docs.test/s/docs/install/linux"),
        ("/install/index.html", "https://docs.test/s/docs/install"),
        ("/reference", "https://docs.test/s/docs/reference/options"),
        ("/nothing", "nothing"),
        ("/llms.txt", "nothing"),
    ] {
        let found = lead(&world, &format!("{BASE}{rest}")).await;
        let start = expected == "= readme" && found.starts_with("= ");
        assert!(found == expected || start, "{rest}: {found}");
    }
    assert_eq!(lead(&world, "https://docs.test/s/other/").await, "nothing");
    assert_eq!(lead(&world, "https://docs.example.org/").await, "unknown host");
    world.ada.post(&format!("{path}/unpublish"), json!({})).await.ok();
    assert_eq!(lead(&world, &format!("{BASE}/install")).await, "nothing");
}

#[acceptance::test]
async fn a_site_has_one_canonical_address_and_the_others_lead_to_it(world: World) {
    let (path, _) = guide(&world).await;
    world.ada.patch(&path, json!({"hostname": "docs.acme.org", "proxy": "www.acme.org/docs"})).await.ok();
    assert_eq!(lead(&world, "https://www.acme.org/docs/install").await, "= install");
    for other in ["https://docs.acme.org/install?q=1", "https://docs.test/s/docs/install?q=1"] {
        assert_eq!(lead(&world, other).await, "https://www.acme.org/docs/install?q=1");
    }
    world.ada.patch(&path, json!({"proxy": null})).await.ok();
    assert_eq!(lead(&world, &format!("{BASE}/install")).await, "https://docs.acme.org/install");
    assert_eq!(lead(&world, "https://www.acme.org/docs/install").await, "unknown host");
    for host in ["docs.test", "a.sites.test.org"] {
        let proxy = json!({"proxy": format!("{host}/docs")});
        refused(world.ada.patch(&path, proxy).await, "proxy");
    }
    refused(world.ada.patch(&path, json!({"hostname": "acme.sites.test.org"})).await, "hostname");
}

#[acceptance::test]
async fn an_organization_with_a_host_name_has_its_sites_below_the_wildcard_host(world: World) {
    guide(&world).await;
    world.ada.patch(&world.org(""), json!({"hostname": "acme"})).await.ok();
    assert_eq!(lead(&world, &format!("{BASE}/install")).await, "https://acme.sites.test.org/docs/install");
    assert_eq!(lead(&world, "https://acme.sites.test.org/docs/install").await, "= install");
    assert_eq!(lead(&world, "https://other.sites.test.org/docs/install").await, "nothing");
}

#[acceptance::test]
async fn a_page_that_moved_three_times_is_reached_in_one_step_from_each_path(world: World) {
    let (_, space) = guide(&world).await;
    let linux = world.page(&space, "install/linux").await;
    let macos = world.page(&space, "install/macos").await;
    let install = world.page(&space, "install").await;
    merge(&world, &space, json!([{"operation": "update_page", "page": linux, "slug": "penguin"}])).await;
    merge(&world, &space, json!([{"operation": "update_page", "page": install, "slug": "setup"}])).await;
    merge(&world, &space, json!([{"operation": "update_page", "page": linux, "into": null}])).await;
    for old in ["install/linux", "install/penguin", "setup/penguin", "Install/Linux"] {
        assert_eq!(lead(&world, &format!("{BASE}/{old}")).await, format!("{BASE}/penguin"));
    }
    assert_eq!(lead(&world, &format!("{BASE}/install/macos?q=1")).await, format!("{BASE}/setup/macos?q=1"));

    merge(&world, &space, json!([{"operation": "update_page", "page": macos, "slug": "linux"}])).await;
    merge(&world, &space, json!([{"operation": "update_page", "page": install, "slug": "install"}])).await;
    assert_eq!(lead(&world, &format!("{BASE}/install/linux")).await, "= install/linux", "an existing page wins");
    merge(&world, &space, json!([{"operation": "delete_page", "page": macos}])).await;
    assert_eq!(lead(&world, &format!("{BASE}/install/linux")).await, "nothing", "the last one had it, and is gone");
    assert_eq!(lead(&world, &format!("{BASE}/install/penguin")).await, format!("{BASE}/penguin"));
}

#[acceptance::test]
async fn a_change_request_that_is_not_merged_leaves_no_paths(world: World) {
    let (_, space) = guide(&world).await;
    let install = world.page(&space, "install").await;
    let request = propose(&world.ada, &space, "").await;
    edit(&world.ada, &request, json!([{"operation": "update_page", "page": install, "slug": "setup"}])).await.ok();
    assert_eq!(lead(&world, &format!("{BASE}/install")).await, "= install");
    let mut tx = world.services.store.read().await.unwrap();
    assert_eq!(tx.content().former_pages(&space, &["install".to_owned()]).await.unwrap(), [None]);
}

#[acceptance::test]
async fn an_imported_change_keeps_the_paths_that_pages_left(world: World) {
    let (_, space) = guide(&world).await;
    let smaller = Fixture::new("smaller", [("README.md", "# Engine Guide\n"), ("setup/linux.md", "# On Linux\n")]);
    let linux = world.page(&space, "install/linux").await;
    world.import_into(&space, &smaller).await;
    let mut tx = world.services.store.read().await.unwrap();
    let former = tx.content().former_pages(&space, &["INSTALL/linux".to_owned(), "nothing".to_owned()]).await.unwrap();
    assert_eq!(former, [linux.parse().ok(), None], "also of a page that is gone");
    let paths = tx.content().former_paths(&space).await.unwrap();
    assert!(paths.contains(&"install/linux".to_owned()) && !paths.contains(&"setup/linux".to_owned()), "{paths:?}");
}

#[acceptance::test]
async fn a_path_of_the_default_leads_to_it_when_another_is_the_default(world: World) {
    let (path, _) = guide(&world).await;
    let other = Fixture::new("other", [("README.md", "# Other\n"), ("install.md", "# Install\n")]);
    let other = world.import(&other).await;
    let body = json!({"spaceId": other.as_str(), "title": "Other"});
    let added = world.ada.post(&format!("{path}/site-spaces"), body).await.expect(201);
    let first = world.ada.get(&format!("{path}/structure")).await.ok()["structure"][0].text("path").to_owned();
    assert_eq!(lead(&world, &format!("{BASE}/install/linux")).await, "= install/linux");
    world.ada.patch(&path, json!({"defaultSiteSpace": added.id()})).await.ok();
    assert_eq!(lead(&world, &format!("{BASE}/install/linux")).await, format!("{BASE}/{first}/install/linux"));
    assert_eq!(lead(&world, &format!("{BASE}/install")).await, "= install", "an existing page wins");
    let install = world.page(&other, "install").await;
    merge(&world, &other, json!([{"operation": "update_page", "page": install, "slug": "setup"}])).await;
    assert_eq!(lead(&world, &format!("{BASE}/install")).await, format!("{BASE}/setup"), "it had the path last");
    let changed = json!({"draft": true});
    world.ada.patch(&format!("{path}/site-spaces/{}", added.id()), changed).await.ok();
    assert_eq!(lead(&world, &format!("{BASE}/install/linux")).await, "= install/linux");
}

#[acceptance::test]
async fn redirects_of_an_import_lead_to_the_pages_of_files_after_history(world: World) {
    let (path, space) = guide(&world).await;
    let redirects = "redirects:\n  old/start: README.md\n  /Old/Linux/: setup/linux.md\n  install/macos: setup/macos.md\n  \
                     install/linux: README.md\n  gone: gone.md\n";
    let summary =
        "* [Start](README.md)\n* [Setup](setup/README.md)\n  * [macOS](setup/macos.md)\n* [Linux](setup/linux.md)\n";
    let next = Fixture::new(
        "next",
        [
            (".gitbook.yaml", redirects),
            ("SUMMARY.md", summary),
            ("README.md", "# Engine Guide\n"),
            ("setup/README.md", "# Set up\n"),
            ("setup/macos.md", "# On macOS, written anew\n"),
            ("setup/linux.md", "# Linux\n\nEverything about Linux is new, too.\n"),
        ],
    );
    world.import_into(&space, &next).await;
    for (old, expected) in [
        ("old/start", format!("{BASE}/")),
        ("old/linux?q=1", format!("{BASE}/linux?q=1")),
        ("OLD/linux/", format!("{BASE}/linux")),
        ("install/macos", format!("{BASE}/setup/macos")),
        ("install/macos.md", format!("{BASE}/setup/macos.md")),
        ("gone", "nothing".to_owned()),
        ("old", "nothing".to_owned()),
    ] {
        assert_eq!(lead(&world, &format!("{BASE}/{old}")).await, expected, "{old}");
    }
    let redirect = json!({"source": "/old/linux", "destination": {"kind": "external", "url": "https://example.org/"}});
    world.ada.post(&format!("{path}/redirects"), redirect).await.expect(201);
    assert_eq!(lead(&world, &format!("{BASE}/old/linux")).await, format!("{BASE}/linux"), "before those of the site");
    let linux = world.page(&space, "linux").await;
    merge(&world, &space, json!([{"operation": "update_page", "page": linux, "slug": "penguin"}])).await;
    assert_eq!(lead(&world, &format!("{BASE}/old/linux")).await, format!("{BASE}/penguin"), "it follows its page");
    merge(&world, &space, json!([{"operation": "delete_page", "page": linux}])).await;
    assert_eq!(lead(&world, &format!("{BASE}/old/linux")).await, "https://example.org/");
}

#[acceptance::test]
async fn renamed_sites_sections_and_variants_are_reached_by_their_old_names(world: World) {
    let (path, _) = guide(&world).await;
    let api = world.import(&Fixture::guide()).await;
    let section = world.ada.post(&format!("{path}/sections"), json!({"spaceId": api.as_str(), "title": "API"})).await;
    let section = section.expect(201);
    let id = section.id();
    let second = world.import(&Fixture::guide()).await;
    let body = json!({"spaceId": second.as_str(), "sectionId": id, "title": "Beta"});
    let variant = world.ada.post(&format!("{path}/site-spaces"), body).await.expect(201).id().to_owned();
    assert_eq!(lead(&world, &format!("{BASE}/api/beta/install")).await, "= install");

    world.ada.patch(&format!("{path}/sections/{id}"), json!({"path": "rest"})).await.ok();
    world.ada.patch(&format!("{path}/site-spaces/{variant}"), json!({"path": "next"})).await.ok();
    world.ada.patch(&path, json!({"basename": "handbook"})).await.ok();
    let now = "https://docs.test/s/handbook";
    assert_eq!(lead(&world, &format!("{BASE}/api/beta/install?q=1")).await, format!("{now}/rest/next/install?q=1"));
    assert_eq!(lead(&world, &format!("{now}/api/beta/install?q=1")).await, format!("{now}/rest/next/install?q=1"));
    assert_eq!(lead(&world, &format!("{now}/rest/beta")).await, format!("{now}/rest/next"));

    // A new site does not take the old name by itself, but it may be given it.
    let other = world.ada.post(&world.org("/sites"), json!({"title": "Docs"})).await.expect(201);
    assert_eq!(other.text("basename"), "docs-1");
    let other = world.org(&format!("/sites/{}", other.id()));
    world.ada.patch(&other, json!({"basename": "docs"})).await.ok();
    world.ada.post(&format!("{other}/publish"), json!({})).await.ok();
    assert_eq!(lead(&world, &format!("{BASE}/install")).await, "nothing", "it is of the other site now");
    world.ada.patch(&path, json!({"basename": "handbook"})).await.ok();
    world.ada.patch(&other, json!({"basename": "docs-2"})).await.ok();
    world.ada.patch(&path, json!({"basename": "docs"})).await.ok();
    assert_eq!(lead(&world, &format!("{BASE}/rest/next")).await.split(' ').next(), Some("="));
}

#[acceptance::test]
async fn redirects_lead_only_from_paths_without_a_page_and_clients_remember_few(world: World) {
    let (path, _) = guide(&world).await;
    let url = |rest: &str| format!("https://example.org/{rest}");
    for (source, permanent) in [("/install", false), ("/gone", false), ("/gone-forever", true)] {
        let destination = json!({"kind": "external", "url": url("new")});
        let body = json!({"source": source, "permanent": permanent, "destination": destination});
        world.ada.post(&format!("{path}/redirects"), body).await.expect(201);
    }
    assert_eq!(lead(&world, &format!("{BASE}/install")).await, "= install");
    assert_eq!(lead(&world, &format!("{BASE}/gone?q=1")).await, url("new?q=1"));
    let status = async |rest: &str| match world
        .services
        .sites
        .resolve(&format!("{BASE}/{rest}").parse().unwrap())
        .await
        .unwrap()
    {
        Resolved::Redirect { status, .. } => status,
        other => panic!("{other:?}"),
    };
    assert_eq!(status("gone").await, RedirectStatus::Temporary);
    assert_eq!(status("gone-forever").await, RedirectStatus::Permanent);
    world.ada.patch(&path, json!({"visibility": "unlisted"})).await.ok();
    assert_eq!(status("gone-forever").await, RedirectStatus::Temporary, "the site is not public");
}
