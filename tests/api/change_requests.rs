use acceptance::{Answer, Caller, Fields, Fixture, World};
use actix_web::http::Method;
use domain::access::Role;
use domain::id::SpaceId;
use serde_json::{Value, json};

/// Creates a change request, and returns its path.
pub(crate) async fn propose(caller: &Caller, space: &SpaceId, subject: &str) -> String {
    let new = caller.post(&format!("/spaces/{space}/change-requests"), json!({ "subject": subject })).await;
    format!("/spaces/{space}/change-requests/{}", new.expect(201).id())
}

/// Sends edits to the content of a change request.
pub(crate) async fn edit(caller: &Caller, change_request: &str, changes: Value) -> Answer {
    caller.post(&format!("{change_request}/content?compat=false"), json!({ "changes": changes })).await
}

/// Replaces the text of a page in a change request.
pub(crate) async fn rewrite(caller: &Caller, change_request: &str, page: &str, markdown: &str) {
    let change = json!([{ "operation": "update_page", "page": page, "document": { "markdown": markdown } }]);
    edit(caller, change_request, change).await.ok();
}

/// Merges a change request.
pub(crate) async fn merged(caller: &Caller, change_request: &str) -> Value {
    caller.send(Method::POST, &format!("{change_request}/merge"), |request| request).await.ok()
}

/// Updates a change request with the primary content.
pub(crate) async fn updated(caller: &Caller, change_request: &str) -> Value {
    caller.send(Method::POST, &format!("{change_request}/update"), |request| request).await.ok()
}

/// The text of a page of a space or a change request.
pub(crate) async fn markdown(caller: &Caller, base: &str, page: &str) -> String {
    let page = caller.get(&format!("{base}/content/page/{page}?format=markdown")).await.ok();
    page.text("markdown").to_owned()
}

async fn counters(caller: &Caller, space: &SpaceId) -> [u64; 3] {
    let space = caller.get(&format!("/spaces/{space}")).await.ok();
    ["changeRequests", "changeRequestsOpen", "changeRequestsDraft"].map(|name| space[name].as_u64().unwrap())
}

#[acceptance::test]
async fn a_new_change_request_is_a_draft_of_what_the_space_holds(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let answer = world.ada.post(&format!("/spaces/{space}/change-requests"), json!({ "subject": "Fix" })).await;
    let location = answer.header("location").unwrap().to_owned();
    let new = answer.expect(201);
    assert_eq!(location, new["urls"].text("location"));
    assert_eq!(
        (&new["object"], &new["status"], &new["number"]),
        (&json!("change-request"), &json!("draft"), &json!(1))
    );
    assert_eq!((&new["subject"], &new["outdated"], &new["comments"]), (&json!("Fix"), &json!(false), &json!(0)));
    assert_eq!((&new["revision"], &new["space"]), (&new["revisionInitial"], &json!(space.as_str())));
    assert_eq!(new["createdBy"]["displayName"], "Administrator");
    let id = new.id();
    for path in [format!("/spaces/{space}/change-requests/{id}"), format!("/spaces/{space}/change-requests/1")] {
        assert_eq!(world.ada.get(&path).await.ok(), new, "by id and by number");
    }
    let content = world.ada.get(&format!("/spaces/{space}/change-requests/1/content")).await.ok();
    assert_eq!(content["id"], new["revision"]);
    let second = world.ada.post(&format!("/spaces/{space}/change-requests"), json!({})).await.expect(201);
    assert_eq!((&second["number"], &second["subject"]), (&json!(2), &json!("")));
    assert_eq!(counters(&world.ada, &space).await, [2, 0, 2]);
}

