//! Teams and their members.
use acceptance::{Caller, Fields, World};
use actix_web::http::Method;
use domain::access::Role;
use serde_json::{Value, json};

async fn team(world: &World, body: Value) -> String {
    let made = world.team(body).await;
    world.org(&format!("/teams/{made}"))
}

/// The members of a team, by name, with their roles in it.
async fn belonging(world: &World, team: &str) -> Vec<(String, String)> {
    let list = world.ada.get(&format!("{team}/members")).await.ok();
    let one = |item: &Value| {
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        (text(&item["organization"]["user"]["displayName"]), text(&item["team"]["role"]))
    };
    let mut found: Vec<_> = list.list("items").iter().map(one).collect();
    found.sort();
    found
}

fn expect(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(name, role)| ((*name).to_owned(), (*role).to_owned())).collect()
}

async fn own(world: &World, team: &str, owner: &Caller) {
    world.ada.put(&format!("{team}/members/{}", owner.id()), json!({"role": "owner"})).await.expect(204);
}

#[acceptance::test]
async fn a_team_is_made_renamed_and_taken_away(world: World) {
    let bob = world.member("bob", None).await;
    let made = world.ada.put(&world.org("/teams"), json!({"title": "Writers", "members": [bob.id(), bob.id()]})).await;
    let location = made.header("location").unwrap().strip_prefix("https://docs.test/v1").unwrap().to_owned();
    let made = made.expect(201);
    assert_eq!((&made["object"], &made["title"]), (&json!("team"), &json!("Writers")));
    assert_eq!((&made["members"], &made["spaces"]), (&json!(1), &json!(0)));
    assert_eq!(made["permissions"], json!({"admin": true, "view": true}));
    assert!(made["createdAt"].is_string() && made["id"].is_string());
    assert_eq!(world.ada.get(&location).await.ok(), made);
    let renamed = world.ada.patch(&location, json!({"title": "Editors"})).await.ok();
    assert_eq!((&renamed["title"], &renamed["id"]), (&json!("Editors"), &made["id"]));
    let gone = world.ada.delete(&location).await;
    assert_eq!((gone.status.as_u16(), gone.bytes.len()), (205, 0));
    assert_eq!(world.ada.delete(&location).await.status, 204);
    world.ada.get(&location).await.error(404);
    world.ada.patch(&location, json!({"title": "x"})).await.error(404);
    assert_eq!(bob.get(&world.org(&format!("/members/{}", bob.id()))).await.ok()["teams"], 0);
}

#[acceptance::test]
#[case::empty(json!({"title": ""}), "title")]
#[case::too_long(json!({"title": "x".repeat(65)}), "title")]
#[case::missing(json!({}), "title")]
#[case::no_text(json!({"title": 7}), "title")]
#[case::a_stranger(json!({"title": "x", "members": ["nobody"]}), "members[0]")]
#[case::no_id(json!({"title": "x", "members": ["a b"]}), "members[0]")]
async fn a_team_that_breaks_a_rule_is_not_made(world: &World, #[case] body: Value, #[case] field: &str) {
    let message = world.ada.put(&world.org("/teams"), body).await.error(400);
    assert!(message.starts_with(field), "{message}");
    assert_eq!(world.ada.get(&world.org("/teams")).await.ok()["items"], json!([]));
}

#[acceptance::test]
#[case(1)]
#[case(64)]
async fn a_title_at_its_edges_is_fine(world: World, #[case] length: usize) {
    let path = team(&world, json!({"title": "é".repeat(length)})).await;
    world.ada.patch(&path, json!({"title": "ü".repeat(length)})).await.ok();
    for body in [json!({"title": ""}), json!({"title": "ü".repeat(65)}), json!({"title": null}), json!({})] {
        world.ada.patch(&path, body).await.error(400);
    }
    assert_eq!(world.ada.get(&path).await.ok()["title"], "ü".repeat(length));
}

