use super::change_requests::{edit, propose};
use acceptance::{Caller, Fields, Fixture, World};
use actix_web::http::Method;
use domain::access::Role;
use serde_json::{Value, json};

#[acceptance::test]
async fn a_reviewer_answers_a_request_and_can_change_their_mind(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let (request, rita) = (propose(&world.ada, &space, "Fix").await, world.member("rita", Some(Role::Read)).await);
    let id = rita.user.as_ref().unwrap().to_string();
    let message = rita.post(&format!("{request}/reviews"), json!({ "status": "approved" })).await.error(403);
    assert!(message.contains("requested reviewer"), "{message}");
    let ask = json!({ "users": [id, "nobody"], "subject": "Fix it" });
    let asked = world.ada.post(&format!("{request}/requested-reviewers"), ask).await.ok();
    assert_eq!((asked["users"].as_array().map(Vec::len), &asked["users"][0]["user"]["id"]), (Some(1), &json!(id)));
    assert_eq!(
        (&asked["users"][0]["kind"], &asked["users"][0]["requestedBy"]["displayName"]),
        (&json!("user"), &json!("Administrator"))
    );
    assert_eq!(world.ada.get(&request).await.ok()["subject"], "Fix it");
    let first = json!({ "status": "changes-requested", "comment": { "markdown": "Not *yet*." } });
    let answer = rita.post(&format!("{request}/reviews"), first).await;
    let location = answer.header("location").unwrap().strip_prefix(acceptance::PUBLIC_URL).unwrap().to_owned();
    let first = answer.expect(201);
    assert_eq!(
        (&first["status"], &first["requestedBy"]["displayName"]),
        (&json!("changes-requested"), &json!("Administrator"))
    );
    assert_eq!(world.ada.get(&format!("{request}/requested-reviewers")).await.ok()["items"], json!([]), "answered");
    let second = rita.post(&format!("{request}/reviews"), json!({ "status": "approved" })).await.error(403);
    assert!(second.contains("requested reviewer"), "the request was answered: {second}");
    world.ada.post(&format!("{request}/requested-reviewers"), json!({ "users": [id] })).await.ok();
    rita.post(&format!("{request}/reviews"), json!({ "status": "approved" })).await.expect(201);
    let old = world.ada.send_to(Method::GET, &format!("{location}?format=markdown"), |request| request).await.ok();
    assert_eq!((&old["outdated"], &old["comment"]["body"]["markdown"]), (&json!(true), &json!("Not _yet_.\n")));
    let list = async |query: &str| -> Vec<Value> {
        let found = world.ada.get(&format!("{request}/reviews{query}")).await.ok();
        found.list("items").iter().map(|item| item["status"].clone()).collect()
    };
    assert_eq!(list("").await, ["changes-requested", "approved"]);
    assert_eq!(
        (list("?outdated=true").await, list("?outdated=false").await),
        (vec![json!("changes-requested")], vec![json!("approved")])
    );
}

#[acceptance::test]
async fn only_users_who_can_read_the_space_are_asked_for_reviews(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let request = propose(&world.ada, &space, "").await;
    let (eve, gus) = (world.stranger("eve").await, world.member("gus", None).await);
    let users = [eve, gus].map(|caller| caller.user.unwrap().to_string());
    let message = world.ada.post(&format!("{request}/requested-reviewers"), json!({ "users": users })).await.error(400);
    assert!(message.starts_with("users:"), "{message}");
}

#[acceptance::test]
async fn a_request_can_be_withdrawn_once(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let (request, rita) = (propose(&world.ada, &space, "").await, world.member("rita", Some(Role::Read)).await);
    let id = rita.user.as_ref().unwrap();
    world.ada.post(&format!("{request}/requested-reviewers"), json!({ "users": [id] })).await.ok();
    let withdraw = || world.ada.send(Method::DELETE, format!("{request}/requested-reviewers/{id}").leak(), |sent| sent);
    let (first, second) = (withdraw().await, withdraw().await);
    assert_eq!((first.status.as_u16(), second.status.as_u16()), (205, 204));
    assert!(first.bytes.is_empty() && second.bytes.is_empty());
    rita.post(&format!("{request}/reviews"), json!({ "status": "approved" })).await.error(403);
}

#[acceptance::test]
async fn a_review_that_requests_changes_is_not_replaced_by_a_new_review_request(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let rules = json!({ "type": "rules", "rules": [{ "rule": "require_all_reviews_approved" }] });
    world.ada.patch(&format!("/spaces/{space}"), json!({ "mergeRules": rules })).await.ok();
    let (request, eve) = (propose(&world.ada, &space, "").await, world.member("eve", Some(Role::Review)).await);
    eve.post(&format!("{request}/reviews"), json!({ "status": "changes-requested" })).await.expect(201);
    let id = eve.user.as_ref().unwrap();
    world.ada.post(&format!("{request}/requested-reviewers"), json!({ "users": [id] })).await.ok();
    world.ada.post(&format!("{request}/merge"), json!({})).await.error(403);
    let withdraw = world.ada.send(Method::DELETE, &format!("{request}/requested-reviewers/{id}"), |sent| sent).await;
    assert_eq!(withdraw.status.as_u16(), 205);
    let message = world.ada.post(&format!("{request}/merge"), json!({})).await.error(403);
    assert!(message.contains("1 request changes"), "{message}");
}

