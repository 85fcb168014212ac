//! Translations, their runs and memory, and glossaries.
use super::*;
use crate::{DieselStore, StoreOptions};
use chrono::{DateTime, TimeDelta, Utc};
use domain::id::{OrganizationId, SpaceId, TranslationId};
use domain::paging::PageRequest;
use domain::ports::Store;
use domain::text::Language;
use domain::translation::glossary::{GlossaryChanges, GlossaryEntry};
use domain::translation::run::{EngineUsage, MemoryEntry, TranslationRun};
use domain::translation::{
    NewTranslation, Translation, TranslationError, TranslationErrorCode, TranslationInstructions, TranslationStatus,
};
use rstest::rstest;

/// The organizations `o` and `q`, the user `u`, and the space `s` of `o`.
const ROWS: [&str; 3] = [
    "INSERT INTO users (id, display_name, email, email_verified, folded, created_at) \
     VALUES ('u', 'Ada', 'ada@example.org', true, 'ada', '2026-01-01 00:00:00')",
    "INSERT INTO organizations (id, title, email_domains, sso, ai, invite_links, merge_rules, created_at) \
     SELECT o.id, 'O', '[]', false, false, false, '[]', users.created_at \
     FROM users, (SELECT 'o' AS id UNION ALL SELECT 'q') AS o",
    "INSERT INTO spaces (id, organization_id, title, emoji, visibility, edit_mode, default_level, merge_rules, position, \
     revision_id, change_requests, change_requests_open, change_requests_draft, created_at, updated_at) \
     VALUES ('s', 'o', '', '', 'private', 'live', 'inherit', '[]', '1', 'r', 0, 0, 0, '2026-01-01 00:00:00', \
     '2026-01-01 00:00:00')",
];

async fn store(backend: Backend) -> Option<(World, DieselStore)> {
    let world = world(backend).await?;
    let mut conn = world.database.write().await.unwrap();
    for sql in ROWS {
        conn.run(diesel::sql_query(sql)).await.expect(sql);
    }
    conn.commit().await.unwrap();
    let store = DieselStore::new(world.database.clone(), &StoreOptions::default());
    Some((world, store))
}

fn at(seconds: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(seconds, 0).unwrap()
}

fn organization(id: &str) -> OrganizationId {
    id.parse().unwrap()
}

fn translation(id: &str, source: &str) -> Translation {
    let space: SpaceId = source.parse().unwrap();
    let instructions = TranslationInstructions::default();
    let new = NewTranslation { space, source_language: None, language: Language::De, instructions };
    let languages = (Language::En, Language::De);
    Translation::new(id.parse().unwrap(), organization("o"), new, languages, "u".parse().unwrap(), at(0))
}

fn run(id: &str) -> TranslationRun {
    TranslationRun::new(id.parse().unwrap(), "t1".parse().unwrap(), "pseudo".to_owned(), at(1))
}

async fn save(store: &DieselStore, all: &[Translation]) {
    let mut tx = store.write().await.unwrap();
    tx.lock(&[(&organization("o")).into()]).await.unwrap();
    for one in all {
        tx.translations().save(one).await.unwrap();
    }
    tx.commit().await.unwrap();
}

