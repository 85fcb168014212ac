//! Creating, reading, changing and deleting translations.
use super::{note, translate};
use acceptance::{Fields, World};
use domain::access::Role;
use serde_json::{Value, json};

const ABSENT: &str = "0193a1f0-7c5e-7000-8000-000000000000";

#[acceptance::test]
async fn a_new_translation_waits_for_its_first_run(world: World) {
    let space = world.space(json!({"title": "Guide", "language": "fr"})).await;
    let body = json!({"source": {"space": space}, "language": "pt-br", "instructions": note("Be polite.")});
    let made = world.ada.post(&world.org("/translations"), body).await.expect(201);
    let location = made["urls"].text("location").to_owned();
    let expected = json!({
        "object": "translation",
        "id": made.id(),
        "status": "pending",
        "source": {"space": space, "language": "fr"},
        "language": "pt-br",
        "instructions": made["instructions"],
        "untranslated": 0,
        "createdAt": made["createdAt"],
        "updatedAt": made["createdAt"],
        "stats": {
            "runs": 0, "totalWords": 0, "totalPages": 0, "totalDuration": 0, "latestRunDuration": 0, "latestPages": 0,
            "latestWords": 0,
        },
        "permissions": {"view": true, "edit": true},
        "urls": {"location": location},
    });
    assert_eq!(made, expected);
    assert_eq!(location, format!("https://docs.test/v1{}", world.org(&format!("/translations/{}", made.id()))));
    assert_eq!(made["instructions"]["nodes"][0]["nodes"][0]["leaves"][0]["text"], "Be polite.");
    assert_eq!(world.ada.get(&world.org(&format!("/translations/{}", made.id()))).await.ok(), made);
}

#[acceptance::test]
#[case::no_source(json!({"source": null}), "source")]
#[case::no_space(json!({"source": {"language": "en"}}), "source.space")]
#[case::an_unknown_space(json!({"source": {"space": ABSENT, "language": "en"}}), "source.space")]
#[case::no_language(json!({"language": null}), "language")]
#[case::an_unknown_language(json!({"language": "xx"}), "language")]
#[case::an_unknown_source_language(json!({"source": {"space": "{space}", "language": "xx"}}), "source.language")]
#[case::a_source_without_a_language(json!({"source": {"space": "{space}"}}), "source.language")]
#[case::the_same_language(json!({"language": "en"}), "language")]
#[case::instructions_that_are_no_document(json!({"instructions": "Be polite."}), "instructions")]
#[case::long_instructions(json!({"instructions": note(&"x".repeat(10_001))}), "instructions")]
async fn a_translation_that_breaks_a_rule_is_refused(world: &World, #[case] fields: Value, #[case] field: &str) {
    let space = world.space(json!({})).await;
    let mut body = json!({"source": {"space": space, "language": "en"}, "language": "de"});
    let fields: Value = serde_json::from_str(&fields.to_string().replace("{space}", space.as_str())).unwrap();
    for (name, value) in fields.as_object().unwrap() {
        body[name] = value.clone();
    }
    let refused = world.ada.post(&world.org("/translations"), body).await.error(400);
    assert!(refused.starts_with(field), "{refused}");
    assert_eq!(world.ada.get(&world.org("/translations")).await.ok()["items"], json!([]));
}

#[acceptance::test]
async fn a_space_of_another_organization_is_as_unknown_as_one_that_does_not_exist(world: World) {
    let other = world.ada.post("/orgs", json!({"title": "Another"})).await.id();
    let space = world.ada.post(&format!("/orgs/{other}/spaces"), json!({})).await.id();
    let body = |space: &str| json!({"source": {"space": space, "language": "en"}, "language": "de"});
    let foreign = world.ada.post(&world.org("/translations"), body(&space)).await.error(400);
    let absent = world.ada.post(&world.org("/translations"), body(ABSENT)).await.error(400);
    assert_eq!(foreign, absent);
}

