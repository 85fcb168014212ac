//! Texts that are larger than the bodies of other operations.
use super::{path, spec};
use acceptance::{Answer, Caller, Fields, World};
use actix_web::http::Method;
use domain::access::Role;
use serde_json::{Value, json};

const MIB: usize = 1 << 20;

/// A document of this many bytes, most of them white space.
fn document(bytes: usize) -> String {
    let small = json!({"openapi": "3.1.0", "info": {"title": "Large", "version": "1"}, "paths": {}}).to_string();
    format!("{small}{}", " ".repeat(bytes - small.len()))
}

/// Sends a body with its length, as clients do.
pub(super) async fn send(caller: &Caller, method: Method, path: &str, body: &Value, more: &[(&str, &str)]) -> Answer {
    let body = body.to_string();
    let with = |request: actix_web::test::TestRequest| {
        let request = request.insert_header(("Content-Type", "application/json"));
        let request = request.insert_header(("Content-Length", body.len().to_string()));
        more.iter().copied().fold(request, |request, header| request.insert_header(header)).set_payload(body)
    };
    caller.send(method, path, with).await
}

#[acceptance::test]
async fn a_text_of_nine_mebibytes_becomes_a_version(world: World) {
    let text = document(9 * MIB);
    let (at, source) = (path(&world, "large"), json!({"source": {"text": text}}));
    send(&world.ada, Method::PUT, &at, &source, &[]).await.expect(201);
    world.work().await;
    assert_eq!(spec(&world, "large").await["lastProcessErrorCode"], Value::Null);
    let raw = world.ada.get(&format!("{at}/versions/latest/content/raw")).await.ok();
    assert!(raw.text("text") == text, "it is not the same");
}

#[acceptance::test]
async fn a_request_with_a_large_text_is_done_once(world: World) {
    let specs = world.org("/openapi");
    let body = json!({"slug": "large", "source": {"text": document(9 * MIB)}});
    let key = [("Idempotency-Key", "large")];
    let first = send(&world.ada, Method::POST, &specs, &body, &key).await.expect(201);
    let again = send(&world.ada, Method::POST, &specs, &body, &key).await;
    assert_eq!(again.header("idempotent-replayed"), Some("true"));
    assert_eq!(again.expect(201), first);
}

#[acceptance::test]
async fn a_text_of_more_than_32_mebibytes_is_too_large(world: World) {
    let at = path(&world, "large");
    let text = |bytes: usize| json!({"source": {"text": "a".repeat(bytes)}});
    let error = send(&world.ada, Method::PUT, &at, &text(32 * MIB + 1), &[]).await.error(413);
    assert_eq!(error, "source.text: must have at most 33554432 bytes");
    send(&world.ada, Method::PUT, &at, &text(32 * MIB), &[]).await.expect(201);
    let length = [("Content-Length", "50331649")];
    let error = world.ada.send(Method::PUT, &at, |request| request.insert_header(length[0])).await.error(413);
    assert_eq!(error, "the body of the request is larger than 50331648 bytes");
    // The test's client always adds a length, so it is made unreadable.
    let unknown = |request: actix_web::test::TestRequest| {
        request.set_json(text(9 * MIB)).insert_header(("Content-Length", "unknown"))
    };
    let error = world.ada.send(Method::PUT, &at, unknown).await.error(413);
    assert_eq!(error, "the body of the request is larger than 8388608 bytes", "without its length");
}

#[acceptance::test]
async fn a_large_text_needs_the_right_to_create(world: World) {
    let (at, source) = (path(&world, "large"), json!({"source": {"text": document(9 * MIB)}}));
    let editor = world.member("editor", Some(Role::Edit)).await;
    send(&editor, Method::PUT, &at, &source, &[]).await.expect(403);
    let stranger = world.stranger("stranger").await;
    send(&stranger, Method::PUT, &at, &source, &[]).await.expect(404);
    let creator = world.member("creator", Some(Role::Create)).await;
    send(&creator, Method::PUT, &at, &source, &[]).await.expect(201);
}

#[acceptance::test]
async fn other_operations_take_bodies_as_large_as_before(world: World) {
    let body = json!({"title": "a".repeat(9 * MIB), "visibility": "public"});
    let key = [("Idempotency-Key", "large")];
    let conversations = world.org("/conversations");
    for (method, path, limit) in [
        (Method::PATCH, path(&world, "large"), 2 * MIB),
        (Method::POST, world.org("/spaces"), 2 * MIB),
        (Method::POST, conversations, 8 * MIB),
    ] {
        let message = format!("the body of the request is larger than {limit} bytes");
        assert_eq!(send(&world.ada, method, &path, &body, &[]).await.error(413), message, "{path}");
    }
    send(&world.ada, Method::POST, &world.org("/spaces"), &body, &key).await.error(413);
}
