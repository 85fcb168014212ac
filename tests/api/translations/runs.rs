//! Runs of translations: the requests to the engine, and the changes of the target.
use super::{Target, change, note, translate};
use crate::change_requests::{edit, markdown, merged, propose};
use acceptance::{Fields, Fixture, ScriptedAnswer, World, accented};
use chrono::TimeDelta;
use domain::job::Task;
use domain::ports::EngineError;
use domain::usecases::jobs::JobResult;
use serde_json::{Value, json};
use std::time::Duration;

/// A page's Markdown without its title.
pub(super) fn body(markdown: &str) -> &str {
    markdown.strip_prefix("# ").and_then(|rest| rest.split_once("\n\n")).map_or(markdown, |(_, body)| body)
}

#[acceptance::test]
async fn the_first_run_creates_a_private_space_with_the_same_pages(world: World) {
    let collection = world.collection(json!({"title": "Guides"})).await;
    let space = world.import(&Fixture::guide()).await;
    world.ada.post(&format!("/spaces/{space}/move"), json!({"parent": collection})).await.ok();
    let path = translate(&world, &space, "de").await;
    let target = Target::of(&world, &path).await;
    let shown = world.ada.get(&path).await.ok();
    assert_eq!((&shown["status"], &shown["untranslated"], shown.get("error")), (&json!("completed"), &json!(0), None));
    let made = world.ada.get(&target.path).await.ok();
    assert_eq!(shown["result"], json!({"space": target.id, "revision": made["revision"], "language": "de"}));
    assert_eq!(
        (&made["title"], &made["language"], &made["visibility"]),
        (&json!("guide (de)"), &json!("de"), &json!("private"))
    );
    assert_eq!(made["parent"], json!(collection));
    let outline = async |space: &str| {
        let pages = world.ada.get(&format!("{space}/content/pages")).await.ok();
        let mut found = Vec::new();
        let mut waiting: Vec<Value> = pages.list("pages").to_vec();
        while let Some(page) = waiting.pop() {
            found.push(json!([page["id"], page["slug"], page["path"], page["type"]]));
            waiting.extend(page["pages"].as_array().into_iter().flatten().cloned());
        }
        found
    };
    let source = format!("/spaces/{space}");
    assert_eq!(outline(&target.path).await, outline(&source).await);
    let page = world.page(&space, "install/linux").await;
    let text = markdown(&world.ada, &target.path, &page).await;
    assert!(text.contains("`apt install engine`") && text.contains(&accented("is the newest")), "{text}");
    assert!(text.contains("options.md#verbose") && text.contains("(https://example.org/)"), "{text}");
    assert!(text.contains("updating-packages"), "the anchor stays: {text}");
    let read = world.ada.get(&format!("{}/content/page/{page}", target.path)).await.ok();
    assert_eq!(read["title"], accented("On Linux"));
    let stats = &shown["stats"];
    assert_eq!((&stats["runs"], &stats["latestWords"]), (&json!(1), &stats["totalWords"]));
    assert!(stats["latestWords"].as_u64().unwrap() > 40 && stats["latestPages"].as_u64().unwrap() >= 6, "{stats}");
}