#[acceptance::test]
async fn pages_of_two_visit_all_translations_once(world: World) {
    let space = world.space(json!({})).await;
    let mut made = Vec::new();
    for language in ["de", "fr", "es", "it", "de"] {
        made.push(translate(&world, &space, language).await);
    }
    let (mut found, mut query) = (Vec::new(), "?limit=2".to_owned());
    loop {
        let page = world.ada.get(&world.org(&format!("/translations{query}"))).await.ok();
        assert_eq!(page["count"], 5);
        found.extend(page.list("items").iter().map(|one| world.org(&format!("/translations/{}", one.id()))));
        let Some(next) = page["next"]["page"].as_str() else { break };
        query = format!("?limit=2&page={next}");
    }
    assert_eq!(found, made);
}

#[acceptance::test]
async fn instructions_are_set_and_queue_no_run(world: World) {
    let space = world.space(json!({})).await;
    let path = translate(&world, &space, "de").await;
    world.work().await;
    let before = world.ada.get(&path).await.ok();
    let after = world.ada.put(&path, json!({"instructions": note("Say du.")})).await.ok();
    assert_eq!(after["instructions"]["nodes"][0]["nodes"][0]["leaves"][0]["text"], "Say du.");
    assert_eq!((&after["status"], &after["stats"]), (&before["status"], &before["stats"]));
    assert!(world.work().await.is_empty());
    assert!(world.ada.put(&path, json!({})).await.error(400).starts_with("instructions"));
    let absent = world.org(&format!("/translations/{ABSENT}"));
    world.ada.put(&absent, json!({"instructions": note("x")})).await.error(404);
}

#[acceptance::test]
async fn a_deleted_translation_is_absent_and_can_be_deleted_again(world: World) {
    let space = world.space(json!({})).await;
    let path = translate(&world, &space, "de").await;
    world.ada.delete(&path).await.expect(205);
    world.ada.delete(&path).await.expect(204);
    world.ada.get(&path).await.error(404);
    world.ada.post(&format!("{path}/run"), json!({})).await.error(404);
    world.work().await;
    assert_eq!(world.ada.get(&world.org("/translations")).await.ok()["items"], json!([]));
}

#[acceptance::test]
async fn an_organization_has_at_most_100_translations(world: World) {
    let space = world.space(json!({})).await;
    for _ in 0..100 {
        translate(&world, &space, "de").await;
    }
    let body = json!({"source": {"space": space, "language": "en"}, "language": "de"});
    let full = "the organization already has 100 translations: delete one first";
    assert_eq!(world.ada.post(&world.org("/translations"), body).await.error(409), full);
}

#[acceptance::test]
async fn only_administrators_see_translations(world: World) {
    let space = world.space(json!({})).await;
    let path = translate(&world, &space, "de").await;
    let create = world.member("carl", Some(Role::Create)).await;
    let (guest, stranger) = (world.member("gus", None).await, world.stranger("eve").await);
    for caller in [&create, &guest] {
        caller.get(&world.org("/translations")).await.error(403);
        caller.get(&path).await.error(403);
        caller.post(&format!("{path}/run"), json!({})).await.error(403);
        caller.put(&path, json!({"instructions": note("x")})).await.error(403);
        caller.delete(&path).await.error(403);
        caller.get(&world.org("/translations-glossary")).await.error(403);
        caller.put(&world.org("/translations-glossary"), json!({"operations": []})).await.error(403);
    }
    stranger.get(&path).await.error(404);
    stranger.get(&world.org("/translations-glossary")).await.error(404);
}

#[acceptance::test]
async fn changes_of_translations_are_in_the_audit_log(world: World) {
    let space = world.space(json!({})).await;
    let path = translate(&world, &space, "de").await;
    world.ada.put(&path, json!({"instructions": note("Secret style")})).await.ok();
    world.ada.post(&format!("{path}/run"), json!({})).await.expect(204);
    world.ada.delete(&path).await.expect(205);
    let term = json!({"type": "insert", "translations": {"en": "space"}});
    world.ada.put(&world.org("/translations-glossary"), json!({"operations": [term]})).await.expect(204);
    let events = world.ada.get(&world.org("/audit-events?limit=5")).await.ok();
    let actions: Vec<&str> = events.list("items").iter().map(|event| event.text("action")).collect();
    assert_eq!(
        actions,
        [
            "glossary_updated",
            "translation_deleted",
            "translation_run_requested",
            "translation_updated",
            "translation_created"
        ]
    );
    assert!(!events.to_string().contains("Secret style"));
}
