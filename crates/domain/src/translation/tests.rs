use super::*;
use crate::id::PageId;
use crate::translation::run::next_midnight;
use rstest::rstest;

fn at(seconds: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(seconds, 0).unwrap()
}

fn new(source_language: Option<Language>) -> NewTranslation {
    let instructions = TranslationInstructions::default();
    NewTranslation { space: "s".parse().unwrap(), source_language, language: Language::De, instructions }
}

fn translation() -> Translation {
    let languages = (Language::En, Language::De);
    let (id, organization) = ("t".parse().unwrap(), "o".parse().unwrap());
    Translation::new(id, organization, new(None), languages, "ada".parse().unwrap(), at(0))
}

fn run(words: u64) -> TranslationRun {
    let new = TranslationRun::new("r".parse().unwrap(), "t".parse().unwrap(), "pseudo".into(), at(0));
    TranslationRun { words, pages: 2, milliseconds: 1500, ..new }
}

#[rstest]
#[case::given(Some(Language::En), None, None)]
#[case::of_the_space(None, Some(Language::Fr), None)]
#[case::neither(None, None, Some("source.language"))]
#[case::the_same(Some(Language::De), None, Some("language"))]
#[case::that_of_the_space(None, Some(Language::De), Some("language"))]
fn a_translation_has_two_languages(
    #[case] given: Option<Language>,
    #[case] space: Option<Language>,
    #[case] field: Option<&str>,
) {
    assert_eq!(new(given).languages(space).err().map(|error| error.field).as_deref(), field);
}

#[test]
fn stats_are_the_sums_of_the_runs() {
    let mut translation = translation();
    for words in [7, 5] {
        translation.start(at(1));
        translation.complete(&run(words), at(2));
    }
    let stats = translation.stats;
    assert_eq!((stats.runs, stats.total_words, stats.total_pages, stats.total_milliseconds), (2, 12, 4, 3000));
    assert_eq!((stats.latest_words, stats.latest_pages, stats.latest_milliseconds), (5, 2, 1500));
    assert_eq!((translation.status, translation.asked_by), (TranslationStatus::Completed, None));
}

#[test]
fn a_run_that_is_requested_during_another_follows_it() {
    let mut translation = translation();
    translation.start(at(1));
    translation.ask("bob".parse().unwrap(), false, at(2));
    assert_eq!(translation.status, TranslationStatus::Running);
    translation.complete(&run(1), at(3));
    assert_eq!((translation.status, translation.acts_for().as_str()), (TranslationStatus::Pending, "bob"));
    translation.start(at(4));
    translation.complete(&run(1), at(5));
    assert_eq!((translation.status, translation.acts_for().as_str()), (TranslationStatus::Completed, "ada"));
}

#[test]
fn a_failed_run_waits() {
    let mut translation = translation();
    translation.start(at(1));
    let error = TranslationError {
        code: TranslationErrorCode::EngineSpent,
        message: String::new(),
        at: at(2),
        retry_at: Some(next_midnight(at(2))),
    };
    translation.stop(error);
    assert_eq!(translation.status, TranslationStatus::Pending);
    assert_eq!(translation.error.as_ref().unwrap().retry_at, Some(at(86_400)));
    translation.ask("ada".parse().unwrap(), false, at(3));
    assert_eq!(translation.error, None);
}

#[test]
fn a_completed_translation_waits_again_when_its_source_changes() {
    let (old, new): (RevisionId, RevisionId) = ("r1".parse().unwrap(), "r2".parse().unwrap());
    let done = Translation {
        status: TranslationStatus::Completed,
        source_revision: Some(old.clone()),
        target: "x".parse().ok(),
        change_request: "c".parse().ok(),
        ..translation()
    };
    let status = |source, there| done.clone().shown(source, there, true).status;
    assert_eq!(status(Some(&old), true), TranslationStatus::Completed);
    assert_eq!(status(Some(&new), true), TranslationStatus::Pending);
    assert_eq!(status(Some(&new), false), TranslationStatus::Completed, "nothing runs without a target");
    assert_eq!(status(None, true), TranslationStatus::Completed);
    assert_eq!(done.clone().shown(Some(&old), false, true).target, None);
    let request = |there, undecided| done.clone().shown(Some(&old), there, undecided).change_request;
    assert_eq!(request(true, true), done.change_request);
    assert_eq!((request(true, false), request(false, true)), (None, None));
}

#[rstest]
#[case("Guide", "Guide (de)")]
#[case("", "(de)")]
#[case(&"x".repeat(50), &format!("{} (de)", "x".repeat(45)))]
fn the_target_has_the_title_of_the_source_and_the_language(#[case] source: &str, #[case] expected: &str) {
    assert_eq!(translation().target_title(&source.parse().unwrap()).as_str(), expected);
}

#[test]
fn waits_grow_up_to_a_limit_unless_the_engine_names_one() {
    let waits = |failures| TranslationRun { failures, ..run(0) }.wait(None).num_seconds();
    assert_eq!([waits(0), waits(1), waits(2), waits(30)], [1, 4, 16, 600]);
    assert_eq!(run(0).wait(Some(TimeDelta::seconds(90))).num_seconds(), 90);
}

#[test]
fn a_page_counts_once_in_a_run_and_only_if_an_engine_translated_it() {
    let (mut counted, page): (_, PageId) = (TranslationRun { pages: 0, ..run(0) }, "p".parse().unwrap());
    counted.count(Some(&page), 0);
    assert_eq!(counted.pages, 0);
    counted.count(Some(&page), 3);
    counted.count(Some(&page), 2);
    counted.count(None, 2);
    assert_eq!((counted.pages, counted.words), (1, 7));
}