#[acceptance::test]
async fn a_change_request_moves_between_its_states_and_the_counters_follow(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let request = propose(&world.ada, &space, "Fix").await;
    for (status, expected) in [("open", [1, 1, 0]), ("archived", [1, 0, 0]), ("draft", [1, 0, 1]), ("open", [1, 1, 0])]
    {
        let changed = world.ada.patch(&request, json!({ "status": status })).await.ok();
        assert_eq!(changed["status"], status);
        assert_eq!(counters(&world.ada, &space).await, expected, "{status}");
    }
    let description = json!({"object": "document", "data": {}, "nodes": [{"object": "block", "type": "paragraph",
        "data": {}, "nodes": [{"object": "text", "leaves": [{"object": "leaf", "text": "Why", "marks": []}]}]}]});
    let changed = world.ada.patch(&request, json!({ "description": description, "subject": "Better" })).await.ok();
    assert!(changed["description"].to_string().contains("Why") && changed["subject"] == "Better", "{changed}");
    let cleared = world.ada.patch(&request, json!({ "description": null })).await.ok();
    assert_eq!(cleared.get("description"), None);
    let minimal = |request: actix_web::test::TestRequest| {
        request.insert_header(("Prefer", "return=minimal")).set_json(json!({ "subject": "Quiet" }))
    };
    let answer = world.ada.send(Method::PATCH, &request, minimal).await;
    assert_eq!((answer.status.as_u16(), answer.header("preference-applied")), (204, Some("return=minimal")));
    assert_eq!(world.ada.get(&request).await.ok()["subject"], "Quiet");
}

#[acceptance::test]
async fn a_merge_lands_as_a_revision_with_two_parents(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let page = world.page(&space, "install/macos").await;
    let request = propose(&world.ada, &space, "Say more").await;
    rewrite(&world.ada, &request, &page, "Download the package, then open it.\n").await;
    let before = world.ada.get(&request).await.ok();
    let result = merged(&world.ada, &request).await;
    assert_eq!(result["result"], "merge");
    let after = world.ada.get(&request).await.ok();
    assert_eq!((&after["status"], &after["revisionMerged"]), (&json!("merged"), &result["revision"]));
    assert!(after["mergedBy"]["id"].is_string() && after["mergedAt"].is_string() && after["outdated"] == false);
    let now = world.ada.get(&format!("/spaces/{space}")).await.ok();
    assert_eq!((&now["revision"], &now["changeRequestsDraft"]), (&result["revision"], &json!(0)));
    let content = world.ada.get(&format!("/spaces/{space}/content")).await.ok();
    assert_eq!(content["type"], "merge");
    assert_eq!(content["parents"], json!([before["revisionInitial"], before["revision"]]));
    assert_eq!((&content["mergedFrom"]["id"], &content["mergedFrom"]["number"]), (&after["id"], &json!(1)));
    assert!(markdown(&world.ada, &format!("/spaces/{space}"), &page).await.contains("then open it"));
    let found = world.ada.get(&format!("/spaces/{space}/search?query=open")).await.ok();
    assert_eq!(found["items"][0]["id"], page.as_str(), "what was merged is found");
}

#[acceptance::test]
async fn what_is_merged_never_changes_again(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let page = world.page(&space, "reference/options").await;
    let request = propose(&world.ada, &space, "").await;
    merged(&world.ada, &request).await;
    world.ada.patch(&request, json!({ "status": "draft" })).await.error(409);
    world.ada.post(&format!("{request}/merge"), json!({})).await.error(409);
    world.ada.post(&format!("{request}/update"), json!({})).await.error(409);
    edit(&world.ada, &request, json!([{ "operation": "delete_page", "page": page }])).await.error(409);
    world.ada.post(&format!("{request}/reviews"), json!({ "status": "approved" })).await.error(409);
    assert_eq!(world.ada.get(&request).await.ok()["status"], "merged");
}

#[acceptance::test]
async fn what_is_archived_must_be_reopened_first(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let request = propose(&world.ada, &space, "").await;
    world.ada.patch(&request, json!({ "status": "archived" })).await.ok();
    let message = world.ada.post(&format!("{request}/merge"), json!({})).await.error(409);
    assert!(message.contains("archived") && message.contains("draft or open"), "{message}");
    world.ada.patch(&request, json!({ "status": "open" })).await.ok();
    merged(&world.ada, &request).await;
}

