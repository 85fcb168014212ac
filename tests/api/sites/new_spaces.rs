//! Spaces that are created on a site: new ones, copies, and spaces from a template.
use super::{refused, site};
use acceptance::{Caller, Fields, Fixture, World};
use domain::access::Role;
use serde_json::{Value, json};

async fn structure(caller: &Caller, path: &str) -> Value {
    caller.get(&format!("{path}/structure")).await.ok()
}

/// The titles of the parts of a structure, with those inside in brackets.
fn told(structure: &Value) -> String {
    let title = |part: &Value| match part.get("siteSpaces").and_then(Value::as_array) {
        Some(inside) => {
            let inside: Vec<&str> = inside.iter().map(|one| one.text("title")).collect();
            format!("{}[{}]", part.text("title"), inside.join(" "))
        }
        None => part.text("title").to_owned(),
    };
    structure.list("structure").iter().map(title).collect::<Vec<_>>().join(" ")
}

/// The titles of the pages of a space, each before those below it.
async fn pages(world: &World, space: &str) -> Vec<String> {
    fn titles(pages: &[Value]) -> Vec<String> {
        let below = |page: &Value| {
            let inside = page.get("pages").and_then(Value::as_array).map_or(Vec::new(), |pages| titles(pages));
            [vec![page.text("title").to_owned()], inside].concat()
        };
        pages.iter().flat_map(below).collect()
    }
    titles(world.ada.get(&format!("/spaces/{space}/content/pages")).await.ok().list("pages"))
}

#[acceptance::test]
async fn a_space_without_an_id_is_created_in_the_organization(world: World) {
    let path = site(&world, json!({"title": "Docs"})).await;
    let first = world.ada.post(&format!("{path}/site-spaces"), json!({"spaceId": null, "title": "Guide"})).await;
    assert!(first.header("location").unwrap().contains("/site-spaces/"));
    let first = first.expect(201);
    assert_eq!((first.text("title"), first["space"].text("title"), first.text("path")), ("Guide", "Guide", "guide"));
    assert_eq!(pages(&world, first["space"].id()).await.len(), 1, "one empty page");
    assert_eq!(world.ada.get(&format!("/spaces/{}", first["space"].id())).await.ok(), first["space"]);
    let template = json!({"spaceId": null, "title": "News", "template": {"id": "product-guide"}});
    let section = world.ada.post(&format!("{path}/sections"), template).await.expect(201);
    assert!(pages(&world, section["siteSpaces"][0]["space"].id()).await.len() > 1, "the pages of the template");
    let untitled = world.ada.post(&format!("{path}/sections"), json!({"spaceId": null, "title": null})).await;
    assert_eq!(untitled.expect(201).text("title"), "Section");
    assert_eq!(told(&structure(&world.ada, &path).await), "Docs[Guide] News[News] Section[]");
    assert_eq!(world.ada.get(&world.org("/spaces")).await.ok()["count"], 3);
}

#[acceptance::test]
async fn a_new_space_has_no_page_to_start_with_and_only_a_new_one_has_a_template(world: World) {
    let path = site(&world, json!({"title": "Docs"})).await;
    let space = world.space(json!({})).await;
    for to in ["sections", "site-spaces"] {
        let to = format!("{path}/{to}");
        for (body, field) in [
            (json!({"title": "Guide"}), "spaceId"),
            (json!({"spaceId": null, "pageId": "p"}), "pageId"),
            (json!({"spaceId": null, "template": {"id": "none"}}), "template.id"),
            (json!({"spaceId": space.as_str(), "template": {"id": "release-notes"}}), "template"),
        ] {
            refused(world.ada.post(&to, body).await, field);
        }
    }
    assert_eq!(world.ada.get(&world.org("/spaces")).await.ok()["count"], 1);
    assert_eq!(told(&structure(&world.ada, &path).await), "");
}

#[acceptance::test]
async fn callers_who_may_not_create_in_the_organization_add_no_new_space_to_a_site(world: World) {
    let path = site(&world, json!({"title": "Docs"})).await;
    let carl = world.member("carl", Some(Role::Read)).await;
    let create = json!({"role": "create", "users": [carl.id()]});
    world.ada.post(&format!("{path}/permissions"), create).await.expect(204);
    carl.post(&format!("{path}/site-spaces"), json!({"spaceId": null})).await.error(403);
    carl.post(&format!("{path}/sections"), json!({"spaceId": null})).await.error(403);
    carl.post(&format!("{path}/template"), json!({})).await.error(403);
    assert_eq!(told(&structure(&world.ada, &path).await), "");
    assert_eq!(world.ada.get(&world.org("/spaces")).await.ok()["count"], 0);
}

#[acceptance::test]
async fn a_copy_of_a_space_is_placed_after_it_with_its_own_path(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let other = world.space(json!({"title": "Other"})).await;
    let path = site(&world, json!({"title": "Docs", "spaces": [space.as_str(), other.as_str()]})).await;
    let install = world.page(&space, "install").await;
    let parts = structure(&world.ada, &path).await;
    let original = parts["structure"][0].id();
    let change = json!({"title": "Version 1", "pageId": install.as_str(), "hidden": true});
    world.ada.patch(&format!("{path}/site-spaces/{original}"), change).await.ok();
    let duplicate = format!("{path}/site-spaces/{original}/duplicate");
    let answer = world.ada.post(&duplicate, json!({})).await;
    let location = answer.header("location").unwrap().to_owned();
    let copy = answer.expect(201);
    assert!(location.ends_with(&format!("{path}/site-spaces/{}", copy.id())), "{location}");
    let title = copy["space"].text("title");
    assert!(title.starts_with("Copy of "), "{title}");
    assert_eq!((copy.text("title"), copy.text("pageId"), &copy["hidden"]), (title, install.as_str(), &json!(true)));
    assert_eq!((&copy["draft"], &copy["default"]), (&json!(false), &json!(false)));
    assert_eq!(told(&structure(&world.ada, &path).await), format!("Version 1 {title} Other"));
    assert_eq!(pages(&world, copy["space"].id()).await, pages(&world, space.as_str()).await);
    let again = world.ada.post(&duplicate, json!({"draft": true})).await.expect(201);
    assert_eq!((again.text("path"), &again["draft"]), (format!("{}-1", copy.text("path")).as_str(), &json!(true)));
    world.ada.post(&format!("{path}/site-spaces/nowhere/duplicate"), json!({})).await.error(404);
    refused(world.ada.post(&duplicate, json!({"draft": "yes"})).await, "draft");
}

