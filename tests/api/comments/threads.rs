use super::{open, path, post, text, texts};
use crate::change_requests::{merged, propose};
use acceptance::{Backend, Fields, Fixture, World};
use domain::access::Role;
use domain::comment::{Comment, Discussion};
use serde_json::{Value, json};

#[acceptance::test]
async fn a_comment_has_every_field_of_the_api(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let place = format!("/spaces/{space}");
    let page = world.page(&space, "reference/options").await;
    let comment = post(&world.ada, &place, "Is *this* right?", json!({ "page": page })).await;
    assert_eq!((&comment["object"], &comment["status"]), (&json!("comment"), &json!("open")));
    assert_eq!(comment["body"], json!({ "markdown": "Is _this_ right?\n" }));
    assert_eq!(comment["postedBy"]["displayName"], "Administrator");
    let revision = world.ada.get(&place).await.ok()["revision"].clone();
    let target = json!({ "space": space, "revision": revision, "page": { "id": page }, "quote": "Options" });
    assert_eq!(comment["target"], target);
    assert_eq!([&comment["replies"], &comment["reactions"], &comment["repliers"]], [&json!(0), &json!([]), &json!([])]);
    assert_eq!(comment["permissions"], json!({ "view": true, "edit": true, "reply": true, "delete": true }));
    assert!(["editedAt", "resolvedAt", "resolvedBy"].iter().all(|absent| comment.get(absent).is_none()));
    assert_eq!(world.ada.get(&path(&comment)).await.ok(), comment);
    let blocks = world.ada.get(&format!("{}?format=document", path(&comment))).await.ok();
    assert_eq!((&blocks["body"]["document"]["object"], &blocks["id"]), (&json!("document"), &comment["id"]));
    let sent = json!({ "body": { "document": blocks["body"]["document"] } });
    let again = world.ada.post(&format!("{place}/comments?format=document"), sent).await.ok();
    assert_eq!(again["body"], blocks["body"], "blocks come back as they were sent");
}

#[acceptance::test]
async fn a_thread_continues_until_it_is_resolved_and_can_be_reopened(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let place = format!("/spaces/{space}");
    let bob = world.member("bob", Some(Role::Comment)).await;
    let comment = post(&bob, &place, "Why?", json!({})).await;
    let at = path(&comment);
    let first = world.ada.post(&format!("{at}/replies"), text("Because.")).await.ok();
    assert_eq!((&first["object"], &first["body"]["markdown"]), (&json!("comment-reply"), &json!("Because.\n")));
    assert_eq!(world.ada.get(&path(&first)).await.ok(), first);
    bob.post(&format!("{at}/replies"), text("I see.")).await.ok();
    world.ada.post(&format!("{at}/replies"), text("Good.")).await.ok();
    assert_eq!(texts(&bob, &format!("{at}/replies")).await, ["Because.", "I see.", "Good."]);
    let read = bob.get(&at).await.ok();
    let repliers: Vec<(&str, &Value)> =
        read.list("repliers").iter().map(|one| (one["user"].text("displayName"), &one["count"])).collect();
    assert_eq!((&read["replies"], repliers), (&json!(3), vec![("bob", &json!(1)), ("Administrator", &json!(2))]));

    let resolved = bob.put(&at, json!({ "resolved": true })).await.ok();
    assert_eq!((&resolved["status"], &resolved["resolvedBy"]["displayName"]), (&json!("resolved"), &json!("bob")));
    assert!(resolved["resolvedAt"].is_string() && resolved.get("editedAt").is_none());
    world.ada.put(&at, json!({ "resolved": true })).await.ok();
    assert_eq!(bob.get(&at).await.ok()["resolvedBy"]["displayName"], "bob", "the first one resolved it");
    bob.post(&format!("{at}/replies"), text("One more thing.")).await.ok();
    assert_eq!(bob.get(&at).await.ok()["status"], "resolved", "a reply opens nothing");
    let opened = world.ada.put(&at, json!({ "resolved": false })).await.ok();
    assert_eq!(opened["status"], "open");
    assert!(opened.get("resolvedAt").is_none() && opened.get("resolvedBy").is_none());

    let edited = bob.put(&at, text("Why *not*?")).await.ok();
    assert_eq!(edited["body"]["markdown"], "Why _not_?\n");
    assert!(edited["editedAt"].is_string());
    let same = bob.put(&at, text("Why *not*?")).await.ok();
    assert_eq!(same["editedAt"], edited["editedAt"], "the same text is no edit");
    let reply = path(&first);
    assert!(world.ada.put(&reply, text("Well.")).await.ok()["editedAt"].is_string());
    world.ada.delete(&reply).await.expect(205);
    world.ada.delete(&reply).await.expect(204);
    world.ada.get(&reply).await.error(404);
    assert_eq!(bob.get(&at).await.ok()["replies"], 3);
    bob.delete(&at).await.expect(205);
    bob.delete(&at).await.expect(204);
    bob.get(&at).await.error(404);
    bob.get(&format!("{at}/replies")).await.error(404);
    bob.post(&format!("{at}/replies"), text("Anyone?")).await.error(404);
}

