//! Pages of single schemas that are too deep or too long for the blocks of OpenAPI specs.
use super::{change, text};
use crate::urls::{BASE, docs};
use acceptance::{Backend, Fixture, World};
use chrono::TimeDelta;
use domain::content::object::Hash;
use domain::id::SpaceId;
use serde_json::{Value, json};

/// A spec with a schema of eight levels, one that contains itself, and one that no shown operation reaches.
fn spec() -> String {
    let mut schemas = json!({
        "Secret": {"type": "object", "properties": {"unseen": {"type": "string"}}},
        "Tree": {"type": "object", "properties": {"left": {"$ref": "#/components/schemas/Tree"}}},
        "Level8": {"type": "object", "properties": {
            "deepest": {"type": "string"}, "made": {"type": "string", "readOnly": true}}},
    });
    for level in 0..8 {
        let next = format!("#/components/schemas/Level{}", level + 1);
        schemas[format!("Level{level}")] =
            json!({"type": "object", "properties": {format!("field{level}"): {"$ref": next}}});
    }
    let wide: serde_json::Map<String, Value> =
        (0..900).map(|number| (format!("wide{number:03}"), json!({"type": "string"}))).collect();
    schemas["Wide"] = json!({"type": "object", "properties": wide});
    let body = |name: &str| json!({"content": {"application/json": {"schema": {"$ref": format!("#/components/schemas/{name}")}}}});
    let operation = |sent: &str| json!({"requestBody": body(sent), "responses": {"200": {"description": "Done"}}});
    json!({"openapi": "3.1.0", "info": {"title": "Deep", "version": "1", "description": "unseen"},
        "tags": [{"name": "next", "description": "unseen"}], "x-plans": {"description": "unseen"},
        "servers": [{"url": "https://api.example.org/", "description": "unseen"}],
        "paths": {"/deep": {"post": operation("Level0")}, "/tree": {"post": operation("Tree")},
            "/wide": {"post": operation("Wide")}, "/secret": {"post": operation("Secret")},
            "/inside": {"post": {"x-internal": true, "requestBody": body("Level0"), "responses": {}}}},
        "components": {"schemas": schemas}})
    .to_string()
}

/// Shows operations of the spec on the page `install/linux` of a public site.
pub(super) async fn shown(world: &World, paths: &[&str]) -> (SpaceId, String) {
    let (_, space) = docs(world, "public").await;
    world.ada.put(&world.org("/openapi/deep"), json!({"source": {"text": spec()}})).await;
    world.work().await;
    let block = |path: &&str| {
        format!(
            "{{% openapi-operation spec=\"deep\" path=\"{path}\" method=\"post\" %}}\n{{% endopenapi-operation %}}\n"
        )
    };
    let markdown: String = paths.iter().map(block).collect();
    let page = world.page(&space, "install/linux").await;
    change(world, &space, &page, json!({"document": {"markdown": markdown}})).await;
    (space, page)
}

/// Whether a page has a row with this name.
fn has(html: &str, name: &str) -> bool {
    html.contains(&format!("<code class=\"o-name\" translate=\"no\">{name}</code>"))
}

/// The addresses of pages of schemas on a page.
pub(super) fn links(html: &str) -> Vec<String> {
    let links = html.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next());
    let links = links.filter(|link| link.contains("/~/schema/"));
    links.map(|link| format!("https://docs.test{}", link.replace("&amp;", "&"))).collect()
}

#[acceptance::test]
async fn parts_that_a_block_omits_are_on_pages_that_it_links_to(world: World) {
    shown(&world, &["/deep", "/tree", "/wide"]).await;
    let page = text(world.browse(&format!("{BASE}/install/linux")).await, 200);
    assert!(has(&page, "field0") && !has(&page, "deepest"), "{page}");
    let links = links(&page);
    let [deep, tree, wide] = ["field3", "1tree", "skip="].map(|part| links.iter().find(|link| link.contains(part)));
    let answer = world.browse(deep.unwrap()).await;
    assert_eq!(answer.header("x-robots-tag"), Some("noindex"));
    let opened = text(answer, 200);
    assert!(has(&opened, "field4") && opened.contains("href=\"/s/docs/install/linux\""), "{opened}");
    let further = self::links(&opened);
    let last = text(world.browse(&further[0]).await, 200);
    assert!(has(&last, "deepest") && !has(&last, "made"), "requests have no fields that are only read: {last}");
    let back = further[0].replace("to=request", "to=response");
    assert!(has(&text(world.browse(&back).await, 200), "made"));
    assert!(has(&text(world.browse(tree.unwrap()).await, 200), "left"));
    let rest = text(world.browse(wide.unwrap()).await, 200);
    assert!(has(&rest, "wide399") && !has(&rest, "wide000") && self::links(&rest)[0].contains("skip="), "{rest}");
}