#[acceptance::test]
async fn a_run_requests_only_texts_that_are_not_in_the_memory(world: World) {
    let space = world.import(&Fixture::pages(4, "engine")).await;
    let path = translate(&world, &space, "de").await;
    let target = Target::of(&world, &path).await;
    assert!(world.translator.texts().len() > 12);
    // Nothing has changed.
    let before = world.ada.get(&target.path).await.ok()["revision"].clone();
    world.ada.post(&format!("{path}/run"), json!({})).await.expect(204);
    assert_eq!(world.ada.get(&path).await.ok()["status"], "pending");
    world.work().await;
    let shown = world.ada.get(&path).await.ok();
    assert_eq!(world.translator.texts(), Vec::<String>::new());
    assert_eq!(world.ada.get(&target.path).await.ok()["revision"], before, "no revision is written");
    let stats = &shown["stats"];
    assert_eq!((&stats["runs"], &stats["latestWords"], &stats["latestPages"]), (&json!(2), &json!(0), &json!(0)));
    // One text has another word: the run follows by itself.
    let page = world.page(&space, "page-002").await;
    change(&world, &space, &page, "The engine engine2 stops.\n\n## More of 2\n\nAnd on it runs.").await;
    assert_eq!(world.ada.get(&path).await.ok()["status"], "pending");
    assert!(world.work().await.is_empty(), "a burst of changes is one run");
    world.pass(TimeDelta::seconds(60)).await;
    assert_eq!(world.translator.texts(), ["The engine engine2 stops."]);
    let shown = world.ada.get(&path).await.ok();
    assert_eq!(shown["status"], "completed");
    let stats = &shown["stats"];
    assert_eq!((&stats["runs"], &stats["latestWords"], &stats["latestPages"]), (&json!(3), &json!(4), &json!(1)));
    assert!(markdown(&world.ada, &target.path, &page).await.contains(&accented("stops.")));
    // A page moves.
    let request = propose(&world.ada, &space, "").await;
    let into = world.page(&space, "page-001").await;
    edit(&world.ada, &request, json!([{"operation": "update_page", "page": page, "into": into}])).await.ok();
    merged(&world.ada, &request).await;
    world.pass(TimeDelta::seconds(60)).await;
    assert_eq!(world.translator.texts(), Vec::<String>::new());
    assert_eq!(world.page(&target.space(), "page-001/page-002").await, page);
}

#[acceptance::test]
async fn the_second_translation_into_a_language_is_free(world: World) {
    let space = world.import(&Fixture::pages(2, "engine")).await;
    translate(&world, &space, "de").await;
    world.work().await;
    assert!(!world.translator.texts().is_empty());
    let second = translate(&world, &space, "de").await;
    world.work().await;
    assert_eq!(world.translator.texts(), Vec::<String>::new());
    let shown = world.ada.get(&second).await.ok();
    assert_eq!((&shown["status"], &shown["stats"]["totalWords"]), (&json!("completed"), &json!(0)));
}

#[acceptance::test]
async fn a_changed_term_asks_for_the_texts_with_it_and_no_others(world: World) {
    let files = [("a.md", "# One\n\nThe cluster runs.\n"), ("b.md", "# Two\n\nThe node stops.\n")];
    let space = world.import(&Fixture::new("terms", files)).await;
    let path = translate(&world, &space, "de").await;
    world.work().await;
    world.translator.texts();
    let glossary = world.org("/translations-glossary");
    let insert = json!({"type": "insert", "translations": {"en": "cluster", "de": "Werk", "fr": "grappe"}});
    world.ada.put(&glossary, json!({"operations": [insert]})).await.expect(204);
    assert!(world.work().await.is_empty());
    world.ada.post(&format!("{path}/run"), json!({})).await.expect(204);
    world.work().await;
    assert_eq!(world.translator.texts(), ["The <x1/> runs."], "the engine obeys no glossary");
    let target = Target::of(&world, &path).await;
    let page = world.page(&space, "a").await;
    assert!(markdown(&world.ada, &target.path, &page).await.contains("Werk"));
    let id = world.ada.get(&glossary).await.ok()["items"][0].id().to_owned();
    for (terms, expected) in [(json!({"en": "cluster", "de": "Maschine"}), 1), (json!({"en": "cluster", "fr": "x"}), 0)]
    {
        let update = json!({"type": "update", "id": id, "translations": terms});
        world.ada.put(&glossary, json!({"operations": [update]})).await.expect(204);
        world.ada.post(&format!("{path}/run"), json!({})).await.expect(204);
        world.work().await;
        assert_eq!(world.translator.texts().len(), expected, "the text without the term is in the memory");
    }
}

