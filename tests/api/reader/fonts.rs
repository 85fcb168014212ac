//! Known fonts that the server has. The world has Lato.
use super::text;
use crate::urls::{BASE, docs};
use acceptance::World;
use serde_json::json;

/// The name of the file with Latin letters.
const LATIN: &str = "lato-latin-400-normal-0123456789abcdef.woff2";

/// Chooses the font of a site.
async fn choose(world: &World, site: &str, font: &str) {
    let mut customization = world.ada.get(&format!("{site}/customization")).await.ok();
    customization["styling"]["font"] = json!(font);
    world.ada.put(&format!("{site}/customization"), customization).await.ok();
}

#[acceptance::test]
async fn a_page_has_the_faces_of_its_font_and_loads_the_first_at_once(world: World) {
    let (site, _) = docs(&world, "public").await;
    choose(&world, &site, "Lato").await;
    for path in ["/install", "/nowhere", "/~/search?q=install", "/~/print"] {
        let answer = world.browse(&format!("{BASE}{path}")).await;
        let policy = answer.header("content-security-policy").unwrap_or_default().to_owned();
        assert!(policy.contains("font-src 'self';"), "{path}: {policy}");
        let status = if path == "/nowhere" { 404 } else { 200 };
        let preload = format!("</s/docs/~/assets/{LATIN}>; rel=preload; as=font; type=\"font/woff2\"; crossorigin");
        let links = answer.header_values("link");
        assert!(links[0].ends_with(&format!("; rel=preload; as=style, {preload}")), "{path}: {links:?}");
        let page = text(answer, status);
        let face = format!(
            "@font-face{{font-family:Lato;font-weight:400;font-display:optional;\
             src:url(\"/s/docs/~/assets/{LATIN}\")format(\"woff2\");unicode-range:U+0000-00FF}}"
        );
        assert!(page.contains(&face), "{path}: {page}");
        // The header names it already.
        assert_eq!((page.matches("rel=\"preload\"").count(), page.matches("@font-face").count()), (0, 2), "{path}");
    }
}

#[acceptance::test]
async fn a_file_of_a_font_is_kept_forever(world: World) {
    docs(&world, "public").await;
    let answer = world.browse(&format!("{BASE}/~/assets/{LATIN}")).await;
    answer.assert_headers(&[
        ("content-type", "font/woff2"),
        ("cache-control", "public, max-age=31536000, immutable"),
        ("x-content-type-options", "nosniff"),
        ("cross-origin-resource-policy", "same-origin"),
    ]);
    assert_eq!(text(answer, 200), "wOF2 latin");
    for other in ["lato-latin-400-normal.woff2", "..%2Flato-latin-400-normal.woff2", "%2e%2e%2fpackage.json"] {
        text(world.browse(&format!("{BASE}/~/assets/{other}")).await, 404);
    }
}

#[acceptance::test]
async fn a_font_that_the_server_does_not_have_is_that_of_the_visitor(world: World) {
    let (site, _) = docs(&world, "public").await;
    choose(&world, &site, "Merriweather").await;
    let answer = world.browse(&format!("{BASE}/install")).await;
    assert!(!answer.header_values("link").concat().contains("as=font"));
    let page = text(answer, 200);
    assert!(page.contains("--font:Merriweather,ui-serif,"), "{page}");
    assert!(!page.contains("@font-face"), "{page}");
}

#[acceptance::test]
async fn without_advanced_customization_a_page_has_no_face_of_the_chosen_font(world: World) {
    let (site, _) = docs(&world, "public").await;
    choose(&world, &site, "Lato").await;
    let mut customization = world.ada.get(&format!("{site}/customization")).await.ok();
    customization["advancedCustomization"]["enabled"] = json!(false);
    world.ada.put(&format!("{site}/customization"), customization).await.ok();
    let page = text(world.browse(&format!("{BASE}/install")).await, 200);
    assert!(page.contains("--font:Inter,") && !page.contains("@font-face"), "{page}");
}
