//! Members: reading, roles, joining and leaving.
use super::races::at_once;
use acceptance::{Caller, Fields, Fixture, World};
use domain::access::{Membership, Role};
use domain::actor::Actor;
use domain::paging::PageRequest;
use domain::patch::Patch;
use domain::ports::store::members::MemberFilter;
use domain::usecases::members::MemberPatch;
use domain::usecases::{Error, Precondition};
use serde_json::{Value, json};

/// The number of rounds of each race.
const ROUNDS: usize = 10;

fn path(world: &World, of: &Caller) -> String {
    world.org(&format!("/members/{}", of.id()))
}

/// The names of the members on a list.
fn names(list: &Value) -> Vec<&str> {
    let items = list.list("items").iter();
    items.map(|member| member["user"].text("displayName")).collect()
}

/// The actor of a caller.
async fn actor(world: &World, caller: &Caller) -> Actor {
    let user = caller.user.clone().unwrap();
    let tokens = world.services.accounts.tokens(&Actor::Operator, Some(&user), &Default::default()).await.unwrap();
    Actor::of(user, tokens.items[0].id.clone())
}

async fn disable(world: &World, caller: &Caller, disabled: bool) -> Result<(), Error> {
    let patch = MemberPatch { disabled: Some(disabled), ..MemberPatch::default() };
    let user = caller.user.as_ref().unwrap();
    world
        .services
        .members
        .update(&Actor::Operator, &world.organization, user, Precondition::none(), patch.into())
        .await
        .map(drop)
}

#[acceptance::test]
async fn a_member_carries_all_that_clients_need(world: World) {
    let guest = world.member("gus", None).await;
    let member = world.ada.get(&path(&world, &guest)).await.ok();
    assert_eq!(member["object"], "member");
    assert_eq!((&member["id"], &member["user"]["id"]), (&json!(guest.id()), &json!(guest.id())));
    assert_eq!((&member["role"], &member["disabled"], &member["sso"]), (&json!(null), &json!(false), &json!(false)));
    assert!(member["joinedAt"].is_string());
    assert_eq!(member.get("lastSeenAt"), None, "never seen: omitted");
    assert_eq!([&member["spaces"], &member["teams"], &member["sites"]], [&json!(0); 3]);
    assert!(member.as_object().unwrap().contains_key("role"), "no role is null, not omitted");
}

#[acceptance::test]
async fn members_are_listed_as_asked(world: World) {
    for (name, role) in [("Zoe", Some(Role::Read)), ("bob", None), ("Élodie", Some(Role::Edit))] {
        world.member(name, role).await;
    }
    let list = async |query: &str| world.ada.get(&world.org(&format!("/members?{query}"))).await.ok();
    let listed = |list: &Value| names(list).into_iter().map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(listed(&list("").await), ["Élodie", "bob", "Zoe", "Administrator"], "newest first");
    assert_eq!(listed(&list("order=asc").await), ["Administrator", "Zoe", "bob", "Élodie"]);
    assert_eq!(listed(&list("sort=name&order=asc").await), ["Administrator", "bob", "Zoe", "Élodie"]);
    assert_eq!(listed(&list("role=guest").await), ["bob"]);
    assert_eq!(listed(&list("role=edit").await), ["Élodie"]);
    assert_eq!(listed(&list("role=create").await), Vec::<String>::new());
    assert_eq!(listed(&list("search=%C3%89LO").await), ["Élodie"], "case is ignored");
    assert_eq!(listed(&list("search=ZOE%40example").await), ["Zoe"], "by address");
    assert_eq!(listed(&list("search=%25").await), Vec::<String>::new(), "% is not a wildcard");
    assert_eq!(listed(&list("search=o&role=read").await), ["Zoe"]);
    for query in ["sort=age", "order=up", "role=king"] {
        let message = world.ada.get(&world.org(&format!("/members?{query}"))).await.error(400);
        assert!(message.starts_with(query.split('=').next().unwrap()), "{message}");
    }
}

