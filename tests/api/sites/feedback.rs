//! Feedback of visitors, as editors of the site read it.
use super::site;
use acceptance::{Fields, Fixture, World};
use actix_web::http::Method;
use domain::access::Role;
use domain::id::SpaceId;
use domain::site::feedback::SiteFeedback;
use serde_json::{Value, json};

/// Stores feedback on a page of a space on a site, as its id there and the id of the space. Returns its id.
pub(crate) async fn feedback(world: &World, site: &str, on: (&str, &str), page: &str, rating: &str) -> String {
    store(world, site, on, page, rating, None).await
}

async fn store(
    world: &World,
    site: &str,
    (site_space, space): (&str, &str),
    page: &str,
    rating: &str,
    comment: Option<&str>,
) -> String {
    let feedback = SiteFeedback {
        id: world.services.ids.make(),
        site: site.rsplit('/').next().unwrap().parse().unwrap(),
        site_space: site_space.parse().ok(),
        space: space.parse().unwrap(),
        page: page.parse().unwrap(),
        rating: rating.parse().unwrap(),
        comment: comment.map(|text| text.parse().unwrap()),
        created_at: world.services.clock.now(),
    };
    let mut tx = world.services.store.write().await.unwrap();
    tx.site_feedback().add(&feedback).await.unwrap();
    tx.commit().await.unwrap();
    feedback.id.to_string()
}

/// A site with the guide: its path, the space, and the id of the space on the site.
async fn rated(world: &World) -> (String, SpaceId, String) {
    let space = world.import(&Fixture::guide()).await;
    let site = site(world, json!({"title": "Docs", "spaces": [space.as_str()]})).await;
    let structure = world.ada.get(&format!("{site}/structure")).await.ok();
    let site_space = structure["structure"][0].id().to_owned();
    (site, space, site_space)
}

fn ids(list: &Value) -> Vec<&str> {
    list.list("items").iter().map(Fields::id).collect()
}

#[acceptance::test]
async fn feedback_is_shown_with_its_page_as_it_is_now(world: World) {
    let (site, space, on_site) = rated(&world).await;
    let (linux, macos) = (world.page(&space, "install/linux").await, world.page(&space, "install/macos").await);
    let comment = "It <b>lacks</b> a step.\n</textarea><script>alert(1)</script>";
    let on = (on_site.as_str(), space.as_str());
    let first = store(&world, &site, on, &linux, "bad", Some(comment)).await;
    let second = store(&world, &site, on, &macos, "good", None).await;
    let list = world.ada.get(&format!("{site}/feedback")).await.ok();
    assert_eq!((ids(&list), &list["count"]), (vec![second.as_str(), first.as_str()], &json!(2)), "newest first");
    assert_eq!(list["ratings"], json!({"bad": 1, "ok": 0, "good": 1}));
    let shown = &list["items"][1];
    let expected = json!({
        "object": "site-feedback", "id": first, "siteSpace": on_site, "space": space,
        "page": {"id": linux, "title": "On Linux", "path": "install/linux"},
        "rating": "bad", "comment": comment, "createdAt": shown["createdAt"],
        "urls": {"location": format!("https://docs.test/v1{site}/feedback/{first}")},
    });
    assert_eq!(*shown, expected);
    assert_eq!(list["items"][0].get("comment"), None);
    assert_eq!(world.ada.get(&format!("{site}/feedback/{first}")).await.ok(), *shown);

    world.import_into(&space, &Fixture::new("guide", [("setup/linux.md", "# Linux\n\nRun it.\n")])).await;
    let list = world.ada.get(&format!("{site}/feedback?pageId={macos}")).await.ok();
    assert_eq!(list["items"][0]["page"], json!({"id": macos}), "the page is gone");
    let structure = world.ada.get(&format!("{site}/structure")).await.ok();
    assert_eq!(structure["structure"].as_array().unwrap().len(), 1);
    assert_eq!(world.ada.delete(&format!("{site}/site-spaces/{on_site}")).await.status.as_u16(), 205);
    let left = world.ada.get(&format!("{site}/feedback/{second}")).await.ok();
    assert_eq!((left.get("siteSpace"), &left["space"]), (None, &json!(space)), "the space is not on the site any more");
}

