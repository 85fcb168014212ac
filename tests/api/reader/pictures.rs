//! Pictures that are rendered for pages: diagrams, and cards for social networks.
use super::{change, location, text};
use crate::urls::{BASE, adaptive, docs, signed};
use acceptance::{Fixture, World};
use serde_json::json;

/// What begins the addresses of the server.
const HOST: &str = "https://docs.test";
const FLOW: &str = "# On macOS\n\n```mermaid\nflowchart LR\n  accTitle: From source to site\n  A[Write] --> B[Publish]\n```\n\n\
                    ```mermaid\nflowchart LR\n  subgraph open\n  A\n```\n";

/// What follows a text up to the next quotation mark.
#[track_caller]
fn after<'a>(page: &'a str, start: &str) -> &'a str {
    let rest = page.split_once(start).unwrap_or_else(|| panic!("{start} is not in {page}")).1;
    rest.split('"').next().unwrap()
}

/// The address of the card of a page.
fn card(page: &str) -> &str {
    after(page, "property=\"og:image\" content=\"")
}

#[acceptance::test]
async fn a_diagram_is_an_image_in_both_modes_with_its_source(world: World) {
    let (_, space) = docs(&world, "public").await;
    world.import_into(&space, &Fixture::new("guide", [("install/macos.md", FLOW)])).await;
    let page = text(world.browse(&format!("{BASE}/install/macos")).await, 200);
    assert!(page.contains("alt=\"From source to site\"") && page.contains("<details"), "{page}");
    assert_eq!(
        page.matches("/~/diagrams/").count(),
        4,
        "a link and an image for each mode, and none for the one with an error: {page}"
    );
    let mut seen = Vec::new();
    for mode in ["light", "dark"] {
        let start = format!("<img class=\"o-{mode}\" src=\"");
        let path = after(&page, &start).to_owned();
        assert!(
            path.starts_with("/s/docs/~/diagrams/install/macos-") && path.ends_with(&format!(".{mode}.svg")),
            "{path}"
        );
        let answer = world.browse(&format!("{HOST}{path}")).await;
        answer.assert_headers(&[
            ("content-type", "image/svg+xml"),
            ("content-security-policy", "sandbox; default-src 'none'; style-src 'unsafe-inline'"),
            ("x-content-type-options", "nosniff"),
            ("cache-control", "public, max-age=31536000, immutable"),
        ]);
        let svg = text(answer, 200);
        assert!(svg.starts_with("<svg ") && svg.contains("Publish"), "{svg}");
        seen.push((path, svg));
    }
    assert_ne!(seen[0].1, seen[1].1);
    for other in [
        seen[0].0.replace("install/macos", "install/linux"),
        seen[0].0.replace(".light", ".grey"),
        format!("{}x", seen[0].0),
        "/s/docs/~/diagrams/install/macos-0000000000000000.light.svg".to_owned(),
        "/s/docs/~/diagrams/".to_owned(),
    ] {
        text(world.browse(&format!("{HOST}{other}")).await, 404);
    }
    let markdown = text(world.browse(&format!("{BASE}/install/macos.md")).await, 200);
    assert!(markdown.contains("```mermaid") && !markdown.contains("diagrams"), "{markdown}");
}

#[acceptance::test]
async fn a_page_of_a_public_site_has_a_card(world: World) {
    docs(&world, "public").await;
    for path in ["/install/macos", "/install", "/"] {
        let page = text(world.browse(&format!("{BASE}{path}")).await, 200);
        let address = card(&page).to_owned();
        assert!(address.starts_with(&format!("{BASE}/~/card/")) && address.ends_with(".png"), "{address}");
        assert!(page.contains("property=\"og:image:width\" content=\"1200\""), "{page}");
        let answer = world.browse(&address).await;
        answer.assert_headers(&[
            ("content-type", "image/png"),
            ("cache-control", "public, max-age=31536000, immutable"),
            ("cross-origin-resource-policy", "cross-origin"),
            ("x-content-type-options", "nosniff"),
        ]);
        assert_eq!(answer.status.as_u16(), 200);
        assert!(answer.bytes.starts_with(b"\x89PNG\r\n\x1a\n"));
        assert_eq!(answer.bytes[16..24], [1200_u32.to_be_bytes(), 630_u32.to_be_bytes()].concat());
        // What was shared earlier leads to the card of today.
        let (start, _) = address.rsplit_once('-').unwrap();
        assert_eq!(location(&world.browse(&format!("{start}-0000000000000000.png")).await), (307, address.as_str()));
    }
    text(world.browse(&format!("{BASE}/~/card/nowhere-0000000000000000.png")).await, 404);
}

#[acceptance::test]
async fn another_title_is_another_card(world: World) {
    let (_, space) = docs(&world, "public").await;
    let address = format!("{BASE}/install/macos");
    let before = card(&text(world.browse(&address).await, 200)).to_owned();
    world.import_into(&space, &Fixture::new("guide", [("install/macos.md", "# On a Mac\n\nBuild it.\n")])).await;
    let after = card(&text(world.browse(&address).await, 200)).to_owned();
    assert_ne!(before, after);
    assert_eq!(location(&world.browse(&before).await), (307, after.as_str()));
}

#[acceptance::test]
async fn a_page_that_a_visitor_does_not_see_has_neither_card_nor_diagram(world: World) {
    let (site, space) = docs(&world, "public").await;
    world.import_into(&space, &Fixture::new("guide", [("install/macos.md", FLOW)])).await;
    let address = format!("{BASE}/install/macos");
    let page = text(world.browse(&address).await, 200);
    let pictures = [card(&page).to_owned(), format!("{HOST}{}", after(&page, "<img class=\"o-light\" src=\""))];
    for picture in &pictures {
        assert_eq!(world.browse(picture).await.status.as_u16(), 200, "{picture}");
    }
    adaptive(&world, &site).await;
    let id = world.page(&space, "install/macos").await;
    change(&world, &space, &id, json!({"condition": "visitor.claims.plan === 'pro'"})).await;
    let bearer = format!("Bearer {}", signed(&world, &site, 600, json!({"plan": "pro"})).await);
    for picture in &pictures {
        assert_eq!(world.browse(picture).await.status.as_u16(), 404, "{picture}");
        let seen =
            world.browse_with(picture, |request| request.insert_header(("Authorization", bearer.as_str()))).await;
        seen.assert_headers(&[
            ("cache-control", "private, max-age=600"),
            ("cross-origin-resource-policy", "same-origin"),
        ]);
        assert_eq!(seen.status.as_u16(), 200, "{picture}");
    }
}

#[acceptance::test]
async fn sites_that_are_not_public_have_no_cards_and_keep_their_diagrams(world: World) {
    let (_, space) = docs(&world, "unlisted").await;
    world.import_into(&space, &Fixture::new("guide", [("install/macos.md", FLOW)])).await;
    let page = text(world.browse(&format!("{BASE}/install/macos")).await, 200);
    assert!(!page.contains("/~/card/"), "{page}");
    text(world.browse(&format!("{BASE}/~/card/install/macos-0000000000000000.png")).await, 404);
    let diagram = world.browse(&format!("{HOST}{}", after(&page, "<img class=\"o-light\" src=\""))).await;
    assert_eq!(diagram.header("cache-control"), Some("private, max-age=600"));
    assert!(text(diagram, 200).contains("Publish"));
}
