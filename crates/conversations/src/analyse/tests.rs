use super::*;
use Impact::{High, Low, Medium};
use rstest::rstest;

fn user(body: &str) -> Part<'_> {
    Part { role: Role::User, body }
}

fn titles(analysis: &Analysis) -> Vec<&str> {
    analysis.issues.iter().map(|issue| issue.title.as_str()).collect()
}

#[rstest]
#[case(
    Language::En,
    "Hi there! I cannot export my invoices since Monday. Thanks a lot!",
    "I cannot export my invoices since Monday"
)]
#[case(
    Language::De,
    "Guten Tag, ich kann meine Rechnungen nicht exportieren. Vielen Dank!",
    "Ich kann meine Rechnungen nicht exportieren"
)]
#[case(
    Language::Fr,
    "Bonjour, je ne peux pas exporter mes factures. Merci beaucoup !",
    "Je ne peux pas exporter mes factures"
)]
#[case(Language::Es, "Hola, no puedo exportar mis facturas. ¡Gracias!", "No puedo exportar mis facturas")]
#[case(
    Language::Pt,
    "Olá, não consigo exportar as minhas faturas. Obrigado!",
    "Não consigo exportar as minhas faturas"
)]
#[case(
    Language::It,
    "Buongiorno, non riesco a esportare le mie fatture. Grazie!",
    "Non riesco a esportare le mie fatture"
)]
#[case(
    Language::Nl,
    "Hallo, ik kan mijn facturen niet exporteren. Alvast bedankt!",
    "Ik kan mijn facturen niet exporteren"
)]
fn an_issue_is_found_behind_polite_words(#[case] language: Language, #[case] body: &str, #[case] expected: &str) {
    let analysis = analyse(None, &[user(body)], Some(language));
    assert_eq!(analysis.language, Some(language));
    let found = titles(&analysis);
    assert!(found.len() == 1 && found[0].ends_with(expected), "{found:?}");
    assert!(analysis.impact >= Some(Medium));
}

#[rstest]
#[case("Hello")]
#[case("Thank you very much, have a nice day!")]
#[case("Yes please")]
#[case("My order number is 4711")]
#[case("12345 67890")]
#[case("No, thanks")]
#[case("No thank you")]
#[case("")]
fn a_text_without_an_issue_has_none(#[case] body: &str) {
    assert_eq!(titles(&analyse(None, &[user(body)], None)), Vec::<&str>::new());
}

#[rstest]
#[case("My invoice is wrong. Can you help me?", "My invoice is wrong")]
#[case("I cannot open the report of May. Could you please check?", "I cannot open the report of May")]
fn a_sentence_that_does_not_say_what_it_is_about_is_no_issue_beside_one_that_does(
    #[case] body: &str,
    #[case] expected: &str,
) {
    assert_eq!(titles(&analyse(None, &[user(body)], Some(Language::En))), [expected]);
}

#[rstest]
#[case("The invoice is late. I want a refund.", &["The invoice is late", "I want a refund"])]
#[case("How do I pay?", &["How do I pay?"])]
#[case("What is SSO?", &["What is SSO?"])]
fn a_short_sentence_can_be_an_issue(#[case] body: &str, #[case] expected: &[&str]) {
    assert_eq!(titles(&analyse(None, &[user(body)], Some(Language::En))), expected);
}

#[rstest]
#[case("Production is down, nobody can work!", High)]
#[case("I was charged twice this month", High)]
#[case("The export fails with an error", Medium)]
#[case("How do I change the colour of the header?", Low)]
fn an_issue_has_an_impact(#[case] body: &str, #[case] impact: Impact) {
    let analysis = analyse(None, &[user(body)], Some(Language::En));
    assert_eq!((analysis.issues.len(), analysis.impact), (1, Some(impact)));
}

