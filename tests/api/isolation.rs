//! Paths that combine an id of one organization with an id of another.
use super::access::{OPERATIONS, Place, body, send};
use acceptance::{Fields, World};
use domain::access::Role;
use serde_json::{Value, json};
use std::collections::HashMap;

#[acceptance::test]
async fn what_belongs_to_another_organization_is_not_there(world: World) {
    let theirs = Place::build(world).await;
    let zoe = theirs.world.stranger("zoe").await;
    let organization = zoe.post("/orgs", json!({"title": "Mine"})).await.id();
    let space = zoe.post(&format!("/orgs/{organization}/spaces"), json!({})).await.id();
    let collection = zoe.post(&format!("/orgs/{organization}/collections"), json!({})).await.id();
    let mut faults = Vec::new();
    let mut probed = 0;
    for (method, pattern, ..) in OPERATIONS {
        // The first id is the caller's own; the others are from the other organization.
        let own = [("{organizationId}", &organization), ("{spaceId}", &space), ("{collectionId}", &collection)];
        let Some((name, own)) = own.into_iter().find(|(name, _)| pattern.contains(&format!("/{name}/"))) else {
            continue;
        };
        let Some(rest) = pattern.split_once(name).map(|(_, rest)| rest).filter(|rest| rest.contains('{')) else {
            continue;
        };
        // A slug is a name within an organization: this creates another spec.
        if (*method, rest) == ("put", "/openapi/{specSlug}") {
            continue;
        }
        let asked = theirs.fill(&pattern.replacen(name, own, 1), &theirs.proposed, "none");
        let asked = asked.replace("/nobody", &format!("/{}", theirs.team));
        let body = body(method, pattern).map(|body| {
            serde_json::from_str::<Value>(&theirs.fill(&body.to_string(), &theirs.proposed, "none")).unwrap()
        });
        let status = send(&zoe, method, &asked, body, "probe").await.status.as_u16();
        if status != 404 && !(*method == "delete" && status == 204) {
            faults.push(format!("{method} {pattern} with {rest} of others: {status}"));
        }
        probed += 1;
    }
    assert!(probed > 40, "{probed}");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// The ids of the objects of a place, by path parameter.
async fn ids(place: &Place) -> HashMap<&'static str, String> {
    let world = &place.world;
    let invite = world.ada.post(&world.org("/link-invites"), json!({"role": "read"})).await.id();
    let more = [("{teamId}", place.team.clone()), ("{inviteId}", invite.clone())].into_iter();
    place.ids(&place.proposed).into_iter().chain(more).collect()
}

/// In each path, every parameter except the first is in turn replaced by an id from another organization.
#[acceptance::test]
async fn each_id_of_a_path_must_belong_to_the_object_before_it(world: World) {
    let zoe = world.member("zoe", Some(Role::Admin)).await;
    let mut ours = Place::build(world).await;
    let own = ids(&ours).await;
    let another = ours.world.ada.post("/orgs", json!({"title": "Theirs"})).await.expect(201);
    ours.world.organization = another.id().parse().unwrap();
    let theirs = Box::pin(Place::with_reader(ours.world, "another")).await;
    let other = ids(&theirs).await;
    let (mut faults, mut probed) = (Vec::new(), 0);
    for (method, pattern, ..) in OPERATIONS {
        let names: Vec<&str> = pattern.split('/').filter(|part| part.starts_with('{')).collect();
        for name in names.iter().skip(1) {
            // Content hashes are the same everywhere, and a path is not an id.
            let Some(id) = other.get(name).filter(|id| **id != own[*name]) else { continue };
            let asked = own.iter().fold(pattern.replace(*name, id), |path, (name, id)| path.replace(name, id));
            let body = body(method, pattern).map(|body| {
                let body = own.iter().fold(body.to_string(), |body, (name, id)| body.replace(name, id));
                serde_json::from_str::<Value>(&body).unwrap()
            });
            let status = send(&zoe, method, &asked, body, "probe").await.status.as_u16();
            if status != 404 && !(*method == "delete" && status == 204) {
                faults.push(format!("{method} {pattern} with {name} of others: {status}"));
            }
            probed += 1;
        }
    }
    assert!(probed > 70, "{probed}");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// In each path, every id is in turn replaced by one that no object has, and by one that no object can have.
#[acceptance::test]
async fn an_id_that_no_object_can_have_is_handled_like_that_of_an_absent_object(world: World) {
    let place = Place::build(world).await;
    let (mut faults, mut probed) = (Vec::new(), 0);
    for (method, pattern, ..) in OPERATIONS {
        let names = pattern.split('/').filter(|part| part.ends_with("Id}") || *part == "{specSlug}");
        // A PUT with a slug creates the spec.
        for name in names.filter(|name| (*method, *name) != ("put", "{specSlug}")) {
            let mut answers = Vec::new();
            for id in ["nowhere", "a@b.c", &"a".repeat(101)] {
                let asked = place.fill(&pattern.replacen(name, id, 1), &place.proposed, "none");
                let body = body(method, pattern).map(|body| {
                    serde_json::from_str::<Value>(&place.fill(&body.to_string(), &place.proposed, "none")).unwrap()
                });
                let answer = send(&place.world.ada, method, &asked, body, "probe").await;
                answers.push((answer.status.as_u16(), answer.bytes));
            }
            let is_absent = |(status, body): &(u16, Vec<u8>)| {
                (*status >= 400 || *method == "delete" && *status == 204) && !body.ends_with(b"no such path\"}}")
            };
            if answers.iter().any(|answer| !is_absent(answer) || *answer != answers[0]) {
                faults.push(format!("{method} {pattern} with {name}: {answers:?}"));
            }
            probed += 1;
        }
    }
    assert!(probed > 200, "{probed}");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
