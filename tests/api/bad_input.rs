use acceptance::{Fields, Fixture, World};
use actix_web::http::Method;
use domain::access::Role;
use serde_json::{Value, json};

#[acceptance::test]
#[case::negative("limit=-1", "limit")]
#[case::above("limit=1001", "limit")]
#[case::no_number("limit=many", "limit")]
#[case::a_made_up_page("page=abc", "page")]
#[case::two_limits("limit=1&limit=2", "limit: must be given once")]
#[case::two_pages("page=a&page=b", "page: must be given once")]
async fn a_bad_page_of_a_list_is_refused(world: &World, #[case] query: &str, #[case] field: &str) {
    let space = world.import(&Fixture::guide()).await;
    for path in [
        "/orgs".to_owned(),
        world.org("/spaces"),
        format!("/spaces/{space}/content/files"),
        format!("/spaces/{space}/links"),
    ] {
        let message = world.ada.get(&format!("{path}?{query}")).await.error(400);
        assert!(message.contains(field), "{path}: {message}");
    }
}

#[acceptance::test]
async fn a_limit_of_zero_returns_only_the_count(world: World) {
    let space = world.import(&Fixture::guide()).await;
    world.ada.post(&format!("/spaces/{space}/comments"), json!({"body": {"markdown": "Why?"}})).await.ok();
    for path in [
        "/orgs".to_owned(),
        world.org("/spaces"),
        world.org("/members"),
        format!("/spaces/{space}/comments"),
        format!("/spaces/{space}/revisions"),
        format!("/spaces/{space}/links"),
        format!("/spaces/{space}/search?query=updating"),
    ] {
        let joint = if path.contains('?') { '&' } else { '?' };
        let whole = world.ada.get(&path).await.ok();
        let none = world.ada.get(&format!("{path}{joint}limit=0")).await.ok();
        assert!(whole["count"].as_u64() > Some(0), "{path}: {whole}");
        assert_eq!((&none["items"], &none["count"], none.get("next")), (&json!([]), &whole["count"], None), "{path}");
    }
}

#[acceptance::test]
#[case(1)]
#[case(1000)]
async fn a_limit_at_its_edge_is_fine(world: World, #[case] limit: usize) {
    world.ada.get(&format!("/orgs?limit={limit}")).await.ok();
}

#[acceptance::test]
async fn a_page_token_is_good_for_its_own_list_and_caller_only(world: World) {
    let spaces = world.org("/spaces");
    for _ in 0..2 {
        world.ada.post(&spaces, json!({})).await.expect(201);
    }
    let list = world.ada.get(&format!("{spaces}?limit=1")).await.ok();
    let token = list["next"].text("page");
    world.ada.get(&format!("{spaces}?limit=1&page={token}")).await.ok();
    let message = world.ada.get(&format!("/orgs?page={token}")).await.error(400);
    assert!(message.contains("page"), "{message}");
    let reader = world.member("rita", Some(Role::Read)).await;
    reader.get(&format!("{spaces}?page={token}")).await.error(400);
    for at in [0, token.len() / 2, token.len() - 1] {
        let mut forged = token.to_owned().into_bytes();
        forged[at] = if forged[at] == b'A' { b'B' } else { b'A' };
        world.ada.get(&format!("{spaces}?page={}", String::from_utf8(forged).unwrap())).await.error(400);
    }
}

#[acceptance::test]
#[case::broken("{\"title\": ", 400)]
#[case::not_an_object("[1]", 400)]
#[case::twice("{\"title\": \"a\", \"title\": \"b\"}", 400)]
async fn junk_is_no_space(world: World, #[case] body: &'static str, #[case] status: u16) {
    let send = |request: actix_web::test::TestRequest| {
        request.insert_header(("Content-Type", "application/json")).set_payload(body)
    };
    world.ada.send(Method::POST, &world.org("/spaces"), send).await.error(status);
    assert_eq!(world.ada.get(&world.org("/spaces")).await.ok()["items"], json!([]));
}