#[acceptance::test]
#[case("sort=joinedAt&order=asc")]
#[case("sort=joinedAt&order=desc")]
#[case("sort=name&order=asc")]
#[case("sort=name&order=desc")]
#[case("sort=lastSeenAt&order=asc")]
#[case("sort=lastSeenAt&order=desc")]
async fn a_list_is_followed_to_its_end_in_every_order(world: World, #[case] query: &str) {
    world.ada.post(&world.org("/ping"), json!({})).await.ok();
    for name in ["a b", "a", "b", "a a"] {
        let caller = world.stranger(&name.replace(' ', ".")).await;
        let user = caller.user.as_ref().unwrap();
        let mut tx = world.services.store.write().await.unwrap();
        tx.lock(&[user.into()]).await.unwrap();
        let account = tx.users().find(user).await.unwrap().unwrap();
        tx.users().save(&domain::user::User { display_name: name.parse().unwrap(), ..account }).await.unwrap();
        tx.commit().await.unwrap();
        world.services.members.add(&Actor::Operator, &world.organization, user, None).await.unwrap();
        caller.post(&world.org("/ping"), json!({})).await.ok();
    }
    let whole = world.ada.get(&world.org(&format!("/members?{query}"))).await.ok();
    assert_eq!(whole.list("items").len(), 5);
    let (mut seen, mut next) = (Vec::new(), String::new());
    loop {
        let part = world.ada.get(&world.org(&format!("/members?{query}&limit=2{next}"))).await.ok();
        seen.extend(part.list("items").to_vec());
        match part["next"]["page"].as_str() {
            Some(page) => next = format!("&page={page}"),
            None => break,
        }
    }
    assert_eq!(&seen, whole.list("items"));
}

#[acceptance::test]
async fn only_administrators_change_roles_but_not_their_own(world: World) {
    let (creator, guest) = (world.member("carl", Some(Role::Create)).await, world.member("gus", None).await);
    for caller in [&creator, &guest] {
        caller.patch(&path(&world, caller), json!({"role": "admin"})).await.error(403);
        caller.patch(&path(&world, &world.ada), json!({"role": null})).await.error(403);
    }
    let changed = world.ada.patch(&path(&world, &guest), json!({"role": "create"})).await.ok();
    assert_eq!(changed["role"], "create");
    guest.post(&world.org("/spaces"), json!({})).await.expect(201);
    let changed = world.ada.patch(&path(&world, &guest), json!({"role": null})).await.ok();
    assert_eq!(changed["role"], json!(null));
    guest.post(&world.org("/spaces"), json!({})).await.error(403);
    let same = world.ada.patch(&path(&world, &creator), json!({})).await.ok();
    assert_eq!(same["role"], "create", "absent fields stay unchanged");
    for body in [json!({"role": "king"}), json!({"role": 5}), json!([])] {
        world.ada.patch(&path(&world, &creator), body).await.error(400);
    }
    let sent = json!({"role": "edit", "disabled": true, "sso": true, "spaces": 7, "id": "x"});
    let changed = world.ada.patch(&path(&world, &creator), sent).await.ok();
    assert_eq!((&changed["disabled"], &changed["sso"], &changed["spaces"]), (&json!(false), &json!(false), &json!(0)));
}

#[acceptance::test]
async fn the_last_administrator_stays(world: World) {
    let (own, alan) = (path(&world, &world.ada), world.member("alan", Some(Role::Admin)).await);
    disable(&world, &alan, true).await.unwrap();
    for role in [json!("create"), json!(null)] {
        let message = world.ada.patch(&own, json!({"role": role})).await.error(409);
        assert!(message.contains("last administrator"), "{message}");
    }
    world.ada.delete(&own).await.error(409);
    assert!(matches!(disable(&world, &world.ada, true).await, Err(Error::Conflict(_))), "and cannot be disabled");
    world.ada.patch(&own, json!({"role": "admin"})).await.ok();
    assert_eq!(world.ada.get(&own).await.ok()["role"], "admin");
    disable(&world, &alan, false).await.unwrap();
    assert_eq!(world.ada.patch(&own, json!({"role": "create"})).await.ok()["role"], "create");
    alan.delete(&path(&world, &alan)).await.error(409);
    assert_eq!(alan.delete(&own).await.status, 205);
}

