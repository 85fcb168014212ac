//! Runs as jobs, and every language.
use super::translate;
use crate::change_requests::markdown;
use acceptance::{Fields, Fixture, Interleaved, World};
use domain::actor::Actor;
use domain::job::Task;
use domain::text::Language;
use domain::usecases::Precondition;
use domain::usecases::jobs::JobResult;
use serde_json::json;

#[acceptance::test]
async fn two_translations_run_at_once_and_one_never_twice(world: World) {
    let space = world.import(&Fixture::pages(2, "engine")).await;
    world.work().await;
    let (german, french) = (translate(&world, &space, "de").await, translate(&world, &space, "fr").await);
    let mut claimed = Vec::new();
    while let Some(one) = world.jobs.claim().await.unwrap() {
        claimed.push(one);
    }
    let of = |task: &Task| match task {
        Task::Translate { translation, .. } => Some(translation.to_string()),
        _ => None,
    };
    let mut running: Vec<String> = claimed.iter().filter_map(|(_, task)| of(task)).collect();
    running.sort();
    let id = |path: &str| path.rsplit('/').next().unwrap().to_owned();
    let mut both = vec![id(&german), id(&french)];
    both.sort();
    assert_eq!(running, both);
    world.ada.post(&format!("{german}/run"), json!({})).await.expect(204);
    assert_eq!(world.jobs.claim().await.unwrap(), None, "no other job runs it");
    for (claim, task) in &claimed {
        let ran = world.jobs.perform(claim, task).await.unwrap();
        assert!(!matches!(ran, JobResult::Failed(_) | JobResult::Lost), "{ran:?}");
    }
    world.work().await;
    // What was asked for had not begun yet: one run does for both.
    let stats = async |path: &str| world.ada.get(path).await.ok()["stats"]["runs"].clone();
    assert_eq!((stats(&german).await, stats(&french).await), (json!(1), json!(1)));
}

#[acceptance::test]
async fn a_space_is_translated_into_every_language(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let mut paths = Vec::new();
    // The engine of the tests does not have Estonian.
    let wanted = Language::ALL.iter().filter(|language| !matches!(language, Language::En | Language::Et));
    for language in wanted {
        paths.push((language, translate(&world, &space, language.as_str()).await));
    }
    world.work().await;
    let slugs = async |space: &str| {
        let pages = world.ada.get(&format!("/spaces/{space}/content/pages")).await.ok();
        pages.list("pages").iter().map(|page| (page.id().to_owned(), page["path"].clone())).collect::<Vec<_>>()
    };
    let source = slugs(space.as_str()).await;
    let page = world.page(&space, "install/linux").await;
    for (language, path) in paths {
        let shown = world.ada.get(&path).await.ok();
        assert_eq!((&shown["status"], &shown["untranslated"]), (&json!("completed"), &json!(0)), "{language}: {shown}");
        let target = shown["result"].text("space");
        assert_eq!(slugs(target).await, source, "{language}");
        let text = markdown(&world.ada, &format!("/spaces/{target}"), &page).await;
        for part in ["`apt install engine`", "space.vars.version", "options.md#verbose", "(https://example.org/)"] {
            assert!(text.contains(part), "{part} in {language}: {text}");
        }
        assert!(text.contains("updating-packages") && !text.contains("Updating packages"), "{language}: {text}");
    }
}

#[acceptance::test]
async fn a_translation_can_be_deleted_at_any_time_of_its_run(world: World) {
    world.translator.change(|can| can.max_units = 2);
    for units in 0..100 {
        // New texts, which are not in the memory yet.
        let space = world.import(&Fixture::pages(2, &format!("engine{units}"))).await;
        world.work().await;
        let path = translate(&world, &space, "de").await;
        let id = path.rsplit('/').next().unwrap().parse().unwrap();
        let (translations, organization) = (world.services.translations.clone(), world.organization.clone());
        let delete = async move {
            let removed = translations.remove(&Actor::Operator, &organization, &id, Precondition::none()).await;
            assert!(matches!(removed, Ok(true)), "{removed:?}");
        };
        let interleaved = Interleaved::after(units, world.services.store.clone(), delete);
        let jobs = world.jobs_on(interleaved.clone());
        while let Some((claim, task)) = world.jobs.claim().await.unwrap() {
            let ran = jobs.perform(&claim, &task).await.unwrap();
            assert!(!matches!(ran, JobResult::Failed(_)), "after {units} units of work: {ran:?}");
        }
        if interleaved.is_pending() {
            assert!(units > 5, "the job has several units of work");
            return;
        }
        world.ada.get(&path).await.error(404);
    }
    panic!("the job has many units of work");
}
