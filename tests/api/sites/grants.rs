//! Grants on sites, and what they mean for the spaces on them.
use super::site;
use acceptance::{Caller, Fields, World};
use chrono::TimeDelta;
use domain::access::Role;
use serde_json::{Value, json};

fn id(caller: &Caller) -> String {
    caller.user.as_ref().unwrap().to_string()
}

#[acceptance::test]
async fn a_role_on_a_site_holds_for_the_spaces_on_it_that_have_no_rule_of_their_own(world: World) {
    let open = world.space(json!({"title": "Open"})).await;
    let closed = world.space(json!({"title": "Closed", })).await;
    world.ada.patch(&format!("/spaces/{closed}"), json!({"defaultLevel": null})).await.ok();
    let path = site(&world, json!({"title": "Docs", "spaces": [open.as_str(), closed.as_str()]})).await;
    let gus = world.member("gus", None).await;
    gus.get(&path).await.error(404);
    world.ada.post(&format!("{path}/permissions"), json!({"role": "edit", "users": [id(&gus)]})).await.expect(204);
    assert_eq!(gus.get(&path).await.ok()["permissions"]["edit"], true);
    assert_eq!(gus.get(&format!("/spaces/{open}")).await.ok()["permissions"]["edit"], true);
    gus.get(&format!("/spaces/{closed}")).await.error(404);
    let listed = gus.get(&world.org("/spaces")).await.ok();
    assert_eq!(listed.list("items").iter().map(|space| space.id()).collect::<Vec<_>>(), [open.as_str()]);
    let everybody = world.ada.get(&format!("/spaces/{open}/permissions/aggregate?role=edit")).await.ok();
    assert_eq!(everybody["items"][0]["user"].id(), id(&gus));

    let lower = json!({"role": null});
    world.ada.patch(&format!("{path}/permissions/users/{}", id(&gus)), lower).await.expect(204);
    gus.get(&path).await.error(404);
    gus.get(&format!("/spaces/{open}")).await.error(404);
    assert_eq!(gus.get(&world.org("/spaces")).await.ok()["count"], 0);
}

#[acceptance::test]
async fn the_highest_of_several_sites_counts_and_a_space_off_the_site_is_as_before(world: World) {
    let space = world.space(json!({"title": "Guide"})).await;
    let body = json!({"title": "Docs", "spaces": [space.as_str()]});
    let (one, two) = (site(&world, body.clone()).await, site(&world, body).await);
    let rita = world.member("rita", Some(Role::Read)).await;
    let comments = async || rita.get(&format!("/spaces/{space}")).await.ok()["permissions"]["comment"] == true;
    assert!(!comments().await);
    world.ada.patch(&one, json!({"defaultLevel": "comment"})).await.ok();
    assert!(comments().await);
    world.ada.patch(&two, json!({"defaultLevel": "read"})).await.ok();
    assert!(comments().await, "the other site is lower");
    let link = world.ada.get(&format!("{one}/site-spaces")).await.ok()["items"][0].id().to_owned();
    world.ada.delete(&format!("{one}/site-spaces/{link}")).await;
    assert!(!comments().await, "it is off the site");
    world.ada.patch(&two, json!({"defaultLevel": null})).await.ok();
    rita.get(&format!("/spaces/{space}")).await.error(404);
    rita.get(&two).await.error(404);
    assert_eq!(rita.get(&one).await.ok()["permissions"]["view"], true);
}