#[acceptance::test]
async fn edits_of_people_are_kept_and_changes_of_both_sides_are_in_one_change_request(world: World) {
    let space = world.import(&Fixture::pages(3, "engine")).await;
    let path = translate(&world, &space, "de").await;
    let target = Target::of(&world, &path).await;
    let page = world.page(&space, "page-001").await;
    let text = markdown(&world.ada, &target.path, &page).await;
    let line = accented("The engine engine1 runs.");
    let human = text.replace(&line, "Die Maschine läuft.");
    assert_ne!(human, text);
    change(&world, &target.space(), &page, body(&human)).await;
    // The source changes elsewhere.
    let other = world.page(&space, "page-002").await;
    change(&world, &space, &other, "Another text of this page.").await;
    world.pass(TimeDelta::seconds(60)).await;
    assert!(markdown(&world.ada, &target.path, &page).await.contains("Die Maschine läuft."));
    assert!(markdown(&world.ada, &target.path, &other).await.contains(&accented("Another text of this page.")));
    assert_eq!(world.ada.get(&path).await.ok().get("changeRequest"), None);
    // The source changes the same text.
    let source = async |words: &str| {
        change(&world, &space, &page, &format!("{words}\n\n## More of 1\n\nAnd on it runs.")).await;
        world.pass(TimeDelta::seconds(60)).await;
    };
    source("The engine engine1 stops.").await;
    assert!(markdown(&world.ada, &target.path, &page).await.contains("Die Maschine läuft."), "the human text is live");
    let id = world.ada.get(&path).await.ok()["changeRequest"].as_str().unwrap().to_owned();
    let request = format!("{}/change-requests/{id}", target.path);
    let shown = world.ada.get(&request).await.ok();
    assert_eq!(shown["status"], "open");
    assert!(shown.text("subject").starts_with("Translation: "), "{shown}");
    assert!(markdown(&world.ada, &request, &page).await.contains(&accented("The engine engine1 stops.")));
    // A run without a change leaves it alone, and ends.
    let before = world.ada.get(&request).await.ok();
    world.ada.post(&format!("{path}/run"), json!({})).await.expect(204);
    world.work().await;
    let idle = world.ada.get(&path).await.ok();
    assert_eq!((&idle["status"], &idle["changeRequest"]), (&json!("completed"), &json!(id)));
    assert_eq!(world.ada.get(&request).await.ok(), before);
    // A later run brings it up to date.
    source("The engine engine1 stops soon.").await;
    assert_eq!(world.ada.get(&path).await.ok()["changeRequest"], json!(id));
    assert!(markdown(&world.ada, &request, &page).await.contains(&accented("The engine engine1 stops soon.")));
    assert_eq!(world.ada.get(&format!("{}/change-requests", target.path)).await.ok()["count"], 1);
    // Merging it is a decision.
    let done = merged(&world.ada, &request).await;
    assert_eq!(done["result"], "merge", "{done}");
    assert!(markdown(&world.ada, &target.path, &page).await.contains(&accented("The engine engine1 stops soon.")));
    assert_eq!(world.ada.get(&path).await.ok().get("changeRequest"), None, "it is not open");
    world.ada.post(&format!("{path}/run"), json!({})).await.expect(204);
    world.work().await;
    assert_eq!(world.ada.get(&path).await.ok().get("changeRequest"), None);
}

#[acceptance::test]
async fn archiving_the_change_request_keeps_the_text_of_people(world: World) {
    let space = world.import(&Fixture::pages(1, "engine")).await;
    let path = translate(&world, &space, "de").await;
    let target = Target::of(&world, &path).await;
    let page = world.page(&space, "page-000").await;
    let text = markdown(&world.ada, &target.path, &page).await;
    let human = text.replace(&accented("The engine engine0 runs."), "Von Menschen.");
    change(&world, &target.space(), &page, body(&human)).await;
    change(&world, &space, &page, "From the machine.\n\n## More of 0\n\nAnd on it runs.").await;
    world.pass(TimeDelta::seconds(60)).await;
    let id = world.ada.get(&path).await.ok()["changeRequest"].as_str().unwrap().to_owned();
    let request = format!("{}/change-requests/{id}", target.path);
    world.ada.patch(&request, json!({"status": "archived"})).await.ok();
    world.ada.post(&format!("{path}/run"), json!({})).await.expect(204);
    world.work().await;
    assert_eq!(world.ada.get(&path).await.ok().get("changeRequest"), None);
    assert!(markdown(&world.ada, &target.path, &page).await.contains("Von Menschen."));
}