#[acceptance::test]
async fn each_user_reacts_once_with_an_emoji_and_takes_back_only_their_own(world: World) {
    let place = format!("/spaces/{}", world.space(json!({})).await);
    let bob = world.member("bob", Some(Role::Comment)).await;
    let comment = post(&world.ada, &place, "Ready?", json!({})).await;
    let reply = world.ada.post(&format!("{}/replies", path(&comment)), text("Yes.")).await.ok();
    for at in [path(&comment), path(&reply)] {
        for _ in 0..2 {
            bob.put(&at, json!({ "addedReactions": ["1f44d", "1f389"] })).await.ok();
        }
        let both = world.ada.put(&at, json!({ "addedReactions": ["1f44d"] })).await.ok();
        let told: Vec<(&str, &Value)> =
            both.list("reactions").iter().map(|one| (one.text("emoji"), &one["count"])).collect();
        assert_eq!(told, [("1f389", &json!(1)), ("1f44d", &json!(2))]);
        assert!(both["reactions"][1]["users"][1]["reactedAt"].is_string());
        assert!(both.get("editedAt").is_none(), "a reaction is no edit");
        world.ada.put(&at, json!({ "removedReactions": ["1f389", "1f44d", "none"] })).await.ok();
        let left = bob.get(&at).await.ok();
        assert_eq!(left.list("reactions").len(), 2, "bob's stay");
        assert_eq!(left["reactions"][1]["users"][0]["user"]["displayName"], "bob");
    }
    let at = path(&comment);
    let many: Vec<String> = (0..18).map(|number| format!("e{number}")).collect();
    world.ada.put(&at, json!({ "addedReactions": many })).await.ok();
    let message = world.ada.put(&at, json!({ "addedReactions": ["more"] })).await.error(400);
    assert!(message.starts_with("addedReactions: "), "{message}");
    assert_eq!(world.ada.get(&at).await.ok().list("reactions").len(), 20);
    world.ada.put(&at, json!({ "addedReactions": ["more"], "removedReactions": ["e1"] })).await.ok();
}

