//! Collections, and the positions of collections and spaces.
use acceptance::{Caller, Fields, World};
use domain::access::{Membership, Role};
use serde_json::{Value, json};

/// A caller who works on collections.
struct Fixture<'w> {
    world: &'w World,
    editor: Caller,
}

impl Fixture<'_> {
    async fn collection(&self, title: &str, parent: Option<&str>) -> String {
        let body = json!({"title": title, "parent": parent});
        self.editor.post(&self.world.org("/collections"), body).await.id()
    }

    async fn space(&self, title: &str, parent: Option<&str>) -> String {
        let body = json!({"title": title, "parent": parent});
        self.editor.post(&self.world.org("/spaces"), body).await.id()
    }

    async fn titles(&self, path: &str) -> Vec<String> {
        titles(&self.editor.get(path).await.ok())
    }
}

fn fixture(world: &World) -> Fixture<'_> {
    Fixture { world, editor: world.ada.clone() }
}

fn titles(list: &Value) -> Vec<String> {
    list.list("items").iter().map(|item| item.text("title").to_owned()).collect()
}

fn beside(side: &str, kind: &str, id: &str) -> Value {
    json!({"position": {side: {"type": kind, kind: id}}})
}

#[acceptance::test]
async fn a_collection_is_made_read_changed_and_listed(world: World) {
    let answer = world.ada.post(&world.org("/collections"), json!({"title": "Guides"})).await;
    let location = answer.header("location").unwrap().to_owned();
    let new = answer.expect(201);
    assert_eq!(location, new["urls"]["location"]);
    let path = format!("/collections/{}", new.id());
    assert_eq!((&new["object"], &new["defaultLevel"]), (&json!("collection"), &json!("inherit")));
    assert_eq!(new["permissions"], json!({"view": true, "admin": true, "viewInviteLinks": true, "create": true}));
    let changed = world.ada.patch(&path, json!({"description": "How to", "defaultLevel": null})).await.ok();
    assert_eq!((&changed["title"], &changed["description"]), (&json!("Guides"), &json!("How to")));
    assert_eq!(changed["defaultLevel"], Value::Null);
    assert_eq!(world.ada.get(&path).await.ok(), changed);
    assert_eq!(world.ada.get(&world.org("/collections")).await.ok()["items"], json!([changed]));
    let untitled = world.ada.send(actix_web::http::Method::POST, &world.org("/collections"), |request| request).await;
    assert_eq!(untitled.expect(201)["title"], "");
    world.ada.patch(&path, json!({"description": null})).await.ok();
    assert_eq!(world.ada.get(&path).await.ok().get("description"), None);
}

#[acceptance::test]
async fn collections_can_be_nested(world: World) {
    let fixture = fixture(&world);
    let outer = fixture.collection("outer", None).await;
    let inner = fixture.collection("inner", Some(&outer)).await;
    fixture.space("in outer", Some(&outer)).await;
    fixture.space("in inner", Some(&inner)).await;
    assert_eq!(fixture.titles(&world.org("/collections")).await, ["outer", "inner"]);
    assert_eq!(fixture.titles(&world.org("/collections?nested=false")).await, ["outer"]);
    assert_eq!(fixture.titles(&format!("/collections/{outer}/spaces")).await, ["in outer"]);
    assert_eq!(fixture.titles(&format!("/collections/{inner}/spaces")).await, ["in inner"]);
    world.ada.get(&world.org("/collections?nested=maybe")).await.error(400);
}

#[acceptance::test]
async fn collections_nest_at_most_ten_levels_deep(world: World) {
    let fixture = fixture(&world);
    let mut chain = vec![fixture.collection("1", None).await];
    for depth in 2..=10 {
        chain.push(fixture.collection(&depth.to_string(), chain.last().map(String::as_str)).await);
    }
    let deepest = chain.last().unwrap();
    let message = world.ada.post(&world.org("/collections"), json!({"parent": deepest})).await.error(400);
    assert!(message.starts_with("parent:"), "{message}");
    fixture.space("at the bottom", Some(deepest)).await;
    let other = fixture.collection("other", None).await;
    fixture.collection("in other", Some(&other)).await;
    let message = world.ada.post(&format!("/collections/{other}/move"), json!({"parent": chain[8]})).await.error(400);
    assert!(message.starts_with("parent:"), "two levels do not fit below nine: {message}");
    world.ada.post(&format!("/collections/{other}/move"), json!({"parent": chain[7]})).await.ok();
    let message =
        world.ada.post(&format!("/collections/{}/move", chain[0]), json!({"parent": deepest})).await.error(400);
    assert!(message.contains("inside itself"), "{message}");
    let message = world.ada.post(&format!("/collections/{deepest}/move"), json!({"parent": deepest})).await.error(400);
    assert!(message.contains("inside itself"), "{message}");
}

