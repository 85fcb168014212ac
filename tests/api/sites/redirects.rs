//! Redirects of sites.
use super::{refused, site};
use crate::change_requests::{edit, merged, propose};
use acceptance::{Fields, Fixture, World};
use domain::access::Role;
use serde_json::{Value, json};

fn external(url: &str) -> Value {
    json!({"kind": "external", "url": url})
}

/// A site with the guide, and the ids of its space and its site space.
async fn guide(world: &World) -> (String, String, String) {
    let space = world.import(&Fixture::guide()).await.to_string();
    let path = site(world, json!({"title": "Docs", "spaces": [space]})).await;
    let structure = world.ada.get(&format!("{path}/structure")).await.ok();
    (path, space, structure["structure"][0].id().to_owned())
}

async fn sources(world: &World, path: &str, query: &str) -> Vec<String> {
    let list = world.ada.get(&format!("{path}/redirects{query}")).await.ok();
    list.list("items").iter().map(|item| item.text("source").to_owned()).collect()
}

async fn target(world: &World, path: &str, source: &str) -> String {
    world.ada.get(&format!("{path}/redirect?source={source}")).await.ok().text("target").to_owned()
}

#[acceptance::test]
async fn a_redirect_is_made_read_changed_and_deleted(world: World) {
    let path = site(&world, json!({"title": "Docs"})).await;
    let body = json!({"source": "/%6Fld", "destination": external("https://example.org/new")});
    let answer = world.ada.post(&format!("{path}/redirects"), body.clone()).await;
    let location = answer.header("location").unwrap().to_owned();
    let new = answer.expect(201);
    assert_eq!((new.text("object"), new.text("source")), ("site-redirect", "/old"), "in its normal form");
    let flags = ["captureWildcard", "permanent", "draft"].map(|flag| new[flag].as_bool().unwrap());
    assert_eq!((flags, new.get("updatedAt")), ([false; 3], None));
    let one = format!("{path}/redirects/{}", new.id());
    assert!(location.ends_with(&one), "{location}");
    assert_eq!(world.ada.get(&one).await.ok(), new);
    world.ada.post(&format!("{path}/redirects"), body).await.error(409);

    let changed = world.ada.patch(&one, json!({"source": "/older", "permanent": true})).await.ok();
    assert_eq!((changed.text("source"), &changed["permanent"]), ("/older", &json!(true)));
    assert_eq!((&changed["destination"], &changed["createdAt"]), (&new["destination"], &new["createdAt"]));
    assert!(changed.get("updatedAt").is_some());
    let other = json!({"source": "/other", "destination": external("https://example.org/")});
    world.ada.post(&format!("{path}/redirects"), other).await.expect(201);
    world.ada.patch(&one, json!({"source": "/other"})).await.error(409);
    assert_eq!(world.ada.delete(&one).await.status.as_u16(), 205);
    assert_eq!(world.ada.delete(&one).await.status.as_u16(), 204);
    world.ada.get(&one).await.error(404);
    let events = world.ada.get(&world.org("/audit-events?limit=100")).await.ok();
    let count = events.list("items").iter().filter(|event| event["action"] == "site_redirects_updated").count();
    assert_eq!(count, 4);
}

#[acceptance::test]
#[case(json!({"source": "old", "destination": {"kind": "external", "url": "https://example.org/"}}), "source")]
#[case(json!({"source": "/*", "destination": {"kind": "external", "url": "https://example.org/"}}), "source")]
#[case(json!({"source": "/llms.txt", "destination": {"kind": "external", "url": "https://example.org/"}}), "source: ")]
#[case(json!({"source": "/~/search", "destination": {"kind": "external", "url": "https://example.org/"}}), "source: ")]
#[case(json!({"source": "/a", "destination": {"kind": "external", "url": "javascript:alert(1)"}}), "destination.url: ")]
#[case(json!({"source": "/a", "destination": {"kind": "site-page", "siteSpaceId": "", "pageId": "a"}}), "destination.siteSpaceId: ")]
#[case(json!({"source": "/a", "destination": {"kind": "site-page", "siteSpaceId": "a", "pageId": "a b"}}), "destination.pageId: ")]
#[case(json!({"source": "/a", "destination": {"kind": "site-space", "siteSpaceId": "nope"}}), "destination.siteSpaceId")]
#[case(json!({"source": "/a", "destination": {"kind": "site-section", "siteSectionId": "nope"}}), "destination.siteSectionId")]
#[case(json!({"source": "/a", "destination": {"kind": "path", "spaceId": "nope", "path": "install"}}), "destination.spaceId")]
#[case(json!({"source": "/a", "destination": {"kind": "external", "url": "https://docs.test/s/docs/a?x=1"}}), "destination.url")]
#[case(json!({"source": "/a/*", "destination": {"kind": "external", "url": "http://docs.test/s/docs/a/b"}}), "destination.url")]
async fn what_leads_nowhere_or_to_itself_is_refused(world: World, #[case] body: Value, #[case] field: &str) {
    let path = site(&world, json!({"title": "Docs"})).await;
    refused(world.ada.post(&format!("{path}/redirects"), body).await, field);
    assert_eq!(sources(&world, &path, "").await, [""; 0]);
}

