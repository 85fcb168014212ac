use super::*;
use content::markdown::Hrefs;
use rstest::rstest;

fn evidence<'a>() -> Evidence<'a> {
    Evidence {
        label: "Reset password",
        issues: 12,
        conversations: 1,
        impact: Impact::Medium,
        pulse: [0, 0, 0, 0, 0, 1, 1, 0, 0, 2, 3, 2, 3],
        titles: vec![
            ("I cannot reset my password", Some("https://octavo.example/c/1")),
            ("[x](javascript:alert(1)) <script>\n# Title", None),
        ],
        pages: vec![AnsweringPage {
            title: "Sign in",
            page: "p1".parse().unwrap(),
            sections: vec!["Passwords", "Two factors"],
        }],
        answered: true,
    }
}

/// Links to pages, by their ids.
struct Pages;

impl Hrefs for Pages {
    fn href(&self, target: &ContentRef) -> Option<String> {
        match target {
            ContentRef::Page { page, space: None } => Some(format!("https://octavo.example/{page}")),
            _ => None,
        }
    }
}

fn markdown(evidence: &Evidence<'_>) -> String {
    content::markdown::write(&evidence.document().unwrap(), &Pages)
}

#[test]
fn evidence_has_counts_impact_pulse_titles_and_pages() {
    let text = markdown(&evidence());
    assert!(text.contains("12 issues in 1 conversation are about “Reset password”."), "{text}");
    assert!(text.contains("medium: noticeable friction"), "{text}");
    assert!(text.contains("10 came in the last 4 weeks"), "{text}");
    assert!(text.contains("[I cannot reset my password](https://octavo.example/c/1)"), "{text}");
    assert!(text.contains("[Sign in](https://octavo.example/p1): Passwords, Two factors"), "{text}");
    assert!(!text.contains("No page answers"), "{text}");
}

#[test]
fn markup_of_users_has_no_effect_in_evidence() {
    let text = markdown(&evidence());
    let read = content::markdown::parse_whole(&text, &crate::body::NoLinks);
    let links: Vec<_> = read.links.iter().map(|link| link.href.as_str()).collect();
    assert_eq!(links, ["https://octavo.example/c/1", "https://octavo.example/p1"]);
    assert!(read.document.unwrap().text().contains("[x](javascript:alert(1)) <script> # Title"));
}

#[test]
fn evidence_says_that_no_page_answers() {
    let evidence = Evidence { answered: false, pages: Vec::new(), titles: Vec::new(), ..evidence() };
    let text = markdown(&evidence);
    assert!(text.contains("No page answers this."), "{text}");
    assert!(!text.contains("What users wrote"), "{text}");
}

#[test]
fn evidence_shows_a_bounded_number_of_titles_and_pages() {
    let page = AnsweringPage { title: "Page", page: "p1".parse().unwrap(), sections: Vec::new() };
    let evidence = Evidence { titles: vec![("Title", None); 50], pages: vec![page; 50], ..evidence() };
    let text = markdown(&evidence);
    assert_eq!((text.matches("Title").count(), text.matches("* [Page]").count()), (MAX_TITLES, MAX_PAGES), "{text}");
}

#[rstest]
#[case([0; WEEKS], "No issue came in the last 13 weeks.")]
#[case([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], "1 came in the last 4 weeks, and 0 in the 4 weeks before: it is new or has come back.")]
#[case([0, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 3, 3], "it is growing")]
#[case([0, 0, 0, 0, 0, 3, 3, 0, 0, 0, 0, 2, 2], "it is declining")]
#[case([0, 0, 0, 0, 0, 3, 3, 0, 0, 0, 0, 3, 2], "it is steady")]
#[case([0, 0, 0, 0, 0, 3, 3, 0, 0, 0, 0, 0, 0], "it has become quiet")]
fn a_pulse_is_described_in_words(#[case] pulse: [u32; WEEKS], #[case] expected: &str) {
    let words = pulse_in_words(&pulse);
    assert!(words.contains(expected), "{words}");
}

#[test]
fn a_section_with_half_of_the_terms_answers_a_question() {
    let titles = ["I cannot reset my password", "Password reset link does not work"];
    let question = Question::of("Reset password", &titles, Some(Language::En));
    assert!(question.query.starts_with("reset password"), "{question:?}");
    assert!(question.is_answered_by("Passwords. To reset a password, open the link in the e-mail that works."));
    assert!(!question.is_answered_by("Exports are in the menu."));
    assert!(!Question::of("", &[], None).is_answered_by("anything"));
}
