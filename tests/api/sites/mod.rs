//! Docs sites.
mod addresses;
mod audiences;
mod customization;
mod feedback;
mod foreign_ids;
mod grants;
mod isolation;
mod new_spaces;
mod paths;
mod published;
mod redirects;
mod structure;

pub(crate) use feedback::feedback;

use acceptance::{Answer, Fields, World};
use domain::access::Role;
use serde_json::{Value, json};

/// A site with these spaces; its path in the API.
pub(super) async fn site(world: &World, body: Value) -> String {
    let id = world.ada.post(&world.org("/sites"), body).await.id();
    world.org(&format!("/sites/{id}"))
}

/// The site with this path.
fn titles(list: &Value) -> Vec<&str> {
    list.list("items").iter().map(|item| item.text("title")).collect()
}

fn refused(answer: Answer, field: &str) {
    let message = answer.error(400);
    assert!(message.starts_with(field), "{message}");
}

#[acceptance::test]
async fn a_site_is_made_read_changed_published_and_deleted(world: World) {
    let answer = world.ada.post(&world.org("/sites"), json!({"title": "Product Docs"})).await;
    let location = answer.header("location").unwrap().to_owned();
    let new = answer.expect(201);
    assert_eq!(location, new["urls"]["location"]);
    let path = world.org(&format!("/sites/{}", new.id()));
    assert_eq!(world.ada.get(&path).await.ok(), new);
    assert_eq!((new.text("object"), new.text("type"), new.text("appliedType")), ("site", "basic", "ultimate"));
    assert_eq!((new.text("basename"), new.text("visibility")), ("product-docs", "public"));
    assert_eq!((&new["published"], &new["siteSpaces"]), (&json!(false), &json!(0)));
    assert_eq!(new["urls"].get("published"), None, "it is not published");
    assert!(new["permissions"].as_object().unwrap().values().all(|may| may == true));

    let change = json!({
        "title": "Docs", "visibility": "unlisted", "basename": "Docs", "adaptiveContent": {"enabled": true},
        "agentsContext": "excluded", "hostname": "docs.example.org", "proxy": "www.example.org/docs",
        "icon": {"emoji": "1f4d6"}, "defaultLevel": "read",
    });
    let changed = world.ada.patch(&path, change).await.ok();
    assert_eq!((changed.text("title"), changed.text("basename")), ("Docs", "docs"), "the case is folded");
    assert_eq!(changed["proxy"]["origin"], "www.example.org/docs");
    assert_eq!(changed["icon"], json!({"emoji": "1f4d6"}));
    let published = world.ada.post(&format!("{path}/publish"), json!({})).await.ok();
    assert_eq!(published["published"], true);
    assert_eq!(published["urls"]["published"], "https://www.example.org/docs/");
    let direct = world.ada.patch(&path, json!({"proxy": null})).await.ok();
    assert_eq!(direct["urls"]["published"], "https://docs.example.org/");
    let own = world.ada.patch(&path, json!({"hostname": null, "icon": null})).await.ok();
    assert!(own["urls"].text("published").ends_with("/s/docs/"), "{own}");
    assert_eq!((own.get("hostname"), own.get("icon")), (None, None));
    assert_eq!(world.ada.post(&format!("{path}/publish"), json!({})).await.ok(), own, "again changes nothing");
    assert_eq!(world.ada.post(&format!("{path}/unpublish"), json!({})).await.ok()["published"], false);
    assert_eq!(world.ada.delete(&path).await.status.as_u16(), 205);
    assert_eq!(world.ada.delete(&path).await.status.as_u16(), 204);
    world.ada.get(&path).await.error(404);

    let events = world.ada.get(&world.org("/audit-events?limit=100")).await.ok();
    let kinds: Vec<&str> =
        events.list("items").iter().map(|event| event.text("action")).filter(|kind| kind.starts_with("site")).collect();
    let expected = [
        "site_deleted",
        "site_unpublished",
        "site_updated",
        "site_updated",
        "site_published",
        "site_updated",
        "site_created",
    ];
    assert_eq!(kinds, expected, "publishing twice is one event");
}

#[acceptance::test]
async fn names_of_sites_are_unique_in_the_instance(world: World) {
    let (first, second) = (site(&world, json!({"title": "Docs"})).await, site(&world, json!({"title": "Docs!"})).await);
    let basename = async |path: &str| world.ada.get(path).await.ok().text("basename").to_owned();
    assert_eq!((basename(&first).await, basename(&second).await), ("docs".to_owned(), "docs-1".to_owned()));
    let message = world.ada.patch(&second, json!({"basename": "docs"})).await.error(409);
    assert!(message.starts_with("basename"), "{message}");
    world.ada.patch(&first, json!({"hostname": "docs.example.org"})).await.ok();
    let message = world.ada.patch(&second, json!({"hostname": "docs.example.org"})).await.error(409);
    assert!(message.starts_with("hostname"), "{message}");
    world.ada.patch(&first, json!({"proxy": "www.example.org/docs"})).await.ok();
    let message = world.ada.patch(&second, json!({"proxy": "WWW.example.org/docs"})).await.error(409);
    assert_eq!(message, "proxy: another site of this server has this address");
    world.ada.patch(&second, json!({"proxy": "www.example.org/docs/api"})).await.ok();
    world.ada.patch(&first, json!({"proxy": null})).await.ok();
    world.ada.patch(&second, json!({"proxy": "www.example.org/docs"})).await.ok();
    world.ada.patch(&second, json!({"title": "Other", "basename": "docs-1"})).await.ok();
    let untitled = world.ada.post(&world.org("/sites"), json!({})).await.expect(201);
    assert_eq!((untitled.text("title"), untitled.text("basename")), ("Docs", "docs-2"));
}

