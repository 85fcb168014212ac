//! Content that is computed from a translation.
use super::{change, translate};
use acceptance::{Answer, Caller, Fields, Fixture, World, accented};
use domain::access::Role;
use serde_json::{Value, json};

fn source(translation: &str, props: &Value) -> Value {
    let id = translation.rsplit('/').next().unwrap();
    let reference = json!({"translation": {"ref": {"kind": "translation", "translation": id}}});
    json!({"type": "builtin:translation", "dependencies": reference, "props": props})
}

fn html(answer: &Answer) -> String {
    String::from_utf8_lossy(&answer.bytes).into_owned()
}

fn guide() -> Fixture {
    Fixture::new(
        "guide",
        [
            (
                "SUMMARY.md",
                "# Table of contents\n\n* [Start](README.md)\n* [Run](run/README.md)\n  * [Stop](run/stop.md)\n",
            ),
            ("README.md", "# Start\n\nThe engine runs, see [how](run/stop.md).\n"),
            ("run/README.md", "# Run\n\nTurn it on.\n\n{% include \"../.gitbook/includes/note.md\" %}\n"),
            ("run/stop.md", "# Stop\n\nTurn it off with `engine stop`.\n"),
            (".gitbook/includes/note.md", "# Note\n\nMind the noise.\n"),
        ],
    )
}

async fn outline(caller: &Caller, space: &str) -> Vec<(String, String)> {
    let shown = caller.get(&format!("/spaces/{space}/content/pages")).await.ok();
    let mut found = Vec::new();
    let mut waiting: Vec<Value> = shown.list("pages").iter().rev().cloned().collect();
    while let Some(page) = waiting.pop() {
        found.push((page.id().to_owned(), page.text("title").to_owned()));
        waiting.extend(page["pages"].as_array().into_iter().flatten().rev().cloned());
    }
    found
}

