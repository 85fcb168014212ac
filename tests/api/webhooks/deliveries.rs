use super::{boot, deliveries, each, webhook, webhook_for};
use acceptance::{Backend, Fields, World};
use adapters_fetch::{FetchOptions, HttpFetcher};
use chrono::TimeDelta;
use domain::access::Role;
use domain::ports::PostRequest;
use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Value, json};
use sha2::Sha256;
use std::sync::Arc;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

fn header<'r>(request: &'r PostRequest, name: &str) -> &'r str {
    &request.headers.iter().find(|(known, _)| *known == name).unwrap_or_else(|| panic!("{name}")).1
}

/// The signature that a receiver computes.
fn signature(secret: &str, id: &str, timestamp: &str, body: &[u8]) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).unwrap();
    mac.update(format!("{id}.{timestamp}.").as_bytes());
    mac.update(body);
    let bytes = mac.finalize().into_bytes();
    bytes.iter().fold("v1=".to_owned(), |text, byte| format!("{text}{byte:02x}"))
}

fn is_signed_with(request: &PostRequest, secret: &str) -> bool {
    let (id, timestamp) = (header(request, "Octavo-Webhook-Id"), header(request, "Octavo-Webhook-Timestamp"));
    header(request, "Octavo-Webhook-Signature") == signature(secret, id, timestamp, &request.body)
}

#[acceptance::test]
async fn an_event_arrives_as_the_log_shows_it_with_a_signature(backend: Backend) {
    let Some((world, receiver)) = boot(backend).await else { return };
    let (path, secret) = webhook(&world, json!({"events": ["space_updated"]})).await;
    let space = world.space(json!({"title": "Before"})).await;
    world.ada.patch(&format!("/spaces/{space}"), json!({"title": "After"})).await.ok();
    receiver.write_to(world.services.store.clone());
    world.work().await;
    let sent = receiver.take();
    let [request] = sent.as_slice() else { panic!("{sent:?}") };
    assert_eq!(request.url, "https://hooks.example.org/octavo");
    assert_eq!(header(request, "Content-Type"), "application/json");
    let age =
        world.services.clock.now().timestamp() - header(request, "Octavo-Webhook-Timestamp").parse::<i64>().unwrap();
    assert!((0..60).contains(&age) && is_signed_with(request, &secret) && !is_signed_with(request, "another"));

    let body: Value = serde_json::from_slice(&request.body).unwrap();
    let event = world.ada.get(&world.org("/audit-events?action=space_updated")).await.ok()["items"][0].clone();
    assert_eq!((&body["object"], &body["type"], &body["id"]), (&json!("event"), &event["action"], &event["id"]));
    assert_eq!((&body["createdAt"], &body["target"]), (&event["occurredAt"], &event["target"]));
    assert_eq!((&body["payload"], &body["organization"]), (&event["payload"], &json!(world.organization)));
    assert_eq!(body["payload"]["changes"]["title"], json!({"before": "Before", "after": "After"}));
    let actor =
        json!({"type": "user", "id": world.ada.id(), "displayName": "Administrator", "email": "ada@example.org"});
    assert_eq!(body["actor"], actor);
    assert!(!body.to_string().contains("127.0.0.1"), "the address of the client stays in the log");

    let [listed] = deliveries(&world, &path).await.try_into().unwrap_or_else(|all| panic!("{all:?}"));
    assert_eq!(listed["id"], header(request, "Octavo-Webhook-Id"));
    assert_eq!(
        (&listed["state"], &listed["attempts"], &listed["event"]),
        (&json!("delivered"), &json!(1), &event["id"])
    );
    assert_eq!(listed["lastResponse"], json!({"status": 200, "body": "status 200"}));
    assert_eq!((listed.get("nextAttemptAt"), &listed["lastAttemptAt"]), (None, &listed["finishedAt"]));
    let location = listed["urls"].text("location").strip_prefix("https://docs.test/v1").unwrap().to_owned();
    let mut whole = world.ada.get(&location).await.ok();
    assert_eq!(whole.as_object_mut().unwrap().remove("payload"), Some(body));
    assert_eq!(whole, listed);
}

