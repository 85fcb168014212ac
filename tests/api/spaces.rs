use acceptance::{Fields, World};
use actix_web::http::Method;
use domain::access::Role;
use serde_json::{Value, json};

const PERMISSIONS: [&str; 10] = [
    "view",
    "access",
    "admin",
    "viewInviteLinks",
    "edit",
    "triggerGitSync",
    "comment",
    "merge",
    "review",
    "installIntegration",
];

#[acceptance::test]
async fn a_space_carries_all_that_clients_need(world: World) {
    let answer =
        world.ada.post(&world.org("/spaces"), json!({"title": "Guide", "emoji": "1f4d6", "language": "de"})).await;
    let location = answer.header("location").unwrap().to_owned();
    let space = answer.expect(201);
    assert_eq!(space["object"], "space");
    assert_eq!(space["title"], "Guide");
    assert_eq!(space["emoji"], "1f4d6");
    assert_eq!(space["visibility"], "private");
    assert_eq!(space["language"], "de");
    assert_eq!(space["organization"], world.organization.as_str());
    assert_eq!(space["mergeRules"], json!({"type": "inherit"}));
    assert_eq!(space["defaultLevel"], "inherit");
    for counter in ["comments", "changeRequests", "changeRequestsOpen", "changeRequestsDraft"] {
        assert_eq!(space[counter], 0, "{counter}");
    }
    for permission in PERMISSIONS {
        assert_eq!(space["permissions"][permission], true, "{permission}");
    }
    for field in ["id", "createdAt", "updatedAt", "revision"] {
        assert!(space[field].is_string(), "{field}");
    }
    assert!(space["urls"]["location"].is_string() && space["urls"]["app"].is_string());
    assert!(space.get("deletedAt").is_none() && space.get("parent").is_none());
    assert_eq!(world.ada.get(location.strip_prefix("https://docs.test/v1").unwrap()).await.ok(), space);
}

#[acceptance::test]
async fn a_space_may_be_made_with_no_body_at_all(world: World) {
    let with_header = |request: actix_web::test::TestRequest| {
        request.insert_header(("Content-Type", "application/json")).insert_header(("Content-Length", "0"))
    };
    let space = world.ada.send(Method::POST, &world.org("/spaces"), with_header).await.expect(201);
    assert_eq!((space["title"].as_str(), space["emoji"].as_str()), (Some(""), Some("")));
    let pages = world.ada.get(&format!("/spaces/{}/content/pages", space.id())).await.ok();
    assert_eq!(pages.list("pages").len(), 1, "it starts with an empty page");
}

#[acceptance::test]
async fn an_empty_space_has_no_page(world: World) {
    let space = world.space(json!({"empty": true})).await;
    let pages = world.ada.get(&format!("/spaces/{space}/content/pages")).await.ok();
    assert_eq!(pages, json!({"pages": []}));
}

#[acceptance::test]
async fn a_space_may_start_with_a_template(world: World) {
    let path = world.org("/spaces");
    let template = json!({"id": "release-notes"});
    let space = world.ada.post(&path, json!({"title": "News", "template": template})).await.id();
    let pages = world.ada.get(&format!("/spaces/{space}/content/pages")).await.ok();
    let titles: Vec<&Value> = pages.list("pages").iter().map(|page| &page["title"]).collect();
    assert!(!titles.is_empty() && titles.iter().all(|title| **title != "Page"), "no empty page besides: {titles:?}");
    let message = world.ada.post(&path, json!({"template": {"id": "nothing"}})).await.error(400);
    assert!(message.starts_with("template.id:"), "{message}");
    let message = world.ada.post(&path, json!({"template": template, "empty": true})).await.error(400);
    assert!(message.starts_with("template:"), "{message}");
}

#[acceptance::test]
async fn merge_rules_name_members(world: World) {
    let (rita, eve) = (world.member("rita", Some(Role::Read)).await, world.stranger("eve").await);
    let space = world.space(json!({})).await;
    let space = format!("/spaces/{space}");
    let rules = |users: &[&str]| {
        let named = json!({"rule": "require_specific_reviewers", "users": users});
        json!({"mergeRules": {"type": "rules", "rules": [{"rule": "require_change_request_subject"}, named]}})
    };
    for path in [space, world.org("")] {
        world.ada.patch(&path, rules(&[rita.id()])).await.ok();
        let before = world.ada.get(&path).await.ok();
        let message = world.ada.patch(&path, rules(&[rita.id(), eve.id()])).await.error(400);
        assert_eq!(message, "mergeRules.rules[1].users[1]: is not a member of the organization");
        assert_eq!(world.ada.get(&path).await.ok(), before);
    }
}

#[acceptance::test]
async fn settings_change_field_by_field(world: World) {
    let space = world.space(json!({"title": "Guide", "emoji": "1f4d6"})).await;
    let path = format!("/spaces/{space}");
    let rules = json!({"type": "rules", "rules": [{"rule": "require_at_least_one_review"}]});
    let body =
        json!({"title": "Manual", "editMode": "locked", "defaultLevel": "read", "mergeRules": rules, "language": "fr"});
    let changed = world.ada.patch(&path, body).await.ok();
    assert_eq!(changed["title"], "Manual");
    assert_eq!(changed["editMode"], "locked");
    assert_eq!(changed["defaultLevel"], "read");
    assert_eq!(changed["mergeRules"], rules);
    assert_eq!(changed["emoji"], "1f4d6", "absent fields stay unchanged");
    let longest = "x".repeat(50);
    assert_eq!(world.ada.patch(&path, json!({"emoji": longest})).await.ok()["emoji"], longest);
    let changed = world.ada.patch(&path, json!({"defaultLevel": null, "emoji": null})).await.ok();
    assert_eq!(changed["defaultLevel"], json!(null), "null means no access");
    assert_eq!(changed["emoji"], "", "a string even if there is none");
    assert_eq!(world.ada.get(&path).await.ok(), changed);
}