#[acceptance::test]
async fn a_text_is_shown_in_translation(world: World) {
    let space = world.import(&guide()).await;
    let path = translate(&world, &space, "de").await;
    let page = world.page(&space, "").await;
    let id = world.ada.get(&format!("/spaces/{space}/content/page/{page}")).await.ok().text("documentId").to_owned();
    let preview = format!("/spaces/{space}/content/computed/document");
    let body = json!({"source": source(&path, &json!({"space": space, "document": id}))});
    let text = async || world.ada.post(&preview, body.clone()).await.ok().to_string();
    assert!(text().await.contains("The engine runs"), "nothing is translated yet");
    world.work().await;
    let shown = text().await;
    assert!(shown.contains(&accented("The engine runs, see ")) && !shown.contains("The engine runs"), "{shown}");
    // A link within the space leads into it from everywhere.
    assert!(shown.contains(&format!(r#""space":"{space}""#)), "{shown}");
    assert!(world.translator.texts().len() > 4);
    text().await;
    assert!(world.translator.asked().is_empty(), "no engine is asked for what is shown");
}

#[acceptance::test]
async fn a_space_shows_the_pages_of_another_in_translation(world: World) {
    let space = world.import(&guide()).await;
    let path = translate(&world, &space, "de").await;
    world.work().await;
    let source = source(&path, &json!({}));
    let shown = world.space(json!({"title": "In German", "computedSource": source})).await;
    let pages = outline(&world.ada, shown.as_str()).await;
    let titles: Vec<String> = pages.iter().map(|(_, title)| title.clone()).collect();
    assert_eq!(titles, ["Start", "Run", "Stop"].map(accented));
    let read = async |caller: &Caller, at: usize| {
        let page = caller.get(&format!("/spaces/{shown}/content/page/{}?format=markdown", pages[at].0)).await.ok();
        page.text("markdown").to_owned()
    };
    let text = read(&world.ada, 2).await;
    assert!(text.contains(&accented("Turn it off with")) && text.contains("`engine stop`"), "{text}");
    let text = read(&world.ada, 1).await;
    assert!(text.contains(&accented("Mind the noise.")), "reusable texts are in their place: {text}");
    // What the source has not translated yet is shown as it is.
    let stop = world.page(&space, "run/stop").await;
    change(&world, &space, &stop, "Pull the plug.").await;
    assert!(read(&world.ada, 2).await.contains("Pull the plug."));
    world.pass(chrono::TimeDelta::seconds(60)).await;
    assert!(read(&world.ada, 2).await.contains(&accented("Pull the plug.")));
    // A page that not all readers find is left out.
    let request = crate::change_requests::propose(&world.ada, &space, "").await;
    let hide = json!([{"operation": "update_page", "page": stop, "hidden": true}]);
    crate::change_requests::edit(&world.ada, &request, hide).await.ok();
    crate::change_requests::merged(&world.ada, &request).await;
    assert_eq!(outline(&world.ada, shown.as_str()).await.len(), 2);
}

#[acceptance::test]
async fn a_translation_shows_only_what_its_reader_may_view(world: World) {
    let space = world.import(&guide()).await;
    world.ada.patch(&format!("/spaces/{space}"), json!({"visibility": "private"})).await.ok();
    let path = translate(&world, &space, "de").await;
    world.work().await;
    let shown = world.space(json!({"title": "In German", "computedSource": source(&path, &json!({}))})).await;
    let reader = world.member("rea", Some(Role::Read)).await;
    let none = json!({"defaultLevel": null});
    world.ada.patch(&format!("/spaces/{space}"), none).await.ok();
    reader.get(&format!("/spaces/{space}")).await.error(404);
    assert_eq!(outline(&world.ada, shown.as_str()).await.len(), 3);
    assert_eq!(outline(&reader, shown.as_str()).await, []);
    let page = world.page(&space, "").await;
    let id = world.ada.get(&format!("/spaces/{space}/content/page/{page}")).await.ok().text("documentId").to_owned();
    let body = json!({"source": source(&path, &json!({"space": space, "document": id}))});
    reader.post(&format!("/spaces/{shown}/content/computed/document"), body.clone()).await.error(404);
    world.ada.post(&format!("/spaces/{shown}/content/computed/document"), body).await.ok();
    // Visitors of a site see it if the source is on the site, too.
    let site = world.ada.post(&world.org("/sites"), json!({"title": "Docs", "spaces": [shown]})).await.id();
    let site = world.org(&format!("/sites/{site}"));
    world.ada.post(&format!("{site}/publish"), json!({})).await.ok();
    let (title, words) = (accented("Start"), accented("The engine runs, see "));
    let visit = async || world.browse("https://docs.test/s/docs/").await;
    let before = html(&visit().await);
    assert!(!before.contains(&title) && !before.contains(&words), "{before}");
    world.ada.post(&format!("{site}/site-spaces"), json!({"spaceId": space})).await.expect(201);
    let after = html(&visit().await);
    assert!(after.contains(&title) && after.contains(&words), "{after}");
}

#[acceptance::test]
async fn a_site_does_not_show_titles_from_before_a_change_of_the_glossary(world: World) {
    let space = world.import(&guide()).await;
    let path = translate(&world, &space, "de").await;
    world.work().await;
    let shown = world.space(json!({"title": "In German", "computedSource": source(&path, &json!({}))})).await;
    let site = world.ada.post(&world.org("/sites"), json!({"title": "Docs", "spaces": [shown]})).await.id();
    let site = world.org(&format!("/sites/{site}"));
    world.ada.post(&format!("{site}/site-spaces"), json!({"spaceId": space})).await.expect(201);
    world.ada.post(&format!("{site}/publish"), json!({})).await.ok();
    let visit = async || html(&world.browse("https://docs.test/s/docs/").await);
    let (title, before) = (accented("Start"), visit().await);
    assert!(before.contains(&title), "{before}");
    let term = json!({"type": "insert", "translations": {"en": "Start", "de": "Anfang"}});
    world.ada.put(&world.org("/translations-glossary"), json!({"operations": [term]})).await.expect(204);
    let after = visit().await;
    assert!(!after.contains(&title) && after.contains(&accented("Run")), "{after}");
}

#[acceptance::test]
#[case::no_space("document", json!({"document": "x"}), "source.props: must have space")]
#[case::no_document("document", json!({"space": "x"}), "source.props: must have space")]
#[case::options("revision", json!({"models": true}), "source.props: must be empty")]
async fn a_source_of_another_form_is_refused(
    world: World,
    #[case] what: &str,
    #[case] props: Value,
    #[case] message: &str,
) {
    let space = world.space(json!({})).await;
    let body = json!({"source": source("t", &props)});
    let told = world.ada.post(&format!("/spaces/{space}/content/computed/{what}"), body).await.error(400);
    assert!(told.starts_with(message), "{told}");
}

#[acceptance::test]
async fn an_unknown_translation_shows_nothing(world: World) {
    let space = world.space(json!({})).await;
    let preview = async |what: &str, props: Value| {
        let body = json!({"source": source("t", &props)});
        world.ada.post(&format!("/spaces/{space}/content/computed/{what}"), body).await
    };
    assert_eq!(preview("revision", json!({})).await.ok()["pages"], json!([]));
    preview("document", json!({"space": space, "document": "0".repeat(64)})).await.error(404);
}
