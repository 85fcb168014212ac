//! Who may see a site: share links, publishing authentication, adaptive schemas.
use acceptance::{Fields, World};
use actix_web::http::Method;
use actix_web::test::TestRequest;
use domain::access::Role;
use serde_json::{Value, json};

/// The path of a new site.
async fn site(world: &World, visibility: &str) -> String {
    super::site(world, json!({"title": "Docs", "visibility": visibility})).await
}

/// The key in the address of a share link.
fn key(link: &Value) -> String {
    let published = link["urls"].text("published");
    published.trim_end_matches('/').rsplit('/').next().unwrap().to_owned()
}

fn names(list: &Value) -> Vec<&str> {
    list.list("items").iter().map(|link| link["name"].as_str().unwrap_or_default()).collect()
}

#[acceptance::test]
async fn a_share_link_is_created_renamed_deactivated_and_deleted(world: World) {
    let site = site(&world, "share-link").await;
    let links = format!("{site}/share-links");
    let answer = world.ada.post(&links, json!({"name": "Partners"})).await;
    let location = answer.header("location").unwrap().to_owned();
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    let made = answer.expect(201);
    assert_eq!(
        (&made["object"], &made["name"], &made["active"]),
        (&json!("share-link"), &json!("Partners"), &json!(true))
    );
    assert_eq!(made["urls"], json!({"location": location}), "the site is not published");
    let path = location.strip_prefix("https://docs.test/v1").unwrap().to_owned();
    assert_eq!(world.ada.get(&path).await.ok(), made);

    let changed = world.ada.patch(&path, json!({"active": false})).await.ok();
    assert_eq!((&changed["name"], &changed["active"]), (&json!("Partners"), &json!(false)));
    let renamed = world.ada.patch(&path, json!({"name": ""})).await.ok();
    assert_eq!((renamed.get("name"), &renamed["active"]), (None, &json!(false)));
    let told = world.ada.patch(&path, json!({})).await.error(400);
    assert_eq!(told, "body: must have at least one of active, name");
    assert_eq!(world.ada.post(&links, json!({})).await.error(400), "name: is required");

    assert_eq!(world.ada.delete(&path).await.status.as_u16(), 205);
    assert_eq!(world.ada.delete(&path).await.status.as_u16(), 204);
    assert_eq!(world.ada.get(&path).await.error(404), "share link not found");
    world.ada.patch(&path, json!({"active": true})).await.error(404);
    assert_eq!(world.ada.get(&links).await.ok()["items"], json!([]));
}

#[acceptance::test]
async fn the_address_of_a_share_link_has_a_key_of_its_own_once_the_site_is_published(world: World) {
    let site = site(&world, "share-link").await;
    let links = format!("{site}/share-links");
    for name in ["One", "Two"] {
        world.ada.post(&links, json!({"name": name})).await.expect(201);
    }
    world.ada.post(&format!("{site}/publish"), json!({})).await.ok();
    let listed = world.ada.get(&links).await.ok();
    let keys: Vec<String> = listed.list("items").iter().map(key).collect();
    assert!(
        keys[0] != keys[1] && keys.iter().all(|key| key.starts_with("octavo_share_") && key.len() == 62),
        "{keys:?}"
    );
    assert_eq!(world.ada.get(&site).await.ok()["urls"].get("published"), None, "it is reached through a link only");
    world.ada.patch(&site, json!({"visibility": "public"})).await.ok();
    let published = world.ada.get(&site).await.ok()["urls"].text("published").to_owned();
    let address = listed["items"][0]["urls"].text("published").to_owned();
    assert_eq!(address, format!("{published}~/share/{}/", keys[0]));
    let again = world.ada.get(&format!("{links}/{}", listed["items"][0].id())).await.ok();
    assert_eq!(again, listed["items"][0], "the address can be shown again");
}