#[acceptance::test]
async fn feedback_is_filtered_and_read_a_page_at_a_time(world: World) {
    let (site, space, on_site) = rated(&world).await;
    let page = world.page(&space, "install").await;
    let mut all = Vec::new();
    for (page, rating) in [(page.as_str(), "good"), ("gone", "bad"), (page.as_str(), "bad"), (page.as_str(), "good")] {
        all.push(feedback(&world, &site, (&on_site, space.as_str()), page, rating).await);
    }
    let path = format!("{site}/feedback");
    for (query, expected, ratings) in [
        ("", vec![3, 2, 1, 0], json!({"bad": 2, "ok": 0, "good": 2})),
        ("rating=good", vec![3, 0], json!({"bad": 2, "ok": 0, "good": 2})),
        (&format!("pageId={page}"), vec![3, 2, 0], json!({"bad": 1, "ok": 0, "good": 2})),
        (&format!("pageId={page}&rating=bad"), vec![2], json!({"bad": 1, "ok": 0, "good": 2})),
        ("pageId=nothing", vec![], json!({"bad": 0, "ok": 0, "good": 0})),
    ] {
        let list = world.ada.get(&format!("{path}?{query}")).await.ok();
        let expected: Vec<&str> = expected.into_iter().map(|at: usize| all[at].as_str()).collect();
        assert_eq!((ids(&list), &list["ratings"]), (expected.clone(), &ratings), "{query}");
        assert_eq!(list["count"], expected.len(), "{query}");
    }
    let first = world.ada.get(&format!("{path}?limit=3")).await.ok();
    assert_eq!((ids(&first).len(), &first["count"]), (3, &json!(4)));
    let rest = world.ada.get(&format!("{path}?limit=3&page={}", first["next"].text("page"))).await.ok();
    assert_eq!((ids(&rest), rest.get("next")), (vec![all[0].as_str()], None));
    for (query, field) in [("rating=great", "rating:"), ("pageId=%20", "pageId:"), ("limit=-1", "limit:")] {
        let message = world.ada.get(&format!("{path}?{query}")).await.error(400);
        assert!(message.starts_with(field), "{message}");
    }
}

#[acceptance::test]
async fn feedback_on_many_spaces_takes_as_many_statements_as_on_a_few(world: World) {
    let site = site(&world, json!({"title": "Docs"})).await;
    let mut all = Vec::new();
    for number in 1..=6 {
        let space = world.import(&Fixture::guide()).await;
        let part = world.ada.post(&format!("{site}/site-spaces"), json!({"spaceId": space.as_str()})).await.expect(201);
        let page = world.page(&space, "install/linux").await;
        feedback(&world, &site, (part.id(), space.as_str()), &page, "good").await;
        let (list, statements) = world.counted(world.ada.get(&format!("{site}/feedback"))).await;
        let list = list.ok();
        let paths: Vec<&str> = list.list("items").iter().map(|one| one["page"].text("path")).collect();
        assert_eq!(paths, vec!["install/linux"; number]);
        all.push(statements);
    }
    assert_eq!(all[1], all[5], "{all:?}");
}