#[acceptance::test]
async fn a_block_is_shown_whether_its_page_or_its_text_was_rendered_before(world: World) {
    let (_, page) = shown(&world, &["/deep"]).await;
    let address = format!("{BASE}/install/linux");
    let markdown = text(world.browse(&format!("{address}.md")).await, 200);
    assert!(markdown.contains("/deep") && markdown.contains("field0"), "{markdown}");
    let first = text(world.browse(&address).await, 200);
    assert!(has(&first, "field0"), "{first}");
    // Another title of the site is in the page around the text, but not in the text.
    let site = world.ada.get(&world.org("/sites")).await.ok()["items"][0]["id"].as_str().unwrap().to_owned();
    world.ada.patch(&world.org(&format!("/sites/{site}")), json!({"title": "Manual of deep things"})).await.ok();
    let titled = text(world.browse(&address).await, 200);
    assert!(has(&titled, "field0") && titled.contains("Manual of deep things"), "{titled}");
    let text_of = |html: &str| html.split("<article").nth(1).unwrap().split("</article>").next().unwrap().to_owned();
    assert_eq!(text_of(&first), text_of(&titled));
    let again = text(world.browse(&format!("{address}.md")).await, 200);
    assert_eq!(again, markdown, "{page}");
}

#[acceptance::test]
async fn a_page_of_a_schema_shows_only_what_a_block_of_a_page_reaches(world: World) {
    let (space, page) = shown(&world, &["/deep"]).await;
    let html = text(world.browse(&format!("{BASE}/install/linux")).await, 200);
    let address = links(&html).remove(0);
    let (start, _) = address.split_once('?').unwrap();
    let at = |pointer: &str| format!("{start}?at={pointer}");
    text(world.browse(&at("/components/schemas/Level8")).await, 200);
    for wrong in [
        at("/components/schemas/Secret"),
        at(""),
        at("/info"),
        at("/tags/0"),
        at("/servers/0"),
        at("/x-plans"),
        at("/paths/~1deep"),
        at("/paths/~1deep/parameters"),
        at("/paths/~1secret/post/requestBody/content/application~1json/schema"),
        at("/components/schemas/Nothing"),
        start.to_owned(),
        format!("{}&skip=x", at("/components/schemas/Level8")),
        format!("{}&to=nowhere", at("/components/schemas/Level8")),
        format!("{start}/more?at=/components/schemas/Level8"),
        format!("{}0000?at=/components/schemas/Level8", &start[..start.len() - 4]),
    ] {
        let shown = text(world.browse(&wrong).await, 404);
        assert!(!shown.contains("unseen"), "{wrong}");
    }
    change(&world, &space, &page, json!({"document": {"markdown": "Nothing is here.\n"}})).await;
    text(world.browse(&address).await, 404);
}

#[acceptance::test]
async fn an_internal_operation_has_no_pages_of_schemas(world: World) {
    shown(&world, &["/deep", "/inside"]).await;
    let html = text(world.browse(&format!("{BASE}/install/linux")).await, 200);
    assert!(!html.contains("/inside"), "{html}");
    let shows =
        domain::content::document::SpecificationPart::Operation { method: "post".into(), path: "/inside".into() };
    let name = domain::site::reader::OpenapiKey { spec: "deep".into(), version: None, shows }.name();
    let address = links(&html).remove(0);
    let (start, query) = address.split_once('?').unwrap();
    let (place, _) = start.rsplit_once('/').unwrap();
    text(world.browse(&format!("{start}?{query}")).await, 200);
    text(world.browse(&format!("{place}/{name}?{query}")).await, 404);
}

/// A document with one operation.
const PETS: &str = "openapi: 3.0.3\ninfo: {title: Pets, version: '1'}\npaths:\n  /pets:\n    get:\n      summary: List all pets\n      \
                    parameters: [{name: tag, in: query, schema: {type: string}}]\n      responses: {'200': {description: Pets}}\n";

/// A block with an operation of a document in a file.
fn file_block(file: &str, path: &str) -> String {
    format!("{{% openapi src=\"{file}\" path=\"{path}\" method=\"get\" %}}\n[{file}]({file})\n{{% endopenapi %}}\n\n")
}

/// Publishes a site with the page `pets` of these blocks, and these files.
async fn zoo(world: &World, title: &str, blocks: &[String], files: &[(&str, &str)]) {
    let pets = format!("# Pets\n\n{}", blocks.concat());
    let summary = "* [Start](README.md)\n* [Pets](pets.md)\n";
    let mut all = vec![("SUMMARY.md", summary), ("README.md", "# Start\n"), ("pets.md", pets.as_str())];
    all.extend(files);
    let space = world.import(&Fixture::new("zoo", all)).await;
    let site = crate::sites::site(world, json!({"title": title, "spaces": [space.as_str()]})).await;
    world.ada.post(&format!("{site}/publish"), json!({})).await.ok();
}

