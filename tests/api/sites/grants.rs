//! Grants on sites, and what they mean for the spaces on them.
use super::site;
use acceptance::{Caller, Fields, World};
use domain::access::Role;
use serde_json::json;

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
async fn who_reads_a_space_of_a_site_reads_the_site(world: World) {
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

#[acceptance::test]
async fn nobody_gives_more_on_a_site_than_they_have(world: World) {
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
