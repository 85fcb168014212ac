use crate::access::{OPERATIONS, Place};
use acceptance::{Answer, Caller, Fields, Fixture, World};
use actix_web::http::Method;
use chrono::TimeDelta;
use domain::access::{Membership, Role};
use serde_json::{Value, json};
use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;

async fn once(caller: &Caller, key: &str, path: &str, body: &Value) -> Answer {
    let with = |request: actix_web::test::TestRequest| request.insert_header(("Idempotency-Key", key)).set_json(body);
    caller.send(Method::POST, path, with).await
}

#[acceptance::test]
async fn the_same_key_and_body_are_answered_with_the_first_answer(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let path = format!("/spaces/{space}/change-requests");
    let body = json!({ "subject": "Once" });
    let (first, again) = (once(&world.ada, "k1", &path, &body).await, once(&world.ada, "k1", &path, &body).await);
    assert_eq!((first.header("location"), first.header("idempotent-replayed")), (again.header("location"), None));
    assert_eq!(again.header("idempotent-replayed"), Some("true"));
    assert_eq!(first.expect(201), again.expect(201));
    assert_eq!(world.ada.get(&format!("/spaces/{space}")).await.ok()["changeRequests"], 1);
    let other = once(&world.ada, "k2", &path, &body).await.expect(201);
    assert_eq!(other["number"], 2, "a different key is a different request");
}

#[acceptance::test]
async fn another_request_under_a_known_key_is_refused(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let path = format!("/spaces/{space}/change-requests");
    once(&world.ada, "k", &path, &json!({ "subject": "One" })).await.expect(201);
    let message = once(&world.ada, "k", &path, &json!({ "subject": "Two" })).await.error(422);
    assert!(message.contains("Idempotency-Key"), "{message}");
    once(&world.ada, "k", &world.org("/spaces"), &json!({ "title": "Elsewhere" })).await.expect(201);
    let bob = world.member("bob", Some(Role::Edit)).await;
    once(&bob, "k", &path, &json!({ "subject": "Two" })).await.expect(201);
}

#[acceptance::test]
async fn a_stored_response_needs_access_to_the_space(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let (path, body) = (format!("/spaces/{space}/change-requests"), json!({ "subject": "Mine" }));
    let bob = world.member("bob", Some(Role::Edit)).await;
    once(&bob, "k", &path, &body).await.expect(201);
    let out = Membership { role: Some(Role::Edit), disabled: true };
    world.set_membership(bob.user.as_ref().unwrap(), out).await;
    once(&bob, "k", &path, &body).await.error(404);
    let encoded = format!("/spaces/%{:02X}{}/change-requests", space.as_str().as_bytes()[0], &space.as_str()[1..]);
    once(&bob, "k", &encoded, &body).await.error(404);
}

#[acceptance::test]
async fn a_stored_response_needs_access_to_the_created_object(world: World) {
    let cora = world.member("cora", Some(Role::Create)).await;
    let (path, body) = (world.org("/spaces"), json!({ "title": "Mine" }));
    let made = once(&cora, "k", &path, &body).await.id();
    world.ada.patch(&format!("/spaces/{made}"), json!({ "defaultLevel": null })).await.ok();
    let grant = format!("/spaces/{}/permissions/users/{}", made, cora.id());
    world.ada.send(Method::DELETE, &grant, |request| request).await;
    once(&cora, "k", &path, &body).await.error(404);
    let own = once(&cora, "o", "/orgs", &json!({ "title": "Own" })).await.expect(201);
    let (own, eve) = (own.id(), world.stranger("eve").await);
    let eve_joins = json!({ "emails": ["eve@example.org"], "role": "admin" });
    cora.post(&format!("/orgs/{own}/invites"), eve_joins).await.ok();
    eve.send(Method::DELETE, &format!("/orgs/{own}/members/{}", cora.id()), |request| request).await;
    once(&cora, "o", "/orgs", &json!({ "title": "Own" })).await.error(404);
}

#[acceptance::test]
async fn an_invite_by_link_is_made_once_under_a_key_and_its_id_is_kept_nowhere(world: World) {
    let (path, body) = (world.org("/link-invites"), json!({ "role": "read" }));
    let made = once(&world.ada, "k", &path, &body).await.id();
    let token = once(&world.ada, "k", "/user/tokens", &json!({ "label": "once" })).await.expect(201);
    assert!(token["token"].is_string());
    let again = once(&world.ada, "k", &path, &body).await.error(409);
    assert_eq!(again, once(&world.ada, "k", "/user/tokens", &json!({ "label": "once" })).await.error(409));
    let listed = world.ada.get(&path).await.ok();
    assert_eq!(listed.list("items").len(), 1, "{listed}");
    assert_eq!(listed["items"][0]["id"], made, "the list shows it to callers who may create one");
}

#[acceptance::test]
async fn a_refused_request_can_be_sent_again_under_its_key(world: World) {
    let path = world.org("/spaces");
    once(&world.ada, "k", &path, &json!({ "title": "x".repeat(51) })).await.error(400);
    once(&world.ada, "k", &path, &json!({ "title": "x" })).await.expect(201);
}

