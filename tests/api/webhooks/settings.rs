use super::{boot, deliveries, webhook};
use acceptance::{Backend, Fields, World};
use domain::webhook::MAX_WEBHOOKS;
use serde_json::{Value, json};

const URL: &str = "https://hooks.example.org/octavo?key=hidden";

async fn logged(world: &World, action: &str) -> Vec<Value> {
    world.ada.get(&world.org(&format!("/audit-events?action={action}"))).await.ok().list("items").to_vec()
}

#[acceptance::test]
async fn the_secret_of_a_webhook_is_shown_once(world: World) {
    let body = json!({"url": URL, "description": "Chat", "events": ["space_updated", "space_created"]});
    let answer = world.ada.post(&world.org("/webhooks"), body).await;
    assert!(answer.header("cache-control").unwrap().contains("no-store"));
    let location = answer.header("location").unwrap().to_owned();
    let mut made = answer.expect(201);
    assert_eq!(location, made["urls"].text("location"));
    assert!(made.text("secret").starts_with("octavo_webhook_"));
    assert_eq!((&made["object"], &made["url"], &made["enabled"]), (&json!("webhook"), &json!(URL), &json!(true)));
    assert_eq!(made["events"], json!(["space_created", "space_updated"]));
    assert_eq!(made["urls"]["deliveries"], format!("{location}/deliveries"));
    made.as_object_mut().unwrap().remove("secret");
    let path = location.strip_prefix("https://docs.test/v1").unwrap();
    assert_eq!(world.ada.get(path).await.ok(), made);
    assert_eq!(world.ada.get(&world.org("/webhooks")).await.ok(), json!({"count": 1, "items": [made]}));
}

#[acceptance::test]
async fn a_webhook_is_updated_field_by_field_and_the_log_has_the_changes(world: World) {
    let (path, _) = webhook(&world, json!({"url": URL, "description": "Chat"})).await;
    let before = world.ada.get(&path).await.ok();
    assert_eq!(before["events"], json!([]));
    let url = "https://other.example.org/b";
    let after = world.ada.patch(&path, json!({"url": url, "events": ["space_created"]})).await.ok();
    assert_eq!((&after["url"], &after["description"]), (&json!(url), &json!("Chat")));
    assert!(after.text("updatedAt") > before.text("updatedAt"));
    let after = world.ada.patch(&path, json!({"description": null, "events": [], "enabled": false})).await.ok();
    assert_eq!((after.get("description"), &after["events"], &after["url"]), (None, &json!([]), &json!(url)));
    assert_eq!((&after["enabled"], &after["disabledReason"]), (&json!(false), &json!("request")));
    assert!(after["disabledAt"].is_string());
    let after = world.ada.patch(&path, json!({"enabled": true})).await.ok();
    assert_eq!((&after["enabled"], after.get("disabledAt"), after.get("disabledReason")), (&json!(true), None, None));
    assert_eq!(world.ada.get(&path).await.ok(), after);
    for same in [json!({}), json!({"url": url, "description": null, "events": [], "enabled": true})] {
        assert_eq!(world.ada.patch(&path, same).await.ok(), after, "nothing changes, not even updatedAt");
    }

    let told = logged(&world, "webhook_updated").await;
    assert_eq!(told.len(), 3);
    assert_eq!(told[0]["payload"]["changes"], json!({"enabled": {"before": false, "after": true}}));
    let origin = json!({"before": "https://hooks.example.org", "after": "https://other.example.org"});
    assert_eq!(told[2]["payload"]["changes"]["origin"], origin);
    assert!(!json!(told).to_string().contains("hidden"), "the path and the query can be secrets of the receiver");
    assert_eq!(told[0]["target"], json!({"type": "webhook", "id": after["id"]}));
    assert_eq!(logged(&world, "webhook_created").await.len(), 1);
}

