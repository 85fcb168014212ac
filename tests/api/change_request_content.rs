use super::change_requests::{edit, propose, rewrite};
use acceptance::{Fields, Fixture, World};
use actix_web::http::Method;
use serde_json::{Value, json};

#[acceptance::test]
async fn a_batch_is_one_revision_and_returns_the_result_for_each_page(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let macos = world.page(&space, "install/macos").await;
    let options = world.page(&space, "reference/options").await;
    let request = propose(&world.ada, &space, "").await;
    let before = world.ada.get(&request).await.ok()["revision"].clone();
    let done = edit(&world.ada, &request, json!([
        { "operation": "insert_page", "ref": "windows", "into": world.page(&space, "install").await, "at": 0,
            "document": { "markdown": "---\ndescription: For Windows.\n---\n\n# On Windows\n\nSee [macOS](./macos.md), [the note](./tips.md) and [none](./none.md)." } },
        { "operation": "insert_page", "ref": "tips", "title": "Tips", "document": { "markdown": "Back to [Windows](./windows.md)." } },
        { "operation": "update_page", "page": macos, "emoji": "1f34e" },
        { "operation": "update_page", "page": macos, "hidden": true },
        { "operation": "delete_page", "page": options },
    ]))
    .await
    .ok();
    let kinds: Vec<&str> = done.list("changes").iter().map(|one| one.text("object")).collect();
    assert_eq!(kinds, ["created_page", "created_page", "updated_page", "deleted_page"], "each page once: {done}");
    assert_eq!((&done["changes"][0]["ref"], &done["changes"][3]["page"]), (&json!("windows"), &json!(options)));
    let after = &done["changeRequest"]["revision"];
    let content = world.ada.get(&format!("{request}/content")).await.ok();
    assert_eq!((&content["id"], &content["parents"]), (after, &json!([before])), "exactly one new revision");
    let windows = world.ada.get(&format!("{request}/content/path/install/on-windows?format=markdown")).await.ok();
    assert_eq!((&windows["title"], &windows["description"]), (&json!("On Windows"), &json!("For Windows.")));
    let text = windows.text("markdown");
    assert!(text.contains("[macOS](macos.md)") && text.contains("[the note](") && text.contains("and none."), "{text}");
    let location = windows["urls"].text("app");
    assert!(location.contains("/change-requests/"), "a page of a change request is found there: {location}");
    let tree = world.ada.get(&format!("{request}/content/pages")).await.ok();
    let install = tree.list("pages").iter().find(|page| page["slug"] == "install").unwrap();
    assert_eq!(install["pages"][0]["id"], windows["id"], "at the first place");
    world.ada.get(&format!("/spaces/{space}/content/path/reference/options")).await.ok();
    world.ada.get(&format!("{request}/content/path/reference/options")).await.error(404);
}

#[acceptance::test]
async fn the_older_answer_is_the_change_request_alone(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let request = propose(&world.ada, &space, "").await;
    let body = json!({ "changes": [{ "operation": "insert_page", "document": {} }] });
    for query in ["", "?compat=true"] {
        let answer = world.ada.post(&format!("{request}/content{query}"), body.clone()).await.ok();
        assert_eq!(answer["object"], "change-request");
    }
}

#[acceptance::test]
async fn the_columns_of_a_table_have_an_alignment_and_stay_as_they_are_when_its_blocks_are_sent_back(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let page = world.page(&space, "reference/options").await;
    let request = propose(&world.ada, &space, "Table").await;
    rewrite(&world.ada, &request, &page, "| Name | Use |\n| --- | :--- |\n| `quiet` | Less |\n").await;
    let path = format!("{request}/content/page/{page}");
    let markdown = async || world.ada.get(&format!("{path}?format=markdown")).await.ok().text("markdown").to_owned();
    let before = markdown().await;
    assert!(before.contains("| --- | :--- |"), "{before}");
    let document = world.ada.get(&path).await.ok()["document"].take();
    let table = document.list("nodes").iter().find(|block| block["type"] == "table").unwrap();
    let alignments = table["data"]["view"].list("columns").iter().map(|column| {
        let column = &table["data"]["definition"][column.as_str().unwrap()];
        (column.text("textAlignment"), column.get("defaultAlignment").is_some())
    });
    assert_eq!(alignments.collect::<Vec<_>>(), [("left", true), ("left", false)]);
    let change = json!([{ "operation": "update_page", "page": page, "document": { "document": document } }]);
    edit(&world.ada, &request, change).await.ok();
    assert_eq!(markdown().await, before);
}