#[acceptance::test]
async fn spaces_and_collections_have_one_order(world: World) {
    let fixture = fixture(&world);
    let (a, collection, b, c) = (
        fixture.space("a", None).await,
        fixture.collection("collection", None).await,
        fixture.space("b", None).await,
        fixture.space("c", None).await,
    );
    let spaces = world.org("/spaces");
    assert_eq!(fixture.titles(&spaces).await, ["a", "b", "c"]);
    let move_to = |id: &str| format!("/spaces/{id}/move");
    world.ada.post(&move_to(&c), beside("before", "space", &a)).await.ok();
    assert_eq!(fixture.titles(&spaces).await, ["c", "a", "b"]);
    world.ada.post(&move_to(&a), beside("after", "collection", &collection)).await.ok();
    assert_eq!(fixture.titles(&spaces).await, ["c", "a", "b"], "the collection was between them");
    world.ada.post(&move_to(&a), beside("after", "collection", &collection)).await.error(409);
    world.ada.post(&move_to(&a), json!({"position": {}})).await.ok();
    assert_eq!(fixture.titles(&spaces).await, ["c", "b", "a"]);
    let moved = world.ada.post(&move_to(&b), json!({"parent": collection})).await.ok();
    assert_eq!(moved["parent"], json!(collection));
    world.ada.post(&move_to(&b), json!({"parent": collection})).await.error(409);
    let message = world.ada.post(&move_to(&b), beside("before", "space", &a)).await.error(400);
    assert!(message.starts_with("position.before:"), "a is no sibling of b: {message}");
    let back = json!({"parent": null, "position": {"before": {"type": "space", "space": a}}});
    assert_eq!(world.ada.post(&move_to(&b), back).await.ok().get("parent"), None);
    assert_eq!(fixture.titles(&spaces).await, ["c", "b", "a"]);
    let both = json!({"position": {"before": {"type": "space", "space": a}, "after": {"type": "space", "space": c}}});
    world.ada.post(&move_to(&b), both).await.error(400);
    for page in 1..=3 {
        let mut seen = Vec::new();
        let mut next = Some(format!("{spaces}?limit={page}"));
        while let Some(path) = next {
            let part = world.ada.get(&path).await.ok();
            seen.extend(titles(&part));
            next = part["next"]["page"].as_str().map(|token| format!("{spaces}?limit={page}&page={token}"));
        }
        assert_eq!(seen, ["c", "b", "a"], "by {page}");
    }
}

#[acceptance::test]
#[case::nothing(json!({}))]
#[case::no_such_collection(json!({"parent": "nowhere"}))]
#[case::no_such_sibling(json!({"position": {"before": {"type": "space", "space": "nowhere"}}}))]
#[case::not_a_sibling_of_this_kind(json!({"position": {"before": {"type": "page", "page": "p"}}}))]
#[case::itself(json!({"position": {"before": {"type": "space", "space": "{self}"}}}))]
async fn a_move_to_nowhere_is_refused(world: &World, #[case] body: Value) {
    let space = fixture(world).space("a", None).await;
    let before = world.ada.get(&format!("/spaces/{space}")).await.ok();
    let body = serde_json::from_str(&body.to_string().replace("{self}", &space)).unwrap();
    world.ada.post(&format!("/spaces/{space}/move"), body).await.error(400);
    assert_eq!(world.ada.get(&format!("/spaces/{space}")).await.ok(), before);
}

#[acceptance::test]
async fn a_hidden_object_is_no_target_of_a_move(world: World) {
    let fixture = fixture(&world);
    let creator = world.member("carl", Some(Role::Create)).await;
    let secret = fixture.collection("secret", None).await;
    world.ada.patch(&format!("/collections/{secret}"), json!({"defaultLevel": null})).await.ok();
    let readable = fixture.collection("readable", None).await;
    world.ada.patch(&format!("/collections/{readable}"), json!({"defaultLevel": "read"})).await.ok();
    let space = fixture.space("a", None).await;
    let unseen = fixture.collection("unseen", None).await;
    world.ada.patch(&format!("/collections/{unseen}"), json!({"defaultLevel": null})).await.ok();
    let last = fixture.space("last", None).await;
    let path = format!("/spaces/{space}/move");
    let hidden = creator.post(&path, json!({"parent": secret})).await.error(400);
    let absent = creator.post(&path, json!({"parent": "nowhere"})).await.error(400);
    assert_eq!(hidden, absent);
    creator.post(&path, json!({"parent": readable})).await.error(403);
    creator.post(&world.org("/spaces"), json!({"parent": readable})).await.error(403);
    creator.post(&world.org("/spaces"), json!({"parent": secret})).await.error(400);
    let between = json!({"position": {
        "after": {"type": "collection", "collection": readable}, "before": {"type": "space", "space": last}}});
    creator.post(&path, between).await.error(409);
    let hidden = creator.post(&path, beside("before", "collection", &secret)).await.error(400);
    let absent = creator.post(&path, beside("before", "collection", "nowhere")).await.error(400);
    assert_eq!(hidden, absent);
}