#[rstest]
#[tokio::test]
async fn a_translation_is_stored_with_all_its_fields(#[values(Backend::Sqlite, Backend::Postgres)] backend: Backend) {
    let Some((_world, store)) = store(backend).await else { return };
    let mut one = translation("t1", "x");
    one.target = "s".parse().ok();
    one.machine_revision = "m".parse().ok();
    one.source_revision = "r1".parse().ok();
    one.result_revision = "r2".parse().ok();
    one.change_request = "c".parse().ok();
    one.fresh_since = Some(at(3));
    one.start(at(4));
    one.complete(
        &TranslationRun { words: 5_000_000_000, pages: 2, milliseconds: 7, untranslated: 3, ..run("a") },
        at(5),
    );
    let error = TranslationError {
        code: TranslationErrorCode::EngineSpent,
        message: "the engine's quota is used up".to_owned(),
        at: at(6),
        retry_at: Some(at(7)),
    };
    one.stop(error);
    save(&store, &[one.clone(), translation("t2", "x"), translation("t3", "y")]).await;
    let mut tx = store.write().await.unwrap();
    let find = one.id.clone();
    assert_eq!(tx.translations().find(&organization("o"), &find).await.unwrap(), Some(one.clone()));
    assert_eq!(tx.translations().find(&organization("q"), &find).await.unwrap(), None);
    assert_eq!(tx.translations().count(&organization("o")).await.unwrap(), 3);
    let page = PageRequest { limit: 2, ..PageRequest::default() };
    let first = tx.translations().list(&organization("o"), &page).await.unwrap();
    let ids = |items: &[Translation]| items.iter().map(|one| one.id.to_string()).collect::<Vec<_>>().join(" ");
    assert_eq!((ids(&first.items).as_str(), first.total, first.next.as_deref()), ("t1 t2", 3, Some("t2")));
    let page = PageRequest { after: first.next, ..page };
    assert_eq!(ids(&tx.translations().list(&organization("o"), &page).await.unwrap().items), "t3");
    assert_eq!(ids(&tx.translations().all().await.unwrap()), "t1 t2 t3");
    let of: Vec<(OrganizationId, TranslationId)> = tx.translations().of_source(&"x".parse().unwrap()).await.unwrap();
    assert_eq!(of, [(organization("o"), find.clone()), (organization("o"), "t2".parse().unwrap())]);
    one.error = None;
    one.status = TranslationStatus::Completed;
    assert!(tx.translations().save(&one).await.is_err(), "the organization is not locked");
    drop(tx);
    save(&store, std::slice::from_ref(&one)).await;
    let mut tx = store.write().await.unwrap();
    assert_eq!(tx.translations().find(&organization("o"), &find).await.unwrap(), Some(one));
    tx.lock(&[(&organization("o")).into(), (&organization("q")).into()]).await.unwrap();
    tx.translations().remove(&organization("q"), &find).await.unwrap();
    tx.translations().remove(&organization("o"), &"t2".parse().unwrap()).await.unwrap();
    assert_eq!(ids(&tx.translations().all().await.unwrap()), "t1 t3");
}

#[rstest]
#[tokio::test]
async fn the_newest_runs_of_a_translation_are_kept(#[values(Backend::Sqlite, Backend::Postgres)] backend: Backend) {
    let Some((_world, store)) = store(backend).await else { return };
    save(&store, &[translation("t1", "x"), translation("t2", "x")]).await;
    let id: TranslationId = "t1".parse().unwrap();
    let mut tx = store.write().await.unwrap();
    let other = TranslationRun { translation: "t2".parse().unwrap(), ..run("0") };
    for one in [run("1"), run("2"), run("3"), other] {
        tx.translations().save_run(&one).await.unwrap();
    }
    let done = TranslationRun {
        finished_at: Some(at(9)),
        milliseconds: 1,
        words: 2,
        pages: 3,
        last_page: "p".parse().ok(),
        memory_hits: 4,
        by_fragments: 5,
        untranslated: 6,
        failures: 7,
        requests: 8,
        tokens: 9,
        ..run("3")
    };
    tx.translations().save_run(&done).await.unwrap();
    assert_eq!(tx.translations().runs(&id, 2).await.unwrap(), [done, run("2")]);
    tx.translations().remove_old_runs(&id, 1).await.unwrap();
    assert_eq!(tx.translations().runs(&id, 9).await.unwrap().len(), 1);
    assert_eq!(tx.translations().runs(&"t2".parse().unwrap(), 9).await.unwrap().len(), 1);
}