#[acceptance::test]
async fn options_of_a_table_are_read_from_markdown_and_have_any_colour_in_blocks(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let page = world.page(&space, "reference/options").await;
    let request = propose(&world.ada, &space, "Table").await;
    let head =
        "<table><thead><tr><th>Name</th><th>State<select><option value=\"a\" label=\"New\" color=\"blue\"></option>";
    let row = "<tr><td>One</td><td><span data-option=\"a\">New</span></td></tr>";
    let sent = format!("{head}</select></th></tr></thead><tbody>{row}</tbody></table>");
    rewrite(&world.ada, &request, &page, &format!("{sent}\n")).await;
    let path = format!("{request}/content/page/{page}");
    let markdown = async || world.ada.get(&format!("{path}?format=markdown")).await.ok().text("markdown").to_owned();
    let written = markdown().await;
    assert!(written.contains(&sent), "{written}");
    let mut document = world.ada.get(&path).await.ok()["document"].take();
    let table = document["nodes"].as_array_mut().unwrap().iter_mut().find(|block| block["type"] == "table").unwrap();
    let columns = table["data"]["definition"].as_object_mut().unwrap();
    let state = columns.values_mut().find(|column| column["title"] == "State").unwrap();
    let option = json!({ "value": "a", "label": "New", "color": "blue" });
    assert_eq!(
        (state.text("type"), &state["multiple"], &state["options"]),
        ("select", &json!(false), &json!([option]))
    );
    state["options"][0]["color"] = json!("#0af");
    let change = json!([{ "operation": "update_page", "page": page, "document": { "document": document } }]);
    edit(&world.ada, &request, change).await.ok();
    let written = markdown().await;
    assert!(written.contains("label=\"New\" color=\"default\""), "{written}");
}

#[acceptance::test]
#[case(json!([]), "changes")]
#[case(json!([{ "operation": "delete_page", "page": "none" }]), "changes[0].page")]
#[case(json!([{ "operation": "insert_page", "title": "", "document": {} }]), "changes[0].title")]
#[case(json!([{ "operation": "insert_page", "document": {} }, { "operation": "insert_page", "slug": "options", "document": {}, "into": "none" }]), "changes[1].into")]
#[case(json!([{ "operation": "insert_page", "title": "x", "slug": "a/b", "document": {} }]), "changes[0].slug")]
#[case(json!([{ "operation": "insert_page", "condition": "((", "document": {} }]), "changes[0].condition")]
#[case(json!([{ "operation": "insert_page", "document": { "markdown": "a", "document": {} } }]), "changes[0].document")]
#[case(json!([{ "operation": "insert_files", "files": [{ "name": "a.png", "url": "http://127.0.0.1:1/a.png" }] }]), "changes[0].files[0].url")]
#[case(json!([{ "operation": "insert_page", "title": null, "document": {} }]), "changes[0].title")]
#[case(json!([{ "operation": "insert_page", "document": null }]), "changes[0].document")]
#[case(json!([{ "operation": "insert_page", "document": { "markdown": 5 } }]), "changes[0].document.markdown")]
#[case(json!([{ "operation": "insert_page", "document": { "object": "document", "data": {}, "nodes": [] } }]), "changes[0].document")]
#[case(json!([{ "operation": "insert_page", "document": {} }, { "operation": "insert_page", "document": { "text": "a" } }]), "changes[1].document")]
#[case(json!([{ "operation": "insert_page", "at": -1, "document": {} }]), "changes[0].at")]
#[case(json!([{ "operation": "insert_page", "hidden": "yes", "document": {} }]), "changes[0].hidden")]
#[case(json!([{ "operation": "insert_files", "files": [{ "url": "https://example.org/a.png" }] }]), "changes[0].files[0].name")]
async fn a_batch_that_breaks_a_rule_changes_nothing(world: &World, #[case] changes: Value, #[case] field: &str) {
    let space = world.import(&Fixture::guide()).await;
    let request = propose(&world.ada, &space, "").await;
    let before = world.ada.get(&request).await.ok();
    let message = edit(&world.ada, &request, changes).await.error(400);
    assert!(message.starts_with(&format!("{field}:")), "{message}");
    assert_eq!(world.ada.get(&request).await.ok(), before);
}