#[acceptance::test]
async fn pages_of_people_are_kept_and_pages_removed_from_the_source_are_removed_unless_edited(world: World) {
    let space = world.import(&Fixture::pages(3, "engine")).await;
    let path = translate(&world, &space, "de").await;
    let target = Target::of(&world, &path).await;
    let request = propose(&world.ada, &target.space(), "").await;
    let new = json!([{"operation": "insert_page", "title": "Eigene", "document": {"markdown": "Nur hier."}}]);
    edit(&world.ada, &request, new).await.ok();
    merged(&world.ada, &request).await;
    let edited = world.page(&space, "page-001").await;
    change(&world, &target.space(), &edited, "Von Menschen.").await;
    let request = propose(&world.ada, &space, "").await;
    let gone = world.page(&space, "page-002").await;
    let delete = json!([{"operation": "delete_page", "page": edited}, {"operation": "delete_page", "page": gone}]);
    edit(&world.ada, &request, delete).await.ok();
    merged(&world.ada, &request).await;
    world.pass(TimeDelta::seconds(60)).await;
    world.ada.get(&format!("{}/content/path/eigene", target.path)).await.ok();
    world.ada.get(&format!("{}/content/page/{gone}", target.path)).await.error(404);
    assert!(markdown(&world.ada, &target.path, &edited).await.contains("Von Menschen."));
}

#[acceptance::test]
async fn an_interrupted_run_requests_no_text_twice(world: World) {
    let space = world.import(&Fixture::pages(6, "engine")).await;
    world.translator.change(|can| can.max_units = 2);
    let answer = |texts: &[String]| ScriptedAnswer::Texts(texts.iter().map(|text| Some(accented(text))).collect());
    let (count, failing) = (std::sync::atomic::AtomicUsize::new(0), 4);
    world.translator.rule(move |batch| {
        let number = count.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        // Each fourth request fails.
        Some(match number % failing {
            3 => ScriptedAnswer::Error(EngineError::Down("connection reset".to_owned())),
            _ => answer(&batch.texts),
        })
    });
    let path = translate(&world, &space, "de").await;
    for _ in 0..30 {
        world.pass(TimeDelta::seconds(20)).await;
    }
    let shown = world.ada.get(&path).await.ok();
    assert_eq!((&shown["status"], &shown["stats"]["runs"]), (&json!("completed"), &json!(1)), "{shown}");
    let asked = world.translator.asked();
    let failed = asked.iter().skip(3).step_by(failing).flat_map(|batch| &batch.texts);
    let mut texts: Vec<&String> = asked.iter().flat_map(|batch| &batch.texts).collect();
    for text in failed {
        let at = texts.iter().position(|known| *known == text).unwrap();
        texts.remove(at);
    }
    let all = texts.len();
    texts.sort();
    texts.dedup();
    assert_eq!(texts.len(), all, "each text that was answered was asked for once");
    let target = Target::of(&world, &path).await;
    let revisions = world.ada.get(&format!("{}/revisions", target.path)).await.ok();
    assert_eq!(revisions["count"], 2, "the empty one and that of the run: {revisions}");
}