#[acceptance::test]
#[case::each_demotes_the_other(false)]
#[case::one_leaves_while_the_other_is_demoted(true)]
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_two_administrators_who_leave_at_once_one_stays(world: World, #[case] leaves: bool) {
    let alan = world.member("alan", Some(Role::Admin)).await;
    let admin = Membership { role: Some(Role::Admin), disabled: false };
    let (ada, organization) = (&world.ada, &world.organization);
    #[expect(clippy::async_yields_async, reason = "it is built first, and started together with another one")]
    let demote = async |by: &Caller, whom: &Caller| {
        let (by, whom, members) = (actor(&world, by).await, whom.user.clone().unwrap(), world.services.members.clone());
        let organization = organization.clone();
        async move {
            let patch = MemberPatch { role: Patch::Set(Role::Create), ..MemberPatch::default() };
            members.update(&by, &organization, &whom, Precondition::none(), patch.into()).await.map(drop)
        }
    };
    for round in 0..ROUNDS {
        for one in [ada, &alan] {
            world.set_membership(one.user.as_ref().unwrap(), admin).await;
        }
        let first = demote(ada, &alan).await;
        let (one, two) = if leaves {
            let (by, members, organization) =
                (actor(&world, ada).await, world.services.members.clone(), organization.clone());
            let own = ada.user.clone().unwrap();
            at_once(
                first,
                async move { members.remove(&by, &organization, &own, Precondition::none()).await.map(drop) },
            )
            .await
        } else {
            at_once(first, demote(&alan, ada).await).await
        };
        // The second one was no longer an administrator, or would have been the last one to leave.
        let refused = |outcome: &Result<(), Error>| {
            matches!(outcome, Err(Error::Forbidden(_) | Error::Conflict(_) | Error::NotFound(_)))
        };
        assert!(one.is_ok() != two.is_ok() && (refused(&one) || refused(&two)), "round {round}: {one:?}, {two:?}");
        let all = (MemberFilter::default(), PageRequest::default());
        let list = world.services.members.list(&Actor::Operator, organization, all.into()).await.unwrap();
        let left = list.items.iter().filter(|shown| shown.member.membership.administers()).count();
        assert_eq!(left, 1, "round {round}");
    }
}

#[acceptance::test]
async fn members_leave_and_administrators_remove(world: World) {
    let (bob, rita, gus) = (
        world.member("bob", Some(Role::Create)).await,
        world.member("rita", Some(Role::Read)).await,
        world.member("gus", None).await,
    );
    bob.delete(&path(&world, &rita)).await.error(403);
    bob.delete(&world.org("/members/nobody")).await.error(403);
    gus.delete(&path(&world, &rita)).await.error(403);
    let left = gus.delete(&path(&world, &gus)).await;
    assert_eq!((left.status.as_u16(), left.bytes.len()), (205, 0));
    gus.delete(&path(&world, &gus)).await.error(404);
    gus.get(&world.org("")).await.error(404);
    assert_eq!(world.ada.delete(&path(&world, &rita)).await.status, 205);
    assert_eq!(world.ada.delete(&path(&world, &rita)).await.status, 204);
    assert_eq!(world.ada.delete(&world.org("/members/nobody")).await.status, 204);
    assert_eq!(names(&world.ada.get(&world.org("/members")).await.ok()), ["bob", "Administrator"]);
}