#[acceptance::test]
async fn a_text_that_is_neither_markdown_nor_a_document_leaves_the_page_as_it_was(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let page = world.page(&space, "install").await;
    let request = propose(&world.ada, &space, "").await;
    let before = world.ada.get(&request).await.ok();
    let update = |document: Value| json!([{ "operation": "update_page", "page": page, "document": document }]);
    let blocks = world.ada.get(&format!("{request}/content/page/{page}")).await.ok()["document"].take();
    for document in [blocks.clone(), json!({ "text": "a" }), json!({ "markdown": "a", "document": blocks })] {
        let message = edit(&world.ada, &request, update(document)).await.error(400);
        assert!(message.starts_with("changes[0].document: must have markdown or document"), "{message}");
    }
    assert_eq!(world.ada.get(&request).await.ok(), before);
    let text = world.ada.get(&format!("{request}/content/page/{page}?format=markdown")).await.ok();
    assert_ne!(text.text("markdown"), "");
    edit(&world.ada, &request, update(json!({}))).await.ok();
    let text = world.ada.get(&format!("{request}/content/page/{page}?format=markdown")).await.ok();
    assert_eq!(text.text("markdown"), "", "an empty object empties it");
}

#[acceptance::test]
async fn an_edit_can_ask_for_the_revision_it_was_made_for(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let request = propose(&world.ada, &space, "").await;
    let revision = world.ada.get(&request).await.ok().text("revision").to_owned();
    let send = async |tag: String| {
        let body = json!({ "changes": [{ "operation": "insert_page", "document": {} }] });
        let path = format!("{request}/content");
        world.ada.send(Method::POST, &path, |sent| sent.insert_header(("If-Match", tag)).set_json(body)).await
    };
    send(format!("\"{revision}\"")).await.ok();
    let message = send(format!("\"{revision}\"")).await.error(412);
    assert!(message.contains("is now at revision"), "{message}");
    send("*".to_owned()).await.ok();
}

#[acceptance::test]
async fn files_come_with_the_batch_and_are_shown_by_it(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let request = propose(&world.ada, &space, "").await;
    let done = edit(&world.ada, &request, json!([
        { "operation": "insert_page", "document": { "markdown": "# Gears\n\n![Gear](./gear)" } },
        { "operation": "insert_files", "files": [{ "name": "gear.txt", "base64": "R2VhcnM=", "contentType": "text/plain", "ref": "gear" }] },
    ]))
    .await
    .ok();
    let file = &done["insertedFiles"][0];
    assert_eq!(
        (&file["name"], &file["size"], &file["contentType"]),
        (&json!("gear.txt"), &json!(5), &json!("text/plain"))
    );
    let id = file.id();
    assert_eq!(world.ada.get(&format!("{request}/content/files/{id}")).await.ok()["name"], "gear.txt");
    let links = world.ada.get(&format!("{request}/content/files/{id}/backlinks")).await.ok();
    assert_eq!(links["items"][0]["page"]["title"], "Gears", "the page refers to the file of its batch: {links}");
    let url = file.text("downloadURL").strip_prefix(acceptance::PUBLIC_URL).unwrap().to_owned();
    let bytes = world.anonymous().send_to(Method::GET, &url, |request| request).await;
    assert_eq!((bytes.status.as_u16(), bytes.bytes.as_slice()), (200, b"Gears".as_slice()));
}

