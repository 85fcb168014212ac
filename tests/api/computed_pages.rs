//! Computed pages, which are replaced by pages generated from OpenAPI specs.
use super::change_requests::{edit, merged, propose};
use super::openapi_specs::{generated, generated_entry, newest};
use acceptance::{Caller, Fields, Fixture, World};
use domain::access::Role;
use domain::id::SpaceId;
use serde_json::{Value, json};

const FIRST: &str = r#"{"openapi":"3.1.0","info":{"title":"Pet API","version":"1"},
    "tags":[{"name":"pets","x-page-title":"Pets","x-page-icon":"paw","description":"All pets"},
        {"name":"shops","x-parent":"pets","description":"Where *pets* are sold."}],
    "paths":{"/pets":{"get":{"tags":["pets"],"summary":"List pets"}},"/shops":{"get":{"tags":["shops"]}},
        "/secret":{"get":{"tags":["pets"],"x-internal":true}}},
    "components":{"schemas":{"Pet":{}}}}"#;

/// Without the tag `shops`, with another title of `pets`.
const SECOND: &str = r#"{"openapi":"3.1.0","info":{"title":"Pet API","version":"2"},
    "tags":[{"name":"pets","x-page-title":"Animals"}],"paths":{"/pets":{"get":{"tags":["pets"]},"put":{"tags":["pets"]}}}}"#;

/// A space with a computed page of the spec `pets`.
async fn space(world: &World) -> SpaceId {
    let entry = generated_entry(1, &["models", "downloadLink"]);
    let list = "* [Start](README.md)\n* [Reference](reference.md)\n  * [Pets](pets.md)\n";
    let summary = format!("# Table of contents\n\n{list}{entry}");
    let files = [
        ("SUMMARY.md", summary.as_str()),
        ("README.md", "# Start\n\nBegin [here](reference.md).\n"),
        ("reference.md", "# Reference\n\nThe operations.\n"),
        ("pets.md", "# Pets\n\nAbout pets.\n"),
    ];
    world.import(&Fixture::new("docs", files)).await
}

/// Ada sets the document of the spec `pets`, which is processed.
async fn publish(world: &World, document: &str) {
    let path = world.org("/openapi/pets");
    let answer = world.ada.put(&path, json!({"source": {"text": document}})).await;
    assert!(matches!(answer.status.as_u16(), 200 | 201), "{}", answer.status);
    world.work().await;
}

/// The pages of a list: path, title and, if it is generated or computed, what of.
fn outline(pages: &Value) -> Vec<String> {
    let mut lines = Vec::new();
    let mut waiting: Vec<&Value> = pages.as_array().unwrap().iter().rev().collect();
    while let Some(page) = waiting.pop() {
        let path = page["path"].as_str().unwrap_or("-");
        let doc = page["computed"]["props"]["doc"].as_str().or(page["computed"]["type"].as_str());
        lines.push(format!("{path} {}{}", page.text("title"), doc.map_or(String::new(), |doc| format!(" ({doc})"))));
        waiting.extend(page["pages"].as_array().into_iter().flatten().rev());
    }
    lines
}

const GENERATED: [&str; 7] = [
    "start Start",
    "reference Reference",
    "reference/pets Pets",
    "reference/pet-api Pet API (info)",
    "reference/pets-1 Pets (operations)",
    "reference/pets-1/shops shops (operations)",
    "reference/models Models (models)",
];

async fn pages(caller: &Caller, space: &SpaceId, query: &str) -> Vec<String> {
    outline(&caller.get(&format!("/spaces/{space}/content/pages{query}")).await.ok()["pages"])
}

async fn by_path(world: &World, space: &SpaceId, path: &str) -> Value {
    world.ada.get(&format!("/spaces/{space}/content/path/{path}")).await.ok()
}

