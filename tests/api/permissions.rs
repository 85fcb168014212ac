//! Grants on spaces and collections, and the resulting roles.
use acceptance::{Caller, Fields, World};
use actix_web::http::Method;
use domain::access::Role;
use domain::id::SpaceId;
use serde_json::{Value, json};

/// The role of a caller on a space, derived from its `permissions`; the status if it is hidden.
async fn level(caller: &Caller, space: &SpaceId) -> String {
    let answer = caller.get(&format!("/spaces/{space}")).await;
    if answer.status.as_u16() != 200 {
        return answer.status.as_u16().to_string();
    }
    let may = answer.ok()["permissions"].clone();
    let ladder =
        [("admin", "create"), ("review", "review"), ("edit", "edit"), ("comment", "comment"), ("view", "read")];
    ladder.iter().find(|(boolean, _)| may[boolean] == true).map_or("none", |(_, level)| *level).to_owned()
}

/// Checks that a `parent` in a response can be read.
async fn leads_nowhere_hidden(caller: &Caller, item: &Value) {
    if let Some(parent) = item["parent"].as_str() {
        caller.get(&format!("/collections/{parent}")).await.ok();
    }
}

async fn grant(world: &World, place: &str, role: Value, users: &[&Caller]) {
    let users: Vec<&str> = users.iter().map(|user| user.id()).collect();
    world.ada.post(&format!("{place}/permissions"), json!({"role": role, "users": users})).await.expect(204);
}

async fn withdraw(caller: &Caller, path: &str) -> u16 {
    caller.send(Method::DELETE, path, |request| request).await.status.as_u16()
}

#[acceptance::test]
async fn the_nearest_rule_decides_up_and_down(world: World) {
    let (member, guest) = (world.member("mia", Some(Role::Edit)).await, world.member("gus", None).await);
    let outer = world.collection(json!({"title": "outer"})).await;
    let inner = world.collection(json!({"title": "inner", "parent": outer})).await;
    let space = world.space(json!({"title": "space", "parent": inner})).await;
    let (outer, inner) = (format!("/collections/{outer}"), format!("/collections/{inner}"));
    let path = format!("/spaces/{space}");
    let levels = async || (level(&member, &space).await, level(&guest, &space).await);
    let expect = |member: &str, guest: &str| (member.to_owned(), guest.to_owned());
    assert_eq!(levels().await, expect("edit", "404"), "the role in the organization");
    world.ada.patch(&outer, json!({"defaultLevel": "read"})).await.ok();
    assert_eq!(levels().await, expect("read", "404"), "a default lowers the role, and does not apply to guests");
    grant(&world, &outer, json!("comment"), &[&guest]).await;
    assert_eq!(levels().await, expect("read", "comment"));
    world.ada.patch(&inner, json!({"defaultLevel": null})).await.ok();
    assert_eq!(levels().await, expect("404", "404"), "no access, and the guest has access to the outer one only");
    grant(&world, &inner, json!("review"), &[&member, &guest]).await;
    assert_eq!(levels().await, expect("review", "review"));
    world.ada.patch(&path, json!({"defaultLevel": "comment"})).await.ok();
    assert_eq!(levels().await, expect("comment", "404"), "the default of the space counts, for members only");
    grant(&world, &path, json!("create"), &[&guest]).await;
    grant(&world, &path, json!(null), &[&member]).await;
    assert_eq!(levels().await, expect("404", "create"), "a grant denies access");
    assert_eq!(level(&world.ada, &space).await, "create", "an administrator is never lowered");
    assert_eq!(withdraw(&world.ada, &format!("{path}/permissions/users/{}", member.id())).await, 205);
    assert_eq!(levels().await, expect("comment", "create"));
}