#[acceptance::test]
async fn a_removed_member_is_out_at_once_and_leaves_nothing_behind(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let bob = world.member("bob", Some(Role::Review)).await;
    let team = world.team(json!({"title": "Writers", "members": [bob.id()]})).await;
    let grant = json!({"role": "create", "users": [bob.id()]});
    world.ada.post(&format!("/spaces/{space}/permissions"), grant).await.expect(204);
    let request = world.ada.post(&format!("/spaces/{space}/change-requests"), json!({})).await.id();
    let request = format!("/spaces/{space}/change-requests/{request}");
    world.ada.post(&format!("{request}/requested-reviewers"), json!({"users": [bob.id()]})).await.ok();
    let seen = [world.org(""), world.org("/spaces"), format!("/spaces/{space}"), format!("/spaces/{space}/content")];
    for path in &seen {
        bob.get(path).await.ok();
    }
    let elsewhere = bob.post("/orgs", json!({"title": "Bob's own"})).await.expect(201)["id"].clone();
    assert_eq!(world.ada.delete(&path(&world, &bob)).await.status, 205);
    for path in &seen {
        bob.get(path).await.error(404);
    }
    bob.post(&format!("{request}/reviews"), json!({"status": "approved"})).await.error(404);
    bob.post(&world.org("/ping"), json!({})).await.error(404);
    bob.get("/user").await.ok();
    bob.get(&format!("/orgs/{}", elsewhere.as_str().unwrap())).await.ok();
    let left = world.ada.get(&format!("/spaces/{space}/permissions/users")).await.ok();
    assert_eq!(left["items"], json!([]));
    assert_eq!(world.ada.get(&world.org(&format!("/teams/{team}"))).await.ok()["members"], 0);
    assert_eq!(world.ada.get(&format!("{request}/requested-reviewers")).await.ok()["items"], json!([]));
    let guest = world.services.members.add(&Actor::Operator, &world.organization, bob.user.as_ref().unwrap(), None);
    assert!(guest.await.unwrap());
    bob.get(&format!("/spaces/{space}")).await.error(404);
    let back = bob.get(&path(&world, &bob)).await.ok();
    assert_eq!(
        [&back["spaces"], &back["teams"]],
        [&json!(0); 2],
        "a member who returns has none of the earlier grants"
    );
}

#[acceptance::test]
async fn a_disabled_member_is_as_good_as_none(world: World) {
    let bob = world.member("bob", Some(Role::Admin)).await;
    disable(&world, &bob, true).await.unwrap();
    bob.get(&world.org("")).await.error(404);
    bob.delete(&path(&world, &bob)).await.error(404);
    bob.post(&world.org("/ping"), json!({})).await.error(404);
    assert_eq!(bob.get("/orgs").await.ok()["items"], json!([]));
    assert_eq!(world.ada.get(&path(&world, &bob)).await.ok()["disabled"], true, "others see it");
    disable(&world, &bob, false).await.unwrap();
    bob.get(&world.org("")).await.ok();
}

#[acceptance::test]
async fn a_ping_updates_the_last_seen_time_and_returns_claims(world: World) {
    let guest = world.member("gus", None).await;
    let before = world.services.clock.now();
    let told = guest.send(actix_web::http::Method::POST, &world.org("/ping"), |request| request).await.ok();
    assert_eq!(told["serviceVisitorClaims"], told["gitbookVisitorClaims"], "the same value under two names");
    let parts: Vec<&str> = told.text("serviceVisitorClaims").split('.').collect();
    assert_eq!(parts.len(), 3);
    let seen = world.ada.get(&path(&world, &guest)).await.ok();
    assert!(seen["lastSeenAt"].is_string());
    let members = &world.services.members;
    let kept = members.get(&Actor::Operator, &world.organization, guest.user.as_ref().unwrap()).await.unwrap();
    assert!(kept.member.last_seen_at >= Some(before));
    assert_eq!(
        names(&world.ada.get(&world.org("/members?sort=lastSeenAt")).await.ok()),
        ["gus"],
        "only members who were seen"
    );
    world.ada.post(&world.org("/ping"), json!({})).await.ok();
    let order = world.ada.get(&world.org("/members?sort=lastSeenAt")).await.ok();
    assert_eq!(names(&order), ["Administrator", "gus"]);
    world.set_membership(guest.user.as_ref().unwrap(), Membership { role: None, disabled: true }).await;
    let order = world.ada.get(&world.org("/members?sort=lastSeenAt")).await.ok();
    assert_eq!(names(&order), ["Administrator"], "and who are active");
    world.stranger("eve").await.post(&world.org("/ping"), json!({})).await.error(404);
}

