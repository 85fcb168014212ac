use super::*;
use rstest::rstest;

const LOGIN: [&str; 6] = [
    "I cannot reset my password",
    "How do I reset the password?",
    "Reset password link does not work",
    "Password reset e-mail never arrives",
    "Resetting my password fails",
    "I forgot my PIN",
];
const OTHERS: [&str; 8] = [
    "Export to PDF is slow",
    "How do I invite a colleague?",
    "The invoice of May is missing",
    "Dark mode for the editor",
    "Export to PDF fails",
    "Change the colour of the header",
    "Where is my password stored?",
    "How do I cancel my plan?",
];

fn statistics() -> Statistics {
    Statistics::of(LOGIN.iter().chain(&OTHERS).copied(), Some(Language::En))
}

#[test]
fn the_label_of_a_cluster_is_the_phrase_that_distinguishes_it_from_others() {
    let description = describe(&LOGIN, Some(Language::En), &statistics(), None);
    assert_eq!(description.label, "Reset password");
    assert_eq!(description.icon, "key");
    assert_eq!(description.summary.quotes, LOGIN[..3]);
    assert!(description.summary.document().is_ok());
}

#[test]
fn without_a_phrase_the_most_typical_title_is_the_label() {
    let titles = ["the dashboard shows nothing at all", "Charts stay empty"];
    let description = describe(&titles, Some(Language::En), &statistics(), None);
    assert_eq!(description.label, "The dashboard shows nothing at all");
}

#[test]
fn a_label_stays_unless_another_is_clearly_better() {
    let old = describe(&LOGIN, Some(Language::En), &statistics(), Some("Reset the password"));
    assert_eq!(old.label, "Reset the password", "another form of the same phrase is no better");
    let old = describe(&LOGIN, Some(Language::En), &statistics(), Some("Cancel my plan"));
    assert_eq!(old.label, "Reset password");
    let titles = ["the dashboard shows nothing at all", "Charts stay empty"];
    let old = describe(&titles, Some(Language::En), &statistics(), Some("Charts stay empty"));
    assert_eq!(old.label, "Charts stay empty", "one title is as good as another");
}

#[rstest]
#[case(1.2, 1.0, true)]
#[case(1.19, 1.0, false)]
#[case(0.0, 0.0, false)]
#[case(0.1, 0.0, true)]
fn a_label_replaces_another_that_is_a_fifth_worse(#[case] new: f32, #[case] old: f32, #[case] expected: bool) {
    assert_eq!(replaces(new, old), expected);
}

#[test]
fn a_label_has_at_most_eighty_characters() {
    let long = "word ".repeat(40);
    let description = describe(&[&long], None, &statistics(), None);
    assert!(description.label.chars().count() <= MAX_LABEL);
    assert_eq!(describe(&[], None, &Statistics::default(), None).label, "Other");
}
