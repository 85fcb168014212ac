use acceptance::{Fields, Fixture, World};
use actix_web::http::Method;
use serde_json::json;

#[acceptance::test]
#[case::zero("limit=0", "limit")]
#[case::negative("limit=-1", "limit")]
#[case::above("limit=1001", "limit")]
#[case::no_number("limit=many", "limit")]
#[case::a_made_up_page("page=abc", "page")]
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
    let reader = world.member("rita", Some(domain::access::Role::Read)).await;
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