#[acceptance::test]
async fn hostile_bodies_are_refused_and_leave_nothing(world: World) {
    let spaces = world.org("/spaces");
    let deep = format!("{{\"title\": {}{}}}", "[".repeat(100_000), "]".repeat(100_000));
    let cases: [(Vec<u8>, &str, u16); 5] = [
        (deep.into_bytes(), "application/json", 400),
        (b"{\"title\": \"\xff\xfe\"}".to_vec(), "application/json", 400),
        (b"title=x".to_vec(), "application/x-www-form-urlencoded", 415),
        (vec![b' '; 3 * 1024 * 1024], "application/json", 413),
        (b"{\"title\": \"\\ud800\"}".to_vec(), "application/json", 400),
    ];
    for (body, kind, status) in cases {
        let send =
            |request: actix_web::test::TestRequest| request.insert_header(("Content-Type", kind)).set_payload(body);
        world.ada.send(Method::POST, &spaces, send).await.error(status);
    }
    let claims = |request: actix_web::test::TestRequest| {
        let request = request.insert_header(("Content-Type", "application/json"));
        request.insert_header(("Content-Encoding", "gzip")).set_payload("x")
    };
    world.ada.send(Method::POST, &spaces, claims).await.error(415);
    assert_eq!(world.ada.get(&spaces).await.ok()["items"], json!([]));
}

/// The parser would also read an object from a list of its fields in order, and a word from an object or a number.
#[acceptance::test]
async fn a_list_is_no_object_and_an_object_is_no_word(world: World) {
    let bob = world.member("bob", Some(Role::Read)).await;
    let space = format!("/spaces/{}", world.space(json!({})).await);
    let (org, member) = (world.org(""), world.org(&format!("/members/{}", bob.id())));
    let site = world.ada.post(&world.org("/sites"), json!({"title": "Docs"})).await.id();
    let restricted = json!({"mode": "default", "restrictTo": {"currentSiteSpace": null}});
    let team = world.org(&format!("/teams/{}/members", world.team(json!({"title": "Writers"})).await));
    let in_team = format!("{team}/{}", bob.id());
    let rule = |rule: Value| json!({"mergeRules": {"type": "rules", "rules": [rule]}});
    let cases = [
        (Method::PATCH, &org, json!({"mergeRules": ["none"]}), "mergeRules: must be an object"),
        (Method::PATCH, &org, rule(json!({"rule": 3})), "mergeRules.rules[0].rule: must be a string"),
        (Method::PATCH, &org, rule(json!({"rule": "allow_bypass"})), "mergeRules.rules[0].users: is required"),
        (Method::PATCH, &org, json!({"defaultContent": ["site", "x"]}), "defaultContent: must be an object"),
        (Method::PATCH, &org, json!({"emailDomains": "example.org"}), "emailDomains: must be a list"),
        (Method::PATCH, &member, json!({"role": {"admin": null}}), "role: must be one of `admin`, `create`"),
        (Method::PUT, &team, json!({"memberships": {bob.id(): ["owner"]}}), "memberships."),
        (Method::PUT, &in_team, json!({"role": {"owner": null}}), "role: must be `owner` or `member`"),
        (
            Method::POST,
            &world.org("/invites"),
            json!({"emails": [["new@example.org", "admin"]]}),
            "emails[0]: must be an",
        ),
        (Method::POST, &world.org("/invites"), json!({"emails": [{"role": "edit"}]}), "emails[0].email: is required"),
        (
            Method::POST,
            &world.org("/openapi"),
            json!({"slug": "a", "source": ["https://example.org/"]}),
            "source: must be",
        ),
        (
            Method::POST,
            &world.org(&format!("/sites/{site}/search")),
            json!({"query": "engine", "scope": restricted}),
            "scope.restrictTo: must be `currentSiteSpace` or",
        ),
        (Method::POST, &format!("{space}/comments"), json!({"body": ["Why?"]}), "body: must be an object"),
        (
            Method::POST,
            &format!("{space}/move"),
            json!({"position": {"after": ["space", "x"]}}),
            "position.after: must be",
        ),
        (
            Method::POST,
            &"/user/tokens".to_owned(),
            json!({"label": "a", "scopes": [{"site:ask": null}]}),
            "scopes[0]: must",
        ),
    ];
    let events = world.ada.get(&world.org("/audit-events")).await.ok()["count"].clone();
    for (method, path, body, expected) in cases {
        let message = world.ada.send(method, path, |request| request.set_json(&body)).await.error(400);
        assert!(message.starts_with(expected), "{body}: {message}");
    }
    assert_eq!(world.ada.get(&world.org("/audit-events")).await.ok()["count"], events, "nothing is changed");
}