#[acceptance::test]
async fn a_locked_space_refuses_edits_and_merges(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let page = world.page(&space, "reference/options").await;
    let request = propose(&world.ada, &space, "").await;
    world.ada.patch(&format!("/spaces/{space}"), json!({ "editMode": "locked" })).await.ok();
    for answer in [
        edit(&world.ada, &request, json!([{ "operation": "delete_page", "page": page }])).await,
        world.ada.post(&format!("{request}/merge"), json!({})).await,
        world.ada.post(&format!("{request}/update"), json!({})).await,
    ] {
        assert!(answer.error(409).contains("locked"));
    }
    assert_eq!(world.ada.get(&format!("{request}/merge-status")).await.ok()["locked"], true);
}

#[acceptance::test]
async fn edits_of_different_places_merge_without_conflict(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let (linux, macos) = (world.page(&space, "install/linux").await, world.page(&space, "install/macos").await);
    let (one, two) = (propose(&world.ada, &space, "One").await, propose(&world.ada, &space, "Two").await);
    rewrite(&world.ada, &one, &macos, "Download the package from the site.\n").await;
    let title = json!([{ "operation": "update_page", "page": macos, "title": "On a Mac" },
        { "operation": "update_page", "page": linux, "emoji": "1f427" }]);
    edit(&world.ada, &two, title).await.ok();
    assert_eq!(merged(&world.ada, &one).await["result"], "merge");
    let status = world.ada.get(&format!("{two}/merge-status")).await.ok();
    assert_eq!(
        (&status["mergeable"], &status["outdated"], &status["conflicts"]),
        (&json!(true), &json!(true), &json!([]))
    );
    assert_eq!(merged(&world.ada, &two).await["result"], "merge");
    let page = world.ada.get(&format!("/spaces/{space}/content/page/{macos}?format=markdown")).await.ok();
    assert_eq!(page["title"], "On a Mac");
    assert!(page.text("markdown").contains("from the site"));
}

#[acceptance::test]
async fn a_change_request_can_be_changed_only_as_it_was_read(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let request = propose(&world.ada, &space, "One").await;
    let tag = world.ada.get(&request).await.header("etag").unwrap().to_owned();
    let send = async |subject: &str| {
        let body = json!({ "subject": subject });
        let with = |sent: actix_web::test::TestRequest| sent.insert_header(("If-Match", tag.clone())).set_json(body);
        world.ada.send(Method::PATCH, &request, with).await
    };
    send("Two").await.ok();
    send("Three").await.error(412);
    assert_eq!(world.ada.get(&request).await.ok()["subject"], "Two");
}

#[acceptance::test]
async fn a_change_request_is_not_mergeable_for_a_caller_who_may_not_merge(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let request = propose(&world.ada, &space, "").await;
    let bob = world.member("bob", Some(Role::Edit)).await;
    assert_eq!(bob.get(&format!("{request}/merge-status")).await.ok()["mergeable"], false);
    assert_eq!(world.ada.get(&format!("{request}/merge-status")).await.ok()["mergeable"], true);
}

#[acceptance::test]
async fn an_update_brings_in_what_the_space_gained(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let (one, two) = (propose(&world.ada, &space, "One").await, propose(&world.ada, &space, "Two").await);
    let page = json!([{ "operation": "insert_page", "document": { "markdown": "# New page\n\nHello." } }]);
    edit(&world.ada, &one, page).await.ok();
    merged(&world.ada, &one).await;
    let before = world.ada.get(&two).await.ok();
    assert_eq!(before["outdated"], true);
    let result = updated(&world.ada, &two).await;
    assert_eq!(result["result"], "update");
    let after = world.ada.get(&two).await.ok();
    assert_eq!((&after["outdated"], &after["revision"]), (&json!(false), &result["revision"]));
    world.ada.get(&format!("{two}/content/path/new-page")).await.ok();
    let revision = world.ada.get(&format!("{two}/content")).await.ok();
    assert_eq!((&revision["type"], revision["parents"].as_array().map(Vec::len)), (&json!("update"), Some(2)));
    assert_eq!(updated(&world.ada, &two).await, result, "a second update changes nothing");
}

