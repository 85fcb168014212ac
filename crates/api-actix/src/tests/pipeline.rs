//! The pipeline before and after an operation.
use super::*;
use crate::openapi;
use actix_web::dev::ResourceDef;
use actix_web::http::Method;
use http_server::chain;
use rstest::rstest;
use serde_json::json;
use std::collections::BTreeSet;

#[rstest]
#[case::unknown_path(get("/v1/nothing"), 404)]
#[case::outside(get("/nothing"), 404)]
#[case::method(TestRequest::delete().uri("/v1/orgs"), 405)]
#[case::method_outside(TestRequest::delete().uri("/healthz"), 405)]
#[case::no_token(get("/v1/orgs"), 401)]
#[case::no_token_for_what_is_not_there(get("/v1/orgs/nowhere"), 401)]
#[case::wrong_token(get("/v1/orgs").insert_header(("authorization", "Bearer wrong")), 401)]
#[case::no_token_and_junk(get("/v1/orgs?limit=junk"), 401)]
#[case::version_without_token(get("/v1"), 401)]
#[case::no_token_and_a_huge_body(TestRequest::post().uri("/v1/orgs").set_payload(vec![b' '; 3 << 20]), 401)]
#[case::hidden_before_junk(patch("/v1/orgs/nowhere", "{junk"), 404)]
#[case::forbidden_before_junk(patch("/v1/orgs/o", "{junk"), 403)]
#[case::junk_in_a_query(authenticated(get("/v1/orgs?limit=junk")), 400)]
#[case::no_id(authenticated(get("/v1/orgs/%20")), 404)]
#[case::form(authenticated(TestRequest::post().uri("/v1/orgs").set_payload("a=b")), 415)]
#[case::too_large(authenticated(TestRequest::post().uri("/v1/orgs").set_payload(vec![b' '; 3 << 20])), 413)]
#[case::long_address(get(&format!("/v1/orgs?x={}", "x".repeat(9000))), 414)]
#[case::large_headers(get("/v1/orgs").insert_header(("x-large", "x".repeat(40_000))), 431)]
#[actix_web::test]
async fn checks_have_one_order_and_errors_one_form(#[case] request: TestRequest, #[case] status: u16) {
    let answer = send(READER, request).await;
    assert_eq!(answer.status.as_u16(), status, "{:?}", answer.body);
    answer.error();
}