#[acceptance::test]
async fn the_copy_of_the_only_space_of_a_section_has_a_section_of_its_own(world: World) {
    let [guide, api, blog] = ["Guide", "API", "Blog"].map(|title| json!({"title": title}));
    let guide = world.space(guide).await;
    let path = site(&world, json!({"title": "Docs", "spaces": [guide.as_str()]})).await;
    let api = json!({"spaceId": world.space(api).await.as_str(), "icon": "code"});
    let api = world.ada.post(&format!("{path}/sections"), api).await.expect(201);
    let blog = json!({"spaceId": world.space(blog).await.as_str()});
    world.ada.post(&format!("{path}/sections"), blog).await.expect(201);
    let group = json!({"title": "Reference", "sections": [api.id()]});
    let group = world.ada.post(&format!("{path}/section-groups"), group).await.expect(201);
    let original = api["siteSpaces"][0].id();
    let copy = world.ada.post(&format!("{path}/site-spaces/{original}/duplicate"), json!({})).await.expect(201);
    assert_eq!((copy.text("object"), copy.text("title")), ("site-space", "Copy of API"));
    let sections = world.ada.get(&format!("{path}/sections")).await.ok();
    let titles: Vec<&str> = sections.list("items").iter().map(|one| one.text("title")).collect();
    assert_eq!(titles, ["Docs", "Blog", "API", "Copy of API"]);
    let own = sections.list("items").iter().find(|one| one.id() == copy.text("section")).unwrap();
    assert_eq!((own.text("icon"), own.text("sectionGroup"), &own["draft"]), ("code", group.id(), &json!(false)));
    let draft = format!("{path}/site-spaces/{original}/duplicate");
    let draft = world.ada.post(&draft, json!({"draft": true})).await.expect(201);
    let sections = world.ada.get(&format!("{path}/sections")).await.ok();
    let own = sections.list("items").iter().find(|one| one.id() == draft.text("section")).unwrap();
    assert_eq!((&own["draft"], &draft["draft"], &own["default"]), (&json!(true), &json!(true), &json!(false)));
}

#[acceptance::test]
async fn a_copy_needs_the_right_to_create_next_to_the_space(world: World) {
    let collection = world.collection(json!({})).await;
    let space = world.space(json!({"title": "Guide", "parent": collection})).await;
    let path = site(&world, json!({"title": "Docs", "spaces": [space.as_str()]})).await;
    let parts = structure(&world.ada, &path).await;
    let duplicate = format!("{path}/site-spaces/{}/duplicate", parts["structure"][0].id());
    let carl = world.member("carl", Some(Role::Read)).await;
    carl.post(&duplicate, json!({})).await.error(403);
    let create = json!({"role": "create", "users": [carl.id()]});
    world.ada.post(&format!("{path}/permissions"), create.clone()).await.expect(204);
    carl.post(&duplicate, json!({})).await.error(403);
    assert_eq!(world.ada.get(&world.org("/spaces")).await.ok()["count"], 1, "nothing was copied");
    world.ada.post(&format!("/collections/{collection}/permissions"), create).await.expect(204);
    let copy = carl.post(&duplicate, json!({})).await.expect(201);
    assert_eq!(copy["space"]["permissions"]["admin"], true, "the caller manages the copy");
    world.ada.patch(&format!("/spaces/{space}"), json!({"defaultLevel": null})).await.ok();
    let eve = world.member("eve", Some(Role::Create)).await;
    eve.post(&duplicate, json!({})).await.error(404);
}

#[acceptance::test]
async fn a_template_fills_an_empty_site_once(world: World) {
    let path = site(&world, json!({"title": "Handbook"})).await;
    let filled = world.ada.post(&format!("{path}/template"), json!({})).await;
    assert_eq!((filled.status.as_u16(), filled.bytes.len()), (200, 0));
    let parts = structure(&world.ada, &path).await;
    assert_eq!((parts.text("type"), told(&parts)), ("siteSpaces", "Handbook".to_owned()));
    let space = parts["structure"][0]["space"].id();
    assert!(pages(&world, space).await.len() > 1, "the pages of the template");
    let message = world.ada.post(&format!("{path}/template"), json!({})).await.error(409);
    assert!(message.contains("not empty"), "{message}");
    assert_eq!(world.ada.get(&world.org("/spaces")).await.ok()["count"], 1);
    // A section without spaces is content too.
    let second = site(&world, json!({"title": "Second"})).await;
    let section = world.ada.post(&format!("{second}/sections"), json!({"spaceId": space})).await.expect(201);
    let inside = section["siteSpaces"][0].id();
    assert_eq!(world.ada.delete(&format!("{second}/site-spaces/{inside}")).await.status.as_u16(), 205);
    world.ada.post(&format!("{second}/template"), json!({})).await.error(409);
    world.ada.post(&world.org("/sites/nowhere/template"), json!({})).await.error(404);
}
