//! Invites by email address and by link.
use acceptance::{Caller, Fields, World};
use actix_web::http::Method;
use domain::access::{Membership, Role};
use domain::actor::Actor;
use domain::scope::Scope;
use serde_json::{Value, json};
use std::collections::BTreeSet;

async fn member(world: &World, id: &str) -> Value {
    world.ada.get(&world.org(&format!("/members/{id}"))).await.ok()
}

/// Creates an invite link, and returns its id.
async fn link(world: &World, by: &Caller, body: Value) -> String {
    by.post(&world.org("/link-invites"), body).await.id()
}

async fn accept(world: &World, who: &Caller, invite: &str) -> acceptance::Answer {
    who.send(Method::POST, &world.org(&format!("/invites/{invite}")), |request| request).await
}

#[acceptance::test]
async fn invited_users_are_members_at_once(world: World) {
    let (eve, bob) = (world.stranger("eve").await, world.member("bob", Some(Role::Create)).await);
    let body = json!({
        "emails": ["EVE@example.org", {"email": "new.one@example.org", "role": null}, "bob@example.org", "eve@example.org"],
        "role": "edit", "sso": true,
    });
    let done = world.ada.post(&world.org("/invites"), body).await.ok();
    assert_eq!(done["invited"], 2);
    let users: Vec<&str> = done.list("users").iter().map(|id| id.as_str().unwrap()).collect();
    assert_eq!((users.len(), users[0], users[2]), (3, eve.id(), bob.id()), "each once, in the order of the request");
    assert_eq!(done.get("failedSSOEmails"), None);
    let joined = member(&world, eve.id()).await;
    assert_eq!((&joined["role"], &joined["sso"]), (&json!("edit"), &json!(true)));
    eve.get(&world.org("")).await.ok();
    let new = member(&world, users[1]).await;
    assert_eq!((&new["role"], &new["user"]["displayName"]), (&json!(null), &json!("new.one")));
    let kept = member(&world, bob.id()).await;
    assert_eq!((&kept["role"], &kept["sso"]), (&json!("create"), &json!(false)), "existing members keep their role");
    let address = "new.one@example.org".parse().unwrap();
    let account = world.services.accounts.user_by_email(&Actor::Operator, &address).await.unwrap();
    assert!(!account.email_verified, "an invite does not verify the address");
    world.ada.patch(&world.org(""), json!({"defaultRole": "comment"})).await.ok();
    let done = world.ada.post(&world.org("/invites"), json!({"emails": ["next@example.org"]})).await.ok();
    assert_eq!(member(&world, done["users"][0].as_str().unwrap()).await["role"], "comment", "the default role");
}

#[acceptance::test]
#[case::anonymous(json!({"emails": []}), "emails")]
#[case::no_address(json!({"emails": ["a@example.org", "b"]}), "emails[1]")]
#[case::no_role(json!({"emails": [{"email": "a@example.org", "role": "king"}]}), "emails[0]")]
#[case::no_common_role(json!({"emails": ["a@example.org"], "role": "king"}), "role")]
#[case::no_list(json!({"emails": "a@example.org"}), "emails")]
async fn a_bad_list_of_people_is_refused_as_a_whole(world: &World, #[case] body: Value, #[case] field: &str) {
    let message = world.ada.post(&world.org("/invites"), body).await.error(400);
    assert!(message.starts_with(field), "{message}");
    assert_eq!(world.ada.get(&world.org("/members")).await.ok()["count"], 1);
}

#[acceptance::test]
#[case(100, 200)]
#[case(101, 400)]
async fn a_request_invites_a_hundred_people(world: World, #[case] number: usize, #[case] status: u16) {
    let emails: Vec<String> = (0..number).map(|number| format!("p{number}@example.org")).collect();
    world.ada.post(&world.org("/invites"), json!({"emails": emails})).await.expect(status);
    let members = world.ada.get(&world.org("/members?limit=1000")).await.ok();
    let stored: BTreeSet<&str> = members.list("items").iter().map(|member| member["user"].text("email")).collect();
    let invited: BTreeSet<&str> = emails.iter().map(String::as_str).filter(|_| status == 200).collect();
    assert_eq!(stored, invited.into_iter().chain(["ada@example.org"]).collect());
}

