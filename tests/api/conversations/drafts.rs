//! Drafts that change pages.
use super::{Talks, with_model};
use acceptance::{Fields, Fixture, World};
use domain::ports::EngineError;
use serde_json::json;

#[acceptance::test]
async fn a_draft_changes_only_a_page_that_the_language_model_was_shown(world: World) {
    with_model(&world).await;
    world.chat.rule(|question| match question.schema_name {
        "draft" => {
            let edit = json!({"page": 1, "find": "open the settings", "replace": "open **Settings**"});
            Ok(json!({"edits": [edit], "new_page": null}))
        }
        _ => Err(EngineError::Down("away".to_owned())),
    });
    let Talks { cluster, .. } = Talks::ingest(&world).await;
    let files = [
        ("reset.md", "# Reset a password\n\nTo reset your password, open the settings.\n"),
        ("invoices.md", "# Invoices\n\nTo see an invoice, open the settings.\n"),
    ];
    let space = world.import(&Fixture::new("help", files)).await;
    world.work().await;
    let path = format!("/spaces/{space}/change-requests");
    let new = json!({"conversationsIssuesCluster": cluster, "draft": true});
    let id = world.ada.post(&path, new).await.expect(201).id().to_owned();
    world.work().await;

    let asked = world.chat.asked();
    let question = asked.iter().find(|question| question.schema_name == "draft").unwrap();
    assert!(question.user.contains("Reset a password"), "{}", question.user);
    let request = format!("{path}/{id}");
    let markdown = async |of: &str, page: &str| {
        let page = world.ada.get(&format!("{of}/content/path/{page}?format=markdown")).await.ok();
        page.text("markdown").to_owned()
    };
    assert!(markdown(&request, "reset").await.contains("open **Settings**."));
    assert!(markdown(&request, "invoices").await.contains("open the settings."));
    assert!(markdown(&format!("/spaces/{space}"), "reset").await.contains("open the settings."), "it is not merged");
    assert_eq!(world.ada.get(&request).await.ok()["status"], "draft");
}