#[acceptance::test]
async fn a_list_has_the_threads_of_one_discussion_by_status_page_and_author(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let place = format!("/spaces/{space}");
    let request = propose(&world.ada, &space, "Fix").await;
    let bob = world.member("bob", Some(Role::Comment)).await;
    let (options, linux) = (world.page(&space, "reference/options").await, world.page(&space, "install/linux").await);
    post(&world.ada, &place, "one", json!({ "page": options })).await;
    let two = post(&bob, &place, "two", json!({ "page": linux })).await;
    post(&bob, &place, "three", json!({})).await;
    let inside = post(&bob, &request, "inside", json!({ "page": options })).await;
    bob.put(&path(&two), json!({ "resolved": true })).await.ok();
    bob.post(&format!("{}/replies", path(&two)), text("a reply is no comment")).await.ok();
    let (ada_id, bob_id) = (world.ada.id(), bob.id());
    for (query, expected) in [
        (String::new(), vec!["three", "two", "one"]),
        ("?order=asc".into(), vec!["one", "two", "three"]),
        ("?status=open".into(), vec!["three", "one"]),
        ("?status=resolved".into(), vec!["two"]),
        (format!("?targetPage={options}"), vec!["one"]),
        (format!("?authors={bob_id}"), vec!["three", "two"]),
        (format!("?authors={bob_id}&authors={ada_id}&status=open&order=asc"), vec!["one", "three"]),
        ("?authors=nobody".into(), vec![]),
    ] {
        assert_eq!(texts(&world.ada, &format!("{place}/comments{query}")).await, expected, "{query}");
    }
    assert_eq!(texts(&world.ada, &format!("{request}/comments")).await, ["inside"]);
    assert_eq!(inside["target"]["changeRequest"].as_str(), request.rsplit('/').next());
    let id = inside.id();
    world.ada.get(&format!("{place}/comments/{id}")).await.error(404);
    for bad in ["status=closed", "order=up", "format=html", "authors=", "targetPage=%20"] {
        let message = world.ada.get(&format!("{place}/comments?{bad}")).await.error(400);
        assert!(message.starts_with(bad.split('=').next().unwrap()), "{bad}: {message}");
    }
    let page = world.ada.get(&format!("{place}/comments?limit=2")).await.ok();
    let next = page["next"].text("page");
    assert_eq!(page["count"], 3);
    assert_eq!(texts(&world.ada, &format!("{place}/comments?limit=2&page={next}")).await, ["one"]);
    let commenters = async |place: &str| -> Vec<String> {
        let found = world.ada.get(&format!("{place}/commenters")).await.ok();
        found.list("items").iter().map(|member| member["user"].text("displayName").to_owned()).collect()
    };
    assert_eq!(commenters(&place).await, ["Administrator", "bob"]);
    assert_eq!(commenters(&request).await, ["bob"]);
}

#[acceptance::test]
async fn a_merged_change_request_keeps_its_comments_and_takes_new_ones(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let request = propose(&world.ada, &space, "Fix").await;
    post(&world.ada, &request, "before", json!({})).await;
    merged(&world.ada, &request).await;
    let late = post(&world.ada, &request, "after", json!({})).await;
    world.ada.put(&path(&late), json!({ "resolved": true })).await.ok();
    assert_eq!(texts(&world.ada, &format!("{request}/comments")).await, ["after", "before"]);
    assert_eq!(
        (open(&world.ada, &request).await, open(&world.ada, &format!("/spaces/{space}")).await),
        (json!(1), json!(0))
    );
    assert_eq!(texts(&world.ada, &format!("/spaces/{space}/comments")).await, Vec::<String>::new());
}