#[acceptance::test]
async fn a_redirect_leads_to_a_group_and_never_to_a_link(world: World) {
    let (path, space, variant) = guide(&world).await;
    let tree = world.ada.get(&format!("/spaces/{space}/content/pages")).await.ok();
    let group = tree.list("pages").iter().find(|page| page["title"] == "Reference").unwrap();
    let link = group.list("pages").iter().find(|page| page["title"] == "Project").unwrap();
    let redirects = format!("{path}/redirects");
    let to = |page: &Value| json!({"kind": "site-page", "siteSpaceId": variant, "pageId": page.id()});
    refused(world.ada.post(&redirects, json!({"source": "/a", "destination": to(link)})).await, "destination.pageId: ");
    let made = world.ada.post(&redirects, json!({"source": "/a", "destination": to(group)})).await.expect(201);
    assert_eq!(target(&world, &path, "/a").await, "https://docs.test/s/docs/reference/options", "its first page");
    let change = json!({"destination": to(link)});
    refused(world.ada.patch(&format!("{redirects}/{}", made.id()), change).await, "destination.pageId: ");
}

#[acceptance::test]
async fn a_list_is_searched_and_ordered(world: World) {
    let path = site(&world, json!({"title": "Docs"})).await;
    let mut ids = Vec::new();
    for (source, draft) in [("/b", false), ("/a/*", false), ("/c", false), ("/ab", true)] {
        let body = json!({"source": source, "draft": draft, "destination": external("https://example.org/")});
        ids.push(world.ada.post(&format!("{path}/redirects"), body).await.expect(201).id().to_owned());
        world.clock.advance(chrono::TimeDelta::seconds(1));
    }
    world.ada.patch(&format!("{path}/redirects/{}", ids[0]), json!({"permanent": true})).await.ok();
    assert_eq!(sources(&world, &path, "").await, ["/c", "/a/*", "/b"], "newest first");
    assert_eq!(sources(&world, &path, "?orderBy=updatedAt").await, ["/b", "/c", "/a/*"]);
    assert_eq!(sources(&world, &path, "?orderBy=source").await, ["/a/*", "/b", "/c"]);
    assert_eq!(sources(&world, &path, "?draft=true").await, ["/ab"]);
    assert_eq!(sources(&world, &path, "?search=A%2F").await, ["/a/*"]);
    for order in ["createdAt", "updatedAt", "source"] {
        let query = format!("{path}/redirects?orderBy={order}&limit=1");
        let (mut all, mut page) = (Vec::new(), String::new());
        loop {
            let list = world.ada.get(&format!("{query}{page}")).await.ok();
            assert_eq!(list["count"], 3);
            all.extend(list.list("items").iter().map(|item| item.text("source").to_owned()));
            let Some(next) = list.get("next") else { break };
            page = format!("&page={}", next.text("page"));
        }
        assert_eq!(all, sources(&world, &path, &format!("?orderBy={order}")).await);
    }
}