#[acceptance::test]
#[case::busy(EngineError::Busy(Some(Duration::from_secs(90))), "engine_busy", Some(90))]
#[case::busy_without_a_time(EngineError::Busy(None), "engine_busy", Some(1))]
#[case::down(EngineError::Down("timeout".to_owned()), "engine_down", Some(1))]
#[case::denied(EngineError::Denied(401), "engine_denied", Some(3600))]
#[case::languages(EngineError::Languages { from: "en", to: "de" }, "engine_languages", None)]
async fn a_failed_run_waits_and_has_the_reason(
    world: World,
    #[case] error: EngineError,
    #[case] code: &str,
    #[case] seconds: Option<i64>,
) {
    let space = world.import(&Fixture::pages(1, "engine")).await;
    let path = translate(&world, &space, "de").await;
    world.translator.answer_next([ScriptedAnswer::Error(error)]);
    // The clock is stopped, since the waits are short.
    let now = world.services.clock.now();
    world.clock.set(now);
    world.work().await;
    let shown = world.ada.get(&path).await.ok();
    assert_eq!((&shown["status"], &shown["error"]["code"]), (&json!("pending"), &json!(code)), "{shown}");
    let retry = shown["error"]["retryAt"].as_str().map(|at| at.parse::<chrono::DateTime<chrono::Utc>>().unwrap());
    assert_eq!(retry.map(|at| (at - now).num_seconds()), seconds);
    world.translator.asked();
    if let Some(seconds) = seconds {
        world.pass(TimeDelta::seconds(seconds - 1)).await;
        assert_eq!(world.translator.asked().len(), 0, "it is not asked before");
        world.pass(TimeDelta::seconds(2)).await;
    } else {
        world.pass(TimeDelta::days(1)).await;
        assert_eq!(world.ada.get(&path).await.ok()["status"], "pending");
        world.ada.post(&format!("{path}/run"), json!({})).await.expect(204);
        world.work().await;
    }
    let shown = world.ada.get(&path).await.ok();
    assert_eq!((&shown["status"], shown.get("error")), (&json!("completed"), None), "{shown}");
}

#[acceptance::test]
async fn a_spent_quota_is_tried_again_at_midnight(world: World) {
    let space = world.import(&Fixture::pages(1, "engine")).await;
    let path = translate(&world, &space, "de").await;
    world.translator.answer_next([ScriptedAnswer::Error(EngineError::QuotaExceeded)]);
    world.work().await;
    let shown = world.ada.get(&path).await.ok();
    assert_eq!(shown["error"]["code"], "engine_spent");
    assert!(shown["error"].text("retryAt").contains("T00:00:00"), "{shown}");
    world.pass(TimeDelta::days(1)).await;
    assert_eq!(world.ada.get(&path).await.ok()["status"], "completed");
}

#[acceptance::test]
async fn an_engine_that_stays_down_is_tried_three_times_and_then_the_job_rests(world: World) {
    let space = world.import(&Fixture::pages(1, "engine")).await;
    let path = translate(&world, &space, "de").await;
    world.translator.rule(|_| Some(ScriptedAnswer::Error(EngineError::Down("no route".to_owned()))));
    let mut ran = world.work().await;
    for _ in 0..3 {
        ran.extend(world.pass(TimeDelta::seconds(20)).await);
    }
    let runs: Vec<&JobResult> =
        ran.iter().filter(|(task, _)| matches!(task, Task::Translate { .. })).map(|(_, ran)| ran).collect();
    assert!(matches!(runs[..], [JobResult::Later(_), JobResult::Later(_), JobResult::Failed(_), ..]), "{runs:?}");
    assert_eq!(world.ada.get(&path).await.ok()["status"], "pending");
}

#[acceptance::test]
async fn a_refused_text_costs_itself_only(world: World) {
    let space = world.import(&Fixture::pages(4, "engine")).await;
    world.translator.rule(|batch| {
        let poison = batch.texts.iter().any(|text| text.contains("engine2 runs"));
        poison.then_some(ScriptedAnswer::Error(EngineError::Refused(413)))
    });
    let path = translate(&world, &space, "de").await;
    let target = Target::of(&world, &path).await;
    let shown = world.ada.get(&path).await.ok();
    assert_eq!((&shown["status"], &shown["untranslated"]), (&json!("completed"), &json!(1)));
    let page = world.page(&space, "page-002").await;
    let text = markdown(&world.ada, &target.path, &page).await;
    assert!(text.contains("The engine engine2 runs.") && text.contains(&accented("And on it runs.")), "{text}");
    // It is asked for again by the next run.
    world.translator.rule(|_| None);
    world.translator.asked();
    world.ada.post(&format!("{path}/run"), json!({})).await.expect(204);
    world.work().await;
    assert_eq!(world.translator.texts(), ["The engine engine2 runs."]);
    assert_eq!(world.ada.get(&path).await.ok()["untranslated"], 0);
}