#[acceptance::test]
async fn only_callers_who_may_create_in_a_place_change_its_order(world: World) {
    let (guest, fixture) = (world.member("gus", None).await, fixture(&world));
    let collection = fixture.collection("collection", None).await;
    let (first, own) = (fixture.space("first", Some(&collection)).await, fixture.space("own", Some(&collection)).await);
    let grant = |role: &str| json!({"role": role, "users": [guest.id()]});
    world.ada.post(&format!("/spaces/{own}/permissions"), grant("create")).await.expect(204);
    let path = format!("/spaces/{own}/move");
    let before = json!({"position": {"before": {"type": "space", "space": first}}});
    let hidden = guest.post(&path, before.clone()).await.error(403);
    let named = json!({"parent": collection, "position": {}});
    let message = guest.post(&path, named).await.error(400);
    assert_eq!(message, "parent: there is no such collection");
    world.ada.post(&format!("/collections/{collection}/permissions"), grant("read")).await.expect(204);
    let read_only = guest.post(&path, before.clone()).await.error(403);
    assert!(!hidden.contains(&collection) && !read_only.contains(&collection));
    world.ada.post(&format!("/collections/{collection}/permissions"), grant("create")).await.expect(204);
    guest.post(&path, before).await.ok();
    assert_eq!(fixture.titles(&format!("/collections/{collection}/spaces")).await, ["own", "first"]);
}

#[acceptance::test]
async fn a_collection_that_cannot_be_transferred_is_unchanged(world: World) {
    let fixture = fixture(&world);
    let (a, b) = (fixture.collection("a", None).await, fixture.collection("b", None).await);
    let path = format!("/collections/{b}/move");
    world.ada.post(&path, json!({"parent": a})).await.ok();
    world.ada.post(&path, json!({"parent": a})).await.error(409);
    for position in
        [json!({"before": {"type": "collection", "collection": "nowhere"}}), json!({"before": {"type": "page"}})]
    {
        let message = world.ada.post(&path, json!({"position": position})).await.error(400);
        assert!(message.starts_with("position"), "{message}");
    }
    world.ada.post("/collections/nowhere/move", json!({"parent": a})).await.error(404);
    world.ada.post(&format!("/collections/{b}/transfer"), json!({"organization": "nowhere"})).await.error(404);
    assert_eq!(world.ada.get(&format!("/collections/{b}")).await.ok()["parent"], a.as_str());
}

#[acceptance::test]
async fn a_transfer_is_recorded_and_earlier_members_do_not_review_it(world: World) {
    let fixture = fixture(&world);
    let other = world.ada.post("/orgs", json!({"title": "Another"})).await.id();
    let (rita, vera) = (world.member("rita", Some(Role::Review)).await, world.member("vera", Some(Role::Review)).await);
    let outer = fixture.collection("outer", None).await;
    let inner = fixture.collection("inner", Some(&outer)).await;
    let space = fixture.space("a", Some(&inner)).await;
    let requests = format!("/spaces/{space}/change-requests");
    let request = world.ada.post(&requests, json!({})).await.id();
    let request = format!("{requests}/{request}");
    world.ada.post(&format!("{request}/requested-reviewers"), json!({"users": [rita.id()]})).await.ok();
    for reviewer in [&vera, &world.ada] {
        reviewer.post(&format!("{request}/reviews"), json!({"status": "approved"})).await.expect(201);
    }

    world.ada.post(&format!("/collections/{outer}/transfer"), json!({"organization": other})).await.ok();
    let asked = world.ada.get(&format!("{request}/requested-reviewers")).await.ok();
    assert_eq!(asked["items"], json!([]));
    let counting = world.ada.get(&format!("{request}/reviews?outdated=false")).await.ok();
    assert_eq!(counting["items"], json!([]), "earlier reviews no longer count");
    // Not even if a member of both organizations is asked again and the request is withdrawn.
    world.ada.post(&format!("{request}/requested-reviewers"), json!({"users": [world.ada.id()]})).await.ok();
    world.ada.delete(&format!("{request}/requested-reviewers/{}", world.ada.id())).await.expect(205);
    let counting = world.ada.get(&format!("{request}/reviews?outdated=false")).await.ok();
    assert_eq!(counting["items"], json!([]));
    for organization in [world.organization.as_str(), &other] {
        for (kind, id) in [("collection", &outer), ("collection", &inner), ("space", &space)] {
            let told = world.ada.get(&format!("/orgs/{organization}/audit-events?target={id}")).await.ok();
            let told = &told["items"][0];
            assert_eq!(told["action"], format!("{kind}_transferred"), "{told}");
            assert_eq!(
                (&told["payload"]["from"], &told["payload"]["to"]),
                (&json!(world.organization.as_str()), &json!(other))
            );
        }
    }
}