#[acceptance::test]
async fn the_address_of_a_user_who_left_is_neither_sent_nor_in_the_log(backend: Backend) {
    let Some((world, receiver)) = boot(backend).await else { return };
    let path = webhook_for(&world, &receiver, &["space_created"]).await;
    let bob = world.member("bob", Some(Role::Create)).await;
    bob.post(&world.org("/spaces"), json!({})).await.id();
    let actors = async || {
        world.work().await;
        let log = world.ada.get(&world.org("/audit-events?action=space_created")).await.ok();
        [receiver.bodies().remove(0)["actor"].clone(), log["items"][0]["actor"].clone()]
    };
    for actor in actors().await {
        assert_eq!((actor.text("displayName"), actor.text("email")), ("bob", "bob@example.org"));
    }
    world.ada.delete(&world.org(&format!("/members/{}", bob.id()))).await.expect(205);
    let sent = deliveries(&world, &path).await.remove(0);
    world.ada.post(&format!("{path}/deliveries/{}/redeliver", sent.id()), json!({})).await.expect(201);
    for actor in actors().await {
        assert_eq!((actor.text("displayName"), actor.get("email")), ("bob", None));
        assert_eq!(actor.id(), bob.id());
    }
}

#[acceptance::test]
async fn a_webhook_gets_the_types_that_it_asks_for(backend: Backend) {
    let Some((world, receiver)) = boot(backend).await else { return };
    let all = webhook(&world, json!({})).await.0;
    let some = webhook(&world, json!({"events": ["space_created", "space_deleted"]})).await.0;
    let disabled = webhook(&world, json!({"enabled": false})).await.0;
    let space = world.space(json!({})).await;
    world.ada.patch(&format!("/spaces/{space}"), json!({"title": "Other"})).await.ok();
    world.stranger("eve").await.get(&world.org("/audit-events")).await.error(404);
    world.member("rita", Some(domain::access::Role::Read)).await.get(&world.org("/audit-events")).await.error(403);
    let kinds = async |path: &str| each(&deliveries(&world, path).await, "type").join(" ");
    assert_eq!(kinds(&some).await, "space_created");
    assert_eq!(kinds(&disabled).await, "");
    let expected = "member_added space_updated space_created webhook_created webhook_created webhook_created";
    assert_eq!(kinds(&all).await, expected, "no denied request, and nothing of accounts");
    world.work().await;
    assert_eq!(receiver.take().len(), 7);
}

#[acceptance::test]
async fn an_event_of_another_organization_is_not_sent(backend: Backend) {
    let Some((world, receiver)) = boot(backend).await else { return };
    let path = webhook_for(&world, &receiver, &[]).await;
    let other = world.ada.post("/orgs", json!({"title": "Other"})).await.id();
    world.ada.post(&format!("/orgs/{other}/spaces"), json!({})).await.expect(201);
    world.work().await;
    assert!(receiver.take().is_empty());
    let space = world.space(json!({})).await;
    world.ada.post(&format!("/spaces/{space}/transfer"), json!({"organization": other})).await.ok();
    world.work().await;
    assert_eq!(each(&receiver.bodies(), "type"), ["space_created", "space_transferred"]);
    assert_eq!(deliveries(&world, &path).await.len(), 3);
}

#[acceptance::test]
async fn a_change_that_is_refused_sends_nothing(backend: Backend) {
    let Some((world, receiver)) = boot(backend).await else { return };
    let path = webhook_for(&world, &receiver, &[]).await;
    world.ada.patch(&world.org(""), json!({"title": "x"})).await.error(400);
    let stale = |request: actix_web::test::TestRequest| {
        request.insert_header(("If-Match", "\"stale\"")).set_json(json!({"description": "x"}))
    };
    world.ada.send(actix_web::http::Method::PATCH, &path, stale).await.error(412);
    world.work().await;
    assert!(receiver.take().is_empty());
}