#[acceptance::test]
async fn an_answer_with_broken_tags_ends_whole_or_in_the_text_of_the_source(world: World) {
    let text = "# A\n\nSee **the bold words** and [a link](https://example.org/) with `code` here.\n";
    let space = world.import(&Fixture::new("a", [("a.md", text)])).await;
    for (breaks, from, to) in [
        ("lost", "<x3/>", ""),
        ("doubled", "<g1>", "<g1><g1>"),
        ("foreign", "<x3/>", "<x3/><x9/>"),
        ("script", "<x3/>", "<x3/><script>alert(1)</script>"),
        ("link", "<x3/>", "<x3/><a href=\"https://evil.example/\">x</a>"),
        ("crossed", "</g1>", "<g2></g1>"),
    ] {
        world.translator.rule(move |batch| {
            let answer = |text: &String| Some(accented(text).replace(from, to));
            Some(ScriptedAnswer::Texts(batch.texts.iter().map(answer).collect()))
        });
        let path = translate(&world, &space, "fr").await;
        world.ada.post(&format!("{path}/run"), json!({})).await.expect(204);
        let target = Target::of(&world, &path).await;
        let page = world.page(&space, "a").await;
        let text = markdown(&world.ada, &target.path, &page).await;
        assert!(text.contains("`code`") && text.contains("](https://example.org/)"), "{breaks}: {text}");
        assert!(!text.contains("evil") && !text.contains("<script>"), "{breaks}: {text}");
        assert_eq!(text.matches("**").count(), 2, "{breaks}: {text}");
        // The memory must not help the next one.
        world.ada.delete(&path).await.expect(205);
        let mut tx = world.services.store.write().await.unwrap();
        tx.translation_memory().remove_unused(world.services.clock.now() + TimeDelta::days(1), 1000).await.unwrap();
        tx.commit().await.unwrap();
    }
}

#[acceptance::test]
async fn an_engine_without_markup_translates_the_words_between_the_tags(world: World) {
    world.translator.change(|can| can.markup = domain::ports::Markup::None);
    let space = world.import(&Fixture::guide()).await;
    let path = translate(&world, &space, "de").await;
    let target = Target::of(&world, &path).await;
    assert!(world.translator.texts().iter().all(|text| !text.contains(['<', '⟨'])));
    assert_eq!(world.ada.get(&path).await.ok()["untranslated"], 0);
    let page = world.page(&space, "install/linux").await;
    let text = markdown(&world.ada, &target.path, &page).await;
    assert!(text.contains("`apt install engine`") && text.contains("options.md#verbose"), "{text}");
}

#[acceptance::test]
async fn a_language_model_sees_texts_only_if_the_organization_allows_it(world: World) {
    world.translator.change(|can| (can.language_model, can.instructions) = (true, true));
    let space = world.import(&Fixture::pages(1, "engine")).await;
    let body = json!({"source": {"space": space, "language": "en"}, "language": "de", "instructions": note("Say du.")});
    let id = world.ada.post(&world.org("/translations"), body).await.id();
    let path = world.org(&format!("/translations/{id}"));
    world.work().await;
    assert_eq!(world.ada.get(&path).await.ok()["error"]["code"], "language_models_off");
    assert!(world.translator.asked().is_empty());
    world.ada.patch(&world.org(""), json!({"ai": true})).await.ok();
    world.ada.post(&format!("{path}/run"), json!({})).await.expect(204);
    world.work().await;
    let asked = world.translator.asked();
    assert!(asked.iter().all(|batch| batch.instructions.as_deref() == Some("Say du.")) && !asked.is_empty());
    assert_eq!(world.ada.get(&path).await.ok()["status"], "completed");
    // Other instructions are other translations, for an engine that obeys them.
    world.ada.put(&path, json!({"instructions": note("Say Sie.")})).await.ok();
    world.ada.post(&format!("{path}/run"), json!({})).await.expect(204);
    world.work().await;
    assert_eq!(world.translator.texts().len(), asked.iter().map(|batch| batch.texts.len()).sum::<usize>());
}