#[acceptance::test]
async fn the_comment_of_a_review_is_one_of_its_change_request(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let request = propose(&world.ada, &space, "Fix").await;
    let vera = world.member("vera", Some(Role::Review)).await;
    let review = json!({ "status": "changes-requested", "comment": { "markdown": "Not *yet*." } });
    let review = vera.post(&format!("{request}/reviews"), review).await.expect(201);
    let said = review["comment"].clone();
    assert_eq!((&said["target"]["review"], &said["target"]["revision"]), (&review["id"], &review["revision"]));
    assert_eq!(said["body"]["document"]["object"], "document");
    assert_eq!(texts(&world.ada, &format!("{request}/comments")).await, ["Not _yet_."]);
    assert_eq!(open(&world.ada, &request).await, 1);
    let at = path(&said);
    world.ada.post(&format!("{at}/replies"), text("Now?")).await.ok();
    world.ada.put(&at, json!({ "addedReactions": ["1f440"] })).await.ok();
    vera.put(&at, json!({ "resolved": true })).await.ok();
    let review = format!("{request}/reviews/{}", review.id());
    let read = world.ada.get(&format!("{review}?format=markdown")).await.ok();
    let said = &read["comment"];
    assert_eq!(
        (&said["status"], &said["replies"], &said["body"]["markdown"]),
        (&json!("resolved"), &json!(1), &json!("Not _yet_.\n"))
    );
    assert_eq!(said["reactions"][0]["emoji"], "1f440");
    let listed = world.ada.get(&format!("{request}/reviews")).await.ok();
    assert_eq!(listed["items"][0]["comment"]["id"], said["id"]);
    vera.delete(&at).await.expect(205);
    assert!(world.ada.get(&review).await.ok().get("comment").is_none());
    for silent in [json!({ "markdown": "" }), json!({ "markdown": "\u{200b}" }), json!({ "document": blank() })] {
        let silent = json!({ "status": "approved", "comment": silent });
        assert!(vera.post(&format!("{request}/reviews"), silent).await.expect(201).get("comment").is_none());
    }
    let mistaken = json!({ "status": "approved", "comment": blank() });
    let message = vera.post(&format!("{request}/reviews"), mistaken).await.error(400);
    assert!(message.starts_with("comment: must have markdown or document"), "{message}");
}

/// A document with an empty paragraph, as an editor sends an empty text.
fn blank() -> Value {
    let text = json!({ "object": "text", "leaves": [{ "object": "leaf", "text": " ", "marks": [] }] });
    let paragraph = json!({ "object": "block", "type": "paragraph", "data": {}, "nodes": [text] });
    json!({ "object": "document", "data": {}, "nodes": [paragraph] })
}

#[acceptance::test]
async fn a_comment_that_begins_with_a_rule_keeps_all_of_its_text(world: World) {
    let place = format!("/spaces/{}", world.space(json!({})).await);
    let posted = post(&world.ada, &place, "---\nFrom: a customer\n---\n\nIt rains.\n", json!({})).await;
    let kept = "***\n\n## From: a customer\n\nIt rains.\n";
    assert_eq!(posted["body"]["markdown"], kept);
    let again = world.ada.put(&path(&posted), text(kept)).await.ok();
    assert_eq!((&again["body"]["markdown"], again.get("editedAt")), (&json!(kept), None));
}

#[acceptance::test]
async fn the_body_of_a_comment_is_cleaned_and_has_limits(world: World) {
    let place = format!("/spaces/{}", world.space(json!({})).await);
    let list = format!("{place}/comments");
    let hostile = "<script>alert(1)</script><img src=x onerror=alert(1)> [go](javascript:alert(1))";
    let read = post(&world.ada, &place, hostile, json!({})).await;
    let page = json!([{ "operation": "insert_page", "title": "P", "document": { "markdown": hostile } }]);
    let request = propose(&world.ada, &place["/spaces/".len()..].parse().unwrap(), "").await;
    crate::change_requests::edit(&world.ada, &request, page).await.ok();
    let pages = world.ada.get(&format!("{request}/content/path/p?format=markdown")).await.ok();
    assert_eq!(read["body"]["markdown"], pages["markdown"], "as in a page");
    for (body, field) in [
        (json!({}), "body"),
        (json!({ "body": {} }), "body"),
        (json!({ "body": { "markdown": "" } }), "body"),
        (json!({ "body": { "markdown": "\u{200b}\u{feff}" } }), "body"),
        (json!({ "body": blank() }), "body: must have markdown or document"),
        (json!({ "body": { "markdown": "a", "document": blank() } }), "body: must have markdown or document, not both"),
        (json!({ "body": { "document": blank() } }), "body"),
        (json!({ "body": { "markdown": "a".repeat(64 * 1024 + 1) } }), "body"),
        (json!({ "body": { "markdown": "a\u{0}b" } }), "body"),
        (
            json!({ "body": { "document": { "object": "document", "data": {}, "nodes": [{ "object": "block", "type": "x" }] } } }),
            "body.document.nodes[0]",
        ),
        (json!({ "body": { "markdown": "a" }, "revision": "nowhere" }), "revision"),
        (json!({ "body": { "markdown": "a" }, "page": "nowhere" }), "page"),
        (json!({ "body": { "markdown": "a" }, "node": "n" }), "page"),
    ] {
        let message = world.ada.post(&list, body.clone()).await.error(400);
        assert!(message.starts_with(field), "{field}: {message}");
    }
    assert_eq!(texts(&world.ada, &list).await.len(), 1);
    post(&world.ada, &place, &"a".repeat(60 * 1024), json!({})).await;
    for body in [json!({ "markdown": "" }), json!({ "text": "a" })] {
        let message = world.ada.put(&path(&read), json!({ "resolved": true, "body": body })).await.error(400);
        assert!(message.starts_with("body"), "{message}");
    }
    assert_eq!(world.ada.get(&path(&read)).await.ok()["status"], "open", "nothing changed");
}

