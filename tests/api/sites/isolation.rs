//! Private sites beside sites of other organizations.
use super::site;
use acceptance::{Fixture, World};
use domain::actor::Actor;
use domain::site::isolation::Isolation;
use domain::usecases::Error;
use domain::usecases::sites::Sites;
use serde_json::json;
use std::sync::Arc;

#[acceptance::test]
async fn a_private_site_beside_one_of_another_organization_is_reported_and_can_be_refused(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let own = site(&world, json!({"title": "Docs", "visibility": "share-link", "spaces": [space.as_str()]})).await;
    world.ada.post(&format!("{own}/publish"), json!({})).await.ok();
    assert!(world.ada.get(&own).await.ok().get("originWarning").is_none(), "it is alone");

    let zoe = world.stranger("zoe").await;
    let organization =
        zoe.post("/orgs", json!({"title": "Zoe's"})).await.expect(201)["id"].as_str().unwrap().to_owned();
    let theirs = zoe.post(&format!("/orgs/{organization}/sites"), json!({"title": "Zoe"})).await.expect(201);
    let theirs = format!("/orgs/{organization}/sites/{}", theirs["id"].as_str().unwrap());
    zoe.post(&format!("{theirs}/publish"), json!({})).await.ok();
    let told = world.ada.get(&own).await.ok();
    assert!(told["originWarning"].as_str().unwrap().contains("OCTAVO_SITES_HOST"), "{told}");
    assert!(zoe.get(&theirs).await.ok().get("originWarning").is_none(), "it is public");
    assert_eq!(world.services.sites.exposed().await.unwrap(), ["docs"]);

    let hosting = (*world.services.sites.hosting).clone().isolated(Isolation::Strict);
    let strict = Sites { hosting: Arc::new(hosting), ..world.services.sites.clone() };
    let id = own.rsplit('/').next().unwrap().parse().unwrap();
    world.ada.post(&format!("{own}/unpublish"), json!({})).await.ok();
    let refused = strict.publish(&Actor::Operator, &world.organization, &id).await;
    assert!(matches!(&refused, Err(Error::Conflict(told)) if told.contains("hostname")), "{refused:?}");
    world.ada.patch(&own, json!({"hostname": "docs.acme.org"})).await.ok();
    strict.publish(&Actor::Operator, &world.organization, &id).await.unwrap();
    assert!(world.ada.get(&own).await.ok().get("originWarning").is_none());
}
