use super::{path, post, texts};
use crate::change_requests::{edit, merged, propose, rewrite};
use acceptance::{Fields, Fixture, World};
use domain::id::SpaceId;
use serde_json::{Value, json};

/// The blocks of a page.
async fn blocks(world: &World, place: &str, page: &str) -> Vec<Value> {
    let page = world.ada.get(&format!("{place}/content/page/{page}?format=document")).await.ok();
    page["document"].list("nodes").to_vec()
}

/// Replaces the text of a page of the primary content.
async fn publish(world: &World, space: &SpaceId, page: &str, markdown: &str) {
    let request = propose(&world.ada, space, "Edit").await;
    rewrite(&world.ada, &request, page, markdown).await;
    merged(&world.ada, &request).await;
}

/// The keys of a target that tell its place.
fn place_of(comment: &Value) -> Vec<&str> {
    let names = ["page", "node", "tableCell"];
    names.into_iter().filter(|name| comment["target"].get(name).is_some()).collect()
}

#[acceptance::test]
async fn a_comment_stays_with_its_block_and_keeps_what_it_quotes(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let place = format!("/spaces/{space}");
    let page = world.page(&space, "install/linux").await;
    let block = blocks(&world, &place, &page).await[0]["key"].as_str().unwrap().to_owned();
    let anchor = json!({ "page": page, "node": block });
    let comment = post(&world.ada, &place, "With sudo?", anchor).await;
    assert_eq!(comment["target"]["node"]["id"], block);
    assert_eq!(comment["target"]["quote"], "Run apt install engine.");
    let at = path(&comment);
    let seen = comment["target"]["revision"].clone();

    // The block moves and changes a little, the page gets another title and parent.
    publish(&world, &space, &page, "A new first paragraph.\n\nRun `apt install engine` now.\n").await;
    let request = propose(&world.ada, &space, "Move").await;
    let change = json!([
        { "operation": "update_page", "page": page, "title": "Penguins", "into": null, "at": 0 },
    ]);
    edit(&world.ada, &request, change).await.ok();
    merged(&world.ada, &request).await;
    let read = world.ada.get(&at).await.ok();
    assert_eq!((place_of(&read), &read["target"]["node"]["id"]), (vec!["page", "node"], &json!(block)));
    assert_eq!((&read["target"]["revision"], &read["target"]["quote"]), (&seen, &json!("Run apt install engine.")));
    assert_eq!(blocks(&world, &place, &page).await[1]["key"], block);

    publish(&world, &space, &page, "Something else altogether.\n").await;
    let read = world.ada.get(&at).await.ok();
    assert_eq!((place_of(&read), &read["target"]["quote"]), (vec!["page"], &json!("Run apt install engine.")));
    let on_page = format!("{place}/comments?targetPage={page}");
    assert_eq!(texts(&world.ada, &on_page).await, ["With sudo?"]);

    let request = propose(&world.ada, &space, "Remove").await;
    edit(&world.ada, &request, json!([{ "operation": "delete_page", "page": page }])).await.ok();
    merged(&world.ada, &request).await;
    let read = world.ada.get(&at).await.ok();
    assert_eq!((place_of(&read), &read["target"]["quote"]), (vec![], &json!("Run apt install engine.")));
    assert_eq!(texts(&world.ada, &format!("{place}/comments")).await, ["With sudo?"], "it stays with the space");
    // What was said about a revision can still be said.
    let late = json!({ "page": page, "node": block, "revision": seen });
    let late = post(&world.ada, &place, "It was fine", late).await;
    assert_eq!((place_of(&late), &late["target"]["quote"]), (vec![], &json!("Run apt install engine.")));
}

#[acceptance::test]
async fn a_comment_is_on_a_cell_as_long_as_its_row_and_column_are_there(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let place = format!("/spaces/{space}");
    let page = world.page(&space, "reference/options").await;
    let table = blocks(&world, &place, &page).await.into_iter().find(|block| block["type"] == "table").unwrap();
    let record = table["data"]["records"].as_object().unwrap().keys().next().unwrap().clone();
    let definition = table["data"]["view"]["columns"][1].as_str().unwrap().to_owned();
    let cell = json!({ "record": record, "definition": definition });
    let fields = json!({ "page": page, "node": table["key"], "tableCell": cell });
    let comment = post(&world.ada, &place, "Less than what?", fields).await;
    assert_eq!((&comment["target"]["tableCell"], &comment["target"]["quote"]), (&cell, &json!("Tells less")));
    for (fields, field) in [
        (json!({ "page": page, "tableCell": { "record": record, "definition": "x" } }), "tableCell"),
        (json!({ "page": page, "tableCell": { "record": "x", "definition": definition } }), "tableCell"),
        (json!({ "page": page, "node": "x" }), "node"),
        (json!({ "page": page, "node": "x", "tableCell": cell }), "node"),
        (json!({ "page": "x", "tableCell": cell }), "page"),
    ] {
        let body = json!({ "body": { "markdown": "?" } });
        let body: Value = [body, fields].into_iter().flat_map(|part| part.as_object().unwrap().clone()).collect();
        let message = world.ada.post(&format!("{place}/comments"), body).await.error(400);
        assert!(message.starts_with(&format!("{field}: ")), "{message}");
    }
    publish(&world, &space, &page, "## verbose\n\nThe table is gone.\n").await;
    let read = world.ada.get(&path(&comment)).await.ok();
    assert!(!place_of(&read).contains(&"tableCell"), "{read}");
    assert_eq!(read["target"]["quote"], "Tells less");
}

