//! Pages of published sites, as visitors get them.
mod addresses;
mod assistants;
mod audiences;
mod authors;
mod feedback;
mod files;
mod fonts;
mod former_anchors;
mod hidden;
mod known_sites;
mod machines;
mod mcp;
mod pictures;
mod previews;
mod printing;
mod reference;
mod schemas;
mod search;
mod shared_pages;
mod source_files;

use super::change_requests::{edit, merged, propose};
use super::urls::{BASE, docs};
use acceptance::{Answer, World};
use domain::id::SpaceId;
use serde_json::{Value, json};

/// The text of a response that must have this status.
#[track_caller]
pub(crate) fn text(answer: Answer, status: u16) -> String {
    let body = String::from_utf8_lossy(&answer.bytes).into_owned();
    assert_eq!(answer.status.as_u16(), status, "{body}");
    body
}

/// The address that a response redirects to, with its status.
#[track_caller]
fn location(answer: &Answer) -> (u16, &str) {
    (answer.status.as_u16(), answer.header("location").unwrap_or_default())
}

/// Changes a page of the primary content.
pub(crate) async fn change(world: &World, space: &SpaceId, page: &str, mut fields: Value) {
    fields["operation"] = json!("update_page");
    fields["page"] = json!(page);
    let request = propose(&world.ada, space, "Change").await;
    edit(&world.ada, &request, json!([fields])).await.ok();
    merged(&world.ada, &request).await;
}

#[acceptance::test]
async fn a_page_is_whole_html_with_its_site_around_it(world: World) {
    docs(&world, "public").await;
    let answer = world.browse(&format!("{BASE}/install/linux")).await;
    answer.assert_headers(&[
        ("content-type", "text/html; charset=utf-8"),
        ("cache-control", "public, no-cache"),
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "strict-origin-when-cross-origin"),
        ("cross-origin-opener-policy", "same-origin"),
        ("strict-transport-security", "max-age=31536000"),
        ("vary", "Accept, Accept-Encoding"),
    ]);
    assert!(answer.header("set-cookie").is_none() && answer.header("x-robots-tag").is_none());
    let policy = answer.header("content-security-policy").unwrap().to_owned();
    assert!(policy.starts_with("default-src 'none'; script-src 'self' 'sha256-"), "{policy}");
    assert!(!policy.contains("unsafe-") && policy.contains("require-trusted-types-for 'script'"), "{policy}");
    let page = text(answer, 200);
    assert!(page.starts_with("<!DOCTYPE html>"), "{}", &page[..100]);
    for part in [
        "<title>On Linux",
        "<h1",
        "id=\"updating-packages\"",
        "Version 1.2 is the newest.",
        "href=\"/s/docs/reference/options#verbose\"",
        "<link rel=\"canonical\" href=\"https://docs.test/s/docs/install/linux\"",
        "aria-current=\"page\"",
        "href=\"/s/docs/install/macos\"",
    ] {
        assert!(page.contains(part), "{part} is not in {page}");
    }
    assert_eq!(page.matches("<h1").count(), 1);
    assert!(!page.contains(" style=\"") && !page.contains(" onclick"), "the policy forbids both");
}

#[acceptance::test]
async fn a_page_names_its_style_and_its_markdown_in_headers(world: World) {
    docs(&world, "public").await;
    let page = format!("{BASE}/install/linux");
    // The second response is a cached one.
    for _ in 0..2 {
        let answer = world.browse(&page).await;
        let links: Vec<String> = answer.header_values("link").into_iter().map(str::to_owned).collect();
        let html = text(answer, 200);
        let (_, style) = html.split_once("<link rel=\"stylesheet\" href=\"").unwrap();
        let (style, _) = style.split_once('"').unwrap();
        let preload = format!("<{style}>; rel=preload; as=style");
        let markdown = "</s/docs/install/linux.md>; rel=\"alternate\"; type=\"text/markdown\"".to_owned();
        assert_eq!(links, [preload, markdown]);
        text(world.browse(&format!("https://docs.test{style}")).await, 200);
    }
}

#[acceptance::test]
async fn the_parts_of_a_page_are_resolved_for_its_readers(world: World) {
    docs(&world, "public").await;
    let start = text(world.browse(&format!("{BASE}/")).await, 200);
    assert!(start.contains("href=\"/s/docs/install\"") && start.contains("How the engine is used."), "{start}");
    let image = start.split("src=\"").find(|rest| rest.starts_with("/s/docs/~/files/")).unwrap();
    let image = image.split('"').next().unwrap();
    let file = world.browse(&format!("https://docs.test{image}")).await;
    assert_eq!(file.header("content-type"), Some("image/svg+xml"));
    assert_eq!(file.header("cache-control"), Some("public, max-age=31536000, immutable"));
    assert!(file.header("content-security-policy").unwrap().starts_with("sandbox; default-src 'none'"));
    assert!(text(file, 200).contains("<svg"));
    let (folder, name) = image.rsplit_once('/').unwrap();
    let (id, _) = folder.rsplit_once('-').unwrap();
    text(world.browse(&format!("https://docs.test{id}-0000000000000000/{name}")).await, 404);
    let install = text(world.browse(&format!("{BASE}/install")).await, 200);
    assert!(install.contains("Mind the gears.") && !install.contains("missing.md"), "{install}");
}