#[acceptance::test]
async fn the_memory_is_never_read_across_organizations(world: World) {
    let space = world.import(&Fixture::pages(1, "engine")).await;
    translate(&world, &space, "de").await;
    world.work().await;
    let first = world.translator.texts();
    let other = world.ada.post("/orgs", json!({"title": "Another"})).await.id();
    world.ada.post(&format!("/spaces/{space}/transfer"), json!({"organization": other})).await.ok();
    let body = json!({"source": {"space": space, "language": "en"}, "language": "de"});
    world.ada.post(&format!("/orgs/{other}/translations"), body).await.expect(201);
    world.work().await;
    assert_eq!(world.translator.texts(), first);
}

#[acceptance::test]
async fn a_run_stops_for_a_user_who_is_no_administrator_any_more(world: World) {
    let bob = world.member("bob", Some(domain::access::Role::Admin)).await;
    let space = world.import(&Fixture::pages(1, "engine")).await;
    let body = json!({"source": {"space": space, "language": "en"}, "language": "de"});
    let id = bob.post(&world.org("/translations"), body).await.id();
    let path = world.org(&format!("/translations/{id}"));
    world.ada.patch(&world.org(&format!("/members/{}", bob.id())), json!({"role": "edit"})).await.ok();
    world.work().await;
    assert_eq!(world.ada.get(&path).await.ok()["error"]["code"], "access_lost");
    world.ada.post(&format!("{path}/run"), json!({})).await.expect(204);
    world.work().await;
    assert_eq!(world.ada.get(&path).await.ok()["status"], "completed");
}

#[acceptance::test]
async fn a_deleted_target_is_recreated_only_by_a_requested_run(world: World) {
    let space = world.import(&Fixture::pages(1, "engine")).await;
    let path = translate(&world, &space, "de").await;
    let target = Target::of(&world, &path).await;
    world.ada.delete(&target.path).await.expect(205);
    assert_eq!(world.ada.get(&path).await.ok().get("result"), None);
    let page = world.page(&space, "page-000").await;
    change(&world, &space, &page, "Another text.").await;
    world.pass(TimeDelta::minutes(5)).await;
    assert_eq!(world.ada.get(&path).await.ok().get("result"), None);
    world.ada.post(&format!("{path}/run"), json!({})).await.expect(204);
    let another = Target::of(&world, &path).await;
    assert_ne!(another.id, target.id);
    assert!(markdown(&world.ada, &another.path, &page).await.contains(&accented("Another text.")));
}

#[acceptance::test]
async fn a_deleted_source_is_an_error_until_it_is_restored(world: World) {
    let space = world.import(&Fixture::pages(1, "engine")).await;
    let path = translate(&world, &space, "de").await;
    world.work().await;
    world.ada.delete(&format!("/spaces/{space}")).await.expect(205);
    world.ada.post(&format!("{path}/run"), json!({})).await.expect(204);
    world.work().await;
    assert_eq!(world.ada.get(&path).await.ok()["error"]["code"], "source_missing");
    world.ada.post(&format!("/spaces/{space}/restore"), json!({})).await.ok();
    world.pass(TimeDelta::minutes(61)).await;
    assert_eq!(world.ada.get(&path).await.ok()["status"], "completed");
}

#[acceptance::test]
async fn a_second_translation_of_the_same_pages_sends_no_request_to_the_engine(world: World) {
    let space = world.import(&Fixture::pages(60, "engine")).await;
    translate(&world, &space, "de").await;
    world.work().await;
    assert!(!world.translator.asked().is_empty());
    let second = translate(&world, &space, "de").await;
    world.work().await;
    assert_eq!(world.ada.get(&second).await.ok()["status"], "completed");
    assert!(world.translator.asked().is_empty());
}