#[acceptance::test]
async fn a_space_is_transferred_without_its_grants(world: World) {
    let space = fixture(&world).space("a", None).await;
    let other = world.ada.post("/orgs", json!({"title": "Another"})).await.id();
    let reader = world.member("rita", None).await;
    let grant = json!({"role": "edit", "users": [reader.user.as_ref().unwrap().as_str()]});
    world.ada.post(&format!("/spaces/{space}/permissions"), grant).await.expect(204);
    let rules = json!({"type": "rules", "rules": [
        {"rule": "require_specific_reviewers", "users": [reader.user.as_ref().unwrap().as_str()]},
        {"rule": "require_change_request_subject"},
    ]});
    world.ada.patch(&format!("/spaces/{space}"), json!({"mergeRules": rules})).await.ok();
    reader.get(&format!("/spaces/{space}")).await.ok();
    let path = format!("/spaces/{space}/transfer");
    world.ada.post(&path, json!({"organization": world.organization.as_str()})).await.error(409);
    world.ada.post(&path, json!({"organization": "nowhere"})).await.error(404);
    world.ada.post(&path, json!({})).await.error(400);
    let moved = world.ada.post(&path, json!({"organization": other})).await.ok();
    assert_eq!(moved["organization"], other);
    assert_eq!(moved["mergeRules"], json!({"type": "rules", "rules": [{"rule": "require_change_request_subject"}]}));
    reader.get(&format!("/spaces/{space}")).await.error(404);
    assert_eq!(fixture(&world).titles(&world.org("/spaces")).await, Vec::<String>::new());
    assert_eq!(fixture(&world).titles(&format!("/orgs/{other}/spaces")).await, ["a"]);
    world.ada.get(&format!("/spaces/{space}/content/pages")).await.ok();
}

#[acceptance::test]
async fn only_callers_who_may_create_in_both_organizations_transfer_a_space(world: World) {
    let space = fixture(&world).space("a", None).await;
    let stranger = world.stranger("sam").await;
    let theirs = stranger.post("/orgs", json!({"title": "Theirs"})).await.id();
    let to = json!({"organization": theirs});
    let mine = stranger.post(&format!("/orgs/{theirs}/spaces"), json!({})).await.id();
    world
        .set_membership(stranger.user.as_ref().unwrap(), Membership { role: Some(Role::Review), disabled: false })
        .await;
    let here = json!({"organization": world.organization.as_str()});
    let path = format!("/spaces/{mine}/transfer");
    stranger.post(&path, here.clone()).await.error(403);
    world
        .set_membership(stranger.user.as_ref().unwrap(), Membership { role: Some(Role::Create), disabled: false })
        .await;
    stranger.patch(&format!("/spaces/{mine}"), json!({"defaultLevel": "admin"})).await.ok();
    let moved = stranger.post(&path, here).await.ok();
    assert_eq!(moved["defaultLevel"], "inherit", "it would grant more than the caller has there");
    world.ada.post(&format!("/spaces/{space}/transfer"), to.clone()).await.error(404);
    // A guest with access to a space only cannot transfer it.
    let guest = world.stranger("gus").await;
    let away = guest.post("/orgs", json!({"title": "Away"})).await.id();
    let away = json!({"organization": away});
    world.set_membership(guest.user.as_ref().unwrap(), Membership { role: None, disabled: false }).await;
    let collection = fixture(&world).collection("collection", None).await;
    for path in [format!("/spaces/{space}"), format!("/collections/{collection}")] {
        let grant = json!({"role": "create", "users": [guest.id()]});
        world.ada.post(&format!("{path}/permissions"), grant).await.expect(204);
        guest.post(&format!("{path}/transfer"), away.clone()).await.error(403);
    }
    world.set_membership(stranger.user.as_ref().unwrap(), Membership { role: None, disabled: false }).await;
    stranger.post(&format!("/spaces/{space}/transfer"), to).await.error(404);
}