#[acceptance::test]
async fn lists_contain_what_single_reads_show(world: World) {
    let (member, guest) = (world.member("mia", Some(Role::Read)).await, world.member("gus", None).await);
    let open = world.collection(json!({"title": "open"})).await;
    let shut = world.collection(json!({"title": "shut"})).await;
    let nested = world.collection(json!({"title": "nested", "parent": shut})).await;
    world.ada.patch(&format!("/collections/{shut}"), json!({"defaultLevel": null})).await.ok();
    grant(&world, &format!("/collections/{nested}"), json!("read"), &[&guest]).await;
    let mut all = Vec::new();
    for parent in [None, Some(&open), Some(&shut), Some(&nested)] {
        for default in [json!("inherit"), json!(null), json!("edit")] {
            for granted in [None, Some(json!("read")), Some(json!(null))] {
                let made = world.space(json!({"title": "s", "parent": parent})).await;
                let path = format!("/spaces/{made}");
                world.ada.patch(&path, json!({"defaultLevel": default})).await.ok();
                if let Some(role) = granted {
                    grant(&world, &path, role, &[&member, &guest]).await;
                }
                all.push(made);
            }
        }
    }
    for caller in [&member, &guest, &world.ada] {
        let listed = caller.get(&world.org("/spaces?limit=1000")).await.ok();
        let mut listed: Vec<&str> = listed.list("items").iter().map(|s| s.id()).collect();
        let mut seen = Vec::new();
        for space in &all {
            if level(caller, space).await != "404" {
                seen.push(space.as_str());
            }
        }
        // They are listed in the order of their siblings.
        listed.sort_unstable();
        seen.sort_unstable();
        assert_eq!(listed, seen);
        for item in caller.get(&world.org("/spaces?limit=1000")).await.ok().list("items") {
            let single = caller.get(&format!("/spaces/{}", item.id())).await.ok();
            assert_eq!(*item, single, "the permissions are the same");
            leads_nowhere_hidden(caller, item).await;
        }
        let collections = caller.get(&world.org("/collections")).await.ok();
        for item in collections.list("items") {
            let single = caller.get(&format!("/collections/{}", item.id())).await.ok();
            assert_eq!(*item, single);
            leads_nowhere_hidden(caller, item).await;
        }
    }
    let nested = format!("/collections/{nested}");
    assert_eq!(world.ada.get(&nested).await.ok()["parent"], shut.as_str());
    assert_eq!(guest.get(&nested).await.ok().get("parent"), None, "a hidden parent is not revealed");
    let titles = |list: Value| {
        let items = list.list("items").to_vec();
        items.iter().map(|item| item.text("title").to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(titles(member.get(&world.org("/collections")).await.ok()), ["open"]);
    assert_eq!(titles(guest.get(&world.org("/collections")).await.ok()), ["nested"]);
    assert_eq!(
        titles(guest.get(&world.org("/collections?nested=false")).await.ok()),
        ["nested"],
        "as far up as they see"
    );
    assert_eq!(titles(member.get(&world.org("/collections?nested=false")).await.ok()), ["open"]);
    assert_eq!(titles(world.ada.get(&world.org("/collections?nested=false")).await.ok()), ["open", "shut"]);
}

#[acceptance::test]
async fn callers_give_and_take_at_most_their_own_level(world: World) {
    let creator = world.member("carl", Some(Role::Create)).await;
    let (rita, gus) = (world.member("rita", Some(Role::Read)).await, world.member("gus", None).await);
    let space = format!("/spaces/{}", world.space(json!({"title": "s"})).await);
    let body = |role: &str| json!({"role": role, "users": [rita.id()]});
    let message = creator.post(&format!("{space}/permissions"), body("admin")).await.error(403);
    assert!(message.starts_with("role:"), "{message}");
    creator.post(&format!("{space}/permissions"), body("create")).await.expect(204);
    let theirs = format!("{space}/permissions/users/{}", rita.id());
    creator.patch(&theirs, json!({"role": "admin"})).await.error(403);
    grant(&world, &space, json!("admin"), &[&rita]).await;
    creator.patch(&theirs, json!({"role": "read"})).await.error(403);
    creator.post(&format!("{space}/permissions"), body("read")).await.error(403);
    assert_eq!(withdraw(&creator, &theirs).await, 403);
    creator.patch(&space, json!({"defaultLevel": "admin"})).await.error(403);
    world.ada.patch(&space, json!({"defaultLevel": "admin"})).await.ok();
    gus.get(&format!("{space}/permissions/users")).await.error(404);
    world.ada.patch(&space, json!({"defaultLevel": "inherit"})).await.ok();
    // A caller who sets the default to no access gets a grant of their own, which is listed.
    creator.patch(&space, json!({"defaultLevel": null})).await.ok();
    let kept = world.ada.get(&format!("{space}/permissions/users")).await.ok();
    let kept: Vec<_> = kept.list("items").iter().map(|i| (&i["user"]["id"], &i["permission"])).collect();
    assert_eq!(kept, [(&json!(creator.id()), &json!("create")), (&json!(rita.id()), &json!("admin"))]);
}

#[acceptance::test]
async fn a_grant_is_only_for_members_of_the_organization(world: World) {
    let (rita, stranger) = (world.member("rita", Some(Role::Read)).await, world.stranger("sam").await);
    let place = format!("/spaces/{}", world.space(json!({"title": "s"})).await);
    let path = format!("{place}/permissions");
    let refused = [
        (json!({"role": "edit", "users": [stranger.id()]}), 404),
        (json!({"role": "edit", "users": [rita.id(), "nobody"]}), 404),
        (json!({"role": "edit", "teams": ["nobody"]}), 404),
        (json!({"role": "edit"}), 400),
        (json!({"role": "edit", "users": []}), 400),
        (json!({"users": [rita.id()]}), 400),
        (json!({"role": "owner", "users": [rita.id()]}), 400),
        (json!({"role": "edit", "users": vec!["u"; 1001]}), 400),
    ];
    for (body, status) in refused {
        world.ada.post(&path, body).await.error(status);
    }
    assert_eq!(world.ada.get(&format!("{path}/users")).await.ok()["items"], json!([]), "nothing was partly written");
    let theirs = format!("{path}/users/{}", rita.id());
    world.ada.patch(&theirs, json!({"role": "edit"})).await.error(404);
    assert_eq!(withdraw(&world.ada, &theirs).await, 204);
    world.ada.post(&path, json!({"role": "edit", "users": [rita.id()]})).await.expect(204);
    world.ada.patch(&theirs, json!({})).await.expect(204);
    world.ada.patch(&theirs, json!({"role": null})).await.expect(204);
    let listed = world.ada.get(&format!("{path}/users")).await.ok();
    assert_eq!(
        (&listed["items"][0]["permission"], &listed["items"][0]["user"]["id"]),
        (&Value::Null, &json!(rita.id()))
    );
    assert_eq!(withdraw(&world.ada, &theirs).await, 205);
    assert_eq!(withdraw(&world.ada, &theirs).await, 204);
}

#[acceptance::test]
async fn everybody_with_access_is_listed_with_the_role_in_force(world: World) {
    let edit = world.member("edit", Some(Role::Edit)).await;
    let (guest, shut) = (world.member("gus", None).await, world.member("shut", Some(Role::Create)).await);
    world.member("outside", None).await;
    let shelf = world.collection(json!({"title": "shelf"})).await;
    let place = format!("/spaces/{}", world.space(json!({"title": "s", "parent": shelf})).await);
    grant(&world, &format!("/collections/{shelf}"), json!("comment"), &[&guest]).await;
    grant(&world, &place, json!(null), &[&shut]).await;
    let listed = world.ada.get(&format!("{place}/permissions/aggregate")).await.ok();
    let mut found: Vec<(String, String)> = listed
        .list("items")
        .iter()
        .map(|item| (item["user"].id().to_owned(), item.text("permission").to_owned()))
        .collect();
    found.sort();
    let mut expected = [(&world.ada, "admin"), (&edit, "edit"), (&guest, "comment")]
        .map(|(who, role)| (who.id().to_owned(), role.to_owned()));
    expected.sort();
    assert_eq!(found, expected);
    let only = world.ada.get(&format!("{place}/permissions/aggregate?role=edit")).await.ok();
    assert_eq!(only.list("items").len(), 1);
    let first = world.ada.get(&format!("{place}/permissions/aggregate?limit=2")).await.ok();
    let next = first["next"].text("page");
    let rest = world.ada.get(&format!("{place}/permissions/aggregate?limit=2&page={next}")).await.ok();
    assert_eq!((first.list("items").len(), rest.list("items").len()), (2, 1));
    let guests = world.ada.get(&format!("{place}/permissions/aggregate?role=guest")).await.ok();
    assert_eq!((&guests["items"], &guests["count"]), (&json!([]), &json!(0)), "who has access has a role");
    let message = world.ada.get(&format!("{place}/permissions/aggregate?role=owner")).await.error(400);
    assert!(message.starts_with("role: must be one of admin, create, "), "{message}");
    let named = world.ada.get(&format!("{place}/permissions/aggregate?search=EDIT")).await.ok();
    assert_eq!(named.list("items")[0]["user"].id(), edit.id());
    assert_eq!(named.list("items").len(), 1);
    let team = json!({"title": "Writers", "members": [edit.id(), shut.id()]});
    let team = world.ada.put(&world.org("/teams"), team).await.id().to_owned();
    let writers = world.ada.get(&format!("{place}/permissions/aggregate?team={team}")).await.ok();
    let writers: Vec<&str> = writers.list("items").iter().map(|item| item["user"].id()).collect();
    assert_eq!(writers, [edit.id()]);
    world.ada.get(&format!("{place}/permissions/aggregate?team=nothing")).await.error(404);
    grant(&world, &place, json!("create"), &[&guest]).await;
    let addresses = async |caller: &Caller| {
        let listed = caller.get(&format!("{place}/permissions/users")).await.ok();
        let with_address = listed.list("items").iter().filter(|item| item["user"].get("email").is_some());
        with_address.map(|item| item["user"].id().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(addresses(&guest).await, [guest.id()], "guests see no address but their own");
    assert!(addresses(&world.ada).await.len() > 1);
    guest.get(&format!("{place}/permissions/aggregate")).await.error(403);
}

#[acceptance::test]
async fn a_manager_of_a_collection_creates_spaces_only_in_it(world: World) {
    let guest = world.member("gus", None).await;
    let shelf = world.collection(json!({"title": "shelf"})).await;
    guest.post(&world.org("/spaces"), json!({"parent": shelf})).await.error(403);
    grant(&world, &format!("/collections/{shelf}"), json!("create"), &[&guest]).await;
    let made = guest.post(&world.org("/spaces"), json!({"title": "mine", "parent": shelf})).await.expect(201);
    assert_eq!(made["permissions"]["admin"], true);
    guest.post(&world.org("/spaces"), json!({"title": "top"})).await.error(403);
    guest.post(&world.org("/collections"), json!({"parent": shelf})).await.expect(201);
    let out = format!("/spaces/{}/move", made.id());
    guest.post(&out, json!({"parent": null})).await.error(403);
}

#[acceptance::test]
async fn the_best_team_counts_after_names_and_before_defaults(world: World) {
    let (mia, gus) = (world.member("mia", Some(Role::Create)).await, world.member("gus", None).await);
    let mut teams = Vec::new();
    for (title, members) in [("one", vec![mia.id(), gus.id()]), ("two", vec![mia.id()])] {
        let team = world.ada.put(&world.org("/teams"), json!({"title": title, "members": members})).await.expect(201);
        teams.push(team.id().to_owned());
    }
    let made = world.space(json!({"title": "s"})).await;
    let place = format!("/spaces/{made}");
    let path = format!("{place}/permissions");
    world.ada.patch(&place, json!({"defaultLevel": "edit"})).await.ok();
    world.ada.post(&path, json!({"role": "read", "teams": [teams[0]]})).await.expect(204);
    world.ada.post(&path, json!({"role": "comment", "teams": [teams[1]]})).await.expect(204);
    assert_eq!((level(&mia, &made).await, level(&gus, &made).await), ("comment".to_owned(), "read".to_owned()));
    let listed = world.ada.get(&format!("{path}/teams")).await.ok();
    let found: Vec<_> = listed.list("items").iter().map(|i| (&i["team"]["title"], &i["permission"])).collect();
    assert_eq!(found, [(&json!("one"), &json!("read")), (&json!("two"), &json!("comment"))]);
    let everybody = world.ada.get(&format!("{path}/aggregate?role=comment")).await.ok();
    assert_eq!(everybody["items"][0]["user"]["id"], mia.id());
    for caller in [&mia, &gus] {
        assert_eq!(caller.get(&world.org("/spaces")).await.ok().list("items").len(), 1);
    }
    world.ada.patch(&format!("{path}/teams/{}", teams[0]), json!({"role": null})).await.expect(204);
    assert_eq!((level(&mia, &made).await, level(&gus, &made).await), ("comment".to_owned(), "404".to_owned()));
    assert_eq!(gus.get(&world.org("/spaces")).await.ok()["items"], json!([]));
    grant(&world, &place, json!("review"), &[&mia]).await;
    assert_eq!(level(&mia, &made).await, "review", "a user's grant counts before a team's");
    assert_eq!(withdraw(&world.ada, &format!("{path}/users/{}", mia.id())).await, 205);
    assert_eq!(withdraw(&world.ada, &format!("{path}/teams/{}", teams[1])).await, 205);
    assert_eq!(withdraw(&world.ada, &world.org(&format!("/teams/{}", teams[0]))).await, 205);
    assert_eq!(level(&mia, &made).await, "edit", "a team's grants are deleted with it");
}
