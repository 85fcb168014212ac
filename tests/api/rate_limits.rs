use acceptance::{Backend, World};
use http_server::Limits;

#[acceptance::test]
async fn a_token_with_too_many_requests_gets_429(backend: Backend) {
    // The budget refills in real time: by one request in a minute.
    let limits = Limits { requests_per_minute: 1, burst: 3, failures_per_minute: 0 };
    let Some(world) = World::with_limits(backend, limits).await else { return };
    for left in [2, 1, 0] {
        let answer = world.ada.get("/user").await;
        assert_eq!(answer.header("x-ratelimit-limit"), Some("3"));
        assert_eq!(answer.header("x-ratelimit-remaining"), Some(left.to_string().as_str()));
        assert!(answer.header("x-ratelimit-reset").unwrap().parse::<i64>().unwrap() > 1_700_000_000);
        answer.ok();
    }
    let refused = world.ada.get("/user").await;
    assert!(refused.header("retry-after").unwrap().parse::<u32>().unwrap() >= 1);
    refused.error(429);
    world.stranger("eve").await.get("/user").await.ok();
}

#[acceptance::test]
async fn guessing_tokens_is_slowed_down_by_address(backend: Backend) {
    let limits = Limits { requests_per_minute: 0, burst: 0, failures_per_minute: 3 };
    let Some(world) = World::with_limits(backend, limits).await else { return };
    let guesser = world.with_token("octavo_guess");
    for _ in 0..3 {
        guesser.get("/user").await.error(401);
    }
    guesser.get("/user").await.error(429);
}
