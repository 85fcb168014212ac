use acceptance::{Answer, Backend, Caller, Fields, World};
use actix_web::http::Method;
use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use domain::scope::{Scope, ScopeSet, Scopes};
use domain::token::NewToken;
use serde_json::{Value, json};

async fn delete(caller: &Caller, id: &str) -> u16 {
    let answer = caller.send(Method::DELETE, &format!("/user/tokens/{id}"), |request| request).await;
    assert!(answer.bytes.is_empty());
    answer.status.as_u16()
}

fn written(moment: DateTime<Utc>) -> String {
    moment.to_rfc3339_opts(SecondsFormat::Micros, true)
}

fn labels(list: &Value) -> Vec<&str> {
    list.list("items").iter().map(|token| token.text("label")).collect()
}

#[acceptance::test]
async fn a_token_is_made_shown_once_and_opens_what_its_scopes_name(world: World) {
    let end = written(world.services.clock.now() + TimeDelta::days(30));
    let body = json!({ "label": "ci", "scopes": ["user:read", "space:read"], "expiresAt": end });
    let answer = world.ada.post("/user/tokens", body).await;
    let location = answer.header("location").unwrap().to_owned();
    assert_eq!(answer.header("cache-control"), Some("no-store"), "a secret must not be stored");
    let made = answer.expect(201);
    assert_eq!((made["object"].as_str(), made["label"].as_str()), (Some("api-token"), Some("ci")));
    assert_eq!(made["scopes"], json!(["user:read", "space:read"]));
    assert_eq!(made.text("expiresAt").parse::<DateTime<Utc>>().unwrap(), end.parse::<DateTime<Utc>>().unwrap());
    assert_eq!(made["urls"]["location"], location);

    let caller = world.with_token(made.text("token"));
    assert_eq!(caller.get("/user").await.ok()["id"], world.ada.user.as_ref().unwrap().as_str());
    assert_eq!(caller.get("/orgs").await.error(403), "the token lacks the scope organization:read");

    let mut shown = made.clone();
    shown.as_object_mut().unwrap().remove("token");
    let path = location.strip_prefix("https://docs.test/v1").unwrap();
    assert_eq!(world.ada.get(path).await.ok(), shown, "without the secret");
    let list = world.ada.get("/user/tokens").await.ok();
    assert_eq!(labels(&list), ["first administrator", "ci"]);
    assert_eq!(list["items"][1], shown);
    assert!(list["items"][0].get("scopes").is_none(), "a token without a limit shows no scopes");
}

#[acceptance::test]
async fn tokens_are_listed_a_page_at_a_time(world: World) {
    for label in ["one", "two", "three"] {
        world.ada.post("/user/tokens", json!({ "label": label })).await.expect(201);
    }
    let first = world.ada.get("/user/tokens?limit=2").await.ok();
    let page = first["next"].text("page");
    let second = world.ada.get(&format!("/user/tokens?limit=2&page={page}")).await.ok();
    assert_eq!([labels(&first), labels(&second)].concat(), ["first administrator", "one", "two", "three"]);
    assert!(second.get("next").is_none());
    for limit in ["-1", "1001"] {
        world.ada.get(&format!("/user/tokens?limit={limit}")).await.error(400);
    }
    world.ada.get("/user/tokens?limit=1000").await.ok();
}

#[acceptance::test]
async fn a_deleted_token_is_not_listed_and_not_accepted(world: World) {
    let made = world.ada.post("/user/tokens", json!({ "label": "short" })).await.expect(201);
    let (id, caller) = (made.id(), world.with_token(made.text("token")));
    caller.get("/user").await.ok();
    assert_eq!(delete(&world.ada, id).await, 205);
    caller.get("/user").await.error(401);
    assert_eq!(delete(&world.ada, id).await, 204);
    world.ada.get(&format!("/user/tokens/{id}")).await.error(404);
    assert_eq!(labels(&world.ada.get("/user/tokens").await.ok()), ["first administrator"]);
    let own = world.ada.get("/user/tokens").await.ok()["items"][0].id().to_owned();
    assert_eq!(delete(&world.ada, &own).await, 205, "also the token that deletes it");
    world.ada.get("/user").await.error(401);
}

#[acceptance::test]
async fn the_tokens_of_others_are_not_there(world: World) {
    let eve = world.stranger("eve").await;
    let made = world.ada.post("/user/tokens", json!({ "label": "mine" })).await.expect(201);
    let id = made.id();
    let hidden = eve.get(&format!("/user/tokens/{id}")).await.error(404);
    assert_eq!(eve.get("/user/tokens/nothing").await.error(404), hidden);
    assert_eq!([delete(&eve, id).await, delete(&eve, "nothing").await], [204, 204]);
    world.with_token(made.text("token")).get("/user").await.ok();
    assert_eq!(labels(&eve.get("/user/tokens").await.ok()), ["test"]);
}

