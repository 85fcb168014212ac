//! The structure of sites.
use super::{refused, site};
use acceptance::{Fields, World};
use actix_web::http::Method;
use domain::access::Role;
use serde_json::{Value, json};

async fn spaces<const N: usize>(world: &World, titles: [&str; N]) -> [String; N] {
    let mut ids = Vec::new();
    for title in titles {
        ids.push(world.space(json!({"title": title})).await.to_string());
    }
    ids.try_into().unwrap()
}

/// Titles in order; `*` marks a default, `-` a draft, brackets hold what is inside.
fn told(structure: &Value) -> String {
    let of = |item: &Value| {
        let marks = |item: &Value| {
            let mark = |field: &str, mark| if item[field] == true { mark } else { "" };
            format!("{}{}{}", item.text("title"), mark("default", "*"), mark("draft", "-"))
        };
        let inside = |field: &str| item.get(field).map(|all| format!("[{}]", list(all.as_array().unwrap())));
        let inner = inside("siteSpaces").or_else(|| inside("children")).unwrap_or_default();
        format!("{}{inner}", marks(item))
    };
    fn list(items: &[Value]) -> String {
        items.iter().map(|item| told(&json!({"structure": [item]}))).collect::<Vec<_>>().join(" ")
    }
    match structure["structure"].as_array().unwrap().as_slice() {
        [one] => of(one),
        all => list(all),
    }
}

async fn look(world: &World, path: &str) -> String {
    told(&world.ada.get(&format!("{path}/structure")).await.ok())
}

