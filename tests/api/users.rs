use acceptance::{Fields, World};
use domain::access::{Membership, Role};
use domain::member::Member;
use serde_json::json;

#[acceptance::test]
async fn an_account_is_found_where_it_says_that_it_is(world: World) {
    let user = world.ada.get("/user").await.ok();
    let location = user["urls"].text("location");
    let path = location.strip_prefix("https://docs.test/v1").unwrap();
    assert_eq!(world.ada.get(path).await.ok(), user);
}

#[acceptance::test]
async fn users_see_members_of_their_organizations_and_guests_see_no_others(world: World) {
    let (rita, gus) = (world.member("rita", Some(Role::Read)).await, world.member("gus", None).await);
    let (eve, dora) = (world.stranger("eve").await, world.member("dora", Some(Role::Edit)).await);
    let path = |caller: &acceptance::Caller| format!("/users/{}", caller.user.as_ref().unwrap());
    assert_eq!(rita.get(&path(&gus)).await.ok()["displayName"], "gus", "members see guests");
    let hidden = gus.get(&path(&rita)).await.error(404);
    gus.get(&path(&gus)).await.ok();
    assert_eq!(eve.get(&path(&rita)).await.error(404), hidden);
    assert_eq!(rita.get("/users/nobody").await.error(404), hidden, "a hidden account looks like a missing one");
    // A disabled member is visible to others, and sees no other account.
    let out = Membership { role: Some(Role::Edit), disabled: true };
    world.set_membership(dora.user.as_ref().unwrap(), out).await;
    rita.get(&path(&dora)).await.ok();
    dora.get(&path(&rita)).await.error(404);
    // A guest in one organization may have another role elsewhere.
    let org = gus.post("/orgs", json!({ "title": "Elsewhere" })).await.id();
    let mut tx = world.services.store.write().await.unwrap();
    let elsewhere: domain::id::OrganizationId = org.parse().unwrap();
    let now = world.services.clock.now();
    tx.lock(&[(&elsewhere).into()]).await.unwrap();
    tx.members().save(&Member::new(elsewhere, eve.user.clone().unwrap(), None, now)).await.unwrap();
    tx.commit().await.unwrap();
    gus.get(&path(&eve)).await.ok();
    eve.get(&path(&gus)).await.error(404);
    gus.get(&path(&rita)).await.error(404);
}

#[acceptance::test]
async fn users_change_only_their_own_name_and_picture(world: World) {
    let rita = world.member("rita", Some(Role::Read)).await;
    let path = format!("/users/{}", rita.user.as_ref().unwrap());
    let picture = "https://example.org/rita.png";
    let changed = rita.patch(&path, json!({ "displayName": "Rita", "photoURL": picture })).await.ok();
    assert_eq!((changed["displayName"].as_str(), changed["photoURL"].as_str()), (Some("Rita"), Some(picture)));
    assert_eq!(rita.get("/user").await.ok(), changed);
    let changed = rita.patch(&path, json!({ "photoURL": null })).await.ok();
    assert_eq!((changed["displayName"].as_str(), changed.get("photoURL")), (Some("Rita"), None));
    world.ada.patch(&path, json!({ "displayName": "Ruth" })).await.error(403);
    world.stranger("eve").await.patch(&path, json!({ "displayName": "Ruth" })).await.error(404);
    assert_eq!(rita.get("/user").await.ok()["displayName"], "Rita");
}

#[acceptance::test]
async fn an_account_is_changed_only_as_it_was_read(world: World) {
    let path = format!("/users/{}", world.ada.user.as_ref().unwrap());
    let tag = world.ada.get(&path).await.header("etag").unwrap().to_owned();
    let rename = |name: &str| {
        let body = json!({ "displayName": name });
        let with =
            |request: actix_web::test::TestRequest| request.insert_header(("If-Match", tag.as_str())).set_json(body);
        world.ada.send(actix_web::http::Method::PATCH, &path, with)
    };
    rename("Countess").await.ok();
    rename("Lovelace").await.error(412);
}

#[acceptance::test]
#[case(json!({}), "body:")]
#[case(json!({ "displayName": "" }), "displayName:")]
#[case(json!({ "displayName": "x".repeat(65) }), "displayName:")]
#[case(json!({ "photoURL": "rita.png" }), "photoURL:")]
async fn a_change_that_breaks_a_rule_is_refused_with_the_rule(
    world: &World,
    #[case] body: serde_json::Value,
    #[case] start: &str,
) {
    let path = format!("/users/{}", world.ada.user.as_ref().unwrap());
    let message = world.ada.patch(&path, body).await.error(400);
    assert!(message.starts_with(start), "{message}");
    world.ada.patch(&path, json!({ "displayName": "x".repeat(64) })).await.ok();
}
