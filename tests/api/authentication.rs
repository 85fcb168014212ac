use acceptance::{Fields, World};
use actix_web::http::Method;
use domain::actor::Actor;
use domain::scope::Scope;
use domain::token::NewToken;
use serde_json::json;

#[acceptance::test]
#[case::no_token(None)]
#[case::unknown(Some("Bearer octavo_nothing"))]
#[case::empty(Some("Bearer "))]
#[case::another_scheme(Some("Basic YWRhOmFkYQ=="))]
async fn without_a_valid_token_nothing_is_revealed(world: World, #[case] authorization: Option<&str>) {
    let space = world.space(serde_json::json!({})).await;
    let space = format!("/spaces/{space}");
    for path in ["/user", "/orgs", &space, "/spaces/nothing", "/spaces/nothing/content?limit=x"] {
        let with = |request: actix_web::test::TestRequest| match authorization {
            Some(value) => request.insert_header(("Authorization", value)),
            None => request,
        };
        let answer = world.anonymous().send(Method::GET, path, with).await;
        assert_eq!(answer.header("www-authenticate").map(|value| value.starts_with("Bearer")), Some(true));
        answer.error(401);
    }
}

#[acceptance::test]
async fn a_token_gives_its_user(world: World) {
    let user = world.ada.get("/user").await.ok();
    assert_eq!(user["object"], "user");
    assert_eq!(user["id"], world.ada.user.as_ref().unwrap().as_str());
    assert_eq!(user["email"], "ada@example.org");
    assert!(user["urls"].text("location").starts_with("https://docs.test/v1/"), "{user}");
    assert!(user.get("photoURL").is_none(), "absent fields are omitted: {user}");
}

#[acceptance::test]
async fn a_revoked_token_opens_nothing_from_then_on(world: World) {
    let user = world.ada.user.clone().unwrap();
    let new = NewToken::unlimited("short-lived".parse().unwrap());
    let (token, secret) = world.services.accounts.create_token(&Actor::Operator, &user, new.into()).await.unwrap();
    let caller = world.with_token(secret.reveal());
    caller.get("/user").await.ok();
    assert!(world.services.accounts.revoke_token(&Actor::Operator, &token.id).await.unwrap());
    caller.post(&world.org("/spaces"), json!({})).await.error(401);
    caller.get("/user").await.error(401);
    assert!(!world.services.accounts.revoke_token(&Actor::Operator, &token.id).await.unwrap(), "once is enough");
}

#[acceptance::test]
async fn an_expired_token_opens_nothing(world: World) {
    world.with_expired_token(world.ada.user.as_ref().unwrap()).await.get("/user").await.error(401);
}

#[acceptance::test]
async fn the_version_is_returned_at_the_root_with_and_without_a_slash(world: World) {
    for path in ["", "/"] {
        let told = world.ada.get(path).await.ok();
        assert_eq!(told["version"], "0.0.0-test");
        assert!(told["build"].is_string());
    }
}

#[acceptance::test]
async fn the_health_checks_report_that_the_server_is_alive_and_ready(world: World) {
    for path in ["/healthz", "/readyz"] {
        let answer = world.anonymous().send_to(Method::GET, path, |request| request).await;
        assert_eq!(answer.status.as_u16(), 200, "{path}");
    }
}

#[acceptance::test]
async fn a_path_means_the_same_however_it_is_encoded(world: World) {
    for path in ["", "/", "/%75ser", "/org%73"] {
        world.anonymous().get(path).await.error(401);
        world.ada.get(path).await.ok();
    }
    let limited = world.with_scopes(world.ada.user.as_ref().unwrap(), [Scope::SpaceRead]).await;
    limited.get("/%75ser").await.error(403);
    let answer = world.ada.send(Method::DELETE, "/%75ser", |request| request).await;
    assert_eq!(answer.header("allow"), Some("GET, HEAD"));
    answer.error(405);
}
