//! Private sites beside sites of other organizations.
use super::site;
use acceptance::{Fields, Fixture, World};
use domain::actor::Actor;
use domain::id::OrganizationId;
use domain::organization::OrganizationPatch;
use domain::patch::Patch;
use domain::site::isolation::Isolation;
use domain::usecases::organizations::Organizations;
use domain::usecases::sites::Sites;
use domain::usecases::{Error, Precondition};
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

#[acceptance::test]
async fn a_host_of_an_organization_that_would_expose_a_private_site_can_be_refused(world: World) {
    world.ada.patch(&world.org(""), json!({"hostname": "acme"})).await.ok();
    let own = site(&world, json!({"title": "Docs", "visibility": "share-link"})).await;
    world.ada.post(&format!("{own}/publish"), json!({})).await.ok();
    let zoe = world.stranger("zoe").await;
    let theirs = zoe.post("/orgs", json!({"title": "Zoe's"})).await.id();
    let public = zoe.post(&format!("/orgs/{theirs}/sites"), json!({"title": "Zoe"})).await.id();
    zoe.post(&format!("/orgs/{theirs}/sites/{public}/publish"), json!({})).await.ok();

    let hosting = (*world.services.sites.hosting).clone().isolated(Isolation::Strict);
    let strict = Organizations { hosting: Arc::new(hosting), ..world.services.organizations.clone() };
    let set = async |organization: &OrganizationId, hostname: Patch<String>| {
        let patch = OrganizationPatch { hostname, ..OrganizationPatch::default() };
        strict.update(&Actor::Operator, organization, Precondition::none(), patch.into()).await
    };
    let id = theirs.parse().unwrap();
    let rule = "hostname: a private site would share its origin with a site of another organization";
    let refused = set(&world.organization, Patch::Clear).await;
    assert!(matches!(&refused, Err(Error::Conflict(told)) if told == rule), "{refused:?}");
    assert_eq!(world.ada.get(&world.org("")).await.ok().text("hostname"), "acme", "nothing is changed");
    set(&id, Patch::Set("zoe".to_owned())).await.unwrap();
    set(&world.organization, Patch::Clear).await.unwrap();
    // From the other side: a public site beside a private one.
    let refused = set(&id, Patch::Clear).await;
    assert!(matches!(&refused, Err(Error::Conflict(told)) if told == rule), "{refused:?}");
    zoe.patch(&format!("/orgs/{theirs}"), json!({"hostname": null})).await.ok();
}
