//! Links between spaces that are translated into the same language.
use super::{Target, change, translate};
use crate::change_requests::markdown;
use acceptance::{Fields, Fixture, World};
use serde_json::json;

#[acceptance::test]
async fn links_to_a_translated_space_lead_to_its_translation(world: World) {
    let (guide, other) = (world.import(&Fixture::guide()).await, world.import(&Fixture::pages(2, "engine")).await);
    let untranslated = world.import(&Fixture::pages(1, "engine")).await;
    let (page, there) = (world.page(&guide, "install").await, world.page(&other, "page-001").await);
    let stays = world.page(&untranslated, "page-000").await;
    let text = format!(
        "See [this page](/spaces/{other}/pages/{there}), [that space](/spaces/{other}), [one](/spaces/{untranslated}/pages/{stays})."
    );
    change(&world, &guide, &page, &text).await;
    let of_other = translate(&world, &other, "de").await;
    let target = Target::of(&world, &of_other).await;
    let french = translate(&world, &other, "fr").await;
    let not_this = Target::of(&world, &french).await;
    let of_guide = translate(&world, &guide, "de").await;
    let translated = Target::of(&world, &of_guide).await;
    let links = world.ada.get(&format!("{}/content/page/{page}/links", translated.path)).await.ok();
    let all = links.to_string();
    let text = markdown(&world.ada, &translated.path, &page).await;
    assert!(all.contains(&target.id) && !all.contains(&not_this.id) && !all.contains(other.as_str()), "{all}");
    assert!(all.contains(untranslated.as_str()), "{all}");
    assert!(!links.list("items").iter().any(|link| link["status"] == json!("broken")), "{text}: {all}");
}

#[acceptance::test]
async fn anchors_and_links_of_the_source_resolve_in_the_translation(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let page = world.page(&space, "install").await;
    let text = "# Install\n\n[Down](#getting-started) and [over](install/linux.md).\n\n## Getting started\n\nText.";
    change(&world, &space, &page, text).await;
    let path = translate(&world, &space, "de").await;
    let target = Target::of(&world, &path).await;
    let found = async |space: &str| {
        let links = world.ada.get(&format!("{space}/links")).await.ok();
        let status = |link: &serde_json::Value| (link["target"].clone(), link["status"].clone());
        let mut all: Vec<String> = links.list("items").iter().map(|link| format!("{:?}", status(link))).collect();
        all.sort();
        all
    };
    let (of_source, of_target) = (found(&format!("/spaces/{space}")).await, found(&target.path).await);
    let broken = |all: &[String]| all.iter().filter(|link| link.contains("broken")).count();
    assert!(of_source.len() > 4, "{of_source:?}");
    assert_eq!(
        (of_target.len(), broken(&of_target)),
        (of_source.len(), broken(&of_source)),
        "{of_source:#?} {of_target:#?}"
    );
    let text = markdown(&world.ada, &target.path, &page).await;
    assert!(text.contains("#getting-started") && !text.contains("## Getting started"), "{text}");
}

#[acceptance::test]
async fn a_translated_space_does_not_lead_to_the_files_of_its_source(world: World) {
    let space = world.import(&Fixture::guide()).await;
    world.ada.patch(&format!("/spaces/{space}"), json!({"editURL": "https://example.org/edit/"})).await.ok();
    let translation = translate(&world, &space, "de").await;
    let target = Target::of(&world, &translation).await;
    assert_eq!(world.ada.get(&target.path).await.ok().get("editURL"), None);
}
