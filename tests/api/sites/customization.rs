//! The customization of sites, and of the spaces on them.
use acceptance::{Answer, Fields, World};
use actix_web::http::Method;
use domain::access::Role;
use domain::token::NewToken;
use serde_json::{Value, json};

/// The path of a new site, and those of the spaces on it.
async fn site_with(world: &World, spaces: usize) -> (String, Vec<String>) {
    let mut ids = Vec::new();
    for number in 0..spaces {
        ids.push(world.space(json!({"title": format!("Space {number}")})).await.to_string());
    }
    let site = super::site(world, json!({"title": "Docs", "spaces": ids})).await;
    let found = world.ada.get(&format!("{site}/site-spaces")).await.ok();
    let spaces = found.list("items").iter().map(|space| format!("{site}/site-spaces/{}", space.id())).collect();
    (site, spaces)
}

fn of(path: &str) -> String {
    format!("{path}/customization")
}

async fn get(world: &World, path: &str) -> Value {
    world.ada.get(&of(path)).await.ok()
}

async fn put(world: &World, path: &str, body: Value) -> Value {
    world.ada.put(&of(path), body).await.ok()
}

async fn patch(world: &World, path: &str, body: Value) -> Value {
    world.ada.patch(&of(path), body).await.ok()
}

async fn events(world: &World) -> Vec<Value> {
    let found = world.ada.get(&world.org("/audit-events?action=site_customization_updated")).await.ok();
    found.list("items").iter().rev().map(|event| event["payload"].clone()).collect()
}

#[acceptance::test]
async fn a_new_site_has_a_complete_customization(world: World) {
    let (site, spaces) = site_with(&world, 1).await;
    let found = get(&world, &site).await;
    let keys = [
        "styling",
        "internationalization",
        "favicon",
        "header",
        "footer",
        "themes",
        "feedback",
        "ai",
        "advancedCustomization",
        "pageActions",
        "externalLinks",
        "pagination",
        "trademark",
        "privacyPolicy",
        "socialPreview",
        "socialAccounts",
        "insights",
    ];
    assert!(keys.iter().all(|key| found.get(key).is_some()), "{found}");
    assert_eq!(found["styling"]["primaryColor"], json!({"light": "#346ddb", "dark": "#346ddb"}));
    assert_eq!((found.get("title"), found.get("updatedAt")), (None, None));
    assert_eq!(get(&world, &spaces[0]).await, found);
    assert!(events(&world).await.is_empty());
}

#[acceptance::test]
async fn put_replaces_everything_and_what_is_left_out_returns_to_its_default(world: World) {
    let (site, _) = site_with(&world, 1).await;
    let default = get(&world, &site).await;
    let sent = json!({
        "title": "Handbook",
        "styling": {"theme": "bold", "primaryColor": {"light": "#FFD400", "dark": "#fd0"}},
        "header": {"links": [{"title": "Home", "to": {"kind": "url", "url": "https://example.org"}}]},
        "announcement": {"message": "<b>New</b> \u{202e}"},
        "unknown": 1,
    });
    let first = put(&world, &site, sent).await;
    assert_eq!((&first["title"], &first["styling"]["theme"]), (&json!("Handbook"), &json!("bold")));
    assert_eq!(first["styling"]["primaryColor"], json!({"light": "#FFD400", "dark": "#fd0"}));
    assert_eq!(first["announcement"]["message"], "<b>New</b> \u{202e}");
    assert_eq!((&first["styling"]["font"], first.get("unknown")), (&default["styling"]["font"], None));
    assert!(first["updatedAt"].is_string());
    assert_eq!(get(&world, &site).await, first);

    let second = put(&world, &site, json!({"styling": {"corners": "straight"}, "title": null})).await;
    assert_eq!((&second["styling"]["theme"], second.get("title")), (&json!("clean"), None));
    assert!(second.text("updatedAt") > first.text("updatedAt"));
    let mut third = put(&world, &site, json!({})).await;
    assert!(third.as_object_mut().unwrap().remove("updatedAt").is_some());
    assert_eq!(third, default);
}

#[acceptance::test]
async fn what_was_read_can_be_sent_back_and_changes_nothing(world: World) {
    let (site, spaces) = site_with(&world, 1).await;
    let default = get(&world, &site).await;
    assert_eq!(put(&world, &site, default.clone()).await, default);
    let changed = put(&world, &site, json!({"title": "Handbook", "favicon": {"emoji": "🐙"}})).await;
    let version = world.ada.get(&of(&site)).await.header("etag").unwrap().to_owned();
    assert_eq!(put(&world, &site, changed).await["title"], "Handbook");
    assert_eq!(world.ada.get(&of(&site)).await.header("etag"), Some(&*version));
    let own = patch(&world, &spaces[0], json!({"title": "Manual"})).await;
    assert_eq!(patch(&world, &spaces[0], json!({"title": "Manual", "header": {"links": null}})).await, own);
    assert_eq!(events(&world).await.len(), 2, "no event without a change");
}

