use super::{path, pets, processed_spec, spec, versions};
use acceptance::{Answer, Fields, World};
use actix_web::http::Method;
use chrono::TimeDelta;
use serde_json::{Value, json};

const SWAGGER: &str = r##"{
  "swagger": "2.0",
  "info": {"title": "Pets", "version": "1"},
  "host": "api.example.org",
  "basePath": "/v1",
  "schemes": ["https"],
  "paths": {"/pets": {"get": {"produces": ["application/json"],
    "responses": {"200": {"description": "ok", "schema": {"$ref": "#/definitions/Pet"}}}}}},
  "definitions": {"Pet": {"type": "object", "properties": {"name": {"type": "string", "x-nullable": true}}}}
}"##;

/// What a caller without a token gets.
async fn anyone(world: &World, url: &str) -> Answer {
    world.anonymous().send_to(Method::GET, url, |request| request).await
}

#[acceptance::test]
async fn the_content_of_a_version_is_its_document_in_openapi_3_1(world: World) {
    let body = json!({"slug": "pets", "source": {"text": SWAGGER}});
    world.ada.post(&world.org("/openapi"), body).await.expect(201);
    world.work().await;
    let at = format!("{}/versions/latest", path(&world, "pets"));
    let content = world.ada.get(&format!("{at}/content")).await.ok();
    let file = &content["filesystem"]["openapi.json"];
    assert_eq!((&file["isEntrypoint"], file.text("dir"), file.text("filename")), (&json!(true), ".", "openapi.json"));
    assert_eq!(file["references"], json!([]));
    let document = &file["specification"];
    assert!(document.text("openapi").starts_with("3.1"), "{document}");
    assert_eq!(document["servers"][0]["url"], "https://api.example.org/v1");
    let shown = &document["paths"]["/pets"]["get"]["responses"]["200"]["content"]["application/json"]["schema"];
    assert_eq!(shown["$ref"], "#/components/schemas/Pet");
    assert!(document["components"]["schemas"]["Pet"].is_object());
    assert_eq!((&content["urls"]["public"], &content["url"]), (&Value::Null, &content["urls"]["source"]));

    let list = world.ada.get(&format!("{at}/content?filesystem=list")).await.ok();
    assert_eq!(list["filesystem"], json!([file]));
    let error = world.ada.get(&format!("{at}/content?filesystem=tree")).await.error(400);
    assert_eq!(error, "filesystem: must be one of list");

    let raw = world.ada.get(&format!("{at}/content/raw")).await.ok();
    assert_eq!(raw, json!({"text": SWAGGER, "format": "json"}));
    let id = spec(&world, "pets").await.text("lastVersion").to_owned();
    let by_id = format!("{}/versions/{id}", path(&world, "pets"));
    assert_eq!(world.ada.get(&format!("{by_id}/content")).await.ok(), content);
    assert_eq!(world.ada.get(&format!("{by_id}/content/raw")).await.ok(), raw);
}

#[acceptance::test]
async fn versions_are_listed_newest_first_and_stay_as_they_were(world: World) {
    let (slug, first) = processed_spec(&world, "pets").await;
    let before = world.ada.get(&format!("{}/versions/{first}/content", path(&world, &slug))).await.ok();
    world.ada.put(&path(&world, &slug), json!({"source": {"text": pets("More")}})).await.ok();
    world.work().await;
    let list = world.ada.get(&format!("{}/versions", path(&world, &slug))).await.ok();
    assert_eq!(list["items"][0]["id"], spec(&world, &slug).await["lastVersion"]);
    assert_eq!((list["items"][1].id(), versions(&world, &slug).await), (first.as_str(), 2));
    assert_eq!(world.ada.get(&format!("{}/versions/{first}/content", path(&world, &slug))).await.ok(), before);
}

#[acceptance::test]
async fn an_unknown_version_is_not_found(world: World) {
    let (slug, version) = processed_spec(&world, "pets").await;
    let (other, of_other) = processed_spec(&world, "other").await;
    for (slug, id) in [(&slug, "nope"), (&slug, of_other.as_str()), (&other, version.as_str())] {
        for rest in ["", "/content", "/content/raw"] {
            let at = format!("{}/versions/{id}{rest}", path(&world, slug));
            assert_eq!(world.ada.get(&at).await.error(404), "version not found");
        }
    }
}