#[acceptance::test]
async fn every_user_with_an_invite_link_can_join_the_organization(world: World) {
    let made = world.ada.post(&world.org("/link-invites"), json!({"role": "edit"})).await;
    let location = made.header("location").unwrap().strip_prefix("https://docs.test/v1").unwrap().to_owned();
    let made = made.expect(201);
    assert_eq!((&made["object"], &made["role"], &made["redundant"]), (&json!("invite"), &json!("edit"), &json!(true)));
    let id = made.id();
    assert!(id.len() <= 64 && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte)), "{id}");
    assert_eq!(world.ada.get(&location).await.ok(), made, "it can be read again");
    assert_eq!(world.ada.get(&world.org("/link-invites")).await.ok()["items"], json!([made]));
    let (eve, bob) = (world.stranger("eve").await, world.member("bob", Some(Role::Read)).await);
    assert_eq!(accept(&world, &eve, id).await.ok(), json!({}));
    assert_eq!(accept(&world, &eve, id).await.ok(), json!({}));
    assert_eq!(member(&world, eve.id()).await["role"], "edit");
    for caller in [&bob, &world.ada] {
        accept(&world, caller, id).await.ok();
    }
    assert_eq!(
        (&member(&world, bob.id()).await["role"], &member(&world, world.ada.id()).await["role"]),
        (&json!("read"), &json!("admin"))
    );
    let changed = world.ada.patch(&location, json!({"role": null})).await.ok();
    assert_eq!((&changed["role"], &changed["id"]), (&json!(null), &made["id"]));
    let gus = world.stranger("gus").await;
    accept(&world, &gus, id).await.ok();
    assert_eq!(member(&world, gus.id()).await["role"], json!(null));
    assert_eq!(world.ada.delete(&location).await.status, 205);
    assert_eq!(world.ada.delete(&location).await.status, 204);
    world.ada.get(&location).await.error(404);
    world.ada.patch(&location, json!({"role": "read"})).await.error(404);
    let late = world.stranger("late").await;
    accept(&world, &late, id).await.error(404);
    late.get(&world.org("")).await.error(404);
}

#[acceptance::test]
async fn the_stored_part_of_an_invite_gives_no_access(world: World) {
    let id = link(&world, &world.ada, json!({"role": "admin"})).await;
    let mut tx = world.services.store.read().await.unwrap();
    let stored = tx.invites().list(&world.organization, true, &Default::default()).await.unwrap();
    let handle = stored.items[0].id.to_string();
    assert!(id.ends_with(&handle) && id.len() - handle.len() >= 27, "160 bits precede the handle");
    let eve = world.stranger("eve").await;
    accept(&world, &eve, &handle).await.error(404);
    let forged = format!("{}{handle}", "A".repeat(27));
    accept(&world, &eve, &forged).await.error(404);
    let known = world.ada.get(&world.org(&format!("/link-invites/{handle}"))).await.error(404);
    assert_eq!(known, world.ada.get(&world.org("/link-invites/nothing")).await.error(404));
    eve.get(&world.org("")).await.error(404);
}

#[acceptance::test]
async fn the_response_with_an_invite_is_not_stored_under_its_key(world: World) {
    let path = world.org("/link-invites");
    let send = || {
        let body = json!({"role": "admin"});
        world.ada.send(Method::POST, &path, |sent| sent.insert_header(("Idempotency-Key", "once")).set_json(body))
    };
    let made = send().await;
    assert_eq!(made.header("cache-control"), Some("no-store"));
    made.expect(201);
    send().await.error(409);
    assert_eq!(
        world.ada.get(&world.org("/link-invites")).await.ok()["count"],
        1,
        "it was created once, and can be listed"
    );
}