#[acceptance::test]
async fn readers_of_a_space_of_a_site_read_the_site(world: World) {
    let space = world.space(json!({"title": "Guide"})).await;
    let path = site(&world, json!({"title": "Docs", "spaces": [space.as_str()]})).await;
    let gus = world.member("gus", None).await;
    assert_eq!(gus.get(&world.org("/sites")).await.ok()["count"], 0);
    let grant = json!({"role": "read", "users": [id(&gus)]});
    world.ada.post(&format!("/spaces/{space}/permissions"), grant).await.expect(204);
    assert_eq!(gus.get(&path).await.ok()["permissions"]["view"], true);
    assert_eq!(gus.get(&world.org("/sites")).await.ok()["count"], 1);
    let denied = json!({"role": null, "users": [id(&gus)]});
    world.ada.post(&format!("{path}/permissions"), denied).await.expect(204);
    gus.get(&path).await.error(404);
    assert_eq!(gus.get(&world.org("/sites")).await.ok()["count"], 0);
}

/// The users with access to a site: names, and where their roles come from.
async fn everybody(caller: &Caller, path: &str, query: &str) -> Vec<(String, Value)> {
    let list = caller.get(&format!("{path}/permissions/aggregate?{query}")).await.ok();
    let items = list.list("items").iter();
    items.map(|item| (item["user"].text("displayName").to_owned(), item["origin"].clone())).collect()
}

async fn names(caller: &Caller, path: &str, query: &str) -> String {
    everybody(caller, path, query).await.into_iter().map(|(name, _)| name).collect::<Vec<_>>().join(" ")
}

#[acceptance::test]
async fn users_with_access_to_a_site_are_listed_with_the_origin_of_their_role(world: World) {
    let (open, closed) = (world.space(json!({"title": "Open"})).await, world.space(json!({"title": "Closed"})).await);
    let path = site(&world, json!({"title": "Docs", "spaces": [closed.as_str(), open.as_str()]})).await;
    let guests = ["bea", "cem", "dan", "eva"];
    let mut found = Vec::new();
    for name in guests {
        found.push(world.member(name, None).await);
    }
    let [bea, cem, dan, eva] = found.try_into().unwrap_or_else(|_| panic!("four guests"));
    let team = world.team(json!({"title": "Writers", "members": [id(&cem)]})).await;
    let other = world.team(json!({"title": "Readers", "members": [id(&cem)]})).await;
    let post = async |at: &str, body: Value| world.ada.post(&format!("{at}/permissions"), body).await.expect(204);
    post(&path, json!({"role": "read", "teams": [other]})).await;
    post(&path, json!({"role": "edit", "teams": [team]})).await;
    post(&format!("/spaces/{open}"), json!({"role": "read", "users": [id(&bea), id(&dan)]})).await;
    post(&format!("/spaces/{closed}"), json!({"role": "edit", "users": [id(&bea), id(&eva)]})).await;
    post(&path, json!({"role": null, "users": [id(&dan)]})).await;
    let site_id = path.rsplit('/').next().unwrap();
    let organization = json!({"type": "organization", "organization": world.organization.as_str()});
    let by_space = |space: &str| json!({"type": "space", "space": space});
    let by_team = json!({"type": "site", "site": site_id, "reason": "team", "team": team});
    let expected = [
        ("Administrator", organization),
        ("bea", by_space(closed.as_str())),
        ("cem", by_team),
        ("eva", by_space(closed.as_str())),
    ];
    let expected = expected.map(|(name, origin)| (name.to_owned(), origin));
    assert_eq!(everybody(&world.ada, &path, "sort=name&order=asc").await, expected, "dan is denied");
    assert_eq!(names(&world.ada, &path, "sort=name&order=asc&role=read").await, "bea eva");
    assert_eq!(names(&world.ada, &path, &format!("team={team}")).await, "cem");
    for guest in [&bea, &eva] {
        assert_eq!(guest.get(&path).await.ok()["permissions"]["view"], true);
    }
    dan.get(&path).await.error(404);

    // A caller who may not read a space does not get its id.
    let kim = world.member("kim", Some(Role::Create)).await;
    post(&format!("/spaces/{closed}"), json!({"role": null, "users": [id(&kim)]})).await;
    let told = everybody(&kim, &path, "sort=name&order=asc&role=read").await;
    assert_eq!(told, [("bea".to_owned(), by_space(open.as_str())), ("eva".to_owned(), json!({"type": "space"}))]);

    // A default level holds for members, not for guests.
    world.member("leo", Some(Role::Read)).await;
    world.ada.patch(&path, json!({"defaultLevel": "review"})).await.ok();
    let by_default = json!({"type": "site", "site": site_id, "reason": "default"});
    let told = everybody(&world.ada, &path, "sort=name&order=asc&role=review").await;
    assert_eq!(told, ["kim", "leo"].map(|name| (name.to_owned(), by_default.clone())));
}