#[acceptance::test]
async fn a_public_spec_can_be_read_without_a_token_and_a_private_one_cannot(world: World) {
    let (slug, _) = processed_spec(&world, "pets").await;
    let at = path(&world, &slug);
    let public = world.ada.patch(&at, json!({"visibility": "public"})).await.ok();
    let url = public["urls"].text("published").strip_prefix("https://docs.test").unwrap().to_owned();
    let answer = anyone(&world, &url).await;
    assert_eq!(answer.status.as_u16(), 200);
    assert_eq!(answer.header("access-control-allow-origin"), Some("*"));
    let tag = answer.header("etag").unwrap().to_owned();
    assert_eq!(answer.ok()["info"]["title"], "Pets");
    let again = world
        .anonymous()
        .send_to(Method::GET, &url, |request| request.insert_header(("If-None-Match", tag.as_str())))
        .await;
    assert_eq!(again.status.as_u16(), 304);
    let content = world.ada.get(&format!("{at}/versions/latest/content")).await.ok();
    assert_eq!(content["urls"]["public"], public["urls"]["published"]);

    let private = world.ada.patch(&at, json!({"visibility": "private"})).await.ok();
    assert!(private["urls"].get("published").is_none());
    anyone(&world, &url).await.expect(404);
    world.ada.patch(&at, json!({"visibility": "public"})).await.ok();
    anyone(&world, &url).await.ok();
    world.ada.delete(&at).await.expect(205);
    anyone(&world, &url).await.expect(404);
}

#[acceptance::test]
#[case::by_the_ending_json(".json", Some("application/yaml"), "application/json")]
#[case::by_the_ending_yaml(".yaml", Some("application/json"), "application/yaml")]
#[case::of_no_preference("", None, "application/json")]
#[case::of_anything("", Some("*/*"), "application/json")]
#[case::of_yaml("", Some("application/yaml"), "application/yaml")]
#[case::of_rather_yaml("", Some("application/json;q=0.5, application/vnd.oai.openapi+yaml"), "application/yaml")]
#[case::of_rather_json("", Some("application/yaml;q=0.5, application/json"), "application/json")]
#[case::of_no_yaml("", Some("application/yaml;q=0, */*;q=0.1"), "application/json")]
#[case::of_anything_but_json("", Some("application/json;q=0, */*"), "application/yaml")]
#[case::of_a_page("", Some("text/html"), "application/json")]
async fn a_public_spec_is_json_or_yaml(
    world: World,
    #[case] ending: &str,
    #[case] accept: Option<&str>,
    #[case] media: &str,
) {
    let text = pets("'on'")
        .replace("version: '1'", "version: '1.10'")
        .replace("description: Pets", "description: '2024-01-01'");
    world.ada.post(&world.org("/openapi"), json!({"slug": "pets", "source": {"text": text}})).await.expect(201);
    world.work().await;
    let public = world.ada.patch(&path(&world, "pets"), json!({"visibility": "public"})).await.ok();
    let url = public["urls"].text("published").strip_prefix("https://docs.test").unwrap().to_owned();
    let json = anyone(&world, &url).await.ok();
    let url = url.replace(".json", ending);
    let get = async |tag: &str| {
        let anonymous = world.anonymous();
        let sent = anonymous.send_to(Method::GET, &url, |mut request| {
            if let Some(accept) = accept {
                request = request.insert_header(("Accept", accept));
            }
            request.insert_header(("If-None-Match", tag))
        });
        sent.await
    };
    let answer = get("\"none\"").await;
    assert_eq!((answer.status.as_u16(), answer.header("content-type")), (200, Some(media)));
    assert_eq!(answer.header("access-control-allow-origin"), Some("*"));
    let tag = answer.header("etag").unwrap().to_owned();
    assert_eq!(get(&tag).await.status.as_u16(), 304);
    let read = domain::openapi::text::read(&answer.bytes);
    assert_eq!(serde_json::from_str::<serde_json::Value>(&read.root.unwrap().to_json()).unwrap(), json);
    world.ada.patch(&path(&world, "pets"), json!({"visibility": "private"})).await.ok();
    assert_eq!(get(&tag).await.status.as_u16(), 404);
}

#[acceptance::test]
async fn the_source_of_a_version_can_be_read_at_its_signed_url(world: World) {
    let (slug, version) = processed_spec(&world, "pets").await;
    let (_, other) = processed_spec(&world, "other").await;
    let at = path(&world, &slug);
    let shown = world.ada.get(&format!("{at}/versions/latest")).await.ok();
    let url = shown.text("url").strip_prefix("https://docs.test").unwrap().to_owned();
    let answer = anyone(&world, &url).await;
    assert_eq!((answer.status.as_u16(), answer.header("content-type")), (200, Some("application/yaml")));
    assert_eq!(answer.bytes, pets("Pets").as_bytes());
    for wrong in [url.replace(&version, &other), url.replace("expires=", "expires=1"), format!("{url}a")] {
        anyone(&world, &wrong).await.expect(404);
    }
    world.pass(TimeDelta::days(3)).await;
    anyone(&world, &url).await.expect(404);
    let shown = world.ada.get(&format!("{at}/versions/latest")).await.ok();
    let url = shown.text("url").strip_prefix("https://docs.test").unwrap().to_owned();
    assert_eq!(anyone(&world, &url).await.status.as_u16(), 200);
    world.ada.delete(&at).await.expect(205);
    anyone(&world, &url).await.expect(404);
}