#[acceptance::test]
async fn a_change_request_of_another_space_is_not_found(world: World) {
    let (space, other) = (world.import(&Fixture::guide()).await, world.import(&Fixture::guide()).await);
    let request = propose(&world.ada, &space, "").await;
    let id = request.rsplit('/').next().unwrap();
    world.ada.get(&format!("/spaces/{other}/change-requests/{id}")).await.error(404);
    world.ada.get(&format!("/spaces/{other}/change-requests/1")).await.error(404);
    world.ada.get(&format!("/spaces/{space}/change-requests/99999999999")).await.error(404);
    world.ada.post(&format!("/spaces/{other}/change-requests/{id}/merge"), json!({})).await.error(404);
}

#[acceptance::test]
async fn lists_show_open_ones_and_take_every_filter(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let bob = world.member("bob", Some(Role::Edit)).await;
    let (first, second) = (propose(&world.ada, &space, "First").await, propose(&bob, &space, "Second").await);
    let page = world.page(&space, "reference/options").await;
    rewrite(&bob, &first, &page, "By Bob.\n").await;
    let list = async |base: &str, query: &str| -> Vec<String> {
        let found = world.ada.get(&format!("{base}/change-requests{query}")).await.ok();
        found.list("items").iter().map(|item| item.text("subject").to_owned()).collect()
    };
    let (of_space, of_org) = (format!("/spaces/{space}"), world.org(""));
    assert_eq!(list(&of_space, "").await, Vec::<String>::new(), "no change request is open: both are drafts");
    for base in [&of_space, &of_org] {
        assert_eq!(list(base, "?status=draft").await, ["First", "Second"], "the last updated comes first");
        assert_eq!(list(base, "?status=draft&orderBy=createdAt").await, ["Second", "First"]);
        let by_bob = format!("?status=draft&status=open&creator={}", bob.user.as_ref().unwrap());
        assert_eq!(list(base, &by_bob).await, ["Second"]);
        let with_bob = format!("?status=draft&contributor={}", bob.user.as_ref().unwrap());
        assert_eq!(list(base, &with_bob).await, ["First"]);
        assert_eq!(list(base, "?status=draft&conversationsIssuesCluster=c").await, Vec::<String>::new());
    }
    let ask = json!({ "users": [bob.user.as_ref().unwrap().as_str()] });
    world.ada.post(&format!("{first}/requested-reviewers"), ask).await.ok();
    let asked = format!("?status=draft&requestedReviewer={}", bob.user.as_ref().unwrap());
    assert_eq!(list(&of_space, &asked).await, ["First"]);
    world.ada.patch(&second, json!({ "status": "open" })).await.ok();
    assert_eq!(list(&of_space, "").await, ["Second"]);
    let one = world.ada.get(&format!("{of_space}/change-requests?status=draft&status=open&limit=1")).await.ok();
    let next = one["next"].text("page");
    let rest = format!("?status=draft&status=open&limit=1&page={next}");
    assert_eq!((one["items"][0].text("subject"), list(&of_space, &rest).await), ("Second", vec!["First".to_owned()]));
    let message = world.ada.get(&format!("{of_space}/change-requests?status=closed")).await.error(400);
    assert!(message.starts_with("status"), "{message}");
}