#[acceptance::test]
async fn a_ping_shows_that_requests_arrive(backend: Backend) {
    let Some((world, receiver)) = boot(backend).await else { return };
    let path = webhook_for(&world, &receiver, &["space_created"]).await;
    let answer = world.ada.post(&format!("{path}/ping"), json!({})).await;
    let location = answer.header("location").unwrap().to_owned();
    let made = answer.expect(201);
    assert_eq!((&made["type"], &made["state"], made.get("event")), (&json!("ping"), &json!("pending"), None));
    assert_eq!(location, made["urls"].text("location"));
    world.work().await;
    let [body] = receiver.bodies().try_into().unwrap_or_else(|all| panic!("{all:?}"));
    assert_eq!(body, made["payload"]);
    assert_eq!((&body["type"], &body["id"]), (&json!("ping"), &made["id"]));
    assert_eq!(body["target"], json!({"type": "webhook", "id": path.rsplit('/').next().unwrap()}));
    let path_of_delivery = location.strip_prefix("https://docs.test/v1").unwrap();
    assert_eq!(world.ada.get(path_of_delivery).await.ok()["state"], "delivered");
    world.ada.patch(&path, json!({"enabled": false})).await.ok();
    let told = world.ada.post(&format!("{path}/ping"), json!({})).await.error(409);
    assert_eq!(told, "the webhook is disabled: enable it first");
}

#[acceptance::test]
async fn an_event_is_sent_again_on_request(backend: Backend) {
    let Some((world, receiver)) = boot(backend).await else { return };
    let path = webhook_for(&world, &receiver, &["space_created"]).await;
    world.space(json!({})).await;
    let first = deliveries(&world, &path).await[0].id().to_owned();
    let again = format!("{path}/deliveries/{first}/redeliver");
    let told = world.ada.post(&again, json!({})).await.error(409);
    assert_eq!(told, "the delivery is still pending: it will be retried");
    world.work().await;
    let made = world.ada.post(&again, json!({})).await.expect(201);
    assert_eq!((&made["redeliveryOf"], &made["state"]), (&json!(first), &json!("pending")));
    assert_ne!(made["id"], first);
    world.work().await;
    let sent = receiver.bodies();
    assert_eq!(sent.len(), 2);
    assert_eq!(sent[0], sent[1], "the id of the event tells the receiver that it is the same");
    assert_eq!(each(&deliveries(&world, &path).await, "state"), ["delivered", "delivered"]);
    world.ada.post(&format!("{path}/deliveries/nothing/redeliver"), json!({})).await.error(404);
    world.ada.patch(&path, json!({"enabled": false})).await.ok();
    world.ada.post(&again, json!({})).await.error(409);
}

#[acceptance::test]
async fn attempts_are_signed_with_the_newest_secret(backend: Backend) {
    let Some((world, receiver)) = boot(backend).await else { return };
    let (path, first) = webhook(&world, json!({"events": ["space_created"]})).await;
    receiver.answer_with(500);
    world.space(json!({})).await;
    world.work().await;
    let second = world.ada.post(&format!("{path}/secret"), json!({})).await.ok().text("secret").to_owned();
    world.pass(TimeDelta::hours(1)).await;
    let sent = receiver.take();
    assert!(sent.len() >= 2 && is_signed_with(&sent[0], &first));
    assert!(is_signed_with(&sent[1], &second) && !is_signed_with(&sent[1], &first));
}