#[acceptance::test]
async fn pages_are_generated_in_the_place_of_a_computed_page_unless_the_caller_wants_it_as_it_is(world: World) {
    let space = space(&world).await;
    publish(&world, FIRST).await;
    assert_eq!(pages(&world.ada, &space, "").await, GENERATED);
    assert_eq!(pages(&world.ada, &space, "?computed=true").await, GENERATED);
    let stored = ["start Start", "reference Reference", "reference/pets Pets", "- pets (builtin:openapi)"];
    assert_eq!(pages(&world.ada, &space, "?computed=false").await, stored);

    let revision = world.ada.get(&format!("/spaces/{space}/content")).await.ok();
    assert_eq!(outline(&revision["pages"]), GENERATED);
    let old = world.ada.get(&format!("/spaces/{space}/revisions/{}/pages", revision.id())).await.ok();
    assert_eq!(outline(&old["pages"]), GENERATED);
    let stored_revision = world.ada.get(&format!("/spaces/{space}/content?computed=false")).await.ok();
    assert_eq!(outline(&stored_revision["pages"]), stored);

    let reference = by_path(&world, &space, "reference").await;
    assert_eq!(outline(&json!([reference])), GENERATED[1..]);
    let computed = &stored_revision["pages"][1]["pages"][1];
    assert_eq!(computed.text("type"), "computed");
    let source = generated(&newest(), &json!({"models": true, "downloadLink": true}));
    assert_eq!(computed["computed"], source);
    let read = world.ada.get(&format!("/spaces/{space}/content/page/{}", computed.id())).await.ok();
    assert_eq!((read.text("type"), &read["computed"]), ("computed", &source));
}

