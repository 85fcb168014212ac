//! Joining by verified email domain, and agent instructions.
use acceptance::{Caller, Fields, World};
use actix_web::http::Method;
use domain::access::Role;
use domain::actor::Actor;
use domain::user::User;
use serde_json::{Value, json};

async fn post(caller: &Caller, path: &str) -> acceptance::Answer {
    caller.send(Method::POST, path, |request| request).await
}

/// Removes the verification of a caller's email address.
async fn unverify(world: &World, caller: &Caller) {
    let mut tx = world.services.store.write().await.unwrap();
    let user = caller.user.as_ref().unwrap();
    tx.lock(&[user.into()]).await.unwrap();
    let user = tx.users().find(user).await.unwrap().unwrap();
    tx.users().save(&User { email_verified: false, ..user }).await.unwrap();
    tx.commit().await.unwrap();
}

async fn role(world: &World, caller: &Caller) -> Value {
    world.ada.get(&world.org(&format!("/members/{}", caller.id()))).await.ok()["role"].clone()
}

#[acceptance::test]
#[case::with_the_role_for_all(json!("edit"))]
#[case::as_a_guest(json!(null))]
async fn users_with_an_address_of_the_domain_join(world: World, #[case] default: Value) {
    let eve = world.stranger("eve").await;
    let join = world.org("/join");
    assert!(post(&eve, &join).await.error(400).starts_with("email"), "no domain is accepted");
    let settings = json!({"emailDomains": ["other.org", "EXAMPLE.org"], "defaultRole": default});
    world.ada.patch(&world.org(""), settings).await.ok();
    unverify(&world, &eve).await;
    assert!(post(&eve, &join).await.error(400).contains("verified"));
    eve.get(&world.org("")).await.error(404);
    let address = "eve@example.org".parse().unwrap();
    assert!(world.services.accounts.verify(&Actor::Operator, &address).await.unwrap());
    assert!(!world.services.accounts.verify(&Actor::Operator, &address).await.unwrap(), "once");
    let joined = post(&eve, &join).await;
    assert_eq!((joined.status.as_u16(), joined.bytes.len()), (204, 0));
    assert_eq!(role(&world, &eve).await, default);
    world.ada.patch(&world.org(""), json!({"defaultRole": "admin"})).await.ok();
    post(&eve, &join).await.expect(204);
    assert_eq!(role(&world, &eve).await, default, "existing members keep their role");
    post(&eve, "/orgs/nowhere/join").await.error(404);
}

#[acceptance::test]
async fn a_disabled_member_does_not_return_by_joining(world: World) {
    world.ada.patch(&world.org(""), json!({"emailDomains": ["example.org"]})).await.ok();
    let bob = world.member("bob", Some(Role::Admin)).await;
    let out = domain::access::Membership { role: Some(Role::Admin), disabled: true };
    world.set_membership(bob.user.as_ref().unwrap(), out).await;
    post(&bob, &world.org("/join")).await.error(400);
    bob.get(&world.org("")).await.error(404);
    assert_eq!(bob.get("/email-domains/example.org/orgs").await.ok()["organizations"], json!([]));
}

#[acceptance::test]
async fn organizations_are_found_by_the_domain_of_ones_own_address(world: World) {
    let (eve, gus) = (world.stranger("eve").await, world.member("gus", None).await);
    let own = eve.post("/orgs", json!({"title": "Eve's", "emailDomains": ["example.org"]})).await.id();
    world.ada.post("/orgs", json!({"title": "Elsewhere", "emailDomains": ["other.org"]})).await.expect(201);
    let titles = async |caller: &Caller| {
        let found = caller.get("/email-domains/Example.ORG/orgs").await.ok();
        let all = found.list("organizations").iter();
        all.map(|one| (one.text("title").to_owned(), one["permissions"]["view"].clone())).collect::<Vec<_>>()
    };
    let eves = |view: bool| ("Eve's".to_owned(), json!(view));
    let adas = |view: bool| ("Analytical Engines".to_owned(), json!(view));
    assert_eq!(titles(&gus).await, [eves(false)]);
    world.ada.patch(&world.org(""), json!({"emailDomains": ["example.org", "other.org"]})).await.ok();
    assert_eq!(titles(&gus).await, [adas(true), eves(false)]);
    assert_eq!(titles(&eve).await, [adas(false), eves(true)]);
    let found = gus.get("/email-domains/example.org/orgs").await.ok();
    assert_eq!(found["organizations"][1]["id"], own);
    let may = found["organizations"][1]["permissions"].as_object().unwrap();
    assert!(may.values().all(|allowed| allowed == false), "seeing it grants no permission: {may:?}");
    gus.get(&format!("/orgs/{own}")).await.error(404);
    world.ada.patch(&world.org(""), json!({"emailDomains": []})).await.ok();
    assert_eq!(titles(&eve).await, [eves(true)], "a removed domain is not found");
    for domain in ["other.org", "nothing", "org", "evil-example.org"] {
        eve.get(&format!("/email-domains/{domain}/orgs")).await.error(403);
    }
    unverify(&world, &eve).await;
    eve.get("/email-domains/example.org/orgs").await.error(403);
}

#[acceptance::test]
#[case(100, 200)]
#[case(101, 400)]
async fn an_organization_lets_in_a_hundred_domains(world: World, #[case] number: usize, #[case] status: u16) {
    let domains: Vec<String> = (0..number).map(|number| format!("d{number}.org")).collect();
    world.ada.patch(&world.org(""), json!({"emailDomains": domains})).await.expect(status);
    let stored = world.ada.get(&world.org("")).await.ok();
    assert_eq!(stored["emailDomains"], if status == 200 { json!(domains) } else { json!([]) });
}

#[acceptance::test]
async fn agents_get_the_instructions_of_administrators(world: World) {
    let (path, reader) = (world.org("/agent-instructions"), world.member("rita", Some(Role::Read)).await);
    let empty = reader.get(&path).await.ok();
    assert_eq!(empty["object"], "agent-instructions");
    assert_eq!(empty["instructions"], json!({"object": "document", "data": {}, "nodes": []}));
    assert_eq!(empty["updatedBy"], "");
    assert!(empty["updatedAt"].is_string() && empty["urls"]["location"].is_string());
    let text = json!({"object": "document", "data": {}, "nodes": [{
        "object": "block", "type": "paragraph", "isVoid": false, "data": {},
        "nodes": [{"object": "text", "leaves": [{"object": "leaf", "text": "Be brief.", "marks": []}]}],
    }]});
    let written = world.ada.put(&path, json!({"instructions": text})).await.ok();
    assert_eq!(written["updatedBy"], world.ada.id());
    assert!(written["instructions"].to_string().contains("Be brief."));
    assert_eq!(reader.get(&path).await.ok(), written);
    for (body, field) in [
        (json!({}), "instructions"),
        (json!({"instructions": "text"}), "instructions"),
        (
            json!({"instructions": {"object": "document", "data": {}, "nodes": [{"object": "block", "type": "nope"}]}}),
            "instructions.nodes[0]",
        ),
    ] {
        let message = world.ada.put(&path, body).await.error(400);
        assert!(message.starts_with(field), "{message}");
    }
    reader.put(&path, json!({"instructions": text})).await.error(403);
    world.member("gus", None).await.get(&path).await.error(403);
    assert_eq!(reader.get(&path).await.ok(), written, "a refused request changes nothing");
}