#[acceptance::test]
async fn a_block_shows_an_operation_of_a_document_that_is_a_file_of_the_space(world: World) {
    let file = ".gitbook/assets/pets.yaml";
    zoo(&world, "Docs", &[file_block(file, "/pets"), file_block(file, "/cats")], &[(file, PETS)]).await;
    let page = text_of(&world, "pets").await;
    assert!(page.contains("List all pets") && has(&page, "tag"), "{page}");
    assert!(page.contains("/<wbr>cats") && page.matches("List all pets").count() >= 1, "{page}");
    let markdown = text_of(&world, "pets.md").await;
    assert!(markdown.contains("/pets"), "{markdown}");
}

#[acceptance::test]
async fn a_page_is_rendered_again_once_the_missing_file_of_a_block_is_there(backend: Backend) {
    // With room for the text, the page and the response.
    let Some(world) = World::with_room(backend, 64 << 20).await else { return };
    zoo(&world, "Docs", &[file_block("pets.yaml", "/pets")], &[("pets.yaml", PETS)]).await;
    let (files, hash) = (&world.services.files, Hash::of(PETS.as_bytes()));
    assert!(files.size(&hash).await.unwrap().is_some());
    assert!(files.remove(&hash, world.services.clock.now()).await.unwrap());
    for path in ["pets", "pets.md"] {
        let without = text_of(&world, path).await;
        assert!(!without.contains("List all pets"), "{without}");
    }
    files.put(PETS.into()).await.unwrap();
    // No commit ends the cache of whole responses, but they are cached for ten seconds only.
    world.clock.advance(TimeDelta::seconds(11));
    for path in ["pets", "pets.md"] {
        let page = text_of(&world, path).await;
        assert!(page.contains("List all pets"), "{page}");
    }
}

async fn text_of(world: &World, path: &str) -> String {
    text(world.browse(&format!("{BASE}/{path}")).await, 200)
}

#[acceptance::test]
async fn a_block_with_a_version_stays_as_it_is_and_one_without_follows(world: World) {
    let (_, space) = docs(&world, "public").await;
    let put = async |summary: &str| {
        let text = spec().replace("\"post\":{", &format!("\"post\":{{\"summary\":\"{summary}\","));
        world.ada.put(&world.org("/openapi/deep"), json!({"source": {"text": text}})).await;
        world.work().await;
        let spec = world.ada.get(&world.org("/openapi/deep")).await.ok();
        spec["lastVersion"].as_str().unwrap().to_owned()
    };
    let first = put("As it was").await;
    let page = world.page(&space, "install/linux").await;
    let block = |version: &str| {
        format!(
            "{{% openapi-operation spec=\"deep\" {version} path=\"/tree\" method=\"post\" %}}\n{{% endopenapi-operation %}}\n"
        )
    };
    let pinned = json!({"document": {"markdown": block(&format!("version=\"{first}\""))}});
    change(&world, &space, &page, pinned).await;
    let other = world.page(&space, "install").await;
    change(&world, &space, &other, json!({"document": {"markdown": block("")}})).await;
    let pages = async || {
        let rendered = async |path: &str| text(world.browse(&format!("{BASE}/{path}")).await, 200);
        (rendered("install/linux").await, rendered("install").await)
    };
    let (pinned, latest) = pages().await;
    assert!(pinned.contains("As it was") && latest.contains("As it was"), "{pinned}");
    put("As it is").await;
    let (still, followed) = pages().await;
    assert_eq!(still, pinned, "the pinned version is rendered");
    assert!(followed.contains("As it is") && !followed.contains("As it was"), "{followed}");
}

#[acceptance::test]
async fn a_file_that_is_too_large_or_no_document_is_a_link_and_a_missing_one_is_not_rendered(world: World) {
    let large = format!("{PETS}x-more: {}\n", "x".repeat(2 << 20));
    let many = format!("{PETS}x-more: [{}1]\n", "1, ".repeat(100_000));
    let files = [("large.yaml", large.as_str()), ("many.yaml", &many), ("broken.yaml", "a: [1"), ("fine.yaml", PETS)];
    for (file, content) in files.into_iter().chain([("none.yaml", "")]) {
        let basename = file.split('.').next().unwrap();
        let mut others = vec![("other.yaml", "a: 1")];
        others.extend((file != "none.yaml").then_some((file, content)));
        zoo(&world, basename, &[file_block(file, "/pets")], &others).await;
        let page = text(world.browse(&format!("https://docs.test/s/{basename}/pets")).await, 200);
        assert_eq!(page.contains("List all pets"), file == "fine.yaml", "{file}");
        assert!(page.contains(file) || !["large.yaml", "many.yaml", "broken.yaml"].contains(&file), "{file} is linked");
    }
}