#[test]
fn an_issue_has_medium_impact_if_the_user_writes_again_after_an_answer() {
    let question = user("How do I change the colour of the header?");
    let answer = Part { role: Role::TeamMember, body: "Open the theme. It fails and is broken and I want a refund." };
    let of = |parts: &[Part<'_>]| analyse(None, parts, Some(Language::En)).impact;
    assert_eq!(of(&[question, answer, user("Thank you!")]), Some(Low));
    assert_eq!(of(&[question, answer, user("Where do I find the theme you mean?")]), Some(Medium));
}

#[test]
fn only_users_have_issues() {
    let parts = [Part { role: Role::Assistant, body: "I cannot export my invoices." }];
    assert_eq!(analyse(None, &parts, None), Analysis::default());
}

#[test]
fn a_conversation_has_at_most_three_issues_that_differ() {
    let body = "The export fails. The export fails again. How do I invite a colleague? I want a refund for May. \
                Where can I change my password? The search does not find anything.";
    let analysis = analyse(None, &[user(body)], Some(Language::En));
    let found = titles(&analysis);
    assert_eq!(found.len(), MAX_ISSUES, "{found:?}");
    assert_eq!(found.iter().filter(|title| title.contains("export")).count(), 1, "{found:?}");
}

#[test]
fn without_another_issue_the_subject_is_one() {
    let analysis = analyse(Some("Staging environment"), &[user("Hello")], None);
    assert_eq!(titles(&analysis), ["Staging environment"]);
    assert!(analyse(Some("Hello"), &[user("Hello")], None).issues.is_empty());
}

#[test]
fn the_details_are_the_sentence_with_its_neighbours() {
    let body = "We moved to the new plan. Since then the export fails with an error. It worked before. Bye";
    let analysis = analyse(None, &[user(body)], Some(Language::En));
    let issue = analysis.issues.iter().find(|issue| issue.title.contains("export")).unwrap();
    assert_eq!(issue.title, "Since then the export fails with an error");
    assert_eq!(issue.details, "We moved to the new plan. Since then the export fails with an error. It worked before.");
}

#[test]
fn a_title_is_cut_between_words() {
    let body = format!("The export fails because {}", "of something long ".repeat(15));
    let analysis = analyse(None, &[user(&body)], Some(Language::En));
    let title = &analysis.issues[0].title;
    assert!(title.chars().count() <= MAX_TITLE && title.ends_with("…"), "{title}");
}

#[test]
fn another_script_has_issues_by_questions_and_length() {
    let analysis = analyse(None, &[user("ログインできません。パスワードを忘れた場合はどうすればいいですか？")], None);
    assert_eq!((analysis.language, analysis.issues.len()), (Some(Language::Ja), 2));
}

#[rstest]
#[case::marks(
    "I cannot pay my last invoice of this month with **4111** 1111 1111 1111",
    "4111 1111 1111 1111",
    "I cannot pay my last invoice of this month with [card]"
)]
#[case::tags("<p>I cannot write to grace<b>@</b>example.org</p>", "grace@example.org", "I cannot write to [email]")]
fn a_secret_that_markup_splits_is_masked_in_issues(#[case] body: &str, #[case] secret: &str, #[case] title: &str) {
    let language = Some(Language::En);
    assert!(analyse(None, &[user(body)], language).issues[0].details.contains(secret));
    let found = analyse_masked(None, &[user(body)], language);
    assert_eq!(titles(&found), [title]);
    assert_eq!(found.issues[0].details, title);
}

#[test]
fn a_secret_that_line_ends_split_is_masked_in_details() {
    let body = "I cannot pay with my card 4111 1111\n\n1111 1111 is what I typed";
    let details = |found: Analysis| found.issues.iter().map(|issue| issue.details.clone()).collect::<String>();
    let language = Some(Language::En);
    assert!(details(analyse(None, &[user(body)], language)).contains("4111 1111 1111 1111"));
    let masked = details(analyse_masked(None, &[user(body)], language));
    assert!(masked.contains("[card]") && !masked.contains("1111"), "{masked}");
}
