//! Rules of all lists.
use crate::access::{OPERATIONS, Place};
use acceptance::{Caller, World};
use domain::access::Role;
use domain::scope::Scope;
use domain::token::NewToken;
use serde_json::{Value, json};

/// Adds objects to a place, so that most of its lists have several items.
async fn fill(place: &Place) {
    let world = &place.world;
    let (ada, space, team) = (&world.ada, &place.space, &place.team);
    let collection = place.collection["id"].as_str().unwrap();
    ada.post("/orgs", json!({"title": "Another", "emailDomains": []})).await.expect(201);
    let mut people = Vec::new();
    for number in 0..3 {
        let caller = world.member(&format!("person{number}"), Some(Role::Read)).await;
        let person = caller.id().to_owned();
        ada.put(&world.org(&format!("/teams/{team}/members/{person}")), json!({})).await.expect(204);
        let other = ada.put(&world.org("/teams"), json!({"title": format!("Team {number}")})).await.expect(201);
        let other = other["id"].as_str().unwrap();
        for member in [&person, &place.reader.to_string()] {
            ada.put(&world.org(&format!("/teams/{other}/members/{member}")), json!({})).await.expect(204);
        }
        for to in [format!("/spaces/{space}"), format!("/collections/{collection}")] {
            let grants = json!({"role": "edit", "users": [person], "teams": [other]});
            ada.post(&format!("{to}/permissions"), grants).await.expect(204);
        }
        for pattern in [
            "/spaces/{spaceId}/comments",
            "/spaces/{spaceId}/comments/{commentId}/replies",
            "/spaces/{spaceId}/change-requests/{changeRequestId}/comments",
            "/spaces/{spaceId}/change-requests/{changeRequestId}/comments/{commentId}/replies",
        ] {
            let path = place.fill(pattern, &place.proposed, "none");
            caller.post(&path, json!({"body": {"markdown": "Why?"}})).await.ok();
        }
        ada.post(&world.org("/spaces"), json!({"parent": collection})).await.expect(201);
        ada.post(&world.org("/collections"), json!({})).await.expect(201);
        for invite in [json!({"role": "read"}), json!({"level": "read", "space": space})] {
            ada.post(&world.org("/link-invites"), invite).await.expect(201);
        }
        ada.post(&world.org("/webhooks"), json!({"url": "https://127.0.0.1/", "enabled": false})).await.expect(201);
        ada.post(&world.org(&format!("/webhooks/{}/ping", place.webhook)), json!({})).await.expect(201);
        ada.put(
            &world.org("/openapi/pets"),
            json!({"source": {"text": "openapi: 3.1.0\ninfo: {title: Pets, version: '1'}"}}),
        )
        .await
        .ok();
        world.work().await;
        let translation = json!({"source": {"space": space, "language": "en"}, "language": "fr"});
        ada.post(&world.org("/translations"), translation).await.expect(201);
        let term = json!({"type": "insert", "translations": {"en": format!("Term {number}")}});
        ada.put(&world.org("/translations-glossary"), json!({"operations": [term]})).await.expect(204);
        let another = json!({"slug": format!("another-{number}"), "source": {"url": "https://127.0.0.1/"}});
        ada.post(&world.org("/openapi"), another).await.expect(201);
        ada.post("/user/tokens", json!({"label": format!("Token {number}")})).await.expect(201);
        let requests = format!("/spaces/{space}/change-requests");
        let request = ada.post(&requests, json!({})).await.expect(201);
        let request = format!("{requests}/{}", request["id"].as_str().unwrap());
        let text = json!({"markdown": "An engine, see [how to install it](install.md)."});
        let page = json!({"operation": "insert_page", "title": format!("Engine {number}"), "document": text});
        let page = json!({"changes": [page]});
        ada.post(&format!("{request}/content"), page).await.expect(200);
        ada.post(&format!("{request}/merge"), json!({})).await.expect(200);
        people.push(person);
    }
    let cora = world.member("cora", Some(Role::Comment)).await;
    for caller in [ada, &cora] {
        caller.put(&format!("/spaces/{space}/notification-settings"), json!({"level": "all"})).await.ok();
        for _ in 0..2 {
            caller.post(&format!("/spaces/{space}/comments"), json!({"body": {"markdown": "Why?"}})).await.ok();
        }
    }
    let proposal = format!("/spaces/{space}/change-requests/{}", place.proposed.id);
    ada.post(&format!("{proposal}/requested-reviewers"), json!({"users": people})).await.ok();
}

fn total(page: &Value) -> (Value, usize) {
    (page["count"].clone(), page["items"].as_array().unwrap_or_else(|| panic!("not a list: {page}")).len())
}

#[acceptance::test]
async fn the_count_of_every_list_is_its_total_on_every_page(world: World) {
    let place = Place::build(world).await;
    fill(&place).await;
    let world = &place.world;
    // Callers from whom parts of some lists are hidden.
    world.ada.patch(&format!("/spaces/{}", world.space(json!({})).await), json!({"defaultLevel": null})).await.ok();
    let reader = world.with_new_token(&place.reader, NewToken::unlimited("reader".parse().unwrap())).await;
    let scopes = [Scope::OrganizationMembersRead, Scope::OrganizationMembersWrite];
    let limited = world.with_scopes(world.ada.user.as_ref().unwrap(), scopes).await;
    assert!(check_counts(&place, &limited).await.0.contains(&"/v1/orgs/{organizationId}/link-invites"));
    assert!(check_counts(&place, &reader).await.0.len() > 10);
    let (several, short) = check_counts(&place, &world.ada).await;
    assert!(several.len() > short.len(), "lists that are too short to show it: {short:?}");
}

/// Checks the counts of every list that a caller may read. Returns the lists with several items, and the others.
async fn check_counts(place: &Place, caller: &Caller) -> (Vec<&'static str>, Vec<&'static str>) {
    let document: Value = serde_json::from_str(&api_actix::openapi_document("0")).unwrap();
    let (mut several, mut short) = (Vec::new(), Vec::new());
    for (method, pattern, ..) in OPERATIONS.iter().filter(|(method, ..)| *method == "get") {
        let operation = &document["paths"][pattern][method];
        let parameters = operation["parameters"].as_array().into_iter().flatten();
        if !parameters.clone().any(|parameter| parameter["name"] == "page") {
            continue;
        }
        let (path, _) = place.prepare(&place.world.ada, method, pattern).await;
        let and = if path.contains('?') { '&' } else { '?' };
        let get = async |query: &str| caller.get(&format!("{}{and}{query}", &path[3..])).await;
        let whole = get("limit=1000").await;
        if [403, 404].contains(&whole.status.as_u16()) {
            continue;
        }
        let whole = whole.ok();
        let (count, length) = total(&whole);
        assert_eq!(count, length, "{path}");
        if length < 2 {
            short.push(*pattern);
            continue;
        }
        let first = get("limit=1").await.ok();
        let next = first["next"]["page"].as_str().unwrap();
        let second = get(&format!("limit=1&page={next}")).await.ok();
        assert_eq!([total(&first), total(&second)], [(json!(length), 1), (json!(length), 1)], "{path}");
        several.push(*pattern);
    }
    (several, short)
}
