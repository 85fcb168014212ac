use acceptance::{Editor, Fields, Fixture, World};
use domain::access::{Membership, Role};
use serde_json::{Value, json};

/// The page with a title, at any depth.
fn page<'a>(pages: &'a Value, title: &str) -> &'a Value {
    fn find<'a>(pages: &'a Value, title: &str) -> Option<&'a Value> {
        pages.as_array()?.iter().find_map(
            |page| {
                if page["title"] == title { Some(page) } else { find(&page["pages"], title) }
            },
        )
    }
    find(pages, title).unwrap_or_else(|| panic!("no page {title} in {pages}"))
}

#[acceptance::test]
async fn pages_have_the_order_and_nesting_of_the_table_of_contents(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let listed = world.ada.get(&format!("/spaces/{space}/content/pages")).await.ok();
    let outline = |pages: &Value| -> Vec<String> {
        pages.as_array().unwrap().iter().map(|page| format!("{}:{}", page.text("type"), page.text("title"))).collect()
    };
    assert_eq!(outline(&listed["pages"]), ["document:Engine Guide", "document:Install", "group:Reference"]);
    assert_eq!(outline(&page(&listed["pages"], "Install")["pages"]), ["document:On Linux", "document:On macOS"]);
    assert_eq!(outline(&page(&listed["pages"], "Reference")["pages"]), ["document:Options", "link:Project"]);
    let linux = page(&listed["pages"], "On Linux");
    assert_eq!(linux["path"], "install/linux");
    assert_eq!(linux["slug"], "linux");
    assert_eq!(linux["kind"], "sheet");
    assert_eq!(linux["tags"], json!([]));
    assert_eq!(linux["git"]["path"], "install/linux.md");
    assert!(linux["layout"]["tableOfContents"].as_bool().unwrap());
    assert!(linux["urls"]["app"].is_string() && linux["documentId"].is_string());
    assert_eq!(
        page(&listed["pages"], "Project")["target"],
        json!({"kind": "url", "url": "https://example.org/project"})
    );
}

#[acceptance::test]
async fn metadata_can_be_left_out(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let listed = world.ada.get(&format!("/spaces/{space}/content/pages?metadata=false&computed=false")).await.ok();
    assert!(page(&listed["pages"], "On Linux").get("git").is_none());
    let message = world.ada.get(&format!("/spaces/{space}/content/pages?metadata=maybe")).await.error(400);
    assert!(message.contains("metadata"), "{message}");
}

#[acceptance::test]
async fn a_page_is_read_as_markdown_with_links_between_pages(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let listed = world.ada.get(&format!("/spaces/{space}/content/pages")).await.ok();
    let id = |title| page(&listed["pages"], title).id().to_owned();
    let path = format!("/spaces/{space}/content/page/{}", id("On Linux"));
    let read = world.ada.get(&format!("{path}?format=markdown")).await.ok();
    let markdown = read.text("markdown");
    assert!(markdown.contains("Run `apt install engine`."), "{markdown}");
    assert!(markdown.contains("[the options](../reference/options.md#verbose)"), "{markdown}");
    assert!(read.get("document").is_none(), "only one format is returned");
    let stable = world.ada.get(&format!("{path}?format=markdown&format.markdown.refs=stable")).await.ok();
    let link = format!("[the options](/pages/{}#verbose)", id("Options"));
    assert!(stable.text("markdown").contains(&link), "{stable}");
}

#[acceptance::test]
async fn a_page_is_read_as_blocks_with_keys(world: World) {
    let space = world.import(&Fixture::guide()).await;
    for query in ["", "?format=document"] {
        let read = world.ada.get(&format!("/spaces/{space}/content/path/options{query}")).await;
        read.error(404);
        let read = world.ada.get(&format!("/spaces/{space}/content/path/reference/options{query}")).await.ok();
        let document = &read["document"];
        assert_eq!(document["object"], "document");
        let types: Vec<_> = document.list("nodes").iter().map(|node| node.text("type")).collect();
        assert_eq!(types, ["heading-1", "paragraph", "table"]);
        assert!(document["nodes"][0]["key"].is_string());
        assert!(read.get("markdown").is_none());
    }
}

#[acceptance::test]
#[case("install%2Flinux", "On Linux")]
#[case("install/linux", "On Linux")]
#[case("install", "Install")]
#[case("reference", "Reference")]
async fn a_page_is_found_by_its_path(world: &World, #[case] path: &str, #[case] title: &str) {
    let space = world.import(&Fixture::guide()).await;
    let read = world.ada.get(&format!("/spaces/{space}/content/path/{path}")).await.ok();
    assert_eq!(read["title"], title);
    world.ada.get(&format!("/spaces/{space}/content/path/{path}/nothing")).await.error(404);
}