#[acceptance::test]
async fn a_space_has_the_values_of_its_site_but_for_those_it_overrides(world: World) {
    let (site, spaces) = site_with(&world, 2).await;
    let [one, other] = &spaces[..] else { panic!("two spaces") };
    put(&world, &site, json!({"title": "Docs", "styling": {"theme": "bold", "corners": "straight"}})).await;
    let own = json!({"title": "Manual", "styling": {"theme": "muted", "primaryColor": {"dark": "#111"}}});
    let effective = patch(&world, one, own).await;
    assert_eq!((&effective["title"], &effective["styling"]["theme"]), (&json!("Manual"), &json!("muted")));
    assert_eq!(effective["styling"]["corners"], "straight");
    assert_eq!(effective["styling"]["primaryColor"], json!({"light": "#346ddb", "dark": "#111"}));
    assert_eq!(get(&world, one).await, effective);
    assert_eq!(get(&world, other).await, get(&world, &site).await);

    // A later change of the site shows through.
    put(&world, &site, json!({"title": "Docs", "styling": {"primaryColor": {"light": "#222", "dark": "#333"}}})).await;
    let through = get(&world, one).await;
    assert_eq!(through["styling"]["primaryColor"], json!({"light": "#222", "dark": "#111"}));
    assert_eq!((&through["title"], &through["styling"]["corners"]), (&json!("Manual"), &json!("rounded")));

    // `null` removes an override, also of a whole part.
    let cleared = patch(&world, one, json!({"title": null})).await;
    assert_eq!((&cleared["title"], &cleared["styling"]["theme"]), (&json!("Docs"), &json!("muted")));
    assert_eq!(patch(&world, one, json!({"styling": null})).await, get(&world, &site).await);
    world.ada.delete(&of(one)).await.expect(204);
}

#[acceptance::test]
async fn overrides_are_removed_at_once_and_with_the_space(world: World) {
    let (site, spaces) = site_with(&world, 2).await;
    let [one, other] = &spaces[..] else { panic!("two spaces") };
    for space in &spaces {
        patch(&world, space, json!({"title": "Manual"})).await;
    }
    world.ada.delete(&of(one)).await.expect(205);
    world.ada.delete(&of(one)).await.expect(204);
    assert_eq!(get(&world, one).await, get(&world, &site).await);
    assert_eq!(get(&world, other).await["title"], "Manual");
    // A change of the structure keeps the overrides of the spaces that stay.
    world.ada.delete(one).await.expect(205);
    world.ada.patch(other, json!({"path": "manual"})).await.ok();
    assert_eq!(get(&world, other).await["title"], "Manual");
    world.ada.get(&of(one)).await.error(404);
    world.ada.patch(&of(one), json!({})).await.error(404);
    world.ada.delete(&of(one)).await.expect(204);
    world.ada.delete(&site).await.expect(205);
    world.ada.get(&of(&site)).await.error(404);
    world.ada.delete(&of(other)).await.expect(204);
    assert!(world.dump().await.get("site_customizations").is_none_or(Vec::is_empty), "nothing is left of them");
}

#[acceptance::test]
#[case(json!({"styling": {"primaryColor": {"light": "red"}}}), "styling.primaryColor.light: must be a colour such as #346ddb")]
#[case(json!({"styling": {"theme": "neon"}}), "styling.theme: must be one of `clean`, `muted`, `bold`, `gradient`")]
#[case(json!({"header": {"links": [{"title": "a", "condition": "1 +"}]}}), "header.links[0].condition: ")]
#[case(json!({"title": "Manual\u{0}"}), "title: must not contain U+0000")]
#[case(json!({"socialAccounts": vec![json!({"platform": "github", "handle": "a"}); 11]}), "socialAccounts: must have at most 10 items, not 11")]
#[case(json!([]), "body: must be a JSON object")]
async fn a_wrong_value_is_refused_by_its_path_and_nothing_is_stored(
    world: &World,
    #[case] body: Value,
    #[case] rule: &str,
) {
    let (site, spaces) = site_with(world, 1).await;
    let before = get(world, &site).await;
    for told in [
        world.ada.put(&of(&site), body.clone()).await.error(400),
        world.ada.patch(&of(&spaces[0]), body.clone()).await.error(400),
    ] {
        assert!(told.starts_with(rule), "{told}");
    }
    assert_eq!([get(world, &site).await, get(world, &spaces[0]).await], [before.clone(), before]);
}

