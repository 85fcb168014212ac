//! Search for visitors.
use super::text;
use crate::urls::{BASE, adaptive, docs};
use acceptance::{Backend, Fields, Fixture, World};
use serde_json::{Value, json};

async fn find(world: &World, query: &str) -> Value {
    let json = |request: actix_web::test::TestRequest| request.insert_header(("Accept", "application/json"));
    let answer = world.browse_with(&format!("{BASE}/~/search?{query}"), json).await;
    assert_eq!(answer.header("x-robots-tag"), Some("noindex"));
    answer.ok()
}

fn hrefs(found: &Value) -> Vec<&str> {
    found.list("items").iter().map(|item| item.text("href")).collect()
}

#[acceptance::test]
async fn a_search_finds_pages_sections_and_mistyped_words(world: World) {
    docs(&world, "public").await;
    let found = find(&world, "q=updating%20packages").await;
    assert_eq!(hrefs(&found)[0], "/s/docs/install/linux");
    let sections = found["items"][0].list("sections");
    assert!(sections.iter().any(|section| section["href"] == "/s/docs/install/linux#updating-packages"), "{found}");
    assert_eq!(hrefs(&find(&world, "q=algebriac").await), ["/s/docs/"]);
    assert_eq!(find(&world, "q=").await["items"], json!([]));
    assert_eq!(find(&world, "q=nothingatall").await["items"], json!([]));
    let long = "x".repeat(600);
    text(world.browse(&format!("{BASE}/~/search?q={long}")).await, 400);
    let as_json = |request: actix_web::test::TestRequest| request.insert_header(("Accept", "application/json"));
    let refused = world.browse_with(&format!("{BASE}/~/search?q={long}"), as_json).await;
    assert_eq!(refused.header("content-type"), Some("application/json"));
    refused.error(400);
}

#[acceptance::test]
async fn a_result_has_of_cards_what_readers_see(world: World) {
    let (_, space) = docs(&world, "public").await;
    let cards = "# Cards\n\n<table data-view=\"cards\"><thead><tr><th>Title</th><th>About</th>\
                 <th data-hidden data-card-cover data-type=\"files\">Cover</th></tr></thead><tbody><tr>\
                 <td>Barograph</td><td>Draws the pressure</td><td><a href=\"cover.svg\">cover.svg</a></td>\
                 </tr></tbody></table>\n";
    let picture = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"1\" height=\"1\"/>";
    world.import_into(&space, &Fixture::new("guide", [("README.md", cards), ("cover.svg", picture)])).await;
    let page = text(world.browse(&format!("{BASE}/")).await, 200);
    assert!(page.contains("<div class=\"o-cover\"><img "), "the card has its cover: {page}");
    let found = find(&world, "q=barograph").await;
    let shown = found["items"][0].list("sections")[0].text("text").split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(shown, "Barograph Draws the pressure", "{found}");
}

#[acceptance::test]
async fn the_scope_of_a_search_is_what_the_visitor_reads_or_all(world: World) {
    let (site, _) = docs(&world, "public").await;
    let other = world.import(&Fixture::new("v2", [("README.md", "# Two\n\nThe barometer falls.\n")])).await;
    let variant = json!({"spaceId": other.as_str(), "title": "Version 2"});
    let variant = world.ada.post(&format!("{site}/site-spaces"), variant).await.expect(201);
    assert_eq!(find(&world, "q=barometer").await["items"], json!([]));
    assert_eq!(hrefs(&find(&world, "q=barometer&scope=all").await), ["/s/docs/version-2"]);
    assert_eq!(hrefs(&find(&world, &format!("q=barometer&variant={}", variant.id())).await), ["/s/docs/version-2"]);
}

#[acceptance::test]
async fn results_are_a_page_without_scripts_too(world: World) {
    docs(&world, "public").await;
    let page = text(world.browse(&format!("{BASE}/~/search?q=packages")).await, 200);
    assert!(page.contains("href=\"/s/docs/install/linux#updating-packages\"") && page.contains("<mark>"), "{page}");
    let hostile = text(world.browse(&format!("{BASE}/~/search?q=%22%3E%3Cscript%3Ealert(1)%3C/script%3E")).await, 200);
    assert!(!hostile.contains("<script>alert"), "{hostile}");
}

#[acceptance::test]
async fn better_pages_that_are_hidden_leave_room_for_those_that_are_not(world: World) {
    let hidden = |number: usize| {
        let field = if number < 30 { "noIndex: true" } else { "if: visitor.claims.plan === 'pro'" };
        let text = format!("---\n{field}\n---\n# Gearbox {number}\n\nThe gearbox is a gearbox.\n");
        (format!("gearbox-{number}.md"), text)
    };
    let filler = "Other words are here. ".repeat(30);
    let shown = |number: usize| (format!("shown-{number}.md"), format!("# Page\n\n{filler}The gearbox.\n"));
    let files: Vec<(String, String)> = (0..60).map(hidden).chain((0..3).map(shown)).collect();
    let files = files.iter().map(|(path, text)| (path.as_str(), text.as_str()));
    let space = world.import(&Fixture::new("handbook", files)).await;
    let site = crate::sites::site(&world, json!({"title": "Docs", "spaces": [space.as_str()]})).await;
    world.ada.post(&format!("{site}/publish"), json!({})).await.ok();
    for adapts in [false, true] {
        if adapts {
            adaptive(&world, &site).await;
        }
        let found = find(&world, "q=gearbox").await;
        let mut found = hrefs(&found);
        found.sort_unstable();
        assert_eq!(found, ["/s/docs/shown-0", "/s/docs/shown-1", "/s/docs/shown-2"], "adaptive: {adapts}");
    }
}

#[acceptance::test]
async fn a_search_reads_the_adaptive_texts_of_many_hits_with_few_statements(backend: Backend) {
    let mut counts = Vec::new();
    for length in [2, 60] {
        // Without objects in memory, each read is a statement.
        let Some(world) = World::with_object_cache(backend, 1).await else { return };
        let page = |number: usize| {
            let include = format!("{{% include \".gitbook/includes/note-{number}.md\" %}}");
            let plan = "{% if visitor.claims.plan == \"pro\" %}\nThe gearbox.\n{% endif %}";
            // Of every three pages, the visitor finds the words of one.
            let shown = if number.is_multiple_of(3) { "The gearbox." } else { "Words." };
            let text = format!("# Page {number}\n\n{shown}\n\n{plan}\n\n{include}\n");
            let note = format!("---\ntitle: Note {number}\n---\n\nNote {number}.\n");
            [(format!("page-{number}.md"), text), (format!(".gitbook/includes/note-{number}.md"), note)]
        };
        let files: Vec<(String, String)> = (0..length).flat_map(page).collect();
        let files = files.iter().map(|(path, text)| (path.as_str(), text.as_str()));
        let space = world.import(&Fixture::new("handbook", files)).await;
        let site = crate::sites::site(&world, json!({"title": "Docs", "spaces": [space.as_str()]})).await;
        world.ada.post(&format!("{site}/publish"), json!({})).await.ok();
        adaptive(&world, &site).await;
        let (found, statements) = world.counted(find(&world, "q=gearbox")).await;
        assert_eq!(found.list("items").len(), length.div_ceil(3), "{found}");
        counts.push(statements);
    }
    // One for each hit would be 58 more.
    assert!(counts[1] <= counts[0] + 30, "{counts:?} statements");
}