#[acceptance::test]
async fn expressions_and_included_content_are_put_in_place_on_demand(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let linux = format!("/spaces/{space}/content/path/install/linux?format=markdown");
    let plain = world.ada.get(&linux).await.ok();
    assert!(plain.text("markdown").contains("space.vars.version"), "{plain}");
    for evaluated in ["true", "deterministic-only"] {
        let read = world.ada.get(&format!("{linux}&evaluated={evaluated}")).await.ok();
        assert!(read.text("markdown").contains("Version 1.2 is the newest"), "{read}");
    }
    let install = format!("/spaces/{space}/content/path/install?format=markdown");
    assert!(!world.ada.get(&install).await.ok().text("markdown").contains("Mind the gears"));
    for dereferenced in ["true", "reusable-contents"] {
        let read = world.ada.get(&format!("{install}&dereferenced={dereferenced}")).await.ok();
        assert!(read.text("markdown").contains("Mind the gears."), "{read}");
    }
    let message = world.ada.get(&format!("{install}&evaluated=perhaps")).await.error(400);
    assert!(message.contains("evaluated"), "{message}");
    let message = world.ada.get(&format!("{install}&format=pdf")).await.error(400);
    assert!(message.contains("format"), "{message}");
}

#[acceptance::test]
async fn a_template_adds_its_pages(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let path = format!("/spaces/{space}/content/template");
    let refs = json!({"api": {"kind": "url", "url": "https://example.org/api"}});
    let body = json!({"id": "product-guide", "params": {"contentRefs": refs}});
    let answer = world.ada.post(&path, body).await;
    assert!(answer.bytes.is_empty());
    answer.expect(201);
    let listed = world.ada.get(&format!("/spaces/{space}/content/pages")).await.ok();
    assert_eq!(listed.list("pages").len(), 4);
    let read = world.ada.get(&format!("/spaces/{space}/content/path/guide?format=markdown")).await.ok();
    assert!(read.text("markdown").contains("(https://example.org/api)"), "{read}");
    let message = world.ada.post(&path, json!({"id": "nothing"})).await.error(400);
    assert!(message.contains("id") && message.contains("getting-started"), "{message}");
    world.ada.patch(&format!("/spaces/{space}"), json!({"editMode": "locked"})).await.ok();
    world.ada.post(&path, json!({"id": "product-guide"})).await.error(409);
}

#[acceptance::test]
async fn a_page_that_is_not_cached_is_read_in_the_unit_of_work_that_checked_the_access(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let path = format!("/spaces/{space}/content/path/install/linux");
    let (bob, carol) = (world.member("bob", Some(Role::Read)).await, world.member("carol", Some(Role::Read)).await);
    let (first, statements) = world.counted(bob.get(&path)).await;
    let (again, of_a_hit) = world.counted(carol.get(&path)).await;
    assert_eq!(first.ok(), again.ok());
    assert_eq!(statements, of_a_hit + 1, "only the revision is loaded in addition; its objects are in memory");
}

/// Responses are cached, so a cached response must not reach other callers or outlive a change.
#[acceptance::test]
async fn a_cached_response_is_shown_to_readers_only_and_until_a_change(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let listed = world.ada.get(&format!("/spaces/{space}/content/pages")).await.ok();
    let id = page(&listed["pages"], "On Linux").id().to_owned();
    let path = format!("/spaces/{space}/content/page/{id}");
    let (bob, eve) = (world.member("bob", Some(Role::Read)).await, world.stranger("eve").await);
    let first = world.ada.get(&path).await.ok();
    assert_eq!(bob.get(&path).await.ok(), first);
    assert_ne!(bob.get(&format!("{path}?format=markdown")).await.ok(), first);
    eve.get(&path).await.error(404);

    let editor = Editor::of(&world, &world.ada, &space).await;
    let proposal = editor.propose("Another text").await;
    let proposed =
        format!("/spaces/{space}/change-requests/{}/content/page/{id}", editor.get(&proposal).await.request.id);
    let before = bob.get(&proposed).await.ok();
    assert_eq!(before["document"], first["document"]);
    editor.rewrite(&proposal, &id, "Another text.").await;
    assert_ne!(bob.get(&proposed).await.ok()["document"], first["document"]);
    assert_eq!(bob.get(&path).await.ok(), first);
    editor.merge(&proposal).await.unwrap();
    let second = bob.get(&path).await.ok();
    assert_eq!(second["document"], bob.get(&proposed).await.ok()["document"]);
    assert_ne!(second["document"], first["document"]);

    world.set_membership(bob.user.as_ref().unwrap(), Membership { role: Some(Role::Read), disabled: true }).await;
    bob.get(&path).await.error(404);
    assert_eq!(world.ada.get(&path).await.ok(), second);
}