#[acceptance::test]
async fn an_error_in_a_document_names_the_field_and_not_the_value(world: World) {
    let path = world.org("/agent-instructions");
    let block = |kind: &str, data: Value| json!({"object": "block", "type": kind, "data": data});
    let to = |reference: Value| block("content-ref", json!({"ref": reference}));
    for (block, expected) in [
        (to(json!({"kind": 31337})), "data.ref.kind: must be a string"),
        (to(json!({"kind": "canary"})), "data.ref.kind: must be one of `file`, `url`, `page`, "),
        (to(json!({"kind": "page"})), "data.ref.page: is required"),
        (to(json!({"kind": "page", "page": 31337})), "data.ref.page: must be a string"),
        (to(json!({"kind": "page", "page": "a canary"})), "data.ref.page: must be 1 to 64 characters of"),
        (block("hint", json!({"style": "canary"})), "data.style: must be one of `info`, "),
        (block("hint", json!({"style": 31337})), "data.style: must be one of `info`, "),
        (block("code", json!({"lineNumbers": "canary"})), "data.lineNumbers: must be a boolean"),
    ] {
        let document = json!({"object": "document", "data": {}, "nodes": [block]});
        let message = world.ada.put(&path, json!({"instructions": document})).await.error(400);
        assert!(message.starts_with(&format!("instructions.nodes[0].{expected}")), "{message}");
        assert!(!message.contains("canary") && !message.contains("31337"), "{message}");
    }
}

#[acceptance::test]
#[case("/nothing", Method::GET, 404)]
#[case("/user", Method::DELETE, 405)]
#[case("/orgs/x/y/z", Method::GET, 404)]
async fn a_missing_object_gets_the_same_form_of_error(
    world: World,
    #[case] path: &str,
    #[case] method: Method,
    #[case] status: u16,
) {
    let answer = world.ada.send(method, path, |request| request).await;
    if status == 405 {
        assert!(answer.header("allow").unwrap().contains("GET"));
    }
    answer.error(status);
}

#[acceptance::test]
#[case("/spaces/%00")]
#[case("/spaces/..%2F..")]
#[case("/spaces/%F0%9F%92%A9")]
#[case("/spaces/a%20b/content")]
#[case("/orgs/'%20OR%201=1")]
async fn an_id_that_is_none_is_not_found(world: &World, #[case] path: &str) {
    world.ada.get(path).await.error(404);
}

#[acceptance::test]
#[case("Ada \u{202e}lovelace\u{202c}")]
#[case("<script>alert(1)</script>")]
#[case("'; DROP TABLE spaces; --")]
#[case("e\u{301} \u{e9}")]
#[case("👩‍👩‍👧‍👦")]
#[case("%s%n{{7*7}}${x}")]
async fn odd_texts_come_back_as_they_were(world: &World, #[case] title: &str) {
    let space = world.ada.post(&world.org("/spaces"), json!({"title": title})).await.expect(201);
    assert_eq!(space["title"], title);
    assert_eq!(world.ada.get(&format!("/spaces/{}", space.id())).await.ok()["title"], title);
}
