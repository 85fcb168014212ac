//! Previews of sites.
use super::{BASE, adaptive, docs, visit, visitor};
use crate::sites;
use acceptance::{Caller, Fields, Fixture, World};
use chrono::TimeDelta;
use domain::access::Role;
use serde_json::json;

#[acceptance::test]
async fn a_preview_shows_drafts_of_a_site_that_is_not_published(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let secret = world.import(&Fixture::guide()).await;
    let site = sites::site(&world, json!({"title": "Docs", "spaces": [space.as_str()]})).await;
    adaptive(&world, &site).await;
    let draft = json!({"spaceId": secret.as_str(), "title": "Next", "draft": true});
    let draft = world.ada.post(&format!("{site}/site-spaces"), draft).await.expect(201);
    let changed = json!({"path": "next", "condition": "visitor.claims.plan === 'pro'"});
    world.ada.patch(&format!("{site}/site-spaces/{}", draft.id()), changed).await.ok();
    let preview = format!("{site}/publishing/preview");
    let ask = async |caller: &Caller, query: &str| caller.get(&format!("{preview}?{query}")).await;
    let query = format!("siteSpace={}&claims=(plan:pro)&target=/install", draft.id());
    let answer = ask(&world.ada, &query).await;
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    let url = answer.ok().text("url").to_owned();
    let id = site.rsplit('/').next().unwrap();
    assert!(url.starts_with(&format!("https://docs.test/~preview/{id}/next/install?token=")), "{url}");
    let found = visit(&world, &url, json!({})).await.ok();
    assert_eq!((&found["space"], &found["preview"]), (&json!(secret), &json!(true)));
    assert_eq!((found.text("pathname"), found.text("siteBasePath")), ("/install", format!("/~preview/{id}/").as_str()));
    assert_eq!(found.text("canonicalUrl"), format!("{BASE}/next/install"));
    let caller = world.with_token(found.text("apiToken"));
    let structure = caller.get(&format!("{site}/structure")).await.ok();
    assert_eq!(structure["structure"].as_array().unwrap().len(), 2);
    caller.get(&format!("{site}/published")).await.ok();
    caller.get(&format!("/spaces/{secret}/content/pages")).await.ok();

    for (query, field) in [
        ("claims=(plan:max)", "claims.plan"),
        ("claims=(other:1)", "claims.other"),
        ("claims=(plan", "claims"),
        ("siteSpace=nowhere", "siteSpace"),
        ("draft=maybe", "draft"),
        ("target=../install", "target"),
        ("target=/install/../../docs", "target"),
        ("target=~changes/1/%252E%252E/install", "target"),
    ] {
        let told = ask(&world.ada, query).await.error(400);
        assert!(told.starts_with(&format!("{field}: ")), "{told}");
    }
    let without = ask(&world.ada, "draft=false").await.ok().text("url").to_owned();
    assert_eq!(visit(&world, &without, json!({})).await.ok()["space"], json!(space));
    let hidden = without.replace("/?", "/next/install?");
    visit(&world, &hidden, json!({})).await.error(404);
    visit(&world, &format!("https://docs.test/~preview/{id}/"), json!({})).await.error(404);
    visit(&world, &format!("https://docs.test/~preview/{id}/?token={}", found.text("apiToken")), json!({}))
        .await
        .error(404);
    world.ada.patch(&site, json!({"visibility": "unlisted"})).await.ok();
    caller.get(&format!("{site}/structure")).await.ok();
    world.ada.post(&format!("{site}/publishing/auth/regenerate"), json!({})).await.ok();
    caller.get(&format!("{site}/structure")).await.error(401);
    visit(&world, &url, json!({})).await.error(404);
}

#[acceptance::test]
async fn a_preview_shows_only_the_spaces_that_the_member_may_read(world: World) {
    let (site, space) = docs(&world, "public").await;
    let secret = world.import(&Fixture::guide()).await;
    let added = json!({"spaceId": secret.as_str(), "title": "Secret"});
    world.ada.post(&format!("{site}/site-spaces"), added).await.expect(201);
    world.ada.patch(&format!("/spaces/{secret}"), json!({"defaultLevel": null})).await.ok();
    let rita = world.member("rita", Some(Role::Read)).await;
    let url = rita.get(&format!("{site}/publishing/preview")).await.ok().text("url").to_owned();
    let caller = visitor(&world, &url, json!({})).await;
    caller.get(&format!("/spaces/{space}/content")).await.ok();
    caller.get(&format!("/spaces/{secret}/content")).await.error(404);
    world.ada.patch(&format!("/spaces/{secret}"), json!({"defaultLevel": "read"})).await.ok();
    caller.get(&format!("/spaces/{secret}/content")).await.ok();
    world.ada.patch(&format!("/spaces/{space}"), json!({"defaultLevel": null})).await.ok();
    caller.get(&format!("/spaces/{space}/content")).await.error(404);
    world.ada.patch(&format!("/spaces/{space}"), json!({"defaultLevel": "read"})).await.ok();
    world.stranger("eve").await.get(&format!("{site}/publishing/preview")).await.error(404);
    world.pass(TimeDelta::minutes(61)).await;
    visit(&world, &url, json!({})).await.error(404);
    caller.get(&format!("/spaces/{space}/content")).await.error(401);
}