#[acceptance::test]
async fn a_link_to_a_space_makes_guests_with_a_level_on_it(world: World) {
    let (open, other) = (world.space(json!({"title": "Open"})).await, world.space(json!({"title": "Other"})).await);
    let made =
        world.ada.post(&world.org("/link-invites"), json!({"level": "comment", "space": open})).await.expect(201);
    assert_eq!(
        (&made["level"], &made["redundant"], &made["space"]["id"]),
        (&json!("comment"), &json!(true), &json!(open))
    );
    assert_eq!(made.get("role"), Some(&json!(null)), "a guest");
    let listed = world.ada.get(&world.org("/link-invites")).await.ok();
    assert_eq!(listed["items"], json!([made]));
    let id = made.id();
    let (eve, bob) = (world.stranger("eve").await, world.member("bob", Some(Role::Review)).await);
    accept(&world, &eve, id).await.ok();
    let guest = member(&world, eve.id()).await;
    assert_eq!((&guest["role"], &guest["spaces"]), (&json!(null), &json!(1)));
    let may = eve.get(&format!("/spaces/{open}")).await.ok()["permissions"].clone();
    assert_eq!((&may["comment"], &may["edit"]), (&json!(true), &json!(false)));
    eve.get(&format!("/spaces/{other}")).await.error(404);
    accept(&world, &bob, id).await.ok();
    let kept = bob.get(&format!("/spaces/{open}")).await.ok();
    assert_eq!(kept["permissions"]["review"], true, "an invite never lowers a role");
    assert_eq!(world.ada.get(&format!("/spaces/{open}/permissions/users")).await.ok()["count"], 1);
    let location = world.org(&format!("/link-invites/{id}"));
    world.ada.patch(&location, json!({"level": "edit"})).await.ok();
    accept(&world, &eve, id).await.ok();
    let may = eve.get(&format!("/spaces/{open}")).await.ok()["permissions"].clone();
    assert_eq!(
        (&may["edit"], &may["review"]),
        (&json!(true), &json!(false)),
        "accepting another invite raises the role"
    );
    world.ada.patch(&location, json!({"role": "edit"})).await.error(400);
    let organization = link(&world, &world.ada, json!({"role": "read"})).await;
    world.ada.patch(&world.org(&format!("/link-invites/{organization}")), json!({"level": "read"})).await.error(400);
}

#[acceptance::test]
async fn a_link_to_a_collection_opens_what_is_in_it(world: World) {
    let collection =
        world.ada.post(&world.org("/collections"), json!({"title": "Guides"})).await.expect(201)["id"].clone();
    let inside = world.space(json!({"title": "Inside", "parent": collection})).await;
    let body = json!({"level": "read", "collection": collection});
    let made = world.ada.post(&world.org("/link-invites"), body).await.expect(201);
    assert_eq!((&made["collection"]["title"], made.get("role")), (&json!("Guides"), Some(&json!(null))));
    let eve = world.stranger("eve").await;
    accept(&world, &eve, made.id()).await.ok();
    eve.get(&format!("/spaces/{inside}")).await.ok();
    // A grant of the space counts before that of its collection, which denies access.
    let bob = world.member("bob", Some(Role::Read)).await;
    let (all, one) = (collection.as_str().unwrap(), format!("/spaces/{inside}/permissions"));
    let give = |role: Value| json!({ "users": [bob.id()], "role": role });
    world.ada.post(&format!("/collections/{all}/permissions"), give(json!(null))).await.expect(204);
    let into = link(&world, &world.ada, json!({"level": "edit", "space": inside})).await;
    accept(&world, &bob, &into).await.error(403);
    world.ada.post(&one, give(json!("read"))).await.expect(204);
    accept(&world, &bob, &into).await.ok();
    assert_eq!(bob.get(&format!("/spaces/{inside}")).await.ok()["permissions"]["edit"], true);
    let gone = world.org(&format!("/link-invites/{into}"));
    world.ada.send(Method::DELETE, &gone, |request| request).await.expect(205);
    let listed = world.ada.get(&world.org("/link-invites")).await.ok();
    assert_eq!(listed["items"], json!([made]));
}