#[acceptance::test]
async fn a_generated_page_is_read_by_its_id_and_by_its_path(world: World) {
    let space = space(&world).await;
    publish(&world, FIRST).await;
    let page = by_path(&world, &space, "reference/pets-1").await;
    let shown = json!([page["title"], page["icon"], page["description"], page["slug"], page["type"], page["kind"]]);
    assert_eq!(shown, json!(["Pets", "paw", "All pets", "pets-1", "document", "sheet"]));
    assert_eq!(page["computed"], generated(&newest(), &json!({"doc": "operations", "page": "pets"})));
    assert!(!page.text("computedSeed").is_empty());
    assert_eq!(page.get("documentId"), None);
    let data = json!({"path": "/pets", "method": "get", "ref": {"kind": "openapi", "spec": "pets"}});
    let nodes = page["document"]["nodes"].as_array().unwrap();
    assert_eq!(nodes.len(), 1, "internal operations are left out: {nodes:?}");
    assert_eq!((nodes[0].text("type"), &nodes[0]["data"]), ("openapi-operation", &data));

    let path = format!("/spaces/{space}/content/page/{}", page.id());
    assert_eq!(world.ada.get(&path).await.ok(), page);
    let revision = world.ada.get(&format!("/spaces/{space}/content")).await.ok();
    let document = format!("/spaces/{space}/revisions/{}/page/{}/document", revision.id(), page.id());
    assert_eq!(world.ada.get(&document).await.ok(), page["document"]);
    assert_eq!(world.ada.get(&format!("{path}/meta-links")).await.ok(), json!({}));
    let markdown = world.ada.get(&format!("{path}?format=markdown")).await.ok();
    assert!(markdown.text("markdown").contains(r#"{% openapi-operation spec="pets" path="/pets" method="get" %}"#));

    let shops = by_path(&world, &space, "reference/pets-1/shops?format=markdown").await;
    assert!(shops.text("markdown").starts_with("Where _pets_ are sold."), "{shops}");
    assert_eq!(world.ada.get(&format!("/spaces/{space}/content/page/{}", shops.id())).await.ok().id(), shops.id());
    let models = by_path(&world, &space, "reference/models").await;
    assert_eq!(models["document"]["nodes"][0]["data"]["schemas"], json!(["Pet"]));
    let info = by_path(&world, &space, "reference/pet-api?format=markdown").await;
    assert_eq!(info.text("markdown"), "Version 1\n\n[Download the OpenAPI document](/openapi/pets)\n");

    for absent in [format!("{path}x"), format!("{path}?computed=false"), format!("{path}x/meta-links")] {
        world.ada.get(&absent).await.error(404);
    }
    for absent in ["reference/pets-1/nothing", "reference/pets-1?computed=false", "pets-1", "reference/pets-2"] {
        world.ada.get(&format!("/spaces/{space}/content/path/{absent}")).await.error(404);
    }
}

#[acceptance::test]
async fn a_new_version_of_the_spec_shows_at_once_and_pages_keep_their_ids(world: World) {
    let space = space(&world).await;
    assert_eq!(pages(&world.ada, &space, "").await, GENERATED[..3], "there is no spec yet");
    publish(&world, "nothing").await;
    assert_eq!(pages(&world.ada, &space, "").await, GENERATED[..3], "there is no version yet");
    let revision = world.ada.get(&format!("/spaces/{space}/content")).await.ok();

    publish(&world, FIRST).await;
    assert_eq!(pages(&world.ada, &space, "").await, GENERATED);
    let first = by_path(&world, &space, "reference/pets-1").await;
    let shops = by_path(&world, &space, "reference/pets-1/shops").await;

    publish(&world, SECOND).await;
    let second = by_path(&world, &space, "reference/animals").await;
    assert_eq!(second.id(), first.id());
    assert_eq!(second["document"]["nodes"].as_array().unwrap().len(), 2);
    assert_ne!(second["computedSeed"], first["computedSeed"]);
    world.ada.get(&format!("/spaces/{space}/content/page/{}", shops.id())).await.error(404);
    assert_eq!(world.ada.get(&format!("/spaces/{space}/content")).await.ok().id(), revision.id());

    world.ada.delete(&world.org("/openapi/pets")).await.expect(205);
    assert_eq!(pages(&world.ada, &space, "").await, GENERATED[..3]);
    world.ada.get(&format!("/spaces/{space}/content/page/{}", first.id())).await.error(404);
}

#[acceptance::test]
async fn change_requests_and_copies_keep_computed_pages(world: World) {
    let space = space(&world).await;
    publish(&world, FIRST).await;
    let stored = world.ada.get(&format!("/spaces/{space}/content/pages?computed=false")).await.ok();
    let computed = stored["pages"][1]["pages"][1].id().to_owned();
    let request = propose(&world.ada, &space, "The API").await;
    let change = json!({"operation": "update_page", "page": computed, "title": "The API", "hidden": true});
    edit(&world.ada, &request, json!([change])).await.ok();
    let shown = world.ada.get(&format!("{request}/content/pages")).await.ok();
    assert_eq!(outline(&shown["pages"]), GENERATED);
    assert_eq!(shown["pages"][1]["pages"][1]["hidden"], json!(true));
    let changes = world.ada.get(&format!("{request}/changes")).await.ok();
    assert_eq!(changes["changes"][0]["page"], json!({"id": computed, "type": "computed", "title": "The API"}));
    merged(&world.ada, &request).await;
    let copy = world.ada.post(&format!("/spaces/{space}/duplicate"), json!({})).await.id().parse().unwrap();
    assert_eq!(pages(&world.ada, &copy, "").await, GENERATED);

    let refused = json!({"operation": "update_page", "page": computed, "document": {"markdown": "# New"}});
    let request = propose(&world.ada, &space, "The API").await;
    let told = edit(&world.ada, &request, json!([refused])).await.error(400);
    assert_eq!(told, "changes[0].document: a computed page has no text");
}

#[acceptance::test]
async fn links_and_search_work_in_a_space_with_computed_pages(world: World) {
    let space = space(&world).await;
    publish(&world, FIRST).await;
    let links = world.ada.get(&format!("/spaces/{space}/links")).await.ok();
    assert_eq!(links["stats"]["broken"]["total"], json!(0));
    let found = world.ada.get(&format!("/spaces/{space}/search?query=pets")).await.ok();
    let titles: Vec<&str> = found.list("items").iter().map(|page| page.text("title")).collect();
    assert_eq!(titles, ["Pets"]);
}

#[acceptance::test]
async fn a_visitor_of_a_site_sees_generated_pages(world: World) {
    let space = space(&world).await;
    publish(&world, FIRST).await;
    let body = json!({"title": "Docs", "visibility": "public", "spaces": [space.as_str()]});
    let site = super::sites::site(&world, body).await;
    world.ada.post(&format!("{site}/publish"), json!({})).await.ok();
    let visit = json!({"url": "https://docs.test/s/docs/", "visitor": {}});
    let visitor = world.with_token(world.ada.post("/urls/published", visit).await.ok().text("apiToken"));
    assert_eq!(pages(&visitor, &space, "").await, GENERATED);
    let page = visitor.get(&format!("/spaces/{space}/content/path/reference/pets-1/shops")).await.ok();
    assert_eq!(page["document"]["nodes"].as_array().unwrap().len(), 2);
    let address = "https://docs.test/s/docs/reference/pets-1/shops";
    assert_eq!(page["urls"]["published"], address);
    let found = world.ada.post("/urls/published", json!({"url": address, "visitor": {}})).await.ok();
    assert_eq!((found.text("pathname"), found.text("canonicalUrl")), ("/reference/pets-1/shops", address));
    let absent = json!({"url": "https://docs.test/s/docs/reference/pets-1/nothing", "visitor": {}});
    world.ada.post("/urls/published", absent).await.error(404);
}

#[acceptance::test]
async fn only_imported_pages_of_a_site_lead_to_a_file(world: World) {
    let space = space(&world).await;
    publish(&world, FIRST).await;
    world.ada.patch(&format!("/spaces/{space}"), json!({"editURL": "https://example.org/edit/"})).await.ok();
    let body = json!({"title": "Docs", "visibility": "public", "spaces": [space.as_str()]});
    let site = super::sites::site(&world, body).await;
    world.ada.post(&format!("{site}/publish"), json!({})).await.ok();
    for (path, file) in [("reference/pets", Some("pets.md")), ("reference/pets-1", None)] {
        let html = super::reader::text(world.browse(&format!("https://docs.test/s/docs/{path}")).await, 200);
        let link = format!("href=\"https://example.org/edit/{}\"", file.unwrap_or_default());
        assert_eq!((html.contains("Edit this page"), html.contains(&link)), (file.is_some(), file.is_some()), "{html}");
    }
}

fn preview(props: &Value) -> Value {
    json!({"source": generated(&newest(), props)})
}

#[acceptance::test]
async fn a_source_is_previewed_without_a_page(world: World) {
    let space = world.space(json!({"empty": true})).await;
    let revision = format!("/spaces/{space}/content/computed/revision");
    let document = format!("/spaces/{space}/content/computed/document");
    let pets = preview(&json!({"doc": "operation", "page": "/pets", "method": "get"}));
    let none = world.ada.post(&revision, preview(&json!({}))).await.ok();
    assert_eq!(none, json!({"pages": [], "files": [], "reusableContents": []}));
    world.ada.post(&document, pets.clone()).await.error(404);

    publish(&world, FIRST).await;
    let shown = world.ada.post(&revision, preview(&json!({"models": false, "grouping": "by-operation"}))).await.ok();
    let expected = [
        "pets Pets (tag)",
        "pets/shops shops (tag)",
        "pets/shops/get-shops GET /shops (operation)",
        "pets/list-pets List pets (operation)",
    ];
    assert_eq!(outline(&shown["pages"]), expected);
    let shown = world.ada.post(&document, pets).await.ok();
    assert_eq!(shown["nodes"][0]["data"]["headless"], json!(true));
    let mut seeded = preview(&json!({}));
    seeded["seed"] = json!("a");
    let shown = world.ada.post(&revision, seeded).await.ok();
    assert!(shown["pages"][0].id().starts_with("a_"));
    assert_eq!(pages(&world.ada, &space, "").await, [] as [&str; 0], "nothing is stored");
}

#[acceptance::test]
#[case::no_source("document", json!({}), "source: is required")]
#[case::a_page_in_a_revision("document", preview(&json!({"models": true})), "source.props: ")]
#[case::an_unknown_page("document", preview(&json!({"doc": "x"})), "source.props: ")]
#[case::options_of_another_form("revision", preview(&json!({"models": "yes"})), "source.props: ")]
#[case::another_type("revision", json!({"source": {"type": "integration:a:b"}}), "source: must have the type builtin:openapi")]
#[case::no_type("revision", json!({"source": {}}), "source: must be an object with a type")]
#[case::a_long_seed("revision", json!({"source": preview(&json!({}))["source"], "seed": "a".repeat(44)}), "seed: ")]
async fn a_source_that_is_none_is_refused(
    world: &World,
    #[case] what: &str,
    #[case] body: Value,
    #[case] message: &str,
) {
    let space = world.space(json!({})).await;
    let told = world.ada.post(&format!("/spaces/{space}/content/computed/{what}"), body).await.error(400);
    assert!(told.starts_with(message), "{told}");
}

#[acceptance::test]
async fn guests_preview_no_specs(world: World) {
    publish(&world, FIRST).await;
    let space = world.space(json!({})).await;
    let guest = world.member("gus", None).await;
    let grant = json!({"role": "edit", "users": [guest.id()]});
    world.ada.post(&format!("/spaces/{space}/permissions"), grant).await.expect(204);
    let reader = world.member("rea", Some(Role::Read)).await;
    for (caller, status) in [(&guest, 403), (&reader, 200)] {
        let path = format!("/spaces/{space}/content/computed/revision");
        assert_eq!(caller.post(&path, preview(&json!({}))).await.status.as_u16(), status);
    }
}

#[acceptance::test]
async fn guests_make_no_pages_of_specs(world: World) {
    publish(&world, FIRST).await;
    let collection = world.ada.post(&world.org("/collections"), json!({"title": "Shared"})).await.id();
    let [guest, editor] = [world.member("gus", None).await, world.member("eve", Some(Role::Read)).await];
    let grant = json!({"role": "create", "users": [guest.id(), editor.id()]});
    world.ada.post(&format!("/collections/{collection}/permissions"), grant).await.expect(204);
    let source = preview(&json!({"models": true}))["source"].clone();
    let space = json!({"title": "API", "parent": collection, "computedSource": source});
    guest.post(&world.org("/spaces"), space.clone()).await.error(403);
    assert_eq!(world.ada.get(&format!("/collections/{collection}/spaces")).await.ok()["count"], 0);
    editor.post(&world.org("/spaces"), space).await.expect(201);
}

#[acceptance::test]
async fn a_space_can_consist_of_generated_pages(world: World) {
    publish(&world, FIRST).await;
    let source = preview(&json!({"models": true}))["source"].clone();
    let space = world.space(json!({"title": "API", "computedSource": source})).await;
    assert_eq!(
        pages(&world.ada, &space, "").await,
        ["pets Pets (operations)", "pets/shops shops (operations)", "models Models (models)"]
    );
    let first = by_path(&world, &space, "").await;
    assert_eq!(first.text("path"), "pets");
    let both = json!({"computedSource": source, "empty": true});
    let told = world.ada.post(&world.org("/spaces"), both).await.error(400);
    assert_eq!(told, "computedSource: must not be sent together with empty or template");
    world.ada.post(&world.org("/spaces"), json!({"computedSource": {}})).await.error(400);
}