#[acceptance::test]
async fn a_redirect_follows_its_page_and_its_section(world: World) {
    let (path, space, variant) = guide(&world).await;
    let linux = world.page(&space.parse().unwrap(), "install/linux").await;
    let to_path = json!({"kind": "path", "spaceId": space, "path": "Install/Linux"});
    let made = world.ada.post(&format!("{path}/redirects"), json!({"source": "/linux", "destination": to_path})).await;
    let kept = made.expect(201)["destination"].clone();
    assert_eq!(kept, json!({"kind": "site-page", "siteSpaceId": variant, "pageId": linux}), "by its id");
    assert_eq!(target(&world, &path, "/linux").await, "https://docs.test/s/docs/install/linux");

    let request = propose(&world.ada, &space.parse().unwrap(), "").await;
    let install = world.page(&space.parse().unwrap(), "install").await;
    let renamed = json!([{"operation": "update_page", "page": install, "slug": "setup"}]);
    edit(&world.ada, &request, renamed).await.ok();
    merged(&world.ada, &request).await;
    assert_eq!(target(&world, &path, "/linux").await, "https://docs.test/s/docs/setup/linux");

    let second = world.space(json!({"title": "API"})).await;
    let section = world.ada.post(&format!("{path}/sections"), json!({"spaceId": second, "title": "API"})).await;
    let section = section.expect(201).id().to_owned();
    let destination = json!({"kind": "site-section", "siteSectionId": section});
    let capture = json!({"source": "/reference/*", "captureWildcard": true, "destination": destination});
    world.ada.post(&format!("{path}/redirects"), capture).await.expect(201);
    assert_eq!(target(&world, &path, "/reference/users").await, "https://docs.test/s/docs/api/users");
    world.ada.patch(&format!("{path}/sections/{section}"), json!({"path": "rest"})).await.ok();
    assert_eq!(target(&world, &path, "/reference/users/").await, "https://docs.test/s/docs/rest/users");
    world.ada.delete(&format!("{path}/sections/{section}")).await;
    world.ada.get(&format!("{path}/redirect?source=/reference/users")).await.error(404);
}

#[acceptance::test]
async fn several_redirects_are_one_step_and_a_circle_is_none(world: World) {
    let path = site(&world, json!({"title": "Docs"})).await;
    let steps = [
        ("/a", "https://docs.test/s/docs/b?x=1"),
        ("/b", "https://docs.test/s/docs/c"),
        ("/c", "https://example.org/end"),
        ("/x", "https://docs.test/s/docs/y"),
        ("/y", "https://docs.test/s/docs/x"),
    ];
    for (source, url) in steps {
        let body = json!({"source": source, "destination": external(url)});
        world.ada.post(&format!("{path}/redirects"), body).await.expect(201);
    }
    assert_eq!(target(&world, &path, "/a").await, "https://example.org/end?x=1");
    world.ada.get(&format!("{path}/redirect?source=/x")).await.error(404);
    world.ada.get(&format!("{path}/redirect?source=/nothing")).await.error(404);
}

#[acceptance::test]
async fn a_page_precedes_the_redirects_for_its_path_also_on_the_way(world: World) {
    let (path, space, variant) = guide(&world).await;
    let install = world.page(&space.parse().unwrap(), "install").await;
    let linux = world.page(&space.parse().unwrap(), "install/linux").await;
    let page = |id: &str| json!({"kind": "site-page", "siteSpaceId": variant, "pageId": id});
    for (source, destination) in [
        ("/install", external("https://example.org/")),
        ("/setup", page(&install)),
        ("/again", external("https://docs.test/s/docs/setup?x=1")),
        ("/install/*", page(&linux)),
    ] {
        let body = json!({"source": source, "destination": destination});
        world.ada.post(&format!("{path}/redirects"), body).await.expect(201);
    }
    assert_eq!(target(&world, &path, "/setup").await, "https://docs.test/s/docs/install");
    assert_eq!(target(&world, &path, "/again").await, "https://docs.test/s/docs/install?x=1");
    assert_eq!(
        target(&world, &path, "/install/windows").await,
        "https://docs.test/s/docs/install/linux",
        "its own source matches the address of the page"
    );
    world.ada.delete(&format!("/spaces/{space}")).await.expect(205);
    world.ada.get(&format!("{path}/redirect?source=/setup")).await.error(404);
}