#[acceptance::test]
async fn share_links_are_listed_in_pages_and_searched_by_name_and_by_key(world: World) {
    let site = site(&world, "share-link").await;
    let links = format!("{site}/share-links");
    for name in ["Élodie", "Partners", "partners of partners", ""] {
        world.ada.post(&links, json!({"name": name})).await.expect(201);
    }
    world.ada.post(&format!("{site}/publish"), json!({})).await.ok();
    let all = world.ada.get(&links).await.ok();
    assert_eq!((names(&all), &all["count"]), (vec!["Élodie", "Partners", "partners of partners", ""], &json!(4)));
    let found = async |search: &str| {
        let list = world.ada.get(&format!("{links}?search={search}")).await.ok();
        names(&list).join(",")
    };
    assert_eq!(found("PARTNERS").await, "Partners,partners of partners");
    assert_eq!(found("e%CC%81lodie").await, "Élodie");
    assert_eq!(found("none").await, "");
    assert_eq!(found(&key(&all["items"][1])).await, "Partners");
    let first = world.ada.get(&format!("{links}?limit=3")).await.ok();
    let next = first["next"].text("page").to_owned();
    let rest = world.ada.get(&format!("{links}?limit=3&page={next}")).await.ok();
    assert_eq!((names(&first).len(), names(&rest), rest.get("next")), (3, vec![""], None));
}

#[acceptance::test]
async fn a_site_has_a_limited_number_of_share_links(world: World) {
    let site = site(&world, "share-link").await;
    let links = format!("{site}/share-links");
    for _ in 0..100 {
        world.ada.post(&links, json!({"name": ""})).await.expect(201);
    }
    let told = world.ada.post(&links, json!({"name": ""})).await.error(409);
    assert_eq!(told, "the site already has 100 share links: delete one first");
}

#[acceptance::test]
async fn a_share_link_of_another_site_is_not_found(world: World) {
    let (one, other) = (site(&world, "share-link").await, site(&world, "share-link").await);
    let link = world.ada.post(&format!("{one}/share-links"), json!({"name": "x"})).await.id();
    let elsewhere = format!("{other}/share-links/{link}");
    world.ada.get(&elsewhere).await.error(404);
    world.ada.patch(&elsewhere, json!({"active": false})).await.error(404);
    assert_eq!(world.ada.delete(&elsewhere).await.status.as_u16(), 204);
    assert_eq!(world.ada.get(&format!("{one}/share-links/{link}")).await.ok()["active"], true);
}

#[acceptance::test]
async fn a_site_has_a_private_key_which_can_be_replaced(world: World) {
    let site = site(&world, "visitor-auth").await;
    let path = format!("{site}/publishing/auth");
    let answer = world.ada.get(&path).await;
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    let first = answer.ok();
    let private = first.text("privateKey").to_owned();
    assert!(private.starts_with("octavo_visitor_") && private.len() == 64, "{private}");
    assert_eq!(first, json!({"object": "publishing-auth", "backend": "custom", "privateKey": private}));
    let body =
        json!({"backend": "custom", "fallbackURL": "https://example.org/sign-in", "logoutURL": "http://example.org"});
    let changed = world.ada.patch(&path, body).await.ok();
    assert_eq!(changed["fallbackURL"], "https://example.org/sign-in");
    assert_eq!((&changed["logoutURL"], &changed["privateKey"]), (&json!("http://example.org/"), &json!(private)));
    let replaced = world.ada.post(&format!("{path}/regenerate"), json!({})).await.ok();
    assert_ne!(replaced["privateKey"], changed["privateKey"]);
    assert_eq!((&replaced["fallbackURL"], &replaced["logoutURL"]), (&changed["fallbackURL"], &changed["logoutURL"]));
    let cleared = world.ada.patch(&path, json!({"backend": "integration", "fallbackURL": null})).await.ok();
    assert_eq!((cleared.get("fallbackURL"), &cleared["backend"]), (None, &json!("integration")));
    assert_eq!(world.ada.get(&path).await.ok(), cleared);
    let other = self::site(&world, "visitor-auth").await;
    let other = world.ada.get(&format!("{other}/publishing/auth")).await.ok();
    assert!(other["privateKey"] != replaced["privateKey"] && other["privateKey"] != private);
}

