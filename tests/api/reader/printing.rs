//! Pages for printing.
use super::text;
use crate::urls::{BASE, docs};
use acceptance::{Fields, Fixture, World};
use serde_json::json;

#[acceptance::test]
async fn a_page_is_printed_without_navigation_and_with_all_of_it_open(world: World) {
    let fold = "# Fold\n\n<details>\n\n<summary>More</summary>\n\nInside, see [the end](#end).\n\n</details>\n\n\
                {% tabs %}\n{% tab title=\"One\" %}\nFirst\n{% endtab %}\n\n{% tab title=\"Two\" %}\nSecond\n{% endtab %}\n{% endtabs %}\n\n\
                [Elsewhere](https://example.org/) and [here](other.md).\n\n## End\n";
    let (site, _) = docs(&world, "public").await;
    let space = world.import(&Fixture::new("fold", [("README.md", fold), ("other.md", "# Other\n\nText.\n")])).await;
    let added = json!({"spaceId": space.as_str(), "title": "Fold"});
    let variant = world.ada.post(&format!("{site}/site-spaces"), added).await.expect(201);
    let page = world.page(&space, "fold").await;
    let url = format!("{BASE}/~/print?page={page}");
    let answer = world.browse(&url).await;
    assert_eq!(answer.header("x-robots-tag"), Some("noindex"));
    let printed = text(answer, 200);
    for part in [
        "<details open",
        "First",
        "Second",
        "href=\"#p1-end\"",
        "id=\"p1-end\"",
        "href=\"https://example.org/\"",
        "href=\"/s/docs/fold/other\"",
        "https://docs.test/s/docs/fold",
        "<meta name=\"robots\" content=\"noindex\">",
    ] {
        assert!(printed.contains(part), "{part} is not in {printed}");
    }
    for absent in ["<nav", "<footer", "/~/assets/app-", "o-feedback"] {
        assert!(!printed.contains(absent), "{absent} is in {printed}");
    }
    let other = text(world.browse(&format!("{BASE}/~gitbook/pdf?page={page}&variant={}", variant.id())).await, 200);
    assert_eq!(other, printed);

    let all = text(world.browse(&format!("{BASE}/~/print?variant={}", variant.id())).await, 200);
    for part in ["id=\"p1\"", "id=\"p2\"", "href=\"#p2\"", "Inside", "Text."] {
        assert!(all.contains(part), "{part} is not in {all}");
    }
    assert!(all.find("Inside").unwrap() < all.find("Text.").unwrap(), "in order");
    assert!(!all.contains("<nav") && !all.contains("left out"), "{all}");
    let first = text(world.browse(&format!("{BASE}/~/print")).await, 200);
    assert!(first.contains("algebraic") && first.contains("Mind the gears.") && !first.contains("Inside"), "{first}");
}

#[acceptance::test]
async fn only_what_the_visitor_sees_is_printed(world: World) {
    let (site, space) = docs(&world, "public").await;
    let page = world.page(&space, "install/macos").await;
    super::change(&world, &space, &page, json!({"condition": "visitor.claims.plan === 'pro'"})).await;
    let foreign = world.import(&Fixture::guide()).await;
    let foreign = world.page(&foreign, "reference/options").await;
    for query in [
        format!("?page={page}"),
        format!("?page={foreign}"),
        "?page=nothing".to_owned(),
        "?page=".to_owned(),
        "?variant=nothing".to_owned(),
        "/more".to_owned(),
    ] {
        text(world.browse(&format!("{BASE}/~/print{query}")).await, 404);
    }
    let all = text(world.browse(&format!("{BASE}/~/print")).await, 200);
    assert!(all.contains("On Linux") && !all.contains("macOS"), "{all}");
    world.ada.post(&format!("{site}/unpublish"), json!({})).await.ok();
    text(world.browse(&format!("{BASE}/~/print")).await, 404);
}

#[acceptance::test]
async fn the_action_to_print_leads_there(world: World) {
    let (site, space) = docs(&world, "public").await;
    let actions = json!({"pageActions": {"items": ["pdf"]}});
    let mut customization = world.ada.get(&format!("{site}/customization")).await.ok();
    customization["pageActions"] = actions["pageActions"].clone();
    world.ada.put(&format!("{site}/customization"), customization).await.ok();
    let page = world.page(&space, "install/linux").await;
    let html = text(world.browse(&format!("{BASE}/install/linux")).await, 200);
    assert!(html.contains("href=\"/s/docs/~/print?variant=") && html.contains(&format!("page={page}\"")), "{html}");
}