#[acceptance::test]
async fn a_list_costs_as_many_statements_however_many_comments_there_are(backend: Backend) {
    let Some(world) = World::undisturbed(backend).await else { return };
    let space = world.import(&Fixture::guide()).await;
    let place = format!("/spaces/{space}");
    let page = world.page(&space, "reference/options").await;
    let fill = async |count: usize| {
        for number in 0..count {
            let comment = post(&world.ada, &place, &format!("{number}"), json!({ "page": page })).await;
            world.ada.post(&format!("{}/replies", path(&comment)), text("Yes.")).await.ok();
        }
    };
    let count = async || {
        world.ada.get("/user").await.ok();
        world.counted(world.ada.get(&format!("{place}/comments?limit=5&format=document"))).await.1
    };
    fill(6).await;
    let few = count().await;
    fill(60).await;
    assert_eq!(count().await, few);
    assert!(few <= 8, "{few}");
}

#[acceptance::test]
async fn a_list_of_a_hundred_costs_the_same_among_ten_thousand_comments(backend: Backend) {
    let Some(world) = World::undisturbed(backend).await else { return };
    let space = world.import(&Fixture::guide()).await;
    let place = format!("/spaces/{space}");
    let page = world.page(&space, "reference/options").await;
    let first = post(&world.ada, &place, "Why?", json!({ "page": page })).await;
    // Comments are added directly: posting so many would take long.
    let fill = async |count: usize| {
        let services = &world.services;
        let mut tx = services.store.write().await.unwrap();
        tx.lock(&[(&space).into()]).await.unwrap();
        let id = first.id().parse().unwrap();
        let comment =
            tx.comments().find(&Discussion { space: space.clone(), change_request: None }, &id).await.unwrap().unwrap();
        for _ in 0..count {
            tx.comments().insert(&Comment { id: services.ids.make(), ..comment.clone() }).await.unwrap();
        }
        tx.commit().await.unwrap();
    };
    let list = async || {
        world.ada.get("/user").await.ok();
        let (answer, statements) = world.counted(world.ada.get(&format!("{place}/comments?limit=100"))).await;
        let list = answer.ok();
        (list.list("items").len(), list["count"].clone(), statements)
    };
    fill(99).await;
    let (few, count, statements) = list().await;
    assert_eq!((few, count), (100, json!(100)));
    fill(9900).await;
    // There is a second page now, so the comments are counted.
    let (many, count, more) = list().await;
    assert_eq!((many, count), (100, json!(10_000)));
    assert!(more <= statements + 1 && more <= 9, "{more} statements, {statements} before");
}