#[acceptance::test]
async fn the_spaces_of_a_new_site_are_variants_in_order(world: World) {
    let [one, two] = spaces(&world, ["Version 1", "Version 2"]).await;
    let path = site(&world, json!({"title": "Docs", "spaces": [one, two]})).await;
    let structure = world.ada.get(&format!("{path}/structure")).await.ok();
    assert_eq!((structure.text("type"), told(&structure)), ("siteSpaces", "Version 1* Version 2".to_owned()));
    let first = &structure["structure"][0];
    assert_eq!((first.text("object"), first.text("path")), ("site-space", "version-1"));
    assert_eq!(first["space"], world.ada.get(&format!("/spaces/{one}")).await.ok());
    assert_eq!(first["urls"].get("published"), None);
    world.ada.post(&format!("{path}/publish"), json!({})).await.ok();
    let urls = async |at: usize| {
        let structure = world.ada.get(&format!("{path}/structure")).await.ok();
        let url = structure["structure"][at]["urls"].text("published").to_owned();
        url.split_once("/s/").unwrap().1.to_owned()
    };
    assert_eq!((urls(0).await, urls(1).await), ("docs/".to_owned(), "docs/version-2".to_owned()));
    assert_eq!(world.ada.get(&path).await.ok()["siteSpaces"], 2);
    let only = async |query: &str| {
        let list = world.ada.get(&format!("{path}/site-spaces?{query}")).await.ok();
        list.list("items").iter().map(|item| item.text("title").to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(only("default=true").await, ["Version 1"]);
    assert_eq!(only("default=false").await, ["Version 2"]);
    assert_eq!(only("limit=1").await, ["Version 1"]);
}

#[acceptance::test]
async fn sections_groups_and_links_are_added_sorted_and_removed(world: World) {
    let [guide, api, blog, more] = spaces(&world, ["Guide", "API", "Blog", "More"]).await;
    let path = site(&world, json!({"title": "Docs", "spaces": [guide]})).await;
    refused(world.ada.post(&format!("{path}/section-groups"), json!({"title": "Group"})).await, "title");
    let section =
        world.ada.post(&format!("{path}/sections"), json!({"spaceId": api, "icon": "code"})).await.expect(201);
    assert_eq!((section.text("object"), section.text("title"), section.text("path")), ("site-section", "API", "api"));
    assert_eq!(look(&world, &path).await, "Docs*[Guide*] API[API*]");
    let news = world.ada.post(&format!("{path}/sections"), json!({"spaceId": blog, "title": "News"})).await.expect(201);
    let group = json!({"title": "Others", "sections": [news.id()]});
    let group = world.ada.post(&format!("{path}/section-groups"), group).await.expect(201);
    assert_eq!(group["sections"], group["children"], "the old name has the sections");
    let link = json!({"title": "Status", "url": "https://status.example.org/", "parent": group.id()});
    let link = world.ada.post(&format!("{path}/external-links"), link).await.expect(201);
    assert_eq!((link.text("object"), link.text("sectionGroup")), ("site-external-link", group.id()));
    assert_eq!(look(&world, &path).await, "Docs*[Guide*] API[API*] Others[News[Blog*] Status]");

    let sort = json!({
        "item": {"type": "site-section-group", "id": group.id()},
        "position": {"before": {"type": "site-section", "id": section.id()}},
    });
    world.ada.patch(&format!("{path}/structure/sort"), sort).await.ok();
    assert_eq!(look(&world, &path).await, "Docs*[Guide*] Others[News[Blog*] Status] API[API*]");
    let move_up = json!({"position": {"after": {"type": "site-external-link", "id": link.id()}}});
    refused(world.ada.post(&format!("{path}/sections/{}/move", section.id()), move_up).await, "position");
    let refused_sort = json!({
        "item": {"type": "site-section", "id": news.id()},
        "position": {"before": {"type": "site-section", "id": section.id()}},
    });
    refused(world.ada.patch(&format!("{path}/structure/sort"), refused_sort).await, "position.before");
    let absent = json!({"item": {"type": "site-section", "id": "nowhere"}, "position": {}});
    world.ada.patch(&format!("{path}/structure/sort"), absent).await.error(404);

    let into = json!({"sectionId": section.id()});
    world.ada.post(&format!("{path}/section-groups/{}/sections", group.id()), into).await.expect(201);
    assert_eq!(look(&world, &path).await, "Docs*[Guide*] Others[News[Blog*] Status API[API*]]");
    let out = json!({"siteSectionGroupId": null, "description": "Reference", "localizedTitle": {"de": "Referenz"}});
    let changed = world.ada.patch(&format!("{path}/sections/{}", section.id()), out).await.ok();
    assert_eq!((changed.text("description"), &changed["localizedTitle"]), ("Reference", &json!({"de": "Referenz"})));
    assert_eq!(changed.get("sectionGroup"), None);
    world.ada.patch(&path, json!({"defaultSiteSection": section.id()})).await.ok();
    assert_eq!(look(&world, &path).await, "Docs[Guide*] Others[News[Blog*] Status] API*[API*]");
    let variant = world.ada.post(&format!("{path}/site-spaces"), json!({"spaceId": more})).await.expect(201);
    assert_eq!(variant.text("section"), section.id(), "it goes into the default section");
    world.ada.patch(&path, json!({"defaultSiteSpace": variant.id()})).await.ok();
    assert_eq!(look(&world, &path).await, "Docs[Guide*] Others[News[Blog*] Status] API*[API More*]");

    let delete = async |kind: &str, id: &str| world.ada.delete(&format!("{path}/{kind}/{id}")).await.status.as_u16();
    assert_eq!(delete("section-groups", group.id()).await, 205);
    assert_eq!(look(&world, &path).await, "Docs[Guide*] News[Blog*] Status API*[API More*]");
    assert_eq!((delete("external-links", link.id()).await, delete("external-links", link.id()).await), (205, 204));
    assert_eq!(delete("sections", section.id()).await, 205);
    assert_eq!(look(&world, &path).await, "Docs*[Guide*] News[Blog*]", "the next one is the default");
    assert_eq!(world.ada.get(&format!("/spaces/{api}")).await.ok().id(), api, "the space stays");
    let sections = world.ada.get(&format!("{path}/sections")).await.ok();
    for section in sections.list("items") {
        assert_eq!(delete("sections", section.id()).await, 205);
    }
    let flat = world.ada.get(&format!("{path}/structure")).await.ok();
    assert_eq!(flat, json!({"type": "siteSpaces", "structure": []}));
}

#[acceptance::test]
async fn null_removes_the_titles_and_descriptions_in_other_languages(world: World) {
    let [guide, api] = spaces(&world, ["Guide", "API"]).await;
    let path = site(&world, json!({"title": "Docs", "spaces": [guide]})).await;
    let add = async |kind: &str, body: Value| world.ada.post(&format!("{path}/{kind}"), body).await.expect(201);
    let section = add("sections", json!({"spaceId": api})).await;
    let group = add("section-groups", json!({"title": "Group"})).await;
    let link = add("external-links", json!({"title": "Status", "url": "https://status.example.org/"})).await;
    let title: &[&str] = &["localizedTitle"];
    let both: &[&str] = &["localizedTitle", "localizedDescription"];
    for (part, fields) in [
        (format!("site-spaces/{}", section.list("siteSpaces")[0].id()), title),
        (format!("sections/{}", section.id()), both),
        (format!("section-groups/{}", group.id()), title),
        (format!("external-links/{}", link.id()), both),
    ] {
        let part = format!("{path}/{part}");
        for &field in fields {
            let set = world.ada.patch(&part, json!({field: {"de": "Deutsch"}})).await.ok();
            assert_eq!(set[field], json!({"de": "Deutsch"}), "{part}: {field}");
            let removed = world.ada.patch(&part, json!({field: null})).await.ok();
            assert_eq!(removed.get(field), None, "{part}: {field}");
        }
    }
}

#[acceptance::test]
async fn a_section_in_a_draft_group_is_not_the_default(world: World) {
    let [guide, api] = spaces(&world, ["Guide", "API"]).await;
    let path = site(&world, json!({"title": "Docs", "spaces": [guide]})).await;
    world.ada.post(&format!("{path}/sections"), json!({"spaceId": api})).await.expect(201);
    let sections = world.ada.get(&format!("{path}/sections")).await.ok();
    let first = sections["items"][0].id().to_owned();
    let group = json!({"title": "Later", "sections": [first]});
    let group = world.ada.post(&format!("{path}/section-groups"), group).await.expect(201).id().to_owned();
    assert_eq!(look(&world, &path).await, "API[API*] Later[Docs*[Guide*]]");
    let draft = async |draft: bool| {
        world.ada.patch(&format!("{path}/section-groups/{group}"), json!({"draft": draft})).await.ok();
        look(&world, &path).await
    };
    assert_eq!(draft(true).await, "API*[API*] Later-[Docs[Guide*]]");
    refused(world.ada.patch(&path, json!({"defaultSiteSection": first})).await, "defaultSiteSection");
    assert_eq!(draft(false).await, "API*[API*] Later[Docs[Guide*]]");
    world.ada.patch(&path, json!({"defaultSiteSection": first})).await.ok();
    assert_eq!(look(&world, &path).await, "API[API*] Later[Docs*[Guide*]]");
}

#[acceptance::test]
async fn a_site_space_is_changed(world: World) {
    let [guide, other, third] = spaces(&world, ["Guide", "Other", "Third"]).await;
    let path = site(&world, json!({"title": "Docs", "spaces": [guide, other]})).await;
    let list = world.ada.get(&format!("{path}/site-spaces")).await.ok();
    let at = format!("{path}/site-spaces/{}", list["items"][0].id());
    let page = world.ada.get(&format!("/spaces/{guide}/content/pages")).await.ok()["pages"][0].id().to_owned();
    let change = json!({
        "path": "start", "title": "Start here", "hidden": true, "pageId": page,
        "condition": "visitor.claims.beta === true",
    });
    let changed = world.ada.patch(&at, change).await.ok();
    assert_eq!((changed.text("path"), changed.text("title")), ("start", "Start here"));
    assert_eq!(changed.text("pageId"), page);
    assert_eq!((&changed["hidden"], changed.text("condition")), (&json!(true), "visitor.claims.beta === true"));
    let swapped = world.ada.patch(&at, json!({"spaceId": third, "condition": null, "title": null})).await.ok();
    assert_eq!((swapped["space"].id(), swapped.text("title")), (third.as_str(), "Third"));
    assert_eq!((swapped.get("pageId"), swapped.get("condition")), (None, None), "the page was of the other space");
    refused(world.ada.patch(&at, json!({"spaceId": other})).await, "spaceId");
    refused(world.ada.patch(&at, json!({"path": "other"})).await, "path");
    refused(world.ada.patch(&at, json!({"condition": "visitor.("})).await, "condition");
    refused(world.ada.patch(&at, json!({"spaceId": "nowhere"})).await, "spaceId");
    refused(world.ada.patch(&at, json!({"pageId": page})).await, "pageId");
    let start = json!({"spaceId": guide, "pageId": "nowhere"});
    refused(world.ada.patch(&at, start.clone()).await, "pageId");
    refused(world.ada.post(&format!("{path}/sections"), start.clone()).await, "pageId");
    refused(world.ada.post(&format!("{path}/site-spaces"), start).await, "pageId");
    assert_eq!(world.ada.get(&format!("{path}/site-spaces")).await.ok()["items"][0], swapped);
    let drafted = world.ada.patch(&at, json!({"draft": true})).await.ok();
    assert_eq!((&drafted["draft"], &drafted["default"]), (&json!(true), &json!(false)));
    assert_eq!(look(&world, &path).await, "Third- Other*");
    world.ada.patch(&format!("{path}/site-spaces/nowhere"), json!({})).await.error(404);
    let minimal = world
        .ada
        .send(Method::PATCH, &at, |request| request.insert_header(("Prefer", "return=minimal")).set_json(json!({})))
        .await;
    assert_eq!((minimal.status.as_u16(), minimal.bytes.len()), (204, 0));
}

#[acceptance::test]
async fn a_change_of_a_part_that_has_changed_is_refused(world: World) {
    let [guide, other] = spaces(&world, ["Guide", "Other"]).await;
    let path = site(&world, json!({"title": "Docs", "spaces": [guide]})).await;
    let section = world.ada.post(&format!("{path}/sections"), json!({"spaceId": other})).await;
    let tag = section.header("etag").unwrap().to_owned();
    let at = format!("{path}/sections/{}", section.id());
    let with_tag = |body: Value| {
        let tag = tag.clone();
        move |request: actix_web::test::TestRequest| request.insert_header(("If-Match", tag)).set_json(body)
    };
    let changed = world.ada.send(Method::PATCH, &at, with_tag(json!({"title": "First"}))).await.ok();
    assert_eq!(changed.text("title"), "First");
    world.ada.send(Method::PATCH, &at, with_tag(json!({"title": "Second"}))).await.error(412);
    world.ada.send(Method::DELETE, &at, with_tag(json!(null))).await.error(412);
    assert_eq!(look(&world, &path).await, "Docs*[Guide*] First[Other*]");
}

#[acceptance::test]
async fn a_deleted_space_leaves_the_site_until_it_is_restored_and_a_transferred_one_for_ever(world: World) {
    let [guide, other] = spaces(&world, ["Guide", "Other"]).await;
    let path = site(&world, json!({"title": "Docs", "spaces": [guide, other]})).await;
    let changed = world.ada.patch(&path, json!({"styleguide": guide})).await.ok();
    assert_eq!(changed["styleguide"], json!({"kind": "space", "space": guide}));
    world.ada.delete(&format!("/spaces/{guide}")).await;
    assert_eq!(look(&world, &path).await, "Other*", "the next one is the default meanwhile");
    assert_eq!(world.ada.get(&path).await.ok()["siteSpaces"], 1);
    world.ada.post(&format!("/spaces/{guide}/restore"), json!({})).await.ok();
    assert_eq!(look(&world, &path).await, "Guide* Other");
    let there = world.ada.post("/orgs", json!({"title": "Other"})).await.id();
    world.ada.post(&format!("/spaces/{guide}/transfer"), json!({"organization": there})).await.ok();
    assert_eq!(look(&world, &path).await, "Other*");
    assert_eq!(world.ada.get(&path).await.ok().get("styleguide"), None);
}

#[acceptance::test]
async fn a_purged_space_leaves_the_site(world: World) {
    let [guide, other] = spaces(&world, ["Guide", "Other"]).await;
    let path = site(&world, json!({"title": "Docs", "spaces": [guide, other]})).await;
    world.ada.delete(&format!("/spaces/{guide}")).await;
    world.pass(chrono::TimeDelta::days(8)).await;
    assert_eq!(look(&world, &path).await, "Other*");
}

#[acceptance::test]
async fn a_caller_sees_the_spaces_of_a_site_that_they_may_read(world: World) {
    let [guide, secret] = spaces(&world, ["Guide", "Secret"]).await;
    world.ada.patch(&format!("/spaces/{secret}"), json!({"defaultLevel": null})).await.ok();
    let path = site(&world, json!({"title": "Docs", "spaces": [secret, guide]})).await;
    let rita = world.member("rita", Some(Role::Read)).await;
    assert_eq!(told(&rita.get(&format!("{path}/structure")).await.ok()), "Guide*");
    let cleo = world.member("cleo", Some(Role::Create)).await;
    let body = json!({"spaceId": secret});
    refused(cleo.post(&format!("{path}/site-spaces"), body).await, "spaceId");
}

#[acceptance::test]
async fn a_hidden_space_of_a_site_is_neither_changed_nor_named(world: World) {
    let [guide, secret, other] = spaces(&world, ["Guide", "Secret", "Other"]).await;
    world.ada.patch(&format!("/spaces/{secret}"), json!({"defaultLevel": null})).await.ok();
    let path = site(&world, json!({"title": "Docs", "spaces": [guide, secret, other]})).await;
    let list = world.ada.get(&format!("{path}/site-spaces")).await.ok();
    let [guide, secret, other] = [0, 1, 2].map(|at| list["items"][at].id().to_owned());
    let cleo = world.member("cleo", Some(Role::Create)).await;
    let at = format!("{path}/site-spaces/{secret}");
    cleo.patch(&at, json!({"title": "Mine"})).await.error(404);
    assert_eq!(cleo.delete(&at).await.status.as_u16(), 204, "for the caller there is nothing");
    let item = |id: &str| json!({"type": "site-space", "id": id});
    let sort = async |id: &str, position: Value| {
        cleo.patch(&format!("{path}/structure/sort"), json!({"item": item(id), "position": position})).await
    };
    sort(&secret, json!({})).await.error(404);
    refused(sort(&other, json!({"before": item(&secret)})).await, "position.before");
    refused(cleo.patch(&path, json!({"defaultSiteSpace": secret})).await, "defaultSiteSpace");
    let destination = json!({"kind": "site-space", "siteSpaceId": secret});
    let redirect = json!({"source": "/old", "destination": destination});
    refused(cleo.post(&format!("{path}/redirects"), redirect).await, "destination.siteSpaceId");
    assert_eq!(look(&world, &path).await, "Guide* Secret Other", "nothing changed");
    sort(&other, json!({"before": item(&guide)})).await.ok();
    sort(&other, json!({"after": item(&guide)})).await.ok();
    assert_eq!(look(&world, &path).await, "Guide* Other Secret");

    world.ada.delete(&format!("/spaces/{}", list["items"][1]["space"].id())).await;
    world.ada.patch(&at, json!({"title": "Mine"})).await.error(404);
    world.ada.post(&format!("{path}/sections"), json!({"spaceId": list["items"][0]["space"].id()})).await.error(400);
    let section = spaces(&world, ["New"]).await;
    world.ada.post(&format!("{path}/sections"), json!({"spaceId": section[0]})).await.expect(201);
    let first = world.ada.get(&format!("{path}/sections")).await.ok()["items"][0].id().to_owned();
    let change = json!({"defaultSiteSpaceId": secret, "defaultSiteSpace": secret});
    refused(world.ada.patch(&format!("{path}/sections/{first}"), change).await, "defaultSiteSpace");
}

#[acceptance::test]
async fn only_managers_of_a_space_add_it_to_a_site(world: World) {
    let [guide] = spaces(&world, ["Guide"]).await;
    let path = site(&world, json!({"title": "Docs"})).await;
    world.ada.patch(&format!("/spaces/{guide}"), json!({"defaultLevel": "edit"})).await.ok();
    let cleo = world.member("cleo", Some(Role::Create)).await;
    let body = json!({"spaceId": guide});
    cleo.post(&format!("{path}/site-spaces"), body.clone()).await.error(403);
    cleo.post(&format!("{path}/sections"), body).await.error(403);
    cleo.post(&world.org("/sites"), json!({"spaces": [guide]})).await.error(403);
    assert_eq!(cleo.get(&world.org("/sites")).await.ok()["count"], 1);
}

#[acceptance::test]
async fn a_structure_costs_the_same_number_of_statements_at_any_size(world: World) {
    let count = async |path: &str| world.counted(world.ada.get(&format!("{path}/structure"))).await.1;
    let path = site(&world, json!({"title": "Docs"})).await;
    let mut sizes = Vec::new();
    for title in ["One", "Two", "Three", "Four", "Five", "Six"] {
        let [space] = spaces(&world, [title]).await;
        world.ada.post(&format!("{path}/sections"), json!({"spaceId": space})).await.expect(201);
        sizes.push(count(&path).await);
    }
    assert!(sizes.iter().all(|size| *size == sizes[0]), "{sizes:?}");
}

#[acceptance::test]
async fn a_search_looks_at_what_is_live_on_the_site_in_its_scope(world: World) {
    let guide = world.import(&acceptance::Fixture::guide()).await;
    let copy = world.import(&acceptance::Fixture::guide()).await;
    let [other] = spaces(&world, ["Other"]).await;
    let path = site(&world, json!({"title": "Docs", "spaces": [guide.as_str(), copy.as_str(), other]})).await;
    let items = world.ada.get(&format!("{path}/site-spaces")).await.ok();
    let id = |at: usize| items["items"][at].id().to_owned();
    let searched = async |mut body: Value| {
        body["query"] = json!("engine");
        let list = world.ada.post(&format!("{path}/search"), body).await.ok();
        let mut ids: Vec<String> = list.list("items").iter().map(|item| item.id().to_owned()).collect();
        ids.sort();
        ids
    };
    let found = async |scope: Value| searched(json!({"scope": scope})).await;
    let both = {
        let mut both = vec![guide.to_string(), copy.to_string()];
        both.sort();
        both
    };
    assert_eq!(found(json!({"mode": "all"})).await, both);
    assert_eq!(found(json!({"mode": "default"})).await, [guide.to_string()]);
    assert_eq!(found(json!({"mode": "default", "currentSiteSpace": id(1)})).await, [copy.to_string()]);
    assert_eq!(found(json!({"mode": "specific", "siteSpaceIds": [id(1), id(2)]})).await, [copy.to_string()]);
    // Older clients send the scope beside the query.
    assert_eq!(searched(json!({})).await, [guide.to_string()]);
    assert_eq!(searched(json!({"mode": "all"})).await, both);
    assert_eq!(searched(json!({"mode": "current", "siteSpaceId": id(1)})).await, [copy.to_string()]);
    for mode in [json!("specific"), Value::Null] {
        assert_eq!(searched(json!({"mode": mode, "siteSpaceIds": [id(1), id(2)]})).await, [copy.to_string()]);
    }
    let draft = format!("{path}/site-spaces/{}", id(1));
    world.ada.patch(&draft, json!({"draft": true})).await.ok();
    assert_eq!(found(json!({"mode": "all"})).await, [guide.to_string()], "a draft is not live");
    let body = json!({"query": "engine", "scope": {"mode": "specific", "siteSpaceIds": ["nowhere"]}});
    refused(world.ada.post(&format!("{path}/search"), body).await, "scope.siteSpaceIds[0]");
}

#[acceptance::test]
async fn what_is_published_is_live_and_has_all_customizations(world: World) {
    let [guide, draft, beta] = spaces(&world, ["Guide", "Draft", "Beta"]).await;
    let path = site(&world, json!({"title": "Docs", "spaces": [guide, draft, beta]})).await;
    world.ada.get(&format!("{path}/published")).await.error(404);
    world.ada.post(&format!("{path}/publish"), json!({})).await.ok();
    let list = world.ada.get(&format!("{path}/site-spaces")).await.ok();
    let at = |number: usize| format!("{path}/site-spaces/{}", list["items"][number].id());
    world.ada.patch(&at(1), json!({"draft": true})).await.ok();
    world.ada.patch(&at(2), json!({"condition": "visitor.claims.beta"})).await.ok();
    let published = world.ada.get(&format!("{path}/published")).await.ok();
    assert_eq!((published.text("object"), told(&published["structure"])), ("published-content-site", "Guide*".into()));
    assert_eq!(published["site"], world.ada.get(&path).await.ok());
    let customizations = &published["customizations"];
    assert_eq!(customizations["site"], world.ada.get(&format!("{path}/customization")).await.ok());
    assert_eq!(customizations["siteSpaces"], json!({list["items"][0].id(): customizations["site"]}));
    assert_eq!(published["scripts"], json!([]));
    world.ada.post(&format!("{path}/unpublish"), json!({})).await.ok();
    world.ada.get(&format!("{path}/published")).await.error(404);
}

#[acceptance::test]
async fn parts_that_move_between_pages_of_a_list_are_listed_once(world: World) {
    let ids = spaces(&world, ["A", "B", "C", "D", "E"]).await;
    let path = site(&world, json!({"title": "Docs", "spaces": ids})).await;
    let sections = site(&world, json!({"title": "Sections", "spaces": [ids[0]]})).await;
    for (id, title) in ids[1..].iter().zip(["B", "C", "D", "E"]) {
        let section = json!({"spaceId": id, "title": format!("Part {title}")});
        world.ada.post(&format!("{sections}/sections"), section).await.expect(201);
    }
    for title in ["One", "Two", "Three"] {
        let group = json!({"title": title, "sections": []});
        world.ada.post(&format!("{sections}/section-groups"), group).await.expect(201);
    }
    let lists = [
        (&path, "site-spaces", "site-space", vec!["A", "B", "C", "D", "E"]),
        (&sections, "sections", "site-section", vec!["Sections", "Part B", "Part C", "Part D", "Part E"]),
        (&sections, "section-groups", "site-section-group", vec!["One", "Two", "Three"]),
    ];
    for (site, list, kind, expected) in lists {
        let page = format!("{site}/{list}?limit=1");
        let all = world.ada.get(&format!("{site}/{list}")).await.ok();
        let ids: Vec<&str> = all.list("items").iter().map(|item| item.id()).collect();
        let (first, last) = (ids[0], ids[ids.len() - 1]);
        let (mut seen, mut next) = (Vec::new(), Some(page.clone()));
        while let Some(path) = next {
            let part = world.ada.get(&path).await.ok();
            seen.extend(part.list("items").iter().map(|item| item.text("title").to_owned()));
            next = part["next"]["page"].as_str().map(|token| format!("{page}&page={token}"));
            // What is still to come goes to the beginning, and what was listed to the end.
            for (moved, position) in [(last, json!({"before": {"type": kind, "id": first}})), (first, json!({}))] {
                let body = json!({"item": {"type": kind, "id": moved}, "position": position});
                world.ada.patch(&format!("{site}/structure/sort"), body).await.ok();
            }
        }
        assert_eq!(seen, expected, "{list}");
        let now = world.ada.get(&format!("{site}/{list}")).await.ok();
        assert_ne!(super::titles(&now), expected, "a new walk of {list} has the new order");
    }
}
