//! The page with the changes of the newest versions of a spec, among its generated pages.
use super::{generated, generated_entry, newest, path, spec};
use crate::reader::text;
use acceptance::{Fields, Fixture, World};
use domain::id::SpaceId;
use domain::openapi_spec::{ChangelogEntry, OpenapiVersion};
use domain::paging::PageRequest;
use serde_json::{Value, json};

const FIRST: &str = r#"{"openapi":"3.1.0","info":{"title":"Pets","version":"1"},
    "paths":{"/pets":{"get":{"tags":["pets"],"summary":"List"},"delete":{"tags":["pets"]}},
        "/secret":{"get":{"x-internal":true}}}}"#;

const SECOND: &str = r#"{"openapi":"3.1.0","info":{"title":"Pets","version":"2"},
    "paths":{"/pets":{"get":{"tags":["pets"],"summary":"List all"},"put":{"tags":["pets"]}},
        "/secret":{"get":{"x-internal":true,"parameters":[{"in":"query","name":"hidden","required":true}]}}}}"#;

/// Ada sets the document of the spec `pets`, which is processed.
async fn publish(world: &World, document: &str) {
    let answer = world.ada.put(&path(world, "pets"), json!({"source": {"text": document}})).await;
    assert!(matches!(answer.status.as_u16(), 200 | 201), "{}", answer.status);
    world.work().await;
}

/// A space of the generated pages of the spec `pets`, with its changelog.
async fn space(world: &World) -> SpaceId {
    let source = generated(&newest(), &json!({"changelog": true}));
    world.space(json!({"title": "API", "computedSource": source})).await
}

/// The paths of the pages at the root of a space.
async fn paths(world: &World, space: &SpaceId) -> Vec<String> {
    let pages = world.ada.get(&format!("/spaces/{space}/content/pages")).await.ok();
    pages.list("pages").iter().map(|page| page.text("path").to_owned()).collect()
}

async fn page(world: &World, space: &SpaceId, rest: &str) -> Value {
    world.ada.get(&format!("/spaces/{space}/content/path/changelog{rest}")).await.ok()
}

/// The changelog of a space in Markdown.
async fn markdown(world: &World, space: &SpaceId) -> String {
    page(world, space, "?format=markdown").await.text("markdown").to_owned()
}

/// Checks that a text has these parts in this order.
#[track_caller]
fn has_in_order(text: &str, parts: &[&str]) {
    let mut rest = text;
    for part in parts {
        rest = rest.split_once(part).unwrap_or_else(|| panic!("{part:?} is missing or too early in {text}")).1;
    }
}

#[acceptance::test]
async fn the_changelog_of_a_spec_is_the_last_of_its_pages_once_it_has_two_versions(world: World) {
    publish(&world, FIRST).await;
    let space = space(&world).await;
    assert_eq!(paths(&world, &space).await, ["pets"]);
    publish(&world, SECOND).await;
    assert_eq!(paths(&world, &space).await, ["pets", "changelog"]);
    let without = generated(&newest(), &json!({"models": true}));
    let without = world.space(json!({"title": "API", "computedSource": without})).await;
    assert_eq!(paths(&world, &without).await, ["pets"]);

    let found = page(&world, &space, "").await;
    assert_eq!((found.text("title"), found.text("slug"), found.text("kind")), ("Changelog", "changelog", "sheet"));
    assert_eq!(found["computed"]["props"], json!({"doc": "changelog", "grouping": "by-tag"}));
    let by_id = format!("/spaces/{space}/content/page/{}", found.id());
    assert_eq!(world.ada.get(&by_id).await.ok(), found);

    // The same document again is another version.
    publish(&world, SECOND).await;
    let again = page(&world, &space, "").await;
    assert_eq!(again.id(), found.id());
    assert_ne!(again["computedSeed"], found["computedSeed"]);
    let expected =
        ["## Version 2", "Nothing that these pages show has changed.", "## Version 2", "removed", "## Version 1"];
    has_in_order(&markdown(&world, &space).await, &expected);
}

#[acceptance::test]
async fn a_changelog_lists_changes_by_level_and_links_to_operations(world: World) {
    publish(&world, FIRST).await;
    publish(&world, SECOND).await;
    let space = space(&world).await;
    let pets = world.ada.get(&format!("/spaces/{space}/content/path/pets")).await.ok();
    let today = world.services.clock.now().format("%Y-%m-%d");
    let text = markdown(&world, &space).await;
    let [newest, oldest] = [2, 1].map(|version| format!("## Version {version}, {today}"));
    let link = format!("[`PUT /pets`](/pages/{}): the operation was added", pets.id());
    let parts = [
        newest.as_str(),
        "### Breaking changes",
        "`DELETE /pets`: the operation was removed",
        "### Other changes",
        link.as_str(),
        "2 changes of descriptions and examples.",
        oldest.as_str(),
        "There is no earlier version to compare with.",
    ];
    has_in_order(&text, &parts);
    assert!(!text.contains("hidden") && !text.contains("/secret"), "internal operations are left out: {text}");
    let found = world.ada.get(&format!("/spaces/{space}/search?query=removed")).await.ok();
    assert_eq!(found["items"], json!([]));
}