#[acceptance::test]
async fn a_member_is_noted_as_known_to_the_provider(world: World) {
    let bob = world.member("bob", Some(Role::Edit)).await;
    let sso = format!("{}/sso", path(&world, &bob));
    bob.send(actix_web::http::Method::POST, &sso, |request| request).await.error(403);
    for _ in 0..2 {
        let known = world.ada.send(actix_web::http::Method::POST, &sso, |request| request).await.ok();
        assert_eq!((&known["sso"], &known["role"]), (&json!(true), &json!("edit")));
    }
    let missing = world.org("/members/nobody/sso");
    world.ada.send(actix_web::http::Method::POST, &missing, |request| request).await.error(404);
}

#[acceptance::test]
async fn guests_see_only_themselves(world: World) {
    let guest = world.member("gus", None).await;
    for rest in ["", "/spaces", "/teams"] {
        guest.get(&format!("{}{rest}", path(&world, &guest))).await.ok();
        let other = guest.get(&format!("{}{rest}", path(&world, &world.ada))).await.error(403);
        let absent = guest.get(&world.org(&format!("/members/nobody{rest}"))).await.error(403);
        assert_eq!(other, absent, "the response does not reveal whether the user exists");
        let reader = world.member(&format!("rita{}", rest.len()), Some(Role::Read)).await;
        reader.get(&format!("{}{rest}", path(&world, &guest))).await.ok();
        reader.get(&world.org(&format!("/members/nobody{rest}"))).await.error(404);
    }
    guest.get(&world.org("/members")).await.error(403);
}

#[acceptance::test]
async fn a_member_of_another_organization_is_not_found(world: World) {
    let eve = world.stranger("eve").await;
    let other = eve.post("/orgs", json!({"title": "Eve's"})).await.id();
    let other = format!("/orgs/{other}/members");
    let foreign = path(&world, &eve);
    world.ada.get(&foreign).await.error(404);
    world.ada.patch(&foreign, json!({"role": "read"})).await.error(404);
    assert_eq!(world.ada.delete(&foreign).await.status, 204);
    for rest in ["/spaces", "/teams"] {
        world.ada.get(&format!("{foreign}{rest}")).await.error(404);
    }
    for method in ["GET", "PATCH", "DELETE"] {
        let method = actix_web::http::Method::from_bytes(method.as_bytes()).unwrap();
        let sent =
            world.ada.send(method, &format!("{other}/{}", eve.id()), |request| request.set_json(json!({}))).await;
        sent.error(404);
    }
    assert_eq!(eve.get(&format!("{other}/{}", eve.id())).await.ok()["role"], "admin");
}