#[acceptance::test]
async fn the_organization_lists_only_what_the_caller_may_read(world: World) {
    let (open, closed) = (world.import(&Fixture::guide()).await, world.import(&Fixture::guide()).await);
    propose(&world.ada, &open, "Seen").await;
    propose(&world.ada, &closed, "Hidden").await;
    world.ada.patch(&format!("/spaces/{closed}"), json!({ "defaultLevel": null })).await.ok();
    let rita = world.member("rita", Some(Role::Read)).await;
    let found = rita.get(&world.org("/change-requests?status=draft")).await.ok();
    assert_eq!((found["count"].clone(), &found["items"][0]["subject"]), (json!(1), &json!("Seen")));
}

#[acceptance::test]
async fn the_organization_lists_those_of_one_space_if_it_is_asked_for(world: World) {
    let (open, closed) = (world.import(&Fixture::guide()).await, world.import(&Fixture::guide()).await);
    propose(&world.ada, &open, "Open").await;
    propose(&world.ada, &closed, "Closed").await;
    world.ada.patch(&format!("/spaces/{closed}"), json!({ "defaultLevel": null })).await.ok();
    let rita = world.member("rita", Some(Role::Read)).await;
    let cases: [(&Caller, &str, &[&str]); 5] = [
        (&world.ada, open.as_str(), &["Open"]),
        (&world.ada, closed.as_str(), &["Closed"]),
        (&world.ada, "nowhere", &[]),
        (&rita, open.as_str(), &["Open"]),
        (&rita, closed.as_str(), &[]),
    ];
    for (caller, space, expected) in cases {
        let found = caller.get(&world.org(&format!("/change-requests?status=draft&space={space}"))).await.ok();
        let subjects: Vec<&str> = found.list("items").iter().map(|item| item.text("subject")).collect();
        assert_eq!(subjects, expected, "{space}");
        assert_eq!(found["count"], expected.len(), "{space}");
    }
}

#[acceptance::test]
async fn the_organization_lists_those_of_one_site_if_it_is_asked_for(world: World) {
    let (open, closed) = (world.import(&Fixture::guide()).await, world.import(&Fixture::guide()).await);
    let elsewhere = world.import(&Fixture::guide()).await;
    for (space, subject) in [(&open, "Open"), (&closed, "Closed"), (&elsewhere, "Elsewhere")] {
        propose(&world.ada, space, subject).await;
    }
    let site = |title: &str, spaces: Value| json!({ "title": title, "spaces": spaces });
    let shown = world.ada.post(&world.org("/sites"), site("Shown", json!([open, closed]))).await.id();
    let hidden = world.ada.post(&world.org("/sites"), site("Hidden", json!([closed]))).await.id();
    world.ada.patch(&format!("/spaces/{closed}"), json!({ "defaultLevel": null })).await.ok();
    world.ada.patch(&world.org(&format!("/sites/{hidden}")), json!({ "defaultLevel": null })).await.ok();
    let rita = world.member("rita", Some(Role::Read)).await;
    let other = world.ada.post("/orgs", json!({ "title": "Other" })).await.id();
    let cases: [(&Caller, &str, &[&str]); 5] = [
        (&world.ada, &shown, &["Closed", "Open"]),
        (&world.ada, &hidden, &["Closed"]),
        (&world.ada, "nowhere", &[]),
        (&rita, &shown, &["Open"]),
        (&rita, &hidden, &[]),
    ];
    for (caller, site, expected) in cases {
        let found = caller.get(&world.org(&format!("/change-requests?status=draft&site={site}"))).await.ok();
        let mut subjects: Vec<&str> = found.list("items").iter().map(|item| item.text("subject")).collect();
        subjects.sort_unstable();
        assert_eq!(subjects, expected, "{site}");
        assert_eq!(found["count"], expected.len(), "{site}");
    }
    let both = world.org(&format!("/change-requests?status=draft&site={shown}&space={open}"));
    assert_eq!(world.ada.get(&both).await.ok()["count"], 1);
    let there = format!("/orgs/{other}/change-requests?status=draft&site={shown}");
    assert_eq!(world.ada.get(&there).await.ok()["items"], json!([]), "a site of another organization");
}