#[acceptance::test]
async fn a_pinned_version_has_the_changes_up_to_it(world: World) {
    publish(&world, FIRST).await;
    let first = spec(&world, "pets").await.text("lastVersion").to_owned();
    publish(&world, SECOND).await;
    let second = spec(&world, "pets").await.text("lastVersion").to_owned();
    publish(&world, FIRST).await;
    for (version, expected, count) in [(first, vec!["pets"], 0), (second, vec!["pets", "changelog"], 2)] {
        let reference = json!({"kind": "openapi", "spec": "pets", "version": version});
        let source = generated(&reference, &json!({"changelog": true}));
        let space = world.space(json!({"title": "API", "computedSource": source})).await;
        assert_eq!(paths(&world, &space).await, expected);
        if count > 0 {
            assert_eq!(markdown(&world, &space).await.matches("\n## ").count() + 1, count);
        }
    }
}

#[acceptance::test]
async fn a_changelog_lists_ten_versions_with_as_many_statements_as_two(world: World) {
    publish(&world, FIRST).await;
    publish(&world, SECOND).await;
    let space = space(&world).await;
    let address = format!("/spaces/{space}/content/path/changelog?format=markdown");
    let read = async || {
        let answer = world.ada.get(&address).await.ok();
        answer.text("markdown").matches("## Version").count()
    };
    let counted = async || {
        // What the content consists of is in memory from the first time. After a commit, no response is.
        read().await;
        world.ada.post("/user/tokens", json!({"label": "another"})).await.expect(201);
        world.counted(read()).await
    };
    let (two, few) = counted().await;
    assert!(few > 3, "the response is not from a cache: {few} statements");
    for number in 3..14 {
        publish(&world, &SECOND.replace("\"version\":\"2\"", &format!("\"version\":\"{number}\""))).await;
    }
    let (ten, many) = counted().await;
    assert_eq!((two, ten), (2, 10));
    assert!(many <= few, "{many} statements for ten versions, {few} for two");
}

#[acceptance::test]
async fn a_changelog_is_previewed_without_a_page(world: World) {
    let space = world.space(json!({"empty": true})).await;
    let [revision, document] = ["revision", "document"].map(|what| format!("/spaces/{space}/content/computed/{what}"));
    let wanted = json!({"source": generated(&newest(), &json!({"changelog": true}))});
    let text = json!({"source": generated(&newest(), &json!({"doc": "changelog"}))});
    publish(&world, FIRST).await;
    assert_eq!(world.ada.post(&revision, wanted.clone()).await.ok().list("pages").len(), 1);
    world.ada.post(&document, text.clone()).await.error(404);
    publish(&world, SECOND).await;
    let pages = world.ada.post(&revision, wanted).await.ok();
    assert_eq!(pages.list("pages")[1]["computed"]["props"]["doc"], "changelog");
    let shown = world.ada.post(&document, text).await.ok();
    assert_eq!(shown["nodes"][0]["type"], "heading-1");
    assert!(!shown.to_string().contains("\"link\""), "there are no pages to link to: {shown}");
    let refused = json!({"source": generated(&newest(), &json!({"changelog": "yes"}))});
    assert!(world.ada.post(&revision, refused).await.error(400).starts_with("source.props: "));
}

#[acceptance::test]
async fn a_reader_finds_the_changelog_with_headings_and_links(world: World) {
    let entry = generated_entry(0, &["changelog"]);
    let summary = format!("# Table of contents\n\n* [Start](README.md)\n* [Changelog](changelog.md)\n{entry}");
    let files = [
        ("SUMMARY.md", summary.as_str()),
        ("README.md", "# Start\n\nBegin here.\n"),
        ("changelog.md", "# Changelog\n\nOf these pages.\n"),
    ];
    let space = world.import(&Fixture::new("docs", files)).await;
    let hostile = r#""parameters":[{"in":"query","name":"<script>alert(1)</script>"}],"summary""#;
    let hostile = SECOND.replace("\"summary\"", hostile);
    publish(&world, FIRST).await;
    publish(&world, &hostile).await;
    let body = json!({"title": "Docs", "visibility": "public", "spaces": [space.as_str()]});
    let site = crate::sites::site(&world, body).await;
    world.ada.post(&format!("{site}/publish"), json!({})).await.ok();
    // The page of the space keeps its slug.
    let page = text(world.browse("https://docs.test/s/docs/changelog-1").await, 200);
    let parts = ["id=\"version-2-", "id=\"breaking-changes\"", "<code>DELETE /pets</code>", "id=\"other-changes\""];
    has_in_order(&page, &parts);
    assert!(page.contains("<code>PUT /pets</code></a>") && page.contains("href=\"/s/docs/pets\""), "{page}");
    assert!(page.contains("&lt;script&gt;alert(1)") && !page.contains("<script>alert(1)"), "{page}");
    let own = text(world.browse("https://docs.test/s/docs/changelog").await, 200);
    assert!(own.contains("Of these pages."), "{own}");
}

#[acceptance::test]
async fn what_a_changelog_lists_is_made_again_with_a_version_of_an_earlier_engine(world: World) {
    publish(&world, FIRST).await;
    publish(&world, SECOND).await;
    let space = space(&world).await;
    let before = markdown(&world, &space).await;
    let mut tx = world.services.store.write().await.unwrap();
    let spec = tx.openapi_specs().find(&world.organization, &"pets".parse().unwrap()).await.unwrap().unwrap();
    let versions = tx.openapi_specs().versions(&spec.id, &PageRequest::default()).await.unwrap().items;
    for version in versions {
        tx.openapi_specs().renew_version(&OpenapiVersion { engine: 0, ..version.clone() }).await.unwrap();
        tx.openapi_specs().set_changelog(&version.id, &ChangelogEntry::default()).await.unwrap();
    }
    tx.commit().await.unwrap();
    assert!(!markdown(&world, &space).await.contains("Breaking"));
    world.jobs.renew().await.unwrap();
    world.work().await;
    assert_eq!(markdown(&world, &space).await, before);
}