#[acceptance::test]
async fn the_list_of_users_with_access_is_sorted_and_costs_the_same_at_any_size(world: World) {
    let space = world.space(json!({"title": "Guide"})).await;
    let path = site(&world, json!({"title": "Docs", "spaces": [space.as_str()]})).await;
    for name in ["zoe", "bob"] {
        world.clock.advance(TimeDelta::minutes(1));
        world.member(name, Some(Role::Read)).await;
    }
    let mia = world.member("mia", None).await;
    let grant = json!({"role": "read", "users": [id(&mia)]});
    world.ada.post(&format!("/spaces/{space}/permissions"), grant).await.expect(204);
    let names = async |query: &str| names(&world.ada, &path, query).await;
    assert_eq!(names("sort=name&order=asc").await, "Administrator bob mia zoe");
    assert_eq!(names("sort=name").await, "zoe mia bob Administrator");
    assert_eq!(names("sort=joinedAt&order=asc").await.split(' ').next(), Some("Administrator"));
    let newest = names("").await;
    assert_eq!(names("sort=joinedAt&order=desc").await, newest);
    assert!(newest.ends_with("zoe Administrator"), "{newest}");
    world.ada.post(&world.org("/ping"), json!({})).await.ok();
    let seen = names("sort=lastSeenAt").await;
    assert!(seen.starts_with("Administrator "), "only ada was seen: {seen}");
    assert_eq!(seen.split(' ').count(), 4, "who was never seen is listed, too");
    world.ada.get(&format!("{path}/permissions/aggregate?sort=age")).await.error(400);

    let first = world.ada.get(&format!("{path}/permissions/aggregate?sort=name&limit=3")).await.ok();
    let next = first["next"].text("page").to_owned();
    assert_eq!(self::names(&world.ada, &path, &format!("sort=name&limit=3&page={next}")).await, "Administrator");

    let mut few = 0;
    for at in 0..8 {
        if at == 2 {
            few = world.counted(names("sort=name")).await.1;
        }
        let collection = world.collection(json!({"title": format!("C{at}")})).await;
        let more = world.space(json!({"title": format!("S{at}"), "parent": collection})).await;
        world.ada.post(&format!("{path}/site-spaces"), json!({"spaceId": more.as_str()})).await.expect(201);
        let guest = world.member(&format!("guest{at}"), None).await;
        let grant = json!({"role": "read", "users": [id(&guest)]});
        world.ada.post(&format!("/collections/{collection}/permissions"), grant).await.expect(204);
    }
    let (found, many) = world.counted(names("sort=name")).await;
    assert_eq!((found.split(' ').count(), many), (12, few));
}