#[acceptance::test]
async fn an_editor_is_a_contributor(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let (request, bob) = (propose(&world.ada, &space, "").await, world.member("bob", Some(Role::Review)).await);
    assert_eq!(world.ada.get(&format!("{request}/contributors")).await.ok()["items"], json!([]));
    for _ in 0..2 {
        edit(&bob, &request, json!([{ "operation": "insert_page", "document": {} }])).await.ok();
    }
    bob.post(&format!("{request}/reviews"), json!({ "status": "approved", "comment": { "markdown": "Fine." } }))
        .await
        .expect(201);
    let found = world.ada.get(&format!("{request}/contributors")).await.ok();
    let told: Vec<(Value, Value)> =
        found.list("items").iter().map(|one| (one["actionType"].clone(), one["count"].clone())).collect();
    assert_eq!(told, [(json!("comment"), json!(1)), (json!("edit"), json!(2))]);
    assert_eq!(found["items"][0]["user"]["displayName"], "bob");
}

#[acceptance::test]
async fn merge_rules_block_a_merge_until_they_are_satisfied(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let rules = json!({ "type": "rules", "rules": [
        { "rule": "require_at_least_one_approved_review" },
        { "rule": "require_change_request_subject" },
        { "rule": "custom", "expression": "changeRequest.subject.startsWith('Fix')", "message": "Begin with Fix" },
    ] });
    world.ada.patch(&world.org(""), json!({ "mergeRules": rules })).await.ok();
    let (request, bob) = (propose(&world.ada, &space, "").await, world.member("bob", Some(Role::Review)).await);
    let status = world.ada.get(&format!("{request}/merge-status")).await.ok();
    let told: Vec<&Value> = status.list("rules").iter().map(|rule| &rule["satisfied"]).collect();
    assert_eq!((&status["mergeable"], told), (&json!(false), vec![&json!(false); 3]));
    assert_eq!(status["rules"][2]["reason"], "Begin with Fix");
    let message = bob.post(&format!("{request}/merge"), json!({})).await.error(403);
    assert!(message.contains("approving review"), "{message}");
    bob.post(&format!("{request}/reviews"), json!({ "status": "approved" })).await.expect(201);
    let message = bob.post(&format!("{request}/merge"), json!({})).await.error(403);
    assert!(message.contains("subject"), "{message}");
    world.ada.patch(&request, json!({ "subject": "Change" })).await.ok();
    assert!(bob.post(&format!("{request}/merge"), json!({})).await.error(403).contains("Begin with Fix"));
    world.ada.patch(&request, json!({ "subject": "Fix" })).await.ok();
    assert_eq!(bob.get(&format!("{request}/merge-status")).await.ok()["mergeable"], true);
    assert_eq!(bob.post(&format!("{request}/merge"), json!({})).await.ok()["result"], "merge");
}

#[acceptance::test]
async fn the_rules_of_a_space_replace_those_of_the_organization(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let strict = json!({ "type": "rules", "rules": [{ "rule": "require_agent_review" }] });
    world.ada.patch(&world.org(""), json!({ "mergeRules": strict })).await.ok();
    let request = propose(&world.ada, &space, "").await;
    world.ada.post(&format!("{request}/merge"), json!({})).await.error(403);
    let ada = world.ada.user.as_ref().unwrap();
    let own = json!({ "type": "rules", "rules": [
        { "rule": "require_agent_review" }, { "rule": "allow_bypass", "users": [ada] },
    ] });
    world.ada.patch(&format!("/spaces/{space}"), json!({ "mergeRules": own })).await.ok();
    let bob = world.member("bob", Some(Role::Review)).await;
    bob.post(&format!("{request}/merge"), json!({})).await.error(403);
    let status = world.ada.get(&format!("{request}/merge-status")).await.ok();
    assert_eq!(
        (&status["bypass"], &status["mergeable"], &status["rules"][0]["satisfied"]),
        (&json!(true), &json!(true), &json!(false))
    );
    assert_eq!(world.ada.post(&format!("{request}/merge"), json!({})).await.ok()["result"], "merge");
}