#[acceptance::test]
async fn a_token_creates_no_token_with_more_rights_or_a_later_expiry(world: World) {
    let (ada, now) = (world.ada.user.as_ref().unwrap(), world.services.clock.now());
    let everything = world.with_scopes(ada, Scope::ALL.iter().copied()).await;
    everything.post("/user/tokens", json!({ "label": "x" })).await.error(403);

    let (label, end) = ("a day".parse().unwrap(), now + TimeDelta::days(1));
    let passing = world.with_new_token(ada, NewToken { expires_at: Some(end), ..NewToken::unlimited(label) }).await;
    for wanted in [json!(null), json!(written(end + TimeDelta::microseconds(1)))] {
        let message = passing.post("/user/tokens", json!({ "label": "x", "expiresAt": wanted })).await.error(400);
        assert!(message.starts_with("expiresAt: must be no later than"), "{message}");
    }
    passing.post("/user/tokens", json!({ "label": "x", "expiresAt": written(end) })).await.expect(201);
    world.ada.post("/user/tokens", json!({ "label": "x", "expiresAt": written(end) })).await.expect(201);
}

#[acceptance::test]
#[case(json!({}), "label:")]
#[case(json!({ "label": "x".repeat(51) }), "label:")]
#[case(json!({ "label": "x", "scopes": [] }), "scopes:")]
#[case(json!({ "label": "x", "scopes": ["space:read", "space:delete"] }), "scopes[1]:")]
#[case(json!({ "label": "x", "expiresAt": "2001-01-01T00:00:00Z" }), "expiresAt: must be in the future")]
#[case(json!({ "label": "x", "expiresAt": "soon" }), "expiresAt:")]
async fn a_token_that_breaks_a_rule_is_not_made(world: World, #[case] body: Value, #[case] start: &str) {
    let message = world.ada.post("/user/tokens", body).await.error(400);
    assert!(message.starts_with(start), "{message}");
    assert_eq!(labels(&world.ada.get("/user/tokens").await.ok()).len(), 1);
    world.ada.post("/user/tokens", json!({ "label": "x".repeat(50) })).await.expect(201);
}

#[acceptance::test]
async fn a_token_is_made_once_under_a_key_and_its_secret_is_kept_nowhere(world: World) {
    let make = || -> std::pin::Pin<Box<dyn Future<Output = Answer>>> {
        let caller = world.ada.clone();
        Box::pin(async move {
            let with = |request: actix_web::test::TestRequest| {
                request.insert_header(("Idempotency-Key", "k")).set_json(json!({ "label": "once" }))
            };
            caller.send(Method::POST, "/user/tokens", with).await
        })
    };
    make().await.expect(201);
    let message = make().await.error(409);
    assert!(message.contains("its response has a secret and was not stored"), "{message}");
    assert_eq!(labels(&world.ada.get("/user/tokens").await.ok()), ["first administrator", "once"]);
}

#[acceptance::test]
async fn the_last_use_of_a_token_is_written_down_after_the_request(world: World, backend: Backend) {
    let accounts = &world.services.accounts;
    let made = world.ada.post("/user/tokens", json!({ "label": "used" })).await.expect(201);
    let path = format!("/user/tokens/{}", made.id());
    accounts.write_uses().await.unwrap();
    let caller = world.with_token(made.text("token"));
    let stamp = world.services.store.stamp().await;
    caller.get("/user").await.ok();
    caller.get("/orgs").await.ok();
    caller.get("/nothing").await.error(404);
    // On PostgreSQL, commits in other databases of the server also change the stamp.
    if backend == Backend::Sqlite {
        assert_eq!(world.services.store.stamp().await, stamp, "a read writes nothing");
    }
    assert!(world.ada.get(&path).await.ok().get("lastUsedAt").is_none());
    let before = world.services.clock.now();
    assert_eq!(accounts.write_uses().await.unwrap(), 1);
    let used: DateTime<Utc> = world.ada.get(&path).await.ok().text("lastUsedAt").parse().unwrap();
    assert!(used <= before && before - used < TimeDelta::minutes(1), "{used}");
    caller.get("/user").await.ok();
    assert_eq!(accounts.write_uses().await.unwrap(), 0, "a use that was written recently is not written again");
}

#[acceptance::test]
async fn a_later_use_is_never_set_back(world: World) {
    let (store, now) = (&world.services.store, world.services.clock.now());
    let limit = Scopes::Only(ScopeSet::new([Scope::SpaceRead]).unwrap());
    let new = NewToken { scopes: limit, ..NewToken::unlimited("x".parse().unwrap()) };
    let (actor, user) = (&domain::actor::Actor::Operator, world.ada.user.as_ref().unwrap());
    let (token, _) = world.services.accounts.create_token(actor, user, new.into()).await.unwrap();
    for at in [now, now - TimeDelta::hours(1)] {
        let mut tx = store.write().await.unwrap();
        tx.tokens().record_use(&token.id, at).await.unwrap();
        // Saving a token does not overwrite the time of its last use.
        tx.tokens().save(&token).await.unwrap();
        tx.commit().await.unwrap();
    }
    let found = store.read().await.unwrap().tokens().find(&token.id).await.unwrap().unwrap();
    assert_eq!((found.last_used_at, found.scopes), (Some(now), limit));
}
