//! The reference of the API at `/docs`.
use super::{location, text};
use crate::urls::docs;
use acceptance::{Answer, Backend, World};
use serde_json::Value;

/// The address of the reference.
const REFERENCE: &str = "https://docs.test/docs";

/// Opens a path below the reference.
async fn browse(world: &World, path: &str) -> Answer {
    world.browse(&format!("{REFERENCE}{path}")).await
}

/// The operations of the document: method, path, summary, id and tag.
fn operations() -> Vec<[String; 5]> {
    let document: Value = serde_json::from_str(&api_actix::openapi_document("0")).unwrap();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut found = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let [summary, id] = ["summary", "operationId"].map(|key| text(&operation[key]));
            found.push([method.to_uppercase(), path.clone(), summary, id, text(&operation["tags"][0])]);
        }
    }
    assert!(found.len() > 100, "{}", found.len());
    found
}

/// A text as HTML has it.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[acceptance::test]
async fn the_reference_is_whole_html_without_a_token(world: World) {
    let answer = browse(&world, "").await;
    answer.assert_headers(&[
        ("content-type", "text/html; charset=utf-8"),
        ("cache-control", "public, no-cache"),
        ("x-content-type-options", "nosniff"),
        ("cross-origin-opener-policy", "same-origin"),
        ("x-robots-tag", "noindex"),
    ]);
    let policy = answer.header("content-security-policy").unwrap().to_owned();
    assert!(policy.starts_with("default-src 'none'; script-src 'self' 'sha256-"), "{policy}");
    assert!(!policy.contains("unsafe-") && policy.contains("require-trusted-types-for 'script'"), "{policy}");
    let start = text(answer, 200);
    assert!(start.starts_with("<!DOCTYPE html>") && start.matches("<h1").count() == 1);
    for part in
        ["Octavo API", "Idempotency-Key", "Authentication", "href=\"/openapi.json\"", "href=\"/docs/change-requests\""]
    {
        assert!(start.contains(part), "{part} is not in {start}");
    }
    for attribute in ["src=\"http", "src=\"//", " style=\"", " onclick"] {
        assert!(!start.contains(attribute), "{attribute}");
    }
    assert_eq!(text(browse(&world, "/").await, 200), start);
    let page = browse(&world, "/change-requests").await;
    assert_eq!(page.header("content-type"), Some("text/html; charset=utf-8"));
    assert!(text(page, 200).contains("<title>Change requests"));
}

/// On one database: the content of the reference comes from none.
#[actix_web::test]
async fn every_operation_is_on_one_page_with_its_method_path_and_summary() {
    let Some(world) = World::boot(Backend::Sqlite).await else { return };
    let start = text(browse(&world, "").await, 200);
    let operations = operations();
    let mut tags: Vec<&str> = operations.iter().map(|[.., tag]| tag.as_str()).collect();
    tags.sort_unstable();
    tags.dedup();
    for tag in tags {
        let page = text(browse(&world, &format!("/{tag}")).await, 200);
        for [method, path, summary, id, own] in &operations {
            let anchor = format!("id=\"{id}\"");
            let found = page.match_indices(&anchor).map(|(at, _)| at).collect::<Vec<_>>();
            assert_eq!(found.len(), usize::from(own == tag), "{id} on {tag}");
            let Some(at) = found.first() else { continue };
            let head = &page[*at..page.len().min(at + 4_000)];
            // Lines can break in paths.
            let head = head.split("o-api-columns").next().unwrap().replace("<wbr>", "");
            for part in [format!(">{method}<"), escaped(path), escaped(summary)] {
                assert!(head.contains(&part), "{part} is not in {head}");
            }
            assert!(start.contains(&format!("href=\"/docs/{tag}#{id}\"")), "{id} is not on the start");
        }
    }
}

#[acceptance::test]
async fn a_page_of_the_reference_that_a_client_has_is_not_sent_again(world: World) {
    let plain = browse(&world, "/tokens").await;
    let tag = plain.header("etag").unwrap().to_owned();
    for (asked, given) in [("gzip, br", "br"), ("gzip", "gzip"), ("gzip", "gzip")] {
        let page = format!("{REFERENCE}/tokens");
        let answer = world.browse_with(&page, |request| request.insert_header(("Accept-Encoding", asked))).await;
        assert_eq!((answer.header("content-encoding"), answer.header("etag")), (Some(given), Some(tag.as_str())));
        let again = world.browse_with(&page, |request| request.insert_header(("If-None-Match", tag.as_str()))).await;
        assert_eq!((again.status.as_u16(), again.bytes.len()), (304, 0));
    }
}

#[acceptance::test]
async fn operations_are_found_by_their_names(world: World) {
    let search = async |query: &str| {
        let url = format!("{REFERENCE}/~/search?q={query}");
        world.browse_with(&url, |request| request.insert_header(("Accept", "application/json"))).await.ok()
    };
    let found = search("create%20a%20tok").await;
    assert_eq!((&found["items"][0]["title"], &found["items"][0]["href"]), (&"Tokens".into(), &"/docs/tokens".into()));
    let section = &found["items"][0]["sections"][0];
    assert!(section["href"].as_str().unwrap().starts_with("/docs/tokens#"), "{section}");
    assert_eq!(search("no-such-operation").await["items"], Value::Array(Vec::new()));
    let page = text(browse(&world, "/~/search?q=create%20a%20tok").await, 200);
    assert!(page.contains("href=\"/docs/tokens\""), "{page}");
    text(browse(&world, &format!("/~/search?q={}", "x".repeat(513))).await, 400);
}

#[acceptance::test]
async fn a_path_of_the_reference_that_leads_nowhere_is_404(world: World) {
    for path in ["/nothing", "/swagger-ui.css", "/swagger-ui-bundle.js", "/index.html", "/~/files/x", "/tokens/x"] {
        let answer = browse(&world, path).await;
        assert_eq!(answer.header("etag"), None, "{path}");
        assert!(text(answer, 404).contains("<html"), "{path}");
    }
    for path in ["/tokens/", "/Tokens"] {
        assert_eq!(location(&browse(&world, path).await), (308, "/docs/tokens"), "{path}");
    }
    let post = world.browse_with(REFERENCE, |request| request.method(actix_web::http::Method::POST)).await;
    assert_eq!((post.status.as_u16(), post.header("allow")), (405, Some("GET, HEAD")));
}

#[acceptance::test]
async fn the_reference_is_where_the_api_is_and_on_no_site(world: World) {
    let (site, _) = docs(&world, "public").await;
    let page = text(world.browse("https://docs.test/s/docs/docs/tokens").await, 404);
    assert!(!page.contains("Octavo API"));
    world.ada.patch(&site, serde_json::json!({"hostname": "docs.acme.org"})).await.ok();
    for path in ["/docs", "/docs/tokens"] {
        let page = text(world.browse(&format!("https://docs.acme.org{path}")).await, 404);
        assert!(!page.contains("Octavo API"), "{path}");
    }
    assert!(text(world.browse("http://127.0.0.1:8080/docs").await, 200).contains("Octavo API"));
    assert!(!text(world.browse("https://docs.test/docsx").await, 404).contains("Octavo API"));
}