#[acceptance::test]
async fn what_a_member_was_given_is_counted_once(world: World) {
    let (bob, other) = (world.member("bob", None).await, world.member("other", None).await);
    let mut spaces = Vec::new();
    for _ in 0..4 {
        spaces.push(world.ada.post(&world.org("/spaces"), json!({})).await.expect(201)["id"].clone());
    }
    let collection = world.ada.post(&world.org("/collections"), json!({"title": "c"})).await.expect(201)["id"].clone();
    let mut teams = Vec::new();
    for title in ["One", "Two"] {
        let team =
            world.ada.put(&world.org("/teams"), json!({"title": title, "members": [bob.id()]})).await.expect(201);
        teams.push(team["id"].clone());
    }
    let grant = async |place: String, body: Value| {
        world.ada.post(&format!("{place}/permissions"), body).await.expect(204);
    };
    let at = |index: usize| format!("/spaces/{}", spaces[index].as_str().unwrap());
    grant(at(0), json!({"role": "read", "users": [bob.id()]})).await;
    grant(at(1), json!({"role": "read", "users": [bob.id()], "teams": teams})).await;
    grant(at(2), json!({"role": "read", "teams": teams})).await;
    // Bob has a denying grant of his own on what the team was granted; a collection does not count as a space.
    grant(at(3), json!({"role": "edit", "teams": [teams[0]]})).await;
    grant(at(3), json!({"role": null, "users": [bob.id()]})).await;
    grant(format!("/collections/{}", collection.as_str().unwrap()), json!({"role": "read", "users": [bob.id()]})).await;
    let counts = |member: &Value| (member["spaces"].clone(), member["teams"].clone());
    assert_eq!(counts(&bob.get(&path(&world, &bob)).await.ok()), (json!(3), json!(2)));
    assert_eq!(counts(&other.get(&path(&world, &other)).await.ok()), (json!(0), json!(0)));
    let list = world.ada.get(&world.org("/members?role=guest&order=asc")).await.ok();
    assert_eq!(counts(&list["items"][0]), (json!(3), json!(2)));
    let extents = world.ada.get(&world.org("/teams")).await.ok();
    let extents: Vec<(&Value, &Value)> =
        extents.list("items").iter().map(|team| (&team["members"], &team["spaces"])).collect();
    assert_eq!(extents, [(&json!(1), &json!(3)), (&json!(1), &json!(2))]);
}

#[acceptance::test]
async fn the_spaces_of_a_member_are_those_both_may_read(world: World) {
    let (bob, rita) = (world.member("bob", Some(Role::Edit)).await, world.member("rita", Some(Role::Read)).await);
    let mut made = Vec::new();
    for title in ["open", "bob's", "rita's", "both's", "nobody's"] {
        let space = world.ada.post(&world.org("/spaces"), json!({"title": title})).await.expect(201);
        made.push(format!("/spaces/{}", space.id()));
    }
    for shut in &made[1..] {
        world.ada.patch(shut, json!({"defaultLevel": null})).await.ok();
    }
    for (space, role, users) in
        [(1, "review", vec![bob.id()]), (2, "read", vec![rita.id()]), (3, "comment", vec![bob.id(), rita.id()])]
    {
        let body = json!({"role": role, "users": users});
        world.ada.post(&format!("{}/permissions", made[space]), body).await.expect(204);
    }
    let listed = async |by: &Caller, of: &Caller, query: &str| {
        let list = by.get(&format!("{}/spaces{query}", path(&world, of))).await.ok();
        let items = list.list("items").iter();
        items.map(|one| format!("{} {}", one["space"]["title"], one["permission"]).replace('"', "")).collect::<Vec<_>>()
    };
    assert_eq!(listed(&bob, &bob, "?order=asc").await, ["open edit", "bob's review", "both's comment"]);
    assert_eq!(listed(&bob, &bob, "").await, ["both's comment", "bob's review", "open edit"]);
    assert_eq!(listed(&world.ada, &bob, "?order=asc").await, ["open edit", "bob's review", "both's comment"]);
    assert_eq!(listed(&rita, &bob, "?order=asc").await, ["open edit", "both's comment"]);
    assert_eq!(listed(&rita, &world.ada, "?order=asc").await, ["open admin", "rita's admin", "both's admin"]);
    let first = world.ada.get(&format!("{}/spaces?limit=2", path(&world, &bob))).await.ok();
    let next = first["next"].text("page");
    assert_eq!(listed(&world.ada, &bob, &format!("?limit=2&page={next}")).await, ["open edit"]);
    disable(&world, &bob, true).await.unwrap();
    assert_eq!(listed(&world.ada, &bob, "").await, Vec::<String>::new());
}