#[acceptance::test]
#[case(json!({"title": "x".repeat(51)}), "title")]
#[case(json!({"emoji": "x".repeat(51)}), "emoji")]
#[case(json!({"editMode": "frozen"}), "editMode")]
#[case(json!({"defaultLevel": "owner"}), "defaultLevel")]
#[case(json!({"language": "xx"}), "language")]
#[case(json!({"mergeRules": {"type": "rules", "rules": [{"rule": "custom", "expression": ""}]}}), "mergeRules.rules[0].expression")]
#[case(json!({"mergeRules": {"type": "sometimes"}}), "mergeRules")]
#[case(json!({"mergeRules": null}), "mergeRules: must be an object")]
#[case(json!({"emoji": "1f4d6", "icon": "https://example.org/i.png"}), "icon")]
#[case(json!({"editURL": "/edit/main/"}), "editURL")]
#[case(json!({"editURL": "ssh://git@example.org/docs"}), "editURL")]
#[case(json!({"editURL": format!("https://example.org/{}", "x".repeat(2048))}), "editURL")]
#[case(json!({"editURL": ["https://example.org/"]}), "editURL")]
async fn a_bad_setting_is_named_and_nothing_changes(
    world: &World,
    #[case] body: serde_json::Value,
    #[case] field: &str,
) {
    let space = world.ada.post(&world.org("/spaces"), json!({"title": "x".repeat(50)})).await.expect(201);
    let path = format!("/spaces/{}", space.id());
    let message = world.ada.patch(&path, body).await.error(400);
    assert!(message.contains(field), "{message}");
    assert_eq!(world.ada.get(&path).await.ok(), space);
}

#[acceptance::test]
async fn a_caller_who_lowers_the_default_keeps_control_of_the_space(world: World) {
    let creator = world.member("carl", Some(Role::Create)).await;
    let space = creator.post(&world.org("/spaces"), json!({})).await.id();
    let path = format!("/spaces/{space}");
    let changed = creator.patch(&path, json!({"defaultLevel": "read"})).await.ok();
    assert_eq!((&changed["defaultLevel"], &changed["permissions"]["admin"]), (&json!("read"), &json!(true)));
    let kept = creator.get(&format!("{path}/permissions/users")).await.ok();
    assert_eq!(kept["items"][0]["permission"], "create");
    let other = world.member("otto", Some(Role::Create)).await;
    assert_eq!(other.get(&path).await.ok()["permissions"]["edit"], false);
}

#[acceptance::test]
#[case::an_editor(Role::Edit, 403)]
#[case::a_reviewer(Role::Review, 403)]
#[case::a_creator(Role::Create, 200)]
async fn only_callers_who_manage_a_space_change_its_edit_url(world: World, #[case] role: Role, #[case] status: u16) {
    let space = world.space(json!({})).await;
    let (path, url) = (format!("/spaces/{space}"), "https://example.org/edit/");
    assert_eq!(world.ada.patch(&path, json!({"editURL": url})).await.ok()["editURL"], url);
    let bob = world.member("bob", Some(role)).await;
    assert_eq!(bob.get(&path).await.ok()["editURL"], url, "every reader sees it");
    bob.patch(&path, json!({"editURL": null})).await.expect(status);
    assert_eq!(world.ada.get(&path).await.ok().get("editURL").is_none(), status == 200);
}

#[acceptance::test]
async fn callers_grant_at_most_their_own_level(world: World) {
    let creator = world.member("carl", Some(Role::Create)).await;
    let space = creator.post(&world.org("/spaces"), json!({})).await.id();
    let path = format!("/spaces/{space}");
    let message = creator.patch(&path, json!({"defaultLevel": "admin"})).await.error(403);
    assert!(message.contains("defaultLevel"), "{message}");
    assert_eq!(world.ada.patch(&path, json!({"defaultLevel": "admin"})).await.ok()["defaultLevel"], "admin");
}

#[acceptance::test]
async fn a_list_holds_what_the_caller_may_see(world: World) {
    let path = world.org("/spaces");
    let mut made = Vec::new();
    for n in 0..5 {
        let space = world.ada.post(&path, json!({"title": format!("Space {n}")})).await.id();
        made.push(space.clone());
    }
    for hidden in [&made[1], &made[3]] {
        world.ada.patch(&format!("/spaces/{hidden}"), json!({"defaultLevel": null})).await.ok();
    }
    let reader = world.member("rita", Some(Role::Read)).await;
    let mut seen = Vec::new();
    let mut next = format!("{path}?limit=2");
    loop {
        let list = reader.get(&next).await.ok();
        let items = list.list("items");
        assert_eq!(list["count"], 3);
        seen.extend(items.iter().map(|item| item.text("title").to_owned()));
        match list["next"]["page"].as_str() {
            Some(page) => next = format!("{path}?limit=2&page={page}"),
            None => break,
        }
    }
    assert_eq!(seen, ["Space 0", "Space 2", "Space 4"]);
    let guest = world.member("gus", None).await;
    assert_eq!(guest.get(&path).await.ok()["items"], json!([]));
    assert_eq!(world.ada.get(&path).await.ok().list("items").len(), 5);
    world.stranger("eve").await.get(&path).await.error(404);
}