#[acceptance::test]
async fn deliveries_are_listed_by_state_and_page_by_page(backend: Backend) {
    let Some((world, receiver)) = boot(backend).await else { return };
    let path = webhook_for(&world, &receiver, &["space_created"]).await;
    receiver.answer(|request| {
        let body: Value = serde_json::from_slice(&request.body).unwrap();
        let status = if body["type"] == "ping" { 410 } else { 204 };
        Ok(domain::ports::Posted { status, body: "".into() })
    });
    for _ in 0..3 {
        world.space(json!({})).await;
    }
    world.ada.post(&format!("{path}/ping"), json!({})).await.expect(201);
    world.work().await;
    let list = async |query: &str| world.ada.get(&format!("{path}/deliveries{query}")).await.ok();
    assert_eq!(each(list("?state=pending").await.list("items"), "type"), ["ping"]);
    assert_eq!(list("?state=delivered").await["count"], 3);
    assert_eq!(list("?state=failed").await["items"], json!([]));
    let first = list("?limit=3").await;
    assert_eq!((each(first.list("items"), "type")[0], &first["count"]), ("ping", &json!(4)), "newest first");
    let next = list(&format!("?limit=3&page={}", first["next"].text("page"))).await;
    assert_eq!((next.list("items").len(), next.get("next")), (1, None));
    assert!(next["items"][0].text("createdAt") <= first["items"][2].text("createdAt"));
    let told = world.ada.get(&format!("{path}/deliveries?state=lost")).await.error(400);
    assert_eq!(told, "state: must be one of pending, delivered, failed, stopped");
}

#[acceptance::test]
async fn deliveries_are_kept_for_30_days(backend: Backend) {
    let Some((world, receiver)) = boot(backend).await else { return };
    let path = webhook_for(&world, &receiver, &["space_created"]).await;
    world.space(json!({})).await;
    world.pass(TimeDelta::days(29)).await;
    assert_eq!(deliveries(&world, &path).await.len(), 1);
    world.space(json!({})).await;
    world.pass(TimeDelta::days(3)).await;
    let [kept] = deliveries(&world, &path).await.try_into().unwrap_or_else(|all| panic!("{all:?}"));
    assert_eq!(kept["state"], "delivered");
}

/// The whole way over a socket, with an operator who allows private addresses.
#[acceptance::test]
async fn a_request_reaches_a_real_server(backend: Backend) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/hook?a=1", listener.local_addr().unwrap());
    let fetcher = HttpFetcher::new(FetchOptions { allow_private: true, own: Vec::new() });
    let Some(world) = World::with_fetcher(backend, Arc::new(fetcher)).await else { return };
    let (path, secret) = webhook(&world, json!({"url": url, "events": ["space_created"]})).await;
    world.space(json!({})).await;
    let serving = async {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut request = Vec::new();
        let (head, length) = loop {
            assert!(stream.read_buf(&mut request).await.unwrap() > 0);
            let text = String::from_utf8_lossy(&request).into_owned();
            if let Some((head, _)) = text.split_once("\r\n\r\n") {
                let head = head.to_lowercase();
                let length = head.split("content-length: ").nth(1).unwrap().lines().next().unwrap();
                break (head.clone(), length.parse::<usize>().unwrap());
            }
        };
        let begin = head.len() + 4;
        while request.len() < begin + length {
            assert!(stream.read_buf(&mut request).await.unwrap() > 0);
        }
        stream.write_all(b"HTTP/1.1 202 Accepted\r\nContent-Length: 2\r\n\r\nok").await.unwrap();
        (head, request[begin..].to_vec())
    };
    let (_, (head, body)) = tokio::join!(world.work(), serving);
    assert!(head.starts_with("post /hook?a=1 http/1.1"), "{head}");
    let value = |name: &str| head.split(&format!("{name}: ")).nth(1).unwrap().lines().next().unwrap().to_owned();
    let (id, timestamp) = (value("octavo-webhook-id"), value("octavo-webhook-timestamp"));
    assert_eq!(value("octavo-webhook-signature"), signature(&secret, &id, &timestamp, &body));
    let delivery = deliveries(&world, &path).await.remove(0);
    assert_eq!(delivery["lastResponse"], json!({"status": 202, "body": "ok"}));
}