#[acceptance::test]
async fn callers_invite_up_to_their_own_level(world: World) {
    let (carl, rita, gus) = (
        world.member("carl", Some(Role::Create)).await,
        world.member("rita", Some(Role::Read)).await,
        world.member("gus", None).await,
    );
    let (open, shut) = (world.space(json!({})).await, world.space(json!({})).await);
    world.ada.patch(&format!("/spaces/{shut}"), json!({"defaultLevel": null})).await.ok();
    let make = |caller: &Caller, body: Value| {
        let (caller, path) = (caller.clone(), world.org("/link-invites"));
        async move { caller.post(&path, body).await }
    };
    make(&carl, json!({"role": null})).await.error(403);
    make(&carl, json!({"level": "admin", "space": open})).await.error(403);
    let own = make(&carl, json!({"level": "create", "space": open})).await.id();
    for (caller, body) in [
        (&rita, json!({"level": "read", "space": open})),
        (&rita, json!({"role": "read"})),
        (&gus, json!({"role": null})),
    ] {
        make(caller, body).await.error(403);
    }
    for (caller, hidden) in [(&carl, shut.as_str()), (&gus, open.as_str())] {
        let message = make(caller, json!({"level": "read", "space": hidden})).await.error(400);
        let absent = make(caller, json!({"level": "read", "space": "nothing"})).await.error(400);
        assert_eq!(message, absent, "a hidden object gets the same message as a missing one");
    }
    let path = |id: &str| world.org(&format!("/link-invites/{id}"));
    let own = path(&own);
    assert_eq!(carl.get(&own).await.ok()["redundant"], true);
    carl.patch(&own, json!({"level": "admin"})).await.error(403);
    carl.patch(&own, json!({"level": "read"})).await.ok();
    let strong = path(&link(&world, &world.ada, json!({"level": "admin", "space": open})).await);
    carl.patch(&strong, json!({"level": "read"})).await.error(403);
    carl.delete(&strong).await.error(403);
    assert_eq!(carl.get(&strong).await.ok()["redundant"], false);
    let organization = path(&link(&world, &world.ada, json!({"role": "read"})).await);
    for (caller, path) in [(&carl, &organization), (&rita, &own)] {
        caller.get(path).await.error(403);
        caller.patch(path, json!({})).await.error(403);
        caller.delete(path).await.error(403);
    }
    gus.get(&own).await.error(404);
    assert_eq!(gus.delete(&own).await.status, 204, "it is hidden, so it is not deleted");
    carl.get(&world.org("/link-invites")).await.error(403);
    assert_eq!(carl.delete(&own).await.status, 205);
}

#[acceptance::test]
async fn an_organization_can_disable_invite_links(world: World) {
    let id = link(&world, &world.ada, json!({"role": "read"})).await;
    world.ada.patch(&world.org(""), json!({"inviteLinks": false})).await.ok();
    let eve = world.stranger("eve").await;
    assert!(accept(&world, &eve, &id).await.error(403).starts_with("inviteLinks"));
    world.ada.post(&world.org("/link-invites"), json!({"role": "read"})).await.error(403);
    let space = world.space(json!({})).await;
    world.ada.post(&world.org("/link-invites"), json!({"level": "read", "space": space})).await.error(403);
    eve.get(&world.org("")).await.error(404);
    assert_eq!(world.ada.get(&world.org("/link-invites")).await.ok()["count"], 1, "they can be listed");
    world.ada.post(&world.org("/invites"), json!({"emails": ["new@example.org"]})).await.ok();
    world.ada.patch(&world.org(""), json!({"inviteLinks": true})).await.ok();
    accept(&world, &eve, &id).await.ok();
}

#[acceptance::test]
async fn a_disabled_member_does_not_return_by_a_link(world: World) {
    let (bob, rita) = (world.member("bob", Some(Role::Admin)).await, world.member("rita", Some(Role::Read)).await);
    let space = world.space(json!({})).await;
    let (whole, part) = (
        link(&world, &world.ada, json!({"role": "admin"})).await,
        link(&world, &world.ada, json!({"level": "read", "space": space})).await,
    );
    world.set_membership(bob.user.as_ref().unwrap(), Membership { role: Some(Role::Admin), disabled: true }).await;
    for invite in [&whole, &part] {
        accept(&world, &bob, invite).await.error(403);
    }
    bob.get(&world.org("")).await.error(404);
    let shut = json!({"role": null, "users": [rita.id()]});
    world.ada.post(&format!("/spaces/{space}/permissions"), shut).await.expect(204);
    accept(&world, &rita, &part).await.error(403);
    rita.get(&format!("/spaces/{space}")).await.error(404);
}