#[rstest]
#[tokio::test]
async fn an_organization_has_its_own_memory_without_unused_translations(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let Some((_world, store)) = store(backend).await else { return };
    let (o, q) = (organization("o"), organization("q"));
    let entry = |key: u8, target: &str, created_at| MemoryEntry {
        key: [key; 32],
        target: target.to_owned(),
        engine: "pseudo".to_owned(),
        created_at,
    };
    let mut tx = store.write().await.unwrap();
    let memory = tx.translation_memory();
    memory.save(&o, &[entry(2, "zwei ⟨1⟩", at(0)), entry(1, "eins", at(0))]).await.unwrap();
    memory.save(&o, &[entry(1, "Eins", at(5))]).await.unwrap();
    memory.save(&q, &[entry(1, "un", at(0))]).await.unwrap();
    let keys: Vec<_> = (0..3).map(|key| [key; 32]).collect();
    let mut found = memory.find(&o, &keys, None).await.unwrap();
    found.sort();
    assert_eq!(found, [([1; 32], "Eins".to_owned()), ([2; 32], "zwei ⟨1⟩".to_owned())]);
    assert_eq!(memory.find(&o, &keys, Some(at(5))).await.unwrap(), [([1; 32], "Eins".to_owned())]);
    assert_eq!(memory.find(&q, &keys, None).await.unwrap(), [([1; 32], "un".to_owned())]);
    // Of `o`, both are used; the second one only if it was not noted after the time.
    assert_eq!(memory.oldest().await.unwrap(), Some(at(0)));
    memory.touch(&o, &keys, at(5), at(20)).await.unwrap();
    assert_eq!(memory.remove_unused(at(6), 1).await.unwrap(), 1);
    assert_eq!(memory.remove_unused(at(6), 9).await.unwrap(), 1);
    assert_eq!(memory.remove_unused(at(6), 9).await.unwrap(), 0);
    assert_eq!(memory.find(&o, &keys, None).await.unwrap(), [([2; 32], "zwei ⟨1⟩".to_owned())]);
    assert_eq!(memory.find(&q, &keys, None).await.unwrap(), []);
}

#[rstest]
#[tokio::test]
async fn engine_usage_is_summed_by_day(#[values(Backend::Sqlite, Backend::Postgres)] backend: Backend) {
    let Some((_world, store)) = store(backend).await else { return };
    let (o, day) = (organization("o"), at(0));
    let mut tx = store.write().await.unwrap();
    let memory = tx.translation_memory();
    let some = EngineUsage { words: 1, characters: 10, requests: 2, tokens: 5 };
    for (day, engine) in [(day, "a"), (day, "a"), (day, "b"), (day + TimeDelta::days(1), "a")] {
        memory.use_engine(&o, day, engine, some).await.unwrap();
    }
    let sum = EngineUsage { words: 3, characters: 30, requests: 6, tokens: 15 };
    assert_eq!(memory.usage(&o, day).await.unwrap(), sum);
    assert_eq!(memory.usage(&organization("q"), day).await.unwrap(), EngineUsage::default());
}

#[rstest]
#[tokio::test]
async fn a_glossary_is_changed_under_the_lock_of_its_organization(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let Some((_world, store)) = store(backend).await else { return };
    let (o, q) = (organization("o"), organization("q"));
    let entry = |id: &str, word: &str| GlossaryEntry {
        id: id.parse().unwrap(),
        organization: o.clone(),
        translations: [("en".to_owned(), word.parse().unwrap()), ("de".to_owned(), "Wört".parse().unwrap())].into(),
        created_at: at(0),
        updated_at: at(1),
    };
    let all = GlossaryChanges { saved: vec![entry("b", "page"), entry("a", "space")], removed: Vec::new() };
    let mut tx = store.write().await.unwrap();
    assert!(tx.glossary().change(&o, &all).await.is_err(), "the organization is not locked");
    drop(tx);
    let mut tx = store.write().await.unwrap();
    tx.lock(&[(&o).into(), (&q).into()]).await.unwrap();
    tx.glossary().change(&o, &all).await.unwrap();
    assert_eq!(tx.glossary().entries(&o).await.unwrap(), [entry("a", "space"), entry("b", "page")]);
    assert_eq!(tx.glossary().entries(&q).await.unwrap(), []);
    let removed = GlossaryChanges { saved: Vec::new(), removed: vec!["b".parse().unwrap()] };
    tx.glossary().change(&q, &removed).await.unwrap();
    let changes = GlossaryChanges { saved: vec![entry("a", "room")], ..removed };
    tx.glossary().change(&o, &changes).await.unwrap();
    assert_eq!(tx.glossary().entries(&o).await.unwrap(), [entry("a", "room")]);
    assert_eq!(tx.glossary().entry(&o, &"a".parse().unwrap()).await.unwrap(), Some(entry("a", "room")));
    assert_eq!(tx.glossary().entry(&q, &"a".parse().unwrap()).await.unwrap(), None);
}