#[acceptance::test]
async fn a_key_is_short_and_visible(world: World) {
    for key in ["with space", &"k".repeat(256)] {
        let message = once(&world.ada, key, &world.org("/spaces"), &json!({})).await.error(400);
        assert!(message.starts_with("Idempotency-Key:"), "{message}");
    }
}

#[acceptance::test]
async fn a_stored_response_about_a_collection_needs_access_to_it(world: World) {
    let carl = world.member("carl", Some(Role::Create)).await;
    let outer = world.collection(json!({})).await;
    let moved = world.collection(json!({"title": "Secret"})).await;
    let path = format!("/collections/{moved}");
    let to = json!({"parent": outer});
    once(&carl, "k", &format!("{path}/move"), &to).await.ok();
    once(&carl, "k", &format!("{path}/move"), &to).await.ok();
    world.ada.patch(&path, json!({"defaultLevel": null})).await.ok();
    once(&carl, "k", &format!("{path}/move"), &to).await.error(404);
}

/// Sends an operation twice under a key. Its response must be stored, or be a secret.
async fn twice(caller: &Caller, path: &str, body: &Value) {
    let path = path.strip_prefix("/v1").unwrap_or(path);
    let first = once(caller, "twice", path, body).await;
    assert!(first.status.is_success(), "{path}: {first:?}");
    let again = once(caller, "twice", path, body).await;
    if first.header("cache-control") == Some("no-store") {
        assert!(again.error(409).contains("its response has a secret and was not stored"), "{path}");
        return;
    }
    assert_eq!(again.header("idempotent-replayed"), Some("true"), "{path}: {again:?}");
    assert_eq!((first.status, first.bytes), (again.status, again.bytes), "{path}");
}

#[acceptance::test]
async fn every_operation_stores_its_response_under_a_key(world: World) {
    let place = Place::build(world).await;
    let world = &place.world;
    for (method, pattern, _, fine) in OPERATIONS {
        // The table refuses some operations; these have other targets below.
        // A search and a preview change nothing: sent again, they run again.
        let changes = !pattern.ends_with("/search") && !pattern.contains("/content/computed/");
        if *method == "post" && *fine < 300 && changes {
            let (path, body) = place.prepare(&world.ada, method, pattern).await;
            twice(&world.ada, &path, &body.unwrap_or(json!({}))).await;
        }
    }
    let other = world.ada.post("/orgs", json!({"title": "Other"})).await.id();
    let (space, collection) = (world.space(json!({})).await, world.collection(json!({})).await);
    let to = world.collection(json!({})).await;
    for moved in [format!("/spaces/{space}"), format!("/collections/{collection}")] {
        twice(&world.ada, &format!("{moved}/move"), &json!({"parent": to})).await;
        twice(&world.ada, &format!("{moved}/transfer"), &json!({"organization": other})).await;
    }
    world.ada.delete(&format!("/spaces/{space}")).await;
    twice(&world.ada, &format!("/spaces/{space}/restore"), &json!({})).await;
    let invite = world.ada.post(&world.org("/link-invites"), json!({"role": "read"})).await.id();
    twice(&world.stranger("eve").await, &world.org(&format!("/invites/{invite}")), &json!({})).await;
}

#[acceptance::test]
async fn an_expired_key_is_a_new_one(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let (path, body) = (format!("/spaces/{space}/change-requests"), json!({ "subject": "Once a day" }));
    let first = once(&world.ada, "k", &path, &body).await.expect(201);
    world.clock.advance(TimeDelta::hours(25));
    let send = || once(&world.ada, "k", &path, &body);
    let (one, other) = tokio::join!(send(), send());
    let (one, other) = (one.expect(201), other.expect(201));
    assert_eq!((&one["number"], &one), (&json!(2), &other), "not {first}");
    assert_eq!(send().await.expect(201), one);
}

/// Polls a future up to `polls` times, and drops it. Returns whether it ended.
async fn dropped_after(polls: usize, work: impl Future) -> bool {
    let (mut work, mut polled) = (pin!(work), 0);
    poll_fn(|context| {
        polled += 1;
        match work.as_mut().poll(context) {
            Poll::Ready(_) => Poll::Ready(true),
            Poll::Pending if polled >= polls => Poll::Ready(false),
            Poll::Pending => Poll::Pending,
        }
    })
    .await
}

#[acceptance::test]
async fn a_client_that_disconnects_at_any_time_can_send_its_request_again(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let (path, body) = (format!("/spaces/{space}/change-requests"), json!({ "subject": "Once" }));
    let mut polls = 0;
    loop {
        polls += 1;
        let key = format!("key-{polls}");
        let ended = dropped_after(polls, once(&world.ada, &key, &path, &body)).await;
        let made = once(&world.ada, &key, &path, &body).await.expect(201);
        assert_eq!(made["number"], polls, "each is made once");
        if ended {
            break;
        }
    }
    assert!(polls > 1, "the client never disconnected");
}