#[acceptance::test]
async fn a_collection_is_transferred_completely_or_not_at_all(world: World) {
    let fixture = fixture(&world);
    let creator = world.member("carl", Some(Role::Create)).await;
    let other = creator.post("/orgs", json!({"title": "Another"})).await.id();
    let outer = fixture.collection("outer", None).await;
    let inner = fixture.collection("inner", Some(&outer)).await;
    let secret = fixture.space("secret", Some(&inner)).await;
    world.ada.patch(&format!("/spaces/{secret}"), json!({"defaultLevel": null})).await.ok();
    let path = format!("/collections/{outer}/transfer");
    let message = creator.post(&path, json!({"organization": other})).await.error(412);
    assert!(!message.contains("secret"), "{message}");
    assert_eq!(fixture.titles(&format!("/collections/{inner}/spaces")).await, ["secret"]);
    let by_name = json!({"role": "create", "users": [creator.user.as_ref().unwrap().as_str()]});
    world.ada.post(&format!("/spaces/{secret}/permissions"), by_name).await.expect(204);
    creator.post(&path, json!({"organization": world.organization.as_str()})).await.error(409);
    let moved = creator.post(&path, json!({"organization": other})).await.ok();
    assert_eq!(moved["organization"], other);
    assert_eq!(titles(&creator.get(&format!("/orgs/{other}/collections")).await.ok()), ["outer", "inner"]);
    assert_eq!(titles(&creator.get(&format!("/collections/{inner}/spaces")).await.ok()), ["secret"]);
    world.ada.get(&format!("/collections/{inner}")).await.error(404);
    world.ada.get(&format!("/spaces/{secret}")).await.error(404);
}

#[acceptance::test]
async fn collections_that_are_moved_into_one_another_at_once_make_no_ring(world: World) {
    let fixture = fixture(&world);
    for _ in 0..5 {
        let (a, b) = (fixture.collection("a", None).await, fixture.collection("b", None).await);
        let (into_b, into_a) = (format!("/collections/{a}/move"), format!("/collections/{b}/move"));
        let (first, second) =
            tokio::join!(world.ada.post(&into_b, json!({"parent": b})), world.ada.post(&into_a, json!({"parent": a})),);
        let mut statuses = [first.status.as_u16(), second.status.as_u16()];
        statuses.sort_unstable();
        assert_eq!(statuses, [200, 400], "one of them was first");
    }
}

#[acceptance::test]
async fn a_deleted_collection_takes_its_spaces_along_and_comes_back_with_one(world: World) {
    let fixture = fixture(&world);
    let outer = fixture.collection("outer", None).await;
    let inner = fixture.collection("inner", Some(&outer)).await;
    let (kept, gone) = (fixture.space("kept", Some(&inner)).await, fixture.space("gone", Some(&outer)).await);
    let creator = world.member("carl", Some(Role::Create)).await;
    world.ada.patch(&format!("/spaces/{kept}"), json!({"defaultLevel": null})).await.ok();
    let delete = async |caller: &Caller| {
        let path = format!("/collections/{outer}");
        caller.send(actix_web::http::Method::DELETE, &path, |request| request).await.status.as_u16()
    };
    assert_eq!(delete(&world.stranger("sam").await).await, 204, "a hidden collection looks like a missing one");
    assert_eq!(delete(&creator).await, 403, "it contains a space that they may not delete");
    assert_eq!(delete(&world.ada).await, 205);
    assert_eq!(delete(&world.ada).await, 204);
    for path in [format!("/collections/{outer}"), format!("/collections/{inner}"), format!("/spaces/{gone}")] {
        world.ada.get(&path).await.error(404);
    }
    assert_eq!(fixture.titles(&world.org("/collections")).await, Vec::<String>::new());
    assert_eq!(fixture.titles(&world.org("/spaces")).await, Vec::<String>::new());
    world.ada.post(&world.org("/spaces"), json!({"parent": inner})).await.error(400);
    world.ada.post(&format!("/spaces/{kept}/restore"), json!({})).await.ok();
    assert_eq!(fixture.titles(&world.org("/collections")).await, ["outer", "inner"]);
    assert_eq!(fixture.titles(&format!("/collections/{inner}/spaces")).await, ["kept"]);
    assert_eq!(
        fixture.titles(&format!("/collections/{outer}/spaces")).await,
        Vec::<String>::new(),
        "the other stays deleted"
    );
    creator.get(&format!("/spaces/{kept}")).await.error(404);
}
