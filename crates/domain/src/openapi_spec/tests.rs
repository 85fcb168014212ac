use super::*;
use rstest::rstest;

fn spec() -> OpenapiSpec {
    let source = SpecSource::Url("https://example.org/api.yaml".to_owned().try_into().unwrap());
    let slug = "pets".parse().unwrap();
    OpenapiSpec::new("s".parse().unwrap(), "o".parse().unwrap(), slug, source, DateTime::UNIX_EPOCH)
}

fn failed() -> Processed {
    let findings = Some(vec![SpecFinding::failure(&"the host took too long to respond")]);
    Processed { version: None, error: Some(ProcessError::FetchTimeout), findings, validators: None }
}

fn succeeded(version: Option<&str>) -> Processed {
    let version = version.map(|id| id.parse().unwrap());
    let validators = Some(Validators { etag: Some("\"1\"".into()), last_modified: None });
    Processed { version, error: None, findings: Some(Vec::new()), validators }
}

#[rstest]
#[case("a", true)]
#[case("Pet-Store-2", true)]
#[case("", false)]
#[case("-a", false)]
#[case("a-", false)]
#[case("a--b", false)]
#[case("a_b", false)]
#[case("é", false)]
#[case(&"a".repeat(100), true)]
#[case(&"a".repeat(101), false)]
fn a_slug_has_letters_and_digits_and_single_hyphens(#[case] raw: &str, #[case] fine: bool) {
    assert_eq!(raw.parse::<SpecSlug>().is_ok(), fine);
}

#[rstest]
#[case(0, false)]
#[case(1, true)]
#[case(32 << 20, true)]
#[case((32 << 20) + 1, false)]
fn a_document_in_a_request_is_neither_empty_nor_too_long(#[case] length: usize, #[case] fine: bool) {
    let text = SpecText::try_from("a".repeat(length));
    assert_eq!(text.is_ok_and(|text| text.check_length().is_ok()), fine);
}

#[test]
fn slugs_are_compared_without_regard_to_case() {
    assert_eq!("Pets".parse::<SpecSlug>().unwrap().key(), "pets".parse::<SpecSlug>().unwrap().key());
}

#[test]
fn a_failure_keeps_the_version_and_the_next_success_removes_the_error() {
    let (mut spec, now) = (spec(), DateTime::UNIX_EPOCH);
    spec.complete(succeeded(Some("v1")), Some(REFRESH), now);
    spec.complete(failed(), Some(REFRESH), now);
    assert_eq!((spec.error, spec.failures, spec.finding_count), (Some(ProcessError::FetchTimeout), 1, 1));
    assert_eq!(spec.last_version, Some("v1".parse().unwrap()));
    spec.complete(succeeded(None), Some(REFRESH), now);
    assert_eq!((spec.error, spec.failures, spec.finding_count), (None, 0, 0));
    assert_eq!(spec.last_version, Some("v1".parse().unwrap()));
}

#[test]
fn findings_are_kept_on_a_304() {
    let (mut spec, now) = (spec(), DateTime::UNIX_EPOCH);
    let findings = (0..60).map(|number| SpecFinding::failure(&number)).collect();
    spec.complete(Processed { findings: Some(findings), ..succeeded(Some("v1")) }, Some(REFRESH), now);
    assert_eq!((spec.findings.len(), spec.finding_count), (MAX_FINDINGS, 60));
    spec.complete(Processed { findings: None, ..succeeded(None) }, Some(REFRESH), now);
    assert_eq!((spec.findings.len(), spec.finding_count), (MAX_FINDINGS, 60));
}

#[test]
fn an_address_is_fetched_again_after_six_hours_and_more_rarely_if_it_fails_often() {
    let (mut spec, now) = (spec(), DateTime::UNIX_EPOCH);
    let within = |at: Option<DateTime<Utc>>, rest: TimeDelta| (rest..=rest * 11 / 10).contains(&(at.unwrap() - now));
    assert!(within(spec.complete(succeeded(None), Some(REFRESH), now), REFRESH));
    let rests: Vec<_> = (0..12).map(|_| spec.complete(failed(), Some(REFRESH), now)).collect();
    assert!(within(rests[0], TimeDelta::minutes(15)));
    assert!(within(rests[1], TimeDelta::hours(1)));
    assert!(rests[2..9].iter().all(|at| within(*at, REFRESH)));
    assert!(rests[9..].iter().all(|at| within(*at, TimeDelta::days(1))));
}

#[test]
fn an_operator_can_decide_that_no_address_is_fetched_again() {
    assert_eq!(spec().complete(failed(), None, DateTime::UNIX_EPOCH), None);
}

#[test]
fn a_text_that_was_sent_is_not_checked_again() {
    let mut spec = OpenapiSpec { source: SpecSource::Text(Hash::of(b"{}")), ..spec() };
    assert_eq!(spec.complete(failed(), Some(REFRESH), DateTime::UNIX_EPOCH), None);
}

#[test]
fn a_source_that_is_set_again_is_processed_from_the_beginning() {
    let (mut spec, now) = (spec(), DateTime::UNIX_EPOCH);
    spec.complete(succeeded(Some("v1")), Some(REFRESH), now);
    let source = spec.source.clone();
    spec.set_source(source, now);
    assert_eq!((spec.state, &spec.validators), (ProcessingState::Pending, &None));
}