#[acceptance::test]
async fn a_comment_on_a_cell_stays_in_its_column_when_markdown_changes_the_table(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let (place, page) = (format!("/spaces/{space}"), world.page(&space, "install/macos").await);
    // The columns of a table that was sent as blocks have the ids of their writer.
    let definition = json!({
        "flag": { "id": "flag", "type": "text", "title": "Flag" },
        "use": { "id": "use", "type": "text", "title": "Use" },
    });
    let cell = |key: &str, text: &str| {
        let text = json!({ "object": "text", "leaves": [{ "object": "leaf", "text": text, "marks": [] }] });
        let paragraph = json!({ "object": "block", "type": "paragraph", "nodes": [text] });
        json!({ "object": "fragment", "key": key, "fragment": key, "nodes": [paragraph] })
    };
    let table = json!({
        "object": "block", "type": "table", "isVoid": true,
        "data": {
            "definition": definition, "view": { "type": "grid", "columns": ["flag", "use"], "hideHeader": false },
            "records": { "quiet": { "orderIndex": "a0", "values": { "flag": "quiet.flag", "use": "quiet.use" } } },
        },
        "fragments": [cell("quiet.flag", "-q"), cell("quiet.use", "less")],
    });
    let request = propose(&world.ada, &space, "Table").await;
    let document = json!({ "object": "document", "data": {}, "nodes": [table] });
    let change = json!([{ "operation": "update_page", "page": page, "document": { "document": document } }]);
    edit(&world.ada, &request, change).await.ok();
    merged(&world.ada, &request).await;
    let cell = json!({ "record": "quiet", "definition": "use" });
    let comment = post(&world.ada, &place, "Than what?", json!({ "page": page, "tableCell": cell })).await;
    assert_eq!((&comment["target"]["tableCell"], &comment["target"]["quote"]), (&cell, &json!("less")));

    for markdown in [
        "Text.\n\n| Flag | Use |\n| - | - |\n| -q | less |\n",
        "| No | Flag | Use |\n| - | - | - |\n| 1 | -q | less |\n",
        "| Use | No | Flag |\n| - | - | - |\n| less | 1 | -q |\n",
        "| Purpose | No | Flag |\n| - | - | - |\n| less | 1 | -q |\n| more | 2 | -v |\n",
    ] {
        publish(&world, &space, &page, markdown).await;
        let read = world.ada.get(&path(&comment)).await.ok();
        assert_eq!(read["target"]["tableCell"], cell, "{markdown}");
        let there = json!({ "page": page, "tableCell": cell });
        let again = post(&world.ada, &place, "And now?", there).await;
        assert_eq!(again["target"]["quote"], "less", "{markdown}");
    }
    publish(&world, &space, &page, "| No | Flag |\n| - | - |\n| 1 | -q |\n| 2 | -v |\n").await;
    let read = world.ada.get(&path(&comment)).await.ok();
    assert_eq!((place_of(&read), &read["target"]["quote"]), (vec!["page"], &json!("less")), "the column is deleted");
}

#[acceptance::test]
async fn an_anchor_in_a_change_request_is_one_of_its_content(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let place = format!("/spaces/{space}");
    let request = propose(&world.ada, &space, "Add").await;
    let change = json!([{ "operation": "insert_page", "title": "New", "document": { "markdown": "Fresh words." } }]);
    edit(&world.ada, &request, change).await.ok();
    let page = world.ada.get(&format!("{request}/content/path/new")).await.ok().id().to_owned();
    let block = blocks(&world, &request, &page).await[0]["key"].clone();
    let comment = post(&world.ada, &request, "Good", json!({ "page": page, "node": block })).await;
    assert_eq!((&comment["target"]["node"]["id"], &comment["target"]["quote"]), (&block, &json!("Fresh words.")));
    let body = json!({ "body": { "markdown": "?" }, "page": page, "node": block });
    let message = world.ada.post(&format!("{place}/comments"), body).await.error(400);
    assert!(message.starts_with("page: "), "{message}");
    merged(&world.ada, &request).await;
    assert_eq!(place_of(&world.ada.get(&path(&comment)).await.ok()), ["page", "node"]);
    let found = post(&world.ada, &place, "Still good", json!({ "page": page, "node": block })).await;
    assert_eq!(place_of(&found), ["page", "node"], "blocks keep their keys through a merge");
}

#[acceptance::test]
async fn an_import_keeps_comments_on_what_stayed(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let place = format!("/spaces/{space}");
    let page = world.page(&space, "install/macos").await;
    let block = blocks(&world, &place, &page).await[0]["key"].clone();
    let stays = post(&world.ada, &place, "stays", json!({ "page": page, "node": block })).await;
    let other = world.page(&space, "reference/options").await;
    let gone = blocks(&world, &place, &other).await[1]["key"].clone();
    let goes = post(&world.ada, &place, "goes", json!({ "page": other, "node": gone })).await;
    let files = [
        ("SUMMARY.md", "# Table of contents\n\n* [macOS](mac.md)\n* [Options](options.md)\n"),
        ("mac.md", "# On macOS\n\nDownload the package.\n\nOpen it.\n"),
        ("options.md", "# Options\n\n## verbose\n\n* a list\n"),
    ];
    world.import_into(&space, &Fixture::new("guide", files)).await;
    assert_eq!(place_of(&world.ada.get(&path(&stays)).await.ok()), ["page", "node"]);
    let read = world.ada.get(&path(&goes)).await.ok();
    assert_eq!((place_of(&read), &read["target"]["quote"]), (vec!["page"], &json!("Tells more.")));
}