#[acceptance::test]
async fn what_change_requests_do_not_have_is_refused(world: World) {
    let space = world.space(json!({})).await;
    let lists = [format!("/spaces/{space}/change-requests?topic=x"), world.org("/change-requests?topic=x")];
    for list in lists.into_iter().chain([world.org("/change-requests?styleguideRun=x")]) {
        let message = world.ada.get(&list).await.error(400);
        assert!(message.ends_with(": is not supported by this server"), "{message}");
    }
}

#[acceptance::test]
async fn a_list_with_or_without_change_requests_for_findings_has_all_change_requests(world: World) {
    let space = world.space(json!({})).await;
    propose(&world.ada, &space, "Fix").await;
    let list = world.org("/change-requests?status=draft");
    let all = world.ada.get(&list).await.ok();
    assert_eq!(all["count"], 1);
    for word in ["none", "all"] {
        assert_eq!(world.ada.get(&format!("{list}&finding={word}")).await.ok(), all, "{word}");
    }
    let message = world.ada.get(&format!("{list}&finding=some")).await.error(400);
    assert!(message.starts_with("finding: must be"), "{message}");
}

#[acceptance::test]
async fn changes_are_listed_page_by_page(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let (linux, macos) = (world.page(&space, "install/linux").await, world.page(&space, "install/macos").await);
    let request = propose(&world.ada, &space, "Many").await;
    let batch = json!([
        { "operation": "update_page", "page": linux, "title": "On GNU/Linux" },
        { "operation": "delete_page", "page": macos },
        { "operation": "insert_page", "title": "On Windows", "document": {} },
        { "operation": "update_page", "page": linux, "into": null },
    ]);
    edit(&world.ada, &request, batch).await.ok();
    let told = world.ada.get(&format!("{request}/changes")).await.ok();
    let kinds: Vec<&str> = told.list("changes").iter().map(|one| one.text("type")).collect();
    let expected = ["page_created", "page_deleted", "page_edited", "page_moved"];
    let mut sorted = kinds.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, expected, "{told}");
    let edited = told.list("changes").iter().find(|one| one["type"] == "page_edited").unwrap();
    assert_eq!(edited["attributes"]["title"], json!({ "before": "On Linux", "after": "On GNU/Linux" }));
    let first = world.ada.get(&format!("{request}/changes?limit=1")).await.ok();
    assert_eq!((first["changes"].as_array().map(Vec::len), &first["more"]), (Some(1), &json!(3)));
    let result = merged(&world.ada, &request).await;
    let of_merge = format!("/spaces/{space}/revisions/{}/changes", result.text("revision"));
    let of_merge = world.ada.get(&of_merge).await.ok();
    assert_eq!(of_merge["changes"], told["changes"]);
    assert_eq!(of_merge["mergedFrom"]["subject"], "Many");
}

#[acceptance::test]
async fn a_template_can_be_proposed(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let body = json!({ "subject": "News", "template": { "id": "release-notes" } });
    let new = world.ada.post(&format!("/spaces/{space}/change-requests"), body).await.expect(201);
    assert_ne!(new["revision"], new["revisionInitial"]);
    let count = async |path: String| world.ada.get(&path).await.ok().list("pages").len();
    let primary = count(format!("/spaces/{space}/content/pages")).await;
    assert!(count(format!("/spaces/{space}/change-requests/1/content/pages")).await > primary);
    let other = propose(&world.ada, &space, "Later").await;
    let apply = json!({ "id": "release-notes", "changeRequestId": "2" });
    world.ada.post(&format!("/spaces/{space}/content/template"), apply).await.expect(201);
    assert!(count(format!("{other}/content/pages")).await > primary);
    assert_eq!(count(format!("/spaces/{space}/content/pages")).await, primary);
    let nowhere = json!({ "id": "release-notes", "changeRequestId": "77" });
    let message = world.ada.post(&format!("/spaces/{space}/content/template"), nowhere).await.error(400);
    assert!(message.starts_with("changeRequestId:"), "{message}");
}