#[acceptance::test]
async fn only_callers_who_may_read_a_space_see_feedback_on_it(world: World) {
    let (site, space, on_site) = rated(&world).await;
    let secret = world.space(json!({"title": "Secret"})).await;
    let part = world.ada.post(&format!("{site}/site-spaces"), json!({"spaceId": secret.as_str()})).await.expect(201);
    let open = feedback(&world, &site, (&on_site, space.as_str()), "page", "good").await;
    let hidden = feedback(&world, &site, (part.id(), secret.as_str()), "page", "bad").await;
    world.ada.patch(&format!("/spaces/{secret}"), json!({"defaultLevel": null})).await.ok();
    let edith = world.member("edith", Some(Role::Edit)).await;
    // On the site alone, so not on the space.
    let admin = world.member("alan", Some(Role::Read)).await;
    let grant = json!({"role": "admin", "users": [admin.id()]});
    world.ada.post(&format!("{site}/permissions"), grant).await.expect(204);
    for caller in [&edith, &admin] {
        let list = caller.get(&format!("{site}/feedback")).await.ok();
        assert_eq!((ids(&list), &list["count"]), (vec![open.as_str()], &json!(1)));
        assert_eq!(list["ratings"], json!({"bad": 0, "ok": 0, "good": 1}));
        let there = caller.get(&format!("{site}/feedback/{hidden}")).await.error(404);
        assert_eq!(caller.get(&format!("{site}/feedback/nothing")).await.error(404), there);
    }
    let delete = format!("{site}/feedback/{hidden}");
    assert_eq!(admin.delete(&delete).await.status.as_u16(), 204, "it is hidden, so it stays");
    assert_eq!(world.ada.get(&format!("{site}/feedback")).await.ok()["ratings"]["bad"], 1);

    let elsewhere = world.ada.post("/orgs", json!({"title": "Elsewhere"})).await.id();
    world.ada.post(&format!("/spaces/{secret}/transfer"), json!({"organization": elsewhere})).await.ok();
    assert_eq!(world.ada.get(&delete).await.status.as_u16(), 404, "the space belongs to another organization");
    assert_eq!(ids(&world.ada.get(&format!("{site}/feedback")).await.ok()), [open.as_str()]);
    world.ada.delete(&format!("/spaces/{space}")).await;
    assert_eq!(world.ada.get(&format!("{site}/feedback")).await.ok()["count"], 0, "the space is deleted");
    world.ada.post(&format!("/spaces/{space}/restore"), json!({})).await.ok();
    assert_eq!(ids(&world.ada.get(&format!("{site}/feedback")).await.ok()), [open.as_str()]);
}

#[acceptance::test]
async fn administrators_of_the_site_delete_feedback(world: World) {
    let (site, space, on_site) = rated(&world).await;
    let on = (on_site.as_str(), space.as_str());
    let secret = "Call me: +49 30 1234567";
    let one = store(&world, &site, on, "page", "bad", Some(secret)).await;
    let other = feedback(&world, &site, on, "page", "ok").await;
    let path = format!("{site}/feedback/{one}");
    let another = super::site(&world, json!({"title": "Another"})).await;
    world.ada.get(&format!("{another}/feedback/{one}")).await.error(404);
    assert_eq!(world.ada.delete(&format!("{another}/feedback/{one}")).await.status.as_u16(), 204);
    let cora = world.member("cora", Some(Role::Create)).await;
    cora.get(&path).await.ok();
    cora.delete(&path).await.error(403);
    let stale = |request: actix_web::test::TestRequest| request.insert_header(("If-Match", "\"stale\""));
    world.ada.send(Method::DELETE, &path, stale).await.error(412);
    assert_eq!(world.ada.delete(&path).await.status.as_u16(), 205);
    assert_eq!(world.ada.delete(&path).await.status.as_u16(), 204);
    world.ada.get(&path).await.error(404);
    let list = world.ada.get(&format!("{site}/feedback")).await.ok();
    assert_eq!((ids(&list), &list["ratings"]["bad"]), (vec![other.as_str()], &json!(0)));
    let events = world.ada.get(&world.org("/audit-events?action=page_feedback_deleted")).await.ok();
    let [event] = events.list("items") else { panic!("{events}") };
    assert_eq!(event["target"], json!({"type": "site-feedback", "id": one}));
    assert_eq!(event["payload"], json!({"site": site.rsplit('/').next(), "feedback": one}));
    assert!(!format!("{:?}", world.dump().await).contains(secret), "nothing is left of the comment");
}