#[acceptance::test]
#[case::no_url(json!({}), "url")]
#[case::another_scheme(json!({"url": "ftp://example.org/"}), "url: must be an address")]
#[case::a_password(json!({"url": "https://a:b@example.org/"}), "url: must not contain a user")]
#[case::a_long_url(json!({"url": format!("https://example.org/{}", "a".repeat(2048))}), "url: must be at most 2048")]
#[case::a_long_description(json!({"url": URL, "description": "a".repeat(201)}), "description: must have at most 200")]
#[case::an_unknown_type(json!({"url": URL, "events": ["space_created", "space_lost"]}), "events[1]: must be one of")]
#[case::a_denied_request(json!({"url": URL, "events": ["access_denied"]}), "events[0]: must be one of")]
#[case::an_event_of_an_account(json!({"url": URL, "events": ["token_created"]}), "events[0]: must be one of")]
async fn a_setting_that_breaks_a_rule_is_refused(world: World, #[case] body: Value, #[case] rule: &str) {
    let told = world.ada.post(&world.org("/webhooks"), body.clone()).await.error(400);
    assert!(told.starts_with(rule), "{told}");
    let (path, _) = webhook(&world, json!({})).await;
    if body["url"].is_string() {
        assert_eq!(world.ada.patch(&path, body).await.error(400), told);
    }
    assert_eq!(world.ada.get(&world.org("/webhooks")).await.ok()["count"], 1);
}

#[acceptance::test]
async fn an_organization_has_a_limited_number_of_webhooks(world: World) {
    let mut last = String::new();
    for _ in 0..MAX_WEBHOOKS {
        last = webhook(&world, json!({"enabled": false})).await.0;
    }
    let told = world.ada.post(&world.org("/webhooks"), json!({"url": URL})).await.error(409);
    assert_eq!(told, "the organization already has 20 webhooks: delete one first");
    let list = world.ada.get(&world.org("/webhooks?limit=15")).await.ok();
    assert_eq!((&list["count"], list.list("items").len()), (&json!(20), 15));
    let next = world.ada.get(&world.org(&format!("/webhooks?limit=15&page={}", list["next"].text("page")))).await.ok();
    assert_eq!(next.list("items").len(), 5);
    assert_eq!(world.ada.delete(&last).await.status.as_u16(), 205);
    webhook(&world, json!({})).await;
}

#[acceptance::test]
async fn a_new_secret_replaces_the_old_one(world: World) {
    let (path, first) = webhook(&world, json!({})).await;
    let answer = world.ada.post(&format!("{path}/secret"), json!({})).await;
    assert!(answer.header("cache-control").unwrap().contains("no-store"));
    let replaced = answer.ok();
    assert_ne!(replaced.text("secret"), first);
    assert!(world.ada.get(&path).await.ok().get("secret").is_none());
    let told = logged(&world, "webhook_updated").await;
    assert_eq!(told[0]["payload"]["secretReplaced"], true);
}

#[acceptance::test]
async fn a_webhook_is_deleted_with_its_deliveries(backend: Backend) {
    let Some((world, receiver)) = boot(backend).await else { return };
    let (path, _) = webhook(&world, json!({})).await;
    let kept = webhook(&world, json!({"events": ["webhook_deleted"]})).await.0;
    world.space(json!({})).await;
    let delivery = deliveries(&world, &path).await[0].id().to_owned();
    assert_eq!(world.ada.delete(&path).await.status.as_u16(), 205);
    assert_eq!(world.ada.delete(&path).await.status.as_u16(), 204);
    world.ada.get(&path).await.error(404);
    world.ada.get(&format!("{path}/deliveries")).await.error(404);
    world.ada.get(&format!("{path}/deliveries/{delivery}")).await.error(404);
    world.work().await;
    let sent = receiver.bodies();
    assert_eq!(super::each(&sent, "type"), ["webhook_deleted"], "only the other webhook gets a request");
    assert_eq!(deliveries(&world, &kept).await.len(), 1);
    // Deliveries are removed once the clock is trusted.
    world.pass(chrono::TimeDelta::hours(2)).await;
    assert_eq!(world.dump().await["webhook_deliveries"].len(), 1);
    assert_eq!(logged(&world, "webhook_deleted").await.len(), 1);
}

#[acceptance::test]
async fn a_webhook_of_another_organization_is_not_there(world: World) {
    let (path, _) = webhook(&world, json!({})).await;
    let id = path.rsplit('/').next().unwrap();
    let other = world.ada.post("/orgs", json!({"title": "Other"})).await.id();
    for rest in ["", "/deliveries"] {
        world.ada.get(&format!("/orgs/{other}/webhooks/{id}{rest}")).await.error(404);
    }
    for rest in ["/ping", "/secret"] {
        world.ada.post(&format!("/orgs/{other}/webhooks/{id}{rest}"), json!({})).await.error(404);
    }
}