#[acceptance::test]
async fn a_page_can_be_set_back(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let page = world.page(&space, "install/macos").await;
    let request = propose(&world.ada, &space, "").await;
    let path = format!("{request}/content/page/{page}?format=markdown");
    let before = world.ada.get(&path).await.ok()["markdown"].clone();
    rewrite(&world.ada, &request, &page, "Something else.\n").await;
    assert_ne!(world.ada.get(&path).await.ok()["markdown"], before);
    edit(&world.ada, &request, json!([{ "operation": "revert_page", "page": page }])).await.ok();
    assert_eq!(world.ada.get(&path).await.ok()["markdown"], before);
    edit(&world.ada, &request, json!([{ "operation": "delete_page", "page": page }])).await.ok();
    world.ada.get(&path).await.error(404);
    edit(&world.ada, &request, json!([{ "operation": "revert_page", "page": page }])).await.ok();
    assert_eq!(world.ada.get(&path).await.ok()["markdown"], before);
    assert_eq!(world.ada.get(&format!("{request}/changes")).await.ok()["changes"], json!([]), "nothing differs again");
}

/// Removes a field from all objects in a value.
fn remove_everywhere(value: &mut Value, field: &str) {
    match value {
        Value::Object(fields) => {
            fields.remove(field);
            fields.values_mut().for_each(|value| remove_everywhere(value, field));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| remove_everywhere(item, field)),
        _ => {}
    }
}

#[acceptance::test]
async fn everything_that_can_be_read_of_a_space_can_be_read_of_a_change_request(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let request = propose(&world.ada, &space, "").await;
    let revision = world.ada.get(&format!("{request}/content")).await.ok();
    let (file, reusable) = (revision["files"][0].id(), revision["reusableContents"][0].id());
    let page = world.page(&space, "install/linux").await;
    for rest in [
        "pages".to_owned(),
        "files".to_owned(),
        format!("files/{file}/backlinks"),
        format!("page/{page}?format=markdown"),
        format!("page/{page}/links"),
        format!("page/{page}/meta-links"),
        "path/install/linux".to_owned(),
        format!("reusable-contents/{reusable}"),
    ] {
        let strip = |mut value: Value| {
            remove_everywhere(&mut value, "versionContext");
            // Of links, the number of those that it broke.
            remove_everywhere(&mut value, "changeRequest");
            value.to_string().replace(&format!("/change-requests/{}", &request[request.rfind('/').unwrap() + 1..]), "")
        };
        let of_space = world.ada.get(&format!("/spaces/{space}/content/{rest}")).await.ok();
        let of_request = world.ada.get(&format!("{request}/content/{rest}")).await.ok();
        assert!(!of_space.to_string().contains("versionContext"), "only places in a change request name it: {rest}");
        let without_expiry = |text: String| {
            text.split("downloadURL")
                .map(|part| part.split_once("\",").map_or(part, |(_, rest)| rest).to_owned())
                .collect::<String>()
        };
        assert_eq!(without_expiry(strip(of_request)), without_expiry(strip(of_space)), "{rest}");
    }
}

#[acceptance::test]
async fn a_text_read_and_written_back_keeps_the_keys_of_its_blocks(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let page = world.page(&space, "install/linux").await;
    let request = propose(&world.ada, &space, "").await;
    let path = format!("{request}/content/page/{page}");
    let (before, text) =
        (world.ada.get(&path).await.ok(), world.ada.get(&format!("{path}?format=markdown")).await.ok());
    rewrite(&world.ada, &request, &page, text.text("markdown")).await;
    let after = world.ada.get(&path).await.ok();
    assert_eq!((&after["document"], &after["documentId"]), (&before["document"], &before["documentId"]));
    assert_eq!(after.get("updatedAt"), before.get("updatedAt"), "nothing was changed");
}
