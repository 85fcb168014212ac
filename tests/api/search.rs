use acceptance::{Fields, Fixture, World};
use domain::access::Role;
use serde_json::json;

async fn titles(world: &World, path: &str) -> Vec<String> {
    let found = world.ada.get(path).await.ok();
    found.list("items").iter().map(|item| item.text("title").to_owned()).collect()
}

#[acceptance::test]
#[case::a_word_in_an_included_text("gears", &["Install"])]
#[case::in_a_title_and_a_text("linux", &["Install", "On Linux"])]
#[case::in_the_text("algebraic", &["Engine Guide"])]
#[case::the_beginning_of_a_word("macO", &["On macOS"])]
#[case::one_letter_wrong("algabraic", &["Engine Guide"])]
#[case::two_letters_swapped("pacakge", &["On macOS"])]
#[case::nothing_like_it("xylophone", &[])]
#[case::only_marks("\"' * ( - :", &[])]
async fn pages_are_found(world: &World, #[case] query: &str, #[case] expected: &[&str]) {
    let space = world.import(&Fixture::guide()).await;
    let query: String = url_encoded(query);
    let mut found = titles(world, &format!("/spaces/{space}/search?query={query}")).await;
    found.sort();
    assert_eq!(found, expected);
}

fn url_encoded(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

#[acceptance::test]
async fn a_result_has_its_rank(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let found = world.ada.get(&format!("/spaces/{space}/search?query=updating%20packages")).await.ok();
    let item = &found["items"][0];
    assert_eq!(item["title"], "On Linux");
    assert_eq!(item["path"], "install/linux");
    assert_eq!(item["ancestors"], json!([{"title": "Install"}]));
    assert_eq!(item["rank"], 1);
    assert!(item["score"].as_f64().unwrap() > 0.0 && item["description"].is_string());
    assert!(item["urls"]["app"].is_string());
    let section = &item["sections"][0];
    assert_eq!(section["title"], "Updating packages");
    assert!(section.text("path").ends_with("#updating-packages"), "{section}");
    assert!(section["score"].is_number() && section["body"].is_string() && section["urls"]["app"].is_string());
}

#[acceptance::test]
#[case("", "query")]
#[case("?query=", "")]
#[case("?query=x&limit=-1", "limit")]
#[case("?query=x&limit=1001", "limit")]
#[case("?query=x&page=mine", "page")]
async fn a_bad_query_is_named(world: &World, #[case] query: &str, #[case] field: &str) {
    let space = world.import(&Fixture::guide()).await;
    let answer = world.ada.get(&format!("/spaces/{space}/search{query}")).await;
    if field.is_empty() {
        assert_eq!(answer.ok()["items"], json!([]));
    } else {
        let message = answer.error(400);
        assert!(message.contains(field), "{message}");
    }
}

#[acceptance::test]
async fn a_query_may_have_512_characters(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let path = format!("/spaces/{space}/search?query=");
    world.ada.get(&format!("{path}{}", "x".repeat(512))).await.ok();
    let message = world.ada.get(&format!("{path}{}", "x".repeat(513))).await.error(400);
    assert!(message.contains("query"), "{message}");
}

#[acceptance::test]
async fn what_is_imported_anew_replaces_what_was_found(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let changed = Fixture::new("guide", [("README.md", "# Engine Guide\n\nOf xylophones only.\n")]);
    let destination = domain::usecases::content::Destination::Space(space.clone());
    let import = world.services.content.import(&domain::actor::Actor::Operator, destination, &changed, &|_| {}).await;
    assert_eq!(import.unwrap().report.pages, 1);
    assert_eq!(titles(&world, &format!("/spaces/{space}/search?query=xylophone")).await, ["Engine Guide"]);
    assert_eq!(titles(&world, &format!("/spaces/{space}/search?query=linux")).await, [""; 0]);
}

#[acceptance::test]
async fn a_search_stays_in_its_space(world: World) {
    world.import(&Fixture::guide()).await;
    let other = world.space(json!({})).await;
    let path = format!("/spaces/{other}/search?query=linux");
    assert_eq!(titles(&world, &path).await, [""; 0]);
}

#[acceptance::test]
async fn a_space_that_changes_its_language_is_searched_in_the_new_one(world: World) {
    // One is indexed in one unit of work, the other in several.
    for pages in [1, 60] {
        let files: Vec<(String, String)> = (0..pages)
            .map(|page| (format!("page-{page}.md"), format!("# Page {page}\n\nAlle Verwendungen sind erlaubt.\n")))
            .collect();
        let files = files.iter().map(|(name, text)| (name.as_str(), text.as_str()));
        let space = world.import(&Fixture::new("docs", files)).await;
        let search = format!("/spaces/{space}/search?query=verwenden&limit=100");
        assert_eq!(titles(&world, &search).await, Vec::<String>::new(), "in English these are two words");
        for (language, found) in [(json!("de"), pages), (json!(null), 0), (json!("de"), pages)] {
            world.ada.patch(&format!("/spaces/{space}"), json!({"language": language})).await.ok();
            assert_eq!(titles(&world, &search).await.len(), found, "{language}");
        }
    }
}

#[acceptance::test]
async fn an_organization_is_searched_as_far_as_the_caller_may_read(world: World) {
    let (open, shut) = (world.import(&Fixture::guide()).await, world.import(&Fixture::guide()).await);
    world.ada.patch(&format!("/spaces/{shut}"), json!({"title": "Shut", "defaultLevel": null})).await.ok();
    world.ada.post(&world.org("/spaces"), json!({"title": "Empty"})).await.expect(201);
    let path = world.org("/search?query=algebraic");
    let found = world.ada.get(&path).await.ok();
    let items = found.list("items");
    assert_eq!(items.len(), 2, "spaces without matches are omitted");
    for item in items {
        assert_eq!((&item["type"], &item["pages"][0]["title"]), (&json!("space"), &json!("Engine Guide")));
        assert_eq!(item["score"], item["pages"][0]["score"]);
        assert!(item["pages"][0]["urls"].text("app").contains(item.id()));
    }
    let first = world.ada.get(&format!("{path}&limit=1")).await.ok();
    let next = first["next"].text("page");
    let second = world.ada.get(&format!("{path}&limit=1&page={next}")).await.ok();
    assert_eq!(json!([first["items"][0], second["items"][0]]), found["items"]);
    let (member, guest) = (world.member("mia", Some(Role::Read)).await, world.member("gus", None).await);
    let seen = member.get(&path).await.ok();
    assert_eq!(seen.list("items").len(), 1);
    assert_eq!(seen["items"][0]["id"], open.as_str());
    assert_eq!(guest.get(&path).await.ok()["items"], json!([]));
    let corrected = member.get(&world.org("/search?query=algabraic")).await.ok();
    assert_eq!(corrected["items"][0]["pages"][0]["title"], "Engine Guide");
    world.ada.get(&world.org(&format!("/search?query={}", "x".repeat(513)))).await.error(400);
    world.ada.get(&world.org(&format!("/search?query={}", "x".repeat(512)))).await.ok();
    world.stranger("sam").await.get(&path).await.error(404);
}
