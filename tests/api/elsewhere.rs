//! What belongs to another organization, asked for behind what is one's own.
use super::access::{OPERATIONS, Place, body, send};
use acceptance::{Backend, World};
use rstest::rstest;
use serde_json::{Value, json};

#[rstest]
#[actix_web::test]
async fn what_belongs_to_another_organization_is_not_there(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let Some(world) = World::boot(backend).await else { return };
    let theirs = Place::build(world).await;
    let zoe = theirs.world.stranger("zoe").await;
    let text = |value: Value| value["id"].as_str().unwrap().to_owned();
    let organization = text(zoe.post("/orgs", json!({"title": "Mine"})).await.expect(201));
    let space = text(zoe.post(&format!("/orgs/{organization}/spaces"), json!({})).await.expect(201));
    let collection = text(zoe.post(&format!("/orgs/{organization}/collections"), json!({})).await.expect(201));
    let mut faults = Vec::new();
    let mut probed = 0;
    for (method, pattern, ..) in OPERATIONS {
        // The first id is one's own, and what it is asked for is of the others.
        let own = [("{organizationId}", &organization), ("{spaceId}", &space), ("{collectionId}", &collection)];
        let Some((name, own)) = own.into_iter().find(|(name, _)| pattern.contains(&format!("/{name}/"))) else {
            continue;
        };
        let Some(rest) = pattern.split_once(name).map(|(_, rest)| rest).filter(|rest| rest.contains('{')) else {
            continue;
        };
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