#[acceptance::test]
async fn a_page_without_text_leads_to_the_pages_below_it_and_a_description_has_no_markup(world: World) {
    let one = "---\ndescription: Run `octavo` **now**\n---\n# One\n\nText\n";
    let files = [("README.md", "# Start\n\nText\n"), ("guides/one.md", one)];
    let space = world.import(&acceptance::Fixture::new("docs", files)).await;
    let site = crate::sites::site(&world, json!({"title": "Docs", "spaces": [space.as_str()]})).await;
    world.ada.post(&format!("{site}/publish"), json!({})).await.ok();
    let guides = text(world.browse(&format!("{BASE}/guides")).await, 200);
    assert!(guides.contains("<a class=\"o-card-link\" href=\"/s/docs/guides/one\">"), "{guides}");
    let one = text(world.browse(&format!("{BASE}/guides/one")).await, 200);
    let description = "<meta name=\"description\" content=\"Run octavo now\">";
    assert!(one.contains("<p class=\"o-lead\">Run octavo now</p>") && one.contains(description), "{one}");
    assert!(!one.contains("o-card-link"));
}

#[acceptance::test]
async fn a_page_that_a_client_has_is_not_sent_again_and_a_change_is_seen_at_once(world: World) {
    let (_, space) = docs(&world, "public").await;
    let page = format!("{BASE}/install/macos");
    let answer = world.browse(&page).await;
    let tag = answer.header("etag").unwrap().to_owned();
    assert!(tag.starts_with("W/"), "{tag}");
    let again = world.browse_with(&page, |request| request.insert_header(("If-None-Match", tag.as_str()))).await;
    assert_eq!(again.status.as_u16(), 304);
    world
        .import_into(&space, &acceptance::Fixture::new("guide", [("install/macos.md", "# On macOS\n\nBuild it.\n")]))
        .await;
    let fresh = world.browse_with(&page, |request| request.insert_header(("If-None-Match", tag.as_str()))).await;
    assert!(text(fresh, 200).contains("Build it."));
}

#[acceptance::test]
async fn a_response_is_compressed_as_the_client_asks(world: World) {
    docs(&world, "public").await;
    let page = format!("{BASE}/install/linux");
    let plain = world.browse(&page).await;
    for (asked, given) in [("gzip, br", "br"), ("gzip", "gzip")] {
        let answer = world.browse_with(&page, |request| request.insert_header(("Accept-Encoding", asked))).await;
        assert_eq!(answer.header("content-encoding"), Some(given));
        assert_eq!(answer.header("etag"), plain.header("etag"), "the tag is of the content");
        assert!(answer.bytes.len() < plain.bytes.len() / 2);
    }
}

#[acceptance::test]
async fn a_path_that_leads_nowhere_is_404_with_pages_that_are_near(world: World) {
    docs(&world, "public").await;
    let answer = world.browse(&format!("{BASE}/guides/linux-install")).await;
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    assert_eq!(answer.header("x-robots-tag"), Some("noindex"));
    let page = text(answer, 404);
    assert!(page.contains("href=\"/s/docs/install/linux\"") && page.contains("<nav"), "{page}");
    let markdown = text(world.browse(&format!("{BASE}/guides/linux-install.md")).await, 404);
    assert!(markdown.contains("(https://docs.test/s/docs/install/linux.md)"), "{markdown}");
    let near = async |path: &str| {
        let text = text(world.browse(&format!("{BASE}/{path}.md")).await, 404);
        let links = text.split("(https://docs.test/s/docs/").skip(1);
        links.map(|rest| rest.split(".md)").next().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(near("guides/MacO").await.first().map(String::as_str), Some("install/macos"), "a similar name");
    let beside = near("install/zzzzzz").await;
    assert!(["install/linux", "install/macos"].iter().all(|path| beside.iter().any(|one| one == path)), "{beside:?}");
}

#[acceptance::test]
async fn only_reading_is_allowed(world: World) {
    docs(&world, "public").await;
    let post =
        world.browse_with(&format!("{BASE}/install"), |request| request.method(actix_web::http::Method::DELETE)).await;
    assert_eq!((post.status.as_u16(), post.header("allow")), (405, Some("GET, HEAD")));
}
