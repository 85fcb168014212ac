use super::{URL, path, pets, processed_spec, put_url, spec};
use acceptance::{Fields, World};
use domain::access::Role;
use domain::openapi_spec::{MAX_SPECS, OpenapiSpec};
use serde_json::json;

#[acceptance::test]
#[case::no_slug(json!({"source": {"text": "a"}}), "slug")]
#[case::an_underscore(json!({"slug": "a_b", "source": {"text": "a"}}), "slug: must be 1 to 100 letters")]
#[case::no_source(json!({"slug": "pets"}), "source")]
#[case::two_sources(json!({"slug": "pets", "source": {"text": "a", "url": URL}}), "source: must have either url or text")]
#[case::another_scheme(json!({"slug": "pets", "source": {"url": "file:///etc/passwd"}}), "source.url")]
#[case::an_empty_text(json!({"slug": "pets", "source": {"text": ""}}), "source.text")]
async fn a_spec_that_breaks_a_rule_is_refused(world: &World, #[case] body: serde_json::Value, #[case] message: &str) {
    let error = world.ada.post(&world.org("/openapi"), body).await.error(400);
    assert!(error.starts_with(message), "{error}");
    assert_eq!(world.ada.get(&world.org("/openapi")).await.ok(), json!({"count": 0, "items": []}));
}

#[acceptance::test]
async fn slugs_that_differ_only_in_case_are_the_same(world: World) {
    processed_spec(&world, "Pets").await;
    let body = json!({"slug": "pETS", "source": {"text": pets("Other")}});
    let error = world.ada.post(&world.org("/openapi"), body).await.error(400);
    assert_eq!(error, "slug: is taken by another OpenAPI spec of the organization");
    assert_eq!(spec(&world, "pets").await["slug"], "Pets");
    let set = world.ada.put(&path(&world, "PETS"), json!({"source": {"text": pets("Other")}})).await.expect(200);
    assert_eq!(set["slug"], "Pets");
}

#[acceptance::test]
async fn a_put_creates_a_spec_and_then_sets_its_source(world: World) {
    let at = path(&world, "pets");
    let answer = world.ada.put(&at, json!({"source": {"text": pets("Pets")}})).await;
    assert_eq!(answer.header("location"), Some(format!("https://docs.test/v1{at}").as_str()));
    let made = answer.expect(201);
    let set = world.ada.put(&at, json!({"source": {"url": URL}})).await.expect(200);
    assert_eq!((&set["id"], set.text("sourceURL")), (&made["id"], URL));
    let error = world.ada.put(&world.org("/openapi/a_b"), json!({"source": {"url": URL}})).await.error(400);
    assert!(error.starts_with("specSlug: must be 1 to 100 letters"), "{error}");
    world.ada.get(&world.org("/openapi/a_b")).await.expect(404);
}

#[acceptance::test]
async fn readers_of_the_organization_see_specs_and_creators_change_them(world: World) {
    let (slug, _) = processed_spec(&world, "pets").await;
    let at = path(&world, &slug);
    let [reader, editor, creator, guest] = [
        world.member("reader", Some(Role::Read)).await,
        world.member("editor", Some(Role::Edit)).await,
        world.member("creator", Some(Role::Create)).await,
        world.member("guest", None).await,
    ];
    for caller in [&reader, &editor] {
        assert_eq!(caller.get(&at).await.ok()["permissions"], json!({"view": true, "edit": false}));
        caller.put(&at, json!({"source": {"text": "a"}})).await.expect(403);
        caller.patch(&at, json!({"visibility": "public"})).await.expect(403);
        caller.delete(&at).await.expect(403);
        caller.get(&format!("{at}/versions/latest/content/raw")).await.ok();
    }
    creator.patch(&at, json!({"visibility": "public"})).await.ok();
    for hidden in [&at, &world.org("/openapi"), &world.org("/openapi/nowhere")] {
        guest.get(hidden).await.expect(403);
        guest.delete(&at).await.expect(403);
    }
    let stranger = world.stranger("stranger").await;
    stranger.get(&at).await.expect(404);
    stranger.get(&world.org("/openapi")).await.expect(404);
    spec(&world, &slug).await;
}

#[acceptance::test]
async fn an_organization_has_a_list_of_its_specs_oldest_first(world: World) {
    for slug in ["b", "a", "c"] {
        put_url(&world, slug).await;
    }
    let list = world.ada.get(&world.org("/openapi?limit=2")).await.ok();
    let slugs: Vec<&str> = list.list("items").iter().map(|spec| spec.text("slug")).collect();
    assert_eq!((slugs, &list["count"]), (vec!["b", "a"], &json!(3)));
    let rest = world.ada.get(&world.org(&format!("/openapi?limit=2&page={}", list["next"].text("page")))).await.ok();
    assert_eq!(rest["items"][0]["slug"], "c");
}

#[acceptance::test]
async fn an_organization_has_at_most_a_thousand_specs(world: World) {
    let (slug, _) = processed_spec(&world, "pets").await;
    // Specs are added directly: so many requests would take long.
    let services = &world.services;
    let mut tx = services.store.write().await.unwrap();
    tx.lock(&[(&world.organization).into()]).await.unwrap();
    let spec = tx.openapi_specs().find(&world.organization, &slug.parse().unwrap()).await.unwrap().unwrap();
    for number in 1..MAX_SPECS {
        let another =
            OpenapiSpec { id: services.ids.make(), slug: format!("s{number}").parse().unwrap(), ..spec.clone() };
        tx.openapi_specs().add(&another).await.unwrap();
    }
    tx.commit().await.unwrap();
    let source = json!({"text": pets("More")});
    let full = "the organization already has 1000 OpenAPI specs: delete one first";
    let body = json!({"slug": "more", "source": source});
    assert_eq!(world.ada.post(&world.org("/openapi"), body).await.error(409), full);
    assert_eq!(world.ada.put(&path(&world, "more"), json!({"source": source})).await.error(409), full);
    world.ada.put(&path(&world, &slug), json!({"source": source})).await.ok();
}

#[acceptance::test]
async fn a_visibility_is_one_of_two(world: World) {
    let (slug, _) = processed_spec(&world, "pets").await;
    for body in [json!({}), json!({"visibility": null}), json!({"visibility": "unlisted"})] {
        let error = world.ada.patch(&path(&world, &slug), body).await.error(400);
        assert!(error.starts_with("visibility: "), "{error}");
    }
    assert_eq!(spec(&world, &slug).await["visibility"], "private");
}

#[acceptance::test]
async fn a_change_that_changes_nothing_is_no_event(world: World) {
    let (slug, _) = processed_spec(&world, "pets").await;
    let before = spec(&world, &slug).await;
    assert_eq!(world.ada.patch(&path(&world, &slug), json!({"visibility": "private"})).await.ok(), before);
    assert_eq!(world.ada.get(&world.org("/audit-events?action=openapi_spec_updated")).await.ok()["count"], 0);
}