#[acceptance::test]
async fn members_of_a_team_are_changed_at_once(world: World) {
    let (bob, rita, gus) = (
        world.member("bob", Some(Role::Edit)).await,
        world.member("rita", Some(Role::Read)).await,
        world.member("gus", None).await,
    );
    let path = team(&world, json!({"title": "Writers"})).await;
    let members = format!("{path}/members");
    world.ada.put(&members, json!({"add": [bob.id(), "RITA@example.org"]})).await.expect(204);
    assert_eq!(belonging(&world, &path).await, expect(&[("bob", "member"), ("rita", "member")]));
    world
        .ada
        .put(&members, json!({"memberships": {bob.id(): {"role": "owner"}, gus.id(): {"role": "member"}}}))
        .await
        .expect(204);
    assert_eq!(belonging(&world, &path).await, expect(&[("bob", "owner"), ("gus", "member"), ("rita", "member")]));
    world.ada.put(&members, json!({"add": [bob.id()]})).await.expect(204);
    assert_eq!(
        belonging(&world, &path).await[0],
        ("bob".to_owned(), "owner".to_owned()),
        "existing members keep their role"
    );
    let both = json!({"add": ["gus@example.org", bob.id()], "remove": [gus.id(), "rita@example.org"],
        "memberships": {rita.id(): {"role": "owner"}}});
    world.ada.put(&members, both).await.expect(204);
    assert_eq!(belonging(&world, &path).await, expect(&[("bob", "owner")]), "removal takes precedence");
    world.ada.put(&members, json!({})).await.expect(204);
    assert_eq!(world.ada.get(&path).await.ok()["members"], 1);
}

#[acceptance::test]
#[case(json!({"add": ["{bob}", "nobody"]}), "add[1]")]
#[case(json!({"add": ["{bob}"], "remove": ["eve@example.org"]}), "remove[0]")]
#[case(json!({"add": ["{bob}", "x@"]}), "add[1]")]
#[case(json!({"memberships": {"{bob}": {"role": "king"}}}), "memberships.")]
#[case(json!({"memberships": {"nobody": {"role": "owner"}}}), "memberships.nobody")]
#[case(json!({"add": "{bob}"}), "add")]
async fn users_who_are_no_members_are_named_and_nothing_changes(
    world: World,
    #[case] body: Value,
    #[case] field: &str,
) {
    let (bob, _eve) = (world.member("bob", None).await, world.stranger("eve").await);
    let path = team(&world, json!({"title": "Writers"})).await;
    let body = serde_json::from_str(&body.to_string().replace("{bob}", bob.id())).unwrap();
    let message = world.ada.put(&format!("{path}/members"), body).await.error(400);
    assert!(message.starts_with(field), "{message}");
    assert_eq!(belonging(&world, &path).await, expect(&[]));
}

#[acceptance::test]
#[case(1000, 204)]
#[case(1001, 400)]
async fn a_request_names_a_thousand_users(world: World, #[case] number: usize, #[case] status: u16) {
    let (bob, eve) = (world.member("bob", None).await, world.member("eve", None).await);
    let path = team(&world, json!({"title": "Writers", "members": [bob.id()]})).await;
    let body = json!({"add": vec![eve.id(); number - 1], "remove": [bob.id()]});
    world.ada.put(&format!("{path}/members"), body).await.expect(status);
    let stored = if status == 204 { "eve" } else { "bob" };
    assert_eq!(belonging(&world, &path).await, expect(&[(stored, "member")]));
}