#[acceptance::test]
async fn addresses_of_the_publishing_authentication_are_plain_addresses_of_the_web(world: World) {
    let path = format!("{}/publishing/auth", site(&world, "visitor-auth").await);
    for (field, address) in [
        ("fallbackURL", "javascript:alert(1)"),
        ("fallbackURL", "/sign-in"),
        ("fallbackURL", "https://ada:secret@example.org/"),
        ("logoutURL", "ftp://example.org/"),
    ] {
        let told = world.ada.patch(&path, json!({"backend": "custom", field: address})).await.error(400);
        assert!(told.starts_with(&format!("{field}: must")), "{told}");
    }
    assert_eq!(world.ada.patch(&path, json!({"fallbackURL": null})).await.error(400), "backend: is required");
}

fn schema(description: &str) -> Value {
    json!({"jsonSchema": {"type": "object", "additionalProperties": false, "properties": {
        "plan": {"type": "string", "enum": ["free", "pro"], "description": description},
        "unsigned": {"type": "object", "description": "Unsigned claims of the site visitor.",
            "additionalProperties": false, "properties": {"beta": {"type": "boolean", "description": "Takes part"}}},
    }}})
}

#[acceptance::test]
async fn an_adaptive_schema_is_shown_as_it_was_set(world: World) {
    let path = format!("{}/adaptive-schema", site(&world, "public").await);
    assert_eq!(world.ada.get(&path).await.error(404), "adaptive schema not found");
    assert_eq!(world.ada.get(&format!("{path}/template-conditions")).await.ok(), json!({"items": []}));
    let set = world.ada.put(&path, schema("The plan")).await.ok();
    assert_eq!(
        (&set["object"], &set["jsonSchema"]),
        (&json!("site-adaptive-schema"), &schema("The plan")["jsonSchema"])
    );
    assert_eq!(world.ada.get(&path).await.ok(), set);
    let conditions = world.ada.get(&format!("{path}/template-conditions")).await.ok();
    let conditions: Vec<&str> = conditions.list("items").iter().map(|item| item.text("condition")).collect();
    let expected = [
        "visitor.claims.plan === 'free'",
        "visitor.claims.plan === 'pro'",
        "visitor.claims.unsigned.beta === true",
        "visitor.claims.unsigned.beta === false",
    ];
    assert_eq!(conditions, expected);
}

#[acceptance::test]
async fn an_adaptive_schema_that_breaks_a_rule_is_refused_with_the_path(world: World) {
    let path = format!("{}/adaptive-schema", site(&world, "public").await);
    let mut wrong = schema("The plan");
    wrong["jsonSchema"]["properties"]["plan"].as_object_mut().unwrap().remove("description");
    let told = world.ada.put(&path, wrong).await.error(400);
    assert_eq!(told, "jsonSchema.properties.plan.description: is required");
    assert_eq!(world.ada.put(&path, json!({})).await.error(400), "jsonSchema: is required");
    world.ada.get(&path).await.error(404);
}

#[acceptance::test]
async fn a_schema_is_replaced_only_in_the_state_that_the_caller_read(world: World) {
    let path = format!("{}/adaptive-schema", site(&world, "public").await);
    let put = async |tag: &str, body: Value| {
        let with = |request: TestRequest| request.insert_header(("If-Match", tag)).set_json(body);
        world.ada.send(Method::PUT, &path, with).await
    };
    put("*", schema("First")).await.error(412);
    world.ada.put(&path, schema("First")).await.ok();
    let tag = world.ada.get(&path).await.header("etag").unwrap().to_owned();
    put(&tag, schema("Second")).await.ok();
    put(&tag, schema("Third")).await.error(412);
    assert_eq!(world.ada.get(&path).await.ok()["jsonSchema"], schema("Second")["jsonSchema"]);
}