#[acceptance::test]
async fn users_with_access_to_a_site_are_listed_exactly_if_they_can_read_it(world: World) {
    let outer = world.collection(json!({"title": "outer"})).await;
    let inner = world.collection(json!({"title": "inner", "parent": outer})).await;
    let top = world.space(json!({"title": "top"})).await;
    let nested = world.space(json!({"title": "nested", "parent": inner})).await;
    let body = json!({"title": "Docs", "spaces": [top.as_str(), nested.as_str()]});
    let path = site(&world, body).await;
    let other = site(&world, json!({"title": "Other", "spaces": [nested.as_str()]})).await;
    let places = [
        path.clone(),
        other.clone(),
        format!("/spaces/{top}"),
        format!("/spaces/{nested}"),
        format!("/collections/{inner}"),
        format!("/collections/{outer}"),
    ];
    let mut callers = Vec::new();
    for number in 0..24 {
        let role = [None, None, Some(Role::Read)][number % 3];
        callers.push(world.member(&format!("user{number:02}"), role).await);
    }
    // Each place has grants to some users and to a team, of which some deny access.
    for (at, place) in places.iter().enumerate() {
        let users = |first: usize| callers.iter().skip(first + at).step_by(7).map(id).collect::<Vec<_>>();
        let team = world.team(json!({"title": format!("Team {at}"), "members": users(2)})).await;
        let role = if at % 2 == 0 { json!("read") } else { json!(null) };
        for body in [
            json!({"role": "comment", "users": users(0)}),
            json!({"role": null, "users": users(1)}),
            json!({"role": role, "teams": [team]}),
        ] {
            world.ada.post(&format!("{place}/permissions"), body).await.expect(204);
        }
    }
    let set = async |place: &str, level: Value| world.ada.patch(place, json!({"defaultLevel": level})).await.ok();
    for changes in [
        vec![],
        vec![(&path, json!(null))],
        vec![(&places[2], json!(null))],
        vec![(&places[4], json!("read")), (&other, json!(null))],
        vec![(&other, json!("inherit")), (&places[5], json!(null)), (&places[4], json!("inherit"))],
    ] {
        for (place, level) in changes {
            set(place, level).await;
        }
        let mut readers = Vec::new();
        for caller in &callers {
            if caller.get(&path).await.status.as_u16() == 200 {
                readers.push(id(caller));
            }
        }
        readers.push(id(&world.ada));
        readers.sort();
        let mut listed = Vec::new();
        let mut next = String::new();
        loop {
            let page = world.ada.get(&format!("{path}/permissions/aggregate?limit=5{next}")).await.ok();
            listed.extend(page.list("items").iter().map(|item| item["user"].id().to_owned()));
            match page["next"]["page"].as_str() {
                Some(token) => next = format!("&page={token}"),
                None => break,
            }
        }
        listed.sort();
        assert_eq!(listed, readers);
    }
}

#[acceptance::test]
async fn callers_grant_at_most_their_own_level_on_a_site(world: World) {
    let path = site(&world, json!({"title": "Docs"})).await;
    let (cleo, rita) = (world.member("cleo", Some(Role::Create)).await, world.member("rita", Some(Role::Read)).await);
    let grant = |role: &str| json!({"role": role, "users": [id(&rita)]});
    cleo.post(&format!("{path}/permissions"), grant("admin")).await.error(403);
    cleo.post(&format!("{path}/permissions"), grant("create")).await.expect(204);
    rita.post(&format!("{path}/permissions"), grant("admin")).await.error(403);
    let users = cleo.get(&format!("{path}/permissions/users")).await.ok();
    assert_eq!((users["items"][0].text("permission"), users["items"][0]["user"].id()), ("create", id(&rita).as_str()));
    let everybody = world.ada.get(&format!("{path}/permissions/aggregate")).await.ok();
    let origin = |caller: &Caller| {
        let found = everybody.list("items").iter().find(|item| item["user"].id() == id(caller)).cloned();
        found.map(|item| item["origin"].clone())
    };
    let site_id = path.rsplit('/').next().unwrap();
    assert_eq!(origin(&rita), Some(json!({"type": "site", "site": site_id, "reason": "member"})));
    let organization = json!({"type": "organization", "organization": world.organization.as_str()});
    assert_eq!(origin(&cleo), Some(organization));
    assert_eq!(cleo.delete(&format!("{path}/permissions/users/{}", id(&rita))).await.status.as_u16(), 205);
    assert_eq!(cleo.delete(&format!("{path}/permissions/users/{}", id(&rita))).await.status.as_u16(), 204);
}