#[acceptance::test]
async fn one_member_is_put_in_given_a_role_and_taken_out(world: World) {
    let bob = world.member("bob", None).await;
    let path = team(&world, json!({"title": "Writers"})).await;
    let one = format!("{path}/members/{}", bob.id());
    world.ada.send(Method::PUT, &one, |request| request).await.expect(204);
    assert_eq!(belonging(&world, &path).await, expect(&[("bob", "member")]));
    world.ada.put(&one, json!({"role": "owner"})).await.expect(204);
    assert_eq!(belonging(&world, &path).await, expect(&[("bob", "owner")]));
    world.ada.put(&one, json!({})).await.expect(204);
    assert_eq!(
        belonging(&world, &path).await,
        expect(&[("bob", "owner")]),
        "without a role, the existing role is kept"
    );
    world.ada.put(&one, json!({"role": "member"})).await.expect(204);
    assert_eq!(belonging(&world, &path).await, expect(&[("bob", "member")]));
    for body in [json!({"role": "king"}), json!({"role": null})] {
        world.ada.put(&one, body).await.error(400);
    }
    world.ada.put(&format!("{path}/members/nobody"), json!({})).await.error(404);
    assert_eq!(world.ada.delete(&one).await.status, 205);
    assert_eq!(world.ada.delete(&one).await.status, 204);
}

#[acceptance::test]
async fn owners_manage_their_own_team_and_nothing_else(world: World) {
    let (olga, rita, gus) = (
        world.member("olga", Some(Role::Read)).await,
        world.member("rita", Some(Role::Read)).await,
        world.member("gus", None).await,
    );
    let (path, other) = (team(&world, json!({"title": "Hers"})).await, team(&world, json!({"title": "Other"})).await);
    assert_eq!(olga.get(&world.org("")).await.ok()["permissions"]["ownTeam"], false);
    own(&world, &path, &olga).await;
    assert_eq!(olga.get(&world.org("")).await.ok()["permissions"]["ownTeam"], true);
    assert_eq!(olga.get("/orgs").await.ok()["items"][0]["permissions"]["ownTeam"], true);
    assert_eq!(rita.get(&world.org("")).await.ok()["permissions"]["ownTeam"], false);
    let seen = |caller: &Caller| {
        let (caller, path, other) = (caller.clone(), path.clone(), other.clone());
        async move {
            (
                caller.get(&path).await.ok()["permissions"]["admin"].clone(),
                caller.get(&other).await.ok()["permissions"]["admin"].clone(),
            )
        }
    };
    assert_eq!(seen(&olga).await, (json!(true), json!(false)));
    assert_eq!(seen(&rita).await, (json!(false), json!(false)));
    olga.patch(&path, json!({"title": "Ours"})).await.ok();
    olga.put(&format!("{path}/members"), json!({"add": [rita.id(), gus.id()]})).await.expect(204);
    olga.put(&format!("{path}/members/{}", rita.id()), json!({"role": "owner"})).await.expect(204);
    assert_eq!(olga.delete(&format!("{path}/members/{}", gus.id())).await.status, 205);
    olga.delete(&path).await.error(403);
    olga.put(&world.org("/teams"), json!({"title": "Another"})).await.error(403);
    olga.patch(&other, json!({"title": "Mine"})).await.error(403);
    olga.put(&format!("{other}/members"), json!({"add": [olga.id()]})).await.error(403);
    olga.put(&format!("{other}/members/{}", olga.id()), json!({"role": "owner"})).await.error(403);
    olga.delete(&format!("{other}/members/{}", olga.id())).await.error(403);
    olga.patch(&world.org(&format!("/members/{}", rita.id())), json!({"role": "edit"})).await.error(403);
    olga.patch(&world.org(""), json!({"title": "Mine"})).await.error(403);
    // A member of a team who does not own it can change nothing.
    olga.put(&format!("{path}/members"), json!({"memberships": {rita.id(): {"role": "member"}}})).await.expect(204);
    rita.patch(&path, json!({"title": "Mine"})).await.error(403);
    rita.put(&format!("{path}/members/{}", rita.id()), json!({"role": "owner"})).await.error(403);
}

