//! An engine whose answers are mostly nonsense, as those of a small language model are.
use super::{Target, translate};
use crate::change_requests::markdown;
use acceptance::{Fixture, ScriptedAnswer, World, accented};
use serde_json::json;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Answers that fail a check, each in its own way. All have this word, or no word.
const WORD: &str = "zzznonsense";
const NONSENSE: [&str; 5] =
    ["``` zzznonsense ```", "zzznonsense \u{7}", "zzznonsense <x99/>", "", "zzznonsense\n\nzzznonsense"];

/// Makes the engine answer with nonsense, but for texts with this word.
fn answer_nonsense(world: &World, but_for: &'static str) {
    let count = AtomicUsize::new(0);
    world.translator.rule(move |batch| {
        let answer = |text: &String| match text.contains(but_for) {
            true => accented(text),
            false => NONSENSE[count.fetch_add(1, Ordering::SeqCst) % NONSENSE.len()].to_owned(),
        };
        Some(ScriptedAnswer::Texts(batch.texts.iter().map(|text| Some(answer(text))).collect()))
    });
}

#[acceptance::test]
#[case::always("no such text", 12, 0)]
#[case::mostly("runs", 6, 6)]
async fn a_run_with_invalid_answers_ends_and_counts_the_untranslated_texts(
    world: World,
    #[case] but_for: &'static str,
    #[case] untranslated: usize,
    #[case] translated: usize,
) {
    answer_nonsense(&world, but_for);
    // Each page has a title, a heading and two paragraphs.
    let space = world.import(&Fixture::pages(3, "engine")).await;
    let path = translate(&world, &space, "de").await;
    let target = Target::of(&world, &path).await;
    let shown = world.ada.get(&path).await.ok();
    assert_eq!((&shown["status"], &shown["untranslated"]), (&json!("completed"), &json!(untranslated)), "{shown}");
    let mut found = 0;
    for n in 0..3 {
        let page = world.page(&space, &format!("page-{n:03}")).await;
        let text = markdown(&world.ada, &target.path, &page).await;
        assert!(text.contains(&format!("More of {n}")), "{text}");
        for words in [format!("The engine engine{n} runs."), "And on it runs.".to_owned()] {
            assert!(text.contains(&words) || text.contains(&accented(&words)), "{text}");
            found += usize::from(text.contains(&accented(&words)));
        }
    }
    assert_eq!(found, translated);
    assert!(!format!("{:?}", world.dump().await).contains(WORD), "nothing of it is stored");
}

#[acceptance::test]
async fn tags_are_whole_after_answers_of_nonsense(world: World) {
    answer_nonsense(&world, "no such text");
    let space = world.import(&Fixture::guide()).await;
    let path = translate(&world, &space, "de").await;
    let target = Target::of(&world, &path).await;
    assert_eq!(world.ada.get(&path).await.ok()["status"], "completed");
    let page = world.page(&space, "install/linux").await;
    let text = markdown(&world.ada, &target.path, &page).await;
    for part in ["Run `apt install engine`.", "Updating packages", "options.md#verbose", "(https://example.org/)"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!format!("{:?}", world.dump().await).contains(WORD), "nothing of it is stored");
}