#[acceptance::test]
async fn the_list_of_sites_is_filtered(world: World) {
    let space = world.space(json!({"title": "Guide"})).await;
    let other = world.space(json!({})).await;
    let guide = site(&world, json!({"title": "Guide", "spaces": [space.as_str()]})).await;
    site(&world, json!({"title": "Übersicht", "type": "premium"})).await;
    world.ada.post(&format!("{guide}/publish"), json!({})).await.ok();
    let listed = async |query: &str| {
        let list = world.ada.get(&world.org(&format!("/sites?{query}"))).await.ok();
        titles(&list).join(" ")
    };
    assert_eq!(listed("").await, "Guide Übersicht");
    assert_eq!(listed("title=%C3%BCBER").await, "Übersicht");
    assert_eq!(listed("published=true").await, "Guide");
    assert_eq!(listed("published=false").await, "Übersicht");
    assert_eq!(listed(&format!("space={space}")).await, "Guide");
    assert_eq!(listed(&format!("space={other}")).await, "");
    assert_eq!(listed("space=none").await, "");
    assert_eq!(listed("type=premium&type=ultimate").await, "Übersicht");
    let page = world.ada.get(&world.org("/sites?limit=1")).await.ok();
    let next = page["next"].text("page");
    let rest = world.ada.get(&world.org(&format!("/sites?limit=1&page={next}"))).await.ok();
    assert_eq!((titles(&page), titles(&rest), &rest["count"]), (vec!["Guide"], vec!["Übersicht"], &json!(2)));
}

#[acceptance::test]
async fn bad_settings_name_the_field_and_change_nothing(world: World) {
    let path = site(&world, json!({"title": "Docs"})).await;
    let before = world.ada.get(&path).await.ok();
    for (body, field) in [
        (json!({"title": "D"}), "title"),
        (json!({"visibility": "private"}), "visibility"),
        (json!({"basename": "llms.txt"}), "basename"),
        (json!({"hostname": "localhost"}), "hostname"),
        (json!({"proxy": "example.org"}), "proxy"),
        (json!({"icon": {"emoji": "1f4d6", "icon": {"light": "https://a.test/", "dark": "https://a.test/"}}}), "icon"),
        (json!({"styleguide": "nowhere"}), "styleguide"),
        (json!({"defaultSiteSpace": "nowhere"}), "defaultSiteSpace"),
        (json!({"defaultSiteSection": "nowhere", "title": "Other"}), "defaultSiteSection"),
        (json!({"defaultLevel": "owner"}), "defaultLevel"),
    ] {
        refused(world.ada.patch(&path, body).await, field);
    }
    refused(world.ada.post(&world.org("/sites"), json!({"spaces": ["nowhere"]})).await, "spaces");
    let space = world.space(json!({})).await;
    let twice = json!({"spaces": [space.as_str(), space.as_str()]});
    let message = world.ada.post(&world.org("/sites"), twice).await.error(400);
    assert_eq!(message, format!("spaces: must not name {space} twice"));
    assert_eq!(world.ada.get(&path).await.ok(), before);
    assert_eq!(world.ada.get(&world.org("/sites")).await.ok()["count"], 1);
}

#[acceptance::test]
async fn settings_need_an_administrator_and_the_structure_a_creator(world: World) {
    let path = site(&world, json!({"title": "Docs"})).await;
    let space = world.space(json!({})).await;
    let cleo = world.member("cleo", Some(Role::Create)).await;
    cleo.patch(&path, json!({"title": "Mine"})).await.error(403);
    let added = cleo.post(&format!("{path}/site-spaces"), json!({"spaceId": space.as_str()})).await.expect(201);
    cleo.patch(&path, json!({"defaultSiteSpace": added.id()})).await.ok();
    cleo.post(&format!("{path}/publish"), json!({})).await.error(403);
    assert_eq!(cleo.delete(&path).await.status.as_u16(), 403);
    world
        .ada
        .post(&format!("{path}/permissions"), json!({"role": "admin", "users": [cleo.user.as_ref().unwrap().as_str()]}))
        .await
        .expect(204);
    cleo.patch(&path, json!({"title": "Mine"})).await.ok();
    cleo.post(&format!("{path}/publish"), json!({})).await.ok();
}

#[acceptance::test]
async fn a_site_of_another_organization_is_not_found(world: World) {
    let path = site(&world, json!({"title": "Docs"})).await;
    let other = world.ada.post("/orgs", json!({"title": "Other"})).await.id();
    let id = path.rsplit('/').next().unwrap();
    world.ada.get(&format!("/orgs/{other}/sites/{id}")).await.error(404);
    world.ada.patch(&format!("/orgs/{other}/sites/{id}"), json!({"title": "Taken"})).await.error(404);
    assert_eq!(world.ada.delete(&format!("/orgs/{other}/sites/{id}")).await.status.as_u16(), 204);
    let foreign = world.ada.post(&format!("/orgs/{other}/spaces"), json!({})).await.id();
    refused(world.ada.post(&format!("{path}/site-spaces"), json!({"spaceId": foreign})).await, "spaceId");
    assert_eq!(world.ada.get(&path).await.ok().text("title"), "Docs");
}