#[acceptance::test]
async fn guests_see_their_own_teams_without_other_members(world: World) {
    let gus = world.member("gus", None).await;
    let (path, other) = (team(&world, json!({"title": "His"})).await, team(&world, json!({"title": "Other"})).await);
    let hidden = gus.get(&path).await.error(403);
    assert_eq!(
        gus.get(&world.org("/teams/nobody")).await.error(403),
        hidden,
        "the response does not reveal whether it exists"
    );
    own(&world, &path, &gus).await;
    assert_eq!(gus.get(&path).await.ok()["permissions"], json!({"admin": true, "view": true}));
    gus.get(&other).await.error(403);
    gus.get(&format!("{path}/members")).await.error(403);
    gus.get(&world.org("/teams")).await.error(403);
    let bob = world.member("bob", Some(Role::Read)).await;
    for address in ["bob@example.org", "nobody@example.org"] {
        for change in [
            json!({"add": [address]}),
            json!({"remove": [address]}),
            json!({"memberships": {address: {"role": "member"}}}),
        ] {
            gus.put(&format!("{path}/members"), change).await.error(403);
        }
    }
    gus.put(&format!("{path}/members"), json!({"add": [bob.id()]})).await.expect(204);
    let list = gus.get(&world.org(&format!("/members/{}/teams", gus.id()))).await.ok();
    assert_eq!(
        (&list["items"][0]["team"]["title"], &list["items"][0]["member"]["role"]),
        (&json!("His"), &json!("owner"))
    );
    assert_eq!(gus.get(&world.org("")).await.ok()["permissions"]["ownTeam"], true);
}

#[acceptance::test]
async fn teams_are_found_by_owner_member_and_title(world: World) {
    let bob = world.member("bob", Some(Role::Read)).await;
    let mut paths = Vec::new();
    for title in ["Élan Writers", "readers", "100% done"] {
        paths.push(team(&world, json!({"title": title, "members": [bob.id()]})).await);
    }
    own(&world, &paths[1], &bob).await;
    world.ada.delete(&format!("{}/members/{}", paths[2], bob.id())).await;
    let titles = async |path: String| {
        let list = bob.get(&path).await.ok();
        let title = |item: &Value| item.get("team").unwrap_or(item).text("title").to_owned();
        list.list("items").iter().map(title).collect::<Vec<_>>()
    };
    let all = |query: &str| titles(world.org(&format!("/teams{query}")));
    assert_eq!(all("").await, ["Élan Writers", "readers", "100% done"], "oldest first");
    assert_eq!(all(&format!("?owner={}", bob.id())).await, ["readers"]);
    assert_eq!(all(&format!("?owner={}", world.ada.id())).await, Vec::<String>::new());
    assert_eq!(all("?title=%C3%A9LAN").await, ["Élan Writers"]);
    assert_eq!(all("?title=ERS").await, ["Élan Writers", "readers"]);
    assert_eq!(all("?title=%25").await, ["100% done"], "% is not a wildcard");
    let own = |query: &str| titles(world.org(&format!("/members/{}/teams{query}", bob.id())));
    assert_eq!(own("").await, ["Élan Writers", "readers"]);
    assert_eq!(own("?title=READ").await, ["readers"]);
    assert_eq!(own("?limit=1").await, ["Élan Writers"]);
}

#[acceptance::test]
async fn a_team_of_another_organization_is_not_found(world: World) {
    let eve = world.stranger("eve").await;
    let other = eve.post("/orgs", json!({"title": "Eve's"})).await.id();
    let path = team(&world, json!({"title": "Writers", "members": [world.ada.id()]})).await;
    let id = path.rsplit_once('/').unwrap().1;
    let foreign = format!("/orgs/{other}/teams/{id}");
    eve.get(&foreign).await.error(404);
    eve.patch(&foreign, json!({"title": "Mine"})).await.error(404);
    assert_eq!(eve.delete(&foreign).await.status, 204);
    eve.get(&format!("{foreign}/members")).await.error(404);
    eve.put(&format!("{foreign}/members"), json!({"add": [eve.id()]})).await.error(404);
    eve.put(&format!("{foreign}/members/{}", eve.id()), json!({})).await.error(404);
    eve.delete(&format!("{foreign}/members/{}", world.ada.id())).await.error(404);
    for answer in [eve.get(&path).await, eve.patch(&path, json!({"title": "x"})).await, eve.delete(&path).await] {
        answer.error(404);
    }
    assert_eq!(world.ada.get(&path).await.ok()["title"], "Writers");
}