#[actix_web::test]
async fn a_caller_with_access_gets_the_error_in_the_body() {
    let answer = send(ADMIN, patch("/v1/orgs/o", r#"{"title":"x"}"#)).await;
    assert_eq!((answer.status.as_u16(), answer.error().as_str()), (400, "title: must have at least 2 characters"));
}

#[actix_web::test]
async fn a_wrong_method_gets_the_allowed_ones() {
    assert_eq!(send(READER, TestRequest::put().uri("/v1/orgs")).await.header("allow"), "GET, POST, HEAD");
    assert!(send(READER, TestRequest::put().uri("/healthz")).await.header("allow").contains("GET"));
}

#[actix_web::test]
async fn a_request_without_a_token_gets_401_with_the_scheme() {
    let answer = send(READER, get("/v1/orgs")).await;
    assert_eq!(answer.header("www-authenticate"), "Bearer");
    assert!(answer.header("vary").contains("Authorization"));
}

#[rstest]
#[case("/v1/")]
#[case("/v1")]
#[actix_web::test]
async fn the_version_is_returned_with_and_without_a_slash(#[case] path: &str) {
    let answer = send(READER, authenticated(get(path))).await;
    assert_eq!(answer.json(), json!({ "version": "1.2.3", "build": "2026-01-01" }));
}

#[actix_web::test]
async fn a_list_continues_with_its_token() {
    let first = send(READER, authenticated(get("/v1/orgs?limit=1"))).await.json();
    assert_eq!((first["count"].as_u64(), first["items"][0]["object"].as_str()), (Some(1), Some("organization")));
    let page = first["next"]["page"].as_str().unwrap();
    let second = send(READER, authenticated(get(&format!("/v1/orgs?limit=1&page={page}")))).await.json();
    assert_eq!(second.get("next"), None);
    let elsewhere = send(READER, authenticated(get(&format!("/v1/orgs/o/spaces?page={page}")))).await;
    assert!(elsewhere.error().starts_with("page: "), "{:?}", elsewhere.body);
}

#[actix_web::test]
async fn what_did_not_change_is_not_sent_again_and_what_changed_is_not_overwritten() {
    let read = send(ADMIN, authenticated(get("/v1/orgs/o"))).await;
    let tag = read.header("etag").to_owned();
    assert_eq!(read.header("cache-control"), "private, no-cache");
    let again = send(ADMIN, authenticated(get("/v1/orgs/o")).insert_header(("if-none-match", tag.clone()))).await;
    assert_eq!((again.status.as_u16(), again.body.len()), (304, 0));
    let patched =
        |condition: &str| patch("/v1/orgs/o", r#"{"title":"New"}"#).insert_header(("if-match", condition.to_owned()));
    assert_eq!(send(ADMIN, patched(&tag)).await.json()["title"], "New");
    assert_eq!(send(ADMIN, patched("*")).await.status, StatusCode::OK);
    for condition in ["\"other\"".to_owned(), format!("W/{tag}")] {
        let answer = send(ADMIN, patched(&condition)).await;
        assert_eq!(answer.status, StatusCode::PRECONDITION_FAILED);
        answer.error();
    }
}

#[actix_web::test]
async fn a_database_that_is_down_is_not_a_wrong_token() {
    let answer = send(Storage::Down, authenticated(get("/v1/orgs"))).await;
    assert_eq!((answer.status, answer.header("retry-after")), (StatusCode::SERVICE_UNAVAILABLE, "2"));
    assert!(!answer.error().contains("secret"));
    assert_eq!(send(Storage::Down, get("/readyz")).await.status, StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(send(Storage::Down, get("/healthz")).await.status, StatusCode::OK);
    assert_eq!(send(READER, get("/readyz")).await.status, StatusCode::OK);
}

#[rstest]
#[case::fault(Storage::Broken)]
#[case::panic(Storage::Panics)]
#[actix_web::test]
async fn a_fault_is_reported_only_by_its_reference(#[case] storage: Storage) {
    let request = authenticated(get("/v1/orgs")).insert_header(("x-request-id", "ref-7"));
    let answer = send(storage, request).await;
    assert_eq!(answer.status, StatusCode::INTERNAL_SERVER_ERROR);
    assert_eq!(answer.json()["error"]["message"], "internal error; the log has the details under ref-7");
    assert_eq!(answer.header("x-request-id"), "ref-7");
}

#[test]
fn the_log_has_more_details_than_the_response() {
    assert!(chain(&ApiError::from(StoreError::Internal(io()))).contains("secret"));
}

#[actix_web::test]
async fn the_remaining_budget_is_reported_and_then_used_up() {
    let api = api(READER, Limits { requests_per_minute: 1, burst: 2, failures_per_minute: 0 });
    let head = || authenticated(TestRequest::default().method(Method::HEAD).uri("/v1/orgs"));
    let first = send_to(&api, authenticated(get("/v1/orgs"))).await;
    assert_eq!([first.header("x-ratelimit-limit"), first.header("x-ratelimit-remaining")], ["2", "1"]);
    assert_eq!(send_to(&api, head()).await.header("x-ratelimit-remaining"), "0");
    let third = send_to(&api, authenticated(get("/v1/orgs"))).await;
    assert_eq!(third.status, StatusCode::TOO_MANY_REQUESTS);
    assert!(!third.header("retry-after").is_empty() && third.header("x-ratelimit-remaining") == "0");
    third.error();
}

#[actix_web::test]
async fn guessing_tokens_is_slowed_down_and_a_right_one_still_gets_in() {
    let api = api(READER, Limits { requests_per_minute: 0, burst: 0, failures_per_minute: 1 });
    let wrong = || get("/v1/orgs").insert_header(("authorization", "Bearer wrong"));
    assert_eq!(send_to(&api, wrong()).await.status, StatusCode::UNAUTHORIZED);
    let second = send_to(&api, wrong()).await;
    assert_eq!(second.status, StatusCode::TOO_MANY_REQUESTS);
    second.error();
    assert_eq!(send_to(&api, authenticated(get("/v1/orgs"))).await.status, StatusCode::OK);
}

#[rstest]
#[case("https://app.example.org", true)]
#[case("null", false)]
#[actix_web::test]
async fn pages_of_other_origins_may_ask_without_cookies(#[case] origin: &'static str, #[case] allowed: bool) {
    let preflight = TestRequest::default()
        .method(Method::OPTIONS)
        .uri("/v1/orgs")
        .insert_header(("origin", origin))
        .insert_header(("access-control-request-method", "PATCH"))
        .insert_header(("access-control-request-headers", "authorization, content-type, if-match"));
    let answer = send(READER, preflight).await;
    assert_eq!(answer.header("access-control-allow-origin") == origin, allowed, "{}", answer.status);
    assert_eq!(answer.header("access-control-allow-credentials"), "");
}

#[actix_web::test]
async fn the_document_is_open_to_everyone() {
    let document = send(READER, get("/openapi.json")).await;
    assert_eq!(document.json()["info"]["title"], "Octavo");
    let again = get("/openapi.json").insert_header(("if-none-match", document.header("etag").to_owned()));
    let again = send(READER, again).await;
    assert_eq!((again.status.as_u16(), again.body.len(), again.header("cache-control")), (304, 0, "no-cache"));
}

/// Paths that match the patterns: each parameter is replaced by an empty segment, an unknown one, or a literal of
/// another pattern.
fn filled(patterns: &BTreeSet<String>) -> BTreeSet<String> {
    let named = |segment: &&str| !segment.starts_with('{');
    let words = patterns.iter().flat_map(|pattern| pattern.split('/')).filter(named);
    let words: BTreeSet<&str> = words.chain(["x", "x/y"]).collect();
    let fill = |pattern: &str, word| {
        let segments = pattern.split('/').map(|segment| if segment.starts_with('{') { word } else { segment });
        segments.collect::<Vec<_>>().join("/")
    };
    patterns.iter().flat_map(|pattern| words.iter().map(move |word| fill(pattern, word))).collect()
}

#[test]
fn a_path_has_a_route_that_the_router_matches_it_with() {
    let api = api(READER, UNLIMITED);
    let patterns: BTreeSet<String> = openapi::document("0").paths.paths.into_keys().collect();
    let paths = filled(&patterns);
    assert!(paths.len() > 1_000);
    let router = |pattern: &String| (pattern.clone(), ResourceDef::new(pattern.replace("{pagePath}", "{pagePath:.*}")));
    let router: Vec<(String, ResourceDef)> = patterns.iter().map(router).collect();
    for path in &paths {
        let matches: Vec<&str> =
            router.iter().filter(|(_, router)| router.is_match(path)).map(|(pattern, _)| pattern.as_str()).collect();
        match api.route_table.find(path) {
            Some(route) => assert!(matches.contains(&&*route.pattern), "{path} as {}", route.pattern),
            None => assert!(matches.is_empty(), "{path} as {matches:?}"),
        }
    }
}

#[actix_web::test]
async fn the_root_describes_the_server_and_links_to_its_documentation() {
    let answer = send(Storage::Member(None), get("/")).await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("content-type"), "text/html; charset=utf-8");
    let page = String::from_utf8(answer.body.to_vec()).unwrap();
    assert!(page.contains("href=\"docs\"") && page.contains("Version 1.2.3"), "{page}");
    assert!(!page.contains("src="), "it loads nothing");
}