#[acceptance::test]
async fn many_changes_have_a_result_each(world: World) {
    let path = site(&world, json!({"title": "Docs"})).await;
    let put = async |items: Value| {
        let answer = world.ada.put(&format!("{path}/redirects"), json!({"redirects": items})).await.ok();
        let status = |result: &Value| format!("{} {}", result.text("status"), result["source"].as_str().unwrap());
        answer.list("results").iter().map(status).collect::<Vec<_>>()
    };
    let to = external("https://example.org/");
    let first = put(json!([
        {"source": "/a", "destination": to}, {"source": "/b", "destination": to, "intent": "draft"},
        {"source": "bad", "destination": to}, {"source": "/bad", "destination": external("bad")},
        {"source": "/robots.txt", "destination": to}, {"source": "/c"}, {"source": "/d", "intent": "publish"},
        {"source": "/a", "destination": external("https://example.org/again"), "permanent": true},
    ]))
    .await;
    assert_eq!(
        first,
        [
            "created /a",
            "created /b",
            "error bad",
            "error /bad",
            "error /robots.txt",
            "error /c",
            "error /d",
            "updated /a"
        ]
    );
    assert_eq!(target(&world, &path, "/a").await, "https://example.org/again");
    world.ada.get(&format!("{path}/redirect?source=/b")).await.error(404);
    let second = put(json!([
        {"source": "/b", "intent": "publish"}, {"source": "/a", "destination": null},
        {"source": "/a", "destination": null}, {"source": "/b", "captureWildcard": true},
    ]))
    .await;
    assert_eq!(second, ["published /b", "deleted /a", "deleted /a", "updated /b"]);
    assert_eq!(target(&world, &path, "/b").await, "https://example.org/");
    assert_eq!(sources(&world, &path, "?draft=true").await, [""; 0]);
    let replaced = put(json!([{"source": "/b", "intent": "draft", "destination": external("https://example.org/2")},
        {"source": "/b", "intent": "publish"}]))
    .await;
    assert_eq!(replaced, ["created /b", "published /b"]);
    assert_eq!(target(&world, &path, "/b").await, "https://example.org/2");
    assert_eq!(sources(&world, &path, "").await, ["/b"]);

    let all: Vec<Value> = (0..500).map(|n| json!({"source": format!("/many/{n}"), "destination": to})).collect();
    let (_, few) = world.counted(put(json!(&all[..2]))).await;
    let (results, many) = world.counted(put(json!(all))).await;
    assert_eq!(results.len(), 500);
    assert!(many <= few + 4, "500 changes take {many} statements and 2 take {few}");
    refused(world.ada.put(&format!("{path}/redirects"), json!({"redirects": []})).await, "redirects");
    let more: Vec<Value> = (0..501).map(|_| json!({"source": "/a", "destination": null})).collect();
    refused(world.ada.put(&format!("{path}/redirects"), json!({"redirects": more})).await, "redirects");
    assert_eq!(world.ada.get(&format!("{path}/redirects?limit=1")).await.ok()["count"], 501);
}

#[acceptance::test]
async fn a_redirect_leads_to_no_page_that_the_caller_may_not_read(world: World) {
    let (path, space, variant) = guide(&world).await;
    let page = world.page(&space.parse().unwrap(), "install").await;
    let destination = json!({"kind": "site-page", "siteSpaceId": variant, "pageId": page});
    world.ada.post(&format!("{path}/redirects"), json!({"source": "/a", "destination": destination})).await.expect(201);
    let rita = world.member("rita", Some(Role::Read)).await;
    rita.get(&format!("{path}/redirect?source=/a")).await.ok();
    world.ada.patch(&format!("/spaces/{space}"), json!({"defaultLevel": null})).await.ok();
    world.ada.patch(&path, json!({"defaultLevel": "read"})).await.ok();
    let answer = rita.get(&format!("{path}/redirect?source=/a")).await;
    let reads = rita.get(&format!("/spaces/{space}")).await.status.is_success();
    assert_eq!(answer.status.is_success(), reads);
}

#[acceptance::test]
async fn a_site_has_at_most_ten_thousand_redirects(world: World) {
    let path = site(&world, json!({"title": "Docs"})).await;
    let to = external("https://example.org/");
    let put = async |sources: std::ops::Range<usize>| {
        let items: Vec<Value> = sources.map(|n| json!({"source": format!("/{n}"), "destination": to})).collect();
        world.ada.put(&format!("{path}/redirects"), json!({"redirects": items})).await.ok()["results"].clone()
    };
    for part in 0..20 {
        put(part * 500..(part + 1) * 500).await;
    }
    let full = "the site already has 10000 redirects: delete one first";
    let more = json!({"source": "/more", "destination": to});
    assert_eq!(world.ada.post(&format!("{path}/redirects"), more.clone()).await.error(409), full);
    // What is there can be changed and deleted, and a deletion makes room for one.
    let items = json!([{"source": "/0", "permanent": true}, {"source": "/1", "destination": null}, more,
        {"source": "/again", "destination": to}]);
    let results = world.ada.put(&format!("{path}/redirects"), json!({"redirects": items})).await.ok();
    let status: Vec<&str> = results.list("results").iter().map(|result| result.text("status")).collect();
    assert_eq!(status, ["updated", "deleted", "created", "error"]);
    assert_eq!(world.ada.get(&format!("{path}/redirects?limit=1")).await.ok()["count"], 10_000);
}