#[acceptance::test]
async fn a_share_link_and_the_publishing_authentication_are_changed_only_in_the_state_that_was_read(world: World) {
    let site = site(&world, "share-link").await;
    let link = world.ada.post(&format!("{site}/share-links"), json!({"name": "x"})).await.id();
    let link = format!("{site}/share-links/{link}");
    let auth = format!("{site}/publishing/auth");
    let send = async |method: Method, path: &str, tag: &str, body: &Value| {
        world.ada.send(method, path, |request| request.insert_header(("If-Match", tag)).set_json(body)).await
    };
    for (path, body) in [(&link, json!({"name": "y"})), (&auth, json!({"backend": "integration"}))] {
        let tag = world.ada.get(path).await.header("etag").unwrap().to_owned();
        send(Method::PATCH, path, "\"stale\"", &body).await.error(412);
        send(Method::PATCH, path, &tag, &body).await.ok();
        send(Method::PATCH, path, &tag, &body).await.error(412);
    }
    send(Method::DELETE, &link, "\"stale\"", &json!({})).await.error(412);
    let tag = world.ada.get(&link).await.header("etag").unwrap().to_owned();
    assert_eq!(send(Method::DELETE, &link, &tag, &json!({})).await.status.as_u16(), 205);
    send(Method::DELETE, &link, &tag, &json!({})).await.error(412);
}

#[acceptance::test]
async fn a_server_without_integrations_has_no_scripts(world: World) {
    let site = site(&world, "public").await;
    assert_eq!(world.ada.get(&format!("{site}/integration-scripts")).await.ok(), json!([]));
}

#[acceptance::test]
async fn secrets_of_a_site_are_for_its_administrators_and_its_schema_for_its_editors(world: World) {
    let site = site(&world, "share-link").await;
    world.ada.put(&format!("{site}/adaptive-schema"), schema("The plan")).await.ok();
    let links = format!("{site}/share-links");
    let link = format!("{links}/{}", world.ada.post(&links, json!({"name": "x"})).await.id());
    let auth = format!("{site}/publishing/auth");
    let (create, edit) = (world.member("cleo", Some(Role::Create)).await, world.member("edi", Some(Role::Edit)).await);
    let read = world.member("rita", Some(Role::Read)).await;
    for path in [&links, &link, &auth] {
        create.get(path).await.error(403);
    }
    create.post(&links, json!({"name": "y"})).await.error(403);
    create.patch(&link, json!({"active": false})).await.error(403);
    create.delete(&link).await.error(403);
    create.patch(&auth, json!({"backend": "custom"})).await.error(403);
    create.post(&format!("{auth}/regenerate"), json!({})).await.error(403);
    create.put(&format!("{site}/adaptive-schema"), schema("Mine")).await.error(403);
    for path in ["/adaptive-schema", "/adaptive-schema/template-conditions"] {
        edit.get(&format!("{site}{path}")).await.ok();
        read.get(&format!("{site}{path}")).await.error(403);
    }
    read.get(&format!("{site}/integration-scripts")).await.ok();
    world.stranger("eve").await.get(&links).await.error(404);
}

#[acceptance::test]
async fn every_change_is_an_event_without_a_secret(world: World) {
    let site = site(&world, "share-link").await;
    let links = format!("{site}/share-links");
    let link = format!("{links}/{}", world.ada.post(&links, json!({"name": "x"})).await.id());
    world.ada.patch(&link, json!({"active": false})).await.ok();
    world.ada.delete(&link).await;
    let auth = format!("{site}/publishing/auth");
    world.ada.patch(&auth, json!({"backend": "custom", "fallbackURL": "https://example.org/"})).await.ok();
    let private = world.ada.post(&format!("{auth}/regenerate"), json!({})).await.ok().text("privateKey").to_owned();
    world.ada.put(&format!("{site}/adaptive-schema"), schema("The plan")).await.ok();
    let events = world.ada.get(&world.org("/audit-events?limit=6")).await.ok();
    let actions: Vec<&str> = events.list("items").iter().map(|event| event.text("action")).collect();
    let expected = [
        "site_adaptive_schema_updated",
        "site_publishing_auth_updated",
        "site_publishing_auth_updated",
        "site_share_link_deleted",
        "site_share_link_updated",
        "site_share_link_created",
    ];
    assert_eq!(actions, expected);
    let changes = |index: usize| &events["items"][index]["payload"]["changes"];
    assert_eq!(changes(1), &json!({"privateKeys": {"before": 1, "after": 2}}));
    assert_eq!(changes(2), &json!({"fallbackURL": {"before": null, "after": "https://example.org/"}}));
    assert_eq!(changes(4), &json!({"active": {"before": true, "after": false}}));
    assert!(!events.to_string().contains(&private));
}