#[acceptance::test]
async fn a_body_has_at_most_256_kib(world: World) {
    let (site, _) = site_with(&world, 1).await;
    world.ada.put(&of(&site), json!({"unknown": "a".repeat(256 * 1024)})).await.error(413);
    world.ada.put(&of(&site), json!({"unknown": "a".repeat(255 * 1024)})).await.ok();
}

#[acceptance::test]
#[case::a_reader(Role::Read, 403)]
#[case::a_creator(Role::Create, 403)]
#[case::an_administrator(Role::Admin, 200)]
async fn readers_see_a_customization_and_administrators_change_it(
    world: World,
    #[case] role: Role,
    #[case] status: u16,
) {
    let (site, spaces) = site_with(&world, 1).await;
    let bob = world.member("bob", Some(role)).await;
    for path in [&site, &spaces[0]] {
        bob.get(&of(path)).await.ok();
    }
    bob.put(&of(&site), json!({"title": "Docs"})).await.expect(status);
    bob.patch(&of(&spaces[0]), json!({"title": "Manual"})).await.expect(status);
    bob.delete(&of(&spaces[0])).await.expect(if status == 200 { 205 } else { status });
    assert_eq!(events(&world).await.len(), if status == 200 { 3 } else { 0 });
}

#[acceptance::test]
async fn a_space_that_the_caller_may_not_see_has_no_customization(world: World) {
    let (site, spaces) = site_with(&world, 2).await;
    let listed = world.ada.get(&format!("{site}/site-spaces")).await.ok();
    let space = listed.list("items")[0]["space"].id().to_owned();
    let guest = world.member("gus", None).await;
    guest.get(&of(&site)).await.error(404);
    let grant = json!({"role": "read", "users": [guest.id()]});
    world.ada.post(&format!("/spaces/{space}/permissions"), grant).await.expect(204);
    guest.get(&of(&site)).await.ok();
    guest.get(&of(&spaces[0])).await.ok();
    guest.get(&of(&spaces[1])).await.error(404);
    let (elsewhere, _) = site_with(&world, 1).await;
    let foreign = spaces[0].replace(&site, &elsewhere);
    world.ada.get(&of(&foreign)).await.error(404);
    world.ada.patch(&of(&foreign), json!({"title": "Manual"})).await.error(404);
    world.ada.delete(&of(&foreign)).await.expect(204);
}

#[acceptance::test]
async fn a_change_is_made_only_if_the_object_is_as_it_was_read(world: World) {
    let (site, spaces) = site_with(&world, 1).await;
    for (path, method) in [(&site, Method::PUT), (&spaces[0], Method::PATCH), (&spaces[0], Method::DELETE)] {
        let tag = world.ada.get(&of(path)).await.header("etag").unwrap().to_owned();
        let change = async |tag: String| -> Answer {
            let body = json!({"title": "Handbook"});
            world
                .ada
                .send(method.clone(), &of(path), |request| request.insert_header(("If-Match", tag)).set_json(body))
                .await
        };
        change("\"other\"".to_owned()).await.error(412);
        let status = change(tag).await.status.as_u16();
        assert!([200, 205].contains(&status), "{method} {status}");
    }
}

#[acceptance::test]
async fn the_log_has_the_keys_that_changed_and_not_their_values(world: World) {
    let (site, spaces) = site_with(&world, 1).await;
    let secret = json!({"ai": {"instructions": "canary"}, "styling": {"primaryColor": {"dark": "#111"}}});
    put(&world, &site, secret).await;
    patch(&world, &spaces[0], json!({"title": "Manual"})).await;
    world.ada.delete(&of(&spaces[0])).await.expect(205);
    let site = site.rsplit('/').next().unwrap();
    let space = spaces[0].rsplit('/').next().unwrap();
    let expected = [
        json!({"site": site, "keys": ["ai.instructions", "styling.primaryColor.dark"]}),
        json!({"site": site, "siteSpace": space, "keys": ["title"]}),
        json!({"site": site, "siteSpace": space, "keys": ["title"]}),
    ];
    assert_eq!(events(&world).await, expected);
}

/// The statements of reading a customization, with a new token, since the caller of a known one is cached.
async fn statements(world: &World, path: &str) -> u64 {
    let new = NewToken::unlimited("another".parse().unwrap());
    let caller = world.with_new_token(world.ada.user.as_ref().unwrap(), new).await;
    let (answer, statements) = world.counted(caller.get(&of(path))).await;
    answer.ok();
    statements
}

#[acceptance::test]
async fn reading_takes_the_same_statements_however_much_is_customized(world: World) {
    let (site, spaces) = site_with(&world, 5).await;
    let before = [statements(&world, &site).await, statements(&world, &spaces[0]).await];
    put(&world, &site, json!({"title": "Handbook"})).await;
    for space in &spaces {
        patch(&world, space, json!({"title": "Manual"})).await;
    }
    assert_eq!([statements(&world, &site).await, statements(&world, &spaces[0]).await], before);
}