#[acceptance::test]
async fn an_invite_of_another_organization_is_not_found(world: World) {
    let eve = world.stranger("eve").await;
    let other = eve.post("/orgs", json!({"title": "Eve's"})).await.id();
    let space = world.space(json!({})).await;
    let id = link(&world, &world.ada, json!({"role": "admin"})).await;
    let (foreign, joining) = (format!("/orgs/{other}/link-invites/{id}"), format!("/orgs/{other}/invites/{id}"));
    eve.get(&foreign).await.error(404);
    eve.patch(&foreign, json!({"role": "read"})).await.error(404);
    assert_eq!(eve.delete(&foreign).await.status, 204);
    let late = world.stranger("late").await;
    let absent = late.send(Method::POST, &joining, |request| request).await.error(404);
    assert_eq!(late.send(Method::POST, "/orgs/nowhere/invites/x", |request| request).await.error(404), absent);
    let body = json!({"level": "read", "space": space});
    let message = eve.post(&format!("/orgs/{other}/link-invites"), body).await.error(400);
    assert!(message.starts_with("space"), "{message}");
    assert_eq!(world.ada.get(&world.org("/link-invites")).await.ok()["count"], 1);
}

#[acceptance::test]
async fn an_invite_is_valid_while_its_author_may_grant_its_role(world: World) {
    let (carl, vera) = (world.member("carl", Some(Role::Create)).await, world.member("vera", Some(Role::Admin)).await);
    let space = world.space(json!({})).await;
    let to_space = link(&world, &carl, json!({"space": space, "level": "create"})).await;
    let to_organization = link(&world, &vera, json!({"role": "admin"})).await;
    let of_ada = link(&world, &world.ada, json!({"role": "read"})).await;

    world.ada.patch(&world.org(&format!("/members/{}", carl.id())), json!({"role": "read"})).await.ok();
    let eve = world.stranger("eve").await;
    for whoever in [&carl, &eve] {
        accept(&world, whoever, &to_space).await.error(404);
    }
    let reads = carl.get(&format!("/spaces/{space}")).await.ok();
    assert_eq!(reads["permissions"]["admin"], false, "callers cannot raise themselves with their own invite");
    eve.get(&world.org("")).await.error(404);

    world.ada.delete(&world.org(&format!("/members/{}", vera.id()))).await.expect(205);
    for whoever in [&vera, &eve] {
        accept(&world, whoever, &to_organization).await.error(404);
    }
    accept(&world, &vera, &of_ada).await.ok();
    accept(&world, &vera, &to_organization).await.error(404);
    assert_eq!(member(&world, vera.id()).await["role"], "read");

    world.ada.patch(&world.org(&format!("/members/{}", carl.id())), json!({"role": "create"})).await.ok();
    accept(&world, &eve, &to_space).await.ok();
    assert_eq!(eve.get(&format!("/spaces/{space}")).await.ok()["permissions"]["admin"], true);

    // The last caller to change an invite is its author from then on.
    let later = link(&world, &carl, json!({"space": space, "level": "read"})).await;
    world.ada.patch(&world.org(&format!("/link-invites/{later}")), json!({"level": "create"})).await.ok();
    world.ada.patch(&world.org(&format!("/members/{}", carl.id())), json!({"role": "read"})).await.ok();
    accept(&world, &carl, &later).await.ok();
    assert_eq!(carl.get(&format!("/spaces/{space}")).await.ok()["permissions"]["admin"], true);
}

#[acceptance::test]
async fn a_token_that_gives_no_level_by_name_gives_none_by_a_link(world: World) {
    let ada = world.ada.user.as_ref().unwrap();
    let members = world.with_scopes(ada, [Scope::OrganizationMembersWrite]).await;
    let both = world.with_scopes(ada, [Scope::OrganizationMembersWrite, Scope::SpacePermissionsWrite]).await;
    let space = world.space(json!({})).await;
    let (to_space, to_all) = (json!({ "space": space, "level": "edit" }), json!({ "role": "read" }));
    let message = members.post(&world.org("/link-invites"), to_space.clone()).await.error(403);
    assert_eq!(message, "the token lacks the scope space:permissions:write");
    let (made, other) = (link(&world, &both, to_space).await, link(&world, &members, to_all).await);
    let path = world.org(&format!("/link-invites/{made}"));
    members.get(&path).await.error(403);
    members.patch(&path, json!({ "level": "read" })).await.error(403);
    members.send(Method::DELETE, &path, |request| request).await.error(403);
    for (caller, count) in [(&members, 1), (&both, 2)] {
        let list = caller.get(&world.org("/link-invites")).await.ok();
        assert_eq!(list.list("items").len(), count);
    }
    both.get(&path).await.ok();
    members.get(&world.org(&format!("/link-invites/{other}"))).await.ok();
}