#[acceptance::test]
async fn a_required_reviewer_who_left_the_organization_blocks_no_merge(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let (bob, eve) = (world.member("bob", Some(Role::Review)).await, world.member("eve", Some(Role::Review)).await);
    let rules = json!({ "type": "rules", "rules": [
        { "rule": "require_specific_reviewers", "users": [bob.id(), eve.id()] },
        { "rule": "require_all_reviews_approved" },
    ] });
    world.ada.patch(&world.org(""), json!({ "mergeRules": rules })).await.ok();
    let request = propose(&world.ada, &space, "Fix").await;
    bob.post(&format!("{request}/reviews"), json!({ "status": "changes-requested" })).await.expect(201);
    eve.post(&format!("{request}/reviews"), json!({ "status": "approved" })).await.expect(201);
    let message = eve.post(&format!("{request}/merge"), json!({})).await.error(403);
    assert!(message.contains("1 of the required reviewers has not approved yet"), "{message}");

    assert_eq!(world.ada.delete(&world.org(&format!("/members/{}", bob.id()))).await.status, 205);
    let status = eve.get(&format!("{request}/merge-status")).await.ok();
    assert_eq!(status["mergeable"], true, "{status}");
    assert_eq!(status["rules"][0]["reason"], "1 of the required reviewers has left the organization");
    assert_eq!(status["rules"][1].get("reason"), None, "{status}");

    assert_eq!(world.ada.delete(&world.org(&format!("/members/{}", eve.id()))).await.status, 205);
    let message = world.ada.post(&format!("{request}/merge"), json!({})).await.error(403);
    assert!(message.contains("at least one approving review is required"), "{message}");
    world.ada.post(&format!("{request}/reviews"), json!({ "status": "approved" })).await.expect(201);
    let status = world.ada.get(&format!("{request}/merge-status")).await.ok();
    let reason = "all of the required reviewers have left the organization: any approving review is enough";
    assert_eq!((&status["mergeable"], &status["rules"][0]["reason"]), (&json!(true), &json!(reason)));
    assert_eq!(world.ada.post(&format!("{request}/merge"), json!({})).await.ok()["result"], "merge");
}

#[acceptance::test]
async fn merge_rules_keep_naming_users_who_left_but_name_no_new_ones(world: World) {
    let eve = world.stranger("eve").await;
    let rules = |users: &[&Caller]| {
        let users: Vec<&str> = users.iter().map(|user| user.id()).collect();
        json!({ "mergeRules": { "type": "rules", "rules": [{ "rule": "require_specific_reviewers", "users": users }] } })
    };
    let space = world.space(json!({})).await;
    for (name, path) in [("bob", world.org("")), ("rob", format!("/spaces/{space}"))] {
        let bob = world.member(name, Some(Role::Review)).await;
        let read = world.ada.patch(&path, rules(&[&bob])).await.ok();
        world.ada.delete(&world.org(&format!("/members/{}", bob.id()))).await.expect(205);
        assert_eq!(world.ada.patch(&path, json!({ "mergeRules": read["mergeRules"] })).await.ok(), read, "{path}");
        world.ada.patch(&path, rules(&[&world.ada, &bob])).await.ok();
        let message = world.ada.patch(&path, rules(&[&bob, &eve])).await.error(400);
        assert_eq!(message, "mergeRules.rules[0].users[1]: is not a member of the organization", "{path}");
        world.ada.patch(&path, json!({ "mergeRules": { "type": "none" } })).await.ok();
        world.ada.patch(&path, rules(&[&bob])).await.error(400);
    }
}

#[acceptance::test]
async fn a_custom_rule_must_be_an_expression(world: World) {
    let rules = json!({ "type": "rules", "rules": [{ "rule": "custom", "expression": "changeRequest." }] });
    let message = world.ada.patch(&world.org(""), json!({ "mergeRules": rules })).await.error(400);
    assert!(message.starts_with("mergeRules.rules[0].expression:"), "{message}");
}

#[acceptance::test]
async fn only_callers_who_may_list_the_members_see_addresses_of_people(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let request = propose(&world.ada, &space, "Fix").await;
    edit(&world.ada, &request, json!([{ "operation": "insert_page", "document": {} }])).await.ok();
    let (rita, gus) = (world.member("rita", Some(Role::Read)).await, world.member("gus", None).await);
    let grant = json!({ "users": [gus.id()], "role": "read" });
    world.ada.post(&format!("/spaces/{space}/permissions"), grant).await.expect(204);
    let ask = json!({ "users": [rita.id(), gus.id()] });
    world.ada.post(&format!("{request}/requested-reviewers"), ask).await.ok();
    rita.post(&format!("{request}/reviews"), json!({ "status": "approved" })).await.expect(201);
    let organization = world.org("/change-requests?status=draft&status=open");
    let paths = ["", "/reviews", "/contributors", "/requested-reviewers"].map(|part| format!("{request}{part}"));
    for path in paths.iter().chain([&organization]) {
        let (to_member, to_guest) = (rita.get(path).await.ok().to_string(), gus.get(path).await.ok().to_string());
        assert!(to_member.contains("@example.org") && to_guest.contains("displayName"), "{path}");
        let of_others = to_guest.replace("gus@example.org", "");
        assert!(!of_others.contains("@example.org"), "{path}: {to_guest}");
    }
    assert!(gus.get(&paths[3]).await.ok().to_string().contains("gus@example.org"), "callers see their own address");
    let left = world.org(&format!("/members/{}", rita.id()));
    world.ada.send(Method::DELETE, &left, |request| request).await.expect(205);
    let reviews = world.ada.get(&paths[1]).await.ok();
    let reviewer = &reviews["items"][0]["reviewer"];
    assert_eq!(
        (&reviewer["displayName"], reviewer.get("email")),
        (&json!("rita"), None),
        "a former member's address is hidden"
    );
}
